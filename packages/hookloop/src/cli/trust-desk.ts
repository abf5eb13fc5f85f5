import { homedir } from "node:os";
import path from "node:path";
import { allDefinitions, findDefinitions } from "../agent/index.ts";
import {
  type ConfigDocument,
  configFiles,
  findSources,
  type HookDeclaration,
  type RegisteredHook,
  readFrontmatter,
  registerHooks,
} from "../config/index.ts";
import { counted, type Diagnostic, ownCommand, visible, visibleJson, visibleLine } from "../diagnostic.ts";
import { createDialects } from "../dialects/index.ts";
import { concernOf, fileAbove, headSource, openTrust } from "../open/trust.ts";
import { snapshotEnvironment } from "../run/index.ts";
import {
  aboveDiagnostic,
  admitHooks,
  type HookPins,
  isPending,
  isSwitch,
  type PendingHook,
  remember,
  type Statuses,
  sealRecord,
  sealText,
  type TrustStatus,
  type TrustStore,
} from "../trust/index.ts";
import { askClearly, openLineQuestions, type ReviewAnswer, reviewAnswer } from "./clear-answer.ts";
import { wrapText } from "./screen/text-width.ts";
import { asIs, print, printData, style, table, UsageError, width, wrap } from "./terminal.ts";

export interface ListedHook extends TrustStatus {
  readonly runs: boolean;
  readonly blocks?: boolean | undefined;
  readonly reason?: string | undefined;
}

export interface TrustDesk {
  readonly hooks: readonly ListedHook[];
  readonly diagnostics: readonly Diagnostic[];
  readonly store: TrustStore;
  look(hook: RegisteredHook): ListedHook;
  /** Stores the user's decision about a hook that was shown. Throws if the store cannot be written. */
  decide(listed: ListedHook, verdict: "approved" | "refused", how: "review" | "command"): Promise<void>;
}

/**
 * Reads the configuration of the current folder and what is trusted of it, with the plugins that a session is started with.
 * SECURITY: nothing of the project is run, git neither.
 */
export async function openTrustDesk(
  cwd: string = process.cwd(),
  given: { readonly plugins?: readonly string[]; readonly extensions?: readonly string[] } = {},
): Promise<TrustDesk> {
  const { extensions } = given;
  const plugins = (given.plugins ?? []).map((folder) => path.resolve(cwd, folder));
  const env = snapshotEnvironment(process.env);
  const home = env["HOME"] !== undefined && path.isAbsolute(env["HOME"]) ? env["HOME"] : homedir();
  const diagnostics: Diagnostic[] = [];
  const dialects = createDialects();
  const found = await findSources({ cwd, home, env, dialects, plugins, extensions, isWorkspaceTrusted: "either" });
  const registry = registerHooks(found.documents, { env, projectRoot: cwd });
  const heads = await readHeads(findDefinitions({ cwd, home, env, plugins: found.plugins ?? [], isTrusted: true }), dialects);
  const ofHeads = registerHooks(heads, { env, projectRoot: cwd });
  const configured = [...registry.hooks, ...ofHeads.hooks];
  const isStrict = registry.settings["strict"] === true;
  const { gate, store } = openTrust({ trust: "store", isStrict, cwd, home, env, report: (diagnostic) => diagnostics.push(diagnostic) });
  const listed = (status: TrustStatus, statuses: Statuses): ListedHook => {
    const { hook } = status;
    const [refused] = admitHooks({ hooks: [hook], switches: registry.switches, statuses: new Map([...statuses, [hook, status]]) }).refused;
    const reason = refused?.reason === "managed-only" ? `Blocked by policy. ${refused.text}` : refused?.text;
    return { ...status, runs: !refused && !status.isAbsent, reason, ...(refused?.blocks && { blocks: true }) };
  };
  const headFiles = heads.map(({ source }) => ({ file: source.file ?? "", scope: source.scope }));
  const files = [...(await configFiles({ cwd, home, env, dialects })), ...headFiles];
  const all = { ...found, documents: [...found.documents, ...heads] };
  const concern = concernOf({ found: all, files, plugins, switches: registry.switches });
  const statuses = gate.look(configured, concern);
  const above = gate.approvedAbove(fileAbove(found));
  const hooks = [...statuses.values(), ...above].map((status) => listed(status, statuses));
  return {
    hooks,
    diagnostics: [
      ...found.diagnostics,
      ...all.documents.flatMap((document) => document.diagnostics),
      ...registry.diagnostics,
      ...ofHeads.diagnostics,
      ...aboveDiagnostic(above),
      ...diagnostics,
    ],
    store,
    look(hook) {
      // All of them: which hook replaced which can only be seen in the whole list.
      const now = gate.look(configured, concern);
      // A hook that is in no file, and a switch, is a new object each time.
      const status = now.get(hook) ?? [...now.values()].find((one) => (one.isAbsent || isSwitch(hook)) && one.hook.id === hook.id);
      return listed(status ?? { hook, state: "new", isAbsent: true }, now);
    },
    async decide(status, verdict, how) {
      if (!status.digest || !status.pins) throw new Error(`trust in "${status.hook.name}" is not by content: nothing to decide`);
      await remember(store, [{ status: status as PendingHook, verdict, how }]);
    },
  };
}

