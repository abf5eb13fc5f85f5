/** Callbacks of the embedding program: one that fails, now or later, ends neither the program nor the event; one that never answers ends with the call. */
import { deny } from "@hookloop/sdk";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TraceSink } from "../../packages/hookloop/src/engine/step.ts";
import { bash, hooksFor, openProject } from "../engine/open-project.ts";

const never = (): Promise<never> => new Promise(() => {});
const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

describe("a call that is over when the program has answered is not run", () => {
  const aborting = new Map<string, (end: () => undefined) => object>([
    [
      "permission, later",
      (end) => ({
        permission: async () => {
          await soon();
          end();
          return "allow";
        },
      }),
    ],
    ["permission, at once", (end) => ({ permission: () => end() ?? "allow" })],
    [
      "permission, with its answer",
      (end) => ({
        permission: async () => {
          queueMicrotask(end);
          return "allow";
        },
      }),
    ],
    ["protect", (end) => ({ protect: () => void end() })],
    ["ask", (end) => ({ permission: () => "ask", ask: () => end() ?? true })],
  ]);

  test.each([...aborting])("%s aborts", async (_where, options) => {
    const hooks = await openProject().open();
    const controller = new AbortController();
    let hasRun = false;
    const run = (): void => {
      hasRun = true;
    };
    const end = (): undefined => void controller.abort();
    const result = await hooks.runTool(bash("ls"), run, { ...options(end), signal: controller.signal });
    expect([result.status, result.error, hasRun]).toEqual(["denied", "Bash was interrupted before it ran.", false]);
  });

  test.each([...aborting])("%s closes", async (_where, options) => {
    const project = openProject();
    const hooks = await project.open();
    let hasRun = false;
    const run = (): void => {
      hasRun = true;
    };
    const result = await hooks.runTool(
      bash("ls"),
      run,
      options((): undefined => void hooks.close()),
    );
    expect([result.status, hasRun]).toEqual(["denied", false]);
    expect(project.codes()).toEqual(["HL_LOOP_CLOSED"]);
  });

  const unsettled = [
    ["permission", { permission: never }],
    ["ask", { permission: () => "ask", ask: never }],
  ] as const;

  test.each(unsettled)("a %s that never settles ends with the signal", async (_name, options) => {
    const hooks = await openProject().open();
    const result = await hooks.runTool(bash("ls"), () => 1, { ...options, signal: AbortSignal.timeout(10) } as never);
    expect([result.status, result.error]).toEqual(["denied", "Bash was interrupted before it ran."]);
  });

  test.each(unsettled)("a %s that never settles ends with close(), before background hooks have", async (_name, options) => {
    const project = openProject({ native: hooksFor("SessionStart", [{ command: "sleep 5", async: true }]) });
    const hooks = await project.open({ drainMs: 400 });
    await hooks.fire("SessionStart", { source: "startup" });
    const running = hooks.runTool(bash("ls"), () => 1, options as never);
    await soon();
    const closing = hooks.close();
    const first = await Promise.race([running, closing.then(() => "closed")]);
    expect(first).toMatchObject({ status: "denied", error: "Bash was not run: the hooks of this session are closed." });
    await closing;
  });
});

describe("a callback that rejects is reported, and only that is told", () => {
  const unhandled: unknown[] = [];
  const note = (thrown: unknown): unknown => unhandled.push(thrown);
  beforeEach(() => void process.on("unhandledRejection", note));
  afterEach(() => void process.off("unhandledRejection", note));
  const rejecting = (): Promise<never> => Promise.reject(new Error("boom"));

  test("write() of a trace, once", async () => {
    const project = openProject();
    const trace = { write: rejecting } as unknown as TraceSink;
    const hooks = await project.open({ ports: { trace } });
    hooks.on("PreToolUse", {}, () => deny("no"));
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
    await soon();
    expect(project.diagnostics.map(({ code, text }) => [code, text.includes("boom")])).toEqual([["HL_TRACE_WRITE_FAILED", true]]);
    expect(unhandled).toEqual([]);
  });

  test("onStep", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", {}, () => deny("no"));
    expect((await hooks.fire("PreToolUse", bash("ls"), { onStep: rejecting as never })).decision).toBe("deny");
    await soon();
    expect(new Set(project.diagnostics.map(({ text }) => text))).toEqual(new Set(["onStep threw: boom"]));
    expect(unhandled).toEqual([]);
  });

  test("onWake", async () => {
    const project = openProject({
      native: hooksFor("PostToolUse", [{ command: "echo look >&2; exit 2", asyncRewake: true }]),
    });
    const hooks = await project.open({ onWake: rejecting as never });
    await hooks.fire("PostToolUse", { ...bash("ls"), tool_response: { stdout: "", stderr: "", interrupted: false, isImage: false } });
    await hooks.close();
    expect(project.diagnostics.map(({ text }) => text)).toContain("onWake threw: boom");
    expect(unhandled).toEqual([]);
  });

  test.each(["protect", "afterwards"])("%s, which may be no promise", async (name) => {
    const project = openProject();
    const hooks = await project.open();
    const result = await hooks.runTool(bash("ls"), () => 1, { [name]: rejecting } as never);
    await soon();
    expect(result.status).toBe(name === "protect" ? "denied" : "ran");
    expect(project.diagnostics).toHaveLength(1);
    expect(unhandled).toEqual([]);
  });

  test("a function as trust, which has not said yes", async () => {
    const project = openProject({ native: hooksFor("PreToolUse", "exit 0") });
    const hooks = await project.open({ trust: rejecting as never });
    await soon();
    expect(hooks.admitted).toEqual([]);
    expect(unhandled).toEqual([]);
  });

  test("a thenable that is no promise", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", {}, () => deny("no"));
    class Thenable {
      // biome-ignore lint/suspicious/noThenProperty: what a library other than Promise gives
      then(_resolve: unknown, reject: (thrown: Error) => void): void {
        reject(new Error("boom"));
      }
    }
    const onStep = (): unknown => new Thenable();
    await hooks.fire("PreToolUse", bash("ls"), { onStep: onStep as never });
    await soon();
    expect(project.diagnostics.map(({ text }) => text)).toContain("onStep threw: boom");
  });
});
