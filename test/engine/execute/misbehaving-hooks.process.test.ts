import { describe, expect, it } from "vitest";
import type { RawOutcome } from "../../../packages/hookloop/src/run/types.ts";
import { isLive, liveGroup, runLine, type ShellEnd, until } from "./processes.ts";

// Every line first notes its process group (`$$` leads it), so that the test can look for what is left of it.
const MARK = 'echo $$ > "$F/group"; ';
const BIG = { input: { tool_input: { command: "x".repeat(4 * 1024 * 1024) } } };
const LIMIT = 600;

/** What is left alive of a run's own group. */
function survivors({ file }: ShellEnd): number[] {
  return liveGroup(Number(file("group")));
}

interface Misbehaviour {
  readonly fault: string;
  readonly line: string;
  readonly bigInput?: boolean;
  /** Left out: the hook must end by itself, long before. */
  readonly limitMs?: number;
  readonly expected: Partial<RawOutcome>;
  readonly check?: (end: ShellEnd) => void;
}

const failed = (kind: string): Partial<RawOutcome> => ({ failure: expect.objectContaining({ kind }) }) as Partial<RawOutcome>;

const MISBEHAVIOURS: Misbehaviour[] = [
  {
    fault: "35: never reads 4 MB of stdin, and answers",
    line: "echo kept; exit 0",
    bigInput: true,
    expected: { failure: undefined, stdout: "kept\n", exitCode: 0, isInputUnread: true },
  },
  {
    fault: "35: closes stdin at once, continues, and answers",
    line: "exec <&-; sleep 0.2; echo kept",
    bigInput: true,
    expected: { failure: undefined, stdout: "kept\n", isInputUnread: true },
  },
  { fault: "36: never reads 4 MB of stdin and sleeps", line: "sleep 100", bigInput: true, limitMs: LIMIT, expected: failed("timeout") },
  {
    fault: "37: writes 900 kB before it reads 4 MB",
    line: "head -c 900000 /dev/zero | tr '\\0' y; wc -c >&2",
    bigInput: true,
    expected: { failure: undefined, isTruncated: false, isInputUnread: false },
    check: ({ outcome }) => {
      expect(outcome.stdout).toHaveLength(900_000);
      expect(Number(outcome.stderr)).toBeGreaterThan(4 * 1024 * 1024);
    },
  },
  {
    fault: "37: writes 2 MB before it reads: no deadlock, the first MiB is kept",
    line: "head -c 2000000 /dev/zero | tr '\\0' y; wc -c >&2",
    bigInput: true,
    expected: { failure: undefined, isTruncated: true, exitCode: 0 },
    check: ({ outcome }) => expect(outcome.stdout).toHaveLength(1024 * 1024),
  },
  { fault: "38: ignores SIGTERM", line: "trap '' TERM; while :; do sleep 0.05; done", limitMs: LIMIT, expected: failed("timeout") },
  {
    fault: "38: ignores SIGTERM, in python",
    line: `exec python3 -c 'import signal,time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(100)'`,
    limitMs: 1500,
    expected: failed("timeout"),
  },
  {
    fault: "38: uses the grace after SIGTERM to tidy up",
    line: `trap 'echo tidy > "$F/tidy"; exit 0' TERM; while :; do sleep 0.05; done`,
    limitMs: LIMIT,
    expected: { ...failed("timeout"), exitCode: 0 },
    check: ({ file }) => expect(file("tidy")).toBe("tidy"),
  },
  {
    fault: "38: its child ignores SIGTERM while it does not",
    line: "sh -c 'trap \"\" TERM; while :; do sleep 0.05; done' & wait",
    limitMs: LIMIT,
    expected: failed("timeout"),
  },
  {
    fault: "41: forks a tree and hangs",
    line: "for a in 1 2 3; do (for b in 1 2 3; do (trap '' TERM; sleep 100) & done; wait) & done; wait",
    limitMs: LIMIT,
    expected: failed("timeout"),
  },
  { fault: "42: floods stdout", line: "yes", expected: { ...failed("flood"), isTruncated: true } },
  { fault: "42: floods stderr", line: "yes >&2", expected: { ...failed("flood"), isTruncated: true } },
  {
    fault: "42: floods stdout and ignores SIGTERM",
    line: "trap '' TERM; while :; do head -c 1000000 /dev/zero; done",
    expected: failed("flood"),
  },
  {
    fault: "42: prints 40 MB on stdout and 8 MB on stderr, then blocks: that is much, but not without end, and the exit code counts",
    line: "head -c 40000000 /dev/zero; head -c 8000000 /dev/zero >&2; exit 2",
    expected: { failure: undefined, exitCode: 2, isTruncated: true, isAnswerCut: true },
    check: ({ outcome }) => expect([outcome.stdout.length, outcome.stderr.length]).toEqual([1024 * 1024, 256 * 1024]),
  },
  {
    fault: "42: only stderr is more than is kept: the answer is whole",
    line: "echo answer; head -c 300000 /dev/zero >&2",
    expected: { failure: undefined, stdout: "answer\n", isTruncated: true, isAnswerCut: false },
  },
  {
    fault: "43: closes stdout and stderr, then exits",
    line: "exec >&- 2>&-; exit 2",
    expected: { failure: undefined, exitCode: 2, stdout: "" },
  },
  { fault: "43: closes all three, then hangs", line: "exec <&- >&- 2>&-; sleep 100", limitMs: LIMIT, expected: failed("timeout") },
  {
    fault: "44: prints allow, then dies of SIGKILL",
    line: `echo '{"decision":"approve"}'; kill -9 $$`,
    expected: { ...failed("signal"), exitCode: null, signal: "SIGKILL", stdout: '{"decision":"approve"}\n' },
  },
  {
    fault: "44: prints allow, then dies of SIGSEGV, its child lives on",
    line: `sleep 100 & echo '{"decision":"approve"}'; kill -SEGV $$`,
    expected: { ...failed("signal"), exitCode: null, signal: "SIGSEGV" },
  },
  { fault: "45: stops itself", line: "kill -STOP $$; echo never", limitMs: LIMIT, expected: { ...failed("timeout"), stdout: "" } },
  {
    fault: "46: prints bytes that are no UTF-8",
    line: 'printf \'{"a":"\\377\\376"}\'',
    expected: { failure: undefined, isBinary: true, stdout: '{"a":"\ufffd\ufffd"}' },
  },
  {
    fault: "46: prints NUL and ANSI escapes",
    line: "printf 'a\\0b\\033[31mred'",
    expected: { failure: undefined, isBinary: false, stdout: "a\0b\u001b[31mred" },
  },
  {
    fault: "46: splits characters over many writes",
    line: "for i in 1 2 3 4 5; do printf '\\342'; sleep 0.02; printf '\\202'; sleep 0.02; printf '\\254'; done",
    expected: { failure: undefined, isBinary: false, stdout: "€€€€€" },
  },
  {
    fault: "46: prints a lone surrogate",
    line: "printf '\\355\\240\\200'",
    expected: { failure: undefined, isBinary: true },
  },
];

