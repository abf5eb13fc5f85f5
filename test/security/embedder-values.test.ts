/** Values that hold nothing under the names that are looked for: read as options or rules, they would be empty ones. */
import path from "node:path";
import { deny, hook } from "@hookloop/sdk";
import { hostHooks } from "@hookloop/sdk/host";
import { describe, expect, test, vi } from "vitest";
import { readRules } from "../../packages/hookloop/src/permissions/rules/read-rules.ts";
import { tracePath } from "../../packages/hookloop/src/trace/append-file.ts";
import { createTraceWriter } from "../../packages/hookloop/src/trace/trace-writer.ts";
import { bash, openProject } from "../engine/open-project.ts";

hostHooks();

class Settings {
  get permissions(): object {
    return { deny: ["Bash"] };
  }
}

const HOLDERS: readonly (readonly [string, () => unknown, string])[] = [
  ["a promise", () => Promise.resolve({}), "a promise"],
  ["a Map", () => new Map(), "an object of the class Map"],
  ["a Set", () => new Set(), "an object of the class Set"],
  ["bytes", () => Buffer.from("{}"), "an object of the class Buffer"],
];

describe.each([...HOLDERS, ["an object of a class", () => new Settings(), "an object of the class Settings"] as const])(
  "%s",
  (_what, make, text) => {
    test.each(["settings", "commonInput", "pluginOptions"])("as %s of openHooks is rejected", async (name) => {
      await expect(openProject().open({ [name]: make() })).rejects.toThrow(
        `HL_CONFIG_OPTION_INVALID: ${name} of openHooks() is ${text}. Write`,
      );
    });

    test("as permissions of a rule source is thrown", () => {
      const source = { scope: "code", root: "/", isTrusted: true, permissions: make() };
      expect(() => readRules([source as never])).toThrow(`permissions of a rule source is ${text}. Write a plain object`);
    });
  },
);

describe.each(HOLDERS)("%s", (_what, make, text) => {
  test.each(["trust", "ports"])("as %s of openHooks is rejected", async (name) => {
    const project = openProject();
    const { openHooks } = await import("../../packages/hookloop/src/open.ts");
    await expect(openHooks({ cwd: project.cwd, [name]: make() })).rejects.toThrow(`${name} of openHooks() is ${text}. Write`);
  });

  test("as options of hooks.on is thrown, and as those of fire said", async () => {
    const project = openProject();
    const hooks = await project.open();
    expect(() => hooks.on("PreToolUse", make() as never, () => deny("no"))).toThrow(`the options are ${text}. Write a plain object`);
    await hooks.fire("PreToolUse", bash("ls"), make() as never);
    expect(project.diagnostics.map(({ text: said }) => said)).toEqual([`the options of fire() are ${text}. Write an object`]);
  });

  test("as sources of rules is thrown", () => {
    expect(() => readRules(make() as never)).toThrow(`readRules() takes a list of sources, not ${text}.`);
    expect(() => readRules([make() as never])).toThrow("HL_CONFIG_OPTION_INVALID: a rule source has no ");
  });
});

describe("an event that is no text", () => {
  const definition = hook("PreToolUse", { tool: "Bash" }, () => deny("no"));

  test.each<[string, unknown, string]>([
    ["a list of one event", ["PreToolUse"], "not a list. Call it once for each event"],
    ["a text object", new String("PreToolUse"), "not an object of the class String"],
    ["a list of definitions", [definition], "not a list. Register each definition: for (const definition of"],
    ["a module", { definition }, "not an object. Register each definition: for (const definition of"],
    ["nothing", undefined, 'not undefined. Write hooks.on("PreToolUse", options, handler)'],
  ])("%s: hooks.on throws, hooks.has says so, and fire counts as a denial", async (_what, event, text) => {
    const project = openProject();
    const hooks = await project.open();
    expect(() => hooks.on(event as never, {}, (() => deny("no")) as never)).toThrow(
      `HL_CONFIG_UNKNOWN_EVENT: hooks.on() takes the name of one event first, ${text}`,
    );
    expect(hooks.has(event as never)).toBe(false);
    expect((await hooks.fire(event as never, bash("ls"))).decision).toBe("deny");
    expect(project.codes()).toEqual(["HL_CONFIG_UNKNOWN_EVENT", "HL_CONFIG_UNKNOWN_EVENT"]);
  });
});

