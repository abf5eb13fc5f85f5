import { expect, test } from "vitest";
import { importedModules } from "./pin-modules.ts";
import { doubtAbout, interpreterOf } from "./programs.ts";

test("modules are found wherever they are in the list", () => {
  expect(importedModules("import os, json.decoder as d; from re import sub")).toEqual(["os", "json", "re"]);
});

test("what runs a file is what the command says, then its first line, then the shell; its name counts only for arguments", () => {
  const file = { file: "h.js", text: "#!/usr/bin/env -S python3 -u\n", isScript: true };
  expect(interpreterOf({ ...file, program: "bash" })).toBe("bash");
  expect(interpreterOf(file)).toBe("python3");
  expect(interpreterOf({ ...file, text: "" })).toBe("sh");
  expect(interpreterOf({ ...file, text: "", isScript: false })).toBe("node");
});

test("a shipped hook runs nothing that its words name; of other commands of hookloop that is not known", () => {
  expect(doubtAbout("hookloop", ["hook", "safety", "--profile", "strict"])).toBeUndefined();
  for (const words of [["hook", "sfety"], ["hook"], ["agent", "-p", "x"], ["hook", "safety", "\uFFFF"]])
    expect(doubtAbout("hookloop", words)).toBe("hookloop is known only as `hookloop hook NAME`");
});
