/** The conversation in a real terminal (tmux), with the user who types. Needs tmux; without it the tests that use it are skipped, and that is reported. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterThisTest } from "../cleanup.ts";

const PROGRAM = fileURLToPath(new URL("../../packages/hookloop/bin/hookloop.js", import.meta.url));
const PATIENCE_MS = 20_000;

/** A question stands at the end of the screen, and its sign is not there yet. */
const UNREAD = /(?:\[n(?: = not now)?\]|\[Y\/n\]|or nothing to stay here)(?:\n(?![?[ ]).*(?:\n.*)?)?$/;

export const hasTmux: boolean = spawnSync("tmux", ["-V"]).status === 0;
if (!hasTmux) console.warn("There is no tmux on this machine: the recorded terminal tests are skipped. Install it to run them.");

export interface Room {
  /** The folder the agent works in; the home is the one above it. */
  readonly project: string;
  write(name: string, content: unknown): string;
  read(name: string): string | undefined;
  start(options?: StartOptions): Promise<Terminal>;
  /** Runs a command as in another terminal, and waits for its end. */
  hookloop(...args: readonly string[]): { readonly status: number | null; readonly stdout: string; readonly stderr: string };
}

export interface StartOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The command of the program; `agent` if left out. */
  readonly command?: string;
  /** What it shows when it is ready, if that is another command's. */
  readonly ready?: RegExp;
}

export interface Terminal {
  /** Types and presses Enter. */
  say(text: string): void;
  type(text: string): void;
  /** Keys by tmux's names: `Enter`, `C-c`, `Tab`, `Up`. */
  press(...keys: string[]): void;
  /** As a terminal pastes: bracketed, if the program asked for that. */
  paste(text: string): void;
  resize(columns: number, rows: number): void;
  /** Waits until the screen shows it, and gives the screen. */
  shows(wanted: string | RegExp): Promise<string>;
  /** Everything that has been written, with what differs from run to run made the same. */
  screen(): string;
  /** Closes the window. */
  close(): void;
  /** The same with colours. */
  colours(): string;
}

/** An agent whose terminal is gone puts its trust store back until it has ended, also while its folder is being removed. */
function removeFolder(folder: string, tries = 100): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (thrown) {
    if (tries === 0) throw thrown;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    removeFolder(folder, tries - 1);
  }
}

export function openRoom(): Room {
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), "hookloop-room-")));
  afterThisTest(() => removeFolder(home));
  const project = path.join(home, "project");
  mkdirSync(project);
  return {
    project,
    write(name, content) {
      const file = path.join(project, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, null, 2));
      return file;
    },
    read(name) {
      try {
        return readFileSync(path.join(project, name), "utf8");
      } catch {
        // Not there: that is what the test wants to know.
        return undefined;
      }
    },
    start: (options) => startTerminal(home, project, options),
    hookloop: (...args) =>
      spawnSync(process.execPath, [PROGRAM, ...args], {
        cwd: project,
        env: { PATH: process.env["PATH"] ?? "", HOME: home, LANG: "C.UTF-8" },
        encoding: "utf8",
      }),
  };
}

async function startTerminal(home: string, project: string, options: StartOptions = {}): Promise<Terminal> {
  const { columns = 80, rows = 50, args = [], env = {}, command: name = "agent", ready } = options;
  const folder = mkdtempSync(path.join(tmpdir(), "hookloop-tmux-"));
  const tmux = (...words: string[]): string =>
    execFileSync("tmux", ["-u", "-S", path.join(folder, "socket"), "-f", "/dev/null", ...words], { encoding: "utf8" });
  afterThisTest(() => {
    spawnSync("tmux", ["-S", path.join(folder, "socket"), "kill-server"]);
    rmSync(folder, { recursive: true, force: true });
  });
  const variables = { PATH: process.env["PATH"] ?? "", HOME: home, TERM: "screen-256color", LANG: "C.UTF-8", ...env };
  const words = [
    "env",
    "-i",
    ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
    process.execPath,
    PROGRAM,
    name,
    ...args,
  ];
  const command = `${words.map(quoted).join(" ")}; echo "[left with $?]"; exec sleep 1000`;
  tmux("new-session", "-d", "-x", String(columns), "-y", String(rows), "-c", project, "sh", "-c", command);
  const capture = (...more: string[]): string => tmux("capture-pane", "-p", "-S", "-1000", ...more);
  const screen = (): string => normalised(capture(), home);
  const terminal: Terminal = {
    type: (text) => void tmux("send-keys", "-l", "--", text),
    say(text) {
      terminal.type(text);
      terminal.press("Enter");
    },
    press: (...keys) => void tmux("send-keys", ...keys),
    paste(text) {
      writeFileSync(path.join(folder, "paste"), text);
      tmux("load-buffer", path.join(folder, "paste"));
      tmux("paste-buffer", "-p", "-r");
    },
    resize: (width, height) => void tmux("resize-window", "-x", String(width), "-y", String(height)),
    async shows(wanted) {
      const until = performance.now() + PATIENCE_MS;
      for (;;) {
        const now = screen();
        // No user answers a question before they have read it, and before that it takes no answer.
        const isUnread = UNREAD.test(now);
        if (!isUnread && (typeof wanted === "string" ? now.includes(wanted) : wanted.test(now))) return now;
        if (performance.now() > until) throw new Error(`The terminal never showed ${wanted}. It shows:\n${now}`);
        await sleep(60);
      }
    },
    screen,
    close: () => void tmux("kill-session"),
    colours: () => capture("-e"),
  };
  await terminal.shows(ready ?? (env["TERM"] === "dumb" ? /^>/m : / hooks? |Approve it|left with/));
  return terminal;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function normalised(text: string, home: string): string {
  return text
    .replaceAll(home, "HOME")
    .replace(/\b\d+(?:\.\d)? (?:ms|s)\b/g, "N ms")
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "SESSION")
    .replace(/ +$/gm, "")
    .trimEnd();
}
