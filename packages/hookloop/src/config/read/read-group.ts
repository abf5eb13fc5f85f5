import type { EventName } from "@hookloop/sdk";
import { EVENTS, type EventRow, isEventName } from "../../catalogue/index.ts";
import { nearestName, type Place } from "../../diagnostic.ts";
import { type ConfigNode, type ConfigProperty, isBrokenAnywhere, type ObjectNode, plainValue } from "../parse-json.ts";
import { FOREIGN_EVENTS, isFull, type Reading, report, reportExtension, shown, suggestion, uniqueProperties } from "../reading.ts";
import { type HookDeclaration, matcherForm, type Source } from "../types.ts";
import { type CheckedMatcher, checkCondition, checkMatcher } from "./check-matcher.ts";
import { type HookEntry, readEntry } from "./read-entry.ts";

interface GroupSpot {
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
  const isGuard = entry.fields["guard"] === true || entry.fields["onFailure"] === "block";
  if (never !== undefined && isOwnWord && isGuard) return { ...base, ...withoutFilter(entry), unreadable: never };
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

// Takes a part of a file that could not be read as it was meant; gives the guards in it, as declarations that say why they cannot be used.
// Everything else that is wrong is left out and reported. A guard is not: what it guards must not happen because of a slip of the pen.

interface BrokenSpot {
  readonly event: EventName;
  /** A group, or whatever stands in its place. */
  readonly node: ConfigNode;
  /** What could be read of it. */
  readonly declared: readonly HookDeclaration[];
  /** Findings of this document before the group was read. */
  readonly findingsBefore: number;
}

const MAX_MATCHER = 1000;
const MAX_NAME = 64;

/** The guards of a group that were left out. */
function brokenGuards(reading: Reading, { event, node, declared, findingsBefore }: BrokenSpot): readonly HookDeclaration[] {
  if (EVENTS[event].blockEffect === null) return [];
  const read = new Set(declared.map(({ place }) => `${place.line}:${place.column}`));
  const lost = guardsIn(node).filter(({ place }) => !read.has(`${place.line}:${place.column}`));
  const found = reading.diagnostics.slice(findingsBefore).find(({ level }) => level === "error")?.text;
  // This one is not left out: it blocks.
  const why = found?.replace(/ (?:The hook is|Its hooks are) left out[^.]*\./, "") ?? "its entry has a mistake.";
  const group = node.type === "object" && !node.isBroken ? matcherOf(node, event) : {};
  return lost.map((entry) => ({
    event,
    source: reading.source,
    place: entry.place,
    ...group,
    kind: "command",
    fields: isBrokenAnywhere(entry) ? { guard: true } : { ...textsOf(entry), guard: true },
    unreadable: why,
  }));
}

/** The guards under a name that is no event, but probably stands for one; or under an event that stands in the wrong place. */
export function misplacedGuards(reading: Reading, { key, value }: ConfigProperty): readonly HookDeclaration[] {
  const event = eventMeant(reading, key);
  if (!value) return [];
  // The whole map stands one level too deep.
  if (event === undefined)
    return /^hooks?$/i.test(key) && value.type === "object" ? value.properties.flatMap((one) => misplacedGuards(reading, one)) : [];
  const groups = value.type === "list" ? value.items : [value];
  const findingsBefore = Math.max(0, reading.diagnostics.length - 1);
  return groups.flatMap((node) => brokenGuards(reading, { event, node, declared: [], findingsBefore }));
}

const GUARD_WORD =
  /^[ \t]*(?:-[ \t]+)*["']?(?:guard["']?[ \t]*:[ \t]*(?!false|null|~|no\b|off\b)\S|onFailure["']?[ \t]*:[ \t]*["']?block)/im;

/** The guards of a text that could not be read at all: what it seems to guard is guarded, of every event that it names. */
export function guardsInLostText(
  source: Source,
  { text, place, why }: { readonly text: string; readonly place: Place; readonly why: string },
): readonly HookDeclaration[] {
  if (!GUARD_WORD.test(text.replace(/[{,]/g, "\n"))) return [];
  const named = [...new Set(text.match(/\b[A-Z][A-Za-z]+\b/g) ?? [])]
    .filter(isEventName)
    .filter((event) => EVENTS[event].blockEffect !== null);
  const events: readonly EventName[] = named.length > 0 ? named : ["PreToolUse"];
  return events.map((event) => {
    const own = source.agentId === undefined ? event : (EVENTS[event].insideSubagent ?? event);
    return { event: own, source, place, kind: "command", fields: { guard: true }, unreadable: why };
  });
}

function eventMeant(reading: Reading, key: string): EventName | undefined {
  if (isEventName(key)) return key;
  if (Object.hasOwn(FOREIGN_EVENTS, key)) return FOREIGN_EVENTS[key]?.event;
  // Measuring how near thousands of names are would take seconds.
  const near = key.length > MAX_NAME || isFull(reading) ? undefined : nearestName(key, reading.shape.events);
  return near !== undefined && isEventName(near) ? near : undefined;
}

function guardsIn(node: ConfigNode): readonly ObjectNode[] {
  if (node.type === "list") return node.items.flatMap(guardsIn);
  if (node.type !== "object") return [];
  if (node.properties.some(isGuardMark)) return [node];
  return node.properties.flatMap(({ value }) => (value ? guardsIn(value) : []));
}

/** Also where the value is none that counts: who wrote `"guard": "yes"` meant it. */
function isGuardMark({ key, value }: ConfigProperty): boolean {
  if (key !== "guard" && key !== "onFailure") return false;
  const given = value && plainValue(value);
  if (key === "guard") return given !== false && given !== null;
  return typeof given !== "string" || !/^(continue|ask)$/i.test(given);
}

/** The matcher if it can be used; else the guard is meant for everything. */
function matcherOf({ properties }: ObjectNode, event: EventName): Pick<HookDeclaration, "matcher"> {
  const found = properties.filter(({ key }) => key === "matcher");
  const value = found.length === 1 && found[0]?.value && plainValue(found[0].value);
  const row = EVENTS[event].matcher;
  if (typeof value !== "string" || row === null || value.length > MAX_MATCHER) return {};
  const form = matcherForm(value, row);
  if (form.form === "all" || (form.form === "names" && form.names.length === 0)) return {};
  try {
    new RegExp(value);
    return { matcher: value };
  } catch {
    // Not a pattern: reading the group has reported it.
    return {};
  }
}

/** What tells people which guard it is, and for which calls it is meant. */
function textsOf({ properties }: ObjectNode): Readonly<Record<string, string>> {
  const texts = properties.flatMap(({ key, value }) => (value?.type === "text" ? [[key, String(value.value)] as const] : []));
  return Object.fromEntries(texts.filter(([key]) => ["name", "command", "if"].includes(key)));
}
