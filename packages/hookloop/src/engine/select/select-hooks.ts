import { dropDuplicates } from "../../config/index.ts";
import { readCommand, type ShellReading } from "../../shell/index.ts";
import type { EventInput, Plan, SelectedHook } from "./types.ts";

/** The hooks of a plan that run for this input: their condition holds, they live where it happens, and each runs once. `spent`: ids of hooks that run no more. */
export function selectHooks(plan: Plan, input: EventInput, spent: ReadonlySet<string> = NONE): readonly SelectedHook[] {
  if (plan.isFixed) return plan.selected;
  const read = rememberLast();
  const fitting = plan.selected.filter(({ hook }, position) => {
    if (hook.source.agentId !== undefined && hook.source.agentId !== input["agent_id"]) return false;
    // SECURITY: before copies are compared: one that had its turn must not stand in for one that has not.
    if (hook.once && spent.has(hook.id)) return false;
    return plan.conditions[position]?.matches(input, read) ?? true;
  });
  return dropDuplicates(fitting.map(({ hook }) => hook));
}

const NONE: ReadonlySet<string> = new Set();

/** Parsing is most of what a condition costs; all conditions of a firing look at the same command. */
function rememberLast(): (command: string) => ShellReading {
  let last: { readonly command: string; readonly reading: ShellReading } | undefined;
  return (command) => {
    if (last?.command !== command) last = { command, reading: readCommand(command) };
    return last.reading;
  };
}
