/** A program in the words of the sampling registry's source, against the package as it is built. */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";

test("a program as the source writes it compiles under strict, and does there what it does here", () => {
  // Inside the repository, so that `hookloop` is found.
  const folder = mkdtempSync(path.resolve("node_modules/.sampling-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "tools.ts");
  cpSync("test/sources/fixtures/sampling-tools.ts", file);
  const tsc = path.resolve("node_modules/typescript/bin/tsc");
  const flags = ["--ignoreConfig", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext", "--types", "node"];
  const { stdout, status } = spawnSync(process.execPath, [tsc, ...flags, "--outDir", folder, file], { encoding: "utf8" });
  expect([status, stdout]).toEqual([0, ""]);
  const env = { PATH: process.env["PATH"] };
  const printed = execFileSync(process.execPath, [file.replace(/ts$/, "js")], {
    encoding: "utf8",
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  expect(printed.trim().split("\n")).toEqual([
    "setup",
    '{"type":"tool_result","content":"no, true","is_error":true}',
    '{"type":"tool_result","content":"ran pwd","is_error":false}',
    "Edit before number",
    '{"type":"tool_result","content":"/work","is_error":false}',
    "true",
    "cleanup",
  ]);
});
