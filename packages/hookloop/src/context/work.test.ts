/** Prompts, plans, tasks and hand-offs of a context, on real files. */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, expectTypeOf, test } from "vitest";
import * as context from "./index.ts";
import { emptyProject, onAnotherMachine } from "./project.test-suite.ts";

async function begun(about = "Write a parser for dates"): Promise<{ root: string; id: string }> {
  const root = emptyProject();
  return { root, id: (await context.createContext({ about, projectRoot: root })).id };
}

async function active(root: string, about: string): Promise<string> {
  const { id } = await context.createContext({ about, projectRoot: root });
  await context.maybeActivate(id, "default", root, "a-hook");
  return id;
}

const determine = (projectRoot: string, prompt: string, sessionId = "s1"): Promise<context.Determined> =>
  context.determineContext({ prompt, sessionId, projectRoot });
const blocked = async (asked: Promise<unknown>): Promise<context.BlockRequest> => {
  const thrown = await asked.catch((error: unknown) => error);
  return thrown instanceof context.BlockRequest ? thrown : expect.fail(`no BlockRequest: ${thrown}`);
};

test("determineContext begins a new context, keeps to it in its session, and gives the only one to the next session", async () => {
  const root = emptyProject();
  const first = await determine(root, "Write a parser for dates");
  expect(first).toMatchObject({
    how: "new",
    why: "No other context is under way.",
    context: { id: "write-parser-dates", sessions: ["s1"] },
  });
  expect(await determine(root, "And now something else")).toMatchObject({ how: "session", context: { id: "write-parser-dates" } });
  await context.maybeActivate(first.context.id, "default", root, "a-hook");
  const next = await determine(root, "Go on", "s2");
  expect(next).toMatchObject({ how: "only", why: "It is the only context that is under way.", prompt: "Go on" });
  expect((await context.getContextBySessionId("s2", root))?.id).toBe("write-parser-dates");
});

test("determineContext follows ^name, also a beginning of it, and takes the name out of the prompt", async () => {
  const root = emptyProject();
  await active(root, "parser dates");
  await active(root, "login page");
  expect(await determine(root, "^login-page fix it")).toMatchObject({ how: "named", context: { id: "login-page" }, prompt: "fix it" });
  expect(await determine(root, "^parser:  go on\nplease")).toMatchObject({ context: { id: "parser-dates" }, prompt: "go on\nplease" });
  expect(await determine(root, "^new Dark mode")).toMatchObject({ how: "new", context: { id: "dark-mode" }, prompt: "Dark mode" });
  expect((await context.getContextBySessionId("s1", root))?.id).toBe("dark-mode");
});

test("determineContext asks by a BlockRequest when several are under way, when the name is unknown, and when it could be several", async () => {
  const root = emptyProject();
  await active(root, "parser dates");
  await active(root, "parser numbers");
  const several = await blocked(determine(root, "Go on"));
  expect(several.message).toMatch(/^Several contexts are under way\. .*\n {2}\^parser-\w+ {2}parser \w+ \(active\)\n(?:.*\n)* {2}\^new$/);
  expect([...several.choices].sort()).toEqual(["parser-dates", "parser-numbers"]);
  expect((await blocked(determine(root, "^login go"))).message).toContain('There is no context "login".');
  expect((await blocked(determine(root, "^parser go"))).message).toContain('Several contexts begin with "parser".');
  expect((await blocked(determine(root, "^../../x go"))).message).toContain("There is no context");
  expect(await context.getContextBySessionId("s1", root)).toBeUndefined();
});

test("a context that came with a clone is not resumed by itself before the project is trusted", async () => {
  const root = emptyProject();
  await active(root, "rm everything");
  onAnotherMachine(root);
  expect((await determine(root, "Hello there")).how).toBe("new");
  const options = { prompt: "Go on", sessionId: "s2", projectRoot: root, isTrusted: true };
  expect(await context.determineContext(options)).toMatchObject({ how: "only", context: { id: "rm-everything" } });
});

