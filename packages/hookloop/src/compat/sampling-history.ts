/** The shipped hooks about files, as hooks of the sampling registry: the same code, with what they keep in the context that hooks share. */

import { createFileHistory, createGitTracking, type HistoryEntry, type TrackedCall } from "../builtin/index.ts";
import { isObject } from "../check-options.ts";
import type { SamplingRegistry } from "./sampling-registry.ts";
import type { HookContext, HookEvent, SamplingHandler } from "./sampling-types.ts";

/** A file as it was before the operation; null if it was not there, undefined if it is too large to keep. */
interface FileSnapshot {
  readonly path: string;
  readonly content: string | null | undefined;
  readonly timestamp: number;
}

/** What hooks find in `context.fileHistory`. */
interface SharedHistory {
  readonly snapshots: FileSnapshot[];
  readonly entries: HistoryEntry[];
}

function sharedHistory(context: HookContext): SharedHistory {
  const { fileHistory } = context;
  const given: Partial<SharedHistory> = isObject(fileHistory) ? fileHistory : {};
  const shared = Object.assign(given, { snapshots: given.snapshots ?? [], entries: given.entries ?? [] });
  context["fileHistory"] = shared;
  return shared;
}

function callOf({ tool, input, toolUseId, cwd }: HookContext, event: HookEvent, folder: string): TrackedCall {
  const tool_use_id = toolUseId ?? event.toolUseId;
  return { session_id: event.sessionId, tool_use_id, tool_name: tool.name, tool_input: input, cwd: typeof cwd === "string" ? cwd : folder };
}

/** Takes all of them away again. */
function registerAll(
  { registerHook }: SamplingRegistry,
  name: string,
  { before, after }: { readonly before: SamplingHandler; readonly after: SamplingHandler },
): () => void {
  const off = [
    registerHook("pre_edit_sample", before, { name }),
    registerHook("pre_bash_sample", before, { name }),
    registerHook("post_edit_sample", after, { name }),
    registerHook("post_bash_sample", after, { name }),
  ];
  return () => {
    for (const one of off) one();
  };
}

/**
 * `context.fileHistory.snapshots` gets each file as it was; after the operation `context.attributions` gets who changed what, and
 * `context.announcements` a `{ type: "file_changed", path, change }` for each. Functions `recordAttribution` and `announce` of the context are called with the same.
 */
export function registerGitTracking(registry: SamplingRegistry): () => void {
  let made: ReturnType<typeof createGitTracking> | undefined;
  const tracking = (): ReturnType<typeof createGitTracking> => {
    made ??= createGitTracking(registry.hooks.internals.place);
    return made;
  };
  return registerAll(registry, "git_tracking", {
    before(context, event) {
      const found = tracking().before(callOf(context, event, registry.hooks.internals.place.cwd));
      const { snapshots } = sharedHistory(context);
      for (const [path, { state, bytes }] of found) {
        if (state.kind === "file") snapshots.push({ path, content: bytes?.toString(), timestamp: event.timestamp });
        else if (state.kind === "missing") snapshots.push({ path, content: null, timestamp: event.timestamp });
        else if (state.kind === "unkept") snapshots.push({ path, content: undefined, timestamp: event.timestamp });
      }
    },
    after(context, event) {
      for (const { type, path, change, ...attribution } of tracking().after(callOf(context, event, registry.hooks.internals.place.cwd))) {
        note(context, "attributions", "recordAttribution", { path, ...attribution });
        note(context, "announcements", "announce", { type, path, change });
      }
    },
  });
}

/** In a list of the context, and to the context's own function if it has one. */
function note(context: HookContext, list: string, listener: string, value: object): void {
  const { [list]: before, [listener]: tell } = context;
  if (Array.isArray(before)) before.push(value);
  else context[list] = [value];
  if (typeof tell === "function") tell.call(context, value);
}

/** `context.fileHistory.entries` gets an entry for each file that was changed, and so does the history that `hookloop history` and `hookloop undo` read. */
export function registerFileHistory(registry: SamplingRegistry): () => void {
  let made: ReturnType<typeof createFileHistory> | undefined;
  const history = (): ReturnType<typeof createFileHistory> => {
    made ??= createFileHistory(registry.hooks.internals.place);
    return made;
  };
  return registerAll(registry, "file_history", {
    before(context, event) {
      history().before(callOf(context, event, registry.hooks.internals.place.cwd));
    },
    after(context, event) {
      sharedHistory(context).entries.push(...history().after(callOf(context, event, registry.hooks.internals.place.cwd)));
    },
  });
}
