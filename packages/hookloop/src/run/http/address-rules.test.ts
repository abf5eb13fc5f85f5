import type { LookupFunction } from "node:net";
import { describe, expect, it, test } from "vitest";
import { sampleInput } from "../sample-hook.test-suite.ts";
import { guardLookup, isPublicAddress } from "./address-rules.ts";
import { createHttpRunner } from "./http-runner.ts";
import { httpHook, OPEN, startServer } from "./http-server.test-suite.ts";

/** Spellings of places that are not the public internet. All of them reach something on an ordinary machine or cloud. */
const SPELLINGS = [
  "127.0.0.1",
  "127.1",
  "127.0.1",
  "127.255.255.254",
  "2130706433",
  "0x7f000001",
  "0x7f.1",
  "0177.0.0.1",
  "017700000001",
  "127.0.0.1.",
  "１２７.０.０.１",
  "127。0。0。1",
  "%31%32%37.0.0.1",
  "①②⑦.0.0.1",
  "0",
  "0.0.0.0",
  "localhost",
  "LOCALHOST",
  "ｌocalhost",
  "api.localhost",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[::]",
  "[::127.0.0.1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[0:0:0:0:0:ffff:10.0.0.1]",
  "[64:ff9b::127.0.0.1]",
  "[64:ff9b:1::10.0.0.1]",
  "[2002:7f00:1::]",
  "[2001:0:7f00:1::]",
  "[fe80::1]",
  "[fc00::1]",
  "[fd00:ec2::254]",
  "[ff02::1]",
  "10.0.0.1",
  "10.1",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "192.168.257",
  "169.254.169.254",
  "0xa9fea9fe",
  "2852039166",
  "100.64.0.1",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
];

const lookupThatMustNotRun: LookupFunction = (hostname) => expect.fail(`${hostname} was looked up`);

describe("no spelling of a private host is reached", () => {
  test("the table has 40 and more", () => {
    expect(new Set(SPELLINGS).size).toBeGreaterThanOrEqual(40);
  });

  const run = createHttpRunner({ ...OPEN, allowLoopback: () => false, lookup: lookupThatMustNotRun });
  test.each(SPELLINGS)("http://%s/ is refused before anything is resolved or connected", async (host) => {
    for (const url of [`http://${host}/`, `https://${host}:8443/x`]) {
      const { failure } = await run({ hook: httpHook(url, {}, { timeoutMs: 2000 }) }, sampleInput());
      expect(failure?.kind).toBe("refused");
    }
  });

  test("with loopback allowed, 127.0.0.0/8, ::1 and localhost are all that is gained", async () => {
    const server = await startServer({ "/": (response) => response.end("{}") });
    const open = createHttpRunner(OPEN);
    const kinds = await Promise.all(
      SPELLINGS.map(async (host) => {
        const { failure } = await open({ hook: httpHook(`http://${host}:${server.port}/`, {}, { timeoutMs: 2000 }) }, sampleInput());
        return [host, failure?.kind] as const;
      }),
    );
    const reached = kinds.filter(([, kind]) => kind !== "refused").map(([host]) => new URL(`http://${host}/`).hostname);
    expect([...new Set(reached)].sort()).toEqual(["127.0.0.1", "127.255.255.254", "[::1]", "api.localhost", "localhost"]);
  });
});

describe("addresses", () => {
  test.each(["8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.0", "172.32.0.1", "169.253.0.1", "2606:4700::1111", "2a00::1"])(
    "%s is public",
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  test.each(["", "localhost", "1.2.3", "2001:db8::1", "3fff::1", "fe80::1%eth0", "::8.8.8.8", "::ffff:8.8.8.8"])("%j is not", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

type Answer = string | { readonly address: string; readonly family: number }[];

/** A resolver that gives these, one after the other, and then the last again. */
function resolver(...answers: readonly Answer[]): LookupFunction {
  let turn = 0;
  return (_hostname, options, callback) => {
    const answer = answers[Math.min(turn++, answers.length - 1)] ?? "";
    const all = typeof answer === "string" ? [{ address: answer, family: answer.includes(":") ? 6 : 4 }] : answer;
    if (options.all) callback(null, all);
    else callback(null, all[0]?.address ?? "", all[0]?.family);
  };
}

describe("a name is checked when it is connected to", () => {
  it("refuses a resolver that says a public address first and this machine then", async () => {
    const server = await startServer({ "/": (response) => response.end("{}") });
    const rebinding = resolver("198.51.99.1", "127.0.0.1");
    const before = await new Promise((resolve) => rebinding("hooks.example", {}, (_error, address) => resolve(address)));
    expect(isPublicAddress(String(before))).toBe(true);
    const run = createHttpRunner({ ...OPEN, lookup: rebinding });
    const { failure } = await run({ hook: httpHook(`http://hooks.example:${server.port}/`) }, sampleInput());
    expect(failure).toEqual({ kind: "refused", text: expect.stringContaining("127.0.0.1") });
    expect(server.connections()).toBe(0);
  });

  it.each([
    ["private", "10.0.0.1"],
    ["mapped", "::ffff:127.0.0.1"],
    ["metadata", "169.254.169.254"],
    [
      "one of several",
      [
        { address: "198.51.99.1", family: 4 },
        { address: "127.0.0.1", family: 4 },
      ],
    ],
    ["nothing", ""],
  ])("refuses a name that is %s", async (_name, answer) => {
    const run = createHttpRunner({ ...OPEN, lookup: resolver(answer) });
    const { failure } = await run({ hook: httpHook("http://hooks.example/", {}, { timeoutMs: 2000 }) }, sampleInput());
    expect(failure?.kind).toBe("refused");
  });

  it("checks both forms in which Node asks", () => {
    const guarded = guardLookup(resolver("127.0.0.1"));
    for (const options of [{}, { all: true }]) {
      guarded("hooks.example", options, (error) => expect(error?.code).toBe("ERR_ADDRESS_REFUSED"));
      guarded("localhost", options, (error) => expect(error).toBeNull());
    }
  });

  it("says that a name does not exist", async () => {
    const missing: LookupFunction = (_hostname, _options, callback) =>
      callback(Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" }), "");
    const run = createHttpRunner({ ...OPEN, lookup: missing });
    const { failure } = await run({ hook: httpHook("http://hooks.example/", {}, { timeoutMs: 4000 }) }, sampleInput());
    expect(failure).toEqual({ kind: "unreachable", text: expect.stringContaining("ENOTFOUND") });
  });

  it("lets localhost be this machine where that is allowed", async () => {
    const server = await startServer({ "/": (response) => response.end("{}") });
    const outcome = await createHttpRunner(OPEN)({ hook: httpHook(`http://localhost:${server.port}/`) }, sampleInput());
    expect(outcome).toMatchObject({ httpStatus: 200, failure: undefined });
  });

  it("does not hand a connection that one hook may use to another that may not", async () => {
    const server = await startServer({ "/": (response) => response.end("{}") });
    const run = createHttpRunner({ ...OPEN, allowLoopback: ({ id }) => id === "mine" });
    const url = `http://localhost:${server.port}/`;
    expect((await run({ hook: httpHook(url, {}, { id: "mine" }) }, sampleInput())).httpStatus).toBe(200);
    expect((await run({ hook: httpHook(url, {}, { id: "theirs" }) }, sampleInput())).failure?.kind).toBe("refused");
    expect(server.received).toHaveLength(1);
  });
});
