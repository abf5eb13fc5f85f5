/**
 * Takes code of another language, or a text for a program with a language of its own, and a path that stands in it. Says whether the path
 * may be changed. The calls that write cannot all be listed, so the list is of those that read: a path that is given to anything else may be changed.
 */

import {
  blanked,
  type CodeOnLine,
  codeOnLine,
  isKnownTo,
  type MentionedPath,
  pathTokens,
  placesOfText,
  programName,
  type ShellCommand,
  type ShellReading,
  type TouchedPath,
} from "../../shell/index.ts";
import { comparablePath, realTarget } from "../paths/real-target.ts";
import { headedBy, isAboveAll, type Reach, type Reached, reachedBy } from "./reached-by.ts";

/** Words of code that changes files or starts programs, wherever they stand. */
const CODE_CHANGES =
  /writ|append|put_contents|rmsync|cpsync|rmdir|unlink|remove|delete|rename|replace|rmtree|mkdir|copy|move|extract|unpack|retrieve|\blink|symlink|truncate|chmod|chown|dump|save|touch|system|popen|exec|spawn|subprocess|shutil|open\s*\([^)]*,\s*(?:mode\s*=\s*)?["'][^"']*[wax+]|>|["']\+<|\bmv\b|\brm\b|\bcp\b|\btee\b|\bsink\b|\bfile\s*=|in_?place|\bshelve\b|\bdbm\b|py_compile/i;
/** The same of a text for a program with a little language of its own: the words of many of them, since they cannot all be listed. */
const TEXT_CHANGES =
  /output|export-marks|outfile|dumpfile|\.(?:once|backup|clone|log|cd|excel|open|shell)\b|\\[oTwgs!]|%output|\b(?:into|to|attach|redir|spool|w|wq|x|get|open|file|log\w*|set-content|add-content|pipe-pane|cd|lcd|edit|shell|dest\w*)\b|(?:^|[\d$%,./!;}\s])[wW]!?(?=[\s./~\w])/im;
/** What only looks like it: texts that are made or shown, arrows, comparisons. */
const SEEMS_TO_CHANGE = /\bdumps\b|\bstd(?:out|err)\.write\b/g;
const COMPARES = /[-=]>|>=?\s*[\d$]/g;

const list = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Calls that read, load or show what they are given. */
export const READS: ReadonlySet<string> = list(
  "readfile readfilesync createreadstream existssync accesssync access statsync stat lstatsync lstat readdirsync readdir realpathsync realpath opendirsync opendir readlinksync readlink open opensync file_open fopen read read_text read_bytes readlines readline load loads load_file safe_load parse exists exist? file? directory? isfile isdir islink lexists is_file is_dir file_exists listdir scandir glob rglob iterdir entries children foreach getsize getmtime size filesize walk log error warn info dir table debug print println printf puts p pp say echo var_dump print_r file_get_contents file readfile parse_ini_file include include_once require require_once require_relative import import_module dofile loadfile lines input readrds csv fromjson source slurp json_decode md5 sha1 sha256 test -e -f -r",
);
/** Calls and words that take no file, or make a path of it. */
const NEUTRAL = list(
  "path purepath posixpath join resolve dirname basename relative normalize abspath expanduser pathtofileurl fileurltopath url format keys values items get map filter reduce foreach sort sorted reversed reverse split trim strip lstrip rstrip slice substring substr includes startswith endswith startsWith find findindex some every fromentries tostring to_s string number boolean int float bool list dict set tuple enumerate zip range any all sum min max repr type isinstance hasattr getattr next iter exit quit decode encode flat flatmap concat match search findall finditer group compile upper lower tolower toupper count index indexof at has array isarray object date now round if for while switch catch function return else elsif elif unless until with except typeof new not and or in lambda async await then sprintf die length len defined scalar each ref lc uc chomp str stringify dumps json_encode gsub sub getline close write main begin end printf do eval_ key fetch dig select reject collect first last compact uniq to_h to_a to_json inspect decode_json encode_json from_json",
);

/** Whether what a command names may be changed by it. A path that is only named as a word always may. */
export function mayChange({ code, where, language, isArgument, token }: MentionedPath): boolean {
  if (code === undefined) return true;
  const plain = code.replace(SEEMS_TO_CHANGE, "");
  if (isArgument) return CODE_CHANGES.test(plain.replace(COMPARES, ""));
  if (CODE_CHANGES.test(plain)) return true;
  if (where === "text") return TEXT_CHANGES.test(code);
  return language !== "shell" && token !== undefined && !isOnlyRead(plain, token);
}

