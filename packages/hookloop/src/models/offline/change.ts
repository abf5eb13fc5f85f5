/**
 * What changes the text of files. An action has its verbs; where (a file, a folder, everywhere) and at which line is found by its looks
 * and taken out of the sentence, wherever it stands, and what is left are the texts.
 * Refuses half a sentence: a part that holds more than the one thing it is for is asked back.
 */

import {
  addLine,
  addValue,
  changeLine,
  comment,
  createNew,
  edit,
  editEverywhere,
  isJsonFile,
  lines,
  removeValue,
  removeWords,
  setValue,
  valueNamed,
  write,
} from "./edits.ts";
import {
  type About,
  bash,
  CODE,
  fileOf,
  filesOf,
  isFileName,
  isOtherCount,
  isQuoted,
  leftover,
  notAll,
  placeOf,
  type Quotes,
  type Reading,
  type Rule,
  rule,
  shellWord,
  textOf,
} from "./phrase.ts";

// --- where ---

interface Place {
  /** The text around the place. */
  readonly rest: string;
  readonly file?: string | undefined;
  /** Everywhere, or in one folder. */
  readonly isAll?: boolean;
  readonly folder?: string | undefined;
}

const IN = "(?:in|inside|within|of|from|out of|throughout|across|to|into|onto|on|at|everywhere in|all over|under|for)";
const EVERYWHERE = /,? (?:everywhere|globally|project-?wide)$/i;
const ALL_FILES = /^(?:all|every|each)(?: of)?(?: the| my| our)? files? (?:in|of|under|inside|within) /i;

/** The last file behind a preposition, in the middle or at the end. */
function placeIn(text: string, about: About, prepositions: string): Place | undefined {
  const found = [...text.matchAll(new RegExp(`(?<=^|\\s)${prepositions}\\s+`, "gi"))].reverse();
  for (const { index, 0: preposition } of found) {
    const after = text.slice(index + preposition.length);
    const before = text.slice(0, index).replace(/[\s,]+$/, "");
    const whole = fileOf(after, about);
    if (whole !== undefined) return { rest: before, file: whole };
    const [, phrase = "", more = ""] = /^((?:the |this |my )?(?:file |script )?\S+?)[,:;]?(\s.+)$/s.exec(after) ?? [];
    const file = isPronoun(phrase) && !/^\s(?:with|to|by|into)\b/i.test(more) ? undefined : fileOf(phrase, about);
    if (file !== undefined && looksLikeFile(phrase, about)) return { rest: `${before}${more}`.trim(), file };
  }
  return undefined;
}

