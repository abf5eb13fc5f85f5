import { posix } from "node:path";
import { programName } from "../programs/started.ts";
import { type ShellWord, UNKNOWN, type WordPart } from "../types.ts";
import { wordSet } from "../words.ts";

const CHANGES_VARIABLES = wordSet(
  "read mapfile readarray getopts let unset printf wait set shift source . vared zparseopts zstyle shopt setopt unsetopt emulate",
);
const DECLARES = wordSet("export declare typeset local readonly");

/** What a command changes in the shell that runs it. */
export function applyEffects(words: readonly ShellWord[], state: ShellState, isPosix: boolean): void {
  const name = programName(words);
  const args = words.slice(1);
  const definition = state.functions.get(name);
  if (definition) {
    afterCall(definition, state);
    return;
  }
  if (name.includes(UNKNOWN)) {
    state.forget();
    state.folders.goAnywhere();
  } else if (name === "cd" || name === "chdir" || (name === "pushd" && !isPosix && args.length > 0)) goTo(args, state);
  else if (name === "popd" || name === "pushd") state.folders.goAnywhere();
  else if (name === "trap") state.giveUp();
  else if (name === "alias") for (const { text } of args) state.aliases.add(text.split("=")[0] ?? "");
  else if (DECLARES.has(name)) declareVariables(name, args, state);
  else if (CHANGES_VARIABLES.has(name)) {
    if (name !== "printf" || args[0]?.text.startsWith("-")) state.forgetNamed(args);
  }
}

/** A function may set any variable. */
function afterCall({ makesReferences, changesFolder }: Definition, state: ShellState): void {
  if (makesReferences) state.giveUp();
  else state.forget();
  if (changesFolder) state.folders.goAnywhere();
}

/** `cd -P -- folder`. */
function goTo(args: readonly ShellWord[], state: ShellState): void {
  const start = args.findIndex(({ text }) => !/^-[LPe@qs]+$/.test(text));
  const isPhysical = args.slice(0, start === -1 ? undefined : start).some(({ text }) => text.includes("P"));
  const rest = start === -1 ? [] : args.slice(args[start]?.text === "--" ? start + 1 : start);
  // `pushd +1` turns the stack, `pushd -n` stays, and to zsh two words are a part of the folder's name and what replaces it.
  if (rest.length > 1 || /^[-+]./.test(rest[0]?.text ?? "")) state.folders.goAnywhere();
  else state.changeFolder(rest[0], isPhysical);
}

const MAKES_REFERENCE = /^[-+]\w*n|^[-+]?\uFFFF/;

/** Whether text may hold a `declare -n`. */
export function mayMakeReference(text: string): boolean {
  return /\b(?:declare|typeset|local|eval)\b/.test(text) && /[-+]\w*n|\$/.test(text);
}

/** `export a=b` is an assignment; with options the variable may work in another way. */
function declareVariables(name: string, args: readonly ShellWord[], state: ShellState): void {
  const isPlain = args.every(({ text }) => /^\w+(?:=|$)/.test(text));
  if (!isPlain) {
    state.forgetNamed(args);
    // SECURITY: what is assigned to a reference changes another variable.
    if (args.some(({ text }) => MAKES_REFERENCE.test(text))) state.giveUp();
    return;
  }
  for (const { text } of args) {
    const [variable = "", value] = text.split(/=(.*)/s);
    if (value !== undefined) state.assign(variable, value);
    if (name === "readonly") state.freeze(variable);
  }
}

/** A folder as `ShellCommand.folder` has it. */
type Folder = string | undefined;

/** SECURITY: every `cd` may double them. */
const MAX_FOLDERS = 32;

/** Shared by all states of a reading. */
interface Journey {
  /** Every folder that some `cd` goes to. */
  readonly visited: Set<string>;
  isTooLong: boolean;
}

/**
 * Takes the `cd` commands of a script one after the other. Gives the folder in which the next command runs if each of them works, and all
 * others in which it may run, because one does not: `cd nowhere; rm x` removes the `x` of the folder that it did not leave.
 * Refuses to guess: more folders than are followed are said to be too many.
 */
export class Folders {
  /** Where the next command runs if every `cd` works. */
  main: Folder;
  #others: readonly string[];
  /** The others, should the last `cd` have worked. */
  #othersIfGone: readonly string[] | undefined;
  /** `cd -P`: `..` is no longer the folder that the name before it stands in. */
  #isPhysical: boolean;
  readonly journey: Journey;

  constructor(from?: Folders) {
    this.main = from?.main;
    this.#others = from?.others ?? [];
    this.#othersIfGone = from?.othersIfGone;
    this.#isPhysical = from?.isPhysical ?? false;
    this.journey = from?.journey ?? { visited: new Set(), isTooLong: false };
  }

  /** Where it may run instead; `.` is where the caller is. */
  get others(): readonly string[] {
    return this.#others;
  }

  get othersIfGone(): readonly string[] | undefined {
    return this.#othersIfGone;
  }

  get isPhysical(): boolean {
    return this.#isPhysical;
  }

