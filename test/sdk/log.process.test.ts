import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { answerOf, denial, type Ended, fixture, type RunOptions, runScript, temporaryFolder, toolCall } from "./run-script.ts";

type LogRecord = { time: string; level: string; hook: string; msg: string; data: Record<string, unknown> };

const run = (args: readonly string[], { env, ...options }: RunOptions): Promise<Ended> =>
  runScript(fixture("speaks.mjs"), { args, stdin: toolCall("ls"), ...options, env: { HOOK_LOG_DISABLE: "", ...env } });

const logOf = (folder: string): string => path.join(folder, ".hookloop", "hook-log.jsonl");

function readLog(file: string): LogRecord[] {
  const lines = readFileSync(file, "utf8").split("\n");
  expect(lines.pop()).toBe("");
  return lines.map((line) => JSON.parse(line) as LogRecord);
}

describe.concurrent("the log of a hook", () => {
  test("is a new file of the project that only its owner reads and git does not see", async () => {
    const project = temporaryFolder();
    execFileSync("git", ["init", "--quiet", project]);
    const ended = await run(["deny"], { env: { CLAUDE_PROJECT_DIR: project }, shell: 'umask 0; exec "$@"' });
    expect(answerOf(ended)).toEqual(denial("no"));
    expect(ended.stderr).toBe("");
    expect(statSync(logOf(project)).mode & 0o777).toBe(0o600);
    expect(readdirSync(project).sort()).toEqual([".git", ".hookloop"]);
    expect(String(execFileSync("git", ["-C", project, "status", "--porcelain", "--untracked-files=all"]))).toBe("");
  });

  test("is in the working directory if no project is named", async () => {
    const cwd = temporaryFolder();
    await run(["deny"], { cwd, env: { CLAUDE_PROJECT_DIR: "" } });
    expect(readLog(logOf(cwd))).toHaveLength(1);
  });

  test("is the file HOOKLOOP_LOG_FILE names, in a folder that need not be there", async () => {
    const project = temporaryFolder();
    const file = path.join(temporaryFolder(), "deep", "down", "log.jsonl");
    await run(["deny"], { env: { CLAUDE_PROJECT_DIR: project, HOOKLOOP_LOG_FILE: file } });
    expect(readLog(file)).toHaveLength(1);
    expect(existsSync(path.join(project, ".hookloop"))).toBe(false);
  });

  test.each(["HOOK_LOG_DISABLE", "HOOK_ERROR_LOG_DISABLE"])("is not written with %s", async (name) => {
    const project = temporaryFolder();
    await run(["deny"], { env: { CLAUDE_PROJECT_DIR: project, [name]: "1" } });
    expect(readdirSync(project)).toEqual([]);
  });

  test("has every answer with its size and payload", async () => {
    const project = temporaryFolder();
    const env = { CLAUDE_PROJECT_DIR: project };
    await run(["context", "20"], { env });
    await run(["deny"], { env });
    await run(["nothing"], { env });
    const output = { hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext: "ä0123456789ä01234567" } };
    expect(readLog(logOf(project))).toMatchObject([
      {
        level: "info",
        hook: "speaks",
        msg: "HOOK_OUTPUT [context] 20 chars",
        data: { event: "PreToolUse", tool: "Bash", output },
      },
      {
        level: "info",
        hook: "speaks",
        msg: 'HOOK_OUTPUT [block] 2 chars, reason="no"',
        data: { blockReason: "no", exitCode: 0 },
      },
      { level: "debug", hook: "speaks", msg: expect.any(String), data: { exitCode: 0 } },
    ]);
  });

  test("has every problem", async () => {
    const project = temporaryFolder();
    await run(["fails"], { env: { CLAUDE_PROJECT_DIR: project } });
    expect(readLog(logOf(project))[0]).toMatchObject({
      level: "warn",
      msg: expect.stringContaining("HL_SDK_HANDLER_FAILED: speaks: boom"),
      data: { exitCode: 1 },
    });
  });

  test("leaves out what is below HOOK_LOG_LEVEL", async () => {
    const project = temporaryFolder();
    const env = { CLAUDE_PROJECT_DIR: project, HOOK_LOG_LEVEL: "warn" };
    await run(["deny"], { env });
    await run(["fails"], { env });
    expect(readLog(logOf(project)).map(({ level }) => level)).toEqual(["warn"]);
  });

  test("keeps whole lines when 20 hooks write at once", async () => {
    const project = temporaryFolder();
    const sizes = Array.from({ length: 20 }, (_, index) => String(20_000 + index));
    const all = await Promise.all(sizes.map((size) => run(["context", size], { env: { CLAUDE_PROJECT_DIR: project }, limitMs: 20_000 })));
    expect(all.map(({ exitCode, stderr }) => ({ exitCode, stderr }))).toEqual(sizes.map(() => ({ exitCode: 0, stderr: "" })));
    const context = (output: unknown): string =>
      (output as { hookSpecificOutput: { additionalContext: string } }).hookSpecificOutput.additionalContext;
    const lengths = readLog(logOf(project)).map(({ data }) => context(data["output"]).length);
    expect(lengths.sort()).toEqual(sizes.map(Number));
    expect(readFileSync(path.join(project, ".hookloop", ".gitignore"), "utf8")).toContain("hook-log.jsonl");
  });

  test("of a link that a repository carries is not written through it", async () => {
    const project = temporaryFolder();
    const victim = path.join(temporaryFolder(), "victim");
    writeFileSync(victim, "mine");
    mkdirSync(path.join(project, ".hookloop"));
    symlinkSync(victim, logOf(project));
    const ended = await run(["deny"], { env: { CLAUDE_PROJECT_DIR: project } });
    expect(answerOf(ended)).toEqual(denial("no"));
    expect(ended.stderr).toMatch(/^HL_SDK_LOG_FAILED: /);
    expect(readFileSync(victim, "utf8")).toBe("mine");
  });

  test("of a folder link that a repository carries is not written through it", async () => {
    const project = temporaryFolder();
    const victim = temporaryFolder();
    symlinkSync(victim, path.join(project, ".hookloop"));
    expect(answerOf(await run(["deny"], { env: { CLAUDE_PROJECT_DIR: project } }))).toEqual(denial("no"));
    expect(readdirSync(victim)).toEqual([]);
  });

  test("of a pipe without a reader does not hang the hook", async () => {
    const project = temporaryFolder();
    mkdirSync(path.join(project, ".hookloop"));
    execFileSync("mkfifo", [logOf(project)]);
    const ended = await run(["deny"], { env: { CLAUDE_PROJECT_DIR: project } });
    expect(answerOf(ended)).toEqual(denial("no"));
    expect(ended.stderr).toMatch(/^HL_SDK_LOG_FAILED: /);
  });
});

