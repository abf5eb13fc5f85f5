import { isObject } from "../../check-options.ts";
import type { RunFailure, RunNote } from "../types.ts";

export interface HostStart {
  readonly file: string;
  readonly name: string;
  readonly cacheFolder: string | undefined;
  /** The file is a script: its calls have `script`, all variables in `env`, and come one after the other. */
  readonly isScript?: true | undefined;
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
  /** Its settings call it a guard: it is watched as one. */
  readonly isGuard?: boolean | undefined;
  /** When it is no longer waited for, in milliseconds since 1970; scripts have it among their variables. */
  readonly deadline?: number | undefined;
  /** Variables to set before the call; left out if they are as in the call before. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly script?: ScriptStart | undefined;
}

export interface ScriptStart {
  /** As the command names it, made absolute. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
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
  | { readonly kind: "unserved"; readonly id: number }
  /** The call was told to end, and the loop still turns. */
  | { readonly kind: "cancelled"; readonly id: number }
  /** The module called `process.exit`; the host ends now. */
  | { readonly kind: "exited"; readonly id: number | undefined; readonly code: number; readonly stderr: string };

/** Whether it is what a host sends, part by part: whoever reads it relies on that. */
export function isBatch(value: unknown): value is Batch<FromHost> {
  return (
    Array.isArray(value) && value.every((message) => isObject(message) && PARTS[message["kind"] as FromHost["kind"]]?.(message) === true)
  );
}

type Fields = Readonly<Record<string, unknown>>;

const PARTS: Readonly<Record<FromHost["kind"], (message: Fields) => boolean>> = {
  loaded: ({ stamps }) =>
    Array.isArray(stamps) && stamps.every((stamp) => Array.isArray(stamp) && stamp.every((part) => typeof part === "string")),
  "load-failed": ({ text, stderr }) => typeof text === "string" && typeof stderr === "string",
  answer: ({ id, answer }) => typeof id === "number" && isObject(answer) && isAnswer(answer),
  unserved: ({ id }) => typeof id === "number",
  cancelled: ({ id }) => typeof id === "number",
  exited: ({ id, code, stderr }) => (id === undefined || typeof id === "number") && typeof code === "number" && typeof stderr === "string",
};

const FAILURES: readonly unknown[] = ["could-not-start", "threw"] satisfies RunFailure["kind"][];
const NOTES: readonly unknown[] = ["HL_CONFIG_OPTION_IGNORED"] satisfies RunNote["code"][];

function isAnswer({ stdout, stderr, exitCode, isTruncated, failure, notes = [] }: Fields): boolean {
  const isWritten = typeof stdout === "string" && typeof stderr === "string" && typeof isTruncated === "boolean";
  const isEnded = exitCode === null || typeof exitCode === "number";
  const isTold = failure === undefined || (isObject(failure) && FAILURES.includes(failure["kind"]) && typeof failure["text"] === "string");
  const isNoted =
    Array.isArray(notes) && notes.every((note) => isObject(note) && NOTES.includes(note["code"]) && typeof note["text"] === "string");
  return isWritten && isEnded && isTold && isNoted;
}

interface Outbox<Message> {
  readonly add: (message: Message) => void;
  flush(): void;
}

// As it was before a module could change it.
const { nextTick } = process;

/** Sends the messages of one moment together: as soon as no promise is left that could add one. */
export function createOutbox<Message>(send: (batch: Batch<Message>) => void): Outbox<Message> {
  let waiting: Message[] = [];
  const flush = (): void => {
    const batch = waiting;
    waiting = [];
    if (batch.length > 0) send(batch);
  };
  const add = (message: Message): void => {
    waiting.push(message);
    if (waiting.length === 1) nextTick(flush);
  };
  return { add, flush };
}
