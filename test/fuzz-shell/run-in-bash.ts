import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FOLDERS, PROGRAMS } from "./generate-line.ts";

/** A program that bash ran. */
export interface Run {
  readonly name: string;
  /** Where it ran, relative to where the line started. */
  readonly folder: string;
  readonly args: readonly string[];
}

const FIELD = "\x1f";
const RECORD = "\x1e";
const FOLDER_DEPTH = 4;

/** Runs lines in a real bash, in a throw-away folder, with stand-ins for the programs; gives what ran, by line number. */
export async function runInBash(lines: ReadonlyMap<number, string>): Promise<ReadonlyMap<number, readonly Run[]>> {
  const root = mkdtempSync(join(tmpdir(), "hookloop-fuzz-"));
  try {
    const log = prepare(root, lines);
    await runAll(root);
    return readLog(readFileSync(log, "utf8"), join(root, "work"));
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

function prepare(root: string, lines: ReadonlyMap<number, string>): string {
  const log = join(root, "log");
  for (const folder of ["bin", "lines"]) mkdirSync(join(root, folder));
  makeFolders(join(root, "work"), FOLDER_DEPTH);
  writeFileSync(log, "");
  // One printf is one write, and the log is opened to append: entries of programs that run at the same time do not mix.
  const stub = `#!/bin/sh\nprintf '%s${FIELD}' "\${0##*/}" "$PWD" "$@" '${RECORD}' >> '${log}'\n`;
  for (const name of PROGRAMS) {
    writeFileSync(join(root, "bin", name), stub);
    chmodSync(join(root, "bin", name), 0o755);
  }
  for (const [number, text] of lines) writeFileSync(join(root, "lines", String(number)), `${text}\nwait\n`);
  const each = 'timeout -k 1 5 bash "$line" < /dev/null > /dev/null 2>&1';
  writeFileSync(join(root, "all.sh"), `for line in '${root}'/lines/*; do cd '${root}/work'; ${each}; done\nsleep 0.2\n`);
  return log;
}

function makeFolders(folder: string, depth: number): void {
  mkdirSync(folder);
  if (depth > 0) for (const name of FOLDERS) makeFolders(join(folder, name), depth - 1);
}

function runAll(root: string): Promise<void> {
  const env = { PATH: `${join(root, "bin")}:/usr/bin:/bin`, HOME: root, LC_ALL: "C" };
  const child = spawn("sh", [join(root, "all.sh")], { stdio: "ignore", env });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", () => resolve());
  });
}

function readLog(log: string, work: string): ReadonlyMap<number, readonly Run[]> {
  const runs = new Map<number, Run[]>();
  for (const record of log.split(RECORD + FIELD)) {
    const [name = "", folder = "", ...args] = record.split(FIELD);
    const line = args.map((arg) => /^w(\d+)x\d+$/.exec(arg)?.[1]).find((found) => found !== undefined);
    if (line === undefined) continue;
    const run = { name, folder: folder.slice(work.length).replace(/^\//, ""), args: args.slice(0, -1) };
    runs.set(Number(line), [...(runs.get(Number(line)) ?? []), run]);
  }
  return runs;
}
