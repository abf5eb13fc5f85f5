import { expect, test } from "vitest";
import { commands, openFeatureLab, sent, use } from "./feature-lab.test-suite.ts";

const exit = [use("ExitPlanMode", { plan: "1. write it" })];
const write = [use("Bash", { command: "touch made" })];
const toolsOf = (request: { readonly tools?: readonly { readonly name: string }[] | undefined } | undefined): readonly string[] =>
  (request?.tools ?? []).map(({ name }) => name);

test("ExitPlanMode is offered in plan mode only, and the model is told what plan mode means", async () => {
  const plan = await openFeatureLab({ mode: "plan" });
  await plan.submit("hello");
  expect(toolsOf(plan.requests[0])).toContain("ExitPlanMode");
  expect(sent(plan.requests[0])).toContain("Plan mode is on");
  const plain = await openFeatureLab();
  await plain.submit("hello");
  expect(toolsOf(plain.requests[0])).not.toContain("ExitPlanMode");
  expect(sent(plain.requests[0])).not.toContain("Plan mode");
});

test("nothing is changed in plan mode, whatever a rule allows", async () => {
  const lab = await openFeatureLab({ mode: "plan", allow: ["Bash"], turns: [write], ask: () => true });
  await lab.submit("hello");
  expect(lab.read("project/made")).toBeUndefined();
});

test("a yes of the user ends plan mode, and the model is told", async () => {
  const asked: string[] = [];
  const lab = await openFeatureLab({
    mode: "plan",
    allow: ["Bash"],
    turns: [exit, write],
    ask: ({ tool_name }) => asked.push(tool_name) > 0,
  });
  await lab.submit("hello");
  expect(asked).toEqual(["ExitPlanMode"]);
  expect(lab.permissions.mode).toBe("default");
  expect(sent(lab.requests[1])).toContain("The user agreed to the plan.");
  expect(toolsOf(lab.requests[1])).not.toContain("ExitPlanMode");
  expect(lab.read("project/made")).toBeDefined();
});

test("a denial by the user keeps plan mode", async () => {
  const lab = await openFeatureLab({ mode: "plan", allow: ["Bash"], turns: [exit, write], ask: () => false });
  await lab.submit("hello");
  expect([lab.permissions.mode, lab.read("project/made")]).toEqual(["plan", undefined]);
});

test.each(["echo not yet >&2; exit 2", `printf '{"decision":"block","reason":"not yet"}'`])(
  "a hook's deny shows no dialog and stays in plan mode: %s",
  async (command) => {
    let asked = 0;
    const hooks = {
      PreToolUse: [{ matcher: "ExitPlanMode", hooks: [{ type: "command", command }] }],
      Notification: commands("touch notified"),
    };
    const lab = await openFeatureLab({ mode: "plan", hooks, turns: [exit], ask: () => ++asked > 0 });
    await lab.submit("hello");
    expect([asked, lab.permissions.mode, lab.read("project/notified")]).toEqual([0, "plan", undefined]);
    expect(sent(lab.requests[1])).toContain("not yet");
  },
);

test("a hook's allow does not answer for the user", async () => {
  let asked = 0;
  const command = `printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'`;
  const lab = await openFeatureLab({ mode: "plan", hooks: { PreToolUse: commands(command) }, turns: [exit], ask: () => ++asked > 9 });
  await lab.submit("hello");
  expect([asked, lab.permissions.mode]).toEqual([1, "plan"]);
});

test("where there is no user to ask, plan mode stays", async () => {
  const lab = await openFeatureLab({ mode: "plan", turns: [exit] });
  await lab.submit("hello");
  expect(lab.permissions.mode).toBe("plan");
  expect(sent(lab.requests[1])).toContain("There is no user to ask here");
});

test("a subagent cannot end plan mode", async () => {
  const lab = await openFeatureLab({
    mode: "plan",
    turns: [[use("Agent", { description: "look", prompt: "look" })], exit],
    ask: () => true,
  });
  await lab.submit("hello");
  expect(lab.permissions.mode).toBe("plan");
});

test("/plan enters and leaves it, and the model is told with the next message", async () => {
  const lab = await openFeatureLab();
  expect((await lab.submit("/plan")).text).toContain("on");
  expect(lab.permissions.mode).toBe("plan");
  expect((await lab.submit("/plan")).text).toContain("already");
  await lab.submit("hello");
  expect(sent(lab.requests[0])).toContain("Plan mode is on");
  expect((await lab.submit("/plan off")).text).toContain("off");
  expect(lab.permissions.mode).toBe("default");
  await lab.submit("hello");
  expect(sent(lab.requests[1])).toContain("Plan mode is off");
});

test("the model gets once that plan mode is on or off, however it was switched", async () => {
  const lab = await openFeatureLab({});
  await lab.submit("one");
  lab.permissions.setMode("plan");
  await lab.submit("two");
  await lab.submit("three");
  lab.permissions.setMode("default");
  await lab.submit("four");
  const count = (text: string, at: number): number => sent(lab.requests[at]).split(text).length - 1;
  expect([0, 1, 2, 3].map((at) => [count("Plan mode is on", at), count("Plan mode is off", at)])).toEqual([
    [0, 0],
    [1, 0],
    [1, 0],
    [1, 1],
  ]);
});
