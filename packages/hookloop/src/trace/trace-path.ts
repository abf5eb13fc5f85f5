import { createHash } from "node:crypto";
import path from "node:path";

export interface TracePathInput {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly projectRoot: string;
  readonly session: string;
}

/** `$XDG_STATE_HOME/hookloop/traces/<project>/<session>.jsonl`; undefined if neither it nor HOME is set to an absolute path. */
export function tracePath({ env, projectRoot, session }: TracePathInput): string | undefined {
  const folder = projectFolder("traces", { env, projectRoot });
  return folder && path.join(folder, `${sessionName(session)}.jsonl`);
}

/** The folder of a project's transcripts. */
export function transcriptFolder(input: Omit<TracePathInput, "session">): string | undefined {
  return projectFolder("sessions", input);
}

function projectFolder(kind: string, { env, projectRoot }: Omit<TracePathInput, "session">): string | undefined {
  const state = absolute(env["XDG_STATE_HOME"]) ?? absolute(env["HOME"], ".local/state");
  return state && path.join(state, "hookloop", kind, projectName(projectRoot));
}

function absolute(folder: string | undefined, below = ""): string | undefined {
  return folder && path.isAbsolute(folder) ? path.join(folder, below) : undefined;
}

/** Readable, and different for different roots: `/a/b` and `/a-b` must not share a folder. */
function projectName(root: string): string {
  return `${
    path
      .basename(root)
      .replace(/[^\w.-]/g, "-")
      .replace(/^\.+/, "")
      .slice(0, 60) || "root"
  }-${shortHash(root)}`;
}

// SECURITY: the session id comes from outside; it must not lead out of the folder.
export function sessionName(session: string): string {
  return /^\w[\w.-]{0,127}$/.test(session) ? session : `session-${shortHash(session)}`;
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
