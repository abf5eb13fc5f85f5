import type { EventName } from "@hookloop/sdk";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EVENT_NAMES, EVENTS, samplePayload } from "../catalogue/events.ts";
import type { EventRow } from "../catalogue/row.ts";
import type { Dialect, Effect } from "../judge/effects.ts";
import { interpretOutcome } from "../judge/interpret.ts";
import { rawOutcome, sampleHook } from "../judge/raw-outcome.test-suite.ts";

/** What a dialect's exit codes mean, with "why" on stderr and nothing on stdout. */
export interface ExitMeaning {
  readonly event: EventName;
  readonly exitCode: number;
  readonly means: readonly Effect[] | "failure";
}

type EffectType = Effect["type"];

/** Effects that every gate may have because a failed run of it asks, and fields that stand beside a decision. */
const ALWAYS: readonly EffectType[] = ["set"];

/** What a hook of this event can bring about, read off the row. */
function possibleEffects(row: EventRow): ReadonlySet<EffectType> {
  const decision = row.output["permissionDecision"]?.type;
  const decisions = decision?.kind === "choice" ? decision.values : row.block === "request" ? ["allow"] : [];
  const has = (name: string, ...types: EffectType[]): readonly EffectType[] => (name in row.output ? types : []);
  return new Set<EffectType>([
    ...ALWAYS,
    ...(row.blockEffect ? [row.blockEffect] : []),
    ...(row.honoursContinue ? (["halt", "tell"] as const) : []),
    ...(row.exit2 === "tell" ? (["tell"] as const) : []),
    ...(decisions.includes("allow") ? (["approve"] as const) : []),
    ...decisions.filter((name): name is "ask" | "defer" => name === "ask" || name === "defer"),
    ...(row.feedback ? (["feedback"] as const) : []),
    ...(row.stdout === "context" ? (["context"] as const) : []),
    ...(row.contextContinues ? (["continueTurn"] as const) : []),
    ...has("additionalContext", "context"),
    ...has("updatedInput", "rewriteInput"),
    ...has("updatedToolOutput", "rewriteOutput"),
    ...has("updatedPrompt", "rewritePrompt"),
    ...has("decision", "rewriteInput", "permissionUpdates", "halt"),
  ]);
}

const word = fc.constantFrom(
  "block",
  "deny",
  "allow",
  "approve",
  "ask",
  "defer",
  "decline",
  "accept",
  "nope",
  "",
  "\u001b[31mred",
  "\ud83d",
  1,
  null,
  true,
  false,
  [],
  {},
);
const key = fc.constantFrom(
  ...[
    "continue",
    "stopReason",
    "systemMessage",
    "decision",
    "reason",
    "permissionDecision",
    "permissionDecisionReason",
    "updatedInput",
    "async",
  ],
  ...[
    "additionalContext",
    "updatedToolOutput",
    "updatedPrompt",
    "action",
    "content",
    "behavior",
    "message",
    "interrupt",
    "updatedPermissions",
  ],
  ...["__proto__", "constructor", "prototype", "hookEventName", "bogus", "terminalSequence", "watchPaths", "retry"],
);
const fields = fc.dictionary(key, fc.oneof(word, fc.dictionary(key, word)), { noNullPrototype: false });
const answer = fc
  .tuple(fields, fc.option(fields), fc.option(fc.constantFrom(...EVENT_NAMES)))
  .map(([top, specific, name]) =>
    JSON.stringify(specific ? { ...top, hookSpecificOutput: name ? { ...specific, hookEventName: name } : specific } : top),
  );
const stdout = fc.oneof(
  answer,
  fc.string({ unit: "binary" }),
  fc.tuple(fc.string(), answer, fc.string()).map(([before, json, after]) => `${before}\n${json}\n${after}`),
  fc.uint8Array().map((bytes) => Buffer.from(bytes).toString("utf8")),
);
const run = fc.record({
  event: fc.constantFrom(...EVENT_NAMES),
  stdout,
  stderr: fc.oneof(fc.string({ unit: "binary" }), fc.constant("why")),
  exitCode: fc.constantFrom(0, 1, 2, 3, 255, null),
  isBinary: fc.boolean(),
});

/** The properties run thousands of small checks; on a busy machine the default of 5 s is too short for them. */
const PATIENCE = { timeout: 60_000 };

/** The rules every dialect keeps, whatever a hook prints. */
export function dialectContract(dialect: Dialect, meanings: readonly ExitMeaning[]): void {
  describe(`dialect ${dialect.name}: the contract`, () => {
    test.each(meanings)("exit $exitCode on $event", ({ event, exitCode, means }) => {
      const reading = dialect.answer.read(EVENTS[event], event, rawOutcome({ exitCode, stderr: "why\n" }));
      if (means === "failure") expect(reading).toMatchObject({ effects: [], failure: { kind: "exit" } });
      else expect([reading.effects, reading.failure]).toEqual([means, undefined]);
    });

    test("never throws, gives only effects the event can have, and shows nothing a terminal obeys", PATIENCE, () => {
      fc.assert(
        fc.property(run, ({ event, ...differences }) => {
          const { effects, diagnostics } = dialect.answer.read(EVENTS[event], event, rawOutcome(differences));
          const possible = possibleEffects(EVENTS[event]);
          for (const { type } of effects) {
            expect(possible, `${event} ${type}`).toContain(type);
            expect(dialect.answer.cannotSay).not.toContain(type);
          }
          for (const text of [...effects.map(shownText), ...diagnostics.map((one) => one.text)])
            expect(text).not.toMatch(/\p{Cc}(?<![\n\t])|\p{Surrogate}/u);
        }),
        { numRuns: 600 },
      );
    });

    test("pollutes no prototype", PATIENCE, () => {
      const before = Object.getOwnPropertyNames(Object.prototype).join();
      fc.assert(
        fc.property(run, ({ event, ...differences }) => {
          dialect.answer.read(EVENTS[event], event, rawOutcome(differences));
          expect(Object.getOwnPropertyNames(Object.prototype).join()).toBe(before);
        }),
      );
    });

    statesItsFacts(dialect);
    neverLoosens(dialect);
    describesTheEvent(dialect);
  });
}

