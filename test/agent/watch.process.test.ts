/** Why a hook did or did not fire, as the agent shows it; and commands that only look, without a terminal. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { type AgentLab, lines, openAgentLab, say, use } from "./agent-lab.ts";
import { answers, openMessagesServer } from "./messages-server.ts";

const GUARD = 'node "$CLAUDE_PROJECT_DIR"/guard.mjs';
const READS = 'for await (const piece of process.stdin) piece;\nprocess.stderr.write("not here");\nprocess.exit(2);\n';

function guarded(entry: object, hook: object = {}): AgentLab {
  const lab = openAgentLab();
  lab.write("project/guard.mjs", READS);
  lab.settings({ hooks: { PreToolUse: [{ ...entry, hooks: [{ type: "command", command: GUARD, ...hook }] }] } });
  return lab;
}

/** The lines about one event, with times and the way hookloop is called made plain. */
function watched(stderr: string, event = "PreToolUse"): readonly string[] {
  const all = stderr
    .split("\n")
    .filter((line) => line.startsWith("hooks "))
    .map((line) => line.replace(/\b\d+(?:\.\d+)? m?s\b/g, "N ms").replace(/\(\S+ trust review\)/g, "(hookloop trust review)"));
  const from = all.findIndex((line) => line.startsWith(`hooks Getting matching hook commands for ${event}`));
  const to = all.findIndex((line, at) => at > from && line.startsWith("hooks Getting"));
  return from < 0 ? [] : all.slice(from, to < 0 ? undefined : to);
}

const RAN = [
  "hooks     safety had no answer (N ms)",
  "hooks     workspace-boundary had no answer (N ms)",
  "hooks   Verdict of PreToolUse:Bash: no opinion, N ms",
];
const PWD = ["-p", "run pwd", "--allowedTools", "Bash"];

describe("the lines say why a hook did not fire", () => {
  test("its matcher has a typo", async () => {
    const lab = guarded({ matcher: "Bsah" });
    const { stdout, stderr } = await lab.run({ args: PWD, env: { DEBUG: "hooks" } });
    expect(stdout).toContain("`pwd` printed:");
    expect(stdout).not.toContain("hooks ");
    expect(watched(stderr)).toEqual([
      "hooks Getting matching hook commands for PreToolUse with query: Bash",
      "hooks   Found 3 hook matchers",
      "hooks   Matched 2: safety, workspace-boundary",
      'hooks     guard.mjs does not run: the matcher "Bsah" does not match "Bash". Did you mean "Bash"? Besides, it is not approved (hookloop trust review) (.claude/settings.json:1:52)',
      ...RAN,
    ]);
  });

  test.each<readonly [string, object, object, readonly string[], Readonly<Record<string, string>>, string]>([
    [
      "its matcher has a typo, and it is trusted",
      { matcher: "Bsah" },
      {},
      ["--trust-workspace"],
      {},
      'the matcher "Bsah" does not match "Bash". Did you mean "Bash"?',
    ],
    ["it is for another tool", { matcher: "Edit" }, {}, ["--trust-workspace"], {}, 'the matcher "Edit" does not match "Bash"'],
    [
      "its condition does not hold",
      { matcher: "Bash" },
      { if: "Bash(git *)" },
      ["--trust-workspace"],
      {},
      'the condition "Bash(git *)" does not match',
    ],
    [
      "it is off",
      { matcher: "Bash" },
      {},
      ["--trust-workspace"],
      { HOOKLOOP_DISABLE: "guard.mjs" },
      "it is switched off: The variable HOOKLOOP_DISABLE names this hook. Remove it from the list.",
    ],
    ["hooks of the project are off", { matcher: "Bash" }, {}, ["--no-project-hooks"], {}, "hooks of the project are off for this run"],
  ])("%s", async (_, entry, hook, args, env, why) => {
    const { stderr } = await guarded(entry, hook).play({ args: [...PWD, ...args, "--verbose"], env });
    const [line = ""] = watched(stderr).filter((one) => one.includes("does not run"));
    expect(line.replace(/ \(\.claude\/settings\.json:1:\d+\)$/, "").replace(/ \(\/.*settings\.json:1:\d+\)$/, "")).toBe(
      `hooks     guard.mjs does not run: ${why}`,
    );
  });

  test("it is not approved: in the words of Claude Code, and how to approve it", async () => {
    const { stderr } = await guarded({ matcher: "Bash" }).run({ args: [...PWD, "--verbose"] });
    expect(watched(stderr)).toEqual([
      "hooks Getting matching hook commands for PreToolUse with query: Bash",
      "hooks   Found 3 hook matchers",
      "hooks   Matched 2: safety, workspace-boundary",
      "hooks   Skipping PreToolUse:Bash hook execution - workspace trust not accepted",
      "hooks     guard.mjs does not run: it is not approved (hookloop trust review) (.claude/settings.json:1:52)",
      ...RAN,
    ]);
  });

  test("an event that no hook is for is shown as well", async () => {
    const { stderr } = await openAgentLab().play({ args: PWD, env: { DEBUG: "app,hooks" } });
    expect(watched(stderr, "Stop")).toEqual(["hooks Getting matching hook commands for Stop", "hooks   Found 0 hook matchers"]);
  });
});

