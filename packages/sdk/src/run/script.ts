import { eventFacts, type Facts } from "../event-facts.ts";
import type { Part } from "../hook/results.ts";
import { type Problem, problem, thrownMessage, thrownPlace } from "../problem.ts";
import { encode, NO_REASON, type Written } from "./encode.ts";

export interface Said {
  readonly parts: readonly Part[];
  readonly problems: readonly Problem[];
  /** Why a guard blocks that has failed; said where the event can block, or may. */
  readonly failure?: string | undefined;
  /** Written to stderr with exit code 2, whatever else was said. */
  readonly exitReason?: string | undefined;
  /** Position of the hook in its file: of several rewrites the last declared counts, not the last finished. */
  readonly order?: number;
}

/** Takes what is said the moment it is said: a crash that follows does not undo it. */
export type Listener = (said: Said) => void;

/** Something that answers events: the hooks of a file, or S4-style main functions. */
export interface Script {
  readonly name: string;
  readonly isGuard: boolean;
  /** The event it is for, as far as that is known without a payload. */
  readonly event: string;
  /** Exit code of a failure that lets the call continue: 1 is shown to the user, 0 is not. */
  readonly failureExitCode: 0 | 1;
  answer(parsed: ParsedPayload, listener: Listener): Promise<unknown>;
}

type Named = Pick<Script, "isGuard" | "name">;

/** One event in, one answer out; nothing but the script's own code touches the process. */
export async function answerEvent(script: Script, parsed: ParsedPayload): Promise<Written> {
  const all: Said[] = [];
  await script.answer(parsed, (said) => all.push(said));
  return writeAnswer(script, parsed, all);
}

export function failed(script: Named, failure: Problem): Said {
  return { parts: [], problems: [failure], failure: blockReason(script, failure.message) };
}

/** Why a script blocks that could not do its work; nothing if it is no guard. */
export function blockReason({ isGuard, name }: Named, why: string): string | undefined {
  return isGuard ? `The guard ${name} failed, so it blocks. ${why}` : undefined;
}

/** Whatever was thrown; an S4 hook ends itself this way to exit with code 2. */
export function crashed(script: Named, thrown: unknown): Said {
  const exitReason = exitReasonOf(thrown);
  if (exitReason !== undefined) return { parts: [], problems: [], exitReason };
  return failed(script, problem("HANDLER_FAILED", `${script.name}: ${thrownMessage(thrown)}${thrownPlace(thrown)}`));
}

export function isSilent(said: readonly Said[]): boolean {
  return !said.some(({ parts, exitReason, failure }) => parts[0] || exitReason !== undefined || failure);
}

export function writeAnswer(script: Script, parsed: ParsedPayload, said: readonly Said[]): Written {
  try {
    return joinedAnswer(script, parsed, said);
  } catch (thrown) {
    // A value that JSON cannot write, such as one that contains itself. Everything else that was said still counts.
    const text = `${script.name} returned something that is not JSON: ${thrownMessage(thrown).split("\n")[0]}`;
    const rest = said.map((one) => ({ ...one, parts: one.parts.filter(isWritable) }));
    return joinedAnswer(script, parsed, [...rest, failed(script, problem("RESULT_INVALID", text))]);
  }
}

function isWritable({ value }: Part): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    // That it cannot be written is what was asked.
    return false;
  }
}

function joinedAnswer(script: Script, { payload }: ParsedPayload, said: readonly Said[]): Written {
  const event = payload?.hook_event_name ?? script.event;
  const facts = eventFacts(event);
  const can = facts?.can ?? [];
  const all = [...said].sort((one, other) => (one.order ?? 0) - (other.order ?? 0));
  const mayBlock = !facts || can.includes("block");
  const failures = mayBlock ? all.flatMap(({ failure }) => failure ?? []) : [];
  const parts = [...all.flatMap((one) => one.parts), ...failures.map((value): Part => ({ can: "block", value }))];
  let answer = encode(event, parts);
  const lost = answer.problems.find(({ code }) => /EXPR|INVAL/.test(code));
  // A guard that wanted to say something the event cannot express did not agree to the call.
  if (lost && script.isGuard && !answer.refusal && mayBlock)
    answer = encode(event, [...parts, { can: "block", value: blockReason(script, lost.message) }]);
  const problems = [...all.flatMap((one) => one.problems), ...answer.problems];
  const exitReasons = all.flatMap((one) => one.exitReason ?? []);
  if (exitReasons.length > 0) {
    const reason = exitReasons.filter(Boolean).join("\n") || NO_REASON;
    if (!isHonoured(facts)) problems.push(problem("NOT_EXPRESSIBLE", `exit code 2 means nothing on ${event}. Use emitBlock()`));
    return { ...answer, problems, stderr: `${reason}\n`, exitCode: 2, refusal: reason };
  }
  const isFailure = problems[0] && !answer.stdout && !answer.exitCode;
  const exitCode = isFailure ? script.failureExitCode : answer.exitCode;
  return { ...answer, problems, exitCode, stderr: exitCode === 2 ? answer.stderr : messages(problems) };
}

