/**
 * The contexts of a project. Every change happens under the lock of its context, on the state as it is then: sessions that save at once lose nothing.
 * The transitions between modes are here: idle, has_plan and has_handoff → active on activity, active → has_plan or has_handoff when a session ends.
 */

import { mkdirSync } from "node:fs";
import path from "node:path";
import { hookLog } from "@hookloop/sdk";
import { visibleLine } from "../diagnostic.ts";
import { PROCESSES } from "../run/index.ts";
import { withLock } from "../trust/index.ts";
import {
  type ContextIndex,
  contextIds,
  getContextDir,
  type IndexEntry,
  isContextId,
  isOwnText,
  makeContextFolders,
  readContextFile,
  readIndex,
  readState,
  writeIndex,
  writeState,
} from "./context-files.ts";
import { type ContextState, generateContextId, newState, nowIso } from "./state.ts";

/** Several sessions may save again and again; each save takes milliseconds. */
const LOCK_WAIT_MS = 30_000;
const LONGEST_TITLE = 120;

type Change = (state: ContextState) => ContextState;

export interface CreateContextOptions {
  /** What the work is about: the first prompt, or a title. The id is made of its words. */
  readonly about: string;
  readonly projectRoot: string;
  /** The session that works on it. */
  readonly sessionId?: string | undefined;
}

/** Makes a context: idle, with an id from meaningful words. */
export async function createContext({ about, projectRoot, sessionId }: CreateContextOptions): Promise<ContextState> {
  makeContextFolders(projectRoot);
  const taken = new Set(contextIds(projectRoot));
  for (;;) {
    const id = generateContextId(about, taken);
    taken.add(id);
    try {
      // Not recursive: of two sessions that want the same id only one makes the folder.
      mkdirSync(getContextDir(projectRoot, id));
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === "EEXIST") continue;
      throw thrown;
    }
    const title = visibleLine(about.trim().split("\n")[0] ?? "").slice(0, LONGEST_TITLE) || id;
    const state = await change(id, projectRoot, () => newState(id, title));
    return sessionId === undefined ? state : await bindSession(id, sessionId, projectRoot);
  }
}

/**
 * Saves a context: either a function of the state as it is when the lock is held, or a whole state. A whole state that somebody has changed since it
 * was read is refused, so that nothing is lost.
 */
export async function saveState(contextId: string, next: ContextState | Change, projectRoot: string): Promise<ContextState> {
  return await change(contextId, projectRoot, (now) => {
    if (typeof next === "function") return next(now);
    if (next.revision === now.revision) return next;
    throw new Error(
      `The context "${contextId}" was changed since it was read (revision ${next.revision}, now ${now.revision}). Read it again, or pass saveState a function.`,
    );
  });
}

async function change(contextId: string, projectRoot: string, work: Change, { adopts = false } = {}): Promise<ContextState> {
  if (readState(contextId, projectRoot) === undefined) throw new Error(noContext(contextId, projectRoot));
  makeContextFolders(projectRoot, contextId);
  const folder = getContextDir(projectRoot, contextId);
  const lock = { file: path.join(folder, "state.json.lock"), processes: PROCESSES, waitMs: LOCK_WAIT_MS };
  const [old, saved] = await withLock(lock, () => {
    const now = readState(contextId, projectRoot);
    if (now === undefined) throw new Error(noContext(contextId, projectRoot));
    const next = work(now);
    if (next === now && now.revision > 0 && !adopts) return [now, now] as const;
    const at = nowIso();
    // A clock that was set back does not make a context older.
    const updatedAt = at > now.updatedAt ? at : now.updatedAt;
    const state: ContextState = { ...next, id: contextId, version: 1, revision: now.revision + 1, updatedAt };
    writeState(state, projectRoot, { adopts });
    return [now, state] as const;
  });
  if (old.revision === 0 || JSON.stringify(entryOf(old)) !== JSON.stringify(entryOf(saved))) await updateIndex(projectRoot);
  return saved;
}

function noContext(contextId: string, projectRoot: string): string {
  const ids = contextIds(projectRoot);
  return `There is no context "${visibleLine(contextId)}". ${ids.length === 0 ? "There are none yet." : `There are: ${ids.join(", ")}.`}`;
}

function entryOf({ title, mode, isClosed, sessions }: ContextState): IndexEntry {
  return { title, mode, isClosed, sessions };
}

/** Makes the index say what the folders say. */
async function updateIndex(projectRoot: string): Promise<ContextIndex> {
  makeContextFolders(projectRoot);
  const file = path.join(getContextDir(projectRoot), "index.json.lock");
  return await withLock({ file, processes: PROCESSES, waitMs: LOCK_WAIT_MS }, () => {
    const states = contextIds(projectRoot).flatMap((id) => readState(id, projectRoot) ?? []);
    const index = Object.fromEntries(states.map((state) => [state.id, entryOf(state)]));
    if (JSON.stringify(index) !== JSON.stringify(readIndex(projectRoot))) writeIndex(projectRoot, index);
    return index;
  });
}

