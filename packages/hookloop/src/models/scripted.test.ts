import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createScriptedModel, readScript } from "./model-settings.ts";

const TOOLS = [{ name: "T", description: "", input_schema: {} }];
const text = (words: string) => [{ type: "text" as const, text: words }];

function scriptFile(content: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), "hookloop-script-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "script.json");
  writeFileSync(file, content);
  return file;
}

test("requests with tools get the turns in order, then done; requests without get the side reply", async () => {
  const model = createScriptedModel({ turns: [text("a"), [{ type: "tool_use", id: "t", name: "T", input: {} }]], sideReply: "side" });
  const main = () => model.ask({ messages: [], tools: TOOLS });
  expect((await main()).content).toEqual(text("a"));
  expect((await model.ask({ messages: [] })).content).toEqual(text("side"));
  expect((await main()).stopReason).toBe("tool_use");
  expect(await main()).toMatchObject({ content: text("done"), stopReason: "end_turn" });
});

test("it streams, and honours a signal that came before", async () => {
  const pieces: string[] = [];
  const model = createScriptedModel({ turns: [text("a")] });
  await model.ask({ messages: [], tools: TOOLS, onText: (piece) => pieces.push(piece) });
  expect(pieces).toEqual(["a"]);
  await expect(model.ask({ messages: [], signal: AbortSignal.abort(new Error("stop")) })).rejects.toThrow("stop");
});

test("a script is an object with turns, or just the turns", () => {
  expect(readScript(scriptFile('[[{"type":"text","text":"a"}]]')).turns).toEqual([text("a")]);
  expect(readScript(scriptFile('{"turns": [], "sideReply": "x"}'))).toEqual({ turns: [], sideReply: "x" });
});

test.each(["{", "{}", '{"turns": ["a"]}', "null"])("the script %s is refused with its name", (content) => {
  expect(() => readScript(scriptFile(content))).toThrow("script.json");
});

test.each([
  '[["END"]]',
  '[[{"type":"tool_call","name":"Bash","input":{}}]]',
  '[[{"type":"tool_use","name":"Bash","arguments":{"command":"ls"}}]]',
  '[[{"type":"text"}]]',
])("blocks that are no answer are refused, with what to write: %s", (content) => {
  expect(() => readScript(scriptFile(content))).toThrow(/Turn 1 .*tool_use/);
});
