#!/usr/bin/env node
// Runs every test there is, the quick ones first, and ends with one plain line: `N passed, N failed`. Builds first if a source is newer.
//   node scripts/test.mjs [unit|conformance|examples|process …]
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { buildIfStale } from "./build-if-stale.mjs";

/** In the order in which they run. The times are those of a quiet machine with two cores. */
const PARTS = {
  unit: { what: "unit tests, from source", minutes: 1, run: () => [runVitest(["unit"])] },
  conformance: { what: "recorded cases of Claude Code and our own, played against our agent", minutes: 0.5, run: runConformance },
  examples: { what: "the tests of the examples", minutes: 0.5, run: () => [runExamples()] },
  process: { what: "tests with real processes, files, sockets and terminals", minutes: 4, run: () => [runProcesses()] },
};
const wanted = process.argv.slice(2);
const unknown = wanted.filter((part) => !Object.hasOwn(PARTS, part));
if (unknown.length > 0) {
  console.error(`There are no "${unknown[0]}" tests. Parts: ${Object.keys(PARTS).join(", ")}`);
  process.exit(2);
}
const parts = Object.keys(PARTS).filter((part) => wanted.length === 0 || wanted.includes(part));

buildIfStale();
const total = parts.reduce((minutes, part) => minutes + PARTS[part].minutes, 0);
console.log(`${parts.length === 1 ? "One part" : `${parts.length} parts`}, about ${Math.ceil(total)} minutes on two cores.`);
const results = parts.flatMap((part, index) => {
  const { what, minutes, run } = PARTS[part];
  console.log(`\n[${index + 1}/${parts.length}] ${part}: ${what} (${inWords(minutes)})`);
  const startedAt = performance.now();
  const found = run();
  console.log(`${part}: ${Math.round((performance.now() - startedAt) / 1000)} s`);
  return found;
});

const sum = (key) => results.reduce((total, result) => total + result[key], 0);
console.log(`${sum("passed")} passed, ${sum("failed")} failed${sum("skipped") > 0 ? `, ${sum("skipped")} skipped` : ""}`);
process.exit(results.every(({ ok }) => ok) && sum("failed") === 0 ? 0 : 1);

function inWords(minutes) {
  if (minutes < 1) return "about half a minute";
  return minutes === 1 ? "about a minute" : `about ${minutes} minutes`;
}

/** Two thirds of their time is waiting, for a limit or a screen, so there are more workers than cores. */
function runProcesses() {
  return runVitest(["process", "own-modules"], [`--maxWorkers=${2 * availableParallelism() + 1}`]);
}

function runVitest(projects, options = []) {
  const folder = mkdtempSync(path.join(tmpdir(), "hookloop-test-"));
  const report = path.join(folder, "report.json");
  const { status } = spawnSync(
    "node_modules/.bin/vitest",
    [
      "run",
      ...projects.flatMap((project) => ["--project", project]),
      ...options,
      "--reporter=default",
      "--reporter=json",
      `--reporter=${path.resolve("scripts/second-tries.mjs")}`,
      `--outputFile.json=${report}`,
    ],
    {
      stdio: "inherit",
    },
  );
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numFailedTestSuites, numTotalTests } = JSON.parse(
      readFileSync(report, "utf8"),
    );
    // A file that could not be loaded has no tests of its own, but it is a failure.
    const failed = numFailedTests || numFailedTestSuites;
    return { ok: status === 0 && numTotalTests > 0, passed: numPassedTests, failed, skipped: numPendingTests };
  } catch {
    return { ok: false, passed: 0, failed: 1, skipped: 0 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The recorded cases and our own, played against our own agent. Most of them in agents that stay, since a start takes longer than most
 * cases; those of an untrusted project start the command each. Many only wait, for a hook that is slow on purpose.
 */
function runConformance() {
  const trusted = ["node_modules/.bin/hookloop", "agent", "--trust-workspace"];
  const jobs = ["--jobs", `${2 * availableParallelism()}`];
  const own = ["--cases", "test/conformance/own-cases.json", ...jobs];
  return [
    play([...jobs, "--resident"], trusted),
    play([...own, "--only", "^(?!untrusted-)", "--resident"], trusted),
    play([...own, "--only", "^untrusted-"], trusted.slice(0, -1)),
  ];
}

function play(options, agent) {
  const { status, stdout } = spawnSync(process.execPath, ["test/conformance/run.mjs", ...options, "--", ...agent], { encoding: "utf8" });
  const [, passed = 0, failed = 1] = /(\d+) passed, (\d+) failed\s*$/.exec(stdout) ?? [];
  if (status !== 0) console.log(stdout);
  return { ok: status === 0 && Number(passed) > 0, passed: Number(passed), failed: Number(failed), skipped: 0 };
}

function runExamples() {
  const files = readdirSync("examples", { recursive: true }).filter((file) => file.endsWith(".test.mjs") && !file.includes("node_modules"));
  const { status, stdout } = spawnSync(
    process.execPath,
    // By default it leaves one core idle.
    ["--test", `--test-concurrency=${availableParallelism()}`, "--test-reporter=tap", ...files.map((file) => path.join("examples", file))],
    { encoding: "utf8" },
  );
  const count = (word) => Number(new RegExp(`^# ${word} (\\d+)$`, "m").exec(stdout)?.[1] ?? 0);
  if (status !== 0) console.log(stdout);
  return { ok: status === 0 && count("pass") > 0, passed: count("pass"), failed: count("fail"), skipped: count("skipped") };
}
