import { spawnSync } from "node:child_process";
import { medians } from "./rounds.mjs";

const BIN = "node_modules/.bin/hookloop";
const EVENT = JSON.stringify({
  hook_event_name: "PreToolUse",
  session_id: "s",
  cwd: "/",
  tool_name: "Bash",
  tool_input: { command: "git push -f origin main" },
});

/** CPU milliseconds of a whole process, its own start included. */
function cpuOf(args, input = "") {
  const { stderr, status } = spawnSync("bash", ["-c", 'TIMEFORMAT="%U %S"; time "$@" 2>/dev/null', "bash", process.execPath, ...args], {
    input,
    encoding: "utf8",
    env: { ...process.env, HOOK_LOG_DISABLE: "1" },
  });
  if (status !== 0) throw new Error(`node ${args.join(" ")} exited with ${status}. Is the project built (npm run build)?`);
  const [user, system] = stderr.trim().split(" ").map(Number);
  return (user + system) * 1000;
}

/** What starting costs, against a bare `node -e 0`. */
export async function measureStartUp(rounds) {
  const cpu = medians(
    {
      "node -e 0": () => cpuOf(["-e", "0"]),
      "hookloop --version": () => cpuOf([BIN, "--version"]),
      "hookloop events": () => cpuOf([BIN, "events"]),
      "a guard script, one event": () => cpuOf(["examples/block-force-push/hook.mjs"], EVENT),
    },
    rounds,
  );
  const bare = cpu["node -e 0"];
  const targets = { "hookloop --version": "≤ 1.5 ×" };
  return Object.entries(cpu).map(([name, ms]) => ({
    name,
    "CPU ms": Math.round(ms),
    ratio: (ms / bare).toFixed(2),
    target: targets[name] ?? "",
  }));
}
