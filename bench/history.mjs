// What shipped hooks add to a tool call, in CPU time of this process: the same call on an engine with them and on one without, in turn, and the
// median of the differences. file-history alone, and with the guards and metrics.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openHooks } from "hookloop";
import { median } from "./nanoseconds.mjs";
import { printGroup } from "./print-group.mjs";

const LINES = Array.from({ length: 1000 }, (_, index) => `line ${index} `.padEnd(49, "x"));

async function open(use) {
  const home = mkdtempSync(path.join(tmpdir(), "hookloop-bench-"));
  const env = { ...process.env, XDG_STATE_HOME: path.join(home, "state") };
  const hooks = await openHooks({ cwd: home, use, onDiagnostic: () => {}, ports: { home, env, managedRoot: path.join(home, "none") } });
  const file = path.join(home, "edited.txt");
  writeFileSync(file, LINES.join("\n"));
  return { home, hooks, file };
}

let serial = 0;

/** Milliseconds of CPU since the program began: what neighbours do does not count. */
const cpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** One edit of a file of 50 kB, without the writing itself. */
async function edit({ hooks, file }) {
  const originalFile = LINES.join("\n");
  const text = originalFile.replace("line 500 ", `line 500 ${serial} `);
  const input = { file_path: file, old_string: "line 500 ", new_string: `line 500 ${serial} `, replace_all: false };
  let own = 0;
  const startedAt = cpu();
  await hooks.runTool({ tool_name: "Edit", tool_input: input, tool_use_id: `toolu_${serial++}` }, () => {
    const writing = cpu();
    writeFileSync(file, text);
    own = cpu() - writing;
    return { filePath: file, oldString: "", newString: "", originalFile, structuredPatch: [], userModified: false, replaceAll: false };
  });
  return cpu() - startedAt - own;
}

const runs =
  (command) =>
  async ({ hooks }) => {
    const call = { tool_name: "Bash", tool_input: { command: `${command} # ${serial}` }, tool_use_id: `toolu_${serial++}` };
    const startedAt = cpu();
    await hooks.runTool(call, () => ({ stdout: "", stderr: "", interrupted: false }));
    return cpu() - startedAt;
  };

const READS = runs("git status --short && ls -la src");
const TESTS = runs("npm test -- --run src/parser.test.ts");
const WARM_UP_ROUNDS = 20;

/** What the hooks of `use` add to those of `beside`. */
async function measureAdded({ use, beside, cases, rounds }) {
  const [without, kept] = [await open(beside), await open([...beside, ...use])];
  const samples = cases.map(() => []);
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++)
    for (const [at, { measure }] of cases.entries()) {
      const [first, second] = round % 2 === 0 ? [without, kept] : [kept, without];
      const [one, other] = [await measure(first), await measure(second)];
      if (round >= 0) samples[at].push(first === kept ? one - other : other - one);
    }
  for (const { hooks, home } of [without, kept]) {
    await hooks.close();
    rmSync(home, { recursive: true, force: true });
  }
  return cases.map(({ name, most }, at) => ({
    name,
    "CPU ms": median(samples[at]),
    target: most === undefined ? "" : `≤ ${most} ms`,
  }));
}

export const measureHistory = (rounds = 200) =>
  measureAdded({
    use: ["file-history"],
    beside: ["safety"],
    cases: [
      { name: "an edit of a file of 50 kB", measure: edit, most: 3 },
      { name: "a Bash call that writes nothing", measure: READS, most: 0.3 },
      { name: "a Bash call whose writes are not known", measure: TESTS },
    ],
    rounds,
  });

export const measureShipped = (rounds = 200) =>
  measureAdded({
    use: ["safety", "workspace-boundary", "secret-guard", "metrics", "file-history"],
    beside: [],
    cases: [
      { name: "a Bash call that writes nothing", measure: READS, most: 1 },
      { name: "a Bash call whose writes are not known", measure: TESTS, most: 1 },
      { name: "an edit of a file of 50 kB", measure: edit, most: 3 },
    ],
    rounds,
  });

if (process.argv[1] === new URL(import.meta.url).pathname) {
  printGroup("What file-history adds", await measureHistory());
  printGroup("What safety, workspace-boundary, secret-guard, metrics and file-history add together", await measureShipped());
}
