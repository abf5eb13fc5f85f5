/**
 * Takes the words of a sed command, or a script of sed. Gives the shell texts that it runs and the files that it reads and writes.
 * Never guesses: a script that cannot be read to its end is said to be so, and may do anything.
 */

import { readArguments } from "../arguments.ts";
import { type ShellWord, type Span, UNKNOWN } from "../types.ts";
import { optionForms } from "./program.ts";
import type { Input } from "./started.ts";

export interface SedReading {
  /** What `e` and `s///e` run. */
  readonly commands: readonly string[];
  /** It runs what it reads, or what it makes of that. */
  readonly runsInput: boolean;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Not all of it is understood. */
  readonly isUnread: boolean;
}

const IS_INPUT = /^(?:-|\/dev\/(?:stdin|fd\/0))$/;

/** The script of a sed command, as far as it stands in the words or on the input. */
export function sedScript(
  words: readonly ShellWord[],
  stdin: Input,
): { readonly text: string; readonly at: { readonly span: Span } } | undefined {
  const { options, operands } = readArguments(words, optionForms("sed"));
  const given = options.filter(({ name, value }) => value && /^(?:-[ef]|--expression|--file)$/.test(name));
  const at = given[0]?.word ?? operands[0];
  if (!at) return undefined;
  if (given.length === 0) return { text: at.text, at };
  // Each begins a new line: `-e 'a\' -e 'text'`.
  const texts = given.flatMap(({ name, value }) => {
    if (/e$|n$/.test(name) && name !== "--file") return [value?.text ?? ""];
    return IS_INPUT.test(value?.text ?? "") && stdin?.kind === "text" ? [stdin.text] : [];
  });
  return { text: texts.join("\n"), at };
}

/** A line with a step, the last one, or one that is not known; for a second address also a distance. */
const LINE = new RegExp(String.raw`\d+(?:\s*~\s*\d+)?|[+~]\s*\d+|\$|${UNKNOWN}+`, "y");
const BRACKETS = /\[\^?\]?(?:\[[:.=][^\]\n]{1,16}[:.=]\]|[^\]\n])*\]/y;
const MAX_COMMANDS = 1000;

/** To some versions of sed the mark that ends an expression ends it also between brackets: both readings count. */
export function readSed(script: string): SedReading {
  const reading = new SedReader(script, true).read();
  if (!script.includes("[")) return reading;
  const other = new SedReader(script, false).read();
  return {
    commands: [...new Set([...reading.commands, ...other.commands])],
    runsInput: reading.runsInput || other.runsInput,
    reads: [...new Set([...reading.reads, ...other.reads])],
    writes: [...new Set([...reading.writes, ...other.writes])],
    isUnread: reading.isUnread && other.isUnread,
  };
}

class SedReader {
  readonly #text: string;
  readonly #hasBrackets: boolean;
  #at = 0;
  readonly #commands: string[] = [];
  readonly #reads: string[] = [];
  readonly #writes: string[] = [];
  #runsInput = false;

  constructor(
    text: string,
    /** Brackets keep the mark from ending an expression. */
    hasBrackets: boolean,
  ) {
    this.#text = text;
    this.#hasBrackets = hasBrackets;
  }

  read(): SedReading {
    let isRead = true;
    for (let count = 0; isRead && this.#take(/[\s;]*/y) !== undefined && this.#at < this.#text.length; count++)
      isRead = count < MAX_COMMANDS && this.#readCommand();
    return { commands: this.#commands, runsInput: this.#runsInput, reads: this.#reads, writes: this.#writes, isUnread: !isRead };
  }

  /** One command with its addresses; false if it is none. */
  #readCommand(): boolean {
    if (this.#address() && this.#take(/\s*,\s*/y) !== undefined && !this.#address()) return false;
    this.#take(/[\s!]*/y);
    const name = this.#text.charAt(this.#at++);
    if (name === "s") return this.#readSubstitution();
    if (name === "y") return this.#readParts() !== undefined;
    if (name === "e") {
      const command = this.#textBlock();
      if (command === "") this.#runsInput = true;
      else this.#commands.push(command);
      return true;
    }
    if (/[aic]/.test(name)) return this.#textBlock() !== "";
    if (/[rR]/.test(name)) return this.#reads.push(this.#line()) > 0;
    if (/[wW]/.test(name)) return this.#writes.push(this.#line()) > 0;
    if (name === "#") return this.#take(/[^\n]*/y) !== undefined;
    // Behind a label some take what follows a blank for a command.
    if (/[:btTv]/.test(name)) return this.#take(/[^\S\n]*[^\s;}]*/y) !== undefined;
    if (/[qQlL]/.test(name)) return this.#take(/[^\S\n]*\d*/y) !== undefined;
    return /[{}=dDgGhHnNpPxzF]/.test(name);
  }

  #address(): boolean {
    if (this.#take(LINE) !== undefined) return true;
    const start = this.#take(/\/|\\[^\n\\]/y);
    return start !== undefined && this.#untilMark(start.slice(-1), true) !== undefined && this.#take(/[IM]*/y) !== undefined;
  }

  /** `s/x/y/flags`. */
  #readSubstitution(): boolean {
    const parts = this.#readParts();
    if (!parts) return false;
    const flags = this.#take(/[gpiImMe\d]*/y) ?? "";
    if (this.#take(/w/y) !== undefined) this.#writes.push(this.#line());
    if (!flags.includes("e")) return true;
    const [pattern, replacement] = parts;
    this.#commands.push(replacement.replace(/\\([\s\S])/g, "$1"));
    // What is run is the whole line.
    if (/&|\\\d/.test(replacement.replace(/\\[^\d]/g, "")) || !/^\^?\.\*\$?$/.test(pattern)) this.#runsInput = true;
    return true;
  }

  /** The two texts between three marks. */
  #readParts(): readonly [string, string] | undefined {
    const mark = this.#text.charAt(this.#at++);
    if (/[\n\\]/.test(mark) || mark === "") return undefined;
    const first = this.#untilMark(mark, true);
    const second = first === undefined ? undefined : this.#untilMark(mark);
    return first === undefined || second === undefined ? undefined : [first, second];
  }

  #untilMark(mark: string, isExpression = false): string | undefined {
    const start = this.#at;
    const lineEnd = this.#text.indexOf("\n", start);
    // SECURITY: brackets that nothing closes are not looked through once for each.
    const lastClosing = this.#text.lastIndexOf("]", lineEnd === -1 ? this.#text.length : lineEnd);
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text.charAt(this.#at);
      if (character === mark) return this.#text.slice(start, this.#at++);
      if (character === "\n") return undefined;
      if (character === "\\") this.#at++;
      if (character === "[" && isExpression && this.#hasBrackets && this.#at < lastClosing && this.#take(BRACKETS) !== undefined)
        this.#at--;
    }
    return undefined;
  }

  /** The text of `a`, `i`, `c` and `e`: up to the end of a line that has no backslash there; a first backslash and the line's end are not part of it. */
  #textBlock(): string {
    this.#take(/[^\S\n]*(?:\\[^\S\n]*\n?)?/y);
    return (this.#take(/(?:\\[\s\S]|[^\\\n])*/y) ?? "").replace(/\\([\s\S])/g, "$1");
  }

  #line(): string {
    return (this.#take(/[^\n]*/y) ?? "").trim();
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}
