// Rules may come from a checkout that nobody has trusted yet: reading and comparing them is bounded, and what is over a limit never loosens anything.
import type { Diagnostic } from "../../diagnostic.ts";
import { counted } from "../../diagnostic.ts";
import { meantRule, parseRule } from "../grammar/index.ts";
import type { PlacedSource, PlacedText, RuleList, RuleScope } from "../types.ts";
import { coveredKind } from "./covered-tools.ts";

/** Rules of one list and scope that are compared one by one. */
export const MAX_RULES = 2000;
/** Longer than any path can be; comparing takes time in proportion to it. */
const MAX_PATH_RULE = 4096;
/** Folders of one source beside the project. */
export const MAX_DIRECTORIES = 500;
/** When more tools than this are over the limit, every tool is. */
const MAX_TOOLS = 100;
/** Findings about rules of one scope that are written out. */
const MAX_FINDINGS = 20;

export interface SourceRule extends PlacedText {
  readonly source: PlacedSource;
}

/** The rules of one list that count, and what stands in for those over the limit. */
export function limitRules(sources: readonly PlacedSource[], list: RuleList, diagnostics: Diagnostic[]): readonly SourceRule[] {
  const counting: SourceRule[] = [];
  const over = new Map<RuleScope, SourceRule[]>();
  const counts = new Map<RuleScope, number>();
  for (const source of sources) {
    for (const { text, place } of source.permissions[list]) {
      const count = counts.get(source.scope) ?? 0;
      const rule: SourceRule = { text, place, source };
      if (count < MAX_RULES && !isTooLong(text)) {
        counts.set(source.scope, count + 1);
        counting.push(rule);
      } else addTo(over, source.scope, rule);
    }
  }
  for (const rules of over.values()) counting.push(...substitutes(rules, list, diagnostics));
  return counting;
}

function addTo(lists: Map<RuleScope, SourceRule[]>, scope: RuleScope, rule: SourceRule): void {
  const list = lists.get(scope);
  if (list) list.push(rule);
  else lists.set(scope, [rule]);
}

function isTooLong(text: string): boolean {
  return text.length > MAX_PATH_RULE && coveredKind(meantRule({ tool: text.slice(0, text.indexOf("(")).trim() }).tool) !== undefined;
}

/** SECURITY: a rule that is not compared must not be a rule that is not there: a guard then holds for every call of its tool. */
function substitutes(over: readonly SourceRule[], list: RuleList, diagnostics: Diagnostic[]): readonly SourceRule[] {
  const [first] = over;
  if (!first) return [];
  const byTool = new Map<string, SourceRule>();
  for (const rule of list === "allow" ? [] : over) {
    const written = parseRule(rule.text);
    const tool = written && meantRule(written).tool;
    // What guards files guards them against shell commands too, and only a path says so.
    if (tool !== undefined && !byTool.has(tool)) byTool.set(tool, { ...rule, text: coveredKind(tool) ? `${tool}(//**)` : tool });
  }
  const all = byTool.size > MAX_TOOLS ? [{ ...first, text: "*" }] : [...byTool.values()];
  diagnostics.push(tooMany(over.length, first, list, all));
  return all;
}

function tooMany(count: number, { source, place }: SourceRule, list: RuleList, substituted: readonly SourceRule[]): Diagnostic {
  const names = substituted.slice(0, 5).map(({ text }) => (text === "*" ? "every tool" : text));
  const more = substituted.length > 5 ? ` and ${substituted.length - 5} more` : "";
  const effect =
    list === "allow"
      ? `${count === 1 ? "is" : "are"} ignored`
      : `${count === 1 ? "counts" : "count"} for every call of ${count === 1 ? "its tool" : "their tools"} instead: ${list === "deny" ? "denied" : "asked about"} is ${names.join(", ")}${more}`;
  const text = `${counted(count, `${list} rule`)} of ${source.scope} scope ${count === 1 ? "is" : "are"} over the limit (${MAX_RULES} rules, ${MAX_PATH_RULE} characters for a path) and ${effect}. Write fewer rules, with "*" for what they have in common.`;
  return {
    code: "HL_PERMISSION_TOO_MANY",
    level: "error",
    text,
    place: place ?? (source.file === undefined ? undefined : { file: source.file }),
  };
}

/** SECURITY: more folders would only allow more, so those over the limit are left out. */
export function limitDirectories(source: PlacedSource, diagnostics: Diagnostic[]): readonly PlacedText[] {
  const { additionalDirectories: all = [] } = source.permissions;
  const place = all[MAX_DIRECTORIES]?.place;
  if (all.length <= MAX_DIRECTORIES) return all;
  const text = `${all.length - MAX_DIRECTORIES} of the additionalDirectories of ${source.scope} scope are ignored: at most ${MAX_DIRECTORIES} count. Name a folder above them.`;
  diagnostics.push({ code: "HL_PERMISSION_TOO_MANY", level: "error", text, place });
  return all.slice(0, MAX_DIRECTORIES);
}

/** Findings about the rules of one scope: the first ones in full, then a count. */
export class RuleFindings {
  readonly #counts = new Map<RuleScope, number>();
  readonly #diagnostics: Diagnostic[];

  constructor(diagnostics: Diagnostic[]) {
    this.#diagnostics = diagnostics;
  }

  /** Whether findings of the scope are only counted from now on: looking for a better name would take time that nobody profits from. */
  isFull(scope: RuleScope): boolean {
    return (this.#counts.get(scope) ?? 0) >= MAX_FINDINGS;
  }

  add(scope: RuleScope, found: readonly Diagnostic[]): void {
    if (!this.isFull(scope)) this.#diagnostics.push(...found);
    this.#counts.set(scope, (this.#counts.get(scope) ?? 0) + found.length);
  }

  /** Says how many were only counted. */
  close(): void {
    for (const [scope, count] of this.#counts) {
      if (count <= MAX_FINDINGS) continue;
      const text = `${count - MAX_FINDINGS} more rules of ${scope} scope have such problems. Fix those above first.`;
      this.#diagnostics.push({ code: "HL_PERMISSION_BAD_RULE", level: "warning", text });
    }
  }
}
