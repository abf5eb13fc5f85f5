import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import { answer, commands, openFeatureLab, RECORD, say, sent, use } from "./feature-lab.test-suite.ts";
import { createIdleTimer } from "./session-commands.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

const hooks = { Notification: commands(RECORD) };
const touch = [[use("Bash", { command: "touch made" })]];

describe("permission_prompt", () => {
  test.each([true, false])("is told whenever the user is asked, whatever they answer: %s", async (isYes) => {
    const lab = await openFeatureLab({ hooks, turns: touch, ask: () => isYes });
    await lab.submit("hello");
    expect(lab.recorded("Notification")).toMatchObject([
      { notification_type: "permission_prompt", message: expect.stringContaining("Bash"), permission_mode: "default" },
    ]);
    expect(lab.read("project/made") !== undefined).toBe(isYes);
  });

  test("is not told where no user is asked", async () => {
    const headless = await openFeatureLab({ hooks, turns: touch });
    await headless.submit("hello");
    expect(headless.recorded("Notification")).toEqual([]);
    const allowed = await openFeatureLab({ hooks, turns: touch, allow: ["Bash"], ask: () => true });
    await allowed.submit("hello");
    expect(allowed.recorded("Notification")).toEqual([]);
  });

  test("what a hook says reaches the model with the next message, labelled", async () => {
    const context = answer("Notification", { additionalContext: "MARK asked" });
    const lab = await openFeatureLab({ hooks: { Notification: commands(context) }, turns: touch, ask: () => true });
    await lab.submit("hello");
    expect(sent(lab.requests[1])).toMatch(/Notification[^"]* hook additional context: MARK asked/);
  });

  test("a slow hook keeps neither the question nor the call waiting for long", async () => {
    const startedAt = performance.now();
    let askedAfter = Number.POSITIVE_INFINITY;
    const ask = (): boolean => {
      askedAfter = performance.now() - startedAt;
      return true;
    };
    const lab = await openFeatureLab({ hooks: { Notification: commands("sleep 20") }, turns: touch, ask });
    await lab.submit("hello");
    expect(askedAfter).toBeLessThan(5000);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});

describe("agents", () => {
  test("one that needs permission is agent_needs_input", async () => {
    const turns = [[use("Agent", { description: "look", prompt: "look" })], [use("Bash", { command: "touch made" })], say("made it")];
    const lab = await openFeatureLab({ hooks, turns, ask: () => true });
    await lab.submit("hello");
    expect(lab.recorded("Notification")).toMatchObject([
      { notification_type: "agent_needs_input", message: expect.stringContaining("Bash") },
    ]);
  });

  test("one that finishes in the background is agent_completed, and its hook's word reaches the model", async () => {
    const context = `${RECORD}; ${answer("Notification", { additionalContext: "MARK finished" })}`;
    const turns = [[use("Agent", { description: "look", prompt: "look", run_in_background: true })]];
    const lab = await openFeatureLab({ hooks: { Notification: commands(context) }, turns });
    await lab.submit("hello");
    expect(lab.recorded("Notification")).toMatchObject([
      { notification_type: "agent_completed", message: expect.stringContaining("look") },
    ]);
    expect(sent(lab.requests.at(-1))).toContain("MARK finished");
  });
});

describe("idle_prompt", () => {
  test("the timer speaks once, and not after the user has typed", async () => {
    let times = 0;
    const timer = createIdleTimer({ afterMs: 30, onIdle: () => void times++ });
    const typed = timer.start();
    typed();
    await sleep(80);
    expect(times).toBe(0);
    timer.start();
    await sleep(150);
    expect(times).toBe(1);
    timer.start();
    timer.close();
    await sleep(80);
    expect(times).toBe(1);
  });

  test("an attended session tells it when the user has not typed for a while, and the model gets what the hook said", async () => {
    vi.stubEnv("HOOKLOOP_IDLE_MS", "50");
    const context = `${RECORD}; ${answer("Notification", { additionalContext: "MARK idle" })}`;
    const lab = await openFeatureLab({ hooks: { Notification: commands(context) }, ask: () => true });
    const typed = lab.agent.waitForInput();
    await vi.waitUntil(() => lab.steps.some((step) => step.type === "verdict" && step.verdict.event === "Notification"), { timeout: 5000 });
    typed();
    await lab.submit("hello");
    expect(lab.recorded("Notification")).toMatchObject([{ notification_type: "idle_prompt" }]);
    expect(sent(lab.requests[0])).toMatch(/Notification[^"]* hook additional context: MARK idle/);
  });

  test("only an attended session waits for input", async () => {
    vi.stubEnv("HOOKLOOP_IDLE_MS", "20");
    const lab = await openFeatureLab({ hooks });
    lab.agent.waitForInput();
    await sleep(200);
    expect(lab.recorded("Notification")).toEqual([]);
  });
});
