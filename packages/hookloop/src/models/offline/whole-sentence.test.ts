import { describe, expect, test } from "vitest";
import { playIn } from "./workspace.test-suite.ts";

/** A sentence is done as a whole, or nothing is done and it is asked back: what a cold reader of it would call wrong. */

const FILES = {
  "README.md": "# Shop\n",
  "notes.txt": "one\ntwo\nthree\n",
  "drinks.txt": "milk\njuice\nmilk shake\n",
  "config.json": '{\n  "name": "shop",\n  "port": 8080,\n  "debug": true\n}\n',
  "package.json": '{\n  "name": "shop",\n  "scripts": {\n    "build": "make",\n    "lint": "eslint"\n  }\n}\n',
  "src/cart.js": "let cart;\n",
} as const;

const ASKED = /did not understand|so I did nothing|is already there, so I|Say:|\?/;

describe("a file that is there is not emptied by creating it", () => {
  test.each([
    ...["write a README", "create a new README", "create a file called README", "create notes.txt", "make a file src/cart.js"],
    ...["set up a notes.txt", "generate package.json", "create an empty file drinks.txt", "make me a new config.json"],
    ...["create notes.txt with the text new", "create a file README.md containing hi"],
  ])("%s", async (sentence) => {
    const { files, text } = await playIn(FILES, sentence);
    expect(files).toEqual(FILES);
    expect(text).toMatch(/^\S+ is already there, so I wrote nothing\./);
  });

  test.each([
    ["create new.txt", "new.txt", ""],
    ["overwrite notes.txt with fresh start", "notes.txt", "fresh start\n"],
    ['write "new" to notes.txt', "notes.txt", "new\n"],
    ["create a.txt and write hello in it", "a.txt", "hello\n"],
    ["empty notes.txt", "notes.txt", ""],
  ])("%s: what is asked for is done", async (sentence, file, content) => {
    expect((await playIn(FILES, sentence)).files).toEqual({ ...FILES, [file]: content });
  });
});

describe("a commit takes what the sentence says", () => {
  test.each([
    ['commit README.md with message "docs"', "git add -- README.md && git commit -m docs -- README.md"],
    ['commit only README.md, message "docs"', "git add -- README.md && git commit -m docs -- README.md"],
    ['commit notes.txt and README.md with the message "two"', "git add -- notes.txt README.md && git commit -m two -- notes.txt README.md"],
    ['commit the staged changes with message "x"', "git commit -m x"],
    ['commit what is staged as "x"', "git commit -m x"],
    ['commit this as "wip"', "git add -A && git commit -m wip"],
    ['commit "wip"', "git add -A && git commit -m wip"],
    ["commit everything with the message all tests ok", "git add -A && git commit -m 'all tests ok'"],
    ["commit everything with the message first try", "git add -A && git commit -m 'first try'"],
    ["commit with message fix: do not crash", "git add -A && git commit -m 'fix: do not crash'"],
    ["replace one with 1 in notes.txt and commit it with message x", "git add -- notes.txt && git commit -m x -- notes.txt"],
    ["commit all changes: fix the parser", "git add -A && git commit -m 'fix the parser'"],
  ])("%s", async (sentence, command) => {
    expect((await playIn(FILES, sentence)).commands).toEqual([command]);
  });

  test("what was staged in the same sentence is what is committed", async () => {
    const { commands } = await playIn(FILES, "stage notes.txt and commit it with message x");
    expect(commands).toEqual(["git add -- notes.txt", "git add -- notes.txt && git commit -m x -- notes.txt"]);
  });

  test("what is joined to it is done as well", async () => {
    const { commands } = await playIn(FILES, 'commit with message "fix" and push');
    expect(commands).toEqual(["git add -A && git commit -m fix", "git push"]);
  });
});

