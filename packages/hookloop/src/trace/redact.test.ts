import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { processorMs } from "../growth.test-suite.ts";
import { createRedactor } from "./redact.ts";

// Put together at run time, so that no scanner takes this file for a leak.
const fake = (prefix: string, length: number, letters = "Ab1"): string => prefix + letters.repeat(length).slice(0, length);
const JWT = [fake("eyJ", 20), fake("eyJ", 30), fake("", 20)].join(".");
const TOKENS: readonly string[] = [
  fake("sk-ant-api03-", 40),
  fake("sk-proj-", 40),
  fake("sk_live_", 24),
  fake("ghp_", 36),
  fake("github_pat_", 60),
  fake("glpat-", 20),
  fake("xoxb-", 40),
  fake("xapp-", 40),
  `hooks.slack.com/services/${fake("T", 9)}/${fake("B", 9)}/${fake("", 24)}`,
  fake("AKIA", 16, "ABC2"),
  fake("ASIA", 16, "ABC2"),
  fake("AIza", 35),
  fake("ya29.", 40),
  fake("npm_", 36),
  fake("pypi-AgEIcHlwaS5vcmc", 60),
  fake("hf_", 34),
  fake("dop_v1_", 64, "ab1"),
  fake("shpat_", 32, "ab1"),
  fake("lin_api_", 40),
  fake("hvs.", 30),
  fake("dapi", 32, "ab1"),
  fake("AGE-SECRET-KEY-1", 58, "QP2"),
  `SG.${fake("", 22)}.${fake("", 43)}`,
  JWT,
  `123456789:AA${fake("", 33)}`,
  fake("whsec_", 32),
  fake("gsk_", 52),
  fake("xai-", 80),
  fake("pplx-", 48),
  fake("ntn_", 46),
  fake("r8_", 37),
  fake("glsa_", 41),
  fake("sntrys_eyJ", 60),
  fake("CFPAT-", 43),
  `PMAK-${fake("", 24, "ab1")}-${fake("", 34, "ab1")}`,
  fake("ATATT3xFfGF0", 60),
  fake("pypi-AgEIcHlwaS5vcmc", 12),
  [fake("MT", 24), fake("G", 5), fake("", 38)].join("."),
  fake("SK", 32, "ab1"),
  `-----BEGIN RSA ${"PRIVATE"} KEY-----\nabc\ndef\n-----END RSA ${"PRIVATE"} KEY-----`,
  `-----BEGIN ${"PRIVATE"} KEY-----\nnever ended`,
];
const redactor = createRedactor({});

