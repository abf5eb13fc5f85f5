/**
 * Takes the name of a program. Gives what its row in the table says. A row begins with the options that take a value, as `formsIn` reads them
 * (`like tar`: those of another program); what is missing there is read as an operand. Behind bars follow:
 *
 * - `starts …`: it starts the program in its words. All of its own options, then how these words are found (`Wrapper`).
 * - `before …`: the options between its name and its sub-command; none: those of `starts`.
 * - `code -e`: options whose value is code of its own language; `understood`: one of which it can be told what its calls do to files.
 * - `hands -I`: options whose value it gives to a shell, or starts (`Handing`).
 * - `reads`, `writes`, `deletes`, `renames`, `makes` (folders), `permissions`: what it does to the files that its operands name, or the values of
 *   `options=o`. Which: `from=1 to=2`, as JavaScript slices; `here`: the folder it runs in, if none is named. When: `if=f`, `unless=n` these options
 *   are given (`but=W`: all the same with these), `verb=add`, `not-verb=list`: the first operand. How: `whole`: folders with all that is in them,
 *   else with `-r`, `flat`: never; `prefix`: they are how names begin; `untracked`, `spares-tracked`: not what git keeps; `writes=o`: options
 *   whose value it writes; `names-on-input`: its input may name files that it reads, and with `only`, where no other word of it can be a file
 *   that it writes; `searches`: the first operand is a pattern, unless an option gives one. `shows-names`: it only shows its words.
 * - `reads-options`: of git, options whose value it reads. `tree if=hard`: when git may change any file of the work tree.
 * - `lists …`: it prints names of files, as the reader in `paths/listing.ts` says. `looks-into`: options that say which files it searches.
 * - `asks-nothing -l`: options with which it only changes what is shown, so that no mode asks about it; `anything`: whatever its words are;
 *   `alone`: only without operands, but for one with a `+` if it is `plus`; `option`: only with one of them. SECURITY: an option that may write a
 *   file, run a program, or read what no word names is not among them, as `diff -l` (runs pr), `diff -r`, `ls -L`, `ls -H` and `grep -R` (follow
 *   links out of a folder), `wc --files0-from` (reads names from a file); nor is `test`, of which `test -v 'a[$(…)]'` runs a command.
 * - `files …`: what it does to files takes more to tell, and stands under this name in `paths/`; what the parts behind it say comes on top.
 * - `is …`: what else it is (`Trait`).
 */

import { formsIn, type OptionForms, readOptions } from "../arguments.ts";
import type { ShellWord } from "../types.ts";
import { remembered } from "../words.ts";
import { programName, type Wrapper } from "./started.ts";
import { PROGRAMS } from "./table.ts";

export type Trait =
  /** `-c` makes the first operand a script; without operands the script comes from the input. */
  | "shell"
  /** It prints, stores or searches its text, and starts nothing. */
  | "data"
  /** It only names a folder, makes it, takes it away, or changes what is written about it. */
  | "names-folders"
  /** Its words are names of tasks and packages, unless they have a slash in them. */
  | "tasks"
  /** Options that mostly say where output goes say where it works, or something else. */
  | "works-there"
  /** Its words are text, names or tests. */
  | "leaves-alone"
  /** Its words are text, names or code of its own, never a command. */
  | "takes-text"
  /** Dangerous, or able to start what is: looked for in the words of programs that are not known. */
  | "often-started"
  /** Others may take its name to be taken for it. */
  | "well-known"
  /** It uses keys as intended, only names paths, or only looks whether they exist. */
  | "uses-keys"
  /** What it is given it changes rather than shows. */
  | "changes-files"
  | "network"
  | "uploads"
  | "downloads"
  /** It makes text of what was encoded. */
  | "decodes"
  /** It starts what stands in its words. */
  | "runs-words"
  /** It prints nothing itself, only what it starts does. */
  | "transparent"
  /** A message to people can be among its options. */
  | "takes-messages"
  /** Of git's sub-commands. Its operands are revisions and paths, whose files it reads. */
  | "reads-pathspecs"
  /** It shows or hands out what is in the files that it is given. */
  | "shows-files"
  /** It prints names of files that git keeps. */
  | "lists-files"
  /** What it reads are names, or nothing, and it prints names. */
  | "prints-names"
  /** SECURITY: its purpose is to run what it is given, so a permission rule that covers it covers that too. Apart from `starts`: it allows. */
  | "covers-started";

