import { allow, ask, block, context, deny, stop, tellUser } from "@hookloop/sdk";
import { beforeEach, describe, expect, test } from "vitest";
import type { Diagnostic } from "../diagnostic.ts";
import type { HookEngine, TraceRecord } from "../engine/index.ts";
import { createHooks } from "../open.ts";
import * as front from "./production.ts";

let hooks: HookEngine;
let records: TraceRecord[];
const diagnostics: Diagnostic[] = [];
beforeEach(() => {
  records = [];
  diagnostics.length = 0;
  const trace = { write: (record: TraceRecord) => void records.push(record) };
  hooks = front.useHooks(
    createHooks({ cwd: process.cwd(), sessionId: "s1", ports: { env: {}, trace }, onDiagnostic: (one) => diagnostics.push(one) }),
  );
});

async function all(results: AsyncIterable<front.AggregatedHookResult>): Promise<front.AggregatedHookResult[]> {
  const found: front.AggregatedHookResult[] = [];
  for await (const one of results) found.push(one);
  return found;
}
const blocking = (found: readonly front.AggregatedHookResult[]) => found.flatMap(({ blockingError }) => blockingError?.blockingError ?? []);
const merged = (found: readonly front.AggregatedHookResult[]): front.AggregatedHookResult => Object.assign({}, ...found);

describe("executeHooks", () => {
  test("yields progress, each hook's result, and a blocking error before a slower hook has ended", async () => {
    let release = (): void => {};
    hooks.on("PreToolUse", { name: "quick" }, () => deny("not here"));
    hooks.on("PreToolUse", { name: "slow" }, () => new Promise<undefined>((resolve) => (release = () => resolve(undefined))));
    const seen: string[] = [];
    for await (const { message, blockingError, outcome, hook } of front.executePreToolHooks("Bash", "t", { command: "ls" })) {
      if (message?.type === "progress") seen.push(`started ${message.content}`);
      if (outcome) seen.push(`${outcome} ${hook}`);
      if (blockingError) release();
    }
    expect(seen).toEqual(["started PreToolUse:Bash: quick", "blocking quick", "started PreToolUse:Bash: slow", "success slow"]);
  });

  test.each([
    ["deny", () => deny("no"), { permissionBehavior: "deny", hookPermissionDecisionReason: "no" }],
    ["allow", () => allow("fine"), { permissionBehavior: "allow" }],
    ["ask", () => ask("sure?"), { permissionBehavior: "ask", hookPermissionDecisionReason: "sure?" }],
    ["stop", () => stop("enough"), { preventContinuation: true, stopReason: "enough" }],
    ["context", () => context("cwd"), { additionalContexts: ["cwd"] }],
    ["tellUser", () => tellUser("look"), { message: { type: "system", content: "look", hookEvent: "PreToolUse", toolUseID: "t" } }],
  ] as const)("%s is said in the fields of the source", async (_what, handler, fields) => {
    hooks.on("PreToolUse", handler as never);
    expect(merged(await all(front.executePreToolHooks("Bash", "t", { command: "ls" })))).toMatchObject(fields);
  });

  test("a gate that failed where nobody can be asked is a blocking error", async () => {
    hooks.on("UserPromptSubmit", { name: "broken" }, () => {
      throw new Error("no database");
    });
    expect(blocking(await all(front.executeUserPromptSubmitHooks("go"))).join()).toContain("broken threw an error");
  });

  test("what keeps the agent going is said once, and no more when the cap overrides it", async () => {
    hooks.on("Stop", { name: "tests" }, () => block("Run the tests"));
    const texts = [];
    for (let at = 0; at < 9; at++) texts.push(blocking(await all(front.executeStopHooks())).join());
    expect(texts).toEqual([...Array(8).fill("Run the tests"), ""]);
  });

  test("without an engine it throws: no word of a guard must not look like a yes", async () => {
    expect(() => front.useHooks({} as never)).toThrow("Write useHooks(await openHooks");
    await expect(all(front.executeHooks({ hookInput: {} }))).rejects.toThrow("has no event");
    const { executeHooks } = await import("./production.ts?fresh" as string);
    await expect(all(executeHooks({ hookInput: { hook_event_name: "Stop" } }))).rejects.toThrow("there is no engine");
  });

  test("an aborted signal runs nothing; a query that is not the input's is refused", async () => {
    let ran = 0;
    hooks.on("PreToolUse", () => void ran++);
    const hookInput = { hook_event_name: "PreToolUse", tool_input: { command: "ls" }, tool_use_id: "t" };
    expect(await all(front.executeHooks({ hookInput, matchQuery: "Bash", signal: AbortSignal.abort() }))).toEqual([]);
    await all(front.executeHooks({ hookInput, matchQuery: "Bash" }));
    expect(ran).toBe(1);
    await expect(all(front.executeHooks({ hookInput: { ...hookInput, tool_name: "Read" }, matchQuery: "Bash" }))).rejects.toThrow(
      "matchQuery",
    );
  });

  test("the conversation and the time limit reach the hooks", async () => {
    const messages = [{ role: "assistant" as const, content: "All done." }];
    const seen: unknown[] = [];
    hooks.on("Stop", (input, run) => void seen.push(run.messages, input.last_assistant_message, input.stop_hook_active));
    await all(front.executeStopHooks("default", undefined, undefined, true, undefined, undefined, messages));
    expect(seen).toEqual([messages, "All done.", true]);
    hooks.on("PostToolUse", () => new Promise(() => {}));
    const found = await all(front.executePostToolHooks("Bash", "t", { command: "ls" }, "", undefined, undefined, undefined, 20));
    expect(found.map(({ outcome }) => outcome)).toContain("cancelled");
  });
});

