import { readArguments } from "../../arguments/program-arguments.ts";
import type { ShellWord } from "../../types.ts";
import { CHANGING, GAWK } from "./changing.ts";
import type { Claim, Program } from "./claim.ts";
import { COPYING } from "./copying.ts";
import { FETCHING } from "./fetching.ts";
import { findProgram } from "./find-paths.ts";
import { GIT } from "./git-paths.ts";
import { READING } from "./reading-programs.ts";
import { REWRITING } from "./rewriting.ts";
import { claimsOfStarter } from "./starting.ts";

const PROGRAMS: ReadonlyMap<string, Program> = new Map(
  Object.entries({
    ...READING,
    ...REWRITING,
    ...CHANGING,
    ...COPYING,
    ...FETCHING,
    gawk: GAWK,
    awk: GAWK,
    mawk: GAWK,
    nawk: GAWK,
    goawk: GAWK,
    "original-awk": GAWK,
    git: GIT,
    find: findProgram(claimsOf),
  }),
);

/** The last part of a command's name. */
export function nameOf(words: readonly ShellWord[]): string {
  const name = words[0]?.text ?? "";
  return name.slice(name.lastIndexOf("/") + 1);
}

/** Where GNU's programs are guests they are called `gcp`, and languages have their version in their name. */
const OTHER_NAME = /^(?:g(cp|mv|rm|ln|tee|dd|touch|chmod|chown|truncate|shred|sort|uniq|split|rmdir|mkdir|unlink|find)|(perl|ruby)[\d.]+)$/;

/** What is known of a program; nothing if it is not in the table. */
export function programOf(words: readonly ShellWord[]): Program | undefined {
  const name = nameOf(words);
  const [, plain, language] = OTHER_NAME.exec(name) ?? [];
  return PROGRAMS.get(plain ?? language ?? name);
}

/** What a program with these words does to files; nothing if it is not in the tables. */
export function claimsOf(words: readonly ShellWord[]): readonly Claim[] {
  const program = programOf(words);
  return program ? program.claims(readArguments(words, program.forms), words) : claimsOfStarter(nameOf(words), words);
}
