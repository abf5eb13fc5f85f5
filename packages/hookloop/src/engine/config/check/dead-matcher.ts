/**
 * Takes a matcher and the names that its event is known to have; gives why it, or one of its alternatives, matches none of them.
 * `warning`: surely a slip, for a known name is near. `notice`: the agent may have tools of its own by these names.
 */
import { alternativesOf, fitsServers } from "@hookloop/sdk/host";
import { calledElsewhere, FORMER_TOOL_NAMES, type Matcher, MORE_TOOL_NAMES } from "../../../catalogue/index.ts";
import { nearestName } from "../../../diagnostic.ts";
import { backtrackingCost } from "../backtracking-cost.ts";
import { ALL_TOOL_NAMES } from "../dialect-shapes.ts";
import { matcherForm } from "../matcher-form.ts";
import { type Finding, type Reading, shown } from "../reading.ts";

export interface Known {
  readonly reading: Reading;
  readonly column: Matcher;
  /** Names of this event's field, in this dialect. */
  readonly known: readonly string[];
}

type Dead = Pick<Finding, "text" | "level">;

/** Longer than any name: nothing is near it, and comparing would take time. */
const MAX_NAME = 64;
const MAX_STEPS = 5_000;
const SERVER_TOOL = "mcp__server__tool";

export function findDead(matcher: string, known: Known): Dead | undefined {
  const form = matcherForm(matcher, known.column);
  return form.form === "names" ? deadName(form.names, known) : deadPattern(matcher, known);
}

function deadName(names: readonly string[], { reading, column, known }: Known): Dead | undefined {
  const isTool = (name: string): boolean =>
    Object.hasOwn(FORMER_TOOL_NAMES, name) || MORE_TOOL_NAMES.includes(name) || /^mcp__.+?__./.test(name);
  const dead = names.find((name) => !known.includes(name) && !(column.isTool && isTool(name)));
  if (dead === undefined) return undefined;
  const found = `The matcher names ${shown(dead)}, which is not a known ${column.field} in ${reading.shape.title}.`;
  if (column.isTool && dead.startsWith("mcp__")) return { level: "warning", text: `${found} ${serverCure(dead)}` };
  const list = listCure(dead, known);
  if (list !== undefined) return { level: "warning", text: `${found} ${list}` };
  const meant = meantBy(dead, known);
  // A guard also runs for another spelling of the name.
  const reach = column.isTool ? "It matches only if the agent has a tool of its own by this name." : "It matches nothing that is known.";
  if (meant !== undefined) return { level: "warning", text: `${found} ${reach} Did you mean "${meant}"?` };
  return { level: "notice", text: `${found} It matches only if the agent has one of its own by this name.` };
}

function deadPattern(matcher: string, { column, known }: Known): Dead | undefined {
  const names = column.isTool ? [...known, ...MORE_TOOL_NAMES, ...Object.keys(FORMER_TOOL_NAMES), SERVER_TOOL] : known;
  if (!names.every((name) => isCheap(matcher, name.length))) return undefined;
  const isAlive = (pattern: RegExp): boolean =>
    known.some((name) => pattern.test(name)) || (column.isTool === true && (isOtherTool(pattern) || fitsServers(pattern)));
  // `Shell\b` fits KillShell, and means Bash.
  const isOtherTool = (pattern: RegExp): boolean =>
    cousinOf(wordIn(pattern.source) ?? "", known) === undefined && names.some((name) => pattern.test(name));
  const dead = alternativesOf(new RegExp(matcher)).filter((pattern) => !isAlive(pattern));
  const findings = dead.map(({ source }): Dead => {
    const isPart = dead.length > 1 || source !== new RegExp(matcher).source;
    const found = `The matcher ${shown(matcher)} ${isPart ? `has ${shown(source)}, which matches` : "matches"} no known ${column.field}.`;
    const cure = column.isTool ? (ruleCure(source, known) ?? slipCure(source, known)) : slipCure(source, known);
    if (cure !== undefined) return { level: "warning", text: `${found} ${cure}` };
    return { level: "notice", text: `${found} Known are ${known.slice(0, 6).join(", ")} …` };
  });
  return findings.find(({ level }) => level === "warning") ?? findings[0];
}

