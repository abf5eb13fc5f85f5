// Takes a program of the machine and its words; gives the files that it reads, looks for, writes or makes.
// SECURITY: a closed table. What is not in it, a program, an option or a word that only the running shell knows, is said, never guessed.

import { type ShellWord, UNKNOWN } from "../../shell/index.ts";
import { CALLED, TEMPORARY } from "./code-reader.ts";

/** What a command does with files. */
export interface Uses {
  /** Read, or looked for. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Folders that are made unless they are there. */
  readonly makes: readonly string[];
  /** Why that may not be all, in words. */
  readonly doubts: readonly string[];
  /** Words that may be options which make it run something, in words. */
  readonly code?: string | undefined;
}

/** A word behind a program, with its folders put in. */
export interface Operand {
  readonly text: string;
  /** It may become no word, or several. */
  readonly isMany: boolean;
}

/**
 * Options and, behind the bar, what the other words are. `-ab`: flags. `-m:`: takes a text. `-f<`: takes a file that is read. `-o>`: one that is
 * written. `-I?`: what is attached is its text. `!`: stands in the place of the first word. `::`: two texts. `:<`: a text and a file.
 * `*`: all that follows is text. `-#`: a number. `+f`: must be given. `~`: changes the files that it reads. A lone `*`: no option matters.
 */
const OPTIONS: Readonly<Record<string, string>> = {
  "cat tac": "-AbeEnstTuv --number --show-all --show-ends --show-tabs --squeeze-blank | files",
  "head tail ghead gtail": "-# -qvz -n: -c: --lines: --bytes: --quiet --silent --verbose --zero-terminated | files",
  "wc gwc": "-clmLw --lines --words --bytes --chars --max-line-length | files",
  sort: "-bdfghiMnrRVuzscCm -k: -t: -S: -o> --reverse --unique --numeric-sort --key: --field-separator: --ignore-case --stable --version-sort --check | files",
  uniq: "-cdDiuz -f: -s: -w: --count --repeated --unique --ignore-case | file",
  "cut gcut":
    "-nsz -b: -c: -d: -f: --bytes: --characters: --delimiter: --fields: --complement --only-delimited --output-delimiter: | files",
  "tr gtr": "-cCdst --complement --delete --squeeze-repeats --truncate-set1 | texts",
  "grep egrep fgrep":
    "-# -EFGPivwxyclqosnhHbzaLTU -m: -A: -B: -C: -e! -f!< --quiet --silent --ignore-case --extended-regexp --fixed-strings --perl-regexp --basic-regexp --invert-match --count --only-matching --line-regexp --word-regexp --text --null-data --no-messages --line-number --with-filename --no-filename --files-with-matches --files-without-match --line-buffered --color? --colour? --max-count: --after-context: --before-context: --context: --regexp! --file!< | first files",
  rev: "| files",
  fold: "-bs -w: --width: --spaces | files",
  paste: "-sz -d: --serial --delimiters: | files",
  comm: "-123z --nocheck-order | files",
  cmp: "-bls -n: -i: --silent --quiet | files",
  "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum cksum": "-btz --binary --text --tag --zero | files",
  "base64 base32": "-di -w: --decode --ignore-garbage --wrap: | files",
  xxd: "-pri -l: -c: | file",
  od: "-vc -A: -t: -N: -j: | files",
  "jq gojq":
    "-rcneSsaCMjR --arg:: --argjson:: --slurpfile:< --rawfile:< --args* --jsonargs* --indent: --tab --raw-output --raw-output0 --join-output --compact-output --null-input --exit-status --sort-keys --slurp --raw-input --ascii-output --color-output --monochrome-output --stream --seq --unbuffered | script files",
  "sed gsed":
    "-nrEszu -i~ -e! --expression! --quiet --silent --regexp-extended --separate --null-data --unbuffered --posix --sandbox | script files",
  "awk gawk mawk nawk": "-F: -v: | script files",
  "tee gtee": "-aip --append --ignore-interrupts | written",
  touch: "-cam -d: -t: --no-create | written",
  mkdir: "+p -pv -m: --parents --mode: --verbose | made",
  rm: "+f -frRv --force --recursive | written",
  mktemp: "-dqut --directory --quiet --dry-run --tmpdir | temporary",
  date: "-uR -I? -d: --utc --universal --date: --iso-8601? --rfc-3339: --rfc-email | texts",
  curl: "-sSfkLgi46 -X: -H: -d: -m: -w: -A: -u: -o> --silent --show-error --fail --insecure --location --request: --header: --data: --data-raw: --data-binary: --json: --max-time: --connect-timeout: --retry: --write-out: --user-agent: --output> | texts",
  hostname: "-sfiId | texts",
  logger: "-is -t: -p: --tag: --priority: | texts",
  "notify-send": "-u: -t: -a: -i: -c: --urgency: --expire-time: --app-name: --icon: | texts",
  timeout: "-v -k: -s: --foreground --preserve-status --kill-after: --signal: | started",
  gtimeout: "-v -k: -s: --foreground --preserve-status --kill-after: --signal: | started",
  nice: "-# -n: --adjustment: | started",
  stdbuf: "-i: -o: -e: --input: --output: --error: | started",
  ionice: "-t -c: -n: | started",
  xargs: "-0rtx -n: -I: -L: -P: -d: -s: --null --no-run-if-empty --max-args: --max-procs: --max-lines: --delimiter: --verbose | started",
  "nohup time env setsid": "-pw --wait | started",
  "echo printf true false : pwd basename dirname expr seq sleep yes printenv whoami id groups uname nproc arch tty kill uuidgen":
    "* | texts",
  hookloop: "* | texts",
  "exit return break continue shift local declare typeset readonly export unset wait times umask ulimit getopts read mapfile readarray let trap builtin exec jobs dirs eval . source":
    "* | texts",
};

