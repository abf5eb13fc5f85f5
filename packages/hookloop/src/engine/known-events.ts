import type { EventName } from "@hookloop/sdk";
import {
  calledElsewhere,
  EVENTS,
  type EventRow,
  FORMER_TOOL_NAMES,
  inputFieldsOf,
  MORE_TOOL_NAMES,
  neededInputOf,
  plainName,
  TOOL_NAMES,
} from "../catalogue/index.ts";
import { shown } from "../check-options.ts";
import { didYouMean, nearestName } from "../diagnostic.ts";
import { mergeOutcomes, noVerdict, type Outcome, type Verdict } from "../judge/index.ts";
import { createPayloadCopier, type EndSignals, frozenCopy, type PayloadCopier } from "../run/index.ts";
import type { EventPlans, Plan, Planner, SelectedHook } from "../select/index.ts";
import type { AdmittedHook } from "../trust/index.ts";
import type { EventInput, Session } from "./session.ts";
import { sayOnce } from "./step.ts";
import { kindOf, type NeededField, namesOf, neededFields, notAwaited, unfitForOthers } from "./unfit-input.ts";

/** Everything that firing one event needs, found by one look-up: with one for each part, they were half of what a firing cost. */
export interface KnownEvent {
  readonly name: EventName;
  readonly row: EventRow;
  /** What its hooks judge. */
  readonly needed: readonly NeededField[];
  /** A denial makes the agent continue, which hooks must not do forever. */
  readonly isStop: boolean;
  /** Where a turn or a session begins, or a session ends. */
  readonly marks: "prompt" | "start" | "end" | undefined;
  readonly plans: EventPlans;
  /** What the event gives when no hook runs. */
  readonly silence: Verdict;
  /** What it gives when all of these say nothing: made once for the hooks of a plan. */
  readonly silenceOf: (selected: readonly SelectedHook[]) => Silence;
  /** Also looks at the names of the fields, when it meets some for the first time. */
  readonly copier: PayloadCopier;
  /** Says so if a field is missing that hooks need, or misspelt. */
  readonly checkInput: (input: EventInput) => void;
  /** The promise of a verdict. */
  readonly pending: () => PromiseConstructor;
  /** What ends hooks where the caller has no signal. */
  readonly signals: EndSignals;
  /** Milliseconds its hooks should need together, at most; nothing if there is no budget. */
  readonly budgetMs: number | undefined;
}

interface Silence {
  /** By place. */
  readonly outcomes: readonly Outcome[];
  readonly verdict: Verdict;
}

/** By name; programs ask for names that are none, too. */
export type KnownEvents = ReadonlyMap<unknown, KnownEvent>;

/** For the hooks of one snapshot. */
export function openKnownEvents(session: Session, planner: Planner): KnownEvents {
  return new Map([...planner.open()].map(([name, plans]) => [name, knownEvent(name, plans, session)]));
}

const MARKS: Readonly<Partial<Record<EventName, KnownEvent["marks"]>>> = {
  UserPromptSubmit: "prompt",
  SessionStart: "start",
  SessionEnd: "end",
};

function knownEvent(name: EventName, plans: EventPlans, session: Session): KnownEvent {
  const row = EVENTS[name];
  const checkInput = createInputCheck(name, row, session);
  const copier = createPayloadCopier(session.commonInput, name, checkInput);
  let pending: PromiseConstructor | undefined;
  return {
    name,
    row,
    needed: neededFields(name),
    isStop: row.blockEffect === "continueTurn",
    marks: MARKS[name],
    plans,
    silence: noVerdict(name),
    silenceOf: createSilence(name, row),
    copier: session.isolate ? { ...copier, own: frozenCopy } : copier,
    checkInput,
    pending: () => {
      pending ??= notAwaited(session, name);
      return pending;
    },
    signals: { closing: session.closing, messages: session.messages },
    budgetMs: session.budgetOf?.(name),
  };
}

