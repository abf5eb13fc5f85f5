/**
 * Takes every value that the walk has seen assigned, and every place where a shell evaluates a value a second time: arithmetic,
 * subscripts, names that a builtin is given, prompts. Tells which of those places may run commands that stand in no syntax tree.
 * Refuses to guess: a value that is known only when it runs counts as code, unless what prints it can print no code.
 */

import { isTransparent, printedBy } from "../programs/printed.ts";
import { type ShellCommand, type ShellStdin, type ShellWord, type Span, UNKNOWN, type WordPart } from "../types.ts";

/** How a place evaluates its value. `code`: as arithmetic. `name`: as a variable with its subscript. `prompt`: expands it once more. */
export type Evaluation = "code" | "name" | "prompt";

/** A value, as far as reading knows where it comes from. */
type Source =
  | { readonly kind: "word"; readonly word: Pick<ShellWord, "parts"> }
  /** Shell text as written, quoting and all. */
  | { readonly kind: "code"; readonly code: string }
  | { readonly kind: "variable"; readonly name: string }
  /** What a command reads. */
  | {
      readonly kind: "input";
      readonly stdin: ShellStdin | { readonly kind: "file"; readonly target?: ShellWord | undefined } | undefined;
      /** Characters at which the command ends a value, and how many it takes at most. */
      readonly ends?: string | undefined;
      readonly length?: number | undefined;
    };

/** `[[ left =~ pattern ]]`: what fits is kept in `BASH_REMATCH`. */
export interface Match {
  readonly left: ShellWord;
  readonly pattern: ShellWord;
}

export interface Sink {
  readonly source: Source;
  readonly how: Evaluation;
  readonly span: Span;
  /** Only text that stands in the line itself counts: what is not known is far too common here. */
  readonly isWeak?: boolean | undefined;
}

/** The parameters of scripts and functions, whichever. */
export const POSITIONALS = "@";
/** The name of a variable that is known only when it runs. */
export const ANY_NAME = "*";

/** Variables that hold numbers: bash evaluates what they are given. */
const INTEGERS = ["RANDOM", "OPTIND", "HISTCMD", "SECONDS", "LINENO", "EPOCHSECONDS", "SRANDOM", "BASHPID", "MAILCHECK"];
const PROMPTS = ["PS0", "PS1", "PS2", "PS3", "PS4", "BASH_ENV"];
/** Variables that the shell fills with text of the line, or of its surroundings. */
const FILLED = /^(?:_|0|BASH_(?:EXECUTION_STRING|COMMAND|ARGV\d?|SOURCE)|PS\d|FUNCNAME|DIRSTACK|OLDPWD|PWD|COMP_\w+|READLINE_\w+)$/;

