/** A guard in the words of S4: `runHook(main, "name")`, `loadHookInput`, `emitBlock`, in TypeScript as the skeleton shows it. It must block in a real session. */
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openAgentLab, PROGRAM, say, use } from "../agent/agent-lab.ts";

const skeleton = (name: string, body: string): string => `#!/usr/bin/env bun
import { emitBlock, emitContext, loadHookInput, logInfo, runHook } from "@hookloop/sdk";

function main(): void {
  const input: any = loadHookInput();
  if (!input) return;
  logInfo("${name}", "looking at " + input.hook_event_name);
${body}
}

runHook(main, "${name}");
`;
const BEFORE = skeleton(
  "no_publish",
  '  if (/npm publish/.test(input.tool_input.command)) emitBlock("Not from here", "Releases are made by the pipeline");',
);
const AFTER = skeleton("look_again", '  emitBlock("Look at the result again", "It printed something");');
const STOP = skeleton("not_yet", '  if (!input.stop_hook_active) emitBlock("Say goodbye first", "Politeness");');

test("guards written with runHook, loadHookInput and emitBlock block in a session, as .ts files started by hookloop run", async () => {
  const lab = openAgentLab();
  const command = (name: string): object => ({
    type: "command",
    command: `'${process.execPath}' '${PROGRAM}' run "$CLAUDE_PROJECT_DIR"/.claude/hooks/${name}.ts`,
  });
  lab.settings({
    hooks: {
      PreToolUse: [{ matcher: "Bash", hooks: [command("before")] }],
      PostToolUse: [{ matcher: "Bash", hooks: [command("after")] }],
      Stop: [{ hooks: [command("stop")] }],
    },
  });
  for (const [name, text] of Object.entries({ before: BEFORE, after: AFTER, stop: STOP }))
    lab.write(`project/.claude/hooks/${name}.ts`, text);
  mkdirSync(path.join(lab.project, "node_modules/@hookloop"), { recursive: true });
  symlinkSync(path.resolve("packages/sdk"), path.join(lab.project, "node_modules/@hookloop/sdk"));
  const published = use("Bash", { command: "touch published; npm publish" });
  const listed = use("Bash", { command: "echo listed" });
  const script = lab.script([[published], [listed], say("done"), say("goodbye")]);
  const args = ["-p", "go", "--script", script, "--output-format", "stream-json", "--trust-workspace", "--dangerously-skip-permissions"];
  const { exit, stdout, stderr } = await lab.run({ args });
  expect([exit, lab.read("project/published")]).toEqual([0, undefined]);
  const told = stdout
    .split("\n")
    .filter((line) => line.includes('"type":"user"'))
    .join("\n");
  expect(told).toContain("PreToolUse:Bash hook error: Not from here");
  expect(told).toContain("Releases are made by the pipeline");
  // Exit code 2 after a tool: the context stands before the reason on stderr.
  expect(told).toContain("It printed something\\nLook at the result again");
  // At Stop it begins the reason; the model was asked once more.
  expect(readFileSync(lab.stateFiles("sessions")[0] ?? "", "utf8")).toContain("Politeness\\nSay goodbye first");
  expect(stdout).toContain('"result":"goodbye"');
  expect(stderr).not.toContain("HL_");
  const log = lab.read("project/.hookloop/hook-log.jsonl") ?? "";
  expect(log).toContain('"hook":"no_publish","msg":"looking at PreToolUse"');
  expect(log).toContain('"msg":"HOOK_OUTPUT [block] 13 chars, reason=\\"Not from here\\""');
});
