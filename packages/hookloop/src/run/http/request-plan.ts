// Takes an http hook, the policy and the environment; gives everything of its request but the payload.
// Refuses an address that is not allowed, a URL that no list has, and headers that cannot or must not be sent.

import { validateHeaderName, validateHeaderValue } from "node:http";
import type { RequestOptions } from "node:https";
import { isIP } from "node:net";
import { BELOW_USER, type HttpPolicy } from "../../config/index.ts";
import { type Environment, isModelKey } from "../environment.ts";
import { failure, type RawOutcome, type RunFailure, type RunNote } from "../types.ts";
import { isLoopbackAddress, isLoopbackHost, isPublicAddress } from "./address-rules.ts";

type Hook = RawOutcome["hook"];
type HttpFields = Readonly<Record<string, unknown>>;

export interface PlanOptions {
  /** The program's variables; headers and secrets are taken from here. */
  readonly environment: Environment;
  /** Of hookloop; servers find it in `user-agent`. */
  readonly version: string;
  readonly policy: HttpPolicy;
  /** Whether the hook may reach this machine. */
  readonly allowLoopback: (hook: Hook) => boolean;
}

/** The same for every run of a hook. */
export interface RequestPlan {
  readonly request: RequestOptions;
  readonly headers: Readonly<Record<string, string>>;
  readonly notes: readonly RunNote[];
  /** Requests are signed with it. */
  readonly secret?: string | undefined;
}

/** How the hook's request looks, or why there is none. */
export function planRequest(hook: Hook, options: PlanOptions): RequestPlan | RunFailure {
  const { target } = hook;
  if (target.kind !== "http") return failure("could-not-start", `it is a ${target.kind} hook, not an http one`);
  const { fields } = target;
  const url = readUrl(fields["url"]);
  if (!url) return failure("could-not-start", `"url" is not an http: or https: address`);
  // SECURITY: it is approved, or it would not run; what took its server away came with the project, so a gate blocks in every dialect.
  const taken = options.policy.takenAway(hook, url, variablesOf(fields));
  if (taken !== undefined) return failure("untrusted", `${url.origin} was not asked: ${taken}`);
  const refusal = addressRefusal(url, () => options.allowLoopback(hook)) ?? options.policy.refusalOf(hook, url);
  if (refusal !== undefined) return failure("refused", `${url.origin} was not asked: ${refusal}`);
  const { headers, notes, problem } = headersOf(hook, fields, options);
  if (problem !== undefined) return failure("refused", problem);
  const secret = secretOf(hook, fields["secretEnv"], options);
  if (typeof secret === "object") return secret;
  return { request: requestOf(url), headers: { ...standardHeaders(options.version), ...headers }, notes, secret };
}

/** The variables that a request is made with. */
function variablesOf({ headers, allowedEnvVars, secretEnv }: HttpFields): readonly string[] {
  const text = JSON.stringify(headers ?? {});
  const own = Array.isArray(allowedEnvVars) ? allowedEnvVars.map(String).filter((name) => text.includes(name)) : [];
  return typeof secretEnv === "string" ? [...own, secretEnv] : own;
}

function readUrl(value: unknown): URL | undefined {
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
  return url && (url.protocol === "http:" || url.protocol === "https:") ? url : undefined;
}

/** SECURITY: a literal address never passes the lookup, so it is checked here; names are checked when they are connected to. */
function addressRefusal(url: URL, allowsLoopback: () => boolean): string | undefined {
  if (url.username !== "" || url.password !== "") return "a URL must not have a password in it; use an Authorization header";
  const host = hostOf(url);
  const isLiteral = isIP(host) !== 0;
  if (isLiteral && isPublicAddress(host)) return undefined;
  if (isLiteral && !isLoopbackAddress(host)) return "this address is not on the public internet";
  if (!isLoopbackHost(host) || allowsLoopback()) return undefined;
  return 'a hook of the project reaches this machine only if "allowLoopback" is set in a user or managed hookloop file';
}

function hostOf({ hostname }: URL): string {
  return hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
}

function headersOf(hook: Hook, fields: HttpFields, { environment, policy }: PlanOptions): ReturnType<typeof headerValues> {
  const own = Array.isArray(fields["allowedEnvVars"]) ? fields["allowedEnvVars"] : [];
  return headerValues({
    templates: (fields["headers"] ?? {}) as HttpFields,
    read: (name) => ownValue(environment, name),
    isAllowed: (name) => own.includes(name) && mayUse(hook, name, policy),
    onMissing: hook.quirks?.missingHeaderVariable ?? "failure",
  });
}

