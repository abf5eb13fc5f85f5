/**
 * Takes a command. Gives what it starts in a language of its own: inline code of interpreters, awk, sed, editors and debuggers, options that
 * hand text to a shell, variables that name a program. What cannot be read there is no doubt of the whole line.
 */

import { programOf, readArguments, valuesOf } from "../arguments.ts";
import type { ShellCommand, ShellWord, Span } from "../types.ts";
import { cutWord, textWord, wordIn, wordSet } from "../words.ts";
import { awkCodes, type Code, codesIn, readAwk, type StartedText, substitutedFiles, textsInCode } from "./foreign-code.ts";
import { settingsOfVariables, startedBySettings } from "./git.ts";
import { type Handing, handingsOf, optionForms } from "./program.ts";
import { readSed, sedScript } from "./sed.ts";
import { type Input, readsItsCommands, type Started } from "./started.ts";

/** A text or words that something starts, and where they stand. */
interface Foreign {
  readonly started: StartedText;
  readonly span: Span;
  readonly folder?: ShellWord | undefined;
}

/** What the words and the input of a command make its program start. */
export function startedByForeign(words: readonly ShellWord[], stdin: Input): readonly Started[] {
  return [
    ...foreignIn(words, stdin).flatMap(({ started, span, folder }) => asStarted(started, span, folder)),
    ...startedBySed(words, stdin),
    ...startedByAwk(words, stdin),
  ];
}

/** SECURITY: as with sed, what awk reads and runs, or puts together, is known only when it runs. */
function startedByAwk(words: readonly ShellWord[], stdin: Input): readonly Started[] {
  if (programOf(words[0]) !== "awk") return [];
  return awkCodes(words, stdin, words[0]?.span ?? { start: 0, end: 0 }).some(({ text }) => readAwk(text).unknown.length > 0)
    ? [readsItsCommands("awk")]
    : [];
}

/** What the script of sed runs: `1e rm x`, `s/^x$/rm x/e`; each line that it reads, or what it makes of one; or what cannot be told. */
function startedBySed(words: readonly ShellWord[], stdin: Input): readonly Started[] {
  if (!words[0]?.text.includes("sed") || !/^g?sed$/.test(programOf(words[0]))) return [];
  const script = sedScript(words, stdin);
  if (!script) return [];
  const { commands, runsInput, isUnread } = readSed(script.text);
  const isText = stdin?.kind === "text" && stdin.text !== script.text;
  return [
    ...commands.flatMap((command) => asStarted(command, script.at.span)),
    ...(runsInput && isText ? asStarted(stdin.text, stdin.span) : []),
    ...(runsInput ? [readsItsCommands("sed")] : []),
    ...(isUnread ? [{ kind: "doubt", code: "dynamic-script", text: "sed has a script that cannot be read." } as const] : []),
  ];
}

/** Variables by which a program is told what to start. */
const NAMES_PROGRAM =
  /^(?:GIT_(?:PAGER|EDITOR|SEQUENCE_EDITOR|SSH|SSH_COMMAND|ASKPASS|EXTERNAL_DIFF|PROXY_COMMAND)|EDITOR|VISUAL|PAGER|MANPAGER|SYSTEMD_PAGER|SYSTEMD_EDITOR|DELTA_PAGER|BAT_PAGER|AWS_PAGER|GH_PAGER|GH_EDITOR|PSQL_PAGER|PSQL_EDITOR|LESSOPEN|LESSCLOSE|LESSEDIT|FCEDIT|SUDO_EDITOR|SUDO_ASKPASS|SSH_ASKPASS|RSYNC_RSH|CVS_RSH|BROWSER|PROMPT_COMMAND|FZF_DEFAULT_COMMAND|KUBE_EDITOR)$/;
/** Variables whose value is read as words of a program, before its own. */
const CARRIES_OPTIONS: Readonly<Record<string, string>> = {
  TAR_OPTIONS: "tar",
  ZIPOPT: "zip",
  MANOPT: "man",
  LESS: "less",
  FZF_DEFAULT_OPTS: "fzf",
  NODE_OPTIONS: "node",
  PERL5OPT: "perl",
  RUBYOPT: "ruby",
  MAKEFLAGS: "make",
  GNUMAKEFLAGS: "make",
};
const SETS_VARIABLES = wordSet("export declare typeset readonly");

