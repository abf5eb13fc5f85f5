/** Sentences that newcomers said and that went wrong: the rule behind each. */
import { describe, expect, test } from "vitest";
import type { ModelMessage, ModelReply, ToolUseBlock } from "../../engine/execute/index.ts";
import "./answer.ts";
import { createOfflineModel } from "./offline-model.ts";
import { isGoodbye, readSentence } from "./read-sentence.ts";

const user = (content: string): ModelMessage => ({ role: "user", content });

function said({ content }: ModelReply): string {
  return content.flatMap((block) => (block.type === "text" ? block.text : [])).join("\n");
}

/** Plays a conversation: each sentence, with what its calls give; what begins with `✗ ` is an error. */
async function play(...turns: readonly (readonly [sentence: string, ...results: string[]])[]): Promise<{
  readonly text: string;
  readonly calls: readonly ToolUseBlock[];
}> {
  const tools = ["Bash", "Read", "Write", "Edit", "TaskCreate", "TaskUpdate"].map((name) => ({ name, description: "", input_schema: {} }));
  const messages: ModelMessage[] = [];
  let calls: ToolUseBlock[] = [];
  let text = "";
  for (const [sentence, ...results] of turns) {
    messages.push(user(sentence));
    calls = [];
    for (;;) {
      const reply = await createOfflineModel().ask({ messages, tools });
      messages.push({ role: "assistant", content: reply.content });
      text = said(reply);
      const call = reply.content.find((block) => block.type === "tool_use");
      if (!call) break;
      calls.push(call);
      const given = results.shift() ?? "(Bash completed with no output)";
      const result = {
        type: "tool_result",
        tool_use_id: call.id,
        content: given.replace(/^✗ /, ""),
        is_error: given.startsWith("✗ "),
      } as const;
      messages.push({ role: "user", content: [result] });
    }
  }
  return { text, calls };
}

describe("the end of a sentence is no part of a name", () => {
  test.each([
    ["what changed in notes.txt?", { command: "git diff -- notes.txt" }],
    ["what is in notes.txt?!", { file_path: "notes.txt" }],
    ["show me notes.txt!", { file_path: "notes.txt" }],
    ["read notes.txt.", { file_path: "notes.txt" }],
    ["delete the file notes.txt!", { command: "rm -r notes.txt" }],
    ['read "what?"', { file_path: "what?" }],
    ['read "end."', { file_path: "end." }],
  ])("%s", (sentence, input) => {
    expect(readSentence(sentence).steps.map((step) => step.input)).toEqual([expect.objectContaining(input)]);
  });
});

describe("a line is put where the sentence says", () => {
  const LINES = "1\tone\n2\ttwo\n3\tthree two\n4\t";
  test.each([
    ['insert a line "zero" before line 1 in notes.txt', "one", "zero\none"],
    ['insert "x" after line 1 of notes.txt', "one", "one\nx"],
    ['put "x" at line 3 of notes.txt', "three two", "x\nthree two"],
    ['add "x" above the second line of notes.txt', "one\ntwo\nthree two", "one\nx\ntwo\nthree two"],
    ['add "x" after the last line in notes.txt', "three two", "three two\nx"],
    ['insert "x" before the first line of notes.txt', "one", "x\none"],
    ["insert x before three in notes.txt", "three two", "x\nthree two"],
    ['in notes.txt, insert "x" after line 1', "one", "one\nx"],
    ['add "x" at the top of notes.txt', "one", "x\none"],
    ['add "x" at the end of notes.txt', "three two", "three two\nx"],
    ["replace line 2 of notes.txt with x", "one\ntwo\nthree two", "one\nx\nthree two"],
  ])("%s", async (sentence, old_string, new_string) => {
    const { calls } = await play([sentence, LINES]);
    expect(calls.map(({ name }) => name)).toEqual(["Read", "Edit"]);
    expect(calls[1]?.input).toMatchObject({ file_path: "notes.txt", old_string, new_string });
  });

  test.each([
    ['insert "x" before line 9 in notes.txt', "notes.txt has 3 lines, so I changed nothing."],
    ['insert "x" after "four" in notes.txt', '"four" is not in notes.txt, so I changed nothing.'],
    ["insert x after t in notes.txt", '"t" is in several lines of notes.txt (2, 3), so I changed nothing.'],
  ])("%s: it says why not", async (sentence, expected) => {
    const { calls, text } = await play([sentence, LINES]);
    expect(calls.map(({ name }) => name)).toEqual(["Read"]);
    expect(text).toContain(expected);
  });

  test("a place that it does not know is asked back, and nothing is written", async () => {
    const { calls, text } = await play(['insert "x" near the title in notes.txt']);
    expect(calls).toEqual([]);
    expect(text).toContain("Where in notes.txt?");
  });
});

