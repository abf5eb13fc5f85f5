/** For a sentence that was not understood: the one that was probably meant. Nothing is done about it; the person says it again, or not. */
import { nearestName } from "../../diagnostic.ts";

/** Words of the grammar that people misspell. */
const WORDS =
  "read search list find show print create write delete remove replace rename move copy append insert summarize describe explain commit count compare install switch change make folder directory file files line lines first last text with from into called named readme tests test status history branch command teammate subagent agent worktree skill fetch download open save task tasks display execute run build linter lint server formatter help";
const VOCABULARY: readonly string[] = WORDS.split(" ");

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

/** The sentence without slips of the finger, if it is understood then. */
export function correctedSentence(sentence: string, isUnderstood: (other: string) => boolean): string | undefined {
  const corrected = withoutSlips(sentence);
  return corrected !== sentence && isUnderstood(corrected) ? corrected : undefined;
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
  return sentence.replace(/(?<![^\s(])(?:teh|hte|th)(?=\s)/gi, "the").replace(/(?<![^\s(])[a-z]{3,14}(?=[\s,:!?)]|$)/gi, (word) => {
    const plain = word.toLowerCase();
    if (VOCABULARY.includes(plain) || COMMON.has(plain)) return word;
    const near = nearestName(plain, VOCABULARY);
    // Two letters of a short word make another word of it.
    const isSlip = near !== undefined && (plain.length > 5 || sortedLetters(near) === sortedLetters(plain) || isOneOff(plain, near));
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
