/** What each error of jsonc-parser means to a person, by its number. */
const TEXTS: Readonly<Record<number, string>> = {
  1: "This is not a JSON value. Write a text in double quotes, a number, true, false or null",
  2: "This is not a number",
  3: "A property name in double quotes is missing here",
  4: "A value is missing here",
  5: "A colon is missing here",
  6: "A comma is missing before this",
  7: "A closing } is missing here",
  8: "A closing ] is missing here",
  9: "The document has already ended; remove what follows",
  10: "A comment cannot stand here",
  11: "This comment is never closed",
  12: "This text is never closed; add the double quote",
  13: "This number breaks off",
  14: "This \\u escape needs four hexadecimal digits",
  15: "This escape is unknown; a backslash itself is written \\\\",
  16: "A control character stands in this text; write it as an escape",
};

/** One sentence for one syntax error, and what it costs. */
export function syntaxErrorText(code: number): string {
  return `${TEXTS[code] ?? "This is not JSON"}. A hook entry with such a mistake inside is left out.`;
}
