import path from "node:path";
import { canonicalJson, type RegisteredHook } from "../config/index.ts";
import { compareLines, type Line } from "../line-diff.ts";
import { glimpse } from "../state-files.ts";
import type { Examination, FilePin, HookPins, HookRecord } from "./pin/examine-hook.ts";
import { lookAt } from "./pin/hash-file.ts";
import { pinHook } from "./pin/pin-hook.ts";
import { type Watch, watchHook } from "./pin/pin-modules.ts";

/** A hook that is not what was trusted any more. */
export interface StaleHook {
  readonly digest: string;
  /** For people: what happened. */
  readonly text: string;
  readonly diff: string;
  /** It is what it was, and its approval was taken back. */
  readonly isRevoked?: true | undefined;
}

/** What happened and what to do. */
export function staleText({ text, isRevoked }: StaleHook): string {
  return isRevoked ? `${text} To allow it again: hookloop trust review` : `${text} Undo the change, or review it: hookloop trust review`;
}

/** A hook whose content was trusted when the session opened. */
export interface Trusted {
  readonly examination: Examination;
  /** What was seen last: the same digest, but in another folder other places are watched. */
  pins: HookPins;
  watch: Watch;
  /** One of its files was written to and left as it was: whoever has it mapped may change it without its times showing that. */
  isTouched?: boolean | undefined;
  /** Times of its files when they were first hashed. */
  readonly times: Map<string, string>;
}

/** Compares a hook with what was trusted, right before it runs; nothing if it is the same. It never throws. */
export function recheck(trusted: Trusted, cwd: string, isStrict: boolean): StaleHook | undefined {
  const { examination, pins } = trusted;
  // A hook whose folder is gone runs in the project root.
  const folder = lookAt(cwd).kind === "folder" ? path.resolve(cwd) : examination.place.projectRoot;
  const watch = watchHook(examination, folder, pins.implied);
  if (!isStrict && !trusted.isTouched && trusted.watch.isSettled && watch.signature === trusted.watch.signature) return undefined;
  const now = pinHook(examination, folder);
  if (now.digest !== pins.digest) return stale(examination.hook, { pins, now, isElsewhere: folder !== examination.place.projectRoot });
  trusted.pins = now;
  trusted.watch = watch;
  noteTimes(trusted);
  return undefined;
}

/** SECURITY: what was written once in a session is hashed before each run from then on. */
export function noteTimes(trusted: Pick<Trusted, "pins" | "times" | "isTouched">): void {
  const now = Date.now();
  for (const { realpath } of trusted.pins.record.files) {
    const { signature } = glimpse(realpath, now);
    const before = trusted.times.get(realpath) ?? signature;
    trusted.times.set(realpath, before);
    if (before !== signature) trusted.isTouched = true;
  }
}

interface Change {
  readonly pins: HookPins;
  readonly now: HookPins;
  readonly isElsewhere: boolean;
}

function stale(hook: RegisteredHook, { pins, now, isElsewhere }: Change): StaleHook {
  const diff = diffRecords({
    before: pins.record,
    after: now.record,
    textBefore: (sha256) => pins.texts.get(sha256),
    textAfter: (sha256) => now.texts.get(sha256),
  });
  const hint = isElsewhere
    ? ` It names files by relative paths and the session is in another folder: write "$${hook.quirks?.projectVariable ?? "HOOKLOOP_PROJECT_DIR"}"/… instead.`
    : "";
  return { digest: now.digest, diff, text: `"${hook.name}" is not what was approved any more and was not run.${hint}` };
}

interface DiffSides {
  readonly before: HookRecord;
  readonly after: HookRecord;
  /** `after` as the store would keep it, if `before` comes from there: what differs only in what is not kept is the same. */
  readonly sealed?: HookRecord | undefined;
  /** The text of a file by its digest, if it was kept. */
  readonly textBefore: (sha256: string) => string | undefined;
  readonly textAfter: (sha256: string) => string | undefined;
}

/** What is different between the hook that was approved and the hook that is there now. */
export function diffRecords(sides: DiffSides): string {
  return [...diffDefinition(sides), ...diffFiles(sides)].join("\n");
}

