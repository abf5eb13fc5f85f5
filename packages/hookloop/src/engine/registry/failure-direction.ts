import type { EventRow, FailureDirection } from "../../catalogue/index.ts";
import type { Diagnostic } from "../../diagnostic.ts";
import type { HookDeclaration } from "../config/types.ts";
import { DIALECT_DEFAULTS } from "./dialect-defaults.ts";

export interface FailureOptions {
  readonly row: EventRow;
  readonly isAsync: boolean;
  readonly strict: boolean;
}

/** What a failed run of the hook does, and a notice if that is not what was written. */
export function failureDirection(
  hook: HookDeclaration,
  { row, isAsync, strict }: FailureOptions,
): { readonly onFailure: FailureDirection; readonly diagnostic?: Diagnostic } {
  const written = writtenDirection(hook.fields);
  const counts = isAsync ? undefined : directionAt(row, written);
  if (counts !== written && written !== "continue") return { onFailure: "continue", diagnostic: ignored(hook, row) };
  if (isAsync || !row.failureCanBlock) return { onFailure: counts ?? "continue" };
  if (strict && row.role === "gate") return { onFailure: "block" };
  return { onFailure: written ?? (DIALECT_DEFAULTS[hook.source.dialect].defaults === "native" ? row.onFailure : "continue") };
}

/** Why `ask` has no effect where a failed hook can only block. */
export const NO_QUESTION = 'a failed hook of this event blocks or does nothing. Write "block", or remove it';

/** What the entry itself says. */
export function writtenDirection(fields: Readonly<Record<string, unknown>>): FailureDirection | undefined {
  const own = fields["onFailure"];
  if (own === "continue" || own === "ask" || own === "block") return own;
  return fields["guard"] === true ? "block" : undefined;
}

/** What counts of it at this event: where a block keeps the agent at work, a failed hook can only block, not ask. */
export function directionAt(row: EventRow, written: FailureDirection | undefined): FailureDirection | undefined {
  return row.failureCanBlock || (row.block !== null && written === "block") ? written : undefined;
}

function ignored({ event, fields, place }: HookDeclaration, { block, failureCanBlock }: EventRow): Diagnostic {
  const what = fields["onFailure"] === undefined ? '"guard"' : `"onFailure": "${fields["onFailure"]}"`;
  const why = block === null || failureCanBlock ? `a failed hook of ${event} cannot block anything. Remove it.` : `${NO_QUESTION}.`;
  const text = `${what} has no effect here: ${why}`;
  return { code: "HL_CONFIG_IGNORED_KEY", level: "notice", text, place };
}
