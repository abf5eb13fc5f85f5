/** Sentences about who does what: to-do lists, subagents and teammates, worktrees, and any other tool by its name. */

import { type About, bare, type Draft, isFileName, isQuoted, NUMBERS, type Reading, type Rule, rule, type Todo, textOf } from "./phrase.ts";

// --- lists of things to do ---

const MOST_ITEMS = 20;
const LIST =
  "(?:to[ -]?do(?:s|'s)?(?: list| items?)?|tasks?(?: list)?|task ?list|check ?list|list of (?:tasks|things to do|to[ -]?dos|todos)|plan(?! mode)|work ?plan)";

function items(text: string, { quotes }: About): readonly string[] {
  const parts = text
    // A title before the items is none of them.
    .replace(/^[^,;:\n]*:\s+(?=\S)/, "")
    .split(/\s*(?:[,;\n•]|(?:^|\s)\d+[.)]\s|\s-\s|\s+and then\s+|\s+then\s+|\s+and\s+)\s*/i)
    .map((part) =>
      quotes.value(
        part
          .trim()
          .replace(/^(?:\S+ )?(?:items?|things?|steps?|tasks?|points?|entries)\s*:\s*/i, "")
          .replace(/^(?:and|then|first|second|third|finally|next|to|also|after that|-|\*)\s+/i, "")
          .replace(/[.:]$/, ""),
      ),
    )
    .filter((part) => part !== "");
  return [...new Set(parts)].slice(0, MOST_ITEMS);
}

function todo(content: string, status: Todo["status"] = "pending"): Todo {
  return { content, status, activeForm: content };
}

/** Tasks where there are tasks, else the simple list, which is always written whole. */
function note(contents: readonly string[], about: About, old: readonly Todo[] = []): Reading {
  if (contents.length === 0) return "What belongs on the list? Say: make a to-do list: write tests, fix the bug, deploy.";
  const unclear = contents.find((content) => /^(?:it|them|this|that|these|those|all of (?:it|them)|everything)$/i.test(content));
  if (unclear !== undefined)
    return `What is "${unclear}"? I put on a list what I am told in words. Say: make a to-do list: write tests, fix the bug.`;
  if (about.tools?.has("TaskCreate"))
    return contents.map((subject) => ({ tool: "TaskCreate", purpose: "note", input: { subject, description: subject } }));
  const fresh = contents.filter((content) => !old.some((one) => one.content === content));
  return [{ tool: "TodoWrite", purpose: "note", input: { todos: [...old, ...fresh.map((content) => todo(content))] } }];
}

function mark(number: number, status: Todo["status"] | "deleted", about: About): Reading {
  if (about.tools?.has("TaskUpdate")) return [{ tool: "TaskUpdate", purpose: "note", input: { taskId: String(number), status } }];
  if (!about.todos[number - 1])
    return `There is no item ${number} on the list${about.todos.length === 0 ? ": it is empty" : ""}. Say: make a to-do list: a, b, c.`;
  const others = about.todos.map((one) =>
    status === "in_progress" && one.status === "in_progress" ? { ...one, status: "pending" as const } : one,
  );
  const todos =
    status === "deleted"
      ? others.filter((_, at) => at !== number - 1)
      : others.map((one, at) => (at === number - 1 ? { ...one, status } : one));
  return [{ tool: "TodoWrite", purpose: "note", input: { todos } }];
}

const ORDINALS: Readonly<Record<string, number>> = {
  first: 1,
  second: 2,
  third: 3,
  fourth: 4,
  fifth: 5,
  one: 1,
  two: 2,
  three: 3,
  last: -1,
};

