/** Sentences that only look: read, list, find, search, count, describe. */

import { MEASURE_RULES } from "./nearest.ts";
import {
  type About,
  bash,
  type Draft,
  fileOf,
  filesOf,
  isFileName,
  isQuoted,
  literally,
  onFile,
  placeOf,
  placesOf,
  type Reading,
  type Rule,
  rule,
  shellWord,
  textOf,
  whole,
} from "./phrase.ts";
import { CODE } from "./rules-write.ts";

const SHOW =
  "(?:read|open|show|display|print|view|see|output|dump|present|give|get|load|check|inspect|examine|review|study|explain|describe|summari[sz]e|sum up|type|cat|look|have a (?:quick )?look|take a (?:quick )?look|go|walk|tell|let|want|need|find out)";
const TO_ME = "(?: (?:me|us|to me|through|into|inside|over|at|out|in|about|know|see|have|read|back))*";
const CONTENTS =
  "(?: (?:the |its |all |all the |whole |full |entire |complete )*(?:contents?|text|code|source(?: code)?|body|data|inside|purpose|meaning|summary|overview|an overview|a (?:short |brief )?summary)(?: (?:of|in|from|inside))?| what(?:'s| is| stands| it says)?(?: (?:there|written|stored))?(?: (?:inside of|in|inside|on))?| everything in)?";
const TAIL =
  "(?: (?:file))?(?: (?:in one sentence|briefly|shortly|in short|aloud|again|to me|completely|says|contains|does|do|is about|is for|is|has|holds|and explain it|and tell me what it does|in simple words))*";

/** "a.txt and b.txt" are two. */
function readAll(phrase: string, about: About): Reading {
  const files = filesOf(phrase, about);
  return files?.flatMap((file) => read(file));
}

export function read(file: string, more: { readonly offset?: number; readonly limit?: number } = {}): readonly Draft[] {
  // A path without an ending is a folder's.
  if (/^[\w-][\w/-]*\/[\w-]+$/.test(file)) return [{ tool: "Glob", purpose: "find", input: { pattern: "**/*", path: file } }];
  return [{ tool: "Read", purpose: "read", input: { file_path: file, ...more } }];
}

const readRule = (pattern: string): Rule => rule(pattern, ([, phrase = ""], about) => readAll(phrase, about));

/** Files are read only if they look like files: "open the door" is none. */
const READ: readonly Rule[] = [
  rule(
    `(?:show|display|print|read|give|get|what(?:'s| is| are)|see|view|output)(?: me| us)?(?: just| only)? (?:the )?(?:(first|top|head|beginning)|last|bottom|tail|end)(?: (\\d+|one|two|three|four|five|ten|few|couple(?: of)?))?( lines?| rows?)?(?: of| from| in) (.+)`,
    ([, first, count, unit, phrase = ""], about) => {
      const many = count === undefined && /^ (?:line|row)$/i.test(unit ?? "") ? 1 : numberOf(count);
      return onFile(phrase, about, (file) => (first ? read(file, { limit: many }) : [bash(`tail -n ${many} ${shellWord(file)}`)]));
    },
  ),
  rule(
    "(?:show|display|print|read|give|get|what(?:'s| is| are)|see|view)(?: me| us)? ?(?:in |on )?(?:the )?lines? (\\d+)(?: ?(?:-|to|until|through|and) ?(\\d+))? (?:of|from|in) (.+)",
    ([, from = "1", to = from, phrase = ""], about) =>
      onFile(phrase, about, (file) => read(file, { offset: Number(from), limit: Math.max(1, Number(to) - Number(from) + 1) })),
  ),
  readRule(`${SHOW}${TO_ME}${CONTENTS} (.+?)${TAIL}`),
  readRule(
    "(?:what|which)(?:'s| is| are| does| do| stands| text is)?(?: there| written| stored| the contents?| contained| all)?(?: in| inside| of| on| within)? (.+?)(?: about| for| doing| contain| contains| says?| do| does| mean| hold| have| look like| all about| good for| exactly| inside)*\\??",
  ),
  readRule("(?:how|why) (?:does|do|is) (.+?) (?:work|works|look|looks|done|written|look like|made)\\??"),
  readRule("(?:do you (?:see|know|understand)|is there anything (?:in|inside)|anything (?:in|inside)) (.+?)\\??"),
  readRule("(?:contents?|source|text) (?:of|in) (.+?)"),
  readRule("(?:read|open|show|display|print)(?: me)? (?:an?|the|this|that|some|my) file[^:]*: ?(\\S+)"),
  // A part that it cannot tell from the rest: the person sees it in the whole.
  readRule(
    "(?:show|list|print|display|give|tell|read|see|what(?:'s| is| are)|which)(?: me| us)?(?: are)?(?: all)?(?: of)?(?: the| my| our)? (?:npm )?(?:scripts?|(?:dev)?dependenc(?:y|ies)|fields?|keys?|settings?|entries|headings?|titles?|sections?|values?|imports?|exports?|functions?|names?|options?|comments?|examples?)(?: (?:are|is))?(?: (?:there|defined|listed|declared))? (?:in|of|from|inside) (.+?)\\??",
  ),
  rule("(\\S+)", ([, name = ""], about) =>
    isFileName(about.quotes.value(name)) && /\w\.\w+$/.test(name) ? read(about.quotes.value(name)) : undefined,
  ),
];

