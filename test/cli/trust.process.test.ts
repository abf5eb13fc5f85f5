import { appendFileSync, chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { run } from "../../packages/hookloop/src/cli/program.ts";
import { askAboutEach, openTrustDesk } from "../../packages/hookloop/src/cli/trust-desk.ts";
import { openHooks } from "../../packages/hookloop/src/open.ts";

vi.stubGlobal("__HOOKLOOP_VERSION__", "0.0.0");

let base = "";
const cwd = (): string => path.join(base, "project");
const file = (name: string): string => path.join(base, "project", name);

beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), "hookloop-trust-")));
  mkdirSync(file(".claude"), { recursive: true });
  mkdirSync(path.join(base, "home"));
  vi.stubEnv("HOME", path.join(base, "home"));
  vi.stubEnv("XDG_STATE_HOME", undefined);
  vi.stubEnv("XDG_CONFIG_HOME", undefined);
  vi.spyOn(process, "cwd").mockReturnValue(cwd());
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(base, { recursive: true, force: true });
});

function configure(command: string, event = "PreToolUse"): void {
  writeFileSync(file(".claude/settings.json"), JSON.stringify({ hooks: { [event]: [{ hooks: [{ type: "command", command }] }] } }));
}

async function hookloop(...args: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  const written = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      written[name] += String(text);
      return true;
    });
  const status = await run(args);
  vi.mocked(process.stdout.write).mockRestore();
  vi.mocked(process.stderr.write).mockRestore();
  return { status, ...written };
}

const listed = async (): Promise<{ id: string; state: string; runs: boolean; digest: string; diff?: string }[]> =>
  JSON.parse((await hookloop("trust", "--json")).stdout);

test("says what is wrong with the files: a hook that is left out is in no list", async () => {
  writeFileSync(
    file(".claude/settings.json"),
    '{ "hooks": { "PreTooluse": [], "Stop": [{ "hooks": [{ "type": "command", "comand": "x" }] }] } }',
  );
  const { stdout, stderr } = await hookloop("trust");
  expect(stdout.replace(/\s+/g, " ")).toMatch(
    /^No hooks are configured here\. They are read from \.hookloop\/hooks\.json, .*~\/\.claude\/settings\.json/,
  );
  expect(stderr).toContain("HL_CONFIG_UNKNOWN_EVENT");
  expect(stderr).toContain("HL_CONFIG_MISSING_FIELD");
});

test("lists, approves, exports and revokes", async () => {
  configure("bash check.sh");
  writeFileSync(file("check.sh"), "true\n");
  const first = await hookloop("trust");
  expect(first.status).toBe(0);
  expect(first.stdout).toMatch(/^HOOK +STATE +RUNS/);
  expect(first.stdout).toMatch(/^project:PreToolUse:\w{10} +new +no +\* +check\.sh$/m);
  expect(first.stdout).not.toContain("\u001b");
  const [hook] = await listed();
  expect((await hookloop("trust", "approve", hook?.id ?? "")).stdout).toContain(`${hook?.digest}`);
  expect(await listed()).toMatchObject([{ state: "trusted", runs: true }]);
  expect((await hookloop("trust", "export")).stdout).toBe(`--trust-hook ${hook?.id}=${hook?.digest}\n`);
  expect(JSON.parse((await hookloop("trust", "export", "--json")).stdout)).toEqual({ [hook?.id ?? ""]: hook?.digest });
  expect((await hookloop("trust", "revoke", hook?.id ?? "")).stdout).toContain("is new and does not run");
  expect(await listed()).toMatchObject([{ state: "new", runs: false }]);
});

test("approves several at once, all or, if one name is wrong, none", async () => {
  const entry = (command: string): object => ({ hooks: [{ type: "command", command }] });
  writeFileSync(file(".claude/settings.json"), JSON.stringify({ hooks: { PreToolUse: [entry("exit 0")], Stop: [entry("exit 1")] } }));
  const ids = (await listed()).map(({ id }) => id);
  expect(await hookloop("trust", "approve", ...ids, "project:Nothing:1")).toMatchObject({ status: 2 });
  expect(await hookloop("trust", "approve", ...ids, "--digest", "sha256:0")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("--digest"),
  });
  expect(await listed()).toMatchObject([{ state: "new" }, { state: "new" }]);
  const { status, stdout } = await hookloop("trust", "approve", ...ids);
  expect([status, stdout.match(/^Approved: /gm)?.length]).toEqual([0, 2]);
  expect((await listed()).map(({ runs }) => runs)).toEqual([true, true]);
});

