import type { Dialect } from "../../engine/interpret/index.ts";
import { type AnswerRules, type ClaudeEnvironment, speakerOfClaudeWire } from "../claude/index.ts";

/**
 * Native hooks speak the Claude wire with two differences (fault 31): a hook that exits with neither 0 nor 2 has failed,
 * whatever it printed, and its reason is kept; and a no in the other field's spelling is a no.
 */
const NATIVE_RULES: AnswerRules = {
  answerOfFailedExit: "is-failure",
  refusals: { decision: { deny: "block" }, permissionDecision: { block: "deny" }, action: { deny: "decline", block: "decline" } },
};

/** The dialect of hookloop's own files, for one engine. */
export function createNativeDialect(environment: ClaudeEnvironment): Dialect {
  return speakerOfClaudeWire("native", environment, NATIVE_RULES);
}
