// The programs of our own that Node runs: the broker, processes that have booted already, hosts of modules.

import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Program } from "./program.ts";

interface NodeStart extends Pick<SpawnOptions, "cwd" | "stdio" | "serialization"> {
  readonly args: readonly string[];
  readonly env: Program["env"];
}

/** Starts a program of ours. SECURITY: in a session of its own, so that what it starts is ended with it, and Ctrl-C does not reach it. */
export function startNode({ args, env, ...options }: NodeStart): ChildProcess {
  const child = spawn(process.execPath, args, { ...options, env: { ...env }, detached: true, windowsHide: true });
  hold(child, false);
  return child;
}

/** A child that is talked to over a channel. */
export const CHANNEL: Pick<NodeStart, "stdio" | "serialization"> = {
  stdio: ["ignore", "ignore", "ignore", "ipc"],
  serialization: "advanced",
};

/** Whether this program waits for a child that it started. */
export function hold(child: ChildProcess, isHeld: boolean): void {
  const change = isHeld ? "ref" : "unref";
  child[change]();
  child.channel?.[change]();
  for (const stream of child.stdio ?? []) (stream as unknown as { ref(): void; unref(): void } | null)?.[change]();
}

/** A program of ours that lies beside the file at `url`; `undefined` where that was bundled into something else. */
export function ownProgram(name: string, url: string): string | undefined {
  try {
    const script = fileURLToPath(new URL(name, url));
    return existsSync(script) ? script : undefined;
  } catch {
    // A bundle without a file of its own.
    return undefined;
  }
}
