/** Effects that only the loop can carry out, seen from the model's side. */
import { expect, test } from "vitest";
import { hooksOn, type Json, openAgentLab, use } from "./agent-lab.ts";
import { answers, openMessagesServer } from "./messages-server.ts";

const ARGS = ["-p", "go", "--trust-workspace", "--allowedTools", "Bash"];

test("PostModelResponse: its context comes after the results, its parameters count from the next call on", async () => {
  const lab = openAgentLab();
  const answer = { hookEventName: "PostModelResponse", additionalContext: "mind the time", updatedParams: { temperature: 0.25 } };
  lab.settings({ hooks: hooksOn(["PostModelResponse"], `echo '${JSON.stringify({ hookSpecificOutput: answer })}'`) });
  const server = await openMessagesServer([answers(use("Bash", { command: "true" }, "one")), answers({ type: "text", text: "ok" })]);
  const { exit, stderr } = await lab.play({ args: ARGS, env: server.env });
  expect(exit, stderr).toBe(0);
  expect(server.requests.map(({ temperature }) => temperature)).toEqual([undefined, 0.25]);
  const messages = server.requests[1]?.["messages"] as { readonly content: Json[] }[];
  const content = messages.at(-1)?.content;
  expect(content).toMatchObject([{ type: "tool_result", tool_use_id: "one" }, { text: expect.stringContaining("mind the time") }]);
});

test("PreModelRequest sets parameters of the call, never what the call is about", async () => {
  const lab = openAgentLab();
  const answer = { hookEventName: "PreModelRequest", updatedParams: { temperature: 0.5, messages: [], tools: [], model: "other" } };
  lab.settings({ hooks: hooksOn(["PreModelRequest"], `echo '${JSON.stringify({ hookSpecificOutput: answer })}'`) });
  const server = await openMessagesServer([answers({ type: "text", text: "ok" })]);
  await lab.play({ args: [...ARGS, "--model", "mine"], env: server.env });
  const [request = {}] = server.requests;
  expect(request).toMatchObject({ temperature: 0.5, model: "mine" });
  expect((request["messages"] as unknown[]).length).toBe(1);
  expect((request["tools"] as unknown[]).length).toBeGreaterThan(5);
});

test("UserPromptExpansion can end the turn before the model is asked", async () => {
  const lab = openAgentLab();
  lab.write("project/.claude/commands/greet.md", "Greet.\n");
  lab.settings({ hooks: hooksOn(["UserPromptExpansion"], `echo '{"continue": false, "stopReason": "not today"}'`) });
  const server = await openMessagesServer([answers({ type: "text", text: "ok" })]);
  const { stderr } = await lab.play({ args: ["-p", "/greet", "--trust-workspace"], env: server.env });
  expect(server.requests).toEqual([]);
  expect(stderr).toContain("not today");
});

test("a prompt that a hook asks about is blocked where there is no user to ask", async () => {
  const lab = openAgentLab();
  lab.write("project/.claude/commands/greet.md", "Greet.\n");
  lab.write("project/.hookloop/hooks.json", { hooks: hooksOn(["UserPromptExpansion"], "exit 7") });
  const server = await openMessagesServer([answers({ type: "text", text: "ok" })]);
  const { stdout } = await lab.play({ args: ["-p", "/greet", "--trust-workspace"], env: server.env });
  expect(server.requests).toEqual([]);
  expect(stdout).toContain("it was not approved");
});

