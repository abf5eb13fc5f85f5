/** Takes what a program gave `runTool` or `begin`; gives the call and the options, each field read once, or why nothing can be run. Advises on what was given. */

import {
  calledElsewhere,
  type Fields,
  isShippedName,
  lookAlike,
  MORE_TOOL_NAMES,
  otherSpelling,
  plainName,
  STRICT_MODES,
  TOOL_NAMES,
  TOOLS,
} from "../catalogue/index.ts";
import { type Allowed, checkEntries, invalidOption, isObject, shown } from "../check-options.ts";
import { clause, type Diagnostic, nearestName } from "../diagnostic.ts";
import type { Verdict } from "../judge/index.ts";
import { MODES, type PermissionMode, type Permissions } from "../permissions/index.ts";
import { frozenCopy, inputCopy, isPlainObject, thrownText } from "../run/index.ts";
import type { HookEngine } from "./engine.ts";
import type { ReadOptions, ToolCall, ToolOptions } from "./permit.ts";
import type { Session } from "./session.ts";
import { sayOnce } from "./step.ts";
import { kindOf } from "./unfit-input.ts";

/**
 * The call, or why it is none. SECURITY: each field is read once, and what is judged is what runs, whatever the caller, a hook or a function
 * of the options does to its own objects meanwhile. Code of the call's own, as in a getter or a Proxy, must not throw at the loop.
 */
export function readCall(hooks: HookEngine, given: ToolCall): ToolCall | string {
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
  answered: "anything",
  responseOf: "function",
  isSignal: "function",
  signal: "signal",
  messages: "function",
};

/**
 * The options, or why the call is not run. SECURITY: a rule that is not read is none. Each option is read once, also if the object inherits it,
 * as one of a class does; what can hold no option, and a name that is nearly one, is a mistake.
 */
export function readOptions(hooks: HookEngine, given: unknown, own: Pick<ReadOptions, "session" | "closing">): ReadOptions | string {
  try {
    const options = optionsOf(given ?? {});
    checkEntries("runTool()", options, OPTIONS);
    if (options.rules && (typeof options.rules.decide !== "function" || typeof options.rules.update !== "function"))
      throw invalidOption("rules of runTool() is not a Permissions object. Write new Permissions({ rules, root })");
    checkAnswer(options.answered);
    return { ...options, ...own };
  } catch (thrown) {
    return programMistake(hooks, thrownText(thrown).replace(/^\w+: /, ""));
  }
}

function checkAnswer(answered: unknown): void {
  if (answered === undefined || typeof answered === "boolean") return;
  const where = "answered of runTool()";
  if (!isObject(answered)) throw invalidOption(`${where} is ${shown(answered)}. Write true, false or { yes, token }`);
  checkEntries(where, answered, { yes: "flag", token: "text" });
  if (answered["yes"] === undefined || answered["token"] === undefined)
    throw invalidOption(`${where} lacks "${answered["yes"] === undefined ? "yes" : "token"}". Write { yes, token }`);
}

