/** One word of a shell line, as far as it can be known without running a shell. */
export interface ShellWord {
  readonly text: string;
  /** A `$`, backtick or glob that only the shell can resolve stands in it. */
  readonly isDynamic: boolean;
}

const SEPARATORS = ";&|<>()\n";
const DYNAMIC = "$`*?[{";

/** The words of the first simple command of a line; variables that are given are put in. */
export function firstWords(line: string, variables: Readonly<Record<string, string>>): readonly ShellWord[] {
  const words: ShellWord[] = [];
  let rest = line.trimStart();
  while (rest !== "" && !SEPARATORS.includes(rest[0] ?? "") && !rest.startsWith("#")) {
    const [word, length] = readWord(rest, variables);
    words.push(word);
    rest = rest.slice(length).replace(/^(?:[ \t]|\\\n)+/, "");
  }
  return words;
}

function readWord(line: string, variables: Readonly<Record<string, string>>): readonly [ShellWord, number] {
  let text = "";
  let isDynamic = false;
  let at = 0;
  while (at < line.length && !` \t${SEPARATORS}`.includes(line[at] ?? "")) {
    const piece = readPiece(line.slice(at), variables, at === 0);
    text += piece.text;
    isDynamic ||= piece.isDynamic;
    at += piece.length;
  }
  return [{ text, isDynamic }, at];
}

type Piece = ShellWord & { readonly length: number };

/** A quoted stretch, a variable, or one character. */
function readPiece(rest: string, variables: Readonly<Record<string, string>>, isStart: boolean): Piece {
  const single = /^'([^']*)'/.exec(rest);
  if (single) return { text: single[1] ?? "", isDynamic: false, length: single[0].length };
  const double = /^"((?:[^"\\]|\\.)*)"/s.exec(rest);
  if (double) return { ...expand(double[1] ?? "", variables), length: double[0].length };
  const variable = /^\$(?:\{(\w+)\}|(\w+))/.exec(rest);
  if (variable) return { ...expand(variable[0], variables), length: variable[0].length };
  if (rest.startsWith("\\")) return { text: rest[1] ?? "", isDynamic: false, length: 2 };
  if (isStart && rest.startsWith("~/") && variables["HOME"] !== undefined) return { text: variables["HOME"], isDynamic: false, length: 1 };
  const [character = ""] = rest;
  const isOpenQuote = character === "'" || character === '"';
  return { text: character, isDynamic: isOpenQuote || DYNAMIC.includes(character) || (isStart && character === "~"), length: 1 };
}

/** Puts the given variables in; any other makes the text dynamic. */
function expand(text: string, variables: Readonly<Record<string, string>>): ShellWord {
  const known = text.replace(/\$(?:\{(\w+)\}|(\w+))/g, (whole, braced: string | undefined, bare: string | undefined) => {
    return variables[braced ?? bare ?? ""] ?? whole;
  });
  const leftover = text.replace(/\$(?:\{(\w+)\}|(\w+))/g, (whole, braced?: string, bare?: string) =>
    variables[braced ?? bare ?? ""] === undefined ? whole : "",
  );
  return { text: known.replace(/\\(["\\$`])/g, "$1"), isDynamic: /[$`]/.test(leftover) };
}
