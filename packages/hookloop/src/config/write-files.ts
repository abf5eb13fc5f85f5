/**
 * The one way in which files of a project are edited for the user. Takes what is to change, gives the edits with their diffs, writes all of them or
 * none, and takes them back byte for byte. Refuses what it cannot read, what lies outside the project, and what was changed since it was read.
 */

import { createHash, randomBytes } from "node:crypto";
import { accessSync, constants, readdirSync, readFileSync, realpathSync, rmdirSync, rmSync, type Stats, statSync } from "node:fs";
import path from "node:path";
import type { Diagnostic } from "../diagnostic.ts";
import type { ErrorCode } from "../errors.ts";
import { diffHunks } from "../line-diff.ts";
import { isInside, realTarget } from "../permissions/index.ts";
import { isThere, makeFolders, makePrivateFolder, replaceFile } from "../state-files.ts";
import type { Edited } from "./edit-json.ts";

/** Gives the new text of a file; it is given nothing if there is no such file. */
export interface FileChange {
  readonly file: string;
  readonly change: (text: string | undefined) => Edited;
}

export interface FileEdit {
  /** As it was named. */
  readonly file: string;
  /** Where it lies, links followed. */
  readonly target: string;
  readonly before: Buffer | undefined;
  /** Nothing: the file goes. */
  readonly after: Buffer | undefined;
  readonly like: Pick<Stats, "mode" | "uid" | "gid"> | undefined;
}

export interface Planned {
  /** Files that are already as wanted are not among them. */
  readonly edits: readonly FileEdit[];
  readonly problems: readonly Diagnostic[];
}

/** Where files may lie, and where what is needed to take edits back is kept. */
export interface WritePlace {
  readonly root: string;
  readonly stateFolder: string;
}

/** Reads the files and makes the edits; nothing is written. */
export function planEdits(changes: readonly FileChange[], { root }: Pick<WritePlace, "root">): Planned {
  const edits: FileEdit[] = [];
  const problems: Diagnostic[] = [];
  for (const { file, change } of changes) {
    const found = openFile(path.resolve(root, file), root);
    if ("problem" in found) problems.push(found.problem);
    else {
      const edited = change(found.before?.toString("utf8"));
      if ("problem" in edited) problems.push(edited.problem);
      else if (edited.text !== found.before?.toString("utf8")) edits.push({ ...found, file, after: Buffer.from(edited.text) });
    }
  }
  return { edits, problems };
}

type Opened = Pick<FileEdit, "target" | "before" | "like"> | { readonly problem: Diagnostic };

function openFile(file: string, root: string): Opened {
  try {
    const { path: target } = realTarget(file, { cwd: root });
    if (!isInside(realpathSync(root), target))
      return refused(
        file,
        `It leads to ${target}, which is outside of the project. Edit that file yourself, or replace the link by a file`,
      );
    const found = statSync(target, { throwIfNoEntry: false });
    if (!found) return { target, before: undefined, like: undefined };
    if (!found.isFile()) return refused(file, "It is no regular file. Move it away");
    const before = readFileSync(target);
    if (!Buffer.from(before.toString("utf8")).equals(before)) return refused(file, "It is not UTF-8. Save it as UTF-8");
    accessSync(target, constants.W_OK);
    accessSync(path.dirname(target), constants.W_OK);
    return { target, before, like: found };
  } catch (thrown) {
    return refused(file, `${reasonOf(thrown)}. Check the file's rights and those of its folder`);
  }
}

function problemAt(code: ErrorCode, file: string, text: string): { readonly problem: Diagnostic } {
  return { problem: { code, level: "error", text, place: { file } } };
}

function refused(file: string, why: string): { readonly problem: Diagnostic } {
  return problemAt("HL_WRITE_REFUSED", file, `This file is not edited. ${why}.`);
}

function reasonOf(thrown: unknown): string {
  const { code, message = String(thrown) } = thrown as Partial<NodeJS.ErrnoException>;
  return `${code === undefined ? message : `The system says ${code}`}`;
}

/** The lines of a unified diff. */
export function unifiedDiff({ file, before, after }: FileEdit): readonly string[] {
  const name = (side: string, content: Buffer | undefined): string => (content === undefined ? "/dev/null" : `${side}/${file}`);
  const text = (content: Buffer | undefined): string => content?.toString("utf8") ?? "";
  const range = (start: number, lines: number): string => (lines === 1 ? `${start}` : `${start},${lines}`);
  return [
    `--- ${name("a", before)}`,
    `+++ ${name("b", after)}`,
    ...diffHunks(text(before), text(after)).flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
      `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`,
      ...lines,
    ]),
  ];
}

/** One set of edits, as it is kept to be taken back. */
interface Entry {
  readonly v: 1;
  readonly root: string;
  readonly files: readonly {
    readonly file: string;
    readonly target: string;
    /** base64; null: the file was not there. */
    readonly before: string | null;
    readonly after: string | null;
    readonly like?: FileEdit["like"];
    readonly folders: readonly string[];
  }[];
}

/** Older ones are dropped. */
const MOST_ENTRIES = 50;

/** Writes all edits, or none of them. What is needed to take them back is kept first. */
export function writeEdits(edits: readonly FileEdit[], place: WritePlace): readonly Diagnostic[] {
  if (edits.length === 0) return [];
  const changed = changedSince(edits);
  if (changed.length > 0) return changed;
  let journal: string;
  try {
    journal = keep(edits, place);
  } catch (thrown) {
    return [
      problemAt("HL_WRITE_FAILED", place.stateFolder, `Nothing was written: what takes it back cannot be kept. ${reasonOf(thrown)}.`)
        .problem,
    ];
  }
  const failed = writeAll(edits);
  if (failed.length > 0) rmSync(journal, { force: true });
  return failed;
}

