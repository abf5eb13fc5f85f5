/** A narrated session in a folder of its own, without a key or a network: what hooks do, who decided, and why. Gives the exit code. */

import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { styleText } from "node:util";
import type { RegisteredHook } from "../config/index.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { TraceRecord } from "../engine/index.ts";
import type { Outcome } from "../judge/index.ts";
import { atExit, isRunning, readStat, reapOrphans } from "../run/index.ts";
import { type AgentSession, openSession } from "./open-session.ts";
import { type AgentFlags, onEndSignal } from "./session-options.ts";
import type { LoopStep } from "./types.ts";

interface DemoIo {
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

/** The hooks of the demonstration: plain scripts, as anybody would write them in any language. */
const SCRIPTS: Readonly<Record<string, string>> = {
  "no-delete.mjs": `// A guard: no deletions.
import { readFileSync } from "node:fs";
const { tool_input } = JSON.parse(readFileSync(0, "utf8"));
if (/\\brm\\b/.test(tool_input.command)) {
  console.error("Deleting is not for agents here. Ask a person.");
  process.exit(2);
}
`,
  "team-context.mjs": `// Context: what the model should know.
console.log("The next release is called Heron. It ships when the checks pass.");
`,
  "format.mjs": `// A formatter: runs after every edit.
import { readFileSync, writeFileSync } from "node:fs";
const { tool_input } = JSON.parse(readFileSync(0, "utf8"));
const text = readFileSync(tool_input.file_path, "utf8");
writeFileSync(tool_input.file_path, "// formatted by a hook\\n" + text.trimEnd() + "\\n");
console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "The file was formatted." } }));
`,
  "checks-first.mjs": `// A Stop hook: once there is code, the agent may not stop before the checks have run.
import { existsSync, readFileSync } from "node:fs";
readFileSync(0);
if (existsSync("src") && !existsSync("checks.log")) console.log(JSON.stringify({ decision: "block", reason: "run echo passed > checks.log" }));
`,
};

const FILES: Readonly<Record<string, string>> = {
  "README.md": "# Heron\n\nA small project to try hooks on.\n",
  "notes.txt": "TODO: write a guard\n",
};

/** Makes the project in an empty folder. */
function writeDemoProject(folder: string): void {
  const write = (name: string, text: string): void => {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  for (const [name, text] of Object.entries(FILES)) write(name, text);
  for (const [name, text] of Object.entries(SCRIPTS)) write(path.join("hooks", name), text);
  write(".claude/settings.json", `${JSON.stringify(settings(), null, 2)}\n`);
}

function settings(): object {
  const run = (script: string): object => ({
    hooks: [{ type: "command", command: `"${process.execPath}" "$CLAUDE_PROJECT_DIR"/hooks/${script}` }],
  });
  return {
    hooks: {
      PreToolUse: [{ matcher: "Bash", ...run("no-delete.mjs") }],
      UserPromptSubmit: [run("team-context.mjs")],
      PostToolUse: [
        { matcher: "Write", ...run("format.mjs") },
        { matcher: "Grep", hooks: [{ type: "command", command: 'bash "$CLAUDE_PROJECT_DIR"/hooks/missing.sh' }] },
      ],
      Stop: [run("checks-first.mjs")],
    },
  };
}

type Style = Parameters<typeof styleText>[0];

interface NarratorOptions {
  readonly out: (text: string) => void;
  readonly width: number;
  readonly style: (format: Style, text: string) => string;
}

/** Tells what happens, one line at a time. */
interface Narrator {
  opening(): void;
  scene(number: number, title: string, prompt: string | undefined): void;
  heldBack(hook: RegisteredHook): void;
  lesson(text: string): void;
  closing(): void;
  /** What can be tried in a conversation there. */
  offer(project: string): void;
  report(diagnostic: Diagnostic): void;
  step(step: LoopStep): void;
  trace(record: TraceRecord): void;
}

const WIDEST = 100;

const TO_TRY: readonly (readonly [string, string])[] = [
  ["delete the file notes.txt", "the guard blocks it"],
  ["what is the next release called?", "the context hook knows"],
  ["create a.ts and print the file content", "the formatter runs"],
  ["/hooks or /why", "which hooks there are, and who decided"],
];

function narrate({ out, width, style }: NarratorOptions): Narrator {
  const columns = Math.min(width, WIDEST);
  /** Only the first line has the mark; the others stand below its text. */
  const say = (mark: string, text: string, format?: Style): void => {
    for (const [at, line] of wrapped(text, columns - mark.length).entries()) {
      out(`${at === 0 ? mark : " ".repeat(mark.length)}${format ? style(format, line) : line}\n`);
    }
  };
  return {
    opening() {
      say("", "hookloop: hooks around an agent's loop", "bold");
      say("", "An agent with a small offline model works in a throw-away folder. Every line marked ▸ is a hook.");
    },
    scene(number, title, prompt) {
      out("\n");
      say("", `${number}. ${title}`, "bold");
      if (prompt !== undefined) say("   ", `you: ${prompt}`, "cyan");
    },
    heldBack: ({ event, name }) => say("   ▸ ", `${event}: ${name} will not run: not approved yet`, "yellow"),
    lesson: (text) => say("   ", text, "dim"),
    closing() {
      out("\n");
      say("", "Three things to try next", "bold");
      say("   ", "npx hookloop agent                  talk to the agent yourself; /why explains the last verdict");
      say("   ", "npx hookloop events PreToolUse      everything a hook of this event gets and may answer");
      say("   ", "npx hookloop trust                  the hooks of your own project, and which of them are approved");
    },
    offer(project) {
      out("\n");
      say("", "Now you", "bold");
      say("   ", "Talk to the agent in this folder, with the hooks you have just seen. Type, for example:");
      for (const [typed, what] of TO_TRY) say("   > ", `${typed.padEnd(40)} ${what}`);
      say("   ", `The folder is ${project}`);
      say("   ", "It is removed when you leave: exit, or Ctrl-D.");
    },
    report({ level, text, code }) {
      if (level === "error" || code.startsWith("HL_EXECUTE")) say("   ! ", `${code}: ${text}`, "red");
    },
    step(step) {
      if (step.type !== "reply") return;
      const text = step.reply.content.flatMap((block) => (block.type === "text" ? block.text : [])).join("\n");
      if (text !== "") say("   ", `agent: ${text}`, undefined);
    },
    trace(record) {
      if (record.type !== "outcome") return;
      const { name, label, durationMs } = record;
      const { text, format } = outcomeText(record);
      if (text !== "") say("   ▸ ", `${label}: ${name} ${text} (${Math.round(durationMs)} ms)`, format);
    },
  };
}

function outcomeText({ effects, failure }: Pick<Outcome, "effects" | "failure">): { readonly text: string; readonly format: Style } {
  if (failure) return { text: "failed", format: "red" };
  const no = effects.find((effect) => effect.type === "deny" || effect.type === "continueTurn");
  if (no?.type === "deny") return { text: `denied: ${no.reason ?? ""}`, format: "red" };
  if (no) return { text: `sends it back: ${no.reason ?? ""}`, format: "yellow" };
  const context = effects.find((effect) => effect.type === "context");
  return context ? { text: `adds: ${context.text}`, format: "green" } : { text: "", format: "dim" };
}

function wrapped(text: string, columns: number): readonly string[] {
  return text.split("\n").flatMap((line) => {
    const lines: string[] = [];
    let rest = line;
    while (rest.length > columns) {
      const space = rest.lastIndexOf(" ", columns);
      const at = space > 0 ? space : columns;
      lines.push(rest.slice(0, at));
      rest = rest.slice(at).trimStart();
    }
    return [...lines, rest];
  });
}
