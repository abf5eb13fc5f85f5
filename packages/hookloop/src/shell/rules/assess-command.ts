/**
 * Takes the text of a shell command and where it would run. Gives what it would do, each fact with the place that shows it, how
 * dangerous that is under a profile, and what it deletes or overwrites outside the workspace.
 * Refuses to be sure: whatever reading could not tell is a fact of its own and asks at least. It never throws and touches no file.
 */

import { posix } from "node:path";
import { programOf } from "../arguments.ts";
import { liesIn, type TouchedPath } from "../paths/claims.ts";
import { touchedPaths } from "../paths/touched-paths.ts";
import { aliasedInLine } from "../programs/git.ts";
import { isKnownTo } from "../programs/program.ts";
import type { Started } from "../programs/started.ts";
import { startedByForeign } from "../programs/started-by-foreign.ts";
import { readCommand } from "../read-command.ts";
import { type ShellCommand, type ShellReading, type Span, UNKNOWN } from "../types.ts";
import { judgeReverseShell, judgeSecrets, PERMISSION_RULES, SECRET_RULES } from "./access.ts";
import { type Call, callOf, type Report, type Scene } from "./call.ts";
import { CLOUD_RULES, HOST_RULES, REGISTRY_RULES } from "./cloud.ts";
import { DOWNLOAD_RULES, downloadedFiles, judgeWrittenScript } from "./downloads.ts";
import { FILE_RULES, HELPER_RULES, judgeWrites } from "./files.ts";
import { GIT_RULES } from "./git-rules.ts";
import { INLINE_RULES, TEXT_LANGUAGE_RULES, unexplained } from "./inline-code.ts";
import { DISK_RULES, FORK_BOMB, MACHINE_RULES, WINDOWS_RULES } from "./machine.ts";
import { type AssessContext, type Assessment, type Crossing, compileRules, type Fact, type FactKind, type Risk, riskOf } from "./rule.ts";
import { CONTAINER_RULES, DATABASE_RULES, MIGRATION_RULES } from "./services.ts";

/** Shell text inside other languages inside shell text: deeper than real commands go. */
const MAX_NESTED = 4;
const ORDER: Readonly<Record<Risk, number>> = { allow: 0, ask: 1, deny: 2 };

/** What a shell command would do, and how dangerous that is. `read`: how its text becomes a reading. */
export function assessCommand(text: string, context: AssessContext, read: typeof readCommand = readCommand): Assessment {
  const facts = new Map<string, Fact>();
  const profile = context.profile ?? "standard";
  const note = (kind: FactKind, message: string, span: Span): void => {
    const key = `${kind} ${span.start} ${span.end}`;
    if (!facts.has(key)) facts.set(key, { kind, text: message, risk: riskOf(kind, profile), span });
  };
  const reading = read(text, isZsh(context.shell) ? { shell: "zsh" } : {});
  const touched = touchedPaths(reading, context);
  const subject = { text, reading, touched, context, depth: 0, budget: { left: BUDGET, seen: new Set<string>() } };
  judgeReading(subject, note);
  judgeText(subject, note);
  // PowerShell starts a program with `&`; to bash it is an error.
  if (/^\s*&\s/.test(text)) judgeNested(text.replace(/^\s*&/, ""), { start: 0, end: text.length }, subject, note);
  const list = [...facts.values()].sort((a, b) => ORDER[b.risk] - ORDER[a.risk] || a.span.start - b.span.start);
  return { risk: list[0]?.risk ?? "allow", facts: list, boundary: crossingsOf(touched, context), reading };
}

function isZsh(shell: string | undefined): boolean {
  return shell !== undefined && /(?:^|\/)zsh(?:\.exe)?$/.test(shell);
}

type Note = (kind: FactKind, text: string, span: Span) => void;

interface Subject {
  readonly text: string;
  readonly reading: ShellReading;
  readonly touched: readonly TouchedPath[];
  readonly context: AssessContext;
  readonly depth: number;
  readonly budget: Budget;
}

