import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ShippedHook } from "./index.ts";
import { permission, protectBranches, secretGuard, workspaceBoundary } from "./index.ts";

const TOKEN = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";

let base: string;
const at = (name: string): string => path.join(base, name);
beforeAll(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), "hookloop-guards-")));
  for (const folder of ["project/src", "project/config", "project/.git/refs/heads", "home/.ssh", "outside"])
    mkdirSync(at(folder), { recursive: true });
  for (const file of [
    "project/.env",
    "project/config/server.key",
    "home/.ssh/id_rsa",
    "outside/old",
    "project/.git/refs/heads/main",
    "project/.git/refs/heads/topic",
  ])
    writeFileSync(at(file), "x");
  writeFileSync(at("project/.git/HEAD"), "ref: refs/heads/main\n");
  writeFileSync(
    at("project/.git/config"),
    '[alias]\n\tship = push origin main\n\tsave = !git commit -m x\n[remote "own"]\n\tpush = HEAD:main\n',
  );
  symlinkSync(at("project/.env"), at("project/settings.txt"));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const place = (): Parameters<typeof secretGuard>[0] & Parameters<typeof workspaceBoundary>[0] => ({
  home: at("home"),
  env: { MY_API_TOKEN: "correct-horse-battery" },
  directories: () => [at("project")],
});

interface Case {
  readonly name?: string;
  readonly expect: string | object;
  readonly options?: object;
  readonly call?: { readonly event: string; readonly tool_name: string; readonly tool_input: object };
}

/** `NAME: JSON` or a command. */
async function answer(hook: ShippedHook, call: string): Promise<string> {
  const text = call.replaceAll("$OUT", at("outside")).replaceAll("$HERE", at("project"));
  const [, tool_name = "Bash", json] = /^(\w+): (\{.*\})$/s.exec(text) ?? [];
  const tool_input = json === undefined ? { command: text } : JSON.parse(json);
  const said: unknown = await hook.parts[0]?.handler({ tool_name, tool_input, cwd: at("project") } as never, {} as never);
  return /"(deny|ask)"/.exec(JSON.stringify(said) ?? "")?.[1] ?? "nothing";
}

describe.each([
  ["secret-guard", () => secretGuard(place())],
  ["protect-branches", () => protectBranches(place())],
  ["permission", () => permission(place())],
] as const)("the cases of %s hold", (name, make) => {
  const { cases }: { cases: readonly Case[] } = JSON.parse(readFileSync(new URL(`./${name}.cases.json`, import.meta.url), "utf8"));
  const before = cases.filter(({ call, options }) => !options && call?.event !== "PostToolUse");
  test.each(before.map((one) => [JSON.stringify(one), one] as const))("%s", async (_, one) => {
    const { expect: expected, call, name: _name, ...short } = one;
    const [[tool, input] = ["", {}]] = Object.entries(short);
    const { tool_name, tool_input } = call ?? { tool_name: tool, tool_input: input };
    const text = tool_name === "Bash" ? String(tool_input) : `${tool_name}: ${JSON.stringify(tool_input)}`;
    const wanted = typeof expected === "string" ? expected : Object.keys(expected)[0];
    expect(await answer(make(), text)).toBe(wanted === "none" ? "nothing" : wanted);
  });
});

