import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { AdmittedHook } from "../../trust/types.ts";
import { runnerContract } from "../contract.test-suite.ts";
import { sampleHook, sampleInput } from "../sample-hook.test-suite.ts";
import { hookFolder, programFromSource } from "./host-from-source.test-suite.ts";
import { createModuleRunner, type ModulePorts } from "./module-runner.ts";

const script = await programFromSource("./module-host.ts");
const folder = hookFolder();
const cacheFolder = path.join(folder.root, "state", "cache");
const environment = { PATH: process.env["PATH"] ?? "", HOME: "/home/user" };
const runners: ReturnType<typeof createModuleRunner>[] = [];
afterAll(async () => {
  await Promise.all(runners.map((runner) => runner.close()));
});

function open(ports: Partial<ModulePorts> = {}): ReturnType<typeof createModuleRunner> {
  const runner = createModuleRunner({ environment, version: "0.0.0", cacheFolder, script, ...ports });
  runners.push(runner);
  return runner;
}

function moduleHook(file: string, fields: Record<string, unknown> = {}, more: Partial<AdmittedHook> = {}): AdmittedHook {
  const source = { scope: "user", dialect: "native", root: folder.root } as const;
  return sampleHook({ target: { kind: "module", fields: { path: file, ...fields } }, source, ...more });
}

const eventOf = (event: string, more: object = {}) =>
  sampleInput({ input: { ...COMMON, hook_event_name: event, ...more } as Record<string, unknown> });
const COMMON = { session_id: "s", transcript_path: "", cwd: "/", permission_mode: "default" };
const bash = (command: string) => eventOf("PreToolUse", { tool_name: "Bash", tool_input: { command }, tool_use_id: "t" });

const BASICS = folder.write(
  "basics.ts",
  `interface Input { tool_input: { command: string } }
export const answers = (): string => "answer";
export const measures = ({ tool_input }: Input): string => String(tool_input.command.length);
export const answersLong = () => "x".repeat(900_000);
export const hangs = () => new Promise(() => {});
export const breaks = () => { throw null; };
`,
);

describe("a file whose hooks are for other tools than its matcher", () => {
  const file = folder.write(
    "for-write.ts",
    `import { deny, hook } from "@hookloop/sdk";
hook("PreToolUse", { tool: "Write", guard: true }, () => deny("no"));
hook("PreToolUse", { tool: ["Edit"] }, () => undefined);
`,
  );
  it("could never be called, so the run has failed and says why", async () => {
    const { failure } = await open().run({ hook: moduleHook(file, {}, { matcher: "Bash", event: "PreToolUse" }) }, bash("ls"));
    expect(failure).toMatchObject({
      kind: "could-not-start",
      text: expect.stringContaining("its file is for Write and Edit, and its matcher is for Bash"),
    });
  });

  it.each(["Bash|Write", "Bash, edit", "B.*", "*", undefined])("is asked if the matcher %s may fit one of them", async (matcher) => {
    const hook = moduleHook(file, {}, { event: "PreToolUse", ...(matcher !== undefined && { matcher }) });
    expect((await open().run({ hook }, bash("ls"))).failure).toBeUndefined();
  });
});

describe("a hook of the SDK that takes longer than the limit of its configuration", () => {
  const slow = (name: string, options: string): string =>
    folder.write(name, `import { hook } from "@hookloop/sdk";\nhook("PreToolUse", { ${options} }, () => new Promise(() => {}));\n`);

  it.each([
    ["a guard", slow("slow.ts", "guard: true"), /"permissionDecision":"deny".*gave no answer within \d+ ms/],
    ["a guard with a longer limit of its own", slow("slower.ts", "guard: true, timeoutMs: 10_000"), /"permissionDecision":"deny"/],
    ["another hook", slow("unhurried.ts", ""), /^HL_SDK_HANDLER_TIMEOUT/],
  ])("%s answers before it is ended", async (_what, file, said) => {
    const { stdout, stderr, failure } = await open().run({ hook: moduleHook(file, {}, { timeoutMs: 1500 }) }, bash("ls"));
    expect(failure).toBeUndefined();
    expect(stdout + stderr).toMatch(said);
  });

  it("calls that overlap have a limit each", async () => {
    const runner = open();
    const file = slow("overlapping.ts", "guard: true");
    const run = (timeoutMs: number) => runner.run({ hook: moduleHook(file, {}, { timeoutMs }) }, bash("ls"));
    const [first, second] = await Promise.all([run(1000), run(3000)]);
    expect(first.durationMs).toBeLessThan(second.durationMs - 1000);
    expect(second.failure ?? first.failure).toBeUndefined();
  });
});

