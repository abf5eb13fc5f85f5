/** What hooks judge is what runs: whatever a program hands over, each hook and the tool get the same data, or the call is blocked and it is said. */
import { deny } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import { bash, openProject } from "../engine/open-project.ts";

describe("a call whose own code runs when it is read", () => {
  const throwing = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error("boom");
      },
      get: () => {
        throw new Error("boom");
      },
      getPrototypeOf: () => {
        throw new Error("boom");
      },
    },
  );

  test.each([
    ["its input is a Proxy that throws", { ...bash("ls"), tool_input: throwing }],
    ["it is one itself", throwing],
    [
      "its name is a getter that throws",
      Object.defineProperty(bash("ls"), "tool_name", {
        enumerable: true,
        get: () => {
          throw new Error("boom");
        },
      }),
    ],
  ])("%s: runTool denies and says so, it does not throw", async (_what, call) => {
    const project = openProject();
    const hooks = await project.open();
    const result = await hooks.runTool(call as never, () => "ran");
    expect(result.status).toBe("denied");
    expect(project.diagnostics).toMatchObject([{ code: "HL_EXECUTE_BAD_INPUT", level: "error" }]);
  });

  test.each([["Bash"], ["Read"]])("a name that is %s when it is read first is that for every hook and the tool", async (first) => {
    for (const command of [true, false]) {
      const project = openProject(
        command ? { native: { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "exit 2" }] }] } } } : {},
      );
      const hooks = await project.open();
      if (!command) hooks.on("PreToolUse", { tool: "Bash", guard: true }, () => deny("no"));
      let reads = 0;
      const call = Object.defineProperty(bash("ls"), "tool_name", {
        enumerable: true,
        get: () => (reads++ === 0 ? first : first === "Bash" ? "Read" : "Bash"),
      });
      const { status } = await hooks.runTool(call as never, () => "ran");
      expect([reads, status]).toEqual([1, first === "Bash" ? "denied" : "ran"]);
    }
  });
});

