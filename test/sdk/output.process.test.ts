import type { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { answerOf, denial, type Ended, fixture, type RunOptions, runScript, toolCall } from "./run-script.ts";

const run = (args: readonly string[], options: RunOptions = {}): Promise<Ended> =>
  runScript(fixture("speaks.mjs"), { args, stdin: toolCall("ls"), ...options });
const FIVE_MB = 5 * 1024 * 1024;
const text = "ä0123456789".repeat(Math.ceil(FIVE_MB / 11)).slice(0, FIVE_MB);

/** Half a megabyte, then 300 ms of nothing, and again. */
function readSlowly(stdout: Readable): void {
  let taken = 0;
  stdout.on("data", (chunk: Buffer) => {
    taken += chunk.length;
    if (taken < 512 * 1024) return;
    taken = 0;
    stdout.pause();
    setTimeout(() => stdout.resume(), 300);
  });
}

describe.concurrent("a slow reader gets 5 MB whole:", () => {
  const contextAnswer = { hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext: text } };

  test.each<[string, string, RunOptions, object]>([
    ["context through a socket", "context", { onStdout: readSlowly }, contextAnswer],
    ["a reason through a socket", "deny", { onStdout: readSlowly }, denial(text)],
    ["context through a pipe", "context", { shell: '"$@" | (sleep 1; cat)' }, contextAnswer],
    ["context into a file", "context", { shell: 'file=$(mktemp) && "$@" >"$file" && cat "$file" && rm "$file"' }, contextAnswer],
  ])("%s", async (_, what, options, answer) => {
    const ended = await run([what, String(FIVE_MB)], { ...options, limitMs: 20_000 });
    expect(ended.exitCode).toBe(0);
    expect(answerOf(ended)).toEqual(answer);
  });
});

describe.concurrent("stdout that is not read", () => {
  /** The reader is gone before the hook has anything to say. */
  const gone: RunOptions = { onStdout: (stdout) => void stdout.destroy() };
  /** The reader leaves in the middle of the answer. */
  const leaves: RunOptions = { onStdout: (stdout) => void stdout.once("data", () => stdout.destroy()) };
  const full: RunOptions = { shell: '"$@" >/dev/full' };
  test.each<[string, string, RunOptions]>([
    ["a reader that is gone", "0", gone],
    ["a reader that leaves in the middle", String(FIVE_MB), leaves],
    ["a full disk", "0", full],
  ])("%s still gets a denial, by exit code 2 and stderr", async (_, size, options) => {
    const ended = await run(["deny", size], options);
    expect(ended).toMatchObject({ stderr: `${size === "0" ? "no" : text}\n`, exitCode: 2 });
  });

  test.each<[string, string, RunOptions]>([
    ["a reader that is gone", "20", gone],
    ["a reader that leaves in the middle", String(FIVE_MB), leaves],
    ["a full disk", "20", full],
  ])("%s: context is lost without a crash, with a message", async (_, size, options) => {
    const { stderr, exitCode } = await run(["context", size], options);
    expect({ stderr, exitCode }).toEqual({ stderr: expect.stringMatching(/^HL_SDK_STDOUT_CLOSED: .+\n$/), exitCode: 0 });
  });

  test("a guard that fails still blocks", async () => {
    expect(await run(["guard that fails"], gone)).toMatchObject({
      stderr: expect.stringMatching(/^The guard speaks failed, so it blocks. /),
      exitCode: 2,
    });
  });

  // The question, the new input or the stop is lost: the call must not happen as if the guard had agreed.
  test.each(["guard that asks", "guard that rewrites", "guard that stops"])("makes a %s block", async (way) => {
    expect((await runScript(fixture("top-level.mjs"), { args: [way], stdin: toolCall("ls"), ...gone })).exitCode).toBe(2);
  });

  test("is nothing to a hook without an opinion", async () => {
    expect(await run(["nothing"], gone)).toMatchObject({ stderr: "", exitCode: 0 });
  });
});

describe.concurrent("stderr that is not read", () => {
  test.each<[string, RunOptions]>([
    ["closed from the start", { shell: '"$@" 2>&-' }],
    ["on a full disk", { shell: '"$@" 2>/dev/full' }],
    ["whose reader is gone", { onStderr: (stderr) => void stderr.destroy() }],
  ])("%s changes no decision", async (_, options) => {
    expect(answerOf(await run(["guard that fails"], options))).toEqual(denial(expect.stringContaining("HL_SDK_HANDLER_FAILED")));
    expect(await run(["fails"], options)).toMatchObject({ stdout: "", exitCode: 1 });
    expect(answerOf(await run(["deny"], options))).toEqual(denial("no"));
  });

  test("beside a stdout that is not read leaves exit code 2", async () => {
    expect(await run(["deny"], { shell: '"$@" >/dev/full 2>/dev/full' })).toMatchObject({ stdout: "", stderr: "", exitCode: 2 });
  });
});
