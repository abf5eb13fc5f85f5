/**
 * Takes an event's input and a hook whose failure blocks; gives what the hook would have to judge and was not given, or nothing.
 * SECURITY: a test of `undefined` finds nothing, so a guard that is given `{ cmd }` for `{ command }`, or a text for an object, would agree.
 * It fails instead. Hooks that are no guards run all the same, and so do guards that name no tool, for unknown tools.
 */

import type { EventName } from "@hookloop/sdk";
import {
  EVENT_NAMES,
  EVENTS,
  FORMER_TOOL_NAMES,
  innerName,
  isEventName,
  neededInputOf,
  otherSpelling,
  plainName,
  TOOLS,
} from "../catalogue/index.ts";
import { shown } from "../check-options.ts";
import { matcherForm, withholdsResult } from "../config/index.ts";
import { type Diagnostic, nearestName, withConsequence } from "../diagnostic.ts";
import { noVerdict, type Verdict, withheldOutput } from "../judge/index.ts";
import { isInputObject, thrownText } from "../run/index.ts";
import type { Plan } from "../select/index.ts";
import type { AdmittedHook } from "../trust/index.ts";
import type { ToolResult } from "./run-tool.ts";
import type { EventInput, Session } from "./session.ts";
import { sayOnce } from "./step.ts";

/** Whether hooks of the plan would not get what they judge; quick, because every firing asks. The input is a copy, so all it has is its own. */
export function isUnfit(needed: readonly NeededField[], plan: Plan, input: EventInput): boolean {
  for (let index = 0; index < needed.length; index++) {
    const { name, fits } = needed[index] as NeededField;
    if (!fits(fieldOf(input, name))) return true;
  }
  if (!plan.hasGuards) return false;
  const wanted = wantedTexts.get(plan) ?? remember(plan, input["tool_name"]);
  const given = input["tool_input"] as EventInput | undefined;
  for (const field of wanted) if (typeof given?.[field] !== "string") return true;
  return false;
}

/** Reading under a name that is written here takes 3 ns, under one that is not 25 ns. */
function fieldOf(input: { readonly tool_name?: unknown; readonly tool_input?: unknown }, name: string): unknown {
  if (name === "tool_name") return input.tool_name;
  return name === "tool_input" ? input.tool_input : (input as EventInput)[name];
}

/** What is wrong with the input, for this hook. */
export function unfitFor(hook: AdmittedHook, event: EventName, input: EventInput): string | undefined {
  if (!isBlockingGate(hook)) return undefined;
  const field = neededFields(event).find(({ name, fits }) => !fits(input[name]));
  if (field)
    return input[field.name] === undefined
      ? `there is no "${field.name}"`
      : `"${field.name}" is ${kindOf(input[field.name])}, not ${kindOf(input[field.name]).startsWith(field.words) ? "a plain object" : field.words}`;
  const tool = String(input["tool_name"]);
  const given = input["tool_input"] as EventInput | undefined;
  const absent = textsFor(hook, tool).filter((name) => typeof given?.[name] !== "string");
  return absent.length === 0 ? undefined : absentText(tool, absent, given);
}

function absentText(tool: string, absent: readonly string[], given: EventInput | undefined): string {
  const others = Object.keys(given ?? {}).filter((name) => !absent.includes(name));
  const found = absent.flatMap((name) => nearestName(name, others) ?? others[0] ?? []);
  return `tool_input of ${tool} has no text "${absent.join('" and "')}"${found.length > 0 ? `, but "${found.join('" and "')}"` : ""}`;
}

/** The same for hooks that are no guards and name the tool: they run, and would find nothing. */
export function unfitForOthers({ hooks }: Plan, input: EventInput): string | undefined {
  const { tool_name: tool, tool_input: given } = input;
  // An empty one has no other shape.
  if (typeof tool !== "string" || !isInputObject(given) || Object.keys(given).length === 0) return undefined;
  const hook = hooks.find((one) => !isBlockingGate(one) && textsFor(one, tool).some((name) => typeof given[name] !== "string"));
  const absent = hook ? textsFor(hook, tool).filter((name) => typeof given[name] !== "string") : [];
  return hook && `${absentText(tool, absent, given)}. The hook "${hook.name.slice(0, 60)}" runs all the same, and finds nothing there`;
}

