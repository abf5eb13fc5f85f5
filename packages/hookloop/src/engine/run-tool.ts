import { isDeepStrictEqual } from "node:util";
import { TOOLS } from "../catalogue/index.ts";
import { catchRejection, isObject, isThenable, shown } from "../check-options.ts";
import { contextTexts, feedbackTexts, type Verdict } from "../judge/index.ts";
import type { PermissionDecision, Protect } from "../permissions/index.ts";
import { dataCopy, frozenCopy, inputCopy, isPlainObject, thrownText } from "../run/index.ts";
import type { HookEngine } from "./engine.ts";
import { firingOf, type Permit, permitCall, type ReadOptions, type ToolCall, type ToolOptions, unlessOver } from "./permit.ts";
import { adviseAfter, adviseBefore, programMistake, readCall, readOptions, unseenResult } from "./read-call.ts";
import type { EventInput, FireOptions, Session, ToolWatch } from "./session.ts";
import { sayOnce } from "./step.ts";
import { kindOf } from "./unfit-input.ts";

/** How one tool call ended, with the texts for the model. */
export type ToolResult<Output> = ToolReport & (OwnOutput<Output> | ReplacedOutput);

interface OwnOutput<Output> {
  /** What the tool gave; only if it ran. Where a guard has judged it, a copy of what it has seen, unless `responseOf` gave that. */
  readonly output?: Output | undefined;
  readonly isReplaced?: undefined;
}

interface ReplacedOutput {
  /** What a hook has put in the place of what the tool gave: plain data. */
  readonly output?: unknown;
  readonly isReplaced: true;
}

interface ToolReport {
  /**
   * `withheld`: it ran, and a guard that must see its result failed, or it failed, and a guard would have replaced what it says: the model gets the error in its place. `suspended`: `ask` said so, and the
   * call is begun again when the user has answered.
   */
  readonly status: "ran" | "failed" | "denied" | "deferred" | "suspended" | "withheld";
  /** The id of the call. */
  readonly toolUseId: string;
  /** The plain form of the output, as hooks judged it; only where `responseOf` gave it. */
  readonly response?: unknown;
  /** Why it did not run, or how it failed, as the model is told. */
  readonly error?: string | undefined;
  /** Of a suspended call: `answered: { yes, token }` answers it in any session. */
  readonly token?: string | undefined;
  /** What the tool threw. */
  readonly cause?: unknown;
  /** Texts of hooks that belong beside the result, labelled. */
  readonly texts: readonly string[];
  /** The agent's work ends here. */
  readonly halt: Verdict["halt"];
  /** What rules and modes said, and which; absent if a hook's denial ended it before. */
  readonly permission?: PermissionDecision | undefined;
  /** A PermissionRequest hook refused the call and ended the turn with it. */
  readonly isInterrupted?: true | undefined;
  readonly verdicts: readonly Verdict[];
}

/** Runs the tool with the input as it was judged; the signal is that of `runTool`. */
export type Execute<Output, Input = EventInput> = (input: Input, run: { readonly signal: AbortSignal }) => Output | Promise<Output>;

/** How a tool that was started has ended. */
export type ToolEnd<Output = unknown> = { readonly output: Output } | { readonly error: unknown };

/** A call that may not run, with its result; or one that may, until it is told how it ended. */
export type BegunCall<Input = EventInput> =
  | { readonly refused: ToolResult<never> }
  | {
      /** As it was judged: a hook may have rewritten it, and nothing else may be run. */
      readonly input: Input;
      /** What hooks have for the model so far; in the texts of the result, too. */
      readonly texts: readonly string[];
      /** Tells the hooks how it ended, once; gives the result for the model. */
      finish<Output>(end: ToolEnd<Output>): Promise<ToolResult<Output>>;
    };

/** A call whose question was put off: the user has not answered yet. */
interface Suspended {
  readonly call: ToolCall;
  readonly verdict: Verdict;
  readonly token: string;
}

