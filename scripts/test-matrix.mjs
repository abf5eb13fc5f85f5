#!/usr/bin/env node
// Plays the recorded cases and the unit tests on other versions of Node than the one at hand. The build must be there.
//   node scripts/test-matrix.mjs [22 24 …]
// Each version is fetched into a temporary folder, never into the project.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const versions = process.argv.length > 2 ? process.argv.slice(2) : ["22", "24"];
const INSTALL_LIMIT_MS = 180_000;

const folder = mkdtempSync(path.join(tmpdir(), "hookloop-matrix-"));
let hasFailed = false;
try {
  for (const version of versions) console.log(testOn(version));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(hasFailed ? 1 : 0);

function testOn(version) {
  const node = install(version);
  if (!node) return `Node ${version}: skipped, node@${version} could not be fetched from the registry`;
  const name = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim();
  // First in PATH, so that whatever starts `node` starts this one.
  const env = { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}` };
  const { status, stdout, stderr } = spawnSync(node, ["scripts/test.mjs", "unit", "conformance"], {
    env,
    encoding: "utf8",
    maxBuffer: 64e6,
  });
  if (status === 0) return `Node ${name}: ${lastLine(stdout)}`;
  hasFailed = true;
  return `${stdout}\n${stderr}\nNode ${name}: FAILED, ${lastLine(stdout)}`;
}

function install(version) {
  const prefix = path.join(folder, version);
  spawnSync("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--prefix", prefix, `node@${version}`], {
    cwd: folder,
    timeout: INSTALL_LIMIT_MS,
    stdio: "ignore",
  });
  const node = path.join(prefix, "node_modules", "node", "bin", "node");
  return existsSync(node) ? node : undefined;
}

function lastLine(text) {
  return text.trimEnd().split("\n").at(-1);
}
