// What readers of JavaScript and of Python have in common: what they give, and the folders that a hook is given.

import path from "node:path";
import { UNKNOWN } from "../../shell/index.ts";

/** Stands for the project's folder at the start of a path. */
export const PROJECT = "/hookloop-project-folder";
/** The same for the folder of the script, and for the home folder. */
export const OWN = "/hookloop-own-folder";
export const HOME = "/hookloop-home-folder";
/** The same for the folder of the hook's plugin or skill. */
export const PLUGIN = "/hookloop-plugin-folder";
/** Stands for the file that the call names: what a gate is about, not a switch of it. */
export const CALLED = "/hookloop-called-file";
/** Stands for a file that the hook itself has made for the time being. */
export const TEMPORARY = "/hookloop-temporary-file";
/** Stand for the programs that run a script. */
export const THIS_NODE = "/hookloop-program/node";
const THIS_PYTHON = "/hookloop-program/python3";

/** As `path.resolve` does it, without the current folder. */
export function joined(parts: readonly string[]): string {
  const start = parts.findLastIndex((part) => part.startsWith("/") || part.startsWith(UNKNOWN));
  // Not put in order yet: what `..` leads to is known only with the folder.
  return parts.slice(Math.max(0, start)).join("/");
}

export interface CodeReads {
  /** Absolute, relative to the folder it runs in, or behind `PROJECT`, `OWN` or `HOME`. */
  readonly names: readonly string[];
  /** Names whose beginning is not known: how they end. */
  readonly tails: readonly string[];
  readonly written: readonly string[];
  /** Folders that it makes unless they are there. */
  readonly made: readonly string[];
  /** Command lines that it starts. */
  readonly lines: readonly string[];
  /** Where it reads something that is not known, in words. */
  readonly unknown: readonly string[];
  /** The same of code that it loads. */
  readonly loads: readonly string[];
  /** Where it starts a program or loads code that is neither its own nor named. */
  readonly starts: readonly string[];
}

const REASON = ["its text cannot be taken apart"];
/** What is known of a text that cannot be. */
export const NOT_TAKEN_APART: CodeReads = {
  names: [],
  tails: [],
  written: [],
  made: [],
  lines: [],
  loads: [],
  unknown: REASON,
  starts: REASON,
};

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
  "process.execPath": THIS_NODE,
  "sys.executable": THIS_PYTHON,
};

export function knownValue(name: string): string | undefined {
  return Object.hasOwn(VALUES, name) ? VALUES[name] : undefined;
}

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
export function called(name: string, values: readonly string[], receiver: string): string | undefined {
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

/** What was found in a text so far. */
export class Findings {
  readonly names: Set<string> = new Set();
  readonly tails: Set<string> = new Set();
  readonly written: Set<string> = new Set();
  readonly made: Set<string> = new Set();
  readonly lines: Set<string> = new Set();
  readonly unknown: Set<string> = new Set();
  readonly loads: Set<string> = new Set();
  readonly starts: Set<string> = new Set();

  result(): CodeReads {
    const { names, tails, written, made, lines, unknown, loads, starts } = this;
    if (names.size + tails.size > MAX_NAMES) unknown.add("more files than are followed");
    return {
      names: [...names].slice(0, MAX_NAMES),
      tails: [...tails].slice(0, MAX_NAMES),
      written: [...written],
      made: [...made],
      lines: [...lines].slice(0, MAX_NAMES),
      unknown: [...unknown].slice(0, MAX_NAMES),
      loads: [...loads].slice(0, MAX_NAMES),
      starts: [...starts, ...(lines.size > MAX_NAMES ? ["more programs than are followed"] : [])].slice(0, MAX_NAMES),
    };
  }

  /** A name that is read, or looked for. */
  note(value: string, place: string): void {
    if (/^\/dev\/(?:stdin|null|fd\/0|tty)$/.test(value)) return;
    if (value !== "" && !value.includes(UNKNOWN)) return void this.names.add(value);
    this.unknown.add(place);
    const tail = value.slice(value.lastIndexOf(UNKNOWN) + 1).replace(/^\/+/, "");
    if (tail !== "") this.tails.add(tail);
  }

  noteWritten(value: string, place: string, files: Set<string> = this.written): void {
    if (value.includes(UNKNOWN)) this.unknown.add(place);
    else files.add(value);
  }

  /** More of a file is asked for than can be pinned: that it is there or not still counts. */
  noteMore(value: string, place: string): void {
    this.unknown.add(place);
    if (value !== "" && !value.includes(UNKNOWN)) this.names.add(value);
  }

  /** Code that is loaded by a value: it is the author's own if it lies beside the script, or anywhere but in a project. */
  noteLoad(value: string, place: string): void {
    const isOwn = value.startsWith("/") && !value.includes(UNKNOWN) && !value.startsWith(PROJECT);
    if (!isOwn && !value.startsWith(`${OWN}/`)) this.starts.add(place);
  }

  /** A program and its arguments, or with nothing behind it a line of the shell. */
  noteLine(program: string, list?: readonly string[], folder?: string): void {
    const quoted = (list ?? []).map((one) => {
      const parts = one.split(UNKNOWN).map((part) => part && (part.includes("/hookloop-") ? inDouble(part) : inSingle(part)));
      return parts.join(`"\${unknown}"`) || "''";
    });
    const line = [program.replaceAll(UNKNOWN, "${unknown}"), ...quoted].join(" ");
    this.lines.add(line);
    if (folder !== undefined) this.lines.add(`cd "${folder.replaceAll(UNKNOWN, "${unknown}")}" && ${line}`);
  }
}

const inSingle = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
/** Names of folders are put in only there. */
const inDouble = (text: string): string => `"${text.replaceAll(/["$`\\]/g, "\\$&")}"`;

/** A word as it stands on a line of the shell. */
export function quotedWord(word: string): string {
  return /^[\w./@+-]*$/.test(word)
    ? word
    : word
        .split(UNKNOWN)
        .map((part) => part && inSingle(part))
        .join(UNKNOWN);
}
