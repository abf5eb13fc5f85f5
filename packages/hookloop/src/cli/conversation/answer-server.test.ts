import { expect, test } from "vitest";
import { createAnswer } from "./ask-permission.ts";
import { userWho } from "./scripted-user.test-suite.ts";

const signal = new AbortController().signal;
const schema = {
  type: "object",
  properties: {
    name: { type: "string", title: "Your name" },
    age: { type: "integer" },
    isNew: { type: "boolean" },
    colour: { type: "string", enum: ["red", "blue"] },
  },
};
const form = { server: "shop", message: "Who are you?", mode: "form", schema } as const;

test("a form is filled in field by field, each with the type it asks for", async () => {
  const user = userWho("y", "Ada", "36", "n", "");
  const answer = await createAnswer(user.screen, (text) => text)(form, signal);
  expect(answer).toEqual({ action: "accept", content: { name: "Ada", age: 36, isNew: false } });
  expect(user.seen).toEqual([
    expect.stringContaining('The MCP server "shop" asks: Who are you?'),
    "Answer it? y = yes [n]",
    "Your name",
    "age",
    "isNew (y, n)",
    "colour (red, blue)",
  ]);
});

test.each([
  ["", "decline"],
  ["no", "decline"],
  [undefined, "cancel"],
])("%j to the question itself: %s, and nothing is sent", async (given, action) => {
  expect(await createAnswer(userWho(given).screen, (text) => text)(form, signal)).toEqual({ action });
});

test("what is neither yes nor no, no number and none of the choices is asked again, and is never sent", async () => {
  const user = userWho("what?", "/why", "sure", "Ada", "old", "3.5", "36", "perhaps", "ok", "green", "RED");
  expect(await createAnswer(user.screen, (text) => text)(form, signal)).toEqual({
    action: "accept",
    content: { name: "Ada", age: 36, isNew: true, colour: "red" },
  });
});

test("whoever goes away in the middle of a form has sent nothing", async () => {
  expect(await createAnswer(userWho("y", "Ada", undefined).screen, (text) => text)(form, signal)).toEqual({ action: "cancel" });
});

test("a page is shown, and opened by the user, not by us", async () => {
  const user = userWho("y");
  const question = { server: "shop", message: "Sign in", mode: "url", url: "https://shop.example/login" } as const;
  expect(await createAnswer(user.screen, (text) => text)(question, signal)).toEqual({ action: "accept" });
  expect(user.seen.join("\n")).toContain("https://shop.example/login");
});
