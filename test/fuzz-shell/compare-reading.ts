import { posix } from "node:path";
import { readCommand } from "../../packages/hookloop/src/shell/read-command.ts";
import { type ShellCommand, UNKNOWN } from "../../packages/hookloop/src/shell/types.ts";
import { generateLine } from "./generate-line.ts";
import { type Run, runInBash } from "./run-in-bash.ts";

export interface FuzzResult {
  readonly lines: number;
  /** Programs that bash ran. */
  readonly runs: number;
  /** Lines that the reader does not claim to know. */
  readonly uncertain: number;
  /** What ran and was not shown. */
  readonly misses: readonly { readonly line: string; readonly run: Run }[];
}

/** Compares what bash runs for generated lines with what the reader shows. */
export async function fuzz(count: number, seed: number): Promise<FuzzResult> {
  const lines = new Map(Array.from({ length: count }, (_, index) => [index, generateLine(index, seed * 1_000_003 + index)]));
  const runs = await runInBash(lines);
  const result = { lines: count, runs: 0, uncertain: 0, misses: [] as { line: string; run: Run }[] };
  for (const [number, line] of lines) {
    const { commands, isUncertain } = readCommand(line);
    if (isUncertain) result.uncertain++;
    for (const run of runs.get(number) ?? []) {
      result.runs++;
      if (!isUncertain && !commands.some((command) => shows(command, run))) result.misses.push({ line, run });
    }
  }
  return result;
}

/** Whether the command, unknown parts filled in somehow, is what ran, and in that folder. */
export function shows({ words, folder }: ShellCommand, { name, args, folder: ranIn }: Run): boolean {
  const [first, ...rest] = words;
  if (!first) return false;
  const pattern = patternOf(first.text) + rest.map(({ text }) => (text === UNKNOWN ? "[^]*" : `\\x1f${patternOf(text)}`)).join("");
  if (!new RegExp(`^${pattern}$`).test([name, ...args].join("\x1f"))) return false;
  if (folder === undefined) return ranIn === "";
  // What is unknown may be the folder where the line started, which has no name here.
  const place = new RegExp(`^${patternOf(posix.normalize(folder).replace(/^\.$|\/$/, ""))}$`);
  return place.test(ranIn) || place.test(`/${ranIn}`);
}

function patternOf(text: string): string {
  return text
    .replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
    .replaceAll("~", ".*")
    .replaceAll(UNKNOWN, "[^]*");
}
