/** What others wrote is shown as it is: what a command printed, what is in a file, what a change changes. Only our own words are made to fit. */
import { expect, test } from "vitest";
import { hasTmux, openRoom, type Terminal } from "./open-terminal.ts";

/** The answer is complete: the prompt waits again. */
async function answered(terminal: Terminal, text: string | RegExp): Promise<string> {
  await terminal.shows(text);
  return await terminal.shows(/\n>\n[^\n]+$/);
}

test("a path that a command printed is whole, wherever it leads", { skip: !hasTmux }, async () => {
  const room = openRoom();
  room.write("src/a.txt", "a\n");
  const terminal = await room.start({ rows: 100 });
  terminal.say("!cd src && pwd");
  await answered(terminal, "HOME/project/src");
  terminal.say(`!echo "x$PWD/y"`);
  await answered(terminal, "xHOME/project/src/y");
  terminal.say("pwd");
  expect(await answered(terminal, /⎿ HOME\/project\/src\n/)).not.toContain("⎿ src");
});

test("without a UTF-8 locale the signs in a diff, in a file and in what a command printed stay, and ours are ASCII", {
  skip: !hasTmux,
}, async () => {
  const room = openRoom();
  room.write("notes.txt", "● one\na → b … ✗ ·\n");
  const terminal = await room.start({ rows: 100, env: { LANG: "C" } });
  terminal.say("replace one with two in notes.txt");
  const asked = await terminal.shows("Allow it?");
  expect(asked).toContain("-● one\n  +● two\n   a → b … ✗ ·");
  terminal.say("y");
  await answered(terminal, "I changed notes.txt");
  terminal.say("!cat notes.txt");
  await answered(terminal, "\n● two\na → b … ✗ ·\n");
  terminal.say("read notes.txt");
  const screen = await answered(terminal, /\| 1 +● two/);
  expect(screen).toContain("* Read  notes.txt");
  expect(screen).toMatch(/offline - default - \d hooks - ~\/project$/);
});
