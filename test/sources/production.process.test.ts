/** A guard of the production engine, in settings and as a script, as its source writes it: in a real session, and by the source's functions. */
import { chmodSync, existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { executePreToolHooks, getPreToolHookBlockingMessage, useHooks } from "../../packages/hookloop/src/compat/production.ts";
import { lines, openAgentLab, say, use } from "../agent/agent-lab.ts";
import { openProject } from "../engine/open-project.ts";

const SETTINGS = { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: ".claude/hooks/lint.sh" }] }] } };
const LINT = `#!/bin/sh
input=$(cat)
case "$input" in
  *"rm "*) echo "rm is not allowed here" >&2; exit 2 ;;
esac
exit 0
`;

test("exit code 2 of the script in the settings blocks the agent's call, and lets others run", async () => {
  const lab = openAgentLab();
  lab.settings(SETTINGS);
  chmodSync(lab.write("project/.claude/hooks/lint.sh", LINT), 0o755);
  lab.write("project/kept.txt", "kept");
  const script = lab.script([[use("Bash", { command: "rm kept.txt" })], [use("Bash", { command: "echo fine > made.txt" })], say("done")]);
  const { stdout } = await lab.play({
    args: ["-p", "go", "--script", script, "--trust-workspace", "--allowedTools", "Bash", "--output-format", "stream-json"],
  });
  expect(stdout).toContain("PreToolUse:Bash hook error: rm is not allowed here");
  expect([existsSync(path.join(lab.project, "kept.txt")), existsSync(path.join(lab.project, "made.txt"))]).toEqual([true, true]);
});

test("the source's functions yield its no as it comes, and format it", async () => {
  const project = openProject({ project: SETTINGS });
  chmodSync(project.write("project/.claude/hooks/lint.sh", LINT), 0o755);
  const hooks = useHooks(await project.open());
  const texts: string[] = [];
  for (const command of ["rm x", "ls"])
    for await (const { blockingError } of executePreToolHooks("Bash", "toolu_1", { command }, {}, "default"))
      if (blockingError) texts.push(getPreToolHookBlockingMessage("PreToolUse:Bash", blockingError));
  await hooks.close();
  expect(texts).toEqual([expect.stringMatching(/^PreToolUse:Bash hook error: .*rm is not allowed here$/)]);
});

test("the files that a session changed are noted in its transcript, and no hook event is made of it", async () => {
  const lab = openAgentLab();
  const script = lab.script([[use("Write", { file_path: "made.txt", content: "x" })], say("done")]);
  const args = ["-p", "go", "--script", script, "--allowedTools", "Write", "--output-format", "stream-json", "--include-hook-events"];
  const { stdout } = await lab.play({ args });
  const transcript = lab.stateFiles("sessions").flatMap((file) => lines(readFileSync(file, "utf8")));
  expect(transcript.filter(({ subtype }) => subtype === "file_access")).toMatchObject([
    { type: "system", changed: [path.join(lab.project, "made.txt")], sessionFiles: [] },
  ]);
  expect(stdout).not.toContain("attribution");
});