describe.concurrent("secrets in the log", () => {
  const KEY = ["sk", "ant", "api03", "abcdefghijklmnopqrstuvwxyz"].join("-");
  const GITHUB = ["ghp", "abcdefghijklmnopqrstuvwxyz0123456789"].join("_");

  test.each<[string, { command: string; env?: Record<string, string>; secret: string }]>([
    ["a model key in the payload", { command: `curl -H 'x-api-key: ${KEY}'`, secret: KEY }],
    ["a code host's token in the payload", { command: `git clone https://x:${GITHUB}@example.com`, secret: GITHUB }],
    ["a bearer token in the payload", { command: "curl -H 'Authorization: Bearer 0123456789abcdef'", secret: "0123456789abcdef" }],
    [
      "the value of a secret variable",
      { command: "ls", env: { SPEAKS: "it is hunter2hunter2", DB_PASSWORD: "hunter2hunter2" }, secret: "hunter2hunter2" },
    ],
    [
      "the value of a secret variable with a quote",
      { command: "ls", env: { SPEAKS: 'it is hunter2"hunter3', DB_PASSWORD: 'hunter2"hunter3' }, secret: "hunter3" },
    ],
    [
      "the value of a secret variable with two lines",
      { command: "ls", env: { SPEAKS: "it is hunter2\nhunter3", MY_TOKEN: "hunter2\nhunter3" }, secret: "hunter3" },
    ],
  ])("%s is hidden, and the answer is not changed", async (_, { command, env = {}, secret }) => {
    const project = temporaryFolder();
    const ended = await run(["what it was told"], { stdin: toolCall(command), env: { ...env, CLAUDE_PROJECT_DIR: project } });
    expect(ended.stdout).toContain(secret);
    const log = readFileSync(logOf(project), "utf8");
    expect(log).toContain("[redacted]");
    expect(log).not.toContain(secret);
  });

  test("a field of a secret name is hidden in the output as well", async () => {
    const project = temporaryFolder();
    const stdin = toolCall("ls", { tool_input: { command: "ls", password: "correct horse" } });
    const ended = await run(["what it was told"], { stdin, env: { CLAUDE_PROJECT_DIR: project } });
    expect(ended.stdout).toContain("correct horse");
    expect(readFileSync(logOf(project), "utf8")).not.toContain("correct horse");
  });
});

