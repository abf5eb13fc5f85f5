// Takes a selected http hook and the event; posts the payload and gives the response as an outcome: its body is the hook's stdout.
// Refuses to ask: what the plan of the request refuses, and every name that leads somewhere it must not.
import http from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import { onAbort } from "../abort-listeners.ts";
import { failure, NO_OUTPUT, notRun, thrownText } from "../failures.ts";
import type { RawOutcome, RunFailure, RunInput, Runner } from "../types.ts";
import { guardLookup } from "./guarded-lookup.ts";
import { post } from "./post.ts";
import { type PlanOptions, planRequest, type RequestPlan } from "./request-plan.ts";
import { signatureHeaders } from "./signature.ts";

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
      if (input.signal?.aborted) return notRun(hook, failure("aborted", "the run was cancelled before it started"));
      const body = payloadOf(input);
      if ("kind" in body) return notRun(hook, body);
      const startedAt = performance.now();
      const end = await post({
        request: { ...plan.request, ...connections(plan.request.protocol), headers: headersFor(plan, body) },
        body,
        timeoutMs: Math.min(hook.timeoutMs, input.timeoutMs ?? hook.timeoutMs),
        signal: input.signal,
      });
      return { ...NO_OUTPUT, ...end, notes: plan.notes, hook, durationMs: performance.now() - startedAt };
    } catch (thrown) {
      // A port of the embedding program threw; the loop still gets an outcome.
      return notRun(hook, failure("could-not-start", `it could not be asked: ${thrownText(thrown)}`));
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

function payloadOf(input: RunInput): Buffer | RunFailure {
  try {
    return input.payload();
  } catch (thrown) {
    return failure("bad-input", `the event cannot be written as JSON: ${thrownText(thrown)}`);
  }
}
