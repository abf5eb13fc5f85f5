/** Sentences that newcomers said and that went wrong: the rule behind each. */
import { describe, expect, test } from "vitest";
import type { ModelMessage, ModelReply, ToolUseBlock } from "../../run/model/model-port.ts";
import "./answer.ts";
import { createOfflineModel } from "../model-settings.ts";
import { isGoodbye, readSentence } from "./read-sentence.ts";

const user = (content: string): ModelMessage => ({ role: "user", content });

function said({ content }: ModelReply): string {
  return content.flatMap((block) => (block.type === "text" ? block.text : [])).join("\n");
}

/** Plays a conversation: each sentence, with what its calls give; what begins with `✗ ` is an error. */
async function play(...turns: readonly (readonly [sentence: string, ...results: string[]])[]): Promise<{
  readonly text: string;
  readonly calls: readonly ToolUseBlock[];
}> {
  const tools = ["Bash", "Read", "Write", "Edit", "TaskCreate", "TaskUpdate"].map((name) => ({ name, description: "", input_schema: {} }));
  const messages: ModelMessage[] = [];
  let calls: ToolUseBlock[] = [];
  let text = "";
  for (const [sentence, ...results] of turns) {
    messages.push(user(sentence));
    calls = [];
    for (;;) {
      const reply = await createOfflineModel().ask({ messages, tools });
      messages.push({ role: "assistant", content: reply.content });
      text = said(reply);
      const call = reply.content.find((block) => block.type === "tool_use");
      if (!call) break;
      calls.push(call);
      const given = results.shift() ?? "(Bash completed with no output)";
      const result = {
        type: "tool_result",
        tool_use_id: call.id,
        content: given.replace(/^✗ /, ""),
        is_error: given.startsWith("✗ "),
      } as const;
      messages.push({ role: "user", content: [result] });
    }
  }
  return { text, calls };
}

describe("the end of a sentence is no part of a name", () => {
  test.each([
    ["what changed in notes.txt?", { command: "git diff -- notes.txt" }],
    ["what is in notes.txt?!", { file_path: "notes.txt" }],
    ["show me notes.txt!", { file_path: "notes.txt" }],
    ["read notes.txt.", { file_path: "notes.txt" }],
    ["delete the file notes.txt!", { command: "rm -r notes.txt" }],
    ['read "what?"', { file_path: "what?" }],
    ['read "end."', { file_path: "end." }],
  ])("%s", (sentence, input) => {
    expect(readSentence(sentence).steps.map((step) => step.input)).toEqual([expect.objectContaining(input)]);
  });
});

describe("a line is put where the sentence says", () => {
  const LINES = "1\tone\n2\ttwo\n3\tthree two\n4\t";
  test.each([
    ['insert a line "zero" before line 1 in notes.txt', "one", "zero\none"],
    ['insert "x" after line 1 of notes.txt', "one", "one\nx"],
    ['put "x" at line 3 of notes.txt', "three two", "x\nthree two"],
    ['add "x" above the second line of notes.txt', "one\ntwo\nthree two", "one\nx\ntwo\nthree two"],
    ['add "x" after the last line in notes.txt', "three two", "three two\nx"],
    ['insert "x" before the first line of notes.txt', "one", "x\none"],
    ["insert x before three in notes.txt", "three two", "x\nthree two"],
    ['in notes.txt, insert "x" after line 1', "one", "one\nx"],
    ['add "x" at the top of notes.txt', "one", "x\none"],
    ['add "x" at the end of notes.txt', "three two", "three two\nx"],
    ["replace line 2 of notes.txt with x", "one\ntwo\nthree two", "one\nx\nthree two"],
  ])("%s", async (sentence, old_string, new_string) => {
    const { calls } = await play([sentence, LINES]);
    expect(calls.map(({ name }) => name)).toEqual(["Read", "Edit"]);
    expect(calls[1]?.input).toMatchObject({ file_path: "notes.txt", old_string, new_string });
  });

  test.each([
    ['insert "x" before line 9 in notes.txt', "notes.txt has 3 lines, so I changed nothing."],
    ['insert "x" after "four" in notes.txt', '"four" is not in notes.txt, so I changed nothing.'],
    ["insert x after t in notes.txt", '"t" is in several lines of notes.txt (2, 3), so I changed nothing.'],
  ])("%s: it says why not", async (sentence, expected) => {
    const { calls, text } = await play([sentence, LINES]);
    expect(calls.map(({ name }) => name)).toEqual(["Read"]);
    expect(text).toContain(expected);
  });

  test("a place that it does not know is asked back, and nothing is written", async () => {
    const { calls, text } = await play(['insert "x" near the title in notes.txt']);
    expect(calls).toEqual([]);
    expect(text).toContain("Where in notes.txt?");
  });
});

