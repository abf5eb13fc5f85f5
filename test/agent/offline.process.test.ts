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

test("that the offline model answers is no part of JSON, and not said to those who asked for it by name", async () => {
  const lab = openAgentLab();
  const json = await lab.play({ args: ["-p", "run pwd", "--allowedTools", "Bash", "--output-format", "json"] });
  expect(JSON.parse(json.stdout)).toMatchObject({ result: expect.stringContaining("printed") });
  expect(json.stderr).toContain("offline model answers");
  const named = await lab.play({ args: ["-p", "run pwd", "--allowedTools", "Bash", "--model", "offline"] });
  expect(named.stderr).toBe("");
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
