/** What only looks: read, list, find, search, count, compare, describe. */

import { best, DOING, type Fit, type Found, type Intent, intent } from "./intent.ts";
import { isProgram } from "./nearest.ts";
import {
  type About,
  bash,
  CODE,
  type Draft,
  LIMIT,
  literally,
  notAll,
  placeOf,
  type Reading,
  type Rule,
  rule,
  shellWord,
} from "./phrase.ts";

/** Words that are passed over where a file, a place or a name says what is looked at. */
const MOST_UNKNOWN = 2;

// --- files ---

const glob = (pattern: string, path?: string): Draft => ({
  tool: "Glob",
  purpose: "find",
  input: { pattern, ...(path !== undefined && { path: path.replace(/(?<=.)\/+$/, "") }) },
});

function read(file: string, more: { readonly offset?: number; readonly limit?: number } = {}): Draft {
  // A path without an ending is a folder's.
  if (/^[\w-][\w/-]*\/[\w-]+$/.test(file)) return glob("**/*", file);
  return { tool: "Read", purpose: "read", input: { file_path: file, ...more } };
}

const UNITS: readonly (readonly [string, string])[] = [
  ["line", "-l"],
  ["word", "-w"],
  ["character", "-m"],
  ["byte", "-c"],
];
const USUAL_PART = 10;

/** The first or the last lines. */
function part({ words, numbers: [number], files }: Found): Reading {
  const many = number ?? (words.has("line") && !words.has("lines") && !words.has("rows") ? 1 : USUAL_PART);
  return files.map((file) => (words.has("last") ? bash(`tail -n ${many} ${shellWord(file)}`) : read(file, { limit: many })));
}

const KINDS: Readonly<Record<string, string>> = {
  ...{ markdown: "md", typescript: "ts", javascript: "js", python: "py", text: "txt", yaml: "{yml,yaml}", shell: "sh", bash: "sh" },
  ...{ rust: "rs", ruby: "rb", image: "{png,jpg,jpeg,gif,svg}", images: "{png,jpg,jpeg,gif,svg}", log: "log", logs: "log", golang: "go" },
  ...{ "c++": "cpp", config: "{json,yml,yaml,toml,ini}", configuration: "{json,yml,yaml,toml,ini}" },
};
const ENDINGS =
  /^(?:md|ts|tsx|js|jsx|mjs|cjs|json|py|txt|html|css|scss|go|java|c|h|cpp|rs|rb|sh|yml|yaml|toml|ini|xml|csv|sql|svg|png|php|lock|env|log)$/;

