import { comparablePath, type RealTarget } from "../../paths/index.ts";
import { ANYWHERE, INSTALLED, type NameRow } from "../names.ts";
import type { ProtectedPlace } from "../places.ts";
import type { ProtectContext, Protected } from "../types.ts";

export type Reached = Protected & { readonly path: string };

/** What is protected in a session. */
export interface Reach {
  readonly places: readonly ProtectedPlace[];
  readonly context: ProtectContext;
  /** The line says that patterns stand for more than usual: also for a leading dot, for folders below, for either case. */
  readonly hasWideGlobs?: boolean;
}

export interface Candidate extends Reached {
  /** Its path from the folder on. */
  readonly rest: string;
  /** The folder is one that holds such things by its name, or the place has an address of its own. */
  readonly isNamed: boolean;
}

/** The protected things that can lie below a folder. */
export function candidatesBelow(target: Pick<RealTarget, "path" | "entry">, { places, context }: Reach): readonly Candidate[] {
  const folders = [...new Set([target.path, target.entry])].map((folder) => comparablePath(folder, context));
  const own = places
    .filter((place) => !place.isOfModules)
    .flatMap(({ keys, path, what, why }): readonly Candidate[] => {
      const rests = keys.flatMap((key) => folders.flatMap((folder) => restBelow(folder, key)));
      return [...new Set(rests)].map((rest) => ({ rest, path, what, why, isNamed: true }));
    });
  const named = folders.flatMap(headedBy).map(({ row, rest }) => candidate(target.path, row, { rest, isNamed: true }));
  const anywhere = [...ANYWHERE, ...INSTALLED].map((row) => candidate(target.path, row, { rest: trimmed(row.name), isNamed: false }));
  return [...own, ...named, ...anywhere];
}

/** What guards every project of the user and lies below a folder; also what the folder itself is part of. */
export function guardsAt(target: Pick<RealTarget, "path" | "entry">, { places, context }: Reach): readonly Reached[] {
  const folders = [...new Set([target.path, target.entry])].map((folder) => comparablePath(folder, context));
  return places.flatMap(({ guards, keys, path, what, why }) => {
    // A single file of the home folder may well be a link into a project that is kept by git.
    const own = guards === "whole" ? keys : guards === "above" ? [comparablePath(path, context)] : [];
    const isPart = (key: string, folder: string): boolean => guards === "whole" && (folder === key || restBelow(key, folder).length > 0);
    const isHit = own.some((key) => folders.some((folder) => restBelow(folder, key).length > 0 || isPart(key, folder)));
    return isHit ? [{ what, why, path }] : [];
  });
}

function candidate(folder: string, { what, why }: NameRow, found: Pick<Candidate, "rest" | "isNamed">): Candidate {
  return { ...found, what, why, path: `${folder}/${found.rest}` };
}

function restBelow(folder: string, key: string): readonly string[] {
  const start = folder.endsWith("/") ? folder : `${folder}/`;
  return key.startsWith(start) ? [key.slice(start.length)] : [];
}

function trimmed(name: string): string {
  return name.replace(/\/$/, "");
}

/** The rows whose first parts a folder's path ends in: `/x/.claude` heads `settings.json`. */
export function headedBy(folder: string): readonly { readonly row: NameRow; readonly rest: string }[] {
  return ANYWHERE.flatMap((row) => {
    const parts = trimmed(row.name).split("/");
    const count = parts.findIndex((_, at) => at > 0 && folder.endsWith(`/${parts.slice(0, at).join("/")}`));
    return count === -1 ? [] : [{ row, rest: parts.slice(count).join("/") }];
  });
}