test("a file that was there is told as replaced", async () => {
  const { text } = await play(["create notes.txt with the text new", "The file /w/notes.txt has been updated successfully."]);
  expect(text).toBe("I replaced what was in notes.txt.");
});

test.each(["write a haiku to haiku.txt", "create sea.txt with a poem about the sea", "add a joke to notes.txt"])(
  "%s: nobody makes up a text here, and it says what works",
  async (sentence) => {
    const { calls, text } = await play([sentence]);
    expect(calls).toEqual([]);
    expect(text).toMatch(/^I cannot make up a text: .* write "TEXT" to \w+\.txt\./);
  },
);

test("a task is marked by its name, in the words that matter", async () => {
  const made = ["make a to-do list: wash the car, buy milk", "Task #1 was created: wash the car", "Task #2 was created: buy milk"] as const;
  expect((await play(made, ["mark wash car as done"])).calls).toMatchObject([{ input: { taskId: "1", status: "completed" } }]);
  expect((await play(made, ["mark walk the dog as done"])).text).toContain("Which one is walk the dog?");
});

test("reading on goes on where the last Read ended", async () => {
  const part = ["show the first 3 lines of notes.txt", "1\ta\n2\tb\n3\tc\n(lines 1 to 3 of 9; read on with offset 4)"] as const;
  expect((await play(part, ["read on"])).calls).toMatchObject([{ name: "Read", input: { file_path: "notes.txt", offset: 4, limit: 3 } }]);
  expect((await play(["read on"])).text).toContain("no file that I have read only in part");
});

test.each(["I'm done, bye", "thanks, bye!", "q", "close", "exit()", "quit();", ":qa!"])("%s leaves", (sentence) => {
  expect(isGoodbye(sentence)).toBe(true);
});

test.each(["close the file", "exit 1", "delete a.txt, bye", "q&a"])("%s does not", (sentence) => {
  expect(isGoodbye(sentence)).toBe(false);
});

test.each(["explain the setup", "what does stop mean?"])("%s is not about an event", (sentence) => {
  expect(readSentence(sentence).questions.join()).not.toContain("is an event");
});

test.each([
  ["run the tests", "Exit code 1\n2 failed", "The tests failed (exit code 1):\n2 failed"],
  ["run false", "Exit code 1", "`false` failed (exit code 1)."],
  ["run rm a.txt", "PreToolUse:Bash hook error: Not for agents.", "I could not run rm a.txt: a hook blocked it: Not for agents."],
  [
    "replace x with y in a.txt",
    "old_string was not found in /w/a.txt. Read the file again; blanks and new lines count.",
    'I could not replace x with y in a.txt: "x" is not in a.txt.',
  ],
])("%s: a failure is told in the words of people", async (sentence, result, expected) => {
  expect((await play([sentence, `✗ ${result}`])).text).toBe(expected);
});

test("what it understands is listed once; a second greeting says where to see it", async () => {
  expect((await play(["hi"])).text).toContain('- "ls -la"');
  expect((await play(["hi"], ["hello"])).text).toBe('Hello! I am the offline model. Say "help" for all that I understand.');
});