function looksLikeFile(phrase: string, { quotes }: About): boolean {
  const name = quotes.value(phrase.replace(/^.*\s/, ""));
  return (
    isPronoun(phrase) ||
    (/\.[a-z]\w*$|^\.\w+$|\//i.test(name) && !/^\d/.test(name)) ||
    /^(?:the |this )?file /i.test(phrase) ||
    /^readme$/i.test(name)
  );
}

function isPronoun(phrase: string): boolean {
  return /^(?:it|there|that file|this file|the file)$/i.test(phrase.trim());
}

/** The same, or a folder, or everywhere. */
function anyPlaceIn(text: string, about: About): Place | undefined {
  if (EVERYWHERE.test(text)) return { rest: text.replace(EVERYWHERE, ""), isAll: true };
  const one = placeIn(text, about, "(?:in|inside|within|of|from|throughout|across|everywhere in|all over)");
  if (one) return one;
  for (const { index, 0: joint } of [
    ...text.matchAll(/,?\s+(?:in|inside|within|throughout|across|under|everywhere in|all over)\s+/gi),
  ].reverse()) {
    const folder = placeOf(text.slice(index + joint.length).replace(ALL_FILES, ""), about);
    if (folder !== null && !/^(?:line|lines)$/i.test(folder ?? "")) return { rest: text.slice(0, index), isAll: true, folder };
  }
  return undefined;
}

/** "line 3", "the last line"; a number below zero counts from the end. */
const LINE_NUMBER = "(?:the )?(?:line (?:number )?(\\d+)|(\\d+)(?:st|nd|rd|th) line|(first|second|third|fourth|fifth|last) line)";
const ORDINALS: Readonly<Record<string, number>> = { first: 1, second: 2, third: 3, fourth: 4, fifth: 5, last: -1 };

function lineNumber(phrase: string): number | undefined {
  const [, one, other, ordinal = ""] = new RegExp(`^${LINE_NUMBER}$`, "i").exec(phrase.trim()) ?? [];
  return ORDINALS[ordinal.toLowerCase()] ?? ((one ?? other) ? Number(one ?? other) : undefined);
}

// --- replace ---

const FOR = "(?:with|by|to|into|for|through|as|against|->|=>|→)";
/** Things with a name: "the variable foo" is `foo`. */
const NOUN =
  /^(?:(?:all|every|each|any|the|this|that|of|my)\s+)*(?:occurr?ences? of |instances? of |mentions? of )?(?:(?:the|all|this|that)\s+)*(?:(?:variable|function|method|class|constant|word|words|text|string|name|term|phrase|identifier|parameter|property|field|key|line|typo|value|spelling|letter|title|heading|type|symbol|sentence)s?\s+)?(?:(?:called|named)\s+)?(?=\S)/i;

function thing(phrase: string, quotes: Quotes): string {
  return quotes.value(phrase.trim().replace(NOUN, "").trim() || phrase.trim());
}

/** Without a file, these are the project's own. */
const PACKAGE_FIELD =
  /^(?:the |our |its )?(?:(?:package|project|app|application)(?:'s)? )?(version|license|description|author|name|homepage)(?: (?:number|of (?:the|this|our) (?:project|package|app)))?( from \S+)?$/i;
const NOTHING = /^(?:nothing|(?:an? |the )?empty (?:string|text)|""|'')$/i;
/** "something better" is not a text to put in. */
const VAGUE =
  /^(?:something|anything|somebody|whatever|(?:a|an|the) (?:better|new|proper|correct|right|faster|other|nicer|different)|better|its|their|use)\b/i;

/** "replace A with B", "A from B to C", "A should be B". */
function pairOf(text: string): { readonly from: string; readonly to: string } | undefined {
  const [, to1, from1] = /^(.+?) (?:instead of|rather than|in place of) (.+)$/is.exec(text) ?? [];
  if (from1 !== undefined && to1 !== undefined) return { from: from1, to: to1 };
  const [, from, to] = new RegExp(`^(.+?),? (?:${FOR}|so that it (?:is|says)|it should be|should be) (.+)$`, "is").exec(text) ?? [];
  const [, old] = /^(?:the |a )?(?:word|text|string|line|sentence|phrase)s? from (.+)$/i.exec(from ?? "") ?? [];
  return from === undefined || to === undefined ? undefined : { from: old ?? from, to: to.replace(/ instead$/i, "") };
}

/** "the divide by zero bug" is one thing. */
const A_BUG = /\b(?:bugs?|errors?|issues?|problems?|crash(?:es)?|failures?|exceptions?|warnings?|tests?)$/i;

function replace(verb: string, said: string, about: About): Reading {
  const own = anyPlaceIn(said, about);
  const pair = /^(?:fix|correct)$/i.test(verb) && A_BUG.test(own?.rest ?? said) ? undefined : (pairOf(own?.rest ?? said) ?? pairOf(said));
  const isInstead = / (?:instead of|rather than|in place of) /i.test(said);
  if (pair === undefined || VAGUE.test(pair.to.trim()) || (/^(?:use|write|put|say)$/i.test(verb) && !isInstead)) return undefined;
  const field = own === undefined ? PACKAGE_FIELD.exec(pair.from.trim()) : null;
  if (field) return replaceIn("package.json", { ...pair, verb, from: `the ${field[1]}${field[2] ?? ""}` }, about);
  if (own === undefined && !isChangeOfIt(verb, pair, about)) return undefined;
  const file = own === undefined ? about.lastFile : own.file;
  if (file !== undefined) return replaceIn(file, { ...pair, verb }, about);
  const more = leftover([pair.from, pair.to]);
  if (more !== undefined) return notAll(more);
  const [old, fresh] = [thing(pair.from, about.quotes), freshText(pair.to, about)];
  if (old === "" || lineNumber(pair.from) !== undefined) return undefined;
  return own?.isAll
    ? editEverywhere(old, fresh, own.folder)
    : `In which file? Say: replace ${old} with ${fresh} in FILE, or: replace ${old} with ${fresh} everywhere.`;
}

interface Change {
  /** "set" is about a value, "rename" about a name. */
  readonly verb: string;
  readonly from: string;
  readonly to: string;
}

function replaceIn(file: string, { verb, from, to }: Change, about: About): Reading {
  const number = lineNumber(from);
  const more = leftover(number === undefined ? [from, to] : [to]);
  if (more !== undefined) return notAll(more);
  if (number !== undefined) return changeLine(file, number, () => textOf(to, about.quotes));
  const value = valueNamed(verb, from, file, about.quotes) ?? literalValue(verb, from, to, file);
  if (value) return setValue(file, value, about.quotes.value(to.trim().replace(/^the value /i, "")));
  const old = thing(from, about.quotes);
  return old === "" ? undefined : edit(file, old, freshText(to, about));
}

function freshText(to: string, { quotes }: About): string {
  return NOTHING.test(quotes.raw(to.trim())) ? "" : thing(to, quotes);
}

/** Without a place: only what cannot be the name of a file or a place that was not understood. */
function isChangeOfIt(verb: string, { from, to }: { readonly from: string; readonly to: string }, about: About): boolean {
  const isName = [from, to].some((word) => isFileName(about.quotes.value(word.trim())) && !/^[\d.]+$/.test(word.trim()));
  if (
    isName ||
    / (?:in|inside|within|across|throughout|under|from|on|of)(?: |$)/i.test(to) ||
    /\b(?:folder|directory|branch|mode|model)\b/i.test(`${from} ${to}`)
  )
    return false;
  return (
    /^(?:replace|substitute|rename|change|swap|exchange)$/i.test(verb) ||
    (/^(?:set|bump|update)$/i.test(verb) && about.lastFile !== undefined)
  );
}

/** "change TAX to 0.25": a name does not become a number, its value does. */
function literalValue(verb: string, from: string, to: string, file: string): { readonly key: string } | undefined {
  const isValue = /^(?:-?\d+(?:\.\d+)?|true|false|null)$/i.test(to.trim());
  return isValue && CODE.test(file) && /^(?:change|set|update)$/i.test(verb) && /^[A-Za-z_$][\w$]*$/.test(from.trim())
    ? { key: from.trim() }
    : undefined;
}

const TYPOS = new Map(
  "teh:the hte:the adn:and recieve:receive seperate:separate occured:occurred definately:definitely wich:which becuase:because lenght:length retrun:return fucntion:function thier:their taht:that beleive:believe adress:address"
    .split(" ")
    .map((pair) => pair.split(":") as [string, string]),
);

/** A well-known one is corrected; for another the file is shown, and the right word asked for. */
function fixTypo(said: string, about: About): Reading {
  const own = placeIn(said, about, "(?:in|inside|of)");
  const [, word] =
    /^(?:the |a |all )?(?:typos?|misspelling|spelling(?: mistake| error)?|mistake)(?: of)? (.+)$/i.exec(own?.rest ?? "") ?? [];
  if (own?.file === undefined || word === undefined || new RegExp(` ${FOR} `, "i").test(word)) return undefined;
  const wrong = thing(word, about.quotes);
  const right = TYPOS.get(wrong.toLowerCase());
  return right === undefined ? [{ tool: "Read", purpose: "read", input: { file_path: own.file } }] : edit(own.file, wrong, right);
}

// --- take out ---

const MORE_THAN_WORDS =
  /\b(?:functions?|class(?:es)?|methods?|sections?|paragraphs?|block|part|lines|(?:every|each) line|everything|all|imports?|comments?|content|contents|first|last|empty|bugs?|mistakes?|errors?|problems?|typos?|issues?)\b/i;

/** Only the very words are taken out: a function or a section is more than its name. */
function takeOut(said: string, about: About): Reading {
  const { file, rest = "" } = placeIn(said, about, "(?:from|in|out of|inside|of)") ?? {};
  const text = rest.replace(/ out$/i, "").trim();
  // What has no ending is a folder.
  if (file === undefined || /^[/.~]*[\w-]*$/.test(file) || text === "" || (!isQuoted(text) && filesOf(text, about))) return undefined;
  const [, from, to] = /^(?:the )?lines? (?:number )?(\d+)(?: ?(?:to|-|until|through|and) ?(\d+))?$/i.exec(text) ?? [];
  if (from !== undefined) return [bash(`sed -i ${from}${to === undefined ? "" : `,${to}`}d ${shellWord(file)}`, "change", "Delete lines")];
  const line = lineNumber(text) ?? lineHolding(text, file, about);
  const more = typeof line === "number" ? undefined : leftover([text]);
  if (more !== undefined) return notAll(more);
  if (line !== undefined) return changeLine(file, line, () => undefined);
  if (MORE_THAN_WORDS.test(text) && !isQuoted(text))
    return `I can only take out the very words. Say: remove the words "OLD" from ${file}, or: remove the line "OLD" from ${file}.`;
  const words = thing(text, about.quotes);
  // A name is used by the code around it.
  if (CODE.test(file) && /^[\w$]+(?:\(\))?$/.test(text))
    return `${text} may be a part of the code in ${file}, so I took nothing out. Say: remove the line "${text}" from ${file}, or: remove the word "${text}" from ${file}.`;
  return isJsonFile(file)
    ? removeValue(file, words.replace(/ (?:field|key|value|setting|property|option|entry)$/i, ""))
    : removeWords(file, words);
}

/** The text of "the line with x"; a call in code is a line of its own. */
function lineHolding(text: string, file: string, { quotes }: About): string | undefined {
  const [, call] = /^(?:the |all |every |any )*([a-z]\w*\.\w+)(?:\(\))?(?: (?:calls?|lines?|statements?))?$/i.exec(text) ?? [];
  if (call !== undefined && CODE.test(file)) return call;
  const [, holding] =
    /^(?:the |this |any |a )*line (?:(?:with|containing|that (?:says|contains|has|mentions)|saying|called|which says|about|mentioning|for) )?(?:the (?:text|word) )?(.+)$/i.exec(
      text,
    ) ?? [];
  return holding === undefined ? undefined : quotes.value(holding);
}

// --- add and write ---

const MADE_UP =
  /^(?:me )?(?:an?|some|the|my|your|another|random|more)\s+(?:[\w'-]+\s+){0,3}?(?:poems?|haikus?|stor(?:y|ies)|jokes?|essays?|songs?|lyrics|limericks?|letters?|e-?mails?|lists?|summar(?:y|ies)|descriptions?|explanations?|tables?|recipes?|reports?|articles?|templates?|paragraphs?|numbers?|names|alphabet|quotes?|facts?|ideas?|introductions?|documentation|docs?|instructions?|speech|diary|blog ?posts?|slogans?|riddles?|dialogues?|sentences? about)\b/i;
const CODE_WORD =
  /^(?:an?|some|the|my|another|more|working|simple|unit)?\s*(?:[\w'-]+\s+){0,2}?(?:code|functions?|class(?:es)?|methods?|tests?|components?|programs?|scripts?|loops?|implementations?|modules?|apis?|servers?|types?|interfaces?|imports?|exports?)\b/i;
const LINE_WORD =
  /^(?:(?:the|a|an|one|another|this|new|following|single|more|extra)\s+)*(?:text|lines?|words?|string|contents?|sentence|phrase|message|entry|note|item)\b/i;
const NO_TEXT = /^(?:an?|some|the|my|your|our|tests?|code|docs?|documentation|unit|all|everything|it|that|this|more|random|me)\b/i;

/** "TODO items", "drinks.txt": what kind of text or where it is, not the text. */
const KIND =
  /^\S+\.[a-z]\w{0,4}$|\s(?:items|entries|tasks|points|ideas|examples|data|stuff|things|numbers|names|values|lines|notes|sentences|words|comments)$/i;

function cannotWrite(text: string, file: string): string {
  const isCode = !MADE_UP.test(text.trim()) && (CODE.test(file) || CODE_WORD.test(text.trim()));
  const what = isCode ? "write code" : "make up a text";
  return `I cannot ${what}: I am a grammar of plain sentences. Give me the ${isCode ? "exact text" : "words"}: write "TEXT" to ${file}. With a key (ANTHROPIC_API_KEY) a language model writes it.`;
}

/** Why a text is none that can be written as it stands: it is described, or a kind of text. */
function noText(text: string, file: string): string | undefined {
  const words = text.trim();
  if (isQuoted(words) || LINE_WORD.test(words)) return undefined;
  if (MADE_UP.test(words)) return cannotWrite(words, file);
  return KIND.test(words) ? `Are these the very words? Then put them in quotes: write "${words}" to ${file}.` : undefined;
}

/** "with a function that …" says what the text should be, not the text. */
function isDescribed(text: string, file: string): boolean {
  const words = text.trim();
  if (isQuoted(words) || LINE_WORD.test(words)) return false;
  return (
    /^(?:an?|some|sample|any|random|example|dummy|a bit of|whatever)\b/i.test(words) ||
    /^(?:code|tests?|unit tests?|functions?|class(?:es)?|methods?)\b(?: (?:that|which|for|to|of|with)\b|$)/i.test(words) ||
    (CODE.test(file) && /^the\s/i.test(words))
  );
}

function writeTo(said: string, about: About): Reading {
  const [, command, target = ""] = /^(?:the )?(?:output|result|results) of (.+?) (?:to|in|into|as) (.+)$/i.exec(said) ?? [];
  const out = command === undefined ? undefined : fileOf(target, about);
  if (command !== undefined && out !== undefined) return [bash(`${about.quotes.value(command.trim())} > ${shellWord(out)}`)];
  const own = placeIn(said, about, "(?:to|in|into|inside|on|onto|at|as|under)");
  if (own?.file === undefined) return undefined;
  const text = own.rest.replace(/^[:,]\s*/, "");
  if (text === "" || SPOT.test(` ${text}`)) return undefined;
  const literal = text.replace(/^(?:the |a |this |following )*(?:text|lines?|words?|string|contents?|sentence|message)(?::| )\s*/i, "");
  const why = noText(text, own.file) ?? leftoverText(text);
  if (why !== undefined) return why;
  return isQuoted(literal) || !NO_TEXT.test(literal) ? write(own.file, lines(textOf(text, about.quotes))) : undefined;
}

function leftoverText(text: string): string | undefined {
  const more = isOtherCount(text) ? text : leftover([text]);
  return more === undefined ? undefined : notAll(more);
}

const SPOT = new RegExp(
  `\\s(?:(?:at |on |to |as )?(?:the )?(?:very )?(?<top>top|beginning|start|head|first line|line 1)(?: of| in| to)?(?=\\s|$)|(?:at |to |on |onto |into )?(?:the )?(?:very )?(?<bottom>end|bottom|tail)(?: of| in)?(?=\\s|$)|(?:right |just |directly )?(?<where>before|after|below|above|behind|under|beneath|at|as) (?<anchor>${LINE_NUMBER}|.+))`,
  "is",
);

/** A line more: where in the file, and what. */
function add(verb: string, said: string, about: About): Reading {
  const own = placeIn(said, about, IN);
  const rest = own?.rest ?? said;
  const spot = SPOT.exec(` ${rest}`);
  const isPlaced =
    spot !== null && (isQuoted(rest.slice(0, Math.max(0, spot.index - 1))) || !/^(?:at|as)$/i.test(spot.groups?.["where"] ?? ""));
  const { top, where, anchor = "" } = (isPlaced && spot?.groups) || {};
  const file = own?.file ?? (isPlaced && about.lastFile !== undefined ? about.lastFile : undefined);
  if (file === undefined) return undefined;
  const text = (isPlaced && spot ? ` ${rest}`.replace(spot[0], "") : rest).trim().replace(/^[:,]\s*|[:,]$/g, "");
  if (where !== undefined && text !== "") return insert(text, { where, anchor, file }, about);
  return append(text, { file, isFirst: top !== undefined || /^prepend$/i.test(verb) }, about);
}

interface Spot {
  readonly where: string;
  readonly anchor: string;
  readonly file: string;
}

/** A line beside another one. */
function insert(text: string, { where, anchor, file }: Spot, about: About): Reading {
  if (!isQuoted(text) && NO_TEXT.test(text) && !LINE_WORD.test(text)) return undefined;
  const isBefore = /^(?:before|above|at|as)$/i.test(where);
  const more = textOf(text, about.quotes);
  return changeLine(file, lineNumber(anchor) ?? textOf(anchor, about.quotes), (line) =>
    isBefore ? `${more}\n${line}` : `${line}\n${more}`,
  );
}

function append(text: string, { file, isFirst }: { readonly file: string; readonly isFirst: boolean }, about: About): Reading {
  const [, remark] =
    /^(?:an?|the|one|this) comment,?(?: (?:saying|that says|which says|with(?: the text)?|reading)|:)?\s+(.+)$/i.exec(text) ?? [];
  if (remark !== undefined) {
    const line = comment(textOf(remark, about.quotes), file);
    return line === undefined
      ? `I do not know how a comment is written in ${file}. Give me the exact line: add a line "TEXT" to ${file}.`
      : addLine(file, line, isFirst);
  }
  const [, key, value] =
    /^(?:an? |the |new )*(?:(?:field|key|property|entry|setting|value|option) )?(?:called |named )?([\w.-]+|[\ue000-\uf8ff])(?: field| key| property)?(?: (?:with (?:the )?value|set to|with|of|as|=|is|:)|:)? ([\w.-]+|[\ue000-\uf8ff])$/i.exec(
      text,
    ) ?? [];
  if (isJsonFile(file) && key !== undefined && value !== undefined && !/^(?:line|text|comment|script)$/i.test(key))
    return addValue(file, about.quotes.value(key), about.quotes.value(value));
  if (text === "") return undefined;
  // A place that was not understood: the text and the place must not become one line.
  if (
    /[\ue000-\uf8ff],? (?:right |just |directly )?(?:before|after|above|below|behind|between|under|over|next|near|in front|at|as|on)\b/i.test(
      text,
    )
  )
    return `Where in ${file}? Say: insert "TEXT" before line 2 in ${file}, after "OTHER TEXT", at the top, or at the end.`;
  if (isJsonFile(file))
    return `${file} is JSON: one more line would break it. Say: set NAME to VALUE in ${file} for a value that is there, or: replace "A" with "B" in ${file}.`;
  // "error handling" is nothing to put into a program as it stands.
  if (CODE.test(file) && !isQuoted(text) && !LINE_WORD.test(text) && !/[^\w\s,.'-]/.test(text))
    return `Give me the exact line: add a line "TEXT" to ${file}.`;
  const why = noText(text, file) ?? leftoverText(text);
  if (why !== undefined) return why;
  return isQuoted(text) || !NO_TEXT.test(text) || LINE_WORD.test(text) ? addLine(file, textOf(text, about.quotes), isFirst) : undefined;
}

// --- new files ---

const HOLDING =
  "(?:,? (?:with )?(?:the )?(?:contents?|text):|,? (?:and )?(?:with|containing|saying|reading|holding|including|that (?:says?|contains?|reads?|has|holds?|includes?)|which (?:says?|contains?|has)|whose contents? (?:is|are)|and (?:write|put|add|insert|fill|save)(?: it with)?|having)|:)";
const INTO_IT = "(?: (?:in|into|to|inside) (?:it|the file|that file|there)| as (?:its |the )?(?:contents?|text)| (?:in|inside))?";

function create(said: string, about: About): Reading {
  const [, script = "", printed] =
    /^(.+?) (?:that|which|to|and) (?:prints?|outputs?|echoe?s|logs?|displays?|says|writes out) (.+)$/is.exec(said) ?? [];
  const program = printed === undefined ? undefined : fileOf(script, about);
  if (program !== undefined && printed !== undefined && /\.(?:[cm]?[jt]s|py|lua|sh|bash|txt|md)$/.test(program))
    return write(program, printing(program, textOf(printed, about.quotes)));
  const [, phrase = "", holding = "", text] = new RegExp(`^(.+?)(${HOLDING}) ?(.+?)${INTO_IT}$`, "is").exec(said) ?? [];
  const file = text === undefined ? undefined : fileOf(phrase, about);
  if (file !== undefined && text !== undefined) return createWith(file, text, /say|read|:$/i.test(holding), about);
  const empty = fileOf(said.replace(/(?: for me| here| in (?:this|the) (?:folder|project|workspace|directory))$/i, ""), about);
  if (empty !== undefined && !isPronoun(said) && !empty.endsWith("/")) return createNew(empty, "", about);
  const [, code = ""] = /^(.+?) (?:that|which|to|for) .+$/is.exec(said) ?? [];
  const described = fileOf(code, about);
  return described !== undefined && CODE.test(described) ? cannotWrite("code", described) : undefined;
}

function createWith(file: string, text: string, isSaid: boolean, about: About): Reading {
  if (/^(?:nothing(?: in it)?|no (?:text|content|contents))$/i.test(text)) return createNew(file, "", about);
  if (!isSaid && isDescribed(text, file)) return cannotWrite(text, file);
  const content = textOf(text, about.quotes);
  return content === "" ? undefined : (noText(text, file) ?? leftoverText(text) ?? createNew(file, lines(content), about));
}

/** "a script that prints hello", in the language of the file. */
function printing(file: string, text: string): string {
  const said = JSON.stringify(text);
  if (/\.[cm]?[jt]s$/.test(file)) return `console.log(${said});\n`;
  if (/\.(?:py|lua)$/.test(file)) return `print(${said})\n`;
  if (/\.(?:sh|bash)$/.test(file)) return `#!/bin/sh\nprintf '%s\\n' '${text.replaceAll("'", `'\\''`)}'\n`;
  return lines(text);
}

// --- verbs ---

type Act = (said: string, about: About, verb: string) => Reading;
const action = (verbs: string, act: Act): Rule =>
  rule(`(${verbs})(?: (?:me|us|for me|up))? (.+)`, ([, verb = "", said = ""], about) => {
    const made = act(said, about, verb);
    const more = Array.isArray(made) ? behindPlace(said, about) : undefined;
    return more === undefined ? made : notAll(more);
  });

/** "in a.json and tag it", "to a.txt and b.txt": what is joined to the place is no part of the text. */
function behindPlace(said: string, about: About): string | undefined {
  const [, phrase = "", more] = new RegExp(`(?:^|\\s)${IN} (\\S+?)(?:,| and| then| plus| but)+ (.+)$`, "is").exec(said) ?? [];
  return more !== undefined && looksLikeFile(phrase, about) && !isPronoun(phrase) ? more : undefined;
}

const REPLACING =
  "replace|change|substitute|swap(?: out)?|exchange|convert|turn|rename|switch(?: out)?|update|modify|correct|fix|edit|set|alter|make|refactor|transform|bump|adjust|tweak|flip|use|write|put|say|increase|raise|lower|reduce|decrease";
const REMOVING = "delete|remove|erase|drop|take|cut|strip|wipe|get rid of|scrap|kick|clear|eliminate";
const ADDING =
  "add|append|put|insert|place|attach|enter|include|log|note(?: down)?|stick|paste|type|tack(?: on)?|throw in|drop in|slap|jot(?: down)?|write(?: down)?|tag on|squeeze in|prepend|extend";
const WRITING = "write|save|store|record|dump|overwrite|put";
const MAKING =
  "create|make|write|generate|add|produce|set up|new|start|i (?:want|need|would like)|need|want|build|prepare|touch(?! up)|spin up|whip up|put together|initiali[sz]e|draft";

export const CHANGE_RULES: readonly Rule[] = [
  action("fix|correct|repair", (said, about) => fixTypo(said, about)),
  action(REPLACING, (said, about, verb) => replace(verb, said, about)),
  rule("(?:s|sed)\\/([^/]+)\\/([^/]*)\\/g?,? (?:in|on) (.+)", ([, from = "", to = "", phrase = ""], about) => {
    const file = fileOf(phrase, about);
    return file === undefined ? undefined : edit(file, from, to);
  }),
  action(REMOVING, (said, about) => takeOut(said, about)),
];

export const WRITE_RULES: readonly Rule[] = [
  rule("(?:overwrite|fill) (.+?) (?:with|by) (.+)", ([, phrase = "", text = ""], about) => {
    const file = fileOf(phrase, about);
    return file === undefined ? undefined : (noText(text, file) ?? write(file, lines(textOf(text, about.quotes))));
  }),
  rule("extend (.+?) (?:with|by) (.+)", ([, phrase = "", text = ""], about) => add("add", `${text} to ${phrase}`, about)),
  action(WRITING, (said, about) => writeTo(said, about)),
  action(ADDING, (said, about, verb) => add(verb, said, about)),
  action(MAKING, (said, about) => create(said, about)),
  rule("(?:edit|modify|change|update|fix|improve|refactor|correct) (.+)", ([, phrase = ""], about) => {
    const file = fileOf(phrase, about);
    return file === undefined
      ? undefined
      : `What should I change in ${file}? Say: replace A with B in ${file}, or: add a line "TEXT" to ${file}.`;
  }),
];
