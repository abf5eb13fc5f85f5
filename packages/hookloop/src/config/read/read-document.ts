// Takes the text of one configuration and where it is from.
// Gives its hooks, switches and permission rules, each hook with its place, and a diagnostic for everything that is wrong.
// Refuses nothing as a whole but what is too large, too deep or no JSON: a bad entry never disables its neighbours.

import type { EventName } from "@hookloop/sdk";
import { type Dialects, EVENTS, type EventRow, isEventName } from "../../catalogue/index.ts";
import { type Diagnostic, didYouMean, nearestName, type Place } from "../../diagnostic.ts";
import {
  type ConfigNode,
  type ConfigProperty,
  isBrokenAnywhere,
  type ObjectNode,
  type ParsedText,
  parseJson,
  plainValue,
} from "../parse-json.ts";
import { type Head, loadYaml, parseHead } from "../parse-yaml.ts";
import {
  choices,
  foreignEvent,
  isFull,
  isMisplacedEvent,
  misplacedHooks,
  type Reading,
  report,
  reportExtension,
  shown,
  uniqueProperties,
} from "../reading.ts";
import { type ConfigDocument, type HookDeclaration, matcherForm, namedPacks, type Source } from "../types.ts";
import { type CheckedMatcher, checkCondition, checkMatcher } from "./check-matcher.ts";
import { checkTemplates, type HookEntry, readEntry } from "./read-entry.ts";
import { readSettingsCommands, readTopLevel } from "./read-top-level.ts";

interface DocumentText {
  readonly source: Source;
  readonly dialects: Dialects;
  readonly text: string;
  /** Tools the agent has besides the known ones, so that matchers may name them. */
  readonly tools?: readonly string[] | undefined;
}

export function readDocument({ text, ...rest }: DocumentText): ConfigDocument {
  const { source } = rest;
  return documentOf({ ...rest, parsed: parseJson({ text, file: fileOf(source) }) });
}

function fileOf({ file, scope }: Source): string {
  return file ?? (scope === "flag" ? "--settings" : `<${scope}>`);
}

export function documentOf({
  source,
  dialects,
  tools = [],
  parsed,
}: Omit<DocumentText, "text"> & { readonly parsed: ParsedText }): ConfigDocument {
  const dialect = dialects.of(source.dialect);
  const reading: Reading = { source, shape: dialect.shape, dialects, tools, diagnostics: [...parsed.diagnostics] };
  if (parsed.extension && reading.shape.sharedWith !== undefined) reportExtendedJson(reading, parsed.extension);
  const { root } = parsed;
  if (root && root.type !== "object") {
    const text = `The file must hold an object such as {"hooks": {}}, not ${shown(plainValue(root))}.`;
    report(reading, { code: "HL_CONFIG_WRONG_TYPE", text, place: root.place });
  }
  const lost = root && root.type !== "object" ? guardsInValue(source, root, "The file does not hold an object.") : [];
  const properties = root?.type === "object" ? uniqueProperties(reading, root) : [];
  const top = readTopLevel(reading, properties);
  const map = properties.find(({ key }) => key === "hooks")?.value;
  const all = root?.type === "object" ? root.properties : [];
  const isStray = (one: ConfigProperty): boolean =>
    isMisplacedEvent(one) || (/^hooks?$/i.test(one.key) && one.value !== map) || misplacedHooks(reading, one) !== undefined;
  const stray = all.filter(isStray);
  const hooks = [
    ...lost,
    ...(map ? readEventMap(reading, map) : []),
    ...stray.flatMap((property) =>
      (misplacedHooks(reading, property)?.events ?? [property]).flatMap((one) => misplacedGuards(reading, one)),
    ),
    ...readSettingsCommands(reading, properties),
  ];
  const packs = top.switches.plugins === undefined ? [] : namedPacks(properties);
  return { source, dialect, hooks, ...top, ...(packs.length > 0 && { packs }), diagnostics: reading.diagnostics };
}

