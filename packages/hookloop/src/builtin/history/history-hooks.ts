/** Keeps what the agent's tools change, and says which files that were. What only a running shell knows is listed as not covered. */

import { randomBytes } from "node:crypto";
import { deny, type HookHandler } from "@hookloop/sdk";
import type { SessionPlace } from "../../engine/index.ts";
import { secretPattern } from "../../secret-patterns.ts";
import type { ShippedHook, ShippedPart } from "../index.ts";
import { type Changes, createEditTracker, type FileChange, type TrackedCall } from "./edit-tracker.ts";
import type { Looked } from "./file-state.ts";
import { type EditEntry, type HistoryEntry, type HistoryStore, historyFolder, openHistoryStore } from "./history-store.ts";

export interface FileHistoryOptions {
  /** What becomes of an edit whose file cannot be kept, because the disk is full for example. */
  readonly onStorageFailure?: "continue" | "block" | undefined;
  /** The oldest sessions of a project are dropped when their contents are larger together. */
  readonly maxMegabytes?: number | undefined;
}

type Place = Pick<SessionPlace, "cwd" | "home" | "stateFolder" | "report">;

export interface FileHistory {
  /** Before the call runs; gives why what it changes could not be kept. */
  before(call: TrackedCall): string | undefined;
  after(call: TrackedCall, original?: string): readonly HistoryEntry[];
}

const MAX_MEGABYTES = 500;
/** How often the folder is measured, in bytes that were written. */
const MEASURED_EACH = 50_000_000;

export function createFileHistory(place: Place, { maxMegabytes = MAX_MEGABYTES }: FileHistoryOptions = {}): FileHistory {
  const { cwd, home, stateFolder } = place;
  const store = openHistoryStore(historyFolder(stateFolder, cwd));
  const { tell, dropped } = createReport(place);
  let written: number | undefined;
  let problem: string | undefined;
  const grown = (bytes: number): void => {
    const before = written;
    written = (written ?? 0) + bytes;
    if (before !== undefined && Math.floor(before / MEASURED_EACH) === Math.floor(written / MEASURED_EACH)) return;
    // No call waits for it.
    setImmediate(() => dropped(tryTo(() => store.makeRoom(maxMegabytes * 1_000_000), []))).unref();
  };
  const keep = ({ session_id }: TrackedCall, hash: string, bytes: Buffer): void => {
    try {
      store.keep(session_id, hash, bytes);
      grown(bytes.length);
    } catch (thrown) {
      problem ??= (thrown as Error).message;
    }
  };
  const tracker = createEditTracker({ home, stateFolder, keep });
  return {
    before(call) {
      problem = undefined;
      const states = tracker.before(call);
      for (const [file, { state }] of states)
        if (state.kind === "unkept") tell(`${file} is not kept: ${state.why}`, "It cannot be undone.");
      if (problem !== undefined) tell(`What ${call.tool_name} changes could not be kept: ${problem}`, "It cannot be undone.");
      return problem;
    },
    after(call, original) {
      problem = undefined;
      const changes = tracker.after(call, original);
      const entries = changes ? entriesOf(call, changes) : [];
      if (entries.length > 0)
        tryTo(
          () => appendOrTell(store, call, entries),
          undefined,
          (text) => (problem ??= text),
        );
      if (problem !== undefined) tell(`What ${call.tool_name} changed could not be noted: ${problem}`, "It may not be undone.");
      return entries;
    },
  };
}

function appendOrTell(store: HistoryStore, { session_id }: TrackedCall, entries: readonly HistoryEntry[]): undefined {
  store.append(session_id, entries);
}

function tryTo<Given>(work: () => Given, otherwise: Given, onProblem: (text: string) => void = () => {}): Given {
  try {
    return work();
  } catch (thrown) {
    onProblem((thrown as Error).message);
    return otherwise;
  }
}

/** Each problem is said once. */
function createReport({ report }: Place): { tell(what: string, then: string): void; dropped(sessions: readonly string[]): void } {
  const told = new Set<string>();
  return {
    tell(what, then) {
      if (told.has(what)) return;
      told.add(what);
      report({ code: "HL_HISTORY_NOT_KEPT", level: "warning", text: `file-history: ${what}. ${then}` });
    },
    dropped(sessions) {
      if (sessions.length === 0) return;
      const text = `file-history: the oldest sessions were dropped, because the history of this project is full: ${sessions.join(", ")}. "maxMegabytes" says how large it may be.`;
      report({ code: "HL_HISTORY_DROPPED", level: "notice", text });
    },
  };
}

