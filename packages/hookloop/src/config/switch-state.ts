import { type RegisteredHook, scopeRank } from "./registered-hook.ts";
import type { ConfigDocument, Scope, Source } from "./types.ts";

/** Why a hook is switched off. */
interface SwitchedOff {
  readonly reason: "disabled" | "managed-only" | "simple-mode";
  /** For people: what switched it off, and where. */
  readonly text: string;
  /** The switch stands in a file that comes with the project. */
  readonly isOfCheckout?: boolean | undefined;
  /** The local files that it stands in: such a switch reaches an approved gate only if it was approved itself. */
  readonly local?: readonly Source[] | undefined;
}

/** The switches of a session, resolved. */
export interface SwitchState {
  /** Why this hook must not run, or nothing. */
  isDisabled(hook: RegisteredHook): SwitchedOff | undefined;
  /** Local files, not kept by git, that switch hooks off. */
  readonly local: readonly Source[];
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** What these scopes say never reaches hooks of the others: a checkout cannot switch off what the user set up. */
export const BELOW_USER: readonly Scope[] = ["local", "project", "plugin", "skill"];
const SIMPLE_VARIABLES = ["HOOKLOOP_SIMPLE", "CLAUDE_CODE_SIMPLE"];
const DISABLE_VARIABLES = ["HOOKLOOP_DISABLE", "CLAUDE_CODE_DISABLE_HOOKS"];
/** What another system calls hooks that we ship (S2). */
const OTHER_NAMES: ReadonlyMap<string, readonly string[]> = new Map([["safety_checks", ["safety"]]]);

/** Resolves `disableAllHooks`, `allowManagedHooksOnly`, disable lists and simple mode. */
export function switchState(documents: readonly ConfigDocument[], env: Environment): SwitchState {
  const setting = documents
    .filter(({ switches }) => switches.disableAllHooks !== undefined)
    .sort((a, b) => scopeRank(a.source.scope) - scopeRank(b.source.scope));
  const managedOnly = documents.find(({ source, switches }) => source.scope === "managed" && switches.allowManagedHooksOnly === true);
  const simple = SIMPLE_VARIABLES.find((name) => isOn(env[name]));
  const names = disabledNames(env);
  return {
    local: setting.filter((document) => isLocal(document) && document.switches.disableAllHooks === true).map(({ source }) => source),
    isDisabled(hook) {
      const { scope } = hook.source;
      const all = disabledBy(setting, hook);
      // What the user and policy say comes first: a switch of the project's folder may not be enough.
      if (all && !all.isOfCheckout && !all.local) return all;
      // SECURITY: nothing below this line may reach managed hooks (D16).
      if (scope === "managed") return undefined;
      if (managedOnly && scope !== "code") return managedOnlyText(managedOnly);
      if (simple !== undefined) return { reason: "simple-mode", text: `The variable ${simple} switches hooks off. Unset it.` };
      const variable = names.get(hook.name) ?? names.get(hook.id);
      return variable === undefined
        ? all
        : { reason: "disabled", text: `The variable ${variable} names this hook. Remove it from the list.` };
    },
  };
}

/** The value of the highest scope that sets the switch, among those that reach this hook. */
function disabledBy(setting: readonly ConfigDocument[], { source: to }: RegisteredHook): SwitchedOff | undefined {
  const reaching = setting.filter((document) => reaches(document, to));
  const highest = reaching.filter(({ source }) => source.scope === reaching[0]?.source.scope);
  const all = highest.filter(({ switches }) => switches.disableAllHooks === true);
  const [deciding] = all;
  if (!deciding) return undefined;
  const { scope, file } = deciding.source;
  const isOfCheckout = scope === "project" || deciding.isOfCheckout === true;
  const text = `"disableAllHooks" is set in ${file ?? scope}. Remove it there.`;
  const local = all.filter(isLocal).map(({ source }) => source);
  return { reason: "disabled", text, ...(isOfCheckout && { isOfCheckout }), ...(local.length > 0 && { local }) };
}

function isLocal({ source, isOfCheckout = false }: ConfigDocument): boolean {
  return source.scope === "local" && !isOfCheckout;
}

/**
 * SECURITY: only a managed switch reaches managed hooks. What is committed to a project reaches the hooks of its own file and no others; the
 * local file, which is the user's own, those of the project and of local files. A local file that git keeps is not the user's own. Functions of
 * the program are above the user's files.
 */
function reaches(document: ConfigDocument, to: Source): boolean {
  const { source: from } = document;
  if (from.scope === "managed") return true;
  if (to.scope === "managed") return false;
  if (to.scope === "code" && from.scope === "user") return false;
  if (isLocal(document)) return to.scope === "local" || to.scope === "project";
  return !BELOW_USER.includes(from.scope) || (from.scope === to.scope && from.file === to.file);
}

function managedOnlyText({ source }: ConfigDocument): SwitchedOff {
  return { reason: "managed-only", text: `Managed policy (${source.file}) allows only its own hooks ("allowManagedHooksOnly").` };
}

/** The names in the lists of the environment, each with its variable. */
export function disabledNames(env: Environment): ReadonlyMap<string, string> {
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
