import { type ShellWord, UNKNOWN, type WordPart } from "../../types.ts";
import { Folders } from "./folders.ts";

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
  readonly functions: Map<string, { readonly changesFolder: boolean }>;
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
