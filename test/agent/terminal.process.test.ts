/** Recorded: what the user sees. The screens are in `screens/`, one file each; read them before you accept a change (`vitest -u`). */
import { execFileSync } from "node:child_process";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { openMessagesServer } from "./messages-server.ts";
import { hasTmux, openRoom, type Room, type Terminal } from "./open-terminal.ts";

const GUARD = `import { readFileSync } from "node:fs";
const { tool_input } = JSON.parse(readFileSync(0, "utf8"));
if (tool_input.command.startsWith("rm ")) {
  console.error("Deleting is not for agents.");
  process.exit(2);
}
`;

function guarded(room: Room): Room {
  const hook = { type: "command", name: "no-rm", command: "node", args: [room.write("no-rm.mjs", GUARD)], guard: true };
  room.write(".hookloop/hooks.json", { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [hook] }] } });
  return room;
}

const COLOUR = new RegExp(`${"\u001b"}\\[[1-9]`);
const TRUSTING = { args: ["--trust-workspace"] };

async function pinned(screen: string, name: string): Promise<void> {
  await expect(`${screen}\n`).toMatchFileSnapshot(fileURLToPath(new URL(`screens/${name}.txt`, import.meta.url)));
}

/** The answer is complete: the prompt waits again. */
async function answered(terminal: Terminal, text: string | RegExp): Promise<string> {
  await terminal.shows(text);
  return await terminal.shows(/\n>\n[^\n]+$/);
}

