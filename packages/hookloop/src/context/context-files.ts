/**
 * The files of contexts. Takes a project and the name of a file below `.hookloop/contexts/`; gives its text, or writes it so that a reader sees the old
 * text or the new one. Refuses what is too large, and folders that are links. What this machine writes is noted outside of the checkout, so that text
 * which came with a clone can be told apart.
 */

import { createHash, createHmac, randomBytes } from "node:crypto";
import { constants, lstatSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { hookLog } from "@hookloop/sdk";
import { gitRoot } from "../permissions/index.ts";
import {
  absolutePath,
  createPrivateFile,
  isFolder,
  isThere,
  makeFolders,
  makeSafeFolder,
  namesIn,
  ownFolder,
  projectName,
  readFolder,
  readStart,
  replaceFile,
} from "../state-files.ts";
import { type ContextState, newState, nowIso, parseState, record, texts } from "./state.ts";

/** Files of a context that are larger are neither written nor read. */
export const MAX_FILE_SIZE: number = 1024 * 1024;

/** `CLAUDE_PROJECT_DIR`, if it is absolute; otherwise the root of the repository around the folder. */
export function getProjectRoot(cwd: string = process.cwd()): string {
  return absolutePath(process.env["CLAUDE_PROJECT_DIR"]) ?? gitRoot(cwd);
}

/** Where the contexts of a project are, or one of them. */
export function getContextDir(projectRoot: string, contextId?: string): string {
  const folder = path.join(projectRoot, ".hookloop", "contexts");
  return contextId === undefined ? folder : path.join(folder, checkedId(contextId));
}

// SECURITY: an id comes from prompts and files; it must not lead out of the folder.
export function isContextId(id: string): boolean {
  return /^[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?$/.test(id);
}

function checkedId(id: string): string {
  if (!isContextId(id)) throw new Error(`${JSON.stringify(id)} is not the id of a context: lower-case letters, digits and hyphens.`);
  return id;
}

/** Replaces a file: a crash leaves the old text or the new one. Makes its folder. */
export function atomicWriteFileSync(file: string, content: string | Buffer): void {
  const size = typeof content === "string" ? Buffer.byteLength(content) : content.length;
  if (size > MAX_FILE_SIZE)
    throw new Error(`${file} is not written: ${size} bytes are more than the ${MAX_FILE_SIZE} that a file of a context may have.`);
  makeFolders(path.dirname(file));
  replaceFile(file, content);
}

/** A file of a context; nothing if it is missing, too large, or no plain file. */
export function readContextFile(projectRoot: string, contextId: string, name: string): string | undefined {
  if (foldersTo(projectRoot, contextId, name).some(isLink)) return undefined;
  return textIn(path.join(getContextDir(projectRoot, contextId), name));
}

interface WriteOptions {
  /** It counts as this machine's own from now on, whatever was there before. */
  readonly adopts?: boolean | undefined;
  /** What it is made of is not known to be this machine's own. */
  readonly isForeign?: boolean | undefined;
}

/** Writes one, and notes that this machine did. A text that replaces a foreign one stays foreign: it may hold what that said. */
export function writeContextFile(projectRoot: string, contextId: string, name: string, text: string, options: WriteOptions = {}): void {
  const file = path.join(getContextDir(projectRoot, contextId), name);
  makeContextFolders(projectRoot, contextId, name);
  const before = textIn(file);
  const replacesForeign = isThere(file) && !(before !== undefined && isOwnText(projectRoot, file, before));
  // Noted first: a crash in between leaves the old text, whose digest is still there.
  if (options.adopts || !(replacesForeign || options.isForeign)) noteOwn(projectRoot, file, text, before);
  atomicWriteFileSync(file, text);
}

/** The folders of a context. SECURITY: a checkout may have links in their place, which lead anywhere. */
export function makeContextFolders(projectRoot: string, contextId?: string, name = "state.json"): void {
  makeFolders(projectRoot);
  const folders =
    contextId === undefined ? [path.join(projectRoot, ".hookloop"), getContextDir(projectRoot)] : foldersTo(projectRoot, contextId, name);
  for (const folder of folders) {
    if (isLink(folder)) throw new Error(`${folder} is a link. Contexts are kept in folders of the project; remove it.`);
    makeFolders(folder);
  }
}

function foldersTo(projectRoot: string, contextId: string, name: string): readonly string[] {
  const all = [path.join(projectRoot, ".hookloop"), getContextDir(projectRoot), getContextDir(projectRoot, contextId)];
  const below = path.dirname(name);
  return below === "." ? all : [...all, path.join(getContextDir(projectRoot, contextId), below)];
}

/** The folder of all contexts is not one of the project. */
function isLinked(projectRoot: string): boolean {
  return [path.join(projectRoot, ".hookloop"), getContextDir(projectRoot)].some(isLink);
}

function isLink(folder: string): boolean {
  try {
    return lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    // Not ours to see, and then not ours to write into either.
    return false;
  }
}

function textIn(file: string): string | undefined {
  const bytes = readStart(file, MAX_FILE_SIZE + 1, constants.O_NOFOLLOW);
  return bytes === undefined || bytes.length > MAX_FILE_SIZE ? undefined : bytes.toString("utf8");
}

/**
 * The state of a context; nothing if there is no such context. A file that is torn or foreign is not changed here: what is known without it is given,
 * with `repair` saying so, and the next save keeps that file aside.
 */
export function readState(contextId: string, projectRoot: string): ContextState | undefined {
  const folder = getContextDir(projectRoot, contextId);
  if (!isFolder(folder)) return undefined;
  const text = readContextFile(projectRoot, contextId, "state.json");
  const why =
    text === undefined ? (isThere(path.join(folder, "state.json")) ? "it is too large, or no plain file" : "it is missing") : undefined;
  if (text !== undefined) {
    try {
      return parseState(text, contextId);
    } catch (thrown) {
      return rebuiltState(projectRoot, contextId, (thrown as Error).message);
    }
  }
  return rebuiltState(projectRoot, contextId, why ?? "");
}

/** Writes a state. Only for whoever holds the lock of the context: `saveState` does. */
export function writeState(state: ContextState, projectRoot: string, { adopts = false }: Pick<WriteOptions, "adopts"> = {}): void {
  const isForeign = keepBroken(projectRoot, state.id);
  writeContextFile(projectRoot, state.id, "state.json", `${JSON.stringify(state, null, 2)}\n`, { adopts, isForeign });
}

/** What the folder and the index say about a context whose state cannot be read. */
function rebuiltState(projectRoot: string, contextId: string, why: string): ContextState {
  const known = readIndex(projectRoot)?.[contextId];
  const [plan, handoff] = ["plans", "handoffs"].map((below) => newestIn(projectRoot, contextId, below));
  const planText = plan === undefined ? undefined : readContextFile(projectRoot, contextId, plan);
  const at = nowIso();
  return {
    ...newState(contextId, known?.title ?? contextId),
    mode: known?.mode ?? "idle",
    isClosed: known?.isClosed ?? false,
    sessions: known?.sessions ?? [],
    ...(plan !== undefined && planText !== undefined && { plan: { file: plan, hash: computePlanHash(planText), archivedAt: at } }),
    ...(handoff !== undefined && { handoff: { file: handoff, savedAt: at } }),
    repair: `state.json could not be read (${why}). The context was rebuilt from its folder and the index; its tasks are lost.`,
  };
}

function newestIn(projectRoot: string, contextId: string, below: string): string | undefined {
  const names = namesIn(path.join(getContextDir(projectRoot, contextId), below)).filter((name) => /^[a-z0-9][\w-]*\.md$/.test(name));
  const newest = [...names].sort().at(-1);
  return newest === undefined ? undefined : `${below}/${newest}`;
}

/** Digest of what a plan says; line ends and space at their ends do not count. */
export function computePlanHash(plan: string): string {
  const text = plan
    .replace(/\r\n?/g, "\n")
    .replace(/[ \t]+$/gm, "")
    .trim();
  return createHash("sha256").update(text).digest("hex");
}

/** Moves a state that cannot be read out of the way; whether there was one. */
function keepBroken(projectRoot: string, contextId: string): boolean {
  const file = path.join(getContextDir(projectRoot, contextId), "state.json");
  if (!isThere(file)) return false;
  const text = readContextFile(projectRoot, contextId, "state.json");
  try {
    if (text !== undefined) {
      parseState(text, contextId);
      return false;
    }
  } catch {
    // Kept below.
  }
  const aside = `${file}.broken-${digestOf(text ?? nowIso()).slice(0, 8)}`;
  hookLog("context", "warn", `${file} could not be read. It is kept as ${path.basename(aside)}, and the context is rebuilt.`);
  // Moved, not copied: it may be a link, or of any size.
  renameSync(file, aside);
  return true;
}

/** What the index says of a context: enough to find it without reading its state. */
export type IndexEntry = Pick<ContextState, "title" | "mode" | "isClosed" | "sessions">;
export type ContextIndex = Readonly<Record<string, IndexEntry>>;

/** `index.json`; nothing if it is missing or torn. It is only a shortcut: the folders are what holds. */
export function readIndex(projectRoot: string): ContextIndex | undefined {
  const text = isLinked(projectRoot) ? undefined : textIn(path.join(getContextDir(projectRoot), "index.json"));
  if (text === undefined) return undefined;
  try {
    const entries = Object.entries(record(record(JSON.parse(text))?.["contexts"]) ?? {}).flatMap(([id, value]) => {
      const raw = record(value);
      if (raw === undefined || !isContextId(id)) return [];
      // Read as a state is, so that older modes and wrong types are treated the same.
      const { title, mode, isClosed, sessions } = parseState(JSON.stringify({ ...raw, id, sessions: texts(raw["sessions"]) }), id);
      return [[id, { title, mode, isClosed, sessions }] as const];
    });
    return Object.fromEntries(entries);
  } catch {
    // It is made again from the folders.
    return undefined;
  }
}

export function writeIndex(projectRoot: string, contexts: ContextIndex): void {
  const file = path.join(getContextDir(projectRoot), "index.json");
  // A power cut may cost it: it is made again.
  replaceFile(file, `${JSON.stringify({ version: 1, contexts }, null, 2)}\n`, { isFlushed: false });
}

/** The ids of all contexts: the folders there are. */
export function contextIds(projectRoot: string): readonly string[] {
  if (isLinked(projectRoot)) return [];
  return readFolder(getContextDir(projectRoot)).flatMap((entry) => (entry.isDirectory() && isContextId(entry.name) ? [entry.name] : []));
}

/** Whether this machine wrote exactly this text into this file. Text from a clone is somebody else's, and not to be obeyed before the project is trusted. */
export function isOwnText(projectRoot: string, file: string, text: string): boolean {
  return notedDigests(projectRoot, file).includes(digestOf(text));
}

/** The file in which the digests of a context's file are noted: outside of any checkout. */
function noteFile(projectRoot: string, file: string): string {
  const name = createHash("sha256").update(path.relative(projectRoot, file)).digest("hex").slice(0, 24);
  return path.join(stateFolder(), projectName(path.resolve(projectRoot)), name);
}

function stateFolder(): string {
  return path.join(ownFolder("state", { env: process.env, home: homedir() }), "contexts");
}

function notedDigests(projectRoot: string, file: string): readonly string[] {
  return readStart(noteFile(projectRoot, file), 1024)?.toString().split("\n").filter(Boolean) ?? [];
}

function noteOwn(projectRoot: string, file: string, text: string, before: string | undefined): void {
  const note = noteFile(projectRoot, file);
  const digests = [digestOf(text), ...(before === undefined ? [] : [digestOf(before)])];
  try {
    makeSafeFolder(path.dirname(note));
    replaceFile(note, `${digests.join("\n")}\n`, { isFlushed: false });
  } catch (thrown) {
    hookLog("context", "warn", `It could not be noted that ${file} is this machine's own text: ${(thrown as Error).message}`);
  }
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Proof that this machine's user said something: nobody who only has the checkout can make it. */
export function signText(text: string): string {
  const file = path.join(stateFolder(), "key");
  makeSafeFolder(path.dirname(file));
  if (!isThere(file)) createPrivateFile(file, randomBytes(32));
  const key = readStart(file, 64, constants.O_NOFOLLOW);
  if (key?.length !== 32) throw new Error(`${file} is not a key of 32 bytes. Remove it; plans that were approved must be approved again.`);
  return createHmac("sha256", key).update(text).digest("hex");
}
