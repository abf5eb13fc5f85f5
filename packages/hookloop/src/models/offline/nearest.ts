/** For a sentence that was not understood: the one that was probably meant. Nothing is done about it; the person says it again, or not. */

import { nearestName } from "../../diagnostic.ts";
import type { Quotes } from "./phrase.ts";

/** Words of the grammar that people misspell. */
const KNOWN_WORDS =
  "read search list find show print create write delete remove replace rename move copy append insert summarize describe explain commit count compare install switch change make folder directory file files line lines first last text with from into called named readme tests test status history branch command teammate subagent agent worktree skill fetch download open save task tasks display execute run build linter lint server formatter help";
const VOCABULARY: readonly string[] = KNOWN_WORDS.split(" ");

const EXAMPLES: readonly string[] = [
  "run npm test",
  "run the tests in the background",
  "git status",
  "list the files",
  "list all files in src",
  "find all *.ts files",
  "find files bigger than 1MB",
  "read README.md",
  "what is in notes.txt?",
  "show the first 5 lines of README.md",
  "how many lines does README.md have?",
  "search for TODO in src",
  "where is parse defined?",
  "create hello.txt with the text hi",
  'add a line "x" to notes.txt',
  "replace foo with bar in notes.txt",
  "delete the file old.txt",
  "make a folder called build",
  "rename a.txt to b.txt",
  "copy a.txt to b.txt",
  "compare a.txt and b.txt",
  'commit everything with the message "…"',
  "what has changed?",
  "summarize this project",
  "make a to-do list: write tests, fix bug",
  "add a task: deploy",
  "complete task 1",
  "use a subagent to search for TODO",
  "start a teammate called bob to list the files",
  "cd src",
  "enter a worktree called fix",
  "use the skill release-notes",
  "fetch https://example.com",
];
/** A shared word with fewer letters says nothing, nor do these. */
const SHORTEST = 3;
const COMMON: ReadonlySet<string> = new Set(
  "the and for with from into this that are was were has have had not you your what which where when who how why can could would should will all any some file files".split(
    " ",
  ),
);

/** The sentence without slips of the finger, or with its verb where English has it, if it is understood then. */
export function correctedSentence(sentence: string, isUnderstood: (other: string) => boolean): string | undefined {
  const corrected = withoutSlips(sentence);
  return [corrected, verbFirst(corrected)].find((other) => other !== undefined && other !== sentence && isUnderstood(other));
}

/** "in notes.txt foo with bar replace": other languages end with the verb. */
function verbFirst(sentence: string): string | undefined {
  const [, before, verb] =
    /^(?:(?:please|now|can you|could you)[\s,]+)*((?:(?:in|from|to|the|this|a) |\S+\.\w+ ).{0,200}?)(?:[\s,]+please)?\s+(read|open|show|search|find|count|run|execute|delete|remove|replace|rename|move|copy|create|write|add|append|insert)[.!]*$/is.exec(
      sentence.trim(),
    ) ?? [];
  if (before === undefined || verb === undefined) return undefined;
  const [, place, rest] = /^((?:in|from|to) (?:the )?(?:file |folder )?\S+?),?\s+(?:please\s+)?(.+)$/is.exec(before) ?? [];
  return place === undefined ? `${verb} ${before}` : `${verb} ${rest} ${place}`;
}

/** One of the sentences that are understood: its verb is the same, or several of its words are. */
export function nearestExample(sentence: string): string | undefined {
  const words = wordsOf(sentence);
  const scored = EXAMPLES.map((example) => {
    const own = wordsOf(example);
    const shared = own.filter((word) => words.includes(word));
    return { example, score: own[0] !== undefined && shared.includes(own[0]) ? shared.length + 1 : shared.length };
  });
  const best = scored.reduce((a, b) => (b.score > a.score ? b : a));
  return best.score < 2 ? undefined : best.example;
}

