import { describe, expect, it } from "vitest";
import type { Scope } from "../config/types.ts";
import { explainWithheld, scrubEnvironment, snapshotEnvironment } from "./environment.ts";
import { sampleHook } from "./sample-hook.test-suite.ts";

const HARMLESS = {
  PATH: "/bin",
  HOME: "/home/a",
  USER: "a",
  SHELL: "/bin/sh",
  LANG: "C",
  LC_ALL: "C",
  TERM: "xterm",
  TMPDIR: "/tmp",
  TZ: "UTC",
  PWD: "/x",
  OLDPWD: "/y",
};

function environmentOf({
  base,
  scope = "project",
  passEnv = [],
  isStrict = false,
}: {
  base: Record<string, string>;
  scope?: Scope;
  passEnv?: string[];
  isStrict?: boolean;
}): { readonly env: Readonly<Record<string, string>>; readonly withheld: readonly string[] } {
  const hook = sampleHook({ passEnv, source: { scope, dialect: "claude", root: "/" } });
  return { env: scrubEnvironment({ base, hook, isStrict }), withheld: explainWithheld({ base, hook, isStrict }).map(({ name }) => name) };
}

const SECRETS = [
  "ANTHROPIC_API_KEY",
  "OPENAI_API_KEY",
  "GITHUB_TOKEN",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_PROFILE",
  "DATABASE_URL",
  "PGPASSWORD",
  "MYSQL_PWD",
  "NPM_TOKEN",
  "npm_config__authToken",
  "SLACK_WEBHOOK",
  "SSH_AUTH_SOCK",
  "SSHPASS",
  "STRIPE_SECRET",
  "SENTRY_DSN",
  "GITHUB_PAT",
  "CLIENT_CREDENTIALS",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "SESSION_COOKIE",
  "APIKEY",
  "ENCRYPTION_KEY",
  "ANTHROPIC_BASE_URL",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "DB_PW",
  "DBPW",
  "MYKEY",
  "GITHUB_PAT2",
  "API_KEY_2",
  "KUBECONFIG",
  "PGPASSFILE",
  "REPORTING_DSN",
  "DOCKER_CONFIG",
  "AZURE_STORAGE_CONNECTION_STRING",
  "X_CREDENTIALS",
];
const LOADERS = [
  "LD_PRELOAD",
  "LD_LIBRARY_PATH",
  "DYLD_INSERT_LIBRARIES",
  "NODE_OPTIONS",
  "NODE_PATH",
  "BASH_ENV",
  "ENV",
  "PYTHONPATH",
  "PYTHONSTARTUP",
  "PERL5LIB",
  "PERL5OPT",
  "RUBYOPT",
  "GIT_SSH_COMMAND",
  "GIT_CONFIG_COUNT",
  "JAVA_TOOL_OPTIONS",
  "BASH_FUNC_ls%%",
  "SHELLOPTS",
  "OTEL_EXPORTER_OTLP_HEADERS",
  "PYTHONINSPECT",
  "LESSOPEN",
  "MAKEFILES",
  "GOFLAGS",
  "NPM_CONFIG_SCRIPT_SHELL",
];
const KEPT = [
  "EDITOR",
  "TOKENIZERS_PARALLELISM",
  "KEYBOARD_LAYOUT",
  "XDG_SESSION_ID",
  "DBUS_SESSION_BUS_ADDRESS",
  "COLORTERM",
  "CI",
  "MONKEY",
  "PATTERN",
  "VIRTUAL_ENV",
  "NODE_ENV",
  "GOPATH",
  "PYTHONIOENCODING",
  "HOTKEY",
  "COMPASS",
  "SHLVL",
];

const PROJECT_SCOPES: Scope[] = ["project", "local", "plugin", "skill"];
const OWN_SCOPES: Scope[] = ["managed", "flag", "code", "user"];

describe("hooks that come with a checkout, a plugin or a skill", () => {
  it.each([...SECRETS, ...LOADERS])("do not get %s, in no spelling, and it is said", (name) => {
    for (const scope of PROJECT_SCOPES) {
      for (const spelling of [name, name.toLowerCase(), name.toUpperCase()]) {
        const { env, withheld } = environmentOf({ base: { ...HARMLESS, [spelling]: "v" }, scope });
        expect({ ...env }).toEqual(HARMLESS);
        expect(withheld).toEqual([spelling]);
      }
    }
  });

  it.each(KEPT)("get %s", (name) => {
    expect(environmentOf({ base: { [name]: "v" } })).toEqual({ env: { [name]: "v" }, withheld: [] });
  });

  it("do not get an address with a password in it, whatever its name", () => {
    const base = { HTTPS_PROXY: "http://me:pw@proxy:3128", REDIS: "redis://:pw@host/0", PLAIN: "http://proxy:3128", MAIL: "mailto:a@b.c" };
    expect(environmentOf({ base }).withheld).toEqual(["HTTPS_PROXY", "REDIS"]);
  });

  it.each([
    ["a token", `ghp_${"Ab1".repeat(12)}`],
    ["a token inside of text", `user=x pass=sk-ant-${"Ab1".repeat(12)}`],
    ["an address with a token as its name", `https://${"ab12".repeat(8)}@example.com/1`],
    ["a private key", `-----BEGIN ${"PRIVATE"} KEY-----\nabc`],
    ["a header", "Authorization: Bearer abcdefgh1234"],
  ])("do not get a variable whose value is %s, whatever its name", (_what, value) => {
    expect(environmentOf({ base: { HARMLESS_NAME: value, FINE: "git@example.com:a/b ssh://git@example.com/a" } })).toEqual({
      env: { FINE: "git@example.com:a/b ssh://git@example.com/a" },
      withheld: ["HARMLESS_NAME"],
    });
  });

  it("get what passEnv names, exactly as it is spelled", () => {
    const base = { GITHUB_TOKEN: "a", github_token: "b", NODE_OPTIONS: "c", OTEL_X: "d" };
    const { env, withheld } = environmentOf({ base, passEnv: ["GITHUB_TOKEN", "NODE_OPTIONS", "OTEL_X"] });
    expect({ ...env }).toEqual({ GITHUB_TOKEN: "a", NODE_OPTIONS: "c", OTEL_X: "d" });
    expect(withheld).toEqual(["github_token"]);
  });

  it.each(["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS", "CLAUDE_CODE_OAUTH_TOKEN", "anthropic_api_key"])(
    "never get %s, not even by passEnv",
    (name) => {
      for (const scope of PROJECT_SCOPES) {
        for (const isStrict of [false, true])
          expect(environmentOf({ base: { [name]: "k" }, scope, passEnv: [name], isStrict }).withheld).toEqual([name]);
      }
    },
  );
});

