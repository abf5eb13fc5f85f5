import type { ShellReading } from "../../shell/index.ts";

/** `NAME=`, `NAME+=`, `NAME[0]=` where a word could start. */
const ASSIGNMENT = /(?<![^\s;&|(){}`])\w+(?:\[[^\]]*\])?\+?=/g;
/** Names that people give to variables of loops, which neither a shell nor a program looks at. */
const INDIFFERENT =
  /^(?!(?:npm|pnpm|yarn|git|pip|uv|cargo|bundle|ssl|curl)_|\w*_proxy$|(?:path|cdpath|fpath|manpath|mailpath|module_path|argv|prompt|histchars|psvar|status|watch|fignore)$)[a-z]?[a-z\d_]*$/;
/** Those that cannot change which program runs or what it loads. */
const HARMLESS = /^(?:CI|NODE_ENV|NO_COLOR|FORCE_COLOR|TZ|TERM|COLUMNS|LINES|REPLY|OPTIND|OPTARG)$/;

/**
 * SECURITY: `PATH=/tmp; npm test`, `((PATH = 1)); npm test` and `npm test {PATH}>&1` are not `npm test`. Besides what was read as setting a variable,
 * what is left of the line without the plain words of its commands is searched for what looks like an assignment.
 */
export function setsVariables(line: string, { commands, sets }: Pick<ShellReading, "commands" | "sets">): boolean {
  if (sets.some((name) => !INDIFFERENT.test(name) && !HARMLESS.test(name))) return true;
  const written = commands.filter(({ startedBy, repeats }) => startedBy === undefined && repeats === undefined);
  let rest = line;
  for (const { parts, span } of written.flatMap(({ words }) => words)) {
    if (parts.every(({ kind }) => kind === "text"))
      rest = rest.slice(0, span.start) + " ".repeat(span.end - span.start) + rest.slice(span.end);
  }
  const prefixes = written.filter(({ words }) => words.length > 0).flatMap(({ assignments }) => assignments);
  return (rest.match(ASSIGNMENT)?.length ?? 0) > prefixes.length;
}