interface Spec {
  readonly options: ReadonlyMap<string, string>;
  readonly required?: string | undefined;
  readonly operands: string;
  /** Whatever begins with a dash is text. */
  readonly isFree: boolean;
}

const SPECS: ReadonlyMap<string, Spec> = new Map(
  Object.entries(OPTIONS).flatMap(([names, text]) => names.split(" ").map((name) => [name, specOf(text)] as const)),
);

function specOf(text: string): Spec {
  const [before = "", operands = ""] = text.split("|").map((part) => part.trim());
  const options = new Map<string, string>();
  const tokens = before.split(" ").filter(Boolean);
  for (const token of tokens) {
    const [, name = "", kind = ""] = /^(--?[\w#-]+)(.*)$/.exec(token) ?? [];
    if (name.startsWith("--")) options.set(name, kind);
    else for (const letter of name.slice(1)) options.set(`-${letter}`, kind);
  }
  return { options, required: tokens.find((token) => /^\+/.test(token))?.replace("+", "-"), operands, isFree: tokens.includes("*") };
}

/** They take code, or what starts programs, from their words: a word that is not known is one about code. */
const TAKES_CODE = /^(?:g?sed|[gmn]?awk|jq|gojq|sort|env)$/;
/** A word that may be an option may make them write or read what they should not. */
const MAY_NOT_BE_OPTION = /^(?:curl|date)$/;

/** Only the running shell knows how it begins, so it may be an option. */
const mayBeOption = (word: string): boolean => word.startsWith(UNKNOWN);
const isOpen = (word: string): boolean => word.includes(UNKNOWN);

/** Nothing for a program that is not known. */
export function usesOf(program: string, operands: readonly Operand[]): Uses | undefined {
  if (program === "test" || program === "[") return usesOfTest(program === "[" ? operands.slice(0, -1) : operands);
  if (program === "git") return usesOfGit(operands.map(({ text }) => text));
  const spec = SPECS.get(program);
  return spec && new Reading(program, spec).read(operands);
}

class Reading {
  readonly #program: string;
  readonly #spec: Spec;
  readonly #reads: string[] = [];
  readonly #writes: string[] = [];
  readonly #makes: string[] = [];
  readonly #doubts: string[] = [];
  #code: string | undefined;
  /** The place of the first word is taken by an option. */
  #hasFirst = false;
  #isGiven = false;
  /** Behind the first word stand texts, no files. */
  #isRestText = false;

  constructor(program: string, spec: Spec) {
    this.#program = program;
    this.#spec = spec;
  }

  read(words: readonly Operand[]): Uses {
    const plain: Operand[] = [];
    for (let at = 0; at < words.length; at++) {
      const word = words[at] ?? NO_WORD;
      if (word.text === "--") {
        plain.push(...words.slice(at + 1));
        break;
      }
      if (/^-./s.test(word.text) && !this.#spec.isFree) at = this.#option(words, at);
      else if (this.#spec.operands === "started") break;
      else {
        if (mayBeOption(word.text) && !this.#spec.isFree) this.#noteOption();
        plain.push(word);
      }
    }
    if (this.#spec.required !== undefined && !this.#isGiven)
      this.#doubts.push(`${this.#program} without ${this.#spec.required} tells by its exit code whether something is there`);
    this.#plain(plain);
    const code = this.#code ?? (TAKES_CODE.test(this.#program) ? this.#doubts.find((one) => !ABOUT_DATA.test(one)) : undefined);
    return { reads: this.#reads, writes: this.#writes, makes: this.#makes, doubts: this.#doubts, ...(code !== undefined && { code }) };
  }

  #noteOption(): void {
    const doubt = `${this.#program} is given a word that is known only when it runs, and may be an option: write -- before it`;
    this.#doubts.push(doubt);
    if (MAY_NOT_BE_OPTION.test(this.#program)) this.#code = doubt;
  }

  /** Reads an option with its values; gives the place of its last word. */
  #option(words: readonly Operand[], start: number): number {
    const { text } = words[start] ?? NO_WORD;
    const [, long, attached] = /^(--[\w-]+)(?:=(.*))?$/s.exec(text) ?? [];
    if (long !== undefined) return this.#value(words, start, { name: long, attached });
    if (/^-\d+$/.test(text) && this.#spec.options.has("-#")) return start;
    for (let at = 1; at < text.length; at++) {
      const name = `-${text[at]}`;
      const kind = this.#spec.options.get(name);
      if (kind !== "") return this.#value(words, start, { name, attached: text.slice(at + 1) || undefined });
      this.#isGiven ||= name === this.#spec.required;
    }
    return start;
  }

  #value(
    words: readonly Operand[],
    start: number,
    { name, attached }: { readonly name: string; readonly attached: string | undefined },
  ): number {
    const kind = this.#spec.options.get(name);
    if (kind === undefined || (kind === "" && attached !== undefined)) {
      this.#doubts.push(`${this.#program} is given ${name}, of which it is not known what it reads`.replaceAll(UNKNOWN, "…"));
      return start;
    }
    if (kind === "" || kind === "?") return start;
    if (kind === "~") return this.#doubts.push(`${this.#program} ${name} changes the files that it reads`) && start;
    if (kind === "*") {
      this.#isRestText = true;
      return start;
    }
    const count = kind.startsWith(":") && kind.length > 1 ? 2 : 1;
    const values = attached === undefined ? words.slice(start + 1, start + 1 + count) : [{ text: attached, isMany: false }];
    const [last = NO_WORD] = values.slice(-1);
    if (kind.includes("!")) this.#hasFirst = true;
    if (kind.endsWith("<")) this.#file(last, this.#reads);
    else if (kind.endsWith(">")) this.#file(last, this.#writes);
    else if (kind.endsWith("!") && this.#spec.operands.startsWith("script")) this.#script(last);
    for (const value of values) this.#text(value);
    return start + (attached === undefined ? count : 0);
  }

  #text({ text, isMany }: Operand): void {
    if (isMany && !this.#spec.isFree)
      this.#doubts.push(`${this.#program} is given words of which it is known only when it runs how many they are`);
    const isFile = NAMES_FILE[this.#program]?.test(text);
    if (isFile) this.#doubts.push(`${this.#program} may be told by its words to read a file`);
  }

  #file({ text, isMany }: Operand, files: string[]): void {
    if (text === "-" || text === "") return;
    // A pipe of the shell's own.
    if (/^[<>]\(/.test(text)) return;
    if (isMany || isOpen(text)) this.#doubts.push(`${this.#program} ${AT_RUN_TIME}`);
    else files.push(text);
  }

  #script({ text }: Operand): void {
    const doubt = isOpen(text) ? `what the script of ${this.#program} does is known only when it runs` : SCRIPTS[this.#program]?.(text);
    if (doubt !== undefined) this.#doubts.push(doubt);
  }

  #plain(words: readonly Operand[]): void {
    const { operands } = this.#spec;
    const [first = NO_WORD, ...others] = words;
    const isFirst = /^(?:first|script)/.test(operands) && !this.#hasFirst;
    if (isFirst) this.#text(first);
    if (isFirst && operands.startsWith("script")) this.#script(first);
    const rest = isFirst ? others : words;
    const files = operands === "written" ? this.#writes : operands === "made" ? this.#makes : undefined;
    if (operands === "texts") for (const word of words) this.#text(word);
    else if (operands === "temporary") this.#temporary(rest);
    else if (files) for (const word of rest) this.#file(word, files);
    else if (operands !== "started") this.#files(rest);
  }

  #files(words: readonly Operand[]): void {
    for (const [at, word] of words.entries())
      if (!this.#isAssignment(word) && !this.#isRestText)
        this.#file(word, at > 0 && this.#spec.operands === "file" ? this.#writes : this.#reads);
  }

  #temporary(words: readonly Operand[]): void {
    if (words.some(({ text }) => isOpen(text) || (text.includes("/") && !text.startsWith("/tmp/"))))
      this.#doubts.push(`${this.#program} makes a file in a folder that may not be there`);
  }

  /** `awk 'script' name=value` */
  #isAssignment({ text }: Operand): boolean {
    return /awk$/.test(this.#program) && /^[A-Za-z_]\w*=/.test(text);
  }
}

const NO_WORD: Operand = { text: "", isMany: false };
/** How a doubt ends that is about a file's name. */
const AT_RUN_TIME = "reads or writes a file whose name is known only when it runs";
const ABOUT_DATA = new RegExp(`${AT_RUN_TIME}|changes the files that it reads`);

/** Texts that some programs take for the name of a file, or of a time zone that is one. */
const NAMES_FILE: Readonly<Record<string, RegExp>> = {
  curl: new RegExp(`^@(?!-$)|^${UNKNOWN}|^(?!https?:)[a-z+.-]+:/|%output`, "i"),
  date: new RegExp(`TZ|${UNKNOWN}`),
};

const SCRIPTS: Readonly<Record<string, (script: string) => string | undefined>> = {
  jq: doubtOfJq,
  gojq: doubtOfJq,
  sed: doubtOfSed,
  gsed: doubtOfSed,
  awk: doubtOfAwk,
  gawk: doubtOfAwk,
  mawk: doubtOfAwk,
  nawk: doubtOfAwk,
};

/** A filter brings in others only by what it begins with. */
function doubtOfJq(filter: string): string | undefined {
  return /^\s*(?:#[^\n]*\n\s*)*(?:include|import|module)\b|\bmodulemeta\b/.test(filter)
    ? "the filter of jq brings in other files"
    : undefined;
}

/** One command of sed that does nothing but print, delete and put one text for another. */
const SED =
  /^\s*(?:[\d$,~+!]|\/(?:[^/\\\n]|\\.)*\/I?|\\([^\w\s\\])(?:(?!\1)[^\\\n])*\1|\s)*(?:[pdqPDgGhHxnN=]|q\d*|Q\d*|s([^\w\s])(?:(?!\2)[^\\\n]|\\[^\n])*\2(?:(?!\2)[^\\\n]|\\[^\n])*\2[gpiIm\d]*|y([^\w\s])(?:(?!\3)[^\\\n]|\\[^\n])*\3(?:(?!\3)[^\\\n]|\\[^\n])*\3)\s*$/;

function doubtOfSed(script: string): string | undefined {
  // A semicolon may stand in a pattern: then this finds no command, and it is said.
  const isKnown = SED.test(script) || script.split(/[;\n]/).every((one) => one.trim() === "" || SED.test(one));
  return isKnown ? undefined : "what the script of sed does is not known";
}

/** A text, a comment, a pattern where one can stand, or any other character. */
const AWK = /"(?:[^"\\\n]|\\.)*"|#[^\n]*|(?<=(?:^|[(,~!&|{};\n=?:<>+*%^[$-])\s*)\/((?:[^/\\\n]|\\.)*)\/|[\s\S]/g;
/** Behind these words a slash may begin a pattern as well. */
const BEFORE_PATTERN = /(?:\b(?:print|printf|return|in|case|exit|else|do)|\))\s*\//;

/** SECURITY: a quote or a bracket in a pattern could hide where that ends, and code with it. */
function doubtOfAwk(script: string): string | undefined {
  let isHidden = BEFORE_PATTERN.test(script);
  const code = script.replaceAll(AWK, (piece, pattern?: string) => {
    const plain = pattern?.replaceAll(/\\./g, "") ?? "";
    isHidden ||= plain.includes('"') || plain.split("[").length !== plain.split("]").length;
    return piece.length > 1 ? '""' : piece;
  });
  const isOpenCode = isHidden || /@|\||[<>]\s*["(a-zA-Z$]/.test(code.replaceAll("||", ""));
  return isOpenCode || /\b(?:system|getline|close|ARGV|ARGC|SYMTAB|FUNCTAB|PROCINFO|extension)\b/.test(script)
    ? "the script of awk starts programs or reads files"
    : undefined;
}

const NOTHING: Uses = { reads: [], writes: [], makes: [], doubts: [] };
/** What they tell of a file follows from its bytes and from where it is. */
export const FILE_TESTS: RegExp = /^-[efdsr]$/;
const TEXT_TESTS = /^-[nzt]$/;
const COMPARES = /^(?:=|==|!=|<|>|-eq|-ne|-lt|-le|-gt|-ge)$/;

/** `[ … ]` by its own grammar: one word, an operator and a word, two words and an operator. */
function usesOfTest(words: readonly Operand[]): Uses {
  const reads: string[] = [];
  const parts: string[][] = [[]];
  for (const { text } of words) {
    if (/^(?:-[ao]|[()])$/.test(text)) parts.push([]);
    else if (text !== "!" || parts.at(-1)?.length !== 0) parts.at(-1)?.push(text);
  }
  const isKnown = parts.every(([first = "", second = "", ...rest]) => {
    if (second === "" && rest.length === 0) return !/^-[a-zA-Z]$/.test(first);
    if (rest.length > 0) return rest.length === 1 && COMPARES.test(second);
    if (/^-[a-zA-Z]$/.test(first) && !TEXT_TESTS.test(first) && !isOpen(second)) reads.push(second);
    return TEXT_TESTS.test(first) || (FILE_TESTS.test(first) && !isOpen(second));
  });
  for (const [first = "", second = "", third = ""] of parts)
    if (/^-(?:nt|ot|ef)$/.test(second)) reads.push(...[first, third].filter((word) => !isOpen(word)));
  if (isKnown && !words.some(({ isMany }) => isMany)) return { ...NOTHING, reads };
  return { ...NOTHING, reads, doubts: ["a test asks for what is known only when it runs, or for more of a file than its bytes"] };
}

/** They say what the repository is; nothing of its configuration makes them start a program. */
const GIT = /^(?:rev-parse|symbolic-ref|merge-base|rev-list|branch|config|version|show-ref|name-rev|check-ref-format|remote)$/;
/** Which branch it is, and where the repository is: what a gate is about, not a file that switches it. */
const GIT_STATE =
  /^(?:branch --show-current|rev-parse(?: (?:--show-toplevel|--is-inside-work-tree|--git-dir|--abbrev-ref|--short|--quiet|-q|HEAD))+|symbolic-ref(?: (?:--short|--quiet|-q))* HEAD|version)$/;

function usesOfGit(operands: readonly string[]): Uses {
  let at = 0;
  const folders: string[] = [];
  for (; at < operands.length; at++) {
    const word = operands[at] ?? "";
    if (word === "-C") folders.push(operands[++at] ?? UNKNOWN);
    else if (!/^--(?:no-pager|no-optional-locks|literal-pathspecs|bare)$/.test(word)) break;
  }
  const [name = "", ...rest] = operands.slice(at);
  const code = codeOfGit(name, rest);
  const isState = GIT_STATE.test([name, ...rest].join(" ")) && !folders.some(isOpen);
  const doubts = isState
    ? []
    : [`git ${isOpen(name) ? "" : name} depends on files of the repository that are not pinned`.replace("  ", " ")];
  return { ...NOTHING, reads: folders.filter((folder) => !isOpen(folder)), doubts, code };
}

function codeOfGit(name: string, rest: readonly string[]): string | undefined {
  if (!GIT.test(name) || rest.some(mayBeOption))
    return `git ${isOpen(name) ? "" : name} may start programs that the configuration of the repository names`.replace("  ", " ");
  if (name === "branch" && !rest.includes("--show-current"))
    return "git branch may start programs that the configuration of the repository names";
  if (name === "config" && !rest.some((word) => /^(?:--get|get|--list|-l|--get-all|--get-regexp)$/.test(word)))
    return "git config may change the configuration of the repository";
  return name === "remote" && rest[0] !== "get-url" ? "git remote may ask another machine" : undefined;
}

// Words as they stand in a text.

/** What the shell puts in without quotes, which may become several words, and names of files. */
export function isLoose({ source, parts }: ShellWord): boolean {
  if (parts.some(({ kind }) => kind === "glob")) return true;
  return /[$`]/.test(withoutQuoted(source).replaceAll(/\$\(\([^()]*\)\)|\$[?#$!-]|\$\{#\w+\}/g, ""));
}

/** Leaves out what stands in quotes, with the commands in it. */
function withoutQuoted(text: string): string {
  let [left, isDouble, depth] = ["", false, 0];
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character === "\\") at++;
    else if (character === "'" && !isDouble) at = (text.indexOf("'", at + 1) + 1 || text.length + 1) - 1;
    else if (isDouble && character === "(" && (depth > 0 || text[at - 1] === "$")) depth++;
    else if (isDouble && depth > 0 && character === ")") depth--;
    else if (character === '"' && depth === 0) isDouble = !isDouble;
    else if (!isDouble) left += character;
  }
  return left;
}

/** A word of a command as an operand, its text with folders put in. */
export function operandOf(word: ShellWord, text: string): Operand {
  const isDynamic = word.parts.some(({ kind }) => kind === "variable" || kind === "computed") || text.includes(UNKNOWN);
  const isPipe = /^[<>]\(/.test(word.source);
  const isSplit = isLoose(word) || !/[$`]/.test(word.source) || /\$[@*]|\[[@*]\]/.test(word.source);
  const isPlace = [CALLED, TEMPORARY].some((mark) => text.includes(mark));
  return { text: isPipe ? word.source : text, isMany: !isPipe && isDynamic && isSplit && !isPlace };
}

const JAVASCRIPT = /\.[cm]?[jt]s$/;

/** The script that `hookloop run FILE` starts; with options it shows a report instead, which is no hook. */
export function scriptOfRun(program: string, [command, script]: readonly string[]): string | undefined {
  return program === "hookloop" && command === "run" && script !== undefined && /^[^-]/.test(script) ? script : undefined;
}

/** The words that `hookloop run FILE` stands for: JavaScript is run by Node, with a compiler that no project chooses; other files as they start themselves. */
export function startedByRun(
  program: string,
  operands: readonly string[],
  textOf: (file: string) => string | undefined,
): readonly string[] | undefined {
  const script = scriptOfRun(program, operands);
  if (script === undefined || script.includes(UNKNOWN)) return undefined;
  const rest = operands.slice(2);
  if (JAVASCRIPT.test(script)) return ["node", script, ...rest];
  if (script.endsWith(".py") && !textOf(script)?.startsWith("#!")) return ["python3", script, ...rest];
  return [script.includes("/") ? script : `./${script}`, ...rest];
}
