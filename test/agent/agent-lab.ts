/** A project, a home and the real program between them; every test of the agent starts here. */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterThisTest } from "../cleanup.ts";
import { createResident, type PlayedRun } from "../resident/resident.mjs";

export const PROGRAM = fileURLToPath(new URL("../../packages/hookloop/bin/hookloop.js", import.meta.url));

export type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: Readonly<Record<string, unknown>> };

export type Json = Readonly<Record<string, unknown>>;

export interface RunOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Put before the program: `["setpriv", …]`. */
  readonly before?: readonly string[];
  readonly stdin?: SpawnOptions["stdio"];
  readonly input?: string;
}

export interface Ended {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface AgentLab {
  readonly base: string;
  readonly project: string;
  readonly home: string;
  /** Writes a file; the name is under the base folder. */
  write(name: string, content: unknown): string;
  read(name: string): string | undefined;
  /** Settings of the project. */
  settings(settings: Json): void;
  /** A script for `--script`. */
  script(turns: readonly (readonly Block[])[], sideReply?: string): string;
  /** Starts the program; its folder is the project. */
  start(options?: RunOptions): ChildProcess;
  run(options?: RunOptions): Promise<Ended>;
  /** The same in an agent that stays: for tests that are not about its process, since a start takes longer than most runs. */
  play(options?: Pick<RunOptions, "args" | "env" | "cwd">): Promise<PlayedRun>;
  /** Another command of the program, in the same process as `play`; gives what it printed. */
  command(args: readonly string[], cwd?: string): Promise<string>;
  /** What the recorder hook was given, in order. */
  recorded(): readonly Json[];
  /** The only file of this kind that the program has written. */
  stateFiles(kind: "sessions" | "traces"): readonly string[];
}

/** Keeps its stdin; appending one line is one write. */
export const RECORDER = 'input=$(cat); printf "%s\\n" "$input" >> "$CLAUDE_PROJECT_DIR/.recorded.jsonl"';

/** `hooks` of a settings file that runs one command on each event. */
export function hooksOn(events: readonly string[], command = RECORDER): Json {
  return Object.fromEntries(events.map((event) => [event, [{ hooks: [{ type: "command", command }] }]]));
}

export const say = (text: string): readonly Block[] => [{ type: "text", text }];
let calls = 0;
export const use = (name: string, input: Json, id = `call_${++calls}`): Block => ({ type: "tool_use", id, name, input });

const resident = createResident();

export function openAgentLab(): AgentLab {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), "hookloop-agent-")));
  afterThisTest(() => rmSync(base, { recursive: true, force: true }));
  const project = path.join(base, "project");
  const home = path.join(base, "home");
  for (const folder of [project, home, path.join(base, "tmp")]) mkdirSync(folder);
  const write = (name: string, content: unknown): string => {
    const file = path.join(base, name);
    mkdirSync(path.dirname(file), { recursive: true });
    const text = typeof content === "string" ? content : JSON.stringify(content);
    writeFileSync(file, text, { mode: text.startsWith("#!") ? 0o755 : 0o644 });
    return file;
  };
  const read = (name: string): string | undefined => {
    const file = path.join(base, name);
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  };
  const own = { PATH: process.env["PATH"] ?? "", HOME: home, TMPDIR: path.join(base, "tmp"), TERM: "dumb" };
  const start = ({
    args = [],
    env = {},
    cwd = project,
    before = [],
    stdin = ["ignore", "pipe", "pipe"],
  }: RunOptions = {}): ChildProcess => {
    const [file = "", ...rest] = [...before, process.execPath, PROGRAM, "agent", ...args];
    const child = spawn(file, rest, { cwd, env: { ...own, ...env }, stdio: stdin });
    afterThisTest(() => child.exitCode === null && child.signalCode === null && child.kill("SIGKILL"));
    return child;
  };
  return {
    base,
    project,
    home,
    write,
    read,
    settings: (settings) => void write("project/.claude/settings.json", settings),
    script: (turns, sideReply) => write("script.json", { turns, ...(sideReply !== undefined && { sideReply }) }),
    start,
    async run(options = {}) {
      const child = start({ ...options, stdin: options.stdin ?? [options.input === undefined ? "ignore" : "pipe", "pipe", "pipe"] });
      child.stdin?.end(options.input);
      return await ended(child);
    },
    play: async ({ args = [], env = {}, cwd = project } = {}) => await resident.run(["agent", ...args], { cwd, env: { ...own, ...env } }),
    async command(args, cwd = project) {
      const { exit, stdout, stderr } = await resident.run(args, { cwd, env: { PATH: own.PATH, HOME: home } });
      if (exit !== 0) throw new Error(`hookloop ${args.join(" ")} gives ${exit}: ${stderr}`);
      return stdout;
    },
    recorded: () => lines(read("project/.recorded.jsonl")),
    stateFiles(kind) {
      const folder = path.join(home, ".local/state/hookloop", kind);
      if (!existsSync(folder)) return [];
      return readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".jsonl") && !name.includes("subagents"))
        .map((name) => path.join(folder, name));
    },
  };
}

export async function ended(child: ChildProcess): Promise<Ended> {
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
    stdout += piece;
  });
  child.stderr?.setEncoding("utf8").on("data", (piece: string) => {
    stderr += piece;
  });
  const exit = await new Promise<number | null>((done, failed) => {
    child.on("error", failed);
    child.on("close", (code) => done(code));
  });
  return { exit, stdout, stderr };
}

/** The objects of a JSONL text. */
export function lines(text = ""): readonly Json[] {
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
