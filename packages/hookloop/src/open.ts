/** Composes an engine: the only file that knows every stage, every dialect and the machine it runs on. */

import path from "node:path";
import { embedHooks, isHookScript } from "@hookloop/sdk/host";
import { SHIPPED_HOOKS, type UsedHook } from "./catalogue/index.ts";
import { callListener } from "./check-options.ts";
import {
  BELOW_USER,
  type ConfigDocument,
  canonicalJson,
  checkScripts,
  configFiles,
  type FoundSources,
  findSources,
  readFrontmatter,
  registerHooks,
  scopeRank,
} from "./config/index.ts";
import { type Diagnostic, printDiagnostic, visibleLine, withOwnCommand } from "./diagnostic.ts";
import { type Admit, type Frontmatter, filePermissions, HookEngine, type SessionPlace } from "./engine/index.ts";
import { createStopCap, DEFAULT_STOP_CAP } from "./judge/index.ts";
import { applyEdits, createToolWatch, protectConfiguration } from "./open/edits.ts";
import { loadExtensions } from "./open/extensions.ts";
import {
  type CreateOptions,
  checkCreateOptions,
  checkOptions,
  type Machine,
  machineOf,
  type Opening,
  type OpenOptions,
  runFolder,
  usedByProgram,
} from "./open/options.ts";
import { openSession, openSteps } from "./open/session.ts";
import { concernOf, createEditCheck, fileAbove, headSource, openTrust } from "./open/trust.ts";
import { explainWithheld, reapOrphans } from "./run/index.ts";
import type { PlannerOptions } from "./select/index.ts";
import { ownFolder } from "./state-files.ts";
import {
  type Admission,
  aboveDiagnostic,
  admitHooks,
  cannotStart,
  refusalDiagnostic,
  type Statuses,
  switchDiagnostic,
  type Trust,
  type TrustStatus,
  weaknessDiagnostics,
} from "./trust/index.ts";

/** Reads the configuration, takes a snapshot, and gives the session's hooks. A broken configuration is reported, never thrown; a misspelt option is thrown. */
export async function openHooks(options: OpenOptions): Promise<HookEngine> {
  checkOptions(options);
  const { ports: { managedRoot, managedUid } = {}, settings, plugins = [], tools } = options;
  const isScript = isHookScript();
  embedHooks();
  const machine = machineOf(options);
  const { cwd, home } = machine;
  const isWorkspaceTrusted = trustsWorkspace(options.trust ?? "store");
  const { extensions } = options;
  const find = (): Promise<FoundSources> =>
    findSources({ ...machine, settings, plugins: options.plugins, extensions, tools, isWorkspaceTrusted, managedRoot, managedUid });
  const found = await find();
  const orphans = await reapOrphans(runFolder(machine));
  const scripts = found.documents.flatMap((document) =>
    checkScripts(document, { projectRoot: cwd, home, searchPath: machine.env["PATH"] }),
  );
  const opening = openConfiguration(options, machine, { found, find });
  const { gate, registry, report } = opening;
  for (const diagnostic of [...orphans.diagnostics, ...(isScript ? [HOOK_SCRIPT] : [])]) report(diagnostic);
  const files = await configFiles(opening);
  const folders = plugins.map((folder) => path.resolve(cwd, folder));
  const statuses = await gate.judge(registry.hooks, concernOf({ found, files, plugins: folders, switches: registry.switches }));
  const late: Diagnostic[] = [];
  const hooks = compose(opening, { scripts, statuses, above: gate.approvedAbove(fileAbove(found)), late });
  await useShippedHooks(hooks, opening);
  for (const diagnostic of await loadExtensions(hooks, opening)) {
    late.push(diagnostic);
    report(diagnostic);
  }
  return hooks;
}

/** What comes with hookloop and is switched on. */
async function useShippedHooks(hooks: HookEngine, opening: Opening): Promise<void> {
  const used = usedHooks(opening);
  if (used.length > 0) (await import("./builtin/index.ts")).useNamed(hooks, used);
}

function placeOf({ options, cwd, home, env, report }: Opening): SessionPlace {
  const directories = (): readonly string[] => [cwd, ...(options.directories?.() ?? [])];
  return { cwd, home, env, stateFolder: ownFolder("state", { home, env }), directories, report };
}

/**
 * Highest source first. SECURITY: guards can only tighten, so any file may switch one on, also one that is not approved, and each set of options
 * runs: a project's own never replace the user's. Of the others the highest source's options count.
 */