/** Only plain words outside of quotes; names of files and options are left as they are. */
export function withoutSlips(sentence: string): string {
  return sentence
    .replace(/(?<![^\s(])(?:teh|hte|th)(?=\s)/gi, "the")
    .replace(/(?<![^\s(])[a-z]{3,14}(?=[\s,:!?)]|$)/gi, (word, at: number) => {
      const plain = word.toLowerCase();
      if (VOCABULARY.includes(plain) || COMMON.has(plain)) return word;
      const near = nearestName(plain, VOCABULARY);
      // Two letters of a short word make another word of it.
      // The first word says what is done: "comment" is another wish than "commit".
      const isFar = plain.length > 5 && at > 0;
      const isSlip = near !== undefined && (isFar || sortedLetters(near) === sortedLetters(plain) || isOneOff(plain, near));
      return isSlip ? near : word;
    });
}

function sortedLetters(word: string): string {
  return [...word].sort().join("");
}

/** One letter is missing, too many or another one. */
function isOneOff(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1) return false;
  let start = 0;
  while (start < short.length && short[start] === long[start]) start++;
  return short.slice(long.length === short.length ? start + 1 : start) === long.slice(start + 1);
}

function wordsOf(sentence: string): readonly string[] {
  // Names of files say nothing about what is wanted.
  const words =
    sentence
      .toLowerCase()
      .replace(/\S*[./]\S*/g, " ")
      .match(/[a-z]+/g) ?? [];
  return [...new Set(words.filter((word) => word.length >= SHORTEST && !COMMON.has(word)))];
}

/** Tells a shell line from a sentence. When in doubt it is a sentence: nothing runs because a word happens to be the name of a program. */

const list = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** Names that are no English words. */
const PROGRAMS = list(
  "ls ll la pwd cd mkdir rmdir rm cp mv ln cat echo printf grep egrep fgrep rg ag sed awk gawk jq yq wc uniq tr xargs tee du df ps pgrep pkill kill chmod chown stat basename dirname realpath readlink whoami hostname uname uptime printenv export unset sh bash zsh env tar gzip gunzip zip unzip xz curl wget ssh scp rsync ping nslookup dig netstat ss lsof git gh svn hg npm npx pnpm yarn bun deno node nodejs tsc tsx ts-node vitest jest mocha eslint biome prettier python python3 pip pip3 pipx uv poetry pytest ruff mypy ruby rake php composer perl lua javac mvn gradle gradlew cargo rustc rustup gcc clang cmake dotnet docker docker-compose podman kubectl terraform ansible aws gcloud az psql mysql sqlite3 redis-cli hookloop md5sum sha1sum sha256sum base64 xxd hexdump od nl tac rev seq sudo nohup tmux vim nano emacs systemctl journalctl apt apt-get brew dnf yum pacman apk",
);
/** Names that are words as well: they need more than a name to be a line. */
const PROGRAM_WORDS = list(
  "find make sort test which who date time touch head tail cut diff more less tree top file watch go true false sleep clear history man info id groups host users jobs cal bc expr factor split join paste fold column cmp comm strings w last nice free java swift ninja helm gem bundle rails fish code source",
);
/** Subcommands that make a line of a word. */
const SUBCOMMANDS: Readonly<Record<string, ReadonlySet<string>>> = {
  git: list(
    "status log diff show add commit push pull fetch clone init branch checkout switch merge rebase stash tag reset restore revert remote config blame bisect cherry-pick clean describe grep ls-files ls-tree mv rm reflog rev-parse shortlog submodule worktree apply archive am format-patch notes gc fsck cat-file rev-list version help sparse-checkout whatchanged",
  ),
  make: list("all test tests check build clean install lint dist docs help run dev start release fmt format deploy"),
  go: list("build test run vet mod fmt get install generate version env doc list tool work clean"),
};
/** These take any text. */
const PRINTERS = list("echo printf");
/** These end things; they need a line without a doubt. */
const DANGEROUS = list("rm rmdir mv dd kill pkill chmod chown sudo git docker kubectl systemctl");
const ALONE = list(
  "date tree top who clear history id groups users jobs cal true false env w free ls ll la pwd ps df du whoami hostname uname uptime printenv make pytest vitest jest tsc lsof last",
);

const ENGLISH =
  /(?:^|\s)(?:a|an|the|me|my|you|your|this|that|these|those|is|are|was|were|be|do|does|did|please|of|for|with|about|all|some|any|it|its|if|when|how|what|why|where|there|here|we|us|our|sure|should|would|could|can|will|not|no|and|or|into|from|because)(?=\s|$)/i;
/** No argument of the programs whose names are words. */
const SENTENCE =
  /(?:^|\s)(?:in|on|at|to|by|every|each|both|files?|folders?|directory|everything|anything|something|words?|lines?|text|than|then|one|two|named|called)(?=\s|$)/i;
