import { posix } from "node:path";
import type { TouchedPath } from "../paths/index.ts";
import type { AssessContext, Crossing } from "./types.ts";

const CHANGES: Readonly<Partial<Record<TouchedPath["how"], Crossing["how"]>>> = {
  delete: "delete",
  rename: "delete",
  write: "overwrite",
  "create-link": "overwrite",
};
/** Writing there changes nothing. */
const NOWHERE = /^\/dev\/(?:null|zero|full|stdout|stderr|tty|fd(?:\/.*)?)$/;

/** What is deleted or overwritten outside the workspace, or may be. */
export function boundaryOf(touched: readonly TouchedPath[], { cwd, workspace = cwd }: AssessContext): readonly Crossing[] {
  const found = new Map<string, Crossing>();
  for (const { path, how, span } of touched) {
    const change = CHANGES[how];
    if (!change) continue;
    const absolute = path === undefined ? undefined : posix.resolve(cwd, path);
    if (absolute !== undefined && (isBelow(absolute, workspace) || NOWHERE.test(absolute))) continue;
    const key = `${change} ${absolute} ${span.start}`;
    if (!found.has(key)) found.set(key, absolute === undefined ? { how: change, span } : { path: absolute, how: change, span });
  }
  return [...found.values()];
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
