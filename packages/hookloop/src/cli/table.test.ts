import { expect, test } from "vitest";
import { eventTable } from "./commands/events.ts";
import { textWidth } from "./screen/text-width.ts";
import { table } from "./terminal.ts";

const NAMES = ["no-rm", 'node "$CLAUDE_PROJECT_DIR"/hooks/no-deploy-to-production-on-fridays.mjs', "日本語のフック"];
const rows = NAMES.map((name, at) => [`project:PreToolUse:012345678${at}`, "definition-only", "blocks", "Edit|Write", name]);
const heading = ["HOOK", "STATE", "RUNS", "MATCHER", "NAME"];
const flat = (text: string): string => text.replace(/\s+/g, "");

test.each([40, 60, 80, 100, 120, 200])("at %i columns no line is wider, and every cell is there whole", (columns) => {
  const shown = table({ heading, rows, columns, title: 4 });
  for (const line of shown.split("\n")) expect(textWidth(line)).toBeLessThanOrEqual(columns);
  for (const cell of rows.flat()) expect(flat(shown)).toContain(flat(cell));
  expect(shown).not.toContain("…");
});

test.each([40, 80, 120])("at %i columns the list of events fits and says when each fires", (columns) => {
  const shown = eventTable(columns);
  for (const line of shown.split("\n")) expect(textWidth(line)).toBeLessThanOrEqual(columns);
  expect(shown).toMatch(/^PostToolUseFailure\b/m);
  expect(shown).not.toContain("…");
});

test("without a terminal each row is one line", () => {
  expect(table({ heading, rows, columns: Number.POSITIVE_INFINITY, title: 4 }).split("\n")).toHaveLength(4);
});
