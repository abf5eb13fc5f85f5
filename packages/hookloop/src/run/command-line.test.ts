import { describe, expect, it } from "vitest";
import { commandLine } from "./command-runner.ts";

const ENV = { CLAUDE_PROJECT_DIR: "/srv/a b", HOOKLOOP_PROJECT_DIR: "/srv/a b", OTHER: "x" };

describe("a command hook is started", () => {
  it("by sh, or bash if it says so, with its line as it was written", () => {
    const line = 'echo "${CLAUDE_PROJECT_DIR}" $OTHER';
    expect(commandLine({ kind: "command", command: line, shell: "sh" }, ENV)).toEqual({
      file: "/bin/sh",
      args: ["-c", line],
      isShell: true,
    });
    expect(commandLine({ kind: "command", command: line, shell: "bash" }, ENV)).toEqual({
      file: "bash",
      args: ["-c", line],
      isShell: true,
    });
  });

  it("not by PowerShell here, with a word about what to do", () => {
    expect(commandLine({ kind: "command", command: "x", shell: "powershell" }, ENV)).toEqual({
      kind: "could-not-start",
      text: expect.stringMatching(/powershell.*leave "shell" out/),
    });
  });

  it("without a shell if it has args, even none", () => {
    expect(commandLine({ kind: "command", command: "a b", args: [], shell: "powershell" }, ENV)).toEqual({
      file: "a b",
      args: [],
      isShell: false,
    });
  });

  it("with the four known names replaced by their values, and nothing else", () => {
    const args = ["${CLAUDE_PROJECT_DIR}/x", "${OTHER} $CLAUDE_PROJECT_DIR `id` $(id)", "${HOOKLOOP_PROJECT_DIR}${CLAUDE_PROJECT_DIR}"];
    expect(commandLine({ kind: "command", command: "${CLAUDE_PROJECT_DIR}/run", args, shell: "sh" }, ENV)).toEqual({
      file: "/srv/a b/run",
      args: ["/srv/a b/x", "${OTHER} $CLAUDE_PROJECT_DIR `id` $(id)", "/srv/a b/srv/a b"],
      isShell: false,
    });
  });

  it("with values that look like names left as they are", () => {
    const env = { CLAUDE_PROJECT_DIR: "${CLAUDE_PLUGIN_ROOT}$&$1", CLAUDE_PLUGIN_ROOT: "no" };
    expect(commandLine({ kind: "command", command: "x", args: ["${CLAUDE_PROJECT_DIR}"], shell: "sh" }, env)).toMatchObject({
      args: ["${CLAUDE_PLUGIN_ROOT}$&$1"],
    });
  });

  it("not at all if a name has no value", () => {
    expect(commandLine({ kind: "command", command: "${CLAUDE_PLUGIN_ROOT}/x", args: [], shell: "sh" }, ENV)).toEqual({
      kind: "could-not-start",
      text: expect.stringContaining("${CLAUDE_PLUGIN_ROOT} has no value"),
    });
  });
});
