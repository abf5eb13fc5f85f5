import { EVENTS } from "../catalogue/index.ts";
import { IS_ANSWER } from "../config/index.ts";
import { type Dialect, effectRow, interpretOutcome, type Outcome, type Verdict } from "../judge/index.ts";
import {
  FailedCall,
  FunctionRun,
  joinRuns,
  NO_OUTPUT,
  notRun,
  type OpenRun,
  type RawOutcome,
  type RunFailure,
  RunHandle,
  type RunInput,
  startFunction,
  thrownText,
  untilEnded,
} from "../run/index.ts";
import { type Plan, type SelectedHook, selectHooks } from "../select/index.ts";
import type { AdmittedHook } from "../trust/index.ts";
import { lateDecision, lostContext } from "./background.ts";
import { silentOutcome } from "./known-events.ts";
import { type EventInput, type Firing, functionLimit, namedFailure, type Session, sharedTime, slowHook } from "./session.ts";
import { reportAll, sayOutcome, sayStarted } from "./step.ts";
import { unfitFor } from "./unfit-input.ts";

/** The hooks that run for this input; those that run once have had their turn with it, and so have their copies. */
export function selectDue(
  session: Session,
  plan: Plan,
  { input, options }: Firing,
  isWanted: ((selected: SelectedHook) => boolean) | undefined = options.onlyGuards ? isGuard : undefined,
): readonly SelectedHook[] {
  const fitting = selectHooks(plan, input, session.spent);
  const selected = isWanted ? fitting.filter(isWanted) : fitting;
  // What is cancelled already does not run, and so is not used up.
  if (plan.isFixed || options.signal?.aborted) return selected;
  for (const { hook, copies = [hook] } of selected) for (const copy of copies) if (copy.once) session.spent.add(copy.id);
  return selected;
}

function isGuard({ hook }: SelectedHook): boolean {
  return hook.onFailure === "block" && !hook.isAsync;
}

type Conclude = (outcomes: readonly Outcome[]) => Verdict | Promise<Verdict>;

/**
 * Executes and interprets: all at once, the hooks of one sequence one after the other. `conclude`, which must not throw, gets the outcomes;
 * at once if every hook answered at once. Where all of them are silent functions it gets the one list that is made for that.
 */
export function runHooks(
  session: Session,
  firing: Firing,
  selected: readonly SelectedHook[],
  conclude: Conclude,
): Verdict | Promise<Verdict> {
  const { outcomes: silent } = firing.known.silenceOf(selected);
  const timed = firing.known.row.sharesTimeLimit ? { ...firing, startedAt: performance.now() } : firing;
  let outcomes: Outcomes | undefined;
  let open: OpenRun[] | undefined;
  const functions: FunctionRun[] = [];
  const onEnd = (returned: unknown, { hook, startedAt, index }: FunctionRun): void => {
    const outcome = returnedOutcome(session, timed, hook, returned, startedAt);
    if (outcome && outcomes) outcomes[index] = outcome;
  };
  for (let index = 0; index < selected.length; index++) {
    const one = selected[index] as SelectedHook;
    const isApart = one.hook.sequence === undefined || firing.again !== undefined;
    const started = isApart ? start(session, timed, one) : startSequence(session, timed, selected, index);
    if (started === undefined) continue;
    outcomes ??= [...silent];
    if (started instanceof FunctionRun) {
      started.index = index;
      started.onEnd = onEnd;
      functions.push(started);
    } else if (started instanceof Promise) {
      open ??= [];
      open.push(openRun(session, timed, started, { hook: one.hook, outcomes, index }));
    } else outcomes[index] = started;
  }
  if (outcomes === undefined) return conclude(silent);
  const found = outcomes;
  if (open === undefined && functions.length === 0) return conclude(flat(found));
  joinRuns(functions);
  const isSilent = (): boolean => found.every((outcome, index) => outcome === silent[index]);
  const runs = open ? [...functions, ...open] : functions;
  return untilEnded(runs, firing.signals, () => conclude(isSilent() ? silent : flat(found)), firing.known.pending());
}

/** By place; those of a sequence stand together at its first. */
type Outcomes = (Outcome | readonly Outcome[])[];
/** Nothing: a function that had nothing to say, and no one listens. */
type Started = Outcome | readonly Outcome[] | FunctionRun | Promise<Outcome | readonly Outcome[]> | undefined;