describe.skipIf(!hasTmux).each([80, 40])("at %i columns", (columns) => {
  test("a guard blocks, /why explains it, /hooks lists what there is", async () => {
    const terminal = await guarded(openRoom()).start({ columns, rows: 100, ...TRUSTING });
    terminal.say("run rm notes.txt");
    await answered(terminal, /I could not run\s+`rm/);
    terminal.say("/why");
    await answered(terminal, "It did not run.");
    terminal.say("/hooks");
    await answered(terminal, /\d hooks, all will/);
    terminal.say("/exit");
    await pinned(await terminal.shows("[left with 0]"), `guard-${columns}`);
  });

  test("a question says why it is asked and what a yes would add; no, no with a reason, yes, and always", async () => {
    const room = openRoom();
    const terminal = await room.start({ columns, rows: 120 });
    terminal.say("create a file called a.txt with the text hi");
    await terminal.shows("Allow it?");
    expect(room.read("a.txt")).toBeUndefined();
    terminal.say("n use another name");
    await answered(terminal, /I could not create[\s\S]*another\s+name/);
    expect(room.read("a.txt")).toBeUndefined();
    terminal.say("run touch b.txt");
    await terminal.shows(/touch b[\s\S]*Allow it\?[^>]*\n\?/);
    terminal.press("Enter");
    await answered(terminal, /I could not run\s+`touch/);
    expect(room.read("b.txt")).toBeUndefined();
    terminal.say("create a file called a.txt with the text hi");
    await terminal.shows(/Allow it\?[\s\S]*Allow it\?[\s\S]*Allow it\?[^>]*\n\?/);
    terminal.say("y");
    await answered(terminal, /created|written|wrote/i);
    expect(room.read("a.txt")).toBeDefined();
    terminal.say("run touch b.txt");
    await terminal.shows(/(Allow it\?[\s\S]*){4}\n\?/);
    terminal.say("a");
    await answered(terminal, "no output");
    terminal.say("/permissions");
    await answered(terminal, /allow Bash\(touch b\.txt\)\s+session/);
    terminal.say("run touch b.txt");
    await pinned(await answered(terminal, /\/permissions[\s\S]*no output/), `question-${columns}`);
  });

  test("hooks of a checkout are not run until they are approved: not now is the default, and a changed one shows what changed", async () => {
    const room = guarded(openRoom());
    const first = await room.start({ columns, rows: 100 });
    await first.shows("Approve it?");
    first.press("Enter");
    await first.shows(/1 of 3 hooks/);
    first.say("/hooks");
    await answered(first, /1 will not run\./);
    first.press("C-d");
    await first.shows("[left with 0]");
    const second = await room.start({ columns, rows: 100 });
    await second.shows("Approve it?");
    second.say("y");
    await second.shows("· 3 hooks ·");
    second.press("C-d");
    await second.shows("[left with 0]");
    room.write("no-rm.mjs", GUARD.replace("Deleting is not for agents", "No"));
    const third = await room.start({ columns, rows: 100 });
    const asked = await third.shows("Approve it?");
    expect(asked).toMatch(/-\s+console\.error\("Deleting/);
    expect(asked).toMatch(/\+\s+console\.error\("No\."/);
    third.press("C-c");
    await third.shows(/1 of 3 hooks/);
  });

  test("pasted lines are one prompt, Tab fills in commands and files, up brings back what was typed", async () => {
    const room = openRoom();
    room.write("notes/hello.txt", "hello\n");
    room.write("notes/help.txt", "help\n");
    const terminal = await room.start({ columns, rows: 60 });
    terminal.paste("first line\nsecond line, which is a good deal longer than forty columns\nthird");
    await terminal.shows(/> first line\n {2}second line/);
    terminal.press("Enter");
    await answered(terminal, "I did not understand");
    terminal.type("/h");
    terminal.press("Tab");
    await terminal.shows("/help  /hooks");
    terminal.press("C-c");
    terminal.type("read the file @no");
    terminal.press("Tab");
    await terminal.shows("> read the file @notes/");
    terminal.press("Tab");
    await terminal.shows("> read the file @notes/hel");
    terminal.press("Tab");
    await terminal.shows(/@notes\/hello.txt\s+@notes\/help.txt/);
    terminal.type("lo");
    terminal.press("Tab", "C-c", "Up");
    await terminal.shows("> first line");
    terminal.press("C-c");
    terminal.type("one\\");
    terminal.press("Enter");
    terminal.type("two");
    terminal.press("M-Enter");
    terminal.type("three");
    await pinned(await terminal.shows("> one\n  two\n  three"), `typing-${columns}`);
  });
});

describe.skipIf(!hasTmux)("a terminal", () => {
  test("Ctrl-C once stops the turn and what it started, twice leaves", async () => {
    const room = openRoom();
    const mark = `${4000 + (process.pid % 1000)}.25`;
    const terminal = await room.start({ args: ["--allowedTools", "Bash"] });
    terminal.say(`run sleep ${mark}`);
    await terminal.shows("… working (Ctrl-C stops)");
    expect(running(mark)).toBe(true);
    terminal.press("C-c");
    await answered(terminal, "Stopped.");
    expect(running(mark)).toBe(false);
    terminal.say("run echo still here");
    await answered(terminal, /⎿ still here\n[^\n]+ ran\./);
    terminal.press("C-c");
    await terminal.shows(/Ctrl-C once more leaves\.[\s\S]*Ctrl-C once more leaves\./);
    terminal.press("C-c");
    await terminal.shows("[left with 0]");
  });

  test("Ctrl-C takes away what was typed and leaves nothing; Ctrl-D leaves", async () => {
    const terminal = await openRoom().start();
    terminal.type("half a promp");
    await terminal.shows("> half a promp");
    terminal.press("C-c", "C-c");
    await terminal.shows("Ctrl-C once more leaves.");
    terminal.press("C-d");
    await terminal.shows("[left with 0]");
  });

  test.each(["exit", "quit", "bye", "Good night!"])("%s leaves", async (word) => {
    const terminal = await openRoom().start();
    terminal.say(word);
    const screen = await terminal.shows("[left with 0]");
    expect(screen).not.toContain("did not understand");
  });

  test("a hook that takes long says so in its own words; one that fails is reported", async () => {
    const room = openRoom();
    const slow = { type: "command", name: "slow", command: "sleep 2", statusMessage: "counting to two" };
    const broken = { type: "command", name: "broken", command: "echo oh no >&2; exit 3" };
    room.write(".hookloop/hooks.json", { hooks: { UserPromptSubmit: [{ hooks: [slow] }], PostToolUse: [{ hooks: [broken] }] } });
    const terminal = await room.start({ args: ["--trust-workspace", "--allowedTools", "Bash"] });
    terminal.say("run echo hello");
    await terminal.shows("… counting to two");
    const screen = await answered(terminal, /⎿ hello\n[^\n]+ ran\./);
    expect(screen).toMatch(/✗|!/);
    expect(screen).toContain("oh no");
    expect(screen).toContain("broken");
    expect(screen).not.toContain("counting to two");
  });

  test("it can be made wider and narrower while it waits: nothing is drawn twice, nothing is lost", async () => {
    const terminal = await openRoom().start({ columns: 100, rows: 30 });
    terminal.say("run touch x");
    await terminal.shows("Allow it?");
    terminal.press("Enter");
    await answered(terminal, /I could not run `touch x/);
    terminal.type("a prompt that is a good deal longer than forty columns and so takes two rows");
    await terminal.shows("two rows");
    for (const columns of [60, 40, 100, 200, 40]) {
      terminal.resize(columns, 30);
      // As long as a hand takes: a terminal that is already narrower still gets what was drawn for the old width.
      await sleep(300);
    }
    const screen = await terminal.shows(/> a prompt that[^>]*two ro\n {2}ws/);
    expect(screen.split("> a prompt that").length).toBe(2);
    expect(screen.split("offline · default").length).toBe(2);
  });

  test("a mode that was given by an answer ends with the session, and /clear says so", async () => {
    const terminal = await openRoom().start(TRUSTING);
    terminal.say("create a.txt with the text hi");
    await terminal.shows("Allow it?");
    terminal.say("a");
    await terminal.shows("offline · acceptEdits");
    terminal.say("/clear");
    await answered(terminal, /The mode is default\s+again/);
    await terminal.shows("offline · default");
    terminal.say("/permissions");
    expect(await terminal.shows(/Mode: default/)).not.toContain("bypassPermissions");
    terminal.press("C-d");
    await terminal.shows("[left with 0]");
  });

  test("/clear ends the session and begins another; /resume goes back", async () => {
    const room = openRoom();
    const record = {
      type: "command",
      command: `cat >> ${path.join(room.project, "seen.jsonl")}; echo >> ${path.join(room.project, "seen.jsonl")}`,
    };
    room.write(".hookloop/hooks.json", { hooks: { SessionStart: [{ hooks: [record] }], SessionEnd: [{ hooks: [record] }] } });
    const terminal = await room.start(TRUSTING);
    terminal.say("run touch x");
    await terminal.shows("Allow it?");
    terminal.say("y");
    await answered(terminal, "no output");
    terminal.say("/clear");
    await answered(terminal, "A new session");
    terminal.say("/resume");
    await terminal.shows(/1 {2}.*run touch x[\s\S]*Which one\?/);
    terminal.say("1");
    await answered(terminal, "Resuming session");
    terminal.press("C-d");
    await terminal.shows("[left with 0]");
    const seen = (room.read("seen.jsonl") ?? "")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    expect(seen.map((one) => [one.hook_event_name, one.source ?? one.reason])).toEqual([
      ["SessionStart", "startup"],
      ["SessionEnd", "clear"],
      ["SessionStart", "clear"],
      ["SessionEnd", "resume"],
      ["SessionStart", "resume"],
      ["SessionEnd", "prompt_input_exit"],
    ]);
    const [first, , second] = seen.map(({ session_id: id }) => id);
    expect(second).not.toBe(first);
    expect(seen.at(-1).session_id).toBe(first);
  });

  test("the model's words are shown as they come, and wrapped once they have", async () => {
    const words = "One two three four five six seven eight nine ten eleven twelve.\n\nSecond paragraph, 日本語 and ⚠️ a sign.";
    const event = (data: object): string => `event: x\ndata: ${JSON.stringify(data)}\n\n`;
    let finish = (): void => {};
    const server = await openMessagesServer([
      (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        const message = {
          id: "m",
          type: "message",
          role: "assistant",
          model: "x",
          content: [],
          usage: { input_tokens: 1, output_tokens: 1 },
        };
        response.write(event({ type: "message_start", message }));
        response.write(event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }));
        const pieces = words.match(/.{1,7}/gsu) ?? [];
        const send = (piece: string): void => {
          response.write(event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: piece } }));
        };
        for (const piece of pieces.slice(0, 5)) send(piece);
        finish = () => {
          for (const piece of pieces.slice(5)) send(piece);
          response.write(event({ type: "content_block_stop", index: 0 }));
          response.write(event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } }));
          response.end(event({ type: "message_stop" }));
        };
      },
    ]);
    const terminal = await openRoom().start({ columns: 40, env: server.env });
    terminal.say("hello");
    await terminal.shows("One two three four five six seven e");
    finish();
    const screen = await answered(terminal, "a sign.");
    expect(screen).toContain(
      "One two three four five six seven eight\nnine ten eleven twelve.\n\nSecond paragraph, 日本語 and ⚠️ a sign.\n",
    );
  });

  test("a change of what guards the agent is asked about with its diff, and cannot be allowed for always", async () => {
    const room = guarded(openRoom());
    const before = room.read(".hookloop/hooks.json");
    const input = { file_path: ".hookloop/hooks.json", content: "{}\n" };
    const turns = [[{ type: "tool_use", id: "t1", name: "Write", input }], [{ type: "text", text: "That was it." }]];
    room.write("answers.json", { turns });
    const terminal = await room.start({
      rows: 80,
      args: ["--trust-workspace", "--permission-mode", "acceptEdits", "--script", "answers.json"],
    });
    terminal.say("go");
    const asked = await terminal.shows("Allow it?");
    expect(asked).toContain("hook configuration");
    expect(asked).toMatch(/\+\{\}/);
    expect(asked).toMatch(/-.*no-rm/);
    expect(asked).not.toContain("a would add");
    terminal.say("a");
    await terminal.shows(/That is not clear\.[\s\S]*Allow it\?[^>]*\n\?/);
    terminal.say("n");
    await answered(terminal, "That was it.");
    expect(room.read(".hookloop/hooks.json")).toBe(before);
  });

  test("a window that is closed ends the session as it should: SessionEnd is fired, nothing stays behind", async () => {
    const room = openRoom();
    const record = { type: "command", command: `cat > ${path.join(room.project, "ended.json")}` };
    room.write(".hookloop/hooks.json", { hooks: { SessionEnd: [{ hooks: [record] }] } });
    const mark = `${5000 + (process.pid % 1000)}.75`;
    const terminal = await room.start({ args: ["--trust-workspace", "--allowedTools", "Bash"] });
    terminal.say(`run sleep ${mark}`);
    await terminal.shows("… working (Ctrl-C stops)");
    terminal.close();
    await expect.poll(() => room.read("ended.json"), { timeout: 10_000 }).toContain("prompt_input_exit");
    await expect.poll(() => running(mark), { timeout: 10_000 }).toBe(false);
  });

  test("whoever leaves while a question is open has not said yes", async () => {
    const room = openRoom();
    const terminal = await room.start();
    terminal.say("run touch x.txt");
    await terminal.shows("Allow it?");
    terminal.press("C-d");
    await terminal.shows("[left with 0]");
    expect(room.read("x.txt")).toBeUndefined();
    const untrusted = await guarded(room).start();
    await untrusted.shows("Approve it?");
    untrusted.press("C-d");
    await untrusted.shows("[left with 0]");
  });

  test("what is typed at once does not answer a question that comes then, nor one at the start", async () => {
    const room = openRoom();
    const terminal = await room.start();
    terminal.say("run touch f");
    terminal.say("y");
    await terminal.shows("Allow it?");
    expect(room.read("f")).toBeUndefined();
    terminal.press("C-d");
    await terminal.shows("[left with 0]");
    // Typed before the program can have asked: a busy machine shows the name and the question at once.
    const asking = await guarded(room).start({ ready: /^/ });
    asking.say("y");
    await asking.shows("Approve it?");
    expect(room.hookloop("trust", "--json").stdout).toContain('"state": "new"');
  });

  test("the status line shows the folder that cd went to, and that the start waits for an answer", async () => {
    const room = guarded(openRoom());
    room.write("src/a.txt", "a");
    const terminal = await room.start();
    await terminal.shows(/Approve it\?[\s\S]*\nwaiting for your answer$/);
    terminal.say("y");
    await terminal.shows("Approved: no-rm runs from now on.");
    await answered(terminal, "3 hooks");
    terminal.say("!cd src");
    await terminal.shows(/· \S*project\/src$/);
  });

  test("a prompt that a hook blocks is told once; /why explains it, and what was decided before it", async () => {
    const room = openRoom();
    const command = "grep -q secret && { echo 'No secrets here.' >&2; exit 2; }; exit 0";
    room.write(".hookloop/hooks.json", { hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", name: "no-secrets", command }] }] } });
    const terminal = await room.start(TRUSTING);
    terminal.say("run echo one");
    await answered(terminal, /⎿ one\n[^\n]+ ran\./);
    terminal.say("my secret");
    const screen = await answered(terminal, "HOOKLOOP_DISABLE=no-secrets");
    expect(screen.split("No secrets here.")).toHaveLength(2);
    terminal.say("/why");
    await answered(terminal, /UserPromptSubmit: no\n {2}▸ no-secrets denied: No secrets here\./);
    terminal.say("/why 2");
    await answered(terminal, /> \/why 2\nBash {2}echo one\n/);
    terminal.say("/why 99");
    await answered(terminal, "/why 2 the oldest");
  });

  test("/debug hooks lists the hooks, and shows how they are chosen until it is switched off", async () => {
    const terminal = await guarded(openRoom()).start({ args: ["--trust-workspace", "--allowedTools", "Bash"] });
    terminal.say("/debug hooks");
    expect(await answered(terminal, "is shown from now on")).toMatch(/PreToolUse\n {2}1\. ✓ \S+/);
    terminal.say("run echo one");
    expect(await answered(terminal, /⎿ one\n[^\n]+ ran\./)).toMatch(/hooks Getting matching hook commands for PreToolUse with query: Bash/);
    terminal.say("/debug hooks off");
    await answered(terminal, "no longer shown");
    terminal.say("run echo two");
    const screen = await answered(terminal, /⎿ two\n[^\n]+ ran\./);
    expect(screen.split("no longer shown").at(-1)).not.toContain("Getting matching");
  });

  test("--verbose shows how hooks are chosen from the start, above the prompt", async () => {
    const terminal = await guarded(openRoom()).start({ args: ["--trust-workspace", "--allowedTools", "Bash", "--verbose"] });
    terminal.say("run echo one");
    const screen = await answered(terminal, /⎿ one\n[^\n]+ ran\./);
    expect(screen).toMatch(/\n> run echo one\n(?:.*\n)* *hooks Getting matching hook commands for PreToolUse with query: Bash\n/);
  });

  test("colours only where they are wanted", async () => {
    const coloured = await openRoom().start();
    coloured.say("/permissions");
    await answered(coloured, "Mode: default");
    expect(coloured.colours()).toMatch(COLOUR);
    const plain = await openRoom().start({ env: { NO_COLOR: "1" } });
    plain.say("/permissions");
    await answered(plain, "Mode: default");
    expect(plain.colours()).not.toMatch(COLOUR);
  });

  test("a terminal that cannot move its cursor gets lines, and nothing else", async () => {
    const room = guarded(openRoom());
    const terminal = await room.start({ env: { TERM: "dumb" }, ...TRUSTING });
    terminal.say("run rm notes.txt");
    await terminal.shows("HOOKLOOP_DISABLE=no-rm");
    terminal.say("run touch b.txt");
    await terminal.shows("Allow it?");
    terminal.say("y");
    await terminal.shows("no output");
    expect(room.read("b.txt")).toBeDefined();
    expect(terminal.colours()).not.toContain("\u001b[");
    terminal.press("C-d");
    await terminal.shows("[left with 0]");
  });
});

test("what was typed is kept for the next session, for this user only", { skip: !hasTmux }, async () => {
  const room = openRoom();
  const first = await room.start();
  first.say("/permissions");
  await answered(first, "Mode: default");
  first.press("C-d");
  await first.shows("[left with 0]");
  const second = await room.start();
  second.press("Up");
  await second.shows("> /permissions");
  expect(execFileSync("stat", ["-c", "%a", path.join(room.project, "../.local/state/hookloop/history.jsonl")], { encoding: "utf8" })).toBe(
    "600\n",
  );
});

function running(mark: string): boolean {
  return execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).split("\n").includes(`sleep ${mark}`);
}
