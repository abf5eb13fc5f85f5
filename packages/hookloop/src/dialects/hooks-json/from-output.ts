/**
 * Takes how a run ended, gives its effects as `.hooks.json` means them: exit 0 goes on, exit 1 blocks, exit 2 injects
 * stderr, everything else has failed. Not the meaning of the Claude dialect: that is why a configuration carries its dialect.
 */
import type { EventRow } from "../../catalogue/index.ts";
import {
  diagnosticsOf,
  type Effect,
  type Failure,
  isRefusal,
  type Note,
  type Reading,
  sanitiseText,
  sayContext,
  sayNo,
  shortText,
} from "../../engine/interpret/index.ts";
import type { RawOutcome } from "../../run/index.ts";

const EXITS = "Exit with 0 to go on, with 1 to block, with 2 to inject stderr";

/** The reason of a block without one, as the source system words it. */
const BLOCKED = "Blocked by a hook.";

/** Reads one run of a `.hooks.json` hook. Never throws. */
export function readHooksJsonRun(row: EventRow, raw: RawOutcome): Reading {
  if (raw.failure && (raw.failure.kind !== "exit" || raw.exitCode === null)) return { effects: [], failure: raw.failure, diagnostics: [] };
  if (raw.signal !== undefined) return { effects: [], failure: { kind: "signal", text: `ended by ${raw.signal}` }, diagnostics: [] };
  const said = sanitiseText(raw.stderr).trim();
  const code = raw.exitCode ?? 0;
  if (code > 2) {
    const text = `exit code ${code}${said ? `: ${shortText(said, 300)}` : ""}`;
    return { effects: [], failure: { kind: "exit", text, said: said || undefined, cure: EXITS }, diagnostics: [] };
  }
  const { effects, notes, failure } =
    code === 0 ? goOn(row, raw) : code === 1 ? block(row, said || sanitiseText(raw.stdout).trim()) : inject(row, said);
  return { effects, failure, diagnostics: diagnosticsOf(raw.hook, notes) };
}

interface Meaning {
  readonly effects: readonly Effect[];
  readonly notes: readonly Note[];
  readonly failure?: Failure | undefined;
}

function goOn(row: EventRow, { stdout, hook }: RawOutcome): Meaning {
  const isAnswer = /"(?:hookSpecificOutput|permissionDecision|decision)"\s*:/.test(stdout.slice(0, 10_000));
  if (isAnswer)
    return noted(
      "HL_OUTPUT_NOT_HONOURED",
      "JSON on stdout is not read from a .hooks.json hook. Exit with 1 to block, with 2 to inject stderr",
    );
  const text = sanitiseText(stdout).trim();
  if (text === "" || row.blockEffect === null || row.blockEffect === "feedback") return NOTHING;
  const words = `it printed "${shortText(text, 60)}" and exited with 0: stdout of a .hooks.json hook is not read, and nothing is blocked`;
  if (hook.onFailure === "block")
    return { ...NOTHING, failure: { kind: "bad-json", code: "HL_OUTPUT_NO_ANSWER", text: words, cure: EXITS } };
  const level = isRefusal(text) ? "warning" : "notice";
  return { ...NOTHING, notes: [{ code: "HL_OUTPUT_NO_ANSWER", level, text: `${words}. ${EXITS}. This is said once in a session` }] };
}

function block(row: EventRow, reason: string): Meaning {
  if (row.block !== null) return { effects: sayNo(row, reason || BLOCKED), notes: [] };
  return noted("HL_EXECUTE_EXIT", `exit code 1 cannot block here${reason ? `: ${shortText(reason, 300)}` : ""}`);
}

function inject(row: EventRow, text: string): Meaning {
  if (text === "") return noted("HL_OUTPUT_NOT_HONOURED", "exit code 2 injects what is on stderr, and nothing is there");
  if (row.feedback !== null) return { effects: [{ type: "feedback", text }], notes: [] };
  if ("additionalContext" in row.output) return { effects: sayContext(row, text), notes: [] };
  return noted("HL_OUTPUT_NOT_HONOURED", "exit code 2 injects text, and this event takes none");
}

const NOTHING: Meaning = { effects: [], notes: [] };

function noted(code: Note["code"], text: string): Meaning {
  return { effects: [], notes: [{ code, level: "warning", text }] };
}
