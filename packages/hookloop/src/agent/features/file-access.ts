/** Notes which files the tools of a session changed, and which of the session's own files they read; both are in the transcript when it ends. */

import path from "node:path";
import type { EventInput } from "../../engine/index.ts";
import { isInside } from "../../permissions/index.ts";
import type { AgentCore, Feature } from "./types.ts";

const WRITERS = ["Write", "Edit", "MultiEdit", "NotebookEdit"];
/** A session of a day may touch many. */
const MOST_FILES = 10_000;

/** Internal callbacks: they have nothing to say, so no step is made of them. */
export function openFileAccess({ hooks, note, stateFolder }: AgentCore): Feature {
  const changed = new Set<string>();
  const read = new Set<string>();
  const offs = [
    hooks.internals.observe("PostToolUse", WRITERS, function attribution(input) {
      const file = fileOf(input);
      if (file !== undefined && changed.size < MOST_FILES) changed.add(file);
    }),
    hooks.internals.observe("PostToolUse", ["Read"], function sessionFileAccess(input) {
      const file = fileOf(input);
      if (file !== undefined && stateFolder !== undefined && read.size < MOST_FILES && isInside(stateFolder, file)) read.add(file);
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
