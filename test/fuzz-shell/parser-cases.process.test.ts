import { beforeAll, describe, expect, test } from "vitest";
import { readCommand } from "../../packages/hookloop/src/shell/read-command.ts";
import { shows } from "./compare-reading.ts";
import { PARSER_CASES } from "./parser-cases.ts";
import { type Run, runInBash } from "./run-in-bash.ts";

const rows = PARSER_CASES.map(([text, expected], number) => ({ number, text: text.replaceAll("@", `w${number}x0`), expected }));
let ran: ReadonlyMap<number, readonly Run[]>;
beforeAll(async () => {
  ran = await runInBash(new Map(rows.map(({ number, text }) => [number, text])));
}, 60_000);

describe("what bash runs is shown or doubted", () => {
  test("the table is as long as the one the parser was chosen with", () => {
    expect(rows.length).toBeGreaterThanOrEqual(98);
  });

  test.each(rows)("$text", ({ number, text, expected }) => {
    const { commands, doubts } = readCommand(text);
    const runs = ran.get(number) ?? [];
    if (typeof expected === "string") {
      expect(doubts.map(({ code }) => code)).toContain(expected);
      return;
    }
    expect(doubts).toEqual([]);
    expect(runs.map(({ name, args }) => [name, ...args].join(" ").replaceAll(`w${number}x0`, "@")).sort()).toEqual([...expected].sort());
    for (const run of runs) expect(commands.some((command) => shows(command, run))).toBe(true);
  });
});
