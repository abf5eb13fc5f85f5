import type { ArithmeticFor, CommandNode, For, Pipeline, Redirected, Select, While } from "unbash";
import { loadParser } from "../load-parser.ts";
import type { ShellStdin, WordPart } from "../types.ts";
import { readWords } from "../words/read-word.ts";
import { takesOnlyData } from "./data/data-programs.ts";
import { knownOutput } from "./data/known-output.ts";
import { type Place, scopeOf } from "./place.ts";
import type { Reader } from "./reader.ts";
import { readRedirects } from "./redirects.ts";
import { mayChangeFolder } from "./state/folders.ts";
import { isOfPattern, ShellState } from "./state/shell-state.ts";

/** Each command of a pipeline runs in its own shell and reads what the one before it prints. */
export function readPipeline({ commands }: Pipeline, place: Place, { readNode, found }: Reader): void {
  let { stdin } = place;
  // Whatever follows the last command that does more with its input than print it.
  const dataFrom = commands.findLastIndex((command) => !isDataCommand(command));
  commands.forEach((command, index) => {
    const isLast = index === commands.length - 1;
    const printsData = place.printsData && index >= dataFrom;
    const state = commands.length > 1 ? new ShellState(place.state) : place.state;
    const start = found.commands.length;
    const inputFrom = index === 0 ? place.inputFrom : start;
    readNode(command, { ...place, state, stdin, inputFrom, printsData, redirects: isLast ? place.redirects : inputsOf(place) });
    stdin = outputSince(start, command, found);
    // Some shells run the last command themselves.
    if (isLast && commands.length > 1) place.state.join(state);
  });
}

/** Only the last command writes to where the group is redirected; errors of the others are not followed. */
function inputsOf({ redirects }: Place): Place["redirects"] {
  return redirects.filter(({ operator }) => operator.startsWith("<"));
}

function isDataCommand(node: CommandNode): boolean {
  if (node.type !== "Command" || !node.name || node.name.parts) return false;
  const words = [node.name, ...node.args].map(({ text }) => ({ text, source: text, span: { start: 0, end: 0 }, parts: [] }));
  return takesOnlyData(node.name.value, words);
}

function outputSince(start: number, node: CommandNode, { commands, functions }: Reader["found"]): ShellStdin | undefined {
  const first = commands[start];
  const isProgram = node.type === "Command" && first && !functions.has(first.words[0]?.text ?? "");
  const known = isProgram ? knownOutput(first) : undefined;
  if (known) return known;
  return { kind: "pipe", from: Array.from({ length: commands.length - start }, (_, index) => start + index) };
}

/** `{ …; } > file`: its redirections count for every command inside. */
export function readGroup({ command, redirects }: Redirected, place: Place, reader: Reader): void {
  const { given, stdin } = readRedirects(redirects, place, reader);
  for (const redirect of redirects) reader.readNode(redirect, place);
  const start = reader.found.commands.length;
  const input = stdin === "inherited" ? place.stdin : stdin?.kind === "file" ? undefined : stdin;
  const inputFrom = stdin === "inherited" ? place.inputFrom : start;
  reader.readNode(command, { ...place, redirects: [...place.redirects, ...given], stdin: input, inputFrom });
  if (given.length === 0 || reader.found.commands.length > start) return;
  const emptied = {
    words: [],
    assignments: [],
    redirects: given,
    wrappers: place.wrapping.names,
    isPlainlyWrapped: place.wrapping.isPlain,
    startedBy: place.wrapping.startedBy,
    folder: place.state.folders.main,
    span: place.fixed ?? { start: command.pos, end: command.end },
  };
  reader.found.add(emptied, place.state.folders);
}

/** What the body does happens again: nothing that it changes is certain in it. */
export function readLoop(node: For | Select | While | ArithmeticFor, place: Place, reader: Reader): void {
  place.state.forget();
  const source = place.source.slice(node.pos, node.end);
  if (mayChangeFolder(source)) place.state.folders.goAnywhere();
  const state = new ShellState(place.state);
  // `select` reads a line itself.
  const inputFrom = node.type === "Select" ? -1 : place.inputFrom;
  const isOverWords = node.type === "For" || node.type === "Select";
  const turns = isOverWords ? turnsOf(node, source, place, reader) : [undefined];
  for (const [index, value] of turns.entries()) {
    const turn = new ShellState(state);
    if (isOverWords && typeof value !== "string" && value !== undefined) turn.assignPattern(node.name.text, value);
    else if (isOverWords) turn.assign(node.name.text, typeof value === "string" ? value : undefined);
    if (index === 0) loadParser().forEachChild(node, (child) => reader.readNode(child, { ...place, state: turn, inputFrom }));
    else if (isOverWords) reader.readNode(node.body, { ...place, state: turn });
    turn.forget();
    place.state.join(turn);
  }
}

const MAX_WORDS = 8;
/** Words beyond those that stand for the whole: rules are about what each of them names. */
const MAX_NAMED = 24;

/**
 * The values of the variable, one for each time the body is read. An unknown one if they are not all known, and then once more for each word
 * of which something is known: a text, or the parts of a pattern.
 */
function turnsOf(
  { name, wordlist }: For | Select,
  source: string,
  place: Place,
  { found }: Reader,
): readonly (string | readonly WordPart[] | undefined)[] {
  const isUsed = new RegExp(`\\$\\{?${name.text.replace(/\W/g, "")}\\b`).test(source);
  const words = isUsed && wordlist ? wordlist.slice(0, MAX_NAMED).flatMap((word) => readWords(word, scopeOf(place))) : [];
  const isKnown = (parts: readonly WordPart[]): boolean => parts.every(({ kind }) => kind === "text");
  const isWhole = words.length > 0 && words.length <= MAX_WORDS && (wordlist?.length ?? 0) <= MAX_WORDS;
  if (isWhole && words.every(({ parts }) => isKnown(parts)) && found.mayTurn(words.length)) return words.map(({ text }) => text);
  const named = words.slice(0, MAX_NAMED).flatMap(({ parts, text }): readonly (string | readonly WordPart[])[] => {
    if (isKnown(parts)) return [text];
    return parts.every(isOfPattern) ? [parts] : [];
  });
  return [undefined, ...(found.mayTurn(named.length) ? named : [])];
}
