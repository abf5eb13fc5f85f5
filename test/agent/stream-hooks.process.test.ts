/** Hooks in the stream: who they are, also those that no file names, and how they ended, in the words of Claude Code. */
import { expect, test } from "vitest";
import { type Json, lines, openAgentLab, say, use } from "./agent-lab.ts";

async function hookLines(settings: Json, turns: Parameters<ReturnType<typeof openAgentLab>["script"]>[0]): Promise<readonly Json[]> {
  const lab = openAgentLab();
  lab.settings(settings);
  const args = ["-p", "go", "--script", lab.script(turns), "--output-format", "stream-json", "--include-hook-events", "--trust-workspace"];
  const { stdout } = await lab.play({ args: [...args, "--allowedTools", "Bash"] });
  return lines(stdout).filter(({ subtype }) => subtype === "hook_started" || subtype === "hook_response");
}

const on = (event: string, command: string, more: Json = {}): Json => ({
  hooks: { [event]: [{ hooks: [{ type: "command", command, ...more }] }] },
});
const turns = [[use("Bash", { command: "echo hi" })], say("done")];

test.each([
  ["exit 0", "success", 0],
  ["echo no >&2; exit 2", "error", 2],
  ["exit 1", "error", 1],
  ["exit 7", "error", 7],
])("a hook that ends with %j: %s", async (command, outcome, code) => {
  for (const event of ["PreToolUse", "PostToolUse", "SessionStart"]) {
    const shown = await hookLines(on(event, command), turns);
    const response = shown.find((one) => one["subtype"] === "hook_response" && !String(one["hook_id"]).startsWith("code:"));
    expect(response).toMatchObject({ hook_event: event, outcome, exit_code: code });
  }
});

test.each([
  ["that is still running when the run ends", { async: true }],
  ["that takes longer than it may", { timeout: 1 }],
])("a hook %s is cancelled, with 1", async (_, more) => {
  const shown = await hookLines(on("PreToolUse", "sleep 30", more), turns);
  const response = shown.find((one) => one["subtype"] === "hook_response" && !String(one["hook_id"]).startsWith("code:"));
  expect(response).toMatchObject({ outcome: "cancelled", exit_code: 1 });
});

test("hooks of the program itself have their names, and those of files what Claude Code calls them", async () => {
  const shown = await hookLines(on("PreToolUse", "true"), turns);
  for (const subtype of ["hook_started", "hook_response"]) {
    const names = shown.filter((one) => one["subtype"] === subtype && one["hook_event"] === "PreToolUse").map((one) => one["hook_name"]);
    expect(names.toSorted()).toEqual(["PreToolUse:Bash", "safety", "workspace-boundary"]);
  }
});
