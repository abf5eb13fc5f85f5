import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeHook } from "../../judge/outcome.test-suite.ts";
import { createHooks } from "../../open.ts";
import { Permissions } from "../../permissions/permissions.ts";
import { createAsk, createReview } from "./ask-permission.ts";
import { userWho } from "./scripted-user.test-suite.ts";

let cwd = "";
beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), "hookloop-ask-"));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

async function run(user: ReturnType<typeof userWho>, commands: readonly string[]): Promise<readonly string[]> {
  const rules = new Permissions({ root: cwd });
  const shorten = (text: string): string => text;
  const ask = createAsk({ screen: user.screen, shorten, permissions: () => rules, report: () => {}, signal: () => undefined });
  const hooks = createHooks({ cwd, trust: "implicit" });
  const ended = await Promise.all(
    commands.map((command, at) =>
      hooks.runTool({ tool_name: "Bash", tool_input: { command }, tool_use_id: `t${at}` }, () => "done", { rules, ask }),
    ),
  );
  await hooks.close();
  return ended.map(({ status, error }) => (error === undefined ? status : `${status}: ${error}`));
}

test.each([
  ["y", "ran"],
  ["YES", "ran"],
  ["ok", "ran"],
  ["Okay.", "ran"],
  ["sure!", "ran"],
  ["yep", "ran"],
  ["yup", "ran"],
  ["a", "ran"],
  [" always ", "ran"],
])("%j is a yes", async (answer, expected) => {
  expect(await run(userWho(answer), ["touch x"])).toEqual([expected]);
});

test.each(["", "n", "no", "No.", "nope", undefined])("%j is a denial", async (answer) => {
  expect((await run(userWho(answer), ["touch x"]))[0]).toMatch(/^denied: The user denied it/);
});

test.each([
  "x",
  "yy",
  "yes but not now",
  "y y",
  "a b",
  "ja",
  "use git mv",
  "/why",
  "why",
  "Why?",
  "/hooks",
  "!ls",
  "ok?",
  "not sure",
  "y/n",
  "оk",
])("%j is neither: it is asked again, and what is said then counts", async (answer) => {
  for (const [then, expected] of [
    ["n", /^denied: The user denied it/],
    ["y", /^ran$/],
    [undefined, /^denied/],
  ] as const) {
    const user = userWho(answer, then);
    expect((await run(user, ["touch x"]))[0]).toMatch(expected);
    expect(user.seen.filter((text) => text.startsWith("Allow it?"))).toHaveLength(2);
  }
});

test.each(["/why", "why", "Why?"])("%s at a question shows what asks, before it is asked again", async (asked) => {
  const user = userWho(asked, "n");
  await run(user, ["touch x"]);
  const seen = user.seen.join("\n");
  expect(seen).toMatch(/Allow it\?[\s\S]*Bash {2}touch x[\s\S]*No hook ran[\s\S]*Rules: ask\. .*no rule allows it[\s\S]*Allow it\?/);
});

test("every line of a command is shown before it is asked about", async () => {
  const user = userWho("n");
  const lines = Array.from({ length: 500 }, (_, at) => `touch x${at}`);
  await run(user, [lines.join("\n")]);
  const shown = user.seen
    .slice(
      0,
      user.seen.findIndex((text) => text.startsWith("Allow it?")),
    )
    .join("\n");
  for (const line of lines) expect(shown).toContain(line);
});

test("the model gets why not, in the user's words", async () => {
  expect(await run(userWho("n use git mv"), ["mv a b"])).toEqual(["denied: The user denied it: use git mv"]);
  expect(await run(userWho("No, use git mv"), ["mv a b"])).toEqual(["denied: The user denied it: use git mv"]);
});

test("the rule that a yes for always adds is shown before, and spares the same question, also one that waits already", async () => {
  const user = userWho("a");
  expect(await run(user, ["touch x", "touch x"])).toEqual(["ran", "ran"]);
  expect(user.seen.join("\n")).toContain("a would add, for this session: allow Bash(touch x)");
  expect(user.seen.filter((text) => text.startsWith("Allow it?"))).toHaveLength(1);
});

