import type { ErrorCode } from "../../errors.ts";

/** What was asked for cannot be done: said in one line, before anything has happened. */
export class CannotStart extends Error {
  constructor(code: ErrorCode, text: string) {
    super(`${code}: ${text}`);
  }
}
