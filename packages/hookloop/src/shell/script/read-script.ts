import type { AndOr, ArithmeticFor, Case, CommandNode, For, If, Pipeline, Redirected, Select, SyntaxNode, While, Word } from "unbash";
import { knownOutput } from "../programs/printed.ts";
import type { ShellStdin, WordPart } from "../types.ts";
import { loadParser, readWhole, readWords } from "../words.ts";
import { type Findings, type Place, type Reader, scopeOf, spanIn } from "./findings.ts";
import { checkInside, checkNode, FILE_COMPARISON, FILE_TEST } from "./nodes.ts";
import { readEvaluated } from "./read-evaluated.ts";
import { isOfPattern, mayChangeFolder, mayMakeReference, ShellState } from "./shell-state.ts";
import { readRedirects, readSimpleCommand, takesOnlyData } from "./simple-command.ts";

/** `name ()` and `function name`: a cheap look, for what may be called before it is defined. */
const FUNCTION = /(?<![\w.:-])([\w.:-]+)\s*\(\s*\)|\bfunction\s+([\w.:-]+)/g;

/** A reader that adds to `found` what scripts run. */
export function createReader(found: Findings): Reader {
  const reader: Reader = {
    found,
    readScript: (text, place) => {
      for (const [, before, after] of text.matchAll(FUNCTION)) found.functions.add(before ?? after ?? "");
      if (found.mayParse(text)) reader.readNode(loadParser().parse(text), { ...place, source: text });
    },
    readApart: (what, read) => {
      const apart = found.apart(what);
      if (!apart) return;
      const inner = createReader(apart);
      try {
        read(inner);
        readEvaluated(inner);
      } catch {
        // The parser recurses, and what it was given need not be shell text at all.
        apart.doubt("unparsable", "Code of another language could not be parsed.", what.span);
      }
      found.foreignDoubts.push(...apart.doubts);
    },
    readNode: (node, place) => {
      checkNode(node, place, found);
      readNode(node, place, reader);
    },
  };
  return reader;
}

function readNode(node: SyntaxNode, place: Place, reader: Reader): void {
  if (node.type === "Command") readSimpleCommand(node, place, reader);
  else if (node.type === "AndOr") readChain(node, place, reader);
  else if (node.type === "Pipeline") readPipeline(node, place, reader);
  else if (node.type === "Statement") reader.readNode(node.command, node.background ? inSubshell(place) : place);
  else if (node.type === "Redirected") readGroup(node, place, reader);
  else if (node.type === "If") readBranches(node, place, reader);
  else if (node.type === "Case") readCases(node, place, reader);
  else if (isLoop(node)) readLoop(node, place, reader);
  else if (node.type === "Function") readFunction(node, place, reader);
  else if (isSubstitution(node)) readSubstitution(node, place, reader);
  else readChildren(node, node.type === "Subshell" || node.type === "Coproc" ? inSubshell(place) : place, reader);
}

type Loop = Extract<SyntaxNode, { type: "For" | "Select" | "While" | "ArithmeticFor" }>;
type Substitution = Extract<SyntaxNode, { type: "CommandExpansion" | "ProcessSubstitution" | "ArithmeticCommandExpansion" }>;

function isLoop(node: SyntaxNode): node is Loop {
  const { type } = node;
  return type === "For" || type === "Select" || type === "While" || type === "ArithmeticFor";
}

function isSubstitution(node: SyntaxNode): node is Substitution {
  const { type } = node;
  return type === "CommandExpansion" || type === "ProcessSubstitution" || type === "ArithmeticCommandExpansion";
}

function readChildren(node: SyntaxNode, place: Place, reader: Reader): void {
  // `((x = 1))`
  if (node.type === "ArithmeticCommand") place.state.forget();
  if (node.type === "TestUnary" && FILE_TEST.test(node.operator)) noteTest([node.operand], node.operator, place, reader);
  if (node.type === "TestBinary" && FILE_COMPARISON.test(node.operator)) noteTest([node.left, node.right], node.operator, place, reader);
  const inside = node.type === "Assignment" ? { ...place, isAssignment: true, printsData: false } : place;
  loadParser().forEachChild(node, (child) => reader.readNode(child, inside));
}

function noteTest(words: readonly Word[], operator: string, place: Place, { found }: Reader): void {
  for (const word of words) found.tests.push({ word: readWhole(word, scopeOf(place)), operator, folder: place.state.folders.main });
}

function inSubshell(place: Place): Place {
  return { ...place, state: new ShellState(place.state) };
}

