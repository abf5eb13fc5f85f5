import type { HookDefinition } from "./definition.ts";

/** An S4-style main function, as `runHook` was given it. */
export interface DeclaredMain {
  readonly main: () => unknown;
  readonly name: string;
  readonly guard: boolean;
}

/** The hooks declared in this process. */
export interface Declarations {
  readonly definitions: HookDefinition[];
  readonly mains: DeclaredMain[];
  state?: "scheduled" | "answering";
  /** Set by a program that calls the hooks itself (a test, a warm worker): then nothing runs on its own. */
  isHosted?: true;
}

/** One list even if a script has loaded two copies of the SDK: it must answer once. */
export function declarations(): Declarations {
  const shared = globalThis as { [key: symbol]: Declarations | undefined };
  const key = Symbol.for("hookloop.sdk");
  shared[key] ??= { definitions: [], mains: [] };
  return shared[key];
}
