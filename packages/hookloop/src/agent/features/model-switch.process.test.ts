import { describe, expect, test } from "vitest";
import { answer, commands, openFeatureLab, RECORD, sent } from "./feature-lab.test-suite.ts";

const FIGURES = {
  context_tokens: expect.any(Number),
  prompt_cache_warm: expect.any(Boolean),
  cache_ttl: "5m",
  estimated_cache_write_usd: expect.any(Number),
  pricing: "default",
};
const recorders = { PreModelSwitch: commands(RECORD), PostModelSwitch: commands(RECORD) };

describe("/model", () => {
  test("the next request goes to the other model, and hooks are told before and after", async () => {
    const lab = await openFeatureLab({ hooks: recorders });
    await lab.submit("hello");
    expect((await lab.submit("/model second-model")).text).toContain("second-model");
    await lab.submit("again");
    expect(lab.requests.map(({ model }) => model)).toEqual(["first-model", "second-model"]);
    const wanted = { from_model: "first-model", to_model: "second-model", requested_model: "second-model", source: "command", ...FIGURES };
    expect(lab.recorded("PreModelSwitch")).toMatchObject([wanted]);
    expect(lab.recorded("PostModelSwitch")).toMatchObject([{ ...wanted, prompt_cache_warm: true }]);
  });

  test.each([
    ["a JSON deny", answer("PreModelSwitch", { permissionDecision: "deny", permissionDecisionReason: "too dear" })],
    ["exit 2", "echo too dear >&2; exit 2"],
    ["a question without a user to ask", answer("PreModelSwitch", { permissionDecision: "ask", permissionDecisionReason: "too dear" })],
  ])("%s keeps the model", async (_, command) => {
    const lab = await openFeatureLab({ hooks: { ...recorders, PreModelSwitch: commands(command) } });
    expect((await lab.submit("/model second-model")).text).toContain("too dear");
    await lab.submit("hello");
    expect(lab.requests[0]?.model).toBe("first-model");
    expect(lab.recorded("PostModelSwitch")).toEqual([]);
  });

  test("a model that cannot be used is refused with the reason, no hook runs, and nothing changes", async () => {
    const prepareModel = (name: string): (() => void) => {
      throw new Error(`There is no key for ${name}. Set one.`);
    };
    const lab = await openFeatureLab({ hooks: recorders, agent: { prepareModel } });
    expect((await lab.submit("/model second-model")).text).toBe("The model stays first-model. There is no key for second-model. Set one.");
    await lab.submit("hello");
    expect(lab.requests[0]?.model).toBe("first-model");
    expect(lab.agent.modelName()).toBe("first-model");
    expect([...lab.recorded("PreModelSwitch"), ...lab.recorded("PostModelSwitch")]).toEqual([]);
  });

  test("the other model is made ready only once hooks agree", async () => {
    let uses = 0;
    const prepareModel = () => () => uses++;
    const refused = await openFeatureLab({ hooks: { PreModelSwitch: commands("exit 2") }, agent: { prepareModel } });
    await refused.submit("/model second-model");
    expect(uses).toBe(0);
    const agreed = await openFeatureLab({ agent: { prepareModel } });
    await agreed.submit("/model second-model");
    expect(uses).toBe(1);
  });

  test("where a script answers, another name is a rehearsal, and that is reported", async () => {
    const lab = await openFeatureLab({ hooks: recorders, agent: { isScripted: true } });
    expect((await lab.submit("/model second-model")).text).toBe(
      "The model is called second-model now, for hooks; the answers still come from the script (--script). To go back: /model first-model",
    );
    expect(lab.recorded("PostModelSwitch")).toHaveLength(1);
    expect((await lab.submit("/model")).text).toContain("the answers come from the script (--script)");
  });

  test("what a PostModelSwitch hook says reaches the model with the next message, labelled", async () => {
    const lab = await openFeatureLab({
      hooks: { PostModelSwitch: commands(answer("PostModelSwitch", { additionalContext: "MARK new here" })) },
    });
    await lab.submit("/model second-model");
    await lab.submit("hello");
    expect(sent(lab.requests[0])).toMatch(/PostModelSwitch[^"]* hook additional context: MARK new here/);
  });

  test("the same model, or none, fires nothing", async () => {
    const lab = await openFeatureLab({ hooks: recorders });
    expect((await lab.submit("/model")).text).toContain("first-model");
    expect((await lab.submit("/model first-model")).text).toContain("already");
    expect(lab.recorded("PreModelSwitch")).toEqual([]);
  });
});

test("a session that is gone on with by another model tells hooks; no user is asked", async () => {
  const earlier = { id: "session-1", file: "", entries: [], damaged: 0, model: "old-model" };
  const lab = await openFeatureLab({
    hooks: recorders,
    agent: { earlier },
  });
  expect(lab.recorded("PreModelSwitch")).toEqual([]);
  expect(lab.recorded("PostModelSwitch")).toMatchObject([
    { from_model: "old-model", to_model: "first-model", requested_model: null, source: "resume", ...FIGURES },
  ]);
});
