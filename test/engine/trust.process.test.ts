import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { EVENT_NAMES, EVENTS } from "../../packages/hookloop/src/catalogue/events.ts";
import type { HookKind } from "../../packages/hookloop/src/catalogue/row.ts";
import type { TraceRecord } from "../../packages/hookloop/src/engine/step.ts";
import type { Approval, PendingHook } from "../../packages/hookloop/src/trust/types.ts";
import { bash, hooksFor, openProject, type Project } from "./open-project.ts";

/** Says yes to everything it is shown. */
const yes = async (pending: readonly PendingHook[]): Promise<readonly Approval[]> =>
  pending.map(({ hook, digest }) => ({ id: hook.id, digest }));

const storeOf = ({ cwd }: Project): string => path.join(cwd, "../home/.local/state/hookloop/trust.json");

/** A project whose only hook leaves a marker and is approved as it stands. */
async function approved(
  content: unknown = hooksFor("PreToolUse", "bash check.sh", { matcher: "Bash" }),
  file = "project",
): Promise<Project> {
  const project = openProject({ [file]: content });
  project.write("project/check.sh", "touch ran\n");
  const hooks = await project.open({ trust: { review: yes } });
  expect(hooks.refused).toEqual([]);
  await hooks.close();
  return project;
}

/** Whether the hook of a project runs for a Bash call, in a new session. */
async function runs(project: Project, options: Parameters<Project["open"]>[0] = {}): Promise<boolean> {
  rmSync(project.path("ran"), { force: true });
  const hooks = await project.open({ trust: "store", ...options });
  await hooks.fire("PreToolUse", bash("ls"));
  await hooks.close();
  return existsSync(project.path("ran"));
}

