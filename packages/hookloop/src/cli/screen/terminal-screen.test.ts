import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { ReadStream, WriteStream } from "node:tty";
import { afterEach, describe, expect, test } from "vitest";
import { openPlainScreen, type Screen } from "./screen.ts";
import { openTerminalScreen } from "./terminal-screen.ts";

interface Opened {
  readonly screen: Screen;
  readonly input: PassThrough;
  /** What was entered as a prompt. */
  readonly lines: string[];
  /** What was written. */
  readonly written: () => string;
  /** The time in which the question cannot have been read goes by. */
  read(): void;
  readonly isWaiting: () => boolean;
}

const opened: Screen[] = [];
afterEach(() => {
  for (const screen of opened.splice(0)) screen.close();
});

/** `flush`: the terminal takes what is written. */
function open(typedBefore = "", kind: "terminal" | "plain" = "terminal", flush = true): Opened {
  const input = Object.assign(new PassThrough(), { setRawMode: () => undefined });
  let written = "";
  let waiting: (() => void) | undefined;
  const write = (text: string, done?: () => void): boolean => {
    written += text;
    if (flush && done) setImmediate(done);
    return true;
  };
  const output = Object.assign(new EventEmitter(), { write, getWindowSize: () => [80, 24], columns: 80 });
  const lines: string[] = [];
  input.write(typedBefore);
  const options = {
    input: input as unknown as ReadStream,
    output: output as unknown as WriteStream,
    history: { entries: [], add: () => undefined },
    style: (_format: string, text: string) => text,
    inLocale: (text: string) => text,
    onLine: (line: string) => lines.push(line),
    onInterrupt: () => undefined,
    onStop: () => undefined,
    onMode: () => undefined,
    onLeave: () => undefined,
    complete: async () => [],
    waitForReader: (done: () => void) => {
      waiting = done;
      return () => {
        waiting = undefined;
      };
    },
  };
  const screen = kind === "terminal" ? openTerminalScreen(options) : openPlainScreen(options);
  opened.push(screen);
  return {
    screen,
    input,
    lines,
    written: () => written,
    read() {
      waiting?.();
      waiting = undefined;
    },
    isWaiting: () => waiting !== undefined,
  };
}

/** What was typed has been taken, and what is to be drawn is drawn. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
}

/** The answer if there is one. */
function answerOf(asked: Promise<string | undefined>): () => string | undefined {
  let answer: string | undefined = "(open)";
  void asked.then((given) => {
    answer = given;
  });
  return () => answer;
}

test("lines that were typed before the program had the terminal are entered, not kept as a draft", async () => {
  const { lines } = open("pwd\nls -la\n");
  await sleep(20);
  expect(lines).toEqual(["pwd", "ls -la"]);
});

test("Ctrl-J makes another line once the program has the terminal", async () => {
  const { input, lines } = open("");
  await sleep(300);
  input.write("one\ntwo\r");
  await sleep(20);
  expect(lines).toEqual(["one\ntwo"]);
});

describe.each(["terminal", "plain"] as const)("a question on a %s screen", (kind) => {
  const enter = kind === "terminal" ? "\r" : "\n";

  test("is not answered by what was typed before it was on the screen", async () => {
    const { screen, input, written, isWaiting } = open("", kind, false);
    const answer = answerOf(screen.ask("Allow it?"));
    await settled();
    input.write(`y${enter}`);
    await settled();
    expect([answer(), isWaiting()]).toEqual(["(open)", false]);
    expect(written()).toContain('"y" was typed before the question could be read, and does not answer it.');
  });

  test("is not answered by what was typed before it could be read", async () => {
    const { screen, input, read, isWaiting } = open("", kind);
    const answer = answerOf(screen.ask("Allow it?"));
    await settled();
    expect(isWaiting()).toBe(true);
    input.write(`y${enter}`);
    await settled();
    expect(answer()).toBe("(open)");
    read();
    input.write(`n${enter}`);
    await settled();
    expect(answer()).toBe("n");
  });

  test("is answered by what is typed once it could be read", async () => {
    const { screen, input, read } = open("", kind);
    const answer = answerOf(screen.ask("Allow it?"));
    await settled();
    read();
    input.write(`y${enter}`);
    await settled();
    expect(answer()).toBe("y");
  });

  test("that comes right after another one is not answered by what was meant for the first", async () => {
    const { screen, input, read } = open("", kind);
    const first = answerOf(screen.ask("Allow it?"));
    const second = answerOf(screen.ask("Approve it?"));
    await settled();
    read();
    input.write(`y${enter}y${enter}`);
    await settled();
    expect([first(), second()]).toEqual(["y", "(open)"]);
    read();
    input.write(`y${enter}`);
    await settled();
    expect(second()).toBe("y");
  });
});

test("whoever is typing when a question comes types on where they were, until they stop for long enough to read it", async () => {
  const { screen, input, lines, read, isWaiting } = open();
  input.write("run l");
  await settled();
  const answer = answerOf(screen.ask("Allow it?"));
  await settled();
  input.write("s");
  await settled();
  expect(isWaiting()).toBe(true);
  read();
  input.write("n\r");
  await settled();
  expect(answer()).toBe("n");
  input.write(" -la\r");
  await settled();
  expect(lines).toEqual(["run ls -la"]);
});
