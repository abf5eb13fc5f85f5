import { visible } from "../diagnostic.ts";

/** What is still open when a command is done (a connection, a pipe) does not keep the program longer than this. */
const LINGER_MS = 2000;

const CURES: Readonly<Record<string, string>> = {
  EMFILE: "too many files are open in this process (EMFILE). Raise the limit, for example: ulimit -n 1024",
  ENFILE: "too many files are open on this machine (ENFILE). End other programs, and start again",
  EAGAIN: "the system starts no more processes or threads (EAGAIN). Raise the limit (ulimit -u), or end other programs",
  ENOMEM: "there is no memory left (ENOMEM). Raise the limit (ulimit -v), or end other programs",
  ENOSPC: "the disk is full (ENOSPC). Free some space, and start again",
  ERR_WORKER_INIT_FAILED: "the system starts no more threads. Raise the limits (ulimit -n, ulimit -u), or end other programs",
};

/** One line instead of a stack: what to do, or that it is a bug of hookloop. */
function fail(thrown: unknown): void {
  const { code, message = String(thrown), stack } = (thrown ?? {}) as Partial<NodeJS.ErrnoException>;
  const cure = CURES[code ?? ""];
  const text = cure
    ? `HL_CLI_NO_RESOURCES: hookloop cannot continue: ${cure}.`
    : `HL_CLI_INTERNAL: hookloop stopped: ${message}. Please report it; DEBUG=hooks shows where.`;
  process.stderr.write(`${visible(text)}\n${process.env["DEBUG"] && stack ? `${stack}\n` : ""}`);
  process.exitCode = 1;
}

/** A hook runs before every call of an agent: it starts without the other commands. */
async function run([command, ...words]: readonly string[]): Promise<number> {
  const isHelp = words.some((word) => word === "--help" || word === "-h");
  if (command === "hook" && !isHelp) return await (await import("./commands/hook.ts")).runHookCommand(words);
  return await (await import("./program.ts")).run(process.argv.slice(2));
}

function linger(): void {
  setTimeout(() => (process.stdout.writableLength > 0 ? linger() : process.exit()), LINGER_MS).unref();
}

if (process.platform === "win32") {
  process.stderr.write("HL_CLI_PLATFORM: hookloop runs on Linux and macOS. On Windows, run it inside WSL.\n");
  process.exitCode = 2;
} else {
  // A reader that has seen enough (`hookloop events | head`) is not an error. Without stderr nothing can be reported; the work continues.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
  process.stderr.on("error", () => {});
  // SECURITY: without a listener, Node opens its debugger at this signal, and any process that connects could change the guards of the running session.
  process.on("SIGUSR1", () => {});
  process.on("uncaughtException", (thrown) => {
    fail(thrown);
    process.exit();
  });
  try {
    process.exitCode = await run(process.argv.slice(2));
  } catch (thrown) {
    fail(thrown);
  }
  linger();
}
