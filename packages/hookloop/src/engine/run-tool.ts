import {
  calledElsewhere,
  lookAlike,
  MORE_TOOL_NAMES,
  otherSpelling,
  plainName,
  SHIPPED_HOOKS,
  STRICT_MODES,
  TOOL_NAMES,
  TOOLS,
} from "../catalogue/index.ts";
import { type Allowed, catchRejection, checkEntries, invalidOption, shown } from "../check-options.ts";
import { clause, type Diagnostic, nearestName } from "../diagnostic.ts";
import { contextTexts, feedbackTexts, type Verdict } from "../judge/index.ts";
import { MODES, type PermissionDecision, type PermissionMode, type Protect } from "../permissions/index.ts";
import { dataCopy, frozenCopy, inputCopy, isPlainObject, thrownText } from "../run/index.ts";
import type { HookEngine } from "./engine.ts";
import { type Permit, permitCall, type ReadOptions, type ToolCall, type ToolOptions, unlessOver } from "./permit.ts";
import type { EventInput, Session, ToolWatch } from "./session.ts";
import { sayOnce } from "./step.ts";
import { kindOf } from "./unfit-input.ts";

/** How one tool call ended, with the texts for the model. */
export interface ToolResult<Output> {
  /** `withheld`: it ran, and a guard that must see its result failed: the model gets the error in its place. */
  readonly status: "ran" | "failed" | "denied" | "deferred" | "withheld";
  /** What the tool gave, or what a hook put in its place; only if it ran. */
  readonly output?: Output | unknown;
  /** Why it did not run, or how it failed, as the model is told. */
  readonly error?: string | undefined;
  /** Texts of hooks that belong beside the result, labelled. */
  readonly texts: readonly string[];
  /** The agent's work ends here. */
  readonly halt: Verdict["halt"];
  /** What rules and modes said, and which; absent if a hook's no ended it before. */
  readonly permission?: PermissionDecision | undefined;
  /** A PermissionRequest hook refused the call and ended the turn with it. */
  readonly isInterrupted?: true | undefined;
  readonly verdicts: readonly Verdict[];
}

/** Runs the tool with the input as it was judged; the signal is that of `runTool`. */
export type Execute<Output> = (input: EventInput, run: { readonly signal: AbortSignal }) => Output | Promise<Output>;

interface GivenOptions {
  /** Whatever the program wrote as the third argument. */
  readonly given: unknown;
  /** What guards the hooks' own configuration. */
  readonly protect: Protect;
  /** Looks at what decides which hooks run, before the call and after it. */
  readonly watch: () => ReturnType<ToolWatch["before"]>;
  readonly session: Session;
  readonly closing: AbortSignal;
}

const NEVER_ABORTED = new AbortController().signal;

/** PreToolUse → rules, PermissionRequest, the user → the tool → PostToolUse or PostToolUseFailure. */
export async function runTool<Output>(
  hooks: HookEngine,
  given: ToolCall,
  execute: Execute<Output>,
  { given: givenOptions, protect, watch, session, closing }: GivenOptions,
): Promise<ToolResult<Output>> {
  const options = readOptions(hooks, givenOptions, execute, { session, closing });
  const judged = typeof options === "string" ? options : readCall(hooks, given);
  if (typeof options === "string" || typeof judged === "string")
    return { status: "denied", error: String(judged), texts: [], halt: undefined, verdicts: [] };
  options.protect = bothProtect(protect, options.protect);
  const { signal } = options;
  adviseBefore(hooks, judged, options);
  const call: ToolCall = { ...judged, ...modeOf(options) };
  const pre = await hooks.fire("PreToolUse", call, signal && { signal });
  const asked: ToolCall = pre.updatedInput ? { ...call, tool_input: frozenCopy(pre.updatedInput) as ToolCall["tool_input"] } : call;
  // SECURITY: before the program's functions are asked: bytes and dates cannot be frozen, and what was judged is what runs.
  const judgedInput = dataCopy(asked.tool_input) as EventInput;
  const decided = await permitCall({ hooks, call: asked, verdict: pre, options }).catch((thrown: unknown) =>
    undecided(hooks, asked, thrown),
  );
  const permit = unlessOver(hooks, decided, options);
  const before = [pre, ...permit.verdicts];
  const actual = permit.call;
  const preTexts = before.flatMap((verdict) => contextTexts({ verdict, input: actual }));
  const halt = before.find((verdict) => verdict.halt)?.halt;
  if (permit.refusal) {
    const told = await tellRefusal(hooks, permit, options);
    const isInterrupted = permit.verdicts.some(({ fields }) => fields["interrupt"] === true);
    return {
      ...permit.refusal,
      permission: permit.permission,
      ...(isInterrupted && { isInterrupted }),
      texts: [...preTexts, ...told.texts],
      halt,
      verdicts: [...before, ...told.verdicts],
    };
  }
  const after = watch();
  const startedAt = performance.now();
  const input = actual.tool_input === asked.tool_input ? judgedInput : (dataCopy(actual.tool_input) as EventInput);
  const ran = await attempt(() => execute(input, { signal: signal ?? NEVER_ABORTED }));
  const duration_ms = Math.round(performance.now() - startedAt);
  after(actual.tool_name, permit.permission?.by.kind === "protection");
  hooks.progress(typeof call["agent_id"] === "string" ? call["agent_id"] : undefined);
  const event = "error" in ran ? "PostToolUseFailure" : "PostToolUse";
  const isAborted = signal?.aborted ?? false;
  const result = "error" in ran ? { error: ran.error, is_interrupt: isAborted } : { tool_response: ran.output };
  // What has happened is told even if the caller no longer waits for it: with an aborted signal no hook would ever see `is_interrupt`.
  const told = { ...actual, ...modeOf(options), ...fieldsAfterwards(hooks, options), ...result, duration_ms };
  if (!("error" in ran)) adviseAfter(hooks, actual, ran.output, session);
  const post = await hooks.fire(event, told, isAborted ? undefined : signal && { signal });
  const spoken = { verdict: post, input: actual };
  return {
    ...endOf(ran, post),
    texts: [...preTexts, ...feedbackTexts(spoken), ...contextTexts(spoken)],
    halt: halt ?? post.halt,
    permission: permit.permission,
    verdicts: [...before, post],
  };
}

