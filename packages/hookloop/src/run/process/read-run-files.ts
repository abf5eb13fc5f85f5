// What run files say: what of which engine runs, and which hook runs this program was itself started from.

import { constants, lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import path from "node:path";
import { readStart } from "../../state-files.ts";
import type { Environment } from "../environment.ts";
import { failure, type RunFailure } from "../types.ts";
import {
  isRunning,
  isSame,
  markOf,
  type ProcessIdentity,
  type ProcessStat,
  parentChain,
  RUN_VARIABLE,
  readStat,
} from "./process-identity.ts";

/** One run of one program. `pid` is also its process group and its session; `startTime` is empty if it ended before it was looked up. */
export interface RunRecord extends ProcessIdentity {
  /** Empty for a program of the agent. */
  readonly hook: string;
  readonly depth: number;
  readonly hooks: readonly string[];
  readonly text?: string | undefined;
  readonly number?: number | undefined;
}

type StartingRecord = { readonly number: number } & Partial<Pick<RunRecord, "hook" | "text">>;

/** What a program that has ended left running in its session. */
export interface LeftRecord {
  readonly run: RunRecord;
  readonly members: readonly ProcessIdentity[];
}

export interface RunFileContent {
  readonly file: string;
  readonly engine: ProcessIdentity;
  /** Of the same boot and the same pid namespace: its pids mean something here. */
  readonly isOfThisSystem: boolean;
  /** `HOOKLOOP_RUN` of what it started, without the number of the start. */
  readonly mark: string | undefined;
  /** Starts of which no process was noted: it was killed then, or there was none. */
  readonly unfinished: readonly StartingRecord[];
  /** What it works on. */
  readonly session: string | undefined;
  readonly running: readonly RunRecord[];
  readonly ended: readonly RunRecord[];
  readonly left: readonly LeftRecord[];
  readonly folders: readonly string[];
}

/** Every run file of a folder that can be read; a folder others can write to counts as empty. */
export function readRunFiles(folder: string): readonly RunFileContent[] {
  return runFilesIn(folder).flatMap((file) => readRunFile(file) ?? []);
}

/** SECURITY: a link in the folder's place would lead to files that are not run files. */
export function runFilesIn(folder: string): readonly string[] {
  try {
    assertPrivate(folder);
    const names = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
    return names.map((name) => path.join(folder, name));
  } catch {
    // Not there, or not ours: nothing in it is to be believed.
    return [];
  }
}

const DEPTH_LIMIT = 3;

/** The hook runs this program was started from, outermost first. */
export interface Ancestry {
  readonly depth: number;
  readonly hooks: readonly string[];
}

export const NO_ANCESTRY: Ancestry = Object.freeze({ depth: 0, hooks: Object.freeze([]) });

/** What the environment says about where this program was started from. */
export function ancestryFromEnvironment(env: Environment): Ancestry {
  const depth = Number(env["HOOKLOOP_DEPTH"]);
  const hooks = (env["HOOKLOOP_CHAIN"] ?? "").split(",").filter(Boolean).map(decodeEntry);
  return { depth: Math.max(Number.isSafeInteger(depth) ? depth : 0, hooks.length > 0 ? 1 : 0), hooks };
}

/** Both together: a hook can strip variables, but not its parent processes. */
export function joinAncestry(one: Ancestry, other: Ancestry): Ancestry {
  return { depth: Math.max(one.depth, other.depth), hooks: [...new Set([...one.hooks, ...other.hooks])] };
}

/** The variables by which a program started from a hook knows that it was. */
export function ancestryVariables(ancestry: Ancestry, hookId: string): Environment {
  const hooks = [...new Set([...ancestry.hooks, hookId])];
  return { HOOKLOOP_DEPTH: String(ancestry.depth + 1), HOOKLOOP_CHAIN: hooks.map(encodeURIComponent).join(",") };
}

/** Why a hook may not run here. Ordinary load never gives a reason: only what this program was started from counts. */
export function recursionRefusal(ancestry: Ancestry, hookId: string): RunFailure | undefined {
  if (ancestry.depth >= DEPTH_LIMIT) {
    return failure("could-not-start", `hooks are ${ancestry.depth} deep: a hook started an agent whose hook started an agent, and so on`);
  }
  if (ancestry.hooks.includes(hookId)) {
    return failure("could-not-start", "it is already running: this session was started from a run of the same hook");
  }
  return undefined;
}

function decodeEntry(entry: string): string {
  try {
    return decodeURIComponent(entry);
  } catch {
    // Not written by us; kept as it is, it matches no hook.
    return entry;
  }
}

/** What this program was started from: the environment says it, and the run files of live engines, which a hook cannot strip. */
export function readAncestry(env: Environment, folder?: string): Ancestry {
  const said = ancestryFromEnvironment(env);
  return folder === undefined ? said : joinAncestry(said, ancestryFromProcesses(folder));
}

function ancestryFromProcesses(folder: string): Ancestry {
  const parents = parentChain("self");
  const session = parents[0]?.session;
  const isAncestor = (run: RunRecord): boolean => parents.some((one) => isSame(one, run));
  // A session id is not given to a new process while someone lives in the session, so it holds for a run whose own process has ended.
  const isSession = (run: RunRecord): boolean => run.pid === session;
  return readRunFiles(folder)
    .filter(({ isOfThisSystem }) => isOfThisSystem)
    .flatMap(({ running, ended }) => [...running.filter((run) => isAncestor(run) || isSession(run)), ...ended.filter(isSession)])
    .map(({ depth, hooks }) => ({ depth, hooks }))
    .reduce(joinAncestry, NO_ANCESTRY);
}

/**
 * Whether this program was started by a tool or hook of a session that lives, and so not by the user. The variable can be removed, the parent
 * processes and the process session cannot. SECURITY: `folder` is the one beside the trust store that is to be changed, so another state folder hides nothing.
 */
export function isStartedBySession(env: Readonly<Record<string, string | undefined>>, folder: string): boolean {
  const self = readStat("self");
  // Without /proc nothing is noted, and the variable is all there is.
  return self ? isOfSession(self, env[RUN_VARIABLE], folder) : env[RUN_VARIABLE] !== undefined;
}

/**
 * Whether another process is none that a session's tool or hook has started, and has this file open to write to it: nothing else can have
 * made it so. Where there is no /proc, it cannot be told and counts as such.
 */
export function isOutsider(claimant: ProcessIdentity, { file, folder }: { readonly file: string; readonly folder: string }): boolean {
  if (!readStat("self")) return true;
  const stat = readStat(claimant.pid);
  if (!stat || !isRunning(claimant) || !writesTo(claimant.pid, file)) return false;
  return !isOfSession(stat, markOf(claimant.pid), folder);
}

function writesTo(pid: number, file: string): boolean {
  try {
    const real = realpathSync(file);
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        if (readlinkSync(`/proc/${pid}/fd/${fd}`) !== real) return false;
        // The last octal digit: 1 is "write only", 2 is "read and write".
        return /^flags:\s*[0-7]*[1256]$/m.test(readFileSync(`/proc/${pid}/fdinfo/${fd}`, "latin1"));
      } catch {
        // Closed meanwhile.
        return false;
      }
    });
  } catch {
    // It has ended, or belongs to someone else.
    return false;
  }
}

