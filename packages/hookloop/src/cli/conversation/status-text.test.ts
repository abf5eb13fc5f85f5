import { expect, test } from "vitest";
import { statusText } from "./ask-permission.ts";

type Session = Parameters<typeof statusText>[0];

function sessionWith(refused: readonly { readonly id: string; readonly blocks?: boolean }[]): Session {
  const session = {
    agent: { modelName: () => "offline" },
    permissions: { mode: "default" },
    hooks: {
      admitted: [{ id: "a" }, { id: "b" }, { id: "c" }],
      notRunning: () => refused.map(({ id, blocks }) => ({ hook: { id }, blocks })),
    },
    isScripted: false,
  };
  return session as unknown as Session;
}

test.each([
  [[], "offline · default · 3 hooks · ~/p"],
  [[{ id: "a" }], "1 of 3 hooks will not run: /hooks · offline · default · ~/p"],
  [[{ id: "a", blocks: true }], "1 of 3 hooks blocks what it matches: /hooks · offline · default · ~/p"],
  [
    [{ id: "a", blocks: true }, { id: "b", blocks: true }, { id: "x" }],
    "1 of 4 hooks will not run, 2 block what they match: /hooks · offline · default · ~/p",
  ],
])("%j", (refused, expected) => {
  expect(statusText(sessionWith(refused), "~/p")).toBe(expected);
});
