/** Tokens that are recognisable on their own: model keys, code hosts, chat, cloud, JWT, private keys. */
const TOKENS =
  /\b(?:sk-[\w-]{16,}|gh[a-z]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{10,}|AKIA[A-Z0-9]{16}|npm_\w{30,}|eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+)|(?<=Bearer )\S{8,}|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END|$)/g;
/** What follows a name like `password` in a text: quoted to the next quote, else to the next space. */
const NAMED =
  /(?<=(?:passw\w*|secret|token|api_?key)\\?["']\s*:\s*\\?["'])[^"'\\]+|(?<=(?:passw\w*|secret|token|api_?key)\s*[=:]\s*)[^\s"'\\,;[]{6,}/gi;
const SECRET_NAME = /passw|secret|token$|api_?key|credential|private_?key/i;
const HIDDEN = "[redacted]";

/** For `JSON.stringify`: what looks like a secret, or is the value of a variable or field named like one, is hidden. */
export function redacting(environment: NodeJS.ProcessEnv): (key: string, value: unknown) => unknown {
  const values = Object.entries(environment).flatMap(([name, value]) =>
    SECRET_NAME.test(name) && value && value.length > 7 ? [value, JSON.stringify(value).slice(1, -1)] : [],
  );
  // Longest first: a value that begins with another one must go whole.
  values.sort((one, other) => other.length - one.length);
  return (key, value) => {
    if (SECRET_NAME.test(key) && value !== undefined) return HIDDEN;
    if (typeof value !== "string") return value;
    return values.reduce((text, secret) => text.replaceAll(secret, HIDDEN), value.replace(TOKENS, HIDDEN).replace(NAMED, HIDDEN));
  };
}
