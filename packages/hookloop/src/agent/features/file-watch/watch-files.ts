/** Takes files to watch; gives one event per save, however the editor saves: events of the system only say that it is time to look. */

import type { LookAtFile } from "./file-state.ts";
import { createFolderWatches } from "./folder-watches.ts";

export interface FileEvent {
  readonly file: string;
  readonly event: "change" | "add" | "unlink";
}

export interface WatchOptions {
  /** What counts as a change. */
  readonly look: LookAtFile;
  /** One after the other. */
  readonly onEvent: (event: FileEvent) => Promise<void>;
  readonly onProblem: (text: string) => void;
  /** A file is looked at when nothing has happened for so long; 150 ms if left out. */
  readonly quietMs?: number | undefined;
}

export interface FileWatch {
  /** Watches these files from now on. One that is new to the list is taken as it is. */
  follow(files: readonly string[]): void;
  /** The same; one that is new to the list and there has just been added. */
  followGrowing(files: readonly string[]): void;
  /** Looks now; if something has changed, waits until it is told. */
  settle(): Promise<void>;
  close(): void;
}

const QUIET_MS = 150;
const MOST_QUIETS = 10;

export function watchFiles({ look, onEvent, onProblem, quietMs = QUIET_MS }: WatchOptions): FileWatch {
  const known = new Map<string, string | undefined>();
  /** Gone at the last look: an editor may be about to put another file in its place. */
  const missed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let restlessSince: number | undefined;
  let told: Promise<void> = Promise.resolve();
  let waiting: (() => void)[] = [];
  let isClosed = false;
  const folders = createFolderWatches({ onEvent: () => later(), onProblem });
  const later = (): void => {
    if (isClosed) return;
    restlessSince ??= performance.now();
    // A log beside the file that is written all the time must not keep it from being looked at.
    if (timer !== undefined && performance.now() - restlessSince > quietMs * MOST_QUIETS) return;
    clearTimeout(timer);
    timer = setTimeout(check, quietMs).unref();
  };
  const check = (): void => {
    timer = undefined;
    restlessSince = undefined;
    folders.follow([...known.keys()]);
    for (const event of changes({ known, missed, look })) told = told.then(() => onEvent(event));
    if (missed.size > 0) {
      later();
      return;
    }
    const resolved = waiting;
    waiting = [];
    void told.then(() => {
      for (const resolve of resolved) resolve();
    });
  };
  const follow = (files: readonly string[], stateOf: LookAtFile): void => {
    const wanted = new Set(files);
    for (const file of known.keys()) if (!wanted.has(file)) known.delete(file);
    for (const file of wanted) if (!known.has(file)) known.set(file, stateOf(file));
    folders.follow(files);
  };
  return {
    follow: (files) => follow(files, look),
    followGrowing: (files) => {
      follow(files, () => undefined);
      if (differs(known, look)) later();
    },
    async settle() {
      if (isClosed || !differs(known, look)) return await told;
      // A timer that is not counted would let a program end that has nothing else to wait for.
      const counted = setInterval(() => undefined, 1000);
      later();
      await new Promise<void>((resolve) => waiting.push(resolve));
      clearInterval(counted);
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      folders.close();
      for (const resolve of waiting) resolve();
    },
  };
}

function differs(known: ReadonlyMap<string, string | undefined>, look: LookAtFile): boolean {
  return [...known].some(([file, state]) => look(file) !== state);
}

interface Looking {
  readonly known: Map<string, string | undefined>;
  readonly missed: Set<string>;
  readonly look: LookAtFile;
}

function changes({ known, missed, look }: Looking): readonly FileEvent[] {
  return [...known].flatMap(([file, before]): readonly FileEvent[] => {
    const now = look(file);
    const isNewlyGone = now === undefined && before !== undefined && !missed.has(file);
    if (isNewlyGone) missed.add(file);
    else missed.delete(file);
    if (now === before || isNewlyGone) return [];
    known.set(file, now);
    return [{ file, event: before === undefined ? "add" : now === undefined ? "unlink" : "change" }];
  });
}
