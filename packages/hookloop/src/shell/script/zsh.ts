import type { Word } from "unbash";

/** What zsh reads in another way than bash: `=command`, `=(command)`, glob qualifiers such as `*(e:'command':)`, flags such as `${(e)x}`. */
const ZSH_WORD = /^=[\w(/]|[*?\]]\(|\$\{\(|\$\{[^}]*\([a-zA-Z@%#]+\)/;

/** Whether zsh gives a word a meaning of its own. */
export function isZshWord({ text }: Word): boolean {
  return ZSH_WORD.test(text);
}