/** Arithmetic, which is a place of its own; a path; numbers and words in braces. */
const NO_CODE = /^(?:\$\(\(|\$\[|[<>]\(|\{-?\d+\.\.-?\d+(?:\.\.-?\d+)?\}$|\{\w*(?:,\w*)+\}$)/;

/** Nothing in it can be more than a number. */
const CONSTANT = /^[\s\d+*/%()<>=!&|^~?:,.-]*$/;

/** More than real scripts have; each costs a search through all others. */
const MAX_SINKS = 512;
const MAX_CODE = 2048;

type Range = readonly [start: number, end: number];

export class Evaluated {
  readonly #assigned = new Map<string, Source[]>();
  readonly #sinks = new Map<string, Sink>();
  /** The commands that a substitution runs, by its text. */
  readonly #outputs = new Map<string, Range[]>();
  /** Names that stand for another variable: `declare -n`. */
  readonly references: Set<string> = new Set();
  /** Variables that change the case of what they are given: `declare -l`. */
  readonly cased: Set<string> = new Set();
  readonly matches: Match[] = [];

  assign(name: string, source: Source): void {
    const before = this.#assigned.get(name);
    if (before) before.push(source);
    else this.#assigned.set(name, [source]);
  }

  /** What may land in any variable. */
  get assignedAnywhere(): readonly Source[] {
    return this.#assigned.get(ANY_NAME) ?? [];
  }

  /** Every variable that the line assigns to. */
  get assignedNames(): readonly string[] {
    return [...this.#assigned.keys()];
  }

  hasAssigned(name: string): boolean {
    return this.#assigned.has(name);
  }

  /** What the line assigns to a variable, by whatever means. */
  assignedTo(name: string): readonly Source[] {
    return this.#assigned.get(isPositional(name) ? POSITIONALS : name) ?? [];
  }

  evaluate(sink: Sink): void {
    if (sink.source.kind === "code" && CONSTANT.test(sink.source.code)) return;
    if (sink.source.kind === "word" && sink.source.word.parts.every((part) => isPlainPart(part, sink.how))) return;
    const key = `${sink.how} ${sink.isWeak} ${JSON.stringify(sink.source.kind === "word" ? sink.source.word.parts : sink.source)}`;
    if (this.#sinks.size <= MAX_SINKS && !this.#sinks.has(key)) this.#sinks.set(key, sink);
  }

  addOutput(text: string, range: Range): void {
    const before = this.#outputs.get(text);
    if (before) before.push(range);
    else this.#outputs.set(text, [range]);
  }

  /** The commands that a substitution of this text runs. */
  outputsOf(text: string): readonly Range[] {
    return this.#outputs.get(text) ?? [];
  }

  /** Something is evaluated, so quoted text that looks like code may be code. */
  get isActive(): boolean {
    return this.#sinks.size > 0 || this.#special().length > 0;
  }

  /** The places that may run what nothing has shown, given all commands of the line. */
  hidden(commands: readonly ShellCommand[], functions: ReadonlySet<string>): readonly Sink[] {
    const all = [...this.#sinks.values(), ...this.#special()];
    if (all.length > MAX_SINKS) return all;
    const isRenamed = commands.some(({ words }) => /^(?:alias|enable|hash)$/.test(words[0]?.text ?? ""));
    const outputs = [...this.#outputs].sort(([a], [b]) => b.length - a.length);
    return all.filter((sink) => new Search({ assigned: this.#assigned, outputs, commands, functions, isRenamed, sink }).isHit());
  }

  /** Variables to which the shell gives a meaning, if the line sets them. */
  #special(): readonly Sink[] {
    const span = { start: 0, end: 0 };
    const of = (names: readonly string[], how: Evaluation, isWeak = false): readonly Sink[] =>
      names.filter((name) => this.#assigned.has(name)).map((name) => ({ source: { kind: "variable", name }, how, span, isWeak }));
    return [...of(INTEGERS, "code"), ...of(PROMPTS, "prompt"), ...of(["ENV"], "prompt", true)];
  }
}

function isPositional(name: string): boolean {
  return /^\d+$|^[@*]$/.test(name);
}

function isPlainPart(part: WordPart, how: Evaluation): boolean {
  if (part.kind === "home") return true;
  if (part.kind !== "text" || part.text.includes(UNKNOWN)) return false;
  return how === "code" ? CONSTANT.test(part.text) : !/[[$`\\]/.test(part.text);
}

interface Line {
  readonly assigned: ReadonlyMap<string, readonly Source[]>;
  readonly outputs: readonly (readonly [string, readonly Range[]])[];
  readonly commands: readonly ShellCommand[];
  readonly functions: ReadonlySet<string>;
  /** A name may run another program than the one it names. */
  readonly isRenamed: boolean;
  readonly sink: Sink;
}

/** Looks through everything that can end up in one place. */
class Search {
  readonly #line: Line;
  readonly #seen = new Set<string>();
  #isHit = false;

  constructor(line: Line) {
    this.#line = line;
  }

  isHit(): boolean {
    const { source, how } = this.#line.sink;
    this.#visit(source, how, true);
    return this.#isHit;
  }

  /** SECURITY: whatever is not known is a hit. */
  #unknown(): void {
    if (!this.#line.sink.isWeak) this.#isHit = true;
  }

  #visit(source: Source, how: Evaluation, isDirect = false): void {
    if (this.#isHit) return;
    if (source.kind === "variable") this.#visitName(source.name, how);
    else if (source.kind === "code") this.#visitCode(source.code, how);
    else if (source.kind === "input") this.#visitInput(source.stdin, how);
    else for (const part of source.word.parts) this.#visitPart(part, how, isDirect);
  }

  #visitPart(part: WordPart, how: Evaluation, isDirect: boolean): void {
    if (part.kind === "text") this.#visitText(part.text, how);
    else if (part.kind === "glob") {
      // `let a[i]=2*i`: names of files are no concern there.
      if (/[*?]/.test(part.text) && !isDirect) this.#unknown();
      this.#visitCode(part.text, how);
    } else if (part.kind === "variable") {
      if (part.source === `$${part.name}` || part.source === `\${${part.name}}`) this.#visitName(part.name, how);
      else this.#visitCode(part.source, how);
    } else if (part.kind === "computed" && !NO_CODE.test(part.source)) {
      if (/^[$`]/.test(part.source)) this.#visitCode(part.source, how);
      else this.#unknown();
    }
  }

  /** Text that stands in the line, without its quoting. */
  #visitText(text: string, how: Evaluation): void {
    if (text.includes(UNKNOWN)) this.#unknown();
    const plain = text.replace(/\\[nt]/g, " ");
    if (how === "prompt") {
      // A plain variable in a prompt is expanded, and that is all.
      const rest = plain.replace(/\$(?:\w+|\{\w+\}|\{\w+\[\d+\]\})/g, "");
      // `\044` and, by way of printf, `\x24` are a dollar.
      if (/`|\$(?:[({[]|$)|\\(?:[\dxc]|[uU][\da-f])/i.test(rest)) this.#isHit = true;
      return;
    }
    if (/[$`\\]/.test(plain) && (!this.#line.sink.isWeak || text.includes("["))) this.#isHit = true;
    if (how === "code" || text.includes("[")) this.#visitNames(text, "code");
  }

  /** Shell text as written: what the parser found in it is followed, what it did not find is a hit. */
  #visitCode(code: string, how: Evaluation): void {
    if (code.length > MAX_CODE) {
      this.#isHit = true;
      return;
    }
    let rest = code;
    for (const [text, ranges] of this.#line.outputs) {
      if (!rest.includes(text)) continue;
      rest = rest.replaceAll(text, " ");
      for (const range of ranges) this.#visitOutput(range, how);
    }
    // Lengths are numbers; arithmetic inside arithmetic is a place of its own.
    rest = rest.replace(/\$\{#\w+(?:\[[@*]\])?\}/g, "0").replace(/\$(?=\(\(|\[)/g, "");
    const isQuoted = /['\\]/.test(rest) && /[$`\\]/.test(rest);
    if ((isQuoted || /`|\$\(|\$(?![\w{@*#?!$-])/.test(rest)) && !this.#line.sink.isWeak) this.#isHit = true;
    if (/\$\{?!?[\d@*#]/.test(rest)) this.#visitName(POSITIONALS, how);
    this.#visitNames(rest, rest.includes("[") && how !== "prompt" ? "code" : how);
  }

  #visitNames(text: string, how: Evaluation): void {
    for (const [name] of text.matchAll(/(?<![\w#])[A-Za-z_]\w*/g)) this.#visitName(name, how);
  }

  #visitName(name: string, how: Evaluation): void {
    const bare = isPositional(name) ? POSITIONALS : name;
    const key = `${how} ${bare}`;
    if (this.#isHit || this.#seen.has(key) || /^[#?$!-]/.test(bare)) return;
    this.#seen.add(key);
    if (FILLED.test(bare) && how !== "prompt") this.#unknown();
    for (const source of this.#line.assigned.get(bare) ?? []) this.#visit(source, how);
    for (const source of this.#line.assigned.get(ANY_NAME) ?? []) this.#visit(source, how);
  }

  #visitInput(stdin: Extract<Source, { kind: "input" }>["stdin"], how: Evaluation): void {
    if (stdin?.kind === "text") this.#visitText(stdin.text, how);
    else if (stdin?.kind === "pipe" && stdin.from.length > 0) this.#visitPrinters(stdin.from, how);
    else this.#unknown();
  }

  #visitOutput([start, end]: Range, how: Evaluation): void {
    this.#visitPrinters(
      Array.from({ length: end - start }, (_, index) => start + index),
      how,
    );
  }

  /** What these commands print together: what goes into another of them is not printed. */
  #visitPrinters(indexes: readonly number[], how: Evaluation): void {
    const { commands, functions, isRenamed } = this.#line;
    const group = indexes.flatMap((index) => commands[index] ?? []);
    const starters = group.flatMap(({ startedBy }) => (startedBy !== undefined && isTransparent(commands[startedBy]) ? [startedBy] : []));
    const inner = new Set([...starters, ...group.flatMap(({ stdin }) => (stdin?.kind === "pipe" ? stdin.from : []))]);
    for (const index of indexes) {
      const command = commands[index];
      const key = `output ${index} ${how}`;
      if (!command || inner.has(index) || this.#seen.has(key)) continue;
      this.#seen.add(key);
      const printed = isRenamed || functions.has(command.words[0]?.text ?? "") ? undefined : printedBy(command);
      if (!printed) this.#unknown();
      for (const word of printed?.words ?? []) this.#visit({ kind: "word", word }, how);
      if (printed?.isFilter) this.#visitInput(command.stdin, how);
    }
  }
}
