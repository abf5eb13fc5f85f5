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

/** The message of anything that was thrown: also of what is no error, or throws when it is read. */
export function thrownMessage(thrown: unknown): string {
  try {
    const { message, parts } = Object(thrown) as { readonly message?: unknown; readonly parts?: unknown };
    const result = Array.isArray(parts) && partsText(parts);
    if (result) return `it threw ${result}: return it from the handler of hook()`;
    if (message && typeof message === "string") return message;
    const text = String(thrown);
    return /^(undefined|null|\[obj.+|)$/.test(text) ? `no message (${JSON.stringify(thrown)} was thrown)` : text;
  } catch {
    return "something unreadable";
  }
}

/** A result in the words that make it, as in `deny(…).with(stop(…))`. */
export function partsText(parts: readonly { readonly can: string }[]): string {
  return parts.reduceRight((inner, { can }) => `${can}(…)${inner && `.with(${inner})`}`, "");
}

/** Where an error was thrown, as in ` (guard.mjs:12:5)`; empty if that is not known. */
export function thrownPlace(thrown: unknown): string {
  try {
    const lines = String((thrown as Partial<Error> | undefined)?.stack)
      .slice(0, 20_000)
      .split("\n");
    for (const line of lines) {
      // Only the end of a line is looked at: a message can be anything, and of any length.
      const place = /^ +at /.test(line) && /(?<=[/\s(])[^/\s(]+:\d{1,9}:\d{1,9}(?=\)?$)/.exec(line.slice(-300));
      if (place) return ` (${place[0]})`;
    }
  } catch {
    // SECURITY: a getter that throws must not end a guard before it has blocked.
  }
  return "";
}
