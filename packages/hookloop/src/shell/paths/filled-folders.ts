/**
 * Takes what a shell command would run. Gives the places that its commands seem to fill, by an option that says where something goes, or as the
 * last word of a copy; and the folders that git puts back. It guesses: a place that is not there, or that no rule is about, does no harm.
 */

import type { ShellReading, ShellWord } from "../types.ts";
import { plainWord } from "./changing.ts";
import { folderOf, type PathContext, type Place, resolveWord } from "./claims.ts";
import { nameOf, programOf } from "./claims-of.ts";
import { readGit } from "./git-paths.ts";

/** A place that is filled, or of which git puts back what it keeps. */
export type Filled = Place & { readonly isPutBack: boolean };

const FILLS =
  /^(?:-[oOd]|--?(?:o|[\w-]*(?:out|dest)[\w-]*|(?:target|output|install|save)?-?(?:dir|directory|folder|path)|target|prefix))$/i;
/** To these the options above say where they work, or something else. */
const WORKS_THERE: ReadonlySet<string> = new Set(
  "npm pnpm yarn npx make gmake git go cut paste docker podman curl ps sort date xargs kubectl helm pytest rustc diff ls grep mkdir read touch".split(
    " ",
  ),
);
const COPIES: ReadonlySet<string> = new Set("cp copy copyto sync mv move clone download extract restore unpack checkout".split(" "));

/** The places that commands of a line seem to fill. */
export function filledPlaces({ commands }: ShellReading, context: PathContext): readonly Filled[] {
  return commands.flatMap((command) => {
    const { words } = command;
    const base = { ...context, folder: folderOf(command, context) };
    const places = (some: readonly ShellWord[], isPutBack: boolean, at = base): readonly Filled[] =>
      some.flatMap((word) => resolveWord(word, at).map((place) => ({ ...place, isPutBack })));
    if (nameOf(words) === "git") {
      const { words: rest, inFolder } = readGit(words);
      const [start] = inFolder ? resolveWord(inFolder, base) : [{ path: base.folder }];
      return places(putBack(rest), true, { ...base, folder: start?.path });
    }
    return places([...byOption(words), ...byCopy(words)], false);
  });
}

/** `git checkout -- folder`, `git restore folder`, `git stash push folder`. */
function putBack([verb, ...rest]: readonly ShellWord[]): readonly ShellWord[] {
  const texts = rest.map(({ text }) => text);
  const isIndexOnly = texts.some((text) => /^(?:-\w*S|--staged)/.test(text)) && !texts.some((text) => /^(?:-\w*W|--worktree)/.test(text));
  if (verb?.text === "restore" && isIndexOnly) return [];
  const isMeant = /^(?:checkout|restore)$/.test(verb?.text ?? "") || (verb?.text === "stash" && /^(?:push|--)$/.test(texts[0] ?? ""));
  return isMeant ? rest.filter(({ text }) => !text.startsWith("-")) : [];
}

function byOption(words: readonly ShellWord[]): readonly ShellWord[] {
  if (WORKS_THERE.has(nameOf(words)) || programOf(words)?.onlyReads) return [];
  return words.slice(1).flatMap((word, before) => {
    const [, option, value] = /^(--?[A-Za-z][\w-]*)=(.+)$/s.exec(word.text) ?? [];
    if (option !== undefined && value !== undefined) return FILLS.test(option) ? [plainWord(value, word)] : [];
    return before > 0 && !word.text.startsWith("-") && FILLS.test(words[before]?.text ?? "") ? [word] : [];
  });
}

/** `aws s3 cp s3://x file`, `docker cp c:/x folder`, `gh repo clone a/b folder`. */
function byCopy(words: readonly ShellWord[]): readonly ShellWord[] {
  const at = words.findIndex(({ text }, index) => index > 0 && COPIES.has(text));
  const operands = at === -1 || programOf(words) ? [] : words.slice(at + 1).filter(({ text }) => !text.startsWith("-"));
  // Options with a value may stand behind the destination.
  return operands
    .slice(1)
    .filter(({ text }, index, all) => index === all.length - 1 || !/:/.test(text) === /:/.test(operands[0]?.text ?? ""));
}
