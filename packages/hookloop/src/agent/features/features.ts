import { openCompaction } from "./compaction.ts";
import { openConfigWatch, openFileAccess, openFileWatch } from "./file-watch.ts";
import { openElicitation } from "./mcp-servers.ts";
import { openDirectories, openModelSwitch, openNotifications, openPlanMode } from "./session-commands.ts";
import { openTeam } from "./team.ts";
import type { OpenFeature } from "./types.ts";
import { openWorktrees } from "./worktrees.ts";

const WINDOW = 200_000;

export const FEATURES: readonly OpenFeature[] = [
  openDirectories,
  openModelSwitch,
  openConfigWatch,
  openFileWatch,
  openFileAccess,
  (core) => openNotifications(core, positiveNumber("HOOKLOOP_IDLE_MS")),
  openPlanMode,
  openElicitation,
  (core) => openWorktrees(core, process.env),
  (core) => openTeam(core, process.env),
  (core) => openCompaction(core, positiveNumber("HOOKLOOP_CONTEXT_WINDOW") ?? WINDOW),
];

/** Their tools that the catalogue does not know: permission rules may name them. */
export const FEATURE_TOOL_NAMES: readonly string[] = ["EnterWorktree", "ExitWorktree", "Teammate", "SendMessage"];

function positiveNumber(variable: string): number | undefined {
  const given = Number(process.env[variable]);
  return Number.isInteger(given) && given > 0 ? given : undefined;
}