/** SECURITY: a hook that a checkout brought along never gets the model's key (design rule 9), whatever its own list says. */
function mayUse(hook: Hook, name: string, policy: HttpPolicy): boolean {
  return !(BELOW_USER.includes(hook.source.scope) && isModelKey(name)) && policy.mayUse(hook, name);
}

/** The value is never sent, so the hook's own list does not count; that of the user does. */
function secretOf(hook: Hook, name: unknown, { environment, policy }: PlanOptions): string | undefined | RunFailure {
  if (typeof name !== "string") return undefined;
  if (!mayUse(hook, name, policy)) return failure("refused", `"secretEnv" names ${name}, which is not allowed`);
  return ownValue(environment, name) || failure("refused", `"secretEnv" names ${name}, which is not set`);
}

/** Not `toString` and the like, which every object has. */
function ownValue(environment: Environment, name: string): string | undefined {
  return Object.hasOwn(environment, name) ? environment[name] : undefined;
}

function standardHeaders(version: string): Readonly<Record<string, string>> {
  return { accept: "application/json", "content-type": "application/json", "user-agent": `hookloop/${version}` };
}

function requestOf(url: URL): RequestOptions {
  return { protocol: url.protocol, hostname: hostOf(url), port: url.port, path: url.pathname + url.search, method: "POST" };
}

/** `$NAME` or `${NAME}`; a lone `$` is itself. */
const REFERENCE = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;

/** Headers that say where a message ends or where it goes: with two opinions about them a request can be split. */
const OURS: ReadonlySet<string> = new Set(
  "connection content-length expect host keep-alive te trailer transfer-encoding upgrade webhook-id webhook-signature webhook-timestamp".split(
    " ",
  ),
);

interface HeaderOptions {
  readonly templates: Readonly<Record<string, unknown>>;
  /** The variable's value; undefined if it is not set. */
  readonly read: (variable: string) => string | undefined;
  readonly isAllowed: (variable: string) => boolean;
  /** What a variable that is not allowed or not set does. */
  readonly onMissing: "empty" | "failure";
}

interface HeaderValues {
  readonly headers: Readonly<Record<string, string>>;
  readonly notes: readonly RunNote[];
  /** Why the request must not be sent. Never has a value in it. */
  readonly problem?: string | undefined;
}

/** The headers of a hook with their variables filled in. */
function headerValues(options: HeaderOptions): HeaderValues {
  const missing: string[] = [];
  const problems: string[] = [];
  const headers: [string, string][] = [];
  for (const [name, template] of Object.entries(options.templates)) {
    const { value, gaps } = fill(String(template), options);
    missing.push(...gaps.map((gap) => `header "${name}" names ${gap}`));
    const problem = problemOf(name, value);
    if (problem) problems.push(problem);
    else headers.push([name.toLowerCase(), value]);
  }
  const fatal = options.onMissing === "failure" ? [...missing, ...problems] : problems;
  return { headers: Object.fromEntries(headers), notes: options.onMissing === "empty" ? missing.map(emptyNote) : [], problem: fatal[0] };
}

function fill(template: string, { read, isAllowed }: HeaderOptions): { readonly value: string; readonly gaps: readonly string[] } {
  const gaps: string[] = [];
  const value = template.replace(REFERENCE, (_whole, braced: string | undefined, bare: string | undefined) => {
    const variable = braced ?? bare ?? "";
    const found = isAllowed(variable) ? read(variable) : undefined;
    if (found === undefined) gaps.push(isAllowed(variable) ? `$${variable}, which is not set` : `$${variable}, which is not allowed`);
    return found ?? "";
  });
  return { value, gaps };
}

function emptyNote(gap: string): RunNote {
  return {
    code: "HL_EXECUTE_HEADER_EMPTY",
    level: "warning",
    text: `${gap}; it was sent empty. Name the variable in "allowedEnvVars", and in "httpHookAllowedEnvVars" where that is set`,
  };
}

function problemOf(name: string, value: string): string | undefined {
  if (OURS.has(name.toLowerCase())) return `header "${name}" is set by hookloop and cannot be configured`;
  // SECURITY: a line break would add headers or a second request of the variable's choice.
  if (/[\r\n]/.test(value)) return `the value of header "${name}" has a line break`;
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return undefined;
  } catch {
    // Node's own text would show the value.
    return `header "${name}" has a character that headers cannot have`;
  }
}
