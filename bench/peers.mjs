// The same functions through other hook systems, if they are installed:
//   npm i --no-save hookable tapable @google/gemini-cli-core
// They do less or other things: hookable and tapable know no matchers, copies, limits or verdicts; gemini-cli-core does all of it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { bareAwait, bareLoop, engineWith, handler, INPUT, tracedEngine } from "./fire.mjs";
import { nanoseconds } from "./nanoseconds.mjs";
import { printGroup } from "./print-group.mjs";

const silent = Array.from({ length: 4 }, (_, index) => handler(index, undefined));
const slow = silent.map((one) => async (input) => one(input));

/** Each gives cases by name, or throws. A specifier in a variable: none of them is a dependency. */
const PEERS = {
  async hookable(name) {
    const { createHooks } = await import(name);
    const [plain, promising] = [createHooks(), createHooks()];
    for (const one of silent) plain.hook("PreToolUse", one);
    for (const one of slow) promising.hook("PreToolUse", one);
    return {
      "hookable callHook, sync": () => plain.callHook("PreToolUse", INPUT),
      "hookable callHookParallel, async": () => promising.callHookParallel("PreToolUse", INPUT),
    };
  },
  async tapable(name) {
    const { SyncBailHook, AsyncParallelHook } = (await import(name)).default;
    const [plain, promising] = [new SyncBailHook(["input"]), new AsyncParallelHook(["input"])];
    silent.forEach((one, index) => void plain.tap(`hook ${index}`, one));
    slow.forEach((one, index) => void promising.tapPromise(`hook ${index}`, one));
    return {
      "tapable SyncBailHook, sync": () => plain.call(INPUT),
      "tapable AsyncParallelHook, async": () => promising.promise(INPUT),
    };
  },
  async "@google/gemini-cli-core"(name) {
    const folder = mkdtempSync(path.join(tmpdir(), "hookloop-bench-"));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    process.env.GEMINI_CLI_HOME = folder;
    const { Config, HookSystem } = await import(name);
    // Without its statistics, which it would count 0.3 ms per event for, and send home.
    const quiet = { usageStatisticsEnabled: false, telemetry: { enabled: false } };
    const config = new Config({ sessionId: "bench", targetDir: folder, cwd: folder, debugMode: false, model: "none", ...quiet });
    const system = new HookSystem(config);
    await system.initialize();
    slow.forEach(
      (action, index) => void system.registerHook({ type: "runtime", name: `hook ${index}`, action }, "BeforeTool", { matcher: "Bash" }),
    );
    return { "gemini-cli-core fireBeforeToolEvent, async": () => system.fireBeforeToolEvent("Bash", INPUT.tool_input) };
  },
};

async function load(name) {
  try {
    return await PEERS[name](name);
  } catch (error) {
    const why = error.code === "ERR_MODULE_NOT_FOUND" ? "not installed" : error.message;
    console.log(`${name} is left out: ${why}`);
    return {};
  }
}

/** Four silent functions, four async ones; ratios to calling them bare. */
export async function measurePeers(rounds = 60) {
  const { debug } = console;
  console.debug = () => {};
  const [ours, oursAsync] = [await engineWith(4, (index) => silent[index]), await engineWith(4, (index) => slow[index])];
  const traced = await tracedEngine(silent);
  const tracedAsync = await tracedEngine(slow);
  const peers = {};
  for (const name of Object.keys(PEERS)) Object.assign(peers, await load(name));
  const cases = {
    "bare loop, sync": () => bareLoop(silent, INPUT),
    "hookloop fire(), sync": () => ours.fire("PreToolUse", INPUT),
    "bare awaits, async": () => bareAwait(slow, INPUT),
    "hookloop fire(), async": () => oursAsync.fire("PreToolUse", INPUT),
    "hookloop fire() with the trace file, sync": () => traced.hooks.fire("PreToolUse", INPUT),
    "hookloop fire() with the trace file, async": () => tracedAsync.hooks.fire("PreToolUse", INPUT),
    ...peers,
  };
  const { ns, ratio } = await nanoseconds(cases, rounds);
  console.debug = debug;
  traced.close();
  tracedAsync.close();
  const floorOf = (name) => (name.endsWith("async") ? "bare awaits, async" : "bare loop, sync");
  return Object.keys(cases).map((name) => ({ name, ns: ns(name), ratio: ratio(name, floorOf(name)) }));
}

if (process.argv[1] === new URL(import.meta.url).pathname) printGroup("Four functions, side by side", await measurePeers());
