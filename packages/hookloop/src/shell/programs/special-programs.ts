import { readOptions } from "../arguments.ts";
import { type ShellWord, UNKNOWN } from "../types.ts";
import { cutWord, textWord } from "../words.ts";
import { readFind } from "./find.ts";
import { startedByGit } from "./git.ts";
import {
  dynamicScript,
  fillIn,
  type Input,
  isSpecialFile,
  programName,
  readsItsCommands,
  type Started,
  scriptIn,
  scriptText,
  unknownOption,
  type Wrapper,
} from "./started.ts";

/** Whether text that this program hands to a shell may be read by another one than bash. */
function mayBePosix(name: string): boolean {
  return !/^(?:r?bash|zsh)$/.test(name);
}

const SHELL_OPTIONS: Wrapper = {
  options:
    "-abcdefghiklmnprstuvxBCDEFGHIJKLMNPQRTVWXYZ -oO: --login --noediting --noprofile --norc --posix --restricted --verbose --interactive --debugger --no-config --private --version --help --init-file: --rcfile: --command: --init-command: --emulate:",
};

/** What a shell runs: the script in its words, or its input. */
export function startedByShell(words: readonly ShellWord[], stdin: Input): readonly Started[] {
  const name = programName(words);
  const { rest: operands, letters, values, unknown } = readOptions(words, SHELL_OPTIONS);
  // `bash -`: a lone dash ends the options, like `--`.
  const rest = operands[0]?.text === "-" ? operands.slice(1) : operands;
  const isPosix = mayBePosix(name);
  const startFile = (values.get("rcfile") ?? values.get("init-file"))?.text ?? "";
  const doubts = [
    ...(unknown === undefined ? [] : [unknownOption(name, unknown)]),
    ...(startFile.includes(UNKNOWN) || isSpecialFile(startFile) ? [dynamicScript()] : []),
  ];
  // Only a check of the syntax.
  if (letters.includes("n") && !words.some(({ text }) => text.startsWith("+"))) return doubts;
  const long = values.get("command") ?? values.get("init-command");
  if (long) return [...doubts, ...scriptIn([long], { isPosix })];
  if (letters.includes("c")) return [...doubts, ...scriptIn(rest.slice(0, 1), { positionals: rest.slice(1), isPosix })];
  if (words.some(({ text }) => text === "--version" || text === "--help")) return doubts;
  // An unquoted word of which nothing is known may be `-c` and more.
  if (rest[0]?.text === UNKNOWN) return [...doubts, dynamicScript()];
  if (rest[0] && isSpecialFile(rest[0].text) && !letters.includes("s")) return [...doubts, ...startedByInput(name, stdin)];
  const readsStdin = rest.length === 0 || letters.includes("s");
  if (!readsStdin || unknown !== undefined) return doubts;
  return [...doubts, ...startedByInput(name, stdin)];
}

/** Commands that come from stdin. */
export function startedByInput(name: string, stdin: Input): readonly Started[] {
  if (stdin?.kind === "text") return scriptText(stdin.text, stdin.span, { isStdin: true, isPosix: mayBePosix(name) });
  // A file is no better known when it is named as an operand.
  const file = stdin?.kind === "file" ? stdin.target?.text : undefined;
  if (file !== undefined && !file.includes(UNKNOWN) && !isSpecialFile(file) && file !== "-") return [];
  return [readsItsCommands(name)];
}

type Start = (words: readonly ShellWord[], stdin: Input) => readonly Started[];

/** The options of `mapfile`. */
export const MAPFILE: Wrapper = { options: "-t -dnOsucC:" };
/** The options of `compgen` and `complete`. */
export const COMPGEN: Wrapper = { options: "-abcdefgjksuvprDEI -AoGWFCXPSV:" };

const FD_EXEC = /^(?:-[A-Za-z]*[xX]|--exec|--exec-batch)(?:=|$)/;

/** Programs whose words no table of options describes. */
export const SPECIAL: Readonly<Record<string, Start | undefined>> = Object.assign(Object.create(null), {
  eval: (words: readonly ShellWord[]) => (words.length > 1 ? scriptIn(withoutDashes(words), { isSameShell: true }) : []),
  trap: (words: readonly ShellWord[]) => (withoutDashes(words).length > 1 ? scriptIn(withoutDashes(words).slice(0, 1)) : []),
  alias: (words: readonly ShellWord[]) => words.slice(1).flatMap(startedByAlias),
  hash: startedByHash,
  mapfile: startedByCallback,
  readarray: startedByCallback,
  compgen: startedByCallback,
  complete: startedByCallback,
  bind: (words: readonly ShellWord[]) => (words.some(({ text }) => /^-\w*x/.test(text)) ? [dynamicScript()] : []),
  enable: (words: readonly ShellWord[]) => (words.some(({ text }) => /^-\w*f/.test(text)) ? [dynamicScript()] : []),
  fc: (words: readonly ShellWord[]) => (words.some(({ text }) => /^-\w*l/.test(text)) ? [] : [dynamicScript()]),
  find: startedByFind,
  gfind: startedByFind,
  fd: startedByFd,
  fdfind: startedByFd,
  source: startedBySource,
  ".": startedBySource,
  git: startedByGit,
  capsh: startedByCapsh,
  "start-stop-daemon": startedByDaemon,
  at: startedByAt,
  batch: startedByAt,
} satisfies Record<string, Start>);