/** Options whose value, attached or in the next word, is shell text. */
export interface Handing {
  readonly letters: string;
  /** Letters that may stand before them in one word. */
  readonly flags: string;
  /** Long options, without dashes; abbreviations count. */
  readonly long: readonly string[];
  /** Options that the start of such a name is, too. */
  readonly not: readonly string[];
  /** The same with one dash. */
  readonly single: readonly string[];
  /** Commas separate the words of the value. */
  readonly hasCommas: boolean;
  /** Its operands are shell text if they have blanks. */
  readonly operands: boolean;
}

/** The words of one part of a row. */
export interface Part {
  readonly name: string;
  /** With their dashes. */
  readonly options: readonly string[];
  /** Words without a dash. */
  readonly flags: ReadonlySet<string>;
  /** `name=a,b`. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

interface Program {
  readonly options: string;
  readonly parts: readonly Part[];
}

const texts = new Map(Object.entries(PROGRAMS).flatMap(([names, row]) => names.split(",").map((name) => [name, row] as const)));

/** What is known of a program, or of a sub-command: `git push`. */
const programRow: (name: string) => Program | undefined = remembered((name) => {
  const text = texts.get(name);
  const [options = "", ...parts] = text?.split(/(?:^| )\| /) ?? [];
  const like = /^like (.+)$/.exec(options)?.[1];
  return text === undefined ? undefined : { options: like ? (programRow(like)?.options ?? "") : options, parts: parts.map(readPart) };
});

function readPart(text: string): Part {
  const [name = "", ...words] = text.split(" ");
  const plain = words.filter((word) => !word.startsWith("-"));
  return {
    name,
    options: words.filter((word) => word.startsWith("-")),
    flags: new Set(plain.filter((word) => !word.includes("="))),
    values: new Map(
      plain.flatMap((word) => (word.includes("=") ? [[word.split("=", 1)[0] ?? "", word.replace(/^[^=]*=/, "").split(",")]] : [])),
    ),
  };
}

/** The parts of a program's row that have one of these names. */
export function partsOf(program: string, ...names: readonly string[]): readonly Part[] {
  return programRow(program)?.parts.filter(({ name }) => names.includes(name)) ?? [];
}

/** What is known of a program's options, or of a sub-command's: `git push`. */
export function optionForms(program: string): OptionForms {
  return formsIn(programRow(program)?.options ?? "");
}

/** Whether a program is known to be of this kind. */
export function isKnownTo(program: string, trait: Trait): boolean {
  return partsOf(program, "is").some(({ flags }) => flags.has(trait));
}

/** Every program with a part of this name, or of this kind. */
export function programsWith(part: string, trait?: Trait): readonly string[] {
  const found = trait === undefined ? new RegExp(`\\| ${part}\\b`) : new RegExp(`\\| ${part} (?:\\S+ )*${trait}(?: |$)`);
  return [...texts].flatMap(([name, text]) => (found.test(text) ? [name] : []));
}

/** Options, and words, whose value is code of the program's own language; `isUnderstood`: only if what calls of it do to files can be told. */
export function codeOptions(program: string, isUnderstood = false): readonly string[] | undefined {
  const [part] = partsOf(program, "code");
  if (!part || (isUnderstood && !part.flags.has(UNDERSTOOD))) return undefined;
  return [...part.options, ...[...part.flags].filter((flag) => flag !== UNDERSTOOD)];
}

const UNDERSTOOD = "understood";

/** With which options a program needs no question. */
export interface QuietOptions {
  readonly flags: string;
  readonly valued: string;
  /** Long names, in full: an abbreviation may be short for another one. */
  readonly long: ReadonlySet<string>;
  readonly isAnything: boolean;
  readonly isAlone: boolean;
  readonly hasPlus: boolean;
  readonly needsOption: boolean;
}

/** The options with which a program needs no question; nothing if it always does. */
export const quietOptions: (program: string) => QuietOptions | undefined = remembered((program) => {
  const [part] = partsOf(program, "asks-nothing");
  if (!part) return undefined;
  const { flags = "", valued = "", longFlags = [] } = formsIn(part.options.join(" "));
  const says = (word: string): boolean => part.flags.has(word);
  return {
    flags,
    valued,
    long: new Set(["help", "version", ...longFlags]),
    isAnything: says("anything"),
    isAlone: says("alone"),
    hasPlus: says("plus"),
    needsOption: says("option"),
  };
});

/** The loader of shared libraries starts any program: `ld-linux-x86-64.so.2`, `ld-musl-x86_64.so.1`, `ld-2.31.so`. */
const LOADER = /^ld(?:[\d.]|-[\w.-]+)*\.so(?:\.\d+)*$/;
/** GNU programs where others have the plain names. */
const GNU = /^g(?=(?:env|nice|nohup|stdbuf|xargs|chroot|time|runcon)$)/;

/** What is known of a program that starts others. */
export function wrapperOf(given: string): Wrapper | undefined {
  return wrapperNamed(LOADER.test(given) ? "ld.so" : given.replace(GNU, ""));
}

const wrapperNamed = remembered((name: string) => {
  const [part] = partsOf(name, "starts");
  return part && readWrapper(name, part);
});

function readWrapper(name: string, { options, flags, values }: Part): Wrapper {
  const unless = values.get("script-unless")?.[0];
  return {
    name,
    options: options.join(" "),
    isLenient: flags.has("lenient"),
    hasFirstOperand: flags.has("first-operand"),
    permutes: flags.has("permutes"),
    assignments: flags.has("assignments"),
    addsWords: flags.has("adds-words"),
    isElsewhere: flags.has("elsewhere"),
    writesOperand: flags.has("writes-operand"),
    isShell: flags.has("shell"),
    hasSubcommands: flags.has("subcommands"),
    operands: Number(values.get("operands")?.[0] ?? 0),
    startsNothing: values.get("nothing")?.[0] ?? "",
    isScript: flags.has("script") || unless !== undefined ? { unless: unless ?? "" } : undefined,
    after: values.get("after"),
    split: values.get("split"),
    scripts: values.get("scripts"),
    folder: values.get("folder"),
    plain: flags.has("plain") ? [] : values.get("plain"),
    writes: values.get("writes"),
    reads: values.get("reads"),
  };
}

const ANY_FLAGS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** How a program is given text for a shell by its options. */
export const handingsOf: (program: string) => readonly Handing[] = remembered((program) =>
  partsOf(program, "hands").map(({ options, flags, values }) => ({
    letters: options.flatMap((option) => (option.startsWith("--") ? [] : [option.slice(1)])).join(""),
    long: options.flatMap((option) => (option.startsWith("--") ? [option.slice(2)] : [])),
    flags: values.get("flags")?.[0] === "any" ? ANY_FLAGS : (values.get("flags")?.[0] ?? ""),
    not: values.get("not") ?? [],
    single: values.get("single") ?? [],
    hasCommas: flags.has("commas"),
    operands: flags.has("operands"),
  })),
);

/** The options that stand between a program's name and its sub-command. */
export function optionsBefore(program: string): string | undefined {
  const [part] = partsOf(program, "before");
  return part && (part.options.length > 0 ? [...part.flags, ...part.options].join(" ") : (wrapperOf(program)?.options ?? ""));
}

/** A command's words without the options before its sub-command: `git -C dir push` is `git push`. The name comes without its folder. */
export function plainWords(words: readonly ShellWord[]): readonly ShellWord[] {
  const [first] = words;
  if (!first) return words;
  const name = programName(words);
  const named = name === first.text ? first : { ...first, text: name };
  const options = optionsBefore(name);
  if (options === undefined) return [named, ...words.slice(1)];
  const start = name === "cargo" && words[1]?.text.startsWith("+") ? 2 : 1;
  return [named, ...readOptions([first, ...words.slice(start)], { options }).rest];
}

/** Whether an option before a program's sub-command surely takes the next word as its value. */
export function takesNextWord(program: string, option: string): boolean {
  const { valued = "", longValued = [] } = formsIn(optionsBefore(program) ?? "");
  return option.startsWith("--") ? longValued.includes(option.slice(2)) : option.length === 2 && valued.includes(option.charAt(1));
}
