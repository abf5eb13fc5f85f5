/** Sentences about commands: what to run, git, and the web. */

import { best, commands, type Fit, type Intent, intent } from "./intent.ts";
import { commandOf, isProgram, shellLineOf, startOf, withoutSlips } from "./nearest.ts";
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
  resultText,
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

/** How projects name the same script: the usual name first. */
const SCRIPT_NAMES: Readonly<Record<string, readonly string[]>> = {
  "npm run build": ["build", "compile", "bundle"],
  "npm run lint": ["lint", "eslint", "check:lint", "check"],
  "npm run format": ["format", "fmt", "prettier", "prettify"],
  "npm run types": ["types", "typecheck", "type-check", "check-types", "check:types", "types:check", "tsc"],
  "npm start": ["start", "dev", "serve", "server"],
};
const NO_SCRIPTS = 'Say "what scripts are there?" to see those of package.json, and "run npm run NAME" for one of them.';

/** A script of the project under the name that its package.json has for it. */
function script(command: string): Draft {
  const names = SCRIPT_NAMES[command];
  if (names === undefined) return bash(command);
  return {
    tool: "Grep",
    purpose: "prepare",
    input: { pattern: `"(${names.join("|")})" *: *"[^~^0-9]`, path: "package.json", output_mode: "content" },
    next(result) {
      if (result.is_error) return "Say the command itself, for example: run make.";
      const said = resultText(result);
      const name = names.find((one) => said.includes(`"${one}"`));
      if (name === undefined) return `package.json has no script for that (I looked for ${names.join(", ")}). ${NO_SCRIPTS}`;
      return [bash(name === "start" ? command : `npm run ${name}`)];
    },
  };
}

/** What people call the scripts of a project. */
const SCRIPTS: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:all )?(?:the |my |our |unit |all |project'?s? )*(?:tests?|test ?suite|unit tests?|test cases|specs?|checks)(?: suite)?$/i,
    "npm test",
  ],
  [/^(?:the |a |my |project )*(?:build|build script|compilation)$/i, "npm run build"],
  [/^(?:the |a )*(?:linter|lint|linting|lint script)$/i, "npm run lint"],
  [/^(?:the |a )*(?:formatter|format|formatting)$/i, "npm run format"],
  [/^(?:the |a |my |project )*(?:type[ -]?check(?:er|s|ing)?|types|type checks?)(?: script)?$/i, "npm run types"],
  [
    /^(?:the |my |our |this |whole |local )*(?:dev(?:elopment)? ?server|server|app|application|project|program|start script)$/i,
    "npm start",
  ],
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

/** What stands in quotes is the command, exactly; several are run one after the other. */
const QUOTED_COMMANDS = /^[\ue000-\uf8ff](?:(?:,? and(?: then)?|,? then|,) [\ue000-\uf8ff])*$/i;

function run(text: string, about: About): Reading {
  const typed = text.trim();
  const wish = isPrinting(typed) ? typed : typed.replace(ASIDE, "");
  if (QUOTED_COMMANDS.test(wish)) return [...wish.matchAll(/[\ue000-\uf8ff]/g)].map(([mark]) => bash(about.quotes.value(mark).trim()));
  const known = scriptOf(wish) ?? (isProgram(/^\S*/.exec(wish)?.[0] ?? "") ? undefined : scriptOf(withoutSlips(wish)));
  if (known) return [script(known)];
  const file = /^\S+$|^(?:the |this |my )?(?:file|script) /i.test(wish) && !/^[./~]/.test(wish) ? fileOf(wish, about) : undefined;
  const interpreter = file === undefined ? undefined : startOf(file);
  if (file !== undefined && interpreter) return [bash(`${interpreter} ${shellWord(file)}`)];
  const command = commandOf(isPrinting(typed) ? wish : withTarget(wish), about.quotes);
  return command === undefined ? undefined : [bash(command)];
}

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

