// @ts-check
// A whole agent loop in fifty lines. Everything that is not "ask the model, run the tool" hangs on it as hooks.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { openHooks } from "hookloop";

/**
 * @typedef {{ type: "text", text: string } | { type: "tool_use", id: string, name: string, input: { command: string } }} Block
 * @param {{ cwd: string, prompt: string, ask: (messages: string[]) => Promise<Block[]> }} options
 */
export async function runAgent({ cwd, prompt, ask }) {
  // This program is the authority over its own project folder, so it trusts the hooks there.
  const hooks = await openHooks({ cwd, trust: "implicit" });
  /** @type {string[]} */
  const messages = [];
  try {
    const submitted = await hooks.fire("UserPromptSubmit", { prompt });
    // Nobody can be asked here, so a question is a no, also that of a gate that failed.
    if (submitted.halt || !["none", "allow"].includes(submitted.decision)) return messages;
    messages.push(submitted.updatedPrompt ?? prompt, ...submitted.contexts.map(({ text }) => text));
    for (let isContinued = false; ; ) {
      const blocks = await ask(messages);
      for (const block of blocks) {
        const { text, halt } = block.type === "text" ? { text: block.text, halt: undefined } : await useTool(hooks, block);
        messages.push(text);
        if (halt) return messages;
      }
      if (blocks.some(({ type }) => type === "tool_use")) continue;
      const stop = await hooks.fire("Stop", { stop_hook_active: isContinued });
      if (stop.halt || stop.continueWith.length === 0) return messages;
      messages.push(...stop.continueWith.map(({ text }) => text));
      isContinued = true;
    }
  } finally {
    await hooks.close();
  }
}

/**
 * @param {import("hookloop").HookEngine} hooks
 * @param {Extract<Block, { type: "tool_use" }>} block
 */
async function useTool(hooks, { id, name, input }) {
  const call = { tool_name: name, tool_input: input, tool_use_id: id };
  // The shape that hooks for Bash know.
  const run = async (/** @type {unknown} */ line) => ({ ...(await promisify(execFile)("sh", ["-c", String(line)])), interrupted: false });
  const result = await hooks.runTool(call, ({ command }) => run(command));
  const output = /** @type {{ stdout?: string } | undefined} */ (result.output);
  return { text: [result.error ?? output?.stdout ?? "", ...result.texts].join("\n"), halt: result.halt };
}
