/** What the conversation's own commands print. */

import { homedir } from "node:os";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import {
  type AgentSession,
  type EarlierSession,
  isOff,
  type Looked,
  type Looker,
  listTranscripts,
  readTranscript,
} from "../../agent/index.ts";
import { type RegisteredHook, scriptProblem } from "../../config/index.ts";
import { didYouMean } from "../../diagnostic.ts";
import { MODES, type PermissionMode, type Permissions, type RuleList } from "../../permissions/index.ts";
import { readFolder } from "../../state-files.ts";
import type { Screen } from "../screen/screen.ts";
import { wrapText } from "../screen/text-width.ts";
import { style } from "../terminal.ts";
import { askOnScreen } from "./ask-permission.ts";
import { createShorten, type Shorten } from "./call-text.ts";
import type { Show } from "./show-steps.ts";
import { createWhyLog, type HooksNow, hookDetails, hooksData, hooksPage, ruleLine, type WhyLog } from "./why.ts";

const LISTS: readonly RuleList[] = ["deny", "ask", "allow"];

/** The modes that can be chosen here. */
function modesOf({ canBypass }: Permissions): readonly PermissionMode[] {
  return MODES.filter((one) => canBypass || one !== "bypassPermissions");
}

export function permissionsPage(permissions: Permissions): readonly string[] {
  const { mode, rules, directories } = permissions;
  const lines = LISTS.flatMap((list) => rules[list].map((rule) => `  ${ruleLine(rule)}`));
  return [
    `Mode: ${mode}. Change it with /permissions MODE: ${modesOf(permissions).join(", ")}.`,
    ...(lines.length > 0
      ? ["Rules, strictest first:", ...lines]
      : [
          "No rules: what provably only reads in this folder runs; everything else is asked about, git too, since its settings can start programs.",
        ]),
    ...(directories.length > 0 ? [`Folders besides this one: ${directories.join(", ")}`] : []),
  ];
}

interface CommandHelp {
  readonly name: string;
  readonly usage?: string | undefined;
  readonly description: string;
}

/** Two columns where they fit, else what it does below what is typed. */
const TWO_COLUMNS = 60;

function helpPage(
  commands: readonly CommandHelp[],
  { columns, shorten }: { readonly columns: number; readonly shorten: Shorten },
): readonly string[] {
  const heads = commands.map(({ name, usage }) => `/${name}${usage ? ` ${usage}` : ""}`);
  const isNarrow = columns < TWO_COLUMNS;
  const indent = isNarrow ? 4 : Math.min(24, Math.max(...heads.map((head) => head.length))) + 2;
  const lines = commands.flatMap(({ description }, at): readonly string[] => {
    const head = heads[at] ?? "";
    const about = wrapText(shorten(description), columns - indent).map((line) => `${" ".repeat(indent)}${style("dim", line)}`);
    const isBeside = !isNarrow && head.length + 2 <= indent;
    return isBeside ? [`${head.padEnd(indent)}${about[0]?.slice(indent) ?? ""}`, ...about.slice(1)] : [head, ...about];
  });
  return [
    ...lines,
    "",
    "@ and a file's name, then Tab: a path. A \\ at the end of a line, or Alt-Enter: one more line.",
    "! and a line: run it in the shell yourself, with your hooks around it; the model sees what it printed.",
    "Up and down: what you typed before. Shift-Tab: the next permission mode.",
    "Esc or Ctrl-C: stop; Ctrl-C twice: leave. Ctrl-D: leave.",
  ];
}

/** The commands of the conversation itself. Commands of the agent's features and of files come besides. */

/** What happens after a command: stay, leave, or change the session. */
export type After =
  | { readonly type: "stay" }
  | { readonly type: "leave" }
  | { readonly type: "clear" }
  | { readonly type: "resume"; readonly id: string };

interface CommandContext extends Omit<LookContext, "columns"> {
  readonly screen: Screen;
  readonly show: Show;
}

/** What a command that only looks needs; there need not be a terminal. */
interface LookContext {
  readonly session: AgentSession;
  readonly why: WhyLog;
  readonly shorten: Shorten;
  readonly columns: number;
}

type Look = (context: LookContext, args: string) => Looked;

interface OwnCommand extends Omit<CommandHelp, "name"> {
  /** What is shown if the command only looks; nothing if it would do something. */
  readonly look?: ((args: string) => Look | undefined) | undefined;
  run(context: CommandContext, args: string): After | Promise<After>;
}

const STAY: After = { type: "stay" };

/** A command that only looks. */
function looking(look: Look): Pick<OwnCommand, "look" | "run"> {
  return { look: () => look, run: printed((context, args) => look({ ...context, columns: context.screen.columns() }, args).lines) };
}

function printed(page: (context: CommandContext, args: string) => readonly string[]): OwnCommand["run"] {
  return (context, args) => {
    for (const line of page(context, args)) context.screen.print(line, hanging(line));
    return STAY;
  };
}

