/**
 * Takes the commands of a reading and everything that the line assigns. Gives the commands with, for each part that only the running shell
 * knows, what the line itself says it may be: a default (`${x:-file}`), a value that is set anywhere (`x=file; for i in 1 2; do cat "$x"; done`),
 * what is left of one (`${x%.bak}`), what a substitution plainly prints (`$(echo file)`). The part stays unknown: the values are added for those who look for paths, and nothing is taken for certain.
 */

import type { ParameterExpansionPart, Word } from "unbash";
import { knownOutput } from "../programs/printed.ts";
import { type ShellCommand, type ShellRedirect, type ShellWord, UNKNOWN, type WordPart } from "../types.ts";
import { cutWord, loadParser, readWhole, remembered, type WordScope } from "../words.ts";
import type { Evaluated } from "./evaluated.ts";

type Parts = readonly WordPart[];
type Computed = Extract<WordPart, { kind: "computed" }>;

const MAX_VALUES = 48;
const MAX_DEPTH = 3;
/** SECURITY: patterns with many wildcards take long on long texts. */
const MAX_TEXT = 256;
const MAX_WILDCARDS = 3;

/** What the line makes of its own text, and cannot be told: it may be any name. */
const ANY_TEXT: Parts = [{ kind: "computed", source: "" }];
/** Variables that the shell fills with text of the line. */
const OWN_TEXT = /^BASH_(?:COMMAND|EXECUTION_STRING|ARGV0?)$/;

/** Nothing is certain where a default stands. */
const SCOPE: WordScope = {
  spanOf: () => ({ start: 0, end: 0 }),
  valueOf: () => undefined,
  patternOf: () => undefined,
  mayExpand: () => false,
  isIfsPlain: true,
  isPosix: false,
};

/** The same commands, their words with possible values. */
export function withPossibleValues(commands: readonly ShellCommand[], evaluated: Evaluated): readonly ShellCommand[] {
  const values = new PossibleValues(evaluated, commands);
  const known = new Map<readonly ShellWord[], readonly ShellWord[]>();
  return commands.map((command) => {
    // Commands that are repeated for other folders share their words.
    const words = known.get(command.words) ?? values.inAll(command.words);
    known.set(command.words, words);
    const redirects = values.inTargets(command.redirects);
    return words === command.words && redirects === command.redirects ? command : { ...command, words, redirects };
  });
}

class PossibleValues {
  readonly #evaluated: Evaluated;
  readonly #commands: readonly ShellCommand[];
  readonly #known = new Map<string, readonly Parts[]>();

  constructor(evaluated: Evaluated, commands: readonly ShellCommand[]) {
    this.#evaluated = evaluated;
    this.#commands = commands;
  }

  inAll(words: readonly ShellWord[]): readonly ShellWord[] {
    if (!words.some(({ parts }) => parts.some(isOpen))) return words;
    return words.map((word) => this.#inWord(word));
  }

  inTargets(redirects: readonly ShellRedirect[]): readonly ShellRedirect[] {
    if (!redirects.some(({ target }) => target.parts.some(isOpen))) return redirects;
    return redirects.map((redirect) => ({ ...redirect, target: this.#inWord(redirect.target) }));
  }

  #inWord(word: ShellWord): ShellWord {
    const parts = this.#inParts(word.parts, 0);
    return parts === word.parts ? word : { ...word, parts };
  }

  #inParts(parts: Parts, depth: number): Parts {
    if (!parts.some(isOpen)) return parts;
    return parts.map((part) => {
      if (part.kind === "computed") return this.#printed(part.source);
      const instead = part.kind === "variable" ? this.#of(part.source, part.name, depth) : [];
      return instead.length === 0 ? part : { ...part, instead };
    });
  }

  #of(source: string, name: string, depth: number): readonly Parts[] {
    if (depth >= MAX_DEPTH) return [];
    const key = `${depth} ${source}`;
    let found = this.#known.get(key);
    if (!found) {
      // A value that is made of itself: `x=$x/a`.
      this.#known.set(key, []);
      const isBare = !name.startsWith("!") && (source === `$${name}` || source === `\${${name}}`);
      const all = this.#split(isBare ? this.#assigned(name, depth) : this.#expanded(source, depth));
      found = all.length > MAX_VALUES ? [...all.slice(0, MAX_VALUES), ANY_TEXT] : all;
      this.#known.set(key, found);
    }
    return found;
  }

  /** `$(echo file)`, `$(realpath file)`: what the commands of a substitution plainly print. */
  readonly #printed = remembered((source: string): Computed => {
    // SECURITY: a line can have the same substitution hundreds of times, and a loop gives it other values each time.
    const ranges = this.#evaluated.outputsOf(source);
    const printed = ranges.slice(0, MAX_VALUES).flatMap(([start, end]) => this.#commands.slice(start, end).map(printedParts));
    const instead = printed.flatMap((parts) => parts ?? []).slice(0, MAX_VALUES);
    const part = { kind: "computed", source } as const;
    return instead.length === 0
      ? part
      : { ...part, instead, ...((printed.includes(undefined) || ranges.length > MAX_VALUES) && { isPartial: true }) };
  });

