import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { createCommandRunner } from "../../../packages/hookloop/src/run/command-runner.ts";
import { runnerContract } from "../../../packages/hookloop/src/run/contract.test-suite.ts";
import { sampleHook, sampleInput } from "../../../packages/hookloop/src/run/sample-hook.test-suite.ts";
import { PORTS, runLine, temporaryFolder } from "./processes.ts";

const command = (line: string): ReturnType<typeof sampleHook> => sampleHook({ target: { kind: "command", command: line, shell: "sh" } });

describe("the contract of runners", () => {
  runnerContract({
    runner: createCommandRunner(PORTS),
    hooks: {
      answers: command("printf answer"),
      measures: command(`node -e 'process.stdout.write(String(JSON.parse(require("fs").readFileSync(0)).tool_input.command.length))'`),
      answersLong: command("head -c 900000 /dev/zero | tr '\\0' x"),
      hangs: command("sleep 100"),
      breaks: command("kill -9 $$"),
      foreign: sampleHook({ target: { kind: "http", fields: {} } }),
    },
    answerOf: ({ stdout }) => stdout,
    breaksWith: "signal",
  });
});

describe("a command hook", () => {
  it("gets the payload on stdin, its folder, and gives exit code, stdout and stderr unjudged", async () => {
    const { outcome, folder } = await runLine({ line: "cat; pwd >&2; exit 2" });
    expect(JSON.parse(outcome.stdout)).toEqual(sampleInput().input);
    expect(outcome).toMatchObject({ stderr: `${folder}\n`, exitCode: 2, failure: undefined, signal: undefined });
  });

  it("gets a whole line, so that `while read` of a shell sees it", async () => {
    const line = 'while IFS= read -r line; do printf %s "$line"; done';
    const { outcome } = await runLine({ line });
    expect(JSON.parse(outcome.stdout)).toEqual(sampleInput().input);
    const opened = await runLine({ line: `${line} < /dev/stdin` });
    expect(opened.outcome.stdout).toBe(outcome.stdout);
  });

  it.each([0, 1, 2, 3, 125, 128, 137, 255])("that exits with %i has not failed here", async (code) => {
    expect((await runLine({ line: `exit ${code}` })).outcome).toMatchObject({ exitCode: code, failure: undefined });
  });

  it("runs in sh unless it asks for bash", async () => {
    const line = 'echo "${BASH_VERSION:+bash}"';
    expect((await runLine({ line })).outcome.stdout).toBe("\n");
    expect((await runLine({ line, hook: { target: { kind: "command", command: line, shell: "bash" } } })).outcome.stdout).toBe("bash\n");
  });

  it("reads no profile and no start-up file", async () => {
    const home = temporaryFolder();
    for (const name of [".profile", ".bashrc", ".bash_profile", ".shinit"]) writeFileSync(path.join(home, name), "echo noise\n");
    const ports = { environment: { PATH: "/usr/bin:/bin", HOME: home } };
    for (const shell of ["sh", "bash"] as const) {
      const { outcome } = await runLine({ line: "", ports, hook: { target: { kind: "command", command: "echo clean", shell } } });
      expect(outcome.stdout).toBe("clean\n");
    }
    expect((await runLine({ line: "bash -c 'echo clean'", ports })).outcome.stdout).toBe("clean\n");
  });

  it("has the variables of its dialect, of hookloop and of its plugin", async () => {
    const { outcome, folder } = await runLine({
      line: 'echo "$HOOKLOOP_VERSION|$HOOKLOOP_DEPTH|$HOOKLOOP_CHAIN|$HOOKLOOP_PROJECT_DIR|$CLAUDE_PROJECT_DIR|$CLAUDE_PLUGIN_ROOT|$MINE"',
      env: { MINE: "yes", CLAUDE_PROJECT_DIR: "/from/dialect", HOOKLOOP_DEPTH: "not from here" },
      hook: { id: "a:b", source: { scope: "plugin", dialect: "claude", root: "/", plugin: { id: "p", root: "/plugins/p" } } },
    });
    expect(outcome.stdout).toBe(`1.2.3|1|a%3Ab|${folder}|/from/dialect|/plugins/p|yes\n`);
  });

  it("of a project sees none of twelve secrets, in either case; one of the user sees them", async () => {
    const names = "A_TOKEN B_API_KEY C_SECRET D_PASSWORD AWS_E LD_F NODE_OPTIONS BASH_ENV GIT_G OTEL_H ANTHROPIC_API_KEY OPENAI_I".split(
      " ",
    );
    const secrets = Object.fromEntries(
      names.flatMap((name) => [
        [name, "s3cret"],
        [name.toLowerCase(), "s3cret"],
      ]),
    );
    const ports = { environment: { ...PORTS.environment, ...secrets, BASH_ENV: "/dev/null", NODE_OPTIONS: "" } };
    const seen = async (scope: "project" | "user"): Promise<number> => {
      const { outcome } = await runLine({ line: "env", ports, hook: { source: { scope, dialect: "claude", root: "/" } } });
      return outcome.stdout.split("s3cret").length - 1;
    };
    expect(await seen("project")).toBe(0);
    expect(await seen("user")).toBe(20);
  });

  it("never has event data in its line: a template stays a template", async () => {
    const evil = '"; touch pwned; $(touch pwned) `touch pwned` "';
    const { outcome, file } = await runLine({
      line: 'echo "${tool_input.command}" "$ARGUMENTS" 2>/dev/null; printf %s "$DATA"',
      env: { DATA: evil },
      input: { input: { tool_input: { command: evil } } },
      hook: { target: { kind: "command", command: 'printf %s "$DATA"; cat >/dev/null', shell: "sh" } },
    });
    expect(outcome.stdout).toBe(evil);
    expect(file("pwned")).toBeUndefined();
  });

  it("in argv form gets values as one argument each, whatever is in them", async () => {
    const root = path.join(temporaryFolder(), 'a "b; touch pwned; $(touch pwned)');
    mkdirSync(root);
    const args = ["%s\\n", "${CLAUDE_PROJECT_DIR}/x y", "$HOME `id`", "${HOOKLOOP_PROJECT_DIR}"];
    const { outcome, file } = await runLine({
      line: "",
      hook: { target: { kind: "command", command: "printf", args, shell: "sh" } },
      input: { projectRoot: root },
    });
    expect(outcome.stdout.split("\n")).toEqual([`${root}/x y`, "$HOME `id`", root, ""]);
    expect(file("pwned")).toBeUndefined();
  });

  it("shows no payload to other users of the machine", async () => {
    const { outcome } = await runLine({
      line: "cat /proc/$$/cmdline /proc/$$/environ",
      input: { input: { tool_input: { command: "s3cret" } } },
    });
    expect(outcome.stdout).not.toContain("s3cret");
    expect(outcome.stdout).toContain("HOOKLOOP_VERSION");
  });
});

