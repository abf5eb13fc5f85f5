import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { startServer, type TestServer } from "../../packages/hookloop/src/run/http/http-server.test-suite.ts";
import { bash, type FILES, openProject, type Project } from "./open-project.ts";

const DENY = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "MARK" } };

const server: TestServer = await startServer({
  "/deny": (response) => response.end(JSON.stringify(DENY)),
  "/context": (response) =>
    response.end(JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext: "MARK" } })),
  "/500": (response) => response.writeHead(500).end(JSON.stringify(DENY)),
  "/text": (response) => response.end("MARK"),
  "/empty": (response) => response.end(),
  "/hang": () => {},
});

const http = (path: string, fields: object = {}): object => ({
  hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "http", url: `${server.origin}${path}`, ...fields }] }] },
});
const fire = async (project: Project, options = {}) => (await project.open(options)).fire("PreToolUse", bash("ls"));

describe("an http hook", () => {
  test("gets the whole payload and its answer counts", async () => {
    const project = openProject({ project: http("/deny", { headers: { Authorization: "Bearer $TOK" }, allowedEnvVars: ["TOK"] }) });
    const verdict = await fire(project, { ports: { env: { TOK: "sesame" } } });
    expect(verdict).toMatchObject({ decision: "deny", reasons: [{ text: "MARK" }] });
    const { body, headers } = server.received.at(-1) ?? expect.fail("nothing came");
    expect(JSON.parse(body.toString())).toMatchObject({ hook_event_name: "PreToolUse", session_id: "session-1", ...bash("ls") });
    expect(headers.authorization).toBe("Bearer sesame");
    expect(project.codes()).toEqual([]);
  });

  test("gives context like a command", async () => {
    const { contexts } = await fire(openProject({ user: http("/context") }));
    expect(contexts).toMatchObject([{ text: "MARK" }]);
  });

  test("puts its status where a command has its exit code", async () => {
    const steps: Record<string, unknown>[] = [];
    const trace = { write: (step: unknown) => steps.push(step as Record<string, unknown>) } as never;
    await fire(openProject({ user: http("/500") }), { ports: { trace } });
    expect(steps.find(({ type }) => type === "outcome")).toMatchObject({ exitCode: 500, failure: { kind: "http-status" } });
  });

  test("of an imported file that fails is open, and is reported", async () => {
    const project = openProject({ user: http("/500") });
    expect(await fire(project)).toMatchObject({ decision: "none" });
    expect(project.codes()).toEqual(["HL_EXECUTE_HTTP_STATUS"]);
  });

  test.each([
    ["/500", "HL_EXECUTE_HTTP_STATUS"],
    ["/text", "HL_OUTPUT_BAD_JSON"],
    ["/empty", "HL_OUTPUT_BAD_JSON"],
    ["/hang", "HL_EXECUTE_TIMEOUT"],
  ])("of a native file that fails (%s) asks, and as a guard blocks", async (path, code) => {
    const asking = openProject({ userNative: http(path, { timeout: 0.3 }) });
    expect((await fire(asking)).decision).toBe("ask");
    expect(asking.codes()).toEqual([code]);
    expect((await fire(openProject({ userNative: http(path, { timeout: 0.3, guard: true }) }))).decision).toBe("deny");
  });

  test("is ended when the session closes", async () => {
    const hooks = await openProject({ user: http("/hang") }).open();
    const firing = hooks.fire("PreToolUse", bash("ls"));
    setTimeout(() => void hooks.close(), 100);
    expect((await firing).decision).toBe("none");
  });
});

describe("trust", () => {
  test.each(["store", () => false])("an http hook of a project that is not trusted never connects", async (trust) => {
    const marker = await startServer({});
    const entry = { type: "http", url: `${marker.origin}/` };
    const project = openProject({
      project: { hooks: { PreToolUse: [{ hooks: [entry] }] } },
      native: { hooks: { PreToolUse: [{ hooks: [entry] }] } },
    });
    expect((await fire(project, { trust })).decision).toBe("none");
    expect(project.codes()).toContain("HL_ADMIT_UNTRUSTED");
    expect(marker.connections()).toBe(0);
  });

  const approved = { trust: () => true };
  const loopback = { settings: { allowLoopback: true } };
  test.each<[string, Partial<Record<keyof typeof FILES, unknown>>, object, boolean]>([
    ["a project hook that was approved one by one", { project: http("/deny") }, approved, false],
    ["a project hook of a program that trusts everything", { project: http("/deny") }, {}, true],
    ["a project hook of a workspace that is trusted", { project: http("/deny") }, { trust: { workspace: true } }, true],
    ["a project hook where the user allows it", { project: http("/deny"), userNative: loopback }, approved, true],
    ["a project hook where managed policy allows it", { project: http("/deny"), managed: loopback }, approved, true],
    ["a project hook that allows it to itself", { native: { ...http("/deny"), ...loopback } }, approved, false],
    ["a hook of the user", { user: http("/deny") }, approved, true],
    ["a hook of managed policy", { managed: http("/deny") }, approved, true],
  ])("%s reaches this machine or not", async (_name, files, options, isReached) => {
    const before = server.received.length;
    const project = openProject(files);
    await fire(project, options);
    expect(server.received.length - before).toBe(isReached ? 1 : 0);
    expect(project.codes().includes("HL_EXECUTE_REFUSED")).toBe(!isReached);
  });
});

describe("lists", () => {
  test("allowedHttpHookUrls binds managed hooks too", async () => {
    const project = openProject({ managed: http("/deny"), user: { allowedHttpHookUrls: ["https://hooks.example/*"] } });
    expect((await fire(project)).reasons).not.toMatchObject([{ text: "MARK" }]);
    expect(project.codes()).toContain("HL_EXECUTE_REFUSED");
  });

  test("a project cannot add to the user's list", async () => {
    const project = openProject({ project: { ...http("/deny"), allowedHttpHookUrls: ["*"] }, user: { allowedHttpHookUrls: [] } });
    const before = server.received.length;
    await fire(project);
    expect(server.received.length).toBe(before);
  });

  test("httpHookAllowedEnvVars empties a header of an imported hook, with a warning", async () => {
    const fields = { headers: { "X-A": "<$TOK>" }, allowedEnvVars: ["TOK"] };
    const project = openProject({ project: http("/deny", fields), user: { httpHookAllowedEnvVars: ["OTHER"] } });
    await fire(project, { ports: { env: { TOK: "sesame" } } });
    expect(server.received.at(-1)?.headers["x-a"]).toBe("<>");
    expect(project.codes()).toEqual(["HL_EXECUTE_HEADER_EMPTY"]);
  });
});

test("an engine without http hooks does not load Node's http modules", () => {
  const entry = new URL("../../packages/hookloop/dist/lib/index.js", import.meta.url).href;
  const script = `const { openHooks } = await import(${JSON.stringify(entry)});
    const hooks = await openHooks({ cwd: process.argv[1], onDiagnostic() {} });
    await hooks.fire("Stop", { stop_hook_active: false });
    await hooks.close();
    console.log(process.moduleLoadList.filter((name) => /NativeModule (_http_client|https?)$/.test(name)).join());`;
  const project = openProject();
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script, project.cwd], { encoding: "utf8" });
  expect([stdout.trim(), stderr]).toEqual(["", ""]);
});
