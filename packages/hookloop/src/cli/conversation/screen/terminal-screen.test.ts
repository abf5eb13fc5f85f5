import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { ReadStream, WriteStream } from "node:tty";
import { expect, test } from "vitest";
import { openTerminalScreen } from "./terminal-screen.ts";

function open(typedBefore: string): { readonly input: PassThrough; readonly lines: string[]; close(): void } {
  const input = Object.assign(new PassThrough(), { setRawMode: () => undefined });
  const output = Object.assign(new EventEmitter(), { write: () => true, getWindowSize: () => [80, 24] });
  const lines: string[] = [];
  input.write(typedBefore);
  const screen = openTerminalScreen({
    input: input as unknown as ReadStream,
    output: output as unknown as WriteStream,
    history: { entries: [], add: () => undefined },
    style: (_format, text) => text,
    inLocale: (text) => text,
    onLine: (line) => lines.push(line),
    onInterrupt: () => undefined,
    onStop: () => undefined,
    onMode: () => undefined,
    onLeave: () => undefined,
    complete: async () => [],
  });
  return { input, lines, close: () => screen.close() };
}

test("lines that were typed before the program had the terminal are entered, not kept as a draft", async () => {
  const { lines, close } = open("pwd\nls -la\n");
  await sleep(20);
  expect(lines).toEqual(["pwd", "ls -la"]);
  close();
});

test("Ctrl-J makes another line once the program has the terminal", async () => {
  const { input, lines, close } = open("");
  await sleep(300);
  input.write("one\ntwo\r");
  await sleep(20);
  expect(lines).toEqual(["one\ntwo"]);
  close();
});