describe("a hook that misbehaves is contained", () => {
  it.each(MISBEHAVIOURS)("fault $fault", async ({ line, bigInput, limitMs = 20_000, expected, check }) => {
    const end = await runLine({ line: MARK + line, hook: { timeoutMs: limitMs }, input: bigInput ? BIG : {} });
    expect(end.outcome).toMatchObject(expected);
    // Most of them would take 100 s; a busy machine adds some seconds to a limit.
    expect(end.elapsedMs).toBeLessThan(10_000);
    expect(survivors(end)).toEqual([]);
    check?.(end);
  });
});

describe("what outlives its hook", () => {
  it("39: a helper that holds stdout does not delay the answer of a hook that succeeded, and is left alone", async () => {
    const end = await runLine({ line: `${MARK}(sleep 100; touch "$F/late") & echo $! > "$F/helper"; echo ok` });
    const helper = Number(end.file("helper"));
    try {
      expect(end.outcome).toMatchObject({ failure: undefined, stdout: "ok\n", exitCode: 0, pipesHeld: true });
      expect(end.elapsedMs).toBeLessThan(5000);
      expect(isLive(helper)).toBe(true);
    } finally {
      process.kill(-Number(end.file("group")), "SIGKILL");
    }
  });

  it("39: a helper that redirected its output is no pipe holder", async () => {
    const end = await runLine({ line: `${MARK}sleep 100 >/dev/null 2>&1 & echo ok` });
    try {
      expect(end.outcome).toMatchObject({ stdout: "ok\n", pipesHeld: false });
      expect(survivors(end)).toHaveLength(1);
    } finally {
      process.kill(-Number(end.file("group")), "SIGKILL");
    }
  });

  it("39: output that comes shortly after the exit still counts", async () => {
    const { outcome } = await runLine({ line: "(sleep 0.05; echo late) & echo early" });
    expect(outcome).toMatchObject({ stdout: "early\nlate\n", pipesHeld: false });
  });

  it("40: a child in its own session, holding the pipe of a hook that hangs, is ended with it", async () => {
    const end = await runLine({ line: `${MARK}setsid sh -c 'echo $$ > "$F/escaped"; sleep 100' & sleep 100`, hook: { timeoutMs: LIMIT } });
    expect(end.outcome).toMatchObject({ ...failed("timeout"), pipesHeld: false });
    expect(end.elapsedMs).toBeLessThan(10_000);
    expect(survivors(end)).toEqual([]);
    expect(isLive(Number(end.file("escaped")))).toBe(false);
  });
});

