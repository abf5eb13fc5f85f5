import { FORMER_TOOL_NAMES, nearestName, TOOL_NAMES, TOOLS, type ToolRule } from "../../../catalogue/index.ts";
import type { Diagnostic } from "../../../diagnostic.ts";
import { readCommand, type ShellReading } from "../../../shell/index.ts";
import type { CompiledCondition, EventInput } from "../types.ts";
import { compileCommandSpec } from "./command-spec.ts";
import { compileDomainSpec } from "./domain-spec.ts";
import { parseRule, type Rule } from "./parse-rule.ts";
import { compilePathSpec, type PathAnchors } from "./path-spec.ts";
import { compileWildcard } from "./wildcard.ts";

type Read = (command: string) => ShellReading;
/** Whether the arguments of a call fit; the tool does already. */
type CallTest = (toolInput: EventInput, cwd: string, read: Read) => boolean;

/** A hook's `if`, ready to be asked. A rule that means nothing never matches, and says so. */
export function compileCondition(rule: string, anchors: PathAnchors = { root: process.cwd() }): CompiledCondition {
  const parsed = parseRule(rule);
  if (!parsed)
    return never(`The condition "${rule}" is not a permission rule. Write one tool, or a tool and what it is about: "Bash(git push *)".`);
  const isTool = compileToolName(parsed.tool);
  const fits = compileCall(parsed, anchors);
  if (!fits)
    return never(
      `The condition "${rule}" can never match: ${parsed.tool} has nothing that "${parsed.spec}" could be compared with.${hint(parsed.tool)}`,
    );
  const matches = (input: EventInput, read: Read = readCommand): boolean => {
    const tool = input["tool_name"];
    if (typeof tool !== "string" || !isTool(tool)) return false;
    return fits(recordOf(input["tool_input"]), typeof input["cwd"] === "string" ? input["cwd"] : anchors.root, read);
  };
  return { matches, diagnostics: unknownTool(rule, parsed.tool) };
}

/** Exactly this tool, by its present or former name; for MCP tools also a whole server or a wildcard. */
function compileToolName(wanted: string): (tool: string) => boolean {
  const present = presentName(wanted);
  if (!wanted.startsWith("mcp__")) return (tool) => presentName(tool) === present;
  const isServer = !wanted.slice("mcp__".length).includes("__") && !wanted.includes("*");
  return compileWildcard(isServer ? `${wanted}__*` : wanted);
}

function presentName(tool: string): string {
  return Object.hasOwn(FORMER_TOOL_NAMES, tool) ? (FORMER_TOOL_NAMES[tool] ?? tool) : tool;
}

function compileCall({ tool, spec }: Rule, anchors: PathAnchors): CallTest | undefined {
  if (spec === undefined) return () => true;
  const name = presentName(tool);
  const row = Object.hasOwn(TOOLS, name) ? TOOLS[name as keyof typeof TOOLS] : undefined;
  const [, field, value] = /^(\w+):(.+)$/s.exec(spec) ?? [];
  const isField = field !== undefined && field !== row?.rule?.field && (row ? Object.hasOwn(row.input, field) : tool.startsWith("mcp__"));
  if (isField && value !== undefined) return compileFieldSpec(field, value);
  return row?.rule && compileSpec(row.rule, spec, anchors);
}

/** `Tool(field:value)`: a plain value of the call. */
function compileFieldSpec(field: string, value: string): CallTest {
  const fits = compileWildcard(value);
  return (toolInput) => ["string", "number", "boolean"].includes(typeof toolInput[field]) && fits(String(toolInput[field]));
}

function compileSpec({ kind, field }: ToolRule, spec: string, anchors: PathAnchors): CallTest | undefined {
  const fits = COMPILERS[kind](spec, anchors);
  // SECURITY: a call that does not say what the rule is about may be about it: the guard runs.
  return fits && ((toolInput, cwd, read) => typeof toolInput[field] !== "string" || fits(toolInput[field], cwd, read));
}

type SpecTest = (value: string, cwd: string, read: Read) => boolean;

const COMPILERS: Readonly<Record<ToolRule["kind"], (spec: string, anchors: PathAnchors) => SpecTest | undefined>> = {
  command: (spec) => {
    const fits = compileCommandSpec(spec);
    return (command, _cwd, read) => fits(command, read);
  },
  path: compilePathSpec,
  domain: compileDomainSpec,
  name: compileWildcard,
};

function recordOf(value: unknown): EventInput {
  return typeof value === "object" && value !== null ? (value as EventInput) : {};
}

function never(text: string): CompiledCondition {
  return { matches: () => false, diagnostics: [{ code: "HL_SELECT_CONDITION_INVALID", level: "error", text }] };
}

/** Only a warning: the agent may have tools of its own. */
function unknownTool(rule: string, tool: string): readonly Diagnostic[] {
  if (tool.startsWith("mcp__") || isKnown(presentName(tool))) return [];
  const text = `The condition "${rule}" names a tool that is not known, "${tool}"; names are compared exactly.${hint(tool)}`;
  return [{ code: "HL_SELECT_CONDITION_INVALID", level: "warning", text }];
}

function isKnown(tool: string): boolean {
  return (TOOL_NAMES as readonly string[]).includes(tool);
}

function hint(tool: string): string {
  const nearest = isKnown(tool) ? undefined : nearestName(tool, TOOL_NAMES);
  return nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
}
