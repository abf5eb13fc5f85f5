/** What hooks and modes will not do that whoever wrote them believes is said, once in a session. */
import { allow, ask as askUser, deny } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import { Permissions } from "../../packages/hookloop/src/permissions/permissions.ts";
import { bash, openProject } from "../engine/open-project.ts";

const twice = async (run: () => Promise<unknown>): Promise<void> => {
  for (let times = 0; times < 2; times++) await run();
};

describe("a tool_response of another shape", () => {
  test("is said once per tool, with the fields that it lacks, if hooks would read it", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PostToolUse", { tool: "Bash" }, () => undefined);
    await twice(() => hooks.runTool(bash("ls"), () => "a text"));
    expect(project.diagnostics.map(({ code, text }) => [code, text])).toEqual([
      [
        "HL_SELECT_FIELD_MISSING",
        'tool_response of Bash is a text without "stdout", "stderr", "interrupted": PostToolUse hooks that read these fields find nothing, or something else. Give { stdout, stderr, interrupted }.',
      ],
    ]);
  });

  test("that is nothing at all is called undefined", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PostToolUse", { tool: "Bash" }, () => undefined);
    await hooks.runTool(bash("ls"), () => undefined);
    expect(project.diagnostics[0]?.text).toContain("tool_response of Bash is undefined");
  });

  test("is nothing to say where it is right, where the tool is unknown, and where no hook reads it", async () => {
    const project = openProject();
    const hooks = await project.open();
    await hooks.runTool(bash("ls"), () => "a text");
    hooks.on("PostToolUse", {}, () => undefined);
    await hooks.runTool(bash("ls"), () => ({ stdout: "", stderr: "", interrupted: false }));
    await hooks.runTool({ ...bash("ls"), tool_name: "deploy" }, () => "a text");
    expect(project.codes()).toEqual([]);
  });
});

describe("permission_mode", () => {
  const seenBy = async (mode: string | undefined, given: object, common: object = {}): Promise<[unknown[], readonly string[]]> => {
    const project = openProject();
    const hooks = await project.open({ commonInput: common as never });
    const seen: unknown[] = [];
    for (const event of ["PreToolUse", "PostToolUse"] as const)
      hooks.on(event, {}, (input) => void seen.push((input as { permission_mode?: string }).permission_mode));
    const rules = mode === undefined ? undefined : new Permissions({ root: project.cwd, mode: mode as never, canBypass: true });
    const response = { stdout: "", stderr: "", interrupted: false };
    await hooks.runTool({ ...bash("ls"), ...given }, () => response, { rules, ask: () => true });
    return [seen, project.diagnostics.map(({ text }) => text)];
  };

  test.each([{}, { permission_mode: "bypassPermissions" }])("of rules is what hooks see (%j)", async (given) => {
    expect(await seenBy("bypassPermissions", given)).toEqual([["bypassPermissions", "bypassPermissions"], []]);
  });

  test.each([
    ["the call", { permission_mode: "plan" }, {}],
    ["commonInput", {}, { permission_mode: "plan" }],
  ])("of %s that is another than that of rules is said, and does not count", async (_where, given, common) => {
    const [seen, said] = await seenBy("acceptEdits", given, common);
    expect(seen).toEqual(["acceptEdits", "acceptEdits"]);
    expect(said).toEqual([expect.stringContaining('permission_mode is "plan", and the mode of rules is "acceptEdits"')]);
  });

  test.each([
    ["the call", { permission_mode: "plan" }, {}],
    ["commonInput", {}, { permission_mode: "plan" }],
  ])("of %s that nothing keeps to is said", async (_where, given, common) => {
    const [seen, said] = await seenBy(undefined, given, common);
    expect(seen).toEqual(["plan", "plan"]);
    expect(said).toEqual([expect.stringContaining('The mode "plan" in permission_mode is not applied')]);
  });

  test("that is none is said", async () => {
    expect((await seenBy(undefined, { permission_mode: "planning" }))[1]).toEqual([
      expect.stringContaining('permission_mode is "planning", which is not a mode. There are: '),
    ]);
  });
});

test("PermissionRequest hooks that would not be asked are said to be there for nothing", async () => {
  const project = openProject();
  const hooks = await project.open();
  hooks.on("PermissionRequest", {}, () => allow());
  await hooks.runTool(bash("ls"), () => 1, { permission: () => "allow" });
  expect(project.codes()).toEqual([]);
  await twice(() => hooks.runTool(bash("ls"), () => 1));
  expect(project.diagnostics.map(({ code, text }) => [code, text])).toEqual([
    ["HL_PERMISSION_NOT_APPLIED", expect.stringContaining("PermissionRequest hooks are asked when a call needs permission")],
  ]);
});

