/** Something that went wrong, with how to fix it. */
export interface Problem {
  readonly code: ProblemCode;
  /** `<code>: <what, and what to do>` */
  readonly message: string;
}

/** Every way a hook script can go wrong; `docs/errors.md` has a row for each. */
export type ProblemCode = `HL_SDK_${
  | "STDIN_EMPTY"
  | "STDIN_INVALID"
  | "STDIN_TIMEOUT"
  | "STDIN_TOO_LARGE"
  | "EVENT_MISSING"
  | "EVENT_UNKNOWN"
  | "EVENT_UNEXPECTED"
  | "FIELD_MISSING"
  | "FIELD_MISSPELT"
  | "INPUT_CHANGED"
  | "HANDLER_MISSING"
  | "HANDLER_FAILED"
  | "HANDLER_TIMEOUT"
  | "HANDLER_UNSETTLED"
  | "HANDLER_EXITED"
  | "OPTION_UNKNOWN"
  | "OPTION_INVALID"
  | "OPTION_IGNORED"
  | "MATCHER_INVALID"
  | "TOOL_MISSPELT"
  | "HOOK_LATE"
  | "HOOK_MISSING"
  | "RESULT_INVALID"
  | "RESULT_NOT_RETURNED"
  | "RESULT_CONFLICT"
  | "NOT_EXPRESSIBLE"
  | "PROMPT_KEPT"
  | "STDOUT_STRAY"
  | "STDOUT_CLOSED"
  | "LOG_FAILED"}`;

export function problem(code: ProblemCode extends `HL_SDK_${infer Rest}` ? Rest : never, text: string): Problem {
  const full: ProblemCode = `HL_SDK_${code}`;
  return { code: full, message: `${full}: ${text}` };
}

/** The message of anything that was thrown. */
export function thrownMessage(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return thrown.message;
    const result = partsText(Object(thrown).parts ?? []);
    return result ? `it threw ${result}: return it from the handler of hook()` : String(thrown);
  } catch {
    // An object without a prototype has no text, and asking for it must not throw again.
    return "something without a message";
  }
}

/** A result in the words that make it, as in `deny(…).with(stop(…))`. */
export function partsText(parts: readonly { readonly can: string }[]): string {
  return parts.reduceRight((inner, { can }) => `${can}(…)${inner && `.with(${inner})`}`, "");
}

/** Where an error was thrown, as in ` (guard.mjs:12:5)`; empty if that is not known. */
export function thrownPlace(thrown: unknown): string {
  const lines = String((thrown as Partial<Error> | undefined)?.stack)
    .slice(0, 20_000)
    .split("\n");
  for (const line of lines) {
    // Only the end of a line is looked at: a message can be anything, and of any length.
    const place = /^ +at /.test(line) && /(?<=[/\s(])[^/\s(]+:\d{1,9}:\d{1,9}(?=\)?$)/.exec(line.slice(-300));
    if (place) return ` (${place[0]})`;
  }
  return "";
}
