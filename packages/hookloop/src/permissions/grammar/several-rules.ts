import type { ToolRule } from "../../catalogue/index.ts";
import { parseRule } from "./parse-rule.ts";
import { looksLikeRegex } from "./regex-slip.ts";
import { isKnownTool, toolRow } from "./tool-name.ts";

const SEPARATOR = /^\s*(?:,|;|\|\|?|&&?|\bor\b|\band\b)?\s*$/i;
/** What ends one command and begins another: no single command has it. A comma only where a word follows that could be a program. */
const ENDS: Readonly<Partial<Record<ToolRule["kind"], RegExp>>> = {
  command: /\s*(?:\|\|?|&&|;)\s*(?=[\w./~-])|\s*,\s+(?=[\w./~-]+(?:\s|$))/g,
  path: /(?<=\*)\s*(?:\||,)\s*(?=[\w./~*-])/g,
};

/**
 * The rules that a text means which must be one: `Bash(rm *),Bash(touch *)`, `Bash(rm *|touch *)`. Nothing if it is one.
 * Read as one rule, such a text is about a command that nobody ever runs.
 */
export function severalRules(text: string): readonly string[] | undefined {
  const joined = joinedRules(text.trim());
  if (joined) return joined;
  const rule = parseRule(text);
  const kind = rule && toolRow(rule.tool)?.rule?.kind;
  const end = kind && ENDS[kind];
  if (!rule?.spec || !end || (kind === "path" && rule.spec.includes("{"))) return undefined;
  const { spec } = rule;
  // In quotes, and after a backslash, it is the text of an argument.
  const open = spec.replace(/"(?:[^"\\]|\\.)*"|'[^']*'|\\./gs, (hidden) => "_".repeat(hidden.length));
  const specs: string[] = [];
  let from = 0;
  for (const found of open.matchAll(end)) {
    specs.push(spec.slice(from, found.index).trim());
    from = found.index + found[0].length;
  }
  // A line without `*` is compared as a whole as well. A regular expression (`rm|mv`) is told as that.
  if (specs.length === 0 || !spec.includes("*") || looksLikeRegex(kind, spec)) return undefined;
  return [...specs, spec.slice(from).trim()].map((one) => `${rule.tool}(${one})`);
}

function joinedRules(text: string): readonly string[] | undefined {
  const starts = [...text.matchAll(/(?<![\w*-])([A-Za-z][\w-]*)\(/g)]
    .filter(([, tool = ""]) => isKnownTool(tool))
    .map(({ index }) => index);
  if (starts.length < 2 || starts[0] !== 0) return undefined;
  const rules = starts.map((start, position) => text.slice(start, starts[position + 1]));
  const isEnded = rules.every((one) => one.includes(")") && SEPARATOR.test(one.slice(one.lastIndexOf(")") + 1)));
  return isEnded ? rules.map((one) => one.slice(0, one.lastIndexOf(")") + 1)) : undefined;
}
