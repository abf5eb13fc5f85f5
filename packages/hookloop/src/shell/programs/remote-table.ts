import { formsIn, readOptions } from "../arguments.ts";
import type { ShellWord } from "../types.ts";
import { GIT_OPTIONS } from "./git.ts";
import { LAUNCHERS } from "./system-wrappers.ts";
import { programName, type Wrapper } from "./wrapper-table.ts";

const CONTAINER_EXEC: Wrapper = {
  options: "-dit -euw: --detach --interactive --latest --privileged --tty --detach-keys: --env: --env-file: --user: --workdir: --index:",
  operands: 1,
  isElsewhere: true,
};
const CONTAINER_RUN: Wrapper = {
  options:
    "-diPtq -aceghlmpuvw: --detach --init --interactive --no-healthcheck --oom-kill-disable --privileged --publish-all --quiet --read-only --replace --rm --tty --no-deps --service-ports --build --add-host: --annotation: --attach: --blkio-weight: --cap-add: --cap-drop: --cgroup-parent: --cgroupns: --cidfile: --cpus: --cpu-shares: --cpuset-cpus: --device: --dns: --entrypoint: --env: --env-file: --expose: --gpus: --group-add: --health-cmd: --hostname: --ip: --ipc: --isolation: --label: --label-file: --link: --log-driver: --log-opt: --mac-address: --memory: --memory-swap: --mount: --name: --net: --network: --network-alias: --pid: --pids-limit: --platform: --publish: --pull: --restart: --runtime: --security-opt: --shm-size: --stop-signal: --stop-timeout: --storage-opt: --sysctl: --tmpfs: --ulimit: --user: --userns: --uts: --volume: --volumes-from: --workdir:",
  operands: 1,
  isElsewhere: true,
};
const CONTAINERS: Wrapper = {
  options:
    "-D -cHl: --debug --tls --tlsverify --remote --help --version --config: --context: --host: --log-level: --tlscacert: --tlscert: --tlskey: --connection: --url: --namespace: --address: --root: --identity: --runroot: --storage-driver:",
  subcommands: {
    exec: CONTAINER_EXEC,
    run: CONTAINER_RUN,
    container: { subcommands: { exec: CONTAINER_EXEC, run: CONTAINER_RUN } },
    compose: {
      options:
        "-fp: --compatibility --dry-run --all-resources --file: --project-name: --project-directory: --profile: --env-file: --ansi: --progress: --parallel:",
      subcommands: {
        exec: {
          ...CONTAINER_EXEC,
          options: "-dT --detach --privileged --no-tty --no-TTY -euw: --detach-keys: --env: --env-file: --user: --workdir: --index:",
        },
        run: { ...CONTAINER_RUN, options: (CONTAINER_RUN.options ?? "").replace("-diPtq", "-diPTQ") },
      },
    },
  },
};
const KUBE_EXEC: Wrapper = {
  options: "-itq -cfn: --stdin --tty --quiet --container: --filename: --namespace: --pod-running-timeout: --context: --kubeconfig:",
  permutes: true,
  operands: 1,
  isElsewhere: true,
};
const KUBE: Wrapper = {
  options:
    "-nsv: --insecure-skip-tls-verify --as: --as-group: --cache-dir: --cluster: --context: --kubeconfig: --namespace: --request-timeout: --server: --token: --user:",
  subcommands: { exec: KUBE_EXEC },
};

