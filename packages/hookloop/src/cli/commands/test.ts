import { type Dirent, existsSync, readdirSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import type { Command } from "commander";
import type { CaseResult, SuiteResult } from "../../cases/index.ts";
import { counted, type Diagnostic, diagnosticLine, placeText, visible, visibleLine } from "../../diagnostic.ts";
import { print, printJson, style, UsageError, width, wrap } from "../terminal.ts";

interface TestOptions {
  readonly builtin?: boolean;
  readonly verbose?: boolean;
  readonly json?: boolean;
}

const HELP = `
Examples:
  hookloop test
  hookloop test .claude/hooks/guard.mjs
  hookloop test --builtin
  hookloop test --json | jq '.suites[].cases[] | select(.ok | not)'

A cases file stands beside its hook: guard.mjs has guard.cases.yaml (or .json).
  cases:
    - Bash: git push --force origin main
      expect: deny
    - Bash: git push origin feature
      expect: allow
expect is deny, ask, defer, approve, allow, none, or an object: { context: … }.
Your hooks are run, whether they are approved or not.
Exit codes: 0 every case holds, 1 one does not, 2 wrong usage.`;

export function addTestCommand(program: Command, setExitCode: (code: number) => void): void {
  program
    .command("test")
    .description("run hooks on the cases beside them")
    .argument("[files...]", "cases files, hooks, or folders; the current folder if left out")
    .option("--builtin", "the cases of the hooks that come with hookloop")
    .option("--verbose", "show every case")
    .option("--json", "print JSON")
    .addHelpText("after", HELP)
    .action(async (files: readonly string[], options: TestOptions) => setExitCode(await test(files, options)));
}

async function test(files: readonly string[], { builtin = false, verbose = false, json = false }: TestOptions): Promise<number> {
  if (builtin && files.length > 0) throw new UsageError("HL_CLI_USAGE", "--builtin runs the cases of shipped hooks, and takes no files.");
  const { CASES_ENDING, limitTo, runCasesFile, runShippedCases, stemOf } = await import("../../cases/index.ts");
  const { readFolder } = await import("../../state-files.ts");
  const cwd = process.cwd();
  const isCases = (name: string): boolean => CASES_ENDING.test(name);
  const found = builtin
    ? []
    : [...new Set((files.length === 0 ? ["."] : files).flatMap((file) => casesAt(file, { cwd, isCases, stemOf, readFolder })))];
  const place = { cwd, env: process.env };
  // Most of their time is waiting for a process.
  const limit = limitTo(2 * availableParallelism());
  const startedAt = performance.now();
  const running = builtin ? runShippedCases(place, limit) : Promise.all(found.map((file) => runCasesFile(file, place, limit)));
  const suites = (await running).map((suite) => ({
    ...suite,
    file: path.isAbsolute(suite.file) ? path.relative(cwd, suite.file) : suite.file,
  }));
  const counts = { passed: sum(suites, passedIn), failed: sum(suites, failedIn) };
  if (json) printJson({ ...counts, suites: suites.map(suiteJson) });
  else report(suites, { ...counts, verbose, ms: performance.now() - startedAt });
  return counts.failed > 0 || suites.length === 0 ? 1 : 0;
}

interface Search {
  readonly cwd: string;
  readonly isCases: (name: string) => boolean;
  readonly stemOf: (file: string) => string;
  readonly readFolder: (folder: string) => readonly Dirent[];
}

/** The cases files that an argument means. */
function casesAt(given: string, { cwd, isCases, stemOf, readFolder }: Search): readonly string[] {
  const file = path.resolve(cwd, given);
  if (!existsSync(file))
    throw new UsageError(
      "HL_CLI_USAGE",
      `There is no file ${visibleLine(given)}. \`hookloop test\` runs all cases below the current folder.`,
    );
  if (statSync(file).isDirectory()) return walk(file, { isCases, readFolder });
  if (isCases(file)) return [file];
  const stem = path.basename(file, path.extname(file));
  const folder = path.dirname(file);
  const beside = readdirSync(folder).filter((name) => isCases(name) && stemOf(name) === stem);
  if (beside.length === 0)
    throw new UsageError(
      "HL_CLI_USAGE",
      `${visibleLine(given)} has no cases. Write them beside it: ${stem}.cases.yaml. \`hookloop test --help\` shows how.`,
    );
  return beside.map((name) => path.join(folder, name));
}

const LEFT_OUT = ["node_modules", ".git", "dist"];
const MOST_FOLDERS = 20_000;

/** In the order of names. Links to folders are not followed. */
function walk(root: string, { isCases, readFolder }: Pick<Search, "isCases" | "readFolder">): readonly string[] {
  const files: string[] = [];
  const folders = [root];
  for (let at = 0; at < Math.min(folders.length, MOST_FOLDERS); at++) {
    const folder = folders[at] ?? root;
    for (const entry of readFolder(folder)) {
      const whole = path.join(folder, entry.name);
      if (entry.isDirectory() && !LEFT_OUT.includes(entry.name)) folders.push(whole);
      if (isCases(entry.name) && (entry.isFile() || entry.isSymbolicLink())) files.push(whole);
    }
  }
  return files.sort();
}

const sum = (suites: readonly SuiteResult[], count: (suite: SuiteResult) => number): number =>
  suites.reduce((total, one) => total + count(one), 0);
const errorsOf = ({ diagnostics }: SuiteResult): readonly Diagnostic[] => diagnostics.filter(({ level }) => level === "error");
const passedIn = ({ cases }: SuiteResult): number => cases.filter(({ mismatch }) => mismatch === undefined).length;
/** A file that cannot be used counts as one failure. */
const failedIn = (suite: SuiteResult): number => suite.cases.length - passedIn(suite) + (errorsOf(suite).length > 0 ? 1 : 0);

function suiteJson({ file, hook, isBare = false, cases, diagnostics }: SuiteResult): object {
  return {
    file,
    hook,
    isConfigured: !isBare,
    cases: cases.map(({ name, place, mismatch, durationMs }) => ({
      name,
      ok: mismatch === undefined,
      line: place.line,
      ...mismatch,
      durationMs: Math.round(durationMs),
    })),
    diagnostics,
  };
}

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly verbose: boolean;
  readonly ms: number;
}

