import type { Part } from "../hook/results.ts";
import { type Problem, problem } from "../problem.ts";
import { crashed, failed, type Said, type Script } from "../run/script.ts";
import { eventFacts, type Facts } from "../wire/event-facts.ts";
import { isExitSignal } from "./emit.ts";
import { type Emission, type Invocation, within } from "./invocation.ts";

/** Mechanisms a function was made for; elsewhere it warns, and a no is still said in the way of the event. */
const FITTING: Readonly<Partial<Record<Emission["by"], string>>> = {
  emitBlockPrompt: "d",
  emitBlockTopLevel: "d",
  emitPermissionDecision: "pr",
};

/** An S4-style main function as a script. */
export function mainScript(main: () => unknown, name: string, isGuard: boolean): Script {
  const script: Script = {
    name,
    isGuard,
    event: "",
    failureExitCode: 0,
    answer: async ({ payload, problem: broken }) => {
      if (broken && isGuard) return failed(script, broken);
      const invocation: Invocation = { payload, emissions: [] };
      const event = payload?.hook_event_name ?? "";
      const heard = (more?: Said): Said =>
        withEmissions(event, invocation.emissions, [...(broken ? [broken] : []), ...(more?.problems ?? [])], more);
      try {
        await within(invocation, main);
        return heard();
      } catch (thrown) {
        return isExitSignal(thrown) ? { ...heard(), exitReason: thrown.message } : heard(crashed(script, thrown));
      }
    },
  };
  return script;
}

function withEmissions(event: string, emissions: readonly Emission[], problems: Problem[], more?: Said): Said {
  const facts = eventFacts(event);
  const parts: Part[] = [...(more?.parts ?? [])];
  const exitReasons: unknown[] = [];
  for (const emission of emissions) {
    if (facts && FITTING[emission.by]?.includes(facts.mechanism) === false)
      problems.push(problem("NOT_EXPRESSIBLE", `${emission.by}() is not made for ${event}. Use emitBlock()`));
    for (const said of emission.parts) fit(said, facts, { parts, exitReasons });
  }
  return { parts, problems, exitReason: exitReasons.join("\n") || undefined };
}

/** Beside a result there is nothing to deny: the reason goes to the model by exit code 2. */
function fit(said: Part, facts: Facts | undefined, into: { parts: Part[]; exitReasons: unknown[] }): void {
  const saysNo = said.can === "block" || said.can === "deny";
  if (saysNo && facts?.can.includes("feedback")) into.exitReasons.push(said.value);
  else into.parts.push(saysNo ? { ...said, can: "block" } : said);
}
