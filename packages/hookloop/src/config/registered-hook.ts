import type { EventName, HookRun } from "@hookloop/sdk";
import {
  type DialectDefaults,
  type DialectQuirks,
  EVENTS,
  type EventRow,
  type FailureDirection,
  type HookKind,
} from "../catalogue/index.ts";
import { groupBy, isObject } from "../check-options.ts";
import type { Diagnostic, Place } from "../diagnostic.ts";
import { type EXTENSION, type HookDeclaration, type SettingsCommand, type Source, scopeRank } from "./types.ts";

/** A handler that lives in this process. It may be synchronous; the input's type follows from the event. */
export type HookFunction = (input: never, run: HookRun) => unknown;

export type SequenceMode =
  /** each sees what the one before rewrote; a denial ends it */
  | "pipeline"
  /** a pipeline that the first answer ends; where hooks can refuse what is asked, one that has no opinion on it does not */
  | "first-answer"
  /** a pipeline from the last hook to the first */
  | "reverse";

/** Marks what a function returned as the answer of its sequence, even if it has no opinion. */
export const IS_ANSWER: unique symbol = Symbol.for("hookloop.is-answer");

export type HookTarget =
  | {
      readonly kind: "command";
      readonly command: string;
      readonly args?: readonly string[] | undefined;
      readonly shell: "sh" | "bash" | "powershell";
    }
  | {
      readonly kind: "function";
      readonly handler: HookFunction;
      /** The function as it was registered; the handler may be it with checks around. */
      readonly registered?: HookFunction;
    }
  /** Nothing: what it was to run cannot be read, or must not be run. */
  | { readonly kind: "withheld" }
  | { readonly kind: Exclude<HookKind, "command" | "function">; readonly fields: Readonly<Record<string, unknown>> };

/** A hook of the session: declared, merged with its duplicates, with every option resolved. Not yet allowed to run. */
export interface RegisteredHook {
  /** Stable for the same definition in the same place: `<scope>:<event>:<short digest>`. */
  readonly id: string;
  /** For people: the hook's own name, or what it runs. */
  readonly name: string;
  readonly event: EventName;
  readonly matcher?: string | undefined;
  /** The matchers of all declarations that it stands for, if there are several: each was promised the input of what it names. */
  readonly copiedMatchers?: readonly string[] | undefined;
  readonly names?: readonly string[] | undefined;
  /** The matcher of a function that is a RegExp. */
  readonly fits?: ((value: string) => boolean) | undefined;
  /** One permission rule; the hook runs only for calls it matches. */
  readonly condition?: string | undefined;
  readonly target: HookTarget;
  readonly source: Source;
  readonly place?: Place | undefined;
  /** Position in the whole configuration: lower was declared earlier, inside one source. */
  readonly order: number;
  /** Higher first, for functions; 0 for everything from a file. */
  readonly priority: number;
  readonly sequence?: string | undefined;
  /** How the hooks of a sequence follow each other; a pipeline if left out. */
  readonly sequenceMode?: SequenceMode | undefined;
  readonly isGuard: boolean;
  /** What a failed run does; resolved from the hook, its dialect and the event's row. */
  readonly onFailure: FailureDirection;
  /** The same for a run that took too long, where that is something else. */
  readonly onTimeout?: FailureDirection | undefined;
  readonly timeoutMs: number;
  readonly isAsync: boolean;
  readonly wakesAgent: boolean;
  readonly once: boolean;
  readonly statusMessage?: string | undefined;
  readonly passEnv: readonly string[];
  readonly quirks?: DialectQuirks | undefined;
  /** The entry as its file spells it; absent for functions. Trust is given to this, not to what defaults make of it. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Hooks of one event with the same key run once per firing: that of the highest source, inside one source the last, as strictly
   * as the strictest of them. Absent for functions: each registration is its own. `dropDuplicates` picks.
   */
  readonly dedupKey?: string | undefined;
  /** Why its entry cannot be used. It is a guard: without it, what it guards must not happen. */
  readonly unreadable?: string | undefined;
  /** Why it never runs, or not for all it names. */
  readonly never?: string | undefined;
  /** It is no hook, but a command or a switch of the settings that must pass the same gate; no event runs it. */
  readonly setting?: SettingsCommand | typeof EXTENSION | "disableAllHooks" | undefined;
}

/** JSON with sorted keys: equal values give equal texts, however they were written down. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, nested: unknown) => (isObject(nested) ? sorted(nested) : nested)) ?? "null";
}

function sorted(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Declarations of one hook that all match one firing, and the one hook that runs for them. */
interface Kept<Hook extends RegisteredHook> {
  readonly hook: Hook;
  readonly copies: readonly Hook[];
}

/** Of hooks that all match one firing, each once: across sources the highest one's, inside one source the last declared, as strict as the strictest. */
export function dropDuplicates<Hook extends RegisteredHook>(hooks: readonly Hook[]): readonly Kept<Hook>[] {
  const groups = groupBy(hooks, (hook) => hook.dedupKey ?? hook);
  return hooks.flatMap((hook) => {
    const copies = groups.get(hook.dedupKey ?? hook) ?? [hook];
    if (copies.length === 1) return [{ hook, copies }];
    const winner = copies.reduce((best, copy) => (supersedes(copy, best) ? copy : best));
    // In a sequence the first place counts: what stands between could end the sequence before the last one's turn.
    const place = winner.sequence === undefined ? winner : (copies[0] ?? winner);
    return hook === place ? [{ hook: strictest(copies, winner, place.order), copies }] : [];
  });
}

