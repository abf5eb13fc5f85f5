import type { EventName } from "../generated/events.ts";
import { PLAIN_STDOUT_IS_CONTEXT } from "../generated/samples.ts";
import { eventFacts, type Facts } from "../wire/event-facts.ts";
import type { Diagnostic, HookAnswer, RawAnswer } from "./answer.ts";
import { checkOutput } from "./check-output.ts";

type Json = Record<string, unknown>;

/** Reads an answer as an agent of the Claude dialect does, and says what that agent would have swallowed. */
export function readAnswer(event: EventName, raw: RawAnswer): HookAnswer {
  const facts = eventFacts(event) as Facts;
  const diagnostics: Diagnostic[] = reportedProblems(raw.stderr);
  const output = parseOutput(raw.stdout, diagnostics);
  if (output) diagnostics.push(...checkOutput(event, facts, output));
  const specific = (output?.["hookSpecificOutput"] ?? {}) as Json;
  const isPlainContext = !output && raw.exitCode === 0 && PLAIN_STDOUT_IS_CONTEXT.includes(event);
  if (raw.exitCode !== 0 && raw.exitCode !== 2) {
    diagnostics.push({ code: "HL_TEST_EXIT_CODE", message: `HL_TEST_EXIT_CODE: ${raw.exitCode === null ? "ended by a signal" : `exit code ${raw.exitCode}`}: the agent reports it and goes on` });
  }
  return {
    ...raw,
    ...decisionOf(facts, raw, output ?? {}),
    context: (specific["additionalContext"] as string | undefined) ?? (isPlainContext ? raw.stdout.trim() || undefined : undefined),
    updatedInput: (specific["updatedInput"] ?? (specific["decision"] as Json | undefined)?.["updatedInput"]) as Json | undefined,
    updatedOutput: specific["updatedToolOutput"],
    systemMessage: output?.["systemMessage"] as string | undefined,
    isStopped: output?.["continue"] === false,
    output,
    diagnostics,
  };
}

function decisionOf(facts: Facts, raw: RawAnswer, output: Json): Pick<HookAnswer, "decision" | "reason"> {
  const specific = (output["hookSpecificOutput"] ?? {}) as Json;
  const request = (specific["decision"] ?? {}) as Json;
  const no = facts.can.includes("deny") ? "deny" : facts.can.includes("feedback") ? "feedback" : "block";
  const canSayNo = facts.can.includes("block") || facts.can.includes("feedback");
  const reason = (specific["permissionDecisionReason"] ?? request["message"] ?? output["reason"]) as string | undefined;
  if (raw.exitCode === 2) return { decision: canSayNo ? no : "none", reason: reason ?? raw.stderr.trim() };
  const said = (specific["permissionDecision"] ?? request["behavior"]) as HookAnswer["decision"] | undefined;
  if (said) return { decision: said, reason };
  if (output["decision"] === "block" || specific["action"] === "decline") return { decision: canSayNo ? no : "none", reason };
  return { decision: "none" };
}

/** Only text that starts with `{` is JSON to the agent; what stands before it disables the answer. */
function parseOutput(stdout: string, diagnostics: Diagnostic[]): Json | undefined {
  const text = stdout.trim();
  if (!text.startsWith("{")) {
    if (/^\{.*\}$/m.test(text)) {
      diagnostics.push({ code: "HL_TEST_OUTPUT_NOISE", message: "HL_TEST_OUTPUT_NOISE: something was printed before the JSON; Claude Code then ignores the answer. Print it to stderr" });
    }
    return undefined;
  }
  try {
    return JSON.parse(text) as Json;
  } catch (thrown) {
    diagnostics.push({ code: "HL_TEST_OUTPUT_INVALID", message: `HL_TEST_OUTPUT_INVALID: stdout looks like JSON but is not: ${(thrown as Error).message}` });
    return undefined;
  }
}

function reportedProblems(stderr: string): Diagnostic[] {
  return [...stderr.matchAll(/^(HL_SDK_\w+): .*$/gm)].map(([message, code]) => ({ code: code as Diagnostic["code"], message }));
}
