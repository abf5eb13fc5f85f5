import { createRequire, isBuiltin } from "node:module";
import path from "node:path";
import { canonicalJson } from "../../config/index.ts";
import { glimpse } from "../../state-files.ts";
import { modulesOf } from "../tasks.ts";
import { type Examination, foldersUp, type Pinning, realPath } from "./examine-hook.ts";
import { declaredFiles, entriesOf, findProgram, folderIdentity, type HashedFile, lookAt } from "./hash-file.ts";

interface PythonCode {
  /** For people, and for the record. */
  readonly name: string;
  /** Pins the bytes of a file; gives its text if it is new. */
  readonly pin: (file: string) => string | undefined;
  /** Where Python looks for modules first. */
  readonly folder: string;
  readonly text: string;
  /** The file it is in; absent for code of the command line. */
  readonly script?: string | undefined;
  /** A hook of the user, and a folder of the project. */
  readonly isForeign: boolean;
}

/**
 * SECURITY: a file of this folder is loaded in place of a module of the language, also if only the language itself asks for it, and also if
 * it appears later. Which there are counts always. Their bytes count in a folder of the hook's own, and of what is imported by name; the
 * other modules of a project's root change with every day's work.
 */
export function pinModules(pinning: Pinning, { folder, text, script, name: shown, pin, isForeign }: PythonCode): void {
  const { look, implied, unresolved, surroundings, moduleFolders, foreign } = pinning;
  const name = `modules in ${shown}`;
  const { names, folders, isTooMany } = look.remember(`modules ${folder}`, () => modulesIn(folder));
  for (const one of folders) implied.add(one);
  if (isTooMany) return void unresolved.add(`${name}: too many entries to look through`);
  const counted = script === undefined ? names.filter(isLoadedBy(text)) : names;
  if (script !== undefined || counted.length > 0) surroundings[name] = counted;
  // SECURITY: the user's own hook would run a module of whatever project it is in.
  if (isForeign) for (const one of counted) foreign.add(`Python loads ${one} of the project`);
  const isRoot = folder === pinning.projectRoot || folder === pinning.cwd || folder === pinning.examination.place.home;
  if (script !== undefined && !isRoot) moduleFolders.add(folder);
  const waiting = [...importedModules(text), ...(script !== undefined && isRoot ? [] : counted.map(moduleName))];
  const seen = new Set<string>();
  for (let module = waiting.pop(); module !== undefined; module = waiting.pop()) {
    if (seen.has(module)) continue;
    seen.add(module);
    waiting.push(...pinModule(pinning, { folder, module, names, script, pin }));
  }
}

/**
 * Which modules of a folder code without a script can load: what it imports, and what the language itself asks for. A package that is
 * installed may ask for any.
 */
function isLoadedBy(code: string): (name: string) => boolean {
  const imported = [...importedModules(code), ...[...code.matchAll(/(?:^|\n)-[a-zA-Z]*m\n?(\w+)/g)].map(([, name = ""]) => name)];
  if (/\b(?:__import__|importlib|runpy|pkgutil)\b/.test(code) || imported.some((name) => !STANDARD_MODULES.has(name))) return () => true;
  return (name) => STANDARD_MODULES.has(moduleName(name));
}

interface Module {
  readonly folder: string;
  readonly module: string;
  readonly names: readonly string[];
  readonly script: string | undefined;
  readonly pin: PythonCode["pin"];
}

/** Pins what a name stands for; gives the names that are imported there. */
function pinModule(pinning: Pinning, { folder, module, names, script, pin }: Module): readonly string[] {
  const own = names.filter((name) => moduleName(name) === module && !name.includes("/")).map((name) => path.join(folder, name));
  const isPackage = lookAt(path.join(folder, module)).kind === "folder";
  const inside = isPackage ? modulesBelow(path.join(folder, module)) : [];
  if (!inside) pinning.unresolved.add(`the package ${module} has too many files to look through`);
  const files = [...own, ...(inside ?? [])].filter((file) => file !== script);
  const compiled = files.map((file) => compiledOf(file));
  for (const one of compiled) pinning.implied.add(one.folder);
  const texts = [...files, ...compiled.flatMap((one) => one.files)].map((file) => {
    pinning.implied.add(file);
    return pin(file) ?? "";
  });
  return texts.flatMap(importedModules);
}

