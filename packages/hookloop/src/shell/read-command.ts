/**
 * Takes the text of a shell command. Gives every simple command that would run, seen through quoting, nesting and wrappers.
 * Refuses to guess: what it cannot read (too long, broken, known only at run time) makes the reading uncertain. It never throws.
 */
import { readScript } from "./read-script.ts";
import type { ShellCommand, ShellReading } from "./types.ts";

// SECURITY: the parser is quadratic on some texts: 0.26 s at 8 KiB, 4 s at 32 KiB.
const MAX_LENGTH = 8192;

/** What a shell command would run. */
export function readCommand(text: string): ShellReading {
  const commands: ShellCommand[] = [];
  const doubts = new Set<string>();
  const found = { commands, doubts, hasSubstitution: false };
  if (Buffer.byteLength(text) > MAX_LENGTH) doubts.add(`it is longer than ${MAX_LENGTH} bytes`);
  else {
    try {
      readScript(text, [], found);
    } catch {
      // The parser recurses: deeply nested text exhausts the stack. What was found until then stays, with the doubt.
      doubts.add("it could not be parsed");
    }
  }
  return { commands, doubts: [...doubts], isUncertain: doubts.size > 0, hasSubstitution: found.hasSubstitution };
}
