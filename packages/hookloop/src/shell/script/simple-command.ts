import type { Assignment, Command } from "unbash";
import { type ShellWord, UNKNOWN } from "../types.ts";
import { readWhole, readWords } from "../words/read-word.ts";
import { programName } from "../wrappers/program-name.ts";
import { checkInside } from "./check-node.ts";
import { takesOnlyData } from "./data/data-programs.ts";
import { dataIn } from "./data/data-spans.ts";
import { noteSet } from "./evaluated/sets.ts";
import { inputAt, type Place, scopeOf, spanIn } from "./place.ts";
import { readProgram } from "./read-program.ts";
import type { Reader } from "./reader.ts";
import { readRedirects } from "./redirects.ts";
import { applyEffects } from "./state/builtin-effects.ts";

/** Adds a simple command, what it starts, and what the substitutions in its words run. */
export function readSimpleCommand(node: Command, place: Place, reader: Reader): void {
  place.state.folders.settle();
  // An expansion can assign: `$((x = 1))`, `${x:=1}`.
  const source = place.source.slice(node.pos, node.end);
  if (/\$\(\(|\$\[|\$\{[^}]*=/.test(source)) place.state.forget();
  for (const child of node.suffix) checkInside(child, node, place, reader.found);
  checkSplit(node, place, reader);
  const scope = scopeOf(place);
  const words = node.name ? [node.name, ...node.args].flatMap((word) => readWords(word, scope)) : [];
  const assigned = readAssignments(node, place);
  const { given, stdin } = readRedirects(node.redirects, place, reader);
  const onlyData = takesOnlyData(programName(words), words) && !reader.found.functions.has(words[0]?.text ?? "");
  if (onlyData && place.printsData && !place.fixed) reader.found.data.push(...dataIn(node));
  if (node.name) for (const { name } of assigned) place.state.assign(name, undefined);
  const program = {
    words,
    assignments: assigned.map(({ name, value }) => ({ name, value })),
    redirects: [...given, ...place.redirects],
    span: spanIn(place, node),
    stdin: stdin === "inherited" ? inheritedBy(source, place, reader) : stdin,
  };
  if (words.length > 0 || program.redirects.length > 0) readProgram(program, place, reader);
  readSubstitutions(node, { ...place, printsData: place.printsData && onlyData, redirects: [] }, reader);
  // `exec < file`: from here on the shell itself reads something else.
  if (words.length === 1 && words[0]?.text === "exec" && stdin !== "inherited") place.state.hasOwnInput = true;
  if (words.length > 0) applyEffects(words, place.state, place.isPosix);
  else
    for (const { node: assignment, value } of assigned) {
      assign(assignment, value, place);
      // SECURITY: whatever it is called, it may be exported already, or be a reference to another.
      noteSet(UNKNOWN, place, reader.found);
    }
}

/** To dash `: &>file rm x` is `: &` and `>file rm x`. */
function checkSplit(node: Command, place: Place, { found }: Reader): void {
  const split = place.isPosix ? node.redirects.find(({ operator }) => operator.startsWith("&>")) : undefined;
  if (split && node.args.some(({ pos }) => pos > split.end))
    found.doubt("misread", "Some shells read &> as the end of a command.", spanIn(place, node));
}

/** A substitution in its words runs first, and may read what was there for the command. */
function inheritedBy(source: string, place: Place, { found }: Reader): ReturnType<typeof inputAt> {
  const stdin = inputAt(place, found.commands.length);
  return stdin?.kind === "text" && /\$\((?!\()|`/.test(source) ? { kind: "pipe", from: [] } : stdin;
}

interface Assigned {
  readonly node: Assignment;
  readonly name: string;
  readonly value: ShellWord;
}

function readAssignments({ prefix }: Command, place: Place): readonly Assigned[] {
  return prefix.flatMap((node) => {
    if (node.type !== "Assignment") return [];
    const { name, value } = node;
    return [{ node, name, value: value.type === "Word" ? readWhole(value, scopeOf(place)) : unknownWord(value, place) }];
  });
}

function readSubstitutions(node: Command, place: Place, reader: Reader): void {
  for (const child of node.prefix) reader.readNode(child, place);
  if (node.name) reader.readNode(node.name, place);
  for (const child of node.suffix) reader.readNode(child, place);
}

function assign({ name, append, index, value }: Assignment, { text, parts }: ShellWord, { state }: Place): void {
  const before = append ? state.valueOf(name) : "";
  const isPlain = !index && value.type === "Word" && before !== undefined;
  if (isPlain && !append && text.includes(UNKNOWN)) state.assignPattern(name, parts);
  else state.assign(name, isPlain ? before + text : undefined);
}

function unknownWord(node: { readonly pos: number; readonly end: number }, place: Place): ShellWord {
  const source = place.source.slice(node.pos, node.end);
  return { text: UNKNOWN, source, span: spanIn(place, node), parts: [{ kind: "computed", source }] };
}
