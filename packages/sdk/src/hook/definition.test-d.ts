// What compiles and what does not. Checked by `tsc --project tsconfig.check.json`, never run:
// each `@ts-expect-error` is an error itself if the line below it compiles.
import type { EventInputs } from "../generated/events.ts";
import type { HookDefinition, HookInput } from "./definition.ts";
import { hook } from "./hook.ts";
import {
  allow,
  ask,
  block,
  context,
  defer,
  deny,
  feedback,
  output,
  replaceOutput,
  rewrite,
  rewritePrompt,
  stop,
  tellUser,
} from "./results.ts";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** `same<A>()(value)` compiles only if the value's type is exactly A. */
const same =
  <A>() =>
  <B>(_value: B, ..._proof: Equal<A, B> extends true ? [] : ["not the same type"]): void => {};

// ── the input follows from event and tool ────────────────────────────────────────────────────────

hook("PreToolUse", { tool: "Bash" }, (input) => {
  same<string>()(input.tool_input.command);
  same<"Bash">()(input.tool_name);
  same<number | undefined>()(input.tool_input.timeout);
  same<string>()(input.tool_use_id);
  // @ts-expect-error a misspelt field of the tool's input
  input.tool_input.comand;
  // @ts-expect-error a misspelt field of the payload
  input.tool_inputs;
  // @ts-expect-error a field of another tool
  input.tool_input.file_path;
  // @ts-expect-error a payload is not changed in place
  input.tool_input.command = "ls";
});

hook("PreToolUse", { tool: ["Bash", "Write"] }, (input) => {
  same<"Bash" | "Write">()(input.tool_name);
  // @ts-expect-error not every tool of the list has it
  input.tool_input.command;
  if (input.tool_name === "Bash") same<string>()(input.tool_input.command);
  else same<string>()(input.tool_input.content);
});

hook("PreToolUse", { tool: "Edit|Write" }, (input) => {
  same<"Edit" | "Write">()(input.tool_name);
  same<string>()(input.tool_input.file_path);
  // @ts-expect-error not every tool of the list has it
  input.tool_input.content;
  if (input.tool_name === "Edit") same<string>()(input.tool_input.old_string);
});
hook("PreToolUse", { tool: "Edit, Write , Bash" }, (input) => {
  same<"Edit" | "Write" | "Bash">()(input.tool_name);
  if (input.tool_name === "Bash") same<string>()(input.tool_input.command);
});
hook("PostToolUse", { tool: "Bash|Write" }, (input) => {
  if (input.tool_name === "Bash") same<string>()(input.tool_response.stdout);
});
hook("PreToolUse", { tool: ["Edit|Write", "Bash"] }, (input) => same<"Edit" | "Write" | "Bash">()(input.tool_name));
hook("PreToolUse", { tool: "Edit|Write" }, () => rewrite({ file_path: "a", content: "b" }));
// @ts-expect-error no tool of the list takes that
hook("PreToolUse", { tool: "Edit|Write" }, () => rewrite({ command: "ls" }));
hook("PreToolUse", { tool: "*" }, (input) => {
  same<Record<string, unknown>>()(input.tool_input);
  same<string>()(input.tool_name);
});
hook("PreToolUse", { tool: "mcp__github__*" }, (input) => same<Record<string, unknown>>()(input.tool_input));
hook("PreToolUse", { tool: "Edit|mcp__github__*" }, (input) => same<string>()(input.tool_name));
hook("PreToolUse", { tool: "Bash" as string }, (input) => same<Record<string, unknown>>()(input.tool_input));

hook("PreToolUse", { tool: "mcp__github__create_issue" }, (input) => {
  same<Record<string, unknown>>()(input.tool_input);
  same<unknown>()(input.tool_input.title);
});
hook("PreToolUse", { tool: /mcp__.*/ }, (input) => same<Record<string, unknown>>()(input.tool_input));
hook("PreToolUse", { tool: "SomeNewTool" }, (input) => same<Record<string, unknown>>()(input.tool_input));
hook("PreToolUse", { guard: true }, (input) => {
  same<Record<string, unknown>>()(input.tool_input);
  same<string>()(input.tool_name);
});
hook("PreToolUse", (input) => same<Record<string, unknown>>()(input.tool_input));

hook("PostToolUse", { tool: "Bash" }, (input) => {
  same<string>()(input.tool_input.command);
  same<string>()(input.tool_response.stdout);
  same<boolean>()(input.tool_response.interrupted);
  // @ts-expect-error a misspelt field of the response
  input.tool_response.stdOut;
});
hook("PostToolUse", { tool: "Read" }, (input) => same<string>()(input.tool_response.file.content));
hook("PostToolUse", { tool: "Agent" }, (input) => same<unknown>()(input.tool_response));
hook("PostToolUse", (input) => same<unknown>()(input.tool_response));
hook("PostToolUseFailure", { tool: "Bash" }, (input) => {
  same<string>()(input.error);
  same<string>()(input.tool_input.command);
  // @ts-expect-error a failed call has no response
  input.tool_response;
});
hook("PermissionRequest", { tool: "Edit" }, (input) => {
  same<string>()(input.tool_input.new_string);
  // @ts-expect-error the question comes before the call has an id
  input.tool_use_id;
});
hook("Stop", (input) => same<boolean>()(input.stop_hook_active));
hook("SessionStart", { match: "startup" }, (input) => same<"SessionStart">()(input.hook_event_name));