const MAX_AROUND = 600;
const MAX_OCCURRENCES = 50;
/** What `open` may be given beside the name, so that it only reads. */
export const OPENS_TO_READ: RegExp = /^["'`]?\s*(?:\)|,\s*(?:["'](?:r[bt]?|rt|utf-?8)["']|encoding\s*=|os\.O_RDONLY\s*\)|errors\s*=))/i;

/** Whether every call that is given the path is known to read; of a path in a variable or a list, every call there is. */
function isOnlyRead(code: string, token: string): boolean {
  // SECURITY: code can name many paths, and each may be in no call.
  const isHarmless = harmless(code);
  return everywhere(code, token, (before, after) => {
    const at = openBracket(before);
    const name = at === -1 ? undefined : nameBefore(before.slice(Math.max(0, at - 100), at));
    if (name === undefined || NEUTRAL.has(name)) return isHarmless;
    return READS.has(name) && (!/open/.test(name) || OPENS_TO_READ.test(after));
  });
}

/** Whether a test holds wherever the code has a text, by what stands before and after it. */
export function everywhere(code: string, text: string, test: (before: string, after: string) => boolean): boolean {
  let at = code.indexOf(text);
  for (let count = 0; at !== -1 && count < MAX_OCCURRENCES; count++) {
    const end = at + text.length;
    if (!test(code.slice(Math.max(0, at - MAX_AROUND), at), code.slice(end, end + MAX_AROUND))) return false;
    at = code.indexOf(text, end);
  }
  return at === -1;
}

/** Where the bracket stands that is open at the end of a text; less than 0 if none is. */
export function openBracket(text: string): number {
  let depth = 0;
  for (let at = text.length - 1; at >= 0; at--) {
    const character = text.charAt(at);
    if (character === ")") depth++;
    else if (character === "(" && depth-- === 0) return at;
  }
  return -1;
}

