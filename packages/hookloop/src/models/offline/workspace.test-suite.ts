import type { ModelMessage, ToolUseBlock } from "../../run/model/model-port.ts";
import "./answer.ts";
import { createOfflineModel } from "../model-settings.ts";

/** A workspace of a few texts, for sentences that change them: what is there afterwards is what a test is about. */

const TOOLS = ["Bash", "Read", "Write", "Edit", "Glob", "Grep", "Agent"].map((name) => ({ name, description: "", input_schema: {} }));
const MOST_CALLS = 10;

interface Played {
  readonly files: Readonly<Record<string, string>>;
  readonly commands: readonly string[];
  readonly calls: readonly ToolUseBlock[];
  /** The last answer. */
  readonly text: string;
}

type Files = Record<string, string>;

export async function playIn(start: Readonly<Files>, ...sentences: readonly string[]): Promise<Played> {
  const files: Files = { ...start };
  const messages: ModelMessage[] = [];
  const calls: ToolUseBlock[] = [];
  let text = "";
  for (const sentence of sentences) {
    messages.push({ role: "user", content: sentence });
    for (let left = MOST_CALLS; left > 0; left--) {
      const { content } = await createOfflineModel().ask({ messages, tools: TOOLS });
      messages.push({ role: "assistant", content });
      text = content.flatMap((block) => (block.type === "text" ? block.text : [])).join("\n");
      const call = content.find((block) => block.type === "tool_use");
      if (!call) break;
      calls.push(call);
      const { is_error = false, said } = use(call, files);
      messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: said, is_error }] });
    }
  }
  const commands = calls.flatMap(({ name, input }) => (name === "Bash" ? String(input["command"]) : []));
  return { files, commands, calls, text };
}

interface Result {
  readonly said: string;
  readonly is_error?: boolean;
}

function use({ name, input }: ToolUseBlock, files: Files): Result {
  const file = String(input["file_path"]).replace(/^\/w\//, "");
  const old = files[file];
  if (name === "Glob") return { said: listed(Object.keys(files).filter((one) => one === input["pattern"])) };
  if (name === "Grep") return { said: found(input, files) };
  if (name === "Read") return old === undefined ? { said: `There is no file /w/${file}.`, is_error: true } : { said: numbered(old) };
  if (name === "Write") {
    files[file] = String(input["content"]);
    return { said: old === undefined ? `File created successfully at: /w/${file}` : `The file /w/${file} has been updated successfully.` };
  }
  if (name === "Edit") return edit(file, input, files);
  return { said: "(Bash completed with no output)" };
}

function edit(file: string, input: ToolUseBlock["input"], files: Files): Result {
  const parts = (files[file] ?? "").split(String(input["old_string"]));
  if (parts.length < 2) return { said: `old_string was not found in /w/${file}.`, is_error: true };
  if (parts.length > 2 && input["replace_all"] !== true) return { said: "old_string is there more than once", is_error: true };
  files[file] = parts.join(String(input["new_string"]));
  return { said: `The file /w/${file} has been updated successfully.` };
}

/** As the tool does with `output_mode: "content"`. */
function found({ pattern, path }: ToolUseBlock["input"], files: Files): string {
  const expression = new RegExp(String(pattern));
  const lines = Object.entries(files)
    .filter(([name]) => path === undefined || name === path)
    .flatMap(([name, text]) => text.split("\n").flatMap((line, at) => (expression.test(line) ? `/w/${name}:${at + 1}:${line}` : [])));
  return lines.join("\n") || "No matches found";
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? "No files found" : names.map((name) => `/w/${name}`).join("\n");
}

function numbered(text: string): string {
  if (text === "") return "<system-reminder>The contents are empty</system-reminder>";
  return text
    .split("\n")
    .map((line, at) => `${at + 1}\t${line}`)
    .join("\n");
}
