import type { EventName } from "@hookloop/sdk";
import { EVENT_NAMES, EVENTS, isEventName, plainName } from "../catalogue/index.ts";
import { shown } from "../check-options.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { clause, nearestName } from "../diagnostic.ts";
import { thrownText } from "../run/index.ts";
import { noVerdict, type Verdict } from "./merge/index.ts";
import type { ToolResult } from "./run-tool.ts";
import type { Session } from "./session.ts";

const REASON = "The hooks of this event could not be asked, so it does not happen.";
const CLOSED = "The hooks of this session are closed, so it does not happen.";

/** The verdict when the input itself cannot be read: a gate stays shut, everything else goes on; both out loud. */
export function cannotJudge(session: Session, event: EventName, thrown: unknown): Verdict {
  const consequence = isShut(event) ? "that counts as a denial" : "the agent continues without their answer";
  const text = `the hooks of ${event} could not be told about it: ${clause(thrownText(thrown))}; ${consequence}. Fire it with plain data.`;
  session.report({ code: "HL_EXECUTE_BAD_INPUT", level: "error", text });
  return shutVerdict(event, REASON);
}

/** The verdict when the session is over. SECURITY: hooks that are ended have not agreed. */
export function afterClose(session: Session, event: EventName): Verdict {
  const isGate = isShut(event);
  const consequence = isGate ? "that counts as a denial" : "its hooks are not called";
  const text = `${event} was fired after close(): the engine is closed; ${consequence}. Close it when the last event has been fired.`;
  sayOnce(session, { code: "HL_LOOP_CLOSED", level: isGate ? "error" : "warning", text });
  return shutVerdict(event, CLOSED);
}

/**
 * What a program reads that forgot to await a verdict. SECURITY: `undefined` is no denial, and the loop would go on; it works with functions
 * that answer at once, so nobody notices.
 */
export function notAwaited(session: Session, event: EventName): object {
  const verdict = shutVerdict(event, REASON);
  return pendingOf(Promise.prototype, verdict, () => {
    const consequence = isShut(event) ? "that counts as a denial" : "there is nothing in it";
    const text = `The verdict of ${event} was read before the hooks had answered: ${consequence}. Write: await hooks.fire("${event}", …)`;
    sayOnce(session, { code: "HL_LOOP_NOT_AWAITED", level: "error", text });
  });
}

/** The same for the result of a tool call. */
export function toolNotAwaited(session: Session): object {
  const error = "The call had not ended when its result was read.";
  const result: ToolResult<never> = { status: "denied", error, texts: [], halt: undefined, verdicts: [] };
  return pendingOf(Promise.prototype, result, () => {
    const text = "The result of runTool() was read before the call had ended: that reads as a denial. Write: await hooks.runTool(…)";
    sayOnce(session, { code: "HL_LOOP_NOT_AWAITED", level: "error", text });
  });
}

/**
 * What a program reads that takes a stream, or a step of it, for the verdict; the prototypes of both. SECURITY: no hook has been asked
 * before somebody goes through the stream.
 */
export function notIterated(session: Session, given: EventName, stream: object): { readonly stream: object; readonly step: object } {
  const event = isEventName(given) ? given : (meantEvent(given) ?? "Notification");
  const onRead = (): void => {
    const consequence = isShut(event) ? "that counts as a denial" : "there is nothing in it";
    const cure = `await hooks.fire("${event}", …), or for await (const step of hooks.stream(…)) and step.verdict of the last step`;
    const text = `A verdict was read from hooks.stream("${event}", …), which gives steps, and asks no hook before it is iterated: ${consequence}. Write: ${cure}.`;
    sayOnce(session, { code: "HL_LOOP_NOT_AWAITED", level: "error", text });
  };
  const verdict = shutVerdict(event, REASON);
  const { toJSON: _stepsAreData, ...ofStep } = Object.getOwnPropertyDescriptors(pendingOf(Object.prototype, verdict, onRead));
  return { stream: pendingOf(stream, { ...verdict, verdict }, onRead), step: Object.create(Object.prototype, ofStep) };
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

function sayOnce(session: Session, diagnostic: Diagnostic): void {
  if (session.told.has(diagnostic.text)) return;
  session.told.add(diagnostic.text);
  session.report(diagnostic);
}

function isShut(event: EventName): boolean {
  const { role, blockEffect } = EVENTS[event];
  // Where blocking ends the turn, the step is a gate, too.
  return (role === "gate" && blockEffect !== null) || blockEffect === "halt";
}

function shutVerdict(event: EventName, text: string): Verdict {
  const nothing = noVerdict(event);
  if (!isShut(event)) return nothing;
  const no = { text, hook: "" };
  return EVENTS[event].blockEffect === "halt" ? { ...nothing, halt: no } : { ...nothing, decision: "deny", reasons: [no] };
}

/** The verdict of an event that is none: nothing can hang on it. SECURITY: if a gate was meant, its hooks have not been asked. */
export function noSuchEvent(session: Session, event: unknown, input: unknown): Verdict {
  const diagnostic = unknownEvent(event);
  const meant = meantEvent(event) ?? eventOf(input);
  const isGate = meant !== undefined && isShut(meant);
  session.report({
    ...diagnostic,
    text: isGate ? `${diagnostic.text} Its hooks were not asked, and that counts as a denial.` : diagnostic.text,
  });
  const verdict = isGate ? shutVerdict(meant, `${diagnostic.text} ${REASON}`) : noVerdict("Notification");
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
  const text = `${name} is not an event.${nearest === undefined ? "" : ` Did you mean "${nearest}"?`}`;
  return { code: "HL_CONFIG_UNKNOWN_EVENT", level: "error", text };
}
