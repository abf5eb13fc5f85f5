/**
 * Watches settings and skills: an edit fires ConfigChange, and is applied unless a hook blocks it. What it brings passes the trust gate,
 * and hooks that guard the session stay until it ends.
 */

import { createHash } from "node:crypto";
import { existsSync, type FSWatcher, readdirSync, readFileSync, realpathSync, statSync, watch } from "node:fs";
import path from "node:path";
import { counted, ownCommand } from "../../diagnostic.ts";
import type { AppliedEdits, ConfigFile, EventInput } from "../../engine/index.ts";
import type { Verdict } from "../../judge/index.ts";
import { isInside } from "../../permissions/index.ts";
import { readFolder } from "../../state-files.ts";
import { type AgentCore, type Feature, isRefused, reasonsOf } from "./types.ts";

export function openConfigWatch(core: AgentCore): Feature {
  const folders = [core.root, core.home].map((folder) => path.join(folder, ".claude", "skills"));
  const onProblem = (text: string): void => core.report({ code: "HL_AGENT_WATCH", level: "warning", text });
  let settings: ReadonlyMap<string, ConfigSource> = new Map();
  const skills = watchFiles({
    look: fileContent,
    onProblem,
    onEvent: async ({ file }) => {
      if (path.basename(file) === "SKILL.md") await changed(core, "skills", file);
      else skills.followGrowing(skillPaths(folders));
    },
  });
  const files = watchFiles({
    look: fileContent,
    onProblem,
    onEvent: async ({ file }) => await changed(core, settings.get(file) ?? "project_settings", file),
  });
  return {
    async started() {
      settings = settingsFiles(await core.hooks.internals.configFiles());
      files.follow([...settings.keys()]);
      skills.follow(skillPaths(folders));
    },
    onVerdict({ fields }) {
      if (fields["reloadSkills"] === true) core.reloadSkills();
    },
    async beforeRequest() {
      await files.settle();
      skills.followGrowing(skillPaths(folders));
      await skills.settle();
    },
    close() {
      files.close();
      skills.close();
    },
  };
}

function skillPaths(folders: readonly string[]): readonly string[] {
  return [...folders, ...skillFiles(folders)];
}

async function changed(core: AgentCore, source: ConfigSource, file: string): Promise<void> {
  const verdict = await core.fire("ConfigChange", { source, file_path: file });
  if (isRefused(verdict)) {
    core.emit({ type: "tell", text: `${file} was edited; a hook blocked it, and the edit is not applied: ${reasonsOf(verdict)}` });
    return;
  }
  if (source === "skills") {
    core.reloadSkills(file);
    core.emit({ type: "tell", text: `${file} was edited; the skill is read again.` });
    return;
  }
  core.emit({ type: "tell", text: appliedText(file, await core.hooks.internals.applyEdits(editedFiles(file)), hasRules(core, file)) });
}

/** Of a folder (managed `hooks.d`), the files in it: also one that is gone is among what the session knows. */
function editedFiles(file: string): readonly string[] {
  try {
    return readdirSync(file).map((name) => path.join(file, name));
  } catch {
    // It is a file.
    return [file];
  }
}

/** Rules are in it now, or were when the session began. */
function hasRules({ permissions: { rules } }: AgentCore, file: string): boolean {
  if ([...rules.allow, ...rules.ask, ...rules.deny].some(({ place }) => place?.file === file)) return true;
  try {
    return /"permissions"\s*:\s*\{\s*"/.test(readFileSync(file, "utf8"));
  } catch {
    // It is gone, or a folder: there are none in it.
    return false;
  }
}

function appliedText(file: string, { added, removed, kept, refused }: AppliedEdits, isAboutRules: boolean): string {
  const pending = refused.filter(({ hook }) => hook.source.file === file).length;
  // Hooks that are not approved are in the file as well; only those that run count as added.
  const parts = [
    ...(added.length > 0 ? [`${counted(added.length, "hook was", "hooks were")} added`] : []),
    ...(removed.length > 0 ? [`${counted(removed.length, "hook was", "hooks were")} removed`] : []),
    ...(kept.length > 0 ? [`${counted(kept.length, "that guards this session stays", "that guard this session stay")} until it ends`] : []),
    ...(pending > 0
      ? [`${counted(pending, "hook is not approved and does", "hooks are not approved and do")} not run (${ownCommand()} trust review)`]
      : []),
    ...(added.length + removed.length + kept.length + pending === 0 ? ["its hooks are the same"] : []),
  ];
  return `${file} was edited: ${parts.join(", ")}.${isAboutRules ? " Its permission rules count from the next session." : ""}`;
}

type ConfigSource = "user_settings" | "project_settings" | "local_settings" | "policy_settings" | "skills";

const SOURCES: Readonly<Partial<Record<ConfigFile["scope"], ConfigSource>>> = {
  user: "user_settings",
  project: "project_settings",
  local: "local_settings",
  managed: "policy_settings",
};

function settingsFiles(files: readonly ConfigFile[]): ReadonlyMap<string, ConfigSource> {
  return new Map(
    files.flatMap(({ file, scope }) => {
      const source = SOURCES[scope];
      return source ? [[file, source] as const] : [];
    }),
  );
}

function skillFiles(folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) =>
    readFolder(folder).flatMap((entry) => (entry.isDirectory() ? [path.join(folder, entry.name, "SKILL.md")] : [])),
  );
}