/** All contexts, the one that was used last first. An index that says something else is made again. */
export async function listContexts(projectRoot: string): Promise<readonly ContextState[]> {
  const states = contextIds(projectRoot).flatMap((id) => readState(id, projectRoot) ?? []);
  if (states.length > 0) await rebuildIndex(projectRoot, states);
  return [...states].sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : 0));
}

async function rebuildIndex(projectRoot: string, states: readonly ContextState[]): Promise<void> {
  const index = readIndex(projectRoot);
  const isSame = JSON.stringify(Object.fromEntries(states.map((state) => [state.id, entryOf(state)]))) === JSON.stringify(index);
  if (isSame) return;
  if (index !== undefined)
    hookLog("context", "warn", `index.json of ${getContextDir(projectRoot)} disagreed with the folders. It is made again.`);
  try {
    await updateIndex(projectRoot);
  } catch (thrown) {
    // The folders are what holds: a reader needs no index, and a full disk must not keep it from them.
    hookLog("context", "warn", `index.json could not be written: ${(thrown as Error).message}`);
  }
}

/** The context that a session is bound to. */
export async function getContextBySessionId(sessionId: string, projectRoot: string): Promise<ContextState | undefined> {
  const isBound = (state: ContextState | undefined): boolean => state?.sessions.includes(sessionId) === true && !state.isClosed;
  for (const [id, { sessions }] of Object.entries(readIndex(projectRoot) ?? {})) {
    const state = sessions.includes(sessionId) ? readState(id, projectRoot) : undefined;
    if (isBound(state)) return state;
  }
  // The index may have missed it, or there is none.
  return (await listContexts(projectRoot)).find(isBound);
}

/** Binds a session to a context, and to no other. Opens it again if it was closed. */
export async function bindSession(contextId: string, sessionId: string, projectRoot: string): Promise<ContextState> {
  const without = (state: ContextState): readonly string[] => state.sessions.filter((one) => one !== sessionId);
  const bound = await change(contextId, projectRoot, (state) =>
    state.sessions.at(-1) === sessionId && !state.isClosed
      ? state
      : { ...state, isClosed: false, sessions: [...without(state), sessionId].slice(-MOST_SESSIONS) },
  );
  for (const other of await listContexts(projectRoot))
    if (other.id !== contextId && other.sessions.includes(sessionId))
      await change(other.id, projectRoot, (state) => ({ ...state, sessions: without(state) }));
  return bound;
}

/** What a context remembers of its sessions. */
const MOST_SESSIONS = 100;

/** Something happened in a context: idle, has_plan and has_handoff become active. Nothing if there is no such context, or it is closed. */
export async function maybeActivate(
  contextId: string,
  permissionMode: string | undefined,
  projectRoot: string,
  hookName: string,
): Promise<ContextState | undefined> {
  const now = isContextId(contextId) ? readState(contextId, projectRoot) : undefined;
  if (now === undefined || now.isClosed) return undefined;
  // Asked without the lock first: nearly every event finds it active.
  if (now.mode === "active" && now.permissionMode === permissionMode) return now;
  return await change(contextId, projectRoot, (state) => {
    if (state.isClosed) return state;
    if (state.mode !== "active") hookLog(hookName, "info", `Context "${contextId}": ${state.mode} → active`);
    return { ...state, mode: "active", permissionMode };
  });
}

/** A session ends: an active context with a hand-off that nobody has taken over is has_handoff, one with a plan has_plan; any other stays as it is. */
export async function stageContext(contextId: string, projectRoot: string, hookName: string): Promise<ContextState> {
  return await change(contextId, projectRoot, (state) => {
    if (state.mode !== "active") return state;
    const hasHandoff = state.handoff !== undefined && state.handoff.resumedAt === undefined;
    const mode = hasHandoff ? "has_handoff" : state.plan ? "has_plan" : "active";
    if (mode === "active") return state;
    hookLog(hookName, "info", `Context "${contextId}": active → ${mode}`);
    return { ...state, mode };
  });
}

/** Ends a context: it is kept, and no session is bound to it any more. */
export async function closeContext(contextId: string, projectRoot: string): Promise<ContextState> {
  return await change(contextId, projectRoot, (state) => ({ ...state, isClosed: true, mode: "idle", sessions: [] }));
}

/** Whether this machine wrote the state of a context, and not a clone. */
export function isOwnContext(contextId: string, projectRoot: string): boolean {
  const text = readContextFile(projectRoot, contextId, "state.json");
  return text !== undefined && isOwnText(projectRoot, path.join(getContextDir(projectRoot, contextId), "state.json"), text);
}

/** Takes a context that came with a clone for this machine's own. Only after the user has looked at it, or has trusted the project. */
export async function adoptContext(contextId: string, projectRoot: string): Promise<ContextState> {
  return await change(contextId, projectRoot, (state) => state, { adopts: true });
}
