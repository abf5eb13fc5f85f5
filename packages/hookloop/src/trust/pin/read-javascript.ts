// Takes the text of a JavaScript or TypeScript file; gives what it imports, the names of files that it reads or looks for, the lines that it
// starts, and the places where that cannot be known.
// SECURITY: only uses that are known to be harmless go unmentioned; everything else that touches files or code is said.

import { isBuiltin } from "node:module";
import { UNKNOWN } from "../../shell/index.ts";
import { type CodeReads, Findings, NOT_TAKEN_APART, PROJECT, quotedWord } from "./code-reader.ts";
import { JavascriptNames } from "./javascript-names.ts";
import * as js from "./parse-javascript.ts";
import { PLAIN_VARIABLE } from "./programs.ts";

type Node = js.Node;
type Visit = js.Visit;

/** A module that a file names. */
export interface JavascriptImport {
  readonly specifier: string;
  /** `require` tries more names than `import`. */
  readonly isRequire: boolean;
}

export interface JavascriptReads extends CodeReads {
  readonly imports: readonly JavascriptImport[];
  /** What keeps it from being known what the code runs, beside `loads` and `starts`. */
  readonly doubts: readonly string[];
}

/** A script is asked about several things in a row, and is read once. */
const known = new Map<string, JavascriptReads>();
const MAX_KNOWN = 64;

/** What a text of JavaScript or TypeScript does. Nothing is run, and no file is opened. */
export function readJavascript(text: string, file = ""): JavascriptReads {
  // SECURITY: what is a call in TypeScript may be a comparison in JavaScript.
  const language = /\.[cm]?tsx?$/.test(file) ? "ts" : "js";
  const found = known.get(`${language} ${text}`) ?? (file === "" ? known.get(`ts ${text}`) : undefined);
  if (found) return found;
  const program = js.programOf(text, file);
  const reads = program ? new JavascriptReader(program, text).read() : NOT_READ;
  if (known.size >= MAX_KNOWN) known.clear();
  if (program || file !== "") known.set(`${language} ${text}`, reads);
  return reads;
}

const NOT_READ: JavascriptReads = { ...NOT_TAKEN_APART, imports: [], doubts: NOT_TAKEN_APART.unknown };

class JavascriptReader {
  readonly #found = new Findings();
  readonly #imports: JavascriptImport[] = [];
  readonly #doubts = new Set<string>();
  readonly #text: string;
  readonly #visits: readonly Visit[];
  readonly #names: JavascriptNames;

  constructor(program: Node, text: string) {
    this.#text = text;
    this.#visits = js.visitsOf(program);
    this.#names = new JavascriptNames(this.#visits, (node, what) => this.#found.unknown.add(this.#place(node, what)));
  }

