/** The settings `statusLine` and `fileSuggestion`: commands that are no hooks. They come with a file, so they run only after the trust gate. */

import path from "node:path";
import { contextTokens, withinLimit } from "../../run/index.ts";
import { isFolder, VERSION } from "../../state-files.ts";
import { type CatalogueTool, ToolFailure, toolList } from "../tools/types.ts";
import { type AgentCore, changeDirectories, type Feature, isRefused, reasonsOf } from "./types.ts";

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
  /** Called again and again: each problem is reported once. */
  const complain = (name: string, problem: string): undefined => {
    const text = `"${name}" of the settings gave nothing: ${problem}.`;
    if (!told.has(text)) core.report({ code: "HL_AGENT_SETTING_COMMAND", level: "warning", text });
    told.add(text);
  };
  const run = async (name: "statusLine" | "fileSuggestion", input: Readonly<Record<string, unknown>>): Promise<string | undefined> => {
    const ran = await core.hooks.internals.runSetting(name, { cwd: core.cwd(), ...input }, { timeoutMs: LIMIT_MS, signal: core.closing });
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

const MOST_LINES = 3;
const LONGEST_LINE = 500;
const SGR = /^\[[\d;]{0,40}m/;

/** What a status line may do to a terminal: colours and nothing else, in a few short lines. */
export function statusText(stdout: string): string {
  return stdout
    .trimEnd()
    .split(/\r?\n/)
    .slice(0, MOST_LINES)
    .map((line) => coloured(line.slice(0, LONGEST_LINE)))
    .join("\n");
}

/** SECURITY: other sequences move the cursor, set titles, write to the clipboard. */
function coloured(line: string): string {
  const [first = "", ...rest] = line.split("\u001b");
  const safe = [plain(first), ...rest.map((part) => (SGR.test(part) ? `\u001b${plain(part)}` : plain(part)))];
  return rest.length > 0 ? `${safe.join("")}\u001b[0m` : safe.join("");
}

function plain(text: string): string {
  return [...text].filter((character) => character >= " " && !(character >= "\u007f" && character <= "\u009f")).join("");
}

/** Dollars for a million tokens written to a model's cache, where nothing better is known. */
const CACHE_WRITE_USD = 6.25;
const CACHE_MS = 5 * 60_000;

/** Another model: `/model NAME` (PreModelSwitch may block), or the one of this run on resuming a session. Each fires PostModelSwitch. */
export function openModelSwitch(core: AgentCore): Feature {
  let lastCallAt = 0;
  const figures = (): Readonly<Record<string, unknown>> => {
    const context_tokens = contextTokens(core.conversation.messages);
    return {
      context_tokens,
      prompt_cache_warm: Date.now() - lastCallAt < CACHE_MS,
      cache_ttl: "5m",
      estimated_cache_write_usd: Math.round(context_tokens * CACHE_WRITE_USD) / 1_000_000,
      pricing: "default",
    };
  };
  const switched = async (from: string, to: string, source: "command" | "auto" | "resume", requested: string | null): Promise<void> => {
    await core.fireAndRemind("PostModelSwitch", { from_model: from, to_model: to, requested_model: requested, source, ...figures() });
  };
  const switchTo = async (wanted: string, signal: AbortSignal): Promise<string> => {
    const from = core.modelName();
    if (wanted === "") {
      const script = core.isScripted ? "; the answers come from the script (--script)" : "";
      return `The model is ${from}${script}. Another one: /model NAME (offline and offline-brief need no key)`;
    }
    if (wanted === from) return `The model is ${from} already.`;
    const model = core.modelNamed(wanted);
    if ("problem" in model) return `The model stays ${from}. ${model.problem}`;
    const input = { from_model: from, to_model: wanted, requested_model: wanted, source: "command", ...figures() };
    const verdict = await core.fire("PreModelSwitch", input, signal);
    if (isRefused(verdict)) return `The model stays ${from}; a hook blocked it: ${reasonsOf(verdict)}`;
    model.use();
    await switched(from, wanted, "command", wanted);
    // A script continues where it is: only hooks see the switch.
    const now = core.isScripted
      ? `The model is called ${wanted} now, for hooks; the answers still come from the script (--script).`
      : `The model is ${wanted} now.`;
    return `${now} To go back: /model ${from}`;
  };
  return {
    commands: { model: { description: "show or change the model", usage: "[NAME]", run: switchTo } },
    async started() {
      const before = core.earlierModel;
      if (before !== undefined && before !== "" && before !== core.modelName()) await switched(before, core.modelName(), "resume", null);
    },
    async beforeRequest() {
      lastCallAt = Date.now();
    },
  };
}

/** More folders to work in: `/add-dir FOLDER`, and those of `--add-dir`. Each fires DirectoryAdded. */
export function openDirectories(core: AgentCore): Feature {
  return {
    commands: {
      "add-dir": { description: "work in one more folder", usage: "FOLDER", run: (args, signal) => addDirectory(core, args, signal) },
    },
    async started() {
      for (const directory of core.addedDirectories) await core.fire("DirectoryAdded", { directory, source: "register_repo_root" });
    },
  };
}

async function addDirectory(core: AgentCore, given: string, signal: AbortSignal): Promise<string> {
  if (given === "") return "Say which folder: /add-dir FOLDER";
  const directory = path.resolve(core.cwd(), given.startsWith("~/") ? path.join(core.home, given.slice(2)) : given);
  if (!isFolder(directory)) return `There is no folder ${directory}.`;
  if ([core.root, ...core.permissions.directories].includes(directory)) return `${directory} belongs to the workspace already.`;
  changeDirectories(core, "addDirectories", directory);
  await core.fire("DirectoryAdded", { directory, source: "slash_command" }, signal);
  return `${directory} belongs to the workspace now.`;
}

const PLAN_TEXT =
  "Plan mode is on: read, search and think, but change nothing. When the plan is ready, call ExitPlanMode with it; the user decides.";
const WORK_TEXT = "Plan mode is off: files may be changed again.";

/**
 * Plan mode: the agent reads and plans and changes nothing until the user agrees to its plan. That files are not changed is the
 * permissions' doing; here is the way in (`/plan`, `--permission-mode plan`) and the way out (the tool ExitPlanMode, which always asks).
 */
export function openPlanMode(core: AgentCore): Feature {
  const { permissions } = core;
  const onExit = (): void => {
    isTold = false;
  };
  const tools = toolList(exitPlanMode(core, onExit));
  let isTold = false;
  const tell = (): void => {
    const isOn = permissions.mode === "plan";
    if (isOn !== isTold) core.remind(isOn ? PLAN_TEXT : WORK_TEXT);
    isTold = isOn;
  };
  return {
    get tools() {
      return permissions.mode === "plan" ? tools : [];
    },
    commands: {
      plan: { description: "make a plan before anything is changed", usage: "[off]", run: async (args) => enter(core, args, tell) },
    },
    async started() {
      tell();
    },
    // The mode can also be changed by a key, a command or a hook.
    async beforeRequest() {
      tell();
    },
  };
}

function enter({ permissions }: AgentCore, args: string, tell: () => void): string {
  const wanted = args === "off" ? "default" : "plan";
  if (args !== "" && args !== "off") return "Say /plan, or /plan off.";
  if ((permissions.mode === "plan") === (wanted === "plan")) return `Plan mode is ${wanted === "plan" ? "on" : "off"} already.`;
  permissions.setMode(wanted);
  tell();
  return `Plan mode is ${wanted === "plan" ? "on: nothing is changed until you agree to a plan" : "off"}.`;
}

function exitPlanMode({ permissions }: AgentCore, onExit: () => void): CatalogueTool<"ExitPlanMode"> {
  return {
    name: "ExitPlanMode",
    description: "Shows the user your plan and asks whether to go ahead. Only in plan mode, when the plan is ready.",
    async run({ plan = "" }, { agentId }) {
      if (agentId !== undefined) throw new ToolFailure("Only the main agent can leave plan mode. Give your plan as your answer.");
      permissions.setMode("default");
      onExit();
      return { response: { plan, isAgent: false }, text: `The user agreed to the plan. ${WORK_TEXT} Go ahead.\n\n${plan}` };
    },
  };
}

const IDLE_MS = 60_000;
/** How long the agent waits for a hook's text to the model; that of a slower one goes with a later message. */
const PATIENCE_MS = 1000;

/** Notifies hooks when the user is needed: a permission question, an agent that waits or has finished, no input for `idleMs`. */
export function openNotifications(core: AgentCore, idleMs: number = IDLE_MS): Feature {
  const notify = async (notification_type: string, message: string): Promise<void> => {
    if (!core.hooks.has("Notification")) return;
    await core.fireAndRemind("Notification", { message, notification_type });
  };
  const idle = createIdleTimer({
    afterMs: idleMs,
    onIdle: () => void notify("idle_prompt", "The agent is waiting for your input"),
  });
  return {
    /** The question is put at once: a hook that plays a sound must not keep it from the screen. */
    async whileAsking({ tool_name, agent_id }, ask) {
      const told =
        typeof agent_id === "string"
          ? notify("agent_needs_input", `The agent ${agent_id} needs your permission to use ${tool_name}`)
          : notify("permission_prompt", `The agent needs your permission to use ${tool_name}`);
      const answer = await ask();
      await patiently(told);
      return answer;
    },
    async agentFinished({ id, description }) {
      await patiently(notify("agent_completed", `The agent ${id} (${description}) has finished`));
    },
    waitForInput: () => (core.isInteractive ? idle.start() : () => undefined),
    close: () => idle.close(),
  };
}

async function patiently(told: Promise<void>): Promise<void> {
  await withinLimit({ limitMs: PATIENCE_MS, run: () => told });
}

interface IdleTimer {
  start(): () => void;
  close(): void;
}

export function createIdleTimer({ afterMs, onIdle }: { readonly afterMs: number; readonly onIdle: () => void }): IdleTimer {
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => clearTimeout(timer);
  return {
    start() {
      stop();
      timer = setTimeout(onIdle, afterMs).unref();
      return stop;
    },
    close: stop,
  };
}