test("a file that was there is told as replaced", async () => {
  const { text } = await play(['write "new" to notes.txt', "The file /w/notes.txt has been updated successfully."]);
  expect(text).toBe("I replaced what was in notes.txt.");
});

test("a file that has this content already is not told as replaced", async () => {
  const { text } = await play(['write "new" to notes.txt', "The file /w/notes.txt already has this content; nothing was changed."]);
  expect(text).toBe("notes.txt already has this content, so I changed nothing.");
});

test.each(["write a haiku to haiku.txt", "create sea.txt with a poem about the sea", "add a joke to notes.txt"])(
  "%s: no text is made up here, and it says what works",
  async (sentence) => {
    const { calls, text } = await play([sentence]);
    expect(calls).toEqual([]);
    expect(text).toMatch(/^I cannot make up a text: .* write "TEXT" to \w+\.txt\./);
  },
);

test("a task is marked by its name, in the words that matter", async () => {
  const made = ["make a to-do list: wash the car, buy milk", "Task #1 was created: wash the car", "Task #2 was created: buy milk"] as const;
  expect((await play(made, ["mark wash car as done"])).calls).toMatchObject([{ input: { taskId: "1", status: "completed" } }]);
  expect((await play(made, ["mark walk the dog as done"])).text).toContain("Which one is walk the dog?");
});

test("reading on goes on where the last Read ended", async () => {
  const part = ["show the first 3 lines of notes.txt", "1\ta\n2\tb\n3\tc\n(lines 1 to 3 of 9; read on with offset 4)"] as const;
  expect((await play(part, ["read on"])).calls).toMatchObject([{ name: "Read", input: { file_path: "notes.txt", offset: 4, limit: 3 } }]);
  expect((await play(["read on"])).text).toContain("no file that I have read only in part");
});

test.each(["I'm done, bye", "thanks, bye!", "q", "close", "exit()", "quit();", ":qa!"])("%s leaves", (sentence) => {
  expect(isGoodbye(sentence)).toBe(true);
});

test.each(["close the file", "exit 1", "delete a.txt, bye", "q&a"])("%s does not", (sentence) => {
  expect(isGoodbye(sentence)).toBe(false);
});

test.each(["explain the setup", "what does stop mean?"])("%s is not about an event", (sentence) => {
  expect(readSentence(sentence).questions.join()).not.toContain("is an event");
});

test.each([
  ["run the tests", "Exit code 1\n2 failed", "The tests failed (exit code 1):\n2 failed"],
  ["run false", "Exit code 1", "`false` failed (exit code 1)."],
  ["run rm a.txt", "PreToolUse:Bash hook error: Not for agents.", "I could not run `rm a.txt`: a hook blocked it: Not for agents."],
  [
    "replace x with y in a.txt",
    "old_string was not found in /w/a.txt. Read the file again; blanks and new lines count.",
    'I could not replace x with y in a.txt: "x" is not in a.txt.',
  ],
])("%s: a failure is told in the words of people", async (sentence, result, expected) => {
  expect((await play([sentence, `✗ ${result}`])).text).toBe(expected);
});

test("what it understands is listed once; a second greeting says where to see it", async () => {
  expect((await play(["hi"])).text).toContain('- "ls -la"');
  expect((await play(["hi"], ["hello"])).text).toBe('Hello! I am the offline model. Say "help" for all that I understand.');
});

