// Takes the tokens of a Python file; gives the names of files that it reads or looks for, and the lines where that cannot be known.
// SECURITY: as of JavaScript, only what is known to be harmless goes unmentioned.

import { UNKNOWN } from "../../shell/index.ts";
import { type CodeReads, called, Findings, knownValue, NOT_TAKEN_APART, set } from "./code-reader.ts";
import { Expressions, type Meaning, type Token, tokensOf } from "./python-tokens.ts";
import { readJavascript } from "./read-javascript.ts";

/** The files that a text of code reads or looks for, and what it starts. Nothing is run, and no file is opened. */
export function readCode(language: "javascript" | "python", text: string): CodeReads {
  if (language === "javascript") return readJavascript(text);
  const tokens = tokensOf(text);
  if (!tokens) return NOT_TAKEN_APART;
  return new PythonReader(tokens).read();
}

/** What they tell of a file follows from its bytes, or from its being there. */
const PYTHON_LOOKS = set("exists isfile isdir getsize is_file is_dir read_text read_bytes open open_code");
/** They ask for more of a file, change it, or tell by failing whether it is there; of those with other meanings, of modules of files only. */
const PYTHON_OTHER = set(
  "lexists islink ismount getmtime getctime getatime lstat readlink samefile is_symlink is_mount is_socket is_fifo is_block_device is_char_device is_junction owner group touch mkdir makedirs rmdir removedirs unlink lchmod symlink_to hardlink_to link_to renames utime chmod chown lchown mkfifo mknod truncate symlink statvfs FileHandler WatchedFileHandler RotatingFileHandler TimedRotatingFileHandler fileConfig dictConfig filename urlopen urlretrieve AF_UNIX open_unix_connection create_unix_connection start_unix_server load_cert_chain load_verify_locations cafile capath keyfile certfile tzset fdopen FileType fromfile_prefix_chars chdir strict _getframe f_builtins f_globals gi_frame __setattr__ __delattr__",
);
const OS_OTHER = set("stat rename replace remove link open");
/** Members of `os` and `os.path` that ask for no file, or only for what is pinned. */
const OS_KNOWN = set(
  "path environ getenv getcwd getpid getppid getuid name sep linesep pathsep curdir pardir devnull fspath fsencode fsdecode _exit uname cpu_count urandom PathLike join dirname basename abspath normpath splitext split expanduser expandvars relpath commonpath commonprefix isabs exists isfile isdir getsize system popen walk listdir scandir O_RDONLY",
);
const PYTHON_LISTS = set("listdir scandir walk iterdir glob rglob iglob fwalk");
const OF_MODULE = /^(?:os|os\.path|path|io|codecs|gzip|bz2|lzma|tokenize|posixpath|genericpath)$/;
const PYTHON_HARMLESS = set(
  "__future__ abc argparse array ast base64 binascii bisect builtins calendar cmath collections contextlib contextvars copy dataclasses datetime decimal difflib enum errno fnmatch fractions functools getopt getpass hashlib heapq hmac html io ipaddress itertools json keyword logging math numbers operator os pathlib platform pprint queue random re secrets select shlex signal socket ssl stat statistics string struct subprocess sys textwrap threading time traceback types typing unicodedata urllib uuid warnings weakref zlib http email asyncio codecs inspect locale locale",
);
const PYTHON_OPEN = set("getattr setattr delattr globals locals vars __builtins__ builtins __loader__ __spec__");

/** Names to which the reader gives a meaning of its own. */
const PYTHON_MEANT = set("os sys io pathlib Path PurePath shlex str open environ getcwd getenv json __file__");

const PYTHON_STARTS = set(
  "run call check_call check_output Popen getoutput getstatusoutput system popen popen2 popen3 execv execve execvp execvpe execl execle execlp execlpe spawnl spawnle spawnlp spawnlpe spawnv spawnve spawnvp spawnvpe posix_spawn posix_spawnp create_subprocess_shell create_subprocess_exec",
);

/** Texts of Python with ways to code that no import names. */
export const OPEN_PYTHON: RegExp =
  /\bsys\.(?:path|modules|meta_path)|\baddsitedir\b|\b(?:importlib|__import__|runpy|execfile|exec_module|subprocess|ctypes|pickle|marshal|multiprocessing)\b|(?<![\w.])(?:exec|eval|compile)\s*\(|\bos\.(?:system|popen|exec\w*|spawn\w*|chdir|putenv)\b|\bos\.environ\s*\[[^\]]*\]\s*=|__(?:globals|builtins|subclasses|dict|class|loader|spec)__/;

