/** Numbers of a session as steps of the trace: each tool call, each shell command, and what models were sent and gave. */

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import path from "node:path";
import type { HookHandler } from "@hookloop/sdk";
import { isObject } from "../check-options.ts";
import type { RecordFile, SessionPlace } from "../engine/index.ts";
import { callsOfKind } from "../permissions/index.ts";
import { readingOf, UNKNOWN } from "../shell/index.ts";
import type { ShippedHook } from "./index.ts";

export interface Metric {
  readonly name: "tool_executed" | "bash_executed" | "tokens_used";
  readonly fields: Readonly<Record<string, string | number | boolean | null>>;
}

/** A tool call that has ended. */
export interface EndedCall {
  readonly tool: string;
  readonly durationMs: number;
  /** Of a call that failed: its text. */
  readonly error?: string | undefined;
  readonly isInterrupt?: boolean | undefined;
}

export function toolExecuted({ tool, durationMs, error, isInterrupt }: EndedCall): Metric {
  const error_type = error === undefined ? null : errorType(error, isInterrupt === true);
  return { name: "tool_executed", fields: { tool_name: tool, duration_ms: durationMs, success: error === undefined, error_type } };
}

const EXIT_CODE = /^Exit code (\d+)/;

function errorType(error: string, isInterrupt: boolean): string {
  if (isInterrupt) return "interrupted";
  if (EXIT_CODE.test(error)) return "exit_code";
  if (/\btimed? ?out\b/i.test(error)) return "timeout";
  return /\b(E[A-Z]{3,}|[A-Z]\w*Error)\b/.exec(error.slice(0, 1000))?.[1] ?? "error";
}

/** `exitCode`: nothing where it is not known, of a command that was interrupted for example. */
export function bashExecuted(command: string, { error, durationMs }: EndedCall): Metric {
  const { commands } = readingOf(command);
  const first = commands.find(({ startedBy }) => startedBy === undefined) ?? commands[0];
  const word = first?.words[0]?.text ?? "";
  const has_redirect = commands.some(({ redirects }) => redirects.length > 0);
  const has_pipe = commands.some(({ stdin }) => stdin?.kind === "pipe") || PIPE.test(command.replace(QUOTED, ""));
  const exit_code = error === undefined ? 0 : Number(EXIT_CODE.exec(error)?.[1] ?? Number.NaN);
  return {
    name: "bash_executed",
    fields: {
      command_base: word === "" || word.includes(UNKNOWN) ? "unknown" : path.basename(word),
      has_pipe,
      has_redirect,
      exit_code: Number.isNaN(exit_code) ? null : exit_code,
      duration_ms: durationMs,
    },
  };
}

/** A pipe whose first command only prints a known text is read as that text. */
const PIPE = /(?<!\|)\|(?!\|)/;
const QUOTED = /\\.|'[^']*'|"(?:[^"\\]|\\.)*"|(?<=\s)#.*/g;

export interface MetricsOptions {
  readonly file?: string | undefined;
}

type Place = Pick<SessionPlace, "home" | "steps" | "openRecords">;

