import { constants } from "node:os";
import path from "node:path";
import { deny } from "@hookloop/sdk";
import { EVENTS, OWN_DIALECT } from "../catalogue/index.ts";
import { disabledNames, isOtherName, type RegisteredHook, serverToolsOf } from "../config/index.ts";
import { counted, type Diagnostic, didYouMean, placeText } from "../diagnostic.ts";
import type { HookEngine } from "../engine/index.ts";
import type { ErrorCode } from "../errors.ts";
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
import { deadServerMatchers, type ServerTools } from "../select/index.ts";
import { sessionName } from "../trace/index.ts";
import { aboveCure, type RefusedHook } from "../trust/index.ts";
import type { SessionPlace } from "./open-session.ts";
import { createMayRead, inputCheck } from "./toolbox.ts";
import { readTool } from "./tools/files.ts";
import { globTool, grepTool } from "./tools/search.ts";
import type { AgentTool, ToolContext } from "./tools/types.ts";
import { type EarlierSession, listTranscripts, readTranscript } from "./transcript.ts";

interface PermissionParts extends Pick<SessionPlace, "cwd" | "home" | "env" | "directories"> {
  readonly hooks: HookEngine;
  readonly flags: AgentFlags;
  readonly mode: PermissionMode | undefined;
  readonly tools: readonly string[];
}

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
  // What is wrong with them is told before the first call.
  const silent = { ...rules, diagnostics: undefined };
  const permissions = new Permissions({ rules: silent, root: cwd, home, mode, directories, canBypass, tools, searchPath });
  // Problems of rules in files were reported when they were read.
  const known = new Set(hooks.diagnostics.map(sameness));
  return { permissions, diagnostics: diagnostics.filter((one) => !known.has(sameness(one))) };
}

function sameness({ code, text, place }: Diagnostic): string {
  return JSON.stringify([code, text, place]);
}

function placed(texts: readonly string[]): readonly { readonly text: string }[] {
  return texts.map((text) => ({ text }));
}

export function permissionMode(given: string | undefined): PermissionMode | undefined {
  if (given === undefined) return undefined;
  const mode = MODES.find((known) => known === given);
  if (mode) return mode;
  throw new CannotStart(
    "HL_CLI_USAGE",
    `"${given}" is not a permission mode.${didYouMean(given, MODES)} The modes are: ${MODES.join(", ")}.`,
  );
}

interface ModelChoice extends ProjectPlace {
  readonly env: Readonly<Record<string, string>>;
  /** The project is trusted: only then its `.env` may choose the model. */
  readonly isTrusted: boolean;
  readonly model?: string | undefined;
  readonly script?: string | undefined;
  /** A session runs already, with another model. */
  readonly isRunning?: boolean | undefined;
}

interface ChosenModel {
  readonly model: Model;
  /** What the project's `.env` sets for the model, and whether it is used; shown to the user first. */
  readonly note?: string | undefined;
}

const DEFAULT_MODEL = "claude-opus-5-5";
const LARGEST_FILE = 256 * 1024;

/** A script, the vendor whose key there is, or the offline model. */
export function chooseModel({ cwd, home, env, isTrusted, model, script, isRunning = false }: ModelChoice): ChosenModel {
  if (script !== undefined) return { model: createScriptedModel(scriptOf(path.resolve(cwd, script))) };
  const settings = readModelSettings({ env, dotEnv: readDotEnv(cwd, home), isTrusted });
  const { apiKey, authToken, baseUrl, note } = settings;
  const name = model ?? settings.model;
  if (!apiKey && !authToken) {
    if (name === undefined || isOfflineModel(name)) return { model: createOfflineModel(name), note };
    const others = isRunning
      ? "Leave, set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN), and start again."
      : "Set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN) before you start; without --model and MODEL_ID the offline model answers (offline, offline-brief); --script FILE replays answers.";
    const text = `There is no key for the model ${name}.${didYouMean(name, ["offline", "offline-brief"])} ${others}${note === undefined ? "" : ` ${note}`}`;
    throw new CannotStart("HL_AGENT_NO_MODEL", text);
  }
  if (name !== undefined && isOfflineModel(name)) return { model: createOfflineModel(name), note };
  return { model: createAnthropicModel({ apiKey, authToken, baseUrl, model: name ?? DEFAULT_MODEL }), note };
}

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

