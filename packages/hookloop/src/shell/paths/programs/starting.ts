import { type OptionForms, readArguments, valuesOf } from "../../arguments/program-arguments.ts";
import type { ShellWord } from "../../types.ts";
import type { Wrapper } from "../../wrappers/wrapper.ts";
import { wrapperOf } from "../../wrappers/wrapper-of.ts";
import { type Claim, each } from "./claim.ts";

/** The files that a program which starts another writes and reads by its own options: `time -o file`, `strace -fofile`, `xargs -a file`. */
export function claimsOfStarter(name: string, words: readonly ShellWord[]): readonly Claim[] {
  const wrapper = wrapperOf(name);
  if (!wrapper || !(wrapper.writes || wrapper.reads || wrapper.writesOperand)) return [];
  const { writes = [], reads = [], writesOperand } = wrapper;
  const read = readArguments(words, formsOf(wrapper));
  return [
    ...each(valuesOf(read, writes), "write"),
    ...each(valuesOf(read, reads), "read"),
    ...(writesOperand ? each(read.operands.slice(0, 1), "write") : []),
  ];
}

function formsOf({ valued, attached, longValued = [], writes = [], reads = [], permutes }: Wrapper): OptionForms {
  const long = [...writes, ...reads].filter(({ length }) => length > 1);
  const letters = [...writes, ...reads].filter((name) => name.length === 1 && !attached?.includes(name));
  return {
    valued: `${valued ?? ""}${letters.join("")}`,
    ...(attached === undefined ? {} : { attached }),
    longValued: [...new Set([...longValued, ...long])],
    ...(permutes ? {} : { stopsAtOperand: true }),
  };
}
