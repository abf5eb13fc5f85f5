import type { EventName, HookRun } from "@hookloop/sdk";
import type { FailureDirection, HookKind } from "../../catalogue/index.ts";
import type { Place } from "../../diagnostic.ts";
import type { SettingsCommand, Source } from "../config/types.ts";

/** A handler that lives in this process. It may be synchronous; the input's type follows from the event. */
export type HookFunction = (input: never, run: HookRun) => unknown;

export type SequenceMode =
  /** each sees what the one before rewrote; a no ends it */
  | "pipeline"
  /** a pipeline that the first answer ends; where hooks can refuse what is asked, one that has no opinion on it does not */
  | "first-answer"
  /** a pipeline from the last hook to the first */
  | "reverse";

/** Marks what a function returned as the answer of its sequence, even if it has no opinion. */
export const IS_ANSWER: unique symbol = Symbol("hookloop.is-answer");

/** What to run, by kind. */
export type HookTarget =
  | {
      readonly kind: "command";
      readonly command: string;
      readonly args?: readonly string[] | undefined;
      readonly shell: "sh" | "bash" | "powershell";
    }
  | { readonly kind: "function"; readonly handler: HookFunction }
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
  /** The names that the matcher of a function lists, where it is one. */
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
  /** Hooks with the same key run one after the other. */
  readonly sequence?: string | undefined;
  /** How the hooks of a sequence follow each other; a pipeline if left out. */
  readonly sequenceMode?: SequenceMode | undefined;
  readonly isGuard: boolean;
  /** What a failed run does; resolved from the hook, its dialect and the event's row. */
  readonly onFailure: FailureDirection;
  readonly timeoutMs: number;
  readonly isAsync: boolean;
  readonly wakesAgent: boolean;
  readonly once: boolean;
  readonly statusMessage?: string | undefined;
  readonly passEnv: readonly string[];
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
  readonly setting?: SettingsCommand | "disableAllHooks" | undefined;
}
