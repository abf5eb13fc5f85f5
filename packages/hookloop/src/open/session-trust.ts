import type { HookKind } from "../catalogue/index.ts";
import type { FoundSources, RegisteredHook } from "../config/index.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { EngineTrust } from "../engine/index.ts";
import { type Admission, cannotStart, type Statuses, type TrustGate, type TrustStatus } from "../trust/index.ts";
import { createEditCheck } from "./check-for-edits.ts";

export interface SessionTrustParts {
  /** What the session started with. */
  readonly found: FoundSources;
  readonly registry: { readonly hooks: readonly RegisteredHook[] };
  readonly gate: TrustGate;
  readonly statuses: Statuses;
  /** Approved gates of folders above. */
  readonly above: readonly TrustStatus[];
  readonly admission: Admission;
  readonly report: (diagnostic: Diagnostic) => void;
  /** Reads the configuration again. */
  readonly find: () => Promise<FoundSources>;
  readonly register: (found: FoundSources) => readonly RegisteredHook[];
  readonly hasRunner: (kind: HookKind) => boolean;
  readonly requireHooks: boolean;
  readonly lostRules: readonly Diagnostic[];
  readonly settingsFile?: string | undefined;
  readonly managedRoot: string | undefined;
}

/** What an engine tells about trust. Why the session must not start is also reported at once. */
export function sessionTrust(parts: SessionTrustParts): EngineTrust {
  const { found, registry, gate, statuses, above, report, find, register, managedRoot = "/etc/hookloop" } = parts;
  const mustNotStart = cannotStart({ ...parts, managedRoot, documents: found.documents, unread: found.diagnostics });
  for (const diagnostic of mustNotStart) report(diagnostic);
  return {
    statuses: [...statuses.values()],
    cannotStart: mustNotStart,
    gatesAbove: above.map(({ hook }) => hook),
    gatesOf: (folders) => gate.approvedAbove(undefined, folders).map(({ hook }) => hook),
    checkForEdits: createEditCheck({ found, hooks: registry.hooks, find, register, look: gate.look, report }),
  };
}