describe("a change is made as it was said", () => {
  test.each([
    ["replace the first line of drinks.txt with water", "drinks.txt", "water\njuice\nmilk shake\n"],
    ["change the last line of notes.txt to 3", "notes.txt", "one\ntwo\n3\n"],
    ["remove the line with juice from drinks.txt", "drinks.txt", "milk\nmilk shake\n"],
    ["delete the line containing shake from drinks.txt", "drinks.txt", "milk\njuice\n"],
    ["remove the line milk from drinks.txt", "drinks.txt", "juice\nmilk shake\n"],
    ["replace one with nothing in notes.txt", "notes.txt", "\ntwo\nthree\n"],
    ["replace two with an empty string in notes.txt", "notes.txt", "one\n\nthree\n"],
    ["remove the key debug from config.json", "config.json", '{\n  "name": "shop",\n  "port": 8080\n}\n'],
    ["remove debug from config.json", "config.json", '{\n  "name": "shop",\n  "port": 8080\n}\n'],
    ["remove the port setting from config.json", "config.json", '{\n  "name": "shop",\n  "debug": true\n}\n'],
    ['delete "name" from config.json', "config.json", '{\n  "port": 8080,\n  "debug": true\n}\n'],
    ["in config.json, set port to 4000", "config.json", FILES["config.json"].replace("8080", "4000")],
    ["add the lines juice, water to notes.txt", "notes.txt", "one\ntwo\nthree\njuice\nwater\n"],
    ['add the lines "a, b" and "c" to notes.txt', "notes.txt", "one\ntwo\nthree\na, b\nc\n"],
    ["create todo.md with the lines buy milk, call bob", "todo.md", "buy milk\ncall bob\n"],
  ])("%s", async (sentence, file, content) => {
    expect((await playIn(FILES, sentence)).files).toEqual({ ...FILES, [file]: content });
  });

  test("a renamed file stays in its folder, unless another one is named", async () => {
    expect((await playIn(FILES, "rename src/cart.js to basket.js")).commands).toEqual(["mv src/cart.js src/basket.js"]);
    expect((await playIn(FILES, "move src/cart.js to basket.js")).commands).toEqual(["mv src/cart.js basket.js"]);
  });
});

describe("a text is kept to its last word", () => {
  test.each([
    ["create a.txt with the text tests ok", "tests ok\n"],
    ["create a.txt with the text say please", "say please\n"],
    ["create a.txt with the text do it now", "do it now\n"],
    ["create a.txt with the text Is it done?", "Is it done?\n"],
    ["create a.txt with the text Hello!", "Hello!\n"],
    ["create a.txt saying thank you", "thank you\n"],
    ["create a.txt with the text hello, please", "hello\n"],
    ["create a.txt with tests ok", "tests ok\n"],
    ["create a.txt with hello please", "hello\n"],
    ["create a.txt with the text we are not there, but close", "we are not there, but close\n"],
  ])("%s", async (sentence, content) => {
    const { files, calls } = await playIn(FILES, sentence);
    expect(files).toEqual({ ...FILES, "a.txt": content });
    expect(calls.map(({ name }) => name)).toEqual(["Glob", "Write"]);
  });
});

test.each([
  ...['commit all changes except notes.txt with message "x"', 'commit everything but drinks.txt with the message "partial"'],
  ...["commit out line 3 of src/cart.js", "commit the deletion of notes.txt", 'commit everything without hooks with message "x"'],
  ...["replace two with 2 and three with 3 in notes.txt", "in notes.txt replace one with 1 and two with 2"],
  ...['replace "one" with "1" and "two" with "2" in notes.txt', 'replace "milk" with "cream" everywhere but not in drinks.txt'],
  ...["replace milk with cream on line 1 of drinks.txt", "replace the first milk with cream in drinks.txt"],
  ...["replace milk with cream in drinks.txt, but only on the first line", "change two to 2 in every file except notes.txt"],
  ...["add port 9000 to config.json", 'add a script "lint": "eslint ." to package.json'],
  ...['write "a" to x.txt and "b" to y.txt', 'write "a" and "b" to notes.txt'],
  ...["create a.txt with the text read the manual and run the tests", 'add "x" to the end of every file', 'add "x" to all files'],
  ...["add the content of notes.txt to README.md", "put the contents of notes.txt into README.md", "write TODO items to todo.txt"],
  ...["create a file named my notes.txt", "touch up README.md", "delete src and test", "delete notes.txt but not README.md"],
  ...["replace milk with cream only in the first line of drinks.txt", "remove the lines with milk from drinks.txt"],
  ...['search for "TODO" but not in src', "search for milk except in drinks.txt", "comment out line 3 of src/cart.js"],
  ...["rename notes.txt to drinks.txt", "copy README.md to notes.txt", "read src/cart.js and test", "delete build and test"],
])("%s: nothing is done, and it is asked back", async (sentence) => {
  const { files, commands, text, calls } = await playIn(FILES, sentence);
  expect(files).toEqual(FILES);
  expect(commands).toEqual([]);
  expect(calls.filter(({ name }) => name === "Grep")).toEqual([]);
  expect(text).toMatch(ASKED);
  expect(text).not.toContain("Did you mean");
});