function isOfSession(self: ProcessStat, mark: string | undefined, folder: string): boolean {
  const chain = parentChain(self.pid);
  const isInChain = (other: ProcessIdentity): boolean => chain.some((one) => isSame(one, other));
  const isParent = (other: ProcessIdentity): boolean => other.pid !== self.pid && isInChain(other);
  const isRun = (other: ProcessIdentity): boolean => other.pid === self.session || isInChain(other);
  return readRunFiles(folder).some((content) => {
    if (!content.isOfThisSystem || !isRunning(content.engine)) return false;
    const { running, ended, left, engine, session } = content;
    if (content.mark !== undefined && mark?.startsWith(`${content.mark}.`)) return true;
    // An engine without a session is a program that has hooks: what else it starts may well be the user's terminal.
    return (session !== undefined && isParent(engine)) || [...running, ...ended, ...left.map(({ run }) => run)].some(isRun);
  });
}

function readRunFile(file: string): RunFileContent | undefined {
  const lines = readLines(file);
  const { engine, mark, session, system } = lines[0] ?? {};
  if (!isIdentity(engine)) return undefined;
  const isText = (value: unknown): value is string => typeof value === "string";
  return {
    file,
    engine,
    isOfThisSystem: system === systemId(),
    mark: isText(mark) ? mark : undefined,
    session: isText(session) ? session : undefined,
    ...readRuns(lines),
    left: lines.map(({ left }) => left).filter(isLeft),
    folders: lines.map(({ folder }) => folder).filter(isText),
  };
}