/** What became of a call that was started, after its hooks. */
function endOf<Output>(
  ran: { readonly output: Output } | { readonly error: string },
  { updatedOutput }: Verdict,
): Pick<ToolResult<Output>, "status" | "output" | "error"> {
  if ("error" in ran) return { status: "failed", error: ran.error };
  if (updatedOutput?.isWithheld) return { status: "withheld", error: String(updatedOutput.value) };
  return { status: "ran", output: updatedOutput ? updatedOutput.value : ran.output };
}

/** SECURITY: a protection of the program's own adds to that of the hooks' own files and never replaces it; the stricter counts. */
function bothProtect(protect: Protect, own: Protect | undefined): Protect {
  return (call) => {
    const found = own?.(call);
    return found === undefined || found === null || found.decision === "ask" ? (protect(call) ?? found) : found;
  };
}

/** Hooks get the mode that counts now. */
function modeOf({ rules }: ToolOptions): { readonly permission_mode?: string } {
  return rules?.mode === undefined ? {} : { permission_mode: rules.mode };
}

/**
 * The call, or why it is none. SECURITY: each field is read once, and what is judged is what runs, whatever the caller, a hook or a function
 * of the options does to its own objects meanwhile. Code of the call's own, as in a getter or a Proxy, must not throw at the loop.
 */
function readCall(hooks: HookEngine, given: ToolCall): ToolCall | string {
  try {
    const fields = { ...given };
    return unfitCall(hooks, fields) ?? (frozenCopy({ ...fields, tool_input: inputCopy(fields.tool_input, "call") }) as ToolCall);
  } catch (thrown) {
    const text = `runTool() was given a call that cannot be read: ${clause(thrownText(thrown))}. The call was not run. Write plain data.`;
    hooks.report({ code: "HL_EXECUTE_BAD_INPUT", level: "error", text });
    return "The call was not run: it cannot be read, so it cannot be judged.";
  }
}

const OPTIONS: Readonly<Record<keyof ToolOptions, Allowed>> = {
  rules: "object",
  protect: "function",
  permission: "function",
  ask: "function",
  afterwards: "function",
  signal: "signal",
};

/**
 * The options, or why the call is not run. SECURITY: a rule that is not read is none. Each option is read once, also if the object inherits it,
 * as one of a class does; what can hold no option, and a name that is nearly one, is a mistake.
 */
