/** How much the offline model understands: a list of sentences with what each should lead to, written before the grammar was. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createOfflineModel } from "../../packages/hookloop/src/models/model-settings.ts";
import type { ModelMessage, ModelTool, ToolUseBlock } from "../../packages/hookloop/src/run/model/model-port.ts";

const LIST = new URL("offline-sentences.tsv", import.meta.url);
const AT_LEAST = 0.9;
const MOST_STEPS = 8;

const TOOLS: readonly ModelTool[] = ["Bash", "Read", "Write", "Edit", "Glob", "Grep", "TodoWrite", "Agent"].map((name) => ({
  name,
  description: "",
  input_schema: {},
}));

interface Played {
  readonly calls: readonly ToolUseBlock[];
  readonly text: string;
}

/** What tools of a small project would say. */
function resultOf({ name, input }: ToolUseBlock): string {
  if (name === "Read") return "     1\tfoo one teh\n     2\talpha";
  if (name === "Glob" && !String(input["pattern"]).includes("*")) return "No files found";
  if (name === "Glob") return "/w/README.md\n/w/index.js";
  if (name === "Grep" && input["path"] === "package.json")
    return ["build", "lint", "format", "typecheck", "start"]
      .map((script, at) => `/w/package.json:${at + 3}:    "${script}": "make",`)
      .join("\n");
  if (name === "Grep") return "/w/index.js:1:foo";
  return `done: ${JSON.stringify(input)}`;
}

async function play(sentence: string): Promise<Played> {
  const model = createOfflineModel();
  const messages: ModelMessage[] = [{ role: "user", content: sentence }];
  const calls: ToolUseBlock[] = [];
  for (let step = 0; step < MOST_STEPS; step++) {
    const { content } = await model.ask({ messages, tools: TOOLS });
    const call = content.find((block) => block.type === "tool_use");
    if (!call) return { calls, text: content.flatMap((block) => (block.type === "text" ? block.text : [])).join("\n") };
    calls.push(call);
    messages.push(
      { role: "assistant", content },
      { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: resultOf(call) }] },
    );
  }
  throw new Error(`"${sentence}" never ends: ${calls.map(({ name }) => name).join(", ")}`);
}

const SAYS: Readonly<Record<string, RegExp>> = {
  greet: /^hello/i,
  capabilities: /^(?!I did not understand).*offline model.*I understand/s,
  polite: /^(?!I did not understand)./s,
  exit: /goodbye/i,
};

function isMet(expected: string, { calls, text }: Played): boolean {
  const [, names = "", input] = /^([^:]*)(?::(.*))?$/s.exec(expected) ?? [];
  if (names === "says") return calls.length === 0 && text.toLowerCase().includes((input ?? "").toLowerCase());
  return names.split("|").some((name) => {
    const says = SAYS[name];
    // Where a tool would do as well, to say that it was not understood is as good.
    if (says) return calls.length === 0 && (names.includes("|") ? /offline model/.test(text) : says.test(text));
    return calls.some(
      (call) => call.name === name && Object.values(call.input).some((value) => JSON.stringify(value).includes(asJson(input))),
    );
  });
}

function asJson(text = ""): string {
  return JSON.stringify(text).slice(1, -1);
}

test("at least nine of ten sentences of the list do what the user means by them", async () => {
  const rows = readFileSync(LIST, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => line.split("\t") as [string, string]);
  const missed: string[] = [];
  for (const [sentence, expected] of rows) {
    const played = await play(sentence);
    if (isMet(expected, played)) continue;
    const did = played.calls.map(({ name, input }) => `${name} ${JSON.stringify(input)}`).join(", ") || played.text.slice(0, 80);
    missed.push(`${sentence}\n    wanted ${expected}, got ${did}`);
  }
  console.info(`${rows.length - missed.length} of ${rows.length} sentences are understood.${missed.map((line) => `\n  ${line}`).join("")}`);
  expect(rows.length - missed.length, missed.join("\n")).toBeGreaterThanOrEqual(rows.length * AT_LEAST);
});
