import type { Wrapper } from "./wrapper-table.ts";

const list = (text: string): readonly string[] => text.split(" ");

const PERSONALITY: Wrapper = {
  options:
    "-3BFILRSTXZhVv --32bit --fdpic-funcptrs --short-inode --addr-compat-layout --addr-no-randomize --whole-seconds --sticky-timeouts --read-implies-exec --mmap-page-zero --3gb --4gb --uname-2.6 --verbose --list --show:",
  isShell: true,
};
const PERF_RUN: Wrapper = {
  options:
    "-aABcdFgiknNqRSTvW -bcCDeGIjmMoprtuwx: --all-cpus --append --big-num --call-graph --detailed --group --no-inherit --null --quiet --sync --verbose --per-core --per-socket --no-syscalls --cpu: --delay: --event: --filter: --cgroup: --output: --pid: --repeat: --tid: --field-separator: --freq: --count: --user: --pre: --post: --duration: --max-stack:",
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
    options:
      "-hV -po: -cdefilmnqrstuvxy? --as --core --cpu --data --fsize --locks --memlock --msgqueue --nice --nofile --nproc --rss --rtprio --rttime --sigpending --stack --noheadings --raw --verbose --pid: --output:",
  },
  choom: { options: "-hV -np: --adjust: --pid:" },
  uclampset: { options: "-asRvhV -mMp: --all-tasks --system --reset-on-fork --verbose --pid:" },
  coresched: { isLenient: true, after: ["--"] },
  numactl: {
    options:
      "-asHlb -ipmNCPwSfLMIt: --all --show --hardware --localalloc --balancing --interleave: --preferred: --membind: --cpunodebind: --physcpubind:",
    isLenient: true,
  },
  cpulimit: {
    options: "-zivbkrqf -lpPec: --lazy --include-children --verbose --limit: --pid: --exe: --path:",
    isLenient: true,
  },
  schedtool: { options: "-rv -npMa:", after: ["-e"] },
  trickle: { options: "-hVvs -duwtlnL:" },
  runcon: { options: "-c -turl: --compute --type: --user: --role: --range:", hasFirstOperand: true },
  logsave: { options: "-asv", operands: 1, writesOperand: true },
  fakeroot: { options: "-huv -lsib: --unknown-is-real --lib: --faked:", isShell: true },
  "fakeroot-ng": { options: "-dh -plf:", isShell: true },
  fakechroot: { options: "-hs -lecb: --lib: --elfloader: --environment: --config-dir: --bindir:", isLenient: true },
  proot: { options: "-0 -rbmqwvik: --rootfs: --bind: --cwd: --kill-on-exit:", isLenient: true, isElsewhere: true },
  bwrap: {
    options:
      "--unshare-all --share-net --unshare-user --unshare-user-try --unshare-ipc --unshare-pid --unshare-net --unshare-uts --unshare-cgroup --unshare-cgroup-try --die-with-parent --new-session --as-pid-1 --clearenv --proc: --dev: --tmpfs: --dir: --chdir: --uid: --gid: --hostname: --cap-add: --cap-drop: --seccomp: --userns: --unsetenv: --lock-file: --sync-fd: --args: --mqueue: --remount-ro: --perms: --size: --info-fd: --bind:: --bind-try:: --ro-bind:: --ro-bind-try:: --dev-bind:: --dev-bind-try:: --symlink:: --setenv:: --file:: --bind-data:: --ro-bind-data:: --chmod:: --overlay-src::",
    isLenient: true,
    isElsewhere: true,
  },
  firejail: { isLenient: true },
  schroot: {
    options: "-prbeqv -cudsn: --preserve-environment --quiet --chroot: --user: --directory:",
    isElsewhere: true,
    isLenient: true,
  },
  "systemd-nspawn": {
    options: "-abqxUn -DMuip: --directory: --machine: --user: --bind:",
    isElsewhere: true,
    isLenient: true,
  },
  "systemd-cat": { options: "-tp: --identifier: --priority: --stderr-priority: --level-prefix:" },
  "systemd-socket-activate": {
    options: "-ad -lE: --accept --datagram --inetd --listen: --setenv: --fdname:",
  },
  "systemd-notify": { after: [";"] },
  run0: {
    options:
      "-ugDp: --no-ask-password --slice-inherit --pipe --pty --user: --group: --nice: --chdir: --setenv: --background: --unit: --property: --slice: --description: --machine: --shell-prompt-prefix:",
    folder: ["D", "chdir"],
    isShell: true,
    isLenient: true,
  },
  machinectl: { isLenient: true, subcommands: { shell: { operands: 1, isElsewhere: true, isLenient: true } } },
  ip: {
    options: "-46ahosjdrt0BIMNDcp -nbl:",
    subcommands: {
      netns: { subcommands: { exec: { operands: 1 } } },
      net: { subcommands: { exec: { operands: 1 } } },
      vrf: { subcommands: { exec: { operands: 1 } } },
    },
  },
  "dbus-launch": {
    options: "--exit-with-session --exit-with-x11 --sh-syntax --csh-syntax --auto-syntax --close-stderr --autolaunch: --config-file:",
  },
  "ssh-agent": { options: "-cDdks -aEPtO:" },
  "gpg-agent": {
    options: "--daemon --sh --csh --quiet --verbose --server --homedir: --options: --default-cache-ttl:",
    isLenient: true,
  },
  perf: {
    options: "-hv --version --help --no-pager --debug: --exec-path: --buildid-dir:",
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
  heaptrack: { options: "-dr -opi:", isLenient: true, writes: ["o", "output"] },
  gdb: { after: ["--args", "-args"] },
  lldb: { after: ["--"] },
  catchsegv: {},
  "ld.so": {
    options:
      "--list --verify --inhibit-cache --list-tunables --list-diagnostics --library-path: --preload: --argv0: --inhibit-rpath: --audit: --glibc-hwcaps-prepend: --glibc-hwcaps-mask:",
    isLenient: true,
  },
  chronic: { options: "-ve" },
  ifne: { options: "-n" },
  lckdo: { options: "-weqsx -WE:", operands: 1, writesOperand: true },
  zrun: {},
  chpst: { options: "-vP012 -uUebdmonlLrtfcC/:", writes: ["l", "L"] },
  setuidgid: { operands: 1 },
  envuidgid: { operands: 1 },
  envdir: { operands: 1 },
  setlock: { options: "-nNxX", operands: 1, writesOperand: true },
  softlimit: { options: "-adfmlorstc:" },
  pgrphack: {},
  fghack: {},
  argv0: { operands: 1 },
  tini: { options: "-svgwhl -pe:" },
  "dumb-init": { options: "-cvhV -r: --single-child --verbose --rewrite:" },
  catatonit: { options: "-gPLV" },
  gosu: { operands: 1 },
  "su-exec": { operands: 1 },
  "s6-setuidgid": { operands: 1 },
  eatmydata: {},
  faketime: { options: "-mpf --exclude-monotonic --date-prog:", operands: 1 },
  datefudge: { options: "-s", operands: 1 },
  rlwrap: { options: "-acErRNnWvi -bCDfFgHlmMpPqsSUwz:", isLenient: true, writes: ["l", "H", "logfile", "history-filename"] },
  torify: {},
  tsocks: {},
  usewithtor: {},
  daemonize: { options: "-av -cEeloupL:", writes: [..."eolp"] },
  daemon: {
    options: "-rvdIf -nXPDuUCFMaALlieoEOb:",
    isLenient: true,
    writes: [..."PFleoEOb", "pidfile", "errlog", "dbglog", "output", "stdout", "stderr"],
  },
  timelimit: { options: "-pq -tTsS:" },
  nocache: { options: "-n:" },
  gksu: { options: "-kl -u:" },
  kdesu: { options: "-u:", after: ["-c"], isLenient: true },
  lxc: { isLenient: true, subcommands: { exec: { ...AFTER_DASHES, isElsewhere: true } } },
  incus: { isLenient: true, subcommands: { exec: { ...AFTER_DASHES, isElsewhere: true } } },
  apptainer: { isLenient: true, subcommands: { exec: { operands: 1, isElsewhere: true, isLenient: true } } },
  singularity: { isLenient: true, subcommands: { exec: { operands: 1, isElsewhere: true, isLenient: true } } },
  toolbox: { isLenient: true, subcommands: { run: { options: "-cdr:", isLenient: true, isElsewhere: true } } },
  distrobox: { isLenient: true, subcommands: { enter: { ...AFTER_DASHES, isElsewhere: true } } },
};

