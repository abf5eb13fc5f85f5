/** What the agent has started ends with it, however it ends; what a kill leaves is ended by the next start. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type AgentLab, type Block, ended, hooksOn, openAgentLab, PROGRAM, say, use } from "../agent/agent-lab.ts";
import { hasTmux, openRoom } from "../agent/open-terminal.ts";
import { liveWith, newTag, remaining, until } from "./live-processes.ts";

/** Ignores what it can, and has a child that does, too. */
const STUBBORN = `trap '' TERM INT HUP; sh -c "trap '' TERM INT HUP; touch here; while :; do sleep 1; done" & wait; wait; wait`;
const BUSY = `import { writeFileSync } from "node:fs";\nwriteFileSync(process.env.HOOKLOOP_PROJECT_DIR + "/here", "");\n`;

interface Work {
  readonly turns: readonly (readonly Block[])[];
  /** Of `.hookloop/hooks.json`. */
  readonly hooks?: object;
  readonly files?: Readonly<Record<string, string>>;
}

const gate = (hook: object): object => ({ PreToolUse: [{ matcher: "Bash", hooks: [{ timeout: 600, ...hook }] }] });
const bash = (command: string, more: object = {}): readonly Block[] => [use("Bash", { command, ...more })];

/** Everything that can run when the agent ends. Each makes the file `here` once it does. */
const WORK: Readonly<Record<string, Work>> = {
  "a command": { turns: [bash(STUBBORN)] },
  "a command in the background": { turns: [bash(STUBBORN, { run_in_background: true }), bash("sleep 600")] },
  "a command after much output": {
    turns: [bash("head -c 100000 /dev/zero | tr '\\0' x"), bash("touch here; sleep 600")],
    hooks: gate({ type: "command", command: "head -c 20000 /dev/zero | tr '\\0' x" }),
  },
  "what a command left running": { turns: [bash("timeout 600 sh -c 'while :; do sleep 1; done' & touch here"), bash("sleep 600")] },
  "a hook": { turns: [bash("true")], hooks: gate({ type: "command", command: STUBBORN }) },
  "what a hook left running": {
    turns: [bash("sleep 600")],
    hooks: gate({ type: "command", command: "timeout 600 sh -c 'while :; do sleep 1; done' > /dev/null 2>&1 & touch here" }),
  },
  "a warm script of the SDK in an endless loop": {
    turns: [bash("true")],
    hooks: gate({ type: "command", command: "node spin.mjs", warm: true }),
    files: { "spin.mjs": `${BUSY}import { hook } from "@hookloop/sdk";\nhook("PreToolUse", () => { for (;;); });` },
  },
  "a booted script in an endless loop": {
    turns: [bash("true"), bash("true")],
    hooks: gate({ type: "command", command: "node spin.mjs", warm: true }),
    files: { "spin.mjs": `${BUSY}for (;;);` },
  },
  "a module in an endless loop": {
    turns: [bash("true")],
    hooks: gate({ type: "module", path: "./spin.mjs", isolation: "process" }),
    files: { ".hookloop/spin.mjs": `${BUSY}export default () => { for (;;); };` },
  },
  "what a module started": {
    turns: [bash("sleep 600")],
    hooks: gate({ type: "module", path: "./start.mjs", isolation: "process" }),
    files: {
      ".hookloop/start.mjs": `${BUSY}import { spawn } from "node:child_process";\nspawn("sleep", ["600"], { stdio: "ignore" });\nexport default () => undefined;`,
    },
  },
};

interface Running {
  readonly lab: AgentLab;
  readonly tag: string;
  readonly child: ChildProcess;
  readonly end: ReturnType<typeof ended>;
}

