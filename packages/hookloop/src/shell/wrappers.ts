/** How a program that starts another program reads its own options. An option in none of the lists makes the reading uncertain. */
export interface Wrapper {
  /** Letters of options without a value. */
  readonly flags?: string;
  /** Letters of options with a value, attached or in the next word. */
  readonly valued?: string;
  /** Letters of options whose value, if any, is attached. */
  readonly attached?: string;
  readonly longFlags?: readonly string[];
  readonly longValued?: readonly string[];
  /** `NAME=value` words before the program are its environment. */
  readonly assignments?: true;
  /** Words between the options and the program. */
  readonly operands?: number;
  /** With one of these options it starts nothing. */
  readonly startsNothing?: string;
  /** What follows is shell text, joined by blanks; or, with the option letter given, a program after all. */
  readonly isScript?: { readonly unless: string };
  /** Adds words of its own to the program's: those it reads from stdin. */
  readonly addsWords?: true;
  /** Option whose value is split into words that take its place. */
  readonly split?: { readonly letter: string; readonly long: string };
}

/** Programs that start the program named in their arguments. */
export const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  sudo: {
    flags: "ABbEeHiKklNnPSsVv",
    valued: "CDghpRrTtUu",
    longFlags: [
      "askpass",
      "background",
      "bell",
      "edit",
      "login",
      "non-interactive",
      "preserve-env",
      "preserve-groups",
      "set-home",
      "shell",
      "stdin",
    ],
    longValued: ["chdir", "chroot", "close-from", "command-timeout", "group", "host", "other-user", "prompt", "role", "type", "user"],
    assignments: true,
  },
  doas: { flags: "Lns", valued: "aCu" },
  env: {
    flags: "-0iv",
    valued: "CPSu",
    longFlags: ["block-signal", "debug", "default-signal", "ignore-environment", "ignore-signal", "list-signal-handling", "null"],
    longValued: ["argv0", "chdir", "split-string", "unset"],
    assignments: true,
    split: { letter: "S", long: "split-string" },
  },
  command: { flags: "pVv", startsNothing: "Vv" },
  builtin: {},
  exec: { flags: "cl", valued: "a" },
  noglob: {},
  nohup: {},
  busybox: {},
  time: { flags: "apqVv", valued: "fo", longFlags: ["append", "portability", "quiet", "verbose"], longValued: ["format", "output"] },
  nice: { flags: "0123456789", valued: "n", longValued: ["adjustment"] },
  ionice: { flags: "t", valued: "cnPpu", longFlags: ["ignore"], longValued: ["class", "classdata", "pid"], startsNothing: "Ppu" },
  timeout: {
    flags: "fpv",
    valued: "ks",
    longFlags: ["foreground", "preserve-status", "verbose"],
    longValued: ["kill-after", "signal"],
    operands: 1,
  },
  stdbuf: { valued: "eio", longValued: ["error", "input", "output"] },
  setsid: { flags: "cfw", longFlags: ["ctty", "fork", "wait"] },
  watch: {
    flags: "bCcefgprtwx",
    attached: "d",
    valued: "nqs",
    longFlags: ["beep", "chgexit", "color", "differences", "errexit", "exec", "no-color", "no-rerun", "no-title", "no-wrap", "precise"],
    longValued: ["equexit", "interval", "shotsdir"],
    isScript: { unless: "x" },
  },
  xargs: {
    flags: "0oprtx",
    attached: "eil",
    valued: "aDdEILnPRsS",
    longFlags: ["exit", "interactive", "no-run-if-empty", "null", "open-tty", "replace", "show-limits", "verbose"],
    longValued: ["arg-file", "delimiter", "eof", "max-args", "max-chars", "max-lines", "max-procs", "process-slot-var"],
    addsWords: true,
  },
  parallel: {
    flags: "0kmqtuvX",
    valued: "aCDdEIJjLNnPSs",
    longFlags: [
      "bar",
      "dry-run",
      "eta",
      "group",
      "halt-on-error",
      "keep-order",
      "line-buffer",
      "no-run-if-empty",
      "null",
      "progress",
      "ungroup",
      "will-cite",
    ],
    longValued: [
      "arg-file",
      "colsep",
      "delay",
      "halt",
      "jobs",
      "joblog",
      "max-args",
      "max-procs",
      "retries",
      "sshlogin",
      "timeout",
      "workdir",
    ],
    isScript: { unless: "" },
    addsWords: true,
  },
};

/** Shells: `-c` makes the first operand a script; without operands the script comes from stdin. */
export const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "zsh", "dash", "ksh", "ash"]);

/** How shells read their options. */
export const SHELL_OPTIONS: Wrapper = {
  flags: "abcefghiklmnprstuvxBCDEHPT",
  valued: "oO",
  longFlags: ["login", "noediting", "noprofile", "norc", "posix", "restricted", "verbose"],
  longValued: ["init-file", "rcfile"],
};
