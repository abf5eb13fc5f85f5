import { type Arguments, formsIn, hasAny, readArguments, valuesOf } from "../arguments.ts";
import { splitGit, withoutDash } from "../programs/git.ts";
import { optionForms } from "../programs/program.ts";
import type { ShellCommand, ShellReading, ShellWord } from "../types.ts";
import { cutWord, remembered, wordIn, wordSet } from "../words.ts";
import { type Claim, each, INPUT, NO_WORD, type Program, plainWord, RECURSIVE } from "./claims.ts";
import { MOVE } from "./reading.ts";

/** A git command: the words from the subcommand on, and where it works. */
interface GitCall {
  readonly words: readonly ShellWord[];
  readonly inFolder: ShellWord | undefined;
  /** The work tree, if it is named: `--work-tree`, `-c core.worktree=…`. */
  readonly workTree?: ShellWord | undefined;
  /** The repository, if it is named. */
  readonly gitDir?: ShellWord | undefined;
  /** The values of `-c name=value`: files of settings, ignored names, templates. */
  readonly settings: readonly ShellWord[];
}

const NAMES_TREE = /^core\.worktree=/i;

/** Sees past the options before the subcommand. */
export function readGit(words: readonly ShellWord[]): GitCall {
  const { options, rest } = splitGit(words);
  const inFolder = valuesOf({ options }, ["C"]).reduce<ShellWord | undefined>(wordIn, undefined);
  const named = options.flatMap(({ name, value }) => {
    if (name === "--work-tree") return value ? [value] : [];
    const start = name === "-c" ? NAMES_TREE.exec(value?.text ?? "")?.[0].length : undefined;
    return value && start !== undefined ? [cutWord(value, start)] : [];
  });
  const workTree = named.at(-1);
  const gitDir = valuesOf({ options }, ["git-dir"]).at(-1);
  return {
    words: rest,
    inFolder,
    ...(workTree && { workTree: wordIn(inFolder, workTree) }),
    ...(gitDir && { gitDir: wordIn(inFolder, gitDir) }),
    settings: valuesOf({ options }, ["c"]).flatMap((word) => {
      const start = word.text.indexOf("=") + 1;
      return start > 0 && start < word.text.length ? [cutWord(word, start)] : [];
    }),
  };
}

const TREE_VARIABLE = "GIT_WORK_TREE";

/** The words of a command, with the work tree and the repository that the environment names as the options that say the same. */
export function withWorkTree({ words: given, assignments }: ShellCommand, { commands }: ShellReading): readonly ShellWord[] {
  const words = withoutDash(given);
  const [name, ...rest] = words;
  if (!name || !isGit(words)) return given;
  const tree = assignments.find((one) => one.name === TREE_VARIABLE)?.value ?? exportedTree(commands);
  const gitDir = assignments.find((one) => one.name === "GIT_DIR")?.value;
  const options = [...(tree ? [plainWord("--work-tree", name), tree] : []), ...(gitDir ? [plainWord("--git-dir", name), gitDir] : [])];
  return options.length === 0 ? given : [name, ...options, ...rest];
}

/** `export NAME=value` is a word of a command, with the name in it. */
const exportedTree = remembered((commands: ShellReading["commands"]): ShellWord | undefined => {
  const start = `${TREE_VARIABLE}=`;
  const last = commands.findLast(({ words }) => words.slice(1).some(({ text }) => text.startsWith(start)));
  const word = last?.words.findLast(({ text }) => text.startsWith(start));
  return word && cutWord(word, start.length);
}, new WeakMap());

interface Subcommand {
  /** It shows what is in the files that it is given. Those without a row do. */
  readonly shows?: true;
  claims(read: Arguments, call: GitCall): readonly Claim[];
}

/** What is said to a `git am` that stopped: it has its patches. */
const GOES_ON: readonly string[] = ["abort", "continue", "skip", "quit", "resolved", "r", "show-current-patch"];

function patches(read: Arguments): readonly Claim[] {
  if (hasAny(read, ["stat", "check", "numstat", "cached"]) && !hasAny(read, ["apply"])) return [];
  if (hasAny(read, GOES_ON)) return [];
  const written: Claim = { word: undefined, how: "write", isRecursive: true };
  const files = read.operands.filter(({ text }) => !INPUT.test(text));
  const readsInput = files.length === 0 || files.length < read.operands.length;
  return [...(readsInput ? [written] : []), ...files.map((source) => ({ ...written, source, isFolder: false }))];
}

/** What is named, as a file, as one of another revision (`HEAD:file`), or by a pathspec: `:(top)file`, `:/file`, `'*.env'`. */
function reads({ operands }: Arguments): readonly Claim[] {
  return operands.flatMap((word) => {
    const [, spec] = /^(?:[^:]*:(?:\([^)]*\))?|:\([^)]*\))(.*)$/s.exec(word.text) ?? [];
    // `-L:function:file` has two of them, and `:/file` counts from the top of the work tree.
    const specs = spec === undefined ? [] : [spec, spec.slice(spec.lastIndexOf(":") + 1), spec.replace(/^\//, "")];
    return each([word, ...[...new Set(specs)].map((text) => plainWord(text, word))].map(asPattern), "read");
  });
}

