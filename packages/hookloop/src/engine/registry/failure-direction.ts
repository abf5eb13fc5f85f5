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
  const canBlock = row.failureCanBlock && !isAsync;
  if (!canBlock)
    return written === "block" || written === "ask" ? { onFailure: "continue", diagnostic: ignored(hook) } : { onFailure: "continue" };
  if (strict && row.role === "gate") return { onFailure: "block" };
  return { onFailure: written ?? (DIALECT_DEFAULTS[hook.source.dialect].defaults === "native" ? row.onFailure : "continue") };
}

/** What the entry itself says. */
export function writtenDirection(fields: Readonly<Record<string, unknown>>): FailureDirection | undefined {
  const own = fields["onFailure"];
  if (own === "continue" || own === "ask" || own === "block") return own;
  return fields["guard"] === true ? "block" : undefined;
}

function ignored({ event, fields, place }: HookDeclaration): Diagnostic {
  const what = fields["onFailure"] === undefined ? '"guard"' : `"onFailure": "${fields["onFailure"]}"`;
  const text = `${what} has no effect here: a failed hook of ${event} cannot block anything. Remove it.`;
  return { code: "HL_CONFIG_IGNORED_KEY", level: "notice", text, place };
}