/** Programs that start others on another machine, in a container, or in the background. */
export const REMOTE_WRAPPERS: Readonly<Record<string, Wrapper>> = {
  ssh: {
    options: "-46AaCfGgKkMNnqsTtVvXxYy -BbcDEeFIiJLlmOopPQRSWw:",
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
    options:
      "-cfr -GRSwl: -CimnpTUu? --cgroup --fork --ipc --kill-child --map-auto --map-current-user --map-root-user --mount --mount-proc --net --pid --time --user --uts --map-group: --map-user: --map-groups: --map-users: --propagation: --root: --setgid: --setgroups: --setuid: --wd:",
    folder: ["w", "wd"],
    isShell: true,
  },
  nsenter: {
    options:
      "-aFZ -tGSW: -CimnpTUurw? --all --cgroup --follow-context --ipc --mount --net --no-fork --pid --preserve-credentials --root --time --user --uts --wd --setgid: --setuid: --target: --wdns:",
    isElsewhere: true,
    isShell: true,
  },
  chroot: { options: "--skip-chdir --groups: --userspec:", operands: 1, isElsewhere: true, isShell: true },
  "systemd-run": {
    options:
      "-dGPqrtS -EHMpu: --collect --no-ask-password --no-block --pipe --pty --quiet --remain-after-exit --same-dir --scope --send-sighup --service --shell --slice-inherit --user --wait --description: --gid: --host: --machine: --nice: --on-active: --on-boot: --on-calendar: --property: --service-type: --setenv: --slice: --timer-property: --uid: --unit: --working-directory:",
    folder: ["working-directory"],
    isShell: true,
  },
  tmux: {
    options: "-2CDlNuvV -cfLST:",
    scripts: ["c"],
    subcommands: Object.fromEntries(
      "new new-session neww new-window splitw split-window respawnp respawn-pane respawnw respawn-window run run-shell if if-shell pipep pipe-pane popup display-popup"
        .split(" ")
        .map((name) => [name, { options: "-AadDEbfhIkPPSvXZ -cefFlnpstxy:", isScript: { unless: "" } } satisfies Wrapper]),
    ),
  },
  screen: { options: "-aAdDfiLlmnOqRUvwx -cehpsStT:" },
  "nix-shell": {
    isShell: true,
    options: "-pQv -AEIiN: --pure --packages --keep-going --attr: --command: --expr: --run:",
    scripts: ["run", "command"],
    permutes: true,
  },
};

const APT: Wrapper = {
  options: "-dfhmqsuVy -acot: --yes --quiet --assume-yes --option: --target-release:",
};
const KUBE_LIKE: Wrapper = {
  options: "-n: --debug --kube-context: --kubeconfig: --namespace: --registry-config:",
};
const AWS: Wrapper = {
  options:
    "--debug --no-paginate --no-sign-request --no-verify-ssl --no-cli-pager --endpoint-url: --output: --profile: --query: --region: --color: --cli-read-timeout: --cli-connect-timeout:",
};

/** The options that stand between a program's name and its sub-command. */
const GLOBAL_OPTIONS: Readonly<Record<string, Wrapper>> = {
  git: GIT_OPTIONS,
  ...Object.fromEntries(Object.entries(REMOTE_WRAPPERS).filter(([, { subcommands }]) => subcommands !== undefined)),
  ...Object.fromEntries(["npm", "pnpm", "yarn"].map((name) => [name, LAUNCHERS[name] ?? {}])),
  apt: APT,
  "apt-get": APT,
  aws: AWS,
  cargo: { options: "-qvV -CZ: --frozen --locked --offline --quiet --verbose --color: --config:" },
  gcloud: { options: "-q --quiet --account: --configuration: --format: --project: --verbosity:" },
  gh: { options: "-R: --repo: --hostname:" },
  go: { options: "-C:" },
  helm: KUBE_LIKE,
  hg: { options: "-qvy -R: --quiet --verbose --noninteractive --config: --cwd: --repository:" },
  systemctl: {
    options: "-afqlr -HMnopst: --global --no-block --no-pager --now --quiet --system --user --host: --machine: --root:",
  },
  terraform: { options: "single-dash --help --version --chdir:" },
  tofu: { options: "single-dash --help --version --chdir:" },
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

/** Whether an option before a program's sub-command surely takes the next word as its value. */
export function takesNextWord(program: string, option: string): boolean {
  const { valued = "", longValued = [] } = formsIn(Object.hasOwn(GLOBAL_OPTIONS, program) ? (GLOBAL_OPTIONS[program]?.options ?? "") : "");
  return option.startsWith("--") ? longValued.includes(option.slice(2)) : option.length === 2 && valued.includes(option.charAt(1));
}
