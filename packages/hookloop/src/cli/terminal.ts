import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

/** Colour only where a person looks at a terminal that wants it. */
export function style(format: Style, text: string): string {
  const { env, stdout } = process;
  const isWanted = stdout.isTTY && !env["NO_COLOR"] && env["TERM"] !== "dumb";
  return isWanted ? styleText(format, text) : text;
}

/** Columns of the terminal; without one, lines are as long as they are. */
export function width(): number {
  return process.stdout.isTTY ? Math.max(40, process.stdout.columns) : Number.POSITIVE_INFINITY;
}

/** Writes a text for people; data goes to stdout as it is. */
export function print(text: string): void {
  process.stdout.write(`${inLocale(text)}\n`);
}

/** Writes what programs read, as it is. */
export function printData(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  printData(JSON.stringify(value, null, 2));
}

/** Whether the terminal shows more than ASCII, as far as its user says: without a UTF-8 locale it does not. */
export function isUtf8({ LC_ALL, LC_CTYPE, LANG }: NodeJS.ProcessEnv = process.env): boolean {
  return /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || "");
}

/** Signs that we print, and what stands for them in ASCII. */
const ASCII: Readonly<Record<string, string>> = {
  "…": "...",
  "●": "*",
  "•": "*",
  "·": "-",
  "⎿": "|",
  "↳": "->",
  "→": "->",
  "←": "<-",
  "▸": ">",
  "✓": "+",
  "✔": "+",
  "✗": "x",
  "✘": "x",
  "×": "x",
  "⚠": "!",
  "≥": ">=",
  "≤": "<=",
  "–": "-",
  "—": "-",
  "─": "-",
  "│": "|",
  "“": '"',
  "”": '"',
  "‘": "'",
  "’": "'",
};
/** Stands behind a sign that is not ours. It belongs to the character before it, so no line breaks between them; `visible` leaves none in a text. */
const KEPT = "\ufe0e";
const SIGNS = new RegExp(`([${Object.keys(ASCII).join("")}]|[\\u2500-\\u257f]|[\\u2800-\\u28ff])(${KEPT})?`, "g");

/** A text for people with signs that their terminal can show. What went through `asIs`, and what is not a sign of ours, stays as it is. */
export function inLocale(text: string, env: NodeJS.ProcessEnv = process.env): string {
  if (isUtf8(env)) return text;
  return text.replace(SIGNS, (_, sign: string, kept?: string) => (kept ? sign : (ASCII[sign] ?? (sign < "\u2580" ? "+" : "*"))));
}

/** Contents: a diff, a file, a command and what it printed. Nothing in them is swapped for another sign. */
export function asIs(text: string, env: NodeJS.ProcessEnv = process.env): string {
  return isUtf8(env) ? text : text.replace(SIGNS, `$1${KEPT}`);
}
