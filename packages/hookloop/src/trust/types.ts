import type { RegisteredHook } from "../config/index.ts";
import type { HookPins } from "./pin/examine-hook.ts";
import type { TrustRecord } from "./store/seal-record.ts";

declare const admitted: unique symbol;

/** A registered hook that passed the gate. Only `trust/` can make one: skipping the gate does not compile. */
export type AdmittedHook = RegisteredHook & {
  readonly [admitted]: true;
  /** It stands in for a gate that must not run: it runs nothing and blocks what it matches. */
  readonly withheld?: Withheld | undefined;
};

/** What a gate that must not run is standing in the plan for. */
export interface Withheld {
  readonly reason: RefusalReason;
  readonly text: string;
  /** The hook as it is declared now; absent where the approved one is not in the configuration any more, or is declared otherwise. */
  readonly of?: RegisteredHook | undefined;
  /** Digest of the approval that it keeps in force. */
  readonly approved?: string | undefined;
  /** The local switches that would keep it off, none of them approved yet. */
  readonly switches?: readonly RegisteredHook[] | undefined;
}

/** Why a hook must not run. */
export interface Refusal {
  readonly reason: RefusalReason;
  /** For people: why, and how to change it. */
  readonly text: string;
  /** It is a gate that was approved before, or cannot be told from one: until it is reviewed, it blocks what it matches. */
  readonly blocks?: boolean | undefined;
  /** The local switches that would keep it off, none of them approved yet. */
  readonly switches?: readonly RegisteredHook[] | undefined;
}

/** A registered hook that must not run, and why. */
export interface RefusedHook extends Refusal {
  readonly hook: RegisteredHook;
  /** Against what was approved, where it changed. */
  readonly diff?: string | undefined;
}

export type RefusalReason =
  | "disabled"
  | "managed-only"
  | "simple-mode"
  | "untrusted"
  | "changed"
  | "refused"
  | "not-pinned"
  | "wrong-pin"
  /** its entry, or the whole file, cannot be read */
  | "unreadable"
  /** its entry is not in the configuration any more */
  | "removed"
  /** the store of approvals cannot be read */
  | "unknown"
  /** it was approved for a folder above, and is not read here */
  | "above"
  | "project-hooks-off";

export type TrustState =
  /** exactly these bytes were approved */
  | "trusted"
  /** the same, but something it runs is not pinned */
  | "definition-only"
  /** it is seen for the first time */
  | "new"
  /** what was approved is not what is there now */
  | "changed"
  /** it was rejected, or it cannot be trusted at all */
  | "refused"
  /** it was approved, and is not in its file any more */
  | "removed"
  /** its entry, or its whole file, cannot be read */
  | "unreadable"
  /** it was approved for a folder above the session's */
  | "above"
  /** the store of approvals cannot be read */
  | "unknown"
  /** policy of the machine: no approval is needed */
  | "managed";

/** What the gate makes of one hook. */
export interface TrustStatus {
  readonly hook: RegisteredHook;
  readonly state: TrustState;
  /** Why it must not run; absent if it may. */
  readonly refusal?: Refusal | undefined;
  /** `sha256:…` of everything that was looked at; absent where trust is not by content. */
  readonly digest?: string | undefined;
  readonly pins?: HookPins | undefined;
  /** What was approved before; only for `changed`. */
  readonly before?: TrustRecord | undefined;
  /** Against that. */
  readonly diff?: string | undefined;
  /** It is in no file: the hook is what was approved. */
  readonly isAbsent?: boolean | undefined;
  /** The store, or a digest given for this run, approves exactly this. */
  readonly isApproved?: boolean | undefined;
}

/** A hook that is not approved yet. */
export interface PendingHook extends TrustStatus {
  readonly digest: string;
  readonly pins: HookPins;
}

/** A person's word about one hook. */
export interface Approval {
  readonly id: string;
  /** The digest that was shown: if the hook is another one by now, the word does not count. */
  readonly digest: string;
  /** Yes if left out. A no is remembered too. */
  readonly decision?: "approve" | "refuse" | undefined;
}

/** Whom a run believes besides the store of approvals. */
export interface RunTrust {
  /** Trusts what the project's own files declare, for this run only. */
  readonly workspace?: boolean | undefined;
  /** Trusts single hooks by id and digest, for this run only. */
  readonly pinned?: Readonly<Record<string, string>> | undefined;
  /** `false`: no hook of the project, its plugins or skills runs. */
  readonly projectHooks?: boolean | undefined;
  /** Asks the user about all hooks that are not approved yet; one that is not in the answer stays untrusted. */
  readonly review?: ((pending: readonly PendingHook[]) => Promise<readonly Approval[]>) | undefined;
}

/** Who approves hooks that come from files: the store of approvals (and more for this run), or the embedding program for all, or for each. */
export type Trust = "store" | "implicit" | ((hook: RegisteredHook) => boolean) | RunTrust;
