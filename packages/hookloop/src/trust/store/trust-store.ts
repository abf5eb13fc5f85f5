import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats, statSync } from "node:fs";
import path from "node:path";
import { makePrivateFolder, replaceFile } from "../../state-files.ts";
import { digestOf, digestsOfOldForms, isInside, realPath } from "../pin/examine-hook.ts";
import { announce, withLock } from "./announce.ts";
import { checkOf, type Processes, type ProcessId, sealedRecord, type TrustRecord, type TrustRecords } from "./seal-record.ts";
import { type OnTampering, watchOf, watchStore } from "./store-watch.ts";

const WRITABLE_BY_OTHERS = 0o022;

/** Why the store must not be believed, or nothing. A store that is not there is fine: it is empty. */
function storeProblem(folder: string, file: string, projectRoot: string): string | undefined {
  // SECURITY: a checkout must not be able to bring its own approvals along.
  if (isInside(realPath(projectRoot), realAncestor(folder))) return `${folder} lies inside the project`;
  return ownProblem(folder, "folder") ?? ownProblem(file, "file");
}

function ownProblem(target: string, kind: "folder" | "file"): string | undefined {
  const found = lookup(target);
  if (!found) return undefined;
  if (found.isSymbolicLink()) return `${target} is a link`;
  if (kind === "folder" ? !found.isDirectory() : !found.isFile()) return `${target} is not a ${kind}`;
  if (found.uid !== process.getuid?.()) return `${target} belongs to another user: run chown "$(id -un)" "${target}"`;
  if ((found.mode & WRITABLE_BY_OTHERS) !== 0) return `others may write to ${target}: run chmod go-w "${target}"`;
  return undefined;
}

/** Whether there is a store, whatever is wrong with it. Where it cannot be looked at, there may be one. */
function isThere(folder: string, file: string): boolean {
  try {
    const found = lstatSync(folder);
    const leads = found.isSymbolicLink() ? statSync(folder, { throwIfNoEntry: false }) : found;
    // SECURITY: something else in the folder's place took the store with it.
    return !leads?.isDirectory() || lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    return code !== "ENOENT";
  }
}

/** The real path of the nearest folder that exists, with the rest behind it. */
function realAncestor(folder: string): string {
  for (let [at, rest] = [path.resolve(folder), ""]; ; [at, rest] = [path.dirname(at), path.join(path.basename(at), rest)]) {
    if (lookup(at)) return path.join(realPath(at), rest);
    if (at === path.dirname(at)) return path.join(at, rest);
  }
}

function lookup(target: string): Stats | undefined {
  try {
    return lstatSync(target);
  } catch {
    // Not there, or below something that is no folder: whoever wants to write there will be told.
    return undefined;
  }
}

const VERSION = 1;

/** The records of a store's text; a message if it is none. */
function readStoreText(text: string): { readonly records: TrustRecords } | { readonly problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || value["v"] !== VERSION || !isObject(value["hooks"]))
      return { problem: `it is no trust store of version ${VERSION}` };
    const entries = Object.entries(value["hooks"]);
    if (!entries.every((entry): entry is [string, TrustRecord & Record<string, unknown>] => isRecord(entry)))
      return { problem: "one of its records is damaged" };
    return { records: new Map(entries.map(([key, record]) => [key, record.check === undefined ? sealedAll(record) : record])) };
  } catch (thrown) {
    return { problem: `it is no JSON (${thrown instanceof Error ? thrown.message : String(thrown)})` };
  }
}

function storeText(records: TrustRecords): string {
  return `${JSON.stringify({ v: VERSION, hooks: Object.fromEntries(records) }, null, 1)}\n`;
}

/** A record of an older version: what it kept in clear is gone with the next change of the store. */
function sealedAll(record: TrustRecord): TrustRecord {
  return sealedRecord({ ...record, ...(record.previous && { previous: sealedRecord(record.previous) }) });
}

