import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Diagnostic } from "../../packages/hookloop/src/diagnostic.ts";
import { openHooks } from "../../packages/hookloop/src/open.ts";

const folder = mkdtempSync(path.join(tmpdir(), "hookloop-stop-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SETTINGS = {
  hooks: { Stop: [{ hooks: [{ type: "command", command: "cat >> seen.jsonl; echo >> seen.jsonl; echo go on >&2; exit 2" }] }] },
};

async function open(name: string, options: object = {}): Promise<{ hooks: Awaited<ReturnType<typeof openHooks>>; said: Diagnostic[] }> {
  const cwd = path.join(folder, name);
  mkdirSync(path.join(cwd, ".claude"), { recursive: true });
  writeFileSync(path.join(cwd, ".claude", "settings.json"), JSON.stringify(SETTINGS));
  const said: Diagnostic[] = [];
  const ports = { home: folder, managedRoot: path.join(folder, "none") };
  const hooks = await openHooks({ cwd, trust: "implicit", ports, onDiagnostic: (one) => said.push(one), ...options });
  return { hooks, said };
}

async function stops(hooks: Awaited<ReturnType<typeof openHooks>>, count: number): Promise<boolean[]> {
  const continued: boolean[] = [];
  for (let index = 0; index < count; index++) continued.push((await hooks.fire("Stop", {})).continueWith.length > 0);
  return continued;
}

test("a Stop hook that always blocks is overridden the ninth time, and is reported", async () => {
  const { hooks, said } = await open("nine");
  expect(await stops(hooks, 9)).toEqual([...Array(8).fill(true), false]);
  expect(said.map(({ code }) => code)).toEqual(["HL_LOOP_STOP_CAP"]);
  await hooks.close();
});

test("a tool call in between lets it continue", async () => {
  const { hooks, said } = await open("progress", { stopCap: 2 });
  expect(await stops(hooks, 2)).toEqual([true, true]);
  await hooks.runTool({ tool_name: "Bash", tool_input: { command: "" }, tool_use_id: "t" }, () => "done");
  expect(await stops(hooks, 3)).toEqual([true, true, false]);
  expect(said).toHaveLength(1);
  await hooks.close();
});

test("hooks are told whether one of them holds the agent already", async () => {
  const active: unknown[] = [];
  const { hooks } = await open("active", { stopCap: 2 });
  hooks.on("Stop", {}, ({ stop_hook_active }) => void active.push(stop_hook_active));
  await stops(hooks, 4);
  expect(active).toEqual([false, true, true, false]);
  await hooks.close();
});
