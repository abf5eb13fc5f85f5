import type { DialectName } from "../config/types.ts";

/** What holds for the hooks of a dialect where their file says nothing. */
export interface DialectDefaults {
  /** Time limits and failure directions: our own (design rule 5), or those of the program the file was written for. */
  readonly defaults: "native" | "imported";
  /** `once` counts everywhere, not only in skills. */
  readonly honoursOnce: boolean;
  /** What becomes of a variable in a header that is not allowed or not set: an empty text and a warning, or a failed run. */
  readonly missingHeaderVariable: "empty" | "failure";
}

export const DIALECT_DEFAULTS: Readonly<Record<DialectName, DialectDefaults>> = {
  native: { defaults: "native", honoursOnce: true, missingHeaderVariable: "failure" },
  claude: { defaults: "imported", honoursOnce: false, missingHeaderVariable: "empty" },
  "hooks-json": { defaults: "imported", honoursOnce: false, missingHeaderVariable: "failure" },
};