/** SECURITY: a record stands under the digest of its own definition; one that does not was forged or damaged. */
function isRecord([key, value]: readonly [string, unknown]): boolean {
  if (!isObject(value) || !isObject(value["definition"]) || !isObject(value["decision"])) return false;
  const { digest, id, file, unresolved, definition, decision } = value as unknown as TrustRecord;
  return (
    digest === key &&
    (decision.verdict === "approved" || decision.verdict === "refused") &&
    typeof id === "string" &&
    typeof value["name"] === "string" &&
    typeof file === "string" &&
    Array.isArray(unresolved) &&
    Array.isArray(definition.files) &&
    (value["check"] === undefined
      ? [digestOf(definition), ...digestsOfOldForms(definition)].includes(key)
      : value["check"] === checkOf(value as unknown as TrustRecord))
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

interface StoreOptions {
  /** `$XDG_STATE_HOME/hookloop`. */
  readonly folder: string;
  readonly projectRoot: string;
  readonly processes: Processes;
  /** Whether this program was started by an agent's tool or by a hook: then it changes nothing. */
  readonly isOfAgent?: (() => boolean) | undefined;
  /** Whether a process that holds this claim open was started by no session's tool or hook; none: it cannot be told, and the store is not watched. */
  readonly isOutsider?: ((claimant: ProcessId, claim: string) => boolean) | undefined;
  /** Called once with the reason why the store is not believed. */
  readonly onProblem: (text: string) => void;
}

const MAX_ATTEMPTS = 5;
const MAX_BYTES = 64 * 1024 * 1024;
const NO_RECORDS: TrustRecords = new Map();

interface StoreReading {
  readonly records: TrustRecords;
  /** There is a store, but what was approved is not known: it is damaged, or could have been written by others. */
  readonly isLost: boolean;
}

interface BelievedStore {
  readonly records: TrustRecords;
  /** As it is written; nothing if there is no store. */
  readonly text?: string | undefined;
}

/** The approvals of one user. It lies outside every checkout; one that could have been written by others is not believed and is left as it is. */
export class TrustStore {
  readonly #options: StoreOptions;
  readonly #told = new Set<string>();

  constructor(options: StoreOptions) {
    this.#options = options;
  }

  get file(): string {
    return path.join(this.#options.folder, "trust.json");
  }

  /** Nothing may be decided here: this program was started by an agent's tool or by a hook. */
  get isClosed(): boolean {
    return this.#options.isOfAgent?.() ?? false;
  }

  /** All records, by digest. What is not believed has none; whether that means "never approved" is in `isLost`. */
  read(): StoreReading {
    // SECURITY: what one of the agent's tools has just written must not be believed before it is put back.
    const watch = watchOf(this.file);
    watch?.check();
    const found = watch?.isLost ? { problem: "a tool of the agent changed it" } : this.#believed();
    if ("records" in found) return { records: found.records, isLost: false };
    this.#tell(found.problem);
    return { records: NO_RECORDS, isLost: isThere(this.#options.folder, this.file) };
  }

  /** Differs whenever the file may say something else. */
  sign(): string {
    try {
      const found = lstatSync(this.file, { bigint: true, throwIfNoEntry: false });
      return found ? [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(" ") : "";
    } catch (thrown) {
      return String((thrown as NodeJS.ErrnoException).code);
    }
  }

  /** Changes the records, one process at a time. Throws if the store is not to be believed or cannot be written. */
  async update(change: (records: Map<string, TrustRecord>) => void): Promise<void> {
    const { folder, projectRoot, processes } = this.#options;
    // SECURITY: what watches over the agent is not the agent's to approve, whichever program or interface it does it with.
    if (this.isClosed) throw new Error(OF_AGENT);
    // Before anything is made: a folder inside the project must not even appear.
    const problem = storeProblem(folder, this.file, projectRoot);
    if (problem !== undefined) throw new Error(unbelieved(this.file, problem));
    makePrivateFolder(folder);
    await withLock({ file: `${this.file}.lock`, processes }, async () => {
      for (let attempt = 0; ; attempt++) {
        watchOf(this.file)?.check();
        const sign = this.sign();
        const found = this.#believed();
        if ("problem" in found) throw new Error(unbelieved(this.file, found.problem));
        const records = new Map(found.records);
        change(records);
        const text = storeText(records);
        watchOf(this.file)?.expect(text);
        await announce(folder, { before: found.text, text }, processes);
        // SECURITY: a session that watches may just have put back what this was made from.
        if (this.sign() !== sign && attempt < MAX_ATTEMPTS) continue;
        replaceFile(this.file, text);
        return;
      }
    });
  }

  /** From now on unannounced changes are put back; the function that is returned ends that. Nothing if the store is not believed, or it cannot be told who announces. */
  watch(onTampering: OnTampering): (() => void) | undefined {
    const { folder, projectRoot, processes, isOutsider } = this.#options;
    if (!isOutsider || "problem" in this.#load()) return undefined;
    const { file } = this;
    const load = (): { readonly text: string | undefined } | { readonly problem: string } => {
      const problem = storeProblem(folder, file, projectRoot);
      if (problem !== undefined) return { problem };
      try {
        return { text: readNoFollow(file) };
      } catch (thrown) {
        const { code, message } = thrown as NodeJS.ErrnoException;
        return code === "ENOENT" ? { text: undefined } : { problem: message };
      }
    };
    return watchStore({ folder, file, self: processes.self(), isOutsider, load }, onTampering);
  }

  /** Looks whether the store is still what was approved, and puts it back if not. */
  checkWatched(): void {
    watchOf(this.file)?.check();
  }

  /** Keeps the approved text of a file, so that a later change can be shown. */
  keepText(sha256: string, text: string): void {
    const folder = path.join(this.#options.folder, "approved");
    makePrivateFolder(folder);
    const file = path.join(folder, sha256);
    if (!lstatSync(file, { throwIfNoEntry: false })) replaceFile(file, text);
  }

  /** The approved text of a file, if it was kept. */
  textOf(sha256: string): string | undefined {
    if (!/^[0-9a-f]{64}$/.test(sha256)) return undefined;
    try {
      const text = readNoFollow(path.join(this.#options.folder, "approved", sha256));
      // SECURITY: what is shown as approved must be what was approved.
      return createHash("sha256").update(text).digest("hex") === sha256 ? text : undefined;
    } catch {
      // Not kept: the diff says so.
      return undefined;
    }
  }

  /** SECURITY: while tools run, only what the watch has seen and believed counts: the file may be another one since it looked. */
  #believed(): BelievedStore | { readonly problem: string } {
    const watch = watchOf(this.file);
    if (!watch) return this.#load();
    return watch.text === undefined ? { records: NO_RECORDS } : { ...readStoreText(watch.text), text: watch.text };
  }

  #load(): BelievedStore | { readonly problem: string } {
    const { folder, projectRoot } = this.#options;
    const problem = storeProblem(folder, this.file, projectRoot);
    if (problem !== undefined) return { problem };
    try {
      const text = readNoFollow(this.file);
      return { ...readStoreText(text), text };
    } catch (thrown) {
      const { code, message } = thrown as NodeJS.ErrnoException;
      // SECURITY: a file where a folder of the store should be is not a store that is yet to be made: it was put there.
      return code === "ENOENT" ? { records: NO_RECORDS } : { problem: message };
    }
  }

  #tell(problem: string): void {
    if (this.#told.has(problem)) return;
    this.#told.add(problem);
    this.#options.onProblem(unbelieved(this.file, problem));
  }
}

/** For people. */
export const OF_AGENT =
  "Nothing was changed: this was started by a tool or a hook of a running agent, and what it may run is for the user to decide. Run it in your own terminal.";

function unbelieved(file: string, problem: string): string {
  return `The trust store ${file} is not used: ${problem}. It is left as it is, and what was approved cannot be told. Fix it, or move it away and approve again: hookloop trust review`;
}

function readNoFollow(file: string): string {
  // SECURITY: a link that took the file's place since it was looked at is not followed.
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    // SECURITY: the size is looked at first: a store as large as the memory must not end the program that was to be guarded.
    if (fstatSync(fd).size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`);
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}
