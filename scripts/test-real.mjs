#!/usr/bin/env node
// Opt-in: a real Claude Code runs a hook written with @hookloop/sdk, against our scripted model, and the block must take effect.
//   node scripts/test-real.mjs
// It is fetched into a temporary folder and started with an empty environment, a home of its own and a network that has only `lo`.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const PACKAGE = "@anthropic-ai/claude-code";
const INSTALL_LIMIT_MS = 300_000;
const RUN_LIMIT_MS = 120_000;

const here = process.cwd();
const folder = mkdtempSync(path.join(tmpdir(), "hookloop-real-"));
try {
  process.exitCode = run();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run() {
  const alone = spawnSync("unshare", ["--net", "ip", "link", "set", "lo", "up"], { stdio: "ignore" });
  if (alone.status !== 0) return skipped("network namespaces are not permitted here");
  const program = install();
  if (!program) return skipped(`${PACKAGE} could not be installed from the registry`);
  const version = spawnSync("unshare", ["--net", program, "--version"], { env: isolated(), encoding: "utf8", timeout: RUN_LIMIT_MS });
  if (version.status !== 0) return skipped(`${PACKAGE} does not start here: ${(version.stderr || "no output").trim().slice(0, 200)}`);
  const project = makeProject();
  // The player and the model run inside the same namespace as the agent: there is no way out of it.
  const inner = `ip link set lo up && exec "$0" "$@"`;
  const player = path.join(here, "scripts", "real", "play.mjs");
  const { status, stdout, stderr } = spawnSync("unshare", ["--net", "sh", "-c", inner, process.execPath, player, program, project], {
    env: isolated(),
    encoding: "utf8",
    timeout: RUN_LIMIT_MS,
  });
  const shown = `Claude Code ${version.stdout.trim()}`;
  if (status === 0) {
    console.log(`${shown}: ${stdout.trim()}\n1 passed, 0 failed`);
    return 0;
  }
  console.log(`${shown}: ${stdout}\n${stderr.slice(-4000)}\n0 passed, 1 failed`);
  return 1;
}

function install() {
  const prefix = path.join(folder, "program");
  spawnSync("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--prefix", prefix, PACKAGE], {
    cwd: folder,
    timeout: INSTALL_LIMIT_MS,
    stdio: "ignore",
  });
  const program = path.join(prefix, "node_modules", ".bin", "claude");
  return existsSync(program) ? program : undefined;
}

/** Nothing of the person's own: no keys, no settings, no home. */
function isolated() {
  const home = path.join(folder, "home");
  mkdirSync(home, { recursive: true });
  return {
    PATH: `${path.dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`,
    HOME: home,
    TERM: "dumb",
    LANG: "C.UTF-8",
  };
}

/** A project with one hook, which imports the SDK as any project would. */
function makeProject() {
  const project = path.join(folder, "project");
  mkdirSync(path.join(project, ".claude"), { recursive: true });
  mkdirSync(path.join(project, "node_modules", "@hookloop"), { recursive: true });
  symlinkSync(path.join(here, "packages", "sdk"), path.join(project, "node_modules", "@hookloop", "sdk"));
  writeFileSync(path.join(project, "guard.mjs"), readFileSync(path.join(here, "scripts", "real", "guard.mjs")));
  const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: 'node "$CLAUDE_PROJECT_DIR/guard.mjs"' }] }] };
  writeFileSync(path.join(project, ".claude", "settings.json"), JSON.stringify({ hooks }, null, 2));
  return project;
}

function skipped(why) {
  console.log(`skipped: ${why}`);
  return 0;
}
