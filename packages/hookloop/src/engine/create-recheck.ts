import type { Diagnostic } from "../diagnostic.ts";
import { visible } from "../visible-text.ts";
import type { Session } from "./session.ts";
import type { TrustGate } from "./trust/index.ts";

export interface RecheckParts {
  readonly gate: TrustGate;
  readonly report: (diagnostic: Diagnostic) => void;
  readonly record: () => Session["record"];
}

/** Looks at a hook right before it runs. A change is told with its diff, once; every run that it prevents is in the trace. */
export function createRecheck({ gate, report, record }: RecheckParts): Session["recheck"] {
  const told = new Set<string>();
  return (hook, cwd) => {
    const stale = gate.recheck(hook, cwd);
    if (!stale) return undefined;
    const { digest, diff, text } = stale;
    record()?.({ event: hook.event, step: "refused", hook: hook.id, reason: "changed", digest, diff });
    const key = `${hook.id} ${digest}`;
    if (!told.has(key)) {
      told.add(key);
      const whole = `${text} Undo the change, or review it: hookloop trust review${diff === "" ? "" : `\n${diff}\n`}`;
      report({ code: "HL_TRUST_CHANGED", level: "error", text: visible(whole), place: hook.place, hook: hook.id });
    }
    return { kind: "untrusted", text };
  };
}
