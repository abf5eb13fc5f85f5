import type { ShellWord } from "../types.ts";
import { GIT_OPTIONS } from "./git.ts";
import { programName } from "./program-name.ts";
import { readOptions } from "./read-options.ts";
import { REMOTE_WRAPPERS } from "./remote-table.ts";
import type { Wrapper } from "./wrapper.ts";

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
