import { describe, expect, test } from "vitest";
import type { ModelMessage, ModelReply } from "../run/model/model-port.ts";
import "./offline/answer.ts";
import { processorNow } from "../growth.test-suite.ts";
import { createOfflineModel } from "./model-settings.ts";
import { isGoodbye, readSentence } from "./offline/read-sentence.ts";

// The model loads it when it is first asked; a test should not wait for that.

type Calls = readonly (readonly [string, Readonly<Record<string, unknown>>])[];

function callsOf(sentence: string): Calls {
  return readSentence(sentence).steps.map(({ tool, input }) => [tool, input] as const);
}

/** What is written where no such file is there yet. */
function writtenBy(sentence: string): readonly unknown[] {
  return readSentence(sentence).steps.map(({ next }) => next?.({ type: "tool_result", tool_use_id: "1", content: "No files found" }));
}

const run = (command: string): Calls => [["Bash", { command }]];

describe("sentences", () => {
  test.each<[string, Calls]>([
    ["run pwd", run("pwd")],
    ["Run ls -la.", run("ls -la")],
    ["please read the file README.md", [["Read", { file_path: "README.md" }]]],
    ["search for TODO", [["Grep", { pattern: "TODO", output_mode: "content" }]]],
    ["search for a.b(c)", [["Grep", { pattern: "a\\.b\\(c\\)", output_mode: "content" }]]],
    ["summarise this workspace in one sentence", [["Glob", { pattern: "**/*" }]]],
    ["summarize the project", [["Glob", { pattern: "**/*" }]]],
    ["run echo a and b", run("echo a and b")],
    ["delete all temporary files in /tmp", [["Bash", { command: "rm -f /tmp/*.tmp", description: "Delete the files" }]]],
    ["delete the file old.txt", [["Bash", { command: "rm -r old.txt", description: "Delete it" }]]],
    ["make a folder called out in build", [["Bash", { command: "mkdir -p build/out", description: "Make the folder" }]]],
    ["which files are in the docs folder?", [["Glob", { pattern: "**/*", path: "docs" }]]],
    ["in a.txt, replace one with two", [["Edit", { file_path: "a.txt", old_string: "one", new_string: "two", replace_all: true }]]],
    ["edit a.txt and change one to two", [["Edit", { file_path: "a.txt", old_string: "one", new_string: "two", replace_all: true }]]],
    ["use the reviewer agent to read a.txt", [["Agent", { description: "read a.txt", prompt: "read a.txt", subagent_type: "reviewer" }]]],
    ["delegate reading a.txt to a subagent", [["Agent", { description: "read a.txt", prompt: "read a.txt" }]]],
    ['call the tool mcp__forge__issue with {"title": "a, b."}', [["mcp__forge__issue", { title: "a, b." }]]],
    ["read @notes.txt", [["Read", { file_path: "notes.txt" }]]],
    ["run npm view @scope/name", run("npm view @scope/name")],
    ["what's in src?", [["Glob", { pattern: "**/*", path: "src" }]]],
    ["fetch http://127.0.0.1:1/x", [["WebFetch", { url: "http://127.0.0.1:1/x", prompt: expect.any(String) }]]],
  ])("%s", (sentence, calls) => {
    const { rest } = readSentence(sentence);
    expect(callsOf(sentence)).toEqual(calls);
    expect(rest).toEqual([]);
  });

  test("several steps are joined by and, then, a comma or a full stop", () => {
    const tools = (sentence: string): string[] => readSentence(sentence).steps.map(({ tool }) => tool);
    expect(tools("create notes/hello.ts and print the file content")).toEqual(["Glob", "Read"]);
    expect(tools("run pwd, then read a.txt and then search for x")).toEqual(["Bash", "Read", "Grep"]);
    expect(tools("Read a.txt. Run pwd.")).toEqual(["Read", "Bash"]);
    expect(tools("Thank you. Now list the files.")).toEqual(["Glob"]);
    expect(callsOf("read a.txt, then replace x with y in it")[1]?.[1]).toMatchObject({ file_path: "a.txt" });
  });

  test("a verb inside a text does not part the sentence unless both sides are understood", () => {
    expect(writtenBy("create a.txt with the text buy milk and make dinner")).toMatchObject([
      [{ tool: "Write", input: { file_path: "a.txt", content: "buy milk and make dinner\n" } }],
    ]);
    expect(callsOf("search for read and write")).toEqual([["Grep", { pattern: "read and write", output_mode: "content" }]]);
  });

  test("a list holds whatever is to be done, but not what is said about the list", () => {
    const contents = (sentence: string): unknown =>
      (callsOf(sentence)[0]?.[1]["todos"] as { content: string }[] | undefined)?.map(({ content }) => content);
    expect(contents("make a to-do list: read a.txt, run npm test, then delete b.txt")).toEqual([
      "read a.txt",
      "run npm test",
      "delete b.txt",
    ]);
    expect(callsOf("add a task: tidy, and then use a subagent to run pwd").map(([tool]) => tool)).toEqual(["TodoWrite", "Agent"]);
  });

  test("what is not understood is named, and the rest is only looked at", () => {
    expect(readSentence("run pwd then dance a bit")).toMatchObject({ steps: [], rest: ["dance a bit"] });
    expect(readSentence("read a.txt then dance a bit")).toMatchObject({ steps: [{ tool: "Read" }], rest: ["dance a bit"] });
  });

  test("a quoted word in a deletion cannot become another command", () => {
    expect(readSentence("delete the file $(reboot)").steps).toEqual([]);
    expect(callsOf("delete the file 'a $(reboot).txt'")[0]?.[1]["command"]).toBe("rm -r 'a $(reboot).txt'");
  });
});