test.each([
  ...["remove the bug from src/cart.js", "erase my mistakes in notes.txt", "delete every line in notes.txt", "make notes.txt better"],
  ...["put it in notes.txt", "save everything to notes.txt", "change notes.txt to uppercase", "turn notes.txt into a list"],
  ...["move everything to src", "delete everything except notes.txt", "copy the function foo to notes.txt", "add README.md to notes.txt"],
])("%s: what would have to be understood is not done by its words", async (sentence) => {
  const { files, commands, calls } = await playIn(FILES, sentence);
  expect([files, commands, calls]).toEqual([FILES, [], []]);
});

describe("a folder called test is no wish to run the tests", () => {
  test.each([
    ["search for TODO in src and test", "Grep"],
    ["list the files in src and test", "Glob"],
    ["look for TODO in src, test and docs", "Grep"],
  ])("%s", async (sentence, tool) => {
    const { commands, calls } = await playIn(FILES, sentence);
    expect(commands).toEqual([]);
    expect(calls.map(({ name, input }) => [name, input["path"]]).slice(0, 2)).toEqual([
      [tool, "src"],
      [tool, "test"],
    ]);
  });

  test.each(["build and test", "run the linter and test", "install the dependencies and build"])("%s: it is one", async (sentence) => {
    expect((await playIn(FILES, sentence)).commands).toHaveLength(2);
  });
});

test("the whole task goes to the subagent", async () => {
  const { calls } = await playIn(FILES, "delegate searching for TODO to a subagent");
  expect(calls[0]?.input).toEqual({ description: "search for TODO", prompt: "search for TODO" });
});

test("hidden files are listed where they are asked for", async () => {
  expect((await playIn(FILES, "list all files including hidden ones")).commands).toEqual(["ls -lA"]);
});

test("a wish to change nothing is understood", async () => {
  expect((await playIn(FILES, "don't delete anything")).text).toMatch(/^All right/);
});

