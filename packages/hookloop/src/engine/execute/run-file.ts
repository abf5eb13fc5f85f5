// Notes which hook processes run, so that they can be found if this program is killed (fault 52) and so that a program
// started from a hook can see it, whatever variables the hook removed (fault 54). One append-only file per engine.
import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { thrownText } from "./failures.ts";
import { type Ancestry, ancestryFromEnvironment, joinAncestry, NO_ANCESTRY } from "./limits.ts";
import { type ProcessIdentity, readStat } from "./process-identity.ts";

/** One run of one hook. `pid` is also its process group and its session; `startTime` is empty if it ended before it was looked up. */
export interface RunRecord extends ProcessIdentity {
  readonly hook: string;
  readonly depth: number;
  readonly hooks: readonly string[];
}

export interface RunFile {
  /** Notes a process; the result notes its end. */
  started(run: { readonly pid: number; readonly hook: string; readonly ancestry: Ancestry }): () => void;
  /** Removes the file. */
  close(): void;
}

/** What one run file says. */
export interface RunFileContent {
  readonly file: string;
  readonly engine: ProcessIdentity;
  /** Of the same boot and the same pid namespace: its pids mean something here. */
  readonly isOfThisSystem: boolean;
  readonly running: readonly RunRecord[];
  readonly ended: readonly RunRecord[];
}

/** Ended runs are forgotten at this size, when nothing runs. */
const COMPACT_AT_BYTES = 256 * 1024;

/** Reading the start time costs a twentieth of a short hook; one that is over by then needs none. */
const LOOK_UP_AFTER_MS = 20;

const INERT: RunFile = { started: () => () => {}, close: () => {} };

export interface RunFileOptions {
  /** A folder of hookloop's state; made with 0700 if it is not there. */
  readonly folder: string;
  /** Told once if runs cannot be noted; hooks run all the same. */
  readonly onProblem?: ((text: string) => void) | undefined;
}

/** Opens the run file of one engine. Where there is no `/proc`, nothing is noted. */
export function createRunFile({ folder, onProblem }: RunFileOptions): RunFile {
  const self = readStat("self");
  if (!self) return INERT;
  try {
    makePrivateFolder(folder);
    const file = path.join(folder, `${self.pid}-${randomUUID()}.jsonl`);
    const header = line({ v: 1, engine: { pid: self.pid, startTime: self.startTime }, system: systemId() });
    return new OpenRunFile({ file, header, onProblem });
  } catch (thrown) {
    onProblem?.(`running hooks cannot be noted in ${folder}: ${thrownText(thrown)}`);
    return INERT;
  }
}

class OpenRunFile implements RunFile {
  readonly #file: string;
  readonly #header: string;
  readonly #onProblem: ((text: string) => void) | undefined;
  #fd: number | undefined;
  /** Ends are written with the next start: until then a process that is gone is seen to be gone. */
  #unwritten = "";
  #bytes = 0;
  #running = 0;

  constructor({ file, header, onProblem }: { file: string; header: string; onProblem: ((text: string) => void) | undefined }) {
    this.#file = file;
    this.#header = header;
    this.#onProblem = onProblem;
    this.#fd = openSync(file, "ax", 0o600);
    this.#write(header);
  }

  started({ pid, hook, ancestry }: Parameters<RunFile["started"]>[0]): () => void {
    const record: RunRecord = { pid, startTime: "", hook, depth: ancestry.depth + 1, hooks: [...ancestry.hooks, hook] };
    this.#running++;
    this.#note(record);
    const lookUp = setTimeout(() => this.#note({ ...record, startTime: readStat(pid)?.startTime ?? "" }), LOOK_UP_AFTER_MS);
    lookUp.unref();
    return () => {
      clearTimeout(lookUp);
      this.#ended(pid);
    };
  }

  #note(record: RunRecord): void {
    this.#write(this.#unwritten + line({ start: record }));
    this.#unwritten = "";
  }

  #ended(pid: number): void {
    this.#running--;
    this.#unwritten += line({ end: pid });
    if (this.#running === 0 && this.#bytes > COMPACT_AT_BYTES) this.#compact();
  }

