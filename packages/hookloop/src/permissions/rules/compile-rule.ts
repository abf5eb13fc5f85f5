import { plainName, type ToolRule } from "../../catalogue/index.ts";
import { remembered, touchedPaths, touchesUncomputed } from "../../shell/index.ts";
import { spendWork } from "../call-facts.ts";
import { isPatch, patchesIn } from "../paths/changed-files.ts";
import { comparableName } from "../paths/real-target.ts";
import { touchedFiles } from "../paths/touched-files.ts";
import type { CallFacts, PermissionRule, RuleReference, RuleSet } from "../types.ts";
import { compileCommandCover, compileCommandSpec, startWord } from "./command-spec.ts";
import { compileCoveredTools, coveredKind, fileOf, ruleKey, toolKind } from "./matching-rules.ts";
import {
  type BelowTest,
  type BeyondTest,
  compileBelowSpec,
  compileBeyondSpec,
  compileFolderSpec,
  compilePathSpec,
  type FolderTest,
  type PathAnchors,
  type PathManner,
  type PathTest,
  requiredName,
} from "./path-spec.ts";
import { compileWildcard, parseRule, type Rule, toolRow } from "./rule-grammar.ts";

interface RuleParts {
  readonly reference: RuleReference;
  readonly rule: Rule;
  readonly root: string | undefined;
  readonly home?: string | undefined;
}

export function compileRule({ reference, rule, root, home }: RuleParts): PermissionRule {
  const { tool, spec } = rule;
  const isAllow = reference.list === "allow";
  const isOfProject = reference.scope === "project" || reference.scope === "local";
  const anchors = { root, home, ...(isOfProject && { project: root }) };
  const isTool = compileCoveredTools(tool, !isAllow);
  const kind = coveredKind(tool);
  if (kind && spec !== undefined) {
    const fits = bounded(compilePathSpec(spec, anchors, isAllow ? "every" : "anyDepth"), spec, !isAllow);
    if (isAllow) return { ...reference, matches: allowsPath(isTool, fits) };
    const tests = {
      fits,
      holds: boundedFolder(compileFolderSpec(spec, anchors), spec),
      isBeyond: compileBeyondSpec(spec, anchors),
      reaches: compileBelowSpec(spec, anchors),
    };
    const matches = guardsPath(isTool, tests, kind === "file.write");
    return { ...reference, matches, key: nameKey(spec), mayMatch: mayTouch(kind === "file.write") };
  }
  const fits = compileCall(rule, anchors, isAllow ? "allow" : "guard") ?? (() => false);
  const matches = (facts: CallFacts): boolean => isTool(facts.tool) && fits(facts);
  const isCommand = spec !== undefined && toolRow(tool)?.rule?.kind === "command";
  if (isAllow && isCommand) return { ...reference, matches, covers: compileCommandCover(spec), key: ruleKey.tool(tool) };
  return { ...reference, matches, key: (isAllow || !isCommand || parameterOf(rule) ? undefined : wordKey(spec)) ?? toolKey(tool) };
}

function nameKey(spec: string): string | undefined {
  const name = requiredName(spec);
  return name === undefined || comparableName(name).includes("/") ? undefined : ruleKey.name(name);
}

function wordKey(spec: string): string | undefined {
  const word = startWord(spec);
  return word === undefined ? undefined : ruleKey.word(word);
}

/** A rule for several tools has none. */
function toolKey(tool: string): string | undefined {
  return tool.includes("*") || tool.startsWith("mcp__") || coveredKind(tool) ? undefined : ruleKey.tool(tool);
}

/** A comparison takes time in proportion to the path and the pattern. */
function bounded(fits: PathTest, { length }: string, isGuard: boolean): FileTest {
  return (file, facts) => {
    if (!spendWork(facts, 1 + ((file.length * length) >> 12))) return isGuard;
    return fits(file, facts);
  };
}

