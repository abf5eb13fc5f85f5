/**
 * Watches over the store while a session runs tools. Reading a command before it runs can never be complete; so a change of the store that
 * nobody outside of the agent's own processes has announced is put back, whatever made it. One watch per store and process.
 */

import { chmodSync, existsSync, type FSWatcher, lstatSync, rmSync, watch } from "node:fs";
import path from "node:path";
import { makePrivateFolder, replaceFile } from "../../state-files.ts";
import { answerClaim, claimFolder, digestOfText, nameOfWatcher, noteWatcher, openClaims, type SeenClaim } from "./announce.ts";
import type { ProcessId } from "./seal-record.ts";

interface WatchedStore {
  readonly folder: string;
  readonly file: string;
  readonly self: ProcessId;
  /** Whether a process that holds this claim was started by no session's tool or hook. */
  readonly isOutsider: (claimant: ProcessId, claim: string) => boolean;
  /** What the store says: a text, nothing if there is none, or that it cannot be believed. */
  readonly load: () => { readonly text: string | undefined } | { readonly problem: string };
}

/** Called when something happened to the store; `problem`: it could not be put back. */
export type OnTampering = (problem: string | undefined) => void;

/**
 * Something that changes the store as fast as it is put back, or another session that knows another store, is not fought at each change:
 * after so many times only around calls, before the store is read or changed, and at the end. So often it is said, too.
 */
const MAX_AT_ONCE = 20;
const MAX_ATTEMPTS = 3;
const POLL_MS = 25;

const watches = new Map<string, StoreWatch>();

/** The watch over a store, if this process has one. */
export function watchOf(file: string): StoreWatch | undefined {
  return watches.get(file);
}

/** Starts to watch; the function it returns ends that. */
export function watchStore(store: WatchedStore, onTampering: OnTampering): () => void {
  const one = watches.get(store.file) ?? new StoreWatch(store);
  watches.set(store.file, one);
  one.listeners.add(onTampering);
  return () => {
    one.check();
    one.listeners.delete(onTampering);
    if (one.listeners.size > 0) return;
    one.close();
    watches.delete(store.file);
  };
}

class StoreWatch {
  readonly listeners: Set<OnTampering> = new Set();
  readonly #store: WatchedStore;
  readonly #watcher: string;
  readonly #announced = new Set<string>();
  #text: string | undefined;
  #sign: string;
  #putBack = 0;
  #isLost = false;
  #isRestoring = false;
  #stops: (() => void)[] = [];

  constructor(store: WatchedStore) {
    this.#store = store;
    this.#watcher = nameOfWatcher(store.self);
    // SECURITY: looked at before it is read, here and below: what changes in between is seen the next time.
    this.#sign = this.#look();
    const found = store.load();
    this.#text = "text" in found ? found.text : undefined;
    this.#listen();
  }

  /** The store was changed and could not be put back: what it says is not what was approved. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** What the store says as far as it was announced. SECURITY: it does not contain what was written without an announcement since the last look. */
  get text(): string | undefined {
    return this.#text;
  }

  /** What this process is about to write itself. */
  expect(text: string): void {
    this.#announced.add(digestOfText(text));
  }

