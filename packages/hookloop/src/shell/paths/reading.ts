import { type Arguments, hasAny, valuesOf } from "../arguments.ts";
import type { ShellWord } from "../types.ts";
import { cutWord } from "../words.ts";
import { type Claim, each, type Program, RECURSIVE, type Touch } from "./claims.ts";

/** Programs that only read what they name; the number: how many operands come before the files. */
const READERS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    "cat tac head tail less more bat nl od xxd hexdump strings wc cut uniq paste fold column rev ls dir tree stat file du readlink realpath basename dirname test [ diff cmp comm md5sum sha1sum sha256sum sha512sum cksum shasum base64 zcat gzcat source . cd pushd which type echo printf shellcheck"
      .split(" ")
      .map((name) => [name, 0]),
  ),
  grep: 1,
  egrep: 1,
  fgrep: 1,
  rg: 1,
  ag: 1,
  jq: 1,
};

/** Programs that run a file: it is read, and what follows is for it. */
const RUNNERS = "node nodejs deno bun tsx ts-node python python2 python3 pypy ruby php lua sh bash zsh dash ksh fish".split(" ");

const SAYS_NOTHING_OF_FILES = new Set(["echo", "printf", "type", "which", "basename", "dirname"]);

/** The few readers that can write what they show to a file. */
const OUTPUT_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  less: ["o", "O", "log-file", "LOG-FILE"],
  tree: ["o"],
  base64: ["o", "output"],
  diff: ["output"],
};

/** Options whose value is a file that is read: of patterns, of a program. */
const FILE_OPTIONS: readonly string[] = ["f", "file", "exclude-from", "from-file"];

/** The files that it reads stand on its input. */
export const NAMES_ON_INPUT: RegExp =
  /--files0?-f\S*[= ](?:-|\/dev\/stdin)(?:\s|$)|\s-\w*T\s?(?:-|\/dev\/stdin)(?:\s|$)|\s-@(?:\s|$)|--(?:include|exclude)-from[= ]-(?:\s|$)/;

function reader(name: string, skip: number): Program {
  const files = skip === 0 || name === "jq" ? [] : FILE_OPTIONS;
  const outputs = Object.hasOwn(OUTPUT_OPTIONS, name) ? (OUTPUT_OPTIONS[name] ?? []) : [];
  return {
    onlyReads: true,
    runsInput: NAMES_ON_INPUT,
    claims: (read) => {
      if (SAYS_NOTHING_OF_FILES.has(name)) return [];
      if (hasAny(read, outputs)) return [...each(valuesOf(read, outputs), "write"), ...each(read.operands, "read")];
      const isFirstFile = hasAny(read, ["e", "regexp", ...FILE_OPTIONS]);
      const isSearch = name === "rg" || name === "ag";
      const isRecursive = hasAny(read, RECURSIVE) || isSearch;
      const named = each(read.operands.slice(isFirstFile ? 0 : skip), "read", { isRecursive });
      const isWhole = named.length === 0 && skip > 0 && isRecursive && name !== "jq";
      const here: readonly Claim[] = isWhole
        ? [{ word: undefined, how: "read", isRecursive, ...(isSearch && { unlessPiped: true as const }) }]
        : [];
      return [...each(valuesOf(read, files), "read"), ...named, ...here];
    },
  };
}

/** Options after which a runner's code stands in the command itself. */
export const INLINE_CODE: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(RUNNERS.map((name) => [name, ["-c"]])),
  node: ["-e", "--eval", "-p", "--print"],
  nodejs: ["-e", "--eval", "-p", "--print"],
  bun: ["-e", "--eval", "-p"],
  tsx: ["-e", "--eval"],
  deno: ["eval"],
  ruby: ["-e"],
  perl: ["-e", "-E"],
  lua: ["-e"],
  php: ["-r"],
  Rscript: ["-e"],
  osascript: ["-e"],
};

/** Modules of Python that only read the files they are given, or run them. */
const READING_MODULES: ReadonlySet<string> = new Set(
  "json.tool pytest unittest doctest http.server py_compile compileall mypy flake8 ruff pylint pyflakes pyright tokenize ast dis timeit pdb pip coverage bandit vulture yamllint".split(
    " ",
  ),
);

/** `python3 -m tarfile -e x.tar folder`: a program of its own, which may write what it is given. */
export function runsModule(words: readonly ShellWord[]): boolean {
  const module = moduleWords(words)?.[0]?.text;
  return module !== undefined && !READING_MODULES.has(module);
}

