import { setTimeout as wait } from "node:timers/promises";
import { deny } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import type { Step } from "../../packages/hookloop/src/engine/step.ts";
import { isLive, until } from "./execute/processes.ts";
import { bash, hooksFor, openProject } from "./open-project.ts";

const STUBBORN = "trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done";

describe("stream", () => {
  test("gives every step in order, the verdict last, and returns it", async () => {
    const hooks = await openProject({ project: hooksFor("PreToolUse", "exit 2") }).open();
    hooks.on("PreToolUse", { name: "f" }, () => deny("no"));
    const steps: Step[] = [];
    const stream = hooks.stream("PreToolUse", bash("ls"));
    let next = await stream.next();
    for (; !next.done; next = await stream.next()) steps.push(next.value);
    expect(steps.map(({ type }) => type).toSorted()).toEqual([
      "considered",
      "fired",
      "outcome",
      "outcome",
      "started",
      "started",
      "verdict",
    ]);
    const last = steps.at(-1);
    expect(last).toEqual({ type: "verdict", event: "PreToolUse", verdict: next.value });
    expect(next.value.decision).toBe("deny");
    for (const { hook } of steps.filter((step) => step.type === "started")) {
      const own = steps.flatMap((step) => ("hook" in step && step.hook === hook ? [step.type] : []));
      expect(own).toEqual(["started", "outcome"]);
    }
  });

  test("an event without hooks still has its verdict", async () => {
    const hooks = await openProject().open();
    const steps: Step[] = [];
    for await (const step of hooks.stream("Stop", {})) steps.push(step);
    expect(steps).toMatchObject([{ type: "verdict", verdict: { decision: "none" } }]);
  });

  test("a consumer that leaves early leaves nothing running", async () => {
    const project = openProject({ project: hooksFor("PreToolUse", STUBBORN) });
    const hooks = await project.open();
    for await (const step of hooks.stream("PreToolUse", bash("ls"))) {
      if (step.type !== "started") continue;
      await until(() => Boolean(project.read("pid")));
      break;
    }
    expect(isLive(Number(project.read("pid")))).toBe(false);
  });
});

describe("a script of the SDK that takes longer than the timeout of its configuration", () => {
  const SDK = new URL("../../packages/sdk/dist/index.js", import.meta.url).href;
  const script = (options: string): string =>
    `import { hook } from "${SDK}";\nhook("PreToolUse", { ${options} }, async () => { await new Promise((resolve) => setTimeout(resolve, 20_000)); });\n`;

  test.each([
    ["a guard", "guard: true", "deny", /gave no answer within \d+ ms/],
    ["a guard with a longer limit of its own", "guard: true, timeoutMs: 10_000", "deny", /gave no answer within \d+ ms/],
    ["another hook", "", "none", /gave no answer within \d+ ms/],
  ])("%s answers before it is ended", async (_what, options, decision, text) => {
    const project = openProject({ project: hooksFor("PreToolUse", [{ command: `node "$CLAUDE_PROJECT_DIR"/slow.mjs`, timeout: 2 }]) });
    project.write("project/slow.mjs", script(options));
    const hooks = await project.open();
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe(decision);
    expect(project.diagnostics.map((one) => one.text).join()).toMatch(text);
  });

  test("a deadline that has passed is another run's", async () => {
    const command = `HOOKLOOP_DEADLINE=1000 node "$CLAUDE_PROJECT_DIR"/quick.mjs`;
    const project = openProject({ project: hooksFor("PreToolUse", [{ command }]) });
    project.write(
      "project/quick.mjs",
      `import { deny, hook } from "${SDK}";\nhook("PreToolUse", { guard: true }, async () => deny("judged"));\n`,
    );
    const verdict = await (await project.open()).fire("PreToolUse", bash("ls"));
    expect(JSON.stringify(verdict)).toContain("judged");
  });
});

