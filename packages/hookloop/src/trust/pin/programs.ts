import path from "node:path";
import { isShippedName, SHIPPED_HOOKS } from "../../catalogue/index.ts";
import { readingOf, type ShellCommand, type ShellReading, UNKNOWN } from "../../shell/index.ts";
import { usesOf } from "./program-uses.ts";

/** What is known about programs by their name, as far as it matters for finding the code that a command runs. */

/** What an interpreter's scripts are. Of `shell` and `javascript` it can be read what they load; of the others it cannot. */
export type Family = "shell" | "other shell" | "javascript" | "python" | "awk" | "other";

const INTERPRETERS: Readonly<Record<Family, string>> = {
  shell: "sh bash dash",
  "other shell": "ash zsh ksh mksh oksh pdksh yash rbash busybox toybox",
  javascript: "node nodejs bun deno",
  python: "python pypy pythonw ipython",
  awk: "awk gawk mawk nawk original-awk goawk",
  other:
    "fish csh tcsh elvish nu xonsh rc tsx ts-node qjs d8 jsc ruby jruby irb perl raku php php-cli lua luajit tclsh wish expect R Rscript julia octave pwsh powershell osascript guile racket scheme sbcl clisp emacs bb clojure groovy scala kotlin java jshell elixir iex erl escript runghc runhaskell ghci ocaml swift crystal dotnet dart io janet fennel gforth m4 gdb lldb vim nvim ex ed bc dc osh ysh wasmtime",
};
const FAMILIES = new Map(
  Object.entries(INTERPRETERS).flatMap(([family, names]) => names.split(" ").map((name) => [name, family as Family] as const)),
);
/** Code comes from a registry, a manifest, an image or another machine. */
const FETCHERS = new Set(
  "npx npm pnpm pnpx yarn bunx uv uvx pipx pip poetry pdm go cargo make just task rake gradle mvn docker podman ssh nix nix-shell mise direnv run-parts".split(
    " ",
  ),
);

/** Their operands are names or data, never code; some of these files change with every run. */
const DATA_PROGRAMS = new Set(
  "echo printf touch tee rm rmdir mkdir truncate mv chmod chown ls stat test [ [[ true false cd pwd sleep date kill wait exit return export unset set shift read trap umask wc logger notify-send".split(
    " ",
  ),
);

/** The next word, or the rest of this one, is code. SECURITY: `bash -e` and `python -E` run a script. */
const INLINE_OPTIONS: Readonly<Record<Family, RegExp>> = {
  shell: /^-[a-zA-Z]*c[a-zA-Z]*$/,
  "other shell": /^-[a-zA-Z]*c[a-zA-Z]*$/,
  javascript: /^(?:-(?:e|p|pe)$|--(?:eval|print)(?:=|$))/,
  python: /^-[a-zA-Z]*c/,
  awk: /^$/,
  other: /^(?:-[a-zA-Z]*[ceEpr]|--eval|--print)(?:=|$)/,
};

/** Where the code of a command line begins among the words behind an interpreter; -1 if it is in a file. */
export function inlineIndex(program: string, operands: readonly string[]): number {
  const option = INLINE_OPTIONS[familyOf(program) ?? "other"];
  // Behind the first word that is no option stand the arguments of a script; a value of an option is not told from one here.
  return operands.findIndex((word, at) => option.test(word) && !operands.slice(0, at).some(isPlainAfterPlain));
}

const INPUT = /^(?:-|\/dev\/(?:stdin|fd\/0)|\/proc\/self\/fd\/0)$/;
/** Their input is no code that could start something. */
export const CALCULATORS: RegExp = /^(?:bc|dc|awk|gawk|mawk|nawk|expect|jsc)$/;

/** Whether a word in the place of the script means the input; to a shell a lone dash ends the options, and to PHP `--` does so without a script. */
export function isInput(program: string, word: string): boolean {
  return word === "--" ? /^php/.test(program) : INPUT.test(word) && !(word === "-" && isShell(program));
}

/** Python that runs a module by its name. */
export function runsModule(program: string, operands: readonly string[]): boolean {
  return familyOf(program) === "python" && operands.some((word) => /^-[a-zA-Z]*m/.test(word));
}

/**
 * Whether an interpreter takes its code from its input: for want of a script, or because a word says so. `maybe`: what looks like the script
 * may be the value of the option before it. SECURITY: such code is code as behind `-c`.
 */
