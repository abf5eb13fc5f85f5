import { statSync } from "node:fs";
import { failure, thrownText } from "../failures.ts";
import type { RunFailure } from "../types.ts";

/** Why nothing was started. */
export function couldNotStart(thrown: unknown): RunFailure {
  return failure("could-not-start", `it could not be started: ${startErrorText(thrown)}`);
}

/** What a shell says by its exit code when it could not start the command it was given. */
export function shellFailure(code: number | null | undefined, stderr: string): RunFailure | undefined {
  if (code !== 126 && code !== 127) return undefined;
  const said = stderr.trim().split("\n")[0] ?? "";
  const [, speaker] = /^([^:]{1,300}): (?:line )?\d+: ./.exec(said) ?? [];
  // The line of a script that was found: it ran, and what it needs is not there.
  if (speaker !== undefined && !/^(?:.*\/)?(?:ba|da|k|z)?sh$/.test(speaker)) return undefined;
  return failure("could-not-start", `the shell could not ${code === 127 ? "find" : "execute"} it${said && `: ${said.slice(0, 300)}`}`);
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Gone, not readable, or not a path at all: not a folder to run in.
    return false;
  }
}

function startErrorText(thrown: unknown): string {
  const { code } = thrown as { readonly code?: unknown };
  if (code === "E2BIG") return "its arguments and variables are longer than the system allows (E2BIG); pass large values in a file";
  if (code === "ERR_INVALID_ARG_VALUE") return "its command line or environment has a NUL byte";
  const cure = LIMITS[String(code)];
  return cure === undefined ? thrownText(thrown) : `${cure} (${code})`;
}

/** Not the program's fault, and nothing to look for in its path or mode. */
const LIMITS: Readonly<Record<string, string>> = {
  EMFILE: "too many files are open in this process; raise the limit (ulimit -n)",
  ENFILE: "too many files are open on this machine; end other programs",
  EAGAIN: "the system starts no more processes; raise the limit (ulimit -u), or end other programs",
  ENOMEM: "there is no memory left; raise the limit (ulimit -v), or end other programs",
};
