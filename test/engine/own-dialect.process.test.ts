import { describe, expect, test } from "vitest";
import { isObject } from "../../packages/hookloop/src/check-options.ts";
import { dialectContract } from "../../packages/hookloop/src/dialects/contract.test-suite.ts";
import { type Dialect, refusalEffects, sanitiseText } from "../../packages/hookloop/src/judge/effects.ts";
import { NO_OUTPUT, type Runner } from "../../packages/hookloop/src/run/types.ts";
import { bash, openProject, type Project } from "./open-project.ts";

/** An agent that does not exist: nothing of it stands in `src`. */
const ACORN: Dialect = {
  name: "acorn",
  files: {
    read: [
      { scope: "user", at: "home", path: ".acorn/rules.json" },
      { scope: "project", at: "project", path: ".acorn/rules.json" },
    ],
  },
  shape: {
    title: "an Acorn file",
    events: { before_tool: "PreToolUse", turn_end: "Stop" },
    tools: ["sh", "peek"],
    topLevel: {},
    sharedWith: "Acorn",
    entries: "nested",
    groupFields: ["matcher", "hooks"],
    kinds: {
      command: {
        command: { type: { kind: "string" }, description: "" },
        timeout: { type: { kind: "number" }, description: "", optional: true },
      },
      spell: { words: { type: { kind: "string" }, description: "" } },
    },
    hasMilliseconds: true,
  },
  defaults: { seconds: () => 5, onFailure: () => "block" },
  quirks: { hasOwnWords: false, sendsWireNames: true, honoursOnce: false, missingHeaderVariable: "failure", projectVariable: "ACORN_ROOT" },
  input: {
    toolName: (tool) => ({ Bash: "sh", Read: "peek" })[tool] ?? tool,
    payload: (event, { tool_name: tool, tool_input: args }) => ({ moment: event === "PreToolUse" ? "before_tool" : event, tool, args }),
    variables: ({ session }) => ({ ACORN_ROOT: session.projectRoot }),
  },
  answer: {
    cannotSay: ["ask", "defer", "approve", "rewriteInput", "rewriteOutput", "rewritePrompt", "context", "tell", "permissionUpdates", "set"],
    read(row, _event, { stdout, exitCode, signal, failure }) {
      if (failure) return { effects: [], failure, diagnostics: [] };
      if (signal !== undefined) return { effects: [], failure: { kind: "signal", text: `ended by ${signal}` }, diagnostics: [] };
      if (exitCode !== 0) return { effects: [], failure: { kind: "exit", text: `exit code ${exitCode}` }, diagnostics: [] };
      const verdict = verdictIn(stdout);
      return { effects: verdict === undefined ? [] : refusalEffects(row, sanitiseText(verdict)), diagnostics: [] };
    },
  },
};

function verdictIn(stdout: string): string | undefined {
  try {
    const value: unknown = JSON.parse(stdout);
    return isObject(value) && value["verdict"] === "stop" ? String(value["because"]) : undefined;
  } catch {
    // Not an answer: this agent takes anything else for a yes.
    return undefined;
  }
}

dialectContract(ACORN, [
  { event: "PreToolUse", exitCode: 0, means: [] },
  { event: "PreToolUse", exitCode: 2, means: "failure" },
]);

const STOP = `echo '{"verdict":"stop","because":"not here"}'`;
const acorn = (entry: object, event = "before_tool", matcher = "sh"): object => ({ hooks: { [event]: [{ matcher, hooks: [entry] }] } });
const withFile = (content: unknown, file = "project/.acorn/rules.json"): Project => {
  const project = openProject();
  project.write(file, content);
  return project;
};
const ports = { dialects: [ACORN] };

