import { expect, test } from "vitest";
import { openAgentLab } from "./agent-lab.ts";

const SENTENCES: readonly (readonly [string, RegExp])[] = [
  ["run pwd", /`pwd` printed:\n\//],
  ["run ls -la", /README\.md/],
  ["read the file README.md", /README\.md says:\n1\t# Sample TODO/],
  ["create a file called test.txt", /I created test\.txt\./],
  ["create notes/hello.ts and print the file content", /notes\/hello\.ts says:\n1\tconsole\.log/],
  ["summarise this workspace in one sentence", /This workspace has 1 file \(md\)\.\n\nREADME\.md is titled "Sample TODO"\./],
  ["search for TODO", /README\.md:1:# Sample TODO/],
];

test.each(SENTENCES)('without a key, "%s" does what it says', async (sentence, answer) => {
  const lab = openAgentLab();
  lab.write("project/README.md", "# Sample TODO\n");
  const { stdout, exit } = await lab.run({ args: ["-p", sentence, "--allowedTools", "Bash,Write,Read"] });
  expect(exit).toBe(0);
  expect(stdout).toMatch(answer);
});

test("deleting all temporary files in /tmp is stopped and asked about, also where Bash is allowed", async () => {
  const lab = openAgentLab();
  const { stdout, exit } = await lab.run({ args: ["-p", "delete all temporary files in /tmp", "--allowedTools", "Bash"] });
  expect(exit).toBe(0);
  expect(stdout).toMatch(
    /I could not delete all temporary files in \/tmp: Nobody can be asked here: workspace-boundary: it would delete \/tmp/,
  );
});
