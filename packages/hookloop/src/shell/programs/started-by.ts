import { type Options, readOptions } from "../arguments.ts";
import { type ShellWord, UNKNOWN } from "../types.ts";
import { textWord, wordSet } from "../words.ts";
import { isKnownTo, wrapperOf } from "./program.ts";
import { SPECIAL, startedByInput, startedByShell } from "./special-programs.ts";
import {
  addedWord,
  dynamicScript,
  fillIn,
  type Input,
  programName,
  readsItsCommands,
  type Started,
  scriptIn,
  scriptText,
  unknownOption,
  type Wrapper,
} from "./started.ts";
import { startedByForeign } from "./started-by-foreign.ts";

const IN_SHELL = wordSet("command builtin noglob nocorrect");

/** What this command starts in turn. */
export function startedBy(words: readonly ShellWord[], stdin: Input): readonly Started[] {
  return [...startedInShell(words, stdin), ...startedByForeign(words, stdin)];
}

function startedInShell(words: readonly ShellWord[], stdin: Input): readonly Started[] {
  const name = programName(words);
  const special = SPECIAL[name] ?? (name.startsWith("git-") ? SPECIAL["git"] : undefined);
  if (special) return special(words, stdin);
  if (isKnownTo(name, "shell")) return startedByShell(words, stdin);
  const wrapper = wrapperOf(name);
  return wrapper ? startedByWrapper(words, wrapper, { name, stdin }) : [];
}

interface Wrapped {
  readonly name: string;
  readonly stdin: Input;
}

function startedByWrapper(words: readonly ShellWord[], wrapper: Wrapper, at: Wrapped): readonly Started[] {
  if (wrapper.after) {
    const started = startedAfter(words, wrapper.after);
    return started.length === 0 ? startedByNothing(wrapper, at.name, at.stdin) : started;
  }
  const options = readOptions(words, wrapper);
  const { letters, rest, unknown } = options;
  if (wrapper.hasSubcommands && at.name === "tmux")
    return commandsOf(rest).flatMap((command) => startedBySubcommand({ ...options, rest: command }, wrapper, at));
  if (wrapper.hasSubcommands) return startedBySubcommand(options, wrapper, at);
  const doubts = unknown === undefined || wrapper.isLenient ? [] : [unknownOption(at.name, unknown)];
  if ([...(wrapper.startsNothing ?? "")].some((letter) => letters.includes(letter))) return doubts;
  if (words.slice(1).some(({ text }) => text === "--help" || text === "--version") && rest.length === 0) return [];
  const withValue =
    wrapper.isLenient && unknown !== undefined && rest.length > 1
      ? startedWith(words, { ...options, rest: rest.slice(1) }, wrapper, at)
      : [];
  return [...doubts, ...startedWith(words, options, wrapper, at), ...withValue];
}

function startedAfter(words: readonly ShellWord[], marks: readonly string[]): readonly Started[] {
  const at = words.findIndex(({ text }, index) => index > 0 && marks.includes(text));
  const rest = at === -1 ? [] : words.slice(at + 1);
  return rest.length === 0 ? [] : [{ kind: "words", words: rest }];
}

function startedWith(words: readonly ShellWord[], options: Options, wrapper: Wrapper, { name, stdin }: Wrapped): readonly Started[] {
  const { letters, rest, values } = options;
  const split = wrapper.split?.map((option) => values.get(option)).find((value) => value !== undefined);
  const inside = insideOf(options, wrapper, name);
  if (split) return startedBySplit(split, rest, { name, inside });
  const script = scriptOption(options, wrapper);
  if (script) return scriptIn([script], inside);
  if (rest.length === 0) return startedByNothing(wrapper, name, stdin);
  if (wrapper.isScript && !(wrapper.isScript.unless && letters.includes(wrapper.isScript.unless))) {
    return startedByTemplate(rest, wrapper, { name, inside });
  }
  if (!wrapper.addsWords) return [{ kind: "words", words: rest, ...inside }];
  const runs = name === "xargs" ? xargsRuns(options, stdin) : undefined;
  if (runs) return runs.map((run) => ({ kind: "words", words: run, readsStdin: true, ...inside }));
  const span = { start: words[0]?.span.start ?? 0, end: words.at(-1)?.span.end ?? 0 };
  const mark = (options.values.get("I") ?? options.values.get("J"))?.text;
  return [{ kind: "words", words: [...rest.map((word) => fillIn(word, mark || "{}")), addedWord(span)], readsStdin: true, ...inside }];
}

