import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { readTrace } from "../../packages/hookloop/src/trace/append-file.ts";
import { ended, lines, openAgentLab, say, use } from "./agent-lab.ts";

const TURNS = 200;
const HOOKS = 5;
/** A small heap: the collector may not put its work off, so what grows is really kept. */
const SMALL_HEAP = { NODE_OPTIONS: "--max-old-space-size=48 --max-semi-space-size=1" };
/** What the agent may grow by from turn 50 to the end; about 5 MB were measured. */
const GROWTH_BYTES = 15 * 1024 * 1024;

function residentBytes(pid: number): number {
  const [, kilobytes = "0"] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}

test.skipIf(process.platform !== "linux")(
  "200 turns with 5 command hooks per tool keep memory flat, end every hook and leave a readable trace",
  async () => {
    const lab = openAgentLab();
    // Different texts: the same command in one source would run once.
    const hooks = Array.from({ length: HOOKS }, (_, at) => ({ type: "command", command: `: ${at}` }));
    lab.settings({ hooks: { PreToolUse: [{ matcher: "Read", hooks }] } });
    lab.write("project/note.txt", "one line\n");
    const turns = Array.from({ length: TURNS }, () => [use("Read", { file_path: "note.txt" })]);
    const args = ["-p", "go", "--trust-workspace", "--script", lab.script([...turns, say("done")]), "--output-format", "stream-json"];
    const child = lab.start({ args, env: SMALL_HEAP });
    const samples: number[] = [];
    let results = 0;
    child.stdout?.on("data", (piece: Buffer) => {
      const before = results;
      results += piece.toString().split('"tool_result"').length - 1;
      if (Math.floor(before / 10) !== Math.floor(results / 10) && child.pid !== undefined && child.exitCode === null) {
        samples.push(residentBytes(child.pid));
      }
    });
    const { exit, stdout } = await ended(child);
    expect(exit).toBe(0);
    expect(lines(stdout).at(-1)).toMatchObject({ num_turns: TURNS + 1, terminal_reason: "completed" });
    const settled = samples.slice(Math.floor(samples.length / 4));
    expect(settled.length).toBeGreaterThan(5);
    expect(Math.max(...settled) - (settled[0] ?? 0)).toBeLessThan(GROWTH_BYTES);

    const [file = ""] = lab.stateFiles("traces");
    const { records, damage, problem } = readTrace(file);
    expect({ damage, problem }).toEqual({ damage: [], problem: undefined });
    const ofHooks = records.flatMap((record) =>
      record.event === "PreToolUse" && "hook" in record && record.hook?.startsWith("project:") ? record : [],
    );
    const count = (type: string): number => ofHooks.filter((record) => record.type === type).length;
    expect([count("started"), count("outcome")]).toEqual([TURNS * HOOKS, TURNS * HOOKS]);
    expect(ofHooks.filter((record) => record.type === "outcome" && record.failure !== undefined)).toEqual([]);
    expect(path.basename(file)).toMatch(/\.jsonl$/);
  },
  // A thousand hooks: some seconds, but minutes on a busy machine.
  240_000,
);