describe("what one function does to its payload", () => {
  const NESTED = { ...bash("git push --force"), tool_input: { command: "git push --force", edits: [{ x: "secret" }] } };
  class Input {
    command = "git push --force";
  }
  const guard = ({ tool_input }: { readonly tool_input: object }): ReturnType<typeof deny> | undefined =>
    /push|secret/.test(JSON.stringify(tool_input)) ? deny("no") : undefined;
  const CHANGES: readonly (readonly [string, (input: { tool_input: Record<string, unknown> }) => unknown])[] = [
    ["assigns a field", (input) => void Reflect.set(input.tool_input, "command", "ls")],
    ["replaces the input", (input) => void Reflect.set(input, "tool_input", { command: "ls" })],
    ["deletes a field", (input) => void delete input.tool_input["command"]],
    ["changes a deep one", (input) => void Reflect.set((input.tool_input["edits"] as object[] | undefined)?.[0] ?? {}, "x", "y")],
    ["empties a list", (input) => void (input.tool_input["edits"] as object[] | undefined)?.splice(0)],
    [
      "does so later",
      async (input) => {
        await Promise.resolve();
        input.tool_input["command"] = "ls";
      },
    ],
  ];
  for (const [way, options] of [
    ["the fast path", undefined],
    ["the long way", { timeoutMs: 60_000 }],
  ] as const)
    test.each(CHANGES)(`%s: no guard behind it sees it, on ${way}`, async (_what, change) => {
      for (const tool_input of [NESTED.tool_input, new Input()]) {
        const hooks = await openProject().open();
        hooks.on("PreToolUse", { name: "normalise" }, change as never);
        hooks.on("PreToolUse", { name: "guard", guard: true }, guard as never);
        const before = JSON.stringify(tool_input);
        expect((await hooks.fire("PreToolUse", { ...NESTED, tool_input }, options)).decision).toBe("deny");
        expect(JSON.stringify(tool_input)).toBe(before);
      }
    });

  test.each(CHANGES)("%s: the tool gets what was judged", async (_what, change) => {
    const hooks = await openProject().open();
    hooks.on("PreToolUse", {}, change as never);
    const ran = await hooks.runTool(NESTED, (input) => input);
    expect(ran.output).toEqual(NESTED.tool_input);
  });

  test("what the caller, permission and ask do to the call while it is judged does not reach the tool", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", { guard: true }, async ({ tool_input }) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return guard({ tool_input });
    });
    const call = bash("ls");
    const running = hooks.runTool(call, (input) => input);
    call.tool_input.command = "git push";
    expect((await running).output).toEqual({ command: "ls" });
    const change = (given: { tool_input: object }): boolean => !Reflect.set(given.tool_input, "command", "git push");
    const asked = await hooks.runTool(bash("ls"), (input) => input, {
      permission: (given) => (change(given) ? "ask" : "deny"),
      ask: change,
    });
    expect(asked.output).toEqual({ command: "ls" });
  });

  describe("what is in the input, and cannot be frozen or is more than data", () => {
    class Query {
      text = "ok";
      get hidden(): string {
        return "FORBID";
      }
      run(): string {
        return "FORBID";
      }
    }
    class List extends Array<string> {
      get hidden(): string {
        return "FORBID";
      }
    }
    const change = (value: unknown): void => {
      if (value instanceof Uint8Array) value.set([70, 79]);
      else if (value instanceof DataView) value.setUint8(0, 70);
      else if (value instanceof Date) value.setFullYear(1999);
      else if (value instanceof URL) value.pathname = "/forbid";
      else Reflect.set(value as object, "text", "FORBID");
    };
    const shared = (): Uint8Array => new Uint8Array(new SharedArrayBuffer(4));
    const CASES: readonly (readonly [string, () => object])[] = [
      ["a Buffer", () => Buffer.from("ok")],
      ["bytes", () => new Uint8Array([1, 2])],
      ["bytes that threads share", shared],
      ["a view of bytes", () => new DataView(new ArrayBuffer(4))],
      ["a date", () => new Date(0)],
      ["an address", () => new URL("https://example.com/ok")],
      ["an object of a class", () => new Query()],
      ["an object with a prototype of its own", () => Object.assign(Object.create({ a: 1 }) as object, { text: "ok" })],
    ];

    test.each(CASES)("%s: what the caller, a hook and permission do to it does not reach the tool", async (_name, make) => {
      for (const who of ["caller", "hook", "permission"] as const) {
        const hooks = await openProject().open();
        const value = make();
        hooks.on("PreToolUse", async ({ tool_input }) => {
          if (who === "hook") change((tool_input as unknown as { more: unknown }).more);
          await new Promise((resolve) => setTimeout(resolve, 1));
        });
        const call = { ...bash("ls"), tool_input: { command: "ls", more: value } };
        const permission = ({ tool_input }: { tool_input: unknown }): "allow" => {
          if (who === "permission") change((tool_input as { more: unknown }).more);
          return "allow";
        };
        const running = hooks.runTool(call, (input) => input, { permission: permission as never });
        if (who === "caller") change(value);
        expect([who, JSON.stringify((await running).output)]).toEqual([who, JSON.stringify({ command: "ls", more: make() })]);
      }
    });

    test("nothing that is inherited, or kept under a symbol, reaches the tool", async () => {
      const hooks = await openProject().open();
      const key = Symbol("args");
      const list = new List();
      list.push("ok");
      const tool_input = { command: "ls", more: new Query(), list, [key]: "FORBID", deep: { [key]: "FORBID" } };
      const { output } = await hooks.runTool({ ...bash("ls"), tool_input }, (input) => input, {
        permission: () => "allow",
      });
      expect(output).toStrictEqual({ command: "ls", more: { text: "ok" }, list: ["ok"], deep: {} });
      const { more, list: copy, deep, [key]: args } = output as unknown as typeof tool_input;
      expect([more.hidden, copy.hidden, args, deep[key]]).toEqual([undefined, undefined, undefined, undefined]);
    });

    test.each([new Map([["a", 1]]), new Set([1]), Promise.resolve(1), new (class Empty {})(), /x/, new Error("x")])(
      "a call with %o in its input does not run: programs would be told that there is nothing",
      async (more) => {
        const project = openProject();
        const hooks = await project.open();
        const tool_input = { command: "ls", list: [{ more }] };
        const { status } = await hooks.runTool({ ...bash("ls"), tool_input }, () => "ran", { permission: () => "allow" });
        expect(status).toBe("denied");
        expect(project.diagnostics.at(-1)?.text).toMatch(/object of the class \w+/);
      },
    );
  });

  test.each([
    ["of the input", { command: "rm x", toJSON: () => ({ command: "ls" }) }],
    ["of a part of it", { command: "rm x", more: { a: "rm x", toJSON: () => "ls" } }],
    [
      "of a class in it",
      {
        command: "rm x",
        more: new (class {
          a = "rm x";
          toJSON(): string {
            return "ls";
          }
        })(),
      },
    ],
  ])("a toJSON %s is not called, and no hook gets it: programs judge what runs", async (_where, tool_input) => {
    let told = "";
    const command = async ({ hook }: { hook: object }, input: { payload: () => Buffer }): Promise<object> => {
      told = input.payload().toString();
      return { hook, durationMs: 0, stdout: "", stderr: "", exitCode: 0, isTruncated: false, pipesHeld: false, isBinary: false };
    };
    const settings = { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "judge" }] }] } };
    const hooks = await openProject().open({ settings, ports: { runners: { command: command as never } } });
    const result = await hooks.runTool({ ...bash(""), tool_input, toJSON: () => ({}) } as never, (input) => input);
    expect(JSON.parse(told)["tool_input"]).toEqual(result.output);
    expect(told).not.toContain("ls");
    expect(JSON.stringify(result.output)).toContain("rm x");
    await hooks.fire("PreToolUse", { ...bash(""), tool_input, toJSON: () => ({}) } as never);
    expect(told).toContain('"command":"rm x"');
    expect(told).not.toContain("ls");
  });

  test("a getter is read once, so that hooks and tool get the same", async () => {
    const hooks = await openProject().open();
    let reads = 0;
    const tool_input = {
      get command() {
        return reads++ === 0 ? "ls" : "git push";
      },
    };
    hooks.on("PreToolUse", { guard: true }, guard as never);
    expect((await hooks.runTool({ ...bash(""), tool_input }, (input) => input)).output).toEqual({ command: "ls" });
  });
});

