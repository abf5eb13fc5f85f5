import { randomBytes } from "node:crypto";
import http from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { ToolInputs } from "@hookloop/sdk";
import { didYouMean } from "../../diagnostic.ts";
import { isInFolders } from "../../permissions/index.ts";
import { guardLookup, isLoopbackHost, isPublicAddress } from "../../run/index.ts";
import type { BackgroundWork } from "../conversation.ts";
import type { Definition } from "../definitions.ts";
import type { AgentCore } from "../features/types.ts";
import { definitionText, findSkill, isOn } from "../load-instructions.ts";
import { runSubagent, runThread } from "../thread.ts";
import type { LoopEnd } from "../types.ts";
import { type BackgroundShells, createBashTool } from "./bash.ts";
import { editTool, multiEditTool, notebookEditTool, readTool, writeTool } from "./files.ts";
import { globTool, grepTool } from "./search.ts";
import { type AgentTool, type CatalogueTool, shownOutput, ToolFailure, toolList } from "./types.ts";

interface BasicToolOptions {
  readonly core: AgentCore;
  readonly shells: BackgroundShells;
  readonly agents: BackgroundAgents;
  readonly attach: (skill: Definition) => Promise<void>;
}

export function basicTools({ core, shells, agents, attach }: BasicToolOptions): readonly AgentTool[] {
  return toolList(
    createBashTool({
      programs: core.programs,
      background: shells,
      isOutside: (folder, { directories }) => !isInFolders(folder, directories),
    }),
    readTool,
    writeTool,
    editTool,
    multiEditTool,
    notebookEditTool,
    globTool,
    grepTool,
    createTodoTool(),
    createWebFetchTool(),
    createAgentTool(core, agents),
    createSkillTool({ definitions: () => core.definitions.skills, sessionId: core.sessionId, attach }),
  );
}

interface SkillToolOptions {
  readonly definitions: () => ReadonlyMap<string, Definition>;
  readonly sessionId: string;
  readonly attach: (skill: Definition) => Promise<void>;
}

/** Gives the model a skill's instructions and attaches its hooks. */
export function createSkillTool({ definitions, sessionId, attach }: SkillToolOptions): CatalogueTool<"Skill"> {
  const offered = (): readonly Definition[] => [...definitions().values()].filter(({ fields }) => !isForPeople(fields));
  return {
    name: "Skill",
    get description() {
      const skills = offered().map(({ name, description }) => `- ${name}: ${description}`);
      return `Loads the instructions of a skill. The skills are:\n${skills.join("\n") || "(none)"}`;
    },
    async run({ skill: name, args = "" }) {
      const skill = findSkill(definitions(), name);
      const names = offered().map((one) => one.name);
      if (!skill) throw new ToolFailure(`There is no skill "${name}".${didYouMean(name, names)}`);
      if (isForPeople(skill.fields))
        throw new ToolFailure(`The skill ${name} is for the user to start (disable-model-invocation): ask them to type /${name}.`);
      await attach(skill);
      const after = definitionText(skill, { args, sessionId });
      return { response: { success: true, commandName: name }, text: `Launching skill: ${name}`, after };
    },
  };
}

function isForPeople(fields: Definition["fields"]): boolean {
  return isOn(fields["disable-model-invocation"]);
}

type Todos = ToolInputs["TodoWrite"]["todos"];

export function createTodoTool(): CatalogueTool<"TodoWrite"> {
  let todos: Todos = [];
  return {
    name: "TodoWrite",
    description: "Writes the whole list of things to do. At most one is in_progress.",
    async run({ todos: next }) {
      const problem = problemOf(next);
      if (problem) throw new ToolFailure(problem);
      const oldTodos = todos;
      todos = next;
      const lines = next.map(({ content, status }) => `- [${MARKS[status]}] ${content}`);
      return { response: { oldTodos, newTodos: next }, text: lines.join("\n") || "The list is empty." };
    },
  };
}

const MARKS: Readonly<Record<Todos[number]["status"], string>> = { pending: " ", in_progress: "~", completed: "x" };