describe("text is kept as it was typed", () => {
  test.each<[string, Calls]>([
    ["run echo 'hi there'", run("echo 'hi there'")],
    ['run echo "a  b"', run('echo "a  b"')],
    ["run `echo hi`", run("echo hi")],
    ['git commit -m "a message."', run('git commit -m "a message."')],
    ["run git add .", run("git add .")],
    ["cd ..", run("cd ..")],
    ["run ls src/.", run("ls src/.")],
    ["run echo Done.", run("echo Done.")],
    ["run echo still here", run("echo still here")],
    ["please run echo no, thanks", run("echo no, thanks")],
    ["run echo stop and list files", run("echo stop and list files")],
    ["run ls here, please.", run("ls")],
    ["echo what's up and then some", run("echo what's up and then some")],
    ["ls *.t?", run("ls *.t?")],
    ["read 'my notes.txt'.", [["Read", { file_path: "my notes.txt" }]]],
    ["What is in notes.txt?", [["Read", { file_path: "notes.txt" }]]],
    ["read .env.", [["Read", { file_path: ".env" }]]],
    ['save "a, b." in list.txt', [["Write", { file_path: "list.txt", content: "a, b.\n" }]]],
    ['write "run ls and then exit" to a.txt.', [["Write", { file_path: "a.txt", content: "run ls and then exit\n" }]]],
    ['replace "a.b" with "$& ." in x.txt', [["Edit", { file_path: "x.txt", old_string: "a.b", new_string: "$& .", replace_all: true }]]],
    ["replace `x` by `y` in `z.txt`", [["Edit", { file_path: "z.txt", old_string: "x", new_string: "y", replace_all: true }]]],
  ])("%s", (sentence, calls) => {
    expect(callsOf(sentence)).toEqual(calls);
  });

  test.each([
    ["create a.txt with the text Hello.", "Hello.\n"],
    ["Create a.txt with the text hello.", "hello\n"],
  ])("%s", (sentence, content) => {
    expect(writtenBy(sentence)).toMatchObject([[{ tool: "Write", input: { file_path: "a.txt", content } }]]);
  });
});