/** `import x` is a file beside the script, or part of the language: only the folder can tell. */
export function importedModules(python: string): readonly string[] {
  return [...new Set(modulesOf(python).map(moduleName))];
}

/** `json.cpython-312.so` and `json/__init__.py` are `json`. */
function moduleName(name: string): string {
  return /^[^./]*/.exec(name)?.[0] ?? "";
}

// What is loaded without being named: modules beside a Python script, and what a package.json says about the JavaScript files below it.

/** What Python takes for a module: source, compiled, or a library. */
const MODULE = /\.(?:py|pyw|pyc|pyo|so|pyd|dylib)$/i;
/** More than this in one folder is not looked through. */
const MAX_ENTRIES = 2000;

interface Modules {
  /** Relative to the folder, sorted: `json.py`, `json/__init__.pyc`. */
  readonly names: readonly string[];
  /** Folders whose listing decides. */
  readonly folders: readonly string[];
  readonly isTooMany: boolean;
}

/** What Python would find first in a folder. */
function modulesIn(folder: string): Modules {
  const entries = entriesOf(folder);
  if (entries.length > MAX_ENTRIES) return { names: [], folders: [folder], isTooMany: true };
  const inside = entries
    .filter((entry) => /^[A-Za-z_]\w*$/.test(entry.name) && !entry.isFile() && entry.name !== "__pycache__")
    .map((entry) => ({ name: entry.name, entries: entriesOf(path.join(folder, entry.name)) }));
  const names = [
    ...entries.filter((entry) => !entry.isDirectory() && MODULE.test(entry.name)).map(({ name }) => name),
    ...inside.flatMap((one) =>
      one.entries.filter(({ name }) => /^__init__\./.test(name) && MODULE.test(name)).map(({ name }) => `${one.name}/${name}`),
    ),
  ];
  return { names: names.sort(), folders: [folder, ...inside.map(({ name }) => path.join(folder, name))], isTooMany: false };
}

/** Compiled code that Python would take for a source file, and the folder it would be in. */
function compiledOf(source: string): { readonly folder: string; readonly files: readonly string[] } {
  const folder = path.join(path.dirname(source), "__pycache__");
  const stem = `${path.basename(source).replace(/\.\w+$/, "")}.`;
  const files = entriesOf(folder).filter(({ name }) => name.startsWith(stem) && MODULE.test(name));
  return { folder, files: files.map(({ name }) => path.join(folder, name)) };
}

/** Every module of a package, however deep; nothing if there are too many. */
function modulesBelow(folder: string): readonly string[] | undefined {
  const found: string[] = [];
  const waiting = [folder];
  let seen = 0;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop())
    for (const entry of entriesOf(at)) {
      seen += 1;
      if (seen > MAX_ENTRIES) return undefined;
      const file = path.join(at, entry.name);
      // A linked folder could lead round in circles.
      if (entry.isDirectory()) waiting.push(file);
      else if (MODULE.test(entry.name)) found.push(file);
    }
  return found.sort();
}

/** Files that say how an interpreter reads a script, by name. */
const CONFIGURATION: Readonly<Record<string, readonly string[]>> = {
  bun: ["package.json", "tsconfig.json", "bunfig.toml", ".env", ".env.local"],
  deno: ["package.json", "deno.json", "deno.jsonc"],
};

/** The files that decide how a JavaScript file is read: per name, from its own folder up to the last one that counts. */
export function configurationOf(
  script: string,
  { program, top, imports }: { readonly program: string; readonly top: string; readonly imports: boolean },
): readonly (readonly string[])[] {
  // Node looks at nothing but the name of these, unless they import by a name that the package may give to its own files.
  if (/\.[cm][jt]s$/.test(script) && CONFIGURATION[program] === undefined && !imports) return [];
  const folders = foldersUp(path.dirname(script), top);
  return (CONFIGURATION[program] ?? ["package.json"]).map((name) => folders.map((folder) => path.join(folder, name)));
}

