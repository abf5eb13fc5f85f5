import { describe, expect, it, test } from "vitest";
import { processorNow } from "../growth.test-suite.ts";
import { compileWildcard } from "../permissions/index.ts";
import { httpPolicy, matchesUrl } from "./switch-state.ts";
import type { ConfigDocument, Scope, Switches } from "./types.ts";

function documentOf(scope: Scope, switches: Switches): ConfigDocument {
  return {
    source: { scope, dialect: "claude", root: "/" },
    switches,
    hooks: [],
    permissions: { allow: [], ask: [], deny: [] },
    diagnostics: [],
  };
}

const hookOf = (scope: Scope): { source: ConfigDocument["source"] } => ({ source: { scope, dialect: "claude", root: "/" } });
const urlsOf = (...lists: readonly [Scope, readonly string[]][]): ReturnType<typeof httpPolicy> =>
  httpPolicy(lists.map(([scope, allowedHttpHookUrls]) => documentOf(scope, { allowedHttpHookUrls })));
const mayPost = (policy: ReturnType<typeof httpPolicy>, scope: Scope, url: string): boolean =>
  policy.refusalOf(hookOf(scope), new URL(url)) === undefined;

describe("allowedHttpHookUrls", () => {
  it("allows everything if it is not written", () => {
    expect(mayPost(httpPolicy([documentOf("user", {})]), "project", "https://a.example/")).toBe(true);
  });

  it("allows nothing if it is empty, to managed hooks neither", () => {
    const policy = urlsOf(["user", []]);
    for (const scope of ["managed", "flag", "user", "project"] as const) expect(mayPost(policy, scope, "https://a.example/")).toBe(false);
    expect(policy.refusalOf(hookOf("managed"), new URL("https://a.example/"))).toContain("empty");
  });

  it("is the union of what managed, flag and user scope wrote", () => {
    const policy = urlsOf(["managed", ["https://a.example/*"]], ["user", ["https://b.example/*"]], ["flag", []]);
    expect(mayPost(policy, "project", "https://a.example/x")).toBe(true);
    expect(mayPost(policy, "managed", "https://b.example/x")).toBe(true);
    expect(policy.refusalOf(hookOf("managed"), new URL("https://c.example/"))).toContain("https://a.example/*, https://b.example/*");
  });

  it("of a checkout takes away from its own hooks, and adds nothing", () => {
    const policy = urlsOf(["user", ["https://a.example/*"]], ["project", ["*"]], ["local", []]);
    expect(mayPost(policy, "project", "https://evil.example/")).toBe(false);
    expect(mayPost(policy, "project", "https://a.example/")).toBe(true);
    const narrow = urlsOf(["user", ["*"]], ["project", ["https://a.example/*"]]);
    for (const scope of ["project", "local", "plugin", "skill"] as const) expect(mayPost(narrow, scope, "https://b.example/")).toBe(false);
  });

  it("of a checkout never reaches the user's hooks", () => {
    const policy = urlsOf(["project", []]);
    for (const scope of ["managed", "flag", "code", "user"] as const) expect(mayPost(policy, scope, "https://a.example/")).toBe(true);
    expect(mayPost(policy, "project", "https://a.example/")).toBe(false);
  });
});

describe("httpHookAllowedEnvVars", () => {
  it("is bound by every list that reaches the hook", () => {
    const policy = httpPolicy([
      documentOf("managed", { httpHookAllowedEnvVars: ["A"] }),
      documentOf("user", { httpHookAllowedEnvVars: ["B"] }),
      documentOf("project", { httpHookAllowedEnvVars: ["A", "C"] }),
    ]);
    const allowed = (scope: Scope): string[] => ["A", "B", "C"].filter((name) => policy.mayUse(hookOf(scope), name));
    expect(allowed("managed")).toEqual(["A", "B"]);
    expect(allowed("user")).toEqual(["A", "B"]);
    expect(allowed("project")).toEqual(["A"]);
  });

  it("allows every variable the hook itself lists if it is not written, and none if it is empty", () => {
    expect(httpPolicy([]).mayUse(hookOf("project"), "A")).toBe(true);
    expect(httpPolicy([documentOf("user", { httpHookAllowedEnvVars: [] })]).mayUse(hookOf("managed"), "A")).toBe(false);
  });
});

describe("patterns", () => {
  test.each([
    ["*", "http://anything.example:1/x?y"],
    ["https://hooks.example/*", "https://hooks.example/"],
    ["https://hooks.example/*", "https://HOOKS.example/a/b?c"],
    ["https://hooks.example:443/*", "https://hooks.example/a"],
    ["http://hooks.example:80/a", "http://hooks.example/a"],
    ["https://*.example/*", "https://a.b.example/x"],
    ["http://localhost:*/*", "http://localhost:8080/x"],
    ["*://hooks.example/a", "http://hooks.example/a"],
    ["https://hooks.example", "https://hooks.example/"],
    ["https://hooks.example/a*c*e", "https://hooks.example/abcde"],
  ])("%s fits %s", (pattern, url) => {
    expect(matchesUrl(pattern, new URL(url))).toBe(true);
  });

  test.each([
    ["https://hooks.example/*", "http://hooks.example/"],
    ["https://hooks.example/*", "https://hooks.example.evil.test/"],
    ["https://hooks.example*", "https://evil.test/hooks.example"],
    ["https://*.example/*", "https://evil.test/x.example/"],
    ["https://*.example/*", "https://evil.test?x.example/"],
    ["https://*.example/*", "https://evil.test#.example/"],
    ["https://hooks.example/*", "https://hooks.example:8443/"],
    ["https://hooks.example/a", "https://hooks.example/a/b"],
    ["https://hooks.example/a/*", "https://hooks.example/a/../b"],
    ["hooks.example/*", "https://hooks.example/"],
    ["", "https://hooks.example/"],
  ])("%s does not fit %s", (pattern, url) => {
    expect(matchesUrl(pattern, new URL(url))).toBe(false);
  });

  test("parts of a pattern never overlap", () => {
    expect(compileWildcard("ab*ba")("aba")).toBe(false);
    expect(compileWildcard("ab*ba")("abba")).toBe(true);
    expect(compileWildcard("*a*a*")("a")).toBe(false);
  });

  test("many wildcards take no longer than few", () => {
    const startedAt = processorNow();
    expect(compileWildcard(`${"a*".repeat(200)}b`)("a".repeat(100_000))).toBe(false);
    expect(processorNow() - startedAt).toBeLessThan(500);
  });
});
