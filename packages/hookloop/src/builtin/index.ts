import type { EventName, HookHandler } from "@hookloop/sdk";
import { SHIPPED_HOOKS, type ShippedName, type UsedHook } from "../catalogue/index.ts";
import { invalidOption, shown } from "../check-options.ts";
import { createListeners, type FunctionOptions, type HookEngine, type SessionPlace, type Step } from "../engine/index.ts";
import { checkFields } from "../judge/index.ts";
import { audit } from "./audit-hook.ts";
import { autoCompact } from "./auto-compact-hook.ts";
import { formatOnEdit } from "./format-on-edit-hook.ts";
import { gitContext } from "./git-context-hook.ts";
import { fileHistory, gitTracking } from "./history/history-hooks.ts";
import { largeOutput, toolLog, toolSummary, workingDirectory } from "./line-hooks.ts";
import { metrics } from "./metrics-hook.ts";
import { notify } from "./notify-hook.ts";
import { permission } from "./permission-hook.ts";
import { protectBranches } from "./protect-branches-hook.ts";
import { safety } from "./safety-hook.ts";
import { secretGuard } from "./secret-guard-hook.ts";
import { testBeforeStop } from "./test-before-stop-hook.ts";
import { workspaceBoundary } from "./workspace-boundary-hook.ts";

export { audit } from "./audit-hook.ts";
export { type AutoCompactOptions, autoCompact } from "./auto-compact-hook.ts";
export { commandsOf } from "./call-effect.ts";
export { formatOnEdit } from "./format-on-edit-hook.ts";
export { gitContext } from "./git-context-hook.ts";
export type { TrackedCall } from "./history/edit-tracker.ts";
export { canonicalPath, isBinary } from "./history/file-state.ts";
export {
  createFileHistory,
  createGitTracking,
  fileHistory,
  gitTracking,
} from "./history/history-hooks.ts";
export { type EditEntry, type HistoryEntry, historyFolder, type KeptEntry, keptBytes, readHistory } from "./history/history-store.ts";
export { applyUndo, planUndo, type Selection, type UndoPlan, type UndoResult } from "./history/undo.ts";
export {
  callLine,
  callPreview,
  folderLine,
  LARGE_OUTPUT,
  type LargeOutputOptions,
  largeLine,
  largeOutput,
  outputLength,
  summaryLine,
  type ToolLogOptions,
  toolLog,
  toolSummary,
  workingDirectory,
} from "./line-hooks.ts";
export { bashExecuted, type EndedCall, type Metric, type MetricsOptions, metrics, toolExecuted } from "./metrics-hook.ts";
export { type NotifyOptions, notify } from "./notify-hook.ts";
export { DENIED_BY_LIST, DENIED_BY_USER, judgePermission, permission } from "./permission-hook.ts";
export { protectBranches } from "./protect-branches-hook.ts";
export { safety } from "./safety-hook.ts";
export { secretGuard } from "./secret-guard-hook.ts";
export { testBeforeStop } from "./test-before-stop-hook.ts";
export { workspaceBoundary } from "./workspace-boundary-hook.ts";

/** A hook that comes with hookloop: one or more ordinary function hooks under one name. */
export interface ShippedHook {
  readonly name: ShippedName;
  readonly parts: readonly ShippedPart[];
  /** Gets every step of the session, also of events that it has no part for. */
  readonly onStep?: ((step: Step) => void) | undefined;
  /** Called when the session ends, or the hook is taken away. */
  readonly close?: (() => void) | undefined;
}

/** One of its functions, for one event. */
export interface ShippedPart<Event extends EventName = EventName> {
  readonly event: Event;
  readonly options?: Omit<FunctionOptions, "name"> | undefined;
  // A method, so that a part for one event is a part.
  handler(...given: Parameters<HookHandler<Event, string>>): ReturnType<HookHandler<Event, string>>;
}

/** Makes a shipped hook for the place a session works in, with the options that stand beside its name in `use`. */
export type MakeShipped<Options extends object = object> = (place: SessionPlace, options?: Options) => ShippedHook;

const MAKERS: Readonly<Record<ShippedName, MakeShipped>> = {
  safety,
  "workspace-boundary": workspaceBoundary,
  "secret-guard": secretGuard,
  "protect-branches": protectBranches,
  permission,
  "auto-compact": autoCompact,
  "format-on-edit": formatOnEdit,
  "test-before-stop": testBeforeStop,
  "git-context": gitContext,
  "git-tracking": gitTracking,
  "file-history": fileHistory,
  "tool-log": toolLog,
  "working-directory": workingDirectory,
  "large-output": largeOutput,
  "tool-summary": toolSummary,
  notify,
  metrics,
  audit,
};

/** Registers it as any program would; `HOOKLOOP_DISABLE=name` reaches it. Gives the function that takes it away. */
export function useShipped<Options extends object>(hooks: HookEngine, make: MakeShipped<Options>, options?: Options): () => void {
  if (typeof make !== "function")
    throw invalidOption(`useShipped() takes a shipped hook, not ${shown(make)}. Write useShipped(hooks, safety, { … })`);
  const { name, parts, onStep, close } = make(hooks.internals.place, options);
  checkFields(`useShipped(hooks, "${name}")`, { ...options }, SHIPPED_HOOKS[name].options);
  const takeAway = parts.map(({ event, options, handler }) => hooks.on(event, { ...options, name }, handler));
  // One that is switched off gets no steps either.
  const isOff = hooks.refused.some(({ hook }) => hook.name === name && hook.source.scope === "code");
  if (onStep && !isOff) takeAway.push(hooks.internals.place.steps.listeners.add(onStep));
  if (close) {
    hooks.onClose(close);
    takeAway.push(close);
  }
  return () => {
    for (const one of takeAway) one();
  };
}

/** Of a command hook, seconds. */
const SECONDS = { guard: 30, observer: 60 } as const;

const NO_FILE = { write: () => {}, close: () => {} };
/** To ask a shipped hook what it has, without running it. */
const NOWHERE: SessionPlace = {
  cwd: "/",
  home: "/",
  env: {},
  stateFolder: "/",
  isTrusted: false,
  directories: () => [],
  report: () => {},
  programs: { run: () => Promise.reject(new Error("nothing runs here")) },
  steps: { id: "", say: () => {}, listeners: createListeners(undefined, () => {}) },
  redact: (text) => text,
  openRecords: () => NO_FILE,
  openAudit: () => NO_FILE,
  post: async () => undefined,
};

/** What a settings file of another agent needs to run it: for which events, with which matcher and limit. */
export function shippedEntries(
  name: ShippedName,
): readonly { readonly event: EventName; readonly matcher: string | undefined; readonly seconds: number }[] {
  const parts = MAKERS[name](NOWHERE).parts.map(({ event, options: { tool, match, timeoutMs } = {} }) => {
    const given = tool ?? match;
    const matcher = given instanceof RegExp ? given.source : typeof given === "object" ? given.join("|") : given;
    const seconds = timeoutMs === undefined ? SECONDS[SHIPPED_HOOKS[name].role] : Math.ceil(timeoutMs / 1000);
    return { event, matcher, seconds };
  });
  // Several functions for the same calls are one command.
  return parts.filter((one, index) => parts.findIndex(({ event, matcher }) => event === one.event && matcher === one.matcher) === index);
}

/** Registers those that files and the program name. */
export function useNamed(hooks: HookEngine, used: readonly UsedHook[]): void {
  for (const { name, options } of used) useShipped(hooks, MAKERS[name], options);
}
