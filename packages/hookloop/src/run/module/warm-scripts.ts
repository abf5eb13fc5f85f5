// Takes programs like `runProgram`, and gives the same ends. A script that imports the SDK stays loaded in a module host; every other
// `node SCRIPT`, and what the host refuses, gets a process that has booted already.

import { readFileSync } from "node:fs";
import { isFolder } from "../../state-files.ts";
import { atExit } from "../process/orphans.ts";
import {
  createPrebootPool,
  type NodeLine,
  type PrebootOptions,
  type PrebootPool,
  type RunProgram,
  readNodeLine,
  startVariables,
} from "../process/preboot-pool.ts";
import { OutputBuffer, PROCESS_LIMITS, type Program, type ProgramEnd } from "../process/program.ts";
import { RunProcesses } from "../process/run-processes.ts";
import { NO_OUTPUT } from "../types.ts";
import { HostConnection, hostScript } from "./host-connection.ts";
import type { HostAnswer } from "./messages.ts";
import { isOwnModule, stampOf } from "./module-graph.ts";

interface WarmOptions extends Pick<PrebootOptions, "run"> {
  readonly cacheFolder?: string | undefined;
  readonly hostScript?: string | undefined;
  readonly prebootScript?: string | undefined;
}

export function createWarmScripts(options: WarmOptions): PrebootPool {
  return new WarmScripts(options);
}

/** One script with what Node reads when it starts. */
interface Host {
  readonly connection: HostConnection;
  pid: number;
  isBusy: boolean;
}

class WarmScripts implements PrebootPool {
  readonly #cacheFolder: string | undefined;
  readonly #hostScript: string | undefined;
  readonly #booted: PrebootPool;
  readonly #hosts = new Map<string, Host>();
  readonly #connections = new Set<HostConnection>();
  /** Whether a host can run the script, for as long as the file is what it was. */
  readonly #served = new Map<string, { readonly stamp: string; readonly isServed: boolean }>();
  #isClosed = false;

  constructor({ run, cacheFolder, hostScript: script, prebootScript }: WarmOptions) {
    this.#cacheFolder = cacheFolder;
    this.#hostScript = script ?? hostScript();
    this.#booted = createPrebootPool({ run, script: prebootScript });
  }

  get size(): number {
    return this.#booted.size + this.#connections.size;
  }

  readonly run: RunProgram = async (program, hook) => {
    const line = readNodeLine(program);
    const host = "why" in line || program.signal?.aborted ? undefined : this.#hostFor(line.realpath, program);
    if ("why" in line || !host) return this.#booted.run(program, hook);
    const startedAt = performance.now();
    const end = await this.#runHosted(host, line, program);
    const durationMs = performance.now() - startedAt;
    if (end) return { ...end, durationMs };
    return this.#booted.run({ ...program, timeoutMs: Math.max(1, program.timeoutMs - durationMs) }, hook);
  };

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#booted.close(), ...[...this.#connections].map((connection) => connection.end())]);
  }

  /** Nothing if the script needs a process of its own, or its host is busy: calls share folder, variables and arguments of their process. */
  #hostFor(file: string, { cwd, env }: Program): Host | undefined {
    if (!isFolder(cwd) || !this.#isServed(file)) return undefined;
    const host = this.#hostOf(file, env);
    return host?.isBusy ? undefined : host;
  }

  /** Nothing if it has to be run again, in a process of its own. */
  async #runHosted(host: Host, line: NodeLine, program: Program): Promise<ProgramEnd | undefined> {
    const { env, cwd, stdin: payload, timeoutMs, signal, mark } = program;
    const processes = new RunProcesses({ leader: host.pid, mark }, { isSessionOurs: true });
    const forgetExit = atExit(() => processes.kill());
    host.isBusy = true;
    program.onStart?.(host.pid);
    const end = await host.connection.call({ payload, script: { ...line, cwd }, env, timeoutMs, signal });
    host.isBusy = false;
    forgetExit();
    if ("unserved" in end) this.#served.set(line.realpath, { stamp: stampOf(line.realpath), isServed: false });
    if ("unserved" in end || "lost" in end) {
      host.connection.retire();
      return undefined;
    }
    // Whatever it does beyond its limit must end: TERM would have to be caught by a loop that does not turn.
    if (end.failure) {
      processes.kill();
      void host.connection.end();
    }
    return ended(end, program);
  }

  #isServed(file: string): boolean {
    const stamp = stampOf(file);
    const known = this.#served.get(file);
    if (known?.stamp === stamp) return known.isServed;
    const isServed = isOwnModule(file) && isHostable(readFileSync(file, "utf8"));
    this.#served.set(file, { stamp, isServed });
    return isServed;
  }

  #hostOf(file: string, env: Program["env"]): Host | undefined {
    const key = JSON.stringify([file, startVariables(env)]);
    const known = this.#hosts.get(key);
    if (known?.isBusy || known?.connection.isUsable) return known;
    known?.connection.retire();
    if (this.#isClosed || this.#hostScript === undefined) return undefined;
    let pid = 0;
    const connection: HostConnection = new HostConnection({
      isolation: "process",
      start: { file, name: "", cacheFolder: this.#cacheFolder, isScript: true },
      env,
      cwd: "/",
      script: this.#hostScript,
      onStart: (started) => {
        pid = started;
        return () => {};
      },
      onGone: () => this.#connections.delete(connection),
    });
    const host = { connection, pid, isBusy: false };
    this.#connections.add(connection);
    this.#hosts.set(key, host);
    return host;
  }
}

/** `/testing` calls hooks by itself. */
const IMPORTS_SDK = /^\s*import\b[^;'"]*["']@hookloop\/sdk(?:\/hook)?["']/m;
/** What only the process itself has: its end, its stdin. */
const NEEDS_PROCESS = /\bprocess\s*\.\s*(?:on|once|exitCode|stdin)\b|readFileSync\(\s*0\b|\/dev\/(?:stdin|fd)\b/;

/** Whether a script leaves its stdin, its answer and its end to the SDK, as far as its text shows. */
function isHostable(text: string): boolean {
  return IMPORTS_SDK.test(text) && !NEEDS_PROCESS.test(text);
}

function ended({ stdout, stderr, exitCode, failure }: HostAnswer, { limits }: Program): ProgramEnd {
  const { stdoutBytes, stderrBytes } = { ...PROCESS_LIMITS, ...limits };
  const [out, err] = [new OutputBuffer(stdoutBytes), new OutputBuffer(stderrBytes)];
  out.add(Buffer.from(stdout));
  err.add(Buffer.from(stderr));
  return {
    ...NO_OUTPUT,
    stdout: out.text().text,
    stderr: err.text().text,
    exitCode,
    ...(failure && { failure }),
    isTruncated: out.isTruncated || err.isTruncated,
    isAnswerCut: out.isTruncated,
  };
}