describe("a value is changed, not the name in front of it", () => {
  const JSON_FILE = '1\t{\n2\t  "name": "shop",\n3\t  "version": "0.3.1",\n4\t  "port": 80,\n5\t  "scripts": { "name": "x" }\n6\t}\n7\t';
  test.each([
    ["change the version in package.json to 0.4.0", '  "version": "0.3.1",', '  "version": "0.4.0",'],
    ["set the version in package.json to 0.4.0", '  "version": "0.3.1",', '  "version": "0.4.0",'],
    ["set version to 0.4.0 in package.json", '  "version": "0.3.1",', '  "version": "0.4.0",'],
    ["bump the version of package.json to 0.4.0", '  "version": "0.3.1",', '  "version": "0.4.0",'],
    ["in package.json, change the version to 0.4.0", '  "version": "0.3.1",', '  "version": "0.4.0",'],
    ["change the version from 0.3.1 to 0.4.0 in package.json", '  "version": "0.3.1",', '  "version": "0.4.0",'],
    ["change the name in package.json to foo", '  "name": "shop",', '  "name": "foo",'],
    ['change the "name" field in package.json to "a \\"b\\""', '  "name": "shop",', '  "name": "a \\\\\\"b\\\\\\"",'],
    ["update the value of port in package.json to 8080", '  "port": 80,', '  "port": 8080,'],
  ])("%s", async (sentence, old_string, new_string) => {
    const { calls } = await play([sentence, JSON_FILE]);
    expect(calls.map(({ name }) => name)).toEqual(["Read", "Edit"]);
    expect(calls[1]?.input).toMatchObject({ file_path: "package.json", old_string, new_string });
  });

  test.each([
    ["set PORT to 8080 in .env", "1\tHOST=a\n2\tPORT=80\n3\t", "PORT=80", "PORT=8080"],
    ["change the port in app.yml to 8080", "1\thost: a\n2\tport: 80 # http\n3\t", "port: 80 # http", "port: 8080 # http"],
    [
      "set DEBUG in src/config.js to true",
      "1\texport const DEBUG = false;\n2\t",
      "export const DEBUG = false;",
      "export const DEBUG = true;",
    ],
    ["set the title in app.toml to New shop", '1\ttitle = "Old"\n2\t', 'title = "Old"', 'title = "New shop"'],
  ])("%s", async (sentence, file, old_string, new_string) => {
    expect((await play([sentence, file])).calls[1]?.input).toMatchObject({ old_string, new_string });
  });

  test.each([
    ["change the license in package.json to MIT", JSON_FILE, 'package.json has no value called "license"'],
    ["change the scripts in package.json to x", JSON_FILE, '"scripts" in package.json is more than one plain value'],
    ["change the version from 9.9.9 to 0.4.0 in package.json", JSON_FILE, '"version" in package.json is 0.3.1, not 9.9.9'],
    ["change the port in app.ini to 1", "1\t[a]\n2\tport=1\n3\t[b]\n4\tport=2\n5\t", "several lines of app.ini (2, 4)"],
    ["change the greeting in notes.txt to hi", "1\tour greeting is hello\n2\t", 'notes.txt has no value called "greeting"'],
  ])("%s: it changes nothing, and says why", async (sentence, file, expected) => {
    const { calls, text } = await play([sentence, file]);
    expect(calls.map(({ name }) => name)).toEqual(["Read"]);
    expect(text).toContain(expected);
    expect(text).toContain("so I changed nothing");
  });

  test.each(["change foo to bar in notes.txt", "change the word foo to bar in notes.txt", 'replace "version" with "x" in package.json'])(
    "%s: words are words",
    async (sentence) => {
      expect((await play([sentence])).calls.map(({ name }) => name)).toEqual(["Edit"]);
    },
  );
});

