import path from "node:path";
import { type Diagnostic, nearestName } from "../diagnostic.ts";
import type { HookEngine } from "../engine/index.ts";
import {
  createAnthropicModel,
  createOfflineModel,
  createScriptedModel,
  isOfflineModel,
  readModelSettings,
  readScript,
} from "../models/index.ts";
import {
  insideFolders,
  MODES,
  type PermissionMode,
  Permissions,
  type ProjectPlace,
  projectRoot,
  readRules,
  readWithin,
} from "../permissions/index.ts";
import { type JudgeTools, type Model, ModelError } from "../run/index.ts";
import { sessionName } from "../trace/index.ts";
import { type AgentFlags, CannotStart } from "./agent-flags.ts";
import { createMayRead, inputCheck } from "./toolbox.ts";
import { globTool } from "./tools/glob.ts";
import { grepTool } from "./tools/grep.ts";
import { readTool } from "./tools/read.ts";
import type { AgentTool, ToolContext } from "./tools/types.ts";
import { type EarlierSession, listTranscripts, readTranscript } from "./transcript.ts";

interface PermissionParts {
  readonly hooks: HookEngine;
  readonly flags: AgentFlags;
  readonly mode: PermissionMode | undefined;
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly directories: readonly string[];
  readonly tools: readonly string[];
}

/** The session's permissions: the rules of every source, and those of the command line. */
export function sessionPermissions(parts: PermissionParts): {
  readonly permissions: Permissions;
  readonly diagnostics: readonly Diagnostic[];
} {
  const { hooks, flags, mode, cwd, home, env, directories, tools } = parts;
  const lists = { allow: placed(flags.allowedTools), ask: [], deny: placed(flags.disallowedTools) };
  const own = { scope: "flag", root: cwd, isTrusted: true, permissions: lists } as const;
  const { rules, diagnostics } = readRules([...hooks.ruleSources, own], { home, tools });
  // As the Bash tool has it: hooks may have set another one.
  const searchPath = (): string | undefined => hooks.shellEnv()["PATH"] ?? env["PATH"];
  const canBypass = mode === "bypassPermissions";
  const permissions = new Permissions({ rules, root: cwd, home, mode, directories, canBypass, tools, searchPath });
  // What is wrong with the rules of files was said when they were read.
  const known = new Set(hooks.diagnostics.map(sameness));
  return { permissions, diagnostics: diagnostics.filter((one) => !known.has(sameness(one))) };
}

function sameness({ code, text, place }: Diagnostic): string {
  return JSON.stringify([code, text, place]);
}

function placed(texts: readonly string[]): readonly { readonly text: string }[] {
  return texts.map((text) => ({ text }));
}

/** The mode that was asked for; throws a `CannotStart` if there is none of that name. */
export function permissionMode(given: string | undefined): PermissionMode | undefined {
  if (given === undefined) return undefined;
  const mode = MODES.find((known) => known === given);
  if (mode) return mode;
  throw new CannotStart("HL_CLI_USAGE", `"${given}" is not a permission mode. The modes are: ${MODES.join(", ")}.`);
}

interface ModelChoice extends ProjectPlace {
  readonly env: Readonly<Record<string, string>>;
  /** The project is trusted: only then its `.env` may say who is asked. */
  readonly isTrusted: boolean;
  readonly model?: string | undefined;
  readonly script?: string | undefined;
}

export interface ChosenModel {
  readonly model: Model;
  /** What the project's `.env` says about the model, and whether it counts; for people, before anything else. */
  readonly note?: string | undefined;
}

const DEFAULT_MODEL = "claude-opus-5-5";
const LARGEST_FILE = 256 * 1024;

