/**
 * The teaching loop in its own words: `registerHook`, `triggerHooks` and `HOOKS`, free functions on one loop of the process, and the five callbacks
 * of the source. `createTeachingLoop` makes a loop of your own.
 */

import { homedir } from "node:os";
import path from "node:path";
import { ask as askInSession } from "@hookloop/sdk";
import {
  callLine,
  callPreview,
  DENIED_BY_LIST,
  DENIED_BY_USER,
  folderLine,
  judgePermission,
  LARGE_OUTPUT,
  largeLine,
  outputLength,
  summaryLine,
} from "../builtin/index.ts";
import { checkEntries, invalidOption, isObject, mistake } from "../check-options.ts";
import { visibleLine } from "../diagnostic.ts";
import type { HookEngine } from "../engine/index.ts";
import { announceRegistry } from "../open/extensions.ts";
import {
  CALLBACK_LIMITS,
  createTeachingLoop,
  isOfSession,
  TEACHING_EVENT_NAMES,
  type TeachingCallback,
  type TeachingEventName,
  type TeachingLoop,
} from "./teaching-loop.ts";

export { type HookBlockingError, type HookResultFields, hookResult } from "./hook-result.ts";
export {
  createTeachingLoop,
  type TeachingCallback,
  type TeachingEventName,
  type TeachingLoop,
  type TeachingLoopOptions,
  type Triggered,
} from "./teaching-loop.ts";

/** The five callbacks. They print what the source prints; in a session of the agent they print to stderr, and its own dialog asks. */

export interface CallbackOptions {
  /** The workspace; the folder that the program is in when a callback is called, if left out. */
  readonly cwd?: string;
  /** Asks the user; if left out, at the terminal. Where there is none, the answer is no. */
  readonly ask?: (question: string) => boolean | Promise<boolean>;
  /** Gets each line; stdout if left out. */
  readonly print?: (line: string) => void;
}

/** A tool call as a loop hands it to its callbacks. */
export interface Block {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface TeachingCallbacks {
  /** UserPromptSubmit: prints the working directory. */
  contextInjectHook(query?: string, session?: object): undefined;
  /** PreToolUse: refuses what is on the deny list, and asks about what is destructive or writes outside the workspace. */
  permissionHook(block: Block): Promise<unknown>;
  /** PreToolUse: prints a line for each call. */
  logHook(block: Block): undefined;
  /** PostToolUse: prints a warning about an output of more than 100,000 characters. */
  largeOutputHook(block: Block, output: unknown): undefined;
  /** Stop: prints how many tools were used. */
  summaryHook(messages?: readonly unknown[], session?: object): undefined;
  /** The question of `permissionHook`, for a loop that asks as well. */
  ask(question: string): Promise<boolean>;
}

/** As long as a tool may take: a user is not hurried. */
const ASK_MS = 600_000;

export function createCallbacks(options: CallbackOptions = {}): TeachingCallbacks {
  checkEntries("createCallbacks()", options, { cwd: "text", ask: "function", print: "function" });
  const workspace = (): string => path.resolve(options.cwd ?? process.cwd());
  const say = (color: number, line: string, ...about: readonly unknown[]): undefined => {
    const isSession = about.some(isOfSession);
    if (options.print) options.print(line);
    else (isSession ? process.stderr : process.stdout).write(`${colored(color, line, isSession ? process.stderr : process.stdout)}\n`);
  };
  const ask = async (question: string): Promise<boolean> => (await (options.ask ?? askAtTerminal)(question)) === true;
  async function permissionHook(block: Block): Promise<unknown> {
    const cwd = workspace();
    const { risk, why } = judgePermission({ tool: String(block.name), input: block.input, cwd, home: homedir(), folders: [cwd] });
    if (risk === "allow") return undefined;
    if (risk === "deny") {
      say(31, `⛔ Blocked: ${why}`, block);
      return DENIED_BY_LIST;
    }
    const question = `${why}\n   Tool: ${visibleLine(String(block.name))}(${callPreview(block.input)})`;
    if (isOfSession(block)) return askInSession(question);
    return (await ask(`⚠  ${question}`)) ? undefined : DENIED_BY_USER;
  }
  CALLBACK_LIMITS.set(permissionHook, ASK_MS);
  return {
    contextInjectHook: (_query, session) => say(90, folderLine(workspace()), session),
    permissionHook,
    logHook: (block) => say(90, callLine(block.name, block.input), block),
    largeOutputHook(block, output) {
      const length = outputLength(output);
      return length > LARGE_OUTPUT ? say(33, largeLine(block.name, length), block) : undefined;
    },
    summaryHook: (messages, session) => say(90, summaryLine(countResults(messages)), session),
    ask,
  };
}

function countResults(messages: unknown): number {
  const contents = (Array.isArray(messages) ? messages : []).flatMap((message) => (isObject(message) ? message["content"] : []));
  return contents.filter((block) => isObject(block) && block["type"] === "tool_result").length;
}

function colored(color: number, line: string, stream: NodeJS.WriteStream): string {
  return stream.isTTY && !process.env["NO_COLOR"] ? `\x1b[${color}m${line}\x1b[0m` : line;
}

async function askAtTerminal(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const { createInterface } = await import("node:readline");
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await new Promise((resolve) => {
      terminal.on("close", () => resolve(false));
      terminal.question(`\n${question}\n   Allow? [y/N] `, (answer) => resolve(/^\s*y(?:es)?\s*$/i.test(answer)));
    });
  } finally {
    terminal.close();
  }
}