  #compact(): void {
    if (this.#fd === undefined) return;
    const kept = Buffer.byteLength(this.#header);
    ftruncateSync(this.#fd, kept);
    this.#bytes = kept;
    this.#unwritten = "";
  }

  #write(text: string): void {
    if (this.#fd === undefined) return;
    try {
      this.#bytes += writeSync(this.#fd, text);
    } catch (thrown) {
      this.close();
      this.#onProblem?.(`running hooks are no longer noted in ${this.#file}: ${thrownText(thrown)}`);
    }
  }

  close(): void {
    if (this.#fd === undefined) return;
    closeSync(this.#fd);
    this.#fd = undefined;
    try {
      unlinkSync(this.#file);
    } catch {
      // Someone tidied up before us; an unreadable rest is dealt with by reapOrphans.
    }
  }
}

/** Every run file of a folder that can be read; a folder others can write to counts as empty. */
export function readRunFiles(folder: string): RunFileContent[] {
  try {
    assertPrivate(folder);
  } catch {
    // Not there, or not ours: nothing in it is to be believed.
    return [];
  }
  return readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => readRunFile(path.join(folder, name)) ?? []);
}

/** What this program was started from: the environment says it, and the run files of live engines, which a hook cannot strip. */
export function readAncestry(env: Readonly<Record<string, string>>, folder?: string): Ancestry {
  const said = ancestryFromEnvironment(env);
  return folder === undefined ? said : joinAncestry(said, ancestryFromProcesses(folder));
}

function ancestryFromProcesses(folder: string): Ancestry {
  const parents = parentChain();
  const session = readStat("self")?.session;
  const isAncestor = (run: RunRecord): boolean => parents.has(`${run.pid} ${run.startTime}`);
  // A session id is not given to a new process while someone lives in the session, so it holds for a run whose own process has ended.
  const isSession = (run: RunRecord): boolean => run.pid === session;
  return readRunFiles(folder)
    .filter(({ isOfThisSystem }) => isOfThisSystem)
    .flatMap(({ running, ended }) => [...running.filter((run) => isAncestor(run) || isSession(run)), ...ended.filter(isSession)])
    .map(({ depth, hooks }) => ({ depth, hooks }))
    .reduce(joinAncestry, NO_ANCESTRY);
}

function parentChain(): ReadonlySet<string> {
  const chain = new Set<string>();
  let stat = readStat("self");
  while (stat && stat.pid > 1 && chain.size < 256) {
    chain.add(`${stat.pid} ${stat.startTime}`);
    stat = readStat(stat.parent);
  }
  return chain;
}

function readRunFile(file: string): RunFileContent | undefined {
  const lines = readLines(file);
  const [header] = lines;
  const engine = header?.["engine"];
  if (!isIdentity(engine)) return undefined;
  const running = new Map<number, RunRecord>();
  const ended: RunRecord[] = [];
  for (const { start, end } of lines) {
    if (isRecord(start)) running.set(start.pid, start);
    const gone = typeof end === "number" ? running.get(end) : undefined;
    if (gone && running.delete(gone.pid)) ended.push(gone);
  }
  return { file, engine, isOfThisSystem: header?.["system"] === systemId(), running: [...running.values()], ended };
}

function readLines(file: string): Record<string, unknown>[] {
  let text: string;
  try {
    // SECURITY: a fifo or a link in this folder must neither block nor lead elsewhere.
    const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      text = fstatSync(fd).isFile() ? readFileSync(fd, "utf8") : "";
    } finally {
      closeSync(fd);
    }
  } catch {
    // Removed by its engine meanwhile.
    return [];
  }
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

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

/** Start times count from boot, and pids belong to a namespace: both are part of what a pid means. */
function systemId(): string {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    // A /proc without them: then only pid and start time identify a process.
    return "";
  }
}

function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  assertPrivate(folder);
}

// SECURITY: whoever can write here decides what reapOrphans looks at.
function assertPrivate(folder: string): void {
  const stat = lstatSync(folder);
  if (!stat.isDirectory()) throw new Error("it is not a folder");
  if ((stat.mode & 0o022) !== 0) throw new Error("others can write to it; make it 0700");
  if (process.getuid && stat.uid !== process.getuid()) throw new Error("it belongs to someone else");
}
