// Takes the program's environment and a hook; gives the variables the hook's process gets, and the names that were kept from it.
// Refuses: secrets, model-client and code-loading variables for hooks that come with a checkout, plugin or skill.

import type { RegisteredHook, Scope } from "../config/index.ts";
import { absoluteSearchPath } from "../permissions/index.ts";
import { looksSecret } from "../secret-patterns.ts";

export type Environment = Readonly<Record<string, string>>;

interface ScrubOptions {
  readonly base: Environment;
  readonly hook: Pick<RegisteredHook, "source" | "passEnv">;
  /** Only an allow-list of names passes, for hooks of every scope. */
  readonly isStrict?: boolean | undefined;
}

/** A hook declared here may have been written by someone else than the user. */
const SCRUBBED: Readonly<Record<Scope, boolean>> = {
  managed: false,
  flag: false,
  code: false,
  user: false,
  local: true,
  project: true,
  plugin: true,
  skill: true,
};

/** The environment of this moment. Reading `process.env` costs 33 µs, so an engine takes one and keeps it. */
export function snapshotEnvironment(env: NodeJS.ProcessEnv = process.env): Environment {
  const entries = Object.entries(env).flatMap(([name, value]): [string, string][] => {
    if (value === undefined) return [];
    // SECURITY: a program named without a path must not be found in the folder it is started in.
    return [[name, name === "PATH" ? absoluteSearchPath(value) : value]];
  });
  return Object.freeze(Object.fromEntries(entries));
}

/** What is left of the program's environment for this hook; the same for every run of it. */
export function scrubEnvironment(options: ScrubOptions): Environment {
  const withheld = new Set(explainWithheld(options).map(({ name }) => name));
  // Not by assignment: a variable called `__proto__` is a name like any other.
  return Object.fromEntries(Object.entries(options.base).filter(([name]) => !withheld.has(name)));
}

interface WithheldVariable {
  readonly name: string;
  /** Continues "withheld because it …". */
  readonly why: string;
  /** Whether naming it in the hook's `passEnv` would let it through. */
  readonly canPass: boolean;
}

/** What `scrubEnvironment` keeps from this hook, sorted by name. */
export function explainWithheld({ base, hook, isStrict = false }: ScrubOptions): readonly WithheldVariable[] {
  const passed = new Set(hook.passEnv);
  const isScrubbed = SCRUBBED[hook.source.scope];
  const withheld = Object.entries(base).flatMap(([name, value]) => {
    const why = whyWithheld({ name, value, isScrubbed, isStrict, isNamed: passed.has(name) });
    return why === undefined ? [] : [{ name, why, canPass: !(isScrubbed && isModelKey(name)) }];
  });
  return withheld.sort((a, b) => (a.name < b.name ? -1 : 1));
}

interface Candidate {
  readonly name: string;
  readonly value: string;
  readonly isScrubbed: boolean;
  readonly isStrict: boolean;
  /** `passEnv` has exactly this name. */
  readonly isNamed: boolean;
}

function whyWithheld({ name, value, isScrubbed, isStrict, isNamed }: Candidate): string | undefined {
  // SECURITY: before `passEnv`, which stands in a file of the project.
  if (isScrubbed && isModelKey(name)) return "is the key of the model";
  if (isNamed) return undefined;
  if (isNeverInherited(name)) return "speaks of another session, or of telemetry";
  if (isStrict && !isStrictlyAllowed(name)) return "is not on the list of strict mode";
  return isScrubbed ? sensitivityOf(name, value) : undefined;
}

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

/** Where requests to the model go, and what they carry. */
const MODEL_ROUTE = /^(ANTHROPIC|CLAUDE)_|_BASE_URL$/;

const SECRET_WORD =
  /(^|_)(API_?)?(KEYS?|PASS|PWD?|PAT|AUTH|AUTHORIZATION|COOKIES?|JWT|BEARER|CREDS?|PRIVATE|SIGNING|WEBHOOK|NETRC|SALT|OTP|PIN|HMAC|MNEMONIC)\d*(_|$)/;

const SECRET_PART =
  /TOKEN(?!IZE)|SECRET|PASSW|PASSPHRASE|PASS\d*$|PASS_?FILE$|PW\d*$|DSN\d*$|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|KEYS?\d*$|OAUTH|CONN(ECTION)?_?STR(ING)?|^AWS_|^DATABASE_URL$|^(BW|OP)_SESSION/;

/** Words that only end like a secret. */
const NO_SECRET = /^(OLD)?PWD$|(^|_)(MON|TUR|DON|HOC|JOC|WHIS|HOT)KEYS?$|(^|_)(COM|BY|TRES)PASS$/;