export interface CallContext {
  /** Whatever the program wrote as options. */
  readonly given: unknown;
  /** What guards the hooks' own configuration. */
  readonly protect: Protect;
  /** Looks at what decides which hooks run, before the call and after it. */
  readonly watch: () => ReturnType<ToolWatch["before"]>;
  readonly session: Session;
  readonly closing: AbortSignal;
  /** By the id of the call. */
  readonly suspended: Map<string, Suspended>;
  /** Calls that the host must finish by itself; absent where `runTool` does. */
  readonly unfinished?: Set<UnfinishedCall>;
}

/** A call that was begun, and nobody has told yet how it ended. */
export interface UnfinishedCall {
  readonly tool: string;
  readonly signal: AbortSignal | undefined;
}

const NEVER_ABORTED = new AbortController().signal;

/** PreToolUse → rules, PermissionRequest, the user → the tool → PostToolUse or PostToolUseFailure. */
export async function runTool<Output>(
  hooks: HookEngine,
  given: ToolCall,
  execute: Execute<Output>,
  context: CallContext,
): Promise<ToolResult<Output>> {
  if (typeof execute !== "function")
    return notBegun(given, programMistake(hooks, "runTool() has nothing to run. Write runTool(call, (input) => …)"));
  const begun = await beginCall(hooks, given, context);
  if ("refused" in begun) return begun.refused;
  if (begun.isRewritten && execute.length === 0) tellUnusedInput(context.session, given);
  try {
    return await begun.finish({ output: await execute(begun.input, { signal: begun.options.signal ?? NEVER_ABORTED }) });
  } catch (thrown) {
    // What the host throws to steer itself is no failure of the tool: it is the host's to catch.
    if (isSignal(begun.options, thrown)) throw thrown;
    return begun.finish({ error: thrown });
  }
}

/** SECURITY: what hooks have rewritten is what was judged; a function without a parameter most likely runs the call that the program holds. */
function tellUnusedInput(session: Session, { tool_name: tool }: ToolCall): void {
  const text = `A hook rewrote the input of ${shown(tool)}, and execute of runTool() takes no input: what it runs was probably not judged. Write runTool(call, (input) => …).`;
  sayOnce(session, { code: "HL_EXECUTE_BAD_INPUT", level: "warning", text }, `unused input ${tool}`);
}

function isSignal({ isSignal }: ToolOptions, thrown: unknown): boolean {
  try {
    return isSignal?.(thrown) === true;
  } catch {
    // A check that throws has not said yes.
    return false;
  }
}

type Begun = Exclude<BegunCall, { readonly refused: unknown }> & { readonly options: ReadOptions; readonly isRewritten: boolean };

/** The first half: everything before the tool. */
export async function beginCall(
  hooks: HookEngine,
  given: ToolCall,
  context: CallContext,
): Promise<Begun | Extract<BegunCall, { readonly refused: unknown }>> {
  const { protect, watch, session, closing, suspended, unfinished } = context;
  const options = readOptions(hooks, context.given, { session, closing });
  const judged = typeof options === "string" ? options : readCall(hooks, given);
  if (typeof options === "string" || typeof judged === "string") return { refused: notBegun(given, String(judged)) };
  options.protect = bothProtect(protect, options.protect);
  adviseBefore(hooks, judged, options);
  const call: ToolCall = { ...judged, ...modeOf(options) };
  const resumed = options.answered === undefined ? undefined : takeSuspended(suspended, call);
  const pre = resumed?.verdict ?? (await hooks.fire("PreToolUse", call, firingOf(options)));
  const asked: ToolCall = pre.updatedInput ? { ...call, tool_input: frozenCopy(pre.updatedInput) as ToolCall["tool_input"] } : call;
  // SECURITY: before the program's functions are asked: bytes and dates cannot be frozen, and what was judged is what runs.
  const judgedInput = dataCopy(asked.tool_input) as EventInput;
  const decided = await permitCall({ hooks, call: asked, verdict: pre, options, resumed: resumed?.token }).catch((thrown: unknown) => {
    const { cause } = thrown as Partial<Error>;
    if (isSignal(options, cause)) throw cause;
    return undecided(hooks, asked, thrown);
  });
  const permit = unlessOver(hooks, decided, options);
  const before = [pre, ...permit.verdicts];
  const texts = before.flatMap((verdict) => contextTexts({ verdict, input: permit.call }));
  if (permit.refusal?.token !== undefined) suspend(suspended, { call, verdict: pre, token: permit.refusal.token });
  if (permit.refusal && session.listeners.any) sayNotRun(session, permit);
  if (permit.refusal) return { refused: await refusedResult(hooks, permit, { options, before, texts }) };
  const input = permit.call.tool_input === asked.tool_input ? judgedInput : (dataCopy(permit.call.tool_input) as EventInput);
  const after = watch();
  const startedAt = performance.now();
  let finished: Promise<ToolResult<unknown>> | undefined;
  const open: UnfinishedCall = { tool: permit.call.tool_name, signal: options.signal };
  unfinished?.add(open);
  const finish = (given: ToolEnd): Promise<ToolResult<unknown>> => {
    after(permit.call.tool_name, permit.permission?.by.kind === "protection");
    const isEnd = typeof given === "object" && given !== null && ("output" in given || "error" in given);
    if (!isEnd) {
      const text = `finish() was given ${shown(given)}, which says nothing of how ${permit.call.tool_name} ended: that counts as a failure. Write finish({ output }) or finish({ error }).`;
      hooks.report({ code: "HL_CONFIG_OPTION_INVALID", level: "error", text });
    }
    const end = isEnd ? given : { error: new Error("How the tool ended is not known.") };
    return finishCall(hooks, end, { permit, options, before, texts, durationMs: performance.now() - startedAt });
  };
  return {
    input,
    texts,
    options,
    isRewritten: pre.updatedInput !== undefined || permit.call.tool_input !== asked.tool_input,
    finish: <Output>(end: ToolEnd<Output>) => {
      unfinished?.delete(open);
      if (finished) tellFinishedTwice(session, permit.call);
      finished ??= finish(end);
      return finished as Promise<ToolResult<Output>>;
    },
  };
}

