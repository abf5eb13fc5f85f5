// Takes a selected http hook and the event; posts the payload and gives the response as an outcome: its body is the hook's stdout.
// Refuses to ask: an address that is not allowed, also behind a name, a URL that no list has, and headers that cannot or must not be sent.

import http, { type IncomingMessage, validateHeaderName, validateHeaderValue } from "node:http";
import https, { type RequestOptions } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { BELOW_USER, type HttpPolicy } from "../../config/index.ts";
import { type Environment, isModelKey } from "../environment.ts";
import { onAbort, type RunHandle, withinLimit } from "../limits.ts";
import { OutputBuffer } from "../process/program.ts";
import { createRunner, failure, payloadOf, type RawOutcome, type RunFailure, type RunNote, type Runner, thrownText } from "../types.ts";
import { ADDRESS_REFUSED, guardLookup, isLoopbackAddress, isLoopbackHost, isPublicAddress } from "./address-rules.ts";
import { signatureHeaders } from "./webhook-verifier.ts";

type Hook = RawOutcome["hook"];

export interface HttpOptions extends PlanOptions {
  /** How names become addresses; the system's way if left out. What it gives is checked in any case. */
  readonly lookup?: LookupFunction | undefined;
  /** Certificate authorities instead of Node's own. */
  readonly ca?: string | undefined;
  /** Idle connections are closed when it comes. */
  readonly closing?: AbortSignal | undefined;
}

/** Less than the five seconds after which a Node server hangs up by itself: a request sent at that moment would be lost. */
const IDLE_MS = 4000;

export function createHttpRunner(options: HttpOptions): Runner {
  const connections = openConnections(options);
  const planOf = rememberedPlan(options);
  return createRunner("http", async ({ hook, input, limitMs }) => {
    const plan = planOf(hook);
    if ("kind" in plan) return { failure: plan };
    const body = payloadOf(input);
    if ("kind" in body) return { failure: body };
    const request = { ...plan.request, ...connections(plan.request.protocol), headers: headersFor(plan, body) };
    return { ...(await post({ request, body, limitMs, signal: input.signal })), notes: plan.notes };
  });
}

export interface PostRequest {
  readonly url: string;
  readonly body: object;
  readonly limitMs: number;
  /** Name of the variable that holds the secret for the signature. */
  readonly secretEnv?: string | undefined;
  readonly signal: AbortSignal;
}

/** Posts JSON that is no hook's question, under the same rules as a hook of the user; what the server answers does not matter. Gives why it failed. */
export function createPoster(options: Omit<HttpOptions, "allowLoopback">): (request: PostRequest) => Promise<string | undefined> {
  const connections = openConnections(options);
  return async ({ url: given, body: data, limitMs, secretEnv, signal }) => {
    const url = readUrl(given);
    if (!url) return "its URL is not an http: or https: address";
    const refusal = addressRefusal(url, () => true) ?? options.policy.refusalOf(USERS, url);
    if (refusal !== undefined) return `${url.origin} was not asked: ${refusal}`;
    const secret = secretEnv === undefined ? undefined : ownValue(options.environment, secretEnv);
    if (secretEnv !== undefined && !secret) return `"secretEnv" names ${secretEnv}, which is not set`;
    const body = Buffer.from(JSON.stringify(data));
    const headers = headersFor({ headers: standardHeaders(options.version), secret }, body);
    const request = { ...requestOf(url), ...connections(url.protocol), headers };
    return (await post({ request, body, limitMs, signal })).failure?.text;
  };
}

const USERS = { source: { scope: "user" } } as Parameters<HttpPolicy["refusalOf"]>[0];

type Connections = (protocol: string | null | undefined) => Pick<https.RequestOptions, "agent" | "lookup">;

/** Agents of our own: the global ones may have been given a proxy, and their connections have not been checked. */
function openConnections({ lookup, ca, closing }: Pick<HttpOptions, "lookup" | "ca" | "closing">): Connections {
  const kept = { keepAlive: true, timeout: IDLE_MS };
  const plain = new http.Agent(kept);
  // SECURITY: said outright, so that NODE_TLS_REJECT_UNAUTHORIZED cannot switch it off.
  const secure = new https.Agent({ ...kept, rejectUnauthorized: true, ...(ca !== undefined && { ca }) });
  onAbort(closing, () => {
    plain.destroy();
    secure.destroy();
  });
  const guarded = guardLookup(lookup);
  return (protocol) => ({ agent: protocol === "https:" ? secure : plain, lookup: guarded });
}

