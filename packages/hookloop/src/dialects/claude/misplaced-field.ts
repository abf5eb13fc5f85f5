import { type EventRow, type FieldType, topLevelOutputOf } from "../../catalogue/index.ts";
import { nearestName } from "../../diagnostic.ts";
import { isObject, type Note, shortText } from "../../engine/interpret/index.ts";

/** Fields that decide: an answer that spells one wrong did not say what it meant to say. */
const DECISIVE: readonly string[] = ["permissionDecision", "decision", "updatedInput", "action", "continue"];

/** Where a field was found. */
export type Level = "top" | "specific";

export interface StrayField {
  readonly note: Note;
  /** A decision was lost with it. */
  readonly isDecisive: boolean;
}

/** What to say about a field that this level does not have: it belongs to the other level, is misspelt, or is unknown. */
export function strayField(row: EventRow, name: string, level: Level): StrayField {
  const top = Object.keys(topLevelOutputOf(row));
  const specific = Object.keys(row.output);
  const shown = `"${shortText(name, 60)}"`;
  if ((level === "top" ? specific : top).includes(name)) {
    const where =
      level === "top" ? `inside hookSpecificOutput, beside hookEventName` : "at the top level of the answer, not inside hookSpecificOutput";
    return stray("HL_OUTPUT_MISPLACED_FIELD", `${shown} is not read here. It belongs ${where}`, name);
  }
  const meant = nearestName(
    name.slice(0, 60),
    level === "top" ? [...top, "hookSpecificOutput", ...specific] : [...specific, "hookEventName"],
  );
  const exitOnly = row.block === "exit" && name === "decision" ? ". Only exit code 2 blocks here, with the reason on stderr" : "";
  const hint = meant ? `. Did you mean "${meant}"?` : exitOnly;
  return stray("HL_OUTPUT_UNKNOWN_FIELD", `${shown} is not a field of this event's answer and was ignored${hint}`, meant ?? name);
}

/** Whether such a field took a decision with it, without words for it: of thousands of fields only the first are written about. */
export function losesDecision(row: EventRow, name: string): boolean {
  return nearestName(name, decisiveFields(row)) !== undefined;
}

const decisive = new WeakMap<EventRow, readonly string[]>();

function decisiveFields(row: EventRow): readonly string[] {
  const known = decisive.get(row) ?? DECISIVE.filter((name) => name in row.output || name in topLevelOutputOf(row));
  decisive.set(row, known);
  return known;
}

/** Keys inside an answer's object that no form of it has, as in `decision: {behavior: "deny", reason}`. */
export function strayKeys(value: unknown, type: FieldType): readonly string[] {
  if (!isObject(value) || type.kind !== "either") return [];
  const shapes = type.options.flatMap((option) => (option.kind === "shape" ? [option.fields] : []));
  return shapes.length === 0 ? [] : Object.keys(value).filter((key) => !shapes.some((fields) => Object.hasOwn(fields, key)));
}

function stray(code: Note["code"], text: string, meant: string): StrayField {
  const isDecisive = DECISIVE.includes(meant);
  return { note: { code, level: isDecisive ? "error" : "warning", text }, isDecisive };
}
