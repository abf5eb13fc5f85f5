/** Sentences about commands: what to run, git, and the web. */

import { commandOf, isProgram, startOf, withoutSlips } from "./nearest.ts";
import {
  type About,
  bash,
  type Draft,
  fileOf,
  filesOf,
  isPrinting,
  literally,
  onFile,
  type Reading,
  type Rule,
  rule,
  shellWord,
  textOf,
  whole,
} from "./phrase.ts";
import { bag, unknownWords } from "./words.ts";

const RUN = "(?:run|execute|exec|launch|invoke|start|call|do|try|perform|use)";
const THE_COMMAND =
  "(?:(?:the |this |a |following |next )*(?:shell |bash |terminal |linux |unix )?(?:command|commands|line|program|shell)(?: line)?(?::| called| named)? )?";
const ASIDE =
  /(?: (?:command|in (?:the |a )?(?:shell|terminal|bash|console|command line)|once|again|and (?:show|tell|give|print)(?: me)?(?: the| its)?(?: output| result| results| what it (?:says|prints|shows))|in this folder|here))+$/i;

/** What people call the scripts of a project. */
const SCRIPTS: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:all )?(?:the |my |our |unit |all |project'?s? )*(?:tests?|test ?suite|unit tests?|test cases|specs?|checks)(?: suite)?$/i,
    "npm test",
  ],
  [/^(?:the |a |my |project )*(?:build|build script|compilation)$/i, "npm run build"],
  [/^(?:the |a )*(?:linter|lint|linting|lint script)$/i, "npm run lint"],
  [/^(?:the |a )*(?:formatter|format|formatting)$/i, "npm run format"],
  [/^(?:the )?(?:type ?check(?:er|s|ing)?|types)$/i, "npm run types"],
  [/^(?:the )?(?:dev(?:elopment)? ?server|server|app|application|project|program)$/i, "npm start"],
];

function scriptOf(wish: string): string | undefined {
  return SCRIPTS.find(([pattern]) => pattern.test(wish))?.[1];
}

