import { readCommand, type ShellReading } from "../../shell/index.ts";
import type { EventInput, Plan, SelectedHook } from "./types.ts";

/** The hooks of a plan that run for this input: their condition holds, they live where it happens, and each runs once. */
export function selectHooks(plan: Plan, input: EventInput): readonly SelectedHook[] {
  if (plan.isFixed) return plan.selected;
  const read = rememberLast();
  const taken = new Set<string>();
  return plan.selected.filter(({ hook }, position) => {
    if (hook.source.agentId !== undefined && hook.source.agentId !== input["agent_id"]) return false;
    if (hook.dedupKey !== undefined && taken.has(hook.dedupKey)) return false;
    const condition = plan.conditions[position];
    if (condition && !condition.matches(input, read)) return false;
    if (hook.dedupKey !== undefined) taken.add(hook.dedupKey);
    return true;
  });
}

/** Parsing is most of what a condition costs; all conditions of a firing look at the same command. */
function rememberLast(): (command: string) => ShellReading {
  let last: { readonly command: string; readonly reading: ShellReading } | undefined;
  return (command) => {
    if (last?.command !== command) last = { command, reading: readCommand(command) };
    return last.reading;
  };
}
