import { describe, expect, test } from "vitest";
import type { ModelMessage } from "../../engine/execute/index.ts";
import { createOfflineModel } from "./offline-model.ts";
import { readSentence } from "./read-sentence.ts";

describe("sentences", () => {
  test.each([
    ["run pwd", [["Bash", { command: "pwd" }]]],
    ["Run ls -la.", [["Bash", { command: "ls -la" }]]],
    ["please read the file README.md", [["Read", { file_path: "README.md" }]]],
    ["search for TODO", [["Grep", { pattern: "TODO", output_mode: "content" }]]],
    ["search for a.b(c)", [["Grep", { pattern: "a\\.b\\(c\\)", output_mode: "content" }]]],
    ["summarise this workspace in one sentence", [["Glob", { pattern: "**/*" }]]],
    ["summarize the project", [["Glob", { pattern: "**/*" }]]],
    ["run echo a and b", [["Bash", { command: "echo a and b" }]]],
    ["delete all temporary files in /tmp", [["Bash", { command: "rm -f /tmp/*.tmp", description: "Delete the files" }]]],
    ["delete the file old.txt", [["Bash", { command: "rm -r old.txt", description: "Delete it" }]]],
  ])("%s", (sentence, calls) => {
    const { steps, rest } = readSentence(sentence);
    expect(steps.map(({ tool, input }) => [tool, input])).toEqual(calls);
    expect(rest).toEqual([]);
  });

  test("several steps are joined by and, then, a comma or a full stop", () => {
    const tools = (sentence: string): string[] => readSentence(sentence).steps.map(({ tool }) => tool);
    expect(tools("create notes/hello.ts and print the file content")).toEqual(["Write", "Read"]);
    expect(tools("run pwd, then read a.txt and then search for x")).toEqual(["Bash", "Read", "Grep"]);
    expect(tools("Read a.txt. Run pwd.")).toEqual(["Read", "Bash"]);
  });

  test("what is not understood is named, and the rest is done", () => {
    expect(readSentence("run pwd then dance a bit").rest).toEqual(["dance a bit"]);
  });

  test("a quoted word in a deletion cannot become another command", () => {
    expect(readSentence("delete the file $(reboot)").steps).toEqual([]);
  });
});

describe("the model", () => {
  const ask = (...messages: ModelMessage[]) => createOfflineModel().ask({ messages });
  const user = (content: ModelMessage["content"]): ModelMessage => ({ role: "user", content });

  test("it says what it is when it understands nothing", async () => {
    const { content, stopReason } = await ask(user("Good morning"));
    expect(stopReason).toBe("end_turn");
    expect(content).toEqual([{ type: "text", text: expect.stringMatching(/did not understand: "Good morning".*offline model/s) }]);
  });

  test("step follows step, and the end tells what came of them, a refusal included", async () => {
    const prompt = user("run pwd and read a.txt");
    const first = await ask(prompt);
    expect(first.content.at(-1)).toMatchObject({ type: "tool_use", name: "Bash", input: { command: "pwd" } });
    const after = [
      prompt,
      { role: "assistant", content: first.content },
      user([{ type: "tool_result", tool_use_id: "1", content: "/here" }]),
    ] as const;
    const second = await ask(...after);
    expect(second.content.at(-1)).toMatchObject({ name: "Read", input: { file_path: "a.txt" } });
    const refused = user([{ type: "tool_result", tool_use_id: "2", content: "a hook said no", is_error: true }]);
    const last = await ask(...after, { role: "assistant", content: second.content }, refused);
    expect(last.content).toEqual([{ type: "text", text: "`pwd` printed:\n/here\n\nI could not read a.txt: a hook said no" }]);
  });

  test("a question is answered from what hooks said beside it", async () => {
    const reminder = { type: "text", text: "<system-reminder>\nUserPromptSubmit hook success: It is Heron.\n</system-reminder>" } as const;
    const { content } = await ask(user([reminder, { type: "text", text: "What is the release called?" }]));
    expect(content).toEqual([{ type: "text", text: "What I was told about this:\nIt is Heron." }]);
  });

  test("a Stop hook's reason is the next thing to do", async () => {
    const { content } = await ask(user("run pwd"), { role: "assistant", content: [] }, user("Stop hook feedback:\nrun npm test"));
    expect(content).toMatchObject([{ name: "Bash", input: { command: "npm test" } }]);
  });
});
