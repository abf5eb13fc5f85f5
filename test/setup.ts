// Runs before each test file.
import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { watchFile } from "./cleanup.ts";

// The same values in every run, so that a change is judged by what it changed; HOOKLOOP_SEED=random looks for others.
const { HOOKLOOP_SEED = "20261118" } = process.env;
if (HOOKLOOP_SEED !== "random") fc.configureGlobal({ seed: Number(HOOKLOOP_SEED) });
watchFile();
installCommand();

/** As on a machine where `hookloop` is installed: messages name it by its name, not by the path of this checkout. */
function installCommand(): void {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const folder = path.join(root, "node_modules/.cache/hookloop-test-bin");
  const { PATH = "" } = process.env;
  if (PATH.startsWith(folder)) return;
  mkdirSync(folder, { recursive: true });
  const link = path.join(folder, "hookloop");
  try {
    symlinkSync(path.join(root, "packages/hookloop/bin/hookloop.js"), link);
  } catch (thrown) {
    // Another worker has made it.
    if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
  }
  process.env["PATH"] = `${folder}${path.delimiter}${PATH}`;
}
