import type { ConfigDocument, Scope } from "../config/types.ts";
import { SCOPES, scopeRank } from "./scope-rank.ts";
import type { RegisteredHook } from "./types.ts";

/** Why a hook is switched off. */
export interface SwitchedOff {
  readonly reason: "disabled" | "managed-only" | "simple-mode";
  /** For people: what switched it off, and where. */
  readonly text: string;
}

/** The switches of a session, resolved. */
export interface SwitchState {
  /** Why this hook must not run, or nothing. */
  isDisabled(hook: RegisteredHook): SwitchedOff | undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** A switch in one of these scopes reaches only hooks of these scopes: a checkout cannot switch off what the user set up. */
export const BELOW_USER: readonly Scope[] = ["local", "project", "plugin", "skill"];
const SIMPLE_VARIABLES = ["HOOKLOOP_SIMPLE", "CLAUDE_CODE_SIMPLE"];
const DISABLE_VARIABLES = ["HOOKLOOP_DISABLE", "CLAUDE_CODE_DISABLE_HOOKS"];
/** What another system calls hooks that we ship (S2). */
const OTHER_NAMES: ReadonlyMap<string, readonly string[]> = new Map([["safety_checks", ["safety"]]]);

/** Resolves `disableAllHooks`, `allowManagedHooksOnly`, disable lists and simple mode. */
export function switchState(documents: readonly ConfigDocument[], env: Environment): SwitchState {
  const disabled = new Map(SCOPES.map((scope) => [scope, disableAllFor(scope, documents)]));
  const managedOnly = documents.find(({ source, switches }) => source.scope === "managed" && switches.allowManagedHooksOnly === true);
  const simple = SIMPLE_VARIABLES.find((name) => isOn(env[name]));
  const names = disabledNames(env);
  return {
    isDisabled(hook) {
      const { scope } = hook.source;
      const all = disabled.get(scope);
      if (all) return all;
      // SECURITY: nothing below this line may reach managed hooks (D16).
      if (scope === "managed") return undefined;
      if (managedOnly && scope !== "code") return managedOnlyText(managedOnly);
      if (simple !== undefined) return { reason: "simple-mode", text: `The variable ${simple} switches hooks off. Unset it.` };
      const variable = names.get(hook.name) ?? names.get(hook.id);
      return variable === undefined
        ? undefined
        : { reason: "disabled", text: `The variable ${variable} names this hook. Remove it from the list.` };
    },
  };
}

/** The value of the highest scope that sets the switch, among those that reach hooks of this scope. */
function disableAllFor(scope: Scope, documents: readonly ConfigDocument[]): SwitchedOff | undefined {
  const setting = documents
    .filter(({ source, switches }) => switches.disableAllHooks !== undefined && reaches(source.scope, scope))
    .sort((a, b) => scopeRank(a.source.scope) - scopeRank(b.source.scope));
  const highest = setting.filter(({ source }) => source.scope === setting[0]?.source.scope);
  const deciding = highest.find(({ switches }) => switches.disableAllHooks === true);
  if (!deciding) return undefined;
  const where = deciding.source.file ?? deciding.source.scope;
  return { reason: "disabled", text: `"disableAllHooks" is set in ${where}. Remove it there.` };
}

/** SECURITY: only a managed switch reaches managed hooks (D16), and a switch of a checkout only that checkout's. */
function reaches(from: Scope, to: Scope): boolean {
  if (from === "managed") return true;
  if (to === "managed") return false;
  return BELOW_USER.includes(to) || !BELOW_USER.includes(from);
}

function managedOnlyText({ source }: ConfigDocument): SwitchedOff {
  return { reason: "managed-only", text: `Managed policy (${source.file}) allows only its own hooks ("allowManagedHooksOnly").` };
}

function disabledNames(env: Environment): ReadonlyMap<string, string> {
  const pairs = DISABLE_VARIABLES.flatMap((variable) => {
    const listed = (env[variable] ?? "").split(",").flatMap((name) => namesOf(name.trim()));
    return listed.map((name) => [name, variable] as const);
  });
  return new Map(pairs.filter(([name]) => name !== ""));
}

/** Another system's name for a hook of ours may also be the name of somebody's own. */
function namesOf(name: string): readonly string[] {
  return [name, ...(OTHER_NAMES.get(name) ?? [])];
}

function isOn(value: string | undefined): boolean {
  return ["1", "true", "yes", "on"].includes((value ?? "").trim().toLowerCase());
}
