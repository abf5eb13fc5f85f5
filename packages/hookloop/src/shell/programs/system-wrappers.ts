import type { Wrapper } from "./wrapper-table.ts";

const list = (text: string): readonly string[] => text.split(" ");

const PERSONALITY: Wrapper = {
  flags: "3BFILRSTXZhVv",
  longFlags: list(
    "32bit fdpic-funcptrs short-inode addr-compat-layout addr-no-randomize whole-seconds sticky-timeouts read-implies-exec mmap-page-zero 3gb 4gb uname-2.6 verbose list",
  ),
  longValued: ["show"],
  isShell: true,
};
const PERF_RUN: Wrapper = {
  flags: "aABcdFgiknNqRSTvW",
  valued: "bcCDeGIjmMoprtuwx",
  longFlags: list("all-cpus append big-num call-graph detailed group no-inherit null quiet sync verbose per-core per-socket no-syscalls"),
  longValued: list("cpu delay event filter cgroup output pid repeat tid field-separator freq count user pre post duration max-stack"),
  isLenient: true,
};
const RECORD: Wrapper = { isLenient: true, subcommands: { record: { ...PERF_RUN }, "--record": { ...PERF_RUN } } };
const AFTER_DASHES: Wrapper = { after: ["--"] };

/** Programs of the system that start the program named in their arguments: personalities, limits, tracers, sandboxes, supervisors. */
export const SYSTEM_WRAPPERS: Readonly<Record<string, Wrapper>> = {
  setarch: { ...PERSONALITY, hasFirstOperand: true },
  ...Object.fromEntries(
    list("linux32 linux64 i386 i486 i586 i686 athlon x86_64 uname26 arm64 aarch64 ppc ppc32 ppc64 s390 s390x").map((name) => [
      name,
      PERSONALITY,
    ]),
  ),
  prlimit: {
    flags: "hV",
    attached: "cdefilmnqrstuvxy",
    valued: "po",
    longFlags: list(
      "as core cpu data fsize locks memlock msgqueue nice nofile nproc rss rtprio rttime sigpending stack noheadings raw verbose",
    ),
    longValued: ["pid", "output"],
  },
  choom: { flags: "hV", valued: "np", longValued: ["adjust", "pid"] },
  uclampset: { flags: "asRvhV", valued: "mMp", longFlags: list("all-tasks system reset-on-fork verbose"), longValued: ["pid"] },
  coresched: { isLenient: true, after: ["--"] },
  numactl: {
    flags: "asHlb",
    valued: "ipmNCPwSfLMIt",
    longFlags: list("all show hardware localalloc balancing"),
    longValued: list("interleave preferred membind cpunodebind physcpubind"),
    isLenient: true,
  },
  cpulimit: {
    flags: "zivbkrqf",
    valued: "lpPec",
    longFlags: list("lazy include-children verbose"),
    longValued: list("limit pid exe path"),
    isLenient: true,
  },
  schedtool: { flags: "rv", valued: "npMa", after: ["-e"] },
  trickle: { flags: "hVvs", valued: "duwtlnL" },
  runcon: { flags: "c", valued: "turl", longFlags: ["compute"], longValued: list("type user role range"), hasFirstOperand: true },
  logsave: { flags: "asv", operands: 1, writesOperand: true },
  fakeroot: { flags: "huv", valued: "lsib", longFlags: list("unknown-is-real"), longValued: list("lib faked"), isShell: true },
  "fakeroot-ng": { flags: "dh", valued: "plf", isShell: true },
  fakechroot: { flags: "hs", valued: "lecb", longValued: list("lib elfloader environment config-dir bindir"), isLenient: true },
  proot: { flags: "0", valued: "rbmqwvik", longValued: list("rootfs bind cwd kill-on-exit"), isLenient: true, isElsewhere: true },
  bwrap: {
    longFlags: list(
      "unshare-all share-net unshare-user unshare-user-try unshare-ipc unshare-pid unshare-net unshare-uts unshare-cgroup unshare-cgroup-try die-with-parent new-session as-pid-1 clearenv",
    ),
    longValued: list(
      "proc dev tmpfs dir chdir uid gid hostname cap-add cap-drop seccomp userns unsetenv lock-file sync-fd args mqueue remount-ro perms size info-fd",
    ),
    twoValued: list("bind bind-try ro-bind ro-bind-try dev-bind dev-bind-try symlink setenv file bind-data ro-bind-data chmod overlay-src"),
    isLenient: true,
    isElsewhere: true,
  },
  firejail: { isLenient: true },
  schroot: {
    flags: "prbeqv",
    valued: "cudsn",
    longFlags: list("preserve-environment quiet"),
    longValued: list("chroot user directory"),
    isElsewhere: true,
    isLenient: true,
  },
  "systemd-nspawn": {
    flags: "abqxUn",
    valued: "DMuip",
    longValued: list("directory machine user bind"),
    isElsewhere: true,
    isLenient: true,
  },
  "systemd-cat": { valued: "tp", longValued: list("identifier priority stderr-priority level-prefix") },
  "systemd-socket-activate": {
    flags: "ad",
    valued: "lE",
    longFlags: list("accept datagram inetd"),
    longValued: list("listen setenv fdname"),
  },
  "systemd-notify": { after: [";"] },
  run0: {
    valued: "ugDp",
    longFlags: list("no-ask-password slice-inherit pipe pty"),
    longValued: list("user group nice chdir setenv background unit property slice description machine shell-prompt-prefix"),
    folder: ["D", "chdir"],
    isShell: true,
    isLenient: true,
  },
  machinectl: { isLenient: true, subcommands: { shell: { operands: 1, isElsewhere: true, isLenient: true } } },
  ip: {
    flags: "46ahosjdrt0BIMNDcp",
    valued: "nbl",
    subcommands: {
      netns: { subcommands: { exec: { operands: 1 } } },
      net: { subcommands: { exec: { operands: 1 } } },
      vrf: { subcommands: { exec: { operands: 1 } } },
    },
  },
  "dbus-launch": {
    longFlags: list("exit-with-session exit-with-x11 sh-syntax csh-syntax auto-syntax close-stderr"),
    longValued: ["autolaunch", "config-file"],
  },
  "ssh-agent": { flags: "cDdks", valued: "aEPtO" },
  "gpg-agent": {
    longFlags: list("daemon sh csh quiet verbose server"),
    longValued: list("homedir options default-cache-ttl"),
    isLenient: true,
  },
  perf: {
    flags: "hv",
    longFlags: list("version help no-pager"),
    longValued: ["debug", "exec-path", "buildid-dir"],
    isLenient: true,
    subcommands: {
      stat: PERF_RUN,
      record: PERF_RUN,
      trace: PERF_RUN,
      top: PERF_RUN,
      ftrace: PERF_RUN,
      mem: RECORD,
      c2c: RECORD,
      kmem: RECORD,
      lock: RECORD,
      sched: RECORD,
      kwork: RECORD,
    },
  },
  uftrace: { isLenient: true, subcommands: { record: { isLenient: true }, live: { isLenient: true } } },
  rr: { isLenient: true, subcommands: { record: { isLenient: true } } },
  heaptrack: { flags: "dr", valued: "opi", isLenient: true, writes: ["o", "output"] },
  gdb: { after: ["--args", "-args"] },
  lldb: { after: ["--"] },
  catchsegv: {},
  "ld.so": {
    longFlags: list("list verify inhibit-cache list-tunables list-diagnostics"),
    longValued: list("library-path preload argv0 inhibit-rpath audit glibc-hwcaps-prepend glibc-hwcaps-mask"),
    isLenient: true,
  },
  chronic: { flags: "ve" },
  ifne: { flags: "n" },
  lckdo: { flags: "weqsx", valued: "WE", operands: 1, writesOperand: true },
  zrun: {},
  chpst: { flags: "vP012", valued: "uUebdmonlLrtfcC/", writes: ["l", "L"] },
  setuidgid: { operands: 1 },
  envuidgid: { operands: 1 },
  envdir: { operands: 1 },
  setlock: { flags: "nNxX", operands: 1, writesOperand: true },
  softlimit: { valued: "adfmlorstc" },
  pgrphack: {},
  fghack: {},
  argv0: { operands: 1 },
  tini: { flags: "svgwhl", valued: "pe" },
  "dumb-init": { flags: "cvhV", valued: "r", longFlags: list("single-child verbose"), longValued: ["rewrite"] },
  catatonit: { flags: "gPLV" },
  gosu: { operands: 1 },
  "su-exec": { operands: 1 },
  "s6-setuidgid": { operands: 1 },
  eatmydata: {},
  faketime: { flags: "mpf", valued: "", longValued: ["date-prog"], longFlags: ["exclude-monotonic"], operands: 1 },
  datefudge: { flags: "s", operands: 1 },
  rlwrap: { flags: "acErRNnWvi", valued: "bCDfFgHlmMpPqsSUwz", isLenient: true, writes: ["l", "H", "logfile", "history-filename"] },
  torify: {},
  tsocks: {},
  usewithtor: {},
  daemonize: { flags: "av", valued: "cEeloupL", writes: [..."eolp"] },
  daemon: {
    flags: "rvdIf",
    valued: "nXPDuUCFMaALlieoEOb",
    isLenient: true,
    writes: [..."PFleoEOb", "pidfile", "errlog", "dbglog", "output", "stdout", "stderr"],
  },
  timelimit: { flags: "pq", valued: "tTsS" },
  nocache: { valued: "n" },
  gksu: { flags: "kl", valued: "u" },
  kdesu: { valued: "u", after: ["-c"], isLenient: true },
  lxc: { isLenient: true, subcommands: { exec: { ...AFTER_DASHES, isElsewhere: true } } },
  incus: { isLenient: true, subcommands: { exec: { ...AFTER_DASHES, isElsewhere: true } } },
  apptainer: { isLenient: true, subcommands: { exec: { operands: 1, isElsewhere: true, isLenient: true } } },
  singularity: { isLenient: true, subcommands: { exec: { operands: 1, isElsewhere: true, isLenient: true } } },
  toolbox: { isLenient: true, subcommands: { run: { valued: "cdr", isLenient: true, isElsewhere: true } } },
  distrobox: { isLenient: true, subcommands: { enter: { ...AFTER_DASHES, isElsewhere: true } } },
};