describe("a project hook that is not approved", () => {
  test("it does not run, and the session says so", async () => {
    const project = openProject({ project: hooksFor("PreToolUse", "touch ran") });
    expect(await runs(project)).toBe(false);
    expect(project.codes()).toEqual(["HL_ADMIT_UNTRUSTED"]);
    const hooks = await project.open({ trust: "store" });
    expect(hooks.trust.statuses).toMatchObject([{ state: "new", digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) }]);
    expect(hooks.trust.cannotStart).toEqual([]);
  });

  test("with requireHooks a gate that cannot run keeps the session from starting", async () => {
    const project = openProject({ project: hooksFor("PreToolUse", "touch ran") });
    const hooks = await project.open({ trust: "store", requireHooks: true });
    expect(hooks.trust.cannotStart).toMatchObject([{ code: "HL_TRUST_REQUIRED", hook: expect.stringContaining("project:PreToolUse") }]);
  });

  test("requireHooks is content when every gate can run, and does not care about observers", async () => {
    const project = openProject({ project: hooksFor("SessionEnd", "touch ran") });
    expect((await project.open({ trust: "store", requireHooks: true })).trust.cannotStart).toEqual([]);
    expect((await project.open({ trust: "implicit", requireHooks: true })).trust.cannotStart).toEqual([]);
  });

  const FIELDS: Readonly<Record<Exclude<HookKind, "function">, object>> = {
    command: { command: "touch ran" },
    http: { url: "http://127.0.0.1:9/" },
    prompt: { prompt: "Is it fine?" },
    agent: { prompt: "Look." },
    mcp_tool: { server: "s", tool: "t" },
    module: { path: "../x.mjs" },
  };
  const rows = EVENT_NAMES.flatMap((event) =>
    EVENTS[event].kinds.filter((kind) => kind !== "function").map((kind) => [event, kind] as const),
  );

  test("no event starts any kind of hook", async () => {
    expect(rows.length).toBeGreaterThan(100);
    const started: string[] = [];
    for (const [kind, fields] of Object.entries(FIELDS)) {
      const events = rows.filter(([, other]) => other === kind).map(([event]) => event);
      const declared = events.map((event) => [event, [{ hooks: [{ type: kind, ...fields }] }]]);
      const project = openProject({ native: { hooks: Object.fromEntries(declared) } });
      project.write("project/x.mjs", "import { writeFileSync } from 'node:fs'; writeFileSync('ran', '');");
      const runner = async (): Promise<never> => {
        started.push(kind);
        throw new Error("started");
      };
      const hooks = await project.open({ trust: "store", ports: { runners: { [kind]: runner } } });
      for (const event of events) {
        await hooks.fire(event, { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t" });
        if (existsSync(project.path("ran"))) started.push(`${event} ${kind}: ran`);
      }
      expect(hooks.refused).toHaveLength(events.length);
      await hooks.close();
    }
    expect(started).toEqual([]);
  });

  test("after an edit of its file, no event starts any kind of hook that was approved", async () => {
    const started: string[] = [];
    const kinds = [...new Set(rows.map(([, kind]) => kind))];
    for (const kind of kinds) {
      const event = rows.find(([, other]) => other === kind)?.[0] ?? "PreToolUse";
      const entry = { type: kind, ...FIELDS[kind as keyof typeof FIELDS], files: ["pinned/**"] };
      const project = openProject({ native: { hooks: { [event]: [{ hooks: [entry] }] } } });
      project.write("project/pinned/data", "one");
      project.write("project/x.mjs", "");
      const runner = async (): Promise<never> => {
        started.push(kind);
        throw new Error("started");
      };
      const hooks = await project.open({ trust: { review: yes }, ports: { runners: { [kind]: runner } } });
      const fire = async (): Promise<unknown> => hooks.fire(event, { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t" });
      await fire();
      expect(started.splice(0)).toEqual([kind]);
      project.write("project/pinned/more", "two");
      await fire();
      await hooks.close();
    }
    expect(started).toEqual([]);
  });
});

describe("identity", () => {
  test("a .env of the project moves nothing", async () => {
    const project = openProject({ project: hooksFor("PreToolUse", "touch ran") });
    project.write("project/.env", `XDG_STATE_HOME=${project.cwd}/state\nHOOKLOOP_HOME=${project.cwd}\nHOME=${project.cwd}\n`);
    const other = await approved();
    mkdirSync(project.path("state/hookloop"), { recursive: true, mode: 0o700 });
    copyFileSync(storeOf(other), project.path("state/hookloop/trust.json"));
    expect(await runs(project)).toBe(false);
  });

  test("a .git that points at a trusted clone trusts nothing", async () => {
    const trusted = await approved();
    mkdirSync(trusted.path(".git/worktrees/evil"), { recursive: true });
    const evil = openProject({ project: hooksFor("PreToolUse", "bash check.sh", { matcher: "Bash" }) });
    evil.write("project/check.sh", "touch ran\n");
    evil.write("project/.git", `gitdir: ${trusted.path(".git/worktrees/evil")}\n`);
    evil.write("project/.claude/settings.local.json", {});
    const home = path.join(trusted.cwd, "../home");
    expect(await runs(evil, { ports: { home } })).toBe(false);
  });

  test("the same folder by another name is trusted, another folder by a similar name is not", async () => {
    const project = await approved();
    const base = path.dirname(project.cwd);
    symlinkSync(project.cwd, path.join(base, "link"));
    for (const cwd of [path.join(base, "link"), `${base}/home/../project`, `${project.cwd}/`])
      expect(await runs(project, { cwd })).toBe(true);
    for (const name of ["project-evil", "Project"]) {
      project.write(`${name}/.claude/settings.json`, hooksFor("PreToolUse", "bash check.sh", { matcher: "Bash" }));
      project.write(`${name}/check.sh`, `touch ${project.path("ran")}\n`);
      expect(await runs(project, { cwd: path.join(base, name) })).toBe(false);
    }
  });

  test.each(["bash check.sh", "touch ran"])("%s, the same in another project, is new there", async (command) => {
    const project = await approved(hooksFor("PreToolUse", command));
    const base = path.dirname(project.cwd);
    project.write("other/.claude/settings.json", readFileSync(project.path(".claude/settings.json"), "utf8"));
    project.write("other/check.sh", readFileSync(project.path("check.sh"), "utf8"));
    const hooks = await project.open({ trust: "store", cwd: path.join(base, "other") });
    expect(hooks.trust.statuses).toMatchObject([{ state: "new", refusal: { reason: "untrusted" } }]);
  });
});

describe("content", () => {
  test("an approved hook runs in later sessions without a question", async () => {
    const project = await approved();
    expect(await runs(project)).toBe(true);
    expect(project.codes().filter((code) => !/RELATIVE_PATH|INPUT_UNREAD/.test(code))).toEqual([]);
  });

  test("one byte more in its script, and it waits with the diff; back again, and it runs", async () => {
    const project = await approved();
    appendFileSync(project.path("check.sh"), "touch worm\n");
    expect(await runs(project)).toBe(false);
    const hooks = await project.open({ trust: "store" });
    const [status] = hooks.trust.statuses;
    expect(status).toMatchObject({ state: "changed", refusal: { reason: "changed" } });
    expect(status?.diff).toContain("+ touch worm");
    expect(status?.diff).toContain("  touch ran");
    expect(project.codes()).toContain("HL_TRUST_CHANGED");
    writeFileSync(project.path("check.sh"), "touch ran\n");
    expect(await runs(project)).toBe(true);
  });

  test("an edit in the middle of a session stops it, is shown, and undoing it lets it run", async () => {
    const project = await approved();
    const records: TraceRecord[] = [];
    const hooks = await project.open({ trust: "store", ports: { trace: { write: (record) => records.push(record) } } });
    const fired = async (): Promise<boolean> => {
      rmSync(project.path("ran"), { force: true });
      await hooks.fire("PreToolUse", bash("ls"));
      return existsSync(project.path("ran"));
    };
    expect(await fired()).toBe(true);
    appendFileSync(project.path("check.sh"), "#");
    expect(await fired()).toBe(false);
    const told = project.diagnostics.find(({ code }) => code === "HL_TRUST_CHANGED");
    expect(told?.text).toContain("+ # (no newline at the end)");
    expect(project.codes()).toContain("HL_EXECUTE_UNTRUSTED");
    expect(records.filter(({ type }) => type === "refused")).toMatchObject([{ hook: told?.hook, reason: "changed" }]);
    writeFileSync(project.path("check.sh"), "touch ran\n");
    expect(await fired()).toBe(true);
  });

  test("a gate that changed in the middle of a session blocks, a native guard and an imported hook alike", async () => {
    const guard = await approved(
      { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "bash check.sh", guard: true }] }] } },
      "native",
    );
    const hooks = await guard.open({ trust: "store" });
    appendFileSync(guard.path("check.sh"), "#");
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
    const imported = await approved();
    const others = await imported.open({ trust: "store" });
    appendFileSync(imported.path("check.sh"), "#");
    expect((await others.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
    expect(imported.codes()).toContain("HL_EXECUTE_UNTRUSTED");
  });

  test("strict mode hashes before every run, whatever the times of a file say", async () => {
    const project = await approved();
    const { atime, mtime } = statSync(project.path("check.sh"));
    const hooks = await project.open({ trust: "store", strict: true });
    writeFileSync(project.path("check.sh"), "touch RAN\n");
    utimesSync(project.path("check.sh"), atime, mtime);
    await hooks.fire("PreToolUse", bash("ls"));
    expect(existsSync(project.path("RAN"))).toBe(false);
  });

  const base = { matcher: "Bash", hooks: [{ type: "command", command: "bash check.sh", timeout: 20 }] };
  const entry = base.hooks[0];
  test.each([
    ["the time limit", { ...base, hooks: [{ ...entry, timeout: 21 }] }],
    ["the direction of failure", { ...base, hooks: [{ ...entry, onFailure: "block" }] }],
    ["the matcher", { ...base, matcher: "Bash|Write" }],
    ["the shell", { ...base, hooks: [{ ...entry, shell: "bash" }] }],
    ["an environment in front", { ...base, hooks: [{ ...entry, command: "X=1 bash check.sh" }] }],
    ["variables it is given", { ...base, hooks: [{ ...entry, passEnv: ["TOKEN"] }] }],
    ["a condition", { ...base, hooks: [{ ...entry, if: "Bash(git *)" }] }],
    ["the command", { ...base, hooks: [{ ...entry, command: "bash check.sh; touch worm" }] }],
  ])("changing only %s makes it changed", async (_, changed) => {
    const project = await approved({ hooks: { PreToolUse: [base] } }, "native");
    project.write("project/.hookloop/hooks.json", { hooks: { PreToolUse: [changed] } });
    const hooks = await project.open({ trust: "store" });
    expect(hooks.trust.statuses).toMatchObject([
      { state: "changed", refusal: { reason: "changed" }, diff: expect.stringMatching(/^[-+] /m) },
    ]);
    expect(await runs(project)).toBe(false);
  });

  test("so does its execute bit, or another program of that name", async () => {
    const project = await approved();
    chmodSync(project.path("check.sh"), 0o755);
    expect(await runs(project)).toBe(false);
    chmodSync(project.path("check.sh"), 0o644);
    expect(await runs(project)).toBe(true);
    const other = project.write("bin/bash", "#!/bin/sh\ntouch ran\n");
    chmodSync(other, 0o755);
    expect(await runs(project, { ports: { env: { PATH: `${path.dirname(other)}:${process.env["PATH"]}` } } })).toBe(false);
  });

  test("order of keys, blanks and position change nothing", async () => {
    const project = await approved({ hooks: { PreToolUse: [base] } }, "native");
    const turned = { hooks: [{ timeout: 20, command: "bash check.sh", name: "Checks", type: "command" }], matcher: "Bash" };
    project.write(
      "project/.hookloop/hooks.json",
      JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "true" }] }, turned] } }, null, 8),
    );
    expect(await runs(project)).toBe(true);
  });

  test("a link to a file of the same bytes elsewhere is a change", async () => {
    const project = await approved();
    const elsewhere = project.write("elsewhere/check.sh", "touch ran\n");
    unlinkSync(project.path("check.sh"));
    symlinkSync(elsewhere, project.path("check.sh"));
    const hooks = await project.open({ trust: "store" });
    expect(hooks.trust.statuses[0]?.diff).toContain(`+ check.sh is ${realpathSync(elsewhere)}`);
    expect(await runs(project)).toBe(false);
  });

  test("names and commands that read alike when joined are different hooks", async () => {
    const hook = (name: string, command: string): object => ({ type: "command", name, command });
    const project = openProject({ native: { hooks: { PreToolUse: [{ hooks: [hook("a:b", "c"), hook("a", "b:c")] }] } } });
    const hooks = await project.open({ trust: "store" });
    expect(new Set(hooks.trust.statuses.map(({ digest }) => digest)).size).toBe(2);
  });

  test("a relative script is not looked for in the folder the agent has gone to", async () => {
    const project = await approved();
    project.write("project/sub/check.sh", "touch ../ran\n");
    const hooks = await project.open({ trust: "store" });
    await hooks.fire("PreToolUse", { ...bash("ls"), cwd: project.path("sub") });
    expect(existsSync(project.path("ran"))).toBe(false);
  });

  test("a script that appears after the approval is a change", async () => {
    const project = openProject({ project: hooksFor("PreToolUse", "bash later.sh") });
    await (await project.open({ trust: { review: yes } })).close();
    project.write("project/later.sh", "touch ran\n");
    expect(await runs(project)).toBe(false);
  });

  test("declared files are part of the hook, also those that are added", async () => {
    const entries = { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "bash check.sh", files: ["lib/**"] }] }] } };
    const project = openProject({ native: entries });
    project.write("project/check.sh", ". lib/a.sh\ntouch ran\n");
    project.write("project/lib/a.sh", "true\n");
    const first = await project.open({ trust: { review: yes } });
    expect(first.trust.statuses).toMatchObject([{ state: "trusted" }]);
    expect(await runs(project)).toBe(true);
    project.write("project/lib/deep/b.sh", "true\n");
    expect(await runs(project)).toBe(false);
  });

  test("too many declared files cannot be trusted", async () => {
    const project = openProject({
      native: { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "true", files: ["many/*"] }] }] } },
    });
    for (let index = 0; index < 501; index += 1) project.write(`project/many/${index}`, "");
    const hooks = await project.open({ trust: { workspace: true, review: yes } });
    expect(hooks.trust.statuses).toMatchObject([{ state: "refused", refusal: { reason: "refused" } }]);
  });
});

