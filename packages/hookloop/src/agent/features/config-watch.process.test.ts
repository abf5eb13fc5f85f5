import { existsSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { answer, commands, type FeatureLab, openFeatureLab, RECORD, sent, use } from "./feature-lab.test-suite.ts";

const marker = (lab: FeatureLab, name: string): boolean => existsSync(path.join(lab.project, name));
const SETTINGS = "project/.claude/settings.json";
/** Longer than a file must be quiet before it is looked at. */
const SETTLED_MS = 600;

describe("an edit of settings", () => {
  test("fires ConfigChange once, with its file and what kind of settings it is", async () => {
    const lab = await openFeatureLab({ hooks: { ConfigChange: commands(RECORD) } });
    const file = lab.write(SETTINGS, { hooks: { ConfigChange: commands(RECORD), Stop: commands("true") } });
    const local = lab.write("project/.claude/settings.local.json", { hooks: {} });
    const user = lab.write("home/.claude/settings.json", { hooks: {} });
    const managed = lab.write("managed/hooks.json", { hooks: {} });
    await lab.submit("hello");
    const seen = lab.recorded("ConfigChange").map(({ source, file_path }) => [source, file_path]);
    expect(seen.sort()).toEqual([
      ["local_settings", local],
      ["policy_settings", managed],
      ["project_settings", file],
      ["user_settings", user],
    ]);
    await lab.submit("again");
    expect(lab.recorded("ConfigChange")).toHaveLength(4);
  });

  test("is noticed while the model is not asked, also from editors that rename", async () => {
    const lab = await openFeatureLab({ hooks: { ConfigChange: commands(RECORD) } });
    const file = path.join(lab.project, ".claude/settings.json");
    writeFileSync(`${file}.tmp`, JSON.stringify({ hooks: { ConfigChange: commands(RECORD), Stop: commands("true") } }));
    renameSync(`${file}.tmp`, file);
    await sleep(SETTLED_MS);
    expect(lab.recorded("ConfigChange")).toMatchObject([{ source: "project_settings", file_path: file }]);
  });

  test("that only touches the file is none", async () => {
    const lab = await openFeatureLab({ hooks: { ConfigChange: commands(RECORD) } });
    lab.write(SETTINGS, lab.read(SETTINGS));
    await lab.submit("hello");
    expect(lab.recorded("ConfigChange")).toEqual([]);
  });

  test("does not run a hook that is not approved, not even where the workspace was trusted; the run says so", async () => {
    const lab = await openFeatureLab();
    lab.write(SETTINGS, { hooks: { Stop: commands("touch pwned") } });
    await lab.submit("hello");
    await lab.submit("again");
    expect(marker(lab, "pwned")).toBe(false);
    expect(lab.diagnostics).toContainEqual(expect.objectContaining({ code: "HL_ADMIT_UNTRUSTED", place: expect.anything() }));
    expect(lab.tells().join("\n")).toContain("1 hook is not approved and does not run");
  });

  test("applies what the user approves", async () => {
    const review = async (pending: readonly { readonly hook: { readonly id: string }; readonly digest: string }[]) =>
      pending.map(({ hook, digest }) => ({ id: hook.id, digest }));
    const lab = await openFeatureLab({ trust: { workspace: true, review } });
    lab.write(SETTINGS, { hooks: { Stop: commands("touch ran") } });
    await lab.submit("hello");
    expect(marker(lab, "ran")).toBe(true);
  });

  test.each([
    ["exit 2", "echo stay >&2; exit 2"],
    ["a JSON block", `printf '{"decision":"block","reason":"stay"}'`],
  ])("is not applied if a hook blocks it by %s", async (_, command) => {
    const lab = await openFeatureLab({ trust: "implicit", hooks: { ConfigChange: commands(command) } });
    lab.write(SETTINGS, { hooks: { ConfigChange: commands(command), Stop: commands("touch ran") } });
    await lab.submit("hello");
    expect(marker(lab, "ran")).toBe(false);
    expect(lab.tells().join("\n")).toContain("stay");
  });

  test("is applied if no hook blocks it", async () => {
    const lab = await openFeatureLab({ trust: "implicit", hooks: { ConfigChange: commands("true") } });
    lab.write(SETTINGS, { hooks: { ConfigChange: commands("true"), Stop: commands("touch ran") } });
    await lab.submit("hello");
    expect(marker(lab, "ran")).toBe(true);
  });

  test("says something about rules only where there are some", async () => {
    const lab = await openFeatureLab({ trust: "implicit" });
    lab.write(SETTINGS, { hooks: { Stop: commands("touch ran") } });
    await lab.submit("hello");
    expect(lab.tells().join("\n")).toMatch(/was edited: 1 hook was added\.$/m);
    lab.write(SETTINGS, { permissions: { allow: ["Read"] } });
    await lab.submit("hello");
    expect(lab.tells().join("\n")).toContain("Its permission rules count from the next session.");
  });

  test("of managed policy is applied whatever a hook says", async () => {
    const lab = await openFeatureLab({ hooks: { ConfigChange: commands("exit 2") } });
    lab.write("managed/hooks.json", { hooks: { Stop: commands("touch ran") } });
    await lab.submit("hello");
    expect(marker(lab, "ran")).toBe(true);
  });

  test("cannot take a guard out of the session", async () => {
    const guard = { PreToolUse: commands("echo guarded >&2; exit 2") };
    const lab = await openFeatureLab({ hooks: guard, allow: ["Bash"], turns: [[use("Bash", { command: "touch pwned" })]] });
    lab.write(SETTINGS, { disableAllHooks: true, hooks: {} });
    await lab.submit("hello");
    expect(marker(lab, "pwned")).toBe(false);
    expect(sent(lab.requests[1])).toContain("guarded");
    expect(lab.diagnostics).toContainEqual(expect.objectContaining({ code: "HL_CONFIG_EDITED" }));
  });
});

describe("an edit of a skill", () => {
  const skill = (body: string): string => `---\nname: notes\ndescription: how notes are written\n---\n${body}\n`;
  const FILE = "project/.claude/skills/notes/SKILL.md";

  test("fires ConfigChange and is read again; one that comes is offered", async () => {
    const lab = await openFeatureLab({
      hooks: { ConfigChange: commands(RECORD) },
      allow: ["Skill"],
      turns: [[use("Skill", { skill: "notes" })]],
    });
    const file = lab.write(FILE, skill("Write them short."));
    await lab.submit("hello");
    expect(lab.recorded("ConfigChange")).toMatchObject([{ source: "skills", file_path: file }]);
    expect(sent(lab.requests[1])).toContain("Write them short.");
  });

  test("is not read if a hook blocks it", async () => {
    const lab = await openFeatureLab({
      hooks: { ConfigChange: [{ matcher: "skills", hooks: [{ type: "command", command: "exit 2" }] }] },
      files: { [FILE]: skill("Old.") },
      allow: ["Skill"],
      turns: [[use("Skill", { skill: "notes" })]],
    });
    lab.write(FILE, skill("New."));
    await lab.submit("hello");
    expect([sent(lab.requests[1]).includes("Old."), sent(lab.requests[1]).includes("New.")]).toEqual([true, false]);
  });

  test("of one that a hook refused is not read because another one is", async () => {
    const lab = await openFeatureLab({
      hooks: { ConfigChange: commands("if grep -q notes/SKILL.md; then exit 2; fi") },
      files: { [FILE]: skill("Old.") },
      allow: ["Skill"],
      turns: [[use("Skill", { skill: "notes" })], [use("Skill", { skill: "other" })]],
    });
    lab.write(FILE, skill("New."));
    lab.write("project/.claude/skills/other/SKILL.md", "---\nname: other\n---\nAnother.\n");
    await lab.submit("hello");
    const all = sent(lab.requests[2]);
    expect([all.includes("Old."), all.includes("New."), all.includes("Another.")]).toEqual([true, false, true]);
  });

  test("that a SessionStart hook made itself is read when it says so", async () => {
    const made = 'mkdir -p .claude/skills/made; printf -- "---\\nname: made\\n---\\nMade by a hook.\\n" > .claude/skills/made/SKILL.md';
    const lab = await openFeatureLab({
      hooks: { SessionStart: commands(`${made}; ${answer("SessionStart", { reloadSkills: true })}`) },
      allow: ["Skill"],
      turns: [[use("Skill", { skill: "made" })]],
    });
    await lab.submit("hello");
    expect(sent(lab.requests[1])).toContain("Made by a hook.");
  });

  test("brings no hook into force that is not approved", async () => {
    const lab = await openFeatureLab({ files: { [FILE]: skill("Old.") }, allow: ["Skill"], turns: [[use("Skill", { skill: "notes" })]] });
    const head = "---\nname: notes\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: touch pwned\n---\nNew.\n";
    lab.write(FILE, head);
    await lab.submit("hello");
    expect(sent(lab.requests[1])).toContain("New.");
    expect(marker(lab, "pwned")).toBe(false);
    expect(lab.diagnostics).toContainEqual(expect.objectContaining({ code: "HL_ADMIT_UNTRUSTED" }));
  });
});