/** SECURITY: hooks have judged the first end; what the second call says, they have not, and it is not in the result. */
function tellFinishedTwice(session: Session, { tool_name: tool, tool_use_id: id }: ToolCall): void {
  const text = `finish() was called again for ${shown(tool)} (${shown(id)}): the call is over, and its first result counts. Call it once, with { output } or { error }.`;
  sayOnce(session, { code: "HL_LOOP_NOT_FINISHED", level: "error", text }, `finished twice ${tool}`);
}

/** Said when the session ends. A host that was told to stop has given its calls up. */
export function tellUnfinished(session: Session, unfinished: Set<UnfinishedCall>): void {
  const tools = [...unfinished].flatMap(({ tool, signal }) => (signal?.aborted ? [] : tool));
  unfinished.clear();
  if (tools.length === 0) return;
  const named = [...new Set(tools)].slice(0, 5).map(shown).join(", ");
  const what = tools.length === 1 ? `A call of ${named} was` : `${tools.length} calls (${named}) were`;
  const text = `${what} begun and never finished: hooks were not told how it ended, and guards of results have not seen it. Write: await begun.finish({ output }), or finish({ error }).`;
  session.say({ type: "diagnostic", code: "HL_LOOP_NOT_FINISHED", level: "error", text });
}

function sayNotRun(session: Session, { call, permission, refusal }: Permit): void {
  const { tool_name, tool_use_id } = call;
  const { status = "denied", error = "" } = refusal ?? {};
  session.say({ type: "notRun", event: "PreToolUse", tool_name, tool_use_id, status, by: permission?.by.kind, error });
}

function notBegun(call: unknown, error: string): ToolResult<never> {
  return { status: "denied", toolUseId: idOf(call), error, texts: [], halt: undefined, verdicts: [] };
}

function idOf(call: unknown): string {
  try {
    const { tool_use_id: id } = (call ?? {}) as Partial<ToolCall>;
    return typeof id === "string" ? id : "";
  } catch {
    // Code of the call's own threw; that it cannot be read is said already.
    return "";
  }
}

/** Users may never answer: the oldest are forgotten, and judged anew if an answer comes all the same. */
const MOST_SUSPENDED = 1000;

function suspend(suspended: CallContext["suspended"], one: Suspended): void {
  const [oldest] = suspended.keys();
  if (suspended.size >= MOST_SUSPENDED && oldest !== undefined) suspended.delete(oldest);
  suspended.set(one.call.tool_use_id, one);
}

