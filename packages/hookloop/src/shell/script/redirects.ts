import type { HereDoc, Redirection } from "unbash";
import type { ShellRedirect, ShellStdin, ShellWord } from "../types.ts";
import { readWhole } from "../words/read-word.ts";
import { noteSet, noteSubscripted } from "./evaluated/sets.ts";
import { type Place, scopeOf, spanIn } from "./place.ts";
import type { Reader } from "./reader.ts";

/** Input from a file, which only the shell can open. */
export interface FileInput {
  readonly kind: "file";
  readonly target?: ShellWord | undefined;
}

export interface Redirects {
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
    if (target) given.push({ operator: redirect.operator, descriptor: number, target });
    const isStdin = descriptor === undefined || number === 0;
    if (isStdin) stdin = inputOf(redirect, target, place) ?? stdin;
    if (redirect.type === "HereDoc" && !redirect.closing) found.doubt("unparsable", "A here-document has no end.");
  }
  return { given, stdin };
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
