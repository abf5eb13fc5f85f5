#!/usr/bin/env node
// Opt-in: the program that the cases were recorded with plays them again, and runs a hook written with @hookloop/sdk. Ends with one plain
// line: `N passed, N failed`.
//   node scripts/test-real.mjs
// It is fetched into a temporary folder and started with an empty environment, a home of its own and a network that has only `lo`.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

// The version of the recorded cases, exactly: without it npm takes an older one that fits this Node.
const VERSION = "2.1.325";
const PACKAGE = `@anthropic-ai/claude-code@${VERSION}`;
const INSTALL_LIMIT_MS = 300_000;
const RUN_LIMIT_MS = 120_000;
const CASES_LIMIT_MS = 1_200_000;

const here = process.cwd();
const folder = mkdtempSync(path.join(tmpdir(), "hookloop-real-"));
try {
  process.exitCode = run();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run() {
  const namespace = spawnSync("unshare", ["--net", "ip", "link", "set", "lo", "up"], { stdio: "ignore" });
  if (namespace.status !== 0) return skipped("network namespaces are not permitted here");
  const program = install();
  if (!program) return skipped(`${PACKAGE} could not be installed from the registry`);
  const version = spawnSync("unshare", ["--net", program, "--version"], { env: isolated(), encoding: "utf8", timeout: RUN_LIMIT_MS });
  if (version.status !== 0) return skipped(`${PACKAGE} does not start here: ${(version.stderr || "no output").trim().slice(0, 200)}`);
  if (!version.stdout.startsWith(`${VERSION} `)) return skipped(`${PACKAGE} calls itself ${version.stdout.trim()}`);
  console.log(`Claude Code ${version.stdout.trim()}`);
  const own = ["--cases", "test/conformance/own-cases.json"];
  const results = [
    playSdkHook(program),
    // The endpoint has one port.
    playCases(program, ["--only", "^http-"]),
    playCases(program, ["--only", "^(?!http-)", "--jobs", "2"]),
    playCases(program, [...own, "--jobs", "2"]),
  ];
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  console.log(`${sum("passed")} passed, ${sum("failed")} failed`);
  return results.every(({ passed, failed }) => passed > 0 && failed === 0) ? 0 : 1;
}

function playSdkHook(program) {
  const { status, stdout, stderr } = alone([path.join(here, "scripts", "real", "play.mjs"), program, makeProject()], RUN_LIMIT_MS);
  console.log(status === 0 ? stdout.trim() : `${stdout}\n${stderr.slice(-4000)}`);
  return status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/** Only what was recorded, with what differs there. The program keeps files in /tmp unless it is told another place. */
function playCases(program, options) {
  const runner = path.join(here, "test", "conformance", "run.mjs");
  const command = ["env", `CLAUDE_CODE_TMPDIR=${folder}`, program];
  const { stdout, stderr } = alone([runner, "--as-recorded", ...options, "--", ...command], CASES_LIMIT_MS);
  const [line, passed = 0, failed = 1] = /(\d+) passed, (\d+) failed\s*$/.exec(stdout) ?? [];
  const wrong = stdout.split(/^(?=[✓✗])/m).filter((text) => text.startsWith("✗"));
  console.log(
    [`recorded cases ${options.join(" ")}: ${line?.trim() ?? `no result\n${stderr.slice(-4000)}`}`, ...wrong].join("\n").trimEnd(),
  );
  return { passed: Number(passed), failed: Number(failed) };
}

/** Player, model and agent are in one namespace: there is no way out of it. */
function alone(args, timeout) {
  const inner = `ip link set lo up && exec "$0" "$@"`;
  return spawnSync("unshare", ["--net", "sh", "-c", inner, process.execPath, ...args], {
    env: isolated(),
    cwd: here,
    encoding: "utf8",
    timeout,
  });
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
    TMPDIR: folder,
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