describe("sentences of a user who has read nothing", () => {
  const described = (command: string): Calls => [["Bash", { command, description: expect.any(String) }]];
  test.each<[string, Calls]>([
    ["are there any TODOs left in the docs folder?", [["Grep", { pattern: "TODO", path: "docs", output_mode: "content" }]]],
    ["find files bigger than 1MB", run("find . -type f -not -path '*/.git/*' -not -path '*/node_modules/*' -size +1048576c")],
    ["list all files smaller than 10 kb in src", run("find src -type f -not -path '*/.git/*' -not -path '*/node_modules/*' -size -10240c")],
    ["which file is the largest?", run("find . -type f -not -path '*/.git/*' -not -path '*/node_modules/*' -exec ls -lS {} + | head -n 1")],
    [
      "show me the newest files in src",
      run("find src -type f -not -path '*/.git/*' -not -path '*/node_modules/*' -exec ls -lt {} + | head -n 10"),
    ],
    ["please be so kind as to show me a.txt", [["Read", { file_path: "a.txt" }]]],
    ["which version of this project is this?", [["Grep", { pattern: '"version"', path: "package.json", output_mode: "content" }]]],
    ["what's the version of this project", [["Grep", { pattern: '"version"', path: "package.json", output_mode: "content" }]]],
    ["which node version do I have?", run("node --version")],
    ["node version?", run("node --version")],
    ["what version of node is this", run("node --version")],
    ["push to origin", run("git push origin")],
    ["push my commits", run("git push")],
    ["push main to origin", run("git push origin main")],
    ["pull the latest changes", run("git pull")],
    ["stash my changes", run("git stash")],
    ["bring my stash back", run("git stash pop")],
    ["revert the last commit", run("git revert --no-edit HEAD")],
    ["install lodash", run("npm install lodash")],
    ["install typescript as a dev dependency", run("npm install --save-dev typescript")],
    ["print hello", run("echo hello")],
    ["say hello world", run("echo 'hello world'")],
    ["compare a.txt and b.txt", run("diff -s a.txt b.txt || true")],
    ["what is the difference between a.txt and b.txt?", run("diff -s a.txt b.txt || true")],
    ["please could you kindly tell me what's inside of top.txt", [["Read", { file_path: "top.txt" }]]],
    [
      "make a directory called build and then delete it",
      [...described("mkdir -p build"), ["Bash", { command: "rm -r build", description: expect.any(String) }]],
    ],
    [
      "rename a.txt to b.txt and then read it",
      [
        ["Glob", { pattern: "b.txt" }],
        ["Read", { file_path: "b.txt" }],
      ],
    ],
    [
      "have a helper read the README and summarize it",
      [["Agent", { description: "read the README and summarize it", prompt: "read the README and summarize it" }]],
    ],
  ])("%s", (sentence, calls) => {
    expect(callsOf(sentence)).toEqual(calls);
    expect(readSentence(sentence)).toMatchObject({ rest: [], questions: [] });
  });

  test.each([
    ["remember that I like tabs", /no memory.*CLAUDE\.md/s],
    ["which hooks are active?", /\/hooks/],
    ["explain what a hook is", /program.*\/hooks/s],
    ["why was that blocked?", /\/why/],
    ["compact the conversation", /\/compact/],
    ["clear the conversation", /\/clear/],
    ["switch to plan mode", /\/plan/],
    ["which permission mode is this?", /\/permissions/],
    ["make me a hook that blocks rm", /cannot write or judge code/],
    ["undo that", /cannot undo.*git restore.*for good/s],
    ["undo the last change", /cannot undo/],
    ["fix the bug in cart.js", /cannot write or judge code/],
    ["write a function that reverses a string", /cannot write or judge code/],
    ["what's on my todo list?", /empty/],
  ])("%s: nothing is done, and it is said where to look", (sentence, answer) => {
    const { steps, questions } = readSentence(sentence);
    expect(steps).toEqual([]);
    expect(questions.join(" ")).toMatch(answer);
  });

  test("remembering to do something is a task, and tasks are listed where there are tasks", () => {
    expect(callsOf("remember to buy milk").map(([tool]) => tool)).toEqual(["TodoWrite"]);
    const tools = new Set(["TaskList"]);
    for (const asked of ["what's on my todo list?", "what tasks do I have?", "which tasks are left?"])
      expect(readSentence(asked, { tools }).steps).toMatchObject([{ tool: "TaskList" }]);
    const message = readSentence("ask bob to list the files", { tools: new Set(["SendMessage"]) }).steps;
    expect(message).toMatchObject([{ tool: "SendMessage", input: { to: "bob", message: "list the files" } }]);
    expect(callsOf("ask bob to list the files")).toEqual([]);
  });

  test("words about files are not searched for as a text", () => {
    for (const sentence of ["find files older than my patience", "find the biggest files", "are there files newer than last week here?"])
      expect(callsOf(sentence).filter(([tool]) => tool === "Grep")).toEqual([]);
  });
});