/** Git fills in patterns that are quoted. */
function asPattern(word: ShellWord): ShellWord {
  const isPattern = /[*?[]/.test(word.text) && word.parts.every(({ kind }) => kind === "text");
  return isPattern ? { ...word, parts: [{ kind: "glob", text: word.text }] } : word;
}

/** Options of any subcommand whose value is a file that it reads; `-L1,5:file` has the lines before it. */
const READ_FORMS = formsIn("-FOXL: --file: --exclude-from: --contents: --add-file: --pathspec-from-file: --template: --blob: --orderfile:");
const READ_OPTIONS: readonly string[] = "F O X L file exclude-from contents add-file pathspec-from-file template blob orderfile".split(" ");
/** Letters that mean this to one of them only. */
const OWN_READ_OPTIONS: Readonly<Record<string, string>> = { commit: "t", config: "f", grep: "f" };

function readOptions(words: readonly ShellWord[]): readonly Claim[] {
  const name = words[0]?.text ?? "";
  const own = Object.hasOwn(OWN_READ_OPTIONS, name) ? (OWN_READ_OPTIONS[name] ?? "") : "";
  const forms = { ...READ_FORMS, valued: `${READ_FORMS.valued}${own}` };
  return reads({ options: [], afterDashes: [], operands: valuesOf(readArguments(words, forms), [...READ_OPTIONS, ...own]) });
}

/** `git init folder`: the repository that is made, and the folder around it. */
function madeRepository(read: Arguments, folder: ShellWord | undefined, { gitDir }: GitCall): readonly Claim[] {
  const start: ShellWord = folder ?? plainWord(".", read.options[0]?.word ?? NO_WORD);
  const own = wordIn(start, plainWord(hasAny(read, ["bare"]) ? "objects" : ".git", start));
  return [
    ...each([...(folder ? [folder] : []), ...(gitDir ? [] : [own])], "create-folder"),
    ...each(gitDir && [wordIn(gitDir, plainWord("objects", gitDir))], "create-folder", { inFolder: undefined }),
    ...each(valuesOf(read, ["separate-git-dir"]), "write", FILLED),
  ];
}

/** Subcommands that show or hand out what is in the files they are given. */
export const GIT_SHOWS: ReadonlySet<string> = wordSet("grep diff show log archive blame annotate whatchanged format-patch cat-file");

const FILLED = { isRecursive: true } as const;

function movedTree(verb: string, [from, to]: readonly ShellWord[]): readonly Claim[] {
  if (verb === "remove") return each(from && [from], "delete", FILLED);
  return verb === "move" ? [...each(from && [from], "rename", FILLED), ...each(to && [to], "write", FILLED)] : [];
}

const ALWAYS = (): boolean => true;

/** Subcommands that change or take away files all over the work tree, and when. */
const CHANGES_TREE: Readonly<Record<string, (read: Arguments) => boolean>> = {
  stash: ({ operands: [verb] }) => !/^(?:list|show|drop|clear|create|store)$/.test(verb?.text ?? ""),
  reset: (read) => hasAny(read, ["hard", "merge", "keep"]),
  "read-tree": (read) => hasAny(read, ["u", "reset"]),
  ...Object.fromEntries(
    "checkout switch restore clean rm merge pull rebase cherry-pick revert am apply bisect sparse-checkout filter-branch filter-repo checkout-index"
      .split(" ")
      .map((name) => [name, ALWAYS]),
  ),
};

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  checkout: { claims: ({ operands }) => each(operands, "write", { isRecursive: true }) },
  restore: {
    claims: (read) => {
      const isIndexOnly = hasAny(read, ["S", "staged"]) && !hasAny(read, ["W", "worktree"]);
      return isIndexOnly ? [] : each(read.operands, "write", { isRecursive: true });
    },
  },
  clean: {
    claims: (read) => {
      if (hasAny(read, ["n", "dry-run"]) || !hasAny(read, ["f", "force"])) return [];
      const taken = { isRecursive: true, spares: "tracked" as const };
      return read.operands.length > 0 ? each(read.operands, "delete", taken) : [{ word: undefined, how: "delete", ...taken }];
    },
  },
  stash: {
    claims: ({ options, operands: [verb, ...rest] }) => {
      const takesUntracked = options.some(({ name }) => /^(?:-u|-a|--al?l?|--inc[a-z-]*)$/.test(name));
      if (!takesUntracked || /^(?:list|show|drop|clear|create|store|pop|apply|branch)$/.test(verb?.text ?? "")) return [];
      const named = verb?.text === "push" ? rest : verb && verb.text !== "save" ? [verb, ...rest] : [];
      const taken = { how: "delete", isRecursive: true, onlyUntracked: true } as const;
      return named.length === 0 ? [{ word: undefined, ...taken }] : named.map((word) => ({ word, ...taken }));
    },
  },
  rm: {
    claims: (read) =>
      hasAny(read, ["cached", "n", "dry-run"]) ? [] : each(read.operands, "delete", { isRecursive: hasAny(read, RECURSIVE) }),
  },
  mv: { claims: (read) => MOVE.claims(read, []) },
  apply: {
    claims: (read) => [...patches(read), ...each(valuesOf(read, ["directory"]), "write", FILLED)],
  },
  am: { claims: patches },
  archive: {
    claims: (read) => [...each(valuesOf(read, ["o", "output"]), "write"), ...each(read.operands.slice(1), "read", { isRecursive: true })],
  },
  log: { shows: true, claims: () => [] },
  blame: { shows: true, claims: () => [] },
  diff: { shows: true, claims: (read) => each(valuesOf(read, ["output"]), "write") },
  grep: { shows: true, claims: (read) => each(read.operands, "read", { isRecursive: true }) },
  mergetool: { shows: true, claims: (read) => each(read.operands, "write", FILLED) },
  clone: {
    claims: (read) => [...each(read.operands.slice(1), "write", FILLED), ...each(valuesOf(read, ["separate-git-dir"]), "write", FILLED)],
  },
  init: { claims: (read, call) => madeRepository(read, read.operands[0], call) },
  submodule: {
    claims: ({ operands: [verb, , folder] }) => (verb?.text === "add" ? each(folder && [folder], "write", FILLED) : []),
  },
  worktree: {
    claims: ({ operands: [verb, ...rest] }) =>
      verb?.text === "add" ? each(rest.slice(0, 1), "write", FILLED) : verb ? movedTree(verb.text, rest) : [],
  },
  subtree: { claims: (read) => each(valuesOf(read, ["P", "prefix"]), "write", FILLED) },
  "checkout-index": { claims: (read) => [...each(valuesOf(read, ["prefix"]), "write", FILLED), ...each(read.operands, "write")] },
  "credential-store": { claims: (read) => each(valuesOf(read, ["file"]), "write") },
  daemon: { claims: (read) => each(valuesOf(read, ["pid-file", "log-destination"]), "write") },
  "merge-file": {
    claims: ({ operands: [file, ...others] }) => [...each(file && [file], "write"), ...each(others, "read")],
  },
  mailinfo: { claims: ({ operands }) => each(operands, "write") },
  config: {
    claims: (read) => each(valuesOf(read, ["f", "file"]), hasAny(read, ["get", "get-all", "get-regexp", "list", "l"]) ? "read" : "write"),
  },
  "pack-objects": {
    claims: ({ operands }) => [...each(operands.slice(0, 1), "write", { isPrefix: true }), ...each(operands.slice(0, 1), "write")],
  },
  bundle: { claims: ({ operands: [verb, file] }) => (verb?.text === "create" ? each(file && [file], "write") : []) },
};