  /** `cd word`, which may fail. */
  goTo(word: ShellWord | undefined, isPhysical = false): void {
    this.#isPhysical ||= isPhysical;
    this.#move((folder) => {
      const next = folderAfter(folder, word);
      return this.#isPhysical && /(?:^|\/)\.\.(?:\/|$)/.test(next) ? UNKNOWN : next;
    });
  }

  /** Goes somewhere that only the running shell knows, or stays. */
  goAnywhere(): void {
    this.#move(() => UNKNOWN);
  }

  /** What runs here does so in that folder or not at all: `env -C folder`. */
  enter(word: ShellWord): void {
    this.#others = this.#distinct(this.#others.map((folder) => folderAfter(folder, word)));
    this.main = folderAfter(this.main, word);
  }

  /** Another machine, or a folder for each file. */
  leave(): void {
    this.main = UNKNOWN;
    this.#others = [];
  }

  /** Something other than a `cd` runs. */
  settle(): void {
    this.#othersIfGone = undefined;
  }

  /** The last command was a `cd` that worked: `cd folder && …`. */
  succeed(): void {
    if (this.#othersIfGone) this.#others = this.#othersIfGone;
    this.settle();
  }

  /** Either this or the other has happened. */
  join(other: Folders): void {
    this.settle();
    this.#isPhysical ||= other.isPhysical;
    const before = this.main;
    if (before !== other.main) this.main = UNKNOWN;
    if (!this.journey.isTooLong) this.#others = this.#distinct([...this.#others, ...other.others, before, other.main]);
  }

  #move(step: (folder: Folder) => string): void {
    const before = this.main;
    this.main = step(before);
    // The line is doubted as a whole, and following on would cost much.
    if (this.journey.isTooLong) return;
    const gone = this.#others.map(step);
    for (const folder of [this.main, ...gone]) if (!folder.includes(UNKNOWN)) this.#visit(plainFolder(folder));
    this.#othersIfGone = this.#distinct(gone);
    this.#others = this.#distinct([before, ...this.#others, ...gone]);
  }

  #visit(folder: string): void {
    const { visited } = this.journey;
    if (visited.size < MAX_FOLDERS) visited.add(folder);
    else if (!visited.has(folder)) this.journey.isTooLong = true;
  }

  #distinct(folders: readonly Folder[]): readonly string[] {
    const found = new Set(folders.map(plainFolder));
    // Below a folder that is not known, that folder itself is another one: `cd "$x"; cd y` may stay in it.
    const main = plainFolder(this.main);
    if (main !== UNKNOWN || this.main === UNKNOWN) found.delete(main);
    if (found.size <= MAX_FOLDERS) return [...found];
    this.journey.isTooLong = true;
    return [...found].slice(0, MAX_FOLDERS);
  }
}

/** One spelling for each folder. */
function plainFolder(folder: Folder): string {
  if (folder === undefined) return ".";
  if (folder.includes(UNKNOWN)) return UNKNOWN;
  // The folder above a home is no part of its text.
  return folder.startsWith("~") ? folder : posix.normalize(folder).replace(/(?<=.)\/$/, "");
}

/** The folder after `cd word`. */
function folderAfter(folder: Folder, word: ShellWord | undefined): string {
  if (!word) return "~";
  const { text, parts } = word;
  if (text === "-") return UNKNOWN;
  if (parts[0]?.kind === "home") return text;
  if (text.startsWith("/")) return text;
  // A name that starts with an unknown part may be absolute.
  if (text.startsWith(UNKNOWN)) return text;
  const relative = text.startsWith("~") ? `./${text}` : text;
  return folder === undefined ? relative : `${folder.replace(/\/$/, "")}/${relative}`;
}

