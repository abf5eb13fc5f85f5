import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";

const base = mkdtempSync(path.join(tmpdir(), "hookloop-cli-warm-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

function write(name: string, content: unknown): string {
  const file = path.join(base, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

const LOGS = (name: string): string => `import { appendFileSync, readFileSync } from "node:fs";
const { cwd } = JSON.parse(readFileSync(0, "utf8"));
appendFileSync(cwd + "/${name}.log", process.pid + "\\n");
`;
const commandOf = (name: string): string => `node "$HOOKLOOP_PROJECT_DIR/hooks/${name}.mjs"`;

write("project/.hookloop/hooks.json", {
  plugins: ["@team/hookpack"],
  hooks: {
    PreToolUse: [
      {
        matcher: "Bash",
        hooks: [
          { type: "module", path: "../hooks/guard.ts", guard: true },
          { type: "module", path: "../hooks/own.ts", isolation: "process" },
          { type: "command", command: commandOf("sdk"), warm: true },
          { type: "command", command: commandOf("plain"), warm: true },
        ],
      },
    ],
  },
});
write(
  "project/hooks/guard.ts",
  `import { deny, hook } from "@hookloop/sdk";
let calls: number = 0;
export const guard = hook("PreToolUse", { tool: "Bash", guard: true }, ({ tool_input }) => {
  calls++;
  return tool_input.command.startsWith("rm") ? deny("no, at call " + calls) : undefined;
});
`,
);
const MODULE_LOG = (name: string): string => `import { appendFileSync } from "node:fs";
export default ({ cwd }: { cwd: string }): void => appendFileSync(cwd + "/${name}.log", process.pid + "\\n");
`;
write("project/hooks/own.ts", MODULE_LOG("own"));
write(
  "project/hooks/sdk.mjs",
  `import { appendFileSync } from "node:fs";
import { hook } from "@hookloop/sdk";
hook("PreToolUse", ({ cwd }) => appendFileSync(cwd + "/sdk.log", process.pid + "\\n"));
`,
);
write("project/hooks/plain.mjs", LOGS("plain"));
write("project/node_modules/@team/hookpack/package.json", { name: "@team/hookpack", type: "module", hookloop: { hooks: "./hooks.json" } });
write("project/node_modules/@team/hookpack/hooks.json", { hooks: { PreToolUse: [{ hooks: [{ type: "module", path: "./log.ts" }] }] } });
write("project/node_modules/@team/hookpack/log.ts", MODULE_LOG("pack"));

const call = (id: string, command: string): readonly object[] => [{ type: "tool_use", id, name: "Bash", input: { command } }];
const script = write("script.json", { turns: [call("t1", "true"), call("t2", "rm -f kept"), call("t3", "true")] });

function play(...flags: readonly string[]): { stdout: string; stderr: string; pids: (name: string) => readonly string[] } {
  const home = path.join(base, "home");
  const cwd = path.join(base, "project");
  for (const name of ["own", "sdk", "plain", "pack"]) rmSync(path.join(cwd, `${name}.log`), { force: true });
  const args = ["agent", "-p", "go", "--script", script, "--output-format", "stream-json", "--allowedTools", "Bash", ...flags];
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    XDG_STATE_HOME: path.join(base, "state"),
    XDG_CONFIG_HOME: path.join(home, ".config"),
  };
  const { stdout, stderr } = spawnSync(path.resolve("node_modules/.bin/hookloop"), args, { cwd, env, encoding: "utf8", input: "" });
  const pids = (name: string): readonly string[] => {
    const file = path.join(cwd, `${name}.log`);
    return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  };
  return { stdout, stderr, pids };
}

test("the installed command runs modules, warm scripts of both kinds and packs, and leaves none of them behind", () => {
  const { stdout, stderr, pids } = play("--trust-workspace");
  expect(stderr).toBe("");
  expect(stdout).toContain("no, at call 2");
  const kept = ["own", "sdk"].map((name) => new Set(pids(name)).size);
  expect([pids("own").length, pids("sdk").length, pids("plain").length, pids("pack").length]).toEqual([3, 3, 3, 3]);
  expect(kept).toEqual([1, 1]);
  expect(new Set(pids("plain")).size).toBe(3);
  const alive = ["own", "sdk", "plain"].flatMap(pids).filter((pid) => existsSync(`/proc/${pid}`));
  expect(alive).toEqual([]);
});

test("without a word of trust none of them runs, and each is named", () => {
  const { stdout, stderr, pids } = play();
  expect(stdout).not.toContain("no, at call");
  expect(["own", "sdk", "plain", "pack"].flatMap(pids)).toEqual([]);
  expect(stderr.match(/HL_ADMIT_UNTRUSTED/g)).toHaveLength(5);
});
