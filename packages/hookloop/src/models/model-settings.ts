import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { type Model, ModelError, type ModelReply, type ModelRequest, type TextBlock, type ToolUseBlock } from "../run/index.ts";

interface ModelSettings {
  readonly apiKey?: string | undefined;
  readonly authToken?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly model?: string | undefined;
  /** For people: what the project's file says about the model, and whether it is used. Never a key. */
  readonly note?: string | undefined;
}

type Variables = Readonly<Record<string, string | undefined>>;

interface SettingsSources {
  readonly env: Variables;
  readonly dotEnv?: string | undefined;
  readonly isTrusted?: boolean | undefined;
}

/** What of a project's file is about the model; the first two are keys. */
const NAMES = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "MODEL_ID"];

/**
 * The real environment wins over the project's `.env`.
 * SECURITY: the file counts only in a trusted workspace: it would choose who gets to read the conversation. Even then an address from it is
 * used only with a key from it, so that a project never gets to see the user's key.
 */
export function readModelSettings({ env, dotEnv, isTrusted = false }: SettingsSources): ModelSettings {
  const file: Variables = dotEnv === undefined ? {} : (parseEnv(dotEnv) as Variables);
  const own = keysOf(env);
  const mine = { ...own, baseUrl: env["ANTHROPIC_BASE_URL"] || undefined, model: env["MODEL_ID"] || env["ANTHROPIC_MODEL"] || undefined };
  const named = NAMES.filter((name) => file[name]);
  if (named.length === 0) return mine;
  if (!isTrusted)
    return { ...mine, note: `${named.join(", ")} of the project's .env: not used until the workspace is trusted (--trust-workspace).` };
  const model = mine.model ?? file["MODEL_ID"];
  if (own.apiKey || own.authToken) return { ...mine, model, note: noteOf({ ...(!mine.model && { model }) }, file) };
  const theirs = keysOf(file);
  const hasKey = Boolean(theirs.apiKey || theirs.authToken);
  const baseUrl = mine.baseUrl ?? ((hasKey && file["ANTHROPIC_BASE_URL"]) || undefined);
  return { ...theirs, baseUrl, model, note: noteOf({ ...theirs, ...(!mine.baseUrl && { baseUrl }), ...(!mine.model && { model }) }, file) };
}

/** What is taken from the file, and what is not. */
function noteOf({ apiKey, authToken, baseUrl, model }: ModelSettings, file: Variables): string | undefined {
  const used = [
    ...(apiKey || authToken ? ["its key"] : []),
    ...(baseUrl ? [`the address ${withoutCredentials(baseUrl)}`] : []),
    ...(model ? [`the model ${model}`] : []),
  ];
  const ignored =
    file["ANTHROPIC_BASE_URL"] && !baseUrl ? " Its ANTHROPIC_BASE_URL is not used: it counts only with a key from the same file." : "";
  if (used.length === 0) return ignored === "" ? undefined : `The project's .env:${ignored}`;
  return `The project's .env, which is trusted for this run, says what is asked: ${used.join(", ")}.${ignored}`;
}

function withoutCredentials(address: string): string {
  return address.replace(/\/\/[^/@]*@/, "//***@");
}

function keysOf(variables: Variables): Pick<ModelSettings, "apiKey" | "authToken"> {
  const apiKey = variables["ANTHROPIC_API_KEY"] || undefined;
  return { apiKey, authToken: apiKey ? undefined : variables["ANTHROPIC_AUTH_TOKEN"] || undefined };
}

/** A model that replays answers, for tests and rehearsals: a list of turns, each a list of content blocks, as in the conformance cases. */
export interface Script {
  /** One answer per request that offers tools. */
  readonly turns: readonly (readonly (TextBlock | ToolUseBlock)[])[];
  /** The answer to a request without tools. */
  readonly sideReply?: string | undefined;
  /** Turns of other agents, by a text in the first line of their system prompt, such as a teammate's name: several may ask at once. */
  readonly agents?: Readonly<Record<string, Pick<Script, "turns">>> | undefined;
}

const OUT_OF_TURNS: readonly TextBlock[] = [{ type: "text", text: "done" }];