const CREDENTIAL_FILES: ReadonlySet<string> = new Set(
  "KUBECONFIG PGSERVICEFILE DOCKER_CONFIG NPM_CONFIG_USERCONFIG CLOUDSDK_CONFIG BOTO_CONFIG GNUPGHOME GPG_AGENT_INFO".split(" "),
);

const CODE_PREFIX = /^(LD|DYLD|GIT|BASH_FUNC|GLIBC|MALLOC|CORECLR|COR_PROFILER)_|^PYTHON(?!_|IOENC|UTF8|UNBUF|DONTW|HASH)/;

/** They add code to whatever program starts, or run another one in its place. */
const CODE_NAMES: ReadonlySet<string> = new Set(
  `BASH_ENV ENV SHELLOPTS BASHOPTS PS4 PROMPT_COMMAND ZDOTDIR GCONV_PATH FPATH
   NODE_OPTIONS NODE_REPL_EXTERNAL_MODULE NPM_CONFIG_NODE_OPTIONS NPM_CONFIG_SCRIPT_SHELL NPM_CONFIG_GIT BUN_OPTIONS DENO_DIR
   PERL5OPT PERL5DB RUBYOPT LUA_INIT PHPRC PHP_INI_SCAN_DIR MAKEFILES MAKEFLAGS GOFLAGS RUSTC_WRAPPER LESSOPEN LESSCLOSE SSH_ASKPASS SUDO_ASKPASS
   JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS MAVEN_OPTS GRADLE_OPTS DOTNET_STARTUP_HOOKS IFS CDPATH GLOBIGNORE`.split(/\s+/),
);

const SEARCH_PATHS: ReadonlySet<string> = new Set(
  "NODE_PATH PYTHONPATH PYTHONUSERBASE PERL5LIB PERLLIB RUBYLIB GEM_PATH LUA_PATH LUA_CPATH CLASSPATH".split(" "),
);

/** What of GIT_* names a program, or a configuration that may name one. */
const GIT_PROGRAM = /^GIT_(.*_COMMAND|SSH|.*EDITOR|PAGER|ASKPASS|EXTERNAL_DIFF|EXEC_PATH|CONFIG.*|TEMPLATE_DIR|DIR|COMMON_DIR|PROXY_.*)$/;

const STRICT_ALLOWED = /^(PATH|HOME|USER|SHELL|LANG|LC_.*|TERM|TMPDIR|TZ|SYSTEMROOT|COMSPEC|PATHEXT)$/;

// SECURITY: every comparison is made on the upper-case name; `aws_secret_access_key` is the same secret.

export function isModelKey(name: string): boolean {
  return MODEL_KEYS.has(name.toUpperCase());
}

function isNeverInherited(name: string): boolean {
  const upper = name.toUpperCase();
  return TELEMETRY.test(upper) || OWN.test(upper);
}

/** Its name says that its value is a secret, or the file of one. */
export function isSecretName(name: string): boolean {
  const upper = name.toUpperCase();
  if (NO_SECRET.test(upper)) return false;
  return SECRET_WORD.test(upper) || SECRET_PART.test(upper) || CREDENTIAL_FILES.has(upper);
}

type Sensitivity = "belongs to a model client" | "looks like a secret" | "has a secret as its value" | "makes programs load code";

/** Why a variable is kept from hooks that come with a checkout; nothing if it is not. */
export function sensitivityOf(name: string, value: string): Sensitivity | undefined {
  const upper = name.toUpperCase();
  if (CODE_PREFIX.test(upper) || CODE_NAMES.has(upper) || SEARCH_PATHS.has(upper)) return "makes programs load code";
  if (MODEL_CLIENT.test(upper)) return "belongs to a model client";
  if (isSecretName(name)) return "looks like a secret";
  return looksSecret(value) ? "has a secret as its value" : undefined;
}

/**
 * Why hooks cannot set this variable for later shell commands; nothing if they can. Search paths can be set: a project's hook puts
 * the project's own code there, and `PATH`, which is what the file is for, gives the same power.
 */
export function whyNotExported(name: string): string | undefined {
  const upper = name.toUpperCase();
  if (upper.startsWith("HOOKLOOP_")) return "it steers hookloop itself";
  if (MODEL_ROUTE.test(upper)) return "it steers the model client";
  if (SEARCH_PATHS.has(upper)) return undefined;
  const isCode = upper.startsWith("GIT_") ? GIT_PROGRAM.test(upper) : CODE_PREFIX.test(upper) || CODE_NAMES.has(upper);
  return isCode ? "it makes programs load code" : undefined;
}

function isStrictlyAllowed(name: string): boolean {
  return STRICT_ALLOWED.test(name.toUpperCase());
}
