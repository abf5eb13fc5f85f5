/** What the user may do in a conversation, and what it says then: never something that is not so, and never an end they did not ask for. */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { openMessagesServer } from "./messages-server.ts";
import { hasTmux, openRoom, type Room, type Terminal } from "./open-terminal.ts";

const GUARD = "grep -q 'rm ' && { echo 'Deleting is not for agents.' >&2; exit 2; }; exit 0\n";

/** A guard in a script of its own, so that it can be changed. */
function guarded(room: Room): Room {
  room.write("no-rm.sh", GUARD);
  const hook = { type: "command", name: "no-rm", command: 'sh "$CLAUDE_PROJECT_DIR"/no-rm.sh', guard: true };
  room.write(".hookloop/hooks.json", { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [hook] }] } });
  return room;
}

const BASH = { args: ["--allowedTools", "Bash"] };

/** The prompt waits again, and this has been shown. */
async function answered(terminal: Terminal, text: string | RegExp): Promise<string> {
  await terminal.shows(text);
  return await terminal.shows(/\n>\n[^\n]+$/);
}

async function pinned(screen: string, name: string): Promise<void> {
  const same = screen.replace(/:[0-9a-f]{10}\b/g, ":DIGEST").trimEnd();
  await expect(`${same}\n`).toMatchFileSnapshot(fileURLToPath(new URL(`screens/${name}.txt`, import.meta.url)));
}