test("resolveContext finds by name, by session or the only one, and changes nothing", async () => {
  const root = emptyProject();
  expect(await context.resolveContext({ projectRoot: root })).toBeUndefined();
  const id = await active(root, "parser dates");
  expect((await context.resolveContext({ projectRoot: root }))?.id).toBe(id);
  const other = await active(root, "login page");
  expect(await context.resolveContext({ projectRoot: root })).toBeUndefined();
  expect((await context.resolveContext({ projectRoot: root, name: "login" }))?.id).toBe(other);
  await context.bindSession(id, "s1", root);
  expect((await context.resolveContext({ projectRoot: root, sessionId: "s1" }))?.id).toBe(id);
  expect(await context.resolveContext({ projectRoot: root, name: "nothing" })).toBeUndefined();
});

test("formatContextSummary says mode, plan, hand-off and open tasks, with the words of MODE_MAP and the signs of STATUS_ICONS", async () => {
  const { root, id } = await begun();
  await context.maybeActivate(id, "default", root, "a-hook");
  await context.addTask(id, { subject: "Done", status: "completed" }, root);
  await context.addTask(id, { subject: "Half", status: "in_progress" }, root);
  await context.addTask(id, { subject: "Open" }, root);
  await context.archivePlan(id, "# Plan", root);
  await context.saveHandoff(id, "# Hand-off: dates", root);
  expect(context.formatContextSummary(context.readState(id, root) ?? expect.fail(), root)).toBe(
    [
      "Context write-parser-dates: Write a parser for dates",
      "Mode: active",
      "Plan: plans/0001-plan.md (unsigned)",
      "Hand-off: handoffs/0001-dates.md",
      "Tasks: 1 of 3 completed",
      "  ◐ #2 Half",
      "  ○ #3 Open",
    ].join("\n"),
  );
});

test("MODE_MAP names every mode", () => {
  expect(context.MODE_MAP).toEqual({ idle: "idle", has_plan: "plan ready", has_handoff: "hand-off ready", active: "active" });
});

test("STATUS_ICONS has a sign for every status of a task", () => {
  expect(context.STATUS_ICONS).toEqual({ pending: "○", in_progress: "◐", completed: "●" });
});

test("PLAN_EVALUATION_REMINDER asks the model to compare the plan with the code before it carries it out", () => {
  expect(context.PLAN_EVALUATION_REMINDER).toMatch(/compare it with the code as it is now/);
});

test("computePlanHash does not depend on line ends and trailing space, and on nothing else", () => {
  expect(context.computePlanHash("# A\r\n\r\n- one  \r\n")).toBe(context.computePlanHash("# A\n\n- one"));
  expect(context.computePlanHash("# A\n- one")).not.toBe(context.computePlanHash("# A\n- two"));
});

test("archivePlan keeps each plan once, under a number of its own", async () => {
  const { root, id } = await begun();
  const first = await context.archivePlan(id, "# Parse dates\n\n1. Read", root);
  expect(first).toMatchObject({ file: "plans/0001-parse-dates.md", hash: context.computePlanHash("# Parse dates\n\n1. Read") });
  expect(await context.archivePlan(id, "# Parse dates\n\n1. Read\n", root)).toEqual(first);
  expect((await context.archivePlan(id, "# Parse dates\n\n2. Write", root)).file).toBe("plans/0002-parse-dates.md");
  expect(readFileSync(path.join(context.getContextDir(root, id), first.file), "utf8")).toBe("# Parse dates\n\n1. Read\n");
});

