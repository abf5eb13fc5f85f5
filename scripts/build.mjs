#!/usr/bin/env node
// Builds both packages: declarations and plain JavaScript by tsc, the SDK's entries and the command line by esbuild.
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { build } from "esbuild";
import { pruneDeclarations } from "./prune-declarations.mjs";

const { version } = JSON.parse(readFileSync("packages/hookloop/package.json", "utf8"));
const common = {
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  splitting: true,
  charset: "utf8",
  logLevel: "warning",
  logOverride: { "ignored-bare-import": "silent" },
};

for (const name of ["sdk", "hookloop"]) rmSync(`packages/${name}/dist`, { recursive: true, force: true });
execFileSync("node_modules/.bin/tsc", ["--build", "--force"], { stdio: "inherit" });
pruneDeclarations("packages/sdk/dist/types", ["index.d.ts", "hook/index.d.ts", "testing/index.d.ts"]);

// Each entry is one file, because every file costs a hook script half a millisecond. The runner is another, loaded when a script runs;
// what they share at run time is shared by global symbols, so that copies of the SDK understand each other.
const runner = {
  name: "runner",
  setup: ({ onResolve }) =>
    onResolve({ filter: /run\/index\.ts$/ }, ({ kind }) =>
      kind === "dynamic-import" ? { path: "./runner.js", external: true } : undefined,
    ),
};
await build({
  ...common,
  splitting: false,
  entryPoints: {
    index: "packages/sdk/src/index.ts",
    hook: "packages/sdk/src/hook/index.ts",
    testing: "packages/sdk/src/testing/index.ts",
    runner: "packages/sdk/src/run/index.ts",
  },
  outdir: "packages/sdk/dist",
  minifyWhitespace: true,
  minifySyntax: true,
  plugins: [runner],
});

await build({
  ...common,
  entryPoints: { main: "packages/hookloop/src/cli/main.ts" },
  outdir: "packages/hookloop/dist/cli",
  minify: true,
  define: { __HOOKLOOP_VERSION__: JSON.stringify(version) },
  // commander is CommonJS and asks for Node's own modules with require.
  banner: { js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);' },
});

execFileSync(process.execPath, ["scripts/run-typescript.mjs", "scripts/write-schemas.ts"], { stdio: "inherit" });
