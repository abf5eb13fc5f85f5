/** Sentences that this model can do nothing about, and knows who can: they are answered with what to say or type instead. */

import { EVENT_NAMES, EVENTS } from "../../catalogue/index.ts";
import { withOwnCommand } from "../../diagnostic.ts";
import { best, intent } from "./intent.ts";
import { fileOf, type Rule, rule, shellWord } from "./phrase.ts";

/** Words that name nothing: `a file` is no file called "a", `something` is no text. */
const ANY_ONE = "(?:an?|one|some|any|another|new|more)";
const ANY_KIND = `(?:${ANY_ONE}|empty|blank|text|test|small|simple|short|single|random|sample|temporary|other|extra|whole)`;
const ANY_PLACE = "(?:(?:sub)?(?:folder|directory|dir|directories)|file|document)s?";
const ANY_TEXT = `(?:(?:${ANY_KIND} )*(?:something|anything|stuff|text|contents?)|${ANY_ONE} (?:${ANY_KIND} )*(?:line|word|sentence|paragraph|phrase|string)s?)`;
/** Up to the end, and no text is given there. */
const NO_TEXT = "(?!.*(?::|\\b(?:saying|with|containing|reading|that says|which says)\\b|[\\ue000-\\uf8ff]$)).+";

const CANNOT_CODE =
  'I cannot write or judge code: I am a grammar of plain sentences. With a key (ANTHROPIC_API_KEY) a language model answers. What I can do is exact: replace A with B in FILE, add a line "TEXT" to FILE, run npm test.';
const BACKGROUND =
  "I have no tool for commands in the background: each was told with its number and the file of its output when it was started, and all of them end with the session. Say: read FILE, for its output.";

