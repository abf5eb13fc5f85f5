/**
 * Takes cases files, runs each hook on its cases as the engine would: a configured hook with its matcher, condition and limits, in the dialect of its
 * file; another script on its own; a shipped hook in a fresh project. Each case has an engine of its own. Every case ends.
 */

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { EVENTS, isShippedName, SHIPPED_HOOKS, SHIPPED_NAMES, type ShippedName, TOOLS } from "../catalogue/index.ts";
import { isObject } from "../check-options.ts";
import { folderVariables, type RegisteredHook, wordsOfLine } from "../config/index.ts";
import type { Diagnostic, Place } from "../diagnostic.ts";
import { mergeOutcomes, type Verdict } from "../judge/index.ts";
import type { OpenOptions } from "../open/options.ts";
import { openHooks } from "../open.ts";
import { isInside, realFolder } from "../permissions/index.ts";
import { absolutePath, readStart } from "../state-files.ts";
import { compareWithCase, type Mismatch } from "./expectation.ts";
import { type Case, type CasesFile, readCases, stemOf } from "./read-cases.ts";

export { CASES_ENDING, stemOf } from "./read-cases.ts";

export interface CaseResult {
  readonly name: string;
  readonly place: Place;
  readonly mismatch: Mismatch | undefined;
  readonly durationMs: number;
}

