import { loadParser } from "../load-parser.ts";
import { type ShellCommand, type ShellStdin, type ShellWord, type Span, UNKNOWN } from "../types.ts";
import { readWords } from "../words/read-word.ts";
import { startedByVariables } from "../wrappers/foreign/started-by-foreign.ts";
import { programName } from "../wrappers/program-name.ts";
import type { Started } from "../wrappers/started.ts";
import { startedBy } from "../wrappers/started-by.ts";
import { noteProgram } from "./evaluated/builtins.ts";
import { POSITIONALS } from "./evaluated/evaluated.ts";
import { noteVariable } from "./evaluated/nodes.ts";
import { type Place, scopeOf } from "./place.ts";
import type { Reader } from "./reader.ts";
import type { FileInput } from "./redirects.ts";
import { applyEffects } from "./state/builtin-effects.ts";
import { ShellState } from "./state/shell-state.ts";

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

/** `env -S 'A=1 git push'`: quoting works much as in a shell. */
function splitWords(
  { split: text, span }: { readonly split: string; readonly span: Span },
  place: Place,
  { found }: Reader,
): readonly ShellWord[] {
  const script = loadParser().parse(text);
  const command = script.commands[0]?.command;
  if (script.errors?.length || script.commands.length !== 1 || command?.type !== "Command" || !command.name) {
    found.doubt("dynamic-script", "The text that env -S splits is not a plain command.");
    return [];
  }
  return [command.name, ...command.args].flatMap((word) => readWords(word, { ...scopeOf(place), spanOf: () => span }));
}