const NUMBERS: Readonly<Record<string, number>> = { one: 1, two: 2, three: 3, four: 4, five: 5, ten: 10 };

function numberOf(word: string | undefined): number {
  return word === undefined ? 10 : (NUMBERS[word.toLowerCase()] ?? (Number(word) || 10));
}

const COUNTED: Readonly<Record<string, string>> = {
  line: "-l",
  row: "-l",
  word: "-w",
  character: "-m",
  char: "-m",
  letter: "-m",
  byte: "-c",
};

function count(unit: string, phrase: string, about: About): Reading {
  return onFile(phrase, about, (file) => [bash(`wc ${COUNTED[unit.toLowerCase().replace(/s$/, "")] ?? "-l"} ${shellWord(file)}`)]);
}

const UNIT = "(lines?|rows?|words?|characters?|chars?|letters?|bytes?)";

const COUNT: readonly Rule[] = [
  rule(
    "(?:how many|count(?: all)?(?: the)?|number of) (?:unit )?(?:tests?|specs|test files)(?: (?:are|do we have|do i have|does it have|exist|have we|is))?(?: there)?(?: (?:in|inside|under) (.+?)| here)?\\??",
    ([, place], about) => list("test", place, about),
  ),
  rule(
    `how many ${UNIT}(?: of (?:code|text))? (?:does |do |has |have |are |is )?(?:there )?(?:in |inside |of )?(.+?)(?: have| has| contain| contains| got)?\\??`,
    ([, unit = "", phrase = ""], about) => count(unit, phrase, about),
  ),
  rule(
    `(?:count|tell me|give me|get|show(?: me)?|what is|what's|how much is)(?: me)?(?: all)?(?: the)?(?: number of| count of| amount of)?(?: the| all)* ${UNIT}(?: count)? (?:in|of|from|inside) (.+?)\\??`,
    ([, unit = "", phrase = ""], about) => count(unit, phrase, about),
  ),
  rule("how (?:long|big|large) is (.+?)\\??|(?:what is|what's|show(?: me)?|tell me)(?: the)? size of (.+?)\\??", ([, one, other], about) =>
    onFile(one ?? other ?? "", about, (file) => [bash(`wc ${shellWord(file)}`)]),
  ),
  rule(
    "(?:when was|when did (?:someone|somebody|you|i) (?:change|edit)) (.+?)(?: last)?(?: changed| modified| edited| created| written| updated)?(?: last)?\\??",
    ([, phrase = ""], about) => onFile(phrase, about, (file) => [bash(`ls -l ${shellWord(file)}`)]),
  ),
  rule(
    "(?:how many|count(?: all)?(?: the)?|number of) (?:(\\S+) )?files(?: are| do we have| do i have| does it have| exist| have we)?(?: there)?(?: (?:in|inside|under) (.+?)| here)?\\??",
    ([, kind, place], about) => list(kind, place, about),
  ),
];

