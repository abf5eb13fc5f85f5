/** Takes a command. Gives what it prints: whether that can be code, and for `echo` and `printf` the text itself. */

import { readOptions } from "../arguments.ts";
import { type ShellCommand, type ShellRedirect, type ShellStdin, type ShellWord, UNKNOWN } from "../types.ts";
import { isKnownTo } from "./program.ts";
import { isSpecialFile, type Wrapper } from "./started.ts";

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
function filter(options: string): Print {
  return (args, words) => {
    const { rest, unknown } = readOptions(words, { options });
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
  du: unless(/^--files/, (args) => (args.some(({ text }) => /^-\w*s/.test(text)) ? { words: args } : undefined)),
  pgrep: unless(/^-\w*[al]|^--list/, numbers),
  stat: printedByStat,
  head: filter("-qvz0123456789 -cn:"),
  tail: filter("-qvzr0123456789 -cn:"),
  cut: filter("-nsz -bcdf:"),
  sort: filter("-bdfghiMnRrVsuz -kSt:"),
  uniq: filter("-cdDiuz -fsw:"),
  cat: filter("-AbEnsTuv"),
  tac: filter(""),
  xargs: filter(""),
  tr: printedByTr,
  awk: (args) => {
    const [program, ...more] = args.filter(({ text }) => !/^-F./.test(text));
    return more.length === 0 && ONE_FIELD.test(program?.text ?? "") ? { isFilter: true } : undefined;
  },
  grep: printedByGrep,
  egrep: printedByGrep,
  git: ([sub, ...rest]) => (sub?.text === "rev-list" && rest.some(({ text }) => text === "--count") ? NOTHING : undefined),
  jq: (args) => {
    const options = args.filter(({ text }) => text.startsWith("-"));
    const program = args.find(({ text }) => !text.startsWith("-"))?.text ?? "";
    // `--arg name value` would come before the program.
    return options.every(({ text }) => /^-[rceMSsn]+$/.test(text)) && /(?:^|\|)\s*length\s*$/.test(program) ? NOTHING : undefined;
  },
  curl: printedByCurl,
} satisfies Record<string, Print>);

const ONE_FIELD = /^\s*(?:NR\s*==\s*\d+\s*)?\{\s*print\s+\$\w+;?\s*\}\s*$/;
const ONLY_DIGITS = /^\^?\(?(?:\[0-9.]|\[0-9]|\\d|\[\[:digit:]])(?:\\?[+*]|\{\d+(?:,\d*)?})?\)?\$?$/;
/** Letters, digits and few others, and no range that holds more: `!-:` holds `$` and `(`. */
const HARMLESS_SET = /^(?:[a-z]-[a-z]|[A-Z]-[A-Z]|\d-\d|\[:\w+:]|\\n|[\w ,.:%])*$/;