/** The nearest of them that is there. */
export function nearestOf(files: readonly string[]): string | undefined {
  return files.find((file) => lookAt(file).kind === "file");
}

const DECISIVE: readonly string[] = ["type", "name", "imports", "exports"];

/** What of a configuration counts. Installing packages changes a package.json, but not how a script is read. */
export function factsOf(file: string, { text, sha256 }: HashedFile): unknown {
  if (path.basename(file) !== "package.json" || text === undefined) return sha256;
  // SECURITY: where two readers of JSON could see different things, all of it counts.
  if (text.includes("\\u") || text.includes("\\/") || (text.match(/"type"\s*:\s*"(?:module|commonjs)"/g) ?? []).length > 1) return sha256;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return sha256;
    return canonicalJson(Object.fromEntries(Object.entries(value).filter(([name]) => DECISIVE.includes(name))));
  } catch {
    // No JSON: Node refuses it, or reads it in a way of its own.
    return sha256;
  }
}

/** What of a hook's surroundings was seen at one moment: equal texts mean that nothing it runs has changed. */
export interface Watch {
  readonly signature: string;
  /** The signature can be believed next time: no file was so young that its times may stay the same. */
  readonly isSettled: boolean;
}

/** Looks at everything a hook names without opening it: microseconds, where hashing takes a millisecond. */
export function watchHook(examination: Examination, cwd: string, implied: readonly string[] = []): Watch {
  const { hook, place } = examination;
  const named = examination.files.map((file) => path.resolve(cwd, file.path));
  const scripts = examination.interpreted.flatMap((one) => one.scripts.map((script) => path.resolve(cwd, script)));
  const declared = declaredFiles(examination.declared, hook.source.plugin?.root ?? hook.source.root).files;
  const programs = examination.programs.map((name) => findProgram(name, place.path, cwd) ?? "-");
  const now = Date.now();
  const seen = [...new Set([...named, ...scripts, ...declared, ...programs, ...implied])].map((file) => ({ file, ...glimpse(file, now) }));
  return {
    signature: [folderIdentity(place.projectRoot), cwd, ...seen.map(({ file, signature }) => `${file}=${signature}`)].join("\n"),
    isSettled: seen.every((one) => one.isSettled),
  };
}

// Takes the name of a module and the file that names it; gives the file that Node would load, and every place that is looked at on the way.

interface Resolved {
  readonly file?: string | undefined;
  /** Places that would be taken first if something were there, and files that say what the name means. */
  readonly looked: readonly string[];
  /** A `package.json` whose words decided. */
  readonly manifest?: string | undefined;
  /** Files that belong to it as a whole. */
  readonly whole?: readonly string[] | undefined;
  /** Why it is not known what would be loaded. */
  readonly doubt?: string | undefined;
}

interface ModuleUse {
  readonly specifier: string;
  readonly isRequire: boolean;
  readonly from: string;
  /** The engine runs it, and gives its own SDK to whoever has none. */
  readonly isOfEngine?: boolean | undefined;
  /** Reads a `package.json`. */
  readonly manifestAt: (file: string) => Readonly<Record<string, unknown>> | undefined;
  /** Whether two files have the same bytes. */
  readonly isSame: (one: string, other: string) => boolean;
}

