import { formsIn, hasAny, type OptionForms, readArguments, valuesOf } from "../arguments.ts";
import { optionForms } from "../programs/option-table.ts";
import { wrapperOf } from "../programs/started-by.ts";
import type { Wrapper } from "../programs/wrapper-table.ts";
import type { ShellWord } from "../types.ts";
import { CHANGING, GAWK, plainWord } from "./changing.ts";
import { type Claim, each, type Program } from "./claims.ts";
import { FETCHING } from "./fetching.ts";
import { GIT } from "./git-paths.ts";
import { namesOfFind, splitFind } from "./listing.ts";
import { COPYING, moduleWords, READING } from "./reading.ts";

const EXEC = new Set(["-exec", "-execdir", "-ok", "-okdir"]);
/** Tests whose value could look like an action. */
const VALUED = new Set("-name -iname -path -ipath -wholename -regex -iregex -lname -newer -samefile -user -group -printf -inum".split(" "));
const FIND_WRITES = new Set(["-fprint", "-fprint0", "-fls", "-fprintf"]);

/** What `find` does below its starting points: it deletes them, or what it starts is done to each. */
function findProgram(claimsOf: (words: readonly ShellWord[]) => readonly Claim[]): Program {
  return {
    onlyReads: true,
    claims(_, words) {
      const { roots, rest } = splitFind(words);
      const names = namesOfFind(rest);
      const more = { isRecursive: true, onlyExisting: true as const, ...(names.length > 0 ? { names } : {}) };
      const found: Claim[] = [...each(roots, "read", { isRecursive: true }), ...each(writtenBy(rest), "write")];
      if (ownWords(rest).some(({ text }) => text === "-delete")) found.push(...doneTo(roots, { how: "delete", ...more }));
      for (const command of startedBy(rest)) {
        for (const { how } of claimsOf(command)) if (how !== "read") found.push(...doneTo(roots, { how, ...more }));
      }
      return found;
    },
  };
}

function doneTo(roots: readonly ShellWord[], claim: Omit<Claim, "word">): readonly Claim[] {
  return roots.length === 0 ? [{ word: undefined, ...claim }] : roots.map((word) => ({ word, ...claim }));
}

function writtenBy(rest: readonly ShellWord[]): readonly ShellWord[] {
  return rest.filter((_, at) => FIND_WRITES.has(rest[at - 1]?.text ?? ""));
}

/** The words that are not of a command it starts: `-exec echo -delete ;` deletes nothing. */
function ownWords(rest: readonly ShellWord[]): readonly ShellWord[] {
  let isInside = false;
  return rest.filter(({ text }, at) => {
    if (isInside) isInside = !(text === ";" || (text === "+" && rest[at - 1]?.text === "{}"));
    else if (EXEC.has(text)) isInside = true;
    else return !VALUED.has(rest[at - 1]?.text ?? "");
    return false;
  });
}

function startedBy(rest: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  return rest.flatMap(({ text }, at) => {
    if (!EXEC.has(text)) return [];
    const end = rest.findIndex((word, index) => index > at && (word.text === ";" || word.text === "+"));
    return [rest.slice(at + 1, end === -1 ? undefined : end)];
  });
}

/** Only what is written is claimed: of the other words nothing is known. A folder is looked through for what is changed. */
function writing(pick: (operands: readonly ShellWord[], words: readonly ShellWord[]) => readonly ShellWord[]): Program {
  return {
    runsInput: NEVER,
    claims: (read, words) => each(withStarts(pick(read.operands, words)), "write", { isChosen: true }),
  };
}

