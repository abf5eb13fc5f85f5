import { EVENTS } from "../catalogue/index.ts";
import { IS_ANSWER } from "../config/index.ts";
import { type Dialect, interpretOutcome, type Outcome } from "../judge/index.ts";
import { NO_OUTPUT, notRun, onAbort, type RawOutcome, type RunInput, thrownText } from "../run/index.ts";
import { type Plan, queryOf, type SelectedHook, selectHooks } from "../select/index.ts";
import { lateDecision, lostContext } from "./background.ts";
import { type EventInput, type Firing, type Session, sharedLimit, slowHook } from "./session.ts";
import { reportAll, type Step } from "./step.ts";
import { unfitFor } from "./unfit-input.ts";

/** The hooks that run for this input; those that run once have had their turn with it, and so have their copies. */
export function selectDue(
  session: Session,
  plan: Plan,
  { input, options }: Firing,
  isWanted?: (selected: SelectedHook) => boolean,
): readonly SelectedHook[] {
  const fitting = selectHooks(plan, input, session.spent);
  const selected = isWanted ? fitting.filter(isWanted) : fitting;
  // What is cancelled already does not run, and so is not used up.
  if (plan.isFixed || options.signal?.aborted) return selected;
  for (const { hook, copies = [hook] } of selected) for (const copy of copies) if (copy.once) session.spent.add(copy.id);
  return selected;
}

/** Executes and interprets: all at once, the hooks of one sequence one after the other. */
export async function runHooks(session: Session, firing: Firing, selected: readonly SelectedHook[]): Promise<readonly Outcome[]> {
  const startedAt = performance.now();
  const outcomes = await Promise.all(chains(selected).map((chain) => runChain(session, { startedAt, ...firing }, chain)));
  return outcomes.flat();
}

/** The same without sequences: each sees the event's own input, and none is left out because of another. */
export function runApart(session: Session, firing: Firing, selected: readonly SelectedHook[]): Promise<readonly Outcome[]> {
  return Promise.all(selected.map((one) => runHook(session, firing, one)));
}

/** A hook without a sequence is a chain of one. */
function chains(selected: readonly SelectedHook[]): readonly (readonly SelectedHook[])[] {
  const sequences = new Map<string, SelectedHook[]>();
  const all: SelectedHook[][] = [];
  for (const one of selected) {
    const { sequence } = one.hook;
    const chain = sequence === undefined ? undefined : sequences.get(sequence);
    if (chain) {
      if (one.hook.sequenceMode === "reverse") chain.unshift(one);
      else chain.push(one);
      continue;
    }
    const fresh = [one];
    all.push(fresh);
    if (sequence !== undefined) sequences.set(sequence, fresh);
  }
  return all;
}

/** Each sees what the one before returned; a no ends the chain, and so does the first answer where the hooks ask for that. */
async function runChain(session: Session, firing: Firing, chain: readonly SelectedHook[]): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  let { input } = firing;
  for (const selected of chain) {
    const outcome = await runHook(session, { ...firing, input }, selected);
    outcomes.push(chain.length > 1 ? { ...outcome, saw: input } : outcome);
    const isLast = outcome.isAnswer && selected.hook.sequenceMode === "first-answer";
    if (isLast || outcome.effects.some(({ type }) => type === "deny" || type === "halt")) break;
    input = rewritten(input, outcome);
  }
  return outcomes;
}

function rewritten(input: EventInput, { effects }: Outcome): EventInput {
  const call = effects.findLast((effect) => effect.type === "rewriteInput");
  const prompt = effects.findLast((effect) => effect.type === "rewritePrompt");
  return { ...input, ...(call && { tool_input: call.input }), ...(prompt && { prompt: prompt.prompt }) };
}

async function runHook(session: Session, firing: Firing, selected: SelectedHook): Promise<Outcome> {
  const { hook } = selected;
  const isBackground = session.background.takes(hook);
  firing.say?.({ type: "started", ...ofHook(firing, hook), ...(isBackground && { isBackground }) });
  const raw = execute(session, firing, selected);
  session.background.watch(raw);
  return isBackground ? inBackground(session, firing, { hook, run: raw }) : inForeground(session, firing, raw);
}