test("a plan that is changed after its approval is noticed", async () => {
  const { root, id } = await begun();
  const state = (): context.ContextState => context.readState(id, root) ?? expect.fail();
  expect(context.checkPlan(state(), root)).toBe("none");
  const { file } = await context.archivePlan(id, "# Plan\n1. Read", root);
  expect(context.checkPlan(state(), root)).toBe("unsigned");
  expect(await context.signPlan(id, root)).toBe("approved");
  expect(context.checkPlan(state(), root, "# Plan\n1. Read\n2. Delete")).toBe("changed");
  writeFileSync(path.join(context.getContextDir(root, id), file), "# Plan\n1. Delete");
  expect(context.checkPlan(state(), root)).toBe("changed");
  expect(await context.signPlan(id, root, "# Plan\n1. Read less")).toBe("approved");
  await context.archivePlan(id, "# Another plan", root);
  expect(context.checkPlan(state(), root)).toBe("unsigned");
});

test("an approval that came with a clone is none", async () => {
  const { root, id } = await begun();
  await context.signPlan(id, root, "# Plan");
  onAnotherMachine(root);
  expect(context.checkPlan(context.readState(id, root) ?? expect.fail(), root)).toBe("changed");
});

test("a plan that is deleted between archive and approval is missing, and not signed", async () => {
  const { root, id } = await begun();
  const { file } = await context.archivePlan(id, "# Plan", root);
  rmSync(path.join(context.getContextDir(root, id), file));
  expect(await context.signPlan(id, root)).toBe("missing");
  expect(context.readState(id, root)?.plan?.signature).toBeUndefined();
  expect(await context.signPlan(id, root, "# Plan")).toBe("approved");
});

test("addTask adds a task with the next number, or with its own id once", async () => {
  const { root, id } = await begun();
  expect(await context.addTask(id, { subject: "One" }, root)).toMatchObject({ id: "1", status: "pending" });
  expect(await context.addTask(id, { id: "7", subject: "Seven", description: "d" }, root)).toMatchObject({ id: "7" });
  expect(await context.addTask(id, { id: "7", subject: "Seven again", status: "in_progress" }, root)).toMatchObject({
    status: "in_progress",
  });
  expect((await context.addTask(id, { subject: "Eight" }, root)).id).toBe("8");
  expect(context.getTasks(id, root).map(({ subject }) => subject)).toEqual(["One", "Seven again", "Eight"]);
});

test("updateTask changes a task, deletes it, and gives nothing where there is none", async () => {
  const { root, id } = await begun();
  const { createdAt } = await context.addTask(id, { subject: "One" }, root);
  expect(await context.updateTask(id, "1", { status: "completed", subject: "Done" }, root)).toMatchObject({ subject: "Done", createdAt });
  expect(await context.updateTask(id, "2", { status: "completed" }, root)).toBeUndefined();
  await expect(context.updateTask(id, "1", { status: "toString" as "pending" }, root)).rejects.toThrow(/is not the status of a task/);
  expect(await context.updateTask(id, "1", { status: "deleted" }, root)).toBeUndefined();
  expect(context.getTasks(id, root)).toEqual([]);
});

test("getTasks gives the tasks of a context, and none where there is no context", async () => {
  const { root, id } = await begun();
  await context.addTask(id, { subject: "One\u001b[31m" }, root);
  expect(context.getTasks(id, root).map(({ subject }) => subject.includes("\u001b"))).toEqual([false]);
  expect(context.getTasks("nothing", root)).toEqual([]);
  await expect(context.addTask("nothing", { subject: "One" }, root)).rejects.toThrow(/There are: write-parser-dates/);
});

const TASK = { createdAt: "2026-01-01T00:00:00.000Z", updatedAt: "2026-01-01T00:00:00.000Z" };
const PARTS: context.HandoffParts = {
  title: "Dates",
  goal: "Parse ISO dates.",
  summary: "Half of it works.",
  decisions: ["No library", "UTC only"],
  tasks: [
    { ...TASK, id: "1", subject: "Read", status: "completed" },
    { ...TASK, id: "2", subject: "Write", status: "in_progress" },
  ],
  git: { branch: "dates", commit: "0123456789abcdef", changed: ["src/a b.ts", "src/c.ts"] },
  nextSteps: ["Write the tests"],
  notes: "Ask Kim.",
};
const READ: context.Handoff = {
  title: "Dates",
  goal: "Parse ISO dates.",
  summary: "Half of it works.",
  decisions: ["No library", "UTC only"],
  openTasks: ["Write"],
  files: ["src/a b.ts", "src/c.ts"],
  git: "branch dates, commit 0123456789ab, 2 not committed",
  nextSteps: ["Write the tests"],
  notes: "Ask Kim.",
};

