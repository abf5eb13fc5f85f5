// Takes the tokens of a JavaScript file; gives the names of files that it reads or looks for, and the lines where that cannot be known.
// SECURITY: only uses that are known to be harmless go unmentioned; everything else that touches files is said.

import { isBuiltin } from "node:module";
import { UNKNOWN } from "../../shell/index.ts";
import { CodeReader, set } from "./code-reader.ts";
import { PROJECT, type Token } from "./code-tokens.ts";

const READS = set(
  "readFile readFileSync createReadStream openAsBlob readlink readlinkSync realpath realpathSync copyFile copyFileSync cp cpSync exists existsSync stat statSync lstat lstatSync access accessSync readJson readJsonSync readJSON readJSONSync pathExists pathExistsSync readTextFile readTextFileSync file",
);
/** Those that mean nothing else, whatever they are called on. */
const ALWAYS_READS =
  /^(?:readFile(?:Sync)?|createReadStream|existsSync|l?statSync|accessSync|readJ[sS][oO][nN](?:Sync)?|pathExists(?:Sync)?|readTextFile(?:Sync)?|openAsBlob|readdir(?:Sync)?|opendir(?:Sync)?|openSync)$/;
const WRITES =
  /^(?:write\w*|append\w*|mkdir\w*|mkdtemp\w*|rm|rmSync|rmdir\w*|unlink\w*|rename\w*|chmod\w*|chown\w*|lchown\w*|utimes\w*|truncate\w*|ftruncate\w*|createWriteStream|close\w*|fsync\w*|fdatasync\w*|fstat\w*|read|readSync|readv\w*|futimes\w*|fchmod\w*|fchown\w*|symlink\w*|link|linkSync|makeTemp\w*|remove\w*)$/;
const OPENS = set("open openSync");
/** Modules of the language that load and read nothing by themselves; `fs`, `child_process` and `process` are looked at. */
const HARMLESS = set(
  "assert async_hooks buffer console constants crypto dgram diagnostics_channel dns events fs fs/promises http http2 https net os path path/posix perf_hooks process punycode querystring readline readline/promises stream stream/promises stream/web string_decoder timers timers/promises tls tty url util util/types zlib child_process assert/strict dns/promises",
);
/** Ways to code that no import names. */
const LOADERS = set(
  "createRequire Worker loadEnvFile getBuiltinModule binding _linkedBinding dlopen mainModule register registerHooks setupMaster setupPrimary SharedWorker importScripts Reflect Proxy",
);
const RUNTIME_HARMLESS = set(
  "argv args env stdin stdout stderr exit version main cwd write writeSync writeFile writeTextFile writeTextFileSync writeFileSync sleep sleepSync hash password nanoseconds which pid ppid build inspect isTTY noColor hostname osRelease memoryUsage escapeHTML deepEquals",
);
/** Those that load what their first argument names. */
const LOADS_BY_VALUE = set(
  "import require getBuiltinModule createRequire Worker loadEnvFile dlopen register _load eval Function runInThisContext runInNewContext",
);
const HARMLESS_BEFORE = /^(?:function|\?\.)$/;
const DECLARES = set("const let var");
const CONTROLS = set("if while switch with for");

export class JavascriptReader extends CodeReader {
  readonly #skipped = new Set<number>();

  constructor(tokens: readonly Token[]) {
    super(tokens, "javascript");
  }