/** Most launchers have more options than anybody lists: where one is not known, what follows is read with and without a value for it. */
const PLAIN: Wrapper = { isLenient: true };
const NPX: Wrapper = {
  flags: "yqsgd",
  valued: "pcwC",
  longFlags: list("yes no no-install quiet silent ignore-existing prefer-offline offline workspaces include-workspace-root bun"),
  longValued: list("package call workspace registry cache userconfig prefix loglevel node-options script-shell shell node-arg npm"),
  scripts: ["c", "call"],
  isLenient: true,
};
const NPM: Wrapper = {
  flags: "gs",
  valued: "Cw",
  longFlags: list("global silent workspaces yes"),
  longValued: list("loglevel prefix registry workspace userconfig"),
  isLenient: true,
  subcommands: { exec: NPX, x: NPX },
};
const PNPM: Wrapper = {
  flags: "rsw",
  valued: "CF",
  longFlags: list("recursive silent workspace-root"),
  longValued: list("dir filter"),
  isLenient: true,
  subcommands: { exec: { flags: "rc", longFlags: list("recursive parallel shell-mode"), isLenient: true }, dlx: NPX },
};
const RUN: Wrapper = { isLenient: true, subcommands: { run: PLAIN } };
const EXEC: Wrapper = { isLenient: true, subcommands: { exec: PLAIN } };
const RUN_AFTER_DASHES: Wrapper = { isLenient: true, subcommands: { run: AFTER_DASHES, exec: AFTER_DASHES } };
const UV_RUN: Wrapper = {
  flags: "mqvsn",
  valued: "pCP",
  longFlags: list(
    "frozen locked no-sync isolated active all-extras all-groups no-dev dev offline quiet verbose no-project script module refresh",
  ),
  longValued: list(
    "with extra group python env-file directory project package with-requirements with-editable index-url from no-group only-group",
  ),
  isLenient: true,
};
const CONDA: Wrapper = {
  isLenient: true,
  subcommands: {
    run: {
      flags: "v",
      valued: "np",
      longFlags: list("no-capture-output live-stream dev verbose debug-wrapper-scripts"),
      longValued: list("name prefix cwd"),
      isLenient: true,
    },
  },
};
const GUIX: Wrapper = { ...AFTER_DASHES, isShell: true };
/** It starts a shell that reads stdin. */
const SHELL: Wrapper = { isLenient: true, isShell: true };
const RUN_OR_SHELL: Wrapper = { isLenient: true, subcommands: { run: PLAIN, shell: SHELL } };
const NIX: Wrapper = { after: ["-c", "--command"], isShell: true };

