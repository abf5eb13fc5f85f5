import { homedir } from "node:os";
import type { ToolName } from "@hookloop/sdk";
import { calledElsewhere, innerName, otherSpelling, TOOLS, type ToolKind, type ToolRule } from "../catalogue/index.ts";
import { readingOf, remembered, type ShellReading, wordSet } from "../shell/index.ts";
import { realTarget } from "./paths/real-target.ts";
import type { CallFacts } from "./types.ts";

interface CallInput {
  readonly tool: string;
  readonly input: unknown;
  readonly cwd: string;
  readonly root: string;
  readonly folders?: readonly string[] | undefined;
  readonly home?: string | undefined;
  readonly read?: ((command: string) => ShellReading) | undefined;
  /** Where a path really leads, if it is remembered for several calls of these facts. */
  readonly target?: CallFacts["target"] | undefined;
}

/** The facts of one call: its command is parsed and its paths are resolved at most once. */
export function callFacts({ tool, input, cwd, root, folders, home = homedir(), read = readingOf, target }: CallInput): CallFacts {
  const plain = typeof input === "object" && input !== null ? (input as CallFacts["input"]) : {};
  return {
    tool,
    input: plain,
    cwd,
    anchor: cwd,
    root,
    folders,
    home,
    read: remembered(read),
    target: target ?? rememberedTarget(cwd),
    work: { left: MAX_WORK },
  };
}

/** Comparisons of one path or one KiB of text with one rule: a second at most, and a thousand times what usual rules and calls need. */
const MAX_WORK = 200_000;

/**
 * Takes comparisons from what the call may still cost. False: it is used up.
 * SECURITY: then a rule that forbids or asks counts as matching, one that allows does not.
 */
export function spendWork({ work }: Pick<CallFacts, "work">, comparisons: number): boolean {
  work.left -= comparisons;
  work.asked = (work.asked ?? 0) + 1;
  // Not every comparison costs the same: folders are looked into, links are followed. The processor's time is the bound that holds for all.
  if (work.asked % ASKS_PER_LOOK === 1 && work.left >= 0) {
    work.startedAt ??= performance.now();
    if (performance.now() - work.startedAt > UNMEASURED_MS) {
      work.since ??= processorTime();
      if (processorTime() - work.since > MAX_PROCESSOR_MS) work.left = -1;
    }
  }
  return work.left >= 0;
}

const ASKS_PER_LOOK = 32;
const MAX_PROCESSOR_MS = 400;
/** Asking for the processor's time costs as much as all comparisons of a usual call. */
const UNMEASURED_MS = 20;

function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Looks each path up once. */
export function rememberedTarget(cwd: string): CallFacts["target"] {
  return remembered((path) => realTarget(path, { cwd }));
}

export const PATH_FIELD: RegExp =
  /^(?:(?:absolute|relative|target|source|destination|dest|output|new|old|notebook|file)_?)?(?:path|paths|file|files|filename|file_?name|uri|destination|target|source|src|dst|dest)$/i;
export const COMMAND_FIELD: RegExp = /^(?:command|cmd|script|args|(?:command|cmd)_?line)$/i;
const ADDRESS_FIELD = /^(?:(?:target|page|web)_?)?(?:url|urls|uri|address|link|href)$/i;

/** Words that tools of quite another kind are called by, too: what their input does not show is not asked about, only said. */
const COMMON_WORDS = wordSet(
  "execute command console create save open view replace modify search fetch browse browser http url delegate spawn",
);

/** Files or commands of one call that are compared one by one; a call with more may be about any. */
const MOST_TEXTS = 100;

export interface MeantCall {
  readonly name: string;
  /** The known tool, if the call has it under another name. */
  readonly tool?: string | undefined;
  /** What the call is, or amounts to. */
  readonly surely: readonly CallFacts[];
  /** What it may be: the input has no field that a rule for the known tool could be compared with. */
  readonly perhaps: readonly CallFacts[];
  /** Its name alone is no reason to ask. */
  readonly isCommonWord: boolean;
}

/**
 * The calls of known tools that a call of an unknown one amounts to: agents spell names in their own way (`bash`), or have others (`shell`,
 * `read_file`), with inputs of their own. Only what denies, asks or protects looks at them: nothing is allowed by a likeness.
 */
