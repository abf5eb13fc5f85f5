import { describe, expect, test } from "vitest";
import { createSamplingRegistry, defaultRegistry, registerAutoCompactHooks, resetHooks } from "../compat/sampling.ts";
import { openFlowLab } from "./flow-lab.test-suite.ts";

/** A conversation of about so many tokens. */
const long = (tokens: number) => [{ role: "user" as const, content: "x".repeat(tokens * 4) }];
const LS = { command: "ls" };

describe("after a tool, when the conversation is long", () => {
  test("the program is asked to compact, with the notice, and the call does not wait for it", async () => {
    const asked: unknown[] = [];
    let tokens = 10;
    const lab = await openFlowLab(
      [{ name: "auto-compact", threshold: 1000 }],
      {},
      {
        ports: { messages: () => long(tokens), compact: (notice) => asked.push(notice) },
      },
    );
    await lab.after("Bash", LS);
    expect(asked).toEqual([]);
    tokens = 1000;
    expect(await lab.after("Bash", LS)).toEqual({ model: "", user: "" });
    expect(asked).toEqual([{ text: "Compacting conversation...", forMs: 3000 }]);
  });

  test("it is asked once, and again only when there is much more or it was short meanwhile", async () => {
    let [times, tokens] = [0, 1000];
    const lab = await openFlowLab(
      [{ name: "auto-compact", threshold: 1000 }],
      {},
      {
        ports: { messages: () => long(tokens), compact: () => times++ },
      },
    );
    const after = async (now: number): Promise<number> => {
      tokens = now;
      await lab.after("Bash", LS);
      return times;
    };
    expect([await after(1000), await after(1100), await after(1300), await after(100), await after(1000)]).toEqual([1, 1, 2, 2, 3]);
  });

  test("a subagent's conversation is left alone", async () => {
    const lab = await openFlowLab([{ name: "auto-compact", threshold: 1 }], {}, { ports: { messages: () => long(10) } });
    expect((await lab.after("Bash", LS, { agent_id: "a1" })).user).toBe("");
    expect((await lab.after("Bash", LS)).user).not.toBe("");
  });

  test("where nobody can compact it is only told", async () => {
    const lab = await openFlowLab([{ name: "auto-compact", threshold: 1000 }], {}, { ports: { messages: () => long(1500) } });
    const { user } = await lab.after("Bash", LS);
    expect(user).toBe("The conversation is long (about 1,500 tokens). Compact it, as with /compact.");
  });

  test("of an agent that hands no messages on, its transcript tells how long it is: since the last compaction", async () => {
    const lab = await openFlowLab([{ name: "auto-compact", threshold: 1000 }]);
    const transcript_path = lab.write("t.jsonl", "x".repeat(8000));
    expect((await lab.after("Bash", LS, { transcript_path })).user).toContain("about 2,000 tokens");
    lab.write("t.jsonl", `${"x".repeat(8000)}"compact_boundary"`);
    expect((await lab.after("Bash", LS, { transcript_path, session_id: "other" })).user).toBe("");
  });

  test("a compact() that throws is reported and hurts nothing", async () => {
    const lab = await openFlowLab(
      [{ name: "auto-compact", threshold: 1 }],
      {},
      {
        ports: {
          messages: () => long(9),
          compact: () => {
            throw new Error("broken");
          },
        },
      },
    );
    await lab.after("Bash", LS);
    expect(lab.diagnostics.map(({ text }) => text)).toEqual(["compact() of ports threw: broken"]);
  });
});

describe("in the sampling registry", () => {
  const tool = { name: "Bash", execute: () => "done" };

  test("registerAutoCompactHooks() gives the same hook, listed, and taken away by what it returns", async () => {
    resetHooks();
    const asked: unknown[] = [];
    const take = registerAutoCompactHooks({ threshold: 1000 }, { messages: () => long(1000), compact: (notice) => asked.push(notice) });
    expect(defaultRegistry.listHooks()).toMatchObject([{ name: "auto-compact", type: "post_tool_sample" }]);
    const result = await defaultRegistry.executeToolWithHooks(tool, { command: "ls" });
    expect([result.content, asked]).toEqual(["done", [{ text: "Compacting conversation...", forMs: 3000 }]]);
    take();
    expect(defaultRegistry.listHooks()).toEqual([]);
    resetHooks();
  });

  test("CLAUDE_CODE_DISABLE_HOOKS=auto_compact switches it off, and the list says so", async () => {
    const { autoCompact } = await import("./index.ts");
    let times = 0;
    const registry = createSamplingRegistry({
      ports: { env: { CLAUDE_CODE_DISABLE_HOOKS: "auto_compact" }, messages: () => long(10), compact: () => times++ },
    });
    registry.registerShipped("post_tool_sample", "auto-compact", autoCompact, { threshold: 1 });
    await registry.executeToolWithHooks(tool, { command: "ls" });
    expect(times).toBe(0);
    expect(registry.listHooks()[0]?.switchedOff).toContain("CLAUDE_CODE_DISABLE_HOOKS");
  });

  test("an option that it does not have is an error at once", () => {
    expect(() => registerAutoCompactHooks({ treshold: 1 } as never)).toThrow(/Did you mean "threshold"/);
  });
});
