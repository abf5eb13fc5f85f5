// Takes a selected module hook and the event; calls it in the host that keeps its file loaded, and gives the answer as an outcome.
// Refuses to start: recursion, input that cannot be written as JSON, a program without a host to start.

import path from "node:path";
import { EVENTS } from "../../catalogue/index.ts";
import { matcherForm } from "../../config/index.ts";
import { usersSearchPath } from "../../permissions/index.ts";
import { type Environment, scrubEnvironment } from "../environment.ts";
import { isWatchedGuard } from "../function-runner.ts";
import { RUN_VARIABLE } from "../process/process-identity.ts";
import { type Ancestry, ancestryVariables, NO_ANCESTRY, recursionRefusal } from "../process/read-run-files.ts";
import type { RunFile } from "../process/run-file.ts";
import { createRunner, failure, type HookRun, payloadOf, type RawOutcome, type RunInput, type Runner } from "../types.ts";
import { type CallEnd, type CallRequest, HostConnection, hostScript, type Isolation } from "./host-connection.ts";

type Hook = RawOutcome["hook"];

export interface ModulePorts {
  readonly environment: Environment;
  readonly version: string;
  readonly isStrict?: boolean | undefined;
  readonly ancestry?: Ancestry | undefined;
  readonly cacheFolder?: string | undefined;
  /** What one host may use; 512 MB if left out. */
  readonly memoryMb?: number | undefined;
  readonly runFile?: RunFile | undefined;
  readonly script?: string | undefined;
}

interface ModuleRunner {
  readonly run: Runner;
  close(): Promise<void>;
}

/** One file with one environment: its hooks share a host, and so the module's state; other files do not. */
interface Slot {
  readonly file: string;
  readonly isolation: Isolation;
  readonly env: Environment;
  readonly hooks: Set<string>;
  /** Made anew when a hook comes along. */
  ancestry?: Environment | undefined;
  connection?: HostConnection;
}

export function createModuleRunner(ports: ModulePorts): ModuleRunner {
  const pool = new ModulePool(ports);
  return { run: createRunner("module", (run) => runModule(pool, run)), close: () => pool.close() };
}

async function runModule(pool: ModulePool, { hook, target, input, limitMs }: HookRun<"module">): Promise<Partial<RawOutcome>> {
  const refusal = recursionRefusal(pool.ancestry, hook.id);
  if (refusal) return { failure: refusal };
  const payload = payloadOf(input);
  if ("kind" in payload) return { failure: payload };
  const exportName = target.fields["export"];
  const end = await pool.call(hook, input, {
    payload,
    export: typeof exportName === "string" ? exportName : undefined,
    matched: matchedBy(hook),
    isGuard: isWatchedGuard(hook),
    timeoutMs: limitMs,
    signal: input.signal,
  });
  return "lost" in end ? { failure: failure("signal", `its ${pool.slotOf(hook).isolation} was lost twice: ${end.lost}`) } : end;
}

/** The tools that its matcher lists; a pattern may fit any. */
function matchedBy({ event, matcher }: Hook): CallRequest["matched"] {
  const column = EVENTS[event].matcher;
  const form = column?.isTool ? matcherForm(matcher, column) : undefined;
  return form?.form === "names" ? { event, tools: form.names } : undefined;
}

class ModulePool {
  readonly ancestry: Ancestry;
  readonly #ports: ModulePorts;
  readonly #script: string | undefined;
  readonly #slots = new Map<string, Slot>();
  readonly #known = new WeakMap<Hook, Slot>();
  readonly #connections = new Set<HostConnection>();
  #isClosed = false;

  constructor(ports: ModulePorts) {
    this.#ports = ports;
    this.#script = ports.script ?? hostScript();
    this.ancestry = ports.ancestry ?? NO_ANCESTRY;
  }

  /** A host that was ended from outside is replaced, and the call is made once more: the hook may have begun twice. */
  async call(hook: Hook, input: RunInput, request: Omit<CallRequest, "env">): Promise<CallEnd> {
    const slot = this.slotOf(hook);
    const deadline = performance.now() + request.timeoutMs;
    const env = this.#variables(slot, input);
    const end = await this.#connectionOf(slot, input).call({ ...request, env });
    if (!("lost" in end) || this.#isClosed) return end;
    const timeoutMs = Math.max(1, deadline - performance.now());
    return this.#connectionOf(slot, input).call({ ...request, env, timeoutMs });
  }

  slotOf(hook: Hook): Slot {
    const known = this.#known.get(hook);
    if (known) return known;
    const fresh = this.#newSlot(hook);
    const key = JSON.stringify([fresh.file, fresh.isolation, fresh.env]);
    const slot = this.#slots.get(key) ?? fresh;
    slot.hooks.add(hook.id);
    slot.ancestry = undefined;
    this.#slots.set(key, slot);
    this.#known.set(hook, slot);
    return slot;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#connections].map((connection) => connection.end()));
  }

  #newSlot(hook: Hook): Slot {
    const { target, source } = hook;
    const fields = target.kind === "module" ? target.fields : {};
    const base = source.file === undefined ? source.root : path.dirname(source.file);
    const env = scrubEnvironment({ base: this.#ports.environment, hook, isStrict: this.#ports.isStrict });
    return {
      file: path.resolve(base, String(fields["path"])),
      isolation: fields["isolation"] === "process" ? "process" : "worker",
      env: { ...env, HOOKLOOP_VERSION: this.#ports.version },
      hooks: new Set(),
    };
  }

  #variables(slot: Slot, { env, projectRoot }: RunInput): Environment {
    slot.ancestry ??= this.#ancestryOf(slot);
    const [hook] = slot.hooks;
    const path = usersSearchPath(hook?.split(":")[0] ?? "", { env: slot.env, root: projectRoot });
    return { ...path, HOOKLOOP_PROJECT_DIR: projectRoot, CLAUDE_PROJECT_DIR: projectRoot, ...env, ...slot.ancestry };
  }

  /** Recursion is refused for every hook of the file: which of them started what is not known. */
  #ancestryOf({ hooks }: Slot): Environment {
    const [last = ""] = hooks;
    return ancestryVariables({ depth: this.ancestry.depth, hooks: [...this.ancestry.hooks, ...hooks] }, last);
  }

  #connectionOf(slot: Slot, { projectRoot }: RunInput): HostConnection {
    if (slot.connection?.isUsable) return slot.connection;
    slot.connection?.retire();
    if (this.#isClosed) throw new Error("the engine is closed");
    if (this.#script === undefined) throw new Error("the program that runs modules is not there; hookloop was bundled without it");
    const [hook] = slot.hooks;
    const starting = this.#ports.runFile?.starting({ hook, ancestry: this.ancestry });
    const connection = new HostConnection({
      isolation: slot.isolation,
      start: { file: slot.file, name: path.parse(slot.file).name, cacheFolder: this.#ports.cacheFolder },
      env: starting ? { ...slot.env, [RUN_VARIABLE]: starting.mark } : slot.env,
      mark: starting?.mark,
      cwd: projectRoot,
      script: this.#script,
      memoryMb: this.#ports.memoryMb,
      // A module in an endless loop does not see that this program was killed: the next start ends it.
      onStart: (pid) => starting?.started(pid) ?? (() => {}),
      onGone: () => this.#connections.delete(connection),
    });
    this.#connections.add(connection);
    slot.connection = connection;
    return connection;
  }
}
