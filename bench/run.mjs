#!/usr/bin/env node
// Measures what the project promises about speed and prints it beside the target; a missed target is marked, and is no failure.
//   npm run bench                    all groups
//   npm run bench -- fire select     some of them
//   npm i --no-save hookable tapable @google/gemini-cli-core     to see them beside ours
// Method: every round runs every case once, in random order; ratios inside a round or run, medians over the rounds.
// Machines are noisy: read ratios. docs/performance.md explains the groups and keeps the table of one run.
import { measureExecute } from "./execute.mjs";
import { measureFire } from "./fire.mjs";
import { measureImports } from "./imports.mjs";
import { measureOpen } from "./open.mjs";
import { measurePeers } from "./peers.mjs";
import { printGroup } from "./print-group.mjs";
import { measureSelect } from "./select.mjs";
import { measureShell } from "./shell.mjs";
import { measureStartUp } from "./start-up.mjs";
import { measureTrace } from "./trace.mjs";

/** Processes are slow, calls are quick: each group has its own number of rounds for one of `BENCH_ROUNDS`. */
const scale = Number(process.env.BENCH_ROUNDS ?? 15);
const GROUPS = {
  fire: { title: "In-process dispatch: fire() with functions", measure: () => measureFire(scale * 10) },
  call: { title: "One tool call, and a session of many", measure: async () => (await import("./call.mjs")).measureCall(scale * 6) },
  history: { title: "What file-history adds", measure: async () => (await import("./history.mjs")).measureHistory(scale * 13) },
  shipped: {
    title: "What safety, workspace-boundary, secret-guard, metrics and file-history add together",
    measure: async () => (await import("./history.mjs")).measureShipped(scale * 13),
  },
  watching: {
    title: "Shipped hooks that watch: what each adds to a Bash call",
    measure: async () => (await import("./watching.mjs")).measureWatching(scale * 4),
  },
  peers: { title: "Side by side: four functions", measure: () => measurePeers(scale * 4) },
  select: { title: "Choosing hooks", measure: () => measureSelect(scale * 12) },
  shell: { title: "Reading and judging shell commands", measure: () => measureShell(scale * 10) },
  trace: { title: "Trace: one record of 480 bytes", measure: () => measureTrace(scale) },
  execute: { title: "Command hooks: one shell line", measure: () => measureExecute(scale * 12) },
  broker: { title: "Command hooks through the spawn broker", measure: async () => (await import("./broker.mjs")).measureBroker() },
  http: { title: "HTTP hooks: one request on loopback", measure: async () => (await import("./http.mjs")).measureHttp(scale * 100) },
  warm: {
    title: "Warm hooks: modules and scripts that are kept",
    measure: async () => (await import("./warm.mjs")).measureWarm(scale * 60),
  },
  open: { title: "Opening a project with approved hooks", measure: () => measureOpen(scale * 2) },
  "start-up": { title: "Start-up: CPU of a whole process", measure: () => measureStartUp(scale) },
  terminal: {
    title: "First output at a terminal",
    measure: async () => (await import("./first-output.mjs")).measureFirstOutput(scale),
  },
  imports: { title: "Imports: CPU of one import", measure: () => measureImports(scale) },
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in GROUPS));
if (unknown.length > 0) {
  console.error(`There is no group ${unknown.join(", ")}. Groups: ${Object.keys(GROUPS).join(", ")}`);
  process.exit(2);
}
console.log(`Node ${process.version}, ${process.platform} ${process.arch}`);
for (const [name, { title, measure }] of Object.entries(GROUPS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  try {
    printGroup(title, await measure());
  } catch (error) {
    console.log(`\n${title}\nleft out: ${error.message}`);
  }
}
