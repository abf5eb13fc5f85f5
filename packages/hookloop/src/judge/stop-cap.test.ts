import { describe, expect, test } from "vitest";
import { createStopCap, type StopCap } from "./texts.ts";
import { noVerdict, type Verdict } from "./verdict.ts";

const blocks: Verdict = { ...noVerdict("Stop"), continueWith: [{ text: "more", hook: "user:1" }] };
const context: Verdict = { ...noVerdict("Stop"), contexts: [{ text: "more", hook: "user:1" }] };
const halts: Verdict = { ...blocks, halt: { text: "enough", hook: "user:2" } };

/** How many blocks in a row let the agent continue. */
function continuations(cap: StopCap, verdict: Verdict = blocks, agentId?: string): number {
  for (let count = 0; count < 100; count++) if (!cap.onVerdict(verdict, agentId).continues) return count;
  return 100;
}

describe("the cap on consecutive stops", () => {
  test.each([
    [undefined, 8],
    [{}, 8],
    [{ cap: 3 }, 3],
    [{ cap: 1 }, 1],
    [{ cap: 0 }, 100],
    [{ cap: Number.NaN }, 8],
    [{ cap: -1 }, 8],
    [{ cap: Number.POSITIVE_INFINITY }, 8],
  ])("%j allows %i continuations", (options, allowed) => {
    expect(continuations(createStopCap(options))).toBe(allowed);
  });

  test("in a run without a user to end it, fifty continuations of a turn are the most, also with tool calls between them", () => {
    const rounds = (options: object): number => {
      const cap = createStopCap(options);
      for (let count = 0; count < 200; count++) {
        cap.progress();
        const { continues, warning } = cap.onVerdict(blocks);
        if (!continues) return warning?.text.includes("50 times in one turn") ? count : -1;
      }
      return 200;
    };
    expect(rounds({ isUnattended: true })).toBe(50);
    expect(rounds({ isUnattended: true, cap: 0 })).toBe(200);
    expect(rounds({})).toBe(200);
  });

  test("a turn that ended starts the fifty again", () => {
    const cap = createStopCap({ isUnattended: true });
    for (let turn = 0; turn < 3; turn++) {
      for (let count = 0; count < 40; count++) {
        cap.progress();
        expect(cap.onVerdict(blocks).continues).toBe(true);
      }
      cap.onVerdict(noVerdict("Stop"));
    }
  });

  test("a SubagentStop that lets the agent stop does not start TeammateIdle's count again", () => {
    const cap = createStopCap({ cap: 2 });
    const idle: Verdict = { ...noVerdict("TeammateIdle"), continueWith: [{ text: "more", hook: "user:1" }] };
    const rounds = Array.from({ length: 3 }, () => {
      cap.onVerdict(noVerdict("SubagentStop"), "a");
      return cap.onVerdict(idle, "a").continues;
    });
    expect(rounds).toEqual([true, true, false]);
    expect(cap.isActive("a")).toBe(false);
  });

  test("overrides the ninth block with a warning", () => {
    const cap = createStopCap();
    const decisions = Array.from({ length: 9 }, () => cap.onVerdict(blocks));
    expect(decisions.slice(0, 8)).toEqual(Array(8).fill({ continues: true }));
    expect(decisions[8]).toEqual({
      continues: false,
      warning: {
        code: "HL_LOOP_STOP_CAP",
        level: "warning",
        text: "Stop hooks kept the agent going 8 times in a row without a tool call; the next block is overridden and the agent stops. Let the hook look at stop_hook_active, or change the cap (stopCap of openHooks or of the settings, CLAUDE_CODE_STOP_HOOK_BLOCK_CAP; 0 switches it off).",
        hook: "user:1",
      },
    });
  });

  test("starts again after an override and after an ordinary stop", () => {
    const cap = createStopCap({ cap: 2 });
    expect(continuations(cap)).toBe(2);
    expect(continuations(cap)).toBe(2);
    cap.onVerdict(blocks);
    cap.onVerdict(noVerdict("Stop"));
    expect(continuations(cap)).toBe(2);
  });

  test("is not reached while the agent makes progress: eleven blocks pass", () => {
    const cap = createStopCap();
    for (let count = 0; count < 11; count++) {
      expect(cap.onVerdict(blocks).continues).toBe(true);
      cap.progress();
    }
  });

  test("counts context of a Stop hook like a block, and a halt ends it", () => {
    expect(continuations(createStopCap({ cap: 3 }), context)).toBe(3);
    expect(createStopCap().onVerdict(halts)).toEqual({ continues: false });
  });

  test("context elsewhere keeps no agent going", () => {
    expect(createStopCap().onVerdict({ ...context, event: "PostToolUse" }).continues).toBe(false);
  });

  test("counts each agent for itself", () => {
    const cap = createStopCap({ cap: 2 });
    cap.onVerdict(blocks);
    cap.onVerdict(blocks, "agent-1");
    cap.progress("agent-2");
    expect(continuations(cap)).toBe(1);
    expect(continuations(cap, blocks, "agent-1")).toBe(1);
    expect(continuations(cap, blocks, "agent-2")).toBe(2);
  });
});

describe("stop_hook_active", () => {
  test("is false first, true while a hook keeps the agent going, also after a tool call, false once it stopped", () => {
    const cap = createStopCap();
    expect(cap.isActive()).toBe(false);
    cap.onVerdict(blocks);
    cap.progress();
    expect(cap.isActive()).toBe(true);
    expect(cap.isActive("agent-1")).toBe(false);
    cap.onVerdict(noVerdict("Stop"));
    expect(cap.isActive()).toBe(false);
  });

  test("is false after a new prompt", () => {
    const cap = createStopCap();
    cap.onVerdict(blocks);
    cap.reset();
    expect(cap.isActive()).toBe(false);
  });

  test("a tool call alone does not switch it on", () => {
    const cap = createStopCap();
    cap.progress();
    expect(cap.isActive()).toBe(false);
  });
});
