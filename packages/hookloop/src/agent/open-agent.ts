/** Composes an agent: hooks, rules, tools, a model and a transcript. The loop itself knows none of this. */
import { randomUUID } from "node:crypto";
import path from "node:path";
import type { EventName } from "@hookloop/sdk";
import type { Diagnostic } from "../diagnostic.ts";
import type { Model } from "../engine/execute/index.ts";
import type { HookEngine } from "../engine/hook-engine.ts";
import { modelTexts } from "../engine/loop/index.ts";
import type { Verdict } from "../engine/merge/index.ts";
import type { ToolOptions } from "../engine/run-tool.ts";
import type { EventInput } from "../engine/session.ts";
import { isToolDenied, type Permissions } from "../permissions/index.ts";
import { createConversation, type OwnConversation } from "./conversation.ts";
import { type Definition, type Definitions, findDefinitions, listField, stringField } from "./definitions/index.ts";
import { type AgentCore, type BuiltinCommand, FEATURES, type Feature } from "./features/index.ts";
import type { PermissionDenial, TurnEnd } from "./headless/result.ts";
import { isInFolders } from "./in-folders.ts";
import { type Instructions, loadInstructions } from "./instructions/load-instructions.ts";
import type { LoopStep } from "./loop-types.ts";
import { reminder } from "./reminder.ts";
import { createAgentTool } from "./subagents/agent-tool.ts";
import { createBackgroundAgents } from "./subagents/background-agents.ts";
import { submitPrompt } from "./submit-prompt.ts";
import { systemPrompt } from "./system-prompt.ts";
import { type Runtime, runThread, type Thread, threadIdentity } from "./thread.ts";
import {
  type AgentTool,
  createBackgroundShells,
  createBashTool,
  createSkillTool,
  createTodoTool,
  editTool,
  globTool,
  grepTool,
  multiEditTool,
  notebookEditTool,
  readTool,
  webFetchTool,
  writeTool,
} from "./tools/index.ts";
import type { EarlierSession } from "./transcript/read-transcript.ts";
import { openTranscript } from "./transcript/transcript.ts";

export interface AgentOptions {
  readonly hooks: HookEngine;
  readonly permissions: Permissions;
  readonly model: Model;
  readonly modelName: string;
  readonly isInteractive?: boolean | undefined;
  /** Folders of `--add-dir`. */
  readonly directories: readonly string[];
  readonly cwd: string;
  readonly home: string;
  readonly managedRoot: string;
  /** Variables for shell commands, besides what hooks exported. */
  readonly env: Readonly<Record<string, string>>;
  readonly sessionId: string;
  /** Folder of transcripts; absent: none is written. */
  readonly transcripts: string | undefined;
  readonly earlier?: EarlierSession | undefined;
  readonly plugins: readonly { readonly name: string; readonly root: string }[];
  /** Tools of connected servers. */
  readonly moreTools: () => readonly AgentTool[];
  readonly ask?: ToolOptions["ask"] | undefined;
  /** Type of the main agent. */
  readonly agentType?: string | undefined;
  readonly maxTurns?: number | undefined;
  readonly emit: (step: LoopStep, agentId?: string) => void;
  readonly report: (diagnostic: Diagnostic) => void;
}

export interface Agent {
  readonly transcriptPath: string;
  readonly tools: () => readonly AgentTool[];
  readonly definitions: Definitions;
  /** Slash commands of the agent itself. */
  readonly builtins: ReadonlyMap<string, BuiltinCommand>;
  /** Calls that were not allowed, in this session. */
  readonly denials: readonly PermissionDenial[];
  /** Fires Setup if asked to, loads the instructions, and fires SessionStart. */
  start(options: { readonly source: "startup" | "resume"; readonly setup?: "init" | "maintenance" | undefined }): Promise<void>;
  /** One prompt, until the agent has nothing more to do. */
  submit(prompt: string, signal: AbortSignal): Promise<TurnEnd>;
  /** Fires SessionEnd and ends what still runs. */
  close(reason: string): Promise<void>;
}

/** The path of the session's transcript; it is in every payload, so it is known before there is an agent. */
export function transcriptFile(folder: string | undefined, sessionId: string): string {
  return folder === undefined ? "" : path.join(folder, `${sessionId}.jsonl`);
}

export function openAgent(options: AgentOptions): Agent {
  return new SessionAgent(options);
}

