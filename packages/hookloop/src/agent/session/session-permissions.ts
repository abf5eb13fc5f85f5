import type { Diagnostic } from "../../diagnostic.ts";
import type { HookEngine } from "../../engine/index.ts";
import { MODES, type PermissionMode, Permissions, readRules } from "../../permissions/index.ts";
import type { AgentFlags } from "./agent-flags.ts";
import { CannotStart } from "./cannot-start.ts";

export interface PermissionParts {
  readonly hooks: HookEngine;
  readonly flags: AgentFlags;
  readonly mode: PermissionMode | undefined;
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly directories: readonly string[];
  readonly tools: readonly string[];
}

/** The session's permissions: the rules of every source, and those of the command line. */
export function sessionPermissions(parts: PermissionParts): {
  readonly permissions: Permissions;
  readonly diagnostics: readonly Diagnostic[];
} {
  const { hooks, flags, mode, cwd, home, env, directories, tools } = parts;
  const lists = { allow: placed(flags.allowedTools), ask: [], deny: placed(flags.disallowedTools) };
  const own = { scope: "flag", root: cwd, isTrusted: true, permissions: lists } as const;
  const { rules, diagnostics } = readRules([...hooks.ruleSources, own], { home, tools });
  // As the Bash tool has it: hooks may have set another one.
  const searchPath = (): string | undefined => hooks.shellEnv()["PATH"] ?? env["PATH"];
  const canBypass = mode === "bypassPermissions";
  const permissions = new Permissions({ rules, root: cwd, home, mode, directories, canBypass, tools, searchPath });
  // What is wrong with the rules of files was said when they were read.
  const known = new Set(hooks.diagnostics.map(sameness));
  return { permissions, diagnostics: diagnostics.filter((one) => !known.has(sameness(one))) };
}

function sameness({ code, text, place }: Diagnostic): string {
  return JSON.stringify([code, text, place]);
}

function placed(texts: readonly string[]): readonly { readonly text: string }[] {
  return texts.map((text) => ({ text }));
}

/** The mode that was asked for; throws a `CannotStart` if there is none of that name. */
export function permissionMode(given: string | undefined): PermissionMode | undefined {
  if (given === undefined) return undefined;
  const mode = MODES.find((known) => known === given);
  if (mode) return mode;
  throw new CannotStart("HL_CLI_USAGE", `"${given}" is not a permission mode. The modes are: ${MODES.join(", ")}.`);
}