/** What one cases file gave. */
export interface SuiteResult {
  readonly file: string;
  /** The script, or the name of a shipped hook. */
  readonly hook: string | undefined;
  /** No file here configures it: it ran on its own. */
  readonly isBare?: boolean | undefined;
  readonly cases: readonly CaseResult[];
  /** Errors make it fail. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface RunPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Runs a task when a slot is free. */
export type Limit = <Result>(task: () => Promise<Result>) => Promise<Result>;

export function limitTo(most: number): Limit {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (task) => {
    if (running >= most) await new Promise<void>((begin) => waiting.push(begin));
    else running++;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

type Subject = { readonly use: ShippedName } | { readonly script: string };

const LARGEST_FILE = 1024 * 1024;

/** One cases file of a project. */
export async function runCasesFile(file: string, place: RunPlace, limit: Limit): Promise<SuiteResult> {
  const text = readStart(file, LARGEST_FILE + 1)?.toString("utf8");
  if (text === undefined) return failedSuite(file, "HL_CASES_INVALID", "The file cannot be read. Check its rights.");
  const read = await readCases(file, text);
  if (read.diagnostics.length > 0) return { file, hook: undefined, cases: [], diagnostics: read.diagnostics };
  if (read.use !== undefined) return runSuite(read, { use: read.use }, place, limit);
  const script = scriptOf(read);
  const stem = stemOf(file);
  if (typeof script !== "string" && read.hook === undefined && isShippedName(stem)) return runSuite(read, { use: stem }, place, limit);
  if (typeof script !== "string") return failedSuite(file, "HL_CASES_NO_HOOK", script.problem);
  return runSuite(read, { script: realpathSync(script) }, place, limit);
}

function failedSuite(file: string, code: Diagnostic["code"], text: string): SuiteResult {
  return { file, hook: undefined, cases: [], diagnostics: [{ code, level: "error", text, place: { file } }] };
}

/** The script that the file names, or the one beside it with its name. */
function scriptOf({ file, hook }: CasesFile): string | { readonly problem: string } {
  const folder = path.dirname(file);
  if (hook !== undefined) {
    const script = path.resolve(folder, hook);
    return existsSync(script) ? script : { problem: `There is no hook ${script}. Correct hook.` };
  }
  const stem = stemOf(file);
  const beside = readdirSync(folder).filter(
    (name) => name.startsWith(`${stem}.`) && !/\.(?:cases|test|spec)\.|\.(?:md|json|ya?ml|txt)$/.test(name),
  );
  const [only] = beside;
  if (only !== undefined && beside.length === 1) return path.join(folder, only);
  const found = beside.length === 0 ? `no script ${stem}.* beside it` : `more than one script beside it: ${beside.join(", ")}`;
  return { problem: `There is ${found}. Name the hook, as in hook: ${beside[0] ?? "../guard.mjs"}, or a shipped one, as in use: safety.` };
}

/** The cases of every hook that comes with hookloop. */
export async function runShippedCases(place: RunPlace, limit: Limit): Promise<readonly SuiteResult[]> {
  return Promise.all(
    SHIPPED_NAMES.map(async (name) => {
      const file = shippedFile(name);
      if (file === undefined) return failedSuite(`${name}.cases.json`, "HL_CASES_NO_HOOK", `The hook "${name}" comes without cases.`);
      const read = await readCases(file, readFileSync(file, "utf8"));
      const shown = path.basename(file);
      if (read.diagnostics.length > 0) return { file: shown, hook: name, cases: [], diagnostics: read.diagnostics };
      return { ...(await runSuite(read, { use: name }, place, limit)), file: shown };
    }),
  );
}

/** Beside the source, or where the build puts it. */
function shippedFile(name: ShippedName): string | undefined {
  const folders = ["../builtin", "../shipped-cases"].map((folder) => fileURLToPath(new URL(folder, import.meta.url)));
  return folders.map((folder) => path.join(folder, `${name}.cases.json`)).find((file) => existsSync(file));
}

async function runSuite({ file, cases, timeoutMs }: CasesFile, subject: Subject, place: RunPlace, limit: Limit): Promise<SuiteResult> {
  const seen: Seen = { hooks: new Set(), isBare: "script" in subject && !(await isConfigured(subject.script, place)) };
  const results = await Promise.all(cases.map((one) => limit(() => runCase(one, { subject, place, timeoutMs, seen }))));
  return {
    file,
    hook: "use" in subject ? subject.use : path.relative(place.cwd, subject.script) || subject.script,
    isBare: seen.isBare,
    cases: results,
    diagnostics: provesNothing(file, cases, subject, seen),
  };
}

/** What the engine had of the tested hook. */
interface Seen {
  readonly hooks: Set<RegisteredHook>;
  /** No file configures it. */
  readonly isBare: boolean;
}

/** A guard whose cases never see it say no could be switched off without a failing case. */
function provesNothing(file: string, cases: readonly Case[], subject: Subject, { hooks }: Seen): readonly Diagnostic[] {
  const isGuard =
    "use" in subject
      ? SHIPPED_HOOKS[subject.use].role === "guard"
      : [...hooks].some(({ isGuard }) => isGuard) ||
        /\bguard["']?\s*:\s*true\b/.test(readStart(subject.script, LARGEST_FILE)?.toString("utf8") ?? "");
  const blocks = ({ expect: { decision, says } }: Case): boolean =>
    ["deny", "ask", "defer"].includes(decision ?? "") || ["deny", "ask", "redact"].some((name) => name in says);
  if (!isGuard || cases.some(blocks)) return [];
  const text = "This guard has no case in which it must block, so nothing proves that it does. Add one with expect: deny.";
  return [{ code: "HL_CASES_NO_BLOCK", level: "warning", text, place: { file } }];
}

interface Run {
  readonly subject: Subject;
  readonly place: RunPlace;
  readonly timeoutMs: number;
  readonly seen: Seen;
}

async function runCase(one: Case, run: Run): Promise<CaseResult> {
  const startedAt = performance.now();
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "hookloop-cases-")));
  try {
    const isFresh = one.files !== undefined || "use" in run.subject;
    const own = freshProject(folder, one.files ?? {});
    const home = "use" in run.subject ? path.join(folder, "home") : homeOf(run.place);
    const cwd = isFresh ? own : run.place.cwd;
    const verdict = typeof own === "string" ? await fireCase(one, { ...run, home, cwd, folder }) : own;
    return { name: one.name, place: one.place, mismatch: mismatchOf(one, verdict, run), durationMs: performance.now() - startedAt };
  } catch (thrown) {
    const mismatch = { expected: "the case runs", received: thrown instanceof Error ? thrown.message : String(thrown) };
    return { name: one.name, place: one.place, mismatch, durationMs: performance.now() - startedAt };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function mismatchOf(one: Case, verdict: Verdict, { seen }: Run): Mismatch | undefined {
  const found = compareWithCase(one.expect, verdict);
  if (!found || verdict.outcomes.length > 0 || seen.hooks.size === 0) return found;
  const entries = [...seen.hooks].filter(({ event }) => event === one.event);
  const matchers = [...new Set(entries.map(({ matcher = "every call", condition }) => condition ?? matcher))];
  const why = matchers.length === 0 ? `no entry for ${one.event}` : `its entry is for ${matchers.join(", ")}`;
  return { ...found, received: `${found.received} (the hook was not asked: ${why})` };
}

function homeOf({ env }: RunPlace): string {
  return absolutePath(env["HOME"]) ?? homedir();
}

/** A folder with the case's files; another folder beside it is its home. */
function freshProject(folder: string, files: Readonly<Record<string, string>>): string {
  const project = path.join(folder, "project");
  for (const one of [project, path.join(folder, "home")]) mkdirSync(one);
  for (const [name, text] of Object.entries(files)) {
    const file = path.resolve(project, name);
    if (!isInside(folder, file)) throw new Error(`"${name}" in files leads out of the fresh folder`);
    mkdirSync(name.endsWith("/") ? file : path.dirname(file), { recursive: true });
    if (!name.endsWith("/")) writeFileSync(file, text);
  }
  return project;
}

interface Placed extends Run {
  readonly home: string;
  readonly cwd: string;
  readonly folder: string;
}

async function fireCase(one: Case, placed: Placed): Promise<Verdict> {
  const { subject, seen, timeoutMs } = placed;
  const opened = "use" in subject ? shippedOptions(one, subject.use, placed) : scriptOptions(one, subject.script, placed);
  const hooks = await openHooks({ ...opened, stopCap: 0, drainMs: 100, onDiagnostic: () => {} });
  try {
    const payload = { ...one.payload, ...madeAbsolute(one.payload, placed), cwd: placed.cwd };
    const { outcomes } = (await hooks.fire(one.event as "PreToolUse", payload as never, { timeoutMs })) as Verdict;
    const own = "use" in subject ? outcomes : outcomes.filter(({ hook }) => namesScript(hook, subject.script, placed.place));
    for (const { hook } of own) seen.hooks.add(hook);
    return mergeOutcomes({ event: one.event, row: EVENTS[one.event], outcomes: own }).verdict;
  } finally {
    await hooks.close();
  }
}

/** As agents send it: the path of a file tool is absolute. */
function madeAbsolute({ tool_name, tool_input }: Case["payload"], { cwd, home }: Placed): object {
  const rule = Object.hasOwn(TOOLS, String(tool_name)) ? TOOLS[tool_name as keyof typeof TOOLS].rule : undefined;
  const given = isObject(tool_input) && rule?.kind === "path" ? tool_input[rule.field] : undefined;
  if (typeof given !== "string" || rule === undefined || given === "") return {};
  const file = given === "~" || given.startsWith("~/") ? path.join(home, given.slice(1)) : path.resolve(cwd, given);
  return { tool_input: { ...(tool_input as object), [rule.field]: file } };
}

/** Nothing of the machine's own configuration is read. */
const ALONE = { sources: [], trust: "implicit" } as const;

function shippedOptions({ options = {} }: Case, name: ShippedName, { cwd, home, folder, place }: Placed): OpenOptions {
  const env = { PATH: place.env["PATH"], HOME: home, SHELL: "/bin/bash", XDG_STATE_HOME: path.join(folder, "state") };
  return { ...ALONE, cwd, use: [{ ...options, name }], ports: { home, env, managedRoot: NOWHERE } };
}

function scriptOptions({ event }: Case, script: string, { place, seen }: Placed): OpenOptions {
  const { cwd, env } = place;
  if (!seen.isBare) return configuredOptions(script, place, (hook) => seen.hooks.add(hook));
  const [command = script, ...args] = lineOf(script);
  const settings = { hooks: { [event]: [{ hooks: [{ type: "command", command, args }] }] } };
  return { ...ALONE, cwd, settings, ports: { env, managedRoot: NOWHERE } };
}

/** A folder that is not there. */
const NOWHERE = "/proc/self/fd/-1";

/** The project's own configuration, of which only the tested hook runs: nobody is asked about hooks of the user and of policy, so they are not read. */
function configuredOptions(script: string, place: RunPlace, found: (hook: RegisteredHook) => void): OpenOptions {
  const trust = (hook: RegisteredHook): boolean => {
    const isMeant = namesScript(hook, script, place);
    if (isMeant) found(hook);
    return isMeant;
  };
  const off = [place.env["HOOKLOOP_DISABLE"], ...SHIPPED_NAMES].filter((name) => name !== undefined && name !== "");
  return {
    cwd: place.cwd,
    trust,
    sources: ["project", "local"],
    ports: { env: { ...place.env, HOOKLOOP_DISABLE: off.join(",") }, managedRoot: NOWHERE },
  };
}

async function isConfigured(script: string, place: RunPlace): Promise<boolean> {
  let isFound = false;
  const hooks = await openHooks({
    ...configuredOptions(script, place, () => {
      isFound = true;
    }),
    onDiagnostic: () => {},
  });
  await hooks.close();
  return isFound;
}

/** Whether a hook of a file runs this script. */
function namesScript({ target, source, quirks, fields }: RegisteredHook, script: string, place: RunPlace): boolean {
  const isScript = (word: string): boolean => realFolder(path.resolve(source.plugin?.root ?? place.cwd, word)) === script;
  if (target.kind === "module")
    return (
      typeof fields?.["path"] === "string" && (isScript(fields["path"]) || realFolder(path.resolve(source.root, fields["path"])) === script)
    );
  if (target.kind !== "command") return false;
  const variables = folderVariables(source, { projectRoot: place.cwd, home: homeOf(place), projectVariable: quirks?.projectVariable });
  const words = target.args
    ? [target.command, ...target.args]
    : (wordsOfLine(target.command, variables) ?? looseWords(target.command, variables));
  return words.map((word) => expanded(word, variables)).some(isScript);
}

function expanded(word: string, variables: Readonly<Record<string, string>>): string {
  return word.replace(/\$\{?(\w+)\}?/g, (whole, name: string) => variables[name] ?? whole);
}

/** Of a line that needs a shell, what looks like a word. */
function looseWords(line: string, variables: Readonly<Record<string, string>>): readonly string[] {
  return expanded(line.replace(/["']/g, ""), variables).split(/[\s;&|()<>]+/);
}

const INTERPRETERS: Readonly<Record<string, readonly string[]>> = { ".py": ["python3"], ".sh": ["sh"] };

/** How a script that no file configures is run. */
function lineOf(script: string): readonly string[] {
  if (/\.[cm]?[jt]s$/.test(script)) return [process.execPath, script];
  const [, program, argument] = /^#!\s*(\S+)[ \t]*(.*?)\s*$/m.exec(readStart(script, 256)?.toString("utf8") ?? "") ?? [];
  const named = program === undefined ? undefined : [program, ...(argument ? [argument] : [])];
  return [...(named ?? INTERPRETERS[path.extname(script)] ?? []), script];
}
