import { compileCall, compileCommandCover, compilePathSpec, type PathTest, type Rule, toolRow } from "../grammar/index.ts";
import { touchedFiles } from "../paths/touched-files.ts";
import type { CallFacts, PermissionRule, RuleReference } from "../types.ts";
import { compileCoveredTools, coveredKind, pathField, toolKind } from "./covered-tools.ts";

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
  const isTool = compileCoveredTools(tool);
  const isAllow = reference.list === "allow";
  const kind = coveredKind(tool);
  if (kind && spec !== undefined) {
    const fits = compilePathSpec(spec, { root, home }, isAllow ? "every" : "anyDepth");
    return { ...reference, matches: isAllow ? allowsPath(isTool, fits) : guardsPath(isTool, fits, kind === "file.write") };
  }
  const fits = compileCall(rule, { root, home }, isAllow ? "allow" : "guard") ?? (() => false);
  const matches = (facts: CallFacts): boolean => isTool(facts.tool) && fits(facts);
  if (!isAllow || spec === undefined || toolRow(tool)?.rule?.kind !== "command") return { ...reference, matches };
  return { ...reference, matches, covers: compileCommandCover(spec) };
}

type Matches = (facts: CallFacts) => boolean;

function allowsPath(isTool: (tool: string) => boolean, fits: PathTest): Matches {
  return (facts) => {
    const file = fileOf(facts);
    return isTool(facts.tool) && file !== undefined && fits(file, facts);
  };
}

/** As recorded, a rule that guards a file also guards it against shell commands that name it. */
function guardsPath(isTool: (tool: string) => boolean, fits: PathTest, isWrite: boolean): Matches {
  return (facts) => {
    if (toolKind(facts.tool) === "shell") {
      return touchedFiles(facts).some((touched) => touched.isWrite === isWrite && touched.files.some((file) => fits(file, facts)));
    }
    if (!isTool(facts.tool)) return false;
    const file = fileOf(facts);
    // SECURITY: a call that does not say which file may mean this one.
    return file === undefined || fits(file, facts);
  };
}

/** The file or folder a call names. A search without one is about the working directory. */
function fileOf({ tool, input, cwd }: CallFacts): string | undefined {
  const field = pathField(tool);
  const file = input[field];
  if (typeof file === "string") return file;
  const isSearch = field === "path" && toolKind(tool) === "file.read";
  return isSearch && file === undefined ? cwd : undefined;
}