export function metrics({ home, steps, openRecords }: Place, { file }: MetricsOptions = {}): ShippedHook {
  let records: RecordFile | undefined;
  const say = (event: "PostToolUse" | "PostToolUseFailure" | "Stop", session: string, { name, fields }: Metric): undefined => {
    if (steps.listeners.any) steps.say({ type: "metric", event, name, fields });
    if (file === undefined) return;
    records ??= openRecords(file);
    records.write({ t: Date.now(), session, metric: name, ...fields });
  };
  const ended = (event: "PostToolUse" | "PostToolUseFailure"): HookHandler<"PostToolUse", string> => {
    return (input) => {
      const { tool_name, tool_input, cwd, session_id, duration_ms: durationMs = 0 } = input;
      const { error, is_interrupt: isInterrupt } = input as { readonly error?: string; readonly is_interrupt?: boolean };
      const call = { tool: tool_name, durationMs, error, isInterrupt };
      say(event, session_id, toolExecuted(call));
      for (const { input: asked } of callsOfKind("shell", { tool: tool_name, input: tool_input, cwd, root: cwd, home }))
        if (typeof asked["command"] === "string") say(event, session_id, bashExecuted(asked["command"], call));
    };
  };
  const transcripts = new Transcripts();
  const begun: HookHandler<"UserPromptSubmit"> = ({ session_id, transcript_path }) => transcripts.begin(session_id, transcript_path);
  const used: HookHandler<"Stop"> = ({ session_id, transcript_path }) => {
    const fields = transcripts.read(session_id, transcript_path);
    if (fields) say("Stop", session_id, { name: "tokens_used", fields });
  };
  return {
    name: "metrics",
    parts: [
      { event: "PostToolUse", handler: ended("PostToolUse") },
      { event: "PostToolUseFailure", handler: ended("PostToolUseFailure") as never },
      { event: "UserPromptSubmit", handler: begun },
      { event: "Stop", handler: used },
    ],
    close: () => records?.close(),
  };
}

/** As much as one turn is read of; more is not counted. */
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_SESSIONS = 100;

/** What the answers since the turn began say that they used. */
class Transcripts {
  readonly #ends = new Map<string, number>();

  begin(session: string, file: string): undefined {
    if (this.#ends.has(session)) return;
    const [oldest] = this.#ends.keys();
    if (this.#ends.size >= MOST_SESSIONS && oldest !== undefined) this.#ends.delete(oldest);
    this.#ends.set(session, open(file, (fd) => fstatSync(fd).size) ?? 0);
  }

  read(session: string, file: string): Metric["fields"] | undefined {
    const start = this.#ends.get(session);
    const text = start === undefined ? undefined : open(file, (fd) => linesFrom(fd, start));
    if (text === undefined || start === undefined) return undefined;
    this.#ends.set(session, start + Buffer.byteLength(text));
    return usageIn(text);
  }
}

function open<Value>(file: string, read: (fd: number) => Value): Value | undefined {
  try {
    const fd = openSync(file, "r");
    try {
      return read(fd);
    } finally {
      closeSync(fd);
    }
  } catch {
    // A program without a transcript: there is nothing to count.
    return undefined;
  }
}

function linesFrom(fd: number, start: number): string {
  const bytes = Buffer.alloc(Math.min(Math.max(fstatSync(fd).size - start, 0), MOST_BYTES));
  const text = bytes.toString("utf8", 0, readSync(fd, bytes, 0, bytes.length, start));
  return text.slice(0, text.lastIndexOf("\n") + 1);
}

const COUNTED = ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"] as const;

/** One answer may stand on several lines; each says what all of it used. */
function usageIn(text: string): Metric["fields"] | undefined {
  const answers = new Map<
    unknown,
    { readonly usage: Readonly<Record<string, unknown>>; readonly cost: unknown; readonly model: unknown }
  >();
  for (const line of text.split("\n")) {
    if (!line.includes('"usage"')) continue;
    try {
      const { message, costUSD: cost, uuid } = JSON.parse(line) as Record<string, unknown>;
      if (!isObject(message) || !isObject(message["usage"])) continue;
      answers.set(message["id"] ?? uuid, { usage: message["usage"], cost, model: message["model"] });
    } catch {
      // A line that another program is writing.
    }
  }
  if (answers.size === 0) return undefined;
  const all = [...answers.values()];
  const sum = (values: readonly unknown[]): number => values.reduce<number>((total, one) => total + (typeof one === "number" ? one : 0), 0);
  const tokens = COUNTED.flatMap((name) => {
    const values = all.map(({ usage }) => usage[name]);
    return values.some((value) => typeof value === "number") ? [[name, sum(values)] as const] : [];
  });
  const costs = all.map(({ cost }) => cost).filter((cost) => typeof cost === "number");
  const model = all.at(-1)?.model;
  return {
    ...(typeof model === "string" && { model }),
    answers: answers.size,
    ...Object.fromEntries(tokens),
    ...(costs.length > 0 && { cost_usd: sum(costs) }),
  };
}
