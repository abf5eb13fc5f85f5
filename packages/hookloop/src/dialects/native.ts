import {
  type ConfiguredKind,
  type EventRow,
  MODEL_KIND_TIMEOUT_SECONDS,
  NATIVE_HOOK_FIELDS,
  NATIVE_SETTINGS,
  OWN_DIALECT,
  TOOL_NAMES,
} from "../catalogue/index.ts";
import type { Dialect } from "../judge/index.ts";
import {
  answerOnClaudeWire,
  claudeVariables,
  EVENTS_AS_THEY_ARE,
  kindsWith,
  MODULE_KIND,
  optional,
  SWITCHES,
} from "./claude/claude-dialect.ts";
import type { AnswerRules } from "./claude/read-answer.ts";

/**
 * Native hooks speak the Claude wire with three differences: a hook that exits with neither 0 nor 2 has
 * failed, whatever it printed, and its reason is kept; a denial in the other field's spelling is a denial; and an http hook that
 * answers 200 with nothing has failed.
 */
const NATIVE_RULES: AnswerRules = {
  answerOfFailedExit: "is-failure",
  emptyHttpAnswer: "is-failure",
  refusals: { decision: { deny: "block" }, permissionDecision: { block: "deny" }, action: { deny: "decline", block: "decline" } },
};

/** Short for what holds the agent up, longer for what only looks. */
const SECONDS = { gate: 30, other: 60, http: 10 } as const;

function seconds(kind: ConfiguredKind, row: EventRow): number {
  if (row.nativeTimeoutSeconds !== undefined) return row.nativeTimeoutSeconds;
  if (kind === "prompt" || kind === "agent") return MODEL_KIND_TIMEOUT_SECONDS[kind];
  const byRole = row.role === "gate" ? SECONDS.gate : SECONDS.other;
  // A row with a shorter limit than its role has a reason (someone is looking at the screen).
  return Math.min(kind === "http" ? SECONDS.http : byRole, row.timeoutSeconds);
}

/** The dialect of hookloop's own files. */
export const NATIVE_DIALECT: Dialect = {
  name: OWN_DIALECT,
  files: {
    read: [
      { scope: "user", at: "config", path: "hooks.json" },
      { scope: "project", at: "project", path: ".hookloop/hooks.json" },
      { scope: "local", at: "project", path: ".hookloop/hooks.local.json" },
    ],
    also: ["managed", "pack"],
  },
  shape: {
    title: "a hookloop file",
    events: EVENTS_AS_THEY_ARE,
    tools: TOOL_NAMES,
    topLevel: {
      ...SWITCHES,
      $schema: optional({ kind: "string" }, "Where the schema is."),
      plugins: optional({ kind: "list", item: { kind: "string" } }, "Packs: installed packages with hooks."),
      use: optional(
        { kind: "list", item: { kind: "any" } },
        "Hooks that come with hookloop, to switch on: names, or objects of a name and its options.",
      ),
      settings: optional({ kind: "shape", fields: NATIVE_SETTINGS }, "Counts only in user and managed scope."),
    },
    entries: "nested",
    groupFields: ["matcher", "sequential", "hooks"],
    kinds: { ...kindsWith(NATIVE_HOOK_FIELDS), module: { ...MODULE_KIND, ...NATIVE_HOOK_FIELDS } },
  },
  defaults: { seconds, onFailure: (row) => row.onFailure },
  quirks: {
    hasOwnWords: true,
    sendsWireNames: true,
    honoursOnce: true,
    missingHeaderVariable: "failure",
    projectVariable: "HOOKLOOP_PROJECT_DIR",
  },
  input: {
    payload: (_event, input) => input,
    // SECURITY: what the user set for a plugin is not for a pack that calls itself the same.
    variables: (about) => claudeVariables({ ...about, session: { ...about.session, pluginOptions: undefined } }),
  },
  answer: answerOnClaudeWire(NATIVE_RULES),
};
