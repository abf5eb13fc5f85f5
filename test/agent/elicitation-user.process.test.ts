/** A question of an MCP server where the user can be asked: a session is opened as a terminal would, with a port to the user. */
import { expect, onTestFinished, test } from "vitest";
import { type AgentSession, openSession } from "../../packages/hookloop/src/agent/open-session.ts";
import type { Diagnostic } from "../../packages/hookloop/src/diagnostic.ts";
import type { AnswerQuestion, McpQuestion } from "../../packages/hookloop/src/mcp/prompts.ts";
import { type AgentLab, hooksOn, type Json, openAgentLab, RECORDER, say, use } from "./agent-lab.ts";
import { FORGE_FILES } from "./forge-server.ts";

interface Asked {
  readonly lab: AgentLab;
  readonly questions: readonly McpQuestion[];
  readonly reports: readonly Diagnostic[];
  /** What the server got. */
  readonly answer: unknown;
}

async function ask(elicit: AnswerQuestion, hooks: Json = {}, tool = "ask"): Promise<Asked> {
  const lab = openAgentLab();
  for (const [name, content] of Object.entries(FORGE_FILES)) lab.write(name, content);
  lab.settings({ hooks });
  const questions: McpQuestion[] = [];
  const reports: Diagnostic[] = [];
  const flags = {
    allowedTools: ["mcp__forge__ask", "mcp__forge__login"],
    disallowedTools: [],
    mcpConfig: ["../mcp.json"],
    pluginDirs: [],
    addDirs: [],
    script: lab.script([[use(`mcp__forge__${tool}`, {})], say("bye")]),
    trustWorkspace: true,
    trustedHooks: {},
    requireHooks: false,
    noProjectHooks: false,
  };
  let answer: unknown;
  const session: AgentSession = await openSession(flags, {
    cwd: lab.project,
    env: { PATH: process.env["PATH"], HOME: lab.home },
    managedRoot: `${lab.base}/none`,
    report: (diagnostic) => reports.push(diagnostic),
    emit(step) {
      if (step.type === "results") answer = step.results[0]?.content;
    },
    elicit: (question, signal) => {
      questions.push(question);
      return elicit(question, signal);
    },
  });
  onTestFinished(() => session.close("other"));
  await session.agent.start({ source: "startup" });
  await session.agent.submit("go", new AbortController().signal);
  return { lab, questions, reports, answer: JSON.parse(String(answer)) };
}

test("the user is asked, notified of it, and their answer goes back", async () => {
  const hooks = hooksOn(["Elicitation", "Notification", "ElicitationResult"]);
  const { questions, answer, lab } = await ask(async () => ({ action: "accept", content: { name: "mine" } }), hooks);
  expect(answer).toEqual({ action: "accept", content: { name: "mine" } });
  expect(questions).toMatchObject([{ server: "forge", message: "Which repository?", mode: "form", schema: { required: ["name"] } }]);
  await expect
    .poll(() =>
      lab
        .recorded()
        .map((payload) => payload["notification_type"] ?? payload["action"] ?? "asked")
        .toSorted(),
    )
    .toEqual(["accept", "asked", "elicitation_dialog"]);
});

test.each(["decline", "cancel"] as const)("the user says %s, and the server is told", async (action) => {
  expect((await ask(async () => ({ action }), {}, "login")).answer).toEqual({ action });
});

test("an answer that does not fit the form is declined, and that is reported", async () => {
  const { answer, reports } = await ask(async () => ({ action: "accept", content: { name: 3 } }));
  expect(answer).toEqual({ action: "decline" });
  expect(reports).toContainEqual(
    expect.objectContaining({ code: "HL_AGENT_MCP", text: expect.stringContaining("does not fit its form: name") }),
  );
});

test("a hook that answers or declines spares the user; one that says nothing does not", async () => {
  const accept = JSON.stringify({ hookSpecificOutput: { hookEventName: "Elicitation", action: "accept", content: { name: "hook" } } });
  const user: AnswerQuestion = async () => ({ action: "accept", content: { name: "user" } });
  const answered = await ask(user, hooksOn(["Elicitation"], `echo '${accept}'`));
  expect([answered.questions, answered.answer]).toEqual([[], { action: "accept", content: { name: "hook" } }]);
  const declined = await ask(user, hooksOn(["Elicitation"], "exit 2"));
  expect([declined.questions, declined.answer]).toEqual([[], { action: "decline" }]);
  const silent = await ask(user, hooksOn(["Elicitation"], RECORDER));
  expect([silent.questions.length, silent.answer]).toEqual([1, { action: "accept", content: { name: "user" } }]);
});
