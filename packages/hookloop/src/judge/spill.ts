import { createHash } from "node:crypto";
import { constants, lstatSync } from "node:fs";
import path from "node:path";
import { createPrivateFile, makePrivateFolder, readStart } from "../state-files.ts";
import type { Attributed, Verdict } from "./verdict.ts";

/** The longest text that reaches anyone as it is. */
const SHOWN_LIMIT = 10_000;
const PREVIEW_LENGTH = 2_000;
/** Other names to try when a name is taken by something else, such as a file that a crash left half written. */
const NAME_TRIES = 3;

export interface SpillOptions {
  readonly folder: string;
  readonly redact: (text: string) => string;
}

interface Spilled {
  readonly text: string;
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

const LISTS = ["reasons", "continueWith", "contexts", "feedback", "tells"] as const;

/** Applies it to every text of a verdict, and hides secrets in all but what is said to the model on purpose; the verdict itself if nothing changes. */
export function spillVerdict(verdict: Verdict, options: SpillOptions): { readonly verdict: Verdict; readonly problems: readonly string[] } {
  // SECURITY: what a hook that fails prints on stderr is among these, and that is where tokens and settings turn up.
  const hidden = LISTS.filter((list) => list !== "contexts");
  const clean = withTexts(verdict, hidden, options.redact);
  const problems = new Set<string>();
  const spilled = withTexts(clean, LISTS, (given) => {
    const { text, problem } = spillText(given, options);
    if (problem) problems.add(problem);
    return text;
  });
  return { verdict: spilled, problems: [...problems] };
}

/** The verdict with each of these texts, and that of a halt, changed; itself if none is. */
function withTexts(verdict: Verdict, lists: readonly (typeof LISTS)[number][], change: (text: string) => string): Verdict {
  let isChanged = false;
  const changed = (one: Attributed): Attributed => {
    const text = change(one.text);
    if (text === one.text) return one;
    isChanged = true;
    return { ...one, text };
  };
  const halt = verdict.halt && changed(verdict.halt);
  const texts = Object.fromEntries(lists.map((list) => [list, verdict[list].map(changed)]));
  return isChanged ? { ...verdict, ...texts, halt } : verdict;
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
    if (createPrivateFile(file, bytes) || holds(file, bytes)) return file;
  }
  throw new Error(`${path.join(folder, `hook-${hash}.txt`)} is taken by another file`);
}

/** Whatever else has the name (a symlink, a file that others can read), another name is tried. */
function holds(file: string, bytes: Buffer): boolean {
  const isPrivate = (lstatSync(file).mode & 0o077) === 0;
  return isPrivate && readStart(file, bytes.length + 1, constants.O_NOFOLLOW)?.equals(bytes) === true;
}
