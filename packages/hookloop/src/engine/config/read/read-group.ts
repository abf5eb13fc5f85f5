import type { EventName } from "@hookloop/sdk";
import type { EventRow } from "../../../catalogue/index.ts";
import { type CheckedMatcher, checkCondition, checkMatcher } from "../check/check-matcher.ts";
import { type Reading, report, shown, suggestion } from "../reading.ts";
import { type ConfigNode, type ConfigProperty, isBrokenAnywhere, type ObjectNode, plainValue } from "../tree/index.ts";
import type { HookDeclaration } from "../types.ts";
import { brokenGuards, isGuardMark } from "./broken-guards.ts";
import { reportExtension } from "./extension.ts";
import { type HookEntry, readEntry } from "./read-entry.ts";
import { uniqueProperties } from "./unique-properties.ts";

export interface GroupSpot {
  readonly event: EventName;
  readonly row: EventRow;
  readonly node: ConfigNode;
  /** Counts the sequential groups of the document. */
  readonly sequences: { next: number };
}

/** The hooks under one matcher; of a flat file, the one hook that the entry is. A guard that cannot be read is among them, as that. */
export function readGroup(reading: Reading, spot: GroupSpot): readonly HookDeclaration[] {
  const findingsBefore = reading.diagnostics.length;
  const declared = readHooks(reading, spot);
  return [...declared, ...brokenGuards(reading, { ...spot, declared, findingsBefore })];
}

function readHooks(reading: Reading, spot: GroupSpot): readonly HookDeclaration[] {
  const { node } = spot;
  if (node.type !== "object") {
    const text = `This must be an object, not ${shown(plainValue(node))}.`;
    report(reading, { code: "HL_CONFIG_WRONG_TYPE", text, place: node.place });
    return [];
  }
  return reading.shape.entries === "flat" ? readFlat(reading, { ...spot, node }) : readNested(reading, { ...spot, node });
}

type ObjectSpot = GroupSpot & { readonly node: ObjectNode };

function readFlat(reading: Reading, { event, row, node }: ObjectSpot): readonly HookDeclaration[] {
  const entry = readEntry(reading, { event, row, node, otherKeys: ["matcher"] });
  if (!entry) return [];
  const checked = checkMatcher(reading, { event, row, property: node.properties.find(({ key }) => key === "matcher") });
  return checked === "invalid" ? [] : [declared(reading, { event, node, matcher: checked, entry })];
}

function readNested(reading: Reading, { event, row, node, sequences }: ObjectSpot): readonly HookDeclaration[] {
  if (node.isBroken) return [];
  const properties = uniqueProperties(reading, node);
  const get = (name: string): ConfigProperty | undefined => properties.find(({ key }) => key === name);
  const list = get("hooks")?.value;
  if (list?.type !== "list") return reportNoHooks(reading, node, list);
  checkGroupFields(reading, properties);
  const matcher = checkMatcher(reading, { event, row, property: get("matcher") });
  const sequential = readSequential(reading, get("sequential"));
  const isSpoiled = properties.some(({ key, value }) => key !== "hooks" && value !== undefined && isBrokenAnywhere(value));
  if (matcher === "invalid" || isSpoiled || list.isConfused) return [];
  const sequence = sequential ? { sequence: sequences.next++ } : {};
  return list.items.flatMap((item) => {
    const entry = readEntry(reading, { event, row, node: item });
    if (!entry) return [];
    const condition = item.type === "object" ? item.properties.find(({ key }) => key === "if") : undefined;
    const isGuard = entry.fields["guard"] === true || entry.fields["onFailure"] === "block";
    const never = matcher.never ?? checkCondition(reading, { row, matcher: matcher.matcher, isGuard, property: condition });
    return [{ ...declared(reading, { event, node: item, matcher: { ...matcher, never }, entry }), ...sequence }];
  });
}

interface Declared extends Pick<GroupSpot, "event" | "node"> {
  readonly matcher: CheckedMatcher;
  readonly entry: HookEntry;
}

/** SECURITY: a guard that can never run guards nothing. In a file of our own it counts as one that cannot be read, of everything: what it is for is not known. */
function declared(reading: Reading, { event, node, matcher: { matcher, never }, entry }: Declared): HookDeclaration {
  const base = { event, source: reading.source, place: node.place };
  const isOwnWord = Object.hasOwn(reading.shape.kinds[entry.kind] ?? {}, "guard");
  if (never !== undefined && isOwnWord && entry.fields["guard"] === true) return { ...base, ...withoutFilter(entry), unreadable: never };
  return { ...base, ...(matcher !== undefined && { matcher }), ...(never !== undefined && { never }), ...entry };
}

function withoutFilter({ kind, fields }: HookEntry): HookEntry {
  const { if: _condition, ...rest } = fields;
  return { kind, fields: rest };
}

function checkGroupFields(reading: Reading, properties: readonly ConfigProperty[]): void {
  const { groupFields, extensions, title } = reading.shape;
  for (const property of properties) {
    const { key, place } = property;
    if (groupFields.includes(key)) continue;
    if (isGuardMark(property)) {
      const text = `"${key}" stands beside "hooks" and belongs into each entry of it. Until then the group counts as a guard that cannot be read.`;
      report(reading, { code: "HL_CONFIG_UNKNOWN_FIELD", text, place });
      continue;
    }
    if (extensions.groupFields.includes(key)) {
      reportExtension(reading, { what: `"${key}"`, place });
      continue;
    }
    const hint = suggestion(key, groupFields) || ` A group has ${groupFields.join(", ")}.`;
    const text = `${shown(key)} is not a field of a group in ${title} and is ignored.${hint}`;
    report(reading, { code: "HL_CONFIG_UNKNOWN_FIELD", level: "warning", text, place });
  }
}

function readSequential(reading: Reading, property: ConfigProperty | undefined): boolean {
  if (!property?.value) return false;
  const value = plainValue(property.value);
  if (typeof value === "boolean") return value;
  const text = `"sequential" must be true or false, not ${shown(value)}. The group runs in parallel.`;
  report(reading, { code: "HL_CONFIG_WRONG_TYPE", text, place: property.value.place });
  return false;
}

function reportNoHooks(reading: Reading, group: ObjectNode, list: ConfigNode | undefined): readonly HookDeclaration[] {
  if (list) {
    const text = `"hooks" must be a list, not ${shown(plainValue(list))}. Put it into [ ].`;
    report(reading, { code: "HL_CONFIG_WRONG_TYPE", text, place: list.place });
    return [];
  }
  const isHook = group.properties.some(({ key }) => key === "command" || key === "type");
  const slip = group.properties.find(({ key }) => suggestion(key, ["hooks"]) !== "");
  const hint = slip ? `Did you mean it by ${shown(slip.key)}?` : "Add what shall run.";
  const cure = isHook ? 'Put this hook into one: {"matcher": "…", "hooks": [ … ]}.' : hint;
  report(reading, { code: "HL_CONFIG_MISSING_FIELD", text: `The group has no list "hooks". ${cure}`, place: group.place });
  return [];
}
