import type { RegisteredHook } from "../config/index.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { RefusedHook, TrustStatus } from "../trust/index.ts";

/** Configuration on disk that is not what the session runs with. */
export interface ConfigEdits {
  /** Files that were edited, made or removed since the session opened. */
  readonly files: readonly string[];
  /** Hooks that stand there now and are not the session's. None of them runs in it. */
  readonly pending: readonly TrustStatus[];
}

/** What came of applying an edit. */
export interface AppliedEdits {
  /** Hooks that run from now on. */
  readonly added: readonly RegisteredHook[];
  /** Hooks that run no more. */
  readonly removed: readonly RegisteredHook[];
  /** Hooks that the files do not have any more, and the session keeps. */
  readonly kept: readonly RegisteredHook[];
  /** Hooks of the configuration that did not pass the gate. */
  readonly refused: readonly RefusedHook[];
}

/** A file of the configuration, whether it is there or not. */
export interface ConfigFile {
  readonly file: string;
  readonly scope: RegisteredHook["source"]["scope"];
}

/** What a session knows about trust in its hooks. */
export interface EngineTrust {
  /** What each configured hook is. */
  readonly statuses: readonly TrustStatus[];
  /** Why the session must not start; empty if it may. */
  readonly cannotStart: readonly Diagnostic[];
  /** Gates that were approved for a folder above the session's: they are not read here, and nothing stands in for them. */
  readonly gatesAbove: readonly RegisteredHook[];
  /** Gates that were approved for these folders, or for folders above them; the session's own are not among them. */
  gatesOf(folders: readonly string[]): readonly RegisteredHook[];
  /** Reads the configuration again and says what differs from what the session started with. Applies nothing. */
  checkForEdits(): Promise<ConfigEdits>;
}
