/**
 * Takes tool calls before and after they run; gives what each has changed. Before a call everything that it may write is looked at, after it the
 * same places are looked at again. Bounded: of a folder with too many files the first are looked at, and the rest is said to be not covered.
 */

import path from "node:path";
import { TOOLS } from "../../catalogue/index.ts";
import { callsOfKind, realTarget, touchedFiles } from "../../permissions/index.ts";
import { readingOf, type ShellReading, tellsWrites, touchedPaths } from "../../shell/index.ts";
import { isFolder, readFolder } from "../../state-files.ts";
import { canonicalPath, type FileState, hashOf, isSameState, type Looked, lookAt, MISSING, sizeOf, statOf } from "./file-state.ts";

export interface FileChange {
  /** Links on the way are followed. */
  readonly path: string;
  readonly change: "created" | "modified" | "deleted";
  readonly before: FileState;
  readonly after: FileState;
  readonly sizeDelta: number;
}

export interface Changes {
  readonly changes: readonly FileChange[];
  readonly notCovered?: WriteSet["notCovered"];
}

export interface TrackedCall extends WritingCall {
  readonly session_id: string;
  readonly tool_use_id?: unknown;
}

interface Pending {
  readonly places: ReadonlyMap<string, FileState>;
  readonly folders: readonly string[];
  readonly notCovered: WriteSet["notCovered"];
}

export interface EditTrackerOptions {
  readonly home: string;
  /** What lies in it is ours. */
  readonly stateFolder: string;
  /** Gets the contents that a later undo needs. */
  readonly keep?: ((call: TrackedCall, hash: string, bytes: Buffer) => void) | undefined;
}

export interface EditTracker {
  /** Gives what is there now, as far as the call may write it. */
  before(call: TrackedCall): ReadonlyMap<string, Looked>;
  /** Nothing if the call was not seen before it ran. `original`: what the tool itself found in the file. */
  after(call: TrackedCall, original?: string): Changes | undefined;
}

/** Calls that are denied never end. */
const MOST_PENDING = 256;

export function createEditTracker({ home, stateFolder, keep }: EditTrackerOptions): EditTracker {
  const pending = new Map<string, Pending>();
  const ours = `${canonicalPath(stateFolder)}/`;
  const isOurs = (file: string): boolean => `${file}/`.startsWith(ours);
  const noted = (call: TrackedCall, { state, bytes }: Looked): FileState => {
    if (bytes && state.kind === "file") keep?.(call, state.hash, bytes);
    return state;
  };
  return {
    before(call) {
      const { files, folders: named, notCovered } = writeSetOf(call, home);
      // A call that was denied may come again under its id.
      pending.delete(keyOf(call));
      if (files.length === 0 && named.length === 0 && !notCovered) return NO_FILES;
      const folders = named.map(canonicalPath);
      const walk = createWalk(isOurs);
      const places = [...files.flatMap(placesOf).filter((file) => !isOurs(file)), ...folders.flatMap(walk.below)];
      const found = new Map([...new Set(places)].map((file) => [file, lookAt(file)]));
      const states = new Map([...found].map(([file, looked]) => [file, noted(call, looked)]));
      pending.set(keyOf(call), { places: states, folders, notCovered: notCovered ?? walk.notCovered(call) });
      const [oldest] = pending.keys();
      if (pending.size > MOST_PENDING && oldest !== undefined) pending.delete(oldest);
      return found;
    },
    after(call, original) {
      const known = pending.get(keyOf(call));
      if (!known) return undefined;
      pending.delete(keyOf(call));
      const walk = createWalk(isOurs);
      // What is new in folders that the call filled, or made.
      const made = [...known.places].flatMap(([file, state]) => (state.kind === "missing" && isFolder(file) ? [file] : []));
      const places = new Set([...known.places.keys(), ...[...known.folders, ...made].flatMap(walk.below)]);
      const changes = [...places].flatMap((file): readonly FileChange[] => {
        const looked = lookAt(file);
        const seen = known.places.get(file) ?? MISSING;
        const found = original === undefined ? undefined : foundByTool(seen, { call, file, original });
        const before = found ? noted(call, found) : seen;
        return isSameState(before, looked.state) ? [] : [changeOf(file, before, noted(call, looked))];
      });
      return { changes, notCovered: known.notCovered ?? walk.notCovered(call) };
    },
  };
}

