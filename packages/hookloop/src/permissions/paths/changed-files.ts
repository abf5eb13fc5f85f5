/**
 * Takes what a shell command would run. Gives the files that it changes by other means than the words of programs that are known: by code of
 * another language, by a patch, by an option that says where output goes. Rules are about everyday files, so that code which only reads one
 * and writes another must not count: a path is changed unless it is given to a call that is known to read.
 */

import {
  codeOnLine,
  codeTexts,
  type MentionedPath,
  mentionedPaths,
  programName,
  remembered,
  type ShellCommand,
  type ShellReading,
  type TouchedPath,
  wordSet,
} from "../../shell/index.ts";
import { fileKind } from "../../state-files.ts";
import {
  everywhere,
  foldersInCode,
  mayChange,
  namesIn,
  OPENS_TO_READ,
  openBracket,
  READS,
  writesSomething,
} from "../protect/code-changes.ts";
import { patchNames, readText } from "../protect/places.ts";
import { folderPath } from "./real-target.ts";

interface Where {
  readonly cwd: string;
  readonly home: string;
}

/** Whether code, or the option before it, may change what is named. A plain word of a program that is not known counts as read. */
export function changesMentioned(found: MentionedPath, { commands }: ShellReading): boolean {
  const name = programName(commands[found.command]?.words ?? []);
  if (found.variable !== undefined) return true;
  if (found.code === undefined) return found.where === "output" && found.option !== undefined && WRITTEN_OPTION.test(found.option);
  if (found.language === "shell" || (found.where === "text" && !WRITES_BY_TEXT.has(name))) return false;
  const code = withoutSeeming(found.code, name);
  if (found.token !== undefined && isDirectlyRead(code, found.token)) return false;
  return mayChange({ ...found, code });
}

/** Narrower than what protection goes by: `-L`, `--dir` and `--index` say more often where something is read. */
const WRITTEN_OPTION =
  /^--?(?:o|O|[\w-]*(?:out|save|dump|write|dest|export|record|result|report|junit|log-?file|prof-dir|coverage-?dir)[\w-]*)$/;
