import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll } from "vitest";

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** Inside node_modules, so that packages are found from there. */
const folder = (() => {
  const cache = here("../../../../../node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  return mkdtempSync(path.join(cache, "hookloop-test-"));
})();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A program of ours as a bare `node` can run it. */
export async function programFromSource(file: string): Promise<string> {
  const outfile = path.join(folder, `${path.parse(file).name}.mjs`);
  await build({
    entryPoints: [here(file)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "warning",
    external: ["oxc-transform", "jsonc-parser"],
    alias: { "@hookloop/sdk/host": here("../../../../sdk/src/host.ts") },
  });
  return outfile;
}

interface HookFolder {
  readonly root: string;
  write(name: string, text: string): string;
  /** The built SDK, for scripts that a bare `node` runs, too. */
  installSdk(): void;
}

/** A folder for hook files, gone when the test file is done. */
export function hookFolder(): HookFolder {
  const root = mkdtempSync(path.join(tmpdir(), "hookloop-module-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const write = (name: string, text: string): string => {
    const file = path.join(root, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  return {
    root,
    write,
    installSdk: () => {
      write("node_modules/@hookloop/sdk/package.json", '{ "type": "module", "exports": "./index.js" }');
      write("node_modules/@hookloop/sdk/index.js", `export * from ${JSON.stringify(here("../../../../sdk/dist/index.js"))};`);
    },
  };
}