export function readsCode(program: string, operands: readonly string[]): "yes" | "maybe" | "no" {
  const isPython = familyOf(program) === "python";
  const isScript = (word: string, at: number): boolean =>
    isPlainAfterPlain(word, at, operands) || (isPython && !/^[-+]/.test(word) && !PYTHON_VALUED.test(operands[at - 1] ?? ""));
  const end = operands.findIndex(isScript);
  const before = end === -1 ? operands : operands.slice(0, end + 1);
  if (CALCULATORS.test(program)) return "no";
  if (before.some((word) => isInput(program, word))) return "yes";
  if (inlineIndex(program, operands) !== -1 || runsModule(program, operands) || operands.some((word) => SAYS_ONLY.test(word))) return "no";
  if (before.every((word) => /^[-+]/.test(word))) return "yes";
  return end === -1 ? "maybe" : "no";
}

/** The only options of Python that take the next word, beside those with code. */
const PYTHON_VALUED = /^-[a-zA-Z]*[XW]$|^--check-hash-based-pycs$/;
const SAYS_ONLY = /^(?:-[vVh]|--(?:version|help))$/;

/** The code that an interpreter takes from its input, of which nothing may be known; nothing if it has a script. Code of shells the reader follows. */
export function codeOnInput({ words, stdin }: ShellCommand): string | undefined {
  const [name = "", ...operands] = words.map(({ text }) => text);
  const program = path.basename(name);
  if (!isInterpreter(program) || isShell(program)) return undefined;
  const role = readsCode(program, operands);
  if (role === "no") return undefined;
  return stdin?.kind === "text" ? stdin.text : role === "yes" ? UNKNOWN : undefined;
}

/** The code of other languages that stands in a shell text: behind `-c` and its like, or on the input. */
export function codeInShell(text: string): readonly { readonly family: Family | undefined; readonly code: string }[] {
  if (!/python|pypy|node|bun|deno/.test(text)) return [];
  return readShell(text).commands.flatMap((command) => {
    const [name = "", ...operands] = command.words.map((word) => word.text);
    const program = path.basename(name);
    const input = codeOnInput(command);
    if (input === undefined && (isShell(program) || inlineIndex(program, operands) === -1)) return [];
    return isInterpreter(program) ? [{ family: familyOf(program), code: [...operands, input ?? ""].join("\n") }] : [];
  });
}

function isShell(program: string): boolean {
  return /shell$/.test(familyOf(program) ?? "");
}

function isPlainAfterPlain(word: string, at: number, words: readonly string[]): boolean {
  return !/^[-+]/.test(word) && !/^[-+]/.test(words[at - 1] ?? "");
}

/** `python3.12`, `lua5.4` and `ruby3.0` are what they are without their version. */
export function familyOf(name: string): Family | undefined {
  return FAMILIES.get(name) ?? FAMILIES.get(name.replace(/[-\d.]+$/, ""));
}

export function isInterpreter(name: string): boolean {
  return familyOf(name) !== undefined;
}

export function isFetcher(name: string): boolean {
  return FETCHERS.has(name);
}

export function isDataProgram(name: string): boolean {
  return DATA_PROGRAMS.has(name);
}

export function isBuiltin(name: string): boolean {
  return BUILTINS.has(name) || /^(?:alias|unalias|bg|fg|hash)$/.test(name);
}

/** Variables that bring code into whatever is started. */
const BRINGS_CODE =
  /^(?:NODE_OPTIONS|BUN_OPTIONS|NODE_REPL_EXTERNAL_MODULE|BASH_ENV|ENV|LD_PRELOAD|LD_AUDIT|DYLD_\w+|PYTHON(?:STARTUP|INSPECT|WARNINGS|BREAKPOINT|USERBASE)|RUBYOPT|PERL5OPT|PERL5DB|PHP_INI_SCAN_DIR|PHPRC|LUA_INIT\w*|AWKPATH|AWKLIBPATH|GIT_\w+|JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|DENO_\w+|ZDOTDIR|BUNDLE_GEMFILE|R_PROFILE\w*|R_ENVIRON\w*|JULIA_\w+)$/;

/** Folders in which an interpreter looks for code. */
const SEARCH_PATHS = /^(?:PATH|PYTHONPATH|PYTHONHOME|NODE_PATH|RUBYLIB|PERL5LIB|PERLLIB|CLASSPATH|LUA_C?PATH|LD_LIBRARY_PATH)$/;

export function bringsCode(variable: string): boolean {
  return BRINGS_CODE.test(variable);
}

