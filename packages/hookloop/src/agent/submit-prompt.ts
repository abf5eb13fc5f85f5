/** A prompt on its way to the model: UserPromptSubmit → slash command or skill, with UserPromptExpansion → the conversation. */

import { nearestName, ownCommand } from "../diagnostic.ts";
import type { EventInput } from "../engine/index.ts";
import { blockTexts, modelTexts, type Verdict } from "../judge/index.ts";
import { type Definition, skillFolder } from "./definitions.ts";
import type { AgentCore, BuiltinCommand, PromptCommand } from "./features/types.ts";
import { definitionText, findSkill, isOff } from "./load-instructions.ts";
import { type LoopEnd, reminder } from "./types.ts";

interface Submission {
  readonly core: AgentCore;
  /** Puts the hooks in the head of a skill or command in force. */
  readonly attach: (definition: Definition) => Promise<void>;
  readonly builtins: ReadonlyMap<string, BuiltinCommand>;
  /** Prompts of servers, by the name of their command. */
  readonly prompts: ReadonlyMap<string, PromptCommand>;
  readonly hostCommands: readonly string[];
  /** Texts for the model that are sent with this prompt: what SessionStart hooks said. */
  readonly waiting: readonly string[];
  /** Asks the user whether to send the prompt; absent where there is no user to ask. */
  readonly confirm?: ((verdict: Verdict) => Promise<boolean>) | undefined;
  readonly signal: AbortSignal;
}

/** How hooks blocked a prompt; `prompt_submit_outcome` of the stream. */
export interface PromptOutcome {
  readonly kind: "stopped_by_hook" | "blocked_by_hook";
  /** It is in the conversation; the model gets it with the next prompt. */
  readonly prompt_kept: boolean;
  readonly reason?: string | undefined;
}

type Submitted =
  /** A command of the agent ran; this is its output. */
  | { readonly type: "answered"; readonly text: string }
  | { readonly type: "ready" }
  /** Not sent to the model: a hook blocked it or ended the turn, or there is no such command. */
  | { readonly type: "blocked"; readonly text: string; readonly outcome?: PromptOutcome | undefined };

type Blocked = Extract<Submitted, { type: "blocked" }>;

export async function submitPrompt(submission: Submission, prompt: string): Promise<Submitted> {
  const { core, signal, waiting, builtins } = submission;
  const typed = typedCommand(prompt);
  const builtin = typed && builtins.get(typed.name);
  if (builtin) return { type: "answered", text: await builtin.run(typed.args.trim(), signal) };
  if (typed && !sourceOf(submission, typed)) return unknownCommand(submission, typed.name);
  const judged = await judge(submission, "UserPromptSubmit", { prompt });
  if ("type" in judged) {
    // The hook ended the turn, it did not deny the prompt: the model gets it with the next one.
    if (judged.outcome?.prompt_kept) core.conversation.addUser([...waiting.map(reminder), { type: "text", text: prompt }]);
    return judged;
  }
  const expanded = await expand(submission, judged.updatedPrompt ?? prompt);
  if ("type" in expanded) return expanded;
  const texts = [...waiting, ...judged.texts, ...expanded.texts];
  core.conversation.addUser([...texts.map(reminder), ...expanded.prompt.map((text) => ({ type: "text" as const, text }))]);
  return { type: "ready" };
}

/** Fires an event that a hook may end the prompt with. */
async function judge(
  { core, signal, confirm }: Submission,
  event: "UserPromptSubmit" | "UserPromptExpansion",
  input: EventInput,
): Promise<{ readonly updatedPrompt: string | undefined; readonly texts: readonly string[] } | Blocked> {
  const verdict = await core.fire(event, input, signal);
  const { decision, halt, fields, reasons } = verdict;
  const isDenied = decision === "deny";
  if (halt) {
    const text = `Operation stopped by hook${halt.text === "" ? "" : `: ${halt.text}`}`;
    // A prompt that another hook denied is erased even if the turn was ended, too.
    const prompt_kept = event === "UserPromptSubmit" && !isDenied;
    return { type: "blocked", text, outcome: { kind: "stopped_by_hook", prompt_kept, ...(halt.text !== "" && { reason: halt.text }) } };
  }
  const reason = reasons.map(({ text }) => text).join("\n");
  const outcome = { kind: "blocked_by_hook", prompt_kept: false, ...(reason !== "" && { reason }) } as const;
  if (isDenied) {
    const original = fields["suppressOriginalPrompt"] === true ? "" : `\n\nOriginal prompt: ${input["prompt"]}`;
    return { type: "blocked", text: `${blockTexts({ verdict, input }).join("\n")}${original}`, outcome };
  }
  // A guard that failed asks; without approval the prompt is not sent.
  if (decision === "ask" && !(await confirm?.(verdict)))
    return { type: "blocked", text: `${event} operation blocked: a hook asks about it, and it was not approved.\n${reason}`, outcome };
  return { updatedPrompt: verdict.updatedPrompt, texts: modelTexts({ verdict, input }) };
}

