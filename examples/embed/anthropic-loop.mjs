// @ts-check
// An agent loop on the Anthropic SDK. Everything that is not "ask the model, run the tool" hangs on it as hooks.
import { execFile } from "node:child_process";
import { appendFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { openHooks, toToolResult } from "hookloop";

/** @type {import("@anthropic-ai/sdk").Anthropic.Tool[]} */
const TOOLS = [
  { name: "Bash", input_schema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] } },
  { name: "save_note", input_schema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] } },
];

/**
 * @typedef {object} AgentOptions
 * @property {string} cwd
 * @property {string} prompt
 * @property {Pick<import("@anthropic-ai/sdk").Anthropic, "messages">} client
 * @property {(tool: string, why: string) => Promise<boolean>} approve Asks the user.
 * @property {(hooks: import("hookloop").HookEngine) => void} [attach] Registers hooks of the program's own.
 * @property {AbortSignal} [signal]
 * @param {AgentOptions} options
 */
export async function runAgent({ cwd, prompt, client, approve, attach, signal }) {
  const hooks = await openHooks({ cwd, trust: "implicit", tools: ["save_note"] });
  attach?.(hooks);
  /** @type {import("@anthropic-ai/sdk").Anthropic.MessageParam[]} */
  const messages = [];
  try {
    await hooks.fire("SessionStart", { source: "startup" });
    const turn = await hooks.startTurn(prompt);
    if ("blocked" in turn) return { messages, blocked: turn.blocked };
    messages.push({ role: "user", content: [turn.prompt, ...turn.texts].join("\n\n") });
    while (!hooks.halted) {
      const { content } = await client.messages.create({ model: "claude", max_tokens: 1024, tools: TOOLS, messages }, { signal });
      messages.push({ role: "assistant", content });
      const calls = content.filter((block) => block.type === "tool_use");
      if (calls.length > 0) {
        messages.push({ role: "user", content: await Promise.all(calls.map(useTool)) });
        continue;
      }
      const more = await hooks.askStop(content.map((block) => (block.type === "text" ? block.text : "")).join(""));
      if (more.length === 0) break;
      messages.push({ role: "user", content: more.join("\n\n") });
    }
    return { messages };
  } finally {
    // Also fires SessionEnd.
    await hooks.close();
  }

  /** @param {import("@anthropic-ai/sdk").Anthropic.ToolUseBlock} block */
  async function useTool({ id, name, input }) {
    const call = { tool_name: name, tool_input: typeof input === "object" && input !== null ? input : {}, tool_use_id: id };
    const ask = (/** @type {{ tool_name: string }} */ asked, /** @type {unknown} */ _verdict, why = { reason: "" }) =>
      approve(asked.tool_name, why.reason);
    // Nothing but this input was judged: a hook may have rewritten it.
    return toToolResult(await hooks.runTool(call, (judged, run) => runTool(name, judged, { cwd, ...run }), { ask, signal }));
  }
}

/** @param {string} name @param {Readonly<Record<string, unknown>>} input @param {{ cwd: string, signal: AbortSignal }} place */
async function runTool(name, { command, text }, { cwd, signal }) {
  if (name === "save_note") return appendFile(path.join(cwd, "notes.txt"), `${text}\n`).then(() => "Saved.");
  return { ...(await promisify(execFile)("sh", ["-c", String(command)], { cwd, signal })), interrupted: false };
}
