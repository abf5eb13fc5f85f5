import { basename } from "node:path";
import { type Arguments, hasAny, valuesOf } from "../arguments.ts";
import { type ShellWord, UNKNOWN } from "../types.ts";
import { cutWord } from "../words.ts";
import { plainWord } from "./changing.ts";
import { type Claim, each, type Program } from "./claims.ts";
import { NAMES_ON_INPUT } from "./reading.ts";

const CURL_VALUED = "oTdFHuAbceEmrtwxXyYzKCDPQU";
const TAR_VALUED = "fCbFgHIKLNTVX";
const TAR_LONG_VALUED =
  "file directory exclude files-from strip-components exclude-from add-file blocking-factor checkpoint-action exclude-ignore exclude-ignore-recursive exclude-tag exclude-tag-all exclude-tag-under format group group-map hole-detection index-file info-script label level listed-incremental mode mtime new-volume-script newer newer-mtime after-date owner owner-map pax-option quote-chars quoting-style record-size rmt-command rsh-command sort sparse-version starting-file suffix tape-length to-command use-compress-program volno-file warning xattrs-exclude xattrs-include no-quote-chars".split(
    " ",
  );
/** Options may be abbreviated. */
const TRANSFORMS: readonly string[] = ["transform", "transfor", "transfo", "transf", "trans", "tran", "xform", "xfor", "xfo", "xf"];

/** What a download is called on disk if nobody says so: the last part of its address. */
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
  forms: {
    valued: CURL_VALUED,
    longValued: ["output", "output-dir", "upload-file", "url", "data", "header", "user", "request", "config", "cookie-jar", "dump-header"],
  },
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
  forms: {
    valued: "OPoaeitTwQUlARBDIX",
    longValued: ["output-document", "directory-prefix", "output-file", "append-output", "header", "user-agent"],
  },
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
  forms: {
    valued: TAR_VALUED,
    longValued: [...TAR_LONG_VALUED, ...TRANSFORMS],
    bareFirst: true,
  },
  claims: tarClaims,
};

/** Its `-s` is the `--transform` of the other one. */
const BSDTAR: Program = { ...TAR, forms: { ...TAR.forms, valued: `${TAR_VALUED}s` } };

function tarClaims(read: Arguments): readonly Claim[] {
  const inFolder = valuesOf(read, ["C", "directory"]).at(-1);
  const tops = each(valuesOf(read, ["one-top-level"]), "write", { inFolder, isRecursive: true });
  const expressions = valuesOf(read, [...TRANSFORMS, "s"]);
  const claims = packed(read);
  const isUnpacked = claims.some(({ how, isRecursive }) => how === "write" && isRecursive === true);
  const names = expressions.flatMap((word) => transformed(word, isUnpacked));
  return [...claims, ...tops, ...each([...names, ...joined(names)], "write", { inFolder, isRecursive: isUnpacked, hasAnyNames: true })];
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
  forms: { valued: "dPx" },
  claims(read) {
    const [archive, ...members] = read.operands;
    const [inFolder] = valuesOf(read, ["d"]);
    const isListing = hasAny(read, ["l", "v", "t", "p", "Z", "z"]);
    return [...each(archive ? [archive] : [], "read"), ...(isListing ? [] : unpacked(members, inFolder))];
  },
};

const PATCH: Program = {
  forms: {
    valued: "BdDFgipoVrxzY",
    longValued:
      "directory input output strip fuzz reject-file prefix ifdef get version-control basename-prefix suffix quoting-style read-only reject-format".split(
        " ",
      ),
  },
  claims(read) {
    const [inFolder] = valuesOf(read, ["d", "directory"]);
    const [file, operandPatch] = read.operands;
    const source = valuesOf(read, ["i", "input"])[0] ?? operandPatch;
    const written = [...(file ? [file] : []), ...valuesOf(read, ["o", "output"])];
    if (written.length > 0) return each(written, "write", { inFolder });
    return [{ word: inFolder, how: "write", isRecursive: true, ...(source ? { source, isFolder: false } : {}) }];
  },
};

/** Programs that bring files from elsewhere: downloads, archives, patches. */
export const FETCHING: Readonly<Record<string, Program>> = {
  curl: CURL,
  wget: WGET,
  tar: TAR,
  gtar: TAR,
  bsdtar: BSDTAR,
  unzip: UNZIP,
  zip: {
    runsInput: NAMES_ON_INPUT,
    readOptions: ["x", "i"],
    forms: { valued: "xibtnOPs" },
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
  ...Object.fromEntries(
    ["7z", "7za", "7zz"].map((name): [string, Program] => [
      name,
      { forms: {}, claims: ({ operands }, words) => (words.some(({ text }) => text === "-sdel") ? each(operands.slice(2), "rename") : []) },
    ]),
  ),
  cpio: {
    runsInput: /^/,
    forms: { valued: "CDEFHIMOR", longValued: ["file", "directory", "format", "pattern-file", "owner", "io-size", "message"] },
    claims: (read) => {
      const [inFolder] = valuesOf(read, ["D", "directory"]);
      const made = hasAny(read, ["o", "create"]) ? each(valuesOf(read, ["O", "F", "file"]), "write") : [];
      if (hasAny(read, ["p", "pass-through"])) return unpacked(read.operands, inFolder);
      return hasAny(read, ["i", "extract"]) ? unpacked([], inFolder) : made;
    },
  },
};