  /** What the line assigns to a variable, wherever, and to those that it may refer to. */
  #assigned(name: string, depth: number): readonly Parts[] {
    if (OWN_TEXT.test(name)) return [ANY_TEXT];
    if (name === "BASH_REMATCH") return this.#matched(depth);
    const { references, cased } = this.#evaluated;
    const names = references.has(name) ? this.#targets(name, depth) : [name];
    const values = [...names.flatMap((one) => this.#given(one, depth))];
    if (/^[*@]$/.test(name)) values.push(...this.#joined(values));
    if (!names.some((one) => cased.has(one))) return values;
    const texts = values.flatMap((parts) => textOf(parts) ?? []);
    return [...values, ...texts.flatMap((text) => [text.toLowerCase(), text.toUpperCase()]).map((text) => [textPart(text)])];
  }

  /** `"$*"` puts the parameters together with the first character of `IFS`. */
  #joined(values: readonly Parts[]): readonly Parts[] {
    const texts = values.map((parts) => textOf(parts)).filter((text) => text !== "--");
    const isOther = this.#evaluated.assignedNames.includes("IFS") && !texts.includes(undefined);
    return isOther ? [...new Set(this.#separators("IFS").map((text) => texts.join(text.charAt(0))))].map((text) => [textPart(text)]) : [];
  }

  #given(name: string, depth: number): readonly Parts[] {
    const sources = this.#evaluated.assignedTo(name);
    const anywhere = this.#evaluated.assignedAnywhere;
    const given = [...sources.slice(0, MAX_VALUES + 1), ...anywhere.slice(0, MAX_VALUES + 1)];
    return given.flatMap((source, at): readonly Parts[] => {
      if (source.kind === "variable") return this.#of(`$${source.name}`, source.name, depth + 1);
      if (source.kind === "input") return this.#read(source);
      if (source.kind === "code") return [];
      const word = source.word as ShellWord;
      // `declare x=file`, `declare "$name=file"`
      const isAny = at >= sources.length && word.text?.includes("=");
      const start = isAny ? word.text.indexOf("=") + 1 : word.text?.startsWith(`${name}=`) ? name.length + 1 : 0;
      const own = start > 0 ? cutWord(word, start) : word;
      return own.parts.length === 0 ? [] : [this.#inParts(own.parts, depth + 1)];
    });
  }

  /** The variables that a reference may stand for, through others; all of the line, if that cannot be told. */
  #targets(name: string, depth: number): readonly string[] {
    const { references, assignedNames } = this.#evaluated;
    const found = new Set([name]);
    for (const one of found) {
      if (!references.has(one)) continue;
      const texts = this.#evaluated.assignedTo(one).flatMap((source) => {
        if (source.kind !== "word") return [undefined];
        const parts = source.word.parts.filter((part) => part.kind !== "text" || part.text !== `${one}=`);
        return parts.length === 0 ? [] : this.#inParts(parts, depth + 1).flatMap((part) => textsOf(part));
      });
      const isUnknown = texts.length === 0 || texts.includes(undefined) || found.size > MAX_VALUES;
      for (const text of isUnknown ? assignedNames : texts) {
        const target = /^(?:\w+=)?(\w+)/.exec(text ?? "")?.[1];
        if (target !== undefined) found.add(target);
      }
      if (isUnknown) break;
    }
    return [...found];
  }

