/** Tasks through the real program: what hooks may refuse, who is offered what, and what a killed agent leaves behind. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { type AgentLab, type Block, ended, hooksOn, type Json, lines, openAgentLab, RECORDER, say, use } from "./agent-lab.ts";

const TASKS = { CLAUDE_CODE_ENABLE_TASKS: "1" };

interface StoredTask {
  readonly id: string;
  readonly subject: string;
  readonly status: string;
  readonly owner?: string;
  readonly blockedBy: readonly string[];
}

const create = (subject: string): readonly Block[] => [use("TaskCreate", { subject, description: `${subject}, whole` })];
const update = (taskId: string, fields: Json): readonly Block[] => [use("TaskUpdate", { taskId, ...fields })];

/** What tools gave the model, in order. */
function results(stdout: string): readonly string[] {
  const messages = lines(stdout).flatMap((line) => (line["type"] === "user" ? [line["message"] as { content: readonly Json[] }] : []));
  return messages.flatMap(({ content }) => content).flatMap((block) => (block["type"] === "tool_result" ? [textOf(block["content"])] : []));
}

function textOf(content: unknown): string {
  return typeof content === "string" ? content : (content as readonly { text: string }[]).map(({ text }) => text).join("\n");
}

function stored(file: string): readonly StoredTask[] {
  return JSON.parse(readFileSync(file, "utf8")).tasks;
}

function sessionList(lab: AgentLab): readonly StoredTask[] {
  const folder = path.join(lab.home, ".local/state/hookloop/sessions");
  const name = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((one) => path.basename(one) === "tasks.json");
  return name === undefined ? [] : stored(path.join(folder, name));
}

const run = async (lab: AgentLab, turns: readonly (readonly Block[])[], env: Readonly<Record<string, string>> = TASKS) =>
  await lab.play({
    args: ["-p", "go", "--script", lab.script(turns), "--trust-workspace", "--output-format", "stream-json", "--verbose"],
    env,
  });

/** A hook that blocks what its pattern finds in the payload. */
const refuse = (pattern: string): string => `input=$(cat); case "$input" in *"${pattern}"*) echo "not now" >&2; exit 2;; esac`;

test("TaskCreated: a block rolls the task back and gives the model the feedback; others are created", async () => {
  const lab = openAgentLab();
  lab.settings({ hooks: hooksOn(["TaskCreated"], refuse("secret")) });
  const { stdout, exit } = await run(lab, [create("a secret"), create("plain"), [use("TaskList", {})], say("bye")]);
  expect(exit).toBe(0);
  expect(results(stdout)).toEqual(["TaskCreated hook feedback:\nnot now", "Task #2 was created: plain", "[ ] #2 plain\n    plain, whole"]);
  expect(sessionList(lab).map(({ id, subject }) => [id, subject])).toEqual([["2", "plain"]]);
});

test("TaskCompleted: a block keeps the task open with the feedback, and an allow completes it", async () => {
  const lab = openAgentLab();
  lab.settings({ hooks: hooksOn(["TaskCompleted"], refuse("untested")) });
  const { stdout } = await run(lab, [
    create("untested"),
    create("tested"),
    update("1", { status: "in_progress" }),
    update("1", { status: "completed" }),
    update("2", { status: "completed" }),
    say("bye"),
  ]);
  expect(results(stdout).slice(3)).toEqual(["TaskCompleted hook feedback:\nnot now", "Task #2 was updated: completed"]);
  expect(sessionList(lab).map(({ status }) => status)).toEqual(["in_progress", "completed"]);
});

test("TaskCompleted: continue false ends the turn, and the task stays open", async () => {
  const lab = openAgentLab();
  lab.settings({ hooks: hooksOn(["TaskCompleted"], `echo '{"continue": false, "stopReason": "enough"}'`) });
  const { stdout } = await run(lab, [create("one"), update("1", { status: "completed" }), say("never said")]);
  expect(lines(stdout).at(-1)).toMatchObject({ terminal_reason: "hook_stopped" });
  expect(stdout).not.toContain("never said");
  expect(sessionList(lab).map(({ status }) => status)).toEqual(["pending"]);
});

