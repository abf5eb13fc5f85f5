// Takes a text that starts programs; gives the files that say what these programs run: package.json for npm, a Makefile for make.

import { isBuiltin } from "node:module";
import path from "node:path";
import { readCommand } from "../shell/index.ts";
import type { Family } from "./pin/programs.ts";

const NODE =
  "package.json .npmrc .yarnrc .yarnrc.yml .yarn/ .pnpmfile.cjs .pnp.cjs .pnp.loader.mjs pnpm-workspace.yaml bunfig.toml node_modules/";
const PYTHON = "pyproject.toml setup.py setup.cfg tox.ini noxfile.py uv.toml poetry.toml hatch.toml .venv/";

/** Names that end in `/` are folders with everything in them. */
const FILES: Readonly<Record<string, string>> = {
  ...all("npm npx pnpm pnpx yarn yarnpkg corepack", NODE),
  // It reads these by itself, whatever it runs.
  ...all("bun bunx", `${NODE} tsconfig.json .env .env.local .env.development .env.production`),
  ...all("uv uvx poetry pdm pipx hatch tox nox pipenv", PYTHON),
  ...all("make gmake bmake pmake remake", "Makefile makefile GNUmakefile BSDmakefile"),
  ...all("pip pip3", `${PYTHON} requirements.txt pip.conf`),
  ...all("just", "justfile Justfile .justfile"),
  ...all("task go-task", "Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml"),
  ...all("rake bundle", "Rakefile rakefile Rakefile.rb rakefile.rb Gemfile .bundle/"),
  ...all(
    "gradle gradlew",
    "build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties init.gradle gradlew gradle/ buildSrc/",
  ),
  ...all("mvn mvnw", "pom.xml mvnw .mvn/"),
  ...all("cargo", "Cargo.toml build.rs rust-toolchain rust-toolchain.toml .cargo/"),
  ...all("go", "go.mod go.work"),
  ...all("composer", "composer.json vendor/"),
  ...all("deno", "deno.json deno.jsonc import_map.json package.json"),
  ...all("docker docker-compose podman", "Dockerfile compose.yaml compose.yml docker-compose.yml docker-compose.yaml"),
  ...all("nix nix-shell nix-build", "flake.nix flake.lock shell.nix default.nix"),
  ...all("pre-commit", ".pre-commit-config.yaml"),
  ...all("lefthook", "lefthook.yml .lefthook.yml"),
};

