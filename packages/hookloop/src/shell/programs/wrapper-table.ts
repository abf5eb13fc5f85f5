import { posix } from "node:path";
import { type DoubtCode, type ShellCommand, type ShellStdin, type ShellWord, type Span, UNKNOWN } from "../types.ts";

const SU: Wrapper = {
  options:
    "- -flmpP -cgGsuwT: --login --preserve-environment --fast --pty --command: --session-command: --group: --supp-group: --shell: --user: --whitelist-environment:",
  permutes: true,
  scripts: ["c", "command", "session-command"],
  isShell: true,
};

/** Programs that start the program named in their arguments. */
export const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  sudo: {
    options:
      "-ABbEeHiKklNnPSsVv -CDghpRrTtUu: --askpass --background --bell --edit --help --list --login --non-interactive --preserve-env --preserve-groups --remove-timestamp --reset-timestamp --set-home --shell --stdin --validate --version --chdir: --chroot: --close-from: --command-timeout: --group: --host: --other-user: --prompt: --role: --type: --user:",
    assignments: true,
    startsNothing: "eKlVv",
    folder: ["D", "chdir"],
    isShell: true,
  },
  doas: { options: "-Lns -aCu:", isShell: true },
  pkexec: { options: "--disable-internal-agent --keep-cwd --user:" },
  su: SU,
  runuser: SU,
  sg: { options: "- -l -c:", operands: 1, scripts: ["c"], permutes: true, isShell: true },
  newgrp: { options: "- -l -c: --command:", operands: 1, scripts: ["c", "command"], permutes: true, isShell: true },
  env: {
    options:
      "- -0iv -CPSu: --block-signal --debug --default-signal --ignore-environment --ignore-signal --list-signal-handling --null --argv0: --chdir: --split-string: --unset:",
    assignments: true,
    split: ["S", "split-string"],
    folder: ["C", "chdir"],
  },
  command: { options: "-pVv", startsNothing: "Vv", plain: ["p"] },
  builtin: { plain: [] },
  jobs: { after: ["-x"] },
  exec: { options: "-cl -a:" },
  noglob: { plain: [] },
  nocorrect: {},
  "-": {},
  repeat: { operands: 1 },
  nohup: { plain: [] },
  busybox: { options: "--list --help --install" },
  toybox: { options: "--long --help" },
  time: {
    options: "-apqVv -fo: --append --portability --quiet --verbose --format: --output:",
    plain: ["p", "portability", "v", "verbose", "q", "quiet"],
    writes: ["o", "output"],
  },
  nice: { options: "-0123456789 -n: --adjustment:", plain: [..."0123456789", "n", "adjustment"] },
  ionice: { options: "-t -cnPpu: --ignore --class: --classdata: --pid:", startsNothing: "Ppu" },
  chrt: {
    options:
      "-abdefGimoprRv -TPD: --batch --deadline --fifo --idle --other --rr --reset-on-fork --all-tasks --max --pid --verbose --sched-runtime: --sched-period: --sched-deadline:",
    operands: 1,
    startsNothing: "pm",
  },
  taskset: { options: "-acp --all-tasks --cpu-list --pid", operands: 1, startsNothing: "p" },
  timeout: {
    options: "-fpv -ks: --foreground --preserve-status --verbose --kill-after: --signal:",
    operands: 1,
    plain: [..."fpvks", "foreground", "preserve-status", "verbose", "kill-after", "signal"],
  },
  gtimeout: { options: "-fpv -ks: --foreground --preserve-status --kill-after: --signal:", operands: 1 },
  stdbuf: { options: "-eio: --error: --input: --output:", plain: [..."eio", "error", "input", "output"] },
  unbuffer: { options: "-p" },
  setsid: { options: "-cfw --ctty --fork --wait" },
  setpriv: {
    options:
      "-d --clear-groups --dump --init-groups --keep-groups --no-new-privs --nnp --reset-env --seccomp-filter --reuid: --regid: --ruid: --rgid: --euid: --egid: --groups: --inh-caps: --ambient-caps: --bounding-set: --securebits: --pdeathsig:",
  },
  strace: {
    options:
      "-cCDdfFhiknNqrtTvVwxyYzZ -abeEIoOpPsSuUX: --follow-forks --no-abbrev --summary --summary-only --quiet --decode-fds --attach: --env: --output: --trace: --string-limit: --user:",
    writes: ["o", "output"],
  },
  ltrace: {
    options: "-bcCfhiLrStTV -aADeFlnopsuwx: --demangle --no-signals --align: --config: --library: --output:",
    writes: ["o", "output"],
    reads: ["F", "config"],
  },
  valgrind: {
    options: "--quiet --verbose --tool: --log-file: --xml-file: --leak-check: --error-exitcode:",
    writes: ["log-file", "xml-file", "callgrind-out-file", "cachegrind-out-file", "massif-out-file", "dhat-out-file"],
  },
  script: {
    options:
      "-aefqr -cEBIOTmo: -t? --append --flush --force --quiet --return --command: --echo: --log-in: --log-out: --log-io: --log-timing: --logging-format: --output-limit:",
    permutes: true,
    scripts: ["c", "command"],
    operands: 1,
    isShell: true,
    writes: ["B", "I", "O", "T", "t", "timing", "log-in", "log-out", "log-io", "log-timing"],
    writesOperand: true,
  },
  flock: {
    options:
      "-eFnosux -cEw: --close --exclusive --no-fork --nonblock --shared --unlock --verbose --command: --conflict-exit-code: --timeout: --wait:",
    scripts: ["c", "command"],
    operands: 1,
    writesOperand: true,
  },
  watch: {
    options:
      "-bCcefgprtwx -nqs: -d? --beep --chgexit --color --differences --errexit --exec --no-color --no-rerun --no-title --no-wrap --precise --equexit: --interval: --shotsdir:",
    writes: ["s", "shotsdir"],
    isScript: { unless: "x" },
  },
  watchexec: {
    options:
      "-cnpqrvN1 -wWeifdosEjJSD: --restart --postpone --clear --no-vcs-ignore --no-project-ignore --quiet --verbose --notify --watch-when-idle --poll --watch: --exts: --ignore: --filter: --debounce: --on-busy-update: --stop-signal: --stop-timeout: --shell: --workdir: --env: --delay-run:",
    isScript: { unless: "n" },
  },
  entr: { options: "-acdnprsxz", addsWords: true },
  caffeinate: { options: "-dimsu -tw:" },
  "systemd-inhibit": { options: "--list --what: --who: --why: --mode:" },
  "dbus-run-session": { options: "--config-file: --dbus-daemon:", reads: ["config-file"] },
  "xvfb-run": {
    options: "-al -efnpsw: --auto-servernum --server-args: --server-num: --error-file:",
    writes: ["e", "error-file", "f", "auth-file"],
  },
  torsocks: {},
  proxychains: { options: "-q -f:", reads: ["f"] },
  proxychains4: { options: "-q -f:", reads: ["f"] },
  sshpass: { options: "-ev -dfpP:", reads: ["f"] },
  xargs: {
    options:
      "-0oprtx -aDdEILnPRsS: -eil? --exit --interactive --no-run-if-empty --null --open-tty --replace --show-limits --verbose --arg-file: --delimiter: --eof: --max-args: --max-chars: --max-lines: --max-procs: --process-slot-var:",
    addsWords: true,
    plain: [],
    reads: ["a", "arg-file"],
  },
  parallel: {
    options:
      "-0kmqtuvX -aCDdEIJjLNnPSs: --bar --dry-run --eta --group --halt-on-error --keep-order --line-buffer --no-run-if-empty --null --progress --ungroup --will-cite --arg-file: --colsep: --delay: --halt: --jobs: --joblog: --max-args: --max-procs: --retries: --sshlogin: --timeout: --workdir:",
    isScript: { unless: "" },
    addsWords: true,
    writes: ["joblog", "results", "tmpdir"],
    reads: ["a", "arg-file"],
  },
};

