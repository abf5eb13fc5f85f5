import type { HookDefinition } from "./definition.ts";

/** An S4-style main function, as `runHook` was given it. */
export interface MainDefinition {
  readonly main: () => unknown;
  readonly name: string;
  readonly guard: boolean;
  /** What is wrong with how it was declared: then it is a guard that blocks. */
  readonly mistake?: string | undefined;
}

/** Everything declared in this process. */
export interface Declarations {
  readonly definitions: HookDefinition[];
  readonly mains: MainDefinition[];
  /** `waiting`: declared by an imported file; `scheduled`: by the script itself; `answering`: the event has been read. */
  state?: "waiting" | "scheduled" | "answering";
  /** Set by a program that calls the hooks itself (a test, a warm worker): then nothing runs on its own. */
  isHosted?: true;
  /** Set when the exit of the process is watched. */
  isWatched?: true;
  /** The script does something with the SDK that needs no hook, such as logging. */
  isUsed?: true;
  /** What was called where nothing may listen: `deny` without a hook, or `hook` itself in a script that imports the testing entry. */
  refusal?: string;
  /** Set by tests: they look closer at what a hook does than an agent has time to. */
  isTested?: true;
  /** Set by tests: calling a hook must not write into the project it is tested in. */
  isLogOff?: true;
}

/** One list even if a script has loaded two copies of the SDK: it must answer once. */
export function declarations(): Declarations {
  const shared = globalThis as { [key: symbol]: Declarations | undefined };
  const key = Symbol.for("hookloop.sdk");
  shared[key] ??= { definitions: [], mains: [] };
  return shared[key];
}