describe("nothing is done on a guess", () => {
  test.each([
    ...["don't delete notes.txt", "please do not run rm -rf build", "never remove README.md", "read a.txt without deleting it"],
    ...["how do I delete notes.txt?", "should I delete notes.txt?", "can I delete notes.txt?", "what happens if I run rm -rf /?"],
    ...["delete notes.txt if it is empty", "delete notes.txt but keep a backup", "I deleted notes.txt", "explain rm -rf"],
    ...[
      "delete everything",
      "delete all files",
      "delete it",
      "delete the current folder",
      "delete the whole project",
      "delete *",
      "delete ~",
    ],
    ...["rm is dangerous", "rm the old folder", "make sure notes.txt is not deleted", "kill bill", "run away", "make me a sandwich"],
    ...["write a poem to poem.txt", "add error handling to index.js", "replace the function f with something better in a.js"],
    ...["git please behave", "cat videos are funny", "move the button to the left", "format the disk", "open the door", "test me"],
  ])("%s", (sentence) => {
    expect(callsOf(sentence)).toEqual([]);
  });

  test("where one thing is missing it is asked for", () => {
    expect(readSentence("replace foo with bar").questions).toEqual([
      "In which file? Say: replace foo with bar in FILE, or: replace foo with bar everywhere.",
    ]);
    expect(readSentence("edit notes.txt").questions[0]).toContain("What should I change in notes.txt?");
    expect(readSentence("commit everything").questions[0]).toContain("With which message?");
    expect(readSentence("delete build").questions[0]).toContain("Is build a file or a folder?");
  });

  test("a very long sentence is not puzzled over", () => {
    const began = processorNow();
    readSentence(", ".repeat(900));
    readSentence("show me the file in the folder and ".repeat(50));
    readSentence("x".repeat(1_000_000));
    expect(processorNow() - began).toBeLessThan(20_000);
  });
});

