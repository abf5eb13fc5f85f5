/** Contexts with real processes: several that save at once, one whose disk is full, one that is killed, git, and programs that are asked. */

import { execFile, execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import * as context from "./index.ts";
import { emptyProject } from "./project.test-suite.ts";

const BUILT = fileURLToPath(new URL("../../dist/lib/context.js", import.meta.url));
const run = promisify(execFile);

const script = (body: string): string =>
  `import * as context from ${JSON.stringify(BUILT)};\nconst [root, id, name] = process.argv.slice(1);\n${body}`;
const args = (body: string, ...rest: readonly string[]): string[] => ["--input-type=module", "-e", script(body), ...rest];

test("8 processes that save 100 times each lose no update", { timeout: 120_000 }, async () => {
  const root = emptyProject();
  const { id } = await context.createContext({ about: "many sessions", projectRoot: root });
  const body = `for (let at = 0; at < 100; at++)
    await context.saveState(id, (state) => ({ ...state, tasks: [...state.tasks, { id: name + "-" + at, subject: "t", status: "pending", createdAt: "", updatedAt: "" }] }), root);`;
  const names = Array.from({ length: 8 }, (_, at) => `p${at}`);
  await Promise.all(names.map((name) => run(process.execPath, args(body, root, id, name))));
  const tasks = context.getTasks(id, root).map((task) => task.id);
  expect(tasks).toHaveLength(800);
  expect(new Set(tasks).size).toBe(800);
  expect(context.readState(id, root)?.revision).toBe(801);
  expect(readdirSync(context.getContextDir(root, id))).toEqual(["state.json"]);
});

test("a disk that is full during a save keeps the old state", async () => {
  const root = emptyProject();
  const { id } = await context.createContext({ about: "full disk", projectRoot: root });
  const file = path.join(context.getContextDir(root, id), "state.json");
  const before = readFileSync(file, "utf8");
  // No file may grow beyond 4 kB: writing ends in the middle, as on a disk that is full.
  const body = `await context.addTask(id, { subject: "Large", description: "x".repeat(20000) }, root).then(() => console.log("saved"), (error) => console.log(error.code));`;
  const limited = ["-c", 'ulimit -f 4; exec "$0" "$@"', process.execPath, ...args(body, root, id)];
  expect((await run("bash", limited)).stdout).toBe("EFBIG\n");
  expect(readFileSync(file, "utf8")).toBe(before);
  expect(context.isOwnContext(id, root)).toBe(true);
  expect(readdirSync(path.dirname(file))).toEqual(["state.json"]);
  expect(await context.addTask(id, { subject: "Small" }, root)).toMatchObject({ id: "1" });
});

test("a process that is killed while it saves leaves a whole state, and keeps nobody waiting", { timeout: 60_000 }, async () => {
  const root = emptyProject();
  const { id } = await context.createContext({ about: "killed work", projectRoot: root });
  for (let round = 0; round < 5; round++) {
    const body = `console.log("up"); for (;;) await context.addTask(id, { subject: "t", id: "1" }, root);`;
    const child = spawn(process.execPath, args(body, root, id), { stdio: ["ignore", "pipe", "inherit"] });
    await new Promise((done) => child.stdout.once("data", done));
    await new Promise((done) => setTimeout(done, 20 + round * 13));
    child.kill("SIGKILL");
    await new Promise((done) => child.once("exit", done));
    expect(context.readState(id, root)?.repair).toBeUndefined();
    expect(await context.addTask(id, { subject: `after ${round}` }, root)).toMatchObject({ subject: `after ${round}` });
  }
});

function git(cwd: string, ...words: readonly string[]): void {
  const who = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
  execFileSync("git", [...who, ...words], { cwd, stdio: "ignore", env: { PATH: process.env["PATH"], HOME: cwd } });
}

test("captureGitState gives branch, commit and changed files", async () => {
  const root = emptyProject();
  git(root, "init", "-q", "-b", "main");
  writeFileSync(path.join(root, "a b.txt"), "a");
  expect(await context.captureGitState(root)).toEqual({ branch: "main", commit: undefined, changed: ["a b.txt"] });
  git(root, "add", ".");
  git(root, "commit", "-q", "-m", "first");
  expect(await context.captureGitState(root)).toMatchObject({
    branch: "main",
    commit: expect.stringMatching(/^[0-9a-f]{40}$/),
    changed: [],
  });
  git(root, "mv", "a b.txt", "c.txt");
  writeFileSync(path.join(root, "d"), "");
  expect((await context.captureGitState(root))?.changed).toEqual(["c.txt", "d"]);
  git(root, "checkout", "-q", "--detach");
  expect((await context.captureGitState(root))?.branch).toBeUndefined();
});

test("without a repository, and without git, the state of git is not known and nothing is thrown", async () => {
  const root = emptyProject();
  expect(await context.captureGitState(root)).toBeUndefined();
  git(root, "init", "-q");
  vi.stubEnv("PATH", path.join(root, "nowhere"));
  expect(await context.captureGitState(root)).toBeUndefined();
  expect(await context.createContext({ about: "no git", projectRoot: root })).toMatchObject({ id: "no-git" });
});

/** A program outside of the project, in PATH. */
function program(root: string, name: string, body: string): void {
  const folder = path.join(root, "../bin");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, name), `#!/bin/sh\n${body}\n`);
  chmodSync(path.join(folder, name), 0o755);
  vi.stubEnv("PATH", `${folder}:${process.env["PATH"]}`);
}

