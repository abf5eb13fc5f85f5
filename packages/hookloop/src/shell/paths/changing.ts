import { type Arguments, hasAny, mayHave, valuesOf } from "../arguments.ts";
import { readSed } from "../programs/sed.ts";
import type { ShellWord } from "../types.ts";
import { cutWord } from "../words.ts";
import { type Claim, each, type Program, plainWord, RECURSIVE } from "./claims.ts";

/** Files are changed in place with one of these options, else only read. The first operand is the program text, unless an option gave it. */
function inPlace(switches: readonly string[], scripts: readonly string[], filesOf = anyWritten): Program {
  return {
    claims(read) {
      // `sed -i '' …` is another sed's way to say that no copy is kept; without `-i` an empty word is the script.
      const texts = scriptTexts(read, scripts);
      const isInPlace = (switches.length > 0 && mayHave(read, switches)) || texts.some(({ text }) => IN_PLACE_CODE.test(text));
      const written = read.operands.filter(({ text }) => text !== "" || !isInPlace);
      const files = hasAny(read, scripts) ? written : written.slice(1);
      return [...each(files, isInPlace ? "write" : "read"), ...texts.flatMap(filesOf)];
    },
  };
}

/** `perl -pe 'BEGIN { $^I = "" } …'`: the code says it. */
const IN_PLACE_CODE = /\$\^I|\$\{\^I\}|\$INPLACE_EDIT|\$-i\b/;

function scriptTexts(read: Arguments, scripts: readonly string[]): readonly ShellWord[] {
  return hasAny(read, scripts) ? valuesOf(read, scripts) : read.operands.slice(0, 1);
}

/** The files of sed's commands `r`, `R`, `w`, `W` and of `s///w`. */
function filesOfSed(script: ShellWord): readonly Claim[] {
  const { reads, writes, isUnread } = readSed(script.text);
  const named = (names: readonly string[]): readonly ShellWord[] =>
    names.filter((name) => name !== "").map((name) => plainWord(name, script));
  return [...each(named(reads), "read"), ...each(named(writes), "write"), ...(isUnread ? anyWritten(script) : [])];
}

/** Of what cannot be read: what stands behind any `w`. A name that is not protected stops nothing. */
function anyWritten(script: ShellWord): readonly Claim[] {
  const names = [...script.text.matchAll(/[wW][ \t]*(?=([^\s;}]+))/g)].map(([, name = ""]) => plainWord(name, script));
  return each(names, "write");
}

const DD: Program = {
  claims: (_, words) =>
    words.flatMap((word): readonly Claim[] => {
      if (word.text.startsWith("of=")) return each([cutWord(word, 3)], "write");
      return word.text.startsWith("if=") ? each([cutWord(word, 3)], "read") : [];
    }),
};

const SPLIT: Program = {
  claims: ({ operands: [source, prefix] }) => [
    ...each(source ? [source] : [], "read"),
    ...each(prefix ? [prefix] : [], "write", { isPrefix: true }),
    // Whatever it makes lies in the folder that is named.
    ...each(prefix?.text.includes("/") ? [prefix] : [], "write"),
  ],
};

/** The first operand is read, the second written. */
function inAndOut([source, target]: readonly ShellWord[]): readonly Claim[] {
  return [...each(source && [source], "read"), ...each(target && [target], "write")];
}

/** Its options are words, also after one dash (`-ps`, `-cols 8`), and none is joined with another. */
const XXD: Program = {
  claims: (_, words) =>
    inAndOut(
      words.slice(1).filter(({ text }, at) => {
        const before = words[at]?.text ?? "";
        const isValue =
          /^-(?:n|name|R)$/.test(before) || (/^-(?:c|g|l|o|s)[a-z]*$/.test(before) && /^[-+]*(?:0x)?[\da-f]+[kb]?$/i.test(text));
        return !isValue && !(text.startsWith("-") && text.length > 1);
      }),
    ),
};