describe("a dialect that the program passes in", () => {
  test.each(["project/.acorn/rules.json", "home/.acorn/rules.json"])("%s is read, its hook runs, its answer blocks", async (file) => {
    const project = withFile(acorn({ type: "command", command: `cat > "$ACORN_ROOT/seen"; ${STOP}` }), file);
    const hooks = await project.open({ ports });
    const result = await hooks.runTool(bash("ls"), () => "ran");
    expect([result.status, result.error]).toEqual(["denied", "PreToolUse:Bash hook error: not here"]);
    expect(JSON.parse(project.read("seen") ?? "")).toMatchObject({ moment: "before_tool", tool: "Bash", args: { command: "ls" } });
    expect(project.codes()).toEqual([]);
  });

  test("is compared by its own names of tools", async () => {
    const hooks = await withFile(acorn({ type: "command", command: STOP }, "before_tool", "peek")).open({ ports });
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("none");
    expect((await hooks.fire("PreToolUse", { tool_name: "Read", tool_input: { file_path: "/a" } })).decision).toBe("deny");
  });

  test("has its own defaults: a hook that fails blocks, and a limit counts milliseconds", async () => {
    const project = withFile(acorn({ type: "command", command: "sleep 20", timeout: 300 }));
    const verdict = await (await project.open({ ports })).fire("PreToolUse", bash("ls"));
    expect([verdict.decision, project.codes()]).toEqual(["deny", ["HL_EXECUTE_TIMEOUT"]]);
  });

  test("its mistakes are told in its own words", async () => {
    const project = withFile({ hooks: { beforetool: [], PreToolUse: [] } });
    await project.open({ ports });
    expect(project.diagnostics.map(({ text }) => text)).toEqual([
      '"beforetool" is not an event. Did you mean "before_tool"? Its hooks are left out.',
      '"PreToolUse" is not an event of an Acorn file, only "before_tool" or "turn_end". Its hooks are left out; use .hookloop/hooks.json.',
    ]);
  });

  test("a script is found by its own variable, and pinned", async () => {
    const project = withFile(acorn({ type: "command", command: 'sh "$ACORN_ROOT"/guard.sh' }));
    project.write("project/guard.sh", STOP);
    const hooks = await project.open({ ports, trust: "store" });
    expect(hooks.trust.statuses[0]?.pins?.record.files).toMatchObject([{ path: "guard.sh" }]);
    const missing = withFile(acorn({ type: "command", command: 'sh "$ACORN_ROOT"/none.sh' }));
    await missing.open({ ports });
    expect(missing.codes()).toEqual(["HL_CONFIG_SCRIPT_MISSING"]);
  });

  test("is not read unless it is passed in", async () => {
    const project = withFile(acorn({ type: "command", command: STOP }));
    expect((await (await project.open()).fire("PreToolUse", bash("ls"))).decision).toBe("none");
  });

  test("the agent's own tools leave its file alone, there or not", async () => {
    const project = openProject();
    const file_path = project.path(".acorn/rules.json");
    const write = { tool_name: "Write", tool_use_id: "t1", tool_input: { file_path, content: "{}" } };
    expect((await (await project.open()).runTool(write, () => "ran")).status).toBe("ran");
    expect((await (await project.open({ ports })).runTool(write, () => "ran")).status).toBe("denied");
  });

  test.each([
    ["one of a name that is taken", [{ ...ACORN, name: "claude" }], 'a second "claude"'],
    ["the same twice", [ACORN, ACORN], 'a second "acorn"'],
    ["half of one", [{ name: "half" }], "must be a list of objects with files, shape"],
  ])("%s is refused", async (_what, dialects, text) => {
    await expect(openProject().open({ ports: { dialects: dialects as readonly Dialect[] } })).rejects.toThrow(text);
  });
});

describe("a kind of hook that the program passes in", () => {
  const spell: Runner = async ({ hook }, { payload }) => {
    const { words } = "fields" in hook.target ? hook.target.fields : {};
    const { args } = JSON.parse(payload().toString()) as { readonly args: { readonly command: string } };
    const verdict = args.command.includes(String(words)) ? { verdict: "stop", because: "the spell knows it" } : {};
    return { ...NO_OUTPUT, hook, exitCode: 0, stdout: JSON.stringify(verdict) };
  };

  test("runs for the type that its dialect declares", async () => {
    const project = withFile(acorn({ type: "spell", words: "rm" }));
    const hooks = await project.open({ ports: { ...ports, runners: { spell } } });
    const said = await Promise.all(["ls", "rm -r x"].map(async (command) => (await hooks.fire("PreToolUse", bash(command))).decision));
    expect([said, project.codes()]).toEqual([["none", "deny"], []]);
  });

  test("without a runner it fails in its direction", async () => {
    const project = withFile(acorn({ type: "spell", words: "rm" }));
    expect((await (await project.open({ ports })).fire("PreToolUse", bash("ls"))).decision).toBe("deny");
  });

  test("of a type that no dialect declares, a runner is refused", async () => {
    await expect(openProject().open({ ports: { runners: { spell } } })).rejects.toThrow('ports.runners has no option "spell"');
  });
});
