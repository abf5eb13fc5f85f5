/** What hookloop ships, by the functions of the source: registered as sampling hooks, with the source's own texts and what it keeps in the context that hooks share. */

import { homedir } from "node:os";
import { ask, type HookResult } from "@hookloop/sdk";
import {
  commandsOf,
  createFileHistory,
  createGitTracking,
  type HistoryEntry,
  judgePermission,
  type TrackedCall,
} from "../builtin/index.ts";
import { checkEntries, isObject } from "../check-options.ts";
import { visibleLine } from "../diagnostic.ts";
import { assessCommand, type Fact, type Profile, readingOf } from "../shell/index.ts";
import type { SamplingRegistry } from "./sampling-registry.ts";
import type { HookAnswer, HookContext, HookEvent, HookRegistration, SamplingHandler } from "./sampling-types.ts";

export interface SamplingGuardOptions extends Pick<HookRegistration, "priority"> {
  /** Asks the user; if left out, the question goes to the registry's `ask` or the agent's dialog, and where there is none, it is a no. */
  readonly ask?: (question: string) => boolean | Promise<boolean>;
  /** Another registry than the one of the free functions. */
  readonly registry?: Pick<SamplingRegistry, "registerHook">;
}

export interface SamplingSafetyOptions extends SamplingGuardOptions {
  readonly profile?: Profile;
}

type Register = Pick<SamplingRegistry, "registerHook">;

const OPTIONS = { priority: "any number", ask: "function", registry: "object" } as const;

/** What the source says of a kind of danger; of others, what the command would do. */
const REASONS: Readonly<Partial<Record<Fact["kind"], string>>> = {
  "delete-vital": "Attempted root deletion",
  "overwrite-system": "Potential system overwrite",
  "overwrite-device": "Potential system overwrite",
  "runs-download": "Remote code execution",
  "reverse-shell": "Remote code execution",
};

export function registerSafetyHooks(on: Register, options: SamplingSafetyOptions = {}): () => void {
  checkEntries("registerSafetyHooks()", options, { ...OPTIONS, profile: ["standard", "strict", "paranoid"] });
  const { profile, registry = on, priority } = options;
  const shell = process.env["SHELL"];
  const handler: SamplingHandler = async (context) => {
    const { cwd, home, call } = callOf(context);
    for (const command of commandsOf(call, home)) {
      const { risk, facts } = assessCommand(command, { cwd, home, profile, shell }, readingOf);
      const reason = reasonOf(facts.filter((fact) => fact.risk === risk));
      if (risk === "deny") return { status: "cancel", reason: `Dangerous command blocked: ${reason}` };
      const no = risk === "ask" ? await askAbout(questionAbout(command, facts, reason), options.ask) : undefined;
      if (no) return no;
    }
    return { status: "continue" };
  };
  return registry.registerHook("pre_bash_sample", handler, {
    name: "safety",
    guard: true,
    ...(priority !== undefined && { priority }),
    ...limit(options),
  });
}

interface Question {
  readonly question: string;
  /** What a no is told as. */
  readonly cancelled: string;
}

function questionAbout(command: string, facts: readonly Fact[], reason: string): Question {
  const isSudo = facts.some(({ kind }) => kind === "raises-rights") && /\bsudo\b/.test(command);
  if (isSudo) return { question: `This command uses sudo: ${visibleLine(command)}. Proceed?`, cancelled: "User cancelled sudo command" };
  return { question: `${reason}. Proceed?`, cancelled: "User cancelled command" };
}

/** Nothing is a yes. */
async function askAbout(
  { question, cancelled }: Question,
  answer: SamplingGuardOptions["ask"],
): Promise<HookAnswer | HookResult | undefined> {
  if (!answer) return ask(question);
  return (await answer(question)) === true ? undefined : { status: "cancel", reason: cancelled };
}

function reasonOf(facts: readonly Fact[]): string {
  const named = facts.map(({ kind }) => REASONS[kind]).find((text) => text !== undefined);
  return named ?? [...new Set(facts.map(({ text }) => text))].join("; ");
}

export function registerPermissionHooks(on: Register, options: SamplingGuardOptions = {}): () => void {
  checkEntries("registerPermissionHooks()", options, OPTIONS);
  const { registry = on, priority } = options;
  const handler: SamplingHandler = async (context) => {
    const { cwd, home, call } = callOf(context);
    const { risk, why } = judgePermission({ tool: call.tool_name, input: call.tool_input, cwd, home, folders: [cwd] });
    const isAllowed = risk === "allow" || (risk === "ask" && options.ask !== undefined && (await options.ask(why)) === true);
    const behavior = isAllowed ? "allow" : risk;
    context["_permissionResult"] = { behavior, ...(why !== "" && { message: why }) };
    if (isAllowed) return { status: "continue" };
    return risk === "ask" && !options.ask ? ask(why) : { status: "cancel", reason: "Permission denied" };
  };
  return registry.registerHook("pre_tool_sample", handler, {
    name: "permission",
    guard: true,
    ...(priority !== undefined && { priority }),
    ...limit(options),
  });
}

/** As long as a tool may take: a user is not hurried. */
const ASK_MS = 600_000;

function limit({ ask: asks }: SamplingGuardOptions): Pick<HookRegistration, "timeoutMs"> {
  return asks ? { timeoutMs: ASK_MS } : {};
}

interface GuardedCall {
  readonly cwd: string;
  readonly home: string;
  readonly call: Parameters<typeof commandsOf>[0];
}

function callOf({ tool, input, cwd }: HookContext): GuardedCall {
  const folder = typeof cwd === "string" && cwd !== "" ? cwd : process.cwd();
  // What a program executes as an operation of the shell is one, also if it names no tool.
  const call = { tool_name: tool?.name ?? "Bash", tool_input: input ?? {}, cwd: folder };
  return { cwd: folder, home: homedir(), call };
}

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

function trackedCallOf({ tool, input, toolUseId, cwd }: HookContext, event: HookEvent, folder: string): TrackedCall {
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
      const found = tracking().before(trackedCallOf(context, event, registry.hooks.internals.place.cwd));
      const { snapshots } = sharedHistory(context);
      for (const [path, { state, bytes }] of found) {
        if (state.kind === "file") snapshots.push({ path, content: bytes?.toString(), timestamp: event.timestamp });
        else if (state.kind === "missing") snapshots.push({ path, content: null, timestamp: event.timestamp });
        else if (state.kind === "unkept") snapshots.push({ path, content: undefined, timestamp: event.timestamp });
      }
    },
    after(context, event) {
      for (const { type, path, change, ...attribution } of tracking().after(
        trackedCallOf(context, event, registry.hooks.internals.place.cwd),
      )) {
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
      history().before(trackedCallOf(context, event, registry.hooks.internals.place.cwd));
    },
    after(context, event) {
      sharedHistory(context).entries.push(...history().after(trackedCallOf(context, event, registry.hooks.internals.place.cwd)));
    },
  });
}
