#!/usr/bin/env node
// npm links a command only if its file exists when it installs, so this one is committed and loads the built one.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const built = new URL("../dist/cli/main.js", import.meta.url);
if (existsSync(fileURLToPath(built))) {
  await import(built.href);
} else {
  console.error("hookloop is not built yet: run npm run build");
  process.exitCode = 2;
}
