/**
 * Takes a program and its words. Says whether every option among them is one of which it is known that it only changes what is shown.
 * SECURITY: what is not in this table may write a file, run a program, or read what no word names, so it needs a question. Not in it are
 * `diff -l` (runs pr), `diff -r`, `ls -L`, `ls -H` and `grep -R` (follow links out of a folder), `wc --files0-from` (reads names from a file),
 * and `test`, of which `test -v 'a[$(…)]'` runs a command.
 */
import type { ShellWord } from "../../shell/index.ts";

interface Options {
  /** Letters without a value. */
  readonly flags?: string;
  /** Letters whose value may be attached: what follows is no letter. */
  readonly valued?: string;
  /** Long names, in full: an abbreviation may be short for another one. */
  readonly long?: string;
}

const DIGITS = "0123456789";

const PROGRAMS: Readonly<Record<string, Options>> = {
  basename: { flags: "az", valued: "s", long: "multiple suffix zero" },
  cat: { flags: "AbeEnstTuv", long: "number number-nonblank show-all show-ends show-nonprinting show-tabs squeeze-blank" },
  cd: { flags: "LPe@" },
  cmp: { flags: "bls", valued: "in", long: "bytes ignore-initial print-bytes quiet silent verbose" },
  diff: {
    flags: `abBcdeEinNpqstTuwy${DIGITS}`,
    valued: "CDFISUWxX",
    long: `brief color context expand-tabs from-file ignore-all-space ignore-blank-lines ignore-case ignore-matching-lines ignore-space-change
    ignore-trailing-space initial-tab label left-column minimal normal report-identical-files show-c-function show-function-line side-by-side
    speed-large-files strip-trailing-cr suppress-common-lines text to-file unified width`,
  },
  dirname: { flags: "z", long: "zero" },
  grep: {
    flags: `abcEFGhHiIlLnoPqrsTuUvwxyzZ${DIGITS}`,
    valued: "ABCDdefm",
    long: `after-context basic-regexp before-context binary-files byte-offset color colour context count directories exclude exclude-dir extended-regexp
    files-with-matches files-without-match fixed-strings ignore-case include initial-tab invert-match label line-buffered line-number line-regexp
    max-count no-filename no-ignore-case no-messages null null-data only-matching perl-regexp quiet recursive regexp silent text with-filename
    word-regexp`,
  },
  head: { flags: `qvz${DIGITS}bkm`, valued: "cn", long: "bytes lines quiet silent verbose zero-terminated" },
  ls: {
    flags: "aAbBcCdDfFgGhiklmnNopqQrRsStuUvxXZ1",
    valued: "ITw",
    long: `all almost-all author block-size classify color context directory escape file-type format full-time group-directories-first hide
    human-readable ignore indicator-style inode kibibytes literal no-group numeric-uid-gid quote-name quoting-style recursive reverse
    show-control-chars si size sort time time-style width zero`,
  },
  nl: {
    flags: "p",
    valued: "bdfhilnsvw",
    long: "body-numbering footer-numbering header-numbering line-increment number-format number-separator number-width starting-line-number",
  },
  pwd: { flags: "LP", long: "logical physical" },
  stat: { flags: "fLt", valued: "c", long: "format printf terse" },
  tail: { flags: `fFqvz${DIGITS}`, valued: "cns", long: "bytes follow lines quiet silent verbose zero-terminated" },
  wc: { flags: "clLmw", long: "bytes chars lines max-line-length total words" },
  which: { flags: "as", long: "all" },
  whoami: {},
  // Their words are text, or nothing to them.
  echo: {},
  true: {},
  false: {},
};
const HAS_NO_OPTIONS: ReadonlySet<string> = new Set(["echo", "true", "false"]);
const LONG: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(PROGRAMS).map(([name, { long = "" }]) => [name, new Set(["help", "version", ...long.split(/\s+/)])]),
);

/** A program that writes nothing and starts nothing, with the options in the table. */
export function isReadingProgram(name: string): boolean {
  return LONG.has(name);
}

export function hasOnlyKnownOptions(program: string, words: readonly ShellWord[]): boolean {
  if (HAS_NO_OPTIONS.has(program)) return true;
  const options = PROGRAMS[program] ?? {};
  // What follows `--` is no option, and neither is the value of one; taken for options they only lead to a question.
  return words.every(({ text }) => !/^-./.test(text) || text === "--" || isKnownOption(text, program, options));
}

function isKnownOption(text: string, program: string, { flags = "", valued = "" }: Options): boolean {
  if (text.startsWith("--")) return LONG.get(program)?.has(text.slice(2).replace(/=.*/s, "")) === true;
  for (const letter of text.slice(1)) {
    if (valued.includes(letter)) return true;
    if (!flags.includes(letter)) return false;
  }
  return true;
}