test("payloads have the task; a task of the main agent has no teammate", async () => {
  const lab = openAgentLab();
  lab.settings({ hooks: hooksOn(["TaskCreated", "TaskCompleted"]) });
  await run(lab, [create("one"), update("1", { status: "completed" }), update("1", { status: "completed" }), say("bye")]);
  const known = { task_id: "1", task_subject: "one", task_description: "one, whole" };
  expect(lab.recorded()).toEqual([
    expect.objectContaining({ hook_event_name: "TaskCreated", ...known }),
    expect.objectContaining({ hook_event_name: "TaskCompleted", ...known }),
  ]);
  for (const payload of lab.recorded()) expect(Object.keys(payload)).not.toContain("teammate_name");
});

test.each([
  ["headless", {}, ["TodoWrite"]],
  ["headless with CLAUDE_CODE_ENABLE_TASKS", TASKS, ["SendMessage", "TaskCreate", "TaskList", "TaskUpdate", "Teammate"]],
  ["CLAUDE_CODE_ENABLE_TASKS=false", { CLAUDE_CODE_ENABLE_TASKS: "false" }, ["TodoWrite"]],
])("%s: %j offers %j", async (_, env, names) => {
  const lab = openAgentLab();
  const { stdout } = await run(lab, [say("bye")], env);
  const [init] = lines(stdout);
  const own = ((init?.["tools"] ?? []) as string[]).filter((name) => /^Task|^Todo|Teammate|SendMessage/.test(name));
  expect(own.sort()).toEqual(names);
});

test("/tasks shows the list", async () => {
  const lab = openAgentLab();
  const file = lab.write("tasks.json", {
    version: 1,
    nextId: 3,
    tasks: [
      { id: "1", subject: "one", description: "one", status: "completed", blockedBy: [] },
      { id: "2", subject: "two", description: "two", status: "pending", owner: "tester", blockedBy: ["1"] },
    ],
  });
  const { stdout } = await lab.play({ args: ["-p", "/tasks", "--script", lab.script([])], env: { ...TASKS, HOOKLOOP_TASK_LIST: file } });
  expect(stdout).toBe("[x] #1 one\n[ ] #2 two (tester)\n");
});

test("a damaged list is left as it is and named", async () => {
  const lab = openAgentLab();
  const file = lab.write("tasks.json", '{"version": 1, "nextId": 3, "tas');
  const { stdout } = await run(lab, [create("one"), say("bye")], { ...TASKS, HOOKLOOP_TASK_LIST: file });
  expect(results(stdout)[0]).toContain(`The task list ${file} is not used`);
  expect(readFileSync(file, "utf8")).toBe('{"version": 1, "nextId": 3, "tas');
});