/** A hook may still go to the background by itself. */
async function inForeground(session: Session, firing: Firing, running: Promise<RawOutcome>): Promise<Outcome> {
  const raw = await running;
  if (!raw.continues) return interpret(session, firing, raw);
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
  // SECURITY: every kind of hook passes here; commands are looked at once more when their turn to start has come.
  const refusal = session.recheck(hook, folderOf(session, firing));
  if (refusal) return notRun(hook, refusal);
  const unfit = unfitFor(hook, firing.event, firing.input);
  if (unfit !== undefined) return notRun(hook, { kind: "unfit-input", text: `it was not asked, because ${unfit}` });
  const { signal, release } = joinSignals(firing.options.signal, session.closing);
  const shared = sharedLimit(firing, hook, signal);
  let continues: RawOutcome["continues"];
  try {
    const raw = await runner(selected, { ...runInput(session, firing, selected), signal: shared?.signal ?? signal });
    continues = raw.continues;
    return shared?.named(raw) ?? raw;
  } catch (thrown) {
    // A dialect could not keep a promise to its hooks, or a runner of the embedding program broke its own.
    return notRun(hook, { kind: "bad-input", text: `the hook could not be told about the event: ${thrownText(thrown)}` });
  } finally {
    const forget = (): void => {
      shared?.release();
      release();
    };
    // What went to the background must still be told that the session closes.
    if (continues) void continues.then(forget, forget);
    else forget();
  }
}

/** A gate that must not run. SECURITY: unless it may by now, its answer is a no. */
async function withheld(session: Session, firing: Firing, { hook }: SelectedHook): Promise<RawOutcome> {
  const now = session.reconsider(hook);
  if (now === "gone") return { ...NO_OUTPUT, hook, exitCode: 0 };
  if ("kind" in now) return notRun(hook, now);
  return now.target.kind === "withheld"
    ? notRun(hook, { kind: "untrusted", text: "it has nothing to run" })
    : execute(session, firing, { hook: now });
}

/** What steps about a hook begin with. */
function ofHook({ event, input, again }: Firing, { id, name }: SelectedHook["hook"]): Omit<Extract<Step, { type: "started" }>, "type"> {
  const query = queryOf(event, input);
  return { event, hook: id, name, label: query === "" ? event : `${event}:${query}`, ...(again && { isAgain: true }) };
}

function folderOf({ projectRoot }: Session, { input }: Pick<Firing, "input">): string {
  return typeof input["cwd"] === "string" ? input["cwd"] : projectRoot;
}

function runInput(session: Session, { event, input, options }: Firing, { hook }: SelectedHook): RunInput {
  const { input: told, answer } = session.dialects.of(hook.source.dialect);
  const envFile = EVENTS[event].hasEnvFile ? { CLAUDE_ENV_FILE: session.envFile() } : {};
  return {
    payload: () => payloadOf(told, event, input),
    input,
    cwd: folderOf(session, { input }),
    projectRoot: session.projectRoot,
    sessionId: session.id,
    env: hook.target.kind === "function" ? {} : { ...told.variables({ event, input, hook, session: session.dialectSession }), ...envFile },
    timeoutMs: options.timeoutMs,
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
  firing.say?.({
    type: "outcome",
    ...ofHook(firing, raw.hook),
    durationMs: outcome.durationMs,
    exitCode: raw.httpStatus ?? raw.exitCode,
    stdout: raw.stdout,
    stderr: raw.stderr,
    usage: raw.usage,
    effects: outcome.effects,
    failure: outcome.failure,
  });
  return isAnswer(outcome, raw) ? { ...outcome, isAnswer: true } : outcome;
}

const OPINIONS: ReadonlySet<string> = new Set(["deny", "ask", "defer", "halt", "rewriteInput", "rewritePrompt"]);

/** SECURITY: where something can be denied, a note or an allow does not keep the hooks behind it from doing so. */
function isAnswer({ failure, effects, hook }: Outcome, { returned }: RawOutcome): boolean {
  if (failure || returned === undefined || returned === null) return false;
  if (EVENTS[hook.event].blockEffect !== "deny" || (typeof returned === "object" && IS_ANSWER in returned)) return true;
  return effects.some(({ type }) => OPINIONS.has(type));
}

/** One signal that comes when either of two does. `AbortSignal.any` keeps 1.5 kB per call on Node 20 for as long as the longer-lived one lives. */
interface JoinedSignal {
  readonly signal: AbortSignal;
  /** Forgets both; call it when the run is over. */
  release(): void;
}

export function joinSignals(one: AbortSignal | undefined, other: AbortSignal): JoinedSignal {
  if (one === undefined) return { signal: other, release: () => {} };
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  if (one.aborted || other.aborted) abort();
  const forget = [onAbort(one, abort), onAbort(other, abort)];
  return {
    signal: controller.signal,
    release: () => {
      for (const leave of forget) leave();
    },
  };
}
