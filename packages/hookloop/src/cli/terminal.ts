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
const SIGNS = new RegExp(`[${Object.keys(ASCII).join("")}]|[\\u2500-\\u257f]|[\\u2800-\\u28ff]`, "g");

/** A text for people with signs that their terminal can show. What is not a sign of ours, such as the name of a file, stays as it is. */
export function inLocale(text: string, env: NodeJS.ProcessEnv = process.env): string {
  return isUtf8(env) ? text : text.replace(SIGNS, (sign) => ASCII[sign] ?? (sign < "\u2580" ? "+" : "*"));
}