type Inside = ReturnType<typeof insideOf>;

function startedBySplit(
  split: ShellWord,
  after: readonly ShellWord[],
  { name, inside }: { readonly name: string; readonly inside: Inside },
): readonly Started[] {
  const text = `${name} ${split.text}`;
  return [{ kind: "split", split: text, span: split.span, after, ...inside }, ...(text.includes(UNKNOWN) ? [dynamicScript()] : [])];
}

/** `su -c '…'`, `flock file -c '…'`. */
function scriptOption({ values, rest }: Options, { scripts }: Wrapper): ShellWord | undefined {
  const given = scripts?.map((option) => values.get(option)).find((value) => value !== undefined);
  return given ?? (scripts && rest[0]?.text === "-c" ? rest[1] : undefined);
}

/** Without a program some start a shell, and parallel reads commands. */
function startedByNothing({ isShell }: Wrapper, name: string, stdin: Input): readonly Started[] {
  if (name === "parallel") return stdin?.kind === "text" ? startedByInput(name, stdin) : [readsItsCommands(name)];
  return isShell && stdin ? startedByInput(name, stdin) : [];
}

function insideOf(
  { values, assignments, given, unknown }: Options,
  wrapper: Wrapper,
  name: string,
): Pick<Extract<Started, { kind: "words" }>, "isPlain" | "isPosix" | "folder" | "isElsewhere" | "isSameShell" | "assignments"> {
  return {
    isPlain: unknown === undefined && wrapper.plain !== undefined && given.every((option) => wrapper.plain?.includes(option)),
    folder: wrapper.folder?.map((option) => values.get(option)).find((value) => value !== undefined),
    isElsewhere: wrapper.isElsewhere,
    isPosix: true,
    isSameShell: IN_SHELL.has(name),
    assignments,
  };
}

/** `tmux start-server \; run-shell '…'`: each in its turn. */
function commandsOf(words: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  const commands: ShellWord[][] = [[]];
  for (const word of words) {
    const text = word.text.replace(/(?<!\\);$/, "");
    if (text !== "") commands.at(-1)?.push(text === word.text ? word : { ...word, text });
    if (text !== word.text) commands.push([]);
  }
  return commands;
}

/** `docker exec …`: the options of the program, then those of its sub-command. */
function startedBySubcommand(options: Options, wrapper: Wrapper, at: Wrapped): readonly Started[] {
  const { rest, unknown, values } = options;
  const sub = rest[0]?.text ?? "";
  const inner = sub === "" ? undefined : wrapperOf(`${wrapper.name} ${sub}`);
  const own = wrapper.scripts?.flatMap((option) => scriptIn([values.get(option)].filter((value) => value !== undefined))) ?? [];
  if (at.name === "tmux" && sub.startsWith("send")) return sentKeys(rest.slice(1));
  if (!inner && wrapper.isLenient && unknown !== undefined && rest.length > 1)
    return startedBySubcommand({ ...options, rest: rest.slice(1), unknown: undefined }, wrapper, at);
  if (!inner) return own.filter((started) => started.kind !== "script" || started.script !== "");
  const doubts = unknown === undefined || wrapper.isLenient ? [] : [unknownOption(at.name, unknown)];
  return [...doubts, ...startedByWrapper(rest, inner, at)];
}

/** `tmux send-keys -t x 'rm -rf /' Enter`: typed into whatever runs there, most likely a shell. */
function sentKeys(words: readonly ShellWord[]): readonly Started[] {
  const typed = words.filter(
    ({ text }, at) => !/^-/.test(text) && !/^-[tN]$/.test(words[at - 1]?.text ?? "") && !/^(?:Enter|C-m|C-j|KPEnter)$/.test(text),
  );
  return typed.length === 0 ? [] : scriptIn(typed);
}

