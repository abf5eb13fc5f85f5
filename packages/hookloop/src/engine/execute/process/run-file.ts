// Notes which hook processes run, so that they can be found if this program is killed (fault 52) and so that a program
// started from a hook can see it, whatever variables the hook removed (fault 54). One append-only file per engine.
import { randomUUID } from "node:crypto";
import { closeSync, ftruncateSync, mkdirSync, openSync, unlinkSync, writeSync } from "node:fs";
import path from "node:path";
import { thrownText } from "../failures.ts";
import type { Ancestry } from "../limits.ts";
import { readStat } from "./process-identity.ts";
import { assertPrivate, type RunRecord, systemId } from "./read-run-files.ts";

export interface RunFile {
  /** Notes a process; the result notes its end. */
  started(run: { readonly pid: number; readonly hook: string; readonly ancestry: Ancestry }): () => void;
  /** Removes the file. */
  close(): void;
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

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  assertPrivate(folder);
}
