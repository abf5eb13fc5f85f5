import type { EventInputs, EventName, ToolEvent, ToolInputs, ToolName } from "@hookloop/sdk";
import type { DialectSession, Dialects, HookKind } from "../catalogue/index.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { Dialect, Outcome, SpillOptions, Verdict } from "../judge/index.ts";
import {
  type AskUser,
  durationText,
  type EndSignals,
  type ModelMessage,
  type RawOutcome,
  type RunFailure,
  type Runner,
  thrownText,
} from "../run/index.ts";
import type { Plan } from "../select/index.ts";
import type { AdmittedHook } from "../trust/index.ts";
import type { Background } from "./background.ts";
import type { KnownEvent } from "./known-events.ts";
import type { Say } from "./step.ts";

/** Fields of an event's payload; the engine adds what every payload has. */
export type EventInput = Readonly<Record<string, unknown>>;

/** What the engine fills in if the program leaves it out (the fields of every payload, and whether a Stop hook holds the agent already), and what not every program has. */
type MayBeMissing = keyof EventInputs[EventName] | "stop_hook_active" | "tool_use_id" | "agent_transcript_path";

type OwnFields<Payload> = Omit<Payload, MayBeMissing> & Partial<Omit<Pick<Payload, MayBeMissing & keyof Payload>, "hook_event_name">>;

/** What an event is fired with. A field that it does not have does not compile, but for those of the program's own, which begin with `x_`. */
export type Input<Event extends EventName, Tool extends string = string> = (Event extends ToolEvent
  ? Omit<OwnFields<EventInputs[Event]>, "tool_name" | "tool_input"> & { readonly tool_name: Tool; readonly tool_input: ToolInput<Tool> }
  : OwnFields<EventInputs[Event]>) & { readonly [own: `x_${string}`]: unknown };

/** One of several events, which a program chooses when it runs; nothing if it is one that is known. */
export type AnyOf<Event> = [Event] extends [
  (Event extends unknown ? (one: Event) => void : never) extends (all: infer All) => void ? All : never,
]
  ? never
  : Event;

/** The input of a known tool, or of one that the program has added to `ToolInputs` of the SDK; any object of another. */
export type ToolInput<Tool extends string> = string extends Tool ? object : Tool extends ToolName ? ToolInputs[Tool] : object;

/** Looks at what decides which hooks run, before and after a tool of the agent does something. */
export interface ToolWatch {
  /** Gives what is called when the tool is done; `isKnown`: the user allowed it to change such a file. */
  before(files: readonly string[]): (tool: string, isKnown: boolean) => void;
  close(): void;
}

export interface FireOptions {
  readonly signal?: AbortSignal | undefined;
  /** A limit for every hook of this firing, if shorter than its own. */
  readonly timeoutMs?: number | undefined;
  /** Called with every step of this firing. */
  readonly onStep?: Say | undefined;
  /** The input is what a hook made of another one: the verdict says only what tightens, and holds no rewrite. */
  readonly isRewrite?: boolean | undefined;
  /** The conversation so far, for prompt hooks and functions: asked for when one of them wants it. That of the session if left out. */
  readonly messages?: (() => readonly ModelMessage[]) | undefined;
  /** Puts the question of a prompt hook to the user, in the place of the session's. */
  readonly askUser?: AskUser | undefined;
  /** Hooks of the background are waited for like all others, and their answers count. */
  readonly waitForAsync?: boolean | undefined;
  /** Only hooks whose failure blocks are asked, and waited for: what is fired has not happened as the event says. */
  readonly onlyGuards?: boolean | undefined;
}

/** What one engine works with. Everything that touches the world is in here. */
export interface Session {
  readonly id: string;
  readonly projectRoot: string;
  /** In every payload, unless the caller says otherwise. */
  readonly commonInput: EventInput;
  /** Functions get their copy of a payload frozen: changing it is a failure. */
  readonly isolate: boolean;
  readonly dialects: Dialects<Dialect>;
  /** What their variables are made of, besides the event. */
  readonly dialectSession: DialectSession;
  readonly runners: Readonly<Partial<Record<HookKind, Runner> & Record<string, Runner>>>;
  readonly background: Background;
  /** The conversation, where the program hands it in for the whole session. */
  readonly messages?: (() => readonly ModelMessage[]) | undefined;
  /** Aborted when the session closes: nothing outlives it. */
  readonly closing: AbortSignal;
  /** Ids of the hooks that ran and run only once. */
  readonly spent: Set<string>;
  /** What is said once in a session, and has been. */
  readonly told: Set<string>;
  /** What is known of the turn that runs. */
  readonly turn: { halt: Verdict["halt"] };
  readonly spill: SpillOptions | undefined;
  /** Path of the session's env file, made on first use. */
  readonly envFile: () => string;
  /** Right before each run: why the hook is not what was trusted any more, or nothing. It reports by itself. */
  readonly recheck: (hook: AdmittedHook, cwd: string) => RunFailure | undefined;
  /** Right before a stand-in blocks: the gate itself if it may run by now, `gone` if nothing is left to block for, or why it blocks. */
  readonly reconsider: (hook: AdmittedHook) => AdmittedHook | "gone" | RunFailure;
  /** The one way to say what the engine does. A diagnostic is always reported; check `hasListeners` before you build anything else. */
  readonly say: Say;
  /** The trace or debug output gets every step. */
  readonly hasListeners: boolean;
  /** Somebody looks at how hooks are chosen: then events are said that no hook is for, and the hooks that must not run. */
  readonly isWatched: () => boolean;
  /** What is said from now on may be written together, until `flush`. */
  readonly hold: () => void;
  readonly flush: () => void;
  /** Milliseconds the hooks of an event should need together, at most; nothing if there is no budget. */
  readonly budgetOf?: ((event: EventName) => number | undefined) | undefined;
}

