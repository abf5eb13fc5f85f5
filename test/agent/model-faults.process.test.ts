/** What a model can do wrong: each has a clear message, an exit code, and loses nothing of what was said before. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type AgentLab, type Ended, hooksOn, type Json, lines, openAgentLab, say, use } from "./agent-lab.ts";
import { type Answer, answers, breaksOff, fails, openMessagesServer } from "./messages-server.ts";

const ALLOWED = ["--trust-workspace", "--allowedTools", "Bash"];

async function runWith(
  given: readonly Answer[],
  args: readonly string[] = [],
): Promise<Ended & { lab: AgentLab; requests: readonly Json[] }> {
  const lab = openAgentLab();
  lab.settings({ hooks: hooksOn(["StopFailure", "SessionEnd"]) });
  const server = await openMessagesServer(given);
  const end = await lab.play({ args: ["-p", "go", ...ALLOWED, ...args], env: server.env });
  return { ...end, lab, requests: server.requests };
}

/** The prompt is in the transcript, StopFailure has its word, SessionEnd was fired, and there is no stack trace. */
function expectFailure({ exit, stdout, stderr, lab }: Awaited<ReturnType<typeof runWith>>, error: string, text: RegExp): void {
  expect(stderr).toMatch(text);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
  expect(lab.recorded().map(({ hook_event_name, error: word }) => [hook_event_name, word])).toEqual([
    ["StopFailure", error],
    ["SessionEnd", undefined],
  ]);
  expect(transcript(lab)[0]).toMatchObject({ type: "user", message: { content: [{ type: "text", text: "go" }] } });
}

function transcript(lab: AgentLab): readonly Json[] {
  const [file = ""] = lab.stateFiles("sessions");
  return lines(readFileSync(file, "utf8"));
}

test("without a key it says so before anything is fired", async () => {
  const lab = openAgentLab();
  lab.settings({ hooks: hooksOn(["SessionStart", "SessionEnd"]) });
  const { exit, stdout, stderr } = await lab.play({ args: ["-p", "go", "--model", "some-model", "--trust-workspace"] });
  expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
  expect(stderr).toMatch(/^HL_AGENT_NO_MODEL: .*ANTHROPIC_API_KEY.*--script FILE/);
  expect(lab.recorded()).toEqual([]);
});

test("a 401 is authentication_failed, and says which variable to check", async () => {
  const run = await runWith([fails(401, "authentication_error", "invalid x-api-key")]);
  expectFailure(run, "authentication_failed", /invalid x-api-key.*Check ANTHROPIC_API_KEY/);
  expect(run.requests).toHaveLength(1);
});

test("a 429 is tried again, then is rate_limit", async () => {
  const run = await runWith([fails(429, "rate_limit_error", "too many", { "retry-after-ms": "1" })]);
  expectFailure(run, "rate_limit", /too many.*Wait a moment/);
  expect(run.requests).toHaveLength(3);
});

test("a 429 that passes costs nothing", async () => {
  const limit = fails(429, "rate_limit_error", "too many", { "retry-after-ms": "1" });
  const { exit, stdout, lab } = await runWith([limit, answers({ type: "text", text: "hello" })]);
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: "hello\n" });
  expect(lab.recorded().map(({ hook_event_name }) => hook_event_name)).toEqual(["SessionEnd"]);
});

test.for([
  ["ends", (response: { end(): void }) => response.end()],
  ["is reset", (response: { destroy(): void }) => response.destroy()],
] as const)("a stream that %s in the middle is an error, never half an answer", async ([, end]) => {
  const run = await runWith([breaksOff(3, (response) => setTimeout(() => end(response), 20))]);
  expectFailure(run, "server_error", /The model did not answer: server_error: /);
  expect(transcript(run.lab)).toHaveLength(1);
});

test("a stream that is no stream of events is an error", async () => {
  const run = await runWith([breaksOff(1, (response) => response.end("event: content_block_delta\ndata: {not json\n\n"))]);
  expectFailure(run, "server_error", /The model did not answer: server_error: /);
});

test("an overload inside a stream keeps its word", async () => {
  const error = `event: error\ndata: ${JSON.stringify({ type: "error", error: { type: "overloaded_error", message: "busy" } })}\n\n`;
  const run = await runWith([breaksOff(2, (response) => response.end(error))]);
  expectFailure(run, "overloaded", /overloaded: .*Try again in a moment/);
});

