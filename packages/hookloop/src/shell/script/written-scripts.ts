import type { ShellCommand, ShellWord } from "../types.ts";
import { programName } from "../wrappers/program-name.ts";
import { SHELLS } from "../wrappers/shells.ts";

/** The first command that runs a file which the same text writes: what it runs was data a moment ago. */
export function runOfWritten(commands: readonly ShellCommand[]): ShellCommand | undefined {
  const written = new Set(commands.flatMap(writtenBy));
  if (written.size === 0) return undefined;
  return commands.find(({ words }) => {
    const file = scriptOf(words);
    return file !== undefined && written.has(plain(file));
  });
}

function writtenBy({ words, redirects }: ShellCommand): readonly string[] {
  const targets = redirects.filter(({ operator }) => /^(?:&?>|<>)/.test(operator)).map(({ target }) => target.text);
  const copies = ["tee", "cp", "mv", "ln", "install"].includes(programName(words)) ? words.slice(1).map(({ text }) => text) : [];
  return [...targets, ...copies].filter((path) => path !== "/dev/null" && !path.startsWith("-")).map(plain);
}

function scriptOf(words: readonly ShellWord[]): string | undefined {
  const name = programName(words);
  if (!SHELLS.has(name) && name !== "source" && name !== ".") return words[0]?.text.includes("/") ? words[0].text : undefined;
  return words.slice(1).find(({ text }) => !/^[-+]/.test(text))?.text;
}

function plain(path: string): string {
  return path.replace(/^(?:\.\/)+/, "");
}