/** `GIT_EDITOR='rm x' git commit`, `export PAGER='rm x'`. */
export function startedByVariables({ words, assignments }: Pick<ShellCommand, "words" | "assignments">): readonly Started[] {
  const exported = SETS_VARIABLES.has(words[0]?.text ?? "")
    ? words.slice(1).flatMap((word) => {
        const [, name, text] = /^(\w+)=(.*)$/s.exec(word.text) ?? [];
        return name === undefined || text === undefined ? [] : [{ name, value: { ...word, text } }];
      })
    : [];
  const carried = [...assignments, ...exported].flatMap(({ name, value }) => {
    const program = Object.hasOwn(CARRIES_OPTIONS, name) ? CARRIES_OPTIONS[name] : undefined;
    const given = value.text.match(/(?:\\[\s\S]|'[^']*'|"[^"]*"|[^\s'"\\])+/g) ?? [];
    const plain = given.map((text) => textWord(text.replace(/\\([\s\S])|["']/g, "$1"), value.span));
    return program === undefined ? [] : startedByForeign([textWord(program, value.span), ...plain], undefined);
  });
  const named = [...assignments, ...exported].flatMap(({ name, value }) => {
    if (!NAMES_PROGRAM.test(name)) return [];
    return asStarted(value.text.replace(/^(?:\|{1,2}-?|!)/, ""), value.span);
  });
  const settings = programOf(words[0]) === "git" ? settingsOfVariables([...assignments, ...exported]) : settingsOfVariables(exported);
  return [...named, ...carried, ...startedBySettings(words, settings)];
}

function foreignIn(words: readonly ShellWord[], stdin: Input): readonly Foreign[] {
  const program = programOf(words[0]);
  const span = { start: words[0]?.span.start ?? 0, end: words.at(-1)?.span.end ?? 0 };
  const inCode = [...codesIn(words, stdin, span), ...debuggerCodes(program, words)].flatMap(({ text, at }) =>
    textsInCode(text, program).map((started) => ({ started, span: at.span })),
  );
  const inAwk = program === "awk" ? awkCodes(words, stdin, span).flatMap(({ text, at }) => foreigns(readAwk(text).texts, at.span)) : [];
  const inWords = scriptsIn(program, words, stdin).map(({ text, at, folder }) => ({ started: text, span: at.span, folder }));
  return [...inCode, ...inAwk, ...inWords];
}

function foreigns(texts: readonly string[], span: Span): readonly Foreign[] {
  return texts.map((started) => ({ started, span }));
}

/** `gdb -ex 'python import os; …'`, `vim -c 'py3 …'`: a language inside the program's own. */
function debuggerCodes(program: string, words: readonly ShellWord[]): readonly { readonly text: string; readonly at: ShellWord }[] {
  if (!/^(?:gdb|lldb|n?vim?|ex|view|gvim)$/.test(program)) return [];
  return words.slice(1).flatMap((word) => {
    const code = /^\+?:?\s*(?:py(?:thon)?[3x]?|pyx|script|lua|perl|ruby|tcl|guile)\s+(.+)$/s.exec(word.text)?.[1];
    return code === undefined ? [] : [{ text: code, at: word }];
  });
}

function asStarted(started: StartedText, span: Span, folder?: ShellWord): readonly Started[] {
  if (typeof started !== "string")
    return [{ kind: "words", words: started.map((text) => textWord(text, span)), isForeign: true, readsStdin: true }];
  return started.trim() === "" ? [] : [{ kind: "script", script: started, span, isForeign: true, isStdin: true, folder }];
}

/** Programs with a little language in which some text is for a shell: what in a word, or in a line of the input if it reads commands there; the first group. */
interface Language {
  readonly programs: string;
  readonly inWord: RegExp;
  readonly readsInput?: true;
}

const VIM_SHELL =
  /(?:^|[|\n]|silent!?)\s{0,4}\+?:{0,2}\s{0,4}(?:silent!?\s{0,4})?(?:\d{1,6}|%|\.)?\s{0,4}(?:r(?:ead)?\s{0,4}|w(?:rite)?\s{0,4}|ter(?:minal)?\s{1,4})?!{1,2}(.+)/s;

const LANGUAGES: readonly Language[] = [
  { programs: "ssh scp sftp", inWord: /^(?:-o)?\s*(?:proxycommand|localcommand|knownhostscommand)[=\s]+(.+)/is },
  { programs: "vim vi nvim ex view gvim rvim vimdiff ed red", inWord: VIM_SHELL, readsInput: true },
  {
    programs: "vim vi nvim ex view gvim rvim vimdiff",
    inWord: /(?:system(?:list)?|job_start|termopen|term_start)\(\s*["'](.+)["']\s*\)/s,
    readsInput: true,
  },
  { programs: "gdb lldb", inWord: /^(?:--?[\w-]+=)?\s*(?:she?l?l?\b|!|platform shell|pipe[^|]*\|)\s*(.+)/s, readsInput: true },
  { programs: "sqlite3 sqlite", inWord: /^\s*\.(?:sh[a-z]*|sy[a-z]*)\s+(.+)/s, readsInput: true },
  { programs: "sqlite3 sqlite", inWord: /^\s*\.(?:o|i|rea)[a-z]*\s+["']?\|\s*([^"']+)/s, readsInput: true },
  { programs: "psql pgcli usql mysql mariadb", inWord: /(?:^|[\s;])\\!\s*(.+)/s, readsInput: true },
  { programs: "psql pgcli usql", inWord: /\bprogram\s+'([^']+)'/is, readsInput: true },
  { programs: "psql pgcli usql", inWord: /\\(?:o|g|copy .* program|w)\s*'?\|?\s*'?\|(.+)/s, readsInput: true },
  { programs: "mysql mariadb", inWord: /^\s*system\s+(.+)/s, readsInput: true },
  { programs: "ftp lftp sftp telnet gnuplot dc mail mailx", inWord: /^\s*~?!\s*(.+)/s, readsInput: true },
  { programs: "m4", inWord: /\be?syscmd\(\s*[`']*([^)']+)/s, readsInput: true },
  { programs: "crontab", inWord: /^\s*(?:@\w+|(?:[\d*][^\s]*\s+){4}\S+)\s+(.+)/s, readsInput: true },
  { programs: "less more", inWord: /^\+!(.+)/s },
  { programs: "socat", inWord: /(?:^|!!)(?:exec|system|shell)(?:-[a-z]+)?:["']?([^"',]+)/is },
  { programs: "apt apt-get aptitude apt-cache", inWord: /^(?:-o)?[\w:-]*(?:invoke|pager|pre-install-pkgs)[\w:]*=(.+)/is },
  { programs: "fzf sk", inWord: /(?:execute(?:-silent)?|become|reload(?:-sync)?|transform)[([:]\s*([^)\]]+)/s },
  { programs: "git", inWord: /^ext::(.+)/s },
  { programs: "git", inWord: /^-O(.+)/s },
];

const BY_PROGRAM: ReadonlyMap<string, readonly Language[]> = LANGUAGES.reduce((map, language) => {
  for (const program of language.programs.split(" ")) map.set(program, [...(map.get(program) ?? []), language]);
  return map;
}, new Map<string, readonly Language[]>());

/** The texts in a command that its program hands to a shell. `program`: its plain name. */
function scriptsIn(program: string, words: readonly ShellWord[], stdin: Input): readonly Code[] {
  const makefiles = /^(?:g?make|just|ninja|samu)$/.test(program) ? makeTexts(words, stdin) : [];
  return [
    ...makefiles,
    ...(/^(?:g|bsd)?tar$/.test(program) ? oldTarTexts(words) : []),
    ...handingsOf(program).flatMap((handing) => handedTexts(handing, words)),
    ...(BY_PROGRAM.get(program) ?? []).flatMap((language) => textsIn(language, words, stdin)),
  ];
}

/** `tar cfI out 'program' a`: without a dash the values follow in the order of their letters. */
function oldTarTexts(words: readonly ShellWord[]): readonly Code[] {
  if (words[1]?.text.startsWith("-")) return [];
  return valuesOf(readArguments(words, optionForms("tar")), ["I", "F"]).map((word) => ({ text: word.text, at: word }));
}

function handedTexts(handing: Handing, words: readonly ShellWord[]): readonly Code[] {
  return words.slice(1).flatMap((word, at) => {
    const value = optionText(handing, word.text, words[at + 2]?.text);
    // `--checkpoint-action=exec=…`
    const text = value && (handing.hasCommas ? value.replaceAll(",", " ") : value).replace(/^exec=/, "");
    const operand = handing.operands && /\s/.test(word.text) ? [{ text: word.text, at: word }] : [];
    return text ? [{ text, at: word }, ...operand] : operand;
  });
}

function textsIn({ inWord, readsInput }: Language, words: readonly ShellWord[], stdin: Input): readonly Code[] {
  const lines = readsInput && stdin?.kind === "text" ? stdin.text.split("\n").map((text) => ({ text, at: stdin })) : [];
  return [...words.slice(1).map((word) => ({ text: word.text, at: word })), ...lines].flatMap(({ text, at }) => {
    const inside = inWord.exec(text)?.[1];
    return inside ? [{ text: inside, at }] : [];
  });
}

/** The shell text that a word gives as an option's value, in itself or in the next one. */
function optionText({ letters, flags, long, single, not }: Handing, text: string, next: string | undefined): string | undefined {
  const [head = "", value] = text.split(/=(.*)/s);
  if (head.startsWith("--")) {
    const given = head.slice(2);
    const isStart = given.length >= SHORTEST && !not.includes(given);
    return long.some((name) => name === given || (isStart && name.startsWith(given))) ? (value ?? next) : undefined;
  }
  if (!text.startsWith("-") || text.length < 2) return undefined;
  if (single.some((name) => head === `-${name}` || (flags !== "" && head.endsWith(name)))) return value ?? next;
  for (let at = 1; letters && at < text.length; at++) {
    const letter = text.charAt(at);
    if (letters.includes(letter)) return text.slice(at + 1).replace(/^=/, "") || next;
    if (!flags.includes(letter)) return undefined;
  }
  return undefined;
}

/** An abbreviation shorter than this could mean another option. */
const SHORTEST = 2;

/** Recipes: lines after a tab, and what follows `target: ;`. */
const RECIPE = /^\t[-@+]*(.+)$|^[^\t\n#=;]*:[^\n=;]*;\s*[-@+]*(.+)$/gm;
/** `$(shell …)`, `x != …`. */
const MAKE_SHELL = /\$[({]shell\s+([^(){}]+)[)}]|^\s*\w+\s*!=\s*(.+)$/gm;

/** `make SHELL=program`. */
const OTHER_SHELL = /^SHELL\s*[:+?]{0,3}=\s*(.+)$/gs;

/** `command = …` of ninja. */
const NINJA_COMMAND = /^\s*command\s*=\s*(.+)$/gm;
/** Any character can stand in the place of the tab. */
const OTHER_PREFIX = /^[^\w\s#.](.+)$/gm;

/** The folders that `-C` goes to, one after the other. */
function workFolder(words: readonly ShellWord[]): ShellWord | undefined {
  return words.reduce<ShellWord | undefined>((folder, word, at) => {
    const attached = /^(?:-C|-d|--directory=|--working-directory=)(?=.)/.exec(word.text)?.[0].length;
    const isNext = /^(?:-\w*C|-d|--directory|--working-directory)$/.test(words[at - 1]?.text ?? "") && at > 1;
    if (!isNext && (attached === undefined || at === 0)) return folder;
    return wordIn(folder, isNext ? word : cutWord(word, attached ?? 0));
  }, undefined);
}

/** A makefile in the words, on the input, or in a substituted file: its recipes are shell text. */
function makeTexts(words: readonly ShellWord[], stdin: Input): readonly Code[] {
  const readsInput = words.some(({ text }) => /^(?:-|-f-|\/dev\/stdin|--(?:make)?file=(?:-|\/dev\/stdin))$/.test(text));
  const files = [
    ...(stdin?.kind === "text" && readsInput ? [{ text: stdin.text, at: stdin }] : []),
    ...substitutedFiles(words),
    ...words.flatMap((word, at) => {
      const value =
        /^(?:--eval=|-E)(.+)$/s.exec(word.text)?.[1] ?? (/^(?:--eval|-E)$/.test(words[at - 1]?.text ?? "") ? word.text : undefined);
      return value === undefined ? [] : [{ text: value, at: word }];
    }),
  ];
  const shells = words.slice(1).map((word) => ({ text: word.text, at: word }));
  const folder = workFolder(words);
  // Every recipe is an argument of it.
  const runners = shells.flatMap(({ text, at }) =>
    groupsIn(text, OTHER_SHELL).map((shell) => ({ text: `${shell} -c recipe`, at, folder })),
  );
  const recipesIn = (text: string): readonly string[] => [
    ...groupsIn(text, RECIPE),
    ...groupsIn(text, NINJA_COMMAND),
    ...(text.includes(".RECIPEPREFIX") ? groupsIn(text, OTHER_PREFIX) : []),
  ];
  return [
    ...runners,
    ...files.flatMap(({ text, at }) => recipesIn(text).map((recipe) => ({ text: recipe, at, folder }))),
    ...[...files, ...shells].flatMap(({ text, at }) => groupsIn(text, MAKE_SHELL).map((script) => ({ text: script, at, folder }))),
  ];
}

function groupsIn(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, first, second]) => first ?? second ?? "");
}