function boundedFolder(holds: FolderTest, { length }: string): GuardTests["holds"] {
  return (folder, use, facts) => !spendWork(facts, 1 + ((folder.length * length) >> 12)) || holds(folder, use, facts);
}

type Matches = (facts: CallFacts) => boolean;
type FileTest = (file: string, facts: CallFacts) => boolean;

function allowsPath(isTool: (tool: string) => boolean, fits: FileTest): Matches {
  return (facts) => {
    const file = fileOf(facts);
    return isTool(facts.tool) && file !== undefined && fits(file, facts);
  };
}

/** SECURITY: a name that a command prints may be any, and so may one in a patch that cannot be read. */
function mayTouch(isWrite: boolean): Matches {
  return (facts) => {
    const { tool, input, read } = facts;
    const line = input["command"];
    if (toolKind(tool) !== "shell" || typeof line !== "string") return false;
    return touchesUncomputed(read(line), isWrite) || (isWrite && appliesUnread(facts));
  };
}

const appliesUnread = remembered(({ input, read, cwd, home }: CallFacts): boolean => {
  const reading = read(String(input["command"]));
  return reading.commands.some(isPatch) && patchesIn(reading, touchedPaths(reading, { cwd, home })).some(({ isUnread }) => isUnread);
}, new WeakMap());

/** SECURITY: where more folders are possible than are followed, a name may mean any file. */
function runsAnywhere({ input, read }: CallFacts): boolean {
  const line = input["command"];
  return typeof line === "string" && read(line).doubts.some(({ code }) => code === "too-many");
}

interface GuardTests {
  readonly fits: FileTest;
  readonly holds: (folder: string, use: "taken" | "whole", facts: CallFacts) => boolean;
  readonly isBeyond: BeyondTest;
  readonly reaches: BelowTest;
}

/** As recorded, a rule that guards a file also guards it against shell commands that name it. */
function guardsPath(isTool: (tool: string) => boolean, { fits, holds, isBeyond, reaches }: GuardTests, isWrite: boolean): Matches {
  return (facts) => {
    if (toolKind(facts.tool) === "shell") {
      if (runsAnywhere(facts)) return true;
      const touched = touchedFiles(facts);
      // SECURITY: what was not looked at may be what the rule is about.
      if (facts.work.left < 0) return true;
      return touched.some(
        ({ isWrite: writes, files, use, beyond, below }) =>
          writes === isWrite &&
          (files.some((file) => fits(file, facts) || (use !== undefined && holds(file, use, facts))) ||
            (below !== undefined && files.some((folder) => reaches({ folder, ...below }, facts))) ||
            // SECURITY: a folder that only the running shell knows may be one that the rule names.
            (beyond !== undefined && isBeyond({ names: beyond, use, isWrite }, facts))),
      );
    }
    if (!isTool(facts.tool)) return false;
    const file = fileOf(facts);
    // SECURITY: a call that does not say which file may mean this one.
    return file === undefined || fits(file, facts);
  };
}

/** `WebFetch(domain:example.com)`: the host of an address, exactly, or with `*` for a part. Nothing if it is no such spec. */
function compileDomainSpec(spec: string, how: "surely" | "maybe"): ((url: string) => boolean) | undefined {
  const domain = /^domain:(\S+)$/.exec(spec)?.[1];
  if (domain === undefined) return undefined;
  const fits = compileWildcard(domain.toLowerCase());
  return (url) => {
    const host = URL.canParse(url) ? new URL(url).hostname : undefined;
    // SECURITY: an address that cannot be read may lead there: a guard runs, an allow rule is silent.
    return host === undefined ? how === "maybe" : fits(host.toLowerCase().replace(/\.$/, ""));
  };
}

/** Whether the arguments of a call fit; the tool does already. */
type CallTest = (facts: CallFacts) => boolean;

/** Who asks: a hook's `if`, a rule that forbids or asks, or a rule that allows. */
type RuleUse = "condition" | "guard" | "allow";

