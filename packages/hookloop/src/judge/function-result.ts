import type { Ability, HookResult } from "@hookloop/sdk";
import { besideResult } from "@hookloop/sdk/host";
import { abilitiesOf, type EventRow, type FieldType, type Fields as OptionFields, outputFieldsOf } from "../catalogue/index.ts";
import { invalidOption, isObject, nameCure } from "../check-options.ts";
import { nearestName } from "../diagnostic.ts";
import { Misread, Unreturned } from "../run/index.ts";
import { contextEffects, type Effect, type Failure, type Note, refusalEffects, sanitiseText, shortText } from "./effects.ts";

/** Options that rows of the catalogue describe; throws at one that does not exist or has another type. */
export function checkFields(where: string, given: Readonly<Record<string, unknown>>, known: OptionFields): void {
  for (const [name, value] of Object.entries(given)) {
    const field = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!field) throw invalidOption(`${where} has no option "${name.slice(0, 60)}". ${nameCure(name, Object.keys(known))}`);
    const problem = typeProblem(value, field.type);
    if (problem !== undefined) throw invalidOption(`${name} of ${where} ${problem}`);
  }
}

/** What is wrong with a value, as the end of a sentence that begins with its name; nothing if it is right. */
export function typeProblem(value: unknown, type: FieldType): string | undefined {
  return isOfType(value, type) ? undefined : `must be ${typeText(type)}, found ${valueText(value)}${didYouMean(value, type)}`;
}

function isOfType(value: unknown, type: FieldType): boolean {
  switch (type.kind) {
    case "string":
    case "number":
    case "boolean":
      return typeof value === type.kind;
    case "choice":
      return typeof value === "string" && type.values.includes(value);
    case "null":
      return value === null;
    case "record":
      return isObject(value);
    case "any":
      return true;
    case "list":
      return Array.isArray(value) && value.every((item) => isOfType(item, type.item));
    case "shape":
      return isObject(value) && Object.entries(type.fields).every(([name, field]) => hasType(value[name], field.type, field.optional));
    case "either":
      return type.options.some((option) => isOfType(value, option));
  }
}

function hasType(value: unknown, type: FieldType, isOptional: true | undefined): boolean {
  return value === undefined ? isOptional === true : isOfType(value, type);
}

function typeText(type: FieldType): string {
  switch (type.kind) {
    case "choice":
      return `${type.values.length > 1 ? "one of " : ""}${type.values.map((value) => `"${value}"`).join(", ")}`;
    case "string":
      return "a string";
    case "boolean":
      return "true or false";
    case "record":
      return "an object";
    case "list":
      return `a list, each item ${typeText(type.item)}`;
    case "shape":
      return `an object with ${Object.entries(type.fields)
        .filter(([, field]) => !field.optional)
        .map(([name, field]) => `${name} (${typeText(field.type)})`)
        .join(", ")}`;
    case "either":
      return type.options.map(typeText).join(", or ");
    default:
      return type.kind === "any" ? "any value" : `a ${type.kind}`;
  }
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (isObject(value)) return `an object with ${shortText(Object.keys(value).join(", "), 60) || "nothing in it"}`;
  return typeof value === "string" ? `"${shortText(value, 60)}"` : shortText(String(value), 60);
}

/** The same word in another field's language: what people write when they mix the two spellings up. */
const MEANT: Readonly<Record<string, readonly string[]>> = {
  block: ["deny"],
  deny: ["block", "decline"],
  allow: ["approve", "accept"],
  approve: ["allow", "accept"],
  reject: ["deny", "block", "decline"],
};

function didYouMean(value: unknown, type: FieldType): string {
  if (type.kind !== "choice" || typeof value !== "string") return "";
  const word = value.toLowerCase();
  const meant = (MEANT[word] ?? []).find((other) => type.values.includes(other)) ?? nearestName(shortText(value, 40), type.values);
  return meant ? `. Did you mean "${meant}"?` : "";
}

/**
 * Takes one output field of an event, its type already checked, gives the effects it stands for.
 * Every dialect and every function hook goes through this table, so a field means the same whoever set it.
 */

type Fields = Readonly<Record<string, unknown>>;
const READERS: Readonly<Record<string, (value: unknown, row: EventRow, fields: Fields) => readonly Effect[]>> = {
  permissionDecision: (value, row, fields) => decided(value, row, optionalText(fields["permissionDecisionReason"])),
  // Belongs to the decision beside it.
  permissionDecisionReason: () => [],
  decision: (value, row) => (isObject(value) ? answered(value, row) : []),
  updatedInput: (value) => [{ type: "rewriteInput", input: plainCopy(value) as Fields }],
  updatedPermissions: (value) => [{ type: "permissionUpdates", updates: plainCopy(value) as unknown[] }],
  updatedToolOutput: (value) => [{ type: "rewriteOutput", output: plainCopy(value) }],
  // The older name: where both are given, the newer one counts.
  updatedMCPToolOutput: (value, _row, fields) =>
    fields["updatedToolOutput"] === undefined ? [{ type: "rewriteOutput", output: plainCopy(value) }] : [],
  updatedPrompt: (value) => [{ type: "rewritePrompt", prompt: sanitiseText(String(value)) }],
  additionalContext: (value, row) => contextEffects(row, String(value)),
  action: (value, row) => [
    ...(value === "decline" ? refusalEffects(row, "A hook declined.") : []),
    { type: "set", field: "action", value },
  ],
  interrupt: (value, _row, fields) => (value === true ? interrupted(optionalText(fields["message"])) : []),
};