function readRuns(lines: readonly Record<string, unknown>[]): Pick<RunFileContent, "unfinished" | "running" | "ended"> {
  const running = new Map<number, RunRecord>();
  const ended: RunRecord[] = [];
  const unfinished = new Map<number, StartingRecord>();
  for (const { starting, start, end } of lines) {
    if (isStarting(starting)) unfinished.set(starting.number, starting);
    if (isRecord(start)) {
      running.set(start.pid, start);
      unfinished.delete(start.number ?? 0);
    }
    const gone = typeof end === "number" ? running.get(end) : undefined;
    if (gone && running.delete(gone.pid)) ended.push(gone);
  }
  return { unfinished: [...unfinished.values()], running: [...running.values()], ended };
}

export function othersOn(folder: string, session: string): readonly ProcessIdentity[] {
  const others = readRunFiles(folder).filter((content) => content.isOfThisSystem && content.session === session);
  return others.map(({ engine }) => engine).filter((engine) => engine.pid !== process.pid && isRunning(engine));
}

function readLines(file: string): Record<string, unknown>[] {
  // SECURITY: a fifo or a link in this folder must neither block nor lead elsewhere. It may be gone: its engine removes it.
  const text = readStart(file, Number.POSITIVE_INFINITY, constants.O_NOFOLLOW)?.toString() ?? "";
  return text
    .split("\n")
    .map(parseLine)
    .filter((entry) => entry !== undefined);
}

function parseLine(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    // A torn last line, or the empty one after it.
    return undefined;
  }
}

function isIdentity(value: unknown): value is ProcessIdentity {
  const { pid, startTime } = (value ?? {}) as Partial<ProcessIdentity>;
  return Number.isSafeInteger(pid) && (pid ?? 0) > 1 && typeof startTime === "string" && startTime !== "";
}

function isRecord(value: unknown): value is RunRecord {
  const { pid, startTime, hook, depth, hooks } = (value ?? {}) as Partial<RunRecord>;
  const isProcess = Number.isSafeInteger(pid) && (pid ?? 0) > 1 && typeof startTime === "string";
  return isProcess && typeof hook === "string" && typeof depth === "number" && Array.isArray(hooks);
}

function isStarting(value: unknown): value is StartingRecord {
  const { number, hook = "", text = "" } = (value ?? {}) as Partial<StartingRecord>;
  return Number.isSafeInteger(number) && typeof hook === "string" && typeof text === "string";
}

function isLeft(value: unknown): value is LeftRecord {
  const { run, members } = (value ?? {}) as Partial<LeftRecord>;
  return isRecord(run) && Array.isArray(members) && members.every(isIdentity);
}

/** Start times count from boot, and pids belong to a namespace: both are part of what a pid means. */
export function systemId(): string {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    // A /proc without them: then only pid and start time identify a process.
    return "";
  }
}

// SECURITY: whoever can write here decides what reapOrphans looks at.
export function assertPrivate(folder: string): void {
  const stat = lstatSync(folder);
  if (!stat.isDirectory()) throw new Error("it is not a folder");
  if ((stat.mode & 0o022) !== 0) throw new Error("others can write to it; make it 0700");
  if (process.getuid && stat.uid !== process.getuid()) throw new Error("it belongs to someone else");
}
