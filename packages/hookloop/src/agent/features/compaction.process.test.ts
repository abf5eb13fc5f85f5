import { describe, expect, test } from "vitest";
import { answer, commands, openFeatureLab, RECORD, say, sent } from "./feature-lab.test-suite.ts";

const recorders = { PreCompact: commands(RECORD), PostCompact: commands(RECORD) };

describe("/compact", () => {
  test("the conversation begins anew with the model's summary, and hooks are told in order", async () => {
    const lab = await openFeatureLab({
      turns: [say("first answer"), say("second answer")],
      sideReply: "they greeted each other",
      hooks: {
        ...recorders,
        SessionStart: [{ matcher: "compact", hooks: [{ type: "command", command: `${RECORD}; echo remember the rules` }] }],
      },
    });
    await lab.submit("hello there");
    const { text } = await lab.submit("/compact keep the names");
    expect(text).toBe("The conversation was compacted: a summary replaces 2 messages.");
    await lab.submit("go on");
    const request = sent(lab.requests[1]);
    expect(request).toContain("they greeted each other");
    expect(request).not.toContain("hello there");
    expect(request).toContain("SessionStart:compact hook success: remember the rules");
    expect(lab.recorded("PreCompact")).toMatchObject([{ trigger: "manual", custom_instructions: "keep the names" }]);
    expect(lab.recorded("SessionStart")).toMatchObject([{ source: "compact", model: "first-model" }]);
    expect(lab.recorded("PostCompact")).toMatchObject([{ trigger: "manual", compact_summary: "they greeted each other" }]);
  });

  test("a hook that blocks keeps the conversation as it is, and its reason is shown", async () => {
    const lab = await openFeatureLab({ hooks: { ...recorders, PreCompact: commands("echo not now >&2; exit 2") } });
    await lab.submit("hello there");
    const { text } = await lab.submit("/compact");
    expect(text).toContain("not now");
    await lab.submit("go on");
    expect(sent(lab.requests[1])).toContain("hello there");
    expect(lab.recorded("PostCompact")).toEqual([]);
  });

  test("without a model rules make the summary, and the run says so", async () => {
    const lab = await openFeatureLab({ sideReply: new Error("no model today"), hooks: recorders });
    await lab.submit("hello there");
    await lab.submit("/compact");
    expect(lab.diagnostics).toContainEqual(
      expect.objectContaining({ code: "HL_AGENT_COMPACT", text: expect.stringContaining("no model today") }),
    );
    expect(lab.recorded("PostCompact")).toMatchObject([{ compact_summary: expect.stringContaining("hello there") }]);
  });

  test("what was not said yet cannot be compacted", async () => {
    const lab = await openFeatureLab({ hooks: recorders });
    expect((await lab.submit("/compact")).text).toContain("nothing to compact");
    expect(lab.recorded("PreCompact")).toEqual([]);
  });
});

describe("near the window's end", () => {
  const long = "many words ".repeat(200);

  test("the conversation is compacted by itself; what the model is about to answer stays", async () => {
    process.env["HOOKLOOP_CONTEXT_WINDOW"] = "300";
    try {
      const lab = await openFeatureLab({ sideReply: "a short story", hooks: recorders });
      await lab.submit(long);
      await lab.submit("and now?");
      expect(sent(lab.requests.at(-1))).toContain("a short story");
      expect(sent(lab.requests.at(-1))).toContain("and now?");
      expect(sent(lab.requests.at(-1))).not.toContain("many words");
      expect(lab.recorded("PreCompact")).toMatchObject([{ trigger: "auto", custom_instructions: null }]);
    } finally {
      delete process.env["HOOKLOOP_CONTEXT_WINDOW"];
    }
  });

  test("a hook that blocks is not asked again before there is more to say", async () => {
    process.env["HOOKLOOP_CONTEXT_WINDOW"] = "300";
    try {
      const lab = await openFeatureLab({ hooks: { PreCompact: commands(`${RECORD}; ${answer("PreCompact", {})}; echo no >&2; exit 2`) } });
      await lab.submit(long);
      await lab.submit("and now?");
      expect(sent(lab.requests.at(-1))).toContain("many words");
      expect(lab.recorded("PreCompact")).toHaveLength(1);
    } finally {
      delete process.env["HOOKLOOP_CONTEXT_WINDOW"];
    }
  });
});
