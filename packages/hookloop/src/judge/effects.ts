import type { EventName } from "@hookloop/sdk";
import type { Dialect as AnyDialect, EventRow } from "../catalogue/index.ts";
import { afterName, type Diagnostic } from "../diagnostic.ts";
import type { ErrorCode } from "../errors.ts";
import type { RawOutcome } from "../run/index.ts";
import type { AdmittedHook } from "../trust/index.ts";

/** The one vocabulary for what a hook can want, whatever dialect it spoke. The engine knows nothing else. */
export type Effect =
  | { readonly type: "deny"; readonly reason: string }
  | { readonly type: "ask"; readonly reason?: string | undefined }
  | { readonly type: "defer"; readonly reason?: string | undefined }
  /** Skip the question. Not the same as no opinion. */
  | { readonly type: "approve"; readonly reason?: string | undefined }
  /** End the agent's work after this step. */
  | { readonly type: "halt"; readonly reason?: string | undefined }
  /** The agent wanted to stop and must continue. */
  | { readonly type: "continueTurn"; readonly reason: string }
  | { readonly type: "rewriteInput"; readonly input: Readonly<Record<string, unknown>> }
  | { readonly type: "rewriteOutput"; readonly output: unknown }
  | { readonly type: "rewritePrompt"; readonly prompt: string }
  /** The model gets the reason in the place of the result, whatever other hooks make of that. */
  | { readonly type: "withhold"; readonly reason: string }
  /** Beside a result, to the model. */
  | { readonly type: "feedback"; readonly text: string }
  /** To the model. */
  | {
      readonly type: "context";
      readonly text: string;
      /** It was plain stdout. */
      readonly fromStdout?: true | undefined;
      /** The event it answers, where that is over and another one carries it. */
      readonly event?: EventName | undefined;
    }
  /** To the user, never to the model. */
  | { readonly type: "tell"; readonly text: string }
  | { readonly type: "permissionUpdates"; readonly updates: readonly unknown[] }
  /** An output field that only this event has: `sessionTitle`, `watchPaths`, `retry`, `action`, … */
  | { readonly type: "set"; readonly field: string; readonly value: unknown };

/** Strictest last: a join over all hooks, so order never matters. */
export type Decision = "none" | "allow" | "ask" | "defer" | "deny";

/** What is known of an effect, whatever its event. How it becomes a part of the verdict is in `merge-outcomes.ts`. */
interface EffectRow {
  /** Where the event does not say otherwise (`decisionOf`). */
  readonly decides: Decision;
  /** It is against what happens, or happened. */
  readonly isAgainst: boolean;
  /** For which directions of a failure it is enough: nothing is added for the failed run that has it. */
  readonly isEnoughTo: readonly ("ask" | "block")[];
  /** It lets more happen, or something else. */
  readonly loosens: "more" | "else" | null;
  /** It ends a sequence that ends with the first answer, where something can be denied. */
  readonly isAnswer: boolean;
  /** From the background, when its event is over: it still counts, it is lost and reported under this name, or it is lost. */
  readonly late: "counts" | `its ${string}` | null;
}

const PLAIN: EffectRow = { decides: "none", isAgainst: false, isEnoughTo: [], loosens: null, isAnswer: false, late: null };
const REFUSES: EffectRow = { ...PLAIN, isAgainst: true, isEnoughTo: ["ask", "block"] };

const EFFECTS: Readonly<Record<Effect["type"], EffectRow>> = {
  deny: { ...REFUSES, decides: "deny", isAnswer: true, late: "its denial" },
  ask: { ...PLAIN, decides: "ask", isAgainst: true, isEnoughTo: ["ask"], isAnswer: true, late: "its question" },
  defer: { ...PLAIN, decides: "defer", isAgainst: true, isEnoughTo: ["ask"], isAnswer: true, late: "its decision" },
  approve: { ...PLAIN, decides: "allow", loosens: "more" },
  halt: { ...REFUSES, isAnswer: true, late: "its halt" },
  continueTurn: { ...REFUSES, late: "its block" },
  rewriteInput: { ...PLAIN, loosens: "else", isAnswer: true, late: "its rewrite" },
  rewriteOutput: { ...PLAIN, loosens: "else", late: "its rewrite" },
  rewritePrompt: { ...PLAIN, loosens: "else", isAnswer: true, late: "its rewrite" },
  withhold: { ...PLAIN, isEnoughTo: ["block"] },
  feedback: { ...PLAIN, isAgainst: true, late: "its feedback" },
  context: { ...PLAIN, late: "counts" },
  tell: { ...PLAIN, late: "counts" },
  permissionUpdates: { ...PLAIN, loosens: "more" },
  set: PLAIN,
};

