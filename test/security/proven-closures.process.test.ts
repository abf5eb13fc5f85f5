/** Hooks made by chance: of one that is called trusted, every byte that a run reads is part of it. What a run really opens is asked of strace. */
import { spawnSync } from "node:child_process";
import { appendFileSync, chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test, vi } from "vitest";
import type { Approval, PendingHook, TrustStatus } from "../../packages/hookloop/src/trust/types.ts";
import { openProject, type Project } from "../engine/open-project.ts";
import { type MadeHook, makeHook, numbersFrom } from "./made-hooks.ts";

/** `npm run test:trust` makes 2,000. */
const HOOKS = Number(process.env["HOOKLOOP_TRUST_HOOKS"] ?? 300);
const SEED = Number(process.env["HOOKLOOP_TRUST_SEED"] ?? 20_261_118);
const TOGETHER = 25;
/** Each run takes a tenth of a second and more. */
const RUNS = HOOKS > 300 ? HOOKS : 24;
const hasStrace = spawnSync("strace", ["-V"]).status === 0;

const yes = async (pending: readonly PendingHook[]): Promise<readonly Approval[]> =>
  pending.map(({ hook, digest }) => ({ id: hook.id, digest }));

interface Made extends MadeHook {
  readonly folder: string;
  readonly status: TrustStatus;
}

async function openMade(below: (count: number) => number): Promise<{ readonly project: Project; readonly made: readonly Made[] }> {
  const hooks = Array.from({ length: TOGETHER }, (_, index) => ({ folder: `h${index}`, ...makeHook(`h${index}`, below) }));
  const entries = hooks.map(({ command, declared }, index) => ({
    type: "command",
    name: `made ${index}`,
    command,
    ...(declared && { files: declared }),
  }));
  const project = openProject({ native: { hooks: { PreToolUse: [{ matcher: "Bash", hooks: entries }] } } });
  for (const { folder, files } of hooks)
    for (const [name, text] of Object.entries(files)) chmodSync(project.write(`project/${folder}/${name}`, text), 0o755);
  project.write("project/README.md", "");
  const statuses = await statusesOf(project, { review: yes });
  const made = hooks.map((hook, index) => {
    const status = statuses.get(`made ${index}`);
    // Two that are the same by chance are one.
    return {
      ...hook,
      status: status ?? ([...statuses.values()].find((one) => one.hook.target.kind === "command") as TrustStatus),
      isOne: status !== undefined,
    };
  });
  return { project, made: made.filter(({ isOne }) => isOne) };
}

async function statusesOf(project: Project, trust: "store" | { readonly review: typeof yes }): Promise<ReadonlyMap<string, TrustStatus>> {
  const hooks = await project.open({ trust });
  const found = new Map(hooks.trust.statuses.map((status) => [status.hook.name, status]));
  await hooks.close();
  return found;
}

/** Files of the project that a run of the hook opens to read. */
function openedBy(project: Project, command: string): readonly string[] {
  const folder = mkdtempSync(path.join(tmpdir(), "hookloop-strace-"));
  const log = path.join(folder, "log");
  try {
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: path.join(project.cwd, "../home"),
      CLAUDE_PROJECT_DIR: project.cwd,
      PYTHONDONTWRITEBYTECODE: "1",
    };
    const strace = ["-f", "-y", "-qq", "-e", "trace=open,openat,openat2", "-e", "signal=none", "-o", log, "/bin/sh", "-c", command];
    spawnSync("strace", strace, { cwd: project.cwd, env, input: "{}", timeout: 60_000 });
    const text = existsSync(log) ? readFileSync(log, "utf8") : "";
    const opened = [...text.matchAll(/open\w*\((?:.*?)(O_[A-Z_|]+).*= \d+<([^>]+)>/g)];
    const read = opened.filter(([, flags = ""]) => !/O_WRONLY|O_DIRECTORY|O_PATH/.test(flags)).map(([, , file = ""]) => file);
    return [...new Set(read.filter((file) => file.startsWith(`${project.cwd}/`)))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What decides how Node reads a script counts by what it says, not by its bytes. */
function isPartOf({ pins }: TrustStatus, file: string, root: string): boolean {
  const { files = [], surroundings = {} } = pins?.record ?? {};
  return files.some(({ realpath }) => realpath === file) || Object.hasOwn(surroundings, path.relative(root, file));
}

test(`of ${HOOKS} hooks, a trusted one is all that it runs (seed ${SEED})`, async () => {
  const below = numbersFrom(SEED);
  const unnoticed: string[] = [];
  const unpinned: string[] = [];
  let [trusted, ran, all] = [0, 0, 0];
  for (let round = 0; round < HOOKS / TOGETHER; round++) {
    const { project, made } = await openMade(below);
    all += made.length;
    const proven = made.filter(({ status }) => status.state === "trusted");
    trusted += proven.length;
    for (const { status, command } of proven.slice(0, Math.ceil((RUNS * TOGETHER) / HOOKS))) {
      if (!hasStrace) break;
      ran += 1;
      for (const file of openedBy(project, command))
        if (!isPartOf(status, file, project.cwd)) unpinned.push(`${command}: ${path.relative(project.cwd, file)}`);
    }
    const changed = proven.map(({ folder, reads, files, command, status }) => {
      const file = reads[below(reads.length)] ?? Object.keys(files)[0] ?? "";
      appendFileSync(project.path(`${folder}/${file}`), /json$/.test(file) ? " " : "\n");
      return { name: status.hook.name, what: `${command}: ${file} of ${JSON.stringify(files)}`, isRead: reads.length > 0 };
    });
    const after = await statusesOf(project, "store");
    rmSync(path.dirname(project.cwd), { recursive: true, force: true });
    // It was in that folder.
    vi.unstubAllEnvs();
    for (const { name, what, isRead } of changed) if (isRead && after.get(name)?.state === "trusted") unnoticed.push(what);
  }
  console.log(`${all} hooks, ${trusted} trusted, ${ran} run under strace`);
  expect(unnoticed).toEqual([]);
  expect(unpinned).toEqual([]);
  // Else it would prove nothing.
  expect(trusted).toBeGreaterThan(all / 5);
  expect(trusted).toBeLessThan((all * 9) / 10);
}, 1_800_000);
