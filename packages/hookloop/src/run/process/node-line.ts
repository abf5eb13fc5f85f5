// Takes what a command hook starts; gives the script if that is nothing but `node FILE ARGUMENTS…`, as the shell would read it.
// Refuses everything that only a shell or another program can do, with the reason.

import { realpathSync } from "node:fs";
import path from "node:path";
import { wordsOfLine } from "../../config/index.ts";
import { isExecutable } from "../../state-files.ts";
import { type RawOutcome, type RunNote, thrownText } from "../types.ts";
import type { Program, ProgramEnd } from "./program.ts";

export interface NodeLine {
  /** As the program was given it, made absolute: `process.argv[1]`. */
  readonly file: string;
  readonly realpath: string;
  readonly args: readonly string[];
}

const SCRIPT = /\.(?:[cm]?js|m?ts)$/;

export function readNodeLine({ file, args, isShell, env, cwd, opensStdin }: Program): NodeLine | { readonly why: string } {
  if (opensStdin) return { why: "it opens its stdin by a name; read it with readFileSync(0)" };
  const words = isShell ? wordsOfLine(args[1] ?? "", env) : [file, ...args];
  if (!words) return { why: "a shell must read the line" };
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

let own: string | undefined;

function ownNode(): string {
  own ??= realpathSync.native(process.execPath);
  return own;
}

function findProgram(name: string, searchPath: string, cwd: string): string | undefined {
  const places = name.includes("/") ? [path.resolve(cwd, name)] : searchPath.split(":").map((folder) => path.resolve(cwd, folder, name));
  const found = places.find(isExecutable);
  return found === undefined ? undefined : realpathSync.native(found);
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
