import { realpathSync } from "node:fs";
import path from "node:path";
import type { FoundSources } from "../config/index.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { isOutsider, isRunning, isStartedBySession, type ProcessIdentity, readStat } from "../run/index.ts";
import { type Concern, openGate, type Processes, type Trust, type TrustGate, TrustStore } from "../trust/index.ts";

export interface TrustParts {
  readonly trust: Trust;
  readonly isStrict: boolean;
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly report: (diagnostic: Diagnostic) => void;
}

/** SECURITY: only an absolute path counts; another would lead below the working directory, into the project. */
export function stateFolder({ home, env }: Pick<TrustParts, "home" | "env">): string {
  const state = env["XDG_STATE_HOME"];
  return path.join(state !== undefined && path.isAbsolute(state) ? state : path.join(home, ".local", "state"), "hookloop");
}

/** Where running hooks are noted, beside the store. */
export const RUNS = "runs";

/** The gate of one session and the store it believes. Nothing is read before the first hook needs it. */
export function openTrust({ trust, isStrict, cwd, home, env, report }: TrustParts): {
  readonly gate: TrustGate;
  readonly store: TrustStore;
} {
  const onProblem = (text: string): void => report({ code: "HL_TRUST_STORE", level: "error", text });
  const folder = stateFolder({ home, env });
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
  const names = env["PWD"] !== undefined && path.isAbsolute(env["PWD"]) && leadsTo(env["PWD"], cwd) ? [env["PWD"]] : [];
  return { gate: openGate({ trust, isStrict, place, names, store, report }), store };
}

function leadsTo(folder: string, other: string): boolean {
  try {
    return realpathSync(folder) === realpathSync(other);
  } catch {
    // One of them is gone.
    return false;
  }
}

/** A file of configuration above the session's folder, which is not read. */
export function fileAbove({ diagnostics }: FoundSources): string | undefined {
  return diagnostics.find(({ code }) => code === "HL_CONFIG_ABOVE")?.place?.file;
}

export interface ConcernParts {
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

/** The processes of this machine. */
export const PROCESSES: Processes = {
  self: () => ({ pid: process.pid, startTime: readStat("self")?.startTime || UNKNOWN_START }),
  startOf: (pid) => readStat(pid)?.startTime,
  isRunning: (other) => (other.startTime === UNKNOWN_START || readStat("self") === undefined ? hasPid(other) : isRunning(other)),
};

/** Where there is no /proc, a pid is all there is: a lock of a pid that is in use is left alone. */
const UNKNOWN_START = "unknown";

function hasPid({ pid }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // EPERM: it is there and belongs to somebody else.
    return (thrown as NodeJS.ErrnoException).code === "EPERM";
  }
}