const COMMAND_INTENTS: readonly Intent[] = [
  ...commands(
    `
    run|execute|start|begin|try|perform|pass|passes|passing|green|work|works|succeed|fail|fails|failing|broken|okay|fine|verify|kick test|suite unit|all|everything|off|case|cases? → npm test
    test|verify|check everything|it|whole|code|project|app|package|program|repo|repository|all → npm test
    build|compile|bundle|rebuild everything|whole|sources|source|run|start|script|compiles|builds|kick|off? → npm run build
    lint|linter|linting run|start|script|everything|files|whole|errors|warnings|over? → npm run lint
    format|formatter|prettify|beautify|reformat run|everything|files|whole|sources|source? → npm run format
    typecheck|type-check|typechecker everything|files|whole|sources|source|run|start|script|pass|passes? → npm run types
    types|type|compiler run|checker|check|errors|start script|pass? → npm run types
    server|app|application|program|project|it|dev start|run|launch|boot|up|spin|fire|serve dev|development|local|fire|up? → npm start
    install|download|fetch|reinstall dependency|packages npm|node|missing|required|all? → npm install
    outdated|old|change|upgrade|update dependency npm? → npm outdated
    where i|we|you|this am|are|is run|running? → pwd
    folder|path|cwd working|current|present|am|are|full → pwd
    who am i → whoami
    user|username|login my|am name|i? → whoami
    date|time|day today|it|clock|today? → date
    operating|os|platform|kernel|machine system|linux|mac|run|running|kind|on? → uname -a
    shell i|we|my|this|default default|run|running? → echo $SHELL
    disk|space how|much|free|left|disk|usage|how-many drive|how|much|free|space? → df -h .
    processes running|run? → ps -ef
    go|cd|move|step up|back folder|level|one|parent? → cd ..
    leave|exit folder current? → cd ..`,
    script,
  ),
  intent("version NAME installed|running|run|number|on|is-there?", ({ name }) => {
    const known = VERSIONED.get(name.toLowerCase());
    return known === undefined ? undefined : [bash(`${known} --version`)];
  }),
  intent("installed|available|is-there|path NAME machine|computer|system|command|program|tool|compiler?", ({ name }) =>
    isProgram(name.toLowerCase()) && !/^(?:file|make|test|find|time|date)$/i.test(name)
      ? [bash(`command -v ${name.toLowerCase()}`)]
      : undefined,
  ),
  intent("go|cd|navigate|enter|jump|hop|step|switch|change|move folder|working|down|back? FOLDERS", goTo),
  intent("go|cd|navigate|enter|jump|hop|step|switch|change|move folder working|down|back? NAME", goTo),
];

/** The command, also where it is only known when package.json was looked at. */
function inBackground(draft: Draft): Draft {
  if (draft.tool === "Bash") return { ...draft, input: { ...draft.input, run_in_background: true } };
  const later = draft.next;
  if (!later) return draft;
  return {
    ...draft,
    next(result) {
      const drafts = later(result);
      return typeof drafts === "string" ? drafts : drafts.map(inBackground);
    },
  };
}

