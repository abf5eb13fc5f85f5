/** The file protocol in real sessions of the agent: a `.hooks.json` beside the project's files, its three exit codes and its variables. */
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type AgentLab, type Block, openAgentLab, say, use } from "../agent/agent-lab.ts";
import { answers, openMessagesServer } from "../agent/messages-server.ts";
import { hasTmux, openRoom } from "../agent/open-terminal.ts";

interface Rule {
  readonly matcher?: string | null;
  readonly command: string;
}

const ALLOWED = ["--trust-workspace", "--allowedTools", "Bash,Read,Write,Edit"];

/** What a session with these hooks and calls printed, as a stream. */
async function play(
  hooks: Readonly<Record<string, readonly Rule[]>>,
  calls: readonly Block[] = [],
  args = ALLOWED,
): Promise<{ readonly lab: AgentLab; readonly stdout: string; readonly stderr: string }> {
  const lab = openAgentLab();
  lab.write("project/.hooks.json", { hooks });
  lab.write("project/README.md", "# Read me\n");
  const script = lab.script([...calls.map((call) => [call]), say("done")]);
  return { lab, ...(await lab.play({ args: ["-p", "go", "--script", script, "--output-format", "stream-json", ...args] })) };
}

const bash = (command: string): Block => use("Bash", { command });
const seen = (lab: AgentLab): string[] => lab.read("project/seen")?.trim().split("\n") ?? [];
const NAMES = "echo $HOOK_EVENT $HOOK_TOOL_NAME >> seen";

describe("events and matchers", () => {
  test("the three events fire: SessionStart once, PreToolUse and PostToolUse for each call", async () => {
    const { lab } = await play(
      { SessionStart: [{ command: NAMES }], PreToolUse: [{ matcher: "bash", command: NAMES }], PostToolUse: [{ command: NAMES }] },
      [bash("pwd"), bash("ls")],
    );
    expect(seen(lab)).toEqual(["SessionStart", "PreToolUse bash", "PostToolUse bash", "PreToolUse bash", "PostToolUse bash"]);
  });

  test("without a matcher, or with null, a hook is for every tool; each of the four names is for its own", async () => {
    const four = ["bash", "read_file", "write_file", "edit_file"];
    const calls = [
      bash("pwd"),
      use("Read", { file_path: "README.md" }),
      use("Write", { file_path: "a.txt", content: "x" }),
      use("Edit", { file_path: "a.txt", old_string: "x", new_string: "y" }),
    ];
    const marks = (name: string): string => `echo "${name} $HOOK_TOOL_NAME" >> seen`;
    const { lab } = await play(
      { PreToolUse: [{ command: marks("every") }, ...four.map((matcher) => ({ matcher, command: marks("own") }))] },
      calls,
    );
    expect(seen(lab).sort()).toEqual([...four.map((name) => `every ${name}`), ...four.map((name) => `own ${name}`)].sort());
  });

  test("a name that no tool of this dialect has is said, with those it has", async () => {
    const { lab, stderr } = await play({ PreToolUse: [{ matcher: "wirte_file", command: "exit 1" }] });
    const status = await lab.command(["trust", "status"]).catch(String);
    expect(stderr + status).toMatch(/wirte_file[\s\S]*write_file/);
  });
});

