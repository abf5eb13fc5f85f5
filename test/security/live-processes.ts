/** What the tests of processes share: every process they start carries a tag in its environment, so what is left is found whatever group or session it is in. */
import { randomInt, randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { afterThisTest } from "../cleanup.ts";

export interface Live {
  readonly pid: number;
  readonly command: string;
}

/** A name of a variable; what is started with it set is ended when the test is over, whatever happened. */
export function newTag(): string {
  const tag = `HL_TEST_${randomUUID().replaceAll("-", "")}`;
  return endedAfterTest(tag);
}

/** Seconds for `sleep` that no other test sleeps: found by the command line, so also where the environment was emptied. */
export function newSleep(): string {
  return endedAfterTest(`600.${randomInt(1e12).toString().padStart(12, "0")}`);
}

function endedAfterTest(tag: string): string {
  afterThisTest(() => {
    for (const { pid } of liveWith(tag)) end(pid);
  });
  return tag;
}

/** Ways to leave the process group, and some to be forgotten by the shell; each sleeps that long. Those of `APART` also leave the session. */
export const ESCAPES: Readonly<Record<string, (seconds: string) => string>> = {
  timeout: (seconds) => `timeout ${seconds} sleep ${seconds} &`,
  "set -m": (seconds) => `(set -m; sleep ${seconds} & wait) &`,
  setpgrp: (seconds) => `perl -e 'setpgrp; exec "sleep", "${seconds}"' &`,
  "env -i timeout": (seconds) => `env -i timeout ${seconds} sleep ${seconds} &`,
  nohup: (seconds) => `nohup sleep ${seconds} > /dev/null 2>&1 &`,
  "a subshell that ends": (seconds) => `(timeout ${seconds} sleep ${seconds} &)`,
  stubborn: (seconds) => `timeout ${seconds} sh -c "trap '' TERM INT HUP; sleep ${seconds}; sleep ${seconds}" &`,
};
export const APART: Readonly<Record<string, (seconds: string) => string>> = {
  setsid: (seconds) => `setsid sleep ${seconds} &`,
  "a double fork": (seconds) => `perl -MPOSIX -e 'fork and exit; POSIX::setsid(); fork and exit; exec "sleep", "${seconds}"' &`,
  "setsid timeout": (seconds) => `(setsid timeout ${seconds} sleep ${seconds} &)`,
};

/** All of them, in shell. */
export function escapeLine(seconds: string, ways: typeof ESCAPES = { ...ESCAPES, ...APART }): string {
  return Object.values(ways)
    .map((way) => way(seconds))
    .join("\n");
}

/** Whether every way has got to its `sleep`. */
export function haveEscaped(seconds: string, ways: typeof ESCAPES = { ...ESCAPES, ...APART }): boolean {
  return liveWith(seconds).filter(({ command }) => command.startsWith(`sleep ${seconds}`)).length >= Object.keys(ways).length;
}

/** Live processes with the tag in their environment or command line. Zombies do not count: nothing may be reaping them here. */
export function liveWith(tag: string): readonly Live[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      const state = stat.slice(stat.lastIndexOf(")") + 2)[0];
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
      const isOurs = command.includes(tag) || readFileSync(`/proc/${name}/environ`, "latin1").includes(tag);
      return isOurs && state !== "Z" && state !== "X" ? [{ pid: Number(name), command }] : [];
    } catch {
      // It ended while we looked.
      return [];
    }
  });
}

export async function until(condition: () => boolean, what: string, limitMs = 20_000): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`not within ${limitMs} ms: ${what}`);
    await wait(20);
  }
}

/** Waits for the end of everything that carries the tag; gives what is still there after the limit. */
export async function remaining(tag: string, limitMs = 10_000): Promise<readonly Live[]> {
  const deadline = performance.now() + limitMs;
  while (liveWith(tag).length > 0 && performance.now() < deadline) await wait(30);
  return liveWith(tag);
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended meanwhile.
  }
}
