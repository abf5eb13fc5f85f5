import { abilitiesOf, EVENTS } from "../../catalogue/index.ts";
import type { AdmittedHook } from "../../trust/index.ts";
import type { Environment } from "./environment/index.ts";

type Declared = Pick<AdmittedHook, "event" | "isGuard" | "onFailure">;

/** Whether a hook's configuration calls it a guard. Where every failure blocks, as in Claude Code, nothing was said. */
export function isWatchedGuard({ event, isGuard, onFailure }: Declared): boolean {
  const row = EVENTS[event];
  return abilitiesOf(row).includes("block") && (isGuard || (onFailure === "block" && row.onFailure !== "block"));
}

/** Tells the SDK, which then watches the script as it does with `hook(…, { guard: true })`. That of a hook that runs this program does not count. */
export function guardVariable(hook: Declared, inherited: Environment): Environment {
  if (isWatchedGuard(hook)) return { HOOKLOOP_GUARD: "1" };
  return inherited["HOOKLOOP_GUARD"] === undefined ? {} : { HOOKLOOP_GUARD: "" };
}
