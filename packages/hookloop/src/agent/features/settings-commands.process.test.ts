import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openFeatureLab } from "./feature-lab.test-suite.ts";
import { statusText } from "./session-commands.ts";

const command = (text: string): object => ({ type: "command", command: text });

describe("statusLine", () => {
  test("gets the session as JSON on stdin, and what it prints is the line", async () => {
    const lab = await openFeatureLab({ settings: { statusLine: { ...command("cat > in.json; echo all well"), padding: 0 } } });
    expect(await lab.agent.settings.statusLine()).toBe("all well");
    expect(JSON.parse(lab.read("project/in.json") ?? "")).toMatchObject({
      hook_event_name: "Status",
      cwd: lab.project,
      model: { id: "first-model" },
      workspace: { current_dir: lab.project, project_dir: lab.project },
    });
    expect(lab.diagnostics).toEqual([]);
  });

  test("of a project that is not trusted is not run, and the run says so", async () => {
    const lab = await openFeatureLab({
      trust: "store",
      settings: { statusLine: command("touch pwned; echo hi"), fileSuggestion: command("touch pwned") },
    });
    expect(await lab.agent.settings.statusLine()).toBeUndefined();
    expect(await lab.agent.settings.suggestFiles("a")).toBeUndefined();
    await lab.submit("hello");
    expect(existsSync(path.join(lab.project, "pwned"))).toBe(false);
    const said = lab.diagnostics.filter(({ code }) => code === "HL_ADMIT_UNTRUSTED").map(({ text }) => text);
    expect(said).toEqual([expect.stringContaining("statusLine"), expect.stringContaining("fileSuggestion")]);
  });

  test("is no hook: no event runs it", async () => {
    const lab = await openFeatureLab({ settings: { statusLine: command("touch ran") }, ask: () => true });
    expect(lab.hooks.has("Notification")).toBe(false);
    await lab.hooks.fire("Notification", { message: "hello", notification_type: "permission_prompt" });
    expect(existsSync(path.join(lab.project, "ran"))).toBe(false);
  });

  test("whose script changed after it was approved is not run", async () => {
    const lab = await openFeatureLab({ settings: { statusLine: command("sh line.sh") }, files: { "project/line.sh": "echo fine\n" } });
    expect(await lab.agent.settings.statusLine()).toBe("fine");
    writeFileSync(path.join(lab.project, "line.sh"), "touch pwned\n");
    expect(await lab.agent.settings.statusLine()).toBeUndefined();
    expect(existsSync(path.join(lab.project, "pwned"))).toBe(false);
    expect(lab.diagnostics).toContainEqual(expect.objectContaining({ code: "HL_TRUST_CHANGED" }));
  });

  test("that an edit brings is not run before it is approved; the user's own is", async () => {
    const lab = await openFeatureLab();
    lab.write("project/.claude/settings.json", { statusLine: command("touch pwned; echo pwned") });
    lab.write("home/.claude/settings.json", { statusLine: command("echo mine") });
    await lab.submit("hello");
    expect(await lab.agent.settings.statusLine()).toBe("mine");
    expect(existsSync(path.join(lab.project, "pwned"))).toBe(false);
  });

  test.each([
    ["fails", "exit 3"],
    ["is not there", "no-such-command-here"],
  ])("that %s is said once", async (_, text) => {
    const lab = await openFeatureLab({ settings: { statusLine: command(text) } });
    expect(await lab.agent.settings.statusLine()).toBeUndefined();
    expect(await lab.agent.settings.statusLine()).toBeUndefined();
    expect(lab.diagnostics.filter(({ code }) => code === "HL_AGENT_SETTING_COMMAND")).toHaveLength(1);
  });

  test("that never ends is ended", async () => {
    const lab = await openFeatureLab({ settings: { statusLine: { ...command("sleep 100"), timeout: 1 } } });
    const startedAt = performance.now();
    expect(await lab.agent.settings.statusLine()).toBeUndefined();
    expect(performance.now() - startedAt).toBeLessThan(8000);
  });

  test("must be a command", async () => {
    const lab = await openFeatureLab({ settings: { statusLine: { type: "prompt", prompt: "x" } } });
    expect(await lab.agent.settings.statusLine()).toBeUndefined();
    expect(lab.diagnostics).toContainEqual(expect.objectContaining({ code: "HL_CONFIG_KIND_NOT_ALLOWED" }));
  });
});

describe("fileSuggestion", () => {
  test("gets what was typed, and prints a list", async () => {
    const lab = await openFeatureLab({ settings: { fileSuggestion: command(`cat > in.json; echo '["src/a.ts", "src/b.ts"]'`) } });
    expect(await lab.agent.settings.suggestFiles("src/")).toEqual(["src/a.ts", "src/b.ts"]);
    expect(JSON.parse(lab.read("project/in.json") ?? "")).toMatchObject({ query: "src/" });
  });

  test.each(["src/a.ts", "{}", '["a", 5]', ""])("that prints no list of texts is said: %s", async (text) => {
    const lab = await openFeatureLab({ settings: { fileSuggestion: command(`printf '%s' '${text}'`) } });
    expect(await lab.agent.settings.suggestFiles("")).toBeUndefined();
    expect(lab.diagnostics).toContainEqual(expect.objectContaining({ code: "HL_AGENT_SETTING_COMMAND" }));
  });

  test("names that would do something to a terminal are left out, and so are too many", async () => {
    const names = JSON.stringify(["ok", "bad\u001b[2J", ...Array.from({ length: 500 }, (_, index) => `f${index}`)]);
    const lab = await openFeatureLab({ settings: { fileSuggestion: command("cat names.json") }, files: { "project/names.json": names } });
    const files = await lab.agent.settings.suggestFiles("");
    expect(files?.slice(0, 2)).toEqual(["ok", "f0"]);
    expect(files).toHaveLength(100);
  });
});

describe("the text of a status line", () => {
  test.each([
    ["plain\n", "plain"],
    ["a\u001b[31mred\u001b[0m\n", "a\u001b[31mred\u001b[0m\u001b[0m"],
    ["a\u001b]0;title\u0007b", "a]0;titleb\u001b[0m"],
    ["a\u001b[2Jb", "a[2Jb\u001b[0m"],
    ["a\rb\u009b2Jc", "ab2Jc"],
    ["1\n2\n3\n4\n5", "1\n2\n3"],
  ])("keeps colours and nothing else: %j", (stdout, text) => {
    expect(statusText(stdout)).toBe(text);
  });

  test("is short", () => {
    expect(statusText("x".repeat(100_000))).toHaveLength(500);
  });
});