function problemOf(todos: Todos): string | undefined {
  if (todos.some(({ content }) => content.trim() === "")) return "A thing to do has no content.";
  const active = todos.filter(({ status }) => status === "in_progress");
  if (active.length > 1) return `${active.length} things are in_progress; at most one can be.`;
  const contents = todos.map(({ content }) => content);
  const twice = contents.find((content, index) => contents.indexOf(content) !== index);
  return twice === undefined ? undefined : `"${twice}" is in the list twice.`;
}

const LIMIT_MS = 30_000;
const LARGEST_BODY = 5 * 1024 * 1024;

interface WebFetchOptions {
  /** Finds the address of a name for the connection itself; by default only public addresses are found. */
  readonly lookup?: LookupFunction | undefined;
}

/** Fetches a page from the public internet. It is offered only where a rule allows it: nothing is fetched by default. */
export function createWebFetchTool({ lookup = guardLookup() }: WebFetchOptions = {}): CatalogueTool<"WebFetch"> {
  return {
    name: "WebFetch",
    description: "Fetches a page and gives its text. Redirects are not followed: you get the new address and may fetch it yourself.",
    async run({ url }, { signal }) {
      const { status, contentType, body, location } = await fetchPage(publicUrl(url), lookup, signal);
      if (location !== undefined)
        return { response: { url, code: status, location }, text: `It redirects to ${location}. Fetch that address if you want it.` };
      if (status >= 400) throw new ToolFailure(`The server answered with status ${status}.`);
      const result = contentType.includes("html") ? textOfHtml(body) : body;
      return {
        response: { url, code: status, bytes: Buffer.byteLength(body), result },
        text: shownOutput(result) || "(the page is empty)",
      };
    },
  };
}

// SECURITY: literals never reach the guarded lookup, so they are checked here; names are checked when the connection is made.
function publicUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) throw new ToolFailure(`"${text}" is not an http or https address.`);
  if (url.username || url.password) throw new ToolFailure("Addresses with a user name or password are not fetched.");
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isLoopbackHost(host) || (isIP(host) !== 0 && !isPublicAddress(host))) throw new ToolFailure(`${host} is not on the public internet.`);
  return url;
}

interface Page {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly location?: string | undefined;
}

function fetchPage(url: URL, lookup: LookupFunction, signal: AbortSignal): Promise<Page> {
  return new Promise((resolve, reject) => {
    const fail = (text: string): void => reject(new ToolFailure(`${url.href} could not be fetched: ${text}.`));
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
    const options = {
      lookup,
      signal: limit,
      headers: { "user-agent": "hookloop", accept: "text/html, text/*, application/json" },
    };
    const request = (url.protocol === "https:" ? https : http).get(url, options, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > LARGEST_BODY) request.destroy(new Error(`it is larger than ${LARGEST_BODY} bytes`));
        else chunks.push(chunk);
      });
      response.on("error", (error) => fail(error.message));
      response.on("end", () => {
        const { statusCode: status = 0, headers } = response;
        const target = status >= 300 && status < 400 ? headers.location : undefined;
        const location = target && URL.canParse(target, url.href) ? new URL(target, url.href).href : undefined;
        resolve({ status, contentType: headers["content-type"] ?? "", body: Buffer.concat(chunks).toString(), location });
      });
    });
    request.on("error", (error) => fail(limit.aborted && !signal.aborted ? `it took longer than ${LIMIT_MS / 1000} s` : error.message));
  });
}

const HIDDEN_TAG = /^(?:script|style|noscript|template)\b/i;
const BREAKING_TAG = /^(?:br|\/p|\/div|\/li|\/h[1-6]|\/tr)\b/i;
const LONGEST_TAG_NAME = 16;

/**
 * Enough to read a page by: no scripts, no tags, no long gaps.
 * SECURITY: goes through the page once; expressions that look for the end of every tag take hours over five megabytes of `<script`.
 */
