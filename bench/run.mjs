#!/usr/bin/env node
// Measures what the project promises about speed, as ratios or CPU time inside one run, and prints it beside the target.
//   npm run bench            (build first)
// Method: every round runs every case once, in random order; medians over the rounds. Machines are noisy: read ratios.
import { measureImports } from "./imports.mjs";
import { measureStartUp } from "./start-up.mjs";

const rounds = Number(process.env.BENCH_ROUNDS ?? 15);
const rows = [...(await measureStartUp(rounds)), ...(await measureImports(rounds))];
console.log(`Node ${process.version}, ${process.platform} ${process.arch}, ${rounds} rounds\n`);
console.table(Object.fromEntries(rows.map(({ name, ...row }) => [name, row])));
