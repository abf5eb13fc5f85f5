import type { EventName, HookDefinition, HookHandler, ToolEvent } from "@hookloop/sdk";
import { EVENT_NAMES, isEventName } from "../catalogue/index.ts";
import { invalidOption, mistake } from "../check-options.ts";
import type { RegisteredHook, SettingsCommand } from "../config/index.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { checkVerdict, type StopCap, userNotices, type Verdict } from "../judge/index.ts";
import type { Protect, RuleSource } from "../permissions/index.ts";
import { onAbort, type TellGuard, thrownText, watchResults } from "../run/index.ts";
import { checkSpellings, createPlanner } from "../select/index.ts";
import { type Admission, isGate, type RefusedHook, staleText } from "../trust/index.ts";
import {
  type AppliedEdits,
  catchUp,
  createSnapshot,
  type EngineInternals,
  type EngineParts,
  type EngineTrust,
  type LightSession,
  matchingHooks,
  type Snapshot,
  type SnapshotParts,
} from "./engine-trust.ts";
import { canCarryNews, checkFiring, fire } from "./fire.ts";
import { askStop, type StartedTurn, startTurn } from "./host.ts";
import type { KnownEvent } from "./known-events.ts";
import type { ExecuteInput, GivenCall, ToolCall, ToolOptions } from "./permit.ts";
import {
  checkFrontmatter,
  type Frontmatter,
  type FunctionOptions,
  functionRefusal,
  INTERNAL,
  readRegistration,
  registerFunction,
} from "./register-function.ts";
import {
  type BegunCall,
  beginCall,
  type CallContext,
  type Execute,
  runTool,
  type ToolEnd,
  type ToolResult,
  tellUnfinished,
  type UnfinishedCall,
} from "./run-tool.ts";
import {
  type AnyOf,
  type EventInput,
  type FireOptions,
  type Input,
  runSetting,
  type SettingRun,
  type SettingRunOptions,
} from "./session.ts";
import { type Step, streamSteps } from "./step.ts";
import {
  afterClose,
  callsNotAwaited,
  cannotJudge,
  type NotAwaited,
  noSuchEvent,
  notIterated,
  pending,
  tellNotAttached,
  tellUniterated,
  tellUnknownEvent,
} from "./unfit-input.ts";

const SETTLE_MS = 150;
const NO_INPUT: EventInput = Object.freeze({});

/** The hooks of one session. Open one with `openHooks`; several may live side by side. */
export class HookEngine {
  readonly #parts: EngineParts;
  /** The one thing that changes when the session's hooks do, by one assignment. */
  #snapshot: Snapshot;
  /** The edit that is being applied: the next one starts from what it gives. */
  #edited: Promise<unknown> = Promise.resolve();
  #cleanups: (() => unknown)[] = [];
  #nextOrder = 0;
  /** Comes with `close()`, at once; hooks in the background still have their time. */
  readonly #closing = new AbortController();
  /** Hooks have been ended. A field of its own: asking the signal takes as long as everything else, where nothing matches. */
  #isOver = false;
  /** The promises of what hooks must answer first. */
  #notAwaited: NotAwaited | undefined;
  readonly #suspended: CallContext["suspended"] = new Map();
  readonly #stopCap: StopCap;
  /** The engine whose configuration a light session shares, and its snapshot that this one was made of. */
  readonly #parent: HookEngine | undefined;
  #base: Snapshot | undefined;
  /** The program fired SessionStart, and no SessionEnd since. */
  #isStarted = false;
  /** Streams that were made and not begun, by event. */
  readonly #uniterated = new Map<unknown, number>();
  /** Calls that `begin` let run, until they are finished. */
  /** Frontmatter that is being read: its hooks judge nothing yet. */
  #attaching = 0;
  readonly #unfinished = new Set<UnfinishedCall>();
  /** What only the reference agent and the engine itself need. Not part of the API: it changes without notice. */
  readonly internals: EngineInternals;

  /** A method that was taken out of its engine says so; it would say something about private members. */
  static #check(engine: unknown, method: string): void {
    if (typeof engine === "object" && engine !== null && #parts in engine) return;
    throw invalidOption(`${method}() was called without its engine. Write hooks.${method}(…), or hooks.${method}.bind(hooks)`);
  }

