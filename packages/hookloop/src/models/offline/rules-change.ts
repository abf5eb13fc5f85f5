/** Sentences that change, move and delete. What is not sure is asked back: nothing is overwritten, moved or deleted on a guess. */

import { counted } from "../../diagnostic.ts";
import type { ToolResultBlock } from "../../run/index.ts";
import {
  type About,
  bash,
  CODE,
  type Draft,
  fileOf,
  filesOf,
  isFileName,
  isQuoted,
  literally,
  onFile,
  placeOf,
  type Quotes,
  type Reading,
  type Rule,
  rule,
  shellWord,
  textOf,
  whole,
  withoutSentenceEnd,
} from "./phrase.ts";
import { addValue, isJsonFile, removeValue, setValue, valueNamed } from "./rules-value.ts";
import { LINE_NUMBER, lineAt, lineNumber, readFirst, replaceLines, shownText, unlessThere, WRITE_RULES, write } from "./rules-write.ts";

// --- changes ---

const CHANGE =
  "(?:replace|change|substitute|swap|exchange|convert|turn|rename|switch|update|modify|correct|fix|edit|set|alter|make|refactor|transform|bump)";
const FOR = "(?:with|by|to|into|for|through|as|against|->|=>|→)";
/** Things with a name: "the variable foo" is `foo`. */
const NOUN =
  /^(?:(?:all|every|each|any|the|this|that|of|my)\s+)*(?:occurr?ences? of |instances? of |mentions? of )?(?:(?:the|all|this|that)\s+)*(?:(?:variable|function|method|class|constant|word|words|text|string|name|term|phrase|identifier|parameter|property|field|key|line|typo|value|spelling|letter|title|heading|type|symbol|sentence)s?\s+)?(?:(?:called|named)\s+)?(?=\S)/i;

function thing(phrase: string, quotes: Quotes): string {
  return quotes.value(phrase.trim().replace(NOUN, "").trim() || phrase.trim());
}

function edit(file: string, from: string, to: string): readonly Draft[] {
  return [{ tool: "Edit", purpose: "change", input: { file_path: file, old_string: from, new_string: to, replace_all: true } }];
}

interface Change {
  /** The first word of the sentence: "set" is about a value, "rename" about a name. */
  readonly verb: string;
  readonly from: string;
  readonly to: string;
  /** Where; without it, the file that was spoken of last. */
  readonly phrase?: string | undefined;
}

function change({ verb, from, to, phrase }: Change, about: About): Reading {
  const old = thing(from, about.quotes);
  const wanted = to.replace(/ instead$/i, "").replace(EVERYWHERE, "");
  const fresh = NOTHING.test(about.quotes.raw(wanted.trim())) ? "" : thing(wanted, about.quotes);
  if (old === "" || /^line \d+$/i.test(from.trim()) || isVague(to)) return undefined;
  const isEverywhere = phrase === undefined && EVERYWHERE.test(to);
  const own = phrase === undefined ? PACKAGE_FIELD.exec(from.trim()) : null;
  const file = isEverywhere ? undefined : fileOf(own ? "package.json" : (phrase ?? "it"), about);
  const value = file === undefined ? undefined : valueNamed(verb, own ? `the ${own[1]}${own[2] ?? ""}` : from, file, about.quotes);
  if (file !== undefined) {
    const named = value ?? literalChange(verb, from, wanted, file);
    return named ? setValue(file, named, about.quotes.value(wanted.trim().replace(/^the value /i, ""))) : edit(file, old, fresh);
  }
  if (phrase === undefined && !isEverywhere)
    return `In which file? Say: replace ${old} with ${fresh} in FILE, or: replace ${old} with ${fresh} everywhere.`;
  const place = placeOf(phrase?.replace(/^(?:all|every|each)(?: of)?(?: the| my| our)? files? (?:in|of|under|inside|within) /i, ""), about);
  return place === null ? undefined : editEverywhere(old, fresh, place);
}

