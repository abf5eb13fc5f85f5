import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { answerOf, denial, runScript, temporaryFolder, toolCall } from "./run-script.ts";

const BODY = `hook("PreToolUse", { tool: "Bash", guard: true }, (input) => (input.tool_input.command.includes("--force") ? deny("no --force") : undefined));\n`;
const HOOKS = {
  "hook.mjs": `import { deny, hook } from "@hookloop/sdk";\n${BODY}`,
  "hook.cjs": `const { deny, hook } = require("@hookloop/sdk");\n${BODY}`,
  "small.mjs": `import { deny, hook } from "@hookloop/sdk/hook";\n${BODY}`,
  "s4.mjs": `import { emitBlock, loadHookInput, runHook } from "@hookloop/sdk";
runHook(() => { if (loadHookInput().tool_input.command.includes("--force")) emitBlock("no --force"); }, "s4", { guard: true });\n`,
};

let tarball = "";

beforeAll(() => {
  const sdk = fileURLToPath(new URL("../../packages/sdk", import.meta.url));
  const folder = temporaryFolder();
  execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder], { cwd: sdk });
  tarball = path.join(folder, String(readdirSync(folder)[0]));
}, 30_000);

/** A folder with nothing but hook scripts, into which the tarball is brought. */
function emptyProject(install: (folder: string) => void): string {
  const folder = temporaryFolder();
  install(folder);
  for (const [name, text] of Object.entries(HOOKS)) writeFileSync(path.join(folder, name), text);
  return folder;
}

function unpack(folder: string): void {
  const target = path.join(folder, "node_modules", "@hookloop", "sdk");
  mkdirSync(target, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", target, "--strip-components=1"]);
}

function installOffline(folder: string): void {
  execFileSync("npm", ["install", "--silent", "--offline", "--no-audit", "--no-fund", "--ignore-scripts", tarball], { cwd: folder });
}

describe("the packed SDK", () => {
  test("is at most 40 files, all of them built ones or asked for by npm", () => {
    const files = String(execFileSync("tar", ["-tzf", tarball]))
      .trim()
      .split("\n");
    expect(files.length).toBeLessThanOrEqual(40);
    expect(
      files.filter((file) => !/^package\/(dist\/[\w-]+\.js|dist\/types\/.+\.d\.ts|package\.json|README\.md|LICENSE)$/.test(file)),
    ).toEqual([]);
  });

  test("has no dependencies and runs nothing when it is installed", () => {
    const manifest = JSON.parse(String(execFileSync("tar", ["-xzOf", tarball, "package/package.json"]))) as Record<string, unknown>;
    const { dependencies, peerDependencies, optionalDependencies, bundleDependencies, scripts } = manifest;
    expect({ dependencies, peerDependencies, optionalDependencies, bundleDependencies, scripts }).toEqual({});
  });

  test("imports nothing but Node's own modules and its own files", () => {
    const folder = emptyProject(unpack);
    const dist = path.join(folder, "node_modules/@hookloop/sdk/dist");
    const sources = readdirSync(dist)
      .filter((name) => name.endsWith(".js"))
      .map((name) => readFileSync(path.join(dist, name), "utf8"));
    const imported = sources.flatMap((source) =>
      [...source.matchAll(/(?:\bfrom|\bimport\(?|\brequire\()\s*["']([^"']+)["']/g)].map(([, name]) => name),
    );
    expect(imported.filter((name) => !/^(node:|\.\/)/.test(String(name)))).toEqual([]);
  });
});

describe.each([
  ["unpacked", unpack],
  ["installed by npm without a network", installOffline],
])("in an empty folder, %s, the SDK alone", (_, install) => {
  let folder = "";
  beforeAll(() => {
    folder = emptyProject(install);
  }, 30_000);

  test.each(Object.keys(HOOKS))("%s blocks and lets through", async (name) => {
    const denied = await runScript(path.join(folder, name), { cwd: folder, stdin: toolCall("git push --force") });
    expect(answerOf(denied)).toEqual(denial("no --force"));
    expect(denied).toMatchObject({ stderr: "", exitCode: 0 });
    expect(await runScript(path.join(folder, name), { cwd: folder, stdin: toolCall("ls") })).toMatchObject({
      stdout: "",
      stderr: "",
      exitCode: 0,
    });
  });

  test.skipIf(process.allowedNodeEnvironmentFlags.has("--experimental-strip-types") || "typescript" in process.features)(
    "a TypeScript hook that nothing there can compile is no hook without an opinion: the test of it is told what to install",
    () => {
      writeFileSync(path.join(folder, "hook.ts"), "const a: number = 1;\n");
      const script = `import { runHookFile } from "@hookloop/sdk/testing"; await runHookFile("hook.ts", "PreToolUse");`;
      const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], { cwd: folder, encoding: "utf8" });
      expect(stderr).toMatch(/HL_TEST_NO_TYPESCRIPT: Node \S+ cannot run hook\.ts\. Use Node 22\.18 or later, or install .*esbuild/);
      expect(status).toBe(1);
    },
  );

  test.each(Object.keys(HOOKS))("%s blocks when it cannot read the event, with nothing but the reason on stderr", async (name) => {
    const ended = await runScript(path.join(folder, name), { cwd: folder, stdin: toolCall("ls", { hook_event_name: "NotAnEvent" }) });
    expect(ended).toMatchObject({
      stdout: "",
      stderr: expect.stringMatching(/^The guard \S+ failed, so it blocks\. HL_SDK_EVENT_UNKNOWN: .*\n$/),
      exitCode: 2,
    });
  });
});
