#!/usr/bin/env node
// Builds both packages: declarations and plain JavaScript by tsc; what is shipped (the SDK's entries, those of the library, the command line) by esbuild.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { build } from "esbuild";
import { lazyShell, READER, withIndex } from "./library-plugins.mjs";
import { pruneDeclarations } from "./prune-declarations.mjs";
import { SDK_BUILD } from "./sdk-build.mjs";

const { version, dependencies, optionalDependencies } = JSON.parse(readFileSync("packages/hookloop/package.json", "utf8"));
const common = {
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  splitting: true,
  // The main file of jsonc-parser hides its own imports from bundlers.
  mainFields: ["module", "main"],
  charset: "utf8",
  minify: true,
  define: { __HOOKLOOP_VERSION__: JSON.stringify(version) },
  logLevel: "warning",
  logOverride: { "ignored-bare-import": "silent" },
};

for (const name of ["sdk", "hookloop"]) rmSync(`packages/${name}/dist`, { recursive: true, force: true });
execFileSync("node_modules/.bin/tsc", ["--build", "--force"], { stdio: "inherit" });
pruneDeclarations("packages/sdk/dist/types", ["index.d.ts", "hook/index.d.ts", "testing/index.d.ts", "host.d.ts"]);

await build(SDK_BUILD);

// Programs of their own are looked for beside the file that starts them.
const PROGRAMS = {
  "broker-process": "packages/hookloop/src/run/process/broker-process.ts",
  "module-host": "packages/hookloop/src/run/module/module-host.ts",
  "preboot-process": "packages/hookloop/src/run/process/preboot-process.ts",
};

// Three hundred small files took three times as long to load as the few of a bundle. What the program may import too, the SDK above all, stays one copy.
const library = {
  ...common,
  outdir: "packages/hookloop/dist/lib",
  external: Object.keys({ ...dependencies, ...optionalDependencies }).filter((name) => name !== "jsonc-parser"),
};

// A quarter of the library, and a program without shell commands never needs it: it is loaded at its first use, at once, as only CommonJS can be in Node 20.
await build({
  ...library,
  splitting: false,
  format: "cjs",
  outdir: undefined,
  entryPoints: ["packages/hookloop/src/shell/index.ts"],
  outfile: `packages/hookloop/dist/lib/${READER}`,
  banner: { js: 'const __url = require("node:url").pathToFileURL(__filename).href;' },
  define: { ...common.define, "import.meta.url": "__url" },
});
await build({
  ...library,
  plugins: [lazyShell, withIndex],
  entryPoints: {
    index: "packages/hookloop/src/index.ts",
    agent: "packages/hookloop/src/agent.ts",
    builtin: "packages/hookloop/src/builtin/index.ts",
    shell: "packages/hookloop/src/shell.ts",
    trace: "packages/hookloop/src/trace.ts",
    teaching: "packages/hookloop/src/compat/teaching.ts",
    production: "packages/hookloop/src/compat/production.ts",
    sampling: "packages/hookloop/src/compat/sampling.ts",
  },
});
// Apart too: a hook script that starts with each event needs a tenth of what it would share with the others. Git and programs come when they are asked for.
await build({ ...library, plugins: [lazyShell], entryPoints: { context: "packages/hookloop/src/context/index.ts" } });
// Apart from the entries: what they share with these would be cut into a dozen small files.
await build({ ...library, plugins: [lazyShell], entryPoints: PROGRAMS });

await build({
  ...common,
  entryPoints: {
    ...PROGRAMS,
    main: "packages/hookloop/src/cli/main.ts",
    program: "packages/hookloop/src/cli/program.ts",
  },
  outdir: "packages/hookloop/dist/cli",
  // Large, and loaded only by those who connect a server or compile a hook. The client of the Messages API is in the bundle:
  // its hundred files took a fifth of the time of a short headless run.
  external: ["@modelcontextprotocol/client", "oxc-transform", "re2js"],
  // commander is CommonJS and asks for Node's own modules with require.
  banner: { js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);' },
});

// What shipped hooks must do is data: `hookloop test --builtin` reads it.
mkdirSync("packages/hookloop/dist/shipped-cases", { recursive: true });
for (const name of readdirSync("packages/hookloop/src/builtin").filter((one) => one.endsWith(".cases.json")))
  cpSync(`packages/hookloop/src/builtin/${name}`, `packages/hookloop/dist/shipped-cases/${name}`);

execFileSync(process.execPath, ["scripts/run-typescript.mjs", "scripts/write-schemas.ts"], { stdio: "inherit" });
