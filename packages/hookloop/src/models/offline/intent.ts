/**
 * Intents: what a sentence must name, in any order and in any of the words for it.
 * Takes a wish, gives what is in it: known words in their plainest form, files, folders, numbers, names in code, texts in quotes.
 * Refuses what holds a word that the intent does not know: a denial, an exception or another verb keeps it from fitting.
 */

import {
  type About,
  bash,
  type Draft,
  fileOf,
  isFileName,
  NUMBERS,
  placesOf,
  type Reading,
  type Rule,
  withoutSentenceEnd,
} from "./phrase.ts";

const list = (words: string): readonly string[] => words.split(" ");

/** The plainest word, and others for it. */
const SAME: Readonly<Record<string, string>> = {
  file: "files document documents",
  folder: "folders directory directories dir dirs subfolder subfolders subdirectories subdirectory",
  line: "lines row rows loc",
  word: "words",
  character: "characters chars char letter letters",
  byte: "bytes",
  count: "how-many number amount total tally counting",
  size: "big large long sized length heavy huge small",
  first: "top head beginning start initial opening begin",
  last: "bottom tail end final ending closing",
  biggest: "longest largest heaviest",
  newest: "latest",
  compare: "diff difference differences differ differs different versus vs comparison comparing",
  same: "identical equal alike",
  change: "changed changes changing modify modified modification modifications edit edited edits touched updated update",
  create: "created make made add added new",
  exist: "exists existing existent present",
  describe:
    "describes explore browse description summarize summarise summary overview explain explanation about purpose introduction intro gist tour analyze analyse introduce outline understand kind sort goal point tldr walk-through brief",
  project: "repo repository codebase workspace app application program package library software thing",
  structure: "layout tree hierarchy organized organised structured architecture",
  dependency: "dependencies deps libraries packages depend depends rely relies devdependencies requirements modules",
  script: "scripts",
  test: "tests specs spec testing",
  doc: "docs documentation documented",
  config: "configuration settings configs configured",
  todo: "todos to-dos",
  fixme: "fixmes",
  framework: "frameworks",
  hook: "hooks",
  guard: "guards",
  event: "events",
  license: "licence licensed licensing",
  author: "authors maintainer owner",
  mention:
    "mentions mentioning mentioned contain contains containing contained uses using used use import imports imported importing call calls calling reference references referenced refer refers include includes including occurrence occurrences occurences occur occurs appear appears appearing appearance appearances match matches matching instance instances usage usages defined define defines definition definitions declare declared declaration declarations implement implemented implementation exported exports hold holds stored handled referring has-text come comes stand stands found located hits hit times often everywhere-that",
  search: "grep look-for hunt scan seek query searching lookup comb",
  find: "locate track-down where where's finding",
  bug: "bugs mistake mistakes problem problems issue issues fault faults flaw flaws vulnerability vulnerabilities errors error wrong buggy correct broken safe secure",
  today: "yesterday week month",
};

/** Words that ask for something, or only join others: no intent depends on them. */
const FILLER: ReadonlySet<string> = new Set(
  list(
    "what which whats what's who is are was were am be been being the a an my our your this these those that me us i we you they it its it's im we're i'm i've you're do does did doing have has had got get gets give gives show shows showing list lists listing tell tells print display see view look looks check read reads find know please pls kindly of in on at for to from with by here there now currently current right all any some just can could would will want wanna need like so far exactly exist exists existing available used using use name names called named every each project repo repository codebase code workspace app application package anything something already still make sure let's lets let ok okay hey whether if up out inside into around whole entire full complete everything quick quickly short briefly actually basically really also maybe probably somewhere anywhere else content contents text data open opens display displays present output dump inspect examine review study load cat go over through under within across take peek glance one ones as and or how say says written stands stand source body between look-at hand enumerate reveal screen terminal console",
  ),
);

const PLAIN: ReadonlyMap<string, string> = new Map(
  Object.entries(SAME).flatMap(([plain, others]) => [plain, ...list(others)].map((other) => [other, plain] as const)),
);

