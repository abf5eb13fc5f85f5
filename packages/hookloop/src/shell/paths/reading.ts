import { type Arguments, hasAny, valuesOf } from "../arguments.ts";
import type { Part } from "../programs/program.ts";
import type { ShellWord } from "../types.ts";
import { cutWord, wordSet } from "../words.ts";
import { type Claim, each, type Program, RECURSIVE, type Touch } from "./claims.ts";

/** Options whose value is a file that is read: of patterns, of a program. */
const FILE_OPTIONS: readonly string[] = ["f", "file", "exclude-from", "from-file"];

/** The files that it reads stand on its input. */
export const NAMES_ON_INPUT: RegExp =
  /--files0?-f\S*[= ](?:-|\/dev\/stdin)(?:\s|$)|\s-\w*T\s?(?:-|\/dev\/stdin)(?:\s|$)|\s-@(?:\s|$)|--(?:include|exclude)-from[= ]-(?:\s|$)/;

const TOUCHES: Readonly<Record<string, Touch>> = {
  reads: "read",
  writes: "write",
  deletes: "delete",
  renames: "rename",
  makes: "create-folder",
  permissions: "permissions",
};

/** The parts of a row that say what a program does to files. */
export const FILE_PARTS: readonly string[] = [...Object.keys(TOUCHES), "files", "shows-names"];

type ClaimsOf = (read: Arguments, words: readonly ShellWord[]) => readonly Claim[];

/** What the row of a program says that it does to files; `kinds`: what takes more to tell. Nothing if it says nothing. */
export function programOfRow(parts: readonly Part[], kinds: Readonly<Record<string, Program>>): Program | undefined {
  const [first] = parts;
  if (!first) return undefined;
  const kindOf = ({ flags: [kind = ""] }: Part): Program | undefined => kinds[kind];
  const own = first.name === "files" ? kindOf(first) : {};
  const [claims = NOTHING, ...more] = parts.map((part): ClaimsOf | undefined =>
    part.name === "files" ? kindOf(part)?.claims : touching(part),
  );
  return {
    ...own,
    ...(first.flags.has("only") && { onlyReads: true as const }),
    ...((first.flags.has("only") || first.flags.has("names-on-input")) && { runsInput: NAMES_ON_INPUT }),
    claims: more.length === 0 ? claims : (read, words) => [claims, ...more].flatMap((one) => one?.(read, words) ?? []),
  };
}

const NOTHING: ClaimsOf = () => [];

/** What one part says about the operands, or about the values of options. */
function touching(part: Part): ClaimsOf {
  const { name, flags, values } = part;
  if (name === "shows-names") return NOTHING;
  const isWhole = flags.has("whole");
  const outputs = values.get("writes") ?? [];
  const [from, to] = ["from", "to"].map((word) => values.get(word)?.[0]);
  if (flags.has("only") && outputs.length === 0)
    return (read) => readBySearch(read, { skip: Number(from ?? 0), isWhole, isSearch: flags.has("searches") });
  const how = TOUCHES[name] ?? "read";
  const options = values.get("options");
  const more = {
    ...(flags.has("prefix") && { isPrefix: true as const }),
    ...(flags.has("spares-tracked") && { spares: "tracked" as const }),
    ...(flags.has("untracked") && { onlyUntracked: true as const }),
  };
  return (read) => {
    if (!holds(part, read)) return [];
    const isRecursive = isWhole || (!flags.has("flat") && !hasAny(read, outputs) && hasAny(read, RECURSIVE));
    const named = options ? valuesOf(read, options) : read.operands.slice(Number(from ?? 0), to === undefined ? undefined : Number(to));
    const touched = named.length === 0 && flags.has("here") ? [undefined] : named;
    return [...each(valuesOf(read, outputs), "write"), ...each(touched, how, { isRecursive, ...more })];
  };
}

/** Whether a part of a row is about words like these: by their options, and by the verb that is the first operand. */
export function holds({ values }: Part, read: Arguments): boolean {
  const [wanted, unless, but, verbs, otherVerbs] = ["if", "unless", "but", "verb", "not-verb"].map((word) => values.get(word));
  const verb = read.operands[0]?.text ?? "";
  if ((wanted && !hasAny(read, wanted)) || (verbs && !verbs.includes(verb)) || otherVerbs?.includes(verb)) return false;
  return !unless || !hasAny(read, unless) || (but !== undefined && hasAny(read, but));
}

/** The first operands are a pattern, unless an option gives it; a search without a file is one of the folder it runs in. */
function readBySearch(
  read: Arguments,
  { skip, isWhole, isSearch }: { readonly skip: number; readonly isWhole: boolean; readonly isSearch: boolean },
): readonly Claim[] {
  const isFirstFile = hasAny(read, ["e", "regexp", ...FILE_OPTIONS]);
  const isRecursive = hasAny(read, RECURSIVE) || isWhole;
  const named = each(read.operands.slice(isFirstFile ? 0 : skip), "read", { isRecursive });
  const here: readonly Claim[] =
    named.length === 0 && isSearch && isRecursive
      ? [{ word: undefined, how: "read", isRecursive, ...(isWhole && { unlessPiped: true as const }) }]
      : [];
  return [...each(valuesOf(read, isSearch ? FILE_OPTIONS : []), "read"), ...named, ...here];
}

/** Modules of Python that only read the files they are given, or run them. */
const READING_MODULES = wordSet(
  "json.tool pytest unittest doctest http.server py_compile compileall mypy flake8 ruff pylint pyflakes pyright tokenize ast dis timeit pdb pip coverage bandit vulture yamllint",
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

/** A program that runs a file. */
export const RUNS: Program = { claims: (read, words) => (runsModule(words) ? [] : each(readBy(read), "read")) };

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
const MOVE: Program = placing("rename", "write", true);

const PLACE_FILES = placing("read", "write");
/** `-d`: its operands are folders to make; to `cp` it says something else. */
const INSTALL: Program = {
  ...PLACE_FILES,
  claims: (read, words) => (hasAny(read, ["d", "directory"]) ? each(read.operands, "create-folder") : PLACE_FILES.claims(read, words)),
};

export const COPYING: Readonly<Record<string, Program>> = {
  moves: MOVE,
  copies: PLACE_FILES,
  installs: INSTALL,
  links: placing("read", "create-link"),
  syncs: RSYNC,
};
