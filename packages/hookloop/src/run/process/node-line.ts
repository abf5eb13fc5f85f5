// Takes what a command hook starts; gives the script if that is nothing but `node FILE ARGUMENTS…`, as the shell would read it.
// Refuses everything that only a shell or another program can do, with the reason.

import { accessSync, constants, existsSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type RawOutcome, type RunNote, thrownText } from "../types.ts";
import type { Program, ProgramEnd } from "./program.ts";

export interface NodeLine {
  /** As the program was given it, made absolute: `process.argv[1]`. */
  readonly file: string;
  readonly realpath: string;
  readonly args: readonly string[];
}

type Words = readonly string[] | { readonly why: string };

/** Plain characters; "…" with nothing but text and $NAME in it; '…'. */
const PART = /[\w./@%+=:,-]+|"(?:[^"\\`$!]|\$\w+(?!\w)|\$\{\w+\})*"|'[^']*'|\$\w+|\$\{\w+\}/y;
const VARIABLE = /\$(?:\{(\w+)\}|(\w+))/g;
const SCRIPT = /\.(?:[cm]?js|m?ts)$/;

export function readNodeLine({ file, args, isShell, env, cwd, opensStdin }: Program): NodeLine | { readonly why: string } {
  if (opensStdin) return { why: "it opens its stdin by a name; read it with readFileSync(0)" };
  const words = isShell ? splitLine(args[1] ?? "", env) : [file, ...args];
  if ("why" in words) return words;
  const [program = "", script = "", ...rest] = words;
  if (path.basename(program) !== "node") return { why: `it starts ${program || "nothing"}, not node` };
  if (!SCRIPT.test(script)) return { why: "what follows node is not a script, but an option or a file of another kind" };
  try {
    if (findProgram(program, env["PATH"] ?? "", cwd) !== ownNode()) return { why: "its node is not the one that runs hookloop" };
    const absolute = path.resolve(cwd, script);
    return { file: absolute, realpath: realpathSync.native(absolute), args: rest };
  } catch (thrown) {
    return { why: thrownText(thrown) };
  }
}

function splitLine(line: string, env: Program["env"]): Words {
  const words: string[] = [];
  for (const [source] of line.trim().matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)) {
    const word = readWord(source, env);
    if (word === undefined) return { why: `${source} needs a shell` };
    words.push(word);
  }
  // Quotes that do not end, or blanks that are no blanks to us: a shell must read it.
  return words.length > 0 ? words : { why: "a shell must read the line" };
}

function readWord(source: string, env: Program["env"]): string | undefined {
  let word = "";
  PART.lastIndex = 0;
  while (PART.lastIndex < source.length) {
    const part = PART.exec(source)?.[0];
    if (part === undefined) return undefined;
    const value = part.startsWith("'") ? part.slice(1, -1) : expanded(part, env);
    if (value === undefined) return undefined;
    word += value;
  }
  return /^\w+=/.test(source) ? undefined : word;
}

/** Outside of quotes a shell would split a value and look for files in it. */
function expanded(part: string, env: Program["env"]): string | undefined {
  const isQuoted = part.startsWith('"');
  const text = isQuoted ? part.slice(1, -1) : part;
  const values = [...text.matchAll(VARIABLE)].map(([, braced, bare]) => env[braced ?? bare ?? ""]);
  if (values.some((value) => value === undefined || (!isQuoted && !/^[\w./@%+=:,-]+$/.test(value)))) return undefined;
  return text.replace(VARIABLE, (_, braced?: string, bare?: string) => env[braced ?? bare ?? ""] ?? "");
}

let own: string | undefined;

/** The node that runs this program. */
function ownNode(): string {
  own ??= realpathSync.native(process.execPath);
  return own;
}

function findProgram(name: string, searchPath: string, cwd: string): string | undefined {
  const places = name.includes("/") ? [path.resolve(cwd, name)] : searchPath.split(":").map((folder) => path.resolve(cwd, folder, name));
  const found = places.find(isExecutable);
  return found === undefined ? undefined : realpathSync.native(found);
}

function isExecutable(file: string): boolean {
  try {
    // Most folders of a path have no such file, and an error costs ten times as much as a look.
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return false;
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    // Not there, or not ours to start: the next folder of the path.
    return false;
  }
}

type Hook = RawOutcome["hook"];

/** Adds why a hook was started as always to its end; once per hook. */
export function createNotWarm(): (end: ProgramEnd, hook: Hook, why: string) => ProgramEnd {
  const told = new WeakSet<Hook>();
  return (end, hook, why) => {
    if (told.has(hook)) return end;
    told.add(hook);
    const note: RunNote = {
      code: "HL_EXECUTE_NOT_WARM",
      level: "warning",
      text: `"warm" has no effect: ${why}. It takes: node SCRIPT ARGUMENTS…`,
    };
    return { ...end, notes: [...(end.notes ?? []), note] };
  };
}

/** A program of ours that lies beside the file at `url`; `undefined` where that was bundled into something else. */
export function ownProgram(name: string, url: string): string | undefined {
  try {
    const script = fileURLToPath(new URL(name, url));
    return existsSync(script) ? script : undefined;
  } catch {
    // A bundle without a file of its own.
    return undefined;
  }
}
