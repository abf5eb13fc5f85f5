import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { isInFolders } from "../../permissions/paths/real-target.ts";
import { openPrograms, type Programs } from "../../run/process/programs.ts";
import { createBackgroundShells, createBashTool } from "./bash.ts";
import { openToolLab, type ToolLab } from "./tool-lab.test-suite.ts";
import { ToolFailure, type ToolOutput } from "./types.ts";

function newPrograms(): Programs {
  const programs = openPrograms();
  onTestFinished(() => programs.close());
  return programs;
}

type Input = Parameters<ReturnType<typeof createBashTool>["run"]>[0];

function shell(lab: ToolLab, changes: Parameters<ToolLab["context"]>[0] = {}): (input: Input | string) => Promise<ToolOutput> {
  const programs = newPrograms();
  const tool = createBashTool({
    programs,
    background: createBackgroundShells(programs),
    isOutside: (folder, { directories }) => !isInFolders(folder, directories),
  });
  return (input) => tool.run(typeof input === "string" ? { command: input } : input, lab.context(changes));
}

async function failureOf(run: Promise<unknown>): Promise<ToolFailure> {
  const thrown = await run.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(ToolFailure);
  return thrown as ToolFailure;
}

async function until(holds: () => boolean): Promise<void> {
  for (const end = performance.now() + 10_000; !holds() && performance.now() < end; ) await wait(20);
  expect(holds()).toBe(true);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    // Gone.
    return false;
  }
}

describe("what a command gives", () => {
  test.each([
    ["grep zzz /dev/null", "No matches found"],
    ["echo a | grep zzz 2>&1", "No matches found"],
    ["grep -q 'a;b' /dev/null # note", "No matches found"],
    ["cd . && [ -f nosuch ]", "Condition is false"],
    ["echo a > a; echo b > b; diff a b > out", "Files differ"],
    ["find /nosuch 2>/dev/null", "Some directories were inaccessible"],
  ])("%s ends with 1, which is an answer and no failure", async (command, meaning) => {
    expect((await shell(openToolLab())(command)).response).toMatchObject({ returnCodeInterpretation: meaning, interrupted: false });
  });

  test.each([
    "false",
    "grep zzz /dev/null || false",
    "grep zzz /dev/null; exit 2",
    "grep zzz /nosuch",
    "(grep zzz /dev/null)",
    "X=1 grep zzz /dev/null",
    "if grep zzz /dev/null; then :; else false; fi",
    "false # grep",
    "false 'x; grep'",
  ])("%s fails", async (command) => {
    expect((await failureOf(shell(openToolLab())(command))).message).toContain("Exit code");
  });

  test("the response has the recorded shape; the model sees what was printed", async () => {
    const { response, text } = await shell(openToolLab())("echo out; echo err >&2; echo more");
    expect(response).toEqual({ stdout: "out\nerr\nmore", stderr: "", interrupted: false, isImage: false, noOutputExpected: false });
    expect(text).toBe("out\nerr\nmore");
    expect((await shell(openToolLab())("true")).text).toBe("(Bash completed with no output)");
  });

  test.each([
    ["printf 'a\\n\\n\\n'", "a"],
    ["printf '\\n \\n  a  '", "  a"],
    ["printf 'a\\r\\nb\\r\\n'", "a\r\nb"],
    ["if then", /syntax error/],
    ["sh -c 'echo out; echo err >&2' 2>/dev/null", "out"],
  ])("%s: empty lines before and blanks after the output are left out, nothing else", async (command, stdout) => {
    const printed = await shell(openToolLab())(command).then(
      ({ response }) => (response as { stdout: string }).stdout,
      ({ message }: ToolFailure) => message,
    );
    expect(printed).toEqual(typeof stdout === "string" ? stdout : expect.stringMatching(stdout));
  });

  test.each([
    ["mkdir a && touch a/b", true],
    ["touch c 2>/dev/null", true],
    ["cd .", true],
    ["true", false],
    ["mkdir d; echo hi", false],
    ["X=1 touch e", false],
  ])("hooks are told whether %s should print anything", async (command, noOutputExpected) => {
    expect((await shell(openToolLab())(command)).response).toMatchObject({ noOutputExpected });
  });

  test("an exit code is an error, word for word as recorded, with everything that was printed", async () => {
    const { message, text } = await failureOf(shell(openToolLab())("echo out; echo err >&2; exit 3"));
    expect(message).toBe("Exit code 3\nout\nerr");
    expect(text).toBe(message);
    expect((await failureOf(shell(openToolLab())("exit 6"))).message).toBe("Exit code 6");
  });

  test("stdin is empty", async () => {
    expect((await shell(openToolLab())("cat; read x || echo nothing")).text).toBe("nothing");
  });

  test("variables of the session reach it, and only those", async () => {
    const run = shell(openToolLab(), { env: () => ({ PATH: process.env["PATH"] ?? "", FROM_ENV_FILE: "yes" }) });
    expect((await run("echo $FROM_ENV_FILE $HOME")).text).toBe("yes");
  });

  test("5 MB of output are shown in part and saved whole in a file that only the user can read", async () => {
    const { text, response } = await shell(openToolLab())("head -c 5000000 /dev/zero | tr '\\0' x; echo; echo last");
    expect(text.length).toBeLessThan(40_000);
    expect(text).toMatch(/last$/);
    const [, file = ""] = /the whole text is in (\S+) until/.exec(text) ?? [];
    onTestFinished(() => rmSync(file, { force: true }));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(file).size).toBe(5_000_005);
    expect((response as { stdout: string }).stdout).toHaveLength(5_000_005);
  });

  test("more than is kept is said", async () => {
    const { text } = await shell(openToolLab())("head -c 9000000 /dev/zero | tr '\\0' x");
    expect(text).toMatch(/it printed more than is kept/);
  });
});

