import { describe, expect, it, test } from "vitest";
import { sampleInput } from "../sample-hook.test-suite.ts";
import { createHttpRunner } from "./http-runner.ts";
import { httpHook, NATIVE, OPEN, startServer } from "./http-server.test-suite.ts";
import { createWebhookVerifier, type ReceivedWebhook, signatureOf } from "./webhook-verifier.ts";

/** The vector that the libraries of Standard Webhooks are tested with. */
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const MESSAGE = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1614265330, body: '{"test": 2432232314}' };
const SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
const GENUINE: ReceivedWebhook = {
  headers: { "webhook-id": MESSAGE.id, "webhook-timestamp": String(MESSAGE.timestamp), "webhook-signature": SIGNATURE },
  body: MESSAGE.body,
};
const now = (): number => MESSAGE.timestamp * 1000;
const verifier = (options = {}): ReturnType<typeof createWebhookVerifier> => createWebhookVerifier({ secrets: [SECRET], now, ...options });
const changed = (headers: Record<string, string | undefined>): ReceivedWebhook => ({
  ...GENUINE,
  headers: { ...GENUINE.headers, ...headers },
});

describe("signatures of requests", () => {
  test("are those of the Standard Webhooks vector", () => {
    expect(signatureOf(SECRET, MESSAGE)).toBe(SIGNATURE);
    expect(verifier()(GENUINE)).toBeUndefined();
  });

  test.each([
    ["another secret", { secrets: ["whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"] }, GENUINE, "bad-signature"],
    ["another body", {}, { ...GENUINE, body: '{"test": 2432232315}' }, "bad-signature"],
    ["another id", {}, changed({ "webhook-id": "msg_other" }), "bad-signature"],
    ["a timestamp that was moved", {}, changed({ "webhook-timestamp": String(MESSAGE.timestamp + 1) }), "bad-signature"],
    ["an old timestamp", { now: () => now() + 301_000 }, GENUINE, "too-old"],
    ["a timestamp of the future", { now: () => now() - 301_000 }, GENUINE, "too-new"],
    ["no timestamp", {}, changed({ "webhook-timestamp": undefined }), "missing-header"],
    ["a timestamp that is none", {}, changed({ "webhook-timestamp": "0x6037b2f2" }), "bad-timestamp"],
    ["a signature of another version", {}, changed({ "webhook-signature": SIGNATURE.replace("v1,", "v1a,") }), "bad-signature"],
    ["an empty signature", {}, changed({ "webhook-signature": "" }), "bad-signature"],
  ])("%s is rejected", (_name, options, received, why) => {
    expect(verifier(options)(received)).toBe(why);
  });

  test("a reused id is rejected, and one that was never genuine is not used up", () => {
    const verify = verifier();
    expect(verify({ ...GENUINE, body: "forged" })).toBe("bad-signature");
    expect(verify(GENUINE)).toBeUndefined();
    expect(verify(GENUINE)).toBe("reused-id");
  });

  test("an id is remembered for as long as its timestamp would be accepted", () => {
    let seconds = MESSAGE.timestamp - 300;
    const verify = verifier({ now: () => seconds * 1000 });
    expect(verify(GENUINE)).toBeUndefined();
    seconds = MESSAGE.timestamp + 300;
    const other = { ...MESSAGE, id: "msg_other", timestamp: seconds };
    const headers = { "webhook-id": other.id, "webhook-timestamp": String(seconds), "webhook-signature": signatureOf(SECRET, other) };
    expect(verify({ headers, body: other.body })).toBeUndefined();
    expect(verify(GENUINE)).toBe("reused-id");
  });

  test("one of several secrets and one of several signatures is enough", () => {
    const both = changed({ "webhook-signature": `v1,AAAA ${SIGNATURE}` });
    expect(verifier({ secrets: ["old", SECRET] })(both)).toBeUndefined();
  });

  test("a verifier without a secret would believe anyone, so there is none", () => {
    expect(() => createWebhookVerifier({ secrets: [] })).toThrow(TypeError);
    expect(() => createWebhookVerifier({ secrets: [""] })).toThrow(TypeError);
  });
});

describe("an http hook with secretEnv", () => {
  const run = createHttpRunner({ ...OPEN, environment: { HOOK_SECRET: SECRET, EMPTY: "", ANTHROPIC_API_KEY: "key" } });

  it("is signed so that the receiver can tell, with a new id each time", async () => {
    const server = await startServer({ "/": (response) => response.end("{}") });
    const hook = httpHook(server.origin, { secretEnv: "HOOK_SECRET" }, { source: NATIVE });
    const input = sampleInput({ input: { tool_input: { command: "ünïcode" } } });
    await run({ hook }, input);
    await run({ hook }, input);
    const verify = createWebhookVerifier({ secrets: [SECRET] });
    expect(server.received.map(verify)).toEqual([undefined, undefined]);
    expect(server.received.map(createWebhookVerifier({ secrets: ["wrong"] }))).toEqual(["bad-signature", "bad-signature"]);
    expect(JSON.stringify(server.received[0]?.headers)).not.toContain(SECRET);
  });

  it.each(["UNSET", "EMPTY", "toString"])("is not sent unsigned because %s has no secret", async (secretEnv) => {
    const server = await startServer({ "/": (response) => response.end("{}") });
    const { failure } = await run({ hook: httpHook(server.origin, { secretEnv }, { source: NATIVE }) }, sampleInput());
    expect(failure).toEqual({ kind: "refused", text: expect.stringContaining(secretEnv) });
    expect(server.connections()).toBe(0);
  });

  it("of a project cannot sign with the model's key", async () => {
    const source = { scope: "project", dialect: "native", root: "/" } as const;
    const hook = httpHook("http://127.0.0.1:9/", { secretEnv: "ANTHROPIC_API_KEY" }, { source });
    expect((await run({ hook }, sampleInput())).failure?.kind).toBe("refused");
  });
});
