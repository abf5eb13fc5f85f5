import type { RunFailure, RunNote } from "../types.ts";

/** What a host is started with. */
export interface HostStart {
  readonly file: string;
  /** Name in messages. */
  readonly name: string;
  readonly cacheFolder: string | undefined;
}

/** What the hook is called for, where its matcher lists it. */
export interface Matched {
  readonly event: string;
  readonly tools: readonly string[];
}

export interface HostCall {
  readonly kind: "call";
  readonly id: number;
  readonly payload: Uint8Array;
  readonly export?: string | undefined;
  readonly matched?: Matched | undefined;
  /** Variables to set before the call; left out if they are as in the call before. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export type ToHost = HostCall | { readonly kind: "cancel"; readonly id: number };

/** Messages of one moment travel together: waking the other side costs more than reading one more. */
export type Batch<Message> = readonly Message[];

export interface HostAnswer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly isTruncated: boolean;
  readonly failure?: RunFailure | undefined;
  readonly notes?: readonly RunNote[] | undefined;
}

export type FromHost =
  /** The file has been read, or something it imports: an edit of one of these is noticed. */
  | { readonly kind: "loaded"; readonly stamps: readonly (readonly [file: string, stamp: string])[] }
  | { readonly kind: "load-failed"; readonly text: string; readonly stderr: string }
  | { readonly kind: "answer"; readonly id: number; readonly answer: HostAnswer; readonly isSpoilt?: true }
  /** The call was told to end, and the loop still turns. */
  | { readonly kind: "cancelled"; readonly id: number }
  /** The module called `process.exit`; the host ends now. */
  | { readonly kind: "exited"; readonly id: number | undefined; readonly code: number; readonly stderr: string };
