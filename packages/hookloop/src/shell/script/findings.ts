import type { SyntaxNode } from "unbash";
import {
  type DoubtCode,
  type ShellCommand,
  type ShellDoubt,
  type ShellRedirect,
  type ShellStdin,
  type ShellWord,
  type Span,
  UNKNOWN,
} from "../types.ts";
import type { WordScope } from "../words.ts";
import { Evaluated } from "./evaluated.ts";
import type { Folders, ShellState } from "./shell-state.ts";

/** Twice what 8 KiB of one-letter commands hold. */
const MAX_COMMANDS = 8192;

/** Twice the longest text: a nested script is part of it, and wrappers around wrappers would read it again and again. */
const MAX_PARSED = 16_384;

/** Loops over known words are read once for each word, up to this many times in all. */
const MAX_TURNS = 64;

/** What may still be read of code in other languages: text inside text multiplies. */
interface Foreign {
  left: number;
  readonly seen: Set<string>;
}

/** What reading such a text costs before its first character. */
const FOREIGN_COST = 500;
const MAX_FOREIGN = 60_000;

/** Commands that are judged once more for another folder: every guard looks at each of them. */
const MAX_REPEATED = 1024;

/** What has been found so far; the walk adds to it. */
export class Findings {
  readonly commands: ShellCommand[];
  readonly doubts: ShellDoubt[] = [];
  /** What could not be told of code of other languages. */
  readonly foreignDoubts: ShellDoubt[];
  readonly data: Span[] = [];
  hasSubstitution = false;
  readonly isZsh: boolean;
  /** Where words stand, if comments between them are looked for. */
  readonly words: Span[] | undefined;
  /** Names that the text makes functions: they may do anything. */
  readonly functions: Set<string> = new Set();
  /** What is assigned, and what the shell evaluates once more. */
  readonly evaluated: Evaluated = new Evaluated();
  /** Variables that the line sets in its own shell; `UNKNOWN` among them: it may be any. */
  readonly sets: Set<string> = new Set();
  /** Quoted text that holds commands, should something evaluate it; scripts in variables. */
  readonly texts: { readonly text: string; readonly place: Place; readonly isScript?: true }[] = [];
  /** Words that `[[ … ]]` takes for files. */
  readonly tests: { readonly word: ShellWord; readonly operator: string; readonly folder: string | undefined }[] = [];
  /** Words that loops go through and arrays are made of. */
  readonly lists: ShellWord[] = [];
  /** Files that shells run before anything else. */
  readonly startFiles: ShellWord[] = [];
  #parsed = 0;
  #turns = MAX_TURNS;
  readonly #seen = new Set<string>();

  readonly #foreign: Foreign;
  /** The other folders in which commands may run, by index. */
  readonly elsewhere: Map<number, readonly string[]>;

  constructor(options: { readonly isZsh: boolean; readonly keepWords: boolean; readonly outer?: Findings }) {
    const { outer } = options;
    this.isZsh = options.isZsh;
    this.words = options.keepWords ? [] : undefined;
    this.commands = outer?.commands ?? [];
    this.elsewhere = outer?.elsewhere ?? new Map();
    this.foreignDoubts = outer?.foreignDoubts ?? [];
    this.#foreign = outer ? outer.#foreign : { left: MAX_FOREIGN, seen: new Set() };
  }