function flat(outcomes: Outcomes): readonly Outcome[] {
  return outcomes.some(Array.isArray) ? outcomes.flat() : (outcomes as Outcome[]);
}

interface Place {
  readonly hook: AdmittedHook;
  readonly outcomes: Outcomes;
  readonly index: number;
}

function openRun(
  session: Session,
  firing: Firing,
  promise: Promise<Outcome | readonly Outcome[]>,
  { hook, outcomes, index }: Place,
): OpenRun {
  const onAnswer = (outcome: unknown): void => {
    outcomes[index] = outcome as Outcome;
  };
  const onFailure = (_why: RunFailure, thrown: unknown): void => onAnswer(interpret(session, firing, notRun(hook, untold(thrown))));
  return { promise, limitMs: undefined, abort: () => {}, onAnswer, onFailure };
}

/** One hook by itself. */
function runHook(session: Session, firing: Firing, selected: SelectedHook): Outcome | Promise<Outcome> {
  const started = start(session, firing, selected);
  const silent = (): Outcome => silentOutcome(selected.hook);
  if (!(started instanceof FunctionRun)) return (started as Outcome | Promise<Outcome> | undefined) ?? silent();
  let outcome: Outcome | undefined;
  started.onEnd = (returned) => {
    outcome = returnedOutcome(session, firing, started.hook, returned, started.startedAt);
  };
  joinRuns([started]);
  return untilEnded([started], firing.signals, () => outcome ?? silent());
}

/** The first of a sequence starts it; the others are in its outcomes, if their turn comes. */
function startSequence(session: Session, firing: Firing, selected: readonly SelectedHook[], index: number): Started {
  const { sequence, sequenceMode } = (selected[index] as SelectedHook).hook;
  const chain = selected.filter(({ hook }) => hook.sequence === sequence);
  if (chain[0] !== selected[index]) return [];
  return runChain(session, firing, sequenceMode === "reverse" ? chain.reverse() : chain, []);
}

/** Each sees what the one before returned; a denial ends the chain, and so does the first answer where the hooks ask for that. */
function runChain(
  session: Session,
  firing: Firing,
  chain: readonly SelectedHook[],
  done: Outcome[],
): readonly Outcome[] | Promise<readonly Outcome[]> {
  let told = firing;
  const next = (outcome: Outcome, { hook }: SelectedHook): boolean => {
    const { input } = told;
    done.push(chain.length > 1 ? { ...outcome, saw: input } : outcome);
    told = { ...told, input: rewritten(input, rewriteOf(outcome)), isFit: false };
    const isLast = outcome.isAnswer && hook.sequenceMode === "first-answer";
    return !isLast && !outcome.effects.some(({ type }) => type === "deny" || type === "halt");
  };
  for (const selected of chain.slice(done.length)) {
    const outcome = runHook(session, told, selected);
    if (outcome instanceof Promise) return outcome.then((late) => (next(late, selected) ? runChain(session, told, chain, done) : done));
    if (!next(outcome, selected)) break;
  }
  return done;
}

interface Rewrite {
  readonly call: EventInput | undefined;
  readonly prompt: string | undefined;
  readonly output?: { readonly value: unknown } | undefined;
}

export function rewritten(input: EventInput, { call, prompt, output }: Rewrite): EventInput {
  return {
    ...input,
    ...(call && { tool_input: call }),
    ...(prompt !== undefined && { prompt }),
    ...(output && { tool_response: output.value }),
  };
}

/** What the last of the effects make of an input. */
function rewriteOf({ effects }: Outcome): Rewrite {
  const call = effects.findLast((effect) => effect.type === "rewriteInput")?.input;
  const replaced = effects.findLast((effect) => effect.type === "rewriteOutput");
  const prompt = effects.findLast((effect) => effect.type === "rewritePrompt")?.prompt;
  return { call, prompt, output: replaced && { value: replaced.output } };
}

