/**
 * Takes the words of a command and the words that a deny or ask rule starts with. Gives the command as the rule would write it: without the
 * options that stand before each of these words. Nobody can list the options of all programs, nor which of them take a value, so each is
 * passed over with and without the word that follows it.
 */

import { moduleWords, type ShellWord, UNKNOWN } from "../../shell/index.ts";
import { mayCoverText, wildcardPieces } from "./rule-grammar.ts";

/** Options that stand between a program and its subcommand, and take the next word as their value. Others are flags. */
export const VALUE_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  git: ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source"],
  docker: ["--config", "-c", "--context", "-H", "--host", "-l", "--log-level", "--tlscacert", "--tlscert", "--tlskey"],
  podman: ["--connection", "-c", "--url", "--identity", "--log-level", "--root", "--runroot", "--storage-driver"],
  kubectl: ["-n", "--namespace", "--context", "--cluster", "--kubeconfig", "--user", "-s", "--server", "--token", "--as"],
  npm: ["--prefix", "-C", "--workspace", "-w", "--userconfig", "--registry", "--loglevel"],
  pnpm: ["--dir", "-C", "--filter", "-F"],
  yarn: ["--cwd"],
  cargo: ["--config", "-C", "--color", "-Z"],
  gh: ["-R", "--repo"],
  systemctl: ["-H", "--host", "-M", "--machine", "--root"],
};

/** Words of one command that are looked at. */
const MAX_WORDS = 64;

/** Gives the rest of a command after the words that the rule starts with, in every reading that reaches them; `any`: there are too many to tell. */
export type PassOptions = (words: readonly ShellWord[]) => readonly (readonly ShellWord[])[] | "any";

/** The words that every command of the rule starts with. A rule that says no more than a name has nothing to pass over. */
export function leadingWords(spec: string): readonly string[] {
  const words = spec.trim().split(/\s+/);
  const open = words.findIndex((word) => /[*"'\\]/.test(word));
  return open === -1 ? words : words.slice(0, open);
}

/** Makes the test of one rule. */
export function compilePassing(leading: readonly string[]): PassOptions {
  const [program = "", ...literals] = leading;
  if (program === "") return () => [];
  const valued = Object.hasOwn(VALUE_OPTIONS, program) ? (VALUE_OPTIONS[program] ?? []) : [];
  return (words) => {
    const name = words[0]?.text ?? "";
    if (name !== program && name.slice(name.lastIndexOf("/") + 1) !== program) return [];
    const known = words.slice(0, MAX_WORDS);
    let ends: ReadonlySet<number> = new Set([1]);
    for (const [index, literal] of literals.entries()) {
      const starts = passed(known, ends, index === 0 ? valued : []);
      // SECURITY: what stands behind more options than are looked at may be the word.
      if (words.length > MAX_WORDS && starts.has(MAX_WORDS)) return "any";
      ends = endsAfter(literal, program, known, starts);
    }
    return [...passed(known, ends, [])].map((end) => words.slice(end));
  };
}

function endsAfter(literal: string, program: string, words: readonly ShellWord[], starts: ReadonlySet<number>): ReadonlySet<number> {
  const pieces = wildcardPieces(literal);
  const found = new Set<number>();
  for (const at of starts) {
    const text = words[at]?.text;
    if (text !== undefined && (mayCoverText(pieces, text, UNKNOWN) || isSameName(program, literal, text))) found.add(at + 1);
  }
  return found;
}

/** Where the next word of the rule may stand: after any number of options, each with or without a value. `valued`: those that surely take one. */
function passed(words: readonly ShellWord[], starts: ReadonlySet<number>, valued: readonly string[]): ReadonlySet<number> {
  const reached = new Set(starts);
  // A set that grows is gone through to its end; every place is in it once.
  for (const at of reached) {
    const option = words[at]?.text ?? "";
    if (!/^[-+]./s.test(option)) continue;
    for (const next of valued.includes(option) ? [at + 2] : [at + 1, at + 2]) if (next <= words.length) reached.add(next);
  }
  return reached;
}

const NPM_NAMES = [
  "install i in ins inst insta instal isnt isnta isntal isntall add",
  "uninstall un unlink remove rm r",
  "run run-script rum urn",
  "exec x",
  "test t tst",
  "ci clean-install ic install-clean isntall-clean",
  "update up upgrade udpate",
].map((names): ReadonlySet<string> => new Set(names.split(" ")));

/** `npm i` is `npm install`. */
function isSameName(program: string, one: string, other: string): boolean {
  return /^(?:npm|pnpm|bun|cnpm)$/.test(program) && NPM_NAMES.some((names) => names.has(one) && names.has(other));
}

/** The same command under the other names of its program: `pip3` and `python3 -m pip` for `pip`. */
export function underOtherNames(words: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  const module = moduleWords(words);
  const own = module && module.length > 0 ? module : words;
  const [first, ...rest] = own;
  const name = /^(?:.*\/)?(pip)[\d.]*$/.exec(first?.text ?? "")?.[1];
  const renamed = first && name !== undefined ? [name, `${name}3`].map((text) => [{ ...first, text }, ...rest]) : [];
  return [...(own === words ? [] : [own]), ...renamed];
}
