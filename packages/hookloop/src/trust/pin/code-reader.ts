// What readers of JavaScript and of Python have in common: what they give, constants, and the folders that a hook is given.

import path from "node:path";
import { UNKNOWN } from "../../shell/index.ts";
import { Expressions, HOME, joined, type Language, type Meaning, OWN, PROJECT, type Token } from "./code-tokens.ts";

export interface CodeReads {
  /** Absolute, relative to the folder it runs in, or behind `PROJECT`, `OWN` or `HOME`. */
  readonly names: readonly string[];
  /** Names whose beginning is not known: how they end. */
  readonly tails: readonly string[];
  readonly written: readonly string[];
  /** Command lines that it starts. */
  readonly lines: readonly string[];
  /** Where it reads something that is not known, in words. */
  readonly unknown: readonly string[];
  /** The same of code that it loads. */
  readonly loads: readonly string[];
  /** Where it starts a program or loads code that is neither its own nor named. */
  readonly starts: readonly string[];
}

const MAX_NAMES = 50;

/** Words with blanks between them. */
export const set = (names: string): ReadonlySet<string> => new Set(names.split(" "));

/** How the folders that a hook is given are called. */
const VALUES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["process.env", "Bun.env", "os.environ", "environ"].flatMap((env) => [
      [`${env}.CLAUDE_PROJECT_DIR`, PROJECT],
      [`${env}.HOOKLOOP_PROJECT_DIR`, PROJECT],
      [`${env}.HOME`, HOME],
      [`${env}.PWD`, "."],
    ]),
  ),
  __dirname: OWN,
  "import.meta.dirname": OWN,
  "import.meta.dir": OWN,
  __filename: `${OWN}/script`,
  __file__: `${OWN}/script`,
  "import.meta.filename": `${OWN}/script`,
  "import.meta.path": `${OWN}/script`,
  "import.meta.url": `${OWN}/script`,
  "process.execPath": "/usr/bin/node",
  "sys.executable": "/usr/bin/python3",
};

const isAny = (...names: readonly string[]): ((name: string) => boolean) => {
  const all = new Set(names.map((name) => `${name}()`));
  return (name) => all.has(name);
};
const CURRENT = isAny("process.cwd", "Deno.cwd", "os.getcwd", "getcwd", "Path.cwd", "pathlib.Path.cwd");
const HOMES = isAny("os.homedir", "Path.home", "pathlib.Path.home");
const JOINS = isAny("path.join", "path.resolve", "path.posix.join", "os.path.join", "Path", "pathlib.Path", "PurePath", "pathlib.PurePath");
const SAME = isAny(
  ..."String str shlex.split shlex.quote url.fileURLToPath url.pathToFileURL path.normalize os.path.abspath os.path.realpath os.path.normpath os.fspath".split(
    " ",
  ),
);
const VARIABLE = isAny("os.environ.get", "environ.get", "os.getenv", "getenv", "Deno.env.get");