test("a change is shown with its diff", async () => {
  configure("bash check.sh");
  writeFileSync(file("check.sh"), "true\n");
  await hookloop("trust", "approve", (await listed())[0]?.id ?? "");
  appendFileSync(file("check.sh"), "touch worm\n");
  const [hook] = await listed();
  expect(hook).toMatchObject({ state: "changed", runs: false });
  expect(hook?.diff).toContain("+ touch worm");
  expect(JSON.parse((await hookloop("trust", "review", "--json")).stdout)).toHaveLength(1);
});

test("approve with a digest that is not the hook's any more fails with 1", async () => {
  configure("bash check.sh");
  writeFileSync(file("check.sh"), "true\n");
  const [hook] = await listed();
  appendFileSync(file("check.sh"), "#");
  const { status, stderr } = await hookloop("trust", "approve", hook?.id ?? "", "--digest", hook?.digest ?? "");
  expect(status).toBe(1);
  expect(stderr).toContain("HL_TRUST_APPROVAL_STALE");
  expect(await listed()).toMatchObject([{ state: "new" }]);
});

test("so does a yes to what is not on the screen any more", async () => {
  configure("bash check.sh");
  writeFileSync(file("check.sh"), "true\n");
  const desk = await openTrustDesk(cwd());
  const shown: string[] = [];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    shown.push(String(text));
    return true;
  });
  await askAboutEach(desk, desk.hooks, async () => {
    appendFileSync(file("check.sh"), "#");
    return "y";
  });
  vi.mocked(process.stdout.write).mockRestore();
  expect(shown.join("")).toContain("HL_TRUST_APPROVAL_STALE");
  expect(await listed()).toMatchObject([{ state: "new" }]);
});

test.each([
  ["y", "trusted"],
  ["", "new"],
  ["n", "new"],
  ["yess", "new"],
  ["ok", "trusted"],
  ["Sure.", "trusted"],
  ["not now", "new"],
  ["r", "refused"],
  ["q", "new"],
])("the answer %j leaves the hook %s", async (answer, state) => {
  configure("bash check.sh");
  writeFileSync(file("check.sh"), "true\n");
  const desk = await openTrustDesk(cwd());
  const shown: string[] = [];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    shown.push(String(text));
    return true;
  });
  await askAboutEach(desk, desk.hooks, async () => answer);
  vi.mocked(process.stdout.write).mockRestore();
  for (const part of ["PreToolUse", "bash check.sh", "check.sh (", desk.hooks[0]?.digest]) expect(shown.join("")).toContain(part);
  expect(await listed()).toMatchObject([{ state }]);
});

test("a review without a terminal approves nothing and says how", async () => {
  configure("true");
  const { status, stderr } = await hookloop("trust", "review");
  expect(status).toBe(2);
  expect(stderr).toMatch(/^HL_CLI_NO_TERMINAL: .*\n {2}\S*hookloop(?:\.js)? trust approve project:PreToolUse:\w+ --digest sha256:/);
});

test("an unknown hook or command names the one that was probably meant", async () => {
  configure("bash check.sh");
  expect(await hookloop("trust", "approve", "bash chek.sh")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('Did you mean "bash check.sh"?'),
  });
  expect(await hookloop("trust", "aprove", "x")).toMatchObject({ status: 2, stderr: expect.stringContaining("approve") });
  expect((await hookloop("trust", "--help")).stdout).toContain("hookloop trust review");
});

test("a plugin is approved that the project enables or that a session is started with, and the approval counts there", async () => {
  const hooks = (command: string): object => ({ PreToolUse: [{ hooks: [{ type: "command", command }] }] });
  const write = (name: string, value: object): void => {
    mkdirSync(path.dirname(path.join(base, name)), { recursive: true });
    writeFileSync(path.join(base, name), JSON.stringify(value));
  };
  for (const name of ["wanted", "given"]) write(`${name}/.claude-plugin/plugin.json`, { name, hooks: hooks(`echo ${name}`) });
  write("project/.claude/settings.json", { enabledPlugins: { "wanted@market": true } });
  const entry = { scope: "user", installPath: path.join(base, "wanted") };
  write("home/.claude/plugins/installed_plugins.json", { version: 2, plugins: { "wanted@market": [entry] } });
  write("home/.claude/plugins/known_marketplaces.json", { market: { source: { source: "github", repo: "owner/market" } } });
  const given = ["--plugin-dir", path.join(base, "given")];
  const all = async (): Promise<{ id: string; name: string; runs: boolean }[]> =>
    JSON.parse((await hookloop("trust", ...given, "--json")).stdout);
  expect((await all()).map(({ name, runs }) => [name, runs])).toEqual([
    ["echo given", false],
    ["echo wanted", false],
  ]);
  for (const { id } of await all()) expect((await hookloop("trust", "approve", id, ...given)).status).toBe(0);
  const session = await openHooks({
    cwd: cwd(),
    sources: ["user", "project", "local", "plugin"],
    trust: { workspace: true },
    plugins: [path.join(base, "given")],
    onDiagnostic: () => {},
  });
  expect([session.trust.statuses.map(({ state }) => state), session.refused]).toEqual([["trusted", "trusted"], []]);
});

