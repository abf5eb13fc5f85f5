/** What an agent may run is decided by a person: neither its tools nor its hooks approve, refuse or take back, whatever they do it with. */
import { execFileSync, spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { type AgentLab, openAgentLab, PROGRAM, say, use } from "../agent/agent-lab.ts";

const HAS_PROC = process.platform === "linux";
const GUARD = { matcher: "Bash", hooks: [{ type: "command", command: "grep -q pwned && exit 2; exit 0" }] };
const SNEAKY = { hooks: [{ type: "command", command: "touch sneaky-ran" }] };

type Person = (...args: readonly string[]) => string;

/** A project with an approved guard and a hook that nobody has approved; `person` runs hookloop in a terminal of its own. */
function openLab(): AgentLab & { readonly person: Person; readonly guard: string; readonly sneaky: string } {
  const lab = openAgentLab();
  lab.settings({ hooks: { PreToolUse: [GUARD], SessionStart: [SNEAKY] } });
  const env = { PATH: process.env["PATH"] ?? "", HOME: lab.home };
  const person: Person = (...args) => execFileSync(process.execPath, [PROGRAM, ...args], { cwd: lab.project, env, encoding: "utf8" });
  const ids = (JSON.parse(person("trust", "--json")) as readonly { id: string }[]).map(({ id }) => id);
  const idOf = (event: string): string => ids.find((id) => id.includes(event)) ?? "";
  const guard = idOf("PreToolUse");
  person("trust", "approve", guard);
  return { ...lab, person, guard, sneaky: idOf("SessionStart") };
}

const store = (lab: AgentLab): string | undefined => lab.read("home/.local/state/hookloop/trust.json");

async function bash(lab: AgentLab, command: string): Promise<string> {
  const script = lab.script([[use("Bash", { command })], say("END")]);
  const { stdout, stderr } = await lab.run({
    args: ["-p", "go", "--script", script, "--allowedTools", "Bash", "--output-format", "stream-json"],
  });
  return stdout + stderr;
}

test("the agent's Bash tool is not allowed to run hookloop's commands that decide about trust", async () => {
  const lab = openLab();
  const before = store(lab);
  for (const [verb, id] of [
    ["approve", lab.sneaky],
    ["revoke", lab.guard],
  ])
    expect(await bash(lab, `${process.execPath} ${PROGRAM} trust ${verb} ${id}`)).toContain("trust store");
  expect(store(lab)).toBe(before);
  await bash(lab, "touch pwned");
  expect([lab.read("project/pwned"), lab.read("project/sneaky-ran")]).toEqual([undefined, undefined]);
});

/** Scripts that a command line cannot be seen to run hookloop with. */
const SCRIPTS: Readonly<Record<string, string>> = {
  "as it is": "@@",
  "without the variables of the session": "env -u HOOKLOOP_RUN -u HOOKLOOP_SESSION_ID @@",
  "with no variable at all": 'env -i HOME="$HOME" PATH="$PATH" @@',
  "in a process session of its own": 'setsid -w env -i HOME="$HOME" PATH="$PATH" @@',
  "left running by its parent": '(env -i HOME="$HOME" PATH="$PATH" @@ &) ; sleep 3',
};

test.runIf(HAS_PROC).each(Object.entries(SCRIPTS))(
  "a script of the project that runs it (%s) is refused, and says where to do it",
  async (_, text) => {
    const lab = openLab();
    const before = store(lab);
    lab.write("project/x.sh", text.replace("@@", `${process.execPath} ${PROGRAM} trust approve ${lab.sneaky}`));
    const said = await bash(lab, "sh x.sh");
    expect(said).toContain("HL_TRUST_OF_AGENT");
    expect(said).toContain("in your own terminal");
    expect(store(lab)).toBe(before);
  },
);

test.runIf(HAS_PROC)("a hook cannot approve another one", async () => {
  const lab = openLab();
  const command = `env -i HOME="$HOME" ${process.execPath} ${PROGRAM} trust approve ${lab.sneaky} 2> said`;
  lab.write("home/.claude/settings.json", { hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command }] }] } });
  await lab.run({ args: ["-p", "go", "--script", lab.script([say("END")])] });
  expect(lab.read("project/said")).toContain("HL_TRUST_OF_AGENT");
  expect(store(lab)).not.toContain(`"id": "${lab.sneaky}"`);
});

test.runIf(HAS_PROC)("a program of the agent that opens hooks itself approves nothing that lasts", async () => {
  const lab = openLab();
  const before = store(lab);
  const index = path.resolve(path.dirname(PROGRAM), "../dist/index.js");
  const review = "review: (all) => all.map(({ hook, digest }) => ({ id: hook.id, digest, decision: 'approve' }))";
  lab.write(
    "project/open.mjs",
    `import { openHooks } from ${JSON.stringify(index)}; await (await openHooks({ cwd: process.cwd(), trust: { ${review} } })).close();`,
  );
  expect(await bash(lab, `${process.execPath} open.mjs`)).toContain("HL_TRUST_STORE_WRITE");
  expect(store(lab)).toBe(before);
  // The same program, started by a person, may.
  spawnSync(process.execPath, ["open.mjs"], { cwd: lab.project, env: { PATH: process.env["PATH"] ?? "", HOME: lab.home } });
  expect(store(lab)).not.toBe(before);
});

test("while an agent runs, a person approves in another terminal", async () => {
  const lab = openLab();
  const running = bash(lab, "for i in $(seq 100); do test -e done && break; sleep 0.1; done; cat done");
  await expect.poll(() => lab.stateFiles("sessions").length, { timeout: 20_000 }).toBeGreaterThan(0);
  expect(lab.person("trust", "approve", lab.sneaky)).toContain("Approved");
  lab.write("project/done", "yes");
  await running;
});
