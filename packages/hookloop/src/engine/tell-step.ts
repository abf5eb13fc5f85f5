import type { Diagnostic } from "../diagnostic.ts";
import type { ErrorCode } from "../errors.ts";
import { thrownText } from "../run/index.ts";
import type { FireOptions, Session, Step } from "./session.ts";

/** Tells whoever watches the event. One that throws is reported; the event goes on. */
export function tellStep(session: Session, { onStep }: FireOptions, step: Step): void {
  try {
    onStep?.(step);
  } catch (thrown) {
    session.report({ code: "HL_EXECUTE_THREW", level: "error", text: `onStep threw: ${thrownText(thrown)}` });
  }
}

/** What would be said at every call: once per hook and session is enough. */
const SAID_ONCE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "HL_OUTPUT_NO_ANSWER",
  "HL_OUTPUT_STDERR",
  "HL_CONFIG_OPTION_IGNORED",
  "HL_LOOP_TOO_LATE",
  "HL_OUTPUT_OWN_INPUT",
  "HL_OUTPUT_UNKNOWN_FIELD",
  "HL_LOOP_REWRITE_REFUSED",
]);

/** Reports what runs of hooks gave rise to. */
export function reportAll(session: Session, diagnostics: readonly Diagnostic[]): void {
  for (const diagnostic of diagnostics) {
    const { code, hook, level, text } = diagnostic;
    // A hook that has one field too many has it every time; another field, or something worse, is worth a word of its own.
    const key = code === "HL_OUTPUT_UNKNOWN_FIELD" ? `${code} ${hook} ${text}` : `${code} ${level} ${hook}`;
    // What stood in the way of a call is said every time.
    if (level !== "error" && SAID_ONCE.has(code)) {
      if (session.told.has(key)) continue;
      session.told.add(key);
    }
    session.report(diagnostic);
  }
}
