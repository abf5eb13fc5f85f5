import { spendWork } from "../call-facts.ts";
import {
  type BeyondTest,
  compileBeyondSpec,
  compileCall,
  compileCommandCover,
  compileFolderSpec,
  compilePathSpec,
  type FolderTest,
  type PathTest,
  parameterOf,
  type Rule,
  requiredName,
  startWord,
  toolRow,
} from "../grammar/index.ts";
import { comparableName } from "../paths/case-folding.ts";
import { touchedFiles } from "../paths/touched-files.ts";
import type { CallFacts, PermissionRule, RuleReference } from "../types.ts";
import { compileCoveredTools, coveredKind, fileOf, toolKind } from "./covered-tools.ts";
import { ruleKey } from "./matching-rules.ts";

interface RuleParts {
  readonly reference: RuleReference;
  readonly rule: Rule;
  /** Folder of the rule's settings. */
  readonly root: string;
  readonly home?: string | undefined;
}

/** Makes a checked rule ready to be asked. */
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
    const tests = { fits, holds: boundedFolder(compileFolderSpec(spec, anchors), spec), isBeyond: compileBeyondSpec(spec, anchors) };
    return { ...reference, matches: guardsPath(isTool, tests, kind === "file.write"), key: nameKey(spec) };
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

/** SECURITY: where more folders are possible than are followed, a name may mean any file. */
function runsAnywhere({ input, read }: CallFacts): boolean {
  const line = input["command"];
  return typeof line === "string" && read(line).doubts.some(({ code }) => code === "too-many");
}

interface GuardTests {
  readonly fits: FileTest;
  readonly holds: (folder: string, use: "taken" | "whole", facts: CallFacts) => boolean;
  readonly isBeyond: BeyondTest;
}

/** As recorded, a rule that guards a file also guards it against shell commands that name it. */
function guardsPath(isTool: (tool: string) => boolean, { fits, holds, isBeyond }: GuardTests, isWrite: boolean): Matches {
  return (facts) => {
    if (toolKind(facts.tool) === "shell") {
      if (runsAnywhere(facts)) return true;
      return touchedFiles(facts).some(
        ({ isWrite: writes, files, use, beyond }) =>
          writes === isWrite &&
          (files.some((file) => fits(file, facts) || (use !== undefined && holds(file, use, facts))) ||
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
