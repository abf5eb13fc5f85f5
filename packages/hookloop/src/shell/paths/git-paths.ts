import { type Arguments, formsIn, hasAny, readArguments, valuesOf } from "../arguments.ts";
import { splitGit } from "../programs/git.ts";
import { optionForms } from "../programs/option-table.ts";
import type { ShellCommand, ShellReading, ShellWord } from "../types.ts";
import { cutWord } from "../words.ts";
import { plainWord } from "./changing.ts";
import { type Claim, each, type Program, RECURSIVE } from "./claims.ts";
import { MOVE } from "./reading.ts";

/** A git command: the words from the subcommand on, and where it works. */
interface GitCall {
  readonly words: readonly ShellWord[];
  readonly inFolder: ShellWord | undefined;
  /** The work tree, if it is named: `--work-tree`, `-c core.worktree=…`. */
  readonly workTree?: ShellWord | undefined;
}

const NAMES_TREE = /^core\.worktree=/i;

/** Sees past the options before the subcommand. */
export function readGit(words: readonly ShellWord[]): GitCall {
  const { options, rest } = splitGit(words);
  const inFolder = valuesOf({ options }, ["C"]).reduce<ShellWord | undefined>(joined, undefined);
  const named = options.flatMap(({ name, value }) => {
    if (name === "--work-tree") return value ? [value] : [];
    const start = name === "-c" ? NAMES_TREE.exec(value?.text ?? "")?.[0].length : undefined;
    return value && start !== undefined ? [cutWord(value, start)] : [];
  });
  const workTree = named.at(-1);
  return { words: rest, inFolder, ...(workTree && { workTree: joined(inFolder, workTree) }) };
}

/** A path as seen from a folder. */
function joined(folder: ShellWord | undefined, word: ShellWord): ShellWord {
  if (!folder || /^[/~\uFFFF]/.test(word.text)) return word;
  const slash = { kind: "text", text: "/", isQuoted: true } as const;
  return { ...word, text: `${folder.text}/${word.text}`, parts: [...folder.parts, slash, ...word.parts] };
}

const TREE_VARIABLE = "GIT_WORK_TREE";

/** The words of a command, with the work tree that the environment names as the option that says the same. */
export function withWorkTree({ words, assignments }: ShellCommand, { commands }: ShellReading): readonly ShellWord[] {
  const [name, ...rest] = words;
  if (!name || !isGit(words)) return words;
  const start = `${TREE_VARIABLE}=`;
  const exported = commands.flatMap((command) => command.words.slice(1)).filter(({ text }) => text.startsWith(start));
  const found = assignments.find((one) => one.name === TREE_VARIABLE)?.value ?? exported.at(-1);
  // `export NAME=value` is a word of a command, with the name in it.
  const value = found?.text.startsWith(start) ? cutWord(found, start.length) : found;
  return value ? [name, plainWord("--work-tree", name), value, ...rest] : words;
}

interface Subcommand {
  claims(read: Arguments): readonly Claim[];
}

function patches(read: Arguments): readonly Claim[] {
  if (hasAny(read, ["stat", "check", "numstat", "cached"])) return [];
  const written: Claim = { word: undefined, how: "write", isRecursive: true };
  return read.operands.length === 0 ? [written] : read.operands.map((source) => ({ ...written, source, isFolder: false }));
}

/** What is named, as a file or as one of another revision: `HEAD:file`. */
function reads({ operands }: Arguments): readonly Claim[] {
  return operands.flatMap((word) => {
    const colon = word.text.indexOf(":");
    return each(colon === -1 ? [word] : [word, plainWord(word.text.slice(colon + 1), word)], "read");
  });
}

/** `git log -L1,5:file`. */
function linesOf(read: Arguments): readonly Claim[] {
  return valuesOf(read, ["L"]).flatMap((word) => each([plainWord(word.text.slice(word.text.lastIndexOf(":") + 1), word)], "read"));
}

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
  log: { claims: (read) => [...reads(read), ...linesOf(read)] },
  blame: { claims: (read) => [...reads(read), ...linesOf(read)] },
  diff: { claims: (read) => [...each(valuesOf(read, ["output"]), "write"), ...reads(read)] },
  clone: {
    claims: (read) => [...each(read.operands.slice(1), "write", FILLED), ...each(valuesOf(read, ["separate-git-dir"]), "write", FILLED)],
  },
  init: { claims: (read) => each(valuesOf(read, ["separate-git-dir"]), "write", FILLED) },
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
    const { words: rest, workTree, inFolder: folder } = readGit(words);
    const inFolder = workTree ?? folder;
    const name = rest[0]?.text ?? "";
    const row = Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined;
    const outputs = each(valuesOf(readArguments(rest, OUTPUT_FORMS), OUTPUTS), "write", { inFolder, ...FILLED });
    if (!row) return [...outputs, ...reads(readArguments(rest, {})).map((claim) => ({ ...claim, inFolder }))];
    return [
      ...outputs,
      ...row.claims(readArguments(rest, optionForms(`git ${name}`))).map((claim) => ({ inFolder, ...claim, sparesGit: true as const })),
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
  return /(?:^|\/)git$/.test(words[0]?.text ?? "");
}