function readOptions(
  hooks: HookEngine,
  given: unknown,
  execute: unknown,
  own: Pick<ReadOptions, "session" | "closing">,
): ReadOptions | string {
  try {
    const options = optionsOf(given ?? {});
    checkEntries("runTool()", options, OPTIONS);
    if (options.rules && (typeof options.rules.decide !== "function" || typeof options.rules.update !== "function"))
      throw invalidOption("rules of runTool() is not a Permissions object. Write new Permissions({ rules, root })");
    if (typeof execute !== "function") throw invalidOption("runTool() has nothing to run. Write runTool(call, (input) => …)");
    return { ...options, ...own };
  } catch (thrown) {
    const text = thrownText(thrown).replace(/^\w+: /, "");
    hooks.report({
      code: "HL_CONFIG_OPTION_INVALID",
      level: "error",
      text: `${text}${text.endsWith("?") ? "" : "."} The call was not run.`,
    });
    return `The call was not run: the program that runs it has a mistake (${text}).`;
  }
}

const NAMES = Object.keys(OPTIONS) as (keyof ToolOptions)[];

function optionsOf(given: unknown): ToolOptions {
  const mistake = notOptions(given);
  if (mistake !== undefined) throw invalidOption(mistake);
  const holder = given as Readonly<Record<string, unknown>>;
  if ("permissions" in holder) {
    const meant = typeof holder["permissions"] === "function" ? "permission" : "rules";
    throw invalidOption(`runTool() has no option "permissions". Did you mean "${meant}"?`);
  }
  const isPlain = isPlainObject(holder);
  if (isPlain) checkNames(Object.keys(holder));
  else for (const name of namesOf(holder)) if (nearestName(name, LENIENT_IF_MISSING) !== undefined) checkNames([name]);
  const options = NAMES.flatMap((name) => {
    const value = readOption(holder, name);
    // A method of a class needs its object.
    return value === undefined ? [] : [[name, typeof value === "function" ? value.bind(holder) : value]];
  });
  if (options.length === 0 && !isPlain)
    throw invalidOption(`the options of runTool() are ${kindOf(holder)} and have none of: ${NAMES.join(", ")}. Write a plain object`);
  return Object.fromEntries(options);
}

/** Without `ask` a question is a refusal; without another of these the call is judged less strictly. */
const LENIENT_IF_MISSING = NAMES.filter((name) => name !== "ask");

function checkNames(names: readonly string[]): void {
  checkEntries("runTool()", Object.fromEntries(names.map((name) => [name, undefined])), OPTIONS);
}

/** Own names and those of its classes, without those of every object. */
function namesOf(holder: object): readonly string[] {
  const names: string[] = [];
  for (let at: object | null = holder; at && at !== Object.prototype; at = Object.getPrototypeOf(at))
    names.push(...Object.getOwnPropertyNames(at));
  return names;
}

function readOption(holder: Readonly<Record<string, unknown>>, name: string): unknown {
  try {
    return holder[name];
  } catch (thrown) {
    throw invalidOption(`the options of runTool() cannot be read: ${clause(thrownText(thrown))}`);
  }
}

/** What was given in the place of options, and what to write. */
function notOptions(given: unknown): string | undefined {
  const are = "the options of runTool() are";
  if (typeof given === "function")
    return /^class\b/.test(Function.prototype.toString.call(given))
      ? `${are} a class. Write new ${given.name || "Options"}()`
      : `${are} a function. Write an object, as in { permission: (call) => … }`;
  if (typeof given !== "object" || given === null || Array.isArray(given)) return `${are} ${shown(given)}. Write an object`;
  if (given instanceof AbortSignal) return "runTool() was given a signal. Write runTool(call, execute, { signal })";
  const { then, decide, update } = given as Readonly<Record<string, unknown>>;
  if (typeof then === "function") return `${are} a promise. Await it first`;
  if (typeof decide === "function" && typeof update === "function") return "runTool() was given Permissions. Write { rules: permissions }";
  return undefined;
}

/** SECURITY: a call without a name fits no rule: it may not pass for one that was allowed. */
function unfitCall(hooks: HookEngine, call: ToolCall): string | undefined {
  const { tool_name, tool_input } = (call ?? {}) as Partial<ToolCall>;
  const isAnyObject = typeof tool_input === "object" && tool_input !== null;
  // Of an object of a class a copy has only some parts: of a Map and a promise none, of others no getters.
  const isObject = isAnyObject && isPlainObject(tool_input);
  const problems = [
    ...nameProblem(call, tool_name),
    ...(isObject ? [] : [fieldProblem(call, "tool_input", isAnyObject ? "a plain object" : "an object")]),
  ];
  if (problems.length === 0) return undefined;
  const text = `runTool() was called ${problems.join(", and ")}. The call was not run: no rule and no matcher can judge it.`;
  hooks.report({ code: "HL_SELECT_FIELD_MISSING", level: "error", text });
  return `The call was not run: it was made ${problems.join(", and ")}, so it cannot be judged.`;
}