describe("a guard that is not given what it judges fails, and blocks", () => {
  const silent = (): undefined => undefined;
  const WAYS = [
    ["the fast path", undefined],
    ["the long way", { timeoutMs: 60_000 }],
  ] as const;
  for (const [way, options] of WAYS)
    test.each([
      ["PreToolUse", { ...bash(""), tool_input: "git push --force" }, '"tool_input" is a text, not an object'],
      ["PreToolUse", { ...bash(""), tool_input: ["git", "push"] }, '"tool_input" is a list, not an object'],
      ["PreToolUse", { ...bash(""), tool_input: null }, '"tool_input" is null, not an object'],
      ["PreToolUse", { ...bash(""), tool_input: { cmd: "git push" } }, 'tool_input of Bash has no text "command", but "cmd"'],
      ["PreToolUse", { ...bash(""), tool_input: { command: ["git", "push"] } }, 'tool_input of Bash has no text "command"'],
      ["PreToolUse", { ...bash(""), tool_name: "bash", tool_input: { cmd: "git push" } }, 'tool_input of bash has no text "command"'],
      ["PreToolUse", { tool_input: { command: "x" }, toolName: "Bash" }, 'there is no "tool_name"'],
      ["PermissionRequest", { tool_name: "Bash", tool_input: {} }, 'tool_input of Bash has no text "command"'],
      ["UserPromptSubmit", { prompt: { text: "secret" } }, '"prompt" is an object, not a text'],
      ["UserPromptSubmit", { promt: "secret" }, 'there is no "prompt"'],
      ["UserPromptSubmit", { prompt: ["secret"] }, '"prompt" is a list, not a text'],
    ] as const)(`%s %j, on ${way}`, async (event, input, text) => {
      const project = openProject();
      const hooks = await project.open();
      let others = 0;
      hooks.on(event, { name: "other" }, () => void others++);
      hooks.on(event, { ...("tool_name" in input && { tool: "Bash" }), guard: true, name: "g" } as never, silent);
      const verdict = await hooks.fire(event, input as never, options);
      expect([verdict.decision, verdict.reasons[0]?.text, others]).toEqual(["deny", "The guard g did not get the input it checks.", 1]);
      expect(project.diagnostics.map((one) => one.text).join("\n")).toContain(text);
    });

  test("calls of unknown tools run, and so do hooks that are no guards, and is reported", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", { guard: true }, silent);
    hooks.on("PreToolUse", { tool: "Bash" }, silent);
    hooks.on("PreToolUse", { tool: /^Bash$/, guard: true }, silent);
    for (const call of [
      { ...bash(""), tool_name: "Deploy", tool_input: { stage: "live" } },
      { ...bash(""), tool_input: { cmd: "ls" } },
    ])
      expect((await hooks.runTool(call, () => 1)).status).toBe("ran");
    expect(project.diagnostics.map(({ code, level }) => [code, level])).toEqual([["HL_SELECT_FIELD_MISSING", "warning"]]);
  });

  class Getter {
    get command(): string {
      return "rm x";
    }
  }
  const hidden = Object.defineProperty({}, "command", { value: "rm x", enumerable: false });
  for (const [way, options] of WAYS)
    test.each([
      Object.create({ command: "rm x" }),
      new Getter(),
      hidden,
      new Map([["command", "rm x"]]),
      Promise.resolve({ command: "rm x" }),
    ])(`what is not in the copy that it judges is not there: %o, on ${way}`, async (tool_input) => {
      const project = openProject();
      const hooks = await project.open();
      hooks.on("PreToolUse", { tool: "Bash", guard: true }, (({ tool_input: given }: { tool_input: { command?: string } }) =>
        given.command === "rm x" ? deny("no") : undefined) as never);
      expect((await hooks.fire("PreToolUse", { ...bash(""), tool_input }, options)).decision).toBe("deny");
      expect(project.codes()).toContain("HL_SELECT_FIELD_MISSING");
    });

  test("a whole payload that is inherited is not there either", async () => {
    const hooks = await openProject().open();
    hooks.on("PreToolUse", { guard: true }, silent);
    expect((await hooks.fire("PreToolUse", Object.create(bash("rm x")))).decision).toBe("deny");
  });

  test.each([new Map([["a", 1]]), new Set([1]), new Date(), Promise.resolve({})])(
    "a guard that names no tool is not given %o for an input",
    async (tool_input) => {
      const hooks = await openProject().open();
      hooks.on("PreToolUse", { guard: true }, silent);
      for (const options of [undefined, { timeoutMs: 60_000 }])
        expect((await hooks.fire("PreToolUse", { ...bash(""), tool_name: "Deploy", tool_input }, options)).decision).toBe("deny");
    },
  );

  test.each([
    [
      "PreToolUse",
      { ...bash(""), tool_input: '{"command":"rm"}' },
      'with a "tool_input" that is a text, not an object. If it is JSON, parse',
    ],
    ["PreToolUse", { ...bash(""), tool_input: null }, 'with a "tool_input" that is null, not an object'],
    ["PreToolUse", { ...bash(""), tool_input: new Map() }, 'with a "tool_input" that is an object of the class Map, not an object'],
    ["UserPromptSubmit", { prompt: [{ type: "text" }] }, 'with a "prompt" that is a list, not a text'],
    ["UserPromptSubmit", { prompt: 5 }, 'with a "prompt" that is a number, not a text'],
  ] as const)("%s %j is said also to hooks that are no guards, also after a call that was right", async (event, input, text) => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on(event, {}, silent);
    await hooks.fire(event, event === "PreToolUse" ? bash("ls") : { prompt: "p" });
    expect(project.codes()).toEqual([]);
    for (let times = 0; times < 2; times++) await hooks.fire(event, input as never);
    expect(project.diagnostics.map(({ code, text: said }) => [code, said])).toEqual([
      ["HL_SELECT_FIELD_MISSING", expect.stringContaining(text)],
    ]);
  });

  test.each([
    [Promise.resolve({ command: "x" }), "an object of the class Promise, not a plain object. Await it first"],
    [new Map(), "an object of the class Map, not a plain object"],
    [new Set(), "an object of the class Set"],
    [new Date(), "an object of the class Date"],
    [new URLSearchParams("command=x"), "an object of the class URLSearchParams"],
    [new Getter(), "an object of the class Getter"],
    [Object.create({ command: "rm x" }), "an object, not a plain object"],
  ])("runTool with %o as input is not run", async (tool_input, text) => {
    const project = openProject();
    let hasRun = false;
    const result = await (await project.open()).runTool({ ...bash(""), tool_input } as never, () => (hasRun = true));
    expect([hasRun, result.status, project.diagnostics[0]?.text]).toEqual([false, "denied", expect.stringContaining(text)]);
  });

  test.each([
    [{ ...bash(""), tool_input: "git push" }, 'with a "tool_input" that is "git push", not an object. If it is JSON, parse it first'],
    [{ tool_name: "Bash", input: { command: "x" }, tool_use_id: "1" }, 'without "tool_input": it has "input"'],
    [{ name: "Bash", arguments: {}, id: "1" }, 'without "tool_name": it has "name", and without "tool_input": it has "arguments"'],
  ])("runTool(%j) says what is there instead", async (call, text) => {
    const project = openProject();
    const result = await (await project.open()).runTool(call as never, () => 1);
    expect([result.status, project.diagnostics[0]?.text]).toEqual(["denied", expect.stringContaining(text)]);
  });
});

