/** What can go wrong around a session: each has a clear message, and nothing that was said or done is lost. */
import { spawnSync } from "node:child_process";
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { type AgentLab, ended, hooksOn, type Json, lines, openAgentLab, PROGRAM, say, use } from "./agent-lab.ts";
import { answers, openMessagesServer } from "./messages-server.ts";

const ALLOWED = ["--trust-workspace", "--allowedTools", "Bash,Write"];
const events = (lab: AgentLab): readonly unknown[] => lab.recorded().map(({ hook_event_name }) => hook_event_name);
const prompt = (content: string): string => `${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`;

function transcriptOf(lab: AgentLab): readonly Json[] {
  const [file = ""] = lab.stateFiles("sessions");
  return lines(readFileSync(file, "utf8"));
}

/** Whether a process still lives; a zombie does not. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.trim().startsWith("Z");
}

test("5 MB of a tool's output reach the model in part, and are saved whole", async () => {
  const lab = openAgentLab();
  const server = await openMessagesServer([
    answers(use("Bash", { command: "head -c 5000000 /dev/zero | tr '\\0' x" }, "big")),
    answers({ type: "text", text: "ok" }),
  ]);
  const saved = 'cat "$TMPDIR"/hookloop-results-*/*.txt | wc -c > "$CLAUDE_PROJECT_DIR/saved"';
  lab.settings({ hooks: { ...hooksOn(["PostToolUse"], 'wc -c > "$CLAUDE_PROJECT_DIR/size"'), ...hooksOn(["Stop"], saved) } });
  expect(await lab.run({ args: ["-p", "go", ...ALLOWED], env: server.env })).toMatchObject({ exit: 0, stdout: "ok\n" });
  const sent = JSON.stringify(server.requests[1]);
  expect(sent.length).toBeLessThan(200_000);
  const [, file = ""] = /the whole text is in (\S+) until the session ends\]/.exec(sent) ?? [];
  expect([Number(lab.read("project/saved")), file !== "", existsSync(file)]).toEqual([5_000_000, true, false]);
  expect(Number(lab.read("project/size"))).toBeGreaterThan(1000);
});

test("a project that cannot be written fails the tool, not the session", async () => {
  const lab = openAgentLab();
  const script = lab.script([[use("Write", { file_path: "new.txt", content: "x" })], say("could not")]);
  for (const folder of [lab.base, lab.home, path.join(lab.base, "tmp")]) chmodSync(folder, 0o777);
  const isRoot = process.getuid?.() === 0;
  if (!isRoot) chmodSync(lab.project, 0o555);
  const before = isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
  const args = ["-p", "go", ...ALLOWED, "--script", script, "--output-format", "stream-json"];
  const { exit, stdout, stderr } = await lab.run({ args, before });
  expect(exit, stderr).toBe(0);
  expect(stdout).toMatch(/"is_error":true/);
  expect(stdout).toMatch(/EACCES|permission denied/i);
  expect(existsSync(path.join(lab.project, "new.txt"))).toBe(false);
  expect(lines(stdout).at(-1)).toMatchObject({ type: "result", result: "could not", terminal_reason: "completed" });
});

test("a folder that is gone at the start is said in one line", async () => {
  const lab = openAgentLab();
  const gone = path.join(lab.base, "gone");
  mkdirSync(gone);
  const before = ["bash", "-c", 'rmdir "$PWD"; exec "$@"', "bash"];
  const { exit, stdout, stderr } = await lab.run({ args: ["-p", "go", "--script", lab.script([])], cwd: gone, before });
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
  expect(stderr).toBe("HL_CLI_USAGE: The current folder does not exist any more. Go to another folder and start again.\n");
});

