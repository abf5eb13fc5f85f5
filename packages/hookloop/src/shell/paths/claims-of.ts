import { basename } from "node:path";
import { type Arguments, formsIn, hasAny, type OptionForms, readArguments, valuesOf } from "../arguments.ts";
import { readFind } from "../programs/find.ts";
import { withoutDash } from "../programs/git.ts";
import { codeOptions, isKnownTo, optionForms, partsOf, quietOptions, wrapperOf } from "../programs/program.ts";
import { programName, type Wrapper } from "../programs/started.ts";
import { type ShellWord, UNKNOWN } from "../types.ts";
import { cutWord, remembered } from "../words.ts";
import { CHANGING } from "./changing.ts";
import { type Claim, each, INPUT, type Program, plainWord } from "./claims.ts";
import { GIT_KINDS, gitProgram } from "./git-paths.ts";
import { COPYING, FILE_PARTS, moduleWords, NAMES_ON_INPUT, programOfRow, RUNS } from "./reading.ts";

/** What `find` does below its starting points: it deletes them, or what it starts is done to each. */
function findProgram(claimsOf: (words: readonly ShellWord[]) => readonly Claim[]): Program {
  return {
    onlyReads: true,
    claims(_, words) {
      const { roots, deletes, writes, runs, bounds } = readFind(words);
      const more = { isRecursive: true, onlyExisting: true as const, ...(bounds.length > 0 ? { names: bounds } : {}) };
      const done = runs.flatMap((run) => claimsOf(run.words).flatMap(({ how }) => (how === "read" ? [] : [how])));
      return [
        ...each(roots, "read", { isRecursive: true }),
        ...each(writes, "write"),
        ...[...(deletes ? ["delete" as const] : []), ...done].flatMap((how) => each(roots.length === 0 ? [undefined] : roots, how, more)),
      ];
    },
  };
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

/** Formatters, fixers, converters, and programs that change a file's blocks or attributes. */
const REWRITING: Readonly<Record<string, Program>> = {
  rewrites: IN_ANY_CASE,
  formats: ALWAYS,
  "formats-with-write": onlyWith(WRITE_OPTION),
  "formats-in-place": onlyWith(IN_PLACE),
  "formats-with-inplace-or-write": onlyWith(/^(?:-[A-Za-z]*[wi]|--(?:write|inplace|in-place|replace).*)$/),
  fixes: fixing(/^(?:--?(?:fix|write|apply|autofix|unsafe|update-all)(?:-.*|=.*)?|-U|format|fix)$/),
  "fixes-by-command": fixing(/^(?:fmt|fix|format|process|--fix|--apply)$/),
  deno: fixing(/^(?:fmt|--fix)$/, RUNS),
  rubocop: fixing(/^(?:-[aAx]|--(?:auto-?correct|fix)(?:-all)?)$/),
  sd: writing((operands) => operands.slice(2)),
  converts: LAST,
  logrotate: {
    // What it is given says which files are renamed and emptied: that may be the file itself.
    claims: (read) => [...each([...valuesOf(read, ["s", "state", "l", "log"]), ...read.operands], "write"), ...each(read.operands, "read")],
  },
  tidy: onlyWith(/^-[a-z]*m[a-z]*$/),
  perltidy: onlyWith(/^-b/),
  history: HISTORY,
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
    if (!/^(?:copy|copyto|sync|bisync|move|moveto)$/.test(verb?.text ?? "")) return CHANGING["mounts"]?.claims(read, words) ?? [];
    const moves = verb?.text.startsWith("move") ? [{ name: "--remove-source-files", word: verb }] : [];
    return COPYING["syncs"]?.claims({ ...read, options: [...read.options, ...moves], operands }, words) ?? [];
  },
};

/** Options may be abbreviated. */
const TRANSFORMS: readonly string[] = ["transform", "transfor", "transfo", "transf", "trans", "tran", "xform", "xfor", "xfo", "xf"];

