import { readOptions } from "../arguments.ts";
import { formatted } from "../programs/printed.ts";
import { COMPGEN, MAPFILE } from "../programs/special-programs.ts";
import { type Input, programName, type Started, type Wrapper } from "../programs/started.ts";
import { startedBy } from "../programs/started-by.ts";
import { startedByVariables } from "../programs/started-by-foreign.ts";
import { type ShellCommand, type ShellStdin, type ShellWord, type Span, UNKNOWN } from "../types.ts";
import { cutWord, textWord } from "../words.ts";
import { ANY_NAME, type Evaluation, POSITIONALS, type Sink } from "./evaluated.ts";
import type { Findings, Place, Reader } from "./findings.ts";
import { assignWords, COMPARES_NUMBERS, noteName, noteVariable, TESTS_NAME } from "./nodes.ts";
import { noteBuiltin } from "./read-evaluated.ts";
import { applyEffects, ShellState } from "./shell-state.ts";
import type { FileInput } from "./simple-command.ts";

const MAX_DEPTH = 8;

/** A program with its words, as some shell or wrapper starts it. */
interface Program extends Pick<ShellCommand, "words" | "assignments" | "redirects" | "span"> {
  readonly stdin?: ShellStdin | FileInput | undefined;
}

/** Adds a program and what it starts in turn. */
export function readProgram(program: Program, place: Place, reader: Reader): void {
  const { found } = reader;
  const { words, assignments, redirects, span, stdin } = program;
  const { wrapping, state } = place;
  const command: ShellCommand = {
    words,
    wrappers: wrapping.names,
    assignments,
    redirects,
    ...(stdin && stdin.kind !== "file" && { stdin }),
    ...(state.folders.main !== undefined && { folder: state.folders.main }),
    span,
    ...(wrapping.startedBy !== undefined && { startedBy: wrapping.startedBy }),
    isPlainlyWrapped: wrapping.isPlain,
  };
  const index = found.add(command, state.folders);
  if (index === undefined || words.length === 0) return;
  checkName(words, place, reader);
  noteProgram(program, place, found);
  for (const started of [...startedBy(words, stdin), ...startedByVariables(program)]) {
    const names = [...wrapping.names, programName(words)];
    const inner = { names, startedBy: index, isPlain: wrapping.isPlain && started.isPlain === true };
    const inside = { ...place, wrapping: inner };
    if (started.kind !== "doubt" && started.isForeign) readForeign(started, program, inside, reader);
    else readStarted(started, program, inside, reader);
  }
}

/** Code of another language is read apart: its doubts are its own. */
function readForeign(started: Exclude<Started, { kind: "doubt" }>, program: Program, place: Place, reader: Reader): void {
  const span = started.kind === "words" ? started.words[0]?.span : started.span;
  const text =
    started.kind === "script" ? started.script : started.kind === "words" ? started.words.map((word) => word.text).join("\0") : "";
  reader.readApart({ text, span: span ?? program.span }, (apart) =>
    readStarted(started, { ...program, redirects: [], assignments: [], span: span ?? program.span }, place, apart),
  );
}

function checkName(words: readonly ShellWord[], { state }: Place, { found }: Reader): void {
  const [name] = words;
  if (!name) return;
  if (name.text.includes(UNKNOWN)) found.doubt("dynamic-name", "The name of a command is known only when it runs.", name.span);
  if (state.aliases.has(name.text)) found.doubt("dynamic-name", `${name.text} may be an alias.`, name.span);
}

