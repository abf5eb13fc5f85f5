/**
 * Takes what a function hook returned, gives its effects. Nothing returned means no opinion.
 * Refuses, as a failed run, everything that is not a result of the SDK's helpers; a part the event cannot express is reported.
 */
import type { Ability } from "@hookloop/sdk";
import { abilitiesOf, type EventRow, outputFieldsOf } from "../../catalogue/index.ts";
import { Misread, Unreturned } from "../../run/index.ts";
import { isObject, typeProblem } from "./check-type.ts";
import { fieldEffects, plainCopy } from "./field-effects.ts";
import type { Note } from "./note.ts";
import { sanitiseText, shortText } from "./sanitise-text.ts";
import { sayContext, sayNo } from "./say-no.ts";
import type { Effect, Failure } from "./types.ts";

/** What a function said. */
export interface FunctionReading {
  readonly effects: readonly Effect[];
  readonly failure?: Failure | undefined;
  readonly notes: readonly Note[];
}

/** One object for every run without an opinion: the fast path allocates nothing. */
const NO_OPINION: FunctionReading = Object.freeze({ effects: [], notes: [] });

interface Said {
  readonly effects: readonly Effect[];
  readonly notes: readonly Note[];
  /** The part could not be understood: the run counts as failed, and what else was said stands. */
  readonly isWrong?: true;
}
type Sayer = (value: unknown, row: EventRow) => readonly Effect[];

const SAYERS: Readonly<Record<Exclude<Ability, "output">, Sayer>> = {
  allow: (value) => [{ type: "approve", reason: optionalText(value) }],
  deny: (value, row) => sayNo(row, optionalText(value)),
  block: (value, row) => sayNo(row, optionalText(value)),
  ask: (value) => [{ type: "ask", reason: optionalText(value) }],
  defer: (value) => [{ type: "defer", reason: optionalText(value) }],
  rewrite: (value) => [{ type: "rewriteInput", input: plainCopy(value) as Record<string, unknown> }],
  context: (value, row) => sayContext(row, String(value)),
  feedback: (value) => [{ type: "feedback", text: sanitiseText(String(value)) }],
  replaceOutput: (value) => [{ type: "rewriteOutput", output: value }],
  rewritePrompt: (value) => [{ type: "rewritePrompt", prompt: sanitiseText(String(value)) }],
  stop: (value) => [{ type: "halt", reason: optionalText(value) }],
  tellUser: (value) => [{ type: "tell", text: sanitiseText(String(value)) }],
};

/** What a part must carry. A no, a question and a stop count whatever they carry: only their reason is lost. */
const NEEDS: Readonly<Partial<Record<Ability, "string" | "object">>> = {
  rewrite: "object",
  context: "string",
  feedback: "string",
  rewritePrompt: "string",
  tellUser: "string",
  output: "object",
};

/** Reads the return value of a function hook. Never throws, whatever a getter or a Proxy does. */
export function readFunctionResult(row: EventRow, returned: unknown, isGuard = false): FunctionReading {
  if (returned === undefined || returned === null) return NO_OPINION;
  if (returned instanceof Unreturned)
    return { effects: [], notes: [], failure: { kind: "bad-output", code: "HL_OUTPUT_NOT_RETURNED", text: returned.text } };
  if (returned instanceof Misread)
    return {
      effects: [],
      notes: [],
      failure: { kind: "unfit-input", code: "HL_EXECUTE_FIELD_MISSPELT", text: returned.text, cure: "Fix the handler" },
    };
  try {
    const { parts } = returned as { parts?: unknown };
    if (!Array.isArray(parts)) return failed(`returned ${describe(returned)}`);
    const reading = combined(parts.map((part) => readPart(row, part)));
    return isGuard && !reading.failure ? unclear(reading) : reading;
  } catch {
    // A getter or a Proxy threw: whatever was thrown is the hook's, and it may be hostile too.
    return failed("returned something that cannot be read");
  }
}

/** SECURITY: a guard that said something, and nothing of it can be used, did not agree. */
function unclear(reading: FunctionReading): FunctionReading {
  const [first, ...others] = reading.notes;
  if (!first || reading.effects.some(({ type }) => type !== "context" && type !== "tell")) return reading;
  return { ...reading, notes: others, failure: { kind: "bad-output", code: first.code, text: first.text } };
}

function combined(said: readonly Said[]): FunctionReading {
  const wrong = said.find(({ isWrong }) => isWrong)?.notes[0];
  return {
    effects: said.flatMap(({ effects }) => effects),
    notes: said.flatMap(({ notes }) => notes).filter((note) => note !== wrong),
    ...(wrong && { failure: { kind: "bad-output", code: wrong.code, text: wrong.text } }),
  };
}