export function isSearchPath(variable: string): boolean {
  return SEARCH_PATHS.test(variable);
}

/** The same for the user's own hooks, of which it is asked in strange folders: by how such names are made. */
export function mayBringCode(variable: string): boolean {
  return bringsCode(variable) || isSearchPath(variable) || /OPTIONS$|OPTS?$|PRELOAD|PATH$|_ENV$|STARTUP|INIT|CONFIG|RC$/.test(variable);
}

/** `NAME=value` before a command, and `export NAME=value`. */
export function assignmentsOf({ assignments, words }: ShellCommand): readonly { readonly name: string; readonly value: string }[] {
  const before = assignments.map(({ name, value }) => ({ name, value: value.text }));
  if (!/^(?:export|declare|typeset|readonly|local)$/.test(words[0]?.text ?? "")) return before;
  const exported = words.slice(1).flatMap(({ text }) => {
    const [, name, value] = /^(\w+)=(.*)$/s.exec(text) ?? [];
    return name === undefined || value === undefined ? [] : [{ name, value }];
  });
  return [...before, ...exported];
}

/** What may be the value of an option, attached or behind it, up to the script. One word too many rather than one too few. */
export function optionValues(operands: readonly string[]): readonly string[] {
  const end = operands.findIndex(isPlainAfterPlain);
  return operands.slice(0, end === -1 ? undefined : end + 1).flatMap((word) => {
    if (!/^[-+]/.test(word)) return [word];
    const [, attached] = /^[-+][^=]*=(.*)$/s.exec(word) ?? [];
    const glued = /^-[A-Za-z](?=.)/.test(word) && !word.startsWith("--") ? [word.slice(2)] : [];
    return [...(attached === undefined ? [] : [attached]), ...glued];
  });
}

const EXTENSIONS: readonly (readonly [extension: RegExp, program: string])[] = [
  [/\.(?:sh|bash)$/, "bash"],
  [/\.(?:zsh|ksh)$/, "zsh"],
  [/\.[cm]?[jt]sx?$/, "node"],
  [/\.py[cw]?$/, "python"],
  [/\.rb$/, "ruby"],
  [/\.p[lm]$/, "perl"],
  [/\.php$/, "php"],
  [/\.lua$/, "lua"],
  [/\.awk$/, "awk"],
  [/\.tcl$/, "tclsh"],
];

interface ScriptFile {
  readonly file: string;
  readonly text: string;
  /** It is started, or loaded, by its path. */
  readonly isScript: boolean;
  /** The interpreter that the command gives it to. */
  readonly program?: string | undefined;
}

/**
 * What runs a file: the interpreter that the command names, the one of its first line, or for what is started without either, the shell.
 * By its name only if it is a mere argument; nothing if it is data.
 */
export function interpreterOf({ file, text, isScript, program }: ScriptFile): string | undefined {
  if (program !== undefined) return program;
  const first = /^#![^\S\n]*(\S+)(?:[^\S\n]+([^\n]*))?/.exec(text);
  if (first) {
    const [, named = "", rest = ""] = first;
    // `env -S VAR=1 node -r x`: the first word that is neither an option nor a variable.
    const behind = path.basename(named) === "env" ? rest.split(/\s+/).find((word) => !/^-|=/.test(word)) : named;
    return path.basename(behind ?? named);
  }
  return isScript ? "sh" : EXTENSIONS.find(([extension]) => extension.test(file))?.[1];
}

/** The same script is asked about several things in a row, and is parsed once. */
export function readShell(text: string): ShellReading {
  return readingOf(text);
}

// Programs of the machine of which it is known what their words can make them run: the only ones that a trusted hook may start.

const words = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/).filter(Boolean));

/** Part of the shell. What is not among them (`alias`, `enable`, `bind` …) is not known. */
export const BUILTINS: ReadonlySet<string> = words(
  `: [ [[ test true false echo printf pwd exit return break continue shift local declare typeset readonly export unset set wait kill times
   type umask ulimit getopts read mapfile readarray let cd pushd popd dirs trap command builtin eval exec . source jobs shopt`,
);