test("what a hook answered stands below the event, with its verdict", async () => {
  const { stderr } = await guarded({ matcher: "Bash" }).play({ args: [...PWD, "--trust-workspace"], env: { DEBUG: "*" } });
  expect(watched(stderr)).toEqual([
    "hooks Getting matching hook commands for PreToolUse with query: Bash",
    "hooks   Found 3 hook matchers",
    "hooks   Matched 3: guard.mjs, safety, workspace-boundary",
    ...RAN.slice(0, 2),
    "hooks     guard.mjs denied: not here (exit 2, N ms)",
    "hooks   Verdict of PreToolUse:Bash: deny by guard.mjs, N ms",
  ]);
});

test("without being asked for, none of it is shown, and events without hooks are in no trace", async () => {
  const lab = openAgentLab();
  const { stderr } = await lab.run({ args: PWD, env: { DEBUG: "app" } });
  expect(stderr).not.toContain("hooks ");
  const events = lines(lab.read(lab.stateFiles("traces")[0]?.slice(lab.base.length + 1) ?? "")).map(({ event }) => event);
  expect([events.includes("PreToolUse"), events.includes("Stop")]).toEqual([true, false]);
});

test("in a stream it is on stderr, and stdout stays the protocol; as JSON each line is a record", async () => {
  const args = [...PWD, "--trust-workspace", "--output-format", "stream-json", "--verbose"];
  const { stdout, stderr } = await guarded({ matcher: "Bash" }).run({ args, env: { DEBUG_FORMAT: "json" } });
  expect(lines(stdout).map(({ type }) => type)).toContain("result");
  const records = lines(
    stderr
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .join("\n"),
  );
  expect(records.map(({ type, event }) => [type, event])).toContainEqual(["considered", "PreToolUse"]);
});

test("secrets are not shown", async () => {
  const lab = guarded({ matcher: "Bash" });
  lab.write("project/guard.mjs", READS.replace("not here", "the token is sesame-open-sesame-42"));
  const { stderr } = await lab.play({ args: [...PWD, "--trust-workspace"], env: { DEBUG: "hooks", MY_TOKEN: "sesame-open-sesame-42" } });
  expect(watched(stderr).join("\n")).toContain("guard.mjs denied: the token is [redacted]");
});

describe("a command that only looks needs no terminal, no model and no turn", () => {
  test.each([
    [
      ["/debug hooks"],
      /^PreToolUse\n(?:.*\n)* {2}3\. ✗ guard\.mjs {2}matcher Bash\n {4}\.claude\/settings\.json:1:52 \(project\)\n {4}will not run: .* not trusted .*\n3 hooks, 1 will not run\.\n$/,
    ],
    [["/debug", "hooks"], /3 hooks, 1 will not run\.\n$/],
    [["-p", "/hooks"], /^PreToolUse\n(?:.*\n)* {2}✗ guard\.mjs {2}matcher Bash\n/],
    [["-p", "/hooks guard.mjs"], /^guard\.mjs {2}PreToolUse\n {4}runs: node "\$CLAUDE_PROJECT_DIR"\/guard\.mjs\n {4}matcher: Bash\n/],
    [["-p", "/hooks gaurd.mjs"], /^There is no hook "gaurd\.mjs"\. Did you mean "guard\.mjs"\?\n$/],
    [["-p", "/permissions"], /^Mode: default\./],
    [["-p", "/why"], /^Nothing has been decided/],
    [["-p", "/help"], /^\/help +this list\n\/hooks/],
  ] as const)("%j", async (args, page) => {
    const lab = guarded({ matcher: "Bash" });
    const { exit, stdout, stderr } = await lab.run({ args, env: { LC_ALL: "C.UTF-8", MODEL_ID: "no-such-model" } });
    expect([exit, stderr.includes("offline model")]).toEqual([0, false]);
    expect(stdout).toMatch(page);
  });

  test("for programs it is data, and no event is fired for it", async () => {
    const lab = guarded({ matcher: "Bash" });
    const args = ["-p", "/hooks", "--trust-workspace", "--verbose"];
    const json = await lab.run({ args: [...args, "--output-format", "json"] });
    const row = { event: "PreToolUse", order: 1, name: "guard.mjs", runs: GUARD, matcher: "Bash", willRun: true };
    expect(JSON.parse(json.stdout)).toMatchObject({ is_error: false, hooks: expect.arrayContaining([expect.objectContaining(row)]) });
    expect(json.stderr).not.toContain("Getting matching");
    const stream = await lab.run({ args: [...args, "--output-format", "stream-json"] });
    expect(lines(stream.stdout).at(-1)).toMatchObject({ type: "result", hooks: expect.arrayContaining([expect.objectContaining(row)]) });
  });

  test("it works where a changed gate keeps the agent from starting, and runs nothing", async () => {
    const lab = guarded({ matcher: "Bash" });
    const listed = JSON.parse(await lab.command(["trust", "--json"]));
    await lab.command(["trust", "approve", JSON.stringify(listed).match(/project:PreToolUse:[0-9a-f]{10}/)?.[0] ?? ""]);
    lab.write("project/guard.mjs", `${READS}// changed\n`);
    expect((await lab.run({ args: PWD })).exit).toBe(1);
    const { exit, stdout } = await lab.run({ args: ["-p", "/hooks"] });
    expect([exit, stdout]).toEqual([0, expect.stringContaining("1 blocks what it matches.")]);
  });

  test("between prompts of a stream /why explains what was decided", async () => {
    const lab = guarded({ matcher: "Bash" });
    const prompt = (content: string): string => JSON.stringify({ type: "user", message: { role: "user", content } });
    const script = lab.script([[use("Bash", { command: "pwd" })], say("done")]);
    const args = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--script", script, "--trust-workspace"];
    const { stdout } = await lab.run({ args, input: `${prompt("go")}\n${prompt("/why")}\n` });
    expect(lines(stdout).at(-1)).toMatchObject({ type: "result", result: expect.stringContaining("guard.mjs denied: not here") });
  });

  test("several words that are no command are still refused", async () => {
    const { exit, stderr } = await openAgentLab().run({ args: ["run", "pwd"] });
    expect([exit, stderr]).toEqual([2, expect.stringContaining('Put the prompt in quotes: "run pwd".')]);
  });
});

