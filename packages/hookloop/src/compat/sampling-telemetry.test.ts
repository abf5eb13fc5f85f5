import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openHooks } from "../index.ts";
import { defaultRegistry, executeToolWithHooks, registerTelemetryHooks, resetHooks } from "./sampling.ts";

let base: string;
beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), "hookloop-telemetry-"));
});
afterEach(() => {
  resetHooks();
  rmSync(base, { recursive: true, force: true });
});

test("registerTelemetryHooks writes tool_executed and bash_executed of the tools that the registry runs", async () => {
  const file = path.join(base, "metrics.jsonl");
  const stop = registerTelemetryHooks({ file });
  const bash = {
    name: "Bash",
    execute: ({ command }: { command: string }) => (command === "false" ? Promise.reject(new TypeError("x")) : "ok"),
  };
  await executeToolWithHooks(bash, { command: "git log | head" });
  await executeToolWithHooks(bash, { command: "false" });
  stop();
  await executeToolWithHooks(bash, { command: "true" });
  const rows = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(rows).toMatchObject([
    { metric: "tool_executed", tool_name: "Bash", success: true, error_type: null, duration_ms: expect.any(Number) },
    { metric: "bash_executed", command_base: "git", has_pipe: true, has_redirect: false, exit_code: 0 },
    { metric: "tool_executed", tool_name: "Bash", success: false, error_type: expect.any(String) },
    { metric: "bash_executed", command_base: "false", exit_code: null },
  ]);
});

test("in a session that the registry hangs on they are steps of its trace", async () => {
  registerTelemetryHooks();
  const steps: Readonly<Record<string, unknown>>[] = [];
  const trace = { write: (record: unknown) => void steps.push(record as Readonly<Record<string, unknown>>) };
  const hooks = await openHooks({ cwd: base, onDiagnostic: () => {}, ports: { home: base, managedRoot: path.join(base, "none"), trace } });
  const off = defaultRegistry.attach(hooks);
  await hooks.runTool({ tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t" }, () => ({
    stdout: "",
    stderr: "",
    interrupted: false,
  }));
  off();
  await hooks.close();
  expect(steps.flatMap(({ type, name }) => (type === "metric" ? [name] : []))).toEqual(["tool_executed", "bash_executed"]);
});