/** Whatever their words are, they run nothing and take no code from a file. What they read is a matter of data. */
const PLAIN = words(
  `cat tac head tail wc uniq cut tr grep egrep fgrep rev nl fold fmt paste join comm cmp diff md5sum sha1sum sha224sum sha256sum sha384sum
   sha512sum cksum sum base64 base32 od xxd hexdump strings stat readlink realpath ls dir du df file column expand unexpand tsort shuf
   basename dirname expr seq yes sleep printenv tty whoami id groups hostname uname nproc arch logger notify-send tput clear
   mktemp touch mkdir rmdir rm mv cp ln chmod chown chgrp tee sync truncate mkfifo pgrep pkill ps free uptime cal numfmt factor nproc
   test [ true false echo printf kill pwd ghead gtail gcat gstat gwc gtr gcut greadlink grealpath uuidgen say afplay paplay aplay`,
);

/** What a program of the machine may make of its words; nothing if that is known to be nothing. */
export function doubtAbout(program: string, operands: readonly string[]): string | undefined {
  if (PLAIN.has(program)) return undefined;
  if (program === "hookloop") return isShippedHook(operands) ? undefined : "hookloop is known only as `hookloop hook NAME`";
  if (program === "find")
    return operands.some((word) => word.startsWith(UNKNOWN)) ? "find is given words that are known only when it runs" : undefined;
  const uses = usesOf(
    program,
    operands.map((text) => ({ text, isMany: false })),
  );
  return uses ? uses.code : `${program} is no program of which it is known what it runs`;
}

/** Ours reads no configuration, and starts nothing of the project unless its row says so. */
function isShippedHook([command, name, ...options]: readonly string[]): boolean {
  return command === "hook" && isShippedName(name) && !SHIPPED_HOOKS[name].needsTrust && options.every((word) => !word.includes(UNKNOWN));
}

/** Variables that say how the shell, or whatever it starts, finds and reads code. */
const STEERING =
  /^(?:PATH|CDPATH|HOME|IFS|ENV|BASH_ENV|PS[0-4]|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|GLOBIGNORE|EXECIGNORE|FIGNORE|BASH_CMDS|BASH_ALIASES|BASH_COMPAT|BASH_LOADABLES_PATH|POSIXLY_CORRECT|FUNCNEST|SHELL|PWD|OLDPWD|HOSTFILE|HISTFILE|FCEDIT|EDITOR|VISUAL|PAGER|BROWSER|LESSOPEN|LESSCLOSE|MANPAGER|JQ_COLORS|CURL_HOME|XDG_CONFIG_HOME|(?:CLAUDE|HOOKLOOP)_\w+|(?:LD|DYLD|GIT|BASH_FUNC|GLIBC|NODE|BUN|DENO|NPM|npm|PYTHON|PERL|PERL5|RUBY|GEM|BUNDLE|PHP|LUA|AWK|AWKLIB|JAVA|JDK|R|JULIA|TCL)_?\w*|CLASSPATH|ZDOTDIR|FPATH|MAKE\w*|GCONV_PATH|LOCPATH|TERMINFO\w*|SSH_\w+|SUDO_\w+|GREP_OPTIONS|TMPDIR|TEMP|TMP)$/;

export function steers(variable: string): boolean {
  return variable.includes(UNKNOWN) || STEERING.test(variable);
}

const ASSIGNS = /(?<![\w$-])\{?([A-Za-z_]\w*)(?::?=|\+=|\[[^\]\n]*\]\+?=)/g;

/** Those that a text sets by `NAME=value`, wherever it stands; in quoted text it counts as well. */
export function steeringSet(text: string): readonly string[] {
  return [...new Set([...text.matchAll(ASSIGNS)].map(([, name = ""]) => name).filter((name) => STEERING.test(name)))];
}

/** Variables that a script may set for what it starts. */
export const PLAIN_VARIABLE: RegExp = /^(?:LC_[A-Z]+|LANG|LANGUAGE|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|TERM|COLUMNS|CI)$/;

/** Options of sh and bash that load nothing. */
export const SHELL_OPTIONS: RegExp = /^(?:[-+][euxvfnEBhT]+|--(?:posix|norc|noprofile))$/;

/** Options of Node that load nothing. */
export const NODE_OPTIONS: RegExp =
  /^(?:--no-warnings|--no-deprecation|--experimental-strip-types|--no-experimental-strip-types|--trace-(?:warnings|uncaught|deprecation)|--throw-deprecation|--pending-deprecation|--unhandled-rejections=\w+|--max-old-space-size=\d+|--stack-size=\d+|--disable-warning=[\w-]+|--use-strict|--jitless|--disallow-code-generation-from-strings|--disable-proto=\w+|--frozen-intrinsics|--permission|--experimental-permission|--allow-fs-(?:read|write)=\S+|--input-type=\w+|--)$/;
