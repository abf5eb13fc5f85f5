import type { EventInputs, EventName } from "../generated/events.ts";
import { declarations, type MainDefinition } from "../hook/declarations.ts";
import type { HookDefinition } from "../hook/definition.ts";
import { hooksScript } from "../run/hooks-script.ts";
import { type ParsedPayload, parsePayload } from "../run/payload.ts";
import { answerEvent, type Script } from "../run/script.ts";
import { mainScript } from "../s4/main-script.ts";
import { type FailureOptions, type HookAnswer, orReject } from "./answer.ts";
import { readAnswer } from "./read-answer.ts";
import { sampleInput } from "./sample-input.ts";

/** Calls a hook in this process, with a sample payload whose fields you may replace. Rejects if the hook fails without blocking. */
export function callHook<Event extends EventName>(
  definition: HookDefinition<Event>,
  overrides?: Partial<EventInputs[Event]>,
  options?: FailureOptions,
): Promise<HookAnswer>;
/** Calls an S4-style main function in this process. */
export function callHook<Event extends EventName>(
  main: () => unknown,
  event: Event,
  overrides?: Partial<EventInputs[Event]>,
  options?: FailureOptions,
): Promise<HookAnswer>;
export async function callHook(hook: HookDefinition | (() => unknown), ...rest: unknown[]): Promise<HookAnswer> {
  const event = (typeof hook === "function" ? rest.shift() : hook.event) as EventName;
  const [overrides, options] = rest as [object | undefined, FailureOptions | undefined];
  const script = typeof hook === "function" ? mainScript(mainDefinition(hook)) : hooksScript([hook], "hook");
  const answer = await answerOf(script, event, sampleInput(event, overrides));
  return orReject(answer, script.name, options);
}

/** As `runHook` was given it, if the file that exports the function also calls `runHook`. */
function mainDefinition(main: () => unknown): MainDefinition {
  return declarations().mains.find((declared) => declared.main === main) ?? { main, name: "hook", guard: false };
}

async function answerOf(script: Script, event: EventName, payload: object): Promise<HookAnswer> {
  // Through bytes, so that a payload JSON cannot carry fails here as it would in a process.
  const parsed: ParsedPayload = parsePayload(Buffer.from(JSON.stringify(payload)));
  const { stdout, stderr, exitCode, problems } = await answerEvent(script, parsed);
  const answer = readAnswer(event, { stdout, stderr, exitCode });
  return { ...answer, diagnostics: [...problems, ...answer.diagnostics.filter(({ code }) => code.startsWith("HL_TEST_"))] };
}
