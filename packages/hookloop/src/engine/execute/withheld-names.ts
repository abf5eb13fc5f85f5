/** The keys of the model this program talks to. No project hook gets them, not even by `passEnv`. */
const MODEL_KEYS: ReadonlySet<string> = new Set([
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "ANTHROPIC_CUSTOM_HEADERS",
  "CLAUDE_CODE_OAUTH_TOKEN",
]);

/** Variables the engine sets itself; an inherited one speaks of another session, another plugin, or another file. */
const OWN = /^(CLAUDE_ENV_FILE|CLAUDE_PROJECT_DIR|CLAUDE_PLUGIN_.*|CLAUDE_CODE_SESSION_ID|HOOKLOOP_(VERSION|DEPTH|CHAIN|PROJECT_DIR))$/;

const TELEMETRY = /^OTEL_/;

const MODEL_CLIENT =
  /^(ANTHROPIC|OPENAI|AZURE_OPENAI|CLAUDE_CODE|GEMINI|GOOGLE_GENAI|GOOGLE_AI|VERTEX|MISTRAL|COHERE|GROQ|DEEPSEEK|XAI|OPENROUTER|TOGETHER|FIREWORKS|PERPLEXITY|HF|HUGGINGFACE)_/;

const SECRET_WORD =
  /(^|_)(API_?)?(KEYS?|PASS|PWD|PAT|AUTH|AUTHORIZATION|COOKIES?|DSN|JWT|BEARER|CREDS?|PRIVATE|SIGNING|WEBHOOK|NETRC|SALT|OTP|PIN)(_|$)/;

const SECRET_PART =
  /TOKEN(?!IZE)|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASS$|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|AUTH_?TOKEN|CONNECTION_?STRING|^AWS_|^DATABASE_URL$/;

const HARMLESS: ReadonlySet<string> = new Set(["PWD", "OLDPWD"]);

const CODE_PREFIX = /^(LD|DYLD|GIT|BASH_FUNC|GLIBC|MALLOC)_/;

const CODE_NAMES: ReadonlySet<string> = new Set(
  `BASH_ENV ENV SHELLOPTS BASHOPTS PS4 PROMPT_COMMAND ZDOTDIR CDPATH GLOBIGNORE GCONV_PATH
   NODE_OPTIONS NODE_PATH BUN_OPTIONS DENO_DIR
   PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONUSERBASE PYTHONINSPECT PYTHONBREAKPOINT PYTHONWARNINGS
   PERL5LIB PERLLIB PERL5OPT PERL5DB RUBYOPT RUBYLIB LUA_INIT LUA_PATH LUA_CPATH PHPRC PHP_INI_SCAN_DIR
   JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS CLASSPATH DOTNET_STARTUP_HOOKS CORECLR_PROFILER`.split(/\s+/),
);

/** What `strict` lets through (security.md §4.1). */
const STRICT_ALLOWED = /^(PATH|HOME|USER|SHELL|LANG|LC_.*|TERM|TMPDIR|TZ|SYSTEMROOT|COMSPEC|PATHEXT)$/;

/** `https://name:password@host`: the name of such a variable says nothing. */
const URL_WITH_PASSWORD = /:\/\/[^/\s:@]*:[^/\s@]+@/;

// SECURITY: every comparison is made on the upper-case name; `aws_secret_access_key` is the same secret (fault 64).

export function isModelKey(name: string): boolean {
  return MODEL_KEYS.has(name.toUpperCase());
}

/** Never inherited, whoever declared the hook. */
export function isNeverInherited(name: string): boolean {
  const upper = name.toUpperCase();
  return TELEMETRY.test(upper) || OWN.test(upper);
}

/** Looks like a secret, belongs to a model client, or changes how programs load code. */
export function isSensitive(name: string, value: string): boolean {
  const upper = name.toUpperCase();
  if (HARMLESS.has(upper)) return false;
  return (
    [MODEL_CLIENT, SECRET_WORD, SECRET_PART, CODE_PREFIX].some((rule) => rule.test(upper)) ||
    CODE_NAMES.has(upper) ||
    URL_WITH_PASSWORD.test(value)
  );
}

export function isStrictlyAllowed(name: string): boolean {
  return STRICT_ALLOWED.test(name.toUpperCase());
}
