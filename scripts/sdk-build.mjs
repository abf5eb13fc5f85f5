/**
 * How the SDK is bundled. Each entry is one file, because every file costs a hook script half a millisecond. The runner is another, loaded
 * when a script runs, and what explains mistakes a third, loaded when there may be one, main functions a fourth, and what is watched in guards and tests a fifth; what they share at run time is shared by global symbols, so that copies of the SDK understand each other.
 */
const lazyFiles = {
  name: "lazy-files",
  /** @param {import("esbuild").PluginBuild} build */
  setup: ({ onResolve }) =>
    onResolve({ filter: /(run\/index|\/mistakes|\/slips|\/script-of)\.ts$/ }, ({ kind, path }) =>
      kind === "dynamic-import" ? { path: `./${/mistakes|slips|script-of/.exec(path)?.[0] ?? "runner"}.js`, external: true } : undefined,
    ),
};

/** @type {import("esbuild").BuildOptions} */
export const SDK_BUILD = {
  bundle: true,
  minify: true,
  platform: "node",
  format: "esm",
  target: "node20",
  charset: "utf8",
  logLevel: "warning",
  entryPoints: {
    index: "packages/sdk/src/index.ts",
    hook: "packages/sdk/src/hook/index.ts",
    testing: "packages/sdk/src/testing/index.ts",
    host: "packages/sdk/src/host.ts",
    runner: "packages/sdk/src/run/index.ts",
    mistakes: "packages/sdk/src/run/mistakes.ts",
    slips: "packages/sdk/src/run/slips.ts",
    "script-of": "packages/sdk/src/run/script-of.ts",
  },
  outdir: "packages/sdk/dist",
  plugins: [lazyFiles],
};
