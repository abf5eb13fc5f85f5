/** The conversation: opens a session and runs what is typed, turns and commands, until the user leaves. */

import { existsSync } from "node:fs";
import {
  type AgentSession,
  CannotStart,
  checkSession,
  endText,
  isToldAlready,
  isWatched,
  type LoopStep,
  messageOf,
  openSession,
} from "../../agent/index.ts";
import type { RegisteredHook } from "../../config/index.ts";
import { counted, type Diagnostic, digestUntrusted, ownCommand, visible, withOwnCommand } from "../../diagnostic.ts";
import type { Verdict } from "../../judge/index.ts";
import { isOfflineModel } from "../../models/index.ts";
import { ModelError } from "../../run/index.ts";
import { yesOrNo } from "../clear-answer.ts";
import type { Screen } from "../screen/screen.ts";
import { asIs, inLocale, style } from "../terminal.ts";
import { askOnScreen, createAnswer, createAsk, createReview, statusText } from "./ask-permission.ts";
import { contents, createShorten, shortFolder } from "./call-text.ts";
import { type After, allCommands, completeLine, nextMode, OWN_COMMANDS, runOwnCommand } from "./own-commands.ts";
import type { ConversationFlags, UserInput } from "./run-conversation.ts";
import { askingScreen, createProgress, createShow } from "./show-steps.ts";
import { createWhyLog } from "./why.ts";

interface TalkOptions {
  readonly flags: ConversationFlags;
  readonly screen: Screen;
  readonly input: UserInput;
  readonly onOpen: (session: AgentSession) => void;
  /** Gets what Shift-Tab does. */
  readonly onModeKey: (change: () => void) => void;
}

type Review = ReturnType<typeof createReview>;

const EXIT_CANNOT_START = 1;
const REFRESH_MS = 2000;

export async function talk(options: TalkOptions): Promise<number> {
  const conversation = new Talk(options);
  try {
    return await conversation.run();
  } catch (thrown) {
    if (!(thrown instanceof CannotStart || thrown instanceof ModelError)) throw thrown;
    options.screen.close();
    // The user left before the session was open.
    if (options.input.leaving.aborted) return 0;
    process.stderr.write(`${inLocale(withOwnCommand(visible(thrown.message)))}\n`);
    return thrown instanceof CannotStart ? thrown.exitCode : EXIT_CANNOT_START;
  }
}

export function createCompletion(session: AgentSession): (before: string) => Promise<readonly string[]> {
  const commands = (): readonly string[] => allCommands(session).map(({ name }) => name);
  const suggestFiles = (typed: string): Promise<readonly string[] | undefined> => session.agent.settings.suggestFiles(typed);
  return (before) => completeLine({ cwd: process.cwd(), commands, suggestFiles }, before);
}

class Talk {
  readonly #options: TalkOptions;
  readonly #shorten = createShorten({ cwd: process.cwd(), home: process.env["HOME"] });
  readonly #progress;
  readonly #asking;
  readonly #show;
  readonly #ask;
  #why = createWhyLog();
  #session: AgentSession | undefined;
  /** The mode before an "a" changed it for this session. */
  #modeBefore: AgentSession["permissions"]["mode"] | undefined;
  #hasGivenRules = false;
  readonly #warned = new Set<string>();
  #turn: AbortController | undefined;
  /** A hook blocked something other than a call, in this turn. */
  #isBlocked = false;
  #isRefused = false;
  /** What the user was told in this turn. */
  #told: readonly string[] = [];
  #isReadingStatus = false;
  /** Hooks do not run: one may be approved in another terminal, or be changed back to what was approved. */
  #isLacking = false;
  #status: string | undefined;
  #hasOwnStatus = false;
  /** What stands in the place of the status for a moment. */
  #notice: NodeJS.Timeout | undefined;

