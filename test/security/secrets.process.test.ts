/** Secrets do not stay behind: not in what is printed, not in files, not in the trust store; what the user approves is shown in full. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type AgentLab, openAgentLab, PROGRAM, say, use } from "../agent/agent-lab.ts";
import { bash, hooksFor, openProject } from "../engine/open-project.ts";

// Put together at run time, so that no scanner takes this file for a leak.
const VALUE = ["hunter2", "hunter2", "hunter2"].join("-");
const TOKEN = `ghp_${"Ab1".repeat(12)}`;
const FORMS: readonly (readonly [string, string])[] = [
  ["plain", VALUE],
  ["base64", Buffer.from(VALUE).toString("base64")],
  ["URL-safe base64", Buffer.from(VALUE).toString("base64url")],
  ["hexadecimal", Buffer.from(VALUE).toString("hex")],
  ["hexadecimal in capitals", Buffer.from(VALUE).toString("hex").toUpperCase()],
  ["a token", TOKEN],
  ["a parameter", `https://example.com/?access_token=${VALUE}x`],
  ["a password", `https://me:${VALUE}@example.com/`],
];
const KNOWN = FORMS.map(([, form]) => form);

function filesBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile());
}

function expectClean(text: string, where: string): void {
  for (const form of KNOWN) expect([where, form, text.includes(form)]).toEqual([where, form, false]);
}

describe("the stderr of a failing hook", () => {
  const fails = (form: string, exit: number): string => `cat >/dev/null; echo "cannot reach ${form} now" >&2; exit ${exit}`;

  test.each(FORMS)("is without secrets in diagnostics and verdicts: %s", async (_, form) => {
    const project = openProject({
      native: hooksFor("PreToolUse", [{ command: fails(form, 1), guard: true }, { command: fails(form, 2) }]),
    });
    const hooks = await project.open({ ports: { env: { DEPLOY_TOKEN: VALUE } } });
    const verdict = await hooks.fire("PreToolUse", bash("ls"));
    expect(verdict.decision).toBe("deny");
    expect(JSON.stringify([verdict, project.diagnostics])).toContain("[redacted]");
    expectClean(JSON.stringify([verdict.reasons, verdict.tells, project.diagnostics]), "verdict");
  });

  test.each(["text", "stream-json"])("is without secrets in everything that a run prints and leaves behind (%s)", async (format) => {
    const lab = openAgentLab();
    const command = `cat >/dev/null; printf '%s\\n' ${KNOWN.map((form) => `'${form}'`).join(" ")} >&2; exit 1`;
    const noisy = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"];
    lab.write("project/hook.sh", `#!/bin/sh\n${command}`);
    lab.settings({ hooks: Object.fromEntries(noisy.map((event) => [event, [{ hooks: [{ type: "command", command: "./hook.sh" }] }]])) });
    const args = ["-p", "go", "--script", lab.script([[use("Bash", { command: "echo hello" })], say("done")]), "--trust-workspace"];
    const extra = format === "text" ? [] : ["--output-format", "stream-json", "--include-hook-events"];
    const { exit, stdout, stderr } = await lab.run({
      args: [...args, ...extra, "--allowedTools", "Bash"],
      env: { DEPLOY_TOKEN: VALUE, DEBUG: "hooks" },
    });
    expect(exit).toBe(0);
    expect(stdout + stderr).toContain("[redacted]");
    expectClean(stdout, "stdout");
    expectClean(stderr, "stderr");
    const left = filesBelow(path.join(lab.home, ".local"));
    expect(left.length).toBeGreaterThan(1);
    for (const file of left) expectClean(readFileSync(file, "utf8"), file);
  });
});

describe("what a tool prints", () => {
  const all = KNOWN.map((form) => `'${form}'`).join(" ");

  test("is without secrets in the transcript and in the trace", async () => {
    const lab = openAgentLab();
    const script = lab.script([[use("Bash", { command: `printf '%s\\n' ${all}` })], say("done")]);
    await lab.run({ args: ["-p", "go", "--script", script, "--allowedTools", "Bash"], env: { DEPLOY_TOKEN: VALUE } });
    const left = [...lab.stateFiles("sessions"), ...lab.stateFiles("traces")];
    expect(left).toHaveLength(2);
    for (const file of left) expectClean(readFileSync(file, "utf8"), file);
    expect(readFileSync(left[0] ?? "", "utf8")).toContain("[redacted]");
  });

  test("and is too long is saved without secrets, for this user only, and gone when the session ends", async () => {
    const lab = openAgentLab();
    const long = `i=0; while [ $i -lt 2000 ]; do printf '%s ' ${all}; i=$((i+1)); done`;
    const look = `find "$TMPDIR" -name '*.txt' -path '*hookloop-results*' -exec sh -c 'stat -c "%a" "$1" "$(dirname "$1")"; cat "$1"' sh {} \\; > kept.txt`;
    const script = lab.script([[use("Bash", { command: long })], [use("Bash", { command: look })], say("done")]);
    const { exit } = await lab.run({ args: ["-p", "go", "--script", script, "--allowedTools", "Bash"], env: { DEPLOY_TOKEN: VALUE } });
    const kept = lab.read("project/kept.txt") ?? "";
    expect([exit, kept.slice(0, 8)]).toEqual([0, "600\n700\n"]);
    expect(kept).toContain("[redacted]");
    expectClean(kept, "the saved result");
    expect(readdirSync(path.join(lab.base, "tmp"))).toEqual([]);
  });

  test("what a hook says at length goes the same way", async () => {
    const project = openProject({
      native: hooksFor("PreToolUse", `cat >/dev/null; i=0; while [ $i -lt 4000 ]; do echo "${VALUE}" >&2; i=$((i+1)); done; exit 2`),
    });
    const hooks = await project.open({ ports: { env: { DEPLOY_TOKEN: VALUE } } });
    const { reasons } = await hooks.fire("PreToolUse", bash("ls"));
    const file = /is in (\S+\.txt)/.exec(reasons[0]?.text ?? "")?.[1] ?? "";
    expect([statSync(file).mode & 0o777, statSync(path.dirname(file)).mode & 0o777]).toEqual([0o600, 0o700]);
    expectClean(readFileSync(file, "utf8"), file);
    await hooks.close();
    expect(existsSync(path.dirname(file))).toBe(false);
  });
});

describe("the trust store", () => {
  function trust(lab: AgentLab, ...args: readonly string[]): { readonly out: string; readonly exit: number | null } {
    const env = { PATH: process.env["PATH"] ?? "", HOME: lab.home, TMPDIR: path.join(lab.base, "tmp") };
    const { stdout, stderr, status } = spawnSync(process.execPath, [PROGRAM, "trust", ...args], {
      cwd: lab.project,
      env,
      encoding: "utf8",
    });
    return { out: stdout + stderr, exit: status };
  }
  const headers = (value: string) => ({ "X-Team": value, Authorization: "Bearer $DEPLOY_TOKEN" });
  const settings = (value: string, token: string) => ({
    hooks: {
      PreToolUse: [
        { hooks: [{ type: "http", url: `https://example.com/hook?access_token=${VALUE}`, headers: headers(value) }] },
        { hooks: [{ type: "command", command: `curl -H 'Authorization: Bearer ${token}' https://example.com/check` }] },
      ],
    },
  });

  test("keeps neither header values nor tokens of a command line; the review shows them, and a change of them is a change", () => {
    const lab = openAgentLab();
    lab.settings(settings("s3cr3t-of-the-team", TOKEN));
    const review = trust(lab, "review", "--json").out;
    for (const shown of ["s3cr3t-of-the-team", TOKEN, "https://example.com/check"]) expect(review).toContain(shown);
    const ids = (JSON.parse(review) as readonly { readonly id: string }[]).map(({ id }) => id);
    for (const id of ids) expect(trust(lab, "approve", id).exit).toBe(0);
    const folder = path.join(lab.home, ".local/state/hookloop");
    const store = readFileSync(path.join(folder, "trust.json"), "utf8");
    for (const secret of ["s3cr3t-of-the-team", TOKEN, VALUE]) expect(store).not.toContain(secret);
    expect(store).toContain("Bearer $DEPLOY_TOKEN");
    expect([statSync(path.join(folder, "trust.json")).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700]);
    const listed = trust(lab, "--json").out;
    for (const secret of ["s3cr3t-of-the-team", TOKEN, VALUE]) expect(listed).not.toContain(secret);
    expect((JSON.parse(listed) as readonly { readonly runs: boolean }[]).map(({ runs }) => runs)).toEqual([true, true]);

    const other = `ghp_${"Cd2".repeat(12)}`;
    lab.settings(settings("another-secret-1", other));
    const changed = JSON.parse(trust(lab, "review", "--json").out) as readonly { readonly state: string; readonly diff: string }[];
    expect(changed.map(({ state }) => state)).toEqual(["changed", "changed"]);
    expect(changed[0]?.diff).toContain("another-secret-1");
    expect(changed[1]?.diff).toContain(other);
    expect(changed[0]?.diff).not.toContain("url");
    for (const { diff } of changed) expect(diff).not.toContain(TOKEN);
  });

  test("keeps approved scripts for this user only", () => {
    const lab = openAgentLab();
    lab.write("project/hook.sh", "#!/bin/sh\necho ok\n");
    lab.settings({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "./hook.sh" }] }] } });
    const [{ id }] = JSON.parse(trust(lab, "review", "--json").out) as [{ readonly id: string }];
    trust(lab, "approve", id);
    const approved = path.join(lab.home, ".local/state/hookloop/approved");
    const kept = filesBelow(approved);
    expect(kept).toHaveLength(1);
    expect([statSync(kept[0] ?? "").mode & 0o777, statSync(approved).mode & 0o777]).toEqual([0o600, 0o700]);
  });
});
