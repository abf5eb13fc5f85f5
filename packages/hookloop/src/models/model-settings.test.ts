import { expect, test } from "vitest";
import { readModelSettings } from "./model-settings.ts";

const FILE = "ANTHROPIC_API_KEY=file-key\nANTHROPIC_BASE_URL=http://elsewhere\nMODEL_ID=file-model";

test("key, address and model come from the environment", () => {
  const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "http://mine", MODEL_ID: "m" };
  expect(readModelSettings({ env })).toMatchObject({ apiKey: "k", baseUrl: "http://mine", model: "m", ignored: [] });
});

test("a key wins over a token", () => {
  const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_AUTH_TOKEN: "t" };
  expect(readModelSettings({ env })).toMatchObject({ apiKey: "k", authToken: undefined });
});

test("without a key of its own, the environment takes key and address of the project's file together", () => {
  expect(readModelSettings({ env: {}, dotEnv: FILE })).toMatchObject({
    apiKey: "file-key",
    baseUrl: "http://elsewhere",
    model: "file-model",
    ignored: [],
  });
});

test.each([{ ANTHROPIC_API_KEY: "mine" }, { ANTHROPIC_AUTH_TOKEN: "mine" }])(
  "the user's key %j is never sent to an address of the project's file, and that is said",
  (env) => {
    const settings = readModelSettings({ env, dotEnv: FILE });
    expect(settings.baseUrl).toBeUndefined();
    expect(settings.apiKey ?? settings.authToken).toBe("mine");
    expect(settings.ignored).toHaveLength(1);
  },
);

test("an address without a key in the same file is not used, and that is said", () => {
  const settings = readModelSettings({ env: {}, dotEnv: "ANTHROPIC_BASE_URL=http://elsewhere" });
  expect([settings.baseUrl, settings.ignored.length]).toEqual([undefined, 1]);
});

test("an empty variable counts as not set", () => {
  const env = { ANTHROPIC_API_KEY: "", ANTHROPIC_BASE_URL: "", MODEL_ID: "" };
  expect(readModelSettings({ env })).toMatchObject({ apiKey: undefined, baseUrl: undefined, model: undefined });
});