async function startWork({ turns, hooks, files = {} }: Work): Promise<Running> {
  const lab = openAgentLab();
  const tag = newTag();
  for (const [name, text] of Object.entries(files)) lab.write(`project/${name}`, text);
  if (hooks) lab.write("project/.hookloop/hooks.json", { hooks });
  lab.settings({ hooks: hooksOn(["SessionEnd"]) });
  const args = ["-p", "go", "--trust-workspace", "--allowedTools", "Bash", "--script", lab.script([...turns, say("done")])];
  const child = lab.start({ args, env: { [tag]: "1" } });
  const end = ended(child);
  await until(() => existsSync(path.join(lab.project, "here")), "the work has begun");
  return { lab, tag, child, end };
}

/** The next start, which tidies up. */
async function nextStart(lab: AgentLab): Promise<string> {
  const { exit, stderr } = await lab.run({ args: ["-p", "go", "--script", lab.script([]), "--no-project-hooks"] });
  expect(exit, stderr).toBe(0);
  return stderr;
}

/** Folders and files of ours that are left where temporary things are. */
function temporary(lab: AgentLab): readonly string[] {
  return readdirSync(path.join(lab.base, "tmp"));
}

const SIGNALS = ["SIGHUP", "SIGTERM", "SIGINT"] as const;

// Each signal with a third of the work: what is ended does not depend on which it was.
describe.each(Object.entries(WORK).map(([name, work], at) => [name, work, SIGNALS[at % SIGNALS.length] ?? "SIGTERM"] as const))(
  "%s",
  (_, work, signal) => {
    test(`ends with the agent at ${signal}, after SessionEnd`, async () => {
      const { lab, tag, child, end } = await startWork(work);
      child.kill(signal);
      const { exit, stderr } = await end;
      expect(exit, stderr).toBe(1);
      expect(await remaining(tag, 2000)).toEqual([]);
      expect(lab.recorded().map(({ hook_event_name }) => hook_event_name)).toEqual(["SessionEnd"]);
      expect(temporary(lab)).toEqual([]);
    });

    test("ends with the agent at once at SIGQUIT", async () => {
      const { lab, tag, child, end } = await startWork(work);
      child.kill("SIGQUIT");
      expect((await end).exit).toBe(131);
      expect(await remaining(tag, 2000)).toEqual([]);
      expect(temporary(lab)).toEqual([]);
    });

    test("is ended by the next start after kill -9", async () => {
      const { lab, tag, child, end } = await startWork(work);
      child.kill("SIGKILL");
      await end;
      await nextStart(lab);
      expect(await remaining(tag, 2000)).toEqual([]);
      expect(temporary(lab)).toEqual([]);
      expect(readdirSync(path.join(lab.home, ".local/state/hookloop/runs"))).toEqual([]);
    });
  },
);

test("processes of ours that wait for work end by themselves after kill -9", async () => {
  const command = (name: string): object => ({ type: "command", command: `node ${name}.mjs`, warm: true });
  const hooks = [command("sdk"), command("boot"), { type: "module", path: "./module.mjs", isolation: "process" }];
  const { lab, tag, child, end } = await startWork({
    turns: [bash("true"), bash("touch here; exec sleep 1")],
    hooks: { PreToolUse: [{ matcher: "Bash", hooks }] },
    files: {
      "sdk.mjs": `import { hook } from "@hookloop/sdk";\nhook("PreToolUse", () => undefined);`,
      "boot.mjs": "",
      ".hookloop/module.mjs": "export default () => undefined;",
    },
  });
  const ours = (): readonly string[] => liveWith(tag).flatMap(({ command: line }) => /preboot-process|module-host/.exec(line)?.[0] ?? []);
  expect(ours().toSorted()).toEqual(["module-host", "module-host", "preboot-process"]);
  child.kill("SIGKILL");
  await end;
  await until(() => ours().length === 0, "they have ended");
  await nextStart(lab);
  expect(temporary(lab)).toEqual([]);
});