/** What a rewritten input of a known tool lacks that its input had before. */
export function lostTexts(before: EventInput, after: EventInput): string | undefined {
  const tool = String(after["tool_name"]);
  const given = after["tool_input"] as EventInput | undefined;
  const had = before["tool_input"] as EventInput | undefined;
  const absent = textsOf(tool).filter((name) => typeof given?.[name] !== "string" && typeof had?.[name] === "string");
  return absent.length === 0 ? undefined : absentText(tool, absent, given);
}

/** What a rewritten input of a known tool has that neither the tool knows nor the call had before. */
export function strangeFields(before: EventInput, after: EventInput): string | undefined {
  const tool = presentName(String(after["tool_name"]));
  if (!Object.hasOwn(TOOLS, tool)) return undefined;
  const known = Object.keys(TOOLS[tool as keyof typeof TOOLS].input);
  const had = Object.keys((before["tool_input"] as EventInput | undefined) ?? {});
  const strange = Object.keys((after["tool_input"] as EventInput | undefined) ?? {}).filter((name) => ![...known, ...had].includes(name));
  return strange.length === 0
    ? undefined
    : `"${strange.join('", "').slice(0, 120)}", which ${tool} does not have (it has ${known.join(", ")})`;
}

/** A guard that wrote a weaker `onFailure` is not among them: run, it can still deny. */
function isBlockingGate({ event, onFailure }: AdmittedHook): boolean {
  const { role, failureCanBlock } = EVENTS[event];
  return role === "gate" && failureCanBlock && onFailure === "block";
}

/** A field that hooks of an event judge. */
export interface NeededField {
  readonly name: string;
  readonly fits: (value: unknown) => boolean;
  /** Completes "not …". */
  readonly words: string;
}

const TEXT = { words: "a text", fits: (value: unknown): boolean => typeof value === "string" };
const OBJECT = { words: "an object", fits: isInputObject };
const LIST = { words: "a list", fits: (value: unknown): boolean => Array.isArray(value) };

const needed = new Map<EventName, readonly NeededField[]>();

/** The fields of an event that hooks judge, as far as it is known what they must be. */
export function neededFields(event: EventName): readonly NeededField[] {
  const known = needed.get(event);
  if (known) return known;
  const row = EVENTS[event];
  const found = neededInputOf(row).flatMap((name): readonly NeededField[] => {
    const kind = row.input[name]?.type.kind;
    const type = name === row.matcher?.field || kind === "string" ? TEXT : kind === "record" ? OBJECT : kind === "list" ? LIST : undefined;
    return type ? [{ name, ...type }] : [];
  });
  needed.set(event, found);
  return found;
}

/** The texts that guards of a plan are promised; a plan is about one tool. */
const wantedTexts = new WeakMap<Plan, readonly string[]>();

function remember(plan: Plan, tool: unknown): readonly string[] {
  const wanted = typeof tool === "string" ? plan.hooks.filter(isBlockingGate).flatMap((hook) => textsFor(hook, tool)) : [];
  wantedTexts.set(plan, [...new Set(wanted)]);
  return wanted;
}

/** A guard that named the tool was promised the texts of its input; if the tool has no name, those that all tools it names have. */
function textsFor(hook: AdmittedHook, tool: string): readonly string[] {
  if (tool === "")
    return namesOf(hook)
      .map(textsOf)
      .reduce((common, texts) => common.filter((text) => texts.includes(text)), textsOf(namesOf(hook)[0] ?? ""));
  const isNamed = namesOf(hook).some((one) => [presentName(tool), tool, innerName(tool)].map(plainName).includes(plainName(one)));
  return isNamed ? textsOf(tool) : [];
}

function presentName(tool: string): string {
  const inner = innerName(tool);
  const known = otherSpelling(tool) ?? otherSpelling(inner);
  return known ?? (Object.hasOwn(FORMER_TOOL_NAMES, inner) ? (FORMER_TOOL_NAMES[inner] ?? inner) : inner);
}

