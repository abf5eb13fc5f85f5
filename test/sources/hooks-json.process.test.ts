/** A guard in the words of S3: `.hooks.json`, exit code 1 blocks, the call in environment variables. It must block in a real session. */
import { expect, test } from "vitest";
import { openAgentLab } from "../agent/agent-lab.ts";

const HOOKS = {
  hooks: {
    SessionStart: [{ command: "echo started >> log; exit 1" }],
    PreToolUse: [
      { matcher: "bash", command: "python3 hooks/guard.py" },
      { matcher: "write_file", command: 'case "$HOOK_TOOL_INPUT" in *secret*) echo "no secrets" >&2; exit 1;; esac' },
    ],
    PostToolUse: [{ matcher: null, command: 'echo "$HOOK_EVENT $HOOK_TOOL_NAME $HOOK_TOOL_OUTPUT" >> log' }],
  },
};
const GUARD = `import json, os, sys
command = json.loads(os.environ["HOOK_TOOL_INPUT"])["command"]
if "rm" in command.split():
    print("Deleting is not allowed here", file=sys.stderr)
    sys.exit(1)
`;

test("a guard of .hooks.json blocks in a session, and the tool does not run", async () => {
  const lab = openAgentLab();
  lab.write("project/.hooks.json", HOOKS);
  lab.write("project/hooks/guard.py", GUARD);
  lab.write("project/kept.txt", "still here");
  const say = async (sentence: string): Promise<string> => {
    const args = ["-p", sentence, "--model", "offline", "--trust-workspace", "--permission-mode", "bypassPermissions"];
    const { stdout } = await lab.run({ args });
    return stdout;
  };
  expect(await say("run `rm kept.txt`")).toContain("Deleting is not allowed here");
  expect(lab.read("project/kept.txt")).toBe("still here");
  expect(await say('write "secret" to notes.txt')).toContain("no secrets");
  expect(lab.read("project/notes.txt")).toBeUndefined();
  expect(lab.read("project/log")).toBe("started\nstarted\n");
  expect(await say("run `echo fine`")).toContain("`echo fine` printed:\nfine");
  expect(lab.read("project/log")).toContain("PostToolUse bash fine");
});