test.each([
  ["PreToolUse", () => front.executePreToolHooks("Bash", "t", { command: "ls" }, { agentId: "a1", agentType: "Explore" }, "plan")],
  ["PostToolUse", () => front.executePostToolHooks("Bash", "t", { command: "ls" }, { stdout: "" })],
  ["PostToolUseFailure", () => front.executePostToolUseFailureHooks("Bash", "t", { command: "ls" }, "failed", {}, true)],
  ["PermissionRequest", () => front.executePermissionRequestHooks("Bash", "t", { command: "ls" }, {}, "default", [])],
  ["Stop", () => front.executeStopHooks()],
  ["SubagentStop", () => front.executeStopHooks("default", undefined, undefined, false, "a1", {}, [], "Explore")],
  ["UserPromptSubmit", () => front.executeUserPromptSubmitHooks("go", "default")],
  ["SessionStart", () => front.executeSessionStartHooks("startup", "s2", undefined, "m")],
] as const)("%s is fired with the fields of its event, and nothing about them is odd", async (event, run) => {
  const seen: unknown[] = [];
  hooks.on(event as "Stop", (input) => void seen.push(input));
  await all(run());
  expect(seen).toMatchObject([{ hook_event_name: event, session_id: event === "SessionStart" ? "s2" : "s1", cwd: process.cwd() }]);
  expect(diagnostics).toEqual([]);
});

describe("outside a conversation", () => {
  test("all hooks run, functions too, and what they said is given at once", async () => {
    hooks.on("PreCompact", { name: "keep" }, () => block("not yet"));
    hooks.on("PreCompact", { name: "fine" }, () => undefined);
    const hookInput = { ...front.createBaseHookInput(), hook_event_name: "PreCompact", trigger: "manual", custom_instructions: null };
    const results = await front.executeHooksOutsideREPL({ hookInput, matchQuery: "manual" });
    expect(results).toMatchObject([
      { command: "keep", blocked: true, succeeded: false },
      { command: "fine", blocked: false, succeeded: true },
    ]);
    expect(await front.executePreCompactHooks({ trigger: "manual" })).toMatchObject({ blocked: true });
  });

  test("SessionEnd, PostCompact and Notification", async () => {
    const seen: string[] = [];
    for (const event of ["SessionEnd", "PostCompact", "Notification"] as const)
      hooks.on(event, (input) => void seen.push(input.hook_event_name));
    await front.executeSessionEndHooks("other");
    await front.executePostCompactHooks({ trigger: "auto", compactSummary: "short" });
    await front.executeNotificationHooks({ message: "wait", notificationType: "idle_prompt" });
    expect([seen, diagnostics]).toEqual([["SessionEnd", "PostCompact", "Notification"], []]);
  });
});

