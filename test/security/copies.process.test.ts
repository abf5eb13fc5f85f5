/** Copies of a hook, through real files: a second declaration of a guard never takes its denial away. */
import { chmodSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { startServer } from "../../packages/hookloop/src/run/http/http-server.test-suite.ts";
import { bash, decides, type FILES, hooksFor, openProject } from "../engine/open-project.ts";

const NO = "echo no >&2; exit 2";
type Fields = Readonly<Record<string, unknown>>;
type Place = keyof typeof FILES;

/** What an author may write beside the same line, so that it counts for less. */
const WEAKER: readonly (readonly [string, Fields])[] = [
  ["async", { async: true }],
  ["asyncRewake", { asyncRewake: true }],
  ["async, with a failure direction", { async: true, onFailure: "continue" }],
  ["once", { once: true }],
  ["a tiny timeout", { timeout: 0.001 }],
  ["all of it", { async: true, asyncRewake: true, once: true, timeout: 0.001, onFailure: "continue", name: "harmless" }],
];
const NATIVE: readonly Place[] = ["managed", "userNative", "native"];
const CLAUDE: readonly Place[] = ["user", "local", "project"];

describe.each(WEAKER)("a copy with %s", (_name, weaker) => {
  test.each([...NATIVE, ...CLAUDE])("in the same file (%s) leaves the denial standing, before or after it", async (place) => {
    for (const entries of [
      [{ command: NO }, { command: NO, ...weaker }],
      [{ command: NO, ...weaker }, { command: NO }],
    ]) {
      const hooks = await openProject({ [place]: hooksFor("PreToolUse", entries, { matcher: "Bash" }) }).open();
      for (const command of ["ls", "rm"]) expect((await hooks.fire("PreToolUse", bash(command))).decision).toBe("deny");
    }
  });

  test("in any other file leaves the denial standing", async () => {
    for (const place of [...NATIVE, ...CLAUDE])
      for (const other of [...NATIVE, ...CLAUDE].filter((one) => one !== place)) {
        const files = { [place]: hooksFor("PreToolUse", NO), [other]: hooksFor("PreToolUse", [{ command: NO, ...weaker }]) };
        const hooks = await openProject(files).open();
        for (const command of ["ls", "rm"])
          expect([place, other, (await hooks.fire("PreToolUse", bash(command))).decision]).toEqual([place, other, "deny"]);
      }
  });
});

test.each([
  ["async", { async: true }],
  ["asyncRewake", { asyncRewake: true }],
])("a guard that is also %s is waited for, with a warning", async (name, fields) => {
  const project = openProject({ native: hooksFor("PreToolUse", [{ command: NO, guard: true, ...fields }]) });
  expect((await (await project.open()).fire("PreToolUse", bash("ls"))).decision).toBe("deny");
  expect(project.diagnostics).toMatchObject([
    { code: "HL_CONFIG_IGNORED_KEY", level: "warning", text: expect.stringContaining(`"${name}"`) },
  ]);
});

test('a guard that prints {"async": true} first is waited for, whoever declares a copy in the background', async () => {
  const command = `echo '{"async": true}'; sleep 0.2; ${decides("deny")}`;
  const project = openProject({
    native: hooksFor("PreToolUse", [
      { command, guard: true },
      { command, async: true },
    ]),
  });
  expect((await (await project.open()).fire("PreToolUse", bash("ls"))).decision).toBe("deny");
});

test("the failure of a guard blocks, whatever a copy in any file says about failures", async () => {
  for (const other of [...NATIVE, ...CLAUDE]) {
    const copy = hooksFor("PreToolUse", [{ command: "exit 7", onFailure: "continue" }]);
    const guard = hooksFor("PreToolUse", [{ command: "exit 7", guard: true }]);
    const files = other === "native" ? { userNative: guard, native: copy } : { [other]: copy, native: guard };
    expect([other, (await (await openProject(files).open()).fire("PreToolUse", bash("ls"))).decision]).toEqual([other, "deny"]);
  }
});

test("a copy under another matcher, spelling or form stands beside the hook, not in its place", async () => {
  const native = {
    hooks: {
      PreToolUse: [
        { matcher: "Bash", hooks: [{ type: "command", command: NO }] },
        { matcher: "Write", hooks: [{ type: "command", command: NO, async: true }] },
        { matcher: "Bash", hooks: [{ type: "command", command: `${NO} `, async: true }] },
        { matcher: "Bash", hooks: [{ type: "command", command: "sh", args: ["-c", NO], async: true }] },
        {
          matcher: "Bash",
          sequential: true,
          hooks: [
            { type: "command", command: "true" },
            { type: "command", command: NO, async: true },
          ],
        },
      ],
      PostToolUse: [{ hooks: [{ type: "command", command: NO, async: true }] }],
    },
  };
  expect((await (await openProject({ native }).open()).fire("PreToolUse", bash("ls"))).decision).toBe("deny");
});

test("a copy that had its one run does not stand in for one that has not", async () => {
  const native = {
    hooks: {
      PreToolUse: [
        { matcher: "Bash", hooks: [{ type: "command", command: NO, once: true }] },
        { matcher: "*", hooks: [{ type: "command", command: NO, once: true }] },
      ],
    },
  };
  const hooks = await openProject({ native }).open();
  const write = { tool_name: "Write", tool_input: {}, tool_use_id: "toolu_2" };
  expect((await hooks.fire("PreToolUse", write)).decision).toBe("deny");
  expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
  expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("none");
});

test("a copy of an http hook in the background leaves the denial of the server standing", async () => {
  const answer = JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" } });
  const server = await startServer({ "/guard": (response) => response.end(answer) });
  const hook = { type: "http", url: `${server.origin}/guard` };
  const settings = { settings: { allowLoopback: true } };
  const native = { hooks: { PreToolUse: [{ hooks: [hook, { ...hook, async: true, timeout: 1 }] }] } };
  const hooks = await openProject({ userNative: settings, native }).open();
  expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
});

test("the same words in two files are two hooks if each finds another program by them", async () => {
  const project = openProject({ userNative: hooksFor("PreToolUse", "my-guard"), native: hooksFor("PreToolUse", "my-guard") });
  const program = (folder: string, text: string): string => {
    const file = project.write(`${folder}/my-guard`, `#!/bin/sh\n${text}\n`);
    chmodSync(file, 0o755);
    return path.dirname(file);
  };
  const bins = [program("project/node_modules/.bin", NO), program("bin", "exit 0")];
  const hooks = await project.open({ ports: { env: { PATH: [...bins, "/usr/bin:/bin"].join(":") } } });
  expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
  expect(project.codes()).not.toContain("HL_CONFIG_DUPLICATE");
});

test("modules of the same relative name beside two files are two hooks", async () => {
  const entry = { PreToolUse: [{ hooks: [{ type: "module", path: "./guard.mjs", guard: true }] }] };
  const project = openProject({ userNative: { hooks: entry }, native: { hooks: entry } });
  project.write("home/.config/hookloop/guard.mjs", "export default () => {};\n");
  project.write("project/.hookloop/guard.mjs", 'export default () => ({ decision: "deny", reason: "no" });\n');
  const hooks = await project.open();
  expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
  expect(project.codes()).not.toContain("HL_CONFIG_DUPLICATE");
});

test("plugins of the same name, each with its own script, both judge", async () => {
  const project = openProject();
  const plugin = (folder: string, text: string): string => {
    project.write(`${folder}/guards/hooks/hooks.json`, hooksFor("PreToolUse", 'sh "${CLAUDE_PLUGIN_ROOT}/g.sh"'));
    return path.dirname(project.write(`${folder}/guards/g.sh`, `${text}\n`));
  };
  const [strict, silent] = [plugin("a", NO), plugin("b", "exit 0")];
  for (const plugins of [
    [strict, silent],
    [silent, strict],
  ])
    expect((await (await project.open({ plugins })).fire("PreToolUse", bash("ls"))).decision).toBe("deny");
});

describe("a copy that may not run", () => {
  const copy = { command: NO, async: true };

  test("because it is not approved does not stand in for one that may", async () => {
    const project = openProject({
      user: hooksFor("PreToolUse", NO),
      local: hooksFor("PreToolUse", [copy]),
      project: hooksFor("PreToolUse", [copy]),
    });
    const hooks = await project.open({ trust: "store" });
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
    expect(hooks.refused).toHaveLength(2);
  });

  test("because it is switched off does not stand in for one that may", async () => {
    const project = openProject({
      user: hooksFor("PreToolUse", [{ command: NO, name: "mine" }]),
      native: hooksFor("PreToolUse", NO),
      project: hooksFor("PreToolUse", [{ command: NO, name: "theirs" }]),
    });
    const hooks = await project.open({ ports: { env: { HOOKLOOP_DISABLE: "mine" } } });
    expect(hooks.refused).toHaveLength(1);
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
  });
});

test("a skill's copy that runs once leaves a hook of the project standing", async () => {
  const project = openProject({ project: hooksFor("PreToolUse", NO) });
  const hooks = await project.open();
  const text = `---\nname: s\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: ${JSON.stringify(NO)}\n          once: true\n---\n`;
  await hooks.attach({ text, file: project.path("skill/SKILL.md"), skill: "s" });
  for (let run = 0; run < 3; run++) expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
});
