/** An agent in this process: a project, a home, real hooks, and a model that answers from a list and keeps what it was sent. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterThisTest } from "../../../../../test/cleanup.ts";
import type { Diagnostic } from "../../diagnostic.ts";
import type { HookEngine } from "../../engine/engine.ts";
import type { ToolOptions } from "../../engine/permit.ts";
import { openHooks } from "../../open.ts";
import { Permissions } from "../../permissions/permissions.ts";
import { readRules } from "../../permissions/rules/read-rules.ts";
import type { PermissionMode } from "../../permissions/types.ts";
import type { Model, ModelReply, ModelRequest } from "../../run/model/model-port.ts";
import { openPrograms } from "../../run/process/programs.ts";
import { openAgent } from "../open-agent.ts";
import type { Agent, AgentOptions, LoopStep } from "../types.ts";

export interface LabOptions {
  /** What the model answers; "done" when the list is over. */
  readonly turns?: readonly ModelReply["content"][];
  /** Answer to requests that offer no tools. */
  readonly sideReply?: string | Error;
  /** Files under the base folder: `project/…`, `home/…`. */
  readonly files?: Readonly<Record<string, unknown>>;
  readonly hooks?: Readonly<Record<string, unknown>>;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly allow?: readonly string[];
  readonly mode?: PermissionMode;
  readonly ask?: ToolOptions["ask"];
  readonly trust?: Parameters<typeof openHooks>[0]["trust"];
  readonly agent?: Partial<AgentOptions>;
}

export interface FeatureLab {
  readonly project: string;
  readonly agent: Agent;
  readonly hooks: HookEngine;
  readonly permissions: Permissions;
  /** Requests that offered tools. */
  readonly requests: readonly ModelRequest[];
  readonly steps: readonly LoopStep[];
  readonly diagnostics: readonly Diagnostic[];
  /** What the user was told. */
  tells(): readonly string[];
  write(name: string, content: unknown): string;
  read(name: string): string | undefined;
  /** Payloads that `RECORD` was given, of one event. */
  recorded(event: string): readonly Readonly<Record<string, unknown>>[];
  submit(prompt: string): ReturnType<Agent["submit"]>;
  close(): Promise<void>;
}

/** Keeps its stdin. */
export const RECORD = 'input=$(cat); printf "%s\\n" "$input" >> "$CLAUDE_PROJECT_DIR/.recorded.jsonl"';

export const say = (text: string): ModelReply["content"] => [{ type: "text", text }];
export const use = (name: string, input: Readonly<Record<string, unknown>>, id = `call_${name}`): ModelReply["content"][number] => {
  return { type: "tool_use", id, name, input };
};
/** Groups of an event, each with one command. */
export const commands = (...texts: readonly string[]): readonly object[] => {
  return [{ hooks: texts.map((command) => ({ type: "command", command })) }];
};
/** A command that answers with this. */
export const answer = (event: string, fields: object): string => {
  return `printf '%s' '${JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...fields } })}'`;
};

export async function openFeatureLab(options: LabOptions = {}): Promise<FeatureLab> {
  const { base, project, home, managedRoot, write, read } = openPlace(options);
  const diagnostics: Diagnostic[] = [];
  const steps: LoopStep[] = [];
  const requests: ModelRequest[] = [];
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, TMPDIR: base };
  const hooks = await openHooks({
    // As the agent does.
    sources: ["user", "project", "local", "plugin"],
    cwd: project,
    trust: options.trust ?? { workspace: true },
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    ports: { env, home, managedRoot, managedUid: process.getuid?.() ?? 0 },
  });
  const permissions = openPermissions(options, project);
  const programs = openPrograms({ onDiagnostic: (diagnostic) => diagnostics.push(diagnostic) });
  const agent = openAgent({
    hooks,
    programs,
    permissions,
    model: recordingModel(options, requests),
    modelName: "first-model",
    directories: [],
    cwd: project,
    home,
    managedRoot,
    env,
    sessionId: "session-1",
    transcripts: path.join(base, "transcripts"),
    ask: options.ask,
    emit: (step) => steps.push(step),
    report: (diagnostic) => diagnostics.push(diagnostic),
    ...options.agent,
  });
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await agent.close("other");
    await Promise.all([hooks.close(), programs.close()]);
  };
  afterThisTest(close);
  const recorded: FeatureLab["recorded"] = (event) =>
    (read("project/.recorded.jsonl") ?? "")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line))
      .filter((payload) => payload["hook_event_name"] === event);
  await agent.start({ source: "startup" });
  return {
    project,
    agent,
    hooks,
    permissions,
    requests,
    steps,
    diagnostics,
    tells: () => steps.flatMap((step) => (step.type === "tell" ? step.text : [])),
    write,
    read,
    recorded,
    submit: (prompt) => agent.submit(prompt, new AbortController().signal),
    close,
  };
}

interface Place extends Pick<FeatureLab, "project" | "write" | "read"> {
  readonly base: string;
  readonly home: string;
  readonly managedRoot: string;
}

function openPlace({ settings, hooks = {}, files = {} }: LabOptions): Place {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), "hookloop-feature-")));
  afterThisTest(() => rmSync(base, { recursive: true, force: true }));
  const [project, home, managedRoot] = ["project", "home", "managed"].map((name) => path.join(base, name)) as [string, string, string];
  for (const folder of [project, home, managedRoot]) mkdirSync(folder);
  const write = (name: string, content: unknown): string => {
    const file = path.join(base, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
    return file;
  };
  const read = (name: string): string | undefined => {
    const file = path.join(base, name);
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  };
  write("project/.claude/settings.json", { ...settings, hooks });
  for (const [name, content] of Object.entries(files)) write(name, content);
  return { base, project, home, managedRoot, write, read };
}

function openPermissions({ allow = [], mode }: LabOptions, root: string): Permissions {
  const lists = { allow: allow.map((text) => ({ text })), ask: [], deny: [] };
  const { rules } = readRules([{ scope: "flag", root, isTrusted: true, permissions: lists }]);
  return new Permissions({ rules, root, mode });
}

function recordingModel({ turns = [], sideReply = "a summary" }: LabOptions, requests: ModelRequest[]): Model {
  let turn = 0;
  return {
    defaultModel: "first-model",
    async ask(request) {
      const isMain = (request.tools ?? []).length > 0;
      if (isMain) requests.push(structuredClone({ ...request, signal: undefined, onText: undefined }) as ModelRequest);
      if (!isMain && sideReply instanceof Error) throw sideReply;
      const content = isMain ? (turns[turn++] ?? say("done")) : say(String(sideReply));
      const stopReason = content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
      return { id: `msg_${turn}`, model: request.model ?? "", content, stopReason, usage: { inputTokens: 1, outputTokens: 1 } };
    },
  };
}

/** Everything a request says to the model, in one text. */
export function sent(request: ModelRequest | undefined): string {
  return JSON.stringify(request?.messages ?? []);
}