  /** Takes over what was announced, and puts back what was not. */
  check(): void {
    const sign = this.#look();
    if (sign === this.#sign || this.#isRestoring) return;
    const found = this.#store.load();
    const text = "text" in found ? found.text : undefined;
    const isBelieved = "text" in found;
    const isAnnounced =
      text !== undefined && text !== this.#text && (this.#announced.has(digestOfText(text)) || this.#isClaimed(digestOfText(text)));
    // SECURITY: a claim counts once, else what was taken back could be written once more.
    if (isBelieved && isAnnounced) this.#announced.clear();
    if (isBelieved && (text === this.#text || isAnnounced)) {
      this.#text = text;
      this.#sign = sign;
      this.#isLost = false;
    } else this.#restore();
  }

  /**
   * Whether claims that could not be looked at in time lead from what is believed to this: the program may have been stuck while they were made.
   * SECURITY: each names what it was made from, so that nothing is believed that was built on an unannounced change.
   */
  #isClaimed(digest: string): boolean {
    const claims = openClaims(claimFolder(this.#store.folder), this.#watcher).filter(({ by, file }) => this.#store.isOutsider(by, file));
    const used = new Set<SeenClaim>();
    let at = digestOfText(this.#text ?? "");
    while (at !== digest) {
      const next = claims.find((claim) => claim.before === at && !used.has(claim));
      if (!next) return false;
      used.add(next);
      at = next.digest;
    }
    for (const claim of used) answerClaim(claim, this.#watcher);
    // An empty file where there was none needs a claim like any other.
    return used.size > 0;
  }

  close(): void {
    for (const stop of this.#stops.splice(0)) stop();
    rmSync(path.join(claimFolder(this.#store.folder), this.#watcher), { force: true });
  }

  /** Differs whenever the file or its folder may be another one, or others may have got rights to it. */
  #look(): string {
    const { file, folder } = this.#store;
    try {
      const own = lstatSync(file, { bigint: true, throwIfNoEntry: false });
      const above = lstatSync(folder, { throwIfNoEntry: false });
      return [own?.ino, own?.size, own?.mtimeNs, own?.ctimeNs, above?.ino, above?.mode, above?.uid].join(" ");
    } catch (thrown) {
      return String((thrown as NodeJS.ErrnoException).code);
    }
  }

  #restore(): void {
    this.#isRestoring = true;
    this.#putBack++;
    let problem = this.#tryRestore();
    // What changes it may do so once more in between.
    for (let attempt = 1; attempt < MAX_ATTEMPTS && problem !== undefined; attempt++) problem = this.#tryRestore();
    this.#isLost = problem !== undefined;
    // SECURITY: it is read again at the next look: it may be another one already.
    this.#sign = "";
    if (this.#putBack <= MAX_AT_ONCE) for (const listener of this.listeners) listener(problem);
    // The folder may be another one by now.
    this.#listen();
    this.#isRestoring = false;
  }

  #tryRestore(): string | undefined {
    const { folder, file } = this.#store;
    try {
      if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) rmSync(folder);
      makePrivateFolder(folder);
      chmodSync(folder, 0o700);
      // A folder or a link in its place is no store.
      if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === false || this.#text === undefined)
        rmSync(file, { recursive: true, force: true });
      if (this.#text !== undefined) replaceFile(file, this.#text);
      return undefined;
    } catch (thrown) {
      return thrown instanceof Error ? thrown.message : String(thrown);
    }
  }

  #listen(): void {
    for (const stop of this.#stops.splice(0)) stop();
    const { folder } = this.#store;
    const claims = claimFolder(folder);
    try {
      makePrivateFolder(folder);
      noteWatcher(claims, this.#watcher);
    } catch {
      // Where nothing can be noted, nothing can be approved either: the store is in that folder.
      return;
    }
    const onChange = (): void => this.#answer();
    try {
      for (const one of [folder, claims]) this.#stops.push(closing(watch(one, { persistent: false }, onChange)));
    } catch {
      // Too many watches on this machine.
      const timer = setInterval(onChange, POLL_MS);
      timer.unref();
      this.#stops.push(() => clearInterval(timer));
    }
    if (existsSync(path.join(claims, this.#watcher))) this.#answer();
  }

  /** SECURITY: what was changed without a word is put back before a claim is answered, so that no honest change is built on it. */
  #answer(): void {
    const { folder } = this.#store;
    if (this.#putBack < MAX_AT_ONCE || openClaims(claimFolder(folder), this.#watcher).length > 0) this.check();
    const claims = openClaims(claimFolder(folder), this.#watcher);
    if (!existsSync(path.join(claimFolder(folder), this.#watcher))) {
      // Where there was no store, a folder that is gone stays so.
      if (this.#text !== undefined || existsSync(folder)) this.#listen();
      return;
    }
    for (const claim of claims) {
      if (this.#store.isOutsider(claim.by, claim.file)) this.#announced.add(claim.digest);
      answerClaim(claim, this.#watcher);
    }
  }
}

function closing(watcher: FSWatcher): () => void {
  // A folder that is removed is no error.
  watcher.on("error", () => {});
  return () => watcher.close();
}
