// Takes the text of a script or command line; gives the files that it reads, looks for, writes or makes, by name.
// SECURITY: only what is known to be all there is goes unmentioned: a program that is not in the table of programs, an option, a pattern or a
// name that only the running script knows is said.

import path from "node:path";
import { type ShellCommand, type ShellReading, type ShellWord, touchedPaths, UNKNOWN } from "../../shell/index.ts";
import { CALLED, HOME, OWN, PLUGIN, PROJECT, TEMPORARY } from "./code-reader.ts";
import { FILE_TESTS, isLoose, operandOf, type Uses, usesOf } from "./program-uses.ts";
import { type Family, familyOf, PLAIN_VARIABLE, readShell } from "./programs.ts";
import { readJavascript } from "./read-javascript.ts";

/** Names are absolute, relative to the folder it runs in, or behind `PROJECT`, `OWN`, `HOME` or `PLUGIN`. */
export interface DataReads {
  /** They count whether they are there or not. */
  readonly names: readonly string[];
  readonly writes: readonly string[];
  /** Folders that it makes unless they are there. */
  readonly makes: readonly string[];
  /** Programs that it looks for. */
  readonly programs: readonly string[];
  /** Where more may be read, in words. */
  readonly unknown: readonly string[];
  /** The same of code that it loads. */
  readonly loads: readonly string[];
  /** It reads the file that the call names. */
  readonly isAboutCall: boolean;
}

const NOTHING: DataReads = { names: [], writes: [], makes: [], programs: [], unknown: [], loads: [], isAboutCall: false };
/** A script that reads more by name is not one whose rules stand in a few files. */
const MAX_DATA = 20;

export function readData(family: Family | undefined, text: string): DataReads {
  if (family === "shell") return bounded(new ShellData(text).read());
  return family === "javascript" ? readByCode(text) : NOTHING;
}

/** A program and its words, started without a shell. */
export function readDataOfWords(words: readonly string[]): DataReads {
  return readData("shell", words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" "));
}

function readByCode(text: string): DataReads {
  const { names, tails, written, made, lines, unknown, loads } = readJavascript(text);
  const started = lines.map((line) => new ShellData(line).read());
  return bounded({
    names: [...names, ...tails, ...started.flatMap((one) => one.names)],
    writes: [...written, ...started.flatMap((one) => one.writes)],
    makes: [...made, ...started.flatMap((one) => one.makes)],
    programs: started.flatMap((one) => one.programs),
    unknown: [...unknown, ...started.flatMap((one) => one.unknown)],
    loads,
    isAboutCall: false,
  });
}

/** Streams of the process itself, and devices that are the same everywhere. */
const DEVICE = /^\/dev\/(?:null|zero|full|tty|stdin|stdout|stderr|u?random|fd\/\d)$/;
/** Folders through which every file can be named, or in which anybody makes files. */
const ODD = /^\/(?:proc|sys|dev|run)(?:\/|$)/;

/** `a/../b`: where it leads depends on what `a` is, or whether it is there. Known folders are. */
const DETOUR = /(?:^|\/)(?!\.{1,2}\/|hookloop-\w+-folder\/)[^/]+\/\.\.(?:\/|$)/;

/** `$CLAUDE_PROJECT_DIR-x`: beside a folder that is known, not in it. */
const BESIDE = /(?!^)\/hookloop-\w+-folder|\/hookloop-\w+-folder(?!\/|$)/;

function bounded(found: DataReads): DataReads {
  const isOwn = (name: string): boolean =>
    DEVICE.test(name) || name === CALLED || (name.startsWith(TEMPORARY) && path.normalize(name).startsWith(TEMPORARY));
  const [names, writes, makes] = [found.names, found.writes, found.makes].map((all) => [...new Set(all)].filter((one) => !isOwn(one)));
  const [read = [], written = [], made = []] = [names, writes, makes];
  const isMarked = (name: string): boolean =>
    [CALLED, TEMPORARY, UNKNOWN].some((mark) => name.includes(mark)) ||
    ODD.test(path.normalize(name)) ||
    DETOUR.test(name) ||
    BESIDE.test(name);
  const changed = new Set(written.map((name) => path.basename(name)));
  const all = [...read, ...written, ...made];
  return {
    ...found,
    names: read.filter((name) => !changed.has(path.basename(name)) && !isMarked(name)).slice(0, MAX_DATA),
    writes: written.filter((name) => !isMarked(name)).slice(0, MAX_DATA),
    makes: made.filter((name) => !isMarked(name)).slice(0, MAX_DATA),
    programs: [...new Set(found.programs)],
    isAboutCall: found.names.includes(CALLED),
    unknown: [
      ...new Set([
        ...found.unknown,
        ...all
          .filter(isMarked)
          .map((name) => `${name.includes(CALLED) ? "a file beside the one that the call names" : `a file by the name ${name}`}`),
        // What it writes itself changes with every run.
        ...read.filter((name) => changed.has(path.basename(name))).map((name) => `${path.basename(name)}, which it also writes`),
        ...(all.length > MAX_DATA ? ["more files than are followed"] : []),
      ]),
    ],
  };
}

