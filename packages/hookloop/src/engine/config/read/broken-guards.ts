// Takes a part of a file that could not be read as it was meant; gives the guards in it, as declarations that say why they cannot be used.
// Everything else that is wrong is left out and reported. A guard is not: what it guards must not happen because of a slip of the pen.
import type { EventName } from "@hookloop/sdk";
import { EVENTS, isEventName } from "../../../catalogue/index.ts";
import type { Place } from "../../../diagnostic.ts";
import { nearestName } from "../../../diagnostic.ts";
import { FOREIGN_EVENTS } from "../foreign-events.ts";
import { matcherForm } from "../matcher-form.ts";
import { isFull, type Reading } from "../reading.ts";
import { type ConfigNode, type ConfigProperty, isBrokenAnywhere, type ObjectNode, plainValue } from "../tree/index.ts";
import type { HookDeclaration, Source } from "../types.ts";

export interface BrokenSpot {
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
export function brokenGuards(reading: Reading, { event, node, declared, findingsBefore }: BrokenSpot): readonly HookDeclaration[] {
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
export function isGuardMark({ key, value }: ConfigProperty): boolean {
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
