/** Where code of other languages stands in a command: in the value of an option, on the input, in a substituted file. */
import { programOf } from "../../arguments/program-of.ts";
import { readArguments } from "../../arguments/read-arguments.ts";
import { valuedOptions } from "../../arguments/valued-options.ts";
import type { ShellWord, Span } from "../../types.ts";
import type { Input } from "../started.ts";

/** Options whose value is code. */
export const CODE_OPTIONS: Readonly<Record<string, readonly string[]>> = Object.assign(Object.create(null), {
  python: ["-c"],
  node: ["-e", "--eval", "-p", "--print"],
  deno: ["--eval"],
  npm: ["-e", "--eval"],
  perl: ["-e", "-E"],
  ruby: ["-e"],
  php: ["-r", "-B", "-R", "-E"],
  lua: ["-e"],
  osascript: ["-e"],
  rscript: ["-e"],
  julia: ["-e", "-E"],
  elixir: ["-e"],
  groovy: ["-e"],
  r: ["-e"],
  swift: ["-e"],
  scala: ["-e"],
  ghc: ["-e"],
  clojure: ["-e", "--eval"],
  clj: ["-e", "--eval"],
  bb: ["-e"],
  racket: ["-e", "--eval"],
  guile: ["-c"],
  sbcl: ["--eval"],
  emacs: ["--eval", "-eval", "--execute"],
  erl: ["-eval"],
  ocaml: ["-e"],
  kotlin: ["-e"],
  crystal: ["eval"],
  tclsh: [],
  expect: ["-c"],
  raku: ["-e"],
  octave: ["--eval"],
  gnuplot: ["-e"],
  bpftrace: ["-e"],
});

export interface Code {
  readonly text: string;
  readonly at: { readonly span: Span };
  /** The folder that its program goes to first. */
  readonly folder?: ShellWord | undefined;
}

/** The code that a command runs. */
export function codesIn(words: readonly ShellWord[], stdin: Input, span: Span): readonly Code[] {
  const program = programOf(words[0]);
  const names = CODE_OPTIONS[program];
  if (!names) return [];
  const given = readArguments(words.slice(1), valuedOptions(program));
  const inline = given.options
    .filter(({ name, value }) => names.includes(name) && value)
    .map(({ value, word }) => ({ text: value ?? "", at: word }));
  // `node -pe code`: one of the letters takes the code.
  const letters = program === "node" ? words.findIndex(({ text }) => /^-[ep]{2}$/.test(text)) : -1;
  const joined = letters === -1 ? [] : words.slice(letters + 1, letters + 2).map((word) => ({ text: word.text, at: word }));
  const evaluated =
    program === "deno" && given.operands[0]?.text === "eval" ? given.operands.slice(1).map((word) => ({ text: word.text, at: word })) : [];
  // `python3 - file`: what follows is for the code.
  const isProgram = given.operands[0] === undefined || /^(?:-|\/dev\/(?:stdin|fd\/0))$/.test(given.operands[0].text);
  const input = stdin?.kind === "text" && inline.length === 0 && isProgram ? [{ text: stdin.text, at: { span } }] : [];
  return [...inline, ...joined, ...evaluated, ...input, ...codesInOptions(program, words), ...substitutedFiles(words)];
}

/** Modules of Python that run the code they are given. */
const RUNS_CODE = /^(?:timeit|pdb|profile|cProfile|trace|asyncio|code|doctest)$/;

/** `node --import data:text/javascript,…`, `perl '-Mvars;code'`, `python3 -m timeit code`. */
function codesInOptions(program: string, words: readonly ShellWord[]): readonly Code[] {
  const module =
    program === "python" ? words.findIndex(({ text }, at) => RUNS_CODE.test(text) && /^-\w*m$/.test(words[at - 1]?.text ?? "")) : -1;
  return words.slice(1).flatMap((word, index): readonly Code[] => {
    const data = /(?:^|=)data:([^,]*),(.*)$/s.exec(word.text);
    if (data) return [{ text: dataText(data[1] ?? "", data[2] ?? ""), at: word }];
    const loaded = program === "perl" ? /^-[mM](.*[;(].*)$/s.exec(word.text)?.[1] : undefined;
    if (loaded !== undefined) return [{ text: loaded, at: word }];
    return module !== -1 && index + 1 > module && !word.text.startsWith("-") ? [{ text: word.text, at: word }] : [];
  });
}

function dataText(type: string, text: string): string {
  if (/;base64$/i.test(type)) return Buffer.from(text, "base64").toString();
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that means itself.
    return text;
  }
}

/** `python3 <(echo …)`: what stands in the substitution most likely becomes the text of the file. */
export function substitutedFiles(words: readonly ShellWord[]): readonly Code[] {
  return words.slice(1).flatMap((word) =>
    word.parts.flatMap((part) => {
      if (part.kind !== "computed" || !part.source.startsWith("<(")) return [];
      const printed = part.source.slice(2, -1).replace(/^\s*(?:printf|echo)(?:\s+-\w+)*\s+['"]?/, "");
      const text = printed
        .replace(/['"]\s*$/, "")
        .replaceAll("\\n", "\n")
        .replaceAll("\\t", "\t");
      return [{ text, at: word }];
    }),
  );
}