describe("tokens that tell by themselves", () => {
  test.each(TOKENS)("%s is hidden, alone and inside a text", (token) => {
    expect(redactor.text(token)).toBe("[redacted]");
    const inside = redactor.text(`before ${token}`);
    expect(inside).toBe("before [redacted]");
    expect(redactor.suspects(JSON.stringify({ text: `x ${token}` }))).toBe(true);
  });

  test.each([
    ["Authorization: Bearer abcdefgh12345", "Authorization: Bearer [redacted]"],
    ["Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [redacted]"],
    ["postgres://admin:hunter22@db:5432/x", "postgres://admin:[redacted]@db:5432/x"],
    [`https://${fake("", 32, "ab1")}@example.com/1`, "https://[redacted]@example.com/1"],
    ["redis://me:pa:ss:wo@host/0", "redis://me:[redacted]@host/0"],
    ["GET https://h/x?access_token=abc123def&a=1", "GET https://h/x?access_token=[redacted]&a=1"],
    ["https://h/x?a=1&sig=Zm9vYmFy%2B1#top", "https://h/x?a=1&sig=[redacted]#top"],
    ["https://h/x?X-Amz-Signature=0123456789abcdef&X-Amz-Date=20260101", "https://h/x?X-Amz-Signature=[redacted]&X-Amz-Date=20260101"],
    ["https://h/cb#id_token=abcdefghij", "https://h/cb#id_token=[redacted]"],
    ["https://maps.h/js?key=abcdefghij1", "https://maps.h/js?key=[redacted]"],
    ["https://h/?a=1\\u0026api_key=abcdefghij", "https://h/?a=1\\u0026api_key=[redacted]"],
    ["curl -H 'X-Api-Key: abcdefgh1234' https://h", "curl -H 'X-Api-Key: [redacted]' https://h"],
    ["PRIVATE-TOKEN: abcdefgh1234", "PRIVATE-TOKEN: [redacted]"],
    ["Authorization: token abcdefgh1234", "Authorization: token [redacted]"],
    ["authorization: abcdefgh1234xyz", "authorization: [redacted]"],
    ["Cookie: sid=abcdefgh; b=2", "Cookie: [redacted]"],
    ["DEPLOY_TOKEN=abcdefgh1234 ./deploy.sh", "DEPLOY_TOKEN=[redacted] ./deploy.sh"],
    ["mysql --password=abcdefgh1234 x", "mysql --password=[redacted] x"],
    ["vault login --token abcdefgh1234", "vault login --token [redacted]"],
    ["curl -u me:abcdefgh12 https://h", "curl -u me:[redacted] https://h"],
    ["mysql -uroot -phunter2 app", "mysql -uroot -p[redacted] app"],
    ["mysqldump -h db -p'hunter2' app", "mysqldump -h db -p'[redacted]' app"],
    ["sshpass -p hunter2 ssh me@h", "sshpass -p [redacted] ssh me@h"],
    ["sshpass -phunter2 ssh me@h", "sshpass -p[redacted] ssh me@h"],
    ["redis-cli -h db -a hunter2 ping", "redis-cli -h db -a [redacted] ping"],
    ["gpg --batch --passphrase abcdefgh12 -d x", "gpg --batch --passphrase [redacted] -d x"],
    ["curl --oauth2-bearer abcdefgh12 https://h", "curl --oauth2-bearer [redacted] https://h"],
    ["openssl rsa -passin pass:hunter2 -in k", "openssl rsa -passin pass:[redacted] -in k"],
    ["unzip -P hunter2 x.zip", "unzip -P [redacted] x.zip"],
    ["aws configure set aws_secret_access_key abcdefgh1234", "aws configure set aws_secret_access_key [redacted]"],
    ["aws_session_token = abcdefgh1234", "aws_session_token = [redacted]"],
  ])("%s becomes %s", (text, expected) => {
    expect(redactor.text(text)).toBe(expected);
    expect(redactor.suspects(JSON.stringify(text))).toBe(true);
  });

  test.each([
    "git push origin main",
    "sk-8",
    "task-list-of-many-entries-here",
    "https://example.com:8080/a@b",
    "the Basic idea",
    "toolu_01A7mHcQ2Yx5",
    "eyJ is not a token",
    "TOKEN=$OTHER ./x",
    "docker run -u 1000:100000 image",
    "https://example.com/?page=12345678&sort=ascending",
    "git log --author=someone --pretty=oneline",
    "the token of the day",
    "Authorization: Bearer $TOKEN",
    "mysql -p app",
    "mysql --protocol tcp -P 3306 app",
    "mysql -p$PASSWORD app",
    "mkdir -pv a/b/c && cp -pr x y",
    "ssh -p 2222 host",
    "redis-cli -h db ping",
    "gpg --passphrase-file /run/x --batch",
    "openssl rsa -passin env:NAME -in k",
    "openssl rsa -passin file:/run/secret",
    "unzip -p x.zip a.txt",
    "gsk_ and xai- and ntn_ are how keys start",
    "r8_register_allocation_of_the_compiler",
    "xai-explainable-artificial-intelligence-notes",
    "pypi-publish-action-for-releases",
    "the SKU SK1234567890",
    "com.example.some-package.with-a-rather-long-module-name",
    "whsec_test",
    "aws configure set region eu-central-1",
  ])("%s stays", (text) => {
    expect(redactor.text(text)).toBe(text);
  });
});

