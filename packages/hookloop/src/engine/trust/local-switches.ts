// Takes the local files that switch hooks off and what is known of the session's gates. Gives each switch as something that can be approved.
// Who can put a file into the project's folder (a pull, an archive, the agent's own shell) must not be able to silence an approved gate:
// whether git keeps the file can be undone by the same hands, so only an approval outside of the project tells the user's switch from theirs.
import { createHash } from "node:crypto";
import path from "node:path";
import type { RegisteredHook, Source, SwitchState } from "../../config/index.ts";
import type { Diagnostic } from "../../diagnostic.ts";
import { visibleLine } from "../../diagnostic.ts";
import { realPath } from "./pin/index.ts";
import type { TrustRecord, TrustRecords } from "./store/index.ts";
import type { TrustStatus } from "./types.ts";
import { isGate } from "./withhold.ts";

const SETTING = "disableAllHooks";
/** The row that what no event runs is kept under. */
const KEPT_AS = "Notification";

/** Whether it is a switch and no hook. */
export function isSwitch({ setting }: Pick<RegisteredHook, "setting">): boolean {
  return setting === SETTING;
}

/** A gate that was approved, or cannot be told from one. */
export function isApprovedGate({ hook, isApproved = false, refusal }: TrustStatus): boolean {
  if (refusal?.reason === "project-hooks-off") return false;
  return refusal?.blocks === true || (isApproved && isGate(hook));
}

/** The switches that would silence an approved gate, each as a hook that runs nothing. Where there is no such gate, nothing has to be approved. */
export function switchesToApprove(switches: SwitchState, statuses: readonly TrustStatus[]): readonly RegisteredHook[] {
  const reached = new Set(
    statuses.filter(isApprovedGate).flatMap(({ hook }) => (switches.isDisabled(hook)?.local ?? []).map(({ file }) => file)),
  );
  return switches.local.filter(({ file }) => reached.has(file)).map(switchHook);
}

function switchHook(source: Source): RegisteredHook {
  const { file = "" } = source;
  const fields = { setting: SETTING, file: realFile(file) };
  const digest = createHash("sha256").update(JSON.stringify(fields)).digest("hex");
  return {
    id: `${source.scope}:${SETTING}:${digest.slice(0, 10)}`,
    name: `${SETTING} of ${path.join(path.basename(path.dirname(file)), path.basename(file))}`,
    event: KEPT_AS,
    target: { kind: "withheld" },
    source,
    place: { file },
    fields,
    setting: SETTING,
    ...{ order: 0, priority: 0, isGuard: false, onFailure: "continue", timeoutMs: 0, isAsync: false, wakesAgent: false, once: false },
    passEnv: [],
  };
}

/** The same file by every name of its folder. */
function realFile(file: string): string {
  return path.join(realPath(path.dirname(file)), path.basename(file));
}

/** What is known of the switches in these files. */
export function switchesOf(local: readonly Source[], statuses: Iterable<TrustStatus>): readonly TrustStatus[] {
  const files = new Set(local.map(({ file }) => file));
  return [...statuses].filter(({ hook }) => isSwitch(hook) && files.has(hook.source.file));
}

/** The status with a text that says what the switch would do. */
export function explained(status: TrustStatus, gates: readonly TrustStatus[]): TrustStatus {
  const { refusal, hook } = status;
  if (!refusal) return status;
  const silenced = gates.filter(isApprovedGate).map((one) => `"${visibleLine(one.hook.name)}"`);
  const isOne = silenced.length === 1;
  const many = isOne ? "a gate that was approved" : `${silenced.length} gates that were approved`;
  const what = `"${SETTING}" of ${hook.source.file} would switch off ${many} (${silenced.slice(0, 3).join(", ")}${silenced.length > 3 ? ", …" : ""})`;
  const text =
    refusal.reason === "refused"
      ? `${what}, and was refused: ${isOne ? "it runs" : "they run"} all the same. Take it out of the file.`
      : `${what} and was not approved itself, so ${isOne ? "it blocks what it matches" : "they block what they match"}. ${switchCure(hook)}`;
  return { ...status, refusal: { ...refusal, text } };
}

export function switchCure({ id }: RegisteredHook): string {
  return `If you mean it, approve it in your own terminal: hookloop trust approve ${id}. If not, take it out of the file.`;
}

/** A switch that does not count is never silent. */
export function switchDiagnostic({ hook, refusal }: TrustStatus): readonly Diagnostic[] {
  if (!isSwitch(hook) || !refusal) return [];
  const level = refusal.reason === "refused" ? "warning" : "error";
  return [{ code: "HL_TRUST_SWITCH", level, text: refusal.text, place: hook.place, hook: hook.id }];
}

/** SECURITY: an approval lasts as long as the switch stands there: the next one that appears may be somebody else's. */
export function outlived(records: TrustRecords, switches: SwitchState, projectRoot: string): readonly TrustRecord[] {
  const root = realPath(projectRoot);
  const present = new Set(switches.local.map(({ file = "" }) => realFile(file)));
  return [...records.values()].filter(({ definition, decision }) => {
    const { setting, file } = definition.fields;
    return definition.root === root && setting === SETTING && decision.verdict === "approved" && !present.has(String(file));
  });
}
