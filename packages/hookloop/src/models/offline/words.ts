/** Words that mean the same, and rules that need words in any order instead of one way to say it. */

import { bare } from "./phrase.ts";
import { imperative } from "./rules-work.ts";

/** Verbs that people use for the plain one; where the plain one is known, they are too. */
const VERBS: readonly (readonly [plain: string, others: string])[] = [
  [
    "show",
    "let me (?:see|view|look at|have a look at|read|check)|(?:take|have|get|give me) a (?:quick |closer |short )?(?:look|peek|glance) (?:at|in|into|inside)|peek (?:at|in|into|inside)|(?:pull|bring) up|check out|look (?:at|inside|into)|display|view|inspect|dump|output|reveal|go over|fetch me|hand me|get me",
  ],
  [
    "delete",
    "remove|erase|trash|get rid of|throw (?:away|out)|wipe(?: out)?|nuke|bin|ditch|scrap|zap|dispose of|eliminate|drop|cut(?: out)?|strip(?: out)?|take out|kick out",
  ],
  ["create", "make|generate|set up|produce|spin up|whip up|put together|initiali[sz]e|bring into being"],
  ["replace", "substitute|swap(?: out)?|exchange|switch(?: out)?"],
  ["change", "modify|update|alter|adjust|tweak|turn|convert|bump|flip|switch|(?:increase|raise|lower|reduce|decrease)(?=.* to )"],
  ["add", "append|insert|put|place|attach|include|stick|tack on|throw in|drop in|slap|jot down|write down|note down|tag on"],
  ["move", "relocate|transfer|shift|mv|drag|bring|stick|drop|put"],
  ["copy", "duplicate|clone|cp|make a (?:copy|duplicate) of|replicate"],
  ["run", "execute|exec|launch|invoke|fire (?:off|up)|kick off|trigger|start(?: up)?|boot(?: up)?"],
  ["search for", "look (?:for|up)|hunt (?:for|down)|scan for|grep(?: for)?|seek|check for|find|locate|track down|spot"],
  ["find", "locate|track down|hunt down|search for|look for|where(?:'s| is| are)"],
];
const SYNONYMS: readonly (readonly [RegExp, string])[] = VERBS.map(([plain, others]) => [new RegExp(`^(?:${others}) `, "i"), `${plain} `]);

/** The wish with its verb in the plainest word, for each that it could be. */
function plainVerbs(wish: string): readonly string[] {
  return SYNONYMS.flatMap(([pattern, plain]) => (pattern.test(wish) ? wish.replace(pattern, plain) : []));
}

/** The same wish in other words, plainest first: rules need not know every order of words that people use. */
export function spellings(wish: string): readonly string[] {
  const found = new Set([wish]);
  for (const [pattern, plain] of OTHER_WORDS) {
    for (const one of [...found]) found.add(imperative(bare(one.replace(pattern, plain))));
  }
  return [...found, ...[...found].flatMap(plainVerbs)];
}

