import { describe, expect, test } from "vitest";
import { EVENT_NAMES, EVENTS } from "../catalogue/events.ts";
import { createDialects } from "../dialects/index.ts";
import { readDocument } from "./read/read-document.ts";
import { type Registry, registerHooks } from "./register-hooks.ts";
import { dropDuplicates, type RegisteredHook } from "./registered-hook.ts";
import type { ConfigDocument, Scope, Source } from "./types.ts";

type Entry = Readonly<Record<string, unknown>>;

interface Options {
  readonly scope?: Scope;
  readonly dialect?: string;
  readonly source?: Partial<Source>;
}

function document(content: unknown, { scope = "project", dialect = "claude", source = {} }: Options = {}): ConfigDocument {
  const found = readDocument({
    source: { scope, dialect, file: `/${scope}.json`, root: "/p", ...source },
    dialects: createDialects(),
    text: JSON.stringify(content),
  });
  expect(found.diagnostics.filter(({ level }) => level === "error")).toEqual([]);
  return found;
}

/** A document with one group of PreToolUse hooks for Bash. */
function bash(entries: readonly Entry[], options: Options = {}): ConfigDocument {
  return on("PreToolUse", entries, { matcher: "Bash", ...options });
}

function on(
  event: string,
  entries: readonly Entry[],
  { matcher, ...options }: Options & { readonly matcher?: string } = {},
): ConfigDocument {
  const hooks = entries.map((entry) => ({ type: "command", ...entry }));
  return document({ hooks: { [event]: [{ ...(matcher !== undefined && { matcher }), hooks }] } }, options);
}

function register(documents: readonly ConfigDocument[], env: Readonly<Record<string, string>> = {}): Registry {
  return registerHooks(documents, { env });
}

function only(documents: readonly ConfigDocument[]): RegisteredHook {
  const { hooks } = register(documents);
  expect(hooks).toHaveLength(1);
  return hooks[0] as RegisteredHook;
}

const commandOf = ({ target }: RegisteredHook): string => (target.kind === "command" ? target.command : target.kind);

