import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { historyFolder, readHistory } from "../builtin/index.ts";
import { registerFileHistoryHooks, registerGitTrackingHooks } from "./sampling.ts";
import { createSamplingRegistry, type SamplingRegistry } from "./sampling-registry.ts";

let base = "";
beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), "hookloop-sampling-history-")));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function open(env: Readonly<Record<string, string>> = {}): SamplingRegistry {
  return createSamplingRegistry({ cwd: base, sessionId: "s1", ports: { home: base, env }, onDiagnostic: () => {} });
}

const write = (file: string, content: string) => ({ name: "Write", execute: () => writeFileSync(file, content) });

test("git tracking snapshots the original, records who changed it and announces the file", async () => {
  const registry = open();
  const off = registerGitTrackingHooks(registry);
  const file = path.join(base, "a.txt");
  writeFileSync(file, "one");
  const told: unknown[] = [];
  // biome-ignore lint/suspicious/noExplicitAny: a context is what hooks make of it
  const context: any = { toolUseId: "toolu_1", announce: (value: unknown) => told.push(value) };
  await registry.executeToolWithHooks(write(file, "three"), { file_path: file, content: "three" }, context);
  expect(context.fileHistory.snapshots).toMatchObject([{ path: file, content: "one" }]);
  expect(context.attributions).toMatchObject([{ path: file, sessionId: "s1", toolUseId: "toolu_1", sizeDelta: 2 }]);
  expect(context.announcements).toEqual([{ type: "file_changed", path: file, change: "modified" }]);
  expect(told).toEqual(context.announcements);
  off();
  expect(registry.listHooks()).toEqual([]);
});

test("the file history has an entry per edit, by file tools and by shell commands, and it can be undone", async () => {
  const registry = open();
  registerFileHistoryHooks(registry);
  const file = path.join(base, "a.txt");
  // biome-ignore lint/suspicious/noExplicitAny: a context is what hooks make of it
  const context: any = {};
  await registry.executeToolWithHooks(write(file, "one"), { file_path: file, content: "one" }, context);
  expect(context.fileHistory.entries).toMatchObject([
    { type: "edit", timestamp: expect.any(Number), sessionId: "s1", toolUseId: expect.stringContaining("toolu_"), sizeDelta: 3 },
  ]);
  const shell = { name: "Bash", execute: () => rmSync(file) };
  await registry.executeToolWithHooks(shell, { command: "rm a.txt" });
  const { entries } = readHistory(historyFolder(path.join(base, ".local/state/hookloop"), base));
  expect(entries).toMatchObject([{ change: "created" }, { change: "deleted", path: file }]);
});

test.each(["git_tracking,file_history", "git_tracking , file_history"])("CLAUDE_CODE_DISABLE_HOOKS=%s switches them off", async (names) => {
  const registry = open({ CLAUDE_CODE_DISABLE_HOOKS: names });
  registerGitTrackingHooks(registry);
  registerFileHistoryHooks(registry);
  const file = path.join(base, "a.txt");
  // biome-ignore lint/suspicious/noExplicitAny: a context is what hooks make of it
  const context: any = {};
  await registry.executeToolWithHooks(write(file, "one"), { file_path: file, content: "one" }, context);
  expect(readFileSync(file, "utf8")).toBe("one");
  expect([context.fileHistory, context.announcements]).toEqual([undefined, undefined]);
});
