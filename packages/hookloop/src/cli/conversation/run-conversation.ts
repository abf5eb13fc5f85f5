/**
 * The conversation at a terminal. This file loads nothing but the screen: a person sees a prompt and can type before the agent,
 * its hooks and its model are there.
 */
import path from "node:path";
import type { AgentFlags } from "../../agent/index.ts";
import { onEndSignal } from "../../agent/index.ts";
import { inLocale, style } from "../terminal.ts";
import { createPerson, type OwnPerson } from "./person.ts";
import { type History, openHistory } from "./screen/history.ts";
import { openPlainScreen } from "./screen/plain-screen.ts";
import { openTerminalScreen } from "./screen/terminal-screen.ts";
import type { Screen, ScreenEvents } from "./screen/types.ts";
import { shortFolder, spokenText } from "./show/short-paths.ts";

export interface ConversationFlags extends AgentFlags {
  /** Said first, as if it had been typed. */
  readonly prompt?: string | undefined;
  readonly setup?: "init" | "maintenance" | undefined;
  /** The session is gone when it ends: nobody is told how to go on with it. */
  readonly isThrowAway?: boolean | undefined;
}

declare const __HOOKLOOP_VERSION__: string;

const EXIT_INTERRUPTED = 130;

/** Gives the exit code. Both stdin and stdout are a terminal. */
export async function runConversation(flags: ConversationFlags): Promise<number> {
  let complete: ScreenEvents["complete"] = async () => [];
  let changeMode = (): void => {};
  const person = createPerson({
    say: (text) => screen.print(style("dim", spokenText(text)), "  "),
    hasHistory: process.env["TERM"] !== "dumb",
    giveUp() {
      screen.close();
      process.exit(EXIT_INTERRUPTED);
    },
  });
  const screen = openScreen(person, { complete: (before) => complete(before), onMode: () => changeMode() });
  screen.print(`${style("bold", `hookloop ${__HOOKLOOP_VERSION__}`)}  ${shortFolder(process.cwd())}`);
  screen.print(style("dim", "Type what to do, or /help. Ctrl-C stops, twice leaves."));
  screen.setStatus("starting …");
  const leave = (): void => person.leave();
  const hangUp = (): void => {
    screen.close(true);
    person.leave();
  };
  // Ctrl-C is a key here; the signal comes from outside, and means the same. A plain screen listens itself.
  const interrupt = (): void => person.interrupt(false);
  if (process.env["TERM"] !== "dumb") process.on("SIGINT", interrupt);
  const forgetSignals = onEndSignal((name) => (name === "SIGHUP" ? hangUp() : leave()), ["SIGTERM", "SIGHUP"]);
  // A window that is closed breaks both streams. Other commands end at once then; here hooks must still hear that the session ends.
  process.stdout.removeAllListeners("error").on("error", hangUp);
  process.stdin.on("error", hangUp);
  if (flags.prompt !== undefined) {
    screen.print(`> ${spokenText(flags.prompt)}`, "  ");
    person.say(flags.prompt);
  }
  try {
    // Drawn first, loaded then.
    await new Promise(setImmediate);
    const { createCompletion, talk } = await import("./talk.ts");
    return await talk({
      flags,
      screen,
      person,
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

function openScreen(person: OwnPerson, later: Pick<ScreenEvents, "complete" | "onMode">): Screen {
  const { stdin: input, stdout: output } = process;
  const events: ScreenEvents = {
    onLine: (line) => person.say(line),
    onInterrupt: (hadText) => person.interrupt(hadText),
    onStop: () => person.stop(),
    onLeave: () => person.leave(),
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
  const { XDG_STATE_HOME: state, HOME: home } = process.env;
  const folder = state && path.isAbsolute(state) ? state : home && path.isAbsolute(home) ? path.join(home, ".local", "state") : undefined;
  return openHistory({ file: folder && path.join(folder, "hookloop", "history.jsonl"), onProblem });
}