/** The hooks in the heads of skills, commands and agents, as a session attaches them. */
async function readHeads(
  definitions: ReturnType<typeof findDefinitions>,
  dialects: ReturnType<typeof createDialects>,
): Promise<readonly ConfigDocument[]> {
  const usable = allDefinitions(definitions).filter(({ kind, scope }) => kind !== "agents" || scope !== "plugin");
  const documents = usable.map(async ({ kind, name, file, head: text }) => {
    const read = (whose: { skill?: string; agentId?: string }): Promise<ConfigDocument> =>
      readFrontmatter({ source: headSource({ file, ...whose }, dialects), dialects, text });
    if (kind !== "agents") return [await read({ skill: name })];
    // A session that is started as this agent has its Stop where a subagent has SubagentStop.
    const [inside, asSession] = [await read({ agentId: name }), await read({})];
    const isOther = ({ event, place: { line } }: HookDeclaration): boolean =>
      !inside.hooks.some((one) => one.event === event && one.place.line === line);
    return [inside, { ...asSession, hooks: asSession.hooks.filter(isOther), diagnostics: [] }];
  });
  return (await Promise.all(documents)).flat();
}

const STYLES = {
  trusted: "green",
  managed: "green",
  "definition-only": "yellow",
  new: "yellow",
  changed: "red",
  refused: "red",
  removed: "red",
  unreadable: "red",
  unknown: "red",
  above: "yellow",
} as const;

export function trustTable(hooks: readonly ListedHook[], columns: number): string {
  const rows = hooks.map(({ hook, state, runs, blocks }) => [
    hook.id,
    state,
    runs ? (hook.never === undefined ? "yes" : "never") : blocks ? "blocks" : "no",
    visibleLine(hook.matcher ?? "*"),
    visibleLine(sealText(hook.name)),
  ]);
  return table({ heading: ["HOOK", "STATE", "RUNS", "MATCHER", "NAME"], rows, columns, title: 4 });
}

/** Everything a user must see before they approve a hook. */
export function trustPage(listed: ListedHook, columns: number): string {
  const { hook, state, reason, digest, pins, diff } = listed;
  const line = (label: string, value: string): string =>
    `${style("dim", label.padEnd(LABEL_WIDTH))}${wrap(asIs(visibleLine(value)), columns, " ".repeat(LABEL_WIDTH))}`;
  const code = (text: string): string =>
    text
      .split("\n")
      .flatMap((row) => wrapText(row, columns, "  "))
      .join("\n");
  return [
    wrap(`${style("bold", visibleLine(hook.name))}  ${style(STYLES[state], state)}`, columns),
    line("id", hook.id),
    line("declared", `${hook.place?.file ?? hook.source.file ?? hook.source.scope}${hook.place?.line ? `:${hook.place.line}` : ""}`),
    isSwitch(hook)
      ? line("off", "hooks of the project's and of local files, for every session in this folder")
      : line("event", eventText(hook)),
    ...Object.entries(pins?.record.fields ?? {}).map(([name, value]) =>
      line(name, typeof value === "string" ? value : JSON.stringify(value)),
    ),
    ...Object.entries(pins?.record.programs ?? {}).map(([name, where]) => line("program", name === where ? name : `${name} = ${where}`)),
    ...(pins?.record.files ?? []).map(({ path, realpath, sha256, isOutside }) =>
      line("file", isOutside ? `${path} (outside the project: not shown)` : `${path} (${sha256.slice(0, 12)}) ${realpath}`),
    ),
    ...(pins && pins.record.kind === "command" ? [line("pinned", pinnedText(pins))] : []),
    ...(pins?.foreign ?? []).map((text) => line("FOREIGN", text)),
    ...(pins?.unresolved ?? []).map((text) => line("NOT PINNED", text)),
    ...(digest ? [line("digest", digest)] : []),
    ...(reason ? [line("", reason)] : []),
    ...(diff
      ? ["", style("bold", "What changed since it was approved:"), code(colouredDiff(diff))]
      : state === "new"
        ? contents(pins).map(code)
        : []),
  ].join("\n");
}

