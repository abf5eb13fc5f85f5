import { expect, test } from "vitest";
import type { ModelReply } from "../run/model/model-port.ts";
import { createConversation } from "./conversation.ts";

const reply = (...content: ModelReply["content"]): ModelReply => ({
  id: "m",
  model: "m",
  content,
  stopReason: "end_turn",
  usage: { inputTokens: 0, outputTokens: 0 },
});
const call = (id: string): ModelReply["content"][number] => ({ type: "tool_use", id, name: "Bash", input: {} });
const result = (id: string) => ({ type: "tool_result" as const, tool_use_id: id, content: "ok" });

test("what is said in a row by users, hooks and tools is one message", () => {
  const conversation = createConversation();
  conversation.addUser("one");
  conversation.addUser([{ type: "text", text: "two" }]);
  expect(conversation.messages).toEqual([
    {
      role: "user",
      content: [
        { type: "text", text: "one" },
        { type: "text", text: "two" },
      ],
    },
  ]);
});

test("calls without an answer get a result before anything else is said", () => {
  const conversation = createConversation();
  conversation.addUser("go");
  conversation.addAssistant(reply(call("a"), call("b")));
  conversation.addUser([result("a")]);
  conversation.addUser("next");
  const [, , last] = conversation.messages;
  expect(last?.content).toEqual([
    { type: "tool_result", tool_use_id: "b", content: "This call was not run: the turn was over before it.", is_error: true },
    result("a"),
    { type: "text", text: "next" },
  ]);
});

test("an answer with nothing in it is no message, but is received of", () => {
  const entries: string[] = [];
  const conversation = createConversation({ onEntry: ({ type }) => entries.push(type) });
  conversation.addUser("go");
  conversation.addAssistant(reply());
  conversation.addUser("next");
  expect(conversation.messages).toHaveLength(1);
  expect(entries).toEqual(["user", "assistant", "user"]);
});

test("earlier entries are part of it and are not told again", () => {
  const entries: string[] = [];
  const earlier = [
    { type: "user", content: "before" },
    { type: "assistant", reply: reply({ type: "text", text: "yes" }) },
  ] as const;
  const conversation = createConversation({ earlier, onEntry: ({ type }) => entries.push(type) });
  expect(conversation.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  expect(entries).toEqual([]);
});
