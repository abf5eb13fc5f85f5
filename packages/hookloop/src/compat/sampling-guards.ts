/** The guards of the source, by their functions: what hookloop ships, registered as sampling hooks, with the source's own texts. */

import { homedir } from "node:os";
import { ask, type HookResult } from "@hookloop/sdk";
import { commandsOf, judgePermission } from "../builtin/index.ts";
import { checkEntries } from "../check-options.ts";
import { visibleLine } from "../diagnostic.ts";
import { assessCommand, type Fact, type Profile, readingOf } from "../shell/index.ts";
import type { SamplingRegistry } from "./sampling-registry.ts";
import type { HookAnswer, HookContext, HookRegistration, SamplingHandler } from "./sampling-types.ts";

export interface SamplingGuardOptions extends Pick<HookRegistration, "priority"> {
  /** Asks the user; if left out, the question goes to the registry's `ask` or the agent's dialog, and where there is none, it is a no. */
  readonly ask?: (question: string) => boolean | Promise<boolean>;
  /** Another registry than the one of the free functions. */
  readonly registry?: Pick<SamplingRegistry, "registerHook">;
}

export interface SamplingSafetyOptions extends SamplingGuardOptions {
  readonly profile?: Profile;
}

type Register = Pick<SamplingRegistry, "registerHook">;

const OPTIONS = { priority: "any number", ask: "function", registry: "object" } as const;

/** What the source says of a kind of danger; of others, what the command would do. */
const REASONS: Readonly<Partial<Record<Fact["kind"], string>>> = {
  "delete-vital": "Attempted root deletion",
  "overwrite-system": "Potential system overwrite",
  "overwrite-device": "Potential system overwrite",
  "runs-download": "Remote code execution",
  "reverse-shell": "Remote code execution",
};

export function registerSafetyHooks(on: Register, options: SamplingSafetyOptions = {}): () => void {
  checkEntries("registerSafetyHooks()", options, { ...OPTIONS, profile: ["standard", "strict", "paranoid"] });
  const { profile, registry = on, priority } = options;
  const shell = process.env["SHELL"];
  const handler: SamplingHandler = async (context) => {
    const { cwd, home, call } = callOf(context);
    for (const command of commandsOf(call, home)) {
      const { risk, facts } = assessCommand(command, { cwd, home, profile, shell }, readingOf);
      const reason = reasonOf(facts.filter((fact) => fact.risk === risk));
      if (risk === "deny") return { status: "cancel", reason: `Dangerous command blocked: ${reason}` };
      const no = risk === "ask" ? await askAbout(questionAbout(command, facts, reason), options.ask) : undefined;
      if (no) return no;
    }
    return { status: "continue" };
  };
  return registry.registerHook("pre_bash_sample", handler, {
    name: "safety",
    guard: true,
    ...(priority !== undefined && { priority }),
    ...limit(options),
  });
}

interface Question {
  readonly question: string;
  /** What a no is told as. */
  readonly cancelled: string;
}

function questionAbout(command: string, facts: readonly Fact[], reason: string): Question {
  const isSudo = facts.some(({ kind }) => kind === "raises-rights") && /\bsudo\b/.test(command);
  if (isSudo) return { question: `This command uses sudo: ${visibleLine(command)}. Proceed?`, cancelled: "User cancelled sudo command" };
  return { question: `${reason}. Proceed?`, cancelled: "User cancelled command" };
}

/** Nothing is a yes. */
async function askAbout(
  { question, cancelled }: Question,
  answer: SamplingGuardOptions["ask"],
): Promise<HookAnswer | HookResult | undefined> {
  if (!answer) return ask(question);
  return (await answer(question)) === true ? undefined : { status: "cancel", reason: cancelled };
}

function reasonOf(facts: readonly Fact[]): string {
  const named = facts.map(({ kind }) => REASONS[kind]).find((text) => text !== undefined);
  return named ?? [...new Set(facts.map(({ text }) => text))].join("; ");
}

export function registerPermissionHooks(on: Register, options: SamplingGuardOptions = {}): () => void {
  checkEntries("registerPermissionHooks()", options, OPTIONS);
  const { registry = on, priority } = options;
  const handler: SamplingHandler = async (context) => {
    const { cwd, home, call } = callOf(context);
    const { risk, why } = judgePermission({ tool: call.tool_name, input: call.tool_input, cwd, home, folders: [cwd] });
    const isAllowed = risk === "allow" || (risk === "ask" && options.ask !== undefined && (await options.ask(why)) === true);
    const behavior = isAllowed ? "allow" : risk;
    context["_permissionResult"] = { behavior, ...(why !== "" && { message: why }) };
    if (isAllowed) return { status: "continue" };
    return risk === "ask" && !options.ask ? ask(why) : { status: "cancel", reason: "Permission denied" };
  };
  return registry.registerHook("pre_tool_sample", handler, {
    name: "permission",
    guard: true,
    ...(priority !== undefined && { priority }),
    ...limit(options),
  });
}

/** As long as a tool may take: a user is not hurried. */
const ASK_MS = 600_000;

function limit({ ask: asks }: SamplingGuardOptions): Pick<HookRegistration, "timeoutMs"> {
  return asks ? { timeoutMs: ASK_MS } : {};
}

interface GuardedCall {
  readonly cwd: string;
  readonly home: string;
  readonly call: Parameters<typeof commandsOf>[0];
}

function callOf({ tool, input, cwd }: HookContext): GuardedCall {
  const folder = typeof cwd === "string" && cwd !== "" ? cwd : process.cwd();
  // What a program executes as an operation of the shell is one, also if it names no tool.
  const call = { tool_name: tool?.name ?? "Bash", tool_input: input ?? {}, cwd: folder };
  return { cwd: folder, home: homedir(), call };
}
