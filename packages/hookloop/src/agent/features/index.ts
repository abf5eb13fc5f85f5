import { openCompaction } from "./compaction/compaction.ts";
import { openDirectories } from "./directories/directories.ts";
import { openModelSwitch } from "./model-switch/model-switch.ts";
import type { OpenFeature } from "./types.ts";

export type { AgentCore, BuiltinCommand, Feature, OpenFeature } from "./types.ts";

/** Tokens that the models of today hold. */
const WINDOW = 200_000;

/** Every feature of the agent, in the order in which they are asked. */
export const FEATURES: readonly OpenFeature[] = [
  openDirectories,
  openModelSwitch,
  (core) => openCompaction(core, { window: contextWindow() }),
];

function contextWindow(): number {
  const given = Number(process.env["HOOKLOOP_CONTEXT_WINDOW"]);
  return Number.isInteger(given) && given > 0 ? given : WINDOW;
}
