/** The commands of the conversation itself. Commands of the agent's features and of files come besides. */
import { homedir } from "node:os";
import path from "node:path";
import { type AgentSession, type EarlierSession, isOff, listTranscripts, readTranscript } from "../../../agent/index.ts";
import type { RegisteredHook } from "../../../config/index.ts";
import { scriptProblem } from "../../../config/index.ts";
import { MODES, type PermissionMode, type Permissions } from "../../../permissions/index.ts";
import { askClearly } from "../../clear-answer.ts";
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
    run: printed(({ session: { hooks }, shorten }) => {
      // Looked at first: what was approved meanwhile is among the others then.
      const idle = hooks.notRunning();
      const place = { projectRoot: process.cwd(), home: process.env["HOME"] ?? homedir() };
      const problemOf = ({ target, fields = {}, source, unreadable }: RegisteredHook): string | undefined =>
        target.kind === "function" || target.kind === "withheld"
          ? undefined
          : scriptProblem({ kind: target.kind, fields, source, unreadable }, place);
      return hooksPage({ admitted: hooks.admitted, idle, diagnostics: hooks.diagnostics, problemOf }, shorten);
    }),
  },
  why: { usage: "[2]", description: "explain the last verdict, or the second last", run: printed(whyPage) },
  debug: { usage: "hooks", description: "show every step of every hook, or stop showing it", run: printed(debugPage) },
  permissions: { usage: "[MODE]", description: "rules and mode; change the mode", run: printed(permissionsOf) },
  clear: { description: "start a new, empty session", run: () => ({ type: "clear" }) },
  resume: { usage: "[all, NUMBER or ID]", description: "go on with an earlier session", run: pickSession },
  exit: { description: "leave", run: () => ({ type: "leave" }) },
};

const ALIASES: Readonly<Record<string, string>> = { quit: "exit", "?": "help" };

/** What can be typed, for whoever was close to it. */
export const OWN_COMMANDS: readonly string[] = [...Object.keys(OWN), "quit"];

/** Does what was typed, if it is a command of the conversation. */
export function runOwnCommand(context: CommandContext, typed: string): After | Promise<After> | undefined {
  // Whoever types nothing behind it wants to see what there is.
  if (typed.trim() === "/") return OWN["help"]?.run(context, "");
  const [, name = "", args = ""] = /^\/(\S+)\s*([\s\S]*)$/.exec(typed.trim()) ?? [];
  const known = ALIASES[name] ?? name;
  return Object.hasOwn(OWN, known) ? OWN[known]?.run(context, args.trim()) : undefined;
}

export function allCommands({ agent }: AgentSession): readonly CommandHelp[] {
  const own = Object.entries(OWN).map(([name, { usage, description }]) => ({ name, usage, description }));
  const builtin = [...agent.builtins].filter(([name]) => !Object.hasOwn(OWN, name));
  const prompts = [...agent.prompts].map(([name, { description }]) => ({ name, description: description ?? "" }));
  const { commands, skills } = agent.definitions;
  const typed = new Map([...commands, ...[...skills].filter(([, { fields }]) => !isOff(fields["user-invocable"]))]);
  const fromFiles = [...typed].map(([name, { fields }]) => ({ name, description: String(fields["description"] ?? "") }));
  return [...own, ...builtin.map(([name, { usage, description }]) => ({ name, usage, description })), ...prompts, ...fromFiles];
}