test("a folder that goes in the middle is left: the command that was judged there is not run, the next one runs in the project", async () => {
  const lab = openAgentLab();
  lab.settings({ hooks: hooksOn(["CwdChanged"], 'rmdir "$CLAUDE_PROJECT_DIR/sub"') });
  const script = lab.script([
    [use("Bash", { command: "mkdir -p sub && cd sub" })],
    [use("Bash", { command: "pwd" })],
    [use("Bash", { command: "pwd" })],
    say("ok"),
  ]);
  const { exit, stdout } = await lab.run({ args: ["-p", "go", ...ALLOWED, "--script", script, "--output-format", "stream-json"] });
  expect(exit).toBe(0);
  expect(stdout).toContain(`does not exist any more. The current folder is ${lab.project} now.`);
  expect(stdout).toContain(`"content":"${lab.project}"`);
});

test("a full disk is said once, and the session continues", async (context) => {
  const probe = spawnSync("unshare", ["-m", "true"]);
  context.skip(probe.status !== 0, "private mounts are not permitted here");
  const lab = openAgentLab();
  const state = path.join(lab.base, "state");
  mkdirSync(state);
  const big = "x".repeat(60_000);
  const turns = [...Array.from({ length: 12 }, (_, at) => [use("Bash", { command: `true ${big}${at}` })]), say("finished")];
  const script = lab.script(turns);
  const before = ["unshare", "-m", "bash", "-c", 'mount -t tmpfs -o size=256k none "$1" && shift && exec "$@"', "bash", state];
  const { exit, stdout, stderr } = await lab.run({
    args: ["-p", "go", ...ALLOWED, "--script", script],
    before,
    env: { XDG_STATE_HOME: state },
  });
  expect({ exit, stdout }, stderr).toEqual({ exit: 0, stdout: "finished\n" });
  expect(stderr.match(/The transcript .* cannot be written: .*Free some space/g)).toHaveLength(1);
});

test("a session that was killed is resumed with everything that was said, and no call is run twice", async () => {
  const lab = openAgentLab();
  lab.settings({ hooks: hooksOn(["SessionStart"]) });
  const first = lab.script([[use("Bash", { command: "echo one >> log" })], [use("Bash", { command: "touch here; sleep 60" }, "open")]]);
  const child = lab.start({ args: ["-p", "first prompt", ...ALLOWED, "--script", first, "--session-id", "s-1"] });
  await vi.waitFor(() => expect(existsSync(path.join(lab.project, "here"))).toBe(true), { timeout: 20_000, interval: 50 });
  child.kill("SIGKILL");
  await ended(child);
  const [file = ""] = lab.stateFiles("sessions");
  appendFileSync(file, '{"type":"assistant","mess');
  const server = await openMessagesServer([answers({ type: "text", text: "going on" })]);
  const { exit, stdout, stderr } = await lab.run({ args: ["-p", "second", ...ALLOWED, "--resume", "s-1"], env: server.env });
  expect({ exit, stdout }, stderr).toEqual({ exit: 0, stdout: "going on\n" });
  expect(stderr).toMatch(/1 line of the transcript .*s-1\.jsonl.* could not be read/);
  const sent = JSON.stringify(server.requests[0]?.["messages"]);
  expect(sent).toContain("first prompt");
  expect(sent).toContain("It may or may not have run");
  expect(lab.read("project/log")).toBe("one\n");
  expect(lab.recorded().at(-1)).toMatchObject({ source: "resume", session_id: "s-1" });
});

test("two sessions in one project keep their transcripts and traces apart", async () => {
  const lab = openAgentLab();
  const script = lab.script([[use("Bash", { command: "sleep 0.2" })], say("ok")]);
  const args = (id: string): readonly string[] => ["-p", `prompt of ${id}`, ...ALLOWED, "--script", script, "--session-id", id];
  const both = await Promise.all([lab.run({ args: args("a") }), lab.run({ args: args("b") })]);
  expect(both).toMatchObject([{ exit: 0 }, { exit: 0 }]);
  for (const kind of ["sessions", "traces"] as const)
    expect(
      lab
        .stateFiles(kind)
        .map((file) => path.basename(file))
        .sort(),
    ).toEqual(["a.jsonl", "b.jsonl"]);
  for (const file of lab.stateFiles("sessions")) {
    const id = path.basename(file, ".jsonl");
    const said = lines(readFileSync(file, "utf8"));
    expect(said.map(({ sessionId }) => sessionId)).toEqual(Array.from({ length: said.length }, () => id));
    expect(JSON.stringify(said)).toContain(`prompt of ${id}`);
  }
});

