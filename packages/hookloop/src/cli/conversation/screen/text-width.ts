/** Made when it is needed: the first prompt must not wait for it. */
let segmenter: Intl.Segmenter | undefined;
const ESCAPE = "\\u001b\\[[0-9;]*m";
const STYLE = new RegExp(ESCAPE, "g");
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u;
/** East Asian wide and full-width characters, and pictures: two columns each. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|^\p{Emoji_Presentation}|^\p{Extended_Pictographic}\ufe0f/u;

/** What a person sees as one character each: the cursor never stands inside of one. */
export function characters(text: string): readonly string[] {
  if (isPlain(text)) return text.split("");
  segmenter ??= new Intl.Segmenter();
  return [...segmenter.segment(text)].map(({ segment }) => segment);
}

/** Columns that a text takes on a terminal; colours take none. */
export function textWidth(text: string): number {
  const bare = text.replace(STYLE, "");
  if (isPlain(bare)) return bare.length;
  return characters(bare).reduce((width, one) => width + characterWidth(one), 0);
}

/** A text in lines of at most `columns`, broken at blanks where there are some; every line but the first of a paragraph is indented. */
export function wrapText(text: string, columns: number, indent = ""): readonly string[] {
  return text.split("\n").flatMap((line) => wrapLine(line.replaceAll("\t", "    "), columns, indent));
}

/** A text of at most `columns`, its end cut off if it is longer. */
export function cutText(text: string, columns: number, mark = "…"): string {
  if (textWidth(text) <= columns) return text;
  const bare = text.replace(STYLE, "");
  let kept = "";
  let width = 0;
  for (const one of characters(bare)) {
    width += characterWidth(one);
    if (width > columns - mark.length) break;
    kept += one;
  }
  return `${kept}${mark}`;
}

function wrapLine(line: string, columns: number, indent: string): readonly string[] {
  if (textWidth(line) <= columns) return [line];
  const lines: string[] = [];
  let current = "";
  let width = 0;
  const breakLine = (): void => {
    lines.push(current.trimEnd());
    current = indent;
    width = indent.length;
  };
  for (const piece of line.match(PIECES) ?? []) {
    const pieceWidth = textWidth(piece);
    if (width + pieceWidth > columns && width > indent.length) {
      breakLine();
      // The blank between two words is the line break.
      if (piece.trim() === "" && pieceWidth > 0) continue;
    }
    for (const part of pieceWidth > columns - indent.length ? partsOf(piece, columns - indent.length) : [piece]) {
      const partWidth = textWidth(part);
      if (width + partWidth > columns) breakLine();
      current += part;
      width += partWidth;
    }
  }
  return [...lines, current];
}

/** A word that fits into no line: a path breaks between its folders, anything else between characters. */
function partsOf(word: string, columns: number): readonly string[] {
  return word.split(/(?<=[^/]\/)/).flatMap((part) => (textWidth(part) > columns ? characters(part) : [part]));
}

/** Words, runs of blanks, and changes of colour. */
const PIECES = new RegExp(`${ESCAPE}|[^\\s\\u001b]+|\\s+|\\u001b`, "g");

function characterWidth(character: string): number {
  if (NO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** Nearly every text is; looking at each character would cost more than drawing it. */
function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}
