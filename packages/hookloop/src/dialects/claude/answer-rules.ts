/** Where the speakers of the Claude wire differ. */
export interface AnswerRules {
  /** What a valid answer of a hook that exits with neither 0 nor 2 is worth. */
  readonly answerOfFailedExit: "counts" | "is-failure";
  /** What a 2xx response without a body means; 204 always is "nothing to say". */
  readonly emptyHttpAnswer: "is-silence" | "is-failure";
  /** Spellings of a no that count as one, by field. Never spellings of a yes: a misspelt answer must not loosen. */
  readonly refusals: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** As measured: JSON counts on every exit code, and a value the schema does not know voids the answer. */
export const CLAUDE_RULES: AnswerRules = { answerOfFailedExit: "counts", emptyHttpAnswer: "is-silence", refusals: {} };
