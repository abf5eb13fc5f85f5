import { randomBytes } from "node:crypto";
import path from "node:path";
import { nearestName } from "../../diagnostic.ts";
import { modelTexts, toldTexts } from "../../judge/index.ts";
import { type BackgroundWork, createConversation } from "../conversation.ts";
import { type Definition, listField, stringField } from "../definitions.ts";
import { type Runtime, runThread, type Thread, threadIdentity } from "../thread.ts";
import { openTranscript } from "../transcript.ts";
import { type LoopEnd, type LoopStep, reminder } from "../types.ts";
import { type CatalogueTool, type ToolContext, ToolFailure } from "./types.ts";

export interface AgentToolOptions {
  readonly runtime: () => Runtime;
  readonly sessionId: string;
  readonly definitions: () => ReadonlyMap<string, Definition>;
  /** Folder of the subagents' transcripts; absent: none are written. */
  readonly transcripts: string | undefined;
  readonly background: BackgroundAgents;
  readonly emit: (step: LoopStep, agentId: string) => void;
  readonly onProblem: (text: string) => void;
}

export const GENERAL_PURPOSE = "general-purpose";

const SYSTEM = "You are a subagent. Do the task you are given with your tools, then answer with what whoever asked you needs to know.";
/** Deeper nesting is a loop, not a plan. */
const DEEPEST = 3;

/** Starts agents that work on a part of the task, with the same hooks and rules around them. */
export function createAgentTool(options: AgentToolOptions): CatalogueTool<"Agent"> {
  const depths = new Map<string, number>();
  return {
    name: "Agent",
    description:
      "Starts a subagent on a task of its own and gives its answer. subagent_type picks one of the known types. run_in_background does not wait for it.",
    async run({ prompt, description, subagent_type: type = GENERAL_PURPOSE, model, run_in_background: isBackground }, context) {
      const definition = definitionOf(type, options.definitions());
      const depth = (context.agentId === undefined ? 0 : (depths.get(context.agentId) ?? 0)) + 1;
      if (depth > DEEPEST) throw new ToolFailure(`Subagents are nested ${DEEPEST} deep already. Do the task yourself.`);
      const agentId = randomBytes(8).toString("hex");
      depths.set(agentId, depth);
      const task = { agentId, type, prompt, model: model ?? stringField(definition?.fields ?? {}, "model"), definition };
      if (isBackground) {
        options.background.start({ id: agentId, description, agent_type: type }, (signal) =>
          runSubagent(options, task, { ...context, signal }),
        );
        const response = { status: "async_launched", agentId, description };
        return { response, text: `The agent ${agentId} works in the background. You will be told when it has finished.` };
      }
      const end = await runSubagent(options, task, context);
      if (end.reason === "model_error") throw new ToolFailure(`The subagent failed: ${end.detail}`);
      const text = end.text || sayEnd(end);
      return { response: { status: "completed", agentId, content: [{ type: "text", text }] }, text };
    },
  };
}

function sayEnd({ reason, detail }: LoopEnd): string {
  if (reason === "completed") return "(the subagent said nothing)";
  return `(the subagent ended early, ${reason}${detail ? `: ${detail}` : ""})`;
}

/** Throws a `ToolFailure` with the known types if there is no such one. */
export function definitionOf(type: string, definitions: ReadonlyMap<string, Definition>): Definition | undefined {
  const definition = definitions.get(type);
  if (definition || type === GENERAL_PURPOSE) return definition;
  const names = [GENERAL_PURPOSE, ...definitions.keys()];
  const nearest = nearestName(type, names);
  throw new ToolFailure(
    `There is no type of agent "${type}".${nearest ? ` Did you mean ${nearest}?` : ""} The types are: ${names.join(", ")}.`,
  );
}

interface Task {
  readonly agentId: string;
  readonly type: string;
  readonly prompt: string;
  readonly model: string | undefined;
  readonly definition: Definition | undefined;
}

