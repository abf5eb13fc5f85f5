import net from "node:net";
import { describe, expect, it, test, vi } from "vitest";
import { runnerContract } from "../contract.test-suite.ts";
import { sampleHook, sampleInput } from "../sample-hook.test-suite.ts";
import { createHttpRunner, type HttpOptions } from "./http-runner.ts";
import { httpHook, listen, NATIVE, OPEN, startServer, type TestServer } from "./http-server.test-suite.ts";

const server: TestServer = await startServer({
  "/answer": (response) => response.end("answer"),
  "/measure": (response, { body }) => {
    const { tool_input } = JSON.parse(body.toString()) as { tool_input: { command: string } };
    response.end(String(tool_input.command.length));
  },
  "/long": (response) => response.end("x".repeat(900_000)),
  "/hang": () => {},
  "/hang-after-headers": (response) => response.writeHead(200, { "content-type": "application/json" }).flushHeaders(),
  "/slow": (response) => {
    const drip = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(drip));
  },
  "/huge": (response) => response.end("x".repeat(10_000_000)),
  "/huge-chunked": (response) => {
    response.on("error", () => {});
    for (let count = 0; count < 10; count++) response.write("x".repeat(1_000_000));
    response.end();
  },
  "/empty": (response) => response.end(),
  "/500": (response) => response.writeHead(500).end('{"decision":"block"}'),
  "/302": (response) => response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data" }).end(),
  "/loop": (response) => response.writeHead(302, { location: "/loop" }).end(),
  "/hang-up": (response) => response.socket?.destroy(),
  "/half": (response) => {
    response.writeHead(200, { "content-length": "100" }).write("{");
    setTimeout(() => response.socket?.destroy(), 20);
  },
  "/binary": (response) => response.end(Buffer.from([0x7b, 0xff, 0x7d])),
});
const at = (path: string): string => `${server.origin}${path}`;
const run = createHttpRunner(OPEN);
const ask = (path: string, fields = {}, options: Partial<HttpOptions> = {}): ReturnType<typeof run> =>
  createHttpRunner({ ...OPEN, ...options })({ hook: httpHook(at(path), fields) }, sampleInput());

describe("the contract of runners", () => {
  runnerContract({
    runner: run,
    hooks: {
      answers: httpHook(at("/answer")),
      measures: httpHook(at("/measure")),
      answersLong: httpHook(at("/long")),
      hangs: httpHook(at("/hang"), {}, { timeoutMs: 20_000 }),
      breaks: httpHook(at("/hang-up")),
      foreign: sampleHook(),
    },
    answerOf: ({ stdout }) => stdout,
    breaksWith: "unreachable",
  });
});

describe("the request", () => {
  it("is a POST of the payload as JSON", async () => {
    const input = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "äöü" } };
    const outcome = await run({ hook: httpHook(at("/answer?a=1")) }, sampleInput({ input }));
    expect(outcome.httpStatus).toBe(404);
    const { method, path, headers, body } = server.received.at(-1) ?? expect.fail("nothing came");
    expect([method, path]).toEqual(["POST", "/answer?a=1"]);
    expect(JSON.parse(body.toString())).toEqual(input);
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "content-length": String(body.length),
      host: `127.0.0.1:${server.port}`,
      "user-agent": "hookloop/0.0.0",
    });
  });

  it("reuses one connection for one run after the other", async () => {
    const own = await startServer({ "/": (response) => response.end("{}") });
    const hook = httpHook(own.origin);
    for (let count = 0; count < 5; count++) expect((await run({ hook }, sampleInput())).httpStatus).toBe(200);
    expect(own.connections()).toBe(1);
  });

  it("closes its idle connections when the session ends", async () => {
    const closing = new AbortController();
    let isClosed = false;
    const own = await startServer({
      "/": (response) => {
        response.socket?.on("close", () => {
          isClosed = true;
        });
        response.end("{}");
      },
    });
    await createHttpRunner({ ...OPEN, closing: closing.signal })({ hook: httpHook(own.origin) }, sampleInput());
    expect(isClosed).toBe(false);
    closing.abort();
    await vi.waitFor(() => expect(isClosed).toBe(true));
  });

  it("is refused if a list says so, and nothing is connected to", async () => {
    const before = server.connections();
    const policy = { ...OPEN.policy, refusalOf: () => "the list has only https://hooks.example/*" };
    const { failure } = await ask("/answer", {}, { policy });
    expect(failure).toEqual({ kind: "refused", text: expect.stringContaining("https://hooks.example/*") });
    expect(server.connections()).toBe(before);
  });

  it.each(["ftp://example.com/", "file:///etc/passwd", "example.com", ""])("has no use for the URL %j", async (url) => {
    expect((await run({ hook: httpHook(url) }, sampleInput())).failure?.kind).toBe("could-not-start");
  });

  it("never sends a password of the URL", async () => {
    const url = at("/answer").replace("//", "//user:secret@");
    const { failure } = await run({ hook: httpHook(url) }, sampleInput());
    expect(failure?.kind).toBe("refused");
    expect(failure?.text).not.toContain("secret");
  });

  it("becomes an outcome if the event cannot be written", async () => {
    const payload = (): Buffer => {
      throw new TypeError("a cycle");
    };
    const outcome = await run({ hook: httpHook(at("/answer")) }, { ...sampleInput(), payload });
    expect(outcome.failure?.kind).toBe("bad-input");
  });

  it("becomes an outcome if the program's own rule throws", async () => {
    const allowLoopback = (): boolean => {
      throw new Error("broken");
    };
    expect((await ask("/answer", {}, { allowLoopback })).failure).toEqual({
      kind: "could-not-start",
      text: expect.stringContaining("broken"),
    });
  });
});

