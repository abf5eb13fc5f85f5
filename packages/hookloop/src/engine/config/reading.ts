import type { Diagnostic, Place } from "../../diagnostic.ts";
import { nearestName } from "../../diagnostic.ts";
import type { ErrorCode } from "../../errors.ts";
import type { DialectShape } from "./dialect-shapes.ts";
import type { Source } from "./types.ts";

/** What the readers of one document share: where it is from, how it is laid out, and the list of what is wrong. */
export interface Reading {
  readonly source: Source;
  readonly shape: DialectShape;
  /** Tools the agent has besides the known ones. */
  readonly tools: readonly string[];
  readonly diagnostics: Diagnostic[];
}

export interface Finding {
  readonly code: ErrorCode;
  readonly level?: Diagnostic["level"];
  readonly text: string;
  readonly place: Place;
}

/** A generated file with a mistake in each entry must not flood anyone. */
const MAX_DIAGNOSTICS = 200;
/** Longer than any name we know: nothing near it, and comparing would take time. */
const MAX_NAME = 64;
const MAX_SHOWN = 60;

/** Whether nothing more of this document will be reported. */
export function isFull({ diagnostics }: Reading): boolean {
  return diagnostics.length > MAX_DIAGNOSTICS;
}

/** Notes one finding; an error unless it says otherwise. */
export function report({ diagnostics }: Reading, { code, level = "error", text, place }: Finding): void {
  if (diagnostics.length > MAX_DIAGNOSTICS) return;
  if (diagnostics.length < MAX_DIAGNOSTICS) diagnostics.push({ code, level, text, place });
  else
    diagnostics.push({
      code,
      level,
      text: `${text} (This and more of the file is not reported: fix the ${MAX_DIAGNOSTICS} above first.)`,
      place,
    });
}

/** ` Did you mean "X"?` or nothing. */
export function suggestion(given: string, known: readonly string[]): string {
  const nearest = given.length > MAX_NAME ? undefined : nearestName(given, known);
  return nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
}

/** A value of the file as it can stand in a message: one short line without invisible characters. */
export function shown(value: unknown): string {
  const whole = typeof value === "number" ? String(value) : (JSON.stringify(value) ?? String(value));
  const short = whole.length > MAX_SHOWN ? `${whole.slice(0, MAX_SHOWN)}…` : whole;
  // SECURITY: direction marks and other controls could make a terminal show something else.
  return short.replace(/[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, (hidden) => {
    return `\\u${hidden.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** `"a", "b" or "c"`. */
export function choices(names: readonly string[]): string {
  const quoted = names.map((name) => `"${name}"`);
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
}
