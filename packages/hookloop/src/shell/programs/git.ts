import { formsIn, type GivenOption, readArguments, valuesOf } from "../arguments.ts";
import { wordSet } from "../tables.ts";
import { type ShellCommand, type ShellWord, UNKNOWN } from "../types.ts";
import { textWord } from "../words.ts";
import { optionsBefore } from "./program.ts";
import { programName, type Started, scriptIn } from "./started.ts";

interface GitWords {
  readonly globals: readonly ShellWord[];
  readonly options: readonly GivenOption[];
  /** The sub-command with its words. */
  readonly rest: readonly ShellWord[];
}

/** `git-push x`, `/usr/lib/git-core/git-push x`: a sub-command called by a name of its own is `git push x`. */
export function withoutDash(words: readonly ShellWord[]): readonly ShellWord[] {
  const [first, ...rest] = words;
  const sub = first?.text.includes("git-") ? /^git-(.+)$/.exec(programName(words))?.[1] : undefined;
  if (!first || sub === undefined || !OWN_COMMANDS.has(sub)) return words;
  return [textWord("git", first.span, first.source), textWord(sub, first.span, first.source), ...rest];
}

/** Git's own options, and what follows them. */
export function splitGit(given: readonly ShellWord[]): GitWords {
  const words = withoutDash(given);
  const { options, operands } = readArguments(words, { ...formsIn(optionsBefore("git") ?? ""), isComplete: true, stopsAtOperand: true });
  return { globals: words.slice(1, words.length - operands.length), options, rest: operands };
}

/** Settings whose value git runs with a shell. */
const COMMAND_SETTINGS =
  /^(?:core\.(?:pager|editor|sshcommand|fsmonitor|gitproxy|askpass|alternaterefscommand)|sequence\.editor|diff\.external|diff\..*\.(?:command|textconv)|(?:merge|diff)tool\..*\.cmd|merge\..*\.driver|filter\..*\.(?:clean|smudge|process)|gpg\.(?:.*\.)?program|pager\..*|interactive\.difffilter|uploadpack\.packobjectshook|remote\..*\.(?:uploadpack|receivepack|vcs))$/i;

/** What git runs for its arguments: shell aliases and commands in settings, `bisect run`, `rebase --exec`, `submodule foreach`. */
export function startedByGit(given: readonly ShellWord[]): readonly Started[] {
  const words = withoutDash(given);
  const ofSettings = words.flatMap((word, at) => {
    if (words[at - 1]?.text === "-c" || words[at - 1]?.text === "--config") return startedBySetting(word, word.text);
    const attached = /^(?:-c|--config=)(?=\w+\.)/.exec(word.text)?.[0].length;
    return at > 0 && attached !== undefined ? startedBySetting(word, word.text.slice(attached)) : [];
  });
  const { rest } = splitGit(words);
  // The text of an alias that is one is among the settings.
  const settings = [...ofSettings, ...startedByAlias(words, givenSettings(words)).filter(({ kind }) => kind !== "script")];
  const [sub, ...args] = rest.map(({ text }) => text);
  if (sub === "bisect" && args[0] === "run") return [...settings, { kind: "words", words: rest.slice(2) }];
  if (sub === "submodule" && args.find((text) => !text.startsWith("-")) === "foreach") {
    const script = rest.slice(rest.findIndex(({ text }) => text === "foreach") + 1);
    return [...settings, ...scriptIn(script.filter(({ text }) => text !== "--recursive" && text !== "--quiet"))];
  }
  if (sub === "config") return [...settings, ...startedByConfig(rest)];
  return [...settings, ...startedByOption(rest)];
}

/** Settings by their names in small letters; a value that is not known is `UNKNOWN`. */
type Settings = ReadonlyMap<string, string>;

const NO_SETTINGS: Settings = new Map();

