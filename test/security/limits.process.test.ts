/** Tiny limits of the system: a word and a cure, never a stack; and what a guard forbids does not happen. */
import { chmodSync, existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type AgentLab, openAgentLab, say, use } from "../agent/agent-lab.ts";

const STACK = /^\s+at .*(?:\(|:\d+)/m;
const DENY = "#!/bin/sh\necho 'not this' >&2\nexit 2\n";

function guarded(): { readonly lab: AgentLab; readonly args: readonly string[]; readonly forbidden: string } {
  const lab = openAgentLab();
  const script = lab.write("project/deny.sh", DENY);
  const hook = { type: "command", command: script, guard: true };
  lab.write("project/.hookloop/hooks.json", { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [hook] }] } });
  const answers = lab.script([
    [use("Bash", { command: "touch forbidden" })],
    [use("Write", { file_path: "written.txt", content: "x" })],
    say("done"),
  ]);
  const args = ["-p", "go", "--trust-workspace", "--allowedTools", "Bash,Write", "--script", answers];
  return { lab, args, forbidden: path.join(lab.project, "forbidden") };
}

/** Under 20 Node itself cannot start. */
const OPEN_FILES = Array.from({ length: 25 }, (_, at) => 20 + at);

describe("open files", () => {
  test.each(OPEN_FILES)("%i: no stack, and the guard holds", async (limit) => {
    const { lab, args, forbidden } = guarded();
    const before = ["bash", "-c", `ulimit -n ${limit}; exec "$@"`, "bash"];
    const { exit, stderr } = await lab.run({ args, before });
    expect(stderr).not.toMatch(STACK);
    expect([0, 1]).toContain(exit);
    if (exit === 1) expect(stderr).toMatch(/HL_\w+: .*(?:EMFILE|ulimit)/);
    expect(existsSync(forbidden), stderr).toBe(false);
  });
});

/** How many processes the user has already is not ours to say: some of these are too few for Node, some for a hook, some enough. */
describe("processes", () => {
  test.each([6, 8, 9, 10, 11, 12, 13, 14, 16])("%i of an unprivileged user: no stack, and the guard holds", async (limit) => {
    const { lab, args, forbidden } = guarded();
    const isRoot = process.getuid?.() === 0;
    for (const place of [lab.base, lab.project, lab.home, path.join(lab.base, "tmp")]) chmodSync(place, 0o777);
    const user = isRoot ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : "";
    const { stderr } = await lab.run({
      args,
      before: ["bash", "-c", `exec ${user} bash -c 'ulimit -u ${limit}; exec "$@"' bash "$@"`, "bash"],
    });
    expect(stderr).not.toMatch(STACK);
    expect(existsSync(forbidden), stderr).toBe(false);
  });
});

test("28 open files are said with a cure", async () => {
  const { lab, args } = guarded();
  const { exit, stderr } = await lab.run({ args, before: ["bash", "-c", 'ulimit -n 28; exec "$@"', "bash"] });
  expect({ exit, stderr }).toEqual({ exit: 1, stderr: expect.stringMatching(/^HL_CLI_NO_RESOURCES: .*EMFILE.*ulimit -n 1024\.\n$/) });
});

test("the signal that opens Node's debugger opens none in an agent", async () => {
  const lab = openAgentLab();
  const answers = lab.script([[use("Bash", { command: "kill -USR1 $PPID; sleep 0.5; echo still here" })], say("done")]);
  const { exit, stderr } = await lab.run({ args: ["-p", "go", "--allowedTools", "Bash", "--script", answers] });
  expect([exit, stderr]).toEqual([0, expect.not.stringContaining("Debugger")]);
});
