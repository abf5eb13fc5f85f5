import { expect, test } from "vitest";
import { openAgentLab, say, use } from "./agent-lab.ts";

const TOKEN = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
const ARGS = ["--permission-mode", "bypassPermissions", "--output-format", "stream-json", "-p", "go", "--script"];

/** What the model was given for each call. */
function results(stdout: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const line of stdout.split("\n").filter((one) => one.startsWith("{"))) {
    const { type, message } = JSON.parse(line);
    for (const block of type === "user" && Array.isArray(message?.content) ? message.content : [])
      if (block.type === "tool_result") found[block.tool_use_id] = JSON.stringify(block.content);
  }
  return found;
}

test("the guards that a file names judge the calls of a real session, by whatever tool they come", async () => {
  const lab = openAgentLab();
  lab.write("project/.hookloop/hooks.json", { use: ["protect-branches", "permission", { name: "secret-guard", redact: true }] });
  lab.write("project/.env", "KEY=1\n");
  lab.write("project/log.txt", `start\nTOKEN=${TOKEN}\nend\n`);
  lab.write("project/.git/HEAD", "ref: refs/heads/main\n");
  lab.write("project/.git/refs/heads/main", "0".repeat(40));
  const calls = [
    use("Bash", { command: "git push origin HEAD:main" }, "push"),
    use("Bash", { command: "python3 -c \"print(open('.env').read())\"" }, "shell"),
    use("Read", { file_path: `${lab.project}/.env` }, "read"),
    use("Write", { file_path: `${lab.project}/a.txt`, content: TOKEN }, "write"),
    use("Bash", { command: "sudo ls" }, "sudo"),
    use("Bash", { command: "cat log.txt" }, "output"),
    use("Bash", { command: "cat log.txt; exit 3" }, "failed"),
    use("Bash", { command: "echo fine" }, "fine"),
  ];
  const { stdout } = await lab.run({ args: [...ARGS, lab.script([...calls.map((one) => [one]), say("done")])] });
  const given = results(stdout);
  expect(given["push"]).toContain("protect-branches: it would push to main");
  expect(given["shell"]).toContain("secret-guard: it would read");
  expect(given["read"]).toContain("secret-guard: it would read");
  expect(given["write"]).toContain("secret-guard: it would write what looks like a secret");
  expect(given["sudo"]).toContain("Permission denied by deny list");
  expect(given["output"]).toContain("TOKEN=[redacted]");
  expect(given["failed"]).toBeDefined();
  expect(given["fine"]).toContain("fine");
  expect(Object.values(given).join("\n")).not.toContain(TOKEN);
  expect(lab.read("project/a.txt")).toBeUndefined();
});

test("each is switched off by its name, also by the one that the source has", async () => {
  const lab = openAgentLab();
  lab.write("project/.hookloop/hooks.json", { use: ["permission", "protect-branches"] });
  const script = lab.script([[use("Bash", { command: "echo shutdown" }, "list")], say("done")]);
  const off = await lab.run({ args: [...ARGS, script], env: { CLAUDE_CODE_DISABLE_HOOKS: "permission,protect_branches" } });
  expect(results(off.stdout)["list"]).toContain("shutdown");
  expect(off.stderr).not.toContain("HL_ADMIT_UNKNOWN_NAME");
  const on = await lab.run({ args: [...ARGS, script] });
  expect(results(on.stdout)["list"]).toContain("Permission denied by deny list");
});
