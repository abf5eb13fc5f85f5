import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const CASES = {
  "node, one write": "node -e 'process.stdout.write(String(1))'",
  "hookloop agent": `node ${path.resolve("packages/hookloop/bin/hookloop.js")} agent`,
};

/** Milliseconds until a program at a terminal has written its first byte; `script` is the terminal. */
function firstOutput(command, { cwd, env }) {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const terminal = spawn("script", ["-qefc", command, "/dev/null"], { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
    terminal.on("error", () => reject(new Error("there is no `script` (util-linux) on this machine")));
    terminal.stdout.once("data", () => {
      resolve(performance.now() - startedAt);
      terminal.kill("SIGKILL");
    });
  });
}

/** How long a person waits before they see something. */
export async function measureFirstOutput(rounds) {
  const cwd = mkdtempSync(path.join(tmpdir(), "hookloop-bench-"));
  const env = { PATH: process.env.PATH, HOME: cwd, TERM: "xterm" };
  const samples = Object.fromEntries(Object.keys(CASES).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const name of Object.keys(CASES).sort(() => Math.random() - 0.5)) samples[name].push(await firstOutput(CASES[name], { cwd, env }));
  }
  rmSync(cwd, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  const median = (name) => samples[name].sort((a, b) => a - b)[Math.floor(rounds / 2)];
  const bare = median("node, one write");
  return Object.keys(CASES).map((name) => ({
    name,
    ms: Math.round(median(name)),
    ratio: (median(name) / bare).toFixed(2),
    target: name === "hookloop agent" ? "≤ 3 ×" : "",
  }));
}