test("what would run, and how many of what kind", () => {
  hooks.on("PreToolUse", { tool: "Bash", name: "a" }, () => undefined);
  hooks.on("PreToolUse", { tool: "Write", name: "b" }, () => undefined);
  hooks.internals.observe("PreToolUse", [], function bookkeeping() {});
  const matching = front.getMatchingHooks("PreToolUse", { tool_name: "Bash", tool_input: {}, tool_use_id: "t" });
  expect(matching.map(({ hook, hookSource }) => [hook.name, hook.type, hookSource])).toEqual([
    ["a", "function", "code"],
    ["bookkeeping", "function", "code"],
  ]);
  expect(matching.map(front.isInternalHook)).toEqual([false, true]);
  expect([front.getHookTypeCounts(matching), front.getPluginHookCounts(matching)]).toEqual([{ function: 2 }, {}]);
  expect([front.hasHookForEvent("PreToolUse"), front.hasHookForEvent("Stop")]).toEqual([true, false]);
  expect([front.shouldSkipHookDueToTrust(), front.shouldDisableAllHooksIncludingManaged()]).toEqual([false, false]);
});

const RESPONSE = { type: "create", filePath: "/a", content: "", structuredPatch: [], originalFile: null, file: {} };

test("internal callbacks see the event; alone they are no step, beside others they are not counted", async () => {
  const seen: unknown[] = [];
  hooks.internals.observe("PostToolUse", ["Write"], (input) => void seen.push(input["tool_name"]));
  const call = (tool_name: string) => ({
    tool_name,
    tool_input: { file_path: "/a", content: "" },
    tool_use_id: "t",
    tool_response: RESPONSE,
  });
  await hooks.fire("PostToolUse", call("Write"));
  await hooks.fire("PostToolUse", call("Read"));
  expect([seen, records]).toEqual([["Write"], []]);
  hooks.on("PostToolUse", { name: "mine" }, () => undefined);
  await hooks.fire("PostToolUse", call("Write"));
  expect(records.flatMap((one) => (one.type === "started" ? one.name : one.type === "fired" ? one.numCommands : []))).toEqual([1, "mine"]);
});

test("the texts are those of the source", () => {
  const error = { blockingError: "Run the tests", command: "npm test" };
  expect([
    front.getPreToolHookBlockingMessage("PreToolUse:Bash", error),
    front.getStopHookMessage(error),
    front.getTeammateIdleHookMessage("Run the tests"),
    front.getTaskCreatedHookMessage(error),
    front.getTaskCompletedHookMessage(error),
    front.getUserPromptSubmitHookBlockingMessage(error),
  ]).toEqual([
    "PreToolUse:Bash hook error: Run the tests",
    "Stop hook feedback:\nRun the tests",
    "TeammateIdle hook feedback:\nRun the tests",
    "TaskCreated hook feedback:\nRun the tests",
    "TaskCompleted hook feedback:\nRun the tests",
    "UserPromptSubmit operation blocked by hook:\nRun the tests",
  ]);
});

test("what can be imported is a deliberate list", () => {
  expect(Object.keys(front).sort()).toEqual(
    "createBaseHookInput executeHooks executeHooksOutsideREPL executeNotificationHooks executePermissionRequestHooks executePostCompactHooks executePostToolHooks executePostToolUseFailureHooks executePreCompactHooks executePreToolHooks executeSessionEndHooks executeSessionStartHooks executeStopHooks executeUserPromptSubmitHooks getHookTypeCounts getMatchingHooks getPluginHookCounts getPreToolHookBlockingMessage getStopHookMessage getTaskCompletedHookMessage getTaskCreatedHookMessage getTeammateIdleHookMessage getUserPromptSubmitHookBlockingMessage hasHookForEvent isInternalHook shouldDisableAllHooksIncludingManaged shouldSkipHookDueToTrust useHooks".split(
      " ",
    ),
  );
});