/** Words and characters that may still be looked at: text inside text multiplies. */
interface Budget {
  left: number;
  /** Nested texts that were judged already. */
  readonly seen: Set<string>;
}

/** What reading a nested text costs before its first character. */
const NESTED_COST = 500;

const BUDGET = 60_000;

function spend(budget: Budget, cost: number, report: Report): boolean {
  budget.left -= cost + 1;
  if (budget.left >= 0) return true;
  report("unreadable", "it holds more code inside code than is read");
  return false;
}

function judgeReading(subject: Subject, note: Note): void {
  const { text, reading, touched } = subject;
  const scene = sceneOf(subject, note);
  const byCommand = groupByCommand(touched);
  reading.commands.forEach((command, index) => {
    const call = scene.callOf(command);
    const report: Report = (kind, message, at = command) => note(kind, message, at.span);
    judgeCall(call, report, subject.budget);
    judgeWrites(byCommand.get(index) ?? [], call, report);
  });
  for (const started of aliasedInLine(reading)) judgeAlias(started, reading.commands, scene, note);
  for (const { code, text: message, span } of [...reading.doubts, ...reading.foreignDoubts]) {
    note(code === "too-deep" ? "nested-too-deep" : "unreadable", asPhrase(message), span ?? { start: 0, end: text.length });
  }
}

/** `git config alias.x 'push -f'; git x`: what the line itself makes of a name. */
function judgeAlias(started: Started, commands: readonly ShellCommand[], { judgeText: judge, judgeWords }: Scene, note: Note): void {
  const span = started.kind === "words" ? started.words[0]?.span : started.kind === "script" ? started.span : undefined;
  const command = commands.find((one) => span && one.span.start <= span.start && one.span.end >= span.end) ?? commands[0];
  if (started.kind === "script") judge(started.script, started.span);
  else if (started.kind === "doubt" && command) note("unreadable", asPhrase(started.text), command.span);
  else if (started.kind === "words" && command) judgeWords(started.words, command);
}

/** Reasons are joined into one sentence: `It is long.` becomes `it is long`. */
function asPhrase(sentence: string): string {
  return `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`.replace(/\.$/, "");
}

function sceneOf(subject: Subject, note: Note): Scene {
  const { text, reading, context, budget } = subject;
  const { cwd, home, workspace = cwd } = context;
  const calls = new Map<ShellCommand, Call>();
  let files: ReadonlySet<string> | undefined;
  const scene: Scene = {
    text,
    cwd,
    home,
    workspace,
    reading,
    starters: new Set(reading.commands.flatMap(({ startedBy }) => reading.commands[startedBy ?? -1] ?? [])),
    judgeText: (inner, span) => judgeNested(inner, span, subject, note),
    judgeWords: (words, command) =>
      judgeCall(callOf(command, words, scene), (kind, message, at = command) => note(kind, message, at.span), budget),
    callOf: (command) => {
      const call = calls.get(command) ?? callOf(command, command.words, scene);
      calls.set(command, call);
      return call;
    },
    downloads: () => {
      files ??= downloadedFiles(reading.commands.map(scene.callOf));
      return files;
    },
  };
  return scene;
}

function groupByCommand(touched: readonly TouchedPath[]): ReadonlyMap<number, readonly TouchedPath[]> {
  const groups = new Map<number, TouchedPath[]>();
  for (const path of touched) {
    const group = groups.get(path.command);
    if (group) group.push(path);
    else groups.set(path.command, [path]);
  }
  return groups;
}

function judgeCall(call: Call, report: Report, budget: Budget): void {
  const [name, next] = call.words;
  if (!name || !spend(budget, call.words.length, report)) return;
  applyRules(call, report);
  judgeForeign(call);
  judgeUnknownStarter(call);
  judgeSecrets(call, report);
  judgeReverseShell(call, report);
  judgeEnvironment(call, report);
  judgeProgram(call, report);
  // `A-B=1 git push`: no assignment to bash, but one to other shells, which would then run what follows.
  if (next && /^[^/\s]*=/.test(name.text)) judgeCall(callOf(call.command, call.words.slice(1), call.scene), report, budget);
  if (name.text.includes("/") && call.scene.reading.commands.length > 1) judgeWrittenScript(name, call, report);
  // `$SHELL -c '…'`: whatever runs, it is given shell text.
  const code = call.words.findIndex(({ text }) => /^-\w*c$/.test(text));
  if (name.text.includes(UNKNOWN) && code > 0) call.scene.judgeText(call.words[code + 1]?.text ?? "", name.span);
}

