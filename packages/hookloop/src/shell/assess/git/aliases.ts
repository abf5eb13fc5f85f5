import type { ShellWord } from "../../types.ts";
import type { Call } from "../call/call.ts";

const MAX_ALIASES = 3;

/** Options of git itself that take the next word. */
export const GIT_VALUED: ReadonlySet<string> = new Set(
  "-C -c --git-dir --work-tree --namespace --super-prefix --config-env --exec-path --attr-source".split(" "),
);

export function splitGlobals(words: readonly ShellWord[]): { readonly globals: readonly ShellWord[]; readonly rest: readonly ShellWord[] } {
  let at = 1;
  for (; at < words.length; at++) {
    const text = words[at]?.text ?? "";
    if (text === "--") return { globals: words.slice(1, at), rest: words.slice(at + 1) };
    if (!text.startsWith("-")) break;
    if (GIT_VALUED.has(text)) at++;
  }
  return { globals: words.slice(1, at), rest: words.slice(at) };
}

/** `git -c alias.x=push x`: what the alias stands for. */
export function withoutAlias(rest: readonly ShellWord[], config: ReadonlyMap<string, string>, call: Call): readonly ShellWord[] {
  let words = rest;
  for (let turn = 0; turn < MAX_ALIASES; turn++) {
    const name = words[0];
    const alias = name && config.get(`alias.${name.text.toLowerCase()}`);
    if (!alias || !name) return words;
    if (alias.startsWith("!")) {
      call.scene.judgeText(alias.slice(1), name.span);
      return [];
    }
    const replaced = alias
      .split(/\s+/)
      .filter(Boolean)
      .map((text) => ({ ...name, text, source: text, parts: [{ kind: "text" as const, text, isQuoted: false }] }));
    words = splitGlobals([name, ...replaced, ...words.slice(1)]).rest;
  }
  return words;
}