/** Every subcommand that prints can print into a file: `--output` of diffs, `-o` of patches, archives and reports, the marks of an export. */
const OUTPUTS: readonly string[] = ["o", "output", "output-directory", "export-marks"];
const OUTPUT_FORMS = formsIn("-omcCFSGL: --output: --output-directory: --export-marks: --message: --author: --format:");

/** What git itself does to files of the working tree. */
export const GIT: Program = {
  onlyReads: true,
  // `cat-file --batch` shows what it is asked for.
  runsInput: /\sfast-import(?:\s|$)|\scat-file\s.*--batch/,
  claims(_, words) {
    const call = readGit(words);
    const { words: rest } = call;
    const inFolder = call.workTree ?? call.inFolder;
    const name = rest[0]?.text ?? "";
    const row = Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined;
    const read = readArguments(rest, row ? optionForms(`git ${name}`) : {});
    const shown = !row || row.shows || hasAny(read, ["p", "patch"]) ? reads(read) : [];
    return [
      ...each(valuesOf(readArguments(rest, OUTPUT_FORMS), OUTPUTS), "write", { inFolder, ...FILLED }),
      ...[...shown, ...readOptions(rest), ...each(call.settings, "read")].map((claim) => ({ inFolder, ...claim })),
      ...(row?.claims(read, call).map((claim) => ({ inFolder, ...claim, sparesGit: true as const })) ?? []),
    ];
  },
};

/** What git does to a whole work tree. `git init` makes one of a folder, and the next line empties it. */
export function treeClaims(words: readonly ShellWord[]): readonly (Claim & { readonly isNew: boolean })[] {
  if (!isGit(words)) return [];
  const { words: rest, workTree, inFolder = workTree } = readGit(words);
  const name = rest[0]?.text ?? "";
  const read = readArguments(rest, optionForms(`git ${name}`));
  if (name === "init") return [{ word: read.operands[0], how: "write", inFolder, isNew: true }];
  const changes = Object.hasOwn(CHANGES_TREE, name) ? CHANGES_TREE[name] : undefined;
  return changes?.(read) ? [{ word: undefined, how: "write", inFolder: workTree ?? inFolder, isNew: false }] : [];
}

function isGit(words: readonly ShellWord[]): boolean {
  return /(?:^|\/)git(?:$|-)/.test(words[0]?.text ?? "") && /(?:^|\/)git$/.test(withoutDash(words)[0]?.text ?? "");
}
