import { deny, hook } from "@hookloop/sdk";

export const guard = hook("PreToolUse", { tool: "Bash", guard: true }, () => deny("not here"));
