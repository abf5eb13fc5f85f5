import type { ShellCommand, ShellWord } from "../../types.ts";
import { readOptions } from "../../wrappers/read-options.ts";
import type { Wrapper } from "../../wrappers/wrapper.ts";

/** What a command prints, if it is nothing but numbers, its own words, and (a filter) parts of its input. */
export interface Printed {
  readonly words?: readonly ShellWord[];
  readonly isFilter?: boolean;
}

const NOTHING: Printed = {};

type Print = (args: readonly ShellWord[], words: readonly ShellWord[]) => Printed | undefined;

const numbers: Print = () => NOTHING;
const ownWords: Print = (words) => ({ words });

/** Hands on parts of what it reads, as long as it reads no file. */
function filter(options: Wrapper): Print {
  return (args, words) => {
    const { rest, unknown } = readOptions(words, options);
    return rest.length === 0 && unknown === undefined && !args.some(({ text }) => text.startsWith("--")) ? { isFilter: true } : undefined;
  };
}

/** With one of these options it prints more than numbers. */
function unless(pattern: RegExp, print: Print): Print {
  return (args, words) => (args.some(({ text }) => pattern.test(text)) ? undefined : print(args, words));
}

/** SECURITY: what these print may be evaluated. A program that can print what stands in a file, or what others have named, is not among them. */
const PRINTS: Readonly<Record<string, Print | undefined>> = Object.assign(Object.create(null), {
  ...Object.fromEntries(
    "cd true false : test [ sleep exit return wait nproc id tput getconf uname arch pidof".split(" ").map((name) => [name, numbers]),
  ),
  ...Object.fromEntries("echo printf seq expr date basename dirname".split(" ").map((name) => [name, ownWords])),
  wc: unless(/^--files/, ownWords),
  pgrep: unless(/^-\w*[al]|^--list/, numbers),
  du: (args) => (args.some(({ text }) => /^-\w*s/.test(text)) ? { words: args } : undefined),
  stat: (args) =>
    args.some(({ text }) => /^-\w*[cf]|^--(?:format|printf)/.test(text)) && !args.some(({ text }) => /%[^a-z%]*[nNY]/.test(text))
      ? { words: args }
      : undefined,
  head: filter({ flags: "qvz0123456789", valued: "cn" }),
  tail: filter({ flags: "qvzr0123456789", valued: "cn" }),
  cut: filter({ flags: "nsz", valued: "bcdf" }),
  sort: filter({ flags: "bdfghiMnRrVsuz", valued: "kSt" }),
  uniq: filter({ flags: "cdDiuz", valued: "fsw" }),
  cat: filter({ flags: "AbEnsTuv" }),
  tac: filter({}),
  xargs: filter({}),
  tr: printedByTr,
  awk: (args) => (args.length === 1 && ONE_FIELD.test(args[0]?.text ?? "") ? { isFilter: true } : undefined),
  grep: printedByGrep,
  egrep: printedByGrep,
  git: ([sub, ...rest]) => (sub?.text === "rev-list" && rest.some(({ text }) => text === "--count") ? NOTHING : undefined),
  jq: unless(/^-[fL]|^--from-file/, (args) =>
    /(?:^|\|)\s*length\s*$/.test(args.find(({ text }) => !text.startsWith("-"))?.text ?? "") ? NOTHING : undefined,
  ),
  curl: printedByCurl,
} satisfies Record<string, Print>);

const ONE_FIELD = /^\s*(?:NR\s*==\s*\d+\s*)?\{\s*print\s+\$\w+;?\s*\}\s*$/;
const ONLY_DIGITS = /^\^?\(?(?:\[0-9.]|\[0-9]|\\d|\[\[:digit:]])(?:\\?[+*]|\{\d+(?:,\d*)?})?\)?\$?$/;
/** Letters, digits and few others, and no range that holds more: `!-:` holds `$` and `(`. */
const HARMLESS_SET = /^(?:[a-z]-[a-z]|[A-Z]-[A-Z]|\d-\d|\[:\w+:]|\\n|[\w ,.:%])*$/;

/** What a command prints, if that is known to be no code. */
export function printedBy({ words }: ShellCommand): Printed | undefined {
  const name = words[0]?.text.replace(/^\/(?:usr\/)?bin\//, "") ?? "";
  return PRINTS[name]?.(words.slice(1), words);
}

/** `tr -d ' '`, `tr -dc 0-9`, `tr a-z A-Z`. */
function printedByTr(args: readonly ShellWord[]): Printed | undefined {
  const [option = "", ...sets] = args.map(({ text }) => text);
  if (/^-(?:dc|cd)$/.test(option) && sets.length === 1 && /^(?:0-9|\[:digit:]|\[0-9])(?:\\n)?$/.test(sets[0] ?? "")) return NOTHING;
  const isHarmless = args.every(({ text }) => HARMLESS_SET.test(text) || /^-[cds]+$/.test(text));
  return isHarmless || option === "-d" ? { isFilter: true } : undefined;
}

/** `grep -c x file`, `grep -o '[0-9]*' file`: numbers, and before them names of files if there are several. */
function printedByGrep(args: readonly ShellWord[]): Printed | undefined {
  const options = args.filter(({ text }) => text.startsWith("-")).map(({ text }) => text);
  const [pattern, ...files] = args.filter(({ text }) => !text.startsWith("-"));
  const counts =
    options.some((text) => text === "--count" || /^-\w*c/.test(text)) && !options.some((text) => /^-\w*[rR]|^--(?:rec|deref)/.test(text));
  const isDigits =
    options.join("").includes("o") && options.every((text) => /^-[oEPhwim\d]+$/.test(text)) && ONLY_DIGITS.test(pattern?.text ?? "");
  return counts || isDigits ? { words: files } : undefined;
}

const CURL: Wrapper = {
  flags: "sSfLkgI46",
  valued: "owmXHdAeub",
  longFlags: ["silent", "show-error", "fail", "location", "insecure", "head"],
  longValued: ["output", "write-out", "max-time", "connect-timeout", "request", "header", "data", "retry"],
  permutes: true,
};

/** `curl -s -o /dev/null -w '%{http_code}' url`. */
function printedByCurl(_: readonly ShellWord[], words: readonly ShellWord[]): Printed | undefined {
  const { rest, unknown, values } = readOptions(words, CURL);
  const format = (values.get("w") ?? values.get("write-out"))?.text ?? "";
  const isStatus = /^(?:%\{(?:http_code|response_code|size_download|time_\w+)\}|\\n|\s)+$/.test(format);
  return isStatus && rest.length === 1 && unknown === undefined && (values.has("o") || values.has("output")) ? NOTHING : undefined;
}