/** Reading has followed what its own commands start in other languages, but not what the rules took for a command. */
function judgeForeign({ words, command, scene }: Call): void {
  if (words === command.words) return;
  for (const started of startedByForeign(words, command.stdin)) {
    if (started.kind === "script") scene.judgeText(started.script, started.span);
    else if (started.kind === "words") scene.judgeWords(started.words, command);
  }
}

/** `taskset 1 rm -rf /`: a program may start what its words name; if that is dangerous, so is this. */
function judgeUnknownStarter({ name, words, command, scene }: Call): void {
  // Where file names have no case, `XARGS` is `xargs`.
  if (/^(?:xargs|parallel)$/.test(name) && /[A-Z]/.test(words[0]?.text ?? ""))
    scene.judgeText([name, ...words.slice(1).map(({ source }) => source)].join(" "), command.span);
  if (isKnownTo(name, "takes-text") || scene.starters.has(command)) return;
  const at = words.findIndex((word, index) => index > 0 && isKnownTo(programOf(word), "often-started"));
  if (at > 0) scene.judgeWords(words.slice(at), command);
}

/** Shell text that stands in another language: its facts show where that stands. */
function judgeNested(text: string, span: Span, subject: Subject, note: Note): void {
  if (subject.depth >= MAX_NESTED) {
    note("nested-too-deep", `code is nested deeper than ${MAX_NESTED} languages`, span);
    return;
  }
  const { seen } = subject.budget;
  if (text.trim() === "" || seen.has(`${span.start} ${text}`)) return;
  seen.add(`${span.start} ${text}`);
  if (!spend(subject.budget, NESTED_COST + text.length * 4, (kind, message) => note(kind, message, span))) return;
  const reading = readCommand(text);
  const touched = touchedPaths(reading, subject.context);
  judgeReading({ ...subject, text, reading, touched, depth: subject.depth + 1 }, (kind, message) => note(kind, message, span));
}

