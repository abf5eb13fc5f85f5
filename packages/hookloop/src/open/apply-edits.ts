/**
 * Takes files that were edited while the session runs; gives the session what of them passes the gate (design rule 7, D13).
 * An edit adds hooks that are approved. It takes away only what merely observes: a gate, and everything of managed policy,
 * stays until the session ends, for who can edit a file in its middle must not be able to switch off what watches over it.
 */
import { EVENTS } from "../catalogue/index.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { inOrder } from "../engine/catch-up.ts";
import type { FoundSources } from "../engine/config/index.ts";
import type { AppliedEdits } from "../engine/engine-trust.ts";
import type { RegisteredHook, Registry } from "../engine/registry/index.ts";
import {
  type Admission,
  type AdmittedHook,
  admitHooks,
  isGate,
  type RefusedHook,
  refusalDiagnostic,
  type TrustGate,
} from "../engine/trust/index.ts";

export interface ApplyParts {
  /** What the session started with. */
  readonly found: FoundSources;
  readonly switches: Registry["switches"];
  readonly gate: TrustGate;
  /** Reads the configuration again. */
  readonly find: () => Promise<FoundSources>;
  readonly register: (found: FoundSources) => Pick<Registry, "hooks" | "switches" | "diagnostics">;
  readonly report: (diagnostic: Diagnostic) => void;
}

/** A function that applies the edits of the given files, and what the session's hooks are after it. */
export function createApplyEdits(
  parts: ApplyParts,
): (files: readonly string[], before: Admission) => Promise<{ readonly admission: Admission; readonly applied: AppliedEdits }> {
  let { found } = parts;
  return async (files, before) => {
    const now = await parts.find();
    found = { documents: chosenDocuments(found, now, files), diagnostics: [] };
    const registry = parts.register(found);
    const running = new Map(before.admitted.map((hook) => [hook.id, hook]));
    const fresh = registry.hooks.filter(({ id }) => !running.has(id));
    const statuses = await parts.gate.judgeEdits(fresh);
    const admitted = withPolicy(admitHooks({ hooks: fresh, switches: registry.switches, statuses, isEdit: true }), parts.switches);
    const present = new Set(registry.hooks.filter((hook) => !registry.switches.isDisabled(hook)).map(({ id }) => id));
    const waiting = new Set(admitted.refused.map(({ hook }) => hook.source.file));
    const isGone = (hook: AdmittedHook): boolean => !present.has(hook.id);
    const isKept = (hook: AdmittedHook): boolean => !isGone(hook) || mustStay(hook) || waiting.has(hook.source.file);
    const kept = before.admitted.filter((hook) => isGone(hook) && isKept(hook));
    // What was withheld when the session began stays so, unless it is there again as it was approved.
    const back = new Set<unknown>(admitted.admitted.flatMap((hook) => [hook.id, statuses.get(hook)?.digest]));
    const withheld = before.withheld.filter(({ withheld: one }) => !back.has(one?.of?.id ?? "") && !back.has(one?.approved ?? ""));
    const shut = before.refused.filter(({ hook, blocks }) => blocks && withheld.some(({ id }) => id === hook.id));
    const others = admitted.refused.filter(({ hook }) => !shut.some((one) => one.hook.id === hook.id));
    const admission = {
      admitted: inOrder([...before.admitted.filter(isKept), ...admitted.admitted]),
      refused: [...others, ...shut],
      withheld,
    };
    const unread = now.diagnostics.filter(({ place }) => place && files.includes(place.file));
    const edited = found.documents.filter(({ source }) => source.file !== undefined && files.includes(source.file));
    const said = [...unread, ...edited.flatMap(({ diagnostics }) => diagnostics), ...kept.map(keptDiagnostic)];
    for (const diagnostic of [...said, ...news(before.refused, admitted.refused).map(refusalDiagnostic)]) parts.report(diagnostic);
    const removed = before.admitted.filter((hook) => !isKept(hook));
    return { admission, applied: { added: admitted.admitted, removed, kept, refused: admitted.refused } };
  };
}

/** Documents of other files stay as the session has them, and so does one that cannot be read any more. */
function chosenDocuments(had: FoundSources, now: FoundSources, files: readonly string[]): FoundSources["documents"] {
  const isChosen = ({ source }: FoundSources["documents"][number]): boolean => source.file !== undefined && files.includes(source.file);
  const unread = new Set(now.diagnostics.flatMap(({ place }) => place?.file ?? []));
  return [
    ...had.documents.filter((document) => !isChosen(document) || unread.has(document.source.file ?? "")),
    ...now.documents.filter(isChosen),
  ];
}

/** SECURITY: what only managed policy allowed when the session began stays so. */
function withPolicy({ admitted, refused, withheld }: Admission, switches: Registry["switches"]): Admission {
  const refusalOf = (hook: RegisteredHook): RefusedHook | undefined => {
    const off = switches.isDisabled(hook);
    return off && off.reason !== "disabled" ? { hook, ...off } : undefined;
  };
  return {
    admitted: admitted.filter((hook) => !refusalOf(hook)),
    refused: [...refused, ...admitted.flatMap((hook) => refusalOf(hook) ?? [])],
    withheld,
  };
}

function mustStay({ source, event, setting, isGuard }: AdmittedHook): boolean {
  return setting === undefined && (source.scope === "managed" || isGuard || EVENTS[event].role === "gate");
}

function news(before: readonly RefusedHook[], now: readonly RefusedHook[]): readonly RefusedHook[] {
  const known = new Set(before.map(({ hook }) => hook.id));
  return now.filter(({ hook }) => !known.has(hook.id));
}

function keptDiagnostic(hook: AdmittedHook): Diagnostic {
  const next = isGate(hook)
    ? "The next one does without, unless it was approved: then what it matched stays blocked until you have accepted that it is gone (hookloop trust review)."
    : "The next one does without.";
  const text = `"${hook.name}" was removed, changed or switched off while the session runs. The session keeps it. ${next}`;
  return { code: "HL_CONFIG_EDITED", level: "warning", text, place: hook.place, hook: hook.id };
}