/** `-f -`: the script comes from the input. */
const READS_SCRIPT = /(?:\s-\w*f|\s--file[= ])\s*(?:-|\/dev\/(?:stdin|fd\/0))(?:\s|$)/;

/** An editor can show what it may write. */
const EDITOR: Program = {
  runsInput: /^/,
  claims: (read) => [...each(read.operands, "write"), ...each(read.operands, "read")],
};
/** `-MF file`, `-MFfile`: where a compiler says what it has read. */
function dependencies(word: ShellWord, at: number, words: readonly ShellWord[]): readonly ShellWord[] {
  if (words[at - 1]?.text === "-MF") return [word];
  return /^-MF./.test(word.text) ? [cutWord(word, "-MF".length)] : [];
}

/** Compilers: of their other options most have no value or an attached one. What they include may stand in a text on their input. */
const COMPILES: Program = {
  runsInput: /\s-(?:\s|$)/,
  claims: (read, words) => [
    ...each(read.operands, "read"),
    ...each([...valuesOf(read, ["o", "output"]), ...words.flatMap(dependencies)], "write"),
  ],
};
const PERMISSIONS: Program = {
  // `chmod --reference=other file`: there is no mode before the file.
  claims: (read) => each(read.operands.slice(hasAny(read, ["reference"]) ? 0 : 1), "permissions", { isRecursive: hasAny(read, RECURSIVE) }),
};
/** `chattr -i file`, `chattr +i file`. */
const CHATTR: Program = {
  claims: (read) =>
    each(
      read.operands.filter(({ text }) => !/^[+=][A-Za-z]+$/.test(text)),
      "permissions",
      { isRecursive: hasAny(read, RECURSIVE) },
    ),
};

/** The owner may still enter: `755`, `u+rwx`, `go-w`, `u=rwx,go=rx`. */
const KEEPS_ENTRY =
  /^(?:[0-7]?[1357][0-7]{2}|(?:^|,)(?:[ugoa]*\+[rwxXst]+|[go]+[-=][rwxXst]*|[ugoa]*-[rwst]+|[ugoa]*=[rwst]*[xX][rwxXst]*)(?:,(?:[ugoa]*\+[rwxXst]+|[go]+[-=][rwxXst]*|[ugoa]*-[rwst]+|[ugoa]*=[rwst]*[xX][rwxXst]*))*)$/;
const CHMOD: Program = {
  ...PERMISSIONS,
  claims: (read, words) => {
    // `chmod -x folder`: the mode looks like an option.
    if (words.some(({ text }) => /^-[rwxXst]+$/.test(text))) return each(read.operands, "permissions");
    const isOpen = KEEPS_ENTRY.test(read.operands[0]?.text ?? "");
    return PERMISSIONS.claims(read, words).map((claim) => (isOpen ? { ...claim, keepsEntry: true } : claim));
  },
};

/** `gio trash`, `gio remove`, `gio move`. */
const GIO: Program = {
  claims: ({ operands: [verb, ...rest] }) => (/^(?:trash|remove|move|rename)$/.test(verb?.text ?? "") ? each(rest, "rename") : []),
};

/**
 * What is mounted over a folder hides what is in it and puts something else in its place; what is mounted elsewhere has a second name; and
 * taking a mount away does the same the other way round. So each folder that is named counts as changed, whole.
 */
const MOUNT: Program = {
  claims(read) {
    const named = [...read.operands, ...valuesOf(read, ["source", "target"])];
    const [source, ...targets] = named;
    const filled = targets.map((word): Claim => ({ word, how: "write", isRecursive: true, ...(source && { source, isFolder: false }) }));
    return [...each(named, "permissions", { isRecursive: true }), ...filled];
  },
};
/** `cmake -E rm -r folder`: its little shell. */
const CMAKE: Program = {
  claims: (read) =>
    /^(?:rm|remove\w*|rename)$/.test(valuesOf(read, ["E"])[0]?.text ?? "") ? each(read.operands, "delete", { isRecursive: true }) : [],
};

