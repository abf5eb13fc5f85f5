// A process that has booted and waits: takes one script, becomes what `node SCRIPT` would have started, and is never used again.
// Nothing of the hook is read before it is told which; nothing of the waiting is left when the script begins.

import { closeSync, readSync } from "node:fs";
import Module from "node:module";
import type { PrebootJob } from "./preboot-pool.ts";

const JOB = 3;

/** Blocks until the engine has written the job and closed its end. Without a job the engine is gone. */
function readJob(): PrebootJob {
  const chunks: Buffer[] = [];
  for (;;) {
    const chunk = Buffer.alloc(64 * 1024);
    const length = readSync(JOB, chunk);
    if (length === 0) break;
    chunks.push(chunk.subarray(0, length));
  }
  closeSync(JOB);
  if (chunks.length === 0) process.exit();
  return JSON.parse(Buffer.concat(chunks).toString()) as PrebootJob;
}

const { file, args, env, cwd } = readJob();
for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
Object.assign(process.env, env);
process.chdir(cwd);
process.argv = [process.execPath, file, ...args];
// As node itself starts its first argument: CommonJS or not, with require.main and exit code 13. Later, because as long as this file
// is being evaluated, `process.exit()` would end with 13, too.
setImmediate(() => Module.runMain());