const MANNERS: Readonly<Record<RuleUse, PathManner>> = { condition: "some", guard: "anyDepth", allow: "every" };

/** The test of what stands in the brackets; nothing if the tool has nothing it could be compared with. */
export function compileCall({ tool, spec }: Rule, anchors: PathAnchors, use: RuleUse): CallTest | undefined {
  if (spec === undefined) return () => true;
  const parameter = parameterOf({ tool, spec });
  if (parameter) return use === "allow" ? undefined : compileParameter(parameter);
  const rule = toolRow(tool)?.rule;
  return rule && compileSpec(rule, spec, { anchors, use });
}

interface Parameter {
  readonly field: string;
  readonly value: string;
}

/** `Tool(field:value)`, if the field is one of the tool's, but not the one its rules are about. */
export function parameterOf({ tool, spec = "" }: Rule): Parameter | undefined {
  const [, field, value] = /^(\w+):(.+)$/s.exec(spec) ?? [];
  if (field === undefined || value === undefined) return undefined;
  const row = toolRow(tool);
  const isOwn = row ? Object.hasOwn(row.input, field) : !tool.includes("(");
  return isOwn && field !== row?.rule?.field ? { field, value } : undefined;
}

/** Longer ones are no other spelling of a parameter's name. */
const MAX_FIELD = 200;

function compileParameter({ field, value }: Parameter): CallTest {
  const fits = compileWildcard(value);
  const plain = plainName(field);
  const isField = (name: string): boolean => name === field || (name.length <= MAX_FIELD && plainName(name) === plain);
  // SECURITY: however the field is spelt, as tools are: `To:prod` is about `to`.
  return (facts) =>
    Object.keys(facts.input).some((name) => {
      const given = isField(name) ? facts.input[name] : undefined;
      if (!["string", "number", "boolean"].includes(typeof given)) return false;
      const text = String(given);
      return !spendWork(facts, 1 + (text.length >> 10)) || fits(text);
    });
}

interface SpecOptions {
  readonly anchors: PathAnchors;
  readonly use: RuleUse;
}
type SpecTest = (value: string, facts: CallFacts) => boolean;

function compileSpec({ kind, field }: ToolRule, spec: string, options: SpecOptions): CallTest | undefined {
  const fits = COMPILERS[kind](spec, options);
  if (!fits) return undefined;
  return (facts) => {
    const value = facts.input[field];
    if (typeof value === "string") return spendWork(facts, 1 + (value.length >> 10)) ? fits(value, facts) : options.use !== "allow";
    // SECURITY: a call that does not say what the rule is about may be about it: a guard runs, an allow rule is silent.
    return options.use !== "allow";
  };
}

const COMPILERS: Readonly<Record<ToolRule["kind"], (spec: string, options: SpecOptions) => SpecTest | undefined>> = {
  command: (spec, { use }) => {
    if (use === "allow") return (command) => command.trim() === spec;
    const fits = compileCommandSpec(spec, { countsSubstitution: use === "condition" });
    return (command, { read }) => fits(command, read);
  },
  path: (spec, { anchors, use }) => compilePathSpec(spec, anchors, MANNERS[use]),
  domain: (spec, { use }) => compileDomainSpec(spec, use === "allow" ? "surely" : "maybe"),
  name: (spec) => compileWildcard(spec),
};

/** Whether no call of the tool can ever happen: then the model need not be offered it. Asked of every tool before each model call. */
export function isToolDenied(tool: string, { deny }: RuleSet): boolean {
  return wholeTools(deny).some((covers) => covers(tool));
}

const wholeTools = remembered((deny: readonly PermissionRule[]) => {
  const names = deny.map(({ text }) => parseRule(text)).flatMap((rule) => (rule && rule.spec === undefined ? rule.tool : []));
  return [...new Set(names)].map((name) => compileCoveredTools(name, true));
}, new WeakMap());
