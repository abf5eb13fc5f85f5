import { describe, expect, test } from "vitest";
import { bash, hooksFor, openProject } from "./open-project.ts";

/** One good guard and ten different mistakes. */
const TEN_MISTAKES = `{
  // JSON with comments is accepted.
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "echo guarded >&2; exit 2" }] },
      { "matcher": "bash", "hooks": [{ "type": "command", "command": "echo a" }] },
      { "matcher": "(unclosed", "hooks": [{ "type": "command", "command": "echo b" }] },
      { "matcher": "Write", "hooks": [{ "type": "comand", "command": "echo c" }] },
      { "matcher": "Write", "hooks": [{ "type": "command", "command": "" }] },
      { "matcher": "Write", "hooks": [{ "type": "command", "command": "echo d", "timeout": 60000 }] },
      { "matcher": "Write", "hooks": [{ "type": "command", "command": 5 }] },
      { "matcher": "Write", "hooks": [{ "type": "command" }] },
      { "matcher": "Write", "hooks": [{ "type": "command", "command": "/no/such/script.sh" }] },
    ],
    "PreTooluse": [{ "hooks": [{ "type": "command", "command": "echo e" }] }],
    "SessionStart": [{ "hooks": [{ "type": "prompt", "prompt": "hello" }] }],
  },
}
`;

describe("a settings file with ten different mistakes", () => {
  test("gives ten diagnostics with line and column, and the one good guard still blocks", async () => {
    const project = openProject({ project: TEN_MISTAKES });
    const hooks = await project.open();
    const wrong = hooks.diagnostics.filter(({ code }) => code !== "HL_CONFIG_CLAUDE_WOULD_DROP_FILE");
    const byLine = wrong.toSorted((a, b) => (a.place?.line ?? 0) - (b.place?.line ?? 0));
    expect(byLine.map(({ code, place }) => `${code} ${place?.line}:${place?.column}`)).toEqual([
      "HL_CONFIG_MATCHER_NEVER 6:20",
      "HL_CONFIG_BAD_REGEX 7:20",
      "HL_CONFIG_UNKNOWN_KIND 8:49",
      "HL_CONFIG_EMPTY_COMMAND 9:71",
      "HL_CONFIG_TIMEOUT_SUSPICIOUS 10:92",
      "HL_CONFIG_WRONG_TYPE 11:71",
      "HL_CONFIG_MISSING_FIELD 12:39",
      "HL_CONFIG_SCRIPT_MISSING 13:39",
      "HL_CONFIG_UNKNOWN_EVENT 15:5",
      "HL_CONFIG_KIND_NOT_ALLOWED 16:44",
    ]);
    expect(wrong.every(({ place }) => place?.file === project.path(".claude/settings.json"))).toBe(true);
    const verdict = await hooks.fire("PreToolUse", bash("ls"));
    expect([verdict.decision, verdict.reasons[0]?.text]).toEqual(["deny", "guarded"]);
  });

  test("what is on stderr without a listener names file, line and column", async () => {
    const project = openProject({ project: hooksFor("PreTooluse", "true") });
    const lines: string[] = [];
    const write = process.stderr.write.bind(process.stderr);
    process.stderr.write = ((text: string) => lines.push(text) > 0) as typeof process.stderr.write;
    try {
      await project.open({ onDiagnostic: undefined as never });
    } finally {
      process.stderr.write = write;
    }
    expect(lines.join("")).toMatch(/^HL_CONFIG_UNKNOWN_EVENT: .*PreToolUse.*settings\.json:1:\d+\)\n$/);
  });

  test("a file that is no JSON at all disables no other file", async () => {
    const project = openProject({ project: "{ nonsense", user: hooksFor("PreToolUse", "exit 2") });
    const hooks = await project.open();
    expect(project.codes()).toContain("HL_CONFIG_INVALID_JSON");
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
  });
});

describe("use", () => {
  const sudo = bash("sudo rm -rf /");
  test.each(["project", "user"] as const)("of a %s file switches a shipped hook on, once, and HOOKLOOP_DISABLE off", async (scope) => {
    const project = openProject();
    const file = scope === "project" ? "project/.hookloop/hooks.json" : "home/.config/hookloop/hooks.json";
    project.write(file, JSON.stringify({ use: ["safety", "safety"] }));
    const hooks = await project.open({ use: ["safety"] });
    expect(hooks.admitted.map(({ name }) => name)).toEqual(["safety"]);
    expect((await hooks.fire("PreToolUse", sudo)).decision).not.toBe("none");
    const off = await project.open({ ports: { env: { HOOKLOOP_DISABLE: "safety" } } });
    expect((await off.fire("PreToolUse", sudo)).decision).toBe("none");
  });

  test("options of one file never replace those of another: each set of a guard runs, the strictest counts", async () => {
    const project = openProject();
    project.write("home/.config/hookloop/hooks.json", JSON.stringify({ use: [{ name: "safety", profile: "strict" }] }));
    project.write("project/.hookloop/hooks.json", JSON.stringify({ use: [{ name: "safety", profile: "standard" }] }));
    const standard = await openProject().open({ use: ["safety"] });
    const both = await project.open();
    const asked = bash("rm notes.txt");
    expect((await standard.fire("PreToolUse", asked)).decision).toBe("none");
    expect((await both.fire("PreToolUse", asked)).decision).toBe("ask");
  });

  test.each([
    [["saftey"], 'Did you mean "safety"?'],
    [[{ name: "safety", profil: "strict" }], 'has no option "profil". Did you mean "profile"?'],
    [[{ name: "safety", profile: "lax" }], "profile of"],
    [["nothing-like-it"], "There are: safety, workspace-boundary"],
    ["safety", "Write a list"],
    [[{}], "does not come with hookloop"],
  ])("of the program must name what there is: %j", async (use, text) => {
    await expect(openProject().open({ use: use as never })).rejects.toThrow(text);
  });
});