/** Programs whose configuration is code, or names some. */
const CONFIGURED: Readonly<Record<string, string>> = {
  ...all("pytest py.test", "conftest.py pytest.ini tox.ini setup.cfg pyproject.toml"),
  ...all("eslint eslint_d", `${configs("eslint")} ${rcs("eslint")} package.json node_modules/`),
  ...all("prettier prettierd", `${configs("prettier")} ${rcs("prettier")} package.json node_modules/`),
  ...all("stylelint", `${configs("stylelint")} ${rcs("stylelint")} package.json`),
  ...all("jest", `${configs("jest")} package.json`),
  ...all("vitest vite", `${configs("vitest")} ${configs("vite")}`),
  ...all("mocha", `${rcs("mocha")} package.json test/`),
  ...all("ava", `${configs("ava")} package.json`),
  ...all("webpack webpack-cli", configs("webpack")),
  ...all("rollup", configs("rollup")),
  ...all("tsup", `${configs("tsup")} package.json`),
  ...all("tsdown unbuild rolldown rspack", [configs("tsdown"), configs("build"), configs("rolldown"), configs("rspack")].join(" ")),
  ...all("parcel", ".parcelrc package.json"),
  ...all("playwright", configs("playwright")),
  ...all("cypress", `${configs("cypress")} cypress/`),
  ...all("wdio karma", `${configs("wdio")} karma.conf.js karma.conf.cjs karma.conf.ts wdio.conf.js wdio.conf.ts`),
  ...all("nyc c8", `${rcs("nyc")} ${rcs("c8")} nyc.config.js package.json`),
  ...all("gulp", "gulpfile.js gulpfile.mjs gulpfile.cjs gulpfile.ts"),
  ...all("grunt", "Gruntfile.js Gruntfile.cjs Gruntfile.coffee"),
  ...all("jake cake", "Jakefile Jakefile.js jakefile.js Cakefile"),
  ...all("next nuxt nuxi astro svelte-kit remix", ["next", "nuxt", "astro", "svelte", "remix"].map(configs).join(" ")),
  ...all("ng", "angular.json package.json node_modules/"),
  ...all("knip", `${configs("knip")} knip.json knip.ts package.json`),
  ...all("semantic-release release-it", `${configs("release")} ${rcs("release")} ${rcs("release-it")} package.json`),
  ...all("husky", ".husky/ package.json"),
  ...all("xo standard tslint oxlint", `${configs("xo")} package.json tslint.json node_modules/`),
  ...all("markdownlint markdownlint-cli2", `${rcs("markdownlint")} .markdownlint-cli2.jsonc .markdownlint-cli2.cjs .markdownlint-cli2.mjs`),
  ...all("tsc", "tsconfig.json node_modules/"),
  ...all("postcss", `${configs("postcss")} ${rcs("postcss")}`),
  ...all("tailwindcss", configs("tailwind")),
  ...all("babel", `${configs("babel")} ${rcs("babel")}`),
  ...all("commitlint", `${configs("commitlint")} ${rcs("commitlint")} package.json`),
  ...all("lint-staged", `${configs("lint-staged")} ${rcs("lintstaged")} package.json`),
  ...all("tsx ts-node", "tsconfig.json package.json"),
  ...all("nx turbo lerna rush", "nx.json turbo.json lerna.json rush.json package.json"),
  ...all("mix iex", "mix.exs .formatter.exs .iex.exs"),
  ...all("rebar3", "rebar.config rebar.config.script"),
  ...all("rubocop rspec cucumber standardrb", ".rubocop.yml .rspec .standard.yml cucumber.yml Gemfile spec/"),
  ...all("guard thor cap fastlane pod jekyll", "Guardfile Thorfile Capfile fastlane/ Podfile _config.yml Gemfile"),
  ...all("irb pry", ".irbrc .pryrc"),
  ...all("phpunit pest paratest", "phpunit.xml phpunit.xml.dist vendor/"),
  ...all("phpstan psalm rector artisan", "phpstan.neon phpstan.neon.dist phpstan.dist.neon psalm.xml psalm.xml.dist rector.php vendor/"),
  ...all("coverage", ".coveragerc setup.cfg tox.ini pyproject.toml"),
  ...all("flake8", ".flake8 setup.cfg tox.ini"),
  ...all("sphinx-build", "conf.py docs/conf.py"),
  ...all("mkdocs", "mkdocs.yml"),
  ...all("alembic", "alembic.ini"),
  ...all("snakemake", "Snakefile workflow/"),
  ...all("dbt", "dbt_project.yml macros/"),
  ...all("php-cs-fixer", ".php-cs-fixer.php .php-cs-fixer.dist.php"),
  ...all("pylint", ".pylintrc pylintrc pyproject.toml setup.cfg"),
  ...all("mypy", "mypy.ini .mypy.ini pyproject.toml setup.cfg"),
  ...all("cmake ctest", "CMakeLists.txt CMakePresets.json CMakeUserPresets.json CTestTestfile.cmake"),
  ...all("meson", "meson.build"),
  ...all("xmake premake5 tup", "xmake.lua premake5.lua Tupfile"),
  ...all("buck buck2 pants please plz", "BUCK .buckconfig pants.toml .plzconfig BUILD"),
  ...all("ant", "build.xml"),
  ...all("mill", "build.sc build.mill"),
  ...all("stack cabal", "stack.yaml cabal.project Setup.hs"),
  ...all("dune", "dune dune-project"),
  ...all("zig", "build.zig"),
  ...all("nim nimble", "config.nims nim.cfg"),
  ...all("golangci-lint", ".golangci.yml .golangci.yaml .golangci.toml"),
  ...all("earthly", "Earthfile"),
  ...all("skaffold tilt helmfile", "skaffold.yaml Tiltfile helmfile.yaml"),
  ...all("devbox devenv", "devbox.json devenv.nix"),
  ...all("trunk mage moon", ".trunk/ magefile.go .moon/"),
  ...all("ninja", "build.ninja"),
  ...all("scons", "SConstruct Sconstruct sconstruct SConstruct.py site_scons/"),
  ...all("waf", "wscript"),
  ...all("doit", "dodo.py"),
  ...all("invoke inv", "tasks.py tasks/"),
  ...all("fab", "fabfile.py fabfile/"),
  ...all("direnv", ".envrc"),
  ...all("mise rtx", "mise.toml .mise.toml .tool-versions"),
  ...all("sbt", "build.sbt project/"),
  ...all("lein", "project.clj"),
  ...all("swift", "Package.swift"),
  ...all("prove", ".proverc t/ lib/"),
  ...all("dart flutter", "pubspec.yaml build.yaml bin/ tool/ test/ analysis_options.yaml"),
  ...all(
    "dotnet msbuild",
    "*.csproj *.fsproj *.vbproj *.proj *.sln *.slnx Directory.Build.props Directory.Build.targets global.json nuget.config .config/",
  ),
  ...all("bazel bazelisk", "WORKSPACE MODULE.bazel .bazelrc BUILD BUILD.bazel"),
  ...all("ansible ansible-playbook", "ansible.cfg"),
  ...all("vagrant", "Vagrantfile"),
  ...all("terraform tofu", "main.tf .terraform/"),
  ...all("R Rscript", ".Rprofile .Renviron"),
  ...all("gdb", ".gdbinit"),
  ...all("lldb", ".lldbinit"),
  ...all("ghci", ".ghci"),
};