  constructor(options: TalkOptions) {
    this.#options = options;
    const { screen } = options;
    const hookOf = (id: string): RegisteredHook | undefined => this.#hookOf(id);
    this.#progress = createProgress({ screen, hookOf, shorten: this.#shorten });
    this.#asking = askingScreen(screen, this.#progress);
    const isOffline = (): boolean =>
      this.#session !== undefined && !this.#session.isScripted && isOfflineModel(this.#session.agent.modelName());
    const hasDisplayHook = (): boolean => this.#session?.hooks.has("MessageDisplay") ?? false;
    const isVerbose = isWatched(options.flags, process.env);
    this.#show = createShow({ screen, progress: this.#progress, shorten: this.#shorten, hookOf, hasDisplayHook, isOffline, isVerbose });
    this.#ask = createAsk({
      screen: this.#asking,
      shorten: this.#shorten,
      permissions: () => this.#opened().permissions,
      report: this.#show.report,
      signal: () => this.#turn?.signal,
      onAlways: (before) => {
        if (this.#opened().permissions.mode === before) this.#hasGivenRules = true;
        else this.#modeBefore ??= before;
      },
    });
  }

  async run(): Promise<number> {
    const { flags, screen, onModeKey } = this.#options;
    await this.#open(flags, flags.resume === undefined ? "startup" : "resume");
    // They have been reported, each with its place.
    if (this.#opened().hooks.trust.cannotStart.length > 0) return await this.#leave(EXIT_CANNOT_START);
    onModeKey(() => this.#changeMode());
    screen.setBusy(false);
    for (;;) {
      this.#showStatus();
      const typed = await this.#nextLine();
      if (typed === undefined) return await this.#leave(0);
      screen.setBusy(true);
      if (await this.#runTyped(typed)) return await this.#leave(0);
      screen.print("");
      screen.setBusy(false);
    }
  }

  /** Runs what was typed; true if the user leaves. Whatever fails, the conversation continues. */
  async #runTyped(typed: string): Promise<boolean> {
    const { screen } = this.#options;
    try {
      const after = await this.#take(typed);
      if (after.type !== "stay" && after.type !== "leave") await this.#change(after);
      return after.type === "leave";
    } catch (thrown) {
      // Without a session the conversation cannot continue.
      if (!this.#session) throw thrown;
      screen.endStream();
      if ((thrown as Error | undefined)?.name === "AbortError") screen.print(style("yellow", "Stopped."));
      else this.#show.report(failedDiagnostic(/^[/!]/.test(typed.trim()) ? typed : "What you typed", thrown));
      return false;
    }
  }

  #changeMode(): void {
    const { screen } = this.#options;
    const { permissions } = this.#session ?? {};
    if (!permissions) return;
    permissions.setMode(nextMode(permissions));
    // The user's own status line may not show it.
    if (this.#hasOwnStatus) screen.print(style("dim", `The mode is ${permissions.mode} now.`));
    this.#showStatus();
  }

  async #nextLine(): Promise<string | undefined> {
    const used = this.#opened().agent.waitForInput();
    const refreshing = setInterval(() => this.#isLacking && this.#refreshStatus(), REFRESH_MS).unref();
    try {
      return await this.#options.input.next();
    } finally {
      clearInterval(refreshing);
      used();
    }
  }

  #opened(): AgentSession {
    if (!this.#session) throw new Error("the session is not open yet");
    return this.#session;
  }

  #hookOf(id: string): RegisteredHook | undefined {
    const hooks = this.#session?.hooks;
    return hooks?.admitted.find((hook) => hook.id === id);
  }

  async #open(flags: ConversationFlags, source: "startup" | "resume" | "clear"): Promise<void> {
    const { screen, onOpen } = this.#options;
    this.#why = createWhyLog();
    const digest = digestUntrusted((diagnostic) => this.#reportOnce(diagnostic));
    const session = await openSession(flags, {
      cwd: process.cwd(),
      env: process.env,
      report: digest.report,
      emit: (step, agentId) => this.#emit(step, agentId),
      trace: this.#show.trace,
      isWatching: this.#show.isWatching,
      ask: this.#ask,
      commands: OWN_COMMANDS,
      confirm: (verdict) => screen.inTurn(() => this.#confirm(verdict)),
      askUser: ({ hook, summary, question, signal = this.#turn?.signal }) =>
        screen.inTurn(async () => {
          if (signal?.aborted) return undefined;
          screen.print(`${style("yellow", "?")} The hook ${this.#shorten(hook)} asks about ${this.#shorten(summary)}`, "  ");
          return await this.#asking.ask(this.#shorten(question), signal);
        }),
      elicit: createAnswer(this.#asking, this.#shorten),
      review: (pending) => this.#review(pending),
      signal: this.#options.input.leaving,
    });
    this.#session = session;
    digest.flush();
    onOpen(session);
    if (session.hooks.trust.cannotStart.length > 0) return;
    this.#greet(session, source);
    try {
      await this.#working("starting the session", (signal) => session.agent.start({ source, setup: flags.setup, signal }));
    } catch (thrown) {
      this.#show.report(failedDiagnostic("The start of the session", thrown));
    }
  }

  async #review(pending: Parameters<Review>[0]): ReturnType<Review> {
    const { screen, input } = this.#options;
    if (!this.#session) screen.setStatus("waiting for your answer");
    const approvals = await createReview(this.#asking, input.leaving)(pending);
    if (!this.#session) screen.setStatus("starting …");
    return approvals;
  }

  /** A warning about a file that was shown when the session before was opened says nothing new. */
  #reportOnce(diagnostic: Diagnostic): void {
    const { code, level, text, place } = diagnostic;
    const key = JSON.stringify([text, place]);
    const isKnown = !this.#session && level === "warning" && code.startsWith("HL_CONFIG_") && this.#warned.has(key);
    this.#warned.add(key);
    if (!isKnown) this.#report(diagnostic);
  }

  #report(diagnostic: Diagnostic): void {
    this.#show.report(diagnostic);
    // The status line says how many hooks run, and that may have changed.
    if (/^HL_(?:TRUST|ADMIT|CONFIG)_/.test(diagnostic.code)) this.#showStatus();
  }

  async #confirm({ reasons }: Verdict): Promise<boolean> {
    const { screen } = this.#options;
    const show = (): void => {
      for (const { text } of reasons) screen.print(`${style("yellow", "?")} ${this.#shorten(text)}`, "  ");
    };
    show();
    const asking = {
      question: "Send the prompt? y = yes [n]",
      read: yesOrNo,
      hint: "Type y or n; Enter is n.",
      why: () => reasons.map(({ text }) => this.#shorten(text)),
    };
    const answer = await askOnScreen(this.#asking, asking, this.#turn?.signal);
    return answer?.isYes === true;
  }

  #greet({ agent, earlier, isScripted }: AgentSession, source: "startup" | "resume" | "clear"): void {
    const { screen } = this.#options;
    if (isOfflineModel(agent.modelName()) && !isScripted && source !== "clear") {
      const why = this.#options.flags.model === undefined ? "No key is set, so the offline model answers." : "The offline model answers.";
      screen.print(style("dim", `${why} It knows plain sentences: "run ls", "create a file called a.txt".`));
    }
    if (!earlier) return;
    screen.print(style("dim", `Resuming session ${earlier.id}, ${counted(earlier.entries.length, "message")}.`));
    this.#show.replay(earlier.entries);
  }

  #emit(step: LoopStep, agentId: string | undefined): void {
    this.#why.step(step);
    if (step.type === "call") this.#isRefused = step.result.status === "denied";
    if (step.type === "verdict" && (step.verdict.decision === "deny" || step.verdict.halt)) this.#isBlocked = true;
    if (step.type === "tell" && step.forMs !== undefined && this.#options.screen.hasStatus) {
      this.#showNotice(step.text, step.forMs);
      return;
    }
    if (step.type === "tell") this.#told = [...this.#told, step.text];
    this.#show.step(step, agentId);
    // An edit that was applied between two turns.
    if (step.type === "tell" && !this.#turn) this.#showStatus();
  }

  async #take(typed: string): Promise<After> {
    const { screen } = this.#options;
    const context = { session: this.#opened(), screen, show: this.#show, why: this.#why, shorten: this.#shorten };
    const own = runOwnCommand(context, typed);
    if (own) return await own;
    if (await wantsToLeave(typed, context.session)) return { type: "leave" };
    if (typed.trimStart().startsWith("!")) await this.#runLine(typed.trim().slice(1).trim());
    else await this.#submit(typed);
    return { type: "stay" };
  }

  async #runLine(command: string): Promise<void> {
    const { screen } = this.#options;
    const { agent } = this.#opened();
    if (command === "") return screen.print("! and a shell line runs it: !git status");
    this.#isRefused = false;
    const { text, isError } = await this.#working("running (Ctrl-C stops)", (signal) => agent.runLine(command, signal));
    screen.endStream();
    // The user knows what they answered, but not that the command did not run.
    if (this.#isRefused && text.startsWith("The user denied it")) screen.print(style("dim", "It was not run: you denied it."));
    // Why it did not run has been shown, with its place and its cure.
    if (!this.#isRefused) for (const line of contents(text).split("\n")) screen.print(isError ? style("red", line) : line);
  }

  async #submit(typed: string): Promise<void> {
    const { screen } = this.#options;
    const { agent } = this.#opened();
    this.#isBlocked = false;
    this.#told = [];
    this.#show.forget();
    const end = await this.#working("working (Ctrl-C stops)", (signal) => agent.submit(typed, signal));
    screen.endStream();
    // The output of a command, or why the prompt was not sent. A hook's block has its notice, and every other turn has shown its text.
    if (end.reason === null && !this.#isBlocked && end.text !== "") screen.print(this.#shorten(end.text));
    else if (end.reason === "aborted") screen.print(style("yellow", "Stopped."));
    else if (end.detail !== undefined && !isToldAlready(end, this.#told))
      screen.print(style("yellow", `! ${this.#shorten(endText(end))}`), "  ");
  }

  /** Does something that Ctrl-C can stop. */
  async #working<T>(text: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const turn = new AbortController();
    this.#turn = turn;
    const over = this.#options.input.onStop(() => turn.abort());
    const done = this.#progress.start(text);
    try {
      return await work(turn.signal);
    } finally {
      done();
      over();
      this.#turn = undefined;
    }
  }

  /** Replaces the session; the flags of the run and a mode that was chosen stay. */
  async #change(after: Extract<After, { type: "clear" | "resume" }>): Promise<void> {
    const { flags, screen } = this.#options;
    const { agent, permissions } = this.#opened();
    const modeBefore = permissions.mode === "acceptEdits" ? this.#modeBefore : undefined;
    const permissionMode = modeBefore ?? permissions.mode;
    const kept = { ...flags, setup: undefined, sessionId: undefined, model: agent.modelName(), permissionMode };
    const wanted = { ...kept, resume: after.type === "clear" ? undefined : after.id };
    // Before the old session ends: one that cannot start must not replace it.
    checkSession(wanted, { cwd: process.cwd(), env: process.env });
    const old = this.#opened();
    await old.close(after.type);
    this.#session = undefined;
    this.#modeBefore = undefined;
    const gone = this.#hasGivenRules ? ' Rules you gave with "a" are gone with the old one.' : "";
    const back = modeBefore === undefined ? "" : ` The mode is ${modeBefore} again.`;
    this.#hasGivenRules = false;
    if (after.type === "clear") screen.print(style("dim", `A new session: it is empty.${gone}${back}`), "  ");
    try {
      await this.#open(wanted, after.type);
    } catch (thrown) {
      this.#show.report(failedDiagnostic(`/${after.type}`, thrown));
      // Back to the old session; without a transcript, to an empty one.
      await this.#open({ ...kept, resume: existsSync(old.agent.transcriptPath) ? old.id : undefined }, "resume");
    }
  }

  #refreshStatus(): void {
    const status = this.#session && this.#statusOf(this.#session);
    if (status !== undefined && status !== this.#status) this.#showStatus();
  }

  /** Nothing while it is computed: looking at the hooks may itself report something. */
  #statusOf(session: AgentSession): string | undefined {
    if (this.#isReadingStatus) return undefined;
    this.#isReadingStatus = true;
    const waiting = session.hooks.notRunning();
    const text = this.#shorten(statusText(session, shortFolder(session.agent.folder()), waiting));
    this.#isLacking = waiting.length > 0;
    this.#isReadingStatus = false;
    return text;
  }

  #showNotice(text: string, ms: number): void {
    clearTimeout(this.#notice);
    this.#notice = setTimeout(() => {
      this.#notice = undefined;
      this.#showStatus();
    }, ms).unref();
    this.#options.screen.setStatus(text);
  }

  #showStatus(): void {
    if (this.#notice) return;
    const { screen } = this.#options;
    const session = this.#session;
    const status = session && this.#statusOf(session);
    if (!session || status === undefined) return;
    this.#status = status;
    screen.setStatus(status);
    // The user's command may be slow; nothing waits for it.
    const showOwn = (own: string | undefined): void => {
      this.#hasOwnStatus = own !== undefined && own !== "";
      if (own !== undefined && own !== "" && session === this.#session && !this.#notice) screen.setStatus(asIs(own));
    };
    void session.agent.settings.statusLine().then(showOwn, (thrown) => this.#show.report(failedDiagnostic("The status line", thrown)));
  }

  async #leave(code: number): Promise<number> {
    const { screen, flags } = this.#options;
    const session = this.#opened();
    clearTimeout(this.#notice);
    screen.setStatus("leaving …");
    await session.close("prompt_input_exit");
    screen.close();
    const isHere = process.stdout.writable && code === 0 && !flags.isThrowAway;
    if (isHere && session.agent.transcriptPath !== "") {
      process.stdout.write(style("dim", `To go on later: ${ownCommand()} agent --resume ${session.id}\n`));
    }
    return code;
  }
}

/** As in a shell. With the offline model every goodbye leaves; another model may answer it. */
async function wantsToLeave(typed: string, { agent, isScripted }: AgentSession): Promise<boolean> {
  if (/^(?:(?:exit|quit)(?:\(\))?;?|:q!?|:wq!?)$/i.test(typed.trim())) return true;
  if (!isOfflineModel(agent.modelName()) || isScripted) return false;
  const { isGoodbye } = await import("../../models/offline/read-sentence.ts");
  return isGoodbye(typed);
}

function failedDiagnostic(typed: string, thrown: unknown): Diagnostic {
  const [command = ""] = /^[/!]\S*/.exec(typed.trim()) ?? [];
  const why = messageOf(thrown).replace(/^HL_[A-Z_]+: /, "");
  return {
    code: "HL_AGENT_COMMAND_FAILED",
    level: "error",
    text: `${command || typed} failed: ${why} The conversation continues.`,
  };
}
