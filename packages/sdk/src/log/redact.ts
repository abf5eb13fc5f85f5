// Every expression here takes linear time: a hook's answer may be megabytes of anything, and a guard must not be late for its log.

/** Tokens that are recognisable on their own: model keys, code hosts, chat, cloud, JWT, private keys. */
const TOKENS =
  /\b(?:sk-[\w-]{16,200}|gh[a-z]_\w{20,200}|github_pat_\w{20,200}|glpat-[\w-]{16,200}|xox[a-z]-[\w-]{10,200}|AKIA[A-Z0-9]{16}|npm_\w{30,60}|eyJ[\w-]{4,400}\.eyJ[\w-]{4,2000}\.[\w-]{1,800})|(?<=Bearer )\S{8,2000}|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]*?(?:-----END|$)/g;
/** What follows a name like `password` in a text: quoted to the next quote, else to the next space. */
const NAMED =
  /((?:passw\w{0,9}|secret|token|api_?key)\\?["']?[:=] ?\\?["'])[^"'\\]{1,500}|((?:passw\w{0,9}|secret|token|api_?key)[:=] ?)[^\s"'\\,;[]{6,500}/gi;
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
    return values.reduce((text, secret) => text.replaceAll(secret, HIDDEN), value.replace(TOKENS, HIDDEN).replace(NAMED, `$1$2${HIDDEN}`));
  };
}
