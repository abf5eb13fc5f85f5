/**
 * The fast path: every hook of the plan is a function and nobody listens. No promise unless a function returns one, no trace, no outcome
 * objects unless something is out of the ordinary; then the functions' results, which are not asked for twice, take the long way.
 */
import type { EventName } from "@hookloop/sdk";
import { EVENTS } from "../catalogue/index.ts";
import type { RunFailure } from "./execute/index.ts";
import { interpretOutcome } from "./interpret/index.ts";
import { foldResults, mergeOutcomes, type Verdict } from "./merge/index.ts";
import type { Plan } from "./select/index.ts";
import type { EventInput, Firing, Session } from "./session.ts";
import type { AdmittedHook } from "./trust/index.ts";

/** Stands in the place of a result when the function failed. */
class Failed {
  readonly failure: RunFailure;
  constructor(kind: RunFailure["kind"], text: string) {
    this.failure = { kind, text };
  }
}

type Handler = (input: EventInput) => unknown;

export function fireFunctions(session: Session, plan: Plan, { event, input }: Firing): Verdict | Promise<Verdict> {
  const { hooks } = plan;
  const results: unknown[] = new Array(hooks.length);
  let isAsync = false;
  for (let index = 0; index < hooks.length; index++) {
    const target = (hooks[index] as AdmittedHook).target as { readonly handler?: unknown };
    try {
      const result = (target.handler as Handler)(copyFor(session, event, input));
      results[index] = result;
      if (isThenable(result)) isAsync = true;
    } catch (thrown) {
      results[index] = new Failed("threw", `it threw: ${messageOf(thrown)}`);
    }
  }
  return isAsync ? settleAll(session, { event, hooks, results }) : judge(session, { event, hooks, results });
}

interface Answers {
  readonly event: EventName;
  readonly hooks: readonly AdmittedHook[];
  readonly results: unknown[];
}

/** They all run already; one timer, for the one that takes longest. */
async function settleAll(session: Session, answers: Answers): Promise<Verdict> {
  const { hooks, results } = answers;
  let timer: NodeJS.Timeout | undefined;
  const limit = Math.min(...hooks.map(({ timeoutMs }) => timeoutMs), 2 ** 31 - 1);
  const expired = new Promise<Failed>((resolve) => {
    timer = setTimeout(() => resolve(new Failed("timeout", `it did not answer within ${limit} ms`)), limit);
  });
  for (let index = 0; index < hooks.length; index++) {
    if (!isThenable(results[index])) continue;
    try {
      results[index] = await Promise.race([results[index], expired]);
    } catch (thrown) {
      results[index] = new Failed("threw", `it threw: ${messageOf(thrown)}`);
    }
  }
  clearTimeout(timer);
  return judge(session, answers);
}

function judge(session: Session, { event, hooks, results }: Answers): Verdict {
  const row = EVENTS[event];
  const folded = foldResults({ event, row, hooks, results });
  if (folded) return folded;
  const outcomes = hooks.map((hook, index) => {
    const result = results[index];
    const failure = result instanceof Failed ? result.failure : undefined;
    const raw = { ...NO_PROCESS, hook, failure, returned: failure ? undefined : result };
    return interpretOutcome({ event, row, raw, dialect: session.dialects[hook.source.dialect] });
  });
  const { verdict, diagnostics } = mergeOutcomes({ event, row, outcomes });
  for (const diagnostic of [...outcomes.flatMap((outcome) => outcome.diagnostics), ...diagnostics]) session.report(diagnostic);
  return verdict;
}

const NO_PROCESS = { durationMs: 0, stdout: "", stderr: "", exitCode: null, isTruncated: false, pipesHeld: false, isBinary: false } as const;

/** Two levels deep, so that no hook can change what the tool or the next hook gets. */
function copyFor(session: Session, event: EventName, input: EventInput): EventInput {
  const copy: Record<string, unknown> = { ...session.commonInput, ...input, hook_event_name: event };
  const toolInput = copy["tool_input"];
  if (typeof toolInput === "object" && toolInput !== null && !Array.isArray(toolInput)) copy["tool_input"] = { ...toolInput };
  return copy;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