test("escapes and direction marks of a command are shown, not obeyed", async () => {
  configure("echo \u001b[2J\u202e\u200b hidden");
  const { stdout } = await hookloop("trust");
  expect(stdout).toContain("\\u001b[2J\\u202e\\u200b");
  const { stdout: json } = await hookloop("trust", "--json");
  expect(json).not.toContain("\u202e");
  expect(JSON.parse(json)[0].name).toContain("\u202e");
});

test("a revoked hook of the user does not come back by being seen", async () => {
  mkdirSync(path.join(base, "home/.claude"));
  writeFileSync(
    path.join(base, "home/.claude/settings.json"),
    JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] } }),
  );
  const [hook] = await listed();
  await hookloop("trust", "revoke", hook?.id ?? "");
  expect(await listed()).toMatchObject([{ state: "refused", runs: false }]);
});

test("no trust command runs anything of a hostile repository", async () => {
  const bin = path.join(base, "bin");
  mkdirSync(bin);
  for (const name of ["git", "sh", "bash", "node", "npx", "python3"]) {
    writeFileSync(path.join(bin, name), `#!/bin/sh\n/usr/bin/touch ${base}/pwned\n`);
    chmodSync(path.join(bin, name), 0o755);
  }
  vi.stubEnv("PATH", `${bin}:${process.env["PATH"]}`);
  configure(`touch ${base}/pwned; $(touch ${base}/pwned); \`touch ${base}/pwned\``, "SessionStart");
  writeFileSync(file(".git"), `gitdir: ${base}/elsewhere\n`);
  writeFileSync(file(".env"), `XDG_STATE_HOME=${cwd()}/state\n`);
  writeFileSync(file(".npmrc"), "script-shell=./evil\n");
  for (const args of [
    [],
    ["--json"],
    ["review"],
    ["review", "--json"],
    ["export"],
    ["approve", "project:SessionStart"],
    ["export", "--json"],
    ["revoke", "project:SessionStart"],
  ])
    await hookloop("trust", ...args);
  for (const args of [["events"], ["schema"]]) await hookloop(...args);
  expect(existsSync(path.join(base, "pwned"))).toBe(false);
  expect(readdirSync(cwd()).sort()).toEqual([".claude", ".env", ".git", ".npmrc"]);
});

test("what no review changes is said with its own cure: a refused hook", async () => {
  configure("echo one");
  const [hook] = await listed();
  const desk = await openTrustDesk();
  await askAboutEach(desk, desk.hooks, async () => "r");
  const { stdout } = await hookloop("trust");
  expect(stdout).not.toContain("hookloop trust review");
  expect(stdout.replace(/\s+/g, " ")).toMatch(new RegExp(`To allow it: \\S*hookloop(?:\\.js)? trust approve ${hook?.id}`));
});

test("a hook whose matcher fits nothing is not listed as one that runs", async () => {
  const hooks = { PreToolUse: [{ matcher: "bash", hooks: [{ type: "command", command: "echo one" }] }] };
  writeFileSync(file(".claude/settings.json"), JSON.stringify({ hooks }));
  const [hook] = await listed();
  await hookloop("trust", "approve", hook?.id ?? "");
  const { stdout } = await hookloop("trust");
  expect(stdout).toMatch(/trusted\s+never\s+bash/);
  expect(stdout).toContain("Bash");
});

test("a plugin's folder that is not there is wrong usage, as with the agent", async () => {
  const { status, stderr } = await hookloop("trust", "--plugin-dir", "/nowhere");
  expect([status, stderr]).toEqual([2, expect.stringContaining("There is no folder /nowhere.")]);
});
