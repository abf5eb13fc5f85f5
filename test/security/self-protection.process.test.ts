/** What guards the agent is not changed by a program in a way that nobody has listed: without a person to ask, the call is refused. */
import { describe, expect, test } from "vitest";
import { openAgentLab, say, use } from "../agent/agent-lab.ts";

describe("a headless run refuses", () => {
  test.each([
    ["a command of sed's own language", "sed -n 'w.envrc' a.txt"],
    ["a flag of a substitution", "sed 's/one/two/w .envrc' a.txt"],
    ["a script on the input", "sed -n -f - a.txt <<'EOF'\nw .envrc\nEOF"],
    ["an option of a program that nobody knows", "./tool --out=.envrc"],
    ["an attached option", "./tool -o.envrc"],
    ["a text for a program that nobody knows", "./tool '.output .envrc'"],
    ["a text on its input", "echo '.output .envrc' | ./tool"],
    ["an argument of a script", "sh tool .envrc"],
    ["code of another language", 'node -e \'require("fs").appendFileSync(".envrc", "x")\''],
    ["a variable", "GIT_TRACE=$PWD/.envrc git status"],
    ["awk", 'awk \'BEGIN { print "x" > ".envrc" }\''],
  ])("%s", async (_, command) => {
    const lab = openAgentLab();
    lab.write("project/a.txt", "one\n");
    // Writes to whatever it is told to.
    lab.write(
      "project/tool",
      `#!/bin/sh\nfor word in "$@" $(cat 2>/dev/null </dev/stdin); do case "$word" in *.envrc) : > .envrc;; esac; done\n`,
    );
    const script = lab.script([[use("Bash", { command })], say("done")]);
    const { exit, stderr } = await lab.run({ args: ["-p", "go", "--script", script, "--allowedTools", "Bash"] });
    expect([exit, lab.read("project/.envrc")]).toEqual([0, undefined]);
    expect(stderr).toContain(".envrc");
  });

  test("what is done to the agent itself, and goes on", async () => {
    const lab = openAgentLab();
    lab.write("project/.claude/settings.json", "{}");
    lab.write("project/empty/x", "");
    const commands = [
      "kill -STOP $PPID",
      "prlimit --pid $PPID --nofile=3",
      "p=$PPID; kill -9 $p",
      "mount --bind empty .claude",
      "chmod 000 .claude",
    ];
    const script = lab.script([...commands.map((command) => [use("Bash", { command })]), say("done")]);
    const { exit, stdout, stderr } = await lab.run({ args: ["-p", "go", "--script", script, "--allowedTools", "Bash"] });
    expect([exit, stdout, lab.read("project/.claude/settings.json")]).toEqual([0, "done\n", "{}"]);
    expect(stderr.match(/running agent/g)?.length).toBeGreaterThanOrEqual(3);
  });
});