function reportExtendedJson(reading: Reading, { what, place }: NonNullable<ParsedText["extension"]>): void {
  const text = `The ${what} here is fine for hookloop, but ${reading.shape.sharedWith} drops the whole file for it. Remove it.`;
  report(reading, { code: "HL_CONFIG_CLAUDE_WOULD_DROP_FILE", level: "warning", text, place });
}

/** The hooks of an event map. A bad event, group or entry is reported and left out; the rest stays. */
function readEventMap(reading: Reading, node: ConfigNode): readonly HookDeclaration[] {
  if (node.type !== "object") {
    const text = `"hooks" must be an object of event names, not ${shown(plainValue(node))}.`;
    report(reading, { code: "HL_CONFIG_WRONG_TYPE", text, place: node.place });
    return guardsInValue(reading.source, node, text);
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
    const text = `"${declared}" must be a list of ${groupText(reading)}, not ${shown(plainValue(value))}. ${listCure(reading, value)}`;
    report(reading, { code: "HL_CONFIG_WRONG_TYPE", text, place: value.place });
    return misplacedGuards(reading, property);
  }
  const event = (reading.source.agentId === undefined ? undefined : EVENTS[declared].insideSubagent) ?? declared;
  return value.items.flatMap((group) => readGroup(reading, { event, row: EVENTS[event], node: group, sequences }));
}

function groupText({ shape }: Reading): string {
  return shape.entries === "flat" ? '{"matcher", "command"}' : '{"matcher", "hooks": […]}';
}

/** `{"Bash": [ … ]}`: what stands for the matcher there is written beside the hooks. */
function listCure({ shape }: Reading, value: ConfigNode): string {
  const [first] = value.type === "object" ? value.properties : [];
  if (first?.value?.type !== "list" || first.key === "hooks") return "Put it into [ ].";
  return shape.entries === "flat"
    ? `Write [{"matcher": ${shown(first.key)}, "command": "…"}].`
    : `Write [{"matcher": ${shown(first.key)}, "hooks": [ … ]}].`;
}

function eventOf(reading: Reading, { key, place }: ConfigProperty): EventName | undefined {
  const { shape } = reading;
  const event = Object.hasOwn(shape.events, key) ? shape.events[key] : undefined;
  if (event !== undefined) {
    if (shape.sharedWith !== undefined && EVENTS[event].origin === "hookloop") reportOwnEvent(reading, event, place);
    return event;
  }
  // Measuring how near thousands of names are would take seconds, for a list that is not shown.
  if (isFull(reading)) return undefined;
  report(reading, { code: "HL_CONFIG_UNKNOWN_EVENT", text: `${shown(key)} is not an event${eventHint(reading, key)}`, place });
  return undefined;
}

function eventHint(reading: Reading, key: string): string {
  const { shape } = reading;
  const names = Object.keys(shape.events);
  if (isEventName(key)) return ` of ${shape.title}, only ${choices(names)}. Its hooks are left out; use .hookloop/hooks.json.`;
  if (key === "hooks") return `: the events stand one level too deep. Move them up into the outer "hooks".`;
  const foreign = foreignEvent(reading, key);
  if (foreign) return ` here: it is a name of ${foreign.of}. Write "${foreign.name}". Its hooks are left out.`;
  // `PreToolUse:Bash`, as messages name a hook.
  const [, event = "", matcher = ""] = /^(\w+)[:.( ]+(.+?)\)?$/.exec(key) ?? [];
  if (names.includes(event)) return `. Write "${event}" and "matcher": ${shown(matcher)} in the group. Its hooks are left out.`;
  const hint = didYouMean(key.replace(/Call$/i, "Use"), names) || " `hookloop events` lists them all.";
  return `.${hint} Its hooks are left out.`;
}

function reportOwnEvent(reading: Reading, event: EventName, place: ConfigProperty["place"]): void {
  const text = `${event} is an event of hookloop: it works here, ${reading.shape.sharedWith} ignores it. Move it to .hookloop/hooks.json.`;
  report(reading, { code: "HL_CONFIG_IGNORED_KEY", level: "notice", text, place });
}

