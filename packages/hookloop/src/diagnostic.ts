import type { ErrorCode } from "./errors.ts";

/** Where something stands; line and column count from 1. */
export interface Place {
  readonly file: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** Something a person should know: what, where, and what to do. Nothing in hookloop fails without one. */
export interface Diagnostic {
  readonly code: ErrorCode;
  /** `error`: something does not work. `warning`: it works, but not as written. `notice`: worth knowing. */
  readonly level: "error" | "warning" | "notice";
  /** What is wrong and what to do, without code and place. */
  readonly text: string;
  readonly place?: Place | undefined;
  /** Id of the hook it is about. */
  readonly hook?: string | undefined;
}

/** One line: `CODE: text (file:line:column)`. */
export function diagnosticLine({ code, text, place, hook }: Diagnostic): string {
  const where = place ? placeText(place) : hook;
  return `${code}: ${text}${where ? ` (${where})` : ""}`;
}

export function placeText({ file, line, column }: Place): string {
  return [file, line, column].filter((part) => part !== undefined).join(":");
}
