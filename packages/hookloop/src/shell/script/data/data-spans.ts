import type { Command, DoubleQuotedChild, Redirection, WordPart } from "unbash";
import type { Span } from "../../types.ts";

/** The quoted text and the here-documents of a command to which they are only data. */
export function dataIn(node: Command): readonly Span[] {
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
