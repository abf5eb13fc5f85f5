import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { answer, commands, openFeatureLab, RECORD, say, sent, use } from "./features/feature-lab.test-suite.ts";

const shown = commands(answer("MessageDisplay", { displayContent: "SHOWN" }));

test("a MessageDisplay hook changes what is shown, never what is stored or what the model gets", async () => {
  const lab = await openFeatureLab({ turns: [say("said")], hooks: { MessageDisplay: shown } });
  const end = await lab.submit("hello");
  expect(end).toMatchObject({ text: "said", shown: "SHOWN" });
  expect(lab.steps).toContainEqual(expect.objectContaining({ type: "reply", shown: "SHOWN" }));
  await lab.submit("again");
  expect(sent(lab.requests[1])).toContain("said");
  expect(sent(lab.requests[1])).not.toContain("SHOWN");
  const transcript = readFileSync(lab.agent.transcriptPath, "utf8");
  expect([transcript.includes("said"), transcript.includes("SHOWN")]).toEqual([true, false]);
});

test("the payload has the whole text of one message", async () => {
  const lab = await openFeatureLab({ turns: [say("said")], hooks: { MessageDisplay: commands(RECORD) } });
  expect(await lab.submit("hello")).toMatchObject({ text: "said" });
  expect(lab.recorded("MessageDisplay")).toMatchObject([
    { delta: "said", index: 0, final: true, message_id: "msg_1", turn_id: expect.stringMatching(/./) },
  ]);
  expect(lab.recorded("MessageDisplay")[0]).not.toHaveProperty("permission_mode");
});

test.each(["exit 2", "exit 1", "echo '{'", answer("MessageDisplay", { displayContent: 5 })])(
  "a hook that fails leaves the text as it is: %s",
  async (command) => {
    const lab = await openFeatureLab({ turns: [say("said")], hooks: { MessageDisplay: commands(command) } });
    const end = await lab.submit("hello");
    expect([end.text, end.shown]).toEqual(["said", undefined]);
  },
);

test("a message without text, and one of a subagent, is not shown", async () => {
  const lab = await openFeatureLab({
    turns: [[use("Agent", { description: "look", prompt: "look" })], say("seen by the agent"), say("done")],
    hooks: { MessageDisplay: commands(RECORD) },
  });
  await lab.submit("hello");
  expect(lab.recorded("MessageDisplay").map(({ delta }) => delta)).toEqual(["done"]);
});