describe("a file that declares a hook and exports a function, too", () => {
  const both = (name: string, exported: string): string =>
    folder.write(
      name,
      `import { deny, hook } from "@hookloop/sdk";\nconst it = hook("PreToolUse", { tool: "Bash" }, () => {});\n${exported}\n`,
    );
  it("says that the default export is not called", async () => {
    const file = both("both.ts", 'export default () => deny("no");');
    const { notes, failure } = await open().run({ hook: moduleHook(file) }, bash("ls"));
    expect(failure).toBeUndefined();
    expect(notes).toMatchObject([{ code: "HL_CONFIG_OPTION_IGNORED", level: "warning", text: expect.stringContaining("default export") }]);
  });

  it.each(["export default it;", "export const version = 1;"])("has nothing to say of %s", async (exported) => {
    const file = both(`both-${exported.length}.ts`, exported);
    expect((await open().run({ hook: moduleHook(file) }, bash("ls"))).notes).toBeUndefined();
  });
});

describe.each(["worker", "process"])("a module in a %s keeps the rules of a runner", (isolation) => {
  const named = (name: string): AdmittedHook => moduleHook(BASICS, { export: name, isolation });
  runnerContract({
    runner: open().run,
    hooks: {
      answers: named("answers"),
      measures: named("measures"),
      answersLong: named("answersLong"),
      hangs: named("hangs"),
      breaks: named("breaks"),
      foreign: sampleHook(),
    },
    answerOf: ({ stdout }) => stdout,
    breaksWith: "threw",
  });
});

