#!/usr/bin/env node
// npm links a command only if its file exists when it installs, so this one is committed and loads the built one.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const built = new URL("../dist/cli/main.js", import.meta.url);
if (existsSync(fileURLToPath(built))) {
  try {
    await import("../dist/cli/main.js");
  } catch (thrown) {
    // Not even the program could be read; what goes wrong later is said there.
    if (thrown?.code !== "EMFILE" && thrown?.code !== "ENFILE") throw thrown;
    console.error(
      `HL_CLI_NO_RESOURCES: hookloop cannot start: too many files are open (${thrown.code}). Raise the limit, for example: ulimit -n 1024.`,
    );
    process.exitCode = 1;
  }
} else {
  console.error("hookloop is not built yet: run npm run build");
  process.exitCode = 2;
}
