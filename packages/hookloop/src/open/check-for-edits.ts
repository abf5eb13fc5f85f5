import type { FoundSources } from "../config/index.ts";
import { canonicalJson, type RegisteredHook } from "../config/index.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { ConfigEdits } from "../engine/index.ts";
import type { Statuses } from "../trust/index.ts";

export interface EditParts {
  /** What the session started with. */
  readonly found: FoundSources;
  readonly hooks: readonly RegisteredHook[];
  readonly find: () => Promise<FoundSources>;
  readonly register: (found: FoundSources) => readonly RegisteredHook[];
  readonly look: (hooks: readonly RegisteredHook[]) => Statuses;
  readonly report: (diagnostic: Diagnostic) => void;
}

/** A function that reads the configuration again and says what differs; each state of a file is announced once. */
export function createEditCheck({ found, hooks, find, register, look, report }: EditParts): () => Promise<ConfigEdits> {
  const snapshot = meanings(found);
  const running = new Set(hooks.map(({ id }) => id));
  const announced = new Map(snapshot);
  return async () => {
    const now = await find();
    const present = meanings(now);
    const files = [...new Set([...snapshot.keys(), ...present.keys()])].filter((file) => snapshot.get(file) !== present.get(file));
    for (const file of files) {
      const meaning = present.get(file);
      if (announced.get(file) === (meaning ?? "removed")) continue;
      announced.set(file, meaning ?? "removed");
      report(editedDiagnostic(file, meaning === undefined ? "removed" : "edited"));
    }
    if (files.length === 0) return { files, pending: [] };
    // All of them are looked at: what took the place of what can only be told from the whole.
    return { files, pending: [...look(register(now)).values()].filter(({ hook }) => !running.has(hook.id)) };
  };
}

/** What each file says, or why it cannot be read; not where in the file it stands. */
function meanings({ documents, diagnostics }: FoundSources): ReadonlyMap<string, string> {
  // What is never read is no configuration of the session, whatever it says.
  const unread = diagnostics.flatMap(({ place, code }) => (place && code !== "HL_CONFIG_MISNAMED" ? [[place.file, code] as const] : []));
  const read = documents.map(({ source, hooks, switches, permissions }) => {
    const own = hooks.map(({ event, matcher, kind, fields, sequence }) => ({ event, matcher, kind, fields, sequence }));
    return [source.file ?? source.scope, canonicalJson({ hooks: own, switches, permissions })] as const;
  });
  return new Map([...unread, ...read]);
}

function editedDiagnostic(file: string, what: "edited" | "removed"): Diagnostic {
  const text = `The configuration was ${what} while the session runs. The session keeps what it started with; look at what waits: hookloop trust`;
  return { code: "HL_CONFIG_EDITED", level: "warning", text, place: { file } };
}
