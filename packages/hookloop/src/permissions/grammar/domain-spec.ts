import { compileWildcard } from "./wildcard.ts";

/** `WebFetch(domain:example.com)`: the host of an address, exactly, or with `*` for a part. Nothing if it is no such spec. */
export function compileDomainSpec(spec: string, how: "surely" | "maybe"): ((url: string) => boolean) | undefined {
  const domain = /^domain:(\S+)$/.exec(spec)?.[1];
  if (domain === undefined) return undefined;
  const fits = compileWildcard(domain.toLowerCase());
  return (url) => {
    const host = URL.canParse(url) ? new URL(url).hostname : undefined;
    // SECURITY: an address that cannot be read may lead there: a guard runs, an allow rule is silent.
    return host === undefined ? how === "maybe" : fits(host.toLowerCase().replace(/\.$/, ""));
  };
}
