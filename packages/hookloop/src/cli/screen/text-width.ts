import type { InTurn } from "../clear-answer.ts";

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

/** Where a conversation is shown and typed. A terminal that can move its cursor has one, a dumb one another. */
export interface Screen {
  /** Columns that a line may take. */
  readonly columns: () => number;
  /** Writes whole lines above what is being typed; they are wrapped, with `indent` before every line but the first of each. */
  print(text: string, indent?: string): void;
  /** Writes text as it comes. */
  stream(piece: string): void;
  /** The text is complete. */
  endStream(): void;
  /** What is going on right now; nothing: nothing is. */
  setProgress(text: string | undefined): void;
  setStatus(text: string): void;
  /** Whether the agent works: what is entered meanwhile waits. */
  setBusy(isBusy: boolean): void;
  /** Asks; nothing if there was no answer. What was being typed comes back afterwards. */
  ask(question: string, signal?: AbortSignal): Promise<string | undefined>;
  /** One matter at a time: whoever shows what a question is about and asks does both in here. */
  readonly inTurn: InTurn;
  /** `isGone`: the terminal was closed; nothing more is written to it. */
  close(isGone?: boolean): void;
}

/** As much of a screen as a question needs. */
export type AskScreen = Pick<Screen, "columns" | "print" | "ask" | "inTurn">;

/** What the person does. */
export interface ScreenEvents {
  /** A prompt or a command was entered. */
  readonly onLine: (text: string) => void;
  /** Ctrl-C; `hadText`: it took away what was typed. */
  readonly onInterrupt: (hadText: boolean) => void;
  /** Esc: the turn is to stop; what is typed stays. */
  readonly onStop: () => void;
  /** Shift-Tab: the next permission mode. */
  readonly onMode: () => void;
  /** Ctrl-D, or the terminal is gone. */
  readonly onLeave: () => void;
  /** What could stand at the cursor: each as the whole text up to it would be. */
  readonly complete: (before: string) => Promise<readonly string[]>;
}
