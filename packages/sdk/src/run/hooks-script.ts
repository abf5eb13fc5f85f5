import { eventFacts, type Facts } from "../event-facts.ts";
import { TOOL_FIELDS } from "../generated/facts.ts";
import type { HookDefinition } from "../hook/definition.ts";
import type { HookResult } from "../hook/results.ts";
import { forgottenResult, type Invocation, within } from "../hook-utils/invocation.ts";
import { type Problem, problem } from "../problem.ts";
import type { Look } from "./mistakes.ts";
import { atMost, crashed, failed, type Listener, type ParsedPayload, type Payload, type Said, type Script } from "./script.ts";

/** The hooks of one file as one script: those that match run side by side, and everything they say counts. */
export function hooksScript(definitions: readonly HookDefinition[], name: string): Script {
  const events = [...new Set<string>(definitions.map(({ event }) => event))];
  const script: Script = {
    name: definitions[1] ? name : nameOf(definitions[0], name),
    isGuard: definitions.some(isGuarding),
    event: events[1] ? "" : (events[0] ?? ""),
    failureExitCode: 1,
    answer: async ({ payload, problem: broken, deadline }, listener) => {
      const facts = eventFacts(payload?.hook_event_name);
      // SECURITY: an unknown event may be a guard's own event under another agent's name, so a guard blocks.
      if (!payload || !facts) return listener(failed(script, broken as Problem));
      const addressed = definitions.filter(({ event }) => event === payload.hook_event_name);
      if (!addressed[0] || !events.every(eventFacts)) {
        const { unknown, unexpected } = (await mistakes()).eventMistakes(events, payload.hook_event_name);
        if (unknown) listener(failed(script, unknown));
        // SECURITY: a guard that is called for another event than it judges would never stop anything.
        if (unexpected) return listener(failed(script, unexpected));
      }
      const run = { payload, facts, broken, listener, deadline, name: script.name };
      const called = await Promise.all(addressed.map((definition, order) => runDefinition(definition, order, run)));
      const { HOOKLOOP_MATCHER, HOOKLOOP_TESTED } = process.env;
      if (called.includes(true) || !(HOOKLOOP_TESTED || (HOOKLOOP_MATCHER && script.isGuard))) return;
      const misfit = (await mistakes()).neverCalled(addressed, facts);
      if (misfit) listener(failed(script, misfit));
    },
  };
  return script;
}

/** A file of its own: what is right need not be explained. */
const mistakes = (): Promise<typeof import("./mistakes.ts")> => import("./mistakes.ts");

interface Run {
  readonly payload: Payload;
  readonly facts: Facts;
  readonly broken: ParsedPayload["problem"];
  readonly listener: Listener;
  readonly deadline: ParsedPayload["deadline"];
  readonly name: string;
}

/** Where options stand there may be anything, such as a function, which has a name too. */
function nameOf({ options }: Partial<HookDefinition> = {}, otherwise: string): string {
  return (typeof options === "object" && options.name && String(options.name)) || otherwise;
}

/** A hook whose options cannot be read may have been meant as one. */
function isGuarding(definition: HookDefinition): boolean {
  return !!definition.options.guard || !isReadable(definition);
}