function readPart(row: EventRow, part: unknown): Said {
  const { can, value } = part as { can: Ability; value: unknown };
  if (!abilities(row).has(can)) return unsayable(row, can, value);
  const needed = NEEDS[can];
  if (needed === "object" ? !isObject(value) : needed !== undefined && typeof value !== needed)
    return wrong(`${can}() takes ${needed === "object" ? "an object" : "a string"}, found ${describe(value)}`);
  if (can === "output") return readFields(row, value as Record<string, unknown>);
  return { effects: SAYERS[can](value, row), notes: lostReason(can, value) };
}

const REASONED: ReadonlySet<Ability> = new Set(["allow", "deny", "block", "ask", "defer", "stop"]);

/** A decision counts whatever its reason is, but who wrote one wants it to be read. */
function lostReason(can: Ability, value: unknown): readonly Note[] {
  if (!REASONED.has(can) || value === undefined || value === null || typeof value === "string") return [];
  const text = `the reason of ${can}() is lost: it is ${Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `a ${typeof value}`}, not a text`;
  return [{ code: "HL_OUTPUT_WRONG_TYPE", level: "warning", text }];
}

const COUNTS_AS = { deny: "deny", feedback: "feedback", continueTurn: "block", halt: "stop" } as const;

/**
 * SECURITY: a spoken no is not weaker than nonsense. Where the event has another word for it, it counts; a question or a stop that cannot be
 * said is a failed run, in the hook's own direction.
 */
function unsayable(row: EventRow, can: Ability, value: unknown): Said {
  const text = `${shortText(String(can), 40)}() is not available here. ${listOf(row)}`;
  const isNo = can === "deny" || can === "block";
  // Two words for the same.
  if (isNo && row.blockEffect === "deny") return { effects: sayNo(row, optionalText(value)), notes: lostReason(can, value) };
  if (isNo && row.blockEffect !== null) {
    const level = row.role === "gate" ? "notice" : "warning";
    return {
      effects: sayNo(row, optionalText(value)),
      notes: [{ code: "HL_OUTPUT_NOT_HONOURED", level, text: `${text}. It counts as ${COUNTS_AS[row.blockEffect]}(): write that` }],
    };
  }
  const isAgainst = can === "ask" || can === "defer" || can === "stop";
  return isAgainst && row.role === "gate" ? { ...wrong(text, "HL_OUTPUT_NOT_HONOURED") } : noted("HL_OUTPUT_NOT_HONOURED", text);
}

function readFields(row: EventRow, fields: Readonly<Record<string, unknown>>): Said {
  const known = outputFieldsOf(row);
  const said = Object.keys(fields).map((name): Said => {
    const field = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!field)
      return noted(
        "HL_OUTPUT_UNKNOWN_FIELD",
        `"${shortText(name, 40)}" is no output field here. There are: ${Object.keys(known).join(", ") || "none"}`,
      );
    const problem = typeProblem(fields[name], field.type);
    return problem ? wrong(`${name} ${problem}`) : { effects: fieldEffects(name, row, fields), notes: [] };
  });
  return {
    effects: said.flatMap(({ effects }) => effects),
    notes: said.flatMap(({ notes }) => notes),
    ...(said.some(({ isWrong }) => isWrong) && { isWrong: true }),
  };
}

const abilitySets = new WeakMap<EventRow, ReadonlySet<Ability>>();

function abilities(row: EventRow): ReadonlySet<Ability> {
  const known = abilitySets.get(row) ?? new Set(abilitiesOf(row));
  abilitySets.set(row, known);
  return known;
}

function listOf(row: EventRow): string {
  return `The event can say: ${[...abilities(row)].join(", ") || "nothing"}`;
}

function noted(code: Note["code"], text: string): Said {
  return { effects: [], notes: [{ code, level: "error", text }] };
}

function wrong(text: string, code: Note["code"] = "HL_OUTPUT_WRONG_TYPE"): Said {
  return { effects: [], notes: [{ code, level: "error", text }], isWrong: true };
}

function failed(text: string): FunctionReading {
  return { effects: [], notes: [], failure: { kind: "bad-output", text: `${text}. Return deny(…), context(…) … or nothing` } };
}

function optionalText(value: unknown): string | undefined {
  return typeof value === "string" ? sanitiseText(value) : undefined;
}

/** Never calls anything of the value's own. */
function describe(value: unknown): string {
  if (typeof value === "string") return `"${shortText(value, 40)}"`;
  return typeof value === "object" && value !== null ? "an object that is no result" : typeof value;
}
