import type { ErrorCode } from "../../errors.ts";

/** What was asked for cannot be done: said in one line, before anything has happened. */
export class CannotStart extends Error {
  /** 2 for wrong usage, as with every command. */
  readonly exitCode: number;

  constructor(code: ErrorCode, text: string) {
    super(`${code}: ${text}`);
    this.exitCode = code === "HL_CLI_USAGE" ? 2 : 1;
  }
}
