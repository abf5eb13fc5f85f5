/** Asks before anything outside the workspace is deleted or overwritten; where there is no user to ask, that denies it. */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { ask, type HookHandler } from "@hookloop/sdk";
import type { SessionPlace } from "../engine/index.ts";
import { isInFolders } from "../permissions/index.ts";
import { type Crossing, crossingsOf, touchedPaths } from "../shell/index.ts";
import { type CallEffect, effectOf } from "./call-effect.ts";
import type { ShippedHook } from "./index.ts";

export function workspaceBoundary({ home, directories }: Pick<SessionPlace, "home" | "directories">): ShippedHook {
  const judge: HookHandler<"PreToolUse", string> = (call) => {
    const found = crossed(effectOf(call, home), { cwd: call.cwd, home, folders: directories() });
    return found.length === 0 ? undefined : ask(reasonOf(found, call.cwd));
  };
  return { name: "workspace-boundary", parts: [{ event: "PreToolUse", options: { guard: true }, handler: judge }] };
}

/** SECURITY: a folder that holds nothing, so that every path is told: where it lies is asked of the disk, which knows links, not of its text. */
const NOWHERE = "/proc/self/fd/-1";

type Reached = Pick<Crossing, "path" | "how">;

interface Workspace {
  readonly cwd: string;
  readonly home: string;
  readonly folders: readonly string[];
}

/** What a call deletes or overwrites outside of some folders. */
export function crossed({ commands, writes }: CallEffect, { cwd, home, folders }: Workspace): readonly Reached[] {
  const isOutside = (path: string | undefined): boolean => path === undefined || !isInFolders(path, folders, cwd);
  const found = commands.flatMap(({ reading, touched }) => {
    const crossings: readonly Reached[] = crossingsOf(touchedPaths(reading, { cwd, home }), { cwd, workspace: NOWHERE });
    const known = new Set(crossings.map(({ path }) => path));
    const others = touched.flatMap((one) => (one.isWrite && one.use !== "whole" && one.below?.isChosen === undefined ? one.files : []));
    const more = others.map((path): Reached => ({ path: resolve(cwd, path), how: "overwrite" }));
    return [...crossings, ...more.filter(({ path }) => !known.has(path) && !HARMLESS.test(path ?? ""))];
  });
  return [...found, ...writes.map((path): Reached => ({ path, how: "overwrite" }))].filter(({ path }) => isOutside(path));
}

const HARMLESS = /^\/(?:dev|proc)\//;

const MOST_PATHS = 5;

/** What is not there yet cannot be overwritten. */
function verbOf({ path, how }: Reached, cwd: string): string {
  return how === "overwrite" && path !== undefined && !existsSync(resolve(cwd, path)) ? "write" : how;
}

function reasonOf(found: readonly Reached[], cwd: string): string {
  const texts = [...new Set(found.map((one) => `${verbOf(one, cwd)} ${one.path ?? "a path that only the running shell knows"}`))];
  const rest = texts.length > MOST_PATHS ? ` and ${texts.length - MOST_PATHS} more` : "";
  return `workspace-boundary: it would ${texts.slice(0, MOST_PATHS).join(", ")}${rest}, outside the workspace`;
}
