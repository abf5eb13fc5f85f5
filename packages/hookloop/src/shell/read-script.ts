import type { Command, SyntaxNode } from "unbash";
import { loadParser } from "./load-parser.ts";
import { hasSuspiciousCharacters, readWord, wordText } from "./read-word.ts";
import { programName, type Started, startedBy } from "./started-by.ts";
import { type ShellCommand, type ShellWord, UNKNOWN } from "./types.ts";

const MAX_DEPTH = 8;
/** Twice what 8 KiB of one-letter commands hold. */
const MAX_COMMANDS = 8192;

/** What has been found so far; the walk adds to it. */
export interface Findings {
  readonly commands: ShellCommand[];
  readonly doubts: Set<string>;
  hasSubstitution: boolean;
}

interface Place {
  /** The text that positions of nodes point into. */
  readonly source: string;
  readonly isAssignment: boolean;
}

/** Adds what a script runs. `wrappers`: the programs that start it. */
export function readScript(text: string, wrappers: readonly string[], found: Findings): void {
  const { parse, forEachChild } = loadParser();
  const visit = (node: SyntaxNode, place: Place): void => {
    checkNode(node, place, found);
    if (node.type === "Command") readSimpleCommand(node, wrappers, found);
    if (isSubstitution(node) && !place.isAssignment) found.hasSubstitution = true;
    const inside = placeInside(node, place);
    forEachChild(node, (child) => visit(child, inside));
  };
  visit(parse(text), { source: text, isAssignment: false });
}

function isSubstitution({ type }: SyntaxNode): boolean {
  return type === "CommandExpansion" || type === "ArithmeticCommandExpansion";
}

function placeInside(node: SyntaxNode, place: Place): Place {
  if (node.type === "Assignment") return { ...place, isAssignment: true };
  return node.type === "Script" && node.source !== undefined ? { ...place, source: node.source } : place;
}

/** SECURITY: the tripwire for texts that this parser and bash are known to read differently (security.md §5.3). */
function checkNode(node: SyntaxNode, { source }: Place, { doubts }: Findings): void {
  if (node.type === "Script" && node.errors?.length) doubts.add(`it is not valid: ${node.errors[0]?.message}`);
  const isTorn = node.type === "ArithmeticExpansion" && node.text.startsWith("$((") && !node.text.endsWith("))");
  const isTornCommand = node.type === "ArithmeticCommand" && !source.slice(node.pos, node.end).endsWith("))");
  if (isTorn || isTornCommand) doubts.add("arithmetic that does not end where it should");
}

function readSimpleCommand(node: Command, wrappers: readonly string[], found: Findings): void {
  if (!node.name) return;
  const written = [node.name, ...node.args];
  if (written.some(hasSuspiciousCharacters)) found.doubts.add("control characters or unusual blanks stand outside quotes");
  readProgram({ words: written.map(readWord), stdin: stdinOf(node) }, wrappers, found);
}

function readProgram(
  { words, stdin }: { readonly words: readonly ShellWord[]; readonly stdin?: string | undefined },
  wrappers: readonly string[],
  found: Findings,
): void {
  if (found.commands.length >= MAX_COMMANDS) {
    found.doubts.add(`it runs more than ${MAX_COMMANDS} commands`);
    return;
  }
  found.commands.push({ words, wrappers });
  if (words[0]?.text.includes(UNKNOWN)) found.doubts.add("the name of a command is known only when it runs");
  for (const started of startedBy(words, stdin)) readStarted(started, [...wrappers, programName(words)], found);
}

function readStarted(started: Started, wrappers: readonly string[], found: Findings): void {
  if ("doubt" in started) found.doubts.add(started.doubt);
  else if (wrappers.length > MAX_DEPTH) found.doubts.add(`it is nested deeper than ${MAX_DEPTH}`);
  else if ("script" in started) readScript(started.script, wrappers, found);
  else if ("words" in started) {
    if (started.words.length > 0) readProgram({ words: started.words }, wrappers, found);
  } else readProgram({ words: [...splitWords(started.split, found), ...started.after] }, wrappers, found);
}

/** `env -S 'A=1 git push'`: quoting works much as in a shell. */
function splitWords(text: string, found: Findings): readonly ShellWord[] {
  const script = loadParser().parse(text);
  const command = script.commands[0]?.command;
  if (script.errors?.length || script.commands.length !== 1 || command?.type !== "Command" || !command.name) {
    found.doubts.add("the text that env -S splits is not a plain command");
    return [];
  }
  return [command.name, ...command.args].map(readWord);
}

/** What a heredoc or herestring puts on stdin. */
function stdinOf(node: Command): string | undefined {
  const last = node.redirects.findLast(({ type }) => type !== "Redirect");
  if (last?.type === "HereString") return last.target ? wordText(last.target) : undefined;
  if (last?.type !== "HereDoc") return undefined;
  const { text, parts } = last.body;
  return parts ? wordText({ ...EMPTY_WORD, value: text, parts }) : text;
}

const EMPTY_WORD = { type: "Word", text: "", value: "", pos: 0, end: 0 } as const;