describe.each(["worker", "process"])("whatever a module does in a %s, the next call is right", (isolation) => {
  const naughty = folder.write(
    `naughty-${isolation}.ts`,
    `import fs from "node:fs";
let count = 0;
export const counts = () => String(++count);
export const spins = () => { for (;;); };
export const exits = () => process.exit(3);
export const exitsTwo = () => { console.error("never"); process.exit(2); };
export const exitsLater = async () => { await 0; process.exit(0); };
export const floods = () => { for (let i = 0; i < 3000; i++) console.log("x".repeat(1000)); fs.writeSync(1, "raw"); return "{}"; };
export const strays = () => { setTimeout(() => { throw new Error("stray"); }, 5); return new Promise(() => {}); };
export const rejects = () => { Promise.reject(new Error("forgotten")); return new Promise(() => {}); };
export const globals = () => { (globalThis as any).JSON = undefined; Array.prototype.map = (() => []) as never; return "ok"; };
export const leaks = () => { setInterval(() => {}, 1); return "leaky"; };
`,
  );
  const { run } = open();
  const ask = (name: string, timeoutMs = 20_000) =>
    run({ hook: moduleHook(naughty, { export: name, isolation }, { timeoutMs }) }, bash("ls"));

  it("a message of its own on the channel is a failed call, whatever it looks like, never the end of this program", async () => {
    const posts = folder.write(
      `posts-${isolation}.ts`,
      `import { parentPort } from "node:worker_threads";
const post = (message: unknown): void => void (parentPort ? parentPort.postMessage(message) : process.send?.(message as never));
const MESSAGES: unknown[] = ["hello", 7, null, { kind: "answer" }, [null], [{ kind: "answer", id: 1 }], [{ kind: "loaded" }], [{ kind: "x" }],
  [{ kind: "answer", id: 1, answer: { stdout: 1, stderr: "", exitCode: 0, isTruncated: false } }],
  [{ kind: "answer", id: 1, answer: { stdout: "", stderr: "", exitCode: 0, isTruncated: false, failure: { kind: "x", text: "y" } } }]];
export const posting = ({ tool_input }: { tool_input: { command: string } }) => { post(MESSAGES[Number(tool_input.command)]); return "{}"; };
export const quiet = () => "quiet";
`,
    );
    for (let index = 0; index < 10; index++) {
      const { failure } = await run({ hook: moduleHook(posts, { export: "posting", isolation }) }, bash(String(index)));
      expect([index, failure?.kind, failure?.text]).toEqual([index, "threw", expect.stringContaining("answers with what it returns")]);
    }
    expect((await run({ hook: moduleHook(posts, { export: "quiet", isolation }) }, bash("ls"))).stdout).toBe("quiet");
  });

  it("its state lasts from call to call", async () => {
    expect((await ask("counts")).stdout).toBe("1");
    expect((await ask("counts")).stdout).toBe("2");
  });

  it("a loop without end is terminated at the limit, and a fresh one answers", async () => {
    const startedAt = performance.now();
    expect((await ask("spins", 200)).failure).toEqual({ kind: "timeout", text: "it did not answer within 200 ms" });
    expect(performance.now() - startedAt).toBeLessThan(2000);
    expect((await ask("counts")).stdout).toBe("1");
  });

  it("calls beside a loop without end are answered by its successor", async () => {
    const spinning = ask("spins", 300);
    const beside = ask("counts");
    expect((await spinning).failure?.kind).toBe("timeout");
    expect((await beside).stdout).toBe("1");
  });

  it("process.exit ends the call as failed, never this program", async () => {
    expect((await ask("exits")).failure).toEqual({ kind: "exit", text: expect.stringContaining("process.exit(3)") });
    expect((await ask("exitsLater")).failure?.kind).toBe("exit");
    expect(await ask("exitsTwo")).toMatchObject({ exitCode: 2, stderr: "never\n" });
    expect((await ask("counts")).stdout).toBe("1");
  });

  it("a flood of output is bounded and stays out of stdout", async () => {
    const outcome = await ask("floods");
    expect(outcome).toMatchObject({ stdout: "{}", isTruncated: true, exitCode: 0 });
    expect(outcome.stderr.length).toBe(256 * 1024);
  });

  it.each(["strays", "rejects"])("an uncaught error (%s) fails its call with the place", async (name) => {
    const { failure } = await ask(name);
    expect(failure).toMatchObject({ kind: "threw", text: expect.stringMatching(/(stray|forgotten) \(naughty-\w+\.ts:\d+:\d+\)$/) });
    expect((await ask("counts")).stdout).toBe("1");
  });

  it("a leaked timer holds nothing up", async () => {
    expect((await ask("leaks")).stdout).toBe("leaky");
    expect((await ask("counts")).stdout).not.toBe("");
  });

  it("changed globals reach no other module", async () => {
    expect((await ask("globals")).stdout).toBe("ok");
    expect((await run({ hook: moduleHook(BASICS, { export: "answers", isolation }) }, bash("ls"))).stdout).toBe("answer");
  });

  it("a module that throws while it is loaded fails with the place, and is loaded again when it was fixed", async () => {
    const file = folder.write(`broken-${isolation}.ts`, `type A = 1;\nconst a: A = 1;\nthrow new Error("boom " + a);\n`);
    const hook = moduleHook(file, { isolation });
    expect((await run({ hook }, bash("ls"))).failure).toEqual({
      kind: "could-not-start",
      text: `it could not be loaded: boom 1 (broken-${isolation}.ts:3:7)`,
    });
    writeFileSync(file, `export default () => "fixed";\n`);
    expect((await run({ hook }, bash("ls"))).stdout).toBe("fixed");
  });

  it("process.exit while it is loaded is a failure", async () => {
    const hook = moduleHook(folder.write(`exit-${isolation}.mjs`, "process.exit(4);\n"), { isolation });
    expect((await run({ hook }, bash("ls"))).failure).toMatchObject({ kind: "exit", text: expect.stringContaining("process.exit(4)") });
  });
});

