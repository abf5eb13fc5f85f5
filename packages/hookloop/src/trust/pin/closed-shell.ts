// Takes a text of the shell; says each construct in it that is not one of those whose effect the reader follows.
// SECURITY: closed lists. A construct that may set a variable, or run something, in a way that is not listed here is a doubt: the value of a
// variable decides which file is loaded or read.

import type { Command, ParameterExpansionPart, SyntaxNode } from "unbash";
import { loadParser, UNKNOWN } from "../../shell/index.ts";
import { OWN, set } from "./code-reader.ts";
import { PLAIN_VARIABLE, steers } from "./programs.ts";

/** Constructs that say nothing by themselves: what is in them is looked at. */
const PLAIN = set(
  "Script Statement CompoundList AndOr Pipeline Negation Time Redirected If Elif While Subshell BraceGroup Case CaseItem Command Word Literal SingleQuoted DoubleQuoted AnsiCQuoted Glob ExtendedGlob BraceExpansion SimpleExpansion CommandExpansion ProcessSubstitution Redirect FileDescriptor HereDoc HereDocDelimiter HereDocBody HereString TestCommand TestGroup TestNot TestLogical Default Remove Replace CaseModification Slice Transform Names",
);
/** Those that a plain `sh` reads in another way than bash, or not at all. */
const OF_BASH = set(
  "AnsiCQuoted ArrayValue BraceExpansion ExtendedGlob HereString ProcessSubstitution TestCommand TestUnary TestBinary ArithmeticCommand Time",
);
/** The shell sets them itself. */
const SET_BY_SHELL =
  /^(?:_|BASH\w*|COMP_\w+|COPROC\w*|DIRSTACK|EPOCH\w+|E?UID|FUNCNAME|GROUPS|HISTCMD|LINENO|MAPFILE|OPTARG|OPTERR|OPTIND|PIPESTATUS|PPID|RANDOM|READLINE_\w+|REPLY|SECONDS|SHLVL|SRANDOM)$/;
