/**
 * Takes the text of a script that a hook runs, and the events it runs for; gives why it cannot see what it is to judge, as the rest of a sentence.
 * Nothing unless it is certain: a script may read other JSON, serve several agents, and get its text from elsewhere.
 */

import { eventFacts } from "../event-facts.ts";
import type { EventName } from "../generated/events.ts";
import { COMMON_FIELDS, EVENT_FIELDS as FIELDS_OF, INPUT_FIELDS } from "../generated/match-values.ts";
import { ANY_SLIP, nearest, spelling } from "../run/matchers.ts";
import { barePath, type ScriptLanguage } from "./path-slips.ts";
import { comparedNames, misnamed, NODE_SLIPS, PYTHON_SLIPS, type Slip, shellSlip, uncalled } from "./script-slips.ts";

export interface ScriptSpot {
  readonly file: string;
  readonly text: string;
  readonly events: readonly EventName[];
  readonly tools?: readonly string[] | undefined;
  /** It is started with words behind its name, which may hold the event. */
  readonly hasArguments?: boolean;
  /** It is no script, but a module whose function the host calls: this one. */
  readonly exported?: string | undefined;
}

/** What stands in the way of a script that is to judge an event; nothing if that is not certain. */
export function scriptSlip(spot: ScriptSpot): string | undefined {
  const { file, text, events, tools, hasArguments = true, exported } = spot;
  const isNode = /\.[cm]?[jt]s$/i.test(file);
  const isGate = events.some((event) => eventFacts(event)?.can.some((can) => /^(?:deny|block|feedback)$/.test(can)));
  const misses = (): string | undefined => (isGate ? misnamed(text, tools) : undefined);
  if (isNode && /@hookloop\/sdk/.test(text) && (exported === undefined || /\bhook\(/.test(text)))
    return otherTools(spot) ?? uncalled(text) ?? misses() ?? barePath(text, "js");
  const fields = eventFields(events, text);
  if (exported !== undefined) {
    const paths = parameterPaths(text, exported);
    return misreadField(paths, fields, true) ?? misreadInput(spot, isGate, paths) ?? misses() ?? barePath(text, "js");
  }
  const place = isGate && !hasArguments ? argumentRead(text) : undefined;
  if (place !== undefined) return `looks for the event in ${place}, which is empty. ${STDIN_CURE}`;
  const { mayRead, reads, slips, name } = isNode ? NODE : /\.py$/i.test(file) || /^#!.*python/.test(text) ? PYTHON : SHELL;
  return (
    (isNode && onlyExports(text) ? `exports a function and does not read the event. ${STDIN_CURE}` : unsetVariable(text)) ??
    misreadField(mayRead(text), fields, false) ??
    misreadField(reads(text), fields, true) ??
    (isGate ? firstFound(slips, spot) : undefined) ??
    misreadInput(spot, isGate, isNode ? reads(text) : mayRead(text)) ??
    barePath(text, name)
  );
}

/** What is looked for in a script, by its language. */
interface Language {
  readonly name: ScriptLanguage;
  /** Wherever it reads something: here only misspellings of our own names are reported. */
  readonly mayRead: (text: string) => readonly FieldPath[];
  /** What it surely reads of the event. */
  readonly reads: (text: string) => readonly FieldPath[];
  /** Why it lets through what it should not. */
  readonly slips: readonly Slip[];
}

function firstFound(slips: readonly Slip[], { text, tools }: ScriptSpot): string | undefined {
  for (const slip of slips) {
    const found = slip(text, tools);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A tool and its fields in the catalogue, and what scripts of a dialect get instead, in the same order. */
interface Spelling {
  readonly tool: string;
  readonly name: string;
  readonly fields: readonly string[];
  readonly sent: readonly string[];
}

/** What a script calls as Claude Code does, and gets under another name. */
export function spellingSlip(text: string, tools: readonly Spelling[], title: string): string | undefined {
  const handed = /@hookloop\/sdk/.test(text) ? pathsIn(text, String.raw`\btool_input(?:\??\.|\s*:\s*\{\s*)(\w+)`).map(insideInput) : [];
  const paths = [...anyJqPaths(text), ...anyPythonPaths(text), ...nodePaths(text), ...handed];
  const read = new Set(paths.flatMap(({ field, inner = "" }) => [field, inner]));
  const isSent = (field: string): boolean => tools.some(({ sent }) => sent.includes(field));
  // `os.path.join` reads no field.
  const isMeant = (name: string): boolean => read.has(name) || new RegExp(`["'\\s]${name}\\b|\\.${name}\\b(?!\\s*[.(])`).test(text);
  for (const { fields, sent } of tools)
    for (const [at, field] of fields.entries()) {
      const meant = sent[at] ?? field;
      if (read.has(field) && !isSent(field) && !isMeant(meant)) return `reads "${field}", which ${title} calls "${meant}".`;
    }
  const compared = comparedNames(text);
  const others = tools.filter(({ tool, name }) => tool !== name);
  const other = others.find(({ tool, name }) => compared.includes(tool) && !new RegExp(`\\b${name}\\b`).test(text));
  if (other) return `compares the tool's name with "${other.tool}", which ${title} calls "${other.name}".`;
  // The SDK takes another spelling for the same of guards only.
  const hooks = declaredHooks(text).filter(({ isGuard }) => !isGuard);
  const unheard = others.find(({ tool, name }) => hooks.some(({ names }) => names.includes(tool) && !names.includes(name)));
  return (
    unheard &&
    `has a hook that is for "${unheard.tool}", which ${title} calls "${unheard.name}": it does not run. Make it a guard, or name both and add ownNames: ["${unheard.name}"].`
  );
}

/** The hooks of a script of the SDK, with the tools that they name. Nothing if one names them in another way: it may be for any. */
function declaredHooks(text: string): readonly { readonly names: readonly string[]; readonly isGuard: boolean }[] {
  const hooks = [...text.matchAll(/\bhook\(\s*["']\w+["']\s*,\s*\{([^{}]*)\}/g)].map(([, options = ""]) => ({
    names: /\btool:\s*(\[[^\]]*\]|["'][\w|, ]+["'])/.exec(options)?.[1]?.match(/\w+/g) ?? [],
    isGuard: /\bguard:\s*true/.test(options),
  }));
  const isSure = text.split(/\bhook\(/).length === hooks.length + 1 && hooks.every(({ names }) => names.length > 0);
  return isSure ? hooks : [];
}

/** The tools of MCP servers that the hooks of a script of the SDK name, as names and as the sources of patterns. */
export function serverToolsNamed(text: string): readonly string[] {
  if (!/@hookloop\/sdk/.test(text)) return [];
  const options = [...text.matchAll(/\bhook\(\s*["']\w+["']\s*,\s*\{([^{}]{0,1000})\}/g)].map(([, found = ""]) => found);
  const filters = options.flatMap((one) => /\btool:\s*(\[[^\]]*\]|"[^"\n]*"|'[^'\n]*'|\/[^/\n]+\/)/.exec(one)?.[1] ?? []);
  return filters.flatMap((filter) =>
    filter.startsWith("/") ? (filter.includes("__") ? [filter.slice(1, -1)] : []) : (filter.match(/\bmcp__[\w.*-]+/g) ?? []),
  );
}

/** A script of the SDK whose hooks are all for other tools than it is called for. */
function otherTools({ text, tools = [] }: ScriptSpot): string | undefined {
  const hooks = declaredHooks(text);
  const isFor = hooks.flatMap(({ names }) => names.map((name) => (name === "Task" ? "Agent" : name)));
  if (tools.length === 0 || hooks.length === 0 || tools.some((tool) => isFor.includes(tool))) return undefined;
  const named = hooks.map(({ names }) => names.join("|"));
  return `is called for ${tools.join(", ")}, but its hooks are for ${named.join(", ")}: it never does anything. Fix the matcher or the hook.`;
}

/** A field of tool_input that none of the tools has: a slip of its name, or all that a gate reads there. */
function misreadInput({ text, tools = [] }: ScriptSpot, isGate: boolean, paths: readonly FieldPath[]): string | undefined {
  const known = [...new Set(tools.flatMap((tool) => words(INPUT_FIELDS[tool])))];
  if (known.length === 0) return undefined;
  const read = paths.flatMap(({ field, inner }) => (field === "tool_input" && inner !== undefined ? [inner] : []));
  const [wrong] = read.filter((name) => !known.includes(name) && !(name in {}) && !JQ_WORDS.includes(name));
  if (wrong === undefined) return undefined;
  const near = TOOL_INPUT_FIELDS.includes(wrong) ? undefined : nearest(wrong, known, ANY_SLIP);
  if (near !== undefined && !read.includes(near)) return `reads "${wrong}" in tool_input, which does not exist. Did you mean "${near}"?`;
  // One that serves several tools also reads what this one has.
  if (!isGate || read.some((name) => known.includes(name)) || /^dangerously/.test(wrong) || /tool_name/.test(text)) return undefined;
  return `reads "${wrong}" in tool_input and nothing else there, and ${tools.join(", ")} ${tools.length === 1 ? "does" : "do"} not have it. Known are ${known.slice(0, 8).join(", ")}.`;
}

const JQ_WORDS: readonly string[] = ["get", "items", "keys", "values"];

function unsetVariable(text: string): string | undefined {
  const [variable] =
    /(?:\$\{?|\b(?:environ(?:\.get\(|\[)|getenv\()\s*["']|\bprocess\.env(?:\.|\[["']))(?:CLAUDE_)?TOOL_(?:INPUT|NAME)\b/.exec(text) ?? [];
  if (variable === undefined || /\b(?:jq|cat|read|stdin|python3?|node|readFileSync)\b/.test(text.replace(/^#!.*/, ""))) return undefined;
  return `looks for the event in ${variable.replace(/^.*["'.{]/, variable.startsWith("$") ? "$" : "")}, which no agent sets. ${STDIN_CURE}`;
}

const STDIN_CURE = "The event is JSON on stdin: jq -r .tool_input.command, json.load(sys.stdin), or hook(…) of @hookloop/sdk.";

/** Whatever may read stdin, itself or in what it starts. */
const MAY_READ =
  /\b(?:jq|cat|read|readarray|mapfile|stdin|python3?|node|ruby|perl|grep|rg|sed|awk|head|tail|tee|xargs|wc|sort|tr|cut|source|eval|exec|input|fileinput|readFileSync|import\s*\(|require)\b|^\s*\. |\bopen\(0|["']\.\.?\/|\(\)\s*\{|\bfunction\s/m;

/** Where a script that blocks looks for its event, if it has arguments only, and none are given. */
function argumentRead(text: string): string | undefined {
  const code = text.replace(/^\s*(?:#|\/\/).*$/gm, "");
  if (!/\bexit[ (]2\b/.test(code) || MAY_READ.test(code)) return undefined;
  return /\$\{?[1@*](?!\w)|sys\.argv|process\.argv/.exec(code)?.[0].replace("{", "");
}

/** What is imported may read it. */
function onlyExports(text: string): boolean {
  return (
    /^[ \t]*(?:export\s|(?:module\.)?exports\b)/m.test(text) &&
    !/stdin|readFileSync\(\s*0|readSync|\bimport\b.{0,300}["']\.|\brequire\(["']\./.test(text)
  );
}

/** A field that is read, and one inside of it. `others`: what is read instead where it is not there. */
interface FieldPath {
  readonly field: string;
  readonly inner?: string | undefined;
  readonly others?: readonly string[];
}

/** `.tool_input.command // .toolInput.command`: where a right name stands, the others are for other agents. */
const ALTERNATIVES = /\.[\w.?]+(?:\s*\/\/\s*\.[\w.?]+)+/g;

function rightOf(alternatives: string): string {
  const right = alternatives.split("//").find((one) => EVENT_FIELDS.includes(/^\.(\w+)/.exec(one.trim())?.[1] ?? ""));
  return right?.trim() ?? alternatives;
}

/** Wherever jq reads something: here only misspellings of our own names are reported. */
function anyJqPaths(text: string): readonly FieldPath[] {
  const programs = plainJq(text)
    .split("\n")
    .filter((line) => /\bjq\b/.test(line) && !/\b(?:curl|wget|gh)\b/.test(line));
  const inputs = surelyAssigned(
    text,
    String.raw`^\s*(?:local\s+)?(\w+)=["']?\$\([^()]*\bjq\b[^|()]*\.tool_input(?:\s*//\s*\{\})?['"]?\s*(?:<<<[^()]*)?\)`,
  );
  return programs.flatMap((line) => {
    const found = line.replace(ALTERNATIVES, rightOf).matchAll(/(?<![\w\])}"?/.])\.([A-Za-z_][\w-]*)(?:\??\.([A-Za-z_]\w*))?/g);
    const isOfInput = inputs.some((name) => new RegExp(String.raw`\$\{?${name}\b`).test(line));
    return [...found].map(([, field = "", inner]) => (isOfInput ? { field: "tool_input", inner: field } : { field, inner }));
  });
}

/** Paths in one spelling: `.["a"]["b"]` and `.a | .b` are `.a.b`. */
function plainJq(text: string): string {
  return text.replace(/\.?\["([A-Za-z_][\w-]*)"\]/g, ".$1").replace(/(\.tool_input)\s*\|\s*(?=\.\w)/g, "$1");
}

/** How each call of jq that surely gets the event begins. */
function jqPaths(text: string): readonly FieldPath[] {
  if (/^\s*exec\s*</m.test(text)) return [];
  const stored = [...text.matchAll(/^\s*(?:local\s+)?(\w+)=["']?\$\((?:cat(?:\s+-)?|<\s*\/dev\/stdin|cat\s+\/dev\/stdin)\)/gm)].map(
    ([, name]) => name,
  );
  const isOf = (variable: string | undefined): boolean => variable !== undefined && stored.includes(variable);
  const calls = [...text.matchAll(/^(?!\s*#)(.*?)(?<![\w./-])jq((?:\s+-{1,2}[a-z-]+)*)\s+(?:'([^'\n]*)'|"([^"\n]*)"|(\.[\w.]*))(.*)$/gm)];
  return calls.flatMap(([, before = "", options = "", single, double, bare, after = ""]) => {
    const [, fed] = /(?:echo|printf)\s[^|]*"?\$\{?(\w+)\}?"?\s*\|\s*$/.exec(before) ?? [];
    const [, given] = /^\s*<<<\s*"?\$\{?(\w+)/.exec(after) ?? [];
    // Alone: nothing is piped into it, and it names no file.
    const isAlone = stored.length === 0 && /(?:^|\$\(|`|;|\b(?:then|do|if)\b)\s*$/.test(before) && /^\s*(?:$|[)|;&`"]|2>|\|\|)/.test(after);
    const isEvent = isAlone || isOf(fed) || isOf(given);
    return isEvent && !/-n|--(?:null|arg|slurp|raw-input)/.test(options) ? leading(single ?? double ?? bare ?? "") : [];
  });
}

const PATH = /^\(?\s*\.([A-Za-z_]\w*)\??(?:\.([A-Za-z_]\w*))?[\s)?]*(?:$|[,.[=!<>])/;
/** Read in the place of nothing. */
const NOTHING = /^(?:empty|null|false|"[^"]*"|\\"\\"|\{\}|\[\])\)?$/;

/** `.a.b`, `.a // .c`: what a jq program reads first of all. */
function leading(program: string): readonly FieldPath[] {
  const [first = ""] = program.split(/\|(?!\|)/);
  const [start = "", ...alternatives] = first.split("//").map((one) => one.trim());
  const [, field, inner] = PATH.exec(start) ?? [];
  if (field === undefined) return [];
  // Anything but a path may well be right.
  const others = alternatives.filter((one) => !NOTHING.test(one)).map((one) => PATH.exec(one)?.[1] ?? "tool_name");
  return [{ field, inner, others }];
}

const PYTHON_READ = String.raw`(?:\.get\(\s*|\[\s*)["'](\w+)["'](?:\s*,[^()]{0,20})?\s*[\])]`;

function anyPythonPaths(text: string): readonly FieldPath[] {
  const given = String.raw`(?:^|;)[ \t]*(\w+)(?:\s*:\s*\w+)?\s*=\s*[\w.]+(?:\([\w.]*\))?(?:\.get\(\s*|\[\s*)["']tool_input["'](?:\s*,\s*\{\})?\s*[\])](?:\s*or\s*\{\})?[ \t]*(?:;|$)`;
  const inputs = surelyAssigned(text, given).flatMap((name) => pathsIn(text, `${asWord(name)}${PYTHON_READ}`));
  return [...pathsIn(text, `${PYTHON_READ}(?:${PYTHON_READ})?`), ...inputs.map(insideInput)];
}

function insideInput({ field }: FieldPath): FieldPath {
  return { field: "tool_input", inner: field };
}

/** What is read of the variable that holds the event, or of the event itself. */
function pythonPaths(text: string): readonly FieldPath[] {
  const load = String.raw`json\.loads?\(\s*(?:sys\.stdin(?:\.buffer)?(?:\.read\(\))?|open\(0\)(?:\.read\(\))?|input\(\))(?:\s*or\s*["']\{\}["'])?\s*\)`;
  const variables = surelyAssigned(text, String.raw`^[ \t]*(\w+)(?:\s*:\s*\w+)?\s*=\s*${load}[ \t]*$`);
  return readIn(text, [load, ...variables.map(asWord)], PYTHON_READ);
}

function nodePaths(text: string): readonly FieldPath[] {
  const isOnly = text.split("JSON.parse(").length === 2 && /stdin|readFileSync\(\s*0/.test(text);
  const load = isOnly
    ? String.raw`JSON\.parse\((?:[^()]|\([^()]*\))*\)`
    : String.raw`JSON\.parse\((?:fs\.)?readFileSync\((?:0|["']/dev/stdin["'])[^()]*\)(?:\.toString\(\))?\)`;
  const variables = surelyAssigned(text, String.raw`(?:const|let|var)\s+(\w+)\s*=\s*(?:await\s+)?${load}`);
  return nodeReads(text, [load, ...variables.map(asWord)]);
}

const NODE_READ = String.raw`(?:\??\.|(?:\?\.)?\[["'])([A-Za-z_]\w*)(?:["']\])?`;

/** `sources`: expressions that give the event. */
function nodeReads(text: string, sources: readonly string[]): readonly FieldPath[] {
  const taken = new RegExp(String.raw`\{([^;]{1,400}?)\}\s*=\s*(?:await\s+)?(?:${sources.join("|")})`, "g");
  const fields = [...text.matchAll(taken)].flatMap(([, names = ""]) => takenFields(names));
  const given = String.raw`(?:const|let|var)\s+(\w+)\s*=\s*(?:${sources.join("|")})(?:\??\.|(?:\?\.)?\[["'])tool_input(?:["']\])?(?:\s*(?:\|\||\?\?)\s*\{\})?\s*(?:;|$)`;
  const inputs = surelyAssigned(text, given).map(asWord);
  const inside = inputs.length > 0 ? nodeReads(text, inputs).map(insideInput) : [];
  return [...fields, ...aliasReads(text, fields), ...readIn(text, sources, NODE_READ), ...inside];
}

function aliasReads(text: string, fields: readonly TakenField[]): readonly FieldPath[] {
  return fields.flatMap(({ field, alias }) =>
    alias === undefined ? [] : pathsIn(text, `${asWord(alias)}${NODE_READ}`).map((path) => ({ field, inner: path.field })),
  );
}

/** What the function that a module exports reads of its parameter, which is the event. Nothing if another function has one of that name. */
function parameterPaths(text: string, name: string): readonly FieldPath[] {
  const head =
    name === "default"
      ? String.raw`(?:export\s+default|module\.exports\s*=)\s*(?:async\b\s*)?(?:function\b\s*\w*\s*)?`
      : String.raw`export\s+(?:const\s+${name}\s*=\s*(?:async\b\s*)?|(?:async\s+)?function\s+${name}\s*)`;
  const [, bare, first, taken] = new RegExp(String.raw`${head}(?:(\w+)\s*=>|\(\s*(?:(\w+)|\{([^()]{1,400}?)\}\s*[,):=]))`).exec(text) ?? [];
  if (taken !== undefined) return [...takenFields(taken), ...aliasReads(text, takenFields(taken))];
  const own = bare ?? first;
  if (own === undefined) return [];
  const parameters = String.raw`function\s*\w*\s*\([^()]*\b${own}\b[^()]*\)|\([^()]*\b${own}\b[^()]*\)\s*(?::[^=;{]{0,60})?=>|\b${own}\s*=>`;
  const isOther = new RegExp(String.raw`(?<![\w.])${own}\s*=(?![=>])`).test(text);
  if (isOther || [...text.matchAll(new RegExp(parameters, "g"))].length !== 1) return [];
  // Whoever gets all of it may read anything.
  const isHandedOn =
    [...text.matchAll(new RegExp(String.raw`(?:\.\.\.|[(,]\s*)${own}\s*[,)}]`, "g"))].length > (bare === undefined ? 1 : 0);
  return [...nodeReads(text, [asWord(own)]), ...(isHandedOn ? [{ field: "tool_name" }] : [])];
}

type TakenField = FieldPath & { readonly alias?: string | undefined };

/** `a, b: c, d: { e = "" } = {}`: the fields that are taken, with what each is called here or what is taken of it. */
function takenFields(names: string): readonly TakenField[] {
  return [...names.matchAll(/(?:^|,)\s*(\w+)\s*(?::\s*(?:(\w+)|\{([^{}]*)\}))?[^,{}]*(?:\{\})?/g)].flatMap(
    ([, field = "", alias, own]): readonly TakenField[] => {
      if (own === undefined) return [{ field, alias: alias ?? field }];
      return [...own.matchAll(/(?:^|,)\s*(\w+)[^,]*/g)].map(([, inner]) => ({ field, inner }));
    },
  );
}

function surelyAssigned(text: string, assigned: string): readonly string[] {
  const variables = [...text.matchAll(new RegExp(assigned, "gm"))].map(([, name = ""]) => name);
  // One that gets another value may hold anything.
  return variables.filter((name) => [...text.matchAll(new RegExp(`(?<![\\w.])${name}\\s*(?::\\s*\\w+)?\\s*=(?![=>])`, "g"))].length === 1);
}

function asWord(name: string): string {
  return `(?<![\\w."'])${name}\\b`;
}

function readIn(text: string, starts: readonly string[], read: string): readonly FieldPath[] {
  return starts.flatMap((start) => pathsIn(text, `${start}${read}(?:${read})?`));
}

function pathsIn(text: string, pattern: string): readonly FieldPath[] {
  return [...text.matchAll(new RegExp(pattern, "g"))].map(([, field = "", inner]) => ({ field, inner }));
}

interface EventFields {
  /** Of the events that run the script. */
  readonly own: readonly string[];
  /** What it may read: those of all events if it looks at the event's name itself. */
  readonly any: readonly string[];
}

function eventFields(events: readonly EventName[], text: string): EventFields {
  const own = fieldsOf(events);
  return { own, any: /hook_event_name/.test(text) ? EVENT_FIELDS : own };
}

function fieldsOf(events: readonly EventName[]): readonly string[] {
  return [...new Set(events.flatMap((event) => [...words(COMMON_FIELDS), ...words(FIELDS_OF[event])]))];
}

function words(text = ""): readonly string[] {
  return text.match(/\S+/g) ?? [];
}

const EVENT_FIELDS = fieldsOf(Object.keys(FIELDS_OF) as EventName[]);
const TOOL_INPUT_FIELDS = [...new Set(Object.values(INPUT_FIELDS).flatMap(words))];

/** What people call a field, and what it is called; the first that the event has is meant. */
const CALLED: Readonly<Record<string, readonly string[]>> = {
  command: ["tool_input.command"],
  cmd: ["tool_input.command"],
  file_path: ["tool_input.file_path"],
  path: ["tool_input.file_path"],
  content: ["tool_input.content"],
  input: ["tool_input", "prompt"],
  params: ["tool_input"],
  parameters: ["tool_input"],
  args: ["tool_input"],
  arguments: ["tool_input"],
  tool: ["tool_name"],
  name: ["tool_name"],
  user_prompt: ["prompt"],
  userprompt: ["prompt"],
  message: ["prompt"],
  text: ["prompt"],
  output: ["tool_response"],
  result: ["tool_response"],
  response: ["tool_response"],
  tool_output: ["tool_response"],
  tool_result: ["tool_response"],
  event: ["hook_event_name"],
};

/** `isEvent`: what is read is surely the event. */
function misreadField(paths: readonly FieldPath[], { own, any: fields }: EventFields, isEvent: boolean): string | undefined {
  for (const path of paths) {
    const isCovered = path.others?.some((name) => fields.includes(name));
    const meant = (isCovered ? undefined : meantField(path, fields)) ?? (isEvent ? calledField(path, paths, fields) : undefined);
    if (meant !== undefined) return `reads "${path.field}", which does not exist. Did you mean "${meant}"?`;
    const inner = path.field === "tool_input" && path.inner !== undefined ? meantInner(path.inner) : undefined;
    // Where the right name is read as well, the other may be for other agents.
    const isRead = paths.some((other) => other.field === "tool_input" && other.inner === inner);
    if (inner !== undefined && !isRead) return `reads "${path.inner}" in tool_input, which does not exist. Did you mean "${inner}"?`;
  }
  if (!isEvent || paths.length === 0 || paths.some(({ field, others = [] }) => [field, ...others].some((name) => isKnown(name, fields))))
    return undefined;
  const judged = own.filter((name) => !COMMON.includes(name) && !name.startsWith("x_"));
  return `reads "${paths[0]?.field}" of the event, which does not exist, and nothing else of it. It has ${judged.slice(0, 8).join(", ")}.`;
}

const COMMON = [
  "session_id",
  "transcript_path",
  "cwd",
  "permission_mode",
  "hook_event_name",
  "agent_id",
  "agent_type",
  "tool_use_id",
  "prompt_id",
  "effort",
];

function isKnown(name: string, fields: readonly string[]): boolean {
  // A program may take its methods for fields: `d.get`, `d.items`.
  return fields.includes(name) || EVENT_FIELDS.includes(name) || /^x_/.test(name) || name in {} || name in Map.prototype;
}

/** A name of ours in another spelling. */
function meantField({ field }: FieldPath, fields: readonly string[]): string | undefined {
  const meant =
    meantName(field, EVENT_FIELDS) ??
    (/^tool/i.test(field) && !EVENT_FIELDS.includes(field) ? nearest(field, EVENT_FIELDS, ANY_SLIP) : undefined);
  // A program may have its own data; only names of ours, in another spelling, are sure.
  if (meant === undefined || !/_/.test(meant)) return undefined;
  return calledField({ field }, [], fields) ?? meant;
}

/** What the event calls it, unless the script reads that as well: then it may serve several agents. */
function calledField({ field, inner, others = [] }: FieldPath, paths: readonly FieldPath[], fields: readonly string[]): string | undefined {
  if (fields.includes(field) || !Object.hasOwn(CALLED, field) || others.some((name) => isKnown(name, fields))) return undefined;
  const [top, rest] = CALLED[field]?.find((name) => fields.includes(name.split(".")[0] ?? ""))?.split(".") ?? [];
  if (top === undefined) return undefined;
  const isRead = paths.some((path) => path.field === top && (rest === undefined || path.inner === undefined || path.inner === rest));
  if (isRead) return undefined;
  return [top, rest ?? (top === "tool_input" ? inner : undefined)].filter(Boolean).join(".");
}

function meantInner(inner: string): string | undefined {
  return meantName(inner === "cmd" ? "Command" : inner, TOOL_INPUT_FIELDS);
}

function meantName(given: string, known: readonly string[]): string | undefined {
  return known.includes(given) ? undefined : known.find((name) => spelling(name) === spelling(given));
}

const anyPaths = (text: string): readonly FieldPath[] => [...anyJqPaths(text), ...anyPythonPaths(text)];
const NODE: Language = { name: "js", mayRead: () => [], reads: nodePaths, slips: NODE_SLIPS };
const PYTHON: Language = { name: "py", mayRead: anyPaths, reads: pythonPaths, slips: PYTHON_SLIPS };
const SHELL: Language = { name: "sh", mayRead: anyPaths, reads: jqPaths, slips: [shellSlip] };