describe("what an earlier sentence was about", () => {
  test.each(["delete it", "remove this file", "rename it to b.txt", "copy it to b.txt"])(
    "%s: the name is said before it is done",
    async (sentence) => {
      const asked = await playIn(FILES, "read notes.txt", sentence);
      expect(asked.commands).toEqual([]);
      expect(asked.text).toMatch(/^Did you mean "(?:delete|move|copy) .*notes\.txt/);
      expect((await playIn(FILES, "read notes.txt", sentence, "yes")).commands).toHaveLength(1);
    },
  );

  test("a file or a folder? takes either as an answer", async () => {
    expect((await playIn(FILES, "delete build", "the folder")).commands).toEqual(["rm -r build"]);
    expect((await playIn(FILES, "delete build", "it's a file")).commands).toEqual(["rm -r build"]);
    expect((await playIn(FILES, "the folder")).commands).toEqual([]);
  });
});

describe("what is not for it", () => {
  test.each([
    ["use the skill x", "There are no skills here"],
    ["translate README.md to German", "I cannot translate"],
    ["sure", "All right"],
  ])("%s: %s", async (sentence, expected) => {
    const { text, calls } = await playIn(FILES, sentence);
    expect(calls).toEqual([]);
    expect(text).toContain(expected);
  });
});

describe("a word that names nothing is no name and no text: it is asked back", () => {
  const there = { ...FILES, a: "", new: "", something: "" };
  test.each([
    ...["delete a file", "remove some file", "delete any folder", "delete a folder", "delete something", "remove another file please"],
    ...["create a file", "make a file", "write a file", "create a new file", "create an empty file", "create a test file"],
    ...["create a new text file", "create a folder", "make a directory", "make a new folder", "create some files", "add another file"],
    ...["write something to notes.txt", "write anything into notes.txt", "save some text in notes.txt", "put a word in notes.txt"],
    ...["add a line to notes.txt", "add a new line to notes.txt", "add another line to notes.txt", "append a line to notes.txt"],
    ...["put a line into notes.txt", "insert a line before line 2 in notes.txt", "add text to notes.txt", "append something to notes.txt"],
    ...[
      "add a line at the end of notes.txt",
      "add an item to the to-do list",
      "add a task to the to-do list",
      "add something to the to-do list",
    ],
    ...[
      "replace it with bar in notes.txt",
      "change something to bar in notes.txt",
      "remove a word from notes.txt",
      "delete a line from notes.txt",
    ],
  ])("%s", async (sentence) => {
    const { files, text, calls } = await playIn(there, sentence);
    expect([files, calls]).toEqual([there, []]);
    expect(text).toMatch(ASKED);
  });

  test.each([
    ["create a file called a.txt", "a.txt", ""],
    ['add a line "four" to notes.txt', "notes.txt", "one\ntwo\nthree\nfour\n"],
    ["add a line saying four to notes.txt", "notes.txt", "one\ntwo\nthree\nfour\n"],
    ['write "something" to notes.txt', "notes.txt", "something\n"],
  ])("%s: what is named is done", async (sentence, file, content) => {
    expect((await playIn(FILES, sentence)).files).toEqual({ ...FILES, [file]: content });
  });
});

describe("two things with one verb are two things", () => {
  test.each([
    ['create x.txt with "hello" and y.txt with "bye"', { "x.txt": "hello\n", "y.txt": "bye\n" }],
    ["create x.txt with the text one and y.txt with the text two", { "x.txt": "one\n", "y.txt": "two\n" }],
  ])("%s", async (sentence, written) => {
    expect((await playIn(FILES, sentence)).files).toEqual({ ...FILES, ...written });
  });

  test("files are renamed one by one, and none over another", async () => {
    const { commands, text } = await playIn(FILES, "rename README.md to a.md and notes.txt to drinks.txt");
    expect(commands).toEqual(["mv README.md a.md"]);
    expect(text).toContain("drinks.txt is already there, so I moved nothing");
  });
});

describe("a place is no name", () => {
  test.each([
    ["move notes.txt into a folder called old", "mkdir -p old && mv notes.txt old/"],
    ["move src/cart.js to the root", "mv src/cart.js ./"],
    ["move notes.txt to src", "mv notes.txt src/"],
    ["put notes.txt in the old folder", "mkdir -p old && mv notes.txt old/"],
    ["rename the src folder to lib", "mv src lib"],
  ])("%s", async (sentence, command) => {
    expect((await playIn(FILES, sentence)).commands).toEqual([command]);
  });

  test("what was moved into a folder is there from then on", async () => {
    const { calls } = await playIn(FILES, "move notes.txt to src", "read it");
    expect(calls.at(-1)).toMatchObject({ name: "Read", input: { file_path: "src/notes.txt" } });
  });
});

test("what a name stands for is changed, never the name into a number", async () => {
  const start = { "a.js": "const TAX = 0.2;\nexport const more = TAX;\n" };
  expect((await playIn(start, "read a.js", "change TAX to 0.25 in there")).files).toEqual({
    "a.js": "const TAX = 0.25;\nexport const more = TAX;\n",
  });
});

test("a value that is new goes to the end of a JSON file; one that is there is left alone", async () => {
  const start = { "package.json": '{\n  "name": "shop",\n  "files": [\n    "a"\n  ]\n}\n' };
  const { files } = await playIn(start, 'add a description "A tiny shop" to package.json');
  expect(JSON.parse(files["package.json"] ?? "")).toEqual({ name: "shop", files: ["a"], description: "A tiny shop" });
  const again = await playIn(start, 'add a name "x" to package.json');
  expect(again.files).toEqual(start);
  expect(again.text).toContain("so I changed nothing");
});

describe("undo", () => {
  test("takes back exactly what is known, and asks where it could be more", async () => {
    expect((await playIn(FILES, 'add a line "x" to notes.txt', "undo that")).files).toEqual(FILES);
    expect((await playIn(FILES, "rename notes.txt to n.txt", "undo that")).commands).toEqual(["mv notes.txt n.txt", "mv n.txt notes.txt"]);
    const asked = await playIn(FILES, "replace one with 1 in notes.txt", "undo that");
    expect(asked.text).toContain('Did you mean "replace "1" with "one" in notes.txt"?');
    expect((await playIn(FILES, "replace one with 1 in notes.txt", "undo that", "yes")).files).toEqual(FILES);
    expect((await playIn(FILES, "create x.txt", "undo that")).text).toContain('Did you mean "delete the file x.txt"?');
    expect((await playIn(FILES, "list the files", "undo that")).text).toContain("I cannot undo");
  });
});

describe("what stands in quotes behind run is the command, exactly", () => {
  test.each([
    ["run `node src/index.js`", ["node src/index.js"]],
    ['execute "node src/index.js"', ["node src/index.js"]],
    ["please run `cat src/cart.js` in the background", ["cat src/cart.js"]],
    ["execute `ls` and `pwd`", ["ls", "pwd"]],
    ["run the file 'src/cart.js'", ["node src/cart.js"]],
  ])("%s", async (sentence, commands) => {
    expect((await playIn(FILES, sentence)).commands).toEqual(commands);
  });
});

describe("what is joined behind a place is another step or is asked back, never a part of the text", () => {
  test("set a value and tag it", async () => {
    const { files, commands } = await playIn(FILES, "set port to 90 in config.json and tag it v3.0.0");
    expect(files["config.json"]).toContain('"port": 90,');
    expect(commands).toEqual(["git tag v3.0.0"]);
  });

  test.each([
    ...["add x to notes.txt and drinks.txt", "set port to 90 in config.json and frobnicate it", "remove greet from src/cart.js"],
    ...["append three lines to notes.txt: a, b", "rename src/cart.js to src/basket.js and update the imports"],
    ...["fix the divide by zero bug in src/cart.js", "kill shell_1"],
  ])("%s", async (sentence) => {
    const { files, commands, text } = await playIn(FILES, sentence);
    expect(files).toEqual(FILES);
    expect(commands).toEqual([]);
    expect(text).toMatch(/so I (?:did|took) nothing|nothing yet|I cannot write or judge code|end with the session/);
    expect(text).not.toContain("delete the file");
  });
});

test("lines that are listed are as many as the list has", async () => {
  const { files } = await playIn(FILES, "append three lines to notes.txt: a, b and c");
  expect(files["notes.txt"]).toBe("one\ntwo\nthree\na\nb\nc\n");
});

test("words that are all of a line go with the line; others leave the rest of it", async () => {
  expect((await playIn(FILES, 'remove "two" from notes.txt')).files["notes.txt"]).toBe("one\nthree\n");
  expect((await playIn(FILES, 'remove " shake" from drinks.txt')).files["drinks.txt"]).toBe("milk\njuice\nmilk\n");
});

test("a pronoun is nothing to put on a list", async () => {
  const { calls, text } = await playIn(FILES, "list open todos in the code and put them on a todo list");
  expect(calls.map(({ name }) => name)).toEqual(["Grep"]);
  expect(text).toContain('What is "them"?');
});

test("several subagents get one task each", async () => {
  const { calls } = await playIn(FILES, "use two subagents: one to list src, one to run the tests");
  expect(calls.map(({ input }) => input["prompt"])).toEqual(["list src", "run the tests"]);
  expect((await playIn(FILES, "use three subagents to list src")).text).toContain("What should each of them do?");
});

test("a text in quotes answers the question for it", async () => {
  expect((await playIn(FILES, "add a line to README.md", '"hey"')).files["README.md"]).toBe("# Shop\nhey\n");
});

describe("a script of the project is run under the name that package.json has for it", () => {
  const named = (...scripts: readonly string[]): Record<string, string> => ({
    "package.json": JSON.stringify(
      { scripts: Object.fromEntries(scripts.map((name) => [name, "make"])), devDependencies: { serve: "^1.0.0" } },
      null,
      2,
    ),
  });
  test.each([
    ["start the app", ["start"], "npm start"],
    ["start the app", ["dev", "build"], "npm run dev"],
    ["launch the dev server", ["dev"], "npm run dev"],
    ["typecheck the project", ["typecheck"], "npm run typecheck"],
    ["type check everything", ["types"], "npm run types"],
    ["check the types", ["check-types"], "npm run check-types"],
    ["run the buidl", ["bundle"], "npm run bundle"],
    ["lint everything", ["lint", "check"], "npm run lint"],
  ])("%s, with %j: %s", async (sentence, scripts, command) => {
    expect((await playIn(named(...scripts), sentence)).commands).toEqual([command]);
  });

  test("nothing is run if there is none", async () => {
    const { commands, text } = await playIn(named("test"), "start the app");
    expect(commands).toEqual([]);
    expect(text).toContain("package.json has no script for that (I looked for start, dev, serve, server).");
  });

  test("the background is kept", async () => {
    const { calls } = await playIn(named("dev"), "run the dev server in the background");
    expect(calls.at(-1)?.input).toEqual({ command: "npm run dev", run_in_background: true });
  });

  test.each(["what scripts are there?", "list the scripts", "which scripts exist"])("%s: package.json is shown", async (sentence) => {
    expect((await playIn(named("test"), sentence)).calls).toMatchObject([{ name: "Read", input: { file_path: "package.json" } }]);
  });
});

describe("words that are no wish for a change make none", () => {
  test.each([
    ...["guten tag", "i dont know what to type", "move it", "rename this", "move everything from docs to src"],
    ...["update all packages", "move src/cart.js up one folder", "move src up one folder"],
  ])("%s", async (sentence) => {
    const { files, calls, text } = await playIn(FILES, sentence);
    expect([files, calls]).toEqual([FILES, []]);
    expect(text).toContain("offline model");
  });
});

test("a verb at the end is asked back where something would change, and done where it only looks", async () => {
  const asked = await playIn(FILES, "in the file notes.txt please the word two with 2 replace");
  expect(asked.files).toEqual(FILES);
  expect(asked.text).toContain('Did you mean "replace the word two with 2 in the file notes.txt"?');
  expect((await playIn(FILES, "in the file notes.txt please the word two with 2 replace", "yes")).files["notes.txt"]).toBe(
    "one\n2\nthree\n",
  );
  expect((await playIn(FILES, "notes.txt please open")).calls).toMatchObject([{ name: "Read", input: { file_path: "notes.txt" } }]);
});

test('what a condition behind its step says holds: "x and y if it passes"', async () => {
  const { commands } = await playIn(FILES, 'run the tests and commit everything with the message "x" if they pass');
  expect(commands).toEqual(["npm test", "git add -A && git commit -m x"]);
});

test("the words around what is searched for are no part of it", async () => {
  expect((await playIn(FILES, "find me the file with the cart variable")).calls).toMatchObject([
    { name: "Grep", input: { pattern: "cart" } },
  ]);
});