const FILE_THERE = "((?:the |my |a |this )?(?:file |script )?\\S*[.\\ue000-\\uf8ff]\\S*|(?:the )?readme)";
const CHANGING = "replace|change|substitute|swap|rename|convert|turn|fix|correct|remove|delete|use|set|update";
const ADDING = "add|append|insert|put|write";
const IN_FILE = `^(?:in|inside|within|for|(?:edit|open|modify|update|change|take|go to)(?: the file)?) ${FILE_THERE}(?:,? and(?: then)?|[:,;]| so that| to)? (?:there |please |you )?`;
const PLAIN_VALUE = "(\\d[\\w.-]*|true|false|null|[\\ue000-\\uf8ff])";
const OTHER_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^gimme\b/i, "give me"],
  [
    /^((?:delete|remove|erase) .+?)(?:,? (?:and|with|including) (?:everything|all|all the files|all files|whatever is|its contents?|all its contents?|the files)(?: (?:that is )?(?:in|inside)(?: it)?)?)$/i,
    "$1",
  ],
  [/^(rename|move|copy) (\S+\.\w+) (?:in|from|inside) (?:the )?([\w/-]+)(?: folder| directory)? (to|as|into) /i, "$1 $3/$2 $4 "],
  [/^lemme\b/i, "let me"],
  [/\b(file|folder|directory|branch): (?=\S)/i, "$1 called "],
  [/^(?:set|make|change|update) (?:the )?([\w.-]+) ?= ?(\S+)/i, "set $1 to $2"],
  [new RegExp(`^(?:make|set|change) (?:the )?([\\w.-]+) (?:be |equal |equal to )?${PLAIN_VALUE}(?= in |$)`, "i"), "set the $1 to $2"],
  [/^(?:(?:turn|switch) ([\w.-]+) on|(?:enable|activate|turn on|switch on) ([\w.-]+))( in .+)$/i, "set the $1$2 to true$3"],
  [/^(?:(?:turn|switch) ([\w.-]+) off|(?:disable|deactivate|turn off|switch off) ([\w.-]+))( in .+)$/i, "set the $1$2 to false$3"],
  [/^(the [\w.-]+)( in \S+)? (?:should|must|needs to|has to) be (.+)$/i, "set $1$2 to $3"],
  [
    new RegExp(
      `^(before|after|above|below) ((?:the )?(?:line )?(?:[\\ue000-\\uf8ff]|\\d+))(?: in ${FILE_THERE})?,? ((?:${ADDING}) .+?)(?: (?:in|to|into) ${FILE_THERE})?$`,
      "i",
    ),
    "$4 $1 $2 in $3$5",
  ],
  [
    /^(\S*\.\w+) (?:has|contains) (?:an? )?(?:typo|mistake|error)[:,]? (.+?) (?:should be|instead of|->|→) (.+)$/i,
    "replace $2 with $3 in $1",
  ],
  [
    /^(?:fix|correct) (?:the )?(?:typo |spelling |word )?(.+?) in (\S+?),? (?:it |which )?(?:should be|must be|to|into) (.+)$/i,
    "replace $1 with $3 in $2",
  ],
  [new RegExp(`${IN_FILE}((?:${CHANGING}) .+)$`, "is"), "$2 in $1"],
  [new RegExp(`${IN_FILE}((?:${ADDING}) .+? (?:before|after|above|below) .+)$`, "is"), "$2 in $1"],
  [new RegExp(`${IN_FILE}((?:${ADDING}) .+)$`, "is"), "$2 to $1"],
  [/\b(what|where|who|how)s\b/gi, "$1's"],
  [/^(show|give|tell|say|explain|describe|print|write|make|create|find|read) (?:to|for) (me|us)\b/i, "$1 $2"],
  [/^say me\b/i, "tell me"],
  [/(?<=\S) (?:please|pls|kindly|maybe|for me)(?= \S)/gi, ""],
  [
    /^(?:(?:tell|show|explain|say|describe|list|count|calculate|compute|print|give)(?: to)?(?: me| us)?|(?:i )?(?:want|wish|like|need|have|am curious|wonder|would like)(?: to)? ?(?:know|learn|see|understand|find out|hear)?|know|find out|let me know|find me|do you know|see|check|look) (?:about )?(?=(?:what|which|where|how|who|when|if|whether|in which)(?:'s)?\b)/i,
    "",
  ],
  [/^(?:if|whether) (.+)$/i, "is $1"],
  [/^(what|which|where|who|how)( \S+)? (i|we|you|it|this|that) (am|are|have|is)\b/i, "$1$2 $4 $3"],
  [new RegExp(`^(change|replace|rename|substitute|swap|fix|correct|remove|delete) in ${FILE_THERE}[,:]? (.+)$`, "i"), "$1 $3 in $2"],
  [new RegExp(`^what (?:contains?|has|have|includes?|holds?|says?|is containing) ${FILE_THERE}\\??$`, "i"), "what is in $1"],
  [new RegExp(`^how (?:looks?|works?) (?:like )?${FILE_THERE}(?: like)?\\??$`, "i"), "what is in $1"],
  [
    new RegExp(`^(how many \\S+) (?:has|have|does have|contains?|there are in|there is in|is in|are in) ${FILE_THERE}\\??$`, "i"),
    "$1 are in $2",
  ],
  [new RegExp(`^(write|put|save|store|add|append|insert) (?:in|into|to|inside) ${FILE_THERE}[,:]? (.+)$`, "i"), "$1 $3 to $2"],
  [
    new RegExp(`^(write|put|add|append|insert) (at the (?:end|bottom|top|beginning|start) of) ${FILE_THERE}[,:]? (.+)$`, "i"),
    "$1 $4 $2 $3",
  ],
  [/^(?:do|make|perform|give|have) (?:an? |the )?(commit|copy|search|backup|summary|list|deletion|review|install)\b(?: of| for)?/i, "$1"],
  [
    /^(?:everywhere|globally|(?:in|across|throughout) (?:all|every|each|the (?:whole|entire)) (?:the )?(?:files?|project|repo|repository|code ?base))[,:]? ((?:replace|rename|change|substitute) .+)$/i,
    "$1 everywhere",
  ],
  [/^list of /i, "list "],
  [/^summary /i, "summarize "],
  [/^deletion /i, "delete "],
  [/\b(?:directory|folder) for \S+(?: \S+)? (called|named)\b/i, "folder $1"],
];