/** `prettier --write "{a,b}/**"`: a pattern that the program fills in itself stands for what is in the folder before it. */
function withStarts(words: readonly ShellWord[]): readonly ShellWord[] {
  return words.flatMap((word) => {
    const isOwn = /[*?{[]/.test(word.text) && word.parts.every(({ kind }) => kind === "text");
    const start = isOwn ? /^[^*?{[]*\//.exec(word.text)?.[0] : undefined;
    return isOwn ? [word, plainWord(start ?? ".", word)] : [word];
  });
}

const NEVER = /(?!)/;
const LOOKS_ONLY = /^--?(?:check|diff|dry-run|list|lint|check-only|verify|c|d|l|n)(?:-.*|=.*)?$/;

/** Changes what it is given, unless it is only to look. */
const ALWAYS = writing((operands, words) => (words.some(({ text }) => LOOKS_ONLY.test(text)) ? [] : operands));
/** Changes what it is given, whatever its options. */
const IN_ANY_CASE = writing((operands) => operands);
/** What it makes stands last. */
const LAST = writing((operands) => operands.slice(-1));

/** Changes what it is given only with one of these words. */
function onlyWith(switches: RegExp): Program {
  return writing((operands, words) => (words.some(({ text }) => switches.test(text)) ? operands : []));
}

/** `ruff format`, `cargo fmt`, `eslint --fix`: with one of these words it changes what it is given, or the folder it runs in. `else`: what it does otherwise. */
function fixing(switches: RegExp, otherwise?: Program): Program {
  return {
    runsInput: otherwise?.runsInput ?? NEVER,
    claims: (read, words) => {
      if (!words.some(({ text }, at) => at > 0 && switches.test(text))) return otherwise?.claims(read, words) ?? [];
      if (words.some(({ text }) => LOOKS_ONLY.test(text))) return [];
      const [first] = read.operands;
      const given = first && VERB.test(first.text) ? read.operands.slice(1) : read.operands;
      const folders = given.map((word) => (/\/\.\.\.$/.test(word.text) ? plainWord(word.text.slice(0, -4) || "/", word) : word));
      const isHere = folders.every(({ text }) => /^[.]\w+$/.test(text));
      return [...each(withStarts(folders), "write", { isChosen: true }), ...(isHere ? each([undefined], "write", { isChosen: true }) : [])];
    },
  };
}

const VERB = /^(?:check|ci|clippy|fix|fmt|format|lint|process|run|scan)$/;

const WRITE_OPTION = /^(?:-[A-Za-z]*w[A-Za-z]*|--write|--in-place|--overwrite)(?:=.*)?$/;
const IN_PLACE = /^(?:-[A-Za-z]*i[A-Za-z]*|--in-?place)$/;

/** `history -w file`, `history -a file`; the others of its letters read one. */
const HISTORY: Program = {
  claims: (read): readonly Claim[] => {
    if (hasAny(read, ["w", "a", "W", "A"])) return each(read.operands, "write");
    return hasAny(read, ["r", "n", "R"]) ? each(read.operands, "read") : [];
  },
};

const rows = (names: string, program: Program): Readonly<Record<string, Program>> =>
  Object.fromEntries(names.split(" ").map((name) => [name, program]));

const FIXES = /^(?:fmt|fix|format|process|--fix|--apply)$/;

/** Formatters, fixers, converters, and programs that change a file's blocks or attributes. */
const REWRITING: Readonly<Record<string, Program>> = {
  ...rows(
    "fallocate setfattr mknod patchelf strip chrpath ranlib setcap chcon restorecon mogrify jpegoptim optipng pngquant mkswap e4defrag",
    IN_ANY_CASE,
  ),
  ...rows("black isort rustfmt stylua pyupgrade swiftformat ktlint recode fromdos todos standardrb dartfmt", ALWAYS),
  ...rows("prettier shfmt gofmt goimports gofumpt codespell misspell", onlyWith(WRITE_OPTION)),
  ...rows(
    "eslint eslint_d stylelint oxlint biome rome markdownlint markdownlint-cli2 standard xo tslint ruff sqlfluff djlint golangci-lint rustywind ast-grep sg",
    fixing(/^(?:--?(?:fix|write|apply|autofix|unsafe|update-all)(?:-.*|=.*)?|-U|format|fix)$/),
  ),
  ...rows("cargo go dart mix dotnet zig rescript terraform tofu packer taplo dprint trunk buf php-cs-fixer cljfmt rector", fixing(FIXES)),
  deno: fixing(/^(?:fmt|--fix)$/, READING["deno"]),
  ...rows(
    "2to3 erlfmt google-java-format swift-format ormolu cmake-format stylish-haskell",
    onlyWith(/^(?:-[A-Za-z]*[wi]|--(?:write|inplace|in-place|replace).*)$/),
  ),
  ...rows(
    "fastmod comby rpl mdformat pint phpcbf jscodeshift nixfmt alejandra sqlfmt elm-format beautysh scalafmt fantomas docstrfmt",
    IN_ANY_CASE,
  ),
  sd: writing((operands) => operands.slice(2)),
  ...rows("clang-format autopep8 yapf autoflake docformatter latexindent uncrustify astyle", onlyWith(IN_PLACE)),
  ...rows("rubocop", fixing(/^(?:-[aAx]|--(?:auto-?correct|fix)(?:-all)?)$/)),
  ...rows("ffmpeg convert magick sox wkhtmltopdf qpdf pdftotext pdftoppm lame oggenc cwebp dwebp objcopy", LAST),
  logrotate: {
    claims: (read) => [...each(valuesOf(read, ["s", "state", "l", "log"]), "write"), ...each(read.operands, "read")],
  },
  tidy: onlyWith(/^-[a-z]*m[a-z]*$/),
  perltidy: onlyWith(/^-b/),
  history: HISTORY,
  fc: HISTORY,
};

/** The files that a program which starts another writes and reads by its own options: `time -o file`, `strace -fofile`, `xargs -a file`. */
function claimsOfStarter(name: string, words: readonly ShellWord[]): readonly Claim[] {
  const wrapper = wrapperOf(name);
  if (!wrapper || !(wrapper.writes || wrapper.reads || wrapper.writesOperand)) return [];
  const { writes = [], reads = [], writesOperand } = wrapper;
  const read = readArguments(words, formsOf(wrapper));
  return [
    ...each(valuesOf(read, writes), "write"),
    ...each(valuesOf(read, reads), "read"),
    ...(writesOperand ? each(read.operands.slice(0, 1), "write") : []),
  ];
}

function formsOf({ options = "", writes = [], reads = [], permutes }: Wrapper): OptionForms {
  const { valued = "", attached = "", longValued = [] } = formsIn(options);
  const long = [...writes, ...reads].filter(({ length }) => length > 1);
  const letters = [...writes, ...reads].filter((name) => name.length === 1 && !attached.includes(name));
  return {
    valued: `${valued}${letters.join("")}`,
    attached,
    longValued: [...new Set([...longValued, ...long])],
    ...(permutes ? {} : { stopsAtOperand: true }),
  };
}

/** `rclone copy a b` reads like `rsync a b`; of its other commands everything is expected. */
const RCLONE: Program = {
  claims(read, words) {
    const [verb, ...operands] = read.operands;
    if (!/^(?:copy|copyto|sync|bisync|move|moveto)$/.test(verb?.text ?? "")) return CHANGING["mount"]?.claims(read, words) ?? [];
    const moves = verb?.text.startsWith("move") ? [{ name: "--remove-source-files", word: verb }] : [];
    return COPYING["rsync"]?.claims({ ...read, options: [...read.options, ...moves], operands }, words) ?? [];
  },
};

const PROGRAMS: ReadonlyMap<string, Program> = new Map(
  Object.entries({
    ...READING,
    ...REWRITING,
    ...CHANGING,
    ...COPYING,
    ...FETCHING,
    gawk: GAWK,
    awk: GAWK,
    mawk: GAWK,
    nawk: GAWK,
    goawk: GAWK,
    "original-awk": GAWK,
    git: GIT,
    rclone: RCLONE,
    find: findProgram(claimsOf),
  }),
);

/** The last part of a command's name. */
export function nameOf(words: readonly ShellWord[]): string {
  const name = words[0]?.text ?? "";
  return name.slice(name.lastIndexOf("/") + 1);
}

/** Where GNU's programs are guests they are called `gcp`, and languages have their version in their name. */
const OTHER_NAME = /^(?:g(cp|mv|rm|ln|tee|dd|touch|chmod|chown|truncate|shred|sort|uniq|split|rmdir|mkdir|unlink|find)|(perl|ruby)[\d.]+)$/;

/** The name of a program in the tables. */
function rowName(words: readonly ShellWord[]): string {
  const name = nameOf(words);
  const [, plain, language] = OTHER_NAME.exec(name) ?? [];
  // `npx prettier@3`.
  return plain ?? language ?? name.replace(/(?<=\w)@[\w.^~-]+$/, "");
}

/** What is known of a program; nothing if it is not in the table. */
export function programOf(words: readonly ShellWord[]): Program | undefined {
  return PROGRAMS.get(rowName(words));
}

const LAUNCHERS = /^(?:yarn|pnpm|bun|npm|deno|poetry|pipenv|uv|rye|pdm|hatch|bundle|composer|mise)$/;
const LAUNCHES = /^(?:-.*|run|exec|x|dlx|tool|task|workspace)$/;

/** `yarn eslint --fix folder`: what a package's program is given, if it is one that rewrites files. */
function launched(words: readonly ShellWord[]): readonly ShellWord[] | undefined {
  if (!LAUNCHERS.test(nameOf(words))) return undefined;
  const at = words.findIndex(({ text }, index) => index > 0 && !LAUNCHES.test(text));
  const rest = at === -1 ? [] : words.slice(at);
  return Object.hasOwn(REWRITING, nameOf(rest).replace(/(?<=\w)@[\w.^~-]+$/, "")) ? rest : undefined;
}

/** What a program with these words does to files; nothing if it is not in the tables. */
export function claimsOf(given: readonly ShellWord[]): readonly Claim[] {
  // `python3 -m black folder`.
  const module = moduleWords(given);
  const words = module && Object.hasOwn(REWRITING, nameOf(module)) ? module : (launched(given) ?? given);
  const program = programOf(words);
  return program ? program.claims(readArguments(words, optionForms(rowName(words))), words) : claimsOfStarter(nameOf(words), words);
}