/** Gives whether the hook is for this call. */
async function runDefinition(definition: HookDefinition, order: number, run: Run): Promise<boolean> {
  const { options, handler } = definition;
  const { payload, facts, broken, listener } = run;
  const script = { name: nameOf(definition, run.name), isGuard: isGuarding(definition) };
  const fail = (failure: Problem, isGuard = script.isGuard): true => {
    listener({ ...failed({ ...script, isGuard }, failure), order });
    return true;
  };
  const plain = plainTools(definition, facts, payload);
  const look: Look = plain ? { names: plain } : (await mistakes()).lookAt(definition, facts, payload, script.name);
  const { mistake, names, fits = !names[0], tool = String(payload["tool_name"]) } = look;
  if (mistake?.isHarmless) listener({ parts: [], problems: [mistake.problem], order });
  else if (mistake) return fail(mistake.problem, script.isGuard || mistake.isUnreadable);
  if (broken) return fail(broken);
  if (!fits && !names.includes(tool === "Task" ? "Agent" : tool)) return false;
  const absent = missingToolFields(tool, payload["tool_input"]);
  if (script.isGuard && names.includes(tool) && absent[0]) return fail((await mistakes()).absentFields(payload, absent));
  const invocation: Invocation = { payload, made: [] };
  const slips = await import("./slips.ts");
  const watch = slips.watchCall(payload);
  const call = (signal: AbortSignal): unknown => within(invocation, () => handler(watch.input as never, watch.run({ signal })));
  const read = async (result: unknown): Promise<Said> => {
    const { parts } = (result ?? { parts: [] }) as HookResult;
    const isResult = Array.isArray(parts) && parts.every((part) => part?.can);
    if (!isResult || forgottenResult(result, invocation))
      return failed(script, (await mistakes()).resultMistake(script.name, result, invocation));
    const slip = await slips.spokenSlip({ watch, script, parts, names, invocation, facts, result: result as HookResult });
    return slip ? { ...failed(script, slip), parts } : { parts, problems: [] };
  };
  const limit = atMost(options.timeoutMs ?? facts.timeoutMs * 0.9, run.deadline);
  const said = await withinLimit({ script, limit, call, read });
  listener({ ...said, order });
  slips.watchLate(invocation, said, script.name, fail);
  return true;
}

/** Whether the options can be understood; if not, the hook may have been meant as a guard. `mistakes.ts` finds what is wrong with them. */
function isReadable({ event, options, handler }: HookDefinition): boolean {
  return (
    typeof event === "string" &&
    typeof handler === "function" &&
    /boolean|undefined/.test(typeof options.guard) &&
    Object.keys(options).every((name) => /^(name|tool|match|ownNames|guard|timeoutMs)$/.test(name))
  );
}

/**
 * The tools of a hook that needs no closer look, because it has no matcher or a list of known tools; most do. Nothing for the others:
 * `mistakes.ts` reads them, which costs the start of another file.
 */
function plainTools(definition: HookDefinition, { can, matcher }: Facts, payload: Payload): string[] | undefined {
  const { tool, match, ownNames, guard, timeoutMs } = definition.options;
  const names = tool === undefined ? [] : String(tool).split(/\s*[|,]\s*/);
  const isPlain =
    isReadable(definition) &&
    (match ?? ownNames ?? timeoutMs) === undefined &&
    (!guard || can.includes("block")) &&
    // An unknown tool may be one that a guard means, in another spelling.
    (!names[0] || (matcher === "tool_name" && (!guard || (payload["tool_name"] as string) in TOOL_FIELDS))) &&
    names.every((name) => Object.hasOwn(TOOL_FIELDS, name));
  return isPlain ? names : undefined;
}

/** A guard that named the tool was promised its fields: without them a test of `undefined` would quietly find nothing. */
export function missingToolFields(tool: string, input: unknown): string[] {
  // What every object has, such as "constructor", is no text.
  const fields = TOOL_FIELDS[tool]?.match?.(/\w+/g) ?? [];
  return fields.filter((field) => typeof (input as Payload | null)?.[field] !== "string");
}

interface LimitedCall {
  readonly script: Pick<Script, "name" | "isGuard">;
  readonly limit: number;
  call(signal: AbortSignal): unknown;
  read(result: unknown): Said | Promise<Said>;
}

/** Calls a hook's code and reads what it gave; when the limit has passed the code is told by the signal and no longer waited for. */
export async function withinLimit({ script, limit, call, read }: LimitedCall): Promise<Said> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Said>((resolve) => {
    timer = setTimeout(() => {
      controller.abort();
      resolve(failed(script, problem("HANDLER_TIMEOUT", `${script.name} gave no answer within ${~~limit} ms. Do less, or set timeoutMs`)));
    }, limit);
    // A hook that waits for nothing else ends at once.
    timer.unref();
  });
  try {
    return await Promise.race([timeout, Promise.resolve(call(controller.signal)).then(read)]);
  } catch (thrown) {
    return crashed(script, thrown);
  } finally {
    clearTimeout(timer);
  }
}