/** In one line what an approval is about, and what not. */
function pinnedText({ record: { files }, unresolved }: HookPins): string {
  const bytes = files.length === 0 ? "the definition" : `the definition and ${files.length} ${files.length === 1 ? "file" : "files"}`;
  if (unresolved.length === 0) return `${bytes}, which is all that it runs`;
  return `${bytes}; ${unresolved.length === 1 ? "one thing" : `${unresolved.length} things`} that it may run ${unresolved.length === 1 ? "is" : "are"} not`;
}

/** A reason without the advice to start the review, for the review itself. */
export function withoutReview(reason: string): string {
  return reason.replace(/ ?(?:Undo the change, or )?(?:look at (?:it|them)|review it): hookloop trust review\.?/gi, "").trim();
}

/** What happens without an answer. */
export function leftText({ hook, blocks }: Pick<ListedHook, "hook" | "blocks">): string {
  if (isSwitch(hook)) return "Left as it is; the gates block what they match.";
  return `Left as it is; it ${blocks ? "blocks what it matches" : "does not run"}.`;
}

function eventText({ event, matcher, condition }: ListedHook["hook"]): string {
  return `${event}${matcher === undefined ? "" : `, matcher ${matcher}`}${condition ? `, if ${condition}` : ""}`;
}

const LABEL_WIDTH = 11;
const SHOWN_LINES = 60;

/** The files of a new hook: what an approval is about. */
function contents(pins: ListedHook["pins"]): readonly string[] {
  return (pins?.record.files ?? []).flatMap(({ path, sha256 }) => {
    const text = pins?.texts.get(sha256);
    if (text === undefined) return [];
    const lines = asIs(visible(text)).trimEnd().split("\n");
    const rest = lines.length > SHOWN_LINES ? [style("dim", `… ${lines.length - SHOWN_LINES} more lines`)] : [];
    return ["", style("bold", `${visibleLine(path)}:`), ...lines.slice(0, SHOWN_LINES), ...rest];
  });
}

export function colouredDiff(diff: string): string {
  return visible(diff)
    .split("\n")
    .map((line) => {
      // Of all that a diff has, only the sign of what was left out is ours.
      if (line.startsWith("…")) return line;
      const shown = asIs(line);
      return line.startsWith("+") ? style("green", shown) : line.startsWith("-") ? style("red", shown) : shown;
    })
    .join("\n");
}

/** What the commands print as JSON. For a review everything that an approval covers; elsewhere without tokens and header values. */
export function hooksJson(hooks: readonly ListedHook[], use: "list" | "review" = "list"): string {
  return visibleJson(hooks.map((listed) => (use === "review" ? summary(listed) : sealedSummary(listed))));
}

export function hookJson(listed: ListedHook, more: Readonly<Record<string, unknown>> = {}): string {
  return visibleJson({ ...sealedSummary(listed), ...more });
}

function sealedSummary(listed: ListedHook): object {
  const { pins, diff, hook } = listed;
  return {
    ...summary(listed),
    name: sealText(hook.name),
    definition: pins && shownRecord(sealRecord(pins.record)),
    unresolved: pins?.unresolved.map(sealText),
    diff: diff === undefined ? undefined : sealText(diff).replace(/^([+-] headers): .*/gm, `$1: (see ${ownCommand()} trust review)`),
  };
}

/** SECURITY: a project can name any file; the digest of a user's file is not shown in a list. */
function shownRecord(record: HookPins["record"]): object {
  return { ...record, files: record.files.map((file) => (file.isOutside ? { ...file, sha256: undefined } : file)) };
}