function configs(name: string): string {
  return ["js", "mjs", "cjs", "ts", "mts", "cts", "json"].map((end) => `${name}.config.${end}`).join(" ");
}

function rcs(name: string): string {
  return ["", ".js", ".cjs", ".mjs", ".json", ".yml", ".yaml"].map((end) => `.${name}rc${end}`).join(" ");
}

/** The files and folders of the project from which a program takes what it runs. */
export function taskFiles(program: string): readonly string[] {
  const files = Object.hasOwn(FILES, program) ? FILES[program] : Object.hasOwn(CONFIGURED, program) ? CONFIGURED[program] : undefined;
  return files?.split(" ") ?? [];
}

function all(programs: string, files: string): Readonly<Record<string, string>> {
  return Object.fromEntries(programs.split(" ").map((program) => [program, files]));
}

/** A program that looks for its tasks in files of the project. */
interface TaskRun {
  readonly files: readonly string[];
  /** The words behind it: one may be the task, another a folder. */
  readonly words: readonly string[];
}

/** Code of another language than the shell's that may start programs. */
export const STARTS_PROGRAMS: RegExp =
  /child_process|subprocess|\bos\.(?:system|popen|exec|spawn)|\b(?:execa|zx|Bun|Deno|system|exec|spawn|popen)\b|`/;

/** Reading a script takes time: most start none of these. */
const MENTIONED = new RegExp(`\\b(?:${Object.keys(FILES).join("|")})\\b`);
const STARTED = new RegExp(`["'\`](${Object.keys(FILES).join("|")})(?=["'\`\\s])([^\\n)]{0,300})`, "g");

/** Those that a shell script starts, or that stand at the start of a string in code of another language. */
export function taskRuns(text: string, isShell: boolean): readonly TaskRun[] {
  if (!MENTIONED.test(text)) return [];
  const runs = isShell
    ? readCommand(text).commands.map(({ words, folder }) => {
        const [name = "", ...rest] = words.map((word) => word.text);
        return { program: path.basename(name), words: folder === undefined ? rest : [...rest, folder] };
      })
    : [...text.matchAll(STARTED)].map(([, program = "", rest = ""]) => ({ program, words: rest.split(/[\s"'`,[\]]+/) }));
  return runs.flatMap(({ program, words }) =>
    Object.hasOwn(FILES, program) ? [{ files: taskFiles(program), words: words.filter(Boolean) }] : [],
  );
}

/** What of a file of tasks counts for these words: the whole text would name every source file of the project. */
export function taskTexts(file: string, text: string, words: readonly string[]): readonly string[] {
  const name = path.basename(file).toLowerCase();
  if (name === "package.json") return packageScripts(text, words);
  if (name.endsWith("makefile")) return recipes(text, words);
  return /^(?:\.?justfile|taskfile\.ya?ml|rakefile(?:\.rb)?)$/.test(name) ? [text] : [];
}

function packageScripts(text: string, words: readonly string[]): readonly string[] {
  const scripts = Object.entries(objectIn(jsonOf(text)["scripts"]));
  const wanted = [...words];
  const found = new Map<string, string>();
  for (let word = wanted.pop(); word !== undefined; word = wanted.pop())
    for (const [name, line] of scripts) {
      // `npm t` is `npm test`, and `pretest` and `posttest` run with it.
      const task = word === "t" || word === "tst" ? "test" : word;
      if (typeof line !== "string" || found.has(name) || ![task, `pre${task}`, `post${task}`].includes(name)) continue;
      found.set(name, line);
      wanted.push(...line.split(/[\s"';&|]+/));
    }
  return [...found.values()];
}

/** The files that `#name`, or a package's own name, can stand for. */
export function packageTargets(text: string, packages: readonly string[]): readonly string[] {
  const { imports, exports, main, name } = jsonOf(text);
  const isSelf = typeof name === "string" && packages.some((one) => one === name || one.startsWith(`${name}/`));
  return stringsIn(isSelf ? [imports, exports, main] : imports, 0);
}

/** What a package.json says of the names under which its files can be imported. */
export function packageFacts(text: string): { readonly name: unknown; readonly imports: unknown } {
  const { name, imports } = jsonOf(text);
  return { name, imports };
}

function stringsIn(value: unknown, depth: number): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null && depth < 6 ? Object.values(value).flatMap((one) => stringsIn(one, depth + 1)) : [];
}

function jsonOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return objectIn(JSON.parse(text));
  } catch {
    // No JSON: then npm does not run anything from it either.
    return {};
  }
}

function objectIn(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : {};
}

/** The recipes of the targets, of what they need, and what is included. Without a target it is the first. */
function recipes(text: string, words: readonly string[]): readonly string[] {
  const rules = [...text.matchAll(/^([^\t#:=\n][^:=\n]*)::?(?!=)([^\n]*)((?:\n\t[^\n]*|\n(?=\n*\t))*)/gm)].slice(0, 2000);
  const isOf = (targets: string, word: string): boolean => targets.trim().split(/\s+/).includes(word);
  const named = words.filter((word) => rules.some(([, targets = ""]) => isOf(targets, word)));
  const first =
    rules
      .find(([, targets = ""]) => !targets.startsWith("."))?.[1]
      ?.trim()
      .split(/\s+/)[0] ?? "";
  const wanted = named.length === 0 ? [first] : named;
  const found = new Set<string>();
  const seen = new Set<string>();
  for (let word = wanted.pop(); word !== undefined; word = wanted.pop()) {
    if (seen.has(word)) continue;
    seen.add(word);
    for (const [, targets = "", needs = "", recipe = ""] of rules) {
      if (!isOf(targets, word)) continue;
      // `target: needs; command`
      found.add(`${needs.split(";")[1] ?? ""}${recipe}`.replace(/\n\t[@+-]*/g, "\n"));
      wanted.push(...(needs.split(";")[0] ?? "").split(/\s+/).filter(Boolean));
    }
  }
  const brought = [...text.matchAll(/^-?s?include\s+([^\n]*)/gm)].map(([, files = ""]) => `source ${files}`);
  return [...found, ...brought];
}

// Takes the text of a script; gives the words in it that may name a file, and whether it loads something that its text does not name.

/** A word of a script that may name a file or folder. */
export interface Word {
  readonly path: string;
  /** It stands where code is loaded or started, so that it counts also if it is not there yet. */
  readonly isLoad: boolean;
  /** Its folder stands in a variable: it can be any that the script names. */
  readonly isTail: boolean;
  /** If it is a folder, modules are looked for in it. */
  readonly isSearched: boolean;
  /** If it is a folder, its entries are gone through. */
  readonly isListed: boolean;
}

/** SECURITY: a project names what it likes; more than this is not looked at. */
const MAX_WORDS = 3000;

/** Stands for what only the running script knows. */
const SOMETHING = "\uFFFF";
const LOADS =
  /(?:^|[\s;&|({"'`])(?:source|\.)[\s"']|\b(?:import\w*|require\w*|from|load\w*|include\w*|exec\w*|spawn\w*|fork|system|popen|do|use|eval|bash|sh|dash|zsh|ksh|node|bun|deno|tsx|python[\d.]*|perl|ruby|php|lua|awk|sed|jq|URL)\b|\s-\w*f\b|__dirname|dirname/;
/** A folder in such a line is one that code is taken from. */
const SEARCHES =
  /sys\.path|addsitedir|\b(?:PYTHONPATH|NODE_PATH|PERL5LIB|RUBYLIB|LUA_PATH|GOPATH|LOAD_PATH|PATH)\b|\buse\s+lib\b|\b(?:perl|ruby|lua|luajit|tclsh)\b.*\s-[IL]|\$:|\bgo\s+run\b|run-parts|\bsource\b|(?:^|[\s;&|])\.\s/;
/** The same, if the script loads something that it does not name. */
const LISTS = /\bfor\b.*\bin\b|readdir|listdir|iterdir|scandir|opendir|glob/;

/** Every word that may be a path. What stands in a variable is left open: the rest of the word says enough. */
export function wordsOf(text: string): readonly Word[] {
  const found = new Map<string, Word>();
  const add = (word: Word): void => {
    if (word.path === "" || /^[./~-]*$/.test(word.path) || found.size >= MAX_WORDS) return;
    const known = found.get(word.path);
    found.set(word.path, known ? merged(known, word) : word);
  };
  for (const line of opened(text).split("\n")) {
    const isLoad = LOADS.test(line);
    const isSearched = SEARCHES.test(line);
    const isListed = LISTS.test(line);
    for (const [run] of line.matchAll(/\uFFFF?[\w@.+#~/-]+/g)) {
      const isTail = run.startsWith(SOMETHING);
      const path = isTail ? run.slice(1).replace(/^\/+/, "") : run;
      for (const one of ends(path)) add({ path: one.replace(/(?<=.)\/+$/, ""), isLoad, isTail, isSearched, isListed });
    }
    for (const [, , path = ""] of line.matchAll(/(["'`])([^"'`]{1,200})\1/g))
      if (path.includes(" ") && !path.includes(SOMETHING)) add({ path, isLoad: false, isTail: false, isSearched: false, isListed: false });
  }
  const isListed = LISTS.test(text);
  const isSearched = /sys\.path|addsitedir/.test(text);
  for (const path of joined(text)) add({ path, isLoad: true, isTail: true, isSearched, isListed });
  return [...found.values()];
}

function merged(one: Word, other: Word): Word {
  return {
    path: one.path,
    isLoad: one.isLoad || other.isLoad,
    isTail: one.isTail || other.isTail,
    isSearched: one.isSearched || other.isSearched,
    isListed: one.isListed || other.isListed,
  };
}

/** Variables and substitutions become one mark; a quote that ends behind one belongs to the word. */
function opened(text: string): string {
  let open = text;
  for (let depth = 0; depth < 3; depth++)
    open = open.replace(/\$\{[^{}\n]{0,200}\}|\$\([^()\n]{0,200}\)|\$[A-Za-z_]\w*|\$[@*#\d]/g, SOMETHING);
  return open.replace(/\uFFFF["']+(?=\/)/g, SOMETHING);
}

/** `-Ilib` and `-qfpatterns.txt`: any end of a short option may be its value. */
function ends(word: string): readonly string[] {
  return /^-[A-Za-z]/.test(word) ? [2, 3, 4].map((start) => word.slice(start)) : [word];
}

/** `path.join(here, "..", "lib", "rules.txt")` and `here / "lib" / "rules.txt"`. */
function joined(text: string): readonly string[] {
  const lists = text.matchAll(
    /(?:(?:"[\w@.+~/-]{1,100}"|'[\w@.+~/-]{1,100}')\s*[,/+]\s*){1,8}(?:"[\w@.+~/-]{1,100}"|'[\w@.+~/-]{1,100}')/g,
  );
  return [...lists].slice(0, 200).flatMap(([list]) => {
    const parts = [...list.matchAll(/["']([^"']+)["']/g)].map(([, part = ""]) => part);
    return parts.slice(0, -1).map((_, start) =>
      parts
        .slice(start)
        .join("/")
        .replace(/\/{2,}/g, "/"),
    );
  });
}

/** What JavaScript imports by name. */
interface Imports {
  /** `./rules`, `../lib/rules.js`. */
  readonly relative: readonly string[];
  /** `#rules`: the package.json says what it is. */
  readonly hasOwn: boolean;
  /** Packages, wherever they are installed. */
  readonly packages: readonly string[];
}

export function importsOf(text: string): Imports {
  const calls = text.matchAll(/\b(?:from|import|require(?:\.resolve)?)\s*\(?\s*["'`]([^"'`\n]{1,200})["'`]/g);
  const names = [...new Set([...calls].slice(0, MAX_WORDS).map(([, name = ""]) => name))];
  return {
    relative: names.filter((name) => /^\.{1,2}(?:\/|$)/.test(name)),
    hasOwn: names.some((name) => name.startsWith("#")),
    packages: names.filter((name) => /^[\w@]/.test(name) && !name.startsWith("node:") && !isBuiltin(name) && !name.includes("://")),
  };
}

/** Modules of Python by their path: `lib/rules` of `import lib.rules`, `from lib import rules` and `-m lib.rules`. */
export function modulesOf(text: string): readonly string[] {
  const froms = [...text.matchAll(/(?:^|[;\n])[^\S\n]*from\s+(\.*)([\w.]*)\s+import\s+\(?([\w., \t]*)/g)].flatMap(
    ([, , from = "", list = ""]) => [from, ...list.split(",").map((name) => `${from}.${/^\s*(\w*)/.exec(name)?.[1] ?? ""}`)],
  );
  const plain = [...text.matchAll(/(?:^|[;\n])[^\S\n]*import\s+([\w., \t]+)/g)].flatMap(([, list = ""]) =>
    list.split(",").map((name) => /^\s*([\w.]*)/.exec(name)?.[1] ?? ""),
  );
  return [...new Set([...plain, ...froms].map((name) => name.replace(/^\.+|\.+$/g, "").replaceAll(".", "/")))]
    .filter(Boolean)
    .slice(0, 400);
}

/** `python3 -m lib.rules`. */
export function startedModules(text: string): readonly string[] {
  return [...text.matchAll(/\bpy[\w.]*["']?(?:[\s,]+["']?-[A-Za-z]*)*?[\s,]+["']?-[A-Za-z]*m["']?[\s,]*["']?([A-Za-z_][\w.]*)/g)]
    .slice(0, 50)
    .map(([, name = ""]) => name.replaceAll(".", "/"));
}

const OPEN_JAVASCRIPT = /\b(?:import|require)\s*\(\s*(?:[^"'`\s)]|`[^`]{0,200}\$\{)/;
const OPEN_CALL = /\b(?:exec|spawn|fork)\w*\s*\(\s*[^"'`\s)]/;
const OPEN_PYTHON =
  /\b(?:importlib|__import__|runpy|exec_module|execfile)\b|(?<![\w.])(?:exec|eval)\s*\(|\b(?:subprocess\.\w+|os\.(?:system|popen|exec\w*))\s*\(\s*[^["'\s]/;
const SHELL_LOAD =
  /(?:^|[;&|({\s])(?:source|\.|eval|exec|bash|sh|dash|zsh|ksh|node|python[\d.]*|perl|ruby)\s+(?:-\w+\s+)*["']?\uFFFF\/?([\w@.+~/-]*)/gm;

/** Whether a script loads or starts something that its text does not name. `isKnown`: the end of a path is enough to find it. */
export function loadsUnnamed(text: string, family: Family | undefined, isKnown: (tail: string) => boolean): boolean {
  if (family === undefined) return false;
  if (family === "javascript") return OPEN_JAVASCRIPT.test(text) || (text.includes("child_process") && OPEN_CALL.test(text));
  if (family === "python") return OPEN_PYTHON.test(text);
  // What other languages load is not read.
  if (family !== "shell") return true;
  return [...opened(text).matchAll(SHELL_LOAD)].some(([, tail = ""]) => tail === "" || !isKnown(tail));
}
