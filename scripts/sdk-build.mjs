/**
 * How the SDK is bundled. Each entry is one file, because every file costs a hook script half a millisecond. The runner is another, loaded
 * when a script runs; what they share at run time is shared by global symbols, so that copies of the SDK understand each other.
 */
const runner = {
  name: "runner",
  /** @param {import("esbuild").PluginBuild} build */
  setup: ({ onResolve }) =>
    onResolve({ filter: /run\/index\.ts$/ }, ({ kind }) =>
      kind === "dynamic-import" ? { path: "./runner.js", external: true } : undefined,
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
    host: "packages/sdk/src/host/index.ts",
    runner: "packages/sdk/src/run/index.ts",
  },
  outdir: "packages/sdk/dist",
  plugins: [runner],
};
