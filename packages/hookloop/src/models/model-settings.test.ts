import { expect, test } from "vitest";
import { readModelSettings } from "./model-settings.ts";

const FILE = "ANTHROPIC_API_KEY=file-key\nANTHROPIC_BASE_URL=http://elsewhere\nMODEL_ID=file-model";

test("key, address and model come from the environment", () => {
  const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "http://mine", MODEL_ID: "m" };
  expect(readModelSettings({ env })).toEqual({ apiKey: "k", authToken: undefined, baseUrl: "http://mine", model: "m" });
});

test("a key wins over a token", () => {
  const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_AUTH_TOKEN: "t" };
  expect(readModelSettings({ env })).toMatchObject({ apiKey: "k", authToken: undefined });
});

test("of the project's file nothing counts before the workspace is trusted, and that is said without the values", () => {
  const settings = readModelSettings({ env: {}, dotEnv: FILE });
  expect(settings).toMatchObject({ apiKey: undefined, authToken: undefined, baseUrl: undefined, model: undefined });
  expect(settings.note).toMatch(/^ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, MODEL_ID of the project's \.env: not used/);
  expect(readModelSettings({ env: {}, dotEnv: "OTHER=1\nHTTPS_PROXY=http://x\nNODE_OPTIONS=-r ./x.js" }).note).toBeUndefined();
});

test("in a trusted workspace, without a key of its own, the environment takes key and address of the project's file together", () => {
  const settings = readModelSettings({ env: {}, dotEnv: FILE, isTrusted: true });
  expect(settings).toMatchObject({ apiKey: "file-key", baseUrl: "http://elsewhere", model: "file-model" });
  expect(settings.note).toContain("http://elsewhere");
  expect(settings.note).not.toContain("file-key");
});

test("a password in an address is not shown", () => {
  const dotEnv = "ANTHROPIC_API_KEY=k\nANTHROPIC_BASE_URL=http://me:hunter2@elsewhere/v1";
  expect(readModelSettings({ env: {}, dotEnv, isTrusted: true }).note).toContain("http://***@elsewhere/v1");
});

test.each([{ ANTHROPIC_API_KEY: "mine" }, { ANTHROPIC_AUTH_TOKEN: "mine" }])(
  "the user's key %j is never sent to an address of the project's file, and that is said",
  (env) => {
    const settings = readModelSettings({ env, dotEnv: FILE, isTrusted: true });
    expect(settings.baseUrl).toBeUndefined();
    expect(settings.apiKey ?? settings.authToken).toBe("mine");
    expect(settings.note).toContain("ANTHROPIC_BASE_URL is not used");
  },
);

test("an address without a key in the same file is not used, and that is said", () => {
  const settings = readModelSettings({ env: {}, dotEnv: "ANTHROPIC_BASE_URL=http://elsewhere", isTrusted: true });
  expect(settings.baseUrl).toBeUndefined();
  expect(settings.note).toContain("ANTHROPIC_BASE_URL is not used");
});

test("an empty variable counts as not set", () => {
  const env = { ANTHROPIC_API_KEY: "", ANTHROPIC_BASE_URL: "", MODEL_ID: "" };
  expect(readModelSettings({ env })).toMatchObject({ apiKey: undefined, baseUrl: undefined, model: undefined });
});
