import { visibleLine } from "../../visible-text.ts";
import { BELOW_USER } from "../registry/index.ts";
import type { RegisteredHook } from "../registry/types.ts";
import { type HookPins, isInside, realPath } from "./pin/index.ts";
import type { TrustRecord, TrustRecords } from "./store/index.ts";
import type { RefusalReason, RunTrust, TrustStatus } from "./types.ts";

export interface JudgeOptions {
  readonly records: TrustRecords;
  readonly run: RunTrust;
  readonly isStrict: boolean;
  readonly projectRoot: string;
  /** What was approved in this place before, if it is not what is there now. */
  readonly before?: TrustRecord | undefined;
}

/** Whether trust in hooks of this scope is bound to their content. */
export function isPinned({ source: { scope } }: RegisteredHook): boolean {
  return scope === "user" || BELOW_USER.includes(scope);
}

/** What the approvals there are make of one hook; asks nobody. A user's hook that nobody has seen is `new` without a refusal. */
export function judgeHook(hook: RegisteredHook, pins: HookPins, options: JudgeOptions): TrustStatus {
  const { records, run, isStrict, before } = options;
  const { digest, unresolved } = pins;
  const status = (state: TrustStatus["state"], reason?: RefusalReason, text = ""): TrustStatus => {
    return { hook, digest, pins, state, before, ...(reason && { refusal: { reason, text } }) };
  };
  const isWeak = unresolved.length > 0;
  const who = `The ${hook.source.scope} hook "${visibleLine(hook.name)}"`;
  if (run.projectHooks === false && BELOW_USER.includes(hook.source.scope))
    return status(stateOf(options, digest, isWeak), "project-hooks-off", `${who} does not run: hooks of the project are off for this run.`);
  if (pins.untrustable !== undefined)
    return status("refused", "refused", `${who} cannot be trusted and does not run: ${pins.untrustable}.`);
  // SECURITY: no approval, pin or flag of a run outweighs strict mode or a person's no.
  if (isStrict && isWeak) return status("definition-only", "not-pinned", notPinnedText(who, unresolved));
  const verdict = records.get(digest)?.decision.verdict;
  if (verdict === "refused")
    return status("refused", "refused", `${who} was refused and does not run. To allow it: hookloop trust approve ${hook.id}`);
  const pin = run.pinned?.[hook.id];
  if (pin !== undefined && pin !== digest) return status(before ? "changed" : "new", "wrong-pin", wrongPinText(who, pin, digest));
  if (verdict === "approved" || pin === digest || isOfWorkspace(hook, options)) return status(isWeak ? "definition-only" : "trusted");
  if (before)
    return status("changed", "changed", `${who} has changed since it was approved and does not run. Look at it: hookloop trust review`);
  if (hook.source.scope === "user" && !isStrict) return status("new");
  return status("new", "untrusted", `${who} is not trusted and does not run. Look at it: hookloop trust review`);
}

function stateOf({ records, before }: JudgeOptions, digest: string, isWeak: boolean): TrustStatus["state"] {
  const verdict = records.get(digest)?.decision.verdict;
  if (verdict === undefined) return before ? "changed" : "new";
  if (verdict === "refused") return "refused";
  return isWeak ? "definition-only" : "trusted";
}

/** What the project's own files declare; a plugin from elsewhere is not among it. */
function isOfWorkspace({ source }: RegisteredHook, { run, projectRoot }: JudgeOptions): boolean {
  if (run.workspace !== true || !BELOW_USER.includes(source.scope)) return false;
  return isInside(realPath(projectRoot), realPath(source.file ?? source.root));
}

function notPinnedText(who: string, unresolved: readonly string[]): string {
  return `${who} runs something that cannot be pinned, which strict mode refuses: ${unresolved.join("; ")}.`;
}

function wrongPinText(who: string, pin: string, digest: string): string {
  return `${who} does not run: it was pinned as ${pin} and is ${digest} now. Look at what changed, then pin it anew.`;
}
