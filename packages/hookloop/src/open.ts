/** Composes an engine: the only file that knows every stage, every dialect and the machine it runs on. */

import path from "node:path";
import { embedHooks, isHookScript } from "@hookloop/sdk/host";
import { EVENT_NAMES } from "./catalogue/index.ts";
import { callListener } from "./check-options.ts";
import {
  checkScripts,
  configFiles,
  type FindOptions,
  type FoundSources,
  findSources,
  type RegisteredHook,
  readFrontmatter,
  registerHooks,
} from "./config/index.ts";
import { type Diagnostic, printDiagnostic, visibleLine, withOwnCommand } from "./diagnostic.ts";
import { type Frontmatter, filePermissions, HookEngine, type Session } from "./engine/index.ts";
import { createStopCap, DEFAULT_STOP_CAP } from "./judge/index.ts";
import { type EditableParts, openEdits } from "./open/edits.ts";
import { checkOptions, lookAround, type Machine, type OpenOptions, runFolder } from "./open/options.ts";
import { openHttpRunner, openSession, openSteps, type Steps } from "./open/session.ts";
import { concernOf, fileAbove, openTrust, sessionTrust } from "./open/trust.ts";
import { explainWithheld, type Runner, reapOrphans } from "./run/index.ts";
import { checkSpellings, createPlanner, type PlannerOptions } from "./select/index.ts";
import {
  type Admission,
  aboveDiagnostic,
  admitHooks,
  refusalDiagnostic,
  type Statuses,
  switchDiagnostic,
  type Trust,
  type TrustGate,
  type TrustStatus,
  type TrustStore,
  weaknessDiagnostics,
} from "./trust/index.ts";

/** Reads the configuration, takes a snapshot, and gives the session's hooks. A broken configuration is reported, never thrown; a misspelt option is thrown. */
export async function openHooks(options: OpenOptions): Promise<HookEngine> {
  checkOptions(options);
  const { ports = {} } = options;
  const isScript = isHookScript();
  embedHooks();
  const machine = lookAround(options);
  const { cwd, home } = machine;
  const find = (): Promise<FoundSources> =>
    findSources({
      ...machine,
      ...pick(options),
      isWorkspaceTrusted: vouchesForWorkspace(options.trust ?? "store"),
      managedRoot: ports.managedRoot,
      managedUid: ports.managedUid,
    });
  const found = await find();
  for (const diagnostic of (await reapOrphans(runFolder(machine))).diagnostics) safely(options.onDiagnostic ?? printDiagnostic)(diagnostic);
  const scripts = await Promise.all(found.documents.map((document) => checkScripts(document, { projectRoot: cwd, home })));
  const configuration = configure(options, machine, { found, find, scripts: scripts.flat() });
  const files = await configFiles({ ...machine, managedRoot: ports.managedRoot });
  if (isScript) configuration.report(HOOK_SCRIPT);
  const { gate, registry } = configuration;
  const plugins = (options.plugins ?? []).map((folder) => path.resolve(cwd, folder));
  const concern = concernOf({ found, files, plugins, switches: registry.switches });
  const statuses = await gate.judge(registry.hooks, concern);
  const hooks = compose(options, machine, { ...configuration, statuses, above: gate.approvedAbove(fileAbove(found)) });
  await useShippedHooks(hooks, options, machine, found);
  return hooks;
}

/** What comes with hookloop and is switched on. Any file may do so, also one that nobody has approved: these hooks can only tighten. */
async function useShippedHooks(hooks: HookEngine, options: OpenOptions, { cwd, home, env }: Machine, found: FoundSources): Promise<void> {
  const names = new Set([...(options.use ?? []), ...found.documents.flatMap(({ switches }) => switches.use ?? [])]);
  if (names.size === 0) return;
  const { useNamed } = await import("./builtin/index.ts");
  useNamed(hooks, names, { home, shell: env["SHELL"], directories: () => [cwd, ...(options.directories?.() ?? [])] });
}

const HOOK_SCRIPT: Diagnostic = {
  code: "HL_CONFIG_OPTION_INVALID",
  level: "error",
  text: "This program calls hook() or runHook() in its own file, and that makes a hook script of it: it reads stdin, its stdout is the answer, and then it ends. Write hooks.on(event, options, handler), or declare the hook in another file and write hooks.on(definition).",
};

/** An engine without configuration: no file is read, only functions of the program run, and it is there at once. */
export function createHooks(options: Omit<OpenOptions, "settings" | "plugins" | "tools" | "use" | "directories">): HookEngine {
  embedHooks();
  const machine = lookAround(options);
  const found = { documents: [], diagnostics: [] };
  return compose(options, machine, {
    ...configure(options, machine, { found, find: async () => found, scripts: [] }),
    statuses: new Map(),
    above: [],
    hasNoFiles: true,
  });
}

interface Sources {
  readonly found: FoundSources;
  /** Reads everything again. */
  readonly find: () => Promise<FoundSources>;
  readonly scripts: readonly Diagnostic[];
}

