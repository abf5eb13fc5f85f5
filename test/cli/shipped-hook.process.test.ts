import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SHIPPED_NAMES } from "../../packages/hookloop/src/catalogue/index.ts";
import { openHooks } from "../../packages/hookloop/src/open.ts";

const COMMAND = path.resolve("packages/hookloop/bin/hookloop.js");
const TOKEN = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";

let base = "";
const cwd = (): string => path.join(base, "project");
beforeAll(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), "hookloop-hook-")));
  mkdirSync(path.join(base, "home"));
  mkdirSync(path.join(cwd(), ".claude"), { recursive: true });
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Ended {
  readonly status: number | null;
  readonly answer: { readonly hookSpecificOutput?: Readonly<Record<string, unknown>>; readonly [field: string]: unknown } | undefined;
  readonly stderr: string;
}

function hook(words: readonly string[], input: string | object, env: object = {}): Ended {
  const text = typeof input === "string" ? input : JSON.stringify({ session_id: "s", cwd: cwd(), tool_use_id: "t", ...input });
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, "hook", ...words], {
    input: text,
    encoding: "utf8",
    timeout: 30_000,
    env: { PATH: process.env["PATH"], HOME: path.join(base, "home"), ...env },
  });
  return { status, answer: stdout === "" ? undefined : JSON.parse(stdout), stderr };
}

const bash = (command: string): object => ({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command } });

describe("hookloop hook", () => {
  test.each([
    [["safety"], "rm -rf /", "deny", "safety: it deletes"],
    [["safety"], "sudo ls", "ask", "safety: "],
    [["safety", "--profile", "strict"], "sudo ls", "deny", "safety: "],
    [["secret-guard"], "cat .env", "deny", "usually holds secrets"],
    [["protect-branches"], "git push origin main", "deny", "push to main"],
    [["protect-branches", "--branches", "next", "--branches=release/*"], "git push origin release/1", "deny", "push to release/1"],
    [["permission"], "sudo ls", "deny", "Permission denied by deny list"],
    [["workspace-boundary"], "echo x > ../x", "ask", "outside the workspace"],
  ])("%j answers %s with %s", (words, command, decision, reason) => {
    const { status, answer, stderr } = hook(words, bash(command));
    expect([status, stderr]).toEqual([0, ""]);
    expect(answer?.hookSpecificOutput).toMatchObject({ hookEventName: "PreToolUse", permissionDecision: decision });
    expect(answer?.hookSpecificOutput?.["permissionDecisionReason"]).toContain(reason);
  });

  test("says nothing of a harmless call", () => {
    expect(hook(["safety"], bash("ls"))).toEqual({ status: 0, answer: undefined, stderr: "" });
  });

  test("takes secrets out of what a tool gave", () => {
    const event = { hook_event_name: "PostToolUse", tool_name: "Bash", tool_input: { command: "env" } };
    const tool_response = { stdout: `T=${TOKEN}`, stderr: "", interrupted: false, isImage: false };
    const { answer } = hook(["secret-guard", "--redact"], { ...event, tool_response });
    expect(answer?.hookSpecificOutput).toEqual({
      hookEventName: "PostToolUse",
      updatedToolOutput: { ...tool_response, stdout: "T=[redacted]" },
    });
  });

  test.each([["safty"], ["safety", "--profle", "strict"], ["safety", "--profile", "strikt"]])(
    "wrong usage is no allow, and no exit code 2: %s %s %s",
    (...words) => {
      const { status, answer } = hook(words, bash("ls"));
      expect(status).toBe(0);
      expect(answer?.hookSpecificOutput).toMatchObject({ permissionDecision: "deny" });
      expect(answer?.hookSpecificOutput?.["permissionDecisionReason"]).toContain("Did you mean");
    },
  );

  test.each([
    ["no JSON", "{x"],
    ["nothing", ""],
    ["a list", "[]"],
    ["no event", "{}"],
    ["an unknown event", '{"hook_event_name":"PreTolUse"}'],
  ])("a guard that is given %s blocks with a reason", (_, input) => {
    const { status, answer, stderr } = hook(["safety"], input);
    expect([status, answer]).toEqual([2, undefined]);
    expect(stderr).toMatch(/^safety cannot judge: .+/);
  });

  test("without a name, or with a wrong one and no event, the exit code is 1", () => {
    expect(hook([], "")).toMatchObject({ status: 1, stderr: expect.stringContaining("There are: safety") });
    expect(hook(["safty"], "")).toMatchObject({ status: 1, stderr: expect.stringContaining('Did you mean "safety"?') });
  });

  test("at an event that is not its own it has nothing to do, and says so", () => {
    const { status, stderr } = hook(["safety"], { hook_event_name: "Stop", stop_hook_active: false });
    expect([status, stderr]).toEqual([1, "safety has nothing to do at Stop: see `hookloop hook --help`.\n"]);
  });

  test("a list of hooks that are off reaches it by the name of the source", () => {
    const { status, answer, stderr } = hook(["safety"], bash("rm -rf /"), { CLAUDE_CODE_DISABLE_HOOKS: "safety_checks" });
    expect([status, answer]).toEqual([0, undefined]);
    expect(stderr).toContain("safety");
  });
});

test("a settings file that names one judges as the hook itself does", async () => {
  const bin = path.join(base, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(path.join(bin, "hookloop"), `#!/bin/sh\nexec "${process.execPath}" "${COMMAND}" "$@"\n`, { mode: 0o755 });
  const entry = { matcher: "Bash", hooks: [{ type: "command", command: "hookloop hook safety" }] };
  writeFileSync(path.join(cwd(), ".claude/settings.json"), JSON.stringify({ hooks: { PreToolUse: [entry] } }));
  const env = { PATH: `${bin}:${process.env["PATH"]}`, HOME: path.join(base, "home") };
  const hooks = await openHooks({ cwd: cwd(), trust: "implicit", ports: { env, home: path.join(base, "home") } });
  const fire = async (command: string): Promise<string> =>
    (await hooks.fire("PreToolUse", { tool_name: "Bash", tool_input: { command }, tool_use_id: "t" })).decision;
  expect([await fire("rm -rf /"), await fire("sudo ls"), await fire("ls")]).toEqual(["deny", "ask", "none"]);
  await hooks.close();
});

test("a program that imports the package as it is shipped can switch every one on", () => {
  const project = path.join(base, "program");
  mkdirSync(project);
  const program = `import { openHooks } from "hookloop";
    const call = { tool_name: "Bash", tool_input: { command: "cat .env" }, tool_use_id: "t" };
    for (const name of ${JSON.stringify(SHIPPED_NAMES)}) {
      const hooks = await openHooks({ cwd: process.env.PROJECT, use: [name] });
      const { decision } = await hooks.fire("PreToolUse", call);
      await hooks.close();
      console.log(name, decision);
    }`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    encoding: "utf8",
    timeout: 60_000,
    env: { PATH: process.env["PATH"], HOME: path.join(base, "home"), PROJECT: project },
  });
  const decisions: Readonly<Record<string, string>> = { safety: "ask", permission: "ask", "secret-guard": "deny" };
  const expected = SHIPPED_NAMES.map((name) => `${name} ${decisions[name] ?? "none"}`);
  expect([stdout.trim().split("\n"), stderr]).toEqual([expected, ""]);
});