/** Programs of package managers and environments that start the program named in their arguments. */
export const LAUNCHERS: Readonly<Record<string, Wrapper>> = {
  npx: NPX,
  pnpx: NPX,
  bunx: NPX,
  npm: NPM,
  pnpm: PNPM,
  yarn: { longFlags: ["silent"], longValued: ["cwd"], isLenient: true, subcommands: { exec: PLAIN, dlx: NPX } },
  bun: { isLenient: true, subcommands: { x: NPX } },
  corepack: PLAIN,
  uv: {
    flags: "qv",
    longFlags: list("quiet verbose offline"),
    longValued: list("directory project"),
    isLenient: true,
    subcommands: { run: UV_RUN, tool: { subcommands: { run: UV_RUN } } },
  },
  uvx: UV_RUN,
  pipx: { isLenient: true, subcommands: { run: { ...PLAIN, longValued: list("spec python") } } },
  poetry: { flags: "nqv", valued: "CP", isLenient: true, subcommands: { run: PLAIN, shell: SHELL } },
  pipenv: RUN_OR_SHELL,
  pdm: RUN,
  hatch: RUN_OR_SHELL,
  rye: RUN,
  pixi: RUN_OR_SHELL,
  devbox: RUN_OR_SHELL,
  volta: RUN,
  snap: RUN,
  conda: CONDA,
  mamba: CONDA,
  micromamba: CONDA,
  bundle: EXEC,
  bundler: EXEC,
  rbenv: EXEC,
  pyenv: EXEC,
  nodenv: EXEC,
  asdf: { isLenient: true, subcommands: { exec: PLAIN, env: { operands: 1, isLenient: true } } },
  mise: { isLenient: true, subcommands: { exec: AFTER_DASHES, x: AFTER_DASHES } },
  rtx: { isLenient: true, subcommands: { exec: AFTER_DASHES, x: AFTER_DASHES } },
  fnm: { isLenient: true, subcommands: { exec: { ...PLAIN, longValued: ["using"] } } },
  direnv: { subcommands: { exec: { operands: 1 } } },
  rustup: { isLenient: true, subcommands: { run: { flags: "", longFlags: ["install"], operands: 1 } } },
  opam: { isLenient: true, subcommands: { exec: AFTER_DASHES } },
  stack: { isLenient: true, subcommands: { exec: PLAIN } },
  cabal: { isLenient: true, subcommands: { exec: PLAIN } },
  dune: { isLenient: true, subcommands: { exec: PLAIN } },
  mix: { isLenient: true, subcommands: { cmd: PLAIN } },
  luarocks: { isLenient: true, subcommands: { exec: PLAIN } },
  nix: { isLenient: true, subcommands: { develop: NIX, shell: NIX } },
  guix: { isLenient: true, subcommands: { shell: GUIX, environment: GUIX } },
  "cross-env": { assignments: true },
  "cross-env-shell": { assignments: true, isScript: { unless: "" } },
  "env-cmd": { valued: "fre", longValued: list("file rc-file environments"), isLenient: true },
  dotenv: { valued: "efvp", longValued: list("file export"), isLenient: true },
  "dotenv-cli": { valued: "efvp", isLenient: true },
  dotenvx: RUN_AFTER_DASHES,
  doppler: RUN_AFTER_DASHES,
  infisical: RUN_AFTER_DASHES,
  op: RUN_AFTER_DASHES,
  chamber: RUN_AFTER_DASHES,
  "aws-vault": RUN_AFTER_DASHES,
  sops: { subcommands: { "exec-env": { operands: 1, isScript: { unless: "" } }, "exec-file": { operands: 1, isScript: { unless: "" } } } },
  heroku: {
    isLenient: true,
    subcommands: { run: { ...PLAIN, isElsewhere: true }, local: { isLenient: true, subcommands: { run: PLAIN } } },
  },
  railway: { isLenient: true, subcommands: { run: PLAIN } },
  tox: { isLenient: true, subcommands: { exec: AFTER_DASHES } },
  meson: { isLenient: true, subcommands: { devenv: { ...PLAIN, valued: "Cw" } } },
  // `cmake -E env A=1 program`: its tools have the names of programs that do the same.
  cmake: { after: ["-E"] },
  flatpak: { isLenient: true, subcommands: { run: PLAIN } },
  debconf: { valued: "ofp", longValued: list("owner frontend priority"), longFlags: list("terse"), isLenient: true },
};