same<EventInputs["Stop"]>()(null as unknown as HookInput<"Stop">);
same<HookDefinition<"Stop">>()(hook("Stop", () => {}));

// @ts-expect-error a misspelt event
hook("PreTooluse", () => {});

// ── a handler says only what its event can express ──────────────────────────────────────────────

hook("PreToolUse", () => deny("no"));
hook("PreToolUse", () => deny("no").with(context("why")));
hook("PreToolUse", () => allow());
hook("PreToolUse", () => ask("sure?"));
hook("PreToolUse", () => defer());
hook("PreToolUse", () => stop("enough").with(tellUser("bye")));
hook("PreToolUse", ({ tool_name }) => (tool_name === "Bash" ? deny("no") : context("note")));
// @ts-expect-error there is no result to replace yet
hook("PreToolUse", () => replaceOutput("x"));
// @ts-expect-error one half of it is not available here
hook("PreToolUse", () => deny("no").with(feedback("x")));
// @ts-expect-error a refusal has a reason
hook("PreToolUse", () => deny());

hook("PostToolUse", () => feedback("mind"));
hook("PostToolUse", () => replaceOutput({ any: "value" }));
// @ts-expect-error the call has happened
hook("PostToolUse", () => deny("no"));
// @ts-expect-error the call has happened
hook("PostToolUse", () => block("no"));
// @ts-expect-error also in an asynchronous handler
hook("PostToolUse", async () => deny("no"));
// @ts-expect-error also beside something that can be said
hook("PostToolUse", () => context("x").with(deny("no")));
// @ts-expect-error also on one path only
hook("PostToolUse", { tool: "Bash" }, (input) => (input.tool_response.interrupted ? deny("no") : undefined));

hook("PermissionRequest", () => allow().with(rewrite({ a: 1 })));
// @ts-expect-error a question is not deferred
hook("PermissionRequest", () => defer());
// @ts-expect-error a switch of models is not deferred
hook("PreModelSwitch", () => defer());
// @ts-expect-error nor is the end of a turn
hook("Stop", () => defer());

hook("UserPromptSubmit", () => rewritePrompt("better"));
// @ts-expect-error only a prompt that was submitted is rewritten
hook("UserPromptExpansion", () => rewritePrompt("better"));

hook("SessionEnd", () => {});
// @ts-expect-error nothing can be said at the end of a session
hook("SessionEnd", () => context("x"));
// @ts-expect-error a notification has no user message of its own
hook("Notification", () => tellUser("x"));

// ── values ──────────────────────────────────────────────────────────────────────────────────────

hook("PreToolUse", { tool: "Bash" }, (input) => rewrite({ ...input.tool_input, command: "ls" }));
// @ts-expect-error a whole input has a command
hook("PreToolUse", { tool: "Bash" }, () => rewrite({}));
// @ts-expect-error the command is text
hook("PreToolUse", { tool: "Bash" }, () => rewrite({ command: 1 }));
hook("PreToolUse", { tool: "mcp__a__b" }, () => rewrite({ anything: 1 }));

hook("SessionStart", () => output({ sessionTitle: "title", watchPaths: ["/a"] }));
hook("UserPromptSubmit", () => output({ sessionTitle: "title" }));
// @ts-expect-error the expansion of a command has no title
hook("UserPromptExpansion", () => output({ sessionTitle: "title" }));
// @ts-expect-error nor has the end of a turn
hook("Stop", () => output({ sessionTitle: "title" }));
// @ts-expect-error a misspelt output field
hook("SessionStart", () => output({ sessionTitel: "title" }));
// @ts-expect-error a title is text
hook("SessionStart", () => output({ sessionTitle: 1 }));

// ── handlers ────────────────────────────────────────────────────────────────────────────────────

hook("Stop", () => {});
hook("Stop", () => undefined);
hook("Stop", async () => {});
hook("Stop", async () => block("not yet"));
hook("Stop", async ({ stop_hook_active }) => {
  if (stop_hook_active) return;
  return block("not yet");
});
hook("PreToolUse", { tool: "Bash" }, ({ tool_input }) => {
  if (tool_input.command === "a") return deny("no");
  if (tool_input.command === "b") return ask("sure?").with(context("note"));
  return undefined;
});
hook("Stop", async (_input, { signal }) => same<AbortSignal>()(signal));
// @ts-expect-error the wire's own shape is not a result
hook("Stop", () => ({ decision: "block", reason: "no" }));
// @ts-expect-error nor is it one in a promise
hook("Stop", async () => ({ decision: "block", reason: "no" }));
// @ts-expect-error nor is a truth value
hook("PreToolUse", () => false);
// @ts-expect-error nor is text
hook("PreToolUse", () => "no");

// ── options that make no sense for the event ────────────────────────────────────────────────────

hook("PreToolUse", { tool: "Bash", guard: true, name: "n", timeoutMs: 1000 }, () => {});
hook("Stop", { guard: true }, () => {});
hook("Notification", { match: "idle_prompt" }, () => {});
// @ts-expect-error the end of a turn is about no tool
hook("Stop", { tool: "Bash" }, () => {});
// @ts-expect-error a notification cannot be refused
hook("Notification", { guard: true }, () => {});
// @ts-expect-error a call that has happened cannot be refused
hook("PostToolUse", { guard: true }, () => {});
// @ts-expect-error tool events are filtered with `tool`
hook("PreToolUse", { match: "Bash" }, () => {});
// @ts-expect-error a misspelt option
hook("PreToolUse", { tools: "Bash" }, () => {});
