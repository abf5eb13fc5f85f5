/**
 * Takes code of another language, or a text for a program with a language of its own, and a path that stands in it. Says whether the path
 * may be changed. Nobody can list what writes, so of code it is known what reads: a path that is given to anything else may be changed.
 */
import type { MentionedPath } from "../../shell/index.ts";

/** Words of code that changes files or starts programs, wherever they stand. */
const CODE_CHANGES =
  /writ|append|put_contents|rmsync|cpsync|rmdir|unlink|remove|delete|rename|replace|rmtree|mkdir|copy|move|extract|unpack|retrieve|\blink|symlink|truncate|chmod|chown|dump|save|touch|system|popen|exec|spawn|subprocess|shutil|open\s*\([^)]*,\s*(?:mode\s*=\s*)?["'][^"']*[wax+]|>|["']\+<|\bmv\b|\brm\b|\bcp\b|\btee\b|\bsink\b|\bfile\s*=/i;
/** The same of a text for a program with a little language of its own: the words of many of them, since nobody knows them all. */
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

const MAX_BEFORE = 600;
const MAX_OCCURRENCES = 50;
/** What `open` may be given beside the name, so that it only reads. */
export const OPENS_TO_READ: RegExp = /^["'`]?\s*(?:\)|,\s*(?:["'](?:r[bt]?|rt|utf-?8)["']|encoding\s*=|os\.O_RDONLY\s*\)|errors\s*=))/i;

/** Whether every call that is given the path is known to read; of a path in a variable or a list, every call there is. */
function isOnlyRead(code: string, token: string): boolean {
  let at = code.indexOf(token);
  // SECURITY: code can name many paths, and each may be in no call.
  const isHarmless = harmless(code);
  for (let count = 0; at !== -1 && count < MAX_OCCURRENCES; count++) {
    const name = calledWith(code.slice(Math.max(0, at - MAX_BEFORE), at));
    const isKnown =
      name === undefined || NEUTRAL.has(name)
        ? isHarmless
        : READS.has(name) && (!/open/.test(name) || OPENS_TO_READ.test(code.slice(at + token.length)));
    if (!isKnown) return false;
    at = code.indexOf(token, at + token.length);
  }
  return at === -1;
}

/** The name before the bracket that is open at the end of a text; nothing if none is, and an empty name if it is not a plain one. */
function calledWith(before: string): string | undefined {
  let depth = 0;
  for (let at = before.length - 1; at >= 0; at--) {
    const character = before.charAt(at);
    if (character === ")") depth++;
    else if (character === "(" && depth > 0) depth--;
    else if (character === "(") return nameBefore(before.slice(Math.max(0, at - 100), at));
  }
  return undefined;
}

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
