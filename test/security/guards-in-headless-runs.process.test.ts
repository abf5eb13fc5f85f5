/** Where there is no user to ask, an approved gate that is not what was approved keeps the run from starting; let in all the same, it blocks. */
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openHooks } from "../../packages/hookloop/src/open.ts";
import type { Approval, PendingHook } from "../../packages/hookloop/src/trust/types.ts";
import { type AgentLab, hooksOn, lines, openAgentLab, say, use } from "../agent/agent-lab.ts";
import { answers, openMessagesServer } from "../agent/messages-server.ts";
import { hasTmux, openRoom } from "../agent/open-terminal.ts";

const SETTINGS = "project/.claude/settings.json";
const STORE = "home/.local/state/hookloop/trust.json";
const GUARD = 'bash "$CLAUDE_PROJECT_DIR"/guard.sh';

/** A project whose guard was approved and allows everything; a SessionStart hook leaves a mark, too. */
async function openApproved(...events: readonly string[]): Promise<AgentLab> {
  const lab = openAgentLab();
  lab.write("project/guard.sh", "cat >/dev/null\n");
  const guarded = events.length === 0 ? ["PreToolUse"] : events;
  lab.settings({ hooks: { ...hooksOn(guarded, GUARD), ...hooksOn(["SessionStart"], 'touch "$CLAUDE_PROJECT_DIR"/started') } });
  lab.script([[use("Bash", { command: "touch ran" })], say("ok")]);
  // The store of the program that is started below; three starts less for each test.
  const review = async (all: readonly PendingHook[]): Promise<readonly Approval[]> =>
    all.map(({ hook, digest }) => ({ id: hook.id, digest }));
  const ports = { home: lab.home, env: { PATH: process.env["PATH"] ?? "", HOME: lab.home }, managedRoot: path.join(lab.base, "managed") };
  await (
    await openHooks({ cwd: lab.project, sources: ["user", "project", "local", "plugin"], trust: { review }, ports, onDiagnostic: () => {} })
  ).close();
  return lab;
}

const argsOf = (lab: AgentLab, ...more: readonly string[]): { readonly args: readonly string[] } => ({
  args: ["-p", "go", "--allowedTools", "Bash", "--script", path.join(lab.base, "script.json"), ...more],
});
const marks = (lab: AgentLab): readonly string[] => ["ran", "started"].filter((name) => existsSync(path.join(lab.project, name)));
const at = (lab: AgentLab, name: string): string => path.join(lab.base, name);

const TAMPERINGS: Readonly<Record<string, (lab: AgentLab, event: string) => void>> = {
  "a byte in its script": (lab) => appendFileSync(at(lab, "project/guard.sh"), "#\n"),
  "its script gone": (lab) => rmSync(at(lab, "project/guard.sh")),
  "its script a link": (lab) => {
    rmSync(at(lab, "project/guard.sh"));
    symlinkSync("/dev/null", at(lab, "project/guard.sh"));
  },
  "its entry changed": (lab, event) => lab.settings({ hooks: hooksOn([event], "true") }),
  "its entry under another event": (lab) => lab.settings({ hooks: hooksOn(["Notification"], GUARD) }),
  "its entry removed": (lab) => lab.settings({}),
  "its file removed": (lab) => rmSync(at(lab, SETTINGS)),
  "its file broken": (lab) => writeFileSync(at(lab, SETTINGS), "{ nope"),
  "its file a folder": (lab) => {
    rmSync(at(lab, SETTINGS));
    mkdirSync(at(lab, SETTINGS));
  },
  "its file a pipe": (lab) => {
    rmSync(at(lab, SETTINGS));
    spawnSync("mkfifo", [at(lab, SETTINGS)]);
  },
  "hooks switched off in its file": (lab, event) => lab.settings({ hooks: hooksOn([event], GUARD), disableAllHooks: true }),
  "the store damaged": (lab) => writeFileSync(at(lab, STORE), "{ nope"),
  "the store cut off": (lab) => truncateSync(at(lab, STORE), 400),
  "the store a folder": (lab) => {
    rmSync(at(lab, STORE));
    mkdirSync(at(lab, STORE));
  },
  "the store open to others": (lab) => chmodSync(at(lab, STORE), 0o622),
};