/** Looking at each takes time before each request. */
const MOST_FILES = 1000;

/** Watches files for FileChanged: those that its matchers name, and the `watchPaths` that hooks answered last. */
export function openFileWatch(core: AgentCore): Feature {
  let dynamic: readonly string[] = [];
  const onProblem = (text: string): void => core.report({ code: "HL_AGENT_WATCH", level: "warning", text });
  const watch = watchFiles({
    look: fileState,
    onProblem,
    onEvent: async ({ file, event }) => {
      await core.fire("FileChanged", { file_path: file, event });
    },
  });
  const told = new Set<string>();
  const follow = (): void => {
    const files = [...new Set([...namedFiles(core), ...dynamic])].slice(0, MOST_FILES);
    if (files.length === 0) reportIdle(core, told);
    watch.follow(files);
  };
  return {
    async started() {
      follow();
    },
    onVerdict({ fields }: Verdict) {
      const paths = fields["watchPaths"];
      if (!Array.isArray(paths)) return;
      dynamic = absolutePaths(paths, onProblem);
      follow();
    },
    async beforeRequest() {
      // Hooks come and go, and matchers with them.
      follow();
      await watch.settle();
    },
    close: () => watch.close(),
  };
}

/** A matcher is also a list of names, relative to the project. */
function namedFiles({ hooks, root }: AgentCore): readonly string[] {
  const names = hooks.internals.matchers("FileChanged").flatMap((matcher) => matcher.split("|"));
  return names
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "*")
    .map((name) => path.resolve(root, name));
}

/** Nothing is watched: such a hook would never run, and nothing would say so. */
function reportIdle({ hooks, report }: AgentCore, told: Set<string>): void {
  for (const { id, event, place } of hooks.admitted) {
    if (event !== "FileChanged" || told.has(id)) continue;
    told.add(id);
    const text = `This FileChanged hook never runs: no file is watched. Name files in its "matcher" (".env|docs/notes.txt"), or let a SessionStart hook answer with "watchPaths".`;
    report({ code: "HL_AGENT_WATCH", level: "warning", text, place, hook: id });
  }
}

function absolutePaths(paths: readonly unknown[], onProblem: (text: string) => void): readonly string[] {
  return paths.flatMap((one) => {
    if (typeof one === "string" && path.isAbsolute(one)) return [path.normalize(one)];
    onProblem(`A hook's "watchPaths" has ${JSON.stringify(one)?.slice(0, 200)}, which is no absolute path and is not watched.`);
    return [];
  });
}

export interface FileEvent {
  readonly file: string;
  readonly event: "change" | "add" | "unlink";
}

interface WatchOptions {
  readonly look: LookAtFile;
  /** One after the other. */
  readonly onEvent: (event: FileEvent) => Promise<void>;
  readonly onProblem: (text: string) => void;
  /** A file is looked at when nothing has happened for so long; 150 ms if left out. */
  readonly quietMs?: number | undefined;
}

export interface FileWatch {
  /** Watches these files from now on. One that is new to the list is taken as it is. */
  follow(files: readonly string[]): void;
  /** The same; one that is new to the list and there has just been added. */
  followGrowing(files: readonly string[]): void;
  /** Checks now; if something has changed, waits until `onEvent` is done. */
  settle(): Promise<void>;
  close(): void;
}

