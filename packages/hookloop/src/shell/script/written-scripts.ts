import type { ShellCommand, ShellWord, Span } from "../types.ts";
import { programName } from "../wrappers/program-name.ts";
import { SHELLS } from "../wrappers/shells.ts";
import type { Findings } from "./findings.ts";

/** Where a file is run which the same text writes: what it runs was data a moment ago. */
export function runOfWritten({ commands, startFiles, evaluated }: Findings): { readonly span: Span } | undefined {
  const written = new Set(commands.flatMap(writtenBy));
  if (written.size === 0) return undefined;
  // `PATH=.; write-and-run`
  const names = evaluated.hasAssigned("PATH") ? new Set([...written].map((path) => path.slice(path.lastIndexOf("/") + 1))) : undefined;
  return (
    startFiles.find(({ text }) => written.has(plain(text))) ??
    commands.find(({ words }) => {
      const file = scriptOf(words);
      return file === undefined ? names?.has(words[0]?.text ?? "") : written.has(plain(file));
    })
  );
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