const STRONG = /(?:^|\s)--?[a-z0-9]|[|><&;$*]|\.\/|=/i;
const CHAIN = /\s(?:&&|\|\||[|;]|2?>>?|<)\s?/;

/** The line to run if that is what it is. */
export function shellLineOf(text: string, quotes: Quotes): string | undefined {
  const [, typed = "", rest = ""] = /^(\S+)\s*([\s\S]*)$/.exec(text.trim()) ?? [];
  if (/^(?:\.{0,2}\/|~\/)\S/.test(typed)) return isPlain(rest) ? quotes.raw(text.trim()) : undefined;
  if (/^[A-Z_][A-Z0-9_]*=/.test(typed) && rest !== "") return quotes.raw(text.trim());
  // A phone writes the first letter large.
  const program = /^[A-Z][a-z]+$/.test(typed) ? typed.toLowerCase() : typed;
  if (!PROGRAMS.has(program) && !PROGRAM_WORDS.has(program)) return undefined;
  return isLine(program, rest) ? quotes.raw(`${program}${text.trim().slice(typed.length)}`) : undefined;
}

function isLine(program: string, rest: string): boolean {
  if (rest === "") return ALONE.has(program) || (PROGRAMS.has(program) && !SUBCOMMANDS[program]);
  if (PRINTERS.has(program)) return true;
  if (program === "clear") return false;
  if (program === "kill") return /^(?:-\w+ )*[%\d\s]+$/.test(rest);
  const known = SUBCOMMANDS[program];
  const first = /^\S+/.exec(rest)?.[0] ?? "";
  if (known && !first.startsWith("-") && !known.has(first)) return false;
  // `git commit -m fix the parser` is a line; `git status of the project` is not.
  if (known && !DANGEROUS.has(program)) return true;
  if (known) return STRONG.test(rest) || isPlain(rest);
  if (PROGRAM_WORDS.has(program)) return isPlain(rest) && !SENTENCE.test(rest) && (STRONG.test(rest) || /^(?:\S*[./]\S*\s*)+$/.test(rest));
  return isPlain(rest) || (CHAIN.test(rest) && !DANGEROUS.has(program));
}

/** No word of a sentence in it; a question is none either. */
function isPlain(rest: string): boolean {
  return !isEnglish(rest) && !/(?:^|\s)[\w-]+\?$/.test(rest);
}

/** The name of a program, known or with a path. */
export function isProgram(word: string): boolean {
  return PROGRAMS.has(word) || PROGRAM_WORDS.has(word) || /^(?:\.{0,2}\/|~\/)\S/.test(word);
}

/** `npm i` is no sentence, "npm and I" is. */
function isEnglish(text: string): boolean {
  return ENGLISH.test(text) || /(?:^|\s)I(?=\s|$)/.test(text);
}

/** The command in "run …": any line, unless it reads like a sentence about something else. */
export function commandOf(text: string, quotes: Quotes): string | undefined {
  const wish = text.trim();
  if (wish === "") return undefined;
  if (/^[\ue000-\uf8ff]$/.test(wish)) return quotes.value(wish).trim() || undefined;
  const line = shellLineOf(wish, quotes);
  if (line !== undefined) return line;
  const first = /^\S+/.exec(wish)?.[0] ?? "";
  // `touch a b` is no sentence, "touch a file" is.
  const isDoubtful =
    isEnglish(wish.slice(first.length).replace(/\sa(?=\s\w{1,2}(?:\s|$)|$)/g, "")) && (DANGEROUS.has(first) || !STRONG.test(wish));
  if (/^\(cd \S+ && /.test(wish)) return quotes.raw(wish);
  if (isProgram(first)) return isDoubtful ? undefined : quotes.raw(wish);
  return isEnglish(wish) || !/^[\w@./+-]+$/.test(first) || /^(?:away|around|fast|faster|late|free)$/i.test(first)
    ? undefined
    : quotes.raw(wish);
}

const INTERPRETERS: Readonly<Record<string, string>> = {
  js: "node",
  mjs: "node",
  cjs: "node",
  ts: "node",
  py: "python3",
  sh: "bash",
  rb: "ruby",
  pl: "perl",
  php: "php",
};

/** How a script is started by its name. */
export function startOf(file: string): string | undefined {
  return INTERPRETERS[/\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? ""];
}