/** The name before a bracket; an empty one if it is not a plain one. */
function nameBefore(text: string): string {
  const name = /([\w$]+[?!]?)\s*$/.exec(text)?.[1];
  // A bracket that only groups: `print (("x"))`, `x = ("a", "b")`.
  if (name === undefined) return /(?:^|[=(,[{;:+]|\b(?:in|and|or|not|return))\s*$/.test(text) ? "if" : "";
  return name.toLowerCase();
}

let judged: { readonly code: string; readonly isHarmless: boolean } | undefined;

/** Whether every call in the code is known. The paths of one code are asked about one after the other. */
function harmless(code: string): boolean {
  if (judged?.code !== code) judged = { code, isHarmless: callsIn(code).every((call) => READS.has(call) || NEUTRAL.has(call)) };
  return judged.isHarmless;
}

function callsIn(code: string): readonly string[] {
  const named = [...code.matchAll(/([A-Za-z_$][\w$]*[?!]?)\s{0,3}\(/g)].map(([, name = ""]) => name.toLowerCase());
  return /[\])}]\s{0,3}\(/.test(code) ? [...named, ""] : named;
}

const CALL =
  "(?:rmtree|remove_?tree|delete_?tree|rm_rf?|rimraf\\w*|rm(?:dir)?(?:Sync)?|rename(?:s|Sync|_to)?|removedirs|remove_entry\\w*|remove_dir\\w*|move(?:Sync|File)?|mv|emptyDir\\w*|trash\\w*|(?:Remove|Move|Rename)-Item)";
/** Calls that take a whole folder; `Path.replace` has one argument, the `replace` of texts has two. Lines of `systemd-tmpfiles`. */
const TAKES = new RegExp(
  `\\b${CALL}(?=\\s*[("'\`$\\s,\\]])|\\bos\\.replace\\b|\\.replace\\(\\s*(?:[^,()]|\\([^()]*\\))*\\)|\\s--?(?:delete|del|remove-files)\\b|\\bgit\\b[^\\n]*\\b(?:stash|clean|checkout|reset)\\b|^\\s*[rRD][!+=~^-]*\\s+\\/`,
  "m",
);
/** One file after the other. */
const TAKES_EACH = /\b(?:unlink|remove|delete)\w*\b/i;
const GOES_THROUGH = /walk|r?glob|scandir|listdir|iterdir|readdir|opendir|\bfind\b|recursive|\bch?ild/i;
/** What stands before the first argument of such a call. */
const BEFORE_ARGUMENT = new RegExp(`\\b(?:${CALL}|os\\.replace|unlink\\w*|remove\\w*)(?:\\s+-[\\w-]+)*[\\s(\\["'\`]*$`);

const KEY = `\\\\?["'\`]?HOME\\\\?["'\`]?`;
/** The home folder in the words of many languages. */
const HOME = new RegExp(
  [
    `["'\`]~["'\`]`,
    "process\\.env\\.HOME\\b",
    `(?:env|environ|ENV|_SERVER|_ENV)(?:\\.get|\\.fetch)?\\s*[[({]\\s*${KEY}[^\\])}\\n]{0,20}[\\])}]`,
    `getenv\\s*\\(\\s*${KEY}[^)\\n]{0,20}\\)`,
    "Path\\.home\\(\\)",
    "\\bhomedir\\b(?:\\(\\))?",
    "\\bDir\\.home\\b(?:\\(\\))?",
    "\\$\\{?HOME\\b\\}?",
  ].join("|"),
  "g",
);
const NAME = "([^\\s\"'`;|&<>(){}=,:$*?[\\]!\\\\+]+)";
const CLOSED = "[)\\]}\\s\"'`]*";
/** `${home}/x`, `home / "x"`, `home + "/x"`, `home . "/x"`, `home.joinpath("x")`. */
const GOES_ON = new RegExp(
  `^(?:${CLOSED}\\/\\s*["'\`]?${NAME}|${CLOSED}(?:\\+|\\.{1,2})\\s*["'\`]\\/${NAME}|${CLOSED}\\.joinpath\\(\\s*["']${NAME})`,
);
/** `join(home, "x")`, or the next argument of something else. */
const MAY_GO_ON = new RegExp(`^${CLOSED},\\s*["'\`](?!\\/)${NAME}`);
const MAX_PARTS = 16;

interface FolderInCode {
  /** As it stands there, or from the home folder on. */
  readonly path: string;
  /** The call is given this very name. */
  readonly isDirect: boolean;
}

/**
 * Takes code of another language. Gives the folders it names if it also takes folders away: deletes or renames them, with all that is in
 * them. Text is all there is to go by, so what stands in a variable or is put together from the home folder counts as named.
 */
export function foldersInCode(code: string, home: string): readonly FolderInCode[] {
  if (!TAKES.test(code) && !(TAKES_EACH.test(code) && GOES_THROUGH.test(code))) return [];
  const words = [...code.matchAll(/["'`]([\w-][\w.-]*)["'`]/g)].map(([, word = ""]) => word);
  const literal = [...new Set([...pathTokens(code), ...words])].map((path) => ({ path, isDirect: isDirect(code, path) }));
  const fromHome = [...code.matchAll(HOME)].flatMap((found) => homePaths(code.slice(found.index + found[0].length), home));
  return [
    // A dot or a slash alone is more often a separator than a folder.
    ...literal.filter((found) => found.isDirect || /[^./]/.test(found.path)),
    ...fromHome.map((path) => ({ path, isDirect: false })),
  ];
}

function isDirect(code: string, path: string): boolean {
  for (let at = code.indexOf(path); at !== -1; at = code.indexOf(path, at + 1)) {
    const isWhole = !/[\w./~-]/.test(code.charAt(at + path.length));
    if (isWhole && BEFORE_ARGUMENT.test(code.slice(Math.max(0, at - 60), at))) return true;
  }
  return false;
}

/** What is made of the home folder by the text that follows it. */
function homePaths(after: string, home: string): readonly string[] {
  const found: string[] = [];
  let rest = after;
  let path = home;
  for (let count = 0; count < MAX_PARTS; count++) {
    const sure = GOES_ON.exec(rest);
    const perhaps = sure ? undefined : MAY_GO_ON.exec(rest);
    const next = sure ?? perhaps;
    // `join(home, "x")` is no use of the home folder itself; a later part may as well be another argument.
    if (!sure && !(perhaps && count === 0)) found.push(path);
    if (!next) break;
    path = `${path}/${next.slice(1).find((name) => name !== undefined) ?? ""}`;
    rest = rest.slice(next[0].length);
  }
  return found;
}

/** What writes, moves, copies, unpacks, takes rights away, starts a program, or opens a file to write to it. */
const WRITES =
  /in_?place|\bshelve\b|\bdbm\b|py_compile|writ|append|put_contents|rmsync|cpsync|rmdir|unlink|remove|delete|renam|rmtree|copy|move|extract|unpack|retrieve|\blink|symlink|truncate|chmod|chown|dump\b|save|touch|system|popen|exec|spawn|subprocess|shutil|sink\b|file\s*=|,\s*(?:mode\s*=\s*)?["'`](?:r\+[bt]?|[rb]?[wax][bt]?\+?[bt]?)["'`]|["'`]\s*\+?>|O_(?:WRONLY|RDWR|CREAT|TRUNC)|\b(?:mv|rm|cp|tee|ln|dd)\b|\.replace\(\s*[^,()]*\)/i;
/** awk sends what it prints to a file, or to a command, that is named only when it runs. Whole texts are read elsewhere. */
const AWK_WRITES =
  /\bprintf?\b[^;}\n]*(?:>>?|\|&?)\s*(?!["\d>|\s])|\bprintf?\b[^;}\n]*(?:>>?|\|&?)\s*\(|\bprintf?\b[^;}\n]*>>?\s*"[^"]*"\s*[\w$(]|\bsystem\s*\(\s*(?!")|inplace/;
/** What only looks like it. */
const SEEMS_TO_WRITE =
  /\bdumps\b|\bstd(?:out|err)\.write\b|\bjson\.dump\([^()]*(?:\([^()]*\)[^()]*)*,\s*sys\.stdout[^()]*\)|\.replace\(\s*["'`][^"'`]*["'`]\s*,|\bprocess\.exec\w+\b|\.exec\(|\bdeepcopy\b|\bcopy\.copy\b/g;
const QUOTED = /["'`]([^"'`\n]{0,200})["'`]/g;
const PATTERN = /[*?]|\[[^\]]+\]/;
const MAX_NAMES = 200;

/**
 * Takes a line that gives code to another language, as an argument or on its input. If that code writes, moves, copies, or goes to another folder, gives
 * what is protected under a name that stands in the code or on the line, or below a folder that does. Where such code gets its names from cannot
 * be told: an argument, its input, a folder it is in, two texts that it joins.
 */
export function reachedByNames(reading: ShellReading, text: string, touched: readonly TouchedPath[], reach: Reach): readonly Reached[] {
  const codes = codeOnLine(reading, reach.context).filter(writesSomething);
  if (codes.length === 0) return [];
  const line = namesOnLine(text, reading, touched);
  return codes.flatMap((code) => {
    const given = code.words.map(({ text }) => text);
    const names = [...new Set([...namesIn(code.code), ...given, ...pairsOf(given), ...line])].slice(0, MAX_NAMES);
    return names.flatMap((name) => reachedByName(name, code, reach));
  });
}

/** Whether code writes, moves, copies, unpacks, or takes rights away. */
export function writesSomething({ program, code }: CodeOnLine): boolean {
  return /awk$/.test(program) ? AWK_WRITES.test(code) : WRITES.test(code.replace(SEEMS_TO_WRITE, ""));
}

function pairsOf(words: readonly string[]): readonly string[] {
  const parts = words.filter((word) => /^[\w.][\w./-]*$/.test(word)).slice(0, 8);
  return parts.flatMap((one) => parts.map((other) => `${one.replace(/\/$/, "")}/${other}`));
}

/** Everything in code that could be a path or a name. */
export function namesIn(text: string): readonly string[] {
  return [...pathTokens(text), ...[...text.matchAll(QUOTED)].map(([, name = ""]) => name)];
}

/** What it reads are names, or nothing: what it prints may be a name that code, or another program, takes up. */
export function printsNames(command: ShellCommand | undefined): boolean {
  return isKnownTo(programName(command?.words ?? []), "prints-names");
}

/** The names on the whole line, without those of files whose content is read. */
function namesOnLine(text: string, { commands }: ShellReading, touched: readonly TouchedPath[]): readonly string[] {
  if (commands.length < 2) return [];
  const read = touched.filter(({ how, command }) => how === "read" && !printsNames(commands[command]));
  return namesIn(
    blanked(
      text,
      read.map(({ span }) => span),
    ),
  );
}

const NOWHERE = { start: 0, end: 0 };

function reachedByName(name: string, { folder }: CodeOnLine, reach: Reach): readonly Reached[] {
  if (/^[\s./~-]*$/.test(name) || /\s/.test(name)) return [];
  return placesOfText(name, PATTERN.test(name), { ...reach.context, folder }).flatMap((place) => {
    if (place.path === undefined) return [];
    const written = { ...place, how: "write" as const, span: NOWHERE, command: 0 };
    return place.isGlob ? reachedBy(written, reach) : [...reachedBy(written, reach), ...below(place.path, reach)];
  });
}

/** What is protected below a folder that is there, unless the folder is one that holds everything: the session's, the home folder, or one above them. */
export function below(path: string, reach: Reach): readonly Reached[] {
  const { places, context } = reach;
  const target = realTarget(path, context);
  const key = comparablePath(target.path, context);
  if (isAboveAll(target, reach)) return [];
  const place = places.find(
    ({ keys, what, isOfModules }) => what !== "hookloop itself" && !isOfModules && keys.some((own) => own.startsWith(`${key}/`)),
  );
  const found = place ?? headedBy(target.path)[0]?.row;
  return found ? [{ what: found.what, why: found.why, path }] : [];
}
