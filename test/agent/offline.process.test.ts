import { expect, test } from "vitest";
import { openAgentLab } from "./agent-lab.ts";

const SENTENCES: readonly (readonly [string, RegExp])[] = [
  ["run pwd", /`pwd` printed:\n\//],
  ["run ls -la", /README\.md/],
  ["read the file README.md", /README\.md says:\n1\t# Sample TODO/],
  ["create a file called test.txt", /I created test\.txt\./],
  ["create notes/hello.ts and print the file content", /notes\/hello\.ts is empty/],
  ["summarise this workspace in one sentence", /This workspace has 1 file \(md\)\.\n\nREADME\.md is titled "Sample TODO"\./],
  ["search for TODO", /README\.md:1:# Sample TODO/],
];

test.each(SENTENCES)('without a key, "%s" does what it says', async (sentence, answer) => {
  const lab = openAgentLab();
  lab.write("project/README.md", "# Sample TODO\n");
  const { stdout, stderr, exit } = await lab.play({ args: ["-p", sentence, "--allowedTools", "Bash,Write,Read"] });
  expect(exit).toBe(0);
  expect(stdout).toMatch(answer);
  expect(stderr).toMatch(/^No key is set, so the offline model answers: .*\n$/);
});

test("that the offline model answers is no part of JSON, and said as well to those who asked for it by name", async () => {
  const lab = openAgentLab();
  const json = await lab.play({ args: ["-p", "run pwd", "--allowedTools", "Bash", "--output-format", "json"] });
  expect(JSON.parse(json.stdout)).toMatchObject({ result: expect.stringContaining("printed") });
  expect(json.stderr).toContain("offline model answers");
  const named = await lab.play({ args: ["-p", "run pwd", "--allowedTools", "Bash", "--model", "offline"] });
  expect(named.stderr).toBe("The offline model answers: it knows plain sentences, not code.\n");
});

test("deleting all temporary files in /tmp is stopped and asked about, also where Bash is allowed", async () => {
  const lab = openAgentLab();
  const { stdout, exit } = await lab.play({ args: ["-p", "delete all temporary files in /tmp", "--allowedTools", "Bash"] });
  expect(exit).toBe(0);
  expect(stdout).toMatch(
    /I could not delete all temporary files in \/tmp: There is no user to ask here: workspace-boundary: it would delete \/tmp/,
  );
});

test("a call without a user to ask names the flag that allows it", async () => {
  const lab = openAgentLab();
  const shell = await lab.play({ args: ["-p", "run npm test"] });
  expect(shell.stdout).toContain('To allow it, start with --allowedTools "Bash(npm test)".');
  const quoted = await lab.play({ args: ["-p", 'run npm run x "a b"'] });
  expect(quoted.stdout).toContain(`start with --allowedTools 'Bash(npm run x "a b")'.`);
  const file = await lab.play({ args: ["-p", "create a.txt with the text hi"] });
  expect(file.stdout).toContain("To allow it, start with --permission-mode acceptEdits.");
});

test("a command in the background that still runs is named when the session ends it; one that has ended is not", async () => {
  const lab = openAgentLab();
  const run = (command: string): ReturnType<typeof lab.play> =>
    lab.play({ args: ["-p", `run ${command} in the background and then run sleep 1`, "--allowedTools", "Bash"] });
  const still = await run("sleep 60");
  expect(still.stdout).toContain("I started `sleep 60` in the background; it ends with the session. It runs in the background as shell_1.");
  expect(still.stderr).toContain("The background command shell_1 (sleep 60) still ran, and was ended with the session.\n");
  expect((await run("true")).stderr).not.toContain("background");
});

test("a command that wanted the network and got none is told so", async () => {
  const lab = openAgentLab();
  const { stdout } = await lab.play({
    args: ["-p", "npm install lodash", "--allowedTools", "Bash"],
    env: { npm_config_registry: "http://127.0.0.1:9/", npm_config_fetch_retries: "0" },
  });
  expect(stdout).toContain("`npm install lodash` failed (exit code 1):");
  expect(stdout).toContain("It wanted the network, and there is none here, or the server does not answer.");
});
