#!/usr/bin/env node
// Prints the table of folders: files, lines, the median of lines, and how many files are imported by exactly one other file.
//   npm run map [-- --json] [-- --large | --single]
import { importersOf, median, readSources } from "./source-map.mjs";

const sources = readSources();
const importers = importersOf(sources);
const isSingle = ({ file }) => importers.get(file)?.size === 1;
const row = (folder, files) => ({
  folder,
  files: files.length,
  lines: files.reduce((sum, { lines }) => sum + lines, 0),
  median: median(files.map(({ lines }) => lines)),
  single: files.filter(isSingle).length,
});
const all = [...sources.values()];
const folders = [...new Set(all.map(({ folder }) => folder))].sort();
const rows = [
  ...folders.map((folder) =>
    row(
      folder.replace(/^packages\//, "").replace("/src", ""),
      all.filter((one) => one.folder === folder),
    ),
  ),
  row("total", all),
];

if (process.argv.includes("--json")) console.log(JSON.stringify(rows, undefined, 2));
else if (process.argv.includes("--large"))
  for (const { file, lines } of all.sort((a, b) => b.lines - a.lines).slice(0, 25)) console.log(String(lines).padStart(5), file);
else if (process.argv.includes("--single"))
  for (const { file, lines } of all.filter(isSingle))
    console.log(String(lines).padStart(5), file, "<-", [...(importers.get(file) ?? [])][0]);
else {
  console.log(`${"folder".padEnd(28)}${"files".padStart(6)}${"lines".padStart(8)}${"median".padStart(8)}${"one importer".padStart(14)}`);
  for (const { folder, files, lines, median: middle, single } of rows)
    console.log(
      `${folder.padEnd(28)}${String(files).padStart(6)}${String(lines).padStart(8)}${String(middle).padStart(8)}${String(single).padStart(14)}`,
    );
  const { files, single } = rows.at(-1);
  console.log(`\n${Math.round((100 * single) / files)} % of all files are imported by exactly one other file.`);
}
