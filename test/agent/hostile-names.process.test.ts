import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { openAgentLab, PROGRAM, say } from "./agent-lab.ts";

/** Clears the line above, and turns the direction of what follows. */
const TRICK = "\u001b[2K\u001b[1A\u202eevil\u2066\u200b";
/** What a terminal obeys, or hides. */
const OBEYED = /(?![\n\t])\p{C}/u;

test("names that a project brings are spelled out on stderr: definitions, rules, hooks", async () => {
  const lab = openAgentLab();
  lab.write(`project/.claude/skills/s${TRICK}/SKILL.md`, "---\nmodel: sonnet\nhooks: [\n---\n");
  lab.settings({
    permissions: { allow: [`Ba${TRICK}(x)`], deny: [`Bash(${TRICK})`] },
    hooks: { Stop: [{ hooks: [{ type: "command", command: `echo ${TRICK}`, name: `n${TRICK}` }] }] },
  });
  const { exit, stderr } = await lab.run({ args: ["-p", "go", "--script", lab.script([say("done")])] });
  expect(exit).toBe(0);
  expect(stderr).toContain("HL_AGENT_DEFINITION");
  expect(stderr).toContain("\\u001b[2K");
  expect(stderr).not.toMatch(OBEYED);
});

test("a suggestion of the command line spells out the name it suggests", async () => {
  const lab = openAgentLab();
  lab.settings({ hooks: { Stop: [{ hooks: [{ type: "command", command: "true", name: `name${TRICK}` }] }] } });
  const env = { PATH: process.env["PATH"] ?? "", HOME: lab.home };
  const asked = promisify(execFile)(process.execPath, [PROGRAM, "trust", "approve", `name${TRICK}x`], { cwd: lab.project, env });
  const { stderr } = await asked.then(
    () => ({ stderr: "" }),
    (failed: { readonly stderr: string }) => failed,
  );
  expect(stderr).toContain("HL_CLI_UNKNOWN_HOOK");
  expect(stderr).not.toMatch(OBEYED);
});