  read(): JavascriptReads {
    for (const visit of this.#visits) this.#visit(visit);
    const isBound = (name: string): boolean => isBuiltin(this.#names.bound.get(name)?.split(".")[0] ?? "");
    for (const { node, what } of [...js.changesOf(this.#visits), ...js.shadowsOf(this.#visits, isBound)])
      this.#doubts.add(this.#place(node, what));
    return { ...this.#found.result(), imports: this.#imports, doubts: [...this.#doubts].slice(0, 20) };
  }

  #place({ start }: Node, what: string): string {
    return `line ${this.#text.slice(0, start).split("\n").length} (${what})`;
  }
  // What each expression does.

  #visit(visit: Visit): void {
    const { node, parent, key } = visit;
    this.#readKind(node);
    if (node.type === "ImportDeclaration" || node.type === "ExportAllDeclaration" || node.type === "ExportNamedDeclaration")
      return void this.#readStatic(node);
    if (node.type === "ImportExpression") return void this.#readDynamic(node, node["source"] as Node, "import");
    if (node.type === "TSImportEqualsDeclaration" || node.type === "WithStatement") this.#doubts.add(this.#place(node, node.type));
    if (node.type === "Property") this.#readTaken(node);
    if (node.type === "AssignmentExpression" || node.type === "UnaryExpression") this.#readSetting(node);
    if (node.type === "NewExpression") this.#readComputedCall(node);
    if (node.type === "CallExpression") this.#readAnyCall(visit);
    if (node.type === "MemberExpression") this.#readMember(visit);
    const isName = node.type === "Identifier" && !js.isBindingPlace(parent, key) && !js.isNameOnly(parent, key);
    if (isName) this.#readGlobal(visit);
    // The whole chain counts, not its beginning.
    if (!js.isBeginning(parent, key) && (isName || node.type === "MemberExpression")) this.#readUse(visit);
  }

  #readKind(node: Node): void {
    const decorators = (node["decorators"] as readonly unknown[] | undefined) ?? [];
    if (!js.KNOWN_NODES.has(node.type) || decorators.length > 0) this.#doubts.add(this.#place(node, node.type));
    if (this.#isOpenLookup(node)) this.#doubts.add(this.#place(node, "looks up what is known only when it runs"));
  }

  /** Also `require("fs").x` and `promisify(execFile)("git", …)`. */
  #readAnyCall(visit: Visit): void {
    const { node, parent, key } = visit;
    this.#readComputedCall(node);
    if (js.isModuleCall(node) ? !js.isBeginning(parent, key) : this.#names.moduleOf(node) !== undefined) this.#readUse(visit);
  }

  #readStatic(node: Node): void {
    const source = node["source"] as Node | null;
    if (!source || node["importKind"] === "type" || node["exportKind"] === "type") return;
    this.#addImport(String(source["value"]), false, node);
    // Handed on: who imports it from here is not seen to use it.
    if (node.type !== "ImportDeclaration" && /^(?:fs|child_process|process)\b/.test(js.moduleName(String(source["value"]))))
      this.#doubts.add(this.#place(node, "hands on a module of the language"));
  }

  #addImport(specifier: string, isRequire: boolean, node: Node): void {
    this.#imports.push({ specifier, isRequire });
    const own = js.moduleName(specifier).replace(/^fs\.promises/, "fs/promises");
    // The last ones are modules of newer versions.
    if ((isBuiltin(`node:${own}`) || /^(?:sqlite|sea|test)$/.test(own)) && !js.HARMLESS.has(own))
      this.#found.loads.add(this.#place(node, own));
    if (js.SOCKETS.has(own)) this.#found.unknown.add(this.#place(node, own));
  }

  #readDynamic(node: Node, source: Node | undefined, what: string): void {
    const literal = source && js.literalOf(source, (text) => text);
    const value = this.#names.value(source);
    if (literal !== undefined) this.#addImport(literal, what === "require", node);
    else this.#found.loads.add(this.#place(node, what));
    if (literal === undefined || literal.startsWith(PROJECT)) this.#found.noteLoad(value, this.#place(node, what));
  }

  /** `process.env.PATH = …` */
  #readSetting(node: Node): void {
    const target = (node.type === "UnaryExpression" ? (node["operator"] === "delete" ? node["argument"] : undefined) : node["left"]) as
      | Node
      | undefined;
    if (target?.type !== "MemberExpression") return;
    const name = this.#names.nameOf(target) ?? "";
    const object = this.#names.nameOf(target["object"] as Node) ?? "";
    // What else is set is a change.
    if (object === "process.env" && !this.#isPlainSetting(name.replace(/^process\.env\./, ""), node))
      this.#doubts.add(this.#place(node, `sets ${name || `something of ${object}`}`));
  }

  /** A time zone may be the name of a file. */
  #isPlainSetting(variable: string, node: Node): boolean {
    return (
      PLAIN_VARIABLE.test(variable) &&
      (node.type === "UnaryExpression" || /^[\w.@+-]*(?:\/[\w+-]+)*$/.test(this.#names.value(node["right"] as Node)))
    );
  }

  /** SECURITY: what is found by a name that is put together may be the way to code, wherever it is called in the end. */
  #isOpenLookup(node: Node): boolean {
    if (node.type !== "MemberExpression" || node["computed"] !== true) return false;
    const [object, property] = [node["object"] as Node, node["property"] as Node];
    if (js.literalOf(property, String) !== undefined || js.isNumber(property, this.#names.numbers)) return false;
    return !this.#names.own.has(String(object["name"])) && !/^process\.(?:env|argv)$/.test(this.#names.nameOf(object) ?? "");
  }

  /** `table[name](…)` may be any function that there is, also by a name of its own. */
  #readComputedCall(node: Node): void {
    const callee = this.#names.constantOf(node["callee"] as Node);
    if (callee.type === "MemberExpression" && callee["computed"] === true && js.literalOf(callee["property"] as Node, String) === undefined)
      this.#doubts.add(this.#place(node, "calls what is known only when it runs"));
  }

  /** `const { constructor } = f` */
  #readTaken(node: Node): void {
    const key = node["key"] as Node;
    if ((key["name"] ?? key["value"]) === "socketPath") this.#found.unknown.add(this.#place(node, "socketPath"));
    if (node["isPattern"] === true && (node["computed"] === true || js.LOADERS.has(String(key["name"] ?? key["value"]))))
      this.#doubts.add(this.#place(node, "takes what is known only when it runs"));
  }

  /** The variables as a whole: whoever has them may set one. */
  #readVariables({ node, parent, key }: Visit): void {
    const isRead =
      parent?.type === "MemberExpression" ||
      parent?.type === "SpreadElement" ||
      parent?.type === "BinaryExpression" ||
      (parent?.type === "Property" && key === "value" && (parent["key"] as Node)["name"] === "env") ||
      (parent?.type === "VariableDeclarator" && (parent["id"] as Node).type === "ObjectPattern");
    if (!isRead) this.#doubts.add(this.#place(node, "hands on the variables"));
  }