/** Lines that do not fit continue below their own beginning. */
function hanging(line: string): string {
  return `${/^ */.exec(line)?.[0] ?? ""}  `;
}

const OWN: Readonly<Record<string, OwnCommand>> = {
  help: {
    description: "this list",
    ...looking(({ session, shorten, columns }) => {
      const commands = allCommands(session);
      return { lines: helpPage(commands, { columns, shorten }), data: { commands } };
    }),
  },
  hooks: {
    usage: "[NAME]",
    description: "which hooks there are, from where, and whether they run; of one, all about it",
    ...looking((context, args) => showHooks(context, args)),
  },
  why: { usage: "[2]", description: "explain the last verdict, or the second last", ...looking((context, args) => whyPage(context, args)) },
  debug: {
    usage: "hooks [on|off]",
    description: "every hook and whether it runs; from then on, how hooks are chosen and what they answer",
    look: (args) => (args === "hooks" ? (context) => debugPage(context) : undefined),
    run: printed(debugHooks),
  },
  permissions: {
    usage: "[MODE]",
    description: "rules and mode; change the mode",
    look: (args) => (args === "" ? showPermissions : undefined),
    run: printed(permissionsOf),
  },
  clear: { description: "start a new, empty session", run: () => ({ type: "clear" }) },
  resume: { usage: "[all, NUMBER or ID]", description: "resume an earlier session", run: pickSession },
  exit: { description: "leave", run: () => ({ type: "leave" }) },
};

const ALIASES: Readonly<Record<string, string>> = { quit: "exit", "?": "help" };

export const OWN_COMMANDS: readonly string[] = [...Object.keys(OWN), "quit"];

export function runOwnCommand(context: CommandContext, typed: string): After | Promise<After> | undefined {
  const found = ownCommandOf(typed);
  return found?.command.run(context, found.args);
}

