import { eventFacts, type Facts } from "../event-facts.ts";
import { declarations, type MainDefinition } from "../hook/definition.ts";
import type { Part } from "../hook/results.ts";
import { problem } from "../problem.ts";
import { NO_REASON } from "../run/encode.ts";
import { withinLimit } from "../run/hooks-script.ts";
import { atMost, failed, type Listener, type Said, type Script } from "../run/script.ts";
import { type Emission, type Invocation, within } from "./invocation.ts";

/** Where a function fits; elsewhere it warns, and a denial still takes the form of the event. */
const FITS: Readonly<Partial<Record<Emission["by"], (facts: Facts) => boolean>>> = {
  emitContextAndBlock: ({ mechanism }) => mechanism === "p",
  emitBlockPrompt: ({ required }) => required.includes("prompt"),
  emitBlockTopLevel: ({ mechanism }) => mechanism === "d",
  emitPermissionDecision: ({ mechanism }) => mechanism === "p" || mechanism === "r",
};
const NOTHING: Said = { parts: [], problems: [] };
/** An unknown event gets the limit of a tool event. */
const DEFAULT_LIMIT_MS = 600_000;

export function mainScript({ main, name, guard, mistake }: MainDefinition): Script {
  const script: Script = {
    name,
    isGuard: guard,
    event: "",
    // Other agents hide what a failed hook says, as S4 wants it; hookloop shows it, and its `onFailure` counts.
    failureExitCode: process.env["HOOKLOOP_VERSION"] ? 1 : 0,
    answer: async ({ payload, problem: broken, deadline }, agent) => {
      const listener = eventFacts(payload?.hook_event_name)?.can.includes("feedback") ? besideResult(agent) : agent;
      const unfit = mistake ? problem("OPTION_INVALID", mistake) : guard ? broken : undefined;
      if (unfit) return listener(failed(script, unfit));
      if (broken) listener({ ...NOTHING, problems: [broken] });
      const event = payload?.hook_event_name ?? "";
      let hasEmitted = false;
      const emit = (emission: Emission): void => {
        hasEmitted = true;
        listener(fitted(event, emission));
      };
      const { isTested = false } = declarations();
      const slips = payload && (await import("../run/slips.ts"));
      const watch = payload && slips?.watchInput(payload);
      const invocation: Invocation = { payload: watch?.input ?? payload, made: [], emit };
      const limit = atMost((eventFacts(event)?.timeoutMs ?? DEFAULT_LIMIT_MS) * 0.9, deadline);
      listener(
        await withinLimit({
          script,
          limit,
          // It asks for the input with loadHookInput(); who expects it as an argument gets it as well.
          call: () => within(invocation, () => (main.length > 0 ? (main as (input: unknown) => unknown)(invocation.payload) : main())),
          read: async (returned) => {
            const lost = hasEmitted ? NOTHING : await lostIn(script, returned, invocation);
            if (!watch || lost !== NOTHING || (hasEmitted && !isTested)) return lost;
            const misread = await slips?.misspeltField({ watch, script, parts: hasEmitted ? [0] : [], names: [] });
            return misread ? failed(script, misread) : NOTHING;
          },
        }),
      );
      if (slips) invocation.onLate = (result) => listener(failed(script, slips.lateResult(name, result)));
    },
  };
  return script;
}

/** A main function says everything by emit functions: a result, or an answer that it returns, counts only in `hook()`. */
async function lostIn(script: Script, returned: unknown, invocation: Invocation): Promise<Said> {
  const isAnswer = script.isGuard ? (returned ?? undefined) !== undefined : /object|function|string/.test(typeof (returned ?? undefined));
  if (!invocation.made[0] && !isAnswer) return NOTHING;
  return failed(script, (await import("../run/mistakes.ts")).resultMistake(script.name, returned, invocation));
}

/** Beside a result, agents ignore the JSON of exit code 2: with it, the context stands before the reason on stderr. */
function besideResult(listener: Listener): Listener {
  const said: { parts: readonly Part[] }[] = [];
  let isByExit = false;
  const takeContexts = (one: { parts: readonly Part[] }): unknown[] => {
    const contexts = one.parts.filter(({ can, value }) => can === "context" && value);
    one.parts = one.parts.filter(({ can }) => can !== "context");
    return contexts.map(({ value }) => value);
  };
  return (one) => {
    const own = { ...one };
    said.push(own);
    isByExit ||= own.exitReason !== undefined;
    const texts = isByExit ? [...said.flatMap(takeContexts), ...(own.exitReason ? [own.exitReason] : [])] : [];
    return listener(texts[0] === undefined ? own : { ...own, exitReason: texts.join("\n") });
  };
}

/** SECURITY: agents that know no output of these events drop the whole answer for `hookSpecificOutput`, the block with it. */
const TOP_LEVEL_ONLY = /^(?:Subagent)?Stop$/;

function fitted(event: string, { by, parts: given }: Emission): Said {
  const facts = eventFacts(event);
  const isMisfit = facts && FITS[by]?.(facts) === false;
  const hasFeedback = facts?.can.includes("feedback");
  const parts = TOP_LEVEL_ONLY.test(event) ? withoutContext(given) : given;
  const problems = isMisfit ? [problem("NOT_EXPRESSIBLE", `${by}() is not made for ${event}. Use emitBlock()`)] : [];
  if (!parts[0])
    problems.push(
      problem("NOT_EXPRESSIBLE", `${by}() has no place in ${event}: older agents would drop the whole answer. ${CONTEXT_AT_STOP}`),
    );
  const no = parts.filter(({ can }) => can === "block" || can === "deny");
  // Beside a result there is nothing to deny: the reason goes to the model by exit code 2, or at the top level if that was asked for.
  const isByExit = no[0] && hasFeedback && (isMisfit || by !== "emitBlockTopLevel");
  const spoken = (part: Part): Part => (no.includes(part) ? { ...part, can: hasFeedback ? "feedback" : "block" } : part);
  return {
    parts: parts.filter((part) => !(isByExit && no.includes(part))).map(spoken),
    problems,
    exitReason: isByExit ? no.map(({ value }) => value || NO_REASON).join("\n") : undefined,
  };
}

const CONTEXT_AT_STOP = "Use emitBlock() to go on with it, or hook() and context()";

/** The context becomes the beginning of the reason, which the model reads as well. */
function withoutContext(parts: readonly Part[]): readonly Part[] {
  const contexts = parts.flatMap(({ can, value }) => (can === "context" && value ? [value] : []));
  const others = parts.filter(({ can }) => can !== "context");
  return others.map((part) => (part.can === "block" ? { ...part, value: [...contexts, part.value || NO_REASON].join("\n") } : part));
}
