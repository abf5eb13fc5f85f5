/**
 * `hookloop init`: takes which shipped hooks a project wants, asks where that is open, shows the diff and writes it: into the native file, or as
 * command hooks into the settings of Claude Code. Takes it back.
 */

import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { parse } from "jsonc-parser";
import { shippedEntries } from "../builtin/index.ts";
import { SHIPPED_HOOKS, SHIPPED_NAMES, type ShippedName } from "../catalogue/index.ts";
import { groupBy, isObject } from "../check-options.ts";
import {
  appendToList,
  type Edited,
  type FileChange,
  type FileEdit,
  newJson,
  parseJson,
  planEdits,
  planUndo,
  unifiedDiff,
  type WritePlace,
  writeEdits,
} from "../config/index.ts";
import { type Diagnostic, diagnosticLine, ownCommand, type Place, visibleLine, withOwnCommand } from "../diagnostic.ts";
import { RUNS } from "../open/trust.ts";
import { isStartedBySession } from "../run/index.ts";
import { absolutePath, ownFolder } from "../state-files.ts";
import { OF_AGENT } from "../trust/index.ts";
import { askClearly, openLineQuestions, yesOrNo } from "./clear-answer.ts";
import { asIs, inLocale, print, printJson, style, UsageError, width, wrap } from "./terminal.ts";

export type Target = "native" | "claude";

