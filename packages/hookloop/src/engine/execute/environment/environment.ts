// Takes the program's environment and a hook; gives the variables the hook's process gets, and the names that were kept from it.
// Refuses: secrets, model-client and code-loading variables for hooks that come with a checkout, plugin or skill (design rule 9).

import type { RegisteredHook, Scope } from "../../../config/index.ts";
import { absoluteSearchPath } from "../../../permissions/index.ts";
import { isModelKey, isNeverInherited, isStrictlyAllowed, sensitivityOf } from "./withheld-names.ts";

export type Environment = Readonly<Record<string, string>>;

export interface HookEnvironment {
  readonly env: Environment;
  /** Names only; `explain` shows them. */
  readonly withheld: readonly string[];
}

export interface ScrubOptions {
  readonly base: Environment;
  readonly hook: Pick<RegisteredHook, "source" | "passEnv">;
  /** Only an allow-list of names passes, for hooks of every scope. */
  readonly isStrict?: boolean | undefined;
}

/** A hook declared here may have been written by someone else than the person at the keyboard. */
const SCRUBBED: Readonly<Record<Scope, boolean>> = {
  managed: false,
  flag: false,
  code: false,
  user: false,
  local: true,
  project: true,
  plugin: true,
  skill: true,
};

/** The environment of this moment. Reading `process.env` costs 33 µs, so an engine takes one and keeps it. */
export function snapshotEnvironment(env: NodeJS.ProcessEnv = process.env): Environment {
  const entries = Object.entries(env).flatMap(([name, value]): [string, string][] => {
    if (value === undefined) return [];
    // SECURITY: a program named without a path must not be found in the folder it is started in.
    return [[name, name === "PATH" ? absoluteSearchPath(value) : value]];
  });
  return Object.freeze(Object.fromEntries(entries));
}

/** What is left of the program's environment for this hook; the same for every run of it. */
export function scrubEnvironment({ base, hook, isStrict = false }: ScrubOptions): HookEnvironment {
  const passed = new Set(hook.passEnv);
  const isScrubbed = SCRUBBED[hook.source.scope];
  const kept: [string, string][] = [];
  const withheld: string[] = [];
  for (const [name, value] of Object.entries(base)) {
    if (whyWithheld({ name, value, isScrubbed, isStrict, isNamed: passed.has(name) }) === undefined) kept.push([name, value]);
    else withheld.push(name);
  }
  // Not by assignment: a variable called `__proto__` is a name like any other.
  return { env: Object.fromEntries(kept), withheld: withheld.sort() };
}

/** A variable that a hook's process does not get, and why. Its value is nobody's business. */
export interface WithheldVariable {
  readonly name: string;
  /** Continues "withheld because it …". */
  readonly why: string;
  /** Whether naming it in the hook's `passEnv` would let it through. */
  readonly canPass: boolean;
}

/** For `explain`: what `scrubEnvironment` keeps from this hook, sorted by name. */
export function explainWithheld({ base, hook, isStrict = false }: ScrubOptions): readonly WithheldVariable[] {
  const isScrubbed = SCRUBBED[hook.source.scope];
  const withheld = Object.entries(base).flatMap(([name, value]) => {
    const why = whyWithheld({ name, value, isScrubbed, isStrict, isNamed: hook.passEnv.includes(name) });
    return why === undefined ? [] : [{ name, why, canPass: !(isScrubbed && isModelKey(name)) }];
  });
  return withheld.sort((a, b) => (a.name < b.name ? -1 : 1));
}

export interface HookEnvironmentOptions extends ScrubOptions {
  /** What the dialect promises its hooks; wins over what was inherited. */
  readonly extra: Environment;
}

/** The whole environment of one run: what was left of the program's own, then what the dialect promises. */
export function hookEnvironment({ extra, ...options }: HookEnvironmentOptions): HookEnvironment {
  const { env, withheld } = scrubEnvironment(options);
  return { env: { ...env, ...extra }, withheld: withheld.filter((name) => !Object.hasOwn(extra, name)) };
}

interface Candidate {
  readonly name: string;
  readonly value: string;
  readonly isScrubbed: boolean;
  readonly isStrict: boolean;
  /** `passEnv` has exactly this name. */
  readonly isNamed: boolean;
}

function whyWithheld({ name, value, isScrubbed, isStrict, isNamed }: Candidate): string | undefined {
  // SECURITY: before `passEnv`, which stands in a file of the project.
  if (isScrubbed && isModelKey(name)) return "is the key of the model";
  if (isNamed) return undefined;
  if (isNeverInherited(name)) return "speaks of another session, or of telemetry";
  if (isStrict && !isStrictlyAllowed(name)) return "is not on the list of strict mode";
  return isScrubbed ? sensitivityOf(name, value) : undefined;
}