const QUIET_MS = 150;
const MOST_QUIETS = 10;

/** One event per save, however the editor saves: what the system reports only says that it is time to look. */
export function watchFiles({ look, onEvent, onProblem, quietMs = QUIET_MS }: WatchOptions): FileWatch {
  const known = new Map<string, string | undefined>();
  /** Gone at the last look: an editor may be about to put another file in its place. */
  const missed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let restlessSince: number | undefined;
  let told: Promise<void> = Promise.resolve();
  let waiting: (() => void)[] = [];
  let isClosed = false;
  const folders = createFolderWatches({ onEvent: () => later(), onProblem });
  const later = (): void => {
    if (isClosed) return;
    restlessSince ??= performance.now();
    // A log beside the file that is written all the time must not keep it from being looked at.
    if (timer !== undefined && performance.now() - restlessSince > quietMs * MOST_QUIETS) return;
    clearTimeout(timer);
    timer = setTimeout(check, quietMs).unref();
  };
  const check = (): void => {
    timer = undefined;
    restlessSince = undefined;
    folders.follow([...known.keys()]);
    for (const event of changes({ known, missed, look })) told = told.then(() => onEvent(event));
    if (missed.size > 0) {
      later();
      return;
    }
    const resolved = waiting;
    waiting = [];
    void told.then(() => {
      for (const resolve of resolved) resolve();
    });
  };
  const follow = (files: readonly string[], stateOf: LookAtFile): void => {
    const wanted = new Set(files);
    for (const file of known.keys()) if (!wanted.has(file)) known.delete(file);
    for (const file of wanted) if (!known.has(file)) known.set(file, stateOf(file));
    folders.follow(files);
  };
  return {
    follow: (files) => follow(files, look),
    followGrowing: (files) => {
      follow(files, () => undefined);
      if (differs(known, look)) later();
    },
    async settle() {
      if (isClosed || !differs(known, look)) return await told;
      // The timer of `later` does not keep the process alive; this one does.
      const counted = setInterval(() => undefined, 1000);
      later();
      await new Promise<void>((resolve) => waiting.push(resolve));
      clearInterval(counted);
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      folders.close();
      for (const resolve of waiting) resolve();
    },
  };
}

function differs(known: ReadonlyMap<string, string | undefined>, look: LookAtFile): boolean {
  return [...known].some(([file, state]) => look(file) !== state);
}

interface Looking {
  readonly known: Map<string, string | undefined>;
  readonly missed: Set<string>;
  readonly look: LookAtFile;
}

function changes({ known, missed, look }: Looking): readonly FileEvent[] {
  return [...known].flatMap(([file, before]): readonly FileEvent[] => {
    const now = look(file);
    const isNewlyGone = now === undefined && before !== undefined && !missed.has(file);
    if (isNewlyGone) missed.add(file);
    else missed.delete(file);
    if (now === before || isNewlyGone) return [];
    known.set(file, now);
    return [{ file, event: before === undefined ? "add" : now === undefined ? "unlink" : "change" }];
  });
}

interface FolderWatches {
  follow(files: readonly string[]): void;
  close(): void;
}

interface FolderWatchOptions {
  readonly onEvent: () => void;
  readonly onProblem: (text: string) => void;
}

interface Watched {
  readonly watcher: FSWatcher;
  /** A folder of the same name may take its place. */
  readonly identity: string;
}

/**
 * Folders are watched, not files: an editor that saves by renaming puts another file in the old one's place, and the watch would see no further change.
 * Where the folder is not there, the nearest one above it is watched until it is.
 */
function createFolderWatches({ onEvent, onProblem }: FolderWatchOptions): FolderWatches {
  const watched = new Map<string, Watched>();
  const failed = new Set<string>();
  const drop = (folder: string): void => {
    watched.get(folder)?.watcher.close();
    watched.delete(folder);
  };
  const add = (folder: string): void => {
    const identity = identityOf(folder);
    if (identity === undefined || watched.get(folder)?.identity === identity) return;
    drop(folder);
    try {
      const watcher = watch(folder, { persistent: false }, onEvent);
      watcher.on("error", () => {
        drop(folder);
        onEvent();
      });
      watched.set(folder, { watcher, identity });
    } catch (thrown) {
      if (failed.has(folder)) return;
      failed.add(folder);
      onProblem(`${folder} cannot be watched, so changes are seen only before the next request: ${(thrown as Error).message}`);
    }
  };
  return {
    follow(files) {
      const wanted = new Set(files.flatMap(foldersOf));
      for (const folder of watched.keys()) if (!wanted.has(folder)) drop(folder);
      for (const folder of wanted) add(folder);
    },
    close() {
      for (const folder of [...watched.keys()]) drop(folder);
    },
  };
}