export function meantCall(facts: CallFacts): MeantCall {
  const name = facts.tool;
  const isCommonWord = COMMON_WORDS.has(innerName(facts.tool).trim().toLowerCase());
  const spelt = otherSpelling(facts.tool);
  // SECURITY: a tool whose name is a known one in another spelling is bound by the rules for that one.
  if (spelt) return { name, tool: spelt, surely: [{ ...facts, tool: spelt }], perhaps: [], isCommonWord };
  const tool = calledElsewhere(facts.tool);
  if (!tool) return { name, surely: [facts], perhaps: [], isCommonWord };
  const { rule } = TOOLS[tool];
  const texts = rule ? textsFor(rule, facts.input).filter((text) => text.trim() !== "") : [];
  const inputs = rule ? texts.slice(0, MOST_TEXTS).map((text) => ({ ...facts.input, [rule.field]: text })) : [facts.input];
  const isUnclear = rule !== undefined && (texts.length === 0 || texts.length > MOST_TEXTS);
  return {
    name,
    tool,
    surely: [facts, ...inputs.map((input) => ({ ...facts, tool, input })), ...(isAlsoRead(facts, tool) ? readsOf(facts) : [])],
    perhaps: isUnclear ? [{ ...facts, tool }] : [],
    isCommonWord: isCommonWord && texts.length === 0,
  };
}

/** The calls of known tools of one kind that a call is, or surely amounts to. */
export function callsOfKind(kind: ToolKind, call: CallInput): readonly (CallFacts & { readonly tool: ToolName })[] {
  const isOfKind = (facts: CallFacts): facts is CallFacts & { readonly tool: ToolName } =>
    Object.hasOwn(TOOLS, facts.tool) && TOOLS[facts.tool as ToolName].kind === kind;
  return meantCall(callFacts(call)).surely.filter(isOfKind);
}

/** Tools that put a file under another name: it can be read there. */
const TAKES_ALONG = /move|copy|rename/i;
/** What tools that edit call it when they only show a file. */
const SHOWS = /^(?:view|read|open|show|cat|get|print|undo_edit)$/i;

/** SECURITY: one tool that shows and changes files is bound by the rules for both. */
function isAlsoRead({ tool: name, input }: CallFacts, tool: string): boolean {
  const isEdit = tool === "Edit" || tool === "Write";
  const verbs = [input["command"], input["action"], input["operation"], input["mode"]];
  return isEdit && (TAKES_ALONG.test(name) || verbs.some((verb) => typeof verb === "string" && SHOWS.test(verb.trim())));
}

function readsOf(facts: CallFacts): readonly CallFacts[] {
  const { rule } = TOOLS.Read;
  const texts = rule ? textsFor(rule, facts.input).slice(0, MOST_TEXTS) : [];
  return texts.map((text) => ({ ...facts, tool: "Read", input: { ...facts.input, [rule?.field ?? "file_path"]: text } }));
}

/** Everything in the input that a rule of this kind may be about. */
function textsFor({ kind, field }: ToolRule, input: CallFacts["input"]): readonly string[] {
  const entries = Object.entries(input);
  if (kind === "command") return commandTexts(entries);
  if (kind === "name") return typeof input[field] === "string" ? [input[field]] : [];
  const isMeant = kind === "path" ? PATH_FIELD : ADDRESS_FIELD;
  return entries.flatMap(([name, value]) => [
    ...(name === field || isMeant.test(name) ? pathTexts(value) : []),
    ...listedTexts(value, (inner) => inner === field || isMeant.test(inner)),
  ]);
}

/** `{ files: [{ path }, …] }`: what stands in the parts of a list. */
function listedTexts(value: unknown, isMeant: (name: string) => boolean): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MOST_TEXTS + 1).flatMap((part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return [];
    return Object.entries(part).flatMap(([name, inner]) => (isMeant(name) ? pathTexts(inner) : []));
  });
}

/** Each by itself, and the program with its arguments where they are apart. */
function commandTexts(entries: readonly (readonly [string, unknown])[]): readonly string[] {
  const found = entries.flatMap(([name, value]) => (COMMAND_FIELD.test(name) ? commandText(value) : []));
  const words = entries.filter(([name]) => /^args$/i.test(name)).flatMap(([, value]) => commandText(value));
  const programs = found.filter((text) => !words.includes(text));
  return [...found, ...programs.flatMap((program) => words.map((rest) => `${program} ${rest}`))];
}

/** An agent may hand its command over as a list of words. */
export function commandText(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (!Array.isArray(value) || !value.every((word) => typeof word === "string")) return [];
  return [value.map((word: string) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ")];
}

export function pathTexts(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(pathTexts);
  if (typeof value !== "string" || value === "") return [];
  return [value.startsWith("file://") ? decoded(value.slice("file://".length)) : value];
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Not an escaped path after all.
    return path;
  }
}
