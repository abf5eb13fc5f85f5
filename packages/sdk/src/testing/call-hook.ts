import { AsyncLocalStorage, createHook } from "node:async_hooks";
import type { EventInputs, EventName } from "../generated/events.ts";
import { SAMPLES, TOOL_SAMPLES } from "../generated/samples.ts";
import { declarations, type HookDefinition, type MainDefinition } from "../hook/definition.ts";
import { mainScript } from "../hook-utils/main-script.ts";
import { hooksScript } from "../run/hooks-script.ts";
import { answerEvent, isSilent, type ParsedPayload, parsePayload, type Said, type Script } from "../run/script.ts";
import { byExitCode, LATE_MS, lateLimit, lateMs } from "../run/slips.ts";
import { barePath } from "../source/path-slips.ts";
import { awaitedOnly, type FailureOptions, type HookAnswer, orReject, readAnswer, silentSlip, unusedOutput } from "./answer.ts";

import {
  absolutePaths,
  badCall,
  checkEvent,
  checkOptions,
  checkOverrides,
  isObject,
  madeAbsolute,
  notCalled,
  type OwnNames,
  shown,
} from "./check-call.ts";

/** Calls a hook in this process, with a sample payload whose fields you may replace. Rejects if the hook fails, also if it then blocks. */
export function callHook<Event extends EventName>(
  definition: HookDefinition<Event>,
  overrides?: Partial<EventInputs[Event]>,
  options?: FailureOptions & OwnNames,
): Promise<HookAnswer>;
/** Calls an S4-style main function in this process. */
export function callHook<Event extends EventName>(
  main: () => unknown,
  event: Event,
  overrides?: Partial<EventInputs[Event]>,
  options?: FailureOptions & OwnNames,
): Promise<HookAnswer>;
export function callHook(hook: HookDefinition | (() => unknown), ...rest: unknown[]): Promise<HookAnswer> {
  return awaitedOnly("callHook", called(hook, rest));
}

async function called(hook: HookDefinition | (() => unknown), rest: readonly unknown[]): Promise<HookAnswer> {
  const [event, overrides = {}, options = {}] = callOf(hook, rest);
  checkOptions("callHook", options, { allowFailure: "flag", ownNames: "list" });
  const watch: HandlerWatch = { isCalled: typeof hook === "function" };
  const script = typeof hook === "function" ? mainScript(mainDefinition(hook)) : hooksScript([watchedHook(hook, watch)], "hook");
  const declared = typeof hook === "function" ? [] : ownNamesOf(hook);
  const ownNames = [...(options.ownNames ?? []), ...declared];
  const payload = sampleInput(event, overrides, { ownNames });
  const answer = await answerOf(script, event, payload, watch);
  const { tool, match } = (hook as Partial<HookDefinition>).options ?? {};
  const isMissed = !watch.isCalled && !answer.diagnostics[0];
  const missed = isMissed ? [notCalled(event, String(tool ?? match), { payload, overrides })] : [];
  const slips = silentSlip(answer, script.name, () => barePath(String(typeof hook === "function" ? hook : hook.handler), "js"));
  const diagnostics = [...answer.diagnostics, ...missed, ...slips, ...madeAbsolute(payload, overrides)];
  return orReject({ ...answer, diagnostics }, script.name, options);
}

interface HandlerWatch {
  isCalled: boolean;
  /** What a function of a module returned, if it is an answer as agents read it. */
  output?: object;
}

/** `hook()` knows results only; a function that a module exports may return an answer object as well. */
function watchedHook(hook: HookDefinition, watch: HandlerWatch): HookDefinition {
  const { options = {}, handler } = hook as Partial<HookDefinition> & HookDefinition;
  if (typeof handler !== "function") return { ...hook, options };
  const resultOf = async (returned: unknown): Promise<unknown> => {
    const result = await returned;
    if (!isObject(result) || !Object.keys(result).some((name) => ANSWER_FIELDS.includes(name))) return result;
    watch.output = result;
    return undefined;
  };
  const call: HookDefinition["handler"] = (...given) => {
    watch.isCalled = true;
    const returned = handler(...given);
    return declarations().definitions.includes(hook) ? returned : resultOf(returned);
  };
  return { ...hook, options, handler: call };
}

const ANSWER_FIELDS: readonly string[] = [
  "decision",
  "reason",
  "continue",
  "stopReason",
  "systemMessage",
  "suppressOutput",
  "hookSpecificOutput",
];

type Call = readonly [event: EventName, overrides: object | undefined, options: (FailureOptions & OwnNames) | undefined];

function callOf(hook: HookDefinition | (() => unknown), rest: readonly unknown[]): Call {
  if (typeof hook === "function") {
    if (typeof rest[0] !== "string") throw badCall('a main function is called for an event. Write callHook(main, "PreToolUse", { … })');
    return rest as unknown as Call;
  }
  if (!isObject(hook) || !("handler" in hook))
    throw badCall(`callHook() takes what hook() returned, or a main function, not ${shown(hook)}. Is it exported?`);
  if (typeof rest[0] === "string") throw badCall(`a hook has an event of its own. Leave "${rest[0]}" out: callHook(definition, { … })`);
  return [hook.event, ...rest] as unknown as Call;
}

