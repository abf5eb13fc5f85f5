// The hook of `npm run test:real`: written with the SDK, run by an agent that has never heard of us.
import { deny, hook } from "@hookloop/sdk";

hook("PreToolUse", { tool: "Bash", guard: true }, (input) => {
  if (input.tool_input.command.includes("blocked.txt")) return deny("MARK-sdk-block: this file is not yours.");
});
