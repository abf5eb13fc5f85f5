import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

// Tests run from source; only what starts a real process (`*.process.test.ts`) needs the build.
const alias = {
  "@hookloop/sdk/host": source("packages/sdk/src/host.ts"),
  "@hookloop/sdk/testing": source("packages/sdk/src/testing/index.ts"),
  "@hookloop/sdk": source("packages/sdk/src/index.ts"),
};
const exclude = ["**/node_modules/**", "**/dist/**"];

export default defineConfig({
  test: {
    // One worker for each core: the default leaves one core idle, and on two cores that doubles the time.
    maxWorkers: "100%",
    projects: [
      {
        resolve: { alias },
        test: {
          name: "unit",
          include: ["packages/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [...exclude, "**/*.process.test.ts"],
          testTimeout: 60_000,
        },
      },
      {
        resolve: { alias },
        test: { name: "process", include: ["packages/**/*.process.test.ts", "test/**/*.process.test.ts"], exclude, testTimeout: 60_000 },
      },
    ],
  },
});