/** Says what the program did wrong, and gives it as the model is told. */
export function programMistake(hooks: HookEngine, text: string): string {
  const end = text.endsWith("?") ? "" : ".";
  hooks.report({ code: "HL_CONFIG_OPTION_INVALID", level: "error", text: `${text}${end} The call was not run.` });
  return `The call was not run: the program that runs it has a mistake (${text}).`;
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

/** Without these a question is a refusal, or asked again, and a tool has failed; without another option the call is judged less strictly. */
const STRICT_IF_MISSING: readonly (keyof ToolOptions)[] = ["ask", "answered", "isSignal", "responseOf"];
const LENIENT_IF_MISSING = NAMES.filter((name) => !STRICT_IF_MISSING.includes(name));

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

function advise(session: Session, code: Diagnostic["code"], text: string, key?: string): void {
  sayOnce(session, { code, level: "warning", text }, key);
}

/** Before hooks are asked. */
export function adviseBefore(hooks: HookEngine, call: ToolCall, options: ReadOptions): void {
  const { session } = options;
  adviseMode(call["permission_mode"] ?? session.commonInput["permission_mode"], options);
  adviseShell(hooks, call, session);
  if (options.rules) {
    tellRules(hooks, options.rules, session);
    return;
  }
  const { unapplied } = hooks.internals.fileRules;
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

/** SECURITY: a deny rule that could not be read denies nothing, and `readRules(…).rules` alone does not look like it. What the engine has read, it has told. */
function tellRules({ diagnostics: told }: HookEngine, { diagnostics }: Permissions, session: Session): void {
  if (!Array.isArray(diagnostics) || diagnostics.length === 0) return;
  for (const one of diagnostics as readonly Diagnostic[]) if (!told.some(({ text }) => text === one.text)) sayOnce(session, one);
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
  const shipped = hooks.admitted.find((hook) => isShippedName(hook.name));
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
  return hooks.internals.matchers(event).flatMap((matcher) => matcher.split(/[|,]\s*/));
}

/** After the tool has run. */
export function adviseAfter(hooks: HookEngine, { tool_name: tool }: ToolCall, output: unknown, session: Session): void {
  if (output instanceof Error || (isObject(output) && output["isError"] === true && hooks.has("PostToolUseFailure"))) {
    const what = output instanceof Error ? "an Error" : "a result with isError";
    const text = `execute of runTool() returned ${what} for ${shown(tool)}: that is an output, and PostToolUseFailure hooks are not called. Throw it if the tool has failed.`;
    advise(session, "HL_EXECUTE_BAD_INPUT", text, `returned error ${tool}`);
  }
  if (hooks.has("PostToolUse")) reportResponse(session, tool, output, namedBy(hooks, "PostToolUse"));
}

/**
 * Hooks for a known tool read the fields that its response has elsewhere. A hook that names the tool expects all of them; one for every tool may be the
 * program's, and know what is given. Fields of the program's own are fine, but for those that are nearly one of the tool's.
 */
export function reportResponse(session: Session, tool: string, output: unknown, named: readonly string[]): void {
  const response = Object.hasOwn(TOOLS, tool) ? TOOLS[tool as keyof typeof TOOLS].response : undefined;
  if (!response) return;
  const problems = [...misspeltFields(response, output), ...(named.includes(tool) ? unfitFields(response, output) : [])];
  if (problems.length === 0) return;
  const whole = Object.entries(response).flatMap(([name, { optional }]) => (optional ? [] : name));
  const text = `tool_response of ${tool} is ${kindOf(output)} ${problems.join(", and ")}: PostToolUse hooks that read these fields find nothing, or something else. Give { ${whole.join(", ")} }.`;
  advise(session, "HL_SELECT_FIELD_MISSING", text, `response ${tool}`);
}

/** Another spelling of a field that is not there, also in an object inside: in a short name only other signs and capitals. */
function misspeltFields(response: Fields, output: unknown): readonly string[] {
  if (!isObject(output)) return [];
  const absent = Object.keys(response).filter((name) => !(name in output));
  return Object.entries(output).flatMap(([name, value]) => {
    const type = Object.hasOwn(response, name) ? response[name]?.type : undefined;
    if (type?.kind === "shape") return misspeltFields(type.fields, value);
    if (type !== undefined) return [];
    const long = absent.filter((one) => one.length > 4);
    const meant = absent.find((one) => plainName(one) === plainName(name)) ?? nearestName(name, long);
    return meant === undefined ? [] : [`with "${name.slice(0, 60)}" (did you mean "${meant}"?)`];
  });
}

function unfitFields(response: Fields, output: unknown): readonly string[] {
  const has = (name: string): boolean => typeof output === "object" && output !== null && name in output;
  const needed = Object.entries(response).filter(([, { optional }]) => !optional);
  const missing = needed.flatMap(([name]) => (has(name) ? [] : name));
  const odd = needed.flatMap(([name, { type }]) => {
    const value = has(name) ? (output as Readonly<Record<string, unknown>>)[name] : "";
    return type.kind === "string" && typeof value !== "string" ? [`with a "${name}" that is ${kindOf(value)}, not a text`] : [];
  });
  return [...(missing.length > 0 ? [`without "${missing.join('", "')}"`] : []), ...odd];
}

/** What hooks cannot see of a result: an object whose content is in none of its fields, such as a Map, a stream or a response. Deeper than tools go, nothing is looked for. */
function unseenPart(output: unknown, depth = 6): string | undefined {
  if (typeof output !== "object" || output === null || depth === 0) return undefined;
  if (output instanceof Date || ArrayBuffer.isView(output)) return undefined;
  const parts = Object.values(output);
  if (parts.length === 0 && !Array.isArray(output) && !isPlainObject(output)) return kindOf(output);
  for (const part of parts) {
    const found = unseenPart(part, depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** SECURITY: a guard that was shown an empty object has not judged what the model would get. */
export function unseenResult(call: ToolCall, output: unknown, post: Verdict, session: Session): string | undefined {
  if (post.outcomes.length === 0 || post.updatedOutput) return undefined;
  const unseen = unseenPart(output);
  if (unseen === undefined) return undefined;
  const guard = post.outcomes.find(({ hook }) => hook.onFailure === "block")?.hook.name;
  const problem = `execute of runTool() gave ${unseen} for ${call.tool_name}, and PostToolUse hooks see nothing of what is in it`;
  const consequence = guard === undefined ? "" : ` The result is withheld, because "${guard.slice(0, 60)}" is a guard.`;
  advise(session, "HL_EXECUTE_BAD_INPUT", `${problem}.${consequence} Return plain data.`, `unseen ${call.tool_name}`);
  return guard === undefined ? undefined : `The result is withheld: the guard "${guard}" could not see what is in it.`;
}
