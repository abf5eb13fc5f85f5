/**
 * Hand-offs: a document in Markdown that one session leaves for the next. Takes what is known; gives the document, and reads it back after people
 * have edited it. It is taken over once.
 */

import path from "node:path";
import { visibleLine } from "../diagnostic.ts";
import { getContextDir, isOwnText, readContextFile, readState, writeContextFile } from "./context-files.ts";
import { numberedFile, readPlan } from "./plans.ts";
import { nowIso, STATUS_ICONS, type Task } from "./state.ts";
import { saveState } from "./store.ts";
import type { GitState } from "./surroundings.ts";

export interface Handoff {
  readonly title: string;
  readonly goal: string;
  /** In a few sentences, for example by a model. */
  readonly summary: string;
  readonly decisions: readonly string[];
  readonly openTasks: readonly string[];
  readonly files: readonly string[];
  readonly nextSteps: readonly string[];
  /** Of git: the branch and the commit. */
  readonly git: string;
  /** What stands in none of these sections. Nothing that people write is lost. */
  readonly notes: string;
}

type Section = Exclude<keyof Handoff, "title" | "notes">;

const HEADINGS: Readonly<Record<Section, string>> = {
  goal: "Goal",
  summary: "Summary",
  decisions: "Decisions",
  openTasks: "Open tasks",
  files: "Files changed",
  git: "Git",
  nextSteps: "Next steps",
};

/** How people call these sections. */
const WORDS: readonly (readonly [Section, RegExp])[] = [
  ["nextSteps", /\bnext\b|\bto ?do next\b/i],
  ["openTasks", /\btasks?\b|\bto-?dos?\b|\bopen\b/i],
  ["decisions", /\bdeci(?:sions?|ded)\b/i],
  ["files", /\bfiles?\b|\bchange[sd]?\b/i],
  ["git", /\bgit\b|\bbranch\b/i],
  ["goal", /\bgoals?\b|\baims?\b|\bobjectives?\b/i],
  ["summary", /\bsummary\b|\boverview\b|\bstatus\b/i],
];
const LISTS: readonly Section[] = ["decisions", "openTasks", "files", "nextSteps"];

export interface HandoffParts {
  readonly title: string;
  readonly goal?: string | undefined;
  readonly summary?: string | undefined;
  readonly decisions?: readonly string[] | undefined;
  readonly tasks?: readonly Task[] | undefined;
  readonly git?: GitState | undefined;
  readonly nextSteps?: readonly string[] | undefined;
  readonly notes?: string | undefined;
}

/** The document. Sections without content are left out; without next steps, these are the open tasks. */
export function generateHandoffDocument(parts: HandoffParts): string {
  const { title, goal = "", summary = "", decisions = [], tasks = [], git, notes = "" } = parts;
  const open = tasks.filter(({ status }) => status !== "completed");
  const nextSteps = parts.nextSteps ?? open.map(({ subject }) => subject);
  const content: Readonly<Record<Section, string>> = {
    goal: goal.trim(),
    summary: summary.trim(),
    decisions: bullets(decisions),
    openTasks: bullets(open.map(({ status, subject }) => `${STATUS_ICONS[status]} ${subject}`)),
    files: bullets(git?.changed ?? []),
    git: git === undefined ? "" : gitLine(git),
    nextSteps: bullets(nextSteps),
  };
  const sections = (Object.keys(HEADINGS) as Section[]).flatMap((name) =>
    content[name] === "" ? [] : [`## ${HEADINGS[name]}\n\n${content[name]}`],
  );
  const more = notes.trim() === "" ? [] : [`## Notes\n\n${notes.trim()}`];
  return `${[`# Hand-off: ${visibleLine(title)}`, ...sections, ...more].join("\n\n")}\n`;
}

