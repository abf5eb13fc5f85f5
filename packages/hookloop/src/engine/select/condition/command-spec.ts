import { type ShellCommand, type ShellReading, UNKNOWN } from "../../../shell/index.ts";
import { coversAll, type Step } from "./sequence-pattern.ts";
import { wildcardSteps } from "./wildcard.ts";

/** Whether a shell command runs anything that the spec names. */
export type CommandTest = (command: string, read: (command: string) => ShellReading) => boolean;

/** `Bash(spec)`: `*` spans anything; ` *` or `:*` at the end also fits the command without arguments, but not a longer word. */
export function compileCommandSpec(spec: string): CommandTest {
  const prefix = spec.replace(/(?: |:)\*$/, "");
  const patterns = prefix === spec ? [wildcardSteps(spec)] : [wildcardSteps(prefix), wildcardSteps(`${prefix} *`)];
  const isQuoted = /["'\\]/.test(spec);
  const isMoreThanName = /\s/.test(prefix);
  return (command, read) => {
    if (command.trim() === spec) return true;
    const reading = read(command);
    // SECURITY: a guard must not be switched off by text that we cannot read, so what is uncertain fits.
    if (reading.isUncertain) return true;
    // As recorded: a rule about arguments runs for every command that puts together its words from another's output.
    if (reading.hasSubstitution && isMoreThanName) return true;
    return reading.commands.some((simple) => textsOf(simple, isQuoted).some((text) => fitsAny(patterns, text)));
  };
}

function fitsAny(patterns: readonly (readonly Step<string>[])[], text: string): boolean {
  return patterns.some((steps) => coversAll(steps, text, isUnknown));
}

function isUnknown(character: string): boolean {
  return character === UNKNOWN;
}

/** The ways to write the command down: as given, by the name alone (`/bin/rm` is `rm`), and with its quotes if the rule has some. */
function textsOf({ words }: ShellCommand, isQuoted: boolean): readonly string[] {
  const text = words.reduce((joined, word, index) => joined + separator(word.text, index) + word.text, "");
  const name = words[0]?.text ?? "";
  const texts = [text];
  if (name.includes("/")) texts.push(text.slice(name.lastIndexOf("/") + 1));
  if (isQuoted) texts.push(words.map(({ source }) => source).join(" "));
  return texts;
}

/** An argument that is wholly unknown may be no argument at all, so the blank before it is unknown too. */
function separator(text: string, index: number): string {
  return index === 0 || text === UNKNOWN ? "" : " ";
}