  scan(): void {
    this.tokens.forEach((_, at) => {
      this.#bind(at);
    });
    this.tokens.forEach(({ kind, value }, at) => {
      if (kind === "name" && !this.#skipped.has(at)) this.#readName(value, at);
      if (kind === "text" && isFiles(value) && !this.#skipped.has(at)) this.#readModule(at);
    });
  }

  /** Names whose only value is given where they are declared. */
  constants(): ReadonlyMap<string, number> {
    const found = new Map<string, number>();
    const other = new Set<string>(this.#parameters());
    this.tokens.forEach(({ kind, value }, at) => {
      if (kind !== "name" || this.isMember(at)) return;
      const isDeclared = DECLARES.has(this.tokens[at - 1]?.value ?? "");
      if (isDeclared && this.expressions.is(at + 1, "=") && !found.has(value)) found.set(value, at + 2);
      else if (isDeclared || this.#isSet(at)) other.add(value);
    });
    if (this.#setsProject()) return new Map();
    return new Map([...found].filter(([name]) => !other.has(name)));
  }

  #isSet(at: number): boolean {
    const next = this.tokens[at + 1];
    if (next?.kind === "mark" && /^(?:=>?|[-+*/%&|^]=|\?\?=|\|\|=|&&=|\+\+|--)$/.test(next.value)) return true;
    return this.expressions.is(at - 1, "++") || this.expressions.is(at - 1, "--");
  }

  #parameters(): readonly string[] {
    return [...this.expressions.brackets].flatMap(([open, close]) =>
      close > open && this.#binds(open, close)
        ? this.tokens.slice(open, close).flatMap(({ kind, value }) => (kind === "name" ? [value] : []))
        : [],
    );
  }

  /** `process.env.CLAUDE_PROJECT_DIR = …` makes everything that is known of it untrue. */
  #setsProject(): boolean {
    const at = this.tokens.findIndex(
      ({ value }, index) =>
        /_PROJECT_DIR$|^HOME$/.test(value) &&
        /^(?:\]|[?|]*=)$/.test(this.tokens[index + 1]?.value ?? "") &&
        (this.expressions.is(index + 1, "]") ? this.expressions.is(index + 2, "=") : true),
    );
    if (at !== -1) this.found.unknown.add(this.place(at, "sets a folder"));
    return at !== -1;
  }

  /** Parameters, and what is taken apart. */
  #binds(open: number, close: number): boolean {
    const before = this.tokens[open - 1]?.value ?? "";
    if (this.expressions.is(open, "(")) {
      if (this.expressions.is(close + 1, "=>")) return true;
      return this.expressions.is(close + 1, "{") && !CONTROLS.has(before) && this.tokens[open - 1]?.kind === "name";
    }
    return DECLARES.has(before) || this.expressions.is(close + 1, "=");
  }

