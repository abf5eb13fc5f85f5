import type { InTurn } from "../../clear-answer.ts";

/** Where a conversation is shown and typed. A terminal that can move its cursor has one, a dumb one another. */
export interface Screen {
  /** Columns that a line may take. */
  readonly columns: () => number;
  /** Writes whole lines above what is being typed; they are wrapped, with `indent` before every line but the first of each. */
  print(text: string, indent?: string): void;
  /** Writes text as it comes. */
  stream(piece: string): void;
  /** The text is complete. */
  endStream(): void;
  /** What is going on right now; nothing: nothing is. */
  setProgress(text: string | undefined): void;
  setStatus(text: string): void;
  /** Whether the agent works: what is entered meanwhile waits. */
  setBusy(isBusy: boolean): void;
  /** Asks; nothing if there was no answer. What was being typed comes back afterwards. */
  ask(question: string, signal?: AbortSignal): Promise<string | undefined>;
  /** One matter at a time: whoever shows what a question is about and asks does both in here. */
  readonly inTurn: InTurn;
  /** `isGone`: the terminal was closed; nothing more is written to it. */
  close(isGone?: boolean): void;
}

/** As much of a screen as a question needs. */
export type AskScreen = Pick<Screen, "columns" | "print" | "ask" | "inTurn">;

/** What the person does. */
export interface ScreenEvents {
  /** A prompt or a command was entered. */
  readonly onLine: (text: string) => void;
  /** Ctrl-C; `hadText`: it took away what was typed. */
  readonly onInterrupt: (hadText: boolean) => void;
  /** Esc: the turn is to stop; what is typed stays. */
  readonly onStop: () => void;
  /** Shift-Tab: the next permission mode. */
  readonly onMode: () => void;
  /** Ctrl-D, or the terminal is gone. */
  readonly onLeave: () => void;
  /** What could stand at the cursor: each as the whole text up to it would be. */
  readonly complete: (before: string) => Promise<readonly string[]>;
}