export function fieldEffects(name: string, row: EventRow, fields: Fields): readonly Effect[] {
  const value = fields[name];
  const reader = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
  return reader ? reader(value, row, fields) : [{ type: "set", field: name, value: shownCopy(value) }];
}

function decided(value: unknown, row: EventRow, reason: string | undefined): readonly Effect[] {
  if (value === "deny") return refusalEffects(row, reason);
  if (value === "allow") return [{ type: "approve", reason }];
  return value === "ask" || value === "defer" ? [{ type: value, reason }] : [];
}

function answered(decision: Fields, row: EventRow): readonly Effect[] {
  const message = optionalText(decision["message"]);
  if (decision["behavior"] === "deny") return [...refusalEffects(row, message), ...fieldIfSet("interrupt", row, decision)];
  return [{ type: "approve" }, ...fieldIfSet("updatedInput", row, decision), ...fieldIfSet("updatedPermissions", row, decision)];
}

function fieldIfSet(name: string, row: EventRow, fields: Fields): readonly Effect[] {
  return fields[name] === undefined ? [] : fieldEffects(name, row, fields);
}

/** The turn ends at once; the loop tells it from an ordinary halt by the field. */
function interrupted(reason: string | undefined): readonly Effect[] {
  return [
    { type: "halt", reason },
    { type: "set", field: "interrupt", value: true },
  ];
}

/** Ordinary objects again: tools and handlers may call methods on what they get. Keys that reach a prototype are left out. */
function plainCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainCopy);
  if (!isObject(value)) return value;
  const copy: Record<string, unknown> = {};
  // SECURITY: "__proto__" as a key would set the copy's prototype.
  for (const key of Object.keys(value)) if (key !== "__proto__") copy[key] = plainCopy(value[key]);
  return copy;
}

/** A field that is shown to someone: its texts are made safe. */
function shownCopy(value: unknown): unknown {
  if (typeof value === "string") return sanitiseText(value);
  return Array.isArray(value) && value.every((item) => typeof item === "string")
    ? value.map((item) => sanitiseText(item))
    : plainCopy(value);
}

/**
 * Takes what a function hook returned, gives its effects. Nothing returned means no opinion.
 * Refuses, as a failed run, everything that is not a result of the SDK's helpers; a part the event cannot express is reported.
 */

interface FunctionReading {
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
const EFFECTS_OF: Readonly<Record<Exclude<Ability, "output">, (value: unknown, row: EventRow) => readonly Effect[]>> = {
  allow: (value) => [{ type: "approve", reason: optionalText(value) }],
  deny: (value, row) => refusalEffects(row, optionalText(value)),
  block: (value, row) => refusalEffects(row, optionalText(value)),
  ask: (value) => [{ type: "ask", reason: optionalText(value) }],
  defer: (value) => [{ type: "defer", reason: optionalText(value) }],
  rewrite: (value) => [{ type: "rewriteInput", input: plainCopy(value) as Record<string, unknown> }],
  context: (value, row) => contextEffects(row, String(value)),
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
  if (returned instanceof Unreturned) return readUnreturned(row, returned, isGuard);
  if (returned instanceof Misread)
    return {
      effects: [],
      notes: [],
      failure: { kind: "unfit-input", code: returned.code, text: returned.text, cure: "Fix the handler" },
    };
  try {
    const { parts } = returned as { parts?: unknown };
    if (!Array.isArray(parts)) return failed(`returned ${describe(returned)}`);
    const reading = withBeside(combined(parts.map((part) => readPart(row, part))), besideResult(returned as HookResult), isGuard);
    return isGuard && !reading.failure ? unclear(reading) : reading;
  } catch {
    // A getter or a Proxy threw: whatever was thrown is the hook's, and it may be hostile too.
    return failed("returned something that cannot be read");
  }
}

/** SECURITY: a guard that put `decision: "deny"` beside its result has not agreed. Of another hook, what the result says counts. */
function withBeside(reading: FunctionReading, text: string | undefined, isGuard: boolean): FunctionReading {
  const code = "HL_OUTPUT_WRONG_TYPE";
  if (!text || reading.failure) return reading;
  if (isGuard) return { ...reading, failure: { kind: "bad-output", code, text } };
  return { ...reading, notes: [...reading.notes, { code, level: "warning", text: `it ${text}` }] };
}

/** SECURITY: a guard that meant to refuse, and returns something else, did not agree. Of another hook, what it returns counts. */
function readUnreturned(row: EventRow, { text, instead }: Unreturned, isGuard: boolean): FunctionReading {
  const code = "HL_OUTPUT_NOT_RETURNED";
  if (isGuard || instead === undefined) return { effects: [], notes: [], failure: { kind: "bad-output", code, text } };
  const reading = readFunctionResult(row, instead);
  return { ...reading, notes: [...reading.notes, { code, level: "warning", text }] };
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
  // As in a script: a value that was forgotten replaces nothing, and that is a mistake.
  if (can === "replaceOutput" && value === undefined) return wrong("replaceOutput() takes the new output, found undefined");
  if (can === "output") return readFields(row, value as Record<string, unknown>);
  return { effects: EFFECTS_OF[can](value, row), notes: lostReason(can, value) };
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
  if (isNo && row.blockEffect === "deny") return { effects: refusalEffects(row, optionalText(value)), notes: lostReason(can, value) };
  if (isNo && row.blockEffect !== null) {
    const level = row.role === "gate" ? "notice" : "warning";
    return {
      effects: refusalEffects(row, optionalText(value)),
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
  if (typeof value === "boolean")
    return `${value}${value ? "" : ", as `condition && deny(…)` does; write condition ? deny(…) : undefined"}`;
  return typeof value === "object" && value !== null ? "an object that is no result" : typeof value;
}