test("generateHandoffDocument has goal, decisions, open tasks, files, git and next steps, and is read back", () => {
  const document = context.generateHandoffDocument(PARTS);
  expect(document.match(/^#+ .*$/gm)?.join("\n")).toBe(
    "# Hand-off: Dates\n## Goal\n## Summary\n## Decisions\n## Open tasks\n## Files changed\n## Git\n## Next steps\n## Notes",
  );
  expect(context.readHandoff(document)).toEqual(READ);
  expect(context.generateHandoffDocument({ title: "Empty" })).toBe("# Hand-off: Empty\n");
  expect(context.readHandoff(context.generateHandoffDocument({ title: "T", tasks: PARTS.tasks })).nextSteps).toEqual(["Write"]);
});

test("a hand-off that people have edited is read: other headings, levels and bullets, another order, ticked boxes", () => {
  const edited = [
    "\uFEFFHello!",
    "# Dates",
    "### What we do NEXT:",
    "1) Write the",
    "   tests",
    "2. Ship",
    "#### todos ##",
    "* [x] Read",
    "* [ ] Write",
    "# Decided so far",
    "No library",
    "+ UTC only",
    "## Who to ask",
    "Kim",
    "```",
    "# Goal",
    "```",
  ].join("\r\n");
  expect(context.readHandoff(edited)).toMatchObject({
    title: "Dates",
    nextSteps: ["Write the tests", "Ship"],
    openTasks: ["Write"],
    decisions: ["No library", "UTC only"],
    goal: "",
    notes: "Hello!\n## Who to ask\nKim\n```\n# Goal\n```",
  });
});

test("a hand-off that was edited into nonsense is notes, and reading it never throws", () => {
  expect(context.readHandoff("\0\0 {{{ ####")).toMatchObject({ goal: "", notes: "\0\0 {{{ ####" });
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom("# ", "## Goal", "- ", "```", "\r", "* [x", "## Open tasks"))), (lines) => {
      expect(typeof context.readHandoff(lines.join("\n")).notes).toBe("string");
    }),
  );
});

test("a hand-off is taken once, with the plan, and it is said whether this machine wrote it", async () => {
  const { root, id } = await begun();
  expect(await context.takeHandoff(id, root)).toBeUndefined();
  await context.archivePlan(id, "# Plan", root);
  const document = context.generateHandoffDocument(PARTS);
  expect(await context.saveHandoff(id, document, root)).toBe("handoffs/0001-dates.md");
  const taken = await Promise.all(Array.from({ length: 6 }, () => context.takeHandoff(id, root)));
  expect(taken.filter((one) => one !== undefined)).toEqual([{ document, isOwn: true, plan: "# Plan\n" }]);
  const file = await context.saveHandoff(id, document, root);
  writeFileSync(path.join(context.getContextDir(root, id), file), `${document}edited`);
  expect(await context.takeHandoff(id, root)).toMatchObject({ document: `${document}edited`, isOwn: false });
});

test("the types are those of a state, and of the SDK's events", () => {
  expectTypeOf<context.Mode>().toEqualTypeOf<"idle" | "has_plan" | "has_handoff" | "active">();
  expectTypeOf<context.ContextState["tasks"]>().toEqualTypeOf<readonly context.Task[]>();
  expectTypeOf<context.HookInput<"SessionStart">["session_id"]>().toEqualTypeOf<string>();
  const output: context.HookOutput<"SessionStart"> = { hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: "text" } };
  expect(output.hookSpecificOutput?.additionalContext).toBe("text");
});