const UNNAMED: readonly Rule[] = [
  rule(
    "(?:kill|stop|end|cancel|abort|terminate|quit) (?:shell_\\d+|(?:the |all |my |every )*(?:background (?:jobs?|commands?|tasks?|shells?|process(?:es)?)|(?:jobs?|commands?|tasks?|process(?:es)?) in (?:the )?background))|(?:what|which \\w+)(?:'s| is| are)(?: still)? running in (?:the )?background\\??",
    () => BACKGROUND,
  ),
  rule(
    "!\\s*(\\S.*)",
    () => "A line with ! in front belongs to the conversation: there it is run by you. Say it without the sign, and I run it.",
  ),
  rule(
    "(?:what(?:'s| is)|calculate|compute|how much is)? ?[\\d.()\\s]+(?:[*x+/÷×-][\\d.()\\s]+)+[=?\\s]*",
    () => 'I do not calculate: I am a grammar of plain sentences. A shell can: say "run `node -p 17*23`".',
  ),
  rule("(?:update|fix|adjust|correct)(?: all| the| its| my| our)* (?:imports?|references|callers|usages)(?: .+)?", () => CANNOT_CODE),
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
    `(add|put|write|append|insert|save|store|type|paste|enter) ${ANY_TEXT} ((?:to|in|into|inside|on|at|before|after|above|below)\\b ${NO_TEXT})`,
    ([, verb = "", place = ""]) => `Which text? Put it in quotes: ${verb} "TEXT" ${place}.`,
  ),
  rule(
    `(delete|remove|erase) (?!an? line\\b)${ANY_TEXT} ((?:from|in|of) ${NO_TEXT})`,
    ([, verb = "", place = ""]) => `Which text? Put it in quotes: ${verb} "TEXT" ${place}.`,
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
  'I cannot undo: I keep no copies of what was changed. With `"use": ["file-history"]` in .hookloop/hooks.json hookloop keeps them, and `/undo` puts them back. Where git does, `git diff` shows what is different, and `git restore FILE` throws away every change of that file since the last commit, for good. To take back a commit, say `revert the last commit`.';

const hint = (pattern: string, text: string): Rule => rule(pattern, () => withOwnCommand(text));
const typed = (command: string): string => `That is a command of the conversation: type ${command}.`;

/** What a question is about, in any words, and the answer. */
const ANSWERS: readonly (readonly [spec: string, answer: string])[] = [
  ["how|can quit|exit|leave|stop|end|out session|conversation|agent|do?", 'Say "exit", or press Ctrl-D.'],
  ["hook|guard write|make|create|add|start|configure|build|declare|install|setup ANY", WRITE_A_HOOK],
  ["hook|guard block|prevent|forbid|deny|protect|intercept|log how|can|possible|could ANY", WRITE_A_HOOK],
  [
    "hook can|could|good what do|for?",
    "A hook can block a tool call or a prompt, ask you about it, change its input or its result, tell the model something, keep the agent going, and watch. `hookloop events NAME` says what is possible at each moment.",
  ],
  [
    "event which|what|list|show ANY",
    '`hookloop events` lists all of them, and `hookloop events PreToolUse` describes one. Here: say "run hookloop events".',
  ],
  [
    "hook|guard approve|trust|review|allow|enable|accept ANY",
    "Only you approve hooks, in a terminal of your own: `hookloop trust review` shows each with its files and asks. The next start of a conversation asks as well.",
  ],
  [
    "hook|guard turn|switch|disable|deactivate|stop|skip|bypass ANY",
    "Only you can: `HOOKLOOP_DISABLE=NAME` before the command that starts the session switches a hook off for that run. /hooks shows their names. For good, take the entry out of the file that /hooks names.",
  ],
  [
    "guard explain|describe|what",
    'A guard is a hook that keeps something from happening: with "guard": true it blocks also where it fails or cannot run. /hooks shows which hooks are guards.',
  ],
  [
    "exit code|codes|status mean|means|stand|hook|which? NUMBERS?",
    "A hook that exits with 0 is fine, and its JSON on stdout is its answer. With 2 it blocks, and stderr is the reason. With any other code it has failed: a guard blocks then, and without any other hook the call continues. `hookloop events NAME` says what 2 means at each moment.",
  ],
  [
    "hook|guard test|try|check|debug ANY",
    "Ask for what it is about, for example `run rm notes.txt` for a guard of `rm`: what the hook did is shown, /why explains it, and /debug hooks shows every step. In a test: callHook and runHookFile of @hookloop/sdk/testing.",
  ],
  [
    "hook which|list|show|is-there|count|active|see running|loaded|configured|registered|on|current|active|kind|have|installed|will?",
    "Type /hooks: it shows every hook, where it is declared, and whether it will run. Outside of a conversation: `hookloop trust`.",
  ],
  [
    "hook explain|describe|tell|what|how work|mean|is|about?",
    "A hook is a program of yours that is run at a certain moment: before a tool is used, when a prompt is sent, at the end. It can block, ask, or add something. Type /hooks for those of this session; `hookloop events` lists the moments.",
  ],
  [
    "why|who|what|come block|blocked|deny|denied|refuse|refused|stopped|forbidden|forbid|allowed|reject|rejected|decide|decided|happen|happened|not|command|call|prompt|asked? ",
    "Type /why: it explains the last verdict, with every hook that was asked.",
  ],
  ["compact|shorten|compress conversation|context|history|session|chat", typed("/compact")],
  ["clear|reset|forget|restart|over conversation|context|chat|session|history|start?", typed("/clear")],
  ["plan|planning mode switch|enter|start|use|turn|on|go|how|can?", typed("/plan")],
  ["permission|permissions|rules|mode which|what|show|list|current rules|permission?", typed("/permissions")],
  ["resume|continue|open|go session|conversation last|earlier|previous|old|on", typed("/resume")],
  ["translate ANY", "I cannot translate: I am a grammar of plain sentences. With a key (ANTHROPIC_API_KEY) a language model does."],
];

/** "why" alone, but not every question with "what". */
const NO_VERDICT =
  /^(?:who|what)\b(?!.*\b(?:block|den|refus|stopp|forb|reject|decid|allow|happened))|^(?:why|what|who)\b.*\b(?:tests?|build)\b/i;

const answers = best(
  ANSWERS.map(([spec, answer]) =>
    intent(spec.trim(), ({ head, files }) => {
      const isOther =
        (files.length > 0 && /^(?:hook|event)/.test(spec)) ||
        (answer.startsWith("Type /why") && (NO_VERDICT.test(head) || !/^(?:why|how come|who|what)\b/i.test(head)));
      // Somebody else should write it.
      return isOther || (answer === WRITE_A_HOOK && /^\w+ me\b/i.test(head)) ? undefined : withOwnCommand(answer);
    }),
  ),
);

const CHANGE = "(?:changes?|edits?|step|thing|one|action|command|deletion|move|rename|work|write|commit)";

export const HINT_RULES: readonly Rule[] = [
  ...UNNAMED,
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
    "google(?: for)? .+|(?:(?:search|browse|look up|surf)(?: something)?(?: (?:on|in))?|look|find(?: out)?|check)(?: .+)?(?: (?:on|in))? (?:the )?(?:web|internet|google|stack ?overflow)(?: (?:for|about|how|what)\\b.+)?",
    "I cannot search the web: I am a grammar of plain sentences, with no network. A page whose address you know: say fetch https://example.com (a rule must allow it).",
  ),
  hint("(?:the |my )?tasks", typed("/tasks")),
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
  answers,
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
  hint(
    "(?:fix|debug|solve|repair|find|investigate)(?: (?:the|a|this|that|all|any|my|every|some))*(?: [^\\s.]+){0,4}? (?:bugs?|errors?|issues?|problems?|failing tests?|failures?|crash(?:es)?|mistakes?|tests?)(?: .+)?|(?:write|implement|create|add|make|generate|develop|code|program|design)(?: me)?(?: (?:an?|the|some|more|new|good|simple|small|unit|another|missing))* (?:functions?|class(?:es)?|methods?|components?|programs?|apps?|applications?|features?|(?:unit )?tests?|algorithms?|code|hooks?|api|websites?|servers?|scripts? (?:that|which|to))(?: .+)?|(?:refactor|optimi[sz]e|improve|implement|clean up|simplify|review|document|port|rewrite|debug) .+|make (?:it|this|that|the \\w+) (?:better|faster|shorter|work|cleaner|nicer|simpler)",
    CANNOT_CODE,
  ),
];
