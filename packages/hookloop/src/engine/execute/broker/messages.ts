import type { Program, ProgramEnd } from "../process-group.ts";

/** A program as it travels to the broker: everything but the functions. */
export type PlainProgram = Omit<Program, "onStart" | "signal">;

export type ToBroker =
  | { readonly kind: "run"; readonly id: number; readonly program: PlainProgram }
  | { readonly kind: "abort"; readonly id: number };

export type FromBroker =
  | { readonly kind: "ready" }
  | { readonly kind: "started"; readonly id: number; readonly pid: number }
  | { readonly kind: "ended"; readonly id: number; readonly end: ProgramEnd };
