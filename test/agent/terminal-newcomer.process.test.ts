/** The path of somebody who has never seen a hook: they try the agent, write a guard by hand, see it block, and ask why. */
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { hasTmux, openRoom } from "./open-terminal.ts";

const GUARD = `#!/bin/sh
# Says no to every command that deletes something.
if grep -q '"command":"rm ' ; then
  echo "Deleting is my job, not the agent's." >&2
  exit 2
fi
`;

const SETTINGS = `{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [{ "type": "command", "command": "sh \\"$CLAUDE_PROJECT_DIR\\"/guard.sh" }]
      }
    ]
  }
}
`;

const ANSWERED = /\n>\n[^\n]+$/;
/** Five minutes are promised; a machine types faster, so it must leave most of them for reading. */
const ONE_MINUTE = 60_000;

test("from nothing to a guard that blocks and an explanation takes well under five minutes", { skip: !hasTmux }, async () => {
  const startedAt = performance.now();
  const room = openRoom();
  room.write("notes.txt", "precious\n");
  const before = await room.start();
  before.say("read the file notes.txt");
  await before.shows("precious");
  await before.shows(ANSWERED);
  before.press("C-d");
  await before.shows("[left with 0]");

  room.write("guard.sh", GUARD);
  room.write(".claude/settings.json", SETTINGS);

  const terminal = await room.start({ rows: 100 });
  await terminal.shows("Trust it?");
  terminal.say("y");
  await terminal.shows(ANSWERED);
  terminal.say("run rm notes.txt");
  await terminal.shows("I could not run");
  await terminal.shows(ANSWERED);
  expect(room.read("notes.txt")).toBe("precious\n");
  terminal.say("/why");
  await terminal.shows("It did not run.");
  const screen = await terminal.shows(ANSWERED);
  const blocked = screen.slice(screen.indexOf("> run rm"));
  await expect(`${blocked.replace(/PreToolUse:[0-9a-f]{10}/g, "PreToolUse:DIGEST")}\n`).toMatchFileSnapshot(
    fileURLToPath(new URL("screens/newcomer-80.txt", import.meta.url)),
  );
  expect(performance.now() - startedAt).toBeLessThan(ONE_MINUTE);
});
