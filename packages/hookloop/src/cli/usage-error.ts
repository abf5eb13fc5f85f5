import type { ErrorCode } from "../errors.ts";

/** The person asked for something that does not exist: exit code 2 and one line that helps. */
export class UsageError extends Error {
  constructor(code: ErrorCode, text: string) {
    super(`${code}: ${text}`);
  }
}
