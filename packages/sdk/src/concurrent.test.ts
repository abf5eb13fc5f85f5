import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { build } from "esbuild";
import { expect, it } from "vitest";

/** Writes `count` records of very different lengths. */
const WRITER = `
import { workerData } from "node:worker_threads";
import { writeLog } from "./log.ts";
for (let index = 0; index < workerData.count; index++) {
  const failure = writeLog({ level: "info", hook: workerData.name, message: String(index), data: "x".repeat((index * 7919) % 20000) });
  if (failure) throw new Error(failure.message);
}
`;

it("records of hooks that run at the same time stay whole lines, and none is lost", async ({ onTestFinished }) => {
  const folder = mkdtempSync(path.join(tmpdir(), "hookloop-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const script = path.join(folder, "writer.mjs");
  const source = { contents: WRITER, loader: "ts", resolveDir: path.dirname(fileURLToPath(import.meta.url)) } as const;
  await build({ stdin: source, bundle: true, platform: "node", format: "esm", outfile: script, logLevel: "error" });
  const file = path.join(folder, "log.jsonl");
  const env = { HOOKLOOP_LOG_FILE: file };
  const names = ["a", "b", "c", "d"];
  await Promise.all(
    names.map(
      (name) =>
        new Promise<void>((resolve, reject) => {
          const worker = new Worker(script, { env, workerData: { name, count: 100 } });
          worker.on("error", reject).on("exit", () => resolve());
        }),
    ),
  );
  const records = readFileSync(file, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  expect(records).toHaveLength(400);
  for (const name of names) {
    expect(records.filter(({ hook }) => hook === name).map(({ msg }) => msg)).toEqual(
      Array.from({ length: 100 }, (_, index) => `${index}`),
    );
  }
});