/** SECURITY: a name that cannot be read, or that only looks like a tool's, is one that no rule was written for. */
function nameProblem(call: ToolCall, name: unknown): readonly string[] {
  if (typeof name !== "string") return [fieldProblem(call, "tool_name", "a text")];
  if (plainName(name) === "") return [fieldProblem(call, "tool_name", "the name of a tool")];
  const looks = lookAlike(name);
  const meant =
    looks === undefined ? undefined : (otherSpelling(looks) ?? calledElsewhere(looks) ?? TOOL_NAMES.find((one) => one === looks));
  return meant === undefined ? [] : [`with a "tool_name" that is ${shown(name)}: it looks like ${meant}, with letters of another alphabet`];
}

/** What others call the same. */
const OTHER_NAMES: Readonly<Record<"tool_name" | "tool_input", readonly string[]>> = {
  tool_name: ["name", "tool", "function"],
  tool_input: ["input", "arguments", "args", "parameters", "params"],
};

function fieldProblem(call: ToolCall | undefined, name: "tool_name" | "tool_input", wanted: string): string {
  const value = call?.[name];
  const isText = name === "tool_input" && typeof value === "string";
  const parsed = isText ? ". If it is JSON, parse it first" : (value as unknown) instanceof Promise ? ". Await it first" : "";
  if (value !== undefined)
    return `with a "${name}" that is ${typeof value === "object" ? kindOf(value) : shown(value)}, not ${wanted}${parsed}`;
  const given = Object.keys(call ?? {}).filter((one) => !["tool_name", "tool_input", "tool_use_id"].includes(one));
  const slip = nearestName(name, given) ?? given.find((one) => OTHER_NAMES[name].includes(one));
  return `without "${name}"${slip === undefined ? "" : `: it has "${slip}"`}`;
}

/** The tool has run: what it may have changed is not worth losing its result. */
function fieldsAfterwards(hooks: HookEngine, { afterwards }: ToolOptions): Readonly<Record<string, unknown>> {
  try {
    const fields: unknown = afterwards?.() ?? {};
    if (typeof fields === "object" && fields !== null && isPlainObject(fields)) return fields;
    catchRejection(fields);
    const found = typeof fields === "object" ? kindOf(fields) : shown(fields);
    hooks.report({
      code: "HL_CONFIG_OPTION_INVALID",
      level: "error",
      text: `afterwards of runTool() gave ${found}. Return an object of fields.`,
    });
    return {};
  } catch (thrown) {
    hooks.report({ code: "HL_EXECUTE_THREW", level: "error", text: `afterwards of runTool() threw: ${thrownText(thrown)}` });
    return {};
  }
}

/** SECURITY: rules or a question that broke have not said yes. */
function undecided(hooks: HookEngine, call: ToolCall, thrown: unknown): Permit {
  const { cause = thrown } = thrown as Partial<Error>;
  hooks.report({ code: "HL_EXECUTE_THREW", level: "error", text: `${thrownText(thrown)}. ${call.tool_name} was not run.` });
  const error = `${call.tool_name} was not run: whether it may could not be decided (${thrownText(cause)}).`;
  return { call, verdicts: [], refusal: { status: "denied", error } };
}

/** PermissionDenied is about refusals of auto mode: there was no user to answer the question it would have decided. */
async function tellRefusal(
  hooks: HookEngine,
  { call, permission, refusal }: Permit,
  { rules, ask }: ToolOptions,
): Promise<{ readonly texts: readonly string[]; readonly verdicts: readonly Verdict[] }> {
  const isAuto = rules?.mode === "auto" && !ask && permission?.by.kind === "default";
  if (!isAuto || !hooks.has("PermissionDenied")) return { texts: [], verdicts: [] };
  const verdict = await hooks.fire("PermissionDenied", {
    permission_mode: rules.mode,
    ...call,
    reason: refusal?.error ?? permission.reason,
  });
  return { texts: verdict.fields["retry"] === true ? ["A hook says that you may try this call again."] : [], verdicts: [verdict] };
}

async function attempt<Output>(run: () => Output | Promise<Output>): Promise<{ output: Output } | { error: string }> {
  try {
    return { output: await run() };
  } catch (thrown) {
    return { error: thrownText(thrown) };
  }
}

function advise(session: Session, code: Diagnostic["code"], text: string, key?: string): void {
  sayOnce(session, { code, level: "warning", text }, key);
}

