import type { Diagnostic } from "../../../diagnostic.ts";
import { type Head, loadYaml, parseHead } from "../tree/index.ts";
import type { ConfigDocument } from "../types.ts";
import { guardsInLostText } from "./broken-guards.ts";
import { type DocumentText, documentOf, fileOf } from "./read-document.ts";

/** More than any frontmatter; the text below it may be as long as it likes. */
const MAX_FRONTMATTER = 64 * 1024;

/** Reads the hooks of a skill's or subagent's frontmatter. In a subagent (`source.agentId`), Stop means SubagentStop. */
export async function readFrontmatter({ source, text, tools }: DocumentText): Promise<ConfigDocument> {
  const found = frontmatterOf(text);
  const file = fileOf(source);
  if (found === undefined) return documentOf({ source, tools, parsed: { diagnostics: [] } });
  if (found === "unclosed") return documentOf({ source, tools, parsed: { diagnostics: [unclosed(file)] } });
  const head = parseHead(await loadYaml(), { text: found, file, linesBefore: 1 });
  const isForbidden = source.plugin !== undefined && source.agentId !== undefined;
  const { properties, diagnostics } = isForbidden ? withoutHooks(head) : { properties: head.properties, diagnostics: head.ofHooks };
  const place = { file, line: 1, column: 1 };
  const document = documentOf({ source, tools, parsed: { root: { type: "object", properties, place, isBroken: false }, diagnostics } });
  const guards = isForbidden ? [] : head.lostHooks.flatMap((one) => guardsInLostText(source, one));
  return { ...document, hooks: [...document.hooks, ...guards] };
}

/** The text between the two `---` lines. */
function frontmatterOf(given: string): string | "unclosed" | undefined {
  const text = given.slice(0, MAX_FRONTMATTER).replace(/^\uFEFF/, "");
  const opening = /^---[ \t]*\r?\n/.exec(text);
  if (!opening) return undefined;
  const body = text.slice(opening[0].length);
  const closing = /^---[ \t]*\r?$/m.exec(body);
  if (closing) return body.slice(0, closing.index);
  // A rule at the top of a page looks the same; only hooks that would be lost are worth a word.
  return /^hooks[ \t]*:/m.test(body) ? "unclosed" : undefined;
}

function unclosed(file: string): Diagnostic {
  const text = `The frontmatter has no closing --- within ${MAX_FRONTMATTER / 1024} KiB; its hooks are not read. Add the line.`;
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
