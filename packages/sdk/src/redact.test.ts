import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redacting } from "./log.ts";

/** What a record says after it was written and read again. */
function logged(value: unknown, environment: NodeJS.ProcessEnv = {}): unknown {
  return JSON.parse(JSON.stringify({ value }, redacting(environment))).value;
}

// Put together here, so that no scanner takes this file for a leak.
const TOKENS = {
  "a model key": `sk-${"ant-api03-"}${"Ab1_".repeat(10)}`,
  "a code host token": `gh${"p"}_${"a1B2".repeat(9)}`,
  "a fine-grained code host token": `github_${"pat"}_${"a1B2".repeat(9)}`,
  "another code host's token": `gl${"pat"}-${"a1B2".repeat(5)}`,
  "a chat token": `xox${"b"}-1234567890-abcdef`,
  "a cloud key": `AK${"IA"}ABCDEFGHIJKLMNOP`,
  "a registry token": `npm${"_"}${"a1B2".repeat(9)}`,
  "a web token": `ey${"J"}hbGciOi.eyJzdWIiOiIx.c2lnbmF0dXJl`,
};

describe("text", () => {
  it.each(Object.entries(TOKENS))("that holds %s loses it, and only it", (_what, token) => {
    expect(logged(`curl -H "x: ${token}" https://example.com`)).toBe('curl -H "x: [redacted]" https://example.com');
    expect(logged([`${token}\n${token}`])).toEqual(["[redacted]\n[redacted]"]);
    expect(logged(`KEY=${token};`)).toBe("KEY=[redacted];");
  });

  it("loses what follows Bearer", () => {
    expect(logged("Authorization: Bearer abcdefgh12345678")).toBe("Authorization: Bearer [redacted]");
  });

  it.each([
    ["PGPASSWORD=hunter2hunter2 psql -h db", "PGPASSWORD=[redacted] psql -h db"],
    ["login --token: abcdefgh1234 now", "login --token: [redacted] now"],
    ['{"user":"me","password":"hunter2"}', '{"user":"me","password":"[redacted]"}'],
  ])("loses what follows a secret's name: %s", (text, wanted) => {
    expect(logged(text)).toBe(wanted);
  });

  it.each([
    ["spaces", " "],
    ["line ends", "\n"],
    ["quotes", '"'],
    ["dashes", "-----"],
    ["the start of a web token", "eyJ-"],
    ["the start of a private key", "-----BEGIN PRIVATE KEY-----"],
    ["assignments", "password= "],
    ["words", "passw"],
  ])("of 100,000 characters is read in less than a second, also if it is nothing but %s", (_what, piece) => {
    const text = piece.repeat(100_000 / piece.length);
    const before = process.cpuUsage();
    logged(text);
    // Processor time: a busy machine does not lengthen it.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000);
  });

  it("loses a private key, whole or cut off", () => {
    const key = `-----BEGIN ${"RSA"} PRIVATE KEY-----\nMIIEow\nIBAAKC\n`;
    expect(logged(`${key}-----END RSA PRIVATE KEY-----`)).not.toMatch(/MIIEow|IBAAKC/);
    expect(logged(`before ${key}`)).toBe("before [redacted]");
  });

  it("keeps what only looks a little like one", () => {
    for (const text of ["sk-short", "task-manager-implementation-of-things", "a bearer of news", "ghost_town", "npm_config_cache", "eyJ"]) {
      expect(logged(text)).toBe(text);
    }
  });
});

describe("a field with a secret's name", () => {
  it.each(["password", "PASSWD", "client_secret", "access_token", "token", "apiKey", "API_KEY", "credentials", "private_key"])(
    "%s is hidden",
    (name) => {
      expect(logged({ [name]: "hunter2", other: "kept" })).toEqual({ [name]: "[redacted]", other: "kept" });
    },
  );

  it.each(["input_tokens", "max_tokens", "tokens", "keyboard", "passive", "tool_name"])("%s is not one", (name) => {
    expect(logged({ [name]: "kept" })).toEqual({ [name]: "kept" });
  });

  it.each([
    ["a number", { password: 12345678 }, "12345678"],
    ["a list", { api_keys: ["hunter2hunter2"] }, "hunter2"],
    ["an object", { credentials: { user: "u", phrase: "hunter2hunter2" } }, "hunter2"],
  ])("is hidden when it holds %s", (_what, value, secret) => {
    expect(JSON.stringify(logged(value))).not.toContain(secret);
  });
});

describe("the environment", () => {
  it("hides the value of every variable with a secret's name, wherever it turns up", () => {
    const environment = { DB_PASSWORD: "correct horse", DEPLOY_TOKEN: "battery-staple", HOME: "/home/user", SHORT_SECRET: "abc" };
    expect(logged("psql correct horse; push battery-staple from /home/user, abc", environment)).toBe(
      "psql [redacted]; push [redacted] from /home/user, abc",
    );
  });

  it("takes a value for text, not for a pattern", () => {
    expect(logged("a.c+d$&xyz and abc+d", { MY_SECRET: "a.c+d$&xyz" })).toBe("[redacted] and abc+d");
  });

  it("hides a value whole even if another one is its start", () => {
    for (const environment of [
      { A_TOKEN: "abcdefgh", B_TOKEN: "abcdefgh12345" },
      { B_TOKEN: "abcdefgh12345", A_TOKEN: "abcdefgh" },
    ]) {
      expect(logged("use abcdefgh12345", environment)).toBe("use [redacted]");
    }
  });
});

describe("any record", () => {
  const anyText = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(...Object.values(TOKENS), "Bearer abcdefgh1234", "correct horse"),
  );
  const anyRecord = fc.dictionary(
    fc.constantFrom("message", "password", "data"),
    fc.oneof(
      fc.array(anyText).map((texts) => texts.join(" ")),
      fc.jsonValue(),
    ),
  );
  const environment = { DB_PASSWORD: "correct horse" };

  it("is valid JSON with the same fields", () => {
    fc.assert(
      fc.property(anyRecord, (record) => {
        expect(Object.keys(logged(record, environment) as object)).toEqual(Object.keys(record));
      }),
    );
  });

  it("does not change when it is redacted again", () => {
    fc.assert(
      fc.property(anyRecord, (record) => {
        const once = logged(record, environment);
        expect(logged(once, environment)).toEqual(once);
      }),
    );
  });

  it("holds none of the secrets", () => {
    fc.assert(
      fc.property(fc.array(anyText), (texts) => {
        const text = String(logged(texts.join(" "), environment));
        for (const secret of [...Object.values(TOKENS), "correct horse"]) expect(text).not.toContain(secret);
      }),
    );
  });
});
