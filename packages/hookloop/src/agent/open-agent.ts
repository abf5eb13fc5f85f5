import { randomUUID } from "node:crypto";
import path from "node:path";
import { type ToolOptions, wakeTexts } from "../engine/index.ts";
import { modelTexts, type Outcome } from "../judge/index.ts";
import { isToolDenied } from "../permissions/index.ts";
import type { TextBlock } from "../run/index.ts";
import { sessionName } from "../trace/index.ts";
import { createConversation, takeNews } from "./conversation.ts";
import { type Definitions, type LiveDefinitions, listField, openDefinitions, stringField } from "./definitions.ts";
import { FEATURES } from "./features/features.ts";
import { mcpTools } from "./features/mcp-servers.ts";
import { openSettingsCommands, type SettingsCommands } from "./features/session-commands.ts";
import type { AgentCore, BuiltinCommand, Feature, Notice, PromptCommand } from "./features/types.ts";
import { type AttachedHead, type Heads, openHeads } from "./heads.ts";
import { type Instructions, loadInstructions } from "./load-instructions.ts";
import { type PermissionDenial, submitPrompt, type TurnEnd } from "./submit-prompt.ts";
import { runThread } from "./thread.ts";
import { createToolbox, fireFrom } from "./toolbox.ts";
import { createBackgroundShells } from "./tools/bash.ts";
import { basicTools, createBackgroundAgents } from "./tools/basic-tools.ts";
import { type AgentTool, keepResultsIn } from "./tools/types.ts";
import { HEAD_ATTACHED, openTranscript } from "./transcript.ts";
import { type AgentOptions, type LineEnd, messageOf, reminder, type Thread } from "./types.ts";

interface SystemPromptFacts {
  readonly cwd: string;
  readonly instructions: readonly Instructions[];
  /** What `--agent` brought. */
  readonly role?: string | undefined;
}

