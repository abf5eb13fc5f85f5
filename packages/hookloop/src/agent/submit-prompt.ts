/** A prompt on its way to the model: slash command → UserPromptExpansion → UserPromptSubmit → the conversation. */
import type { EventName } from "@hookloop/sdk";
import { nearestName } from "../catalogue/index.ts";
import type { HookEngine } from "../engine/hook-engine.ts";
import { blockTexts, modelTexts } from "../engine/loop/index.ts";
import type { Verdict } from "../engine/merge/index.ts";
import type { EventInput } from "../engine/session.ts";
import type { Definition } from "./definitions/index.ts";
import type { BuiltinCommand, PromptCommand } from "./features/index.ts";
import type { Conversation } from "./loop-types.ts";
import { reminder } from "./reminder.ts";

export interface Submission {
  readonly hooks: HookEngine;
  readonly conversation: Conversation;
  readonly commands: ReadonlyMap<string, Definition>;
  readonly builtins: ReadonlyMap<string, BuiltinCommand>;
  /** Prompts of servers, by the name of their command. */
  readonly prompts: ReadonlyMap<string, PromptCommand>;
  /** Commands of whatever shows the agent: it does them itself. */
  readonly hostCommands: readonly string[];
  readonly identity: (event: EventName) => EventInput;
  /** Texts that wait for the next prompt: what SessionStart hooks said. */
  readonly waiting: readonly string[];
  readonly tell: (verdict: Verdict) => void;
  /** Asks the person whether the prompt goes on; absent where nobody can be asked. */
  readonly confirm?: ((verdict: Verdict) => Promise<boolean>) | undefined;
  readonly signal: AbortSignal;
}

export type Submitted =
  /** A command of the agent itself did it; this is what it says. */
  | { readonly type: "answered"; readonly text: string }
  /** It is in the conversation. */
  | { readonly type: "ready" }
  /** A hook said no, or there is no such command: the model hears nothing of it. */
  | { readonly type: "blocked"; readonly text: string }
  /** A hook ended the turn; the prompt stays in the conversation. */
  | { readonly type: "stopped"; readonly text: string };

export async function submitPrompt(submission: Submission, prompt: string): Promise<Submitted> {
  const { hooks, conversation, identity, signal, waiting, tell } = submission;
  const typed = /^\/([\w:.-]+)(?:\s+([\s\S]*))?$/.exec(prompt.trim());
  const builtin = typed && submission.builtins.get(typed[1] ?? "");
  if (builtin) return { type: "answered", text: await builtin.run((typed[2] ?? "").trim(), signal) };
  const expansion = await expand(submission, prompt, typed);
  if ("type" in expansion) return expansion;
  const input = { ...identity("UserPromptSubmit"), prompt };
  const verdict = await hooks.fire("UserPromptSubmit", input, { signal });
  tell(verdict);
  if (verdict.decision === "deny") return { type: "blocked", text: blockTexts({ verdict, input }).join("\n") };
  if (verdict.decision === "ask" && !(await submission.confirm?.(verdict))) return { type: "blocked", text: unasked(verdict) };
  const texts = [...waiting, ...expansion.texts, ...modelTexts({ verdict, input })];
  const text = verdict.updatedPrompt ?? expansion.prompt;
  conversation.addUser([...texts.map(reminder), { type: "text", text }]);
  return verdict.halt ? { type: "stopped", text: verdict.halt.text } : { type: "ready" };
}

/** A guard that failed asks; what nobody said yes to does not happen. */
function unasked({ event, reasons }: Verdict): string {
  return `${event} operation blocked: a hook asks about it, and nobody said yes.\n${reasons.map(({ text }) => text).join("\n")}`;
}

type Expansion = { readonly prompt: string; readonly texts: readonly string[] } | Extract<Submitted, { type: "blocked" | "stopped" }>;

async function expand(submission: Submission, prompt: string, typed: RegExpExecArray | null): Promise<Expansion> {
  const { hooks, commands, builtins, prompts, hostCommands, identity, signal, tell, confirm } = submission;
  const [, name = "", args = ""] = typed ?? [];
  if (!typed) return { prompt, texts: [] };
  const source = sourceOf(submission, name, args);
  if (!source)
    return { type: "blocked", text: unknownCommand(name, [...hostCommands, ...builtins.keys(), ...commands.keys(), ...prompts.keys()]) };
  const input = {
    ...identity("UserPromptExpansion"),
    expansion_type: source.type,
    command_name: name,
    command_args: args,
    command_source: source.scope,
    prompt,
  };
  const verdict = await hooks.fire("UserPromptExpansion", input, { signal });
  tell(verdict);
  if (verdict.decision === "deny") return { type: "blocked", text: blockTexts({ verdict, input }).join("\n") };
  if (verdict.decision === "ask" && !(await confirm?.(verdict))) return { type: "blocked", text: unasked(verdict) };
  if (verdict.halt) return { type: "stopped", text: verdict.halt.text };
  try {
    return { prompt: await source.text(), texts: modelTexts({ verdict, input }) };
  } catch (error) {
    return { type: "blocked", text: `/${name} could not be expanded: ${(error as Error).message}` };
  }
}

interface ExpansionSource {
  readonly type: "slash_command" | "mcp_prompt";
  readonly scope: string;
  readonly text: () => Promise<string>;
}

function sourceOf({ commands, prompts, signal }: Submission, name: string, args: string): ExpansionSource | undefined {
  const command = commands.get(name);
  if (command) return { type: "slash_command", scope: command.scope, text: async () => filled(command.body, args) };
  const prompt = prompts.get(name);
  return prompt && { type: "mcp_prompt", scope: prompt.source, text: async () => await prompt.text(args, signal) };
}

/** `$ARGUMENTS` is everything after the name, `$1` its first word; a body that uses neither gets the arguments at its end. */
function filled(body: string, args: string): string {
  const words = args.split(/\s+/).filter(Boolean);
  const used = /\$(?:ARGUMENTS|[1-9])/.test(body);
  const text = body.replace(/\$(ARGUMENTS|[1-9])/g, (_, what: string) => (what === "ARGUMENTS" ? args : (words[Number(what) - 1] ?? "")));
  return used || args === "" ? text : `${text}\n\n${args}`;
}

const MOST_SUGGESTED = 3;

function unknownCommand(name: string, known: readonly string[]): string {
  const begun = known.filter((one) => one.startsWith(name.toLowerCase())).slice(0, MOST_SUGGESTED);
  const nearest = begun.length > 0 ? begun : [nearestName(name, known) ?? []].flat();
  const hint = nearest.length > 0 ? ` Did you mean ${nearest.map((one) => `/${one}`).join(" or ")}?` : "";
  return `There is no command /${name}.${hint}${known.includes("help") ? " /help lists them all." : ""}`;
}
