/** Copies of a hook: whatever is declared besides, by whomever and wherever, no verdict gets looser. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { readDocument } from "../../packages/hookloop/src/config/read/read-document.ts";
import { registerHooks } from "../../packages/hookloop/src/config/register-hooks.ts";
import type { ConfigDocument, Scope } from "../../packages/hookloop/src/config/types.ts";
import { createDialects } from "../../packages/hookloop/src/dialects/index.ts";
import { createBackground } from "../../packages/hookloop/src/engine/background.ts";
import { fire } from "../../packages/hookloop/src/engine/fire.ts";
import { openKnownEvents } from "../../packages/hookloop/src/engine/known-events.ts";
import { createPayloadCopier } from "../../packages/hookloop/src/engine/payload-copy.ts";
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

interface Declared {
  readonly scope: Scope;
  readonly dialect: string;
  readonly matcher: string | undefined;
  readonly sequential: boolean;
  readonly entries: readonly Readonly<Record<string, unknown>>[];
}

const oneOf = fc.constantFrom;
const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
const entry = fc.record({
  command: oneOf(...Object.keys(PROGRAMS)),
  async: optional(fc.boolean()),
  asyncRewake: optional(fc.boolean()),
  guard: optional(fc.boolean()),
  onFailure: optional(oneOf("continue", "ask", "block")),
  once: optional(fc.boolean()),
  timeout: optional(oneOf(1, 10)),
});
const declared: fc.Arbitrary<Declared> = fc.record({
  scope: oneOf<Scope>("managed", "flag", "user", "local", "project", "plugin", "skill"),
  dialect: oneOf<string>("native", "native", "claude"),
  matcher: oneOf(undefined, "Bash", "Bash|Write", "Write", "B.*"),
  sequential: fc.boolean(),
  entries: fc.array(entry, { minLength: 1, maxLength: 3 }),
});

function documentOf({ scope, dialect, matcher, sequential, entries }: Declared, index: number): ConfigDocument {
  const group = { matcher, ...(dialect === "native" && { sequential }), hooks: entries.map((fields) => ({ type: "command", ...fields })) };
  const text = JSON.stringify({ hooks: { PreToolUse: [group] } });
  return readDocument({ source: { scope, dialect, file: `/${index}.json`, root: "/p" }, dialects: createDialects(), text });
}

/** The programs above instead of processes. */
const run: Runner = async ({ hook }, input) => {
  const program = PROGRAMS[hook.target.kind === "command" ? hook.target.command : ""] ?? { exitCode: 0 };
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
    payloadCopier: (event) => createPayloadCopier({}, event),
    dialects: createDialects(),
    dialectSession: { projectRoot: "/p", writeTemporary: () => "/dev/null" },
    runners: { command: run },
    background: createBackground(),
    closing: signal,
    run: { signal },
    spent: new Set(),
    told: new Set(),
    spill: undefined,
    envFile: () => "/dev/null",
    recheck: () => undefined,
    reconsider: (hook) => hook,
    say: () => {},
    hasListeners: false,
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

test("one more declaration, of any options, scope and position, never loosens a verdict", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(declared, { maxLength: 4 }), declared, fc.nat(4), async (all, added, place) => {
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