/** A hook that is for tools of one's own may be tested with them. */
function ownNamesOf({ options }: HookDefinition): readonly string[] {
  return Array.isArray(options?.ownNames) ? options.ownNames : [];
}

/** As `runHook` was given it, if the file that exports the function also calls `runHook`. */
function mainDefinition(main: () => unknown): MainDefinition {
  return declarations().mains.find((declared) => declared.main === main) ?? { main, name: "hook", guard: false };
}

async function answerOf(script: Script, event: EventName, payload: object, watch: HandlerWatch): Promise<HookAnswer> {
  // Through bytes, so that a payload JSON cannot carry fails here as it would in a process.
  const parsed: ParsedPayload = parsePayload(Buffer.from(JSON.stringify(payload)));
  const { stdout, stderr, exitCode, problems } = await answerEvent(watchedScript(script), parsed);
  const answer = readAnswer(event, { stdout: stdout || (watch.output ? `${JSON.stringify(watch.output)}\n` : ""), stderr, exitCode });
  const own = answer.diagnostics.filter(({ code }) => code.startsWith("HL_TEST_"));
  return { ...answer, diagnostics: [...problems, ...own, ...unusedOutput(payload, answer)] };
}

/** Sees what a process would: `process.exitCode`, which is the hook's answer and not the way the tests end, and a result that comes too late. */
function watchedScript(script: Script): Script {
  return {
    ...script,
    answer: async (parsed, listener) => {
      const before = process.exitCode;
      const all: Said[] = [];
      const heard = (said: Said): void => {
        all.push(said);
        listener(said);
      };
      const { left, forget } = await leftoversOf(() => script.answer(parsed, heard));
      await new Promise(setImmediate);
      const started = Date.now();
      const limit = Math.min(lateLimit(script, parsed), MOST_MS);
      // What is neither work nor a timer may be closed and not yet forgotten.
      const longest = ({ type }: Leftover): number =>
        /^(?:PROCESSWRAP|TCPCONNECTWRAP|HTTP)/.test(type) ? limit : type === "Timeout" ? lateMs() : LATE_MS;
      const isOpen = (passed: number): boolean => [...left.values()].some((one) => one.isKept() && passed < longest(one));
      // Only a hook that left something to do may still have something to say.
      while (isSilent(all) && isOpen(Date.now() - started)) await new Promise((resolve) => setTimeout(resolve, 5));
      forget();
      if (process.exitCode === before) return;
      for (const said of byExitCode(script, all)) listener(said);
      process.exitCode = before;
    },
  };
}

/** Test runners allow five seconds for a test. */
const MOST_MS = 4000;

interface Leftover {
  readonly type: string;
  /** A program would wait for it: no timer of `AbortSignal.timeout()`. */
  isKept(): boolean;
}

/** Runs it; gives what it started and did not wait for, such as a timer or a process. */
async function leftoversOf(run: () => Promise<unknown>): Promise<{ readonly left: ReadonlyMap<number, Leftover>; forget(): void }> {
  const scope = new AsyncLocalStorage<true>();
  const left = new Map<number, Leftover>();
  const hook = createHook({
    init: (id, type, _trigger, resource) => {
      const isKept = (): boolean => (resource as { hasRef?(): boolean }).hasRef?.() !== false;
      if (scope.getStore() && !/PROMISE|Tick|Microtask/.test(type))
        left.set(id, { type, isKept: type === "Timeout" ? isKept : () => true });
    },
    destroy: (id) => void left.delete(id),
  }).enable();
  const forget = (): void => {
    hook.disable();
    // One that stays makes every later promise of the program slower.
    scope.disable();
  };
  try {
    await scope.run(true, run);
  } catch (thrown) {
    forget();
    throw thrown;
  }
  return { left, forget };
}

/**
 * A true payload of the event, with the fields you name replaced. Another `tool_name` brings that tool's own input with it, and an empty one if
 * it is not known. A relative path of a file tool becomes absolute, as agents send it. Throws if no agent sends such a payload.
 */
export function sampleInput<Event extends EventName>(
  event: Event,
  overrides: Partial<EventInputs[Event]> = {},
  options: OwnNames = {},
): EventInputs[Event] {
  checkEvent(event);
  checkOptions("sampleInput", options, { ownNames: "list" });
  checkOverrides(event, overrides, options);
  const sample = structuredClone(SAMPLES[event]);
  return absolutePaths({ ...sample, ...toolFields(sample, (overrides as { tool_name?: string }).tool_name), ...overrides });
}

/** The fields of the sample that depend on the tool, for another one than the sample's. */
function toolFields(sample: object, tool: string | undefined): object {
  if (tool === undefined) return {};
  const fields = Object.hasOwn(TOOL_SAMPLES, tool) ? TOOL_SAMPLES[tool] : { tool_input: {}, tool_response: {} };
  return Object.fromEntries(Object.entries(structuredClone(fields ?? {})).filter(([field]) => field in sample));
}