test("kill -9 of one of two agents: the list is whole, and what the dead one worked on can be taken by the other", async () => {
  const lab = openAgentLab();
  const file = path.join(lab.base, "shared.json");
  const env = { ...TASKS, HOOKLOOP_TASK_LIST: file };
  lab.settings({ hooks: hooksOn(["TaskCreated", "TaskCompleted"]) });
  const first = lab.write("first.json", {
    turns: [
      create("one"),
      create("two"),
      update("2", { addBlockedBy: ["1"] }),
      update("1", { status: "in_progress" }),
      [use("Bash", { command: "sleep 60" })],
    ],
  });
  const args = (script: string): readonly string[] => [
    ...["-p", "go", "--script", script, "--trust-workspace"],
    ...["--output-format", "stream-json", "--dangerously-skip-permissions"],
  ];
  const victim = lab.start({ args: args(first), env });
  await until(() => existsSync(file) && stored(file)[0]?.status === "in_progress");
  const second = lab.write("second.json", {
    turns: [
      update("1", { status: "in_progress" }),
      [use("Bash", { command: "touch asked; until [ -e dead ]; do sleep 0.05; done" })],
      [use("TaskList", {})],
      update("1", { status: "in_progress" }),
      update("1", { status: "completed" }),
      update("2", { status: "in_progress" }),
      update("2", { status: "completed" }),
      say("bye"),
    ],
  });
  const other = ended(lab.start({ args: args(second), env }));
  await until(() => lab.read("project/asked") !== undefined);
  victim.kill("SIGKILL");
  await ended(victim);
  lab.write("project/dead", "");
  const { stdout } = await other;
  expect(results(stdout).filter((text) => text !== "(Bash completed with no output)")).toEqual([
    "team-lead works on task 1. Take another one, or ask team-lead.",
    expect.stringMatching(/^\[ \] #1 one\n {4}one, whole\n\[ \] #2 two \(waits for #1\)/),
    "Task #1 was updated: in_progress",
    "Task #1 was updated: completed",
    "Task #2 was updated: in_progress",
    "Task #2 was updated: completed",
  ]);
  expect(stored(file).map(({ status }) => status)).toEqual(["completed", "completed"]);
});

test("kill -9 while hooks are asked about a task: there is no such task, and its id is not used again", async () => {
  const lab = openAgentLab();
  const file = path.join(lab.base, "shared.json");
  const env = { ...TASKS, HOOKLOOP_TASK_LIST: file };
  lab.settings({ hooks: hooksOn(["TaskCreated"], `${RECORDER}; case "$input" in *slow*) sleep 60;; esac`) });
  const victim = lab.start({ args: ["-p", "go", "--script", lab.script([create("slow")]), "--trust-workspace"], env });
  await until(() => lab.recorded().length === 1);
  victim.kill("SIGKILL");
  await ended(victim);
  expect(stored(file)).toEqual([]);
  await run(lab, [create("quick"), say("bye")], env);
  expect(stored(file).map(({ id, subject }) => [id, subject])).toEqual([["2", "quick"]]);
});

test("agents of several processes that write at once lose nothing", async () => {
  const lab = openAgentLab();
  const file = path.join(lab.base, "shared.json");
  const env = { ...TASKS, HOOKLOOP_TASK_LIST: file };
  const script = lab.script(Array.from({ length: 25 }, (_, at) => create(`task ${at}`)));
  const args = ["-p", "go", "--script", script];
  const ends = await Promise.all(Array.from({ length: 3 }, async () => await lab.run({ args, env })));
  expect(ends.map(({ exit }) => exit)).toEqual([0, 0, 0]);
  expect(stored(file).map(({ id }) => Number(id))).toEqual(Array.from({ length: 75 }, (_, at) => at + 1));
});

test("kill -9 at random moments of many agents that write at once leaves a whole list", async () => {
  const lab = openAgentLab();
  const file = path.join(lab.base, "shared.json");
  const env = { ...TASKS, HOOKLOOP_TASK_LIST: file };
  const script = lab.script(Array.from({ length: 40 }, (_, at) => create(`task ${at}`)));
  const agents = Array.from({ length: 4 }, () => lab.start({ args: ["-p", "go", "--script", script], env }));
  const ends = agents.map(ended);
  await until(() => existsSync(file) && stored(file).length > 3);
  for (const agent of agents.slice(0, 3)) {
    await sleep(Math.random() * 60);
    // Whoever reads while others are killed sees a whole list.
    stored(file);
    agent.kill("SIGKILL");
  }
  await Promise.all(ends);
  const tasks = stored(file);
  const ids = tasks.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThanOrEqual(40);
  expect(ids.map(Number)).toEqual(ids.map(Number).toSorted((left, right) => left - right));
});

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (isSo()) return;
    await sleep(25);
  }
  throw new Error("It did not happen within ten seconds.");
}
