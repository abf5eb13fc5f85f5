import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ModelRequest } from "../run/model/model-port.ts";
import { createScriptedModel, readScript, type Script } from "./model-settings.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "hookloop-script-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const say = (text: string) => [{ type: "text" as const, text }];
const TOOLS: ModelRequest["tools"] = [{ name: "Bash", description: "", input_schema: {} }];

function asker(script: Script): (system: string) => Promise<unknown> {
  const model = createScriptedModel(script);
  return async (system) => (await model.ask({ system, tools: TOOLS, messages: [] })).content;
}

test("an agent that the first line of its system prompt names has its own turns", async () => {
  const ask = asker({ turns: [say("main")], agents: { alice: { turns: [say("a1"), say("a2")] }, bob: { turns: [say("b1")] } } });
  expect(await ask("You are bob, a teammate.\nalice is another.")).toEqual(say("b1"));
  expect(await ask("You are alice, a teammate.")).toEqual(say("a1"));
  expect(await ask("You are a coding agent.\nThe folder is /home/alice.")).toEqual(say("main"));
  expect(await ask("You are alice, a teammate.")).toEqual(say("a2"));
  expect(await ask("You are bob, a teammate.")).toEqual(say("done"));
});

test.each([
  "{}",
  '{"turns": [1]}',
  '{"turns": [], "agents": {"alice": {}}}',
  '{"turns": [], "agents": {"alice": null}}',
  "no json",
  "null",
])("%s is no script", (text) => {
  const file = path.join(folder, "script.json");
  writeFileSync(file, text);
  expect(() => readScript(file)).toThrow(file);
});
