/**
 * Takes the text of a shell command. Gives every simple command that would run, seen through quoting, nesting and wrappers.
 * Refuses to guess: what it cannot read (too long, broken, known only at run time) makes the reading uncertain. It never throws.
 */
import { commentsIn } from "./script/data/comments.ts";
import { readEvaluated } from "./script/evaluated/read-evaluated.ts";
import { Findings } from "./script/findings.ts";
import { createReader } from "./script/read-script.ts";
import { ShellState } from "./script/state/shell-state.ts";
import { runOfWritten } from "./script/written-scripts.ts";
import type { ShellReading } from "./types.ts";
import { hasOddCharacters } from "./words/odd-characters.ts";

// SECURITY: the parser is quadratic on some texts: 0.26 s at 8 KiB, 4 s at 32 KiB.
const MAX_LENGTH = 8192;

// SECURITY: unclosed brackets cost the parser the most, and its stack is not endless.
const MAX_OPEN_BRACKETS = 150;

export interface ReadOptions {
  /** The shell that will run it, if it is not one like bash. */
  readonly shell?: "zsh" | undefined;
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
  const { commands, doubts, foreignDoubts, hasSubstitution, words } = found;
  const run = runOfWritten(found);
  if (run) found.doubt("dynamic-script", "It runs a file that it writes itself.", run.span);
  found.repeatElsewhere(state.folders.journey);
  // A text with errors may end a comment elsewhere.
  const comments = words && !doubts.some(({ code }) => code === "unparsable") ? commentsIn(text, words) : [];
  const data = [...(run ? [] : found.data), ...comments];
  return { commands, doubts, foreignDoubts, isUncertain: doubts.length > 0, hasSubstitution, sets: [...found.sets], data };
}

/** Counts brackets wherever they stand: text that nobody means as code has few that are never closed. */
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
