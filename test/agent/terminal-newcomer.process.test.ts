/** The path of a user who has never seen a hook: the demo, the first guard as the guide writes it, seeing it block, asking why. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { hasTmux, openRoom } from "./open-terminal.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ANSWERED = /\n>\n[^\n]+$/;
/** Five minutes are promised; a machine types faster, so it must leave most of them for reading. */
const ONE_MINUTE = 60_000;

/** The files of the guide, by name. */
function guideFiles(): readonly (readonly [string, string])[] {
  const guide = readFileSync(path.join(ROOT, "docs/guide/first-hook.md"), "utf8");
  return [...guide.matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```$/gm)].map(([, name = "", text = ""]) => [name, text]);
}

test("from the demo to a guard of one's own that blocks and says why takes well under five minutes", { skip: !hasTmux }, async () => {
  const startedAt = performance.now();
  const demo = spawnSync(process.execPath, [path.join(ROOT, "packages/hookloop/bin/hookloop.js"), "demo"], { encoding: "utf8" });
  expect(demo.status).toBe(0);

  const room = openRoom();
  symlinkSync(path.join(ROOT, "node_modules"), path.join(room.project, "node_modules"));
  const files = guideFiles();
  expect(files.map(([name]) => name)).toEqual(["hooks/no-deploy.mjs", ".claude/settings.json", "deploy.sh"]);
  for (const [name, text] of files) room.write(name, text);

  const terminal = await room.start({ rows: 100, args: ["--allowedTools", "Bash"] });
  await terminal.shows("Approve it?");
  terminal.say("y");
  // The greeting comes when the session is open.
  await terminal.shows("No key is set");
  await terminal.shows(ANSWERED);
  terminal.say("run sh deploy.sh");
  await terminal.shows("I could not run");
  await terminal.shows(ANSWERED);
  terminal.say("/why");
  await terminal.shows("It did not run.");
  const screen = await terminal.shows(ANSWERED);
  const blocked = screen.slice(screen.indexOf("> run sh")).replace(/PreToolUse:[0-9a-f]{10}/g, "PreToolUse:DIGEST");
  await expect(`${blocked}\n`).toMatchFileSnapshot(fileURLToPath(new URL("screens/newcomer-80.txt", import.meta.url)));
  expect(performance.now() - startedAt).toBeLessThan(ONE_MINUTE);
});

test("after the demonstration the conversation is in its folder, with its hooks, and the folder goes when it ends", {
  skip: !hasTmux,
}, async () => {
  const terminal = await openRoom().start({ command: "demo", rows: 100, ready: /Open the conversation\?/ });
  const [, project = ""] = /The folder is (\S+)/.exec(await terminal.shows("when you leave: exit")) ?? [];
  expect(existsSync(path.join(project, "notes.txt"))).toBe(true);
  terminal.press("Enter");
  await terminal.shows(ANSWERED);
  terminal.say("delete the file notes.txt");
  await terminal.shows(/> delete the file notes\.txt[\s\S]*no-delete\.mjs\s+·\s+PreToolUse:Bash\s+·\s+denied/);
  await terminal.shows(ANSWERED);
  expect(existsSync(path.join(project, "notes.txt"))).toBe(true);
  // Calls are asked about here; the demonstration itself had allowed them.
  terminal.say("create mine.ts");
  await terminal.shows("Allow it?");
  terminal.say("y");
  await terminal.shows("I created mine.ts");
  await terminal.shows(ANSWERED);
  expect(readFileSync(path.join(project, "mine.ts"), "utf8")).toMatch(/^\/\/ formatted by a hook/);
  terminal.say("exit");
  const screen = await terminal.shows("[left with 0]");
  expect(screen).not.toContain("To go on later");
  expect(existsSync(path.dirname(project))).toBe(false);
});

test("who does not want to talk after the demonstration leaves no folder behind", { skip: !hasTmux }, async () => {
  const terminal = await openRoom().start({ command: "demo", rows: 100, ready: /Open the conversation\?/ });
  const [, project = ""] = /The folder is (\S+)/.exec(terminal.screen()) ?? [];
  expect(existsSync(project)).toBe(true);
  terminal.say("n");
  await terminal.shows("[left with 0]");
  expect(existsSync(path.dirname(project))).toBe(false);
});
