/** What MCP servers ask and offer, through the real program and a real server: Elicitation, ElicitationResult, prompts as commands. */
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type AgentLab, type Ended, hooksOn, type Json, lines, openAgentLab, RECORDER, say, use } from "./agent-lab.ts";
import { FORGE_FILES, FORGE_FLAGS } from "./forge-server.ts";

/** A lab with the server; hooks are those of the project. */
function openForge(hooks: Json): AgentLab & { readonly flags: readonly string[] } {
  const lab = openAgentLab();
  for (const [name, content] of Object.entries(FORGE_FILES)) lab.write(name, content);
  lab.settings({ hooks });
  return { ...lab, flags: ["--trust-workspace", ...FORGE_FLAGS] };
}

async function run(hooks: Json, tool = "ask"): Promise<Ended & { readonly lab: AgentLab; readonly answer: string }> {
  const lab = openForge(hooks);
  const script = lab.script([[use(`mcp__forge__${tool}`, {})], say("bye")]);
  const end = await lab.play({ args: ["-p", "go", "--script", script, ...lab.flags, "--output-format", "stream-json", "--verbose"] });
  const messages = lines(end.stdout).flatMap((line) => (line["type"] === "user" ? [line["message"] as { content: readonly Json[] }] : []));
  const result = messages.flatMap(({ content }) => content).find((block) => block["type"] === "tool_result");
  return { ...end, lab, answer: String(result?.["content"]) };
}

const answering = (event: string, fields: Json): string =>
  `${RECORDER}; echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...fields } })}'`;
const accept = hooksOn(["Elicitation"], answering("Elicitation", { action: "accept", content: { name: "hookloop", copies: 2 } }));
const record = hooksOn(["ElicitationResult"]);

test("a hook answers in the user's place: the server gets its form, and ElicitationResult sees it", async () => {
  const { answer, lab, exit } = await run({ ...accept, ...record });
  expect(exit).toBe(0);
  expect(JSON.parse(answer)).toEqual({ action: "accept", content: { name: "hookloop", copies: 2 } });
  expect(lab.recorded()).toEqual([
    expect.objectContaining({
      hook_event_name: "Elicitation",
      mcp_server_name: "forge",
      message: "Which repository?",
      mode: "form",
      requested_schema: expect.objectContaining({ required: ["name"] }),
    }),
    expect.objectContaining({
      hook_event_name: "ElicitationResult",
      mcp_server_name: "forge",
      action: "accept",
      content: { name: "hookloop", copies: 2 },
      mode: "form",
    }),
  ]);
});

test.each([
  ["exit code 2", "echo 'not this server' >&2; exit 2", "decline", "not this server"],
  ["action decline", answering("Elicitation", { action: "decline" }), "decline", "A hook declined it"],
  ["action cancel", answering("Elicitation", { action: "cancel" }), "cancel", "A hook declined it"],
])("Elicitation: %s refuses the question", async (_, command, action, told) => {
  const { answer, stdout } = await run(hooksOn(["Elicitation"], command));
  expect(JSON.parse(answer)).toEqual({ action });
  expect(stdout).toContain(told);
});

test("where there is no user to ask and no hook answers it is declined, with a word", async () => {
  const { answer, lab, stdout } = await run(hooksOn(["Elicitation", "ElicitationResult"]));
  expect(JSON.parse(answer)).toEqual({ action: "decline" });
  expect(stdout).toContain("There is no user to ask here, so it was declined");
  expect(lab.recorded()[1]).toMatchObject({ hook_event_name: "ElicitationResult", action: "decline" });
});

test("a page to open has its address in the payload, and is accepted without a form", async () => {
  const hooks = { ...hooksOn(["Elicitation"], answering("Elicitation", { action: "accept", content: { ignored: true } })), ...record };
  const { answer, lab } = await run(hooks, "login");
  expect(JSON.parse(answer)).toEqual({ action: "accept" });
  const asked = { mode: "url", url: "https://forge.invalid/login", elicitation_id: "e1" };
  expect(lab.recorded()).toMatchObject([asked, { action: "accept", mode: "url", elicitation_id: "e1" }]);
});

test("an answer that does not fit the form is not sent, and it is said why", async () => {
  const wrong = hooksOn(["Elicitation"], answering("Elicitation", { action: "accept", content: { copies: 0 } }));
  const { answer, stderr } = await run(wrong);
  expect(JSON.parse(answer)).toEqual({ action: "decline" });
  expect(stderr).toMatch(/HL_OUTPUT_NOT_HONOURED.*"forge" is not used, because it does not fit its form: .*name/);
});

