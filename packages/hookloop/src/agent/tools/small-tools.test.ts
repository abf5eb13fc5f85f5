import { expect, test } from "vitest";
import type { Definition } from "../definitions.ts";
import { createSkillTool, createTodoTool } from "./basic-tools.ts";
import { openToolLab } from "./tool-lab.test-suite.ts";

const todo = (content: string, status: "pending" | "in_progress" | "completed" = "pending") => ({ content, status, activeForm: content });

test("TodoWrite keeps the list and tells the old one", async () => {
  const tool = createTodoTool();
  const { context } = openToolLab();
  await tool.run({ todos: [todo("a", "completed")] }, context());
  const { response, text } = await tool.run({ todos: [todo("a", "completed"), todo("b", "in_progress"), todo("c")] }, context());
  expect(response).toMatchObject({ oldTodos: [{ content: "a" }], newTodos: [{ content: "a" }, { content: "b" }, { content: "c" }] });
  expect(text).toBe("- [x] a\n- [~] b\n- [ ] c");
});

test.each([
  ["an empty one", [todo(" ")], /no content/],
  ["two at once", [todo("a", "in_progress"), todo("b", "in_progress")], /2 things are in_progress/],
  ["one twice", [todo("a"), todo("a")], /in the list twice/],
])("TodoWrite refuses %s and keeps the old list", async (_, todos, words) => {
  const tool = createTodoTool();
  const { context } = openToolLab();
  await tool.run({ todos: [todo("kept")] }, context());
  await expect(tool.run({ todos }, context())).rejects.toThrow(words);
  expect((await tool.run({ todos: [] }, context())).response).toMatchObject({ oldTodos: [{ content: "kept" }] });
});

const SKILL: Definition = {
  kind: "skills",
  name: "notes",
  description: "d",
  body: "Do $ARGUMENTS.",
  file: "/s/folder/SKILL.md",
  scope: "user",
  head: "",
  fields: {},
};

test("Skill gives the instructions with the arguments in them, and puts its hooks in force; a wrong name gets a hint", async () => {
  const attached: string[] = [];
  const tool = createSkillTool({
    definitions: () => new Map([["notes", SKILL]]),
    sessionId: "s1",
    attach: async ({ name }) => {
      attached.push(name);
    },
  });
  const { context } = openToolLab();
  expect(await tool.run({ skill: "notes", args: "$& 1" }, context())).toEqual({
    response: { success: true, commandName: "notes" },
    text: "Launching skill: notes",
    after: "Base directory for this skill: /s/folder\n\nDo $& 1.",
  });
  expect(attached).toEqual(["notes"]);
  expect((await tool.run({ skill: "folder" }, context())).after).toContain("Do .");
  await expect(tool.run({ skill: "note" }, context())).rejects.toThrow('Did you mean "notes"?');
});

test("a skill that only people may start is neither offered nor loaded", async () => {
  const fields = { "disable-model-invocation": true };
  const attach = async (): Promise<void> => expect.unreachable();
  const tool = createSkillTool({ definitions: () => new Map([["notes", { ...SKILL, fields }]]), sessionId: "s1", attach });
  expect(tool.description).not.toContain("notes");
  await expect(tool.run({ skill: "notes" }, openToolLab().context())).rejects.toThrow("type /notes");
});
