/**
 * Takes how one run ended, gives its outcome: effects, or a failure with the effects of its direction, and everything
 * a person should know about it. Refuses nothing and never throws: whatever a hook did is in the outcome.
 */
import type { EventName } from "@hookloop/sdk";
import type { EventRow } from "../../catalogue/index.ts";
import type { Diagnostic } from "../../diagnostic.ts";
import { sentence } from "../../diagnostic.ts";
import type { RawOutcome } from "../../run/index.ts";
import { isWatchedGuard } from "../../run/index.ts";
import { applyFailure } from "./apply-failure.ts";
import { failureSign, sdkNotice } from "./failure-sign.ts";
import { readFunctionResult } from "./function-result.ts";
import { diagnosticsOf, type Note } from "./note.ts";
import { sanitiseText, shortText } from "./sanitise-text.ts";
import type { Dialect, Effect, Failure, Outcome, Reading } from "./types.ts";

export interface ToInterpret {
  readonly event: EventName;
  readonly row: EventRow;
  readonly raw: RawOutcome;
  /** Not asked for functions: they speak the SDK's language. */
  readonly dialect: Dialect;
}

/** What one run of one hook means. */
export function interpretOutcome(given: ToInterpret): Outcome {
  const { row, raw } = given;
  const { hook, durationMs } = raw;
  const first = read(given);
  const failed = first.failure ?? openAnswer(given, first);
  const unread = failed ? NOTHING_UNREAD : (unreadInput(given, first) ?? unreadStderr(given, first));
  const reading = { ...first, failure: failed ?? unread.failure };
  const notes = runNotes(raw).filter(({ code }) => code !== reading.failure?.code);
  const diagnostics = [...reading.diagnostics, ...diagnosticsOf(hook, [...notes, ...unread.notes])];
  const outcome = { ...reading, hook, durationMs, diagnostics };
  if (!reading.failure) return outcome;
  const applied = applyFailure({ row, hook, failure: reading.failure, durationMs });
  const effects = reading.isBackground ? reading.effects : [...reading.effects, ...applied.effects];
  return { ...outcome, effects, diagnostics: [...diagnostics, applied.diagnostic] };
}

function read({ event, row, raw, dialect }: ToInterpret): Reading {
  if (raw.hook.target.kind !== "function") return dialect.fromOutput(row, event, raw);
  if (raw.failure) return { effects: [], failure: raw.failure, diagnostics: [] };
  const { effects, failure, notes } = readFunctionResult(row, raw.returned, raw.hook.isGuard);
  const diagnostics: readonly Diagnostic[] = diagnosticsOf(raw.hook, notes);
  return { effects, failure, diagnostics };
}

interface Unread {
  readonly failure?: Failure;
  readonly notes: readonly Note[];
}

const STRICTENING: readonly Effect["type"][] = ["deny", "ask", "defer", "halt", "continueTurn", "feedback"];

/**
 * SECURITY: with exit code 0 nobody reads stderr, and that is where a shell says that the program which was to judge is not there. For a hook
 * whose failure blocks that is a failure, unless it is against the call anyway; of other hooks it is said, once.
 */
function unreadStderr({ event, row, raw }: ToInterpret, reading: Reading): Unread {
  const { target, isAsync } = raw.hook;
  const isOver = isAsync || raw.isFromBackground || reading.isBackground;
  const isRead = target.kind === "command" || target.kind === "module";
  if (!isRead || raw.exitCode !== 0 || isOver || reading.failure) return NOTHING_UNREAD;
  const text = sanitiseText(raw.stderr).trim();
  const ofSdk = sdkNotice(text);
  if (ofSdk !== undefined) return { notes: [{ code: "HL_OUTPUT_STDERR", level: "notice", text: `${ofSdk} ${ONCE}` }] };
  if (row.blockEffect === null) return NOTHING_UNREAD;
  if (text === "" || reading.diagnostics.some(({ code }) => code === "HL_OUTPUT_NO_ANSWER")) return NOTHING_UNREAD;
  // What a module throws is seen without its words, so none of them tells of a failure.
  const sign = target.kind === "command" ? failureSign(text) : undefined;
  if (sign !== undefined) return toldFailure(raw, reading, sign);
  // Whoever answered may say more; and after the fact, tools tell what they did.
  if (raw.stdout.trim() !== "" || reading.effects.length > 0 || row.blockEffect === "feedback") return NOTHING_UNREAD;
  const [ended, cure] =
    target.kind === "command"
      ? ["it exited with 0, so what it printed to stderr", `To block on ${event}, exit with 2`]
      : ["it returned nothing, so what it printed", "To block, return deny(…)"];
  const says = `${ended} is not read and nothing is blocked: "${shortText(text, 100)}". ${cure}; send other text to a file. ${ONCE}`;
  return { notes: [{ code: "HL_OUTPUT_STDERR", level: "notice", text: says }] };
}

