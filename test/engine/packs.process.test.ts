import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { HookEngine } from "../../packages/hookloop/src/engine/engine.ts";
import { programFromSource } from "../../packages/hookloop/src/run/module/host-from-source.test-suite.ts";
import { createModuleRunner } from "../../packages/hookloop/src/run/module/module-runner.ts";
import type { Approval, PendingHook } from "../../packages/hookloop/src/trust/types.ts";
import { bash, openProject, type Project } from "./open-project.ts";

const modules = createModuleRunner({
  environment: { PATH: process.env["PATH"] ?? "" },
  version: "0",
  script: await programFromSource("./module-host.ts"),
});
afterAll(() => modules.close());

const ports = { runners: { module: modules.run } };
const yes = async (pending: readonly PendingHook[]): Promise<readonly Approval[]> =>
  pending.map(({ hook, digest }) => ({ id: hook.id, digest }));

const PACK = "project/node_modules/@team/hookpack";
const GUARD = `import { isBad } from "./rules.js";
interface Input { tool_input: { command: string } }
export default ({ tool_input }: Input) => (isBad(tool_input.command) ? { decision: "block", reason: "the pack blocks" } : undefined);
`;
const HOOKS = {
  hooks: {
    PreToolUse: [
      { matcher: "Bash", hooks: [{ type: "module", path: "./lib/guard.ts", files: ["lib/*.ts"] }] },
      { matcher: "Bash", hooks: [{ type: "command", command: 'sh "$CLAUDE_PLUGIN_ROOT/mark.sh"' }] },
    ],
  },
};

/** A project with a pack installed; every part can be replaced. */
function withPack(manifest: object | string = { hookloop: { hooks: "./hooks.json" } }, hooks: unknown = HOOKS): Project {
  const project = openProject({ native: '{\n  "plugins": ["@team/hookpack"]\n}\n' });
  project.write(`${PACK}/package.json`, typeof manifest === "string" ? manifest : { name: "@team/hookpack", type: "module", ...manifest });
  project.write(`${PACK}/hooks.json`, hooks);
  project.write(`${PACK}/lib/guard.ts`, GUARD);
  project.write(`${PACK}/lib/rules.ts`, `export const isBad = (command: string): boolean => command.startsWith("rm");\n`);
  project.write(`${PACK}/mark.sh`, "cat > /dev/null\ntouch ran\n");
  return project;
}

async function says(hooks: HookEngine, command: string): Promise<string> {
  return (await hooks.fire("PreToolUse", bash(command))).decision;
}

/** What the session says about a pack; nothing of it may run. */
async function complaint(project: Project): Promise<string> {
  const hooks = await project.open({ ports });
  expect(hooks.refused).toEqual([]);
  expect(await says(hooks, "rm x")).toBe("none");
  return project.diagnostics.map(({ code, text, place }) => `${code}: ${text} [${place?.file.split("/").pop()}:${place?.line}]`).join("\n");
}

describe("a pack named in a native file", () => {
  test("does not run before it was approved; then its TypeScript and its commands do, as hooks of a plugin", async () => {
    const project = withPack();
    const before = await project.open({ trust: "store", ports });
    expect(await says(before, "rm x")).toBe("none");
    expect(project.read("ran")).toBeUndefined();
    expect(project.codes()).toEqual(["HL_ADMIT_UNTRUSTED", "HL_ADMIT_UNTRUSTED"]);
    const root = project.path("node_modules/@team/hookpack");
    expect(before.refused.map(({ hook: { source } }) => source)).toMatchObject([
      { scope: "plugin", dialect: "native", root, plugin: { id: "@team/hookpack", root } },
      { scope: "plugin" },
    ]);
    const approved = await project.open({ trust: { review: yes }, ports });
    expect(approved.refused).toEqual([]);
    expect([await says(approved, "rm x"), await says(approved, "ls")]).toEqual(["deny", "none"]);
    expect(project.read("ran")).toBe("");
  });

  test.each([
    ["its module", "lib/guard.ts", "// edited\n"],
    ["what it declares in files", "lib/rules.ts", "export const isBad = () => false;\n"],
    ["its hooks file", "hooks.json", { hooks: { PreToolUse: [{ hooks: [{ type: "module", path: "./lib/rules.ts" }] }] } }],
  ])("waits for a new approval, and blocks meanwhile, after an edit of %s", async (_what, file, content) => {
    const project = withPack();
    await (await project.open({ trust: { review: yes }, ports })).close();
    project.write(`${PACK}/${file}`, content);
    const hooks = await project.open({ trust: "store", ports });
    expect(hooks.refused.map(({ hook }) => hook.name)).toContain(file === "hooks.json" ? "rules.ts" : "guard.ts");
    expect(await says(hooks, "rm x")).toBe("deny");
  });

  test("an edit in the middle of a session is refused before the next event, and nothing of it runs", async () => {
    const project = withPack();
    const hooks = await project.open({ trust: { review: yes }, ports });
    expect(await says(hooks, "rm x")).toBe("deny");
    const marker = project.path("marker");
    project.write(
      `${PACK}/lib/guard.ts`,
      `import fs from "node:fs";\nfs.writeFileSync(${JSON.stringify(marker)}, "");\nexport default () => ({});\n`,
    );
    expect(await says(hooks, "rm x")).not.toBe("none");
    expect(project.read("marker")).toBeUndefined();
    expect(project.codes()).toContain("HL_EXECUTE_UNTRUSTED");
  });

  test("paths of modules count from its root, wherever its hooks file is", async () => {
    const project = withPack({ hookloop: { hooks: "./config/hooks.json" } });
    project.write(`${PACK}/config/hooks.json`, HOOKS);
    expect(await says(await project.open({ ports }), "rm x")).toBe("deny");
    expect(project.codes()).toEqual([]);
  });

  test("of the user is looked for beside the user's file, and once if the project names it, too", async () => {
    const project = withPack();
    project.write("home/.config/hookloop/hooks.json", { plugins: ["@team/hookpack", "mine"] });
    project.write("home/.config/hookloop/node_modules/mine/package.json", { hookloop: { hooks: "hooks.json" } });
    project.write("home/.config/hookloop/node_modules/mine/hooks.json", {
      hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "touch mine" }] }] },
    });
    const hooks = await project.open({ trust: "store", ports });
    expect(hooks.refused.map(({ hook }) => hook.source.plugin?.id)).toEqual(["@team/hookpack", "@team/hookpack", "mine"]);
  });

  test("that is a link of a workspace is taken for what it really is", async () => {
    const project = withPack();
    rmSync(project.path("node_modules/@team"), { recursive: true });
    project.write("project/packs/own/package.json", { type: "module", hookloop: { hooks: "./hooks.json" } });
    project.write("project/packs/own/hooks.json", { hooks: { PreToolUse: [{ hooks: [{ type: "module", path: "g.mjs" }] }] } });
    project.write("project/packs/own/g.mjs", `export default () => ({ decision: "block", reason: "own" });\n`);
    mkdirSync(project.path("node_modules/@team"), { recursive: true });
    symlinkSync(project.path("packs/own"), project.path("node_modules/@team/hookpack"));
    expect(await says(await project.open({ ports }), "ls")).toBe("deny");
  });
});

