/** Calls the user when the agent has waited for some seconds: by the terminal's bell, a desktop message, a command, a webhook. Nothing waits for it. */

import { existsSync, writeSync } from "node:fs";
import type { EventName, HookHandler } from "@hookloop/sdk";
import { visibleLine } from "../diagnostic.ts";
import type { SessionPlace } from "../engine/index.ts";
import { openPrograms, type Programs, systemProgram } from "../run/index.ts";
import type { ShippedHook } from "./index.ts";

export interface NotifyOptions {
  readonly after?: number | undefined;
  readonly bell?: boolean | undefined;
  readonly desktop?: boolean | undefined;
  readonly command?: readonly string[] | undefined;
  readonly webhook?: string | undefined;
  readonly secretEnv?: string | undefined;
}

/** What it needs of the world. */
type Place = Pick<SessionPlace, "cwd" | "env" | "redact" | "report" | "post" | "steps">;

const AFTER_SECONDS = 10;
/** Longer than this nothing that calls the user may take. */
const LIMIT_MS = 10_000;
/** SECURITY: a program that only shows a message gets no key and no token. */
const PASSED = [
  ...["PATH", "HOME", "USER", "LANG", "TERM", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"],
  ...["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "XDG_SESSION_TYPE", "TMUX", "WSL_DISTRO_NAME"],
];

/** The agent waits for the user from here on … */
const WAITING: Readonly<Partial<Record<EventName, (input: Readonly<Record<string, unknown>>) => string>>> = {
  PermissionRequest: ({ tool_name }) => `${String(tool_name)} needs your permission`,
  Notification: ({ message }) => String(message),
  Elicitation: ({ message }) => String(message),
  Stop: () => "The agent has finished its turn",
};
/** … and does not any more when one of these comes. */
const WORKING: readonly EventName[] = [
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PermissionDenied",
  "ElicitationResult",
  "SessionEnd",
];

export function notify(place: Place, options: NotifyOptions = {}): ShippedHook {
  const { after = AFTER_SECONDS } = options;
  const closing = new AbortController();
  const channels = channelsOf(place, options, closing.signal);
  let timer: NodeJS.Timeout | undefined;
  const cancel = (): undefined => {
    clearTimeout(timer);
    timer = undefined;
  };
  const wait = (message: string): undefined => {
    cancel();
    const text = visibleLine(place.redact(message)).slice(0, 300);
    timer = setTimeout(() => {
      for (const send of channels) send(text);
    }, after * 1000);
    // The program ends when it has nothing else to do.
    timer.unref();
  };
  const waiting = Object.entries(WAITING).map(([event, messageOf]) => {
    const handler: HookHandler<"Stop"> = (input) => {
      // A subagent that has ended keeps nobody waiting.
      if (input.agent_id === undefined || event !== "Stop") wait(messageOf(input as never));
    };
    return { event: event as EventName, handler: handler as never };
  });
  const close = (): void => {
    cancel();
    closing.abort();
  };
  return { name: "notify", parts: [...waiting, ...WORKING.map((event) => ({ event, handler: cancel }))], close };
}

type Send = (text: string) => void;

function channelsOf(place: Place, options: NotifyOptions, signal: AbortSignal): readonly Send[] {
  const { bell = true, desktop = false, command, webhook, secretEnv } = options;
  const all: Send[] = [];
  if (bell) all.push(ring);
  const run = command ?? (desktop ? desktopCommand(place) : undefined);
  if (run?.length) all.push(oneAtATime(place, `the command ${run[0]}`, (text) => start(place, run, text, signal)));
  else if (desktop) all.push(oneAtATime(place, "the desktop", async () => "there is no notify-send and no osascript"));
  if (webhook !== undefined) {
    const { id: session } = place.steps;
    const post = (text: string): Promise<string | undefined> =>
      place.post({ url: webhook, body: { text, session, cwd: place.cwd }, limitMs: LIMIT_MS, secretEnv, signal });
    all.push(oneAtATime(place, "the webhook", post));
  }
  return all;
}

/** A terminal that has no bell shows nothing; where there is no terminal, nothing is written. */
function ring(): void {
  const fd = [2, 1].find((one) => (one === 2 ? process.stderr : process.stdout).isTTY);
  if (fd === undefined) return;
  try {
    writeSync(fd, "\x07");
  } catch {
    // The terminal is gone, or takes nothing at the moment.
  }
}

/** While one is on its way no other is sent; the first that fails is said. */
function oneAtATime({ report, redact }: Place, what: string, send: (text: string) => Promise<string | undefined>): Send {
  let isSending = false;
  let hasFailed = false;
  const failed = (why: string): void => {
    const isFirst = !hasFailed;
    hasFailed = true;
    if (isFirst)
      report({
        code: "HL_LOOP_NOT_NOTIFIED",
        level: "warning",
        text: redact(`notify: ${what} did not work: ${why}. It is tried again, and not said again.`),
      });
  };
  return (text) => {
    if (isSending) return;
    isSending = true;
    send(text)
      .then((why) => why !== undefined && failed(why))
      .catch((thrown: unknown) => failed(String(thrown)))
      .finally(() => {
        isSending = false;
      });
  };
}

function desktopCommand({ cwd, env }: Place): readonly string[] | undefined {
  const place = { env, root: cwd };
  const [linux, mac] = [systemProgram("notify-send", place), systemProgram("osascript", place)];
  if (linux !== undefined) return [linux, "--app-name=hookloop", "hookloop", "{message}"];
  // As an argument of the script, not in its text: it cannot become a part of the script.
  const script = 'on run argv\ndisplay notification (item 1 of argv) with title "hookloop"\nend run';
  return mac === undefined ? undefined : [mac, "-e", script, "{message}"];
}

let programs: Programs | undefined;

/** SECURITY: a program of the project is not found by its bare name, and no shell reads the message. */
async function start(
  { cwd, env }: Place,
  [name = "", ...args]: readonly string[],
  message: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const file = name.includes("/") ? name : systemProgram(name, { env, root: cwd });
  if (file === undefined || !existsSync(file)) return "there is no such program";
  programs ??= openPrograms();
  const end = await programs.run(
    {
      file,
      args: args.map((one) => one.replaceAll("{message}", () => message)),
      isShell: false,
      env: Object.fromEntries(PASSED.flatMap((variable) => (env[variable] === undefined ? [] : [[variable, env[variable]]]))),
      cwd,
      fallbackCwd: "/",
      stdin: Buffer.from(`${message}\n`),
      timeoutMs: LIMIT_MS,
      signal,
    },
    { text: "a command of notify", endsWhole: true },
  );
  if (signal.aborted) return undefined;
  return end.failure?.text ?? (end.exitCode === 0 ? undefined : `it exited with ${end.exitCode}`);
}