function whyPage({ why, session, shorten }: CommandContext, args: string): readonly string[] {
  return why.explain(args, (verdict) => session.hooks.notices(verdict), shorten);
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

async function pickSession(context: CommandContext, wanted: string): Promise<After> {
  const { session, screen, shorten } = context;
  const { transcriptPath } = session.agent;
  const earlier = transcriptPath === "" ? [] : listTranscripts(path.dirname(transcriptPath)).filter((file) => file !== transcriptPath);
  const ids = earlier.map((file) => path.basename(file, ".jsonl"));
  if (ids.length === 0) {
    screen.print("There is no earlier session of this project.");
    return STAY;
  }
  if (wanted !== "" && wanted !== "all") {
    const id = sessionNamed(wanted, ids);
    if (id !== undefined) return { type: "resume", id };
    screen.print(`${noSession(shorten(wanted), ids)} /resume all lists them.`);
    return STAY;
  }
  return await screen.inTurn(() => chooseSession(context, earlier, { ids, isAll: wanted === "all" }));
}

async function chooseSession(
  { screen, shorten }: CommandContext,
  earlier: readonly string[],
  { ids, isAll }: { readonly ids: readonly string[]; readonly isAll: boolean },
): Promise<After> {
  const shown = isAll ? earlier : earlier.slice(0, LISTED);
  const width = String(shown.length).length;
  for (const [at, file] of shown.entries()) screen.print(`${String(at + 1).padStart(width)}  ${shorten(titleOf(file))}`, "   ");
  const older = ids.length - shown.length;
  if (older > 0) screen.print(style("dim", `and ${older} older; /resume all lists them, and their numbers count here too`));
  const chosen = await askClearly({
    ask: (question) => screen.ask(question),
    print: (text) => screen.print(style("dim", `  ${text}`), "  "),
    question: "Which one? Its number, or nothing to stay here",
    read: (given) => (given.trim() === "" ? STAY : resumed(sessionNamed(given.trim(), ids))),
    hint: `Type ${ids.length === 1 ? "1" : `a number from 1 to ${ids.length}`}, or just Enter to stay here.`,
  });
  return chosen ?? STAY;
}

function resumed(id: string | undefined): After | undefined {
  return id === undefined ? undefined : { type: "resume", id };
}

/** By its number in the list, its id, or the beginning of its id if there is only one. */
function sessionNamed(wanted: string, ids: readonly string[]): string | undefined {
  if (ids.includes(wanted)) return wanted;
  if (/^\d{1,4}$/.test(wanted)) return ids[Number(wanted) - 1];
  const begun = ids.filter((id) => id.startsWith(wanted));
  return begun.length === 1 ? begun[0] : undefined;
}

function noSession(wanted: string, ids: readonly string[]): string {
  const count = ids.length;
  const begun = ids.filter((id) => id.startsWith(wanted)).length;
  if (begun > 1) return `${begun} sessions begin with "${wanted}": type more of the id.`;
  const many = count === 1 ? "There is 1 earlier session" : `There are ${count} earlier sessions`;
  return /^\d{1,4}$/.test(wanted)
    ? `There is no session number ${wanted}. ${many} of this project.`
    : `There is no session "${wanted}" of this project.`;
}

/** When it was last used, and the first thing that was said. */
function titleOf(file: string): string {
  const { firstPrompt, lastReplyAt } = readEarlier(file) ?? {};
  const when = lastReplyAt === undefined ? "" : `${new Date(lastReplyAt).toISOString().slice(0, 16).replace("T", " ")}  `;
  return `${when}${(firstPrompt ?? "(nothing was said)").replace(/\s+/g, " ").slice(0, LONGEST_TITLE)}`;
}

function readEarlier(file: string): Pick<EarlierSession, "firstPrompt" | "lastReplyAt"> | undefined {
  try {
    return readTranscript(file);
  } catch {
    // It went away, or cannot be read: whoever wants it will be told.
    return undefined;
  }
}

/** The modes that Shift-Tab goes through; what asks nobody is among them only if whoever started the session allowed it. */
export function nextMode({ mode, canBypass }: Pick<Permissions, "mode" | "canBypass">): PermissionMode {
  const cycle: readonly PermissionMode[] = ["default", "acceptEdits", "plan", ...(canBypass ? (["bypassPermissions"] as const) : [])];
  return cycle[(cycle.indexOf(mode) + 1) % cycle.length] ?? "default";
}
