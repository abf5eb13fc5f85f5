import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Diagnostic } from "../../packages/hookloop/src/diagnostic.ts";
import { openHooks } from "../../packages/hookloop/src/open.ts";

const folder = mkdtempSync(path.join(tmpdir(), "hookloop-skill-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const said: Diagnostic[] = [];
const open = (trust: "implicit" | "store"): ReturnType<typeof openHooks> =>
  openHooks({ cwd: folder, trust, ports: { home: folder, managedRoot: path.join(folder, "none") }, onDiagnostic: (one) => said.push(one) });

const head = (event: string, command: string): string =>
  `---\nname: careful\nhooks:\n  ${event}:\n    - matcher: "*"\n      hooks:\n        - type: command\n          command: '${command}'\n---\nBe careful.\n`;

const CALL = { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t" };

test("a skill's hooks live as long as the skill", async () => {
  const hooks = await open("implicit");
  const detach = await hooks.attach({
    text: head("PreToolUse", "echo not now >&2; exit 2"),
    file: path.join(folder, "SKILL.md"),
    skill: "careful",
  });
  expect((await hooks.fire("PreToolUse", CALL)).decision).toBe("deny");
  detach();
  expect((await hooks.fire("PreToolUse", CALL)).decision).toBe("none");
  await hooks.close();
});

test("a subagent's hooks fire inside of it only, and its Stop is SubagentStop", async () => {
  const hooks = await open("implicit");
  await hooks.attach({ text: head("Stop", "echo more >&2; exit 2"), file: path.join(folder, "agent.md"), agentId: "a1" });
  const stop = (agent_id: string): ReturnType<typeof hooks.fire> => hooks.fire("SubagentStop", { agent_id, agent_type: "reviewer" });
  expect((await stop("a1")).continueWith).toHaveLength(1);
  expect((await stop("a2")).continueWith).toEqual([]);
  expect((await hooks.fire("Stop", {})).continueWith).toEqual([]);
  await hooks.close();
});

test("without trust they do not run, and that is reported", async () => {
  const hooks = await open("store");
  const marker = path.join(folder, "marker");
  await hooks.attach({ text: head("PreToolUse", `touch ${marker}`), file: path.join(folder, "SKILL.md"), skill: "careful" });
  await hooks.fire("PreToolUse", CALL);
  expect(existsSync(marker)).toBe(false);
  expect(said.map(({ code }) => code)).toContain("HL_ADMIT_UNTRUSTED");
  expect(hooks.refused).toHaveLength(1);
  await hooks.close();
});
