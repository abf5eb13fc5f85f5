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
    "(?:start|do|try|begin|perform|make) (?:the |a |an |my )?(tests?|test suite|build|linter|lint|type ?check|dev server|server|unit tests?)",
    ([, text = ""], about) => run(text, about),
  ),
  rule(
    "(?:test|check|verify) (?:the |this |my |our |whole |all )*(?:code|project|everything|program|app|it|package|repo|repository)|do (?:the |all )*tests (?:pass|work|succeed|run)\\??|are (?:the |all )*tests (?:green|passing|ok|okay)\\??|test",
    () => [bash("npm test")],
  ),
  rule(
    "(?:build|compile|bundle) (?:the |this |my |our |whole )*(?:code|project|everything|program|app|application|it|package|repo|sources?)|build",
    () => [bash("npm run build")],
  ),
  rule("lint (?:the |this |my |our |whole |all )*(?:code|project|everything|files|sources?|it|repo)|lint", () => [bash("npm run lint")]),
  rule("(?:format|prettify|beautify) (?:the |this |my |our |whole |all )*(?:code|project|everything|files|sources?|repo)", () => [
    bash("npm run format"),
  ]),
  rule(
    "(?:install|get|download|fetch)(?: all)?(?: the| my| our| project| npm| node| missing| required)*(?: dependenc(?:y|ies)| packages| modules| requirements| libraries| deps)(?: of (?:this|the) (?:project|package))?",
    () => [bash("npm install")],
  ),
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
  rule(
    "(?:where am i|where are we now|(?:show|print|tell|give|display|what(?:'s| is))(?: me)?(?: the| my| our)? (?:current |working |present |actual )+(?:directory|folder|path|dir)(?: path| name)?|in (?:which|what) (?:folder|directory) (?:am i|are we|are you)|which (?:folder|directory) is this|what (?:folder|directory) (?:am i|are we|is this)(?: in)?|what is the path)\\??",
    () => [bash("pwd")],
  ),
  rule("(?:who am i|what is my (?:user ?name|user|login)|which user (?:am i|is this)|what's my (?:user ?name|user))\\??", () => [
    bash("whoami"),
  ]),
  rule(
    "(?:what(?:'s| is) (?:the |today's |current )*(?:time|date|day)(?: is it)?(?: today| now| it is)?|what (?:time|day|date)(?: is it| it is)?(?: today| now)?|(?:show|print|tell|give)(?: me)?(?: the| today's| current)* (?:time|date)(?: and time)?)\\??",
    () => [bash("date")],
  ),
  rule(
    "(?:what|which)(?:'s| is)?(?: the| my| your)? version of (\\S+)(?: is| do)?(?: (?:installed|this|it|we use|do we use|do i have|i have|here))*\\??|which (\\S+) version(?: is installed| do (?:i|we) have| is this)?\\??|what(?:'s| is) (?:the |my )?(\\S+) version\\??|(?:show|print|tell|give)(?: me)?(?: the)? (\\S+) version|(?:show|print|tell|give)(?: me)?(?: the)? version of (\\S+)|(\\S+) version\\??",
    (names) => {
      const name = names.slice(1).find((one) => one !== undefined) ?? "";
      const program = { python: "python3", "node.js": "node", nodejs: "node" }[name.toLowerCase()] ?? name.toLowerCase();
      return /^(?:node|npm|npx|git|python3|bash|go|cargo|rustc|ruby|java|docker|tsc|pnpm|yarn|deno|bun|curl|hookloop)$/.test(program)
        ? [bash(`${program} --version`)]
        : undefined;
    },
  ),
  rule(
    "(?:is|are|do (?:i|we|you) have|have (?:i|we)(?: got)?)(?: the)? ([\\w.+-]+)(?: (?:command|program|tool|compiler))?(?: (?:installed|available|on (?:my|the|this) (?:path|machine|computer|system)|there|here))+\\??",
    ([, name = ""]) => (isProgram(name.toLowerCase()) ? [bash(`command -v ${name.toLowerCase()}`)] : undefined),
  ),
  rule(
    "(?:which|what)(?:'s| is)?(?: my| the| this)*(?: kind of)? (?:operating system|os|system|platform|kernel)(?: (?:is|am|are|do)(?: (?:this|it|i|we|you))?(?: (?:on|using|running|in|use|have))?)?\\??",
    () => [bash("uname -a")],
  ),
  rule(
    "(?:which|what) shell (?:am i|are we|is this|do i|do we)(?: (?:using|use|in|running|have))*\\??|(?:what(?:'s| is)|show(?: me)?)(?: the| my)* (?:default )?shell\\??",
    () => [bash("echo $SHELL")],
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
    "(?:how much (?:free )?(?:disk )?space(?: is (?:left|free|there))?.*|(?:show|check)(?: me)?(?: the)? (?:free )?disk (?:space|usage))\\??",
    () => [bash("df -h .")],
  ),
  rule("(?:show|list|print|which|what)(?: me)?(?: are)?(?: all)?(?: the)?(?: running)? processes(?: are running)?\\??", () => [
    bash("ps -ef"),
  ]),
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
  "(?:everything|it|this|that|them|all|changes|all (?:the |my |of the |our )?(?:changes|files|work|edits|code)|(?:the|my|our) (?:changes|work|code|files|edits))";
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
  rule(
    `(?:git )?push(?: (?:it|everything|this|(?:the |my |our )*(?:changes|commits?|work|branch|code)))?(?: to ${BRANCH}(?: ${BRANCH})?)?,? ${FORCE}|(?:git )?(?:force[- ]push|push ${FORCE})(?: (?:it|everything|this|(?:the |my |our )*(?:changes|commits?|work|branch|code)))?(?: to ${BRANCH}(?: ${BRANCH})?)?`,
    ([, one, two, three, four]) =>
      (one ?? three) === undefined ? [bash("git push --force")] : gitNames("git push --force", one ?? three ?? "", two ?? four),
  ),
  rule(
    "(?:how many|count(?: all)?(?: the)?|number of) commits(?: (?:are|do we have|do i have|have we|has it|does it have|exist))?(?: there)?(?: (?:in|on) .+)?\\??",
    () => [bash("git rev-list --count HEAD")],
  ),
  rule(
    "(?:what|which files)(?: (?:did|has|was|were|is|are))?(?: (?:changed )?(?:in|by))?(?: (?:the|my|our))? (?:last|latest|newest|most recent|previous) commit(?: (?:change|changed|do|did|about|touch))*\\??",
    () => [bash("git show --stat HEAD")],
  ),
  rule(
    "(?:is|are|have|has|do|did)(?: (?:there|i|we|you|it))*(?: (?:have|got))?(?: (?:any|anything|something|some|everything|all|still))*(?: (?:changes?|files?|work|left|to be))* (?:uncommitted|unstaged|untracked|committed|dirty|to commit|not committed|modified)(?: (?:changes?|files?|work|yet|here|left))*\\??|anything (?:to commit|uncommitted)\\??",
    () => [bash("git status")],
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
    `(?:git )?tag(?: (?:this|it|the (?:current |last |latest )?(?:commit|version|state)|HEAD))?(?: (?:as|with|by))? ${BRANCH}|(?:make|create|add|set)(?: an?| the)?(?: new)?(?: git)? tag(?: (?:called|named))? ${BRANCH}`,
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
  rule("(?:git )?amend(?: (?:it|that|(?:the |my )?(?:last |latest )?commit))?(?: (?:with|by) (?:the |my |these |all )*changes)?", () => [
    bash("git commit --amend --no-edit"),
  ]),
  rule(`${SHOW} (?:git )?tags\\??|(?:what|which) tags (?:are there|do we have|exist)\\??`, () => [bash("git tag")]),
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
    `${SHOW} (?:git |commit |last |latest |recent |previous |version |project )*(?:history|log|commits|commit log)(?: of (?:the|this) (?:project|repo|repository))?\\??|git history|(?:what|which) (?:were|are) the (?:last|latest|recent) (?:commits|changes)\\??`,
    () => [bash("git log --oneline -20")],
  ),
  rule(
    `(?:${SHOW}|what (?:were|are) the|which (?:were|are) the) (?:(?:last|latest|newest|most recent|recent|previous) (\\d+|two|three|four|five|ten)|(\\d+|two|three|four|five|ten) (?:last|latest|newest|most recent)) (?:git )?commits\\??`,
    ([, one, other]) => [bash(`git log --oneline -${COUNTS[(one ?? other ?? "").toLowerCase()] ?? one ?? other}`)],
  ),
  rule(`${SHOW} (?:last|latest|newest|most recent) commit\\??|what was the last commit\\??`, () => [bash("git show --stat HEAD")]),
  rule(
    `${SHOW} (?:git |current |working )*(?:diff|differences?|changes)(?: (?:i|we|you) (?:made|have made|did))?(?: in git| so far)?\\??|(?:what (?:has |have |did )?(?:i |we |you |was |were )?change[ds]?(?: in (\\S+))?(?: (?:here|so far|today|lately|recently|since (?:the )?last commit))?)\\??|what is (?:different|new)(?: here)?\\??`,
    ([, phrase], about) => {
      const file = phrase === undefined ? undefined : fileOf(phrase, about);
      return phrase === undefined
        ? [bash("git status --short && git diff")]
        : file === undefined
          ? undefined
          : [bash(`git diff ${shellWord(file)}`)];
    },
  ),
  rule(
    `${SHOW} (?:git |repo |repository |working tree )*status(?: of (?:git|the repo|the repository|the project|this repo|this repository))?\\??|(?:is|are) (?:there )?(?:the |my |any |everything )*(?:uncommitted changes|working tree|repo|repository|working tree clean|committed|clean)(?: clean)?\\??|git state|status`,
    () => [bash("git status")],
  ),
  rule(
    "(?:what|which|on which|on what|show|tell|print)(?: me)?(?:'s| is)?(?: the| my)?(?: current| git)* branch(?: (?:am i on|are we on|is this|am i|are we|is it|i am on|is active))?\\??",
    () => [bash("git branch --show-current")],
  ),
  rule(`${SHOW} (?:git |local |available )*branches\\??|(?:what|which) branches (?:are there|do we have|exist)\\??`, () => [
    bash("git branch --all"),
  ]),
  ...COMMIT.map(whole),
  rule(
    "(?:stage|git add|add)(?: all| everything| all (?:the |my )?(?:changes|files)| the changes)(?: to (?:git|the index|the staging area))?",
    () => [bash("git add -A")],
  ),
  rule(
    "(?:make|create|start|open|new)(?: me)?(?: an?| the)?(?: new)?(?: git)? branch(?: called| named)? (\\S+)|(?:make|create)(?: an?)?(?: new)? (\\S+) branch",
    ([, one, other], { quotes }) => [bash(`git switch -c ${shellWord(quotes.value(one ?? other ?? ""))}`)],
  ),
  rule(
    "(?:git )?push(?: (?:it|everything|all|this|(?:the |my |our |all )*(?:changes|commits?|work|branch|code)))?(?: (?:up|now))?(?: to (?:the )?(?:remote|server|github|gitlab|upstream)(?: (?:server|repo|repository))?)?",
    () => [bash("git push")],
  ),
  rule("(?:git )?push(?: (?:it|everything|my \\w+|the \\w+))? to (\\S+)(?: (\\S+))?", ([, remote = "", branch]) =>
    gitNames("git push", remote, branch),
  ),
  rule("(?:git )?push (?:the branch )?(\\S+) to (\\S+)", ([, branch = "", remote = ""]) => gitNames("git push", remote, branch)),
  rule(
    "(?:git )?pull(?: (?:it|everything|all|(?:the |all |latest |newest |new )*(?:changes|commits|version|code|updates)))?(?: from (?:the )?(?:remote|server|github|gitlab))?|(?:get|fetch) the (?:latest|newest) (?:changes|commits|version)(?: from git)?",
    () => [bash("git pull")],
  ),
  rule("(?:git )?pull(?: \\S+)? from (\\S+)(?: (\\S+))?", ([, remote = "", branch]) => gitNames("git pull", remote, branch)),
  rule(
    "(?:git )?stash(?: away)?(?: (?:it|this|that|everything|all|(?:all )?(?:the |my |our )*(?:changes|work|edits|files)))?(?: away)?",
    () => [bash("git stash")],
  ),
  rule(
    "(?:unstash|pop|apply|restore|get|bring|take|give)(?: me)?(?: back)?(?: (?:it|(?:the |my |last )*(?:stash|stashed changes)))(?: back| again| out)?|unstash|stash pop",
    ([whole = ""]) => (/stash/i.test(whole) ? [bash("git stash pop")] : undefined),
  ),
  rule("(?:list|show)(?: me)?(?: all)?(?: the| my)? stash(?:es)?", () => [bash("git stash list")]),
  rule("(?:revert|take back)(?: the| my| our)? (?:last|latest|newest|most recent|previous) commit", () => [
    bash("git revert --no-edit HEAD"),
  ]),
  rule("revert(?: the)? commit ([0-9a-f]{4,40}|HEAD[~^\\d]*)", ([, commit = ""]) => [bash(`git revert --no-edit ${commit}`)]),
  rule("(?:make|create|initiali[sz]e|start|init)(?: an?)?(?: new)?(?: empty)? git(?: repo(?:sitory)?)?|git repo(?:sitory)? here", () => [
    bash("git init"),
  ]),
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