  /** `[[ x.env =~ \.env ]]`: what fits, and its groups. */
  #matched(depth: number): readonly Parts[] {
    return this.#evaluated.matches.flatMap(({ left, pattern }) => {
      const lefts = this.#inParts(left.parts, depth + 1);
      const texts = lefts.length === 1 && lefts[0] ? textsOf(lefts[0]) : [textOf(lefts)];
      const source = pattern.parts.every(({ kind }) => kind === "text" || kind === "glob") ? pattern : undefined;
      return texts.flatMap((text) => {
        const found = text === undefined || !source ? undefined : matchedTexts(text, source);
        return found ? found.map((one) => [textPart(one)]) : [text === undefined ? lefts : ANY_TEXT];
      });
    });
  }

  /** What is not quoted is split where the line says. */
  #split(values: readonly Parts[]): readonly Parts[] {
    const { assignedNames } = this.#evaluated;
    if (!assignedNames.includes("IFS")) return values;
    const isEnd = this.#separator();
    return isEnd ? [...values, ...values.flatMap((parts) => fieldsAt(parts, isEnd))] : values;
  }

  /** The characters that `IFS` has anywhere in the line; of one that is not known, all that are not part of a word. */
  #separator(): RegExp | undefined {
    const characters = this.#separators("IFS").join("");
    return characters === "" ? undefined : new RegExp(`[${characters.replace(/[\]\\^-]/g, "\\$&")}]+`);
  }

  readonly #separators = remembered((name: "IFS") =>
    this.#evaluated.assignedTo(name).map((source) => {
      const word = source.kind === "word" ? (source.word as ShellWord) : undefined;
      return (word && textOf((word.text?.startsWith("IFS=") ? cutWord(word, 4) : word).parts)) ?? OTHER_CHARACTERS;
    }),
  );

  /** `read x <<< file`, `read x < <(echo file)`. */
  #read({ stdin, ends, length }: Extract<ReturnType<Evaluated["assignedTo"]>[number], { kind: "input" }>): readonly Parts[] {
    if (stdin?.kind === "text") {
      const text = length === undefined ? stdin.text : `${stdin.text} ${stdin.text.slice(0, length)}`;
      const fields = fieldsOf([textPart(text)]);
      const isEnd = ends ? new RegExp(`[${ends.charAt(0).replace(/[\]\\^-]/, "\\$&")}]`) : undefined;
      return isEnd ? [...fields, ...fields.flatMap((parts) => fieldsAt(parts, isEnd))] : fields;
    }
    const parts = stdin?.kind === "file" ? (stdin.target?.parts ?? []) : [];
    return parts.flatMap((part) => (part.kind === "computed" ? (this.#printed(part.source).instead ?? []) : []));
  }

  /** `${x:-file}`, `${x%.bak}`, `${!x}`. */
  #expanded(source: string, depth: number): readonly Parts[] {
    const command = loadParser().parse(`: ${source}`).commands[0]?.command;
    const part = command?.type === "Command" && command.args[0]?.type === "Word" ? command.args[0].parts?.[0] : undefined;
    if (part?.type !== "ParameterExpansion" || part.prefix === "#") return [];
    const { parameter, prefix, operation } = part;
    const named = this.#of(`$${parameter}`, parameter, depth + 1);
    const values = prefix === "!" ? named.flatMap((parts) => this.#of(`$${textOf(parts)}`, textOf(parts) ?? "", depth + 1)) : named;
    if (operation?.type !== "Default") return values.flatMap((parts) => changed(parts, operation));
    const operand = fieldsOf(this.#inParts(readOperand(operation.operand), depth + 1));
    return operation.operator.endsWith("?") ? values : operation.operator.endsWith("+") ? operand : [...values, ...operand];
  }
}

/** What a command prints, if its words tell; a path stays the same file. */
function printedParts(command: ShellCommand): readonly Parts[] | undefined {
  if (/^(?:realpath|readlink)$/.test(command.words[0]?.text ?? "")) return command.words.slice(1).map(({ parts }) => parts);
  const printed = knownOutput(command);
  return printed?.kind === "text" && !printed.text.includes(UNKNOWN) ? fieldsOf([textPart(printed.text)]) : undefined;
}

function isOpen({ kind }: WordPart): boolean {
  return kind === "variable" || kind === "computed";
}

function textPart(text: string): WordPart {
  return { kind: "text", text, isQuoted: false };
}

function readOperand(word: Word): Parts {
  return readWhole(word, SCOPE).parts;
}

/** The text of parts that are all known. */
function textOf(parts: Parts): string | undefined {
  return parts.every((part) => part.kind === "text") ? parts.map((part) => ("text" in part ? part.text : "")).join("") : undefined;
}

/** The texts that a part may stand for; undefined: one that is not known. */
function textsOf(part: WordPart): readonly (string | undefined)[] {
  if (part.kind === "text") return [part.text];
  if (!("instead" in part) || !part.instead) return [undefined];
  return part.instead.map((parts) => textOf(parts));
}

const OTHER_CHARACTERS = " ,:;|@#%+=!&";

/** The pieces between separators, quoted or not. */
function fieldsAt(parts: Parts, isEnd: RegExp): readonly Parts[] {
  const text = textOf(parts);
  const fields = text === undefined ? [] : text.split(isEnd).filter(Boolean);
  return fields.length === 1 && fields[0] === text ? [] : fields.map((field) => [textPart(field)]);
}

/** Blanks outside quotes make several words of it. */
function fieldsOf(parts: Parts): readonly Parts[] {
  const fields: WordPart[][] = [[]];
  for (const part of parts) {
    if (part.kind !== "text" || part.isQuoted) fields.at(-1)?.push(part);
    else
      for (const [at, text] of part.text.split(/\s+/).entries()) {
        if (at > 0) fields.push([]);
        if (text !== "") fields.at(-1)?.push({ ...part, text });
      }
  }
  return fields.filter((field) => field.length > 0);
}

/** What an operation makes of a value; the value itself where that cannot be told. */
function changed(parts: Parts, operation: ParameterExpansionPart["operation"]): readonly Parts[] {
  const text = textOf(parts);
  if (!operation || text === undefined || text.length > MAX_TEXT) return [parts];
  const result = changedText(text, operation);
  return result === "" ? [] : [[textPart(result)]];
}

type Operation = NonNullable<ParameterExpansionPart["operation"]>;

function changedText(text: string, operation: Operation): string {
  switch (operation.type) {
    case "Remove":
      return withoutMatch(text, operation);
    case "Replace":
      return withReplaced(text, operation);
    case "Slice":
      return sliceOf(text, Number(operation.offset.text), operation.length && Number(operation.length.text));
    case "CaseModification":
      return inCase(text, operation.operator);
    case "Transform":
      return inCase(text, { U: "^^", u: "^", L: ",," }[operation.operand.text] ?? "");
    default:
      return text;
  }
}

function withoutMatch(text: string, { operator, operand }: Extract<Operation, { type: "Remove" }>): string {
  const isLongest = operator.length > 1;
  const pattern = patternOf(readOperand(operand), isLongest);
  if (pattern === undefined) return text;
  const ofEnd = isLongest ? `^([^]*?)(?:${pattern})$` : `^([^]*)(?:${pattern})$`;
  return new RegExp(operator.startsWith("#") ? `^(?:${pattern})([^]*)$` : ofEnd).exec(text)?.[1] ?? text;
}

function withReplaced(text: string, { operator, ...operation }: Extract<Operation, { type: "Replace" }>): string {
  const pattern = patternOf(readOperand(operation.pattern), true);
  const replacement = textOf(readOperand(operation.replacement));
  if (pattern === undefined || pattern === "" || replacement === undefined) return text;
  const whole = operator === "/#" ? `^(?:${pattern})` : operator === "/%" ? `(?:${pattern})$` : pattern;
  return text.replace(new RegExp(whole, operator === "//" ? "g" : ""), () => replacement);
}

function sliceOf(text: string, offset: number, length: number | undefined): string {
  if (Number.isNaN(offset) || Number.isNaN(length)) return text;
  const start = offset < 0 ? text.length + offset : offset;
  return text.slice(start, length === undefined ? undefined : length < 0 ? length : start + length);
}

function inCase(text: string, operator: string): string {
  const change = (piece: string): string => (operator.startsWith("^") ? piece.toUpperCase() : piece.toLowerCase());
  if (operator === "") return text;
  return operator.length > 1 ? change(text) : change(text.charAt(0)) + text.slice(1);
}

/** A pattern of the shell as the source of an expression; nothing if it is too costly, or known only when it runs. */
function patternOf(parts: Parts, isLongest: boolean): string | undefined {
  let wildcards = 0;
  const sources = parts.map((part) => {
    if (part.kind === "text") return part.text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
    if (part.kind !== "glob" || !/^(?:\*|\?|\[[!^]?[^\]\\]+\])+$/.test(part.text)) return undefined;
    wildcards += part.text.match(/\*/g)?.length ?? 0;
    return part.text.replace(/\[!/g, "[^").replace(/\*|\?/g, (mark) => (mark === "?" ? "[^]" : isLongest ? "[^]*" : "[^]*?"));
  });
  return wildcards > MAX_WILDCARDS || sources.includes(undefined) ? undefined : sources.join("");
}

/** SECURITY: patterns with many repetitions take long on long texts. */
const MAX_MATCHED = 128;
const MAX_PATTERN = 128;
const MAX_REPEATED = 3;

/** What the pattern of `[[ text =~ pattern ]]` and its groups fit; nothing where that cannot be told or costs too much. */
function matchedTexts(text: string, pattern: ShellWord): readonly string[] | undefined {
  const source = sourceOf(pattern);
  const repeated = source?.replace(/\\.|\[[^\]]*\]/g, "").match(/[*+{]/g)?.length ?? 0;
  if (source === undefined || source.length > MAX_PATTERN || text.length > MAX_MATCHED || repeated > MAX_REPEATED) return undefined;
  try {
    // Bash takes the longest fit, and with `nocasematch` letters of both cases.
    const found = [...text.matchAll(new RegExp(source, "gi"))];
    return [...new Set(found.flatMap((groups) => [...groups].filter(Boolean)))];
  } catch {
    // No pattern here, though perhaps to bash.
    return undefined;
  }
}

const CLASSES: Readonly<Record<string, string>> = {
  alpha: "a-zA-Z",
  digit: "0-9",
  alnum: "a-zA-Z0-9",
  upper: "A-Z",
  lower: "a-z",
  space: "\\s",
  blank: " \\t",
  punct: "!-\\/:-@\\[-`{-~",
  graph: "!-~",
  print: " -~",
  xdigit: "0-9a-fA-F",
};

/** As written, with its quotes as literal text. */
function sourceOf({ source, text }: ShellWord): string | undefined {
  const isWritten = /["'\\$`]/.test(source) || source === text;
  const written = isWritten && !/[$`]/.test(source) ? source : text;
  if (/\uFFFF/.test(written)) return undefined;
  return written
    .replace(/"([^"]*)"|'([^']*)'/g, (_, double = "", single = "") => `${double}${single}`.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"))
    .replace(/\[:(\w+):\]/g, (whole, name: string) => CLASSES[name] ?? whole);
}