function readStarted(started: Started, program: Program, place: Place, reader: Reader): void {
  const { found } = reader;
  if (started.kind === "doubt") {
    found.doubt(started.code, started.text, program.span);
    return;
  }
  if (place.wrapping.names.length > MAX_DEPTH) {
    found.doubt("too-deep", `It is nested deeper than ${MAX_DEPTH}.`, program.span);
    return;
  }
  for (const { name, value } of started.assignments ?? []) noteVariable(name, value, place, found);
  for (const word of started.positionals ?? []) found.evaluated.assign(POSITIONALS, { kind: "word", word });
  const inside: Place = { ...place, state: stateFor(started, place) };
  // `env CDPATH=…`, `bash -O cdable_vars`
  if (!started.isSameShell) for (const { text } of program.words.slice(1)) inside.state.noteOption(text);
  if (started.kind === "script") {
    const stdin = program.stdin?.kind === "file" || started.isStdin ? undefined : program.stdin;
    reader.readScript(started.script, {
      ...inside,
      fixed: started.span,
      stdin,
      inputFrom: found.commands.length,
      redirects: program.redirects,
      printsData: false,
      isPosix: started.isPosix ?? place.isPosix,
    });
    return;
  }
  const words = started.kind === "words" ? started.words : [...splitWords(started, inside, reader), ...started.after];
  if (words.length === 0) return;
  const stdin = started.kind === "words" && started.readsStdin ? undefined : program.stdin;
  readProgram({ ...program, words, stdin, assignments: [...program.assignments, ...(started.assignments ?? [])] }, inside, reader);
  if (inside.state === place.state) applyEffects(words, place.state, place.isPosix);
}

/** A builtin works in the shell itself, another program in its own process. */
function stateFor(started: Exclude<Started, { kind: "doubt" }>, { state }: Place): ShellState {
  if (started.isSameShell) return state;
  const inside = new ShellState(state);
  if (started.kind === "script") inside.forget();
  for (const [index, word] of started.positionals?.entries() ?? []) inside.assign(String(index), word.text);
  if (started.folder) inside.folders.enter(started.folder);
  if (started.isElsewhere) inside.folders.leave();
  return inside;
}

/** `env -S 'A=1 git push'`: the words that env makes of a text. */
function splitWords(
  { split: text, span }: { readonly split: string; readonly span: Span },
  { state }: Place,
  { found }: Reader,
): readonly ShellWord[] {
  const words = splitText(text, (name) => state.valueOf(name) ?? UNKNOWN);
  if (!words) found.doubt("dynamic-script", "The text that env -S splits cannot be read.");
  if (words?.some((word) => word.includes(UNKNOWN)))
    found.doubt("dynamic-script", "Part of the text that env -S splits is known only when it runs.");
  return words?.map((word) => textWord(word, span)) ?? [];
}

