import type { Ability } from "@hookloop/sdk";
import { any, choice, type Fields, flag, list, number, optional, PERMISSION_MODES, record, text } from "./field.ts";
import type { EventRow, HookKind } from "./row.ts";

/** Kinds that can stand in a file; `function` hooks are registered by a program. */
export type ConfiguredKind = Exclude<HookKind, "function">;

const TIMEOUT = optional(number("Limit in seconds (not milliseconds)."));

/** Fields every configured hook has. */
export const COMMON_HOOK_FIELDS: Fields = {
  if: optional(text("One permission rule, as in `Bash(git push *)`: the hook runs only for calls it matches. Tool events only.")),
  timeout: TIMEOUT,
  statusMessage: optional(text("Shown while the hook runs.")),
  once: optional(flag("Run once per session; honoured in skills.")),
};

const ON_FAILURE: Fields = {
  onFailure: optional(
    choice(["continue", "block"], "What a hook that could not start, timed out, exited with an error or wrote broken JSON does."),
  ),
};

/** What the Claude dialect knows of each kind. */
export const HOOK_KINDS: Readonly<Record<Exclude<ConfiguredKind, "module">, Fields>> = {
  command: {
    command: text("What to run: a shell line, or with `args` a program."),
    args: optional(list(text("An argument."), "Arguments; with them nothing is read by a shell.")),
    shell: optional(choice(["bash", "powershell"], "The shell that reads the line; `sh` if left out.")),
    async: optional(flag("Run in the background; the answer can only add context, on a later turn.")),
    asyncRewake: optional(flag("Run in the background and wake the agent on exit code 2.")),
    rewakeMessage: optional(text("With `asyncRewake`: what the model reads before the hook's own words.")),
    rewakeSummary: optional(text("With `asyncRewake`: the line that the user sees when the agent is woken.")),
    ...ON_FAILURE,
  },
  http: {
    url: text("Where the payload is posted."),
    headers: optional(record("Headers; `$NAME` is replaced if the variable is allowed.")),
    allowedEnvVars: optional(list(text("A variable."), "Variables that may be used in headers.")),
    ...ON_FAILURE,
  },
  mcp_tool: {
    server: text("The connected MCP server."),
    tool: text("The tool to call."),
    input: optional(record("Its input; `${a.b}` is replaced by that field of the payload.")),
  },
  prompt: {
    prompt: text("What to ask the model; `$ARGUMENTS` is replaced by the payload."),
    model: optional(text("The model to ask.")),
    continueOnBlock: optional(flag("Continue with the reason instead of ending the turn.")),
  },
  agent: {
    prompt: text("The task of the agent; `$ARGUMENTS` is replaced by the payload."),
    model: optional(text("The model to use.")),
  },
};

/** What a hook in a native file may say besides. Claude Code would drop a file that has one of these on PreToolUse. */
export const NATIVE_HOOK_FIELDS: Fields = {
  name: optional(text("Name in messages, traces and disable lists.")),
  guard: optional(flag("If the hook fails, the answer is no.")),
  onFailure: optional(
    choice(["continue", "ask", "block"], "What happens if the hook fails; by default a gate asks, and an observer lets the call continue."),
  ),
  warm: optional(
    flag("Keep a script of the SDK loaded between events; start every other `node SCRIPT` in a process that has booted already."),
  ),
  files: optional(list(text("A file."), "More files whose content the hook's trust depends on.")),
  secretEnv: optional(text("http: the variable with the secret that requests are signed with (Standard Webhooks).")),
  passEnv: optional(list(text("A variable."), "Variables that would be withheld from the hook otherwise.")),
  required: optional(flag("Managed policy only: the session does not start if the hook cannot run.")),
  budget: optional(number("Milliseconds; a slower run is reported.")),
};

/** The kind that only native files know. */
export const MODULE_HOOK_FIELDS: Fields = {
  path: text("A JavaScript or TypeScript file, relative to this one."),
  export: optional(text("Name of one export; all hooks of the file if left out.")),
  isolation: optional(choice(["worker", "process"], "Where it runs.")),
};

export const NATIVE_SETTINGS: Fields = {
  strict: optional(flag("Every gate that fails blocks; the environment of hooks is an allow-list.")),
  allowLoopback: optional(flag("http hooks may reach this machine.")),
  budgets: optional(
    record("Milliseconds that the hooks of an event should need together, by event; `*` is every other. More is reported."),
  ),
  stopCap: optional(number("How many times in a row Stop hooks may keep the agent going.")),
};

