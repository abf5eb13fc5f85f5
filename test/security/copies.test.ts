/** Copies of a hook: whatever is declared besides, by whomever and wherever, no verdict gets looser. */
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readDocument } from "../../packages/hookloop/src/config/read/read-document.ts";
import { registerHooks } from "../../packages/hookloop/src/config/register-hooks.ts";
import type { ConfigDocument, Scope } from "../../packages/hookloop/src/config/types.ts";
import { createDialects } from "../../packages/hookloop/src/dialects/index.ts";
import { createBackground } from "../../packages/hookloop/src/engine/background.ts";
import { fire } from "../../packages/hookloop/src/engine/fire.ts";
import { openKnownEvents } from "../../packages/hookloop/src/engine/known-events.ts";
import type { Session } from "../../packages/hookloop/src/engine/session.ts";
import type { Verdict } from "../../packages/hookloop/src/judge/verdict.ts";
import type { Runner } from "../../packages/hookloop/src/run/types.ts";
import { failure, NO_OUTPUT } from "../../packages/hookloop/src/run/types.ts";
import { createPlanner } from "../../packages/hookloop/src/select/planner.ts";
import type { AdmittedHook } from "../../packages/hookloop/src/trust/types.ts";

/** How each program of the test ends, whoever declares it: exit code, stdout, and how long it takes. */
const PROGRAMS: Readonly<Record<string, { readonly exitCode: number; readonly stdout?: string; readonly takesMs?: number }>> = {
  silent: { exitCode: 0 },
  denies: { exitCode: 2 },
  deniesInJson: { exitCode: 0, stdout: answer("deny") },
  deniesAndFails: { exitCode: 1, stdout: answer("deny") },
  deniesInNative: { exitCode: 0, stdout: '{"decision":"deny"}' },
  asks: { exitCode: 0, stdout: answer("ask") },
  allows: { exitCode: 0, stdout: answer("allow") },
  crashes: { exitCode: 1 },
  printsNonsense: { exitCode: 0, stdout: '{"permissionDecision":' },
  halts: { exitCode: 0, stdout: '{"continue":false}' },
  deniesSlowly: { exitCode: 2, takesMs: 5000 },
  promisesLater: { exitCode: 2, stdout: '{"async": true}' },
};

function answer(permissionDecision: string): string {
  return JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision } });
}

/** A name means another program in the second folder: what is denied in one is fine in the other. */
const NAMES = Object.keys(PROGRAMS);
const ROOTS = ["/p", "/q"];

function programAt(root: string, name: string): (typeof PROGRAMS)[string] | undefined {
  return PROGRAMS[root === "/q" ? (NAMES.at(NAMES.indexOf(name) - 1) ?? name) : name];
}

interface Declared {
  readonly scope: Scope;
  /** Folder of its file, and of its plugin or skill. */
  readonly root?: string;
  readonly dialect: string;
  readonly matcher: string | undefined;
  readonly sequential: boolean;
  readonly entries: readonly Readonly<Record<string, unknown>>[];
}

const oneOf = fc.constantFrom;
const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
/** Equal words in two files: some mean one program wherever they stand, others what lies beside the file or in the plugin. */
const named: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc
  .tuple(oneOf("command", "relative", "argv", "module"), oneOf(...NAMES))
  .map(([form, name]) => {
    if (form === "module") return { type: "module", path: `./${name}.mjs` };
    if (form === "argv") return { command: "sh", args: [`\${CLAUDE_PLUGIN_ROOT}/${name}`] };
    return { command: form === "relative" ? `\${CLAUDE_PLUGIN_ROOT}/${name}` : name };
  });