/** One event on its way through the stages. */
export interface Firing {
  readonly event: EventName;
  /** With the hooks of the snapshot that the firing began with. */
  readonly known: KnownEvent;
  readonly plan: Plan;
  /** The whole payload. */
  readonly input: EventInput;
  /** Every hook gets what it judges; if that is not known, it is found out for each. */
  readonly isFit: boolean;
  readonly options: FireOptions;
  /** What ends its hooks. */
  readonly signals: EndSignals;
  /** Absent without listeners: then no step is built. */
  readonly say: Say | undefined;
  /** The event and what its matcher is compared with, for steps. */
  readonly label: string;
  /** When its hooks were started, where they share a limit. */
  readonly startedAt: number | undefined;
  /** It looks a second time, at a rewritten input. */
  readonly again: SecondLook | undefined;
}

interface SecondLook {
  /** Milliseconds that a hook took the first time. */
  readonly tookMs: (hook: string) => number;
  /** What counts of an outcome. */
  readonly revise: (outcome: Outcome) => Outcome;
}

export interface SettingRun {
  /** What it printed. */
  readonly stdout: string;
  /** Why it gave nothing, for people. */
  readonly problem?: string | undefined;
}

export interface SettingRunOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Runs a command of the settings that passed the gate: checked again before it starts, scrubbed and limited like a hook. It never throws. */
export async function runSetting(
  session: Session,
  hook: AdmittedHook,
  input: EventInput,
  { timeoutMs, signal }: SettingRunOptions,
): Promise<SettingRun> {
  const { runners, commonInput, projectRoot, id, closing } = session;
  const whole = { ...commonInput, ...input };
  const cwd = typeof whole["cwd"] === "string" ? whole["cwd"] : projectRoot;
  try {
    const outcome = await runners.command?.(
      { hook },
      {
        payload: () => Buffer.from(JSON.stringify(whole)),
        input: whole,
        cwd,
        projectRoot,
        sessionId: id,
        env: {},
        timeoutMs,
        signal: signal ? AbortSignal.any([signal, closing]) : closing,
      },
    );
    if (!outcome) return { stdout: "", problem: "commands cannot be run here" };
    const { failure, exitCode, stdout } = outcome;
    if (failure) return { stdout: "", problem: failure.text };
    return exitCode === 0 ? { stdout } : { stdout: "", problem: `it exited with ${exitCode}` };
  } catch (thrown) {
    return { stdout: "", problem: thrownText(thrown) };
  }
}

/** Says that a hook took longer than its own `budget`, over both runs if it ran before for the same event (`beforeMs`). */
export function slowHook({ hook, durationMs }: Pick<RawOutcome, "hook" | "durationMs">, beforeMs = 0): readonly Diagnostic[] {
  const budget = hook.fields?.["budget"];
  const took = durationMs + beforeMs;
  if (typeof budget !== "number" || took <= budget || beforeMs > budget) return [];
  const text = `hook "${hook.name}" took ${durationText(Math.round(took))}; its budget is ${durationText(budget)}`;
  return [{ code: "HL_EXECUTE_OVER_BUDGET", level: "warning", text, place: hook.place, hook: hook.id }];
}

/** Says that an event waited longer for its hooks than the settings allow for. */
export function reportSlowEvent(session: Session, { event, say = session.say }: Firing, durationMs: number): void {
  const budget = session.budgetOf?.(event);
  if (budget === undefined || durationMs <= budget) return;
  const text = `the hooks of ${event} took ${durationText(Math.round(durationMs))} together; the budget is ${durationText(budget)}`;
  say({ type: "diagnostic", event, code: "HL_EXECUTE_OVER_BUDGET", level: "warning", text });
}

/** `settings.budgets`: by event, `*` for every other. What is no number counts for nothing. */
export function eventBudget(budgets: unknown, event: string): number | undefined {
  if (typeof budgets !== "object" || budgets === null) return undefined;
  const given = Object.hasOwn(budgets, event) ? (budgets as Record<string, unknown>)[event] : (budgets as Record<string, unknown>)["*"];
  return typeof given === "number" ? given : undefined;
}

/** Milliseconds that are left to a hook where the hooks of an event share their time: what waits for others has less. Nothing for a hook with a limit of its own. */
export function sharedTime({ known, startedAt }: Firing, hook: AdmittedHook): number | undefined {
  if (!known.row.sharesTimeLimit || hook.isAsync || startedAt === undefined || hook.fields?.["timeout"] !== undefined) return undefined;
  return Math.max(startedAt + hook.timeoutMs - performance.now(), 0);
}

/** How long a function is waited for. */
export function functionLimit(firing: Firing, hook: AdmittedHook): number {
  const { timeoutMs = hook.timeoutMs } = firing.options;
  return Math.min(hook.timeoutMs, timeoutMs, sharedTime(firing, hook) ?? hook.timeoutMs);
}

/** A runner is told by its signal. */
const ENDED_BY_LIMIT: readonly RunFailure["kind"][] = ["timeout", "aborted"];

/** A failed run that the shared limit ended, in its words. */
export function namedFailure(firing: Firing, hook: AdmittedHook, failure: RunFailure): RunFailure {
  if (!ENDED_BY_LIMIT.includes(failure.kind) || sharedTime(firing, hook) !== 0) return failure;
  const text = `the hooks of ${firing.event} have ${durationText(hook.timeoutMs)} together, and it did not answer within that`;
  return { kind: "timeout", text };
}