function withoutDashes(words: readonly ShellWord[]): readonly ShellWord[] {
  return words.slice(words[1]?.text === "--" ? 2 : 1);
}

/** A command that defines an alias may use it. */
function startedByAlias(word: ShellWord): readonly Started[] {
  const at = word.text.indexOf("=");
  return at === -1 ? [] : scriptIn([{ ...word, text: word.text.slice(at + 1) }]);
}

/** `hash -p /bin/rm ls` makes `ls` another program. */
function startedByHash(words: readonly ShellWord[]): readonly Started[] {
  if (!words.some(({ text }) => /^-\w*p/.test(text))) return [];
  return [{ kind: "doubt", code: "dynamic-name", text: "hash gives a name to another program." }];
}

/** `mapfile -C 'rm x' lines`, `compgen -C 'rm x'`: they run it with words of their own. */
function startedByCallback(words: readonly ShellWord[]): readonly Started[] {
  const isMapfile = !words[0]?.text.startsWith("comp");
  const { values, unknown } = readOptions(words, isMapfile ? MAPFILE : COMPGEN);
  const script = values.get("C");
  const isHidden =
    script === undefined && (unknown !== undefined || words.some(({ text, source }) => text === UNKNOWN && source.startsWith("$")));
  const run = script && scriptIn([{ ...script, text: `${script.text} ${UNKNOWN}` }], { isSameShell: true }).slice(0, 1);
  return [...(run ?? []), ...(isHidden || script?.text.includes(UNKNOWN) ? [dynamicScript()] : [])];
}

/** `capsh --shell=/bin/sh -- -c '…'`: what follows `--` are the words of a shell. `==` starts capsh itself once more. */
function startedByCapsh(words: readonly ShellWord[]): readonly Started[] {
  const at = words.findIndex(({ text }, index) => index > 0 && (text === "--" || text === "==" || text === "-+" || text === "=+"));
  const mark = words[at];
  if (!mark || at < 0) return [];
  const shell = words.findLast(({ text }, index) => index < at && text.startsWith("--shell="));
  const program = mark.text.startsWith("=") ? "capsh" : (shell?.text.slice("--shell=".length) ?? "bash");
  return [{ kind: "words", words: [textWord(program, mark.span), ...words.slice(at + 1)] }];
}

const DAEMON: Wrapper = {
  options:
    "-SKTHVobCmvtq -xansupPrdgckRNIOD: --start --stop --status --oknodo --background --no-close --make-pidfile --remove-pidfile --verbose --test --quiet --exec: --startas: --name: --signal: --user: --pidfile: --ppid: --pid: --group: --chuid: --chroot: --chdir: --retry: --nicelevel: --procsched: --iosched: --umask: --output: --notify-timeout:",
  permutes: true,
};

/** `start-stop-daemon --start --exec /bin/x -- words`. */
function startedByDaemon(words: readonly ShellWord[]): readonly Started[] {
  const { values, rest } = readOptions(words, DAEMON);
  const program = values.get("startas") ?? values.get("a") ?? values.get("exec") ?? values.get("x");
  return program ? [{ kind: "words", words: [program, ...rest] }] : [];
}

function startedByAt(words: readonly ShellWord[], stdin: Input): readonly Started[] {
  return stdin ? startedByInput(words[0]?.text ?? "", stdin) : [];
}

function startedByFind(words: readonly ShellWord[]): readonly Started[] {
  return readFind(words).runs.map(({ option, words: run }) => ({
    kind: "words",
    words: run.map((word) => fillIn(word)),
    isElsewhere: option.text.endsWith("dir"),
  }));
}

/** `fd pattern -x rm {}`: up to `;`, or to the end. */
function startedByFd(words: readonly ShellWord[]): readonly Started[] {
  const option = words.findIndex(({ text }, at) => at > 0 && FD_EXEC.test(text));
  const start = option + 1;
  if (start === 0) return [];
  const attached = words
    .slice(option, start)
    .flatMap((word) => (word.text.includes("=") ? [cutWord(word, word.text.indexOf("=") + 1)] : []));
  const end = words.findIndex(({ text }, at) => at >= start && text === ";");
  const given = [...attached, ...(end === -1 ? words.slice(start) : words.slice(start, end))];
  const added: ShellWord[] = given.some(({ text }) => /\{[./]{0,2}\}/.test(text))
    ? []
    : given.slice(0, 1).map(({ span }) => ({ text: UNKNOWN, source: "", span, parts: [] }));
  return [
    { kind: "words", words: [...given.map((word) => fillIn({ ...word, text: word.text.replace(/\{[./]{1,2}\}/g, "{}") })), ...added] },
  ];
}

function startedBySource(words: readonly ShellWord[]): readonly Started[] {
  const file = words.slice(1).find(({ text }) => !text.startsWith("-"))?.text ?? "";
  if (!file.includes(UNKNOWN) && !isSpecialFile(file)) return [];
  return [{ kind: "doubt", code: "dynamic-script", text: "It runs commands from a place that is known only when it runs." }];
}
