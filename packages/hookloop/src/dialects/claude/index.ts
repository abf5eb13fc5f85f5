export type { AnswerRules } from "./answer-rules.ts";

export { createClaudeDialect, speakerOfClaudeWire } from "./claude-dialect.ts";
export type { ClaudeEnvironment } from "./to-env.ts";
