/** Two agents on one session: said, with the process of the other; a session whose agent was killed is free. */
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type AgentLab, ended, openAgentLab, say, use } from "../agent/agent-lab.ts";
import { hasTmux, openRoom } from "../agent/open-terminal.ts";
import { newTag, remaining, until } from "./live-processes.ts";

const run = (lab: AgentLab, ...more: readonly string[]): ReturnType<AgentLab["run"]> =>
  lab.run({ args: ["-p", "go", "--script", lab.write("short.json", { turns: [say("done")] }), ...more] });

/** An agent in the middle of a turn of session `s-1`. */
async function busy(
  lab: AgentLab,
): Promise<{ readonly pid: number; readonly end: () => Promise<unknown>; readonly kill: () => Promise<unknown> }> {
  const script = lab.script([[use("Bash", { command: "touch here; sleep 600" })], say("done")]);
  const child = lab.start({ args: ["-p", "go", "--allowedTools", "Bash", "--script", script, "--session-id", "s-1"] });
  const over = ended(child);
  await until(() => existsSync(path.join(lab.project, "here")), "it works");
  const by = (name: "SIGTERM" | "SIGKILL") => async (): Promise<unknown> => {
    child.kill(name);
    return await over;
  };
  return { pid: child.pid ?? 0, end: by("SIGTERM"), kill: by("SIGKILL") };
}

describe("without a terminal", () => {
  test.each([["--resume", "s-1"], ["--resume"], ["--continue"]])(
    "%s %s of a session that is open is reported, and the session continues",
    async (...flags) => {
      const lab = openAgentLab();
      const other = await busy(lab);
      const { exit, stdout, stderr } = await run(lab, ...flags);
      expect({ exit, stdout }).toEqual({ exit: 0, stdout: "done\n" });
      expect(stderr).toMatch(new RegExp(`^HL_AGENT_SESSION_IN_USE: Session s-1 is also open in process ${other.pid}\\.`, "m"));
      await other.end();
      expect((await run(lab, ...flags)).stderr).not.toContain("HL_AGENT_SESSION_IN_USE");
    },
  );

  test("a session whose agent was killed is continued, without a message about it", async () => {
    const lab = openAgentLab();
    const other = await busy(lab);
    await other.kill();
    const { exit, stderr } = await run(lab, "--resume", "s-1");
    expect(exit).toBe(0);
    expect(stderr).not.toContain("HL_AGENT_SESSION_IN_USE");
  });

  test("another session of the same project does not matter", async () => {
    const lab = openAgentLab();
    const other = await busy(lab);
    expect((await run(lab)).stderr).toBe("");
    await other.end();
  });
});

test.skipIf(!hasTmux)("in a conversation it is said, too", async () => {
  const room = openRoom();
  const tag = newTag();
  const script = room.write("script.json", { turns: [say("done")] });
  const first = await room.start({ args: ["--script", script, "--session-id", "s-1"], env: { [tag]: "1" } });
  first.say("go");
  await first.shows("done");
  const second = await room.start({ args: ["--script", script, "--resume", "s-1"], env: { [tag]: "1" } });
  await second.shows(/Session s-1 is also open in process \d+/);
  for (const terminal of [first, second]) terminal.close();
  expect(await remaining(tag)).toEqual([]);
});
