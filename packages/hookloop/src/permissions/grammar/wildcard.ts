import { ANY, coversAll, type Step } from "./sequence-pattern.ts";

/** The steps of a text in which `*` stands for anything and `\*` for itself. */
export function wildcardSteps(pattern: string): readonly Step<string>[] {
  return [...pattern.matchAll(/\\([*\\])|./gsu)].map(([token, escaped]) => (token === "*" ? ANY : isCharacter(escaped ?? token)));
}

/** A test for texts against a pattern in which `*` stands for anything. */
export function compileWildcard(pattern: string): (text: string) => boolean {
  const steps = wildcardSteps(pattern);
  return steps.includes(ANY) ? (text) => coversAll(steps, text) : (text) => text === pattern.replace(/\\([*\\])/g, "$1");
}

function isCharacter(wanted: string): (character: string) => boolean {
  return (character) => character === wanted;
}
