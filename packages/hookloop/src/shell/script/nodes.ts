/**
 * Takes the nodes of the walk. Notes for `Evaluated` what each assigns, and where the shell evaluates a value once more:
 * `[[ $x -eq 0 ]]` and `${a[x]}` run the commands that stand in the value of `x`.
 */

import type { ArrayValue, Assignment, CommandArgument, ParameterExpansionPart, SyntaxNode, Word } from "unbash";
import { type ShellWord, UNKNOWN } from "../types.ts";
import { hasOddUnquoted, readWhole, wordSet } from "../words.ts";
import { type Evaluation, POSITIONALS } from "./evaluated.ts";
import { type Findings, type Place, scopeOf, spanIn } from "./findings.ts";
import { noteArithmetic, noteSet, noteSubscripted } from "./read-evaluated.ts";

export const COMPARES_NUMBERS: RegExp = /^-(?:eq|ne|lt|le|gt|ge)$/;
export const TESTS_NAME: RegExp = /^-[vR]$/;
/** What `[[ … ]]`, and `[` and `test`, ask of a file, and of two. */
export const FILE_TEST: RegExp = /^-[abcdefghkprsuwxLOGSN]$/;
export const FILE_COMPARISON: RegExp = /^-(?:nt|ot|ef)$/;
/** Tables of the shell that say what a name runs. */
const NAME_TABLES = /^BASH_(?:CMDS|ALIASES)$/;
/** Whatever this matches is letters, digits and dots: `^v([0-9]+)\.([0-9]+)`. */
const PLAIN_MATCH = /^(?:[\w ^$()|+*?-]|\\[.-]|\[[\w.-]+\])+$/;
/** Variables whose value programs run. */
const COMMANDS =
  /^(?:PROMPT_COMMAND|(?:GIT_|MAN)?PAGER|(?:GIT_|GIT_SEQUENCE_|SUDO_|KUBE_)?EDITOR|VISUAL|FCEDIT|GIT_SSH(?:_COMMAND)?|(?:GIT|SSH|SUDO)_ASKPASS|GIT_EXTERNAL_DIFF|GIT_PROXY_COMMAND|LESSOPEN|LESSCLOSE|BROWSER|RSYNC_RSH)$/;
/** Commands in text that something may evaluate. */
const MAY_BE_CODE = /\$\(|`/;

/** Notes what a node assigns and evaluates. */
function noteNode(node: SyntaxNode, place: Place, found: Findings): void {
  const { evaluated } = found;
  const code = (text: string): void => {
    noteArithmetic(text, place, found);
    evaluated.evaluate({ source: { kind: "code", code: text }, how: "code", span: spanIn(place, node) });
  };
  switch (node.type) {
    case "Word":
      noteText(node, place, found);
      return;
    case "Assignment":
      noteAssignment(node, place, found);
      return;
    case "ArithmeticExpansion":
      code(node.text.startsWith("$[") ? node.text.slice(2, -1) : node.text.slice(3, -2));
      return;
    case "ArithmeticCommand":
      code(node.body);
      return;
    case "ArithmeticFor":
      code(
        place.source
          .slice(node.pos, node.body.pos)
          .replace(/^for\b/, "")
          .replace(/\bdo\s*$/, ""),
      );
      return;
    case "TestUnary":
      if (TESTS_NAME.test(node.operator)) evaluateWord(node.operand, "name", place, found);
      return;
    case "TestBinary":
      if (COMPARES_NUMBERS.test(node.operator)) for (const word of [node.left, node.right]) evaluateWord(word, "code", place, found);
      if (node.operator === "=~")
        evaluated.matches.push({ left: readWhole(node.left, scopeOf(place)), pattern: readWhole(node.right, scopeOf(place)) });
      if (node.operator === "=~" && !PLAIN_MATCH.test(node.right.text))
        assignWords("BASH_REMATCH", [readWhole(node.left, scopeOf(place))], found);
      return;
    case "ParameterExpansion":
      noteExpansion(node, place, found);
      return;
    case "Coproc":
      noteSet(node.name?.text ?? "COPROC", place, found);
      return;
    case "For":
    case "Select":
      noteSet(node.name.text, place, found);
      if (node.wordlist) {
        const words = node.wordlist.map((word) => readWhole(word, scopeOf(place)));
        found.lists.push(...words);
        assignWords(node.name.text, words, found);
      } else evaluated.assign(node.name.text, { kind: "variable", name: POSITIONALS });
      if (node.type === "Select") evaluated.assign("REPLY", { kind: "input", stdin: undefined });
  }
}

function noteText(node: Word, place: Place, { texts }: Findings): void {
  if (!/['"\\$`]/.test(node.text)) return;
  const { text } = readWhole(node, scopeOf(place));
  if (MAY_BE_CODE.test(text)) texts.push({ text, place: { ...place, fixed: spanIn(place, node) } });
}

