/** Tokens that are recognisable on their own: model keys, code hosts, chat, cloud, JWT, private keys. */
const SECRETS =
  /\b(?:sk-[\w-]{16,}|gh[a-z]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{10,}|AKIA[A-Z0-9]{16}|npm_\w{30,}|eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+)|(?<=Bearer )\S{8,}|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END|$)/g;
const SECRET_NAME = /passw|secret|token$|api_?key|credential|private_?key/i;
const HIDDEN = "[redacted]";

/** For `JSON.stringify`: what looks like a secret, or is the value of a variable or field named like one, is hidden. */
export function redacting(environment: NodeJS.ProcessEnv): (key: string, value: unknown) => unknown {
  const values = Object.entries(environment).flatMap(([name, value]) =>
    SECRET_NAME.test(name) && value && value.length > 7 ? [value] : [],
  );
  return (key, value) => {
    if (typeof value !== "string") return value;
    if (SECRET_NAME.test(key)) return HIDDEN;
    return values.reduce((text, secret) => text.replaceAll(secret, HIDDEN), value.replace(SECRETS, HIDDEN));
  };
}
