/** Names of variables whose value is a secret. `PWD` and sockets such as SSH_AUTH_SOCK are not. */
const SECRET_NAME = /passw|passphrase|(?:^|_)pass(?:$|_)|secret|token|api_?key|credential|private_?key|_key$|_dsn$|_pat$/i;
const SHORTEST = 8;

/** Every spelling in which the values of secret-looking variables turn up, longest first. */
export function secretForms(environment: Readonly<Record<string, string | undefined>>, mark: string): readonly string[] {
  const values = Object.entries(environment).flatMap(([name, value]) => (SECRET_NAME.test(name) && isSecret(value, mark) ? [value] : []));
  const forms = new Set(values.flatMap((value) => [value, urlForm(value), JSON.stringify(value).slice(1, -1), ...base64Forms(value)]));
  return [...forms].filter((form) => form.length >= SHORTEST).sort((a, b) => b.length - a.length);
}

/** A value that is part of the mark itself would be found again in every mark. */
function isSecret(value: string | undefined, mark: string): value is string {
  return value !== undefined && value.length >= SHORTEST && !mark.includes(value) && !value.includes(mark);
}

function urlForm(value: string): string {
  return encodeURIComponent(value.replace(/\p{Surrogate}/gu, "\ufffd"));
}

/** Alone, and inside a longer text (`user:secret`), where it may start at any of three offsets: then the characters that it fully determines. */
function base64Forms(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const inside = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const lastIsShared = (offset + bytes.length) % 3 !== 0;
    return encoded.slice(offset === 0 ? 0 : offset + 1, lastIsShared ? -1 : undefined);
  });
  const all = [bytes.toString("base64"), ...inside];
  return all.flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")]);
}
