import { firstWords, type ShellWord } from "./shell-words.ts";

/** The file a command runs, as it is written there. */
export interface NamedScript {
  readonly path: string;
  /** The file itself is started, not handed to an interpreter. */
  readonly isDirect: boolean;
}

export interface CommandFields {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
}

const SHELLS = ["sh", "bash", "zsh", "dash", "ksh"];
const INTERPRETERS = [...SHELLS, "node", "bun", "tsx", "python", "python3", "ruby", "perl", "php"];
/** Options without a value; any other may take the next word with it, and then the script is anyone's guess. */
const PLAIN_OPTIONS: Readonly<Record<string, RegExp>> = { python: /^-[uBsE]+$/, python3: /^-[uBsE]+$/ };
const SHELL_OPTIONS = /^-[eux]+$/;

/** The script a command names, or nothing unless it is certain. */
export function scriptOfCommand({ command, args }: CommandFields, variables: Readonly<Record<string, string>>): NamedScript | undefined {
  const words = args === undefined ? shellWords(command, variables) : [command, ...args].map((word) => argumentWord(word, variables));
  const [program, ...rest] = words;
  if (!program || program.isDynamic) return undefined;
  const name = program.text.slice(program.text.lastIndexOf("/") + 1);
  if (INTERPRETERS.includes(name)) return interpreted(name, rest);
  return program.text.includes("/") ? { path: program.text, isDirect: true } : undefined;
}

/** Words of the first command; a `cd` before it or an assignment in front would change what a path means. */
function shellWords(line: string, variables: Readonly<Record<string, string>>): readonly ShellWord[] {
  const words = firstWords(line, variables);
  const start = words.findIndex(({ text }) => !/^\w+=/.test(text));
  return start === -1 ? [] : words.slice(start);
}

/** Without a shell only `${NAME}` is replaced; everything else stands for itself. */
function argumentWord(word: string, variables: Readonly<Record<string, string>>): ShellWord {
  const text = word.replace(/\$\{(\w+)\}/g, (whole, name: string) => variables[name] ?? whole);
  return { text, isDynamic: text.includes("${") };
}

function interpreted(name: string, words: readonly ShellWord[]): NamedScript | undefined {
  const plain = SHELLS.includes(name) ? SHELL_OPTIONS : PLAIN_OPTIONS[name];
  const script = words.find(({ text }) => !plain?.test(text));
  return script && !script.isDynamic && /^[^-]/.test(script.text) && !SUBCOMMANDS.includes(script.text)
    ? { path: script.text, isDirect: false }
    : undefined;
}

/** Words behind `bun` and the like that are no files. */
const SUBCOMMANDS = ["run", "x", "test", "exec", "inspect", "watch"];