describe("order and identity", () => {
  test("sources are ordered by authority, hooks inside one as declared", () => {
    const scopes: readonly Scope[] = ["skill", "plugin", "project", "local", "user", "flag", "managed"];
    const documents = scopes.map((scope) => bash([{ command: `${scope}-1` }, { command: `${scope}-2` }], { scope }));
    const { hooks } = register(documents);
    const expected = ["managed", "flag", "user", "local", "project", "plugin", "skill"].flatMap((scope) => [`${scope}-1`, `${scope}-2`]);
    expect(hooks.map(commandOf)).toEqual(expected);
    expect(hooks.map(({ order }) => order)).toEqual([...hooks.keys()]);
  });

  test("an id is scope, event and digest, and does not depend on the order of keys", () => {
    const a = only([bash([{ command: "x", timeout: 5 }])]);
    const b = only([bash([{ timeout: 5, command: "x" }])]);
    expect(a.id).toMatch(/^project:PreToolUse:[0-9a-f]{10}$/);
    expect(b.id).toBe(a.id);
    expect(only([bash([{ command: "x", timeout: 6 }])]).id).not.toBe(a.id);
  });

  test("equal definitions get different ids", () => {
    const { hooks } = register([bash([{ command: "x" }, { command: "x" }])]);
    expect(hooks.map(({ id }) => id.replace(/[0-9a-f]{10}/, "#"))).toEqual(["project:PreToolUse:#", "project:PreToolUse:#-2"]);
  });

  test.each([
    [{ command: "x", name: "my guard" }, "my guard"],
    [{ command: 'node "$HOOKLOOP_PROJECT_DIR"/hooks/guard.mjs' }, "guard.mjs"],
    [{ command: "  echo   a\n b " }, "echo a b"],
    [{ command: "node", args: ["a.mjs", "--b"] }, "a.mjs --b"],
    [{ command: '"/usr/bin/node" "$CLAUDE_PROJECT_DIR"/hooks/no-delete.mjs' }, "no-delete.mjs"],
    [{ command: 'sh "${CLAUDE_PLUGIN_ROOT}/check.sh" pre' }, "check.sh pre"],
    [{ command: "~/.hooks/guard.py" }, "guard.py"],
    [{ command: "bash check.sh 'a \"very\" strange; argument'" }, "check.sh"],
    [{ command: "jq -e .tool_input.command" }, "jq -e .tool_input.command"],
    [{ command: "cd /x && bash check.sh" }, "cd /x && bash check.sh"],
    [{ command: "x".repeat(100) }, `${"x".repeat(39)}…`],
    [{ command: "npx prettier --check ." }, "prettier --check ."],
    [{ command: 'CI=1 npx --yes @scope/lint@3.1.0 --fix "$FILE"' }, "lint"],
    [{ command: "npx", args: ["eslint", "src"] }, "eslint src"],
    [{ command: "pnpm exec tsc" }, "tsc"],
    [{ command: "npx $TOOL" }, "npx $TOOL"],
    [{ type: "http", url: "http://h/p" }, "http://h/p"],
    [{ type: "mcp_tool", server: "s", tool: "t" }, "s/t"],
    [{ type: "module", path: "./g.ts" }, "g.ts"],
    [{ type: "prompt", prompt: "Is it safe?" }, "Is it safe?"],
  ])("%j is called %j", (entry, name) => {
    expect(only([bash([entry], { dialect: "native" })]).name).toBe(name);
  });

  test("groups of one file share a sequence key only if they are the same group", () => {
    const group = (...commands: string[]): unknown => ({
      sequential: true,
      hooks: commands.map((command) => ({ type: "command", command })),
    });
    const file = (first: string): ConfigDocument =>
      document({ hooks: { PreToolUse: [group(`${first}1`, `${first}2`), group(`${first}3`)] } }, { dialect: "native" });
    const keys = register([file("a"), file("b")]).hooks.map(({ sequence }) => sequence);
    expect(keys[0]).toBe(keys[1]);
    expect(new Set(keys).size).toBe(4);
  });

  test("what a hook says becomes its options", () => {
    const entry = { command: "c", args: ["a"], shell: "bash", if: "Bash(git *)", asyncRewake: true, statusMessage: "m", passEnv: ["A"] };
    expect(only([bash([entry], { dialect: "native" })])).toMatchObject({
      target: { kind: "command", command: "c", args: ["a"], shell: "bash" },
      condition: "Bash(git *)",
      matcher: "Bash",
      isAsync: true,
      wakesAgent: true,
      statusMessage: "m",
      passEnv: ["A"],
      priority: 0,
      isGuard: false,
    });
  });
});

