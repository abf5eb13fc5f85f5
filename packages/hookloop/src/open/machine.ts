import { userInfo } from "node:os";
import path from "node:path";
import { snapshotEnvironment } from "../run/index.ts";
import { RUNS, stateFolder } from "./open-trust.ts";
import type { OpenOptions } from "./options.ts";

/** Where a session runs. */
export interface Machine {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
}

export function lookAround({ cwd, ports = {} }: OpenOptions): Machine {
  const env = snapshotEnvironment(ports.env ?? process.env);
  return { cwd: path.resolve(cwd), home: homeFolder(ports.home ?? env["HOME"]), env };
}

/** SECURITY: a home that is not absolute would be looked for below the working directory, and the project's files would pass for the user's. */
function homeFolder(given: string | undefined): string {
  return given !== undefined && path.isAbsolute(given) ? given : userInfo().homedir;
}

/** Where running hooks are noted, for the case that this program is killed. */
export function runFolder({ home, env }: Pick<Machine, "home" | "env">): string {
  return path.join(stateFolder({ home, env }), RUNS);
}