/** What the raw text shows by itself. */
function judgeText(subject: Subject, note: Note): void {
  const { text, reading } = subject;
  const isData = (span: Span): boolean => reading.data.some(({ start, end }) => start <= span.start && end >= span.end);
  const bomb = FORK_BOMB.exec(text);
  if (bomb && !isData({ start: bomb.index, end: bomb.index + bomb[0].length })) {
    note("exhausts-machine", "it starts processes without end", { start: bomb.index, end: bomb.index + bomb[0].length });
  }
  const prompt = /\$\{[^}]*@P\}/.exec(text);
  if (prompt && !isData({ start: prompt.index, end: prompt.index + prompt[0].length })) {
    note("runs-hidden-text", "it expands text like a prompt, which runs the commands in it", {
      start: prompt.index,
      end: prompt.index + prompt[0].length,
    });
  }
  for (const span of unexplained(text, reading)) {
    note("tripwire", "dangerous text stands where reading cannot tell whether it runs", span);
    // One word of a command that was read is rather a text than a command.
    if (!reading.isUncertain && isInOneWord(span, reading)) continue;
    // If it does run, this is what runs: how dangerous is it?
    judgeNested(/^[^\n"'`)]*/.exec(text.slice(span.start))?.[0] ?? "", span, subject, note);
  }
}

function isInOneWord({ start, end }: Span, { commands }: ShellReading): boolean {
  return commands.some(({ words }) => words.some(({ span }) => span.start <= start && span.end >= end));
}

const CHANGES: Readonly<Partial<Record<TouchedPath["how"], Crossing["how"]>>> = {
  delete: "delete",
  rename: "delete",
  write: "overwrite",
  "create-link": "overwrite",
};
/** Writing there changes nothing. */
const NOWHERE = /^\/dev\/(?:null|zero|full|stdout|stderr|tty|fd(?:\/.*)?)$/;

/** What of the touched paths is deleted or overwritten outside the workspace, or may be. */
export function crossingsOf(
  touched: readonly TouchedPath[],
  { cwd, workspace = cwd }: Pick<AssessContext, "cwd" | "workspace">,
): readonly Crossing[] {
  const found = new Map<string, Crossing>();
  for (const { path, how, span } of touched) {
    const change = CHANGES[how];
    if (!change) continue;
    const absolute = path === undefined ? undefined : posix.resolve(cwd, path);
    if (absolute !== undefined && (liesIn(workspace, absolute) || NOWHERE.test(absolute))) continue;
    const key = `${change} ${absolute} ${span.start}`;
    if (!found.has(key)) found.set(key, absolute === undefined ? { how: change, span } : { path: absolute, how: change, span });
  }
  return [...found.values()];
}

/** Variables by which a program loads code or starts another program. */
const LOADS_CODE =
  /^(?:LD_(?:PRELOAD|LIBRARY_PATH|AUDIT)|DYLD_\w+|BASH_ENV|ENV|PROMPT_COMMAND|PS4|PYTHONSTARTUP|PERL5(?:OPT|LIB|DB)|RUBYOPT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|SUDO_ASKPASS|NODE_OPTIONS|GCONV_PATH|LESSOPEN|LESSCLOSE|MANPAGER)$/;
const HARMLESS_NODE =
  /^(?:\s*--(?:max[-_]old[-_]space[-_]size|no-warnings|trace-[\w-]+|enable-source-maps|experimental-vm-modules|max-http-header-size)(?:=\d+)?)*\s*$/;

/** `LD_PRELOAD=./x.so ls`. */
function judgeEnvironment({ command }: Call, report: Report): void {
  for (const { name, value } of command.assignments) {
    if (LOADS_CODE.test(name) && !(name === "NODE_OPTIONS" && HARMLESS_NODE.test(value.text))) {
      report("loads-code", `it sets ${name}, by which the program loads other code`, value);
    }
  }
}

const USUAL_FOLDERS =
  /^(?:\/(?:usr\/(?:local\/)?)?s?bin|\/opt\/[\w./+-]*bin|\/(?:home|Users)\/[^/]+\/[\w./+-]*bin|\/usr\/[\w./+-]*|\/nix\/.*|\/snap\/bin|\/bin\/\.\..*|\/usr\/\.\..*)\//;

/** A well-known name at an unusual place, or a name no program has. */
function judgeProgram({ words, name, scene }: Call, report: Report): void {
  const text = words[0]?.text ?? "";
  if (/^\S+\s+\S/.test(text) && !/[\\/]/.test(text)) report("unusual-program", "the name of the program has blanks in it", words[0]);
  if (!text.startsWith("/") || !isKnownTo(name, "well-known")) return;
  if (/^\/(?:private\/)?(?:(?:var\/)?tmp|dev\/shm)\//.test(text))
    report("impostor-program", `it runs a program called ${name} from a folder where everybody can put one`, words[0]);
  else if (!USUAL_FOLDERS.test(text) && !text.startsWith(`${scene.workspace}/`))
    report("unusual-program", `it runs ${name} from an unusual folder`, words[0]);
}

/** Every row of every family, by program. */
const applyRules: (call: Call, report: Report) => void = compileRules([
  ...FILE_RULES,
  ...DISK_RULES,
  ...GIT_RULES,
  ...HOST_RULES,
  ...DOWNLOAD_RULES,
  ...PERMISSION_RULES,
  ...SECRET_RULES,
  ...MACHINE_RULES,
  ...CONTAINER_RULES,
  ...CLOUD_RULES,
  ...DATABASE_RULES,
  ...REGISTRY_RULES,
  ...INLINE_RULES,
  ...HELPER_RULES,
  ...WINDOWS_RULES,
  ...MIGRATION_RULES,
  ...TEXT_LANGUAGE_RULES,
]);
