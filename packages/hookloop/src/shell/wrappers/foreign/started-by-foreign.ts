/**
 * Takes a command. Gives what it starts in a language of its own: inline code of interpreters, awk, sed, editors and debuggers, options that
 * hand text to a shell, variables that name a program. What cannot be read there is no doubt of the whole line.
 */
import { programOf } from "../../arguments/program-of.ts";
import type { ShellCommand, ShellWord, Span } from "../../types.ts";
import { textWord } from "../../words/read-word.ts";
import { aliasOfVariables } from "../git.ts";
import { type Input, readsItsCommands, type Started } from "../started.ts";
import { awkCodes, readAwk, readSed, runsInput } from "./awk-and-sed.ts";
import { type StartedText, textsInCode } from "./code-texts.ts";
import { codesIn } from "./inline-code.ts";
import { scriptsIn } from "./script-options.ts";

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
    ...startedBySedInput(words, stdin),
  ];
}

/** `sed 's/x/y/;e'` runs each line that it reads, `s/x/&/e` what it makes of one. */
function startedBySedInput(words: readonly ShellWord[], stdin: Input): readonly Started[] {
  if (!words[0]?.text.includes("sed") || !/^g?sed$/.test(programOf(words[0]))) return [];
  const scripts = words.filter(
    ({ text }, at) => at > 0 && (/^-\w*e$|^--expression$/.test(words[at - 1]?.text ?? "") || text === firstScript(words)),
  );
  if (!scripts.some(({ text }) => runsInput(text))) return [];
  return stdin?.kind === "text"
    ? [{ kind: "script", script: stdin.text, span: stdin.span, isForeign: true, isStdin: true }, readsItsCommands("sed")]
    : [readsItsCommands("sed")];
}

function firstScript(words: readonly ShellWord[]): string | undefined {
  const hasOption = words.some(({ text }, at) => at > 0 && /^-[a-zA-Z]*[ef]$|^--(?:expression|file)/.test(text));
  return hasOption ? undefined : words.slice(1).find(({ text }) => !text.startsWith("-"))?.text;
}

/** Variables by which a program is told what to start. */
const NAMES_PROGRAM =
  /^(?:GIT_(?:PAGER|EDITOR|SEQUENCE_EDITOR|SSH|SSH_COMMAND|ASKPASS|EXTERNAL_DIFF|PROXY_COMMAND|CONFIG_VALUE_\d+)|EDITOR|VISUAL|PAGER|MANPAGER|SYSTEMD_PAGER|SYSTEMD_EDITOR|DELTA_PAGER|BAT_PAGER|AWS_PAGER|GH_PAGER|GH_EDITOR|PSQL_PAGER|PSQL_EDITOR|LESSOPEN|LESSCLOSE|LESSEDIT|FCEDIT|SUDO_EDITOR|SUDO_ASKPASS|SSH_ASKPASS|RSYNC_RSH|CVS_RSH|BROWSER|MANOPT|PROMPT_COMMAND|FZF_DEFAULT_COMMAND|KUBE_EDITOR)$/;
const SETS_VARIABLES: ReadonlySet<string> = new Set(["export", "declare", "typeset", "readonly"]);

/** `GIT_EDITOR='rm x' git commit`, `export PAGER='rm x'`. */
export function startedByVariables({ words, assignments }: Pick<ShellCommand, "words" | "assignments">): readonly Started[] {
  const exported = SETS_VARIABLES.has(words[0]?.text ?? "")
    ? words.slice(1).flatMap((word) => {
        const [, name, text] = /^(\w+)=(.*)$/s.exec(word.text) ?? [];
        return name === undefined || text === undefined ? [] : [{ name, value: { ...word, text } }];
      })
    : [];
  const named = [...assignments, ...exported].flatMap(({ name, value }) => {
    if (!NAMES_PROGRAM.test(name)) return [];
    if (name.startsWith("GIT_CONFIG") && !value.text.startsWith("!")) return [];
    return asStarted(value.text.replace(/^(?:\|{1,2}-?|!)/, ""), value.span);
  });
  return [...named, ...aliasOfVariables(words, assignments)];
}

function foreignIn(words: readonly ShellWord[], stdin: Input): readonly Foreign[] {
  const program = programOf(words[0]);
  const span = { start: words[0]?.span.start ?? 0, end: words.at(-1)?.span.end ?? 0 };
  const inCode = [...codesIn(words, stdin, span), ...debuggerCodes(program, words)].flatMap(({ text, at }) =>
    textsInCode(text, program).map((started) => ({ started, span: at.span })),
  );
  const inAwk = program === "awk" ? awkCodes(words, stdin, span).flatMap(({ text, at }) => foreigns(readAwk(text).texts, at.span)) : [];
  const inSed = program === "sed" || program === "gsed" ? sedScripts(words, stdin, span) : [];
  const inWords = scriptsIn(program, words, stdin).map(({ text, at, folder }) => ({ started: text, span: at.span, folder }));
  return [...inCode, ...inAwk, ...inSed, ...inWords];
}

function foreigns(texts: readonly string[], span: Span): readonly Foreign[] {
  return texts.map((started) => ({ started, span }));
}

/** `-f -`, `-nf-`, `--file=/dev/stdin`: the script comes from the input. */
const READS_SCRIPT = /(?:^|\s)(?:-[A-Za-z]*f|--fi?l?e?[= ])\s?(?:-|\/dev\/(?:stdin|fd\/0))(?=\s|$)/;

function sedScripts(words: readonly ShellWord[], stdin: Input, span: Span): readonly Foreign[] {
  const isInput = stdin?.kind === "text" && READS_SCRIPT.test(words.map(({ text }) => text).join(" "));
  const lines = isInput ? stdin.text.split("\n").flatMap((line) => foreigns(sedTexts(line.trim()), span)) : [];
  return [...lines, ...words.slice(1).flatMap((word) => foreigns(sedTexts(word.text), word.span))];
}

function sedTexts(text: string): readonly string[] {
  const { command } = readSed(text.replace(/^(?:-[nrEsuz]*e|--expression=)(?=.)/s, ""));
  return command === undefined ? [] : [command];
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
