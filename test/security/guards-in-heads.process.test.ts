/** Guards in the heads of skills, agents and commands: whoever starts a session, resumes it or brings a head of the same name, they stay in force. */
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { type AgentLab, type Ended, openAgentLab, PROGRAM, type RunOptions, say, use } from "../agent/agent-lab.ts";

const GUARD = 'case "$(cat)" in *FORBIDDEN*) echo guarded >&2; exit 2;; esac';

function head(name: string, command: string | undefined = GUARD): string {
  const hooks = `hooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: ${JSON.stringify(command)}\n`;
  return `---\nname: ${name}\ndescription: d\n${hooks}---\nBe careful.\n`;
}

const PLAIN = (name: string): string => `---\nname: ${name}\ndescription: d\n---\nHello.\n`;
const FORBIDDEN = use("Bash", { command: "echo FORBIDDEN > ran" });

async function trust(lab: AgentLab, ...args: readonly string[]): Promise<string> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: lab.home, TERM: "dumb" };
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, "trust", ...args], { cwd: lab.project, env });
  return stdout;
}

interface Listed {
  readonly id: string;
  readonly file: string;
  readonly state: string;
}

async function approveAll(lab: AgentLab): Promise<readonly Listed[]> {
  const listed = JSON.parse(await trust(lab, "--json")) as readonly Listed[];
  for (const { id } of listed) await trust(lab, "approve", id);
  return listed;
}

async function turns(
  lab: AgentLab,
  blocks: readonly Parameters<AgentLab["script"]>[0][number][],
  options: RunOptions = {},
): Promise<Ended> {
  const script = lab.script([...blocks, say("done")]);
  const args = ["--script", script, "--allowedTools", "Bash,Skill,Agent", ...(options.args ?? ["-p", "go"])];
  return await lab.run({ ...options, args });
}

const ran = (lab: AgentLab): boolean => lab.read("project/ran") !== undefined;

describe("hooks of heads are listed by trust, and can be approved there", () => {
  test.each([
    ["a skill", "skills/safe/SKILL.md"],
    ["an agent", "agents/zed.md"],
    ["a command", "commands/go.md"],
  ])("%s", async (_name, file) => {
    const lab = openAgentLab();
    lab.write(`project/.claude/${file}`, head("safe"));
    lab.write(`home/.claude/${file}`, head("other"));
    const listed = await approveAll(lab);
    expect(listed.map((one) => one.file).sort()).toEqual([path.join(lab.home, ".claude", file), path.join(lab.project, ".claude", file)]);
    const now = JSON.parse(await trust(lab, "--json")) as readonly Listed[];
    expect(now.map(({ state }) => state)).toEqual(["trusted", "trusted"]);
  });
});

describe("a head of the same name that a project brings", () => {
  const CASES = [
    ["a skill", "skills/safe/SKILL.md", use("Skill", { skill: "safe" }), undefined],
    ["a skill for a command", "commands/safe.md", undefined, "skills/safe/SKILL.md"],
    ["a skill whose folder has another name", "skills/safe/SKILL.md", use("Skill", { skill: "safe" }), "skills/other/SKILL.md"],
    ["a command", "commands/safe.md", undefined, undefined],
    ["a subagent", "agents/safe.md", use("Agent", { prompt: "p", description: "d", subagent_type: "safe" }), undefined],
  ] as const;

  test.each(CASES)("%s: the approved guard of the user's stays in force, and it is said", async (_name, file, call, other) => {
    const lab = openAgentLab();
    lab.write(`home/.claude/${file}`, head("safe"));
    await approveAll(lab);
    lab.write(`project/.claude/${other ?? file}`, PLAIN("safe"));
    const { stderr } = await turns(lab, [...(call ? [[call]] : []), [FORBIDDEN]], call ? {} : { args: ["-p", "/safe"] });
    expect(ran(lab)).toBe(false);
    expect(stderr).toContain(path.join(lab.home, ".claude", file));
  });
});

