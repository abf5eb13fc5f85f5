import type { ShellWord } from "../types.ts";
import { readOptions } from "./read-options.ts";
import { type Started, scriptIn } from "./started.ts";
import type { Wrapper } from "./wrapper.ts";

export const GIT_OPTIONS: Wrapper = {
  flags: "hpPv",
  valued: "Cc",
  longFlags: [
    "bare",
    "glob-pathspecs",
    "help",
    "icase-pathspecs",
    "literal-pathspecs",
    "no-optional-locks",
    "no-pager",
    "no-replace-objects",
    "noglob-pathspecs",
    "paginate",
    "version",
    "no-lazy-fetch",
    "no-advice",
    "html-path",
    "man-path",
    "info-path",
    "exec-path",
  ],
  longValued: ["attr-source", "config-env", "git-dir", "namespace", "super-prefix", "work-tree", "list-cmds"],
};

/** Settings whose value git runs with a shell. */
const COMMAND_SETTINGS =
  /^(?:core\.(?:pager|editor|sshcommand|fsmonitor|gitproxy|askpass|alternaterefscommand)|sequence\.editor|diff\.external|diff\..*\.(?:command|textconv)|(?:merge|diff)tool\..*\.cmd|merge\..*\.driver|filter\..*\.(?:clean|smudge|process)|gpg\.(?:.*\.)?program|pager\..*|interactive\.difffilter|uploadpack\.packobjectshook|remote\..*\.(?:uploadpack|receivepack|vcs))$/i;

/** What git runs for its arguments: shell aliases and commands in settings, `bisect run`, `rebase --exec`, `submodule foreach`. */
export function startedByGit(words: readonly ShellWord[]): readonly Started[] {
  const settings = words.flatMap((word, at) =>
    words[at - 1]?.text === "-c" || words[at - 1]?.text === "--config" ? startedBySetting(word, word.text) : [],
  );
  const { rest } = readOptions(words, GIT_OPTIONS);
  const [sub, ...args] = rest.map(({ text }) => text);
  if (sub === "bisect" && args[0] === "run") return [...settings, { kind: "words", words: rest.slice(2) }];
  if (sub === "submodule" && args[0] === "foreach")
    return [...settings, ...scriptIn(rest.slice(2).filter(({ text }) => text !== "--recursive" && text !== "--quiet"))];
  if (sub === "config") return [...settings, ...startedByConfig(rest)];
  if (sub === "rebase" || sub === "filter-branch" || sub === "difftool") return [...settings, ...startedByOption(rest)];
  return settings;
}

function startedBySetting(word: ShellWord, text: string): readonly Started[] {
  const [key = "", value] = text.split(/=(.*)/s);
  return value === undefined ? [] : startedByValue(key, { ...word, text: value });
}

function startedByValue(key: string, word: ShellWord): readonly Started[] {
  const isShellText = /^(?:alias\.|credential\.(?:.*\.)?helper$)/i.test(key) && word.text.startsWith("!");
  if (isShellText) return scriptIn([{ ...word, text: word.text.slice(1) }]);
  return COMMAND_SETTINGS.test(key) && word.text !== "" ? scriptIn([word]) : [];
}

/** `git config alias.x '!command'`. */
function startedByConfig(words: readonly ShellWord[]): readonly Started[] {
  const at = words.findIndex(({ text }, index) => index > 0 && /^\w+\..+/.test(text));
  const value = words[at + 1];
  return at === -1 || !value ? [] : startedByValue(words[at]?.text ?? "", value);
}

/** `rebase -x 'make test'`, `filter-branch --tree-filter '…'`. */
function startedByOption(words: readonly ShellWord[]): readonly Started[] {
  return words.flatMap((word, at) => {
    const attached = /^(?:--exec|--extcmd|--[a-z]+-filter)=(.*)$/s.exec(word.text)?.[1];
    if (attached !== undefined) return scriptIn([{ ...word, text: attached }]);
    return /^(?:-x|--exec|--extcmd|--[a-z]+-filter)$/.test(words[at - 1]?.text ?? "") ? scriptIn([word]) : [];
  });
}
