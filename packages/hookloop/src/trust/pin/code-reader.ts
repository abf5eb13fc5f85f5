// What readers of code give, the folders that a hook is given, and what names of files come to that are put together.

import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
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
/** Stands for the program that runs a script. */
export const THIS_NODE = "/hookloop-program/node";
/** The folder it runs in. */
const HERE = "/hookloop-current-folder";
/** Before the path of an object that is an address and no text. */
export const ADDRESS = "\u0004";

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
    ["process.env", "Bun.env"].flatMap((env) => [
      [`${env}.CLAUDE_PROJECT_DIR`, PROJECT],
      [`${env}.HOOKLOOP_PROJECT_DIR`, PROJECT],
      [`${env}.HOME`, HOME],
      [`${env}.PWD`, HERE],
    ]),
  ),
  __dirname: OWN,
  "import.meta.dirname": OWN,
  "import.meta.dir": OWN,
  __filename: `${OWN}/script`,
  "import.meta.filename": `${OWN}/script`,
  "import.meta.path": `${OWN}/script`,
  "import.meta.url": `file://${OWN}/script`,
  "process.execPath": THIS_NODE,
  "path.sep": "/",
};

export function knownValue(name: string): string | undefined {
  return Object.hasOwn(VALUES, name) ? VALUES[name] : undefined;
}

/** Known as a text: neither open, nor an address, nor a text that only looks like the name of a file. */
const isText = (value: string): boolean => !value.includes(UNKNOWN) && !value.includes(ADDRESS) && !value.startsWith("file:");

/** Text of a script that would be taken for a folder of ours. */
export function isMisleading(text: string): boolean {
  return text.includes("/hookloop-") || text.includes(ADDRESS);
}

/** So many folders up stay inside of a folder that is known only where the hook runs. */
const LEVELS = 16;
const BELOW = "/hookloop-level";
const FOLDERS = [PROJECT, OWN, HOME, PLUGIN, HERE];

const deep = (value: string): string =>
  FOLDERS.reduce((put, mark) => (put.startsWith(mark) ? `${mark}${BELOW.repeat(LEVELS)}${put.slice(mark.length)}` : put), value);

function shallow(value: string): string {
  const mark = FOLDERS.find((one) => value.startsWith(one));
  const [, below = "", rest = ""] = new RegExp(`^((?:${BELOW})*)((?:/.*)?)$`, "s").exec(value.slice(mark?.length ?? 0)) ?? [];
  const up = LEVELS - below.length / BELOW.length;
  // Part of a folder whose name is known only where the hook runs, or beside one.
  if ((mark === undefined ? value : rest).includes("hookloop-")) return UNKNOWN;
  if (mark === undefined) return value;
  return up === LEVELS ? UNKNOWN : `${mark}${"/..".repeat(up)}${rest}`;
}

const PATH_CALLS: Readonly<Record<string, (values: readonly string[]) => string>> = {
  "path.join()": (values) => path.posix.join(...values),
  "path.resolve()": (values) => path.posix.resolve(deep(HERE), ...values),
  "path.normalize()": ([value = ""]) => path.posix.normalize(value),
  "path.dirname()": ([value = ""]) => path.posix.dirname(value),
  "path.basename()": ([value = "", end]) => path.posix.basename(value, end),
  "path.extname()": ([value = ""]) => path.posix.extname(value),
};

/** What calls come to that put names together. SECURITY: Node's own functions do it, over texts that are known; all else is open. */
export function called(name: string, values: readonly string[], receiver: string): string | undefined {
  const [first = UNKNOWN] = values;
  if (name === "process.cwd()" || name === "Deno.cwd()") return HERE;
  if (name === "os.homedir()") return HOME;
  if (name === "Deno.env.get()") return VALUES[`process.env.${first}`];
  const compute = PATH_CALLS[name.replace(/^path\.posix\./, "path.")];
  if (compute) return values.every(isText) ? shallow(compute(values.map(deep))) : [UNKNOWN, values.at(-1)].join("/");
  if (name === "URL()") return addressOf(first, values[1]);
  if (name === "url.pathToFileURL()") return isText(first) ? ADDRESS + shallow(path.posix.resolve(deep(HERE), deep(first))) : UNKNOWN;
  if (name === "url.fileURLToPath()") return first === VALUES["import.meta.url"] ? first.slice("file://".length) : pathOf(first);
  return textCalled(name, first, receiver);
}