function usedHooks({ options, trust, found, report }: Opening): readonly UsedHook[] {
  const all = new Map<string, UsedHook>();
  const use = (one: UsedHook): void => {
    const isGuard = SHIPPED_HOOKS[one.name].role === "guard";
    const key = isGuard ? `${one.name} ${canonicalJson(one.options)}` : one.name;
    if (!all.has(key)) all.set(key, one);
  };
  for (const one of usedByProgram(options.use ?? [])) use(one);
  const documents = [...found.documents].sort((a, b) => scopeRank(a.source.scope) - scopeRank(b.source.scope));
  for (const { source, switches } of documents) {
    const isOpen = !BELOW_USER.includes(source.scope) || trustsWorkspace(trust);
    for (const one of switches.use ?? []) {
      if (isOpen || SHIPPED_HOOKS[one.name].needsTrust !== true) use(one);
      else report(needsTrust(one, source));
    }
  }
  return [...all.values()];
}

function needsTrust({ name }: UsedHook, { file, scope }: ConfigDocument["source"]): Diagnostic {
  const text = `"${name}" in "use" of ${file ?? scope} is not switched on: it runs code of the project or sends something away. Trust the workspace (--trust-workspace), or name it in your own hooks.json.`;
  return { code: "HL_ADMIT_UNTRUSTED", level: "warning", text };
}

const HOOK_SCRIPT: Diagnostic = {
  code: "HL_CONFIG_OPTION_INVALID",
  level: "error",
  text: "This program calls hook() or runHook() in its own file, and that makes a hook script of it: it reads stdin, its stdout is the answer, and then it ends. Write hooks.on(event, options, handler), or declare the hook in another file and write hooks.on(definition).",
};

/** An engine without configuration: no file is read, only functions of the program run, and it is there at once. Throws at an option that it cannot keep. */
export function createHooks(options: CreateOptions): HookEngine {
  checkCreateOptions(options);
  embedHooks();
  const found = { documents: [], diagnostics: [] };
  const opening = openConfiguration(options, machineOf(options), { found, find: async () => found, hasNoFiles: true });
  return compose(opening, { scripts: [], statuses: new Map(), above: [], late: [] });
}

/** What the files of a session say, and the gate their hooks must pass. */
function openConfiguration(
  options: OpenOptions,
  machine: Machine,
  { found, find, hasNoFiles = false }: Pick<Opening, "found" | "find"> & { readonly hasNoFiles?: boolean },
): Opening {
  const { trust = "store", strict } = options;
  const { env } = machine;
  const steps = openSteps(options, env, safely(options.onDiagnostic ?? printDiagnostic));
  const report = (diagnostic: Diagnostic): void => steps.say({ type: "diagnostic", ...diagnostic });
  const registry = registerHooks(found.documents, { env, projectRoot: machine.cwd, strict });
  const isStrict = registry.settings["strict"] === true;
  return {
    ...machine,
    options,
    trust,
    hasNoFiles,
    isStrict,
    managedRoot: options.ports?.managedRoot,
    steps,
    report,
    found,
    find,
    registry,
    register: (documents) => registerHooks(documents, { env, projectRoot: machine.cwd, strict: isStrict }),
    ...openTrust({ trust, isStrict, ...machine, report }),
  };
}

/** What the gate said when the session opened. */
interface Judged {
  readonly statuses: Statuses;
  /** Approved gates of folders above. */
  readonly above: readonly TrustStatus[];
  /** Findings about the scripts that hooks name. */
  readonly scripts: readonly Diagnostic[];
  /** Gets why the session must not start, also what is found when it is open. */
  readonly late: Diagnostic[];
}