function ownCommandOf(typed: string): { readonly command: OwnCommand; readonly args: string } | undefined {
  const [, name = "", args = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(typed.trim()) ?? [];
  // A slash alone shows what there is.
  const known = typed.trim() === "/" ? "help" : (ALIASES[name] ?? name);
  const command = Object.hasOwn(OWN, known) ? OWN[known] : undefined;
  return command && { command, args: args.trim() };
}

/** Answers commands that only look where there is no terminal. */
export function createLooker(place: { readonly cwd: string; readonly home: string | undefined }): Looker {
  const why = createWhyLog();
  const lookOf = (typed: string): { readonly look: Look; readonly args: string } | undefined => {
    const found = ownCommandOf(typed);
    const look = found?.command.look?.(found.args);
    return look && found && { look, args: found.args };
  };
  return {
    isLook: (typed) => lookOf(typed) !== undefined,
    step: why.step,
    answer(session, typed) {
      const found = lookOf(typed);
      const { lines = [], data } = found?.look({ session, why, shorten: createShorten(place), columns: OF_PIPES }, found.args) ?? {};
      return { lines: lines.map((line) => stripVTControlCharacters(line)), data };
    },
  };
}

const OF_PIPES = 100;

export function allCommands({ agent }: AgentSession): readonly CommandHelp[] {
  const own = Object.entries(OWN).map(([name, { usage, description }]) => ({ name, usage, description }));
  const builtin = [...agent.builtins].filter(([name]) => !Object.hasOwn(OWN, name));
  const prompts = [...agent.prompts].map(([name, { description }]) => ({ name, description: description ?? "" }));
  const { commands, skills } = agent.definitions;
  const typed = new Map([...commands, ...[...skills].filter(([, { fields }]) => !isOff(fields["user-invocable"]))]);
  const fromFiles = [...typed].map(([name, { fields }]) => ({ name, description: String(fields["description"] ?? "") }));
  return [...own, ...builtin.map(([name, { usage, description }]) => ({ name, usage, description })), ...prompts, ...fromFiles];
}

function whyPage({ why, session, shorten }: LookContext, args: string): Looked {
  return { lines: why.explain(args, (verdict) => session.hooks.notices(verdict), shorten) };
}

/** Looks at the files of the hooks as they are now. */
function hooksNow({ session: { hooks }, why }: LookContext): HooksNow {
  // First: a hook that was approved meanwhile is admitted by this call.
  const idle = hooks.notRunning();
  const place = { projectRoot: process.cwd(), home: process.env["HOME"] ?? homedir() };
  const problemOf = ({ target, fields = {}, source, unreadable }: RegisteredHook): string | undefined =>
    target.kind === "function" || target.kind === "withheld"
      ? undefined
      : scriptProblem({ kind: target.kind, fields, source, unreadable }, place);
  return { admitted: hooks.admitted, idle, diagnostics: hooks.diagnostics, problemOf, failureOf: why.failureOf };
}

function showHooks(context: LookContext, wanted: string): Looked {
  const now = hooksNow(context);
  if (wanted === "") return { lines: hooksPage(now, context.shorten), data: { hooks: hooksData(now) } };
  const { lines, hooks } = hookDetails(now, wanted, context.shorten);
  return { lines, data: { hooks } };
}

function debugPage(context: LookContext): Looked {
  const now = hooksNow(context);
  return { lines: hooksPage(now, context.shorten, true), data: { hooks: hooksData(now) } };
}

function debugHooks(context: CommandContext, args: string): readonly string[] {
  const { show, screen } = context;
  const [what, wanted = "", ...more] = args.split(/\s+/);
  if (what !== "hooks" || !["", "on", "off"].includes(wanted) || more.length > 0)
    return ["There is /debug hooks, /debug hooks on and /debug hooks off."];
  show.watch(wanted !== "off");
  const page = wanted === "" ? debugPage({ ...context, columns: screen.columns() }).lines : [];
  if (wanted === "off") return ["How hooks are chosen is no longer shown."];
  return [...page, "How hooks are chosen, and what they answer, is shown from now on. /debug hooks off ends it."];
}

function showPermissions({ session: { permissions }, shorten }: LookContext): Looked {
  const { mode, rules, directories } = permissions;
  return { lines: permissionsPage(permissions).map(shorten), data: { mode, rules: rulesData(rules), directories } };
}

function rulesData(rules: Permissions["rules"]): Readonly<Record<RuleList, readonly unknown[]>> {
  const of = (list: RuleList): readonly unknown[] => rules[list].map(({ text, scope, place }) => ({ text, scope, place }));
  return { deny: of("deny"), ask: of("ask"), allow: of("allow") };
}

function permissionsOf({ session: { permissions }, shorten }: CommandContext, wanted: string): readonly string[] {
  if (wanted === "") return permissionsPage(permissions).map(shorten);
  const mode = MODES.find((one) => one === wanted);
  if (!mode) return [`"${shorten(wanted)}" is not a mode.${didYouMean(wanted, MODES)} The modes are: ${modesOf(permissions).join(", ")}.`];
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
  const chosen = await askOnScreen(screen, {
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

function titleOf(file: string): string {
  const { firstPrompt, lastReplyAt } = readEarlier(file) ?? {};
  const when = lastReplyAt === undefined ? "" : `${new Date(lastReplyAt).toISOString().slice(0, 16).replace("T", " ")}  `;
  return `${when}${(firstPrompt ?? "(no prompt)").replace(/\s+/g, " ").slice(0, LONGEST_TITLE)}`;
}

function readEarlier(file: string): Pick<EarlierSession, "firstPrompt" | "lastReplyAt"> | undefined {
  try {
    return readTranscript(file);
  } catch {
    // It is gone, or cannot be read: resuming it reports that.
    return undefined;
  }
}

/** The modes that Shift-Tab goes through; bypassPermissions only if the session was started with it. */
export function nextMode({ mode, canBypass }: Pick<Permissions, "mode" | "canBypass">): PermissionMode {
  const cycle: readonly PermissionMode[] = ["default", "acceptEdits", "plan", ...(canBypass ? (["bypassPermissions"] as const) : [])];
  return cycle[(cycle.indexOf(mode) + 1) % cycle.length] ?? "default";
}

/** What Tab offers: commands after a slash at the start, files after an @. */

interface CompletionParts {
  readonly cwd: string;
  readonly commands: () => readonly string[];
  /** A command of the settings that knows better; nothing: there is none. */
  readonly suggestFiles: (typed: string) => Promise<readonly string[] | undefined>;
}

const SKIPPED: ReadonlySet<string> = new Set(["node_modules", ".git"]);

export async function completeLine({ cwd, commands, suggestFiles }: CompletionParts, before: string): Promise<readonly string[]> {
  const command = /^\/(\S*)$/.exec(before);
  if (command) {
    const begun = command[1] ?? "";
    const found = commands().filter((name) => name.startsWith(begun));
    return found.sort().map((name) => `/${name} `);
  }
  const mention = /(?:^|\s)@(\S*)$/.exec(before);
  if (!mention) return [];
  const typed = mention[1] ?? "";
  const start = before.slice(0, before.length - typed.length);
  const suggested = await suggestFiles(typed);
  return (suggested ?? filesLike(cwd, typed)).map((file) => `${start}${file}`);
}

function filesLike(cwd: string, typed: string): readonly string[] {
  const folder = typed.slice(0, typed.lastIndexOf("/") + 1);
  const begun = typed.slice(folder.length);
  return readFolder(path.resolve(cwd, folder || "."))
    .filter(({ name }) => name.startsWith(begun) && !SKIPPED.has(name) && (begun !== "" || !name.startsWith(".")))
    .filter(({ name }) => !/[\s\p{Cc}]/u.test(name))
    .map((entry) => `${folder}${entry.name}${entry.isDirectory() ? "/" : " "}`)
    .sort();
}