describe("files that are not named", () => {
  const APPEARING = [
    ["a module beside a Python script", "python3 hooks/h.py", "hooks/json.py", "open('ran', 'w')"],
    ["a module in the folder of inline Python", "python3 -c 'import json'", "json.py", "open('ran', 'w')"],
    ["the interpreter of a script's first line", "./first", "interpreter", "#!/bin/sh\ntouch ran\n"],
    ["an option of a script's first line", "./option", "pre.cjs", "require('node:fs').writeFileSync('ran', '')"],
    ["an exported variable", "export BASH_ENV=start; bash -c true", "start", "touch ran\n"],
  ] as const;

  function write(project: Project): void {
    project.write("project/hooks/h.py", "import os, json\n");
    project.write("project/first", "#!./interpreter\n");
    project.write("project/option", "#!/usr/bin/env -S node -r ./pre.cjs\n0\n");
    project.write("project/interpreter", "#!/bin/sh\n");
    project.write("project/pre.cjs", "");
    project.write("project/start", "");
    for (const name of ["first", "option", "interpreter"]) chmodSync(project.path(name), 0o755);
  }

  test.each(APPEARING)("%s is part of the hook", async (_, command, file, content) => {
    const project = openProject({ project: hooksFor("PreToolUse", command) });
    write(project);
    await (await project.open({ trust: { review: yes } })).close();
    writeFileSync(project.path(file), content);
    expect(await runs(project)).toBe(false);
    expect(project.codes()).toContain("HL_TRUST_CHANGED");
  });

  test.each(APPEARING)("%s: also in the middle of a session", async (_, command, file, content) => {
    const project = openProject({ project: hooksFor("PreToolUse", command) });
    write(project);
    const hooks = await project.open({ trust: { review: yes } });
    await hooks.fire("PreToolUse", bash("ls"));
    // Long enough for the times of the files to be believed.
    await new Promise((done) => setTimeout(done, 300));
    await hooks.fire("PreToolUse", bash("ls"));
    writeFileSync(project.path(file), content);
    await hooks.fire("PreToolUse", bash("ls"));
    expect(existsSync(project.path("ran"))).toBe(false);
    expect(project.codes()).toContain("HL_TRUST_CHANGED");
  });
});