describe("a headless run", () => {
  test("with the gate as it was approved does its work", async () => {
    const lab = await openApproved();
    expect(await lab.play(argsOf(lab))).toMatchObject({ exit: 0, stdout: "ok\n" });
    expect(marks(lab)).toEqual(["ran", "started"]);
  });

  // Every event with every tampering is in the test of the engine; here each tampering meets one of the events that a plain run fires.
  const EVENTS = ["PreToolUse", "UserPromptSubmit", "PreModelRequest"];
  const rows = Object.entries(TAMPERINGS).map(([name, tamper], index) => [name, EVENTS[index % EVENTS.length] ?? "", tamper] as const);

  test.each(rows)("%s (%s): nothing is started, exit 1", async (_name, event, tamper) => {
    const lab = await openApproved(event);
    tamper(lab, event);
    const stopped = await lab.play(argsOf(lab));
    expect([stopped.exit, stopped.stdout, marks(lab)]).toEqual([1, "", []]);
    expect(stopped.stderr).toMatch(/^HL_TRUST_GATE_WITHHELD: .*nothing was started[\s\S]*hookloop trust[\s\S]*--allow-changed-hooks/m);
  });

  // That the gate blocks after each of the tamperings is in the test of the engine, too.
  test.each(EVENTS)("let in all the same, the gate of %s blocks", async (event) => {
    const lab = await openApproved(event);
    appendFileSync(at(lab, "project/guard.sh"), "#\n");
    const allowed = await lab.play(argsOf(lab, "--allow-changed-hooks"));
    expect(marks(lab)).not.toContain("ran");
    expect(allowed.stderr).not.toContain("HL_TRUST_GATE_WITHHELD");
  });

  test("does not start without gates of events that could not block by themselves", async () => {
    const events = ["Stop", "SubagentStop", "TaskCompleted"];
    const lab = await openApproved(...events);
    appendFileSync(at(lab, "project/guard.sh"), "#\n");
    const { exit, stderr } = await lab.play(argsOf(lab));
    expect([exit, marks(lab)]).toEqual([1, []]);
    for (const event of events) expect(stderr).toMatch(new RegExp(`HL_TRUST_GATE_WITHHELD[\\s\\S]* project:${event}:`));
  });

  test("does not start with a plugin whose folder was replaced by a link, and says which gate is gone", async () => {
    const lab = openAgentLab();
    lab.write("project/plug/.claude-plugin/plugin.json", { name: "plug" });
    lab.write("project/plug/hooks/hooks.json", { hooks: hooksOn(["PreToolUse"], 'bash "${CLAUDE_PLUGIN_ROOT}"/g.sh') });
    lab.write("project/plug/g.sh", "cat >/dev/null\n");
    lab.write("project/q/README.md", "x");
    lab.script([[use("Bash", { command: "touch ran" })], say("ok")]);
    const given = ["--plugin-dir", "plug"];
    const [gate] = JSON.parse(await lab.command(["trust", "--json", ...given])) as readonly { readonly id: string }[];
    await lab.command(["trust", "approve", gate?.id ?? "", ...given]);
    expect((await lab.play(argsOf(lab, ...given))).exit).toBe(0);
    rmSync(at(lab, "project/ran"));
    rmSync(at(lab, "project/plug"), { recursive: true });
    symlinkSync("q", at(lab, "project/plug"));
    for (const flags of [[], ["--require-hooks"]])
      expect([flags, (await lab.play(argsOf(lab, ...given, ...flags))).exit, marks(lab)]).toEqual([flags, 1, []]);
    expect(JSON.parse(await lab.command(["trust", "--json", ...given]))).toMatchObject([{ id: gate?.id, state: "removed", blocks: true }]);
  });

  test("shows the change, asks no model and says the same in the stream", async () => {
    const lab = await openApproved();
    appendFileSync(at(lab, "project/guard.sh"), "exit 0 # let everything pass\n");
    const server = await openMessagesServer([answers({ type: "text", text: "hi" })]);
    const { exit, stderr } = await lab.play({ args: ["-p", "go"], env: server.env });
    expect({ exit, asked: server.requests.length, marks: marks(lab) }).toEqual({ exit: 1, asked: 0, marks: [] });
    expect(stderr).toContain("+ exit 0 # let everything pass");
    const stream = await lab.play(argsOf(lab, "--output-format", "stream-json", "--allow-changed-hooks"));
    expect(lines(stream.stdout)[0]).toMatchObject({ subtype: "init", refused_hooks: [{ reason: "changed", blocks: true }] });
    expect(existsSync(path.join(lab.project, "ran"))).toBe(false);
  });

  test("starts again after a review, after the change is undone, and after the approval is taken back", async () => {
    const lab = await openApproved();
    const text = "cat >/dev/null\n";
    appendFileSync(at(lab, "project/guard.sh"), "#\n");
    expect((await lab.play(argsOf(lab))).exit).toBe(1);
    lab.write("project/guard.sh", text);
    expect((await lab.play(argsOf(lab))).exit).toBe(0);
    appendFileSync(at(lab, "project/guard.sh"), "#\n");
    const gate = async (): Promise<{ readonly id: string; readonly state: string; readonly blocks?: boolean }> =>
      JSON.parse(await lab.command(["trust", "--json"])).find(({ event }: { event: string }) => event === "PreToolUse");
    expect(await gate()).toMatchObject({ state: "changed", runs: false, blocks: true });
    expect(await lab.command(["trust"])).toMatch(/PreToolUse\S*\s+changed\s+blocks/);
    await lab.command(["trust", "approve", (await gate()).id]);
    expect((await lab.play(argsOf(lab))).exit).toBe(0);
    lab.settings({ hooks: hooksOn(["SessionStart"], 'touch "$CLAUDE_PROJECT_DIR"/started') });
    expect(await gate()).toMatchObject({ state: "removed", runs: false, blocks: true });
    expect((await lab.play(argsOf(lab))).exit).toBe(1);
    expect(await lab.command(["trust", "revoke", (await gate()).id])).toContain("forgotten");
    expect((await lab.play(argsOf(lab))).exit).toBe(0);
  });

  test.each([
    ["nothing was ever approved", [], (lab: AgentLab) => rmSync(path.dirname(at(lab, STORE)), { recursive: true })],
    ["hooks of the project are off", ["--no-project-hooks"], () => {}],
    ["the workspace is trusted", ["--trust-workspace"], () => {}],
    [
      "only what watches has changed",
      [],
      (lab: AgentLab) => lab.settings({ hooks: { ...hooksOn(["PreToolUse"], GUARD), ...hooksOn(["SessionStart"], "true") } }),
    ],
  ])("starts where %s", async (name, flags, prepare) => {
    const lab = await openApproved();
    if (name !== "only what watches has changed") appendFileSync(at(lab, "project/guard.sh"), "#\n");
    prepare(lab);
    expect(await lab.play(argsOf(lab, ...flags))).toMatchObject({ exit: 0, stdout: "ok\n" });
  });

  test("does not start with settings that were asked for and cannot be read", async () => {
    const lab = openAgentLab();
    lab.script([[use("Bash", { command: "touch ran" })], say("ok")]);
    lab.write("project/run.json", '{"hooks": {"PreToolUse": [');
    mkdirSync(at(lab, "project/folder.json"));
    for (const settings of ["run.json", "folder.json", '{"hooks": {'])
      expect([settings, (await lab.play(argsOf(lab, "--settings", settings))).exit, marks(lab)]).toEqual([settings, 1, []]);
  });
});