test("a command whose leader has gone before the next start is known by its mark", async () => {
  const { lab, tag, child, end } = await startWork({ turns: [bash("sleep 600 & touch here; until [ -e go ]; do sleep 0.1; done")] });
  child.kill("SIGKILL");
  await end;
  lab.write("project/go", "");
  await until(() => !liveWith(tag).some(({ command }) => command.includes("until")), "its shell has ended");
  expect(liveWith(tag).map(({ command }) => command.trim())).toEqual(["sleep 600"]);
  expect(await nextStart(lab)).toMatch(/HL_EXECUTE_ORPHAN: .*a Bash command.* was ended/);
  expect(await remaining(tag, 2000)).toEqual([]);
});

test("kill -9 at random moments: after the next start nothing is left, neither processes nor folders", async () => {
  const lab = openAgentLab();
  const tag = newTag();
  lab.write("project/.hookloop/hooks.json", { hooks: gate({ type: "command", command: "sleep 0.1; (sleep 600) > /dev/null 2>&1 &" }) });
  const server = lab.write("mcp.json", { mcpServers: { slow: { command: "sh", args: ["-c", "sleep 600; true"], env: { [tag]: "1" } } } });
  const turns = [bash("sleep 600 & sleep 0.1"), bash("sleep 600", { run_in_background: true }), bash("sleep 600")];
  const args = ["-p", "go", "--trust-workspace", "--allowedTools", "Bash", "--script", lab.write("long.json", { turns })];
  for (let round = 0; round < 6; round++) {
    const more = round % 3 === 0 ? ["--mcp-config", server] : [];
    const child = lab.start({ args: [...args, ...more], env: { [tag]: "1" } });
    const end = ended(child);
    await new Promise((done) => setTimeout(done, 150 + Math.random() * 1500));
    child.kill("SIGKILL");
    await end;
    await nextStart(lab);
    expect(await remaining(tag, 3000), `round ${round}`).toEqual([]);
    expect(temporary(lab), `round ${round}`).toEqual([]);
  }
}, 300_000);

test("what a command left running is said, and ends with the session", async () => {
  const lab = openAgentLab();
  const tag = newTag();
  const script = lab.script([bash("sleep 600 > /dev/null 2>&1 &"), say("done")]);
  const { exit, stderr } = await lab.run({ args: ["-p", "go", "--allowedTools", "Bash", "--script", script], env: { [tag]: "1" } });
  expect(exit).toBe(0);
  expect(stderr).toMatch(
    /HL_EXECUTE_LEFT_RUNNING: a Bash command has ended and left a process running .*setsid[\s\S]*was ended with the session/,
  );
  expect(liveWith(tag)).toEqual([]);
});

describe("a stream that is closed", () => {
  const work = { turns: [bash("touch here; sleep 600")] };
  const run = (lab: AgentLab, tag: string, line: string, format: string): ChildProcess => {
    const script = lab.script([...work.turns, say("done")]);
    const agent = `"${process.execPath}" "${path.resolve("packages/hookloop/bin/hookloop.js")}" agent -p go --trust-workspace --allowedTools Bash --output-format ${format} --include-partial-messages --verbose --script "${script}"`;
    const env = { PATH: process.env["PATH"] ?? "", HOME: lab.home, TMPDIR: path.join(lab.base, "tmp"), [tag]: "1" };
    return spawn("bash", ["-c", line.replace("AGENT", agent)], { cwd: lab.project, env, stdio: ["ignore", "pipe", "pipe"] });
  };

  test("stdout: the session ends, its command too, and nothing but a word is said", async () => {
    const lab = openAgentLab();
    const tag = newTag();
    lab.settings({ hooks: hooksOn(["SessionEnd"]) });
    // The second line of the stream finds no reader; `sleep` never ends by itself.
    const child = run(lab, tag, "AGENT --include-hook-events | head -1 > first", "stream-json");
    const { stderr } = await ended(child);
    expect(lab.read("project/first")).toMatch(/"subtype":"init"/);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(await remaining(tag, 2000)).toEqual([]);
    expect(lab.recorded().map(({ hook_event_name }) => hook_event_name)).toEqual(["SessionEnd"]);
  });

  test.each([
    ["stdout", "AGENT >&-"],
    ["stderr", "AGENT 2>&-"],
    ["stdin", "AGENT <&-"],
    ["all of them", "AGENT <&- >&- 2>&-"],
    ["a stderr whose reader has gone", "AGENT 2> >(exec true)"],
    ["a stdout that is full", "AGENT > /dev/full"],
  ])("from the start, %s: no stack", async (_, line) => {
    const lab = openAgentLab();
    const tag = newTag();
    lab.settings({ hooks: hooksOn(["SessionEnd"]), statusLine: 5 });
    const script = [say("done")];
    const child = run({ ...lab, script: () => lab.write("script.json", { turns: script }) }, tag, line, "text");
    const { stderr } = await ended(child);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(lab.recorded().map(({ hook_event_name }) => hook_event_name)).toEqual(["SessionEnd"]);
    expect(await remaining(tag, 2000)).toEqual([]);
  });
});