/** Several words that mean one; the plain one takes their place. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\b(?:how many|how much|count of|number of|amount of|total number of)\b/gi, "how-many"],
  [/\b(?:look(?:ing)?|hunt|scan|check|searching|grep|query|seek) for\b|\b(?:hunt|track) down\b|\blook up\b/gi, "look-for"],
  [
    /\b(?:(?:take|have|get|give me) a (?:quick |closer |short )?(?:look|peek|glance) (?:at|in|into|inside|through)|look (?:at|inside|into|in|over)|peek (?:at|in|into|inside)|check out|(?:pull|bring|open) up)\b/gi,
    "look-at",
  ],
  [/\bwalk (?:me |us )?through\b|\bsum up\b|\bbreak down\b/gi, "walk-through"],
  [/\bmost recent\b/gi, "newest"],
  [/\b(?:take|have|get) a (?:quick |closer |short )?look (?:around|here)\b|\blook around\b/gi, "describe here"],
  [/\btype[ -]check(ing|er|s|ed)?\b/gi, "typecheck"],
  [/\bfiles? (?:with|has|have|(?:that|which) (?:has|have|says?)|having|says?)(?: the (?:word|text|string))?\b/gi, "files has-text"],
  [/\b(\d+) ?[-–] ?(\d+)\b/g, "$1 $2"],
  [/^(read|open|show|display|print)\b.* file\b[^:]*: (?=\S+$)/i, "$1 "],
  [/\b(?:is|are) there\b|\bdo (?:we|i|you|they) have\b|\bhave (?:we|i) got\b/gi, "is-there"],
  [/\b(what|where|who|how|when|that|there)['’]s\b/gi, "$1 is"],
  [/\bwanna\b/gi, "want to"],
];

const FOLDERS: ReadonlySet<string> = new Set(
  list("src lib doc docs test tests bin dist build packages scripts examples app public config include assets source sources spec"),
);
const HERE_WORDS: ReadonlySet<string> = new Set(
  list("it this that there here everything everywhere code project repo repository codebase workspace files"),
);
/** What follows them is a place only if it looks like one. */
const WEAK_PLACES: ReadonlySet<string> = new Set(list("of on at from over into through"));
const LONGEST_PLACE = 8;
const PLACE_WORDS: ReadonlySet<string> = new Set(list("in inside under within across from of on at through throughout into over below"));
const CODE_OWNERS = /^(?:console|process|window|document|math|json|object|array|module|this|self|req|res|fs|path|os)\./i;

export interface Found {
  /** The wish without its places, with its phrases in plain words. */
  readonly head: string;
  readonly words: ReadonlySet<string>;
  /** Words that are neither known nor fillers, in order. */
  readonly unknown: readonly string[];
  readonly files: readonly string[];
  /** `undefined` is the current folder. */
  readonly folders: readonly string[];
  /** "in notes.txt", not "notes.txt". */
  readonly isInFile: boolean;
  readonly numbers: readonly number[];
  /** Names that only code has: camelCase, f(), MAX_SIZE. */
  readonly symbols: readonly string[];
  readonly quotes: readonly string[];
  /** `*.ts`, `.md`: files by their names. */
  readonly globs: readonly string[];
  readonly urls: readonly string[];
}

type Open = { -readonly [Key in keyof Found]: Found[Key] extends readonly (infer Item)[] ? Item[] : Found[Key] } & { words: Set<string> };

function plain(word: string): string {
  return PLAIN.get(word) ?? word;
}

function isCodeName(word: string): boolean {
  return (
    /^(?:[a-z$]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|[A-Z][A-Z_]{2,}\w*|\w+_\w+|[\w$.]+\(\)|[a-z]\w*(?:::|->)\w+)$/.test(word) ||
    CODE_OWNERS.test(word)
  );
}

function isFileWord(word: string): boolean {
  return !CODE_OWNERS.test(word) && !/^https?:|^v?\d[\d.]*$|^\.{1,2}$|\/$|[()*]/i.test(word) && isFileName(word);
}

/** Where a phrase behind a preposition leads; nothing if it is no place. */
function placeAfter(words: readonly string[], preposition: string, about: About): Pick<Found, "files" | "folders"> | undefined {
  const own = words.findIndex((word) => !/^(?:the|this|that|my|our|your|all|every|whole|entire)$/i.test(word));
  const first = withoutSentenceEnd(words[Math.max(0, own)] ?? "");
  const small = first.toLowerCase();
  // "in which file" asks.
  if (/^(?:which|what|whose)$/.test(small)) return undefined;
  if (/^https?:|^\.\w{1,5}$|[*]/.test(first) && !/^\.env$/.test(first)) return undefined;
  const isWord = own >= words.length - 1 && /^(?:[\w-]+|[\ue000-\uf8ff])$/.test(first) && !isFileWord(first);
  const isPlain = FOLDERS.has(small) || HERE_WORDS.has(small);
  if (isWord && !isPlain && (WEAK_PLACES.has(preposition) || FILLER.has(small) || PLAIN.has(small))) return undefined;
  const places = placesOf(words.join(" "), about);
  if (places === null) return undefined;
  const named = places.flatMap((place) => place ?? []);
  return { files: named.filter(isFileWord).map((name) => fileOf(name, about) ?? name), folders: named.filter((name) => !isFileWord(name)) };
}

