import { SHIPPED_HOOKS, SHIPPED_NAMES } from "../catalogue/index.ts";
import { compileWildcard } from "../permissions/index.ts";
import type { RegisteredHook } from "./registered-hook.ts";
import { BELOW_USER, type ConfigDocument, type Scope, type Source, scopeRank } from "./types.ts";

interface SwitchedOff {
  readonly reason: "disabled" | "managed-only" | "simple-mode";
  /** For people: what switched it off, and where. */
  readonly text: string;
  /** The switch stands in a file that comes with the project. */
  readonly isOfCheckout?: boolean | undefined;
  /** The local files that it stands in: such a switch reaches an approved gate only if it was approved itself. */
  readonly local?: readonly Source[] | undefined;
}

export interface SwitchState {
  isDisabled(hook: RegisteredHook): SwitchedOff | undefined;
  /** Local files, not kept by git, that switch hooks off. */
  readonly local: readonly Source[];
}

export type Environment = Readonly<Record<string, string | undefined>>;

const SIMPLE_VARIABLES = ["HOOKLOOP_SIMPLE", "CLAUDE_CODE_SIMPLE"];
const DISABLE_VARIABLES = ["HOOKLOOP_DISABLE", "CLAUDE_CODE_DISABLE_HOOKS"];
/** What another system calls hooks that we ship, and our own names as it would spell them. */
const OTHER_NAMES: ReadonlyMap<string, readonly string[]> = new Map(
  SHIPPED_NAMES.flatMap((name) => [name.replaceAll("-", "_"), ...(SHIPPED_HOOKS[name].otherNames ?? [])].map((other) => [other, [name]])),
);

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
      // SECURITY: nothing below this line may reach managed hooks.
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

/** Whether a name is only another system's for a hook of ours, on or not. */
export function isOtherName(name: string): boolean {
  return OTHER_NAMES.has(name);
}

/** Another system's name for a hook of ours may also be the name of a user's own hook. */
function namesOf(name: string): readonly string[] {
  return [name, ...(OTHER_NAMES.get(name) ?? [])];
}

function isOn(value: string | undefined): boolean {
  return ["1", "true", "yes", "on"].includes((value ?? "").trim().toLowerCase());
}

type Hook = Pick<RegisteredHook, "source">;

export interface HttpPolicy {
  refusalOf(hook: Hook, url: URL): string | undefined;
  /** Whether the lists let the hook use this variable; its own `allowedEnvVars` is not looked at. */
  mayUse(hook: Hook, variable: string): boolean;
  /** Why a list in the project's own folder keeps the hook from asking its server as it was approved, or nothing. */
  takenAway(hook: Hook, url: URL, variables: readonly string[]): string | undefined;
}

/**
 * The lists of managed, flag and user scope together bind every hook. SECURITY: those of a checkout bind its own hooks
 * only, and on top: they can take away, never add, and never reach the user's hooks.
 */
export function httpPolicy(documents: readonly ConfigDocument[]): HttpPolicy {
  const urls = listsOf(documents, "allowedHttpHookUrls");
  const variables = listsOf(documents, "httpHookAllowedEnvVars");
  return {
    refusalOf({ source }, url) {
      const barrier = urls(source.scope).find((list) => !list.some((pattern) => matchesUrl(pattern, url)));
      if (!barrier) return undefined;
      return barrier.length === 0
        ? `"allowedHttpHookUrls" is empty, so no URL is allowed`
        : `"allowedHttpHookUrls" has only ${barrier.join(", ")}`;
    },
    mayUse: ({ source }, variable) => variables(source.scope).every((list) => list.includes(variable)),
    takenAway({ source }, url, used) {
      if (!BELOW_USER.includes(source.scope)) return undefined;
      if (urls.below.some((list) => !list.some((pattern) => matchesUrl(pattern, url))))
        return `"allowedHttpHookUrls" of the project's settings does not have ${url.origin}`;
      const lost = used.find((variable) => variables.below.some((list) => !list.includes(variable)));
      return lost && `"httpHookAllowedEnvVars" of the project's settings does not have ${lost}`;
    },
  };
}

type ListName = "allowedHttpHookUrls" | "httpHookAllowedEnvVars";

type Lists = readonly (readonly string[])[];

/** The lists that bind hooks of a scope; something is allowed if each of them has it. */
function listsOf(documents: readonly ConfigDocument[], name: ListName): ((scope: Scope) => Lists) & { readonly below: Lists } {
  const isBelow = ({ source }: ConfigDocument): boolean => BELOW_USER.includes(source.scope);
  const above = union(documents.filter((document) => !isBelow(document)).map(({ switches }) => switches[name]));
  const below = union(documents.filter(isBelow).map(({ switches }) => switches[name]));
  return Object.assign((scope: Scope) => (BELOW_USER.includes(scope) ? [...above, ...below] : above), { below });
}

/** One list, or none if there is none. An empty list is a list: it allows nothing. */
function union(lists: readonly (readonly string[] | undefined)[]): readonly (readonly string[])[] {
  const written = lists.filter((list) => list !== undefined);
  return written.length === 0 ? [] : [written.flat()];
}

/** `https://*.example.com:8443/hooks/*` in its three parts. */
const PARTS = /^([a-z*]+):\/\/([^/?#]*)(.*)$/i;
const DEFAULT_PORT: Readonly<Record<string, string>> = { "http:": ":80", "https:": ":443" };

/**
 * Whether an address fits a pattern in which `*` stands for anything.
 * SECURITY: scheme, host and path are compared one by one, so that `https://*.example.com/*` never fits
 * `https://elsewhere.test/x.example.com/`.
 */
export function matchesUrl(pattern: string, url: URL): boolean {
  if (pattern === "*") return true;
  const [, scheme, host, path] = PARTS.exec(pattern) ?? [];
  if (scheme === undefined || host === undefined || path === undefined) return false;
  const port = DEFAULT_PORT[url.protocol] ?? "";
  const isHost = (spelled: string): boolean => compileWildcard(spelled.toLowerCase())(url.host);
  return (
    compileWildcard(`${scheme.toLowerCase()}:`)(url.protocol) &&
    (isHost(host) || (url.port === "" && host.endsWith(port) && isHost(host.slice(0, -port.length)))) &&
    compileWildcard(path || "/")(url.pathname + url.search)
  );
}
