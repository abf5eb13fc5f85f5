import type { RegisteredHook } from "./registered-hook.ts";
import { BELOW_USER } from "./switch-state.ts";
import type { ConfigDocument, Scope } from "./types.ts";

type Hook = Pick<RegisteredHook, "source">;

/** What the files of a session let http hooks reach and send. */
export interface HttpPolicy {
  /** Why the hook may not post there, or nothing. */
  refusalOf(hook: Hook, url: URL): string | undefined;
  /** Whether the lists let the hook use this variable; its own `allowedEnvVars` is not looked at. */
  mayUse(hook: Hook, variable: string): boolean;
  /** Why a list in the project's own folder keeps the hook from asking its server as it was approved, or nothing. */
  takenAway(hook: Hook, url: URL, variables: readonly string[]): string | undefined;
}

/**
 * The lists of managed, flag and user scope together bind every hook. SECURITY: those of a checkout bind its own hooks
 * only, and on top: they can take away, never add, and never reach the user's hooks.
 */
export function httpPolicy(documents: readonly ConfigDocument[]): HttpPolicy {
  const urls = listsOf(documents, "allowedHttpHookUrls");
  const variables = listsOf(documents, "httpHookAllowedEnvVars");
  return {
    refusalOf({ source }, url) {
      const barrier = urls(source.scope).find((list) => !list.some((pattern) => matchesUrl(pattern, url)));
      if (!barrier) return undefined;
      return barrier.length === 0
        ? `"allowedHttpHookUrls" is empty, so no URL is allowed`
        : `"allowedHttpHookUrls" has only ${barrier.join(", ")}`;
    },
    mayUse: ({ source }, variable) => variables(source.scope).every((list) => list.includes(variable)),
    takenAway({ source }, url, used) {
      if (!BELOW_USER.includes(source.scope)) return undefined;
      if (urls.below.some((list) => !list.some((pattern) => matchesUrl(pattern, url))))
        return `"allowedHttpHookUrls" of the project's settings does not have ${url.origin}`;
      const lost = used.find((variable) => variables.below.some((list) => !list.includes(variable)));
      return lost && `"httpHookAllowedEnvVars" of the project's settings does not have ${lost}`;
    },
  };
}

type ListName = "allowedHttpHookUrls" | "httpHookAllowedEnvVars";

type Lists = readonly (readonly string[])[];

/** The lists that bind hooks of a scope; something is allowed if each of them has it. */
function listsOf(documents: readonly ConfigDocument[], name: ListName): ((scope: Scope) => Lists) & { readonly below: Lists } {
  const isBelow = ({ source }: ConfigDocument): boolean => BELOW_USER.includes(source.scope);
  const above = union(documents.filter((document) => !isBelow(document)).map(({ switches }) => switches[name]));
  const below = union(documents.filter(isBelow).map(({ switches }) => switches[name]));
  return Object.assign((scope: Scope) => (BELOW_USER.includes(scope) ? [...above, ...below] : above), { below });
}

/** One list, or none if nobody wrote one. An empty list is a list: it allows nothing. */
function union(lists: readonly (readonly string[] | undefined)[]): readonly (readonly string[])[] {
  const written = lists.filter((list) => list !== undefined);
  return written.length === 0 ? [] : [written.flat()];
}

/** `https://*.example.com:8443/hooks/*` in its three parts. */
const PARTS = /^([a-z*]+):\/\/([^/?#]*)(.*)$/i;
const DEFAULT_PORT: Readonly<Record<string, string>> = { "http:": ":80", "https:": ":443" };

/**
 * Whether an address fits a pattern in which `*` stands for anything.
 * SECURITY: scheme, host and path are compared one by one, so that `https://*.example.com/*` never fits
 * `https://elsewhere.test/x.example.com/`.
 */
export function matchesUrl(pattern: string, url: URL): boolean {
  if (pattern === "*") return true;
  const [, scheme, host, path] = PARTS.exec(pattern) ?? [];
  if (scheme === undefined || host === undefined || path === undefined) return false;
  const port = DEFAULT_PORT[url.protocol] ?? "";
  const isHost = (spelled: string): boolean => matchesWildcard(spelled.toLowerCase(), url.host);
  return (
    matchesWildcard(`${scheme.toLowerCase()}:`, url.protocol) &&
    (isHost(host) || (url.port === "" && host.endsWith(port) && isHost(host.slice(0, -port.length)))) &&
    matchesWildcard(path || "/", url.pathname + url.search)
  );
}

/** One pass over the text, however many wildcards there are. */
export function matchesWildcard(pattern: string, text: string): boolean {
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at + last.length <= text.length;
}