describe("what a module may be", () => {
  const { run } = open();
  const GUARD = folder.write(
    "guard.ts",
    `import { deny, hook, block } from "@hookloop/sdk";
import { isBad } from "./lib/rules.js";
export const guard = hook("PreToolUse", { tool: "Bash", guard: true }, ({ tool_input }) => {
  if (isBad(tool_input.command)) return deny("not that one");
  if (tool_input.command === "crash") throw new Error("crashed");
  return undefined;
});
export const stop = hook("Stop", () => block("not yet"));
`,
  );
  folder.write(
    "lib/rules.ts",
    `import type { X } from "./none.ts";\nexport const isBad = (command: string): boolean => command.includes("rm");\n`,
  );

  it("declarations of hook(): those of the event that came answer, on the wire's own terms", async () => {
    const hook = moduleHook(GUARD);
    expect(JSON.parse((await run({ hook }, bash("rm -rf /"))).stdout)).toEqual({
      hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "not that one" },
    });
    expect(await run({ hook }, bash("ls"))).toMatchObject({ stdout: "", exitCode: 0 });
    expect((await run({ hook }, eventOf("Stop", { stop_hook_active: false }))).stdout).toBe('{"decision":"block","reason":"not yet"}\n');
  });

  it("one export by name", async () => {
    const hook = moduleHook(GUARD, { export: "stop" });
    expect((await run({ hook }, eventOf("Stop", { stop_hook_active: false }))).stdout).toContain("not yet");
    expect((await run({ hook: moduleHook(GUARD, { export: "none" }) }, bash("ls"))).failure).toEqual({
      kind: "could-not-start",
      text: 'it has no export "none" to call. It exports guard, stop: name one with "export"',
    });
  });

  it("a guard that throws blocks, and names the place in its source", async () => {
    expect((await run({ hook: moduleHook(GUARD) }, bash("crash"))).stdout).toContain("crashed (guard.ts:5:45)");
  });

  it.each([
    ["an answer object", `export default () => ({ decision: "block", reason: "r" });`, '{"decision":"block","reason":"r"}'],
    ["text", `export default async () => "hello";`, "hello"],
    ["nothing", "export default () => {};", ""],
    ["a result of the SDK", `import { context } from "@hookloop/sdk/hook";\nexport default () => context("c");`, '"additionalContext":"c"'],
    ["CommonJS", `module.exports = () => "common";`, "common"],
  ])("a function that gives %s", async (what, text, answer) => {
    const file = folder.write(what === "CommonJS" ? "common.cjs" : `${what.replaceAll(" ", "-")}.mjs`, text);
    const { stdout } = await run({ hook: moduleHook(file) }, bash("ls"));
    expect(answer === "" ? stdout : stdout.includes(answer)).toBe(answer === "" ? "" : true);
  });

  it.each([
    ["at once", "() => { deny('x'); }"],
    ["after an await", "async () => { await new Promise((resolve) => setTimeout(resolve, 5)); deny('x'); }"],
    ["by adding to another", "() => { const note = context('y'); note.with(deny('x')); return note; }"],
  ])("a function that makes a result and does not return it has failed: %s", async (what, handler) => {
    const file = folder.write(
      `forgets-${what.replaceAll(" ", "-")}.mjs`,
      `import { context, deny } from "@hookloop/sdk";\nexport default ${handler};\n`,
    );
    const { failure, stdout } = await run({ hook: moduleHook(file) }, bash("ls"));
    expect([stdout, failure]).toEqual(["", { kind: "threw", text: expect.stringMatching(/^it made .*deny\(…\).* and did not return it/) }]);
  });

  it.each([
    ["another spelling", "(input) => { if (input.toolName === 'x') return { decision: 'block' }; }", /reads "toolName".*"tool_name"/],
    [
      "a field of tool_input",
      "async (input) => { if (/x/.test(input.command)) return { decision: 'block' }; }",
      /Write input.tool_input.command/,
    ],
    ["inside of tool_input", "({ tool_input }) => { tool_input.comand?.includes('x'); }", /reads "comand" in tool_input.*"command"/],
    ["the second argument", "(toolName, input) => { input.command; }", /The input is the first argument/],
    ["an input that is changed", "(input) => { input.tool_input.command = 'true'; }", /changed its input, which changes nothing/],
    ["a result that comes late", "() => { setTimeout(() => globalThis.deny('no'), 20); }", /made deny\(…\) after it had returned/],
  ])("a function that is no guard and says nothing has failed if it looked where nothing is: %s", async (what, handler, text) => {
    const file = folder.write(
      `slips-${what.replaceAll(" ", "-")}.mjs`,
      `import { deny } from "@hookloop/sdk";\nglobalThis.deny = deny;\nexport default ${handler};\n`,
    );
    const { failure } = await run({ hook: moduleHook(file, {}, { event: "PreToolUse" }) }, bash("ls"));
    expect(failure).toEqual({ kind: "threw", text: expect.stringMatching(text) });
  });

  it("a function that reads what is not always sent, or both spellings, and says nothing has not failed", async () => {
    const file = folder.write(
      "reads.mjs",
      "export default (input) => { input.agent_id; input.toolName ?? input.tool_name; input.tool_input.timeout; };\n",
    );
    expect(await run({ hook: moduleHook(file, {}, { event: "PreToolUse" }) }, bash("ls"))).toEqual(
      expect.not.objectContaining({ failure: expect.anything() }),
    );
  });

  it("a field beside a result is not read, so a guard that returns one has failed", async () => {
    const file = folder.write(
      "beside.mjs",
      'import { allow } from "@hookloop/sdk";\nexport default () => ({ ...allow(), decision: "deny" });\n',
    );
    const { failure } = await run({ hook: moduleHook(file, {}, { event: "PreToolUse", isGuard: true }) }, bash("ls"));
    expect(failure?.text).toContain('it returned allow(…) with "decision" beside it');
  });

  it.each([
    ["a missing await", `hook("PreToolUse", { tool: "Bash", guard: true }, async () => { check(); });`],
    ["a timer", `hook("PreToolUse", { tool: "Bash", guard: true }, () => { setTimeout(() => deny("no"), 50); });`],
    ["a file that is read", `hook("PreToolUse", { tool: "Bash", guard: true }, () => { readFile("/proc/self/stat", () => deny("no")); });`],
    ["a late emitBlock", `runHookAsync(async () => { setTimeout(() => emitBlock("no"), 50); }, "late", { guard: true });`],
    ["an error", `hook("PreToolUse", { tool: "Bash", guard: true }, () => { setTimeout(() => { throw new Error("no"); }, 50); });`],
    ["an exported function", "export default async () => { check(); };"],
    ["an exported function with a timer", `export default () => { setTimeout(() => deny("no"), 50); };`],
    ["a longer timer", `hook("PreToolUse", { tool: "Bash", guard: true }, () => { setTimeout(() => deny("no"), 600); });`],
    ["an exported function with a longer timer", `export default () => { setTimeout(() => deny("no"), 600); };`],
    ["a hook that takes longer", `hook("PreToolUse", () => { [1].forEach(async () => { await slow(); return deny("no"); }); });`],
    ["a promise of a timer", `hook("PreToolUse", { tool: "Bash", guard: true }, () => { w(600).then(() => deny("no")); });`],
    ["a function beside it", `hook("PreToolUse", { tool: "Bash", guard: true }, () => { later(); });`],
    ["an exported function with one beside it", "export default () => { later(); };"],
    ["an exported function that takes longer", `export default () => { [1].forEach(async () => { await slow(); return deny("no"); }); };`],
  ])("a guard that says nothing and left something to do is waited for: %s", async (what, text) => {
    const file = folder.write(
      `late-${what.replaceAll(" ", "-")}.mjs`,
      `import { execFile } from "node:child_process";
import { readFile } from "node:fs";
import { setTimeout as w } from "node:timers/promises";
import { deny, emitBlock, hook, runHookAsync } from "@hookloop/sdk";
async function check() { await new Promise((resolve) => setTimeout(resolve, 50)); return deny("no"); }
const slow = () => new Promise((resolve) => execFile("sleep", ["0.45"], resolve));
async function later() { await w(600); return deny("no"); }
${text}
`,
    );
    const { failure, stdout } = await run({ hook: moduleHook(file, {}, { event: "PreToolUse", isGuard: true }) }, bash("ls"));
    expect(failure?.text ?? stdout).toMatch(/after it had returned|"permissionDecisionReason":"no"|error was not caught/);
  });

  it("a guard that says nothing and left nothing to do is not waited for, whatever its module keeps open", async () => {
    const file = folder.write(
      "keeps-open.mjs",
      `import { hook } from "@hookloop/sdk";
setInterval(() => {}, 1000);
hook("PreToolUse", { tool: "Bash", guard: true }, async ({ tool_input }) => { await new Promise((resolve) => setTimeout(resolve, 1)); tool_input.command; });
`,
    );
    const hook = moduleHook(file);
    await run({ hook }, bash("ls"));
    const startedAt = performance.now();
    for (let times = 0; times < 10; times++) expect(await run({ hook }, bash("ls"))).toMatchObject({ stdout: "", exitCode: 0 });
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });

  it("a guard that threw leaves nothing that a later call waits for", async () => {
    const file = folder.write(
      "opens-later.mjs",
      `export default ({ tool_input }) => { if (tool_input.command === "open") { setInterval(() => {}, 1000); throw new Error("no"); } };\n`,
    );
    const hook = moduleHook(file, {}, { event: "PreToolUse", isGuard: true });
    await run({ hook }, bash("ls"));
    await run({ hook }, bash("open"));
    const startedAt = performance.now();
    for (let times = 0; times < 10; times++) await run({ hook }, bash("ls"));
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });

  it("a hook() whose options cannot be read blocks", async () => {
    const file = folder.write("unreadable.mjs", `import { hook } from "@hookloop/sdk";\nhook("PreToolUse", { gaurd: true }, () => {});\n`);
    const { stdout } = await run({ hook: moduleHook(file) }, bash("ls"));
    expect(JSON.parse(stdout).hookSpecificOutput).toMatchObject({
      permissionDecision: "deny",
      permissionDecisionReason: expect.stringContaining('"guard"'),
    });
  });

  it("two S4-style hooks of different events, interleaved in one worker, each see their own event", async () => {
    const s4 = folder.write(
      "s4.mjs",
      `import { runHook, loadHookInput, emitContext } from "@hookloop/sdk";
runHook(async () => {
  const before = loadHookInput().hook_event_name;
  await new Promise((resolve) => setTimeout(resolve, before === "Stop" ? 40 : 10));
  emitContext(before + "=" + loadHookInput().hook_event_name);
}, "s4");
`,
    );
    const hook = moduleHook(s4);
    const events = ["SessionStart", "UserPromptSubmit", "SessionStart", "PreToolUse"];
    const fields = { source: "startup", prompt: "p", tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t", model: "m" };
    const outcomes = await Promise.all(events.map((event) => run({ hook }, eventOf(event, fields))));
    expect(outcomes.map(({ stdout }) => JSON.parse(stdout).hookSpecificOutput.additionalContext)).toEqual(
      events.map((event) => `${event}=${event}`),
    );
  });

  it("gets the variables of its event, and none that were withheld", async () => {
    const { run: withKey } = open({ environment: { ...environment, ANTHROPIC_API_KEY: "secret" } });
    const file = folder.write(
      "env.mjs",
      "export default () => JSON.stringify([process.env.FROM_EVENT, process.env.ANTHROPIC_API_KEY ?? null, process.env.HOOKLOOP_DEPTH]);",
    );
    const hook = moduleHook(file, {}, { source: { scope: "project", dialect: "native", root: folder.root } });
    expect((await withKey({ hook }, { ...bash("ls"), env: { FROM_EVENT: "1" } })).stdout).toBe('["1",null,"1"]');
    expect((await withKey({ hook }, { ...bash("ls"), env: { FROM_EVENT: "2" } })).stdout).toBe('["2",null,"1"]');
  });

  it("a syntax error is named with its place", async () => {
    const hook = moduleHook(folder.write("syntax.ts", "const a = 1;\nconst b: = 2;\n"));
    expect((await run({ hook }, bash("ls"))).failure?.text).toBe("it could not be loaded: Unexpected token (syntax.ts:2:10)");
  });

  it("an edit of the file, or of one it imports, is seen by the next call", async () => {
    const hook = moduleHook(folder.write("edited.ts", `import { said } from "./lib/said.ts";\nexport default () => said;\n`));
    folder.write("lib/said.ts", `export const said: string = "one";\n`);
    expect((await run({ hook }, bash("ls"))).stdout).toBe("one");
    folder.write("lib/said.ts", `export const said: string = "two!";\n`);
    expect((await run({ hook }, bash("ls"))).stdout).toBe("two!");
  });
});

