import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { completeLine } from "./own-commands.ts";

let cwd = "";
const commands = (): readonly string[] => ["hooks", "help", "why"];
const complete = (before: string): Promise<readonly string[]> =>
  completeLine({ cwd, commands, suggestFiles: async () => undefined }, before);

beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), "hookloop-completion-"));
  mkdirSync(path.join(cwd, "src"));
  mkdirSync(path.join(cwd, "node_modules"));
  for (const name of ["src/main.ts", "src/more.ts", "README.md", ".env"]) writeFileSync(path.join(cwd, name), "");
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

test("a slash at the start offers commands", async () => {
  expect(await complete("/h")).toEqual(["/help ", "/hooks "]);
  expect(await complete("see /h")).toEqual([]);
  expect(await complete("/x")).toEqual([]);
});

test("an @ offers files, and folders to go on with", async () => {
  expect(await complete("read @")).toEqual(["read @README.md ", "read @src/"]);
  expect(await complete("read @src/m")).toEqual(["read @src/main.ts ", "read @src/more.ts "]);
  expect(await complete("@.e")).toEqual(["@.env "]);
  expect(await complete("read @nowhere/")).toEqual([]);
  expect(await complete("me@src")).toEqual([]);
});

test("a command of the settings knows better which files there are", async () => {
  const suggestFiles = async (typed: string): Promise<readonly string[]> => [`${typed}!`];
  expect(await completeLine({ cwd, commands, suggestFiles }, "read @x")).toEqual(["read @x!"]);
});