/** `-c name=value`, `-cname=value`, `--config-env=name=VARIABLE`. */
function givenSettings(words: readonly ShellWord[]): Settings {
  const { options } = splitGit(words);
  const found = new Map<string, string>();
  for (const { name, value: given } of options) {
    const [key = "", value = ""] = given && (name === "-c" || name === "--config-env") ? given.text.split(/=(.*)/s) : [];
    if (key !== "") found.set(key.toLowerCase(), name === "-c" ? value : UNKNOWN);
  }
  return found.size === 0 ? NO_SETTINGS : found;
}

/** `GIT_CONFIG_KEY_0`, `GIT_CONFIG_VALUE_0`, `GIT_CONFIG_PARAMETERS`, and files of settings, of which nothing is known. */
function settingsOf(variables: readonly { readonly name: string; readonly value: { readonly text: string } }[]): Settings {
  if (!variables.some(({ name }) => name.startsWith("GIT_CONFIG"))) return NO_SETTINGS;
  const values = new Map(variables.map(({ name, value }) => [name, value.text]));
  const found = new Map<string, string>();
  for (const [name, text] of values) {
    const number = /^GIT_CONFIG_KEY_(\d+)$/.exec(name)?.[1];
    if (number !== undefined) found.set(text.toLowerCase(), values.get(`GIT_CONFIG_VALUE_${number}`) ?? UNKNOWN);
    if (name === "GIT_CONFIG_PARAMETERS")
      for (const [, key = "", value] of text.matchAll(/'([^'=]*)(?:'?='?([^']*))?'/g)) found.set(key.toLowerCase(), value ?? "");
    const isFile = /^GIT_CONFIG(?:_GLOBAL|_SYSTEM)?$/.test(name) && text !== "" && text !== "/dev/null";
    if (isFile || (name.startsWith("GIT_CONFIG_") && text.includes(UNKNOWN))) found.set("include.path", UNKNOWN);
  }
  return found;
}

/** Those that can be no alias: git takes its own command of that name. */
const OWN_COMMANDS = wordSet(
  "add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore checkout checkout-index cherry cherry-pick clean clone commit commit-graph commit-tree config count-objects credential describe diff diff-files diff-index diff-tree difftool fast-export fast-import fetch filter-branch for-each-ref for-each-repo format-patch fsck gc grep gui hash-object help hook index-pack init interpret-trailers lfs log ls-files ls-remote ls-tree maintenance merge merge-base merge-file merge-tree mergetool mktag mktree mv name-rev notes pack-objects pack-refs patch-id prune pull push range-diff read-tree rebase reflog remote repack replace request-pull rerere reset restore rev-list rev-parse revert rm send-email send-pack shortlog show show-branch show-ref sparse-checkout stash status stripspace submodule subtree switch symbolic-ref tag unpack-objects update-index update-ref var verify-commit verify-tag version whatchanged worktree write-tree",
);

/** `git -c alias.p=push p origin` is `git push origin`. What a file of settings that the line brings makes of an unknown name cannot be told. */
function startedByAlias(words: readonly ShellWord[], settings: Settings): readonly Started[] {
  if (settings.size === 0) return [];
  const { rest } = splitGit(words);
  const [name, ...args] = rest;
  if (!name || OWN_COMMANDS.has(name.text)) return [];
  const key = `alias.${name.text.toLowerCase()}`;
  const value = settings.get(key) ?? settings.get(`${key}.command`);
  const isBrought = [...settings.keys()].some((setting) => /^include(?:if\..*)?\.path$/.test(setting));
  if (value?.includes(UNKNOWN) || (value === undefined && isBrought))
    return [{ kind: "doubt", code: "dynamic-name", text: `git ${name.text} may be an alias for anything.` }];
  if (value === undefined) return [];
  if (value.startsWith("!")) return scriptIn([textWord(value.slice(1), name.span)]);
  const meant = value
    .split(/\s+/)
    .filter(Boolean)
    .map((text) => textWord(text.replace(/["']/g, ""), name.span));
  const before = words.slice(0, words.length - rest.length).filter(({ text }) => text !== "--");
  return [{ kind: "words", words: [...before, ...meant, ...args] }];
}

/** The same of settings that variables give. */
export function aliasOfVariables(words: readonly ShellWord[], variables: ShellCommand["assignments"]): readonly Started[] {
  const settings = settingsOf(variables);
  return settings.size > 0 && programName(words) === "git" ? startedByAlias(words, settings) : [];
}

/** What the git commands of a line are by aliases that the line itself keeps in settings or exports: `git config alias.p push; git p`. */
export function aliasedInLine(commands: readonly ShellCommand[]): readonly Started[] {
  const settings = new Map([...commands.flatMap(keptBy), ...settingsOf(commands.flatMap(exportedBy))]);
  return settings.size === 0 ? [] : commands.flatMap(({ words }) => (programName(words) === "git" ? startedByAlias(words, settings) : []));
}

/** `git config alias.p push`. */
function keptBy({ words }: ShellCommand): readonly (readonly [key: string, value: string])[] {
  const texts = programName(words) === "git" ? splitGit(words).rest.map(({ text }) => text) : [];
  const at = texts[0] === "config" ? texts.findIndex((text) => /^(?:alias|include(?:if)?)\./i.test(text)) : -1;
  const value = texts[at + 1];
  return at === -1 || value === undefined ? [] : [[(texts[at] ?? "").toLowerCase(), value]];
}

function exportedBy({ words }: ShellCommand): ShellCommand["assignments"] {
  if (!/^(?:export|declare|typeset|readonly)$/.test(programName(words))) return [];
  return words.slice(1).flatMap((word) => {
    const [, name, value] = /^(GIT_CONFIG\w*)=(.*)$/s.exec(word.text) ?? [];
    return name === undefined || value === undefined ? [] : [{ name, value: textWord(value, word.span) }];
  });
}

function startedBySetting(word: ShellWord, text: string): readonly Started[] {
  const [key = "", value] = text.split(/=(.*)/s);
  return value === undefined ? [] : startedByValue(key, { ...word, text: value });
}

function startedByValue(key: string, word: ShellWord): readonly Started[] {
  const isShellText = /^(?:alias\.|credential\.(?:.*\.)?helper$)/i.test(key) && word.text.startsWith("!");
  if (isShellText) return scriptIn([{ ...word, text: word.text.slice(1) }]);
  return COMMAND_SETTINGS.test(key) && word.text !== "" ? scriptIn([word]) : [];
}

/** `git config alias.x '!command'`. */
function startedByConfig(words: readonly ShellWord[]): readonly Started[] {
  const at = words.findIndex(({ text }, index) => index > 0 && /^\w+\..+/.test(text));
  const value = words[at + 1];
  return at === -1 || !value ? [] : startedByValue(words[at]?.text ?? "", value);
}

/** Options of sub-commands whose value a shell runs: how they are read, and their names. */
const RUNS: Readonly<Record<string, readonly [options: string, names: readonly string[]]>> = {
  rebase: ["-xsXC: -S? --exec: --onto: --strategy: --strategy-option: --empty:", ["x", "exec"]],
  difftool: ["-xt: -O? --extcmd: --tool:", ["x", "extcmd"]],
  clone: ["-ubcoj: --upload-pack: --branch: --config: --origin: --depth: --reference: --template: --jobs:", ["u", "upload-pack"]],
  grep: ["-efABCm: -O?", ["O"]],
  "filter-branch": ["-df:", "env tree index parent msg commit tag-name subdirectory".split(" ").map((name) => `${name}-filter`)],
};

/** `rebase -ix 'make test'`, `filter-branch --tree-f='…'`. */
function startedByOption(words: readonly ShellWord[]): readonly Started[] {
  const row = Object.hasOwn(RUNS, words[0]?.text ?? "") ? RUNS[words[0]?.text ?? ""] : undefined;
  if (!row) return [];
  const [options, names] = row;
  const longValued = [...(formsIn(options).longValued ?? []), ...names.filter((name) => name.length > 1)];
  return valuesOf(readArguments(words, { ...formsIn(options), longValued }), names).flatMap((value) =>
    value.text === "" ? [] : scriptIn([value]),
  );
}