test("the effort that the model is asked with is in payloads and environments of tool events, also if a hook has changed it", async () => {
  const lab = openAgentLab();
  const params = { hookEventName: "PostModelResponse", updatedParams: { output_config: { effort: "low" } } };
  lab.settings({
    hooks: {
      ...hooksOn(["PreToolUse", "UserPromptSubmit"], 'echo "$(cat) $CLAUDE_EFFORT" >> "$CLAUDE_PROJECT_DIR/seen"'),
      ...hooksOn(["PostModelResponse"], `echo '${JSON.stringify({ hookSpecificOutput: params })}'`),
    },
  });
  const server = await openMessagesServer([
    answers(use("Bash", { command: 'echo "shell $CLAUDE_EFFORT" > shell' }, "one")),
    answers({ type: "text", text: "ok" }),
  ]);
  await lab.play({ args: [...ARGS, "--model", "claude-opus-5-5"], env: server.env });
  expect(server.requests.map((request) => request["output_config"])).toEqual([{ effort: "medium" }, { effort: "low" }]);
  const seen = (lab.read("project/seen") ?? "").split("\n");
  expect(seen[0]).toMatch(/"hook_event_name":"UserPromptSubmit".*\} $/);
  expect(seen[0]).not.toContain("effort");
  expect(seen[1]).toMatch(/"effort":\{"level":"low"\}.*\} low$/);
  expect(lab.read("project/shell")).toBe("shell low\n");
  await lab.play({ args: [...ARGS, "--model", "claude-sonnet-4-5"], env: server.env });
  expect(server.requests.at(-1)).not.toHaveProperty("output_config.effort", "medium");
});

test("the last words of an agent whose Stop hook was overridden at the cap are its result", async () => {
  const lab = openAgentLab();
  lab.settings({ hooks: hooksOn(["Stop"], "echo more >&2; exit 2") });
  const server = await openMessagesServer([answers({ type: "text", text: "first" }), answers({ type: "text", text: "last words" })]);
  const env = { ...server.env, CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: "1" };
  const { stdout } = await lab.play({ args: [...ARGS, "--output-format", "json"], env });
  expect(JSON.parse(stdout)).toMatchObject({ type: "result", result: "last words" });
});

test("without a terminal, what a hook objects to after the fact is on stderr", async () => {
  const lab = openAgentLab();
  lab.settings({ hooks: hooksOn(["PostToolUse"], "echo 'run the tests first' >&2; exit 2") });
  const { stderr } = await lab.play({ args: [...ARGS.slice(2), "-p", "run echo one"] });
  expect(stderr).toMatch(
    /The hook ".*" \(PostToolUse:Bash\) told the model: .*run the tests first.*\(The tool had already run; PreToolUse prevents a call\.\)/s,
  );
  // By its name, as everywhere; an id says nothing to who reads it.
  expect(stderr).not.toContain('The hook "project:');
});

test("a command of the conversation is said to be one", async () => {
  const { stdout } = await openAgentLab().play({ args: ["-p", "/clear"] });
  expect(stdout).toContain("/clear belongs to the conversation");
});

test.each([
  ["nosuch", "nosuch", "/hooks lists their names."],
  ["Safety", "Safety", 'Did you mean "safety"?'],
])("a disable list with %s is said to switch nothing off", async (value, name, hint) => {
  const { stderr } = await openAgentLab().play({ args: ["-p", "run pwd"], env: { HOOKLOOP_DISABLE: value } });
  expect(stderr).toContain(`HL_ADMIT_UNKNOWN_NAME: HOOKLOOP_DISABLE names no hook: "${name}" switches nothing off. ${hint}`);
});

test("a name that is a hook's is no mistake", async () => {
  const { stderr } = await openAgentLab().play({
    args: ["-p", "run pwd"],
    env: { HOOKLOOP_DISABLE: "safety, workspace-boundary", CLAUDE_CODE_DISABLE_HOOKS: "safety_checks" },
  });
  expect(stderr).not.toContain("HL_ADMIT_UNKNOWN_NAME");
});

test("a Stop hook that keeps a turn going although tools are used is named after its ninth time", async () => {
  const lab = openAgentLab();
  const count = 'echo x >> "$HOME/count"; [ "$(wc -l < "$HOME/count")" -gt 9 ] || { echo more >&2; exit 2; }';
  lab.settings({ hooks: hooksOn(["Stop"], count) });
  const rounds = Array.from({ length: 10 }, () => [[use("Bash", { command: "true" })], [{ type: "text", text: "done" } as const]]).flat();
  const { stderr } = await lab.play({ args: [...ARGS, "--script", lab.script(rounds)] });
  expect(stderr.match(/The Stop hook ".*" has continued this turn \d+ times; Ctrl-C ends it\./g)).toEqual([
    expect.stringContaining("continued this turn 9 times"),
  ]);
});
