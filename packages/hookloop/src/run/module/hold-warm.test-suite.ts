import { createPrebootPool } from "../process/preboot-pool.ts";
import { runProgram } from "../process/process-group.ts";
import { sampleHook } from "../sample-hook.test-suite.ts";
import { createWarmScripts } from "./warm-scripts.ts";

// A program of its own: nothing but the runs keeps it alive.

const [, , script = "", file = "", kind] = process.argv;
const pool =
  kind === "preboot" ? createPrebootPool({ run: runProgram, script }) : createWarmScripts({ run: runProgram, hostScript: script });
const hook = sampleHook({ fields: { warm: true } });
let runs = 0;
for (; runs < 40; runs++) {
  await pool.run(
    {
      file: process.execPath,
      args: [file],
      isShell: false,
      env: {},
      cwd: "/",
      fallbackCwd: "/",
      stdin: Buffer.from('{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}'),
      timeoutMs: 10_000,
    },
    hook,
  );
}
process.stdout.write(String(runs));
await pool.close();