describe("exit codes", () => {
  test.each([
    ["0 lets the tool run", "exit 0", true, ""],
    ["1 blocks it, and stderr is the error", "echo not here >&2; exit 1", false, "not here"],
    ["2 lets it run, and stderr is a message for the model", "echo be careful >&2; exit 2", true, "be careful"],
  ])("exit code %s", async (_what, command, runs, text) => {
    const { lab, stdout } = await play({ PreToolUse: [{ matcher: "bash", command }] }, [bash("echo made > made.txt")]);
    expect(existsSync(path.join(lab.project, "made.txt"))).toBe(runs);
    expect(stdout).toContain(text);
  });

  test("of several hooks any block stops the tool, and injected messages are collected", async () => {
    const inject = (text: string): Rule => ({ command: `echo ${text} >&2; exit 2` });
    const both = await play({ PreToolUse: [inject("first"), inject("second")] }, [bash("pwd")]);
    expect(both.stdout).toMatch(/first[\s\S]*second/);
    const blocked = await play({ PreToolUse: [inject("first"), { command: "echo stop >&2; exit 1" }] }, [bash("echo > made.txt")]);
    expect([existsSync(path.join(blocked.lab.project, "made.txt")), blocked.stdout.includes("stop")]).toEqual([false, true]);
  });

  test.each([
    ["node hooks/missing.js", "exits with 1, which blocks", undefined],
    ["hooks/missing.sh", "exits with 127, which is a failure: the tool runs", "x"],
  ])("a script that is not there, %s, %s; either way it is said", async (command, _what, content) => {
    const calls = [use("Write", { file_path: "a.txt", content: "x" })];
    const { lab, stdout, stderr } = await play({ PreToolUse: [{ matcher: "write_file", command }] }, calls);
    expect(lab.read("project/a.txt")).toBe(content);
    expect(stdout + stderr).toMatch(/missing\.(js|sh)/);
  });

  test.each([1, 2])("SessionStart with exit %i blocks nothing", async (code) => {
    const { lab } = await play({ SessionStart: [{ command: `echo no >&2; exit ${code}` }] }, [bash("echo > made.txt")]);
    expect(existsSync(path.join(lab.project, "made.txt"))).toBe(true);
  });
});

describe("beside permissions", () => {
  test("a hook that lets a call pass does not allow what a deny rule forbids, and a block stands where a rule allows", async () => {
    const denied = await play(
      { PreToolUse: [{ command: "exit 0" }] },
      [bash("echo > made.txt")],
      [...ALLOWED, "--disallowedTools", "Bash"],
    );
    const blocked = await play({ PreToolUse: [{ command: "exit 1" }] }, [bash("echo > made.txt")]);
    for (const { lab } of [denied, blocked]) expect(existsSync(path.join(lab.project, "made.txt"))).toBe(false);
  });

  test("file tools stay in the workspace", async () => {
    const { lab, stdout } = await play(
      {},
      [use("Write", { file_path: "../outside.txt", content: "x" })],
      ["--trust-workspace", "--permission-mode", "acceptEdits"],
    );
    expect(existsSync(path.join(lab.base, "outside.txt"))).toBe(false);
    expect(stdout).toContain("There is no user to ask here");
  });

  test("before a word of trust no hook of the file runs, and its name and the cure are said", async () => {
    const { lab, stderr } = await play({ PreToolUse: [{ command: "touch ran" }] }, [bash("pwd")], ["--allowedTools", "Bash"]);
    expect(existsSync(path.join(lab.project, "ran"))).toBe(false);
    expect(stderr).toMatch(/touch ran[\s\S]*hookloop trust review/);
  });
});

describe("the stories of its source", () => {
  test("an audit log of every call, in Python", async () => {
    const lines =
      'import json, os\nopen("audit.log", "a").write(os.environ["HOOK_TOOL_NAME"] + " " + json.loads(os.environ["HOOK_TOOL_INPUT"])["command"] + "\\n")\n';
    const lab = openAgentLab();
    lab.write("project/hooks/audit.py", lines);
    lab.write("project/.hooks.json", { hooks: { PreToolUse: [{ command: "python3 hooks/audit.py" }] } });
    await lab.play({ args: ["-p", "go", "--script", lab.script([[bash("pwd")], [bash("ls")], say("done")]), ...ALLOWED] });
    expect(lab.read("project/audit.log")).toBe("bash pwd\nbash ls\n");
  });

  test("a linter after each write, whose words stand beside the result", async () => {
    const lint = 'case "$HOOK_TOOL_INPUT" in *"var x"*) echo "no var" >&2; exit 2;; esac';
    const { stdout } = await play({ PostToolUse: [{ matcher: "write_file", command: lint }] }, [
      use("Write", { file_path: "a.js", content: "var x" }),
    ]);
    expect(stdout).toContain("no var");
  });

  test("a scanner before each shell command", async () => {
    const scan = 'case "$HOOK_TOOL_INPUT" in *"rm -rf"*) echo "dangerous" >&2; exit 1;; esac';
    const { lab, stdout } = await play({ PreToolUse: [{ matcher: "bash", command: scan }] }, [
      bash("rm -rf README.md"),
      bash("echo > made.txt"),
    ]);
    expect(stdout).toContain("dangerous");
    expect([lab.read("project/README.md"), existsSync(path.join(lab.project, "made.txt"))]).toEqual(["# Read me\n", true]);
  });
});

