import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync, unlinkSync, writeSync } from "node:fs";
import path from "node:path";
import { makePrivateFolder } from "../state-files.ts";
import type { Attributed, Verdict } from "./verdict.ts";

/** The longest text that reaches anyone as it is (spec §3.6). */
const SHOWN_LIMIT = 10_000;
const PREVIEW_LENGTH = 2_000;
/** Other names to try when a name is taken by something else, such as a file that a crash left half written. */
const NAME_TRIES = 3;

export interface SpillOptions {
  /** Where long texts are saved; made with 0700. */
  readonly folder: string;
  /** Hides secrets. */
  readonly redact: (text: string) => string;
}

interface Spilled {
  /** The text itself, or a marked preview of it. */
  readonly text: string;
  /** The file that has the whole text. */
  readonly file?: string | undefined;
  /** Why there is no such file although the text was cut. */
  readonly problem?: string | undefined;
}

/** Saves a text that is too long to show, and gives a preview that names the file. */
export function spillText(text: string, { folder, redact }: SpillOptions): Spilled {
  if (text.length <= SHOWN_LIMIT) return { text };
  // SECURITY: redacted before it is hashed, saved or previewed, and as a whole, so that no cut hides half a secret.
  const whole = redact(text);
  try {
    const file = save(whole, folder);
    return { text: preview(whole, `The whole text is in ${file}`), file };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { text: preview(whole, `The rest was dropped: it could not be saved (${problem})`), problem };
  }
}

/** Applies it to every text of a verdict, and hides secrets in all but what is said to the model on purpose; the verdict itself if nothing changes. */
export function spillVerdict(verdict: Verdict, options: SpillOptions): { readonly verdict: Verdict; readonly problems: readonly string[] } {
  // SECURITY: what a hook that fails prints on stderr is among these, and that is where tokens and settings turn up.
  const clean = withoutSecrets(verdict, options.redact);
  const lists = [clean.reasons, clean.continueWith, clean.contexts, clean.feedback, clean.tells];
  const isLong = ({ text }: Attributed): boolean => text.length > SHOWN_LIMIT;
  if (!lists.some((list) => list.some(isLong)) && !(clean.halt && isLong(clean.halt))) return { verdict: clean, problems: [] };
  const problems = new Set<string>();
  const short = (one: Attributed): Attributed => {
    const { text, problem } = spillText(one.text, options);
    if (problem) problems.add(problem);
    return text === one.text ? one : { ...one, text };
  };
  const spilled = {
    ...clean,
    reasons: clean.reasons.map(short),
    halt: clean.halt && short(clean.halt),
    continueWith: clean.continueWith.map(short),
    contexts: clean.contexts.map(short),
    feedback: clean.feedback.map(short),
    tells: clean.tells.map(short),
  };
  return { verdict: spilled, problems: [...problems] };
}

function withoutSecrets(verdict: Verdict, redact: SpillOptions["redact"]): Verdict {
  const hide = (one: Attributed): Attributed => {
    const text = redact(one.text);
    return text === one.text ? one : { ...one, text };
  };
  const { reasons, halt, continueWith, feedback, tells } = verdict;
  const clean = {
    reasons: reasons.map(hide),
    halt: halt && hide(halt),
    continueWith: continueWith.map(hide),
    feedback: feedback.map(hide),
    tells: tells.map(hide),
  };
  const isSame = (after: readonly Attributed[], before: readonly Attributed[]): boolean => after.every((one, at) => one === before[at]);
  const isUnchanged =
    clean.halt === halt &&
    isSame(clean.reasons, reasons) &&
    isSame(clean.continueWith, continueWith) &&
    isSame(clean.feedback, feedback) &&
    isSame(clean.tells, tells);
  return isUnchanged ? verdict : { ...verdict, ...clean };
}

function preview(text: string, where: string): string {
  // Not between the two halves of one character.
  const cut = text.slice(0, PREVIEW_LENGTH).replace(/[\ud800-\udbff]$/, "");
  return `<persisted-output>\nThis hook's text has ${text.length} characters; only its beginning is shown. ${where}\n\n${cut}\n</persisted-output>`;
}

function save(text: string, folder: string): string {
  makePrivateFolder(folder);
  const bytes = Buffer.from(text);
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 32);
  for (let attempt = 0; attempt < NAME_TRIES; attempt++) {
    const file = path.join(folder, attempt === 0 ? `hook-${hash}.txt` : `hook-${hash}-${attempt}.txt`);
    if (create(file, bytes) || holds(file, bytes)) return file;
  }
  throw new Error(`${path.join(folder, `hook-${hash}.txt`)} is taken by another file`);
}

/** False if something has that name already. A file that could not be written whole is removed again. */
function create(file: string, bytes: Buffer): boolean {
  let fd: number;
  try {
    // SECURITY: a name planted beforehand, symlinks included, is never opened for writing.
    fd = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    return true;
  } catch (error) {
    unlinkSync(file);
    throw error;
  } finally {
    closeSync(fd);
  }
}

function holds(file: string, bytes: Buffer): boolean {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    // Safe: whatever it is (a symlink, a file of another user), it is not ours, and another name is tried.
    return false;
  }
  try {
    const { size, mode } = fstatSync(fd);
    const isPrivateFile = (mode & constants.S_IFMT) === constants.S_IFREG && (mode & 0o077) === 0;
    return isPrivateFile && size === bytes.length && readFileSync(fd).equals(bytes);
  } finally {
    closeSync(fd);
  }
}
