import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { decide } from "./decide.ts";
import { Permissions } from "./permissions.ts";
import { readRules } from "./rules/read-rules.ts";
import type { PermissionCall } from "./types.ts";

const parent = realpathSync(mkdtempSync(join(tmpdir(), "hookloop-root-")));
const root = "proj9";
const project = join(parent, root);
mkdirSync(join(project, "src"), { recursive: true });
const besides = realpathSync(mkdtempSync(join(tmpdir(), "hookloop-besides-")));
const started = process.cwd();
beforeEach(() => process.chdir(parent));
afterEach(() => process.chdir(started));

const source = (deny: readonly string[]) => readRules([{ scope: "code", root, isTrusted: true, permissions: { deny } }]).rules;
const edit = (file_path: string) => ({ tool_name: "Edit", tool_input: { file_path, old_string: "a", new_string: "b" } });
const read = (file_path: string) => ({ tool_name: "Read", tool_input: { file_path } });

test.each<[string, PermissionCall]>([
  ["Read(./.env)", read(join(project, ".env"))],
  ["Read(.env)", read(join(project, ".env"))],
  ["Edit(/src/**)", edit(join(project, "src/a.ts"))],
  ["Edit(/src/**)", edit("src/a.ts")],
])("a relative root belongs to the working directory of the process: %s", (rule, call) => {
  const rules = source([rule]);
  expect(new Permissions({ rules, root }).decide(call).decision).toBe("deny");
  expect(decide(call, rules, { root }).decision).toBe("deny");
  // Only one of them is relative.
  expect(decide(call, rules, { root: project }).decision).toBe("deny");
});

test("a relative root stays where it was when the process goes elsewhere", () => {
  const permissions = new Permissions({ rules: source(["Edit(/src/**)", "Read(./.env)"]), root });
  process.chdir(besides);
  expect(permissions.decide(edit("src/a.ts")).decision).toBe("deny");
  expect(permissions.decide(read(join(project, ".env"))).decision).toBe("deny");
  permissions.update([
    { type: "addRules", rules: [{ toolName: "Read", ruleContent: "/src/**" }], behavior: "deny", destination: "session" },
  ]);
  expect(permissions.decide(read(join(project, "src/a.ts"))).decision).toBe("deny");
});

test("relative folders, a relative home and a relative cwd of the call belong to the root or the process", () => {
  const permissions = new Permissions({ root: project, directories: [relative(project, besides)], mode: "acceptEdits" });
  expect(permissions.decide(edit(join(besides, "a.ts"))).decision).toBe("allow");
  expect(
    decide(edit(join(besides, "a.ts")), source([]), { root, directories: [relative(project, besides)], mode: "acceptEdits" }).decision,
  ).toBe("allow");
  const atHome = new Permissions({ rules: source(["Read(~/.ssh/**)"]), root, home: relative(parent, besides) });
  expect(atHome.decide(read(join(besides, ".ssh/id"))).decision).toBe("deny");
  expect(decide({ ...edit("a.ts"), cwd: "src" }, source(["Edit(/src/**)"]), { root }).decision).toBe("deny");
});

test("plain lists take the root of the permissions that they are used with", () => {
  const { rules } = readRules({ deny: ["Edit(/src/**)"], allow: ["Read(/src/**)"], additionalDirectories: [relative(project, besides)] });
  const permissions = new Permissions({ rules, root: project });
  expect(permissions.decide(edit(join(project, "src/a.ts"))).decision).toBe("deny");
  expect(decide(edit("src/a.ts"), rules, { root }).decision).toBe("deny");
  expect(decide({ tool_name: "Bash", tool_input: { command: "rm -rf src" } }, rules, { root }).decision).toBe("deny");
  expect(permissions.directories).toEqual([besides]);
  expect(decide(edit(join(process.cwd(), "src/a.ts")), rules, { root: project }).decision).toBe("ask");
});