export function findEarlierSession(folder: string | undefined, id: string): EarlierSession {
  const files = folder === undefined ? [] : listTranscripts(folder);
  const wanted = id === "" ? files[0] : files.find((file) => path.basename(file, ".jsonl") === sessionName(id));
  if (wanted !== undefined) return readTranscript(wanted);
  if (id === "") throw new CannotStart("HL_AGENT_NO_SESSION", "There is no earlier session of this project to continue.");
  const names = files.map((file) => path.basename(file, ".jsonl"));
  const latest = names.length > 0 ? ` The latest are: ${names.slice(0, 5).join(", ")}.` : " This project has none.";
  throw new CannotStart("HL_AGENT_NO_SESSION", `There is no session "${id}" of this project.${didYouMean(id, names)}${latest}`);
}

interface JudgePlace extends Pick<ToolContext, "root" | "home"> {
  /** The session's rules, once there are any: what the agent may not read, its hooks may not either. */
  readonly permissions: () => Permissions | undefined;
}

/** What an agent hook may use: tools that read, and only inside the session's own process. Their calls fire no hooks. */
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

export interface AgentFlags {
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
  readonly permissionMode?: string | undefined;
  readonly mcpConfig: readonly string[];
  readonly settings?: string | undefined;
  readonly pluginDirs: readonly string[];
  readonly addDirs: readonly string[];
  readonly model?: string | undefined;
  readonly script?: string | undefined;
  readonly agentType?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly resume?: string | undefined;
  readonly maxTurns?: number | undefined;
  readonly trustWorkspace: boolean;
  readonly trustedHooks: Readonly<Record<string, string>>;
  readonly requireHooks: boolean;
  /** Files that register hooks when the session opens. */
  readonly extensions?: readonly string[] | undefined;
  readonly noProjectHooks: boolean;
  /** Start although a gate that was approved has changed: it blocks what it matches. */
  readonly allowChangedHooks?: boolean | undefined;
}

type EndSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** A wrapper passes one Ctrl-C on a second time, and a shell one hang-up: what follows this soon is the same request. */
const SAME_REQUEST_MS = 200;
/** It ends after this in any case. */
const LONGEST_END_MS = 60_000;

/**
 * Calls `stop` when this program is asked to end. The second time it ends at once, with everything it has started; SIGHUP may come any
 * number of times. Gives the function that stops listening.
 */
export function onEndSignal(stop: (name: EndSignal) => void, names: readonly EndSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"]): () => void {
  let askedAt: number | undefined;
  const onSignal = (name: EndSignal): void => {
    if (askedAt === undefined) {
      askedAt = performance.now();
      setTimeout(() => process.exit(1), LONGEST_END_MS).unref();
      stop(name);
    } else if (name !== "SIGHUP" && performance.now() - askedAt > SAME_REQUEST_MS) process.exit(128 + constants.signals[name]);
  };
  // Ctrl-\\: ends at once.
  const onQuit = (): void => process.exit(128 + constants.signals.SIGQUIT);
  for (const name of names) process.on(name, onSignal);
  process.on("SIGQUIT", onQuit);
  return () => {
    for (const name of names) process.off(name, onSignal);
    process.off("SIGQUIT", onQuit);
  };
}

export class CannotStart extends Error {
  /** 2 for wrong usage, as with every command. */
  readonly exitCode: number;

  constructor(code: ErrorCode, text: string) {
    super(`${code}: ${text}`);
    this.exitCode = code === "HL_CLI_USAGE" ? 2 : 1;
  }
}

/** SECURITY: where there is no user to ask, nothing starts while a gate is not what was approved. */
export function checkGates(
  { allowChangedHooks = false }: AgentFlags,
  { review }: { readonly review?: unknown },
  { withheld, trust }: HookEngine,
): void {
  if (allowChangedHooks || review) return;
  const [above] = trust.gatesAbove;
  if (above) {
    const others = trust.gatesAbove.length === 1 ? "" : ` and ${trust.gatesAbove.length - 1} more`;
    const cure = `${aboveCure(above)}. To start here all the same: --allow-changed-hooks`;
    throw new CannotStart(
      "HL_TRUST_GATE_ABOVE",
      `The gate "${above.name}"${others} was approved for ${above.source.root} and is not read here, so nothing was started.\n${cure}`,
    );
  }
  if (withheld.length === 0) return;
  const { message, cure } = withheldText(withheld);
  throw new CannotStart("HL_TRUST_GATE_WITHHELD", `${message}\n${cure}`);
}

interface MatcherHost extends Pick<SessionPlace, "cwd" | "home"> {
  readonly review?: unknown;
  readonly report: (diagnostic: Diagnostic) => void;
}