/** The body runs when the function is called: with whatever variables and folder there are then. */
function readFunction(node: Extract<SyntaxNode, { type: "Function" }>, place: Place, reader: Reader): void {
  const state = new ShellState(place.state);
  state.forget();
  if (mayChangeFolder(place.source)) state.folders.goAnywhere();
  const body = place.source.slice(node.pos, node.end);
  const definition = { changesFolder: mayChangeFolder(body), makesReferences: mayMakeReference(body) };
  reader.found.functions.add(node.name.text);
  place.state.functions.set(node.name.text, definition);
  state.functions.set(node.name.text, definition);
  reader.readNode(node.body, { ...place, state, stdin: undefined, printsData: false });
}

function readSubstitution(node: Substitution, place: Place, { found, readNode }: Reader): void {
  if (node.type !== "ProcessSubstitution" && !place.isAssignment) found.hasSubstitution = true;
  const { script } = node;
  if (!script) {
    found.doubt("unparsable", "A substitution could not be parsed.", spanIn(place, node));
    return;
  }
  // `${ command; }` runs in the shell itself.
  if (node.text.startsWith("${")) {
    place.state.giveUp();
    if (mayChangeFolder(node.text)) place.state.folders.goAnywhere();
  }
  const inside = inSubshell(place);
  // bash 5.2 moves an assignment after a here-document in a substitution into the background, and may join commands.
  if (node.text.includes("<<")) inside.state.giveUp();
  if (script.commands.length > 1 && pipesHereDocument(node.text))
    found.doubt("misread", "Shells differ in what follows a here-document in a substitution.", spanIn(place, node));
  if (script.source === undefined) checkInside(script, node, place, found);
  const decoded = script.source === undefined ? {} : { source: script.source, fixed: spanIn(place, node) };
  const start = found.commands.length;
  readNode(script, { ...inside, ...decoded, redirects: [] });
  found.evaluated.addOutput(node.text, [start, found.commands.length]);
}

/** Whether a here-document's text is followed by a pipe, and that by another command. */
function pipesHereDocument(text: string): boolean {
  const pipe = text.indexOf("|", text.search(/(?<!<)<<(?!<)/) + 1);
  return /(?<!<)<<(?!<)/.test(text) && pipe !== -1 && text.includes(";", pipe);
}

/** `a && b || c`: what one command changes is certain for the next only as long as every operator is `&&`. */
function readChain({ commands, operators }: AndOr, place: Place, { readNode, found }: Reader): void {
  const [first, ...rest] = commands;
  if (first) readNode(first, place);
  const anyOutcome = new ShellState(place.state);
  let last = place.state;
  let isAllAnd = true;
  rest.forEach((command, index) => {
    isAllAnd &&= operators[index] === "&&";
    last = new ShellState(isAllAnd ? last : anyOutcome);
    if (isAllAnd && isMove(commands[index], found)) last.folders.succeed();
    readNode(command, { ...place, state: last });
    anyOutcome.join(last);
  });
  place.state.join(anyOutcome);
}

/** `cd folder`, and nothing that only looks like it. */
function isMove(node: AndOr["commands"][number] | undefined, { functions }: Reader["found"]): boolean {
  const name = node?.type === "Command" ? node.name?.text : undefined;
  return (name === "cd" || name === "pushd") && !functions.has(name);
}

function readBranches({ clause, then, elif, else: otherwise }: If, place: Place, { readNode }: Reader): void {
  readNode(clause, place);
  const outcomes: ShellState[] = [];
  const branch = (body: If["then"]): void => {
    const state = new ShellState(place.state);
    readNode(body, { ...place, state });
    outcomes.push(state);
  };
  branch(then);
  for (const { clause: condition, then: body } of elif) {
    readNode(condition, place);
    branch(body);
  }
  if (otherwise) branch(otherwise);
  for (const state of outcomes) place.state.join(state);
}

function readCases({ word, items }: Case, place: Place, { readNode }: Reader): void {
  readNode(word, place);
  const outcomes: ShellState[] = [];
  let fallsThrough: ShellState | undefined;
  for (const { pattern, body, terminator } of items) {
    const state = new ShellState(place.state);
    if (fallsThrough) state.join(fallsThrough);
    for (const choice of pattern) readNode(choice, place);
    readNode(body, { ...place, state });
    outcomes.push(state);
    fallsThrough = terminator === ";&" || terminator === ";;&" ? state : undefined;
  }
  for (const state of outcomes) place.state.join(state);
}

/** Each command of a pipeline runs in its own shell and reads what the one before it prints. */
function readPipeline({ commands }: Pipeline, place: Place, { readNode, found }: Reader): void {
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
function readGroup({ command, redirects }: Redirected, place: Place, reader: Reader): void {
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
function readLoop(node: For | Select | While | ArithmeticFor, place: Place, reader: Reader): void {
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
