import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { ownCommand, withOwnCommand } from "./diagnostic.ts";

function folderWithProgram(name: string): string {
  const root = mkdtempSync(path.join(tmpdir(), "hookloop-path-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = path.join(root, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "hookloop"), "#!/bin/sh\n");
  chmodSync(path.join(folder, "hookloop"), 0o755);
  return folder;
}

test("a command is named as the shell finds it: by its name on the path, else with npx", () => {
  expect(ownCommand(`/nowhere:${folderWithProgram("bin")}`)).toBe("hookloop");
  expect(ownCommand("/nowhere")).toBe("npx hookloop");
});

test("what npx put on the path does not count: the user's shell does not have it", () => {
  expect(ownCommand(folderWithProgram("node_modules/.bin"))).toBe("npx hookloop");
});

const OWN = fileURLToPath(new URL("../bin/hookloop.js", import.meta.url));

test("where npx would start another program, or none, it is named by its path", () => {
  const foreign = path.dirname(path.dirname(folderWithProgram("node_modules/.bin")));
  const none = path.dirname(folderWithProgram("bin"));
  for (const folder of [foreign, path.join(foreign, "src"), none]) {
    const command = ownCommand("/nowhere", folder);
    expect(realpathSync(path.resolve(folder, command))).toBe(realpathSync(OWN));
  }
});

test("a path with signs that a shell reads is quoted", () => {
  const root = folderWithProgram("it's here");
  // The one that was started, by the name it was started with.
  const started = path.join(root, "my hook's loop");
  symlinkSync(OWN, started);
  const before = process.argv[1] as string;
  onTestFinished(() => {
    process.argv[1] = before;
  });
  process.argv[1] = started;
  expect(ownCommand("/nowhere", root)).toBe(String.raw`'./my hook'\''s loop'`);
  expect(ownCommand("/nowhere", path.dirname(root))).toBe(String.raw`'it'\''s here/my hook'\''s loop'`);
});

test("where npx starts the package that runs, it is named so", () => {
  const root = path.dirname(folderWithProgram("bin"));
  mkdirSync(path.join(root, "node_modules/.bin"), { recursive: true });
  symlinkSync(OWN, path.join(root, "node_modules/.bin/hookloop"));
  expect(ownCommand("/nowhere", root)).toBe("npx hookloop");
  expect(ownCommand("/nowhere", path.join(root, "src/deep"))).toBe("npx hookloop");
});

test("only commands are named so, and only once", () => {
  const before = process.env["PATH"];
  onTestFinished(() => {
    process.env["PATH"] = before;
  });
  process.env["PATH"] = "/nowhere";
  expect(withOwnCommand("Look: hookloop trust review, or `hookloop events`.")).toBe(
    "Look: npx hookloop trust review, or `npx hookloop events`.",
  );
  for (const text of ["npx hookloop trust", "what hookloop trusts", "~/.config/hookloop trust", "@hookloop/sdk"])
    expect(withOwnCommand(text)).toBe(text);
});
