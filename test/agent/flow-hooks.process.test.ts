/** The shipped hooks of the flow in real sessions: switched on by name in a native file. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { type AgentLab, type Block, type Ended, openAgentLab, say, use } from "./agent-lab.ts";
import { hasTmux, openRoom } from "./open-terminal.ts";

type Used = string | { readonly name: string; readonly [option: string]: unknown };

function labWith(use: readonly Used[], place = "project/.hookloop/hooks.json"): AgentLab {
  const lab = openAgentLab();
  lab.write(place, { use });
  return lab;
}

async function play(lab: AgentLab, turns: readonly (readonly Block[])[], ...args: readonly string[]): Promise<Ended> {
  const script = lab.script(turns, "a short summary");
  return await lab.run({ args: ["-p", "go", "--script", script, "--allowedTools", "Write,Bash", "--trust-workspace", ...args] });
}

const transcript = (lab: AgentLab): string =>
  lab
    .stateFiles("sessions")
    .map((file) => readFileSync(file, "utf8"))
    .join("");

const PRETTIER = "#!/bin/sh\ntr a-z A-Z\n";

test("format-on-edit formats what the offline model writes, by a file tool and by the shell, and tells the model", async () => {
  const lab = labWith(["format-on-edit"]);
  lab.write("project/.prettierrc", "{}");
  lab.write("project/node_modules/.bin/prettier", PRETTIER);
  const { exit } = await lab.run({
    args: ["-p", "create a file called a.ts with hello", "--model", "offline", "--allowedTools", "Write", "--trust-workspace"],
  });
  expect([exit, lab.read("project/a.ts")?.trim()]).toEqual([0, "HELLO"]);
  expect(transcript(lab)).toContain("format-on-edit: prettier has changed a.ts");
  await lab.run({
    args: ["-p", "run echo hi > b.ts", "--model", "offline", "--allowedTools", "Bash", "--trust-workspace"],
    env: { HOOKLOOP_DISABLE: "safety" },
  });
  expect(lab.read("project/b.ts")).toBe("HI\n");
});

test.each(["project/.hookloop/hooks.json", "home/.config/hookloop/hooks.json"])(
  "code of the project runs only in a trusted workspace: %s",
  async (file) => {
    const lab = labWith(["format-on-edit", { name: "test-before-stop", command: "touch ran" }], file);
    lab.write("project/.prettierrc", "{}");
    lab.write("project/node_modules/.bin/prettier", PRETTIER);
    const args = ["-p", "create a file called a.ts with hello", "--model", "offline", "--allowedTools", "Write"];
    const { stderr } = await lab.run({ args });
    expect(lab.read("project/a.ts")?.trim()).toBe("hello");
    expect(lab.read("project/ran")).toBeUndefined();
    for (const name of ["format-on-edit", "test-before-stop"])
      expect(stderr).toMatch(
        new RegExp(`HL_ADMIT_UNTRUSTED: "${name}" in "use" of .* is not switched on: it runs code of the project\\. `),
      );
  },
);

test("test-before-stop has the agent continue until the tests pass, and is bounded by the stop cap", async () => {
  const lab = labWith([{ name: "test-before-stop", command: "grep right answer.txt || { echo 'wrong answer' >&2; exit 1; }" }]);
  const write = (content: string): readonly Block[] => [use("Write", { file_path: path.join(lab.project, "answer.txt"), content })];
  const { exit, stdout } = await play(lab, [write("wrong"), say("done"), write("right"), say("fixed")]);
  expect([exit, stdout.trim()]).toEqual([0, "fixed"]);
  expect(transcript(lab)).toMatch(/the tests failed \(exit code 1\)[^"]*wrong answer/);
  const again = labWith([{ name: "test-before-stop", command: "echo run >> runs; exit 1" }]);
  const turns = [
    [use("Write", { file_path: path.join(again.project, "x"), content: "x" })],
    ...Array.from({ length: 30 }, () => say("done")),
  ];
  const capped = await play(again, turns);
  expect(capped.stderr).toContain("HL_LOOP_STOP_CAP");
  expect(again.read("project/runs")?.trim().split("\n").length).toBeLessThanOrEqual(10);
});

test("git-context tells the model where the work tree stands", async () => {
  const lab = labWith(["git-context"]);
  execFileSync("git", ["init", "-q", "-b", "topic"], { cwd: lab.project, env: { PATH: process.env["PATH"], HOME: lab.home } });
  lab.write("project/new.txt", "x");
  await lab.run({ args: ["-p", "hello", "--model", "offline"] });
  expect(transcript(lab)).toMatch(
    /git, as the session starts .*Branch: \(no commits yet\) topic\\nNot committed: 2 files\\n {2}\?\? \.hookloop\/\\n {2}\?\? new\.txt/,
  );
});

test("auto-compact: the notice after a tool, the tool's result at once, and the next request has the summary", async () => {
  const lab = labWith([{ name: "auto-compact", threshold: 1000 }]);
  const { exit, stderr, stdout } = await play(lab, [[use("Bash", { command: "seq 1 3000" })], say("counted")]);
  expect([exit, stdout.trim()]).toEqual([0, "counted"]);
  expect(stderr).toMatch(/Compacting conversation\.\.\.\n(?:.*\n)*The conversation was compacted: a summary replaces 3 messages\./);
  const written = transcript(lab);
  expect(written.indexOf('"tool_result"')).toBeGreaterThan(0);
  expect(written.indexOf('"compact_boundary"')).toBeGreaterThan(written.indexOf('"tool_result"'));
  expect(written).toContain("a short summary");
});

test("hooks off by the other system's name", async () => {
  const lab = labWith([{ name: "auto-compact", threshold: 1 }, "git-context"]);
  const args = ["-p", "run ls", "--model", "offline", "--allowedTools", "Bash"];
  const { stderr } = await lab.run({ args, env: { CLAUDE_CODE_DISABLE_HOOKS: "auto_compact,git_context" } });
  expect(stderr).not.toContain("Compacting");
});

test.skipIf(!hasTmux)("in a terminal the notice stands in the status line for three seconds, and then the status again", async () => {
  const room = openRoom();
  room.write(".hookloop/hooks.json", { use: [{ name: "auto-compact", threshold: 1 }] });
  const terminal = await room.start({ columns: 100, rows: 50, args: ["--allowedTools", "Bash"] });
  const status = terminal.screen().split("\n").at(-1) ?? "";
  terminal.say("run ls");
  await terminal.shows(/Compacting conversation\.\.\.$/);
  const shownAt = performance.now();
  while (terminal.screen().includes("Compacting conversation...")) await sleep(100);
  expect(performance.now() - shownAt).toBeGreaterThan(2000);
  expect(performance.now() - shownAt).toBeLessThan(8000);
  expect(terminal.screen().split("\n").at(-1)).toBe(status);
  terminal.say("/exit");
  await terminal.shows("[left with 0]");
});