/** "eslint on src" is `eslint src`; "ls in src" is run there. */
function withTarget(wish: string): string {
  const [, program = "", how = "", target = ""] = /^(\S+(?: -\S+)*) (on|over|against|in) ([^\s'"$`;|&<>()]+)$/i.exec(wish) ?? [];
  if (program === "" || !isProgram(program.split(" ")[0] ?? "")) return wish;
  return /^in$/i.test(how) ? `(cd ${target} && ${program})` : `${program} ${target}`;
}

function run(text: string, about: About): Reading {
  const typed = text.trim();
  const wish = isPrinting(typed) ? typed : typed.replace(ASIDE, "");
  const script = scriptOf(wish) ?? (isProgram(/^\S*/.exec(wish)?.[0] ?? "") ? undefined : scriptOf(withoutSlips(wish)));
  if (script) return [bash(script)];
  const file = /^\S+$|^(?:the |this |my )?(?:file|script) /i.test(wish) && !/^[./~]/.test(wish) ? fileOf(wish, about) : undefined;
  const interpreter = file === undefined ? undefined : startOf(file);
  if (file !== undefined && interpreter) return [bash(`${interpreter} ${shellWord(file)}`)];
  const command = commandOf(isPrinting(typed) ? wish : withTarget(wish), about.quotes);
  return command === undefined ? undefined : [bash(command)];
}

/** One rule a line: the words, an arrow, the command. */
const bags = (table: string): readonly Rule[] =>
  table
    .trim()
    .split("\n")
    .map((row) => row.split(" → "))
    .map(([words = "", command = ""]) => bag(words.trim(), command));

const VERSIONED = new Map(
  "node npm npx git python3 bash go cargo rustc ruby java docker tsc pnpm yarn deno bun curl hookloop"
    .split(" ")
    .map((name) => [name, name] as const)
    .concat([
      ["python", "python3"],
      ["node.js", "node"],
      ["nodejs", "node"],
      ["typescript", "tsc"],
      ["rust", "rustc"],
    ]),
);

/** "what node version is installed?": one program and the word, in any order; without a program it is the project's. */
const VERSION: Rule = {
  pattern: /^.*\bversion\b.*$/is,
  make([wish = ""]) {
    const [program, ...others] = unknownWords(wish, "version number installed running run on");
    if (others.length > 0) return undefined;
    const known = VERSIONED.get(program ?? "");
    if (known !== undefined) return [bash(`${known} --version`)];
    return program === undefined
      ? [{ tool: "Grep", purpose: "search", input: { pattern: '"version"', path: "package.json", output_mode: "content" } }]
      : undefined;
  },
};

const COMMANDS: readonly Rule[] = [
  rule(`${RUN} ${THE_COMMAND}(.+?)(?: as)? (?:in|into) (?:the )?background`, ([, text = ""], about) => {
    const drafts = run(text, about);
    return Array.isArray(drafts)
      ? (drafts as readonly Draft[]).map((draft) => ({ ...draft, input: { ...draft.input, run_in_background: true } }))
      : drafts;
  }),
  rule(
    `(?:run|execute|exec|launch|invoke) ${THE_COMMAND}(.+?) (?:in|inside|from) (?:the )?(?:folder |directory )?(\\S+?\\/|\\S+ (?:folder|directory))`,
    ([, text = "", place = ""], about) => {
      const drafts = run(text, about);
      const folder = about.quotes.value(place.replace(/ (?:folder|directory)$/i, ""));
      if (!Array.isArray(drafts) || /^(?:this|the|current)$/i.test(folder)) return drafts;
      return (drafts as readonly Draft[]).map(({ input }) => bash(`(cd ${shellWord(folder)} && ${String(input["command"])})`));
    },
  ),
  rule(`(?:run|execute|exec|launch|invoke|type|perform) ${THE_COMMAND}(.+)`, ([, text = ""], about) => run(text, about)),
  rule(`(?:start|call|do|try|use) (?:the |this |a )?(?:shell |bash |terminal )?(?:command|script|program) (.+)`, ([, text = ""], about) =>
    run(text, about),
  ),
  rule(
    "run (?:the )?(?:file |script )?(\\S+) (?:with|using|in|through) (node|python3?|bash|sh|deno|bun|tsx|ruby)",
    ([, name = "", program = ""], about) =>
      onFile(name, about, (file) => [bash(`${program === "python" ? "python3" : program} ${shellWord(file)}`)]),
  ),
  rule("test", () => [bash("npm test")]),
  ...bags(`
    run|execute|start|begin|try|perform|pass|passes|passing|green|work|works|succeed|fail|fails|failing|broken|okay|fine|verify tests|test|suite|specs unit|all|everything? → npm test
    test|verify|check everything|it|whole|code|project|app|package|program|repo|repository|all → npm test
    build|compile|bundle|rebuild everything|whole|sources|source|run|start|script|compiles|builds? → npm run build
    lint|linter|linting run|start|script|everything|files|whole|errors|warnings? → npm run lint
    format|formatter|prettify|beautify|reformat run|everything|files|whole|sources|source? → npm run format
    types|typecheck|type|typechecker|compiler run|checker|check|errors|start → npm run types
    server|app|application|program|project|it start|run|launch|boot|up dev|development|local? → npm start
    install|download|fetch|reinstall dependencies|deps|packages|modules|requirements|libraries npm|node|missing|required? → npm install
    outdated|old|update|upgrade dependencies|deps|packages|modules|libraries npm? → npm outdated
    where i|we|you|this am|are|is run|running? → pwd
    directory|folder|path|dir|cwd working|current|present|am|are|full → pwd
    who am i → whoami
    user|username|login my|am name|i? → whoami
    date|time|day today|it|clock|today? → date
    operating|os|platform|kernel|machine system|linux|mac|run|running|kind|on? → uname -a
    shell i|we|my|this|default default|run|running? → echo $SHELL
    disk|space how|much|free|left|disk|usage drive|how|much|free|space? → df -h .
    processes running|run? → ps -ef`),
  rule("(?:install|add) (?:the )?(?:npm |node )?(?:package|library|module|dependency) (\\S+)", ([, name = ""], { quotes }) => [
    bash(`npm install ${shellWord(quotes.value(name))}`),
  ]),
  rule(
    "(?:install|add) ([a-z@][\\w./@-]*)( as (?:an? )?dev(?:elopment)?(?: ?dependency)?)?(?: (?:with|using|via|from) (npm|yarn|pnpm|pip|pip3|cargo|brew|apt))?",
    ([whole = "", name = "", isDev, manager = "npm"]) =>
      /^add/i.test(whole) || /^(?:it|this|that|everything|all|the|a|an|them|something|me)$/i.test(name)
        ? undefined
        : [bash(`${manager.toLowerCase()} install ${isDev === undefined ? "" : "--save-dev "}${shellWord(name)}`)],
  ),
  VERSION,
  rule(
    "(?:is|are|do (?:i|we|you) have|have (?:i|we)(?: got)?)(?: the)? ([\\w.+-]+)(?: (?:command|program|tool|compiler))?(?: (?:installed|available|on (?:my|the|this) (?:path|machine|computer|system)|there|here))+\\??",
    ([, name = ""]) => (isProgram(name.toLowerCase()) ? [bash(`command -v ${name.toLowerCase()}`)] : undefined),
  ),
  rule(
    "(?:what(?:'s| is| does)|show(?: me)?|print|tell me|echo)(?: in)?(?: the| my)*(?: value of)?(?: the| my)*(?: environment| env)?(?: variable)? \\$?([A-Z][A-Z0-9_]+)(?: (?:variable|set to|contain|set))*\\??",
    ([whole = "", name = ""]) =>
      /^[A-Z][A-Z0-9_]+$/.test(name) &&
      (name.includes("_") || /variable|\$|^what(?:'s| is) (?:my|the value)/i.test(whole) || name === "PATH" || name === "HOME")
        ? [bash(`echo "$${name}"`)]
        : undefined,
  ),
  rule(
    "(?:cd|go|change|switch|move|enter|step|navigate|jump)(?: the)?(?: (?:directory|folder|dir|working directory))?(?: (?:to|into|in|inside))? (?:the )?(?:(?:folder|directory|dir) )?(?:called |named )?(\\S+?)(?: (?:folder|directory|dir))",
    ([, name = ""], { quotes }) => goTo(quotes.value(name)),
  ),
  rule(
    "(?:(?:cd|go|navigate)(?: (?:to|into|in))?|(?:change|switch)(?: the)?(?: working)? (?:directory|folder) (?:to|into|in)) (?:the )?(?:folder |directory )?(\\S+)",
    ([, name = ""], { quotes }) => goTo(quotes.value(name)),
  ),
  rule(
    "(?:go|move|step|cd)(?: one)?(?: (?:folder|directory|level))?(?: back)? (?:up|back)(?: one)?(?: (?:folder|directory|level))?",
    () => [bash("cd ..")],
  ),
  rule(
    "(?:print|say|echo|output) ([\\ue000-\\uf8ff])(?: (?:in|on|to|with) (?:the )?(?:shell|terminal|screen|console|bash))?",
    ([, text = ""], { quotes }) => [bash(`echo ${shellWord(quotes.value(text))}`)],
  ),
];

function goTo(name: string): Reading {
  return /^(?:on|ahead|away|back|home|to|the|a|for|it|this|there|sleep|down|up|wild|fast)$/i.test(name) ||
    !/^[\p{L}\p{N}_./~@-]+$/u.test(name)
    ? undefined
    : [bash(`cd ${shellWord(name)}`)];
}

// --- git ---

const SHOW =
  "(?:show|print|give|display|see|list|view|get|tell|check|what(?:'s| is| are)|look at|open|read)(?: me| us)?(?: all)?(?: the| my| our)?";

/** Sentences about one file's past. */
const FILE_HISTORY: readonly Rule[] = [
  rule(
    `(?:${SHOW} (?:git )?(?:diff|differences?|changes|modifications)|diff|git diff) (?:of|in|for|to|on|from) (.+?)\\??|(?:what|how)(?:'s| is| has| have| did| was| were)?(?: (?:i|we|you|they|someone))? (?:changed?|different|new|modified|edited)(?: been changed)? (?:in|with|about|of|to) (.+?)(?: (?:so far|today|lately|recently|since (?:the )?last commit))?\\??|(?:how )?(?:has|did|was) (.+?) (?:changed?|been changed|modified)\\??`,
    ([, one, two, three], about) => ofFile("git diff", one ?? two ?? three ?? "", about),
  ),
  rule(
    `(?:${SHOW} (?:git |commit |version |change )*(?:history|log|commits|versions)|git (?:log|history)|history|log) (?:of|for|on|from|in) (.+?)\\??|(?:which|what) commits (?:changed|touched|modified|are (?:about|in)) (.+?)\\??`,
    ([, one, two], about) => ofFile("git log --oneline -20", one ?? two ?? "", about),
  ),
  rule(
    "who (?:has |have |had )?(?:last )?(?:changed|wrote|written|edited|modified|touched|created|made|added|authored|committed|worked on)(?: to| last)? (.+?)(?: last)?\\??|who(?:'s| is)(?: the)? author of (.+?)\\??",
    ([, one, two], about) => ofFile("git log --format='%h %an %ad %s' --date=short -20", one ?? two ?? "", about),
  ),
];

function ofFile(command: string, phrase: string, about: About): Reading {
  return onFile(phrase, about, (file) => [bash(`${command} -- ${shellWord(file)}`)]);
}

const BRANCH = "([\\w./-]+|[\\ue000-\\uf8ff])";
const FORCE = "(?:with (?:the )?(?:option |flag |switch )?(?:--force|-f|force)|--force|by force|forcefully)";

const COUNTS: Readonly<Record<string, number>> = { two: 2, three: 3, four: 4, five: 5, ten: 10 };

const COMMIT_VERB = "(?:git )?(?:commit|check in)(?: just| only)?";
const EVERYTHING =
  "(?:everything|it|this|that|them|all|changes|all of (?:this|that|it|them)|all (?:the |my |of the |our )?(?:changes|files|work|edits|code)|(?:the|my|our) (?:changes|work|code|files|edits))";
const STAGED = "(?:(?:the |my |all )*staged (?:changes|files|ones|work)|(?:what|everything that) is staged|the index|the staging area)";
const MESSAGE = "(?:the |a |this |commit )*(?:message|comment|title|text)(?: (?:saying|called))?";
/** What announces the message: a word for it, or "as", "with" and a colon before a text. */
const BEFORE_MESSAGE = `(?:,? (?:with|using|and use|under|and) ${MESSAGE}:? |, ${MESSAGE}:? | ${MESSAGE}:? |,? (?:as|with|saying) (?=[\\ue000-\\uf8ff]$)|: | (?=[\\ue000-\\uf8ff]$))`;

/** Everything, what is staged, or the files that are named: a commit of more than was said cannot be told from one of less. */
const COMMIT: readonly Rule[] = [
  rule(`${COMMIT_VERB}(?: (?:${EVERYTHING}|${STAGED}))?`, () => 'With which message? Say: commit everything with the message "TEXT".'),
  // Behind another step "it" is what that step was about.
  rule(`${COMMIT_VERB} (?:it|this|that|the (?:file|change))${BEFORE_MESSAGE}(.+)`, ([, text = ""], { quotes, lastFile, isSameSentence }) =>
    isSameSentence && lastFile !== undefined ? commitFiles([lastFile], textOf(text, quotes)) : undefined,
  ),
  rule(`${COMMIT_VERB}(?: ${EVERYTHING})?${BEFORE_MESSAGE}(.+)`, ([, text = ""], { quotes }) => [
    bash(`git add -A && git commit -m ${shellWord(textOf(text, quotes))}`),
  ]),
  rule(`${COMMIT_VERB} ${STAGED}${BEFORE_MESSAGE}(.+)`, ([, text = ""], { quotes }) => [
    bash(`git commit -m ${shellWord(textOf(text, quotes))}`),
  ]),
  rule(`${COMMIT_VERB} (.+?)${BEFORE_MESSAGE}(.+)`, ([, phrase = "", text = ""], about) => {
    const files = filesOf(phrase, about);
    return files && commitFiles(files, textOf(text, about.quotes));
  }),
];

function commitFiles(files: readonly string[], message: string): Reading {
  const names = files.map(shellWord).join(" ");
  return [bash(`git add -- ${names} && git commit -m ${shellWord(message)} -- ${names}`)];
}

const GIT: readonly Rule[] = [
  ...FILE_HISTORY,
  ...bags(`
    who last|latest commit made|did|wrote|author|authored|committed|most|recent → git log -1 --format='%h %an %ad %s'
    when last|latest|recent commit made|happen|most? → git log -1 --format='%h %an %ad %s'
    how|count|number commits many|git|total? → git rev-list --count HEAD
    uncommitted|unstaged|untracked|dirty|committed|clean|unsaved changes|files|work|left|yet|everything|working|tree|git|not? → git status
    commit anything|something|what left|yet|git? → git status
    status|state git|tree|working? → git status
    last|latest|newest|recent|previous commit change|changed|changes|touch|touched|files|contain|contains|most|git? → git show --stat HEAD
    history|log|commits git|commit|last|latest|recent|version|previous|most? → git log --oneline -20
    changes last|latest|recent most? → git log --oneline -20
    diff|difference|differences|change|changed|changes|modify|modified|edit|edited|different|touch|touched|new git|working|files|today|lately|recently|made|uncommitted? → git status --short && git diff
    change|changed|changes|modified|edited|different|new|done since commit last|latest|files? → git status --short && git diff
    branch git|active|checked|out|working? → git branch --show-current
    branches git|local|remote|other? → git branch --all
    tags git|releases? → git tag
    remote|remotes|origin git|url|address? → git remote -v
    stash|stashes list|show|what|which git? → git stash list
    stash|stashed|unstash|unstashed pop|apply|restore|back|bring|unstash|out again|changes|last|git|work|take? → git stash pop
    stash|shelve git|away|changes|work|edits|files|everything|uncommitted? → git stash
    amend git|last|latest|commit|changes? → git commit --amend --no-edit
    revert|undo|back commit last|latest|newest|recent|previous|take|most → git revert --no-edit HEAD
    stage|add all|everything|changes|files git|index|staging|area? → git add -A
    unstage|reset everything|all|files|index|staged git|changes? → git restore --staged .
    push git|changes|commits|commit|work|branch|everything|up|remote|server|github|gitlab|upstream? → git push
    pull git|changes|commits|latest|newest|new|version|updates|everything|remote|server|github|gitlab? → git pull
    latest|newest changes|commits|version fetch|git → git pull
    git init|initialize|initialise|create|start|new|empty repo|repository|new|empty? → git init`),
  rule(
    `(?:git )?push(?: (?:it|everything|this|(?:the |my |our )*(?:changes|commits?|work|branch|code)))?(?: to ${BRANCH}(?: ${BRANCH})?)?,? ${FORCE}|(?:git )?(?:force[- ]push|push ${FORCE})(?: (?:it|everything|this|(?:the |my |our )*(?:changes|commits?|work|branch|code)))?(?: to ${BRANCH}(?: ${BRANCH})?)?`,
    ([, one, two, three, four]) =>
      (one ?? three) === undefined ? [bash("git push --force")] : gitNames("git push --force", one ?? three ?? "", two ?? four),
  ),
  rule("(?:git add|stage)(?: the)?(?: files?)? (.+)|add (.+) to (?:the )?(?:git|index|staging area|stage)", ([, one, other], about) => {
    const files = filesOf(one ?? other ?? "", about);
    return files && [bash(`git add -- ${files.map(shellWord).join(" ")}`)];
  }),
  rule(
    "(?:unstage|git reset)(?: the)?(?: files?)? (.+)|remove (.+) from (?:the )?(?:index|staging area|stage)",
    ([, one, other], about) => {
      const files = filesOf(one ?? other ?? "", about);
      return files && [bash(`git restore --staged -- ${files.map(shellWord).join(" ")}`)];
    },
  ),
  rule(
    `(?:git )?tag(?: (?:this|it|(?:the|this) (?:current |last |latest )?(?:commit|version|state|release)|HEAD))?(?: (?:as|with|by))? ${BRANCH}|(?:make|create|add|set)(?: an?| the)?(?: new)?(?: git)? tag(?: (?:called|named))? ${BRANCH}`,
    ([, one, other], { quotes }) => [bash(`git tag ${shellWord(quotes.value(one ?? other ?? ""))}`)],
  ),
  rule(
    `(?:git )?(?:delete|remove|drop)(?: the)?(?: git| local| old)* branch(?: (?:called|named))? ${BRANCH}|(?:delete|remove|drop)(?: the)? ${BRANCH} branch`,
    ([, one, other], { quotes }) => [bash(`git branch -d ${shellWord(quotes.value(one ?? other ?? ""))}`)],
  ),
  rule(
    `(?:git )?merge(?: in)?(?: the)?(?: branch)? ${BRANCH}(?: branch)?(?: (?:in|into|with|to) (?:this|the current|my|our|the)(?: branch)?)?`,
    ([, name = ""], { quotes }) =>
      /^(?:it|this|that|them|everything|conflicts?)$/i.test(name) ? undefined : [bash(`git merge ${shellWord(quotes.value(name))}`)],
  ),
  rule(
    `(?:switch|change|go|move|check ?out)(?: (?:over|back))?(?: to)?(?: an?| the)? new(?: git)? branch(?: (?:called|named))? ${BRANCH}`,
    ([, name = ""], { quotes }) => [bash(`git switch -c ${shellWord(quotes.value(name))}`)],
  ),
  rule(
    `(?:switch|change|go|move|check ?out|return|get)(?: (?:over|back))?(?: to)?(?: the)?(?: git)? (?:branch(?: (?:called|named))? ${BRANCH}|${BRANCH} branch)|(?:switch|go|check ?out)(?: back)?(?: to)? (main|master|develop|trunk)`,
    ([, one, two, three], { quotes }) => {
      const name = quotes.value(one ?? two ?? three ?? "");
      return /^(?:previous|last|other)$/i.test(name) ? [bash("git switch -")] : [bash(`git switch ${shellWord(name)}`)];
    },
  ),
  rule(
    `(?:${SHOW}|what (?:were|are) the|which (?:were|are) the) (?:(?:last|latest|newest|most recent|recent|previous) (\\d+|two|three|four|five|ten)|(\\d+|two|three|four|five|ten) (?:last|latest|newest|most recent)) (?:git )?commits\\??`,
    ([, one, other]) => [bash(`git log --oneline -${COUNTS[(one ?? other ?? "").toLowerCase()] ?? one ?? other}`)],
  ),
  ...COMMIT.map(whole),
  rule(
    "(?:make|create|start|open|new)(?: me)?(?: an?| the)?(?: new)?(?: git)? branch(?: called| named)? (\\S+)(?: and (?:switch|go|change|move|check ?out)(?: over)?(?: to)? it)?|(?:make|create)(?: an?)?(?: new)? (\\S+) branch(?: and (?:switch|go|change|move|check ?out)(?: over)?(?: to)? it)?",
    ([, one, other], { quotes }) => [bash(`git switch -c ${shellWord(quotes.value(one ?? other ?? ""))}`)],
  ),
  rule("(?:git )?push(?: (?:it|everything|my \\w+|the \\w+))? to (\\S+)(?: (\\S+))?", ([, remote = "", branch]) =>
    gitNames("git push", remote, branch),
  ),
  rule("(?:git )?push (?:the branch )?(\\S+) to (\\S+)", ([, branch = "", remote = ""]) => gitNames("git push", remote, branch)),
  rule("(?:git )?pull(?: \\S+)? from (\\S+)(?: (\\S+))?", ([, remote = "", branch]) => gitNames("git pull", remote, branch)),
  rule("revert(?: the)? commit ([0-9a-f]{4,40}|HEAD[~^\\d]*)", ([, commit = ""]) => [bash(`git revert --no-edit ${commit}`)]),
];

function gitNames(command: string, remote: string, branch: string | undefined): Reading {
  const names = [remote, ...(branch === undefined ? [] : [branch])];
  const isPlain = names.every((name) => /^[\w][\w./-]*$/.test(name) && !/^(?:the|my|our|a|it|force|production|everyone)$/i.test(name));
  return isPlain ? [bash(`${command} ${names.join(" ")}`)] : undefined;
}

// --- the web ---

const WEB: readonly Rule[] = [
  rule(
    "(?:fetch|download|get|open|read|load|visit|show|go to|browse(?: to)?|curl|request|look at|check|what(?:'s| is)(?: on| at| in)?|see|summari[sz]e)(?: me)?(?: the)?(?: (?:web ?)?(?:page|site|website|url|address|link|contents?|file|data))?(?: (?:of|at|from|on))? ?(https?:\\/\\/\\S+?|[\\ue000-\\uf8ff])(?: (?:page|website|for me))?\\??",
    ([, address = ""], { quotes }) => {
      const url = quotes.value(address);
      return /^https?:\/\//i.test(url)
        ? [{ tool: "WebFetch", purpose: "other", input: { url, prompt: "What does the page say?" } }]
        : undefined;
    },
  ),
];

/** `grep word` without a file: the tool looks through the project. */
const GREP = rule("grep (?:-[rniw]+ )*(?!for\\b|-)([^\\s|]+)(?: \\.)?", ([, text = ""], { quotes }) => [
  { tool: "Grep", purpose: "search", input: { pattern: literally(quotes.value(text)), output_mode: "content" } },
]);

export const COMMAND_RULES: readonly Rule[] = [GREP, ...WEB, ...GIT, ...COMMANDS];

/** When nothing else fits: a few plain words to print. What names something ("the report") is not printed as it stands. */
export const LAST_RULES: readonly Rule[] = [
  // A name without an ending is a folder's, more often than not; what there is says so if it is not.
  rule("what(?:'s| is|s) (?:in|inside) ([\\w@/-]+)\\??", ([, folder = ""]) =>
    /^(?:it|this|that|there|here|them|the|my|your)$/i.test(folder)
      ? undefined
      : [{ tool: "Glob", purpose: "find", input: { pattern: "**/*", path: folder } }],
  ),
  rule(
    "(?:print|say|echo|output) (?!(?:the|an?|me|us|my|our|your|all|it|its|this|that|these|those|what|which|how|why|who|something|anything|nothing|everything|out|to|more|some|each|every|in|from)\\b)(\\w[^\\ue000-\\uf8ff/$\\`|;<>&]{0,80})",
    ([, text = ""]) => (/\.\w+$/.test(text) ? undefined : [bash(`echo ${shellWord(text.trim())}`)]),
  ),
];