function textCalled(name: string, first: string, receiver: string): string | undefined {
  if (name === "String()") return isText(first) ? first : UNKNOWN;
  if (/\.toString\(\)$/.test(name)) return isText(receiver) ? receiver : UNKNOWN;
  return /\.trim\(\)$/.test(name) && isText(receiver) ? receiver.trim() : undefined;
}

/** The path of an address. */
function pathOf(value: string): string {
  return value.startsWith(ADDRESS) ? value.slice(1) : UNKNOWN;
}

/** `new URL("./rules%20of.txt", import.meta.url)` */
function addressOf(first: string, base: string | undefined): string {
  const from = base !== undefined && base === VALUES["import.meta.url"] ? base.slice("file://".length) : pathOf(base ?? "");
  if (!isText(first) || first.includes("/hookloop-") || from === UNKNOWN) return UNKNOWN;
  try {
    const { href, protocol, host } = new URL(first, pathToFileURL(deep(from)));
    return protocol === "file:" && host === "" ? ADDRESS + shallow(fileURLToPath(href)) : UNKNOWN;
  } catch {
    // It throws where the script runs, too.
    return UNKNOWN;
  }
}

/** What functions that take a path or an address make of a value. */
function asFile(value: string): string {
  const plain = value.startsWith(ADDRESS) ? value.slice(1) : value;
  return isText(plain) ? inFolder(plain) : plain.replaceAll(ADDRESS, UNKNOWN).replace(/^file:/, UNKNOWN);
}

/** Relative again. */
function inFolder(value: string): string {
  return value.replace(new RegExp(`^${HERE}(?=/|$)/?`), "./").replace(HERE, UNKNOWN);
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
  note(given: string, place: string): void {
    const value = asFile(given);
    if (/^\/dev\/(?:stdin|null|fd\/0|tty)$/.test(value)) return;
    if (value !== "" && !value.includes(UNKNOWN)) return void this.names.add(value);
    this.unknown.add(place);
    const tail = value.slice(value.lastIndexOf(UNKNOWN) + 1).replace(/^\/+/, "");
    if (tail !== "") this.tails.add(tail);
  }

  noteWritten(given: string, place: string, files: Set<string> = this.written): void {
    const value = asFile(given);
    if (value.includes(UNKNOWN)) this.unknown.add(place);
    else files.add(value);
  }

  /** More of a file is asked for than can be pinned: that it is there or not still counts. */
  noteMore(given: string, place: string): void {
    const value = asFile(given);
    this.unknown.add(place);
    if (value !== "" && !value.includes(UNKNOWN)) this.names.add(value);
  }

  /** Code that is loaded by a value: it is the author's own if it lies beside the script, or anywhere but in a project. */
  noteLoad(given: string, place: string): void {
    const value = asFile(given);
    const isOwn = value.startsWith("/") && !value.includes(UNKNOWN) && !value.startsWith(PROJECT);
    if (!isOwn && !value.startsWith(`${OWN}/`)) this.starts.add(place);
  }

  /** A program and its arguments, or with nothing behind it a line of the shell. */
  noteLine(given: string, list?: readonly string[], cwd?: string): void {
    const [program, folder] = [inFolder(given.replaceAll(ADDRESS, UNKNOWN)), cwd === undefined ? undefined : asFile(cwd)];
    const quoted = (list ?? []).map((one) => {
      const parts = inFolder(one.replaceAll(ADDRESS, UNKNOWN))
        .split(UNKNOWN)
        .map((part) => part && (part.includes("/hookloop-") ? inDouble(part) : inSingle(part)));
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