const callbacks: TeachingCallbacks = createCallbacks();
export const contextInjectHook: TeachingCallbacks["contextInjectHook"] = callbacks.contextInjectHook;
export const permissionHook: TeachingCallbacks["permissionHook"] = callbacks.permissionHook;
export const logHook: TeachingCallbacks["logHook"] = callbacks.logHook;
export const largeOutputHook: TeachingCallbacks["largeOutputHook"] = callbacks.largeOutputHook;
export const summaryHook: TeachingCallbacks["summaryHook"] = callbacks.summaryHook;

/** One for each process, whichever copy of this module it was loaded from: a session looks for the loop that an extension filled. */
const DEFAULT: unique symbol = Symbol.for("hookloop.teaching.default") as never;

interface DefaultLoop {
  readonly loop: TeachingLoop;
  readonly lists: Readonly<Record<TeachingEventName, TeachingCallback[]>>;
  /** What takes each callback away, in the order they were registered. */
  readonly offs: Set<() => void>;
}

function defaultLoop(): DefaultLoop {
  const holder = globalThis as { [DEFAULT]?: DefaultLoop };
  if (holder[DEFAULT]) return holder[DEFAULT];
  const loop = createTeachingLoop({ ask: async (question) => await callbacks.ask(`⚠  ${question}`) });
  const lists = Object.fromEntries(TEACHING_EVENT_NAMES.map((event) => [event, []])) as unknown as DefaultLoop["lists"];
  const offs: DefaultLoop["offs"] = new Set();
  holder[DEFAULT] = { loop, lists, offs };
  const mark = (): (() => void) => {
    const before = new Set(offs);
    return () => {
      for (const off of [...offs]) if (!before.has(off)) off();
    };
  };
  announceRegistry({ attach: loop.attach, mark });
  return holder[DEFAULT];
}

/** Adds a callback at the end of the event's list, also one that is in it already; the function it returns takes this one away again. */
export function registerHook(event: TeachingEventName, callback: TeachingCallback): () => void {
  const { loop, lists, offs } = defaultLoop();
  const off = loop.register(event, callback);
  const list = lists[event];
  list.push(callback);
  const take = (): void => {
    if (!offs.delete(take)) return;
    off();
    list.splice(list.lastIndexOf(callback), 1);
  };
  offs.add(take);
  return take;
}

/** The value of the first callback that returns something; the later ones are not called. Await it. */
export async function triggerHooks(event: TeachingEventName, ...args: readonly unknown[]): Promise<unknown> {
  return await defaultLoop().loop.trigger(event, ...args);
}

/** Hangs the callbacks of `registerHook` on a session's engine as well, also later ones; the function it returns takes them away there. */
export function attach(hooks: HookEngine): () => void {
  return defaultLoop().loop.attach(hooks);
}

const TO_LOOK_AT = 'HOOKS is to look at. Write registerHook("PreToolUse", callback), and call what it returns to take the callback away';

function refuse(): never {
  throw invalidOption(TO_LOOK_AT);
}

/** SECURITY: whatever would change it throws, also where a failed assignment says nothing: a guard that was pushed here would never run. */
const READ_ONLY = {
  set: refuse,
  deleteProperty: refuse,
  defineProperty: refuse,
  setPrototypeOf: refuse,
  preventExtensions: refuse,
} satisfies ProxyHandler<object>;

type HookLists = Readonly<Record<TeachingEventName, readonly TeachingCallback[]>>;

/** The callbacks of each event in their order, as they are now. To look at: a change of it throws. */
export const HOOKS: HookLists = new Proxy({} as HookLists, {
  ...READ_ONLY,
  get: (_target, event) =>
    typeof event === "string" && Object.hasOwn(defaultLoop().lists, event) ? viewOf(event as TeachingEventName) : unknownEvent(event),
  has: (_target, event) => Object.hasOwn(defaultLoop().lists, event),
  ownKeys: () => [...TEACHING_EVENT_NAMES],
  getOwnPropertyDescriptor: (_target, event) =>
    Object.hasOwn(defaultLoop().lists, event)
      ? { value: viewOf(event as TeachingEventName), enumerable: true, configurable: true, writable: false }
      : undefined,
});

function viewOf(event: TeachingEventName): readonly TeachingCallback[] {
  return new Proxy(defaultLoop().lists[event], READ_ONLY);
}

/** Programs and test runners ask an object for names of their own, such as `then` or `toJSON`. */
function unknownEvent(name: string | symbol): undefined {
  if (typeof name === "string" && /^[A-Z]/.test(name))
    throw mistake("HL_CONFIG_UNKNOWN_EVENT", `HOOKS has no list for "${name}". There are: ${TEACHING_EVENT_NAMES.join(", ")}`);
  return undefined;
}
