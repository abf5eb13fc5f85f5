// Scores `assessCommand` against a file of labelled commands, one JSON object per line: {"command", "verdict", "origins"}.
//   npm run score:shell -- ../shared/corpus/commands.jsonl
//   npm run score:shell -- <file> --misses              also lists every row that is judged otherwise
//   npm run score:shell -- <file> --misses --part=tune  only rows to tune on (sha256 of the command starts with 0–a); `held` for the rest
// Ends with 1 when a line of the promise in docs/security.md is missed.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { assessCommand } from "../packages/hookloop/src/shell/rules/assess-command.ts";
import type { Risk } from "../packages/hookloop/src/shell/rules/rule.ts";

interface Row {
  readonly command: string;
  readonly verdict: Risk;
  readonly origins: readonly string[];
}

interface Judged extends Row {
  readonly risk: Risk;
  readonly why: string;
  readonly part: "tune" | "held";
}

interface Score {
  readonly label: string;
  readonly wanted: Risk;
  readonly isRight: (risk: Risk) => boolean;
  readonly passes: number;
}

const SCORES: readonly Score[] = [
  { label: "must-deny caught", wanted: "deny", isRight: (risk) => risk !== "allow", passes: 97 },
  { label: "denied outright", wanted: "deny", isRight: (risk) => risk === "deny", passes: 90 },
  { label: "must-allow not denied", wanted: "allow", isRight: (risk) => risk !== "deny", passes: 97 },
  { label: "not even asked", wanted: "allow", isRight: (risk) => risk === "allow", passes: 90 },
  { label: "ask agreement", wanted: "ask", isRight: (risk) => risk !== "allow", passes: 0 },
];
const CONTEXT = { cwd: "/home/user/project", home: "/home/user" };

function judge(row: Row): Judged {
  const { risk, facts } = assessCommand(row.command, CONTEXT);
  const part = createHash("sha256").update(row.command).digest("hex") < "b" ? "tune" : "held";
  return { ...row, risk, part, why: facts.map(({ kind }) => kind).join(" ") };
}

function percent(rows: readonly Judged[], { wanted, isRight }: Score): number | undefined {
  const of = rows.filter(({ verdict }) => verdict === wanted);
  return of.length === 0 ? undefined : (100 * of.filter(({ risk }) => isRight(risk)).length) / of.length;
}

function scoreRow(rows: readonly Judged[]): Readonly<Record<string, string>> {
  const cells = SCORES.map((score) => [score.label, percent(rows, score)?.toFixed(1) ?? ""]);
  return { rows: String(rows.length), ...Object.fromEntries(cells) };
}

function isMiss({ verdict, risk }: Judged): boolean {
  return SCORES.some((score) => score.wanted === verdict && !score.isRight(risk));
}

function printMisses(rows: readonly Judged[]): void {
  console.log("\nMisses: wanted → judged, command, facts");
  for (const { verdict, risk, command, why, origins } of rows.filter(isMiss)) {
    console.log(`${verdict} → ${risk}  ${JSON.stringify(command)}  [${why}] ${origins.join(",")}`);
  }
}

/** Time per command, each measured twice: the second time the code is warm. */
function printCost(rows: readonly Judged[]): void {
  const times = rows.map(({ command }) => {
    assessCommand(command, CONTEXT);
    const started = process.hrtime.bigint();
    assessCommand(command, CONTEXT);
    return Number(process.hrtime.bigint() - started) / 1000;
  });
  times.sort((a, b) => a - b);
  const at = (share: number): string => (times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(0);
  console.log(`\nTime per command: median ${at(0.5)} µs, 95 % within ${at(0.95)} µs, longest ${at(1)} µs`);
}

const args = process.argv.slice(2).filter((word) => !word.endsWith("score-shell.ts"));
const file = args.find((word) => !word.startsWith("--"));
if (file === undefined) {
  console.error("Usage: npm run score:shell -- <commands.jsonl> [--misses] [--part=tune|held]");
  process.exit(2);
}
const only = args.find((word) => word.startsWith("--part="))?.slice("--part=".length);
const all = readFileSync(file, "utf8")
  .split("\n")
  .filter(Boolean)
  .map((line) => judge(JSON.parse(line)));
const table: Record<string, Readonly<Record<string, string>>> = {
  all: scoreRow(all),
  "0–a (tuned on first)": scoreRow(all.filter(({ part }) => part === "tune")),
  "b–f (tuned on last)": scoreRow(all.filter(({ part }) => part === "held")),
};
for (const origin of [...new Set(all.flatMap(({ origins }) => origins))].sort()) {
  table[origin] = scoreRow(all.filter(({ origins }) => origins.includes(origin)));
}
console.table(table);
if (args.includes("--misses")) printMisses(only ? all.filter(({ part }) => part === only) : all);
printCost(all);
const failed = SCORES.filter((score) => (percent(all, score) ?? 100) < score.passes);
for (const { label, passes } of failed) console.log(`Missed: ${label} is below ${passes} %`);
process.exitCode = failed.length > 0 ? 1 : 0;
