// Reading and judging one shell command: the median over commands as agents write them, and the worst text we know up to the cap.

import { readCommand } from "../packages/hookloop/dist/shell/read-command.js";
import { assessCommand } from "../packages/hookloop/dist/shell/rules/assess-command.js";
import { median } from "./nanoseconds.mjs";
import { printGroup } from "./print-group.mjs";

const CONTEXT = { cwd: "/srv/app", home: "/home/ada" };
const COMMANDS = [
  "git status --short",
  "npm test -- --run src/shell",
  "git add -A && git commit -m 'Read commands once'",
  "rg -n 'assessCommand' packages --glob '*.ts' | head -20",
  "cd packages/app && npx tsc -p . --noEmit 2>&1 | tail -5",
  "find src -name '*.test.ts' -exec grep -l vitest {} +",
  'for f in *.md; do wc -l "$f"; done',
  "curl -s https://example.com/a.json | jq '.items[] | .name'",
  "rm -rf dist && mkdir -p dist",
  "sudo -u deploy env CI=1 timeout 60 bash -c 'git pull --rebase && npm ci'",
  "cat <<'EOF' > notes.md\nfirst line\nsecond line\nEOF",
  "python3 -c \"import json, sys; print(json.load(sys.stdin)['version'])\" < package.json",
];
/** Texts that are slow to read for their length. */
const HOSTILE = ["a;", "rm -rf /x;", "curl a|", "{", "foo rm ", "GIT_A=1 git fetch;"];

function microseconds(call) {
  const started = process.hrtime.bigint();
  call();
  return Number(process.hrtime.bigint() - started) / 1000;
}

function medianOf(judge, rounds) {
  const samples = [];
  for (let round = -10; round < rounds; round++) {
    for (const command of COMMANDS) {
      const took = microseconds(() => judge(command));
      if (round >= 0) samples.push(took);
    }
  }
  return median(samples);
}

/** Of the processor, which neighbours disturb less than the clock. */
function worst() {
  const texts = HOSTILE.map((piece) => piece.repeat(Math.floor(8192 / piece.length)));
  return Math.max(...texts.map((text) => median([1, 2, 3].map(() => processorTime(() => assessCommand(text, CONTEXT))))));
}

function processorTime(call) {
  const before = process.cpuUsage();
  call();
  return process.cpuUsage(before).user;
}

/** Rows for the table of `npm run bench`; microseconds per command. */
export async function measureShell(rounds = 100) {
  const read = medianOf((command) => readCommand(command), rounds);
  const all = medianOf((command) => assessCommand(command, CONTEXT), rounds);
  return [
    { name: "shell: read one command", measured: `${read.toFixed(0)} µs`, target: "" },
    { name: "shell: read and judge one command", measured: `${all.toFixed(0)} µs`, target: "≤ 150 µs" },
    { name: "shell: worst known text of 8 KiB, CPU", measured: `${(worst() / 1000).toFixed(0)} ms`, target: "≤ 300 ms" },
  ];
}

if (process.argv[1] === new URL(import.meta.url).pathname) printGroup("Shell commands", await measureShell());