export const PERMISSION_LISTS: Fields = {
  allow: optional(list(text("A rule."), "Calls that need no question.")),
  ask: optional(list(text("A rule."), "Calls that need one.")),
  deny: optional(list(text("A rule."), "Calls that never happen.")),
  defaultMode: optional(choice(PERMISSION_MODES, "The permission mode at the start.")),
  additionalDirectories: optional(list(text("A folder."), "Folders besides the project that the agent works in.")),
  disableBypassPermissionsMode: optional(choice(["disable"], "No session can switch all questions off; counts only in managed scope.")),
};

/** Hook settings of a Claude settings file besides `hooks` itself. */
export const SETTINGS_SWITCHES: Fields = {
  disableAllHooks: optional(flag("No hook runs, but those of managed policy.")),
  allowedHttpHookUrls: optional(list(text("A URL; `*` is a wildcard."), "Where http hooks may post; an empty list allows none.")),
  httpHookAllowedEnvVars: optional(list(text("A variable."), "Variables that headers of http hooks may use.")),
  enabledPlugins: optional(record("Installed plugins by `name@marketplace`: `true` or `false`.")),
  statusLine: optional(any("A command whose output is the status line; not a hook.")),
};

/** Fields of `hookSpecificOutput` that have an output helper of their own. */
const HELPER_FIELDS = [
  "permissionDecision",
  "permissionDecisionReason",
  "updatedInput",
  "additionalContext",
  "updatedToolOutput",
  "updatedMCPToolOutput",
  "updatedPrompt",
];

/** What a hook of this event can say, read off the row's columns. */
export function abilitiesOf(row: EventRow): readonly Ability[] {
  const decisions = decisionsOf(row);
  const isExpressible: Readonly<Record<Ability, boolean>> = {
    allow: decisions.includes("allow"),
    deny: decisions.includes("deny"),
    ask: decisions.includes("ask"),
    defer: decisions.includes("defer"),
    block: row.block !== null,
    rewrite: "updatedInput" in row.output || row.block === "request",
    context: "additionalContext" in row.output,
    feedback: row.feedback !== null,
    replaceOutput: "updatedToolOutput" in row.output,
    rewritePrompt: "updatedPrompt" in row.output,
    stop: row.honoursContinue,
    tellUser: row.honoursContinue,
    output: Object.keys(outputFieldsOf(row)).length > 0,
  };
  return (Object.keys(isExpressible) as Ability[]).filter((ability) => isExpressible[ability]);
}

function decisionsOf(row: EventRow): readonly string[] {
  if (row.block === "request") return ["allow", "deny"];
  const type = row.output["permissionDecision"]?.type;
  return type?.kind === "choice" ? type.values : [];
}

/** The fields `output({ … })` may set: what no other helper sets, and the parts of a permission answer. */
export function outputFieldsOf(row: EventRow): Fields {
  const decision = row.output["decision"]?.type;
  const answers = decision?.kind === "either" ? decision.options.map((option) => (option.kind === "shape" ? option.fields : {})) : [];
  const fields: Fields = answers.length > 0 ? Object.assign({}, ...answers) : row.output;
  const own = Object.entries(fields).filter(([name]) => !HELPER_FIELDS.includes(name) && !["behavior", "message"].includes(name));
  return Object.fromEntries(own);
}

/** What saying it does, where the event's row does not say it better. */
export const ABILITY_MEANS: Readonly<Record<Ability, string>> = {
  allow: "skips the question; never beats a deny or ask rule",
  deny: "the same as block",
  ask: "lets the user decide; a refusal where there is no user to ask",
  defer: "ends a headless run here; whoever resumes it decides",
  block: "blocks",
  rewrite: "replaces the whole tool input",
  context: "gives the model this text",
  feedback: "puts a reason beside the result; the model gets both",
  replaceOutput: "shows the model this instead of the tool's output",
  rewritePrompt: "sends the model this prompt instead (hookloop only; Claude Code keeps the prompt)",
  stop: "ends the agent's work after this step; the user gets the reason",
  tellUser: "shows the user this text",
  output: "sets fields that only this event has",
};
