/** A wish in plain words and in the order that rules expect: what is done first, then where. */

import { bare } from "./phrase.ts";

const FILE = "((?:the |my |a |this )?(?:file |script )?\\S*[.\\ue000-\\uf8ff]\\S*?|(?:the )?readme)";
const CHANGING =
  "replace|change|substitute|swap|rename|convert|turn|fix|correct|remove|delete|use|set|update|add|append|insert|put|write|place|prepend|stick|bump|erase|drop|look|search|find|grep|count|show|print|list";
const SPOT = "(?:at |on )?(?:the )?(?:very )?(?:end|bottom|top|beginning|start)";
const EVERYWHERE =
  "(?:everywhere|globally|(?:in|across|throughout) (?:all|every|each|the (?:whole|entire)) (?:the )?(?:files?|project|repo|repository|code ?base))";
const VALUE = "(\\d[\\w.-]*|true|false|null|[\\ue000-\\uf8ff])";

const PLAINLY: readonly (readonly [RegExp, string])[] = [
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

export function plainWish(wish: string): string {
  return PLAINLY.reduce((text, [pattern, plain]) => {
    const changed = text.replace(pattern, plain);
    return changed === text ? text : bare(changed);
  }, bare(wish));
}