/** More than any frontmatter; the text below it may be as long as it likes. */
const MAX_FRONTMATTER = 64 * 1024;

/** Reads the hooks of a skill's or subagent's frontmatter. In a subagent (`source.agentId`), Stop means SubagentStop. */
export async function readFrontmatter({ text, ...rest }: DocumentText): Promise<ConfigDocument> {
  const { source } = rest;
  const found = frontmatterOf(text);
  const file = fileOf(source);
  if (found === undefined) return documentOf({ ...rest, parsed: { diagnostics: [] } });
  if (found === "unclosed" || found === "unopened") return documentOf({ ...rest, parsed: { diagnostics: [noHead(file, found)] } });
  const head = parseHead(await loadYaml(), { text: found, file, linesBefore: 1 });
  const isForbidden = source.plugin !== undefined && source.agentId !== undefined;
  const { properties, diagnostics } = isForbidden ? withoutHooks(head) : { properties: head.properties, diagnostics: head.ofHooks };
  const place = { file, line: 1, column: 1 };
  const document = documentOf({ ...rest, parsed: { root: { type: "object", properties, place, isBroken: false }, diagnostics } });
  const guards = isForbidden ? [] : head.lostHooks.flatMap((one) => guardsInLostText(source, one));
  return { ...document, hooks: [...document.hooks, ...guards] };
}

function frontmatterOf(given: string): string | "unclosed" | "unopened" | undefined {
  const text = given.slice(0, MAX_FRONTMATTER).replace(/^\uFEFF/, "");
  const opening = /^---[ \t]*\r?\n/.exec(text);
  if (!opening) return /^\s*(?:---|[\w-]+[ \t]*:)/.test(text) && /^hooks[ \t]*:/m.test(text) ? "unopened" : undefined;
  const body = text.slice(opening[0].length);
  const closing = /^---[ \t]*\r?$/m.exec(body);
  if (closing) return body.slice(0, closing.index);
  // A rule at the top of a page looks the same; only hooks that would be lost are worth a word.
  return /^hooks[ \t]*:/m.test(body) ? "unclosed" : undefined;
}

function noHead(file: string, found: "unclosed" | "unopened"): Diagnostic {
  const missing =
    found === "unclosed"
      ? `The frontmatter has no closing --- within ${MAX_FRONTMATTER / 1024} KiB`
      : 'There is "hooks:", but the first line is not ---';
  const text = `${missing}; its hooks are not read. Add the line.`;
  return { code: "HL_CONFIG_INVALID_YAML", level: "error", text, place: { file, line: 1, column: 1 } };
}

/** A plugin's subagents may not declare hooks; the plugin itself may. */
function withoutHooks({ properties, lostHooks }: Head): {
  readonly properties: Head["properties"];
  readonly diagnostics: readonly Diagnostic[];
} {
  const place = properties.find(({ key }) => key === "hooks")?.place ?? lostHooks[0]?.place;
  const others = properties.filter(({ key }) => key !== "hooks");
  if (!place) return { properties: others, diagnostics: [] };
  const text = `A plugin's subagent may not declare hooks; they are ignored. Move them to the plugin's hooks/hooks.json.`;
  return { properties: others, diagnostics: [{ code: "HL_CONFIG_IGNORED_KEY", level: "warning", text, place }] };
}

interface GroupSpot {
  readonly event: EventName;
  readonly row: EventRow;
  readonly node: ConfigNode;
  readonly sequences: { next: number };
}

/** The hooks under one matcher; of a flat file, the one hook that the entry is. A guard that cannot be read is among them, as that. */
function readGroup(reading: Reading, spot: GroupSpot): readonly HookDeclaration[] {
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
    checkTemplates(reading, { row, matcher: matcher.matcher, entry, node: item });
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
    if (extensions?.groupFields.includes(key)) {
      reportExtension(reading, { what: `"${key}"`, place });
      continue;
    }
    const hint = didYouMean(key, groupFields) || ` A group has ${groupFields.join(", ")}.`;
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
  const slip = group.properties.find(({ key }) => didYouMean(key, ["hooks"]) !== "");
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
  readonly declared: readonly HookDeclaration[];
  readonly findingsBefore: number;
}