const NUMBERS = /^-(?:eq|ne|lt|le|gt|ge)$/;
const COMPARISONS = /^(?:={1,2}|!=|<|>|=~|-(?:nt|ot|ef))$/;
const TESTS = /^-[nzefdsrwxLhpSbcgukOGNt]$/;
/** Numbers, names, and what computes without setting anything. */
const ARITHMETIC =
  /^(?:\s+|\d+(?![\w#])|\$?[A-Za-z_]\w*(?!\s*\[|\w)|\$\{#?[A-Za-z_]\w*\}|\$[#?]|[<>=!]=|&&|\|\||[-+](?![-+=])|[*/%](?![*=])|[<>](?![<>=])|!(?!=)|[()?:])*$/;

export interface ShellKind {
  /** It may be run by a shell that knows nothing of what bash adds. */
  readonly isPosix: boolean;
  /** Another text may set its variables. */
  readonly isShared: boolean;
}

interface Around extends ShellKind {
  readonly text: string;
  /** Variables that never hold anything but a number. */
  readonly numbers: ReadonlySet<string>;
  /** The simple command that it is a part of. */
  readonly command: Command | undefined;
  readonly isInArithmetic: boolean;
}

/** In words; nothing if all is known. */
export function openConstructs(text: string, kind: ShellKind): readonly string[] {
  const script = parsed(text);
  if (!script) return ["its text cannot be taken apart"];
  const nodes: (readonly [SyntaxNode, Pick<Around, "command" | "isInArithmetic">])[] = [];
  const collect = (node: SyntaxNode, above: Pick<Around, "command" | "isInArithmetic">): void => {
    nodes.push([node, above]);
    const command = node.type === "Command" ? node : above.command;
    const isInArithmetic = node.type.startsWith("Arithmetic") ? node.type !== "ArithmeticFor" : above.isInArithmetic;
    loadParser().forEachChild(node, (child) => collect(child, { command, isInArithmetic }));
  };
  collect(script, { command: undefined, isInArithmetic: false });
  const numbers = kind.isShared ? new Set<string>() : numbersIn(nodes.map(([node]) => node));
  const found = nodes.flatMap(([node, above]) => openIn(node, { ...kind, ...above, text, numbers }) ?? []);
  return [...new Set(found)].slice(0, 10);
}

function parsed(text: string): SyntaxNode | undefined {
  try {
    const script = loadParser().parse(text);
    return script.errors?.length ? undefined : script;
  } catch {
    // Deeper than the parser goes.
    return undefined;
  }
}

const NUMBER = /^"?(?:\d+|\$\(\([^"]*\)\)|\$\{#\w+\}|\$[#?])"?$/;

/** Names of which each value that is set here is a number, and that no command is given to set. */
function numbersIn(nodes: readonly SyntaxNode[]): ReadonlySet<string> {
  const isNumber = (node: SyntaxNode): boolean =>
    node.type === "Assignment" && node.value.type === "Word" && !node.append && !node.index && NUMBER.test(node.value.text);
  const found = nodes.flatMap((node) => (node.type === "Assignment" && isNumber(node) ? node.name : []));
  const other = new Set(nodes.flatMap((node) => (isNumber(node) ? [] : setBy(node))));
  return new Set(found.filter((name) => !other.has(name)));
}

function setBy(node: SyntaxNode): readonly string[] {
  if (node.type === "Assignment") return [node.name];
  if (node.type === "For") return [node.name.text];
  if (node.type === "ParameterExpansion") return node.operation?.type === "Default" ? [node.parameter] : [];
  if (node.type !== "Command") return [];
  return node.args.flatMap((word) => (word.type === "Word" ? (/^\w*/.exec(word.value)?.[0] ?? "") : []));
}

function openIn(node: SyntaxNode, around: Around): string | undefined {
  const shown = around.text.slice(node.pos, node.end).slice(0, 60);
  const isKeyword = node.type === "Function" && shown.startsWith("function");
  if (around.isPosix && (isKeyword || isOfBash(node))) return `${shown}, which not every sh reads`;
  // Whoever reads that text may have another `$0`.
  if (/^(?:SingleQuoted|AnsiCQuoted|HereDocBody)$/.test(node.type) && around.text.slice(node.pos, node.end).includes(OWN))
    return "the script's own folder in quoted text";
  return isOpen(node, around) ? shown : undefined;
}

function isOfBash(node: SyntaxNode): boolean {
  if (OF_BASH.has(node.type)) return true;
  if (node.type === "Assignment") return node.append === true || node.index !== undefined;
  if (node.type === "Pipeline") return node.operators.includes("|&");
  if (node.type === "CaseItem") return node.terminator !== undefined && node.terminator !== ";;";
  if (node.type === "Redirect") return node.operator.startsWith("&>");
  return (
    node.type === "ParameterExpansion" &&
    (node.index !== undefined || node.prefix === "!" || !/^(?:Default|Remove|undefined)$/.test(`${node.operation?.type}`))
  );
}

function isOpen(node: SyntaxNode, around: Around): boolean {
  switch (node.type) {
    case "Function":
      return !/^[A-Za-z_][\w-]*$/.test(node.name.text) || node.name.text === "command_not_found_handle";
    case "For":
      return SET_BY_SHELL.test(node.name.text);
    case "Assignment":
      return SET_BY_SHELL.test(node.name) || (node.index !== undefined && !/^\d+$/.test(node.index.text));
    case "ArrayValue":
      return node.elements.some(({ text }) => /^\[(?!\d+\]=)/.test(text));
    case "ParameterExpansion":
      return isOpenExpansion(node, around);
    case "ArithmeticExpansion":
      return !node.text.startsWith("$((") || isOpenNumber(node.text.slice(3, -2), around);
    case "ArithmeticCommand":
      return isOpenNumber(node.body, around);
    case "TestUnary":
      return !TESTS.test(node.operator) && !(node.operator === "-v" && /^[A-Za-z_]\w*$/.test(node.operand.text));
    case "TestBinary":
      if (!NUMBERS.test(node.operator)) return !COMPARISONS.test(node.operator);
      return [node.left, node.right].some(({ text }) => isOpenNumber(text.replace(/^"(.*)"$/s, "$1"), around));
    default:
      // What is below an arithmetic expression was looked at as a part of its text.
      return !PLAIN.has(node.type) && !(around.isInArithmetic && node.type.startsWith("Arithmetic"));
  }
}

function isOpenExpansion({ prefix, index, operation }: ParameterExpansionPart, around: Around): boolean {
  if (index && !/^(?:\d+|[@*])$/.test(index.text)) return true;
  if (prefix === "!" && !(index && /^[@*]$/.test(index.text))) return true;
  if (operation?.type === "Default") return operation.operator.endsWith("=") && around.command?.name?.text !== ":";
  if (operation?.type === "Slice") return [operation.offset, operation.length].some((part) => part && isOpenNumber(part.text, around));
  if (operation?.type === "Transform") return !/^[UuLQ]$/.test(operation.operand.text);
  return operation !== undefined && !/^(?:Remove|Replace|CaseModification)$/.test(operation.type);
}

/** Arithmetic evaluates the values of names once more, and these may set variables in their turn. */
function isOpenNumber(text: string, { numbers }: Around): boolean {
  if (!ARITHMETIC.test(text)) return true;
  const names = text.replaceAll(/\$\{#\w+\}/g, "").match(/[A-Za-z_]\w*/g) ?? [];
  return names.some((name) => !numbers.has(name));
}

const NAME = /^[A-Za-z_]\w*$/;
/** Those that set the variables which their words name. The options, and which of their values is a name. */
const READERS: Readonly<
  Record<string, { readonly flags: RegExp; readonly valued: RegExp; readonly named: RegExp; readonly first: number }>
> = {
  read: { flags: /^-[rs]+$/, valued: /^-[rs]*[ntNdup]$/, named: /^-[rs]*a$/, first: 0 },
  mapfile: { flags: /^-t$/, valued: /^-t?[ndsu]$/, named: /^$/, first: 0 },
  readarray: { flags: /^-t$/, valued: /^-t?[ndsu]$/, named: /^$/, first: 0 },
  getopts: { flags: /^$/, valued: /^$/, named: /^$/, first: 1 },
  unset: { flags: /^-[vf]$/, valued: /^$/, named: /^$/, first: 0 },
};
const OPTIONS = /^(?:[-+][euxvf]+|--|-|errexit|nounset|pipefail|xtrace|verbose|noglob|errtrace|[-+][euxvf]*o)$/;
const SHOPT = /^(?:-[suq]|nullglob|failglob|dotglob|globstar|nocaseglob|nocasematch|inherit_errexit|extglob)$/;
const OF_BASH_ONLY = /^(?:source|declare|typeset|let|mapfile|readarray|shopt|pushd|popd|dirs|builtin)$/;
/** They take no words that matter. */
const HARMLESS = set(
  ": [ [[ test true false echo pwd exit return break continue shift kill times type umask ulimit wait cd pushd popd dirs trap command builtin exec . source jobs",
);

/** Of a part of the shell: why it may set or run something that is not followed. */
export function doubtOfBuiltin(name: string, operands: readonly string[], isPosix: boolean): string | undefined {
  const said = `${name} ${operands.join(" ")}`.slice(0, 60).trim();
  if (isPosix && OF_BASH_ONLY.test(name)) return `${said}, which not every sh has`;
  return isBuiltinKnown(name, operands) ? undefined : `what ${said} sets or runs is not followed`;
}

function isBuiltinKnown(name: string, operands: readonly string[]): boolean {
  if (/^(?:\[|test)$/.test(name)) return !operands.some((word) => /^-[vRo]$/.test(word));
  if (name === "wait") return !operands.some((word) => /^-\w*p|^\uFFFF/.test(word));
  if (HARMLESS.has(name)) return true;
  if (name === "printf") return isPrintfKnown(operands);
  if (name === "set") return isSetKnown(operands);
  if (name === "shopt") return operands.every((word) => SHOPT.test(word));
  if (/^(?:export|declare|typeset|local|readonly)$/.test(name)) return operands.every((word) => isDeclared(name, word));
  const reader = READERS[name];
  return reader !== undefined && namesOf(reader, operands)?.every(isSettable) === true;
}

function isSettable(name: string): boolean {
  return NAME.test(name) && !SET_BY_SHELL.test(name) && !steers(name);
}

function namesOf(
  { flags, valued, named, first }: NonNullable<(typeof READERS)[string]>,
  operands: readonly string[],
): readonly string[] | undefined {
  const names: string[] = [];
  let at = 0;
  for (; /^-./.test(operands[at] ?? ""); at++) {
    const word = operands[at] ?? "";
    if (word === "--") break;
    if (named.test(word)) names.push(operands[++at] ?? "");
    else if (valued.test(word)) at++;
    else if (!flags.test(word)) return undefined;
  }
  const rest = operands.slice(operands[at] === "--" ? at + 1 : at).slice(first);
  return first === 0 ? [...names, ...rest] : rest.slice(0, 1);
}

function isPrintfKnown([first = "", second = ""]: readonly string[]): boolean {
  if (first === "-v") return isSettable(second);
  return !first.startsWith(UNKNOWN) && (!/^-./.test(first) || first === "--");
}

function isSetKnown(operands: readonly string[]): boolean {
  const end = operands.findIndex((word) => word === "--" || !/^[-+]/.test(word));
  const isValue = (at: number): boolean => /^[-+][euxvf]*o$/.test(operands[at - 1] ?? "");
  return operands.every(
    (word, at) => (end !== -1 && at > end && operands[end] === "--") || (OPTIONS.test(word) && (!/^[a-z]/.test(word) || isValue(at))),
  );
}

/** Other attributes than these change what a variable holds, or let it stand for another. */
function isDeclared(name: string, word: string): boolean {
  if (/^-/.test(word)) return name !== "export" && /^-[rxgaA]+$/.test(word);
  const [, variable = ""] = /^(\w+)(?:\+?=[\s\S]*)?$/.exec(word) ?? [];
  return isSettable(variable) && (name !== "export" || PLAIN_VARIABLE.test(variable));
}
