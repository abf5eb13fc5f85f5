import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openHooks } from "hookloop";
import { medians } from "./rounds.mjs";

/** What the scripts of a project are: shells with a library and a file of rules, modules with an import. */
function scriptOf(index) {
  if (index % 2 === 0)
    return {
      name: `x${index}.sh`,
      command: `bash "$CLAUDE_PROJECT_DIR"/hooks/x${index}.sh`,
      text: `#!/bin/bash\nset -euo pipefail\nDIR="$(cd "$(dirname "$0")" && pwd)"\n. "$DIR/lib.sh"\nINPUT=$(cat)\nCOMMAND=$(echo "$INPUT" | jq -r '.tool_input.command // empty')\nif echo "$COMMAND" | grep -qf "$CLAUDE_PROJECT_DIR/hooks/rules.txt"; then\n  echo "blocked ${index}" >&2\n  exit 2\nfi\nexit 0\n`,
    };
  return {
    name: `x${index}.mjs`,
    command: `node "$CLAUDE_PROJECT_DIR"/hooks/x${index}.mjs`,
    text: `import { readFileSync } from "node:fs";\nimport { check } from "./check.mjs";\nconst input = JSON.parse(readFileSync(0, "utf8"));\nprocess.exitCode = check(input.tool_input.command, ${index}) ? 2 : 0;\n`,
  };
}

/** A project with this many hooks, and its state folder. */
async function approvedProject(count) {
  const root = mkdtempSync(path.join(tmpdir(), "hookloop-bench-"));
  const cwd = path.join(root, "project");
  mkdirSync(path.join(cwd, "hooks"), { recursive: true });
  mkdirSync(path.join(cwd, ".hookloop"));
  const scripts = Array.from({ length: count }, (_, index) => scriptOf(index));
  for (const { name, text } of scripts) writeFileSync(path.join(cwd, "hooks", name), text);
  writeFileSync(path.join(cwd, "hooks/lib.sh"), "check() { exit 0; }\n");
  writeFileSync(path.join(cwd, "hooks/rules.txt"), "rm -rf\n");
  writeFileSync(path.join(cwd, "hooks/check.mjs"), "export const check = (command) => /rm -rf/.test(command);\n");
  const hooks = { PreToolUse: [{ matcher: "Bash", hooks: scripts.map(({ command }) => ({ type: "command", command })) }] };
  writeFileSync(path.join(cwd, ".hookloop/hooks.json"), JSON.stringify({ hooks }));
  process.env.HOME = path.join(root, "home");
  process.env.XDG_STATE_HOME = path.join(root, "state");
  const review = async (pending) => pending.map(({ hook, digest }) => ({ id: hook.id, digest }));
  const first = await openHooks({ cwd, trust: { review } });
  const trusted = first.trust.statuses.filter(({ state }) => state === "trusted").length;
  await first.close();
  if (trusted !== count) throw new Error(`${trusted} of ${count} hooks are trusted`);
  return { root, cwd };
}

/** Reading is remembered in a process, so each opening has one of its own. */
function cpuOfOpening({ root, cwd }) {
  const script = `import { openHooks } from "hookloop"; const before = process.cpuUsage();
    const hooks = await openHooks({ cwd: ${JSON.stringify(cwd)}, trust: "store" }); const { user, system } = process.cpuUsage(before);
    if (hooks.refused.length > 0) throw new Error("not approved"); await hooks.close(); console.log((user + system) / 1000);`;
  const env = { PATH: process.env.PATH, HOME: path.join(root, "home"), XDG_STATE_HOME: path.join(root, "state") };
  const options = { cwd: import.meta.dirname, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], env };
  return Number(execFileSync(process.execPath, ["--input-type=module", "-e", script], options));
}

/** Opening a project whose hooks are approved; everything that they run is read and compared. */
export async function measureOpen(rounds) {
  const [one, fifty] = [await approvedProject(1), await approvedProject(50)];
  try {
    const cases = { "1 approved hook": () => cpuOfOpening(one), "50 approved hooks": () => cpuOfOpening(fifty) };
    return Object.entries(medians(cases, rounds)).map(([name, ms]) => ({ name, "CPU ms": ms.toFixed(2), ratio: "", target: "" }));
  } finally {
    for (const { root } of [one, fifty]) rmSync(root, { recursive: true, force: true });
  }
}