/** A folder that is not there: what is named from it is relative. */
const HERE = "/\u0000here";
const CONTEXT = { cwd: HERE, home: HOME };
/** A name that programs look up in folders of the machine. */
const PLAIN_VALUE = /^(?:"[\w.@+-]*(?:\/[\w+-]+)*"|'[\w.@+-]*(?:\/[\w+-]+)*'|[\w.@+-]*(?:\/[\w+-]+)*)(?=[\s;&|)]|$)/;
const ASSIGNED = new RegExp(`(?<![\\w$-])(${PLAIN_VARIABLE.source.replaceAll(/\^|\$/g, "")})\\+?=`, "g");
const SHELL_SETTINGS =
  /^(?:[-+][euxvfhBETab]*o?|--|-s|-u|-q|errexit|nounset|pipefail|xtrace|verbose|noglob|errtrace|functrace|posix|nullglob|extglob|dotglob|lastpipe|inherit_errexit|nocasematch|globstar)$/;

class ShellData {
  readonly #text: string;
  readonly #reading: ShellReading;
  readonly #names: string[] = [];
  readonly #writes: string[] = [];
  readonly #makes: string[] = [];
  readonly #programs: string[] = [];
  readonly #unknown = new Set<string>();

  constructor(text: string) {
    this.#text = withEventFiles(withFolders(text));
    this.#reading = readShell(this.#text);
  }