/** SECURITY: what was judged before counts only for the very same call, and once. */
function takeSuspended(suspended: CallContext["suspended"], call: ToolCall): Suspended | undefined {
  const known = suspended.get(call.tool_use_id);
  const isSame = known?.call.tool_name === call.tool_name && isDeepStrictEqual(known?.call.tool_input, call.tool_input);
  if (!isSame) return undefined;
  suspended.delete(call.tool_use_id);
  return known;
}

interface Progress {
  readonly options: ReadOptions;
  /** Verdicts of what was fired before the tool. */
  readonly before: readonly Verdict[];
  readonly texts: readonly string[];
}

async function refusedResult(hooks: HookEngine, permit: Permit, { options, before, texts }: Progress): Promise<ToolResult<never>> {
  const told = await tellRefusal(hooks, permit, options);
  const isInterrupted = permit.verdicts.some(({ fields }) => fields["interrupt"] === true);
  return {
    ...(permit.refusal as NonNullable<Permit["refusal"]>),
    toolUseId: permit.call.tool_use_id,
    permission: permit.permission,
    ...(isInterrupted && { isInterrupted }),
    texts: [...texts, ...told.texts],
    halt: haltOf(before),
    verdicts: [...before, ...told.verdicts],
  };
}

function haltOf(verdicts: readonly Verdict[]): Verdict["halt"] {
  return verdicts.find(({ halt }) => halt)?.halt;
}

interface Started extends Progress {
  readonly permit: Permit;
  readonly durationMs: number;
}

/** The second half: everything after the tool. */
async function finishCall<Output>(hooks: HookEngine, end: ToolEnd<Output>, started: Started): Promise<ToolResult<Output>> {
  const { permit, options, before, texts, durationMs } = started;
  const { call } = permit;
  const { signal, session } = options;
  hooks.progress(typeof call["agent_id"] === "string" ? call["agent_id"] : undefined);
  const isAborted = signal?.aborted ?? false;
  const told = { ...call, ...modeOf(options), ...fieldsAfterwards(hooks, options), duration_ms: Math.round(durationMs) };
  // What has happened is told even if the caller no longer waits for it: with an aborted signal no hook would ever see `is_interrupt`.
  const fireOptions = firingOf(isAborted ? { messages: options.messages } : options);
  const response = "output" in end ? responseTo(hooks, end.output, options) : undefined;
  if ("output" in end) adviseAfter(hooks, call, response?.isOwn ? response.shown : end.output, session);
  const post =
    response !== undefined
      ? await hooks.fire("PostToolUse", withResponse(told, response), fireOptions)
      : await hooks.fire("PostToolUseFailure", { ...told, error: failureText(end), is_interrupt: isAborted }, fireOptions);
  const guarded = "error" in end ? await guardError(hooks, { ...told, error: errorTexts(end.error) }, fireOptions) : undefined;
  const unseen = "output" in end ? unseenResult(call, response?.isOwn ? response.shown : end.output, post, session) : undefined;
  // SECURITY: what a guard has seen is what the model gets, whatever the tool does to its own object meanwhile or keeps in fields that nobody is shown.
  const isJudged = post.outcomes.some(({ hook }) => hook.isGuard || hook.onFailure === "block");
  const judged = response && isJudged && !response.isOwn ? { output: response.shown } : end;
  const spoken = { verdict: post, input: call };
  return {
    ...(unseen === undefined ? endOf(judged as ToolEnd<Output>, guarded ?? post, response) : { status: "withheld", error: unseen }),
    toolUseId: call.tool_use_id,
    texts: [...texts, ...feedbackTexts(spoken), ...contextTexts(spoken)],
    halt: haltOf([...before, post, ...(guarded ? [guarded] : [])]),
    permission: permit.permission,
    verdicts: [...before, post, ...(guarded ? [guarded] : [])],
  };
}

const HIDDEN_ERROR = "The tool failed. Its error is withheld: a guard of the tool's results would have replaced it.";

/**
 * What the guards of results say of the error of a tool that failed. SECURITY: a tool that fails shows the model a text as one that succeeds does, and a guard
 * that hides secrets must see it. It gets it wherever the tool's response has a text.
 */