const LONGEST_COMMAND = 300;

function entriesOf(call: TrackedCall, { changes, notCovered }: Changes): readonly HistoryEntry[] {
  const shared = {
    v: 1 as const,
    timestamp: Date.now(),
    ...attributionOf(call),
    call: randomBytes(6).toString("hex"),
    tool: call.tool_name,
  };
  const edits = changes.map((change): EditEntry => ({ ...shared, type: "edit", ...change }));
  if (!notCovered) return edits;
  const command = notCovered.command.slice(0, LONGEST_COMMAND).replace(secretPattern(), "[secret]");
  return [...edits, { ...shared, type: "not-covered", command, why: notCovered.why }];
}

function attributionOf({ session_id: sessionId, tool_use_id: id }: TrackedCall): Pick<EditEntry, "sessionId" | "toolUseId"> {
  return { sessionId, toolUseId: typeof id === "string" ? id : "" };
}

export function fileHistory(place: Place, options: FileHistoryOptions = {}): ShippedHook {
  const history = createFileHistory(place, options);
  const before = (call: TrackedCall): ReturnType<HookHandler<"PreToolUse", string>> => {
    const problem = history.before(call);
    if (problem === undefined || options.onStorageFailure !== "block") return undefined;
    return deny(`file-history: what ${call.tool_name} would change cannot be kept (${problem}), and "onStorageFailure" is "block".`);
  };
  return { name: "file-history", parts: partsOf(before, (call, original) => void history.after(call, original)) };
}

/** A file that a tool of the agent changed. */
export interface Announcement {
  readonly type: "file_changed";
  readonly path: string;
  readonly change: FileChange["change"];
}

export interface Attribution extends Pick<EditEntry, "sessionId" | "toolUseId" | "timestamp" | "sizeDelta" | "path"> {}

export interface GitTracking {
  /** What is there before the call. */
  before(call: TrackedCall): ReadonlyMap<string, Looked>;
  after(call: TrackedCall, original?: string): readonly (Announcement & Attribution)[];
}

/** Works without git, and keeps nothing. */
export function createGitTracking({ home, stateFolder }: Pick<Place, "home" | "stateFolder">): GitTracking {
  const tracker = createEditTracker({ home, stateFolder });
  return {
    before: (call) => tracker.before(call),
    after(call, original) {
      const { changes = [] } = tracker.after(call, original) ?? {};
      const shared = { ...attributionOf(call), timestamp: Date.now() };
      return changes.map(({ path, change, sizeDelta }) => ({ type: "file_changed", path, change, ...shared, sizeDelta }));
    },
  };
}

export function gitTracking(place: Pick<SessionPlace, "home" | "stateFolder" | "steps">): ShippedHook {
  const tracking = createGitTracking(place);
  const after = (call: TrackedCall, original: string | undefined): void => {
    for (const announcement of tracking.after(call, original)) place.steps.say(announcement);
  };
  return { name: "git-tracking", parts: partsOf((call) => void tracking.before(call), after) };
}

/** It only watches: what fails in it holds no call. */
const WATCHES = { onFailure: "continue" } as const;

function partsOf(
  before: (call: TrackedCall) => ReturnType<HookHandler<"PreToolUse", string>>,
  after: (call: TrackedCall, original: string | undefined) => void,
): readonly ShippedPart[] {
  return [
    { event: "PreToolUse", options: WATCHES, handler: (input) => before(input as TrackedCall) },
    { event: "PostToolUse", options: WATCHES, handler: (input) => after(input as TrackedCall, originalOf(input)) },
    // A command that failed may have written all the same.
    { event: "PostToolUseFailure", options: WATCHES, handler: (input) => after(input as TrackedCall, undefined) },
  ];
}

function originalOf(input: unknown): string | undefined {
  const { originalFile, original_file = originalFile } = ((input as { readonly tool_response?: unknown }).tool_response ?? {}) as Readonly<
    Record<string, unknown>
  >;
  return typeof original_file === "string" ? original_file : undefined;
}
