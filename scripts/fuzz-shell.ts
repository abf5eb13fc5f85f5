// Compares what a real bash runs for generated lines with what readCommand shows.
//   node scripts/run-typescript.mjs scripts/fuzz-shell.ts 20000 [seed]
import { fuzz } from "../test/fuzz-shell/compare-reading.ts";

const BATCH = 500;
const count = Number(process.argv[3] ?? 2000);
const seed = Number(process.argv[4] ?? Date.now() % 100_000);
const total = { lines: 0, runs: 0, uncertain: 0, misses: 0 };
for (let batch = 0; total.lines < count; batch++) {
  const result = await fuzz(Math.min(BATCH, count - total.lines), seed + batch);
  total.lines += result.lines;
  total.runs += result.runs;
  total.uncertain += result.uncertain;
  total.misses += result.misses.length;
  for (const { line, run } of result.misses) console.log(`MISS ${JSON.stringify(run)}\n${line}\n`);
  console.log(
    `${total.lines} lines, ${total.runs} programs ran, ${total.uncertain} lines uncertain, ${total.misses} missed (seed ${seed})`,
  );
}
process.exitCode = total.misses > 0 ? 1 : 0;
