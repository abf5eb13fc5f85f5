import { describe, expect, test } from "vitest";
import { makeHook } from "./outcome.test-suite.ts";
import { modelTexts, toldTexts, userNotices } from "./texts.ts";
import { noVerdict, type Verdict } from "./verdict.ts";

const guard = makeHook({
  id: "project:PreToolUse:ab12",
  name: "no-force-push",
  scope: "project",
  place: { file: ".hookloop/hooks.json", line: 14, column: 7 },
});

function noticesFor(hook: typeof guard | undefined, text = "main is protected") {
  const verdict = { ...noVerdict("PreToolUse"), decision: "deny" as const, reasons: [{ text, hook: hook?.id ?? "gone" }] };
  return userNotices({ verdict, hookOf: (id) => (id === hook?.id ? hook : undefined) });
}

describe("a block tells the user", () => {
  test("which hook, where it is declared and how to switch it off", () => {
    expect(noticesFor(guard)).toEqual([
      'PreToolUse was blocked by hook "no-force-push" (.hookloop/hooks.json:14:7): main is protected\nTo switch it off for one run: HOOKLOOP_DISABLE=no-force-push',
    ]);
  });

  test("the id where the name is a command line", () => {
    const command = makeHook({ id: "user:PreToolUse:cd34", name: "bash -c 'x, y'", place: { file: "/h/.claude/settings.json", line: 3 } });
    expect(noticesFor(command)[0]).toMatch(/HOOKLOOP_DISABLE=user:PreToolUse:cd34$/);
  });

  test("the id where the name is only that of its script, which others may run as well", () => {
    const scripted = {
      ...makeHook({ id: "user:PreToolUse:ef56", name: "guard.sh", place: { file: "/s.json" } }),
      fields: { command: "sh guard.sh" },
    };
    expect(noticesFor(scripted)[0]).toBe(
      'PreToolUse was blocked by hook "guard.sh" (/s.json): main is protected\nTo switch it off for one run: HOOKLOOP_DISABLE=user:PreToolUse:ef56',
    );
  });

  test("to look at a guard that has changed since it was approved, each time that it blocks", () => {
    const outcome = { hook: guard, effects: [], failure: { kind: "untrusted", text: "changed" } };
    const verdict = { ...noVerdict("PreToolUse"), decision: "deny", reasons: [{ text: "changed", hook: guard.id }], outcomes: [outcome] };
    const [notice] = userNotices({ verdict: verdict as unknown as Verdict, hookOf: () => guard });
    expect(notice).toMatch(
      /\nIt was not run\. Look at it: (?:npx )?hookloop trust review\. To switch it off for one run: HOOKLOOP_DISABLE=/,
    );
  });

  test("that a managed hook stays", () => {
    const managed = makeHook({ name: "policy", scope: "managed", place: { file: "/etc/hookloop/hooks.json" } });
    expect(noticesFor(managed)[0]).toBe(
      'PreToolUse was blocked by hook "policy" (/etc/hookloop/hooks.json): main is protected\nIt is managed: only whoever manages this machine can switch it off.',
    );
  });

  test("that the program itself registered it", () => {
    expect(noticesFor(makeHook({ name: "embedded", scope: "code" }))[0]).toContain('hook "embedded" (registered by the program)');
  });

  test("at least the id of a hook that is gone", () => {
    expect(noticesFor(undefined)).toEqual(["PreToolUse was blocked by hook gone: main is protected"]);
  });

  test("its name once, also if its reason begins with it", () => {
    expect(noticesFor(guard, "no-force-push: main is protected")).toEqual(noticesFor(guard));
  });

  test("on one line, whatever the reason holds", () => {
    expect(noticesFor(guard, "a\n\u001b[2Jb")[0]?.split("\n")[0]).toMatch(/: a b$/);
  });

  test("which hook made the input that a guard denied, and not to switch off a guard that was given nonsense", () => {
    const rewriter = makeHook({ id: "project:PreToolUse:cd34", name: "g.mjs", place: { file: "s.json", line: 7, column: 6 } });
    const rewrote = { hook: rewriter, effects: [{ type: "rewriteInput" as const, input: {} }], diagnostics: [], durationMs: 1 };
    const noticesOf = (failure?: { kind: "unfit-input"; text: string }) => {
      const denied = { hook: guard, effects: [], diagnostics: [], durationMs: 1, isAgain: true as const, failure };
      const verdict = { ...noVerdict("PreToolUse"), decision: "deny" as const, reasons: [{ text: "no", hook: guard.id }] };
      return userNotices({ verdict: { ...verdict, outcomes: [rewrote, denied] }, hookOf: () => guard })[0];
    };
    expect(noticesOf()).toMatch(/\nIt judged what hook "g\.mjs" \(s\.json:7:6\) made of it\. To switch it off .*no-force-push$/);
    expect(noticesOf({ kind: "unfit-input", text: "x" })).toMatch(
      /\nIt judged what hook "g\.mjs" \(s\.json:7:6\) made of it\. Fix that hook\.$/,
    );
  });

  test("who stopped the agent, and who keeps it going", () => {
    const halted = { ...noVerdict("PostToolUse"), halt: { text: "budget", hook: guard.id } };
    expect(userNotices({ verdict: halted, hookOf: () => guard })[0]).toMatch(
      /^The agent was stopped at PostToolUse by hook "no-force-push"/,
    );
    const going = { ...noVerdict("Stop"), continueWith: [{ text: "tests", hook: guard.id }] };
    expect(userNotices({ verdict: going, hookOf: () => guard })[0]).toMatch(/^Stop: the agent continues because of hook "no-force-push"/);
  });
});

test("nothing of it is in what the model reads", () => {
  const verdict = { ...noVerdict("PreToolUse"), decision: "deny" as const, reasons: [{ text: "no", hook: guard.id }] };
  expect(modelTexts({ verdict, input: { tool_name: "Bash" } }).join()).not.toMatch(/HOOKLOOP_DISABLE|hooks\.json|no-force-push|ab12/);
});

describe("what a hook told the user", () => {
  const hook = makeHook({
    id: "project:SessionStart:1",
    name: "start.sh",
    scope: "project",
    place: { file: "s.json", line: 5, column: 9 },
  });
  const outcome = { hook, effects: [], diagnostics: [], durationMs: 1 };
  const tells = [{ text: "start-broken", hook: hook.id }];

  test("names the hook and its place where exit code 2 can do nothing but tell", () => {
    expect(toldTexts({ event: "SessionStart", tells, outcomes: [outcome] })).toEqual([
      'SessionStart hook "start.sh" (s.json:5:9): start-broken',
    ]);
  });

  test("is its own words elsewhere, and of a hook of the program", () => {
    expect(toldTexts({ event: "PreToolUse", tells, outcomes: [outcome] })).toEqual(["start-broken"]);
    const own = { ...outcome, hook: { ...hook, source: { ...hook.source, scope: "code" as const } } };
    expect(toldTexts({ event: "SessionStart", tells, outcomes: [own] })).toEqual(["start-broken"]);
  });
});
