import { expect, test } from "vitest";
import type { Definition } from "./definitions.ts";
import { definitionText, findSkill, isOff, isOn } from "./load-instructions.ts";

const definition = (body: string, more: Partial<Definition> = {}): Definition => {
  return {
    kind: "skills",
    name: "s",
    description: "",
    body,
    file: "/p/.claude/skills/folder/SKILL.md",
    scope: "project",
    head: "",
    fields: {},
    ...more,
  };
};

test.each([
  ["all of it", "B $ARGUMENTS.", "one 'two three'", "B one 'two three'."],
  ["words from zero on, in the quotes of a shell", "$0|$1|$2", `one 'two three'`, "one|two three|$2"],
  ["the same as a list", "$ARGUMENTS[0]|$ARGUMENTS[1]", `"a \\" b" c`, `a " b|c`],
  ["an apostrophe is no quote", "$0 $1", "don't stop", "don't stop"],
  ["at the end where the text has no place", "Plain.", "one two", "Plain.\n\nARGUMENTS: one two"],
  ["nothing typed", "Plain.", "", "Plain."],
  ["names that only begin so", "$ARGUMENTSX $1st", "a b", "$ARGUMENTSX $1st\n\nARGUMENTS: a b"],
  ["replacement patterns are text", "<$ARGUMENTS>", "$& $1", "<$& $1>"],
  ["unknown variables stay", "${CLAUDE_SESSION_ID} ${HOME}", "", "id ${HOME}"],
])("what was typed stands where the text wants it: %s", (_, body, args, text) => {
  expect(definitionText(definition(body, { kind: "commands" }), { args, sessionId: "id" })).toBe(text);
});

test("a skill's text says where its files are", () => {
  expect(definitionText(definition("Run ${CLAUDE_SKILL_DIR}/x"), { args: "", sessionId: "id" })).toBe(
    "Base directory for this skill: /p/.claude/skills/folder\n\nRun /p/.claude/skills/folder/x",
  );
});

test("a skill is found by its name and by its folder's", () => {
  const skill = definition("", { name: "other" });
  const plugin = definition("", { name: "kit:other", scope: "plugin" });
  const skills = new Map([skill, plugin].map((one) => [one.name, one]));
  expect(findSkill(skills, "other")).toBe(skill);
  expect(findSkill(skills, "folder")).toBe(skill);
  expect(findSkill(skills, "kit:folder")).toBe(plugin);
  expect(findSkill(skills, "nothing")).toBeUndefined();
});

test("yes and no are read in every spelling of a head", () => {
  expect([false, "false", "No", "off"].map(isOff)).toEqual([true, true, true, true]);
  expect([true, "true", "Yes", "on"].map(isOn)).toEqual([true, true, true, true]);
  expect([undefined, 1, "maybe"].flatMap((value) => [isOff(value), isOn(value)])).not.toContain(true);
});