describe("hooks.attach", () => {
  const head = (text: string): object => ({ text, file: "/skill/SKILL.md" });
  const hooksText = "hooks:\n  PreToolUse:\n    - hooks: [{type: command, command: exit 2}]\n";

  test.each<[string, unknown, string]>([
    ["another name", { txt: "---\n---", file: "/s" }, 'attach() has no option "txt". Did you mean "text"?'],
    ["no file", { text: "---\n---" }, "file of attach() is missing. Write hooks.attach({ text, file })"],
    ["a text", "---\n---", 'attach() was given "---\\n---"'],
    ["a promise", Promise.resolve(), "attach() was given a promise"],
  ])("with %s rejects", async (_what, given, text) => {
    const hooks = await openProject().open();
    await expect(hooks.attach(given as never)).rejects.toThrow(text);
  });

  test.each([`name: x\n${hooksText}`, `\n---\n${hooksText}---\n`])("says that hooks stand outside of a head: %j", async (text) => {
    const project = openProject();
    const hooks = await project.open();
    await hooks.attach(head(text) as never);
    expect(project.codes()).toEqual(["HL_CONFIG_INVALID_YAML"]);
    expect(project.diagnostics[0]?.text).toContain('There is "hooks:", but the first line is not ---');
  });

  test("says nothing about a page that has none", async () => {
    const project = openProject();
    const hooks = await project.open();
    await hooks.attach(head("# Skill\n\nhooks: none\n") as never);
    expect(project.codes()).toEqual([]);
  });
});

describe("a trace", () => {
  test("that cannot be written is said on stderr without a listener", () => {
    const project = openProject();
    const print = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const writer = createTraceWriter({ file: path.join(project.write("file", "x"), "trace.jsonl") });
    for (let times = 0; times < 2; times++)
      writer.write({ v: 2, seq: 1, t: 0, mono: 0, session: "s", type: "considered", event: "Stop", hooks: [], names: [] });
    const said = print.mock.calls.map(([text]) => String(text));
    print.mockRestore();
    expect(said).toEqual([expect.stringContaining("HL_TRACE_WRITE_FAILED: The trace cannot be written")]);
  });

  test.each<[unknown, string]>([
    [{}, "env of tracePath() is missing. Write tracePath({ env: process.env, projectRoot: cwd, session: sessionId })"],
    [{ env: {}, projectRoot: "/x" }, "session of tracePath() is missing"],
    [{ env: {}, cwd: "/x", session: "s" }, 'tracePath() has no option "cwd"'],
    ["/x", 'tracePath() takes an object, not "/x"'],
  ])("whose path is asked for with %j is a named error", (given, text) => {
    expect(() => tracePath(given as never)).toThrow(`HL_CONFIG_OPTION_INVALID: ${text}`);
  });
});

test.each([
  ["a RegExp", /^Write$/, "/^Write$/"],
  ["a Date", new Date(0), "an object"],
  ["a URL", new URL("https://example.com"), "an object"],
  ["an AbortController", new AbortController(), "an object"],
  ["an Error", new Error("x"), "an object"],
  ["inherited options", Object.create({ tool: "Write", guard: true }) as object, "an object"],
])("%s in the place of the options of hooks.on is no empty set of options", async (_what, options, text) => {
  const hooks = await openProject().open();
  expect(() => hooks.on("PreToolUse", options as never, () => deny("no"))).toThrow(
    `hooks.on("PreToolUse"): the options are ${text}. Write an object, as in { tool: "…", guard: true }`,
  );
});
