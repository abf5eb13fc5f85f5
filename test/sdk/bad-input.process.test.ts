import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { answerOf, denial, type Ended, fixture, type RunOptions, runScript, temporaryFolder, toolCall } from "./run-script.ts";

const WAYS = ["guard", "plain", "request guard", "guard of two events", "S4 guard", "S4 plain"] as const;
type Way = (typeof WAYS)[number];

const run = (way: Way, options: RunOptions): Promise<Ended> => runScript(fixture("no-force.mjs"), { args: [way], ...options });
const eventOf = (way: Way): string => (way === "request guard" ? "PermissionRequest" : "PreToolUse");

interface Row {
  readonly given: string;
  readonly code: string;
  /** What the message tells the reader to do. */
  readonly cure: RegExp;
  readonly options: (event: string) => RunOptions;
  /** Which event the script can know of: its own, the payload's, or neither. */
  readonly event: "declared" | "given" | "unknown";
}

const noStdin = { code: "HL_SDK_STDIN_EMPTY", cure: /To try the hook: / };
const noJson = { code: "HL_SDK_STDIN_INVALID", cure: /Send one JSON object in UTF-8/ };
const noEvent = { code: "HL_SDK_EVENT_MISSING", cure: /Send one JSON object/ };
const tooSlow = { code: "HL_SDK_STDIN_TIMEOUT", cure: /Close stdin after writing the event/ };
const impatient = { env: { HOOKLOOP_STDIN_TIMEOUT_MS: "300" }, afterwards: "stay open" } as const;

const ROWS: readonly Row[] = [
  { given: "empty stdin", ...noStdin, event: "declared", options: () => ({}) },
  { given: "white space", ...noStdin, event: "declared", options: () => ({ stdin: " \n\t" }) },
  { given: "closed stdin", ...noStdin, event: "declared", options: () => ({ shell: '"$@" <&-' }) },
  { given: "a folder as stdin", ...noStdin, event: "declared", options: () => ({ shell: '"$@" </tmp' }) },
  { given: "a silent terminal", ...noStdin, event: "declared", options: () => ({ shell: onTerminal() }) },
  { given: "[]", ...noEvent, event: "declared", options: () => ({ stdin: "[]" }) },
  { given: "null", ...noEvent, event: "declared", options: () => ({ stdin: "null" }) },
  { given: "{", ...noJson, event: "declared", options: () => ({ stdin: "{" }) },
  { given: "bytes that are not UTF-8", ...noJson, event: "declared", options: (event) => ({ stdin: latin1(event) }) },
  {
    given: "no hook_event_name",
    ...noEvent,
    event: "declared",
    options: () => ({ stdin: toolCall("ls", { hook_event_name: undefined }) }),
  },
  {
    given: "a hook_event_name that is a number",
    ...noEvent,
    event: "declared",
    options: () => ({ stdin: toolCall("ls", { hook_event_name: 5 }) }),
  },
  {
    given: "an unknown event",
    code: "HL_SDK_EVENT_UNKNOWN",
    cure: /`hookloop events` lists them/,
    event: "unknown",
    options: () => ({ stdin: toolCall("ls", { hook_event_name: "PreTooluse" }) }),
  },
  {
    given: "a missing field",
    code: "HL_SDK_FIELD_MISSING",
    cure: /See `hookloop events P\w+`/,
    event: "given",
    options: (event) => ({ stdin: toolCall("ls", { hook_event_name: event, tool_input: undefined }) }),
  },
  {
    given: "half a document and silence",
    ...tooSlow,
    event: "declared",
    options: () => ({ ...impatient, stdin: toolCall("ls").slice(0, 60) }),
  },
  { given: "an open stdin and silence", ...tooSlow, event: "declared", options: () => impatient },
];

function latin1(event: string): Buffer {
  return Buffer.from(toolCall("caf\u00e9", { hook_event_name: event }), "latin1");
}

/** stdin is a terminal, stdout and stderr are not: the way of a user who tries a hook with `node hook.mjs >answer`. */
function onTerminal(): string {
  const folder = temporaryFolder();
  // `script` runs its command in a shell of its own, so the way's spaces need quotes.
  return `script -qec "'$1' '$2' '$3' >${folder}/out 2>${folder}/err" /dev/null >/dev/null; code=$?; cat ${folder}/out; cat ${folder}/err >&2; exit $code`;
}

const hasTerminal = existsSync("/usr/bin/script");

type Answer = "exit 0" | "exit 1" | "exit 2" | "PreToolUse deny" | "PermissionRequest deny";

/** What each way says to an event it cannot read, by what it can know of that event. */
const ANSWERS: Readonly<Record<Way, Readonly<Record<Row["event"], Answer>>>> = {
  guard: { declared: "PreToolUse deny", given: "PreToolUse deny", unknown: "exit 2" },
  plain: { declared: "exit 1", given: "exit 1", unknown: "exit 1" },
  "request guard": { declared: "PermissionRequest deny", given: "PermissionRequest deny", unknown: "exit 2" },
  "guard of two events": { declared: "exit 2", given: "PreToolUse deny", unknown: "exit 2" },
  "S4 guard": { declared: "exit 2", given: "PreToolUse deny", unknown: "exit 2" },
  "S4 plain": { declared: "exit 0", given: "exit 0", unknown: "exit 0" },
};

