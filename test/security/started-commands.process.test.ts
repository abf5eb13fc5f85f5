import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readCommand } from "../../packages/hookloop/src/shell/read-command.ts";
import { STARTED_LINES } from "./started-lines.ts";

const base = mkdtempSync(join(tmpdir(), "hookloop-started-"));
afterAll(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));

/** What would install, download, reach other hosts or change the machine beside starting its command. */
const NOT_RUN =
  /^(?:crontab|apt|dpkg|systemd|run0|proot|bwrap|firejail|ip |(?:ssh|scp|rsync|nc|ncat|socat|psql|mysql|go|conda|poetry|pipenv|uv|bunx|yarn|pnpm|rustup|nix|mise|doppler|bundle|pyenv)\b|np[mx] (?!-c|--call|exec -c)|ssh-agent|dbus-launch)/;

interface Run {
  readonly line: string;
  readonly hasRun: boolean;
}

let count = 0;

/** Runs a line in bash, in a folder of its own, and tells whether its marker file appeared. */
async function runLine(line: string): Promise<Run> {
  const folder = join(base, String(count++));
  mkdirSync(folder);
  writeFileSync(join(folder, "a.txt"), "text\n");
  const { PATH } = process.env;
  const env = {
    PATH: `${PATH}:/usr/sbin:/sbin`,
    HOME: folder,
    TERM: "dumb",
    npm_config_offline: "true",
    npm_config_update_notifier: "false",
  };
  const child = spawn("bash", ["-c", line], { cwd: folder, env, stdio: "ignore", detached: true });
  await new Promise<void>((resolve) => {
    const end = setTimeout(() => {
      if (child.pid) process.kill(-child.pid, "SIGKILL");
    }, 15_000);
    child.on("close", () => {
      clearTimeout(end);
      resolve();
    });
  });
  return { line, hasRun: existsSync(join(folder, "m")) };
}

test("every command that really ran in bash was seen by reading", { timeout: 240_000 }, async () => {
  const waiting = Object.values(STARTED_LINES)
    .flat()
    .filter((line) => !NOT_RUN.test(line));
  const runs: Run[] = [];
  const work = async (): Promise<void> => {
    for (let line = waiting.pop(); line !== undefined; line = waiting.pop()) runs.push(await runLine(line));
  };
  await Promise.all([work(), work(), work()]);
  const ran = runs.filter(({ hasRun }) => hasRun).map(({ line }) => line);
  // perl, awk, sed, node and the like are everywhere; a run in which nothing happens shows nothing.
  expect(ran.length).toBeGreaterThan(20);
  const unseen = ran.filter((line) => !readCommand(line).commands.some(({ words }) => /(?:^|\/)touch$/.test(words[0]?.text ?? "")));
  expect(unseen).toEqual([]);
});
