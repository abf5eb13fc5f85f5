/** What a context is, and the names it goes by. Takes the text of a `state.json`; gives the state, with modes of older versions translated, or why it is none. */

import { createHash } from "node:crypto";
import type { EventName, EventOutputs } from "@hookloop/sdk";
import { visibleLine } from "../diagnostic.ts";

/** Where a context stands between sessions. */
export type Mode = "idle" | "has_plan" | "has_handoff" | "active";

/** How people are told of a mode. */
export const MODE_MAP: Readonly<Record<Mode, string>> = Object.freeze({
  idle: "idle",
  has_plan: "plan ready",
  has_handoff: "hand-off ready",
  active: "active",
});

export type TaskStatus = "pending" | "in_progress" | "completed";

/** A sign for the status of a task. */
export const STATUS_ICONS: Readonly<Record<TaskStatus, string>> = Object.freeze({ pending: "○", in_progress: "◐", completed: "●" });

export interface Task {
  readonly id: string;
  readonly subject: string;
  readonly description?: string | undefined;
  readonly status: TaskStatus;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A plan that was archived in the folder of its context. */
export interface ArchivedPlan {
  /** Below the folder of the context. */
  readonly file: string;
  readonly hash: string;
  readonly archivedAt: string;
  /** Proof that this machine's user approved the text with this hash. */
  readonly signature?: string | undefined;
}

/** A hand-off document in the folder of its context. */
export interface SavedHandoff {
  readonly file: string;
  readonly savedAt: string;
  /** When a later session took it over: it is taken once. */
  readonly resumedAt?: string | undefined;
}

export interface ContextState {
  readonly version: 1;
  readonly id: string;
  readonly title: string;
  readonly mode: Mode;
  /** Rises by one with each save: clocks jump. */
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly isClosed: boolean;
  /** The sessions that are bound to it, the latest last. */
  readonly sessions: readonly string[];
  readonly permissionMode?: string | undefined;
  readonly plan?: ArchivedPlan | undefined;
  readonly handoff?: SavedHandoff | undefined;
  readonly tasks: readonly Task[];
  /** What was lost or repaired when its file was read. */
  readonly repair?: string | undefined;
}

/** The payload of an event, as the SDK types it. */
export type { HookInput } from "@hookloop/sdk";
/** What a command hook may print in answer to an event. */
export interface HookOutput<Event extends EventName = EventName> {
  readonly continue?: boolean;
  readonly stopReason?: string;
  readonly suppressOutput?: boolean;
  readonly systemMessage?: string;
  readonly decision?: "approve" | "block";
  readonly reason?: string;
  readonly hookSpecificOutput?: EventOutputs[Event] & { readonly hookEventName: Event; readonly additionalContext?: string };
}

/** Modes of older versions, and of the system that contexts come from. */
const OLD_MODES: Readonly<Record<string, Mode>> = {
  none: "idle",
  new: "idle",
  planning: "active",
  implementing: "active",
  in_progress: "active",
  pending_implementation: "has_plan",
  plan_ready: "has_plan",
  handoff_pending: "has_handoff",
  pending_handoff: "has_handoff",
};

export function nowIso(): string {
  return new Date().toISOString();
}

/** The state in a text. Throws, with the reason, if there is none. */
export function parseState(text: string, id: string): ContextState {
  const raw = record(JSON.parse(text));
  if (raw === undefined) throw new Error("it is not a JSON object");
  if (raw["id"] !== id) throw new Error(`it is about ${JSON.stringify(raw["id"])}`);
  if (raw["version"] !== undefined && raw["version"] !== 1) throw new Error(`version ${JSON.stringify(raw["version"])} is not known`);
  const mode = readMode(raw["mode"]);
  if (mode === undefined) throw new Error(`the mode ${JSON.stringify(raw["mode"])} is not known`);
  const createdAt = textOf(raw["createdAt"]) ?? nowIso();
  return {
    version: 1,
    id,
    title: visibleLine(textOf(raw["title"]) ?? id),
    mode,
    revision: typeof raw["revision"] === "number" && Number.isSafeInteger(raw["revision"]) ? raw["revision"] : 0,
    createdAt,
    updatedAt: textOf(raw["updatedAt"]) ?? createdAt,
    isClosed: raw["isClosed"] === true,
    sessions: texts(raw["sessions"]),
    permissionMode: textOf(raw["permissionMode"]),
    plan: readPlan(record(raw["plan"])),
    handoff: readSavedHandoff(record(raw["handoff"])),
    tasks: list(raw["tasks"]).flatMap((one) => readTask(record(one)) ?? []),
    repair: textOf(raw["repair"]),
  };
}

/** A state as it begins. */
export function newState(id: string, title: string): ContextState {
  const now = nowIso();
  return {
    version: 1,
    id,
    title: visibleLine(title),
    mode: "idle",
    revision: 0,
    createdAt: now,
    updatedAt: now,
    isClosed: false,
    sessions: [],
    tasks: [],
  };
}

function readMode(value: unknown): Mode | undefined {
  if (typeof value !== "string") return undefined;
  if (Object.hasOwn(MODE_MAP, value)) return value as Mode;
  return Object.hasOwn(OLD_MODES, value) ? OLD_MODES[value] : undefined;
}

function readPlan(raw: JsonRecord | undefined): ArchivedPlan | undefined {
  const [file, hash, archivedAt] = [fileBelow(raw?.["file"]), textOf(raw?.["hash"]), textOf(raw?.["archivedAt"])];
  if (file === undefined || hash === undefined) return undefined;
  return { file, hash, archivedAt: archivedAt ?? nowIso(), signature: textOf(raw?.["signature"]) };
}

function readSavedHandoff(raw: JsonRecord | undefined): SavedHandoff | undefined {
  const file = fileBelow(raw?.["file"]);
  if (file === undefined) return undefined;
  return { file, savedAt: textOf(raw?.["savedAt"]) ?? nowIso(), resumedAt: textOf(raw?.["resumedAt"]) };
}

function readTask(raw: JsonRecord | undefined): Task | undefined {
  const [id, subject, status] = [textOf(raw?.["id"]), textOf(raw?.["subject"]), raw?.["status"]];
  if (raw === undefined || id === undefined || subject === undefined) return undefined;
  const createdAt = textOf(raw["createdAt"]) ?? nowIso();
  return {
    id,
    subject,
    description: textOf(raw["description"]),
    status: typeof status === "string" && Object.hasOwn(STATUS_ICONS, status) ? (status as TaskStatus) : "pending",
    createdAt,
    updatedAt: textOf(raw["updatedAt"]) ?? createdAt,
  };
}

type JsonRecord = Readonly<Record<string, unknown>>;

export function record(value: unknown): JsonRecord | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonRecord) : undefined;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function texts(value: unknown): readonly string[] {
  return list(value).filter((one): one is string => typeof one === "string");
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** SECURITY: a checkout can bring any state; what it names stays in the folder of the context. */
function fileBelow(value: unknown): string | undefined {
  return typeof value === "string" && /^(?:plans|handoffs)\/[a-z0-9][\w-]*\.md$/.test(value) ? value : undefined;
}

/** Words that say nothing about what the work is. */
const STOP_WORDS = new Set(
  (
    "a about after all also am an and any are as at be been before but by can could did do does for from get give had has have he help her hey hi " +
    "him his how i if in into is it its just kindly let like make me more my need now of on or our out over please she should so some " +
    "than that the their them then there these they this those to too up us use using want was we were what when where which who why will with " +
    "would you your"
  ).split(" "),
);
const MOST_WORDS = 5;
const LONGEST_SLUG = 50;

/** Lower case, and hyphens between words: a name for files. Empty if the text has neither letters nor digits. */
export function slugify(text: string, longest: number = LONGEST_SLUG): string {
  const plain = text.normalize("NFKD").replace(/\p{M}+/gu, "");
  const slug = plain
    .toLowerCase()
    .replace(/['’]/g, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  if (slug.length <= longest) return slug;
  const cut = slug.slice(0, longest + 1);
  return (cut.includes("-") ? cut.slice(0, cut.lastIndexOf("-")) : cut.slice(0, longest)).replace(/-+$/, "");
}

/** An id from the words of a prompt that mean something; not one of those that are taken. */
export function generateContextId(prompt: string, taken: Iterable<string> = []): string {
  const words = slugify(prompt.slice(0, 2000), 2000).split("-").filter(Boolean);
  const meaningful = words.filter((word) => !STOP_WORDS.has(word) && (word.length > 1 || /\d/.test(word)));
  const chosen = (meaningful.length > 0 ? meaningful : words).slice(0, MOST_WORDS).join("-");
  // A prompt in another script has no such letters: then its digest tells it apart.
  const base = slugify(chosen) || `context-${createHash("sha256").update(prompt).digest("hex").slice(0, 8)}`;
  const used = new Set(taken);
  for (let number = 1; ; number++) {
    const id = number === 1 ? base : `${base}-${number}`;
    if (!used.has(id)) return id;
  }
}
