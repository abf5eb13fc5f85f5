import type { ShellWord } from "../types.ts";

/** The last part of a command's name: `/usr/bin/env` is `env`, `C:\\Git\\git.exe` is `git`. */
export function programName(words: readonly ShellWord[]): string {
  const word = words[0];
  const name = word?.text ?? "";
  const [part] = word?.parts ?? [];
  // The user's shell, whichever it is.
  if (word?.parts.length === 1 && part?.kind === "variable" && /^\$\{?(?:SHELL|BASH)\}?$/.test(part.source)) return "sh";
  return name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1).replace(/\.exe$/i, "");
}
