import type { Part } from "../hook/results.ts";
import { type Problem, problem } from "../problem.ts";
import { eventFacts, type Facts } from "./event-facts.ts";

/** What a hook process leaves behind: its whole answer to the agent. */
export interface Written {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  readonly problems: readonly Problem[];
  /** The reason, when the answer says no: it must get through even if stdout does not. */
  readonly refusal?: string | undefined;
}

type Json = Record<string, unknown>;

/** Strictest first: one deny is a deny, whatever else was said. */
const DECISIONS = ["deny", "defer", "ask", "allow"];
/** An unknown event: nothing can be said in JSON, but exit code 2 says no everywhere. */
const UNKNOWN_EVENT: Facts = { mechanism: "x", can: ["deny", "block"], required: [], matcher: "", output: [], timeoutMs: 0 };

/** Turns what a hook said into the event's own output. Takes any parts; refuses, with a problem each, those the event cannot express. */
export function encode(event: string, parts: readonly Part[]): Written {
  const facts = eventFacts(event) ?? UNKNOWN_EVENT;
  const problems: Problem[] = [];
  const said: Record<string, unknown[]> = {};
  for (const { can, value } of parts) {
    if (facts.can.includes(can)) add(said, can === "block" || can === "feedback" ? "deny" : can, value);
    else problems.push(problem("NOT_EXPRESSIBLE", `${event || "an unknown event"} cannot say ${can}(). It can say: ${facts.can.join(", ") || "nothing"}`));
  }
  const text = (can = ""): string | undefined => said[can]?.filter(Boolean).join("\n") || undefined;
  const last = (can: string): unknown => {
    if (said[can]?.[1]) problems.push(problem("RESULT_CONFLICT", `several results say ${can}(). The last one counts`));
    return said[can]?.at(-1);
  };

  const decision = DECISIONS.find((can) => said[can]);
  const saysNo = decision === "deny";
  const reason = text(decision) ?? (saysNo ? "A hook said no without a reason." : undefined);
  const specific: Json = {};
  for (const [name, value] of Object.entries(Object.assign({}, ...(said["output"] ?? [])))) {
    if (facts.output.includes(name)) specific[name] = value;
    else problems.push(problem("NOT_EXPRESSIBLE", `${event} has no output field "${name}". It has: ${facts.output.join(", ")}`));
  }
  const top: Json = said["stop"] ? { continue: false, stopReason: text("stop") } : {};
  top["systemMessage"] = text("tellUser");
  const { mechanism } = facts;
  if (mechanism === "d" && saysNo) Object.assign(top, { decision: "block", reason });
  if (mechanism === "a" && saysNo) specific["action"] = "decline";
  if (mechanism === "p" && decision) Object.assign(specific, { permissionDecision: decision, permissionDecisionReason: reason });
  Object.assign(specific, { updatedInput: last("rewrite"), additionalContext: text("context") });
  Object.assign(specific, { updatedToolOutput: last("replaceOutput"), updatedPrompt: last("rewritePrompt") });

  const path = specific["worktreePath"];
  const shown = mechanism === "r" ? requestAnswer(specific, saysNo ? { behavior: "deny", message: reason } : decision && { behavior: decision }) : specific;
  const json = JSON.stringify({ ...top, hookSpecificOutput: Object.values(shown).some(isSet) ? { hookEventName: event, ...shown } : undefined });
  const byExit = saysNo && mechanism === "x";
  return {
    // A worktree hook answers with the bare path; JSON there is for http hooks.
    stdout: path ? `${path}\n` : json === "{}" ? "" : `${json}\n`,
    stderr: byExit ? `${reason}\n` : "",
    exitCode: byExit ? 2 : 0,
    problems,
    refusal: saysNo ? reason : undefined,
  };
}

/** A permission request is answered with one object; without allow() or deny() there is no answer to put the rest into. */
function requestAnswer(fields: Json, answer: Json | undefined | ""): Json {
  return answer ? { decision: { ...answer, ...fields } } : {};
}

function add(lists: Record<string, unknown[]>, name: string, value: unknown): void {
  lists[name] = [...(lists[name] ?? []), value];
}

function isSet(value: unknown): boolean {
  return value !== undefined;
}
