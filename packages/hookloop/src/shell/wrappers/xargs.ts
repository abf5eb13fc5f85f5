import { type ShellWord, UNKNOWN } from "../types.ts";
import { textWord } from "../words/read-word.ts";
import type { Options } from "./read-options.ts";
import { type Input, type Started, scriptText } from "./started.ts";

/** More runs than this are not written out. */
const MAX_RUNS = 16;

/** The commands that xargs makes of input that is known: `echo / | xargs rm`. Nothing where its options or its quoting matter. */
export function xargsRuns({ rest, letters, values, unknown }: Options, stdin: Input): readonly (readonly ShellWord[])[] | undefined {
  const isPlain = unknown === undefined && /^[rtInP]*$/.test(letters) && [...values.keys()].every((option) => /^[InP]$/.test(option));
  if (stdin?.kind !== "text" || !isPlain || stdin.text.includes(UNKNOWN) || /["'\\\0]/.test(stdin.text)) return undefined;
  const { text, span } = stdin;
  const mark = values.get("I")?.text;
  const size = Number(values.get("n")?.text ?? Number.POSITIVE_INFINITY);
  if (mark === "" || !(size >= 1)) return undefined;
  const given = text.split(mark === undefined ? /[ \t\n]+/ : "\n").filter((part) => part.trim() !== "");
  if (given.length === 0 || (mark !== undefined || Number.isFinite(size) ? given.length / (mark === undefined ? size : 1) : 1) > MAX_RUNS)
    return undefined;
  if (mark !== undefined) return given.map((part) => rest.map((word) => replaced(word, mark, part.trimStart())));
  const runs: ShellWord[][] = [];
  for (let at = 0; at < given.length; at += size) runs.push([...rest, ...given.slice(at, at + size).map((part) => textWord(part, span))]);
  return runs;
}

function replaced(word: ShellWord, mark: string, text: string): ShellWord {
  if (!word.text.includes(mark)) return word;
  return textWord(word.text.replaceAll(mark, text), word.span, word.source);
}

/** The commands of `parallel rm ::: a b`: the words after `:::` are known. Nothing where other lists or marks than `{}` matter. */
export function parallelRuns(
  { text: template, start }: { readonly text: string; readonly start: number },
  [separator, ...given]: readonly ShellWord[],
  inside: Parameters<typeof scriptText>[2],
): readonly Started[] | undefined {
  const isPlain = separator?.text === ":::" && given.length > 0 && given.length <= MAX_RUNS && !/\{[^{}\s]+\}/.test(template);
  if (!isPlain || template.includes(UNKNOWN) || given.some(({ text }) => text.includes(UNKNOWN) || /^:::/.test(text))) return undefined;
  return given.flatMap(({ text, span }) => {
    const quoted = `'${text.replaceAll("'", "'\\''")}'`;
    return scriptText(
      template.includes("{}") ? template.replaceAll("{}", () => quoted) : `${template} ${quoted}`,
      { start, end: span.end },
      inside,
    );
  });
}
