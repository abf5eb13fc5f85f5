// Takes the text of one configuration and where it is from.
// Gives its hooks, switches and permission rules, each hook with its place, and a diagnostic for everything that is wrong.
// Refuses nothing as a whole but what is too large, too deep or no JSON: a bad entry never disables its neighbours (D1).
import { isEventName } from "../../../catalogue/index.ts";
import { DIALECT_SHAPES } from "../dialect-shapes.ts";
import { namedPacks } from "../packs/pack-names.ts";
import { type Reading, report, shown } from "../reading.ts";
import { type ConfigProperty, type ParsedText, parseJson, plainValue } from "../tree/index.ts";
import type { ConfigDocument, Source } from "../types.ts";
import { misplacedGuards } from "./broken-guards.ts";
import { misplacedHooks } from "./misplaced-hooks.ts";
import { readEventMap } from "./read-event-map.ts";
import { readSettingsCommands } from "./read-settings-commands.ts";
import { readTopLevel } from "./read-top-level.ts";
import { uniqueProperties } from "./unique-properties.ts";

export interface DocumentText {
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
export function fileOf({ file, scope }: Source): string {
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
