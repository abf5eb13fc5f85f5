import { expect, test } from "vitest";
import { programOf } from "../paths/claims-of.ts";
import { textWord } from "../words.ts";
import { partsOf } from "./program.ts";
import { PROGRAMS } from "./table.ts";

/** What the parts of a row can say beside options: words, and words with a value. */
const VOCABULARY: Readonly<Record<string, readonly [words: string, values: string]>> = {
  starts: [
    "lenient first-operand permutes assignments adds-words elsewhere writes-operand shell subcommands script plain",
    "operands nothing script-unless after split scripts folder plain writes reads",
  ],
  before: ["single-dash", ""],
  code: ["understood eval", ""],
  hands: ["commas operands", "flags not single"],
  reads: ["only searches whole flat names-on-input", "from to writes options if unless"],
  writes: ["whole flat prefix", "from to options if unless but verb"],
  deletes: ["whole flat here spares-tracked untracked", "from to if unless verb not-verb"],
  renames: ["whole flat", "from to verb if unless"],
  makes: ["", ""],
  permissions: ["", "from if unless"],
  "reads-options": ["", ""],
  tree: ["", "if not-verb"],
  lists: ["matching visible fd find folder deep git printed", ""],
  "looks-into": ["", ""],
  "shows-names": ["only", ""],
  "asks-nothing": ["anything alone plus option", ""],
  is: [
    "shell data names-folders tasks works-there leaves-alone takes-text often-started well-known uses-keys changes-files network uploads downloads decodes runs-words transparent covers-started takes-messages reads-pathspecs shows-files lists-files prints-names",
    "",
  ],
};
const OPTION = /^(?:-|-[^-\s:?#]+[:?#]?|--[\w.-]+:{0,2}|exact|single-dash|bare-first|stops-at-operand)$/;
const rows = Object.entries(PROGRAMS);

test("a program has one row", () => {
  const names = rows.flatMap(([own]) => own.split(","));
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

test.each(rows)("every word of the row of %s is known", (names, row) => {
  const [options = "", ...parts] = row.split(/(?:^| )\| /);
  const like = /^like (.+)$/.exec(options)?.[1];
  if (like !== undefined) expect(rows.some(([own]) => own.split(",").includes(like))).toBe(true);
  else expect(options.split(" ").filter((word) => word !== "" && !OPTION.test(word))).toEqual([]);
  for (const part of parts) {
    const [name = "", ...words] = part.split(" ");
    if (name === "files") continue;
    const [flags, values] = VOCABULARY[name] ?? [];
    expect(flags, `${name} of ${names}`).toBeDefined();
    const isKnown = (word: string): boolean =>
      word.startsWith("-")
        ? OPTION.test(word)
        : (word.includes("=") ? values : flags)?.split(" ").includes(word.replace(/=.*$/s, "")) === true;
    expect(words.filter((word) => !isKnown(word))).toEqual([]);
  }
});

test.each(rows.filter(([, row]) => row.includes("| files ")))("what %s does to files has a meaning", (names) => {
  for (const name of names.split(",")) {
    expect(partsOf(name, "files")[0]?.flags.size).toBe(1);
    const words = name.split(" ").map((word) => textWord(word, { start: 0, end: 0 }));
    expect(programOf(words), name).toBeDefined();
  }
});
