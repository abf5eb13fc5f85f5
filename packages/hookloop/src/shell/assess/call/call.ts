import { programOf } from "../../arguments/program-of.ts";
import { type Arguments, findOption, type GivenOption, readArguments } from "../../arguments/read-arguments.ts";
import { valuedOptions } from "../../arguments/valued-options.ts";
import { type ShellCommand, type ShellReading, type ShellWord, type Span, UNKNOWN } from "../../types.ts";
import type { FactKind } from "../profiles.ts";

/** What every rule may ask about the place a command runs in. */
export interface Scene {
  readonly text: string;
  readonly cwd: string;
  readonly home: string;
  readonly workspace: string;
  readonly reading: ShellReading;
  /** Judges shell text that was found inside another language or a variable. */
  readonly judgeText: (text: string, span: Span) => void;
  /** Judges words that one of the commands would start. */
  readonly judgeWords: (words: readonly ShellWord[], command: ShellCommand) => void;
  /** Commands in which reading has seen another one start. */
  readonly starters: ReadonlySet<ShellCommand>;
  /** What a command of the reading would be to the rules; made once. */
  readonly callOf: (command: ShellCommand) => Call;
  /** Names of files that the command downloads itself. */
  readonly downloads: () => ReadonlySet<string>;
}

/** One command, prepared for the rules. */
export interface Call {
  /** Lower case, without folder, `.exe` and version: `python3.12` is `python`. */
  readonly name: string;
  readonly command: ShellCommand;
  readonly words: readonly ShellWord[];
  readonly given: Arguments;
  readonly scene: Scene;
  /** Where the commands before it in its pipe are, transitively. */
  readonly sources: () => readonly ShellCommand[];
}

/** Notes a fact; `at` is what shows it, else the whole command. */
export type Report = (kind: FactKind, text: string, at?: { readonly span: Span }) => void;

/** `family`: the program whose sub-command the words are. */
export function callOf(command: ShellCommand, words: readonly ShellWord[], scene: Scene, family?: string): Call {
  const name = family ? (words[0]?.text.toLowerCase() ?? "") : programOf(words[0]);
  const given = readArguments(words.slice(1), valuedOptions(family ? `${family} ${name}` : name));
  return { name, command, words, given, scene, sources: () => sourcesOf(command, scene.reading) };
}

/** A pipe longer than this is looked at from its end only; every shell in it still makes the reading uncertain. */
const MAX_SOURCES = 32;

function sourcesOf(command: ShellCommand, reading: ShellReading): readonly ShellCommand[] {
  const found = new Set<ShellCommand>();
  const waiting = [command];
  for (let next = waiting.pop(); next && found.size < MAX_SOURCES; next = waiting.pop()) {
    if (next.stdin?.kind !== "pipe") continue;
    for (const index of next.stdin.from.slice(0, MAX_SOURCES)) {
      const source = reading.commands[index];
      if (!source || found.has(source)) continue;
      found.add(source);
      waiting.push(source);
    }
  }
  return [...found];
}

/** Whether one of these options is given. */
export function has({ given }: Call, ...names: readonly string[]): boolean {
  return findOption(given, names) !== undefined;
}

/** As `has`, for options that make a command harmless: SECURITY: a short abbreviation could mean another option. */
export function clearlyHas({ given }: Call, ...names: readonly string[]): boolean {
  return findOption(given, names, 6) !== undefined;
}

export function option({ given }: Call, ...names: readonly string[]): GivenOption | undefined {
  return findOption(given, names);
}

/** The operand's text in lower case: sub-commands are compared with it. */
export function operand({ given }: Call, at: number): string {
  return given.operands[at]?.text.toLowerCase() ?? "";
}

/** Whether its arguments come from another command's output: `… | xargs rm`. */
export function isFed({ command }: Call): boolean {
  return command.wrappers.some((wrapper) => wrapper === "xargs" || wrapper === "parallel");
}

export function isUnknown(word: ShellWord | undefined): boolean {
  return word?.text.includes(UNKNOWN) ?? false;
}