/** What a download is called on disk by default: the last part of its address. */
function remoteNames(read: Arguments): readonly ShellWord[] {
  return read.operands.map((word) => {
    const path = word.text.replace(/^\w+:\/\/[^/]*/, "").replace(/[?#].*$/s, "");
    return plainWord(path.includes(UNKNOWN) ? UNKNOWN : basename(path) || "index.html", word);
  });
}

/** The file of `file://localhost/…`; letters may be written as numbers. */
function localFile(word: ShellWord): readonly ShellWord[] {
  const start = /^file:(?:\/\/(?:localhost|127\.0\.0\.1)?(?=[/\uFFFF]))?/i.exec(word.text)?.[0].length;
  if (start === undefined) return [];
  const path = cutWord(word, start);
  return /%[\da-f]{2}/i.test(path.text) ? [path, plainWord(decoded(path.text), word)] : [path];
}

function decoded(text: string): string {
  return text.replace(/%([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

const CURL: Program = {
  runsInput: /\s(?:-\w*K|--config[= ])\s*(?:-|\/dev\/stdin)(?:\s|$)/,
  readOptions:
    "A b cacert capath cert cookie d data data-ascii data-binary data-raw data-urlencode e E F form form-string H header K config key netrc-file proxy-header T u upload-file url user user-agent X request".split(
      " ",
    ),
  claims(read) {
    const [inFolder] = valuesOf(read, ["output-dir"]);
    const named = hasAny(read, ["O", "remote-name", "remote-name-all"]) ? remoteNames(read) : [];
    return [
      ...each([...valuesOf(read, ["o", "output", "c", "cookie-jar", "D", "dump-header"]), ...named], "write", { inFolder }),
      ...each([...read.operands, ...valuesOf(read, ["url"])].flatMap(localFile), "read"),
    ];
  },
};

const WGET: Program = {
  readOptions:
    "A R U body-data body-file certificate ca-certificate header i input-file load-cookies post-data post-file private-key user-agent".split(
      " ",
    ),
  claims(read) {
    const [inFolder] = valuesOf(read, ["P", "directory-prefix"]);
    const documents = valuesOf(read, ["O", "output-document"]);
    return [
      ...each(documents.length > 0 ? documents : remoteNames(read), "write", documents.length > 0 ? {} : { inFolder }),
      ...each(valuesOf(read, ["o", "output-file", "a", "append-output"]), "write"),
    ];
  },
};

const TAR: Program = {
  runsInput: NAMES_ON_INPUT,
  readOptions: "C T X directory exclude exclude-from files-from strip-components".split(" "),
  claims: tarClaims,
};

function tarClaims(read: Arguments): readonly Claim[] {
  const inFolder = valuesOf(read, ["C", "directory"]).at(-1);
  const tops = each(valuesOf(read, ["one-top-level"]), "write", { inFolder, isRecursive: true });
  const lists = each(valuesOf(read, ["g", "listed-incremental", "index-file", "volno-file"]), "write");
  const expressions = valuesOf(read, [...TRANSFORMS, "s"]);
  const claims = packed(read);
  const isUnpacked = claims.some(({ how, isRecursive }) => how === "write" && isRecursive === true);
  const names = expressions.flatMap((word) => transformed(word, isUnpacked));
  return [
    ...claims,
    ...tops,
    ...lists,
    ...each([...names, ...joined(names)], "write", { inFolder, isRecursive: isUnpacked, hasAnyNames: true }),
  ];
}

function packed(read: Arguments): readonly Claim[] {
  const has = (letter: string, long: string): boolean => hasAny(read, [letter, long]);
  const archives = valuesOf(read, ["f", "file"]);
  const members = read.operands;
  const inFolder = valuesOf(read, ["C", "directory"]).at(-1);
  if (has("c", "create") || has("r", "append") || has("u", "update"))
    return [
      ...each(archives, "write"),
      ...each(members, has("remove-files", "remove-files") ? "delete" : "read", { inFolder, isRecursive: true }),
    ];
  if (!hasAny(read, ["x", "extract", "get"])) return each(archives, "read");
  return [...each(archives, "read"), ...unpacked(members, inFolder)];
}

/**
 * SECURITY: `s,evil,.git/hooks/pre-commit,` gives what is packed or unpacked the name that stands in it. One that is made of the name it
 * replaces can be any.
 */
function transformed(word: ShellWord, isUnpacked: boolean): readonly ShellWord[] {
  const isOpen = /\\[\dLUElu]|&/.test(word.text) || word.text.includes(UNKNOWN);
  const delimiter = /^s?(.)/.exec(word.text)?.[1] ?? "/";
  const pieces = word.text.replace(/\\(?!\d)/g, "").split(delimiter);
  const names = [...pieces, ...word.text.split(/[,;|#]/)].filter((piece) => /[./]/.test(piece) || piece.length > 1);
  return [...new Set(names), ...(isUnpacked && isOpen ? [UNKNOWN] : [])].map((name) => plainWord(name, word));
}

const MAX_JOINED = 12;

/** `s,^,.cla,;s,$,ude/settings.json,`: each puts one more piece of the name in its place. */
function joined(names: readonly ShellWord[]): readonly ShellWord[] {
  const pieces = names.filter(({ text }) => !text.includes(UNKNOWN)).slice(0, MAX_JOINED);
  return pieces.flatMap((first) => pieces.flatMap((last) => (first === last ? [] : [plainWord(`${first.text}${last.text}`, first)])));
}

function unpacked(members: readonly ShellWord[], inFolder: ShellWord | undefined): readonly Claim[] {
  if (members.length > 0) return each(members, "write", { inFolder, isRecursive: true });
  return [{ word: inFolder, how: "write", isRecursive: true }];
}

const UNZIP: Program = {
  claims(read) {
    const [archive, ...members] = read.operands;
    const [inFolder] = valuesOf(read, ["d"]);
    const isListing = hasAny(read, ["l", "v", "t", "p", "Z", "z"]);
    return [...each(archive ? [archive] : [], "read"), ...(isListing ? [] : unpacked(members, inFolder))];
  },
};

const PATCH: Program = {
  claims(read) {
    const [inFolder] = valuesOf(read, ["d", "directory"]);
    const [file, operandPatch] = read.operands;
    const source = [...valuesOf(read, ["i", "input"]), ...(operandPatch ? [operandPatch] : [])].find(({ text }) => !INPUT.test(text));
    const written = [...(file ? [file] : []), ...valuesOf(read, ["o", "output"])];
    if (written.length > 0) return each(written, "write", { inFolder });
    return [{ word: inFolder, how: "write", isRecursive: true, ...(source ? { source, isFolder: false } : {}) }];
  },
};

/** Programs that bring files from elsewhere: downloads, archives, patches. The `-s` of one tar is the `--transform` of the other. */
const FETCHING: Readonly<Record<string, Program>> = {
  curl: CURL,
  wget: WGET,
  tar: TAR,
  unzip: UNZIP,
  zip: {
    runsInput: NAMES_ON_INPUT,
    readOptions: ["x", "i"],
    claims: (read) => {
      const [archive, ...rest] = read.operands;
      return [
        ...each([...(archive ? [archive] : []), ...valuesOf(read, ["O"])], "write"),
        ...each(rest, hasAny(read, ["m", "move"]) ? "rename" : "read"),
      ];
    },
  },
  patch: PATCH,
  // `-sdel`: what was packed is deleted.
  "7z": { claims: ({ operands }, words) => (words.some(({ text }) => text === "-sdel") ? each(operands.slice(2), "rename") : []) },
  cpio: {
    runsInput: /^/,
    claims: (read) => {
      const [inFolder] = valuesOf(read, ["D", "directory"]);
      const made = hasAny(read, ["o", "create"]) ? each(valuesOf(read, ["O", "F", "file"]), "write") : [];
      if (hasAny(read, ["p", "pass-through"])) return unpacked(read.operands, inFolder);
      return hasAny(read, ["i", "extract"]) ? unpacked([], inFolder) : made;
    },
  },
};

const KINDS: Readonly<Record<string, Program>> = {
  ...REWRITING,
  ...CHANGING,
  ...COPYING,
  ...FETCHING,
  ...GIT_KINDS,
  git: gitProgram((name) => programNamed(name)),
  rclone: RCLONE,
  runs: RUNS,
  find: findProgram((words) => claimsOf(words)),
};

/** What the row of a program says that it does to files. */
const programNamed: (name: string) => Program | undefined = remembered((name) => programOfRow(partsOf(name, ...FILE_PARTS), KINDS));

/** Whether it rewrites files, in whatever way. */
function isRewriting(name: string): boolean {
  const [kind = ""] = partsOf(name.replace(/(?<=\w)@[\w.^~-]+$/, ""), "files")[0]?.flags ?? [];
  return Object.hasOwn(REWRITING, kind);
}

/** The last part of a command's name; `git` of its sub-commands by names of their own. */
export function nameOf(words: readonly ShellWord[]): string {
  return programName(withoutDash(words));
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
  return programNamed(rowName(words));
}

const LAUNCHERS = /^(?:yarn|pnpm|bun|npm|deno|poetry|pipenv|uv|rye|pdm|hatch|bundle|composer|mise)$/;
const LAUNCHES = /^(?:-.*|run|exec|x|dlx|tool|task|workspace)$/;

/** `yarn eslint --fix folder`: what a package's program is given, if it is one that rewrites files. */
function launched(words: readonly ShellWord[]): readonly ShellWord[] | undefined {
  if (!LAUNCHERS.test(nameOf(words))) return undefined;
  const at = words.findIndex(({ text }, index) => index > 0 && !LAUNCHES.test(text));
  const rest = at === -1 ? [] : words.slice(at);
  return isRewriting(nameOf(rest)) ? rest : undefined;
}

/** What a program with these words does to files; nothing if it is not in the tables. Every reader asks, and for each folder it may run in. */
export const claimsOf: (words: readonly ShellWord[]) => readonly Claim[] = remembered((given) => {
  // `python3 -m black folder`.
  const module = moduleWords(given);
  const words = module && isRewriting(nameOf(module)) ? module : (launched(given) ?? given);
  const program = programOf(words);
  return program ? program.claims(readArguments(words, optionForms(rowName(words))), words) : claimsOfStarter(nameOf(words), words);
}, new WeakMap());

/** What such programs write is up to code that is not on the line. */
const RUNS_CODE = /^(?:runs|compiles|cmake|awk|deno)$/;

/** Whether its words tell all that a program writes. One that starts another (`timeout 5 make`) leaves that to what it starts. */
export function tellsWrites(words: readonly ShellWord[]): boolean {
  const name = rowName(words);
  if (isKnownTo(name, "data") || isKnownTo(name, "names-folders") || isKnownTo(name, "leaves-alone")) return true;
  const [kind = ""] = partsOf(name, "files")[0]?.flags ?? [];
  if (isKnownTo(name, "tasks") || RUNS_CODE.test(kind) || codeOptions(name) !== undefined) return false;
  return programOf(words) !== undefined || quietOptions(name) !== undefined;
}
