import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Command } from "commander";
import type { AgentFlags, AgentSession, LoopStep } from "../../agent/index.ts";
import type { RegisteredHook } from "../../config/index.ts";
import { type Diagnostic, withOwnCommand } from "../../diagnostic.ts";
import type { TraceRecord } from "../../engine/index.ts";
import { askClearly, openLineQuestions, yesOrNo } from "../clear-answer.ts";
import { wrapText } from "../screen/text-width.ts";
import { inLocale, print, printJson, style, width } from "../terminal.ts";

const HELP = `
It needs no key and no network, takes a few seconds, and leaves nothing behind.
On a terminal it then offers a conversation in the folder of the demonstration,
with the hooks that were shown. Without a terminal it ends there.`;

export function addDemoCommand(program: Command, setExitCode: (code: number) => void): void {
  program
    .command("demo")
    .description("watch hooks at work: a narrated session, offline, in a throw-away folder")
    .option("--json", "print what each scene showed as JSON, and offer nothing")
    .addHelpText("after", HELP)
    .action(async ({ json }: { readonly json?: boolean }) => setExitCode(await runDemo(json ? createRecorder() : NARRATOR)));
}

interface Scene {
  readonly title: string;
  readonly prompt: string;
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
    lesson: "Its script does not exist. Other agents hide that; here it is reported with its place, and the agent continues.",
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

/** A narrated session in a folder of its own, without a key or a network: what hooks do, which one decided, and why. Gives the exit code. */
async function runDemo(narrator: Narrator): Promise<number> {
  // Loaded here: the other commands start without them.
  const [{ onEndSignal }, { atExit, readStat }] = await Promise.all([import("../../agent/index.ts"), import("../../run/index.ts")]);
  await removeKilled();
  // Before the folder is made: a signal that comes in between would leave it behind.
  let folder: string | undefined;
  const remove = (): void => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  const forgetExit = atExit(remove);
  const forgetSignals = onEndSignal(() => process.exit(1));
  try {
    folder = mkdtempSync(path.join(tmpdir(), `hookloop-demo-${process.pid}-${readStat("self")?.startTime ?? ""}-`));
    const project = path.join(folder, "heron");
    writeDemoProject(project);
    // A home of its own: nothing of the user's is read or left behind.
    const env = {
      ...process.env,
      HOME: path.join(folder, "home"),
      XDG_STATE_HOME: path.join(folder, "state"),
      XDG_CONFIG_HOME: path.join(folder, "config"),
    };
    narrator.opening();
    await showUntrusted(narrator, project, env);
    await playScenes(narrator, project, env);
    narrator.closing();
    if (narrator !== NARRATOR || !process.stdin.isTTY || !process.stdout.isTTY) return 0;
    narrator.offer(project);
    // The conversation handles signals itself: its hooks get SessionEnd.
    forgetSignals();
    return await talk(project, env);
  } finally {
    forgetSignals();
    forgetExit();
    remove();
  }
}

/** Ends the hooks and removes the folders of demonstrations that were killed. */
async function removeKilled(): Promise<void> {
  const { isRunning, reapOrphans } = await import("../../run/index.ts");
  for (const name of readdirSync(tmpdir())) {
    const [, pid, startTime] = /^hookloop-demo-(\d+)-(\d+)-\w{6}$/.exec(name) ?? [];
    if (pid === undefined || startTime === undefined || isRunning({ pid: Number(pid), startTime })) continue;
    const folder = path.join(tmpdir(), name);
    // SECURITY: any user can make a folder of that name here; only those of this user are touched.
    const stat = lstatSync(folder, { throwIfNoEntry: false });
    if (!stat?.isDirectory() || stat.uid !== process.getuid?.()) continue;
    await reapOrphans(path.join(folder, "state", "hookloop", "runs"));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function showUntrusted(narrator: Narrator, cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  narrator.scene(1, "Untrusted hooks do not run");
  const session = await open({ ...FLAGS, trustWorkspace: false }, cwd, env, { report: () => {}, emit: () => {} });
  for (const { hook } of session.hooks.refused) narrator.refused(hook);
  await session.close("other");
  narrator.lesson(
    "A project brings hooks along, and hooks are programs. None of them has run: you would look at each with `hookloop trust review`.",
  );
  narrator.lesson("From here on this run trusts them, as with --trust-workspace.");
}

async function playScenes(narrator: Narrator, cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
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
  readonly emit: (step: LoopStep) => void;
  readonly trace?: (record: TraceRecord, words: Words) => void;
}

/** What a hook did, in words; loaded with the agent. */
type Words = typeof import("../../judge/index.ts").effectWords;

async function open(flags: AgentFlags, cwd: string, env: NodeJS.ProcessEnv, { trace, ...listener }: Listener): Promise<AgentSession> {
  const { openSession } = await import("../../agent/index.ts");
  const { effectWords } = await import("../../judge/index.ts");
  return await openSession(flags, {
    ...listener,
    trace: trace && ((record) => trace(record, effectWords)),
    cwd,
    env,
    managedRoot: path.join(cwd, "..", "no-policy"),
  });
}

/** Offers the conversation in the folder of the demonstration, with its hooks. */
async function talk(project: string, env: NodeJS.ProcessEnv): Promise<number> {
  if (!(await wantsToTalk())) return 0;
  const { runConversation } = await import("../conversation/run-conversation.ts");
  const before = process.cwd();
  process.chdir(project);
  Object.assign(process.env, env);
  try {
    // Calls are asked about as usual: here is a user to ask.
    return await runConversation({ ...FLAGS, allowedTools: [], isThrowAway: true });
  } finally {
    process.chdir(before);
  }
}

async function wantsToTalk(): Promise<boolean> {
  const questions = openLineQuestions({ input: process.stdin, output: process.stdout });
  const answer = await askClearly({
    ask: (question) => questions.ask(question),
    print,
    question: "Open the conversation? [Y/n]",
    // Just Enter is a yes here.
    read: (given) => (given.trim() === "" ? { isYes: true } : yesOrNo(given)),
    hint: "Type y or n; Enter is y.",
  });
  questions.close();
  return answer?.isYes === true;
}

/** The hooks of the demonstration: plain scripts, as you would write them in any language. */
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

const TO_TRY: readonly (readonly [string, string])[] = [
  ["delete the file notes.txt", "the guard blocks it"],
  ["what is the next release called?", "the context hook knows"],
  ["create a.ts and print the file content", "the formatter runs"],
  ["/hooks or /why", "which hooks there are, and who decided"],
];

const WIDEST = 100;

const out = (text: string): void => void process.stdout.write(inLocale(text));

/** Only the first line has the mark; the others are aligned below its text. */
function say(mark: string, text: string, format?: Parameters<typeof style>[0]): void {
  for (const [at, line] of wrapText(text, Math.min(width(), WIDEST) - mark.length).entries())
    out(`${at === 0 ? mark : " ".repeat(mark.length)}${format ? style(format, line) : line}\n`);
}

function answerOf({ reply }: Extract<LoopStep, { type: "reply" }>): string {
  return reply.content.flatMap((block) => (block.type === "text" ? block.text : [])).join("\n");
}

const NARRATOR = {
  opening() {
    say("", "hookloop: hooks around an agent's loop", "bold");
    say("", "An agent with a small offline model works in a throw-away folder. Every line marked ▸ is a hook.");
  },
  scene(number: number, title: string, prompt?: string) {
    out("\n");
    say("", `${number}. ${title}`, "bold");
    if (prompt !== undefined) say("   ", `you: ${prompt}`, "cyan");
  },
  refused: ({ event, name }: RegisteredHook) => say("   ▸ ", `${event}: ${name} will not run: not approved yet`, "yellow"),
  lesson: (text: string) => say("   ", withOwnCommand(text), "dim"),
  closing() {
    out("\n");
    say("", "Three things to try next", "bold");
    say("   ", withOwnCommand("hookloop agent                  talk to the agent yourself; /why explains the last verdict"));
    say("   ", withOwnCommand("hookloop events PreToolUse      everything a hook of this event gets and may answer"));
    say("   ", withOwnCommand("hookloop trust                  the hooks of your own project, and which of them are approved"));
  },
  offer(project: string) {
    out("\n");
    say("", "Now you", "bold");
    say("   ", "Talk to the agent in this folder, with the hooks you have just seen. Type, for example:");
    for (const [typed, what] of TO_TRY) say("   > ", `${typed.padEnd(40)} ${what}`);
    say("   ", `The folder is ${project}`);
    say("   ", "It is removed when you leave: exit, or Ctrl-D.");
  },
  report({ level, text, code }: Diagnostic) {
    if (level === "error" || code.startsWith("HL_EXECUTE")) say("   ! ", `${code}: ${text}`, "red");
  },
  emit(step: LoopStep) {
    const text = step.type === "reply" ? answerOf(step) : "";
    if (text !== "") say("   ", `agent: ${text}`);
  },
  trace(record: TraceRecord, effectWords: Words) {
    if (record.type !== "outcome") return;
    const { name, label, durationMs, effects, failure } = record;
    const words = failure ? "failed" : effectWords(effects);
    const isDenied = failure !== undefined || effects.some(({ type }) => type === "deny");
    if (words !== undefined) say("   ▸ ", `${label}: ${name} ${words} (${Math.round(durationMs)} ms)`, isDenied ? "red" : "green");
  },
};

type Narrator = typeof NARRATOR;

/** The same as data: what each scene showed. */
function createRecorder(): Narrator {
  const scenes: Record<"hooks" | "answers" | "diagnostics" | "lessons", unknown[]>[] = [];
  const add = (list: "hooks" | "answers" | "diagnostics" | "lessons", ...values: readonly unknown[]): void =>
    void scenes.at(-1)?.[list].push(...values);
  return {
    opening() {},
    scene: (number, title, prompt) =>
      void scenes.push(Object.assign({ number, title, prompt }, { hooks: [], answers: [], diagnostics: [], lessons: [] })),
    refused: ({ event, name }) => add("hooks", { event, name, effect: "not approved yet" }),
    lesson: (text) => add("lessons", text),
    closing: () => printJson(scenes),
    offer() {},
    report: ({ code, level, text }) => add("diagnostics", { code, level, text }),
    emit: (step) => add("answers", ...(step.type === "reply" ? [answerOf(step)].filter(Boolean) : [])),
    trace(record, effectWords) {
      if (record.type !== "outcome") return;
      const { event, name, effects, failure, durationMs } = record;
      add("hooks", { event, name, effect: failure ? "failed" : (effectWords(effects) ?? "nothing"), durationMs });
    },
  };
}