/** What is known of an effect; of one that a dialect from outside made up, nothing. */
export function effectRow({ type }: Effect): EffectRow {
  return Object.hasOwn(EFFECTS, type) ? EFFECTS[type] : PLAIN;
}

/** Every effect but these: what a dialect whose answers have only these cannot say. */
export function effectsExcept(...said: readonly Effect["type"][]): readonly Effect["type"][] {
  return (Object.keys(EFFECTS) as Effect["type"][]).filter((type) => !said.includes(type));
}

/** Why a run counts as failed, once it was read. */
export type FailureKind = NonNullable<RawOutcome["failure"]>["kind"] | "bad-json" | "bad-output";

export interface Failure {
  readonly kind: FailureKind;
  /** What went wrong, for people; never shown to the model. */
  readonly text: string;
  /** Says more than the kind does, as in `HL_OUTPUT_DUPLICATE_KEY`. */
  readonly code?: ErrorCode | undefined;
  /** What its dialect advises; what is advised for the kind if left out. */
  readonly cure?: string | undefined;
  /** What the hook itself gave as its reason; may be shown to the model. */
  readonly said?: string | undefined;
}

/** What reading one run gave. Effects stand beside a failure where the answer was usable all the same. */
export type Reading = Pick<Outcome, "effects" | "failure" | "diagnostics" | "isBackground">;

/** What one hook run gave: its effects, or a failure with the direction it takes. */
export interface Outcome {
  readonly hook: AdmittedHook;
  readonly effects: readonly Effect[];
  readonly failure?: Failure | undefined;
  readonly diagnostics: readonly Diagnostic[];
  readonly durationMs: number;
  /** The hook went to the background; it has no say in this event. */
  readonly isBackground?: boolean | undefined;
  /** The function returned something: nothing more is asked of a sequence that ends with the first answer. */
  readonly isAnswer?: boolean | undefined;
  /** The payload that it was about, in a sequence, where that need not be the event's own. */
  readonly saw?: Readonly<Record<string, unknown>> | undefined;
  /** It is what the hook said of the input after another hook rewrote it, as far as that counts. */
  readonly isAgain?: boolean | undefined;
}

/** How one agent spells hooks: what a process is told, and what its answer means. */
export type Dialect = AnyDialect<AdmittedHook, RawOutcome, Effect, Reading>;

export type Note = Pick<Diagnostic, "code" | "level" | "text">;

/** Notes with the hook they are about, by name, and where it was declared. */
export function diagnosticsOf(hook: AdmittedHook, notes: readonly Note[]): readonly Diagnostic[] {
  const who = `${hook.isGuard ? "guard" : "hook"} "${shortText(hook.name, 60)}"`;
  return notes.map((note) => ({ ...note, text: `${who}: ${inTermsOf(hook, note.text)}`, place: hook.place, hook: hook.id }));
}

/** Where the answer of a hook stands that does not print it, and how it is given. */
const ANSWERS: Readonly<Record<string, { readonly where: string; readonly gave: string; readonly cure: string }>> = {
  module: { where: "what it returned", gave: "returned", cure: "Return deny(…), an answer object, or nothing" },
  http: { where: "the response", gave: "answered with", cure: "Answer with one JSON object and nothing else" },
  mcp_tool: { where: "the tool's result", gave: "gave", cure: "Let the tool answer with one JSON object and nothing else" },
};

/** What is said of a command's output, in words that fit how this hook answers. What is quoted stays. */
export function inTermsOf({ target }: AdmittedHook, text: string): string {
  const words = Object.hasOwn(ANSWERS, target.kind) ? ANSWERS[target.kind] : undefined;
  if (!words) return text;
  return text.replace(OF_COMMANDS, (found) => {
    if (/^"|^it printed a decision/.test(found)) return found;
    if (/^(?:Print|Exit)/.test(found)) return words.cure;
    if (found.startsWith("it printed")) return `it ${words.gave}`;
    return found.startsWith("on ") ? `in ${words.where}` : found.startsWith("stdout") ? words.where : "";
  });
}

const OF_COMMANDS =
  /"[^"]*"|it printed a decision|it printed(?= its own| \{)|Print (?:one JSON object and nothing else|it to stderr)|Exit with 0| \(as tee and cat do\)|\. Send it elsewhere: tee FILE >\/dev\/null(?:, cat >\/dev\/null)?|(?:on )?stdout/g;

