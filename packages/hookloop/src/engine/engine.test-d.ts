// What compiles and what does not. Checked by `tsc --project tsconfig.check.json`, never run:
// each `@ts-expect-error` is an error itself if the line below it compiles.

import type { EventName } from "@hookloop/sdk";
import type { Permissions } from "../permissions/index.ts";
import type { HookEngine } from "./engine.ts";
import type { EventInput } from "./session.ts";

declare const hooks: HookEngine;
declare const anyEvent: EventName;
declare const anyInput: EventInput;
declare const anyTool: string;

// ── fire: the input follows from the event ───────────────────────────────────────────────────────

void hooks.fire("UserPromptSubmit", { prompt: "hello" });
void hooks.fire("UserPromptSubmit", { prompt: "hello", session_id: "s", cwd: "/", permission_mode: "plan", x_request: 7 });
void hooks.fire("Stop", {});
void hooks.fire("Stop", { last_assistant_message: "Done." });
void hooks.fire("SessionEnd", { reason: "other" });
void hooks.fire("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t" });
void hooks.fire("PreToolUse", { tool_name: anyTool, tool_input: { anything: 1 } });
void hooks.fire("PreToolUse", { tool_name: "my_tool", tool_input: { anything: 1 } });
void hooks.fire("PostToolUse", { tool_name: "Bash", tool_input: { command: "ls" }, tool_response: "x" });
// Where the program does not know the event, it is checked when it runs.
void hooks.fire(anyEvent, anyInput);
void hooks.fire(anyEvent as "Stop" | "UserPromptSubmit", anyInput);

// @ts-expect-error a misspelt field
void hooks.fire("PreToolUse", { toolName: "Bash", tool_input: { command: "ls" } });
// @ts-expect-error a field that the event does not have
void hooks.fire("UserPromptSubmit", { prompt: "hello", text: "hello" });
// @ts-expect-error the prompt is a text
void hooks.fire("UserPromptSubmit", { prompt: { text: "hello" } });
// @ts-expect-error nothing to judge
void hooks.fire("UserPromptSubmit", {});
// @ts-expect-error a misspelt field of a known tool
void hooks.fire("PreToolUse", { tool_name: "Bash", tool_input: { cmd: "ls" } });
// @ts-expect-error JSON must be parsed first
void hooks.fire("PreToolUse", { tool_name: anyTool, tool_input: "{}" });
// @ts-expect-error no event
void hooks.fire("PreTooluse", {});
// @ts-expect-error the engine says which event it is
void hooks.fire("Stop", { hook_event_name: "Stop" });

// ── runTool and begin: the input follows from the tool ───────────────────────────────────────────

const call = { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t" } as const;
void hooks.runTool(call, ({ command, timeout }, { signal }) => [command.length, timeout?.toFixed(), signal.aborted]);
void hooks.runTool({ ...call, agent_id: "a", cwd: "/" }, ({ command }) => command);
void hooks.runTool({ tool_name: "Read", tool_input: { file_path: "/a" }, tool_use_id: "t" }, ({ file_path }) => file_path.length);
void hooks.runTool({ tool_name: anyTool, tool_input: { a: 1 }, tool_use_id: "t" }, (input) => input["a"]);
// @ts-expect-error a misspelt field of a known tool
void hooks.runTool({ tool_name: "Bash", tool_input: { cmd: "ls" }, tool_use_id: "t" }, () => 1);
// @ts-expect-error a field that the tool does not have
void hooks.runTool(call, ({ file_path }) => file_path);
// @ts-expect-error without an id
void hooks.runTool({ tool_name: "Bash", tool_input: { command: "ls" } }, () => 1);
// @ts-expect-error a misspelt option
void hooks.runTool(call, () => 1, { premission: () => "allow" });
void hooks.runTool(call, () => 1, { responseOf: (output) => ({ text: String(output) }) });
void hooks.runTool(call, () => 1, {
  // @ts-expect-error braces without return give nothing
  responseOf: (output) => {
    String(output);
  },
});

const begun = await hooks.begin(call, { ask: () => "suspend" });
if ("refused" in begun) begun.refused.status satisfies string;
else {
  begun.input.command satisfies string;
  await begun.finish({ output: 1 });
  await begun.finish({ error: new Error("x") });
  const host = await begun.finish({ output: new URL("https://example.org") });
  if (host.isReplaced) host.output satisfies unknown;
  else host.output?.hostname satisfies string | undefined;
  // @ts-expect-error a hook may have put something else in its place
  host.output?.hostname;
  // @ts-expect-error neither an output nor an error
  await begun.finish({ result: 1 });
}

// ── on: results follow from the event ────────────────────────────────────────────────────────────

// @ts-expect-error a text is no result
hooks.on("PreToolUse", () => "deny");
// @ts-expect-error a misspelt field of the payload
hooks.on("PreToolUse", { tool: "Bash" }, ({ tool_inputs }) => void tool_inputs);

// ── Permissions: updates ─────────────────────────────────────────────────────────────────────────

declare const permissions: Permissions;
permissions.update([{ type: "addRules", rules: [{ toolName: "Bash", ruleContent: "git push *" }], behavior: "deny" }]);
// @ts-expect-error a misspelt type
permissions.update([{ type: "addRule", rules: [{ toolName: "Bash" }], behavior: "deny" }]);
// @ts-expect-error a rule is no text
permissions.update([{ type: "addRules", rules: ["Bash"], behavior: "deny" }]);