/**
 * SECURITY: a guard that judges a call, never looked at it and says nothing has not agreed: it only exports its function, or looks for the event
 * in its variables or arguments. Other hooks may have nothing to judge, such as one that plays a sound.
 */
function unreadInput({ row, raw }: ToInterpret, { effects, isBackground }: Reading): Unread | undefined {
  const { hook, isInputUnread, isFromBackground, exitCode, stdout, stderr } = raw;
  const judges = row.failureCanBlock && ("tool_input" in row.input || "prompt" in row.input);
  const isSilent = exitCode === 0 && (stdout + stderr).trim() === "" && effects.length === 0;
  const isOver = hook.isAsync || isFromBackground || isBackground;
  return isInputUnread && judges && isSilent && !isOver && isWatchedGuard(hook) ? { failure: INPUT_UNREAD, notes: [] } : undefined;
}

const INPUT_UNREAD: Failure = {
  kind: "exit",
  code: "HL_EXECUTE_INPUT_UNREAD",
  text: "it exited with 0 and did not read the event, which is JSON on its stdin and not in variables or arguments",
  cure: "Read stdin (sh: jq -r .tool_input.command; Python: json.load(sys.stdin); JavaScript: hook(…) of @hookloop/sdk). If it need not know the event: cat > /dev/null",
};

function toldFailure({ hook: { isGuard, onFailure } }: RawOutcome, { effects }: Reading, sign: string): Unread {
  const isStrict = effects.some(({ type }) => STRICTENING.includes(type));
  // The SDK has blocked because of it, and its reason says so.
  if (isStrict && effects.some((effect) => "reason" in effect && String(effect.reason).includes(sign))) return NOTHING_UNREAD;
  const cure = sign.includes("HL_SDK_") ? SDK_CURE : STDERR_CURE;
  const said = `it exited with 0, but its stderr tells of a failure: ${shortText(sign, 200)}`;
  if ((isGuard || onFailure === "block") && !isStrict)
    return { failure: { kind: "exit", code: "HL_OUTPUT_STDERR", text: said, cure }, notes: [] };
  return { notes: [{ code: "HL_OUTPUT_STDERR", level: "warning", text: `${sentence(said)} ${cure}. ${ONCE}` }] };
}

/** SECURITY: a guard that left something behind which can still print has not answered yet, and nobody reads what comes. A no stays one. */
function openAnswer({ row, raw }: ToInterpret, { effects, isBackground }: Reading): Failure | undefined {
  const { isGuard, onFailure, isAsync } = raw.hook;
  const isOver = isAsync || raw.isFromBackground || isBackground;
  if (!raw.isAnswerOpen || isOver || row.blockEffect === null || !(isGuard || onFailure === "block")) return undefined;
  if (effects.some(({ type }) => STRICTENING.includes(type))) return undefined;
  return { kind: "bad-output", code: "HL_EXECUTE_PIPES_HELD", text: `it has ended, but ${HELD}`, cure: HELD_CURE };
}

const HELD = "a process it started still holds its output open, so an answer may have been lost";
const HELD_CURE = "Let the hook wait for that process (wait), or redirect its output (>/dev/null 2>&1)";

const NOTHING_UNREAD: Unread = { notes: [] };
const ONCE = "This is said once in a session";
const SDK_CURE = "Fix it; to block when it fails, make it a guard: { guard: true }";
const STDERR_CURE = "Fix it, and let the hook exit with 2 where it cannot judge (in sh: set -e, or || exit 2)";

/** What the run left behind besides its answer. */
function runNotes(raw: RawOutcome): readonly Note[] {
  const notes: Note[] = [...(raw.notes ?? [])];
  if (raw.pipesHeld)
    notes.push({
      code: "HL_EXECUTE_PIPES_HELD",
      level: "notice",
      text: raw.isAnswerOpen
        ? `the hook has ended, but ${HELD}. ${HELD_CURE}`
        : "the hook has ended, but a process it started still holds its output open. Redirect that process's output",
    });
  if (raw.missingCwd !== undefined)
    notes.push({
      code: "HL_EXECUTE_CWD_MISSING",
      level: "warning",
      text: `the folder ${shortText(raw.missingCwd, 200)} does not exist; the hook ran in the project root`,
    });
  if (raw.isTruncated)
    notes.push({
      code: "HL_EXECUTE_TRUNCATED",
      level: "warning",
      text: "the hook printed more than is kept; the rest was thrown away. Print less",
    });
  return notes;
}
