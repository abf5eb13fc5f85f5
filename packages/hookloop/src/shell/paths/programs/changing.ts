import { type ShellWord, UNKNOWN } from "../../types.ts";
import { cutWord } from "../../words/cut-word.ts";
import type { Touch } from "../types.ts";
import { type Claim, each, hasAny, type Program, RECURSIVE, valuesOf } from "./claim.ts";
import type { Arguments, OptionForms } from "./read-arguments.ts";

/** Every operand but the first `skip` is touched in one way. */
function operands(how: Touch, forms: OptionForms = {}, skip = 0): Program {
  return { forms, claims: (read) => each(read.operands.slice(skip), how, { isRecursive: hasAny(read, RECURSIVE) }) };
}

/** Only the values of these options are written; operands are read. */
function output(names: readonly string[], forms: OptionForms): Program {
  return { forms, claims: (read) => [...each(read.operands, "read"), ...each(valuesOf(read, names), "write")] };
}

/** Files are changed in place with one of these options, else only read. The first operand is the program text, unless an option gave it. */
function inPlace(switches: readonly string[], scripts: readonly string[], forms: OptionForms): Program {
  return {
    forms,
    claims(read) {
      // `sed -i '' …` is another sed's way to say that no copy is kept; without `-i` an empty word is the script.
      const written = read.operands.filter(({ text }) => text !== "" || !hasAny(read, switches));
      const files = hasAny(read, scripts) ? written : written.slice(1);
      return [...each(files, hasAny(read, switches) ? "write" : "read"), ...each(scriptTexts(read, scripts).flatMap(sedWrites), "write")];
    },
  };
}

function scriptTexts(read: Arguments, scripts: readonly string[]): readonly ShellWord[] {
  return hasAny(read, scripts) ? valuesOf(read, scripts) : read.operands.slice(0, 1);
}

/** The file of sed's `w` command and of `s///w`. */
function sedWrites(script: ShellWord): readonly ShellWord[] {
  // Any `w`: a name that is not protected stops nothing, and sed needs neither a blank before the name nor one kind of delimiter.
  return [...script.text.matchAll(/[wW][ \t]*(?=([^\s;}]+))/g)].map(([, name = ""]) => plainWord(name, script));
}

/** A word that stands for text found inside another one. */
export function plainWord(text: string, { span }: ShellWord): ShellWord {
  const parts = text.includes(UNKNOWN) ? [{ kind: "computed", source: text } as const] : [{ kind: "text", text, isQuoted: false } as const];
  return { text, source: text, span, parts };
}

const DD: Program = {
  forms: {},
  claims: (_, words) =>
    words.flatMap((word): readonly Claim[] => {
      if (word.text.startsWith("of=")) return each([cutWord(word, 3)], "write");
      return word.text.startsWith("if=") ? each([cutWord(word, 3)], "read") : [];
    }),
};

const SPLIT: Program = {
  forms: { valued: "abClnt", longValued: ["lines", "bytes", "number", "suffix-length", "additional-suffix", "filter"] },
  claims: ({ operands: [source, prefix] }) => [
    ...each(source ? [source] : [], "read"),
    ...each(prefix ? [prefix] : [], "write", { isPrefix: true }),
  ],
};

/** The first operand is read, the second written. */
const IN_AND_OUT: Program = {
  forms: { valued: "clnosfwgR" },
  claims: ({ operands: [source, target] }) => [...each(source && [source], "read"), ...each(target && [target], "write")],
};

const SHRED: Program = {
  forms: { valued: "ns", longValued: ["iterations", "size", "random-source"] },
  claims: (read) => each(read.operands, hasAny(read, ["u", "remove"]) ? "delete" : "write"),
};

/** `-f -`: the script comes from the input. */
const READS_SCRIPT = /(?:\s-\w*f|\s--file[= ])\s*(?:-|\/dev\/(?:stdin|fd\/0))(?:\s|$)/;

