/**
 * Takes a sentence, gives what it asks for: calls of tools, a question back, or small talk.
 * Refuses to guess: what no rule fits as a whole is named as not understood, and a denial ("do not delete …") is never done.
 */

import { CHANGE_RULES, WRITE_RULES } from "./change.ts";
import { FILE_RULES } from "./files.ts";
import { HINT_RULES } from "./hints.ts";
import { LOOK_RULES } from "./look.ts";
import { shellLineOf } from "./nearest.ts";
import {
  type About,
  bare,
  type Draft,
  isPrinting,
  linesOf,
  type NamedTask,
  type Phrase,
  putQuotesAway,
  type Reading,
  type Rule,
  type Step,
  subjectOf,
  type Todo,
} from "./phrase.ts";
import { COMMAND_RULES, LAST_RULES } from "./rules-command.ts";
import { imperative, OTHER_RULES, OUTER_RULES } from "./rules-work.ts";
import { clauseTalk, type Talk, talkOf } from "./talk.ts";

/** What a sentence asks for. */
interface Understanding {
  readonly steps: readonly Step[];
  /** Parts that were not understood. */
  readonly rest: readonly string[];
  /** Where something is missing: what to say instead. */
  readonly questions: readonly string[];
  /** Nothing is to be done; something is to be said. */
  readonly talk?: Talk | undefined;
}

/** What was there before the sentence. */
export interface Before {
  readonly tools?: ReadonlySet<string> | undefined;
  readonly lastFile?: string | undefined;
  readonly todos?: readonly Todo[] | undefined;
  readonly tasks?: readonly NamedTask[] | undefined;
  readonly readOn?: Readonly<Record<string, unknown>> | undefined;
  readonly undo?: Reading;
}

const LONGEST = 2000;
const MOST_JOINTS = 8;

export function readSentence(sentence: string, before: Before = {}): Understanding {
  const [, allowed] = ONLY_LOOK.exec(sentence.trim()) ?? [];
  const look = allowed === undefined ? undefined : readSentence(allowed, before);
  if (
    look &&
    look.steps.length > 0 &&
    look.rest.length === 0 &&
    look.steps.every((step) => isLooking(step) || leavesAlone(step.input["command"]))
  )
    return look;
  const typed = withEveryVerb(putQuotesAway(sentence.trim()));
  const talk = talkOf(typed.text);
  if (talk) return { steps: [], rest: [], questions: [], talk };
  if (typed.text.length > LONGEST || [...typed.text.matchAll(JOINT)].length > MOST_JOINTS * 2)
    return { steps: [], rest: [`${sentence.trim().slice(0, 60)}…`], questions: [] };
  const phrase = putTextAway(typed, before);
  if (typeof phrase === "string") return { steps: [], rest: [], questions: [phrase] };
  const reading = readParts(phrase, { before, done: [] }, MOST_JOINTS);
  const aside = reading.steps.length + reading.questions.length > 0 ? undefined : clauseTalk(phrase.text);
  if (aside) return { steps: [], rest: [], questions: [], talk: aside };
  const rest = reading.rest.map((part) => phrase.quotes.raw(part));
  return { ...reading, rest };
}

