/** Sentences about files as a whole: how big, which one first, what differs, which version. */
import { fileOf, placeOf, shellWord } from "./phrase.ts";
import { bash, type Rule, rule } from "./step.ts";

/** Files of the project, for `find`. */
const OWN_FILES = "-type f -not -path '*/.git/*' -not -path '*/node_modules/*'";
const SIZES: Readonly<Record<string, number>> = { b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

const SIZE: readonly Rule[] = [
  rule(
    "(?:find|list|show|get|search(?: for)?|look for|which|what|are there|is there)(?: me)?(?: all| any| the| every)*(?: files?)?(?: that| which)?(?: are| is)? ?(?:files? )?(bigger|larger|greater|heavier|over|above|more|smaller|less|under|below|lighter)(?: than| in size than)? (\\d+) ?(b|k|m|g)i?(?:b|bytes?|ilobytes?|egabytes?|igabytes?|ytes?)?(?: (?:in size|big|large))?(?: (?:in|inside|under) (.+?))?\\??",
    ([whole = "", how = "", count = "", unit = "b", place], about) => {
      const folder = placeOf(place, about);
      if (folder === null || !/\bfiles?\b/i.test(whole)) return undefined;
      const sign = /^(?:smaller|less|under|below|lighter)$/i.test(how) ? "-" : "+";
      const bytes = Number(count) * (SIZES[unit.toLowerCase()] ?? 1);
      return [bash(`find ${shellWord(folder ?? ".")} ${OWN_FILES} -size ${sign}${bytes}c`)];
    },
  ),
];

const SUPERLATIVES = "biggest|longest|largest|heaviest|newest|latest|most recent|oldest|smallest";
const ORDERS: Readonly<Record<string, string>> = {
  newest: "-lt",
  latest: "-lt",
  "most recent": "-lt",
  oldest: "-ltr",
  smallest: "-lSr",
};
const MOST_FILES = 10;

/** The file of the project that comes first; of several, as many as were asked for. */
const FIRST_FILES: readonly Rule[] = [
  rule(
    `(?:find|list|show|get|which|what|give|print)(?:'s| is| are)?(?: me)?(?: the)?(?: (\\d+)| \\w+)? ?(?:(${SUPERLATIVES}) files?|files? (?:is|are) (?:the )?(${SUPERLATIVES}))(?: here)?(?: (?:in|inside|under|of) (.+?))?(?: here)?\\??`,
    ([whole = "", count, one, other, place], about) => {
      const folder = placeOf(place, about);
      if (folder === null) return undefined;
      const order = ORDERS[(one ?? other ?? "").toLowerCase()] ?? "-lS";
      const most = count ?? (/\bfiles\b/i.test(whole) ? MOST_FILES : 1);
      return [bash(`find ${shellWord(folder ?? ".")} ${OWN_FILES} -exec ls ${order} {} + | head -n ${most}`)];
    },
  ),
];

const AGES: Readonly<Record<string, number>> = { today: 1, yesterday: 2, week: 7, month: 31 };

const RECENT: readonly Rule[] = [
  rule(
    "(?:find|list|show|get|which|what)(?: me)?(?: all| the)*(?: files?)?(?: (?:i|we|that|which|were|was|have|has|did))*(?: (?:changed?|modified|edited|touched|created))+(?: files?)? (?:since |in |within |during )?(?:the |this |last |past )*(today|yesterday|week|month)\\??",
    ([whole = "", when = ""]) =>
      /files?/i.test(whole) ? [bash(`find . ${OWN_FILES} -mtime -${AGES[when.toLowerCase()] ?? 1}`)] : undefined,
  ),
];

const PROJECT_VERSION: readonly Rule[] = [
  rule(
    "(?:what|which)(?:'s| is| are)?(?: the| our| my)?(?: current)? version(?: number)?(?: of (?:this|the|my|our) (?:project|package|app|application|program|repo|repository|library)| (?:is|has|does) (?:this|the|it|my|our)(?: (?:project|package|app|program|repo))?(?: have)?| are we (?:on|at)| do we have)(?: is (?:this|it))?\\??|(?:show|print|tell|give)(?: me)?(?: the)? version of (?:this|the|my|our) (?:project|package|app|program)",
    () => [{ tool: "Grep", purpose: "search", input: { pattern: '"version"', path: "package.json", output_mode: "content" } }],
  ),
];

const COMPARE: readonly Rule[] = [
  rule(
    "(?:compare|diff)(?: the)?(?: files?| contents? of)? (\\S+) (?:and|with|to|against) (\\S+)|(?:what(?:'s| is| are)|show(?: me)?)(?: the)? differences? between (\\S+) and (\\S+?)\\??|(?:are|is) (\\S+) (?:and|with) (\\S+) (?:the same|identical|equal|different)\\??|how (?:does|do) (\\S+) differ from (\\S+?)\\??",
    (words, about) => {
      const files = words.slice(1).flatMap((word) => (word === undefined ? [] : [fileOf(word, about)]));
      const [one, other] = files;
      return one === undefined || other === undefined ? undefined : [bash(`diff -s ${shellWord(one)} ${shellWord(other)} || true`)];
    },
  ),
];

export const MEASURE_RULES: readonly Rule[] = [...SIZE, ...FIRST_FILES, ...RECENT, ...PROJECT_VERSION, ...COMPARE];
