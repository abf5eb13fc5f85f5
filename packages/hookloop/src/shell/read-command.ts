/**
 * Takes the text of a shell command. Gives every simple command that would run, seen through quoting, nesting and wrappers.
 * Refuses to guess: what it cannot read (too long, broken, known only at run time) makes the reading uncertain. It never throws.
 */

import { isKnownTo } from "./programs/program.ts";
import { programName } from "./programs/started.ts";
import { Findings } from "./script/findings.ts";
import { withPossibleValues } from "./script/possible-values.ts";
import { readEvaluated } from "./script/read-evaluated.ts";
import { createReader } from "./script/read-script.ts";
import { ShellState } from "./script/shell-state.ts";
import type { ShellCommand, ShellReading, ShellWord, Span } from "./types.ts";
import { hasOddCharacters } from "./words.ts";

// SECURITY: the parser is quadratic on some texts: 0.26 s at 8 KiB, 4 s at 32 KiB.
const MAX_LENGTH = 8192;

// SECURITY: unclosed brackets cost the parser the most, and its stack is not endless.
const MAX_OPEN_BRACKETS = 150;

export interface ReadOptions {
  /** The shell that will run it, if it is not one like bash. */
  readonly shell?: "zsh" | undefined;
}

/** Characters of commands whose readings are kept. */
const MAX_REMEMBERED = 65_536;

const remembered = new Map<string, { readonly length: number; readonly reading: ShellReading }>();
let rememberedLength = 0;

/**
 * As `readCommand`, to judge a call: conditions, rules, guards and protections ask about the same command one after the other, and it
 * is parsed once. A reading depends on nothing but the text and the shell, so it is kept by these.
 */
export function readingOf(text: string, options: ReadOptions = {}): ShellReading {
  const key = `${options.shell ?? ""} ${text}`;
  const known = remembered.get(key)?.reading;
  if (known) return known;
  const reading = readCommand(text, options);
  remembered.set(key, { length: text.length, reading });
  rememberedLength += text.length;
  for (const [oldest, { length }] of remembered) {
    if (rememberedLength <= MAX_REMEMBERED) break;
    remembered.delete(oldest);
    rememberedLength -= length;
  }
  return reading;
}

/** What a shell command would run. */
export function readCommand(text: string, { shell }: ReadOptions = {}): ShellReading {
  const state = new ShellState();
  const found = new Findings({ isZsh: shell === "zsh", keepWords: text.includes("#") });
  if (Buffer.byteLength(text) > MAX_LENGTH) found.doubt("too-long", `It is longer than ${MAX_LENGTH} bytes.`);
  else if (isNestedTooDeeply(text)) found.doubt("unparsable", "Too many brackets are open at once.");
  else {
    try {
      const reader = createReader(found);
      reader.readScript(text, {
        source: text,
        wrapping: { names: [], isPlain: true },
        state,
        inputFrom: 0,
        redirects: [],
        printsData: true,
        isAssignment: false,
        isPosix: false,
        mayBeOdd: hasOddCharacters(text),
      });
      readEvaluated(reader);
    } catch {
      // The parser recurses: deeply nested text exhausts the stack. What was found until then stays, with the doubt.
      found.doubt("unparsable", "It could not be parsed.");
    }
  }
  const { doubts, foreignDoubts, hasSubstitution, words } = found;
  const run = runOfWritten(found);
  if (run) found.doubt("dynamic-script", "It runs a file that it writes itself.", run.span);
  found.repeatElsewhere(state.folders.journey);
  const commands = withPossibleValues(found.commands, found.evaluated);
  // A text with errors may end a comment elsewhere.
  const comments = words && !doubts.some(({ code }) => code === "unparsable") ? commentsIn(text, words) : [];
  const data = [...(run ? [] : found.data), ...comments];
  return {
    commands,
    doubts,
    foreignDoubts,
    isUncertain: doubts.length > 0,
    hasSubstitution,
    sets: [...found.sets],
    tests: found.tests,
    lists: found.lists,
    data,
  };
}

/** Counts brackets wherever they stand: text that is not code has few that are never closed. */
function isNestedTooDeeply(text: string): boolean {
  let open = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "(" || character === "{") open++;
    else if ((character === ")" || character === "}") && open > 0) open--;
    if (open > MAX_OPEN_BRACKETS) return true;
  }
  return false;
}

/** Where a file is run which the same text writes: what it runs was data a moment ago. */
function runOfWritten({ commands, startFiles, evaluated }: Findings): { readonly span: Span } | undefined {
  const written = new Set(commands.flatMap(writtenBy));
  if (written.size === 0) return undefined;
  // `PATH=.; write-and-run`
  const names = evaluated.hasAssigned("PATH") ? new Set([...written].map((path) => path.slice(path.lastIndexOf("/") + 1))) : undefined;
  return (
    startFiles.find(({ text }) => written.has(plain(text))) ??
    commands.find(({ words }) => {
      const file = scriptOf(words);
      return file === undefined ? names?.has(words[0]?.text ?? "") : written.has(plain(file));
    })
  );
}

function writtenBy({ words, redirects }: ShellCommand): readonly string[] {
  const targets = redirects.filter(({ operator }) => /^(?:&?>|<>)/.test(operator)).map(({ target }) => target.text);
  const copies = ["tee", "cp", "mv", "ln", "install"].includes(programName(words)) ? words.slice(1).map(({ text }) => text) : [];
  return [...targets, ...copies].filter((path) => path !== "/dev/null" && !path.startsWith("-")).map(plain);
}

function scriptOf(words: readonly ShellWord[]): string | undefined {
  const name = programName(words);
  if (!isKnownTo(name, "shell") && name !== "source" && name !== ".") return words[0]?.text.includes("/") ? words[0].text : undefined;
  return words.slice(1).find(({ text }) => !/^[-+]/.test(text))?.text;
}

function plain(path: string): string {
  return path.replace(/^(?:\.\/)+/, "");
}

/** Where a comment can start: at the beginning, or after a blank or an operator. */
const START = /(?<=^|[\s;&|()<>])#/g;

/** The comments of a text: from a `#` to the end of its line. `words`: everything in which a `#` is text, in any order. */
function commentsIn(text: string, words: readonly Span[]): readonly Span[] {
  const comments: Span[] = [];
  for (const { index } of text.matchAll(START)) {
    if ((comments.at(-1)?.end ?? -1) > index) continue;
    const lineEnd = text.indexOf("\n", index);
    const end = lineEnd === -1 ? text.length : lineEnd;
    // SECURITY: a word that starts in it shows that it is none.
    const isNone = words.some((word) => (word.start <= index && index < word.end) || (word.start > index && word.start < end));
    if (!isNone) comments.push({ start: index, end });
  }
  return comments;
}