describe("close", () => {
  test("ends what an event is waiting for, and is done when it has ended", async () => {
    const project = openProject({ native: hooksFor("PreToolUse", [{ command: STUBBORN, guard: true }]) });
    const hooks = await project.open();
    const verdict = hooks.fire("PreToolUse", bash("ls"));
    await until(() => Boolean(project.read("pid")));
    await hooks.close();
    expect(isLive(Number(project.read("pid")))).toBe(false);
    expect((await verdict).decision).toBe("deny");
  });

  test.each([
    ["without holding its output", ">/dev/null 2>&1"],
    ["holding its output", ""],
  ])("ends what a hook that succeeded left running %s, and says so", async (_how, redirect) => {
    const command = `sh -c 'trap "" TERM; while :; do sleep 0.05; done' ${redirect} & echo $! > pid`;
    const project = openProject({ project: hooksFor("PostToolUse", command) });
    const hooks = await project.open();
    await hooks.fire("PostToolUse", { ...bash("ls"), tool_response: "x" });
    const helper = Number(project.read("pid"));
    expect(isLive(helper)).toBe(true);
    expect(project.codes()).toContain("HL_EXECUTE_LEFT_RUNNING");
    await hooks.close();
    expect(isLive(helper)).toBe(false);
  });

  test("leaves alone what left the session of its hook on purpose, and names it", async () => {
    const command = "setsid sh -c 'echo $$ > pid; exec sleep 30' >/dev/null 2>&1 & until [ -s pid ]; do sleep 0.02; done";
    const project = openProject({ project: hooksFor("PostToolUse", command) });
    const hooks = await project.open();
    await hooks.fire("PostToolUse", { ...bash("ls"), tool_response: "x" });
    await hooks.close();
    const helper = Number(project.read("pid"));
    expect([isLive(helper), project.codes()]).toEqual([true, ["HL_EXECUTE_LEFT_RUNNING"]]);
    process.kill(helper, "SIGKILL");
  });

  test("does not wait for a runner of the program that never settles; neither does the event", async () => {
    const project = openProject({ native: hooksFor("PreToolUse", [{ command: "true", guard: true, timeout: 0.2 }]) });
    const hooks = await project.open({ ports: { runners: { command: () => new Promise(() => {}) } } });
    const startedAt = performance.now();
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
    // Waiting for it would never end; a busy machine takes some seconds.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    void hooks.fire("PreToolUse", bash("ls"));
    const closingAt = performance.now();
    await hooks.close();
    expect(performance.now() - closingAt).toBeLessThan(10_000);
  });

  test("runs cleanups last registered first; one that fails is reported and does not stop the others", async () => {
    const project = openProject();
    const hooks = await project.open();
    const order: string[] = [];
    hooks.onClose(() => order.push("first"));
    hooks.onClose(() => {
      throw Object.create(null);
    });
    hooks.onClose(async () => {
      await wait(20);
      order.push("last");
    });
    await hooks.close();
    expect([order, project.codes()]).toEqual([["last", "first"], ["HL_LOOP_CLEANUP_FAILED"]]);
  });

  test("a cleanup that hangs keeps no process alive", async () => {
    const project = openProject({ project: hooksFor("PostToolUse", [{ command: STUBBORN, async: true }]) });
    const hooks = await project.open();
    await hooks.fire("PostToolUse", { ...bash("ls"), tool_response: "x" });
    await until(() => Boolean(project.read("pid")));
    let release: (() => void) | undefined;
    hooks.onClose(() => new Promise<void>((resolve) => (release = resolve)));
    const closed = hooks.close();
    await until(() => !isLive(Number(project.read("pid"))));
    await until(() => release !== undefined);
    release?.();
    await closed;
  });

  test("twice is once", async () => {
    const project = openProject({ project: hooksFor("SessionStart", 'echo "export A=1" >> "$CLAUDE_ENV_FILE"') });
    const hooks = await project.open();
    await hooks.fire("SessionStart", { source: "startup" });
    let calls = 0;
    hooks.onClose(() => calls++);
    await Promise.all([hooks.close(), hooks.close()]);
    await hooks.close();
    expect(calls).toBe(1);
  });

  test("an event after it settles, and no process starts", async () => {
    const project = openProject({ native: hooksFor("PreToolUse", [{ command: "touch ran", guard: true }]) });
    const hooks = await project.open();
    await hooks.close();
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
    expect(project.read("ran")).toBeUndefined();
  });
});