/** A pattern for a kind of files: "markdown", ".md", "*.md", "md", "test". */
function patternOf(kind: string): string | undefined {
  const word = kind.toLowerCase();
  if (/[*?{[]/.test(kind)) return kind.includes("/") ? kind : `**/${kind}`;
  if (/^\.\w+$/.test(kind)) return `**/*${kind}`;
  if (/^(?:tests?|specs?)$/.test(word)) return `**/*${word.replace(/s$/, "")}*`;
  if (KINDS[word]) return `**/*.${KINDS[word]}`;
  return ENDINGS.test(word) ? `**/*.${word}` : undefined;
}

/** Files of a kind, in the folders that are named. */
function listed({ words, rest, globs, folders }: Pick<Fit, "words" | "rest" | "globs" | "folders">): Reading {
  const kinds = [...globs, ...rest.filter((word) => !/^(?:source|hidden|different|other|available|kinds?)$/i.test(word))];
  const ending = words.has("text") && kinds.length === 0 ? "text" : kinds[0];
  const pattern = ending === undefined ? "**/*" : patternOf(ending);
  if (pattern === undefined || kinds.length > 1) return undefined;
  return folders.length === 0 ? [glob(pattern)] : folders.map((folder) => glob(pattern, folder));
}

function named(file: string): Reading {
  return [glob(file.includes("/") ? file.replace(/^\.\//, "") : `**/${file}`)];
}

/** Files of the project, for `find`. */
const OWN_FILES = "-type f -not -path '*/.git/*' -not -path '*/node_modules/*'";
const ORDERS: Readonly<Record<string, string>> = { biggest: "-lS", newest: "-lt", oldest: "-ltr", smallest: "-lSr" };

function firstFiles({ words, numbers: [number], folders: [folder = "."] }: Found): Reading {
  const order = Object.keys(ORDERS).find((word) => words.has(word)) ?? "biggest";
  const most = number ?? (words.has("files") ? USUAL_PART : 1);
  return [bash(`find ${shellWord(folder)} ${OWN_FILES} -exec ls ${ORDERS[order]} {} + | head -n ${most}`)];
}

const AGES: Readonly<Record<string, number>> = { today: 1, yesterday: 2, week: 7, month: 31 };
const SIZES: Readonly<Record<string, number>> = { b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

const BY_SIZE: Rule = rule(
  ".*\\bfiles?\\b.*?\\b(bigger|larger|greater|heavier|over|above|more|smaller|less|under|below|lighter)(?: than| in size than)? (\\d+) ?(b|k|m|g)i?(?:b|bytes?|ilobytes?|egabytes?|igabytes?|ytes?)?(?: (?:in size|big|large))?(?: (?:in|inside|under) (.+?))?\\??",
  ([whole = "", how = "", count = "", unit = "b", place], about) => {
    const folder = placeOf(place, about);
    if (folder === null || !/^(?:find|list|show|get|search|look|which|what|are|is|any)\b/i.test(whole)) return undefined;
    const sign = /^(?:smaller|less|under|below|lighter)$/i.test(how) ? "-" : "+";
    return [bash(`find ${shellWord(folder ?? ".")} ${OWN_FILES} -size ${sign}${Number(count) * (SIZES[unit.toLowerCase()] ?? 1)}c`)];
  },
);

// --- texts ---

/** "all the TODOs" are `TODO`; "the word foo" is `foo`; "the function parse" is `parse`. */
function searched(text: string): string {
  const rest = text
    .trim()
    .replace(/^(?:(?:all|the|any|every|each|some|an?|of|for|my|our|me|where|that|which|we|i|is|are)\s+)+(?=\S)/i, "")
    .replace(
      /^(?:occurr?ences?|mentions?|uses?|usages?|references?|instances?|appearances?|calls?|places?|spots?|locations?|lines?|matches|files)(?: (?:has-text|of|to|with|for|containing|that (?:contain|mention|have|use)|where|which (?:contain|use)|mentioning|using|have|has))?\s+(?:the\s+)?(?=\S)/i,
      "",
    )
    .replace(
      /^(?:the\s+)?(?:(?:text|words?|string|phrase|pattern|term|keyword|functions?|methods?|class|classes|variables?|constants?|symbol|identifier|name)(?: (?:called|named))?|comments?|definition of|declaration of)\s+(?=\S)/i,
      "",
    )
    .replace(/\s+(?:left|remaining|still open|anywhere|somewhere|at all|yet|(?:is|are) (?:used|defined|called|mentioned))$/i, "")
    .replace(/\s+(?:comments?|markers?|statements?|calls?|occurr?ences?|string|text|word|function|method|class|variable|keyword)$/i, "");
  return singular(rest);
}

/** "TODOs" are `TODO`. */
function singular(word: string): string {
  return /^[A-Z]{2,}s$/.test(word) ? word.slice(0, -1) : word.replace(/\(\)$/, "");
}

const SEARCHING = /^(?:.*\b)?(?:search(?: for)?|look-for|grep(?: for)?|find(?: out)?|locate|seek|scan|query)(?: me)? (.+)$/i;
const LONGEST_TERM = 4;

/** What is looked for: in quotes, what stands behind the verb, a name of code, or the only words that are not known. */
function termOf({ quotes, symbols, head, rest, words }: Fit, about: About): string | undefined {
  const [quote] = quotes;
  const isSure = rest.length <= MOST_UNKNOWN && !rest.some((word) => DOING.test(word));
  if (quote !== undefined) return quotes.length > 1 || !isSure ? undefined : about.quotes.value(quote);
  if (words.has("file") && !words.has("mention")) return undefined;
  const explicit = explicitTerm(head);
  if (explicit !== undefined && (symbols.length + rest.length > 0 || /^(?:search|look-for)/i.test(head)))
    return about.quotes.value(explicit);
  const [symbol] = symbols;
  if (symbol !== undefined) return symbols.length > 1 || !isSure ? undefined : singular(symbol);
  const all = head.split(" ");
  const from = all.indexOf(rest[0] ?? "");
  const to = all.lastIndexOf(rest.at(-1) ?? "");
  // Words that do something are no text to look for, unless they are said to be.
  if (rest.some((word) => DOING.test(word) && (rest.length > 1 || /n['’]?t$/i.test(word)))) return undefined;
  const length = rest.length === 0 ? 0 : to - from + 1;
  return length === 0 || length > Math.min(LONGEST_TERM, rest.length + 1) ? undefined : all.slice(from, to + 1).join(" ");
}

/** What stands behind "search for". */
function explicitTerm(head: string): string | undefined {
  const [, behind] = /^(?:search|scan|check|look|grep|go|comb)\b.*? for (.+)$/i.exec(head) ?? [];
  const term = searched(behind ?? SEARCHING.exec(head)?.[1] ?? "");
  const isAboutFiles = /\s/.test(term) && /\b(?:files?|folders?|director(?:y|ies))\b/i.test(term);
  return term === "" || isAboutFiles || term.split(" ").length > LONGEST_TERM ? undefined : term;
}

function search(said: Fit, about: About): Reading {
  // "all js files" are a place.
  const kind = said.words.has("file") ? said.rest.find((word) => patternOf(word) !== undefined) : undefined;
  const found: Fit =
    kind === undefined
      ? said
      : {
          ...said,
          rest: said.rest.filter((word) => word !== kind),
          globs: [patternOf(kind) ?? kind],
          words: new Set([...said.words, "mention"]),
        };
  const limit = LIMIT.exec(found.rest.join(" ")) ?? (/\b(?:except|but)\b/i.test(found.head) ? [found.head] : null);
  if (limit) return notAll(found.rest.join(" ") || found.head);
  const term = termOf(found, about);
  const kinds = found.globs.map((kind) => (/[*]/.test(kind) ? kind : `*${kind}`));
  if (term === undefined || term === "" || kinds.length > 1) return undefined;
  const places = [...found.files, ...found.folders];
  const look = (path?: string): Draft => ({
    tool: "Grep",
    purpose: "search",
    input: {
      pattern: literally(term),
      ...(path !== undefined && { path }),
      ...(kinds[0] !== undefined && { glob: kinds[0].includes("/") ? kinds[0] : `**/${kinds[0]}` }),
      output_mode: "content",
    },
  });
  return places.length === 0 ? [look()] : places.map((path) => look(path));
}

const grep = (pattern: string, path?: string): Draft => ({
  tool: "Grep",
  purpose: "search",
  input: { pattern, ...(path !== undefined && { path }), output_mode: "content" },
});

// --- the project ---

/** The files first, then what the project says of itself. */
const SUMMARY: Draft = {
  tool: "Glob",
  purpose: "summarise",
  input: { pattern: "**/*" },
  next({ content, is_error }) {
    const shown = typeof content === "string" ? content : content.map(({ text }) => text).join("\n");
    const files = shown.split("\n").filter((line) => line.startsWith("/"));
    const depth = (file: string): number => file.split("/").length;
    const own = files
      .filter((file) => /\/(?:readme(?:\.\w+)?|package\.json)$/i.test(file))
      .sort((a, b) => depth(a) - depth(b) || Number(/json$/.test(a)) - Number(/json$/.test(b)));
    return is_error || own[0] === undefined ? [] : [{ tool: "Read", purpose: "summarise", input: { file_path: own[0], limit: 40 } }];
  },
};

const CANNOT_JUDGE =
  "I cannot find bugs or judge code: I am a grammar of plain sentences. With a key (ANTHROPIC_API_KEY) a language model answers. What I can do: run npm test.";

function judge({ words, files, folders }: Found): Reading {
  const [file] = files;
  if (file !== undefined) return CODE.test(file) || words.has("wrong") ? files.map((one) => read(one)) : undefined;
  return words.has("error") || words.has("errors") || (folders.length === 0 && !words.has("here") && !words.has("code"))
    ? undefined
    : CANNOT_JUDGE;
}

const ASKED =
  "is-there|exist|have|list|where|keep|kept|live|lives|located|stored|defined|put|find|go|listed|declared|require|requires|include|mentioned|left|comments|comment|sit|stay|how|run|runnable|npm|installed|third-party|external|open|notes|unit|pages|does|need|needs|needed|top|level|first|testing|web|runner|point|under|released|published|who?";
/** Parts of a file that it cannot tell from the rest: the person sees them in the whole. */
const PARTS =
  "script|dependency|field|fields|key|keys|setting|config|entry|entries|heading|headings|title|section|sections|value|values|function|functions|option|options|comment|comments|example|examples|import|imports|export|exports|version|license|author|aloud|again|to|back|sentence|words|simple|detail|mean|means|work|works|look|good|for|main|class|classes|mention|completely|file|latest|newest|gist|inside|happen|happens|going|on?";

export const LOOK_INTENTS: readonly Intent[] = [
  intent("first|last line? FILES NUMBERS?", part),
  intent("line count? FILES NUMBERS", ({ files, numbers: [from = 1, to = from] }) =>
    files.map((file) => read(file, { offset: from, limit: Math.max(1, to - from + 1) })),
  ),
  intent("count|size line|word|character|byte FILES", ({ words, files }) => {
    const option = UNITS.find(([unit]) => words.has(unit))?.[1] ?? "-l";
    return files.map((file) => bash(`wc ${option} ${shellWord(file)}`));
  }),
  intent("size|count FILES", ({ files }) => files.map((file) => bash(`wc ${shellWord(file)}`))),
  intent("old|age modified|last? FILES", ({ files }) => files.map((file) => bash(`ls -l ${shellWord(file)}`))),
  intent("when change|create|written last? FILES", ({ files }) => files.map((file) => bash(`ls -l ${shellWord(file)}`))),
  intent("compare|same FILES", ({ files: [one, other, ...more] }) =>
    one === undefined || other === undefined || more.length > 0
      ? undefined
      : [bash(`diff -s ${shellWord(one)} ${shellWord(other)} || true`)],
  ),
  intent("biggest|newest|oldest|smallest file NUMBERS? FOLDERS?", firstFiles),
  intent("file change|create today|yesterday|week|month last|past|since|during|touch?", ({ words }) => {
    const age = Object.keys(AGES).find((word) => words.has(word)) ?? "today";
    return [bash(`find . ${OWN_FILES} -mtime -${AGES[age]}`)];
  }),
  intent("find|search|exist|is-there file? FILES", ({ files: [file = "", ...more], rest, isInFile }) =>
    isInFile || rest.length > 0 || more.length > 0 ? undefined : named(file),
  ),
  intent("hidden file even|include|including|folder?", () => [bash("ls -lA")]),
  intent("count file|test|doc is-there? GLOBS? FOLDERS? OTHER?", (found) =>
    listed(found.words.has("file") ? found : { ...found, rest: ["test"] }),
  ),
  intent(
    "file is-there|find|search|only|end|ending|last|extension|suffix|type|folder|structure|tree|kind|exist|mention? GLOBS? FOLDERS? OTHER?",
    (found, about) =>
      found.quotes.length > 0
        ? undefined
        : (listed(found) ?? (found.rest.length === 1 && found.words.has("mention") ? search(found, about) : undefined)),
  ),
  intent("file start|starting|starts|first|begin|begins OTHER", ({ rest: [begin = "", ...more] }) =>
    more.length > 0 ? undefined : [glob(`**/${begin}*`)],
  ),
  intent("GLOBS is-there|find|search? FOLDERS?", listed),
  intent("markdown|typescript|javascript|python|yaml is-there|find|search|here? FOLDERS?", ({ words, folders }) =>
    listed({ words, folders, globs: [], rest: Object.keys(KINDS).filter((kind) => words.has(kind)) }),
  ),
  intent("file name mention|contain|like|includes whose? OTHER", ({ rest: [part = "", ...more] }) =>
    more.length > 0 ? undefined : [glob(`**/*${part}*`)],
  ),
  intent("is-there|exist|find folder FOLDERS", ({ folders }) => folders.map((folder) => bash(`ls -d ${shellWord(folder)}`))),
  intent("FOLDERS folder|is-there|structure|file|everything|here|describe|look-at?", listed),
  intent("folder|structure|here|everything top|level|file|first|look-at|we|exist|is-there?", (found) =>
    found.words.has("folders") || found.words.has("directories") || found.words.has("subfolders") ? [bash("ls -d */")] : listed(found),
  ),
  intent(
    "describe project|here|folder|all|this quick|structure|look-at|work|works|goal|file|sentence|sentences|words|detail|few|line? NUMBERS?",
    () => [SUMMARY],
  ),
  intent("what project for|do|does", () => [SUMMARY]),
  intent("language|languages project|here|programming|code|written|made|coded|file|it|this|main|kind?", () => [SUMMARY]),
  intent("describe", ({ head }) => (/^(?:explain|explore|browse)$/i.test(head) ? undefined : [SUMMARY])),
  intent("read|open|cat|view|show QUOTES file?", ({ quotes }, about) => quotes.map((quote) => read(about.quotes.value(quote)))),
  intent("describe sentence|line|words|detail|brief|few? FILES NUMBERS?", ({ files }) => files.map((file) => read(file))),
  intent(`dependency ${ASKED}`, () => [read("package.json")]),
  intent(`script ${ASKED}`, () => [read("package.json")]),
  intent("dependency OTHER", ({ rest: [name = "", ...more] }) =>
    more.length > 0 ? undefined : [grep(`"${literally(name)}"`, "package.json")],
  ),
  intent("installed is-there? OTHER", ({ rest: [name = "", ...more] }) =>
    more.length > 0 || isProgram(name.toLowerCase()) ? undefined : [grep(`"${literally(name)}"`, "package.json")],
  ),
  intent("framework test|testing|web|runner?", () => [read("package.json")]),
  intent(`license|author|name|homepage|main|entry project|this|it|here ${ASKED}`, ({ words }) => {
    const key = ["license", "author", "homepage", "main", "entry", "name"].find((word) => words.has(word)) ?? "name";
    return [grep(`"${key.replace("entry", "main")}"`, "package.json")];
  }),
  intent("version project|this|it|here|package number?", () => [grep('"version"', "package.json")]),
  intent("version OTHER depend|dependency|on?", ({ rest: [name = "", ...more] }) =>
    more.length > 0 ? undefined : [grep(`"${literally(name)}"`, "package.json")],
  ),
  intent(`test where|keep|kept|live|find|located|stored file|${ASKED}`, () => [glob("**/*{test,spec}*")]),
  intent(`doc file|${ASKED}`, () => [glob("**/*.{md,mdx,rst}")]),
  intent(`config file|${ASKED}`, () => [glob("**/*{config,rc,settings,.env}*")]),
  intent(`todo|fixme file|is-there|${ASKED} FOLDERS? FILES?`, ({ words, folders, files }) => {
    const places = [...files, ...folders];
    const term = words.has("todo") ? "TODO" : "FIXME";
    return places.length === 0 ? [grep(term)] : places.map((path) => grep(term, path));
  }),
  intent("URLS fetch|download|visit|browse|curl|request|describe|web|page|site|website|url|address|link|webpage|file|go?", ({ urls }) =>
    urls.map((url) => ({ tool: "WebFetch", purpose: "other", input: { url, prompt: "What does the page say?" } })),
  ),
  intent("bug FILES? FOLDERS? is-there|search|find|have?", judge),
  intent("npm|script run|what test|build|lint|start|format?", ({ head }) =>
    /^what (?:does|do|happens)/i.test(head) ? [read("package.json")] : undefined,
  ),
  intent(
    "search|find|mention|word|is-there count|file|line|function|class|method|place|anything|todo|left? FILES? FOLDERS? GLOBS? QUOTES? SYMBOLS? OTHER?",
    search,
  ),
  intent("function|class|method|variable|constant|type describe|work|works|return|returns|mean|take|takes? OTHER FOLDERS? FILES?", search),
  intent(
    "SYMBOLS describe|function|class|method|variable|constant|return|returns|work|works|mean|means|take|takes|everything|more|left|why|print|good|call? FOLDERS? FILES?",
    search,
  ),
  intent("everything|all|more|anything describe OTHER", (found, about) =>
    /^[A-Z]/.test(found.rest[0] ?? "") ? search(found, about) : undefined,
  ),
  intent(`FILES describe|bug|is-there|${PARTS}`, ({ files }) => files.map((file) => read(file))),
];

export const LOOK_RULES: readonly Rule[] = [BY_SIZE, best(LOOK_INTENTS, MOST_UNKNOWN)];
