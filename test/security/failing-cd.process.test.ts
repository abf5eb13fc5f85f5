/** A `cd` that fails leaves the shell where it was. Each line is run by bash, which shows what it really reads, and then judged. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { decide } from "../../packages/hookloop/src/permissions/decide.ts";
import { protect } from "../../packages/hookloop/src/permissions/protect/protect.ts";
import { readRules } from "../../packages/hookloop/src/permissions/rules/read-rules.ts";

const home = realpathSync(mkdtempSync(join(tmpdir(), "hookloop-failing-cd-")));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const root = join(home, "project");
mkdirSync(join(root, "sub"), { recursive: true });
mkdirSync(join(home, "private"));
mkdirSync(join(home, ".local/state/hookloop"), { recursive: true });
writeFileSync(join(home, "private/diary.txt"), "PRIVATE");
writeFileSync(join(home, ".local/state/hookloop/trust.json"), "{}");
writeFileSync(join(root, "file"), "");
writeFileSync(join(root, "a.txt"), "IN-THE-PROJECT");
writeFileSync(join(root, "sub/a.txt"), "IN-SUB");

interface Question {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly mode?: "acceptEdits" | "plan";
}

function decisionOn(command: string, { allow = [], deny = [], mode }: Question): string {
  const texts = (list: readonly string[]) => list.map((text) => ({ text }));
  const permissions = { allow: texts(allow), ask: [], deny: texts(deny) };
  const { rules } = readRules([{ scope: "user", root, isTrusted: true, permissions }], { home });
  return decide({ tool_name: "Bash", tool_input: { command }, cwd: root }, rules, { root, home, ...(mode && { mode }) }).decision;
}

function printed(line: string): string {
  const script = `unset OLDPWD; HOME=${home}; ${line}`;
  try {
    return execFileSync("bash", ["-c", script], { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], timeout: 10_000 });
  } catch (error) {
    return String((error as { readonly stdout?: unknown }).stdout ?? "");
  }
}

const STAYS = [
  "cd x; RUN",
  "cd x\nRUN",
  "cd x 2>/dev/null; RUN",
  "cd file; RUN",
  "cd sub > /no/where; RUN",
  "cd sub < /no/where; RUN",
  "cd x || true; RUN",
  "cd x || RUN",
  "cd x && true; RUN",
  "cd x && true || RUN",
  "! cd x; RUN",
  "! cd x && RUN",
  "cd x | cat; RUN",
  "cd sub & wait; RUN",
  "(cd x; RUN)",
  "(cd sub); RUN",
  "{ cd x; }; RUN",
  "if cd x; then true; fi; RUN",
  "if ! cd x; then RUN; fi",
  "while cd x; do true; done; RUN",
  "until cd x; do RUN; break; done",
  "for i in 1 2; do cd x; done; RUN",
  "case a in a) cd x;; esac; RUN",
  "f() { cd x; RUN; }; f",
  "f() { cd x; }; f; RUN",
  "pushd x; RUN",
  "pushd; RUN",
  "popd; RUN",
  "cd -; RUN",
  "cd a b; RUN",
  "cd -Q sub; RUN",
  "builtin cd x; RUN",
  "command cd x; RUN",
  "eval 'cd x'; RUN",
  "eval '! cd x' && RUN",
  "eval 'cd x || true' && RUN",
  "set +e; cd x; RUN",
  "cd sub 3< /no/where; cd x; RUN",
  "cd x; cd y; cd z; RUN",
  "cd n1; cd n2; cd n3; cd n4; cd n5; cd n6; RUN",
  "cd x; timeout 5 RUN",
  "cd x; echo $(RUN)",
  "cd x; bash -c 'RUN'",
] as const;
const lineOf = (form: string, command: string): string => form.replaceAll("RUN", command);

describe("bash stays where it was", () => {
  const read = "cat ../private/diary.txt";
  test.each(STAYS)("%j: what it reads is not free, and a deny rule holds", (form) => {
    const line = lineOf(form, read);
    expect(printed(line)).toContain("PRIVATE");
    expect(decisionOn(line, {})).toBe("ask");
    expect(decisionOn(line, { mode: "plan" })).toBe("deny");
    expect(decisionOn(line, { allow: ["Bash"], deny: ["Read(~/private/**)"] })).toBe("deny");
    const elsewhere = lineOf(form, "cat a.txt").replace(/\b(cd|pushd) x\b/g, "$1 /x");
    expect(printed(elsewhere)).toContain("IN-THE-PROJECT");
    expect(decisionOn(elsewhere, { allow: ["Bash"], deny: ["Read(./a.txt)"] })).toBe("deny");
  });

  test.each(STAYS)("%j: nothing is written outside, and what is protected is asked about", (form) => {
    const writing = lineOf(form, "echo hi > ../.bashrc");
    expect(decisionOn(writing, { mode: "acceptEdits" })).not.toBe("allow");
    const removing = { tool: "Bash", input: { command: lineOf(form, "rm ../.local/state/hookloop/trust.json") } };
    expect(protect(removing, { cwd: root, home, env: {}, managedRoot: join(home, "managed") })).toBeDefined();
  });
});

describe("bash continues in an unexpected folder", () => {
  test.each([
    "cd n1; cd n2; cd n3; cd n4; cd sub; RUN",
    "cd n1; cd n2; cd sub; cd n3; RUN",
    "f() { RUN; }; cd sub; f",
    "cd -P sub; cd n; RUN",
  ])("%j: a deny rule holds there", (form) => {
    const line = lineOf(form, "cat a.txt");
    expect(printed(line)).toContain("IN-SUB");
    expect(decisionOn(line, { allow: ["Bash"], deny: ["Read(./sub/a.txt)"] })).toBe("deny");
  });
});

describe("everyday lines stay free of questions", () => {
  test.each([
    ["cd sub; ls", []],
    ["cd sub; cat a.txt", []],
    ["cd sub && cat a.txt", []],
    ["cd sub && cat ../a.txt", []],
    ["cd sub && ls && cd .. && ls", []],
    ["(cd sub && cat ../a.txt)", []],
    ["cd sub; npm test", ["Bash(npm test)"]],
    ["cd sub; timeout 5 npm test", ["Bash(npm test)"]],
    ["cd sub; CI=1 npm test", ["Bash(npm test)"]],
    ["cd sub\nnpm test\ncd ../a\nnpm test\ncd ../b\nnpm test", ["Bash(npm test)", "Bash(cd *)"]],
    ["cd sub; sudo npm test", ["Bash(sudo *)"]],
  ])("%j", (line, allow) => expect(decisionOn(line, { allow })).toBe("allow"));
});