test("an id that is taken is refused, and an id that is a path stays in its folder", async () => {
  const lab = openAgentLab();
  const run = (id: string): ReturnType<AgentLab["run"]> => lab.run({ args: ["-p", "go", "--script", lab.script([]), "--session-id", id] });
  expect(await run("taken")).toMatchObject({ exit: 0 });
  const again = await run("taken");
  expect(again.exit).toBe(2);
  expect(again.stderr).toMatch(/^HL_CLI_USAGE: .*"taken".*--resume taken/);
  expect(await run("../../../../escaped")).toMatchObject({ exit: 0 });
  expect(
    lab
      .stateFiles("sessions")
      .map((file) => path.basename(file))
      .sort(),
  ).toEqual([expect.stringMatching(/^session-/), "taken.jsonl"]);
});

test("a SessionEnd hook that starts the agent starts it once", async () => {
  const lab = openAgentLab();
  const script = lab.script([]);
  const nested = `echo x >> "$CLAUDE_PROJECT_DIR/.starts"; "${process.execPath}" "${PROGRAM}" agent -p again --script "${script}" --trust-workspace 2>> "$CLAUDE_PROJECT_DIR/.nested"`;
  lab.settings({ hooks: { SessionEnd: [{ hooks: [{ type: "command", command: nested, timeout: 20 }] }], ...hooksOn(["SessionStart"]) } });
  const { exit } = await lab.run({ args: ["-p", "go", "--script", script, "--trust-workspace"] });
  expect(exit).toBe(0);
  await vi.waitFor(() => expect(lab.stateFiles("sessions")).toHaveLength(2), { timeout: 10_000 });
  expect(lab.read("project/.starts")).toBe("x\n");
  expect(lab.read("project/.nested")).toMatch(/HL_\w+/);
});

test("without a prompt it says how to give one, and nothing is fired", async () => {
  const lab = openAgentLab();
  lab.settings({ hooks: hooksOn(["SessionStart"]) });
  for (const how of [
    { stdin: ["ignore", "pipe", "pipe"] as const },
    { input: "  \n" },
    { before: ["bash", "-c", 'exec "$@" <&-', "bash"] },
  ]) {
    const { exit, stdout, stderr } = await lab.run({ args: ["-p", "--script", lab.script([]), "--trust-workspace"], ...(how as object) });
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
    expect(stderr).toMatch(/^HL_AGENT_BAD_INPUT: There is no prompt/);
  }
  expect(lab.recorded()).toEqual([]);
});

test("a prompt on stdin is read to its end", async () => {
  const lab = openAgentLab();
  lab.settings({ hooks: hooksOn(["UserPromptSubmit"]) });
  await lab.run({ args: ["-p", "--script", lab.script([]), "--trust-workspace"], input: "two\nlines\n" });
  expect(lab.recorded()).toMatchObject([{ prompt: "two\nlines" }]);
});

test("lines of a stream that are no prompts are named, and the others run", async () => {
  const lab = openAgentLab();
  const args = ["-p", "--input-format", "stream-json", "--script", lab.script([say("one"), say("two")])];
  const some = await lab.run({ args, input: `not json\n${prompt("a")}{"type":"other"}\n${prompt("b")}` });
  expect(some).toMatchObject({ exit: 0, stdout: "one\ntwo\n" });
  expect(some.stderr).toMatch(/line 1 of stdin is not used: it is not JSON[\s\S]*line 3 of stdin is not used/);
  const none = await lab.run({ args, input: "not json\n" });
  expect(none.exit).toBe(1);
});