const KINDS: Readonly<Record<string, string>> = {
  markdown: "md",
  typescript: "ts",
  javascript: "js",
  python: "py",
  text: "txt",
  yaml: "{yml,yaml}",
  shell: "sh",
  bash: "sh",
  rust: "rs",
  ruby: "rb",
  image: "{png,jpg,jpeg,gif,svg}",
  log: "log",
  golang: "go",
  "c++": "cpp",
  config: "{json,yml,yaml,toml,ini}",
};

/** A pattern for a kind of files: "markdown", ".md", "*.md", "md", "test". */
function patternOf(kind: string): string | undefined {
  const word = kind.toLowerCase();
  if (/[*?{[]/.test(kind)) return kind.includes("/") ? kind : `**/${kind}`;
  if (/^\.\w+$/.test(kind)) return `**/*${kind}`;
  if (word === "test" || word === "tests" || word === "spec") return `**/*${word.replace(/s$/, "")}*`;
  if (KINDS[word]) return `**/*.${KINDS[word]}`;
  return /^(?:md|ts|tsx|js|jsx|mjs|cjs|json|py|txt|html|css|scss|go|java|c|h|cpp|rs|rb|sh|yml|yaml|toml|ini|xml|csv|sql|svg|png|php|lock|env|log)$/.test(
    word,
  )
    ? `**/*.${word}`
    : undefined;
}

const ANY_KIND =
  /^(?:all|every|any|other|these|those|my|our|your|the|source|project|hidden|existing|available|different|current|of|code|existent|list|a|names?|down|out)$/i;

function list(kind: string | undefined, place: string | undefined, about: About): Reading {
  const words = (kind ?? "").split(/\s+/).filter((word) => word !== "" && !ANY_KIND.test(word));
  if (words.length > 1) return undefined;
  const pattern = words[0] === undefined ? "**/*" : patternOf(about.quotes.value(words[0]));
  const folders = placesOf(place, about);
  if (pattern === undefined || folders === null) return undefined;
  return folders.map((folder) => {
    const path = folder?.replace(/(?<=.)\/+$/, "");
    return { tool: "Glob", purpose: "find", input: { pattern, ...(path !== undefined && { path }) } };
  });
}

function findNamed(name: string): readonly Draft[] {
  const pattern = name.includes("/") ? name.replace(/^\.\//, "") : `**/${name}`;
  return [{ tool: "Glob", purpose: "find", input: { pattern } }];
}

export const LISTING: string =
  "(?:list|show|display|print|find|get|give|see|enumerate|search(?: for)?|look for|what(?:'s| is| are)|which(?: are| is)?|tell|want|need|locate|view|name)(?: me| us)?(?: out)?";
export const PLACE: string = "(?: (?:in|inside|of|under|within|from|at|on) (.+?))?";

const LIST: readonly Rule[] = [
  rule(
    "(?:list|show|display|see)(?: me)?(?: all| every| the| my)* files?,? (?:including|with|and|even|also)(?: the| all)* hidden(?: ones| files?)?(?: too)?(?: here)?",
    () => [bash("ls -lA")],
  ),
  rule(
    `${LISTING}((?: \\S+){0,4}?) files?(?: names?| list)?(?: (?:that )?(?:there are|exist|are there|do (?:we|i|you) have|you (?:have|see)|we have|are|is))?(?: (?:here|available|present|there))?${PLACE}(?: here)?\\??`,
    ([, kind, place], about) => list(kind, place, about),
  ),
  rule(
    `(?:list|find|show(?: me)?|get|search(?: for)?|look for) (?:all |the |every |all the )*(\\S*[*]\\S*|\\.\\w{1,5})${PLACE}`,
    ([, kind, place], about) => list(kind, place, about),
  ),
  rule(
    `(?:what|which)(?: kind of)? (?:(\\S+) )?files? (?:are|is|do we have|do i have|do you see|have we|exist|can you see|does it have|exists|there are|you see)(?: there)?(?: here| available| present)?${PLACE}\\??`,
    ([, kind, place], about) => list(kind, place, about),
  ),
  rule(
    `(?:are|is) there (?:any |some |a )?(\\S+) files?(?: here)?${PLACE}\\??|do (?:we|you|i) have (?:any |some )?(\\S+) files?\\??`,
    ([, kind, place, other], about) => list(kind ?? other, place, about),
  ),
  rule(
    "(?:find|locate|list|get|search(?: for)?|look for|show(?: me)?)(?: all| the| every| any| a| me)* files? (?:that (?:are |is )?|which (?:are )?)?(?:called|named|with (?:the )?name(?: of)?|by name) (.+?)(?: in (.+))?",
    ([, name = "", place], about) => (placeOf(place, about) === null ? undefined : findNamed(about.quotes.value(name))),
  ),
  rule(
    "(?:find|locate|list|get|search(?: for)?|look for|show(?: me)?)(?: all| the| every| any| me)* files? (?:that |which |with (?:the )?)?(?:ends?|ending|extension|suffix|ending is|type)(?: (?:in|with|on|of))? (\\S+?)(?: in (.+))?",
    ([, ending = "", place], about) => list(`.${about.quotes.value(ending).replace(/^[*.]+/, "")}`, place, about),
  ),
  rule(
    "(?:find|locate|list|get|search(?: for)?|look for|show(?: me)?)(?: all| the| every| any| me)* files? (?:that |which )?(?:starts?|starting|begins?|beginning)(?: with)? (\\S+?)(?: in (.+))?",
    ([, begin = "", place], about) => list(`${about.quotes.value(begin)}*`, place, about),
  ),
  rule(
    "(?:is there|do (?:we|i|you) have|does)(?: an?| the| any)? (?:(?:folder|directory)(?: called| named)? ([\\w.-]+)|([\\w.-]+) (?:folder|directory))(?: exist| here)?\\??",
    ([, one, other]) => [bash(`ls -d ${shellWord(one ?? other ?? ".")}`)],
  ),
  rule(
    "(?:where(?:'s| is| are| can i find| do i find)|locate|find|is there|(?:do|did|have) (?:we|you|i)(?: have| got)?(?: already)?|search for|look for|does|is|check (?:if|whether|that|for))(?: there)?(?: the| an?| any)?( file)?(?: called| named)? (\\S+?)((?: located| file| exists?| present|(?: in| around)? here| there| anywhere| already| yet| in (?:this|the) (?:project|folder|workspace|repo|repository|directory))*)\\??",
    ([sentence = "", isFile, name = "", tail = ""], about) => {
      const file = fileOf(`${isFile === undefined && !/ file\b/i.test(tail) ? "" : "the file "}${name}`, about);
      const isAsked = /^(?:is|does|do|did|have|check)\b/i.test(sentence);
      const isSure =
        file !== undefined && (/\w\.[a-z]\w{0,4}$/i.test(file) || (/^\w+$/.test(file) && (isFileName(file) || isFile !== undefined)));
      return isSure && !file.endsWith("/") && (!isQuoted(name) || isAsked) ? findNamed(file) : undefined;
    },
  ),
  rule(
    "(?:list|ls|show(?: me)?|display|see|open|look (?:at|into|in|inside)|go through|what(?:'s| is| are)?(?: there)?(?: in| inside)?|print|view|describe|explore|browse)(?: all)?(?: the)?(?: contents?| structure| tree| files and folders| everything)?(?: of| in| inside| under)? (.+? (?:folder|directory|dir)|(?:folder|directory|dir) .+?|\\S+\\/)(?: contain| contents?| structure| have)?\\??",
    ([, place = ""], about) => {
      const folder = placeOf(place, about);
      return folder === null || folder === undefined ? undefined : list(undefined, place, about);
    },
  ),
  rule(
    "(?:list|ls|show(?: me)?|display|print|see|view|give(?: me)?|tell(?: me)?|what(?:'s| is)?)(?: (?:all|the|a|my|me|this|current|working|present|of|full|whole|complete|file|files|folder|directory|project|and|folders|directories|in|here|inside|everything|there|workspace|repo|repository|structure|tree|list|listing|contents?|layout|subfolders|available|have we|we have|have))+\\??",
    ([whole = ""], about) =>
      /\b(?:files?|folders?|director|tree|structure|contents?|here|everything|layout|all)\b/i.test(whole) || /director/i.test(whole)
        ? list(undefined, undefined, about)
        : undefined,
  ),
  rule("(?:list|show) (\\S+)", ([, place = ""], about) =>
    /^[\w.-]+$/.test(place) &&
    /^(?:src|lib|docs?|tests?|bin|dist|build|packages?|scripts|examples|app|public|config|include|assets|source)$/i.test(place)
      ? list(undefined, place, about)
      : undefined,
  ),
];

export function search(text: string, place: string | undefined, about: About): Reading {
  const [, kind] = /^(?:(?:all|the|every|our|my|any) )*(\S+) files?$/i.exec(place ?? "") ?? [];
  const pattern = kind === undefined ? undefined : patternOf(kind);
  if (pattern !== undefined) return search(text, pattern.replace(/^\*\*\//, ""), about);
  const folders = placesOf(place, about);
  const wanted = isQuoted(text) ? textOf(text, about.quotes) : isAboutFiles(text) ? undefined : searched(text, about);
  if (folders === null || wanted === "" || wanted === undefined) return undefined;
  return folders.map((folder) => ({
    tool: "Grep",
    purpose: "search",
    input: { pattern: literally(wanted), ...pathOrPattern(folder), output_mode: "content" },
  }));
}

/** "in *.js" are files by their names. */
function pathOrPattern(folder: string | undefined): { readonly path?: string; readonly glob?: string } {
  if (folder === undefined) return {};
  return /[*?]/.test(folder) ? { glob: folder.includes("/") ? folder : `**/${folder}` } : { path: folder };
}

/** "files bigger than 1MB" is no text that stands in a file. */
function isAboutFiles(text: string): boolean {
  return /\b(?:files?|folders?|director(?:y|ies))\b/i.test(text) && /\s/.test(text.trim());
}

/** "all the TODOs" are `TODO`; "the word foo" is `foo`; "the function parse" is `parse`. */
function searched(text: string, { quotes }: About): string | undefined {
  const rest = text
    .trim()
    .replace(/^(?:(?:all|the|any|every|each|some|a|an|of|for|my|our)\s+)+(?=\S)/i, "")
    .replace(
      /^(?:occurr?ences?|mentions?|uses?|usages?|references?|instances?|appearances?|calls?|places|lines?|matches)(?: (?:of|to|with|containing|that (?:contain|mention|have)|where))?\s+(?=\S)/i,
      "",
    )
    .replace(
      /^(?:the\s+)?(?:(?:text|word|words|string|phrase|pattern|term|keyword|functions?|methods?|class|classes|variables?|constants?|symbol|identifier|name)(?: (?:called|named))?|comments?|definition of|declaration of)\s+(?=\S)/i,
      "",
    )
    .replace(/\s+(?:left|remaining|still open|anywhere|somewhere|at all|yet)$/i, "")
    .replace(/\s+(?:comments?|markers?|statements?|calls?|occurr?ences?|string|text|word|function|method|class|variable|keyword)$/i, "");
  return quotes.value(/^[A-Z]{2,}s$/.test(rest) ? rest.slice(0, -1) : rest);
}

const WHERE = "(?: (?:in|inside|within|under|across|throughout) (.+?))?";
const FILES = "(?:files?|places?|lines?|modules?|documents?|code|parts?)";
const HOLD =
  "(?:mentions?|mentioning|contains?|containing|uses?|using|has|have|having|includes?|including|imports?|importing|calls?|calling|references?|with|say|says|talks? about|match(?:es)?|refers? to|holds?|in which)";

const SEARCH: readonly Rule[] = [
  rule(
    `(?:search|scan|check|grep|look|go) (?:through |in |inside |into |the inside of )?(.+?) for (.+)`,
    ([, place = "", text = ""], about) => (/^(?:for|up|it)\b/i.test(place) ? undefined : search(text, place, about)),
  ),
  rule(
    `(?:search(?: for)?|look(?:ing)? (?:for|up)|grep(?: for)?|scan for|seek(?: for)?|hunt for|check for|query)(?: me)? (.+?)${WHERE}`,
    ([, text = "", place], about) => search(text, place, about),
  ),
  rule(
    `(?:find|locate|show|list|get|give|tell|print|display|count|what are|see)(?: me| us)?(?: all| the| every| any| of)*(?: ${FILES})(?: (?:that|which|where))?(?: (?:i|we|it|do|does))? ${HOLD}(?: (?:the|a|an))? (.+?)${WHERE}`,
    ([, text = "", place], about) => search(text, place, about),
  ),
  rule(
    `(?:which|what|where are)(?: of)?(?: the| these| my| all)* ${FILES}(?: (?:that|which))? ${HOLD}(?: (?:the|a|an))? (.+?)${WHERE}\\??`,
    ([, text = "", place], about) => search(text, place, about),
  ),
  rule(
    `(?:where|in which (?:file|place|files)|in what file|from where)(?:'s| is| are| do| does| did| can| have)?(?: we| i| you| they| the code| it| one)?(?: use| call| define| find| see| declare| import| mention| set)? (.+?)(?: (?:defined|used|called|declared|implemented|mentioned|imported|written|set|exported|located|stored|coming from|come from|referenced|done|handled|configured))+${WHERE}\\??`,
    ([, text = "", place], about) => search(text, place, about),
  ),
  rule(
    `where (?:do|does|did|can) (?:we|i|you|they|the code|it|one) (?:use|call|define|find|see|declare|import|mention|set) (.+?)${WHERE}\\??`,
    ([, text = "", place], about) => search(text, place, about),
  ),
  rule(`(?:who|what) (?:calls|uses|imports|defines|references|mentions) (.+?)${WHERE}\\??`, ([, text = "", place], about) =>
    search(text, place, about),
  ),
  rule(
    `(?:does|do|did|is there) (?:anything|any(?:thing| of (?:the|my|our))? ?${FILES}|some ${FILES}|(?:the|my|our) ${FILES}|(?:an?|one) ${FILES})(?: (?:here|that|which))? ${HOLD}(?: the (?:word|text|string))? (.+?)${WHERE}\\??`,
    ([, text = "", place], about) => search(text, place, about),
  ),
  rule(
    `(?:does|do|did) (.+?) (?:contain|mention|have|include|use|import|say|hold)s?(?: the| a| an| any)? (.+?)\\??`,
    ([, phrase = "", text = ""], about) => onFile(phrase, about, (file) => search(text, file, about)),
  ),
  rule(
    `(?:is|are|was)(?: there)?(?: a| an| any| some| the)? (.+?) (?:mentioned |used |defined |present |found |contained )?(?:in|inside) (.+?)\\??`,
    ([, text = "", place], about) => search(text, place, about),
  ),
  rule(
    `how (?:often|many times) (?:does|do|is|are) (.+?) (?:occur|appear|used|mentioned|come up|come|stand|there|found)s?${WHERE}\\??`,
    ([, text = "", place], about) => search(text, place, about),
  ),
  rule(`(?:any|all) (?:mentions?|uses?|occurr?ences?) of (.+?)${WHERE}\\??`, ([, text = "", place], about) => search(text, place, about)),
  rule(
    `where(?:'s| is| are) (?:the )?(?:function |class |method |variable |constant )?([A-Za-z_$][\\w$]*(?:[A-Z_.]|\\()[\\w$.()]*|[\\ue000-\\uf8ff])${WHERE}\\??`,
    ([, text = "", place], about) => search(text.replace(/\(\)$/, ""), place, about),
  ),
  rule(`(?:find|locate)(?: me| out)? (.+?)${WHERE}`, ([, text = "", place], about) =>
    isPlainTerm(text) ? search(text, place, about) : undefined,
  ),
];

/** "find TODO" and "find the word foo" are searches; "find a good restaurant for us tonight" is not. */
function isPlainTerm(text: string): boolean {
  return isQuoted(text) || text.trim().split(/\s+/).length <= 4;
}

const PROJECT =
  "(?:(?:the|this|that|my|our|your|current|whole|entire|present|working|full|complete|of|given)\\s+)*(?:workspace|work space|project|repo|repository|folder|directory|code ?base|codebase|source code|code|application|app|program|package|library|tree|place|thing|software)";
const ASIDE =
  "(?: (?:in (?:one|a|two|three|a few|few|short|simple|your own|some)(?: (?:sentences?|words?|lines?))?|briefly|shortly|here|to me|a bit|a little|please|structure|files|layout|quickly|about|all about|in general|do|does|doing|for|contain|contains|is|are|i am in|we are in|am i in|in detail|look like|made of|good for|exactly|and its files|made for))*";
const ABOUT_IT =
  "(?:summari[sz]e|sum up|describe|explain|analy[sz]e|analyse|introduce|outline|understand|inspect|explore|examine|review|present|study|scan|survey|check out|look (?:around|at|into|through|over)|go through|walk (?:me )?through|tell(?: me| us)?(?: something| more| everything)? about|tell(?: me| us)? what|give(?: me| us)?(?: an?| the| some)?(?: short| quick| brief| rough| little| general| high[- ]level)*(?: overview| summary| description| idea| impression| introduction| tour| intro| explanation| info| information)(?: of| about| to| on| for| over)|show(?: me| us)?(?: an?| the)?(?: short| quick| brief)*(?: overview| summary| description)(?: of| about)|(?:an? )?(?:short |quick |brief )?(?:overview|summary|description|tour)(?: of| about)?|what(?:'s| is| are| does| do| can you tell me about| do you know about| kind of| sort of| type of)?|what(?:'s| is)(?: there)?(?: in| inside)|which|get(?: me)?(?: an?)? (?:overview|summary) of|make(?: me)?(?: an?)? (?:short )?(?:overview|summary|description) of|i want to (?:understand|know))";

/** The files first, then what the project says of itself. */
export const SUMMARY: Draft = {
  tool: "Glob",
  purpose: "summarise",
  input: { pattern: "**/*" },
  next({ content, is_error }) {
    const listed = typeof content === "string" ? content : content.map(({ text }) => text).join("\n");
    const files = listed.split("\n").filter((line) => line.startsWith("/"));
    const own = files
      .filter((file) => /\/(?:readme(?:\.\w+)?|package\.json)$/i.test(file))
      .sort((a, b) => depth(a) - depth(b) || Number(/json$/.test(a)) - Number(/json$/.test(b)));
    return is_error || own[0] === undefined ? [] : [{ tool: "Read", purpose: "summarise", input: { file_path: own[0], limit: 40 } }];
  },
};

function depth(file: string): number {
  return file.split("/").length;
}

const OVERVIEW: readonly Rule[] = [
  rule(`${ABOUT_IT} ${PROJECT}${ASIDE}\\??`, () => [SUMMARY]),
  rule(
    "(?:what(?:'s| is) (?:this|here|all this|this all|going on here)(?: about)?|what (?:am i|are we) (?:looking at|working on)|what (?:do we|have we|do i) (?:have|got) here|overview|summary|summari[sz]e|describe|summari[sz]e (?:this|everything)|where are we|look around|explore)\\??",
    () => [SUMMARY],
  ),
  rule("summari[sz]e it(?: all)?", (_, { lastFile }) => (lastFile === undefined ? [SUMMARY] : undefined)),
];

/** Before the others: what is about the project as a whole is not about a file. */
export const OVERVIEW_RULES: readonly Rule[] = OVERVIEW;
/** What was written or read just now. */
const AGAIN = rule(
  "(?:print|show|display|read|see)(?: me)?(?: the| its)?(?: file(?:'s)?)? ?(contents?|it|that|result|the file)(?: of it| of the file| again)?",
  ([, what], { lastFile, isSameSentence }) =>
    lastFile === undefined || (!isSameSentence && /contents?|result/i.test(what ?? "")) ? undefined : read(lastFile),
);

const SYMBOL = "((?:[a-z_$]+[A-Z_$][\\w$]*|[A-Z][\\w$]*[a-z][\\w$]*|[\\w$.]+(?=\\(\\)))(?:\\(\\))?|[\\ue000-\\uf8ff])";
const KIND = "(?:(?:the|this|my|our) )?(?:function|class|method|variable|constant|type) ";

/** What a name in the code is for: it can only be shown where it is. */
const SYMBOLS: readonly Rule[] = [
  symbolRule(`(?:explain|describe)(?: to)?(?: me)?(?: what)? (?:${KIND})?${SYMBOL}(?: (?:does|do|returns?|means?|is|is for))*`),
  symbolRule(
    `(?:what|how|why) (?:does|do|is) (?:${KIND})?${SYMBOL} (?:do|does|return|mean|work|for|good for|about|take|print|used for|called)\\??`,
  ),
  symbolRule(`(?:explain|describe)(?: to)?(?: me)?(?: what)? ${KIND}([\\w$.]+)(?:\\(\\))?(?: (?:does|do|returns?|means?|is|is for))*`),
  symbolRule(
    `(?:what|how|why) (?:does|do|is) ${KIND}([\\w$.]+)(?:\\(\\))? (?:do|does|return|mean|work|for|good for|about|take|print|used for|called)\\??`,
  ),
  symbolRule(
    `(?:show|tell|give|find|list|read)(?: me| us)? (?:everything|all|anything|more|something)(?: there is)? (?:about|on|regarding) (?:${KIND})?${SYMBOL}`,
  ),
];

function symbolRule(pattern: string): Rule {
  const { make } = rule(pattern, ([, name = ""], about) =>
    fileOf(name, about) ? undefined : search(name.replace(/\(\)$/, ""), undefined, about),
  );
  // A name is told from a word by its letters.
  return {
    pattern: new RegExp(
      `^(?:${pattern.replace(/^\(\?:([a-z|]+)\)/, (_, verbs: string) => `(?:${verbs}|${verbs.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())})`)})$`,
      "s",
    ),
    make,
  };
}

const FAULT = "(?:bugs?|mistakes?|problems?|issues?|faults?|flaws?|security holes?|vulnerabilit(?:y|ies))";
const CODE_FAULT = `(?:${FAULT}|errors?|something wrong|anything wrong)`;
const CANNOT_JUDGE =
  "I cannot find bugs or judge code: I am a grammar of plain sentences. With a key (ANTHROPIC_API_KEY) a language model answers. What I can do: run npm test.";

/** What only a reader of the code can tell: the code is shown. */
const JUDGE: readonly Rule[] = [
  rule(
    `(?:(?:is|are) there|do you (?:see|find)|find|look for|search for|check for|show(?: me)?)(?: an?| any| some| the| all)*(?: \\w+)? ${CODE_FAULT} (?:in|with|inside|of) (.+?)\\??|(?:does|do) (.+?) (?:have|contain)(?: an?| any| some)* ${CODE_FAULT}\\??|what(?:'s| is) wrong (?:with|in) (.+?)\\??|is (.+?) (?:correct|right|ok|okay|good|buggy|broken|safe|secure|clean|well written|fine|valid)\\??|(?:check|look (?:at|through)|scan|search) (.+?) for(?: any| the)? ${CODE_FAULT}`,
    ([whole = "", ...places], about) => {
      const place = places.find((one) => one !== undefined) ?? "";
      const file = fileOf(place, about);
      if (file !== undefined) return CODE.test(file) || /wrong/i.test(whole) ? read(file) : undefined;
      return new RegExp(FAULT, "i").test(whole) && placeOf(place, about) !== null ? CANNOT_JUDGE : undefined;
    },
  ),
];

export const LOOK_RULES: readonly Rule[] = [
  AGAIN,
  ...JUDGE,
  ...SYMBOLS,
  ...MEASURE_RULES,
  ...COUNT,
  ...LIST,
  ...READ,
  ...SEARCH.map(whole),
];