/** `parallel ::: 'a' 'b'`: each argument is a command. */
function startedByList(rest: readonly ShellWord[], name: string, inside: Inside): readonly Started[] {
  const isList = rest[0]?.text === ":::" && !rest.slice(1).some(({ text }) => text.startsWith(":::"));
  return isList ? rest.slice(1).flatMap((word) => scriptIn([word], inside)) : [readsItsCommands(name)];
}

/** `parallel 'cmd {}' ::: a b` and `watch 'a | b'`: the words are joined to shell text. */
function startedByTemplate(
  rest: readonly ShellWord[],
  wrapper: Wrapper,
  { name, inside }: { readonly name: string; readonly inside: Inside },
): readonly Started[] {
  const end = rest.findIndex(({ text }) => /^::::?\+?$/.test(text));
  const template = end === -1 ? rest : rest.slice(0, end);
  if (!wrapper.addsWords) return scriptIn(template, inside);
  if (template.length === 0) return startedByList(rest, name, inside);
  const text = template.map((word) => word.text).join(" ");
  const runs = parallelRuns({ text, start: template[0]?.span.start ?? 0 }, rest.slice(end), inside);
  if (end !== -1 && runs) return runs;
  const span = { start: template[0]?.span.start ?? 0, end: template.at(-1)?.span.end ?? 0 };
  // What is filled in is quoted by the program: it adds words, not commands.
  const filled = `${text.replace(/\{[^{}\s]*\}/g, UNKNOWN)} ${UNKNOWN}`;
  const [script] = scriptText(filled, span, inside);
  return [...(script ? [script] : []), ...(text.includes(UNKNOWN) ? [dynamicScript()] : [])];
}

/** More runs than this are not written out. */
const MAX_RUNS = 16;

/** The commands that xargs makes of input that is known: `echo / | xargs rm`. Nothing where its options or its quoting matter. */
function xargsRuns({ rest, letters, values, unknown }: Options, stdin: Input): readonly (readonly ShellWord[])[] | undefined {
  const isPlain = unknown === undefined && /^[rtInP]*$/.test(letters) && [...values.keys()].every((option) => /^[InP]$/.test(option));
  if (stdin?.kind !== "text" || !isPlain || stdin.text.includes(UNKNOWN) || /["'\\\0]/.test(stdin.text)) return undefined;
  const { text, span } = stdin;
  const mark = values.get("I")?.text;
  const size = Number(values.get("n")?.text ?? Number.POSITIVE_INFINITY);
  if (mark === "" || !(size >= 1)) return undefined;
  const given = text.split(mark === undefined ? /[ \t\n]+/ : "\n").filter((part) => part.trim() !== "");
  if (given.length === 0 || (mark !== undefined || Number.isFinite(size) ? given.length / (mark === undefined ? size : 1) : 1) > MAX_RUNS)
    return undefined;
  if (mark !== undefined) return given.map((part) => rest.map((word) => replaced(word, mark, part.trimStart())));
  const runs: ShellWord[][] = [];
  for (let at = 0; at < given.length; at += size) runs.push([...rest, ...given.slice(at, at + size).map((part) => textWord(part, span))]);
  return runs;
}

function replaced(word: ShellWord, mark: string, text: string): ShellWord {
  if (!word.text.includes(mark)) return word;
  return textWord(word.text.replaceAll(mark, text), word.span, word.source);
}

/** The commands of `parallel rm ::: a b`: the words after `:::` are known. Nothing where other lists or marks than `{}` matter. */
function parallelRuns(
  { text: template, start }: { readonly text: string; readonly start: number },
  [separator, ...given]: readonly ShellWord[],
  inside: Parameters<typeof scriptText>[2],
): readonly Started[] | undefined {
  const isPlain = separator?.text === ":::" && given.length > 0 && given.length <= MAX_RUNS && !/\{[^{}\s]+\}/.test(template);
  if (!isPlain || template.includes(UNKNOWN) || given.some(({ text }) => text.includes(UNKNOWN) || /^:::/.test(text))) return undefined;
  return given.flatMap(({ text, span }) => {
    const quoted = `'${text.replaceAll("'", "'\\''")}'`;
    return scriptText(
      template.includes("{}") ? template.replaceAll("{}", () => quoted) : `${template} ${quoted}`,
      { start, end: span.end },
      inside,
    );
  });
}