describe("a command that cannot start is a failure of that kind", () => {
  const cases: [string, Parameters<typeof runLine>[0], RegExp][] = [
    ["not found by the shell", { line: "/no/such/program --x" }, /could not find it: .*\/no\/such\/program/],
    ["not executable", { line: "/etc/passwd" }, /could not execute it/],
    [
      "not found without a shell",
      { line: "", hook: { target: { kind: "command", command: "/no/such", args: [], shell: "sh" } } },
      /ENOENT/,
    ],
    [
      "not executable without a shell",
      { line: "", hook: { target: { kind: "command", command: "/etc/passwd", args: [], shell: "sh" } } },
      /EACCES/,
    ],
    ["with a NUL byte in the line", { line: "echo a\0b" }, /NUL byte/],
    ["with a NUL byte in a variable", { line: "true", env: { A: "x\0y" } }, /NUL byte/],
    ["with a line that is too long", { line: `: ${"x".repeat(200_000)}` }, /E2BIG/],
    ["with a variable that is too long", { line: "true", env: { A: "x".repeat(200_000) } }, /E2BIG/],
    ["for PowerShell", { line: "", hook: { target: { kind: "command", command: "x", shell: "powershell" } } }, /powershell/],
    ["in no folder at all", { line: "true", input: { cwd: "/no/such", projectRoot: "/no/root" } }, /no folder to run it in/],
    ["three hooks deep", { line: "true", ports: { ancestry: { depth: 3, hooks: [] } } }, /3 deep/],
    ["inside a run of itself", { line: "true", hook: { id: "me" }, ports: { ancestry: { depth: 1, hooks: ["me"] } } }, /same hook/],
  ];
  it.each(cases)("%s", async (_, run, text) => {
    const { outcome } = await runLine(run);
    expect(outcome.failure?.kind).toBe("could-not-start");
    expect(outcome.failure?.text).toMatch(text);
  });

  it("exit code 127 of a program started without a shell is its own answer", async () => {
    const target = { kind: "command", command: "/bin/sh", args: ["-c", "exit 127"], shell: "sh" } as const;
    expect((await runLine({ line: "", hook: { target } })).outcome).toMatchObject({ exitCode: 127, failure: undefined });
  });
});