const ROLE = "You are a coding agent. You work in the user's project with the tools you are given, and say briefly what you did.";
const HOOKS =
  "Hooks of the user may block a call, add context or ask you to continue. Texts in <system-reminder> come from them or from the agent program, not from the user or a tool. If a hook blocks a call, do not try to get around it.";

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
  readonly #core: AgentCore;
  readonly #thread: Thread;
  readonly #transcript;
  readonly #shells;
  readonly #forgetResults: () => void;
  readonly #definitions: LiveDefinitions;
  readonly #agents = createBackgroundAgents(async (task) => {
    for (const feature of this.#features) await feature.agentFinished?.(task);
  });
  readonly #heads: Heads;
  readonly #tools: { readonly basic: readonly AgentTool[]; readonly added: readonly AgentTool[] };
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
    const { hooks, cwd, home, env, transcripts, sessionId, earlier, agentType, mcp, trustWorkspace: isTrusted = false } = options;
    this.#definitions = openDefinitions({ cwd, home, env, plugins: hooks.internals.plugins, isTrusted });
    this.transcriptPath = transcriptFile(transcripts, sessionId);
    this.#core = this.#createCore();
    const onProblem = this.#core.onTranscriptProblem;
    this.#transcript = transcripts
      ? openTranscript({ file: this.transcriptPath, sessionId, cwd: () => this.#thread.cwd, parent: earlier?.last, onProblem })
      : undefined;
    this.#shells = createBackgroundShells(options.programs);
    this.#forgetResults = keepResultsIn(() => options.programs.makeFolder("results"));
    this.#heads = openHeads({
      hooks,
      definitions: this.#definitions,
      isRequired: options.requireHooks ?? false,
      onProblem: (text) => options.report({ code: "HL_AGENT_DEFINITION", level: "warning", text }),
      onAttached: (head) => this.#transcript?.note("system", { subtype: HEAD_ATTACHED, ...head }),
    });
    const basic = basicTools({ core: this.#core, shells: this.#shells, agents: this.#agents, attach: this.#heads.attach });
    this.#tools = { basic, added: [...(options.ownTools ?? []), ...(mcp ? mcpTools(mcp) : [])] };
    const type = agentType === undefined ? undefined : this.definitions.agents.get(agentType);
    this.#thread = {
      core: this.#core,
      agentType,
      conversation: this.#core.conversation,
      cwd,
      system: () => systemPrompt({ cwd: this.#thread.cwd, instructions: this.#instructions, role: type?.body }),
      allowedTools: type && listField(type.fields, "tools"),
      model: type && stringField(type.fields, "model"),
      stopInput: () => ({ background_tasks: this.#backgroundTasks(), session_crons: [] }),
      maxTurns: options.maxTurns,
      beforeRequest: async (signal) => {
        for (const feature of this.#features) await feature.beforeRequest?.(signal);
        this.#flush();
      },
    };
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
    const { rules } = this.#options.permissions;
    // Nothing is fetched unless a rule allows it.
    const isFetching = rules.allow.some(({ text }) => text.startsWith("WebFetch"));
    const isWanted = ({ name }: AgentTool): boolean =>
      name === "WebFetch" ? isFetching : name !== "Skill" || this.definitions.skills.size > 0;
    const replaced = this.#features.flatMap((feature) => feature.replaces ?? []);
    const basic = this.#tools.basic.filter(({ name }) => !replaced.includes(name));
    const ofFeatures = this.#features.flatMap((feature) => feature.tools ?? []);
    const { ownTools = [] } = this.#options;
    const builtIn = [...basic, ...ofFeatures].filter(({ name }) => !ownTools.some((own) => own.name === name));
    return [...builtIn, ...this.#tools.added].filter((tool) => isWanted(tool) && !isToolDenied(tool.name, rules));
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
    if (setup) await this.#core.fireAndRemind("Setup", { trigger: setup }, signal);
    this.#instructions = loadInstructions({ cwd, home, env, managedRoot, onProblem });
    for (const { text: _text, ...fields } of this.#instructions) {
      await this.#core.fire("InstructionsLoaded", fields, signal);
    }
    const since =
      earlier?.lastReplyAt === undefined ? {} : { seconds_since_last_response: Math.round((Date.now() - earlier.lastReplyAt) / 1000) };
    const verdict = await this.#core.fireAndRemind(
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
    const { commands: hostCommands = [], confirm } = this.#options;
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

  /** The conversation is made short before the model is asked again. */
  compactSoon(notice: Notice): void {
    for (const feature of this.#features) feature.compactSoon?.(notice);
  }

  /** A shell line of the user's own, with every hook around it. Its output is part of the conversation; the model is not asked. */
  async runLine(command: string, signal: AbortSignal): Promise<LineEnd> {
    this.#promptId = randomUUID();
    // The user typed it, so there is no question. Deny rules, protections and hooks apply as to any call.
    const permission = (): ReturnType<AgentCore["permission"]> => ({
      ...this.#core.permission(),
      rules: this.#options.permissions.allowing("Bash"),
    });
    const toolbox = createToolbox({ ...this.#thread, core: { ...this.#core, permission } }, (folder) => {
      this.#thread.cwd = folder;
    });
    const call = { type: "tool_use", id: `line_${randomUUID()}`, name: "Bash", input: { command } } as const;
    const { result, detail } = await toolbox.run(call, signal);
    const blocks = typeof result?.content === "string" ? [textBlock(result.content)] : (result?.content ?? [textBlock(detail ?? "")]);
    const [{ text } = textBlock(""), ...reminders] = blocks;
    const isError = result?.is_error === true || result === undefined;
    const [stdout, stderr] = isError ? ["", text] : [text, ""];
    this.#core.conversation.addUser([
      textBlock(`<bash-input>${command}</bash-input>`),
      textBlock(`<bash-stdout>${stdout}</bash-stdout><bash-stderr>${stderr}</bash-stderr>`),
      ...reminders,
    ]);
    return { text, isError };
  }

  /** Fires SessionEnd and ends what still runs. */
  async close(reason: string | undefined): Promise<void> {
    if (reason !== undefined) await this.#core.fire("SessionEnd", { reason });
    for (const text of endedTexts(this.#backgroundTasks())) this.#options.emit({ type: "tell", text });
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
      this.#core.conversation.addUser(texts.map(reminder));
    }
  }

  #flush(): void {
    const texts = this.#waiting;
    this.#waiting = [];
    if (texts.length > 0) this.#core.conversation.addUser(texts.map(reminder));
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
      return { problem: messageOf(thrown).replace(/^HL_[A-Z_]+: /, "") };
    }
  }

  #createCore(): AgentCore {
    const options = this.#options;
    const definitions = this.#definitions;
    const { hooks, permissions, cwd, env, sessionId, transcripts, earlier, ask } = options;
    const fire: AgentCore["fire"] = async (event, fields, signal) => (await fireFrom(this.#thread, event, fields, signal)).verdict;
    return {
      ...options,
      root: cwd,
      isWorkspaceTrusted: options.trustWorkspace ?? false,
      isInteractive: ask !== undefined,
      get definitions() {
        return definitions.current();
      },
      reloadSkills: definitions.reloadSkills,
      attachAgent: (definition, agentId) => this.#heads.attachAgent(definition, agentId),
      conversation: createConversation({ earlier: earlier?.entries, onEntry: (entry) => this.#transcript?.add(entry) }),
      cwd: () => this.#thread.cwd,
      moveTo: async (folder, signal) => await this.#moveTo(folder, signal),
      modelName: () => this.#modelName,
      modelNamed: (name) => this.#modelNamed(name),
      earlierModel: earlier?.model,
      addedDirectories: options.directories,
      stateFolder: transcripts && path.join(transcripts, sessionName(sessionId)),
      onTranscriptProblem: (text) => options.report({ code: "HL_TRACE_WRITE_FAILED", level: "warning", text }),
      promptId: () => this.#promptId,
      tools: () => this.tools(),
      permission: () => ({ rules: permissions, ...(ask && { ask: aroundAsk(ask, () => this.#features) }) }),
      onDenied: ({ id, name, input }) => this.denials.push({ tool_name: name, tool_use_id: id, tool_input: input }),
      shellEnv: () => ({ ...env, ...hooks.shellEnv() }),
      fire,
      fireAndRemind: async (event, fields, signal) => {
        const verdict = await fire(event, fields, signal);
        this.#waiting = [...this.#waiting, ...modelTexts({ verdict, input: fields })];
        return verdict;
      },
      onVerdict: (verdict) => {
        for (const feature of this.#features) feature.onVerdict?.(verdict);
      },
      note: (type, fields) => this.#transcript?.note(type, fields),
      remind: (text) => {
        this.#waiting = [...this.#waiting, text];
      },
      closing: this.#closing.signal,
    };
  }

  async #moveTo(folder: string, signal?: AbortSignal): Promise<void> {
    const old_cwd = this.#thread.cwd;
    if (folder === old_cwd) return;
    this.#thread.cwd = folder;
    await this.#core.fire("CwdChanged", { old_cwd, new_cwd: folder }, signal);
  }

  #backgroundTasks(): readonly { readonly id: string; readonly description: string; readonly type: string }[] {
    const agents = this.#agents.running.map((task) => ({ ...task, type: "agent", status: "running" }));
    return [...this.#shells.tasks.filter(({ status }) => status === "running"), ...agents];
  }
}

/** What was started in the background does not outlive the session, and the user must know. */
function endedTexts(tasks: readonly { readonly id: string; readonly description: string; readonly type: string }[]): readonly string[] {
  return tasks.map(({ id, description, type }) => {
    const what = type === "agent" ? `The agent ${id} (${description})` : `The background command ${id} (${description})`;
    return `${what} still ran, and was ended with the session.`;
  });
}

function textBlock(text: string): TextBlock {
  return { type: "text", text };
}