/** Most launchers have more options than are listed: where one is not known, what follows is read with and without a value for it. */
const PLAIN: Wrapper = { isLenient: true };
const NPX: Wrapper = {
  options:
    "-yqsgd -pcwC: --yes --no --no-install --quiet --silent --ignore-existing --prefer-offline --offline --workspaces --include-workspace-root --bun --package: --call: --workspace: --registry: --cache: --userconfig: --prefix: --loglevel: --node-options: --script-shell: --shell: --node-arg: --npm:",
  scripts: ["c", "call"],
  isLenient: true,
};
const NPM: Wrapper = {
  options: "-gs -Cw: --global --silent --workspaces --yes --loglevel: --prefix: --registry: --workspace: --userconfig:",
  isLenient: true,
  subcommands: { exec: NPX, x: NPX },
};
const PNPM: Wrapper = {
  options: "-rsw -CF: --recursive --silent --workspace-root --dir: --filter:",
  isLenient: true,
  subcommands: { exec: { options: "-rc --recursive --parallel --shell-mode", isLenient: true }, dlx: NPX },
};
const RUN: Wrapper = { isLenient: true, subcommands: { run: PLAIN } };
const EXEC: Wrapper = { isLenient: true, subcommands: { exec: PLAIN } };
const RUN_AFTER_DASHES: Wrapper = { isLenient: true, subcommands: { run: AFTER_DASHES, exec: AFTER_DASHES } };
const UV_RUN: Wrapper = {
  options:
    "-mqvsn -pCP: --frozen --locked --no-sync --isolated --active --all-extras --all-groups --no-dev --dev --offline --quiet --verbose --no-project --script --module --refresh --with: --extra: --group: --python: --env-file: --directory: --project: --package: --with-requirements: --with-editable: --index-url: --from: --no-group: --only-group:",
  isLenient: true,
};
const CONDA: Wrapper = {
  isLenient: true,
  subcommands: {
    run: {
      options: "-v -np: --no-capture-output --live-stream --dev --verbose --debug-wrapper-scripts --name: --prefix: --cwd:",
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
  yarn: { options: "--silent --cwd:", isLenient: true, subcommands: { exec: PLAIN, dlx: NPX } },
  bun: { isLenient: true, subcommands: { x: NPX } },
  corepack: PLAIN,
  uv: {
    options: "-qv --quiet --verbose --offline --directory: --project:",
    isLenient: true,
    subcommands: { run: UV_RUN, tool: { subcommands: { run: UV_RUN } } },
  },
  uvx: UV_RUN,
  pipx: { isLenient: true, subcommands: { run: { ...PLAIN, options: "--spec: --python:" } } },
  poetry: { options: "-nqv -CP:", isLenient: true, subcommands: { run: PLAIN, shell: SHELL } },
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
  fnm: { isLenient: true, subcommands: { exec: { ...PLAIN, options: "--using:" } } },
  direnv: { subcommands: { exec: { operands: 1 } } },
  rustup: { isLenient: true, subcommands: { run: { options: "--install", operands: 1 } } },
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
  "env-cmd": { options: "-fre: --file: --rc-file: --environments:", isLenient: true },
  dotenv: { options: "-efvp: --file: --export:", isLenient: true },
  "dotenv-cli": { options: "-efvp:", isLenient: true },
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
  meson: { isLenient: true, subcommands: { devenv: { ...PLAIN, options: "-Cw:" } } },
  // `cmake -E env A=1 program`: its tools have the names of programs that do the same.
  cmake: { after: ["-E"] },
  flatpak: { isLenient: true, subcommands: { run: PLAIN } },
  debconf: { options: "-ofp: --terse --owner: --frontend: --priority:", isLenient: true },
};
