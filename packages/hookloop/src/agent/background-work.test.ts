import { expect, test } from "vitest";
import { takeNews } from "./conversation.ts";
import { createBackgroundAgents } from "./tools/basic-tools.ts";

const end = { reason: "completed", text: "found it", turns: 1 } as const;
const task = { id: "1", description: "look", agent_type: "x" };

test("nothing to wait for is no news", async () => {
  expect(await takeNews([createBackgroundAgents()], new AbortController().signal)).toEqual([]);
});

test("what finished before it was waited for is told, too, and once", async () => {
  const agents = createBackgroundAgents();
  agents.start(task, async () => end);
  await agents.news();
  const { signal } = new AbortController();
  expect(await takeNews([agents], signal)).toEqual(["The agent 1 (look) has finished: found it"]);
  expect(await takeNews([agents], signal)).toEqual([]);
});

test("of several, the first that has news is received, and nothing of the others is lost", async () => {
  const [slow, quick] = [createBackgroundAgents(), createBackgroundAgents()];
  let finish = (): void => {};
  slow.start({ ...task, id: "slow" }, async () => {
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    return end;
  });
  quick.start({ ...task, id: "quick" }, async () => end);
  const { signal } = new AbortController();
  expect(await takeNews([slow, quick], signal)).toEqual(["The agent quick (look) has finished: found it"]);
  finish();
  expect(await takeNews([slow, quick], signal)).toEqual(["The agent slow (look) has finished: found it"]);
});

test("an abort ends the wait", async () => {
  const agents = createBackgroundAgents();
  agents.start(task, async (signal) => {
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    return end;
  });
  const interrupt = new AbortController();
  const news = takeNews([agents], interrupt.signal);
  interrupt.abort();
  expect(await news).toEqual([]);
  await agents.close();
});
