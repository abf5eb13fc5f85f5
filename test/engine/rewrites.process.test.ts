import { ask, context, deny, rewrite, tellUser } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import { bash, decides, hooksFor, openProject, printing } from "./open-project.ts";

const rewriteTo = (command: string): string => decides("allow", { updatedInput: { command } });
/** Adds a letter to the command it is given; `jq` is not everywhere, node is. */
const appending = (letter: string): string =>
  `node -e 'const i=JSON.parse(require("fs").readFileSync(0,"utf8"));console.log(JSON.stringify({hookSpecificOutput:{hookEventName:"PreToolUse",permissionDecision:"allow",updatedInput:{command:i.tool_input.command+"${letter}"}}}))'`;
/** Denies what contains the word, as a native guard. */
const guardAgainst = (word: string): object => ({ command: `! grep -q '${word}' || { echo found ${word} >&2; exit 2; }`, guard: true });

describe("several rewrites", () => {
  test("have one result whoever ends first: the last declared of the highest source", async () => {
    const slow = (command: string): string => `sleep 0.0$((\${RANDOM:-$$} % 9)); ${rewriteTo(command)}`;
    const project = openProject({
      user: hooksFor("PreToolUse", [
        { command: slow("user-1"), shell: "bash" },
        { command: slow("user-2"), shell: "bash" },
      ]),
      project: hooksFor("PreToolUse", [{ command: slow("project"), shell: "bash" }]),
    });
    const hooks = await project.open();
    const results = new Set<unknown>();
    for (let run = 0; run < 20; run++) results.add((await hooks.fire("PreToolUse", bash("ls"))).updatedInput?.["command"]);
    expect([...results]).toEqual(["user-2"]);
    expect(project.codes()).toContain("HL_MERGE_REWRITE_CONFLICT");
  });

  test("in a sequential group are a pipeline", async () => {
    const project = openProject({ native: hooksFor("PreToolUse", [appending("b"), appending("c"), appending("d")], { sequential: true }) });
    const verdict = await (await project.open()).fire("PreToolUse", bash("a"));
    expect(verdict.updatedInput).toEqual({ command: "abcd" });
    expect(project.codes()).not.toContain("HL_MERGE_REWRITE_CONFLICT");
  });

  test("a denial ends a sequential group", async () => {
    const project = openProject({ native: hooksFor("PreToolUse", ["touch one", "exit 2", "touch three"], { sequential: true }) });
    const verdict = await (await project.open()).fire("PreToolUse", bash("a"));
    expect([verdict.decision, project.read("one"), project.read("three")]).toEqual(["deny", "", undefined]);
  });
});

describe("a rewrite with a field that the tool does not have", () => {
  test("is said once, with the hook and the field", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", { name: "shorten" }, ({ tool_input }) => rewrite({ ...(tool_input as object), cmd: "ls" }));
    for (let call = 0; call < 2; call++) await hooks.fire("PreToolUse", bash("ls"));
    expect(project.diagnostics).toMatchObject([
      { code: "HL_OUTPUT_UNKNOWN_FIELD", level: "warning", text: expect.stringMatching(/hook "shorten".*"cmd".*Bash.*command/) },
    ]);
  });

  test("is no news for a field that the call had itself, nor for unknown tools", async () => {
    const project = openProject();
    const hooks = await project.open({ tools: ["Deploy"] });
    hooks.on("PreToolUse", { name: "shorten" }, ({ tool_input }) => rewrite({ ...(tool_input as object), zone: "b" }));
    await hooks.fire("PreToolUse", { ...bash("ls"), tool_input: { command: "ls", zone: "a" } });
    await hooks.fire("PreToolUse", { ...bash("ls"), tool_name: "Deploy" });
    expect(project.codes()).toEqual([]);
  });
});

