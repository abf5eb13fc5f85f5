/**
 * Takes a tool call; gives what it may write: files, and folders in which it may write anything. Made of the one reading of shell commands and
 * of the fields of file tools, whatever the tool is called. What the reading cannot know is said.
 */

import path from "node:path";
import { TOOLS } from "../../catalogue/index.ts";
import { callsOfKind, touchedFiles } from "../../permissions/index.ts";
import { readingOf, type ShellReading, tellsWrites, touchedPaths } from "../../shell/index.ts";

export interface WriteSet {
  /** As they are called. */
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** A shell line, and why it may write more than that. */
  readonly notCovered?: { readonly command: string; readonly why: string } | undefined;
}

export interface WritingCall {
  readonly tool_name: string;
  readonly tool_input: unknown;
  readonly cwd: string;
}

const NOTHING: WriteSet = { files: [], folders: [] };

export function writeSetOf({ tool_name: tool, tool_input: input, cwd }: WritingCall, home: string): WriteSet {
  // Servers call their tools what agents do: `mcp__files__write_file`.
  const call = { tool: tool.replace(/^mcp__.*__/, ""), input, cwd, root: cwd, home };
  const shell = callsOfKind("shell", call).filter(({ input: { command } }) => typeof command === "string");
  if (shell.length > 0) return shell.map(byCommand).reduce(joined, NOTHING);
  const files = callsOfKind("file.write", call).flatMap(({ tool: known, input: own }) => {
    const field = TOOLS[known].rule?.field;
    const file = field === undefined ? undefined : own[field];
    return typeof file === "string" && file !== "" ? [placed(file, cwd, home)] : [];
  });
  return { files: [...new Set(files)], folders: [] };
}

function placed(file: string, cwd: string, home: string): string {
  return file === "~" || file.startsWith("~/") ? path.join(home, file.slice(1)) : path.resolve(cwd, file);
}

function joined(one: WriteSet, other: WriteSet): WriteSet {
  return {
    files: [...new Set([...one.files, ...other.files])],
    folders: [...new Set([...one.folders, ...other.folders])],
    notCovered: one.notCovered ?? other.notCovered,
  };
}

function byCommand(facts: ReturnType<typeof callsOfKind>[number]): WriteSet {
  const command = String(facts.input["command"]);
  const reading = readingOf(command);
  const why = facts.input["run_in_background"] === true ? "it goes on in the background" : doubtOf(reading);
  const touched = touchedPaths(reading, facts).filter(({ how }) => how !== "read");
  // Nothing of a line that only reads has to be looked up on the disk.
  if (why === undefined && touched.length === 0 && reading.sets.length === 0) return NOTHING;
  const written = touchedFiles(facts).filter(({ isWrite }) => isWrite);
  const isOpen = touched.some(({ path: known }) => known === undefined);
  const named = written.flatMap(({ files }) => files.map((file) => path.resolve(facts.cwd, file)));
  const whole = written.flatMap(({ files, use, below }) => (use === undefined && below === undefined ? [] : files));
  const text = why ?? (isOpen ? "only the running shell knows which folder it writes to" : undefined);
  return {
    files: [...new Set(named)].filter((file) => !file.startsWith("/dev/")),
    folders: [...new Set(whole.map((file) => path.resolve(facts.cwd, file)))],
    notCovered: text === undefined ? undefined : { command, why: text },
  };
}

/** Why a line may write more than its words say; nothing if they say it all. */
function doubtOf({ commands, isUncertain, doubts }: ShellReading): string | undefined {
  if (isUncertain) return doubts[0]?.text ?? "it cannot be read to the end";
  const unknown = commands.find(({ words }, index) => {
    if (words.length === 0 || tellsWrites(words)) return false;
    return !commands.some(({ startedBy }) => startedBy === index);
  });
  return unknown && `it is not known what ${path.basename(unknown.words[0]?.text ?? "")} writes`;
}