describe("a change everywhere reaches every file", () => {
  const FILES = "/w/src/price.js\n/w/test/price.test.js";
  test.each([
    "rename formatPrice to formatMoney everywhere",
    "rename formatPrice to formatMoney in all files",
    "rename the function formatPrice to formatMoney across the project",
    "replace formatPrice with formatMoney throughout the whole codebase",
    "change formatPrice to formatMoney in every file of the project",
    "everywhere, replace formatPrice with formatMoney",
    "use formatMoney instead of formatPrice everywhere",
  ])("%s", async (sentence) => {
    const { calls } = await play(["read src/price.js", "1\tx"], [sentence, "No matches found.", FILES]);
    expect(calls.map(({ name }) => name)).toEqual(["Grep", "Grep", "Edit", "Edit"]);
    expect(calls.slice(2).map(({ input }) => input["file_path"])).toEqual(FILES.split("\n"));
    expect(calls[2]?.input).toMatchObject({ old_string: "formatPrice", new_string: "formatMoney", replace_all: true });
  });

  test("a folder is searched alone", async () => {
    const { calls } = await play(["replace foo with bar in all files in src", "No matches found.", FILES]);
    expect(calls[1]?.input).toMatchObject({ pattern: "foo", path: "src" });
    expect((await play(["replace foo with bar in the src folder", "No matches found.", FILES])).calls[1]?.input).toMatchObject({
      path: "src",
    });
  });

  test("longer names with the same letters are not broken", async () => {
    const { calls, text } = await play(["rename total to sum everywhere", "/w/src/a.js"]);
    expect(calls.map(({ name }) => name)).toEqual(["Grep"]);
    expect(text).toMatch(/total is also part of longer words.*so I changed nothing/s);
  });

  test("what is nowhere, and what was not searched whole, changes nothing", async () => {
    expect((await play(["rename foo to bar everywhere", "No matches found.", "No matches found."])).text).toContain("foo is in no file");
    const cut = await play([
      "rename foo to bar everywhere",
      "No matches found.",
      "/w/a.js\n(3 more; narrow the search or raise head_limit)",
    ]);
    expect(cut.text).toContain("so I changed nothing");
  });
});

test.each([
  "create src/sum.js with a function that adds two numbers",
  "create src/sum.js with code that adds two numbers",
  "create test/sum.test.js with a test for sum",
  "create test/sum.test.js with some tests",
  "write a file src/a.js with an example",
  "make src/a.py containing a class for carts",
  "create src/sum.js that adds two numbers",
  "create index.html with a login form",
])("%s: a description is no text, and nothing is written", async (sentence) => {
  const { calls, text } = await play([sentence]);
  expect(calls).toEqual([]);
  expect(text).toMatch(/^I cannot (?:write code|make up a text): .*"TEXT"/s);
});

test.each([
  ['create a.js with "a function that adds"', "a function that adds\n"],
  ["create a.txt with the text a function", "a function\n"],
  ["create a.txt saying a new day has come", "a new day has come\n"],
  ["create a.txt with hello", "hello\n"],
])("%s: a text is a text", async (sentence, content) => {
  const { calls } = await play([sentence, "✗ There is no such file: it does not exist."]);
  expect(calls).toMatchObject([{ name: "Read" }, { name: "Write", input: { content } }]);
});

describe("code is shown, not judged", () => {
  test.each([
    "is there a bug in src/price.js?",
    "are there any errors in src/price.js?",
    "does src/price.js have bugs?",
    "what is wrong with src/price.js?",
    "is src/price.js correct?",
    "find the bug in src/price.js",
    "check src/price.js for bugs",
  ])("%s", async (sentence) => {
    const { calls, text } = await play([sentence, "1\tlet x;"]);
    expect(calls).toMatchObject([{ name: "Read", input: { file_path: "src/price.js" } }]);
    expect(text).toContain("I cannot judge code");
  });

  test("without a file there is nothing to show", async () => {
    const { calls, text } = await play(["are there any bugs in src?"]);
    expect(calls).toEqual([]);
    expect(text).toMatch(/^I cannot .*judge code/);
  });
});

test.each([
  ["run teh tests plz", "npm test"],
  ["run hte tests", "npm test"],
  ["plz run the tsets", "npm test"],
  ["please run eslint on src", "eslint src"],
  ["run prettier --check over src/a.js please", "prettier --check src/a.js"],
  ["run wc -l on README.md", "wc -l README.md"],
  ["run node against a.mjs plz", "node a.mjs"],
  ["run my-tool --fast", "my-tool --fast"],
])("%s: %s", (sentence, command) => {
  expect(readSentence(sentence).steps).toMatchObject([{ tool: "Bash", input: { command } }]);
});