const MAX_MATCHER = 1000;
const MAX_NAME = 64;

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
    fields: entry.type !== "object" || isBrokenAnywhere(entry) ? { guard: true } : { ...textsOf(entry), guard: true },
    unreadable: why,
  }));
}

/** The guards under a name that is no event, but probably stands for one; or under an event that stands in the wrong place. */
function misplacedGuards(reading: Reading, { key, value }: ConfigProperty): readonly HookDeclaration[] {
  const event = eventMeant(reading, key);
  if (!value) return [];
  // The whole map stands one level too deep.
  if (event === undefined) {
    if (!/^hooks?$/i.test(key)) return [];
    if (value.type === "object") return value.properties.flatMap((one) => misplacedGuards(reading, one));
    return guardsInValue(reading.source, value, `${shown(key)} is no object of event names.`);
  }
  const groups = value.type === "list" ? value.items : [value];
  const findingsBefore = Math.max(0, reading.diagnostics.length - 1);
  return groups.flatMap((node) => brokenGuards(reading, { event, node, declared: [], findingsBefore }));
}

const GUARD_WORD =
  /^[ \t]*(?:-[ \t]+)*["']?(?:guard["']?[ \t]*:[ \t]*(?!false|null|~|no\b|off\b)\S|onFailure["']?[ \t]*:[ \t]*["']?block)/im;

/** The guards of a value that stands where an object of event names should, such as the map written as a text. */
function guardsInValue(source: Source, node: ConfigNode, why: string): readonly HookDeclaration[] {
  const value = plainValue(node);
  return guardsInLostText(source, { text: typeof value === "string" ? value : JSON.stringify(value), place: node.place, why });
}

/** The guards of a text that could not be read at all: what it seems to guard is guarded, of every event that it names. */
function guardsInLostText(
  source: Source,
  { text, place, why }: { readonly text: string; readonly place: Place; readonly why: string },
): readonly HookDeclaration[] {
  if (!speaksOfGuard(text)) return [];
  const named = [...new Set(text.match(/\b[A-Z][A-Za-z]+\b/g) ?? [])]
    .filter(isEventName)
    .filter((event) => EVENTS[event].blockEffect !== null);
  const events: readonly EventName[] = named.length > 0 ? named : ["PreToolUse"];
  return events.map((event) => {
    const own = source.agentId === undefined ? event : (EVENTS[event].insideSubagent ?? event);
    return { event: own, source, place, kind: "command", fields: { guard: true }, unreadable: why };
  });
}

function speaksOfGuard(text: string): boolean {
  return GUARD_WORD.test(text.replace(/[{,]/g, "\n"));
}

function eventMeant(reading: Reading, key: string): EventName | undefined {
  const { events } = reading.shape;
  if (Object.hasOwn(events, key)) return events[key];
  if (isEventName(key)) return key;
  const named = foreignEvent(reading, key)?.event;
  if (named !== undefined) return named;
  // Measuring how near thousands of names are would take seconds.
  const near = key.length > MAX_NAME || isFull(reading) ? undefined : nearestName(key, Object.keys(events));
  return near === undefined ? undefined : events[near];
}

/** `isEntry`: an entry, a group or a list of them should stand here, and may have been written as a text. */
function guardsIn(node: ConfigNode, isEntry = true): readonly ConfigNode[] {
  if (node.type === "list") return node.items.flatMap((item) => guardsIn(item, isEntry));
  if (node.type === "text") return isEntry && speaksOfGuard(String(node.value)) ? [node] : [];
  if (node.type !== "object") return [];
  if (node.properties.some(isGuardMark)) return [node];
  return node.properties.flatMap(({ key, value }) => (value ? guardsIn(value, key === "hooks") : []));
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
