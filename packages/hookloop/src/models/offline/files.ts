/** What deletes, moves, copies and makes whole files and folders. What is not sure is asked back: nothing is overwritten, moved or deleted on a guess. */

import { unlessThere, write } from "./edits.ts";
import {
  type About,
  bash,
  fileOf,
  isFileName,
  leftover,
  notAll,
  onFile,
  type Quotes,
  type Reading,
  type Rule,
  rule,
  shellWord,
  withoutSentenceEnd,
} from "./phrase.ts";

const FOLDER = "(?:sub)?(?:folder|directory|dir)";
const NAMED_FOLDER = new RegExp(
  `^(?:(?:an?|the|this|my|our|new|old|empty|whole|entire|complete|temporary) )*(?:${FOLDER}(?: called| named)? (\\S+)|(\\S+) ${FOLDER})$`,
  "i",
);
/** From an earlier sentence it is not sure enough to delete or to move. */
const IT = /^(?:it|this|that|them|(?:this|that|the) (?:file|folder|one))$/i;
const NO_NAME =
  /^(?:this|current|whole|entire|working|parent|home|root|it|that|project|old|new|empty|other|last|first|same|right|wrong|temporary|here|the|my|a|an)$/i;

/** One name for the shell; nothing that the shell would take for more than a name. */
function plainName(word: string, quotes: Quotes): string | undefined {
  const bareWord = withoutSentenceEnd(word.trim());
  const name = quotes.value(bareWord);
  const isOk = name !== bareWord ? !/[\n\0]/.test(name) : /^[\p{L}\p{N}_./~@+-]+$/u.test(name);
  return isOk && name !== "" ? name.replace(/(?<=.)\/+$/, "") : undefined;
}

/** The folder of "the src folder", "a folder called src". */
function folderOf(phrase: string, { quotes }: About): string | undefined {
  const [, one, other] = NAMED_FOLDER.exec(phrase.trim()) ?? [];
  const name = one ?? other;
  return name === undefined ? undefined : plainName(name, quotes);
}

// --- delete ---

const TOO_MUCH = "That would delete too much. Say which file or folder, by its name.";

