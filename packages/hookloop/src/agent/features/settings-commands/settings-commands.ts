/** The settings `statusLine` and `fileSuggestion`: commands that are no hooks. They come with a file, so they run only after the trust gate. */
import { VERSION } from "../../../state-files.ts";
import type { AgentCore } from "../types.ts";
import { statusText } from "./status-text.ts";

export interface SettingsCommands {
  /** The line below the prompt; nothing if no trusted command gives one. */
  statusLine(): Promise<string | undefined>;
  /** Files that fit what was typed after `@`; nothing if no trusted command gives any. */
  suggestFiles(prefix: string): Promise<readonly string[] | undefined>;
}

const LIMIT_MS = 5000;
const MOST_FILES = 100;
const LONGEST_NAME = 4096;

export function openSettingsCommands(core: AgentCore): SettingsCommands {
  const told = new Set<string>();
  /** Asked for again and again: what is wrong is said once. */
  const complain = (name: string, problem: string): undefined => {
    const text = `"${name}" of the settings gave nothing: ${problem}.`;
    if (!told.has(text)) core.report({ code: "HL_AGENT_SETTING_COMMAND", level: "warning", text });
    told.add(text);
  };
  const run = async (name: "statusLine" | "fileSuggestion", input: Readonly<Record<string, unknown>>): Promise<string | undefined> => {
    const ran = await core.hooks.runSetting(name, { cwd: core.cwd(), ...input }, { timeoutMs: LIMIT_MS, signal: core.closing });
    if (!ran) return undefined;
    return ran.problem === undefined ? ran.stdout : complain(name, ran.problem);
  };
  return {
    async statusLine() {
      const stdout = await run("statusLine", statusInput(core));
      return stdout === undefined ? undefined : statusText(stdout);
    },
    async suggestFiles(prefix) {
      const stdout = await run("fileSuggestion", { query: prefix });
      if (stdout === undefined) return undefined;
      const files = listOf(stdout);
      return files ?? complain("fileSuggestion", "it must print a JSON array of texts");
    },
  };
}

function statusInput({ modelName, cwd, root, permissions }: AgentCore): Readonly<Record<string, unknown>> {
  return {
    hook_event_name: "Status",
    model: { id: modelName(), display_name: modelName() },
    workspace: { current_dir: cwd(), project_dir: root },
    permission_mode: permissions.mode,
    version: VERSION,
  };
}

function listOf(stdout: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(stdout);
    if (!Array.isArray(value) || !value.every((one) => typeof one === "string")) return undefined;
    return value.filter((one) => one.length <= LONGEST_NAME && !hasControls(one)).slice(0, MOST_FILES);
  } catch {
    // The caller says what it must be.
    return undefined;
  }
}

function hasControls(text: string): boolean {
  return [...text].some((character) => character < " " || character === "\u007f");
}
