import { expect, test } from "vitest";
import { type ListedHook, trustPage, withoutReview } from "./trust-desk.ts";

const TEXT = Array.from({ length: 70 }, (_, index) => `line ${index + 1}`).join("\n");

function listed(state: "new" | "changed", more: object = {}): ListedHook {
  const file = { path: "hooks/guard.sh", realpath: "/p/hooks/guard.sh", isExecutable: false, sha256: "ab".repeat(32) };
  const pins = {
    record: { fields: {}, programs: {}, files: [file] },
    unresolved: [],
    texts: new Map([[file.sha256, `${TEXT}\u001b[2J\n`]]),
  };
  const hook = { id: "project:PreToolUse:1", name: "guard", event: "PreToolUse", source: { scope: "project" } };
  return { hook, state, runs: false, pins, digest: "sha256:1", ...more } as unknown as ListedHook;
}

test("a new hook is shown with what its files say, bounded", () => {
  const page = trustPage(listed("new"), 80);
  expect(page).toContain("hooks/guard.sh:\nline 1\nline 2\n");
  expect(page).toContain("line 60\n… 10 more lines");
  expect(page).not.toContain("\u001b");
});

test("a changed hook is shown with its diff instead", () => {
  const page = trustPage(listed("changed", { diff: "-old\n+new" }), 80);
  expect(page).toContain("+new");
  expect(page).not.toContain("line 1");
});

test.each([
  ['"a" is not trusted and does not run. Look at it: hookloop trust review', '"a" is not trusted and does not run.'],
  ['"a" has changed. Undo the change, or review it: hookloop trust review', '"a" has changed.'],
  ["It was not run. Look at it: hookloop trust review. More.", "It was not run. More."],
  ["It was refused. To allow it: hookloop trust approve x", "It was refused. To allow it: hookloop trust approve x"],
])("a reason does not send to the review that shows it: %s", (reason, expected) => {
  expect(withoutReview(reason)).toBe(expected);
});

test.each([
  [[], "the definition and 1 file, which is all that it runs"],
  [["a is not there"], "the definition and 1 file; one thing that it may run is not"],
  [["a", "b"], "the definition and 1 file; 2 things that it may run are not"],
])("what is pinned, and what is not, stands in one line: %j", (unresolved, text) => {
  const { pins, ...rest } = listed("new");
  const command = { ...pins, record: { ...pins?.record, kind: "command" }, unresolved } as unknown as NonNullable<ListedHook["pins"]>;
  expect(trustPage({ ...rest, pins: command }, 120)).toContain(text);
});
