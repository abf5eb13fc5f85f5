/** A model that replays answers, for tests and rehearsals: a list of turns, each a list of content blocks, as in the conformance cases. */
import { readFileSync } from "node:fs";
import { type Model, ModelError, type ModelReply, type ModelRequest, type TextBlock, type ToolUseBlock } from "../run/index.ts";

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
