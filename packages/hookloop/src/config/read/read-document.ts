// Takes the text of one configuration and where it is from.
// Gives its hooks, switches and permission rules, each hook with its place, and a diagnostic for everything that is wrong.
// Refuses nothing as a whole but what is too large, too deep or no JSON: a bad entry never disables its neighbours (D1).

import type { EventName } from "@hookloop/sdk";
import { EVENTS, isEventName } from "../../catalogue/index.ts";
import type { Diagnostic } from "../../diagnostic.ts";
import { type ConfigNode, type ConfigProperty, type ParsedText, parseJson, plainValue } from "../parse-json.ts";
import { type Head, loadYaml, parseHead } from "../parse-yaml.ts";
import {
  choices,
  DIALECT_SHAPES,
  FOREIGN_EVENTS,
  isFull,
  misplacedHooks,
  type Reading,
  report,
  shown,
  suggestion,
  uniqueProperties,
} from "../reading.ts";
import { type ConfigDocument, type HookDeclaration, namedPacks, type Source } from "../types.ts";
import { guardsInLostText, misplacedGuards, readGroup } from "./read-group.ts";
import { readSettingsCommands, readTopLevel } from "./read-top-level.ts";

interface DocumentText {
  readonly source: Source;
  readonly text: string;
  /** Tools the agent has besides the known ones, so that matchers may name them. */
  readonly tools?: readonly string[] | undefined;
}

/** Reads one JSON configuration in its source's dialect. It never throws. */
export function readDocument({ source, text, tools = [] }: DocumentText): ConfigDocument {
  return documentOf({ source, tools, parsed: parseJson({ text, file: fileOf(source) }) });
}

/** What stands for the file in messages. */
function fileOf({ file, scope }: Source): string {
  return file ?? (scope === "flag" ? "--settings" : `<${scope}>`);
}

/** Makes a document of a parsed text, whatever language it was in. */
export function documentOf({ source, tools, parsed }: Omit<DocumentText, "text"> & { readonly parsed: ParsedText }): ConfigDocument {
  const reading: Reading = { source, shape: DIALECT_SHAPES[source.dialect], tools: tools ?? [], diagnostics: [...parsed.diagnostics] };
  if (parsed.extension && reading.shape.isShared) reportExtendedJson(reading, parsed.extension);
  const { root } = parsed;
  if (root && root.type !== "object") {
    const text = `The file must hold an object such as {"hooks": {}}, not ${shown(plainValue(root))}.`;
    report(reading, { code: "HL_CONFIG_WRONG_TYPE", text, place: root.place });
  }
  const properties = root?.type === "object" ? uniqueProperties(reading, root) : [];
  const top = readTopLevel(reading, properties);
  const map = properties.find(({ key }) => key === "hooks")?.value;
  const all = root?.type === "object" ? root.properties : [];
  const isStray = (one: ConfigProperty): boolean =>
    isEventName(one.key) || (/^hooks?$/i.test(one.key) && one.value !== map) || misplacedHooks(reading, one) !== undefined;
  const stray = all.filter(isStray);
  const hooks = [
    ...(map ? readEventMap(reading, map) : []),
    ...stray.flatMap((property) =>
      (misplacedHooks(reading, property)?.events ?? [property]).flatMap((one) => misplacedGuards(reading, one)),
    ),
    ...readSettingsCommands(reading, properties),
  ];
  const packs = top.switches.plugins === undefined ? [] : namedPacks(properties);
  return { source, hooks, ...top, ...(packs.length > 0 && { packs }), diagnostics: reading.diagnostics };
}

function reportExtendedJson(reading: Reading, { what, place }: NonNullable<ParsedText["extension"]>): void {
  const text = `The ${what} here is fine for hookloop, but Claude Code drops the whole file for it. Remove it.`;
  report(reading, { code: "HL_CONFIG_CLAUDE_WOULD_DROP_FILE", level: "warning", text, place });
}

/** The hooks of an event map. A bad event, group or entry is reported and left out; the rest stays. */
function readEventMap(reading: Reading, node: ConfigNode): readonly HookDeclaration[] {
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

/** More than any frontmatter; the text below it may be as long as it likes. */
const MAX_FRONTMATTER = 64 * 1024;

/** Reads the hooks of a skill's or subagent's frontmatter. In a subagent (`source.agentId`), Stop means SubagentStop. */
export async function readFrontmatter({ source, text, tools }: DocumentText): Promise<ConfigDocument> {
  const found = frontmatterOf(text);
  const file = fileOf(source);
  if (found === undefined) return documentOf({ source, tools, parsed: { diagnostics: [] } });
  if (found === "unclosed" || found === "unopened") return documentOf({ source, tools, parsed: { diagnostics: [noHead(file, found)] } });
  const head = parseHead(await loadYaml(), { text: found, file, linesBefore: 1 });
  const isForbidden = source.plugin !== undefined && source.agentId !== undefined;
  const { properties, diagnostics } = isForbidden ? withoutHooks(head) : { properties: head.properties, diagnostics: head.ofHooks };
  const place = { file, line: 1, column: 1 };
  const document = documentOf({ source, tools, parsed: { root: { type: "object", properties, place, isBroken: false }, diagnostics } });
  const guards = isForbidden ? [] : head.lostHooks.flatMap((one) => guardsInLostText(source, one));
  return { ...document, hooks: [...document.hooks, ...guards] };
}

/** The text between the two `---` lines. */
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