export function textOfHtml(html: string): string {
  const lower = html.toLowerCase();
  const pieces: string[] = [];
  for (let at = 0; at < html.length; ) {
    const start = html.indexOf("<", at);
    pieces.push(html.slice(at, start < 0 ? undefined : start));
    if (start < 0) break;
    const head = html.slice(start + 1, start + 1 + LONGEST_TAG_NAME);
    const hidden = HIDDEN_TAG.exec(head)?.[0].toLowerCase();
    const isComment = head.startsWith("!--");
    const closer = isComment ? "-->" : hidden === undefined ? ">" : `</${hidden}`;
    const end = lower.indexOf(closer, start + 1);
    pieces.push(BREAKING_TAG.test(head) ? "\n" : " ");
    // What never ends hides the rest, as in a browser.
    if (end < 0) break;
    at = hidden === undefined ? end + closer.length : end;
  }
  const broken = pieces.join("");
  const names: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " ", "#39": "'" };
  const plain = broken.replace(/&(amp|lt|gt|quot|nbsp|#39);/g, (_, name: string) => names[name] ?? "");
  const lines = plain.split("\n").map((line) => line.replace(/[^\S\n]+/g, " ").trim());
  return lines.filter((line) => line !== "").join("\n");
}

export const GENERAL_PURPOSE = "general-purpose";

const SYSTEM = "You are a subagent. Do the task you are given with your tools, then answer with what your caller needs to know.";
/** Deeper nesting is a loop, not a plan. */
const DEEPEST = 3;

/** Starts agents that work on a part of the task, with the same hooks and rules around them. */
function createAgentTool(core: AgentCore, background: BackgroundAgents): CatalogueTool<"Agent"> {
  const depths = new Map<string, number>();
  return {
    name: "Agent",
    description:
      "Starts a subagent on a task of its own and gives its answer. subagent_type picks one of the known types. run_in_background does not wait for it.",
    async run({ prompt, description, subagent_type: type = GENERAL_PURPOSE, model, run_in_background: isBackground }, context) {
      const definition = definitionOf(type, core.definitions.agents);
      const depth = (context.agentId === undefined ? 0 : (depths.get(context.agentId) ?? 0)) + 1;
      if (depth > DEEPEST) throw new ToolFailure(`Subagents are nested ${DEEPEST} deep already. Do the task yourself.`);
      const agentId = randomBytes(8).toString("hex");
      depths.set(agentId, depth);
      const start = (signal: AbortSignal): Promise<LoopEnd> => {
        const system = (): string => definition?.body || SYSTEM;
        const subagent = { agentId, agentType: type, definition, prompt, model, system, cwd: context.cwd, signal };
        return runSubagent(core, subagent, (thread) => runThread(thread, signal));
      };
      if (isBackground) {
        background.start({ id: agentId, description, agent_type: type }, start);
        const response = { status: "async_launched", agentId, description };
        return { response, text: `The agent ${agentId} works in the background. You will be told when it has finished.` };
      }
      const end = await start(context.signal);
      if (end.reason === "model_error") throw new ToolFailure(`The subagent failed: ${end.detail}`);
      const text = end.text || sayEnd(end);
      return { response: { status: "completed", agentId, content: [{ type: "text", text }] }, text };
    },
  };
}

function sayEnd({ reason, detail }: LoopEnd): string {
  if (reason === "completed") return "(the subagent said nothing)";
  // What a hook that stopped it said is for the user.
  return `(the subagent ended early, ${reason}${detail && reason !== "hook_stopped" ? `: ${detail}` : ""})`;
}

export function definitionOf(type: string, definitions: ReadonlyMap<string, Definition>): Definition | undefined {
  const definition = definitions.get(type);
  if (definition || type === GENERAL_PURPOSE) return definition;
  const names = [GENERAL_PURPOSE, ...definitions.keys()];
  throw new ToolFailure(`There is no type of agent "${type}".${didYouMean(type, names)} The types are: ${names.join(", ")}.`);
}

/** A subagent in the background; an item of `background_tasks`. */
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
