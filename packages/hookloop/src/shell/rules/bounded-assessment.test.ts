import { describe, expect, test } from "vitest";
import { assessCommand } from "./assess-command.ts";

/** The longest line that is read, made of one piece again and again: its commands must not be compared with each other one by one. */

const LONGEST = 8192;
const CONTEXT = { cwd: "/home/user/project", home: "/home/user" };

function lineOf(piece: (at: number) => string, start = "", end = ""): string {
  let line = start;
  for (let at = 0; line.length + piece(at).length + end.length <= LONGEST; at++) line += piece(at);
  return line + end;
}

/** Milliseconds of the processor: other tests run beside this one. */
function costOf(line: string): number {
  const before = process.cpuUsage();
  assessCommand(line, CONTEXT);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const LINES: readonly (readonly [string, string])[] = [
  ["links to links", lineOf((at) => `ln -s b${at} b${at + 1};`, "", "cat b0/x")],
  ["links", lineOf((at) => `ln -s a${at} b${at};`)],
  ["links in folders", lineOf((at) => `cd d${at}; ln -s .. u; cat u/x; `)],
  ["lists, and a change of what is not known", lineOf(() => "ls;", "rm $x;")],
  ["lists in a pipe", lineOf(() => "ls|")],
  ["lists that are handed on", lineOf((at) => `find a${at}|xargs rm;`)],
  ["lists that are kept", lineOf((at) => `ls>l${at};`, "", "rm $x")],
  ["git", lineOf(() => "git p;")],
  ["names that are not known", lineOf(() => "rm $x;")],
  ["braces", lineOf(() => "{a,b}", "cat ")],
  ["defaults", lineOf((at) => `\${a${at}:-b}`, "cat ")],
  ["values", lineOf((at) => `a${at}=$a${at + 1};`, "", "cat $a0")],
  ["descriptors", lineOf(() => "cat 9<x /dev/fd/9/y;")],
  ["folders", lineOf((at) => `cd a${at};`, "", "rm x")],
  ["folders that may not be", lineOf(() => "cd a||b;")],
];

describe("the longest line is judged soon", () => {
  test.each(LINES)("%s", (_, line) => expect(costOf(line)).toBeLessThan(1500));
});