/** How a program that starts another program reads its own options. An option that is not listed makes the reading uncertain. */
export interface Wrapper {
  /** Its options, as `formsIn` reads them. */
  readonly options?: string;
  /** An option that is not listed is no doubt: what follows is read as the program, and once more as if it were the option's value. */
  readonly isLenient?: true;
  /** A first word that is no option stands before the options and says nothing about the program. */
  readonly hasFirstOperand?: true;
  /** The program follows the first of these words, wherever it stands. */
  readonly after?: readonly string[];
  /** Options may follow operands, up to `--`. */
  readonly permutes?: true;
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
  readonly split?: readonly string[];
  /** Options whose value is shell text. */
  readonly scripts?: readonly string[];
  /** Options whose value is the folder it starts the program in. */
  readonly folder?: readonly string[];
  /** The program starts on another machine or in another file system. */
  readonly isElsewhere?: true;
  /**
   * Allow rules look through it, if it has no other options than these letters and long names.
   * SECURITY: what is listed writes no file, reads none and runs nothing, whatever its value.
   */
  readonly plain?: readonly string[];
  /** Options whose value is a file that it writes. */
  readonly writes?: readonly string[];
  /** Options whose value is a file that it reads. */
  readonly reads?: readonly string[];
  /** It writes, or makes, the file that its first operand names. */
  readonly writesOperand?: true;
  /** Without a program it starts a shell that reads stdin. */
  readonly isShell?: true;
  /** Only these sub-commands start something; the options above stand before them. */
  readonly subcommands?: Readonly<Record<string, Wrapper>>;
}