/** The file may be a link: then what it points to changes in another folder. */
function foldersOf(file: string): readonly string[] {
  const folder = nearestFolder(path.dirname(file));
  try {
    return [folder, path.dirname(realpathSync(file))];
  } catch {
    // It is not there (yet).
    return [folder];
  }
}

function nearestFolder(folder: string): string {
  const parent = path.dirname(folder);
  return existsSync(folder) || parent === folder ? folder : nearestFolder(parent);
}

/** A new folder often gets the number of the one before it. */
function identityOf(folder: string): string | undefined {
  try {
    const { ino, birthtimeNs } = statSync(folder, { bigint: true });
    return `${ino} ${birthtimeNs}`;
  } catch {
    // It has just been removed; the next look finds the one above.
    return undefined;
  }
}

/** What a file is, in a text that differs whenever it does; nothing if it is not there. */
export type LookAtFile = (file: string) => string | undefined;

/** Everything about a file that can change: its bytes, its rights, which file it is. Reading it changes nothing of this. */
export function fileState(file: string): string | undefined {
  const stat = statOf(file);
  return stat && [stat.ino, stat.size, stat.mode, stat.mtimeNs, stat.ctimeNs].join(" ");
}

const LARGEST = 4n * 1024n * 1024n;

/** Only the bytes; of a folder, those of the files in it. */
export function fileContent(file: string): string | undefined {
  const stat = statOf(file);
  if (!stat) return undefined;
  try {
    if (stat.isDirectory()) {
      return readdirSync(file)
        .sort()
        .map((name) => `${name} ${statOf(path.join(file, name))?.isFile() ? fileContent(path.join(file, name)) : ""}`)
        .join("\n");
    }
    // Too large for a configuration; that it changed is enough.
    if (!stat.isFile() || stat.size > LARGEST) return `${stat.size} ${stat.mtimeNs}`;
    return createHash("sha256").update(readFileSync(file)).digest("hex");
  } catch (thrown) {
    return `unreadable: ${(thrown as NodeJS.ErrnoException).code}`;
  }
}

function statOf(file: string): ReturnType<typeof statBig> {
  try {
    return statBig(file);
  } catch {
    // In a folder that cannot be read, or a loop of links: as if it were not there.
    return undefined;
  }
}

function statBig(file: string): import("node:fs").BigIntStats | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false });
}

/** Notes which files the tools of a session changed, and which of the session's own files they read; both are in the transcript when it ends. */

const WRITERS = ["Write", "Edit", "MultiEdit", "NotebookEdit"];
/** A session of a day may touch many. */
const MOST_NOTED = 10_000;

/** Internal callbacks: they have nothing to say, so no step is made of them. */
export function openFileAccess({ hooks, note, stateFolder }: AgentCore): Feature {
  const changed = new Set<string>();
  const read = new Set<string>();
  const offs = [
    hooks.internals.observe("PostToolUse", WRITERS, function attribution(input) {
      const file = fileOf(input);
      if (file !== undefined && changed.size < MOST_NOTED) changed.add(file);
    }),
    hooks.internals.observe("PostToolUse", ["Read"], function sessionFileAccess(input) {
      const file = fileOf(input);
      if (file !== undefined && stateFolder !== undefined && read.size < MOST_NOTED && isInside(stateFolder, file)) read.add(file);
    }),
  ];
  return {
    close() {
      for (const off of offs) off();
      if (changed.size + read.size > 0) note("system", { subtype: "file_access", changed: [...changed], sessionFiles: [...read] });
    },
  };
}

function fileOf({ tool_input, cwd }: EventInput): string | undefined {
  const { file_path, notebook_path = file_path } = (tool_input ?? {}) as Readonly<Record<string, unknown>>;
  return typeof notebook_path === "string" ? path.resolve(String(cwd ?? ""), notebook_path) : undefined;
}