function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${visibleLine(line)}`).join("\n");
}

function gitLine({ branch, commit, changed }: GitState): string {
  const where = branch === undefined ? "no branch" : `branch ${branch}`;
  return `${where}, ${commit === undefined ? "no commit yet" : `commit ${commit.slice(0, 12)}`}, ${changed.length} not committed`;
}

/** Reads a hand-off, however people have edited it: other words for headings, other levels, other bullets, in any order. It never throws. */
export function readHandoff(document: string): Handoff {
  const found: Record<Section | "notes", string[]> = {
    ...{ goal: [], summary: [], decisions: [], openTasks: [], files: [], git: [], nextSteps: [], notes: [] },
  };
  let title = "";
  let at: Section | "notes" = "notes";
  let isCode = false;
  for (const line of document
    .replace(/\r\n?/g, "\n")
    .replace(/^\uFEFF/, "")
    .split("\n")) {
    isCode = isCode !== /^\s*(?:```|~~~)/.test(line);
    const [, level = "", heading] = (isCode ? undefined : /^\s{0,3}(#{1,6})\s+(.*?)[\s#:]*$/.exec(line)) ?? [];
    if (heading === undefined) {
      found[at].push(line);
      continue;
    }
    const section = WORDS.find(([, words]) => words.test(heading))?.[0];
    if (level === "#" && title === "") title = heading.replace(/^hand-?off\s*:?\s*/i, "");
    else if (section !== undefined) at = section;
    else {
      at = "notes";
      if (!/^notes?$/i.test(heading)) found.notes.push(line);
    }
  }
  const text = (name: Section | "notes"): string => found[name].join("\n").trim();
  const items = (name: Section): readonly string[] => (LISTS.includes(name) ? itemsIn(found[name]) : []);
  return {
    title,
    goal: text("goal"),
    summary: text("summary"),
    decisions: items("decisions"),
    openTasks: items("openTasks"),
    files: items("files"),
    git: text("git"),
    nextSteps: items("nextSteps"),
    notes: text("notes"),
  };
}

/** The items of a list; lines without a bullet belong to the item above, or are items of their own. Ticked boxes are done, and left out. */
function itemsIn(lines: readonly string[]): readonly string[] {
  const items: string[] = [];
  let isItem = false;
  for (const line of lines) {
    const [, item] = /^\s*(?:[-*+•]|\d+[.)])\s+(.*)$/.exec(line) ?? [];
    if (item !== undefined) items.push(item);
    else if (line.trim() === "") isItem = false;
    else if (isItem && /^\s/.test(line)) items.push(`${items.pop() ?? ""} ${line.trim()}`);
    else items.push(line.trim());
    isItem = line.trim() !== "";
  }
  const open = items.filter((item) => !/^(?:\[[xX]\]|●)/.test(item));
  return open.map((item) => item.replace(/^(?:\[ ?\]|[○◐])\s*/, "").trim()).filter(Boolean);
}

/** Keeps a hand-off in the folder of its context; the next session end leaves the context has_handoff. Gives the file below that folder. */
export async function saveHandoff(contextId: string, document: string, projectRoot: string): Promise<string> {
  let file = "";
  await saveState(
    contextId,
    (state) => {
      file = numberedFile({ projectRoot, contextId, below: "handoffs", title: readHandoff(document).title });
      writeContextFile(projectRoot, contextId, file, document);
      return { ...state, handoff: { file, savedAt: nowIso() } };
    },
    projectRoot,
  );
  return file;
}

export interface TakenHandoff {
  readonly document: string;
  /** This machine wrote it, and nobody has changed it since. */
  readonly isOwn: boolean;
  readonly plan: string | undefined;
}

/** The hand-off that waits in a context; nothing if there is none, or a session has taken it. Whoever gets it has taken it. */
export async function takeHandoff(contextId: string, projectRoot: string): Promise<TakenHandoff | undefined> {
  if (readState(contextId, projectRoot)?.handoff?.resumedAt !== undefined) return undefined;
  let taken: TakenHandoff | undefined;
  await saveState(
    contextId,
    (state) => {
      const { handoff } = state;
      const document = handoff && readContextFile(projectRoot, contextId, handoff.file);
      if (handoff === undefined || handoff.resumedAt !== undefined || document === undefined) return state;
      const isOwn = isOwnText(projectRoot, path.join(getContextDir(projectRoot, contextId), handoff.file), document);
      taken = { document, isOwn, plan: readPlan(state, projectRoot) };
      return { ...state, handoff: { ...handoff, resumedAt: nowIso() } };
    },
    projectRoot,
  );
  return taken;
}
