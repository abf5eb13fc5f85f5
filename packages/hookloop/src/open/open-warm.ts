import path from "node:path";
import type { CommandPorts, RunFile, Runner, WarmOptions } from "../run/index.ts";

export interface WarmParts extends Pick<CommandPorts, "environment" | "version" | "isStrict" | "ancestry"> {
  /** Our own folder; compiled files are kept below. */
  readonly stateFolder: string;
  /** How programs are started that are not warm. */
  readonly run: WarmOptions["run"];
  readonly runFile: RunFile;
}

/** What is kept between events: hosts of modules and processes of warm scripts. */
export interface Warm {
  /** The runner for module hooks. */
  readonly module: Runner;
  /** Starts programs; scripts of warm hooks in processes that are kept. */
  readonly run: NonNullable<CommandPorts["run"]>;
  close(): Promise<void>;
}

/** Loaded by the first hook that needs it, and ended with the session. */
export function openWarm({ stateFolder, run, runFile, ...parts }: WarmParts): Warm {
  const cacheFolder = path.join(stateFolder, "cache");
  const modules = once(async () => {
    const { createModuleRunner } = await import("../run/module/module-runner.ts");
    return createModuleRunner({ ...parts, cacheFolder, runFile });
  });
  const makeFolder = (parent: string): string => runFile.makeFolder("warm", parent);
  const scripts = once(async () => (await import("../run/warm/warm-pool.ts")).createWarmPool({ run, cacheFolder, makeFolder }));
  const preboots = once(async () => (await import("../run/warm/preboot-pool.ts")).createPrebootPool({ run }));
  const pools: Readonly<Record<string, typeof scripts>> = { true: scripts, preboot: preboots };
  return {
    module: async (selected, input) => (await modules.get()).run(selected, input),
    run: async (program, hook) => {
      const pool = pools[String(hook.fields?.["warm"])];
      return pool ? (await pool.get()).run(program, hook) : run(program);
    },
    close: async () => {
      await Promise.all([modules.made, scripts.made, preboots.made].map(async (made) => (await made)?.close()));
    },
  };
}

interface Once<Made> {
  get(): Promise<Made>;
  readonly made: Promise<Made> | undefined;
}

function once<Made>(make: () => Promise<Made>): Once<Made> {
  let made: Promise<Made> | undefined;
  return {
    get() {
      made ??= make();
      return made;
    },
    get made() {
      return made;
    },
  };
}