function diffDefinition({ before, after, sealed = after }: DiffSides): readonly string[] {
  const [old, now, kept] = [flat(before), flat(after), flat(sealed)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].sort();
  return names.flatMap((name) => {
    // SECURITY: what is there now is shown in full, since it is what the answer is about.
    if (old[name] === kept[name]) return [];
    return [
      ...(old[name] === undefined ? [] : [`- ${name}: ${old[name]}`]),
      ...(now[name] === undefined ? [] : [`+ ${name}: ${now[name]}`]),
    ];
  });
}

function flat({ files: _files, fields, programs, source, surroundings = {}, ...rest }: HookRecord): Readonly<Record<string, string>> {
  const named = Object.entries(programs).map(([name, value]) => [`program ${name}`, value]);
  const around = Object.entries(surroundings).map(([name, value]) => [`around it, ${name}`, value] as const);
  const entries = [...Object.entries(rest), ...Object.entries(source), ...Object.entries(fields), ...named, ...around];
  return Object.fromEntries(entries.map(([name, value]) => [name, canonicalJson(value)]));
}

function diffFiles({ before, after, textBefore, textAfter }: DiffSides): readonly string[] {
  const paths = [...new Set([...before.files, ...after.files].map(({ path }) => path))].sort();
  return paths.flatMap((path) => {
    const old = before.files.find((file) => file.path === path);
    const now = after.files.find((file) => file.path === path);
    if (!old || !now) return [old ? `- file ${path}` : `+ file ${path}`, ...(now ? contentOf(textAfter(now.sha256), "+") : [])];
    return diffFile(old, now, [textBefore(old.sha256), textAfter(now.sha256)]);
  });
}

function contentOf(text: string | undefined, mark: "+"): readonly string[] {
  return text === undefined ? [] : unifiedDiff("", text).map((line) => `${mark}${line.slice(1)}`);
}

function diffFile(old: FilePin, now: FilePin, [before, after]: readonly [string | undefined, string | undefined]): readonly string[] {
  const lines: string[] = [];
  if (old.realpath !== now.realpath) lines.push(`- ${old.path} is ${old.realpath}`, `+ ${now.path} is ${now.realpath}`);
  if (old.isExecutable !== now.isExecutable) lines.push(`${now.isExecutable ? "+" : "-"} ${now.path} is executable`);
  if (old.sha256 === now.sha256) return lines;
  // SECURITY: a project names what it likes; a digest would say what is in a file of the user.
  if (now.isOutside) return [...lines, `+ ${now.path} has other content than was approved (a file outside the project: not shown)`];
  lines.push(`--- ${old.path} (approved, ${old.sha256.slice(0, 12)})`, `+++ ${now.path} (now, ${now.sha256.slice(0, 12)})`);
  if (before === undefined || after === undefined) return [...lines, "  its text was not kept: only the digests can be compared"];
  return [...lines, ...unifiedDiff(before, after)];
}

const CONTEXT = 3;
const MAX_SHOWN = 200;

/** What changed between two texts, line by line, with a little around it; empty if nothing did. */
export function unifiedDiff(before: string, after: string): readonly string[] {
  const lines = compareLines(splitLines(before), splitLines(after));
  const shown = lines.flatMap((line, index) => (isNear(lines, index) ? [{ ...line, index }] : []));
  const text = shown.flatMap(({ mark, text: content, index }, position) => {
    const isGap = position > 0 && shown[position - 1]?.index !== index - 1;
    return [...(isGap ? ["…"] : []), `${mark} ${content}`];
  });
  return text.length > MAX_SHOWN ? [...text.slice(0, MAX_SHOWN), `… ${text.length - MAX_SHOWN} more lines`] : text;
}

/** A missing newline at the end is a difference, too. */
function splitLines(text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : [...lines.slice(0, -1), `${lines.at(-1)} (no newline at the end)`];
}

function isNear(lines: readonly Line[], index: number): boolean {
  return lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ mark }) => mark !== " ");
}