describe.skipIf(!hasTmux)("a hook that was refused", () => {
  test("has changed in the middle of a session: /hooks says that it will not run, and approving it in another terminal lets it run", async () => {
    const room = guarded(openRoom());
    expect(room.hookloop("trust", "approve", "no-rm").status).toBe(0);
    const terminal = await room.start({ rows: 100, ...BASH });
    terminal.say("run echo one");
    await answered(terminal, /⎿ one\n[^\n]+ ran\./);
    room.write("no-rm.sh", `${GUARD}# edited\n`);
    terminal.say("run echo two");
    await answered(terminal, "HL_TRUST_CHANGED");
    terminal.say("/hooks");
    const listed = await answered(terminal, /3 hooks, 1 will not run\. 1 blocks what it matches\./);
    expect(listed).toMatch(/✗ no-rm[\s\S]*will not run: "no-rm" is not what was approved any more/);
    expect(listed).not.toContain("all will run");
    expect(listed).toContain("1 of 3 hooks blocks what it matches: /hooks");
    expect(room.hookloop("trust", "approve", "no-rm").status).toBe(0);
    terminal.say("run echo three");
    await answered(terminal, /⎿ three\n[^\n]+ ran\./);
    expect(terminal.screen().replace(/\s+/g, " ")).toContain(
      'HL_TRUST_APPROVED_MEANWHILE: The project hook "no-rm" is what was approved and runs from now on.',
    );
    terminal.say("/hooks");
    await answered(terminal, "3 hooks, all will run.");
    terminal.say("run rm notes.txt");
    await answered(terminal, /I could not run\s+`rm/);
  });

  test("had an earlier version that was approved: when it is removed that blocks, and the message has the command that settles it", async () => {
    const room = guarded(openRoom());
    expect(room.hookloop("trust", "approve", "no-rm").status).toBe(0);
    room.write("no-rm.sh", `${GUARD}# edited\n`);
    const review = await room.start({ command: "trust", args: ["review"], ready: /Approve it\?/ });
    await review.shows("Approve it?");
    review.say("r");
    await review.shows("left with 0");
    room.write(".hookloop/hooks.json", { hooks: {} });
    const { status, stderr } = room.hookloop("agent", "-p", "run ls", "--allowedTools", "Bash");
    expect(status).toBe(1);
    expect(stderr).toContain("was approved, a later version of it was refused, and neither is in");
    const [, id = ""] = /hookloop(?:\.js)? trust revoke (project:PreToolUse:[0-9a-f]+)/.exec(stderr) ?? [];
    expect(room.hookloop("trust", "revoke", id).stdout).toContain("is forgotten");
    expect(room.hookloop("agent", "-p", "run ls", "--allowedTools", "Bash").status).toBe(0);
  });

  test("was not approved at the start: approving it in another terminal makes it count, announced", async () => {
    const room = guarded(openRoom());
    const terminal = await room.start({ rows: 100, ...BASH });
    await terminal.shows("Approve it?");
    terminal.press("Enter");
    await terminal.shows("1 of 3 hooks");
    expect(room.hookloop("trust", "approve", "no-rm").status).toBe(0);
    terminal.say("run rm notes.txt");
    await answered(terminal, /I could not run\s+`rm/);
    expect(terminal.screen()).toContain("HL_TRUST_APPROVED_MEANWHILE");
    await terminal.shows("offline · default · 3 hooks");
  });

  test("is approved in another terminal while the prompt waits: the status line follows, and what is typed stays", async () => {
    const room = guarded(openRoom());
    const terminal = await room.start({ rows: 100, ...BASH });
    await terminal.shows("Approve it?");
    terminal.press("Enter");
    await terminal.shows("1 of 3 hooks");
    terminal.type("run ec");
    expect(room.hookloop("trust", "approve", "no-rm").status).toBe(0);
    const screen = await terminal.shows(/\n> run ec\noffline · default · 3 hooks/);
    expect(screen).toContain("HL_TRUST_APPROVED_MEANWHILE");
    expect(screen).not.toContain("1 of 3 hooks");
  });

  test("came with an edit while the prompt waited, and is approved in another terminal: the status line follows", async () => {
    const room = openRoom();
    room.write(".hookloop/hooks.json", { hooks: {} });
    const terminal = await room.start({ rows: 100, ...BASH });
    await terminal.shows("offline · default · 2 hooks");
    guarded(room);
    await terminal.shows("Approve it?");
    terminal.press("Enter");
    await terminal.shows("1 of 3 hooks");
    expect(room.hookloop("trust", "approve", "no-rm").status).toBe(0);
    await terminal.shows("offline · default · 3 hooks");
  });
});

describe.skipIf(!hasTmux)("nothing that is typed ends the conversation", () => {
  test("a model without a key is refused with the reason and the cure, and the model stays; /clear and /resume go on", async () => {
    const room = openRoom();
    const terminal = await room.start({ rows: 100 });
    terminal.say("run echo hello");
    await answered(terminal, /⎿ hello\n[^\n]+ ran\./);
    terminal.say("/model gpt-5");
    const refused = await answered(terminal, /The model stays offline\./);
    expect(refused).toMatch(/There is no key for the model\s+gpt-5/);
    expect(refused).toContain("ANTHROPIC_API_KEY");
    // What only holds before the start is no help here.
    expect(refused).not.toMatch(/HL_AGENT_NO_MODEL|--script|--model/);
    expect(refused).not.toContain("The model is gpt-5 now");
    expect(refused).toMatch(/\noffline · default/);
    terminal.say("/clear");
    const cleared = await answered(terminal, "A new session");
    expect(cleared).not.toContain("Rules you gave");
    terminal.say("/resume 1");
    await answered(terminal, "Resuming session");
    terminal.say("/model");
    await answered(terminal, "The model is offline.");
  });

  test("with a key, /model offline asks the offline model, and back again", async () => {
    const server = await openMessagesServer([]);
    const terminal = await openRoom().start({ rows: 60, env: server.env });
    terminal.say("/model offline");
    await answered(terminal, "The model is offline now. To go back: /model claude-");
    terminal.say("run echo here");
    await answered(terminal, /⎿ here\n[^\n]+ ran\./);
  });

  test("what a session began with is gone: /clear says so, and the session stays", async () => {
    const room = openRoom();
    const extra = room.write("extra.json", { hooks: {} });
    const terminal = await room.start({ rows: 60, args: ["--settings", "extra.json"] });
    terminal.say("run echo hello");
    await answered(terminal, /⎿ hello\n[^\n]+ ran\./);
    rmSync(extra);
    for (const times of [1, 2]) {
      terminal.say("/clear");
      await terminal.shows(new RegExp(`(failed[\\s\\S]*){${times}}`));
      await answered(terminal, /\/clear failed: There is no file\s+extra\.json/);
    }
    terminal.say("run echo still here");
    await answered(terminal, /⎿ still here\n[^\n]+ ran\./);
    room.write("extra.json", { hooks: {} });
    terminal.say("/clear");
    await answered(terminal, "A new session");
  });

  test("an unknown command names the nearest, and the model gets nothing of it", async () => {
    const terminal = await openRoom().start({ rows: 100 });
    for (const [typed, wanted] of [
      ["/hook", "There is no command /hook. Did you mean /hooks?"],
      ["/hepl", "Did you mean /help?"],
      ["/resum", "Did you mean /resume?"],
      ["/modle", "Did you mean /model?"],
      ["/quti", "Did you mean /quit?"],
      ["/xyzzy", "There is no command /xyzzy. /help lists them all."],
    ] as const) {
      terminal.say(typed);
      await answered(terminal, wanted);
    }
    terminal.say("/resume 9");
    await answered(terminal, "There is no earlier session of this project.");
  });
});

describe.skipIf(!hasTmux)("a question", () => {
  test("is asked again until the answer is clear: /why explains, words that mean yes are yes", async () => {
    const room = openRoom();
    const terminal = await room.start({ rows: 100 });
    terminal.say("run touch x.txt");
    await terminal.shows("Allow it?");
    terminal.say("/why");
    await terminal.shows(/It waits for your answer\.\n[\s\S]*Allow it\?/);
    terminal.say("hm");
    await terminal.shows(/That is not clear\.[\s\S]*Allow it\?[^>]*\n\?/);
    terminal.say("/hooks");
    await terminal.shows(/A question is open\.[\s\S]*Allow it\?[^>]*\n\?/);
    expect(room.read("x.txt")).toBeUndefined();
    terminal.say("ok");
    await answered(terminal, "no output");
    expect(room.read("x.txt")).toBeDefined();
    terminal.say("run touch y.txt");
    await terminal.shows(/touch y\.txt[\s\S]*Allow it\?[^>]*\n\?/);
    terminal.say("sure");
    await answered(terminal, /touch y[\s\S]*no output/);
    expect(room.read("y.txt")).toBeDefined();
  });

  test("whether hooks are trusted is asked again, too", async () => {
    const room = guarded(openRoom());
    const terminal = await room.start({ rows: 100 });
    await terminal.shows("Approve it?");
    terminal.say("maybe");
    await terminal.shows(/That is not clear[\s\S]*Approve it\?/);
    terminal.say("/why");
    await terminal.shows(/is not trusted and does not run[\s\S]*Approve it\?[^>]*\n\?/);
    terminal.say("ok");
    await terminal.shows("· 3 hooks ·");
    expect(JSON.parse(room.hookloop("trust", "--json").stdout)).toMatchObject([{ state: "trusted" }]);
  });

  test("Esc leaves it, and is no yes", async () => {
    const room = openRoom();
    const terminal = await room.start();
    terminal.say("run touch x.txt");
    await terminal.shows("Allow it?");
    terminal.press("Escape");
    await answered(terminal, "Stopped.");
    expect(room.read("x.txt")).toBeUndefined();
    terminal.say("run echo still here");
    await answered(terminal, /⎿ still here\n[^\n]+ ran\./);
  });
});

describe.skipIf(!hasTmux)("keys", () => {
  test("Esc stops the turn and what it started, keeps what is typed, and never leaves", async () => {
    const room = openRoom();
    const terminal = await room.start(BASH);
    terminal.say("run touch begun && sleep 600 && touch done");
    await expect.poll(() => room.read("begun"), { timeout: 20_000 }).toBeDefined();
    terminal.type("for later");
    await terminal.shows("for later");
    terminal.press("Escape");
    await terminal.shows(/Stopped\.[\s\S]*\n> for later/);
    terminal.press("C-u", "Escape", "Escape", "Escape");
    terminal.say("run echo still here");
    await answered(terminal, /⎿ still here\n[^\n]+ ran\./);
    expect(room.read("done")).toBeUndefined();
  });

  test("Shift-Tab goes through the modes, and not into the one that never asks", async () => {
    const room = openRoom();
    const terminal = await room.start();
    for (const mode of ["acceptEdits", "plan", "default", "acceptEdits"]) {
      terminal.press("BTab");
      await terminal.shows(`offline · ${mode} · `);
    }
    terminal.say("create a file called a.txt");
    await answered(terminal, "I created a.txt.");
    expect(terminal.screen()).not.toContain("Allow it?");
    expect(terminal.screen()).not.toContain("bypassPermissions");
  });

  test("with leave to bypass, Shift-Tab goes there, too", async () => {
    const terminal = await openRoom().start({ args: ["--dangerously-skip-permissions"] });
    for (const mode of ["default", "acceptEdits", "plan", "bypassPermissions"]) {
      terminal.press("BTab");
      await terminal.shows(`offline · ${mode} · `);
    }
  });
});

describe.skipIf(!hasTmux)("! and a shell line", () => {
  test("runs it with the hooks around it and without a question; what it printed is in the conversation", async () => {
    const room = guarded(openRoom());
    const seen = path.join(room.project, "seen.jsonl");
    const record = { type: "command", name: "record", command: `cat >> ${seen}; echo >> ${seen}` };
    const guard = { type: "command", name: "no-rm", command: 'sh "$CLAUDE_PROJECT_DIR"/no-rm.sh', guard: true };
    room.write(".hookloop/hooks.json", {
      hooks: { PreToolUse: [{ matcher: "Bash", hooks: [guard] }], PostToolUse: [{ hooks: [record] }], CwdChanged: [{ hooks: [record] }] },
    });
    room.write("sub/file.txt", "");
    room.write("many.txt", Array.from({ length: 30 }, (_, at) => `row ${at + 1}`).join("\n"));
    const terminal = await room.start({ rows: 120, args: ["--trust-workspace"] });
    terminal.say("!cat many.txt");
    const whole = await answered(terminal, "row 30");
    expect(whole).toContain("row 15");
    expect(whole).not.toContain("Allow it?");
    terminal.say("!rm many.txt");
    await answered(terminal, /PreToolUse was blocked by hook "no-rm"/);
    expect(room.read("many.txt")).toBeDefined();
    terminal.say("/why");
    await answered(terminal, /Bash {2}rm many\.txt[\s\S]*It did not run\./);
    terminal.say("!cd sub");
    await answered(terminal, /> !cd sub[\s\S]*\n>\n/);
    terminal.say("!ls; exit 3");
    await answered(terminal, /Exit code 3[\s\S]*file\.txt/);
    terminal.say("!");
    await answered(terminal, "!git status");
    const events = (room.read("seen.jsonl") ?? "")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    expect(events.map(({ hook_event_name: name, tool_name: tool }) => [name, tool])).toEqual([
      ["PostToolUse", "Bash"],
      ["PostToolUse", "Bash"],
      ["CwdChanged", undefined],
    ]);
    terminal.press("C-d");
    await terminal.shows("[left with 0]");
    const folder = path.join(room.project, "../.local/state/hookloop/sessions");
    const [file = ""] = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"));
    const transcript = readFileSync(path.join(folder, file), "utf8");
    expect(transcript).toContain("<bash-input>cat many.txt</bash-input>");
    expect(transcript).toMatch(/<bash-stdout>row 1\\n/);
    expect(transcript).toMatch(/<bash-stderr>[^<]*Deleting is not for agents/);
  });

  test("a deny rule counts, plan mode does not, and Esc stops it", async () => {
    const room = openRoom();
    const terminal = await room.start({ rows: 60, args: ["--disallowedTools", "Bash(git push *)", "--permission-mode", "plan"] });
    terminal.say("!git push origin");
    await answered(terminal, "Bash was not run");
    terminal.say("!touch made.txt && sleep 600");
    await expect.poll(() => room.read("made.txt"), { timeout: 20_000 }).toBeDefined();
    terminal.press("Escape");
    await answered(terminal, "Stopping.");
    terminal.say("!echo still here");
    await answered(terminal, "\nstill here\n");
  });
});

describe.skipIf(!hasTmux)("an earlier session", () => {
  test("is shown with its last turns, found by its number, and keeps its title after /compact", async () => {
    const room = openRoom();
    const terminal = await room.start({ rows: 200, ...BASH });
    for (const word of ["first", "second", "third", "fourth"]) {
      terminal.say(`run echo ${word}`);
      await answered(terminal, new RegExp(`⎿ ${word}\\n[^\\n]+ ran\\.`));
    }
    terminal.say(" !echo by hand");
    await answered(terminal, /\nby hand\n/);
    terminal.say("/clear");
    await answered(terminal, "A new session");
    terminal.say("run echo other");
    await answered(terminal, /⎿ other\n[^\n]+ ran\./);
    terminal.say("/resume 9");
    await answered(terminal, "There is no session number 9. There is 1 earlier session of this project.");
    terminal.say("/resume");
    await terminal.shows(/1 {2}.*run echo first[\s\S]*Which one\?/);
    terminal.say("7");
    await terminal.shows(/That is not clear\. Type 1, or just Enter[\s\S]*Which one\?[^>]*\n\?/);
    terminal.say("1");
    const screen = await answered(terminal, /Resuming session[\s\S]*> run echo fourth[\s\S]*⎿ fourth\n[^\n]+ ran\./);
    const replayed = screen.slice(screen.lastIndexOf("Resuming session"));
    expect(replayed).toMatch(/… 1 earlier turn\n> run echo second\n● Bash {2}echo second\n {2}⎿ second\n/);
    expect(replayed).not.toContain("> run echo first");
    expect(replayed).toContain("> !echo by hand");
    terminal.say("/compact");
    await answered(terminal, "The conversation was compacted");
    terminal.say("/clear");
    await answered(terminal, /A new session[\s\S]*A new session/);
    terminal.say("/resume");
    const again = await terminal.shows(/\/compact[\s\S]*Which one\?/);
    expect(again.slice(again.lastIndexOf("> /resume"))).toMatch(/^\d {2}.*run echo first$/m);
    terminal.press("Enter");
    await terminal.shows(/\n>\n[^\n]+$/);
  });
});

describe.skipIf(!hasTmux).each([80, 40])("at %i columns", (columns) => {
  const long = 'node "$CLAUDE_PROJECT_DIR"/hooks/no-deploy-on-fridays.mjs';

  function longNames(room: Room): Room {
    room.write(
      "hooks/no-deploy-on-fridays.mjs",
      "console.log('a line that is a good deal longer than forty columns, and so is this one');\n",
    );
    room.write(".claude/settings.json", {
      hooks: { PreToolUse: [{ matcher: "Bash|Edit|Write", hooks: [{ type: "command", command: long }] }] },
    });
    return guarded(room);
  }

  test("lists of hooks keep their names whole, and a review wraps between words", async () => {
    const room = longNames(openRoom());
    const list = await room.start({ columns, rows: 40, command: "trust", ready: /left with/ });
    const listed = await list.shows("[left with 0]");
    expect(listed.replace(/\s+/g, "")).toContain("no-deploy-on-fridays.mjs");
    await pinned(listed, `trust-${columns}`);
    const review = await room.start({ columns, rows: 100, command: "trust", args: ["review"], ready: /Approve it/ });
    await review.shows("Approve it?");
    review.say("what");
    await review.shows(/That is not clear[\s\S]*Approve it\?[\s\S]*\n\?$/);
    review.say("q");
    const reviewed = await review.shows("[left with 0]");
    // What stands beside a label goes on below itself, and words stay whole.
    expect(reviewed).toMatch(
      columns === 40
        ? /\n {11}The project hook "no-rm"\n {11}\(PreToolUse\) is not trusted\n/
        : /\n {11}The project hook "no-rm" \(PreToolUse\) is not trusted and does not\n/,
    );
    expect(reviewed).toMatch(
      columns === 40
        ? /\ncommand {4}sh\n {11}"\$CLAUDE_PROJECT_DIR"\/\n {11}no-rm\.sh\n/
        : /\ncommand {4}sh "\$CLAUDE_PROJECT_DIR"\/no-rm\.sh\n/,
    );
    expect(reviewed).toMatch(/Approve it\? y = yes, r = refuse it for\sgood, q = stop, n = not now \[n\]\n\? what\n/);
  });

  test("the list of events names each and says when it fires", async () => {
    const terminal = await openRoom().start({ columns, rows: 200, command: "events", ready: /left with/ });
    const shown = await terminal.shows("[left with 0]");
    expect(shown).toMatch(/^PostToolUseFailure\b/m);
    expect(shown.replace(/\s+/g, " ")).toContain("after a tool call that was started has failed");
  });

  test("without a UTF-8 locale every sign is ASCII", async () => {
    const room = longNames(openRoom());
    const terminal = await room.start({ columns, rows: 200, args: ["--trust-workspace"], env: { LANG: "C" } });
    terminal.say("run rm notes.txt");
    await answered(terminal, /I could not run\s+`rm/);
    terminal.say("/hooks");
    await answered(terminal, "4 hooks, all will run.");
    terminal.say("/why");
    await answered(terminal, "It did not run.");
    terminal.say("/help");
    await answered(terminal, "Shift-Tab");
    terminal.say("run touch x.txt");
    await terminal.shows("Allow it?");
    terminal.say("y");
    await answered(terminal, "no output");
    terminal.say("!sleep 1; seq 30");
    await terminal.shows("... running");
    const screen = await answered(terminal, "\n30\n");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what ASCII is
    expect(screen).toMatch(/^[\x00-\x7f]*$/);
    await pinned(screen.slice(screen.indexOf("> /hooks"), screen.indexOf("> /help")), `ascii-${columns}`);
  });
});

test("commands write ASCII where there is no UTF-8 locale", { skip: !hasTmux }, async () => {
  const room = guarded(openRoom());
  for (const [command, ...args] of [["demo"], ["events"], ["events", "PreToolUse"], ["trust"], ["--help"], ["agent", "--help"]]) {
    const terminal = await room.start({ rows: 400, command: command ?? "", args, ready: /\[Y\/n\]|left with/, env: { LANG: "C" } });
    if (command === "demo") terminal.say("no");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what ASCII is
    expect(await terminal.shows("[left with 0]")).toMatch(/^[\x00-\x7f]*$/);
  }
});