describe("values of secret-looking variables", () => {
  const secret = 'p@ss "word"/+\n é';
  const own = createRedactor({
    DB_PASSWORD: secret,
    PWD: "/home/user/project",
    SHORT_TOKEN: "abc",
    EDITOR: "vim-is-my-editor",
    my_api_key: "lowercase-name-1",
  });

  test.each([
    ["plain", secret],
    ["URL-encoded", encodeURIComponent(secret)],
    ["JSON-escaped", JSON.stringify(secret).slice(1, -1)],
    ["base64", Buffer.from(secret).toString("base64")],
    ["URL-safe base64", Buffer.from(secret).toString("base64url")],
    ["form-encoded", encodeURIComponent(secret).replaceAll("%20", "+")],
    ["URL-encoded in small letters", encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase())],
    ["JSON inside of JSON", JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1)],
    ["JSON in ASCII", JSON.stringify(secret).slice(1, -1).replace("é", "\\u00e9")],
    ["a name in lower case", "lowercase-name-1"],
    ["hexadecimal", Buffer.from(secret).toString("hex")],
    ["hexadecimal in capitals", Buffer.from(secret).toString("hex").toUpperCase()],
    ["every byte URL-encoded", [...Buffer.from(secret)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")],
    ["every byte as in code", [...Buffer.from(secret)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("")],
    ["base64 without its end", Buffer.from(secret).toString("base64").replace(/=+$/, "")],
    ["as in a page", secret.replaceAll('"', "&quot;")],
  ])("are hidden: %s", (_name, form) => {
    expect(own.text(`a ${form} b`)).toMatch(/^a \[redacted\]=* b$/);
    expect(own.suspects(JSON.stringify({ text: `a ${form} b` }))).toBe(true);
  });

  const odd = "Passw0rd!xyz(12)/it's&<é>";
  const bytes = [...Buffer.from(odd)];
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, "0"));
  const units = Array.from({ length: odd.length }, (_, at) => odd.charCodeAt(at));
  const each = (write: (letter: string) => string, which = /[^A-Za-z0-9]/g): string => odd.replace(which, write);
  const code = (letter: string, base = 16): string => letter.charCodeAt(0).toString(base);
  const percent = (letter: string): string => [...Buffer.from(letter)].map((byte) => `%${byte.toString(16).toUpperCase()}`).join("");
  test.each([
    ["Python's quote, which keeps the slash", each(percent, /[^A-Za-z0-9/]/g)],
    ["Python's quote_plus", each(percent)],
    ["URL-encoded in small letters", each((letter) => percent(letter).toLowerCase())],
    ["URL-encoded here and there", each(percent, /[!'rx]/g)],
    ["URL-encoded twice", each((letter) => percent(letter).replaceAll("%", "%25"))],
    ["in Latin-1", each((letter) => `%${code(letter)}`)],
    ["as old browsers wrote it", each((letter) => `%u${code(letter).padStart(4, "0")}`)],
    [
      "JSON of Go",
      JSON.stringify(odd)
        .slice(1, -1)
        .replace(/[&<>]/g, (letter) => `\\u00${code(letter)}`),
    ],
    ["JSON of PHP", JSON.stringify(odd).slice(1, -1).replaceAll("/", "\\/").replace("é", "\\u00e9")],
    ["JSON inside of JSON of Go", odd.replace(/[&<>]/g, (letter) => `\\\\u00${code(letter)}`)],
    ["a page, hexadecimal", each((letter) => `&#x${code(letter)};`)],
    ["a page, all numbers", units.map((unit) => `&#${unit};`).join("")],
    ["a page, all numbers in hexadecimal", units.map((unit) => `&#X${unit.toString(16).toUpperCase()};`).join("")],
    ["a page with leading zeros", each((letter) => `&#${letter.charCodeAt(0).toString().padStart(4, "0")};`)],
    [
      "a page with names",
      odd
        .replaceAll("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("'", "&apos;")
        .replace("(", "&lpar;")
        .replace("/", "&sol;"),
    ],
    ["code points in braces", units.map((unit) => `\\u{${unit.toString(16)}}`).join("")],
    ["code points with eight digits", units.map((unit) => `\\U${unit.toString(16).padStart(8, "0")}`).join("")],
    ["every letter as in JSON", units.map((unit) => `\\u${unit.toString(16).padStart(4, "0").toUpperCase()}`).join("")],
    ["bytes of code, some of them", each((letter) => [...Buffer.from(letter)].map((byte) => `\\x${byte.toString(16)}`).join(""))],
    ["octal bytes", bytes.map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")],
    ["quoted for a shell", each((letter) => (letter === "é" ? letter : `\\${letter}`))],
    ["hexadecimal with colons", hex.join(":")],
    ["hexadecimal with spaces", hex.join(" ")],
    ["hexadecimal in capitals with dashes", hex.join("-").toUpperCase()],
    ["hexadecimal in fours", (hex.join("").match(/.{1,4}/g) ?? []).join(" ")],
    ["hexadecimal in lines", hex.join("\n")],
    ["an array of code", hex.map((byte) => `0x${byte}`).join(", ")],
    ["an array of numbers", bytes.join(",")],
    ["an array of numbers in lines", bytes.join(",\n    ")],
  ])("are hidden however their letters are written: %s", (_name, form) => {
    const { text, suspects, value } = createRedactor({ DB_PASSWORD: odd });
    expect(text(`a: ${form} z`)).toBe("a: [redacted] z");
    expect(text(`"${form}"`)).toBe('"[redacted]"');
    const json = JSON.stringify({ text: `a: ${form} z` });
    expect(suspects(json)).toBe(true);
    expect(value(JSON.parse(json))).toEqual({ text: "a: [redacted] z" });
  });

  test("that have escapes of their own are hidden, as they are and escaped", () => {
    const value = '50%25off"&amp;\\n-x';
    const { text } = createRedactor({ DB_PASSWORD: value });
    for (const form of [
      value,
      JSON.stringify(value).slice(1, -1),
      encodeURIComponent(value),
      value.replace("%", "%25"),
      value.replaceAll("&", "&amp;"),
    ])
      expect(text(`a ${form} z`)).toBe("a [redacted] z");
  });

  test("are hidden where a text was cut in the middle of an escape", () => {
    const { text } = createRedactor({ DB_PASSWORD: odd });
    expect(text("exit code 1: Passw0rd%21xyz%2…")).toBe("exit code 1: [redacted]…");
    expect(text("exit code 1: Passw0rd&#33;xyz&#4…")).toBe("exit code 1: [redacted]…");
  });

  test.each(["u:", "us:", "use:"])("are hidden inside the base64 of %ssecret", (user) => {
    const encoded = Buffer.from(`${user}${secret}`).toString("base64");
    const hidden = own.text(`x ${encoded} y`);
    expect(hidden).toContain("[redacted]");
    const left = hidden.replace("[redacted]", "");
    expect(left.length).toBeLessThan(encoded.length / 2);
  });

  test.each([
    ["base64", "base64"],
    ["hexadecimal", "hex"],
  ] as const)("are hidden in %s that is broken into lines, in a text and in JSON", (_, encoding) => {
    const encoded = Buffer.from(`some text before ${secret} and some after it`).toString(encoding);
    for (const width of [7, 16, 20, 60]) {
      for (const lineEnd of ["\n", "\r\n"]) {
        const lines = (encoded.match(new RegExp(`.{1,${width}}`, "g")) ?? []).join(lineEnd);
        const inside = Buffer.from(secret).toString("hex");
        const joined = own.text(`$ cmd\n${lines}\nend`).replaceAll(/\s/g, "");
        expect(joined).toContain("[redacted]");
        if (encoding === "hex") expect(joined).not.toContain(inside);
        else expect(Buffer.from(joined.replaceAll(/.*\$cmd|end$/g, ""), "base64").toString()).not.toContain(secret);
        expect(own.suspects(JSON.stringify({ text: lines }))).toBe(true);
        expect(own.suspects(JSON.stringify(JSON.stringify({ text: lines })))).toBe(true);
      }
    }
  });

  test("other variables and short values stay", () => {
    const text = "/home/user/project abc vim-is-my-editor";
    expect(own.text(text)).toBe(text);
  });

  test("a text that was shortened in the middle of one does not show its beginning", () => {
    expect(own.text("exit code 1: lowercase-na…")).toBe("exit code 1: [redacted]…");
    expect(own.text("exit code 1: lowercase-na…; the agent continues")).toBe("exit code 1: [redacted]…; the agent continues");
    expect(own.text("exit code 1: bGZ…")).toBe("exit code 1: bGZ…");
    expect(own.suspects(JSON.stringify({ text: "exit code 1: lowercase-na…" }))).toBe(true);
  });

  test("the names are those that are kept from project hooks; a place that such a variable names stays readable", () => {
    const named = createRedactor({
      DB_PW: "pw-value-1",
      MYKEY: "key-value-1",
      GITHUB_PAT2: "pat-value-1",
      BW_SESSION: "bw-value-12",
      OP_SESSION_my: "op-value-12",
      DESKTOP_SESSION: "ordinary-1",
      KUBECONFIG: "/home/user/.kube/config",
      SSH_AUTH_SOCK: "/tmp/ssh-x/agent.1",
      REDIS: "redis://me:hunter2222@host:6379/0",
    });
    expect(named.text("pw-value-1 key-value-1 pat-value-1 hunter2222")).toBe("[redacted] [redacted] [redacted] [redacted]");
    expect(named.text("bw-value-12 op-value-12 ordinary-1")).toBe("[redacted] [redacted] ordinary-1");
    expect(named.text("/home/user/.kube/config /tmp/ssh-x/agent.1")).toBe("/home/user/.kube/config /tmp/ssh-x/agent.1");
  });

  test("a value inside another is hidden with it", () => {
    const two = createRedactor({ A_TOKEN: "abcdefgh", B_TOKEN: "abcdefghijkl" });
    expect(two.text("abcdefghijkl abcdefgh")).toBe("[redacted] [redacted]");
  });
});

describe("records", () => {
  test("fields named like secrets are hidden whatever they hold, lists too; the rest is the same object", () => {
    const record = { tool_input: { password: "x", apiKey: ["y"], note: "n", context_tokens: 7, empty_secret: "" }, other: { a: [1] } };
    const redacted = redactor.value(record);
    expect(redacted).toEqual({
      tool_input: { password: "[redacted]", apiKey: ["[redacted]"], note: "n", context_tokens: 7, empty_secret: "" },
      other: { a: [1] },
    });
    expect(redacted.other).toBe(record.other);
    expect(redactor.suspects(JSON.stringify(record))).toBe(true);
    expect(redactor.value(record.other)).toBe(record.other);
  });

  test("a token used as a key is hidden", () => {
    expect(redactor.value({ [fake("ghp_", 36)]: true })).toEqual({ "[redacted]": true });
  });

  test("an ordinary record is not suspected", () => {
    expect(redactor.suspects(JSON.stringify({ v: 1, event: "PreToolUse", tool_input: { command: "npm test" }, context_tokens: 7 }))).toBe(
      false,
    );
  });
});

const leaf = fc.oneof(
  fc.string(),
  fc.constantFrom(
    ...TOKENS,
    "[redacted]",
    "-",
    " ",
    "Bearer ",
    "://u:",
    "@",
    "]",
    "[",
    "?token=",
    "A_TOKEN=",
    "Cookie: ",
    "\n",
    "abcdefgh",
    "%61",
    "%25",
    "&#97;",
    "&amp;",
    "\\u0061",
    "\\",
    "61 62 63 64 65 66 67 68",
    "97,98,99,100,101,102,103,104",
  ),
);
const messy = fc.array(leaf, { maxLength: 8 }).map((parts) => parts.join(""));
const environments = fc.dictionary(
  fc.constantFrom("A_TOKEN", "B_SECRET", "C_PASSWORD"),
  fc.oneof(
    fc.string({ minLength: 8 }),
    fc.constantFrom("redacted", "[redacted", "]abcdefg", "AKIAAAAA", "abcdefgh", "%61bcdefgh", "a\\u0061&amp;bc"),
  ),
);

describe("redacting", () => {
  test("twice changes nothing", () => {
    fc.assert(
      fc.property(environments, messy, (environment, text) => {
        const { text: redact } = createRedactor(environment);
        const once = redact(text);
        expect(redact(once)).toBe(once);
      }),
      { numRuns: 1000 },
    );
  });

  test("leaves marks alone even if a value looks like a piece of one and its neighbour", () => {
    const { text: redact } = createRedactor({ A_TOKEN: "]abcdefg", B_TOKEN: "secretvalue1" });
    expect(redact("secretvalue1abcdefg")).toBe("[redacted]abcdefg");
    expect(redact("[redacted]abcdefg")).toBe("[redacted]abcdefg");
  });

  test("finds a token that a key block had covered", () => {
    const block = `-----BEGIN ${"PRIVATE"} KEY-----\nabc\n-----END ${"PRIVATE"} KEY-----`;
    expect(redactor.text(`${block}${JWT}`)).toBe("[redacted][redacted]");
  });

  test("never changes what is not suspected, and a suspect-free record keeps every value", () => {
    fc.assert(
      fc.property(environments, fc.dictionary(fc.string(), messy), (environment, record) => {
        const own = createRedactor(environment);
        const json = JSON.stringify(record);
        if (!own.suspects(json)) expect(own.value(JSON.parse(json))).toEqual(JSON.parse(json));
      }),
      { numRuns: 1000 },
    );
  });

  test("no value survives in any text around it", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 8 }).filter((value) => !"[redacted]".includes(value)),
        messy,
        messy,
        (value, before, after) => {
          const { text: redact } = createRedactor({ A_TOKEN: value });
          expect(
            redact(`${before}${value}${after}`)
              .split("[redacted]")
              .some((part) => part.includes(value)),
          ).toBe(false);
        },
      ),
      { numRuns: 500 },
    );
  });

  // Quadratic time would take minutes here; the limit is a hundred times what it takes.
  test.each([
    ["starts of tokens", "sk-ant "],
    ["parts of a JWT", "-eyJaaaaaaaaaa"],
    ["JWT without an end", "eyJaaaaaaaaa.eyJaaaaaaaaa"],
    ["beginnings of keys", `-----BEGIN ${"PRIVATE"} KEY----- `],
    ["user names", "://user:"],
    ["SendGrid parts", "SG.aaaaaaaaaaaaaaaaaaaa"],
    ["digits", "1234567890:"],
    ["marks", "[redacted]"],
    ["quotes", '"secret'],
    ["parameters", "?access_token="],
    ["variables", "A_TOKEN=B_SECRET="],
    ["options", " --password "],
    ["headers", "X-Api-Key: "],
    ["names", "Authorization: token "],
    ["cookies", "Cookie: "],
    ["users", " -u a:"],
    ["capitals", "A"],
    ["letters in lines", "QUJDREVG\n"],
    ["letters without lines", "QUJDREVG"],
    ["percent signs", "%41%"],
    ["broken percent signs", "%"],
    ["bytes", "%c3%28"],
    ["entities", "&#65;&amp;&"],
    ["ampersands", "&"],
    ["backslashes", "\\"],
    ["escapes of JSON", "\\u0041\\n"],
    ["pairs of digits", "41:"],
    ["spaced digits", "41 42 "],
    ["numbers", "65, "],
    ["dots", "4 . "],
  ])("1 MB of %s takes linear time", (_name, unit) => {
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length));
    const own = createRedactor({ A_TOKEN: "ABCDEF-ABCDEF-1" });
    const readAll = (): void => {
      for (const one of [redactor, own]) {
        one.text(text);
        one.suspects(text);
      }
    };
    expect(processorMs(readAll)).toBeLessThan(5_000);
  });
});
