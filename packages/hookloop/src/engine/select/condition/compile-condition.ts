import type { Diagnostic } from "../../../diagnostic.ts";
import {
  callFacts,
  compileCall,
  compileToolName,
  isKnownTool,
  type PathAnchors,
  parseRule,
  rememberedTarget,
  severalRules,
  toolHint,
} from "../../../permissions/index.ts";
import type { ShellReading } from "../../../shell/index.ts";
import type { CompiledCondition, EventInput } from "../types.ts";

/** A hook's `if`, ready to be asked. A rule that means nothing never matches, and says so. */
export function compileCondition(rule: string, anchors: PathAnchors = { root: process.cwd() }): CompiledCondition {
  const parsed = parseRule(rule);
  // Unlike deny rules, a condition names one tool: wildcards are for MCP tools only.
  if (!parsed || (parsed.tool.includes("*") && !parsed.tool.startsWith("mcp__")))
    return never(`The condition "${rule}" is not a permission rule. Write one tool, or a tool and what it is about: "Bash(git push *)".`);
  const several = severalRules(rule);
  if (several) return never(`The condition "${rule}" holds several rules, and takes one. ${severalCure(several)}`);
  const isTool = compileToolName(parsed.tool);
  const fits = compileCall(parsed, anchors, "condition");
  if (!fits)
    return never(
      `The condition "${rule}" can never match: ${parsed.tool} has nothing that "${parsed.spec}" could be compared with.${toolHint(parsed.tool)}`,
    );
  const matches = (input: EventInput, read?: (command: string) => ShellReading): boolean => {
    const tool = input["tool_name"];
    // SECURITY: a call whose tool nobody knows may be one that the hook guards against.
    if (typeof tool !== "string") return true;
    if (!isTool(tool)) return false;
    const cwd = typeof input["cwd"] === "string" ? input["cwd"] : anchors.root;
    const target = read && targetFor(read, cwd);
    return fits(callFacts({ tool, input: input["tool_input"], cwd, root: anchors.root, home: anchors.home, read, target }));
  };
  return { matches, diagnostics: unknownTool(rule, parsed.tool) };
}

function severalCure(rules: readonly string[]): string {
  return `Write a hook for each, with "if": ${rules
    .slice(0, 5)
    .map((one) => JSON.stringify(one))
    .join(", ")}.`;
}

type Read = (command: string) => ShellReading;
const targets = new WeakMap<Read, { readonly cwd: string; readonly target: CallTarget }>();
type CallTarget = ReturnType<typeof rememberedTarget>;

/** All conditions of a firing share `read`, and look at the same paths. */
function targetFor(read: Read, cwd: string): CallTarget {
  const known = targets.get(read);
  if (known?.cwd === cwd) return known.target;
  const target = rememberedTarget(cwd);
  targets.set(read, { cwd, target });
  return target;
}

function never(text: string): CompiledCondition {
  return { matches: () => false, diagnostics: [{ code: "HL_SELECT_CONDITION_INVALID", level: "error", text }] };
}

/** Only a warning: the agent may have tools of its own. */
function unknownTool(rule: string, tool: string): readonly Diagnostic[] {
  if (isKnownTool(tool)) return [];
  const text = `The condition "${rule}" names a tool that is not known, "${tool}"; names are compared exactly.${toolHint(tool)}`;
  return [{ code: "HL_SELECT_CONDITION_INVALID", level: "warning", text }];
}