describe("the cache of compiled files", () => {
  const cached = (): string[] => readdirSync(cacheFolder).map((name) => path.join(cacheFolder, name));

  it("is a folder of ours alone, with files of ours alone", async () => {
    await open().run({ hook: moduleHook(BASICS, { export: "answers" }) }, bash("ls"));
    expect(statSync(cacheFolder).mode & 0o777).toBe(0o700);
    expect(cached().map((file) => statSync(file).mode & 0o777)).toEqual(cached().map(() => 0o600));
  });

  it("does not run what others wrote into it", async () => {
    const file = folder.write("tampered.ts", `export default (): string => "mine";\n`);
    const before = new Set(cached());
    expect((await open().run({ hook: moduleHook(file) }, bash("ls"))).stdout).toBe("mine");
    const [entry = ""] = cached().filter((one) => !before.has(one));
    writeFileSync(entry, readFileSync(entry, "utf8").replace("mine", "evil"));
    expect((await open().run({ hook: moduleHook(file) }, bash("ls"))).stdout).toBe("mine");
    expect(readFileSync(entry, "utf8")).toContain("mine");
  });

  it("does not use a file that others can write", async () => {
    const file = folder.write("open.ts", `export default (): string => "own";\n`);
    const before = new Set(cached());
    await open().run({ hook: moduleHook(file) }, bash("ls"));
    const [entry = ""] = cached().filter((one) => !before.has(one));
    chmodSync(entry, 0o666);
    expect((await open().run({ hook: moduleHook(file) }, bash("ls"))).stdout).toBe("own");
    expect(statSync(entry).mode & 0o777).toBe(0o600);
  });
});
