/** Finds the rules of a list that match a call without trying them all: most can be told apart from it by one word. */

import { MORE_TOOL_NAMES, plainName, TOOL_NAMES, type ToolKind } from "../../catalogue/index.ts";
import { counted, type Diagnostic } from "../../diagnostic.ts";
import { remembered, UNKNOWN } from "../../shell/index.ts";
import { spendWork } from "../call-facts.ts";
import { comparableName, pathViews } from "../paths/real-target.ts";
import { touchedFiles } from "../paths/touched-files.ts";
import type { CallFacts, PermissionRule, PlacedSource, PlacedText, RuleList, RuleScope } from "../types.ts";
import { looseTexts } from "./command-spec.ts";
import { compileToolName, compileWildcard, meantRule, parseRule, presentName, toolRow } from "./rule-grammar.ts";

/** The rules that match, in the order of the list. */
export function matchingRules(list: readonly PermissionRule[], facts: CallFacts): readonly PermissionRule[] {
  return candidates(list, facts).filter((rule) => rule.matches(facts));
}

export function matchesSome(list: readonly PermissionRule[], facts: CallFacts): boolean {
  return candidates(list, facts).some((rule) => rule.matches(facts));
}

interface Index {
  /** Positions of rules that say nothing about the calls they can match. */
  readonly always: readonly number[];
  readonly byKey: ReadonlyMap<string, readonly number[]>;
  readonly hasWords: boolean;
  readonly hasNames: boolean;
}

const WORD = "word:";
const NAME = "name:";

/** Keys of a rule: a rule never matches a call that has none of its keys. */
export const ruleKey = {
  tool: (tool: string): string => `tool:${plainName(presentName(tool))}`,
  word: (word: string): string => WORD + word,
  name: (name: string): string => NAME + comparableName(name),
} as const;

function candidates(list: readonly PermissionRule[], facts: CallFacts): readonly PermissionRule[] {
  const index = indexOf(list);
  const keys = keysOf(facts, index);
  if (!keys) return list;
  const positions = new Set(index.always);
  for (const key of keys) for (const position of index.byKey.get(key) ?? []) positions.add(position);
  return [...positions].sort((a, b) => a - b).flatMap((position) => list[position] ?? []);
}

const indexOf = remembered((list: readonly PermissionRule[]): Index => {
  const always: number[] = [];
  const byKey = new Map<string, number[]>();
  for (const [position, { key }] of list.entries()) {
    if (key === undefined) always.push(position);
    else {
      const positions = byKey.get(key);
      if (positions) positions.push(position);
      else byKey.set(key, [position]);
    }
  }
  const has = (start: string): boolean => [...byKey.keys()].some((key) => key.startsWith(start));
  return { always, byKey, hasWords: has(WORD), hasNames: has(NAME) };
}, new WeakMap());

/** Everything a call can be told apart by. Nothing: what cannot be read may be about any rule. */
function keysOf(facts: CallFacts, { hasWords, hasNames }: Index): ReadonlySet<string> | undefined {
  const keys = new Set([ruleKey.tool(facts.tool)]);
  const isShell = toolKind(facts.tool) === "shell";
  const words = isShell && hasWords ? wordsOf(facts) : [];
  // A folder that is taken away need not have the name that the rule is about, and the name of one that is not known is not there.
  if (isShell && hasNames && touchedFiles(facts).some(({ use, beyond, below }) => use === "taken" || beyond || below)) return undefined;
  const files = hasNames ? (isShell ? touchedFiles(facts).flatMap((touched) => touched.files) : filesOf(facts)) : [];
  // SECURITY: undecided is no reason to leave a rule out.
  if (!words || !files) return undefined;
  for (const word of words) keys.add(ruleKey.word(word));
  for (const file of new Set(files)) {
    if (!spendWork(facts, 1)) return undefined;
    for (const name of namesIn(file, facts)) keys.add(ruleKey.name(name));
  }
  return keys;
}

function wordsOf({ input, read }: CallFacts): readonly string[] | undefined {
  const line = input["command"];
  if (typeof line !== "string") return undefined;
  const { commands, isUncertain } = read(line);
  if (isUncertain) return undefined;
  const words = [line.trim(), ...commands.flatMap((command) => looseTexts(command))].map(firstWord);
  return words.some((word) => word.includes(UNKNOWN)) ? undefined : words;
}