/** SECURITY: each costs a look at the whole text. */
const MAX_RECEIVERS = 100;

class PythonReader {
  #receivers = 0;

  readonly found: Findings = new Findings();
  readonly tokens: readonly Token[];
  readonly expressions: Expressions;
  /** Names that stand for something of a module. */
  readonly bound: Map<string, string> = new Map();
  readonly #constants = new Map<string, number>();
  readonly #waiting = new Set<string>();

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
    const meaning: Meaning = {
      nameOf: (name) => this.bound.get(name) ?? name,
      valueOf: (name) => knownValue(name) ?? this.#constant(name),
      call: called,
    };
    this.expressions = new Expressions(tokens, meaning);
  }

  read(): CodeReads {
    for (const [name, at] of this.constants()) this.#constants.set(name, at);
    this.scan();
    return this.found.result();
  }

  #constant(name: string): string | undefined {
    const start = this.#constants.get(name);
    if (start === undefined || this.#waiting.has(name)) return undefined;
    this.#waiting.add(name);
    const { value, next } = this.expressions.expression(start);
    this.#waiting.delete(name);
    const [last, after] = [this.tokens[next - 1], this.tokens[next]];
    const isEnd = after === undefined || /^[;,})]$/.test(after.value) || (after.line !== last?.line && !/^[.([?+&|]/.test(after.value));
    return isEnd ? value : undefined;
  }

  place(at: number, what: string): string {
    return `line ${this.tokens[at]?.line ?? 0} (${what})`;
  }

  /** `{ cwd: x }` and `cwd=x` among the arguments of a call. */
  folderAt(open: number): string | undefined {
    const close = this.expressions.brackets.get(open) ?? open;
    for (let at = open + 1; at < close; at++) {
      if (this.tokens[at]?.kind !== "name" || this.tokens[at]?.value !== "cwd" || this.isMember(at)) continue;
      if (this.expressions.is(at + 1, ":") || this.expressions.is(at + 1, "=")) return this.expressions.expression(at + 2).value;
      if (this.expressions.is(at + 1, "}") || this.expressions.is(at - 1, "{")) return this.expressions.expression(at).value;
    }
    return undefined;
  }

  isMember(at: number): boolean {
    return this.expressions.is(at - 1, ".") || this.expressions.is(at - 1, "?.");
  }

  /** The bracket of a call behind a name. */
  callAt(at: number): number | undefined {
    if (this.expressions.is(at + 1, "(")) return at + 1;
    return this.expressions.is(at + 1, "?.") && this.expressions.is(at + 2, "(") ? at + 2 : undefined;
  }

  /** Where each name is given its only value, behind the `=`. */
  constants(): ReadonlyMap<string, number> {
    const found = new Map<string, number>();
    const other = new Set<string>();
    this.tokens.forEach(({ kind, value, line }, at) => {
      const isFirst = this.tokens[at - 1]?.line !== line || this.expressions.is(at - 1, ";");
      if ((value === "def" || value === "lambda" || value === "for" || value === "as") && kind === "name") this.#noteBound(at, other);
      if (kind !== "name" || this.isMember(at)) return;
      const next = this.tokens[at + 1];
      if (isFirst && this.expressions.is(at + 1, "=") && !found.has(value)) found.set(value, at + 2);
      else if (isFirst && next?.kind === "mark" && /^(?:=|[-+*/%&|^]=|:=|,)$/.test(next.value)) other.add(value);
      else if (this.expressions.is(at + 1, ":=")) other.add(value);
    });
    return new Map([...found].filter(([name]) => !other.has(name)));
  }

  #noteBound(at: number, other: Set<string>): void {
    for (let index = at + 1; index < at + 60; index++) {
      const token = this.tokens[index];
      if (!token || token.value === ":" || token.value === "in") return;
      if (token.kind === "name") other.add(token.value);
    }
  }

  /** SECURITY: what a name was read to stand for holds only where nothing changes it. */
  #readChanges(): void {
    let [start, depth] = [0, 0];
    this.tokens.forEach(({ kind, value, line }, at) => {
      const before = this.tokens[at - 1];
      if (depth === 0 && (before?.line !== line || before.value === ";")) start = at;
      if (kind === "mark") depth += /^[([{]$/.test(value) ? 1 : /^[)\]}]$/.test(value) ? -1 : 0;
      if (kind === "mark" && depth === 0 && !/^[<>]$/.test(before?.value ?? "")) this.#readAssignment(value, start, at);
      if (kind === "name") this.#readMaker(value, at);
    });
  }

  #readAssignment(mark: string, start: number, end: number): void {
    if (/^(?:=|[-+*/%&|^]=)$/.test(mark)) for (let at = start; at < end; at++) this.#readTarget(at);
  }

  /** `def x`, `for x in`, `with … as x`, `del x.y` */
  #readMaker(word: string, at: number): void {
    if (this.expressions.is(at + 1, ":=")) this.#readTarget(at);
    if (!/^(?:def|class|as|for|del|global|lambda)$/.test(word)) return;
    this.#readTarget(at + 1);
    if (this.isNested(at + 1)) this.#readTarget(at + 3);
    if (word === "def") this.#readParameters(at + 2);
  }

  /** `os.path` of `del os.path`. */
  isNested(at: number): boolean {
    return this.tokens[at]?.kind === "name" && this.expressions.is(at + 1, ".");
  }

  #readParameters(open: number): void {
    const close = this.expressions.brackets.get(open) ?? open;
    for (let at = open + 1; at < close; at++) if (/^(?:[(,]|\*{1,2})$/.test(this.tokens[at - 1]?.value ?? "")) this.#readTarget(at);
  }

  /** A member of anything but the object itself, or a name with a meaning. */
  #readTarget(at: number): void {
    const token = this.tokens[at];
    if (token?.kind !== "name" || (this.expressions.is(at + 1, "(") && this.isMember(at))) return;
    const owner = this.isMember(at) ? (this.#moduleBefore(at) ?? "") : undefined;
    const isMeant = PYTHON_MEANT.has(token.value) || (token.value === "path" && this.#isPathAsked());
    if (owner === undefined ? isMeant && !this.isNested(at) : owner !== "self")
      this.found.unknown.add(this.place(at, `sets ${token.value}`));
  }

  /** `path.join`, where it is not `os.path.join`. */
  #isPathAsked(): boolean {
    return this.tokens.some(({ value }, at) => value === "path" && !this.isMember(at) && this.isNested(at));
  }

  scan(): void {
    this.#readChanges();
    this.tokens.forEach(({ kind, value }, at) => {
      if (kind !== "name") return;
      if (value === "import" || (value === "from" && this.tokens[at + 2]?.value === "import")) this.#readImport(at);
      this.#readStart(value, at);
      this.#readFiles(value, at);
    });
  }

  #readFiles(value: string, at: number): void {
    if (PYTHON_OPEN.has(value) && !this.isMember(at)) this.found.unknown.add(this.place(at, value));
    const owner = this.isMember(at) ? this.#moduleBefore(at) : undefined;
    if (/^os(?:\.path)?$/.test(owner ?? "") && !OS_KNOWN.has(value) && !this.#isOwnFile(at)) this.#readMore(value, at);
    else if (PYTHON_OTHER.has(value) || (OS_OTHER.has(value) && this.#isOfFiles(at))) this.#readMore(value, at);
    if (PYTHON_LISTS.has(value) && this.expressions.is(at + 1, "(")) this.found.unknown.add(this.place(at, value));
    else if (PYTHON_LOOKS.has(value)) this.#readUse(value, at);
    else if (/^write_(?:text|bytes)$/.test(value) && this.isMember(at)) this.found.noteWritten(this.#receiver(at), this.place(at, value));
  }

  #readMore(name: string, at: number): void {
    const isAsked = /^(?:l?stat|lexists|islink|get[mca]time|readlink|access|is_symlink)$/.test(name) && this.expressions.is(at + 1, "(");
    const module = this.isMember(at) ? this.#moduleBefore(at) : "os";
    const isOfModule = module !== undefined && OF_MODULE.test(module);
    const file = isOfModule ? (this.expressions.argumentsOf(at + 1)[0] ?? UNKNOWN) : this.#receiver(at);
    this.found.noteMore(isAsked ? file : UNKNOWN, this.place(at, name));
  }

  /** `os.path.realpath` of the script itself, or of a path that no text of the script is part of, as that of the event is. */
  #isOwnFile(at: number): boolean {
    if (this.tokens[at]?.value !== "realpath" || !this.expressions.is(at + 1, "(")) return false;
    const [value = ""] = this.expressions.argumentsOf(at + 1);
    return this.tokens[at + 2]?.value === "__file__" || (value !== "" && value.replaceAll(UNKNOWN, "").replaceAll("/", "") === "");
  }

  /** `os.stat`, `Path(x).stat()`, `from os import stat`, and not `text.replace`. */
  #isOfFiles(at: number): boolean {
    const module = this.isMember(at) ? this.#moduleBefore(at) : undefined;
    const isImported = this.tokens.some(
      ({ value, line }, index) => value === "from" && line === this.tokens[at]?.line && this.tokens[index + 1]?.value === "os",
    );
    const isPath = this.isMember(at) && this.tokens[at]?.value !== "replace" && this.tokens.some(({ value }) => value === "pathlib");
    return module === "os" || isImported || (isPath && this.tokens[at]?.value !== "open");
  }

  /** `subprocess.run(…)`, `os.system(…)`, `sys.path.insert(…)`, `importlib.import_module(…)`, `pytest.main()`. */
  #readStart(name: string, at: number): void {
    const open = this.expressions.is(at + 1, "(") ? at + 1 : undefined;
    const module = this.isMember(at) ? this.#moduleBefore(at) : undefined;
    if (name === "path" && module === "sys") this.#readSearchPath(at);
    if (name === "sys" && this.tokens[at - 1]?.value === "from" && this.tokens[at + 2]?.value === "path")
      this.found.starts.add(this.place(at, "sys.path"));
    if (this.tokens[at - 1]?.value === "def") return;
    if (PYTHON_STARTS.has(name) && module !== "asyncio" && this.#hasStarts()) {
      const isNamed = /^(?:import|,|\()$/.test(this.tokens[at - 1]?.value ?? "") && !this.isMember(at);
      if (open !== undefined) this.#readLine(name, open);
      else if (!isNamed && module === "subprocess") this.found.starts.add(this.place(at, name));
    }
    if (open !== undefined) this.#readLoad(name, open, module);
  }

  #readLoad(name: string, open: number, module: string | undefined): void {
    const at = open - 1;
    const values = this.expressions.argumentsOf(open);
    const isText = this.tokens[open + 1]?.kind === "text" && /^[,)]$/.test(this.tokens[open + 2]?.value ?? "");
    if (/^(?:import_module|__import__)$/.test(name) && !isText) this.found.noteLoad(UNKNOWN, this.place(at, name));
    if (/^(?:exec|eval|compile|execfile)$/.test(name) && !this.isMember(at) && !isText) this.found.noteLoad(UNKNOWN, this.place(at, name));
    if (/^(?:run_path|run_module|addsitedir|SourceFileLoader|spec_from_file_location|load_source|CDLL)$/.test(name))
      this.found.noteLoad(values[/^(?:Source|spec_|load_s)/.test(name) ? 1 : 0] ?? UNKNOWN, this.place(at, name));
    if (name === "discover" || (name === "main" && module === "pytest")) this.found.noteLoad(UNKNOWN, this.place(at, name));
  }

  #hasStarts(): boolean {
    return this.tokens.some(({ kind, value }) => kind === "name" && /^(?:subprocess|os|pty|asyncio|commands|posix|popen2)$/.test(value));
  }

  #readLine(name: string, open: number): void {
    const ranges = this.expressions.ranges(open).filter(([start]) => !this.expressions.is(start + 1, "="));
    const named = this.expressions.ranges(open).find(([start]) => this.expressions.is(start, "args"));
    const [start, end] = ranges[0] ?? (named && [named[0] + 2, named[1]]) ?? [];
    if (start === undefined || end === undefined) return void this.found.noteLine(UNKNOWN);
    if (/^(?:exec|spawn|posix_spawn)[lv]?\w*$|^create_subprocess_exec$/.test(name)) {
      const words = this.expressions.argumentsOf(open).slice(name.startsWith("spawn") && this.isMember(open - 1) ? 1 : 0);
      // The rest may be a list, or the words themselves.
      return void this.found.noteLine(words[0] ?? UNKNOWN, name === "create_subprocess_exec" ? words.slice(1) : [UNKNOWN]);
    }
    if (!this.expressions.is(start, "[") && !this.expressions.is(start, "("))
      return void this.found.noteLine(this.expressions.whole(start, end), [], this.folderAt(open));
    const [program = UNKNOWN, ...list] = this.expressions.argumentsOf(start);
    const isWhole = this.expressions.brackets.get(start) === end - 1;
    if (this.expressions.is(start, "(") && list.length === 0)
      return void this.found.noteLine(this.expressions.whole(start, end), [], this.folderAt(open));
    this.found.noteLine(program, isWhole ? list : [...list, UNKNOWN], this.folderAt(open));
  }

  /** Folders in which modules are looked for. */
  #readSearchPath(at: number): void {
    const next = this.tokens[at + 1]?.value ?? "";
    const method = this.tokens[at + 2]?.value ?? "";
    const isAsked = /^(?:in|not|print|\()$/.test(this.tokens[at - 3]?.value ?? "") && !/^(?:=|\+=|\[)$/.test(next);
    if (next === "." && /^(?:pop|remove|index|count|copy)$/.test(method)) return;
    if (next === "." && /^(?:insert|append)$/.test(method) && this.expressions.is(at + 3, "("))
      return void this.found.noteLoad(this.expressions.argumentsOf(at + 3).at(-1) ?? UNKNOWN, this.place(at, "sys.path"));
    if (!isAsked || next === ".") this.found.noteLoad(UNKNOWN, this.place(at, "sys.path"));
  }

  #readUse(name: string, at: number): void {
    if (!this.expressions.is(at + 1, "(")) {
      const isNamed = /^(?:import|,)$/.test(this.tokens[at - 1]?.value ?? "") || this.expressions.is(at + 1, "=");
      // The modules `stat` and `glob`, and names of arguments.
      if ((name === "open" || this.isMember(at)) && !isNamed) this.found.unknown.add(this.place(at, name));
      return;
    }
    const values = this.expressions.argumentsOf(at + 1);
    const module = this.isMember(at) ? this.#moduleBefore(at) : "os";
    const isOfModule = module !== undefined && OF_MODULE.test(module);
    const file = isOfModule ? (values[0] ?? UNKNOWN) : this.#receiver(at);
    const isInput = isOfModule && this.expressions.is(at + 2, "0");
    const modes = name === "open" ? values.slice(isOfModule ? 1 : 0) : [];
    if (modes.some((one) => /[x+]|\uFFFF/.test(one) && /^[rwaxbt+\uFFFF]+$/.test(one))) this.found.unknown.add(this.place(at, name));
    else if (modes.some((one) => /^[wa][bt]?$/.test(one))) this.found.noteWritten(file, this.place(at, name));
    else if (!isInput) this.found.note(file, this.place(at, name));
  }

  /** `os.path` of `os.path.exists`. */
  #moduleBefore(at: number): string | undefined {
    const names: string[] = [];
    for (let index = at - 2; this.tokens[index]?.kind === "name"; index -= 2) {
      names.unshift(this.tokens[index]?.value ?? "");
      if (!this.isMember(index)) return names.join(".");
    }
    return undefined;
  }

  /** What a method is called on: everything before it that belongs together. */
  #receiver(at: number): string {
    this.#receivers += 1;
    if (this.#receivers > MAX_RECEIVERS) return UNKNOWN;
    let start = at - 2;
    for (;;) {
      const open = this.tokens[start]?.kind === "mark" ? this.expressions.brackets.get(start) : undefined;
      if (open !== undefined && open < start) {
        const before = this.tokens[open - 1];
        if (before?.kind !== "name" || /^(?:if|elif|while|return|not|and|or|in|with|assert)$/.test(before.value)) {
          start = open;
          break;
        }
        start = open - 1;
      }
      if (!this.isMember(start)) break;
      start -= 2;
    }
    // One of several methods: only as far as the name of this one.
    return this.expressions.until(start, at - 1);
  }

  #readImport(at: number): void {
    const isFrom = this.tokens[at]?.value === "from";
    const { line } = this.tokens[at] ?? {};
    const rest = this.tokens
      .slice(at + 1)
      .filter((token, index, all) => token.line === line && !all.slice(0, index).some(({ value }) => value === ";"));
    if (!isFrom && this.tokens[at - 2]?.value === "from") return;
    const names = isFrom ? rest.slice(0, 1) : rest.filter((_, index) => index === 0 || rest[index - 1]?.value === ",");
    for (const { value } of names)
      if (STANDARD_MODULES.has(value) && !PYTHON_HARMLESS.has(value)) this.found.unknown.add(this.place(at, value));
    const isFiles = names.some(({ value }) => /^(?:os|io|pathlib|codecs|posixpath|builtins)$/.test(value));
    if (isFiles && rest.some(({ value }) => value === "as" || value === "*")) this.found.unknown.add(this.place(at, "import … as"));
  }
}

/** Modules that come with Python, of the versions 3.8 to 3.14: a file of the same name in the current folder is loaded in their place. */
export const STANDARD_MODULES: ReadonlySet<string> = new Set(
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
