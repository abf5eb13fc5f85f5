// Notes what a session has started and made, so that it can be found if this program is killed: processes and temporary folders. Also, a
// program started from a hook can see that it was, whatever variables the hook removed. One append-only file per engine.

import { randomUUID } from "node:crypto";
import { closeSync, ftruncateSync, mkdirSync, openSync, rmSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { makeFolders } from "../../state-files.ts";
import { thrownText } from "../types.ts";
import { atExit } from "./orphans.ts";
import { isRunning, readStat } from "./process-identity.ts";
import { type Ancestry, assertPrivate, type LeftRecord, NO_ANCESTRY, type RunRecord, systemId } from "./read-run-files.ts";
import type { LeftBehind } from "./run-processes.ts";

export interface RunFile {
  /** Notes that a program is about to be started: between its start and the note of its process this program may be killed. */
  starting(run: Omit<StartedRun, "pid">): Starting;
  /** Notes a process; the result notes its end, and what it left running. */
  started(run: StartedRun): (left?: LeftBehind) => void;
  /** A new folder for this user only. It goes with the file, or at the next start if this program is killed. */
  makeFolder(kind: string): string;
  /** The same, but not made yet. */
  reserveFolder(kind: string): string;
  close(): void;
}

interface Starting {
  readonly mark: string;
  /** Notes its process; the result is that of `RunFile.started`. */
  started(pid: number): ReturnType<RunFile["started"]>;
}

export interface StartedRun {
  readonly pid: number;
  /** Id of the hook; absent for a program of the agent. */
  readonly hook?: string | undefined;
  readonly text?: string | undefined;
  readonly ancestry?: Ancestry | undefined;
}

/** Ended runs are forgotten at this size, when nothing runs. */
const COMPACT_AT_BYTES = 256 * 1024;

/** Reading the start time costs a twentieth of a short hook; one that is over by then needs none. */
const LOOK_UP_AFTER_MS = 20;

interface RunFileOptions {
  /** A folder of hookloop's state; made with 0700 if it is not there. */
  readonly folder: string;
  /** The session that this program works on, for others that want to. */
  readonly session?: string | undefined;
  /** Told once if runs cannot be noted; hooks run all the same. */
  readonly onProblem?: ((text: string) => void) | undefined;
}

/** Opens the run file of one engine. Where there is no `/proc`, or no folder to write in, nothing is noted. */
export function createRunFile({ folder, session, onProblem }: RunFileOptions): RunFile {
  const mark = randomUUID();
  const self = readStat("self");
  if (!self) return new OpenRunFile({ mark, onProblem });
  try {
    makeFolders(folder, 0o700);
    assertPrivate(folder);
    const file = path.join(folder, `${self.pid}-${randomUUID()}.jsonl`);
    const engine = { pid: self.pid, startTime: self.startTime };
    const header = line({ v: 1, engine, system: systemId(), mark, ...(session !== undefined && { session }) });
    return new OpenRunFile({ mark, file, header, onProblem });
  } catch (thrown) {
    onProblem?.(`running hooks cannot be noted in ${folder}: ${thrownText(thrown)}`);
    return new OpenRunFile({ mark, onProblem });
  }
}

/** Notes nothing. */
export function createInertRunFile(): RunFile {
  return new OpenRunFile({ mark: randomUUID(), onProblem: undefined });
}

/** A run file that is opened when there is something to note. */
export function createLazyRunFile(options: RunFileOptions): RunFile {
  let made: RunFile | undefined;
  const open = (): RunFile => {
    made ??= createRunFile(options);
    return made;
  };
  return {
    starting: (run) => open().starting(run),
    started: (run) => open().started(run),
    makeFolder: (kind) => open().makeFolder(kind),
    reserveFolder: (kind) => open().reserveFolder(kind),
    close() {
      made?.close();
      made = undefined;
    },
  };
}

interface OpenOptions extends Pick<RunFileOptions, "onProblem"> {
  readonly mark: string;
  /** Absent: nothing is noted. */
  readonly file?: string;
  readonly header?: string;
}

class OpenRunFile implements RunFile {
  readonly #options: OpenOptions;
  readonly #forgetExit: () => void;
  readonly #folders = new Set<string>();
  #left: LeftRecord[] = [];
  #fd: number | undefined;
  /** Ends are written with the next start: until then a process that is gone is seen to be gone. If something of it stays, they are written at once. */
  #unwritten = "";
  #bytes = 0;
  #running = 0;
  #isTorn = false;
  #isTold = false;
  #lastNumber = 0;

  constructor(options: OpenOptions) {
    this.#options = options;
    const { file, header } = options;
    if (file !== undefined && header !== undefined) {
      this.#fd = openSync(file, "ax", 0o600);
      this.#write(header);
    }
    this.#forgetExit = atExit(() => this.close());
  }

  starting(run: Omit<StartedRun, "pid">): Starting {
    const number = ++this.#lastNumber;
    const { hook, text } = run;
    this.#note({ starting: { number, ...(hook !== undefined && { hook }), ...(text !== undefined && { text }) } });
    return { mark: `${this.#options.mark}.${number}`, started: (pid) => this.started({ ...run, pid }, number) };
  }

  started({ pid, hook, text, ancestry = NO_ANCESTRY }: StartedRun, number?: number): (left?: LeftBehind) => void {
    const more = hook === undefined ? [] : [hook];
    const record: RunRecord = {
      pid,
      startTime: "",
      hook: hook ?? "",
      depth: ancestry.depth + more.length,
      hooks: [...ancestry.hooks, ...more],
      ...(text !== undefined && { text }),
      ...(number !== undefined && { number }),
    };
    this.#running++;
    const identified = (): RunRecord => ({ ...record, startTime: readStat(pid)?.startTime ?? "" });
    // A program of the agent takes its time anyway.
    this.#note({ start: hook === undefined ? identified() : record });
    const identify = (): void => {
      const start = identified();
      // A process that is gone by now has nothing to add.
      if (start.startTime !== "") this.#note({ start });
    };
    const later = hook === undefined ? undefined : setTimeout(identify, LOOK_UP_AFTER_MS).unref();
    return (left) => {
      clearTimeout(later);
      this.#ended(record, left);
    };
  }

  makeFolder(kind: string): string {
    // Noted first: a kill in between leaves a line about nothing.
    const folder = this.reserveFolder(kind);
    // SECURITY: a new folder with 0700; nothing can have been planted in it.
    mkdirSync(folder, { mode: 0o700 });
    return folder;
  }

  reserveFolder(kind: string): string {
    const folder = path.join(tmpdir(), `hookloop-${kind}-${randomUUID()}`);
    this.#note({ folder });
    this.#folders.add(folder);
    return folder;
  }

  #note(entry: object): void {
    this.#unwritten += line(entry);
    this.#flush();
  }

  #flush(): void {
    this.#write(this.#unwritten);
    this.#unwritten = "";
  }

  #ended(run: RunRecord, { leftRunning: members = [], leftApart = [] }: LeftBehind = {}): void {
    this.#running--;
    this.#unwritten += line({ end: run.pid });
    if (members.length > 0) {
      this.#left = [...this.#left.filter((one) => one.members.some(isRunning)), { run, members }];
      this.#note({ left: { run, members } });
    } else if (leftApart.length > 0) this.#flush();
    if (this.#running === 0 && this.#bytes > COMPACT_AT_BYTES) this.#compact();
  }

  #compact(): void {
    if (this.#fd === undefined) return;
    const kept = Buffer.byteLength(this.#options.header ?? "");
    ftruncateSync(this.#fd, kept);
    this.#bytes = kept;
    this.#unwritten = "";
    for (const folder of this.#folders) this.#note({ folder });
    for (const left of this.#left) this.#note({ left });
  }

  /** A full disk costs the lines that did not fit, not those that were written before or will be after. */
  #write(text: string): void {
    if (this.#fd === undefined) return;
    const bytes = Buffer.from(this.#isTorn ? `\n${text}` : text);
    try {
      const written = writeSync(this.#fd, bytes);
      this.#bytes += written;
      this.#isTorn = written !== bytes.length;
      if (this.#isTorn) throw new Error("the disk is full");
    } catch (thrown) {
      if (this.#isTold) return;
      this.#isTold = true;
      const { file, onProblem } = this.#options;
      onProblem?.(`running programs cannot be noted in ${file}: ${thrownText(thrown)}. If hookloop is killed, they stay. Free some space`);
    }
  }

  close(): void {
    this.#forgetExit();
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
    this.#folders.clear();
    if (this.#fd === undefined) return;
    closeSync(this.#fd);
    this.#fd = undefined;
    try {
      unlinkSync(this.#options.file ?? "");
    } catch {
      // Someone tidied up before us; an unreadable rest is dealt with by reapOrphans.
    }
  }
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
