#!/usr/bin/env node
// @ts-check
// Hooks: hang on the loop, don't write into it.
//
//   you type ─▶ UserPromptSubmit ─▶ model ──▶ tool calls? ── no ──▶ Stop ─▶ your turn again (or go on, if a hook says so)
//                                     ▲           │ yes
//                                     │           ▼
//                                     │      PreToolUse ── a hook answered ──▶ its answer is the result
//                                     │           │
//                                     │        the tool
//                                     │           │
//                                     └─────── PostToolUse
//
// The loop only ever calls triggerHooks(). What is checked, logged or counted is registered below it and can be changed without it.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { createOfflineModel } from "hookloop/agent";
import { createCallbacks, registerHook, triggerHooks } from "hookloop/compat/teaching";

const WORKDIR = process.cwd();

// ── Tools ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** @type {Record<string, (input: any) => string>} */
const TOOL_HANDLERS = {
  bash({ command }) {
    const { stdout, stderr, status } = spawnSync("bash", ["-c", command], { cwd: WORKDIR, encoding: "utf8", timeout: 120_000 });
    return `${status === 0 ? "" : `Exit code ${status}\n`}${stdout}${stderr}`.trim() || "(no output)";
  },
  read_file: ({ path: file }) => readFileSync(path.resolve(WORKDIR, file), "utf8"),
  write_file({ path: file, content }) {
    const target = path.resolve(WORKDIR, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, content);
    return `File created successfully at: ${file}`;
  },
  edit_file({ path: file, old_text, new_text, replace_all }) {
    const target = path.resolve(WORKDIR, file);
    const text = readFileSync(target, "utf8");
    if (!text.includes(old_text)) throw new Error(`The text to replace is not in ${file}`);
    writeFileSync(target, replace_all ? text.replaceAll(old_text, () => new_text) : text.replace(old_text, () => new_text));
    return `Edited ${file}`;
  },
  glob({ pattern }) {
    const files = readdirSync(WORKDIR, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/[/\\](?:node_modules|\.git)(?:[/\\]|$)/.test(entry.parentPath ?? entry.path))
      .map((entry) => path.relative(WORKDIR, path.join(entry.parentPath ?? entry.path, entry.name)));
    const found = files.filter((file) => toRegExp(pattern).test(file)).map((file) => path.join(WORKDIR, file));
    return found.sort().join("\n") || "No files found.";
  },
};

/** @param {string} pattern `**` is any folders, `*` any part of a name. */
function toRegExp(pattern) {
  const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&");
  return new RegExp(
    `^${escaped.replace(/\*\*\/|\*\*|\*|\?/g, (mark) => ({ "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]" })[mark] ?? mark)}$`,
  );
}

// ── The model: a grammar of plain sentences, no network, no key. It speaks of Read and file_path, this chapter of read_file and path. ──

const model = createOfflineModel();
/** @type {Record<string, string>} */
const NAMES = { Bash: "bash", Read: "read_file", Write: "write_file", Edit: "edit_file", Glob: "glob" };
/** @type {Record<string, string>} */
const FIELDS = { file_path: "path", old_string: "old_text", new_string: "new_text" };
const TOOLS = Object.keys(NAMES).map((name) => ({ name, description: name, input_schema: {} }));

/**
 * @typedef {import("hookloop/agent").ContentBlock} ContentBlock
 * @typedef {import("hookloop/agent").ModelMessage} Message
 * @param {Extract<ContentBlock, { type: "tool_use" }>} call
 */
function inOurWords({ id, name, input }) {
  const fields = Object.entries(input).map(([field, value]) => [FIELDS[field] ?? field, value]);
  return { id, name: NAMES[name] ?? name, input: Object.fromEntries(fields) };
}

// ── The terminal: one line at a time, also from a pipe ──────────────────────────────────────────────────────────────────────────

const terminal = createInterface({ input: process.stdin, output: process.stdout });
const lines = terminal[Symbol.asyncIterator]();

/** @param {string} question @returns {Promise<string | undefined>} nothing when the input has ended */
async function readLine(question) {
  terminal.setPrompt(question);
  terminal.prompt();
  const { value, done } = await lines.next();
  return done ? undefined : value;
}

// ── Hooks: everything that is not "ask the model, run the tool" ─────────────────────────────────────────────────────────────────

const { contextInjectHook, permissionHook, logHook, largeOutputHook, summaryHook } = createCallbacks({
  cwd: WORKDIR,
  async ask(question) {
    console.log(`\n${question}`);
    return /^\s*y(?:es)?\s*$/i.test((await readLine("   Allow? [y/N] ")) ?? "");
  },
});

registerHook("UserPromptSubmit", contextInjectHook);
registerHook("PreToolUse", permissionHook);
registerHook("PreToolUse", logHook);
registerHook("PostToolUse", largeOutputHook);
registerHook("Stop", summaryHook);

// ── The loop: it knows no check, no log and no count ────────────────────────────────────────────────────────────────────────────

/** @param {Message[]} messages @returns {Promise<string>} the model's last text */
async function agentLoop(messages) {
  for (;;) {
    const response = await model.ask({ messages, tools: TOOLS });
    messages.push({ role: "assistant", content: response.content });
    const calls = response.content.filter((block) => block.type === "tool_use");
    if (calls.length === 0) {
      const force = await triggerHooks("Stop", messages);
      if (!force) return response.content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
      messages.push({ role: "user", content: String(force) });
      continue;
    }
    /** @type {ContentBlock[]} */
    const results = [];
    for (const call of calls) {
      const block = inOurWords(call);
      const blocked = await triggerHooks("PreToolUse", block);
      const { content, is_error } = blocked ? { content: String(blocked), is_error: true } : runTool(block);
      if (!blocked) await triggerHooks("PostToolUse", block, content);
      results.push({ type: "tool_result", tool_use_id: block.id, content, is_error });
    }
    messages.push({ role: "user", content: results });
  }
}

/** @param {ReturnType<typeof inOurWords>} block */
function runTool({ name, input }) {
  const handler = Object.hasOwn(TOOL_HANDLERS, name) ? TOOL_HANDLERS[name] : undefined;
  if (!handler) return { content: `Unknown: ${name}`, is_error: true };
  try {
    return { content: handler(input), is_error: false };
  } catch (error) {
    return { content: `Error: ${error instanceof Error ? error.message : error}`, is_error: true };
  }
}

// ── Your turn ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────

console.log('Hooks: the loop stays clean. Type a sentence ("help" lists what this model understands), or "exit".');
/** @type {Message[]} */
const history = [];
for (;;) {
  const query = await readLine("\nhooks >> ");
  if (query === undefined || ["q", "exit", "quit"].includes(query.trim())) break;
  if (query.trim() === "") continue;
  const said = await triggerHooks("UserPromptSubmit", query);
  const { block, prompt = query, context } = typeof said === "string" ? { context: said } : /** @type {any} */ (said ?? {});
  if (block !== undefined) {
    console.log(`The prompt was blocked: ${block}`);
    continue;
  }
  history.push({ role: "user", content: context === undefined ? prompt : `${prompt}\n\n${context}` });
  console.log(await agentLoop(history));
}
terminal.close();
