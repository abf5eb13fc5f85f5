/** Work that a repository, a hook or a file can cause is bounded: nothing freezes the program, and what is over a limit never loosens anything. */
import { spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type AgentLab, ended, openAgentLab, say, use } from "../agent/agent-lab.ts";

const many = <Item>(count: number, item: (at: number) => Item): readonly Item[] => Array.from({ length: count }, (_, at) => item(at));
const LONG_COMMAND = `echo ${"aaaa ".repeat(1200)}`;
const MARK = `touch ran.txt; ${LONG_COMMAND}`;

/** A generous bound: before, these took minutes or never ended. */
const SOON_MS = 45_000;
/** On a busy machine. */
const LONGEST_TEST_MS = 240_000;

async function runLine(lab: AgentLab, command: string): ReturnType<AgentLab["play"]> {
  const script = lab.script([[use("Bash", { command })], say("done")]);
  return await lab.play({ args: ["-p", "go", "--script", script, "--allowedTools", "Bash"] });
}

describe("a repository that is not trusted", { timeout: LONGEST_TEST_MS }, () => {
  test.each([
    ["stars", (at: number) => `Bash(*a*b${at}*)`],
    ["many stars", (at: number) => `Bash(${"*a".repeat(10)}*b${at})`],
    ["plain words", (at: number) => `Bash(tool${at} *)`],
    ["paths", (at: number) => `Read(**/*a*b${at}*/**)`],
  ])("cannot freeze the program with thirty thousand rules: %s; the command is denied, not let through", async (_, rule) => {
    const lab = openAgentLab();
    lab.settings({ permissions: { deny: many(25_000, rule) } });
    const { cpuMs, stderr, exit } = await runLine(lab, `cat a.txt; ${MARK}`);
    expect(stderr).toContain("HL_PERMISSION_TOO_MANY");
    expect([exit, lab.read("project/ran.txt")]).toEqual([0, undefined]);
    expect(cpuMs).toBeLessThan(SOON_MS);
  });

  test("is left at once when SIGTERM comes, whatever its rules", async () => {
    const lab = openAgentLab();
    lab.settings({ permissions: { deny: many(25_000, (at) => `Bash(${"*a".repeat(10)}*b${at})`) } });
    const script = lab.script([...many(500, () => [use("Bash", { command: LONG_COMMAND })]), say("done")]);
    const child = lab.start({ args: ["-p", "go", "--script", script] });
    const end = ended(child);
    await wait(3000);
    const started = performance.now();
    child.kill("SIGTERM");
    await end;
    expect(performance.now() - started).toBeLessThan(SOON_MS);
  });

  test("with thousands of hooks, unknown events, directories or includes starts, in a few lines", async () => {
    const lab = openAgentLab();
    const hooks = many(4000, (at) => ({ matcher: `^a.*${at}$`, hooks: [{ type: "command", command: `echo ${at}` }] }));
    lab.settings({
      hooks: { PreToolUse: hooks, ...Object.fromEntries(many(5000, (at) => [`PreToolUs${at}`, []])) },
      permissions: { additionalDirectories: many(5000, (at) => `d${at}`) },
    });
    lab.write("project/CLAUDE.md", many(3000, (at) => `@inc/${at}.md`).join("\n"));
    for (let at = 0; at < 400; at++) lab.write(`project/inc/${at}.md`, `see @${(at + 1) % 400}.md`);
    const { exit, stdout, stderr, cpuMs } = await runLine(lab, "echo hello");
    expect([exit, stdout]).toEqual([0, "done\n"]);
    expect(stderr.split("\n").length).toBeLessThan(1500);
    expect(cpuMs).toBeLessThan(SOON_MS);
  });
});

describe("a transcript", { timeout: LONGEST_TEST_MS }, () => {
  function longSession(lab: AgentLab, count: number, more: readonly string[]): void {
    const [file = ""] = lab.stateFiles("sessions");
    const turns = many(count / 2, (at) => [
      { type: "user", uuid: `u${at}`, message: { role: "user", content: `hello ${at}` } },
      { type: "assistant", uuid: `a${at}`, message: { role: "assistant", content: [{ type: "text", text: `ok ${at}` }] } },
    ]).flat();
    writeFileSync(file, `${[...more, ...turns.map((line) => JSON.stringify(line))].join("\n")}\n`);
  }

  test("of 40,000 lines is resumed in time in proportion to its length, and wrong lines are said", async () => {
    const lab = openAgentLab();
    await lab.play({ args: ["-p", "go", "--script", lab.script([say("one")])] });
    const resume = async (count: number): Promise<number> => {
      longSession(lab, count, ["null", "[1]", '{"type":"user","message":{"content":[null]}}', "\u0000\u0000", '{"type":']);
      const { exit, stdout, stderr, cpuMs } = await lab.play({ args: ["--continue", "-p", "more", "--script", lab.script([say("two")])] });
      expect([exit, stdout]).toEqual([0, "two\n"]);
      expect(stderr).toMatch(/5 lines of the transcript .* could not be read \(the first is line 1\)/);
      return cpuMs;
    };
    await resume(1000);
    expect((await resume(40_000)) / (await resume(10_000))).toBeLessThan(10);
  });
});

describe("a trace", () => {
  test("of half a million lines is gone through in little memory, and reading it whole stops in time", () => {
    const lab = openAgentLab();
    const file = path.join(lab.base, "long.jsonl");
    const fd = openSync(file, "w");
    const line = (seq: number): string => `${JSON.stringify({ v: 2, seq, t: 0, mono: 0, session: "s", type: "fired", event: "Stop" })}\n`;
    for (let at = 0; at < 500_000; at += 10_000) writeSync(fd, many(10_000, (more) => line(at + more)).join(""));
    closeSync(fd);
    const trace = fileURLToPath(new URL("../../packages/hookloop/dist/lib/trace.js", import.meta.url));
    const program = `import { traceRecords, readTrace } from ${JSON.stringify(trace)};
      let count = 0; for (const record of traceRecords(process.argv[1])) count += record.seq >= 0 ? 1 : 0;
      process.stdout.write(count + " ");
      if (process.argv[2]) { const { records, isCut, problem } = readTrace(process.argv[1]); process.stdout.write(records.length + " " + isCut + " " + problem.code); }`;
    const run = (heap: number, whole: string): string =>
      spawnSync(process.execPath, [`--max-old-space-size=${heap}`, "--input-type=module", "-e", program, file, whole], {
        encoding: "utf8",
      }).stdout;
    expect(run(32, "")).toBe("500000 ");
    expect(run(256, "whole")).toMatch(/^500000 \d{6} true HL_TRACE_DAMAGED$/);
    expect(readFileSync(file).length).toBeGreaterThan(25_000_000);
  });
});