describe("the model", () => {
  const ask = (...messages: ModelMessage[]) => createOfflineModel().ask({ messages });
  const user = (content: ModelMessage["content"]): ModelMessage => ({ role: "user", content });

  const toolResult = (content: string, isError = false): ModelMessage =>
    user([{ type: "tool_result", tool_use_id: "1", content, ...(isError && { is_error: true }) }]);
  const said = (reply: ModelReply): string => reply.content.map((block) => (block.type === "text" ? block.text : block.name)).join();

  const missed = async (sentence: string): Promise<string> => {
    const before = [user("hi"), { role: "assistant", content: (await ask(user("hi"))).content }] as const;
    return said(await ask(...before, user(sentence)));
  };

  test("after the first list of what it understands, a miss names the nearest sentence in one line", async () => {
    expect(await missed("delte a.txt")).toBe(
      'I did not understand: "delte a.txt". Did you mean "delete a.txt"? Say "help" for all that I understand.',
    );
    expect(await missed("please raname a.txt to b.txt")).toContain(`Did you mean "please rename a.txt to b.txt"?`);
    expect(await missed("the readme should be read by somebody")).toMatch(/The nearest that I understand: "read README\.md"\./);
    const nothing = await missed("colourless green ideas sleep furiously");
    expect(nothing).toMatch(
      /^I did not understand: "colourless green ideas sleep furiously"\. Say "help" for all that I understand\. For example: "ls",/,
    );
  });

  test("a typo is named in the first miss as well, and nothing is done about it unless it only looks", async () => {
    expect(said(await ask(user("delte a.txt")))).toMatch(/Did you mean "delete a\.txt"\?.*I understand:/s);
    expect((await ask(user("raed a.txt"))).content).toMatchObject([{ name: "Read", input: { file_path: "a.txt" } }]);
    expect((await ask(user("serach for TODO"))).content).toMatchObject([{ name: "Grep", input: { pattern: "TODO" } }]);
  });

  test("a half that is not understood is said, also behind what was done", async () => {
    expect(said(await ask(user("run pwd then dance a bit")))).toMatch(/^I did not understand: "dance a bit"\. So I did nothing of it\./);
    const prompt = user("read a.txt then dance a bit");
    const first = await ask(prompt);
    expect(said(await ask(prompt, { role: "assistant", content: first.content }, toolResult("1\tx")))).toContain('"dance a bit"');
    const shown = user("read src/cart.js and tell me what it does");
    const read = await ask(shown);
    expect(said(await ask(shown, { role: "assistant", content: read.content }, toolResult("1\tlet x;")))).toMatch(
      /src\/cart\.js says:\n1\tlet x;\n\nI can show it, but not explain it/,
    );
  });

  test("a search for words that were not in quotes says what it looked for", async () => {
    const after = async (sentence: string): Promise<string> => {
      const call = await ask(user(sentence));
      return said(await ask(user(sentence), { role: "assistant", content: call.content }, toolResult("No matches found")));
    };
    expect(await after("search for read and write")).toMatch(/exactly "read and write".*in quotes/s);
    expect(await after('search for "read and write"')).toBe("I found nothing for read and write.");
    expect(await after("search for TODO")).toBe("I found nothing for TODO.");
  });

  test("it is what was moved or copied to, unless that failed", async () => {
    const moved = (isError: boolean): readonly ModelMessage[] => [
      user("rename hello.txt to greeting.txt"),
      { role: "assistant", content: [{ type: "tool_use", id: "1", name: "Write", input: { file_path: "hello.txt", content: "" } }] },
      user([{ type: "tool_result", tool_use_id: "1", content: "ok" }]),
      { role: "assistant", content: [{ type: "tool_use", id: "2", name: "Bash", input: { command: "mv hello.txt greeting.txt" } }] },
      user([{ type: "tool_result", tool_use_id: "2", content: "", is_error: isError }]),
      { role: "assistant", content: [{ type: "text", text: "ok" }] },
    ];
    const file = async (isError: boolean): Promise<unknown> =>
      (await ask(...moved(isError), user('append another line saying "see you" to it'))).content;
    expect(await file(false)).toMatchObject([{ name: "Read", input: { file_path: "greeting.txt" } }]);
    expect(await file(true)).toMatchObject([{ name: "Read", input: { file_path: "hello.txt" } }]);
  });

  test("news of teammates is told once, by itself", async () => {
    const started = [
      user("start a teammate called bob to list the files"),
      { role: "assistant", content: [{ type: "tool_use", id: "1", name: "Teammate", input: { name: "bob", prompt: "list the files" } }] },
      toolResult("bob works now. You will be told when everybody is idle, and what they send you."),
    ] as const;
    const first = await ask(...started);
    expect(said(first)).toBe("bob works now. You will be told when everybody is idle, and what they send you.");
    const news = "<system-reminder>\nbob is idle. Its last words: I found 2 files.\n</system-reminder>";
    const then = await ask(...started, { role: "assistant", content: first.content }, user([{ type: "text", text: news }]));
    expect(said(then)).toBe("bob is idle. Its last words: I found 2 files.");
    const sent = '<system-reminder>\n<teammate-message from="bob">\nhello\n</teammate-message>\n</system-reminder>';
    const told = await ask(...started, { role: "assistant", content: first.content }, user([{ type: "text", text: sent }]));
    expect(said(told)).toBe("bob: hello");
  });

  test("the text of a skill is no sentence of the user", async () => {
    const after = {
      type: "text",
      text: "Base directory for this skill: /p/skills/notes\n\n# Notes\nWrite release notes from the log.",
    } as const;
    const loaded = await ask(
      user("use the skill notes"),
      { role: "assistant", content: [{ type: "tool_use", id: "1", name: "Skill", input: { skill: "notes" } }] },
      user([{ type: "tool_result", tool_use_id: "1", content: "Launching skill: notes" }, after]),
    );
    expect(said(loaded)).toMatch(/^The skill notes is loaded.*cannot follow/s);
    expect(said(loaded)).not.toContain("Base directory");
    const typed = said(await ask(user(after.text)));
    expect(typed).not.toContain("Base directory");
    expect(said(await ask(user("Base directory for this skill: /p\n\nrun pwd")))).toBe("Bash");
  });

  test("a summary of the conversation is not what it was told about a question", async () => {
    const summary = {
      type: "text",
      text: "<system-reminder>\nThis is a summary of the conversation so far:\nlong\n</system-reminder>",
    } as const;
    expect(said(await ask(user([summary, { type: "text", text: "Sing a song?" }])))).not.toContain("long");
  });

  test("what the agent says beside a prompt is no answer to it; what a hook says is", async () => {
    const beside = (text: string): ModelMessage =>
      user([
        { type: "text", text: `<system-reminder>\n${text}\n</system-reminder>` },
        { type: "text", text: "Sing a song?" },
      ]);
    expect(said(await ask(beside("Plan mode is off: files may be changed again.")))).not.toContain("Plan mode");
    expect(said(await ask(beside("UserPromptSubmit hook additional context: la la")))).toContain("la la");
  });

  test("a task that a teammate is given is done and marked; what it does not understand stays open", async () => {
    const tools = ["Read", "TaskUpdate"].map((name) => ({ name, description: "", input_schema: {} }));
    const given = (what: string): ModelMessage =>
      user(`Task #2 is yours now: ${what}\n${what}\nWhen it is done, mark it completed with TaskUpdate.`);
    const first = await createOfflineModel().ask({ messages: [given("read a.txt")], tools });
    expect(first.content).toMatchObject([{ type: "text" }, { name: "Read", input: { file_path: "a.txt" } }]);
    const messages = [given("read a.txt"), { role: "assistant", content: first.content } as const, toolResult("1\tx")];
    expect((await createOfflineModel().ask({ messages, tools })).content).toMatchObject([
      { name: "TaskUpdate", input: { taskId: "2", status: "completed" } },
    ]);
    const missed = await createOfflineModel().ask({ messages: [given("wash the car")], tools });
    expect(said(missed)).toMatch(/^I did not understand: "wash the car"\./);
  });

  test("the empty line behind the last one of a file is not shown", async () => {
    const prompt = user("read a.txt");
    const call = await ask(prompt);
    expect(said(await ask(prompt, { role: "assistant", content: call.content }, toolResult("1\tone\n2\ttwo\n3\t")))).toBe(
      "a.txt says:\n1\tone\n2\ttwo",
    );
  });

  test("it says what it is and what it understands, at the first miss", async () => {
    const { content, stopReason } = await ask(user("Sing a song"));
    expect(stopReason).toBe("end_turn");
    const miss = /did not understand: "Sing a song".*offline model.*I understand/s;
    expect(content).toEqual([{ type: "text", text: expect.stringMatching(miss) }]);
    expect(said(await ask(user("hi"), { role: "assistant", content: [] }, user("Sing a song")))).toMatch(miss);
  });

  test("it greets, thanks, says goodbye and tells what it can do", async () => {
    expect(said(await ask(user("Good morning")))).toMatch(/^Hello! I am the offline model.*I understand/s);
    expect(said(await ask(user("what can you do?")))).toMatch(/^I am the offline model.*"exit"/s);
    expect(said(await ask(user("thanks")))).not.toContain("did not understand");
    for (const word of ["exit", "quit", "bye", "Good night!"]) expect(said(await ask(user(word)))).toBe("Goodbye.");
  });

  test.each([
    ["how do I exit?", 'Say "exit"'],
    ["how can I quit", 'Say "exit"'],
    ["make a to-do list", "What belongs on it?"],
    ["search for ", "What for?"],
    ["delete a line from notes.txt", "Which line?"],
    ["clear", "/clear"],
    ["tasks", "/tasks"],
    ["again", "say it again"],
    ["continue", "nothing to go on with"],
    ["how do I write a hook?", "hookloop trust review"],
    ["what can hooks do?", "block a tool call"],
    ["which events are there?", "hookloop events"],
    ["how do I approve a hook?", "hookloop trust review"],
    ["trust my hooks", "hookloop trust review"],
    ["test my hook", "/why"],
    ["which hooks are there?", "hookloop trust`."],
    ["zeige mir die Dateien", "I only know English"],
    ["Lösche bitte a.txt", "I only know English"],
  ])("%j does nothing, and says what to say or type: %s", async (sentence, expected) => {
    const reply = await ask(user(sentence));
    expect(reply.content.map(({ type }) => type)).toEqual(["text"]);
    expect(said(reply)).toContain(expected);
    expect(isGoodbye(sentence)).toBe(false);
  });

  test("a plan is presented only where plan mode is on", () => {
    expect(readSentence("present the plan", { tools: new Set(["Bash"]) })).toMatchObject({
      steps: [],
      questions: [expect.stringContaining("/plan")],
    });
    expect(readSentence("present the plan", { tools: new Set(["ExitPlanMode"]) }).steps).toMatchObject([{ tool: "ExitPlanMode" }]);
  });

  test.each([
    ["File created successfully at: /w/other.txt", "I created other.txt."],
    ["File created successfully at: /w/a.txt", "I created a.txt."],
  ])("it tells which file was written, also if a hook made it another one: %s", async (content, expected) => {
    const prompt = user('write "hi" to a.txt');
    const { content: calls } = await ask(prompt);
    const [call] = calls;
    const id = call?.type === "tool_use" ? call.id : "";
    const result: ModelMessage = { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] };
    expect(said(await ask(prompt, { role: "assistant", content: calls }, result))).toBe(expected);
  });

  test("a line is added behind what is there, by Edit; a file that is not there is written", async () => {
    const prompt = user('add a line "c." to a.txt');
    const read = await ask(prompt);
    expect(read.content).toMatchObject([{ name: "Read", input: { file_path: "a.txt" } }]);
    const after = async (result: ModelMessage): Promise<ModelReply> =>
      await ask(prompt, { role: "assistant", content: read.content }, result);
    const lines = (old_string: string): object => ({
      name: "Edit",
      input: { file_path: "a.txt", old_string, new_string: `${old_string}\nc.` },
    });
    expect((await after(toolResult("     1\ta\n     2\tb"))).content).toMatchObject([lines("b")]);
    // With a line that stands there twice the one before it is needed; the other way of numbering shows the end of the last line.
    expect((await after(toolResult("1\tb\n2\ta\n3\tb\n4\t"))).content).toMatchObject([lines("a\nb")]);
    expect((await after(toolResult("(the file is empty)"))).content).toMatchObject([{ name: "Write", input: { content: "c.\n" } }]);
    expect((await after(toolResult("There is no file a.txt.", true))).content).toMatchObject([{ name: "Write" }]);
    // What was not shown whole is not guessed at.
    expect((await after(toolResult("     1\ta\n(lines 1 to 1 of 9; read on with offset 2)"))).content).toMatchObject([
      { name: "Bash", input: { command: "printf '%s\\n' c. >> a.txt" } },
    ]);
    expect(said(await after(toolResult("a hook denied it", true)))).toBe('I could not add a line "c." to a.txt: a hook denied it');
  });

  test("a list is written whole, and an item of it is marked", async () => {
    const made = await ask(user("make a to-do list: write tests, fix the bug and deploy"));
    const todos = ["write tests", "fix the bug", "deploy"].map((content) => ({ content, status: "pending", activeForm: content }));
    expect(made.content).toMatchObject([{ name: "TodoWrite", input: { todos } }]);
    const before = [user("make a list"), { role: "assistant", content: made.content }, toolResult("ok")] as const;
    const marked = await ask(...before, user("mark the second task as done"));
    expect(marked.content).toMatchObject([{ input: { todos: [todos[0], { ...todos[1], status: "completed" }, todos[2]] } }]);
    expect(said(await ask(...before, user("show the to-do list")))).toContain("2. fix the bug (pending)");
  });

  test("where there are tasks, tasks are made and completed", async () => {
    const tools = ["TaskCreate", "TaskUpdate"].map((name) => ({ name, description: "", input_schema: {} }));
    const first = await createOfflineModel().ask({ messages: [user("make a to-do list: a, b")], tools });
    expect(first.content.at(-1)).toMatchObject({ name: "TaskCreate", input: { subject: "a" } });
    const done = await createOfflineModel().ask({ messages: [user("complete task 1")], tools });
    expect(done.content).toMatchObject([{ name: "TaskUpdate", input: { taskId: "1", status: "completed" } }]);
  });

  test("it fails if it is asked to, and refuses to judge or to sum up", async () => {
    await expect(ask(user("simulate a model error"))).rejects.toThrow("was asked to fail");
    await expect(createOfflineModel().ask({ system: "Summarise.", messages: [user("[]")] })).rejects.toThrow("only reads plain sentences");
  });

  test("step follows step, and the end tells what came of them, a refusal included", async () => {
    const prompt = user("run pwd and read a.txt");
    const first = await ask(prompt);
    expect(first.content.at(-1)).toMatchObject({ type: "tool_use", name: "Bash", input: { command: "pwd" } });
    const after = [
      prompt,
      { role: "assistant", content: first.content },
      user([{ type: "tool_result", tool_use_id: "1", content: "/here" }]),
    ] as const;
    const second = await ask(...after);
    expect(second.content.at(-1)).toMatchObject({ name: "Read", input: { file_path: "a.txt" } });
    const refused = user([{ type: "tool_result", tool_use_id: "2", content: "a hook blocked it", is_error: true }]);
    const last = await ask(...after, { role: "assistant", content: second.content }, refused);
    expect(last.content).toEqual([{ type: "text", text: "`pwd` printed:\n/here\n\nI could not read a.txt: a hook blocked it" }]);
  });

  test("a question is answered from what hooks said beside it", async () => {
    const reminder = { type: "text", text: "<system-reminder>\nUserPromptSubmit hook success: It is Heron.\n</system-reminder>" } as const;
    const { content } = await ask(user([reminder, { type: "text", text: "What is the release called?" }]));
    expect(content).toEqual([{ type: "text", text: "What I was told about this:\nIt is Heron." }]);
  });

  test("a Stop hook's reason is the next thing to do", async () => {
    const { content } = await ask(user("run pwd"), { role: "assistant", content: [] }, user("Stop hook feedback:\nrun npm test"));
    expect(content).toMatchObject([{ name: "Bash", input: { command: "npm test" } }]);
  });
});

describe("the brief model", () => {
  const said = async (sentence: string, name?: string): Promise<string> => {
    const model = createOfflineModel(name);
    const { content, model: answered } = await model.ask({ messages: [{ role: "user", content: sentence }] });
    expect(answered).toBe(name ?? "offline");
    return content.map((block) => (block.type === "text" ? block.text : block.name)).join();
  };

  test("does the same, and lists what it understands only when it is asked", async () => {
    expect(await said("run pwd", "offline-brief")).toContain("Bash");
    expect(await said("quux the frobnicator")).toContain("I understand:");
    const missed = await said("quux the frobnicator", "offline-brief");
    expect(missed).toContain('Say "help"');
    expect(missed).not.toContain("I understand:");
    expect(await said("help", "offline-brief")).toContain("I understand:");
  });

  test.each([
    "switch to another model",
    "please use a different model",
    "change the model",
    "what models are there?",
    "switch the model to gpt-5",
  ])("%s: it says what to type", async (sentence) => {
    expect(await said(sentence)).toContain("/model offline-brief");
    expect(await said(sentence)).not.toContain("I did not understand");
  });
});