async function runSubagent(options: AgentToolOptions, task: Task, { cwd, signal }: ToolContext): Promise<LoopEnd> {
  const { agentId, type, prompt, definition } = task;
  const runtime = options.runtime();
  const file = options.transcripts && path.join(options.transcripts, `agent-${agentId}.jsonl`);
  const transcript = file
    ? openTranscript({ file, sessionId: options.sessionId, cwd: () => thread.cwd, agentId, onProblem: options.onProblem })
    : undefined;
  const conversation = createConversation({ onEntry: (entry) => transcript?.add(entry) });
  const thread: Thread = {
    runtime,
    agentId,
    agentType: type,
    conversation,
    cwd,
    system: () => definition?.body || SYSTEM,
    allowedTools: definition && listField(definition.fields, "tools"),
    model: task.model === "inherit" ? undefined : task.model,
    stopInput: () => ({ agent_transcript_path: file ?? "" }),
    emit: (step) => options.emit(step, agentId),
  };
  const detach = await attachHooks(runtime, definition, agentId, options.onProblem);
  try {
    const input = threadIdentity(thread, "SubagentStart");
    const verdict = await runtime.hooks.fire("SubagentStart", input, { signal });
    const told = [...toldTexts(verdict), ...runtime.hooks.notices(verdict)];
    for (const text of told) options.emit({ type: "tell", text }, agentId);
    conversation.addUser([{ type: "text", text: prompt }, ...modelTexts({ verdict, input }).map(reminder)]);
    return await runThread(thread, signal);
  } finally {
    detach();
    transcript?.close();
  }
}

/** Puts the hooks of an agent's own file in force; the function it gives takes them away again. */
export async function attachHooks(
  { hooks }: Runtime,
  definition: Definition | undefined,
  agentId: string,
  onProblem: (text: string) => void,
): Promise<() => void> {
  if (!definition?.fields["hooks"]) return () => {};
  if (definition.scope === "plugin") {
    onProblem(
      `The hooks in ${definition.file} are not used: an agent of a plugin may not declare hooks. Move them to the plugin's hooks/hooks.json.`,
    );
    return () => {};
  }
  return await hooks.attach({ text: definition.head, file: definition.file, agentId });
}

/** A subagent that works while its caller goes on; an item of `background_tasks`. */
export interface AgentTask {
  readonly id: string;
  readonly description: string;
  readonly agent_type: string;
}

interface FinishedAgent extends AgentTask {
  readonly end: LoopEnd;
}

interface BackgroundAgents extends BackgroundWork {
  start(task: AgentTask, run: (signal: AbortSignal) => Promise<LoopEnd>): void;
  readonly running: readonly AgentTask[];
  /** Ends what still runs. */
  close(): Promise<void>;
}

/** `onFinished` is told of each that ended by itself, before its caller is. */
export function createBackgroundAgents(onFinished?: (task: AgentTask) => Promise<void>): BackgroundAgents {
  const running = new Map<AgentTask, Promise<void>>();
  const ending = new AbortController();
  let finished: FinishedAgent[] = [];
  return {
    get running() {
      return [...running.keys()];
    },
    start(task, run) {
      const failed = (thrown: unknown): LoopEnd => ({ reason: "model_error", text: "", detail: String(thrown), turns: 0 });
      const done = run(ending.signal)
        .catch(failed)
        .then(async (end) => {
          if (!ending.signal.aborted) await onFinished?.(task);
          running.delete(task);
          finished.push({ ...task, end });
        });
      running.set(task, done);
    },
    isPending: () => running.size > 0 || finished.length > 0,
    async news() {
      if (finished.length === 0 && running.size > 0) await Promise.race(running.values());
    },
    take() {
      const taken = finished;
      finished = [];
      return taken.map(finishedText);
    },
    async close() {
      ending.abort();
      await Promise.allSettled(running.values());
    },
  };
}

function finishedText({ id, description, end: { text, detail } }: FinishedAgent): string {
  return `The agent ${id} (${description}) has finished: ${text || detail || ""}`;
}
