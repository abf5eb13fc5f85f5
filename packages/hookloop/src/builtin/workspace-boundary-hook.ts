/** Asks before anything outside the workspace is deleted or overwritten; where there is no user to ask, that denies it. */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { ask, type HookHandler } from "@hookloop/sdk";
import { TOOLS } from "../catalogue/index.ts";
import type { SessionPlace } from "../engine/index.ts";
import { callsOfKind, isInFolders } from "../permissions/index.ts";
import { type Crossing, crossingsOf, readingOf, touchedPaths } from "../shell/index.ts";
import type { ShippedHook } from "./index.ts";

type Call = Readonly<Record<string, unknown>>;

export function workspaceBoundary({ home, directories }: Pick<SessionPlace, "home" | "directories">): ShippedHook {
  const judge: HookHandler<"PreToolUse", string> = ({ tool_name, tool_input, cwd }) => {
    const folders = directories();
    const call = { tool: tool_name, input: tool_input, cwd, root: cwd, home };
    const found = [
      ...callsOfKind("shell", call).flatMap(({ input }) => byCommand(input, { cwd, home, folders })),
      ...callsOfKind("file.write", call).flatMap(({ tool, input }) => byFile(input, TOOLS[tool].rule?.field, cwd, folders)),
    ];
    return found.length === 0 ? undefined : ask(reasonOf(found, cwd));
  };
  return { name: "workspace-boundary", parts: [{ event: "PreToolUse", options: { guard: true }, handler: judge }] };
}

/** SECURITY: a folder that holds nothing, so that every path is told: where it lies is asked of the disk, which knows links, not of its text. */
const NOWHERE = "/proc/self/fd/-1";

type Reached = Pick<Crossing, "path" | "how">;

function byCommand(
  { command }: Call,
  { cwd, home, folders }: { cwd: string; home: string; folders: readonly string[] },
): readonly Reached[] {
  if (typeof command !== "string") return [];
  const crossings = crossingsOf(touchedPaths(readingOf(command), { cwd, home }), { cwd, workspace: NOWHERE });
  return crossings.filter(({ path }) => path === undefined || !isInFolders(path, folders, cwd));
}

function byFile(input: Call, field: string | undefined, cwd: string, folders: readonly string[]): readonly Reached[] {
  const path = field === undefined ? undefined : input[field];
  return typeof path === "string" && !isInFolders(path, folders, cwd) ? [{ path, how: "overwrite" }] : [];
}

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
