/** What can change while a session runs: which hooks it has, and so which files its tools must leave alone. */

import { lstatSync } from "node:fs";
import path from "node:path";
import { EVENTS } from "../catalogue/index.ts";
import { invalidOption } from "../check-options.ts";
import { configFiles, type FoundSources, type RegisteredHook, type Registry, sessionFiles } from "../config/index.ts";
import { type Diagnostic, visibleLine } from "../diagnostic.ts";
import { type AppliedEdits, type Configuration, inOrder, type ToolWatch } from "../engine/index.ts";
import { type Protect, type ProtectContext, protect } from "../permissions/index.ts";
import {
  type Admission,
  type AdmittedHook,
  admitHooks,
  createLoadedFiles,
  examineHook,
  isGate,
  moduleFolders,
  type RefusedHook,
  refusalDiagnostic,
} from "../trust/index.ts";
import type { Opening } from "./options.ts";

const MAX_CONTEXTS = 64;

/** SECURITY: the agent's tools may not change what decides which hooks run; no setting of a project reaches this. */
export function protectConfiguration(
  { cwd, home, env, dialects, managedRoot, options }: Opening,
  guarded: Configuration["guarded"],
): Pick<Configuration, "guarded" | "protect" | "watched"> {
  const { plugins = [], settings, protectedFiles = [] } = options;
  // `settings` may also be JSON.
  const given = typeof settings === "string" && !/^\s*[{[]/.test(settings) ? [...protectedFiles, settings] : protectedFiles;
  // Also those that are not pinned: hooks the program approves, and files that are not there yet.
  const examined = guarded.map(({ hook }) => examineHook(hook, { projectRoot: cwd, home, path: "" }));
  const named = examined.flatMap(({ files: found, interpreted }) => [
    ...found.flatMap(({ path, role }) => (role === "script" ? [path] : [])),
    ...interpreted.flatMap((one) => one.scripts),
  ]);
  const pinned = guarded.flatMap(({ pins }) => pins?.record.files.map(({ realpath }) => realpath) ?? []);
  const folders = [...guarded.flatMap(({ pins }) => pins?.moduleFolders ?? []), ...examined.flatMap(moduleFolders)];
  const scripts = [...new Set([...pinned, ...named])];
  const files = guarded.flatMap(({ hook }) => hook.source.file ?? []);
  const loaded = createLoadedFiles(
    guarded.map(({ hook }) => hook),
    { projectRoot: cwd, home },
  );
  const declaring = [...files, ...sessionFiles({ cwd, home, env, dialects })];
  const context = {
    root: cwd,
    home,
    env,
    scripts,
    loaded,
    moduleFolders: [...new Set(folders)],
    files: declaring,
    given,
    plugins,
    managedRoot,
  };
  // One for each folder that calls were in: what is found out for a context is remembered with it.
  const contexts = new Map<string, ProtectContext>();
  const contextOf = (folder: string): ProtectContext => {
    const found = contexts.get(folder) ?? { ...context, cwd: folder };
    if (contexts.size >= MAX_CONTEXTS) contexts.clear();
    contexts.set(folder, found);
    return found;
  };
  const guard: Protect = ({ tool_name: tool, tool_input: input, cwd: folder, x_kind: kind }) =>
    protect({ tool, input, ...(typeof kind === "string" && { kind }) }, contextOf(typeof folder === "string" ? folder : cwd));
  const watched = [...new Set([...files, ...scripts, ...given].map((file) => path.resolve(cwd, file)))];
  return { guarded, protect: guard, watched };
}

/**
 * The configuration after the edits of the given files, and what came of them. An edit adds hooks that are approved. It takes away only what
 * merely observes: a gate, and everything of managed policy, stays until the session ends, or whoever can edit a file could switch it off.
 */
export async function applyEdits(
  opening: Opening,
  given: readonly string[],
  before: Configuration,
): Promise<{ readonly configuration: Configuration; readonly applied: AppliedEdits }> {
  checkFiles(given);
  const now = await opening.find();
  const files = await namedFiles(opening, given, [...before.documents, ...now.documents]);
  const documents = chosenDocuments(before.documents, now, files);
  const registry = opening.register(documents);
  const { admission, applied } = await admitEdits(opening, before.admission, registry);
  const unread = now.diagnostics.filter(({ place }) => place && files.includes(place.file));
  const edited = documents.filter(({ source }) => source.file !== undefined && files.includes(source.file));
  const [rulesBefore, rulesNow] = [rulesByFile(before.documents), rulesByFile(documents)];
  const ruled = files.filter((file) => (rulesBefore.get(file) ?? NO_RULES) !== (rulesNow.get(file) ?? NO_RULES));
  const said = [
    ...unread,
    ...edited.flatMap(({ diagnostics }) => diagnostics),
    ...applied.kept.map(keptDiagnostic),
    ...ruled.map(rulesDiagnostic),
    ...applied.added.map((hook) => changeDiagnostic(hook, "was added while the session runs, and runs from now on")),
    ...applied.removed.map((hook) => changeDiagnostic(hook, "was removed while the session runs, and does not run any more")),
    ...news(before.admission.refused, applied.refused).map(refusalDiagnostic),
  ];
  for (const diagnostic of said) opening.report(diagnostic);
  const guarded = [...before.guarded, ...applied.added.map((hook) => ({ hook }))];
  return { configuration: { documents, registry, admission, ...protectConfiguration(opening, guarded) }, applied };
}

/** What passes the gate of the edited hooks, beside what the session keeps. */
async function admitEdits(
  { gate, registry: atStart }: Opening,
  before: Admission,
  registry: Registry,
): Promise<{ readonly admission: Admission; readonly applied: AppliedEdits }> {
  const running = new Map(before.admitted.map((hook) => [hook.id, hook]));
  const fresh = registry.hooks.filter(({ id }) => !running.has(id));
  const statuses = await gate.judgeEdits(fresh);
  const admitted = withPolicy(admitHooks({ hooks: fresh, switches: registry.switches, statuses, isEdit: true }), atStart.switches);
  const present = new Set(registry.hooks.filter((hook) => !registry.switches.isDisabled(hook)).map(({ id }) => id));
  const waiting = new Set(admitted.refused.map(({ hook }) => hook.source.file));
  const isGone = (hook: AdmittedHook): boolean => !present.has(hook.id);
  const isKept = (hook: AdmittedHook): boolean => !isGone(hook) || mustStay(hook) || waiting.has(hook.source.file);
  const kept = before.admitted.filter((hook) => isGone(hook) && isKept(hook));
  // What was withheld when the session began stays so, unless it is there again as it was approved.
  const back = new Set<unknown>(admitted.admitted.flatMap((hook) => [hook.id, statuses.get(hook)?.digest]));
  const withheld = before.withheld.filter(({ withheld: one }) => !back.has(one?.of?.id ?? "") && !back.has(one?.approved ?? ""));
  const shut = before.refused.filter(({ hook, blocks }) => blocks && withheld.some(({ id }) => id === hook.id));
  const others = admitted.refused.filter(({ hook }) => !shut.some((one) => one.hook.id === hook.id));
  const admission = {
    admitted: inOrder([...before.admitted.filter(isKept), ...admitted.admitted]),
    refused: [...others, ...shut],
    withheld,
  };
  const removed = before.admitted.filter((hook) => !isKept(hook));
  return { admission, applied: { added: admitted.admitted, removed, kept, refused: admitted.refused } };
}

/** What each file says about permissions, without where it stands. */
function rulesByFile(documents: FoundSources["documents"]): ReadonlyMap<string, string> {
  return new Map(documents.flatMap(({ source: { file }, permissions }) => (file === undefined ? [] : [[file, rulesText(permissions)]])));
}

function rulesText(permissions: object): string {
  return JSON.stringify(permissions, (key, value: unknown) => (key === "place" ? undefined : value));
}

const NO_RULES = rulesText({ allow: [], ask: [], deny: [] });

/** SECURITY: whoever adds a deny rule believes that it holds. */
function rulesDiagnostic(file: string): Diagnostic {
  const text = `The permission rules of ${visibleLine(file)} were edited while the session runs. They count from the next session on; this one keeps the rules it began with.`;
  return { code: "HL_CONFIG_EDITED", level: "warning", text, place: { file } };
}

function checkFiles(files: unknown): void {
  const isList = Array.isArray(files) && files.every((file) => typeof file === "string" && file !== "");
  if (!isList)
    throw invalidOption(
      "applyEdits() takes a list of files. Write applyEdits([file]); hooks.internals.configFiles() names those there can be",
    );
}

/** The files as the session knows them; of a folder of policy, those in it. What is no configuration is said: nothing of it was applied. */
async function namedFiles(opening: Opening, given: readonly string[], documents: FoundSources["documents"]): Promise<readonly string[]> {
  const { cwd, report } = opening;
  const places = (await configFiles(opening)).map(({ file }) => file);
  const read = documents.flatMap(({ source }) => source.file ?? []);
  const named = given.flatMap((one): readonly string[] => {
    const file = path.resolve(cwd, one);
    const inside = places.includes(file) ? read.filter((other) => path.dirname(other) === file) : [];
    const isKnown = places.includes(file) || read.includes(file) || places.includes(path.dirname(file));
    if (!isKnown) report(notApplied(`${one} is no configuration file of this session, so nothing of it was applied.`));
    return isKnown ? [file, ...inside] : [];
  });
  if (given.length === 0) report(notApplied("applyEdits([]) names no file, so nothing was applied."));
  return named;
}

function notApplied(text: string): Diagnostic {
  return { code: "HL_CONFIG_OPTION_INVALID", level: "warning", text: `${text} hooks.internals.configFiles() names those there can be.` };
}

/** Documents of other files stay as the session has them, and so does one that cannot be read any more. */
function chosenDocuments(had: FoundSources["documents"], now: FoundSources, files: readonly string[]): FoundSources["documents"] {
  const isChosen = ({ source }: FoundSources["documents"][number]): boolean => source.file !== undefined && files.includes(source.file);
  const unread = new Set(now.diagnostics.flatMap(({ place }) => place?.file ?? []));
  return [...had.filter((document) => !isChosen(document) || unread.has(document.source.file ?? "")), ...now.documents.filter(isChosen)];
}

/** SECURITY: what only managed policy allowed when the session began stays so. */
function withPolicy({ admitted, refused, withheld }: Admission, switches: Registry["switches"]): Admission {
  const refusalOf = (hook: RegisteredHook): RefusedHook | undefined => {
    const off = switches.isDisabled(hook);
    return off && off.reason !== "disabled" ? { hook, ...off } : undefined;
  };
  return {
    admitted: admitted.filter((hook) => !refusalOf(hook)),
    refused: [...refused, ...admitted.flatMap((hook) => refusalOf(hook) ?? [])],
    withheld,
  };
}

function mustStay({ source, event, setting, isGuard }: AdmittedHook): boolean {
  return setting === undefined && (source.scope === "managed" || isGuard || EVENTS[event].role === "gate");
}

function news(before: readonly RefusedHook[], now: readonly RefusedHook[]): readonly RefusedHook[] {
  const known = new Set(before.map(({ hook }) => hook.id));
  return now.filter(({ hook }) => !known.has(hook.id));
}

function changeDiagnostic(hook: RegisteredHook, what: string): Diagnostic {
  return { code: "HL_CONFIG_EDITED", level: "notice", text: `"${hook.name}" ${what}.`, place: hook.place, hook: hook.id };
}

function keptDiagnostic(hook: RegisteredHook): Diagnostic {
  const next = isGate(hook)
    ? "The next one does without, unless it was approved: then what it matched stays blocked until you have accepted that it is gone (hookloop trust review)."
    : "The next one does without.";
  const text = `"${hook.name}" was removed, changed or switched off while the session runs. The session keeps it. ${next}`;
  return { code: "HL_CONFIG_EDITED", level: "warning", text, place: hook.place, hook: hook.id };
}

/** Looking at one file takes some microseconds, twice for each call. */
const MAX_FILES = 30;

/**
 * The second line behind self-protection: what a tool of the agent did to the files that decide which hooks run. A command is read before it
 * runs, and no reading is complete; here it is seen what happened. The trust store is put back; other files are only named, since a hook that
 * is not what was approved does not run anyway.
 */
export function createToolWatch({ store, trust, hasNoFiles, report }: Opening): ToolWatch {
  let stop: (() => void) | undefined;
  let isOpen = false;
  const open = (): void => {
    isOpen = true;
    // A program that approves by itself believes no store.
    if (hasNoFiles || trust === "implicit" || typeof trust === "function") return;
    stop = store.watch((problem) => report(tampered(store.file, problem)));
  };
  return {
    before(files) {
      if (!isOpen) open();
      if (stop) store.checkWatched();
      const watched = files.slice(0, MAX_FILES);
      const signs = watched.map(signOf);
      return (tool, isKnown) => {
        if (stop) store.checkWatched();
        // SECURITY: whoever allowed a change that was asked about knows of it.
        if (isKnown) return;
        for (const [at, file] of watched.entries()) if (signOf(file) !== signs[at]) report(changedFile(file, tool));
      };
    },
    close() {
      stop?.();
      stop = undefined;
    },
  };
}

function signOf(file: string): string {
  try {
    const found = lstatSync(file, { throwIfNoEntry: false });
    return found ? `${found.ino} ${found.size} ${found.mtimeMs} ${found.mode}` : "";
  } catch (thrown) {
    return String((thrown as NodeJS.ErrnoException).code);
  }
}

function tampered(file: string, problem: string | undefined): Diagnostic {
  const what = `Something changed the trust store ${file} without "hookloop trust", while the agent ran tools. What may run is for the user to decide`;
  const end =
    problem === undefined
      ? "so it was put back as it was. Look at what the agent did. If you changed it yourself, use hookloop trust in your own terminal."
      : `and it could not be put back (${problem}). Until it is fixed every gate blocks. Look at what the agent did, then move the store away and approve again: hookloop trust review`;
  return { code: "HL_TRUST_STORE_PUT_BACK", level: "error", text: `${what}, ${end}` };
}

function changedFile(file: string, tool: string): Diagnostic {
  const text = `${visibleLine(file)} was changed while ${visibleLine(tool)} ran, and the call did not show that it would: hooks are declared in it, or it is part of one. Look at it, also with hookloop trust.`;
  return { code: "HL_TRUST_CHANGED_BY_TOOL", level: "warning", text, place: { file } };
}
