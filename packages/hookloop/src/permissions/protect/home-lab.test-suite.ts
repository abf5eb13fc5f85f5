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

/** A project with a guard and the files that decide what runs, and beside it what a link could bring in. */
export function openProject(): Omit<HomeLab, "home"> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "hookloop-protect-")));
  const files = [".claude/settings.json", ".git/config", ".git/hooks/pre-commit", "src/a.ts", "scripts/check.sh", "scripts/build.sh"];
  for (const name of files) writeIn(base, `home/project/${name}`, "one\ntwo\nthree\n");
  for (const name of [".bashrc", "evil/settings.json", "evil/.claude/settings.json"]) writeIn(base, `home/${name}`);
  mkdirSync(join(base, "managed"));
  const cwd = join(base, "home/project");
  const scripts = [join(cwd, "scripts/check.sh")];
  return { base, context: { cwd, home: join(base, "home"), env: {}, scripts, managedRoot: join(base, "managed") } };
}

export function writeIn(base: string, name: string, text = "{}\n"): void {
  mkdirSync(dirname(join(base, name)), { recursive: true });
  writeFileSync(join(base, name), text);
}
