import {
  aliasedInLine,
  moduleWords,
  plainWords,
  remembered,
  type ShellCommand,
  type ShellReading,
  type ShellWord,
  takesNextWord,
  UNKNOWN,
} from "../../shell/index.ts";
import { coversText, mayCoverText, wildcardPieces } from "./rule-grammar.ts";

/** Variables before a command that cannot change which program runs or what it loads. */
const HARMLESS = /^(?:CI|NODE_ENV|NO_COLOR|FORCE_COLOR|LANG|LC_[A-Z]+|TZ|TERM|COLUMNS|LINES|PYTHONUNBUFFERED|RUST_BACKTRACE)$/;

/** Whether a shell command runs anything that the spec names. */
type CommandTest = (command: string, read: (command: string) => ShellReading) => boolean;

interface CommandPattern {
  readonly fits: (text: string) => boolean;
  /** It does, or may once the running shell has filled in what is not known. */
  readonly mayFit: (text: string) => boolean;
  /** The spec has quotes, so it is compared with the words as written too. */
  readonly isQuoted: boolean;
  readonly isMoreThanName: boolean;
}

/** `*` spans anything; ` *` or `:*` at the end also fits the command without arguments, but not a longer word. */
function compilePattern(spec: string): CommandPattern {
  const prefix = spec.replace(/(?: |:)\*$/, "");
  const patterns = (prefix === spec ? [spec] : [prefix, `${prefix} *`]).map(wildcardPieces);
  return {
    fits: (text) => patterns.some((pieces) => coversText(pieces, text)),
    mayFit: (text) => patterns.some((pieces) => mayCoverText(pieces, text, UNKNOWN)),
    isQuoted: /["'\\]/.test(spec),
    isMoreThanName: /\s/.test(prefix),
  };
}

/** The word that every command the spec names starts with, if it can be told from the spec. */
export function startWord(spec: string): string | undefined {
  return /["'\\]/.test(spec) ? undefined : /^[\w./-]+(?=\s|:\*$|$)/.exec(spec)?.[0];
}

/** `Bash(spec)` of deny rules, ask rules and `if`: whether the line could run such a command, through every wrapper. */
export function compileCommandSpec(spec: string, { countsSubstitution }: { readonly countsSubstitution: boolean }): CommandTest {
  const pattern = compilePattern(spec);
  const fitsLine = compileLine(spec);
  // As recorded for `if`: it sees through the global options of the programs that are known, no others.
  const fitsPassed = countsSubstitution ? () => false : compilePassed(spec, pattern);
  return (command, read) => {
    if (command.trim() === spec || fitsLine(command)) return true;
    const reading = read(command);
    // SECURITY: a guard must not be switched off by text that we cannot read, so what is uncertain fits.
    if (reading.isUncertain) return true;
    // As recorded for `if`: a rule about arguments runs for every command that puts together its words from another's output.
    if (countsSubstitution && reading.hasSubstitution && pattern.isMoreThanName) return true;
    return reading.commands.some((simple) => mayFit(simple, pattern) || fitsPassed(simple)) || aliasFits(reading, pattern);
  };
}

/** SECURITY: `apt-get -y install x` is an `apt-get install`: options before the words of a rule that tightens are passed over. */
function compilePassed(spec: string, { mayFit: fits }: CommandPattern): (command: ShellCommand) => boolean {
  const leading = leadingWords(spec.replace(/(?: |:)\*$/, ""));
  const pass: PassOptions = compilePassing(leading);
  const start = leading.join(" ");
  return ({ words }) =>
    [words, ...underOtherNames(words)].some((some) => {
      const found = pass(some);
      return found === "any" || found.some((rest) => fits(start + textAfter(rest)));
    });
}

function textAfter(words: readonly ShellWord[]): string {
  return words.map(({ text }) => separator(text, 1) + text).join("");
}

/** `curl * | sh` names a whole line, which no single command of it is: it is compared as it is written, whatever stands around the joints. */
function compileLine(spec: string): (command: string) => boolean {
  if (!LINE.test(spec)) return () => false;
  const { fits } = compilePattern(joinedEvenly(spec));
  return (command) => fits(joinedEvenly(command));
}

const LINE = /[|;&<>]/;

function joinedEvenly(line: string): string {
  return line
    .replace(/\s+/g, " ")
    .replace(/ ?(\|\|?|&&|;|&|>>?|<) ?/g, " $1 ")
    .trim();
}

/** SECURITY: an alias that the line makes for itself is the command it stands for; one that cannot be told may be any. */
function aliasFits(reading: ShellReading, { mayFit: fits }: CommandPattern): boolean {
  return knownAliases(reading).some((started) => {
    if (started.kind !== "words") return fits(`git ${UNKNOWN}`);
    return findLooseTexts(started).some(fits);
  });
}

const knownAliases = remembered(aliasedInLine, new WeakMap());

/** `Bash(spec)` of allow rules: whether one command of a line is surely such a command. Wrappers and redirections are the caller's part. */
export function compileCommandCover(spec: string): (command: ShellCommand) => boolean {
  const pattern = compilePattern(spec);
  // SECURITY: what is known only at run time stays a character that only `*` covers, and `/tmp/npm` is not `npm`.
  return (command) => strictTexts(command, pattern).some((text) => pattern.fits(text));
}

/** The ways to write the command down: as given, by the name alone (`/bin/rm` is `rm`), without global options. Every rule asks for them. */
export const looseTexts: (command: ShellCommand) => readonly string[] = remembered((command) => findLooseTexts(command), new WeakMap());

function findLooseTexts({ words }: Pick<ShellCommand, "words">): readonly string[] {
  // `git -C . push` is `git push`.
  const shortened = plainWords(words);
  return [words, ...(shortened.length < words.length ? [shortened] : []), ...underOtherNames(words)].flatMap((some) => {
    const text = some.map((word, index) => separator(word.text, index) + word.text).join("");
    const name = some[0]?.text ?? "";
    const own = name.includes("/") ? [text, text.slice(name.lastIndexOf("/") + 1)] : [text];
    return [...own, ...own.flatMap(gitTexts)];
  });
}

/** `git-push` is `git push`, and so are the commands of git that push or start it by other names. */
function gitTexts(text: string): readonly string[] {
  const plain = text.replace(/^git-(?=[a-z])/, "git ");
  const pushed = plain.replace(
    /^git (?:subtree push|lfs push|send-pack|http-push|for-each-repo\b(?:(?! push\b)[^\n])* push)(?=\s|$)/,
    "git push",
  );
  return [...new Set([plain, pushed])].filter((one) => one !== text);
}

function mayFit(command: ShellCommand, { mayFit: fits, isQuoted }: CommandPattern): boolean {
  return looseTexts(command).some(fits) || (isQuoted && fits(sourceOf(command.words)));
}

function strictTexts(command: ShellCommand, { isQuoted }: CommandPattern): readonly string[] {
  const texts = plainTexts(command);
  return isQuoted && texts.length > 0 ? [...texts, sourceOf(command.words)] : texts;
}

const plainTexts = remembered(({ words, assignments }: ShellCommand): readonly string[] => {
  // SECURITY: `"npm test/../evil"` is one name, not `npm` with an argument.
  if (/\s/.test(words[0]?.text ?? "")) return [];
  const before = assignments.map(({ name, value }) => `${name}=${value.text} `).join("");
  const text = words.map((word) => word.text).join(" ");
  // SECURITY: `PATH=/tmp npm test` and `LD_PRELOAD=x npm test` are not `npm test`.
  return assignments.every(({ name }) => HARMLESS.test(name)) ? [text, before + text] : [before + text];
}, new WeakMap());

function sourceOf(words: readonly ShellWord[]): string {
  return words.map(({ source }) => source).join(" ");
}

/** An argument that is wholly unknown may be no argument at all, so the blank before it is unknown too. */
function separator(text: string, index: number): string {
  return index === 0 || text === UNKNOWN ? "" : " ";
}

const MAX_WORDS = 64;

/** Gives the rest of a command after the words that the rule starts with, in every reading that reaches them; `any`: there are too many to tell. */
type PassOptions = (words: readonly ShellWord[]) => readonly (readonly ShellWord[])[] | "any";

/** The words that every command of the rule starts with. A rule that says no more than a name has nothing to pass over. */
function leadingWords(spec: string): readonly string[] {
  const words = spec.trim().split(/\s+/);
  const open = words.findIndex((word) => /[*"'\\]/.test(word));
  return open === -1 ? words : words.slice(0, open);
}

/**
 * Takes the words of a command and the words that a deny or ask rule starts with. Gives the command as the rule would write it: without the
 * options that stand before each of these words. The options of all programs cannot be listed, nor which of them take a value, so each is
 * passed over with and without the word that follows it.
 */
function compilePassing(leading: readonly string[]): PassOptions {
  const [program = "", ...literals] = leading;
  if (program === "") return () => [];
  return (words) => {
    const name = words[0]?.text ?? "";
    if (name !== program && name.slice(name.lastIndexOf("/") + 1) !== program) return [];
    const known = words.slice(0, MAX_WORDS);
    let ends: ReadonlySet<number> = new Set([1]);
    for (const [index, literal] of literals.entries()) {
      const starts = passed(known, ends, index === 0 ? program : undefined);
      // SECURITY: what stands behind more options than are looked at may be the word.
      if (words.length > MAX_WORDS && starts.has(MAX_WORDS)) return "any";
      ends = endsAfter(literal, program, known, starts);
    }
    return [...passed(known, ends)].map((end) => words.slice(end));
  };
}

function endsAfter(literal: string, program: string, words: readonly ShellWord[], starts: ReadonlySet<number>): ReadonlySet<number> {
  const pieces = wildcardPieces(literal);
  const found = new Set<number>();
  for (const at of starts) {
    const text = words[at]?.text;
    if (text !== undefined && (mayCoverText(pieces, text, UNKNOWN) || isSameName(program, literal, text))) found.add(at + 1);
  }
  return found;
}

/** Where the next word of the rule may stand: after any number of options, each with or without a value. `program`: whose options may be known. */
function passed(words: readonly ShellWord[], starts: ReadonlySet<number>, program?: string): ReadonlySet<number> {
  const reached = new Set(starts);
  // A set that grows is gone through to its end; every place is in it once.
  for (const at of reached) {
    const option = words[at]?.text ?? "";
    if (!/^[-+]./s.test(option)) continue;
    for (const next of program !== undefined && takesNextWord(program, option) ? [at + 2] : [at + 1, at + 2])
      if (next <= words.length) reached.add(next);
  }
  return reached;
}

const NPM_NAMES = [
  "install i in ins inst insta instal isnt isnta isntal isntall add",
  "uninstall un unlink remove rm r",
  "run run-script rum urn",
  "exec x",
  "test t tst",
  "ci clean-install ic install-clean isntall-clean",
  "update up upgrade udpate",
].map((names): ReadonlySet<string> => new Set(names.split(" ")));

/** `npm i` is `npm install`. */
function isSameName(program: string, one: string, other: string): boolean {
  return /^(?:npm|pnpm|bun|cnpm)$/.test(program) && NPM_NAMES.some((names) => names.has(one) && names.has(other));
}

/** The same command under the other names of its program: `pip3` and `python3 -m pip` for `pip`. */
function underOtherNames(words: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  const module = moduleWords(words);
  const own = module && module.length > 0 ? module : words;
  const [first, ...rest] = own;
  const name = /^(?:.*\/)?(pip)[\d.]*$/.exec(first?.text ?? "")?.[1];
  const renamed = first && name !== undefined ? [name, `${name}3`].map((text) => [{ ...first, text }, ...rest]) : [];
  return [...(own === words ? [] : [own]), ...renamed];
}