function summary({ hook, state, runs, blocks, reason, digest, pins, diff }: ListedHook): object {
  const { id, name, event, matcher, place, source } = hook;
  return {
    id,
    name,
    state,
    runs,
    blocks,
    reason,
    event,
    matcher,
    scope: source.scope,
    file: place?.file,
    line: place?.line,
    digest,
    definition: pins && shownRecord(pins.record),
    unresolved: pins?.unresolved,
    diff,
  };
}

type Ask = (question: string) => Promise<string | undefined>;

const QUESTION = "Approve it? y = yes, r = refuse it for good, q = stop, n = not now [n]";
const REMOVED_QUESTION = "It was removed. Is that all right? y = yes, forget it, q = stop, n = not now [n]";
const SWITCH_QUESTION = "Do you want these gates off? y = yes, r = refuse it for good, q = stop, n = not now [n]";

/** Shows what is not approved yet and asks about each; without a terminal nothing is asked and nothing approved. */
export async function reviewAtTerminal(desk: TrustDesk, json: boolean): Promise<void> {
  const pending = desk.hooks.filter(isPending);
  if (json) return printData(hooksJson(pending, "review"));
  if (pending.length === 0) return print("There is nothing to review.");
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    const commands = pending.map(({ hook, digest, isAbsent }) =>
      isAbsent ? `  hookloop trust revoke ${hook.id}` : `  hookloop trust approve ${hook.id} --digest ${digest}`,
    );
    const what = counted(pending.length, "hook is not approved", "hooks are not approved");
    const text = `${what}, and a review needs a terminal. Look with \`hookloop trust review --json\`, then:\n${commands.join("\n")}`;
    throw new UsageError("HL_CLI_NO_TERMINAL", text);
  }
  const questions = openLineQuestions({ input: process.stdin, output: process.stdout });
  try {
    await askAboutEach(desk, pending, (question) => questions.ask(wrapText(question, width()).join("\n")));
  } finally {
    questions.close();
  }
}

/** One question per hook. The answer counts only if the hook is still what was shown. */
export async function askAboutEach(desk: TrustDesk, pending: readonly ListedHook[], ask: Ask): Promise<void> {
  const io = { ask, print: (text: string) => print(text), columns: width() };
  for (const [at, shown] of pending.entries()) {
    if (pending.length > 1) print(`\n${at + 1} of ${pending.length}`);
    print("");
    const answer = await askAboutHook(shown, io);
    if (answer === "quit") return;
    if (answer !== "later") await decide(desk, shown, answer === "approve" ? "approved" : "refused");
    else print(leftText(shown));
  }
}

/** Shows a hook and asks about it. `why`: what `/why` answers. SECURITY: no answer approves nothing and ends the review. */
export async function askAboutHook(
  listed: ListedHook,
  { ask, print: show, columns }: { readonly ask: Ask; readonly print: (text: string) => void; readonly columns: number },
  why: string = listed.reason ?? "It is not approved.",
): Promise<ReviewAnswer> {
  const { hook, isAbsent = false, reason } = listed;
  show(trustPage({ ...listed, reason: reason && withoutReview(reason) }, columns));
  const answer = await askClearly({
    ask,
    print: (text) => show(wrapText(text, columns).join("\n")),
    question: isAbsent ? REMOVED_QUESTION : isSwitch(hook) ? SWITCH_QUESTION : QUESTION,
    read: (given) => reviewAnswer(given, isAbsent),
    hint: `Type y, ${isAbsent ? "" : "r, "}q or n; Enter is n.`,
    why: () => [withoutReview(why)],
  });
  return answer ?? "quit";
}

async function decide(desk: TrustDesk, shown: ListedHook, verdict: "approved" | "refused"): Promise<void> {
  const now = desk.look(shown.hook);
  // SECURITY: the answer was about what was shown.
  if (now.digest !== shown.digest) {
    print(
      `HL_TRUST_APPROVAL_STALE: "${visibleLine(shown.hook.name)}" has changed since it was shown. Nothing was approved; review it again.`,
    );
    return;
  }
  await desk.decide(now, verdict, "review");
  const done = shown.isAbsent ? "Forgotten." : "Approved.";
  print(verdict === "approved" ? done : "Refused.");
}