describe("several engines", () => {
  test("side by side do not see each other", async () => {
    const [one, two] = [openProject(), openProject({ project: hooksFor("Stop", "touch ran") })];
    const [first, second] = [await one.open(), await two.open()];
    first.on("PreToolUse", {}, () => deny("first"));
    expect([first.has("PreToolUse"), second.has("PreToolUse"), first.has("Stop"), second.has("Stop")]).toEqual([true, false, false, true]);
    expect((await second.fire("PreToolUse", bash("ls"))).decision).toBe("none");
    await first.close();
    await second.fire("Stop", { stop_hook_active: false });
    expect(two.read("ran")).toBe("");
    expect([one.codes(), two.codes()]).toEqual([[], []]);
  });

  test("leave no handlers on the process", async () => {
    const before = process.eventNames().map((name) => [name, process.listenerCount(name as never)]);
    const project = openProject({ project: hooksFor("Stop", "true") });
    const hooks = await project.open();
    await hooks.fire("Stop", {});
    await hooks.close();
    expect(process.eventNames().map((name) => [name, process.listenerCount(name as never)])).toEqual(before);
  });
});

test("on() returns what takes the hook away again; twice does no harm", async () => {
  const hooks = await openProject().open();
  const keep = hooks.on("Stop", {}, () => undefined);
  const off = hooks.on("PreToolUse", { tool: "Bash" }, () => deny("no"));
  expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
  expect((await hooks.fire("PreToolUse", { ...bash("ls"), tool_name: "Read" } as never)).decision).toBe("none");
  off();
  off();
  expect([hooks.has("PreToolUse"), hooks.has("Stop"), (await hooks.fire("PreToolUse", bash("ls"))).decision]).toEqual([
    false,
    true,
    "none",
  ]);
  keep();
});

describe("abort of one firing", () => {
  test("before it starts: no process", async () => {
    const project = openProject({ native: hooksFor("PreToolUse", [{ command: "touch ran", guard: true }]) });
    const hooks = await project.open();
    expect((await hooks.fire("PreToolUse", bash("ls"), { signal: AbortSignal.abort() })).decision).toBe("deny");
    expect(project.read("ran")).toBeUndefined();
  });

  test("while it runs: the process is gone, the engine works on", async () => {
    const project = openProject({ project: hooksFor("PreToolUse", `if grep -q stubborn; then ${STUBBORN}; fi; touch fine`) });
    const hooks = await project.open();
    const controller = new AbortController();
    const verdict = hooks.fire("PreToolUse", bash("stubborn"), { signal: controller.signal });
    await until(() => Boolean(project.read("pid")));
    controller.abort();
    await verdict;
    expect(isLive(Number(project.read("pid")))).toBe(false);
    await hooks.fire("PreToolUse", bash("ls"));
    expect(project.read("fine")).toBe("");
  });

  test("before a tool has run: it does not run, whatever the hooks could still say", async () => {
    const project = openProject({ project: hooksFor("PreToolUse", "touch started; sleep 30") });
    const hooks = await project.open();
    const controller = new AbortController();
    let ran = false;
    const result = hooks.runTool(bash("ls"), () => (ran = true), { signal: controller.signal });
    await until(() => project.read("started") !== undefined);
    controller.abort();
    expect([(await result).status, ran]).toEqual(["denied", false]);
  });

  test("while a tool runs: PostToolUseFailure hooks are still told of it", async () => {
    const project = openProject({ project: hooksFor("PostToolUseFailure", "cat > failure.json") });
    const hooks = await project.open();
    const controller = new AbortController();
    const interrupted = (): never => {
      controller.abort();
      throw new Error("interrupted");
    };
    expect((await hooks.runTool(bash("ls"), interrupted, { signal: controller.signal })).status).toBe("failed");
    expect(JSON.parse(project.read("failure.json") ?? "{}")).toMatchObject({ is_interrupt: true, error: "interrupted" });
  });

  test("timeoutMs is a limit for commands too", async () => {
    const project = openProject({ native: hooksFor("PreToolUse", [{ command: "sleep 30", guard: true }]) });
    const hooks = await project.open();
    expect((await hooks.fire("PreToolUse", bash("ls"), { timeoutMs: 100 })).decision).toBe("deny");
    expect(project.codes()).toEqual(["HL_EXECUTE_TIMEOUT"]);
  });
});