/** The module that Python runs, with its words. */
export function moduleWords(words: readonly ShellWord[]): readonly ShellWord[] | undefined {
  if (!/(?:^|\/)(?:python|pypy)[\d.]*$/.test(words[0]?.text ?? "")) return undefined;
  const at = words.findIndex(
    ({ text }, index) => index > 0 && (/^-[A-Za-z]*m/.test(text) || !text.startsWith("-") || /^-[A-Za-z]*c/.test(text)),
  );
  const option = words[at];
  const [letters, attached] = /^-[A-Za-z]*?m(.*)$/s.exec(option?.text ?? "") ?? [];
  if (!option || letters === undefined) return undefined;
  return attached ? [cutWord(option, letters.length - attached.length), ...words.slice(at + 1)] : words.slice(at + 1);
}

/** The file that runs, or all that a module is given; what follows the file is for it. */
function readBy(read: Arguments): readonly ShellWord[] {
  const [module] = valuesOf(read, ["m"]);
  return module && module.text !== "json.tool" ? read.operands : read.operands.slice(0, 1);
}

export const READING: Readonly<Record<string, Program>> = {
  ...Object.fromEntries(Object.entries(READERS).map(([name, skip]) => [name, reader(name, skip)])),
  ...Object.fromEntries(
    RUNNERS.map((name) => [name, { claims: (read, words) => (runsModule(words) ? [] : each(readBy(read), "read")) } satisfies Program]),
  ),
};

const REMOTE = /^[^/]*[^/]:|^\w+:\/\//;

/** Programs that put sources at a destination: the last operand, or the folder of `-t`. */
function placing(from: Touch, to: Touch, isAlwaysRecursive = false): Program {
  return {
    claims(read) {
      const isRecursive = isAlwaysRecursive || hasAny(read, [...RECURSIVE, "a", "archive"]);
      const links = to === "write" && from === "read" && hasAny(read, ["l", "link", "s", "symbolic-link"]);
      return placed(read, { from, to: links ? "create-link" : to, isRecursive });
    },
  };
}

interface Placing {
  readonly from: Touch;
  readonly to: Touch;
  readonly isRecursive: boolean;
}

function placed(read: Arguments, { from, to, isRecursive }: Placing): readonly Claim[] {
  const [folder] = valuesOf(read, ["t", "target-directory"]);
  const sources = folder || read.operands.length < 2 ? read.operands : read.operands.slice(0, -1);
  const destination = folder ?? (read.operands.length < 2 ? undefined : read.operands.at(-1));
  const isFolder = folder !== undefined || destination === undefined;
  return [
    ...each(sources, from, { isRecursive }),
    ...(hasAny(read, ["exchange"]) ? each(read.operands, "rename", { isRecursive }) : []),
    ...sources.map((source): Claim => ({ word: destination, how: to, isRecursive, source, ...(isFolder ? { isFolder } : {}) })),
  ];
}

const ignoresRemote = (words: readonly ShellWord[]): readonly ShellWord[] => words.filter(({ text }) => !REMOTE.test(text));

const RSYNC: Program = {
  runsInput: NAMES_ON_INPUT,
  readOptions: "e f exclude exclude-from files-from filter include include-from password-file rsh".split(" "),
  claims(read) {
    const from = hasAny(read, ["remove-source-files"]) ? "rename" : "read";
    const [destination] = ignoresRemote(read.operands.slice(-1));
    const sources = ignoresRemote(read.operands.slice(0, -1));
    if (!destination) return each(sources, from, { isRecursive: true });
    const deletes = read.options.some(({ name }) => name.startsWith("--del"));
    return [
      ...each(sources, from, { isRecursive: true }),
      ...read.operands.slice(0, -1).map((source): Claim => ({ word: destination, how: "write", isRecursive: true, source })),
      ...(deletes ? each([destination], "delete", { isRecursive: true }) : []),
    ];
  },
};

/** `git mv` reads like `mv`. */
export const MOVE: Program = placing("rename", "write", true);

const PLACE_FILES = placing("read", "write");
/** `-d`: its operands are folders to make; to `cp` it says something else. */
const INSTALL: Program = {
  ...PLACE_FILES,
  claims: (read, words) => (hasAny(read, ["d", "directory"]) ? each(read.operands, "create-folder") : PLACE_FILES.claims(read, words)),
};

export const COPYING: Readonly<Record<string, Program>> = {
  mv: MOVE,
  cp: placing("read", "write"),
  gcp: placing("read", "write"),
  install: INSTALL,
  ginstall: INSTALL,
  ln: placing("read", "create-link"),
  link: placing("read", "create-link"),
  rsync: RSYNC,
  scp: RSYNC,
};
