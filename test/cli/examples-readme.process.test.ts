import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";

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

test("plain-python in .hookloop/hooks.json says what is not pinned once it is approved, and is changed when a module appears beside it", () => {
  const base = mkdtempSync(path.join(tmpdir(), "hookloop-python-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [project, hooks] = [path.join(base, "project"), path.join(base, "project/.claude/hooks/plain-python")];
  mkdirSync(path.join(project, ".hookloop"), { recursive: true });
  cpSync("examples/plain-python/hook.py", path.join(hooks, "hook.py"));
  cpSync("examples/plain-python/hooks.json", path.join(project, ".hookloop/hooks.json"));
  const program = path.resolve("node_modules/.bin/hookloop");
  const trust = (...args: string[]): { stdout: string; stderr: string } =>
    spawnSync(program, ["trust", ...args], {
      cwd: project,
      encoding: "utf8",
      env: { PATH: process.env["PATH"], HOME: path.join(base, "home") },
    });
  const listed = (): { id: string; state: string }[] => JSON.parse(trust("--json").stdout);
  expect(trust("approve", listed()[0]?.id ?? "").stderr).toMatch(/^Not pinned: .*hook\.py .*\(realpath\)\n$/);
  expect(listed().map(({ state }) => state)).toEqual(["definition-only"]);
  writeFileSync(path.join(hooks, "fnmatch.py"), "");
  expect(listed().map(({ state }) => state)).toEqual(["changed"]);
});
