/** Text that bash evaluates: what it runs is compared with what reading shows. */
import { beforeAll, expect, test } from "vitest";
import { readCommand } from "../../packages/hookloop/src/shell/read-command.ts";
import { shows } from "../fuzz-shell/compare-reading.ts";
import { CARRIERS, EVALUATORS, LINES, PAYLOADS } from "../fuzz-shell/evaluated-lines.ts";
import { type Run, runInBash } from "../fuzz-shell/run-in-bash.ts";

/** Every tenth pair; `npm run fuzz:shell` draws from all of them. */
const pairs = EVALUATORS.flatMap((evaluator, row) =>
  CARRIERS.filter((_, column) => (row + column) % 10 === 0).map((carrier) => ({ evaluator, carrier })),
);
const makers: readonly ((command: string) => string)[] = [
  ...LINES.map((line) => (command: string) => line.replaceAll("RUN", () => command)),
  ...pairs.map(
    ({ evaluator, carrier }, index) =>
      (command: string) =>
        carrier((PAYLOADS[index % PAYLOADS.length] ?? PAYLOADS[0])(command), evaluator),
  ),
];
const rows = makers.map((make, number) => ({ number, text: make(`c1 w${number}x0`) }));
let ran: ReadonlyMap<number, readonly Run[]>;
beforeAll(async () => {
  ran = await runInBash(new Map(rows.map(({ number, text }) => [number, text])));
}, 120_000);

test("commands that bash finds in quoted text are shown, or the line is doubted", () => {
  const missed = rows.filter(({ number, text }) => {
    const { commands, isUncertain } = readCommand(text);
    return !isUncertain && (ran.get(number) ?? []).some((run) => !commands.some((command) => shows(command, run)));
  });
  expect(missed.map(({ text }) => text)).toEqual([]);
  // Else it would prove nothing.
  expect(ran.size).toBeGreaterThan(rows.length / 2);
});
