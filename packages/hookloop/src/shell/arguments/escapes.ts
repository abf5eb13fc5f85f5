/** `\x72`, `\u{72}`, `\162` and other ways in which languages write a character; what is left of `\c` a shell reads by itself. */
const ESCAPE =
  /\\(?:x\{([\da-f]{1,6})\}|u\{([\da-f]{1,6})\}|x([\da-f]{1,2})|u([\da-f]{4})|U([\da-f]{8})|([0-7]{1,3})|([abefnrtv])|(["'`\\/]))/gi;
const LETTERS: Readonly<Record<string, string>> = { n: "\n", r: "\n", t: "\t", v: " ", f: " ", a: "", b: "", e: "" };
const LAST_CHARACTER = 0x10ffff;

/** The text of a literal of another language, without its quotes. */
export function unescapeLiteral(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(ESCAPE, (_, ...groups: readonly (string | undefined)[]) => {
    const [long, point, hex, short, wide, octal, letter, itself] = groups;
    if (itself !== undefined) return itself;
    if (letter !== undefined) return LETTERS[letter.toLowerCase()] ?? "";
    const code = octal === undefined ? Number.parseInt(long ?? point ?? hex ?? short ?? wide ?? "0", 16) : Number.parseInt(octal, 8);
    return code > LAST_CHARACTER ? "" : String.fromCodePoint(code);
  });
}