/** What a command prints, if that is known to be no code. */
export function printedBy({ words, assignments, redirects }: ShellCommand): Printed | undefined {
  if (redirects.some(isAway) && !redirects.some(({ operator }) => operator === ">&")) return NOTHING;
  // `TERMINFO=. tput x`
  if (assignments.some(({ name }) => !/^(?:LC_\w+|LANG|TZ)$/.test(name))) return undefined;
  const name = words[0]?.text.replace(/^\/(?:usr\/)?bin\//, "") ?? "";
  return PRINTS[name]?.(words.slice(1), words);
}

/** Its output goes to a file. */
function isAway({ operator, descriptor, target: { text } }: ShellRedirect): boolean {
  const isFile = text === "/dev/null" || !(text.includes(UNKNOWN) || isSpecialFile(text));
  return /^&?>[>|]?$/.test(operator) && (descriptor ?? 1) === 1 && isFile;
}

export function isTransparent(command: ShellCommand | undefined): boolean {
  return isKnownTo(command?.words[0]?.text ?? "", "transparent");
}

/** `stat -c %s file`; BSD: `stat -f %z file`. The name of a file, or of what a link points to, can be anything. */
function printedByStat(args: readonly ShellWord[]): Printed | undefined {
  const texts = args.map(({ text }) => text);
  const hasFormat =
    texts.some((text) => /^-\w*c|^--(?:format|printf)/.test(text)) && !texts.some((text) => /%[^a-z%]*[nN]|^-\w*f/.test(text));
  const isBsd = texts.some((text, at) => /^-f%?\w?$/.test(text) && /^-?f?%[zmacB]$/.test(text === "-f" ? (texts[at + 1] ?? "") : text));
  return hasFormat || isBsd ? { words: args } : undefined;
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
    options.join("").includes("o") && options.every((text) => /^-[oEPhwi]+$/.test(text)) && ONLY_DIGITS.test(pattern?.text ?? "");
  return counts || isDigits ? { words: files } : undefined;
}

const CURL: Wrapper = {
  options:
    "-sSfLkgI46 -owmXHdAeub: --silent --show-error --fail --location --insecure --head --output: --write-out: --max-time: --connect-timeout: --request: --header: --data: --retry:",
  permutes: true,
};

/** `curl -s -o /dev/null -w '%{http_code}' url`. */
function printedByCurl(_: readonly ShellWord[], words: readonly ShellWord[]): Printed | undefined {
  const { rest, unknown, values } = readOptions(words, CURL);
  const format = (values.get("w") ?? values.get("write-out"))?.text ?? "";
  const isStatus = /^(?:%\{(?:http_code|response_code|size_download|time_\w+)\}|\\n|\s)+$/.test(format);
  return isStatus && rest.length === 1 && unknown === undefined && (values.has("o") || values.has("output")) ? NOTHING : undefined;
}

/** What a command prints, if its words tell: `echo`, `printf`, and what hands its input on. */
export function knownOutput({ words, redirects, stdin, span }: ShellCommand): ShellStdin | undefined {
  if (redirects.some(({ operator, descriptor }) => operator.startsWith(">") && (descriptor ?? 1) === 1)) return undefined;
  const [name, ...args] = words.map(({ text }) => text);
  const handsOn = name === "tee" || (name === "cat" && args.every((text) => text === "-"));
  if (handsOn) return stdin?.kind === "text" ? stdin : undefined;
  const text = name === "echo" ? echoed(args) : name === "printf" ? formatted(args) : undefined;
  const range = { start: words[1]?.span.start ?? span.start, end: words.at(-1)?.span.end ?? span.end };
  return text === undefined ? undefined : { kind: "text", text, span: range };
}

function echoed(args: readonly string[]): string | undefined {
  const start = args.findIndex((text) => !/^-[neE]+$/.test(text));
  const options = (start === -1 ? args : args.slice(0, start)).join("");
  const text = start === -1 ? "" : args.slice(start).join(" ");
  const end = options.includes("n") ? "" : "\n";
  // Without -e shells differ in whether a backslash means something.
  const plain = text.includes("\\") ? (options.includes("e") ? unescapeText(text) : undefined) : text;
  return plain === undefined ? undefined : plain + end;
}

export function formatted([format = "", ...args]: readonly string[]): string | undefined {
  const plain = unescapeText(format);
  if (plain === undefined || plain.startsWith("-") || /%[^s%]|%$/.test(plain)) return undefined;
  const slots = plain.match(/%s/g)?.length ?? 0;
  if (slots === 0) return plain.replaceAll("%%", "%");
  let text = "";
  for (let at = 0; at === 0 || at < args.length; at += slots) {
    let slot = at;
    text += plain.replace(/%[s%]/g, (found) => (found === "%%" ? "%" : (args[slot++] ?? "")));
  }
  return text;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", "\\": "\\", '"': '"', "'": "'" };

function unescapeText(text: string): string | undefined {
  let isKnown = true;
  const plain = text.replace(/\\(x[0-9a-fA-F]{1,2}|0?[0-7]{1,3}|[\s\S]|$)/g, (_, code: string) => {
    if (/^x./.test(code)) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    if (/^[0-7]/.test(code)) return String.fromCharCode(Number.parseInt(code, 8) & 0xff);
    const known = ESCAPES[code];
    if (known === undefined) isKnown = false;
    return known ?? "";
  });
  return isKnown ? plain : undefined;
}
