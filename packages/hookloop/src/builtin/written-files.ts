/** What a tool call has changed, as far as its input tells: by file tools, and by the one reading of a shell line. */

import { statSync } from "node:fs";
import path from "node:path";
import { FORMER_TOOL_NAMES, MORE_TOOL_NAMES, TOOL_NAMES, TOOLS } from "../catalogue/index.ts";
import { callFacts, callsOfKind, compileWildcard, isReadOnlyCommand } from "../permissions/index.ts";
import { programName, readGit, readingOf, type ShellCommand, type TouchedPath, touchedPaths } from "../shell/index.ts";
import { namesIn } from "../state-files.ts";

export interface EndedCall {
  readonly tool_name: string;
  readonly tool_input: unknown;
  readonly cwd: string;
  readonly duration_ms?: number | undefined;
}

/** A call that names more is about a whole tree. */
const MOST_FILES = 50;
/** Clocks of file systems are coarse. */
const SLACK_MS = 1000;

/** The regular files that a call which has just ended wrote, as absolute paths. */
export function writtenFiles({ tool_name, tool_input, cwd, duration_ms }: EndedCall, home: string): readonly string[] {
  // Servers call their tools what agents do: `mcp__files__write_file`.
  const call = { tool: tool_name.replace(/^mcp__.*__/, ""), input: tool_input, cwd, root: cwd, home };
  const named = [
    ...callsOfKind("file.write", call).flatMap(({ tool, input }) => {
      const { rule } = TOOLS[tool];
      return rule === undefined || typeof input[rule.field] !== "string" ? [] : path.resolve(cwd, String(input[rule.field]));
    }),
    ...callsOfKind("shell", call).flatMap(({ input: { command } }) => (typeof command === "string" ? byCommand(command, cwd, home) : [])),
  ];
  const since = duration_ms === undefined ? 0 : Date.now() - duration_ms - SLACK_MS;
  const files = [...new Set(named)].filter((file) => isWrittenSince(file, since));
  return files.length > MOST_FILES ? [] : files;
}

function byCommand(command: string, cwd: string, home: string): readonly string[] {
  const touched = touchedPaths(readingOf(command), { cwd, home });
  return touched.filter(({ how }) => how === "write" || how === "rename").flatMap(filesOf);
}

/** `*.ts` of a folder stands for its files; what lies deeper, or has a name that only the shell knew, is left alone. */
function filesOf({ path: place, isGlob, pattern = "" }: TouchedPath): readonly string[] {
  if (place === undefined) return [];
  if (!isGlob) return [path.normalize(place)];
  if (pattern.includes("/") || !/^[\w.*-]+$/.test(pattern)) return [];
  const fits = compileWildcard(pattern);
  return namesIn(place).flatMap((name) => (fits(name) ? path.join(place, name) : []));
}

function isWrittenSince(file: string, since: number): boolean {
  try {
    const found = statSync(file);
    return found.isFile() && found.mtimeMs >= since;
  } catch {
    // Not there: the call has not made it, or has taken it away.
    return false;
  }
}

const KNOWN: ReadonlySet<string> = new Set([...TOOL_NAMES, ...MORE_TOOL_NAMES, ...Object.keys(FORMER_TOOL_NAMES)]);

/** Whether anything may be different after the call. Only what is known to read leaves everything as it was. */
export function mayChange({ tool_name, tool_input, cwd }: EndedCall, home: string): boolean {
  const call = { tool: tool_name, input: tool_input, cwd, root: cwd, home };
  if (callsOfKind("file.write", call).length > 0) return true;
  const shell = callsOfKind("shell", call);
  const facts = callFacts(call);
  if (shell.length > 0) return shell.some(({ input: { command } }) => typeof command !== "string" || !onlyReads(command, facts, cwd, home));
  return !KNOWN.has(tool_name);
}

const LOOKS = new Set("status log diff show blame grep ls-files ls-tree rev-parse rev-list describe shortlog cat-file".split(" "));

/** It may run a program that the repository names, so it is not asked about less; but it changes no file that tests would look at. */
function isLook({ words }: ShellCommand): boolean {
  return programName(words) === "git" && LOOKS.has(readGit(words).words[0]?.text ?? "");
}

function onlyReads(command: string, facts: ReturnType<typeof callFacts>, cwd: string, home: string): boolean {
  const reading = readingOf(command);
  if (reading.isUncertain || touchedPaths(reading, { cwd, home }).some(({ how }) => how !== "read")) return false;
  return reading.commands.every((one) => isReadOnlyCommand(one, facts, ["/"]) || isLook(one));
}
