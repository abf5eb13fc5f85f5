import type { ShellCommand } from "../../shell/index.ts";

/** `NAME=`, `NAME+=`, `NAME[0]=` where a word could start. */
const ASSIGNMENT = /(?<![^\s;&|(){}`])\w+(?:\[[^\]]*\])?\+?=/g;
/** The variable of a loop, if it may be one that programs or the shell look at. */
const LOOP_VARIABLE = /\b(?:for|select)\s+(?:[A-Z_]\w*|path)\b/;

/**
 * SECURITY: `PATH=/tmp; npm test` and `for PATH in /tmp; do npm test; done` are not `npm test`. An assignment of its own is no command,
 * so what is left of the line without the plain words of its commands is searched for what looks like one.
 */
export function setsVariables(line: string, commands: readonly ShellCommand[]): boolean {
  const written = commands.filter(({ startedBy, repeats }) => startedBy === undefined && repeats === undefined);
  let rest = line;
  for (const { parts, span } of written.flatMap(({ words }) => words)) {
    if (parts.every(({ kind }) => kind === "text"))
      rest = rest.slice(0, span.start) + " ".repeat(span.end - span.start) + rest.slice(span.end);
  }
  const prefixes = written.filter(({ words }) => words.length > 0).flatMap(({ assignments }) => assignments);
  return LOOP_VARIABLE.test(rest) || (rest.match(ASSIGNMENT)?.length ?? 0) > prefixes.length;
}
