import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { SlowFirst } from "./test/slow-first.ts";

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

// Tests run from source; only what starts a real process (`*.process.test.ts`) needs the build.
const alias = {
  "@hookloop/sdk/host": source("packages/sdk/src/host.ts"),
  "@hookloop/sdk/testing": source("packages/sdk/src/testing/index.ts"),
  "@hookloop/sdk": source("packages/sdk/src/index.ts"),
};
// They test what a module of the SDK remembers from its first use, who made a result, or play the tests of another file again: they need modules of their own.
const ownModules = [
  "packages/sdk/src/write-log.test.ts",
  "packages/hookloop/src/engine/same-path.test.ts",
  "test/security/embedder-slips.test.ts",
  "test/engine/execute/through-broker/*.test.ts",
];
const setupFiles = ["test/setup.ts"];
const exclude = ["**/node_modules/**", "**/dist/**"];
/** A busy machine can make a real process late once. `scripts/second-tries.mjs` names the tests that needed another try. */
const retry = 1;

export default defineConfig({
  test: {
    // One worker for each core: the default leaves one core idle, and on two cores that doubles the time.
    maxWorkers: "100%",
    sequence: { sequencer: SlowFirst },
    projects: [
      {
        resolve: { alias },
        test: {
          name: "unit",
          include: ["packages/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [...exclude, "**/*.process.test.ts", ...ownModules],
          setupFiles,
          // Loading the modules anew for each file took half of the time. What helpers undo is in test/cleanup.ts.
          isolate: false,
          testTimeout: 60_000,
        },
      },
      {
        resolve: { alias },
        test: {
          name: "process",
          include: ["packages/**/*.process.test.ts", "test/**/*.process.test.ts"],
          exclude: [...exclude, ...ownModules],
          setupFiles,
          globalSetup: ["test/real-python.ts"],
          isolate: false,
          testTimeout: 60_000,
          retry,
        },
      },
      { resolve: { alias }, test: { name: "own-modules", include: ownModules, exclude, setupFiles, testTimeout: 60_000, retry } },
    ],
  },
});