/** What calls come to that put names together. */
function called(name: string, values: readonly string[], receiver: string): string | undefined {
  const [first = UNKNOWN] = values;
  if (CURRENT(name)) return ".";
  if (HOMES(name)) return HOME;
  if (JOINS(name)) return joined(values);
  if (SAME(name)) return first;
  if (VARIABLE(name)) return VALUES[`process.env.${first}`];
  if (name === "path.dirname()" || name === "os.path.dirname()") return folderOf(first);
  if (name === "os.path.expanduser()") return first.replace(/^~(?=\/|$)/, HOME);
  if (name === "URL()") return values[1] === undefined ? first.replace(/^file:\/\//, "") : joined([folderOf(values[1]), first]);
  const method = /\.(\w+(?:\(\))?)$/.exec(name)?.[1];
  if (method === undefined || receiver === "") return undefined;
  if (/^(?:resolve|absolute|trim|strip|toString|as_posix|pathname|href)(?:\(\))?$/.test(method)) return receiver;
  if (method === "expanduser()") return receiver.replace(/^~(?=\/|$)/, HOME);
  if (method === "parent") return folderOf(receiver);
  if (method === "joinpath()") return joined([receiver, ...values]);
  return method === "with_name()" ? joined([folderOf(receiver), first]) : undefined;
}

function folderOf(file: string): string {
  return file.includes(UNKNOWN) || /(?:^|\/)\.{1,2}$/.test(file) ? `${UNKNOWN}/` : path.posix.dirname(file);
}

/** What both languages have in common: constants, and noting what was found. */
export abstract class CodeReader {
  readonly found: Readonly<Record<keyof CodeReads, Set<string>>> = {
    names: new Set(),
    tails: new Set(),
    written: new Set(),
    lines: new Set(),
    unknown: new Set(),
    loads: new Set(),
    starts: new Set(),
  };
  readonly tokens: readonly Token[];
  readonly expressions: Expressions;
  /** Names that stand for something of a module. */
  readonly bound: Map<string, string> = new Map();
  readonly #constants = new Map<string, number>();
  readonly #waiting = new Set<string>();

  constructor(tokens: readonly Token[], language: Language) {
    this.tokens = tokens;
    const meaning: Meaning = {
      nameOf: (name) => this.bound.get(name) ?? name,
      valueOf: (name) => (Object.hasOwn(VALUES, name) ? VALUES[name] : this.#constant(name)),
      call: called,
    };
    this.expressions = new Expressions(tokens, language, meaning);
  }

  abstract scan(): void;
  /** Where each name is given its only value, behind the `=`. */
  abstract constants(): ReadonlyMap<string, number>;

  read(): CodeReads {
    for (const [name, at] of this.constants()) this.#constants.set(name, at);
    this.scan();
    const { names, tails, written, lines, unknown, loads, starts } = this.found;
    if (names.size + tails.size > MAX_NAMES) unknown.add("more files than are followed");
    return {
      names: [...names].slice(0, MAX_NAMES),
      tails: [...tails].slice(0, MAX_NAMES),
      written: [...written],
      lines: [...lines].slice(0, MAX_NAMES),
      unknown: [...unknown].slice(0, MAX_NAMES),
      loads: [...loads].slice(0, MAX_NAMES),
      starts: [...starts, ...(lines.size > MAX_NAMES ? ["more programs than are followed"] : [])].slice(0, MAX_NAMES),
    };
  }

  #constant(name: string): string | undefined {
    const start = this.#constants.get(name);
    if (start === undefined || this.#waiting.has(name)) return undefined;
    this.#waiting.add(name);
    const { value, next } = this.expressions.expression(start);
    this.#waiting.delete(name);
    const [last, after] = [this.tokens[next - 1], this.tokens[next]];
    const isEnd = after === undefined || /^[;,})]$/.test(after.value) || (after.line !== last?.line && !/^[.([?+&|]/.test(after.value));
    return isEnd ? value : undefined;
  }

  place(at: number, what: string): string {
    return `line ${this.tokens[at]?.line ?? 0} (${what})`;
  }

  /** A name that is read, or looked for. */
  note(value: string, at: number, what: string): void {
    if (/^\/dev\/(?:stdin|null|fd\/0|tty)$/.test(value)) return;
    if (value !== "" && !value.includes(UNKNOWN)) return void this.found.names.add(value);
    this.found.unknown.add(this.place(at, what));
    const tail = value.slice(value.lastIndexOf(UNKNOWN) + 1).replace(/^\/+/, "");
    if (tail !== "") this.found.tails.add(tail);
  }

  noteWritten(value: string): void {
    if (!value.includes(UNKNOWN)) this.found.written.add(value);
  }

  /** Code that is loaded by a value: it is the author's own if it lies beside the script, or anywhere but in a project. */
  noteLoad(value: string, at: number, what: string): void {
    const isOwn = value.startsWith("/") && !value.includes(UNKNOWN) && !value.startsWith(PROJECT);
    if (!isOwn && !value.startsWith(`${OWN}/`)) this.found.starts.add(this.place(at, what));
  }

  /** A program and its arguments, or with nothing behind it a line of the shell. */
  noteLine(program: string, list?: readonly string[], folder?: string): void {
    const quoted = (list ?? []).map((one) => {
      const parts = one.split(UNKNOWN).map((part) => part && `'${part.replaceAll("'", `'\\''`)}'`);
      return parts.join(`"\${unknown}"`);
    });
    const line = [program.replaceAll(UNKNOWN, "${unknown}"), ...quoted].join(" ");
    this.found.lines.add(line);
    if (folder !== undefined) this.found.lines.add(`cd "${folder.replaceAll(UNKNOWN, "${unknown}")}" && ${line}`);
  }

  /** `{ cwd: x }` and `cwd=x` among the arguments of a call. */
  folderAt(open: number): string | undefined {
    const close = this.expressions.brackets.get(open) ?? open;
    for (let at = open + 1; at < close; at++) {
      if (this.tokens[at]?.kind !== "name" || this.tokens[at]?.value !== "cwd" || this.isMember(at)) continue;
      if (this.expressions.is(at + 1, ":") || this.expressions.is(at + 1, "=")) return this.expressions.expression(at + 2).value;
      if (this.expressions.is(at + 1, "}") || this.expressions.is(at - 1, "{")) return this.expressions.expression(at).value;
    }
    return undefined;
  }

  isMember(at: number): boolean {
    return this.expressions.is(at - 1, ".") || this.expressions.is(at - 1, "?.");
  }

  /** The bracket of a call behind a name. */
  callAt(at: number): number | undefined {
    if (this.expressions.is(at + 1, "(")) return at + 1;
    return this.expressions.is(at + 1, "?.") && this.expressions.is(at + 2, "(") ? at + 2 : undefined;
  }
}