const options = fc.record({
  async: optional(fc.boolean()),
  asyncRewake: optional(fc.boolean()),
  guard: optional(fc.boolean()),
  onFailure: optional(oneOf("continue", "ask", "block")),
  once: optional(fc.boolean()),
  timeout: optional(oneOf(1, 10)),
});
const entry = fc.tuple(named, options).map(([one, other]) => ({ ...one, ...other }));
const declared: fc.Arbitrary<Declared> = fc.record({
  root: oneOf(...ROOTS),
  scope: oneOf<Scope>("managed", "flag", "user", "local", "project", "plugin", "skill"),
  dialect: oneOf<string>("native", "native", "claude"),
  matcher: oneOf(undefined, "Bash", "Bash|Write", "Write", "B.*"),
  sequential: fc.boolean(),
  entries: fc.array(entry, { minLength: 1, maxLength: 3 }),
});

function documentOf({ scope, root = "/p", dialect, matcher, sequential, entries }: Declared, index: number): ConfigDocument {
  const group = { matcher, ...(dialect === "native" && { sequential }), hooks: entries.map((fields) => ({ type: "command", ...fields })) };
  const text = JSON.stringify({ hooks: { PreToolUse: [group] } });
  const own = scope === "plugin" ? { plugin: { id: "guards", root } } : scope === "skill" ? { skill: { name: "guards", root } } : {};
  return readDocument({ source: { scope, dialect, file: `${root}/${index}.json`, root, ...own }, dialects: createDialects(), text });
}

/** What its words mean from where it stands, as the runners find it. */
function programOf({ target, source }: AdmittedHook): (typeof PROGRAMS)[string] {
  if (target.kind === "module") {
    const file = path.resolve(path.dirname(source.file ?? ""), String(target.fields["path"]));
    return programAt(path.dirname(file), path.basename(file, ".mjs")) ?? { exitCode: 0 };
  }
  const [word = ""] = target.kind === "command" ? (target.args ?? [target.command]) : [];
  const name = word.replace("${CLAUDE_PLUGIN_ROOT}/", "");
  const root = (source.plugin ?? source.skill)?.root;
  return (name === word ? PROGRAMS[name] : root && programAt(root, name)) || { exitCode: 0 };
}

/** The programs above instead of processes. */
const run: Runner = async ({ hook }, input) => {
  const program = programOf(hook);
  const raw = { ...NO_OUTPUT, hook, stdout: program.stdout ?? "", exitCode: program.exitCode };
  if ((program.takesMs ?? 0) > hook.timeoutMs) return { ...raw, failure: failure("timeout", "it did not answer") };
  const isGone = !hook.isAsync && input.readFirstLine?.(raw.stdout) !== undefined;
  return isGone ? { ...raw, continues: Promise.resolve({ ...raw, isFromBackground: true }) } : raw;
};

function sessionOf(): Session {
  const { signal } = new AbortController();
  return {
    id: "s",
    projectRoot: "/p",
    commonInput: {},
    isolate: false,
    dialects: createDialects(),
    dialectSession: { projectRoot: "/p", writeTemporary: () => "/dev/null" },
    runners: { command: run, module: run },
    background: createBackground(),
    closing: signal,
    spent: new Set(),
    told: new Set(),
    turn: { halt: undefined },
    spill: undefined,
    envFile: () => "/dev/null",
    recheck: () => undefined,
    reconsider: (hook) => hook,
    say: () => {},
    hasListeners: false,
    isWatched: () => false,
    hold: () => {},
    flush: () => {},
  };
}

const CALLS = ["Bash", "Write", "Bash", "Edit", "Bash"];

/** What a session does with a few calls, one after the other. */
async function verdictsOf(all: readonly Declared[]): Promise<readonly Verdict[]> {
  const session = sessionOf();
  const { hooks } = registerHooks(all.map(documentOf), { env: {} });
  const known = openKnownEvents(session, createPlanner(hooks as readonly AdmittedHook[])).get("PreToolUse");
  const verdicts: Verdict[] = [];
  for (const tool_name of CALLS) if (known) verdicts.push(await fire(session, known, { tool_name, tool_input: {} }));
  return verdicts;
}