test.each(["make a file out.txt", "create src/new.js", "make a new file called empty.txt"])(
  "%s: it is empty, and that is said",
  async (sentence) => {
    const { calls, text } = await play([sentence, "✗ There is no file /w/x.", "File created successfully at: /w/x"]);
    expect(calls).toMatchObject([{ name: "Read" }, { name: "Write", input: { content: "" } }]);
    expect(text).toMatch(/It is empty\.$/);
  },
);

const LOOK = "-type f -not -path '*/.git/*' -not -path '*/node_modules/*'";
test.each([
  ["show me the biggest file in the repo", `find . ${LOOK} -exec ls -lS {} + | head -n 1`],
  ["which file is the newest?", `find . ${LOOK} -exec ls -lt {} + | head -n 1`],
  ["what's the oldest file in src?", `find src ${LOOK} -exec ls -ltr {} + | head -n 1`],
  ["list the smallest files", `find . ${LOOK} -exec ls -lSr {} + | head -n 10`],
  ["show me the 3 biggest files", `find . ${LOOK} -exec ls -lS {} + | head -n 3`],
])("%s looks through every folder of the project", (sentence, command) => {
  expect(readSentence(sentence).steps).toMatchObject([{ input: { command } }]);
});

describe("more that newcomers said", () => {
  const run = (command: string): object => ({ tool: "Bash", input: { command } });
  const grep = (pattern: string): object => ({ tool: "Grep", input: { pattern } });
  const read = (file_path: string): object => ({ tool: "Read", input: { file_path } });
  test.each([
    ["show me the last 3 commits", run("git log --oneline -3")],
    ["what were the last five commits?", run("git log --oneline -5")],
    ["list the 2 latest commits", run("git log --oneline -2")],
    ["explain what total() does", grep("total")],
    ["what does formatPrice return?", grep("formatPrice")],
    ["how does the function total work?", grep("total")],
    ["explain formatPrice", grep("formatPrice")],
    ["show me everything about Cart", grep("Cart")],
    ["tell me all about formatPrice", grep("formatPrice")],
    ["read a file that is not there: nope.js", read("nope.js")],
    ["open this file: a.txt", read("a.txt")],
    ['add a comment at the top of src/a.js saying "old code"', read("src/a.js")],
    ['add the comment "old code" to a.py', read("a.py")],
    ["how many tests are there?", { tool: "Glob", input: { pattern: "**/*test*" } }],
    ["how many tests do we have in src?", { tool: "Glob", input: { pattern: "**/*test*", path: "src" } }],
    ["delete everything in tmp", run("find tmp -mindepth 1 -delete")],
    ["remove all the contents of the tmp folder", run("find tmp -mindepth 1 -delete")],
    ["delete the tmp folder and the file docs/intro.md", run("rm -r tmp docs/intro.md")],
    ["remove a.txt, the folder out and b.txt", run("rm -r a.txt out b.txt")],
    ["run touch a b", run("touch a b")],
    ["run eslint in src", run("(cd src && eslint)")],
    ["sort the lines in names.txt", run("sort -o names.txt names.txt")],
    ["sort the lines of names.txt in reverse order", run("sort -r -o names.txt names.txt")],
    ["sort names.txt alphabetically", run("sort -o names.txt names.txt")],
  ])("%s", (sentence, step) => {
    const { steps, rest, questions } = readSentence(sentence);
    expect({ steps, rest, questions }).toMatchObject({ steps: [step], rest: [], questions: [] });
  });

  test.each([
    ["add a line foo", 'To which file? Say: add a line "foo" to notes.txt.'],
    ['append "a b"', 'To which file? Say: add a line "a b" to notes.txt.'],
    ["why did you refuse?", "/why"],
    ["why did it block that?", "/why"],
    ["delete everything", "too much"],
    ["delete everything in /", "too much"],
    ["delete everything in ..", "too much"],
    ['add a comment "x" to data.bin', "how a comment is written"],
  ])("%s: nothing is done, and it says %s", async (sentence, expected) => {
    const { calls, text } = await play([sentence]);
    expect(calls).toEqual([]);
    expect(text).toContain(expected);
  });

  test("an unexplained function is shown where it is", async () => {
    const { text } = await play(["what does formatPrice return?", "/w/a.js:1:formatPrice()"]);
    expect(text).toMatch(/^1 match:\n\/w\/a\.js:1:formatPrice\(\)\n\nI can show it, but not explain it/);
  });

  test.each([
    ["a.js", "1\tlet x;\n2\t", "let x;", "// note\nlet x;"],
    ["a.sh", "1\t#!/bin/sh\n2\tls\n3\t", "#!/bin/sh", "#!/bin/sh\n# note"],
    ["a.css", "1\ta {}\n2\t", "a {}", "/* note */\na {}"],
    ["a.md", "1\t# A\n2\t", "# A", "<!-- note -->\n# A"],
  ])("a comment is written as %s has them", async (file, shown, old_string, new_string) => {
    const { calls } = await play([`add a comment at the top of ${file} saying "note"`, shown]);
    expect(calls[1]?.input).toMatchObject({ file_path: file, old_string, new_string });
  });

  test("the tasks are shown by the tool that has them", () => {
    const tools = new Set(["TaskList", "TaskCreate"]);
    for (const sentence of ["show my tasks", "list the tasks", "what is still on my list?", "what's left on the to-do list?"])
      expect(readSentence(sentence, { tools }).steps).toMatchObject([{ tool: "TaskList" }]);
  });

  test("what comes under a condition is done only if it holds", async () => {
    for (const sentence of [
      "run the tests, and if they pass commit with message fix",
      'if the tests pass, commit everything with the message "fix"',
    ]) {
      const good = await play([sentence, "ok"]);
      expect(good.calls.map(({ input }) => input["command"])).toEqual(["npm test", "git add -A && git commit -m fix"]);
      const bad = await play([sentence, "✗ Exit code 1\n1 failed"]);
      expect(bad.calls).toHaveLength(1);
      expect(bad.text).toMatch(/^The tests failed \(exit code 1\):\n1 failed\n\nSo I did not go on: "commit .*"\.$/);
    }
    expect((await play(["run the tests and if they pass dance"])).calls).toEqual([]);
  });

  test("it tells what it did", async () => {
    const done = ["run npm test and read a.txt", "✗ Exit code 1", "1\tx"] as const;
    expect((await play(done, ["what did you just do?"])).text).toBe(
      "For your last sentence I tried to run `npm test`, which failed; read a.txt.",
    );
    expect((await play(["hi"], ["what have you done?"])).text).toBe("Nothing: I used no tool for your last sentence.");
  });

  test("a yes to what was probably meant does it", async () => {
    for (const yes of ["yes", "Yes please!", "y", "yeah", "do it"])
      expect((await play(["delte a.txt"], [yes])).calls).toMatchObject([{ name: "Bash", input: { command: "rm -r a.txt" } }]);
    expect((await play(["delte a.txt"], ["no"])).calls).toEqual([]);
    expect((await play(["delte a.txt"], ["thanks"], ["yes"])).calls).toEqual([]);
    expect((await play(["hlep"])).text).toContain('Did you mean "help"?');
  });
});

describe("an answer to a question fills what was missing", () => {
  test.each([
    ["replace one with two", "notes.txt", "Edit"],
    ["replace one with two", "in notes.txt.", "Edit"],
    ['append "a b"', "notes.md", "Read"],
    ["create a file", "a.txt", "Read"],
  ])("%s, then %s", async (sentence, name, tool) => {
    const { calls } = await play([sentence], [name]);
    expect(calls[0]).toMatchObject({ name: tool, input: { file_path: expect.stringMatching(/\.(?:txt|md)$/) } });
  });

  test.each(["run pwd", "ls", "list the files", "no"])("%s is a sentence of its own", async (sentence) => {
    const { calls } = await play(["replace one with two"], [sentence]);
    expect(calls.filter(({ name }) => name === "Edit" || name === "Write")).toEqual([]);
  });
});
