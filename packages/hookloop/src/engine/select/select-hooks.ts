import { readCommand, type ShellReading } from "../../shell/index.ts";
import { dropDuplicates } from "../registry/index.ts";
import type { EventInput, Plan, SelectedHook } from "./types.ts";

/** The hooks of a plan that run for this input: their condition holds, they live where it happens, and each runs once. */
export function selectHooks(plan: Plan, input: EventInput): readonly SelectedHook[] {
  if (plan.isFixed) return plan.selected;
  const read = rememberLast();
  const fitting = plan.selected.filter(({ hook }, position) => {
    if (hook.source.agentId !== undefined && hook.source.agentId !== input["agent_id"]) return false;
    return plan.conditions[position]?.matches(input, read) ?? true;
  });
  const kept = new Set(dropDuplicates(fitting.map(({ hook }) => hook)));
  return fitting.filter(({ hook }) => kept.has(hook));
}

/** Parsing is most of what a condition costs; all conditions of a firing look at the same command. */
function rememberLast(): (command: string) => ShellReading {
  let last: { readonly command: string; readonly reading: ShellReading } | undefined;
  return (command) => {
    if (last?.command !== command) last = { command, reading: readCommand(command) };
    return last.reading;
  };
}
