import { readOptions } from "../arguments.ts";
import type { ShellWord } from "../types.ts";
import { GIT_OPTIONS } from "./git.ts";
import { programName, type Wrapper } from "./wrapper-table.ts";

const CONTAINER_EXEC: Wrapper = {
  flags: "dit",
  valued: "euw",
  longFlags: ["detach", "interactive", "latest", "privileged", "tty"],
  longValued: ["detach-keys", "env", "env-file", "user", "workdir", "index"],
  operands: 1,
  isElsewhere: true,
};
const CONTAINER_RUN: Wrapper = {
  flags: "diPtq",
  valued: "aceghlmpuvw",
  longFlags: [
    "detach",
    "init",
    "interactive",
    "no-healthcheck",
    "oom-kill-disable",
    "privileged",
    "publish-all",
    "quiet",
    "read-only",
    "replace",
    "rm",
    "tty",
    "no-deps",
    "service-ports",
    "build",
  ],
  longValued:
    "add-host annotation attach blkio-weight cap-add cap-drop cgroup-parent cgroupns cidfile cpus cpu-shares cpuset-cpus device dns entrypoint env env-file expose gpus group-add health-cmd hostname ip ipc isolation label label-file link log-driver log-opt mac-address memory memory-swap mount name net network network-alias pid pids-limit platform publish pull restart runtime security-opt shm-size stop-signal stop-timeout storage-opt sysctl tmpfs ulimit user userns uts volume volumes-from workdir".split(
      " ",
    ),
  operands: 1,
  isElsewhere: true,
};
const CONTAINERS: Wrapper = {
  flags: "D",
  valued: "cHl",
  longFlags: ["debug", "tls", "tlsverify", "remote", "help", "version"],
  longValued: [
    "config",
    "context",
    "host",
    "log-level",
    "tlscacert",
    "tlscert",
    "tlskey",
    "connection",
    "url",
    "namespace",
    "address",
    "root",
  ],
  subcommands: {
    exec: CONTAINER_EXEC,
    run: CONTAINER_RUN,
    container: { subcommands: { exec: CONTAINER_EXEC, run: CONTAINER_RUN } },
    compose: {
      valued: "fp",
      longFlags: ["compatibility", "dry-run", "all-resources"],
      longValued: ["file", "project-name", "project-directory", "profile", "env-file", "ansi", "progress", "parallel"],
      subcommands: {
        exec: { ...CONTAINER_EXEC, flags: "dT", longFlags: ["detach", "privileged", "no-tty", "no-TTY"] },
        run: { ...CONTAINER_RUN, flags: "diPTQ" },
      },
    },
  },
};
const KUBE_EXEC: Wrapper = {
  flags: "itq",
  valued: "cfn",
  longFlags: ["stdin", "tty", "quiet"],
  longValued: ["container", "filename", "namespace", "pod-running-timeout", "context", "kubeconfig"],
  permutes: true,
  operands: 1,
  isElsewhere: true,
};
const KUBE: Wrapper = {
  valued: "nsv",
  longFlags: ["insecure-skip-tls-verify"],
  longValued: [
    "as",
    "as-group",
    "cache-dir",
    "cluster",
    "context",
    "kubeconfig",
    "namespace",
    "request-timeout",
    "server",
    "token",
    "user",
  ],
  subcommands: { exec: KUBE_EXEC },
};