  /** Imports in the usual forms. */
  #bind(at: number): void {
    const { is, brackets } = {
      is: (index: number, value: string) => this.expressions.is(index, value),
      brackets: this.expressions.brackets,
    };
    if (is(at, "import") && !is(at + 1, "(") && !is(at + 1, ".")) this.#bindImport(at);
    if (!DECLARES.has(this.tokens[at]?.value ?? "")) return;
    const list = is(at + 1, "{") ? brackets.get(at + 1) : undefined;
    const equals = list === undefined ? at + 2 : list + 1;
    if (!is(equals, "=")) return;
    const module = this.#moduleAt(equals + 1);
    if (!module) return;
    const end = this.tokens[module.next];
    if (end && !/^[;,]$/.test(end.value) && end.line === this.tokens[module.next - 1]?.line) return;
    if (list === undefined) this.bound.set(this.tokens[at + 1]?.value ?? "", module.name);
    else this.#bindList(at + 1, module.name, ":");
    for (let index = at; index < module.next; index++) this.#skipped.add(index);
  }

  #bindImport(at: number): void {
    const end = this.tokens.findIndex(({ kind }, index) => index > at && kind === "text");
    const name = moduleName(this.tokens[end]?.value ?? "");
    if (end === -1 || end - at > 200) return;
    for (let index = at + 1; index < end; index++) {
      const { kind, value } = this.tokens[index] ?? {};
      if (this.expressions.is(index, "{")) {
        this.#bindList(index, name, "as");
        index = this.expressions.brackets.get(index) ?? index;
      } else if (kind === "name" && value !== undefined && !/^(?:from|as|type)$/.test(value)) this.bound.set(value, name);
    }
    for (let index = at; index <= end; index++) this.#skipped.add(index);
    this.#checkModule(name, at);
  }

  #bindList(open: number, module: string, separator: string): void {
    for (const [start, end] of this.expressions.ranges(open)) {
      const member = this.tokens[start]?.value ?? "";
      const local = this.tokens[start + 1]?.value === separator ? this.tokens[start + 2]?.value : member;
      if (end - start > 3) this.found.unknown.add(this.place(start, "import"));
      this.bound.set(local ?? member, member === "default" ? module : `${module}.${member}`);
    }
  }

  /** `require("fs")`, `await import("fs")`, a name that stands for one, and members of them. */
  #moduleAt(start: number): { readonly name: string; readonly next: number } | undefined {
    const from = this.expressions.is(start, "await") ? start + 1 : start;
    const first = this.tokens[from]?.value ?? "";
    let name = this.bound.get(first);
    let next = from + 1;
    if ((first === "require" || first === "import") && this.tokens[from + 2]?.kind === "text" && this.expressions.is(from + 3, ")")) {
      name = moduleName(this.tokens[from + 2]?.value ?? "");
      this.#checkModule(name, from);
      next = from + 4;
    }
    for (; this.expressions.is(next, ".") && this.tokens[next + 1]?.kind === "name"; next += 2)
      name &&= `${name}.${this.tokens[next + 1]?.value}`;
    // `promisify(execFile)` is called as that is.
    const isWrapped = /^(?:util\.)?promisify$/.test(name ?? first);
    if (isWrapped && this.expressions.is(next, "(") && this.expressions.brackets.get(next) !== undefined) {
      const inner = this.#moduleAt(next + 1);
      return inner && this.expressions.is(inner.next, ")") ? { name: inner.name, next: inner.next + 1 } : undefined;
    }
    return name === undefined ? undefined : { name, next };
  }

  #checkModule(name: string, at: number): void {
    const own = name.replace(/^fs\.promises/, "fs/promises");
    // The last ones are modules of newer versions.
    if ((isBuiltin(`node:${own}`) || /^(?:sqlite|sea|test)$/.test(own)) && !HARMLESS.has(own)) this.found.loads.add(this.place(at, own));
  }

  /** A string that names the module of files, somewhere else than in an import. */
  #readModule(at: number): void {
    const isImport = this.expressions.is(at - 1, "(") && /^(?:require|import)$/.test(this.tokens[at - 2]?.value ?? "");
    if (!isImport) return void (this.expressions.is(at - 1, "(") && this.found.unknown.add(this.place(at, "fs")));
    // `(await import("fs")).x`
    this.#readUse(moduleName(this.tokens[at]?.value ?? ""), this.expressions.is(at + 2, ")") ? at + 2 : at + 1);
  }

  #readName(name: string, at: number): void {
    if (this.isMember(at)) return void this.#readMember(name, at);
    if (this.expressions.is(at + 1, ":") && !this.expressions.is(at - 1, "?")) return;
    const bound = this.bound.get(name);
    if (bound !== undefined && /^fs(?:\.|$)/.test(bound)) return void this.#readUse(bound, at);
    if (bound?.startsWith("child_process")) this.#readStart(at);
    if (/^(?:execa|zx|shelljs|cross-spawn|tinyexec|nano-spawn|tinyspawn|vm)(?:\.|$)/.test(bound ?? ""))
      this.found.starts.add(this.place(at, name));
    if (name === "Bun" || name === "Deno") return void this.#readRuntime(at);
    this.#readLoad(name, at);
    if (this.#isLoader(name, at)) this.found.loads.add(this.place(at, name));
    if (name === "require" || (name === "import" && this.expressions.is(at + 1, "("))) this.#readRequire(at);
    else if (bound === undefined && this.callAt(at) !== undefined && ALWAYS_READS.test(name) && !this.expressions.is(at - 1, "function"))
      this.#readCall(name, this.callAt(at) ?? at, at);
  }

  /** A way to code that no import names. */
  #isLoader(name: string, at: number): boolean {
    if (LOADERS.has(name)) return true;
    if (/^(?:globalThis|global|self|process|module)$/.test(name) && this.expressions.is(at + 1, "[")) return true;
    return name === "module" && this.expressions.is(at + 1, ".") && !this.expressions.is(at + 2, "exports");
  }

  #readMember(name: string, at: number): void {
    if (name !== "eval" && name !== "register" && name !== "import" && name !== "require") this.#readLoad(name, at);
    const open = this.callAt(at);
    if (open !== undefined && ALWAYS_READS.test(name)) this.#readCall(name, open, at);
    else if (ALWAYS_READS.test(name)) this.found.unknown.add(this.place(at, name));
    if (LOADERS.has(name)) this.found.loads.add(this.place(at, name));
  }

  #readRequire(at: number): void {
    const isLiteral =
      this.expressions.is(at + 1, "(") && this.tokens[at + 2]?.kind === "text" && /^[),]$/.test(this.tokens[at + 3]?.value ?? "");
    const isMain = this.expressions.is(at + 1, ".") && this.expressions.is(at + 2, "main") && !this.expressions.is(at + 3, ".");
    if (!isLiteral && !isMain) this.found.loads.add(this.place(at, this.tokens[at]?.value ?? ""));
    if (isLiteral) this.#checkModule(moduleName(this.tokens[at + 2]?.value ?? ""), at);
    if (isLiteral && this.tokens[at + 2]?.value.endsWith("child_process")) this.#readStart(at + 3);
  }

  /** Something of the module of files: it must be called where it stands. `at`: the last token of what it is so far. */
  #readUse(start: string, from: number): void {
    let [name, at] = [start, from];
    for (; this.expressions.is(at + 1, ".") && this.tokens[at + 2]?.kind === "name"; at += 2) name += `.${this.tokens[at + 2]?.value}`;
    const own = name
      .replace(/^fs(?:\/promises)?\.?/, "")
      .replace(/^promises\.?/, "")
      .replace(/\.native$/, "");
    const open = this.callAt(at);
    if (/^(?:constants\b|Stats$|F_OK$|R_OK$|W_OK$|X_OK$)/.test(own)) return;
    if (open === undefined) return void this.found.unknown.add(this.place(from, own || "fs"));
    this.#readCall(own, open, at);
  }

  #readCall(name: string, open: number, at: number): void {
    const [range] = this.expressions.ranges(open);
    const [first = UNKNOWN, second = ""] = this.expressions.argumentsOf(open);
    const isInput = range !== undefined && range[1] - range[0] === 1 && this.expressions.is(range[0], "0");
    const words = range
      ? this.tokens
          .slice(...range)
          .map(({ value }) => value)
          .join("")
      : "";
    if (isInput || words === "process.stdin.fd" || words === "Bun.stdin") return;
    if (OPENS.has(name) && /^[wa]x?$/.test(second)) this.noteWritten(first);
    else if (READS.has(name) || OPENS.has(name)) this.note(first, at, name);
    else if (WRITES.test(name)) this.noteWritten(first);
    else this.found.unknown.add(this.place(at, name));
  }

  #readRuntime(at: number): void {
    const member = this.expressions.is(at + 1, ".") ? (this.tokens[at + 2]?.value ?? "") : "";
    if (/^(?:|\$|spawn|spawnSync|run|Command|dlopen|plugin)$/.test(member)) this.found.starts.add(this.place(at, member));
    const open = this.callAt(at + 2);
    if (ALWAYS_READS.test(member) && open !== undefined) return;
    if (member !== "" && open !== undefined && (READS.has(member) || OPENS.has(member))) this.#readCall(member, open, at + 2);
    else if (!RUNTIME_HARMLESS.has(member)) this.found.unknown.add(this.place(at, `${this.tokens[at]?.value}.${member}`));
  }

  /** `execFileSync("grep", ["-f", "rules.txt"])`: the program reads for the script. */
  #readStart(from: number): void {
    let at = from;
    for (; this.expressions.is(at + 1, ".") && this.tokens[at + 2]?.kind === "name"; at += 2);
    const open = this.callAt(at);
    // Handed on: what it is called with is not known.
    if (open === undefined) return void this.found.starts.add(this.place(at, this.tokens[at]?.value ?? ""));
    const [program, list] = this.expressions.ranges(open);
    const word = program ? this.expressions.whole(...program) : UNKNOWN;
    const isFork = /\bfork$/.test(this.bound.get(this.tokens[at]?.value ?? "") ?? this.tokens[at]?.value ?? "");
    if (isFork) return void this.noteLine("node", [word]);
    if (list === undefined || this.expressions.is(list[0], "{") || /=>|function/.test(this.#textOf(list)))
      return void this.noteLine(word, [], this.folderAt(open));
    const isList = this.expressions.is(list[0], "[") && this.expressions.brackets.get(list[0]) === list[1] - 1;
    this.noteLine(word, isList ? this.expressions.argumentsOf(list[0]) : [UNKNOWN], this.folderAt(open));
  }

  #textOf([start, end]: readonly [number, number]): string {
    return this.tokens
      .slice(start, end)
      .map(({ value }) => value)
      .join("");
  }

  /** Code by a value: `import(x)`, `createRequire(x)`, `new Worker(x)`, `eval(x)`. */
  #readLoad(name: string, at: number): void {
    if (!LOADS_BY_VALUE.has(name) || HARMLESS_BEFORE.test(this.tokens[at - 1]?.value ?? "")) return;
    const open = this.callAt(at);
    if (open === undefined) return;
    const [first = UNKNOWN] = this.expressions.argumentsOf(open);
    const isText = this.tokens[open + 1]?.kind === "text" && this.expressions.brackets.get(open) === open + 2;
    if (/^(?:import|require)$/.test(name) && isText && !first.startsWith(PROJECT)) return;
    this.noteLoad(/^(?:eval|Function)$/.test(name) ? UNKNOWN : first, at, name);
  }
}

function isFiles(module: string): boolean {
  return /^(?:node:)?fs(?:\/promises)?$/.test(module);
}

function moduleName(specifier: string): string {
  return specifier
    .replace(/^node:/, "")
    .replace(/^fs\/promises$/, "fs.promises")
    .replace(/^path\/posix$/, "path");
}
