import type { ShellWord } from "../../types.ts";
import { CHANGING, GAWK } from "./changing.ts";
import type { Claim, Program } from "./claim.ts";
import { COPYING } from "./copying.ts";
import { FETCHING } from "./fetching.ts";
import { findProgram } from "./find-paths.ts";
import { GIT } from "./git-paths.ts";
import { readArguments } from "./read-arguments.ts";
import { READING } from "./reading-programs.ts";

const PROGRAMS: ReadonlyMap<string, Program> = new Map(
  Object.entries({
    ...READING,
    ...CHANGING,
    ...COPYING,
    ...FETCHING,
    gawk: GAWK,
    awk: GAWK,
    mawk: GAWK,
    git: GIT,
    find: findProgram(claimsOf),
  }),
);

/** The last part of a command's name. */
export function nameOf(words: readonly ShellWord[]): string {
  const name = words[0]?.text ?? "";
  return name.slice(name.lastIndexOf("/") + 1);
}

/** What is known of a program; nothing if it is not in the table. */
export function programOf(words: readonly ShellWord[]): Program | undefined {
  return PROGRAMS.get(nameOf(words));
}

/** What a program with these words does to files; nothing if it is not in the table. */
export function claimsOf(words: readonly ShellWord[]): readonly Claim[] {
  const program = PROGRAMS.get(nameOf(words));
  return program ? program.claims(readArguments(words, program.forms), words) : [];
}