function writeAll(edits: readonly FileEdit[]): readonly Diagnostic[] {
  const done: FileEdit[] = [];
  for (const edit of edits) {
    const missing = missingFolders(edit.target);
    try {
      put(edit.target, edit.after, edit.like);
      done.push(edit);
    } catch (thrown) {
      removeFolders(missing);
      for (const { target, before, like, after } of done.reverse()) if (isSame(target, after)) put(target, before, like);
      return [
        problemAt("HL_WRITE_FAILED", edit.file, `The file could not be written, and nothing was changed. ${reasonOf(thrown)}.`).problem,
      ];
    }
  }
  return [];
}

function put(target: string, content: Buffer | undefined, like: FileEdit["like"]): void {
  if (content === undefined) {
    rmSync(target);
    return;
  }
  makeFolders(path.dirname(target));
  const { uid, gid } = statSync(path.dirname(target));
  replaceFile(target, content, like ?? { mode: 0o666 & ~process.umask(), uid: process.getuid?.() ?? uid, gid: process.getgid?.() ?? gid });
}

function isSame(target: string, content: Buffer | undefined): boolean {
  try {
    const found = isThere(target) ? readFileSync(target) : undefined;
    return content === undefined ? found === undefined : found?.equals(content) === true;
  } catch {
    // It cannot be read any more: something else than what was written.
    return false;
  }
}

/** SECURITY: what somebody wrote meanwhile must not be lost. */
function changedSince(edits: readonly FileEdit[]): readonly Diagnostic[] {
  return edits.flatMap(({ file, target, before }) => {
    const text = "The file was changed since it was read, so nothing is written. Start again.";
    return isSame(target, before) ? [] : [problemAt("HL_WRITE_CHANGED", file, text).problem];
  });
}

function missingFolders(target: string): readonly string[] {
  const missing: string[] = [];
  for (let at = path.dirname(target); !isThere(at); at = path.dirname(at)) missing.push(at);
  return missing;
}

function removeFolders(folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      rmdirSync(folder);
    } catch {
      // Something else is in it by now, or it was never made.
      return;
    }
  }
}

function journalOf({ root, stateFolder }: WritePlace): string {
  return path.join(stateFolder, "edits", createHash("sha256").update(realpathSync(root)).digest("hex").slice(0, 16));
}

function entriesOf(place: WritePlace): readonly string[] {
  const folder = journalOf(place);
  if (!isThere(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return names.sort().map((name) => path.join(folder, name));
}

function keep(edits: readonly FileEdit[], place: WritePlace): string {
  const folder = journalOf(place);
  for (const one of [place.stateFolder, path.dirname(folder), folder]) makePrivateFolder(one);
  const entries = entriesOf(place);
  for (const old of entries.slice(0, Math.max(0, entries.length - MOST_ENTRIES + 1))) rmSync(old, { force: true });
  const entry: Entry = {
    v: 1,
    root: realpathSync(place.root),
    files: edits.map(({ file, target, before, after, like }) => ({
      file,
      target,
      before: before?.toString("base64") ?? null,
      after: after?.toString("base64") ?? null,
      ...(like && { like: { mode: like.mode, uid: like.uid, gid: like.gid } }),
      folders: missingFolders(target),
    })),
  };
  const at = path.join(
    folder,
    `${String(Date.now()).padStart(15, "0")}-${String(process.hrtime.bigint())}-${randomBytes(3).toString("hex")}.json`,
  );
  replaceFile(at, JSON.stringify(entry));
  return at;
}

export interface Undo extends Planned {
  /** Takes the edits back, and forgets them. */
  readonly write: () => readonly Diagnostic[];
}

/** What takes the last set of edits back; nothing if there is none. A file that was changed since is a problem, and then nothing is taken back. */
export function planUndo(place: WritePlace): Undo | undefined {
  const last = entriesOf(place).at(-1);
  if (last === undefined) return undefined;
  const { files } = JSON.parse(readFileSync(last, "utf8")) as Entry;
  const bytes = (text: string | null): Buffer | undefined => (text === null ? undefined : Buffer.from(text, "base64"));
  const all = files.map(({ file, target, before, after, like }) => ({ file, target, like, before: bytes(after), after: bytes(before) }));
  // What an interrupted run had not written yet is as it was.
  const edits = all.filter(({ target, after }) => !isSame(target, after));
  const text =
    "The file was changed since it was edited here, so nothing is taken back. Take the change back first, or edit the file yourself.";
  const changed = edits.filter(({ target, before }) => !isSame(target, before));
  const astray = edits.filter(({ target }) => !isThere(path.dirname(target)) || realTarget(target, { cwd: place.root }).path !== target);
  return {
    edits,
    problems: [
      ...changed.map(({ file }) => problemAt("HL_WRITE_CHANGED", file, text).problem),
      ...astray.map(({ file }) => refused(file, "Its folder is not where it was").problem),
    ],
    write: () => {
      const failed = [...changedSince(edits), ...writeAll(edits)];
      if (failed.length > 0) return failed;
      for (const { folders } of files) removeFolders(folders);
      rmSync(last, { force: true });
      return [];
    },
  };
}