/** Programs that start others on another machine, in a container, or in the background. */
export const REMOTE_WRAPPERS: Readonly<Record<string, Wrapper>> = {
  ssh: {
    flags: "46AaCfGgKkMNnqsTtVvXxYy",
    valued: "BbcDEeFIiJLlmOopPQRSWw",
    operands: 1,
    isScript: { unless: "" },
    isElsewhere: true,
    isShell: true,
  },
  docker: CONTAINERS,
  podman: CONTAINERS,
  nerdctl: CONTAINERS,
  "docker-compose": CONTAINERS.subcommands?.["compose"] ?? {},
  kubectl: KUBE,
  oc: KUBE,
  unshare: {
    flags: "cfr",
    attached: "CimnpTUu",
    valued: "GRSwl",
    longFlags: [
      "cgroup",
      "fork",
      "ipc",
      "kill-child",
      "map-auto",
      "map-current-user",
      "map-root-user",
      "mount",
      "mount-proc",
      "net",
      "pid",
      "time",
      "user",
      "uts",
    ],
    longValued: ["map-group", "map-user", "map-groups", "map-users", "propagation", "root", "setgid", "setgroups", "setuid", "wd"],
    folder: ["w", "wd"],
    isShell: true,
  },
  nsenter: {
    flags: "aFZ",
    attached: "CimnpTUurw",
    valued: "tGSW",
    longFlags: [
      "all",
      "cgroup",
      "follow-context",
      "ipc",
      "mount",
      "net",
      "no-fork",
      "pid",
      "preserve-credentials",
      "root",
      "time",
      "user",
      "uts",
      "wd",
    ],
    longValued: ["setgid", "setuid", "target", "wdns"],
    isElsewhere: true,
    isShell: true,
  },
  chroot: { longFlags: ["skip-chdir"], longValued: ["groups", "userspec"], operands: 1, isElsewhere: true, isShell: true },
  "systemd-run": {
    flags: "dGPqrtS",
    valued: "EHMpu",
    longFlags: [
      "collect",
      "no-ask-password",
      "no-block",
      "pipe",
      "pty",
      "quiet",
      "remain-after-exit",
      "same-dir",
      "scope",
      "send-sighup",
      "service",
      "shell",
      "slice-inherit",
      "user",
      "wait",
    ],
    longValued: [
      "description",
      "gid",
      "host",
      "machine",
      "nice",
      "on-active",
      "on-boot",
      "on-calendar",
      "property",
      "service-type",
      "setenv",
      "slice",
      "timer-property",
      "uid",
      "unit",
      "working-directory",
    ],
    folder: ["working-directory"],
    isShell: true,
  },
  tmux: {
    flags: "2CDlNuvV",
    valued: "cfLST",
    scripts: ["c"],
    subcommands: Object.fromEntries(
      "new new-session neww new-window splitw split-window respawnp respawn-pane respawnw respawn-window run run-shell if if-shell pipep pipe-pane popup display-popup"
        .split(" ")
        .map((name) => [name, { flags: "AadDEbfhIkPPSvXZ", valued: "cefFlnpstxy", isScript: { unless: "" } } satisfies Wrapper]),
    ),
  },
  screen: { flags: "aAdDfiLlmnOqRUvwx", valued: "cehpsStT" },
  "nix-shell": {
    isShell: true,
    flags: "pQv",
    valued: "AEIiN",
    longFlags: ["pure", "packages", "keep-going"],
    longValued: ["attr", "command", "expr", "run"],
    scripts: ["run", "command"],
    permutes: true,
  },
};

const APT: Wrapper = {
  flags: "dfhmqsuVy",
  valued: "acot",
  longFlags: ["yes", "quiet", "assume-yes"],
  longValued: ["option", "target-release"],
};
const PNPM: Wrapper = { flags: "rsw", valued: "CF", longFlags: ["recursive", "silent", "workspace-root"], longValued: ["dir", "filter"] };
const KUBE_LIKE: Wrapper = {
  valued: "n",
  longFlags: ["debug"],
  longValued: ["kube-context", "kubeconfig", "namespace", "registry-config"],
};
const AWS: Wrapper = {
  longFlags: ["debug", "no-paginate", "no-sign-request", "no-verify-ssl", "no-cli-pager"],
  longValued: ["endpoint-url", "output", "profile", "query", "region", "color", "cli-read-timeout", "cli-connect-timeout"],
};

/** The options that stand between a program's name and its sub-command. */
const GLOBAL_OPTIONS: Readonly<Record<string, Wrapper>> = {
  git: GIT_OPTIONS,
  ...Object.fromEntries(Object.entries(REMOTE_WRAPPERS).filter(([, { subcommands }]) => subcommands !== undefined)),
  apt: APT,
  "apt-get": APT,
  aws: AWS,
  cargo: { flags: "qvV", valued: "CZ", longFlags: ["frozen", "locked", "offline", "quiet", "verbose"], longValued: ["color", "config"] },
  gcloud: { flags: "q", longFlags: ["quiet"], longValued: ["account", "configuration", "format", "project", "verbosity"] },
  gh: { valued: "R", longValued: ["repo", "hostname"] },
  go: { valued: "C" },
  helm: KUBE_LIKE,
  hg: { flags: "qvy", valued: "R", longFlags: ["quiet", "verbose", "noninteractive"], longValued: ["config", "cwd", "repository"] },
  npm: {
    flags: "gs",
    valued: "Cw",
    longFlags: ["global", "silent", "workspaces", "yes"],
    longValued: ["loglevel", "prefix", "registry", "workspace", "userconfig"],
  },
  pnpm: PNPM,
  systemctl: {
    flags: "afqlr",
    valued: "HMnopst",
    longFlags: ["global", "no-block", "no-pager", "now", "quiet", "system", "user"],
    longValued: ["host", "machine", "root"],
  },
  terraform: { singleDash: true, longFlags: ["help", "version"], longValued: ["chdir"] },
  tofu: { singleDash: true, longFlags: ["help", "version"], longValued: ["chdir"] },
  yarn: { longFlags: ["silent"], longValued: ["cwd"] },
};

/** A command's words without the options before its sub-command: `git -C dir push` is `git push`. The name comes without its folder. */
export function plainWords(words: readonly ShellWord[]): readonly ShellWord[] {
  const [first] = words;
  if (!first) return words;
  const name = programName(words);
  const named = name === first.text ? first : { ...first, text: name };
  const options = Object.hasOwn(GLOBAL_OPTIONS, name) ? GLOBAL_OPTIONS[name] : undefined;
  if (!options) return [named, ...words.slice(1)];
  const start = name === "cargo" && words[1]?.text.startsWith("+") ? 2 : 1;
  return [named, ...readOptions([first, ...words.slice(start)], options).rest];
}