describe("the model behind it", () => {
  const asked = async (env: Readonly<Record<string, string | undefined>>, dotEnv = "") => {
    const lab = openAgentLab();
    const server = await openMessagesServer([answers(...say("hi"))]);
    lab.write("project/.env", dotEnv.replace("$URL", String(server.env["ANTHROPIC_BASE_URL"])));
    const variables = Object.fromEntries(Object.entries({ ...server.env, ...env }).filter(([, value]) => value !== undefined));
    const { stdout } = await lab.play({ args: ["-p", "hello", "--trust-workspace"], env: variables as Record<string, string> });
    const [headers, request] = [server.headers[0] ?? {}, server.requests[0] ?? {}];
    return { stdout, model: request["model"], key: headers["authorization"], agent: headers["user-agent"] };
  };
  const NONE = { ANTHROPIC_API_KEY: undefined, ANTHROPIC_BASE_URL: undefined };

  test("is asked through the Anthropic SDK, with key, address and MODEL_ID of the environment", async () => {
    expect(await asked({ MODEL_ID: "their-model" })).toEqual({
      stdout: "hi\n",
      model: "their-model",
      key: "Bearer sk-not-a-key",
      agent: expect.stringContaining("Anthropic"),
    });
  });

  test("the token stands in for a key that is not there", async () => {
    expect(await asked({ ANTHROPIC_API_KEY: undefined, ANTHROPIC_AUTH_TOKEN: "tok" })).toMatchObject({ key: "Bearer tok" });
  });

  test("without MODEL_ID it is the model that the docs name", async () => {
    expect(await asked({})).toMatchObject({ model: "claude-opus-5-5" });
  });

  test("a .env gives key, address and MODEL_ID where the environment has none", async () => {
    const dotEnv = "ANTHROPIC_API_KEY=file-key\nANTHROPIC_BASE_URL=$URL\nMODEL_ID=file-model\n";
    expect(await asked(NONE, dotEnv)).toMatchObject({ stdout: "hi\n", model: "file-model", key: "Bearer file-key" });
  });

  test("the real environment wins over the .env", async () => {
    const dotEnv = "ANTHROPIC_API_KEY=file-key\nANTHROPIC_BASE_URL=http://127.0.0.1:9\nMODEL_ID=file-model\n";
    expect(await asked({ MODEL_ID: "mine" }, dotEnv)).toMatchObject({ stdout: "hi\n", model: "mine", key: "Bearer sk-not-a-key" });
  });

  test("a conversation has several turns, and the model gets the earlier ones", { skip: !hasTmux }, async () => {
    const room = openRoom();
    const server = await openMessagesServer([answers(...say("Hello, Ada.")), answers(...say("You are Ada."))]);
    const terminal = await room.start({ env: server.env });
    terminal.say("My name is Ada");
    await terminal.shows("Hello, Ada.");
    terminal.say("Who am I?");
    await terminal.shows("You are Ada.");
    expect(JSON.stringify(server.requests[1]?.["messages"])).toMatch(/My name is Ada.*Hello, Ada\..*Who am I\?/);
    terminal.say("exit");
    await terminal.shows("[left with 0]");
  });
});