/** "do not change anything, just list the files": what only looks keeps to it. */
const ONLY_LOOK =
  /^(?:please |but )*(?:do not|don't|dont|don’t|never) \w+ (?:anything|a thing|any files?|any of (?:it|them))(?: yet| else| here)?[,;.:!]+\s*(?:but |just |only |instead |please )*(.+)$/is;

/** "create a.txt with x and b.txt with y": the verb holds for both, and each text ends where the next file begins. */
function withEveryVerb(phrase: Phrase): Phrase {
  const [, start, verb, how, next] =
    /^(.*?\b(create|make|write|rename|move|copy)\b .*?\S\.\w+ (with|containing|saying|to|as)\b .+?),? and (?:also )?((?:an? |the )?(?:file )?(?:called )?[\w./-]+\.\w+ (?:with|containing|saying|to|as)\b .+)$/is.exec(
      phrase.text,
    ) ?? [];
  const isSame = how !== undefined && next?.includes(` ${how} `) === true;
  return isSame ? { ...phrase, text: `${start} and then ${verb} ${next}` } : phrase;
}

/** A person who says this wants to leave. */
export function isGoodbye(sentence: string): boolean {
  return readSentence(sentence).talk === "goodbye";
}

// --- a text at the end ---

const TEXT_NAME = "(?:text|contents?|words?|sentence|message|comment|title|lines?)";
/** "… with the text", "… saying", "commit … message". */
const ANNOUNCED = new RegExp(
  `^(?<before>.*?\\b(?:create|make|write|generate|produce|start|commit|check in|overwrite|fill|prepare|set up)\\b.*?(?:\\b(?:with|containing|having|using|under|and (?:use|write|put|add))(?: (?:the|a|this|these|its|following|exact|commit))* (?<name>${TEXT_NAME})(?: (?:saying|reading|that says))?|\\b(?:saying|reading|that says|which says|that reads)|\\b(?:commit|check in)\\b.*\\bmessage)(?::\\s*|\\s+))(?!(?:of|from|in)\\s)(?<text>[^\\ue000-\\uf8ff]+)$`,
  "is",
);
const INTO_IT = /\s+(?:(?:in|into|to|inside) (?:it|the file|that file|there)|as (?:its |the )?(?:contents?|text))[.!]*$/i;
const POLITE_END = /,\s*(?:please|pls|thanks|thank you|thx)[.!]*$/i;

/** A text that is announced and runs to the end is put away like a quoted one: no word of it is grammar or politeness. A question, where its end is not sure. */
function putTextAway(phrase: Phrase, before: Before): Phrase | string {
  const { before: start = "", name = "", text: all } = ANNOUNCED.exec(phrase.text)?.groups ?? {};
  if (all === undefined) return phrase;
  const joint = [...all.matchAll(JOINT)].find((one) => endsText(one[0], all.slice(one.index + one[0].length)));
  const said = joint ? all.slice(0, joint.index) : all;
  const open = joint ? undefined : /\s+(?:and|plus|&)\s+(.+)$/is.exec(said);
  if (open && /^lines$/i.test(name) === false && doesMore(open[1] ?? "", phrase, before))
    return `Is "${open[0].trim()}" a part of the text? Put the text in quotes: "${said.trim()}". Or join by "and then" what comes after it.`;
  const tail = INTO_IT.exec(said)?.[0] ?? "";
  const plain = said.slice(0, said.length - tail.length).replace(POLITE_END, "");
  // The full stop of a sentence, unless the text begins like one.
  const isStop = /^\p{Lu}/u.test(phrase.text) && !/^\p{Lu}/u.test(plain) && /[^.]\.$/.test(plain);
  const text = isStop ? plain.slice(0, -1) : plain;
  const kept = /^lines$/i.test(name) ? linesOf(text).join("\n") : text;
  return { ...phrase, text: `${start}${phrase.quotes.away(kept)}${tail}${joint ? all.slice(joint.index) : ""}` };
}

/** "and then", a new sentence, or what is about the file. */
function endsText(joint: string, rest: string): boolean {
  return /\b(?:then|after|afterwards|finally)\b/i.test(joint) || /^\n/.test(joint) || /\b(?:it|that file|this file|the file)\b/i.test(rest);
}

function doesMore(text: string, phrase: Phrase, before: Before): boolean {
  const { steps, rest } = readParts({ ...phrase, text }, { before, done: [] }, 0);
  return steps.length > 0 && rest.length === 0;
}

// --- parts -------------------------------------------------------------------------------------------------------------------------

interface So {
  readonly before: Before;
  /** Steps of earlier parts of the sentence. */
  readonly done: readonly Step[];
}

type Parts = Pick<Understanding, "steps" | "rest" | "questions">;

const VERB =
  "(?:run|execute|delete|remove|create|write|make|print|show|display|read|open|cat|search|look|grep|list|find|summari[sz]e|describe|explain|replace|change|rename|move|copy|append|add|insert|put|save|commit|count|delegate|use|ask|tell|give|fetch|download|install|build|test|lint|format|edit|check|go|cd|ls|pwd|git|npm|node|mkdir|rm|touch|mark|complete|plan|enter|leave|start|fix|correct|stage|tag|update|switch|what|which|where|how|who|view|see|launch|call|push|pull|stash)";
const OPENER =
  "(?:(?:please|can you|could you|would you|also|finally|afterwards|after that|next|now|then|i want you to|i'd like you to|let's|help me)[, ]+)*";
/** "Then" always joins; "and", a comma or a full stop only if what follows begins like something to do: `run echo a and b` is one command. */
const JOINT = new RegExp(
  `,?\\s+(?:and\\s+)?(?:then|afterwards|after that|and finally)[,:]?\\s+|(?:,?\\s+(?:and|&|plus|but)(?:\\s+(?:also|next|finally))?\\s+|[;.!?]+\\s+|,\\s+|\\n+)(?=${OPENER}${VERB}\\b)`,
  "gi",
);

/** The first joint where both sides are understood parts the sentence; else it is one part; else it is parted wherever it can be. */
function readParts(phrase: Phrase, so: So, joints: number): Parts {
  const { text } = phrase;
  const conditional = readCondition(phrase, so);
  if (conditional) return conditional;
  const outer = understand(phrase, so, OUTER_RULES);
  if (outer && /[:,]|\blist (?:with|of)\b/.test(text)) return readOuter(phrase, so, outer);
  for (const joint of [...text.matchAll(JOINT)].slice(0, joints)) {
    if (!parts(joint[0], text.slice(0, joint.index), text.slice(joint.index + joint[0].length))) continue;
    const left = understand({ ...phrase, text: text.slice(0, joint.index) }, so) ?? smallTalk(text.slice(0, joint.index));
    if (!left || left.questions.length > 0) continue;
    const right = withVerb({ ...phrase, text: text.slice(joint.index + joint[0].length) }, text.slice(0, joint.index), so);
    // "have a helper read a.txt and summarize it": it is what the helper was told about.
    if (left.steps.some(isDelegated) && /\b(?:it|them|that|this)\b/i.test(right.text)) continue;
    const others = readParts(right, { ...so, done: [...so.done, ...left.steps] }, joints - 1);
    if (others.steps.length + others.questions.length > 0 && others.rest.length === 0) return unlessHalf(joined(left, others));
  }
  return understand(phrase, so) ?? readPieces(phrase, so, joints);
}

/** "run the linter and then the tests": what has no verb of its own has the one before. */
function withVerb(phrase: Phrase, left: string, so: So): Phrase {
  const [verb] = /^\w+/.exec(bare(left)) ?? [];
  if (verb === undefined || !/^(?:the|my|our|all the) /i.test(phrase.text)) return phrase;
  const whole = { ...phrase, text: `${verb} ${phrase.text}` };
  return understand(whole, so) ? whole : phrase;
}

function parts(joint: string, left: string, right: string): boolean {
  // `echo a and list b` prints all of it.
  if (isPrinting(left) && !/then|after|\./i.test(joint)) return false;
  return !isAlsoName(right) || isCommand(left);
}

/** "src and test": such a word alone is a name, unless it stands behind another command. */
function isAlsoName(text: string): boolean {
  return /^(?:test|tests|build|lint|format|check|start|plan|list|copy|git|node|npm)\s*[.!?]*$/i.test(text);
}

function isCommand(text: string): boolean {
  return new RegExp(
    `(?:^|\\band |\\bthen |, )${OPENER}(?:run|execute|build|test|lint|format|install|compile|commit|push|pull|check)\\b[^,]*$`,
    "i",
  ).test(text);
}

const HOLDS = "(?:pass|passes|succeed|succeeds|work|works|(?:is|are) (?:ok|okay|green|fine|passing)|go(?:es)? well)";
const CONDITIONS: readonly RegExp[] = [
  new RegExp(
    `^(?<first>.+?),?\\s+(?:and\\s+|then\\s+)*if (?:they|it|that|this|(?:all )?(?:the )?\\w+) ${HOLDS},?\\s+(?:then\\s+|please\\s+)*(?<then>.+)$`,
    "is",
  ),
  new RegExp(
    `^(?<first>.+?),?\\s+(?:and\\s+|then\\s+)+(?<then>[^,]+?),?\\s+if (?:they|it|that|this|(?:all )?(?:the )?\\w+) ${HOLDS}$`,
    "is",
  ),
  new RegExp(
    `^if (?<first>(?:all )?(?:the )?(?:tests?|build|linter|type ?check)) ${HOLDS},?\\s+(?:then\\s+|please\\s+)*(?<then>.+)$`,
    "is",
  ),
];

/** "run the tests, and if they pass commit": what follows is done only if what is before it did not fail; if one half is not understood, nothing is. */
function readCondition(phrase: Phrase, so: So): Parts | undefined {
  const { first, then } = CONDITIONS.map((pattern) => pattern.exec(phrase.text)?.groups).find(Boolean) ?? {};
  if (first === undefined || then === undefined) return undefined;
  const left = understand({ ...phrase, text: `run ${first}` }, so) ?? understand({ ...phrase, text: first }, so);
  const right = readParts({ ...phrase, text: then }, { ...so, done: [...so.done, ...(left?.steps ?? [])] }, MOST_JOINTS);
  const last = left?.steps.at(-1);
  const nothing = { steps: [], rest: [phrase.text], questions: [] };
  if (!left || !last || last.next || left.steps.length !== 1 || right.rest.length > 0) return nothing;
  if (right.questions.length > 0) return { steps: [], rest: [], questions: right.questions };
  const skipped = `So I did not go on: "${phrase.quotes.raw(then)}".`;
  return { steps: [{ ...last, next: ({ is_error }) => (is_error ? skipped : right.steps) }], rest: [], questions: [] };
}

function isDelegated({ tool }: Step): boolean {
  return tool === "Agent" || tool === "Teammate";
}

/** Lists and tasks of others may hold whole sentences; only another word about them is no part of them. */
function readOuter(phrase: Phrase, so: So, whole: Parts): Parts {
  const joint = /[,.;]?\s+(?:and then|then)\s+(?!.*\bthen\b)/is.exec(phrase.text) ?? /\.\s+(?=\p{Lu})/u.exec(phrase.text);
  if (!joint) return whole;
  const left = understand({ ...phrase, text: phrase.text.slice(0, joint.index) }, so, OUTER_RULES);
  const right = { ...phrase, text: phrase.text.slice(joint.index + joint[0].length) };
  const others = left && understand(right, { ...so, done: [...so.done, ...left.steps] }, OUTER_RULES);
  return left && others && others.questions.length === 0 ? joined(left, others) : whole;
}

/** What can be done is done, the rest is named. */
function readPieces(phrase: Phrase, so: So, joints: number): Parts {
  const pieces = phrase.text
    .split(JOINT)
    .map((text) => text.trim())
    .filter(Boolean);
  if (pieces.length < 2 || pieces.length > joints + 1) return smallTalk(phrase.text) ?? { steps: [], rest: [phrase.text], questions: [] };
  let all: Parts = { steps: [], rest: [], questions: [] };
  if (pieces.some((piece, at) => at > 0 && isAlsoName(piece) && !isCommand(pieces[at - 1] ?? "")))
    return { steps: [], rest: [phrase.text], questions: [] };
  for (const text of pieces) {
    const found = understand({ ...phrase, text }, { ...so, done: [...so.done, ...all.steps] }) ??
      smallTalk(text) ?? { steps: [], rest: [text], questions: [] };
    all = joined(all, found);
  }
  if (all.steps.length + all.questions.length === 0 && all.rest.length > 0) return { ...all, rest: [phrase.text] };
  return unlessHalf(all);
}

/** To look at one half is harmless; to change something by half a sentence is not. */
function unlessHalf(all: Parts): Parts {
  const isHalf = all.rest.length + all.questions.length > 0 && !all.steps.every(isLooking);
  const questions = isHalf && all.questions.length > 0 ? [...all.questions, "I have done nothing yet."] : all.questions;
  return isHalf ? { ...all, steps: [], questions } : all;
}

/** Commands that leave everything as it was. */
export function leavesAlone(command: unknown): boolean {
  return /^(?:(?:wc|ls|tail|head|cat|diff|find|echo|date|pwd|whoami|uname|df|ps|command) ?[^;|&<>]*|node --version|git (?:status|log|diff|show|branch --show|branch --all|rev-list|remote -v)[^;|<>]*)$/.test(
    String(command),
  );
}

export function isLooking({ tool, purpose }: Step): boolean {
  return ["Read", "Glob", "Grep"].includes(tool) && purpose !== "prepare";
}

function joined(left: Parts, right: Parts): Parts {
  return {
    steps: withoutTwice([...left.steps, ...right.steps]),
    rest: [...left.rest, ...right.rest],
    questions: [...left.questions, ...right.questions],
  };
}

/** "create a.txt and write x in it" is one file, "read a.txt and tell me what it says" is read once. */
function withoutTwice(steps: readonly Step[]): readonly Step[] {
  return steps.filter((step, at) => {
    const next = steps[at + 1];
    // What is written next is more than an empty file.
    if (next?.tool === "Write" && step.subject !== undefined && step.subject === next.input["file_path"]) return false;
    const isSame = next?.tool === step.tool && next.input["file_path"] === step.input["file_path"] && step.input["file_path"] !== undefined;
    return !(
      isSame &&
      step.next === undefined &&
      (step.tool === "Write" || (step.tool === "Read" && JSON.stringify(step.input) === JSON.stringify(next.input)))
    );
  });
}

function smallTalk(text: string): Parts | undefined {
  return talkOf(text.trim()) === undefined &&
    !/^(?:and )?(?:tell|show|give)(?: me)?(?: the| its)? (?:output|result|results|answer|outcome|what (?:it|you) (?:says?|prints?|find|found|see))$/i.test(
      text.trim(),
    )
    ? undefined
    : { steps: [], rest: [], questions: [] };
}

const DENIAL =
  /^(?:please |ok |but |and |you )*(?:do not|don't|dont|don’t|never|no need to|stop|avoid|must not|should not|shouldn't|cannot|can't|won't|not)\b/i;
const RULES: readonly Rule[] = [
  ...HINT_RULES.slice(0, -1),
  ...OUTER_RULES,
  ...OTHER_RULES,
  ...COMMAND_RULES,
  ...CHANGE_RULES,
  ...FILE_RULES,
  ...WRITE_RULES,
  ...LOOK_RULES,
  ...HINT_RULES.slice(-1),
  ...LAST_RULES,
];

/** One part of a sentence; nothing if no rule fits. */
function understand(phrase: Phrase, so: So, rules: readonly Rule[] = RULES): Parts | undefined {
  const { text, quotes } = phrase;
  if (DENIAL.test(text.trim()) && !/^(?:don't let me forget|do not forget|stop (?:shell_\d|.*\bbackground\b))/i.test(text.trim()))
    return undefined;
  const about = aboutOf(phrase, so);
  const line = rules === RULES ? lineOf(phrase) : undefined;
  if (line) return { steps: [{ ...line, said: quotes.raw(text.trim()) }], rest: [], questions: [] };
  const wish = imperative(plainWish(text));
  for (const { pattern, make } of rules) {
    const match = pattern.exec(wish);
    const found = match ? make(match, about) : undefined;
    if (typeof found === "string") return { steps: [], rest: [], questions: [quotes.raw(found)] };
    if (found && found.length > 0)
      return { steps: found.map((draft) => ({ ...withoutAt(draft), said: quotes.raw(wish) })), rest: [], questions: [] };
  }
  return undefined;
}

/** `@notes.txt`: Tab completes files behind the sign, which is no part of their names. */
function withoutAt(draft: Draft): Draft {
  const named = ["file_path", "path"].flatMap((name) => {
    const value = draft.input[name];
    return typeof value === "string" && /^@[^/]/.test(value) ? [[name, value.slice(1)]] : [];
  });
  const { next } = draft;
  return {
    ...draft,
    input: { ...draft.input, ...Object.fromEntries(named) },
    ...(next && {
      next: (result) => {
        const follows = next(result);
        return typeof follows === "string" ? follows : follows.map(withoutAt);
      },
    }),
  };
}

/** A shell line is run as it stands; `grep word` alone is a search, `clear` a command of the conversation. */
function lineOf({ text, quotes }: Phrase): Draft | undefined {
  const typed = text.trim();
  // Where clearing the terminal has no effect, the conversation is what is meant.
  if (/^(?:grep \S+|clear)$/i.test(typed)) return undefined;
  const line = shellLineOf(typed, quotes) ?? shellLineOf(bare(typed), quotes);
  return line === undefined ? undefined : { tool: "Bash", purpose: "run", input: { command: line } };
}

function aboutOf({ quotes }: Phrase, { before, done }: So): About {
  const own = done.map(subjectOf).findLast((subject) => subject !== undefined);
  const { lastFile, tools, todos = [], tasks = [], readOn, undo } = before;
  return { quotes, lastFile: own ?? lastFile, isSameSentence: own !== undefined, tools, todos, tasks, readOn, undo };
}

// --- a wish in plain words and in the order that rules expect: what is done first, then where ---

const FILE = "((?:the |my |a |this )?(?:file |script )?\\S*[.\\ue000-\\uf8ff]\\S*?|(?:the )?readme)";
const CHANGING =
  "replace|change|substitute|swap|rename|convert|turn|fix|correct|remove|delete|use|set|update|add|append|insert|put|write|place|prepend|stick|bump|erase|drop|look|search|find|grep|count|show|print|list";
const SPOT = "(?:at |on )?(?:the )?(?:very )?(?:end|bottom|top|beginning|start)";
const EVERYWHERE =
  "(?:everywhere|globally|(?:in|across|throughout) (?:all|every|each|the (?:whole|entire)) (?:the )?(?:files?|project|repo|repository|code ?base))";
const VALUE = "(\\d[\\w.-]*|true|false|null|[\\ue000-\\uf8ff])";

const PLAINLY: readonly (readonly [RegExp, string])[] = [
  [/^(throw|toss|chuck) (.+) (away|out)$/i, "$1 $3 $2"],
  [
    /^i (?:do not|don't|dont|don’t|no longer) need (.+?)(?: any ?more| any longer)?,? (?:so |please |just )*(delete|remove|erase) it$/i,
    "$2 $1",
  ],
  [/^gimme\b/i, "give me"],
  [/^lemme\b/i, "let me"],
  [/\b(what|where|who|how)s\b/gi, "$1's"],
  [/\b(?:wanna|want to)\b/gi, "want to"],
  [/(?<=\S) (?:please|pls|plz|kindly|maybe|for me|real quick|quickly)(?= \S)/gi, ""],
  [/^(show|give|tell|say|explain|describe|print|write|make|create|find|read) (?:to|for) (me|us)\b/i, "$1 $2"],
  [/\b(file|folder|directory|branch): (?=\S)/i, "$1 called "],
  // Where first: "in a.txt, replace x with y".
  [new RegExp(`^${EVERYWHERE}[,:]? ((?:${CHANGING}) .+)$`, "is"), "$1 everywhere"],
  [new RegExp(`^(?:to|in) (?:the )?(${SPOT} of) ${FILE}[,:]? ((?:${CHANGING}) .+)$`, "is"), "$3 $1 $2"],
  [new RegExp(`^(${SPOT} of) ${FILE}[,:]? ((?:${CHANGING}) .+)$`, "is"), "$3 $1 $2"],
  [
    new RegExp(
      `^(before|after|above|below) ((?:the )?(?:line )?(?:[\\ue000-\\uf8ff]|\\d+))(?: (?:in|of) ${FILE})?,? ((?:${CHANGING}) .+?)(?: (?:in|to|into) ${FILE})?$`,
      "is",
    ),
    "$4 $1 $2 in $3$5",
  ],
  [
    new RegExp(
      `^(?:in|inside|within|for|to|into|from|(?:edit|open|modify|update|change|take|go to|go into)(?: the file)?) ${FILE}(?:,? and(?: then)?|[:,;]| so that| to)? (?:there |please |you |just |i (?:want|need) (?:you )?to |can you |could you )*((?:${CHANGING}) .+)$`,
      "is",
    ),
    "$2 in $1",
  ],
  [new RegExp(`^(?:edit|modify|change|update|fix) ${FILE}[:,] (.+? (?:->|=>|→|to|with|by) .+)$`, "is"), "replace $2 in $1"],
  [new RegExp(`^${FILE}[:,] ((?:${CHANGING}) .+)$`, "is"), "$2 in $1"],
  [
    new RegExp(
      `^(?:every|all|each|any|the) (.+?) in ${FILE} (?:should|must|needs? to|has to|have to) (?:be|become|read|say|be called) (.+)$`,
      "is",
    ),
    "replace $1 with $3 in $2",
  ],
  [new RegExp(`^(${CHANGING}) (?:in|into|to|inside) ${FILE}[,:]? (?!(?:with|by|to|into|as)\\b)(.+)$`, "is"), "$1 $3 in $2"],
  // Values.
  [/^(?:set|make|change|update) (?:the )?([\w.-]+) ?= ?(\S+)/i, "set $1 to $2"],
  [new RegExp(`^(?:make|set|change) (?:the )?([\\w.-]+) (?:be |equal |equal to )?${VALUE}(?= in |$)`, "i"), "set the $1 to $2"],
  [/^(?:(?:turn|switch) ([\w.-]+) on|(?:enable|activate|turn on|switch on) ([\w.-]+))( in .+)$/i, "set the $1$2 to true$3"],
  [/^(?:(?:turn|switch) ([\w.-]+) off|(?:disable|deactivate|turn off|switch off) ([\w.-]+))( in .+)$/i, "set the $1$2 to false$3"],
  [/^(the [\w.-]+)( in \S+)? (?:should|must|needs to|has to) be (.+)$/i, "set $1$2 to $3"],
  [
    /^(\S*\.\w+) (?:has|contains) (?:an? )?(?:typo|mistake|error)[:,]? (.+?) (?:should be|instead of|->|→) (.+)$/i,
    "replace $2 with $3 in $1",
  ],
  // A noun for the verb: "make a copy of a.txt".
  [
    /^(?:do|make|perform|give|have) (?:me )?(?:an? |the )?(commit|search|summary|list|deletion|review|install|overview|description)\b(?: of| for)?/i,
    "$1",
  ],
  [/^deletion /i, "delete "],
  // "I want to know where …", "tell me which …".
  [
    /^(?:(?:tell|show|explain|say|describe|list|count|calculate|compute|print|give)(?: to)?(?: me| us)?|(?:i )?(?:want|wish|like|need|have|am curious|wonder|would like)(?: to)? ?(?:know|learn|see|understand|find out|hear)?|know|find out|let me know|find me|do you know|see|check|look) (?:about )?(?=(?:what|which|where|how|who|when|if|whether|in which)(?:'s)?\b)/i,
    "",
  ],
  [/^(?:if|whether) (.+)$/i, "is $1"],
  [/^(what|who|where) ((?!is|are|does|do|did|was)\w+ .+?) (is|are)$/i, "$1 $3 $2"],
];

function plainWish(wish: string): string {
  return PLAINLY.reduce((text, [pattern, plain]) => {
    const changed = text.replace(pattern, plain);
    return changed === text ? text : bare(changed);
  }, bare(wish));
}