describe("duplicates", () => {
  test("inside one source the last one's options count, and the other is reported", () => {
    const { hooks, diagnostics } = register([bash([{ command: "x", timeout: 1 }, { command: "y" }, { command: "x", timeout: 2 }])]);
    expect(dropDuplicates(hooks).map(({ hook }) => [commandOf(hook), hook.timeoutMs])).toEqual([
      ["y", 600_000],
      ["x", 2000],
    ]);
    expect(diagnostics).toMatchObject([{ code: "HL_CONFIG_DUPLICATE", level: "notice", hook: hooks[0]?.id }]);
  });

  test("a duplicate in a lower source cannot change a guard of a higher one", () => {
    const user = bash([{ command: "guard", onFailure: "block", timeout: 10 }], { scope: "user" });
    const project = bash([{ command: "guard", timeout: 1, async: true }]);
    for (const documents of [
      [user, project],
      [project, user],
    ]) {
      const { hooks, diagnostics } = register(documents);
      expect(dropDuplicates(hooks)).toMatchObject([
        { hook: { source: { scope: "user" }, onFailure: "block", timeoutMs: 10_000, isAsync: false }, copies: [{}, {}] },
      ]);
      expect(diagnostics.map(({ code, place }) => [code, place?.file])).toEqual([["HL_CONFIG_DUPLICATE", "/project.json"]]);
    }
  });

  const native: Options = { dialect: "native" };
  const merged = (documents: readonly ConfigDocument[]): RegisteredHook[] =>
    dropDuplicates(register(documents).hooks).map(({ hook }) => hook);

  test.each<[string, Entry, Entry, Partial<RegisteredHook>]>([
    ["a copy in the foreground", {}, { async: true }, { isAsync: false }],
    ["a copy without asyncRewake", {}, { asyncRewake: true }, { isAsync: false }],
    ["a guard", { guard: true }, { onFailure: "continue" }, { isGuard: true, onFailure: "block" }],
    ["the stricter direction", { onFailure: "block" }, { onFailure: "ask" }, { onFailure: "block" }],
    ["the direction of a copy in the background", { onFailure: "continue" }, { onFailure: "block", async: true }, { onFailure: "block" }],
    ["the longer limit", { timeout: 20 }, { timeout: 1 }, { timeoutMs: 20_000 }],
    ["the longer limit by default", {}, { timeout: 1 }, { timeoutMs: 30_000 }],
    ["a copy that runs every time", {}, { once: true }, { once: false }],
    ["background, if every copy says so", { async: true }, { async: true, asyncRewake: true }, { isAsync: true, wakesAgent: true }],
  ])("of copies, %s counts, whoever declares it and in any order", (_name, a, b, expected) => {
    const [x, y] = [
      { command: "x", ...a },
      { command: "x", ...b },
    ];
    for (const [first, second] of [
      [x, y],
      [y, x],
    ] as const) {
      expect(merged([bash([first, second], native)])).toMatchObject([expected]);
      expect(merged([bash([first], { ...native, scope: "user" }), bash([second], native)])).toMatchObject([
        { ...expected, source: { scope: "user" } },
      ]);
    }
  });

  test("a judge's no ends the turn unless every copy says that it does not", () => {
    const judge = { type: "prompt", prompt: "p" };
    const ends = (...entries: readonly Entry[]): unknown =>
      (merged([bash(entries, native)])[0]?.target as { fields: Entry } | undefined)?.fields["continueOnBlock"];
    expect(ends({ ...judge, continueOnBlock: true }, { ...judge, continueOnBlock: true })).toBe(true);
    expect(ends({ ...judge }, { ...judge, continueOnBlock: true })).toBe(false);
  });

  test.each([
    ["passEnv", { command: "x" }, ["TOKEN"]],
    ["files", { command: "x" }, ["policy.txt"]],
    ["allowedEnvVars", { type: "http", url: "https://h" }, ["TOKEN"]],
  ])("a copy that gets less by %s does not stand in for one that gets more", (field, entry, value) => {
    const user = bash([entry], { ...native, scope: "user" });
    expect(merged([bash([{ ...entry, [field]: value }], native), user])).toHaveLength(2);
    const same = bash([{ ...entry, [field]: value }], { ...native, scope: "user" });
    expect(merged([bash([{ ...entry, [field]: value }], native), same])).toHaveLength(1);
  });

  test("files of another folder are other files", () => {
    const of = (root: string): ConfigDocument => bash([{ command: "x", files: ["policy.txt"] }], { ...native, source: { root } });
    expect(merged([of("/a"), of("/b")])).toHaveLength(2);
  });

  test("a copy in another sequential group is another hook; in one group the first place counts", () => {
    const group = (...commands: readonly string[]): object => ({
      sequential: true,
      hooks: commands.map((command) => ({ type: "command", command })),
    });
    const file = (...groups: readonly object[]): ConfigDocument => document({ hooks: { PreToolUse: groups } }, native);
    expect(merged([file(group("x"), group("x"), { hooks: [{ type: "command", command: "x" }] })])).toHaveLength(3);
    expect(merged([file(group("x", "y", "x"))]).map(commandOf)).toEqual(["x", "y"]);
  });

  test("the matcher is not part of what makes hooks the same, but apart they are no duplicates", () => {
    const groups = (a: string, b: string): Registry =>
      register([
        document({
          hooks: {
            PreToolUse: [
              { matcher: a, hooks: [{ type: "command", command: "x" }] },
              { matcher: b, hooks: [{ type: "command", command: "x" }] },
            ],
          },
        }),
      ]);
    for (const [a, b, reported] of [
      ["Bash", "Write", 0],
      ["Bash", "Write|Bash", 1],
      ["*", "Bash", 1],
      ["Ba.*", "Bash", 0],
    ] as const) {
      const { hooks, diagnostics } = groups(a, b);
      expect(hooks[0]?.dedupKey).toBe(hooks[1]?.dedupKey);
      expect(diagnostics).toHaveLength(reported);
    }
  });

  test.each([
    ["args", { command: "x", args: [] }],
    ["if", { command: "x", if: "Bash(git *)" }],
    ["shell", { command: "x", shell: "bash" }],
    ["kind", { type: "http", url: "http://h" }],
  ])("another %s is another hook", (_name, entry) => {
    const { hooks } = register([bash([{ command: "x" }, entry])]);
    expect(dropDuplicates(hooks)).toHaveLength(2);
  });

  test("each plugin's copy is its own, and so is a line in another dialect", () => {
    const plugin = (id: string): ConfigDocument =>
      bash([{ command: "x" }], { scope: "plugin", source: { plugin: { id, root: `/${id}` } } });
    expect(dropDuplicates(register([plugin("a"), plugin("b"), bash([{ command: "x" }])]).hooks)).toHaveLength(3);
    const flat = document({ hooks: { PreToolUse: [{ matcher: "bash", command: "x" }] } }, { dialect: "hooks-json" });
    expect(dropDuplicates(register([flat, bash([{ command: "x" }]), bash([{ command: "x" }], native)]).hooks)).toHaveLength(3);
  });

  test("thousands of the same line are registered without comparing each with each", () => {
    const groups = Array.from({ length: 8000 }, (_, index) => ({
      matcher: `mcp__s__t${index}`,
      hooks: [{ type: "command", command: "x" }],
    }));
    const { hooks, diagnostics } = register([document({ hooks: { PreToolUse: groups } })]);
    expect(hooks).toHaveLength(8000);
    expect(diagnostics).toEqual([]);
  });
});

