// Runs before each test file.
import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { watchFile } from "./cleanup.ts";

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
