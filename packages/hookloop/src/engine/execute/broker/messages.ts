import type { Program, ProgramEnd } from "../process/index.ts";

/** A program as it travels to the broker: everything but the functions. */
export interface PlainProgram extends Omit<Program, "onStart" | "onFirstLine" | "onOutput" | "signal"> {
  /** Somebody waits for the first line. */
  readonly tellsFirstLine: boolean;
}

export type ToBroker =
  | { readonly kind: "run"; readonly id: number; readonly program: PlainProgram }
  | { readonly kind: "abort"; readonly id: number }
  /** It goes on in the background: this is the time it has left. */
  | { readonly kind: "allow"; readonly id: number; readonly ms: number };

export type FromBroker =
  | { readonly kind: "ready" }
  | { readonly kind: "started"; readonly id: number; readonly pid: number }
  | { readonly kind: "line"; readonly id: number; readonly line: string }
  | { readonly kind: "ended"; readonly id: number; readonly end: ProgramEnd };
