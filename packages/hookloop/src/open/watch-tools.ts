/**
 * The second line behind self-protection: what a tool of the agent did to the files that decide which hooks run. A command is read before it
 * runs, and no reading is complete; here it is seen what happened. The trust store is put back; other files are only named, since a hook that
 * is not what was approved does not run anyway.
 */
import { lstatSync } from "node:fs";
import type { Diagnostic } from "../diagnostic.ts";
import { visibleLine } from "../diagnostic.ts";
import type { ToolWatch } from "../engine/index.ts";
import type { Trust, TrustStore } from "../trust/index.ts";

export interface WatchedParts {
  readonly store: TrustStore;
  readonly approves: Trust;
  /** Configuration that was read, and what its hooks run. */
  readonly files: () => readonly string[];
  readonly report: (diagnostic: Diagnostic) => void;
}

/** Looking at one file takes some microseconds, twice for each call. */
const MAX_FILES = 30;

export function createToolWatch({ store, approves, files, report }: WatchedParts): ToolWatch {
  let stop: (() => void) | undefined;
  let isOpen = false;
  const open = (): void => {
    isOpen = true;
    // A program that approves by itself believes no store.
    if (approves === "implicit" || typeof approves === "function") return;
    stop = store.watch((problem) => report(tampered(store.file, problem)));
  };
  return {
    before() {
      if (!isOpen) open();
      if (stop) store.checkWatched();
      const watched = files().slice(0, MAX_FILES);
      const signs = watched.map(signOf);
      return (tool, isKnown) => {
        if (stop) store.checkWatched();
        // SECURITY: whoever allowed a change that was asked about knows of it.
        if (isKnown) return;
        for (const [at, file] of watched.entries()) if (signOf(file) !== signs[at]) report(changedFile(file, tool));
      };
    },
    close() {
      stop?.();
      stop = undefined;
    },
  };
}

function signOf(file: string): string {
  try {
    const found = lstatSync(file, { throwIfNoEntry: false });
    return found ? `${found.ino} ${found.size} ${found.mtimeMs} ${found.mode}` : "";
  } catch (thrown) {
    return String((thrown as NodeJS.ErrnoException).code);
  }
}

function tampered(file: string, problem: string | undefined): Diagnostic {
  const what = `Something changed the trust store ${file} without "hookloop trust", while the agent ran tools. What may run is for a person to decide`;
  const end =
    problem === undefined
      ? "so it was put back as it was. Look at what the agent did. If you changed it yourself, use hookloop trust in your own terminal."
      : `and it could not be put back (${problem}). Until it is fixed every gate blocks. Look at what the agent did, then move the store away and approve again: hookloop trust review`;
  return { code: "HL_TRUST_STORE_PUT_BACK", level: "error", text: `${what}, ${end}` };
}

function changedFile(file: string, tool: string): Diagnostic {
  const text = `${visibleLine(file)} was changed while ${visibleLine(tool)} ran, and the call did not show that it would: hooks are declared in it, or it is part of one. Look at it, also with hookloop trust.`;
  return { code: "HL_TRUST_CHANGED_BY_TOOL", level: "warning", text, place: { file } };
}