describe.skipIf(!hasTmux)("in a conversation", () => {
  test("a changed gate is shown and asked about; left as it is, it blocks; approved, it runs", async () => {
    const room = openRoom();
    room.write("guard.sh", "cat >/dev/null\n");
    room.write(".claude/settings.json", { hooks: hooksOn(["PreToolUse"], GUARD) });
    const args = ["--allowedTools", "Bash"];
    const first = await room.start({ args });
    await first.shows("Approve it?");
    first.say("y");
    await first.shows(/hooks? · ~/);
    first.press("C-d");
    await first.shows("[left with 0]");
    room.write("guard.sh", "cat >/dev/null\ntrue # changed\n");
    const second = await room.start({ args });
    await second.shows("+ true # changed");
    second.say("n");
    await second.shows("Left as it is; it blocks what it matches.");
    second.say("run touch blocked.txt");
    await second.shows("hookloop trust review. To switch it off");
    second.say("/hooks");
    await second.shows(/> \/hooks[\s\S]*until\s+then\s+it\s+blocks\s+every\s+PreToolUse/);
    second.press("C-d");
    await second.shows("[left with 0]");
    expect(room.read("blocked.txt")).toBeUndefined();
    const third = await room.start({ args });
    await third.shows("Approve it?");
    third.say("y");
    await third.shows(/hooks? · ~/);
    third.say("run touch done.txt");
    await expect.poll(() => room.read("done.txt"), { timeout: 20_000 }).toBe("");
  });
});

