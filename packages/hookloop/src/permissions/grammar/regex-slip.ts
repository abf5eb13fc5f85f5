import type { ToolRule } from "../../catalogue/index.ts";
import type { Rule } from "./parse-rule.ts";

/** What a rule of this kind never has, and a regular expression often. Rules know only `*`; everything else is compared as it is written. */
const SIGNS: Readonly<Record<ToolRule["kind"], RegExp>> = {
  // `/rm/`, `^rm`, `\brm`, `rm.*`, `rm|mv`, `git (push|pull)`; in quotes it is the text of an argument.
  command: /^\/[^/]+\/[a-z]{0,3}$|^\^|\\[bswd]|\(\?|^[\w-]+\.[*+](?:$|\s)|^[^"']*[\w)]\|[\w(]/i,
  path: /^\^|\\\.|\$$|\.\*\$?\||\([^()]*\|/,
  domain: /[\^$|\\()]/,
  name: /^\^|\.\*|\||\$$/,
};

const EXAMPLES: Readonly<Record<ToolRule["kind"], string>> = {
  command: "Bash(git push *)",
  path: "Read(**/.env)",
  domain: "WebFetch(domain:*.example.com)",
  name: "Agent(review-*)",
};

/** Whether what stands in the brackets of a rule was meant as a regular expression. */
export function looksLikeRegex(kind: ToolRule["kind"], spec: string): boolean {
  return SIGNS[kind].test(spec);
}

/** What to write instead: `Write "Bash(rm *)" and "Bash(mv *)".` */
export function regexCure(kind: ToolRule["kind"], { tool, spec = "" }: Rule): string {
  const plain = kind === "command" ? plainCommands(spec) : [];
  if (plain.length === 0) return `Write it with * for any text, as in "${EXAMPLES[kind]}".`;
  return `Write ${plain.map((one) => `"${tool}(${one})"`).join(" and ")}.`;
}

const MOST_COMMANDS = 5;

/** The commands that a simple expression names; none if it is not simple. */
function plainCommands(regex: string): readonly string[] {
  const bare = regex
    .slice(0, 200)
    .replace(/^\/(.*)\/[a-z]{0,3}$/s, "$1")
    .replace(/\(\?[:=!]|\(\?<[=!]/g, "(")
    .replace(/\\b|[\^$]/g, "")
    .replace(/\\s[+*]?/g, " ")
    .replace(/\.[*+]/g, "*");
  const [, before = "", group, after = ""] = /^([^()]*)\(([^()]*)\)([^()]*)$/.exec(bare) ?? [];
  const commands = group === undefined ? bare.split("|") : group.split("|").map((one) => before + one + after);
  const tidy = commands.map((one) => `${one.trim().replace(/\s*\*$/, "")} *`);
  return tidy.length <= MOST_COMMANDS && tidy.every((one) => /^[\w./-][\w./ -]*(?: \*)?$/.test(one)) ? tidy : [];
}
