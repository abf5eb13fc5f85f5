import { randomUUID } from "node:crypto";
import path from "node:path";
import type { EventName } from "@hookloop/sdk";
import { type EventInput, type ToolOptions, wakeTexts } from "../engine/index.ts";
import { modelTexts, type Outcome, toldTexts, type Verdict } from "../judge/index.ts";
import { isToolDenied } from "../permissions/index.ts";
import type { TextBlock } from "../run/index.ts";
import { sessionName } from "../trace/index.ts";
import { createConversation, type OwnConversation, takeNews } from "./conversation.ts";
import { type Definitions, type LiveDefinitions, listField, openDefinitions, stringField } from "./definitions.ts";
import { FEATURES } from "./features/features.ts";
import { openSettingsCommands, type SettingsCommands } from "./features/session-commands.ts";
import type { AgentCore, BuiltinCommand, Feature, PromptCommand } from "./features/types.ts";
import { type AttachedHead, type Heads, openHeads } from "./heads.ts";
import { type Instructions, loadInstructions } from "./load-instructions.ts";
import { type PermissionDenial, submitPrompt, type TurnEnd } from "./submit-prompt.ts";
import { type Runtime, runThread, type SubagentHost, type Thread, threadIdentity, threadToolbox } from "./thread.ts";
import { createBackgroundShells } from "./tools/bash.ts";
import { basicTools, createBackgroundAgents } from "./tools/basic-tools.ts";
import { type AgentTool, keepResultsIn } from "./tools/types.ts";
import { HEAD_ATTACHED, openTranscript } from "./transcript.ts";
import { type AgentOptions, type LineEnd, reminder } from "./types.ts";

interface SystemPromptFacts {
  readonly cwd: string;
  readonly instructions: readonly Instructions[];
  /** What `--agent` brought. */
  readonly role?: string | undefined;
}

const ROLE = "You are a coding agent. You work in the user's project with the tools you are given, and say briefly what you did.";
const HOOKS =
  "Hooks of the user may block a call, add context or ask you to go on. Texts in <system-reminder> come from them or from the agent program, not from the user or a tool. If a hook blocks a call, do not try to get around it.";

/** Short on purpose: this agent is about the hooks around the model. */
function systemPrompt({ cwd, instructions, role }: SystemPromptFacts): string {
  const files = instructions.map(({ file_path, text }) => `Instructions from ${file_path}:\n${text.trim()}`);
  return [role || ROLE, HOOKS, `The current folder is ${cwd}. The platform is ${process.platform}.`, ...files].join("\n\n");
}

type Ask = NonNullable<ToolOptions["ask"]>;

function aroundAsk(ask: Ask, features: () => readonly Feature[]): Ask {
  return async (call, verdict, why) => {
    const question = async (): Promise<Awaited<ReturnType<Ask>>> => await ask(call, verdict, why);
    const around = features().reduce((inner, feature) => {
      return async () => (feature.whileAsking ? await feature.whileAsking(call, inner) : await inner());
    }, question);
    return await around();
  };
}

/** The path of the session's transcript. It is in every payload, so it is needed before the agent is opened. */
export function transcriptFile(folder: string | undefined, sessionId: string): string {
  return folder === undefined ? "" : path.join(folder, `${sessionName(sessionId)}.jsonl`);
}

interface StartOptions {
  readonly source: "startup" | "resume" | "clear";
  readonly setup?: "init" | "maintenance" | undefined;
  readonly signal?: AbortSignal | undefined;
}

export function openAgent(options: AgentOptions): SessionAgent {
  return new SessionAgent(options);
}

