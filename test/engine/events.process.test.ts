import type { EventName } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import { EVENT_NAMES, EVENTS, samplePayload } from "../../packages/hookloop/src/catalogue/events.ts";
import { hooksFor, openProject } from "./open-project.ts";

/** The sample without what the engine itself adds. */
function ownFields(event: EventName): Record<string, unknown> {
  const {
    session_id: _id,
    transcript_path: _path,
    cwd: _cwd,
    hook_event_name: _event,
    ...own
  } = samplePayload(event) as unknown as Record<string, unknown>;
  return own;
}

describe.each(EVENT_NAMES)("%s", (event) => {
  test("a command hook gets the whole payload on stdin", async () => {
    const project = openProject({ project: hooksFor(event, "cat > seen.json") });
    const hooks = await project.open();
    expect(hooks.has(event)).toBe(true);
    await hooks.fire(event, ownFields(event));
    const seen = JSON.parse(project.read("seen.json") ?? "{}");
    expect(seen).toEqual({ ...ownFields(event), hook_event_name: event, session_id: "session-1", transcript_path: "", cwd: project.cwd });
    expect(Object.keys(EVENTS[event].sample).filter((field) => !(field in seen))).toEqual([]);
  });

  test("an unapproved hook does not run, and that is reported", async () => {
    const project = openProject({ project: hooksFor(event, "touch project-ran"), local: hooksFor(event, "touch local-ran") });
    project.write("plug/hooks/hooks.json", hooksFor(event, `touch "${project.path("plugin-ran")}"`));
    const hooks = await project.open({ trust: "store", plugins: ["../plug"] });
    const verdict = await hooks.fire(event, ownFields(event));
    expect([project.read("project-ran"), project.read("local-ran"), project.read("plugin-ran")]).toEqual([undefined, undefined, undefined]);
    expect(project.codes().filter((code) => code === "HL_ADMIT_UNTRUSTED")).toHaveLength(3);
    expect(hooks.refused.map(({ reason }) => reason)).toEqual(["untrusted", "untrusted", "untrusted"]);
    expect([hooks.has(event), verdict.decision]).toEqual([false, "none"]);
  });

  test("of several, only the approved one runs", async () => {
    const project = openProject({ project: hooksFor(event, ["touch first", "touch second"]) });
    const hooks = await project.open({ trust: (hook) => hook.name.includes("second") });
    await hooks.fire(event, ownFields(event));
    expect([project.read("first"), project.read("second")]).toEqual([undefined, ""]);
  });
});

test("a user's own hook runs without an approval", async () => {
  const project = openProject({ user: hooksFor("Notification", "touch ran") });
  await (await project.open({ trust: "store" })).fire("Notification", ownFields("Notification") as never);
  expect(project.read("ran")).toBe("");
});

test("a program that cannot say yes has not said it", async () => {
  const project = openProject({ project: hooksFor("Notification", "touch ran") });
  const hooks = await project.open({
    trust: () => {
      throw new Error("no idea");
    },
  });
  await hooks.fire("Notification", ownFields("Notification") as never);
  expect(project.read("ran")).toBeUndefined();
});

test("an unapproved hook's matcher and condition are never evaluated", async () => {
  const project = openProject({ project: hooksFor("PreToolUse", [{ command: "touch ran", if: "Bash(" }], { matcher: "(a+)+$" }) });
  const hooks = await project.open({ trust: "store" });
  await hooks.fire("PreToolUse", { tool_name: `${"a".repeat(50_000)}!`, tool_input: {} });
  expect(project.codes().filter((code) => code.startsWith("HL_SELECT"))).toEqual([]);
});

test("the caller's own session_id and cwd are kept, hook_event_name is not", async () => {
  const project = openProject({ project: hooksFor("Stop", 'cat > "$CLAUDE_PROJECT_DIR/seen.json"; pwd > "$CLAUDE_PROJECT_DIR/pwd"') });
  const hooks = await project.open({ commonInput: { permission_mode: "plan" } });
  await hooks.fire("Stop", { cwd: "/tmp", session_id: "other", hook_event_name: "Start", stop_hook_active: true } as never);
  expect(JSON.parse(project.read("seen.json") ?? "{}")).toMatchObject({
    cwd: "/tmp",
    session_id: "other",
    permission_mode: "plan",
    hook_event_name: "Stop",
    stop_hook_active: true,
  });
  expect(project.read("pwd")).toBe("/tmp");
});
