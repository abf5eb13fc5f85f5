/** A file that calls `hook()` makes a hook script of the process only if an agent started it as one: never of a program that embeds the engine. */
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { answerOf, denial, type Ended, type RunOptions, runScript, temporaryFolder, toolCall } from "../sdk/run-script.ts";

const run = (name: string, options: RunOptions): Promise<Ended> =>
  runScript(fileURLToPath(new URL(`embedding/fixtures/${name}`, import.meta.url)), { cwd: temporaryFolder(), limitMs: 15_000, ...options });

const PROGRAMS: readonly (readonly [string, string, readonly string[]])[] = [
  ["a static import", "static.mjs", []],
  ...["import() after openHooks", "import() before openHooks", "import() in a function, a while before openHooks", "require()"].map(
    (way) => [way, "program.mjs", [way]] as const,
  ),
];

describe("a program that embeds the engine stays a program", () => {
  test.each(PROGRAMS)("with %s of a definition, and ends at once while stdin is open and silent", async (_way, file, args) => {
    const ended = await run(file, { args, afterwards: "stay open" });
    expect(ended).toMatchObject({ stdout: "denied\nend\n", stderr: "", exitCode: 0 });
    expect(ended.durationMs).toBeLessThan(4500);
  });

  test.each(PROGRAMS)("with %s of a definition, and leaves what is on stdin alone", async (_way, file, args) => {
    expect(await run(file, { args, stdin: toolCall("ls") })).toMatchObject({ stdout: "denied\nend\n", stderr: "", exitCode: 0 });
  });
});

describe("a program that forgets something", () => {
  test.each(["worker", "process"])("ends without close(), with a module in a %s", async (isolation) => {
    const ended = await run("not-closed.mjs", { args: [isolation], afterwards: "stay open" });
    expect(ended).toMatchObject({ stdout: "denied\ndenied\n", stderr: "", exitCode: 0 });
    expect(ended.durationMs).toBeLessThan(8000);
  });

  test("is told once of a guard that it has imported and not registered", async () => {
    const { stdout, stderr, exitCode } = await run("not-registered.mjs", {});
    expect([stdout, exitCode]).toEqual(["ran\nran\n", 0]);
    expect(stderr.match(/HL_CONFIG_NOT_REGISTERED: .*guard.*hooks\.on\(definition\).* \(\/.*\.mjs:\d+:\d+\)$/gm)).toHaveLength(1);
  });

  test("is told where a function stands that is bound or behind a proxy", async () => {
    const { stderr } = await run("not-registered-bound.mjs", {});
    expect(stderr.match(/HL_CONFIG_NOT_REGISTERED: .*"(?:bound|proxied)".* \(\/.*bound-definition\.mjs:4:\d+\)$/gm)).toHaveLength(2);
  });

  test.each(["", toolCall("ls")])("is no hook script where it opens no engine: stdin %j", async (stdin) => {
    expect(await run("no-engine.mjs", { stdin })).toMatchObject({ stdout: "usage: agent --run\n", stderr: "", exitCode: 0 });
  });
});

describe("a hook script stays one", () => {
  test.each(["import()", "require()"])("with %s of the file that has its hooks", async (way) => {
    expect(answerOf(await run("loads-guards.mjs", { args: [way], stdin: toolCall("ls") }))).toEqual(denial("not here"));
  });

  test("with an engine of its own", async () => {
    expect(answerOf(await run("asks-engine.mjs", { stdin: toolCall("ls") }))).toEqual(denial("not here"));
    for (const name of ["CLAUDE_PROJECT_DIR", "HOOKLOOP_PROJECT_DIR"])
      expect(answerOf(await run("asks-engine-imported.mjs", { stdin: toolCall("ls"), env: { [name]: "/" } }))).toEqual(denial("not here"));
  });
});