/** A lower source never changes how a higher one's hook runs, except to make it stricter. */
export function supersedes(hook: RegisteredHook, other: RegisteredHook): boolean {
  const difference = scopeRank(hook.source.scope) - scopeRank(other.source.scope);
  return difference === 0 ? hook.order > other.order : difference < 0;
}

const DIRECTIONS: readonly FailureDirection[] = ["continue", "ask", "block"];
/** What was made of a winner last: runners remember things by hook, and most firings have the same copies. */
const made = new WeakMap<RegisteredHook, Kept<RegisteredHook>>();

/** SECURITY: one more copy, of whatever source, can only tighten: this is why no declaration switches a guard off. */
function strictest<Hook extends RegisteredHook>(copies: readonly Hook[], winner: Hook, order: number): Hook {
  const known = made.get(winner);
  if (known && known.copies.length === copies.length && copies.every((copy, index) => copy === known.copies[index]))
    return known.hook as Hook;
  const isAsync = copies.every((copy) => copy.isAsync);
  const hook = {
    ...winner,
    order,
    isAsync,
    copiedMatchers: copies.flatMap(({ matcher = [] }) => matcher),
    wakesAgent: copies.some(({ wakesAgent }) => wakesAgent),
    isGuard: copies.some(({ isGuard }) => isGuard),
    once: copies.every(({ once }) => once),
    timeoutMs: Math.max(...copies.map(({ timeoutMs }) => timeoutMs)),
    onFailure: isAsync ? winner.onFailure : strictestDirection(copies),
    target: strictestTarget(copies, winner.target),
  };
  made.set(winner, { hook, copies });
  return hook;
}

function strictestDirection(copies: readonly RegisteredHook[]): FailureDirection {
  // A background hook has no direction; what its entry says counts as soon as the hook runs in the foreground.
  const directions = copies.map((copy) => (copy.isAsync ? asWritten(copy) : copy.onFailure));
  return DIRECTIONS[Math.max(...directions.map((direction) => DIRECTIONS.indexOf(direction)))] ?? "block";
}

function asWritten({ event, fields = {} }: RegisteredHook): FailureDirection {
  return directionAt(EVENTS[event], writtenDirection(fields)) ?? "continue";
}

/** A judge's no ends the turn unless every copy says that it does not. */
function strictestTarget(copies: readonly RegisteredHook[], target: HookTarget): HookTarget {
  if (!("fields" in target) || target.fields["continueOnBlock"] !== true) return target;
  const everyOne = copies.every((copy) => "fields" in copy.target && copy.target.fields["continueOnBlock"] === true);
  return everyOne ? target : { ...target, fields: { ...target.fields, continueOnBlock: false } };
}

interface FailureOptions {
  readonly defaults: DialectDefaults | undefined;
  readonly row: EventRow;
  readonly isAsync: boolean;
  readonly strict: boolean;
}

/** What a failed run of the hook does, and a notice if that is not what was written. */
export function failureDirection(
  hook: HookDeclaration,
  { defaults, row, isAsync, strict }: FailureOptions,
): { readonly onFailure: FailureDirection; readonly diagnostic?: Diagnostic } {
  const written = writtenDirection(hook.fields);
  const counts = isAsync ? undefined : directionAt(row, written);
  if (counts !== written && written !== "continue") return { onFailure: "continue", diagnostic: ignored(hook, row) };
  if (isAsync || !row.failureCanBlock) return { onFailure: counts ?? "continue" };
  if (strict && row.role === "gate") return { onFailure: "block" };
  return { onFailure: written ?? defaults?.onFailure(row) ?? row.onFailure };
}

/** Why `ask` has no effect where a failed hook can only block. */
export const NO_QUESTION = 'a failed hook of this event blocks or does nothing. Write "block", or remove it';

export function writtenDirection(fields: Readonly<Record<string, unknown>>): FailureDirection | undefined {
  const own = fields["onFailure"];
  if (own === "continue" || own === "ask" || own === "block") return own;
  return fields["guard"] === true ? "block" : undefined;
}

/** What counts of it at this event: where a block keeps the agent at work, or withholds a result, a failed hook can only block, not ask. */
export function directionAt(row: EventRow, written: FailureDirection | undefined): FailureDirection | undefined {
  return row.failureCanBlock || (canBlockIfWritten(row) && written === "block") ? written : undefined;
}

/** Where only a guard, or a hook with `onFailure: "block"`, blocks by failing. */
export function canBlockIfWritten(row: EventRow): boolean {
  return row.block !== null || withholdsResult(row);
}

/** The step has happened, and hooks judge what the model gets to see of it: a denial withholds that. */
export function withholdsResult({ output }: EventRow): boolean {
  return "updatedToolOutput" in output;
}

function ignored({ event, fields, place }: HookDeclaration, row: EventRow): Diagnostic {
  const what = fields["onFailure"] === undefined ? '"guard"' : `"onFailure": "${fields["onFailure"]}"`;
  const why =
    !canBlockIfWritten(row) || row.failureCanBlock ? `a failed hook of ${event} cannot block anything. Remove it.` : `${NO_QUESTION}.`;
  const text = `${what} has no effect here: ${why}`;
  return { code: "HL_CONFIG_IGNORED_KEY", level: "notice", text, place };
}