export function assignWords(name: string, words: readonly ShellWord[], { evaluated }: Findings): void {
  for (const word of words) evaluated.assign(name, { kind: "word", word });
}

function evaluateWord(word: Word, how: Evaluation, place: Place, found: Findings): void {
  const source = { kind: "word", word: readWhole(word, scopeOf(place)) } as const;
  const { text } = source.word;
  // What is unknown comes from elsewhere, or from a variable that is noted where it is set.
  (how === "name" ? noteSubscripted : noteArithmetic)(text.replaceAll(UNKNOWN, ""), place, found);
  found.evaluated.evaluate({ source, how, span: spanIn(place, word) });
}

function noteAssignment({ name, value, index }: Assignment, place: Place, found: Findings): void {
  if (index) noteSubscript(index, place, found);
  if (value.type === "Word") noteVariable(name, readWhole(value, scopeOf(place)), place, found);
  else noteElements(name, value, place, found);
}

/** A variable that a shell or a program is given. */
export function noteVariable(name: string, word: ShellWord, place: Place, found: Findings): void {
  assignWords(name, [word], found);
  noteName(name, place, found);
  if (name === "BASH_ENV" || name === "ENV") found.startFiles.push(word);
  const isFunction = /^BASH_FUNC_/.test(name);
  if (isFunction) found.doubt("dynamic-name", `${name} makes a name a function.`, word.span);
  if (word.text === "" || !(isFunction || COMMANDS.test(name))) return;
  const isUnknown = word.text.includes(UNKNOWN);
  // Programs that the user chooses are known only at run time.
  if (isUnknown && !isFunction && name !== "PROMPT_COMMAND") return;
  found.texts.push({ text: isFunction ? `f ${word.text}` : word.text, place: { ...place, fixed: word.span }, isScript: true });
  if (isUnknown) found.doubt("dynamic-script", `${name} is known only when it runs.`, word.span);
}

function noteElements(name: string, { elements }: ArrayValue, place: Place, found: Findings): void {
  found.evaluated.assign(name, { kind: "code", code: "" });
  for (const element of elements) {
    const subscript = /^\[(.*)\]\+?=/s.exec(element.text)?.[1];
    if (subscript !== undefined) noteSubscript({ ...element, text: subscript }, place, found);
    const word = readWhole(element, scopeOf(place));
    found.lists.push(word);
    noteVariable(name, word, place, found);
  }
}

/** `BASH_CMDS[ls]=/bin/rm`. */
export function noteName(name: string, place: Place, found: Findings): void {
  if (NAME_TABLES.test(name)) found.doubt("dynamic-name", `${name} gives a name to another program.`, place.fixed);
}

function noteSubscript(index: Pick<Word, "text" | "pos" | "end">, place: Place, found: Findings): void {
  if (/^[@*]$/.test(index.text)) return;
  noteArithmetic(index.text, place, found);
  found.evaluated.evaluate({ source: { kind: "code", code: index.text }, how: "code", span: spanIn(place, index) });
}