describe("failure direction", () => {
  const direction = (event: string, entry: Entry, options: Options = {}): readonly [string | undefined, readonly string[]] => {
    const { hooks, diagnostics } = register([on(event, [{ command: "x", ...entry }], options)]);
    return [hooks[0]?.onFailure, diagnostics.map(({ code }) => code)];
  };
  const native: Options = { dialect: "native" };
  const IGNORED = ["HL_CONFIG_IGNORED_KEY"] as const;

  test("what is said about a hook that blocks and is sent to the background names the key to remove", () => {
    const { diagnostics } = register([on("PreToolUse", [{ command: "x", onFailure: "block", async: true }])]);
    expect(diagnostics[0]?.text).toMatch(/^"async" has no effect.*Remove "async"/);
  });

  test.each([
    ["a native guard blocks", "PreToolUse", { guard: true }, native, "block", []],
    ["a native gate asks", "PreToolUse", {}, native, "ask", []],
    ["a native gate does what it says", "PreToolUse", { onFailure: "continue" }, native, "continue", []],
    ["what a guard says itself counts more", "PreToolUse", { guard: true, onFailure: "ask" }, native, "ask", []],
    ["a native observer continues", "PostToolUse", {}, native, "continue", []],
    ["a native loop hook continues", "Stop", {}, native, "continue", []],
    ["a Claude gate continues", "PreToolUse", {}, {}, "continue", []],
    ["a Claude gate blocks if it says so", "PreToolUse", { onFailure: "block" }, {}, "block", []],
    ["a Claude Stop hook blocks if it says so", "Stop", { onFailure: "block" }, {}, "block", []],
    ["a native guard of Stop blocks", "Stop", { guard: true }, native, "block", []],
    ["a Stop hook cannot ask", "Stop", { onFailure: "ask" }, native, "continue", IGNORED],
    ["a hook of results withholds them if it says so", "PostToolUse", { onFailure: "block" }, native, "block", []],
    ["a guard of results, too", "PostToolUse", { guard: true }, native, "block", []],
    ["it cannot ask", "PostToolUse", { onFailure: "ask" }, native, "continue", IGNORED],
    ["nor can an observer block", "PostToolUseFailure", { onFailure: "block" }, native, "continue", IGNORED],
    ["a hook that says it blocks is not sent to the background", "PreToolUse", { onFailure: "block", async: true }, {}, "block", IGNORED],
    ["nor is one that wakes the agent", "PreToolUse", { onFailure: "ask", asyncRewake: true }, {}, "ask", IGNORED],
    ["a background hook that says nothing of failures continues", "PreToolUse", { async: true }, native, "continue", []],
    [
      "a guard that asks for the background stays a guard",
      "PreToolUse",
      { guard: true, async: true },
      native,
      "block",
      ["HL_CONFIG_IGNORED_KEY"],
    ],
  ] as const)("%s", (_name, event, entry, options, expected, codes) => {
    expect(direction(event, entry, options)).toEqual([expected, codes]);
  });

  test("strict makes every gate block, imported or not, and nothing else", () => {
    const settings = document({ settings: { strict: true } }, { dialect: "native", scope: "user" });
    for (const event of EVENT_NAMES) {
      const hook = register([settings, on(event, [{ command: "x", onFailure: "continue" }])]).hooks[0];
      const { role, failureCanBlock } = EVENTS[event];
      expect([event, hook?.onFailure]).toEqual([event, role === "gate" && failureCanBlock ? "block" : "continue"]);
    }
  });

  test("strict holds if anyone asks for it; other settings are managed over user", () => {
    const of = (scope: Scope, settings: Entry): ConfigDocument => document({ settings }, { dialect: "native", scope });
    const { settings } = register([
      of("user", { strict: true, stopCap: 3, allowLoopback: true }),
      of("managed", { strict: false, stopCap: 5 }),
    ]);
    expect(settings).toEqual({ strict: true, stopCap: 5, allowLoopback: true });
  });
});