/** A script, the vendor whose key there is, or the offline model. */
export function chooseModel({ cwd, home, env, isTrusted, model, script }: ModelChoice): ChosenModel {
  if (script !== undefined) return { model: createScriptedModel(scriptOf(path.resolve(cwd, script))) };
  const settings = readModelSettings({ env, dotEnv: readDotEnv(cwd, home), isTrusted });
  const { apiKey, authToken, baseUrl, note } = settings;
  const name = model ?? settings.model;
  if (!apiKey && !authToken) {
    if (name === undefined || isOfflineModel(name)) return { model: createOfflineModel(name), note };
    throw new CannotStart(
      "HL_AGENT_NO_MODEL",
      `There is no key for the model ${name}. Set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN) before you start; without --model and MODEL_ID the offline model answers (offline, offline-brief); --script FILE replays answers.${note === undefined ? "" : ` ${note}`}`,
    );
  }
  if (name !== undefined && isOfflineModel(name)) return { model: createOfflineModel(name), note };
  return { model: createAnthropicModel({ apiKey, authToken, baseUrl, model: name ?? DEFAULT_MODEL }), note };
}

/** What the command line names must be there: anything else is wrong usage. */
function scriptOf(file: string): ReturnType<typeof readScript> {
  try {
    return readScript(file);
  } catch (thrown) {
    if (!(thrown instanceof ModelError)) throw thrown;
    throw new CannotStart("HL_CLI_USAGE", `--script: ${thrown.message}`);
  }
}

/** The project's `.env`, if it really is the project's; most projects have none. */
function readDotEnv(cwd: string, home: string): string | undefined {
  const found = readWithin(path.join(cwd, ".env"), { within: insideFolders([cwd, projectRoot(cwd, home)]), limit: LARGEST_FILE });
  return found.kind === "read" ? found.bytes.toString() : undefined;
}

/** The session to go on with. `id`: empty for the latest. */
export function findEarlierSession(folder: string | undefined, id: string): EarlierSession {
  const files = folder === undefined ? [] : listTranscripts(folder);
  const wanted = id === "" ? files[0] : files.find((file) => path.basename(file, ".jsonl") === sessionName(id));
  if (wanted !== undefined) return readTranscript(wanted);
  if (id === "") throw new CannotStart("HL_AGENT_NO_SESSION", "There is no earlier session of this project to continue.");
  const names = files.map((file) => path.basename(file, ".jsonl"));
  const nearest = nearestName(id, names);
  const latest = names.length > 0 ? ` The latest are: ${names.slice(0, 5).join(", ")}.` : " This project has none.";
  throw new CannotStart(
    "HL_AGENT_NO_SESSION",
    `There is no session "${id}" of this project.${nearest ? ` Did you mean ${nearest}?` : ""}${latest}`,
  );
}

interface JudgePlace extends Pick<ToolContext, "root" | "home"> {
  /** The session's rules, once there are any: what the agent may not read, its hooks may not either. */
  readonly permissions: () => Permissions | undefined;
}

/** What an agent hook may use: tools that read, and only inside the session's own process. Their calls fire no hooks (D15). */
export function judgeTools({ root, home, permissions }: JudgePlace): JudgeTools {
  const tools = [readTool, globTool, grepTool].map((tool) => {
    const one = tool as unknown as AgentTool;
    return { tool: one, check: inputCheck(one) };
  });
  return {
    offered: tools.map(({ tool: { name, description }, check: { jsonSchema } }) => ({ name, description, input_schema: jsonSchema })),
    async run(call, { cwd, signal }) {
      const found = tools.find(({ tool }) => tool.name === call.name);
      if (!found) throw new Error(`There is no tool ${call.name}.`);
      const problem = found.check.problemOf(call.input);
      if (problem !== undefined) throw new Error(`The input of ${call.name} is not valid: ${problem}`);
      const context: ToolContext = {
        cwd,
        root,
        home,
        directories: [root],
        env: () => ({}),
        signal,
        toolUseId: call.id,
        targetOf: (path) => ({ path }),
        mayRead: createMayRead(permissions(), { cwd, root, home }),
        moveTo: () => {},
      };
      const input = found.tool.resolve?.(call.input, context) ?? call.input;
      const file = input["file_path"];
      if (typeof file === "string" && !context.mayRead(file)) throw new Error(`A rule forbids reading ${file}.`);
      const { text } = await found.tool.run(input, context);
      return text;
    },
  };
}
