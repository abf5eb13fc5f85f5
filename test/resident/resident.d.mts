export interface PlayedRun {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What the agent itself has used; time on a clock says as much about the machine. */
  readonly cpuMs: number;
}

/** An agent that stays between runs. */
export interface Resident {
  /** Runs the command line, such as `["agent", "-p", "go"]`. One run at a time: the others wait. */
  run(args: readonly string[], place: { readonly cwd: string; readonly env: Readonly<Record<string, string>> }): Promise<PlayedRun>;
  close(): void;
}

export function createResident(): Resident;
