import { type Arguments, hasAny, valuesOf } from "../../arguments/program-arguments.ts";
import type { ShellWord } from "../../types.ts";
import type { Touch } from "../types.ts";
import { type Claim, each, type Program, RECURSIVE } from "./claim.ts";
import { NAMES_ON_INPUT } from "./reading-programs.ts";

const COPY_FORMS = { valued: "tSgmo", longValued: ["target-directory", "suffix", "group", "mode", "owner", "strip-program"] };
const REMOTE = /^[^/]*[^/]:|^\w+:\/\//;

/** Programs that put sources at a destination: the last operand, or the folder of `-t`. */
function placing(from: Touch, to: Touch, isAlwaysRecursive = false): Program {
  return {
    forms: COPY_FORMS,
    claims(read) {
      const isRecursive = isAlwaysRecursive || hasAny(read, [...RECURSIVE, "a", "archive"]);
      const links = to === "write" && from === "read" && hasAny(read, ["l", "link", "s", "symbolic-link"]);
      return placed(read, { from, to: links ? "create-link" : to, isRecursive });
    },
  };
}

interface Placing {
  readonly from: Touch;
  readonly to: Touch;
  readonly isRecursive: boolean;
}

function placed(read: Arguments, { from, to, isRecursive }: Placing): readonly Claim[] {
  const [folder] = valuesOf(read, ["t", "target-directory"]);
  const sources = folder || read.operands.length < 2 ? read.operands : read.operands.slice(0, -1);
  const destination = folder ?? (read.operands.length < 2 ? undefined : read.operands.at(-1));
  const isFolder = folder !== undefined || destination === undefined;
  return [
    ...each(sources, from, { isRecursive }),
    ...(hasAny(read, ["exchange"]) ? each(read.operands, "rename", { isRecursive }) : []),
    ...sources.map((source): Claim => ({ word: destination, how: to, isRecursive, source, ...(isFolder ? { isFolder } : {}) })),
  ];
}

const ignoresRemote = (words: readonly ShellWord[]): readonly ShellWord[] => words.filter(({ text }) => !REMOTE.test(text));

const RSYNC_VALUED =
  "address backup-dir block-size bwlimit checksum-choice checksum-seed chmod chown compare-dest compress-choice compress-level config contimeout copy-as copy-dest debug early-input exclude exclude-from files-from filter groupmap iconv include include-from info link-dest log-file log-file-format max-alloc max-delete max-size min-size modify-window only-write-batch out-format outbuf partial-dir password-file port protocol read-batch remote-option rsh rsync-path skip-compress sockopts stop-after stop-at suffix temp-dir timeout usermap write-batch".split(
    " ",
  );

const RSYNC: Program = {
  runsInput: NAMES_ON_INPUT,
  readOptions: "e f exclude exclude-from files-from filter include include-from password-file rsh".split(" "),
  forms: { valued: "efBMT@", longValued: RSYNC_VALUED, exactLong: true },
  claims(read) {
    const from = read.given.has("remove-source-files") ? "rename" : "read";
    const [destination] = ignoresRemote(read.operands.slice(-1));
    const sources = ignoresRemote(read.operands.slice(0, -1));
    if (!destination) return each(sources, from, { isRecursive: true });
    const deletes = [...read.given].some((name) => name.startsWith("del"));
    return [
      ...each(sources, from, { isRecursive: true }),
      ...read.operands.slice(0, -1).map((source): Claim => ({ word: destination, how: "write", isRecursive: true, source })),
      ...(deletes ? each([destination], "delete", { isRecursive: true }) : []),
    ];
  },
};

/** `git mv` reads like `mv`. */
export const MOVE: Program = placing("rename", "write", true);

const PLACE_FILES = placing("read", "write");
/** `-d`: its operands are folders to make; to `cp` it says something else. */
const INSTALL: Program = {
  ...PLACE_FILES,
  claims: (read, words) => (hasAny(read, ["d", "directory"]) ? each(read.operands, "create-folder") : PLACE_FILES.claims(read, words)),
};

export const COPYING: Readonly<Record<string, Program>> = {
  mv: MOVE,
  cp: placing("read", "write"),
  gcp: placing("read", "write"),
  install: INSTALL,
  ginstall: INSTALL,
  ln: placing("read", "create-link"),
  link: placing("read", "create-link"),
  rsync: RSYNC,
  scp: { ...RSYNC, forms: { valued: "cDFiJloPSX" } },
};
