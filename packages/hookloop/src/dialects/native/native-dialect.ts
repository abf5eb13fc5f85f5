import type { Dialect } from "../../engine/interpret/index.ts";
import { type AnswerRules, type ClaudeEnvironment, speakerOfClaudeWire } from "../claude/index.ts";

/**
 * Native hooks speak the Claude wire with three differences (faults 31, 72): a hook that exits with neither 0 nor 2 has
 * failed, whatever it printed, and its reason is kept; a no in the other field's spelling is a no; and an http hook that
 * answers 200 with nothing has failed.
 */
const NATIVE_RULES: AnswerRules = {
  answerOfFailedExit: "is-failure",
  emptyHttpAnswer: "is-failure",
  refusals: { decision: { deny: "block" }, permissionDecision: { block: "deny" }, action: { deny: "decline", block: "decline" } },
};

/** The dialect of hookloop's own files, for one engine. */
export function createNativeDialect(environment: ClaudeEnvironment): Dialect {
  return speakerOfClaudeWire("native", environment, NATIVE_RULES);
}
