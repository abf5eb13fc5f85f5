// Runs the built command line again and again in one process: what takes longest in a short run is to start it.
// Gets { args, cwd, env } and sends back { exit, stdout, stderr, cpuMs }. One at a time; folder and environment are those of the run.
import { fileURLToPath } from "node:url";

const { run } = await import(new URL("../../packages/hookloop/dist/cli/program.js", import.meta.url).href);
/** What the command line believes to be started as. */
const PROGRAM = fileURLToPath(new URL("../../packages/hookloop/bin/hookloop.js", import.meta.url));

let said = { stdout: "", stderr: "" };
for (const name of ["stdout", "stderr"]) {
  process[name].write = (piece, encoding, done) => {
    said[name] += piece;
    (typeof encoding === "function" ? encoding : done)?.();
    return true;
  };
}
const ownEnvironment = { ...process.env };

process.on("message", async ({ args, cwd, env }) => {
  said = { stdout: "", stderr: "" };
  replaceEnvironment(env);
  process.chdir(cwd);
  process.argv = [process.execPath, PROGRAM, ...args];
  const before = process.cpuUsage();
  const answer = (exit) => {
    const { user, system } = process.cpuUsage(before);
    process.send({ exit, ...said, cpuMs: (user + system) / 1000 });
  };
  try {
    answer(await run(args));
  } catch (thrown) {
    said.stderr += `${thrown?.stack ?? thrown}\n`;
    answer(1);
  } finally {
    // The folder of the run may go now.
    process.chdir("/");
    replaceEnvironment(ownEnvironment);
  }
});
process.on("disconnect", () => process.exit());
process.send("ready");

function replaceEnvironment(env) {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
}
