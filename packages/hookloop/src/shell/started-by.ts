import { readOptions } from "./read-options.ts";
import { type ShellWord, UNKNOWN } from "./types.ts";
import { SHELL_OPTIONS, SHELLS, WRAPPERS, type Wrapper } from "./wrappers.ts";

/** What a command starts: another program with its words, a shell script, or something that reading cannot tell. */
export type Started =
  | { readonly words: readonly ShellWord[] }
  | { readonly script: string }
  /** The words of this text, then more words. */
  | { readonly split: string; readonly after: readonly ShellWord[] }
  | { readonly doubt: string };

const UNKNOWN_WORD: ShellWord = { text: UNKNOWN, source: "" };
const EXEC = new Set(["-exec", "-execdir", "-ok", "-okdir"]);

/** The last part of a command's name: `/usr/bin/env` is `env`. */
export function programName(words: readonly ShellWord[]): string {
  const name = words[0]?.text ?? "";
  return name.slice(name.lastIndexOf("/") + 1);
}

/** What this command starts in turn. `stdin`: text that a heredoc or herestring gives it. */
export function startedBy(words: readonly ShellWord[], stdin: string | undefined): readonly Started[] {
  const name = programName(words);
  const special = SPECIAL[name];
  if (special) return special(words);
  if (SHELLS.has(name)) return startedByShell(words, stdin);
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  return wrapper ? startedByWrapper(words, name, wrapper) : [];
}

const SPECIAL: Readonly<Record<string, ((words: readonly ShellWord[]) => readonly Started[]) | undefined>> = Object.assign(
  Object.create(null),
  {
    eval: (words: readonly ShellWord[]) => scripts(textOf(words.slice(1))),
    trap: (words: readonly ShellWord[]) => (words.length > 2 ? scripts(words[1]?.text ?? "") : []),
    find: startedByFind,
    source: startedBySource,
    ".": startedBySource,
  },
);

function startedByShell(words: readonly ShellWord[], stdin: string | undefined): readonly Started[] {
  const { rest, letters, unknown } = readOptions(words, SHELL_OPTIONS);
  const doubts = unknown === undefined ? [] : [unknownOption(words, unknown)];
  if (letters.includes("c")) return [...doubts, ...scripts(rest[0]?.text ?? "")];
  const readsStdin = rest.length === 0 || letters.includes("s");
  if (!readsStdin || unknown !== undefined) return doubts;
  return stdin === undefined ? [{ doubt: `${programName(words)} reads its commands from stdin` }] : scripts(stdin);
}

function startedByWrapper(words: readonly ShellWord[], name: string, wrapper: Wrapper): readonly Started[] {
  const { rest, letters, split, unknown } = readOptions(words, wrapper);
  const started: Started[] = unknown === undefined ? [] : [unknownOption(words, unknown)];
  if ([...(wrapper.startsNothing ?? "")].some((letter) => letters.includes(letter))) return started;
  if (split) return [...started, { split: `${name} ${split.text}`, after: rest }, ...doubtIfUnknown(split.text)];
  if (wrapper.isScript && !(wrapper.isScript.unless && letters.includes(wrapper.isScript.unless))) {
    return [...started, ...startedByTemplate(rest, name, wrapper)];
  }
  if (rest.length === 0) return started;
  return [...started, { words: wrapper.addsWords ? [...rest.map(fillIn), UNKNOWN_WORD] : rest }];
}

/** `parallel 'cmd {}' ::: a b` and `watch 'a | b'`: the words are joined to shell text. */
function startedByTemplate(rest: readonly ShellWord[], name: string, wrapper: Wrapper): readonly Started[] {
  const end = rest.findIndex(({ text }) => /^::::?\+?$/.test(text));
  const template = end === -1 ? rest : rest.slice(0, end);
  if (!wrapper.addsWords) return scripts(textOf(template));
  if (template.length === 0) return [{ doubt: `${name} reads its commands from stdin` }];
  // What is filled in is quoted by the program: it adds words, not commands.
  const filled = `${textOf(template).replace(/\{[^{}\s]*\}/g, UNKNOWN)} ${UNKNOWN}`;
  return [{ script: filled }, ...doubtIfUnknown(textOf(template))];
}

function startedByFind(words: readonly ShellWord[]): readonly Started[] {
  const started: Started[] = [];
  let rest = words;
  for (;;) {
    const start = rest.findIndex(({ text }) => EXEC.has(text)) + 1;
    if (start === 0) return started;
    const end = rest.findIndex(({ text }, at) => at >= start && (text === ";" || (text === "+" && rest[at - 1]?.text === "{}")));
    started.push({ words: (end === -1 ? rest.slice(start) : rest.slice(start, end)).map(fillIn) });
    // SECURITY: what one -exec has taken is not looked at again; else nested ones would multiply.
    rest = end === -1 ? [] : rest.slice(end);
  }
}

function startedBySource(words: readonly ShellWord[]): readonly Started[] {
  const file = words[1]?.text ?? "";
  return file.includes(UNKNOWN) || file.startsWith("/dev/") ? [{ doubt: "it runs commands that another command prints" }] : [];
}

function scripts(script: string): readonly Started[] {
  return [{ script }, ...doubtIfUnknown(script)];
}

function doubtIfUnknown(script: string): readonly Started[] {
  return script.includes(UNKNOWN) ? [{ doubt: "part of a nested script is known only when it runs" }] : [];
}

function unknownOption(words: readonly ShellWord[], option: string): Started {
  return { doubt: `${programName(words)} has an option ${option} that may take a value` };
}

function fillIn(word: ShellWord): ShellWord {
  return word.text.includes("{}") ? { ...word, text: word.text.replaceAll("{}", UNKNOWN) } : word;
}

function textOf(words: readonly ShellWord[]): string {
  return words.map(({ text }) => text).join(" ");
}
