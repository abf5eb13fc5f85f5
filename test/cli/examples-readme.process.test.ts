import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const page = readFileSync("examples/README.md", "utf8");
const setup = /^```sh\n(.*?)^```/ms.exec(page)?.[1] as string;
const commands = new Map(
  [...page.matchAll(/^\| \[([\w-]+)\].*\| `(sample .*)` \|$/gm)].map(([, name, command]) => [
    name,
    (command as string).replaceAll("\\|", "|"),
  ]),
);

const PROMISED: Readonly<Record<string, string>> = {
  "block-force-push": "A force push to main is not allowed",
  "keep-secrets-out": "GitLab token",
  "s4-style": "private key",
  "plain-sh": "Lockfiles are not edited by hand",
  "plain-python": ".env holds secrets",
  "git-state-at-start": "Git state when the session started",
};

test("every example has a line to try it", () => {
  expect(commands.size).toBe(9);
});

test.each(Object.keys(PROMISED))("the line to try %s shows what its row promises", (name) => {
  const { stdout, stderr } = spawnSync("bash", ["-c", `${setup}${commands.get(name)}`], {
    encoding: "utf8",
    env: { ...process.env, HOOK_LOG_DISABLE: "1" },
  });
  expect(stdout + stderr).toContain(PROMISED[name]);
  expect(stdout + stderr).not.toContain("HL_SDK_");
});
