/**
 * Takes a verdict and the event's input; gives the texts for the model and those for the user. Which wording an event uses is a column
 * of the catalogue. What the model gets is labelled as a hook's words and capped, and never holds a command line.
 */

import path from "node:path";
import type { EventName } from "@hookloop/sdk";
import { type BlockWording, EVENTS, type EventRow } from "../catalogue/index.ts";
import { invalidOption, shown as shownValue } from "../check-options.ts";
import type { RegisteredHook } from "../config/index.ts";
import { afterName, counted, type Diagnostic, ownCommand, placeText } from "../diagnostic.ts";
import { shortText } from "./effects.ts";
import { type Attributed, HALTED, type Verdict } from "./verdict.ts";

export interface Spoken {
  readonly verdict: Verdict;
  /** The event's payload: the matcher's field goes into the label, as in `PreToolUse:Bash`. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** Longer texts have been saved to a file before; this is the last line of defence. */
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

/** The same for one reason, where there is no verdict. */
export function blockText(event: EventName, reason: string, label: string = event): string {
  const row = EVENTS[event];
  return WORDINGS[row.wording].say({ event, label, feedbackLabel: row.feedbackLabel ?? event }, reason);
}

/** Whom an event tells why it was blocked. */
export function blockAudience(row: EventRow): "model" | "user" {
  return row.blockEffect === null ? "user" : WORDINGS[row.wording].audience;
}

/** False outside the conversation (SessionEnd, compaction): nothing of such an event reaches the model. */
function hasConversation(row: EventRow): boolean {
  return "additionalContext" in row.output || row.stdout === "context" || blockAudience(row) === "model";
}

/** A refused call's result for the model: every reason, each with its label. */
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

type NamedHook = Pick<RegisteredHook, "id" | "name" | "source" | "place" | "target" | "fields">;

interface UserNotice {
  readonly verdict: Verdict;
  /** Finds a hook by its id; the ids of a verdict are of hooks that ran. */
  readonly hookOf: (id: string) => NamedHook | undefined;
}

const REASON_LIMIT = 400;

/**
 * For the user, never for the model: which hooks blocked, where they are declared, and how to switch each off for one run.
 * SECURITY: a model that reads this knows which guard to go around, so it must not reach a conversation.
 */
export function userNotices({ verdict, hookOf }: UserNotice): readonly string[] {
  const { halt } = verdict;
  const stopping = halt ? [halt] : [];
  // That the agent must stop says as well that the call does not happen.
  const isSaid = ({ hook, text }: Attributed): boolean => hook === halt?.hook && text === HALTED;
  const blocking = verdict.decision === "deny" ? verdict.reasons.filter((reason) => !isSaid(reason)) : [];
  const noticeOf = (what: string) => (reason: Attributed) => notice(what, reason, { verdict, hookOf });
  return [
    ...blocking.map(noticeOf(`${verdict.event} was blocked by`)),
    ...stopping.map(noticeOf(`The agent was stopped at ${verdict.event} by`)),
    ...verdict.continueWith.map(noticeOf(`${verdict.event}: the agent continues because of`)),
  ];
}

function notice(what: string, { text, hook: id }: Attributed, { verdict, hookOf }: UserNotice): string {
  const hook = hookOf(id);
  const reason = shortText(afterName(hook?.name ?? "", text), REASON_LIMIT);
  const head = `${what} ${hook ? `hook "${shortText(hook.name, 80)}" (${whereOf(hook)})` : `hook ${id}`}${reason ? `: ${reason}` : ""}`;
  return hook ? `${head}\n${cureOf(hook, verdict)}` : head;
}

/** A guard that denied what another hook made of the call: that hook is where to look, and nowhere else if it made nonsense of it. */
function cureOf(hook: NamedHook, { outcomes }: Verdict): string {
  const isNotRun = outcomes.some((outcome) => outcome.hook.id === hook.id && outcome.failure?.kind === "untrusted");
  const again = outcomes.find((outcome) => outcome.isAgain && outcome.hook.id === hook.id);
  const rewriters = again ? outcomes.filter(({ effects }) => effects.some(({ type }) => type.startsWith("rewrite"))) : [];
  if (rewriters.length === 0) return cure(hook, isNotRun);
  const names = rewriters.map((one) => `hook "${shortText(one.hook.name, 80)}" (${whereOf(one.hook)})`);
  return `It judged what ${names.join(", ")} made of it. ${again?.failure?.kind === "unfit-input" ? "Fix that hook." : cure(hook, isNotRun)}`;
}

function whereOf({ place, source }: NamedHook): string {
  if (place) return placeText(place);
  return source.file ?? "registered by the program";
}

/**
 * What hooks told the user. Where exit code 2 only tells, the words are the last ones of a hook that failed, which say neither whose they are nor
 * where it stands.
 */
export function toldTexts({ event, tells, outcomes }: Pick<Verdict, "event" | "tells" | "outcomes">): readonly string[] {
  return tells.map(({ text, hook: id }) => {
    const hook = EVENTS[event].exit2 === "tell" ? outcomes.find((outcome) => outcome.hook.id === id)?.hook : undefined;
    return hook === undefined || hook.source.scope === "code" ? text : `${event} hook "${hook.name}" (${whereOf(hook)}): ${text}`;
  });
}

/** What was not run because it is not approved, or has changed since, is looked at first; switching it off is the last resort. */
function cure({ id, name, source, target, fields }: NamedHook, isNotRun: boolean): string {
  if (source.scope === "managed") return "It is managed: only whoever manages this machine can switch it off.";
  // A script may be run by several hooks, and a command line as a name would need quoting: the id is this hook's own.
  const hasOwnName = fields === undefined || typeof fields["name"] === "string";
  const switchName = hasOwnName && /^[\w.@-]+$/.test(name) ? name : id;
  const review = isNotRun || target.kind === "withheld" ? `It was not run. Look at it: ${ownCommand()} trust review. ` : "";
  return `${review}To switch it off for one run: HOOKLOOP_DISABLE=${switchName}`;
}

export const DEFAULT_STOP_CAP = 8;
/** In one turn that no user can end, whatever is done in between. */
const UNATTENDED_STOP_CAP = 50;

interface StopCapOptions {
  readonly cap?: number;
  /** No user watches the turn: also continuations with tool calls between them have an end. */
  readonly isUnattended?: boolean;
}

interface StopDecision {
  readonly continues: boolean;
  readonly warning?: Diagnostic | undefined;
}

/** Keeps hooks from holding an agent forever. One per session; every method takes the subagent's id, or nothing for the main agent. */
export interface StopCap {
  /** What the loop does with the verdict of a stop: continue, or stop although a hook wants it to continue. */
  onVerdict(verdict: Verdict, agentId?: string): StopDecision;
  /** A tool was used: the next blocks count from one again. */
  progress(agentId?: string): void;
  /** The value of `stop_hook_active` for the next stop: the agent continues because of a hook. */
  isActive(agentId?: string): boolean;
  /** A new prompt, or the end of a subagent. */
  reset(agentId?: string): void;
}

const MAIN = "";

/** `cap` continuations in a row are allowed, the next is overridden; 0 allows any number, but for hooks that only fail. With 1 and without `progress()` it is S0's rule. */
export function createStopCap({ cap = DEFAULT_STOP_CAP, isUnattended = false }: StopCapOptions = {}): StopCap {
  // SECURITY: a cap that is no number must not become "no cap".
  const limit = Number.isInteger(cap) && cap >= 0 ? cap : DEFAULT_STOP_CAP;
  /**
   * Continuations in a row, by agent and event; an agent is in here while a hook keeps it going. One event's yes does not wipe out what
   * another has counted: a teammate that may stop may still be kept from being idle.
   */
  const counts = new Map<string, Map<string, number>>();
  /** The same of the whole turn. */
  const totals = new Map<string, number>();
  const mostInTurn = isUnattended && limit > 0 ? Math.max(limit, UNATTENDED_STOP_CAP) : Number.POSITIVE_INFINITY;
  const forget = (agentId: string, event: string): void => {
    const own = counts.get(agentId);
    totals.delete(`${agentId} ${event}`);
    own?.delete(event);
    if (own?.size === 0) counts.delete(agentId);
  };
  return {
    onVerdict(verdict, agentId = MAIN) {
      if (!wantsToContinue(verdict)) {
        forget(agentId, verdict.event);
        return { continues: false };
      }
      const own = counts.get(agentId) ?? new Map<string, number>();
      const count = own.get(verdict.event) ?? 0;
      // SECURITY: without a cap a guard that always fails would hold the agent forever.
      const most = limit === 0 && isHeldByFailure(verdict) ? DEFAULT_STOP_CAP : limit;
      if (most > 0 && count >= most) {
        forget(agentId, verdict.event);
        return { continues: false, warning: overridden(verdict, most) };
      }
      const key = `${agentId} ${verdict.event}`;
      const total = totals.get(key) ?? 0;
      if (total >= mostInTurn) {
        forget(agentId, verdict.event);
        return { continues: false, warning: overridden(verdict, total, "in one turn, in a run that no user can end") };
      }
      totals.set(key, total + 1);
      counts.set(agentId, own.set(verdict.event, count + 1));
      return { continues: true };
    },
    progress(agentId = MAIN) {
      const own = counts.get(agentId);
      for (const event of own?.keys() ?? []) own?.set(event, 0);
    },
    isActive: (agentId = MAIN) => counts.has(agentId),
    reset(agentId = MAIN) {
      for (const event of counts.get(agentId)?.keys() ?? []) totals.delete(`${agentId} ${event}`);
      counts.delete(agentId);
    },
  };
}

function wantsToContinue({ event, halt, continueWith, contexts }: Verdict): boolean {
  if (halt) return false;
  return continueWith.length > 0 || (EVENTS[event].contextContinues && contexts.length > 0);
}

/** Nothing but hooks that failed keeps the agent going. */
function isHeldByFailure({ continueWith, contexts, outcomes }: Verdict): boolean {
  const hasFailed = (id: string): boolean => outcomes.some(({ hook, failure }) => hook.id === id && failure !== undefined);
  return contexts.length === 0 && continueWith.every(({ hook }) => hasFailed(hook));
}

function overridden({ event, continueWith, contexts }: Verdict, cap: number, how = "in a row without a tool call"): Diagnostic {
  return {
    code: "HL_LOOP_STOP_CAP",
    level: "warning",
    text: `${event} hooks kept the agent going ${counted(cap, "time")} ${how}; the next block is overridden and the agent stops. Let the hook look at stop_hook_active, or change the cap (stopCap of openHooks or of the settings, CLAUDE_CODE_STOP_HOOK_BLOCK_CAP; 0 switches it off).`,
    hook: (continueWith[0] ?? contexts[0])?.hook,
  };
}