/** The model: no opinion and an allow let it happen, a question may, a deny does not. */
const RUNS = 150;
const STRICTNESS: Readonly<Record<Verdict["decision"], number>> = { none: 0, allow: 0, ask: 1, defer: 2, deny: 3 };

test("a copy for every tool does not take from a guard what it was promised of the tool it names", async () => {
  const guard = { scope: "managed", dialect: "native", matcher: "Bash", sequential: false } as const;
  const strict = { command: "asks", onFailure: "block" } as Declared["entries"][number];
  const first: Declared = { ...guard, entries: [strict] };
  const copy: Declared = { ...guard, matcher: undefined, entries: [{ command: "asks" } as Declared["entries"][number]] };
  for (const all of [[first], [first, copy], [copy, first]]) expect((await verdictsOf(all))[0]?.decision).toBe("deny");
});

test.each([
  ["a module beside the file", "user", { type: "module", path: "./denies.mjs" }],
  ["a plugin of the same name", "plugin", { command: "${CLAUDE_PLUGIN_ROOT}/denies" }],
  ["a plugin of the same name, as words", "plugin", { command: "sh", args: ["${CLAUDE_PLUGIN_ROOT}/denies"] }],
  ["a pack of the same name", "plugin", { type: "module", path: "./denies.mjs" }],
  ["a skill of the same name", "skill", { command: "${CLAUDE_PLUGIN_ROOT}/denies" }],
] as const)("equal words that mean another file are no copy: %s", async (_name, scope, fields) => {
  const of = (root: string, other: Scope = scope): Declared => {
    return { scope: other, root, dialect: "native", matcher: "Bash", sequential: false, entries: [fields] };
  };
  for (const all of [[of("/p")], [of("/p"), of("/q")], [of("/q"), of("/p")], [of("/q"), of("/p", scope === "user" ? "project" : scope)]])
    expect((await verdictsOf(all))[0]?.decision).toBe("deny");
});

test("one more declaration, of any options, scope and position, never loosens a verdict", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(declared, { maxLength: 4 }), declared, fc.nat(4), optional(fc.nat(3)), async (all, other, place, twin) => {
      // Half of the time the same words as one that is there, from another file or folder.
      const added = { ...other, ...(twin !== undefined && all[twin] && { entries: all[twin].entries, dialect: all[twin].dialect }) };
      const before = await verdictsOf(all);
      const after = await verdictsOf([...all.slice(0, place), added, ...all.slice(place)]);
      for (const [index, { decision, halt }] of before.entries()) {
        const now = after[index];
        expect(STRICTNESS[now?.decision ?? "none"]).toBeGreaterThanOrEqual(STRICTNESS[decision]);
        if (halt) expect(now?.halt ?? now?.decision).toBeTruthy();
      }
    }),
    { numRuns: RUNS },
  );
}, 60_000);

/** A guard that says it does not block when it fails, on a call without the field that it judges: it runs, and can deny. */
const WEAK_GUARD: [Declared, Readonly<Record<string, unknown>>, number] = [
  { scope: "managed", dialect: "native", matcher: "Write", sequential: false, entries: [{ command: "deniesInNative" }] },
  { command: "deniesInNative", guard: true, onFailure: "continue" },
  0,
];

test("one more entry in a group, at any place, never loosens a verdict", async () => {
  await fc.assert(
    fc.asyncProperty(declared, entry, fc.nat(3), async (group, added, place) => {
      const before = await verdictsOf([group]);
      const entries = [...group.entries.slice(0, place), added, ...group.entries.slice(place)];
      const after = await verdictsOf([{ ...group, entries }]);
      for (const [index, { decision }] of before.entries())
        expect(STRICTNESS[after[index]?.decision ?? "none"]).toBeGreaterThanOrEqual(STRICTNESS[decision]);
    }),
    { numRuns: RUNS, examples: [WEAK_GUARD as never] },
  );
}, 60_000);