/** As the user nobody, to whom a read-only folder is read-only. */
const AS_NOBODY = 'exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"';
const canBeNobody = existsSync("/usr/bin/setpriv") && process.getuid?.() === 0;

const NOT_NOBODY = "needs root and setpriv: to root no folder is read-only";

function readOnlyFolder(): string {
  const folder = temporaryFolder();
  chmodSync(folder, 0o555);
  return folder;
}

describe.concurrent("a log that cannot be written", () => {
  const unwritable: [string, () => RunOptions][] = [
    ["under a file", () => ({ env: { HOOKLOOP_LOG_FILE: "/dev/null/hook-log.jsonl" } })],
    ["on a full disk", () => ({ env: { HOOKLOOP_LOG_FILE: "/dev/full" } })],
    ["a folder", () => ({ env: { HOOKLOOP_LOG_FILE: temporaryFolder() } })],
    ["in a read-only folder", () => ({ env: { CLAUDE_PROJECT_DIR: readOnlyFolder() }, cwd: "/", shell: AS_NOBODY })],
  ];

  test.for(unwritable)("%s changes no decision and is reported once", async ([place, options], { skip }) => {
    skip(place.includes("read-only") && !canBeNobody, NOT_NOBODY);
    const failed = /^HL_SDK_LOG_FAILED: .+ Set HOOKLOOP_LOG_FILE or HOOK_LOG_DISABLE=1\n$/;
    const denied = await run(["deny"], options());
    expect(answerOf(denied)).toEqual(denial("no"));
    expect(denied).toMatchObject({ stderr: expect.stringMatching(failed), exitCode: 0 });
    expect(await run(["nothing"], options())).toMatchObject({ stdout: "", stderr: expect.stringMatching(failed), exitCode: 0 });
    const broken = await run(["fails"], options());
    expect(broken).toMatchObject({
      stdout: "",
      stderr: expect.stringMatching(/^HL_SDK_HANDLER_FAILED: .*\nHL_SDK_LOG_FAILED: .*\n$/),
      exitCode: 1,
    });
  });

  test.for(unwritable)("%s leaves the reason of exit code 2 alone on stderr", async ([place, options], { skip }) => {
    skip(place.includes("read-only") && !canBeNobody, NOT_NOBODY);
    const { env, ...rest } = options();
    const stdin = toolCall("ls", { hook_event_name: "NotAnEvent" });
    const ended = await run(["guard"], { ...rest, ...(env ? { env } : {}), stdin });
    expect(ended).toMatchObject({
      stdout: "",
      stderr: expect.stringMatching(/^The guard speaks failed, so it blocks\. HL_SDK_EVENT_UNKNOWN: .*\n$/),
      exitCode: 2,
    });
  });
});