async function guardError(
  hooks: HookEngine,
  told: ToolCall & { readonly error: string },
  options?: FireOptions,
): Promise<Verdict | undefined> {
  if (!hooks.has("PostToolUse")) return undefined;
  const { error, ...call } = told;
  return await hooks.fire("PostToolUse", { ...call, tool_response: responseOf(call.tool_name, error) }, { ...options, onlyGuards: true });
}

/** As hooks are shown it: data only, and nothing that changes later. Bytes stay bytes, which as an input of their own they would not. */
function resultCopy(output: unknown): unknown {
  return (inputCopy({ output }) as { readonly output: unknown }).output;
}

/** Deeper than causes of causes go. */
const MOST_LEVELS = 6;

/**
 * Every text of an error, also what stands beside its message: the output of a command (`stderr`), a cause. SECURITY: a program may show the model any of them, so a
 * guard of results must see them all.
 */
function errorTexts(thrown: unknown): string {
  const texts = [thrownText(thrown)];
  const add = (value: unknown, levels: number): void => {
    const said = value instanceof Uint8Array ? Buffer.from(value).toString() : value;
    if (typeof said === "string" && !texts.some((text) => text.includes(said))) texts.push(said);
    if (said !== value) return;
    if (typeof value !== "object" || value === null || levels === 0) return;
    // The message of an error is no enumerable field; its stack is the message, and places.
    for (const name of Object.getOwnPropertyNames(value)) if (name !== "stack") add(Reflect.get(value, name), levels - 1);
  };
  try {
    add(thrown, MOST_LEVELS);
  } catch {
    // What cannot be read, nobody can show either.
  }
  return texts.join("\n");
}

/** The true response of a known tool, with this text in it. */
function responseOf(tool: string, text: string): unknown {
  const { response = {}, responseSample } = Object.hasOwn(TOOLS, tool) ? TOOLS[tool as keyof typeof TOOLS] : {};
  if (!responseSample) return text;
  const filled = (value: unknown): unknown => {
    if (typeof value === "string") return text;
    if (Array.isArray(value)) return value.map(filled);
    return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, filled(part)])) : value;
  };
  // Such as the type of a file, which is one of few words.
  const isWord = (name: string): boolean => typeof responseSample[name] === "string" && response[name]?.type.kind !== "string";
  return Object.fromEntries(Object.entries(responseSample).map(([name, value]) => [name, isWord(name) ? value : filled(value)]));
}

/** What became of a call that was started, after its hooks. */
function endOf<Output>(
  end: ToolEnd<Output>,
  { updatedOutput }: Verdict,
  response: Response | undefined,
): Pick<ToolReport, "status" | "response" | "error" | "cause"> & (OwnOutput<Output> | ReplacedOutput) {
  if ("error" in end && updatedOutput === undefined) return { status: "failed", error: thrownText(end.error), cause: end.error };
  if ("error" in end) return { status: "withheld", error: updatedOutput?.isWithheld ? String(updatedOutput.value) : HIDDEN_ERROR };
  if (updatedOutput?.isWithheld) return { status: "withheld", error: String(updatedOutput.value) };
  if (updatedOutput) return { status: "ran", output: updatedOutput.value, isReplaced: true };
  return { status: "ran", output: end.output, ...(response?.isOwn && { response: response.shown }) };
}

function failureText(end: ToolEnd): string {
  return "error" in end ? thrownText(end.error) : "";
}

/** What hooks are shown of what a tool gave. */
interface Response {
  readonly shown: unknown;
  /** The program has said what it is: the output is an object of its own. */
  readonly isOwn?: boolean;
  /** It could not be had, because this was thrown. */
  readonly thrown?: { readonly why: unknown };
}

