// @ts-check
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { runHookFile } from "@hookloop/sdk/testing";
import { temporaryFolder } from "./temporary-folder.mjs";

/**
 * Runs an example by the command in its settings.json, in a project whose path needs quoting.
 * @template {import("@hookloop/sdk").EventName} Event
 * @param {import("node:test").TestContext} t
 * @param {URL} example
 * @param {Event} event
 * @param {Partial<import("@hookloop/sdk").EventInputs[Event]>} [overrides]
 * @param {{ files?: Record<string, string>, env?: Record<string, string> }} [options] files of the project; more environment
 */
export async function runAsConfigured(t, example, event, overrides, { files = {}, env = {} } = {}) {
  const folder = fileURLToPath(example).replace(/\/$/, "");
  const { hooks } = JSON.parse(readFileSync(path.join(folder, "settings.json"), "utf8"));
  assert.deepEqual(Object.keys(hooks), [event]);
  const [{ matcher, hooks: handlers }] = hooks[event];
  const tool = /** @type {{ tool_name?: string } | undefined} */ (overrides)?.tool_name;
  if (tool) assert.ok(matcher.split("|").includes(tool), `"${matcher}" does not match ${tool}`);
  const project = temporaryFolder(t, "a project's $folder ");
  mkdirSync(path.join(project, ".claude", "hooks"), { recursive: true });
  symlinkSync(folder, path.join(project, ".claude", "hooks", path.basename(folder)));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(project, name), text);
  return runHookFile(folder, event, overrides, { cwd: project, env, command: ["/bin/sh", "-c", handlers[0].command] });
}