describe("hooks of the user, the administrator and the program", () => {
  it.each(OWN_SCOPES)("get everything but telemetry: %s", (scope) => {
    const base = { GITHUB_TOKEN: "a", LD_PRELOAD: "b", ANTHROPIC_API_KEY: "c", OTEL_EXPORTER_OTLP_HEADERS: "d", otel_x: "e" };
    const { env, withheld } = environmentOf({ base, scope });
    expect({ ...env }).toEqual({ GITHUB_TOKEN: "a", LD_PRELOAD: "b", ANTHROPIC_API_KEY: "c" });
    expect(withheld).toEqual(["OTEL_EXPORTER_OTLP_HEADERS", "otel_x"]);
  });

  it("do not inherit what the engine of another session said", () => {
    const base = {
      CLAUDE_ENV_FILE: "/other",
      CLAUDE_PLUGIN_ROOT: "/p",
      CLAUDE_PROJECT_DIR: "/d",
      HOOKLOOP_DEPTH: "2",
      HOOKLOOP_CHAIN: "x",
      HOOKLOOP_DISABLE: "kept",
    };
    expect({ ...environmentOf({ base, scope: "user" }).env }).toEqual({ HOOKLOOP_DISABLE: "kept" });
  });
});

describe("strict", () => {
  it.each([...PROJECT_SCOPES, ...OWN_SCOPES])("is an allow-list for hooks of every scope: %s", (scope) => {
    const { PWD: _, OLDPWD: __, ...allowed } = HARMLESS;
    const { env, withheld } = environmentOf({ base: { ...HARMLESS, EDITOR: "vi", GITHUB_TOKEN: "a" }, scope, isStrict: true });
    expect({ ...env }).toEqual(allowed);
    expect(withheld).toEqual(["EDITOR", "GITHUB_TOKEN", "OLDPWD", "PWD"]);
  });

  it("lets passEnv add names", () => {
    expect({ ...environmentOf({ base: { EDITOR: "vi", X: "1" }, passEnv: ["EDITOR"], isStrict: true }).env }).toEqual({ EDITOR: "vi" });
  });
});

describe("what was withheld", () => {
  const base = {
    PATH: "/bin",
    GITHUB_TOKEN: "v1",
    NODE_OPTIONS: "v2",
    ANTHROPIC_API_KEY: "v3",
    OTEL_X: "v4",
    OPENAI_ORG: "v5",
    EDITOR: "vi",
  };
  const explained = (scope: Scope, isStrict = false): string[] => {
    const hook = sampleHook({ passEnv: [], source: { scope, dialect: "claude", root: "/" } });
    const found = explainWithheld({ base, hook, isStrict });
    for (const { why } of found) for (const value of Object.values(base)) expect(why).not.toContain(value);
    return found.map(({ name, why, canPass }) => `${name} ${why}${canPass ? "" : "!"}`);
  };

  it("is explained by name and reason, never by value", () => {
    expect(explained("project")).toEqual([
      "ANTHROPIC_API_KEY is the key of the model!",
      "GITHUB_TOKEN looks like a secret",
      "NODE_OPTIONS makes programs load code",
      "OPENAI_ORG belongs to a model client",
      "OTEL_X speaks of another session, or of telemetry",
    ]);
    expect(explained("user")).toEqual(["OTEL_X speaks of another session, or of telemetry"]);
    expect(explained("user", true)).toContain("EDITOR is not on the list of strict mode");
  });
});

describe("the snapshot", () => {
  it("is frozen, and later changes of the process do not reach it", () => {
    const source: NodeJS.ProcessEnv = { A: "1", B: undefined };
    const snapshot = snapshotEnvironment(source);
    source["A"] = "2";
    expect({ ...snapshot }).toEqual({ A: "1" });
    expect(Object.isFrozen(snapshot)).toBe(true);
  });

  it("takes a variable called __proto__ as a name", () => {
    const snapshot = snapshotEnvironment(JSON.parse('{"__proto__": "x"}'));
    expect(Object.keys(environmentOf({ base: snapshot }).env)).toEqual(["__proto__"]);
  });
});
