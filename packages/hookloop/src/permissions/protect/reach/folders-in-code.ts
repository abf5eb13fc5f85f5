/**
 * Takes code of another language. Gives the folders it names if it also takes folders away: deletes or renames them, with all that is in
 * them. Text is all there is to go by, so what stands in a variable or is put together from the home folder counts as named.
 */
import { pathTokens } from "../../../shell/index.ts";

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

export interface FolderInCode {
  /** As it stands there, or from the home folder on. */
  readonly path: string;
  /** The call is given this very name. */
  readonly isDirect: boolean;
}

/** The folders that code names which also takes folders away. */
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
