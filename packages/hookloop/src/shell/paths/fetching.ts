import { basename } from "node:path";
import { type Arguments, hasAny, valuesOf } from "../arguments.ts";
import { type ShellWord, UNKNOWN } from "../types.ts";
import { cutWord } from "../words.ts";
import { type Claim, each, INPUT, type Program, plainWord } from "./claims.ts";
import { NAMES_ON_INPUT } from "./reading.ts";

/** Options may be abbreviated. */
const TRANSFORMS: readonly string[] = ["transform", "transfor", "transfo", "transf", "trans", "tran", "xform", "xfor", "xfo", "xf"];

/** What a download is called on disk by default: the last part of its address. */
function remoteNames(read: Arguments): readonly ShellWord[] {
  return read.operands.map((word) => {
    const path = word.text.replace(/^\w+:\/\/[^/]*/, "").replace(/[?#].*$/s, "");
    return plainWord(path.includes(UNKNOWN) ? UNKNOWN : basename(path) || "index.html", word);
  });
}

/** The file of `file://localhost/…`; letters may be written as numbers. */
function localFile(word: ShellWord): readonly ShellWord[] {
  const start = /^file:(?:\/\/(?:localhost|127\.0\.0\.1)?(?=[/\uFFFF]))?/i.exec(word.text)?.[0].length;
  if (start === undefined) return [];
  const path = cutWord(word, start);
  return /%[\da-f]{2}/i.test(path.text) ? [path, plainWord(decoded(path.text), word)] : [path];
}

function decoded(text: string): string {
  return text.replace(/%([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

const CURL: Program = {
  runsInput: /\s(?:-\w*K|--config[= ])\s*(?:-|\/dev\/stdin)(?:\s|$)/,
  readOptions:
    "A b cacert capath cert cookie d data data-ascii data-binary data-raw data-urlencode e E F form form-string H header K config key netrc-file proxy-header T u upload-file url user user-agent X request".split(
      " ",
    ),
  claims(read) {
    const [inFolder] = valuesOf(read, ["output-dir"]);
    const named = hasAny(read, ["O", "remote-name", "remote-name-all"]) ? remoteNames(read) : [];
    return [
      ...each([...valuesOf(read, ["o", "output", "c", "cookie-jar", "D", "dump-header"]), ...named], "write", { inFolder }),
      ...each([...read.operands, ...valuesOf(read, ["url"])].flatMap(localFile), "read"),
    ];
  },
};

const WGET: Program = {
  readOptions:
    "A R U body-data body-file certificate ca-certificate header i input-file load-cookies post-data post-file private-key user-agent".split(
      " ",
    ),
  claims(read) {
    const [inFolder] = valuesOf(read, ["P", "directory-prefix"]);
    const documents = valuesOf(read, ["O", "output-document"]);
    return [
      ...each(documents.length > 0 ? documents : remoteNames(read), "write", documents.length > 0 ? {} : { inFolder }),
      ...each(valuesOf(read, ["o", "output-file", "a", "append-output"]), "write"),
    ];
  },
};

const TAR: Program = {
  runsInput: NAMES_ON_INPUT,
  readOptions: "C T X directory exclude exclude-from files-from strip-components".split(" "),
  claims: tarClaims,
};

function tarClaims(read: Arguments): readonly Claim[] {
  const inFolder = valuesOf(read, ["C", "directory"]).at(-1);
  const tops = each(valuesOf(read, ["one-top-level"]), "write", { inFolder, isRecursive: true });
  const lists = each(valuesOf(read, ["g", "listed-incremental", "index-file", "volno-file"]), "write");
  const expressions = valuesOf(read, [...TRANSFORMS, "s"]);
  const claims = packed(read);
  const isUnpacked = claims.some(({ how, isRecursive }) => how === "write" && isRecursive === true);
  const names = expressions.flatMap((word) => transformed(word, isUnpacked));
  return [
    ...claims,
    ...tops,
    ...lists,
    ...each([...names, ...joined(names)], "write", { inFolder, isRecursive: isUnpacked, hasAnyNames: true }),
  ];
}

function packed(read: Arguments): readonly Claim[] {
  const has = (letter: string, long: string): boolean => hasAny(read, [letter, long]);
  const archives = valuesOf(read, ["f", "file"]);
  const members = read.operands;
  const inFolder = valuesOf(read, ["C", "directory"]).at(-1);
  if (has("c", "create") || has("r", "append") || has("u", "update"))
    return [
      ...each(archives, "write"),
      ...each(members, has("remove-files", "remove-files") ? "delete" : "read", { inFolder, isRecursive: true }),
    ];
  if (!hasAny(read, ["x", "extract", "get"])) return each(archives, "read");
  return [...each(archives, "read"), ...unpacked(members, inFolder)];
}

/**
 * SECURITY: `s,evil,.git/hooks/pre-commit,` gives what is packed or unpacked the name that stands in it. One that is made of the name it
 * replaces can be any.
 */
function transformed(word: ShellWord, isUnpacked: boolean): readonly ShellWord[] {
  const isOpen = /\\[\dLUElu]|&/.test(word.text) || word.text.includes(UNKNOWN);
  const delimiter = /^s?(.)/.exec(word.text)?.[1] ?? "/";
  const pieces = word.text.replace(/\\(?!\d)/g, "").split(delimiter);
  const names = [...pieces, ...word.text.split(/[,;|#]/)].filter((piece) => /[./]/.test(piece) || piece.length > 1);
  return [...new Set(names), ...(isUnpacked && isOpen ? [UNKNOWN] : [])].map((name) => plainWord(name, word));
}

const MAX_JOINED = 12;

/** `s,^,.cla,;s,$,ude/settings.json,`: each puts one more piece of the name in its place. */
function joined(names: readonly ShellWord[]): readonly ShellWord[] {
  const pieces = names.filter(({ text }) => !text.includes(UNKNOWN)).slice(0, MAX_JOINED);
  return pieces.flatMap((first) => pieces.flatMap((last) => (first === last ? [] : [plainWord(`${first.text}${last.text}`, first)])));
}

function unpacked(members: readonly ShellWord[], inFolder: ShellWord | undefined): readonly Claim[] {
  if (members.length > 0) return each(members, "write", { inFolder, isRecursive: true });
  return [{ word: inFolder, how: "write", isRecursive: true }];
}

const UNZIP: Program = {
  claims(read) {
    const [archive, ...members] = read.operands;
    const [inFolder] = valuesOf(read, ["d"]);
    const isListing = hasAny(read, ["l", "v", "t", "p", "Z", "z"]);
    return [...each(archive ? [archive] : [], "read"), ...(isListing ? [] : unpacked(members, inFolder))];
  },
};

const PATCH: Program = {
  claims(read) {
    const [inFolder] = valuesOf(read, ["d", "directory"]);
    const [file, operandPatch] = read.operands;
    const source = [...valuesOf(read, ["i", "input"]), ...(operandPatch ? [operandPatch] : [])].find(({ text }) => !INPUT.test(text));
    const written = [...(file ? [file] : []), ...valuesOf(read, ["o", "output"])];
    if (written.length > 0) return each(written, "write", { inFolder });
    return [{ word: inFolder, how: "write", isRecursive: true, ...(source ? { source, isFolder: false } : {}) }];
  },
};

/** Programs that bring files from elsewhere: downloads, archives, patches. The `-s` of one tar is the `--transform` of the other. */
export const FETCHING: Readonly<Record<string, Program>> = {
  curl: CURL,
  wget: WGET,
  tar: TAR,
  unzip: UNZIP,
  zip: {
    runsInput: NAMES_ON_INPUT,
    readOptions: ["x", "i"],
    claims: (read) => {
      const [archive, ...rest] = read.operands;
      return [
        ...each([...(archive ? [archive] : []), ...valuesOf(read, ["O"])], "write"),
        ...each(rest, hasAny(read, ["m", "move"]) ? "rename" : "read"),
      ];
    },
  },
  patch: PATCH,
  // `-sdel`: what was packed is deleted.
  "7z": { claims: ({ operands }, words) => (words.some(({ text }) => text === "-sdel") ? each(operands.slice(2), "rename") : []) },
  cpio: {
    runsInput: /^/,
    claims: (read) => {
      const [inFolder] = valuesOf(read, ["D", "directory"]);
      const made = hasAny(read, ["o", "create"]) ? each(valuesOf(read, ["O", "F", "file"]), "write") : [];
      if (hasAny(read, ["p", "pass-through"])) return unpacked(read.operands, inFolder);
      return hasAny(read, ["i", "extract"]) ? unpacked([], inFolder) : made;
    },
  },
};