/** A request for permission is answered in JSON only; observers have nothing to refuse. */
function isHonoured(facts: Facts | undefined): boolean {
  return !/[-r]/.test(facts?.mechanism ?? "");
}

/** On exit 2 stderr is the reason that the model or the user reads: there, nothing of this belongs. */
export function messages(problems: readonly Problem[]): string {
  return problems.map(({ message }) => `${message}\n`).join("");
}

/** An event as it came: an object with an event name, nothing more is sure. */
export interface Payload extends Record<string, unknown> {
  readonly hook_event_name: string;
}

/** The event, what is wrong with it, or both: a payload that lacks a field is still a payload. */
export interface ParsedPayload {
  readonly payload?: Payload | undefined;
  readonly problem?: Problem | undefined;
  /** When it is no longer waited for, where a host says that of each call: milliseconds since 1970. */
  readonly deadline?: number | undefined;
}

export function parsePayload(bytes: Uint8Array): ParsedPayload {
  let value: unknown;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes).trim();
    if (!text) return { problem: problem("STDIN_EMPTY", "no event on stdin. To try the hook: hookloop run hook.mjs") };
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes what it was given, and that may be a secret.
    return { problem: problem("STDIN_INVALID", `stdin is not JSON (bytes: ${bytes.length}). Send one JSON object in UTF-8`) };
  }
  const event = (value as Partial<Payload> | null)?.hook_event_name;
  if (typeof event !== "string")
    return {
      problem: problem("EVENT_MISSING", 'stdin has no "hook_event_name". Send one JSON object with it'),
    };
  return { payload: value as Payload, problem: checkEvent(value as Payload) };
}

function checkEvent(payload: Payload): Problem | undefined {
  const { hook_event_name: event } = payload;
  const facts = eventFacts(event);
  if (!facts) return problem("EVENT_UNKNOWN", `"${event}" is not an event. \`hookloop events\` lists them`);
  const absent = facts.required.filter((field) => payload[field] === undefined);
  return absent[0]
    ? problem("FIELD_MISSING", `the ${event} payload lacks ${absent.join(", ")}. See \`hookloop events ${event}\``)
    : undefined;
}

/** Longer delays overflow Node's timers and would fire at once. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/** A limit, or what is left until hookloop ends the hook, less what it takes to answer. A deadline that has passed was of a script that started this one's agent. */
export function atMost(limit: number, deadline: unknown = process.env["HOOKLOOP_DEADLINE"]): number {
  const left = ((deadline as never) - Date.now()) * 0.9;
  return Math.min(limit, left > 0 ? left : LONGEST_DELAY_MS);
}

/** Opening and closing brackets as they stand in UTF-8: no other character contains these bytes. */
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, QUOTE, BACKSLASH] = Buffer.from('{}[]"\\');

/** Tells, chunk by chunk, where a JSON document's brackets are closed: the bytes of the chunk that belong to it, or 0. Looks at every byte once. */
export function documentScanner(): (chunk: Uint8Array) => number {
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  const closes = (byte: number): boolean => {
    if (inString) {
      inString = isEscaped || byte !== QUOTE;
      isEscaped = !isEscaped && byte === BACKSLASH;
    } else if (byte === QUOTE) inString = true;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) return --depth <= 0;
    return false;
  };
  return (chunk) => chunk.findIndex(closes) + 1;
}

/** Known by its name, since the runner is a bundle of its own and has its own copy of this class. */
const NAME = "HookloopExitSignal";

/** Thrown by emitBlockViaExit and caught by the runner: the hook ends here, with exit code 2. */
export class ExitSignal extends Error {
  override name: string = NAME;
}

function exitReasonOf(thrown: unknown): string | undefined {
  try {
    const { name, message } = (thrown ?? {}) as Partial<Error>;
    if (name === NAME) return message;
  } catch {
    // SECURITY: what throws again when it is read must not end a guard before it has blocked.
  }
  return undefined;
}
