import type { Diagnostic } from "../diagnostic.ts";
import { visible } from "../diagnostic.ts";
import { staleText, type TrustGate, type Withheld } from "../trust/index.ts";
import type { Session } from "./session.ts";

export interface RecheckParts {
  readonly gate: TrustGate;
  readonly report: (diagnostic: Diagnostic) => void;
  readonly record: () => Session["record"];
}

const WITHHELD: Readonly<Record<Withheld["reason"], string>> = {
  changed: "it has changed since it was approved and was not run",
  refused: "it names too much to be checked and was not run",
  "not-pinned": "strict mode does not run what cannot be pinned",
  "wrong-pin": "it is not what was pinned for this run and was not run",
  unreadable: "it cannot be read and was not run",
  removed: "it was approved and is not in its file any more",
  unknown: "the trust store cannot be read, so it was not run",
  disabled: "a file of the project switches it off, although it was approved",
  untrusted: "it is not approved yet and was not run",
  above: "it was approved for a folder above this one and was not run",
  "managed-only": "managed policy lets only its own hooks run",
  "simple-mode": "simple mode runs no hooks",
  "project-hooks-off": "hooks of the project are switched off for this run",
};

/** Looks whether a gate that must not run may by now: undoing a change, or approving it in another terminal, lets it run again. */
export function createReconsider({ gate, record }: Omit<RecheckParts, "report">): Session["reconsider"] {
  return (hook) => {
    const { withheld } = hook;
    if (!withheld) return hook;
    const now = gate.reconsider(withheld);
    if (now) return now;
    record()?.({ event: hook.event, step: "refused", hook: hook.id, reason: withheld.reason, blocks: true });
    return { kind: "untrusted", text: WITHHELD[withheld.reason] };
  };
}

/** Looks at a hook right before it runs. A change is told with its diff, once; every run that it prevents is in the trace. */
export function createRecheck({ gate, report, record }: RecheckParts): Session["recheck"] {
  const told = new Set<string>();
  return (hook, cwd) => {
    const stale = gate.recheck(hook, cwd);
    if (!stale) return undefined;
    const { digest, diff, text } = stale;
    record()?.({ event: hook.event, step: "refused", hook: hook.id, reason: stale.isRevoked ? "untrusted" : "changed", digest, diff });
    const key = `${hook.id} ${digest} ${stale.isRevoked ?? false}`;
    if (!told.has(key)) {
      told.add(key);
      const whole = `${staleText(stale)}${diff === "" ? "" : `\n${diff}\n`}`;
      report({
        code: stale.isRevoked ? "HL_TRUST_REVOKED" : "HL_TRUST_CHANGED",
        level: "error",
        text: visible(whole),
        place: hook.place,
        hook: hook.id,
      });
    }
    return { kind: "untrusted", text };
  };
}