function firstWord(text: string): string {
  return /^\S*/.exec(text)?.[0] ?? "";
}

function filesOf(facts: CallFacts): readonly string[] | undefined {
  const file = fileOf(facts);
  return file === undefined ? undefined : [file];
}

function namesIn(file: string, facts: CallFacts): readonly string[] {
  const { named, real } = pathViews(file, facts.cwd, facts);
  return [named, ...real].flatMap((path) => [path, comparableName(path)]).flatMap((path) => path.split("/"));
}

// Rules may come from a checkout that is not trusted yet: reading and comparing them is bounded, and what is over a limit never loosens anything.

/** Rules of one list and scope that are compared one by one. */
const MAX_RULES = 2000;
/** Longer than any path can be; comparing takes time in proportion to it. */
const MAX_PATH_RULE = 4096;
export const MAX_DIRECTORIES = 500;
/** When more tools than this are over the limit, every tool is. */
const MAX_TOOLS = 100;
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

  /** Whether findings of the scope are only counted from now on: looking for a better name would take time for nothing. */
  isFull(scope: RuleScope): boolean {
    return (this.#counts.get(scope) ?? 0) >= MAX_FINDINGS;
  }

  add(scope: RuleScope, found: readonly Diagnostic[]): void {
    if (!this.isFull(scope)) this.#diagnostics.push(...found);
    this.#counts.set(scope, (this.#counts.get(scope) ?? 0) + found.length);
  }

  close(): void {
    for (const [scope, count] of this.#counts) {
      if (count <= MAX_FINDINGS) continue;
      const text = `${count - MAX_FINDINGS} more rules of ${scope} scope have such problems. Fix those above first.`;
      this.#diagnostics.push({ code: "HL_PERMISSION_BAD_RULE", level: "warning", text });
    }
  }
}

/** Tools whose path rules speak for every tool of their kind. */
const SPOKESMEN: Readonly<Record<string, ToolKind>> = { Read: "file.read", Edit: "file.write" };
/** Tools of older versions that are not in the catalogue. */
const OLD_TOOLS: Readonly<Record<string, ToolKind>> = { NotebookRead: "file.read" };

export function toolKind(tool: string): ToolKind | undefined {
  return toolRow(tool)?.kind ?? (Object.hasOwn(OLD_TOOLS, tool) ? OLD_TOOLS[tool] : undefined);
}

/** The kind of tools that rules of this tool cover; absent: only itself. */
export function coveredKind(tool: string): ToolKind | undefined {
  return Object.hasOwn(SPOKESMEN, tool) ? SPOKESMEN[tool] : undefined;
}

/** Which tools a rule is about: `Edit` all edit tools, `Read` all that read files, `mcp__srv` a server, `*` what fits. `isLoose`: as in `compileToolName`. */
export function compileCoveredTools(wanted: string, isLoose: boolean): (tool: string) => boolean {
  const kind = coveredKind(wanted);
  if (kind) return (tool) => toolKind(tool) === kind;
  if (!wanted.includes("*") || (isLoose && wanted.startsWith("mcp__"))) return compileToolName(wanted, isLoose);
  const fits = compileWildcard(wanted);
  return (tool) => fits(tool) || fits(presentName(tool));
}

/** The input field that names the file a tool works on. */
export function pathField(tool: string): string {
  const rule = toolRow(tool)?.rule;
  if (rule) return rule.kind === "path" ? rule.field : "file_path";
  return tool === "NotebookRead" ? "notebook_path" : "file_path";
}

/** A tool whose rules may have a path, for the cure of one that may not. */
export function spokesmanOf(tool: string): string | undefined {
  const kind = toolKind(tool);
  const name = Object.keys(SPOKESMEN).find((one) => SPOKESMEN[one] === kind);
  return name === presentName(tool) ? undefined : name;
}

export const RULE_TOOL_NAMES: readonly string[] = [...TOOL_NAMES, ...MORE_TOOL_NAMES];

/** The file or folder a call names. A search without one is about the working directory. */
export function fileOf({ tool, input, cwd }: Pick<CallFacts, "tool" | "input" | "cwd">): string | undefined {
  const field = pathField(tool);
  const file = input[field];
  if (typeof file === "string") return file;
  const isSearch = field === "path" && toolKind(tool) === "file.read";
  return isSearch && file === undefined ? cwd : undefined;
}
