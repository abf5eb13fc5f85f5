import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { runHookFile } from "../../packages/sdk/src/testing/index.ts";
import { newSleep, remaining } from "../security/live-processes.ts";
import { temporaryFolder } from "./run-script.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** A hook file in a project that has the SDK. */
function hookFile(name: string, text: string): string {
  const folder = temporaryFolder();
  mkdirSync(path.join(folder, "node_modules"));
  symlinkSync(path.join(repository, "node_modules/@hookloop"), path.join(folder, "node_modules/@hookloop"));
  writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
}

describe("a hook that fails and lets the call continue makes runHookFile reject, with what it said", () => {
  test.each([
    ["throws", "a.mjs", 'throw new Error("boom at the top");', /exit code 1[\s\S]*boom at the top/],
    ["has a syntax error", "a.mjs", "const = 1;", /exit code 1[\s\S]*SyntaxError/],
    ["misses a module", "a.mjs", 'import "no-such-module";', /exit code 1[\s\S]*no-such-module/],
    ["exits with 3", "a.mjs", 'console.error("three"); process.exit(3);', /exit code 3[\s\S]*three/],
    ["exits with 3 in sh", "a.sh", "echo three >&2; exit 3\n", /exit code 3[\s\S]*three/],
    ["is ended by a signal", "a.sh", "echo last words >&2; kill -9 $$\n", /ended by a signal[\s\S]*last words/],
    ["never ends", "a.sh", "echo waiting >&2; exec sleep 100\n", /did not end within 300 ms[\s\S]*waiting/],
    [
      "has a handler that throws",
      "a.mjs",
      sdk("hook", 'hook("PreToolUse", () => { throw new Error("boom"); });'),
      /HL_SDK_HANDLER_FAILED: a: boom/,
    ],
    [
      "reads a field that is not sent",
      "a.mjs",
      sdk("hook", 'hook("PreToolUse", (input) => { input.toolInput?.command; });'),
      /HL_SDK_FIELD_MISSPELT: a reads "toolInput".*"tool_input"/,
    ],
    [
      "decides after it has returned",
      "a.mjs",
      sdk("deny, hook", 'hook("PreToolUse", () => { setTimeout(() => deny("late"), 30); });'),
      /HL_SDK_RESULT_NOT_RETURNED: a made deny/,
    ],
    [
      "has a main that throws",
      "a.mjs",
      sdk("runHook", 'runHook(() => { throw new Error("boom"); }, "m");'),
      /HL_SDK_HANDLER_FAILED: m: boom/,
    ],
    ["forgets to return", "a.mjs", sdk("deny, hook", 'hook("PreToolUse", () => { deny("no"); });'), /HL_SDK_RESULT_NOT_RETURNED/],
    [
      "has a matcher that cannot be read",
      "a.mjs",
      sdk("deny, hook", 'hook("PreToolUse", { tool: "^B" }, () => deny("no"));'),
      /HL_SDK_MATCHER_INVALID/,
    ],
  ])("one that %s", async (_what, name, text, message) => {
    const file = hookFile(name, text);
    const options = { timeoutMs: text.includes("sleep") ? 300 : 20_000 };
    await expect(runHookFile(file, "PreToolUse", {}, options)).rejects.toThrow(message);
    const answer = await runHookFile(file, "PreToolUse", {}, { ...options, allowFailure: true });
    expect(answer.decision).toBe("none");
    expect(answer.diagnostics.length).toBeGreaterThan(0);
  });

  test("one that does not end: what it started ends with it, also what has left its process group", async () => {
    const seconds = newSleep();
    const file = hookFile("a.sh", `timeout ${seconds} sleep ${seconds}\n`);
    await expect(runHookFile(file, "PreToolUse", {}, { timeoutMs: 500 })).rejects.toThrow(/HL_TEST_TIMEOUT/);
    expect(await remaining(seconds, 500)).toEqual([]);
  });

  test("a file, a folder or a program that is not there", async () => {
    const file = hookFile("a.mjs", "");
    await expect(runHookFile(`${file}x`, "PreToolUse")).rejects.toThrow(`There is no hook file ${file}x`);
    await expect(runHookFile(file, "PreToolUse", {}, { cwd: "/no/such/folder" })).rejects.toThrow("There is no folder /no/such/folder");
    await expect(runHookFile(file, "PreToolUse", {}, { command: ["/no/such/program"] })).rejects.toThrow("ENOENT");
    await expect(runHookFile(hookFile("plain", "#!/bin/sh\n"), "PreToolUse")).rejects.toThrow("EACCES");
  });

  test.each([
    ["a shell script that cannot be read", "a.sh", 'if [ "$x" = y; then\n'],
    ["a shell script without its end", "a.sh", 'echo "no\n'],
    ["a program that is missing, in a guard that is closed", "a.sh", "set -eu\ntrap '[ $? -eq 0 ] || exit 2' EXIT\nno-such-program-here\n"],
    ["a pattern that grep cannot read", "a.sh", "grep '[' /dev/null\n"],
  ])("that ends with exit code 2 without a judgement: %s", async (_what, name, text) => {
    await expect(runHookFile(hookFile(name, text), "PreToolUse")).rejects.toThrow("exit code 2 is not its judgement");
  });

  test.each([
    ["blocks by exit code 2", "a.sh", "echo no >&2; exit 2\n", "deny"],
    ["has no opinion", "a.sh", "cat >/dev/null\n", "none"],
    ["blocks with words that sound like it", "a.sh", "echo 'grep: use rg; deploy: not found' >&2; exit 2\n", "deny"],
  ])("but not one that %s", async (_what, name, text, decision) => {
    expect((await runHookFile(hookFile(name, text), "PreToolUse")).decision).toBe(decision);
  });
});