// Which hooks judge it, and how: test/security/rewrites.process.test.ts.
describe("a rewritten input is judged once more", () => {
  test("a guard that would not have it blocks, and the rewrite is dropped", async () => {
    const project = openProject({ user: hooksFor("PreToolUse", rewriteTo("evil")) });
    project.write("home/.config/hookloop/hooks.json", hooksFor("PreToolUse", [guardAgainst("evil") as never]));
    const verdict = await (await project.open()).fire("PreToolUse", bash("ls"));
    expect([verdict.decision, verdict.reasons.map(({ text }) => text), verdict.updatedInput]).toEqual(["deny", ["found evil"], undefined]);
  });

  test("a guard that has nothing against it lets it pass", async () => {
    const project = openProject({
      user: hooksFor("PreToolUse", rewriteTo("good")),
      userNative: hooksFor("PreToolUse", [guardAgainst("evil") as never]),
    });
    const verdict = await (await project.open()).fire("PreToolUse", bash("ls"));
    expect([verdict.decision, verdict.updatedInput]).toEqual(["allow", { command: "good" }]);
  });

  test("a second rewrite is ignored, said once; the same rewrite again is none", async () => {
    const project = openProject({ userNative: hooksFor("PreToolUse", [{ command: appending("x"), guard: true }]) });
    const hooks = await project.open();
    for (let run = 0; run < 3; run++) expect((await hooks.fire("PreToolUse", bash("ls"))).updatedInput).toEqual({ command: "lsx" });
    expect(project.codes()).toEqual(["HL_LOOP_REWRITE_REFUSED"]);
    const command = `cat >> seen; ${rewriteTo("again")}`;
    const same = openProject({ userNative: hooksFor("PreToolUse", [{ command, guard: true }]) });
    expect((await (await same.open()).fire("PreToolUse", bash("ls"))).updatedInput).toEqual({ command: "again" });
    expect(same.codes()).toEqual([]);
    expect(same.read("seen")?.match(/"command":"\w+"/g)).toEqual(['"command":"ls"', '"command":"again"']);
  });

  test("by functions too, on the fast path", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", {}, () => rewrite({ command: "evil" }));
    hooks.on("PreToolUse", { guard: true, tool: "Bash" }, ({ tool_input }) =>
      tool_input.command === "evil" ? deny("found evil") : undefined,
    );
    const verdict = await hooks.fire("PreToolUse", bash("ls"));
    expect([verdict.decision, verdict.updatedInput]).toEqual(["deny", undefined]);
  });

  test("by functions too, the long way", async () => {
    const hooks = await openProject().open();
    hooks.on("PreToolUse", {}, () => rewrite({ command: "evil" }));
    hooks.on("PreToolUse", { guard: true, tool: "Bash" }, ({ tool_input }) =>
      tool_input.command === "evil" ? deny("found evil") : undefined,
    );
    const verdict = await hooks.fire("PreToolUse", bash("ls"), { timeoutMs: 10_000 });
    expect([verdict.decision, verdict.updatedInput]).toEqual(["deny", undefined]);
  });

  test("what a guard says the second time joins what was said the first: no reason, context or message is lost", async () => {
    const hooks = await openProject().open();
    hooks.on("PreToolUse", {}, () => rewrite({ command: "new" }).with(ask("first")));
    hooks.on("PreToolUse", { guard: true, tool: "Bash" }, ({ tool_input }) =>
      tool_input.command === "new" ? ask("second").with(context("about new")).with(tellUser("look")) : context("about old"),
    );
    const verdict = await hooks.fire("PreToolUse", bash("ls"), { timeoutMs: 10_000 });
    expect(verdict.decision).toBe("ask");
    expect(verdict.reasons.map(({ text }) => text)).toEqual(["first", "second"]);
    expect(verdict.contexts.map(({ text }) => text)).toEqual(["about old", "about new"]);
    expect(verdict.tells.map(({ text }) => text)).toEqual(["look"]);
    expect(verdict.updatedInput).toEqual({ command: "new" });
  });

  test("a guard that defers the new input is received", async () => {
    const command = `if grep -q '"command":"new"'; then ${decides("defer", { permissionDecisionReason: "later" })}; fi`;
    const project = openProject({
      userNative: hooksFor("PreToolUse", [{ command, guard: true }]),
      user: hooksFor("PreToolUse", rewriteTo("new")),
    });
    expect((await (await project.open()).fire("PreToolUse", bash("ls"))).decision).toBe("defer");
  });

  test("a guard selected only by the new input runs", async () => {
    const project = openProject({
      userNative: hooksFor("PreToolUse", [{ command: "echo no pushing >&2; exit 2", guard: true, if: "Bash(git push *)" }]),
      user: hooksFor("PreToolUse", rewriteTo("git push origin")),
    });
    expect((await (await project.open()).fire("PreToolUse", bash("git status"))).decision).toBe("deny");
  });

  test("a rewritten prompt is judged once more too", async () => {
    const native = hooksFor("UserPromptSubmit", [
      printing({ hookSpecificOutput: { hookEventName: "UserPromptSubmit", updatedPrompt: "evil" } }),
      guardAgainst('"prompt":"evil"') as never,
    ]);
    const hooks = await openProject({ userNative: native }).open();
    const verdict = await hooks.fire("UserPromptSubmit", { prompt: "good" });
    expect([verdict.decision, verdict.updatedPrompt]).toEqual(["deny", undefined]);
  });
});
