import type { ShellWord, WordPart } from "../types.ts";

/** The word without its first `length` known characters: the `file` of `-ofile`, `--output=file`, `of=file`. */
export function cutWord(word: ShellWord, length: number): ShellWord {
  const parts: WordPart[] = [];
  let left = length;
  for (const part of word.parts) {
    if (left === 0 || part.kind !== "text") parts.push(part);
    else {
      const text = part.text.slice(left);
      left = Math.max(0, left - part.text.length);
      if (text !== "") parts.push({ ...part, text });
    }
  }
  return { ...word, text: word.text.slice(length), parts };
}
