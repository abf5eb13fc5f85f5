import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { vi } from "vitest";
import type { Diagnostic } from "../../packages/hookloop/src/diagnostic.ts";
import type { HookEngine } from "../../packages/hookloop/src/engine/engine.ts";
import type { OpenOptions, Ports } from "../../packages/hookloop/src/open/options.ts";
import { openHooks } from "../../packages/hookloop/src/open.ts";
import { afterThisTest } from "../cleanup.ts";

/** Where each kind of configuration lives under a project's base folder. */
export const FILES = {
  managed: "managed/hooks.json",
  userNative: "home/.config/hookloop/hooks.json",
  user: "home/.claude/settings.json",
  local: "project/.claude/settings.local.json",
  native: "project/.hookloop/hooks.json",
  project: "project/.claude/settings.json",
  flat: "project/.hooks.json",
} as const;

export interface Project {
  /** The session's folder. */
  readonly cwd: string;
  /** Everything engines of this project have said so far. */
  readonly diagnostics: Diagnostic[];
  path(name: string): string;
  write(name: string, content: unknown): string;
  /** The content of a file under the project, trimmed; undefined if it does not exist. */
  read(name: string): string | undefined;
  codes(): readonly string[];
  /** Trusts the project's hooks unless told otherwise, and reads all sources. */
  open(options?: Partial<OpenOptions>): Promise<HookEngine>;
}

/** What hooks and switches see of the environment; nothing of the developer's own. */
const ENV = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" };

/** A fresh project, home and managed folder; files are named by `FILES`, or by a path under the base folder. */
export function openProject(files: Partial<Record<keyof typeof FILES, unknown>> = {}): Project {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), "hookloop-engine-")));
  afterThisTest(() => rmSync(base, { recursive: true, force: true }));
  // What engines leave behind on purpose (texts the transcript points at) goes with the project.
  vi.stubEnv("TMPDIR", base);
  for (const folder of ["project", "home", "managed"]) mkdirSync(path.join(base, folder));
  const diagnostics: Diagnostic[] = [];
  const cwd = path.join(base, "project");
  const write = (name: string, content: unknown): string => {
    const file = path.join(base, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
    return file;
  };
  for (const [name, content] of Object.entries(files)) write(FILES[name as keyof typeof FILES], content);
  return {
    cwd,
    diagnostics,
    path: (name) => path.join(cwd, name),
    write,
    read: (name) => readIfThere(path.join(cwd, name)),
    codes: () => diagnostics.map(({ code }) => code),
    async open(options = {}) {
      const own = { home: path.join(base, "home"), managedRoot: path.join(base, "managed"), managedUid: process.getuid?.() ?? 0, env: ENV };
      const ports: Ports = { ...own, ...options.ports, env: { ...ENV, ...options.ports?.env } };
      const onDiagnostic = (diagnostic: Diagnostic): unknown => diagnostics.push(diagnostic);
      const sources = ["user", "project", "local", "plugin"] as const;
      const hooks = await openHooks({ cwd, sessionId: "session-1", trust: "implicit", sources, onDiagnostic, ...options, ports });
      afterThisTest(() => hooks.close());
      return hooks;
    },
  };
}

export function readIfThere(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
}

interface Entry {
  readonly command: string;
  readonly [field: string]: unknown;
}

/** A configuration with one group of command hooks for one event. */
export function hooksFor(event: string, entries: string | readonly (string | Entry)[], group: Record<string, unknown> = {}): object {
  const hooks = [entries].flat().map((entry) => ({ type: "command", ...(typeof entry === "string" ? { command: entry } : entry) }));
  return { hooks: { [event]: [{ ...group, hooks }] } };
}

/** A command that prints an answer. */
export function printing(answer: unknown): string {
  return `cat >/dev/null; printf '%s' '${JSON.stringify(answer).replaceAll("'", `'\\''`)}'`;
}

/** A PreToolUse answer. */
export function decides(permissionDecision: string, more: Record<string, unknown> = {}): string {
  return printing({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, ...more } });
}

/** A PreToolUse payload for a shell line. */
export function bash(command: string): { tool_name: string; tool_input: { command: string }; tool_use_id: string } {
  return { tool_name: "Bash", tool_input: { command }, tool_use_id: "toolu_1" };
}