/** The texts that the input of a known tool must have. */
function textsOf(tool: string): readonly string[] {
  const name = presentName(tool);
  if (!Object.hasOwn(TOOLS, name)) return [];
  const { input } = TOOLS[name as keyof typeof TOOLS];
  return Object.entries(input).flatMap(([field, { type, optional }]) => (type.kind === "string" && !optional ? field : []));
}

/** The tools that a hook names; none if it is for a pattern. */
export function namesOf({ names, matcher, copiedMatchers, event }: AdmittedHook): readonly string[] {
  const column = EVENTS[event].matcher;
  if (!column?.isTool) return [];
  const matchers = copiedMatchers ?? (matcher === undefined ? [] : [matcher]);
  const forms = names ? [] : matchers.map((one) => matcherForm(one, column));
  return names ?? forms.flatMap((form) => (form.form === "names" ? form.names : []));
}

/** What a value is, in words; an object of a class by its name. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  if (typeof value !== "object") return typeof value === "string" ? "a text" : `a ${typeof value}`;
  const name = (Object.getPrototypeOf(value) as { readonly constructor?: { readonly name?: unknown } } | null)?.constructor?.name;
  return typeof name === "string" && name !== "" && name !== "Object" ? `an object of the class ${name.slice(0, 60)}` : "an object";
}

const REASON = "The hooks of this event could not be asked, so it does not happen.";
const CLOSED = "The hooks of this session are closed, so it does not happen.";

/** The verdict when the input itself cannot be read: a gate blocks, everything else continues; both are reported. */
export function cannotJudge(session: Session, known: ShutEvent, thrown: unknown): Verdict {
  const consequence = withholds(known)
    ? "the result is withheld"
    : isShut(known.name)
      ? "that counts as a denial"
      : "the agent continues without their answer";
  const text = `the hooks of ${known.name} could not be told about it: ${withConsequence(thrownText(thrown), consequence)}. Fire it with plain data.`;
  session.say({ type: "diagnostic", code: "HL_EXECUTE_BAD_INPUT", level: "error", text });
  return shutVerdict(known, REASON);
}

/** An event, and the hooks that it has. */
interface ShutEvent {
  readonly name: EventName;
  readonly plans?: { readonly hooks: readonly AdmittedHook[] };
}

/** SECURITY: a guard of results that was not asked has not agreed to any. */
function withholds({ name, plans }: ShutEvent): boolean {
  return withholdsResult(EVENTS[name]) && plans?.hooks.some(({ onFailure }) => onFailure === "block") === true;
}

/** The verdict when the session is over. SECURITY: hooks that are ended have not agreed. */
export function afterClose(session: Session, known: ShutEvent): Verdict {
  const { name: event } = known;
  const isGate = isShut(event);
  const consequence = withholds(known) ? "the result is withheld" : isGate ? "that counts as a denial" : "its hooks are not called";
  const text = `${event} was fired after close(): the engine is closed; ${consequence}. Close it when the last event has been fired.`;
  sayOnce(session, { code: "HL_LOOP_CLOSED", level: isGate ? "error" : "warning", text });
  return shutVerdict(known, CLOSED);
}

/**
 * What a program reads that forgot to await a verdict. SECURITY: `undefined` is no denial, and the loop would go on; it works with functions
 * that answer at once, so it is not noticed.
 */
export function notAwaited(session: Session, event: EventName): PromiseConstructor {
  const verdict = shutVerdict({ name: event }, REASON);
  return pendingPromise(verdict, verdict.halt ? "halt" : "decision", () => {
    const consequence = isShut(event) ? "that counts as a denial" : "there is nothing in it";
    const text = `The verdict of ${event} was read before the hooks had answered: ${consequence}. Write: await hooks.fire("${event}", …)`;
    sayOnce(session, { code: "HL_LOOP_NOT_AWAITED", level: "error", text });
  });
}

/** The same for what else hooks must have answered. */
export interface NotAwaited {
  readonly runTool: PromiseConstructor;
  readonly begin: PromiseConstructor;
  readonly finish: PromiseConstructor;
  readonly startTurn: PromiseConstructor;
  readonly askStop: PromiseConstructor;
}

