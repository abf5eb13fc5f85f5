import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { sampleHook, sampleInput } from "../sample-hook.test-suite.ts";
import { MEMORY_MB } from "./host-connection.ts";
import { hookFolder, programFromSource } from "./host-from-source.test-suite.ts";
import { COMPILER } from "./module-graph.ts";
import { createModuleRunner } from "./module-runner.ts";

const folder = hookFolder();
const runner = createModuleRunner({
  environment: { PATH: process.env["PATH"] ?? "" },
  version: "0",
  script: await programFromSource("./module-host.ts"),
  memoryMb: 48,
});
afterAll(() => runner.close());

const LEAKY = folder.write(
  "leaky.mjs",
  `const kept = [];
export const leaks = () => { for (;;) kept.push(Array.from({ length: 10_000 }, (_, index) => ({ index }))); };
export const counts = () => String(kept.length);
`,
);

describe.each([
  ["worker", /lost twice: it used more than 48 MB/],
  ["process", /lost twice: it was ended by SIGABRT|lost twice: it ended with exit code/],
])("a module in a %s that takes more memory than it may", (isolation, text) => {
  const ask = (name: string) =>
    runner.run({ hook: sampleHook({ target: { kind: "module", fields: { path: LEAKY, export: name, isolation } } }) }, sampleInput());

  it("fails with a word about it, this program lives, and the next call is right", async () => {
    expect((await ask("leaks")).failure).toMatchObject({ kind: "signal", text: expect.stringMatching(text) });
    expect(await ask("counts")).toMatchObject({ stdout: "0" });
  });
});

it("a module may use 512 MB", () => {
  expect(MEMORY_MB).toBe(512);
});

it("compiled files are kept under the version of the compiler that made them", () => {
  const { dependencies } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
  expect(COMPILER.split(",")[0]).toBe(`oxc-transform@${dependencies["oxc-transform"]}`);
});