  constructor(parts: EngineParts, parent?: HookEngine) {
    this.#parts = parts;
    this.#parent = parent;
    this.#base = parent === undefined ? undefined : parent.#snapshot;
    this.#stopCap = parts.createStopCap();
    this.internals = {
      place: parts.place,
      fileRules: parts.fileRules,
      closing: this.#closing.signal,
      plugins: parts.plugins,
      configFiles: parts.configFiles,
      applyEdits: (files) => this.#applyEdits(files),
      matchers: (event) => this.#snapshot.planner.selectable(event).flatMap(({ matcher, names }) => names ?? matcher ?? []),
      commonInput: parts.session.commonInput,
      matching: (event, input) => matchingHooks(parts.session, this.#snapshot, event, input),
      observe: (event, tools, callback) => this.#observe(event, tools, callback),
      runSetting: (name, input, options) => this.#runSetting(name, input, options),
    };
    this.#snapshot = createSnapshot(parts, this.#base ?? { configuration: parts.configuration, attached: new Map(), functions: [] });
    if (parent) this.#cleanups.push(onAbort(parent.#closing.signal, () => this.#end()));
    else checkSpellings(this.#snapshot.planner, EVENT_NAMES, parts.tools);
    watchResults();
    onAbort(parts.session.closing, () => {
      this.#isOver = true;
    });
  }

  /** Whether any hook could run for the event, or it would carry what a background hook has said: check it before building an input. */
  has(event: EventName): boolean {
    HookEngine.#check(this, "has");
    this.#catchUpWithStore();
    const { session } = this.#parts;
    const known = isEventName(event) ? event : tellUnknownEvent(session, event);
    return known !== undefined && (this.#snapshot.planner.has(known) || (session.background.hasNews && canCarryNews(known)));
  }

  /** Registers a function; the function it returns takes it away again. */
  on<Event extends EventName>(event: Event, handler: HookHandler<Event>): () => void;
  on<Event extends EventName, const Tool extends string = string>(
    event: Event,
    options: FunctionOptions<Tool>,
    handler: HookHandler<Event, Tool>,
  ): () => void;
  /** Registers what `hook()` gave. */
  on(definition: HookDefinition): () => void;
  on(...given: readonly unknown[]): () => void {
    HookEngine.#check(this, "on");
    const { admit, plannerOptions } = this.#parts;
    const { event, ...parts } = readRegistration(given, this.#parts.tools);
    // A guard that will never be asked must not look like one that is.
    if (this.isClosing) throw mistake("HL_LOOP_CLOSED", `hooks.on("${event}"): the engine is closed. Register hooks before close()`);
    const { tools } = parts;
    const tell: TellGuard = (code, text, level = "error") => {
      // What is not sure is not said of a session that is over.
      if (level === "error" || !this.isClosing)
        this.report({ code, level, text: `guard "${hook.name.slice(0, 60)}" of ${event} ${text}.`, hook: hook.id });
    };
    const { hook, ignored, unknown } = registerFunction({ event, ...parts, tell, order: this.#nextOrder++ });
    const report = (code: Diagnostic["code"], text: string): void =>
      this.report({ code, level: "warning", text: `hooks.on("${event}"): ${text}.`, hook: hook.id });
    if (ignored) report("HL_CONFIG_OPTION_IGNORED", ignored);
    if (unknown) report("HL_CONFIG_MATCHER_NEVER", unknown);
    this.#replace({ functions: [...this.#snapshot.functions, hook] });
    const { admitted, refused } = admit([hook]);
    for (const one of refused) this.report(functionRefusal(one));
    checkSpellings(createPlanner(admitted, plannerOptions), [event], tools);
    return () => this.#replace({ functions: this.#snapshot.functions.filter((one) => one !== hook) });
  }

  /** Adds the hooks of a skill or subagent for as long as it lives; the function it returns takes them away again. */
  async attach(frontmatter: Frontmatter): Promise<() => void> {
    checkFrontmatter(frontmatter);
    this.#attaching++;
    const admission = await this.#parts.readFrontmatter(frontmatter).finally(() => this.#attaching--);
    const key = Symbol(frontmatter.file);
    this.#replace({ attached: new Map([...this.#snapshot.attached, [key, admission]]) });
    return () => this.#replace({ attached: new Map([...this.#snapshot.attached].filter(([other]) => other !== key)) });
  }

  /**
   * For a loop that is about to ask its model: gives background hooks that were started before the latest event a moment to finish, so that
   * what they say comes with this request.
   */
  async settleBackground(limitMs: number = SETTLE_MS): Promise<void> {
    const { background } = this.#parts.session;
    if (background.isBusy) await background.settle(limitMs);
  }

  /** What the loop must do now. A plain value when everything was synchronous; `await` works on both. */
  fire<Event extends ToolEvent, const Tool extends string>(
    event: Event,
    input: Input<Event, Tool>,
    options?: FireOptions,
  ): Verdict | Promise<Verdict>;
  fire<Event extends EventName>(
    event: Event extends ToolEvent ? never : Event,
    input: Input<Event>,
    options?: FireOptions,
  ): Verdict | Promise<Verdict>;
  /** Where the program does not know which event it is, no field is checked before it is fired. */
  fire<Event extends EventName>(event: AnyOf<Event>, input: EventInput, options?: FireOptions): Verdict | Promise<Verdict>;
  fire(event: EventName, input: EventInput, options?: FireOptions): Verdict | Promise<Verdict> {
    HookEngine.#check(this, "fire");
    const { session } = this.#parts;
    this.#catchUpWithStore();
    const checked = options === undefined || options === null ? undefined : checkFiring(session, options);
    const known = this.#snapshot.events().get(event);
    if (known === undefined) return noSuchEvent(session, event, input);
    if (this.#isOver && known.plans.hooks.length > 0) return afterClose(session, known);
    const given = typeof input === "object" && input !== null ? input : NO_INPUT;
    if (known.marks !== undefined) this.#note(known.marks, given);
    const verdict = known.isStop ? this.#fireStop(known, given, checked) : fire(session, known, given, checked);
    return verdict instanceof Promise ? pending(verdict, known.pending()) : verdict;
  }

  /** The same, step by step; the last step is the verdict. */
  stream(event: EventName, input: EventInput, options?: Omit<FireOptions, "onStep">): AsyncGenerator<Step, Verdict> {
    HookEngine.#check(this, "stream");
    const { session } = this.#parts;
    const checked = options === undefined || options === null ? {} : checkFiring(session, options);
    const uniterated = notIterated(session, event, streamSteps.prototype);
    this.#uniterated.set(event, (this.#uniterated.get(event) ?? 0) + 1);
    const steps = streamSteps((onStep, abandoned) => {
      this.#uniterated.set(event, (this.#uniterated.get(event) ?? 1) - 1);
      const signal = checked.signal ? AbortSignal.any([checked.signal, abandoned]) : abandoned;
      return this.fire(event, input, { ...checked, signal, onStep });
    }, uniterated.step);
    return Object.setPrototypeOf(steps, uniterated.stream);
  }

  /** One tool call with everything around it: PreToolUse, permission, the tool, PostToolUse or PostToolUseFailure. */
  runTool<Output, const Tool extends string>(
    call: GivenCall<Tool>,
    execute: Execute<Output, ExecuteInput<Tool>>,
    options?: ToolOptions,
  ): Promise<ToolResult<Output>> {
    HookEngine.#check(this, "runTool");
    const running = runTool(this, call as ToolCall, execute as Execute<Output>, this.#callContext(options));
    return this.#pending(running, "runTool");
  }

  /** The same in two halves, for a host that runs its tools by itself: `finish` is called when the tool has ended. */
  begin<const Tool extends string>(call: GivenCall<Tool>, options?: ToolOptions): Promise<BegunCall<ExecuteInput<Tool>>> {
    HookEngine.#check(this, "begin");
    const context: CallContext = { ...this.#callContext(options), unfinished: this.#unfinished };
    const beginning = beginCall(this, call as ToolCall, context).then((begun) =>
      "refused" in begun ? begun : { ...begun, finish: <Output>(end: ToolEnd<Output>) => this.#pending(begun.finish(end), "finish") },
    );
    return this.#pending(beginning as Promise<BegunCall<ExecuteInput<Tool>>>, "begin");
  }

  #pending<Value>(running: Promise<Value>, method: keyof NotAwaited): Promise<Value> {
    this.#notAwaited ??= callsNotAwaited(this.#parts.session);
    return pending(running, this.#notAwaited[method]);
  }

  #callContext(given: ToolOptions | undefined): CallContext {
    const { session, watch } = this.#parts;
    if (this.#attaching > 0) tellNotAttached(session);
    return {
      given,
      // By the snapshot of that moment: an edit may be applied while hooks judge the call.
      protect: ((asked) => this.#snapshot.configuration.protect(asked)) satisfies Protect,
      watch: () => watch.before(this.#snapshot.configuration.watched),
      session,
      closing: this.#closing.signal,
      suspended: this.#suspended,
    };
  }

  /** A turn begins or a session does: what was counted and noted for the one before is over. */
  #note(marks: NonNullable<KnownEvent["marks"]>, input: EventInput): void {
    if (marks === "prompt") this.#stopCap.reset(typeof input["agent_id"] === "string" ? input["agent_id"] : undefined);
    else this.#isStarted = marks === "start";
    if (marks === "end") tellUnfinished(this.#parts.session, this.#unfinished);
  }

  /** One more conversation with the same configuration and functions: its id, its turn and what keeps its agent going are its own. */
  session(options: LightSession = {}): HookEngine {
    HookEngine.#check(this, "session");
    const { session, close } = this.#parts.openLight(options);
    // What looks at files belongs to all of them.
    const watch = { ...this.#parts.watch, close: () => {} };
    return new HookEngine({ ...this.#parts, session, close, watch }, this);
  }

  /** UserPromptSubmit: whether the turn begins, with which prompt, and what else the model gets. */
  startTurn(prompt: string, fields?: Omit<Input<"UserPromptSubmit">, "prompt">, options?: FireOptions): Promise<StartedTurn> {
    HookEngine.#check(this, "startTurn");
    this.#parts.session.turn.halt = undefined;
    return this.#pending(startTurn(this, { ...fields, prompt }, options), "startTurn");
  }

  /** Stop: what the agent must continue with; nothing if it may stop. */
  askStop(text?: string, fields?: Input<"Stop">, options?: FireOptions): Promise<readonly string[]> {
    HookEngine.#check(this, "askStop");
    const input = { ...fields, ...(text !== undefined && { last_assistant_message: text }) };
    return this.#pending(askStop(this, input, options), "askStop");
  }

  /** What ended the agent's work in this turn; it stays until the next `startTurn`. That of a subagent ends only the subagent. */
  get halted(): Verdict["halt"] {
    return this.#parts.session.turn.halt;
  }

  /** The agent got somewhere (it used a tool): Stop hooks may keep it going again. `runTool` says so by itself. */
  progress(agentId?: string): void {
    this.#stopCap.progress(agentId);
  }

  /** Hooks are being ended or have been: nothing that needs their word may happen any more. */
  get isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Everything that was wrong with the configuration. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#parts.diagnostics;
  }

  /** Every hook that may run: those of files, skills and the program. */
  get admitted(): readonly RegisteredHook[] {
    return this.#snapshot.admissions.flatMap(({ admitted }) => admitted).filter(({ source }) => !source.isInternal);
  }

  /** Every hook that will not run, and why. */
  get refused(): readonly RefusedHook[] {
    return this.#snapshot.admissions.flatMap(({ refused }) => refused);
  }

  /** Every hook that would not run if its event came now: those that were refused, and those that have changed since. Looks at their files. */
  notRunning(): readonly RefusedHook[] {
    this.#catchUp();
    const { gate } = this.#parts;
    const changed = this.#snapshot.planned.flatMap((hook): readonly RefusedHook[] => {
      const stale = hook.withheld ? undefined : gate.recheck(hook, this.#parts.session.projectRoot);
      return stale
        ? [
            {
              hook,
              reason: stale.isRevoked ? "untrusted" : "changed",
              text: staleText(stale),
              diff: stale.diff,
              ...(isGate(hook) && { blocks: true }),
            },
          ]
        : [];
    });
    return [...this.refused, ...changed];
  }

  /** Those of the refused that were approved before: each blocks what it matches until it is reviewed. */
  get withheld(): readonly RefusedHook[] {
    return this.refused.filter(({ blocks }) => blocks);
  }

  /** What the session's hooks are trusted for, why it must not start, and whether its configuration was edited. */
  get trust(): EngineTrust {
    const { trust, checkForEdits } = this.#parts;
    return { ...trust, checkForEdits: () => checkForEdits(this.#snapshot.configuration) };
  }

  /** What every source says about permissions: `readRules` of them and of the program's own makes the session's rules. */
  get ruleSources(): readonly RuleSource[] {
    return this.#parts.ruleSources;
  }

  /** Says something where the engine says what is wrong. */
  report(diagnostic: Diagnostic): void {
    this.#parts.session.say({ type: "diagnostic", ...diagnostic });
  }

  /** For the user, never for the model: which hooks blocked, where they are declared, and how to switch each off for one run. */
  notices(verdict: Verdict): readonly string[] {
    HookEngine.#check(this, "notices");
    checkVerdict("notices()", verdict, "hooks.notices(verdict)");
    const hooks = this.#snapshot.planned;
    return userNotices({ verdict, hookOf: (id) => hooks.find((hook) => hook.id === id) });
  }

  /** Variables that hooks have set for later shell commands. */
  shellEnv(): Readonly<Record<string, string>> {
    return this.#parts.shellEnv();
  }

  /** Runs when the engine closes, last registered first. */
  onClose(cleanup: () => unknown): void {
    this.#cleanups.push(cleanup);
  }

  /** Ends what is running, flushes, runs the cleanups in reverse. One that fails does not stop the others. */
  async close(): Promise<void> {
    HookEngine.#check(this, "close");
    if (this.#isStarted && !this.isClosing) await this.fire("SessionEnd", { reason: "other" });
    const cleanups = this.#cleanups.splice(0).reverse();
    this.#end();
    tellUniterated(this.#parts.session, this.#uniterated);
    this.#uniterated.clear();
    await this.#parts.close();
    // What was left running has ended: what it did last is seen, too.
    this.#parts.watch.close();
    for (const cleanup of cleanups) {
      try {
        await cleanup();
      } catch (thrown) {
        this.report({ code: "HL_LOOP_CLEANUP_FAILED", level: "error", text: `A cleanup failed: ${thrownText(thrown)}` });
      }
    }
  }

  #observe(event: EventName, tools: readonly string[], callback: (input: EventInput) => void): () => void {
    const handler = (input: EventInput): void => callback(input);
    INTERNAL.add(handler);
    const options = { name: callback.name || "internal", ...(tools.length > 0 && { tool: tools }) };
    return this.on(event as "PostToolUse", options, handler as (input: unknown) => void);
  }

  #end(): void {
    tellUnfinished(this.#parts.session, this.#unfinished);
    this.#closing.abort();
  }

  async #applyEdits(files: readonly string[]): Promise<AppliedEdits> {
    const applying = this.#edited.then(async () => {
      const { configuration, applied } = await this.#parts.applyEdits(files, this.#snapshot.configuration);
      this.#replace({ configuration });
      return applied;
    });
    this.#edited = applying.catch(() => {});
    return await applying;
  }

  async #runSetting(name: SettingsCommand, input: EventInput, options: SettingRunOptions): Promise<SettingRun | undefined> {
    this.#catchUpWithStore();
    const hook = this.#snapshot.configuration.admission.admitted.find(({ setting }) => setting === name);
    return hook && (await runSetting(this.#parts.session, hook, input, options));
  }

  /** Tells hooks whether they hold the agent already, and overrides them when they have done so too often. */
  #fireStop(known: KnownEvent, input: EventInput, options?: FireOptions): Verdict | Promise<Verdict> {
    const { session } = this.#parts;
    const stopCap = this.#stopCap;
    try {
      const agent = typeof input["agent_id"] === "string" ? input["agent_id"] : undefined;
      const given = "stop_hook_active" in known.row.input ? { stop_hook_active: stopCap.isActive(agent), ...input } : input;
      const verdict = fire(session, known, given, options ?? undefined);
      return verdict instanceof Promise ? verdict.then((late) => this.#capped(late, agent)) : this.#capped(verdict, agent);
    } catch (thrown) {
      return cannotJudge(session, known, thrown);
    }
  }

  #capped(verdict: Verdict, agent: string | undefined): Verdict {
    const { warning } = this.#stopCap.onVerdict(verdict, agent);
    if (!warning) return verdict;
    this.report(warning);
    return { ...verdict, continueWith: [], contexts: [] };
  }

  /** Before anything is asked of hooks: a refusal is not for ever. Costs one look at a file, and only while something is refused. */
  #catchUpWithStore(): void {
    if (this.#parent) this.#follow(this.#parent);
    if (this.#snapshot.hasRefused && this.#parts.gate.hasNews()) this.#catchUp();
  }

  /** The hooks of a light session are those of its engine by now, and its own functions. */
  #follow(parent: HookEngine): void {
    parent.#catchUpWithStore();
    const [before, now] = [this.#base, parent.#snapshot];
    if (before === now) return;
    this.#base = now;
    const own = this.#snapshot.functions.filter((one) => !before?.functions.includes(one));
    this.#replace({ ...now, functions: [...now.functions, ...own] });
  }

  #catchUp(): void {
    const news: Diagnostic[] = [];
    const caughtUp = (before: Admission): Admission => catchUp(before, this.#parts, (diagnostic) => news.push(diagnostic));
    const { configuration, attached } = this.#snapshot;
    const admission = caughtUp(configuration.admission);
    const heads = [...attached].map(([key, before]) => [key, caughtUp(before)] as const);
    if (admission !== configuration.admission || heads.some(([key, now]) => now !== attached.get(key)))
      this.#replace({ configuration: { ...configuration, admission }, attached: new Map(heads) });
    // Told when it is so: a listener may look at the hooks at once.
    for (const diagnostic of news) this.report(diagnostic);
  }

  #replace(change: Partial<SnapshotParts>): void {
    this.#snapshot = createSnapshot(this.#parts, { ...this.#snapshot, ...change });
  }
}