function compose(opening: Opening, judged: Judged): HookEngine {
  const { options, trust, cwd, home, env, found, registry, gate, report } = opening;
  const { tools = [], settings, requireHooks = false } = options;
  const { statuses, above, late } = judged;
  const admit: Admit = (hooks, by = statuses, isEdit = false) => admitHooks({ hooks, switches: registry.switches, statuses: by, isEdit });
  const { documents } = found;
  // Also what was approved and is not there any more.
  const absent = [...statuses.values()].flatMap(({ hook, isAbsent }) => (isAbsent ? hook : []));
  const admission = admit([...registry.hooks, ...absent]);
  const configuration = { documents, registry, admission, ...protectConfiguration(opening, [...statuses.values()]) };
  const permissions = filePermissions(documents, { isTrusted: trustsWorkspace(trust), root: cwd, home, tools });
  const diagnostics = findings(opening, judged, [...permissions.fileRules.diagnostics], admission);
  for (const diagnostic of diagnostics) report(diagnostic);
  const { session, close, shellEnv, openLight } = openSession(opening);
  const mustNotStart = cannotStart({
    documents,
    unread: found.diagnostics,
    lostRules: permissions.fileRules.lost,
    managedRoot: opening.managedRoot ?? "/etc/hookloop",
    admission,
    statuses,
    above,
    hasRunner: (kind) => session.runners[kind] !== undefined,
    requireHooks,
    ...(typeof settings === "string" && { settingsFile: path.resolve(cwd, settings) }),
  });
  const hooks = new HookEngine({
    session,
    configuration,
    diagnostics,
    gate,
    admit,
    plannerOptions: plannerOptionsOf(opening),
    shellEnv,
    createStopCap: () =>
      createStopCap({ cap: options.stopCap ?? configuredCap(env, registry.settings), isUnattended: options.waitForRewake === true }),
    tools,
    trust: {
      statuses: [...statuses.values()],
      cannotStart: late,
      gatesAbove: above.map(({ hook }) => hook),
      gatesOf: (folders) => gate.approvedAbove(undefined, folders).map(({ hook }) => hook),
    },
    plugins: found.plugins ?? [],
    place: placeOf(opening),
    watch: createToolWatch(opening),
    applyEdits: (files, before) => applyEdits(opening, files, before),
    checkForEdits: createEditCheck(opening),
    configFiles: () => configFiles(opening),
    readFrontmatter: (head) => admitFrontmatter(opening, admit, head),
    close,
    openLight,
    ...permissions,
  });
  for (const { hook, reason, blocks } of admission.refused)
    session.say({ type: "refused", event: hook.event, hook: hook.id, reason, ...(blocks && { blocks }) });
  for (const diagnostic of mustNotStart) report(diagnostic);
  late.push(...mustNotStart);
  return hooks;
}

/** Everything that is said when a session opens. */
function findings(
  { found, registry, env, isStrict }: Opening,
  { scripts, above, statuses }: Judged,
  rules: readonly Diagnostic[],
  { refused }: Admission,
): readonly Diagnostic[] {
  const judged = [...statuses.values()];
  return [
    ...found.diagnostics,
    ...scripts,
    ...found.documents.flatMap((document) => document.diagnostics),
    ...registry.diagnostics,
    ...rules,
    ...aboveDiagnostic(above),
    ...judged.flatMap(switchDiagnostic),
    ...weaknessDiagnostics(judged),
    ...withheldVariables(judged, env, isStrict),
    ...refused.map(refusalDiagnostic),
    // With commands that can be typed as they stand, also where only the package is installed.
  ].map((diagnostic) => ({ ...diagnostic, text: withOwnCommand(diagnostic.text) }));
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

function plannerOptionsOf({ dialects, cwd, home, options: { tools = [] }, report }: Opening): PlannerOptions {
  const nameOf = (dialect: string, tool: string): string => dialects.of(dialect).input.toolName?.(tool) ?? tool;
  return { home, root: cwd, onDiagnostic: report, nameOf, tools, told: new Set<string>() };
}

/** Reads, registers and admits the hooks in the head of a skill's or subagent's file. */
async function admitFrontmatter({ dialects, register, gate, report }: Opening, admit: Admit, head: Frontmatter): Promise<Admission> {
  const { text, file, isEdited } = head;
  const source = headSource(head, dialects);
  const document = await readFrontmatter({ source, dialects, text });
  const { hooks, diagnostics: odd } = register([document]);
  const isBroken = document.diagnostics.some(({ level }) => level === "error");
  const concern = { files: [], plugins: [], broken: isBroken ? [file] : [], head: source };
  const statuses = await (isEdited ? gate.judgeEdits(hooks, concern) : gate.judge(hooks, concern));
  const admission = admit([...statuses.keys()], statuses);
  for (const diagnostic of [...document.diagnostics, ...odd, ...admission.refused.map(refusalDiagnostic)]) report(diagnostic);
  return admission;
}

/** Whether the run was told to believe what the project says about permissions. Approved hooks are no reason: they say nothing about its rules. */
function trustsWorkspace(trust: Trust): boolean {
  return trust === "implicit" || (typeof trust === "object" && trust.workspace === true);
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