export interface InitOptions {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Without names the user is asked. Gives the exit code. */
export async function setUp(target: Target, given: readonly ShippedName[] | undefined, options: InitOptions): Promise<number> {
  const place = openPlace();
  const { yes, json, dryRun } = options;
  const mayAsk = !yes && !json && !(dryRun && given !== undefined) && process.stdin.isTTY && process.stdout.isTTY;
  const questions = mayAsk ? openLineQuestions({ input: process.stdin, output: process.stdout }) : undefined;
  try {
    const names = given ?? (await askWhich(questions?.ask));
    return await write({ target, names, place, options, ask: questions?.ask });
  } finally {
    questions?.close();
  }
}

type Ask = (question: string) => Promise<string | undefined>;

/** SECURITY: an agent must not switch guards off, or on for the next session: that is the user's decision. */
function openPlace(): WritePlace {
  const { env } = process;
  const state = ownFolder("state", { env, home: absolutePath(env["HOME"]) ?? homedir() });
  if (isStartedBySession(env, path.join(state, RUNS))) throw new UsageError("HL_TRUST_OF_AGENT", OF_AGENT);
  return { root: process.cwd(), stateFolder: state };
}

async function askWhich(ask: Ask | undefined): Promise<readonly ShippedName[]> {
  if (!ask)
    throw new UsageError(
      "HL_CLI_NO_TERMINAL",
      `Which hooks cannot be asked without a terminal. Write --hooks ${SHIPPED_NAMES.slice(0, 2).join(",")}, or --yes for the default.`,
    );
  const names: ShippedName[] = [];
  for (const name of SHIPPED_NAMES) {
    const isDefault = SHIPPED_HOOKS[name].isOnInAgent === true;
    const isWanted = await isYes(ask, `${name}: ${SHIPPED_HOOKS[name].summary}. Switch it on? [${isDefault ? "Y/n" : "y/N"}]`, isDefault);
    if (isWanted === undefined) return [];
    if (isWanted) names.push(name);
  }
  return names;
}

/** Nothing: the user left. */
async function isYes(ask: Ask, question: string, isDefault: boolean): Promise<boolean | undefined> {
  return askClearly({
    ask: (text) => ask(wrap(text, width())),
    print: (text) => print(wrap(text, width())),
    question,
    read: (given) => (given.trim() === "" ? isDefault : yesOrNo(given)?.isYes),
    hint: `Type y or n; Enter is ${isDefault ? "y" : "n"}.`,
  });
}

interface SetUp {
  readonly target: Target;
  readonly names: readonly ShippedName[];
  readonly place: WritePlace;
  readonly options: InitOptions;
  readonly ask: Ask | undefined;
}

async function write({ target, names, place, options, ask }: SetUp): Promise<number> {
  if (names.length === 0) return finish([], [], { ...options, done: "No hook was chosen, so nothing is written." });
  const ignored = gitignoreChange(place.root);
  const changes: readonly FileChange[] = [hookChange(target, names, place.root), ...(ignored ? [ignored] : [])];
  const { edits, problems } = planEdits(changes, place);
  if (problems.length > 0) return finish([], problems, options);
  if (edits.length === 0)
    return finish([], [], { ...options, done: `Nothing to write: ${changes[0]?.file} has ${names.join(", ")} already.` });
  if (!options.json) showEdits(edits);
  if (options.dryRun) return finish(edits, [], { ...options, done: "Nothing was written (--dry-run)." });
  const isWanted = ask ? await isYes(ask, "Write this? [Y/n]", true) : true;
  if (!isWanted) return finish([], [], { ...options, done: "Nothing was written." });
  const failed = writeEdits(edits, place);
  const next = target === "claude" ? "\nIn hookloop itself these hooks need your approval: hookloop trust review" : "";
  return finish(failed.length > 0 ? [] : edits, failed, { ...options, done: `${writtenText(edits)}${next}` });
}

function writtenText(edits: readonly FileEdit[]): string {
  return `Written: ${edits.map(({ file }) => file).join(", ")}. To take it back: hookloop init --undo`;
}

export function takeBack(options: InitOptions): number {
  const place = openPlace();
  const planned = planUndo(place);
  if (!planned) return finish([], [nothingToUndo(place)], options);
  if (planned.problems.length > 0) return finish([], planned.problems, options);
  if (!options.json) showEdits(planned.edits);
  if (options.dryRun) return finish(planned.edits, [], { ...options, done: "Nothing was written (--dry-run)." });
  const failed = planned.write();
  return finish(planned.edits, failed, {
    ...options,
    done: `Taken back: ${planned.edits.map(({ file }) => file).join(", ") || "nothing was left of it"}.`,
  });
}

function nothingToUndo({ root }: WritePlace): Diagnostic {
  return {
    code: "HL_WRITE_NOTHING_TO_UNDO",
    level: "error",
    text: "Nothing was written in this project that could be taken back.",
    place: { file: root },
  };
}

function showEdits(edits: readonly FileEdit[]): void {
  for (const line of edits.flatMap(unifiedDiff)) {
    const colour = line.startsWith("+") ? "green" : line.startsWith("-") ? "red" : "reset";
    print(asIs(style(colour, visibleLine(line.replace(/\r$/, "")))));
  }
  print("");
}

/** Says how it ended; gives the exit code. */
function finish(
  edits: readonly FileEdit[],
  problems: readonly Diagnostic[],
  { json, dryRun = false, done = "" }: InitOptions & { readonly done?: string },
): number {
  const isWritten = edits.length > 0 && problems.length === 0 && !dryRun;
  if (json) {
    const files = edits.map((edit) => ({ file: edit.file, change: changeOf(edit), diff: unifiedDiff(edit).join("\n") }));
    printJson({ written: isWritten, files, problems });
  }
  for (const problem of problems) process.stderr.write(`${inLocale(visibleLine(diagnosticLine(problem)))}\n`);
  if (!json && problems.length === 0) print(wrap(withOwnCommand(done), width()));
  return problems.length > 0 ? 1 : 0;
}

function changeOf({ before, after }: FileEdit): "create" | "edit" | "remove" {
  return before === undefined ? "create" : after === undefined ? "remove" : "edit";
}

const NATIVE = ".hookloop/hooks.json";
const CLAUDE = ".claude/settings.json";

function hookChange(target: "native" | "claude", names: readonly ShippedName[], root: string): FileChange {
  return target === "native" ? nativeChange(names) : claudeChange(names, root);
}

function nativeChange(names: readonly ShippedName[]): FileChange {
  return {
    file: NATIVE,
    change(text) {
      if (text === undefined) return { text: newJson(["use"], names) };
      const used = listAt(text, ["use"]).map((one) => (isObject(one) ? one["name"] : one));
      const missing = names.filter((name) => !used.includes(name));
      return missing.length === 0 ? { text } : appendToList(text, { file: NATIVE, path: ["use"], items: missing });
    },
  };
}

interface Entry {
  readonly event: string;
  readonly matcher: string | undefined;
  readonly command: string;
  readonly timeout: number;
  readonly isThere: (command: string) => boolean;
}

/** Plain command hooks: a comment or a key of our own would make Claude Code drop the whole file. */
function claudeChange(names: readonly ShippedName[], root: string): FileChange {
  const entries = names.flatMap((name) =>
    shippedEntries(name).map(({ event, matcher, seconds }): Entry => {
      const there = new RegExp(`\\bhookloop(?:\\.js)?["']?\\s+hook\\s+${name}(?![\\w-])`);
      return { event, matcher, command: hookCommand(name, root), timeout: seconds, isThere: (command) => there.test(command) };
    }),
  );
  return {
    file: CLAUDE,
    change(text = "{}\n") {
      const { extension } = parseJson({ text, file: CLAUDE });
      if (extension) return { problem: wouldDrop(extension) };
      const missing = entries.filter(({ event, isThere }) => !commandsAt(text, event).some(isThere));
      const groups = groupBy(missing, ({ event, matcher }) => JSON.stringify([event, matcher ?? null])).values();
      return [...groups].reduce<Edited>((edited, group) => ("problem" in edited ? edited : appendGroup(edited.text, group)), { text });
    },
  };
}

function appendGroup(text: string, group: readonly Entry[]): Edited {
  const [{ event = "", matcher } = {}] = group;
  const hooks = group.map(({ command, timeout }) => ({ type: "command", command, timeout }));
  return appendToList(text, { file: CLAUDE, path: ["hooks", event], items: [{ ...(matcher !== undefined && { matcher }), hooks }] });
}

function wouldDrop({ what, place }: { readonly what: string; readonly place: Place }): Diagnostic {
  const text = `There is a ${what} in this file, for which Claude Code drops all of it: no hook in it would run. Remove it first.`;
  return { code: "HL_CONFIG_CLAUDE_WOULD_DROP_FILE", level: "error", text, place };
}

/** SECURITY: a guard whose program is missing or cannot start would let every call through (exit code 127); so that call is blocked. */
function hookCommand(name: ShippedName, root: string): string {
  const command = `${launcher(root)} hook ${name}`;
  return SHIPPED_HOOKS[name].role === "guard" ? `${command} || exit 2` : command;
}

/** Its name, or this very program where a shell does not find it by name. */
function launcher(root: string): string {
  const command = ownCommand(process.env["PATH"] ?? "", root);
  if (command === "hookloop" || command === "npx hookloop") return command;
  const [, started = command] = process.argv;
  return `node '${realpathSync(started).replaceAll("'", "'\\''")}'`;
}

function listAt(text: string, keys: readonly string[]): readonly unknown[] {
  const found = keys.reduce<unknown>(
    (value, key) => (isObject(value) ? value[key] : undefined),
    parse(text.replace(/^\uFEFF/, ""), [], { allowTrailingComma: true }),
  );
  return Array.isArray(found) ? found : [];
}

function commandsAt(text: string, event: string): readonly string[] {
  const hooks = listAt(text, ["hooks", event]).flatMap((group) => (isObject(group) && Array.isArray(group["hooks"]) ? group["hooks"] : []));
  return hooks.flatMap((hook: unknown) =>
    isObject(hook) ? [[hook["command"], ...(Array.isArray(hook["args"]) ? hook["args"] : [])].join(" ")] : [],
  );
}

const IGNORED = [".hookloop/*", "!.hookloop/hooks.json", "!.hookloop/hooks/", "!.hookloop/*.cases.*"];

/** What hooks and agents write below .hookloop stays out of git; configuration, hooks and cases do not. Nothing where there is no git. */
function gitignoreChange(root: string): FileChange | undefined {
  const file = ".gitignore";
  if (!existsSync(path.join(root, ".git")) && !existsSync(path.join(root, file))) return undefined;
  return {
    file,
    change(text = "") {
      const lines = text.split(/\r?\n/).map((line) => line.trim());
      const eol = text.includes("\r\n") ? "\r\n" : "\n";
      const missing = IGNORED.filter((line) => !lines.includes(line));
      if (missing.length === 0 || lines.includes(IGNORED[0] ?? "")) return { text };
      const gap = text === "" || text.endsWith("\n") ? "" : eol;
      return { text: `${text}${gap}${missing.join(eol)}${eol}` };
    },
  };
}