function shownText(effect: Effect): string {
  if (effect.type === "set" || effect.type === "rewriteInput" || effect.type === "rewriteOutput" || effect.type === "permissionUpdates")
    return "";
  if ("text" in effect) return effect.text;
  return "prompt" in effect ? effect.prompt : (effect.reason ?? "");
}

/** A run that went wrong is never an allow, and a guard's failed run is always a denial. */
function neverLoosens(dialect: Dialect): void {
  const ALLOW = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}';
  const kinds = ["could-not-start", "signal", "timeout", "aborted", "flood", "bad-input"] as const;

  test.each(kinds)("a run that ended by %s after printing allow has failed", (kind) => {
    const raw = rawOutcome({ stdout: ALLOW, exitCode: null, failure: { kind, text: "what happened" } });
    expect(dialect.answer.read(EVENTS.PreToolUse, "PreToolUse", raw)).toMatchObject({ effects: [], failure: { kind } });
    const guard = { ...raw, hook: sampleHook({ isGuard: true, onFailure: "block" }) };
    const outcome = interpretOutcome({ event: "PreToolUse", row: EVENTS.PreToolUse, raw: guard, dialect });
    expect(outcome.effects.map(({ type }) => type)).toEqual(["deny"]);
  });

  test("a signal without a failure is one", () => {
    const raw = rawOutcome({ stdout: ALLOW, exitCode: null, signal: "SIGKILL" });
    expect(dialect.answer.read(EVENTS.PreToolUse, "PreToolUse", raw)).toMatchObject({ effects: [], failure: { kind: "signal" } });
  });

  test("a failed run of a guard is a denial and a diagnostic, whatever it printed", PATIENCE, () => {
    fc.assert(
      fc.property(stdout, (printed) => {
        const hook = sampleHook({ isGuard: true, onFailure: "block" });
        const raw = rawOutcome({ hook, stdout: printed, exitCode: 77 });
        const outcome = interpretOutcome({ event: "PreToolUse", row: EVENTS.PreToolUse, raw, dialect });
        if (outcome.isBackground) return;
        expect(outcome.effects.map(({ type }) => type)).toContain("deny");
        expect(outcome.diagnostics.length).toBeGreaterThan(0);
      }),
    );
  });
}

function statesItsFacts({ name, files, shape, defaults }: Dialect): void {
  test("its files are named from a folder that its scope allows, and stay inside", () => {
    expect(name).toMatch(/^[a-z][a-z0-9-]*$/);
    const places = { user: ["home", "config"], project: ["project"], local: ["project", "repository"] };
    for (const { scope, at, path } of files.read) {
      expect(places[scope]).toContain(at);
      expect(path).toMatch(/^(?!\/|.*\.\.)[\w./-]+\.\w+$/);
    }
  });

  test("its events are ours, and each can be a key of the file's map", () => {
    expect(Object.keys(shape.events).length).toBeGreaterThan(0);
    for (const [word, event] of Object.entries(shape.events)) expect([word.trim(), EVENT_NAMES.includes(event)]).toEqual([word, true]);
  });

  test.each(EVENT_NAMES)("%s: a hook that says nothing has a limit and a direction", (event) => {
    for (const kind of EVENTS[event].kinds) {
      if (kind !== "function") expect(defaults.seconds(kind, EVENTS[event])).toBeGreaterThan(0);
    }
    expect(["continue", "ask", "block"]).toContain(defaults.onFailure(EVENTS[event]));
  });
}

function describesTheEvent(dialect: Dialect): void {
  const session = { projectRoot: "/srv/project", writeTemporary: () => "/tmp/x" };

  test.each(EVENT_NAMES)("%s: payload and variables are plain text a process can be given", (event) => {
    const input = samplePayload(event) as unknown as Record<string, unknown>;
    const frozen = structuredClone(input);
    expect(() => JSON.stringify(dialect.input.payload(event, input))).not.toThrow();
    const variables = dialect.input.variables({ event, input, hook: sampleHook(), session });
    for (const [name, value] of Object.entries(variables)) {
      expect(name).toMatch(/^[A-Z][A-Z0-9_]*$/);
      expect(typeof value === "string" && !value.includes("\0")).toBe(true);
    }
    expect(input).toEqual(frozen);
  });

  test("a NUL in the payload reaches no variable", () => {
    const input = { ...(samplePayload("PreToolUse") as object), session_id: "a\0b", tool_name: "Ba\0sh", effort: { level: "hi\0gh" } };
    for (const value of Object.values(dialect.input.variables({ event: "PreToolUse", input, hook: sampleHook(), session })))
      expect(value).not.toContain("\0");
  });
}
