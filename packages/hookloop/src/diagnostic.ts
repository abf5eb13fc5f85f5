import type { ErrorCode } from "./errors.ts";
import { withOwnCommand } from "./own-command.ts";
import { counted } from "./wording.ts";

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
  return `${code}: ${withOwnCommand(text)}${where ? ` (${where})` : ""}`;
}

export function placeText({ file, line, column }: Place): string {
  return [file, line, column].filter((part) => part !== undefined).join(":");
}

/** Hooks that are not approved which are named one by one; whoever has more of them reads a count. */
const MOST_NAMED = 5;

export interface Digest {
  report(diagnostic: Diagnostic): void;
  /** All have been reported: says how many more there were. What comes later is passed on as it is. */
  flush(): void;
}

/** For people: a checkout may bring a hundred hooks that nobody has approved, and a hundred lines hide everything else. */
export function digestUntrusted(report: (diagnostic: Diagnostic) => void): Digest {
  let named = 0;
  let isOver = false;
  const more = new Map<string, number>();
  return {
    report(diagnostic) {
      const isUntrusted = diagnostic.code === "HL_ADMIT_UNTRUSTED" && !isOver;
      if (!isUntrusted || named++ < MOST_NAMED) return report(diagnostic);
      const event = diagnostic.hook?.split(":")[1] ?? "other";
      more.set(event, (more.get(event) ?? 0) + 1);
    },
    flush() {
      isOver = true;
      const count = [...more.values()].reduce((sum, one) => sum + one, 0);
      if (count === 0) return;
      const events = [...more].map(([event, times]) => `${event} ${times}`).join(", ");
      const what = `${counted(count, "more hook is not approved and does", "more hooks are not approved and do")} not run (${events})`;
      report({
        code: "HL_ADMIT_UNTRUSTED",
        level: "warning",
        text: `${what}. All of them: hookloop trust. Look at them: hookloop trust review`,
      });
      more.clear();
    },
  };
}