describe("whatever a server does is an outcome within the deadline", () => {
  test.each([
    ["/302", "http-status", 302, "redirects are not followed"],
    ["/loop", "http-status", 302, "redirects are not followed"],
    ["/500", "http-status", 500, "status 500"],
    ["/nothing-here", "http-status", 404, "status 404"],
    ["/huge", "flood", 200, "1 MiB"],
    ["/huge-chunked", "flood", 200, "1 MiB"],
    ["/hang-up", "unreachable", undefined, "cannot be reached"],
    ["/half", "unreachable", 200, "before the answer was whole"],
  ])("%s is %s", async (path, kind, status, text) => {
    const outcome = await ask(path);
    expect(outcome.failure).toEqual({ kind, text: expect.stringContaining(text) });
    expect(outcome.httpStatus).toBe(status);
    expect(outcome.durationMs).toBeLessThan(4000);
    expect(outcome.stdout.length).toBeLessThanOrEqual(1_048_576);
  });

  // Tried again: a busy machine can make one run late.
  test.each(["/hang", "/hang-after-headers", "/slow"])("%s ends at the limit", { retry: 2 }, async (path) => {
    const outcome = await run({ hook: httpHook(at(path), {}, { timeoutMs: 200 }) }, sampleInput());
    expect(outcome.failure).toEqual({ kind: "timeout", text: expect.stringContaining("200 ms") });
    expect(outcome.durationMs).toBeLessThan(1500);
  });

  test("a redirect is asked once and never followed", async () => {
    const before = server.received.length;
    await ask("/loop");
    expect(server.received.length - before).toBe(1);
  });

  test.each([
    [
      "trickles headers one letter at a time",
      (socket: net.Socket) => {
        const drip = setInterval(() => socket.write("H"), 20);
        socket.on("close", () => clearInterval(drip));
      },
    ],
    ["never reads nor answers", (socket: net.Socket) => socket.pause()],
  ])("a server that %s ends at the limit or before", { retry: 2 }, async (_name, behave) => {
    const raw = net.createServer((socket) => {
      socket.on("error", () => {});
      behave(socket);
    });
    const { origin } = await listen(raw as unknown as Parameters<typeof listen>[0]);
    const input = { tool_input: { command: "x".repeat(4_000_000) } };
    const outcome = await run({ hook: httpHook(origin, {}, { timeoutMs: 300 }) }, sampleInput({ input }));
    expect(["timeout", "unreachable"]).toContain(outcome.failure?.kind);
    expect(outcome.durationMs).toBeLessThan(2000);
  });

  test.each([
    ["is not HTTP", "220 mail ready\r\n"],
    ["has endless headers", `HTTP/1.1 200 OK\r\n${"x-a: b\r\n".repeat(5000)}`],
    ["answers before it was asked for more than a line", "HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\n{}"],
  ])("a server that %s is unreachable", async (_name, text) => {
    const raw = net.createServer((socket) => {
      socket.on("error", () => {});
      socket.end(text);
    });
    const { origin } = await listen(raw as unknown as Parameters<typeof listen>[0]);
    expect((await run({ hook: httpHook(origin) }, sampleInput())).failure?.kind).toBe("unreachable");
  });

  test("a port where nothing listens is unreachable", async () => {
    const closed = net.createServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const { port } = closed.address() as net.AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    for (const host of ["127.0.0.1", "localhost"]) {
      const { failure } = await run({ hook: httpHook(`http://${host}:${port}/`) }, sampleInput());
      expect(failure).toEqual({ kind: "unreachable", text: expect.stringContaining("ECONNREFUSED") });
    }
  });

  test("an empty answer is no failure of the run, and bytes that are no text are told", async () => {
    expect(await ask("/empty")).toMatchObject({ stdout: "", httpStatus: 200, failure: undefined, exitCode: null });
    expect(await ask("/binary")).toMatchObject({ isBinary: true });
  });
});