test("a call whose input is no JSON is told to the model, and no hook sees it", async () => {
  const lab = openAgentLab();
  lab.settings({ hooks: hooksOn(["PreToolUse"]) });
  const broken = answers({ ...use("Bash", { command: "" }, "bad"), json: '{"command": "rm -rf' });
  const server = await openMessagesServer([broken, answers({ type: "text", text: "sorry" })]);
  const { exit, stdout } = await lab.play({ args: ["-p", "go", ...ALLOWED], env: server.env });
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: "sorry\n" });
  expect(lab.recorded()).toEqual([]);
  expect(JSON.stringify(server.requests[1])).toMatch(/The input of Bash is not valid: it is not a JSON object/);
  expect(JSON.stringify(server.requests[1])).not.toContain("brokenInput");
});

test("an unknown tool is told to the model with the nearest name, and its sibling runs", async () => {
  const lab = openAgentLab();
  const calls = answers(use("Bahs", { command: "true" }, "bad"), use("Bash", { command: "echo fine" }, "good"));
  const server = await openMessagesServer([calls, answers({ type: "text", text: "ok" })]);
  expect(await lab.play({ args: ["-p", "go", ...ALLOWED], env: server.env })).toMatchObject({ exit: 0, stdout: "ok\n" });
  const sent = JSON.stringify(server.requests[1]);
  expect(sent).toContain('There is no tool \\"Bahs\\". Did you mean \\"Bash\\"?');
  expect(sent).toContain("fine");
});

test("a model that loops is ended at --max-turns, with the exit code 1 and its reason", async () => {
  const lab = openAgentLab();
  lab.settings({ hooks: hooksOn(["PreToolUse", "SessionEnd"]) });
  const script = lab.script(Array.from({ length: 20 }, () => [use("Bash", { command: "true" })]));
  const args = ["-p", "go", ...ALLOWED, "--script", script, "--max-turns", "3", "--output-format", "json"];
  const { exit, stdout, stderr } = await lab.play({ args });
  expect(exit).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ subtype: "error_max_turns", is_error: true, num_turns: 3, terminal_reason: "max_turns" });
  expect(stderr).toContain("The turn was ended at its limit: It took 3 turns.");
  expect(lab.recorded().map(({ hook_event_name }) => hook_event_name)).toEqual(["PreToolUse", "PreToolUse", "PreToolUse", "SessionEnd"]);
});

test("an answer with nothing in it ends the turn, and the next prompt is still accepted", async () => {
  const lab = openAgentLab();
  const server = await openMessagesServer([answers(), answers({ type: "text", text: "here" })]);
  const prompt = (content: string): string => JSON.stringify({ type: "user", message: { role: "user", content } });
  const args = ["-p", "--input-format", "stream-json", ...ALLOWED];
  const { exit } = await lab.run({ args, env: server.env, input: `${prompt("one")}\n${prompt("two")}\n` });
  expect(exit).toBe(0);
  const messages = server.requests[1]?.["messages"] as { readonly content: unknown[] }[];
  expect(messages.filter(({ content }) => content.length === 0)).toEqual([]);
});

test("a prompt after a turn that ended between call and result is a whole conversation", async () => {
  const lab = openAgentLab();
  lab.settings({ hooks: hooksOn(["PostModelResponse"], `grep -q tool_use || exit 0; echo '{"continue": false, "stopReason": "enough"}'`) });
  const server = await openMessagesServer([answers(use("Bash", { command: "touch ran" }, "open")), answers({ type: "text", text: "ok" })]);
  const prompt = (content: string): string => JSON.stringify({ type: "user", message: { role: "user", content } });
  const args = ["-p", "--input-format", "stream-json", ...ALLOWED];
  const { stderr } = await lab.run({ args, env: server.env, input: `${prompt("one")}\n${prompt("two")}\n` });
  expect(stderr).toMatch(/^The agent was stopped at PostModelResponse by hook .*: enough$/m);
  expect(stderr).not.toContain("ended the turn");
  expect(lab.read("project/ran")).toBeUndefined();
  const messages = server.requests[1]?.["messages"] as { readonly content: { readonly type: string; readonly tool_use_id?: string }[] }[];
  expect(messages.at(-1)?.content[0]).toMatchObject({ type: "tool_result", tool_use_id: "open", is_error: true });
});

test("a script that is over says done", async () => {
  const lab = openAgentLab();
  const script = lab.script([say("first")]);
  expect(await lab.play({ args: ["-p", "go", "--script", script] })).toMatchObject({ exit: 0, stdout: "first\n" });
});
