/**
 * Takes the raw text and its reading. Gives every place where dangerous text stands that reading did not explain: neither as data
 * nor as words of a command that the rules have seen. It is the net below the parser; a hit asks.
 */

import { programOf } from "../arguments/program-of.ts";
import type { ShellReading, ShellWord, Span } from "../types.ts";

interface Wire {
  /** The program that the text names. */
  readonly program: string;
  readonly pattern: RegExp;
}

const WIRES: readonly Wire[] = [
  { program: "rm", pattern: /\brm\s+(?:-(?!-\s)[\w-]+\s+)*-(?:[a-z]*r[a-z]*f|[a-z]*f[a-z]*r|-recursive)/gi },
  {
    program: "git",
    pattern: /\bgit\s+(?:-\S+\s+)*(?:reset\s+--hard|clean\s+-\w*f|push\s+(?:-f\b|--force\b(?!-))|stash\s+(?:drop|clear)|checkout\s+--\s)/gi,
  },
  { program: "find", pattern: /\bfind\s[^|;&\n]{0,200}\s-delete\b/gi },
  { program: "mkfs", pattern: /\bmkfs(?:\.\w+)?\s+\S*\/dev\//gi },
  { program: "dd", pattern: /\bdd\s[^|;&\n]{0,200}\bof=\/dev\/(?!null|zero|std)/gi },
  { program: "sh", pattern: /\b(?:curl|wget)\s[^|;&\n]{0,300}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b/gi },
];

/** Programs that start what stands in their words: inside them, text is explained only by a command found there. */
const STARTERS = new Set(
  "sudo doas env command builtin exec nohup time nice ionice timeout stdbuf setsid watch busybox xargs parallel sh bash zsh dash ksh ash fish eval trap ssh su script flock chroot unshare nsenter runuser strace ltrace find docker kubectl".split(
    " ",
  ),
);

/** `bash -n`: reads a script and runs nothing. */
export function onlyChecksSyntax(words: readonly ShellWord[]): boolean {
  if (!/^(?:ba|z|da|k|mk)?sh$/.test(programOf(words[0])) || words.some(({ text }) => text.startsWith("+"))) return false;
  const end = words.findIndex(({ text }, at) => at > 0 && !text.startsWith("-"));
  const letters = words.slice(1, end === -1 ? undefined : end).flatMap(({ text }) => (/^-[a-z]+$/i.test(text) ? [...text.slice(1)] : []));
  // SECURITY: an interactive shell may run what it reads, `-n` or not.
  return letters.includes("n") && !letters.includes("i");
}

/** Whether a text names something that the wires look for. */
export function looksDangerous(text: string): boolean {
  return WIRES.some(({ pattern }) => text.search(pattern) !== -1);
}

/** The first hit of every wire that nothing explains. */
export function unexplained(text: string, reading: ShellReading): readonly Span[] {
  const found: Span[] = [];
  const assigned = reading.isUncertain ? [] : assignedIn(text);
  for (const { program, pattern } of WIRES) {
    for (const match of text.matchAll(pattern)) {
      const span = { start: match.index, end: match.index + match[0].length };
      if (isExplained(span, program, reading) || assigned.some((range) => holds(range, span)) || isInput(match[0], reading)) continue;
      found.push(span);
      break;
    }
  }
  return found;
}

/** Quoted values of variables; where reading followed every use of them, they are only data. */
function assignedIn(text: string): readonly Span[] {
  return [...text.matchAll(/(?<![^\s;&|(])[A-Za-z_]\w*=(?:'[^']*'|"[^"`$]*")/g)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** Text that a command which starts nothing reads. */
function isInput(hit: string, { commands }: ShellReading): boolean {
  return commands.some(({ stdin, words }) => stdin?.kind === "text" && stdin.text.includes(hit) && !STARTERS.has(programOf(words[0])));
}

function isExplained(span: Span, program: string, { data, commands }: ShellReading): boolean {
  if (data.some((range) => holds(range, span))) return true;
  return commands.some((command) => {
    if (!overlaps(command.span, span)) return false;
    const name = programOf(command.words[0]);
    if (onlyChecksSyntax(command.words)) return true;
    if (name === program || (program === "sh" && /^(?:ba|z|da)?sh$/.test(name))) return true;
    return holds(command.span, span) && name !== "" && !STARTERS.has(name);
  });
}

function holds(outer: Span, inner: Span): boolean {
  return outer.start <= inner.start && outer.end >= inner.end;
}

function overlaps(first: Span, second: Span): boolean {
  return first.start < second.end && second.start < first.end;
}