/** The longest place that begins there, and its last word. */
function longestPlace(
  words: readonly string[],
  at: number,
  about: About,
): (Pick<Found, "files" | "folders"> & { readonly last: number }) | undefined {
  let end = at + 1;
  while (end < words.length && !PLACE_WORDS.has((words[end] ?? "").toLowerCase()) && end - at < LONGEST_PLACE) end++;
  for (let last = end; last > at + 1; last--) {
    const place = placeAfter(words.slice(at + 1, last), (words[at] ?? "").toLowerCase(), about);
    if (place) return { ...place, last: last - 1 };
  }
  return undefined;
}

export function findIn(wish: string, about: About): Found {
  const text = PHRASES.reduce((one, [pattern, word]) => one.replace(pattern, word), wish);
  const words = text
    .split(/\s+/)
    .map((word) => word.replace(/^\(+|[?!;:]+$/g, ""))
    .filter((word) => withoutSentenceEnd(word) !== "");
  const found: Open = {
    ...{ head: "", words: new Set<string>(), unknown: [], files: [], folders: [] },
    ...{ isInFile: false, numbers: [], symbols: [], quotes: [], globs: [], urls: [] },
  };
  const head: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const place = PLACE_WORDS.has((words[at] ?? "").toLowerCase()) ? longestPlace(words, at, about) : undefined;
    if (place) {
      found.files.push(...place.files);
      found.folders.push(...place.folders);
      found.isInFile ||= place.files.length > 0;
      if (place.files.length + place.folders.length === 0) found.words.add("here");
      at = place.last;
      continue;
    }
    head.push(withoutSentenceEnd(words[at] ?? ""));
    sortIn(found, words, at, about);
  }
  return { ...found, head: head.join(" ") };
}

