import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { vi } from "vitest";
import { afterThisTest } from "../../../../test/cleanup.ts";

/** An empty project, and a state folder of its own that stands for this machine. */
export function emptyProject(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "hookloop-context-"));
  afterThisTest(() => rmSync(folder, { recursive: true, force: true }));
  vi.stubEnv("XDG_STATE_HOME", path.join(folder, "state"));
  vi.stubEnv("HOOK_LOG_DISABLE", "1");
  vi.stubEnv("CLAUDE_PROJECT_DIR", undefined);
  vi.stubEnv("_CC_INTERNAL", undefined);
  const project = path.join(folder, "project");
  mkdirSync(project);
  return project;
}

/** From now on it is as if the project had been cloned to another machine. */
export function onAnotherMachine(project: string): void {
  vi.stubEnv("XDG_STATE_HOME", path.join(project, "..", "other-state"));
}
