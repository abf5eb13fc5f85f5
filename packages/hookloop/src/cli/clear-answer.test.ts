import { expect, test } from "vitest";
import { reviewAnswer, yesOrNo } from "./clear-answer.ts";

test.each(["y", "yes", "Yes please", "yes, please", "ok thanks", "sure!", "Yes please."])("%j is a yes, and approves", (given) => {
  expect(yesOrNo(given)).toEqual({ isYes: true });
  expect(reviewAnswer(given, false)).toBe("approve");
});

test.each(["yes but not that", "please", "yes pleaser", "y n", "yes please no"])("%j is not clear", (given) => {
  expect(yesOrNo(given)).toBeUndefined();
  expect(reviewAnswer(given, false)).toBeUndefined();
});

test("a no may have a reason, and not now is one", () => {
  expect(yesOrNo("no, use another name")).toEqual({ isYes: false, reason: "use another name" });
  expect(reviewAnswer("not now", false)).toBe("later");
});