  read(): DataReads {
    const { commands, tests, lists, sets } = this.#reading;
    const isGone = goesOrEnds(this.#text, this.#reading);
    for (const command of commands) if (command.repeats === undefined || !isGone) this.#command(command);
    for (const { word, operator, folder } of tests) {
      this.#name(wordText(word), folder, this.#names);
      if (!FILE_TESTS.test(operator)) this.#unknown.add("a test that asks for more of a file than its bytes");
    }
    for (const word of lists) this.#loose(word);
    for (const { index, 0: found, 1: name } of this.#text.matchAll(ASSIGNED))
      if (!PLAIN_VALUE.test(this.#text.slice(index + found.length))) this.#unknown.add(`${name}, which may name a file`);
    for (const name of sets) if (PLAIN_VARIABLE.test(name)) this.#declared(name);
    return {
      ...NOTHING,
      names: this.#names,
      writes: this.#writes,
      makes: this.#makes,
      programs: this.#programs,
      unknown: [...this.#unknown],
    };
  }

  /** `read TZ`: set by other means than `TZ=value`, which is looked at. */
  #declared(name: string): void {
    if (!new RegExp(`(?<![\\w$-])${name}\\+?=`).test(this.#text)) this.#unknown.add(`${name}, which may name a file`);
  }

  /** Patterns, and values without quotes, become the names of files that are there. */
  #loose(word: ShellWord): void {
    if (isLoose(word) && !/^\s*set -[a-z]*f/m.test(this.#text))
      this.#unknown.add(`${word.source || "a word"}, which the shell may take for a pattern: write it in quotes`);
  }

  #name(name: string, folder: string | undefined, names: string[]): void {
    const placed = folder === undefined || path.isAbsolute(name) ? name : `${folder.replace(/\/$/, "")}/${name}`;
    if (placed.includes(UNKNOWN)) this.#unknown.add("a name that is known only when it runs");
    else if (placed !== "") names.push(placed);
  }

  #command(command: ShellCommand): void {
    const { words, redirects, folder } = command;
    for (const { operator, target } of redirects) {
      if (/^[<>]&$/.test(operator) && /^(?:\d+-?|-)$/.test(target.text)) continue;
      if (/^[<>]\(/.test(target.source)) continue;
      if (target.parts.some(({ kind }) => kind === "glob")) this.#loose(target);
      this.#name(wordText(target), folder, operator === "<" ? this.#names : this.#writes);
    }
    const [name, ...operands] = words;
    if (name === undefined) return;
    const isDeclaration = /^(?:export|declare|typeset|local|readonly)$/.test(name.text);
    for (const word of operands)
      if (!isDeclaration || !/^\w+=/.test(word.text) || word.parts.some(({ kind }) => kind === "glob")) this.#loose(word);
    this.#uses(path.basename(wordText(name)), command);
  }

  #uses(program: string, command: ShellCommand): void {
    const [name = "", ...operands] = command.words.map(wordText);
    // Whatever is started by its path, and scripts of interpreters, are followed as code.
    if (name.includes(UNKNOWN) || (name.includes("/") && !OF_THE_MACHINE.test(name))) return;
    if (familyOf(program) !== undefined && familyOf(program) !== "awk") return;
    if (/^(?:cd|pushd)$/.test(name)) return void this.#goes(operands, command);
    if (/^(?:command|type|which|hash)$/.test(program)) return void this.#looksFor(program, operands, command);
    if (/^(?:set|shopt)$/.test(name)) return void this.#settings(name, operands);
    if (name === "popd" || name === "[[") return;
    const uses = usesOf(
      program,
      command.words.slice(1).map((word) => operandOf(word, wordText(word))),
    );
    if (!uses) return void this.#readsWhatever(command);
    this.#note(uses, command);
  }

  #note({ reads, writes, makes, doubts }: Uses, { folder }: ShellCommand): void {
    for (const one of reads) this.#name(one, folder, this.#names);
    for (const one of writes) this.#name(one, folder, this.#writes);
    for (const one of makes) this.#name(one, folder, this.#makes);
    for (const one of doubts) this.#unknown.add(one);
  }

  /** Whether it can be gone to tells whether it is there. */
  #goes(operands: readonly string[], { folder }: ShellCommand): void {
    for (const word of operands.filter((one) => !/^(?:-[LPe@]*|--)$/.test(one))) this.#name(word, folder, this.#names);
  }

  #looksFor(program: string, operands: readonly string[], { folder }: ShellCommand): void {
    if (program === "command" && !/^-[vV]/.test(operands[0] ?? "")) return;
    for (const word of operands.filter((one) => !one.startsWith("-"))) {
      if (word.includes("/") || word.includes(UNKNOWN)) this.#name(word, folder, this.#names);
      else this.#programs.push(word);
    }
  }

  #settings(name: string, operands: readonly string[]): void {
    const own = name === "set" && /^(?:--|[^-+])/.test(operands[0] ?? "-") ? [] : operands;
    const end = own.indexOf("--");
    for (const word of end === -1 ? own : own.slice(0, end))
      if (!SHELL_SETTINGS.test(word)) this.#unknown.add(`${name} ${word}, which may make a redirection ask whether a file is there`);
  }

  /** A program that is not in the table, which the prover says: what is known of it is kept, so that a change is seen. */
  #readsWhatever(command: ShellCommand): void {
    const known = touchedPaths({ ...this.#reading, commands: [command] }, CONTEXT);
    for (const { path: full, how, isGlob } of known)
      if (how === "read" && !isGlob && full !== undefined)
        this.#names.push(full.startsWith(`${HERE}/`) ? full.slice(HERE.length + 1) : full);
  }
}

/** What belongs to the machine, and changes with it. */
export const OF_THE_MACHINE: RegExp = /^\/(?:bin|sbin|lib|lib64|usr|etc|opt|nix\/store)\//;

const MARKS = /\/hookloop-(?:project|own|home|plugin)-folder|\/hookloop-(?:called|temporary)-file/;
const QUOTED_MARK = new RegExp(`'[^']*(?:${MARKS.source})|\\\\(?:${MARKS.source})`);

/** The text of a word; `UNKNOWN` where only the running shell knows. */
export function wordText({ text, source, parts }: ShellWord): string {
  // In single quotes, or behind a backslash, nothing is put in.
  if (QUOTED_MARK.test(source)) return UNKNOWN;
  if (parts[0]?.kind === "home") return /^~(?:\/|$)/.test(text) ? `${HOME}${text.slice(1)}` : UNKNOWN;
  return text;
}

/** Without a value for none, `jq` prints `null`, which is the name of a file as well. */
const ASKS_CALL = String.raw`(?:(?:cat|echo\s+"?\$\{?\w+\}?"?|printf\s+["']?%s(?:\\n)?["']?\s+"\$\{?\w+\}?")\s*\|\s*)?jq\s+-(?:r|er|re)\s+(['"])\.tool_input\.(?:file_path|path|notebook_path)\s*//\s*(?:empty|"")\1(?:\s*<<<\s*"\$\{?\w+\}?")?`;
const CALL_VALUE = new RegExp(String.raw`(?<=^|[\s;&|({])(\w+)="?\$\(\s*${ASKS_CALL.replace("\\1", "\\2")}\s*\)"?(?=[\s;&|)]|$)`, "gm");
const CALL_WORD = new RegExp(String.raw`"\$\(\s*${ASKS_CALL}\s*\)"(?=[\s;&|)]|$)`, "gm");
const TEMPORARY_VALUE = /(?<=^|[\s;&|({])(\w+)="?\$\(mktemp(?:\s+-[dqut]+|\s+[\w/.-]*X{3,}[\w.]*)*\)"?(?=[\s;&|)]|$)/gm;

/** SECURITY: the event is what stands on the input of the hook, read by `jq`, by `cat`, or from a variable that `cat` has filled. */
function asksEvent(text: string): boolean {
  const { commands } = readShell(text);
  const isInput = ({ stdin, redirects }: ShellCommand): boolean =>
    stdin === undefined && !redirects.some(({ operator }) => operator.startsWith("<"));
  return commands.every((command) => {
    const [name, first] = command.words;
    if (name?.text === "exec" || (name?.text === "cat" && first === undefined)) return isInput(command);
    if (name?.text !== "jq") return true;
    const [from] = command.stdin?.kind === "pipe" ? command.stdin.from : [];
    const isCat = from !== undefined && commands[from]?.words.length === 1 && commands[from]?.words[0]?.text === "cat";
    return isInput(command) || isCat || (command.stdin?.kind === "text" && command.stdin.text === `${UNKNOWN}\n` && isFilledByCat(text));
  });
}

/** Each variable that is printed for `jq` holds what `cat` has read. */
function isFilledByCat(text: string): boolean {
  const printed = [...text.matchAll(/(?:\b(?:echo|printf\s+\S+)\s+|<<<\s*)"?\$\{?(\w+)\}?"?(?=\s*(?:\||\)|;|$))/gm)].map(
    ([, name = ""]) => name,
  );
  return printed.every(
    (name) => countSets(text, name) === 1 && new RegExp(`(?<![\\w$])${name}="?\\$\\(cat\\)"?(?=[\\s;&|)]|$)`, "m").test(text),
  );
}

function countSets(text: string, name: string): number {
  const sets = `(?<![\\w$])${name}(?:(?:[-+*/%&|^:]|<<|>>)?=|\\[|\\+\\+|--|\\}[<>])|(?:\\+\\+|--)${name}\\b|\\b(?:read|for|mapfile|readarray|getopts|select|printf\\s+-v|unset)\\b[^;\\n]*\\b${name}\\b`;
  return [...text.replaceAll("\\\n", " ").matchAll(new RegExp(sets, "g"))].length;
}

/** Puts names in the place of variables that hold the file of the call, or one that the text makes for the time being, and nothing else. */
function withEventFiles(text: string): string {
  // A library may set whatever it likes.
  if (readShell(text).commands.some(({ words }) => /^(?:\.|source)$/.test(words[0]?.text ?? ""))) return text;
  const isEvent = text.includes("tool_input") && asksEvent(text);
  let put = isEvent ? text.replaceAll(CALL_WORD, `"${CALLED}"`) : text;
  for (const [pattern, mark] of [...(isEvent ? [[CALL_VALUE, CALLED] as const] : []), [TEMPORARY_VALUE, TEMPORARY] as const])
    for (const [, name = ""] of text.matchAll(pattern))
      if (countSets(text, name) === 1) put = put.replaceAll(new RegExp(`"\\$(?:${name}|\\{${name}\\})"`, "g"), `"${mark}"`);
  return put;
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
  return placed
    .replaceAll(/(?<![\\$])\$(?:HOME\b|\{HOME\})/g, HOME)
    .replaceAll(/(?<![\\$])\$(?:CLAUDE_PLUGIN_ROOT\b|\{CLAUDE_PLUGIN_ROOT\})/g, PLUGIN)
    .replaceAll(CURRENT_FOLDER, ".")
    .replaceAll(OWN_FOLDER, OWN)
    .replaceAll(GONE_TO, "$1");
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
  const found = text
    .replaceAll("\\\n", "")
    .matchAll(/(?:^|[\s;&|(){}])(?:function[ \t]+([A-Za-z_][\w-]*)|([A-Za-z_][\w-]*)[ \t]*\([ \t]*\))/gm);
  return new Set([...found].map(([, named, called]) => named ?? called ?? ""));
}
