import { runProgram } from "../process/process-group.ts";
import { sampleHook } from "../sample-hook.test-suite.ts";
import { createPrebootPool } from "./preboot-pool.ts";
import { createWarmPool } from "./warm-pool.ts";

// A program of its own: nothing but the runs keeps it alive.

const [, , script = "", file = "", kind] = process.argv;
const pool = (kind === "preboot" ? createPrebootPool : createWarmPool)({ run: runProgram, script });
const hook = sampleHook({ fields: { warm: kind ?? true } });
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
      stdin: Buffer.from("{}"),
      timeoutMs: 10_000,
    },
    hook,
  );
}
process.stdout.write(String(runs));
await pool.close();