test("SIGINT in the middle of a tool leaves no process behind, fires SessionEnd and keeps the transcript whole", async () => {
  const lab = openAgentLab();
  lab.settings({ hooks: hooksOn(["SessionEnd"]) });
  const command = 'trap "" INT TERM; sleep 300 & echo $! $$ > pids; wait';
  const child = lab.start({ args: ["-p", "go", ...ALLOWED, "--script", lab.script([[use("Bash", { command }, "long")]])] });
  const end = ended(child);
  await vi.waitFor(() => expect(lab.read("project/pids")).toMatch(/\d+ \d+\n/), { timeout: 20_000, interval: 50 });
  child.kill("SIGINT");
  const { exit, stderr } = await end;
  expect(exit).toBe(1);
  expect(stderr).toContain("The turn was interrupted");
  expect((lab.read("project/pids") ?? "").trim().split(" ").map(Number).filter(isAlive)).toEqual([]);
  expect(events(lab)).toEqual(["SessionEnd"]);
  expect(transcriptOf(lab).map(({ type }) => type)).toEqual(["user", "assistant", "user"]);
});

test("SIGINT while it waits for stdin ends it", async () => {
  const lab = openAgentLab();
  lab.settings({ hooks: hooksOn(["SessionStart", "SessionEnd"]) });
  const args = ["-p", "--input-format", "stream-json", "--script", lab.script([]), "--trust-workspace"];
  const child = lab.start({ args, stdin: ["pipe", "pipe", "pipe"] });
  const end = ended(child);
  await vi.waitFor(() => expect(events(lab)).toEqual(["SessionStart"]), { timeout: 20_000, interval: 50 });
  child.kill("SIGINT");
  expect(await end).toMatchObject({ exit: 1 });
  expect(events(lab)).toEqual(["SessionStart", "SessionEnd"]);
});

test("one blocked call of several does not stop its siblings", async () => {
  const lab = openAgentLab();
  lab.settings({ hooks: hooksOn(["PreToolUse"], "grep -q forbidden && { echo not this one >&2; exit 2; }; exit 0") });
  const calls = ["a", "forbidden", "b"].map((name) => use("Bash", { command: `touch ${name}` }, name));
  const server = await openMessagesServer([answers(...calls), answers({ type: "text", text: "ok" })]);
  expect(await lab.run({ args: ["-p", "go", ...ALLOWED], env: server.env })).toMatchObject({ exit: 0 });
  expect(["a", "forbidden", "b"].filter((name) => existsSync(path.join(lab.project, name)))).toEqual(["a", "b"]);
  const messages = server.requests[1]?.["messages"] as { readonly content: Json[] }[];
  const results = messages.at(-1)?.content.map(({ tool_use_id, is_error }) => [tool_use_id, is_error ?? false]);
  expect(results).toEqual([
    ["a", false],
    ["forbidden", true],
    ["b", false],
  ]);
});

test("the same hooks run at every depth, with the id of the agent they run for", async () => {
  const lab = openAgentLab();
  lab.settings({ hooks: hooksOn(["PreToolUse", "SubagentStart", "SubagentStop"]) });
  const deeper = (name: string): ReturnType<typeof use> => use("Agent", { description: name, prompt: name }, name);
  const script = lab.script([
    [deeper("one")],
    [deeper("two")],
    [use("Bash", { command: "true" }, "deep")],
    say("two"),
    say("one"),
    say("ok"),
  ]);
  expect(await lab.run({ args: ["-p", "go", ...ALLOWED, "--script", script] })).toMatchObject({ exit: 0, stdout: "ok\n" });
  const seen = lab.recorded().map(({ hook_event_name, agent_id, tool_use_id }) => [hook_event_name, agent_id, tool_use_id]);
  const [, [, one] = [], , [, two] = []] = seen;
  expect([typeof one, typeof two, one === two]).toEqual(["string", "string", false]);
  expect(seen).toEqual([
    ["PreToolUse", undefined, "one"],
    ["SubagentStart", one, undefined],
    ["PreToolUse", one, "two"],
    ["SubagentStart", two, undefined],
    ["PreToolUse", two, "deep"],
    ["SubagentStop", two, undefined],
    ["SubagentStop", one, undefined],
  ]);
});
