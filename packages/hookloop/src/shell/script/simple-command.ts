import type { Assignment, Command, DoubleQuotedChild, HereDoc, Redirection, WordPart } from "unbash";
import { isKnownTo } from "../programs/program.ts";
import { programName } from "../programs/started.ts";
import { type ShellRedirect, type ShellStdin, type ShellWord, type Span, UNKNOWN } from "../types.ts";
import { readWhole, readWords, wordSet } from "../words.ts";
import { inputAt, type Place, type Reader, scopeOf, spanIn } from "./findings.ts";
import { checkInside } from "./nodes.ts";
import { noteSet, noteSubscripted } from "./read-evaluated.ts";
import { readProgram } from "./read-program.ts";
import { applyEffects } from "./shell-state.ts";

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
      noteSet(assignment.name, place, reader.found);
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

/** The quoted text and the here-documents of a command to which they are only data. */
function dataIn(node: Command): readonly Span[] {
  const words = node.args.flatMap((word) => (word.type === "Word" ? [word] : word.value.type === "Word" ? [word.value] : []));
  return [...words.flatMap(({ parts }) => quotedIn(parts ?? [])), ...node.redirects.flatMap(dataInRedirect)];
}

function quotedIn(parts: readonly WordPart[]): readonly Span[] {
  return parts.flatMap((part) => {
    if (part.type === "SingleQuoted" || part.type === "AnsiCQuoted") return [spanOf(part)];
    return part.type === "DoubleQuoted" || part.type === "LocaleString" ? literalsIn(part, part.parts) : [];
  });
}

function dataInRedirect(redirect: Redirection): readonly Span[] {
  if (redirect.type === "HereString") return quotedIn(redirect.target?.parts ?? []);
  return redirect.type === "HereDoc" ? literalsIn(redirect.body, redirect.body.parts ?? []) : [];
}

/** All of it if nothing is expanded in it, else what is not. */
function literalsIn(whole: Range, parts: readonly (WordPart | DoubleQuotedChild)[]): readonly Span[] {
  if (parts.every(({ type }) => type === "Literal")) return [spanOf(whole)];
  return parts.filter(({ type }) => type === "Literal").map(spanOf);
}

interface Range {
  readonly pos: number;
  readonly end: number;
}

function spanOf({ pos, end }: Range): Span {
  return { start: pos, end };
}

/** Sub-commands of git whose arguments are messages and names. */
const GIT_DATA = wordSet("commit tag log show notes stash merge revert branch");
const GH_DATA = wordSet("pr issue release gist");
/** Options of such programs that do name a program to start. */
const STARTING_OPTION = /^--(?:pre|hostname-bin|compress-program|filter|use-compress-program|exec|pager)(?:=|$)/;

/** Whether the arguments and the input of a command are only text to it. */
export function takesOnlyData(name: string, words: readonly ShellWord[]): boolean {
  if (name === "git") return GIT_DATA.has(words[1]?.text ?? "") && !words.some(({ text }) => STARTING_OPTION.test(text));
  if (name === "gh") return GH_DATA.has(words[1]?.text ?? "");
  return isKnownTo(name, "data") && !words.some(({ text }) => STARTING_OPTION.test(text));
}

/** Input from a file, which only the shell can open. */
export interface FileInput {
  readonly kind: "file";
  readonly target?: ShellWord | undefined;
}

interface Redirects {
  readonly given: readonly ShellRedirect[];
  readonly stdin: ShellStdin | FileInput | "inherited";
}

/** The redirections of a command, and what they make of its input. */
export function readRedirects(redirects: readonly Redirection[], place: Place, { found }: Pick<Reader, "found">): Redirects {
  const given: ShellRedirect[] = [];
  let stdin: Redirects["stdin"] = "inherited";
  for (const redirect of redirects) {
    const { descriptor } = redirect;
    if (descriptor?.type === "FileDescriptorVariable") {
      place.state.assign(descriptor.name, undefined);
      noteSet(descriptor.name.replace(/\[.*/s, ""), place, found);
      noteSubscripted(descriptor.name, place, found);
      const source = { kind: "code", code: descriptor.name } as const;
      // `exec {a[x]}> file`
      if (descriptor.name.includes("[")) found.evaluated.evaluate({ source, how: "code", span: spanIn(place, descriptor) });
    }
    const number = descriptor?.type === "FileDescriptor" ? descriptor.value : undefined;
    const target = redirect.type === "Redirect" && redirect.target ? readWhole(redirect.target, scopeOf(place)) : undefined;
    if (target) given.push(...readTarget(redirect.operator, number, target));
    const isStdin = descriptor === undefined || number === 0;
    if (isStdin) stdin = inputOf(redirect, target, place) ?? stdin;
    if (redirect.type === "HereDoc" && !redirect.closing) found.doubt("unparsable", "A here-document has no end.");
  }
  return { given, stdin };
}

/** `<>` reads as well as it writes. */
function readTarget(operator: string, descriptor: number | undefined, target: ShellWord): readonly ShellRedirect[] {
  const given = { operator, descriptor, target };
  return operator === "<>" ? [given, { ...given, operator: "<" }] : [given];
}

function inputOf(redirect: Redirection, target: ShellWord | undefined, place: Place): Redirects["stdin"] | undefined {
  if (redirect.type === "Redirect") return redirect.operator.startsWith("<") ? { kind: "file", target } : undefined;
  if (redirect.type === "HereDoc") return { kind: "text", text: bodyText(redirect, place), span: spanIn(place, redirect.body) };
  const { target: words } = redirect;
  return words && { kind: "text", text: `${readWhole(words, scopeOf(place)).text}\n`, span: spanIn(place, words) };
}

/** What a here-document puts on stdin. */
function bodyText({ body, operator, delimiter }: HereDoc, place: Place): string {
  const text = body.parts
    ? readWhole({ type: "Word", text: body.text, value: body.text, pos: body.pos, end: body.end, parts: body.parts }, scopeOf(place)).text
    : delimiter?.quoted
      ? body.text
      : body.text.replace(/\\([\\$`\n])/g, (_, escaped: string) => (escaped === "\n" ? "" : escaped));
  return operator === "<<-" ? text.replace(/^\t+/gm, "") : text;
}
