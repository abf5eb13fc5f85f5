/**
 * Takes a call of `runTool` and what the program gave with it. Says, once in a session each, what hooks and modes will not do that whoever wrote
 * them believes. Decides nothing.
 */

import { calledElsewhere, MORE_TOOL_NAMES, otherSpelling, TOOL_NAMES, TOOLS } from "../catalogue/index.ts";
import { shown } from "../check-options.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { MODES, type PermissionMode } from "../permissions/index.ts";
import type { HookEngine } from "./engine.ts";
import type { ReadOptions, ToolCall } from "./permit.ts";
import type { EventInput } from "./session.ts";
import { kindOf } from "./unfit-input.ts";

const told = new WeakMap<HookEngine, Set<string>>();
/** Names come from a model, too. */
const MOST_TOLD = 200;

function tellOnce(hooks: HookEngine, key: string, code: Diagnostic["code"], text: string): void {
  const known = told.get(hooks) ?? new Set();
  told.set(hooks, known);
  if (known.has(key) || known.size >= MOST_TOLD) return;
  known.add(key);
  hooks.report({ code, level: "warning", text });
}

/** Before hooks are asked. `common`: fields of every payload of the session. */
export function adviseBefore(hooks: HookEngine, call: ToolCall, options: ReadOptions, common: EventInput): void {
  adviseMode(hooks, call["permission_mode"] ?? common["permission_mode"], options);
  adviseShell(hooks, call);
  if (options.rules) return;
  const { unapplied } = hooks.fileRules;
  // SECURITY: whoever wrote a strict mode into a settings file believes that it holds.
  if (unapplied !== undefined)
    tellOnce(
      hooks,
      "mode of files",
      "HL_PERMISSION_NOT_APPLIED",
      `The mode "${unapplied}" of the settings is not applied: runTool() was called without rules, and then only deny and ask rules of files hold. Write rules: new Permissions({ rules: readRules(hooks.ruleSources).rules, root: cwd }).`,
    );
  if (!options.permission && hooks.has("PermissionRequest"))
    tellOnce(
      hooks,
      "requests",
      "HL_PERMISSION_NOT_APPLIED",
      "PermissionRequest hooks are asked when a call needs permission, and runTool() was called without rules and without permission, so that most calls need none. Write rules: new Permissions({ rules: readRules(hooks.ruleSources).rules, root: cwd }).",
    );
}

const STRICT: readonly unknown[] = ["plan", "dontAsk"] satisfies PermissionMode[];

/** What hooks are told about the mode is true only if something keeps to it. */
function adviseMode(hooks: HookEngine, given: unknown, { rules }: ReadOptions): void {
  if (given === undefined) return;
  const tell = (text: string): void => tellOnce(hooks, `mode ${String(given).slice(0, 60)}`, "HL_PERMISSION_NOT_APPLIED", text);
  if (!MODES.includes(given as PermissionMode))
    tell(`permission_mode is ${shown(given)}, which is not a mode. There are: ${MODES.join(", ")}.`);
  else if (rules && rules.mode !== undefined && rules.mode !== given)
    tell(
      `permission_mode is "${given}", and the mode of rules is "${rules.mode}": that one counts, and hooks are told so. Leave permission_mode out.`,
    );
  else if (!rules && STRICT.includes(given))
    tell(
      `The mode "${given}" in permission_mode is not applied: runTool() was called without rules, so only hooks hear of it. Write rules: new Permissions({ rules, root, mode: "${given}" }).`,
    );
}

/** A tool of another name that has a `command`, while hooks are there for Bash and none for it. */
function adviseShell(hooks: HookEngine, { tool_name: tool, tool_input: input }: ToolCall): void {
  if (typeof input["command"] !== "string" || tool.startsWith("mcp__")) return;
  if ([...TOOL_NAMES, ...MORE_TOOL_NAMES].includes(tool) || otherSpelling(tool) !== undefined || calledElsewhere(tool) !== undefined)
    return;
  const named = namedBy(hooks, "PreToolUse");
  if (!named.includes("Bash") || named.includes(tool)) return;
  const name = JSON.stringify(tool.slice(0, 60));
  tellOnce(
    hooks,
    `shell ${tool}`,
    "HL_SELECT_SPELLING",
    `The tool ${name} was called with a "command", and hooks for Bash are not asked about it. If it runs shell commands, name it in their matchers, too: ["Bash", ${name}].`,
  );
}

function namedBy(hooks: HookEngine, event: "PreToolUse" | "PostToolUse"): readonly string[] {
  return hooks.matchers(event).flatMap((matcher) => matcher.split(/[|,]\s*/));
}

/** After the tool has run: hooks for a known tool read the fields that its response has elsewhere. */
export function adviseAfter(hooks: HookEngine, { tool_name: tool }: ToolCall, output: unknown): void {
  const response = Object.hasOwn(TOOLS, tool) ? TOOLS[tool as keyof typeof TOOLS].response : undefined;
  // A hook that names the tool expects the tool's own shape; one for every tool may be the program's.
  if (!response || !namedBy(hooks, "PostToolUse").includes(tool)) return;
  const has = (name: string): boolean => typeof output === "object" && output !== null && name in output;
  const missing = Object.entries(response).flatMap(([name, { optional }]) => (optional || has(name) ? [] : name));
  if (missing.length === 0) return;
  const whole = Object.entries(response).flatMap(([name, { optional }]) => (optional ? [] : name));
  tellOnce(
    hooks,
    `response ${tool}`,
    "HL_SELECT_FIELD_MISSING",
    `execute of runTool() gave ${kindOf(output)} for ${tool}, so tool_response has no "${missing.join('", "')}": PostToolUse hooks that read ${missing.length > 1 ? "these" : "it"} find nothing. Return { ${whole.join(", ")} }.`,
  );
}