/** What the files of a session say, and the gate their hooks must pass. */
interface Configuration extends Sources {
  readonly registry: ReturnType<typeof registerHooks>;
  readonly isStrict: boolean;
  readonly gate: TrustGate;
  readonly store: TrustStore;
  readonly steps: Steps;
  /** Says a diagnostic, as one of the steps. */
  readonly report: (diagnostic: Diagnostic) => void;
}

function configure(options: OpenOptions, machine: Machine, sources: Sources): Configuration {
  const steps = openSteps({ options, env: machine.env, onDiagnostic: safely(options.onDiagnostic ?? printDiagnostic) });
  const report = (diagnostic: Diagnostic): void => steps.say({ type: "diagnostic", ...diagnostic });
  const registry = registerHooks(sources.found.documents, { env: machine.env, strict: options.strict });
  const isStrict = registry.settings["strict"] === true;
  return {
    ...sources,
    steps,
    report,
    registry,
    isStrict,
    ...openTrust({ trust: options.trust ?? "store", isStrict, ...machine, report }),
  };
}

interface Judged extends Configuration {
  readonly statuses: Statuses;
  /** Approved gates of folders above. */
  readonly above: readonly TrustStatus[];
  /** No file is read or written. */
  readonly hasNoFiles?: true;
}

function compose(options: OpenOptions, machine: Machine, configuration: Judged): HookEngine {
  const { cwd, home, env } = machine;
  const { trust = "store", tools = [] } = options;
  const { found, registry, gate, isStrict, report, statuses } = configuration;
  const readmit = (hooks: readonly RegisteredHook[], judged: Statuses = statuses): Admission =>
    admitHooks({ hooks, switches: registry.switches, statuses: judged });
  // Also what was approved and is not there any more.
  const absent = [...statuses.values()].flatMap(({ hook, isAbsent }) => (isAbsent ? hook : []));
  const admission = readmit([...registry.hooks, ...absent]);
  const permissions = filePermissions(found.documents, { isTrusted: vouchesForWorkspace(trust), root: cwd, home, tools });
  const diagnostics = findings(configuration, permissions, admission, env);
  for (const diagnostic of diagnostics) report(diagnostic);
  const http = (closing: AbortSignal): Runner =>
    openHttpRunner({ environment: env, policy: registry.http, settings: registry.settings, trust, closing });
  const budgets = registry.settings["budgets"];
  const { session, close, shellEnv } = openSession({
    steps: configuration.steps,
    options: { ...options, strict: isStrict },
    machine,
    report,
    http,
    gate,
    budgets,
  });
  const plannerOptions = plannerOptionsOf({ session, cwd, home, tools, report });
  session.planner = createPlanner([...admission.admitted, ...admission.withheld], plannerOptions);
  checkSpellings(session.planner, EVENT_NAMES, tools);
  for (const { hook, reason, blocks } of admission.refused)
    session.say({ type: "refused", event: hook.event, hook: hook.id, reason, ...(blocks && { blocks }) });
  const engineTrust = sessionTrust({
    ...configuration,
    admission,
    lostRules: permissions.fileRules.lost,
    hasRunner: (kind) => session.runners[kind] !== undefined,
    register: ({ documents }) => registerHooks(documents, { env, strict: options.strict }).hooks,
    requireHooks: options.requireHooks ?? false,
    ...(typeof options.settings === "string" && { settingsFile: path.resolve(cwd, options.settings) }),
    managedRoot: options.ports?.managedRoot,
  });
  return new HookEngine({
    ...openEdits({ ...configuration, ...machine, ...protectedParts(options, configuration), trust: engineTrust }),
    stopCap: createStopCap({
      cap: options.stopCap ?? configuredCap(env, registry.settings),
      isUnattended: options.waitForRewake === true,
    }),
    plugins: found.plugins ?? [],
    readFrontmatter: frontmatterReader({ machine, isStrict, gate, report, readmit }),
    session,
    admission,
    diagnostics,
    plannerOptions,
    shellEnv,
    close,
    readmit: (hooks) => readmit(hooks),
    later: { gate, report, readmit: (hooks, judged) => admitHooks({ hooks, switches: registry.switches, statuses: judged, isEdit: true }) },
    tools,
    ...permissions,
  });
}

/** Everything that is said when a session opens. */
function findings(
  { found, scripts, registry, above, statuses, isStrict }: Judged,
  { fileRules }: Pick<ReturnType<typeof filePermissions>, "fileRules">,
  { refused }: Admission,
  env: Machine["env"],
): readonly Diagnostic[] {
  return [
    ...found.diagnostics,
    ...scripts,
    ...found.documents.flatMap((document) => document.diagnostics),
    ...registry.diagnostics,
    ...fileRules.diagnostics,
    ...aboveDiagnostic(above),
    ...trustFindings([...statuses.values()]),
    ...withheldVariables([...statuses.values()], env, isStrict),
    ...refused.map(refusalDiagnostic),
  ].map(typeable);
}

