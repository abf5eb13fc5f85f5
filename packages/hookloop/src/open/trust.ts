import path from "node:path";
import { canonicalJson, type FoundSources, type Source } from "../config/index.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { EngineParts, Frontmatter } from "../engine/index.ts";
import { realFolder } from "../permissions/index.ts";
import { isOutsider, isStartedBySession, PROCESSES } from "../run/index.ts";
import { ownFolder } from "../state-files.ts";
import { type Concern, openGate, type Trust, type TrustGate, TrustStore } from "../trust/index.ts";
import type { Opening } from "./options.ts";

interface TrustParts {
  readonly trust: Trust;
  readonly isStrict: boolean;
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly report: (diagnostic: Diagnostic) => void;
}

/** Where running hooks are noted, beside the store. */
export const RUNS = "runs";

/** The gate of one session and the store it believes. Nothing is read before the first hook needs it. */
export function openTrust({ trust, isStrict, cwd, home, env, report }: TrustParts): {
  readonly gate: TrustGate;
  readonly store: TrustStore;
} {
  const onProblem = (text: string): void => report({ code: "HL_TRUST_STORE", level: "error", text });
  const folder = ownFolder("state", { env, home });
  const isOfAgent = (): boolean => isStartedBySession(env, path.join(folder, RUNS));
  const store = new TrustStore({
    folder,
    projectRoot: cwd,
    processes: PROCESSES,
    isOfAgent,
    isOutsider: (claimant, file) => isOutsider(claimant, { file, folder: path.join(folder, RUNS) }),
    onProblem,
  });
  // What the hook's own shell will make of `~`, which need not be where the user's settings are.
  const place = { projectRoot: cwd, home: env["HOME"] ?? home, path: env["PATH"] ?? "" };
  // Where a link on the way leads elsewhere, the shell still knows the name that was meant.
  const names = env["PWD"] !== undefined && path.isAbsolute(env["PWD"]) && realFolder(env["PWD"]) === realFolder(cwd) ? [env["PWD"]] : [];
  return { gate: openGate({ trust, isStrict, place, names, store, report }), store };
}

/** A file of configuration above the session's folder, which is not read. */
export function fileAbove({ diagnostics }: FoundSources): string | undefined {
  return diagnostics.find(({ code }) => code === "HL_CONFIG_ABOVE")?.place?.file;
}

/** Where the hooks of a skill's, command's or agent's head are declared. */
export function headSource(
  { file, root = path.dirname(file), skill, agentId }: Omit<Frontmatter, "text">,
  dialects: { for(place: "head"): { readonly name: string } },
): Source {
  const own = skill === undefined ? {} : { skill: { name: skill, root } };
  return { scope: "skill", dialect: dialects.for("head").name, file, root, agentId, ...own };
}

interface ConcernParts {
  readonly found: FoundSources;
  readonly files: Concern["files"];
  readonly plugins: readonly string[];
  readonly switches: NonNullable<Concern["switches"]>;
}

/** Which approvals this configuration should still have, and which of its files could not be read whole. */
export function concernOf({ found, files, plugins, switches }: ConcernParts): Concern {
  const isError = ({ level }: Diagnostic): boolean => level === "error";
  const unread = found.diagnostics.filter(isError).flatMap(({ place }) => place?.file ?? []);
  const damaged = found.documents.flatMap(({ source, diagnostics }) => (diagnostics.some(isError) ? (source.file ?? []) : []));
  const loaded = found.documents.flatMap(({ source }) => source.plugin?.root ?? []);
  const folders = (found.plugins ?? []).map(({ root }) => root);
  return {
    files,
    switches,
    plugins: [...plugins, ...folders, ...loaded],
    missingPlugins: found.missingPlugins,
    broken: [...new Set([...unread, ...damaged])],
  };
}

/** Reads the configuration again and says how it differs from what the session started with; each state of a file is announced once. */
export function createEditCheck({ found, registry, find, register, gate, report }: Opening): EngineParts["checkForEdits"] {
  const atStart = meanings(found);
  const announced = new Map(atStart);
  return async ({ admission }) => {
    const now = await find();
    const present = meanings(now);
    const files = [...new Set([...atStart.keys(), ...present.keys()])].filter((file) => atStart.get(file) !== present.get(file));
    for (const file of files) {
      const meaning = present.get(file);
      if (announced.get(file) === (meaning ?? "removed")) continue;
      announced.set(file, meaning ?? "removed");
      report(editedDiagnostic(file, meaning === undefined ? "removed" : "edited"));
    }
    if (files.length === 0) return { files, pending: [] };
    const known = new Set([...registry.hooks, ...admission.admitted].map(({ id }) => id));
    // All of them are looked at: what took the place of what can only be told from the whole.
    const pending = [...gate.look(register(now.documents).hooks).values()].filter(({ hook }) => !known.has(hook.id));
    return { files, pending };
  };
}

/** What each file says, or why it cannot be read; not where in the file it stands. */
function meanings({ documents, diagnostics }: FoundSources): ReadonlyMap<string, string> {
  // What is never read is no configuration of the session, whatever it says.
  const isNeverRead = (code: string): boolean => code === "HL_CONFIG_MISNAMED" || code === "HL_CONFIG_OTHER_AGENT";
  const unread = diagnostics.flatMap(({ place, code }) => (place && !isNeverRead(code) ? [[place.file, code] as const] : []));
  const read = documents.map(({ source, hooks, switches, permissions }) => {
    const own = hooks.map(({ event, matcher, kind, fields, sequence }) => ({ event, matcher, kind, fields, sequence }));
    return [source.file ?? source.scope, canonicalJson({ hooks: own, switches, permissions })] as const;
  });
  return new Map([...unread, ...read]);
}

function editedDiagnostic(file: string, what: "edited" | "removed"): Diagnostic {
  const text = `The configuration was ${what} while the session runs. The session keeps what it started with. Look at what is not approved yet: hookloop trust`;
  return { code: "HL_CONFIG_EDITED", level: "warning", text, place: { file } };
}
