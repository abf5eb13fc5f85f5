import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
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

test("what npx put on the path does not count: the person's shell does not have it", () => {
  expect(ownCommand(folderWithProgram("node_modules/.bin"))).toBe("npx hookloop");
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
