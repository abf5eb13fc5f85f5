import type { Dialect } from "../judge/index.ts";
import { speakerOfClaudeWire } from "./claude/claude-dialect.ts";
import type { AnswerRules } from "./claude/read-answer.ts";
import type { ClaudeEnvironment } from "./claude/to-env.ts";

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