/** An editor can show what it may write. */
const EDITOR: Program = {
  forms: { valued: "cSTui", longValued: ["cmd", "eval"] },
  runsInput: /^/,
  claims: (read) => [...each(read.operands, "write"), ...each(read.operands, "read")],
};
const OUTPUT = output(["o", "output", "MF"], { valued: "okStTjILlDWfm", longValued: ["output", "key", "buffer-size"] });
const RENAMES = operands("rename", { valued: "S", longValued: ["suffix"] });
const PERMISSIONS = operands("permissions", { longValued: ["reference", "from"] }, 1);

/** The owner may still enter: `755`, `u+rwx`. */
const KEEPS_ENTRY = /^(?:[0-7]?[1357][0-7]{2}|[ugoa]*\+[rwxXst]+)$/;
const CHMOD: Program = {
  ...PERMISSIONS,
  claims: (read, words) => {
    // `chmod -x folder`: the mode looks like an option.
    if (words.some(({ text }) => /^-[rwxXst]+$/.test(text))) return each(read.operands, "permissions");
    const isOpen = KEEPS_ENTRY.test(read.operands[0]?.text ?? "");
    return PERMISSIONS.claims(read, words).map((claim) => (isOpen ? { ...claim, keepsEntry: true } : claim));
  },
};

/** Whatever it is given goes, folders too. */
const TAKES_AWAY: Program = { forms: {}, claims: (read) => each(read.operands, "delete", { isRecursive: true }) };

/** `gio trash`, `gio remove`, `gio move`. */
const GIO: Program = {
  forms: {},
  claims: ({ operands: [verb, ...rest] }) => (/^(?:trash|remove|move|rename)$/.test(verb?.text ?? "") ? each(rest, "rename") : []),
};

/**
 * What is mounted over a folder hides what is in it and puts something else in its place; what is mounted elsewhere has a second name; and
 * taking a mount away does the same the other way round. So each folder that is named counts as changed, whole.
 */
const MOUNT: Program = {
  forms: { valued: "toOLUN", longValued: ["types", "options", "source", "target", "test-opts", "label", "uuid", "namespace"] },
  claims(read) {
    const named = [...read.operands, ...valuesOf(read, ["source", "target"])];
    const [source, ...targets] = named;
    const filled = targets.map((word): Claim => ({ word, how: "write", isRecursive: true, ...(source && { source, isFolder: false }) }));
    return [...each(named, "permissions", { isRecursive: true }), ...filled];
  },
};
const MOUNTING =
  "mount umount bindfs sshfs fusermount fusermount3 fuse-overlayfs unionfs unionfs-fuse mergerfs encfs gocryptfs archivemount squashfuse pivot_root systemd-mount systemd-umount mount_nullfs mount_tmpfs mount_bindfs mount.fuse mount.fuse3 mount.nfs mount.cifs mount.bindfs rclone".split(
    " ",
  );

/** `cmake -E rm -r folder`: its little shell. */
const CMAKE: Program = {
  forms: { valued: "E" },
  claims: (read) =>
    /^(?:rm|remove\w*|rename)$/.test(valuesOf(read, ["E"])[0]?.text ?? "") ? each(read.operands, "delete", { isRecursive: true }) : [],
};

/** `npx rimraf folder`. Whatever else it starts is not known. */
const PACKAGE_RUNNER: Program = {
  forms: { valued: "p", longValued: ["package"] },
  runsInput: /^/,
  claims: ({ operands: [name, ...rest] }) =>
    /^(?:rimraf|del-cli|trash-cli)(?:@|$)/.test(name?.text ?? "") ? each(rest, "delete", { isRecursive: true }) : [],
};

