/** Sentences that write files and add lines to them. */

import { counted } from "../../diagnostic.ts";
import type { ToolResultBlock } from "../../run/index.ts";
import {
  type About,
  bash,
  CODE,
  type Draft,
  fileOf,
  isQuoted,
  onFile,
  type Reading,
  type Rule,
  rule,
  shellWord,
  textOf,
} from "./phrase.ts";

// --- new files ---

export function write(file: string, content: string): readonly Draft[] {
  return [{ tool: "Write", purpose: "create", input: { file_path: file, content } }];
}

const NOT_THERE = /no file|does not exist/i;

/** A new file without a text: what is there already is not emptied by the way. */
function createEmpty(file: string, about: About): readonly Draft[] {
  const there = `${file} is already there, so I wrote nothing. To add to it: add a line "TEXT" to ${file}. To begin it anew: write "TEXT" to ${file}.`;
  return unlessThere(file, { there, drafts: write(file, "") }, about);
}

/** What is done only where there is no such file; else it is said. */
export function unlessThere(
  file: string,
  { there, drafts }: { readonly there: string; readonly drafts: readonly Draft[] },
  { tools }: About,
): readonly Draft[] {
  // A name with signs of a pattern in it is looked up by reading it.
  const isPlain = !/[*?[\]{}!()\\]|^\.?\.\/|^[/~]|(?:^|\/)(?:\.git|node_modules)\//.test(file);
  if (isPlain && (tools === undefined || tools.has("Glob")))
    return [
      {
        tool: "Glob",
        purpose: "prepare",
        input: { pattern: file.replace(/^@(?=[^/])/, "") },
        subject: file,
        next: (result) => (result.is_error ? [] : /^\//m.test(shownText(result)) ? there : drafts),
      },
    ];
  if (tools && !tools.has("Read")) return drafts;
  const next = (result: ToolResultBlock): readonly Draft[] | string =>
    !result.is_error ? there : NOT_THERE.test(shownText(result)) ? drafts : [];
  return [{ tool: "Read", purpose: "prepare", input: { file_path: file }, next }];
}

function lines(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** "a script that prints hello", in the language of the file. */
function printing(file: string, text: string): string {
  const said = JSON.stringify(text);
  if (/\.[cm]?[jt]s$/.test(file)) return `console.log(${said});\n`;
  if (/\.(?:py|lua)$/.test(file)) return `print(${said})\n`;
  if (/\.(?:sh|bash)$/.test(file)) return `#!/bin/sh\nprintf '%s\\n' '${text.replaceAll("'", `'\\''`)}'\n`;
  return lines(text);
}

const MADE_UP =
  /^(?:me )?(?:an?|some|the|my|your|another|random|more)\s+(?:[\w'-]+\s+){0,3}?(?:poems?|haikus?|stor(?:y|ies)|jokes?|essays?|songs?|lyrics|limericks?|letters?|e-?mails?|lists?|summar(?:y|ies)|descriptions?|explanations?|tables?|recipes?|reports?|articles?|templates?|paragraphs?|numbers?|names|alphabet|quotes?|facts?|ideas?|introductions?|documentation|docs?|instructions?|speech|diary|blog ?posts?|slogans?|riddles?|dialogues?|sentences? about)\b/i;

const CODE_WORD =
  /^(?:an?|some|the|my|another|more|working|simple|unit)?\s*(?:[\w'-]+\s+){0,2}?(?:code|functions?|class(?:es)?|methods?|tests?|components?|programs?|scripts?|loops?|implementations?|modules?|apis?|servers?|types?|interfaces?|imports?|exports?)\b/i;

/** What would have to be made up: this model cannot. */
function madeUp(text: string, file: string): string | undefined {
  return isQuoted(text) || !MADE_UP.test(text.trim()) ? undefined : cannotWrite(text, file);
}

function cannotWrite(text: string, file: string): string {
  const isCode = !MADE_UP.test(text.trim()) && (CODE.test(file) || CODE_WORD.test(text.trim()));
  const what = isCode ? "write code" : "make up a text";
  return `I cannot ${what}: I am a grammar of plain sentences. Give me the ${isCode ? "exact text" : "words"}: write "TEXT" to ${file}. With a key (ANTHROPIC_API_KEY) a language model writes it.`;
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

/** A text of its own, not a description of one: "a poem" needs a model that can write one. */
function isLiteral(phrase: string): boolean {
  return (
    isQuoted(phrase) ||
    !/^(?:an?|some|the|my|your|our|tests?|code|docs?|documentation|unit|all|everything|it|that|this|more|random|me)\b/i.test(phrase.trim())
  );
}

const MAKE =
  "(?:create|make|write|generate|add|produce|set up|new|start|i (?:want|need|would like)|need|want|give me|put|open|build|prepare)";
const FOR_ME = "(?: (?:me|us|for me|up))?";
const HOLDING =
  "(?:,? (?:and )?(?:with|containing|saying|reading|holding|including|that (?:says?|contains?|reads?|has|holds?|includes?)|which (?:says?|contains?|has)|whose contents? (?:is|are)|and (?:write|put|add|insert|fill|save)(?: it with)?|having)|:)";
const INTO_IT = "(?: (?:in|into|to|inside) (?:it|the file|that file|there)| as (?:its |the )?(?:contents?|text)| (?:in|inside))?";

const NEW: readonly Rule[] = [
  rule(
    `${MAKE}${FOR_ME} (.+?) (?:that|which|to|and) (?:prints?|outputs?|echoe?s|logs?|displays?|says|writes out) (.+)`,
    ([, phrase = "", text = ""], about) => {
      const file = fileOf(phrase, about);
      return file !== undefined && isScript(file) ? write(file, printing(file, textOf(text, about.quotes))) : undefined;
    },
  ),
  rule(`${MAKE}${FOR_ME} (.+?)(${HOLDING}) ?(.+?)${INTO_IT}`, ([, phrase = "", holding = "", text = ""], about) => {
    const file = fileOf(phrase, about);
    if (file === undefined) return undefined;
    if (/^(?:nothing(?: in it)?|no (?:text|content|contents))$/i.test(text)) return createEmpty(file, about);
    if (!/say|read|:$/i.test(holding) && isDescribed(text, file)) return cannotWrite(text, file);
    if (isKind(text)) return unsure(text, file);
    const content = textOf(text, about.quotes);
    return content === "" ? undefined : (madeUp(text, file) ?? write(file, lines(content)));
  }),
  rule(`${MAKE}${FOR_ME}((?: (?:an?|the|one|another))? (?:empty|blank) .+?)(?: for me)?`, ([, phrase = ""], about) =>
    onFile(phrase, about, (file) => createEmpty(file, about)),
  ),
  rule(
    `(?:create|make|generate|new|add|set up|start|touch(?! up)|write|i (?:want|need|would like)|produce|build)${FOR_ME} (.+?)(?: for me| here| in (?:this|the) (?:folder|project|workspace|directory))?`,
    ([, phrase = ""], about) => {
      const file = fileOf(phrase, about);
      return file === undefined || /^(?:it|that|this|them)$/i.test(phrase.trim()) || file.endsWith("/")
        ? undefined
        : createEmpty(file, about);
    },
  ),
  rule(`${MAKE}${FOR_ME} (.+?) (?:that|which|to|for) (.+)`, ([, phrase = "", text = ""], about) => {
    const file = fileOf(phrase, about);
    return file !== undefined && CODE.test(file) && !isQuoted(text) ? cannotWrite("code", file) : undefined;
  }),
];

function isScript(file: string): boolean {
  return /\.(?:[cm]?[jt]s|py|lua|sh|bash|txt|md)$/.test(file);
}

const INTO = "(?:to|in|into|inside|on|onto|at|as|under)";

function writeTo([, text = "", phrase = ""]: readonly (string | undefined)[], about: About): Reading {
  const file = fileOf(phrase, about);
  if (file === undefined) return undefined;
  const literal = text
    .trim()
    .replace(/^(?:the |a |this |following )*(?:text|lines?|words?|string|contents?|sentence|message)(?::| )\s*/i, "");
  return isLiteral(literal) && !isKind(text) ? write(file, lines(textOf(text, about.quotes))) : (madeUp(text, file) ?? unsure(text, file));
}

/** "TODO items", "drinks.txt": what kind of text or where it is, not the text. */
function isKind(text: string): boolean {
  const words = text.trim();
  if (isQuoted(words) || LINE_WORD.test(words)) return false;
  return (
    /^\S+\.[a-z]\w{0,4}$/i.test(words) ||
    /\s(?:items|entries|tasks|points|ideas|examples|data|stuff|things|numbers|names|values|lines|notes|sentences|words|comments)$/i.test(
      words,
    )
  );
}

function unsure(text: string, file: string): string | undefined {
  return isKind(text) ? `Are these the very words? Then put them in quotes: write "${text.trim()}" to ${file}.` : undefined;
}

const WRITE: readonly Rule[] = [
  rule(
    `(?:save|write|put|store|redirect|send)(?: me)? (?:the )?(?:output|result|results) of (.+?) ${INTO} (.+)`,
    ([, command = "", phrase = ""], about) =>
      onFile(phrase, about, (file) => [bash(`${about.quotes.value(command.trim())} > ${shellWord(file)}`)]),
  ),
  rule(`(?:write|save|store|record|dump|overwrite) (.+?) ${INTO} (.+)`, writeTo),
  // The text may have such a word in it: "write 1 to 5 into a.txt".
  rule(`(?:write|save|store|record|dump|overwrite) (.+) ${INTO} (.+)`, writeTo),
  rule(`(?:overwrite|fill) (.+?) (?:with|by) (.+)`, ([, phrase = "", text = ""], about) => {
    const file = fileOf(phrase, about);
    if (file !== undefined && isKind(text)) return unsure(text, file);
    return file === undefined ? undefined : write(file, lines(textOf(text, about.quotes)));
  }),
  rule(`write ${INTO} (.+?)[:,]? (.+)`, ([, phrase = "", text = ""], about) => {
    const file = fileOf(phrase, about);
    return file === undefined || !isLiteral(text) ? undefined : write(file, lines(textOf(text, about.quotes)));
  }),
];

// --- lines more ---

/** A file is read before a line is added, so that nothing of it is lost and hooks for Edit and Write see what happens. */
function addLine(file: string, text: string, isFirst = false): readonly Draft[] {
  return [{ tool: "Read", purpose: "prepare", input: { file_path: file }, next: (result) => added(file, text, { isFirst, result }) }];
}

function added(
  file: string,
  text: string,
  { isFirst, result }: { readonly isFirst: boolean; readonly result: ToolResultBlock },
): readonly Draft[] {
  const shown = shownText(result);
  if (result.is_error) return NOT_THERE.test(shown) ? write(file, lines(text)) : [];
  const own = numberedLines(shown);
  if (own === undefined)
    return /empty/i.test(shown) ? write(file, lines(text)) : [bash(`printf '%s\\n' ${shellWord(text)} >> ${shellWord(file)}`, "change")];
  const isScript = isFirst && own[0]?.startsWith("#!");
  const edit = isScript ? afterFirst(own, text) : isFirst ? firstEdit(own, text) : lastEdit(own, text);
  return edit ? [{ tool: "Edit", purpose: "change", input: { file_path: file, ...edit } }] : write(file, lines(text));
}

type Replacement = { readonly old_string: string; readonly new_string: string };

/** As many of the last lines as occur only once. */
function lastEdit(own: readonly string[], text: string): Replacement | undefined {
  const whole = own.join("\n");
  for (let from = own.length - 1; from >= 0; from--) {
    const tail = own.slice(from).join("\n");
    if (tail !== "" && whole.indexOf(tail) === whole.length - tail.length) return { old_string: tail, new_string: `${tail}\n${text}` };
  }
  return undefined;
}

function firstEdit(own: readonly string[], text: string): Replacement | undefined {
  const whole = own.join("\n");
  for (let to = 1; to <= own.length; to++) {
    const head = own.slice(0, to).join("\n");
    if (head !== "" && whole.lastIndexOf(head) === 0) return { old_string: head, new_string: `${text}\n${head}` };
  }
  return undefined;
}

/** The line that says what runs a script stays the first. */
function afterFirst([first = ""]: readonly string[], text: string): Replacement {
  return { old_string: first, new_string: `${first}\n${text}` };
}

export function shownText({ content }: ToolResultBlock): string {
  return typeof content === "string"
    ? content
    : content.flatMap(({ text }) => (text.startsWith("<system-reminder>") ? [] : text)).join("\n");
}

/** Reads a file before a change that depends on its lines; one that is seen only in part is left alone. */
export function readFirst(file: string, change: (own: readonly string[]) => readonly Draft[] | string): Reading {
  const next = (result: ToolResultBlock): readonly Draft[] | string => {
    if (result.is_error) return [];
    const own = ownLines(result);
    return own === undefined ? `I see ${file} only in part, so I changed nothing.` : change(own);
  };
  return [{ tool: "Read", purpose: "prepare", input: { file_path: file }, next }];
}

/** The same, of the file that was read. */
function ownLines(result: ToolResultBlock): readonly string[] | undefined {
  const shown = shownText(result);
  return /^<system-reminder>.*contents are empty/.test(shown) ? [] : numberedLines(shown);
}

/** The lines of a file that was shown whole; nothing if a part is missing or was cut. */
function numberedLines(shown: string): readonly string[] | undefined {
  const all = shown.split("\n").map((line) => /^ *\d+(?:\t|→)(.*)$/s.exec(line)?.[1]);
  if (all.some((line) => line === undefined) || all.some((line) => / more characters\]$/.test(line ?? ""))) return undefined;
  const own = all as readonly string[];
  return own.at(-1) === "" ? own.slice(0, -1) : own;
}

const TOP = "(?:at |on |to |as )?(?:the )?(?:very )?(?:top|beginning|start|head|(?:first line|line 1))(?: of| in| to)?";
const BOTTOM = "(?:at |to |on )?(?:the )?(?:very )?(?:end|bottom|tail)(?: of| in)?";
const LINE_WORD =
  /^(?:(?:the|a|an|one|another|this|new|following|single|more|extra)\s+)*(?:text|lines?|words?|string|contents?|sentence|phrase|message|entry|note|item)\b/i;

function append(text: string, phrase: string, about: About, isFirst = false): Reading {
  const file = fileOf(phrase, about);
  if (file === undefined) return undefined;
  // A place that no rule understood: the text and the place must not become one line.
  if (
    /[\ue000-\uf8ff],? (?:right |just |directly )?(?:before|after|above|below|behind|between|under|over|next|near|in front|at|as|on)\b/i.test(
      text,
    )
  )
    return `Where in ${file}? Say: insert "TEXT" before line 2 in ${file}, after "OTHER TEXT", at the top, or at the end.`;
  if (/\.json[c5]?$/i.test(file))
    return `${file} is JSON: one more line would break it. Say: set NAME to VALUE in ${file} for a value that is there, or: replace "A" with "B" in ${file}.`;
  // "error handling" is nothing to put into a program as it stands.
  if (CODE.test(file) && !isQuoted(text) && !LINE_WORD.test(text.trim()) && !/[^\w\s,.'-]/.test(text))
    return `Give me the exact line: add a line "TEXT" to ${file}.`;
  if (isKind(text)) return unsure(text, file);
  const isGiven = isLiteral(text) || LINE_WORD.test(text.trim());
  return isGiven ? addLine(file, textOf(text, about.quotes), isFirst) : madeUp(text, file);
}

const ADD = "(?:add|append|put|insert|place|attach|enter|include|log|note|write|stick|paste|type)";

/** "line 3", "the last line"; a number below zero counts from the end. */
export const LINE_NUMBER = "(?:the )?(?:line (?:number )?(\\d+)|(first|second|third|fourth|fifth|last) line)";
const ORDINALS: Readonly<Record<string, number>> = { first: 1, second: 2, third: 3, fourth: 4, fifth: 5, last: -1 };

export function lineNumber(word: string): number {
  return ORDINALS[word.toLowerCase()] ?? Number(word);
}

interface Spot {
  readonly where: string;
  /** The number of a line, or text that stands in it. */
  readonly anchor: number | string;
  readonly phrase: string;
}

/** A line beside another one. The file is read first: what stands in several lines is asked back. */
function insert(text: string, { where, anchor, phrase }: Spot, about: About): Reading {
  const file = fileOf(phrase, about);
  if (file === undefined || !(isLiteral(text) || LINE_WORD.test(text.trim()))) return undefined;
  const isBefore = /^(?:before|above|at|as)$/i.test(where);
  const more = textOf(text, about.quotes);
  return readFirst(file, (own) => {
    const at = lineAt(own, anchor, file);
    if (typeof at === "string") return at;
    return replaceLines(file, own, at, (line) => (isBefore ? `${more}\n${line}` : `${line}\n${more}`));
  });
}

/** Which line is meant, from 0; or why that cannot be said. */
export function lineAt(own: readonly string[], anchor: number | string, file: string): number | string {
  if (typeof anchor === "number") {
    const at = anchor < 0 ? own.length + anchor : anchor - 1;
    return own[at] === undefined ? `${file} has ${counted(own.length, "line")}, so I changed nothing.` : at;
  }
  const exact = own.flatMap((line, at) => (line === anchor ? at : []));
  const found = exact.length > 0 ? exact : own.flatMap((line, at) => (line.includes(anchor) ? at : []));
  if (found.length === 1) return found[0] ?? 0;
  if (found.length === 0) return `"${anchor}" is not in ${file}, so I changed nothing.`;
  const numbers = found.map((at) => at + 1).join(", ");
  return `"${anchor}" is in several lines of ${file} (${numbers}), so I changed nothing. Say which one: before line ${(found[0] ?? 0) + 1}.`;
}

/** One line, with as much around it as is there only once; without a new text it goes. */
export function replaceLines(
  file: string,
  own: readonly string[],
  at: number,
  change: (line: string) => string | undefined,
  { before }: { readonly before?: (line: string) => string } = {},
): readonly Draft[] | string {
  const text = own.join("\n");
  const changed = change(own[at] ?? "");
  // The line before one that goes is needed for the end of it.
  const least = changed === undefined || before ? 1 : 0;
  if (changed === undefined && own.length === 1) return write(file, "");
  for (let more = least; more <= own.length; more++) {
    const [from, to] = [Math.max(0, at - more), Math.min(own.length, at + more + 1)];
    const old = own.slice(from, to).join("\n");
    if (old === "" || text.split(old).length !== 2) continue;
    const above = own.slice(from, at).map((line, index) => (before && from + index === at - 1 ? before(line) : line));
    const fresh = [...above, ...(changed === undefined ? [] : [changed]), ...own.slice(at + 1, to)].join("\n");
    return [{ tool: "Edit", purpose: "change", input: { file_path: file, old_string: old, new_string: fresh } }];
  }
  return `I cannot tell that line of ${file} from the others, so I changed nothing.`;
}

/** How a comment is written; nothing where that is not known. */
function comment(text: string, file: string): string | undefined {
  if (/\.(?:[cm]?[jt]sx?|c|h|cpp|cs|java|go|rs|swift|kt|php|scss)$/i.test(file)) return `// ${text}`;
  if (/\.(?:py|rb|sh|bash|ya?ml|toml|pl|conf|env)$|(?:^|\/)(?:Makefile|Dockerfile|\.env|\.gitignore)$/i.test(file)) return `# ${text}`;
  if (/\.(?:md|html?|xml|svg|vue)$/i.test(file)) return `<!-- ${text} -->`;
  return /\.css$/i.test(file) ? `/* ${text} */` : undefined;
}

function addComment(text: string, phrase: string, isFirst: boolean, about: About): Reading {
  const file = fileOf(phrase, about);
  if (file === undefined) return undefined;
  const line = comment(textOf(text, about.quotes), file);
  return line === undefined
    ? `I do not know how a comment is written in ${file}. Give me the exact line: add a line "TEXT" to ${file}.`
    : addLine(file, line, isFirst);
}

const APPEND: readonly Rule[] = [
  rule(
    `${ADD} (?:an?|the|one|this) comment (?:(${TOP})|${BOTTOM}|to|in|into) (.+?)(?:,? (?:saying|that says|which says|with(?: the text)?|reading)|:) (.+)`,
    ([, top, phrase = "", text = ""], about) => addComment(text, phrase, top !== undefined, about),
  ),
  rule(
    `${ADD} (?:an?|the|one|this) comment(?: (?:saying|that says|which says|with(?: the text)?|reading)|:)? ([\\ue000-\\uf8ff]) (?:(${TOP})|${BOTTOM}|to|in|into) (.+)`,
    ([, text = "", top, phrase = ""], about) => addComment(text, phrase, top !== undefined, about),
  ),
  rule(
    `${ADD} (.+?) (before|after|below|above|behind|under|at|as) ${LINE_NUMBER}(?: (?:in|of|inside|into|to) (.+))?`,
    ([, text = "", where = "", one, other, phrase], about) =>
      // A new first line needs no line that is there.
      /^(?:at|as)$/i.test(where) && lineNumber(one ?? other ?? "") === 1
        ? undefined
        : insert(text, { where, anchor: lineNumber(one ?? other ?? ""), phrase: phrase ?? "it" }, about),
  ),
  rule(
    `${ADD} (.+?) (before|after|below|above|behind|under) (.+?) (?:in|of|inside|into|to) (.+)`,
    ([, text = "", where = "", anchor = "", phrase = ""], about) =>
      insert(text, { where, anchor: textOf(anchor, about.quotes), phrase }, about),
  ),
  rule(`(?:${ADD}|prepend) (.+?) ${TOP} (.+)`, ([, text = "", phrase = ""], about) => append(text, phrase, about, true)),
  rule("prepend (.+?) (?:to|in|into|before) (.+)", ([, text = "", phrase = ""], about) => append(text, phrase, about, true)),
  rule(`${ADD} (.+?) ${BOTTOM} (.+)`, ([, text = "", phrase = ""], about) => append(text, phrase, about)),
  rule(
    "(?:add|append|put|insert|place|attach|enter|include|log|note|stick|paste|type) (.+?) (?:to|in|into|inside|on|onto|at) (.+)",
    ([, text = "", phrase = ""], about) => append(text, phrase, about),
  ),
  rule("(?:add|append|insert)(?: (?:to|in|into|at the end of)) (.+?)[:,]? (.+)", ([, phrase = "", text = ""], about) =>
    append(text, phrase, about),
  ),
  rule("extend (.+?) (?:with|by) (.+)", ([, phrase = "", text = ""], about) => append(text, phrase, about)),
];

export const WRITE_RULES: readonly Rule[] = [...WRITE, ...APPEND, ...NEW];