  #readMember(visit: Visit): void {
    const { node, parent, key } = visit;
    const name = js.lastName(node);
    const object = this.#names.nameOf(node["object"] as Node) ?? "";
    if (js.LOADERS.has(name) && name !== "register") this.#readLoader(name, visit);
    if (object === "module" && name !== "exports") this.#found.loads.add(this.#place(node, "module"));
    if (/^(?:globalThis|global|self|process|module)$/.test(object) && node["computed"] === true)
      this.#found.loads.add(this.#place(node, object));
    if (object === "process" && name === "env") this.#readVariables(visit);
    if (object === "require" && name === "main" && !js.isComparison(parent)) this.#found.loads.add(this.#place(node, "require.main"));
    if (object === "process" && !js.PROCESS.has(name)) this.#doubts.add(this.#place(node, `process.${name}`));
    const isRead = js.ALWAYS_READS.test(name) && node["computed"] === false && !/^(?:Bun|Deno)\b/.test(object);
    if (!isRead || js.isOfFiles(this.#names.moduleOf(node["object"] as Node) ?? "")) return;
    if (js.isCallee(parent, key) && parent) this.#readCall(name, parent);
    else this.#found.unknown.add(this.#place(node, name));
  }

  /** A way to code that no import names. */
  #readLoader(name: string, { node, parent, key }: Visit): void {
    this.#doubts.add(this.#place(node, name));
    if (js.SAID.has(name)) this.#found.loads.add(this.#place(node, name));
    if (name === "getBuiltinModule") this.#found.unknown.add(this.#place(node, name));
    const isText = /^(?:eval|Function)$/.test(name);
    if (!parent || !js.isCallee(parent, key) || !js.LOADS_BY_VALUE.has(name) || (isText && node.type === "MemberExpression")) return;
    const [first] = parent["arguments"] as readonly Node[];
    this.#found.noteLoad(isText ? UNKNOWN : this.#names.value(first), this.#place(node, name));
  }