describe("the folder", () => {
  test.each(["cd sub", "cd sub && exit 0", "cd sub; false || true", "set -- a victim; cd sub"])("%s moves the agent", async (command) => {
    const lab = openToolLab();
    mkdirSync(path.join(lab.project, "sub"));
    writeFileSync(path.join(lab.project, "victim"), "mine");
    await shell(lab)(command);
    expect(lab.moves).toEqual([path.join(lab.project, "sub")]);
    expect(readFileSync(path.join(lab.project, "victim"), "utf8")).toBe("mine");
  });

  test("a failing command, a subshell and a command that stays do not move it", async () => {
    const lab = openToolLab();
    mkdirSync(path.join(lab.project, "sub"));
    await failureOf(shell(lab)("cd sub; exit 4"));
    await shell(lab)("(cd sub); true");
    expect(lab.moves).toEqual([]);
  });

  test("out of the workspace it does not move, and the model is told", async () => {
    const lab = openToolLab();
    const { text, response } = await shell(lab)("cd ../outside && pwd");
    expect(lab.moves).toEqual([]);
    const note = `Shell cwd was reset to ${lab.project}: ${lab.base}/outside is outside the workspace`;
    expect(text).toBe(`${lab.base}/outside\n${note}`);
    expect(response).toMatchObject({ stdout: `${lab.base}/outside`, stderr: note });
  });

  test("a folder that is gone is said, and the command is not run", async () => {
    const lab = openToolLab();
    const run = shell(lab, { cwd: path.join(lab.project, "gone") })("touch ran");
    await expect(run).rejects.toThrow(/does not exist any more\. The current folder is/);
    expect(existsSync(path.join(lab.project, "ran"))).toBe(false);
  });

  test("quotes and new lines in a command stay what they are", async () => {
    expect((await shell(openToolLab())(`echo 'a'"'"'b'; cat <<'E'\nit's "$x"\nE\necho "$# $1"`)).text).toBe(`a'b\nit's "$x"\n0`);
  });
});

describe("its end", () => {
  test("the time limit ends the whole group", async () => {
    const lab = openToolLab();
    const { message } = await failureOf(shell(lab)({ command: "sleep 60 & echo $! > pid; wait", timeout: 500 }));
    expect(message).toMatch(/^The command did not end within 500 ms/);
    const pid = Number(readFileSync(path.join(lab.project, "pid"), "utf8"));
    await until(() => !isAlive(pid));
  });

  test("an abort ends the whole group", async () => {
    const lab = openToolLab();
    const abort = new AbortController();
    const running = failureOf(shell(lab, { signal: abort.signal })("sleep 60 & echo $! > pid; wait"));
    const file = path.join(lab.project, "pid");
    await until(() => existsSync(file) && readFileSync(file, "utf8").endsWith("\n"));
    abort.abort();
    expect((await running).message).toMatch(/^The command was cancelled/);
    await until(() => !isAlive(Number(readFileSync(file, "utf8"))));
  });
});

describe("in the background", () => {
  test("it runs on, its output is in a file, and closing ends it", async () => {
    const lab = openToolLab();
    const programs = newPrograms();
    const background = createBackgroundShells(programs);
    const tool = createBashTool({ programs, background, isOutside: () => false });
    const { text, response } = await tool.run(
      { command: "echo hello; sleep 60 & echo $! > pid; wait", run_in_background: true },
      lab.context(),
    );
    expect(response).toMatchObject({ backgroundTaskId: "shell_1" });
    expect(background.tasks).toMatchObject([{ id: "shell_1", type: "shell", status: "running" }]);
    const [, file = ""] = /prints is in (\S+)\.$/.exec(text) ?? [];
    const pidFile = path.join(lab.project, "pid");
    await until(() => readFileSync(file, "utf8") === "hello\n" && existsSync(pidFile) && readFileSync(pidFile, "utf8").endsWith("\n"));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await background.close();
    await until(() => !isAlive(Number(readFileSync(pidFile, "utf8"))));
  });

  test("how it ended is known", async () => {
    const background = createBackgroundShells(newPrograms());
    const where = { env: { PATH: process.env["PATH"] ?? "" }, cwd: "/" };
    background.start("true", where);
    background.start("false", where);
    await until(() => background.tasks.every(({ status }) => status !== "running"));
    expect(background.tasks.map(({ status }) => status)).toEqual(["completed", "failed"]);
  });

  test("a description that is too long is cut as the payload says", () => {
    const background = createBackgroundShells(newPrograms());
    background.start(`true ${"x".repeat(1100)}`, { env: { PATH: process.env["PATH"] ?? "" }, cwd: "/" });
    expect(background.tasks[0]?.description).toMatch(/… \[\+105 chars\]$/);
  });
});
