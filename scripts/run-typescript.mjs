#!/usr/bin/env node
// Runs a TypeScript file of this repository on Node 20: bundles it into a temporary folder, then imports the bundle.
//   node scripts/run-typescript.mjs scripts/generate/sdk.ts
import { mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const [, , entry] = process.argv;
const folder = mkdtempSync(path.resolve("node_modules/.run-typescript-"));
const outfile = path.join(folder, "bundle.mjs");
// The SDK from source: a script may be about to change what it is built from.
const alias = {
  "@hookloop/sdk/testing": path.resolve("packages/sdk/src/testing/index.ts"),
  "@hookloop/sdk": path.resolve("packages/sdk/src/index.ts"),
};
try {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    alias,
    sourcemap: "inline",
    logLevel: "warning",
  });
  await import(pathToFileURL(outfile).href);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
