/** Reading commands is never complete. What one of the agent's programs does to the trust store all the same is put back; what the user does stays. */
import { execFile } from "node:child_process";
import { existsSync, lstatSync, readdirSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, test, vi } from "vitest";
import { type AgentLab, openAgentLab, PROGRAM, say, use } from "../agent/agent-lab.ts";

const run = promisify(execFile);
const HAS_PROC = process.platform === "linux";
const GUARD = { matcher: "Bash", hooks: [{ type: "command", command: "grep -q pwned && exit 2; exit 0" }] };
const SNEAKY = { hooks: [{ type: "command", command: "touch sneaky-ran" }] };
const CODE = "HL_TRUST_STORE_PUT_BACK";

interface Lab extends AgentLab {
  readonly terminal: (...args: readonly string[]) => Promise<string>;
  readonly sneaky: string;
  readonly folder: string;
}

/** A project with an approved guard and a hook that is not approved. */
async function openLab(): Promise<Lab> {
  const lab = openAgentLab();
  lab.settings({ hooks: { PreToolUse: [GUARD], SessionStart: [SNEAKY] } });
  const env = { PATH: process.env["PATH"] ?? "", HOME: lab.home };
  const terminal = async (...args: readonly string[]): Promise<string> =>
    (await run(process.execPath, [PROGRAM, ...args], { cwd: lab.project, env, encoding: "utf8" })).stdout;
  const ids = (JSON.parse(await lab.command(["trust", "--json"])) as readonly { id: string }[]).map(({ id }) => id);
  const idOf = (event: string): string => ids.find((id) => id.includes(event)) ?? "";
  await lab.command(["trust", "approve", idOf("PreToolUse")]);
  return { ...lab, terminal, sneaky: idOf("SessionStart"), folder: path.join(lab.home, ".local/state/hookloop") };
}

const store = (lab: AgentLab): string | undefined => lab.read("home/.local/state/hookloop/trust.json");

/** Runs a script of the project, of which the command line does not say what it does. */
async function tool(lab: AgentLab, script: string, more: readonly string[] = []): Promise<string> {
  lab.write("project/x.sh", script);
  const calls = ["sh x.sh", ...more].map((command) => [use("Bash", { command })]);
  const file = lab.script([...calls, say("END")]);
  const { stdout, stderr } = await lab.play({
    args: ["-p", "go", "--script", file, "--allowedTools", "Bash", "--output-format", "stream-json"],
  });
  return stdout + stderr;
}

/** What a tool may do to the store, in its folder. */
const ATTACKS: Readonly<Record<string, string>> = {
  "another text": 'echo \'{"v":1,"hooks":{}}\' > trust.json',
  "a forged record": "sed 's/PreToolUse/SessionStart/g' trust.json > t; cat t > trust.json; rm t",
  "nothing in its place": "rm trust.json",
  "a link in its place": "cp trust.json ../t; ln -sf ../t trust.json",
  "a folder in its place": "rm trust.json; mkdir trust.json",
  "another folder in its place": 'cp -r . ../h; cd ..; mv hookloop gone; mv h hookloop; echo \'{"v":1,"hooks":{}}\' > hookloop/trust.json',
  "a link in the folder's place": "cd ..; mv hookloop gone; ln -s gone hookloop",
  "no folder any more": "cd ..; rm -rf hookloop",
  "rights for everybody": "chmod 666 trust.json",
  "another text, again and again": 'for i in $(seq 60); do echo \'{"v":1,"hooks":{}}\' > trust.json; sleep 0.01; done',
  "a program that has left the session": "setsid -w env -i sh -c 'echo {} > trust.json'",
};