test("a call that makes no sense is refused before anything is started", async () => {
  const call = runHookFile as (...given: unknown[]) => Promise<unknown>;
  for (const [given, text] of [
    [["PreTooluse"], 'Did you mean "PreToolUse"?'],
    [["PreToolUse", { toolInput: {} }], 'Did you mean "tool_input"?'],
    [["PreToolUse", {}, { stdn: "{}" }], 'runHookFile() has no option "stdn". Did you mean "stdin"?'],
    [["PreToolUse", { tool_name: "Bash" }, { stdin: "{}" }], "the fields are not sent where stdin is given"],
    [["PreToolUse", {}, { stdin: '{"hook_event_name":"PreToolUse","toolInput":{}}' }], 'Did you mean "tool_input"?'],
    [["PreToolUse", {}, { timeoutMS: 5 }], 'Did you mean "timeoutMs"?'],
    [["PreToolUse", {}, { command: "node x.mjs" }], "the option command of runHookFile()"],
  ] as const)
    await expect(call(hookFile("a.sh", "exit 0\n"), ...given)).rejects.toThrow(text);
});

describe("a TypeScript hook", () => {
  const GUARD = `import { deny, hook } from "@hookloop/sdk";
import { isBad, type Level } from "./rule.ts";
const level: Level = "high";
export const guard = hook("PreToolUse", { tool: "Bash|Edit", guard: true }, (input) =>
  input.tool_name === "Bash" && isBad(input.tool_input.command as string) ? deny(\`\${level}: \${import.meta.url.split("/").at(-1)}\`) : undefined,
);
`;
  test("runs on this Node, with the files it imports and under its own name", async () => {
    const file = hookFile("guard.ts", GUARD);
    writeFileSync(
      path.join(path.dirname(file), "rule.ts"),
      'export type Level = "high" | "low";\nexport const isBad = (command: string): boolean => command.includes("--force");\n',
    );
    writeFileSync(path.join(path.dirname(file), "package.json"), '{"type":"module"}');
    expect(await runHookFile(file, "PreToolUse", { tool_input: { command: "git push --force" } })).toMatchObject({
      decision: "deny",
      reason: "high: guard.ts",
      stderr: "",
    });
    const silent = await runHookFile(file, "PreToolUse");
    expect(silent).toMatchObject({ decision: "none", exitCode: 0, stderr: "" });
    // What runs in the test and not in production is said.
    const isNative = "typescript" in process.features && process.features.typescript;
    const told = expect.stringMatching(
      /^HL_TEST_TYPESCRIPT: runHookFile compiled guard\.ts; `node guard\.ts` fails .*Node 22\.18 or later/,
    );
    expect(silent.diagnostics.map(({ message }) => message)).toEqual(isNative ? [] : [told]);
  });

  // On this repository's own files the first compiler is always found: each gets a project that has only it.
  describe.skipIf(process.allowedNodeEnvironmentFlags.has("--experimental-strip-types") || "typescript" in process.features).each([
    ["esbuild", "esbuild"],
    ["oxc-transform", "oxc-transform"],
    ["oxc-transform, which hookloop has", "hookloop"],
  ])("compiled by %s", (_what, beside) => {
    const file = (name: string, text: string): string => {
      const place = hookFile(name, text);
      const modules = path.join(path.dirname(place), "node_modules");
      if (beside !== "hookloop") symlinkSync(path.join(repository, "node_modules", beside), path.join(modules, beside));
      else {
        mkdirSync(path.join(modules, "hookloop/node_modules"), { recursive: true });
        writeFileSync(path.join(modules, "hookloop/package.json"), '{"name":"hookloop"}');
        symlinkSync(path.join(repository, "node_modules/oxc-transform"), path.join(modules, "hookloop/node_modules/oxc-transform"));
      }
      return place;
    };

    test("it decides, imports its own files and has nothing to say beside", async () => {
      const guard = file("guard.ts", GUARD);
      writeFileSync(
        path.join(path.dirname(guard), "rule.ts"),
        'export type Level = "high" | "low";\nexport const isBad = (command: string): boolean => command.includes("--force");\n',
      );
      expect(await runHookFile(guard, "PreToolUse", { tool_input: { command: "git push --force" } })).toMatchObject({
        decision: "deny",
        reason: "high: guard.ts",
        stderr: "",
      });
    });

    test("a syntax error makes it reject, with the place", async () => {
      await expect(runHookFile(file("a.ts", "const fine: number = 1;\nconst a: = 1;\n"), "PreToolUse")).rejects.toThrow(
        /exit code 1[\s\S]*a\.ts(:|\()2/,
      );
    });
  });

  test("with a syntax error, or one that throws, makes it reject", async () => {
    await expect(runHookFile(hookFile("a.ts", "const a: = 1;"), "PreToolUse")).rejects.toThrow(/exit code 1/);
    await expect(runHookFile(hookFile("a.mts", 'throw new Error("boom" as string);'), "PreToolUse")).rejects.toThrow(/boom/);
  });

  test("leaves no file behind", async () => {
    const file = hookFile("a.mts", "const a: number = 1;\nprocess.exitCode = a - 1;\n");
    expect((await runHookFile(file, "PreToolUse")).exitCode).toBe(0);
    expect(readFileSync(file, "utf8")).toContain("const a: number");
  });
});

function sdk(names: string, body: string): string {
  return `import { ${names} } from "@hookloop/sdk";\n${body}\n`;
}

describe("a module that only exports its function", () => {
  test.each([
    ["a.mjs", "export default () => ({ decision: 'block' });"],
    ["a.mjs", "const guard = () => 1;\nexport { guard as default };"],
    ["a.cjs", "module.exports = () => 1;"],
    ["a.mjs", "export const guard = () => 1;"],
    ["a.mjs", "export async function guard() {}"],
    ["a.cjs", "exports.guard = () => 1;"],
  ])("%s with %j does nothing as a script: runHookFile rejects and says what to use", async (name, text) => {
    await expect(runHookFile(hookFile(name, text), "PreToolUse")).rejects.toThrow(
      /HL_TEST_BAD_CALL: a\.[mc]js exports a function.*callHook/,
    );
  });

  test("is a script all the same if it reads its input, or prints", async () => {
    const reading = hookFile("a.mjs", 'import fs from "node:fs";\nfs.readFileSync(0, "utf8");\nexport default () => 1;');
    expect((await runHookFile(reading, "PreToolUse")).decision).toBe("none");
    const printing = hookFile("a.mjs", 'console.log("{}");\nexport default () => 1;');
    expect((await runHookFile(printing, "PreToolUse")).decision).toBe("none");
  });
});

test.each([
  ["fails", 'hook("PreToolUse", { guard: true }, () => { throw new Error("boom"); });'],
  ["has an unknown option", 'hook("PreToolUse", { gaurd: true }, () => {});'],
  ["is a main with an unknown option", 'runHook(() => {}, "m", { gaurd: true });'],
])("a guard that %s makes runHookFile reject: its denial is no judgement", async (_what, text) => {
  const file = hookFile("a.mjs", sdk("hook, runHook", text));
  await expect(runHookFile(file, "PreToolUse")).rejects.toThrow("HL_TEST_HOOK_FAILED");
  expect((await runHookFile(file, "PreToolUse", {}, { allowFailure: true })).decision).toBe("deny");
});

test("a shell script with Windows line endings is refused: its exit code means nothing", async () => {
  await expect(runHookFile(hookFile("a.sh", "cat >/dev/null\r\nexit 0\r\n"), "PreToolUse")).rejects.toThrow(
    /a\.sh has Windows line endings/,
  );
});

test("what a handler printed to stderr before process.exit(2) is the reason, and nothing is added to it", async () => {
  const exits = (print: string): string => hookFile("a.mjs", sdk("hook", `hook("PreToolUse", () => { ${print} process.exit(2); });`));
  expect((await runHookFile(exits('console.error("because");'), "PreToolUse")).reason).toBe("because");
  expect((await runHookFile(exits(""), "PreToolUse")).reason).toBe("A hook blocked it without a reason.");
});

test("a script gets the event as a whole line, so that `while read` sees it, and a given stdin as it is", async () => {
  const file = hookFile("lines.sh", 'n=0; while read -r line; do n=$((n+1)); done; echo "$n lines" >&2; exit 2\n');
  expect((await runHookFile(file, "PreToolUse")).reason).toBe("1 lines");
  expect((await runHookFile(file, "PreToolUse", {}, { stdin: "{}" })).reason).toBe("0 lines");
});

describe("a script is run by what its `#!` line names", () => {
  const GUARD = '#!/bin/bash\nif [[ "$(cat)" == *rm* ]]; then echo "no rm" >&2; exit 2; fi\n';
  const rm = { tool_input: { command: "rm x" } };

  test.each([0o755, 0o644])("with the mode %o", async (mode) => {
    const file = hookFile("guard.sh", GUARD);
    chmodSync(file, mode);
    expect(await runHookFile(file, "PreToolUse", rm)).toMatchObject({ decision: "deny", reason: "no rm", diagnostics: [] });
  });

  test.each(["guard", "guard.sh"])("also with options, by env, and without an ending: %s", async (name) => {
    const file = hookFile(name, GUARD.replace("/bin/bash", "/usr/bin/env -S bash -e"));
    chmodSync(file, 0o755);
    expect((await runHookFile(file, "PreToolUse", rm)).reason).toBe("no rm");
  });

  test("CRLF behind it is refused, whatever the file is called", async () => {
    await expect(runHookFile(hookFile("guard", GUARD.replaceAll("\n", "\r\n")), "PreToolUse")).rejects.toThrow("Windows line endings");
  });
});

test("an SDK script that the sample does not call: refused if the test named no tool, else said", async () => {
  const file = hookFile("edits.mjs", sdk("deny, hook", 'hook("PreToolUse", { tool: "Edit|Write" }, () => deny("no"));'));
  await expect(runHookFile(file, "PreToolUse")).rejects.toThrow(/HL_TEST_BAD_CALL: .*is for Edit\|Write: it did not run/);
  const answer = await runHookFile(file, "PreToolUse", { tool_name: "Read" });
  expect([answer.stderr, answer.diagnostics.map(({ code }) => code)]).toEqual(["", ["HL_TEST_NOT_CALLED"]]);
});

test("a relative path of a file tool is sent as agents send it, and that is told", async () => {
  const text = '[ "$(jq -r .tool_input.file_path)" = .env ] && exit 2\nexit 0\n';
  const cwd = temporaryFolder();
  const answer = await runHookFile(hookFile("a.sh", text), "PreToolUse", { tool_name: "Read", tool_input: { file_path: ".env" } }, { cwd });
  expect(answer).toMatchObject({ decision: "none", diagnostics: [{ code: "HL_TEST_PATH_ABSOLUTE" }] });
});

test.runIf(process.platform === "linux")("a gate that does not read the event and says nothing is told of", async () => {
  const codes = async (text: string, event: "PreToolUse" | "Notification" = "PreToolUse"): Promise<readonly string[]> =>
    (await runHookFile(hookFile("a.sh", text), event)).diagnostics.map(({ code }) => code);
  expect(await codes('[ "$1" = x ] && exit 2\nexit 0\n')).toEqual(["HL_TEST_INPUT_UNREAD"]);
  expect(await codes("cat > /dev/null\n")).toEqual([]);
  expect(await codes("exit 0\n", "Notification")).toEqual([]);
  expect(await codes("echo no >&2; exit 2\n")).toEqual([]);
});

test("the promise of an answer is not the answer, and a result behind a timer is not lost", async () => {
  const file = hookFile("a.mjs", sdk("deny, hook", 'hook("PreToolUse", () => { setTimeout(() => deny("late"), 500); });'));
  const answer = runHookFile(file, "PreToolUse");
  expect(() => Reflect.get(answer, "decision")).toThrow("Write: await runHookFile(…)");
  await expect(answer).rejects.toThrow("HL_SDK_RESULT_NOT_RETURNED");
});

describe.concurrent("a script that says nothing, and whose text shows why,", () => {
  const PYTHON = "import json, sys\nd = json.load(sys.stdin)\n";
  test.each([
    ["reads a field that does not exist", "a.sh", "c=$(jq -r .command)\ncase $c in *deploy*) exit 2;; esac\n", "tool_input.command"],
    [
      "compares a path with a name",
      "a.py",
      `${PYTHON}if d["tool_input"].get("file_path") == ".env":\n    sys.exit(2)\n`,
      'endswith("/.env")',
    ],
    ["loses its exit code", "a.sh", "cat | (grep -q npm && exit 2)\nexit 0\n", "exit 2"],
    [
      "is a hook that compares a path",
      "a.mjs",
      sdk("deny, hook", 'hook("PreToolUse", (i) => { if (i.tool_input.file_path === ".env") return deny("no"); });'),
      'endsWith("/.env")',
    ],
  ])("%s: runHookFile rejects", async (_what, name, text, said) => {
    const ended = runHookFile(hookFile(name, text), "PreToolUse", {
      tool_name: "Write",
      tool_input: { file_path: "/p/.env", content: "" },
    });
    await expect(ended).rejects.toThrow(/HL_TEST_SCRIPT_SLIP/);
    await expect(ended).rejects.toThrow(said);
  });

  test("is taken at its word if the test is about that", async () => {
    const file = hookFile("a.sh", "c=$(jq -r .command)\ncase $c in *deploy*) exit 2;; esac\n");
    const { decision, diagnostics } = await runHookFile(file, "PreToolUse", {}, { allowFailure: true });
    expect([decision, diagnostics.map(({ code }) => code)]).toEqual(["none", ["HL_TEST_SCRIPT_SLIP"]]);
  });

  test("but is for another event than the test's is not judged by it", async () => {
    const file = hookFile(
      "a.sh",
      'in=$(cat)\ncase $(printf %s "$in" | jq -r .hook_event_name) in Stop) printf %s "$in" | jq -r .last_assistant_message >/dev/null ;; esac\n',
    );
    expect((await runHookFile(file, "PreToolUse")).diagnostics).toEqual([]);
  });
});