/** A guard whose text asks for a variable that it does not get decides without it: said, with the cure. */
function withheldVariables(statuses: readonly TrustStatus[], env: Machine["env"], isStrict: boolean): readonly Diagnostic[] {
  return statuses.flatMap(({ hook, pins, refusal }) => {
    if (refusal || hook.target.kind !== "command") return [];
    const words = new Set([hook.target.command, ...(pins?.texts.values() ?? [])].flatMap((text) => text.match(/[A-Za-z_]\w*/g) ?? []));
    const named = explainWithheld({ base: env, hook, isStrict }).filter(({ name, canPass }) => canPass && words.has(name));
    return named.map(({ name, why }): Diagnostic => {
      const text = `The hook "${visibleLine(hook.name)}" names ${name}, which is withheld from it because it ${why}. Name it in "passEnv" of the hook, in .hookloop/hooks.json, if it needs it.`;
      return { code: "HL_ADMIT_VARIABLE_WITHHELD", level: "warning", text, place: hook.place, hook: hook.id };
    });
  });
}

interface PlannerParts extends Pick<Configuration, "report"> {
  readonly session: Session;
  readonly cwd: string;
  readonly home: string;
  readonly tools: readonly string[];
}

function plannerOptionsOf({ session, cwd, home, tools, report }: PlannerParts): PlannerOptions {
  const nameOf = (dialect: string, tool: string): string => session.dialects.of(dialect).input.toolName?.(tool) ?? tool;
  return { home, root: cwd, onDiagnostic: report, nameOf, tools, told: new Set<string>() };
}

function trustFindings(statuses: readonly TrustStatus[]): readonly Diagnostic[] {
  return [...statuses.flatMap(switchDiagnostic), ...weaknessDiagnostics(statuses)];
}

/** What the program says about which files its tools must leave alone; `settings` may also be JSON. */
function protectedParts(
  { plugins, ports, protectedFiles = [], settings, trust = "store" }: OpenOptions,
  { hasNoFiles }: Pick<Judged, "hasNoFiles">,
): Pick<EditableParts, "plugins" | "managedRoot" | "given" | "approves"> {
  const given = typeof settings === "string" && !/^\s*[{[]/.test(settings) ? [...protectedFiles, settings] : protectedFiles;
  return { plugins, given, managedRoot: ports?.managedRoot, approves: hasNoFiles ? "implicit" : trust };
}

interface HeadParts extends Pick<Configuration, "isStrict" | "gate" | "report"> {
  readonly machine: Machine;
  readonly readmit: (hooks: readonly RegisteredHook[], judged: Statuses) => Admission;
}

/** Reads, registers and admits the hooks in the head of a skill's or subagent's file. */
function frontmatterReader({
  machine: { env, dialects },
  isStrict,
  gate,
  report,
  readmit,
}: HeadParts): (head: Frontmatter) => Promise<Admission> {
  return async ({ text, file, root = path.dirname(file), skill, agentId, isEdited }: Frontmatter): Promise<Admission> => {
    const source = {
      scope: "skill",
      dialect: dialects.for("head").name,
      file,
      root,
      agentId,
      ...(skill !== undefined && { skill: { name: skill, root } }),
    } as const;
    const document = await readFrontmatter({ source, dialects, text });
    const { hooks, diagnostics: odd } = registerHooks([document], { env, strict: isStrict });
    const isBroken = document.diagnostics.some(({ level }) => level === "error");
    const concern = { files: [], plugins: [], broken: isBroken ? [file] : [], head: source };
    const statuses = await (isEdited ? gate.judgeEdits(hooks, concern) : gate.judge(hooks, concern));
    const admission = readmit([...statuses.keys()], statuses);
    for (const diagnostic of [...document.diagnostics, ...odd, ...admission.refused.map(refusalDiagnostic)]) report(diagnostic);
    return admission;
  };
}

/** Whether the run was told to believe what the project says about permissions. Approved hooks are no reason: they say nothing about its rules. */
function vouchesForWorkspace(trust: Trust): boolean {
  return trust === "implicit" || (typeof trust === "object" && trust.workspace === true);
}

function pick({ settings, plugins, tools }: OpenOptions): Pick<FindOptions, "settings" | "plugins" | "tools"> {
  return { settings, plugins, tools };
}

/** With commands that can be typed as they stand, also by who has only the package. */
function typeable(diagnostic: Diagnostic): Diagnostic {
  return { ...diagnostic, text: withOwnCommand(diagnostic.text) };
}

/** A listener that throws must not hurt the event it is told about. */
function safely(listener: (diagnostic: Diagnostic) => void): (diagnostic: Diagnostic) => void {
  return (diagnostic) => {
    callListener(
      () => listener(diagnostic),
      // What was to be said is still said.
      () => printDiagnostic(diagnostic),
    );
  };
}

/** The variable of Claude Code, else the setting; anything that is no number is passed on and means the default. */
function configuredCap(env: Readonly<Record<string, string>>, settings: Readonly<Record<string, unknown>>): number {
  const value = env["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"] ?? settings["stopCap"] ?? DEFAULT_STOP_CAP;
  return Number(value);
}
