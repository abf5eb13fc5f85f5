// What the shipped hooks that watch add to a Bash call.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openHooks } from "hookloop";
import { createTraceWriter } from "hookloop/trace";
import { nanoseconds } from "./nanoseconds.mjs";
import { printGroup } from "./print-group.mjs";

const COMMAND = "npm test -- --run src/parser.test.ts && git status --short | head -5";
const RESULT = { stdout: "12 passing\n".repeat(50), stderr: "", interrupted: false };
const HOOKS = [undefined, "metrics", "audit", "tool-log", "large-output"];
const TARGETS = { metrics: "≤ 0.1 ms", audit: "≤ 0.3 ms" };
const FLOOR = "runTool with safety, a trace and a function at each event";

export async function measureWatching(rounds = 60) {
  const base = mkdtempSync(path.join(tmpdir(), "hookloop-bench-"));
  const opened = await Promise.all(
    HOOKS.map(async (name) => {
      const home = path.join(base, name ?? "none");
      const trace = createTraceWriter({ file: path.join(home, "trace.jsonl") });
      const use = ["safety", ...(name ? [name] : [])];
      const ports = { home, env: { PATH: process.env.PATH, HOME: home }, managedRoot: path.join(base, "managed"), trace };
      const hooks = await openHooks({ cwd: base, use, onDiagnostic: () => {}, ports });
      // Firing an event that has a hook costs the same for any hook.
      for (const event of ["PreToolUse", "PostToolUse", "PostToolUseFailure"]) hooks.on(event, () => undefined);
      return [name, hooks];
    }),
  );
  let serial = 0;
  // Another text each time: what was read before is remembered.
  const call = () => ({ tool_name: "Bash", tool_input: { command: `${COMMAND} # ${serial++}` }, tool_use_id: "toolu_1" });
  const cases = Object.fromEntries(
    opened.map(([name, hooks]) => [name ? `the same, and ${name}` : FLOOR, () => hooks.runTool(call(), () => RESULT)]),
  );
  const { ns, ratio } = await nanoseconds(cases, rounds);
  await Promise.all(opened.map(([, hooks]) => hooks.close()));
  rmSync(base, { recursive: true, force: true });
  return opened.map(([name]) => {
    const one = name ? `the same, and ${name}` : FLOOR;
    const added = name ? `+ ${((ns(one) - ns(FLOOR)) / 1e6).toFixed(3)} ms` : "";
    return { name: one, ns: ns(one), added, ratio: name ? ratio(one, FLOOR) : "", target: TARGETS[name] ?? "" };
  });
}

if (process.argv[1] === new URL(import.meta.url).pathname) printGroup("Hooks that watch", await measureWatching());