const COMMANDS: readonly Rule[] = [
  rule(`${RUN} ${THE_COMMAND}(.+?)(?: as)? (?:in|into) (?:the )?background`, ([, text = ""], about) => {
    const drafts = run(text, about);
    return Array.isArray(drafts) ? (drafts as readonly Draft[]).map(inBackground) : drafts;
  }),
  rule(
    `(?:run|execute|exec|launch|invoke) ${THE_COMMAND}(.+?) (?:in|inside|from) (?:the )?(?:folder |directory )?(\\S+?\\/|\\S+ (?:folder|directory))`,
    ([, text = "", place = ""], about) => {
      const drafts = run(text, about);
      const folder = about.quotes.value(place.replace(/ (?:folder|directory)$/i, ""));
      if (!Array.isArray(drafts) || /^(?:this|the|current)$/i.test(folder)) return drafts;
      const lines = (drafts as readonly Draft[]).map(({ input }) => String(input["command"] ?? ""));
      return lines.includes("") ? undefined : lines.map((line) => bash(`(cd ${shellWord(folder)} && ${line})`));
    },
  ),
  // "type hello" is a text, "type check everything" no command.
  rule(`type ${THE_COMMAND}(.+)`, ([, text = ""], { quotes }) => {
    const line = shellLineOf(text.trim(), quotes);
    return line === undefined ? undefined : [bash(line)];
  }),
  rule(`(?:(?:re-?)?run|execute|exec|launch|invoke|perform) ${THE_COMMAND}(.+)`, ([, text = ""], about) => run(text, about)),
  rule("(?:start|call|do|try|use|launch|serve|boot|fire up|spin up|start up|bring up) (.+)", ([, text = ""], { quotes }) => {
    const known = scriptOf(text.trim());
    const line = known === undefined ? shellLineOf(text.trim(), quotes) : undefined;
    return known !== undefined ? [script(known)] : line === undefined ? undefined : [bash(line)];
  }),
  rule(`(?:start|call|do|try|use) (?:the |this |a )?(?:shell |bash |terminal )?(?:command|script|program) (.+)`, ([, text = ""], about) =>
    run(text, about),
  ),
  rule(
    "(?:run|execute|start|launch) (?:the )?(?:file |script )?(\\S+) (?:with|using|in|through) (node|python3?|bash|sh|deno|bun|tsx|ruby)",
    ([, name = "", program = ""], about) =>
      onFile(name, about, (file) => [bash(`${program === "python" ? "python3" : program} ${shellWord(file)}`)]),
  ),
  rule("test", () => [bash("npm test")]),
  rule(
    "(?:run|execute|start)(?: only| just)?(?: all)?(?: the| my)?(?: unit)? tests?(?: file)?(?: only)? (?:in|of|from|for)? ?(?:the )?(?:file )?(\\S+\\.\\w+)(?: only)?|test(?: only)? (\\S+[./](?:test|spec)\\.\\w+)",
    ([, one, other], about) => onFile(one ?? other ?? "", about, (file) => [bash(`npm test -- ${shellWord(file)}`)]),
  ),
  rule("add (\\S+) (?:as an?|to (?:the|my|our)) (dev(?:elopment)? ?)?dependenc(?:y|ies)", ([, name = "", isDev], { quotes }) => [
    bash(`npm install ${isDev === undefined ? "" : "--save-dev "}${shellWord(quotes.value(name))}`),
  ]),
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
    "(?:what(?:'s| is| does)|show(?: me)?|print|tell me|echo)(?: in)?(?: the| my)*(?: value of)?(?: the| my)*(?: environment| env)?(?: variable)? \\$?([A-Z][A-Z0-9_]+)(?: (?:variable|set to|contain|set))*\\??",
    ([whole = "", name = ""]) =>
      /^[A-Z][A-Z0-9_]+$/.test(name) &&
      (name.includes("_") || /variable|\$|^what(?:'s| is) (?:my|the value)/i.test(whole) || name === "PATH" || name === "HOME")
        ? [bash(`echo "$${name}"`)]
        : undefined,
  ),
  rule(
    "(?:print|say|echo|output) ([\\ue000-\\uf8ff])(?: (?:in|on|to|with) (?:the )?(?:shell|terminal|screen|console|bash))?",
    ([, text = ""], { quotes }) => [bash(`echo ${shellWord(quotes.value(text))}`)],
  ),
];

/** "move src up" and "update all packages" name a folder and go nowhere: the sentence begins with going, and a thing that is moved is no place. */
function goTo({ name, head }: Pick<Fit, "name" | "head">): Reading {
  const isGoing = /^(?:go|cd|navigate|enter|jump|hop|step)\b/i.test(head);
  const isSaid = head.split(" ").includes(name);
  const isChange = /^(?:switch|change|move)\b/i.test(head) && (!isSaid || /^(?!move)(?=.*\b(?:folder|directory|dir)\b)/i.test(head));
  if (!isGoing && !isChange) return undefined;
  return /^(?:on|ahead|away|back|home|to|the|a|for|it|this|there|sleep|down|up|wild|fast)$/i.test(name) ||
    !/^[\p{L}\p{N}_./~@-]+$/u.test(name)
    ? undefined
    : [bash(`cd ${shellWord(name)}`)];
}

// --- git ---

const GIT_INTENTS: readonly Intent[] = [
  ...commands(`
    who wrote|contributors|contributed|works|worked code|all|project|git|here|most|on|it? → git shortlog -sn HEAD
    who last|newest|recent commit made|did|wrote|author|authored|committed|most|recent? → git log -1 --format='%h %an %ad %s'
    when last|newest|recent commit made|happen|most? → git log -1 --format='%h %an %ad %s'
    count commits git|is-there? → git rev-list --count HEAD
    uncommitted|unstaged|untracked|dirty|committed|clean|unsaved|pending change|files|file|work|left|yet|everything|working|tree|git|not|is-there? → git status
    commit anything|something|what left|yet|git|is-there? → git status
    status|state git|tree|working? → git status
    last|newest|recent|previous commit happen|happened|did|change|touch|touched|file|mention|most|git|did? → git show --stat HEAD
    history|log|commits git|commit|last|newest|recent|version|previous|most? → git log --oneline -20
    change last|newest|recent most? → git log --oneline -20
    compare|change|touch|touched|new git|working|file|today|lately|recently|made|uncommitted|work? → git status --short && git diff
    change|compare|new|done since commit last|newest|file? → git status --short && git diff
    branch git|active|checked|out|working? → git branch --show-current
    branches git|local|remote|other|is-there? → git branch --all
    tags git|releases|is-there? → git tag
    remote|remotes|origin git|url|address? → git remote -v
    stash|stashes list|show|what|which git? → git stash list
    stash|stashed|unstash|unstashed pop|apply|restore|back|bring|unstash|out again|change|last|git|work|take? → git stash pop
    stash|shelve git|away|change|work|file|everything|uncommitted? → git stash
    amend git|last|newest|commit|change? → git commit --amend --no-edit
    revert|undo|back commit last|newest|recent|previous|take|most? → git revert --no-edit HEAD
    stage|add all|everything|change|file git|index|staging|area? → git add -A
    unstage|reset everything|all|files|index|staged git|change? → git restore --staged .
    push git|change|commits|commit|work|branch|everything|up|remote|server|github|gitlab|upstream|code? → git push
    pull git|change|commits|newest|new|version|updates|everything|remote|server|github|gitlab|code? → git pull
    newest change|commits|version fetch|git? → git pull
    git init|initialize|initialise|create|start|new|empty repo|repository|new|empty? → git init`),
  intent("change|compare git|commit|last|since|lately|recently|today? FILES", ({ files, words, head }) =>
    (files.length > 1 && words.has("compare")) || words.has("last") || /^(?:edit|change|modify|update)\b/i.test(head)
      ? undefined
      : ofFiles("git diff", files),
  ),
  intent("history|log|commits|commit|versions|version git|change|touched|last|newest|recent|version|versions? FILES", ({ files }) =>
    ofFiles("git log --oneline -20", files),
  ),
  intent("who change|wrote|written|create|author|committed|worked|last|did|made|touched last|author|it|on|to? FILES", ({ files }) =>
    ofFiles("git log --format='%h %an %ad %s' --date=short -20", files),
  ),
  intent("commits last|newest|recent|previous|git|history? NUMBERS", ({ numbers: [number] }) => [bash(`git log --oneline -${number}`)]),
  intent("stage|add index|staging|area|git? FILES", ({ files, words, head }) =>
    ["stage", "git", "index", "staging"].some((word) => words.has(word)) || /^git add\b/i.test(head)
      ? [bash(`git add -- ${files.map(shellWord).join(" ")}`)]
      : undefined,
  ),
  intent("blame|annotate git|line? FILES", ({ files }) => ofFiles("git blame", files)),
  intent("unstage git? FILES", ({ files }) => [bash(`git restore --staged -- ${files.map(shellWord).join(" ")}`)]),
  intent("tag git|commit|version|release|state|newest|last|create? NAME", (found) => branchLine("git tag", found)),
  intent("delete|remove|drop branch git|local? NAME", (found) => branchLine("git branch -d", found)),
  intent("merge branch|git? NAME", (found) => branchLine("git merge", found)),
  intent("create|new|start branch git|switch|go|checkout|check|change? NAME", (found) => branchLine("git switch -c", found)),
  intent("switch|go|checkout|change|move|return|check|get branch git|back|previous|last? NAME?", (found) =>
    branchLine("git switch", found.name === "" ? { ...found, name: /\b(?:previous|last)\b/i.test(found.head) ? "-" : "" } : found),
  ),
  intent("switch|go|checkout|check back? NAME", (found) =>
    /^(?:main|master|develop|trunk)$/i.test(found.name) ? branchLine("git switch", found) : undefined,
  ),
];

function ofFiles(command: string, files: readonly string[]): Reading {
  return files.map((file) => bash(`${command} -- ${shellWord(file)}`));
}

/** A sentence that begins with the name does not say what is done with it. */
function branchLine(command: string, { name, head }: Pick<Fit, "name" | "head">): Reading {
  return name === "" || head === name || head.startsWith(`${name} `) || /^(?:it|this|that|them|everything|conflicts?)$/i.test(name)
    ? undefined
    : [bash(`${command} ${name === "-" ? name : shellWord(name)}`)];
}

const BRANCH = "([\\w./-]+|[\\ue000-\\uf8ff])";
const FORCE = "(?:with (?:the )?(?:option |flag |switch )?(?:--force|-f|force)|--force|by force|forcefully)";

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
  rule(
    `(?:git )?push(?: (?:it|everything|this|(?:the |my |our )*(?:changes|commits?|work|branch|code)))?(?: to ${BRANCH}(?: ${BRANCH})?)?,? ${FORCE}|(?:git )?(?:force[- ]push|push ${FORCE})(?: (?:it|everything|this|(?:the |my |our )*(?:changes|commits?|work|branch|code)))?(?: to ${BRANCH}(?: ${BRANCH})?)?`,
    ([, one, two, three, four]) =>
      (one ?? three) === undefined ? [bash("git push --force")] : gitNames("git push --force", one ?? three ?? "", two ?? four),
  ),
  ...COMMIT.map(whole),
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

/** `grep word` without a file: the tool looks through the project. */
const GREP = rule("grep (?:-[rniw]+ )*(?!for\\b|-)([^\\s|]+)(?: \\.)?", ([, text = ""], { quotes }) => [
  { tool: "Grep", purpose: "search", input: { pattern: literally(quotes.value(text)), output_mode: "content" } },
]);

export const COMMAND_RULES: readonly Rule[] = [GREP, ...GIT, ...COMMANDS, best([...GIT_INTENTS, ...COMMAND_INTENTS])];

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