describe("an event that cannot be written as JSON is a failure, not an exception", () => {
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  it.each([
    ["circular", circular],
    ["BigInt", { big: 1n }],
    [
      "a getter that throws",
      Object.defineProperty({}, "x", {
        enumerable: true,
        get: () => {
          throw new Error("no");
        },
      }),
    ],
  ])("%s", async (_, input) => {
    const { outcome, file } = await runLine({ line: 'touch "$F/ran"', input: { input } });
    expect(outcome.failure?.kind).toBe("bad-input");
    expect(file("ran")).toBeUndefined();
  });
});

describe("a folder that is not there", () => {
  it.each([
    ["missing", "/no/such/folder"],
    ["a file", "/etc/passwd"],
    ["not a path", "a\0b"],
  ])("is replaced by the project root, and said: %s", async (_, cwd) => {
    const root = temporaryFolder();
    const { outcome } = await runLine({ line: "pwd", input: { cwd, projectRoot: root } });
    expect(outcome).toMatchObject({ stdout: `${root}\n`, missingCwd: cwd, failure: undefined });
  });

  it("that is deleted between two runs, too", async () => {
    const root = temporaryFolder();
    const cwd = path.join(root, "sub");
    mkdirSync(cwd);
    const first = await runLine({ line: "pwd", input: { cwd, projectRoot: root } });
    rmSync(cwd, { recursive: true });
    const second = await runLine({ line: "pwd", input: { cwd, projectRoot: root } });
    expect([first.outcome.stdout, first.outcome.missingCwd]).toEqual([`${cwd}\n`, undefined]);
    expect([second.outcome.stdout, second.outcome.missingCwd]).toEqual([`${root}\n`, cwd]);
  });
});

describe("the check right before a run", () => {
  it("stops the hook with its own reason", async () => {
    const refusal = { kind: "could-not-start", text: "its script has changed" } as const;
    const { outcome, file } = await runLine({ line: 'touch "$F/ran"', ports: { beforeRun: () => refusal } });
    expect(outcome.failure).toEqual(refusal);
    expect(file("ran")).toBeUndefined();
  });

  it("is asked about each run, with the hook", async () => {
    const asked: string[] = [];
    const ports = { beforeRun: ({ id }: { id: string }) => void asked.push(id) };
    await runLine({ line: "true", ports, hook: { id: "one" } });
    await runLine({ line: "true", ports, hook: { id: "two" } });
    expect(asked).toEqual(["one", "two"]);
  });

  it("that throws is a failure of the run", async () => {
    const beforeRun = (): never => {
      throw new Error("store unreadable");
    };
    const { outcome, file } = await runLine({ line: 'touch "$F/ran"', ports: { beforeRun } });
    expect(outcome.failure).toEqual({ kind: "could-not-start", text: expect.stringContaining("store unreadable") });
    expect(file("ran")).toBeUndefined();
  });
});
