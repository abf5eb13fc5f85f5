/** A home folder with these files, for tests of what a session protects. The caller removes `base`. */
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ProtectContext } from "./protected-path.ts";

export interface HomeLab {
  readonly base: string;
  readonly home: string;
  readonly context: ProtectContext;
}

export function openHome(files: readonly string[], { project = "project", scripts = [] as readonly string[] } = {}): HomeLab {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "hookloop-home-")));
  const home = join(base, "home");
  for (const name of files) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), "one\n");
  }
  const cwd = join(home, project);
  const context = { cwd, home, env: {}, scripts: scripts.map((name) => join(cwd, name)), managedRoot: join(base, "managed") };
  return { base, home, context };
}