function createSilence(event: EventName, row: EventRow): KnownEvent["silenceOf"] {
  const made = new WeakMap<readonly SelectedHook[], Silence>();
  const make = (selected: readonly SelectedHook[]): Silence => {
    const outcomes = Object.freeze(selected.map(({ hook }) => silentOutcome(hook)));
    return { outcomes, verdict: Object.freeze(mergeOutcomes({ event, row, outcomes }).verdict) };
  };
  let lastSelected: readonly SelectedHook[] | undefined;
  let last: Silence | undefined;
  return (selected) => {
    // Agents use the same tool many times in a row, and comparing is cheaper than looking up.
    if (last && selected === lastSelected) return last;
    const silence = made.get(selected) ?? make(selected);
    made.set(selected, silence);
    lastSelected = selected;
    last = silence;
    return silence;
  };
}

const NOTHING: readonly never[] = Object.freeze([]);

/** The outcome of a function that returned nothing. */
export function silentOutcome(hook: AdmittedHook, durationMs = 0): Outcome {
  return { effects: NOTHING, failure: undefined, diagnostics: NOTHING, hook, durationMs };
}

/** At the first call of a tool: agents call a tool in one way, and no firing pays for it. */
export function reportUnfit(session: Session, event: EventName, plan: Plan, input: EventInput): void {
  const problem = unfitForOthers(plan, input);
  if (problem === undefined) return;
  const text = `${event} was fired with a tool_input of another shape: ${problem}. Fire it with the fields of the tool, or name the tool in another way.`;
  sayOnce(session, { code: "HL_SELECT_FIELD_MISSING", level: "warning", text }, problem);
}

/**
 * A tool that is neither known nor listed, at its first call: a program that lists its tools means the list to be complete, and a name that is nearly one
 * which hooks name is probably misspelt. What means it does not bind it.
 */
export function reportUnlisted(session: Session, event: EventName, tool: unknown, own: ToolsOfProgram): void {
  const known = [...TOOL_NAMES, ...MORE_TOOL_NAMES, ...Object.keys(FORMER_TOOL_NAMES), ...own.tools];
  if (typeof tool !== "string" || tool === "" || known.includes(tool) || /^mcp[_.:/-]/i.test(tool)) return;
  // Another spelling of a name, also of a server's tool, is told by whoever compares it with matchers.
  if (calledElsewhere(tool) !== undefined || known.some((name) => plainName(name) === plainName(tool))) return;
  if (!EVENTS[event].matcher?.isTool) return;
  const named = [...own.hooks()].flatMap(namesOf);
  if (named.includes(tool)) return;
  const meant = meantTool(tool, named);
  if (meant === undefined && own.tools.length === 0) return;
  const what = own.tools.length === 0 ? "is no known one" : "is neither a known one nor in tools of openHooks";
  const cure =
    meant === undefined
      ? `.${didYouMean(tool, own.tools)} Only matchers and rules that name it bind it.`
      : `. Did you mean "${meant}"? The hooks for "${meant}" are not asked about it. If it is a tool of your own, name it in tools of openHooks.`;
  sayOnce(
    session,
    { code: "HL_SELECT_SPELLING", level: "warning", text: `${event} has the tool ${shown(tool)}, which ${what}${cure}` },
    `tool ${tool}`,
  );
}

/** What a program says of its tools, and the hooks of the event that may name them. */
interface ToolsOfProgram {
  readonly tools: readonly string[];
  readonly hooks: () => Iterable<AdmittedHook>;
}

/** In a short name two other letters make another word: there, letters that changed places, or one more or less. */
function meantTool(tool: string, named: readonly string[]): string | undefined {
  const letters = (name: string): string => [...name.toLowerCase()].sort().join("");
  const isSlip = (name: string): boolean => name.length > 4 || name.length !== tool.length || letters(name) === letters(tool);
  return tool.length > 64 ? undefined : nearestName(tool, named.filter(isSlip));
}

/** Field sets are the program's own and few; more than this many are not looked at again. */
const MAX_SEEN = 64;