function expectAnswer(ended: Ended, answer: Answer, { code, cure }: Pick<Row, "code" | "cure">): void {
  const { stdout, stderr, exitCode } = ended;
  expect(stderr).toMatch(cure);
  if (answer === "exit 0" || answer === "exit 1") {
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: answer === "exit 0" ? 0 : 1 });
    expect(stderr).toMatch(new RegExp(`^${code}: .*\\n$`));
    return;
  }
  const reason = expect.stringMatching(new RegExp(`^The guard no-force failed, so it blocks. ${code}: `));
  if (answer === "exit 2") {
    expect({ stdout, stderr, exitCode }).toEqual({ stdout: "", stderr: reason, exitCode: 2 });
    return;
  }
  expect(exitCode).toBe(0);
  const request = { hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "deny", message: reason } } };
  expect(answerOf(ended)).toEqual(answer === "PreToolUse deny" ? denial(reason) : request);
}

for (const way of WAYS) {
  describe.concurrent(`${way}, stdin that is no event`, () => {
    for (const row of ROWS) {
      const answer = ANSWERS[way][row.event];
      test(`${row.given} ends in ${answer}`, async ({ skip }) => {
        skip(row.given.includes("terminal") && !hasTerminal, "needs script(1) of util-linux to make a terminal");
        expectAnswer(await run(way, row.options(eventOf(way))), answer, row);
      });
    }

    test(`an endless stream ends in ${ANSWERS[way].declared}, in bounded time and memory`, async () => {
      const file = path.join(temporaryFolder(), "memory");
      const ended = await run(way, { stdin: " ".repeat(1024 * 1024), afterwards: "repeat", env: { MEMORY_FILE: file }, limitMs: 40_000 });
      expectAnswer(ended, ANSWERS[way].declared, { code: "HL_SDK_STDIN_TOO_LARGE", cure: /over 64 MiB/ });
      // The bytes so far, twice, and Node itself.
      expect(Number(readFileSync(file, "utf8"))).toBeLessThan(300 * 1024);
    });
  });
}

test("the message about a stream that is too large says what to do", async () => {
  const { stderr } = await run("plain", { stdin: " ".repeat(1024 * 1024), afterwards: "repeat", limitMs: 40_000 });
  expect(stderr).toMatch(/^HL_SDK_STDIN_TOO_LARGE: the event is over 64 MiB\. [A-Z]/);
});

test("of two documents the first is the event, in one piece or in two", async () => {
  const [first, second] = [toolCall("git push --force"), toolCall("ls")];
  expect(answerOf(await run("guard", { stdin: first + second }))).toEqual(denial(expect.any(String)));
  expect(
    answerOf(
      await run("guard", { shell: `(printf %s "$FIRST"; sleep 0.2; printf %s "$SECOND") | "$@"`, env: { FIRST: first, SECOND: second } }),
    ),
  ).toEqual(denial(expect.any(String)));
});

test("the wait for a whole document is bounded though a byte comes now and then", async () => {
  const env = { HOOKLOOP_STDIN_TIMEOUT_MS: "300" };
  const ended = await run("guard", {
    env,
    shell: '(for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do printf " "; sleep 0.2; done; sleep 9) | "$@"',
    limitMs: 4000,
  });
  expect(answerOf(ended)).toEqual(denial(expect.stringContaining("HL_SDK_STDIN_TIMEOUT")));
});

describe.concurrent.each(WAYS.filter((way) => way !== "request guard"))("%s, stdin that is an event", (way) => {
  const large = "x".repeat(10 * 1024 * 1024);

  test.each<[string, RunOptions]>([
    ["a payload of 10 MB", { stdin: toolCall(`git push ${large} --force`) }],
    ["a byte order mark", { stdin: `\uFEFF${toolCall("git push --force")}` }],
    ["white space around the document", { stdin: `\r\n ${toolCall("git push --force")}\n\n` }],
    ["brackets and quotes inside strings", { stdin: toolCall('echo "}]\\" git push --force') }],
    ["a file as stdin", { stdin: "", shell: `echo '${toolCall("git push --force")}' >"$TMP_FILE"; "$@" <"$TMP_FILE"` }],
  ])("%s is understood", async (_, options) => {
    const ended = await run(way, { ...options, env: { TMP_FILE: path.join(temporaryFolder(), "event") } });
    expect(answerOf(ended)).toEqual(denial("no --force"));
    expect(ended).toMatchObject({ stderr: "", exitCode: 0 });
  });

  test("10 MB without anything wrong is let through without a word", async () => {
    expect(await run(way, { stdin: toolCall(large) })).toMatchObject({ stdout: "", stderr: "", exitCode: 0 });
  });

  test("a whole document is answered at once though stdin stays open", async () => {
    const ended = await run(way, { stdin: toolCall("git push --force"), afterwards: "stay open" });
    expect(answerOf(ended)).toEqual(denial("no --force"));
    // The wait for silence is five seconds.
    expect(ended.durationMs).toBeLessThan(4500);
  });

  test("a document that comes in pieces is put together", async () => {
    const half = toolCall("git push --force").slice(0, 100);
    const rest = toolCall("git push --force").slice(100);
    const ended = await run(way, { shell: `(printf %s '${half}'; sleep 0.3; printf %s '${rest}') | "$@"` });
    expect(answerOf(ended)).toEqual(denial("no --force"));
  });
});
