import type { EventName } from "@hookloop/sdk";
import { EVENTS, isEventName } from "../../../catalogue/index.ts";
import { FOREIGN_EVENTS } from "../foreign-events.ts";
import { choices, isFull, type Reading, report, shown, suggestion } from "../reading.ts";
import { type ConfigNode, type ConfigProperty, plainValue } from "../tree/index.ts";
import type { HookDeclaration } from "../types.ts";
import { misplacedGuards } from "./broken-guards.ts";
import { readGroup } from "./read-group.ts";
import { uniqueProperties } from "./unique-properties.ts";

/** The hooks of an event map. A bad event, group or entry is reported and left out; the rest stays. */
export function readEventMap(reading: Reading, node: ConfigNode): readonly HookDeclaration[] {
  if (node.type !== "object") {
    const text = `"hooks" must be an object of event names, not ${shown(plainValue(node))}.`;
    report(reading, { code: "HL_CONFIG_WRONG_TYPE", text, place: node.place });
    return [];
  }
  const sequences = { next: 0 };
  const unique = uniqueProperties(reading, node);
  const repeated = node.properties.filter((property) => !unique.includes(property));
  return [
    ...unique.flatMap((property) => readEvent(reading, property, sequences)),
    ...repeated.flatMap((property) => misplacedGuards(reading, property)),
  ];
}

function readEvent(reading: Reading, property: ConfigProperty, sequences: { next: number }): readonly HookDeclaration[] {
  const declared = eventOf(reading, property);
  const { value } = property;
  // Without a value there was a syntax error, and that is reported.
  if (declared === undefined || value === undefined) return misplacedGuards(reading, property);
  if (value.type !== "list") {
    const text = `"${declared}" must be a list of ${groupText(reading)}, not ${shown(plainValue(value))}. Put it into [ ].`;
    report(reading, { code: "HL_CONFIG_WRONG_TYPE", text, place: value.place });
    return misplacedGuards(reading, property);
  }
  const event = (reading.source.agentId === undefined ? undefined : EVENTS[declared].insideSubagent) ?? declared;
  return value.items.flatMap((group) => readGroup(reading, { event, row: EVENTS[event], node: group, sequences }));
}

function groupText({ shape }: Reading): string {
  return shape.entries === "flat" ? '{"matcher", "command"}' : '{"matcher", "hooks": […]}';
}

function eventOf(reading: Reading, { key, place }: ConfigProperty): EventName | undefined {
  const { shape } = reading;
  if (isEventName(key) && shape.events.includes(key)) {
    if (shape.isShared && EVENTS[key].origin === "hookloop") reportOwnEvent(reading, key, place);
    return key;
  }
  // Measuring how near thousands of names are would take seconds, for a list that nobody sees.
  if (isFull(reading)) return undefined;
  report(reading, { code: "HL_CONFIG_UNKNOWN_EVENT", text: `${shown(key)} is not an event${eventHint(reading, key)}`, place });
  return undefined;
}

function eventHint({ shape }: Reading, key: string): string {
  if (isEventName(key)) return ` of ${shape.title}, only ${choices(shape.events)}. Its hooks are left out; use .hookloop/hooks.json.`;
  if (key === "hooks") return `: the events stand one level too deep. Move them up into the outer "hooks".`;
  const foreign = Object.hasOwn(FOREIGN_EVENTS, key) ? FOREIGN_EVENTS[key] : undefined;
  if (foreign) return ` here: it is a name of ${foreign.of}. Write "${foreign.event}". Its hooks are left out.`;
  const hint = suggestion(key, shape.events) || " `hookloop events` lists them all.";
  return `.${hint} Its hooks are left out.`;
}

function reportOwnEvent(reading: Reading, event: EventName, place: ConfigProperty["place"]): void {
  const text = `${event} is an event of hookloop: it works here, Claude Code ignores it. Move it to .hookloop/hooks.json.`;
  report(reading, { code: "HL_CONFIG_IGNORED_KEY", level: "notice", text, place });
}
