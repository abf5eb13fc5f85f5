/** The commands of the conversation itself. Commands of the agent's features and of files come besides. */
import path from "node:path";
import { type AgentSession, listTranscripts, readTranscript } from "../../../agent/index.ts";
import { MODES } from "../../../permissions/index.ts";
import { style } from "../../terminal.ts";
import type { Screen } from "../screen/types.ts";
import type { Show } from "../show/show-steps.ts";
import { type CommandHelp, helpPage, hooksPage, permissionsPage } from "./pages.ts";
import type { WhyLog } from "./why.ts";

/** What is to be done after a command: go on, leave, or go on with another session. */
export type After =
  | { readonly type: "stay" }
  | { readonly type: "leave" }
  | { readonly type: "clear" }
  | { readonly type: "resume"; readonly id: string };

export interface CommandContext {
  readonly session: AgentSession;
  readonly screen: Screen;
  readonly show: Show;
  readonly why: WhyLog;
  readonly shorten: (text: string) => string;
}

interface OwnCommand extends Omit<CommandHelp, "name"> {
  run(context: CommandContext, args: string): After | Promise<After>;
}

const STAY: After = { type: "stay" };

function printed(page: (context: CommandContext, args: string) => readonly string[]): OwnCommand["run"] {
  return (context, args) => {
    for (const line of page(context, args)) context.screen.print(line, hanging(line));
    return STAY;
  };
}

/** Lines that do not fit go on below their own beginning. */
function hanging(line: string): string {
  return `${/^ */.exec(line)?.[0] ?? ""}  `;
}

const OWN: Readonly<Record<string, OwnCommand>> = {
  help: {
    description: "this list",
    run: printed(({ session, shorten, screen }) => helpPage(allCommands(session), { columns: screen.columns(), shorten })),
  },
  hooks: {
    description: "which hooks there are, from where, and whether they run",
    run: printed(({ session, shorten }) => hooksPage(session.hooks, shorten)),
  },
  why: { usage: "[2]", description: "explain the last verdict, or the second last", run: printed(whyPage) },
  debug: { usage: "hooks", description: "show every step of every hook, or stop showing it", run: printed(debugPage) },
  permissions: { usage: "[MODE]", description: "rules and mode; change the mode", run: printed(permissionsOf) },
  clear: { description: "begin anew: a new session with nothing said", run: () => ({ type: "clear" }) },
  resume: { usage: "[ID]", description: "go on with an earlier session", run: pickSession },
  exit: { description: "leave", run: () => ({ type: "leave" }) },
};

/** Does what was typed, if it is a command of the conversation. */
export function runOwnCommand(context: CommandContext, typed: string): After | Promise<After> | undefined {
  const [, name = "", args = ""] = /^\/(\S+)\s*([\s\S]*)$/.exec(typed.trim()) ?? [];
  const known = name === "quit" ? "exit" : name;
  return Object.hasOwn(OWN, known) ? OWN[known]?.run(context, args.trim()) : undefined;
}

export function allCommands({ agent }: AgentSession): readonly CommandHelp[] {
  const own = Object.entries(OWN).map(([name, { usage, description }]) => ({ name, usage, description }));
  const builtin = [...agent.builtins].filter(([name]) => !Object.hasOwn(OWN, name));
  const prompts = [...agent.prompts].map(([name, { description }]) => ({ name, description: description ?? "" }));
  const fromFiles = [...agent.definitions.commands].map(([name, { fields }]) => ({
    name,
    description: String(fields["description"] ?? ""),
  }));
  return [...own, ...builtin.map(([name, { usage, description }]) => ({ name, usage, description })), ...prompts, ...fromFiles];
}

function whyPage({ why, session, shorten }: CommandContext, args: string): readonly string[] {
  return why.explain(args, (verdict) => session.hooks.notices(verdict)).map(shorten);
}

function debugPage({ show }: CommandContext, args: string): readonly string[] {
  if (args !== "hooks") return ["There is /debug hooks."];
  return [
    show.toggleDebug() ? "Every step of every hook is shown from now on. /debug hooks ends it." : "Steps of hooks are no longer shown.",
  ];
}

function permissionsOf({ session: { permissions }, shorten }: CommandContext, wanted: string): readonly string[] {
  if (wanted === "") return permissionsPage(permissions).map(shorten);
  const mode = MODES.find((one) => one === wanted);
  if (!mode) return [`"${shorten(wanted)}" is not a mode. The modes are: ${MODES.join(", ")}.`];
  if (permissions.setMode(mode)) return [`The mode is ${mode} now.`];
  return [`The mode ${mode} is not allowed here; start with --permission-mode ${mode}.`];
}

const LISTED = 9;
const LONGEST_TITLE = 200;

async function pickSession(context: CommandContext, id: string): Promise<After> {
  const { session, screen, shorten } = context;
  const { transcriptPath } = session.agent;
  const earlier = transcriptPath === "" ? [] : listTranscripts(path.dirname(transcriptPath)).filter((file) => file !== transcriptPath);
  const ids = earlier.map((file) => path.basename(file, ".jsonl"));
  if (id !== "") {
    if (ids.includes(id)) return { type: "resume", id };
    screen.print(`There is no session "${shorten(id)}" of this project. /resume lists them.`);
    return STAY;
  }
  if (ids.length === 0) {
    screen.print("There is no earlier session of this project.");
    return STAY;
  }
  for (const [at, file] of earlier.slice(0, LISTED).entries()) screen.print(`${at + 1}  ${shorten(titleOf(file))}`, "   ");
  if (ids.length > LISTED) screen.print(style("dim", `and ${ids.length - LISTED} older ones: /resume ID`));
  const answer = await screen.ask("Which one? Its number, or nothing to stay here");
  const chosen = ids[Number(answer?.trim() || "0") - 1];
  return chosen === undefined ? STAY : { type: "resume", id: chosen };
}

/** When it was last used, and the first thing that was said. */
function titleOf(file: string): string {
  const { entries, lastReplyAt } = readTranscript(file);
  const first = entries.find(({ type }) => type === "user");
  const content = first?.type === "user" ? first.content : "";
  const texts = typeof content === "string" ? [content] : content.flatMap((block) => (block.type === "text" ? block.text : []));
  const said = texts.findLast((text) => !text.startsWith("<system-reminder>")) ?? "(nothing was said)";
  const when = lastReplyAt === undefined ? "" : `${new Date(lastReplyAt).toISOString().slice(0, 16).replace("T", " ")}  `;
  return `${when}${said.replace(/\s+/g, " ").slice(0, LONGEST_TITLE)}`;
}