export function resolveModule(use: ModuleUse): Resolved {
  const { specifier, from } = use;
  if (specifier.startsWith("node:") || isBuiltin(specifier)) return { looked: [] };
  if (/^\.{1,2}(?:\/|$)|^\//.test(specifier)) return resolveFile(path.resolve(path.dirname(from), specifier), use);
  if (specifier.startsWith("#")) return { looked: [], doubt: `${specifier} is what a package.json makes of it` };
  if (!/^(?:@[\w.~-]+\/)?[\w.~-]+(?:\/[\w.~/-]*)?$/.test(specifier))
    return { looked: [], doubt: `${specifier} is no file of this machine` };
  return resolvePackage(use);
}

function resolveFile(file: string, { isRequire, isOfEngine, specifier }: ModuleUse): Resolved {
  if (/[%?#\\]/.test(specifier)) return { looked: [file], doubt: `${specifier} is not taken as it stands` };
  const tries = isRequire
    ? ["", ".js", ".json", ".node"].map((end) => file + end)
    : isOfEngine
      ? [file, file.replace(/\.([cm]?)js$/, ".$1ts")]
      : [file];
  const at = tries.findIndex((one) => lookAt(one).kind === "file");
  const found = tries[at];
  if (found === undefined) return { looked: tries, doubt: `${specifier} is not a file that is there` };
  if (!/\.(?:[cm]?[jt]s|json)$/.test(found)) return { looked: tries, doubt: `${specifier} is no JavaScript` };
  return { file: found, looked: tries.slice(0, at + 1) };
}

function resolvePackage(use: ModuleUse): Resolved {
  const { specifier, from, manifestAt, isOfEngine } = use;
  const parts = specifier.split("/");
  const name = parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
  const folders = foldersUp(path.dirname(realPath(from)));
  const own = folders.map((folder) => path.join(folder, "package.json")).find((file) => lookAt(file).kind === "file");
  if (own !== undefined && manifestAt(own)?.["name"] === name) return { looked: [own], doubt: `${specifier} is the script's own package` };
  const places = folders
    .filter((folder) => path.basename(folder) !== "node_modules")
    .map((folder) => path.join(folder, "node_modules", name));
  const at = places.findIndex((place) => lookAt(place).kind === "folder");
  const looked = at === -1 ? places : places.slice(0, at + 1);
  const place = places[at];
  // What this program is made of itself: it is not more trusted for being pinned once more.
  const isOurs = name === "hookloop" && (place === undefined ? isOfEngine : realPath(place) === ownFolder());
  if (isOurs) return { looked, whole: [] };
  const sdk = name === "@hookloop/sdk" ? ownSdk() : undefined;
  if (place === undefined && sdk && isOfEngine) return { looked, whole: [] };
  if (place === undefined) return { looked, doubt: `the package ${name} is not found` };
  if (sdk) return resolveSdk(place, { looked, sdk, isSame: use.isSame });
  return { ...enterPackage(use, place, `.${specifier.slice(name.length)}`), looked };
}

/** Our own SDK is known, byte for byte; what it loads lies in its folder. */
function resolveSdk(
  place: string,
  { looked, sdk, isSame }: { readonly looked: readonly string[]; readonly sdk: string; readonly isSame: ModuleUse["isSame"] },
): Resolved {
  const names = [...filesIn(path.join(sdk, "dist")).map((name) => path.join("dist", name)), "package.json"];
  const whole = names.map((name) => path.join(realPath(place), name));
  const isKnown = names.every((name) => isSame(path.join(sdk, name), path.join(place, name)));
  return isKnown ? { looked, whole } : { looked, doubt: "the @hookloop/sdk there is not the one of this hookloop" };
}

function filesIn(folder: string): readonly string[] {
  return entriesOf(folder).flatMap(({ name }) => (name.endsWith(".js") ? [name] : []));
}

function ownFolder(): string | undefined {
  try {
    return path.dirname(realPath(createRequire(import.meta.url).resolve("hookloop/package.json")));
  } catch {
    // A program that was packed without it.
    return undefined;
  }
}

function ownSdk(): string | undefined {
  try {
    return path.dirname(path.dirname(realPath(createRequire(import.meta.url).resolve("@hookloop/sdk"))));
  } catch {
    // A program that was packed without it: then no SDK is known.
    return undefined;
  }
}

/** The file of a package by its package.json; forms that are seldom are not followed. */
function enterPackage({ specifier, isRequire, manifestAt }: ModuleUse, place: string, subpath: string): Omit<Resolved, "looked"> {
  const manifest = path.join(place, "package.json");
  const facts = manifestAt(manifest);
  if (!facts) return { doubt: `the package of ${specifier} has no package.json that can be read` };
  const { exports, main } = facts;
  const target =
    exports === undefined
      ? subpath === "."
        ? (main ?? "index.js")
        : subpath
      : targetOf(subpath, exports, isRequire ? ["node", "require", "default"] : ["node", "import", "default"]);
  if (typeof target !== "string") return { manifest, doubt: `what ${specifier} is in its package is not known` };
  const file = path.resolve(place, target);
  const isFile = lookAt(file).kind === "file" && /\.(?:[cm]?js|json)$/.test(file) && !path.relative(place, file).startsWith("..");
  return isFile ? { manifest, file: realPath(file) } : { manifest, doubt: `what ${specifier} is in its package is not a file` };
}

function targetOf(subpath: string, exports: unknown, conditions: readonly string[]): unknown {
  if (typeof exports === "string") return subpath === "." ? exports : undefined;
  if (typeof exports !== "object" || exports === null || Array.isArray(exports)) return undefined;
  const entries = Object.entries(exports);
  if (entries.some(([key]) => key.startsWith(".")))
    return conditional(Object.hasOwn(exports, subpath) ? Reflect.get(exports, subpath) : undefined, conditions);
  return subpath === "." ? conditional(exports, conditions) : undefined;
}

function conditional(value: unknown, conditions: readonly string[]): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const [, found] = Object.entries(value).find(([key]) => conditions.includes(key)) ?? [];
  return conditional(found, conditions);
}

/** Modules that come with Python, of the versions 3.8 to 3.14: a file of the same name in the current folder is loaded in their place. */
const STANDARD_MODULES: ReadonlySet<string> = new Set(
  `
  __future__ _abc _aix_support _android_support _apple_support _ast _asyncio _bisect _blake2 _bootlocale _bootsubprocess _bz2
  _codecs _codecs_cn _codecs_hk _codecs_iso2022 _codecs_jp _codecs_kr _codecs_tw _collections _collections_abc _colorize
  _compat_pickle _compression _contextvars _crypt _csv _ctypes _curses _curses_panel _datetime _dbm _decimal _dummy_thread
  _elementtree _frozen_importlib _frozen_importlib_external _functools _gdbm _hacl _hashlib _heapq _imp _interpchannels
  _interpqueues _interpreters _io _ios_support _json _locale _lsprof _lzma _markupbase _md5 _msi _multibytecodec
  _multiprocessing _opcode _opcode_metadata _operator _osx_support _overlapped _pickle _posixshmem _posixsubprocess _py_abc
  _pydecimal _pyio _pylong _pyrepl _queue _random _remote_debugging _scproxy _sha1 _sha2 _sha256 _sha3 _sha512 _signal
  _sitebuiltins _socket _sqlite3 _sre _ssl _stat _statistics _string _strptime _struct _suggestions _symtable _sysconfig
  _testcapi _thread _threading_local _tkinter _tokenize _tracemalloc _typing _uuid _warnings _weakref _weakrefset _winapi _wmi
  _zoneinfo _zstd abc aifc annotationlib antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb
  binascii binhex bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys
  compileall compression concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses
  datetime dbm decimal difflib dis distutils doctest dummy_threading email encodings ensurepip enum errno faulthandler fcntl
  filecmp fileinput fnmatch formatter fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip
  hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3
  linecache locale logging lzma macpath mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing
  netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev parser pathlib pdb pickle pickletools
  pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data
  pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil
  signal site sitecustomize smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat
  statistics string stringprep struct subprocess sunau symbol symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile
  termios textwrap this threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo
  types typing unicodedata unittest urllib usercustomize uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref
  xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo
`
    .trim()
    .split(/\s+/),
);
