/**
 * Takes a verdict and the event's input; gives the texts for the model and those for the user. Which wording an event uses is a column
 * of the catalogue. What the model gets is labelled as a hook's words and capped, and never holds a command line (D8).
 */
import path from "node:path";
import { type BlockWording, EVENTS, type EventRow } from "../../catalogue/index.ts";
import { invalidOption, shown as shownValue } from "../../check-options.ts";
import { shortText } from "../interpret/index.ts";
import type { Attributed, Verdict } from "../merge/types.ts";

export interface Spoken {
  readonly verdict: Verdict;
  /** The event's payload: the matcher's field goes into the label, as in `PreToolUse:Bash`. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** Longer texts have been saved to a file before; this is the last line of defence (fault 96). */
const TEXT_LIMIT = 10_000;
const LABEL_LIMIT = 120;

interface Wording {
  readonly audience: "model" | "user";
  readonly say: (names: { readonly event: string; readonly label: string; readonly feedbackLabel: string }, reason: string) => string;
}

const WORDINGS: Readonly<Record<BlockWording, Wording>> = {
  error: { audience: "model", say: ({ label }, reason) => `${label} hook error: ${reason}` },
  beside: { audience: "model", say: ({ label }, reason) => `${label} hook blocking error: ${reason}` },
  feedback: { audience: "model", say: ({ feedbackLabel }, reason) => `${feedbackLabel} hook feedback:\n${reason}` },
  operation: { audience: "user", say: ({ event }, reason) => `${event} operation blocked by hook:\n${reason}` },
};

/** `PreToolUse:Bash`, `SessionStart:startup`, `Stop`: the event and what its matcher is compared with. */
export function hookLabel({ verdict: { event }, input }: Spoken): string {
  const { matcher } = EVENTS[event];
  const value = matcher ? input[matcher.field] : undefined;
  if (typeof value !== "string" || value === "") return event;
  // The value may come from the model or a repository: on one line, without control characters.
  return `${event}:${shortText(matcher?.basename ? path.basename(value) : value, LABEL_LIMIT)}`;
}

/** Throws at what is no verdict: reading it would end in a message about `undefined`. */
export function checkVerdict(where: string, given: unknown, write: string): asserts given is Verdict {
  const { event, verdict, verdicts, then } = (typeof given === "object" && given !== null ? given : {}) as Readonly<
    Record<string, unknown>
  >;
  if (typeof event === "string" && Object.hasOwn(EVENTS, event)) return;
  if (typeof then === "function") throw invalidOption(`${where} was given a promise. Await it first`);
  const found = Array.isArray(verdicts)
    ? "the result of runTool()"
    : verdict === undefined
      ? shownValue(given)
      : "an object around a verdict";
  const each = Array.isArray(verdicts) ? `result.verdicts.flatMap((verdict) => ${write})` : write;
  throw invalidOption(`${where} was given ${found}, not a verdict. Write ${each}`);
}

function checkSpoken(where: string, spoken: Spoken): void {
  const { verdict, input } = (spoken ?? {}) as Partial<Spoken>;
  const write = `${where.slice(0, -2)}({ verdict, input })`;
  const { event } = (spoken ?? {}) as { readonly event?: unknown };
  if (verdict === undefined && typeof event === "string") throw invalidOption(`${where} was given a verdict alone. Write ${write}`);
  checkVerdict(where, verdict ?? spoken, write);
  if (typeof input !== "object" || input === null) throw invalidOption(`input of ${where} is ${shownValue(input)}. Write ${write}`);
}

/** A no in the event's own words, one text per reason; who may see them is `blockAudience`. */
export function blockTexts(spoken: Spoken): readonly string[] {
  checkSpoken("blockTexts()", spoken);
  const { verdict } = spoken;
  const row = EVENTS[verdict.event];
  const names = { event: verdict.event, label: hookLabel(spoken), feedbackLabel: row.feedbackLabel ?? verdict.event };
  const reasons = verdict.decision === "deny" ? verdict.reasons : NOBODY;
  return [...reasons, ...verdict.continueWith].map(({ text }) => WORDINGS[row.wording].say(names, shown(text)));
}

/** Whom an event tells why it was blocked. */
export function blockAudience(row: EventRow): "model" | "user" {
  return row.blockEffect === null ? "user" : WORDINGS[row.wording].audience;
}

/** False outside the conversation (SessionEnd, compaction): nothing of such an event reaches the model. */
function hasConversation(row: EventRow): boolean {
  return "additionalContext" in row.output || row.stdout === "context" || blockAudience(row) === "model";
}

/** A refused call's result for the model: every reason (D4), each with its label. */
export function denyText(spoken: Spoken): string {
  return blockTexts(spoken).join("\n");
}

/** What stands beside a result that cannot be undone. */
export function feedbackTexts(spoken: Spoken): readonly string[] {
  const row = EVENTS[spoken.verdict.event];
  if (!hasConversation(row)) return [];
  const label = hookLabel(spoken);
  return spoken.verdict.feedback.map(
    ({ text }) => `${label} hook ${row.feedback === null ? "feedback" : "blocking error"}: ${shown(text)}`,
  );
}

/** Context for the model; none where there is no conversation to add to, or where it is feedback already. */
export function contextTexts(spoken: Spoken): readonly string[] {
  const row = EVENTS[spoken.verdict.event];
  if (!hasConversation(row) || row.contextContinues) return [];
  const label = hookLabel(spoken);
  return spoken.verdict.contexts.map(
    ({ text, fromStdout, event }) => `${event ?? label} hook ${fromStdout ? "success" : "additional context"}: ${shown(text)}`,
  );
}

/** Everything the model gets to read of a verdict, in this order: why it was blocked, feedback, context. */
export function modelTexts(spoken: Spoken): readonly string[] {
  checkSpoken("modelTexts()", spoken);
  const blocks = blockAudience(EVENTS[spoken.verdict.event]) === "model" ? blockTexts(spoken) : [];
  return [...blocks, ...feedbackTexts(spoken), ...contextTexts(spoken)];
}

const NOBODY: readonly Attributed[] = [];

/** A hook's words inside our own: capped, and unable to close the frame the agent puts around them. */
function shown(text: string): string {
  const framed = text.replace(/<(\/?system(?:-reminder)?\s*>)/gi, "&lt;$1");
  if (framed.length <= TEXT_LIMIT) return framed;
  const cut = framed.slice(0, TEXT_LIMIT).replace(/[\ud800-\udbff]$/, "");
  return `${cut}… [${framed.length - cut.length} more characters]`;
}