interface Expanded {
  readonly prompt: readonly string[];
  readonly texts: readonly string[];
}

async function expand(submission: Submission, prompt: string): Promise<Expanded | Blocked> {
  const typed = typedCommand(prompt);
  if (!typed) return { prompt: [prompt], texts: [] };
  const source = sourceOf(submission, typed);
  // A hook has rewritten the prompt.
  if (!source) return unknownCommand(submission, typed.name);
  if (source.refusal !== undefined) return { type: "blocked", text: source.refusal };
  const input = {
    expansion_type: source.type,
    command_name: source.name,
    command_args: typed.args,
    command_source: source.scope,
    prompt,
  };
  const judged = await judge(submission, "UserPromptExpansion", input);
  if ("type" in judged) return judged;
  try {
    return { prompt: await source.texts(), texts: judged.texts };
  } catch (error) {
    return { type: "blocked", text: `/${typed.name} could not be expanded: ${(error as Error).message}` };
  }
}

interface TypedCommand {
  readonly name: string;
  readonly args: string;
}

function typedCommand(prompt: string): TypedCommand | undefined {
  const [, name, args = ""] = /^\/([\w:.-]+)(?:\s+([\s\S]*))?$/.exec(prompt.trim()) ?? [];
  return name === undefined ? undefined : { name, args };
}

interface ExpansionSource {
  readonly type: "slash_command" | "mcp_prompt";
  readonly name: string;
  readonly scope: string;
  readonly refusal?: string | undefined;
  readonly texts: () => Promise<readonly string[]>;
}

/** Values of `command_source`, as recorded from Claude Code. */
const SOURCES: Readonly<Record<Definition["scope"], string>> = { project: "projectSettings", user: "userSettings", plugin: "plugin" };

/** A skill comes before a command of the same name. */
function sourceOf(submission: Submission, typed: TypedCommand): ExpansionSource | undefined {
  const { core, prompts, attach, signal } = submission;
  const { sessionId, definitions } = core;
  const { name, args } = typed;
  const skill = findSkill(definitions.skills, name);
  const definition = skill ?? definitions.commands.get(name);
  if (definition) {
    const refusal =
      skill && isOff(skill.fields["user-invocable"])
        ? `The skill ${name} is for the model only (user-invocable: false). Ask for what it does instead.`
        : undefined;
    const texts = async (): Promise<readonly string[]> => {
      await attach(definition);
      return [typedText(typed), definitionText(definition, { args, sessionId })];
    };
    return { type: "slash_command", name: skill ? skillFolder(skill) : name, scope: SOURCES[definition.scope], refusal, texts };
  }
  const prompt = prompts.get(name);
  return prompt && { type: "mcp_prompt", name, scope: prompt.source, texts: async () => [await prompt.text(args, signal)] };
}

/** What the user typed, in the tags that models know. */
function typedText({ name, args }: TypedCommand): string {
  return `<command-message>${name}</command-message>\n<command-name>/${name}</command-name>\n<command-args>${args}</command-args>\n`;
}

const MOST_SUGGESTED = 3;

/** Commands that only exist in a conversation at a terminal. */
const OF_CONVERSATION: ReadonlySet<string> = new Set(["help", "hooks", "why", "debug", "permissions", "clear", "resume", "exit", "quit"]);

