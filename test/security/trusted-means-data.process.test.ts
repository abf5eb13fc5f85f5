/** A gate that a file can switch off is not called trusted, or is seen to have changed once that file is another. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import type { Approval, PendingHook } from "../../packages/hookloop/src/trust/types.ts";
import { hooksFor, openProject } from "../engine/open-project.ts";
import { DATA_ROUTES, type DataRoute } from "./data-routes.ts";
import { SWITCH_ROUTES } from "./switch-routes.ts";

const yes = async (pending: readonly PendingHook[]): Promise<readonly Approval[]> =>
  pending.map(({ hook, digest }) => ({ id: hook.id, digest }));
const INPUT = JSON.stringify({ tool_input: { command: "ls", file_path: "x" } });

function statusIn(root: string, { command, args }: DataRoute): number | null {
  const env = { PATH: process.env["PATH"] ?? "", HOME: root, CLAUDE_PROJECT_DIR: root };
  const options = { cwd: root, env, input: INPUT, timeout: 20_000 };
  return (args ? spawnSync(command, args, options) : spawnSync("/bin/sh", ["-c", command], options)).status;
}

/** What the hook says in a project as it was approved, and in one that has changed since. */
function runBoth(route: DataRoute): readonly (number | null)[] {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), "hookloop-data-")));
  const [before, after] = [path.join(base, "before"), path.join(base, "after")];
  for (const [name, text] of Object.entries({ "README.md": "", ...route.files })) {
    mkdirSync(path.dirname(path.join(before, name)), { recursive: true });
    writeFileSync(path.join(before, name), text);
  }
  cpSync(before, after, { recursive: true });
  route.change(after);
  const found = [statusIn(before, route), statusIn(after, route)];
  rmSync(base, { recursive: true, force: true });
  return found;
}

test.each([...DATA_ROUTES, ...SWITCH_ROUTES])("$name", async (route) => {
  const { command, args, files = {}, declared, change } = route;
  const [before, after] = runBoth(route);
  expect(before, "the change decides").not.toBe(after);
  const entry = { command, ...(args && { args }), ...(declared && { files: declared }) };
  const project = openProject({ native: hooksFor("PreToolUse", [entry], { matcher: "Bash" }) });
  for (const [name, text] of Object.entries(files)) project.write(`project/${name}`, text);
  const [status] = (await project.open({ trust: { review: yes } })).trust.statuses;
  if (status?.state === "definition-only") return;
  expect(status?.state).toBe("trusted");
  change(project.cwd);
  const [now] = (await project.open({ trust: "store" })).trust.statuses;
  expect(now?.state, "it is seen").toBe("changed");
});
