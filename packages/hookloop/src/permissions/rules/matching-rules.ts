/** Finds the rules of a list that match a call without trying them all: most can be told apart from it by one word. */
import { plainName } from "../../catalogue/index.ts";
import { UNKNOWN } from "../../shell/index.ts";
import { looseTexts, presentName } from "../grammar/index.ts";
import { comparableName } from "../paths/case-folding.ts";
import { pathViews } from "../paths/path-views.ts";
import { touchedFiles } from "../paths/touched-files.ts";
import type { CallFacts, PermissionRule } from "../types.ts";
import { fileOf, toolKind } from "./covered-tools.ts";

/** The rules that match, in the order of the list. */
export function matchingRules(list: readonly PermissionRule[], facts: CallFacts): readonly PermissionRule[] {
  return candidates(list, facts).filter((rule) => rule.matches(facts));
}

/** Whether one matches. */
export function matchesSome(list: readonly PermissionRule[], facts: CallFacts): boolean {
  return candidates(list, facts).some((rule) => rule.matches(facts));
}

interface Index {
  /** Positions of rules that say nothing about the calls they can match. */
  readonly always: readonly number[];
  readonly byKey: ReadonlyMap<string, readonly number[]>;
  readonly hasWords: boolean;
  readonly hasNames: boolean;
}

const WORD = "word:";
const NAME = "name:";

/** Keys of a rule: a call that has none of them is none it is about. */
export const ruleKey = {
  tool: (tool: string): string => `tool:${plainName(presentName(tool))}`,
  /** The first word of a command. */
  word: (word: string): string => WORD + word,
  /** A name in the path of a file. */
  name: (name: string): string => NAME + comparableName(name),
} as const;

function candidates(list: readonly PermissionRule[], facts: CallFacts): readonly PermissionRule[] {
  const index = indexOf(list);
  const keys = keysOf(facts, index);
  if (!keys) return list;
  const positions = new Set(index.always);
  for (const key of keys) for (const position of index.byKey.get(key) ?? []) positions.add(position);
  return [...positions].sort((a, b) => a - b).flatMap((position) => list[position] ?? []);
}

const indexes = new WeakMap<readonly PermissionRule[], Index>();

function indexOf(list: readonly PermissionRule[]): Index {
  let index = indexes.get(list);
  if (!index) {
    index = makeIndex(list);
    indexes.set(list, index);
  }
  return index;
}

function makeIndex(list: readonly PermissionRule[]): Index {
  const always: number[] = [];
  const byKey = new Map<string, number[]>();
  for (const [position, { key }] of list.entries()) {
    if (key === undefined) always.push(position);
    else {
      const positions = byKey.get(key);
      if (positions) positions.push(position);
      else byKey.set(key, [position]);
    }
  }
  const has = (start: string): boolean => [...byKey.keys()].some((key) => key.startsWith(start));
  return { always, byKey, hasWords: has(WORD), hasNames: has(NAME) };
}

/** Everything a call can be told apart by. Nothing: what cannot be read may be about any rule. */
function keysOf(facts: CallFacts, { hasWords, hasNames }: Index): ReadonlySet<string> | undefined {
  const keys = new Set([ruleKey.tool(facts.tool)]);
  const isShell = toolKind(facts.tool) === "shell";
  const words = isShell && hasWords ? wordsOf(facts) : [];
  // A folder that is taken away need not have the name that the rule is about, and the name of one that is not known is not there.
  if (isShell && hasNames && touchedFiles(facts).some(({ use, beyond }) => use === "taken" || beyond)) return undefined;
  const files = hasNames ? (isShell ? touchedFiles(facts).flatMap((touched) => touched.files) : filesOf(facts)) : [];
  // SECURITY: undecided is no reason to leave a rule out.
  if (!words || !files) return undefined;
  for (const word of words) keys.add(ruleKey.word(word));
  for (const name of new Set(files.flatMap((file) => namesIn(file, facts)))) keys.add(ruleKey.name(name));
  return keys;
}

function wordsOf({ input, read }: CallFacts): readonly string[] | undefined {
  const line = input["command"];
  if (typeof line !== "string") return undefined;
  const { commands, isUncertain } = read(line);
  if (isUncertain) return undefined;
  const words = [line.trim(), ...commands.flatMap((command) => looseTexts(command))].map(firstWord);
  return words.some((word) => word.includes(UNKNOWN)) ? undefined : words;
}

function firstWord(text: string): string {
  return /^\S*/.exec(text)?.[0] ?? "";
}

function filesOf(facts: CallFacts): readonly string[] | undefined {
  const file = fileOf(facts);
  return file === undefined ? undefined : [file];
}

function namesIn(file: string, facts: CallFacts): readonly string[] {
  const { named, real } = pathViews(file, facts.cwd, facts);
  return [named, ...real].flatMap((path) => [path, comparableName(path)]).flatMap((path) => path.split("/"));
}