test("calls of one turn are asked about one after the other, each for itself", async () => {
  expect(await run(userWho("y", "n"), ["touch x", "touch y"])).toEqual(["ran", expect.stringMatching(/^denied/)]);
});

test("a hook that was removed is not said to be one that runs programs", async () => {
  const { screen, seen } = userWho("y");
  const hook = makeHook({ id: "project:PreToolUse:1", name: "gone", scope: "project" });
  const pins = { record: { fields: {}, programs: {}, files: [] }, unresolved: [], texts: new Map() };
  const pending = [{ hook, state: "removed", digest: "d", pins, isAbsent: true }] as unknown as Parameters<
    ReturnType<typeof createReview>
  >[0];
  expect(await createReview(screen, new AbortController().signal)(pending)).toMatchObject([{ decision: "approve" }]);
  const shown = seen.join("\n");
  expect(shown).toContain("A hook that was approved is not there any more.");
  expect(shown).not.toContain("not approved. It runs programs");
  expect(shown).toContain("Forgotten: gone.");
});

test("hooks that wait for review while a call is asked about are shown and asked about when it is answered", async () => {
  const { screen, seen } = userWho();
  const answers: ((given: string) => void)[] = [];
  const waiting: typeof screen = {
    ...screen,
    ask: (question) =>
      new Promise((resolve) => {
        seen.push(question);
        answers.push(resolve);
      }),
  };
  const hooks = createHooks({ cwd, trust: "implicit" });
  hooks.on("Stop", { name: "late" }, () => undefined);
  const [hook] = hooks.admitted;
  if (!hook) throw new Error("the hook is not there");
  const pending = [
    { hook, state: "new", digest: "d", pins: { record: { fields: {}, programs: {}, files: [] }, unresolved: [], texts: new Map() } },
  ] as unknown as Parameters<ReturnType<typeof createReview>>[0];
  const asked = run({ screen: waiting, seen }, ["touch x"]);
  await expect.poll(() => answers).toHaveLength(1);
  const reviewed = createReview(waiting, new AbortController().signal)(pending);
  await new Promise(setImmediate);
  expect(seen.join("\n")).not.toContain("not approved");
  answers[0]?.("n");
  expect((await asked)[0]).toMatch(/^denied/);
  await expect.poll(() => answers).toHaveLength(2);
  expect(seen.join("\n")).toMatch(/Allow it\?[\s\S]*not approved[\s\S]*late[\s\S]*Approve it\?/);
  answers[1]?.("n");
  expect(await reviewed).toEqual([]);
  await hooks.close();
});

test.each([
  ["old text that is not in the file", { file_path: "a.txt", old_string: "nowhere", new_string: "x" }, "The text to replace is not in"],
  ["a file that is not there", { file_path: "none.txt", old_string: "one", new_string: "x" }, "There is no file"],
])("an edit of %s is not asked about, and fails with the reason", async (_, input, expected) => {
  writeFileSync(path.join(cwd, "a.txt"), "one\n");
  const user = userWho("n");
  const rules = new Permissions({ root: cwd });
  const ask = createAsk({
    screen: user.screen,
    shorten: (text) => text,
    permissions: () => rules,
    report: () => {},
    signal: () => undefined,
  });
  const tool_input = { ...input, file_path: path.join(cwd, input.file_path) };
  const hooks = createHooks({ cwd, trust: "implicit" });
  const { status, error } = await hooks.runTool({ tool_name: "Edit", tool_input, tool_use_id: "t" }, () => "done", { rules, ask });
  await hooks.close();
  expect([status, error]).toEqual(["denied", expect.stringContaining(expected)]);
  expect(user.seen).toEqual([]);
});

test("always is not offered for what a rule of its own would not answer", async () => {
  const user = userWho("a", "n");
  expect((await run(user, ["rm *"]))[0]).toMatch(/^denied: The user denied it/);
  expect(user.seen.join("\n")).not.toContain("a would add");
});