function noteExpansion(node: ParameterExpansionPart, place: Place, found: Findings): void {
  const { parameter, prefix, index, operation } = node;
  const span = spanIn(place, node);
  const variable = { kind: "variable", name: parameter } as const;
  if (index) noteSubscript(index, place, found);
  const listsNames = operation?.type === "Names" || (index !== undefined && /^[@*]$/.test(index.text));
  const isPrompt = operation?.type === "Transform" && operation.operand.text === "P";
  // `${!x@P}`: whatever the variable holds that `x` names.
  if (prefix === "!" && !listsNames) found.evaluated.evaluate({ source: variable, how: isPrompt ? "code" : "name", span });
  if (operation?.type === "Slice") for (const part of [operation.offset, operation.length]) if (part) noteSubscript(part, place, found);
  if (isPrompt) found.evaluated.evaluate({ source: variable, how: "prompt", span });
  if (operation?.type === "Default" && operation.operator.endsWith("=")) {
    assignWords(parameter, [readWhole(operation.operand, scopeOf(place))], found);
    noteSet(prefix === "!" ? UNKNOWN : parameter, place, found);
  }
  // `${!x}` and what the parser does not know may be anything.
  if (operation?.type === "Unknown") noteSubscript(node, place, found);
}

/** `((rm -rf /))`: two nested groups to a shell without arithmetic commands. */
const COMMAND_LIKE = /[a-z]\s+(?:-[a-z]|[/~.\w])/i;

/** Where a `#` starts no comment. */
const HOLDS_TEXT = wordSet("Word Assignment HereDoc HereDocBody ArithmeticCommand ArithmeticFor TestCommand ExtendedGlob");

/** SECURITY: the tripwire for texts that this parser and bash are known to read differently (security.md §5.3). */
export function checkNode(node: SyntaxNode, place: Place, found: Findings): void {
  if (found.words && !place.fixed && HOLDS_TEXT.has(node.type)) found.words.push({ start: node.pos, end: node.end });
  noteNode(node, place, found);
  if (node.type === "Word" || node.type === "Assignment") checkWord(node, place, found);
  else if (node.type === "Script") {
    if (node.errors?.length) found.doubt("unparsable", `It is not valid: ${node.errors[0]?.message}.`, spanIn(place, node));
  } else {
    const problem = misreading(node, place);
    if (problem) found.doubt("misread", problem, spanIn(place, node));
  }
}

/** SECURITY: a child that reaches out of its parent shows that the parser lost its place. */
export function checkInside(child: Range, parent: Range, place: Place, found: Findings): void {
  if (child.pos < parent.pos || child.end > parent.end) found.doubt("misread", "A part reaches out of the whole.", spanIn(place, parent));
}

interface Range {
  readonly pos: number;
  readonly end: number;
}

function checkWord(node: CommandArgument, place: Place, found: Findings): void {
  if (place.mayBeOdd && hasOddUnquoted(node))
    found.doubt("odd-characters", "Control characters or unusual blanks stand outside quotes.", spanIn(place, node));
  if (found.isZsh && node.type === "Word" && isZshWord(node))
    found.doubt("zsh", "zsh reads this word in its own way.", spanIn(place, node));
}

/** Why shells may read a node in another way, if they may. */
function misreading(node: SyntaxNode, { source, isPosix }: Place): string | undefined {
  switch (node.type) {
    case "ArithmeticExpansion":
      return node.text.startsWith("$((") && !node.text.endsWith("))") ? "Arithmetic does not end where it should." : undefined;
    case "ArithmeticCommand":
      if (!source.slice(node.pos, node.end).endsWith("))")) return "Arithmetic does not end where it should.";
      return isPosix || COMMAND_LIKE.test(node.body) ? "Some shells read this arithmetic as commands." : undefined;
    case "CommandExpansion":
      return node.text.startsWith("`") && node.text.includes('\\"') ? 'Shells differ in what \\" means between backticks.' : undefined;
    case "TestLogical":
      return isPosix ? "Some shells read [[ … && … ]] as two commands." : undefined;
    default:
      return undefined;
  }
}

/** What zsh reads in another way than bash: `=command`, `=(command)`, glob qualifiers such as `*(e:'command':)`, flags such as `${(e)x}`. */
const ZSH_WORD = /^=[\w(/]|[*?\]]\(|\$\{\(|\$\{[^}]*\([a-zA-Z@%#]+\)/;

/** Whether zsh gives a word a meaning of its own. */
function isZshWord({ text }: Word): boolean {
  return ZSH_WORD.test(text);
}