describe("what cannot be pinned", () => {
  test.each([
    ["npx some-tool", /npx/],
    ["python3 -m tool", /python3 -m/],
    ["bash gone.sh", /gone\.sh/],
    ["bash loads.sh", /lib\.sh is not there/],
    ["node $SCRIPT", /known only when it runs/],
    ["bash pipes.sh", /pipes\.sh: sh reads its commands/],
    ["node -e 'require(\"./x.js\")'", /the code that node is given loads other files/],
    ["PYTHONPATH=lib python3 -c 'import x'", /PYTHONPATH/],
    ["run-parts hooks", /run-parts/],
  ])("%s: trusted by its definition only; strict mode refuses it", async (command, reason) => {
    const project = openProject({ project: hooksFor("PreToolUse", command) });
    project.write("project/loads.sh", ". ./lib.sh\n");
    project.write("project/pipes.sh", "cat lib | sh\n");
    const hooks = await project.open({ trust: { review: yes } });
    expect(hooks.trust.statuses).toMatchObject([{ state: "definition-only" }]);
    expect(hooks.trust.statuses[0]?.pins?.unresolved.join()).toMatch(reason);
    expect(hooks.refused).toEqual([]);
    const strict = await project.open({ trust: "store", strict: true });
    expect(strict.refused).toMatchObject([{ reason: "not-pinned" }]);
    expect(project.codes()).toContain("HL_TRUST_NOT_PINNED");
  });
});
