import { expect, test } from "vitest";
import { userWho } from "./scripted-user.test-suite.ts";
import { createProgress, createShow } from "./show-steps.ts";

const LONG = Array.from({ length: 20 }, (_, at) => `line ${at + 1}`).join("\n");

/** What is printed when a tool gave the long text and the model answers. */
function shown(isOffline: boolean, answer: string): readonly string[] {
  const { screen, seen } = userWho();
  const shorten = (text: string): string => text;
  const hookOf = (): undefined => undefined;
  const progress = createProgress({ screen, hookOf, shorten });
  const show = createShow({ screen, progress, shorten, hookOf, isOffline: () => isOffline, hasDisplayHook: () => false });
  show.step({ type: "results", results: [{ type: "tool_result", tool_use_id: "1", content: LONG }] });
  show.step({ type: "text", piece: answer });
  return seen;
}

test("a long result that the offline model repeats is not shown twice: its length stands for the preview", () => {
  expect(shown(true, `\`cat a\` printed:\n${LONG}`)).toEqual(["  ⎿ 20 lines"]);
});

test("a long result that the answer does not repeat has its preview, whichever model answers", () => {
  const preview = ["  ⎿ line 1", ...[2, 3, 4, 5, 6].map((number) => `    line ${number}`), "    … 14 more lines"];
  expect(shown(true, "Done.")).toEqual(preview);
  expect(shown(false, `It printed:\n${LONG}`)).toEqual(preview);
});
