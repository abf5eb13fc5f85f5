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
/** Programs with a language of their own whose scripts can bring in other files; without `-f` the code is in the command. */
const READ_SCRIPTS = new Set("sed gsed jq gojq yq".split(" "));

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

const BUILTINS = new Set(
  ": . [ [[ alias bg break builtin cd command continue declare echo eval exec exit export false fg getopts hash jobs kill let local printf pwd read readonly return set shift source test times trap true type typeset ulimit umask unalias unset wait".split(
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

/** `awk -f x`, `sed -nfx`, `jq --from-file x`: the script is a file, and what that brings in is not read. */
export function readsScriptFile(name: string, operands: readonly string[]): boolean {
  if (familyOf(name) !== "awk" && !READ_SCRIPTS.has(name)) return false;
  // `jq 'include "policy"; …'`
  if (operands.some((word) => /(?:^|[;\s])(?:include|import)\s+"/.test(word))) return true;
  return operands.some((word) => /^(?:-[a-zA-Z]*[fEL]|--(?:file|from-file|exec|include)\b)/.test(word));
}

export function isFetcher(name: string): boolean {
  return FETCHERS.has(name);
}

export function isDataProgram(name: string): boolean {
  return DATA_PROGRAMS.has(name);
}

export function isBuiltin(name: string): boolean {
  return BUILTINS.has(name);
}