/** Programs that create, change or delete what their operands name. */
export const CHANGING: Readonly<Record<string, Program>> = {
  rm: operands("delete"),
  unlink: operands("delete"),
  rmdir: operands("delete"),
  ...Object.fromEntries(
    "trash trash-put gvfs-trash rip srm wipe rimraf del-cli trash-cli bleachbit".split(" ").map((name) => [name, TAKES_AWAY]),
  ),
  gio: GIO,
  cmake: CMAKE,
  npx: PACKAGE_RUNNER,
  bunx: PACKAGE_RUNNER,
  pnpx: PACKAGE_RUNNER,
  "systemd-tmpfiles": { forms: {}, runsInput: /\s-(?:\s|$)/, claims: () => [] },
  shred: SHRED,
  touch: operands("write", { valued: "drt", longValued: ["date", "reference"] }),
  tee: operands("write"),
  sponge: operands("write"),
  truncate: operands("write", { valued: "sr", longValued: ["size", "reference"] }),
  mkfifo: operands("write", { valued: "m", longValued: ["mode"] }),
  mkdir: operands("create-folder", { valued: "m", longValued: ["mode"] }),
  dos2unix: operands("write"),
  unix2dos: operands("write"),
  gzip: RENAMES,
  gunzip: RENAMES,
  bzip2: RENAMES,
  bunzip2: RENAMES,
  xz: RENAMES,
  unxz: RENAMES,
  zstd: RENAMES,
  rename: operands("rename", { valued: "en" }, 1),
  chmod: CHMOD,
  chown: PERMISSIONS,
  chgrp: PERMISSIONS,
  chattr: PERMISSIONS,
  setfacl: operands("permissions", { valued: "mxMX", longValued: ["modify", "remove", "set", "restore"] }),
  sed: {
    ...inPlace(["i", "in-place"], ["e", "expression", "f", "file"], {
      valued: "efl",
      attached: "iE",
      longValued: ["expression", "file", "line-length"],
    }),
    runsInput: READS_SCRIPT,
  },
  perl: inPlace(["i"], ["e", "E"], { valued: "eE", attached: "iIMmF0lxCD" }),
  ruby: inPlace(["i"], ["e"], { valued: "e", attached: "iIr0FxCE" }),
  awk: inPlace([], ["f"], { valued: "Fvf" }),
  yq: inPlace(["i", "inplace"], [], {}),
  dd: DD,
  xxd: IN_AND_OUT,
  uniq: IN_AND_OUT,
  split: SPLIT,
  csplit: { forms: { valued: "fbn" }, claims: (read) => each(valuesOf(read, ["f"]), "write", { isPrefix: true }) },
  ed: EDITOR,
  ex: EDITOR,
  vi: EDITOR,
  vim: EDITOR,
  nvim: EDITOR,
  view: EDITOR,
  nano: EDITOR,
  emacs: EDITOR,
  sort: OUTPUT,
  iconv: OUTPUT,
  gcc: OUTPUT,
  "g++": OUTPUT,
  cc: OUTPUT,
  "c++": OUTPUT,
  clang: OUTPUT,
  "clang++": OUTPUT,
  esbuild: output(["outfile"], { longValued: ["outfile"] }),
  script: operands("write", { valued: "cEIOT" }),
  ...Object.fromEntries(MOUNTING.map((name) => [name, MOUNT])),
};

/** gawk changes files in place by loading its `inplace` extension: `-i inplace`. */
export const GAWK: Program = {
  runsInput: READS_SCRIPT,
  readOptions: ["F", "v", "assign"],
  forms: { valued: "Fvfie", longValued: ["include", "file", "assign", "source"] },
  claims(read) {
    const isInPlace = valuesOf(read, ["i", "include"]).some(({ text }) => /^(.*\/)?inplace(\.awk)?$/.test(text));
    const files = hasAny(read, ["f", "file", "e", "source"]) ? read.operands : read.operands.slice(1);
    return [...each(files, isInPlace ? "write" : "read"), ...each(variableFiles(read), "write")];
  },
};

/** `-v file=name`, where the program writes or runs something: it may well be that file. */
function variableFiles(read: Arguments): readonly ShellWord[] {
  const code = [...read.operands.slice(0, 1), ...valuesOf(read, ["e", "source"])];
  if (!code.some(({ text }) => />|\||system/.test(text))) return [];
  return valuesOf(read, ["v", "assign"]).flatMap((word) => {
    const value = word.text.slice(word.text.indexOf("=") + 1);
    return /[./]/.test(value) ? [plainWord(value, word)] : [];
  });
}