const NO_FILES: ReadonlyMap<string, Looked> = new Map();

function keyOf({ session_id, tool_use_id, tool_name }: TrackedCall): string {
  return `${session_id}\0${typeof tool_use_id === "string" ? tool_use_id : tool_name}`;
}

/** A file, the folders that would be made for it, and what it leads to if it is a link. */
function placesOf(given: string): readonly string[] {
  const file = canonicalPath(given);
  const stats = statOf(file);
  if (stats) return stats.isSymbolicLink() ? [file, realTarget(file, { cwd: path.dirname(file) }).path] : [file];
  const above: string[] = [];
  for (let folder = path.dirname(file); folder !== path.dirname(folder) && !isFolder(folder); folder = path.dirname(folder))
    above.push(folder);
  return [file, ...above];
}

interface OriginalParts {
  readonly call: TrackedCall;
  readonly file: string;
  readonly original: string;
}

/**
 * A question to the user may stand between the look and the call, and the user may have edited the file meanwhile: what the tool found counts.
 * Not if it is not the text that it was: read as UTF-8 it may have lost bytes.
 */
function foundByTool(before: FileState, { call, file, original }: OriginalParts): Looked | undefined {
  if (before.kind !== "file" || original.includes("\ufffd") || canonicalPath(fileOf(call)) !== file) return undefined;
  const bytes = Buffer.from(original);
  const hash = hashOf(bytes);
  return hash === before.hash ? undefined : { state: { kind: "file", mode: before.mode, size: bytes.length, hash }, bytes };
}

function fileOf({ tool_input, cwd }: TrackedCall): string {
  const { file_path, notebook_path = file_path } = (tool_input ?? {}) as Readonly<Record<string, unknown>>;
  return path.resolve(cwd, typeof notebook_path === "string" ? notebook_path : "");
}

function changeOf(file: string, before: FileState, after: FileState): FileChange {
  const change = before.kind === "missing" ? "created" : after.kind === "missing" ? "deleted" : "modified";
  return { path: file, change, before, after, sizeDelta: sizeOf(after) - sizeOf(before) };
}

const MOST_FILES = 2000;
/** Large, and made again by one command. */
const LEFT_OUT = new Set(["node_modules", ".git"]);

/** Goes through folders without following links; all folders of a call share one bound. */
function createWalk(isOurs: (file: string) => boolean): {
  below(folder: string): readonly string[];
  notCovered(call: TrackedCall): WriteSet["notCovered"];
} {
  let left = MOST_FILES;
  const leftOut = new Set<string>();
  const below = (folder: string): readonly string[] => {
    if (LEFT_OUT.has(path.basename(folder))) {
      if (isFolder(folder)) leftOut.add(folder);
      return [];
    }
    return [folder, ...entriesIn(folder)];
  };
  const entriesIn = (folder: string): readonly string[] =>
    readFolder(folder).flatMap((entry) => {
      const file = path.join(folder, entry.name);
      if (LEFT_OUT.has(entry.name) || isOurs(file)) return [];
      if (left-- <= 0) {
        leftOut.add(`files after the first ${MOST_FILES}`);
        return [];
      }
      return entry.isDirectory() ? [file, ...entriesIn(file)] : [file];
    });
  return {
    below,
    notCovered({ tool_name, tool_input }) {
      if (leftOut.size === 0) return undefined;
      const { command } = (tool_input ?? {}) as Readonly<Record<string, unknown>>;
      return { command: typeof command === "string" ? command : tool_name, why: `not looked at: ${[...leftOut].join(", ")}` };
    },
  };
}

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