/** Whether text may hold a command that changes the folder; a cheap look, for places where order is not known. */
export function mayChangeFolder(text: string): boolean {
  return /\b(?:cd|chdir|pushd|popd|eval)\b|c["'\\\n]+d|\$'[^']*\\/.test(text);
}

/** Variables that the shell itself changes, and those that change how it works. */
const SPECIAL =
  /^(?:_|IFS|BASH.*|COMP_.*|DIRSTACK|E?UID|EPOCH.*|FUNCNAME|GROUPS|HISTCMD|LINENO|MAPFILE|OPT.*|PIPESTATUS|PPID|RANDOM|REPLY|SECONDS|SHELLOPTS|SRANDOM)$/;

/** What makes `cd name` go elsewhere than to the folder of that name: a list of folders to look in, or the option that takes it for a variable. */
const LEADS_ASTRAY = /^cdpath(?!\w)|cd_?able_?vars/i;

// SECURITY: `a=$a$a` doubles a value each time; braces make many words of few letters.
const MAX_VALUE = 1024;
const MAX_EXPANDED = 1024;

/** Of variables only those that rules know the value of. SECURITY: a blank in it may end a word. */
export function isOfPattern(part: WordPart): boolean {
  return "text" in part ? !/\s/.test(part.text) : part.kind === "variable" && /^\$\{?(?:HOME|PWD)\}?$/.test(part.source);
}

interface Definition {
  readonly changesFolder: boolean;
  readonly makesReferences: boolean;
}

/** What a running shell would know at one point of a script, as far as it is certain. */
export class ShellState {
  readonly folders: Folders;
  isIfsPlain = true;
  /** `cd name` goes to the folder of that name. */
  isCdPlain = true;
  /** `exec < file` has replaced what the shell was given to read. */
  hasOwnInput = false;
  readonly #variables: Map<string, string>;
  /** What variables stand for that hold the names a pattern finds. */
  readonly #patterns: Map<string, readonly WordPart[]>;
  /** Variables with attributes (`declare -i x`) do not hold what is assigned. */
  readonly #unusual: Set<string>;
  readonly aliases: Set<string>;
  readonly functions: Map<string, Definition>;
  #isPredictable: boolean;
  /** Shared by all states of a reading. */
  readonly expansions: { left: number };

  constructor(from?: ShellState) {
    this.folders = new Folders(from?.folders);
    this.isIfsPlain = from?.isIfsPlain ?? true;
    this.isCdPlain = from?.isCdPlain ?? true;
    this.hasOwnInput = from?.hasOwnInput ?? false;
    this.#variables = new Map(from?.variables);
    this.#patterns = new Map(from?.patterns);
    this.#unusual = new Set(from?.unusual);
    this.aliases = new Set(from?.aliases);
    this.functions = new Map(from?.functions);
    this.expansions = from?.expansions ?? { left: MAX_EXPANDED };
    this.#isPredictable = from?.isPredictable ?? true;
  }

  get variables(): ReadonlyMap<string, string> {
    return this.#variables;
  }

  get patterns(): ReadonlyMap<string, readonly WordPart[]> {
    return this.#patterns;
  }

  get unusual(): ReadonlySet<string> {
    return this.#unusual;
  }

  get isPredictable(): boolean {
    return this.#isPredictable;
  }

  valueOf(name: string): string | undefined {
    return this.#variables.get(name);
  }

  /** Whether braces may be written out as this many more words. */
  mayExpand(count: number): boolean {
    this.expansions.left -= count;
    return this.expansions.left >= 0;
  }

  assign(name: string, value: string | undefined): void {
    if (name === "IFS") this.isIfsPlain = false;
    this.noteOption(name);
    this.#patterns.delete(name);
    const isCertain =
      this.#isPredictable &&
      value !== undefined &&
      value.length <= MAX_VALUE &&
      !value.includes(UNKNOWN) &&
      !SPECIAL.test(name) &&
      !this.#unusual.has(name);
    if (isCertain) this.#variables.set(name, value);
    else this.#variables.delete(name);
  }

  /** The variable holds a name that these parts stand for: `*.txt`, `~/x`. */
  assignPattern(name: string, parts: readonly WordPart[]): void {
    this.assign(name, undefined);
    const isPattern = parts.some(({ kind }) => kind !== "text") && parts.every(isOfPattern);
    if (isPattern && this.#isPredictable && !SPECIAL.test(name) && !this.#unusual.has(name)) this.#patterns.set(name, parts);
  }

  /** Something may have changed any variable. */
  forget(): void {
    this.#variables.clear();
    this.#patterns.clear();
  }

  /** Code may run between any two commands (`trap … DEBUG`): no variable is certain any more. */
  giveUp(): void {
    this.forget();
    this.#isPredictable = false;
  }

  /** Later assignments do not take. */
  freeze(name: string): void {
    this.#unusual.add(name);
  }

  /** A builtin names variables in its words: none of them is certain from here on. */
  forgetNamed(words: readonly ShellWord[]): void {
    this.forget();
    for (const { text } of words) {
      const name = /^\w*/.exec(text)?.[0] ?? "";
      this.#unusual.add(name);
      if (name === "IFS" || text.includes(UNKNOWN)) this.isIfsPlain = false;
      this.noteOption(text);
    }
  }

  /** A variable or an option is set, by this name. */
  noteOption(name: string): void {
    if (LEADS_ASTRAY.test(name) || name.startsWith(UNKNOWN)) this.isCdPlain = false;
  }

  /** Takes over what is the same in another outcome; the rest is unknown. */
  join(other: ShellState): void {
    for (const [name, value] of this.#variables) if (other.variables.get(name) !== value) this.#variables.delete(name);
    for (const [name, parts] of this.#patterns) if (other.patterns.get(name) !== parts) this.#patterns.delete(name);
    for (const name of other.unusual) this.#unusual.add(name);
    for (const name of other.aliases) this.aliases.add(name);
    for (const [name, definition] of other.functions) this.functions.set(name, definition);
    this.#isPredictable &&= other.isPredictable;
    this.hasOwnInput ||= other.hasOwnInput;
    this.isIfsPlain &&= other.isIfsPlain;
    this.isCdPlain &&= other.isCdPlain;
    this.folders.join(other.folders);
  }

  /** Goes to a folder as `cd` does. */
  changeFolder(word: ShellWord | undefined, isPhysical: boolean): void {
    const isSure = this.isCdPlain || !word || word.parts[0]?.kind === "home" || /^(?:\/|\.\.?(?:\/|$))/.test(word.text);
    if (isSure) this.folders.goTo(word, isPhysical);
    else this.folders.goAnywhere();
  }
}