function itemOf(word: string, about: About): number | undefined {
  const text = word
    .trim()
    .replace(/^(?:the |my )*(?:task|item|to-?do|number|no\.?|#)*\s*#?/i, "")
    .replace(/ (?:task|item|one|to-?do)$/i, "");
  const number = /^\d+$/.test(text) ? Number(text) : ORDINALS[text.toLowerCase()];
  if (number !== undefined) return number < 0 ? about.todos.length : number;
  const names = about.tasks.length > 0 ? about.tasks.map(({ subject }) => subject) : about.todos.map(({ content }) => content);
  const at = named(about.quotes.value(word.trim()), names) ?? named(about.quotes.value(text), names);
  return at === undefined ? undefined : about.tasks.length > 0 ? Number(about.tasks[at]?.id) : at + 1;
}

/** By the words that matter: "wash car" is "wash the car". Where several would do, none is meant. */
function named(wanted: string, names: readonly string[]): number | undefined {
  const words = (text: string): string =>
    text
      .toLowerCase()
      .replace(/\b(?:an?|the|my|our|to|please)\b/g, " ")
      .replace(/\W+/g, " ")
      .trim();
  const same = names.flatMap((name, at) => (words(name) === words(wanted) ? at : []));
  const like =
    same.length > 0 || words(wanted) === "" ? same : names.flatMap((name, at) => (words(name).includes(words(wanted)) ? at : []));
  return like.length === 1 ? like[0] : undefined;
}

const STATES: readonly (readonly [RegExp, Todo["status"] | "deleted"])[] = [
  [
    /^(?:complete|finish|check off|tick off|close|mark .* (?:done|complete|completed|finished)|i (?:have )?(?:finished|completed|did|am done with))/i,
    "completed",
  ],
  [/^(?:start|begin|mark .* (?:in progress|in_progress|started)|work on|i (?:am working on|started|start))/i, "in_progress"],
  [/^(?:delete|remove|drop|cancel)/i, "deleted"],
];

const TODO: readonly Rule[] = [
  rule(
    `(?:show|list|print|display|what(?:'s| is| are)|see|read|give)(?: me)?(?: all)?(?: of)?(?: the| my| our)?(?: open| current)? (?:${LIST}|things to do)(?: (?:now|again|on (?:the|my) list|look like|for today))?\\??|(?:what (?:is|do (?:i|we) have) (?:left )?to do|what(?:'s| is)?(?: (?:still|left|open|next|else))* ?(?:on|in)? ?(?:the|my|our) (?:list|to[ -]?dos?(?: list)?|task ?list|check ?list)|(?:what|which) (?:tasks|to-?dos)(?: (?:do (?:i|we) have|have (?:i|we)|are (?:there|open|left|on (?:the|my) list)))*(?: left| open)?)\\??`,
    (_, about) => {
      if (about.tools?.has("TaskList")) return [{ tool: "TaskList", purpose: "other", input: {} }];
      return about.todos.length === 0
        ? "The to-do list is empty. Say: make a to-do list: a, b, c."
        : `The to-do list: ${about.todos.map(({ content, status }, at) => `${at + 1}. ${content} (${status.replace("_", " ")})`).join("; ")}.`;
    },
  ),
  rule(
    "(?:complete|finish|check off|tick off|close|start|begin|delete|remove|drop|cancel|work on|i (?:have )?(?:finished|completed|did|am done with|started)) ((?:the |my )?(?:task|item|to-?do) #?\\S+|(?:the )?\\S+ (?:task|item|to-?do)|#\\d+)(?: (?:from|on|of|in) (?:the |my )?(?:list|to-?do list))?",
    ([whole = "", word = ""], about) => stateOf(whole, word, about),
  ),
  rule("mark (.+?) (?:as |is )?(?:done|complete|completed|finished|in progress|started)", ([whole = "", word = ""], about) =>
    stateOf(whole, word, about),
  ),
  rule(
    "(?:(?:i|we) (?:have |just |am |'m )*(?:finished|completed|did|done with) (.+)|(.+?) is (?:done|finished|completed)(?: now)?)",
    ([, one, other], about) => {
      const word = one ?? other ?? "";
      const isTask = /task|item|to-?do/i.test(word) || itemOf(word, { ...about, tools: undefined }) !== undefined;
      return isTask ? stateOf("complete", word, about) : undefined;
    },
  ),
  rule(
    `(?:add|put|append|write|note)(?: down)?(?: (?:these|the|following|some|a few|two|three|four|five|\\d+|new|tasks?|items?|things?|steps?|to-?dos?))* (?:to|on|onto|in|into) (?:the |my |our |your |a )?(?:${LIST}|list)(?: *[:–—-] *| +)(.+)`,
    ([, text = ""], about) => note(items(text, about), about, about.todos),
  ),
  rule(
    `(?:add|put|append|write|note)(?: down)? (.+?) (?:to|on|onto|in|into) (?:the |my |our |your |a )?(?:${LIST}|list)`,
    ([, text = ""], about) =>
      note(items(text.replace(/^(?:a |the |new )*(?:task|item|to-?do)(?::| to)? /i, ""), about), about, about.todos),
  ),
  rule(
    "(?:add|create|make|new|open)(?: me)?(?: an?| the| another)?(?: new)? (?:task|to-?do|to-?do item|item)(?: (?:called|named|to|for|about|that says))?:? (?!list\\b|lists\\b)(.+)",
    ([, text = ""], about) => note([about.quotes.value(text.trim())], about, about.todos),
  ),
  rule(
    `(?:make|create|write|start|prepare|give|draw up|set up|set|build|need|want|i (?:want|need)|generate|plan|do|put together|use|keep|track|note|compose)(?: me| us| down| up)?(?: (?:an?|the|my|our|new|short|little|small|simple|these|following|some|this|quick|as|two|three|four|five|six|\\d+))* ${LIST}(?: (?:for me|of|with|about|to|on|for|containing|from|these|the following|following|items|things|tasks|that says|out of|where))*(?: *[:–—-] *| +)(.+)`,
    // "write TODO items to todo.txt" is about a file.
    ([, text = ""], about) => (isFileName(text.trim()) ? undefined : note(items(text, about), about)),
  ),
  rule(
    `(?:${LIST}|things to do|what i have to do|i have to do|we (?:have|need) to do|i need to do|steps|the steps(?: are)?|my tasks(?: are)?|remember)(?: (?:for \\S+(?: \\S+)?|today|tomorrow|are|is|this))?: *(.+)`,
    ([, text = ""], about) => note(items(text, about), about),
  ),
  rule(
    "(?:plan|organi[sz]e|schedule|break down|split up|structure)(?: (?:the|my|our|this|a|next|following|out|two|three|four|five|six|\\d+))* ?(?:work|day|week|steps|tasks?|things|project|job|release|sprint)?(?: (?:in|into)(?: small)?(?: steps| tasks))?(?: (?:with|of|as) (?:these |the following )?(?:steps|tasks))?: *(.+)",
    ([, text = ""], about) => note(items(text, about), about),
  ),
  rule(
    "(?:remind me|remember|don't let me forget|do not forget|note|i (?:must|have to) not forget) (?:to|that(?: i have to| i need to| i must)) (.+)",
    ([, text = ""], about) => note([about.quotes.value(text)], about, about.todos),
  ),
  rule("plan (?:the |my |our |a |this )*(\\S+(?: \\S+){0,3})", ([, text = ""], about) =>
    /^(?:mode|is|was)\b/i.test(text) ? undefined : note([`plan ${about.quotes.value(text)}`], about),
  ),
  rule(`(?:make|create|write|start|i (?:want|need)|give me|need)(?: me)?(?: an?| the| my)?(?: new)? ${LIST}`, (_, about) =>
    note([], about),
  ),
];

function stateOf(whole: string, word: string, about: About): Reading {
  const status = STATES.find(([pattern]) => pattern.test(whole))?.[1];
  const number = itemOf(word, about);
  return status === undefined
    ? undefined
    : number === undefined
      ? `Which one is ${about.quotes.raw(word.trim())}? I know no such task, or several. Say its number: complete task 1.`
      : mark(number, status, about);
}

// --- other agents ---

const AGENT = "(?:sub[- ]?agents?|helper(?: agents?)?|agents?|assistant|worker|explorer)";
const GENERIC =
  /^(?:an?|the|some|another|one|your|my|new|separate|background|helper|sub|fresh|second|other|small|little|different|of|general|general-purpose|single|in)$/i;
const LONGEST_DESCRIPTION = 40;

/** "one to list src, the other to run the tests": each its own. */
function delegateSeveral(count: string, tasks: string, about: About): Reading {
  const each = tasks
    .split(
      /[,;]?\s*(?:and )?\b(?:one|another|the (?:other|first|second|third)|an? (?:second|third))(?: one)?(?: of them)? (?:to|that|which|should|for|must) /i,
    )
    .map((task) => task.trim())
    .filter(Boolean);
  const wanted = NUMBERS[count.toLowerCase()] ?? Number(count);
  if (each.length < 2 || (wanted > 0 && each.length !== wanted))
    return "What should each of them do? Say: use two subagents: one to list src, one to run the tests.";
  const made = each.map((task) => delegate(task, undefined, about));
  return made.every((one) => Array.isArray(one)) ? made.flatMap((one) => one as readonly Draft[]) : made.find((one) => !Array.isArray(one));
}

const SEVERAL = /(?:^|\s)(two|three|four|five|six|\d+|several|multiple|many)\s*$/i;

function delegate(task: string, kind: string | undefined, about: About): Reading {
  const [, count] = SEVERAL.exec(kind?.trim() ?? "") ?? [];
  if (count !== undefined) return delegateSeveral(count, task, about);
  const isBackground = /\bin (?:the )?background\b/i.test(task);
  const words = task
    .replace(/,? ?\bin (?:the )?background\b/i, "")
    .replace(
      /^(?:the task (?:of|to) |the job (?:of|to) |to |that |it |should |must |can |please |and |: )+|^the (?=search|list|count|review|reading|summary)| over$/gi,
      "",
    );
  const prompt = about.quotes.raw(imperative(bare(words)));
  if (prompt === "") return "What should the subagent do? Say: use a subagent to search for TODO.";
  const type = kind
    ?.split(/\s+/)
    .filter((word) => word !== "" && !GENERIC.test(word))
    .at(-1);
  const description = prompt.length > LONGEST_DESCRIPTION ? `${prompt.slice(0, LONGEST_DESCRIPTION)}…` : prompt;
  return [
    {
      tool: "Agent",
      purpose: "delegate",
      input: { description, prompt, ...(type !== undefined && { subagent_type: type }), ...(isBackground && { run_in_background: true }) },
    },
  ];
}

/** "reading a.txt", "that reads a.txt" → "read a.txt". */
export function imperative(text: string): string {
  return text.replace(/^(?:that |which |who |to |it |he |she )?([a-z]+)/i, (whole, word: string) => {
    const verb = baseOf(word.toLowerCase());
    return verb ?? whole;
  });
}

const VERBS =
  "read run execute list find search look show print open create write make delete remove count summarize summarise describe explain replace change rename move copy add append save fix check test build install fetch download review inspect count edit update tell get give use start commit plan analyse analyze go put insert";
const BASES: ReadonlyMap<string, string> = new Map(
  VERBS.split(" ").flatMap((verb) => {
    const stem = verb.replace(/e$/, "");
    const doubled = /^(?:run|get|put|plan|commit|begin)$/.test(verb) ? `${verb}${verb.at(-1)}ing` : `${stem}ing`;
    const third = /(?:ch|sh|x|s|o)$/.test(verb) ? `${verb}es` : /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ies` : `${verb}s`;
    return [
      [doubled, verb],
      [third, verb],
    ] as const;
  }),
);

function baseOf(word: string): string | undefined {
  return BASES.get(word);
}

const TASK_VERB = "(?:read|run|list|find|search|look|show|summari[sz]e|count|check|execute|create|write|delete|explain|describe)\\b";

const AGENTS: readonly Rule[] = [
  rule(
    "(?:start|add|create|invite|hire|spawn|launch|make|get|bring in)(?: me| up)?(?: an?| the| another)?(?: new)? team ?mate(?: (?:called|named|with the name))? (\\S+?),?(?: (?:to|that|who|which|and let (?:him|her|it|them)|for|:))? (.+)",
    ([, name = "", task = ""], { quotes }) => [
      { tool: "Teammate", purpose: "other", input: { name: quotes.value(name), prompt: quotes.raw(imperative(bare(task))) } },
    ],
  ),
  rule(
    "(?:tell|ask|message|send)(?: a message)?(?: to)?(?: the)?(?: team ?mate)? ([\\w-]+) (?:to (?:stop|shut down|end|finish|quit|leave)|to go home)",
    ([, name = ""]) => [{ tool: "SendMessage", purpose: "other", input: { to: name, message: { type: "shutdown_request" } } }],
  ),
  rule(
    "(?:send|write)(?: the| a)?(?: message)? (.+?) to (?:the )?team ?mate ([\\w-]+)|(?:tell|ask|message)(?: the)? team ?mate ([\\w-]+),?(?: (?:to|that))?:? (.+)",
    ([, text, to, other, more], { quotes }) => [
      { tool: "SendMessage", purpose: "other", input: { to: to ?? other ?? "", message: textOf(text ?? more ?? "", quotes) } },
    ],
  ),
  rule(
    "(?:tell|ask|message) (?!(?:me|us|you|them|him|her|it|everybody|somebody|someone|the|an?|my|your|our|this|that|what|how|why|sub-?agents?|agents?|helper)\\b)([a-z][\\w-]{0,31}),?(?: (?:to|that))?:? (.+)",
    ([, to = "", text = ""], { quotes, tools }) =>
      tools?.has("SendMessage") ? [{ tool: "SendMessage", purpose: "other", input: { to, message: textOf(text, quotes) } }] : undefined,
  ),
  rule(
    `(?:delegate|hand(?: over)?|give|assign|pass|outsource|leave|entrust|forward) (.+) (?:to|for) ((?:\\S+ ){0,3}?)${AGENT}`,
    ([, task = "", kind], about) => delegate(task, kind, about),
  ),
  rule(
    `(?:delegate|give|hand|assign)(?: it)?(?: to)? ((?:\\S+ ){0,3}?)${AGENT}(?: the task(?: of| to)?| this task| to|:|,)* (.+)`,
    ([, kind, task = ""], about) => delegate(task, kind, about),
  ),
  rule(
    `(?:use|start|launch|spawn|run|ask|let|have|tell|call|send|fire up|instruct|order|dispatch|with|by|via|using|through|in)(?: up| me)? ((?:\\S+ ){0,3}?)${AGENT}(?: called \\S+)?(?:(?:,? (?:to|that|which|who|and|for|do|should|must|please|so that it|where it|can|will)\\b|[:,])+ ?| (?=${TASK_VERB}))(.+)`,
    ([, kind, task = ""], about) => delegate(task, kind, about),
  ),
  rule(
    `(?:create|make|get|open|need|want|i (?:want|need)|spin up|bring in|kick off|set up)(?: up| me)? ((?:\\S+ ){0,3}?)(?:sub[- ]?agents?|helper(?: agents?)?)(?:(?:,? (?:to|that|which|who|and|for|do|should|must)\\b|[:,])+ ?| (?=${TASK_VERB}))(.+)`,
    ([, kind, task = ""], about) => delegate(task, kind, about),
  ),
  rule(
    `(.+?),? (?:with|in|using|via|through|by|inside|by means of|with the help of|by using) ((?:\\S+ ){0,3}?)${AGENT}`,
    ([, task = "", kind], about) => (kind === undefined || kind.trim() === "" ? undefined : delegate(task, kind, about)),
  ),
  rule(`${AGENT}: ?(.+)`, ([, task = ""], about) => delegate(task, undefined, about)),
  rule(
    `(?:start|use|launch|spawn|call|create|delegate(?: something| it)?(?: to)?|ask|run)(?: (?:an?|the|another|some))? ${AGENT}`,
    (_, about) => delegate("", undefined, about),
  ),
];

// --- anything else by its name ---

const OTHER: readonly Rule[] = [
  rule(
    "(?:enter|create|make|open|start|use|go (?:to|into)|work in|switch to|set up|add)(?: me)?(?: an?| the| my| another)?(?: new)?(?: git)? work ?tree(?: (?:called|named|for|with (?:the )?name))?(?: (\\S+))?",
    ([, name], { quotes }) => [{ tool: "EnterWorktree", purpose: "other", input: name === undefined ? {} : { name: quotes.value(name) } }],
  ),
  rule(
    "(?:leave|exit|close|quit|get out of|go out of|finish|remove|delete|discard)(?: the| this| my)?(?: git)? work ?tree(?: (\\S+))?(?:,?(?: and)? (keep|remove|delete|discard)(?: it)?)?",
    ([whole = "", name, wish = ""]) => [
      {
        tool: "ExitWorktree",
        purpose: "other",
        input: {
          action: /^(?:remove|delete|discard)/i.test(whole) || /remove|delete|discard/i.test(wish) ? "remove" : "keep",
          ...(name !== undefined && !/^and$/i.test(name) && { name }),
        },
      },
    ],
  ),
  rule(
    "(?:use|run|load|apply|invoke|call|start)(?: the| my)? (?:skill (?:called |named )?(\\S+)|(\\S+) skill)(?:(?: with| for| on)(?: the)?(?: arguments?| args)? (.+))?",
    ([, one, other, args], { quotes, tools }) =>
      tools && !tools.has("Skill")
        ? "There are no skills here. One is a folder with a SKILL.md: .claude/skills/NAME/SKILL.md."
        : [
            {
              tool: "Skill",
              purpose: "other",
              input: { skill: quotes.value(one ?? other ?? ""), ...(args !== undefined && { args: quotes.value(args) }) },
            },
          ],
  ),
  rule(
    "(?:leave|exit|end|finish|stop|quit) plan mode(?:[:,]| with(?: the)?(?: plan)?:?| and)? ?(.*)|(?:the|my|your) plan is:? (.+)|present (?:the|your) plan:? ?(.*)",
    ([, one, two, three], { quotes, tools }) =>
      tools && !tools.has("ExitPlanMode")
        ? "There is no plan mode to leave: /plan begins it, and then a plan can be presented."
        : [{ tool: "ExitPlanMode", purpose: "other", input: { plan: quotes.value((one || two || three || "Do what was asked.").trim()) } }],
  ),
  rule(
    "(?:use|call|invoke|run|try)(?: the)? (?:tool )?((?:mcp__[\\w-]+|[A-Z][A-Za-z]+(?=[\\s{]|$)))(?: tool)?(?:(?: with| on| using)?(?: the)?(?: input| arguments?| parameters?)?:? ?(\\{.*\\}|[\\ue000-\\uf8ff]))?",
    ([, name = "", input], about) => {
      const known = about.tools === undefined ? /^mcp__/.test(name) || /^[A-Z]/.test(name) : about.tools.has(name);
      if (!known || (input === undefined && !name.startsWith("mcp__"))) return undefined;
      const given = input === undefined ? {} : parsed(isQuoted(input) ? about.quotes.value(input) : about.quotes.raw(input));
      return given
        ? [{ tool: name, purpose: "other", input: given }]
        : `The input of ${name} is a JSON object. Say: call ${name} with {"name": "value"}.`;
    },
  ),
];

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    // The caller says what an input looks like.
    return undefined;
  }
}

/** These may hold whole sentences, so they come first. */
export const OUTER_RULES: readonly Rule[] = [...TODO, ...AGENTS];
export const OTHER_RULES: readonly Rule[] = OTHER;