describe.runIf(HAS_PROC)("the store is put back, and that is reported", () => {
  test.each(Object.entries(ATTACKS))("%s", async (_, attack) => {
    const lab = await openLab();
    const before = store(lab);
    const said = await tool(lab, `cd ${lab.folder}\n${attack}`, ["touch pwned"]);
    expect([said.includes(CODE), store(lab) === before, lstatSync(lab.folder).isDirectory()]).toEqual([true, true, true]);
    expect((lstatSync(path.join(lab.folder, "trust.json")).mode & 0o777).toString(8)).toBe("600");
    // The guard still holds, in this session and in the next.
    await tool(lab, "true", ["touch pwned"]);
    expect([lab.read("project/sneaky-ran"), said.includes("END")]).toEqual([undefined, true]);
    expect(existsSync(path.join(lab.project, "pwned"))).toBe(false);
  });

  test("by something that the call left running", async () => {
    const lab = await openLab();
    const before = store(lab);
    const said = await tool(lab, `(sleep 1; echo {} > ${lab.folder}/trust.json) > /dev/null 2>&1 &`, ["sleep 2"]);
    expect([said.includes(CODE), store(lab) === before]).toEqual([true, true]);
  });

  test.each(['trap "echo {} > STORE; exit" TERM; while :; do sleep 0.1; done', "while :; do echo {} > STORE; sleep 0.01; done"])(
    "by something that is ended with the session: %s",
    async (line) => {
      const lab = await openLab();
      const before = store(lab);
      const script = line.replaceAll("STORE", `${lab.folder}/trust.json`);
      const said = await tool(lab, `nohup bash -c '${script}' > /dev/null 2>&1 &\nsleep 0.3`);
      expect([said.includes(CODE), store(lab) === before]).toEqual([true, true]);
    },
  );

  test("a forged approval never counts in the session that it is made in, however often it is written", async () => {
    const lab = await openLab();
    const before = store(lab) ?? "";
    await lab.terminal("trust", "approve", lab.sneaky);
    lab.write("project/forged.json", store(lab) ?? "");
    lab.write("home/.local/state/hookloop/trust.json", before);
    const forge = `for i in $(seq 200); do cp forged.json ${lab.folder}/.t$i; mv ${lab.folder}/.t$i ${lab.folder}/trust.json; sleep 0.005; done`;
    lab.settings({ hooks: { PreToolUse: [GUARD, { matcher: "Bash", ...SNEAKY }], SessionStart: [SNEAKY] } });
    const said = await tool(lab, `(${forge}) > /dev/null 2>&1 &`, ["true", "sleep 0.2", "true", "sleep 0.2", "true"]);
    expect([said.includes("HL_TRUST_APPROVED_MEANWHILE"), lab.read("project/sneaky-ran")]).toEqual([false, undefined]);
  });

  test("where there was none, none is made", async () => {
    const lab = openAgentLab();
    const said = await tool(
      lab,
      `mkdir -p ${lab.home}/.local/state/hookloop; echo '{"v":1,"hooks":{}}' > ${lab.home}/.local/state/hookloop/trust.json`,
    );
    expect([said.includes(CODE), store(lab)]).toEqual([true, undefined]);
  });

  test("a claim that one of its programs makes counts for nothing, whoever it names", async () => {
    const lab = await openLab();
    const before = store(lab);
    const forge = `
      const { createHash } = require("node:crypto");
      const fs = require("node:fs");
      const text = JSON.stringify({ v: 1, hooks: {} });
      const digest = createHash("sha256").update(text).digest("hex");
      const start = (pid) => fs.readFileSync("/proc/" + pid + "/stat", "latin1").split(") ").at(-1).split(" ")[19];
      const pids = [process.pid, ${process.pid}, 1];
      pids.forEach((pid, at) => {
        const fd = fs.openSync("watch/" + String(at).repeat(12) + ".claim", "wx");
        fs.writeSync(fd, pid + " " + start(pid) + " " + digest + "\\n");
      });
      setTimeout(() => { fs.writeFileSync("trust.json", text); process.exit(); }, 500);`;
    lab.write("project/forge.cjs", forge);
    const said = await tool(lab, `cd ${lab.folder} && ${process.execPath} ${lab.project}/forge.cjs`);
    expect([said.includes(CODE), store(lab) === before]).toEqual([true, true]);
  });
});

