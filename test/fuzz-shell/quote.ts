import type { Random } from "./random.ts";

export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

export function doubleQuoted(text: string): string {
  return `"${text.replace(/[\\"$`]/g, "\\$&")}"`;
}

/** The same text, written in one of the ways a shell reads it. Only for letters, digits and `_`. */
export function spelled(text: string, random: Random): string {
  const at = 1 + random.below(Math.max(1, text.length - 1));
  const [start, end] = [text.slice(0, at), text.slice(at)];
  return random.pick([
    () => text,
    () => text,
    () => text,
    () => singleQuoted(text),
    () => `"${text}"`,
    () => `${start}''${end}`,
    () => `${start}""${end}`,
    () => `"${start}"${end}`,
    () => `\\${text}`,
    () => `${start}\\\n${end}`,
    () => `$'${[...text].map((letter) => `\\x${letter.charCodeAt(0).toString(16)}`).join("")}'`,
    () => `$'${start}'${end}`,
  ])();
}