/** Without a file, these are the project's own. */
const PACKAGE_FIELD =
  /^(?:the |our |its )?(?:(?:package|project|app|application)(?:'s)? )?(version|license|description|author|name|homepage)(?: (?:number|of (?:the|this|our) (?:project|package|app)))?( from \S+)?$/i;

/** "change TAX to 0.25": a name does not become a number, its value does. */
function literalChange(verb: string, from: string, to: string, file: string): { readonly key: string } | undefined {
  const isValue = /^(?:-?\d+(?:\.\d+)?|true|false|null)$/i.test(to.trim());
  return isValue && CODE.test(file) && /^(?:change|set|update)$/i.test(verb) && /^[A-Za-z_$][\w$]*$/.test(from.trim())
    ? { key: from.trim() }
    : undefined;
}

const NOTHING = /^(?:nothing|(?:an? |the )?empty (?:string|text)|""|'')$/i;
const EVERYWHERE = /,? (?:everywhere|globally|project-?wide)$/i;

/** One edit for each file that has it. A name that is part of longer ones would break them. */
function editEverywhere(old: string, fresh: string, place: string | undefined): Reading {
  const look = (pattern: string, next: NonNullable<Draft["next"]>): readonly Draft[] => [
    {
      tool: "Grep",
      purpose: "prepare",
      input: { pattern, ...(place !== undefined && { path: place }), output_mode: "files_with_matches" },
      next,
    },
  ];
  const edits = (result: ToolResultBlock): readonly Draft[] | string => {
    if (result.is_error) return [];
    const said = shownText(result).split("\n");
    const files = said.filter((line) => line.startsWith("/"));
    if (files.length === 0) return `${old} is in no file${place === undefined ? "" : ` of ${place}`}, so I changed nothing.`;
    if (said.some((line) => line.startsWith("(")))
      return `Not every file was searched for ${old}, so I changed nothing. Say it for one folder: replace ${old} with ${fresh} in src.`;
    return files.flatMap((file) => edit(file, old, fresh));
  };
  if (!/^[\w$]+$/.test(old)) return look(literally(old), edits);
  return look(`[\\w$]${literally(old)}|${literally(old)}[\\w$]`, (result) => {
    const longer = shownText(result)
      .split("\n")
      .filter((line) => line.startsWith("/"));
    if (result.is_error) return [];
    if (longer.length === 0) return look(literally(old), edits);
    return `${old} is also part of longer words (${counted(longer.length, "file")}, the first is ${longer[0]}), so I changed nothing. Say it with more of the text around it: replace "${old}(" with "${fresh}(" everywhere.`;
  });
}

/** "something better" is not a text to put in. */
function isVague(to: string): boolean {
  return /^(?:something|anything|somebody|whatever|(?:a|an|the) (?:better|new|proper|correct|right|faster|other|nicer|different)|better|its|their|use)\b/i.test(
    to.trim(),
  );
}

const EDIT: readonly Rule[] = [
  rule(
    "add (?:an? |the |new )*(?:(?:field|key|property|entry|setting|value|option) )?(?:called |named )?([\\w.-]+|[\\ue000-\\uf8ff])(?: field| key| property)?(?: (?:with (?:the )?value|set to|with|of|as|=|is|:)|:)? ([\\w.-]+|[\\ue000-\\uf8ff]) (?:to|in|into) (.+)",
    ([, key = "", value = "", phrase = ""], about) => {
      const file = fileOf(phrase, about);
      return file === undefined || !isJsonFile(file) || /^(?:line|text|comment|script)$/i.test(key)
        ? undefined
        : addValue(file, about.quotes.value(key), about.quotes.value(value));
    },
  ),
  rule(
    `(?:replace|change|set|overwrite|make) ${LINE_NUMBER} (?:of|in) (\\S+|the file \\S+) ${FOR} (.+)`,
    ([, one, other, phrase = "", text = ""], about) => changeLine(lineNumber(one ?? other ?? ""), phrase, text, about),
  ),
  rule(
    `(${CHANGE}) (.+?) (?:in|inside|of|within) (\\S+|the file \\S+) from (.+?) ${FOR} (.+)`,
    ([, verb = "", from = "", phrase, old = "", to = ""], about) =>
      /^(?:the |a )?(?:word|text|string|line|sentence|phrase)s?$/i.test(from)
        ? change({ verb, from: old, to, phrase }, about)
        : change({ verb, from: `${from} from ${old}`, to, phrase }, about),
  ),
  rule(`(${CHANGE}) (.+?) (?:in|inside|of|within) (\\S+|the file \\S+) ${FOR} (.+)`, ([, verb = "", from = "", phrase, to = ""], about) =>
    change({ verb, from, to, phrase }, about),
  ),
  rule(
    `(${CHANGE})(?: me)? (.+?) ${FOR} (.+?),? (?:in|inside|of|within|from|throughout|across|everywhere in|all over) (.+)`,
    ([, verb = "", from = "", to = "", phrase], about) => change({ verb, from, to, phrase }, about),
  ),
  rule(
    `(use|write|put|say) (.+?) (?:instead of|rather than|in place of) (.+?)(?:,? (?:in|inside|within|across|throughout) (.+)|( everywhere))`,
    ([, verb = "", to = "", from = "", phrase, everywhere = ""], about) => change({ verb, from, to: `${to}${everywhere}`, phrase }, about),
  ),
  rule(`(s|sed)\\/([^/]+)\\/([^/]*)\\/g?,? (?:in|on) (.+)`, ([, verb = "", from = "", to = "", phrase], about) =>
    change({ verb, from, to, phrase }, about),
  ),
  rule(
    `(?:fix|correct|repair)(?: the| a| all)?(?: typos?| misspelling| spelling(?: mistake| error)?| mistake| spelling of)+ (?:of )?(.+?) (?:in|inside|of) (.+)`,
    ([, word = "", phrase = ""], about) => fixTypo(word, phrase, about),
  ),
  rule(`(replace|substitute|rename|change|set|bump|update) (.+?) (?:with|by|to) (.+)`, ([, verb = "", from = "", to = ""], about) =>
    // A place that no rule understood must not become a part of the text.
    / (?:in|inside|within|across|throughout|under|from|on|of)(?: |$)/i.test(to) ||
    isFileName(about.quotes.value(from.trim())) ||
    /\b(?:folder|directory)\b/i.test(from) ||
    (isFileName(about.quotes.value(to.trim())) && !/^[\d.]+$/.test(to.trim()) && !PACKAGE_FIELD.test(from.trim()))
      ? undefined
      : /^(?:set|bump|update)$/i.test(verb) && about.lastFile === undefined && !PACKAGE_FIELD.test(from.trim())
        ? undefined
        : change({ verb, from, to }, about),
  ),
  rule(
    "(?:delete|remove|erase|drop|take|cut|strip) (.+?)(?: out)? (?:from|in|out of|inside|of) (.+)",
    ([, text = "", phrase = ""], about) => removed(text, phrase, about),
  ),
  rule("(?:edit|modify|change|update|fix|improve|refactor|correct) (.+)", ([, phrase = ""], about) => {
    const file = fileOf(phrase, about);
    return file === undefined
      ? undefined
      : `What should I change in ${file}? Say: replace A with B in ${file}, or: add a line "TEXT" to ${file}.`;
  }),
];

function changeLine(number: number, phrase: string, text: string, about: About): Reading {
  const file = fileOf(phrase, about);
  if (file === undefined || number === 0) return undefined;
  return readFirst(file, (own) => {
    const at = lineAt(own, number, file);
    return typeof at === "string" ? at : replaceLines(file, own, at, () => textOf(text, about.quotes));
  });
}

const TYPOS: Readonly<Record<string, string>> = {
  teh: "the",
  adn: "and",
  recieve: "receive",
  seperate: "separate",
  occured: "occurred",
  definately: "definitely",
  wich: "which",
  becuase: "because",
  lenght: "length",
  retrun: "return",
  fucntion: "function",
  thier: "their",
  taht: "that",
  hte: "the",
  beleive: "believe",
  adress: "address",
};

/** A well-known one is corrected; for another the file is shown, and the right word asked for. */
function fixTypo(word: string, phrase: string, about: About): Reading {
  const file = fileOf(phrase, about);
  const wrong = thing(word, about.quotes);
  const right = TYPOS[wrong.toLowerCase()];
  if (file === undefined) return undefined;
  return right === undefined ? [{ tool: "Read", purpose: "read", input: { file_path: file } }] : edit(file, wrong, right);
}

/** Only the very words are taken out: a function or a section is more than its name. */
function removed(text: string, phrase: string, about: About): Reading {
  const file = fileOf(phrase, about);
  const [, call] = /^(?:the |all |every |any )*([a-z]\w*\.\w+)(?:\(\))?(?: (?:calls?|lines?|statements?))?$/i.exec(text.trim()) ?? [];
  if (file !== undefined && call !== undefined && CODE.test(file)) return removeLine(file, call);
  if (file === undefined || (!isQuoted(text) && filesOf(text, about))) return undefined;
  const [, number] = /^(?:the )?line (?:number )?(\d+)$/i.exec(text.trim()) ?? [];
  const [, from, to] = /^(?:the )?lines? (\d+) ?(?:to|-|until|through|and) ?(\d+)$/i.exec(text.trim()) ?? [];
  if (from !== undefined) return [bash(`sed -i ${from},${to}d ${shellWord(file)}`, "change", "Delete lines")];
  if (number !== undefined) return [bash(`sed -i ${number}d ${shellWord(file)}`, "change", "Delete a line")];
  const [, holding] =
    /^(?:the |this |any |a )*line (?:(?:with|containing|that (?:says|contains|has|mentions)|saying|called|which says|about|mentioning|for) )?(?:the (?:text|word) )?(.+)$/i.exec(
      text.trim(),
    ) ?? [];
  if (holding !== undefined) return removeLine(file, about.quotes.value(holding));
  if (
    /\b(?:functions?|class(?:es)?|methods?|sections?|paragraphs?|block|part|lines|everything|all|imports?|comments?|content|contents|first|last|empty)\b/i.test(
      text,
    ) &&
    !isQuoted(text)
  )
    return `I can only take out the very words. Say: remove the words "OLD" from ${file}, or: remove the line "OLD" from ${file}.`;
  const words = thing(text, about.quotes);
  return isJsonFile(file) ? removeValue(file, words.replace(FIELD_END, "")) : edit(file, words, "");
}

const FIELD_END = / (?:field|key|value|setting|property|option|entry)$/i;

function removeLine(file: string, text: string): Reading {
  return readFirst(file, (own) => {
    const at = lineAt(own, text, file);
    return typeof at === "string" ? at : replaceLines(file, own, at, () => undefined);
  });
}

// --- whole files and folders ---

const FOLDER = "(?:sub)?(?:folder|directory|dir)";
const DELETE = "(?:delete|remove|erase|trash|get rid of|throw away|unlink|destroy|drop|rm)";

/** From an earlier sentence it is not sure enough to delete or to move. */
const IT = /^(?:it|this|that|(?:this|that|the) file)$/i;

/** One name for the shell; nothing that the shell would take for more than a name. */
function plainName(word: string, quotes: Quotes): string | undefined {
  const bareWord = withoutSentenceEnd(word.trim());
  const name = quotes.value(bareWord);
  const isOk = name !== bareWord ? !/[\n\0]/.test(name) : /^[\p{L}\p{N}_./~@+-]+$/u.test(name);
  return isOk && name !== "" ? name.replace(/(?<=.)\/+$/, "") : undefined;
}

function remove(names: readonly (string | undefined)[]): Reading {
  if (names.some((name) => name === undefined || /^(?:\/|~|\.|\.\.|\*)\/*$/.test(name))) {
    return "That would delete too much. Say which file or folder, by its name.";
  }
  return [bash(`rm -r ${names.map((name) => shellWord(name ?? "")).join(" ")}`, "delete", "Delete it")];
}

/** "a.txt, the folder out and b.txt" */
function filesAndFolders(phrase: string, about: About): readonly (string | undefined)[] | undefined {
  const parts = phrase.split(/\s*,\s*(?:and\s+)?|\s+(?:and|&)\s+/).filter(Boolean);
  const names = parts.map((part) => {
    const [, one, other] =
      new RegExp(`^(?:the |this |my |our )*(?:${FOLDER}(?: called| named)? (\\S+)|(\\S+) ${FOLDER})$`, "i").exec(part) ?? [];
    const folder = one ?? other;
    return folder === undefined ? fileOf(part, { quotes: about.quotes }) : plainName(folder, about.quotes);
  });
  return parts.length > 1 && names.every((name) => name !== undefined) ? names : undefined;
}

const WHOLE: readonly Rule[] = [
  rule(
    `${DELETE} (?:everything|all(?: of)?(?: the)? (?:contents?|things|stuff)|(?:the )?(?:whole )?contents?)(?: (?:that is )?(?:in|from|under|inside|of) (?:the )?(?:${FOLDER} )?(\\S+)(?: ${FOLDER})?)?`,
    ([, folder = "."], about) => {
      const name = plainName(folder, about.quotes);
      if (fileOf(folder, about) !== undefined && /\w\.\w+$/.test(folder)) return undefined;
      if (name === undefined || /^(?:[/.~]+|here|this|it|the|my|project|workspace|repo|repository|there|src|home)$/i.test(name))
        return "That would delete too much. Say which files or folder, by name.";
      return [bash(`find ${shellWord(name)} -mindepth 1 -delete`, "delete", "Delete what is in it")];
    },
  ),
  rule(
    "sort (?:(?:all )?(?:the )?lines (?:in|of) (\\S+)|(\\S+))(?: ((?:alphabetically|by name|in (?:alphabetical|reverse|descending) order|reversed?|backwards|numerically|by number| )+))?",
    ([whole = "", one, other, how = ""], about) => {
      const file = fileOf(one ?? other ?? "", about);
      if (file === undefined || (one === undefined && how === "")) return undefined;
      const options = `${/revers|descending|backwards/i.test(whole) ? "-r " : ""}${/number|numeric/i.test(how) ? "-n " : ""}`;
      return [bash(`sort ${options}-o ${shellWord(file)} ${shellWord(file)}`, "change", "Sort its lines")];
    },
  ),
  rule(`${DELETE} (.+)`, ([, phrase = ""], about) => {
    const names = /[$`();|<>]/.test(phrase) ? undefined : filesAndFolders(phrase, about);
    return names && remove(names.map((name) => name?.replace(/(?<=.)\/+$/, "")));
  }),
  rule(
    `${DELETE} all (?:the |of the |my )?(temporary |temp |tmp )?files (?:in|from|under|inside) (?:the )?(?:${FOLDER} )?(\\S+)(?: ${FOLDER})?`,
    ([, temporary, folder = ""], about) => {
      const name = plainName(folder, about.quotes);
      if (name === undefined || /^(?:here|this|it|\.|~|the|my|project|workspace)$/i.test(name))
        return "That would delete too much. Say which files, by their names.";
      return [bash(`rm -f ${shellWord(name)}/*${temporary ? ".tmp" : ""}`, "delete", "Delete the files")];
    },
  ),
  rule(
    `${DELETE} (?:all |the |every |all the )*(?:files (?:named |called |like |matching )?)?(\\*?\\.\\w+)(?: files?)?`,
    ([, ending = ""]) =>
      /^\*?\.\w{1,8}$/.test(ending) && ending.startsWith("*") ? [bash(`rm -f -- ${ending}`, "delete", "Delete the files")] : undefined,
  ),
  rule(
    `${DELETE} (?:the |this |my |our |an? )*(?:(?:old|empty|whole|entire|complete|temporary) )*(?:${FOLDER})(?: called| named)? (\\S+)|${DELETE} (?:the |this |my |our )*(\\S+) ${FOLDER}`,
    ([, one, other], about) => {
      const name = one ?? other ?? "";
      return /^(?:this|current|whole|entire|working|parent|home|root|it|that|project|old|new|empty|other|last|first|same|right|wrong|temporary)$/i.test(
        name,
      )
        ? "That would delete too much. Say which folder, by its name."
        : remove([plainName(name, about.quotes)]);
    },
  ),
  rule(`${DELETE} (.+)`, ([, phrase = ""], about) => {
    const files = /[$`();|&<>]/.test(phrase)
      ? undefined
      : filesOf(phrase, { quotes: about.quotes, lastFile: about.isSameSentence ? about.lastFile : undefined });
    if (files) return remove(files.map((file) => file.replace(/(?<=.)\/+$/, "")));
    if (IT.test(phrase.trim()) && about.lastFile !== undefined) return `Did you mean "delete the file ${about.lastFile}"?`;
    return /^[\w-]+$/.test(phrase) && !/^(?:everything|all|it|that|this|them|files|nothing|anything|me|yourself)$/i.test(phrase)
      ? `Is ${phrase} a file or a folder? Say: delete the file ${phrase}, or: delete the folder ${phrase}.`
      : undefined;
  }),
  rule(
    `(?:make|create|add|new|set up|build|mkdir|i (?:want|need))(?: me| us)?(?: an?| the| one| another)?(?: new| empty)* ${FOLDER}(?: (?:called|named|with (?:the )?name(?: of)?))? (\\S+)(?: (?:in|inside|under) (\\S+))?`,
    ([, word = "", place], about) => folder(word, place, about),
  ),
  rule(`(?:make|create|add|set up|i (?:want|need))(?: me| us)?(?: an?| the)?(?: new| empty)* (\\S+) ${FOLDER}`, ([, word = ""], about) =>
    folder(word, undefined, about),
  ),
  rule(
    `(move|rename|copy|back ?up)(?: over)?(?: the| this| my)?(?: file|( folder| directory))? (\\S+)( folder| directory)? (?:(?:(?:over |down |up |back )?(to|into|as|in|->|inside|under|called|named)) (.+?)|(there))`,
    ([, verb = "", one, from = "", other, how = "into", to = "there"], about) =>
      moved({ verb, from, how, to, isFolder: (one ?? other) !== undefined }, about),
  ),
  rule("(?:make|create|take)(?: me)? a (?:backup|back-up|copy) of (.+)|(?:back ?up|duplicate) (.+)", ([, one, other], about) =>
    onFile(one ?? other ?? "", about, (file) => [bash(`cp -r ${shellWord(file)} ${shellWord(`${file}.bak`)}`, "change", "Copy it")]),
  ),
  rule(
    "(?:make|set|mark)(?: the)?(?: file| script)? (\\S+) (?:as )?(?:an )?executable|give (\\S+) (?:the )?execut(?:e|able|ion) (?:permissions?|rights?|bit)|chmod \\+x (\\S+)",
    ([, one, two, three], about) => {
      const file = plainName(one ?? two ?? three ?? "", about.quotes);
      return file === undefined || /^(?:it|this|that)$/i.test(file)
        ? undefined
        : [bash(`chmod +x ${shellWord(file)}`, "change", "Make it executable")];
    },
  ),
  rule("(?:empty|clear|truncate|blank)(?: out)?(?: the file| the contents? of)? (\\S+)", ([, phrase = ""], about) => {
    const file = fileOf(phrase, about);
    return file === undefined || file.endsWith("/") ? undefined : write(file, "");
  }),
];

function folder(word: string, place: string | undefined, about: About): Reading {
  const name = plainName(word, about.quotes);
  const inside = place === undefined ? undefined : plainName(place, about.quotes);
  if (name === undefined || /^(?:for|in|with|to|of|structure|called|named|new|the|tree)$/i.test(name)) return undefined;
  return [bash(`mkdir -p ${shellWord(inside === undefined ? name : `${inside}/${name}`)}`, "change", "Make the folder")];
}

interface Moved {
  readonly verb: string;
  readonly from: string;
  /** "into" is a place, "as" is a name. */
  readonly how: string;
  readonly to: string;
  /** "the docs folder": a name without an ending. */
  readonly isFolder: boolean;
}

const ROOT =
  /^(?:the |this |our |my |project(?:'s)? )*(?:root|top(?:[ -]level)?|main)(?: (?:folder|directory|level|of (?:the|this) (?:project|repo)))*$|^(?:here|\.)$/i;
const IN_FOLDER = new RegExp(`^(?:(?:an?|the|this|my|our|new) )*(?:${FOLDER}(?: called| named)? (\\S+)|(\\S+) ${FOLDER})$`, "i");

/** Names, not things: "move the button to the left" is no `mv`. A folder keeps the name of what goes into it, and is made if it is new. */
function moved({ verb, from, how, to, isFolder }: Moved, about: About): Reading {
  const [command, done] = /^(?:move|rename)$/i.test(verb) ? ["mv", "moved"] : ["cp -r", "copied"];
  const [, one, other] = IN_FOLDER.exec(to) ?? [];
  const into = one ?? other;
  const word = into ?? to.replace(/^(?:the |an? )?(?:file )?(?:called |named )?/i, "");
  const target = targetOf(to, word, about);
  if (IT.test(from) && !about.isSameSentence && about.lastFile !== undefined)
    return `Did you mean "${command === "mv" ? "move" : "copy"} ${about.lastFile} to ${about.quotes.raw(to)}"?`;
  const file = IT.test(from) ? about.lastFile : plainName(from, about.quotes);
  if (file === undefined || target === undefined || /\s/.test(word)) return undefined;
  if (!isFolder && into === undefined && ![file, target].some(isFileName) && !/[\ue000-\uf8ff]/.test(from + to)) return undefined;
  const isRenamed = /^rename$/i.test(verb) || /^(?:as|called|named)$/i.test(how);
  const isFolderMeant = into !== undefined || to.endsWith("/");
  // A file that goes to a name without an ending goes into a folder; what is no folder is an error then, not a new name.
  if (target === "." || isFolderMeant || (!isRenamed && isFileName(file) && !/\.\w+$/.test(target)))
    return intoFolder(`${command} ${shellWord(file)}`, target, into !== undefined || /^(?:into|inside)$/i.test(how));
  const name = inSameFolder(isRenamed, file, target);
  const line = `${command} ${shellWord(file)} ${shellWord(name)}`;
  const there = `${name} is already there, so I ${done} nothing. To replace it: run ${line}`;
  return unlessThere(name, { there, drafts: [bash(line, "change")] }, about);
}

/** "there" behind "make a folder lib" is lib. */
function targetOf(to: string, word: string, { quotes, lastFile, isSameSentence }: About): string | undefined {
  if (ROOT.test(to)) return ".";
  return /^(?:there|it|that folder|the folder)$/i.test(to) ? (isSameSentence ? lastFile : undefined) : plainName(word, quotes);
}

function intoFolder(command: string, folder: string, isNew: boolean): Reading {
  const line = `${command} ${shellWord(`${folder}/`)}`;
  return [bash(isNew && folder !== "." ? `mkdir -p ${shellWord(folder)} && ${line}` : line, "change")];
}

/** A new name is a name, not a place: "rename src/a.js to b.js" stays in src. */
function inSameFolder(isRenamed: boolean, from: string, to: string): string {
  const [, folder] = /^(.+\/)[^/]+$/.exec(from) ?? [];
  return isRenamed && folder !== undefined && !to.includes("/") ? `${folder}${to}` : to;
}

/** "remove x from a.txt" before "remove a.txt"; what only names a file comes last. */
export const CHANGE_RULES: readonly Rule[] = [
  ...WHOLE.slice(0, 5),
  ...EDIT.slice(0, -1),
  ...WHOLE.slice(5),
  ...WRITE_RULES,
  ...EDIT.slice(-1),
].map(whole);
