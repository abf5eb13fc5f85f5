import type { EventName } from "@hookloop/sdk";
import { type DialectShape, type Dialects, EVENT_NAMES, isEventName } from "../catalogue/index.ts";
import { type Diagnostic, didYouMean, nearestName, type Place, visible } from "../diagnostic.ts";
import type { ErrorCode } from "../errors.ts";
import type { ConfigNode, ConfigProperty, ObjectNode } from "./parse-json.ts";
import type { Source } from "./types.ts";

/** What the readers of one document share: where it is from, how it is laid out, and the list of what is wrong. */
export interface Reading {
  readonly source: Source;
  readonly shape: DialectShape;
  /** Every dialect of the session, to recognise what strayed from one into another's file. */
  readonly dialects: Dialects;
  readonly tools: readonly string[];
  readonly diagnostics: Diagnostic[];
}

export interface Finding {
  readonly code: ErrorCode;
  readonly level?: Diagnostic["level"];
  readonly text: string;
  readonly place: Place;
}

/** A generated file with a mistake in each entry must not flood anyone. */
const MAX_DIAGNOSTICS = 200;
/** Longer than any name we know: nothing near it, and comparing would take time. */
const MAX_NAME = 64;
const MAX_SHOWN = 60;

/** Whether nothing more of this document will be reported. */
export function isFull({ diagnostics }: Reading): boolean {
  return diagnostics.length > MAX_DIAGNOSTICS;
}

export function report({ diagnostics }: Reading, { code, level = "error", text, place }: Finding): void {
  if (diagnostics.length > MAX_DIAGNOSTICS) return;
  const isLast = diagnostics.length === MAX_DIAGNOSTICS;
  const more = isLast ? ` (This and more of the file is not reported: fix the ${MAX_DIAGNOSTICS} above first.)` : "";
  diagnostics.push({ code, level, text: `${text}${more}`, place });
}

/** A value of the file as it can stand in a message: one short line without invisible characters. */
export function shown(value: unknown): string {
  const whole = typeof value === "number" ? String(value) : (JSON.stringify(value) ?? String(value));
  const short = whole.length > MAX_SHOWN ? `${whole.slice(0, MAX_SHOWN)}…` : whole;
  return visible(short);
}

/** `"a", "b" or "c"`. */
export function choices(names: readonly string[]): string {
  const quoted = names.map((name) => `"${name}"`);
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
}

/** What other agents call our events, for the hint beside an unknown name. */
const FOREIGN_EVENTS: Readonly<Record<string, { readonly event: EventName; readonly of: string }>> = {
  BeforeTool: { event: "PreToolUse", of: "Gemini CLI" },
  BeforeToolUse: { event: "PreToolUse", of: "other agents" },
  AfterToolUse: { event: "PostToolUse", of: "other agents" },
  AfterTool: { event: "PostToolUse", of: "Gemini CLI" },
  BeforeAgent: { event: "UserPromptSubmit", of: "Gemini CLI" },
  AfterAgent: { event: "Stop", of: "Gemini CLI" },
  BeforeModel: { event: "PreModelRequest", of: "Gemini CLI" },
  AfterModel: { event: "PostModelResponse", of: "Gemini CLI" },
  PreCompress: { event: "PreCompact", of: "Gemini CLI" },
  PostModelRequest: { event: "PostModelResponse", of: "Codex" },
  preToolUse: { event: "PreToolUse", of: "Copilot and Cursor" },
  postToolUse: { event: "PostToolUse", of: "Copilot and Cursor" },
  sessionStart: { event: "SessionStart", of: "Copilot and Cursor" },
  sessionEnd: { event: "SessionEnd", of: "Copilot and Cursor" },
  userPromptSubmitted: { event: "UserPromptSubmit", of: "Copilot" },
  agentStop: { event: "Stop", of: "Copilot" },
  beforeSubmitPrompt: { event: "UserPromptSubmit", of: "Cursor" },
  beforeShellExecution: { event: "PreToolUse", of: "Cursor" },
  afterShellExecution: { event: "PostToolUse", of: "Cursor" },
  beforeReadFile: { event: "PreToolUse", of: "Cursor" },
  afterFileEdit: { event: "PostToolUse", of: "Cursor" },
  agentSpawn: { event: "SessionStart", of: "Kiro" },
  PromptSubmit: { event: "UserPromptSubmit", of: "Auggie" },
  TaskComplete: { event: "Stop", of: "Cline" },
  pre_run_command: { event: "PreToolUse", of: "Windsurf" },
  pre_user_prompt: { event: "UserPromptSubmit", of: "Windsurf" },
  "tool.execute.before": { event: "PreToolUse", of: "opencode" },
  "tool.execute.after": { event: "PostToolUse", of: "opencode" },
  pre_tool_sample: { event: "PreToolUse", of: "the sampling registry" },
  post_tool_sample: { event: "PostToolUse", of: "the sampling registry" },
  pre_compact_sample: { event: "PreCompact", of: "the sampling registry" },
  session_start: { event: "SessionStart", of: "the sampling registry" },
  session_end: { event: "SessionEnd", of: "the sampling registry" },
};