describe("time limits", () => {
  const limit = (event: string, entry: Entry, dialect: string): number | undefined =>
    register([on(event, [entry], { dialect })]).hooks[0]?.timeoutMs;

  test.each([
    ["PreToolUse", { command: "x" }, "native", 30_000],
    ["PostToolUse", { command: "x" }, "native", 60_000],
    ["PreToolUse", { type: "http", url: "http://h" }, "native", 10_000],
    ["PreToolUse", { type: "prompt", prompt: "p" }, "native", 30_000],
    ["PreToolUse", { type: "agent", prompt: "p" }, "native", 60_000],
    ["MessageDisplay", { command: "x" }, "native", 10_000],
    ["SessionEnd", { command: "x" }, "native", 2000],
    ["SessionEnd", { command: "x" }, "claude", 1500],
    ["PreToolUse", { command: "x" }, "claude", 600_000],
    ["UserPromptSubmit", { command: "x" }, "claude", 30_000],
    ["PreToolUse", { type: "prompt", prompt: "p" }, "claude", 30_000],
    ["PreToolUse", { type: "agent", prompt: "p" }, "claude", 60_000],
    ["SessionEnd", { command: "x", timeout: 10 }, "claude", 10_000],
    ["PreToolUse", { command: "x", timeout: 0.0004 }, "native", 1],
  ] as const)("%s %j in a %s file has %d ms", (event, entry, dialect, expected) => {
    expect(limit(event, entry, dialect)).toBe(expected);
  });
});

test("`once` counts in skills and native files, elsewhere it is said that it does not", () => {
  const once = (options: Options): readonly [boolean | undefined, number] => {
    const { hooks, diagnostics } = register([bash([{ command: "x", once: true }], options)]);
    return [hooks[0]?.once, diagnostics.length];
  };
  expect(once({ scope: "skill" })).toEqual([true, 0]);
  expect(once({ dialect: "native" })).toEqual([true, 0]);
  expect(once({})).toEqual([false, 1]);
});

test.each([
  ["guard", { guard: true }],
  ["onFailure", { onFailure: "block" }],
])("`once` has no effect beside %s: the hook judges every call, and that is said", (name, strict) => {
  for (const options of [{ dialect: "native" }, { scope: "skill" }] as const) {
    const { hooks, diagnostics } = register([bash([{ command: "x", once: true, ...strict }], options)]);
    expect(hooks[0]?.once).toBe(false);
    const text = expect.stringMatching(new RegExp(`"once" has no effect .*remove "${name}"`));
    expect(diagnostics).toMatchObject([{ code: "HL_CONFIG_IGNORED_KEY", level: "warning", text }]);
  }
});
