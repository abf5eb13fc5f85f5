import type { EventInput } from "../../../engine/index.ts";

/** A worktree and who made it. */
export interface Worktree {
  readonly name: string;
  readonly folder: string;
  readonly madeBy: "git" | "hook";
  /** It lies outside of the workspace and was added to it. */
  readonly isAdded: boolean;
}

/** An agent in its worktree. */
export interface Stay {
  readonly worktree: Worktree;
  /** Where it was before. */
  readonly from: string;
}

/** Who wants something. */
export interface Visitor {
  /** The agent's id; empty for the main agent. */
  readonly id: string;
  readonly cwd: string;
  /** Fields of its payloads. */
  readonly fields: EventInput;
  readonly signal: AbortSignal;
}

export interface LeaveInput {
  readonly action: "keep" | "remove";
  /** The one it is in, if left out. */
  readonly name?: string | undefined;
  /** Also what would be lost with it. */
  readonly discard?: boolean | undefined;
}