/** The event that another agent calls so, and its name in this file; nothing if the file has no such event. */
export function foreignEvent(
  { shape, dialects }: Reading,
  key: string,
): { readonly event: EventName; readonly name: string; readonly of: string } | undefined {
  const other = dialects.all.find((one) => one.shape !== shape && Object.hasOwn(one.shape.events, key));
  const event = other?.shape.events[key] ?? (Object.hasOwn(FOREIGN_EVENTS, key) ? FOREIGN_EVENTS[key]?.event : undefined);
  const name = Object.keys(shape.events).find((one) => shape.events[one] === event);
  return event && name !== undefined ? { event, name, of: other?.shape.title ?? FOREIGN_EVENTS[key]?.of ?? "" } : undefined;
}

/** The properties of an object, each key once: of equal keys the last one counts, as in JSON, and the others are reported. */
export function uniqueProperties(reading: Reading, node: ObjectNode, isError = false): readonly ConfigProperty[] {
  const byKey = new Map<string, ConfigProperty>();
  for (const property of node.properties) {
    if (byKey.has(property.key)) reportDuplicate(reading, property, isError);
    byKey.set(property.key, property);
  }
  return [...byKey.values()];
}

/** Whether a key stands twice, here or deeper. */
export function hasDuplicates(node: ObjectNode): boolean {
  const keys = new Set(node.properties.map(({ key }) => key));
  return keys.size < node.properties.length || node.properties.some(({ value }) => value?.type === "object" && hasDuplicates(value));
}

function reportDuplicate(reading: Reading, { key, place }: ConfigProperty, isError: boolean): void {
  const consequence = isError ? "The hook is left out: which one is meant is not clear." : "Only this one counts, as in JSON.";
  const text = `${shown(key)} appears twice here. ${consequence} Remove one.`;
  report(reading, { code: "HL_CONFIG_DUPLICATE_KEY", level: "error", text, place });
}

/** Reports a word of ours in the file of a program that does not know it. */
export function reportExtension(reading: Reading, { what, place }: { readonly what: string; readonly place: Place }): void {
  const text = `${what} works here, but ${reading.shape.sharedWith} does not know it and may drop this whole file. Move the hook to .hookloop/hooks.json.`;
  report(reading, { code: "HL_CONFIG_CLAUDE_WOULD_DROP_FILE", level: "warning", text, place });
}

// Takes a key of a file; says whether hooks stand under it that are not read, because the key is misspelt or one level too deep.
// SECURITY: in a file of several programs unknown keys are not reported, and a session without its hooks would look like one with them.

interface MisplacedHooks {
  readonly text: string;
  readonly level: Diagnostic["level"];
  readonly events: readonly ConfigProperty[];
}

/** Copies that are kept on purpose, of a file or of a part of it. */
export const PUT_ASIDE: RegExp = /old|bak|backup|orig|copy|example|sample|disabled|template|\boff\b/i;
const COMMENT = /^\s*(?:\/\/|#)/;

/** The hooks under this key, if there are any and it is another than `hooks`. */
export function misplacedHooks({ shape }: Reading, { key, value }: ConfigProperty): MisplacedHooks | undefined {
  if (key === "hooks" || value?.type !== "object") return undefined;
  const inner = value.properties.find((one) => one.key === "hooks")?.value;
  const isAside = PUT_ASIDE.test(key) || COMMENT.test(key);
  const level = isAside ? "warning" : "error";
  if (inner?.type === "object" && inner.properties.some(isEvent)) {
    const text = `"hooks" must stand at the top, not inside ${shown(key)}; here it is ignored. Move it there.`;
    return { text, level, events: isAside ? [] : inner.properties };
  }
  const isKnown = Object.hasOwn(shape.topLevel, key);
  const hint = didYouMean(key.trim(), ["hooks"]);
  const isMap = value.properties.some(isEvent) || (hint !== "" && value.properties.some(isNearlyEvent));
  if (isKnown || !isMap) return undefined;
  const cure = hint || ' Move them into "hooks".';
  const text = `${shown(key)} is not a key of ${shape.title}, and the hooks in it are ignored.${cure}`;
  return { text, level, events: isAside ? [] : value.properties };
}

/** An event beside "hooks" and not in it, perhaps misspelt; a key of another program that is nearly one has no groups in it. */
export function isMisplacedEvent({ key, value }: ConfigProperty): boolean {
  if (isEventName(key)) return true;
  const isGroup = (item: ConfigNode): boolean =>
    item.type === "object" && item.properties.some((one) => one.key === "hooks" || one.key === "command");
  return value?.type === "list" && value.items.some(isGroup) && key.length <= MAX_NAME && nearestName(key, EVENT_NAMES) !== undefined;
}

function isEvent({ key, value }: ConfigProperty): boolean {
  return isEventName(key) && holdsGroups(value);
}

function isNearlyEvent({ key, value }: ConfigProperty): boolean {
  return key.length <= MAX_NAME && holdsGroups(value) && nearestName(key, EVENT_NAMES) !== undefined;
}

function holdsGroups(value: ConfigNode | undefined): boolean {
  return value?.type === "object" || (value?.type === "list" && value.items.some(({ type }) => type === "object"));
}
