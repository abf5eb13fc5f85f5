import { expect, test } from "vitest";
import { inLocale } from "../terminal.ts";
import { contents, createShorten, shortFolder, spokenText } from "./call-text.ts";

test("paths are as short as people write them", () => {
  const shorten = createShorten({ cwd: "/home/me/project", home: "/home/me" });
  expect(shorten("/home/me/project/.claude/settings.json:4 and /home/me/.claude/settings.json and /etc/x")).toBe(
    ".claude/settings.json:4 and ~/.claude/settings.json and /etc/x",
  );
  expect(shortFolder("/home/me/project", "/home/me")).toBe("~/project");
  expect(shortFolder("/home/mean", "/home/me")).toBe("/home/mean");
});

test("no text from outside steers the terminal", () => {
  const shorten = createShorten({ cwd: "/p", home: undefined });
  for (const show of [shorten, spokenText]) {
    expect(show("a\u001b[2Jb\u009b1mc\u202ed\re")).toBe("a\\u001b[2Jb\\u009b1mc\\u202ed\\u000de");
    expect(show("one\n\ttwo")).toBe("one\n\ttwo");
  }
});

test("pictures in the model's words stay pictures", () => {
  expect(inLocale(spokenText("⚠️ 👩‍👩‍👧 é"))).toBe("⚠️ 👩‍👩‍👧 é");
});

test("only whole words that are paths are made shorter", () => {
  const shorten = createShorten({ cwd: "/tmp/p", home: "/home/me" });
  for (const text of ["x/tmp/p/y", "/var/tmp/p/y", "/tmp/p/", "file:///tmp/p/y", "/home/me/", "/tmp/pp/y"])
    expect(shorten(text)).toBe(text);
  expect(shorten('in "/tmp/p/a.txt" (/tmp/p/b.txt:1)')).toBe('in "a.txt" (b.txt:1)');
});

test("contents are shown as they are, but nothing in them steers the terminal", () => {
  expect(inLocale(contents("/tmp/p/src\n● → \u001b[2J"))).toBe("/tmp/p/src\n● → \\u001b[2J");
});