export class SessionAgent {
  readonly denials: PermissionDenial[] = [];
  readonly settings: SettingsCommands;
  readonly transcriptPath: string;
  readonly #options: AgentOptions;
  readonly #runtime: Runtime;
  readonly #core: AgentCore;
  readonly #conversation: OwnConversation;
  readonly #thread: Thread;
  readonly #transcript;
  readonly #shells;
  readonly #forgetResults: () => void;
  readonly #definitions: LiveDefinitions;
  readonly #agents = createBackgroundAgents(async (task) => {
    for (const feature of this.#features) await feature.agentFinished?.(task);
  });
  readonly #subagents: SubagentHost;
  readonly #heads: Heads;
  readonly #tools: readonly AgentTool[];
  readonly #features: readonly Feature[];
  readonly #closing = new AbortController();
  #modelName: string;
  #instructions: readonly Instructions[] = [];
  /** Texts for the model, from hooks and features, that go with the next message. */
  #waiting: readonly string[] = [];
  #promptId: string | undefined;
  /** What a SessionStart hook wants to have said first. */
  #firstMessage: string | undefined;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#modelName = options.modelName;
    const { cwd, home, env, plugins, transcripts, sessionId, earlier, agentType, isWorkspaceTrusted: isTrusted = false } = options;
    this.#definitions = openDefinitions({ cwd, home, env, plugins, isTrusted });
    this.transcriptPath = transcriptFile(transcripts, sessionId);
    const onProblem = (text: string): void => options.report({ code: "HL_TRACE_WRITE_FAILED", level: "warning", text });
    const transcript = transcripts
      ? openTranscript({ file: this.transcriptPath, sessionId, cwd: () => this.#thread.cwd, parent: earlier?.last, onProblem })
      : undefined;
    this.#transcript = transcript;
    this.#conversation = createConversation({ earlier: earlier?.entries, onEntry: (entry) => transcript?.add(entry) });
    this.#runtime = this.#createRuntime();
    this.#shells = createBackgroundShells(options.programs);
    this.#forgetResults = keepResultsIn(() => options.programs.makeFolder("results"));
    this.#heads = openHeads({
      hooks: options.hooks,
      definitions: this.#definitions,
      isRequired: options.requireHooks ?? false,
      onProblem: (text) => options.report({ code: "HL_AGENT_DEFINITION", level: "warning", text }),
      onAttached: (head) => transcript?.note("system", { subtype: HEAD_ATTACHED, ...head }),
    });
    this.#subagents = {
      runtime: () => this.#runtime,
      sessionId,
      transcripts: transcripts && path.join(transcripts, sessionName(sessionId), "subagents"),
      emit: options.emit,
      onProblem,
      attach: this.#heads.attachAgent,
    };
    this.#tools = basicTools({
      attach: this.#heads.attach,
      programs: options.programs,
      definitions: this.#definitions,
      shells: this.#shells,
      subagents: { host: this.#subagents, background: this.#agents },
    });
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
      onMoved: (verdict) => this.#onVerdict(verdict),
      maxTurns: options.maxTurns,
      beforeRequest: async (signal) => {
        for (const feature of this.#features) await feature.beforeRequest?.(signal);
        this.#flush();
      },
    };
    this.#core = this.#createCore();
    this.settings = openSettingsCommands(this.#core);
    this.#features = FEATURES.map((open) => open(this.#core));
  }

  get definitions(): Definitions {
    return this.#definitions.current();
  }

  /** It is the user's turn to type; the function it returns: they have typed. A terminal calls it, so that a long wait is noticed. */
  waitForInput(): () => void {
    const stops = this.#features.flatMap((feature) => feature.waitForInput?.() ?? []);
    return () => {
      for (const stop of stops) stop();
    };
  }

  get builtins(): ReadonlyMap<string, BuiltinCommand> {
    return new Map(this.#features.flatMap(({ commands = {} }) => Object.entries(commands)));
  }

  get prompts(): ReadonlyMap<string, PromptCommand> {
    return new Map(this.#features.flatMap(({ prompts }) => [...(prompts ?? [])]));
  }

  /** Where it works now: `cd` and worktrees change it. */
  folder(): string {
    return this.#thread.cwd;
  }

  modelName(): string {
    return this.#modelName;
  }

  tools(): readonly AgentTool[] {
    const { permissions, moreTools } = this.#options;
    const { rules } = permissions;
    // Nothing is fetched unless a rule allows it.
    const isFetching = rules.allow.some(({ text }) => text.startsWith("WebFetch"));
    const isWanted = ({ name }: AgentTool): boolean =>
      name === "WebFetch" ? isFetching : name !== "Skill" || this.definitions.skills.size > 0;
    const replaced = this.#features.flatMap((feature) => feature.replaces ?? []);
    const basic = this.#tools.filter(({ name }) => !replaced.includes(name));
    const own = this.#features.flatMap((feature) => feature.tools ?? []);
    return [...basic, ...own, ...moreTools()].filter((tool) => isWanted(tool) && !isToolDenied(tool.name, rules));
  }

  /** Puts the hooks of the session's agent and of an earlier session's skills in force. Gives the heads that are gone. */
  async attachHeads(): Promise<readonly AttachedHead[]> {
    const { agentType = "", earlier } = this.#options;
    await this.#heads.attachAgent(this.definitions.agents.get(agentType));
    return await this.#heads.restore(earlier?.heads ?? []);
  }

  /** Fires Setup if asked to, loads the instructions, and fires SessionStart. */
  async start({ source, setup, signal = this.#closing.signal }: StartOptions): Promise<void> {
    const { cwd, home, env, managedRoot, earlier, agentType, report } = this.#options;
    const onProblem = (text: string): void => report({ code: "HL_AGENT_DEFINITION", level: "warning", text });
    this.definitions.problems.forEach(onProblem);
    const types = [...this.definitions.agents.keys()];
    if (agentType !== undefined && !types.includes(agentType)) {
      onProblem(
        `There is no file for the agent type "${agentType}" (--agent): hooks see its name, the model gets no other role. The types are: ${types.join(", ") || "none"}.`,
      );
    }
    if (setup) await this.#fireBefore("Setup", { trigger: setup }, signal);
    this.#instructions = loadInstructions({ cwd, home, env, managedRoot, onProblem });
    for (const { text: _text, ...fields } of this.#instructions) {
      await this.#core.fire("InstructionsLoaded", fields, signal);
    }
    const since =
      earlier?.lastReplyAt === undefined ? {} : { seconds_since_last_response: Math.round((Date.now() - earlier.lastReplyAt) / 1000) };
    const verdict = await this.#fireBefore(
      "SessionStart",
      { source, model: this.#modelName, ...(agentType && { agent_type: agentType }), ...since },
      signal,
    );
    const first = verdict.fields["initialUserMessage"];
    if (typeof first === "string" && first !== "") this.#firstMessage = first;
    for (const feature of this.#features) await feature.started?.(verdict);
  }

  async submit(prompt: string, signal: AbortSignal): Promise<TurnEnd> {
    const first = this.#firstMessage;
    this.#firstMessage = undefined;
    // A turn of its own, as if it had been typed before.
    if (first !== undefined) await this.submit(first, signal);
    this.#promptId = randomUUID();
    const waiting = this.#waiting;
    this.#waiting = [];
    const { hostCommands = [], confirm } = this.#options;
    const { builtins, prompts } = this;
    const parts = { core: this.#core, attach: this.#heads.attach, builtins, prompts, hostCommands, waiting, confirm, signal };
    const submitted = await submitPrompt(parts, prompt);
    if (submitted.type === "ready") return await this.#work(signal);
    const outcome = submitted.type === "blocked" ? submitted.outcome : undefined;
    // Not used: they go with the next prompt.
    if (!outcome?.prompt_kept) this.#waiting = [...waiting, ...this.#waiting];
    return { reason: null, text: submitted.text, turns: 0, outcome };
  }

  /** A background hook wants attention: the user is told at once, the model with its next request. */
  woken(outcome: Outcome): void {
    const { message, summary = `${outcome.hook.event} hook feedback` } = wakeTexts(outcome);
    this.#options.emit({ type: "tell", text: summary });
    this.#waiting = [...this.#waiting, `${outcome.hook.event} hook feedback: ${message}`];
  }

  /** A shell line of the user's own, with every hook around it. Its output is part of the conversation; the model is not asked. */
  async runLine(command: string, signal: AbortSignal): Promise<LineEnd> {
    const { permissions, ask } = this.#options;
    this.#promptId = randomUUID();
    // The user typed it, so there is no question. Deny rules, protections and hooks apply as to any call.
    const permission = { rules: permissions.allowing("Bash"), ...(ask && { ask: aroundAsk(ask, () => this.#features) }) };
    const toolbox = threadToolbox({ ...this.#thread, runtime: { ...this.#runtime, permission: () => permission } }, (folder) => {
      this.#thread.cwd = folder;
    });
    const call = { type: "tool_use", id: `line_${randomUUID()}`, name: "Bash", input: { command } } as const;
    const { result, detail } = await toolbox.run(call, signal);
    const blocks = typeof result?.content === "string" ? [textBlock(result.content)] : (result?.content ?? [textBlock(detail ?? "")]);
    const [{ text } = textBlock(""), ...reminders] = blocks;
    const isError = result?.is_error === true || result === undefined;
    const [stdout, stderr] = isError ? ["", text] : [text, ""];
    this.#conversation.addUser([
      textBlock(`<bash-input>${command}</bash-input>`),
      textBlock(`<bash-stdout>${stdout}</bash-stdout><bash-stderr>${stderr}</bash-stderr>`),
      ...reminders,
    ]);
    return { text, isError };
  }

  /** Fires SessionEnd and ends what still runs. */
  async close(reason: string): Promise<void> {
    await this.#core.fire("SessionEnd", { reason });
    this.#closing.abort();
    for (const feature of this.#features) await feature.close?.();
    await this.#agents.close();
    await this.#shells.close();
    this.#forgetResults();
    this.#transcript?.close();
  }

  /** Until the main agent and everything it left in the background are done. */
  async #work(signal: AbortSignal): Promise<TurnEnd> {
    for (;;) {
      const end = await runThread(this.#thread, signal);
      if (end.reason !== "completed") return end;
      const texts = await takeNews([this.#agents, ...this.#features.flatMap(({ background }) => background ?? [])], signal);
      if (texts.length === 0) return end;
      this.#conversation.addUser(texts.map(reminder));
    }
  }

  /** What these hooks say to the model goes with the next message. */
  async #fireBefore(event: EventName, fields: EventInput, signal?: AbortSignal): Promise<Verdict> {
    const verdict = await this.#core.fire(event, fields, signal);
    this.#waiting = [...this.#waiting, ...modelTexts({ verdict, input: fields })];
    return verdict;
  }

  #tell(verdict: Verdict): void {
    const { emit, hooks } = this.#options;
    emit({ type: "verdict", verdict });
    for (const text of toldTexts(verdict)) emit({ type: "tell", text });
    for (const text of hooks.notices(verdict)) emit({ type: "tell", text });
    this.#onVerdict(verdict);
  }

  #onVerdict(verdict: Verdict): void {
    for (const feature of this.#features) feature.onVerdict?.(verdict);
  }

  #flush(): void {
    const texts = this.#waiting;
    this.#waiting = [];
    if (texts.length > 0) this.#conversation.addUser(texts.map(reminder));
  }

  #modelNamed(name: string): ReturnType<AgentCore["modelNamed"]> {
    try {
      const prepared = this.#options.prepareModel?.(name);
      return {
        use: () => {
          prepared?.();
          this.#modelName = name;
        },
      };
    } catch (thrown) {
      return { problem: thrown instanceof Error ? thrown.message : String(thrown) };
    }
  }

  #createCore(): AgentCore {
    const options = this.#options;
    const definitions = this.#definitions;
    const { hooks, cwd, sessionId, transcripts } = options;
    return {
      ...options,
      root: cwd,
      isWorkspaceTrusted: options.isWorkspaceTrusted ?? false,
      isInteractive: options.isInteractive ?? false,
      get definitions() {
        return definitions.current();
      },
      reloadSkills: definitions.reloadSkills,
      conversation: this.#conversation,
      cwd: () => this.#thread.cwd,
      moveTo: async (folder, signal) => await this.#moveTo(folder, signal),
      modelName: () => this.#modelName,
      modelNamed: (name) => this.#modelNamed(name),
      earlierModel: options.earlier?.model,
      addedDirectories: options.directories,
      stateFolder: transcripts && path.join(transcripts, sessionName(sessionId)),
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
      subagents: this.#subagents,
      closing: this.#closing.signal,
    };
  }

  async #moveTo(folder: string, signal?: AbortSignal): Promise<void> {
    const old_cwd = this.#thread.cwd;
    if (folder === old_cwd) return;
    this.#thread.cwd = folder;
    await this.#core.fire("CwdChanged", { old_cwd, new_cwd: folder }, signal);
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
      permission: () => ({ rules: permissions, ...(ask && { ask: aroundAsk(ask, () => this.#features) }) }),
      tools: () => this.tools(),
      onDenied: ({ id, name, input }) => this.denials.push({ tool_name: name, tool_use_id: id, tool_input: input }),
    };
  }
}

function textBlock(text: string): TextBlock {
  return { type: "text", text };
}