export function callsNotAwaited(session: Session): NotAwaited {
  const error = "The call had not ended when its result was read.";
  const result: ToolResult<never> = { status: "denied", toolUseId: "", error, texts: [], halt: undefined, verdicts: [] };
  const say = (method: keyof NotAwaited, what: string, consequence: string) => (): void => {
    const text = `${what} of ${method}() was read before ${consequence}. Write: await ${method === "finish" ? "begun" : "hooks"}.${method}(…)`;
    sayOnce(session, { code: "HL_LOOP_NOT_AWAITED", level: "error", text }, method);
  };
  const refused = { refused: { ...result, error: "The hooks had not answered when the call was to run." } };
  const turn = { blocked: REASON, verdict: shutVerdict({ name: "UserPromptSubmit" }, REASON) };
  return {
    runTool: pendingPromise(result, "status", say("runTool", "The result", "the call had ended: that reads as a denial")),
    begin: pendingPromise(refused, "refused", say("begin", "The answer", "the hooks had given it: that reads as a refusal")),
    finish: pendingPromise(result, "status", say("finish", "The result", "hooks had seen how the call ended: that reads as a denial")),
    startTurn: pendingPromise(turn, "blocked", say("startTurn", "The answer", "the hooks had given it: the prompt reads as blocked")),
    askStop: pendingPromise({ length: 0 }, "length", say("askStop", "The answer", "the hooks had given it: there is nothing in it")),
  };
}

/**
 * What a program reads that takes a stream, or a step of it, for the verdict; the prototypes of both. SECURITY: no hook has been asked
 * before the stream is iterated.
 */
export function notIterated(session: Session, given: EventName, stream: object): { readonly stream: object; readonly step: object } {
  const event = isEventName(given) ? given : (meantEvent(given) ?? "Notification");
  const onRead = (): void => {
    const consequence = isShut(event) ? "that counts as a denial" : "there is nothing in it";
    const cure = `await hooks.fire("${event}", …), or for await (const step of hooks.stream(…)) and step.verdict of the last step`;
    const text = `A verdict was read from hooks.stream("${event}", …), which gives steps, and asks no hook before it is iterated: ${consequence}. Write: ${cure}.`;
    sayOnce(session, { code: "HL_LOOP_NOT_AWAITED", level: "error", text });
  };
  const verdict = shutVerdict({ name: event }, REASON);
  const { toJSON: _stepsAreData, ...ofStep } = Object.getOwnPropertyDescriptors(pendingOf(Object.prototype, verdict, onRead));
  return { stream: pendingOf(stream, { ...verdict, verdict }, onRead), step: Object.create(Object.prototype, ofStep) };
}

/** SECURITY: a call that is made while hooks are being attached is not judged by them. */
export function tellNotAttached(session: Session): void {
  const text = "A tool was called while attach() was reading hooks: they do not judge this call. Write: await hooks.attach(…)";
  sayOnce(session, { code: "HL_LOOP_NOT_AWAITED", level: "error", text });
}

/** Said at the end. SECURITY: the hooks of a stream that was only made have never been asked. */
export function tellUniterated(session: Session, counts: ReadonlyMap<unknown, number>): void {
  for (const [event, count] of counts) {
    if (count === 0) continue;
    const what = count === 1 ? "A stream" : `${count} streams`;
    const text = `${what} of hooks.stream("${String(event)}", …) ${count === 1 ? "was" : "were"} never iterated, so no hook was asked. Write: for await (const step of hooks.stream(…)), or await hooks.fire(…).`;
    sayOnce(session, { code: "HL_LOOP_NOT_AWAITED", level: "error", text });
  }
}

/** Something that has these fields until it is awaited or iterated; also when it is written as JSON. */
function pendingOf(prototype: object, value: object, onRead: () => void): object {
  const given = (part: unknown): PropertyDescriptor => ({
    get: () => {
      onRead();
      return part;
    },
  });
  const fields = Object.entries({ ...value, toJSON: () => value }).map(([name, part]) => [name, given(part)]);
  return Object.create(prototype, Object.fromEntries(fields));
}

