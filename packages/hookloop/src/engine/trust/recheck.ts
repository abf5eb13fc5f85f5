import path from "node:path";
import type { RegisteredHook } from "../../config/index.ts";
import { projectVariable } from "../../config/index.ts";
import { diffRecords } from "./diff/index.ts";
import { type Examination, glimpse, type HookPins, lookAt, pinHook, type Watch, watchHook } from "./pin/index.ts";

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
export interface Vouched {
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
export function recheck(vouched: Vouched, cwd: string, isStrict: boolean): StaleHook | undefined {
  const { examination, pins } = vouched;
  // A hook whose folder is gone runs in the project root.
  const folder = lookAt(cwd).kind === "folder" ? path.resolve(cwd) : examination.place.projectRoot;
  const watch = watchHook(examination, folder, pins.implied);
  if (!isStrict && !vouched.isTouched && vouched.watch.isSettled && watch.signature === vouched.watch.signature) return undefined;
  const now = pinHook(examination, folder);
  if (now.digest !== pins.digest) return stale(examination.hook, { pins, now, isElsewhere: folder !== examination.place.projectRoot });
  vouched.pins = now;
  vouched.watch = watch;
  noteTimes(vouched);
  return undefined;
}

/** SECURITY: what was written once in a session is hashed before each run from then on. */
export function noteTimes(vouched: Pick<Vouched, "pins" | "times" | "isTouched">): void {
  const now = Date.now();
  for (const { realpath } of vouched.pins.record.files) {
    const { signature } = glimpse(realpath, now);
    const before = vouched.times.get(realpath) ?? signature;
    vouched.times.set(realpath, before);
    if (before !== signature) vouched.isTouched = true;
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
    ? ` It names files by relative paths and the session is in another folder: write "$${projectVariable(hook.source)}"/… instead.`
    : "";
  return { digest: now.digest, diff, text: `"${hook.name}" is not what was approved any more and was not run.${hint}` };
}
