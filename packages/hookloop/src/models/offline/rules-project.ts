/** Questions about what a project has, in any words; and those that no other rule knows, if they name one thing to look at. */

import { bash, type Draft, fileOf, isQuoted, type Rule, rule } from "./phrase.ts";
import { LISTING, PLACE, read, SUMMARY, search } from "./rules-look.ts";
import { bag } from "./words.ts";

const glob = (pattern: string): readonly Draft[] => [{ tool: "Glob", purpose: "find", input: { pattern } }];
const grep = (pattern: string): readonly Draft[] => [{ tool: "Grep", purpose: "search", input: { pattern, output_mode: "content" } }];
const ASKED =
  "where|keep|kept|live|lives|located|stored|defined|put|find|go|listed|declared|depend|depends|rely|relies|require|requires|include|mentioned|left|comments|comment|sit|stay|how|run|can?";

/** What a project has, asked for in any words. */
export const PROJECT_RULES: readonly Rule[] = [
  bag(`dependencies|dependency|deps|libraries|packages|depend ${ASKED} npm|installed|third-party|external?`, () => read("package.json")),
  bag(`scripts|script ${ASKED} npm?`, () => read("package.json")),
  bag(
    "license|licence|author|description|name|homepage|main|entry under|have|has|what|who|is|which point|file|under|who|released|published|licensed?",
    ([wish = ""]) => {
      const [, field = ""] = /\b(licen[sc]e|author|description|name|homepage|main|entry)\b/i.exec(wish) ?? [];
      const key = field.toLowerCase().replace("licence", "license").replace("entry", "main");
      return /\b(?:project|package|app|repo|repository|this|it)\b/i.test(wish)
        ? [{ tool: "Grep", purpose: "search", input: { pattern: `"${key}"`, path: "package.json", output_mode: "content" } }]
        : undefined;
    },
  ),
  bag(`tests|specs ${ASKED} unit|files|test?`, () => glob("**/*{test,spec}*")),
  bag(`docs|documentation ${ASKED} files|pages?`, () => glob("**/*.{md,mdx,rst}")),
  bag(`config|configuration|settings ${ASKED} files|file?`, () => glob("**/*{config,rc,settings,.env}*")),
  bag(`todo|todos ${ASKED} open|notes?`, () => grep("TODO")),
  bag("folders|directories|subfolders|subdirectories top|level|names?", () => [bash("ls -d */")]),
  bag("framework|frameworks|runner test|testing|web|tests unit?", () => read("package.json")),
  rule(
    "what (?:does|do|happens (?:on|with|when i run)) (?:npm (?:run )?[\\w:-]+|the [\\w:-]+ script)(?: do| mean| run| start)?(?: here| exactly)?\\??",
    () => read("package.json"),
  ),
  bag("structure|layout|tree|hierarchy directory|folder|file|files|folders|full|whole?", () => glob("**/*")),
  bag(
    "kind|sort|type|purpose|about|overview|summary|summarize|summarise|describe|goal|point|introduction project|repo|repository|codebase|app|application|workspace|this|here quick|short|brief|whole|for?",
    () => [SUMMARY],
  ),
  rule(
    `${LISTING}(?: any| all| the| open| my| left)* (todo|fixme|hack|xxx)s?(?: comments?| notes?| items?| left)*${PLACE}\\??|(?:is|are) there(?: any| some| still| open)* (todo|fixme|hack|xxx)s?(?: comments?| notes?| left)*${PLACE}\\??`,
    ([, one, place, two, other], about) => search((one ?? two ?? "").toUpperCase(), place ?? other, about),
  ),
  bag(`fixme|fixmes ${ASKED} open?`, () => grep("FIXME")),
];

const ASKING =
  /^(?:is|are|was|were|do|does|did|has|have|who|where|when|why|how|what|which|in which|can|could|show|find|tell|list|explain|search|look|any)\b/i;
const CHANGING =
  /\b(?:delete|remove|add|change|replace|rename|move|copy|write|create|make|set|install|commit|push|run|fix|put|insert|append|update|edit)\b/i;

/** A question that no rule knows, about one file or one name: to look at it is harmless, and answers it more often than not. */
export const ABOUT_ONE_THING: Rule = rule(".{3,160}", ([wish = ""], about) => {
  if (!ASKING.test(wish) || CHANGING.test(wish)) return undefined;
  const words = wish.split(/[\s,?!]+/).filter(Boolean);
  const files = words.flatMap((word) =>
    /\w\.[a-z]\w{0,4}$|^readme$/i.test(word) && !/^\w+\.(?:log|error|warn|env|get|post)$/.test(word) ? (fileOf(word, about) ?? []) : [],
  );
  const names = words.filter(
    (word) =>
      isQuoted(word) || /^(?:[a-z]+[A-Z]\w*|[A-Z]{2,}\w*|\w+\.(?:log|error|warn|env|get|post)|[a-z]+(?:-[a-z]+)+|\w+\(\))$/.test(word),
  );
  const [file] = files;
  if (files.length > 1 || names.length > 1) return undefined;
  if (names[0] !== undefined) return search(names[0].replace(/\(\)$/, ""), file, about);
  return file === undefined ? undefined : read(file);
});
