import type { ShellCommand, ShellStdin } from "../../types.ts";

/** What a command prints, if its words tell: `echo`, `printf`, and what hands its input on. */
export function knownOutput({ words, redirects, stdin, span }: ShellCommand): ShellStdin | undefined {
  if (redirects.some(({ operator, descriptor }) => operator.startsWith(">") && (descriptor ?? 1) === 1)) return undefined;
  const [name, ...args] = words.map(({ text }) => text);
  const handsOn = name === "tee" || (name === "cat" && args.every((text) => text === "-"));
  if (handsOn) return stdin?.kind === "text" ? stdin : undefined;
  const text = name === "echo" ? echoed(args) : name === "printf" ? printed(args) : undefined;
  const range = { start: words[1]?.span.start ?? span.start, end: words.at(-1)?.span.end ?? span.end };
  return text === undefined ? undefined : { kind: "text", text, span: range };
}

function echoed(args: readonly string[]): string | undefined {
  const start = args.findIndex((text) => !/^-[neE]+$/.test(text));
  const options = (start === -1 ? args : args.slice(0, start)).join("");
  const text = start === -1 ? "" : args.slice(start).join(" ");
  const end = options.includes("n") ? "" : "\n";
  // Without -e shells differ in whether a backslash means something.
  const plain = text.includes("\\") ? (options.includes("e") ? unescapeText(text) : undefined) : text;
  return plain === undefined ? undefined : plain + end;
}

function printed([format = "", ...args]: readonly string[]): string | undefined {
  const plain = unescapeText(format);
  if (plain === undefined || plain.startsWith("-") || /%[^s%]|%$/.test(plain)) return undefined;
  const slots = plain.match(/%s/g)?.length ?? 0;
  if (slots === 0) return plain.replaceAll("%%", "%");
  let text = "";
  for (let at = 0; at === 0 || at < args.length; at += slots) {
    let slot = at;
    text += plain.replace(/%[s%]/g, (found) => (found === "%%" ? "%" : (args[slot++] ?? "")));
  }
  return text;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", "\\": "\\", '"': '"', "'": "'" };

function unescapeText(text: string): string | undefined {
  let isKnown = true;
  const plain = text.replace(/\\(x[0-9a-fA-F]{1,2}|0?[0-7]{1,3}|[\s\S]|$)/g, (_, code: string) => {
    if (/^x./.test(code)) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    if (/^[0-7]/.test(code)) return String.fromCharCode(Number.parseInt(code, 8) & 0xff);
    const known = ESCAPES[code];
    if (known === undefined) isKnown = false;
    return known ?? "";
  });
  return isKnown ? plain : undefined;
}
