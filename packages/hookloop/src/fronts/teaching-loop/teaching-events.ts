/** The four events of a full cycle: how the loop's arguments, the engine's payload, a callback's value and the verdict fit together. */
import type { Part } from "@hookloop/sdk";
import type { EventInput } from "../../engine/index.ts";
import type { Attributed, Verdict } from "../../judge/index.ts";

export type TeachingEventName = "UserPromptSubmit" | "PreToolUse" | "PostToolUse" | "Stop";

/** Gets what `trigger` was given; the first that returns something other than nothing (undefined, null) wins. */
// biome-ignore lint/suspicious/noExplicitAny: the loop decides what its events carry
export type TeachingCallback = (...args: any[]) => unknown;

/** What the front knows of one event. */
export interface TeachingEvent {
  /** The payload, as far as the loop's arguments say it. */
  readonly toInput: (args: readonly unknown[]) => EventInput;
  /** The loop's arguments for a payload that another hook rewrote; absent where none can. */
  readonly withInput?: (args: readonly unknown[], input: EventInput) => readonly unknown[];
  /** What a plain value of a callback means. */
  readonly say: (value: unknown) => readonly Part[];
  /** What the loop gets where no callback's plain value decided; undefined: go on. */
  readonly fromVerdict: (verdict: Verdict) => unknown;
  /** What it is to the turn: stops in a row that were held are counted between its start and its end. */
  readonly turn?: "starts" | "works" | "ends";
}

export const TEACHING_EVENTS: Readonly<Record<TeachingEventName, TeachingEvent>> = {
  UserPromptSubmit: {
    turn: "starts",
    toInput: ([prompt]) => (isObject(prompt) ? prompt : present({ prompt })),
    withInput: ([first, ...rest], { prompt }) => [isObject(first) ? { ...first, prompt } : prompt, ...rest],
    say: sayOfPrompt,
    fromVerdict: ({ decision, reasons, updatedPrompt, contexts }) => {
      if (isRefused(decision)) return { block: joined(reasons) };
      const change = updatedPrompt === undefined ? {} : { prompt: updatedPrompt };
      const addition = contexts.length === 0 ? {} : { context: joined(contexts) };
      const answer = { ...change, ...addition };
      return Object.keys(answer).length === 0 ? undefined : answer;
    },
  },
  PreToolUse: {
    toInput: (args) => toolCall(args).call,
    withInput: ([first, ...rest], { tool_input }) =>
      isObject(first)
        ? [{ ...first, [first["input"] === undefined ? "tool_input" : "input"]: tool_input }, ...rest]
        : [first, tool_input, ...rest.slice(1)],
    say: (value) => [{ can: "deny", value: textOf(value) }],
    fromVerdict: ({ decision, reasons }) => (isRefused(decision) ? joined(reasons) : undefined),
  },
  PostToolUse: {
    turn: "works",
    toInput: (args) => {
      const { call, rest } = toolCall(args);
      return { ...call, tool_response: rest[0] };
    },
    say: (value) => [{ can: "context", value: textOf(value) }],
    fromVerdict: ({ feedback, contexts }) => joined([...feedback, ...contexts]) || undefined,
  },
  Stop: {
    turn: "ends",
    toInput: () => ({}),
    say: (value) => [{ can: "block", value: textOf(value) }],
    fromVerdict: ({ continueWith }) => (continueWith.length === 0 ? undefined : joined(continueWith)),
  },
};

/** `{ block }` rejects the prompt, `{ prompt }` replaces it, `{ context }` adds to it; anything else is added as text. */
function sayOfPrompt(value: unknown): readonly Part[] {
  const { block, prompt, context } = isObject(value) ? value : {};
  const parts: Part[] = [];
  if (block !== undefined) parts.push({ can: "block", value: textOf(block) });
  if (prompt !== undefined) parts.push({ can: "rewritePrompt", value: textOf(prompt) });
  if (context !== undefined) parts.push({ can: "context", value: textOf(context) });
  return parts.length > 0 ? parts : [{ can: "context", value: textOf(value) }];
}

/**
 * `{ name, input, id }`, the same in the engine's words, or `name, input`; and what follows it.
 * SECURITY: what is not there is left out, and what is odd stays as it is: the engine's guards block what they are not given to judge.
 */
function toolCall(args: readonly unknown[]): { readonly call: EventInput; readonly rest: readonly unknown[] } {
  const [first, ...rest] = args;
  if (!isObject(first)) return { call: present({ tool_name: first, tool_input: rest[0], tool_use_id: "" }), rest: rest.slice(1) };
  const { name: _name, input: _input, id: _id, ...others } = first;
  const tool_name = first["name"] ?? first["tool_name"];
  const tool_input = first["input"] ?? first["tool_input"];
  const tool_use_id = first["id"] ?? first["tool_use_id"] ?? "";
  // Of what is no call at all, the engine names the fields.
  return { call: present({ ...(tool_name === undefined ? others : {}), tool_name, tool_input, tool_use_id }), rest };
}

function present(fields: EventInput): EventInput {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Without an answer of the user, a question is a refusal. */
export function isRefused(decision: Verdict["decision"]): boolean {
  return decision === "deny" || decision === "defer" || decision === "ask";
}

function joined(texts: readonly Attributed[]): string {
  return texts.map(({ text }) => text).join("\n");
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value as the model would read it. */
function textOf(value: unknown): string {
  if (typeof value !== "object") return String(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // A cycle or a BigInt: the loop still gets the value itself; only the engine's text of it is poorer.
    return Object.prototype.toString.call(value);
  }
}