function start(session: Session, firing: Firing, selected: SelectedHook): Started {
  const { hook } = selected;
  const { again } = firing;
  const say = hook.source.isInternal ? undefined : firing.say;
  // A program may bring a runner of its own for functions.
  if (hook.target.kind !== "function" || session.runners.function) return startRunner(session, firing, selected);
  if (say) sayStarted(say, firing, hook);
  const startedAt = say ? performance.now() : 0;
  const refusal = refusalOf(session, firing, hook);
  if (refusal) return returnedOutcome(session, firing, hook, new FailedCall(refusal), startedAt);
  // SECURITY: a copy for each: what one function writes into it, no guard behind it must judge, and no tool must get.
  const returned = startFunction(hook, firing.known.copier.own(firing.input), firing.signals);
  if ((returned === undefined || returned === null) && !say && !again) return undefined;
  if (!(returned instanceof FunctionRun)) return returnedOutcome(session, firing, hook, returned, startedAt);
  returned.startedAt = startedAt;
  returned.limitMs = functionLimit(firing, hook);
  return returned;
}

/** What a function said; nothing if that is nothing, and no one listens. */
function returnedOutcome(session: Session, firing: Firing, hook: AdmittedHook, returned: unknown, startedAt: number): Outcome | undefined {
  const { again } = firing;
  const say = hook.source.isInternal ? undefined : firing.say;
  const isSilent = (returned === undefined || returned === null) && !again;
  if (isSilent && !say) return undefined;
  const durationMs = say ? performance.now() - startedAt : 0;
  if (isSilent) {
    const outcome = silentOutcome(hook, durationMs);
    if (say) sayOutcome(say, firing, NO_OUTPUT, outcome);
    return outcome;
  }
  const failed = returned instanceof FailedCall ? namedFailure(firing, hook, returned.failure) : undefined;
  return interpret(session, firing, { ...NO_OUTPUT, hook, durationMs, failure: failed, returned: failed ? undefined : returned });
}

function startRunner(session: Session, firing: Firing, selected: SelectedHook): Outcome | Promise<Outcome> {
  const { hook } = selected;
  const isBackground = firing.options.waitForAsync !== true && session.background.takes(hook);
  if (firing.say) sayStarted(firing.say, firing, hook, isBackground);
  // It may take its time: what was said so far is on disk by then.
  session.flush();
  const raw = execute(session, firing, selected);
  session.background.watch(raw);
  return isBackground ? inBackground(session, firing, { hook, run: raw }) : inForeground(session, firing, raw);
}

/** A hook may still go to the background by itself. */
async function inForeground(session: Session, firing: Firing, running: Promise<RawOutcome>): Promise<Outcome> {
  const raw = await running;
  if (!raw.continues) return interpret(session, firing, raw);
  if (firing.options.waitForAsync === true) return interpret(session, firing, await raw.continues);
  return inBackground(session, firing, { hook: raw.hook, run: raw.continues, durationMs: raw.durationMs });
}

interface BackgroundRun {
  readonly hook: SelectedHook["hook"];
  readonly run: Promise<RawOutcome>;
  /** How long the event waited for it. */
  readonly durationMs?: number | undefined;
}

function inBackground(session: Session, firing: Firing, { hook, run, durationMs = 0 }: BackgroundRun): Outcome {
  const later = run.then((raw) => {
    const outcome = interpret(session, firing, raw);
    const effects = session.dialects.of(hook.source.dialect).answer.fromBackground?.(outcome.effects) ?? outcome.effects;
    const late = lateDecision(outcome, firing.event) ?? lostContext(outcome, effects, firing.event);
    if (late) reportAll(session, firing, [late]);
    return { ...outcome, effects };
  });
  // What it says later was said after the first run.
  if (firing.again) session.background.watch(later);
  else session.background.start(later, firing);
  return { hook, effects: [], diagnostics: [], durationMs, isBackground: true };
}

async function execute(session: Session, firing: Firing, selected: SelectedHook): Promise<RawOutcome> {
  const { hook } = selected;
  const { kind } = hook.target;
  if (kind === "withheld") return withheld(session, firing, selected);
  const runner = session.runners[kind];
  if (!runner) return notRun(hook, { kind: "could-not-start", text: `this engine has no runner for ${kind} hooks` });
  const refusal = refusalOf(session, firing, hook);
  if (refusal) return notRun(hook, refusal);
  const handle = new RunHandle(firing.signals);
  const sharedMs = sharedTime(firing, hook);
  // Also what still waits for its turn to start.
  const timer = sharedMs === undefined ? undefined : setTimeout(() => handle.abort(), sharedMs);
  let continues: RawOutcome["continues"];
  try {
    const raw = await runner(selected, runInput(session, firing, selected, handle));
    continues = raw.continues;
    return raw.failure ? { ...raw, failure: namedFailure(firing, hook, raw.failure) } : raw;
  } catch (thrown) {
    // A dialect could not keep a promise to its hooks, or a runner of the embedding program broke its own.
    return notRun(hook, untold(thrown));
  } finally {
    const forget = (): void => {
      clearTimeout(timer);
      handle.release();
    };
    // What went to the background must still be told that the session closes.
    if (continues) void continues.then(forget, forget);
    else forget();
  }
}

