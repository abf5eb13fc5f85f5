/** A narrated session in a folder of its own, without a key or a network: what hooks do, who decided, and why. Gives the exit code. */
import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Diagnostic } from "../../diagnostic.ts";
import { onEndSignal } from "../../end-signals.ts";
import type { TraceRecord } from "../../engine/index.ts";
import { atExit, isRunning, readStat, reapOrphans } from "../../run/index.ts";
import type { LoopStep } from "../loop-types.ts";
import type { AgentFlags } from "../session/agent-flags.ts";
import { type AgentSession, openSession } from "../session/open-session.ts";
import { writeDemoProject } from "./demo-project.ts";
import { type Narrator, narrate } from "./narrate.ts";

export interface DemoIo {
  readonly out: (text: string) => void;
  readonly env: NodeJS.ProcessEnv;
  /** Columns of the terminal. */
  readonly width: number;
  readonly style: Parameters<typeof narrate>[0]["style"];
  /** Offers the conversation while the project is still there; gives the exit code. Absent where nobody can type. */
  readonly talk?: ((place: DemoPlace) => Promise<number>) | undefined;
}

/** Where the demonstration was. */
export interface DemoPlace {
  readonly project: string;
  /** A home of its own, so that nothing of the person's is read or left behind. */
  readonly env: NodeJS.ProcessEnv;
  readonly flags: AgentFlags;
}

interface Scene {
  readonly title: string;
  readonly prompt: string;
  /** Said afterwards. */
  readonly lesson: string;
}

const SCENES: readonly Scene[] = [
  {
    title: "A guard blocks a deletion",
    prompt: "delete the file notes.txt",
    lesson: "Exit code 2 of the script blocks the call. The model gets the reason as the tool's result; the file is still there.",
  },
  {
    title: "A context hook changes an answer",
    prompt: "What is the next release called?",
    lesson: "What the hook printed went to the model beside the prompt, labelled as a hook's words.",
  },
  {
    title: "A formatter runs after an edit",
    prompt: "create heron.ts and print the file content",
    lesson: "PostToolUse runs when the file is written; the model reads what the formatter left.",
  },
  {
    title: "A Stop hook keeps the agent going once",
    prompt: "create src/index.ts",
    lesson: "The agent wanted to stop; the hook's reason became its next instruction. Then the checks had run, and it could stop.",
  },
  {
    title: "A broken hook is reported",
    prompt: "search for TODO",
    lesson: "Its script does not exist. Others swallow that; here it is said, with the place, and the work goes on.",
  },
];

const FLAGS: AgentFlags = {
  allowedTools: ["Bash", "Write", "Read", "Grep"],
  disallowedTools: [],
  mcpConfig: [],
  pluginDirs: [],
  addDirs: [],
  model: "offline",
  trustWorkspace: true,
  trustedHooks: {},
  requireHooks: false,
  noProjectHooks: false,
};

export async function runDemo(io: DemoIo): Promise<number> {
  await removeKilled();
  const folder = mkdtempSync(path.join(tmpdir(), `hookloop-demo-${process.pid}-${readStat("self")?.startTime ?? ""}-`));
  const forgetExit = atExit(() => rmSync(folder, { recursive: true, force: true }));
  const forgetSignals = onEndSignal(() => process.exit(1));
  const narrator = narrate(io);
  try {
    const project = path.join(folder, "heron");
    writeDemoProject(project);
    const env = {
      ...io.env,
      HOME: path.join(folder, "home"),
      XDG_STATE_HOME: path.join(folder, "state"),
      XDG_CONFIG_HOME: path.join(folder, "config"),
    };
    narrator.opening();
    await showUntrusted(project, env, narrator);
    await playScenes(project, env, narrator);
    narrator.closing();
    if (!io.talk) return 0;
    narrator.offer(project);
    // The conversation ends by itself on a signal: its hooks hear of it.
    forgetSignals();
    // Calls are asked about as usual: here a person is at hand.
    return await io.talk({ project, env, flags: { ...FLAGS, allowedTools: [] } });
  } finally {
    forgetSignals();
    forgetExit();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What demonstrations that were killed have left: the hooks they ran, and their folders. */
async function removeKilled(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const [, pid, startTime] = /^hookloop-demo-(\d+)-(\d+)-\w{6}$/.exec(name) ?? [];
    if (pid === undefined || startTime === undefined || isRunning({ pid: Number(pid), startTime })) continue;
    const folder = path.join(tmpdir(), name);
    // SECURITY: anybody can make a folder of that name here; only those of this user are touched.
    const stat = lstatSync(folder, { throwIfNoEntry: false });
    if (!stat?.isDirectory() || stat.uid !== process.getuid?.()) continue;
    await reapOrphans(path.join(folder, "state", "hookloop", "runs"));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function showUntrusted(cwd: string, env: NodeJS.ProcessEnv, narrator: Narrator): Promise<void> {
  narrator.scene(1, "Untrusted hooks do not run", undefined);
  const session = await open({ ...FLAGS, trustWorkspace: false }, cwd, env, { report: () => {}, step: () => {}, trace: () => {} });
  for (const { hook } of session.hooks.refused) narrator.heldBack(hook);
  await session.close("other");
  narrator.lesson(
    "A project brings hooks along, and hooks are programs. None of them has run: you would look at each with `hookloop trust review`.",
  );
  narrator.lesson("From here on this run trusts them, as with --trust-workspace.");
}

async function playScenes(cwd: string, env: NodeJS.ProcessEnv, narrator: Narrator): Promise<void> {
  const session = await open(FLAGS, cwd, env, narrator);
  const signal = new AbortController().signal;
  await session.agent.start({ source: "startup" });
  for (const [at, { title, prompt, lesson }] of SCENES.entries()) {
    narrator.scene(at + 2, title, prompt);
    await session.agent.submit(prompt, signal);
    narrator.lesson(lesson);
  }
  await session.close("other");
}

interface Listener {
  readonly report: (diagnostic: Diagnostic) => void;
  readonly step: (step: LoopStep) => void;
  readonly trace: (record: TraceRecord) => void;
}

async function open(flags: AgentFlags, cwd: string, env: NodeJS.ProcessEnv, { report, step, trace }: Listener): Promise<AgentSession> {
  return await openSession(flags, { cwd, env, managedRoot: path.join(cwd, "..", "no-policy"), report, emit: step, trace });
}