describe.skipIf(!hasTmux)("a conversation", () => {
  test("whose window is closed ends, with its command, after SessionEnd", async () => {
    const room = openRoom();
    const tag = newTag();
    room.write(".claude/settings.json", { hooks: hooksOn(["SessionEnd"], 'echo x >> "$CLAUDE_PROJECT_DIR/ends"') });
    const script = room.write("script.json", { turns: [bash(STUBBORN), say("done")] });
    const args = ["--trust-workspace", "--allowedTools", "Bash", "--script", script];
    const terminal = await room.start({ args, env: { [tag]: "1" } });
    terminal.say("go");
    await until(() => room.read("here") !== undefined, "the command runs");
    terminal.close();
    expect(await remaining(tag, 10_000)).toEqual([]);
    expect(room.read("ends")).toBe("x\n");
  });

  test("that gets SIGINT from outside takes it for Ctrl-C: twice leaves", async () => {
    const room = openRoom();
    const tag = newTag();
    const script = room.write("script.json", { turns: [bash(STUBBORN), say("done")] });
    const terminal = await room.start({ args: ["--trust-workspace", "--allowedTools", "Bash", "--script", script], env: { [tag]: "1" } });
    terminal.say("go");
    await until(() => room.read("here") !== undefined, "the command runs");
    const agent = liveWith(tag).find(
      ({ command }) => /hookloop\.js agent/.test(command) && !command.startsWith("sh ") && !command.startsWith("env "),
    );
    process.kill(agent?.pid ?? Number.NaN, "SIGINT");
    await terminal.shows("Stopping.");
    process.kill(agent?.pid ?? Number.NaN, "SIGINT");
    await terminal.shows("left with 0");
    expect(liveWith(tag).filter(({ command }) => command.includes("trap"))).toEqual([]);
  });
});

test.each(["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"] as const)(
  "a demonstration ended by %s leaves no folder, after the next one",
  async (signal) => {
    const lab = openAgentLab();
    const temporaryFolder = path.join(lab.base, "tmp");
    const env = { PATH: process.env["PATH"] ?? "", HOME: lab.home, TMPDIR: temporaryFolder };
    const demo = (): ChildProcess => spawn(process.execPath, [PROGRAM, "demo"], { env, stdio: "ignore" });
    const first = demo();
    await until(() => readdirSync(temporaryFolder).length > 0, "it has begun");
    first.kill(signal);
    await ended(first);
    if (signal === "SIGKILL") await ended(demo());
    expect(readdirSync(temporaryFolder)).toEqual([]);
  },
);

test("the run file of a session names what runs, and goes with it", async () => {
  const { lab, child, end } = await startWork({ turns: [bash("touch here; sleep 600")] });
  const folder = path.join(lab.home, ".local/state/hookloop/runs");
  const text = (): string =>
    readdirSync(folder)
      .map((name) => readFileSync(path.join(folder, name), "utf8"))
      .join("");
  await until(() => /"start":\{"pid":\d+,"startTime":"\d+".*"a Bash command"/.test(text()), "it is noted");
  child.kill("SIGTERM");
  await end;
  expect(readdirSync(folder)).toEqual([]);
});