/** Plans do not change during a session; hooks that went are forgotten with their object. */
function rememberedPlan(options: PlanOptions): (hook: Hook) => RequestPlan | RunFailure {
  const known = new WeakMap<Hook, RequestPlan | RunFailure>();
  return (hook) => {
    const plan = known.get(hook) ?? planRequest(hook, options);
    known.set(hook, plan);
    return plan;
  };
}

function headersFor({ headers, secret }: Pick<RequestPlan, "headers" | "secret">, body: Buffer): Readonly<Record<string, string>> {
  return {
    ...headers,
    "content-length": String(body.length),
    ...(secret !== undefined && signatureHeaders(secret, body)),
  };
}

/** An answer is as long as a command may print; more is no answer. */
const MAX_BODY_BYTES = 1_048_576;

interface Post extends Pick<Parameters<typeof withinLimit>[0], "limitMs" | "signal"> {
  readonly request: RequestOptions;
  readonly body: Buffer;
}

/** One request. The limit is for everything together: name, connection, sending, headers and body. */
async function post({ request, body, limitMs, signal }: Post): Promise<Pick<RawOutcome, "stdout" | "isBinary" | "httpStatus" | "failure">> {
  const answer = new OutputBuffer(MAX_BODY_BYTES);
  let httpStatus: number | undefined;
  const send = (handle: Pick<RunHandle, "signal">): Promise<RunFailure | undefined> =>
    new Promise((resolve) => {
      const sent = (request.protocol === "https:" ? https : http).request({ ...request, signal: handle.signal });
      const end = (why?: RunFailure): void => {
        // Whatever is still on its way belongs to no answer; the connection is not used again.
        if (why) sent.destroy();
        resolve(why);
      };
      sent.on("error", (error) => end(connectionFailure(error)));
      sent.on("response", (response) => {
        httpStatus = response.statusCode;
        const problem = statusFailure(response) ?? lengthFailure(response);
        if (problem) return end(problem);
        response.on("data", (chunk: Buffer) => {
          answer.add(chunk);
          if (answer.isTruncated) end(TOO_LONG);
        });
        response.on("error", () => end(HUNG_UP));
        response.on("end", () => end());
      });
      sent.end(body);
    });
  const ended = await withinLimit({ limitMs, signal, run: send, onThrow: notAsked });
  const { text, isBinary } = answer.text();
  return { stdout: text, isBinary, httpStatus, failure: "failure" in ended ? ended.failure : ended.value };
}

function notAsked(thrown: unknown): RunFailure {
  return failure("could-not-start", `it could not be asked: ${thrownText(thrown)}`);
}

const TOO_LONG = failure("flood", "its answer is larger than 1 MiB");
const HUNG_UP = failure("unreachable", "its server closed the connection before the answer was whole");

function statusFailure({ statusCode = 0, headers }: IncomingMessage): RunFailure | undefined {
  if (statusCode >= 200 && statusCode < 300) return undefined;
  const isRedirect = statusCode >= 300 && statusCode < 400 && headers.location !== undefined;
  const target = isRedirect ? ` (to ${headers.location?.slice(0, 200)}); redirects are not followed` : "";
  return failure("http-status", `its server answered with status ${statusCode}${target}`);
}

/** Only a reason to stop early: the bytes are counted whatever the header says. */
function lengthFailure({ headers }: IncomingMessage): RunFailure | undefined {
  return Number(headers["content-length"] ?? 0) > MAX_BODY_BYTES ? TOO_LONG : undefined;
}

function connectionFailure(error: NodeJS.ErrnoException): RunFailure {
  if (error.code === ADDRESS_REFUSED) return failure("refused", `${error.message}; only "localhost" and public addresses can be reached`);
  // Several addresses were tried: the errors of each stand inside.
  const [first] = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [error];
  return failure("unreachable", `its server cannot be reached: ${thrownText(first)}`);
}

// The plan of a request: everything of it but the payload, from the hook, the policy and the environment.

type HttpFields = Readonly<Record<string, unknown>>;

interface PlanOptions {
  /** The program's variables; headers and secrets are taken from here. */
  readonly environment: Environment;
  readonly version: string;
  readonly policy: HttpPolicy;
  /** Whether the hook may reach this machine. */
  readonly allowLoopback: (hook: Hook) => boolean;
}

/** The same for every run of a hook. */
interface RequestPlan {
  readonly request: RequestOptions;
  readonly headers: Readonly<Record<string, string>>;
  readonly notes: readonly RunNote[];
  readonly secret?: string | undefined;
}

function planRequest(hook: Hook, options: PlanOptions): RequestPlan | RunFailure {
  const { fields } = hook.target as Extract<Hook["target"], { readonly fields: object }>;
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

/** SECURITY: a hook that a checkout brought along never gets the model's key, whatever its own list says. */
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