describe("secret-guard", () => {
  test.each([
    ["deny", "cat settings.txt"],
    ["deny", "cat .e*"],
    ["deny", `echo correct-horse-battery > src/a`],
    ["deny", 'Write: {"file_path":"src/a.ts","content":"k = \'correct-horse-battery\'"}'],
    ["ask", "cat $SOMEWHERE/.env"],
    ["ask", "find . -name '.env*' | xargs cat"],
    ["nothing", "cat ~/.ssh/id_rsa.pub"],
    ["nothing", "grep -r KEY ."],
  ])("%s: %s", async (expected, call) => {
    expect(
      ["ask", "deny"].includes(expected)
        ? (await answer(secretGuard(place()), call)) !== "nothing"
        : await answer(secretGuard(place()), call),
    ).toBe(expected === "nothing" ? "nothing" : true);
  });

  const after = async (tool_response: unknown, redact: boolean): Promise<unknown> => {
    const said: unknown = await secretGuard(place(), { redact }).parts[1]?.handler({ tool_response } as never, {} as never);
    return (said as { parts: { value: unknown }[] } | undefined)?.parts[0]?.value;
  };

  test("with redact a result keeps its shape and loses only the secrets, those of the environment too", async () => {
    expect(await after({ stdout: `a ${TOKEN} b`, code: 0 }, true)).toEqual({ stdout: "a [redacted] b", code: 0 });
    expect(await after([{ text: "correct-horse-battery", type: "text" }], true)).toEqual([{ text: "[redacted]", type: "text" }]);
    expect(await after(`x=${Buffer.from("correct-horse-battery").toString("base64")}`, true)).toBe("x=[redacted]");
  });

  test("without it, each text that holds one is withheld, and the others stay", async () => {
    const value = await after({ stdout: `a ${TOKEN} b`, stderr: "warning" }, false);
    expect(value).toEqual({ stdout: expect.stringMatching(/^\[withheld by secret-guard/), stderr: "warning" });
  });

  test("a result without secrets is left alone", async () => {
    expect(await after({ stdout: "plain", interrupted: false }, true)).toBeUndefined();
  });

  test("the secret itself is in no reason", async () => {
    const said: unknown = await secretGuard(place()).parts[0]?.handler(
      { tool_name: "Bash", tool_input: { command: `echo ${TOKEN} > a` }, cwd: at("project") } as never,
      {} as never,
    );
    expect(JSON.stringify(said)).toContain("what looks like a secret");
    expect(JSON.stringify(said)).not.toContain(TOKEN);
  });
});

describe("protect-branches", () => {
  test.each([
    ["deny", "git ship"],
    ["deny", "git save"],
    ["deny", "git push own"],
    ["ask", "git push origin $UNKNOWN"],
    ["deny", "git -C $HERE push origin HEAD"],
    ["nothing", "git -C $OUT commit -m x"],
  ])("%s: %s", async (expected, call) => {
    expect(await answer(protectBranches(place()), call)).toBe(expected);
  });

  test("the first commit of a repository makes its branch", async () => {
    mkdirSync(at("fresh/.git"), { recursive: true });
    writeFileSync(at("fresh/.git/HEAD"), "ref: refs/heads/main\n");
    expect(await answer(protectBranches(place()), `git -C ${at("fresh")} commit -m x`)).toBe("nothing");
  });

  test("a work tree has its own branch", async () => {
    mkdirSync(at("project/.git/worktrees/w"), { recursive: true });
    mkdirSync(at("tree"), { recursive: true });
    writeFileSync(at("tree/.git"), `gitdir: ${at("project/.git/worktrees/w")}\n`);
    writeFileSync(at("project/.git/worktrees/w/HEAD"), "ref: refs/heads/topic\n");
    writeFileSync(at("project/.git/worktrees/w/commondir"), "../..\n");
    expect(await answer(protectBranches(place()), `cd ${at("tree")} && git commit -m x`)).toBe("nothing");
    writeFileSync(at("project/.git/worktrees/w/HEAD"), "ref: refs/heads/main\n");
    expect(await answer(protectBranches(place()), `cd ${at("tree")} && git commit -m x`)).toBe("deny");
  });
});

describe("workspace-boundary judges what is written, whatever writes it", () => {
  test.each([
    "sed -i s/a/b/ $OUT/old",
    "echo x | tee $OUT/old",
    "python3 -c \"open('$OUT/old','w').write('x')\"",
    "node -e \"require('fs').writeFileSync('$OUT/old','x')\"",
    "perl -pi -e s/a/b/ $OUT/old",
    'mcp__fs__write_file: {"path":"$OUT/x","content":"x"}',
    'mcp__filesystem__move_file: {"source":"src/a.ts","destination":"$OUT/x"}',
    'my_tool_edit: {"edits":[{"file_path":"$OUT/x"}]}',
    'mcp__shell__run_command: {"command":"echo x > $OUT/old"}',
  ])("ask: %s", async (call) => {
    expect(await answer(workspaceBoundary(place()), call)).toBe("ask");
  });

  test.each([
    "python3 -c \"print(open('$OUT/old').read())\"",
    'mcp__fs__read_file: {"path":"$OUT/old"}',
    'mcp__github__create_issue: {"title":"x","body":"see /etc/passwd"}',
    "TMPDIR=/tmp npm test",
  ])("nothing: %s", async (call) => {
    expect(await answer(workspaceBoundary(place()), call)).toBe("nothing");
  });
});