function unknownCommand({ core, hostCommands, builtins, prompts }: Submission, name: string): Blocked {
  const { commands, skills } = core.definitions;
  if (OF_CONVERSATION.has(name) && !hostCommands.includes(name))
    return {
      type: "blocked",
      text: `/${name} belongs to the conversation: start ${ownCommand()} agent without -p, at a terminal, and type it there.`,
    };
  const known = [...hostCommands, ...builtins.keys(), ...commands.keys(), ...skills.keys(), ...prompts.keys()];
  const begun = known.filter((one) => one.startsWith(name.toLowerCase())).slice(0, MOST_SUGGESTED);
  const nearest = begun.length > 0 ? begun : [nearestName(name, known) ?? []].flat();
  const hint = nearest.length > 0 ? ` Did you mean ${nearest.map((one) => `/${one}`).join(" or ")}?` : "";
  return { type: "blocked", text: `There is no command /${name}.${hint}${known.includes("help") ? " /help lists them all." : ""}` };
}

export interface PermissionDenial {
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly tool_input: Readonly<Record<string, unknown>>;
}

/** How a turn ended: the loop's end, or a prompt that was not sent to the model. */
export type TurnEnd =
  | LoopEnd
  | {
      readonly reason: null;
      readonly text: string;
      readonly turns: 0;
      /** How hooks blocked it; absent if it was not meant for the model. */
      readonly outcome?: PromptOutcome | undefined;
      readonly detail?: undefined;
      readonly shown?: undefined;
    };

interface ResultFacts {
  readonly end: TurnEnd;
  readonly sessionId: string;
  readonly durationMs: number;
  readonly denials: readonly PermissionDenial[];
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
}

const SUBTYPES: Readonly<Partial<Record<NonNullable<TurnEnd["reason"]>, string>>> = {
  max_turns: "error_max_turns",
  model_error: "error_during_execution",
  aborted: "error_during_execution",
  aborted_tools: "error_during_execution",
};

/** The last line of a stream, and the whole of `--output-format json`. */
export function resultLine({ end, sessionId, durationMs, denials, usage }: ResultFacts): Readonly<Record<string, unknown>> {
  const subtype = (end.reason && SUBTYPES[end.reason]) ?? "success";
  const deferred = "deferred" in end ? end.deferred : undefined;
  return {
    type: "result",
    subtype,
    is_error: subtype !== "success",
    duration_ms: Math.round(durationMs),
    num_turns: end.turns,
    result: end.reason === "model_error" ? `API Error: ${end.detail ?? ""}` : (end.shown ?? end.text),
    session_id: sessionId,
    terminal_reason: end.reason,
    usage,
    permission_denials: denials,
    ...(deferred && { stop_reason: "tool_deferred", deferred_tool_use: { id: deferred.id, name: deferred.name, input: deferred.input } }),
  };
}

/** 0: the turn ended, also if a hook ended it. 1: it failed. */
export function exitCodeOf({ reason }: TurnEnd): number {
  return reason !== null && SUBTYPES[reason] ? 1 : 0;
}

const END_TEXTS: Readonly<Partial<Record<NonNullable<TurnEnd["reason"]>, string>>> = {
  hook_stopped: "A hook ended the turn",
  stop_hook_prevented: "A Stop hook ended the turn",
  tool_deferred: "A hook put a tool call off",
  aborted_tools: "A refused permission ended the turn",
  model_error: "The model did not answer",
  max_turns: "The turn was ended at its limit",
  aborted: "The turn was interrupted",
};

/** The hook that ended the turn was named, with its reason. */
export function isToldAlready({ reason, detail }: Pick<TurnEnd, "reason" | "detail">, told: readonly string[]): boolean {
  const isByHook = reason === "hook_stopped" || reason === "stop_hook_prevented";
  return isByHook && detail !== undefined && told.some((text) => text.startsWith("The agent was stopped at ") && text.includes(detail));
}

/** For the user: how a turn ended that did not simply complete. */
export function endText({ reason, detail }: Pick<TurnEnd, "reason" | "detail">): string {
  const what = (reason && END_TEXTS[reason]) ?? "The turn is over";
  return detail === undefined ? `${what}.` : `${what}: ${detail}`;
}