  /** Names that the script has not made itself. */
  #readGlobal(visit: Visit): void {
    const { node, parent, key } = visit;
    const name = node["name"] as string;
    if (name === "require") return void this.#readRequire(node, parent, key);
    if (this.#names.bound.get(name) === "process.env") this.#readVariables(visit);
    if (js.LOADERS.has(name)) this.#readLoader(name, visit);
    const isMember = parent?.type === "MemberExpression" && key === "object";
    if ((name === "process" || name === "module") && !isMember && !this.#names.bound.has(name) && !js.isComparison(parent))
      this.#doubts.add(this.#place(node, name));
    if (!this.#names.declared.has(name) && !this.#names.bound.has(name) && !js.GLOBALS.has(name))
      this.#doubts.add(this.#place(node, `${name}, which is not known`));
  }

  #readRequire(node: Node, parent: Node | undefined, key: string): void {
    if (js.isCallee(parent, key) && parent) return void this.#readDynamic(parent, (parent["arguments"] as readonly Node[])[0], "require");
    const isMain = parent?.type === "MemberExpression" && key === "object" && js.lastName(parent) === "main";
    if (!isMain) this.#found.loads.add(this.#place(node, "require"));
  }

  /** Something of a module that is looked at: it must be called where it stands. */
  #readUse({ node, parent, key }: Visit): void {
    const name =
      this.#names.moduleOf(node) ??
      (node.type === "MemberExpression" || node.type === "Identifier" ? this.#names.nameOf(node) : undefined) ??
      "";
    if (js.isAlias(parent, key) && this.#names.moduleOf(node) !== undefined) return;
    if (js.isOfFiles(name)) return void this.#readFiles(name, node, parent, key);
    if (/^child_process(?:\.|$)/.test(name)) return void this.#readStart(name, node, parent, key);
    if (js.STARTS_OTHERS.test(name) && this.#names.moduleOf(node) !== undefined) this.#found.starts.add(this.#place(node, name));
    if (/^(?:Bun|Deno)(?:\.|$)/.test(name)) return void this.#readRuntime(name, node, parent, key);
    const bare = node.type === "Identifier" && !this.#names.bound.has(name) ? name : "";
    if (js.ALWAYS_READS.test(bare) && js.isCallee(parent, key) && parent) this.#readCall(bare, parent);
  }

  #readFiles(name: string, node: Node, parent: Node | undefined, key: string): void {
    const own = name
      .replace(/^fs(?:\/promises)?\.?/, "")
      .replace(/^promises\.?/, "")
      .replace(/\.native$/, "");
    if (/^(?:constants\b|Stats$|F_OK$|R_OK$|W_OK$|X_OK$)/.test(own)) return;
    if (js.isCallee(parent, key) && parent) return void this.#readCall(own, parent);
    if (js.isPromisified(parent, key)) return;
    this.#found.unknown.add(this.#place(node, own || "fs"));
  }

  #readCall(name: string, call: Node): void {
    const [first, second] = call["arguments"] as readonly Node[];
    const isInput = first?.type === "Literal" && first["value"] === 0;
    const words = first ? this.#names.nameOf(first) : "";
    if (isInput || /^process\.std(?:in|out|err)\.fd$|^Bun\.stdin$/.test(words ?? "")) return;
    const value = this.#names.value(first);
    const place = this.#place(call, name);
    const isOpen = /^open(?:Sync)?$/.test(name);
    const mode = isOpen && second ? this.#names.value(second) : "r";
    if (/^access/.test(name) && second) this.#found.noteMore(value, place);
    else if (js.READS.has(name) || (isOpen && mode === "r")) this.#found.note(value, place);
    else if ((isOpen && /^[wa]$/.test(mode)) || (js.WRITES.test(name) && !js.hasFlags(call, (one) => this.#names.constantOf(one))))
      this.#found.noteWritten(value, place);
    else if (js.LOOKS_AT.test(name)) this.#found.noteMore(value, place);
    else if (/^mkdir(?:Sync)?$/.test(name) && this.#option(second, "recursive") !== undefined)
      this.#found.noteWritten(value, place, this.#found.made);
    else if (!js.ON_OPEN_FILES.test(name)) this.#found.unknown.add(place);
  }

  #readRuntime(name: string, node: Node, parent: Node | undefined, key: string): void {
    const member = name.split(".")[1] ?? "";
    if (/^(?:|\$|spawn|spawnSync|run|Command|dlopen|plugin)$/.test(member)) this.#found.starts.add(this.#place(node, member));
    if (js.isCallee(parent, key) && parent && (js.READS.has(member) || /^open(?:Sync)?$/.test(member))) this.#readCall(member, parent);
    else if (!js.RUNTIME_HARMLESS.has(member)) this.#found.unknown.add(this.#place(node, name));
  }

  /** `execFileSync("grep", ["-f", "rules.txt"])`: the program reads for the script. */
  #readStart(name: string, node: Node, parent: Node | undefined, key: string): void {
    // Handed on: what it is called with is not known.
    if (js.isPromisified(parent, key)) return;
    if (!js.isCallee(parent, key) || !parent)
      return void this.#found.starts.add(this.#place(node, name.replace(/^child_process\.?/, "") || "child_process"));
    const [program, second, third] = parent["arguments"] as readonly Node[];
    const method = name.replace(/^child_process\.?/, "");
    const options = [second, third].find((one) => one?.type === "ObjectExpression");
    for (const one of [second, third]) this.#readOptions(one, parent);
    const folder = this.#option(options, "cwd");
    const isShell = this.#option(options, "shell") !== undefined;
    const word = this.#names.value(program);
    if (method === "fork") return void this.#found.noteLine("node", [word, ...this.#list(second)], folder);
    const isLine = /^exec(?:Sync)?$/.test(method);
    if (!/^(?:exec|execFile|spawn)(?:Sync)?$/.test(method)) return void this.#found.starts.add(this.#place(node, method));
    if (isLine || isShell || !second || second.type === "ObjectExpression" || js.isFunction(second))
      this.#found.noteLine(
        isLine || isShell ? [word, ...(isShell && !isLine ? this.#list(second) : [])].join(" ") : quotedWord(word),
        [],
        folder,
      );
    else this.#found.noteLine(quotedWord(word), this.#list(second), folder);
  }

  /** What the program is started with beside its words. */
  #readOptions(node: Node | undefined, call: Node): void {
    const given = node && this.#names.constantOf(node);
    if (!given || given.type === "ArrayExpression" || js.isFunction(given)) return;
    if (given.type !== "ObjectExpression") return void this.#doubts.add(this.#place(call, "options of what it starts"));
    for (const property of given["properties"] as readonly Node[]) {
      const key = property["key"] as Node | undefined;
      const name = property.type === "Property" && property["computed"] === false ? String(key?.["name"] ?? key?.["value"]) : "";
      const isOpen =
        name === "" ||
        name === "argv0" ||
        name === "execPath" ||
        name === "execArgv" ||
        (name === "shell" && this.#names.value(property["value"] as Node) !== UNKNOWN);
      if (name === "env" ? this.#names.nameOf(property["value"] as Node) !== "process.env" : isOpen)
        this.#doubts.add(this.#place(call, `${name || "options"} of what it starts`));
    }
  }

  #option(options: Node | undefined, wanted: string): string | undefined {
    // Of two with the same name the last one counts.
    for (const property of ((options?.["properties"] as readonly Node[] | undefined) ?? []).toReversed()) {
      const key = property["key"] as Node | undefined;
      if (property.type === "Property" && String(key?.["name"] ?? key?.["value"]) === wanted) {
        const value = property["value"] as Node;
        return value.type === "Literal" && value["value"] === false ? undefined : this.#names.value(value);
      }
    }
    return undefined;
  }

  #list(node: Node | undefined): readonly string[] {
    const list = node && this.#names.constantOf(node);
    if (list?.type !== "ArrayExpression") return node && !js.isFunction(node) ? [UNKNOWN] : [];
    return (list["elements"] as readonly (Node | null)[]).map((one) =>
      one === null || one.type === "SpreadElement" ? UNKNOWN : this.#names.value(one),
    );
  }
}
