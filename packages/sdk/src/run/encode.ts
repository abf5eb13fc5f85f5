import { eventFacts, type Facts } from "../event-facts.ts";
import type { Part } from "../hook/results.ts";
import { type Problem, problem } from "../problem.ts";

/** What a hook process leaves behind: its whole answer to the agent. */
export interface Written {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  readonly problems: readonly Problem[];
  /** The answer as a value; stdout is its text, unless the event answers with a bare path. */
  readonly output: unknown;
  /** The reason, when the answer blocks: it must get through even if stdout does not. */
  readonly refusal?: string | undefined;
  /** What the model is told beside it. */
  readonly context?: string | undefined;
}

type Json = Record<string, unknown>;

/** What was said, by ability and in order, as far as the event can express it. */
interface Collected {
  readonly event: string;
  readonly facts: Pick<Facts, "mechanism" | "can" | "output">;
  readonly said: Record<string, unknown[]>;
  readonly problems: Problem[];
}

/** A denial counts, also without a reason. */
export const NO_REASON = "A hook blocked it without a reason.";
/** Strictest first: one deny is a deny, whatever else was said. */
const DECISIONS = ["deny", "defer", "ask", "allow"];
/** What counts only with a value of this kind. */
const KINDS: Readonly<Partial<Record<Part["can"], string>>> = {
  context: "string",
  feedback: "string",
  tellUser: "string",
  rewritePrompt: "string",
  rewrite: "object",
  output: "object",
};
/** An unknown event: nothing can be said in JSON, but exit code 2 blocks everywhere. */
const UNKNOWN_EVENT: Collected["facts"] = { mechanism: "x", can: ["deny", "block"], output: [] };

/** Turns what a hook said into the event's own output. Takes any parts; refuses, with a problem each, those the event cannot express. */
export function encode(event: string, parts: readonly Part[]): Written {
  const collected = collect(event, parts);
  const { facts, said, problems } = collected;
  const decision = DECISIONS.find((can) => said[can]);
  const reason = text(collected, decision) ?? (decision === "deny" ? NO_REASON : undefined);
  const byExit = decision === "deny" && facts.mechanism === "x";
  const context = text(collected, "context");
  const own: Json = { ...rewrites(collected), ...outputFields(collected), additionalContext: context };
  const top = {
    ...(said["stop"] && { continue: false, stopReason: text(collected, "stop") }),
    systemMessage: text(collected, "tellUser"),
    ...(decision && facts.mechanism === "d" && { decision: "block", reason }),
    hookSpecificOutput: labelled(event, withDecision(collected, own, decision && { decision, reason })),
  };
  const json = JSON.stringify(top);
  // A worktree hook answers with the bare path; JSON there is for http hooks.
  const path = own["worktreePath"];
  return {
    stdout: path ? `${path}\n` : json === "{}" ? "" : `${json}\n`,
    output: path ?? top,
    stderr: byExit ? `${reason}\n` : "",
    exitCode: byExit ? 2 : 0,
    problems,
    refusal: decision === "deny" ? reason : undefined,
    context,
  };
}

function collect(event: string, parts: readonly Part[]): Collected {
  const collected: Collected = { event, facts: eventFacts(event) ?? UNKNOWN_EVENT, said: {}, problems: [] };
  const { facts, said, problems } = collected;
  for (const { can, value } of parts) {
    const name = can === "block" || can === "feedback" ? "deny" : can;
    const kind = kindOf(value);
    if ((KINDS[can] ?? kind) !== kind || (can === "replaceOutput" && value === undefined))
      problems.push(problem("RESULT_INVALID", `${can}() takes ${KINDS[can] ?? "a value"}, got ${kind}`));
    else if (facts.can.includes(can)) said[name] = [...(said[name] ?? []), value];
    else refuse(collected, `cannot say ${can}(). It can say: ${facts.can.join(", ") || "nothing"}`);
  }
  return collected;
}

/** As JavaScript calls it: a promise that is not awaited is no string. */
function kindOf(value: unknown): string {
  return {}.toString.call(value).slice(8, -1).toLowerCase();
}

function refuse({ event, problems }: Collected, what: string): void {
  problems.push(problem("NOT_EXPRESSIBLE", `${event || "an unknown event"} ${what}`));
}

function text({ said }: Collected, can = ""): string | undefined {
  const texts = said[can]
    ?.filter(Boolean)
    .map((one) => (typeof one === "object" ? ((one as Json)["message"] ?? JSON.stringify(one)) : one));
  return texts?.join("\n") || undefined;
}

function rewrites({ said, problems }: Collected): Json {
  const last = (can: string): unknown => {
    if ((said[can]?.length ?? 0) > 1) problems.push(problem("RESULT_CONFLICT", `several results say ${can}(). The last one counts`));
    return said[can]?.at(-1);
  };
  if (said["rewritePrompt"] && !process.env["HOOKLOOP_VERSION"])
    problems.push(problem("PROMPT_KEPT", "only hookloop rewrites prompts; this agent keeps it"));
  return { updatedInput: last("rewrite"), updatedToolOutput: last("replaceOutput"), updatedPrompt: last("rewritePrompt") };
}

function outputFields(collected: Collected): Json {
  const fields = Object.entries(Object.assign({}, ...(collected.said["output"] ?? [])) as Json);
  return Object.fromEntries(
    fields.filter(([name]) => {
      const isKnown = collected.facts.output.includes(name);
      if (!isKnown) refuse(collected, `has no output field "${name}". It has: ${collected.facts.output.join(", ")}`);
      return isKnown;
    }),
  );
}

function withDecision(collected: Collected, own: Json, decided: { decision: string; reason: string | undefined } | undefined | ""): Json {
  const { mechanism } = collected.facts;
  if (!decided) {
    if (mechanism !== "r") return own;
    // A permission request is answered with one object: without an answer there is nothing to put the rest into.
    if (hasFields(own)) refuse(collected, "takes rewrite() and output() only with allow() or deny()");
    return {};
  }
  const { decision, reason } = decided;
  if (mechanism === "p") return { permissionDecision: decision, permissionDecisionReason: reason, ...own };
  if (mechanism === "a") return { ...own, action: "decline" };
  if (mechanism !== "r") return own;
  const { interrupt, ...rest } = own;
  const [kept, lost] = decision === "deny" ? [{ message: reason, interrupt }, rest] : [rest, { interrupt }];
  if (hasFields(lost)) refuse(collected, `cannot ${decision} and also set ${Object.keys(JSON.parse(JSON.stringify(lost))).join(", ")}`);
  return { decision: { behavior: decision, ...kept } };
}

function labelled(event: string, own: Json): Json | undefined {
  return hasFields(own) ? { hookEventName: event, ...own } : undefined;
}

function hasFields(json: Json): boolean {
  return Object.values(json).some((value) => value !== undefined);
}
