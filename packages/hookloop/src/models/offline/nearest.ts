/** For a sentence that was not understood: the one that was probably meant. Nothing is done about it; the person says it again, or not. */

import { EVENT_NAMES, EVENTS } from "../../catalogue/index.ts";
import { nearestName, withOwnCommand } from "../../diagnostic.ts";
import { fileOf, type Quotes, type Rule, rule, shellWord } from "./phrase.ts";

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

/** Sentences that this model can do nothing about, and knows who can: they are answered with what to say or type instead. */

const hint = (pattern: string, text: string): Rule => rule(pattern, () => withOwnCommand(text));

/** What a command of the conversation is for, in other words. */
const COMMANDS: readonly (readonly [string, string])[] = [
  ["(?:compact|shorten|compress)(?: (?:the|this|our))? (?:conversation|context|history|session|chat)", "/compact"],
  [
    "(?:clear|reset|forget|start over|restart)(?: (?:the|this|our))?(?: (?:conversation|context|chat|session|history|everything))?",
    "/clear",
  ],
  ["(?:switch to|enter|start|use|turn on|go (?:in)?to) (?:the )?plan(?:ning)? mode|plan mode", "/plan"],
  [
    "(?:which|what)(?:'s| is)?(?: the| my)?(?: current)? (?:permission )?(?:mode|permissions|rules)(?: .+)?\\??|(?:show|list)(?: me)?(?: the| my)? (?:permissions|permission rules|rules)",
    "/permissions",
  ],
  ["(?:the |my )?tasks", "/tasks"],
  ["(?:resume|continue|go on with|open)(?: (?:the|an?|my))?(?: (?:last|earlier|previous|old))+ (?:session|conversation)", "/resume"],
];

const CHANGE = "(?:changes?|edits?|step|thing|one|action|command|deletion|move|rename|work|write|commit)";

const HOOK = "(?:an? |the |my |this |your |own |new |first )*(?:hooks?|guards?)";

/** Words that name nothing: `a file` is no file called "a", `something` is no text. */
const ANY_ONE = "(?:an?|one|some|any|another|new|more)";
const ANY_KIND = `(?:${ANY_ONE}|empty|blank|text|test|small|simple|short|single|random|sample|temporary|other|extra|whole)`;
const ANY_PLACE = "(?:(?:sub)?(?:folder|directory|dir|directories)|file|document)s?";
const ANY_TEXT = `(?:(?:${ANY_KIND} )*(?:something|anything|stuff|text|contents?)|${ANY_ONE} (?:${ANY_KIND} )*(?:line|word|sentence|paragraph|phrase|string)s?)`;
/** Up to the end, and no text is given there. */
const NO_TEXT = "(?!.*(?::|\\b(?:saying|with|containing|reading|that says|which says)\\b|[\\ue000-\\uf8ff]$)).+";

const UNNAMED: readonly Rule[] = [
  rule(
    `(delete|remove|erase|create|make|write|generate|add|new|set up|start|touch|build|mkdir|open|read|edit|rename|move|copy)(?: me| us)? (?:${ANY_KIND} )+(${ANY_PLACE})(?: for me| here)?`,
    ([, verb = "", noun = ""]) => `Which ${noun}? Say its name: ${verb} the ${noun.replace(/s$/, "")} NAME.`,
  ),
  rule("(delete|remove|erase) (?:something|anything)", ([, verb = ""]) => `What should I ${verb}? Say the name of a file or a folder.`),
  rule(
    `(?:add|put|write|append|insert) (?:something|anything|(?:${ANY_KIND} )+(?:task|item|entry|to-?do|thing)s?) (?:to|on|onto|in|into) (?:the |my |our )?(?:to-?do|task) ?-?list`,
    () => 'Which task? Say: add "TEXT" to the to-do list.',
  ),
  rule(
    `(add|put|write|append|insert|save|store|type|paste|enter) ${ANY_TEXT} (?:to|in|into|inside|on|at|before|after|above|below)\\b ${NO_TEXT}`,
    ([, verb = ""]) => {
      return `Which text? Put it in quotes: ${verb} "TEXT" to FILE.`;
    },
  ),
  rule(
    `(delete|remove|erase) (?!an? line\\b)${ANY_TEXT} (?:from|in|of) ${NO_TEXT}`,
    ([, verb = ""]) => `Which text? Put it in quotes: ${verb} "TEXT" from FILE.`,
  ),
  rule(
    "(?:replace|change|substitute|swap|turn) (?:it|this|that|them|something|anything) (?:with|by|to|for|into) .+ in .+",
    () => 'What should be replaced? Say: replace "OLD" with "NEW" in FILE.',
  ),
];