test("ElicitationResult: a hook changes the answer", async () => {
  const change = hooksOn(["ElicitationResult"], answering("ElicitationResult", { action: "accept", content: { name: "other" } }));
  expect(JSON.parse((await run({ ...accept, ...change })).answer)).toEqual({ action: "accept", content: { name: "other" } });
});

test.each([
  ["exit code 2", "echo 'holds a secret' >&2; exit 2", "decline"],
  ["action cancel", answering("ElicitationResult", { action: "cancel" }), "cancel"],
  ["a form that does not fit", answering("ElicitationResult", { action: "accept", content: { name: 1 } }), "decline"],
])("ElicitationResult: %s keeps the answer from the server", async (_, command, action) => {
  expect(JSON.parse((await run({ ...accept, ...hooksOn(["ElicitationResult"], command) })).answer)).toEqual({ action });
});

async function type(prompt: string, hooks: Json = {}): Promise<Ended & { readonly lab: AgentLab; readonly transcript: string }> {
  const lab = openForge(hooks);
  const end = await lab.play({ args: ["-p", prompt, "--script", lab.script([say("bye")]), ...lab.flags] });
  const [file = ""] = lab.stateFiles("sessions");
  return { ...end, lab, transcript: existsSync(file) ? readFileSync(file, "utf8") : "" };
}

test("a server's prompt is a slash command: its messages become the prompt, and UserPromptExpansion sees it", async () => {
  const { stdout, lab, transcript } = await type(
    "/mcp__forge__review src/a.ts very strictly",
    hooksOn(["UserPromptExpansion", "UserPromptSubmit"]),
  );
  expect(stdout).toBe("bye\n");
  expect(transcript).toContain("Review src/a.ts very strictly.\\n\\nAssistant: I will.");
  const prompt = "/mcp__forge__review src/a.ts very strictly";
  expect(lab.recorded()).toMatchObject([
    { hook_event_name: "UserPromptSubmit", prompt },
    {
      expansion_type: "mcp_prompt",
      command_name: "mcp__forge__review",
      command_args: "src/a.ts very strictly",
      command_source: "forge",
      prompt,
    },
  ]);
});

test("UserPromptExpansion: a block keeps a server's prompt from the model; context goes along with it", async () => {
  const { stdout, transcript } = await type("/mcp__forge__review a.ts", hooksOn(["UserPromptExpansion"], "echo 'not today' >&2; exit 2"));
  expect(stdout).toContain("not today");
  expect(transcript).not.toContain("Review a.ts");
  const { transcript: allowed } = await type("/mcp__forge__review a.ts", hooksOn(["UserPromptExpansion"], "echo 'be kind'"));
  expect(allowed).toMatch(/be kind[\s\S]*Review a.ts as usual/);
});

test.each([
  ["/mcp__forge__review", "it needs file."],
  ["/mcp__forge__broken", "out of order"],
  ["/mcp__forge__revieww x", "Did you mean /mcp__forge__review?"],
])("%s: the user is told %j", async (prompt, told) => {
  const { stdout, stderr } = await type(prompt);
  expect(stdout + stderr).toContain(told);
});

test("the server of the docs can be met without a key: a hook answers, and both events come", async () => {
  const page = readFileSync(new URL("../../docs/reference/agent.md", import.meta.url), "utf8");
  const [, server = ""] = /```js ask-server\.mjs\n([\s\S]*?)```/.exec(page) ?? [];
  const [, config = ""] = /echo '(\{"mcpServers".*\})' > servers\.json/.exec(page) ?? [];
  const lab = openAgentLab();
  lab.write("project/ask-server.mjs", server);
  lab.write("project/servers.json", config);
  const named = hooksOn(["Elicitation"], answering("Elicitation", { action: "accept", content: { name: "Ada" } }));
  lab.settings({ hooks: { ...named, ...record } });
  const args = [
    "-p",
    "call the tool mcp__asker__greet",
    "--trust-workspace",
    "--mcp-config",
    "servers.json",
    "--allowedTools",
    "mcp__asker__greet",
  ];
  const { stdout } = await lab.play({ args });
  expect(stdout).toContain("Hello, Ada.");
  expect(lab.recorded().map((payload) => payload["hook_event_name"])).toEqual(["Elicitation", "ElicitationResult"]);
});