function remove(names: readonly string[]): Reading {
  if (names.some((name) => /^(?:\/|~|\.|\.\.|\*)\/*$/.test(name) || NO_NAME.test(name))) return TOO_MUCH;
  const words = names.map((name) => shellWord(name.replace(/(?<=.)\/+$/, "")));
  return [bash(`rm -r ${words.join(" ")}`, "delete", "Delete it")];
}

const INSIDE = `(?: (?:that is )?(?:in|from|under|inside|of) (?:the )?(?:${FOLDER} )?(\\S+)(?: ${FOLDER})?)?`;
const ALL_INSIDE = new RegExp(
  `^(?:everything|all(?: of)?(?: the| its)? (?:contents?|things|stuff)|(?:the )?(?:whole )?contents?)${INSIDE}$`,
  "i",
);
const ALL_FILES = new RegExp(`^all (?:the |of the |my )?(temporary |temp |tmp )?files${INSIDE}$`, "i");

function erase(said: string, about: About): Reading {
  const whole = said.replace(
    /,? (?:and|with|including) (?:everything|all|all (?:the )?files|whatever is|its contents?|all its contents?|the files)(?: (?:that is )?(?:in|inside)(?: it)?)?$/i,
    "",
  );
  if (/[$`();|<>]/.test(whole)) return undefined;
  const inside = ALL_INSIDE.exec(whole);
  const files = ALL_FILES.exec(whole);
  if (inside || files) return eraseInside(inside?.[1] ?? files?.[2] ?? ".", files ?? undefined, about);
  const [, ending] =
    /^(?:all |the |every |all the )*(?:files (?:named |called |like |matching |ending (?:in|with) )?)?(\*?\.\w{1,8})(?: files?)?$/i.exec(
      whole,
    ) ?? [];
  // ".env" alone is a file.
  if (ending?.startsWith("*") || (ending !== undefined && /\bfiles\b|^all /i.test(whole)))
    return [bash(`rm -f -- *${ending.replace("*", "")}`, "delete", "Delete the files")];
  const own = about.isSameSentence ? about.lastFile : undefined;
  const parts = whole.split(/\s*,\s*(?:and\s+)?|\s+(?:and|&|plus)\s+/).filter(Boolean);
  const names = parts.map((part) => folderOf(part, about) ?? fileOf(part, { quotes: about.quotes, lastFile: own }));
  if (names.length > 0 && names.every((name) => name !== undefined)) return remove(names as readonly string[]);
  if (IT.test(whole.trim())) return about.lastFile === undefined ? undefined : `Did you mean "delete the file ${about.lastFile}"?`;
  if (new RegExp(`^(?:the |this )?(?:\\w+ )?${FOLDER}$`, "i").test(whole))
    return "That would delete too much. Say which folder, by its name.";
  return /^[\w-]+$/.test(whole) && !/^(?:everything|all|files|nothing|anything|me|yourself|us|you)$/i.test(whole)
    ? `Is ${whole} a file or a folder? Say: delete the file ${whole}, or: delete the folder ${whole}.`
    : undefined;
}

function eraseInside(folder: string, files: RegExpExecArray | undefined, about: About): Reading {
  const name = plainName(folder, about.quotes);
  if (!files && fileOf(folder, about) !== undefined && /\w\.\w+$/.test(folder)) return undefined;
  if (name === undefined || /^(?:[/.~]+|workspace|repo|repository|there|src)$/i.test(name) || NO_NAME.test(name)) return TOO_MUCH;
  return files
    ? [bash(`rm -f ${shellWord(name)}/*${files[1] ? ".tmp" : ""}`, "delete", "Delete the files")]
    : [bash(`find ${shellWord(name)} -mindepth 1 -delete`, "delete", "Delete what is in it")];
}

// --- folders ---

function makeFolder(word: string, place: string | undefined, about: About): Reading {
  const name = plainName(word, about.quotes);
  const inside = place === undefined ? undefined : (folderOf(place, about) ?? plainName(place, about.quotes));
  if (name === undefined || /^(?:for|in|with|to|of|structure|called|named|new|the|tree)$/i.test(name)) return undefined;
  return [bash(`mkdir -p ${shellWord(inside === undefined ? name : `${inside}/${name}`)}`, "change", "Make the folder")];
}

// --- move and copy ---

interface Moved {
  readonly isCopy: boolean;
  readonly isRename: boolean;
  /** The verb is one for texts as well. */
  readonly isText: boolean;
  readonly from: string;
  /** "into" is a place, "as" is a name. */
  readonly how: string;
  readonly to: string;
}

const ROOT =
  /^(?:the |this |our |my |project(?:'s)? )*(?:root|top(?:[ -]level)?|main)(?: (?:folder|directory|level|of (?:the|this) (?:project|repo)))*$|^(?:here|\.)$/i;

const EVERYTHING = /^(?:.*\/)?(?:everything|all(?: (?:of )?(?:the |its )?(?:files|contents?))?|(?:the )?(?:files|contents?))$/i;

/** Names, not things: "move the button to the left" is no `mv`. A folder keeps the name of what goes into it, and is made if it is new. */
function moved({ isCopy, isRename, isText, from, how, to }: Moved, about: About): Reading {
  const [command, done] = isCopy ? ["cp -r", "copied"] : ["mv", "moved"];
  if (IT.test(from.trim()) && !about.isSameSentence && about.lastFile !== undefined)
    return `Did you mean "${isCopy ? "copy" : "move"} ${about.lastFile} to ${about.quotes.raw(to)}"?`;
  const file = sourceOf(from, about);
  const into = folderOf(to, about);
  const target = targetOf(to, into, about);
  if (file === undefined || target === undefined) return undefined;
  // "put "a b" in notes.txt" is a text.
  if (isText && !(fileOf(from, about) !== undefined && /\.\w+$/.test(file)) && folderOf(from, about) === undefined) return undefined;
  const isFolder = [from, to].some((phrase) => folderOf(phrase, about) !== undefined || /[\ue000-\uf8ff]/.test(phrase));
  if (!isFolder && ![file, target].some(isFileName)) return undefined;
  const isNewName = isRename || /^(?:as|called|named)$/i.test(how);
  // A file that goes to a name without an ending goes into a folder; what is no folder is an error then, not a new name.
  if (target === "." || into !== undefined || to.endsWith("/") || (!isNewName && isFileName(file) && !/\.\w+$/.test(target)))
    return intoFolder(`${command} ${shellWord(file)}`, target, into !== undefined || /^(?:into|inside)$/i.test(how));
  const name = isNewName ? inSameFolder(file, target) : target;
  const line = `${command} ${shellWord(file)} ${shellWord(name)}`;
  const there = `${name} is already there, so I ${done} nothing. To replace it: run ${line}`;
  return unlessThere(name, { there, drafts: [bash(line, "change")] }, about);
}

function sourceOf(from: string, about: About): string | undefined {
  if (IT.test(from.trim())) return about.lastFile;
  const word = from.trim().replace(/^(?:(?:the|this|my) )?(?:file )?(?:called |named )?/i, "");
  return folderOf(from, about) ?? plainName(word, about.quotes);
}

/** "there" behind "make a folder lib" is lib. */
function targetOf(to: string, into: string | undefined, about: About): string | undefined {
  if (ROOT.test(to)) return ".";
  if (/^(?:there|it|that folder|the folder)$/i.test(to)) return about.isSameSentence ? about.lastFile : undefined;
  return into ?? plainName(to.replace(/^(?:the |an? )?(?:new )?(?:file )?(?:called |named )?/i, ""), about.quotes);
}

function intoFolder(command: string, folder: string, isNew: boolean): Reading {
  const line = `${command} ${shellWord(`${folder}/`)}`;
  return [bash(isNew && folder !== "." ? `mkdir -p ${shellWord(folder)} && ${line}` : line, "change")];
}

/** A new name is a name, not a place: "rename src/a.js to b.js" stays in src. */
function inSameFolder(from: string, to: string): string {
  const [, folder] = /^(.+\/)[^/]+$/.exec(from) ?? [];
  return folder !== undefined && !to.includes("/") ? `${folder}${to}` : to;
}

const DELETE =
  "delete|remove|erase|trash|get rid of|throw (?:away|out)|unlink|destroy|drop|rm|wipe(?: out)?|nuke|bin|ditch|scrap|zap|dispose of|eliminate|kill|toss|purge";
const MOVE = "move|relocate|transfer|shift|mv|drag";
const COPY = "copy|duplicate|clone|cp|replicate|back ?up|(?:make|create|take)(?: me)? an? (?:copy|duplicate|backup|back-up) of";
const MAKE = "make|create|add|new|set up|build|mkdir|i (?:want|need)|need|want|generate";
const A_NEW = "(?: me| us)?(?: an?| the| one| another)?(?: new| empty)*";

export const FILE_RULES: readonly Rule[] = [
  rule(
    "sort (?:(?:all )?(?:the )?lines (?:in|of) (\\S+)|(\\S+))(?: ((?:alphabetically|by name|in (?:alphabetical|reverse|descending) order|reversed?|backwards|numerically|by number| )+))?",
    ([whole = "", one, other, how = ""], about) => {
      const file = fileOf(one ?? other ?? "", about);
      if (file === undefined || (one === undefined && how === "")) return undefined;
      const options = `${/revers|descending|backwards/i.test(whole) ? "-r " : ""}${/number|numeric/i.test(how) ? "-n " : ""}`;
      return [bash(`sort ${options}-o ${shellWord(file)} ${shellWord(file)}`, "change", "Sort its lines")];
    },
  ),
  rule(`(?:${DELETE}) (.+)`, ([, said = ""], about) => {
    const made = erase(said, about);
    const more = Array.isArray(made) && !ALL_INSIDE.test(said) ? leftover([said]) : undefined;
    return more === undefined ? made : notAll(more);
  }),
  rule(
    `(?:${MAKE})${A_NEW} ${FOLDER}(?: for \\S+(?: \\S+)?)?(?: (?:called|named|with (?:the )?name(?: of)?))? (\\S+)(?: (?:in|inside|under) (.+))?`,
    ([, word = "", place], about) => makeFolder(word, place, about),
  ),
  rule(`(?:${MAKE})${A_NEW} (\\S+) ${FOLDER}(?: (?:in|inside|under) (.+))?`, ([, word = "", place], about) =>
    makeFolder(word, place, about),
  ),
  rule(
    `(?:(rename)|(${COPY})|(stick|drop|put|bring)|(?:${MOVE}))(?: over)? (.+?)(?: (?:in|from|inside) (?:the )?([\\w/-]+)(?: folder| directory)?)?,? (?:(?:over |down |up |back )?(to|into|as|in|->|inside|under|called|named) (.+?)|(there))`,
    ([, rename, copy, text, from = "", inside, how = "into", to = "there"], about) => {
      if (EVERYTHING.test(from.trim()))
        return `Which files? Say each by its name: ${copy === undefined ? "move" : "copy"} FILE to ${about.quotes.raw(to)}.`;
      return moved(
        {
          isCopy: copy !== undefined,
          isRename: rename !== undefined,
          isText: text !== undefined,
          from: inside === undefined ? from : `${inside}/${from}`,
          how,
          to,
        },
        about,
      );
    },
  ),
  rule(`(?:(${COPY})|(?:${MOVE}|rename)) (?:it|this|that|(?:this|that|the) file)`, ([whole = "", copy], { lastFile }) => {
    if (copy !== undefined) return undefined;
    const isRename = /^rename/i.test(whole);
    return `${isRename ? "What is its new name" : "Where to"}? Say: ${isRename ? "rename" : "move"} ${lastFile ?? "FILE"} to NAME.`;
  }),
  rule(`(?:${COPY}) (.+)`, ([, phrase = ""], about) =>
    onFile(phrase, about, (file) => [bash(`cp -r ${shellWord(file)} ${shellWord(`${file}.bak`)}`, "change", "Copy it")]),
  ),
  rule(
    "(?:make|set|mark)(?: the)?(?: file| script)? (\\S+) (?:as )?(?:an )?executable|give (\\S+) (?:the )?execut(?:e|able|ion) (?:permissions?|rights?|bit)|chmod \\+x (\\S+)",
    ([, one, two, three], about) => {
      const file = plainName(one ?? two ?? three ?? "", about.quotes);
      return file === undefined || IT.test(file) ? undefined : [bash(`chmod +x ${shellWord(file)}`, "change", "Make it executable")];
    },
  ),
  rule("(?:empty|clear|truncate|blank)(?: out)?(?: the file| the contents? of)? (\\S+)", ([, phrase = ""], about) => {
    const file = fileOf(phrase, about);
    return file === undefined || file.endsWith("/") ? undefined : write(file, "");
  }),
];