/** The reason of a denial that came without one. The hook's name and command line are for the user, never for the model. */
const NO_WITHOUT_REASON = "A hook blocked it without a reason.";

/** What a denial means at this event; nothing where it means nothing. */
export function refusalEffects(row: EventRow, reason: string | undefined): readonly Effect[] {
  const said = sanitiseText(reason ?? "").trim() || NO_WITHOUT_REASON;
  if (row.blockEffect === null) return [];
  return [row.blockEffect === "feedback" ? { type: "feedback", text: said } : { type: row.blockEffect, reason: said }];
}

/** Text for the model; where context also keeps the agent going, it does. */
export function contextEffects(row: EventRow, text: string): readonly Effect[] {
  const said = sanitiseText(text);
  if (said.trim() === "") return [];
  return row.contextContinues
    ? [
        { type: "context", text: said },
        { type: "continueTurn", reason: said },
      ]
    : [{ type: "context", text: said }];
}

/** No text is kept beyond this, file or not: it is what a hook's stdout may hold. */
const KEPT_TEXT_LIMIT = 1_048_576;

// SECURITY: what a terminal obeys and what makes text read differently from what it is.
// Each repeat excludes the character that starts the next match, so all of them take linear time.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const COMMANDS = /(?:\x1b\]|\x9d)[^\x07\x1b\x9c\x9d]*(?:\x07|\x1b\\|\x9c)|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-Z\\^-~]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;
/** Overrides and isolates of writing direction, byte order marks, and the invisible tag letters that smuggle text past a reader. */
const DISGUISES = /[\u202a-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;
const LONE_SURROGATES = /\p{Surrogate}/gu;
/** Nearly every text has nothing to clean: one look is cheaper than five replacements. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const SUSPICIOUS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]/;

/** A hook's text made safe to show: no terminal commands, no control or direction characters; new lines and tabs stay. */
export function sanitiseText(text: string, limit: number = KEPT_TEXT_LIMIT): string {
  const kept = text.length > limit ? text.slice(0, limit) : text;
  if (!SUSPICIOUS.test(kept)) return kept;
  return withoutTerminalMarks(kept.replace(/\r\n?/g, "\n")).replace(DISGUISES, "").replace(LONE_SURROGATES, "\ufffd");
}

/** Without what only a terminal reads. */
export function withoutTerminalMarks(text: string): string {
  return text.replace(COMMANDS, "").replace(CONTROLS, "");
}

export function shortText(text: string, limit = 120): string {
  const line = sanitiseText(text, limit * 8)
    .replace(/\s+/g, " ")
    .trim();
  return line.length > limit ? `${line.slice(0, limit - 1).replace(LONE_SURROGATES, "")}…` : line;
}

/** What a hook did, in a few words that follow its name; nothing if it did nothing. */
export function effectWords(effects: readonly Effect[], name = ""): string | undefined {
  const words = effects.flatMap((effect) => {
    const word = WORDS[effect.type];
    return word === undefined ? [] : [withReason(word, afterName(name, reasonOf(effect)))];
  });
  return words.length === 0 ? undefined : words.join("; ");
}

const WORDS: Readonly<Record<Effect["type"], string | undefined>> = {
  deny: "denied",
  // Another hook may deny it: then there is no question.
  ask: "wants you to be asked",
  defer: "put it off",
  approve: "said yes",
  halt: "stopped the agent",
  continueTurn: "keeps the agent going",
  rewriteInput: "changed the input",
  rewriteOutput: "changed the result",
  withhold: "failed, so the result is withheld",
  rewritePrompt: "changed the prompt",
  feedback: "told the model",
  context: "told the model",
  // It has told you itself.
  tell: undefined,
  permissionUpdates: "changed permissions",
  set: "answered",
};

const LONGEST_REASON = 160;

function reasonOf(effect: Effect): string {
  if (effect.type === "rewriteInput") return JSON.stringify(effect.input);
  if ("reason" in effect) return effect.reason ?? "";
  return "text" in effect ? effect.text : "";
}

function withReason(word: string, reason: string): string {
  const line = reason.replace(/\s+/g, " ").trim();
  if (line === "") return word;
  return `${word}: ${line.length > LONGEST_REASON ? `${line.slice(0, LONGEST_REASON - 1)}…` : line}`;
}
