import { run } from "./program.ts";

if (process.platform === "win32") {
  process.stderr.write("HL_CLI_PLATFORM: hookloop runs on Linux and macOS. On Windows, run it inside WSL.\n");
  process.exitCode = 2;
} else {
  // A reader that has seen enough (`hookloop events | head`) is not an error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
  process.exitCode = await run(process.argv.slice(2));
}