describe.runIf(HAS_PROC)("what the user decides in another terminal stays", () => {
  test("while a tool runs", async () => {
    const lab = await openLab();
    const running = tool(lab, "touch started; while [ ! -e done ]; do sleep 0.05; done");
    await vi.waitFor(() => expect(existsSync(path.join(lab.project, "started"))).toBe(true), 20_000);
    await lab.terminal("trust", "approve", lab.sneaky);
    lab.write("project/done", "");
    const said = await running;
    expect([said.includes(CODE), store(lab)?.includes(lab.sneaky)]).toEqual([false, true]);
    expect(readdirSync(path.join(lab.folder, "watch"))).toEqual([]);
  });

  test("also if a tool forges something at the same time: that is put back alone", async () => {
    const lab = await openLab();
    const running = tool(
      lab,
      `touch started; while [ ! -e done ]; do echo '{"v":1,"hooks":{}}' > ${lab.folder}/trust.json; sleep 0.3; done`,
    );
    await vi.waitFor(() => expect(existsSync(path.join(lab.project, "started"))).toBe(true), 20_000);
    await lab.terminal("trust", "approve", lab.sneaky);
    lab.write("project/done", "");
    const said = await running;
    expect([said.includes(CODE), store(lab)?.includes(lab.sneaky), store(lab)?.includes("PreToolUse")]).toEqual([true, true, true]);
  });

  test("and what was taken back is not brought back by a copy", async () => {
    const lab = await openLab();
    const running = tool(
      lab,
      `touch started; while [ ! -e approved ]; do sleep 0.05; done; cp ${lab.folder}/trust.json old; touch copied
      while [ ! -e done ]; do sleep 0.05; done; cp old ${lab.folder}/trust.json`,
    );
    await vi.waitFor(() => expect(existsSync(path.join(lab.project, "started"))).toBe(true), 20_000);
    await lab.terminal("trust", "approve", lab.sneaky);
    lab.write("project/approved", "");
    await vi.waitFor(() => expect(existsSync(path.join(lab.project, "copied"))).toBe(true), 20_000);
    await lab.terminal("trust", "revoke", lab.sneaky);
    const revoked = store(lab);
    lab.write("project/done", "");
    const said = await running;
    expect([said.includes(CODE), store(lab) === revoked]).toEqual([true, true]);
  });
});

describe.runIf(HAS_PROC)("while a program's own code blocks its event loop", () => {
  /** A program with hooks and a tool of its own, which does this. */
  async function program(lab: Lab, tool: string): Promise<string> {
    const index = path.resolve(import.meta.dirname, "../../packages/hookloop/dist/lib/index.js");
    const text = `import { execFileSync, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { openHooks } from ${JSON.stringify(index)};
const trust = (...args) => [process.execPath, [${JSON.stringify(PROGRAM)}, "trust", ...args]];
const hooks = await openHooks({ cwd: process.cwd(), onDiagnostic: ({ code }) => console.log(code) });
const call = { tool_name: "Deploy", tool_input: {}, tool_use_id: "1" };
await hooks.runTool(call, () => {});
await hooks.runTool(call, () => { ${tool} });
await new Promise((done) => setTimeout(done, 500));
await hooks.runTool(call, () => {});
await hooks.close();`;
    const env = { PATH: process.env["PATH"] ?? "", HOME: lab.home };
    lab.write("program.mjs", text);
    const { stdout } = await run(process.execPath, [path.join(lab.project, "../program.mjs")], { cwd: lab.project, env, encoding: "utf8" });
    return stdout;
  }

  test.each([
    ["by the program itself", (id: string) => `execFileSync(...trust("approve", ${JSON.stringify(id)}))`],
    [
      "in another terminal",
      (id: string) =>
        `spawn(...trust("approve", ${JSON.stringify(id)}), { detached: true, stdio: "ignore" }); execFileSync("sleep", ["8"])`,
    ],
  ])("an approval is kept: %s", async (_, tool) => {
    const lab = await openLab();
    const said = await program(lab, tool(lab.sneaky));
    expect([said.includes(CODE), store(lab)?.includes("sneaky-ran")]).toEqual([false, true]);
    expect(readdirSync(path.join(lab.folder, "watch"))).toEqual([]);
  });

  test("what was written without a word is put back, also if an approval was built on it", async () => {
    const lab = await openLab();
    const before = store(lab);
    const file = JSON.stringify(path.join(lab.folder, "trust.json"));
    const said = await program(
      lab,
      `writeFileSync(${file}, '{"v":1,"hooks":{}}'); execFileSync(...trust("approve", ${JSON.stringify(lab.sneaky)}))`,
    );
    expect([said.includes(CODE), store(lab) === before]).toEqual([true, true]);
  });
});

test("a configuration file, or a script of a hook, that changed while a tool ran is named", async () => {
  const lab = openAgentLab();
  lab.write("project/guard.sh", "exit 0");
  lab.settings({ hooks: { PreToolUse: [{ matcher: "Write", hooks: [{ type: "command", command: "sh guard.sh" }] }] } });
  const said = await tool(lab, "echo >> guard.sh; echo >> .claude/settings.json");
  const named = said.split("HL_TRUST_CHANGED_BY_TOOL").length - 1;
  expect([named >= 2, said.includes("guard.sh was changed"), said.includes("settings.json was changed")]).toEqual([true, true, true]);
  expect(await tool(lab, "touch other")).not.toContain("HL_TRUST_CHANGED_BY_TOOL");
});