interface Inside {
  /** Allow rules look through the program that starts it. */
  readonly isPlain?: boolean | undefined;
  /** It runs in the shell itself: what it changes stays. */
  readonly isSameShell?: boolean | undefined;
  /** The folder it starts in. */
  readonly folder?: ShellWord | undefined;
  /** On another machine or in another file system. */
  readonly isElsewhere?: boolean | undefined;
  readonly assignments?: ShellCommand["assignments"] | undefined;
  /** The shell that runs the script may not be bash. Absent: as where it stands. */
  readonly isPosix?: boolean | undefined;
  /** Found in code of another language, or in a text that a program hands on: what cannot be read there is no doubt of the whole. */
  readonly isForeign?: boolean | undefined;
  /** `$0`, `$1`, … of a script. */
  readonly positionals?: readonly ShellWord[] | undefined;
}

/** What a command starts: another program with its words, a shell script, or something that reading cannot tell. */
export type Started =
  | (Inside & { readonly kind: "words"; readonly words: readonly ShellWord[]; readonly readsStdin?: boolean | undefined })
  | (Inside & { readonly kind: "script"; readonly script: string; readonly span: Span; readonly isStdin?: boolean | undefined })
  /** The words of this text, then more words. */
  | (Inside & { readonly kind: "split"; readonly split: string; readonly span: Span; readonly after: readonly ShellWord[] })
  | { readonly kind: "doubt"; readonly code: DoubtCode; readonly text: string; readonly isPlain?: undefined };

/** A program's input, as far as it is known. */
export type Input = ShellStdin | { readonly kind: "file"; readonly target?: ShellWord | undefined } | undefined;

/** Shell text that words hold, with a doubt if not all of it is known. */
export function scriptIn(words: readonly ShellWord[], inside: Inside = {}): readonly Started[] {
  const span = { start: words[0]?.span.start ?? 0, end: words.at(-1)?.span.end ?? 0 };
  return scriptText(words.map(({ text }) => text).join(" "), span, inside);
}

export function scriptText(script: string, span: Span, inside: Inside & { readonly isStdin?: boolean } = {}): readonly Started[] {
  const started: Started = { kind: "script", script, span, ...inside };
  return script.includes(UNKNOWN) ? [started, dynamicScript()] : [started];
}

export function dynamicScript(): Started {
  return { kind: "doubt", code: "dynamic-script", text: "Part of a nested script is known only when it runs." };
}

/** `/dev/stdin`, `//dev/fd/3`, and `stdin` after `cd /dev`: what stands in it comes from elsewhere. */
export function isSpecialFile(path: string): boolean {
  return /^(?:\/|(?:\.\.\/)+)(?:dev|proc)\/|^(?:dev\/)?(?:stdin|fd\/\d+)$|^(?:proc\/)?self\/fd\/\d+$|^\d+$/.test(posix.normalize(path));
}

export function readsItsCommands(name: string): Started {
  return { kind: "doubt", code: "piped-script", text: `${name} reads its commands from its input.` };
}

export function unknownOption(name: string, option: string): Started {
  return { kind: "doubt", code: "unknown-option", text: `${name} has an option ${option} that may take a value.` };
}

/** A word in which a program fills something in for `mark`. */
export function fillIn(word: ShellWord, mark = "{}"): ShellWord {
  if (!word.text.includes(mark)) return word;
  return { ...word, text: word.text.replaceAll(mark, UNKNOWN), parts: [{ kind: "computed", source: word.source }] };
}

/** A word that a program adds, of which nothing is known. */
export function addedWord(span: Span): ShellWord {
  return { text: UNKNOWN, source: "", span, parts: [{ kind: "computed", source: "" }] };
}

/** The last part of a command's name: `/usr/bin/env` is `env`, `C:\\Git\\git.exe` is `git`. */
export function programName(words: readonly ShellWord[]): string {
  const word = words[0];
  const name = word?.text ?? "";
  const [part] = word?.parts ?? [];
  // The user's shell, whichever it is.
  if (word?.parts.length === 1 && part?.kind === "variable" && /^\$\{?(?:SHELL|BASH)\}?$/.test(part.source)) return "sh";
  return name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1).replace(/\.exe$/i, "");
}
