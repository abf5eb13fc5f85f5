/** What the production engine's source promises of a session, in a real one. */
import path from "node:path";
import { expect, test } from "vitest";
import { hooksOn, openAgentLab, say, use } from "../agent/agent-lab.ts";
import { answers, answersWhole, openMessagesServer } from "../agent/messages-server.ts";
import { hasTmux, openRoom } from "../agent/open-terminal.ts";

const TRUSTED = ["--trust-workspace", "--allowedTools", "Bash"];

test("every hook gets session, transcript, folder and mode; agent_id stands only inside a subagent", async () => {
  const lab = openAgentLab();
  lab.settings({ hooks: hooksOn(["PreToolUse"]) });
  const bash = (line: string) => use("Bash", { command: line });
  const script = lab.script([
    [bash("echo outside")],
    [use("Agent", { description: "look", prompt: "look" })],
    [bash("echo inside")],
    say("done"),
  ]);
  await lab.play({ args: ["-p", "go", "--script", script, ...TRUSTED] });
  const ofBash = lab.recorded().filter(({ tool_name }) => tool_name === "Bash");
  const [transcript = ""] = lab.stateFiles("sessions");
  expect(ofBash).toHaveLength(2);
  for (const payload of ofBash)
    expect(payload).toMatchObject({
      session_id: path.basename(transcript, ".jsonl"),
      transcript_path: transcript,
      cwd: lab.project,
      permission_mode: "default",
      hook_event_name: "PreToolUse",
    });
  expect(ofBash.map((payload) => ["agent_id" in payload, payload["agent_type"]])).toEqual([
    [false, undefined],
    [true, "general-purpose"],
  ]);
});

test("a blocked prompt never reaches the model, and its text says who blocked it", async () => {
  const lab = openAgentLab();
  const server = await openMessagesServer([answers(...say("hi"))]);
  lab.settings({ hooks: hooksOn(["UserPromptSubmit"], "echo not this >&2; exit 2") });
  const { stdout, stderr } = await lab.play({ args: ["-p", "the secret prompt", "--trust-workspace"], env: server.env });
  expect(stdout + stderr).toContain("UserPromptSubmit operation blocked by hook:\nnot this");
  expect(server.requests).toEqual([]);
});

test("what holds the agent at Stop is the next message of the model", async () => {
  const lab = openAgentLab();
  const server = await openMessagesServer([answers(...say("all done")), answers(...say("tests pass"))]);
  lab.settings({ hooks: hooksOn(["Stop"], "grep -q 'stop_hook_active\":true' || { echo run the tests >&2; exit 2; }") });
  const { stdout } = await lab.play({ args: ["-p", "go", "--trust-workspace"], env: server.env });
  expect(stdout).toBe("tests pass\n");
  expect(JSON.stringify(server.requests[1]?.["messages"])).toContain("Stop hook feedback:\\nrun the tests");
});

test("what hooks say when a session ends or is compacted never reaches the model", async () => {
  const lab = openAgentLab();
  const server = await openMessagesServer([answers(...say("a summary"))]);
  const SAYS = `cat >> "$CLAUDE_PROJECT_DIR/.recorded.jsonl"; echo >> "$CLAUDE_PROJECT_DIR/.recorded.jsonl"; echo '{"systemMessage":"MARK-said"}'; echo MARK-err >&2`;
  lab.settings({ hooks: hooksOn(["PreCompact", "PostCompact", "SessionEnd"], SAYS) });
  await lab.play({ args: ["-p", "hello", "--trust-workspace"], env: server.env });
  await lab.play({ args: ["-p", "/compact", "--continue", "--trust-workspace"], env: server.env });
  await lab.play({ args: ["-p", "and now", "--continue", "--trust-workspace"], env: server.env });
  expect(lab.recorded().map(({ hook_event_name }) => hook_event_name)).toEqual(
    expect.arrayContaining(["PreCompact", "PostCompact", "SessionEnd"]),
  );
  expect(new Set(lab.recorded().map(({ session_id }) => session_id)).size).toBe(1);
  expect(JSON.stringify(server.requests)).not.toContain("MARK-");
});

test("a prompt hook asks the user one question at the terminal, and the answer decides", { skip: !hasTmux }, async () => {
  const room = openRoom();
  const server = await openMessagesServer([
    answers(use("Bash", { command: "echo deployed > out.txt" })),
    answersWhole('{"question": "Is the freeze over?"}'),
    answersWhole('{"ok": true}'),
    answers(...say("all done")),
  ]);
  const hook = { type: "prompt", prompt: "May it deploy? $ARGUMENTS" };
  room.write(".claude/settings.json", { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [hook] }] } });
  const terminal = await room.start({ args: TRUSTED, env: server.env });
  terminal.say("deploy");
  await terminal.shows(/Is the freeze over\?\n\?/);
  expect(room.read("out.txt")).toBeUndefined();
  terminal.say("yes, since noon");
  await terminal.shows("all done");
  expect(room.read("out.txt")).toBe("deployed\n");
  expect(JSON.stringify(server.requests[2])).toContain("yes, since noon");
});

test("--agent gives payloads its type, and no agent_id", async () => {
  const lab = openAgentLab();
  lab.settings({ hooks: hooksOn(["SessionStart"]) });
  lab.write("project/.claude/agents/reviewer.md", "---\nname: reviewer\ndescription: reviews\n---\nReview.\n");
  await lab.play({ args: ["-p", "hello", "--agent", "reviewer", "--trust-workspace", "--script", lab.script([say("hi")])] });
  expect(lab.recorded()).toMatchObject([{ hook_event_name: "SessionStart", source: "startup", agent_type: "reviewer", model: "scripted" }]);
  expect(lab.recorded()[0]).not.toHaveProperty("agent_id");
});
