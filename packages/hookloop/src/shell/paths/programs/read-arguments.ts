import type { ShellWord } from "../../types.ts";
import { cutWord } from "../../words/cut-word.ts";

/** Which options of a program take a value. */
export interface OptionForms {
  /** Letters of options with a value, attached or in the next word. */
  readonly valued?: string;
  readonly longValued?: readonly string[];
  /** Letters of options whose value, if any, is attached: `-i.bak`. */
  readonly attached?: string;
}

export interface Arguments {
  readonly operands: readonly ShellWord[];
  /** Values by letter or long name. */
  readonly values: ReadonlyMap<string, readonly ShellWord[]>;
  /** Letters and long names that were given. */
  readonly given: ReadonlySet<string>;
}

/** Splits the words after a program's name into options, their values, and operands. */
export function readArguments(words: readonly ShellWord[], forms: OptionForms): Arguments {
  const operands: ShellWord[] = [];
  const values = new Map<string, ShellWord[]>();
  const given = new Set<string>();
  const keep = (name: string, value: ShellWord | undefined): void => {
    given.add(name);
    if (value) values.set(name, [...(values.get(name) ?? []), value]);
  };
  for (let at = 1; at < words.length; at++) {
    const word = words[at] as ShellWord;
    if (word.text === "--") {
      operands.push(...words.slice(at + 1));
      break;
    }
    const option = optionName(word.text, forms);
    if (!option) operands.push(word);
    else {
      for (const letter of option.before) keep(letter, undefined);
      keep(option.name, option.value === "next" ? words[++at] : option.value === "none" ? undefined : cutWord(word, option.value));
    }
  }
  return { operands, values, given };
}

interface OptionName {
  readonly name: string;
  /** Letters in the same word before it. */
  readonly before: string;
  /** Where the value stands: the length of what is before it in the same word, the next word, or nowhere. */
  readonly value: number | "next" | "none";
}

function optionName(text: string, forms: OptionForms): OptionName | undefined {
  if (text.startsWith("--")) return longOption(text, forms);
  if (!text.startsWith("-") || text === "-") return undefined;
  const letters = text.slice(1);
  for (let index = 0; index < letters.length; index++) {
    const name = letters.charAt(index);
    const before = letters.slice(0, index);
    if (forms.attached?.includes(name)) return { name, before, value: "none" };
    if (forms.valued?.includes(name)) return { name, before, value: index === letters.length - 1 ? "next" : index + 2 };
  }
  return { name: letters.slice(-1), before: letters.slice(0, -1), value: "none" };
}

function longOption(text: string, { longValued }: OptionForms): OptionName {
  const equals = text.indexOf("=");
  if (equals !== -1) return { name: text.slice(2, equals), before: "", value: equals + 1 };
  const name = text.slice(2);
  return { name, before: "", value: longValued?.includes(name) ? "next" : "none" };
}
