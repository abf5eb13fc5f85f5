// Takes the text of a script or command line; gives the files of data that it reads or looks for, by name where that is known, and the
// places where it is not. Refuses to guess: a name that only the running script knows is said to be one.

import path from "node:path";
import { type ShellCommand, type ShellReading, testedPaths, touchedPaths, UNKNOWN } from "../../shell/index.ts";
import { HOME, OWN, PROJECT } from "./code-reader.ts";
import { type Family, familyOf, isDataProgram, readShell } from "./programs.ts";
import { readCode } from "./read-python.ts";

export interface DataReads {
  /** Absolute, relative to the folder it runs in, or behind `PROJECT`, `OWN` or `HOME`. They count whether they are there or not. */
  readonly names: readonly string[];
  /** Operands of unknown programs: they count if they are files. */
  readonly maybe: readonly string[];
  /** Where it reads something that is not known, in words. */
  readonly unknown: readonly string[];
  /** The same of code that it loads. */
  readonly loads: readonly string[];
}

const NOTHING: DataReads = { names: [], maybe: [], unknown: [], loads: [] };
/** A script that reads more by name is not one whose rules stand in a few files. */
const MAX_DATA = 20;

export function readData(family: Family | undefined, text: string): DataReads {
  if (family === "shell") return readByShell(text);
  return family === "javascript" || family === "python" ? readByCode(family, text) : NOTHING;
}

function readByCode(language: "javascript" | "python", text: string): DataReads {
  const { names, tails, written, lines, unknown, loads } = readCode(language, text);
  const started = lines.map(readByShell);
  const changed = new Set(written.map((name) => path.basename(name)));
  const listed = started.flatMap((one) => one.unknown).filter((one) => one !== AT_RUN_TIME);
  return bounded({
    ...withoutChanged([...names, ...tails, ...started.flatMap((one) => one.names)], changed, [...unknown, ...listed]),
    maybe: started.flatMap((one) => one.maybe),
    loads,
  });
}

/** What it writes itself changes with every run: it cannot be pinned, and that is said. */
function withoutChanged(
  names: readonly string[],
  changed: ReadonlySet<string>,
  unknown: readonly string[],
): Pick<DataReads, "names" | "unknown"> {
  const own = names.filter((name) => changed.has(path.basename(name)));
  return {
    names: names.filter((name) => !changed.has(path.basename(name))),
    unknown: [...unknown, ...own.map((name) => `${path.basename(name)}, which it also writes`)],
  };
}

function bounded({ names, maybe, unknown, loads }: DataReads): DataReads {
  const all = [...new Set(names)];
  const tooMany = all.length > MAX_DATA ? ["more files than are followed"] : [];
  return {
    names: all.slice(0, MAX_DATA),
    maybe: [...new Set(maybe)].slice(0, 10 * MAX_DATA),
    unknown: [...new Set([...unknown, ...tooMany])],
    loads,
  };
}

const AT_RUN_TIME = "a name that is known only when it runs";