test("a gate in an agent's head that was approved and is gone blocks what it matched", async () => {
  const lab = openAgentLab();
  lab.write("project/.claude/agents/zed.md", head("zed"));
  await approveAll(lab);
  lab.write("project/.claude/agents/zed.md", PLAIN("zed"));
  await turns(lab, [[use("Agent", { prompt: "p", description: "d", subagent_type: "zed" })], [FORBIDDEN]]);
  expect(ran(lab)).toBe(false);
});

describe("a session that is resumed", () => {
  const ID = "11111111-1111-4111-8111-111111111111";

  const begun = async (file: string, first: "model" | "user"): Promise<AgentLab> => {
    const lab = openAgentLab();
    lab.write(`project/.claude/${file}`, head("safe"));
    await approveAll(lab);
    const blocks = first === "model" ? [[use("Skill", { skill: "safe" })]] : [];
    await turns(lab, blocks, { args: ["-p", first === "model" ? "go" : "/safe", "--session-id", ID] });
    return lab;
  };

  test.each([
    ["a skill that the model used", "skills/safe/SKILL.md", "model", ["--resume", ID]],
    ["a skill that the user typed", "skills/safe/SKILL.md", "user", ["--continue"]],
    ["a command", "commands/safe.md", "user", ["--resume", ID]],
  ] as const)("has the guards of %s again", async (_name, file, first, flags) => {
    const lab = await begun(file, first);
    const { stdout, stderr } = await turns(lab, [[FORBIDDEN]], { args: ["-p", "go", ...flags] });
    expect([ran(lab), stdout, stderr]).toEqual([false, "done\n", expect.stringContaining("guarded")]);
  });

  test("does not start if the file with the guards is gone", async () => {
    const lab = await begun("skills/safe/SKILL.md", "model");
    rmSync(path.join(lab.project, ".claude/skills"), { recursive: true });
    for (const flags of [[], ["--trust-workspace"]]) {
      const { exit, stderr } = await turns(lab, [[FORBIDDEN]], { args: ["-p", "go", "--resume", ID, ...flags] });
      expect([exit, ran(lab)]).toEqual([1, false]);
      expect(stderr).toContain("SKILL.md");
    }
  });
});

describe("a session that is started as an agent", () => {
  test("has the guards of that agent's head", async () => {
    const lab = openAgentLab();
    lab.write("project/.claude/agents/zed.md", head("zed"));
    await turns(lab, [[FORBIDDEN]], { args: ["-p", "go", "--agent", "zed", "--trust-workspace"] });
    expect(ran(lab)).toBe(false);
  });

  test("does not start with --require-hooks if they may not run", async () => {
    const lab = openAgentLab();
    lab.write("project/.claude/agents/zed.md", head("zed"));
    const { exit, stderr } = await turns(lab, [[FORBIDDEN]], { args: ["-p", "go", "--agent", "zed", "--require-hooks"] });
    expect([exit, ran(lab)]).toEqual([1, false]);
    expect(stderr).toContain("zed.md");
  });
});

test.each([
  ["a skill", "skills/safe/SKILL.md", [use("Skill", { skill: "safe" })], "go"],
  ["a subagent", "agents/safe.md", [use("Agent", { prompt: "p", description: "d", subagent_type: "safe" })], "go"],
  ["a command", "commands/safe.md", [], "/safe"],
] as const)("with --require-hooks %s whose guards may not run is not used", async (_name, file, call, prompt) => {
  const lab = openAgentLab();
  lab.write(`project/.claude/${file}`, head("safe"));
  const { stdout, stderr } = await turns(lab, call.length > 0 ? [call] : [], {
    args: ["-p", prompt, "--require-hooks", "--output-format", "stream-json"],
  });
  expect(`${stdout}${stderr}`).toContain("--require-hooks");
});

test("hooks in the head of a command are in force from then on", async () => {
  const lab = openAgentLab();
  lab.write("project/.claude/commands/go.md", head("go"));
  await turns(lab, [[FORBIDDEN]], { args: ["-p", "/go", "--trust-workspace"] });
  expect(ran(lab)).toBe(false);
});
