import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";

let base = "";
let script = "";

beforeAll(async () => {
  base = mkdtempSync(path.join(tmpdir(), "hookloop-store-"));
  script = path.join(base, "update.mjs");
  // A program of its own: two processes share nothing but the file.
  const source = `
    import { openTrust } from "./packages/hookloop/src/open/trust.ts";
    import { digestOf } from "./packages/hookloop/src/trust/pin/examine-hook.ts";
    const [home, name, count] = process.argv.slice(2);
    const report = (diagnostic) => { console.error(diagnostic.text); process.exitCode = 1; };
    const { store } = openTrust({ trust: "store", isStrict: false, cwd: home + "/project", home, env: {}, report });
    for (let index = 0; index < Number(count); index += 1) {
      const definition = { root: "/p", source: {}, event: "Stop", kind: "command", sequential: false, fields: { name, index }, programs: {}, files: [] };
      const digest = digestOf(definition);
      await store.update((records) => records.set(digest, { digest, id: name + index, name, file: "/f", definition, unresolved: [], decision: { verdict: "approved", by: "t", at: "", how: "command" } }));
    }`;
  await build({
    stdin: { contents: source, resolveDir: process.cwd(), loader: "js" },
    bundle: true,
    format: "esm",
    platform: "node",
    outfile: script,
    mainFields: ["module", "main"],
    alias: {
      "@hookloop/sdk/host": path.resolve("packages/sdk/src/host.ts"),
      "@hookloop/sdk": path.resolve("packages/sdk/src/index.ts"),
    },
    define: { __HOOKLOOP_VERSION__: '"0"' },
  });
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function update(home: string, name: string, count: number): Promise<number | null> {
  const child = spawn(process.execPath, [script, home, name, String(count)], { stdio: ["ignore", "inherit", "inherit"] });
  return new Promise((resolve) => child.on("close", resolve));
}

const ids = (home: string): string[] => {
  const { hooks } = JSON.parse(readFileSync(path.join(home, ".local/state/hookloop/trust.json"), "utf8"));
  return Object.values<{ id: string }>(hooks).map(({ id }) => id);
};

test("two processes that update the store at once lose nothing and leave nothing behind", async () => {
  const home = mkdtempSync(path.join(base, "home-"));
  expect(await Promise.all([update(home, "a", 100), update(home, "b", 100)])).toEqual([0, 0]);
  expect(new Set(ids(home)).size).toBe(200);
  expect(readdirSync(path.join(home, ".local/state/hookloop"))).toEqual(["trust.json"]);
});

test("a process killed in the middle leaves a store that can be read and a lock that can be taken over", async () => {
  const home = mkdtempSync(path.join(base, "home-"));
  await update(home, "first", 1);
  for (let round = 0; round < 5; round += 1) {
    const child = spawn(process.execPath, [script, home, `killed${round}`, "500"], { stdio: "ignore" });
    await new Promise((resolve) => setTimeout(resolve, 150 + round * 37));
    child.kill("SIGKILL");
    await new Promise((resolve) => child.on("close", resolve));
    expect(ids(home)).toContain("first0");
  }
  expect(await update(home, "last", 1)).toBe(0);
  expect(ids(home)).toEqual(expect.arrayContaining(["first0", "last0"]));
});

test("the lock of a dead process whose pid lives again is taken over", async () => {
  const home = mkdtempSync(path.join(base, "home-"));
  await update(home, "x", 1);
  // This test's own pid, with a start time that is not its own.
  writeFileSync(path.join(home, ".local/state/hookloop/trust.json.lock"), `${process.pid} 1\n`);
  expect(await update(home, "y", 1)).toBe(0);
});