/** A blank, the end of the text, a quoted text, a variable, an escaped or a plain character: env's own quoting. */
const SPLIT =
  /(\s+|\\_)|(#[\s\S]*|\\c[\s\S]*)|'((?:\\['\\]|\\(?!['\\])|[^'\\])*)'|"((?:\\[^c]|\$\{\w+\}|[^"\\$])*)"|((?:\\[^_c]|\$\{\w+\}|[^\s'"\\$])+)/y;
const SPLIT_ESCAPES: Readonly<Record<string, string>> = { f: "\f", n: "\n", r: "\r", t: "\t", v: "\v", _: " " };

/** Nothing if env would refuse the text. */
function splitText(text: string, variable: (name: string) => string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let isRead = true;
  const withoutEscapes = (piece: string): string =>
    piece.replace(/\$\{(\w+)\}|\\([\s\S])/g, (_, name: string | undefined, letter = "") => {
      if (name !== undefined) return variable(name);
      isRead &&= /[fnrtv_"#$'\\]/.test(letter);
      return SPLIT_ESCAPES[letter] ?? letter;
    });
  for (SPLIT.lastIndex = 0; SPLIT.lastIndex < text.length; ) {
    const [found, blank, end, single, double, plain] = SPLIT.exec(text) ?? [];
    if (found === undefined) return undefined;
    // In the middle of a word it is a character like others.
    if (end !== undefined && (word === undefined || end.startsWith("\\"))) break;
    if (end !== undefined) SPLIT.lastIndex -= end.length - 1;
    if (blank !== undefined && word !== undefined) words.push(word);
    word =
      blank === undefined
        ? (word ?? "") + (end?.charAt(0) ?? single?.replace(/\\(['\\])/g, "$1") ?? withoutEscapes(double ?? plain ?? ""))
        : undefined;
  }
  if (word !== undefined) words.push(word);
  return isRead ? words : undefined;
}

interface BuiltinCall {
  readonly words: readonly ShellWord[];
  readonly stdin?: Input;
}

/** What is known of a builtin that is looked at. */
interface Builtin extends BuiltinCall {
  readonly name: string;
  readonly args: readonly ShellWord[];
  readonly place: Place;
  readonly found: Findings;
}

const READ: Wrapper = { options: "-ersEAqk -adinNptu:" };

const BUILTINS: Readonly<Record<string, ((builtin: Builtin) => void) | undefined>> = Object.assign(Object.create(null), {
  let: ({ args, ...at }: Builtin) => evaluateAll(args, "code", at),
  test: noteTest,
  "[": noteTest,
  read: (at: Builtin) => noteReader(at, READ, "REPLY"),
  mapfile: (at: Builtin) => noteReader(at, MAPFILE, "MAPFILE"),
  readarray: (at: Builtin) => noteReader(at, MAPFILE, "MAPFILE"),
  printf: notePrintf,
  unset: ({ words, ...at }: Builtin) => evaluateAll(readOptions(words, { options: "-fvn" }).rest, "name", at),
  wait: ({ words, ...at }: Builtin) => evaluateOption(words, { options: "-fn -p:" }, "p", at),
  getopts: noteGetopts,
  set: ({ args, found }: Builtin) => assignWords(POSITIONALS, args, found),
  compgen: ({ words, ...at }: Builtin) => evaluateOption(words, COMPGEN, "W", { ...at, how: "prompt" }),
  complete: ({ words, ...at }: Builtin) => evaluateOption(words, COMPGEN, "W", { ...at, how: "prompt" }),
  declare: noteDeclaration,
  typeset: noteDeclaration,
  local: noteDeclaration,
  integer: noteDeclaration,
  export: noteDeclaration,
  readonly: noteDeclaration,
} satisfies Record<string, (builtin: Builtin) => void>);

/**
 * Takes the programs of the walk. Notes for `Evaluated` what builtins assign, and which of their words they evaluate:
 * `printf -v "$x"` and `test -v "$x"` run the commands that stand in the value of `x`.
 */
function noteProgram({ words, stdin }: BuiltinCall, place: Place, found: Findings): void {
  const name = programName(words);
  const args = words.slice(1);
  if (found.functions.has(words[0]?.text ?? "")) assignWords(POSITIONALS, args, found);
  noteBuiltin(words, place, found);
  BUILTINS[name]?.({ name, words, args, stdin, place, found });
}

type At = Pick<Builtin, "place" | "found">;

function evaluateAll(words: readonly ShellWord[], how: Evaluation, { found }: Pick<At, "found">, more: Partial<Sink> = {}): void {
  for (const word of words) found.evaluated.evaluate({ source: { kind: "word", word }, how, span: word.span, ...more });
}

function evaluateOption(
  words: readonly ShellWord[],
  options: Wrapper,
  letter: string,
  { found, how }: At & { readonly how?: Evaluation },
): void {
  const value = readOptions(words, options).values.get(letter);
  if (value) evaluateAll([value], how ?? "name", { found });
  evaluateSplit(words, found);
}

/** An unquoted variable may hold an option with its value. */
function evaluateSplit(words: readonly ShellWord[], found: Findings): void {
  const split = words.filter(({ source, text }) => source.startsWith("$") && text.includes(UNKNOWN));
  evaluateAll(split, "code", { found }, { isWeak: true });
}

/** SECURITY: `test -v 'a[$(…)]'` runs the command. Other shells than bash also evaluate numbers that they compare. */
function noteTest({ words, found }: Builtin): void {
  for (const [at, { text }] of words.entries()) {
    const isUnknown = at > 0 && text.includes(UNKNOWN);
    const next = words.slice(at + 1, at + 2);
    if (TESTS_NAME.test(text) || isUnknown) evaluateAll(next, "name", { found });
    if (COMPARES_NUMBERS.test(text)) evaluateAll([...words.slice(at - 1, at), ...next], "code", { found }, { isWeak: !found.isZsh });
  }
  evaluateSplit(words, found);
}

/** `read a b`, `mapfile lines`: names, which get what is read. */
function noteReader({ words, stdin, place, found }: Builtin, options: Wrapper, otherwise: string): void {
  const { rest, values } = readOptions(words, options);
  const array = values.get("a");
  const names = [...rest, ...(array ? [array] : [])];
  evaluateAll(names, "name", { found });
  const length = Number((values.get("N") ?? values.get("n"))?.text);
  const source = {
    kind: "input",
    stdin: values.has("u") ? undefined : stdin,
    ends: values.get("d")?.text,
    ...(otherwise === "REPLY" && length > 0 && { length }),
  } as const;
  for (const name of names.length > 0 ? names.map(nameIn) : [otherwise]) {
    found.evaluated.assign(name, source);
    noteName(name, place, found);
  }
}

/** The variable that a word names, without its subscript. */
function nameIn({ text }: ShellWord): string {
  return /^\w+(?!\w*\uFFFF)/.exec(text)?.[0] ?? ANY_NAME;
}

function notePrintf({ words, place, found }: Builtin): void {
  const { rest, values } = readOptions(words, { options: "-v:" });
  const variable = values.get("v");
  evaluateSplit(words.slice(0, 2), found);
  if (!variable) return;
  evaluateAll([variable], "name", { found });
  assignWords(nameIn(variable), rest, found);
  const text = formatted(rest.map((word) => word.text));
  if (text !== undefined) assignWords(nameIn(variable), [textWord(text, variable.span)], found);
  noteName(nameIn(variable), place, found);
}

function noteGetopts({ args: [, variable, ...given], found }: Builtin): void {
  if (variable) evaluateAll([variable], "name", { found });
  assignWords("OPTARG", [...given, ...given.flatMap((word) => (/^-./.test(word.text) ? [cutWord(word, 2)] : []))], found);
  if (given.length === 0) found.evaluated.assign("OPTARG", { kind: "variable", name: POSITIONALS });
}

/** `declare -i x=…` evaluates a number, `declare -n x=…` a name, `declare 'a[…]=…'` a subscript, `declare -a 'x=(…)'` a list of words. */
function noteDeclaration(builtin: Builtin): void {
  const { args } = builtin;
  const options = args.filter(({ text }) => /^[-+]/.test(text)).map(({ text }) => text);
  const isUnknown = args.some(({ text, source }) => text.startsWith(UNKNOWN) && source.startsWith("$"));
  const has = (letter: string): boolean => isUnknown || options.some((text) => text.includes(letter) || text.includes(UNKNOWN));
  for (const word of args) if (!/^[-+]/.test(word.text)) noteDeclared(word, builtin, has);
}

function noteDeclared(word: ShellWord, { name: builtin, place, found }: Builtin, has: (letter: string) => boolean): void {
  // `x=(…)` as written is unknown as a whole.
  const list = word.text === UNKNOWN ? /^(\w+)\+?=\(/.exec(word.source)?.[1] : undefined;
  const [left = "", value] = list === undefined ? word.text.split(/\+?=(.*)/s) : [list];
  const name = nameIn({ ...word, text: left });
  const evaluate = (how: Evaluation, source: Sink["source"] = { kind: "word", word }): void =>
    found.evaluated.evaluate({ source, how, span: word.span });
  if (value !== undefined || name === ANY_NAME) found.evaluated.assign(name, { kind: "word", word });
  noteName(name, place, found);
  if (["l", "u", "c"].some(has)) found.evaluated.cased.add(name);
  // These take neither a subscript nor an option that evaluates.
  if (builtin === "export" || builtin === "readonly") return;
  if (/[[\uFFFF]/.test(left)) evaluate("name");
  if (isQuotedList(word, value, has)) evaluate("code");
  if (has("i") || builtin === "integer") evaluate("code", { kind: "variable", name });
  if (has("n")) noteReference(name, word, found);
  if (has("n")) noteName(/^\w+=(\w*)/.exec(word.text)?.[1] ?? "", place, found);
}

/** `declare -a 'x=($(…))'`: the words in it are expanded once more. */
function isQuotedList({ source }: ShellWord, value: string | undefined, has: (letter: string) => boolean): boolean {
  return value !== undefined && (value.startsWith("(") || (value.startsWith(UNKNOWN) && (has("a") || has("A")) && !source.includes("(")));
}

/** What is assigned to a reference lands in the variable it names, and the other way round. */
function noteReference(name: string, { text, span, ...word }: ShellWord, { evaluated }: Findings): void {
  evaluated.references.add(name);
  evaluated.evaluate({ source: { kind: "variable", name }, how: "name", span });
  const target = /^\w+=(\w+)$/.exec(text)?.[1];
  evaluated.assign(target ?? ANY_NAME, { kind: "variable", name });
  evaluated.assign(name, target === undefined ? { kind: "word", word } : { kind: "word", word: textWord(target, span) });
}
