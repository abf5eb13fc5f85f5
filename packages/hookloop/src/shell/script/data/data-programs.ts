import type { ShellWord } from "../../types.ts";

/** Programs that print, store or search their text and start nothing. */
const DATA_PROGRAMS = new Set(
  "echo printf cat tee head tail wc sort uniq cut tr nl tac rev fold column grep egrep fgrep zgrep rg ag ack jq test [ true false : logger notify-send say cowsay figlet less more diff comm paste base64 md5sum sha256sum xxd od".split(
    " ",
  ),
);
/** Sub-commands of git whose arguments are messages and names. */
const GIT_DATA = new Set(["commit", "tag", "log", "show", "notes", "stash", "merge", "revert", "branch"]);
const GH_DATA = new Set(["pr", "issue", "release", "gist"]);
/** Options of such programs that do name a program to start. */
const STARTING_OPTION = /^--(?:pre|hostname-bin|compress-program|filter|use-compress-program|exec|pager)(?:=|$)/;

/** Whether the arguments and the input of a command are only text to it. */
export function takesOnlyData(name: string, words: readonly ShellWord[]): boolean {
  if (name === "git") return GIT_DATA.has(words[1]?.text ?? "") && !words.some(({ text }) => STARTING_OPTION.test(text));
  if (name === "gh") return GH_DATA.has(words[1]?.text ?? "");
  return DATA_PROGRAMS.has(name) && !words.some(({ text }) => STARTING_OPTION.test(text));
}
