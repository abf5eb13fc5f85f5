// Takes a selected http hook and the event; posts the payload and gives the response as an outcome: its body is the hook's stdout.
// Refuses to ask: what the plan of the request refuses, and every name that leads somewhere it must not.

import http, { type IncomingMessage } from "node:http";
import https, { type RequestOptions } from "node:https";
import type { LookupFunction } from "node:net";
import { onAbort, type RunHandle, withinLimit } from "../limits.ts";
import { OutputBuffer } from "../process/program.ts";
import {
  ABORTED_BEFORE,
  failure,
  limitOf,
  NO_OUTPUT,
  notRun,
  payloadOf,
  type RawOutcome,
  type RunFailure,
  type Runner,
  thrownText,
} from "../types.ts";
import { ADDRESS_REFUSED, guardLookup } from "./address-rules.ts";
import { type PlanOptions, planRequest, type RequestPlan } from "./request-plan.ts";
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

/** Less than the five seconds after which a Node server hangs up by itself: a request on its heels would be lost. */
const IDLE_MS = 4000;

/** The runner for hooks of kind `http`. */
export function createHttpRunner(options: HttpOptions): Runner {
  const connections = openConnections(options);
  const planOf = rememberedPlan(options);
  return async ({ hook }, input) => {
    try {
      const plan = planOf(hook);
      if ("kind" in plan) return notRun(hook, plan);
      if (input.signal?.aborted) return notRun(hook, ABORTED_BEFORE);
      const body = payloadOf(input);
      if ("kind" in body) return notRun(hook, body);
      const startedAt = performance.now();
      const end = await post({
        request: { ...plan.request, ...connections(plan.request.protocol), headers: headersFor(plan, body) },
        body,
        limitMs: limitOf(hook, input),
        signal: input.signal,
      });
      return { ...NO_OUTPUT, ...end, notes: plan.notes, hook, durationMs: performance.now() - startedAt };
    } catch (thrown) {
      // A port of the embedding program threw; the loop still gets an outcome.
      return notRun(hook, notAsked(thrown));
    }
  };
}

type Connections = (protocol: string | null | undefined) => Pick<https.RequestOptions, "agent" | "lookup">;

/** Agents of our own: the global ones may have been given a proxy, and their connections nobody has checked. */
function openConnections({ lookup, ca, closing }: HttpOptions): Connections {
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

function headersFor({ headers, secret }: RequestPlan, body: Buffer): Readonly<Record<string, string>> {
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

type PostEnd = Pick<RawOutcome, "stdout" | "isBinary" | "httpStatus" | "failure">;

/** One request. The limit is for everything together: name, connection, sending, headers and body. */
async function post({ request, body, limitMs, signal }: Post): Promise<PostEnd> {
  const answer = new OutputBuffer(MAX_BODY_BYTES);
  let httpStatus: number | undefined;
  const send = (handle: RunHandle): Promise<RunFailure | undefined> =>
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