describe("what is wrong with a pack is said with its place", () => {
  test("not installed", async () => {
    const project = openProject({ native: '{\n  "plugins": [\n    "@team/none"\n  ]\n}\n' });
    expect(await complaint(project)).toBe(
      'HL_CONFIG_PACK_MISSING: The pack "@team/none" is not installed, so none of its hooks run. Run: npm install --save-dev @team/none [hooks.json:3]',
    );
  });

  test.each(["../evil", "@team/../../evil", "/etc", "./x", ""])("%j is no name of a package", async (name) => {
    const project = openProject({ native: { plugins: [name] } });
    project.write("evil/package.json", { hookloop: { hooks: "hooks.json" } });
    project.write("evil/hooks.json", HOOKS);
    expect(await complaint(project)).toMatch(/^HL_CONFIG_PACK_MISSING: .* is not the name of a package/);
  });

  test("plugins must be a list of names", async () => {
    expect(await complaint(openProject({ native: { plugins: "@team/hookpack" } }))).toMatch(/^HL_CONFIG_WRONG_TYPE/);
  });

  test.each<[string, object | string, RegExp]>([
    ["no hookloop field", {}, /^HL_CONFIG_PACK_INVALID: The package @team\/hookpack is no hookpack/],
    ["no package.json worth reading", "nonsense", /HL_CONFIG_PACK_INVALID/],
    ["no hooks in it", { hookloop: {} }, /^HL_CONFIG_PACK_INVALID: "hookloop" of the package/],
    ["a hooks file that is not there", { hookloop: { hooks: "./none.json" } }, /^HL_CONFIG_PACK_INVALID: ".\/none.json" is not there/],
    ["a hooks file outside by ..", { hookloop: { hooks: "../../../evil.json" } }, /^HL_CONFIG_PACK_ESCAPES/],
    ["a hooks file outside by a link", { hookloop: { hooks: "./link.json" } }, /^HL_CONFIG_PACK_ESCAPES/],
    ["a number", { hookloop: { hooks: 7 } }, /^HL_CONFIG_PACK_INVALID/],
  ])("%s", async (_what, manifest, expected) => {
    const project = withPack(manifest);
    project.write("project/evil.json", HOOKS);
    symlinkSync(project.path("evil.json"), path.join(project.cwd, "../", PACK, "link.json"));
    expect(await complaint(project)).toMatch(expected);
  });

  test.each(["../../../evil.mjs", "./linked.mjs", "/etc/hostname"])("a module that leads out of it: %s", async (file) => {
    const project = withPack(undefined, { hooks: { PreToolUse: [{ hooks: [{ type: "module", path: file }] }] } });
    symlinkSync(project.write("project/evil.mjs", GUARD), path.join(project.cwd, "../", PACK, "linked.mjs"));
    expect(await complaint(project)).toMatch(/^HL_CONFIG_PACK_ESCAPES: The module .* \[hooks.json:1\]$/);
  });

  test("missing cases and ignored keys are named, and its hooks run", async () => {
    const project = withPack(
      { hookloop: { hooks: "./hooks.json", cases: "./cases.json" } },
      { ...HOOKS, settings: {}, plugins: ["other"] },
    );
    expect(await says(await project.open({ ports }), "rm x")).toBe("deny");
    expect(project.codes().toSorted()).toEqual([
      "HL_CONFIG_IGNORED_KEY",
      "HL_CONFIG_IGNORED_KEY",
      "HL_CONFIG_PACK_INVALID",
      "HL_CONFIG_PROTECTED_KEY",
    ]);
  });
});

test("warm takes true and false; anything else is named, and the hook is left out", async () => {
  const entry = (warm: unknown): object => ({ type: "command", command: "true", warm });
  const project = openProject({ native: { hooks: { PreToolUse: [{ hooks: [true, false, "preboot", "yes"].map(entry) }] } } });
  await project.open();
  expect(project.diagnostics.map(({ code, text }) => `${code}: ${text}`)).toEqual([
    'HL_CONFIG_WRONG_TYPE: "warm" must be true or false, not "preboot". Write true. The hook is left out.',
    'HL_CONFIG_WRONG_TYPE: "warm" must be true or false, not "yes". The hook is left out.',
    expect.stringContaining("HL_CONFIG_DUPLICATE"),
  ]);
});
