import type { Call, Report } from "../call/call.ts";
import { onlyChecksSyntax } from "../tripwire.ts";

/** Shells that reading does not follow: their code is judged as far as it looks like that of the others. */
export function judgeForeignShell({ name, words, command, scene }: Call, report: Report): void {
  if (scene.starters.has(command) || onlyChecksSyntax(words)) return;
  const at = words.findIndex(({ text }) => /^(?:-\w*c|\/[ck]|-command|-encodedcommand|-enc|-e)$/i.test(text));
  if (at === -1 && !/^(?:powershell|pwsh)$/.test(name)) return;
  const script = words.slice(Math.max(at, 0) + 1).filter(({ text }) => at !== -1 || !text.startsWith("-"));
  for (const word of script) if (/\s/.test(word.text)) scene.judgeText(word.text, word.span);
  if (script.length > 1) scene.judgeWords(script, command);
  if (at !== -1 && /^(?:powershell|pwsh|cmd)$/.test(name)) report("foreign-shell", "it is code of a shell that is not read", words[at]);
  else if (!SHELL_LIKE_BASH.has(words[0]?.text.toLowerCase() ?? ""))
    report("unreadable", "it is code of a shell that is not read", words[at]);
}

const SHELL_LIKE_BASH = new Set(["sh", "bash", "zsh", "dash", "ksh", "ash"]);
