import { type Arguments, formsIn, hasAny, readArguments, valuesOf } from "../arguments.ts";
import { splitGit, withoutDash } from "../programs/git.ts";
import { isKnownTo, optionForms, partsOf } from "../programs/program.ts";
import type { ShellCommand, ShellReading, ShellWord } from "../types.ts";
import { cutWord, remembered, wordIn } from "../words.ts";
import { type Claim, each, INPUT, NO_WORD, type Program, plainWord } from "./claims.ts";
import { holds } from "./reading.ts";

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
export function withWorkTree(
  { words: given, assignments }: ShellCommand,
  { commands }: Pick<ShellReading, "commands">,
): readonly ShellWord[] {
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

/** Options whose value is a file that a subcommand reads, of any and of its own; `-L1,5:file` has the lines before it. */
function readOptions(words: readonly ShellWord[]): readonly Claim[] {
  const forms = readForms(`git ${words[0]?.text ?? ""}`);
  const operands = valuesOf(readArguments(words, forms), [...(forms.valued ?? ""), ...(forms.longValued ?? [])]);
  return reads({ options: [], afterDashes: [], operands });
}

const readForms = remembered((name: string) => {
  const parts = [...partsOf("git", "reads-options"), ...partsOf(name, "reads-options")];
  return formsIn(parts.flatMap(({ options }) => options).join(" "));
});

const FILLED = { isRecursive: true } as const;

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

/** What subcommands do to files that takes more to tell, by the names that their rows have for it. */
export const GIT_KINDS: Readonly<Record<string, Program>> = {
  patches: { claims: patches },
  "makes-repository": { claims: (read, words) => madeRepository(read, read.operands[0], readGit(words)) },
};

/** Every subcommand that prints can print into a file: `--output` of diffs, `-o` of patches, archives and reports, the marks of an export. */
const OUTPUTS: readonly string[] = ["o", "output", "output-directory", "export-marks"];
const OUTPUT_FORMS = formsIn("-omcCFSGL: --output: --output-directory: --export-marks: --message: --author: --format:");

/** What git itself does to files of the working tree; `rowOf`: what the row of a subcommand says. */
export function gitProgram(rowOf: (name: string) => Program | undefined): Program {
  return {
    onlyReads: true,
    // `cat-file --batch` shows what it is asked for.
    runsInput: /\sfast-import(?:\s|$)|\scat-file\s.*--batch/,
    claims(_, words) {
      const call = readGit(words);
      const { words: rest } = call;
      const inFolder = call.workTree ?? call.inFolder;
      const name = `git ${rest[0]?.text ?? ""}`;
      const row = rowOf(name);
      const hasPathspecs = isKnownTo(name, "reads-pathspecs");
      const read = readArguments(rest, row || hasPathspecs ? optionForms(name) : {});
      const shown = !row || hasPathspecs || hasAny(read, ["p", "patch"]) ? reads(read) : [];
      return [
        ...each(valuesOf(readArguments(rest, OUTPUT_FORMS), OUTPUTS), "write", { inFolder, ...FILLED }),
        ...[...shown, ...readOptions(rest), ...each(call.settings, "read")].map((claim) => ({ inFolder, ...claim })),
        ...(row?.claims(read, words).map((claim) => ({ inFolder, ...claim, sparesGit: true as const })) ?? []),
      ];
    },
  };
}

/** What git does to a whole work tree. `git init` makes one of a folder, and the next line empties it. */
export function treeClaims(words: readonly ShellWord[]): readonly (Claim & { readonly isNew: boolean })[] {
  if (!isGit(words)) return [];
  const { words: rest, workTree, inFolder = workTree } = readGit(words);
  const name = rest[0]?.text ?? "";
  const read = readArguments(rest, optionForms(`git ${name}`));
  if (name === "init") return [{ word: read.operands[0], how: "write", inFolder, isNew: true }];
  const isChanged = partsOf(`git ${name}`, "tree").some((part) => holds(part, read));
  return isChanged ? [{ word: undefined, how: "write", inFolder: workTree ?? inFolder, isNew: false }] : [];
}

function isGit(words: readonly ShellWord[]): boolean {
  return /(?:^|\/)git(?:$|-)/.test(words[0]?.text ?? "") && /(?:^|\/)git$/.test(withoutDash(words)[0]?.text ?? "");
}
