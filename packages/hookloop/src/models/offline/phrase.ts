import type { ToolResultBlock } from "../../run/index.ts";

/**
 * The words of the grammar: quoted text, politeness, and the noun phrases that rules are made of (a file, a folder, a text).
 * A quoted text is put away as one character before any rule looks at the sentence, so nothing inside quotes is ever read as grammar,
 * and it comes back byte for byte.
 */

/** A part of a sentence, with its quoted texts put away. */
export interface Phrase {
  readonly text: string;
  readonly quotes: Quotes;
}

/** The quoted texts of a sentence. */
export interface Quotes {
  /** As the user wrote it, with its quotes. */
  raw(text: string): string;
  /** What is meant: a text in quotes loses the quotes, anything else is kept. */
  value(text: string): string;
  /** Puts a text away that has no quotes of its own; gives what stands for it. */
  away(text: string): string;
}

const FIRST_MARK = 0xe000;
const MOST_QUOTES = 0x1800;
/** One quoted text. */
const QUOTED = "[\\ue000-\\uf8ff]";
const ANY_MARK = /[\ue000-\uf8ff]/g;
const HAS_MARK = /[\ue000-\uf8ff]/;
/** Apostrophes are not quotes: a quote opens after a space or an opening sign, and closes before something that is not a letter. */
const QUOTE = /(?<![^\s([{=:,;>|])(?:"(?:\\.|[^"\\])*"|'[^']*'(?![\p{L}\p{N}])|`[^`]+`|“[^”]*”|‘[^’]*’|«[^»]*»)/gsu;

export function putQuotesAway(sentence: string): Phrase {
  const found: string[] = [];
  // Marks of the user's own would be taken for ours; such a sentence has no quotes for us.
  const text = HAS_MARK.test(sentence)
    ? sentence.replace(ANY_MARK, "\ufffd")
    : sentence.replace(QUOTE, (quote) => (found.length < MOST_QUOTES ? String.fromCharCode(FIRST_MARK + found.push(quote) - 1) : quote));
  const bareTexts = new Set<string>();
  const quoteAt = (mark: string): string => found[mark.charCodeAt(0) - FIRST_MARK] ?? mark;
  const raw = (part: string): string => part.replace(ANY_MARK, quoteAt);
  const value = (part: string): string =>
    part.length === 1 && raw(part) !== part && !bareTexts.has(part) ? raw(part).slice(1, -1) : raw(part);
  const away = (part: string): string => {
    const mark = String.fromCharCode(FIRST_MARK + found.push(part) - 1);
    bareTexts.add(mark);
    return mark;
  };
  return { text, quotes: { raw, value, away } };
}

const POLITE = [
  "hey|hi|hello|hallo|ok|okay|alright|so|well|now|next|first(?! (?:(?:\\d+|two|three|four|five|ten|few) )?(?:lines?|rows?|commits?))|firstly|secondly|finally|also|and|then|thanks|thank you|great|good|cool|perfect|yes|sure|sorry|excuse me",
  "please|pls|plz|kindly|just|simply|quickly|maybe|perhaps|go ahead and|try to|be so kind (?:and|to|as to)|feel free to",
  "(?:can|could|would|will|may) (?:you|u|we|somebody|someone)(?: (?:help me(?: to)?|also|maybe|possibly|kindly|be able to))?",
  "i(?:'d| would) (?:like|love)(?: (?:you|for you))? to|i (?:want|need|wish|ask|asked|expect)(?: for)?(?: (?:you|that you))?(?: to)?(?= (?!a |an |the |some |new |another )\\S)",
  "i am (?:trying|looking) to|i'm (?:trying|looking) to|help me(?: to)?|let(?:'s|s| us)|you (?:should|must|need to|have to|can)|your (?:task|job) is to",
  "(?:is it|it is|would it be) possible to|it would be (?:nice|great) (?:to|if you could)|would you mind|do you mind|how about|what about|(?:can|could|may) i(?= (?:see|get|have|read|view|look|know) )",
  "my (?:friend|dear)|dear agent|agent|computer|assistant|bot|claude|hookloop|for me|to",
].join("|");
const BEFORE = new RegExp(`^(?:(?:${POLITE})\\b[\\s,:!.…-]+)+`, "i");
const AFTER =
  /(?:[\s,]+(?:please|pls|plz|for me|for us|now|right now|right away|quickly|thanks|thank you|thx|if (?:you can|possible|you want|you please)|as well|too|will you|would you|can you|could you|ok|okay|here please|my friend))+[.!?]*$/i;

/** What is asked for, without politeness and the marks at the end of a sentence. */
export function bare(text: string): string {
  const isAsked = /^(?:(?:hey|hi|hello|please|ok|so)\b[\s,!.]+)*(?:can|could|would|will|may|do|is)\b/i.test(text);
  const begun = text.trim().replace(BEFORE, "");
  const isText = LAST_TEXT.test(begun) && !SURELY_POLITE.test(begun);
  const ended = isText || endsInText(begun, text.trim()) ? begun : withoutEnd(begun.replace(AFTER, ""), isAsked);
  return ended === "" ? withoutEnd(text.trim(), true) : ended;
}

/** A text without quotes ends the sentence: only `please` behind it, or a comma, is politeness for sure. */
const LAST_TEXT =
  /^(?:create|make|write|generate|commit|overwrite|fill|save)\b[^\ue000-\uf8ff]*?\s(?:with|containing|saying|reading)\s(?:[^\s,]+\s)*[^\s,]+[.!?]*$/i;
const SURELY_POLITE = /\s(?:please|pls|plz|for me|for us)[.!?]*$/i;

const FREE_TEXT = /\b(?:text|saying|says?|containing|contains|lines?|words|message|sentence|contents?)\b:? (\S[^\ue000-\uf8ff]*\.)$/i;
const PRINTED = /^(?:(?:run|execute|exec|type) )?(?:the command )?(?:echo|printf) /i;

/** A command that prints whatever follows: no word after it is politeness. */
export function isPrinting(text: string): boolean {
  return PRINTED.test(text.trim().replace(BEFORE, ""));
}

/** The last full stop belongs to a text that was given without quotes: it begins like a sentence, or the sentence around it is none. */
function endsInText(text: string, sentence: string): boolean {
  if (PRINTED.test(text)) return true;
  const given = FREE_TEXT.exec(text)?.[1];
  return given !== undefined && !/\.\w+\.$/.test(given) && (/^\p{Lu}/u.test(given) || /^\p{Ll}/u.test(sentence));
}

/** The full stop of a sentence goes; `git add .`, `cd ..` and `src/.` keep theirs. */
function withoutEnd(text: string, isAsked: boolean): string {
  const shouted = text.replace(/(?<=[^\s!])!+$/, "");
  const asked = isAsked ? shouted.replace(/[\s?]*\?+$/, "") : shouted;
  return asked.replace(/(?<=[\p{L}\p{N}\ue000-\uf8ff)\]*"'`])(?:\.|…|\.{3})$/u, "").trim();
}

const DETERMINER =
  /^(?:the|a|an|both|this|that|these|those|my|our|your|its|another|some|new|empty|blank|existing|old|whole|entire|full|complete|current|local|small|short|simple|little|plain|text|source|config|configuration|markdown|hidden|python|javascript|typescript|node|shell|bash|html|css|json|yaml)\s+/i;
const FILE_WORD = /^(?:files?|document|script|module|page)\s+/i;
const NAMED = /^(?:called|named|titled|with (?:the )?names?(?: of)?|by the name(?: of)?|whose name is|at|path|name|is|:)\s+/i;
const FILE_TAIL =
  /\s+(?:file|document|script|(?:in|from|of|inside) (?:the|this|my|our) (?:current )?(?:folder|directory|project|workspace|repo|repository)|here)$/i;
const BARE_FILES =
  /^(?:readme|license|licence|makefile|dockerfile|changelog|contributing|gemfile|procfile|justfile|jenkinsfile|vagrantfile)$/i;
const USUAL_NAMES: Readonly<Record<string, string>> = {
  readme: "README.md",
  changelog: "CHANGELOG.md",
  contributing: "CONTRIBUTING.md",
  dockerfile: "Dockerfile",
  makefile: "Makefile",
  license: "LICENSE",
};
const PRONOUN = /^(?:it|its contents?|that|this|them|there|(?:the|this|that) (?:same |new )?(?:file|one|document|script))$/i;

/** "every file" is no file called every. */
const NO_NAME = /^(?:every|each|all|any|both|other|others|some|several|most|many|no|which|what|same|next|last|first|second|these|those)$/i;

/** What a noun phrase names, and whether it says what it is. */
interface Named {
  readonly name: string;
  /** "the file x": then x needs no ending. */
  readonly isSaid: boolean;
}

function named(phrase: string, quotes: Quotes): Named | undefined {
  let rest = phrase.trim().replace(FILE_TAIL, "").trim();
  let isSaid = rest !== phrase.trim() && /(?:file|document|script)$/i.test(phrase.trim());
  for (let before = ""; before !== rest; ) {
    before = rest;
    rest = rest.replace(DETERMINER, "");
    if (FILE_WORD.test(rest)) isSaid = true;
    rest = rest.replace(FILE_WORD, "");
    // What follows "called" is the name, to its last word.
    if (NAMED.test(rest)) {
      rest = rest.replace(NAMED, "");
      break;
    }
  }
  const trimmed = withoutSentenceEnd(rest);
  if (trimmed === "" || /\s/.test(trimmed) || NO_NAME.test(trimmed)) return undefined;
  const name = quotes.value(trimmed);
  return { name: USUAL_NAMES[name.toLowerCase()] ?? name, isSaid: isSaid || name !== trimmed };
}

/** What ends a sentence never belongs to a name, unless the name is in quotes. */
export function withoutSentenceEnd(word: string): string {
  return word.replace(/[,;:?!]+$|(?<=[\p{L}\p{N}])(?:\.|…|\.{3})[?!]*$/u, "");
}

/** It looks like the name of a file: it has an ending, a slash, or a name that files without an ending have. */
export function isFileName(name: string): boolean {
  return BARE_FILES.test(name) || /^[^\s:]*[./][^\s:]*$/.test(name) || /^\.\w/.test(name);
}

/** The file a phrase names: "the file called a.txt", "the readme", "it". */
export function fileOf(
  phrase: string,
  { quotes, lastFile }: { readonly quotes: Quotes; readonly lastFile?: string | undefined },
): string | undefined {
  if (PRONOUN.test(phrase.trim())) return lastFile;
  const found = named(phrase, quotes);
  return found && (found.isSaid || isFileName(found.name)) && !isUrl(found.name) ? found.name : undefined;
}

/** Several files: "a.txt, b.txt and c.txt". */
export function filesOf(phrase: string, about: Parameters<typeof fileOf>[1]): readonly string[] | undefined {
  const parts = phrase.split(/\s*,\s*(?:and\s+)?|\s+(?:and|or|&)\s+/).filter(Boolean);
  const files = parts.map((part) => fileOf(part, about));
  return files.length > 0 && files.every((file) => file !== undefined) ? (files as readonly string[]) : undefined;
}

const FOLDER = "(?:sub)?(?:folder|directory|dir|map)";
const HERE = new RegExp(
  `^(?:here|this|it|there|\\.|everywhere|everything|anywhere|(?:(?:the|this|my|our|all|all of|whole|entire|current|working|present|project|root|source|these|those)\\s+)*(?:${FOLDER}|workspace|work space|project|repo|repository|code ?base|code|sources?|source code|source files|files?|tree|root|app|application|program|package)s?)(?: here)?$`,
  "i",
);

/** Where something is looked for: `undefined` is the current folder, `null` is nothing that can be understood. */
export function placeOf(phrase: string | undefined, { quotes, lastFile }: Parameters<typeof fileOf>[1]): string | null | undefined {
  const text = phrase?.trim() ?? "";
  if (PRONOUN.test(text) && lastFile !== undefined) return lastFile;
  if (text === "" || HERE.test(text)) return undefined;
  if (PRONOUN.test(text)) return null;
  const rest = text
    .replace(
      /^(?:all (?:of )?)?(?:the |this |that |my |our |every )*(?:files? (?:in|of|under|inside|called|named) )?(?:the |this |my )?/i,
      "",
    )
    .replace(new RegExp(`^(?:${FOLDER}|file|path)(?: (?:called|named))? `, "i"), "")
    .replace(new RegExp(` (?:${FOLDER}|file|files)$`, "i"), "");
  const name = withoutSentenceEnd(rest);
  return name === "" || /[\s,]/.test(name) ? null : quotes.value(name);
}

/** The same for "src and test"; what cannot be understood makes nothing of the whole. */
export function placesOf(phrase: string | undefined, about: Parameters<typeof fileOf>[1]): readonly (string | undefined)[] | null {
  const one = placeOf(phrase, about);
  if (one !== null) return [one];
  const parts = (phrase ?? "").split(/\s*,\s*(?:and\s+)?|\s+(?:and|or|&)\s+/).filter(Boolean);
  const places = parts.map((part) => placeOf(part, about));
  return parts.length > 1 && places.every((place) => typeof place === "string") ? (places as readonly string[]) : null;
}

const TEXT_WORD: RegExp =
  /^(?:(?:the|these|a|an|this|one|two|three|four|five|\d+|another|new|following|single|exact|some|its)\s+)*(?:text|lines?|words?|string|contents?|sentence|phrase|message|value|entry|note|item)(?:\s+(?:saying|that says|reading|which says|with|containing|of))?(?:\s*:\s*|\s+)(?=\S)/i;

/** The text a phrase stands for: "the line x = 1" is `x = 1`, "the lines a, b" are two; what is quoted is kept as it is. */
export function textOf(phrase: string, quotes: Quotes): string {
  const rest = phrase.trim().replace(TEXT_WORD, "").replace(/^:\s*/, "");
  return LINES.test(phrase.trim()) ? linesOf(rest).map(quotes.value).join("\n") : quotes.value(rest);
}

const LINES = /^(?:(?:the|these|two|three|four|five|\d+|following|new)\s+)*lines\b/i;

/** "a, b and c"; where a comma stands before the last "and", only commas part. */
export function linesOf(text: string): readonly string[] {
  return text.split(/,\s*and\s/.test(text) ? /\s*,\s*(?:and\s+)?/ : /\s*,\s*|\s+and\s+(?!.*,)/s).filter(Boolean);
}

/** "three lines: a, b": not as many as were said. */
export function isOtherCount(phrase: string): boolean {
  const [, count = ""] = /^(?:(?:the|these|following|new)\s+)*(\w+)\s+(?:(?:following|new)\s+)*lines\b/i.exec(phrase.trim()) ?? [];
  const wanted = NUMBERS[count.toLowerCase()] ?? Number(count);
  return wanted > 1 && linesOf(phrase.trim().replace(TEXT_WORD, "")).length !== wanted;
}

export function isQuoted(phrase: string): boolean {
  return new RegExp(`^${QUOTED}$`).test(phrase.trim().replace(TEXT_WORD, ""));
}

function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** What is to be done with the file that a phrase names; nothing if it names none. */
export function onFile(phrase: string, about: About, act: (file: string) => Reading): Reading {
  const file = fileOf(phrase, about);
  return file === undefined ? undefined : act(file);
}

/** A word for the shell that means itself. */
export function shellWord(word: string): string {
  // A name that begins with a dash would be an option.
  const safe = word.startsWith("-") ? `./${word}` : word;
  return /^[\p{L}\p{N}_./~@+%=:,-]+$/u.test(safe) ? safe : `'${safe.replaceAll("'", `'\\''`)}'`;
}

/** A text as a regular expression that finds it. Names with dots are left as people know them: they find themselves. */
export function literally(text: string): string {
  if (/^\w+(?:\.\w+)+$/.test(text)) return text;
  return text.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&");
}

export const CODE: RegExp = /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|c|h|cpp|cs|php|swift|kt|sh)$/i;

export const NUMBERS: Readonly<Record<string, number>> = {
  ...{ one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10, twelve: 12, twenty: 20 },
  ...{ dozen: 12, couple: 2, few: 5 },
};

/** One thing to do, as a call of a tool. */
export interface Step {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** What it is for; decides how the result is told. */
  readonly purpose: Purpose;
  /** The part of the sentence it comes from. */
  readonly said: string;
  /** The file it is about, where the input does not say. */
  readonly subject?: string | undefined;
  /** What follows from the result, if that is only known then; or why nothing does. */
  readonly next?: ((result: ToolResultBlock) => readonly Draft[] | string) | undefined;
}

type Purpose =
  | "run"
  | "read"
  | "create"
  | "change"
  | "delete"
  | "find"
  | "search"
  | "summarise"
  | "note"
  | "delegate"
  | "other"
  /** Only to know what to do next: nothing is said about it unless it fails. */
  | "prepare";

export type Draft = Omit<Step, "said">;

/** What a rule knows besides the words. */
export interface About {
  readonly quotes: Quotes;
  /** The file that was spoken of last, for "it". */
  readonly lastFile: string | undefined;
  /** Whether that was in the same sentence: only then "delete it" is clear. */
  readonly isSameSentence: boolean;
  /** Tools that are offered; nothing is known if absent. */
  readonly tools: ReadonlySet<string> | undefined;
  /** The to-do list as it was written last. */
  readonly todos: readonly Todo[];
  /** Tasks that were made in this conversation. */
  readonly tasks: readonly NamedTask[];
  /** What reads on where the last Read ended, if it did not show everything. */
  readonly readOn: Readonly<Record<string, unknown>> | undefined;
  /** What takes the last change back: exactly, or a question where that is not sure. */
  readonly undo: Reading;
}

export interface NamedTask {
  readonly id: string;
  readonly subject: string;
}

export interface Todo {
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed";
  readonly activeForm: string;
}

/** Steps; or a question back, where something is missing or not sure; or nothing, and the next rule is asked. */
export type Reading = readonly Draft[] | string | undefined;

export interface Rule {
  readonly pattern: RegExp;
  readonly make: (match: readonly (string | undefined)[], about: About) => Reading;
}

/** The pattern must fit the whole of what is asked for. */
export function rule(pattern: string, make: Rule["make"]): Rule {
  return { pattern: new RegExp(`^(?:${pattern})$`, "is"), make };
}

/** The text of a result, without what hooks said beside it. */
export function resultText({ content }: ToolResultBlock): string {
  if (typeof content === "string") return content;
  return content.flatMap(({ text }) => (text.startsWith("<system-reminder>") ? [] : text)).join("\n");
}

export function bash(command: string, purpose: Purpose = "run", description?: string): Draft {
  return { tool: "Bash", purpose, input: { command, ...(description !== undefined && { description }) } };
}

/** The file or folder that a call leaves behind: what "it" is from then on. */
export function subjectOf({ tool, input, subject }: Pick<Step, "tool" | "input" | "subject">): string | undefined {
  const file = subject ?? input["file_path"];
  if (typeof file === "string") return file;
  const command = tool === "Bash" ? input["command"] : undefined;
  const [, staged] = typeof command === "string" ? (STAGED.exec(command) ?? []) : [];
  if (staged !== undefined) return unquoted(staged);
  const [, source, target, folder] = typeof command === "string" ? (MOVED.exec(command) ?? []) : [];
  if (folder !== undefined) return unquoted(folder);
  if (source === undefined || target === undefined) return undefined;
  const place = unquoted(target);
  return place.endsWith("/") ? `${place}${unquoted(source).split("/").at(-1) ?? ""}` : place;
}

const SHELL_WORD = "('[^']*'|[^\\s'\"$`;|&<>]+)";
const STAGED = new RegExp(`^git add -- ${SHELL_WORD}$`);
const MOVED = new RegExp(`^(?:(?:mkdir -p [^&]+ && )?(?:(?:mv|cp(?: -r)?) ${SHELL_WORD} ${SHELL_WORD}|mkdir(?: -p)? ${SHELL_WORD}))$`);

function unquoted(word: string): string {
  return word.replace(/^'(.*)'$/s, "$1");
}

/**
 * The check that every rule goes through which changes something, or leaves something out when it looks.
 * Takes what a rule found, gives its steps; or a question back, where a part of the sentence holds more than the one thing it is for.
 * Refuses half a sentence: to do something else than was said is worse than to ask.
 */

/** Words that limit what was said before them; "we are not there" is a text only in quotes, or where it is called one. */
export const LIMIT: RegExp =
  /(?:^|[\s,])(?:except(?:ing)?|excluding|besides|apart from|but|unless|without|only|not|never|nothing else|if|when|while)(?=[\s,]|$)/i;
/** "cream on line 1", "cream in the first line". */
const LINE = /\S,?\s+(?:on|in|at|from|of)\s+(?:the\s+)?(?:(?:first|second|third|last|next|same|other)\s+)?lines?\b/i;
/** "2 and three with 3": another of the same. */
const ANOTHER = /(?:\sand|,|;|\splus)\s+(?:\S+\s+){1,5}?(?:with|by|to|into|for|as|in|->|=>)\s+\S/i;
/** "the first milk": one of several. */
const ONE_OF = /^(?:the\s+)?(?:first|second|third|last|next|other|\d+(?:st|nd|rd|th))\s+\S/i;
/** "the content of notes.txt" is not the words "notes.txt". */
const TAKEN_FROM = /^(?:the\s+|all\s+|whole\s+|its\s+)*(?:contents?|text|body|data|lines?|words?|output|results?)\s+(?:of|from|in)\s+\S/i;
const MARK = /[\ue000-\uf8ff]/;

/** What is known about a part without being a part of it: "all foo", "the word foo", "foo everywhere", "the name field". */
const KNOWN_START = /^(?:(?:all|every|each|any|the|this|that|of|my|an?)\s+)*(?:occurr?ences?|instances?|mentions?)\s+of\s+/i;
const KNOWN_END =
  /,?\s+(?:everywhere|globally|project-?wide|instead|out|in it|into it|there|fields?|keys?|values?|settings?|property|option|variable|entry)$/i;
const NAMED_THING =
  /^(?:(?:all|every|each|any|the|this|that|my|an?)\s+)*(?:(?:variable|function|method|class|constant|word|text|string|name|term|phrase|identifier|parameter|property|field|key|value|line|typo|title|heading|sentence|file|folder|directory|comment)s?(?:\s+(?:of|for|called|named|with|containing|saying))?\s+)?(?=\S)/i;

/** The first part that holds more than one thing. */
export function leftover(slots: readonly (string | undefined)[]): string | undefined {
  return slots.find((slot) => slot !== undefined && holdsMore(slot.trim()));
}

function holdsMore(slot: string): boolean {
  if (slot.length < 2 || isQuoted(slot)) return false;
  if (TAKEN_FROM.test(slot)) return true;
  if (/^(?:the |these |two |three )*lines\b/i.test(slot)) return false;
  const rest = slot.replace(KNOWN_START, "").replace(NAMED_THING, "").replace(KNOWN_END, "").trim();
  // `print("hi")`: a quote inside of code.
  if (MARK.test(rest)) return rest.length > 1 && !/^[^\ue000-\uf8ff\s]*(?:[([{=:,]\s*[\ue000-\uf8ff][^\s\ue000-\uf8ff]*)+$/.test(rest);
  // What is called a text may hold any word.
  return !TEXT_WORD.test(slot) && [LIMIT, LINE, ANOTHER, ONE_OF].some((more) => more.test(slot));
}

/** The rule, for whole sentences. */
export function whole({ pattern, make }: Rule): Rule {
  return {
    pattern,
    make(match, about): Reading {
      const made = make(match, about);
      const more = typeof made === "string" || made === undefined ? undefined : leftover(match.slice(1));
      return more === undefined ? made : notAll(more);
    },
  };
}

export function notAll(part: string): string {
  return `I did not understand all of it (${part.trim()}), so I did nothing. Say one thing at a time, and put texts in quotes.`;
}