describe("variables in headers", () => {
  const environment = { TOKEN: "sesame", OTHER: "other", SPLIT: "a\r\nx-evil: 1", FEED: "a\nb", ANTHROPIC_API_KEY: "key", EMPTY: "" };
  const send = async (headers: Record<string, string>, { allowedEnvVars = ["TOKEN", "SPLIT", "FEED", "UNSET", "EMPTY"], ...rest } = {}) => {
    const outcome = await ask("/answer", { headers, allowedEnvVars, ...rest }, { environment });
    return { outcome, headers: outcome.failure ? undefined : server.received.at(-1)?.headers };
  };
  const sendNative = (headers: Record<string, string>, allowedEnvVars: readonly string[] = ["TOKEN", "UNSET"]) =>
    createHttpRunner({ ...OPEN, environment })(
      { hook: httpHook(at("/answer"), { headers, allowedEnvVars }, { source: NATIVE }) },
      sampleInput(),
    );

  it("are replaced in both spellings", async () => {
    const { headers, outcome } = await send({ Authorization: "Bearer $TOKEN", "X-Twice": "${TOKEN}-$TOKEN", "X-Plain": "5 $ and $1" });
    expect(headers).toMatchObject({ authorization: "Bearer sesame", "x-twice": "sesame-sesame", "x-plain": "5 $ and $1" });
    expect(outcome.notes).toEqual([]);
  });

  it("are never read twice: a value is not a template", async () => {
    const outcome = await createHttpRunner({ ...OPEN, environment: { A: "$B", B: "secret" } })(
      { hook: httpHook(at("/answer"), { headers: { "X-A": "$A" }, allowedEnvVars: ["A"] }) },
      sampleInput(),
    );
    expect(outcome.failure).toBeUndefined();
    expect(server.received.at(-1)?.headers["x-a"]).toBe("$B");
  });

  it.each([
    ["not allowed", "$OTHER"],
    ["not set", "$UNSET"],
    ["a name every object has", "$constructor"],
  ])("that are %s are empty with a warning in an imported hook", async (_name, reference) => {
    const { headers, outcome } = await send({ "X-A": `<${reference}>` });
    expect(headers?.["x-a"]).toBe("<>");
    expect(outcome.notes).toEqual([{ code: "HL_EXECUTE_HEADER_EMPTY", level: "warning", text: expect.stringContaining(reference) }]);
  });

  it.each(["$OTHER", "$UNSET"])("a native hook with %s fails, and nothing is sent", async (reference) => {
    const before = server.received.length;
    const { failure } = await sendNative({ "X-A": reference });
    expect(failure).toEqual({ kind: "refused", text: expect.stringContaining(reference) });
    expect(server.received.length).toBe(before);
  });

  it("that are set to nothing are sent as nothing", async () => {
    const { headers, outcome } = await send({ "X-A": "$EMPTY" });
    expect(headers?.["x-a"]).toBe("");
    expect(outcome.notes).toEqual([]);
  });

  it.each(["$SPLIT", "$FEED", "literal\r\nx-evil: 1"])("a line break in %j fails the run in every dialect", async (template) => {
    const before = server.received.length;
    const { outcome } = await send({ "X-A": template });
    expect(outcome.failure).toEqual({ kind: "refused", text: expect.stringContaining("line break") });
    expect(outcome.failure?.text).not.toContain("evil");
    expect(server.received.length).toBe(before);
  });

  it.each(["Host", "content-length", "Transfer-Encoding", "connection", "webhook-signature"])("%s cannot be set", async (name) => {
    expect((await send({ [name]: "1" })).outcome.failure?.kind).toBe("refused");
  });

  it.each([
    ["bad name", "x"],
    ["x-a", "snow \u2603"],
    ["x-a", "\u0000"],
  ])("%j: %j cannot be sent", async (name, value) => {
    expect((await send({ [name]: value })).outcome.failure?.kind).toBe("refused");
  });

  it("the policy's list binds on top of the hook's own", async () => {
    const policy = { ...OPEN.policy, mayUse: (_hook: unknown, name: string) => name !== "TOKEN" };
    const hook = httpHook(at("/answer"), { headers: { "X-A": "$TOKEN$EMPTY" }, allowedEnvVars: ["TOKEN", "EMPTY"] });
    const { notes } = await createHttpRunner({ ...OPEN, environment, policy })({ hook }, sampleInput());
    expect(server.received.at(-1)?.headers["x-a"]).toBe("");
    expect(notes).toHaveLength(1);
  });

  it.each(["project", "local", "plugin", "skill"] as const)("a %s hook never gets the model's key", async (scope) => {
    const source = { scope, dialect: "claude", root: "/" } as const;
    const fields = { headers: { "X-A": "<$ANTHROPIC_API_KEY>" }, allowedEnvVars: ["ANTHROPIC_API_KEY"] };
    await createHttpRunner({ ...OPEN, environment })({ hook: httpHook(at("/answer"), fields, { source }) }, sampleInput());
    expect(server.received.at(-1)?.headers["x-a"]).toBe("<>");
  });
});
