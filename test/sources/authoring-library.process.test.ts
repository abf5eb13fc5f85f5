/** The authoring library in its source's words: its skeleton in a real session, and which output fields count at which event. */
import { existsSync } from "node:fs";
import path from "node:path";
import type { EventName } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import { samplePayload } from "../../packages/hookloop/src/catalogue/events.ts";
import { type AgentLab, openAgentLab, say, use } from "../agent/agent-lab.ts";
import { hooksFor, openProject, printing } from "../engine/open-project.ts";

const SDK = path.resolve("packages/sdk/dist/index.js");

const HOOK = `#!/usr/bin/env node
import { emitBlock, emitContext, loadHookInput, logInfo, runHook } from "${SDK}";

function main() {
  const payload = loadHookInput();
  if (!payload) return;
  logInfo("no_rm", "looked at a call");
  console.log("this must not reach stdout");
  const command = payload.tool_input?.command ?? "";
  if (command.startsWith("rm ")) emitBlock("rm is not allowed here");
  else emitContext("looked at: " + command);
}

runHook(main, "no_rm");
`;

async function play(
  hook: string,
  calls: readonly string[],
): Promise<{ readonly lab: AgentLab; readonly stdout: string; readonly stderr: string }> {
  const lab = openAgentLab();
  lab.write("project/hooks/no_rm.mjs", hook);
  lab.write("project/kept.txt", "kept");
  lab.settings({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "node hooks/no_rm.mjs" }] }] } });
  const script = lab.script([...calls.map((command) => [use("Bash", { command })]), say("done")]);
  const args = ["-p", "go", "--script", script, "--trust-workspace", "--allowedTools", "Bash", "--output-format", "stream-json"];
  return { lab, ...(await lab.play({ args })) };
}

test.each([
  ["runHook", HOOK],
  ["runHookAsync", HOOK.replaceAll("runHook", "runHookAsync").replace("function main", "async function main")],
])("a hook written with %s as the skeleton shows it blocks in a real session, gives context, and logs to the file", async (_name, hook) => {
  const { lab, stdout } = await play(hook, ["rm kept.txt", "echo hi > made.txt"]);
  expect(stdout).toContain("rm is not allowed here");
  expect(stdout).toContain("looked at: echo hi");
  expect([existsSync(path.join(lab.project, "kept.txt")), existsSync(path.join(lab.project, "made.txt"))]).toEqual([true, true]);
  expect(lab.read("project/.hookloop/hook-log.jsonl")).toMatch(/no_rm.*looked at a call/);
});

test("a hook that throws is reported and lets the call run, as in its source; a guard blocks", async () => {
  const broken = HOOK.replace("const payload", "null.x; const payload");
  const open = await play(broken, ["echo hi > made.txt"]);
  expect(existsSync(path.join(open.lab.project, "made.txt"))).toBe(true);
  expect(open.stderr + open.stdout).toContain("no_rm");
  const closed = await play(broken.replace('"no_rm");', '"no_rm", { guard: true });'), ["echo hi > made.txt"]);
  expect(existsSync(path.join(closed.lab.project, "made.txt"))).toBe(false);
});

/** Fields of hookSpecificOutput, what counts as having been read, and the events where each one counts. */
const FIELDS: Readonly<Record<string, { readonly value: unknown; readonly at: readonly EventName[] }>> = {
  additionalContext: {
    value: "MARK",
    at: ["PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "Notification", "SubagentStart", "Stop"],
  },
  permissionDecision: { value: "deny", at: ["PreToolUse"] },
  updatedInput: { value: { command: "MARK" }, at: ["PreToolUse"] },
  updatedMCPToolOutput: { value: { MARK: true }, at: ["PostToolUse"] },
};
const EVENTS_OF_THE_TABLE: readonly EventName[] = [
  "PreToolUse",
  "PostToolUse",
  "UserPromptSubmit",
  "SessionStart",
  "Notification",
  "SubagentStart",
  "Stop",
  "SessionEnd",
];

async function fired(event: EventName, answer: object): Promise<{ readonly counts: boolean; readonly said: string }> {
  const project = openProject({ project: hooksFor(event, printing(answer)) });
  const hooks = await project.open();
  const sample = { ...(samplePayload(event) as object), ...(event === "PostToolUse" && { tool_name: "mcp__demo__echo", tool_input: {} }) };
  const { decision, contexts, continueWith, updatedInput, updatedOutput } = await hooks.fire(event, sample as never);
  const effects = JSON.stringify([contexts, continueWith, updatedInput, updatedOutput]);
  return { counts: decision === "deny" || effects.includes("MARK"), said: project.diagnostics.map(({ text }) => text).join("\n") };
}

describe.each(EVENTS_OF_THE_TABLE)("the fields that count at %s", (event) => {
  test.each(Object.entries(FIELDS))("%s counts where the table has it, and is named where not", async (name, { value, at }) => {
    const { counts, said } = await fired(event, { hookSpecificOutput: { hookEventName: event, [name]: value } });
    expect([counts, said.includes(name)]).toEqual(at.includes(event) ? [true, false] : [false, true]);
  });
});

test("without hookEventName, which voids an answer elsewhere, that is said, and a denial counts all the same", async () => {
  const { counts, said } = await fired("PreToolUse", { hookSpecificOutput: { permissionDecision: "deny" } });
  expect([counts, said]).toEqual([true, expect.stringContaining("hookSpecificOutput has no hookEventName; Claude Code then ignores it")]);
});

test.each(["UserPromptSubmit", "Stop"] as const)("a top-level block with its reason counts at %s", async (event) => {
  const project = openProject({ project: hooksFor(event, printing({ decision: "block", reason: "MARK" })) });
  const verdict = await (await project.open()).fire(event, samplePayload(event) as never);
  expect(JSON.stringify([verdict.reasons, verdict.continueWith])).toContain("MARK");
});

test("exit code 1 does not block, and the JSON beside it counts all the same; no JSON undoes an exit code 2", async () => {
  const says = (permissionDecision: string): string =>
    printing({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, permissionDecisionReason: "MARK" } });
  const decision = async (command: string) => {
    const project = openProject({ project: hooksFor("PreToolUse", command) });
    return (await (await project.open()).fire("PreToolUse", samplePayload("PreToolUse") as never)).decision;
  };
  expect(await decision("exit 1")).toBe("none");
  expect(await decision(`${says("deny")}; exit 1`)).toBe("deny");
  expect(await decision(`${says("allow")}; exit 2`)).toBe("deny");
});
