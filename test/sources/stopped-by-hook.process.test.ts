/** What a hook that ended the work leaves behind: an attachment, in the words of Claude Code. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Json, lines, openAgentLab, say, use } from "../agent/agent-lab.ts";

const HALT = `echo '{"continue": false, "stopReason": "enough"}'`;

async function attachments(
  event: string,
): Promise<{ readonly stream: readonly Json[]; readonly transcript: readonly Json[]; readonly last: Json }> {
  const lab = openAgentLab();
  lab.settings({ hooks: { [event]: [{ hooks: [{ type: "command", command: HALT }] }] } });
  const script = lab.script([[use("Bash", { command: "echo hi" }, "toolu_7")], say("done")]);
  const args = ["-p", "go", "--script", script, "--output-format", "stream-json", "--trust-workspace", "--allowedTools", "Bash"];
  const { stdout } = await lab.play({ args });
  const shown = lines(stdout);
  const transcript = lab.stateFiles("sessions").flatMap((file) => lines(readFileSync(file, "utf8")));
  const isAttachment = ({ type }: Json): boolean => type === "attachment";
  return { stream: shown.filter(isAttachment), transcript: transcript.filter(isAttachment), last: shown.at(-1) as Json };
}

test.each([
  ["PostToolUse", { hookName: "PostToolUse:Bash", hookEvent: "PostToolUse", toolUseID: "toolu_7" }, "hook_stopped"],
  ["PreToolUse", { hookName: "PreToolUse:Bash", hookEvent: "PreToolUse", toolUseID: "toolu_7" }, "hook_stopped"],
  ["Stop", { hookName: "Stop", hookEvent: "Stop" }, "stop_hook_prevented"],
])(
  "a %s hook that ends the work leaves one attachment in the transcript and in the stream, and the run has completed",
  async (event, fields, reason) => {
    const { stream, transcript, last } = await attachments(event);
    const attachment = { type: "hook_stopped_continuation", message: "enough", ...fields };
    expect(stream).toMatchObject([{ type: "attachment", attachment }]);
    expect(transcript).toMatchObject([{ type: "attachment", attachment }]);
    expect(last).toMatchObject({ subtype: "success", is_error: false, terminal_reason: reason });
  },
);

test("a hook that only denies leaves none", async () => {
  const lab = openAgentLab();
  lab.settings({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "exit 2" }] }] } });
  const script = lab.script([[use("Bash", { command: "echo hi" })], say("done")]);
  const { stdout } = await lab.play({ args: ["-p", "go", "--script", script, "--output-format", "stream-json", "--trust-workspace"] });
  expect(lines(stdout).filter(({ type }) => type === "attachment")).toEqual([]);
});
