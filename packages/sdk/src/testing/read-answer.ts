import type { EventName } from "../generated/events.ts";
import { PLAIN_STDOUT_IS_CONTEXT } from "../generated/samples.ts";
import { eventFacts, type Facts } from "../wire/event-facts.ts";
import type { Diagnostic, HookAnswer, RawAnswer } from "./answer.ts";
import { badCall, checkEvent } from "./check-call.ts";
import { checkOutput, ownFields, voidsAnswer } from "./check-output.ts";

type Json = Record<string, unknown>;

/** Reads an answer as an agent of the Claude dialect does, and says what that agent would have swallowed. */
export function readAnswer(event: EventName, raw: RawAnswer): HookAnswer {
  checkEvent(event);
  if (typeof raw?.stdout !== "string" || typeof raw.stderr !== "string" || raw.exitCode === undefined)
    throw badCall("readAnswer() takes { stdout, stderr, exitCode } of a hook that has ended");
  const facts = eventFacts(event) as Facts;
  const diagnostics: Diagnostic[] = [...reportedProblems(raw.stderr), ...exitProblems(facts, raw), ...hiddenText(event, facts, raw)];
  const written = parseOutput(raw.stdout, diagnostics);
  const mistakes = written ? checkOutput(event, facts, written) : [];
  diagnostics.push(...mistakes);
  const output = mistakes.some(voidsAnswer) ? {} : written;
  const own = ownOutput(event, facts, output);
  const isPlainContext = !raw.stdout.trim().startsWith("{") && raw.exitCode === 0 && PLAIN_STDOUT_IS_CONTEXT.includes(event);
  return {
    ...raw,
    ...decisionOf(facts, raw, { output: output ?? {}, own }),
    context: (own["additionalContext"] as string | undefined) ?? (isPlainContext ? raw.stdout.trim() || undefined : undefined),
    updatedInput: (own["updatedInput"] ?? (own["decision"] as Json | undefined)?.["updatedInput"]) as Json | undefined,
    updatedOutput: own["updatedToolOutput"],
    systemMessage: facts.can.includes("tellUser") ? (output?.["systemMessage"] as string | undefined) : undefined,
    isStopped: output?.["continue"] === false && facts.can.includes("stop"),
    output: written,
    diagnostics,
  };
}

/** The part of the answer that is for this event: without its name, or with another one, it is dropped. */
function ownOutput(event: EventName, facts: Facts, output: Json | undefined): Json {
  const own = (output?.["hookSpecificOutput"] ?? {}) as Json;
  if (own["hookEventName"] !== event) return {};
  return Object.fromEntries(Object.entries(own).filter(([field]) => ownFields(facts).includes(field)));
}

/** A worktree hook fails by every exit code but 0; it is the event whose answer is a path. */
function isRefusedByExit(facts: Facts, { exitCode }: RawAnswer): boolean {
  return exitCode === 2 || (exitCode !== 0 && facts.output.includes("worktreePath"));
}

function decisionOf(facts: Facts, raw: RawAnswer, { output, own }: { output: Json; own: Json }): Pick<HookAnswer, "decision" | "reason"> {
  const request = (own["decision"] ?? {}) as Json;
  const no = facts.can.includes("deny") ? "deny" : facts.can.includes("feedback") ? "feedback" : "block";
  const canSayNo = facts.mechanism !== "-";
  const reason = (own["permissionDecisionReason"] ?? request["message"] ?? output["reason"]) as string | undefined;
  const said = saidInJson(facts, own, output);
  if (isRefusedByExit(facts, raw)) {
    return {
      decision: canSayNo ? no : "none",
      reason: said === "no" || said === "deny" ? (reason ?? raw.stderr.trim()) : raw.stderr.trim(),
    };
  }
  if (said === undefined) return { decision: "none" };
  return { decision: said === "no" ? no : said, reason };
}

function saidInJson(facts: Facts, own: Json, output: Json): "no" | "allow" | "ask" | "defer" | "deny" | undefined {
  const said = own["permissionDecision"] ?? (own["decision"] as Json | undefined)?.["behavior"];
  const known = (["allow", "deny", "ask", "defer"] as const).find((decision) => decision === said && facts.can.includes(decision));
  if (known) return known;
  // The older spelling, which PreToolUse still understands.
  const readsDecision = facts.mechanism === "d" || facts.mechanism === "p";
  if (output["decision"] === "block" && readsDecision) return "no";
  if (output["decision"] === "approve" && facts.can.includes("allow")) return "allow";
  return own["action"] === "decline" ? "no" : undefined;
}

/** Only text that starts with `{` is JSON to the agent; what stands before it disables the answer. */
function parseOutput(stdout: string, diagnostics: Diagnostic[]): Json | undefined {
  const text = stdout.replace(/^\uFEFF/, "").trim();
  if (!text.startsWith("{")) {
    if (/^\{.*\}$/m.test(text)) {
      const cure = "Claude Code then ignores the answer. Print it to stderr";
      diagnostics.push({ code: "HL_TEST_OUTPUT_NOISE", message: `HL_TEST_OUTPUT_NOISE: something was printed before the JSON; ${cure}` });
    }
    return undefined;
  }
  try {
    return JSON.parse(text) as Json;
  } catch (thrown) {
    const message = `HL_TEST_OUTPUT_INVALID: stdout looks like JSON but is not: ${(thrown as Error).message}`;
    diagnostics.push({ code: "HL_TEST_OUTPUT_INVALID", message });
    return undefined;
  }
}

function exitProblems(facts: Facts, raw: RawAnswer): Diagnostic[] {
  if (raw.exitCode === 0 || raw.exitCode === 2) return [];
  const how = raw.exitCode === null ? "ended by a signal" : `exit code ${raw.exitCode}`;
  return [
    {
      code: "HL_TEST_EXIT_CODE",
      message: `HL_TEST_EXIT_CODE: ${how}: the agent reports it and ${isRefusedByExit(facts, raw) ? "takes it for a no" : "goes on"}`,
    },
  ];
}

/** What no agent shows, and what none takes for an answer. */
function hiddenText(event: EventName, facts: Facts, { stdout, stderr, exitCode }: RawAnswer): Diagnostic[] {
  if (exitCode !== 0) return [];
  const found: Diagnostic[] = [];
  const text = stdout.replace(/^\uFEFF/, "").trim();
  const isRead = PLAIN_STDOUT_IS_CONTEXT.includes(event) || facts.output.includes("worktreePath") || /^\{/m.test(text);
  if (text && !isRead) {
    const message = `HL_TEST_OUTPUT_TEXT: it printed ${JSON.stringify(text.slice(0, 60))}, which is no JSON object: agents take that for no opinion`;
    found.push({ code: "HL_TEST_OUTPUT_TEXT", message });
  }
  const unseen = stderr.replace(/^HL_SDK_.*$/gm, "").trim();
  if (unseen) {
    const message = `HL_TEST_STDERR_HIDDEN: the exit code is 0, so agents hide what it wrote to stderr: ${JSON.stringify(unseen.slice(0, 200))}`;
    found.push({ code: "HL_TEST_STDERR_HIDDEN", message });
  }
  return found;
}

function reportedProblems(stderr: string): Diagnostic[] {
  return [...stderr.matchAll(/^(HL_SDK_\w+): .*$/gm)].map(([message, code]) => ({ code: code as Diagnostic["code"], message }));
}