/** `Bash(git *)`, `Bash\(git.*\)`: a rule. */
function ruleCure(source: string, known: readonly string[]): string | undefined {
  const [, tool] = /^\^?(\w+)\\?\(.*\)\$?$/s.exec(source) ?? [];
  const meant = tool === undefined ? undefined : known.find((name) => name.toLowerCase() === tool.toLowerCase());
  return (
    meant &&
    `A matcher is only the tool's name: as a rule it never matches. Write "matcher": "${meant}" and put the rule into the hook's "if".`
  );
}

/** What was probably meant by a pattern that fits nothing. */
function slipCure(source: string, known: readonly string[]): string | undefined {
  if (new RegExp(source).test("")) return 'It matches only an empty name, and no name is empty. Write "*" if it is for all.';
  const insensitive = new RegExp(source, "i");
  const sameLetters = known.find((name) => insensitive.test(name));
  if (sameLetters !== undefined) return `Matchers are case-sensitive: did you mean "${sameLetters}"?`;
  const word = wordIn(source);
  if (word?.startsWith("mcp__")) return serverCure(word);
  if (/^\^?mcp[_-]/i.test(source)) return `Tools of an MCP server are written "${SERVER_TOOL}" or "mcp__server__.*".`;
  const meant = (word && meantBy(word, known)) ?? known.find((name) => isSetOff(name, source));
  return listCure(source, known) ?? (meant && `Did you mean "${meant}"?`);
}

/** The name that a pattern is, without what only says where it stands: `\bShell\b`, `/Bash/`, `^Wirte.*`. */
function wordIn(source: string): string | undefined {
  const bare = source
    .replaceAll("\\/", "/")
    .replace(/^(["'`/])(.*)\1[a-z]*$/s, "$2")
    .replace(/\(\?<?[=!][^()]*\)/g, "")
    .replace(/^(?:\^|\\b|(?:\.|\\w)[*+])+|(?:\$|\\b|(?:\.|\\w)[*+]|\{1\})+$/g, "");
  return /^[A-Za-z][\w-]*$/.test(bare) ? bare : undefined;
}

/** A name that stands in the text by itself, between blanks and signs that no name has. */
function isSetOff(name: string, text: string): boolean {
  return text.split(/[\s;:&+/"'`()[\]|,=]+/).includes(name);
}

/** A list as people write it: `Edit or Bash`, `Bash;Edit`. */
function listCure(text: string, known: readonly string[]): string | undefined {
  const parts = text.replaceAll("\\/", "/").split(/[\s;&/+]+/);
  const names = parts.filter((part) => part && !/^(or|and)$/i.test(part));
  if (names.length < 2 || !names.every((name) => known.includes(name))) return undefined;
  return `Names are separated by "|": write "${names.join("|")}".`;
}

function serverCure(name: string): string {
  return `A server alone matches nothing; write "${name.replace(/_+$/, "")}__.*" for all its tools.`;
}

function meantBy(name: string, known: readonly string[]): string | undefined {
  return name.length > MAX_NAME ? undefined : (cousinOf(name, known) ?? nearestName(name, known));
}

/** The same tool in this dialect's spelling: `read_file` for `Read`, `Bash` for `bash` and `Shell`. */
function cousinOf(name: string, known: readonly string[]): string | undefined {
  const plain = (tool: string): string => tool.toLowerCase().replace(/_file$/, "");
  const meant = calledElsewhere(name) ?? (ALL_TOOL_NAMES.includes(name) ? name : undefined);
  const wanted = meant && plain(meant);
  return wanted === undefined ? undefined : known.find((tool) => plain(tool) === wanted);
}

/**
 * Patterns that cannot take long on a name of this length.
 * SECURITY: this runs on files nobody has trusted yet; everything else is only ever matched by the select stage, under its limit.
 */
export function isCheap(pattern: string, length: number = MAX_NAME): boolean {
  if (pattern.length > 200) return false;
  if (!/[()\\{]/.test(pattern) && (pattern.match(/[*+?]/g)?.length ?? 0) <= 3) return true;
  return backtrackingCost(pattern, length) <= MAX_STEPS;
}