describe("the host stays small", () => {
  it("42: a flood of gigabytes adds little to its memory", async () => {
    const before = process.memoryUsage().rss;
    const end = await runLine({ line: `${MARK}trap '' TERM; while :; do head -c 100000000 /dev/zero; done` });
    const grown = process.memoryUsage().rss - before;
    expect(end.outcome.failure?.kind).toBe("flood");
    expect(end.outcome.stdout).toHaveLength(1024 * 1024);
    expect(grown).toBeLessThan(150 * 1024 * 1024);
    expect(survivors(end)).toEqual([]);
  });

  it("42: a hundred thousand writes of one byte are kept as text, not as objects", async () => {
    const before = process.memoryUsage();
    const line = `exec node -e 'for (let i = 0; i < 1e5; i++) require("fs").writeSync(1, "x")'`;
    const { outcome } = await runLine({ line });
    expect(outcome.stdout).toHaveLength(100_000);
    expect(process.memoryUsage().heapUsed - before.heapUsed).toBeLessThan(100 * 1024 * 1024);
  });
});

describe("time", () => {
  it("a hook that answered while the host was busy past the limit is not called late", async () => {
    const running = runLine({ line: "echo in time", hook: { timeoutMs: 300 } });
    // The process is started in a microtask; from then on the host is busy for longer than the limit.
    await new Promise((resolve) => setImmediate(resolve));
    const busyUntil = performance.now() + 1500;
    while (performance.now() < busyUntil);
    expect((await running).outcome).toMatchObject({ failure: undefined, stdout: "in time\n" });
  });

  it("58: a hook slower than its short limit on a busy machine is a timeout, every time", async () => {
    const spin = await Promise.all(Array.from({ length: 6 }, () => runLine({ line: `sleep 5; echo allow`, hook: { timeoutMs: 50 } })));
    expect(spin.map(({ outcome }) => outcome.failure?.kind)).toEqual(Array(6).fill("timeout"));
  });

  it("a jump of the wall clock changes neither the limit nor the duration", async () => {
    const now = Date.now;
    try {
      const running = runLine({ line: "sleep 100", hook: { timeoutMs: 300 } });
      Date.now = () => now() - 3_600_000;
      const { outcome } = await running;
      expect(outcome.failure?.kind).toBe("timeout");
      expect(outcome.durationMs).toBeGreaterThanOrEqual(290);
      expect(outcome.durationMs).toBeLessThan(5000);
    } finally {
      Date.now = now;
    }
  });

  it("a limit that no timer can hold does not fire at once", async () => {
    const { outcome } = await runLine({ line: "sleep 0.1; echo done", hook: { timeoutMs: Number.POSITIVE_INFINITY } });
    expect(outcome).toMatchObject({ failure: undefined, stdout: "done\n" });
  });
});

it("nothing of a run keeps the host alive or busy afterwards", async () => {
  const before = process.getActiveResourcesInfo().length;
  await runLine({ line: "sleep 3 & echo ok", hook: { timeoutMs: 1000 } }).then(({ outcome }) => expect(outcome.pipesHeld).toBe(true));
  await runLine({ line: "sleep 100", hook: { timeoutMs: 100 } });
  await until(() => process.getActiveResourcesInfo().length <= before);
});