test("a hook that ends the agent's work is told once", async () => {
  const lab = openAgentLab();
  const command = `cat > /dev/null; echo '{"continue": false, "stopReason": "enough for today"}'`;
  lab.settings({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command, name: "ender" }] }] } });
  const { stderr } = await lab.play({ args: [...PWD, "--trust-workspace"] });
  expect(stderr.split("enough for today")).toHaveLength(2);
  expect(stderr.split("HOOKLOOP_DISABLE=")).toHaveLength(2);
});

test.each([
  ["HOOKLOOP_DISABLE", "safty", "safety"],
  ["CLAUDE_CODE_DISABLE_HOOKS", "guard", "guard.mjs"],
])("%s=%s names no hook: that is said once, with the nearest name", async (variable, name, meant) => {
  const { stderr } = await guarded({ matcher: "Bash" }).play({ args: PWD, env: { [variable]: `${name},safety_checks` } });
  const said = stderr.split("\n").filter((line) => line.startsWith("HL_ADMIT_UNKNOWN_NAME"));
  expect(said).toEqual([`HL_ADMIT_UNKNOWN_NAME: ${variable} names no hook: "${name}" switches nothing off. Did you mean "${meant}"?`]);
});

describe("a model server of the user's own", () => {
  test("is asked without a key", async () => {
    const server = await openMessagesServer([answers({ type: "text", text: "from the local server" })]);
    const { ANTHROPIC_BASE_URL = "" } = server.env;
    const { stdout, stderr } = await openAgentLab().run({ args: ["-p", "hello"], env: { ANTHROPIC_BASE_URL } });
    expect([stdout, stderr, server.requests.length]).toEqual(["from the local server\n", "", 1]);
  });

  test("gets no key and no header of authentication", async () => {
    const headers: (readonly string[])[] = [];
    const server = createServer((request, response) => {
      headers.push(Object.keys(request.headers));
      response.writeHead(404).end("{}");
    });
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    await openAgentLab().run({ args: ["-p", "hello"], env: { ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` } });
    expect(headers.length).toBeGreaterThan(0);
    expect(headers.flat().filter((name) => /auth|key/.test(name))).toEqual([]);
  });

  test("is not taken from the .env of a project that is not trusted", async () => {
    const server = await openMessagesServer([answers({ type: "text", text: "from elsewhere" })]);
    const lab = openAgentLab();
    lab.write("project/.env", `ANTHROPIC_BASE_URL=${server.env["ANTHROPIC_BASE_URL"]}\n`);
    const { stdout, stderr } = await lab.run({ args: PWD });
    expect([stdout, server.requests.length]).toEqual([expect.stringContaining("`pwd` printed:"), 0]);
    expect(stderr.split("offline model answers")).toHaveLength(2);
  });
});
