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
