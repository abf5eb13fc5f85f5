import { thrownText } from "./execute/index.ts";
import type { FireOptions, Session, Step } from "./session.ts";

/** Tells whoever watches the event. One that throws is reported; the event goes on. */
export function tellStep(session: Session, { onStep }: FireOptions, step: Step): void {
  try {
    onStep?.(step);
  } catch (thrown) {
    session.report({ code: "HL_EXECUTE_THREW", level: "error", text: `onStep threw: ${thrownText(thrown)}` });
  }
}