  /** For code of another language: the commands are added to the same list, all else is its own. Nothing if it was read before. */
  apart({ text, span }: { readonly text: string; readonly span: Span }): Findings | undefined {
    const key = `${span.start} ${span.end} ${text}`;
    if (this.#foreign.seen.has(key)) return undefined;
    this.#foreign.seen.add(key);
    this.#foreign.left -= FOREIGN_COST + 4 * text.length;
    if (this.#foreign.left >= 0) return new Findings({ isZsh: false, keepWords: false, outer: this });
    if (this.#foreign.left > -Number.MAX_SAFE_INTEGER)
      this.foreignDoubts.push({ code: "too-long", text: "It holds more code inside code than is read.", span });
    this.#foreign.left = Number.NEGATIVE_INFINITY;
    return undefined;
  }

  /** Whether a loop may be read this many times. */
  mayTurn(count: number): boolean {
    this.#turns -= count;
    return this.#turns >= 0;
  }

  /** Whether this much more text may be parsed. */
  mayParse({ length }: string): boolean {
    this.#parsed += length;
    if (this.#parsed <= MAX_PARSED) return true;
    this.doubt("too-long", `Its nested scripts are longer than ${MAX_PARSED} characters in all.`);
    return false;
  }

  doubt(code: DoubtCode, text: string, span?: Span): void {
    const key = `${code} ${text}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.doubts.push({ code, text, ...(span && { span }) });
  }

  /** Adds a command and gives its index; nothing once there are too many. */
  add(command: ShellCommand, { others }: Pick<Folders, "others">): number | undefined {
    if (this.commands.length >= MAX_COMMANDS) {
      this.doubt("too-many", `It runs more than ${MAX_COMMANDS} commands.`);
      return undefined;
    }
    const index = this.commands.push(command) - 1;
    if (others.length > 0) this.elsewhere.set(index, others);
    return index;
  }

  /** Repeats commands for each other folder they may run in. Behind all of them: indexes stay what they are. */
  repeatElsewhere({ visited, isTooLong }: Folders["journey"]): void {
    let isTooMuch = isTooLong;
    let left = MAX_REPEATED;
    for (const [index, command] of [...this.commands.entries()]) {
      const isUnknown = command.folder?.includes(UNKNOWN) === true;
      const folders = new Set([...(this.elsewhere.get(index) ?? []), ...(isUnknown ? visited : [])]);
      left -= folders.size;
      if (left < 0) isTooMuch = true;
      else for (const folder of folders) this.commands.push(repeated(command, index, folder));
    }
    if (isTooMuch) this.doubt("too-many", "It may run its commands in more folders than are followed.");
  }
}

function repeated({ folder: _, ...command }: ShellCommand, index: number, folder: string): ShellCommand {
  return { ...command, ...(folder !== "." && { folder }), repeats: index };
}

/** Hands the parts of the walk to each other. */
export interface Reader {
  readonly found: Findings;
  /** Reads text that a shell runs. */
  readScript(text: string, place: Place): void;
  /** Reads what code of another language starts, unless it was read before or there is too much of it; its doubts are noted apart. */
  readApart(what: { readonly text: string; readonly span: Span }, read: (apart: Reader) => void): void;
  /** Reads a node and what is in it. */
  readNode(node: SyntaxNode, place: Place): void;
}

/** The programs that start what is being read. */
interface Wrapping {
  /** Outermost first. */
  readonly names: readonly string[];
  readonly startedBy?: number | undefined;
  readonly isPlain: boolean;
}

/** Where a node stands, and what it inherits. */
export interface Place {
  /** The text that positions of nodes point into. */
  readonly source: string;
  /** The range that stands for all of them, where that text is not the one that was given. */
  readonly fixed?: Span | undefined;
  readonly wrapping: Wrapping;
  readonly state: ShellState;
  readonly stdin?: ShellStdin | undefined;
  /** How many commands there were when `stdin` was set: later ones read only what those before them left. */
  readonly inputFrom: number;
  /** Redirections of the groups it stands in. */
  readonly redirects: readonly ShellRedirect[];
  /** Whatever it prints ends as text that nothing runs. */
  readonly printsData: boolean;
  /** In an assignment: what a substitution prints becomes no part of a command. */
  readonly isAssignment: boolean;
  /** The text has control characters or unusual blanks somewhere. */
  readonly mayBeOdd: boolean;
  /** A shell runs it that may not be bash: `sh`. */
  readonly isPosix: boolean;
}

export function spanIn(place: Place, { pos, end }: { readonly pos: number; readonly end: number }): Span {
  return place.fixed ?? { start: pos, end };
}

/** What is known to the words that stand here. */
export function scopeOf(place: Place): WordScope {
  const { state } = place;
  return {
    spanOf: (node) => spanIn(place, node),
    valueOf: (name) => state.valueOf(name),
    patternOf: (name) => state.patterns.get(name),
    mayExpand: (count) => state.mayExpand(count),
    isIfsPlain: state.isIfsPlain,
    isPosix: place.isPosix,
  };
}

/** What a command that is not redirected reads. */
export function inputAt({ state, stdin, inputFrom }: Place, commandCount: number): ShellStdin | undefined {
  if (state.hasOwnInput) return undefined;
  return stdin?.kind === "text" && commandCount !== inputFrom ? { kind: "pipe", from: [] } : stdin;
}