test("inferText asks the agent's command line, which sees _CC_INTERNAL=1", async () => {
  const root = emptyProject();
  program(root, "claude", 'echo "$1 $_CC_INTERNAL"; cat');
  expect(await context.inferText("Sum up.", { cwd: root, system: "Be short." })).toBe("-p 1\nBe short.\n\nSum up.");
  expect(await context.inferText("Hi", { cwd: root, command: ["claude", "--other"] })).toBe("--other 1\nHi");
});

test("inferText asks nobody where _CC_INTERNAL is set, and isInternalCall says so", async () => {
  const root = emptyProject();
  program(root, "claude", `touch ${path.join(root, "asked")}; echo text`);
  expect(context.isInternalCall()).toBe(false);
  vi.stubEnv("_CC_INTERNAL", "1");
  expect(context.isInternalCall()).toBe(true);
  expect(await context.inferText("Hi", { cwd: root })).toBeUndefined();
  expect(readdirSync(root)).toEqual([]);
});

test.each([
  ["fails", "echo half; exit 3"],
  ["says nothing", "exit 0"],
  ["never ends", "exec sleep 100"],
])("inferText gives nothing, in time, where the program %s", async (_, body) => {
  const root = emptyProject();
  program(root, "claude", body);
  const begin = performance.now();
  expect(await context.inferText("Hi", { cwd: root, timeoutMs: 1500 })).toBeUndefined();
  expect(performance.now() - begin).toBeLessThan(10_000);
});

test("inferText does not start a program that the project brings", async () => {
  const root = emptyProject();
  writeFileSync(path.join(root, "claude"), "#!/bin/sh\necho mine\n");
  chmodSync(path.join(root, "claude"), 0o755);
  vi.stubEnv("PATH", `${root}:/usr/bin:/bin`);
  expect(await context.inferText("Hi", { cwd: root })).toBeUndefined();
});

type Model = NonNullable<context.InferOptions["model"]>;
const replies = (text: string): Model => ({
  ask: async ({ system, messages }) => ({
    id: "m",
    model: "m",
    content: [{ type: "text", text: `${text} ${system} ${JSON.stringify(messages)}` }],
    stopReason: "end_turn",
    usage: { inputTokens: 1, outputTokens: 1 },
  }),
});

test("inferText asks a model if it is given one, and gives nothing if that throws or never answers", async () => {
  emptyProject();
  expect(await context.inferText("Hi", { model: replies("Hello"), system: "S" })).toBe('Hello S [{"role":"user","content":"Hi"}]');
  expect(await context.inferText("Hi", { model: { ask: () => Promise.reject(new Error("no")) } })).toBeUndefined();
  expect(await context.inferText("Hi", { model: { ask: () => new Promise(() => {}) }, timeoutMs: 50 })).toBeUndefined();
  expect(await context.inferText("Hi", { model: replies("late"), signal: AbortSignal.abort() })).toBeUndefined();
});

test("hookLog writes to the log of the project", async () => {
  const root = emptyProject();
  const body = `context.hookLog("my-hook", "info", "written", { a: 1 });`;
  await run(process.execPath, args(body), { cwd: root, env: { PATH: process.env["PATH"], CLAUDE_PROJECT_DIR: root } });
  const logs = readdirSync(root, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith(".jsonl"));
  expect(logs.map((name) => readFileSync(path.join(root, name), "utf8")).join("")).toMatch(/"my-hook".*written/);
});
