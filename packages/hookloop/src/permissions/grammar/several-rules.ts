import type { ToolRule } from "../../catalogue/index.ts";
import { parseRule } from "./parse-rule.ts";
import { looksLikeRegex } from "./spec-slip.ts";
import { isKnownTool, meantRule, toolRow } from "./tool-name.ts";

/** What people put between rules. */
const JOINTS = /\s*(?:[,;]|\|\|?|&&?)\s*|\s+(?:(?:or|and)\s+)?/i;
/** What ends one command and begins another: no single command has it. A comma only where a word follows that could be a program. */
const ENDS: Readonly<Partial<Record<ToolRule["kind"], RegExp>>> = {
  command: /\s*(?:\|\|?|&&|;)\s*(?=[\w./~-])|\s*,\s+(?=[\w./~-]+(?:\s|$))/g,
  path: /(?<=\*)\s*(?:\||,)\s*(?=[\w./~*-])/g,
};

/**
 * The rules that a text means which must be one: `Bash(rm *),Bash(touch *)`, `Bash(rm *|touch *)`. Nothing if it is one.
 * Read as one rule, such a text is about a command that is never run.
 */
export function severalRules(text: string): readonly string[] | undefined {
  const joined = joinedRules(text);
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
  const all = [...specs, spec.slice(from).trim()];
  // `*| sh` is about what a line ends with: "*" alone would be every command.
  return all.includes("*") ? undefined : all.map((one) => `${rule.tool}(${one})`);
}

/** The rules of a text that joins whole ones: `Bash(rm *),Bash(touch *)`, `Read Edit`, `Bash(rm *), Read`. Nothing if it does not. */
export function joinedRules(text: string): readonly string[] | undefined {
  const trimmed = text.trim();
  // There may be thousands of rules, and hardly one is joined.
  if (!/\)[^)]|^[^(]*[\s,;|&]/.test(trimmed)) return undefined;
  const starts = [...trimmed.matchAll(/(?<![\w*-])([A-Za-z][\w-]*)\(/g)].filter(([, tool = ""]) => isTool(tool)).map(({ index }) => index);
  const pieces = starts.map((start, position) => piecesOf(trimmed.slice(start, starts[position + 1])));
  const rules = [bareNames(trimmed.slice(0, starts[0])), ...pieces].flatMap((piece) => piece ?? [""]);
  return rules.length > 1 && !rules.includes("") ? rules : undefined;
}

/** A rule with its parentheses, and bare names that follow it. */
function piecesOf(text: string): readonly string[] | undefined {
  const end = text.lastIndexOf(")") + 1;
  const rule = text.slice(0, end);
  const names = bareNames(text.slice(end));
  return names && rule.split("(").length === rule.split(")").length ? [rule, ...names] : undefined;
}

/** Names of tools and what separates them; nothing if anything else stands there. */
function bareNames(text: string): readonly string[] | undefined {
  const names = text.split(JOINTS).filter(Boolean);
  return names.every(isTool) ? names : undefined;
}

/** However it is spelt. */
function isTool(name: string): boolean {
  return isKnownTool(meantRule({ tool: name, spec: "x" }).tool);
}
