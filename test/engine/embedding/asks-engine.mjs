// A hook script that leaves the decision to an engine of its own.
import { deny, hook } from "@hookloop/sdk";
import { openHooks } from "hookloop";

const hooks = await openHooks({ cwd: process.cwd(), trust: "implicit" });
hooks.on("PreToolUse", { tool: "Bash", guard: true }, () => deny("not here"));
hook("PreToolUse", { guard: true }, async (input) => {
  const { decision } = await hooks.fire("PreToolUse", input);
  return decision === "deny" ? deny("not here") : undefined;
});
