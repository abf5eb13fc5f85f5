import { type ShellCommand, type ShellReading, UNKNOWN } from "../../shell/index.ts";
import { withoutGlobalOptions } from "./global-options.ts";
import { coversAll, type Step } from "./sequence-pattern.ts";
import { wildcardSteps } from "./wildcard.ts";

type ShellWord = ShellCommand["words"][number];

/** Variables before a command that cannot change which program runs or what it loads. */
const HARMLESS = /^(?:CI|NODE_ENV|NO_COLOR|FORCE_COLOR|LANG|LC_[A-Z]+|TZ|TERM|COLUMNS|LINES|PYTHONUNBUFFERED|RUST_BACKTRACE)$/;

/** Whether a shell command runs anything that the spec names. */
export type CommandTest = (command: string, read: (command: string) => ShellReading) => boolean;

interface CommandPattern {
  readonly fits: (text: string, isUnknown?: (character: string) => boolean) => boolean;
  /** The spec has quotes, so it is compared with the words as written too. */
  readonly isQuoted: boolean;
  /** It says more than a name. */
  readonly isMoreThanName: boolean;
}

/** `*` spans anything; ` *` or `:*` at the end also fits the command without arguments, but not a longer word. */
function compilePattern(spec: string): CommandPattern {
  const prefix = spec.replace(/(?: |:)\*$/, "");
  const patterns: readonly (readonly Step<string>[])[] =
    prefix === spec ? [wildcardSteps(spec)] : [wildcardSteps(prefix), wildcardSteps(`${prefix} *`)];
  const start = /^[^*\\]*/.exec(prefix)?.[0] ?? "";
  return {
    // Most rules differ from most commands in the first letters.
    fits: (text, isUnknown) =>
      (text.startsWith(start) || text.includes(UNKNOWN)) && patterns.some((steps) => coversAll(steps, text, isUnknown)),
    isQuoted: /["'\\]/.test(spec),
    isMoreThanName: /\s/.test(prefix),
  };
}

/** `Bash(spec)` of deny rules, ask rules and `if`: whether the line could run such a command, through every wrapper. */
export function compileCommandSpec(spec: string, { countsSubstitution }: { readonly countsSubstitution: boolean }): CommandTest {
  const pattern = compilePattern(spec);
  return (command, read) => {
    if (command.trim() === spec) return true;
    const reading = read(command);
    // SECURITY: a guard must not be switched off by text that we cannot read, so what is uncertain fits.
    if (reading.isUncertain) return true;
    // As recorded for `if`: a rule about arguments runs for every command that puts together its words from another's output.
    if (countsSubstitution && reading.hasSubstitution && pattern.isMoreThanName) return true;
    return reading.commands.some((simple) => looseTexts(simple, pattern).some((text) => pattern.fits(text, isUnknown)));
  };
}

/** `Bash(spec)` of allow rules: whether one command of a line is surely such a command. Wrappers and redirections are the caller's part. */
export function compileCommandCover(spec: string): (command: ShellCommand) => boolean {
  const pattern = compilePattern(spec);
  // SECURITY: what is known only at run time stays a character that only `*` covers, and `/tmp/npm` is not `npm`.
  return (command) => strictTexts(command, pattern).some((text) => pattern.fits(text));
}

function isUnknown(character: string): boolean {
  return character === UNKNOWN;
}

/** The ways to write the command down: as given, by the name alone (`/bin/rm` is `rm`), without global options, and with its quotes. */
function looseTexts({ words }: ShellCommand, { isQuoted }: CommandPattern): readonly string[] {
  const shortened = withoutGlobalOptions(words);
  const texts = [words, ...(shortened ? [shortened] : [])].flatMap((some) => {
    const text = some.reduce((joined, word, index) => joined + separator(word.text, index) + word.text, "");
    const name = some[0]?.text ?? "";
    return name.includes("/") ? [text, text.slice(name.lastIndexOf("/") + 1)] : [text];
  });
  return isQuoted ? [...texts, sourceOf(words)] : texts;
}

function strictTexts({ words, assignments }: ShellCommand, { isQuoted }: CommandPattern): readonly string[] {
  // SECURITY: `"npm test/../evil"` is one name, not `npm` with an argument.
  if (/\s/.test(words[0]?.text ?? "")) return [];
  const before = assignments.map(({ name, value }) => `${name}=${value.text} `).join("");
  const text = words.map((word) => word.text).join(" ");
  // SECURITY: `PATH=/tmp npm test` and `LD_PRELOAD=x npm test` are not `npm test`.
  const texts = assignments.every(({ name }) => HARMLESS.test(name)) ? [text, before + text] : [before + text];
  return isQuoted ? [...texts, sourceOf(words)] : texts;
}

function sourceOf(words: readonly ShellWord[]): string {
  return words.map(({ source }) => source).join(" ");
}

/** An argument that is wholly unknown may be no argument at all, so the blank before it is unknown too. */
function separator(text: string, index: number): string {
  return index === 0 || text === UNKNOWN ? "" : " ";
}