function report(suites: readonly SuiteResult[], { passed, failed, verbose, ms }: Counts): void {
  if (suites.length === 0)
    print("There are no cases here. A hook guard.mjs has them in guard.cases.yaml beside it; `hookloop test --help` shows how.");
  for (const suite of suites) {
    const isFailed = failedIn(suite) > 0;
    const count = `${counted(suite.cases.length, "case")}${isFailed && suite.cases.length > 0 ? `, ${failedIn(suite)} failed` : ""}${suite.isBare ? ", in no configuration here" : ""}`;
    const hook = suite.hook !== undefined && !suite.file.startsWith(suite.hook) ? ` ${style("dim", visibleLine(suite.hook))}` : "";
    print(`${mark(!isFailed)} ${style("bold", visibleLine(suite.file))}${hook} (${count})`);
    if (isFailed || verbose || suites.length === 1) for (const one of suite.cases) printCase(one, suite.file);
    for (const diagnostic of suite.diagnostics) printDiagnosis(diagnostic, suite.file);
  }
  if (suites.length > 0) print(`\n${counted(suites.length, "hook")}, ${Math.round(ms)} ms`);
  print(`${passed} passed, ${failed} failed`);
}

function mark(isPassed: boolean): string {
  return isPassed ? style("green", "✓") : style("red", "✗");
}

function printCase({ name, place, mismatch }: CaseResult, file: string): void {
  print(`  ${mark(mismatch === undefined)} ${wrap(visibleLine(name), width() - 4, "    ")}`);
  if (!mismatch) return;
  print(`      expected  ${wrap(visible(mismatch.expected), width() - 16, " ".repeat(16))}`);
  print(`      received  ${wrap(visible(mismatch.received), width() - 16, " ".repeat(16))}`);
  print(`      ${style("dim", `at ${visibleLine(placeText({ ...place, file }))}`)}`);
}

function printDiagnosis(diagnostic: Diagnostic, file: string): void {
  const sign = diagnostic.level === "error" ? mark(false) : style("yellow", "⚠");
  const line = diagnosticLine({ ...diagnostic, ...(diagnostic.place && { place: { ...diagnostic.place, file } }) });
  print(`  ${sign} ${wrap(visibleLine(line), width() - 4, "    ")}`);
}
