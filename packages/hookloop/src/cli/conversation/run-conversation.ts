/**
 * The conversation at a terminal. This file loads nothing but the screen: the user sees a prompt and can type before the agent,
 * its hooks and its model are loaded.
 */

import path from "node:path";
import { type AgentFlags, onEndSignal } from "../../agent/index.ts";
import { counted } from "../../diagnostic.ts";
import { absolutePath, ownFolder } from "../../state-files.ts";
import { quotedLine } from "../clear-answer.ts";
import { openPlainScreen, type Screen, type ScreenEvents } from "../screen/screen.ts";
import { openTerminalScreen } from "../screen/terminal-screen.ts";
import { type History, openHistory } from "../screen/typed-line.ts";
import { inLocale, style } from "../terminal.ts";
import { shortFolder, spokenText } from "./call-text.ts";

export interface ConversationFlags extends AgentFlags {
  readonly prompt?: string | undefined;
  readonly setup?: "init" | "maintenance" | undefined;
  /** The session is removed when it ends: how to resume it is not shown. */
  readonly isThrowAway?: boolean | undefined;
}

declare const __HOOKLOOP_VERSION__: string;

const EXIT_INTERRUPTED = 130;

export async function runConversation(flags: ConversationFlags): Promise<number> {
  let complete: ScreenEvents["complete"] = async () => [];
  let changeMode = (): void => {};
  const user = createInput({
    say: (text) => screen.print(style("dim", spokenText(text)), "  "),
    hasHistory: process.env["TERM"] !== "dumb",
    giveUp() {
      screen.close();
      process.exit(EXIT_INTERRUPTED);
    },
  });
  const screen = openScreen(user, { complete: (before) => complete(before), onMode: () => changeMode() });
  screen.print(`${style("bold", `hookloop ${__HOOKLOOP_VERSION__}`)}  ${shortFolder(process.cwd())}`);
  screen.print(style("dim", "Type what to do, or /help. Ctrl-C stops, twice leaves."));
  screen.setStatus("starting …");
  const leave = (): void => user.leave();
  const hangUp = (): void => {
    screen.close(true);
    user.leave();
  };
  // Ctrl-C is a key here; the signal comes from outside, and means the same. A plain screen listens itself.
  const interrupt = (): void => user.interrupt(false);
  if (process.env["TERM"] !== "dumb") process.on("SIGINT", interrupt);
  const forgetSignals = onEndSignal((name) => (name === "SIGHUP" ? hangUp() : leave()), ["SIGTERM", "SIGHUP"]);
  // A closed window breaks both streams. Other commands end at once then; here hooks must still get SessionEnd.
  process.stdout.removeAllListeners("error").on("error", hangUp);
  process.stdin.on("error", hangUp);
  if (flags.prompt !== undefined) {
    screen.print(`> ${spokenText(flags.prompt)}`, "  ");
    user.say(flags.prompt);
  }
  try {
    // Drawn first, loaded then.
    await new Promise(setImmediate);
    const { createCompletion, talk } = await import("./talk.ts");
    return await talk({
      flags,
      screen,
      input: user,
      onOpen: (session) => {
        complete = createCompletion(session);
      },
      onModeKey: (change) => {
        changeMode = change;
      },
    });
  } finally {
    screen.close();
    forgetSignals();
    process.off("SIGINT", interrupt);
  }
}

function openScreen(user: OwnInput, later: Pick<ScreenEvents, "complete" | "onMode">): Screen {
  const { stdin: input, stdout: output } = process;
  const events: ScreenEvents = {
    onLine: (line) => user.say(line),
    onInterrupt: (hadText) => user.interrupt(hadText),
    onStop: () => user.stop(),
    onLeave: () => user.leave(),
    ...later,
  };
  if (process.env["TERM"] === "dumb") return openPlainScreen({ input, output, inLocale, ...events });
  const screen: Screen = openTerminalScreen({
    input,
    output,
    style,
    inLocale,
    history: typedBefore((text) => screen.print(text)),
    ...events,
  });
  return screen;
}

function typedBefore(onProblem: (text: string) => void): History {
  const folder = ownFolder("state", { env: process.env, home: absolutePath(process.env["HOME"]) });
  return openHistory({ file: folder && path.join(folder, "history.jsonl"), onProblem });
}

/** The user's input: queued lines, and what Ctrl-C means right now. */
export interface UserInput {
  next(): Promise<string | undefined>;
  /** The next interrupt ends a turn; call the function it returns when the turn is over. */
  onStop(stop: () => void): () => void;
  readonly leaving: AbortSignal;
}

interface OwnInput extends UserInput {
  say(line: string): void;
  interrupt(hadText: boolean): void;
  /** Esc: as Ctrl-C, but it never leaves. */
  stop(): void;
  leave(): void;
}

interface InputOptions {
  readonly say: (text: string) => void;
  /** Leaving takes too long: end it all. */
  readonly giveUp: () => void;
  /** The up key shows what was typed before. */
  readonly hasHistory?: boolean | undefined;
}

/** Two Ctrl-C within this time leave. */
const TWICE_MS = 2000;

export function createInput({ say, giveUp, hasHistory }: InputOptions): OwnInput {
  const left = new AbortController();
  let lines: readonly string[] = [];
  let waiting: ((line: string | undefined) => void) | undefined;
  let stop: (() => void) | undefined;
  let isStopping = false;
  let lastAt = Number.NEGATIVE_INFINITY;
  const leave = (): void => {
    left.abort();
    stop?.();
    waiting?.(undefined);
  };
  /** Queued lines were typed for the turn that is stopped; the user must know that they are dropped. */
  const drop = (): void => {
    const dropped = lines;
    lines = [];
    if (dropped.length > 0) say(droppedText(dropped, hasHistory));
  };
  return {
    leaving: left.signal,
    leave,
    say(line) {
      lastAt = Number.NEGATIVE_INFINITY;
      const take = waiting;
      waiting = undefined;
      if (take) take(line);
      else lines = [...lines, line];
    },
    next() {
      const [line, ...later] = lines;
      lines = later;
      if (left.signal.aborted || line !== undefined) return Promise.resolve(left.signal.aborted ? undefined : line);
      return new Promise((resolve) => {
        waiting = resolve;
      });
    },
    onStop(wanted) {
      stop = wanted;
      isStopping = false;
      return () => {
        stop = undefined;
      };
    },
    stop() {
      if (!stop || isStopping || left.signal.aborted) return;
      isStopping = true;
      say("Stopping.");
      drop();
      stop();
    },
    interrupt(hadText) {
      if (hadText && !stop) return;
      const isAgain = performance.now() - lastAt < TWICE_MS;
      lastAt = performance.now();
      if (left.signal.aborted) return giveUp();
      if (isAgain) return leave();
      if (!stop) return say("Ctrl-C once more leaves.");
      say("Stopping. Ctrl-C once more leaves.");
      drop();
      stop();
    },
  };
}

function droppedText(dropped: readonly string[], hasHistory = false): string {
  const [were, them] = dropped.length === 1 ? ["was", "it"] : ["were", "them"];
  const cure = hasHistory ? ` The up key brings ${them} back.` : "";
  return `${counted(dropped.length, "queued prompt")} ${were} dropped: ${dropped.map(quotedLine).join(", ")}.${cure}`;
}