/** Programs whose little language writes files. */
const WRITES_BY_TEXT = wordSet(
  "sed gsed ed red ex vi vim nvim view sqlite3 duckdb psql mysql mariadb gnuplot gdb lldb m4 ftp sftp lftp tmux screen expect tclsh R octave maxima",
);
/** `>` sends output to a file in these languages only. */
const REDIRECTS = /^(?:[gmn]?awk|perl[\d.]*)$/;
/** The `replace` of texts has two arguments or an expression; that of files one, or it belongs to `os`. */
const TEXT_REPLACE = /(?<!\bos)\.replace(?:All)?\(\s*(?:\/|["'`][^"'`\n]{0,200}["'`]\s*,)/g;

const MOVES_FILES = /\b(?:import|from)\b[^\n;]{0,80}\b(?:os|pathlib|shutil)\b/;

let last: { readonly code: string; readonly program: string; readonly plain: string } | undefined;

/** The paths of one code are asked about one after the other. */
function withoutSeeming(code: string, program: string): string {
  if (last?.code !== code || last.program !== program) {
    const plain = MOVES_FILES.test(code) ? code : code.replace(TEXT_REPLACE, ".map(");
    last = { code, program, plain: REDIRECTS.test(program) ? plain : plain.replaceAll(">", " ") };
  }
  return last.plain;
}

const MAX_BEFORE = 600;
/** `import … from "file"`, `getline < "file"`, `sys.path.insert(0, "folder")`. */
const READ_BEFORE = /(?:\b(?:from|import)\s*|(?<![+])<\s*|\bpath\.(?:insert|append)\([^()]{0,40})["'`]?$/;

/** Whether every call that is given the path is one that reads, whatever else the code does. */
function isDirectlyRead(code: string, token: string): boolean {
  return everywhere(code, token, (before, after) => READ_BEFORE.test(before) || isReadingCall(before, after));
}

function isReadingCall(before: string, after: string): boolean {
  const at = openBracket(before);
  const call = at === -1 ? "" : (/[\w$.:]*$/.exec(before.slice(Math.max(0, at - MAX_NAME), at))?.[0] ?? "");
  const name = (/\w*$/.exec(call)?.[0] ?? "").toLowerCase();
  // `write.csv(…)` is no `csv(…)`; what is opened must be the first thing that is named, and only to be read.
  if (!READS.has(name) || /writ|append|save|dump|shelve|dbm/i.test(call)) return false;
  // `fileinput.input("file", inplace=True)`.
  if (/^[^;\n]{0,200}in_?place/i.test(after)) return false;
  return !/open/.test(name) || (/^\s*[rbfu]?["'`]$/.test(before.slice(at + 1)) && OPENS_TO_READ.test(after));
}

const MAX_NAME = 60;

export function foldersTakenByCode(reading: ShellReading, { cwd, home }: Where): readonly string[] {
  return codeTexts(reading, { cwd, home }).flatMap(({ code, folder = cwd }) =>
    foldersInCode(code, home).flatMap(({ path, isDirect }) => (isDirect ? [folderPath(path, { cwd: folder, home })] : [])),
  );
}

/** What makes a path of a name, and is itself given to something. */
const MAKES_PATH = /(?:\b(?:os\.)?path\.(?:join|resolve)|\bjoin|\b(?:Pure)?Path)\($/;

/** Calls that go through a folder: code that also writes may change each file that they give. */
const GOES_THROUGH =
  /\b(?:i?glob|rglob|walk|listdir|scandir|iterdir|readdir\w*|globSync|opendir|Path|entries|children)\s?\(\s?[rbfu]?["'`]([^"'`\n]{1,200})["'`]/g;

export function foldersFilledByCode(reading: ShellReading, { cwd, home }: Where): readonly string[] {
  return codeOnLine(reading, { cwd, home }).flatMap((found) => {
    if (!writesSomething(found)) return [];
    const { code, words, folder = cwd } = found;
    const gone = [...code.matchAll(GOES_THROUGH)].map(([, name = ""]) => name.replace(/\/?[^/]*[*?[{].*$/s, ""));
    const named = namesIn(code).filter((name) => !isDirectlyRead(code.replace(/\s+/g, " "), name) && !isReadAsPath(code, name));
    const names = [...named, ...gone, ...words.map(({ text }) => text)].filter((name) => /[\w]/.test(name) && !/[\s\uFFFF]/.test(name));
    return [...new Set(names)].flatMap((name) => {
      const path = folderPath(name, { cwd: folder, home });
      return !`${cwd}/`.startsWith(`${path}/`) && fileKind(path) === "folder" ? [path] : [];
    });
  });
}

/** `readFileSync(path.join("src", "a"))`. */
function isReadAsPath(code: string, name: string): boolean {
  const at = code.indexOf(name);
  const before = code.slice(Math.max(0, at - MAX_BEFORE), at).replace(/["'`]$/, "");
  if (at === -1 || code.includes(name, at + 1) || !MAKES_PATH.test(before)) return false;
  return isReadingCall(`${before.replace(MAKES_PATH, "")}"`, code.slice(at + name.length).replace(/^[^)]*\)/, ""));
}

/** A patch that a command applies to a folder, with what it names. */
interface Patch {
  readonly folder: string;
  readonly names: readonly string[];
  /** It can be read only when it is applied, so that it may name other files, too. */
  readonly isUnread: boolean;
}

/** The patches of a line, which a here-document, a file, or what comes through a pipe holds. */
export function patchesIn({ commands }: ShellReading, touched: readonly TouchedPath[]): readonly Patch[] {
  if (!commands.some(isPatch)) return [];
  // SECURITY: a line can apply the same file hundreds of times.
  const textOf = remembered((path: string) => readText(path));
  const reads = new Map<number, (string | undefined)[]>();
  const sources = new Map<number, string>();
  for (const { how, command, path, isGlob, from } of touched) {
    if (how === "read") reads.set(command, [...(reads.get(command) ?? []), isGlob ? undefined : path]);
    if (from !== undefined && !sources.has(command)) sources.set(command, from);
  }
  return touched.flatMap(({ how, isRecursive, path, from, fromPattern, command }) => {
    if (how !== "write" || !isRecursive || path === undefined || !isPatch(commands[command])) return [];
    // `git apply --directory=folder file`: the folder is named beside it.
    const source = fromPattern ? undefined : (from ?? sources.get(command));
    const files = source !== undefined ? [source] : fromPattern ? [undefined] : [];
    const input = files.length > 0 ? { files, texts: [] } : inputOf(command, commands, reads);
    const texts = [...input.texts, ...input.files.map((file) => (file === undefined ? undefined : textOf(file)))];
    return [{ folder: path, names: texts.flatMap((text) => patchNames(text ?? "")), isUnread: texts.includes(undefined) }];
  });
}

/** Programs that hand on what they read, or a part of it. */
const HANDS_ON = wordSet("cat tee head tail pv");

interface PatchInput {
  readonly files: readonly (string | undefined)[];
  readonly texts: readonly (string | undefined)[];
}

/** What a command reads on its input, through pipes; undefined stands for what is not known, or is changed on its way. */
function inputOf(index: number, commands: readonly ShellCommand[], reads: ReadonlyMap<number, PatchInput["files"]>): PatchInput {
  const files: (string | undefined)[] = [];
  const texts: (string | undefined)[] = [];
  // SECURITY: groups of commands multiply the ways through pipes, so each command is looked at once.
  const waiting = new Set([index]);
  for (const at of waiting) {
    const stdin = commands[at]?.stdin;
    const own = stdin?.kind === "text" ? [] : (reads.get(at) ?? []);
    if (stdin?.kind === "text") texts.push(stdin.text);
    files.push(...own);
    const isChanged = at !== index && !HANDS_ON.has(programName(commands[at]?.words ?? []));
    if (isChanged || (!stdin && own.length === 0)) texts.push(undefined);
    if (stdin?.kind === "pipe") for (const from of stdin.from) waiting.add(from);
  }
  return { files, texts };
}

/** The files that patches change. */
export function patchedFiles(reading: ShellReading, touched: readonly TouchedPath[]): readonly string[] {
  return patchesIn(reading, touched).flatMap(({ folder, names }) => names.map((name) => `${folder}/${name}`));
}

export function isPatch(command: ShellCommand | undefined): boolean {
  return command?.words.some(({ text }) => /(^|\/)(patch|apply|am)$/.test(text)) === true;
}

/** `git stash push file`: it becomes what it was. */
export function stashedFiles({ commands }: ShellReading, where: Where): readonly string[] {
  return commands.flatMap((command) => {
    const texts = command.words.map(({ text }) => text);
    const at = texts.indexOf("stash");
    const rest = texts.slice(at + 1);
    if (programName(command.words) !== "git" || at === -1 || !(rest[0] === "push" || rest.includes("--"))) return [];
    const named = rest.filter((text, index) => !text.startsWith("-") && !(index === 0 && text === "push") && !isMessage(rest[index - 1]));
    return named.map((text) => folderPath(text, { cwd: folderPath(command.folder, where), home: where.home }));
  });
}

function isMessage(option: string | undefined): boolean {
  return option !== undefined && /^(?:-\w*m|--message)$/.test(option);
}

/** What is named without our knowing what for. An address is no file, nor is a message, a branch or what sed replaces. */
export function mentionedFiles(reading: ShellReading, where: Where): readonly MentionedPath[] {
  return mentionedPaths(reading, where).filter((found) => {
    const command = reading.commands[found.command];
    return found.isAddress !== true && !(found.where === "word" && (isMessageOf(command, found.option) || isNoFile(command, found.option)));
  });
}

/** `git commit -m .env`, `gh issue comment -b .env`. */
function isMessageOf(command: ShellCommand | undefined, option: string | undefined): boolean {
  const name = programName(command?.words ?? []);
  // To git `-t` is a file with the beginning of one, and `-b` a branch.
  const letter = name === "git" ? /^(?:-[A-Za-z]*m|--message)$/ : /^(?:-[A-Za-z]*[mbt]|--message)$/;
  return option !== undefined && letter.test(option) && /^(?:git|gh|glab|hg|jj)$/.test(name);
}

/** Commands of git whose words are names of branches and the like. */
const NAMES_BRANCHES = wordSet("push fetch pull branch switch merge rebase tag remote");

function isNoFile(command: ShellCommand | undefined, option: string | undefined): boolean {
  const name = programName(command?.words ?? []);
  if (name === "git") return option === undefined && NAMES_BRANCHES.has(command?.words[1]?.text ?? "");
  return /^g?sed$/.test(name) && (option === undefined || /^(?:-[A-Za-z]*e|--expression)$/.test(option));
}

/** Whether what stands there is the value of an option that takes a message: git's own reading takes it for a file. */
export function isMessageWord(command: ShellCommand | undefined, start: number): boolean {
  const at = command?.words.findIndex(({ span }) => span.start === start) ?? -1;
  return at > 1 && isMessageOf(command, command?.words[at - 1]?.text);
}

/** `a=(x y); cat "${a[@]}"`: what stands in a list that the line makes. */
export function withLists(reading: ShellReading, line: string): ShellReading {
  const lists = new Map<string, string[]>();
  for (const [, name = "", values = ""] of line.matchAll(/(?<![\w$])(\w{1,40})\+?=\(([^()]{0,4000})\)/g)) {
    const words = (values.match(/"[^"]*"|'[^']*'|[^\s"']+/g) ?? []).map((word) =>
      word.replace(/^["']|["']$/g, "").replace(/^\[[^\]]*\]=/, ""),
    );
    lists.set(name, [...new Set([...(lists.get(name) ?? []), ...words])].slice(0, MAX_LISTED));
  }
  if (lists.size === 0) return reading;
  return {
    ...reading,
    commands: reading.commands.map((command) => ({ ...command, words: command.words.flatMap((word) => listed(word, lists)) })),
  };
}

const MAX_LISTED = 64;

function listed(word: ShellCommand["words"][number], lists: ReadonlyMap<string, readonly string[]>): ShellCommand["words"] {
  const [part, ...more] = word.parts;
  const values = part?.kind === "variable" && more.length === 0 ? lists.get(part.name) : undefined;
  if (!values) return [word];
  return values.map((text) => ({ text, source: text, span: word.span, parts: [{ kind: "text", text, isQuoted: true }] }));
}