describe("a tool with a command that is not called Bash", () => {
  test.each(["run", "my_shell", "bash_exec", "exec_shell"])("%s: that guards for Bash are not asked is said once", async (tool_name) => {
    const project = openProject();
    const hooks = await project.open({ tools: [tool_name] });
    hooks.on("PreToolUse", { tool: "Bash", guard: true }, () => deny("no"));
    await twice(() => hooks.runTool({ ...bash("rm x"), tool_name }, () => 1));
    expect(project.diagnostics.map(({ code, text }) => [code, text])).toEqual([
      ["HL_SELECT_SPELLING", expect.stringContaining(`name it in their matchers, too: ["Bash", "${tool_name}"]`)],
    ]);
  });

  test.each(["safety", "workspace-boundary"])("that %s does not judge it is said once", async (name) => {
    const project = openProject();
    const hooks = await project.open({ use: [name] });
    await twice(() => hooks.runTool({ ...bash("rm x"), tool_name: "my_shell" }, () => 1));
    expect(project.diagnostics.map(({ text }) => text)).toEqual([expect.stringContaining(`"${name}" does not judge it`)]);
  });

  test.each<[string, string | readonly string[] | undefined, string]>([
    ["a guard names it, too", ["Bash", "run"], "run"],
    ["no guard is for Bash", "Write", "run"],
    ["a guard is for every tool", undefined, "run"],
    ["it is of an MCP server", "Bash", "mcp__server__run"],
  ])("nothing is said where %s", async (_what, tool, tool_name) => {
    const project = openProject();
    const hooks = await project.open({ tools: ["run"] });
    hooks.on("PreToolUse", { ...(tool !== undefined && { tool }), guard: true } as never, () => undefined);
    await hooks.runTool({ ...bash("ls"), tool_name }, () => 1);
    expect(project.codes()).toEqual([]);
  });
});

describe("messages", () => {
  test("what is thrown at the program has its code as a field", async () => {
    const hooks = await openProject().open();
    const thrown = [
      () => hooks.on("PreTooluse" as never, {}, () => undefined),
      () => hooks.on("PreToolUse", { tol: "Bash" } as never, () => undefined),
      () => hooks.on("PreToolUse", { sequenceMode: "reverse" }, () => undefined),
    ].map((run) => {
      try {
        run();
        return undefined;
      } catch (error) {
        return error as Error & { code: string };
      }
    });
    await expect(openProject().open({ cwdd: "x" } as never)).rejects.toMatchObject({ code: "HL_CONFIG_OPTION_INVALID" });
    await hooks.close();
    expect(() => hooks.on("PreToolUse", {}, () => undefined)).toThrow(expect.objectContaining({ code: "HL_LOOP_CLOSED" }));
    for (const error of thrown) expect(error?.message.startsWith(`${error.code}: `)).toBe(true);
  });

  test("a hook's own words are the reason that ask is given", async () => {
    const hooks = await openProject().open();
    hooks.on("PreToolUse", {}, () => askUser("is the branch right?"));
    const why: unknown[] = [];
    const ask = (_call: unknown, _verdict: unknown, reason: unknown): boolean => why.push(reason) > 0;
    expect((await hooks.runTool(bash("ls"), () => 1, { ask })).status).toBe("ran");
    expect(why).toMatchObject([{ by: { kind: "hook" }, reason: "is the branch right?" }]);
  });

  test("an observer that was interrupted is not said to let the agent continue", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("Notification", {}, () => new Promise(() => {}));
    await hooks.fire("Notification", { message: "m", notification_type: "idle_prompt" }, { signal: AbortSignal.timeout(5) });
    expect(project.diagnostics[0]?.text).toContain("the run was cancelled; its answer is not waited for.");
  });

  test("a question in a message is followed by a sentence", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", {}, () => {
      throw new Error("why?");
    });
    await hooks.fire("PreToolUse", bash("ls"));
    expect(project.diagnostics[0]?.text).toContain('why? The decision is "ask" instead.');
  });
});

describe("a result that hooks cannot see", () => {
  class Hidden {
    readonly #secret = "sk-SECRET";
    reveal(): string {
      return this.#secret;
    }
  }
  const OUTPUTS: readonly (readonly [string, () => unknown])[] = [
    ["a Map", () => new Map([["log", "sk-SECRET"]])],
    ["a Response", () => new Response("sk-SECRET")],
    ["an object of a class", () => new Hidden()],
    [
      "a stream inside of it",
      () => ({
        lines: (async function* () {
          yield "sk-SECRET";
        })(),
      }),
    ],
  ];
  const call = { tool_name: "fetch_log", tool_input: {}, tool_use_id: "1" };

  test.each(OUTPUTS)("%s is withheld where a guard should, and said once where another hook would", async (_what, output) => {
    const project = openProject();
    const hooks = await project.open({ tools: ["fetch_log"] });
    expect((await hooks.runTool(call, output)).status).toBe("ran");
    const off = hooks.on("PostToolUse", ({ tool_response }) => void JSON.stringify(tool_response));
    for (const _ of [1, 2]) expect((await hooks.runTool(call, output)).status).toBe("ran");
    expect(project.codes()).toEqual(["HL_EXECUTE_BAD_INPUT"]);
    off();
    hooks.on("PostToolUse", { guard: true }, ({ tool_response }) => void JSON.stringify(tool_response));
    const result = await hooks.runTool(call, output);
    expect([result.status, "output" in result]).toEqual(["withheld", false]);
  });
});