const WRITE_A_HOOK = `A hook is a program, and an entry that says when it runs.
1. hooks/no-rm.mjs, which gets the call as JSON on stdin and blocks it by exit code 2:
   import { readFileSync } from "node:fs";
   const { tool_input } = JSON.parse(readFileSync(0, "utf8"));
   if (/^rm /.test(tool_input.command)) { console.error("Do not delete."); process.exit(2); }
2. .claude/settings.json:
   {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "node hooks/no-rm.mjs"}]}]}}
3. In a terminal of your own: \`hookloop trust review\`. Then say here: "run rm notes.txt".
\`hookloop events\` lists the moments there are, and \`hookloop demo\` shows hooks at work.`;

const CANNOT_UNDO =
  "I cannot undo: I keep no copies of what was changed. Where git does, `git diff` shows what is different, and `git restore FILE` throws away every change of that file since the last commit, for good. To take back a commit, say `revert the last commit`.";

export const HINT_RULES: readonly Rule[] = [
  ...UNNAMED,
  hint(
    "how (?:do|can|could|should|to)(?: i| we| you)? (?:quit|exit|leave|get out|stop|end)(?: of| from)?(?: here| this| it| the (?:session|conversation|agent))?\\??",
    'Say "exit", or press Ctrl-D.',
  ),
  hint(
    "(?:do |try |run |say )?(?:it |that |this )?(?:again|once more)|repeat(?: (?:it|that|this))?|redo(?: (?:it|that))?",
    "I do not know what to repeat: say it again. The up key brings back what you typed.",
  ),
  rule(
    "(?:read|go|carry|keep)(?: on| reading| going)+|continue(?: reading)?|(?:show|give|read|see)(?: me)?(?: some)? (?:more|the rest|the next (?:page|part|lines))(?: (?:of|from) (?:it|the file|this|that))?|next page|more",
    (_, { readOn }) => readOn && [{ tool: "Read", purpose: "read", input: readOn }],
  ),
  hint(
    "read on|(?:continue|keep|go on) reading|next page|(?:show|give|read)(?: me)? (?:more|the rest)",
    "There is no file that I have read only in part. Say: read notes.txt.",
  ),
  hint(
    "(?:continue|go on|carry on|proceed|keep going|more)",
    "There is nothing to go on with: I do what a sentence says, and stop. An earlier session goes on with /resume.",
  ),
  hint(
    `(?:(?:how (?:do|can|could|should|to)(?: i| we| you)?|(?:i want to|help me(?: to)?)) )?(?:write|make|create|add|start|configure|set up|build|declare|install) ${HOOK}(?: .+)?\\??`,
    WRITE_A_HOOK,
  ),
  hint(
    `(?:what (?:can|do|could) ${HOOK} do|what (?:is|are) ${HOOK} good for|what can i do with ${HOOK})\\??`,
    "A hook can block a tool call or a prompt, ask you about it, change its input or its result, tell the model something, keep the agent going, and watch. `hookloop events NAME` says what is possible at each moment.",
  ),
  hint(
    "(?:(?:which|what)(?: hook)? events(?: (?:are|do|does|can|exist|is))*(?: .+)?|(?:list|show)(?: me)?(?: all)?(?: the)?(?: hook)? events)\\??",
    '`hookloop events` lists all of them, and `hookloop events PreToolUse` describes one. Here: say "run hookloop events".',
  ),
  hint(
    `(?:how (?:do|can|could|should|to)(?: i| we| you)? )?(?:approve|trust|review|allow|enable|accept)(?: all)?(?: of)? ${HOOK}(?: .+)?\\??`,
    "Only you approve hooks, in a terminal of your own: `hookloop trust review` shows each with its files and asks. The next start of a conversation asks as well.",
  ),
  hint(
    `(?:how (?:do|can|could|should|to)(?: i| we| you)? )?(?:(?:turn off|switch off|disable|deactivate|stop|skip|bypass)(?: all)?(?: of)? ${HOOK}(?: \\S+)?|(?:turn|switch)(?: all)?(?: of)? ${HOOK} off)(?: for (?:one|this) run)?\\??`,
    "Only you can: `HOOKLOOP_DISABLE=NAME` before the command that starts the session switches a hook off for that run. /hooks shows their names. For good, take the entry out of the file that /hooks names.",
  ),
  hint(
    "(?:explain|describe|what(?:'s| is| are))(?: an?| the)? guards?\\??",
    'A guard is a hook that keeps something from happening: with "guard": true it blocks also where it fails or cannot run. /hooks shows which hooks are guards.',
  ),
  hint(
    "(?:what|which)(?: does| do| is| are)?(?: an?| the)? exit (?:codes?|status)(?: \\d+)?(?: (?:mean|means|do|does|for|are there|stand for))*(?: (?:in|of|for|from|to) (?:an? |the |my )?hooks?)?\\??",
    "A hook that exits with 0 is fine, and its JSON on stdout is its answer. With 2 it blocks, and stderr is the reason. With any other code it has failed: a guard blocks then, and without any other hook the call continues. `hookloop events NAME` says what 2 means at each moment.",
  ),
  rule(
    `(?:explain|describe|define|show|what(?:'s| is| are| does| do)|tell(?: me| us)?(?: something| more)? about|when (?:does|do|is|are)|how (?:does|do))(?: me| to me)?(?: an?| the)? (${EVENT_NAMES.join("|")})((?: (?:events?|hooks?))*)(?: (?:do|does|mean|means|fire|fired|run|runs|work|works|happen|for|about|called|good for))*\\??`,
    ([, said = "", isSaid = ""]) => {
      const name = EVENT_NAMES.find((one) => one.toLowerCase() === said.toLowerCase());
      // Setup, Stop and Notification are words as well.
      if (name === undefined || (isSaid === "" && said !== name && !/[a-z][A-Z]/.test(said))) return undefined;
      const { fires, blockMeans } = EVENTS[name];
      const block = blockMeans === undefined ? "" : ` A hook that blocks here: ${blockMeans}.`;
      return withOwnCommand(
        `${name} is an event: its hooks run ${fires}.${block} \`hookloop events ${name}\` shows what they get and may answer.`,
      );
    },
  ),
  hint(
    `(?:how (?:do|can|could|should|to)(?: i| we| you)? )?(?:test|try(?: out)?|check|debug) ${HOOK}(?: .+)?\\??`,
    "Ask for what it is about, for example `run rm notes.txt` for a guard of `rm`: what the hook did is shown, /why explains it, and /debug hooks shows every step. In a test: callHook and runHookFile of @hookloop/sdk/testing.",
  ),
  hint(
    "(?:how|can|could|is it possible)\\b.*\\b(?:block|stop|prevent|forbid|deny|guard|protect|intercept|log|run)\\b.*\\b(?:hooks?|guards?)\\b.*",
    WRITE_A_HOOK,
  ),
  hint(
    "(?:make|create|write|start|begin|plan|set up)(?: me)?(?: an?| the| my)?(?: new)? (?:to-?do|task|todo) ?(?:s|list)?",
    "What belongs on it? Say: make a to-do list: write tests, fix bug.",
  ),
  rule(
    "(?:add|append|insert) (?:(?:an?|the|one|another|new)(?: new)? (?:line|text|sentence)(?: (?:saying|with|that says))?:? (?!(?:to|in|into|at|on|after|before)\\b)(\\S+(?: \\S+){0,20}?)|([\\ue000-\\uf8ff]))",
    ([, one, other], { quotes }) =>
      / (?:to|in|into|inside|at|on|onto|before|after|below|above) \S/i.test(one ?? "")
        ? undefined
        : `To which file? Say: add a line "${quotes.value((one ?? other ?? "").trim())}" to notes.txt.`,
  ),
  hint("(?:search|look|grep|find)(?: for| in| after)?", "What for? Say: search for TODO in src."),
  rule(
    "(?:delete|remove|erase|drop|cut)(?: out)? (?:an?|the|one|some|this|that)(?: empty)? lines?(?: (?:from|in|of) (\\S+))?",
    ([, file]) => `Which line? Say its text: delete the line "old" from ${file ?? "notes.txt"}.`,
  ),
  ...COMMANDS.map(([pattern, command]) => hint(pattern, `That is a command of the conversation: type ${command}.`)),
  hint(
    "(?:which|what)(?: (?:kinds? of|other))? hooks?(?: (?:are|is|do|does|have|can|will|did|was|were))+(?: .+)?\\??|(?:show|list|print|display|see)(?: me)?(?: all)?(?: the| my| active| current)* hooks\\??|(?:is|are) (?:there )?(?:any|a|some|my|the) hooks?(?: .+)?\\??|how many hooks(?: .+)?\\??",
    "Type /hooks: it shows every hook, where it is declared, and whether it will run. Outside of a conversation: `hookloop trust`.",
  ),
  hint(
    "(?:explain|describe|tell(?: me)?)(?: what)?(?: an?| the)? hooks?(?: is| are| do| does| work| means)*\\??|what (?:are|is) (?:an? |the )?hooks?(?: for| about)?\\??|how do hooks work\\??",
    "A hook is a program of yours that is run at a certain moment: before a tool is used, when a prompt is sent, at the end. It can block, ask, or add something. Type /hooks for those of this session; `hookloop events` lists the moments.",
  ),
  hint(
    "(?:why|how come|what|who)(?: (?:was|is|did|has|were|have))*(?: (?:that|it|this|the call|the command|you|my (?:command|call|prompt)|i))?(?: (?:not|was|been))*(?: (?:block(?:ed)?|den(?:y|ied)|refused?|stop(?:ped)?|forbid(?:den)?|allow(?:ed)?|asked|reject(?:ed)?|decided?|happen(?:ed)?))(?: (?:it|that|this|me|about it|about that))?\\??|why(?: not)?\\??",
    "Type /why: it explains the last verdict, with every hook that was asked.",
  ),
  rule(
    `(?!(?:revert|take back) .*commit)(?:(?:undo|take back|roll ?back|reverse|revert|restore|bring back|recover|get back)(?: (?:that|this|it|them|again|everything|what you (?:just )?did|all(?: of (?:it|that|this))?|(?:all )?(?:the |my |your |those |these |last |latest |previous |recent |most )*${CHANGE}))?|(?:bring|take|put|get|change|turn)(?: (?:it|that|this|them))? back(?: (?:again|how it was|as it was|to how it was))?|put it back the way it was)`,
    (_, { undo }) => undo ?? CANNOT_UNDO,
  ),
  rule(
    "(?:undo|discard|throw away|throw out|forget|drop|restore|reset|revert|roll ?back|get rid of)(?: all)?(?: the| my| your)?(?: local| uncommitted)*(?: (?:changes|edits|modifications|work))? ?(?:(?:to|in|of|on|from) )?(.+)",
    ([wish = "", phrase = ""], about) => {
      const file = fileOf(phrase, about);
      const isMeant = /^(?:undo|restore|reset|revert|roll ?back)|\b(?:changes|edits|modifications|work)\b/i.test(wish);
      if (!isMeant || (file === undefined && !/^(?:changes|edits|everything|work|all changes)$/i.test(phrase))) return undefined;
      return file === undefined
        ? CANNOT_UNDO
        : `I cannot undo, but git can go back: every change of ${file} since the last commit would be lost for good. Did you mean "run git restore ${shellWord(file)}"?`;
    },
  ),
  hint(
    "(?:(?:remember|keep in mind|memori[sz]e|don't forget|do not forget|never forget)(?: that)?|note that) (?!to\\b|i (?:have|need|must) )(.+)",
    'I have no memory but this conversation. What stands in CLAUDE.md is read at every start: say, for example, add a line "TEXT" to CLAUDE.md. For something to do: add a task: TEXT.',
  ),
  hint("translate .+", "I cannot translate: I am a grammar of plain sentences. With a key (ANTHROPIC_API_KEY) a language model does."),
  hint(
    "(?:fix|debug|solve|repair|find|investigate)(?: (?:the|a|this|that|all|any|my|every|some))* (?:bugs?|errors?|issues?|problems?|failing tests?|failures?|crash(?:es)?|mistakes?|tests?)(?: .+)?|(?:write|implement|create|add|make|generate|develop|code|program|design)(?: me)?(?: (?:an?|the|some|more|new|good|simple|small|unit|another|missing))* (?:functions?|class(?:es)?|methods?|components?|programs?|apps?|applications?|features?|(?:unit )?tests?|algorithms?|code|hooks?|api|websites?|servers?|scripts? (?:that|which|to))(?: .+)?|(?:refactor|optimi[sz]e|improve|implement|clean up|simplify|review|document|port|rewrite|debug) .+|make (?:it|this|that|the \\w+) (?:better|faster|shorter|work|cleaner|nicer|simpler)",
    'I cannot write or judge code: I am a grammar of plain sentences. With a key (ANTHROPIC_API_KEY) a language model answers. What I can do is exact: replace A with B in FILE, add a line "TEXT" to FILE, run npm test.',
  ),
];
