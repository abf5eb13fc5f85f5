// Takes the files of data that a hook's texts read; pins what lies where files of hooks do, and says what is not pinned.
// SECURITY: a guard whose rules stand in a file of their own is another guard when that changes, and one that looks for a switch is
// another when that appears.

import path from "node:path";
import { EVENTS } from "../../catalogue/index.ts";
import { HOME, OWN, PROJECT } from "./code-tokens.ts";
import { isInside, realEntry, realPath, shownPath } from "./examine-hook.ts";
import { lookAt } from "./hash-file.ts";
import { homesOf, isGate, type Names } from "./named-code.ts";
import type { DataReads } from "./read-data.ts";

interface DataPins extends Names {
  /** Names of files that its scripts read, there or not. */
  readonly data: Set<string>;
}

interface ReadBy {
  readonly data: DataReads;
  /** The file that reads; absent for a command line. */
  readonly script?: string | undefined;
  /** For people. */
  readonly name: string;
  readonly pin: (file: string) => void;
}

/** Only what lies beside the script or in a folder made for hooks: a hook also reads what people work on, and that changes all the time. */
export function pinData(pinning: DataPins, { data, script, name, pin }: ReadBy): void {
  const { root, cwd, projectRoot, implied, unresolved } = pinning;
  const folder = script === undefined ? projectRoot : path.dirname(script);
  const homes = homesOf(root, ...(script === undefined ? [] : [folder]));
  const bases = script === undefined ? [cwd, projectRoot] : [folder, cwd, root, ...withParents(folder, root)];
  for (const one of [...data.names, ...data.maybe]) {
    const placed = inPlace(pinning, one, folder);
    const found = (path.isAbsolute(placed) ? [placed] : bases.map((base) => path.resolve(base, placed))).find(
      (file) => (script === undefined || homes.some((home) => isInside(home, file))) && lookAt(file).kind === "file",
    );
    // Outside of the project it is said, and not read: it may be anybody's.
    if (found !== undefined && isInside(root, realEntry(found))) {
      implied.add(found);
      pin(found);
    }
    if (data.names.includes(one) || lookAt(path.resolve(projectRoot, placed)).kind === "file") pinning.data.add(placed);
  }
  if (isGate(pinning)) for (const one of data.unknown) unresolved.add(`${name} reads what is not pinned: ${one}`);
}

/** Where a name leads; one that counts from the current folder stays as it is. */
function inPlace({ projectRoot, examination }: Names, name: string, folder: string): string {
  for (const [mark, place] of [
    [PROJECT, projectRoot],
    [OWN, folder],
    [HOME, examination.place.home],
  ] as const)
    if (name === mark || name.startsWith(`${mark}/`)) return path.join(place, name.slice(mark.length));
  return path.normalize(name);
}

function withParents(folder: string, top: string): readonly string[] {
  return folder === top || folder === path.dirname(folder) ? [folder] : [folder, ...withParents(path.dirname(folder), top)];
}

/** What belongs to the machine, and changes with it. */
const OF_THE_MACHINE = /^\/(?:dev|proc|sys|usr|bin|sbin|lib|lib64|etc|opt|nix|run)(?:\/|$)/;

/** Files that its scripts read by name and that are not part of it: what decides may stand in them. */
export function noteUnpinnedData(pinning: DataPins): void {
  const { data, files, unresolved, projectRoot, root, implied, surroundings, cwd } = pinning;
  const pinned = new Set([...files.keys()].map(realEntry));
  for (const name of data) {
    const file = path.resolve(projectRoot, name);
    const shown = shownPath(root, file);
    const { kind } = lookAt(file);
    if (OF_THE_MACHINE.test(file) || pinned.has(realEntry(file))) continue;
    if (isOfFolder(pinning, name)) {
      if (isGate(pinning)) unresolved.add(`it reads ${name} of the folder the session runs in`);
      continue;
    }
    if (kind === "folder" && file !== projectRoot) unresolved.add(`it reads the folder ${shown}, which is not pinned`);
    if (kind === "file" || kind === "other") unresolved.add(`it reads ${shown}, which is not pinned`);
    // What a gate at the end of a turn looks for is the work's own result: it is there to appear.
    if (kind !== "missing" || !isGate(pinning) || EVENTS[pinning.examination.hook.event].blockEffect === "continueTurn") continue;
    // A switch that appears turns the gate off, also in the folder that the session is in.
    const here = path.resolve(cwd, name);
    implied.add(file);
    implied.add(here);
    if (lookAt(here).kind === "missing") surroundings[`the file ${shown}`] = "is not there";
  }
}

/** A hook of the user is the same in every project, whatever it reads there. */
function isOfFolder({ examination, projectRoot }: Names, name: string): boolean {
  return examination.isOfUser && (!path.isAbsolute(name) || isInside(projectRoot, realPath(name)));
}
