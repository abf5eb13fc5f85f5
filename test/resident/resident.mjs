// An agent that stays between runs, for cases that are not about its process: their sessions share one start.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

const HOST = fileURLToPath(new URL("host.mjs", import.meta.url));
const LONGEST_MS = 180_000;

export function createResident() {
  let host;
  let last = Promise.resolve();

  async function start() {
    host = fork(HOST, [], { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [], env: { PATH: process.env.PATH } });
    host.on("exit", () => {
      host = undefined;
    });
    await new Promise((ready, failed) => {
      host.once("message", ready).once("exit", () => failed(new Error("The resident agent cannot start: run npm run build.")));
    });
    // It ends with this process, and does not keep it.
    host.unref();
    host.channel.unref();
  }

  async function play(request) {
    if (!host) await start();
    const current = host;
    current.channel.ref();
    return await new Promise((done) => {
      const limit = setTimeout(() => current.kill("SIGKILL"), LONGEST_MS);
      const finish = (answer) => {
        clearTimeout(limit);
        current.off("message", finish).off("exit", died);
        current.channel?.unref();
        done(answer);
      };
      const died = (code, signal) =>
        finish({ exit: code, stdout: "", stderr: `The resident agent ended (${signal ?? code}).\n`, cpuMs: 0 });
      current.on("message", finish).on("exit", died);
      current.send(request);
    });
  }

  return {
    /** Runs the command line with these arguments, after those before it. */
    run(args, { cwd, env }) {
      const answer = last.then(() => play({ args, cwd, env }));
      last = answer.catch(() => {});
      return answer;
    },
    close: () => host?.kill(),
  };
}
