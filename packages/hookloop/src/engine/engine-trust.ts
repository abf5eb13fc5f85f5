import type { Diagnostic } from "../diagnostic.ts";
import type { TrustStatus } from "./trust/index.ts";

/** Configuration on disk that is not what the session runs with. */
export interface ConfigEdits {
  /** Files that were edited, made or removed since the session opened. */
  readonly files: readonly string[];
  /** Hooks that stand there now and are not the session's. None of them runs in it. */
  readonly pending: readonly TrustStatus[];
}

/** What a session knows about trust in its hooks. */
export interface EngineTrust {
  /** What each configured hook is. */
  readonly statuses: readonly TrustStatus[];
  /** Why the session must not start; empty if it may. */
  readonly cannotStart: readonly Diagnostic[];
  /** Reads the configuration again and says what differs from what the session started with. Applies nothing. */
  checkForEdits(): Promise<ConfigEdits>;
}
