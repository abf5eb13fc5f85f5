// Takes what was found of a hook; adds what names of its scripts mean where they are not pinned: in another folder, or in no file yet.
import path from "node:path";
import { EVENTS } from "../../../catalogue/index.ts";
import { type Examination, isInside, realEntry, realPath, shownPath } from "./examine-hook.ts";
import { PROJECT } from "./from-folder.ts";
import { lookAt } from "./hash-file.ts";
import type { FilePin } from "./types.ts";

interface Names {
  readonly examination: Examination;
  readonly root: string;
  readonly projectRoot: string;
  readonly cwd: string;
  readonly files: ReadonlyMap<string, FilePin>;
  readonly names: ReadonlySet<string>;
  readonly data: ReadonlySet<string>;
  readonly unresolved: Set<string>;
  readonly implied: Set<string>;
  readonly surroundings: Record<string, unknown>;
}

/** Folders whose files are for hooks. */
export function homesOf(root: string, ...folders: readonly string[]): readonly string[] {
  return [...folders.filter((folder) => folder !== root), path.join(root, ".claude"), path.join(root, ".hookloop")];
}

/** Whether the hook can keep something from happening. */
export function isGate({ examination }: Pick<Names, "examination">): boolean {
  const { blockEffect } = EVENTS[examination.hook.event];
  return blockEffect !== null && blockEffect !== "feedback";
}

/** Files that its scripts read by a relative name and that are not part of it: what decides may stand in them. */
export function noteUnpinnedData(pinning: Names): void {
  const { data, files, unresolved, projectRoot, root, implied, surroundings } = pinning;
  const pinned = new Set([...files.keys()].map(realEntry));
  for (const name of data) {
    const file = path.resolve(projectRoot, name);
    const { kind } = lookAt(file);
    if (!isInside(root, realEntry(file)) || pinned.has(realEntry(file))) continue;
    if (kind === "folder" && file !== projectRoot) unresolved.add(`it reads the folder ${shownPath(root, file)}, which is not pinned`);
    if (kind === "file") unresolved.add(`it reads ${shownPath(root, file)}, which is not pinned`);
    // A switch that appears turns the gate off.
    if (kind !== "missing" || !isGate(pinning)) continue;
    implied.add(file);
    surroundings[`the file ${shownPath(root, file)}`] = "is not there";
  }
}

/** SECURITY: a guard that reads `hooks/rules.txt` has other rules, or none, in another folder. */
export function noteMovedNames(pinning: Names): void {
  const { names, files, projectRoot, cwd, root, surroundings, examination } = pinning;
  if (realPath(cwd) === projectRoot || examination.isOfUser) return;
  const pinned = new Set([...files.keys()].map(realEntry));
  const homes = homesOf(root, ...[...pinned].map((file) => path.dirname(file)));
  const isOfHook = (file: string): boolean =>
    pinned.has(file) || (homes.some((home) => isInside(home, file)) && lookAt(file).kind === "file");
  for (const name of names) {
    if (name.startsWith(PROJECT) || !isOfHook(realEntry(path.resolve(projectRoot, name)))) continue;
    const found = lookAt(path.resolve(cwd, name));
    surroundings[`${name} in the folder it runs in`] = found.kind === "file" ? shownPath(root, found.realpath) : "is not there";
  }
}