/**
 * A typo of the program in a payload would go unnoticed: no hook gets what it judges, and without the field that matchers are compared with,
 * every matcher fits. Each set of field names is looked at once.
 */
function createInputCheck(event: EventName, row: EventRow, session: Session): (input: EventInput) => void {
  const seen = new Set<string>();
  let rules: InputRules | undefined;
  return (input) => {
    const field = row.matcher?.field;
    const types = neededFields(event);
    const key = `${Object.keys(input).join()}${types.map(({ name, fits }) => (fits(input[name]) ? "" : `!${name}`)).join("")}`;
    if (seen.has(key) || seen.size >= MAX_SEEN) return;
    seen.add(key);
    rules ??= { row, needed: neededInputOf(row), types, known: [...Object.keys(inputFieldsOf(row)), "hook_event_name"], field };
    const whole = { ...session.commonInput, ...input };
    for (const [code, text] of inputProblems(rules, whole, Object.keys(session.commonInput)))
      sayOnce(session, { code, level: row.role === "gate" ? "error" : "warning", text: `${event} was fired ${text}` });
  };
}

interface InputRules {
  readonly row: EventRow;
  readonly needed: readonly string[];
  readonly types: readonly NeededField[];
  readonly known: readonly string[];
  /** What matchers are compared with. */
  readonly field: string | undefined;
}

type InputProblem = readonly ["HL_SELECT_FIELD_MISSING" | "HL_SELECT_FIELD_UNKNOWN", string];

function inputProblems(
  { row, needed, types, known, field }: InputRules,
  input: EventInput,
  common: readonly string[],
): readonly InputProblem[] {
  const isMissing = (name: string): boolean => {
    if (name === field) return typeof input[name] !== "string";
    // A tool may give nothing.
    return input[name] === undefined && !(name in input && row.input[name]?.type.kind === "any");
  };
  const unknown = Object.keys(input).filter((name) => !known.includes(name) && !common.includes(name) && !name.startsWith("x_"));
  const missing = needed.filter(isMissing);
  const quoted = missing.map((name) => `"${name}"`).join(" and ");
  const found = missing.map((name) => foundText(name, input, unknown)).join("");
  const strangers = found === "" && unknown.length > 0 ? ` It has ${unknown.slice(0, 6).join(", ")} instead.` : "";
  const then =
    field !== undefined && missing.includes(field) ? ` Matchers are compared with "${field}", so every hook of the event runs.` : "";
  const absent: readonly InputProblem[] =
    missing.length === 0 ? [] : [["HL_SELECT_FIELD_MISSING", `without ${quoted}.${found}${strangers}${then}`]];
  // Another spelling of a field that may be left out.
  const strange = Object.keys(input).filter((name) => !known.includes(name) && !name.startsWith("x_"));
  const spelt = strange.flatMap((name): InputProblem[] => {
    const meant = known.find((one) => !missing.includes(one) && plain(one) === plain(name));
    return meant === undefined ? [] : [["HL_SELECT_FIELD_UNKNOWN", `with "${name}", which is no field of it. Did you mean "${meant}"?`]];
  });
  const odd = types
    .filter(({ name, fits }) => !missing.includes(name) && name in input && !fits(input[name]))
    .map(({ name, words }): InputProblem => {
      const parsed = words !== "a text" && typeof input[name] === "string" ? " If it is JSON, parse it first." : "";
      const kind = kindOf(input[name]);
      return ["HL_SELECT_FIELD_MISSING", `with a "${name}" that is ${kind}, not ${kind === words ? "plain data" : words}.${parsed}`];
    });
  return [...absent, ...odd, ...spelt];
}

/** What stands in the place of a field. */
function foundText(name: string, input: EventInput, unknown: readonly string[]): string {
  if (input[name] !== undefined) return ` It is ${typeof input[name] === "number" ? "a number" : shown(input[name])}, and must be a text.`;
  const slip = nearestName(name, unknown);
  return slip === undefined ? "" : ` "${slip}" is no field of it: did you mean "${name}"?`;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, "");
}