/** One word, by what it looks like. */
function sortIn(found: Open, words: readonly string[], at: number, about: About): void {
  const word = withoutSentenceEnd(words[at] ?? "");
  const small = word.toLowerCase().replace(/['’]s$/, "");
  const slot = slotOf(word, words, at, about);
  if (slot === undefined) {
    found.words.add(plain(small)).add(small);
    if (!FILLER.has(small) && !PLACE_WORDS.has(small)) found.unknown.push(word.replace(/['’]s$/, ""));
  } else if (slot === "numbers") found.numbers.push(NUMBERS[small] ?? Number(word));
  else if (slot === "files") found.files.push(fileOf(word, about) ?? about.quotes.value(word));
  else found[slot].push(word);
}

function slotOf(word: string, words: readonly string[], at: number, about: About): (typeof SLOTS)[number] | undefined {
  if (about.quotes.value(word) !== word) return /^files?$/i.test(words[at - 1] ?? "") ? "files" : "quotes";
  if (/^https?:\/\//i.test(word)) return "urls";
  if (/[*]|^\.\w{1,5}$/.test(word) && !/^\.(?:env|npmrc)$/.test(word)) return "globs";
  if (isFileWord(word)) return "files";
  if (/^\d+$/.test(word) || (NUMBERS[word.toLowerCase()] ?? 1) > 1) return "numbers";
  if (/.\/$/.test(word) || isFolder(word, words, at)) return "folders";
  return isCodeName(word) ? "symbols" : undefined;
}

/** "the src folder", "list src". */
function isFolder(word: string, words: readonly string[], at: number): boolean {
  const small = word.toLowerCase();
  // The first word says what is done.
  if (at === 0) return false;
  // "list the scripts" is about package.json.
  if (small === "scripts" && plain((words[at + 1] ?? "").toLowerCase()) !== "folder") return false;
  if (plain((words[at + 1] ?? "").toLowerCase()) === "folder") return FOLDERS.has(small) || !(FILLER.has(small) || PLAIN.has(small));
  return FOLDERS.has(small) && at === words.length - 1 && words.length < 4;
}

const SLOTS = ["files", "folders", "numbers", "symbols", "quotes", "globs", "urls"] as const;

/** What an intent is given. */
export interface Fit extends Found {
  /** Words that the intent does not know. */
  readonly rest: readonly string[];
  /** The one thing that is named, whatever it looks like. */
  readonly name: string;
}

export interface Intent {
  /** What of it is in the wish, if all of it fits. */
  score(found: Found, mostUnknown: number): number | undefined;
  readonly make: (found: Fit, about: About) => Reading;
  readonly known: ReadonlySet<string>;
}

/**
 * "count line|word FILES": words that are needed, one of several for each, and slots by their names. `?` makes one optional;
 * `OTHER` lets in words that are not known, as a text to look for; `NAME` is one thing, whatever it looks like; `ANY` lets in everything.
 */
export function intent(spec: string, make: Intent["make"]): Intent {
  const parts = list(spec).map((part) => ({ isOptional: part.endsWith("?"), any: part.replace(/\?$/, "").split("|") }));
  const slots = parts.filter(({ any }) => /^[A-Z]+$/.test(any[0] ?? ""));
  const words = parts.filter((part) => !slots.includes(part));
  const known = new Set(words.flatMap(({ any }) => any.flatMap((word) => [word, plain(word)])));
  const named = new Map(slots.map(({ any: [name = ""], isOptional }) => [name.toLowerCase(), isOptional]));
  const has = (found: Found, word: string): boolean => found.words.has(word) || found.words.has(plain(word));
  return {
    known,
    make,
    score(found, mostUnknown) {
      const needed = words.filter(({ isOptional }) => !isOptional);
      if (!needed.every(({ any }) => any.some((word) => has(found, word)))) return undefined;
      if (named.has("any")) return needed.length * 2;
      const isFilled = SLOTS.every((slot) => (found[slot].length > 0 ? named.has(slot) : named.get(slot) !== false));
      const others = unknownTo(known, found);
      if (named.has("name")) {
        const count = others.length + SLOTS.reduce((sum, slot) => sum + found[slot].length, 0);
        return count === 1 || (count === 0 && named.get("name")) ? needed.length * 2 + count : undefined;
      }
      const filled = SLOTS.filter((slot) => found[slot].length > 0).length;
      if (!isFilled || (others.length === 0 && named.get("other") === false)) return undefined;
      if (others.length > 0 && !named.has("other") && (filled === 0 || !isHarmless(found, others, mostUnknown))) return undefined;
      return needed.length * 2 + filled - others.length;
    },
  };
}

/** A few words more say nothing else, unless one begins the sentence or does something. */
function isHarmless({ head }: Found, others: readonly string[], most: number): boolean {
  const [first = ""] = head.split(" ");
  return others.length <= most && !others.includes(first) && !DOING.test(first) && !others.some((word) => DOING.test(word));
}

export const DOING: RegExp =
  /^(?:not|no|never|n[o']t|don['’]?t|can['’]?t|won['’]?t|does?n['’]?t|did?n['’]?t|isn['’]?t|cannot|without|except|but|unless|only|if|instead|than|should|because|del\w*|remov\w*|eras\w*|add(?:ed|s)?|append\w*|insert\w*|replac\w*|renam\w*|mov(?:e|ed|ing)|cop(?:y|ied)|writ(?:e|ing)|wrote|creat\w*|mak(?:e|ing)|set|put|install\w*|commit\w*|push\w*|pull\w*|run(?:ning)?|rm|fix\w*|updat\w*|edit\w*|chang\w*|translat\w*|refactor\w*|improv\w*|sort\w*|clean\w*|format\w*|comment|merg\w*|convert\w*|touch\w*|kill\w*|stop\w*|block\w*|hook\w*|agent\w*|subagent\w*|todo|task\w*|branch\w*|git|mode|session|conversation|tests?|build|lint)$/i;

function unknownTo(known: ReadonlySet<string>, { unknown }: Found): readonly string[] {
  return unknown.filter((word) => !known.has(word.toLowerCase()) && !known.has(plain(word.toLowerCase())));
}

const IT = /\b(?:it|its|that|this|(?:the|that|this) (?:file|one))\b/i;

const THE_FILE = /\b(?:the|that|this) (?:file|one)\b/i;

/** The intent that most of the wish speaks of; the first of equal ones that can make something of it. */
export function best(intents: readonly Intent[], mostUnknown = 0): Rule {
  return {
    pattern: /^[^\n]{1,300}$/,
    make([wish = ""], about): Reading {
      const said = findIn(wish, about);
      if (said.head === "") return undefined;
      const { lastFile } = about;
      const isAboutIt = lastFile !== undefined && said.files.length + said.folders.length === 0 && IT.test(said.head);
      const fitting = [said, ...(isAboutIt ? [{ ...said, files: [lastFile] }] : [])]
        .flatMap((found) => intents.map((one) => ({ one, found, score: one.score(found, mostUnknown) ?? -1 })))
        .filter(({ score }) => score >= 0)
        .map(({ one, found, score }) => ({ one, found, score: found !== said && THE_FILE.test(said.head) ? score + 2 : score }))
        .sort((a, b) => b.score - a.score);
      for (const { one, found } of fitting) {
        const rest = unknownTo(one.known, found);
        const [name = ""] = [...SLOTS.flatMap((slot) => found[slot].map(String)), ...rest];
        const made = one.make({ ...found, rest, name: about.quotes.value(name) }, about);
        if (made !== undefined) return made;
      }
      return undefined;
    },
  };
}

/** One intent a line: the words, an arrow, the command. */
export function commands(table: string, draft: (command: string) => Draft = (command) => bash(command)): readonly Intent[] {
  return table
    .trim()
    .split("\n")
    .map((row) => row.trim().split(" → "))
    .map(([words = "", command = ""]) => intent(words, () => [draft(command)]));
}
