/** Programs that hand a text in their words to a shell: the text is judged like a command of its own. */
import type { ShellWord } from "../../types.ts";
import type { Call } from "../call/call.ts";
import type { Judge } from "../rule.ts";

interface Starter {
  readonly programs: string;
  /** Options whose value, joined with `=` or in the next word, is shell text. */
  readonly options?: RegExp;
  /** What in a word is shell text: the first group. */
  readonly inWord?: RegExp;
  /** Its operands are shell text. */
  readonly operands?: boolean;
}

const STARTERS: readonly Starter[] = [
  { programs: "npx npm pnpx bunx yarn", options: /^(?:-c|--call)$/ },
  {
    programs: "sem hyperfine concurrently watchexec rush entr wait-on npm-run-all",
    operands: true,
    options: /^(?:-p|-c|-s|--prepare|--cleanup|--setup)$/,
  },
  { programs: "nodemon cargo-watch", options: /^(?:-x|-s|--exec|--shell)$/ },
  { programs: "expect", options: /^-c$/, inWord: /^\s*(?:spawn|exec)\s+([^\n;]+)/ },
  { programs: "vagrant gcloud az virt-customize multipass", options: /^(?:-c|--command|--run-command|--scripts)$/ },
  { programs: "xterm konsole gnome-terminal alacritty kitty xfce4-terminal urxvt st foot wezterm", options: /^(?:-e|-c|--command)$/ },
  { programs: "rsync", options: /^(?:-\w*e|--rsh|--rsync-path)$/ },
  {
    programs: "tar bsdtar",
    options: /^(?:-I|--use-compress-program|--to-command|--info-script|--new-volume-script|-F|--rsh-command)$/,
    inWord: /^--checkpoint-action=(?:exec=)?(.+)/s,
  },
  { programs: "split", options: /^--filter$/ },
  { programs: "sort", options: /^--compress-program$/ },
  { programs: "zip", options: /^(?:-TT|--unzip-command)$/ },
  { programs: "man", options: /^(?:-P|--pager)$/ },
  { programs: "ssh scp sftp", inWord: /^(?:-o)?\s*(?:proxycommand|localcommand|knownhostscommand)[=\s]+(.+)/is },
  { programs: "vim vi nvim ex view gvim", inWord: /^\+?:?!(.+)/s },
  { programs: "vim vi nvim ex view gvim", inWord: /system\(\s*["'](.+)["']\s*\)/s },
  { programs: "gdb lldb", inWord: /^(?:shell|!|platform shell|pipe)\s*(.+)/s },
  { programs: "make gmake just", options: /^--eval$/ },
  { programs: "less more", inWord: /^\+!(.+)/s },
  { programs: "tcpdump", options: /^-z$/ },
  { programs: "ansible", options: /^(?:-a|--args)$/ },
  { programs: "start-stop-daemon", options: /^(?:--exec|-x|--startas|-a)$/ },
  { programs: "psql pgcli usql", inWord: /\bprogram\s+'([^']+)'/is },
];

function judgeStarter(starter: Starter): Judge["judge"] {
  return (call) => {
    for (const word of textsOf(starter, call)) call.scene.judgeText(word.text, word.span);
  };
}

function textsOf({ options, inWord, operands }: Starter, call: Call): readonly ShellWord[] {
  const words = call.words.slice(1);
  const found: ShellWord[] = [];
  for (const [at, word] of words.entries()) {
    const [name = "", value] = word.text.split(/=(.*)/s);
    const next = words[at + 1];
    if (options?.test(name) && value !== undefined) found.push({ ...word, text: value });
    else if (options?.test(name) && next) found.push(next);
    const inside = inWord?.exec(word.text)?.[1];
    if (inside) found.push({ ...word, text: inside });
    if (operands && /\s/.test(word.text)) found.push(word);
  }
  return found;
}

/** A makefile on the input: its recipes are shell text. */
function judgeMakefile({ command, words, scene }: Call): void {
  const { stdin } = command;
  if (stdin?.kind !== "text" || !words.some(({ text }) => text === "-" || text === "-f-" || text === "/dev/stdin")) return;
  for (const [, recipe = ""] of stdin.text.matchAll(/^\t[-@+]*(.+)$/gm)) scene.judgeText(recipe, command.span);
}

export const STARTER_RULES: readonly Judge[] = [
  ...STARTERS.map((starter) => ({ programs: starter.programs, judge: judgeStarter(starter) })),
  { programs: "make gmake", judge: judgeMakefile },
];