/**
 * Promises that read as the value until they are awaited. The field that says what became of it is their own, so that a copy made with a spread
 * or `Object.assign` takes it along.
 */
function pendingPromise<Value extends object>(value: Value, own: keyof Value & string, onRead: () => void): PromiseConstructor {
  const prototype = pendingOf(Promise.prototype, value, onRead);
  const read = (): unknown => Reflect.get(prototype, own);
  class Pending extends Promise<unknown> {
    constructor(executor: ConstructorParameters<typeof Promise>[0]) {
      super(executor);
      // The quickest way there is; three times as quick as setting the prototype of a promise, and its fields, afterwards.
      (this as unknown as { __defineGetter__(name: string, get: () => unknown): void }).__defineGetter__(own, read);
    }
  }
  // What is derived from it, as `then` does, is an ordinary promise.
  Object.defineProperties(Pending.prototype, { ...Object.getOwnPropertyDescriptors(prototype), constructor: { value: Promise } });
  return Pending as unknown as PromiseConstructor;
}

/** The promise as one of this kind. */
export function pending<Value>(promise: Promise<Value>, Kind: PromiseConstructor): Promise<Value> {
  return promise instanceof Kind ? promise : new Kind<Value>((resolve) => resolve(promise));
}

function isShut(event: EventName): boolean {
  const { role, blockEffect } = EVENTS[event];
  // Where blocking ends the turn, the step is a gate, too.
  return (role === "gate" && blockEffect !== null) || blockEffect === "halt";
}

function shutVerdict(known: ShutEvent, text: string): Verdict {
  const { name: event } = known;
  const nothing = noVerdict(event);
  if (withholds(known)) return { ...nothing, updatedOutput: withheldOutput([text]) };
  if (!isShut(event)) return nothing;
  const no = { text, hook: "" };
  return EVENTS[event].blockEffect === "halt" ? { ...nothing, halt: no } : { ...nothing, decision: "deny", reasons: [no] };
}

/** The verdict of an event that is none: nothing can hang on it. SECURITY: if a gate was meant, its hooks have not been asked. */
export function noSuchEvent(session: Session, event: unknown, input: unknown): Verdict {
  const diagnostic = unknownEvent(event);
  const meant = meantEvent(event) ?? eventOf(input);
  const isGate = meant !== undefined && isShut(meant);
  session.say({
    type: "diagnostic",
    ...diagnostic,
    text: isGate ? `${diagnostic.text} Its hooks were not asked, and that counts as a denial.` : diagnostic.text,
  });
  const verdict = isGate ? shutVerdict({ name: meant }, `${diagnostic.text} ${REASON}`) : noVerdict("Notification");
  return { ...verdict, event: event as EventName };
}

/** Asked for by `has`, which every loop asks all the time: said once. */
export function tellUnknownEvent(session: Session, event: unknown): EventName | undefined {
  sayOnce(session, unknownEvent(event));
  return meantEvent(event);
}

/** A call that has not happened yet, or a prompt, is what gates are about. */
function eventOf(input: unknown): EventName | undefined {
  if (typeof input !== "object" || input === null) return undefined;
  if ("tool_name" in input && !("tool_response" in input) && !("error" in input)) return "PreToolUse";
  return "prompt" in input ? "UserPromptSubmit" : undefined;
}

/** In another spelling (`pre_tool_use`), or nearly it. */
function meantEvent(event: unknown): EventName | undefined {
  if (typeof event !== "string") return undefined;
  return EVENT_NAMES.find((name) => plainName(name) === plainName(event)) ?? (nearestName(event, EVENT_NAMES) as EventName | undefined);
}

function unknownEvent(event: unknown): Diagnostic {
  const nearest = meantEvent(event);
  const name = typeof event === "string" ? `"${event}"` : shown(event);
  const text = `${name} is not an event.${nearest === undefined ? " `hookloop events` lists all." : ` Did you mean "${nearest}"?`}`;
  return { code: "HL_CONFIG_UNKNOWN_EVENT", level: "error", text };
}
