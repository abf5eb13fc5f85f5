import { ToolFailure } from "../types.ts";
import { loadRe2 } from "./load-re2.ts";

const LONGEST_PATTERN = 512;
const MOST_ALTERNATIVES = 64;

/** A test for relative paths: `*`, `?`, `[a-z]`, `{a,b}` and `**` for any number of folders. */
export function compileGlob(pattern: string): (path: string) => boolean {
  if (pattern.length > LONGEST_PATTERN) throw new ToolFailure(`The pattern is longer than ${LONGEST_PATTERN} characters.`);
  const tests = alternatives(pattern).map(compileOne);
  return (path) => tests.some((test) => test.matches(path));
}

/** SECURITY: the language’s own engine takes for ever over many stars on a deep path. */
function compileOne(pattern: string): { matches(path: string): boolean } {
  const RE2 = loadRe2();
  try {
    return RE2.compile(expressionOf(pattern), RE2.DOTALL);
  } catch (error) {
    throw new ToolFailure(`The pattern ${pattern} cannot be read: ${(error as Error).message}`);
  }
}

/** `a/{b,c}` is `a/b` and `a/c`. */
function alternatives(pattern: string): readonly string[] {
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const brace = /\{([^{}]*,[^{}]*)\}/.exec(next);
    if (!brace) done.push(next);
    else
      for (const part of (brace[1] ?? "").split(","))
        open.push(next.slice(0, brace.index) + part + next.slice(brace.index + brace[0].length));
    if (done.length + open.length > MOST_ALTERNATIVES)
      throw new ToolFailure(`The pattern has more than ${MOST_ALTERNATIVES} alternatives.`);
  }
  return done;
}

const TOKEN = /\*\*\/|\*\*|\*|\?|\[!?[^\]]+\]|./gs;

function expressionOf(glob: string): string {
  return glob.replace(TOKEN, (token) => {
    if (token === "**/") return "(?:[^/]+/)*";
    if (token === "**") return ".*";
    if (token === "*") return "[^/]*";
    if (token === "?") return "[^/]";
    if (token.length > 1) return token.startsWith("[!") ? `[^${escaped(token.slice(2, -1))}]` : `[${escaped(token.slice(1, -1))}]`;
    return token.replace(/[\\^$.|+(){}[\]]/, "\\$&");
  });
}

/** Inside a class only these mean something; `-` keeps its meaning. */
function escaped(set: string): string {
  return set.replace(/[\\^[\]]/g, "\\$&");
}