function responseTo(hooks: HookEngine, output: unknown, { responseOf }: ToolOptions): Response {
  if (!responseOf) return { shown: hooks.has("PostToolUse") ? resultCopy(output) : undefined };
  const unknown = (code: "HL_EXECUTE_THREW" | "HL_CONFIG_OPTION_INVALID", why: unknown, text: string): Response => {
    hooks.report({ code, level: "error", text: `responseOf of runTool() ${text}. Hooks see nothing of the result.` });
    return { shown: undefined, thrown: { why } };
  };
  let given: unknown;
  try {
    given = responseOf(output);
    const shown = isForm(given, output) ? resultCopy(given) : undefined;
    if (shown !== undefined || isAbsent(output)) return { shown, isOwn: true };
  } catch (why) {
    return unknown("HL_EXECUTE_THREW", why, `threw: ${thrownText(why)}`);
  }
  catchRejection(given);
  const text = `gave ${kindOf(given)}. Return the plain form of what the tool gave, and no promise`;
  return unknown("HL_CONFIG_OPTION_INVALID", new Error("responseOf gave no plain form of the result."), text);
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** SECURITY: a guard that is shown nothing, or an empty object in the place of a promise, agrees to whatever the model then gets. */
function isForm(given: unknown, output: unknown): boolean {
  return typeof given !== "function" && !isThenable(given) && (!isAbsent(given) || isAbsent(output));
}

/** SECURITY: a result that cannot be read is one that throws when hooks are to be told: then it is withheld where a guard must see it. */
function withResponse(told: ToolCall, { shown: tool_response, thrown }: Response): ToolCall & { readonly tool_response: unknown } {
  if (!thrown) return { ...told, tool_response };
  const unreadable = (): never => {
    throw thrown.why;
  };
  return Object.defineProperty({ ...told, tool_response }, "tool_response", { enumerable: true, get: unreadable });
}

/** SECURITY: a protection of the program's own adds to that of the hooks' own files and never replaces it; the stricter counts. */
function bothProtect(protect: Protect, own: Protect | undefined): Protect {
  return (call) => {
    const found = own?.(call);
    return found === undefined || found === null || found.decision === "ask" ? (protect(call) ?? found) : found;
  };
}

/** Hooks get the mode that counts now. */
function modeOf({ rules }: ToolOptions): { readonly permission_mode?: string } {
  return rules?.mode === undefined ? {} : { permission_mode: rules.mode };
}

/** The tool has run: what it may have changed is not worth losing its result. */
function fieldsAfterwards(hooks: HookEngine, { afterwards }: ToolOptions): Readonly<Record<string, unknown>> {
  try {
    const fields: unknown = afterwards?.() ?? {};
    if (typeof fields === "object" && fields !== null && isPlainObject(fields)) return fields;
    catchRejection(fields);
    const found = typeof fields === "object" ? kindOf(fields) : shown(fields);
    hooks.report({
      code: "HL_CONFIG_OPTION_INVALID",
      level: "error",
      text: `afterwards of runTool() gave ${found}. Return an object of fields.`,
    });
    return {};
  } catch (thrown) {
    hooks.report({ code: "HL_EXECUTE_THREW", level: "error", text: `afterwards of runTool() threw: ${thrownText(thrown)}` });
    return {};
  }
}

/** SECURITY: rules or a question that broke have not said yes. */
function undecided(hooks: HookEngine, call: ToolCall, thrown: unknown): Permit {
  const { cause = thrown } = thrown as Partial<Error>;
  hooks.report({ code: "HL_EXECUTE_THREW", level: "error", text: `${thrownText(thrown)}. ${call.tool_name} was not run.` });
  const error = `${call.tool_name} was not run: whether it may could not be decided (${thrownText(cause)}).`;
  return { call, verdicts: [], refusal: { status: "denied", error } };
}

/** PermissionDenied is about refusals of auto mode: there was no user to answer the question it would have decided. */
async function tellRefusal(
  hooks: HookEngine,
  { call, permission, refusal }: Permit,
  { rules, ask }: ToolOptions,
): Promise<{ readonly texts: readonly string[]; readonly verdicts: readonly Verdict[] }> {
  const isAuto = rules?.mode === "auto" && !ask && permission?.by.kind === "default";
  if (!isAuto || !hooks.has("PermissionDenied")) return { texts: [], verdicts: [] };
  const verdict = await hooks.fire("PermissionDenied", {
    permission_mode: rules.mode,
    ...call,
    reason: refusal?.error ?? permission.reason,
  });
  return { texts: verdict.fields["retry"] === true ? ["A hook says that you may try this call again."] : [], verdicts: [verdict] };
}