describe("a tool_input of another shape, for hooks that are no guards", () => {
  const called = (tool_name: string, tool_input: object): ReturnType<typeof bash> => ({ ...bash("ls"), tool_name, tool_input }) as never;

  test("is said once per tool, and they run", async () => {
    const project = openProject();
    const hooks = await project.open();
    let runs = 0;
    for (const name of ["a", "b"]) hooks.on("PreToolUse", { tool: "Bash|Read", name }, () => void runs++);
    hooks.on("PreToolUse", { name: "every tool" }, () => undefined);
    for (const _ of [1, 2]) {
      await hooks.fire("PreToolUse", called("Bash", { cmd: "git push" }));
      await hooks.fire("PreToolUse", called("Read", { path: "a" }));
    }
    expect([runs, project.diagnostics.map(({ code, level, text }) => [code, level, text])]).toEqual([
      8,
      [
        [
          "HL_SELECT_FIELD_MISSING",
          "warning",
          'PreToolUse was fired with a tool_input of another shape: tool_input of Bash has no text "command", but "cmd". The hook "a" runs all the same, and finds nothing there. Fire it with the fields of the tool, or name the tool in another way.',
        ],
        ["HL_SELECT_FIELD_MISSING", "warning", expect.stringContaining('tool_input of Read has no text "file_path", but "path"')],
      ],
    ]);
  });

  test("is nothing to say where it fits, and where no hook names the tool", async () => {
    const project = openProject();
    const hooks = await project.open({ tools: ["deploy"] });
    hooks.on("PreToolUse", { tool: "Bash|deploy" }, () => undefined);
    hooks.on("PreToolUse", () => undefined);
    for (const [name, input] of [
      ["Bash", { command: "ls" }],
      ["deploy", { to: "x" }],
      ["Read", { path: "a" }],
    ] as const)
      await hooks.fire("PreToolUse", called(name, input));
    expect(project.diagnostics).toEqual([]);
  });
});