function untold(thrown: unknown): RunFailure {
  return { kind: "bad-input", text: `the hook could not be told about the event: ${thrownText(thrown)}` };
}

/** SECURITY: every kind of hook passes here; commands are looked at once more when their turn to start has come. */
function refusalOf(session: Session, firing: Firing, hook: AdmittedHook): RunFailure | undefined {
  // What the program registered is in no file.
  const refusal = hook.source.scope === "code" ? undefined : session.recheck(hook, folderOf(session, firing));
  if (refusal || firing.isFit) return refusal;
  const unfit = unfitFor(hook, firing.event, firing.input);
  return unfit === undefined ? undefined : { kind: "unfit-input", text: `it was not asked, because ${unfit}` };
}

/** A gate that must not run. SECURITY: unless it may by now, its answer is a denial. */
async function withheld(session: Session, firing: Firing, { hook }: SelectedHook): Promise<RawOutcome> {
  const now = session.reconsider(hook);
  if (now === "gone") return { ...NO_OUTPUT, hook, exitCode: 0 };
  if ("kind" in now) return notRun(hook, now);
  return now.target.kind === "withheld"
    ? notRun(hook, { kind: "untrusted", text: "it has nothing to run" })
    : execute(session, firing, { hook: now });
}

function folderOf({ projectRoot }: Session, { input }: Pick<Firing, "input">): string {
  return typeof input["cwd"] === "string" ? input["cwd"] : projectRoot;
}

function runInput(session: Session, firing: Firing, { hook }: SelectedHook, { signal }: RunHandle): RunInput {
  const { event, input } = firing;
  const { input: told, answer } = session.dialects.of(hook.source.dialect);
  const envFile = EVENTS[event].hasEnvFile ? { CLAUDE_ENV_FILE: session.envFile() } : {};
  return {
    payload: () => payloadOf(told, event, input),
    input,
    messages: firing.signals.messages,
    askUser: firing.options.askUser,
    cwd: folderOf(session, { input }),
    projectRoot: session.projectRoot,
    sessionId: session.id,
    env: hook.target.kind === "function" ? {} : { ...told.variables({ event, input, hook, session: session.dialectSession }), ...envFile },
    timeoutMs: firing.options.timeoutMs,
    signal,
    readFirstLine: answer.readFirstLine && ((line) => answer.readFirstLine?.(hook, line)),
  };
}

const payloads = new WeakMap<object, Map<object, Buffer>>();

/** Written once for all hooks of a dialect: all of them get the same bytes. */
function payloadOf(told: Dialect["input"], event: Firing["event"], input: Firing["input"]): Buffer {
  const known = payloads.get(input) ?? new Map<object, Buffer>();
  const payload = known.get(told) ?? Buffer.from(JSON.stringify(told.payload(event, input)));
  known.set(told, payload);
  payloads.set(input, known);
  return payload;
}

function interpret(session: Session, firing: Firing, raw: RawOutcome): Outcome {
  const { event, again } = firing;
  const whole = interpretOutcome({ event, row: EVENTS[event], raw, dialect: session.dialects.of(raw.hook.source.dialect) });
  const outcome = again ? again.revise(whole) : whole;
  reportAll(session, firing, outcome.diagnostics);
  reportAll(session, firing, slowHook(raw, again?.tookMs(raw.hook.id)));
  if (firing.say) sayOutcome(firing.say, firing, raw, outcome);
  return isAnswer(outcome, raw) ? { ...outcome, isAnswer: true } : outcome;
}

/** SECURITY: where something can be denied, a note or an allow does not keep the hooks behind it from doing so. */
function isAnswer({ failure, effects, hook }: Outcome, { returned }: RawOutcome): boolean {
  if (failure || returned === undefined || returned === null) return false;
  if (EVENTS[hook.event].blockEffect !== "deny" || (typeof returned === "object" && IS_ANSWER in returned)) return true;
  return effects.some((effect) => effectRow(effect).isAnswer);
}