/** Answers each agent in order; when its script is over, it says "done". */
export function createScriptedModel({ turns, sideReply = "ok", agents = {} }: Script): Model {
  const main = turns[Symbol.iterator]();
  const others = Object.entries(agents).map(([name, script]) => ({ name, turns: script.turns[Symbol.iterator]() }));
  const turnsOf = ({ system = "" }: ModelRequest): typeof main => {
    const [opening = ""] = system.split("\n", 1);
    return others.find(({ name }) => opening.includes(name))?.turns ?? main;
  };
  let answers = 0;
  return {
    defaultModel: "scripted",
    async ask(request: ModelRequest): Promise<ModelReply> {
      request.signal?.throwIfAborted();
      const isMain = (request.tools?.length ?? 0) > 0;
      const content = isMain ? (turnsOf(request).next().value ?? OUT_OF_TURNS) : [{ type: "text" as const, text: sideReply }];
      for (const block of content) if (block.type === "text") request.onText?.(block.text);
      const usesTools = content.some(({ type }) => type === "tool_use");
      return {
        id: `msg_${++answers}`,
        model: request.model ?? "scripted",
        content,
        stopReason: usesTools ? "tool_use" : "end_turn",
        usage: { inputTokens: 0, outputTokens: 0 },
      };
    },
  };
}

/** Reads `{"turns": [[…], …], "sideReply": "…", "agents": {"name": {"turns": […]}}}`, or just the turns. */
export function readScript(file: string): Script {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new ModelError("invalid_request", `The script ${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
  const script = (Array.isArray(value) ? { turns: value } : value) as Script;
  const scripts = [script, ...Object.values(script?.agents ?? {})];
  if (!scripts.every((one) => Array.isArray(one?.turns) && one.turns.every(Array.isArray))) {
    throw new ModelError("invalid_request", `The script ${file} has no turns. Write {"turns": [[{"type": "text", "text": "…"}]]}.`);
  }
  for (const { turns } of scripts)
    for (const [at, turn] of turns.entries())
      for (const block of turn)
        if (!isBlock(block)) throw new ModelError("invalid_request", `Turn ${at + 1} of the script ${file} has ${shown(block)}. ${BLOCKS}`);
  return script;
}

const BLOCKS =
  'Write {"type": "text", "text": "…"} or {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}: anything else would be no call that a hook could see.';

function isBlock(block: unknown): boolean {
  if (typeof block !== "object" || block === null) return false;
  const { type, text, name, input } = block as Readonly<Record<string, unknown>>;
  if (type === "text") return typeof text === "string";
  return type === "tool_use" && typeof name === "string" && input !== undefined;
}

function shown(block: unknown): string {
  return (JSON.stringify(block) ?? String(block)).slice(0, 80);
}

const OFFLINE_MODEL = "offline";
/** The same grammar in fewer words: there is another model to switch to without a key. */
const BRIEF_MODEL = "offline-brief";

export function isOfflineModel(name: string): boolean {
  return name === OFFLINE_MODEL || name === BRIEF_MODEL;
}

/**
 * A model without a network: a small grammar of plain sentences, so that hooks can be tried without a key.
 * It has no memory: every answer follows from the conversation alone.
 */
export function createOfflineModel(name: string = OFFLINE_MODEL): Model {
  return {
    defaultModel: name,
    async ask(request) {
      request.signal?.throwIfAborted();
      // Loaded here: a session with another model starts without it.
      const { answer } = await import("./offline/answer.ts");
      const content = answer(request, { isBrief: name === BRIEF_MODEL });
      for (const block of content) if (block.type === "text") request.onText?.(block.text);
      return { ...replyOf(request, content), model: name };
    },
  };
}

function replyOf(request: ModelRequest, content: readonly (TextBlock | ToolUseBlock)[]): Omit<ModelReply, "model"> {
  const usesTools = content.some(({ type }) => type === "tool_use");
  return {
    id: `offline_${request.messages.length}`,
    content,
    stopReason: usesTools ? "tool_use" : "end_turn",
    usage: { inputTokens: 0, outputTokens: 0 },
  };
}