/** Before hooks are asked. */
function adviseBefore(hooks: HookEngine, call: ToolCall, options: ReadOptions): void {
  const { session } = options;
  adviseMode(call["permission_mode"] ?? session.commonInput["permission_mode"], options);
  adviseShell(hooks, call, session);
  if (options.rules) return;
  const { unapplied } = hooks.fileRules;
  // SECURITY: whoever wrote a strict mode into a settings file believes that it holds.
  if (unapplied !== undefined)
    advise(
      session,
      "HL_PERMISSION_NOT_APPLIED",
      `The mode "${unapplied}" of the settings is not applied: runTool() was called without rules, and then only deny and ask rules of files hold. Write rules: new Permissions({ rules: readRules(hooks.ruleSources).rules, root: cwd }).`,
    );
  if (!options.permission && hooks.has("PermissionRequest"))
    advise(
      session,
      "HL_PERMISSION_NOT_APPLIED",
      "PermissionRequest hooks are asked when a call needs permission, and runTool() was called without rules and without permission, so that most calls need none. Write rules: new Permissions({ rules: readRules(hooks.ruleSources).rules, root: cwd }).",
    );
}

/** What hooks are told about the mode is true only if something keeps to it. */
function adviseMode(given: unknown, { rules, session }: ReadOptions): void {
  if (given === undefined) return;
  const tell = (text: string): void => advise(session, "HL_PERMISSION_NOT_APPLIED", text, `mode ${String(given).slice(0, 60)}`);
  if (!MODES.includes(given as PermissionMode))
    tell(`permission_mode is ${shown(given)}, which is not a mode. There are: ${MODES.join(", ")}.`);
  else if (rules && rules.mode !== undefined && rules.mode !== given)
    tell(
      `permission_mode is "${given}", and the mode of rules is "${rules.mode}": that one counts, and hooks are told so. Leave permission_mode out.`,
    );
  else if (!rules && STRICT_MODES.includes(given))
    tell(
      `The mode "${given}" in permission_mode is not applied: runTool() was called without rules, so only hooks see it. Write rules: new Permissions({ rules, root, mode: "${given}" }).`,
    );
}

/** A tool of another name that has a `command`, while hooks are there for Bash and none for it. */
function adviseShell(hooks: HookEngine, { tool_name: tool, tool_input: input }: ToolCall, session: Session): void {
  if (typeof input["command"] !== "string" || tool.startsWith("mcp__")) return;
  if ([...TOOL_NAMES, ...MORE_TOOL_NAMES].includes(tool) || otherSpelling(tool) !== undefined || calledElsewhere(tool) !== undefined)
    return;
  const named = namedBy(hooks, "PreToolUse");
  const shipped = hooks.admitted.find((hook) => SHIPPED_HOOKS.some((one) => one === hook.name));
  if ((!named.includes("Bash") && !shipped) || named.includes(tool)) return;
  const name = JSON.stringify(tool.slice(0, 60));
  const [problem, cure] = named.includes("Bash")
    ? ["hooks for Bash are not asked about it", `name it in their matchers, too: ["Bash", ${name}]`]
    : [`"${shipped?.name}" does not judge it`, "call it Bash in runTool()"];
  advise(
    session,
    "HL_SELECT_SPELLING",
    `The tool ${name} was called with a "command", and ${problem}. If it runs shell commands, ${cure}.`,
    `shell ${tool}`,
  );
}

function namedBy(hooks: HookEngine, event: "PreToolUse" | "PostToolUse"): readonly string[] {
  return hooks.matchers(event).flatMap((matcher) => matcher.split(/[|,]\s*/));
}

/** After the tool has run: hooks for a known tool read the fields that its response has elsewhere. */
function adviseAfter(hooks: HookEngine, { tool_name: tool }: ToolCall, output: unknown, session: Session): void {
  const response = Object.hasOwn(TOOLS, tool) ? TOOLS[tool as keyof typeof TOOLS].response : undefined;
  // A hook that names the tool expects the tool's own shape; one for every tool may be the program's.
  if (!response || !namedBy(hooks, "PostToolUse").includes(tool)) return;
  const has = (name: string): boolean => typeof output === "object" && output !== null && name in output;
  const missing = Object.entries(response).flatMap(([name, { optional }]) => (optional || has(name) ? [] : name));
  if (missing.length === 0) return;
  const whole = Object.entries(response).flatMap(([name, { optional }]) => (optional ? [] : name));
  advise(
    session,
    "HL_SELECT_FIELD_MISSING",
    `execute of runTool() gave ${kindOf(output)} for ${tool}, so tool_response has no "${missing.join('", "')}": PostToolUse hooks that read ${missing.length > 1 ? "these" : "it"} find nothing. Return { ${whole.join(", ")} }.`,
    `response ${tool}`,
  );
}