// Root may read everything: these need a user who may not.
const canDrop = process.getuid?.() === 0 && spawnSync("setpriv", ["--reuid=65534", "--clear-groups", "true"]).status === 0;
if (!canDrop) console.warn("Not root, or no setpriv: what cannot be read for lack of rights is not tested.");

describe.skipIf(!canDrop)("as a user without the right to read", () => {
  const before = ["setpriv", "--reuid=65534", "--clear-groups"];
  const give = (file: string): void => {
    chownSync(file, 65534, 65534);
    for (const entry of existsSync(file) && !file.endsWith(".json") ? readdirSync(file, { withFileTypes: true }) : [])
      if (entry.isDirectory()) give(path.join(file, entry.name));
      else chownSync(path.join(file, entry.name), 65534, 65534);
  };

  test.each([
    ["the store", "home/.local/state/hookloop/trust.json"],
    ["the folder of the store", "home/.local/state/hookloop"],
    ["the settings", SETTINGS],
    ["the folder of the settings", "project/.claude"],
    ["the script", "project/guard.sh"],
  ])("%s: nothing is started", async (name, locked) => {
    const lab = await openApproved();
    chmodSync(lab.base, 0o755);
    for (const folder of ["project", "home", "tmp"]) give(at(lab, folder));
    // Once is enough to show that it is not the user.
    if (name === "the store") expect((await lab.run({ ...argsOf(lab), before })).exit).toBe(0);
    for (const mark of marks(lab)) rmSync(path.join(lab.project, mark));
    chmodSync(at(lab, locked), 0o000);
    const { exit, stderr } = await lab.run({ ...argsOf(lab), before });
    expect([exit, marks(lab)]).toEqual([1, []]);
    expect(stderr).toContain("HL_TRUST_GATE_WITHHELD");
  });
});

test("what keeps a run from starting is said as it is: an entry that cannot be read was not approved, and a Stop hook cannot block by not running", async () => {
  const broken = openAgentLab();
  broken.settings({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "exit 2", onFailure: "deny" }] }] } });
  broken.script([say("ok")]);
  const { exit, stderr } = await broken.play(argsOf(broken, "--trust-workspace"));
  expect(exit).toBe(1);
  expect(stderr).toMatch(/A guard cannot run, so nothing was started/);
  expect(stderr).toMatch(/until then it blocks every PreToolUse/);
  expect(stderr).toMatch(/Fix the entry\. To start all the same \(it blocks what it matches\)/);
  expect(stderr.slice(stderr.indexOf("HL_TRUST_GATE_WITHHELD"))).not.toMatch(/was approved|left out|Undo/);
  const stop = await openApproved("Stop");
  appendFileSync(at(stop, "project/guard.sh"), "#\n");
  const changed = await stop.play(argsOf(stop));
  expect(changed.stderr).toMatch(/until then Stop is not judged by it/);
  expect(changed.stderr).not.toMatch(/blocks what/);
  const noScript = await stop.play({ args: ["-p", "go", "--script", "nothere.json"] });
  expect([noScript.exit, noScript.stderr]).toEqual([
    2,
    expect.stringMatching(/^HL_CLI_USAGE: --script: The script .*nothere\.json cannot be read/),
  ]);
});