class SessionAgent implements Agent {
  readonly definitions: Definitions;
  readonly denials: PermissionDenial[] = [];
  readonly transcriptPath: string;
  readonly #options: AgentOptions;
  readonly #runtime: Runtime;
  readonly #conversation: OwnConversation;
  readonly #thread: Thread;
  readonly #transcript;
  readonly #shells = createBackgroundShells();
  readonly #agents = createBackgroundAgents();
  readonly #tools: readonly AgentTool[];
  readonly #features: readonly Feature[];
  readonly #closing = new AbortController();
  #modelName: string;
  #instructions: readonly Instructions[] = [];
  /** What hooks said before there was a prompt to say it beside. */
  #waiting: readonly string[] = [];
  #promptId: string | undefined;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#modelName = options.modelName;
    const { cwd, home, plugins, transcripts, sessionId, earlier, agentType } = options;
    this.definitions = findDefinitions({ cwd, home, plugins });
    this.transcriptPath = transcriptFile(transcripts, sessionId);
    const onProblem = (text: string): void => options.report({ code: "HL_TRACE_WRITE_FAILED", level: "warning", text });
    const transcript = transcripts
      ? openTranscript({ file: this.transcriptPath, sessionId, cwd: () => this.#thread.cwd, parent: earlier?.last, onProblem })
      : undefined;
    this.#transcript = transcript;
    this.#conversation = createConversation({ earlier: earlier?.entries, onEntry: (entry) => transcript?.add(entry) });
    this.#runtime = this.#createRuntime();
    this.#tools = this.#createTools(onProblem);
    const type = agentType === undefined ? undefined : this.definitions.agents.get(agentType);
    this.#thread = {
      runtime: this.#runtime,
      agentType,
      conversation: this.#conversation,
      cwd,
      system: () => systemPrompt({ cwd: this.#thread.cwd, instructions: this.#instructions, role: type?.body }),
      allowedTools: type && listField(type.fields, "tools"),
      model: type && stringField(type.fields, "model"),
      stopInput: () => ({ background_tasks: this.#backgroundTasks(), session_crons: [] }),
      emit: (step) => options.emit(step),
      maxTurns: options.maxTurns,
      beforeRequest: async (signal) => {
        for (const feature of this.#features) await feature.beforeRequest?.(signal);
        this.#flush();
      },
    };
    const core = this.#createCore();
    this.#features = FEATURES.map((open) => open(core));
  }

  /** Commands of the agent itself, by name. */
  get builtins(): ReadonlyMap<string, BuiltinCommand> {
    return new Map(this.#features.flatMap(({ commands = {} }) => Object.entries(commands)));
  }

  tools(): readonly AgentTool[] {
    const { permissions, moreTools } = this.#options;
    const { rules } = permissions;
    // Nothing is fetched unless somebody said so.
    const isWanted = ({ name }: AgentTool): boolean => name !== "WebFetch" || rules.allow.some(({ text }) => text.startsWith("WebFetch"));
    const own = this.#features.flatMap((feature) => feature.tools ?? []);
    return [...this.#tools, ...own, ...moreTools()].filter((tool) => isWanted(tool) && !isToolDenied(tool.name, rules));
  }

  async start({ source, setup }: Parameters<Agent["start"]>[0]): Promise<void> {
    const { hooks, cwd, home, managedRoot, earlier, agentType } = this.#options;
    for (const problem of this.definitions.problems) this.#options.report({ code: "HL_AGENT_DEFINITION", level: "warning", text: problem });
    if (setup) await this.#fireBefore("Setup", { trigger: setup });
    this.#instructions = loadInstructions({ cwd, home, managedRoot });
    for (const { text: _text, ...fields } of this.#instructions) {
      await hooks.fire("InstructionsLoaded", { ...threadIdentity(this.#thread, "InstructionsLoaded"), ...fields });
    }
    const since =
      earlier?.lastReplyAt === undefined ? {} : { seconds_since_last_response: Math.round((Date.now() - earlier.lastReplyAt) / 1000) };
    const verdict = await this.#fireBefore("SessionStart", {
      source,
      model: this.#modelName,
      ...(agentType && { agent_type: agentType }),
      ...since,
    });
    const first = verdict.fields["initialUserMessage"];
    if (typeof first === "string" && first !== "") this.#conversation.addUser(first);
    for (const feature of this.#features) await feature.started?.(verdict);
  }

  async submit(prompt: string, signal: AbortSignal): Promise<TurnEnd> {
    this.#promptId = randomUUID();
    const waiting = this.#waiting;
    this.#waiting = [];
    const submitted = await submitPrompt(
      {
        hooks: this.#options.hooks,
        conversation: this.#conversation,
        commands: this.definitions.commands,
        builtins: this.builtins,
        identity: (event) => threadIdentity(this.#thread, event),
        waiting,
        tell: (verdict) => this.#tell(verdict),
        signal,
      },
      prompt,
    );
    // What waited was not used; it is for the next prompt.
    if (submitted.type === "blocked" || submitted.type === "answered") this.#waiting = [...waiting, ...this.#waiting];
    if (submitted.type === "blocked" || submitted.type === "answered") return { reason: null, text: submitted.text, turns: 0 };
    if (submitted.type === "stopped") return { reason: "hook_stopped", text: "", detail: submitted.text, turns: 0 };
    return await this.#work(signal);
  }

  async close(reason: string): Promise<void> {
    const { hooks } = this.#options;
    const verdict = await hooks.fire("SessionEnd", { ...threadIdentity(this.#thread, "SessionEnd"), reason });
    this.#tell(verdict);
    this.#closing.abort();
    for (const feature of this.#features) await feature.close?.();
    await this.#agents.close();
    this.#shells.close();
    this.#transcript?.close();
  }

  /** Until the main agent and every agent it left in the background are done. */
  async #work(signal: AbortSignal): Promise<TurnEnd> {
    for (;;) {
      const end = await runThread(this.#thread, signal);
      if (end.reason !== "completed" || this.#agents.running.length === 0) return end;
      const finished = await this.#agents.next();
      if (finished.length === 0 || signal.aborted) return end;
      const texts = finished.map(
        ({ id, description, end: { text, detail } }) => `The agent ${id} (${description}) has finished: ${text || detail || ""}`,
      );
      this.#conversation.addUser(texts.map(reminder));
    }
  }

  /** Hooks that speak before the first prompt are heard with it. */
  async #fireBefore(event: EventName, fields: EventInput, signal?: AbortSignal): Promise<Verdict> {
    const input = { ...threadIdentity(this.#thread, event), ...fields };
    const verdict = await this.#options.hooks.fire(event, input, signal && { signal });
    this.#tell(verdict);
    this.#waiting = [...this.#waiting, ...modelTexts({ verdict, input })];
    return verdict;
  }

  #tell(verdict: Verdict): void {
    const { emit, hooks } = this.#options;
    for (const { text } of verdict.tells) emit({ type: "tell", text });
    for (const text of hooks.notices(verdict)) emit({ type: "tell", text });
  }

  /** What features had to say to the model since its last call. */
  #flush(): void {
    const texts = this.#waiting;
    this.#waiting = [];
    if (texts.length > 0) this.#conversation.addUser(texts.map(reminder));
  }

  #createCore(): AgentCore {
    const { hooks, permissions, model, cwd, home, sessionId, transcripts, earlier, emit, report, isInteractive = false } = this.#options;
    return {
      hooks,
      permissions,
      model,
      root: cwd,
      home,
      sessionId,
      definitions: this.definitions,
      conversation: this.#conversation,
      cwd: () => this.#thread.cwd,
      modelName: () => this.#modelName,
      setModelName: (name) => {
        this.#modelName = name;
      },
      earlierModel: earlier?.model,
      addedDirectories: this.#options.directories,
      isInteractive,
      stateFolder: transcripts && path.join(transcripts, sessionId),
      fire: async (event, fields, signal) => {
        const verdict = await hooks.fire(event, { ...threadIdentity(this.#thread, event), ...fields }, signal && { signal });
        this.#tell(verdict);
        return verdict;
      },
      fireAndRemind: async (event, fields, signal) => await this.#fireBefore(event, fields, signal),
      note: (type, fields) => this.#transcript?.note(type, fields),
      remind: (text) => {
        this.#waiting = [...this.#waiting, text];
      },
      createThread: (parts) => ({ runtime: this.#runtime, ...parts }),
      runThread,
      emit,
      report,
      closing: this.#closing.signal,
    };
  }

  #backgroundTasks(): readonly object[] {
    const agents = this.#agents.running.map((task) => ({ ...task, type: "agent", status: "running" }));
    return [...this.#shells.tasks.filter(({ status }) => status === "running"), ...agents];
  }

  #createRuntime(): Runtime {
    const { hooks, model, cwd, home, env, permissions, ask } = this.#options;
    return {
      hooks,
      model,
      modelName: () => this.#modelName,
      root: cwd,
      home,
      env: () => ({ ...env, ...hooks.shellEnv() }),
      directories: () => [cwd, ...permissions.directories],
      mode: () => permissions.mode,
      promptId: () => this.#promptId,
      permission: () => ({ rules: permissions, ...(ask && { ask }) }),
      tools: () => this.tools(),
      onDenied: ({ id, name, input }) => this.denials.push({ tool_name: name, tool_use_id: id, tool_input: input }),
    };
  }

  #createTools(onProblem: (text: string) => void): readonly AgentTool[] {
    const { hooks, sessionId, transcripts, emit } = this.#options;
    const attached = new Set<string>();
    const attach = async ({ name, head, file }: Definition): Promise<void> => {
      if (attached.has(file)) return;
      attached.add(file);
      // In force until the session ends.
      await hooks.attach({ text: head, file, skill: name });
    };
    const tools = [
      createBashTool({ background: this.#shells, isOutside: (folder, { directories }) => !isInFolders(folder, directories) }),
      readTool,
      writeTool,
      editTool,
      multiEditTool,
      notebookEditTool,
      globTool,
      grepTool,
      createTodoTool(),
      webFetchTool,
      createAgentTool({
        runtime: () => this.#runtime,
        sessionId,
        definitions: () => this.definitions.agents,
        transcripts: transcripts && path.join(transcripts, sessionId, "subagents"),
        background: this.#agents,
        emit,
        onProblem,
      }),
      ...(this.definitions.skills.size > 0 ? [createSkillTool({ definitions: () => this.definitions.skills, attach })] : []),
    ];
    // Each tool knows its own input; the toolbox has checked it before the tool sees it.
    return tools as readonly unknown[] as readonly AgentTool[];
  }
}
