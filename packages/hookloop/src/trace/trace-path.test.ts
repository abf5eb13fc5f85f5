import { describe, expect, test } from "vitest";
import { tracePath } from "./append-file.ts";

const of = (env: Record<string, string>, session = "9b2f-11", projectRoot = "/home/user/project") =>
  tracePath({ env, projectRoot, session });

describe("the place of a trace", () => {
  test.each([
    [{ XDG_STATE_HOME: "/state", HOME: "/home/user" }, /^\/state\/hookloop\/traces\/project-[0-9a-f]{12}\/9b2f-11\.jsonl$/],
    [{ HOME: "/home/user" }, /^\/home\/user\/\.local\/state\/hookloop\/traces\/project-[0-9a-f]{12}\/9b2f-11\.jsonl$/],
    [{ XDG_STATE_HOME: "relative", HOME: "/home/user" }, /^\/home\/user\/\.local\/state\//],
  ])("%j", (env, expected) => {
    expect(of(env as Record<string, string>)).toMatch(expected);
  });

  test.each([{}, { HOME: "" }, { HOME: "relative", XDG_STATE_HOME: "" }])("is nowhere with %j", (env) => {
    expect(of(env as Record<string, string>)).toBeUndefined();
  });

  test.each(["../../etc/x", "a/b", "", ".hidden", "x".repeat(200), "a\0b"])("stays in its folder for the session %j", (session) => {
    expect(of({ HOME: "/h" }, session)).toMatch(
      /^\/h\/\.local\/state\/hookloop\/traces\/project-[0-9a-f]{12}\/session-[0-9a-f]{12}\.jsonl$/,
    );
  });

  test("different roots never share a folder", () => {
    expect(of({ HOME: "/h" }, "s", "/a/b")).not.toBe(of({ HOME: "/h" }, "s", "/c/b"));
    expect(of({ HOME: "/h" }, "s", "/")).toContain("/root-");
  });
});