/** `npx rimraf folder`. Whatever else it starts is not known. */
const PACKAGE_RUNNER: Program = {
  runsInput: /^/,
  claims: ({ operands: [name, ...rest] }) =>
    /^(?:rimraf|del-cli|trash-cli)(?:@|$)/.test(name?.text ?? "") ? each(rest, "delete", { isRecursive: true }) : [],
};

const SED: Program = {
  // `-I` and a `-l` without a number are those of BSD.
  ...inPlace(["i", "I", "in-place"], ["e", "expression", "f", "file"], filesOfSed),
  runsInput: READS_SCRIPT,
};

/** `mktemp -p folder`, `mktemp folder/x.XXXX`. */
const MKTEMP: Program = {
  claims: (read) => {
    const [inFolder] = valuesOf(read, ["p", "tmpdir"]);
    return [...each(inFolder && [inFolder], "write", { isRecursive: true }), ...each(read.operands, "write", { inFolder })];
  },
};

/** With these letters it only shows what is in the file. */
const KEYGEN: Program = {
  claims: (read) => each(valuesOf(read, ["f"]), hasAny(read, ["l", "y", "e", "B", "L"]) ? "read" : "write"),
};

/** gawk changes files in place by loading its `inplace` extension: `-i inplace`. */
const GAWK: Program = {
  runsInput: READS_SCRIPT,
  readOptions: ["F", "v", "assign"],
  claims(read) {
    const code = [...read.operands.slice(0, 1), ...valuesOf(read, ["e", "source"])];
    const isInPlace =
      valuesOf(read, ["i", "include", "W"]).some(({ text }) => /^(?:include=)?(?:.*\/)?inplace(?:\.awk)?$/.test(text)) ||
      code.some(({ text }) => /@include\s*"[^"]*inplace/.test(text));
    const files = hasAny(read, ["f", "file", "e", "source", "E", "exec"]) ? read.operands : read.operands.slice(1);
    const written = [...valuesOf(read, ["d", "o", "p", "dump-variables", "pretty-print", "profile"]), ...variableFiles(read)];
    const isNamedLater = code.some(({ text }) => PRINTS_TO_NAME.test(text));
    return [...each(files, isInPlace || isNamedLater ? "write" : "read"), ...each(written, "write")];
  },
};

/** `print > ARGV[2]`, `print > f`, `print | ("tee " FILENAME)`: where it goes is known only when it runs, and may be one of the files it is given. */
const PRINTS_TO_NAME = /\bprintf?\b[^;}\n]*(?:>>?|\|&?)\s*(?:[A-Za-z_(]|\$(?!\d+\s*[)?&|])|"[^"]*"\s*[A-Za-z_$(])/;

/** `-v file=name`, where the program writes or runs something: it may well be that file. */
function variableFiles(read: Arguments): readonly ShellWord[] {
  const code = [...read.operands.slice(0, 1), ...valuesOf(read, ["e", "source"])];
  if (!code.some(({ text }) => />|\||system/.test(text))) return [];
  return valuesOf(read, ["v", "assign"]).flatMap((word) => {
    const value = word.text.slice(word.text.indexOf("=") + 1);
    return /[./]/.test(value) ? [plainWord(value, word)] : [];
  });
}

/** What programs do to files that takes more to tell than a row of the table can, by the names that rows have for it. */
export const CHANGING: Readonly<Record<string, Program>> = {
  attributes: CHATTR,
  awk: GAWK,
  cmake: CMAKE,
  compiles: COMPILES,
  dd: DD,
  edits: EDITOR,
  gio: GIO,
  keygen: KEYGEN,
  mktemp: MKTEMP,
  modes: CHMOD,
  mounts: MOUNT,
  perl: inPlace(["i"], ["e", "E"]),
  ruby: inPlace(["i"], ["e"]),
  "runs-package": PACKAGE_RUNNER,
  sed: SED,
  split: SPLIT,
  "systemd-tmpfiles": { runsInput: /\s-(?:\s|$)/, claims: () => [] },
  xxd: XXD,
  yq: inPlace(["i", "inplace", "in-place"], []),
};