/** SECURITY: a guard for a tool that no connected server has guards nothing. It counts like one whose matcher was known to be dead when it was read. */
export function checkServerMatchers(flags: AgentFlags, host: MatcherHost, hooks: HookEngine, servers: ServerTools): void {
  const { requireHooks, allowChangedHooks = false } = flags;
  const { review, report, cwd, home } = host;
  const namedBy = ({ target, fields = {}, source, unreadable }: RegisteredHook): readonly string[] =>
    target.kind === "command" || target.kind === "module"
      ? serverToolsOf({ kind: target.kind, fields, source, unreadable }, { projectRoot: cwd, home })
      : [];
  for (const { hook, text, isCertain, isOfScript } of deadServerMatchers(hooks.admitted, servers, namedBy)) {
    const { event, name, place } = hook;
    const where = place ? ` (${placeText(place)})` : "";
    if (isCertain && !isOfScript && requireHooks && EVENTS[event].role === "gate")
      throw new CannotStart("HL_TRUST_REQUIRED", `"${name}" must be able to run. ${text}${where}`);
    const isLost = isCertain && !isOfScript && isOwnGuard(hook);
    if (isLost && !allowChangedHooks && !review)
      throw new CannotStart(
        "HL_TRUST_GATE_WITHHELD",
        `The guard "${name}" can never run, so nothing was started.\n${text}${where}\nFix the matcher. To start all the same, with ${event} blocked: --allow-changed-hooks`,
      );
    report({ code: "HL_CONFIG_MATCHER_NEVER", level: isCertain ? "warning" : "notice", text, place, hook: hook.id });
    if (isLost) hooks.on(event, { guard: true, name }, () => deny(`The guard "${name}" can never run, so it blocks. ${text}`));
  }
}

function isOwnGuard({ source, isGuard, fields }: RegisteredHook): boolean {
  return source.dialect === OWN_DIALECT && (isGuard || fields?.["onFailure"] === "block");
}

/** Gates that were approved for added directories: they are not read here, although the agent may work there. */
export function gatesOfDirectories({ trust }: HookEngine, directories: readonly string[]): readonly Diagnostic[] {
  const [first, ...others] = directories.length === 0 ? [] : trust.gatesOf(directories);
  if (!first) return [];
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  const text = `The gate "${first.name}"${more} was approved for ${first.source.root}, which is added to this session or lies above what is: hooks are read only from the folder a session starts in, so nothing judges by it here.`;
  return [{ code: "HL_TRUST_GATE_ABOVE", level: "warning", text, place: first.place, hook: first.id }];
}

const MAX_DIFF = 4000;

/** Where a failure cannot block, a gate that does not run has no effect. */
function consequence(withheld: readonly RefusedHook[]): string {
  const blocking = withheld.filter(({ hook }) => EVENTS[hook.event].failureCanBlock).length;
  if (blocking === withheld.length) return blocking === 1 ? "it blocks what it matches" : "they block what they match";
  return blocking === 0 ? "without it" : "those that can block what they match";
}

function withheldText(withheld: readonly RefusedHook[]): { readonly message: string; readonly cure: string } {
  // Nothing was approved of an entry that cannot be read, and nothing of it has to have changed.
  const isBroken = withheld.every(({ hook }) => hook.unreadable !== undefined);
  const what = isBroken ? "guard" : "gate";
  const many = withheld.length === 1 ? `A ${what} cannot run` : `${withheld.length} ${what}s cannot run`;
  const each = withheld.map(({ hook, text, diff = "" }) => {
    const rest = diff.length - MAX_DIFF;
    const shown =
      rest > 0 ? `${diff.slice(0, MAX_DIFF)}\n… ${counted(rest, "more character")}; hookloop trust review shows all of it` : diff;
    return `  ${text} (id ${hook.id})${shown === "" ? "" : `\n${shown}`}`;
  });
  const cure = isBroken ? "Fix the entry." : "Undo the change, or look at it: hookloop trust review.";
  return {
    message: `${many}, so nothing was started.\n${each.join("\n")}`,
    cure: `${cure} To start all the same (${consequence(withheld)}): --allow-changed-hooks`,
  };
}

/** A name in a disable list that no hook has switches nothing off. Called when all hooks are known. */
export function unknownNames(hooks: HookEngine, env: Readonly<Record<string, string>>): readonly Diagnostic[] {
  const all = [...hooks.admitted, ...hooks.refused.map(({ hook }) => hook)];
  const known = all.flatMap(({ name, id }) => [name, id]);
  return [...disabledNames(env)].flatMap(([name, variable]): readonly Diagnostic[] => {
    if (known.includes(name) || isOtherName(name)) return [];
    const hint = didYouMean(name, known) || " /hooks lists their names.";
    const text = `${variable} names no hook: "${name}" switches nothing off.${hint}`;
    return [{ code: "HL_ADMIT_UNKNOWN_NAME", level: "warning", text }];
  });
}