/** A folder that is not there: what is named from it is relative. */
const HERE = "/\u0000here";
const CONTEXT = { cwd: HERE, home: HOME };
/** What they name is no data: folders to go to, and the repository. */
const READ_NOTHING = /^(?:cd|pushd|popd|test|\[|git|jq|gojq)$/;

function readByShell(text: string): DataReads {
  const readable = withFolders(text);
  const reading = readShell(readable);
  const touched = touchedPaths(reading, CONTEXT).filter(({ command, how }) => {
    const program = programOf(reading.commands[command]);
    return how !== "read" || !READ_NOTHING.test(program);
  });
  const isSubstitution = (span: { readonly start: number }): boolean => /^[<>]\(/.test(readable.slice(span.start, span.start + 2));
  const read = touched.filter(({ how, span, isGlob }) => how === "read" && !isGlob && !isSubstitution(span));
  const asked = [...read, ...testedPaths(reading, CONTEXT)];
  const programs = reading.commands.map((command) => lookedFor(command));
  const names = [
    ...asked.flatMap(({ path: full, tail, isGlob, pattern }) => (isGlob ? nameOf(`${full}/${pattern}`) : nameOf(full ?? tail))),
    ...programs.flatMap((one) => one.names),
  ];
  const changed = new Set(touched.filter(({ how }) => how !== "read").flatMap(({ path: full, tail }) => path.basename(full ?? tail ?? "")));
  const isUnknown = asked.some(({ path: full }) => full === undefined) || programs.some((one) => one.isUnknown);
  const known = names.filter((name) => !name.includes(UNKNOWN));
  const listed = programs.flatMap((one) => one.listed);
  const unknown = [...(isUnknown || known.length < names.length ? [AT_RUN_TIME] : []), ...listed];
  return bounded({
    ...withoutChanged(known, changed, unknown),
    maybe: programs.flatMap((one) => one.maybe).filter((name) => !changed.has(path.basename(name))),
    loads: [],
  });
}

function programOf(command: ShellCommand | undefined): string {
  return path.basename(command?.words[0]?.text ?? "");
}

function nameOf(full: string | undefined): readonly string[] {
  if (full === undefined || /^\/dev\/|^\/proc\/self\/fd\//.test(full)) return [];
  return [full.startsWith(`${HERE}/`) ? full.slice(HERE.length + 1) : full];
}

interface LookedFor {
  readonly names: readonly string[];
  readonly maybe: readonly string[];
  readonly isUnknown: boolean;
  /** What it looks through, in words: a file that appears there is seen. */
  readonly listed: readonly string[];
}

/** They say what is in a folder, or in the work tree. */
const LISTS = /^(?:ls|dir|vdir|find|fd|fdfind|tree|du|gfind|gls|eza|exa|lsd|locate|compgen|rg|ag|ack)$/;
const OF_WORK_TREE = /^(?:check-ignore|check-attr|ls-files|ls-tree|status|diff|diff-files|diff-index|grep|clean|stash|add|rm|mv)$/;
/** Whether they succeed tells whether a file is there. */
const TELLS = /^(?:mv|rm|unlink|rmdir|cp|ln|chmod|chown|chgrp|mkdir|shred|install|truncate|rename|cd|pushd|mkfifo)$/;
const ALWAYS_SUCCEEDS: Readonly<Record<string, RegExp>> = { rm: /^-[a-zA-Z]*f|^--force$/, mkdir: /^-[a-zA-Z]*p|^--parents$/ };
const OF_THE_MACHINE = /^\/(?:dev|proc|sys|usr|bin|sbin|lib|lib64|etc|opt|nix|tmp|var)(?:\/|$)/;

function listedBy(program: string, operands: readonly string[]): readonly string[] {
  const plain = operands.filter((word) => !word.startsWith("-"));
  if (program === "git") {
    const sub = operands.find((word, at) => !word.startsWith("-") && !/^(?:-C|-c|--git-dir|--work-tree)$/.test(operands[at - 1] ?? ""));
    return OF_WORK_TREE.test(sub ?? "") ? [`git ${sub}, which depends on the files that are there`] : [];
  }
  if (!LISTS.test(program)) return [];
  // On its input, and with a file named, `rg` is a `grep`.
  if (/^(?:rg|ag|ack)$/.test(program) && !operands.includes("--files")) return [];
  const isOfMachine = plain.length > 0 && (program.endsWith("find") ? plain.slice(0, 1) : plain).every((word) => OF_THE_MACHINE.test(word));
  return isOfMachine ? [] : [`${program}, which looks through a folder`];
}

/** Files whose being there decides whether a command succeeds. */
function toldBy(program: string, operands: readonly string[]): readonly string[] {
  if (!TELLS.test(program) || operands.some((word) => ALWAYS_SUCCEEDS[program]?.test(word))) return [];
  const plain = operands.filter((word) => !/^[-+]/.test(word));
  const files = /^(?:chmod|chown|chgrp)$/.test(program) ? plain.slice(1) : plain;
  const isOfProject = (word: string): boolean =>
    word !== "" && !OF_THE_MACHINE.test(word) && ![".", "..", "-", PROJECT, OWN, HOME, `${PROJECT}/`, `${OWN}/`].includes(word);
  return files.filter(isOfProject);
}

/** What a command reads beside what the tables of programs say. */
function lookedFor({ words, folder = "" }: ShellCommand): LookedFor {
  const [name = "", ...operands] = words.map(({ text }) => text);
  const program = path.basename(name);
  const at = (word: string): string => (folder === "" || path.isAbsolute(word) ? word : path.join(folder, word));
  // `command -v ./tool && …`
  const asked = /^(?:command|type|which|hash)$/.test(program) ? operands.filter((word) => word.includes("/")) : [];
  const own = /^(?:jq|gojq)$/.test(program) ? filesOfJq(operands) : program === "git" ? filesOfGit(operands) : [];
  const isOther = !isDataProgram(program) && familyOf(program) === undefined;
  const values = isOther ? operands.flatMap(valuesIn).filter(isPath) : [];
  const told = toldBy(program, operands);
  const named = [...asked, ...own, ...told.filter((word) => !word.includes(UNKNOWN))];
  return {
    listed: [
      ...listedBy(program, operands),
      ...(told.some((word) => word.startsWith(PROJECT) && word.includes(UNKNOWN))
        ? [`${program} of a name that is known only when it runs`]
        : []),
    ],
    names: named.filter((word) => !word.includes(UNKNOWN)).map(at),
    maybe: folder.includes(UNKNOWN) ? [] : values.map(at),
    isUnknown: named.some((word) => word.includes(UNKNOWN)),
  };
}

/** `-K file`, `-Kfile`, `--config=file`, `@file`. */
function valuesIn(word: string): readonly string[] {
  const attached = /^-[^=]*=(.+)$/s.exec(word)?.[1];
  const glued = /^-[A-Za-z](.+)$/s.exec(word)?.[1];
  return [word, attached ?? "", glued ?? ""].map((one) => one.replace(/^@/, ""));
}

function isPath(word: string): boolean {
  return word !== "" && word.length < 256 && !word.startsWith("-") && !/[\s\n]|:\/\//.test(word) && !word.includes(UNKNOWN);
}

/** `git config -f file`: settings that only this file has. */
function filesOfGit(operands: readonly string[]): readonly string[] {
  if (!operands.includes("config")) return [];
  return operands.flatMap((word, at) => {
    const attached = /^(?:-f|--fi?l?e?=)(.+)$/s.exec(word)?.[1];
    return attached ?? (/^(?:-f|--fi?l?e?)$/.test(word) ? (operands[at + 1] ?? UNKNOWN) : []);
  });
}

/** The filter comes first, unless it is in a file; `--arg` and its like take a name and a value. */
function filesOfJq(operands: readonly string[]): readonly string[] {
  const files: string[] = [];
  let hasFilter = false;
  for (let at = 0; at < operands.length; at++) {
    const word = operands[at] ?? "";
    if (/^--(?:args|jsonargs)$/.test(word)) break;
    if (/^--(?:arg|argjson)$/.test(word)) at += 2;
    else if (/^--(?:slurpfile|rawfile|argfile)$/.test(word)) {
      files.push(operands[at + 2] ?? UNKNOWN);
      at += 2;
    } else if (/^(?:--from-file|-[a-zA-Z]*f)$/.test(word)) {
      hasFilter = true;
      files.push(operands[at + 1] ?? UNKNOWN);
      at += 1;
    } else if (/^(?:--indent|-L|--tab-size)$/.test(word)) at += 1;
    else if (!word.startsWith("-") && !hasFilter) hasFilter = true;
    else if (!word.startsWith("-")) files.push(word);
  }
  return files;
}

const OWN_FOLDER =
  /\$\(\s*dirname\s+(?:--\s+)?"?(?:\$0|\$\{0\}|\$\{BASH_SOURCE(?:\[0\])?\}|\$BASH_SOURCE|\$\((?:realpath|readlink -f)\s+"?(?:\$0|\$\{BASH_SOURCE(?:\[0\])?\})"?\))"?\s*\)|\$\{(?:0|BASH_SOURCE(?:\[0\])?)%\/\*\}/g;
const PROJECT_FOLDER =
  /\$(?:CLAUDE|HOOKLOOP)_PROJECT_DIR\b|\$\{(?:CLAUDE|HOOKLOOP)_PROJECT_DIR(?::?[-=?][^{}]*)?\}|\$\(git rev-parse --show-toplevel[^()]*\)|`git rev-parse --show-toplevel[^`]*`/g;
const CURRENT_FOLDER = /\$\{PWD\}|\$PWD\b|\$\(pwd\)|`pwd`/g;
/** `$(cd "$(dirname "$0")/.." && pwd)` */
const GONE_TO = new RegExp(
  String.raw`\$\(\s*(?:CDPATH=\s+)?cd\s+(?:-P\s+|--\s+)*"?((?:${OWN}|${PROJECT})[\w./-]*)"?\s*(?:&?>\s*\/dev\/null\s*(?:2>&1)?\s*)?(?:&&|;)\s*pwd(?:\s+-P)?\s*\)`,
  "g",
);

/** Puts names in the place of the folders that are known before the script runs. */
export function withFolders(text: string): string {
  // SECURITY: a script that sets such a name itself means another folder by it.
  const isSet = /(?:^|[\s;&|(])(?:export\s+)?(?:CLAUDE|HOOKLOOP)_PROJECT_DIR=/m.test(text);
  const placed = isSet ? text : text.replaceAll(PROJECT_FOLDER, PROJECT);
  return placed.replaceAll(CURRENT_FOLDER, ".").replaceAll(OWN_FOLDER, OWN).replaceAll(GONE_TO, "$1");
}

/** Whether a shell text reads files by a pattern, so that one that appears is read as well. */
export function readsByPattern(text: string): boolean {
  if (/\bfor\s+\w+\s+in\b[^;\n]*[*?[]/.test(text)) return true;
  // `files=(policy.d/*)`
  const unquoted = text.replace(/'[^']*'|"(?:[^"\\]|\\.)*"|\$\{[^{}]*\}|#[^\n]*/g, "");
  if (/\w\+?=\([^()]*[*?[]/.test(unquoted)) return true;
  return touchedPaths(readShell(withFolders(text)), CONTEXT).some(({ isGlob, how }) => isGlob && how === "read");
}

const GOES_OR_ENDS =
  /(?<![\w-])(?:cd|pushd)\s+(?:-[LPe]+\s+|--\s+)*(?:"[^"\n]*"|[^\s;&|"']+)\s*(?:&?[12]?>+\s*\S+\s*)*(?:&&|\|\|\s*(?:exit|return)\b)/g;

/** Whether each `cd` of a text is one behind which nothing runs if it fails. */
export function goesOrEnds(text: string, { commands }: ShellReading): boolean {
  const count = commands.filter(({ words, repeats }) => repeats === undefined && /^(?:cd|pushd|popd)$/.test(words[0]?.text ?? "")).length;
  return (text.match(GOES_OR_ENDS)?.length ?? 0) >= count;
}

/** Names that stand for commands which the text itself has. */
export function functionsIn(text: string): ReadonlySet<string> {
  const found = text.matchAll(/(?:^|[\s;&|({])(?:function[ \t]+([A-Za-z_][\w-]*)|([A-Za-z_][\w-]*)[ \t]*\([ \t]*\))/gm);
  return new Set([...found].map(([, named, called]) => named ?? called ?? ""));
}
